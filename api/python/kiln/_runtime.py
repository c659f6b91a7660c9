"""Runtime, Module, Op, Future, Executable: the C ABI's handles as objects."""

import ctypes

from kiln import _launch
from kiln import _library as lib

_launch.setup(
    {
        name: lib.address(name)
        for name in (
            "kiln_error_create",
            "kiln_error_destroy",
            "kiln_error_stage",
            "kiln_error_message",
            "kiln_op_launch",
            "kiln_op_prepare",
            "kiln_executable_launch",
        )
    },
    lib.Error,
)

_CACHE = ("miss", "memory", "disk")


class _Handle:
    """Owns one handle of the C ABI."""

    _destroy = ""

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None:
            getattr(lib.library, self._destroy)(handle)


def _stream(stream):
    if stream is None:
        return 0
    return getattr(stream, "cuda_stream", stream)


class Runtime(_Handle):
    """The cache, the compilers and the devices of this process.

    Options are the environment's, changed by keywords: cache_dir, cache_shared, memory_cache_bytes, nvrtc_path,
    llvm_path, compile_deadline_ms, compile_threads, cpu_threads, fake_devices, cache_max_bytes, cache_max_entries,
    cache_trusted_keys.
    """

    _destroy = "kiln_runtime_destroy"

    def __init__(self, **options):
        settings = lib.Options()
        lib.call("kiln_options_from_environment", ctypes.byref(settings), ctypes.sizeof(settings))
        known = {name for name, _ in lib.Options._fields_} - {"size", "log", "log_context", "log_release"}
        for name, value in options.items():
            if name not in known:
                raise TypeError(f"kiln.Runtime: no option is called {name}; there are {', '.join(sorted(known))}")
            setattr(settings, name, str(value).encode() if name.endswith(("_dir", "_path", "_keys")) else value)
        out = ctypes.c_void_p()
        lib.call("kiln_runtime_create", ctypes.byref(settings), ctypes.byref(out))
        super().__init__(out.value)

    def load(self, data, name="module"):
        """A module from its wire form."""
        out = ctypes.c_void_p()
        lib.call("kiln_runtime_load", self._handle, data, len(data), name.encode(), ctypes.byref(out))
        return Module(out.value)

    def load_text(self, text, name="module"):
        """A module from `.kiln` text."""
        data = text.encode()
        out = ctypes.c_void_p()
        lib.call("kiln_runtime_load_text", self._handle, data, len(data), name.encode(), ctypes.byref(out))
        return Module(out.value)

    def devices(self):
        """One dictionary a device, CPU first. Opens the drivers."""
        count = ctypes.c_size_t()
        lib.call("kiln_runtime_device_count", self._handle, ctypes.byref(count))
        devices = []
        for index in range(count.value):
            info = lib.DeviceInfo(size=ctypes.sizeof(lib.DeviceInfo))
            lib.call("kiln_runtime_device", self._handle, index, ctypes.byref(info))
            devices.append(
                {
                    "device": (info.device_type, info.device_id),
                    "name": info.name.decode(),
                    "arch": info.arch.decode(),
                    "multiprocessors": info.multiprocessors,
                    "shared_bytes": info.shared_bytes,
                }
            )
        return devices

    def stats(self):
        """Counts since the runtime was made."""
        stats = lib.Stats(size=ctypes.sizeof(lib.Stats))
        lib.call("kiln_runtime_stats", self._handle, ctypes.byref(stats))
        return {name: getattr(stats, name) for name, _ in lib.Stats._fields_ if name != "size"}


class Module(_Handle):
    """Kernels and ops, decoded."""

    _destroy = "kiln_module_destroy"

    def names(self):
        count = lib.library.kiln_module_name_count(self._handle)
        return [lib.library.kiln_module_name(self._handle, i).decode() for i in range(count)]

    def find(self, name, compile_on_miss=True, **settings):
        """An op, or a kernel by itself. Keywords set integer parameters; others take the compiler's choice."""
        values = (lib.Setting * len(settings))(*[lib.Setting(key.encode(), value) for key, value in settings.items()])
        options = lib.OpOptions(ctypes.sizeof(lib.OpOptions), values, len(settings), 0 if compile_on_miss else 1)
        out = ctypes.c_void_p()
        lib.call("kiln_module_find", self._handle, name.encode(), ctypes.byref(options), ctypes.byref(out))
        return Op(out.value)


class Op(_Handle):
    """Whatever kernel fits the arguments is found or made, and launched."""

    _destroy = "kiln_op_destroy"

    def __call__(self, *arguments, stream=None):
        """Launches. The CPU is done when this returns; a GPU runs on `stream`."""
        _launch.launch_op(self._handle, _stream(stream), *arguments)

    def prepare(self, *arguments):
        """Warm-up on a thread of Kiln's: all but the launch."""
        return Future(_launch.prepare_op(self._handle, *arguments))


class Future(_Handle):
    """An executable that may still be in the making."""

    _destroy = "kiln_future_destroy"

    def ready(self):
        return bool(lib.library.kiln_future_ready(self._handle))

    def wait(self, timeout=None):
        """The executable; `timeout` in seconds, then an Error of code DEADLINE_EXCEEDED."""
        out = ctypes.c_void_p()
        milliseconds = -1 if timeout is None else max(0, int(timeout * 1000))
        lib.call("kiln_future_wait", self._handle, milliseconds, ctypes.byref(out))
        return Executable(out.value)


class Executable(_Handle):
    """One loaded kernel, for arguments of one kind."""

    _destroy = "kiln_executable_destroy"

    def __call__(self, *arguments, stream=None):
        _launch.launch_executable(self._handle, _stream(stream), *arguments)

    def describe(self):
        info = lib.ExecutableInfo(size=ctypes.sizeof(lib.ExecutableInfo))
        lib.call("kiln_executable_describe", self._handle, ctypes.byref(info))
        return {
            "kernel": info.kernel.decode(),
            "arch": info.arch.decode(),
            "config": {key: int(value) for key, value in (s.split("=") for s in info.config.decode().split(",") if s)},
            "rules": info.rules.decode().splitlines(),
            "cache": _CACHE[info.cache],
            "compile_ms": info.compile_ms,
            "registers": info.registers,
            "shared_bytes": info.shared_bytes,
            "spill_bytes": info.spill_bytes,
        }


def _take(buffer):
    try:
        return ctypes.string_at(lib.library.kiln_buffer_data(buffer), lib.library.kiln_buffer_size(buffer))
    finally:
        lib.library.kiln_buffer_destroy(buffer)


def encode(text, name="module"):
    """`.kiln` text to the wire form."""
    data = text.encode()
    out = ctypes.c_void_p()
    lib.call("kiln_encode", data, len(data), name.encode(), ctypes.byref(out))
    return _take(out.value)


def decode(data):
    """The wire form to canonical text."""
    out = ctypes.c_void_p()
    lib.call("kiln_decode", data, len(data), ctypes.byref(out))
    return _take(out.value).decode()
