"""What every instruction asks of its operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from .operators import Token
from .rules import Refused, require
from .target import PARTITIONS
from .tensor import NkiTensor

_MOST_FREE = {"sbuf": 65536, "psum": 4096}


def tensor(subject: str, value: Any) -> NkiTensor:
    if not isinstance(value, NkiTensor):
        raise Refused(46, subject, f"expected a tensor, found {type(value).__name__}")
    return value


def on_engine(subject: str, value: Any, engine: str) -> NkiTensor:
    """`value` as an operand of a compute engine: where it lies and how it is accessed."""
    tile = tensor(subject, value)
    require(tile.on_chip, 15, subject, str(tile))
    require(engine != "gpsimd" or tile.buffer != "psum", 12, subject, str(tile))
    partitions(subject, tile)
    require(tile.free <= _MOST_FREE[tile.buffer], 4, subject, f"{tile.free} elements a partition of {tile}")
    _pattern(subject, tile)
    return tile


def partitions(subject: str, tile: NkiTensor) -> None:
    count, start = tile.shape[0], tile.start_partition
    require(count <= PARTITIONS, 1, subject, str(tile))
    legal = start == 0 if count > 64 else start % 64 == 0 if count > 32 else start % 32 == 0
    require(legal, 2, subject, f"{count} partitions from {start} on")


def _pattern(subject: str, tile: NkiTensor) -> None:
    require(tile.ndim <= 5, 3, subject, f"{tile.ndim} dimensions of {tile}")
    pitch = tile.storage.bytes.shape[1]
    contiguous = tile.shape[0] == 1 or tile.bits.strides[0] == pitch
    require(contiguous, 3, subject, f"a stride over the partitions of {tile}")
    for extent, stride in zip(tile.shape[1:], tile.strides[1:]):
        fits = extent == 1 or (extent < 65536 and -32768 <= stride < 32768)
        require(fits or _merges(tile), 3, subject, f"{extent} elements at stride {stride} of {tile}")


def _merges(tile: NkiTensor) -> bool:
    """Whether the free dimensions are one contiguous run, which the hardware sees as such."""
    expected = 1
    for extent, stride in zip(reversed(tile.shape[1:]), reversed(tile.strides[1:])):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return tile.free <= 65536


def written(subject: str, *tiles: NkiTensor) -> None:
    for tile in tiles:
        require(tile.written(), 8, subject, str(tile))


def writable(subject: str, tile: NkiTensor) -> NkiTensor:
    require(tile.bits.flags.writeable, 7, subject, f"a write to a broadcast or gathered view of {tile}")
    return tile


def agree(subject: str, *tiles: NkiTensor) -> None:
    first = tiles[0]
    for tile in tiles[1:]:
        same = tile.shape[0] == first.shape[0] and tile.free == first.free
        require(same, 5, subject, f"{first} and {tile}")


def column(subject: str, what: str, value: Any, data: NkiTensor, engine: str, rule: int = 32) -> NkiTensor:
    """A tile of one element a partition of `data`."""
    tile = on_engine(subject, value, engine)
    require(tile.shape[0] == data.shape[0] and tile.free == 1, rule, subject, f"{what} {tile} for {data}")
    return tile


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def scalar(subject: str, what: str, value: Any, data: NkiTensor, engine: str) -> NkiTensor | float:
    """A number, or a float32 tile (P, 1), that an instruction spreads over a row."""
    if is_number(value):
        return float(value)
    require(isinstance(value, NkiTensor), 32, subject, f"{what} of type {type(value).__name__}")
    tile = column(subject, what, value, data, engine)
    require(tile.dtype == dtypes.float32, 32, subject, f"{what} {tile}")
    written(subject, tile)
    return tile


def token(subject: str, what: str, value: Any, names: Any) -> Token:
    """An operator that is one of `names`."""
    known = isinstance(value, Token) and value.name in names
    require(known, 40, subject, f"{what}={value!r}")
    return value


def rows(tile: NkiTensor) -> np.ndarray:
    """The values of a tile as (partitions, elements a partition)."""
    return tile.values().reshape(tile.shape[0], -1)


def spread(value: NkiTensor | float) -> np.ndarray:
    """A scalar operand, to be broadcast against `rows`."""
    return rows(value) if isinstance(value, NkiTensor) else np.float32(value)
