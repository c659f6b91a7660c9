"""Embeds sentences with all-MiniLM-L6-v2, every operation a Kiln kernel, and compares with numpy.

Prints the nearest neighbours of some sentences, how close the embeddings are to the reference, and what was compiled.
Ends with 0 when every cosine with the reference reaches the bound: 0.9999 in f32, 0.999 where weights have 16 bits.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy as np

import bundle
import reference
import safetensors
import weights
import wordpiece
from arrays import TARGETS, TargetError
from encoder import Encoder

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FAILURES = (OSError, bundle.BundleError, safetensors.SafetensorsError, weights.WeightsError, TargetError)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/examples/minilm/run", description=__doc__.partition("\n")[0])
    parser.add_argument("--sentences", type=pathlib.Path, default=HERE / "sentences.txt", help="one a line")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N sentences")
    parser.add_argument("--target", choices=TARGETS, default="cpu")
    parser.add_argument("--dtype", choices=("f32", "f16", "bf16"), help="default: f32 on the CPU, f16 on a GPU")
    parser.add_argument("--neighbours", type=int, default=3, metavar="K", help="how many to print of each (default: 3)")
    parser.add_argument("--every", type=int, default=20, metavar="N", help="print those of every Nth sentence")
    parser.add_argument("--export", type=pathlib.Path, metavar="FILE", help="write a bundle for --import, then stop")
    parser.add_argument("--import", type=pathlib.Path, metavar="FILE", dest="bundle", help="run from a bundle")
    parser.add_argument("--json", action="store_true", help="print one object with the numbers instead of text")
    arguments = parser.parse_args()
    if arguments.export and arguments.bundle:
        parser.error("--export makes what --import reads: give one of them")
    for name in ("limit", "neighbours", "every"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            parser.error(f"--{name}: expected 1 or more, found {value}")
    arguments.dtype = arguments.dtype or ("f32" if arguments.target == "cpu" else "f16")
    if arguments.dtype not in TARGETS[arguments.target].dtypes:
        takes = ", ".join(TARGETS[arguments.target].dtypes)
        parser.error(f"--dtype {arguments.dtype}: target {arguments.target} takes {takes}")
    return arguments


def gather_input(arguments, config):
    """Weights, texts, token numbers and reference embeddings, from the package or from a bundle."""
    if arguments.bundle:
        tensors, texts, sentences, expected = bundle.load(arguments.bundle, config)
        keep = slice(arguments.limit)
        return tensors, texts[keep], sentences[keep], expected[keep]
    folder = weights.model_folder()
    tensors = weights.load(folder, config)
    texts = [line for line in arguments.sentences.read_text(encoding="utf-8").splitlines() if line.strip()]
    texts = texts[: arguments.limit]
    if not texts:
        raise bundle.BundleError(f"{arguments.sentences}: no sentence in it")
    tokenizer = wordpiece.WordPiece(folder / "vocab.txt")
    sentences = [tokenizer.encode(text) for text in texts]
    return tensors, texts, sentences, reference.embed(tensors, config, sentences)


def print_neighbours(texts, rows, arguments):
    for i in range(0, len(texts), arguments.every):
        print(f"\n{texts[i]}")
        likeness = rows @ rows[i]
        likeness[i] = -2  # Itself is no neighbour.
        for j in np.argsort(-likeness, kind="stable")[: min(arguments.neighbours, len(texts) - 1)]:
            print(f"  {likeness[j]:6.3f}  {texts[j]}")
    print()


def run(arguments):
    config = weights.Config()
    tensors, texts, sentences, expected = gather_input(arguments, config)
    if arguments.export:
        bundle.save(arguments.export, tensors, texts, sentences, expected)
        print(f"wrote {arguments.export}: {len(texts)} sentences, {arguments.export.stat().st_size / 1e6:.1f} MB")
        return 0

    import kiln  # After --export, which needs none.

    try:
        return embed(kiln.Runtime(), arguments, tensors, config, texts, sentences, expected)
    except kiln.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def embed(runtime, arguments, tensors, config, texts, sentences, expected):
    encoder = Encoder(runtime, TARGETS[arguments.target](arguments.dtype), tensors, config, ROOT / "api" / "kernels")
    start = time.perf_counter()
    rows = encoder.embed(sentences)
    first = time.perf_counter() - start
    start = time.perf_counter()
    again = encoder.embed(sentences)
    second = time.perf_counter() - start
    if not np.array_equal(rows, again):
        print("error: a second pass over the same sentences gave other embeddings", file=sys.stderr)
        return 1

    cosines = (rows * expected).sum(axis=1) / np.linalg.norm(rows, axis=1) / np.linalg.norm(expected, axis=1)
    exact = arguments.dtype == "f32" and not arguments.bundle  # A bundle's weights have 16 bits.
    bound = 0.9999 if exact else 0.999
    stats = runtime.stats()
    report = {
        "target": arguments.target,
        "dtype": arguments.dtype,
        "sentences": len(texts),
        "tokens": [min(map(len, sentences)), max(map(len, sentences))],
        "min_cosine": float(cosines.min()),
        "bound": bound,
        "first_ms": round(first * 1e3, 1),
        "second_ms": round(second * 1e3, 1),
        "compiles": stats["compiles"],
        "disk_hits": stats["disk_hits"],
        "launches": stats["launches"],
    }
    close = bool(np.all(cosines >= bound))
    report["check"] = "pass" if close else "fail"
    if arguments.json:
        print(json.dumps(report))
    else:
        print_neighbours(texts, rows, arguments)
        for name, value in report.items():
            print(f"{name + ':':12} {value}")
    if not close:
        worst = int(np.argmin(cosines))
        found = f"found {cosines[worst]:.6f} for sentence {worst + 1}: {texts[worst]}"
        print(f"error: cosine with the reference: expected {bound} or more, {found}", file=sys.stderr)
    return 0 if close else 1


def main():
    try:
        return run(parse_arguments())
    except FAILURES as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
