"""libkiln.so through ctypes: found, opened, its functions declared."""

import ctypes
import os
import pathlib

_HERE = pathlib.Path(__file__).resolve().parent
_PATH_BYTES = 4096

CODES = {
    0: "OK",
    1: "CANCELLED",
    2: "UNKNOWN",
    3: "INVALID_ARGUMENT",
    4: "DEADLINE_EXCEEDED",
    5: "NOT_FOUND",
    8: "RESOURCE_EXHAUSTED",
    9: "FAILED_PRECONDITION",
    11: "OUT_OF_RANGE",
    12: "UNIMPLEMENTED",
    13: "INTERNAL",
    14: "UNAVAILABLE",
    15: "DATA_LOSS",
}


class Error(RuntimeError):
    """What Kiln refused: `code` (a name of the C ABI without KILN_), `stage`, and the message."""

    def __init__(self, code, stage, message):
        super().__init__(message)
        self.code = CODES.get(code, str(code))
        self.stage = stage


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("cache_dir", ctypes.c_char * _PATH_BYTES),
        ("cache_shared", ctypes.c_int32),
        ("memory_cache_bytes", ctypes.c_uint64),
        ("nvrtc_path", ctypes.c_char * _PATH_BYTES),
        ("llvm_path", ctypes.c_char * _PATH_BYTES),
        ("compile_deadline_ms", ctypes.c_int32),
        ("compile_threads", ctypes.c_int32),
        ("cpu_threads", ctypes.c_int32),
        ("fake_devices", ctypes.c_int32),
        ("log", ctypes.c_void_p),
        ("log_context", ctypes.c_void_p),
        ("log_release", ctypes.c_void_p),
        ("cache_max_bytes", ctypes.c_uint64),
        ("cache_max_entries", ctypes.c_uint64),
        ("cache_trusted_keys", ctypes.c_char * _PATH_BYTES),
    ]


class DeviceInfo(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("name", ctypes.c_char * 128),
        ("arch", ctypes.c_char * 256),
        ("multiprocessors", ctypes.c_int32),
        ("shared_bytes", ctypes.c_int64),
    ]


class Stats(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("launches", ctypes.c_uint64),
        ("loads", ctypes.c_uint64),
        ("compiles", ctypes.c_uint64),
        ("compile_failures", ctypes.c_uint64),
        ("memory_hits", ctypes.c_uint64),
        ("disk_hits", ctypes.c_uint64),
        ("misses", ctypes.c_uint64),
        ("disk_corrupt", ctypes.c_uint64),
        ("compile_seconds", ctypes.c_double),
        ("bundle_hits", ctypes.c_uint64),
        ("disk_evictions", ctypes.c_uint64),
    ]


class Setting(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class OpOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("settings", ctypes.POINTER(Setting)),
        ("num_settings", ctypes.c_size_t),
        ("on_miss", ctypes.c_int32),
    ]


class ExecutableInfo(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("kernel", ctypes.c_char_p),
        ("arch", ctypes.c_char_p),
        ("config", ctypes.c_char_p),
        ("rules", ctypes.c_char_p),
        ("cache", ctypes.c_int32),
        ("compile_ms", ctypes.c_double),
        ("registers", ctypes.c_int32),
        ("shared_bytes", ctypes.c_int64),
        ("spill_bytes", ctypes.c_int64),
    ]


def _candidates():
    named = os.environ.get("KILN_LIBRARY")
    if named:
        return [named]
    # Installed beside the package; in a build folder; wherever the loader looks.
    beside = [_HERE / "lib" / "libkiln.so", _HERE.parent.parent / "lib" / "libkiln.so"]
    return [str(path) for path in beside if path.exists()] + ["libkiln.so"]


def _open():
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("kiln: libkiln.so cannot be opened; set KILN_LIBRARY to its path: " + "; ".join(reasons))


def _declare(library):
    handle, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    out = ctypes.POINTER(ctypes.c_void_p)
    code = ctypes.c_int32
    for name, result, arguments in [
        ("kiln_abi_version", ctypes.c_uint32, []),
        ("kiln_version", text, []),
        ("kiln_error_create", handle, []),
        ("kiln_error_destroy", None, [handle]),
        ("kiln_error_code", code, [handle]),
        ("kiln_error_stage", text, [handle]),
        ("kiln_error_message", text, [handle]),
        ("kiln_options_from_environment", code, [ctypes.POINTER(Options), size, handle]),
        ("kiln_runtime_create", code, [ctypes.POINTER(Options), out, handle]),
        ("kiln_runtime_destroy", None, [handle]),
        ("kiln_runtime_device_count", code, [handle, ctypes.POINTER(size), handle]),
        ("kiln_runtime_device", code, [handle, size, ctypes.POINTER(DeviceInfo), handle]),
        ("kiln_runtime_stats", code, [handle, ctypes.POINTER(Stats), handle]),
        ("kiln_runtime_load", code, [handle, text, size, text, out, handle]),
        ("kiln_runtime_load_text", code, [handle, text, size, text, out, handle]),
        ("kiln_module_destroy", None, [handle]),
        ("kiln_module_name_count", size, [handle]),
        ("kiln_module_name", text, [handle, size]),
        ("kiln_module_find", code, [handle, text, ctypes.POINTER(OpOptions), out, handle]),
        ("kiln_op_destroy", None, [handle]),
        ("kiln_future_ready", ctypes.c_int32, [handle]),
        ("kiln_future_wait", code, [handle, ctypes.c_int64, out, handle]),
        ("kiln_future_destroy", None, [handle]),
        ("kiln_executable_describe", code, [handle, ctypes.POINTER(ExecutableInfo), handle]),
        ("kiln_executable_destroy", None, [handle]),
        ("kiln_encode", code, [text, size, text, out, handle]),
        ("kiln_decode", code, [text, size, out, handle]),
        ("kiln_buffer_data", handle, [handle]),
        ("kiln_buffer_size", size, [handle]),
        ("kiln_buffer_destroy", None, [handle]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


library = _open()
_declare(library)
if library.kiln_abi_version() >> 16 != 1:
    raise ImportError(f"kiln: expected version 1 of libkiln's ABI, found {library.kiln_abi_version() >> 16}")


def address(name):
    """Where a function of the library is, for the launch module."""
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


def call(name, *arguments):
    """Calls a function that ends in a kiln_error*, and raises what it put there."""
    error = library.kiln_error_create()
    try:
        code = getattr(library, name)(*arguments, error)
        if code != 0:
            raise Error(
                code,
                library.kiln_error_stage(error).decode(),
                library.kiln_error_message(error).decode("utf-8", "replace"),
            )
    finally:
        library.kiln_error_destroy(error)


def version():
    return library.kiln_version().decode()
