"""The Python package. Tensors are numpy's where it is installed; without it those tests are skipped."""

import sys
import tempfile
import threading
import unittest

import kiln

try:
    import numpy as np
except ImportError:
    np = None

SCALE = """
kernel scale<T: dtype(f16, f32), ROWS: tune(1, 2)>(x: tensor<T>[M, N], y: out tensor<T>[M, N], by: f32)
  where M: dynamic, N: static
  launch grid(ceildiv(M, ROWS)) block(128)
{
  let row = cta_id.x * ROWS
  cta.copy(y[row +: ROWS, :], x[row +: ROWS, :] * by)
}
"""


def runtime(**options):
    return kiln.Runtime(cache_dir="", **options)


class Control(unittest.TestCase):
    def test_version(self):
        self.assertEqual(kiln.__version__, "0.1.0")

    def test_text_and_bytes(self):
        data = kiln.encode(SCALE)
        self.assertIn("kernel scale<", kiln.decode(data))
        self.assertEqual(kiln.encode(kiln.decode(data))[:4], data[:4])
        self.assertEqual(runtime().load(data).names(), ["scale"])

    def test_errors_have_code_stage_and_message(self):
        with self.assertRaises(kiln.Error) as raised:
            runtime().load_text(SCALE).find("sclae")
        self.assertEqual(raised.exception.code, "NOT_FOUND")
        self.assertEqual(raised.exception.stage, "load")
        self.assertEqual(str(raised.exception), 'load: no op or kernel "sclae"; the module has scale')

    def test_unknown_options_are_refused(self):
        with self.assertRaisesRegex(TypeError, "no option is called cpu_thread;"):
            runtime(cpu_thread=1)

    def test_devices(self):
        first = runtime(fake_devices=1).devices()[0]
        self.assertEqual(first["device"], (1, 0))
        self.assertTrue(first["arch"])

    def test_what_is_no_tensor(self):
        op = runtime().load_text(SCALE).find("scale")
        with self.assertRaisesRegex(TypeError, "expected a number or a tensor with __dlpack__, got <class 'str'>"):
            op("x", "y", 1.0)
        with self.assertRaisesRegex(kiln.Error, "expected 3 arguments .x, y, by., got 1"):
            op(1.0)
        with self.assertRaises(OverflowError):
            op(1 << 70)


@unittest.skipIf(np is None, "numpy is not installed")
class Tensors(unittest.TestCase):
    def setUp(self):
        self.runtime = runtime()
        self.op = self.runtime.load_text(SCALE).find("scale")

    def test_runs(self):
        for dtype in (np.float32, np.float16):
            x = np.arange(40, dtype=dtype).reshape(5, 8)
            y = np.zeros_like(x)
            self.op(x, y, 0.5)
            np.testing.assert_array_equal(y, x * dtype(0.5))

    def test_read_only_inputs(self):
        if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
            self.skipTest("numpy before 2.1 cannot export a read-only array")
        x = np.ones((2, 8), np.float32)
        x.flags.writeable = False
        y = np.zeros((2, 8), np.float32)
        self.op(x, y, 3)
        self.assertEqual(y[1, 7], 3)
        with self.assertRaisesRegex(kiln.Error, "expected a tensor that may be written, got a read-only one"):
            self.op(y, x, 3)

    def test_strided_inputs(self):
        x = np.arange(128, dtype=np.float32).reshape(4, 32)[:, :8]
        y = np.zeros((4, 8), np.float32)
        self.op(x, y, 2)
        np.testing.assert_array_equal(y, x * 2)

    def test_refusals(self):
        x, y = np.ones((2, 8), np.float32), np.ones((2, 7), np.float32)
        with self.assertRaisesRegex(kiln.Error, 'argument "y": expected dimension 1 to be N = 8'):
            self.op(x, y, 1.0)

    def test_prepare(self):
        x, y = np.ones((2, 8), np.float32), np.zeros((2, 8), np.float32)
        future = self.op.prepare(x, y, 1.0)
        executable = future.wait()
        self.assertTrue(future.ready())
        self.assertEqual(executable.describe()["cache"], "miss")
        self.assertEqual(set(executable.describe()["config"]), {"ROWS"})
        executable(x, y, 4.0)
        self.assertEqual(y[0, 0], 4)
        self.assertEqual(self.runtime.stats()["compiles"], 1)

    def test_the_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            outcomes = []
            for _ in range(2):
                op = kiln.Runtime(cache_dir=folder).load_text(SCALE).find("scale", ROWS=2)
                x, y = np.ones((2, 8), np.float32), np.zeros((2, 8), np.float32)
                outcomes.append(op.prepare(x, y, 1.0).wait().describe()["cache"])
        self.assertEqual(outcomes, ["miss", "disk"])

    def test_threads(self):
        failures = []

        def work(rows):
            x, y = np.full((rows, 8), rows, np.float32), np.zeros((rows, 8), np.float32)
            for _ in range(200):
                self.op(x, y, 2.0)
                if y[-1, -1] != 2 * rows:
                    failures.append(rows)

        threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_tensors_are_given_back(self):
        x, y = np.ones((2, 8), np.float32), np.zeros((2, 8), np.float32)
        before = sys.getrefcount(x)
        for _ in range(100):
            self.op(x, y, 1.0)
        self.assertEqual(sys.getrefcount(x), before)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed or not result.testsRun else 0)
