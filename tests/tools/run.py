"""Runs every *_test.py beside this file; ends with the closing line that tools/test_summary counts."""

import pathlib
import sys
import unittest

suite = unittest.TestLoader().discover(str(pathlib.Path(__file__).parent), pattern="*_test.py")
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
failed = len(result.failures) + len(result.errors)
skipped = len(result.skipped)
print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
sys.exit(0 if failed == 0 and result.testsRun > 0 else 1)
