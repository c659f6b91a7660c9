"""Reads the safetensors format: a length, a JSON header that says where each tensor lies, then the tensors' bytes."""

import json

import numpy as np

_DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32}
_MAX_HEADER = 1 << 24


class SafetensorsError(Exception):
    """The file is not what the format says."""


def load(path):
    """Every tensor of the file by its name, as read-only views of the file's mapping."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    if data.size < 8:
        raise SafetensorsError(f"{path}: expected a header of 8 bytes or more, found {data.size} bytes")
    header_size = int.from_bytes(data[:8].tobytes(), "little")
    if header_size > min(_MAX_HEADER, data.size - 8):
        raise SafetensorsError(f"{path}: a header of {header_size} bytes does not fit into a file of {data.size}")
    try:
        header = json.loads(data[8 : 8 + header_size].tobytes())
    except ValueError as error:
        raise SafetensorsError(f"{path}: the header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise SafetensorsError(f"{path}: expected a JSON object as the header, found {type(header).__name__}")
    body = data[8 + header_size :]
    header.pop("__metadata__", None)
    return {name: _tensor(path, name, entry, body) for name, entry in header.items()}


def _tensor(path, name, entry, body):
    try:
        dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    except (KeyError, TypeError, ValueError) as error:
        raise SafetensorsError(f"{path}: {name}: expected dtype, shape and two data_offsets") from error
    if dtype not in _DTYPES:
        raise SafetensorsError(f"{path}: {name}: dtype {dtype!r} is not one of {', '.join(_DTYPES)}")
    sizes = [*shape, begin, end] if isinstance(shape, list) else [None]
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise SafetensorsError(f"{path}: {name}: shape {shape} and offsets {begin}, {end} must be counts")
    count = 1
    for size in shape:
        count *= size
    if begin > end or end > body.size or end - begin != count * np.dtype(_DTYPES[dtype]).itemsize:
        raise SafetensorsError(f"{path}: {name}: bytes {begin} to {end} of {body.size} do not hold {dtype}{shape}")
    # Offsets may be odd, and a view of another dtype may not: copied only where they are.
    raw = body[begin:end]
    if raw.ctypes.data % np.dtype(_DTYPES[dtype]).itemsize:
        raw = raw.copy()
    return raw.view(_DTYPES[dtype]).reshape(shape)
