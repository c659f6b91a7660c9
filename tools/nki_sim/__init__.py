"""A simulator of NeuronCores for NKI kernels: it computes what the text says and refuses what the hardware refuses.

result = nki_sim.run(text, [nki_sim.Array.of(x, "bfloat16"), w], target="trn2")
result[0]         # the first output's values
result.busy_ns    # how long each engine was busy, estimated
"""

from .cost import CONSTANTS
from .dtypes import DTYPES
from .kernel import Array, Result, run
from .rules import RULES, Refused
from .target import TARGETS

__all__ = ["Array", "CONSTANTS", "DTYPES", "RULES", "Refused", "Result", "TARGETS", "run"]
