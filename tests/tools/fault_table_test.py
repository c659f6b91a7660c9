import contextlib
import io
import pathlib
import tempfile
import unittest

import script

table = script.load("fault_table")


def report(*cases):
    return "<testsuites><testsuite>" + "".join(cases) + "</testsuite></testsuites>"


class FaultTable(unittest.TestCase):
    def run_on(self, xml):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "report.xml"
            path.write_text(xml)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                return table.main([str(path)]), printed.getvalue().splitlines()

    def test_figures_of_either_form(self):
        attribute = '<testcase name="A" classname="S" time="1.25" status="run" kills="7" builds="3"/>'
        element = (
            '<testcase name="LongName" classname="S" time="2" status="run"><properties>'
            '<property name="injected" value="12"/></properties></testcase>'
        )
        status, lines = self.run_on(report(attribute, element))
        self.assertEqual(status, 0)
        self.assertEqual(lines, ["ok     S.A            1.2 s  builds 3, kills 7",
                                 "ok     S.LongName     2.0 s  injected 12"])  # fmt: skip

    def test_a_failure_fails(self):
        failed = '<testcase name="A" classname="S" time="1" kills="7"><failure message="no"/></testcase>'
        status, lines = self.run_on(report(failed))
        self.assertEqual((status, lines[0][:10]), (1, "FAILED S.A"))

    def test_no_figures_fail(self):
        self.assertEqual(self.run_on(report('<testcase name="A" classname="S" time="1"/>'))[0], 1)
