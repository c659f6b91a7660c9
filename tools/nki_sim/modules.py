"""What a kernel imports: nki, nki.isa and nki.language, made for one machine."""

from __future__ import annotations

import types
from typing import Any, Callable

import numpy as np

from . import enums
from .dtypes import DTYPES, DType
from .instruction import Instructions
from .isa_dma import DmaEngine
from .isa_gpsimd import GpSimdEngine
from .isa_scalar import ScalarEngine
from .isa_tensor import TensorEngine
from .isa_vector import VectorEngine
from .machine import Machine
from .operators import TOKENS
from .rules import Refused, require
from .target import PARTITIONS
from .tensor import NkiTensor

ENGINE_CLASSES: tuple[type[Instructions], ...] = (TensorEngine, VectorEngine, ScalarEngine, GpSimdEngine, DmaEngine)
_REGIONS = {
    "sbuf": "sbuf",
    "psum": "psum",
    "hbm": "private_hbm",
    "private_hbm": "private_hbm",
    "shared_hbm": "shared_hbm",
}


class Module(types.SimpleNamespace):
    """A module of the simulator: a name that it lacks is no part of the subset."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Refused(45, f"{self.module_name}.{name}", "not an instruction or name of the simulated subset")


class Register:
    """A loop index at run time: usable as a scalar_offset alone."""

    def __init__(self, value: int) -> None:
        self.value = value


class Jit:
    """A kernel as decorated; it runs through kernel.Kernel.run."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__

    def __getitem__(self, grid: Any) -> Any:
        raise Refused(47, self.name, f"a launch on {grid} cores")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def isa(machine: Machine) -> Module:
    names: dict[str, Any] = {}
    for engine_class in ENGINE_CLASSES:
        held = engine_class(machine)
        names.update({name: getattr(held, name) for name in vars(engine_class) if not name.startswith("_")})
    for name in ("engine", "reduce_cmd", "dge_mode", "oob_mode", "matmul_perf_mode", "nc_version"):
        names[name] = getattr(enums, name)
    names["get_nc_version"] = lambda: enums.nc_version(machine.target.generation)
    return Module(module_name="nisa", **names)


def language(machine: Machine) -> Module:
    def ndarray(shape: Any, dtype: Any, buffer: str = "sbuf", name: str = "", address: Any = None) -> NkiTensor:
        subject = f"ndarray {name}".strip()
        require(isinstance(dtype, DType), 42, subject, f"dtype={dtype!r}")
        available = dtype.generation <= machine.target.generation
        require(available, 42, subject, f"{dtype.name} on {machine.target.name}")
        whole = isinstance(shape, tuple) and all(
            isinstance(extent, (int, np.integer)) and extent >= 1 for extent in shape
        )
        require(whole and len(shape) >= 1, 46, subject, f"shape={shape!r}")
        require(buffer in _REGIONS.values(), 46, subject, f"buffer={buffer!r}")
        require(buffer not in ("sbuf", "psum") or len(shape) >= 2, 1, subject, f"{shape} without a free dimension")
        storage = machine.memory.allocate(buffer, shape, dtype.size, name, address)
        return NkiTensor.over(storage, shape, dtype, name)

    def fori_loop(lower: int, upper: int, body_fun: Callable[[Register], Any], step: int = 1) -> None:
        for at in range(lower, upper, step):
            body_fun(Register(at))

    tile_size = Module(
        module_name="nl.tile_size", pmax=PARTITIONS, psum_fmax=512, gemm_stationary_fmax=128,
        gemm_moving_fmax=machine.target.moving_limit["float32"], total_available_sbuf_size=machine.target.sbuf_bytes,
    )  # fmt: skip
    return Module(
        module_name="nl", ndarray=ndarray, fori_loop=fori_loop, affine_range=range, sequential_range=range,
        static_range=range, tile_size=tile_size, NkiTensor=NkiTensor, **DTYPES, **TOKENS, **_REGIONS,
    )  # fmt: skip


def modules(machine: Machine) -> dict[str, Module]:
    held_isa, held_language = isa(machine), language(machine)
    top = Module(module_name="nki", jit=Jit, isa=held_isa, language=held_language)
    return {"nki": top, "nki.isa": held_isa, "nki.language": held_language}
