"""The base of the classes that hold nki.isa's functions, one class an engine, and how a call reaches them."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Iterable

import numpy as np

from . import cost, dtypes
from .enums import engine as Engine
from .machine import Machine
from .memory import WRITTEN
from .rules import Refused, require
from .target import PSUM_BANK_BYTES
from .tensor import NkiTensor


def instruction(method: Callable[..., None]) -> Callable[..., None]:
    """Refuses calls whose arguments are not the documented ones, before the method sees them."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> None:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise Refused(46, method.__name__, str(error)) from None
        method(*args, **kwargs)

    return call


class Instructions:
    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def _generation(self) -> int:
        return self._machine.target.generation

    def _choose(self, subject: str, asked: Any, engines: Iterable[str]) -> str:
        """The engine that was asked for, or the least busy of those that could."""
        able = tuple(engines)
        require(isinstance(asked, Engine), 33, subject, f"engine={asked!r}")
        if asked is Engine.unknown:
            require(len(able) > 0, 33, subject, "no engine takes these operands")
            return self._machine.least_busy(able)
        require(asked.name in able, 33, subject, f"engine {asked.name}, expected {' or '.join(able)}")
        return asked.name

    def _needs(self, subject: str, generation: int) -> None:
        require(self._generation >= generation, 45, subject, f"target {self._machine.target.name}")

    def _store(self, dst: NkiTensor, values: Callable[[], np.ndarray], mark: int = WRITTEN) -> None:
        """Writes what `values` computes, unless the run is for its cost alone."""
        if self._machine.values:
            dst.store(values(), mark)
        else:
            dst.state[...] = mark

    def _store_bits(self, dst: NkiTensor, bits: Callable[[], np.ndarray]) -> None:
        if self._machine.values:
            dst.store_bits(bits(), WRITTEN)
        else:
            dst.state[...] = WRITTEN


def fast_factor(tiles: list[NkiTensor], generation: int) -> float:
    """The Vector Engine's performance mode for copies and tensor_scalar, of which the operands are `tiles`."""
    if generation < 3 or any(tile.dtype not in (dtypes.bfloat16, dtypes.float16) for tile in tiles):
        return 1.0
    packed = all(tile.ndim < 2 or tile.shape[-1] == 1 or tile.bits.strides[-1] == tile.dtype.size for tile in tiles)
    in_psum = sum(tile.buffer == "psum" for tile in tiles)
    if in_psum == 0:
        return cost.value("vector_fast" if packed else "vector_faster")
    return cost.value("vector_faster") if packed and in_psum == 1 else 1.0


def bank(tile: NkiTensor) -> tuple[int, int]:
    """First and last bank of PSUM that a tile reaches, from its tensor's start or, at a fixed address, from 0."""
    address = tile.storage.tile.address if tile.storage.tile is not None else None
    start = tile.offset + (address[1] if address else 0)
    return start // PSUM_BANK_BYTES, (start + tile.span - 1) // PSUM_BANK_BYTES
