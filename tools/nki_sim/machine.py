"""One run of one kernel on one core: memory, the executed instructions, and how busy each engine has been."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable

from . import cost
from .memory import Memory
from .target import Target
from .tensor import NkiTensor

ENGINES = ("tensor", "vector", "scalar", "gpsimd", "dma")


@dataclass(frozen=True)
class Executed:
    name: str
    engine: str
    ns: float
    bytes: int = 0  # moved by DMA
    hbm_bytes: int = 0  # of those, read from or written to HBM


@dataclass
class Machine:
    """`values` False executes shapes and checks alone: a cost estimate of kernels that are too large to compute."""

    target: Target
    values: bool = True
    memory: Memory = field(init=False)
    log: list[Executed] = field(default_factory=list)
    busy_ns: dict[str, float] = field(default_factory=lambda: {engine: 0.0 for engine in ENGINES})
    # The tile each engine wrote last, and the stationary operand that the Tensor Engine holds.
    wrote: dict[str, object] = field(default_factory=dict)
    stationary: tuple | None = None
    # Registers that sums accumulate in: None until reset. One per engine that has them.
    sums: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.memory = Memory(self.target)

    def least_busy(self, engines: Iterable[str]) -> str:
        return min(engines, key=lambda engine: self.busy_ns[engine])

    def touch(self, tensors: Iterable[NkiTensor]) -> None:
        """Notes that the next instruction to be executed accesses these."""
        at = len(self.log)
        for tensor in tensors:
            tile = tensor.storage.tile
            if tile is not None:
                tile.first = at if tile.first < 0 else tile.first
                tile.last = at

    def execute(
        self,
        name: str,
        engine: str,
        cycles: float,
        reads: list[NkiTensor],
        writes: list[NkiTensor],
        elements: int = 1 << 16,
    ) -> None:
        """An instruction of a compute engine. Short and dependent ones are not hidden by pipelining."""
        last = self.wrote.get(engine)
        depends = last is not None and any(tensor.storage is last for tensor in reads)
        if engine in ("vector", "scalar", "gpsimd") and (depends or elements < cost.value("short_below")):
            cycles += cost.value("short")
        self._finish(Executed(name, engine, cycles / self.target.clock_ghz[engine]), reads, writes)

    def transfer(
        self, name: str, ns: float, moved: int, hbm: int, reads: list[NkiTensor], writes: list[NkiTensor]
    ) -> None:
        self._finish(Executed(name, "dma", ns, moved, hbm), reads, writes)

    def _finish(self, executed: Executed, reads: list[NkiTensor], writes: list[NkiTensor]) -> None:
        self.touch([*reads, *writes])
        self.log.append(executed)
        self.busy_ns[executed.engine] += executed.ns
        if writes:
            self.wrote[executed.engine] = writes[0].storage
