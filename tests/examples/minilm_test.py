"""The example's parts by themselves, then the whole on the CPU. Run by minilm_run.py, with the example's Python."""

import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tools" / "examples" / "minilm"
sys.path.insert(0, str(EXAMPLE))

import batches
import bundle
import encoder
import reference
import safetensors
import weights
import wordpiece

TINY = weights.Config(hidden=4, heads=2, layers=1, inner=8)

# The three sentences with which the model's publishers show it, and the similarities that they print.
SHOWN = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
SHOWN_SIMILARITIES = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]


class FolderTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


def safetensors_bytes(header, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


class Safetensors(FolderTest):
    def load(self, data):
        path = self.folder / "t"
        path.write_bytes(data)
        return safetensors.load(path)

    def error_of(self, data):
        with self.assertRaises(safetensors.SafetensorsError) as caught:
            self.load(data)
        return str(caught.exception).removeprefix(f"{self.folder}/t: ")

    def test_reads_tensors_at_their_offsets(self):
        a = np.arange(6, dtype=np.float32).reshape(2, 3)
        b = np.array([7, -1], dtype=np.int64)
        header = {
            "__metadata__": {"format": "pt"},
            "b": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
            "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        }
        loaded = self.load(safetensors_bytes(header, a.tobytes() + b.tobytes()))
        self.assertEqual(sorted(loaded), ["a", "b"])
        np.testing.assert_array_equal(loaded["a"], a)
        np.testing.assert_array_equal(loaded["b"], b)

    def test_reads_a_tensor_at_an_odd_address(self):
        header = {"a": {"dtype": "F32", "shape": [1], "data_offsets": [1, 5]}}
        loaded = self.load(safetensors_bytes(header, b"\0" + np.float32(2.5).tobytes()))
        self.assertEqual(loaded["a"].tolist(), [2.5])

    def test_refuses_damaged_files(self):
        def entry(**changes):
            return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}}

        self.assertEqual(self.error_of(b"1234567"), "expected a header of 8 bytes or more, found 7 bytes")
        self.assertEqual(
            self.error_of((1 << 60).to_bytes(8, "little")), f"a header of {1 << 60} bytes does not fit into a file of 8"
        )
        self.assertRegex(self.error_of(safetensors_bytes(b"{")), "^the header is not JSON: ")
        self.assertEqual(self.error_of(safetensors_bytes([])), "expected a JSON object as the header, found list")
        self.assertEqual(self.error_of(safetensors_bytes({"a": 1})), "a: expected dtype, shape and two data_offsets")
        self.assertEqual(
            self.error_of(safetensors_bytes(entry(dtype="F8"))), "a: dtype 'F8' is not one of F32, F16, I64, I32"
        )
        self.assertEqual(
            self.error_of(safetensors_bytes(entry(shape=[-2]))), "a: shape [-2] and offsets 0, 8 must be counts"
        )
        self.assertEqual(self.error_of(safetensors_bytes(entry())), "a: bytes 0 to 8 of 0 do not hold F32[2]")
        self.assertEqual(
            self.error_of(safetensors_bytes(entry(shape=[3]), b"\0" * 8)), "a: bytes 0 to 8 of 8 do not hold F32[3]"
        )


class WordPiece(FolderTest):
    def test_cuts_words_as_uncased_bert_does(self):
        self.assertEqual(wordpiece.words("Don't STOP—ever…"), ["don", "'", "t", "stop", "—", "ever", "…"])
        self.assertEqual(wordpiece.words("Ünïcödé\tCafé\u200b e\u0301 \x07\ufffd"), ["unicode", "cafe", "e"])
        self.assertEqual(wordpiece.words("a你好b $5+3"), ["a", "你", "好", "b", "$", "5", "+", "3"])
        self.assertEqual(wordpiece.words(" \r\n"), [])

    def test_takes_the_longest_piece_first(self):
        path = self.folder / "vocab.txt"
        path.write_text("\n".join(["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "##a", "##ff"]))
        tokenizer = wordpiece.WordPiece(path)
        self.assertEqual(tokenizer.encode("Unaffable unaffa unb"), [1, 3, 4, 5, 3, 4, 6, 0, 2])
        self.assertEqual(tokenizer.encode("un" + "a" * 98 + " un" + "a" * 99), [1, 3, *[6] * 98, 0, 2])
        self.assertEqual(len(tokenizer.encode("un " * 200)), 128)
        self.assertEqual(tokenizer.encode("un " * 200)[-2:], [3, 2])

    def test_agrees_with_the_tokenizers_package(self):
        if importlib.util.find_spec("tokenizers") is None:
            self.skipTest("the Python package tokenizers is not installed")
        import tokenizers

        folder = weights.model_folder()
        theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        theirs.no_padding()
        ours = wordpiece.WordPiece(folder / "vocab.txt")
        texts = (EXAMPLE / "sentences.txt").read_text(encoding="utf-8").splitlines()
        texts += [
            "Ünïcödé 你好世界 don't—stop…\u200b ﬁ İstanbul x\u2028y \x07 $5+3=8 `~^",
            "a" * 101,
            "日本語 한국어 🙂 e\u0301",
        ]
        for text in texts:
            self.assertEqual(ours.encode(text), theirs.encode(text).ids, text)


class Reference(unittest.TestCase):
    def test_erf_is_within_its_bound(self):
        x = np.linspace(-5, 5, 20001, dtype=np.float32)
        exact = np.array([math.erf(float(value)) for value in x])
        self.assertLess(np.abs(reference.erf(x) - exact).max(), 5e-7)

    def test_gives_the_similarities_that_the_publishers_show(self):
        config = weights.Config()
        folder = weights.model_folder()
        tokenizer = wordpiece.WordPiece(folder / "vocab.txt")
        sentences = [tokenizer.encode(text) for text in SHOWN]
        self.assertEqual(sentences[0], [101, 1996, 4633, 2003, 8403, 2651, 1012, 102])
        rows = reference.embed(weights.load(folder, config), config, sentences)
        np.testing.assert_allclose(rows @ rows.T, SHOWN_SIMILARITIES, atol=6e-5)


class Batches(unittest.TestCase):
    def test_every_sentence_is_in_the_first_bucket_that_holds_it(self):
        sentences = [[7] * n for n in (3, 16, 17, 128, 64, 65, 32)]
        made = batches.make_batches(sentences)
        self.assertEqual([batch.rows for batch in made], [[0, 1], [2, 6], [4], [3, 5]])
        self.assertEqual([batch.ids.shape for batch in made], [(2, 16), (2, 32), (1, 64), (2, 128)])
        self.assertEqual(made[0].ids[0].tolist(), [7] * 3 + [0] * 13)
        self.assertEqual(made[3].lengths.tolist(), [128, 65])

    def test_a_batch_holds_at_most_2048_tokens(self):
        made = batches.make_batches([[7] * 100] * 17)
        self.assertEqual([len(batch.rows) for batch in made], [16, 1])

    def test_refuses_what_no_bucket_holds(self):
        with self.assertRaisesRegex(ValueError, "^a sentence of 129 tokens is longer than the largest bucket, 128$"):
            batches.make_batches([[7] * 129])


class Bundle(FolderTest):
    def setUp(self):
        super().setUp()
        h, inner = TINY.hidden, TINY.inner
        shapes = {
            "words": (10, h),
            "positions": (5, h),
            "kinds": (2, h),
            "0.qkv.weight": (3 * h, h),
            "0.qkv.bias": (3 * h,),
        }
        shapes |= {
            "0.out.weight": (h, h),
            "0.up.weight": (inner, h),
            "0.up.bias": (inner,),
            "0.down.weight": (h, inner),
        }
        random = np.random.default_rng(1)
        self.tensors = {
            name: random.standard_normal(shapes.get(name, (h,)), dtype=np.float32) for name in weights.names(TINY)
        }
        self.path = self.folder / "b.npz"

    def save(self):
        bundle.save(self.path, self.tensors, ["a b", "c"], [[9, 2, 4], [9, 4]], np.eye(2, 4, dtype=np.float32))

    def test_what_is_saved_is_loaded_less_the_unused_words(self):
        self.save()
        tensors, texts, sentences, expected = bundle.load(self.path, TINY)
        self.assertEqual(texts, ["a b", "c"])
        self.assertEqual(sentences, [[2, 0, 1], [2, 1]])
        np.testing.assert_array_equal(expected, np.eye(2, 4))
        self.assertEqual(tensors["words"].dtype, np.float16)
        np.testing.assert_array_equal(tensors["words"], self.tensors["words"][[2, 4, 9]].astype(np.float16))
        np.testing.assert_array_equal(tensors["0.up.weight"], self.tensors["0.up.weight"].astype(np.float16))

    def test_refuses_other_files_and_other_models(self):
        self.path.write_bytes(b"text")
        with self.assertRaises(bundle.BundleError) as caught:
            bundle.load(self.path, TINY)
        self.assertEqual(str(caught.exception), f"{self.path}: expected an .npz file of --export, found another format")
        with open(self.path, "wb") as file:
            np.savez(file, ids=np.zeros(3))
        with self.assertRaisesRegex(bundle.BundleError, "found none named lengths, reference, texts$"):
            bundle.load(self.path, TINY)
        self.tensors["0.up.bias"] = self.tensors["0.up.bias"][:-1]
        self.save()
        with self.assertRaises(weights.WeightsError) as caught:
            bundle.load(self.path, TINY)
        self.assertEqual(str(caught.exception), "tensor 0.up.bias: expected shape (8,), found (7,)")


class Buckets(unittest.TestCase):
    def test_only_the_named_symbols_are_declared(self):
        text = "where B: dynamic, S: dynamic tuned(pow2), L: dynamic, XL: dynamic"
        self.assertEqual(
            encoder.declare_buckets(text, ["S", "L"]),
            "where B: dynamic, S: bucket(16, 32, 64, 128), L: bucket(16, 32, 64, 128), XL: dynamic",
        )

    def test_a_symbol_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "^no kernel has a dynamic symbol N$"):
            encoder.declare_buckets("where N: static", ["N"])


class OnTheCpu(FolderTest):
    def start(self, *arguments):
        environment = {**os.environ, "KILN_CACHE_DIR": str(self.folder)}
        command = [EXAMPLE / "run", "--json", *arguments]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_agrees_with_the_reference_and_compiles_once(self):
        if not list(pathlib.Path(os.environ["KILN_BUILD_DIR"]).glob("python/kiln/_launch*.so")):
            self.skipTest("Kiln's Python package is not built: no Python headers here")
        sentences = self.folder / "sentences.txt"
        texts = [*SHOWN, "rain", "A longer sentence, which does not fit into the shortest of the four buckets."]
        sentences.write_text("\n".join(texts))
        first = self.start("--sentences", str(sentences))
        self.assertEqual(first["check"], "pass")
        self.assertGreaterEqual(first["min_cosine"], 0.9999)
        self.assertEqual((first["sentences"], first["tokens"]), (5, [3, 19]))
        # Two passes over two buckets: embeddings, norm and mean, and six layers of seven kernels.
        self.assertEqual(first["launches"], 2 * 2 * (3 + 6 * 7))
        self.assertGreater(first["compiles"], 0)
        second = self.start("--sentences", str(sentences))
        self.assertEqual(second["compiles"], 0)
        self.assertEqual(second["disk_hits"], first["compiles"])
        self.assertEqual(second["min_cosine"], first["min_cosine"])


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    for _, reason in result.skipped:
        print(f"skipped: {reason}")
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(0 if failed == 0 and result.testsRun > 0 else 1)
