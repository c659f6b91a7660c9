"""The Tensor Engine: matmul, and transposes on it or on the Vector Engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks, cost
from .enums import engine as Engine
from .enums import matmul_perf_mode
from .instruction import Instructions, bank, instruction
from .memory import MATMUL, UNWRITTEN, WRITTEN
from .rules import require
from .tensor import NkiTensor

_NARROW = ("float8_e4m3", "float8_e4m3fn", "float8_e5m2", "bfloat16", "float16")
_WIDE = ("float32", "tfloat32")
_FLOAT8 = ("float8_e4m3", "float8_e4m3fn", "float8_e5m2")
_MOST_ROWS = 128
_MOST_STATIONARY = 128


class TensorEngine(Instructions):
    @instruction
    def nc_matmul(
        self, dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False,
        accumulate=None, tile_position=(), tile_size=(), perf_mode=matmul_perf_mode.none, name=None,
    ):  # fmt: skip
        subject = name or "nc_matmul"
        for operand in (stationary, moving):
            in_sbuf = checks.tensor(subject, operand).buffer == "sbuf"
            require(in_sbuf, 16, subject, f"operand {operand}")
        require(checks.tensor(subject, dst).buffer == "psum", 16, subject, f"result {dst}")
        double = self._double_row(subject, perf_mode, stationary, moving)
        self._operand_types(subject, stationary, moving)
        self._sizes(subject, dst, stationary, moving, double)
        self._array_tile(subject, stationary, tile_position, tile_size)
        for operand in (stationary, moving, dst):
            checks.on_engine(subject, operand, "tensor")
        self._result(subject, dst, is_transpose, stationary)
        checks.written(subject, stationary, moving)
        adds = self._accumulation(subject, dst, accumulate)

        def product() -> np.ndarray:
            a, b = (_contracted(operand, double) for operand in (stationary, moving))
            result = a.T @ b
            return np.where(adds, checks.rows(dst) + result, result) if adds.any() else result

        self._store(dst, product, MATMUL)
        wide = cost.is_wide(stationary.dtype)
        columns = moving.free // (2 if double else 1)
        key = (stationary.storage, stationary.offset, stationary.start_partition, stationary.shape)
        loads = self._machine.stationary != key
        self._machine.stationary = key
        if is_transpose:
            cycles = cost.transpose(columns, wide, self._machine.target)
        else:
            onezero = is_stationary_onezero or is_moving_onezero
            cycles = cost.matmul(columns, wide, onezero, stationary.free // (2 if double else 1), loads)
        reads = [stationary, moving] + ([dst] if adds.any() else [])
        self._machine.execute("nc_matmul", "tensor", cycles, reads, [dst])

    def _double_row(self, subject: str, mode: Any, stationary: NkiTensor, moving: NkiTensor) -> bool:
        require(isinstance(mode, matmul_perf_mode), 46, subject, f"perf_mode={mode!r}")
        if mode is matmul_perf_mode.none:
            return False
        require(self._generation >= 3, 25, subject, f"double_row on {self._machine.target.name}")
        for tile in (stationary, moving):
            fits = tile.dtype.name in _FLOAT8 and tile.ndim == 3 and tile.shape[1] == 2
            require(fits, 25, subject, f"double_row with {tile}")
        return True

    def _operand_types(self, subject: str, stationary: NkiTensor, moving: NkiTensor) -> None:
        names = [tile.dtype.name for tile in (stationary, moving)]
        for found in names:
            require(found in _NARROW + _WIDE, 21, subject, found)
        require((names[0] in _WIDE) == (names[1] in _WIDE), 22, subject, " with ".join(names))
        require(set(names) != {"float8_e4m3", "float8_e4m3fn"}, 22, subject, " with ".join(names))

    def _sizes(self, subject: str, dst: NkiTensor, stationary: NkiTensor, moving: NkiTensor, double: bool) -> None:
        rows = (stationary.shape[0], moving.shape[0])
        require(rows[0] == rows[1] <= _MOST_ROWS, 17, subject, f"{rows[0]} and {rows[1]} rows")
        pairs = 2 if double else 1
        m, n = stationary.free // pairs, moving.free // pairs
        require(m <= _MOST_STATIONARY, 18, subject, f"{m} columns")
        limits = self._machine.target.moving_limit
        require(n <= limits.get(dst.dtype.name, 512), 19, subject, f"{n} columns into {dst.dtype.name}")
        require((dst.shape[0], dst.free) == (m, n), 5, subject, f"a product of {m} x {n} into {dst}")

    def _array_tile(self, subject: str, stationary: NkiTensor, position: Any, size: Any) -> None:
        require(bool(position) == bool(size), 26, subject, f"tile_position={position}, tile_size={size}")
        if not size:
            return
        smallest = 32 if self._generation >= 3 else 64
        rows, columns = size
        start_row, start_column = position
        found = f"tile_position={position}, tile_size={size}"
        require(rows in (32, 64, 128) and rows >= smallest and columns == 128, 26, subject, found)
        require(start_row % rows == 0 and 0 <= start_row < 128 and start_column == 0, 26, subject, found)
        require(stationary.shape[0] <= rows, 26, subject, f"{stationary.shape[0]} rows in {found}")

    def _result(self, subject: str, dst: NkiTensor, is_transpose: bool, stationary: NkiTensor) -> None:
        checks.writable(subject, dst)
        legal = {"float32"} | ({"bfloat16"} if self._generation >= 4 else set())
        if is_transpose and self._generation >= 3:
            legal = {stationary.dtype.name}
        require(dst.dtype.name in legal, 23, subject, dst.dtype.name)
        if self._generation < 4:
            first, last = bank(dst)
            require(first == last, 20, subject, f"{dst} reaches from bank {first} to {last} of its tensor")

    def _accumulation(self, subject: str, dst: NkiTensor, accumulate: Any) -> np.ndarray:
        """Where the product is added to what is there. Refuses to add to what no matmul wrote."""
        state = dst.state[..., 0].reshape(dst.shape[0], -1)
        require(accumulate in (None, True, False), 46, subject, f"accumulate={accumulate!r}")
        if accumulate is False:
            return np.zeros((1, 1), dtype=bool)
        if accumulate:
            require(bool((state == MATMUL).all()), 24, subject, f"accumulate=True into {dst}, not written by a matmul")
            return np.ones((1, 1), dtype=bool)
        require(
            not (state == WRITTEN).any(), 24, subject, f"accumulate=None into {dst}, written by another instruction"
        )
        return state != UNWRITTEN

    @instruction
    def nc_transpose(self, dst, data, engine=Engine.unknown, name=None):
        subject = name or "nc_transpose"
        checks.tensor(subject, data)
        require(checks.tensor(subject, dst).dtype == data.dtype, 27, subject, f"{data} to {dst}")
        fits_vector = data.shape[0] <= 32 and data.free <= 32
        fits_tensor = data.shape[0] <= 128 and data.free <= 128 and data.buffer == "sbuf" and dst.buffer == "psum"
        able = {"vector": fits_vector, "tensor": fits_tensor}
        if engine is Engine.unknown:
            chosen = "vector" if fits_vector else "tensor"
        else:
            chosen = self._choose(subject, engine, able)
        require(able[chosen], 28, subject, f"{data} to {dst} on the {chosen} engine")
        checks.on_engine(subject, data, chosen)
        checks.writable(subject, checks.on_engine(subject, dst, chosen))
        require((dst.shape[0], dst.free) == (data.free, data.shape[0]), 5, subject, f"{data} to {dst}")
        if chosen == "tensor" and self._generation < 4:
            first, last = bank(dst)
            require(first == last, 20, subject, f"{dst} reaches from bank {first} to {last} of its tensor")
        checks.written(subject, data)
        self._store_bits(dst, lambda: data.bits.reshape(data.shape[0], -1).T)
        if chosen == "tensor":
            self._machine.stationary = None
            cycles = cost.transpose(data.shape[0], cost.is_wide(data.dtype), self._machine.target)
            self._machine.execute("nc_transpose", "tensor", cycles, [data], [dst])
        else:
            self._machine.execute("nc_transpose", "vector", cost.vector(data.free, 1, 1.0), [data], [dst], data.free)


def _contracted(operand: NkiTensor, double: bool) -> np.ndarray:
    """The operand as (contraction, columns): float32, tfloat32 rounded; a double row stacks its pair."""
    values = operand.values()
    if double:
        values = values.transpose(1, 0, 2).reshape(2 * operand.shape[0], -1)
    return values.reshape(values.shape[0], -1).astype(np.float32)
