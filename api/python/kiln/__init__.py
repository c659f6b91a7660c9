"""Kiln for Python: serialized tile kernels to running machine code.

    import kiln, numpy as np

    runtime = kiln.Runtime()                                   # options from the environment
    norm = runtime.load_text(open("rmsnorm.kiln").read()).find("rmsnorm")
    x, w = np.ones((512, 4096), np.float32), np.ones(4096, np.float32)
    y = np.empty_like(x)
    norm(x, w, y, 1e-6)                                        # any DLPack tensor; numbers for scalars

A thin package over the C ABI of libkiln.so: nothing is computed, copied or allocated here. Tensors are borrowed for the
call; a CUDA stream is the caller's, given as an integer or as an object with a `cuda_stream`.
"""

from kiln._library import Error, version
from kiln._runtime import Executable, Future, Module, Op, Runtime, decode, encode

__all__ = ["Error", "Executable", "Future", "Module", "Op", "Runtime", "decode", "encode", "version"]
__version__ = version()
