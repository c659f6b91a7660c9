import contextlib
import io
import pathlib
import tempfile
import unittest

import script

summary = script.load("test_summary")


def junit(name, status, output="", skipped=None):
    skip = "" if skipped is None else f'<skipped message="{skipped}"/>'
    failure = '<failure message=""/>' if status == "fail" else ""
    return f'<testcase name="{name}" status="{status}">{skip}{failure}<system-out>{output}</system-out></testcase>'


class Summary(unittest.TestCase):
    def summarize(self, *cases, reports=()):
        """Returns (exit status, printed lines that are not empty)."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "ctest-junit").write_text("<testsuite>" + "".join(cases) + "</testsuite>")
            for program, text in reports:
                (folder / f"{program}.xml").write_text(f"<testsuites><testsuite>{text}</testsuite></testsuites>")
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                status = summary.main([name])
            lines = [line for line in printed.getvalue().splitlines() if line]
            self.assertEqual((folder / "tally").read_text(), lines[-1] + "\n")
        return status, lines

    def test_counts_cases_of_a_gtest_report(self):
        report = (
            '<testcase name="Adds" classname="Sum" status="run" result="completed"/>'
            '<testcase name="Wraps" classname="Sum" status="run"><failure message="x"/></testcase>'
            '<testcase name="Launches" classname="Gpu" status="run" result="skipped">'
            '<skipped message="a/b_test.cc:7&#x0A;no GPU here&#x0A;"/></testcase>'
            '<testcase name="DISABLED_Old" classname="Sum" status="notrun" result="suppressed"/>'
        )
        status, lines = self.summarize(junit("sum_test", "fail"), reports=[("sum_test", report)])
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "skipped  sum_test: Gpu.Launches: no GPU here",
                "skipped  sum_test: Sum.DISABLED_Old: disabled",
                "FAILED   sum_test: Sum.Wraps",
                "1 passed, 1 failed, 2 skipped",
            ],
        )

    def test_a_program_that_fails_after_its_cases_passed_is_a_failure(self):
        report = '<testcase name="Adds" classname="Sum" status="run" result="completed"/>'
        status, lines = self.summarize(junit("sum_test", "fail"), reports=[("sum_test", report)])
        self.assertEqual((status, lines), (1, ["FAILED   sum_test (ended with an error)", "1 passed, 1 failed, 0 skipped"]))

    def test_a_program_that_dies_without_a_report_keeps_the_cases_it_ended(self):
        output = "[ RUN      ] Sum.Adds\n[       OK ] Sum.Adds (0 ms)\n[ RUN      ] Sum.Wraps\n"
        status, lines = self.summarize(junit("sum_test", "fail", output))
        self.assertEqual((status, lines), (1, ["FAILED   sum_test (ended with an error)", "1 passed, 1 failed, 0 skipped"]))

    def test_other_programs_count_by_their_closing_line_or_as_one(self):
        status, lines = self.summarize(
            junit("vectors", "run", "skipped v7: not ours\n3 passed, 0 failed\n41 passed, 0 failed, 1 skipped\n"),
            junit("example", "run", "hi"),
        )
        self.assertEqual(
            (status, lines),
            (
                0,
                [
                    "skipped  vectors: v7: not ours",
                    "42 passed, 0 failed, 1 skipped",
                ],
            ),
        )

    def test_reasons_in_the_words_of_unittest(self):
        output = "test_0 (t.T.test_0) ... ok\ntest_a (t.T.test_a) ... skipped &apos;no numpy&apos;\ntest_b (t.T.test_b)\nSays. ... skipped &quot;it&apos;s off&quot;\n"
        status, lines = self.summarize(junit("python", "run", output + "3 passed, 0 failed, 2 skipped\n"))
        self.assertEqual(status, 0)
        self.assertEqual(
            lines,
            [
                "skipped  python: test_a: no numpy",
                "skipped  python: test_b: it's off",
                "3 passed, 0 failed, 2 skipped",
            ],
        )

    def test_a_skip_without_a_reason_is_a_failure(self):
        report = (
            '<testcase name="Launches" classname="Gpu" status="run" result="skipped">'
            '<skipped message="a/b_test.cc:7&#x0A;"/></testcase>'
        )
        status, lines = self.summarize(
            junit("sum_test", "run"),
            junit("vectors", "run", "1 passed, 0 failed, 1 skipped\n"),
            junit("gpu", "notrun", "", skipped="SKIP_RETURN_CODE=77"),
            reports=[("sum_test", report)],
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "FAILED   sum_test: Gpu.Launches (skipped without a reason)",
                "FAILED   vectors (skipped without a reason)",
                "FAILED   gpu (skipped without a reason)",
                "1 passed, 3 failed, 0 skipped",
            ],
        )

    def test_a_closing_line_without_failures_does_not_excuse_an_error(self):
        status, lines = self.summarize(junit("vectors", "fail", "41 passed, 0 failed\n"))
        self.assertEqual((status, lines), (1, ["FAILED   vectors (ended with an error)", "41 passed, 1 failed, 0 skipped"]))

    def test_programs_that_did_not_run(self):
        status, lines = self.summarize(
            junit("old", "disabled"),
            junit("gpu", "notrun", "no GPU here\n", skipped="SKIP_RETURN_CODE=77"),
            junit("told", "notrun", "skipped: not built\n", skipped="SKIP_REGULAR_EXPRESSION_MATCHED"),
            junit("gone", "notrun", skipped="Unable to find executable"),
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "skipped  old: disabled",
                "skipped  gpu: no GPU here",
                "skipped  told: not built",
                "FAILED   gone (not run: Unable to find executable)",
                "0 passed, 1 failed, 3 skipped",
            ],
        )

    def test_nothing_run_is_not_success(self):
        self.assertEqual(self.summarize(), (1, ["0 passed, 0 failed, 0 skipped"]))


if __name__ == "__main__":
    unittest.main()
