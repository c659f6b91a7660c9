"""What the shipped libraries show to a process and need from it. usage: linked_test.py LIBRARY EXPORTED FOREIGN...

LIBRARY exports only names that begin with EXPORTED, none of them unique to the process (GNU_UNIQUE: two copies of such
a symbol become one whatever the visibility of the rest). It has no copy of FOREIGN from outside: no such library is
needed, no such symbol is asked for or offered.
"""

import re
import subprocess
import sys


def listing(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


library, prefix, *foreign = sys.argv[1:]
# How names of libabsl_*.so, libprotobuf.so and libLLVM.so begin, mangled (after _Z, _ZN, _ZNK, _ZTV, ...) or not.
SYMBOLS = {"absl": r"_Z\w*?4absl\d+\w|Absl", "protobuf": r"_Z\w*?6google8protobuf|descriptor_table_", "LLVM": r"_Z\w*?4llvm|LLVM"}

dynamic = listing("readelf", "--dynamic", "--wide", library)
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
symbols = [line.split()[:2] for line in listing("nm", "--dynamic", "--format=posix", library).splitlines()]
symbols = [(name.split("@")[0], kind) for name, kind in symbols]
defined = [(name, kind) for name, kind in symbols if kind not in "Uwv"]

problems = []
if not needed:
    problems.append("needs no library at all, not even libc")
if not defined:
    problems.append("exports nothing")
for name, kind in defined:
    if not name.startswith(prefix):
        problems.append(f"exported: {name}")
    if kind == "u":
        problems.append(f"unique to the process: {name}")
for part in foreign:
    problems += [f"needs {name}" for name in needed if name.startswith(f"lib{part}")]
    problems += [f"asks for {name}" for name, kind in symbols if kind in "Uwv" and re.match(SYMBOLS[part], name)]

print("\n".join(problems[:50]))
print(f"{0 if problems else 1} passed, {1 if problems else 0} failed")
sys.exit(1 if problems else 0)
