"""DMA: copies and transposes between HBM and SBUF."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks, cost
from .enums import dge_mode as DgeMode
from .enums import engine as Engine
from .enums import oob_mode as OobMode
from .instruction import Instructions, instruction
from .rules import require
from .tensor import Gathered, NkiTensor

_AXES = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


class DmaEngine(Instructions):
    @instruction
    def dma_copy(
        self, dst, src, priority=None, oob_mode=OobMode.error, dge_mode=DgeMode.unknown, engine=Engine.unknown,
        name=None,
    ):  # fmt: skip
        subject = name or "dma_copy"
        self._reachable(subject, dst, src)
        self._descriptors(subject, priority, dge_mode, dst, src)
        on_queue = engine in (Engine.sync, Engine.scalar) and dge_mode is DgeMode.hwdge
        require(engine is Engine.unknown or on_queue, 33, subject, f"engine={engine!r} with {dge_mode}")
        require(oob_mode in (OobMode.error, OobMode.skip), 46, subject, f"oob_mode={oob_mode!r}")
        require(dst.size == src.size, 5, subject, f"{src} to {dst}")
        checks.written(subject, src)
        if dst.dtype == src.dtype:
            self._store_bits(dst, lambda: src.bits.copy())
        else:
            self._store(dst, lambda: src.values().astype(np.float32))
        run = min(_run(src), _run(dst))
        self._transfer("dma_copy", dst, src, run, 1.0)

    @instruction
    def dma_transpose(
        self, dst, src, axes=None, priority=None, dge_mode=DgeMode.unknown, oob_mode=OobMode.error, name=None
    ):  # fmt: skip
        subject = name or "dma_transpose"
        self._needs(subject, 3)
        self._reachable(subject, dst, src)
        self._descriptors(subject, priority, dge_mode, dst, src)
        require(oob_mode in (OobMode.error, OobMode.skip), 46, subject, f"oob_mode={oob_mode!r}")
        require(dst.dtype == src.dtype, 27, subject, f"{src} to {dst}")
        expected = _AXES.get(src.ndim)
        found = f"{src} to {dst}, axes {axes}"
        require(src.dtype.size == 2 and dst.buffer == "sbuf" and expected is not None, 29, subject, found)
        require(axes is None or tuple(axes) == expected, 29, subject, found)
        require(src.shape[-1] <= 128, 29, subject, found)
        require(dst.shape == tuple(src.shape[axis] for axis in expected or ()), 29, subject, found)
        checks.written(subject, src)
        self._store_bits(dst, lambda: src.bits.transpose(expected).copy())
        rate = cost.value("dma_transpose_sbuf" if src.buffer == "sbuf" else "dma_transpose_hbm")
        self._transfer("dma_transpose", dst, src, _run(dst), rate)

    def _reachable(self, subject: str, dst: Any, src: Any) -> None:
        for tensor in (dst, src):
            require(checks.tensor(subject, tensor).buffer != "psum", 11, subject, str(tensor))
            require(tensor.ndim <= 5, 3, subject, str(tensor))
        checks.writable(subject, dst)

    def _descriptors(self, subject: str, priority: Any, mode: Any, dst: NkiTensor, src: NkiTensor) -> None:
        require(isinstance(mode, DgeMode), 43, subject, f"dge_mode={mode!r}")
        if mode is DgeMode.hwdge:
            require(self._generation >= 3, 43, subject, f"hwdge on {self._machine.target.name}")
            require(dst.dtype == src.dtype and not isinstance(src, Gathered), 43, subject, f"hwdge of {src} to {dst}")
        if priority is not None:
            legal = self._generation >= 4 and priority in (0, 1, 2, 3) and mode is not DgeMode.none
            require(legal, 43, subject, f"priority={priority!r} on {self._machine.target.name}")

    def _transfer(self, name: str, dst: NkiTensor, src: NkiTensor, run: int, rate: float) -> None:
        moved = max(dst.size * dst.dtype.size, src.size * src.dtype.size)
        hbm = sum(tensor.size * tensor.dtype.size for tensor in (dst, src) if not tensor.on_chip)
        ns = cost.dma(self._machine.target, moved, run, hbm > 0, rate)
        self._machine.transfer(name, ns, moved, hbm, [src], [dst])


def _run(tensor: NkiTensor) -> int:
    """Bytes that lie contiguous, at least one element; in one partition, on chip."""
    expected = 1
    dims = list(zip(tensor.shape, tensor.strides))[1 if tensor.on_chip else 0 :]
    for extent, stride in reversed(dims):
        if extent != 1 and stride != expected:
            break
        expected *= extent
    return expected * tensor.dtype.size
