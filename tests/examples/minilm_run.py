"""Runs minilm_test.py in the example's own Python environment, which it makes; skips where that cannot be made."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
RUN = HERE.parents[1] / "tools" / "examples" / "minilm" / "run"


def main(build):
    environment = {**os.environ, "KILN_BUILD_DIR": build}
    setup = subprocess.run([RUN, "--setup"], env=environment, capture_output=True, text=True, check=False)
    if setup.returncode != 0:
        errors = [line for line in setup.stderr.splitlines() if line.startswith("error: ")]
        print(f"skipped: {errors[0] if errors else setup.stderr.strip()}")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    python = pathlib.Path(build) / "minilm-venv" / "bin" / "python"
    # The tokenizer is compared with this package where it is to be had, without what it needs to reach a model hub.
    if subprocess.run([python, "-c", "import tokenizers"], capture_output=True, check=False).returncode != 0:
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "tokenizers"]
        subprocess.run([python, *install], capture_output=True, check=False)
    return subprocess.run([python, "-B", HERE / "minilm_test.py"], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
