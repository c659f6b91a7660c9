"""What an instruction costs its engine, in cycles or, for DMA, in nanoseconds.

Every constant below says where it is from; docs/neuron.md prints the same table. `None` as the source means that no
public document was found and the value is a guess. [trn1], [trn2] and [trn3] are AWS's architecture guides for NKI,
[dma] is its DMA bandwidth guide, [isa] its API reference of nki.isa.
"""

from __future__ import annotations

from dataclasses import dataclass

from .dtypes import DType
from .target import Target


@dataclass(frozen=True)
class Constant:
    value: float
    unit: str
    meaning: str
    source: str | None


CONSTANTS: dict[str, Constant] = {
    "matmul_least": Constant(64, "cycles", "between two matmuls, however few columns move", "[trn1] MM_INIT_LATENCY"),
    "matmul_column": Constant(1, "cycles", "a moving column of 16 bits or fewer", "[trn1] max(N, MM_INIT_LATENCY)"),
    "matmul_float32": Constant(4, "factor", "float32 operands over bfloat16 ones", "[trn1] roughly 4x"),
    "onezero_float32": Constant(0.5, "factor", "a float32 operand declared to hold ones and zeros", "[isa] nc_matmul"),
    "transpose_float32": Constant(
        0.5, "factor", "float32 in transpose mode, from trn2 on", "[trn2] built-in transpose"
    ),
    "load_stationary": Constant(
        0.25, "cycles", "a stationary column, behind the matmul before", "[trn1] up to 4x faster"
    ),
    "vector_one": Constant(1, "cycles", "an element a partition, one tensor read", "[trn1] roughly N cycles"),
    "vector_two": Constant(2, "cycles", "an element a partition, two tensors read", "[trn1] roughly 2N cycles"),
    "vector_fast": Constant(
        0.25, "factor", "16-bit copies and tensor_scalar inside of SBUF", "[trn2] performance mode, 4x"
    ),
    "vector_faster": Constant(0.5, "factor", "the same strided or with PSUM; 16-bit tensor_tensor", "[trn2] 2x"),
    "vector_reciprocal": Constant(8, "cycles", "an element a partition of reciprocal", None),
    "exponential": Constant(0.25, "cycles", "an element a partition of exponential", "[trn3] 4x of activation"),
    "scalar_one": Constant(1, "cycles", "an element a partition of an activation", "[trn1] as the Vector Engine"),
    "scalar_sum": Constant(64, "cycles", "reading the sums of an activation out", "[trn1] ActReadAccumulator"),
    "gpsimd_one": Constant(1, "cycles", "an element a partition, one tensor read", None),
    "gpsimd_two": Constant(2, "cycles", "an element a partition, two tensors read", None),
    "short": Constant(
        100, "cycles", "an instruction of under 128 elements, or on its predecessor's result", "[trn1] static"
    ),
    "short_below": Constant(128, "elements", "below which an instruction is short", "[trn1] N > 128"),
    "dma_engines": Constant(16, "engines", "DMA engines of a core", "[dma]"),
    "dma_run": Constant(256, "bytes", "a contiguous run costs on top of its own bytes", None),
    "dma_transpose_hbm": Constant(0.9, "factor", "of the rate, transposing from HBM", "[trn2] up to 90%"),
    "dma_transpose_sbuf": Constant(0.5, "factor", "of the rate, transposing from SBUF", "[trn2] up to 50%"),
}


def value(name: str) -> float:
    return CONSTANTS[name].value


def is_wide(dtype: DType) -> bool:
    return dtype.size == 4


def matmul(columns: int, wide: bool, onezero: bool, stationary_columns: int, loads: bool) -> float:
    """Cycles until the next matmul may start; loading the stationary operand hides behind the one before."""
    factor = value("matmul_float32") if wide else 1.0
    if wide and onezero:
        factor *= value("onezero_float32")
    moving = max(columns * value("matmul_column"), value("matmul_least")) * factor
    return max(moving, stationary_columns * value("load_stationary") * factor if loads else 0.0)


def transpose(columns: int, wide: bool, target: Target) -> float:
    factor = value("matmul_float32") if wide else 1.0
    if wide and target.generation >= 3:
        factor *= value("transpose_float32")
    return max(columns * value("matmul_column"), value("matmul_least")) * factor


def vector(elements: int, tensors: int, fast: float) -> float:
    """`fast` is 1, or the factor of the performance mode."""
    return elements * value("vector_one" if tensors == 1 else "vector_two") * fast


def dma(target: Target, moved: int, run: int, hbm: bool, rate: float = 1.0) -> float:
    """Nanoseconds of the DMA engines together: `moved` bytes in contiguous runs of `run` bytes."""
    engines = value("dma_engines") * target.dma_gb_s * rate
    peak = min(engines, target.hbm_gb_s) if hbm else engines
    return moved / peak * (run + value("dma_run")) / run
