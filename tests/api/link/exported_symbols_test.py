"""libkiln.so exports the C ABI and nothing else. usage: exported_symbols_test.py LIBKILN C_API.H"""

import re
import subprocess
import sys

library, header = sys.argv[1:]
listing = subprocess.run(
    ["nm", "--dynamic", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True
).stdout
exported = {line.split()[0].split("@")[0] for line in listing.splitlines()}
with open(header, encoding="utf-8") as text:
    declared = set(re.findall(r"KILN_EXPORT[^;(]*?\b(kiln_\w+)\(", text.read()))
problems = [f"exported, but not in the header: {name}" for name in sorted(exported - declared)]
problems += [f"in the header, but not exported: {name}" for name in sorted(declared - exported)]
if not declared:
    problems.append("the header declares nothing")
print("\n".join(problems[:50]))
print(f"{0 if problems else 1} passed, {1 if problems else 0} failed")
sys.exit(1 if problems else 0)
