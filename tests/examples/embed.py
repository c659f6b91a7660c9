"""The Python embedding that docs/embedding.md shows, run as a test."""

import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

# [embed]
import kiln
import numpy as np

runtime = kiln.Runtime()
rmsnorm = runtime.load(open(sys.argv[1], "rb").read()).find("rmsnorm")
x, w = np.full((4, 64), 3, np.float32), np.full(64, 0.5, np.float32)
y = np.empty_like(x)
rmsnorm(x, w, y, 1e-6)
# [embed]

if not np.allclose(y, 0.5, atol=1e-5):
    sys.exit("0 passed, 1 failed")
print("1 passed, 0 failed")
