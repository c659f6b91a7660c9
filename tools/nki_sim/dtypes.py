"""Element types: bits in memory, values in float32 or int64, and the rounding between them, in arithmetic of our own.

Values of every float type are exact in float32. Casts to a narrower float round to nearest, ties to even; float8
saturates. Casts to an integer round the same way and saturate; NaN becomes 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DType:
    name: str
    bits: type  # the numpy type that holds the bits
    kind: str  # "float", "int", "uint" or "bool"
    generation: int = 2  # the first that has it

    @property
    def size(self) -> int:
        return np.dtype(self.bits).itemsize

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    def __repr__(self) -> str:
        return f"nl.{self.name}"


float32 = DType("float32", np.float32, "float")
tfloat32 = DType("tfloat32", np.float32, "float")
bfloat16 = DType("bfloat16", np.uint16, "float")
float16 = DType("float16", np.float16, "float")
float8_e4m3 = DType("float8_e4m3", np.uint8, "float")
float8_e4m3fn = DType("float8_e4m3fn", np.uint8, "float", generation=4)
float8_e5m2 = DType("float8_e5m2", np.uint8, "float")
int8 = DType("int8", np.int8, "int")
int16 = DType("int16", np.int16, "int")
int32 = DType("int32", np.int32, "int")
uint8 = DType("uint8", np.uint8, "uint")
uint16 = DType("uint16", np.uint16, "uint")
uint32 = DType("uint32", np.uint32, "uint")
bool_ = DType("bool_", np.uint8, "bool")

DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        float32, tfloat32, bfloat16, float16, float8_e4m3, float8_e4m3fn, float8_e5m2,
        int8, int16, int32, uint8, uint16, uint32, bool_,
    )
}  # fmt: skip


class _Float8:
    """One float8 format: its 256 values, and the codes of the finite positive ones in order."""

    def __init__(self, exponent_bits: int, mantissa_bits: int, has_infinity: bool) -> None:
        self.infinity = has_infinity
        bias = 2 ** (exponent_bits - 1) - 1
        codes = np.arange(128)
        exponent, mantissa = codes >> mantissa_bits, codes & (2**mantissa_bits - 1)
        scale = 2.0**-mantissa_bits
        values = np.where(
            exponent == 0,
            mantissa * scale * 2.0 ** (1 - bias),
            (1 + mantissa * scale) * 2.0 ** (exponent.astype(np.float64) - bias),
        )
        top = exponent == 2**exponent_bits - 1
        if has_infinity:
            values = np.where(top, np.where(mantissa == 0, np.inf, np.nan), values)
        else:
            values[127] = np.nan
        self.values = np.concatenate([values, -values]).astype(np.float32)
        self.nan = 127
        self.finite = values[np.isfinite(values)]
        self.middles = (self.finite[:-1] + self.finite[1:]) / 2

    def encode(self, values: np.ndarray) -> np.ndarray:
        size = np.abs(values.astype(np.float64))
        code = np.searchsorted(self.middles, size, side="left")
        at = np.minimum(code, len(self.middles) - 1)
        code += (size == self.middles[at]) & (code == at) & (code % 2 == 1)
        code = np.where(np.isnan(size), self.nan, code)
        return (code | np.where(np.signbit(values), 128, 0)).astype(np.uint8)


_FLOAT8 = {
    "float8_e4m3": _Float8(4, 3, True),
    "float8_e4m3fn": _Float8(4, 3, False),
    "float8_e5m2": _Float8(5, 2, True),
}


def _cut_mantissa(values: np.ndarray, bits: int) -> np.ndarray:
    """float32 rounded to nearest even at `bits` bits from the end; NaN stays a quiet NaN."""
    word = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    half = np.uint32((1 << (bits - 1)) - 1)
    rounded = word + half + ((word >> np.uint32(bits)) & np.uint32(1))
    rounded = np.where(np.isnan(values), word | np.uint32(0x00400000), rounded)
    return rounded & np.uint32(0xFFFFFFFF ^ ((1 << bits) - 1))


def encode(values: np.ndarray, dtype: DType) -> np.ndarray:
    """The bits of `values` (float32, or any integers) cast to `dtype`."""
    values = np.asarray(values)
    if dtype.kind == "bool":
        return (values != 0).astype(np.uint8)
    if dtype.is_integer:
        limits = np.iinfo(dtype.bits)
        if values.dtype.kind == "f":
            values = np.rint(np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
        return np.clip(values, limits.min, limits.max).astype(dtype.bits)
    values = values.astype(np.float32)
    if dtype == float32:
        return values
    if dtype == tfloat32:
        return _cut_mantissa(values, 13).view(np.float32)
    if dtype == bfloat16:
        return (_cut_mantissa(values, 16) >> np.uint32(16)).astype(np.uint16)
    if dtype == float16:
        with np.errstate(over="ignore"):
            return values.astype(np.float16)
    return _FLOAT8[dtype.name].encode(values)


def decode(bits: np.ndarray, dtype: DType) -> np.ndarray:
    """float32 values of a float type, int64 values of an integer one."""
    if dtype.is_integer or dtype.kind == "bool":
        return bits.astype(np.int64)
    if dtype == bfloat16:
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if dtype.name in _FLOAT8:
        return _FLOAT8[dtype.name].values[bits]
    return bits.astype(np.float32)
