"""The Scalar Engine: activations, with the sums it accumulates."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks, cost, dtypes
from .enums import reduce_cmd as ReduceCmd
from .instruction import Instructions, instruction
from .operators import ACTIVATIONS, Token, activate, check_range
from .rules import require
from .tensor import NkiTensor

_COMMANDS = (ReduceCmd.idle, ReduceCmd.reset, ReduceCmd.reduce, ReduceCmd.reset_reduce)


class ScalarEngine(Instructions):
    @instruction
    def activation(
        self, dst, op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=ReduceCmd.idle, name=None
    ):  # fmt: skip
        self._activate(name or "activation", dst, op, data, bias, scale, reduce_op, reduce_res, reduce_cmd)

    @instruction
    def activation_reduce(self, dst, op, data, reduce_op, reduce_res, bias=None, scale=1.0, name=None):
        subject = name or "activation_reduce"
        self._activate(subject, dst, op, data, bias, scale, reduce_op, reduce_res, ReduceCmd.reset_reduce)

    def _activate(
        self,
        subject: str,
        dst: Any,
        op: Any,
        data: Any,
        bias: Any,
        scale: Any,
        reduce_op: Any,
        reduce_res: Any,
        command: Any,
    ) -> None:
        for tile in (dst, data):
            checks.on_engine(subject, tile, "scalar")
        checks.writable(subject, dst)
        checks.agree(subject, dst, data)
        checks.written(subject, data)
        checks.token(subject, "op", op, ACTIVATIONS)
        scale = checks.scalar(subject, "scale", scale, data, "scalar")
        bias = self._bias(subject, bias, data)
        self._sum_arguments(subject, data, reduce_op, reduce_res, command)
        results = self._result(subject, op, data, bias, scale) if self._machine.values else np.zeros((data.shape[0], 1))
        self._store(dst, lambda: results)
        cycles = data.free * cost.value("scalar_one")
        writes = [dst]
        if reduce_op is not None:
            total = results.sum(axis=1, keepdims=True, dtype=np.float32)
            self._machine.sums["scalar"] = np.asarray(self._machine.sums["scalar"]) + total
        if reduce_res is not None:
            held = self._machine.sums["scalar"]
            self._store(reduce_res, lambda: np.asarray(held))
            cycles += cost.value("scalar_sum")
            writes.append(reduce_res)
        reads = [data] + [tile for tile in (bias, scale) if isinstance(tile, NkiTensor)]
        self._machine.execute("activation", "scalar", cycles, reads, writes, data.free)

    def _bias(self, subject: str, bias: Any, data: NkiTensor) -> NkiTensor | float:
        if bias is None:
            return 0.0
        if checks.is_number(bias):
            require(self._generation >= 3, 37, subject, f"bias={bias!r} on {self._machine.target.name}")
            return float(bias)
        require(isinstance(bias, NkiTensor), 32, subject, f"bias of type {type(bias).__name__}")
        tile = checks.column(subject, "bias", bias, data, "scalar")
        require(tile.dtype != dtypes.tfloat32, 32, subject, f"bias {tile}")
        checks.written(subject, tile)
        return tile

    def _result(self, subject: str, op: Token, data: NkiTensor, bias: Any, scale: Any) -> np.ndarray:
        values = checks.rows(data).astype(np.float32)
        with np.errstate(all="ignore"):
            argument = (values * checks.spread(scale) + checks.spread(bias).astype(np.float32)).astype(np.float32)
        check_range(subject, op.name, argument)
        return activate(op.name, argument)

    def _sum_arguments(self, subject: str, data: NkiTensor, reduce_op: Any, reduce_res: Any, command: Any) -> None:
        require(isinstance(command, ReduceCmd) and command in _COMMANDS, 38, subject, f"reduce_cmd={command!r}")
        sums = command in (ReduceCmd.reduce, ReduceCmd.reset_reduce)
        require(sums == (reduce_op is not None), 38, subject, f"reduce_op={reduce_op} with {command}")
        if reduce_op is not None:
            adds = isinstance(reduce_op, Token) and reduce_op.name == "add"
            require(adds, 38, subject, f"reduce_op={reduce_op!r}")
        if command in (ReduceCmd.reset, ReduceCmd.reset_reduce):
            self._machine.sums["scalar"] = np.zeros((data.shape[0], 1), dtype=np.float32)
        held = self._machine.sums.get("scalar")
        usable = held is not None and np.asarray(held).shape[0] == data.shape[0]
        if sums or reduce_res is not None:
            require(usable, 38, subject, f"{command} on sums that were not reset for {data.shape[0]} partitions")
        if reduce_res is not None:
            checks.writable(subject, checks.column(subject, "reduce_res", reduce_res, data, "scalar", 38))
