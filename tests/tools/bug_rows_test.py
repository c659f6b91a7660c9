"""tools/bug_rows: the page of faults found elsewhere is what the tests say."""

import pathlib
import tempfile
import unittest

import script

bug_rows = script.load("bug_rows")

ROWS = """# A comment
RED-1 | C N | a tile is counted twice
PIPE-2 | V | a read moves
never RED-1 N: there is no such instruction
"""


class Rows(unittest.TestCase):
    def test_the_page_is_current(self):
        rows, never = bug_rows.read_rows((bug_rows.ROOT / bug_rows.ROWS).read_text())
        text = bug_rows.page(rows, never, bug_rows.find_tests(bug_rows.ROOT))
        self.assertEqual((bug_rows.ROOT / bug_rows.PAGE).read_text(), text, "tools/bug_rows writes it anew")

    def test_rows_and_reasons(self):
        rows, never = bug_rows.read_rows(ROWS)
        self.assertEqual(rows, {"RED-1": (["C", "N"], "a tile is counted twice"), "PIPE-2": (["V"], "a read moves")})
        self.assertEqual(never, {("RED-1", "N"): "there is no such instruction"})

    def test_a_row_that_stands_twice(self):
        with self.assertRaisesRegex(ValueError, "RED-1 stands twice"):
            bug_rows.read_rows(ROWS + "RED-1 | C | again\n")

    def test_marks_belong_to_the_test_below(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests").mkdir()
            (root / "tests" / "a_test.cc").write_text(
                "// Case RED-1 C, PIPE-2 V\n// Why.\nTEST(Sum, Once) {}\nTEST(Sum, Twice) {}\n")
            found = bug_rows.find_tests(root)
            self.assertEqual(found, {("RED-1", "C"): ["tests/a_test.cc: Sum.Once"],
                                     ("PIPE-2", "V"): ["tests/a_test.cc: Sum.Once"]})
            text = bug_rows.page(*bug_rows.read_rows(ROWS), found)
            self.assertIn("3 of 3 have a test, or cannot occur.", text)
            self.assertIn("| RED-1 | N | a tile is counted twice | cannot occur: there is no such instruction |", text)
            self.assertIn("no test yet", bug_rows.page(*bug_rows.read_rows(ROWS), {}))

    def test_a_mark_of_no_row_and_a_mark_of_no_test(self):
        with self.assertRaisesRegex(ValueError, "has no RED-9 C"):
            bug_rows.page(*bug_rows.read_rows(ROWS), {("RED-9", "C"): ["tests/a_test.cc: A.B"]})
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests").mkdir()
            (root / "tests" / "a_test.cc").write_text("// Case RED-1 C\n")
            with self.assertRaisesRegex(ValueError, "no test stands below the case RED-1"):
                bug_rows.find_tests(root)


if __name__ == "__main__":
    unittest.main()
