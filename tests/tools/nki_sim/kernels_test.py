"""Whole kernels, written by hand as anyone would, against numpy; what runs and what a run returns."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from harness import HEAD, ROOT, SimTest, kernel, nki_sim
from nki_sim import Array

GEMM_TN = """
c = nl.ndarray(({M}, {N}), dtype=nl.{T}, buffer=nl.shared_hbm)
for i in range(0, {M}, 128):
    m = min(128, {M} - i)
    for j in range(0, {N}, 512):
        n = min(512, {N} - j)
        acc = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.psum)
        for k in range(0, {K}, 128):
            r = min(128, {K} - k)
            at = nl.ndarray((r, m), dtype=nl.{T}, buffer=nl.sbuf)
            bt = nl.ndarray((r, n), dtype=nl.{T}, buffer=nl.sbuf)
            nisa.dma_copy(dst=at, src=a[k:k + r, i:i + m])
            nisa.dma_copy(dst=bt, src=b[k:k + r, j:j + n])
            nisa.nc_matmul(dst=acc, stationary=at, moving=bt, accumulate=k > 0)
        ct = nl.ndarray((m, n), dtype=nl.{T}, buffer=nl.sbuf)
        nisa.tensor_copy(dst=ct, src=acc)
        nisa.dma_copy(dst=c[i:i + m, j:j + n], src=ct)
return c
"""

SOFTMAX = """
rows, columns = x.shape
y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
for i in nl.affine_range((rows + 127) // 128):
    p = min(128, rows - i * 128)
    t = nl.ndarray((p, columns), dtype=nl.float32, buffer=nl.sbuf)
    least = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[i * 128:i * 128 + p, :])
    nisa.tensor_reduce(dst=least, op=nl.maximum, data=t, axis=1, negate=True)
    nisa.activation(dst=t, op=nl.exp, data=t, bias=least, reduce_op=nl.add, reduce_res=total,
                    reduce_cmd=nisa.reduce_cmd.reset_reduce)
    nisa.reciprocal(dst=total, data=total)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=total)
    nisa.dma_copy(dst=y[i * 128:i * 128 + p, :], src=t)
return y
"""

RMSNORM = """
y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
g = nl.ndarray((128, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
nisa.dma_copy(dst=g, src=w.broadcast(0, 128))
for i in range(0, x.shape[0], 128):
    p = min(128, x.shape[0] - i)
    t = nl.ndarray((p, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    q = nl.ndarray((p, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    s = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[i:i + p, :])
    nisa.activation(dst=q, op=nl.square, data=t, reduce_op=nl.add, reduce_res=s,
                    reduce_cmd=nisa.reduce_cmd.reset_reduce)
    nisa.tensor_scalar(dst=s, data=s, op0=nl.multiply, operand0=1.0 / x.shape[1], op1=nl.add, operand1=1e-6)
    nisa.activation(dst=s, op=nl.rsqrt, data=s)
    nisa.scalar_tensor_tensor(dst=t, data=t, op0=nl.multiply, operand0=s, op1=nl.multiply, operand1=g[0:p, :])
    nisa.dma_copy(dst=y[i:i + p, :], src=t)
return y
"""


class Kernels(SimTest):
    def test_gemm_in_float32(self):
        rng = np.random.default_rng(5)
        a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((256, 384), (256, 1024)))
        result = nki_sim.run(kernel(GEMM_TN.format(M=384, N=1024, K=256, T="float32"), "a, b"), {"a": a, "b": b})
        self.assertLess(np.abs(result[0] - a.T @ b).max(), 1e-4)
        self.assertEqual((result.count("nc_matmul"), result.count("dma_copy")), (12, 30))
        self.assertEqual(result.hbm_bytes, 4 * (2 * 256 * 384 + 3 * 256 * 1024 + 384 * 1024))
        self.assertEqual((result.sbuf_peak, result.psum_peak), (512 + 2048, 2048))

    def test_ragged_gemm_in_bfloat16(self):
        rng = np.random.default_rng(6)
        a, b = (Array.of(rng.standard_normal(shape), "bfloat16") for shape in ((130, 200), (130, 700)))
        result = nki_sim.run(kernel(GEMM_TN.format(M=200, N=700, K=130, T="bfloat16"), "a, b"), [a, b])
        exact = a.values().T.astype(np.float64) @ b.values()
        np.testing.assert_allclose(result[0], exact, rtol=2e-2, atol=2e-2)
        self.assertFalse((result[0].view(np.uint32) & np.uint32(0xFFFF)).any())

    def test_softmax(self):
        x = np.random.default_rng(7).standard_normal((300, 700)).astype(np.float32)
        result = nki_sim.run(kernel(SOFTMAX), [x])
        e = np.exp(x - x.max(1, keepdims=True).astype(np.float64))
        self.assertLess(np.abs(result[0] - e / e.sum(1, keepdims=True)).max(), 1e-6)

    def test_rmsnorm(self):
        rng = np.random.default_rng(8)
        x, w = rng.standard_normal((300, 700)).astype(np.float32), rng.standard_normal((1, 700)).astype(np.float32)
        result = nki_sim.run(kernel(RMSNORM, "x, w"), [x, w])
        exact = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-6) * w
        self.assertLess(np.abs(result[0] - exact).max(), 1e-5)

    def test_a_corrupted_kernel_fails_or_differs(self):
        rng = np.random.default_rng(9)
        a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((256, 128), (256, 128)))
        text = kernel(GEMM_TN.format(M=128, N=128, K=256, T="float32"), "a, b")
        exact = a.T @ b
        for old, new in (
            ("stationary=at, moving=bt", "stationary=bt, moving=at"),
            ("accumulate=k > 0", "accumulate=True"),
            ("accumulate=k > 0", "accumulate=False"),
            ("a[k:k + r", "a[k + 1:k + r + 1"),
            ("c[i:i + m", "c[i:i + m - 1"),
        ):
            with self.subTest(new):
                self.assertIn(old, text)
                try:
                    got = nki_sim.run(text.replace(old, new), [a, b])[0]
                except nki_sim.Refused:
                    continue
                self.assertGreater(np.abs(got - exact).max(), 1e-2)


class OutputsTest(SimTest):
    def refuses_output(self, body):
        with self.assertRaises(nki_sim.Refused) as caught:
            nki_sim.run(kernel(body), [np.zeros((4, 4), dtype=np.float32)])
        self.assertEqual(caught.exception.rule, 14)
        return str(caught.exception)

    def test_outputs_are_written_tensors_in_shared_hbm(self):
        made = (
            "y = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.{})\nnisa.dma_copy(dst=y[0:{}], src=x[0:{}])\nreturn y"
        )
        self.refuses_output(made.format("private_hbm", 4, 4))
        self.refuses_output(made.format("shared_hbm", 3, 3))
        self.refuses_output("return tile((4, 4))")
        self.refuses_output("return x")
        self.assertIn("output 0 is None", self.refuses_output("tile((4, 4))"))
        result = nki_sim.run(kernel(made.format("shared_hbm", 4, 4)), [np.eye(4, dtype=np.float32)])
        np.testing.assert_array_equal(result[0], np.eye(4))

    def test_several_outputs_are_a_tuple(self):
        body = """
y = nl.ndarray((4, 4), dtype=nl.bfloat16, buffer=nl.shared_hbm)
z = nl.ndarray((4, 4), dtype=nl.int32, buffer=nl.shared_hbm)
nisa.dma_copy(dst=y, src=x)
nisa.dma_copy(dst=z, src=x)
return y, z"""
        result = nki_sim.run(kernel(body), [np.full((4, 4), 2.5, dtype=np.float32)])
        self.assertEqual([output.dtype.name for output in result.outputs], ["bfloat16", "int32"])
        self.assertEqual((result[0][0, 0], result[1][0, 0]), (2.5, 2))


class TextTest(SimTest):
    def test_one_kernel_runs_unless_one_is_named(self):
        text = (
            kernel("return copy(x)")
            + "\n@nki.jit\ndef copy(x):\n    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        )
        text += "    nisa.dma_copy(dst=y, src=x)\n    return y\n"
        x = np.eye(3, dtype=np.float32)
        np.testing.assert_array_equal(nki_sim.run(text, [x], kernel="copy")[0], x)
        with self.assertRaisesRegex(nki_sim.Refused, "expected one, found k, copy"):
            nki_sim.run(text, [x])

    def test_arguments_match_parameters(self):
        with self.assertRaisesRegex(nki_sim.Refused, "k: arguments x for parameters x, y"):
            nki_sim.run(kernel("return x", "x, y"), [np.zeros((1, 1), dtype=np.float32)])

    def test_a_launch_on_two_cores_is_refused(self):
        with self.assertRaises(nki_sim.Refused) as caught:
            nki_sim.run(HEAD + "\n@nki.jit\ndef k(x):\n    return x\nk[2]\n", [np.zeros((1, 1), dtype=np.float32)])
        self.assertEqual(caught.exception.rule, 47)


class ProgramTest(unittest.TestCase):
    def program(self, folder, *arguments):
        command = [sys.executable, "-B", str(ROOT / "tools" / "nki_sim"), str(folder / "k.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_it_runs_files_and_prints_a_report(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "k.py").write_text(kernel(SOFTMAX))
            x = Array.of(np.random.default_rng(10).standard_normal((4, 8)), "bfloat16")
            (folder / "x").write_bytes(x.bits.tobytes())
            given = f"x=bfloat16[4,8]:{folder}/x"
            ran = self.program(folder, "--input", given, "--output", f"{folder}/y")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            report = json.loads(ran.stdout)
            self.assertEqual(report["outputs"], [{"dtype": "bfloat16", "shape": [4, 8]}])
            self.assertEqual((report["instructions"], report["hbm_bytes"]), (6, 128))
            y = np.frombuffer((folder / "y").read_bytes(), dtype=np.uint16).reshape(4, 8)
            np.testing.assert_array_equal(y, nki_sim.run(kernel(SOFTMAX), [x]).outputs[0].bits)
            self.assertIn("expected 128 bytes", self.program(folder, "--input", f"x=float32[4,8]:{folder}/x").stderr)
            (folder / "k.py").write_text(kernel("return x"))
            refused = self.program(folder, "--input", given)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("error: k: output 0 is x[4, 8] bfloat16 in private_hbm (rule 14", refused.stderr)


if __name__ == "__main__":
    unittest.main()
