"""Arrays that kernels read and write: numpy's in the host's memory, torch's in a GPU's."""

import sys

import numpy as np


class TargetError(Exception):
    """What the target needs is not here."""


class HostArrays:
    """numpy, for the CPU. It knows no bf16."""

    dtypes = ("f32", "f16")
    stream = None

    def __init__(self, dtype):
        self._dtype = {"f32": np.float32, "f16": np.float16}[dtype]

    def weight(self, array):
        # Copied, so that the address is one that wide loads may use; a mapped file's need not be.
        return np.array(array, dtype=self._dtype)

    def integers(self, array):
        return np.ascontiguousarray(array, dtype=np.int32)

    def empty(self, *shape):
        return np.empty(shape, dtype=self._dtype)

    def empty_f32(self, *shape):
        return np.empty(shape, dtype=np.float32)

    def to_numpy(self, array):
        return array


class CudaArrays:
    """torch, for an NVIDIA GPU. Kernels run in torch's current stream."""

    dtypes = ("f16", "bf16", "f32")

    def __init__(self, dtype):
        try:
            import torch  # Only where there is a GPU.
        except ImportError as error:
            raise TargetError(f"target cuda: its arrays are torch's, which {sys.executable} does not have") from error
        if not torch.cuda.is_available():
            raise TargetError("target cuda: torch finds no GPU here")
        self._torch = torch
        self._dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
        self.stream = torch.cuda.current_stream().cuda_stream

    def weight(self, array):
        return self._torch.from_numpy(np.array(array)).to("cuda", self._dtype)

    def integers(self, array):
        return self._torch.from_numpy(np.ascontiguousarray(array, dtype=np.int32)).to("cuda")

    def empty(self, *shape):
        return self._torch.empty(shape, dtype=self._dtype, device="cuda")

    def empty_f32(self, *shape):
        return self._torch.empty(shape, dtype=self._torch.float32, device="cuda")

    def to_numpy(self, array):
        return array.cpu().numpy()


TARGETS = {"cpu": HostArrays, "cuda": CudaArrays}
