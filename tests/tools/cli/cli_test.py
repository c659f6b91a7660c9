"""The program `kiln` from outside: exit codes, JSON, errors. usage: cli_test.py PATH-OF-KILN (from the tree's root)"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KILN = sys.argv.pop(1)
RUN_FIELDS = [
    "kernel", "target", "config", "shape", "cache", "compile_ms", "run_us", "gbps", "tflops", "roofline", "check",
    "max_error", "rules",
]  # fmt: skip


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"
        self.environment = {}

    def kiln(self, *arguments, expect=0, binary=False, stdin=None):
        done = subprocess.run(
            [KILN, *map(str, arguments)],
            capture_output=True,
            input=stdin,
            env={**os.environ, "KILN_CACHE_DIR": str(self.cache), "NO_COLOR": "1", **self.environment},
        )
        self.assertEqual(done.returncode, expect, (arguments, done.stdout[-2000:], done.stderr[-2000:]))
        self.error = done.stderr.decode()
        return done.stdout if binary else done.stdout.decode()

    def run_json(self, *arguments, expect=0):
        return json.loads(self.kiln("run", *arguments, "--json", expect=expect))


RMSNORM = ["api/kernels/rmsnorm.kiln", "--dtype", "T=f32"]


class Run(Cli):
    def test_twice_says_disk_hit(self):
        arguments = [*RMSNORM, "--target", "cpu", "--shape", "M=64,N=256", "--check", "--repeat", "2"]
        first = self.run_json(*arguments)
        self.assertEqual(list(first), RUN_FIELDS)
        self.assertEqual((first["kernel"], first["target"], first["cache"]), ("rmsnorm", "cpu", "miss"))
        self.assertEqual(first["shape"], {"M": 64, "N": 256})
        self.assertEqual(set(first["config"]), {"ROWS", "THREADS"})
        self.assertEqual(first["check"], "pass")
        self.assertGreater(first["compile_ms"], 0)
        self.assertGreater(first["run_us"], 0)
        self.assertGreater(first["gbps"], 0)
        self.assertTrue(first["rules"])
        second = self.run_json(*arguments)
        self.assertEqual((second["cache"], second["compile_ms"], second["check"]), ("disk", 0, "pass"))
        self.assertEqual(second["config"], first["config"])
        text = self.kiln("run", *arguments)
        self.assertIn("cache: disk hit\n", text)
        self.assertIn("check: pass", text)

    def test_reference(self):
        report = self.run_json(*RMSNORM, "--target", "reference", "--shape", "M=2,N=64")
        self.assertEqual((report["target"], report["cache"], report["check"]), ("reference", "none", "none"))

    def test_encoded_kernels_run_too(self):
        encoded = self.folder / "rmsnorm.kir"
        self.kiln("encode", "api/kernels/rmsnorm.kiln", "-o", encoded)
        report = self.run_json(encoded, "--dtype", "T=f32", "--shape", "M=3,N=128", "--check")
        self.assertEqual((report["kernel"], report["check"]), ("rmsnorm", "pass"))

    def test_large_grids_are_sampled(self):
        text = self.kiln("run", *RMSNORM, "--shape", "M=8192,N=4096", "--check", "--repeat", "1")
        self.assertRegex(text, r"check: pass, largest error \S+ \(\d+ elements of \d+ of \d+ CTAs\)")

    def test_what_is_missing_is_named(self):
        self.kiln("run", *RMSNORM, "--shape", "M=4", expect=1)
        self.assertIn("N", self.error)
        self.assertTrue(self.error.startswith("error: "), self.error)
        self.kiln("run", "api/kernels/rmsnorm.kiln", "--shape", "M=4,N=64", expect=1)
        self.assertIn("T", self.error)
        self.kiln("run", *RMSNORM, "--shape", "M=4,N=64,Q=1", expect=1)
        self.assertEqual(self.error, 'error: specialize: kernel "rmsnorm": no symbol is called Q\n')
        self.kiln("run", *RMSNORM, "--shape", "M=4,N=64", "--scalar", "epsilon=1", expect=1)
        self.assertEqual(self.error, 'error: arguments: kernel "rmsnorm": no scalar parameter is called epsilon\n')
        self.kiln("run", *RMSNORM, "--shape", "M=4,N=64", "--target", "sm_12", expect=1)
        self.assertIn("sm_12", self.error)
        self.kiln("run", "api/kernels/none.kiln", expect=1)
        self.assertIn("api/kernels/none.kiln", self.error)

    def test_a_cache_that_cannot_be_used_costs_a_warning(self):
        self.cache = self.folder / "file"
        self.cache.write_text("no directory")
        report = self.run_json(*RMSNORM, "--shape", "M=2,N=64", "--check")
        self.assertEqual((report["cache"], report["check"]), ("miss", "pass"))
        self.assertTrue(self.error.startswith("warning: cache: no disk tier: "), self.error)


class Usage(Cli):
    def test_exit_code_2(self):
        for arguments in (
            [],
            ["fly"],
            ["run"],
            ["run", *RMSNORM, "--shape", "M"],
            ["run", *RMSNORM, "--shape", "M=four"],
            ["run", *RMSNORM, "--shape", "M=1", "--shape", "M=2"],
            ["run", *RMSNORM, "--repeat", "0"],
            ["compile", *RMSNORM, "--emit", "gold"],
            ["cache"],
            ["fmt", "--write", "--check", "api/kernels/rmsnorm.kiln"],
        ):
            self.kiln(*arguments, expect=2)
            self.assertTrue(self.error, arguments)

    def test_help_and_version(self):
        self.assertIn("explain", self.kiln("--help"))
        self.assertIn("Example:", self.kiln("run", "--help"))
        self.assertEqual(self.kiln("--version"), "0.1.0\n")


class Text(Cli):
    def test_encode_and_decode_are_inverse(self):
        encoded, text = self.folder / "gemm.kir", self.folder / "gemm.kiln"
        self.kiln("encode", "api/kernels/gemm.kiln", "-o", encoded)
        self.kiln("decode", encoded, "-o", text)
        self.kiln("encode", text, "-o", self.folder / "again.kir")
        self.kiln("decode", self.folder / "again.kir", "-o", self.folder / "again.kiln")
        self.assertEqual(text.read_text(), (self.folder / "again.kiln").read_text())

    def test_fmt(self):
        source = self.folder / "k.kiln"
        source.write_text("// keeps this\nkernel k(x:tensor<f32>[N]) launch grid(1)\n{\n    cta.sync()   // and this\n}\n")
        formatted = self.kiln("fmt", source)
        self.assertIn("// keeps this\nkernel k(x: tensor<f32>[N])", formatted)
        self.assertIn("// and this", formatted)
        self.kiln("fmt", "--check", source, expect=1)
        self.kiln("fmt", "--write", source)
        self.assertEqual(source.read_text(), formatted)
        self.kiln("fmt", "--check", source)
        self.assertEqual(self.kiln("fmt", "-", stdin=formatted.encode()), formatted)

    def test_check_reports_every_problem_with_its_place(self):
        self.assertIn("correct", self.kiln("check", "api/kernels/gemm.kiln"))
        source = self.folder / "bad.kiln"
        source.write_text("kernel k(x: tensor<f32>[N]) launch grid(1)\n{\n  let a = b\n  let c = d\n}\n")
        self.kiln("check", source, expect=1)
        self.assertIn("bad.kiln:3:11", self.error)
        self.assertIn("bad.kiln:4:11", self.error)

    def test_bytes_that_are_none(self):
        damaged = self.folder / "damaged.kir"
        self.kiln("encode", "api/kernels/rmsnorm.kiln", "-o", damaged)
        damaged.write_bytes(damaged.read_bytes()[:-7])
        self.kiln("decode", damaged, expect=1)
        self.assertTrue(self.error.startswith("error: decode: "), self.error)


class Compile(Cli):
    def test_every_stage_for_the_cpu(self):
        arguments = ["compile", *RMSNORM, "--target", "cpu", "--shape", "N=256"]
        self.assertIn("kernel rmsnorm(", self.kiln(*arguments, "--emit", "ir"))
        self.assertIn("cta.copy", self.kiln(*arguments, "--emit", "plan"))
        self.assertIn("kernel rmsnorm(", self.kiln(*arguments, "--emit", "lowered"))
        llvm = self.kiln(*arguments, "--emit", "llvm")
        self.assertIn("define ", llvm)
        self.assertEqual(self.kiln(*arguments, "--emit", "source"), llvm)
        self.assertEqual(self.kiln(*arguments, "--emit", "object", binary=True)[:4], b"\x7fELF")

    def test_cuda_source_needs_no_device_and_is_the_same_every_time(self):
        arguments = ["compile", "api/kernels/gemm.kiln", "--kernel", "gemm", "--target", "sm_90a", "--shape",
                     "N=4096,K=4096", "--dtype", "T=bf16", "--set", "BM=128,BN=128,BK=64,STAGES=3"]  # fmt: skip
        source = self.kiln(*arguments, "--emit", "source")
        self.assertIn("__global__", source)
        self.assertEqual(self.kiln(*arguments, "--emit", "source"), source)

    def test_an_unbound_static_symbol_is_named(self):
        self.kiln("compile", "api/kernels/gemm.kiln", "--target", "sm_90a", "--shape", "N=4096", "--dtype", "T=bf16",
                  expect=1)  # fmt: skip
        self.assertRegex(self.error, r"\bK\b")

    def test_a_stage_that_the_target_does_not_have(self):
        self.kiln("compile", *RMSNORM, "--shape", "N=256", "--emit", "cubin", expect=1)
        self.assertEqual(self.error, "error: emit: cubin: expected a CUDA target, got target cpu\n")

    def test_explain(self):
        text = self.kiln("explain", *RMSNORM, "--target", "sm_90a", "--shape", "N=4096")
        self.assertIn("cta.copy", text)


class Layout(Cli):
    def test_the_place_of_an_element(self):
        layout = "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"
        report = json.loads(self.kiln("layout", layout, "--shape", "8,16", "--at", "3,9", "--json"))
        self.assertEqual(report["layout"], layout)
        self.assertEqual(report["places"], [{"m": 1, "laneid": 12, "warpid": warp} for warp in (6, 10)])
        text = self.kiln("layout", layout, "--shape", "8,16", "--at", "3,9")
        self.assertIn("warpid=10", text)

    def test_errors(self):
        self.kiln("layout", "S[(8,2", expect=1)
        self.assertTrue(self.error.startswith("error: "), self.error)
        self.kiln("layout", "S[8:1]", "--shape", "8", "--at", "8", expect=1)


class Cache(Cli):
    def test_from_full_to_empty(self):
        self.run_json(*RMSNORM, "--shape", "M=2,N=64")
        stats = json.loads(self.kiln("cache", "stats", "--json"))
        self.assertEqual(stats["directory"], str(self.cache))
        self.assertEqual(stats["entries"], 2)
        self.assertEqual(stats["kinds"]["binary"]["entries"], 1)
        entries = json.loads(self.kiln("cache", "list", "--json"))
        self.assertEqual(sorted(entry["kind"] for entry in entries), ["binary", "request"])
        (binary,) = [entry for entry in entries if entry["kind"] == "binary"]
        inspected = json.loads(self.kiln("cache", "inspect", binary["digest"][:12], "--json"))
        self.assertEqual(inspected["fields"]["kernel"], "rmsnorm")
        self.assertIn("kernel rmsnorm", inspected["request"])
        self.assertIn(binary["digest"], self.kiln("cache", "inspect", binary["digest"]))
        self.kiln("cache", "inspect", "0123", expect=1)
        self.assertEqual(json.loads(self.kiln("cache", "verify", "--json"))["valid"], 2)

        (path,) = [path for path in self.cache.rglob("*") if binary["digest"][4:] in path.name]
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.chmod(0o600)
        path.write_bytes(data)
        verified = json.loads(self.kiln("cache", "verify", "--json", expect=1))
        self.assertEqual((verified["valid"], len(verified["damaged"])), (1, 1))
        # A damaged entry is a miss that heals.
        self.assertEqual(self.run_json(*RMSNORM, "--shape", "M=2,N=64", "--check")["cache"], "miss")
        self.assertEqual(json.loads(self.kiln("cache", "verify", "--json"))["valid"], 2)

        kept = json.loads(self.kiln("cache", "gc", "--json"))
        self.assertEqual((kept["entries"], kept["removed_entries"]), (2, 0))
        trimmed = json.loads(self.kiln("cache", "gc", "--max-entries", "1", "--json"))
        self.assertEqual((trimmed["entries"], trimmed["removed_entries"]), (1, 1))
        self.assertIn("removed 1 of 1 entries", self.kiln("cache", "gc", "--max-bytes", "100"))

        self.run_json(*RMSNORM, "--shape", "M=2,N=64")
        self.assertEqual(json.loads(self.kiln("cache", "stats", "--dir", self.cache, "--json"))["entries"], 2)
        self.assertEqual(json.loads(self.kiln("cache", "clear", "--json"))["entries"], 2)
        self.assertEqual(json.loads(self.kiln("cache", "stats", "--json"))["entries"], 0)

    def test_why_it_missed(self):
        small = (*RMSNORM, "--shape", "M=2,N=64")
        self.assertIn("knows no request at all", self.kiln("cache", "explain-miss", *small))
        self.run_json(*small)
        self.assertIn("found: request", self.kiln("cache", "explain-miss", *small))
        missed = json.loads(self.kiln("cache", "explain-miss", *RMSNORM, "--shape", "M=2,N=128", "--json"))
        self.assertEqual((missed["hit"], missed["requests"]), (False, 1))
        differences = missed["nearest"]["differences"]
        self.assertTrue(any("128" in each["here"] and "64" in each["there"] for each in differences), differences)
        self.assertFalse(any(each["factor"] in ("target", "toolchain") for each in differences), differences)
        self.assertIn(" there", self.kiln("cache", "explain-miss", *RMSNORM, "--shape", "M=2,N=128"))

    def test_bundles(self):
        self.run_json(*RMSNORM, "--shape", "M=2,N=64")
        key = self.folder / "key"
        public = self.kiln("cache", "bundle", "keygen", key).strip()
        self.assertEqual((len(public), key.stat().st_mode & 0o777), (64, 0o600))
        self.kiln("cache", "bundle", "keygen", key, expect=1)
        first = self.folder / "first.kbundle"
        made = json.loads(self.kiln("cache", "bundle", "create", first, "--where", "kernel=rmsnorm", "--sign", key,
                                    "--json"))  # fmt: skip
        self.assertEqual(made["entries"], 2)
        self.kiln("cache", "bundle", "create", first, expect=1)
        self.kiln("cache", "bundle", "create", self.folder / "none", "--where", "kernel=other", expect=1)
        listed = json.loads(self.kiln("cache", "bundle", "list", first, "--json"))
        self.assertEqual(sorted(entry["kind"] for entry in listed), ["binary", "request"])
        verified = json.loads(self.kiln("cache", "bundle", "verify", first, "--key", public, "--json"))
        self.assertEqual((verified["entries"], verified["damaged"], verified["signer"]), (2, [], public))
        self.kiln("cache", "bundle", "verify", first, "--key", "0" * 64, expect=1)

        self.kiln("cache", "clear")
        self.run_json(*RMSNORM, "--shape", "M=2,N=128")
        second = self.folder / "second.kbundle"
        self.kiln("cache", "bundle", "create", second)
        both = self.folder / "both.kbundle"
        merged = json.loads(self.kiln("cache", "bundle", "merge", both, first, second, "--json"))
        self.assertEqual(merged["entries"], 4)
        self.assertIn("4 valid, 0 damaged, not signed", self.kiln("cache", "bundle", "verify", both))
        self.assertIn("rmsnorm", self.kiln("cache", "bundle", "list", both))

        # Moved, read-only, under another root: nothing is compiled.
        moved = self.folder / "elsewhere"
        moved.mkdir()
        both.rename(moved / "model")
        (moved / "model").chmod(0o444)
        self.environment["KILN_CACHE_DIR"] = f"{self.folder / 'fresh'}:{moved / 'model'}"
        for shape in ("M=2,N=64", "M=2,N=128"):
            self.assertEqual(self.run_json(*RMSNORM, "--shape", shape)["cache"], "bundle")
        self.assertEqual(json.loads(self.kiln("cache", "stats", "--json"))["entries"], 0)
        # One signer is trusted, and it is not that of this bundle.
        self.environment["KILN_CACHE_TRUSTED_KEYS"] = public
        self.assertEqual(self.run_json(*RMSNORM, "--shape", "M=2,N=64")["cache"], "miss")
        self.assertIn("expected a signature by a trusted key, found none", self.error)


class Device(Cli):
    def test_json(self):
        report = json.loads(self.kiln("device", "--json"))
        self.assertEqual(report["devices"][0]["target"], "cpu")
        self.assertTrue(report["toolchains"]["llvm"]["found"])
        self.assertIn("sm_90a", report["targets"])
        self.assertEqual(report["options"]["cache_dir"], str(self.cache))
        self.assertIn("device     cpu: ", self.kiln("device"))


class Quiet(Cli):
    def test_nothing_but_what_was_asked_for(self):
        self.run_json(*RMSNORM, "--shape", "M=2,N=64", "--check")
        self.assertEqual(self.error, "")
        self.assertEqual(self.kiln("compile", *RMSNORM, "--shape", "N=64", "--emit", "object", "-o",
                                   self.folder / "k.o"), "")  # fmt: skip
        self.assertEqual(self.error, "")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed or not result.testsRun else 0)
