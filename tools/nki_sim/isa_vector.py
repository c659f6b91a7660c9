"""The Vector Engine, and what it shares with the Scalar and the GpSimd Engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks, cost, dtypes
from .dtypes import DType
from .enums import engine as Engine
from .enums import reduce_cmd as ReduceCmd
from .instruction import Instructions, fast_factor, instruction
from .operators import ARITHMETIC, BITWISE, REDUCTIONS, UNARY_IN_TENSOR_SCALAR, Token, activate, apply
from .rules import require
from .tensor import NkiTensor

_EXACT = (dtypes.int32, dtypes.uint32)


class VectorEngine(Instructions):
    @instruction
    def tensor_copy(self, dst, src, engine=Engine.unknown, name=None):
        subject = name or "tensor_copy"
        able = ["vector"] + (["scalar"] if self._generation >= 3 else [])
        if "psum" not in (checks.tensor(subject, dst).buffer, checks.tensor(subject, src).buffer):
            able.append("gpsimd")
        # Left alone, a copy goes to the engines that stream at a known rate.
        fitting = [one for one in able if one != "gpsimd"] if engine is Engine.unknown else able
        chosen = self._choose(subject, engine, fitting)
        self._operands(subject, chosen, dst, src)
        if dst.dtype == src.dtype:
            self._store_bits(dst, lambda: src.bits.copy())
        else:
            self._store(dst, lambda: checks.rows(src).astype(np.float32))
        cycles = {
            "vector": cost.vector(src.free, 1, fast_factor([dst, src], self._generation)),
            "scalar": src.free * cost.value("scalar_one"),
            "gpsimd": src.free * cost.value("gpsimd_one"),
        }[chosen]
        self._machine.execute("tensor_copy", chosen, cycles, [src], [dst], src.free)

    @instruction
    def memset(self, dst, value, engine=Engine.unknown, name=None):
        subject = name or "memset"
        able = ["vector"] + (["gpsimd"] if checks.tensor(subject, dst).buffer == "sbuf" else [])
        chosen = self._choose(subject, engine, able)
        checks.writable(subject, checks.on_engine(subject, dst, chosen))
        integral = isinstance(value, (int, np.integer))
        wants_integer = dst.dtype.is_integer or dst.dtype.kind == "bool"
        require(checks.is_number(value) and (integral or not wants_integer), 41, subject, f"{value!r} into {dst}")
        finite = wants_integer or bool(np.isfinite(value))
        require(finite, 41, subject, f"{value!r}, which has no literal")
        self._store(dst, lambda: np.full(dst.shape, value, dtype=np.int64 if wants_integer else np.float32))
        cycles = dst.free * cost.value("vector_one" if chosen == "vector" else "gpsimd_one")
        self._machine.execute("memset", chosen, cycles, [], [dst], dst.free)

    @instruction
    def tensor_tensor(self, dst, data1, data2, op, engine=Engine.unknown, name=None):
        subject = name or "tensor_tensor"
        checks.token(subject, "op", op, {**ARITHMETIC, **BITWISE})
        tiles = [checks.tensor(subject, tile) for tile in (dst, data1, data2)]
        in_sbuf = all(tile.buffer == "sbuf" for tile in tiles)
        exact = in_sbuf and not op.bitwise and all(tile.dtype in _EXACT for tile in tiles)
        if op.name == "power" or (exact and engine is Engine.unknown):
            able = ["gpsimd"]
        else:
            able = ["vector"] if op.bitwise else ["vector", "gpsimd"]
        chosen = "vector" if engine is Engine.unknown and "vector" in able else self._choose(subject, engine, able)
        self._operands(subject, chosen, dst, data1, data2)
        _one_in_psum(subject, data1, data2)
        _bitwise_types(subject, op, dst, data1, data2)
        integers = op.bitwise or (exact and chosen == "gpsimd")

        def result() -> np.ndarray:
            a, b = checks.rows(data1), checks.rows(data2)
            if not integers:
                return apply(op, a, b)
            return _wrapped((BITWISE if op.bitwise else ARITHMETIC)[op.name](a, b), dst.dtype)

        self._store(dst, result)
        fast = self._generation >= 3 and all(tile.dtype in (dtypes.bfloat16, dtypes.float16) for tile in tiles)
        fast = fast and data1.buffer == data2.buffer == "sbuf"
        if chosen == "vector":
            cycles = cost.vector(data1.free, 2, cost.value("vector_faster") if fast else 1.0)
        else:
            cycles = data1.free * cost.value("gpsimd_two")
        self._machine.execute("tensor_tensor", chosen, cycles, [data1, data2], [dst], data1.free)

    @instruction
    def tensor_scalar(
        self, dst, data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False,
        engine=Engine.unknown, name=None,
    ):  # fmt: skip
        subject = name or "tensor_scalar"
        chosen = self._scalar_engine(subject, op0, op1, engine)
        self._operands(subject, chosen, dst, data)
        steps = [(op0, operand0, reverse0)] + ([(op1, operand1, reverse1)] if op1 is not None else [])
        require(op1 is not None or operand1 is None, 32, subject, "operand1 without op1")
        bitwise = {op.bitwise for op, _, _ in steps if isinstance(op, Token)}
        require(len(bitwise) == 1, 31, subject, f"{op0} with {op1}")
        if bitwise == {True}:
            _bitwise_types(subject, op0, dst, data)
        prepared = [self._step(subject, i, step, data, chosen) for i, step in enumerate(steps)]

        def result() -> np.ndarray:
            current = checks.rows(data)
            for op, operand, reverse in prepared:
                current = _combine(op, current, operand, reverse)
            return _wrapped(current, dst.dtype) if bitwise == {True} else current

        self._store(dst, result)
        tiles = [operand for _, operand, _ in prepared if isinstance(operand, NkiTensor)]
        cycles = {
            "vector": cost.vector(data.free, 1, fast_factor([dst, data], self._generation)),
            "scalar": data.free * cost.value("scalar_one"),
            "gpsimd": data.free * cost.value("gpsimd_one"),
        }[chosen]
        self._machine.execute("tensor_scalar", chosen, cycles, [data, *tiles], [dst], data.free)

    def _scalar_engine(self, subject: str, op0: Any, op1: Any, engine: Any) -> str:
        names = (getattr(op0, "name", None), getattr(op1, "name", None))
        able = ["vector"]
        if self._generation >= 4 or (
            self._generation == 3 and names in (("multiply", "add"), ("multiply", None), ("add", None))
        ):
            able.append("scalar")
        if names == ("rsqrt", None):
            able = ["vector", "gpsimd"]
        if engine is Engine.unknown:
            return "gpsimd" if "gpsimd" in able else "vector"
        return self._choose(subject, engine, able)

    def _step(self, subject: str, at: int, step: tuple, data: NkiTensor, engine: str) -> tuple:
        op, operand, reverse = step
        what = f"operand{at}"
        unary = isinstance(op, Token) and op.name in UNARY_IN_TENSOR_SCALAR
        checks.token(subject, f"op{at}", op, {**ARITHMETIC, **BITWISE, **UNARY_IN_TENSOR_SCALAR})
        if unary:
            self._needs(f"{subject} {op.name}", UNARY_IN_TENSOR_SCALAR[op.name])
            require(operand is None or operand == 0, 32, subject, f"{what}={operand!r} of the unary {op.name}")
            return op, None, reverse
        if op.bitwise:
            require(isinstance(operand, (int, np.integer)), 31, subject, f"{what}={operand!r} of {op.name}")
            return op, int(operand), reverse
        return op, checks.scalar(subject, what, operand, data, engine), reverse

    @instruction
    def scalar_tensor_tensor(self, dst, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, name=None):
        subject = name or "scalar_tensor_tensor"
        for what, op in (("op0", op0), ("op1", op1)):
            require(not getattr(op, "bitwise", False), 31, subject, f"{what}={op}")
            checks.token(subject, what, op, ARITHMETIC)
        self._operands(subject, "vector", dst, data, operand1)
        _one_in_psum(subject, data, operand1)
        scalar = checks.scalar(subject, "operand0", operand0, data, "vector")
        self._store(
            dst,
            lambda: _combine(op1, _combine(op0, checks.rows(data), scalar, reverse0), checks.rows(operand1), reverse1),
        )
        reads = [data, operand1] + ([scalar] if isinstance(scalar, NkiTensor) else [])
        cycles = cost.vector(data.free, 2, 1.0)
        self._machine.execute("scalar_tensor_tensor", "vector", cycles, reads, [dst], data.free)

    @instruction
    def tensor_reduce(self, dst, op, data, axis, negate=False, keepdims=False, name=None):
        subject = name or "tensor_reduce"
        checks.on_engine(subject, data, "vector")
        checks.writable(subject, checks.on_engine(subject, dst, "vector"))
        require(isinstance(op, Token) and op.name in {**REDUCTIONS, "subtract": None}, 35, subject, f"op={op!r}")
        _bitwise_types(subject, op, dst, data)
        require(not (negate and op.bitwise), 35, subject, f"negate with {op}")
        axes = sorted([axis] if isinstance(axis, int) else list(axis))
        require(
            axes == list(range(data.ndim - len(axes), data.ndim)) and axes[0] > 0, 34, subject, f"axis={axis} of {data}"
        )
        kept = int(np.prod(data.shape[1 : axes[0]]))
        fits = (dst.shape[0], dst.free) == (data.shape[0], kept)
        require(fits, 5, subject, f"{data} over {axis} into {dst}")
        checks.written(subject, data)

        def result() -> np.ndarray:
            grouped = data.values().reshape(data.shape[0], kept, -1)
            if op.bitwise:
                return REDUCTIONS[op.name].reduce(grouped, axis=2)
            total = _reduced(op.name, grouped.astype(np.float32))
            return -total if negate else total

        self._store(dst, result)
        self._machine.execute("tensor_reduce", "vector", cost.vector(data.free, 1, 1.0), [data], [dst], data.free)

    @instruction
    def tensor_scalar_reduce(
        self, dst, data, op0, operand0, reduce_op, reduce_res=None, reverse0=False,
        reduce_cmd=ReduceCmd.reset_reduce, reduce_init=None, name=None,
    ):  # fmt: skip
        subject = name or "tensor_scalar_reduce"
        self._operands(subject, "vector", dst, data)
        require(not getattr(op0, "bitwise", False), 31, subject, f"op0={op0}")
        checks.token(subject, "op0", op0, ARITHMETIC)
        legal = isinstance(reduce_op, Token) and reduce_op.name in ("add", "multiply", "maximum", "minimum")
        require(legal, 35, subject, f"reduce_op={reduce_op!r}")
        require(
            reduce_cmd is ReduceCmd.reset_reduce and reduce_init is None,
            35,
            subject,
            f"{reduce_cmd!r}, {reduce_init!r}",
        )
        require(reduce_res is not None, 34, subject, "no reduce_res")
        scalar = checks.scalar(subject, "operand0", operand0, data, "vector")
        checks.writable(subject, checks.column(subject, "reduce_res", reduce_res, data, "vector", 34))
        results = _combine(op0, checks.rows(data), scalar, reverse0)
        self._store(dst, lambda: results)
        self._store(reduce_res, lambda: _reduced(reduce_op.name, results))
        reads = [data] + ([scalar] if isinstance(scalar, NkiTensor) else [])
        self._machine.execute(
            "tensor_scalar_reduce", "vector", cost.vector(data.free, 1, 1.0), reads, [dst, reduce_res], data.free
        )

    @instruction
    def reciprocal(self, dst, data, name=None):
        subject = name or "reciprocal"
        self._operands(subject, "vector", dst, data)
        self._store(dst, lambda: activate("reciprocal", checks.rows(data)))
        cycles = data.free * cost.value("vector_reciprocal")
        self._machine.execute("reciprocal", "vector", cycles, [data], [dst], data.free)

    @instruction
    def tensor_copy_predicated(self, dst, src, predicate, reverse_pred=False, name=None):
        subject = name or "tensor_copy_predicated"
        checks.writable(subject, checks.on_engine(subject, dst, "vector"))
        checks.on_engine(subject, predicate, "vector")
        unsigned = predicate.dtype in (dtypes.uint8, dtypes.uint16, dtypes.uint32)
        require(unsigned, 36, subject, f"predicate {predicate}")
        reads = [predicate]
        if isinstance(src, NkiTensor):
            checks.on_engine(subject, src, "vector")
            require(src.dtype == dst.dtype, 36, subject, f"{src} to {dst}")
            _one_in_psum(subject, src, predicate)
            checks.agree(subject, dst, src, predicate)
            reads.append(src)
        else:
            require(checks.is_number(src), 32, subject, f"src={src!r}")
            checks.agree(subject, dst, predicate)
        # Where nothing is copied, dst keeps what it must have had.
        checks.written(subject, dst, *reads)

        def result() -> np.ndarray:
            taken = (checks.rows(predicate) != 0) != reverse_pred
            return np.where(taken, checks.rows(src) if isinstance(src, NkiTensor) else src, checks.rows(dst))

        self._store(dst, result)
        cycles = cost.vector(dst.free, 2, 1.0)
        self._machine.execute("tensor_copy_predicated", "vector", cycles, [dst, *reads], [dst], dst.free)

    @instruction
    def exponential(
        self, dst, src, max_value=0.0, reduce_res=None, reduce_cmd=ReduceCmd.idle, reduce_init=0.0, name=None
    ):  # fmt: skip
        subject = name or "exponential"
        self._needs(subject, 4)
        self._operands(subject, "vector", dst, src)
        scalar = checks.scalar(subject, "max_value", max_value, src, "vector")
        legal = reduce_cmd in (ReduceCmd.idle, ReduceCmd.reset_reduce) and reduce_init == 0.0
        require(legal, 35, subject, f"reduce_cmd={reduce_cmd!r}, reduce_init={reduce_init!r}")
        require((reduce_res is None) == (reduce_cmd is ReduceCmd.idle), 35, subject, f"{reduce_cmd} with {reduce_res}")
        results = activate("exp", checks.rows(src).astype(np.float32) - checks.spread(scalar))
        self._store(dst, lambda: results)
        writes = [dst]
        if reduce_res is not None:
            checks.writable(subject, checks.column(subject, "reduce_res", reduce_res, src, "vector", 34))
            self._store(reduce_res, lambda: _reduced("add", results))
            writes.append(reduce_res)
        reads = [src] + ([scalar] if isinstance(scalar, NkiTensor) else [])
        self._machine.execute("exponential", "vector", src.free * cost.value("exponential"), reads, writes, src.free)

    def _operands(self, subject: str, engine: str, dst: Any, *sources: Any) -> None:
        for tile in (dst, *sources):
            checks.on_engine(subject, tile, engine)
        checks.writable(subject, dst)
        checks.agree(subject, dst, *sources)
        checks.written(subject, *sources)


def _one_in_psum(subject: str, a: NkiTensor, b: NkiTensor) -> None:
    require(not (a.buffer == b.buffer == "psum"), 30, subject, f"{a} and {b}")


def _bitwise_types(subject: str, op: Token, *tiles: NkiTensor) -> None:
    for tile in tiles:
        require(not op.bitwise or tile.dtype.is_integer, 31, subject, f"{op} with {tile}")


def _combine(op: Token, values: np.ndarray, operand: Any, reverse: bool) -> np.ndarray:
    if op.name in UNARY_IN_TENSOR_SCALAR and operand is None:
        return activate(op.name, values.astype(np.float32))
    other = operand if isinstance(operand, np.ndarray) or op.bitwise else checks.spread(operand)
    return apply(op, other, values) if reverse else apply(op, values, other)


def _reduced(name: str, grouped: np.ndarray) -> np.ndarray:
    """Over the last axis, in float32 as the engine does; subtract takes the others from the first."""
    if name == "subtract":
        return grouped[..., 0] - grouped[..., 1:].sum(axis=-1, dtype=np.float32)
    return REDUCTIONS[name].reduce(grouped, axis=-1, dtype=np.float32)


def _wrapped(values: np.ndarray, dtype: DType) -> np.ndarray:
    """Integers as they are in so many bits."""
    return values.astype(np.int64).astype(dtype.bits)
