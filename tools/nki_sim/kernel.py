"""Kernel text to results: the one entry for tests, tools and `kiln run`."""

from __future__ import annotations

import builtins
import inspect
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from .dtypes import DTYPES, DType, decode, encode
from .machine import Executed, Machine
from .memory import WRITTEN
from .modules import Jit, modules
from .rules import Refused, require
from .target import TARGETS
from .tensor import NkiTensor

_NUMPY_DTYPES = {
    np.dtype(dtype.bits): dtype
    for name, dtype in DTYPES.items()
    if name not in ("bfloat16", "tfloat32", "bool_") and "float8" not in name
}


@dataclass(frozen=True)
class Array:
    """A tensor on the host: bits, and the dtype that says what they mean."""

    bits: np.ndarray
    dtype: DType

    @staticmethod
    def of(values: Any, dtype: str | None = None) -> Array:
        """`values` cast to the dtype of that name, or kept as they are where numpy has the type."""
        values = np.asarray(values)
        if dtype is not None:
            return Array(encode(values, DTYPES[dtype]), DTYPES[dtype])
        require(values.dtype in _NUMPY_DTYPES, 42, "argument", f"numpy's {values.dtype}")
        return Array(values, _NUMPY_DTYPES[values.dtype])

    def values(self) -> np.ndarray:
        return decode(self.bits, self.dtype)


@dataclass(frozen=True)
class Result:
    outputs: list[Array]
    log: list[Executed]
    busy_ns: dict[str, float]
    sbuf_peak: int  # bytes a partition
    psum_peak: int

    def __getitem__(self, at: int) -> np.ndarray:
        return self.outputs[at].values()

    def count(self, name: str) -> int:
        return sum(executed.name == name for executed in self.log)

    @property
    def hbm_bytes(self) -> int:
        return sum(executed.hbm_bytes for executed in self.log)


def run(
    text: str, arguments: Sequence[Any] | Mapping[str, Any], target: str = "trn2", kernel: str = "", values: bool = True
) -> Result:
    """Runs one kernel of `text` (the only one, when it is not named). Raises Refused."""
    machine = Machine(TARGETS[target], values)
    function = _find(_execute(text, machine), kernel)
    tensors = _bind(function, arguments, machine)
    returned = function(**tensors)
    outputs = list(returned) if isinstance(returned, tuple) else [returned]
    for number, output in enumerate(outputs):
        legal = isinstance(output, NkiTensor) and output.buffer == "shared_hbm"
        require(legal, 14, function.name, f"output {number} is {output}")
        require(output.written(), 14, function.name, f"output {number}, {output}, has elements that were never written")
    machine.memory.check()
    arrays = [Array(np.ascontiguousarray(output.bits), output.dtype) for output in outputs]
    peaks = [machine.memory.peak(region)[0] for region in ("sbuf", "psum")]
    return Result(arrays, machine.log, machine.busy_ns, *peaks)


def _execute(text: str, machine: Machine) -> dict[str, Any]:
    available = modules(machine)

    def imported(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        require(name in available and level == 0, 47, "import", name)
        return available[name] if fromlist else available["nki"]

    scope: dict[str, Any] = {"__name__": "kernel", "__builtins__": {**vars(builtins), "__import__": imported}}
    exec(compile(text, "kernel", "exec"), scope)
    return scope


def _find(scope: dict[str, Any], name: str) -> Jit:
    kernels = {held.name: held for held in scope.values() if isinstance(held, Jit)}
    if name:
        require(name in kernels, 47, name, f"the text has {', '.join(kernels) or 'no kernels'}")
        return kernels[name]
    require(len(kernels) == 1, 47, "kernel", f"expected one, found {', '.join(kernels) or 'none'}")
    return next(iter(kernels.values()))


def _bind(function: Jit, arguments: Sequence[Any] | Mapping[str, Any], machine: Machine) -> dict[str, NkiTensor]:
    parameters = list(inspect.signature(function.function).parameters)
    named = dict(arguments) if isinstance(arguments, Mapping) else dict(zip(parameters, arguments))
    complete = len(named) == len(arguments) and set(named) == set(parameters)
    require(complete, 46, function.name, f"arguments {', '.join(named)} for parameters {', '.join(parameters)}")
    return {name: _input(name, named[name], machine) for name in parameters}


def _input(name: str, value: Any, machine: Machine) -> NkiTensor:
    array = value if isinstance(value, Array) else Array.of(value)
    if array.dtype.generation > machine.target.generation:
        raise Refused(42, name, f"{array.dtype.name} on {machine.target.name}")
    storage = machine.memory.allocate("private_hbm", array.bits.shape, array.dtype.size, name, None)
    tensor = NkiTensor.over(storage, array.bits.shape, array.dtype, name)
    tensor.store_bits(array.bits, WRITTEN)
    return tensor
