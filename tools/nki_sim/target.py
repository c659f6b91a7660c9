"""What the generations of NeuronCores differ in, one table. docs/neuron.md says where each number is from."""

from __future__ import annotations

from dataclasses import dataclass

PARTITIONS = 128
PSUM_BANKS = 8
PSUM_BANK_BYTES = 2048  # a partition
PSUM_BYTES = PSUM_BANKS * PSUM_BANK_BYTES


@dataclass(frozen=True)
class Target:
    name: str
    generation: int
    sbuf_bytes: int  # a partition, usable by a kernel
    clock_ghz: dict[str, float]  # by engine
    hbm_gb_s: float  # one core's share
    dma_gb_s: float  # of one of its 16 engines, sustained

    @property
    def moving_limit(self) -> dict[str, int]:
        """Most columns of a moving operand, by the dtype of the result."""
        return {"float32": 4096, "bfloat16": 8192} if self.generation >= 4 else {"float32": 512}


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("trn1", 2, 180224, {"tensor": 2.8, "vector": 1.12, "scalar": 1.4, "gpsimd": 1.4}, 820 / 2, 17),
        Target("trn2", 3, 212984, {"tensor": 2.4, "vector": 0.96, "scalar": 1.2, "gpsimd": 1.2}, 2900 / 8, 23),
        Target("trn3", 4, 245752, {"tensor": 2.4, "vector": 1.2, "scalar": 1.2, "gpsimd": 1.2}, 4700 / 8, 33),
    )
}
