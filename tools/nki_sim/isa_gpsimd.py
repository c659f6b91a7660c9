"""The GpSimd Engine: affine patterns."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks, cost
from .instruction import Instructions, instruction
from .operators import ARITHMETIC, TOKENS
from .rules import require
from .tensor import NkiTensor

_COMPARISONS = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")


class GpSimdEngine(Instructions):
    @instruction
    def iota(self, dst, pattern, offset=0, channel_multiplier=0, name=None):
        subject = name or "iota"
        _in_sbuf(subject, dst)
        checks.writable(subject, checks.on_engine(subject, dst, "gpsimd"))
        values = _affine(subject, dst, pattern, offset, channel_multiplier)
        self._store(dst, lambda: values)
        self._machine.execute("iota", "gpsimd", dst.free * cost.value("gpsimd_one"), [], [dst], dst.free)

    @instruction
    def affine_select(
        self, dst, pattern, channel_multiplier, on_true_tile, on_false_value, cmp_op=TOKENS["equal"], offset=0,
        name=None,
    ):  # fmt: skip
        subject = name or "affine_select"
        for tile in (dst, on_true_tile):
            _in_sbuf(subject, tile)
            checks.on_engine(subject, tile, "gpsimd")
        checks.writable(subject, dst)
        checks.agree(subject, dst, on_true_tile)
        checks.written(subject, on_true_tile)
        checks.token(subject, "cmp_op", cmp_op, _COMPARISONS)
        require(checks.is_number(on_false_value), 32, subject, f"on_false_value={on_false_value!r}")
        affine = _affine(subject, dst, pattern, offset, channel_multiplier)

        def result() -> np.ndarray:
            chosen = ARITHMETIC[cmp_op.name](affine, 0)
            return np.where(chosen, checks.rows(on_true_tile), np.float32(on_false_value))

        self._store(dst, result)
        cycles = dst.free * cost.value("gpsimd_one")
        self._machine.execute("affine_select", "gpsimd", cycles, [on_true_tile], [dst], dst.free)


def _in_sbuf(subject: str, tile: Any) -> None:
    require(checks.tensor(subject, tile).buffer == "sbuf", 44, subject, str(tile))


def _affine(subject: str, dst: NkiTensor, pattern: Any, offset: Any, channel_multiplier: Any) -> np.ndarray:
    """offset + partition * channel_multiplier + the steps of `pattern`, as (partitions, elements), in 32 bits."""
    pairs = [list(pair) for pair in pattern]
    whole = all(len(pair) == 2 and all(isinstance(number, (int, np.integer)) for number in pair) for pair in pairs)
    whole = whole and all(isinstance(number, (int, np.integer)) for number in (offset, channel_multiplier))
    require(1 <= len(pairs) <= 4 and whole, 44, subject, f"pattern {pattern}, offset {offset}, {channel_multiplier}")
    count = int(np.prod([pair[1] for pair in pairs]))
    require(count == dst.free, 44, subject, f"{count} elements for {dst}")
    values = np.full((1,), int(offset), dtype=np.int64)
    for step, number in pairs:
        values = (values[:, None] + np.arange(number, dtype=np.int64) * step).reshape(-1)
    channels = np.arange(dst.shape[0], dtype=np.int64) * int(channel_multiplier)
    return (channels[:, None] + values).astype(np.int32).astype(np.int64)
