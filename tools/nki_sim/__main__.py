"""Runs one kernel on raw files: python3 tools/nki_sim KERNEL.py --input x=bfloat16[300,700]:x.raw --output y.raw

Inputs are given in the order of the kernel's parameters or by their names, outputs are written in the order in which
the kernel returns them. Prints one JSON object: outputs, busy nanoseconds of each engine, bytes moved, peaks. Exits
with 1 when the kernel is refused, and says by which rule.
"""

import argparse
import json
import pathlib
import re
import sys

if __package__ in (None, ""):
    sys.path[:] = [str(pathlib.Path(__file__).resolve().parents[1]), *sys.path[1:]]

import numpy as np

import nki_sim

_INPUT = re.compile(r"(\w+)=(\w+)\[([0-9,]+)\]:(.+)")


def read_input(argument: str) -> tuple[str, nki_sim.Array]:
    match = _INPUT.fullmatch(argument)
    if match is None or match[2] not in nki_sim.DTYPES:
        raise argparse.ArgumentTypeError(f"expected NAME=DTYPE[EXTENT,...]:FILE, found {argument}")
    name, dtype, shape = match[1], nki_sim.DTYPES[match[2]], tuple(int(extent) for extent in match[3].split(","))
    data = pathlib.Path(match[4]).read_bytes()
    expected = int(np.prod(shape)) * dtype.size
    if len(data) != expected:
        raise argparse.ArgumentTypeError(f"{match[4]}: expected {expected} bytes for {argument}, found {len(data)}")
    return name, nki_sim.Array(np.frombuffer(data, dtype=dtype.bits).reshape(shape), dtype)


def main() -> int:
    parser = argparse.ArgumentParser(prog="nki_sim", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kernel", type=pathlib.Path, help="NKI text")
    parser.add_argument("--target", choices=sorted(nki_sim.TARGETS), default="trn2")
    parser.add_argument("--name", default="", help="the kernel, where the text has several")
    parser.add_argument("--input", action="append", default=[], type=read_input, metavar="NAME=DTYPE[SHAPE]:FILE")
    parser.add_argument("--output", action="append", default=[], type=pathlib.Path, metavar="FILE")
    parser.add_argument("--cost-only", action="store_true", help="check and estimate, compute no values")
    options = parser.parse_args()
    text = options.kernel.read_text(encoding="utf-8")
    try:
        result = nki_sim.run(text, dict(options.input), options.target, options.name, not options.cost_only)
    except nki_sim.Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 1
    for path, output in zip(options.output, result.outputs):
        path.write_bytes(output.bits.tobytes())
    report = {
        "outputs": [{"dtype": output.dtype.name, "shape": list(output.bits.shape)} for output in result.outputs],
        "instructions": len(result.log),
        "busy_ns": {engine: round(ns, 1) for engine, ns in result.busy_ns.items()},
        "hbm_bytes": result.hbm_bytes,
        "sbuf_peak": result.sbuf_peak,
        "psum_peak": result.psum_peak,
    }
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
