"""Runs every *_test.py beside this file with a Python that has numpy; without one, it fails."""

import os
import pathlib
import subprocess
import sys
import unittest

CANDIDATES = [os.environ.get("KILN_NEURON_PYTHON"), sys.executable, "/usr/bin/python3"]


def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0


def main():
    if lacks("numpy"):
        python = next((one for one in CANDIDATES if one and os.path.exists(one) and has_numpy(one)), None)
        if python is None:
            print("error: no Python with numpy; install python3-numpy, or set KILN_NEURON_PYTHON")
            return 1
        return subprocess.run([python, "-B", __file__], check=False).returncode
    here = str(pathlib.Path(__file__).resolve().parent)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(
        unittest.TestLoader().discover(here, pattern="*_test.py")
    )
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    return 0 if failed == 0 and result.testsRun > 0 else 1


def lacks(name):
    try:
        __import__(name)
    except ImportError:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
