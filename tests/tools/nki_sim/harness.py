"""Small kernels as text, and what is expected of them."""

import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import nki_sim

HEAD = """
import nki
import nki.isa as nisa
import nki.language as nl

def tile(shape, dtype=nl.float32, value=1, buffer=nl.sbuf, address=None):
    made = nl.ndarray(shape, dtype=dtype, buffer=buffer, address=address)
    nisa.memset(dst=made, value=value)
    return made

def psum(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.psum)

def product(shape, dtype=nl.float32, rows=128):
    made = psum(shape, dtype)
    ones = tile((rows, shape[0]), dtype=nl.bfloat16)
    nisa.nc_matmul(dst=made, stationary=ones, moving=tile((rows, shape[1]), dtype=nl.bfloat16))
    return made
"""


def kernel(body, parameters="x"):
    """A kernel named k of these lines."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f"{HEAD}\n@nki.jit\ndef k({parameters}):\n{lines}"


def probe(body):
    """A kernel that runs `body`, then returns x[0:1, 0:1]."""
    end = "out = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)\nnisa.dma_copy(dst=out, src=x[0:1, 0:1])"
    return kernel(f"{body.strip()}\n{end}\nreturn out")


X = np.arange(256 * 1024, dtype=np.float32).reshape(256, 1024)


class SimTest(unittest.TestCase):
    def accepts(self, body, target="trn2"):
        return nki_sim.run(probe(body), [X], target)

    def refuses(self, rule, body, target="trn2"):
        with self.assertRaises(nki_sim.Refused, msg=body) as caught:
            nki_sim.run(probe(body), [X], target)
        self.assertEqual(caught.exception.rule, rule, str(caught.exception))
        return str(caught.exception)

    def computes(self, body, *arguments, parameters="x", target="trn2"):
        """The first output of a kernel whose `out` the body makes."""
        return nki_sim.run(kernel(f"{body.strip()}\nreturn out", parameters), list(arguments), target)[0]
