import unittest

import script

directions = script.load("include_directions")


def problems_in(path, *lines):
    return [problem for _, _, problem in directions.problems(path, "\n".join(lines))]


class Arrows(unittest.TestCase):
    def test_a_stage_reads_what_is_left_of_it(self):
        self.assertEqual(problems_in("compiler/lower/cuda/copy.cc", '#include "compiler/plan/plan.h"'), [])
        self.assertEqual(problems_in("compiler/layout/slice.cc", '#include "compiler/expr/expr.h"'), [])

    def test_a_stage_does_not_read_what_is_right_of_it(self):
        self.assertEqual(
            problems_in("compiler/layout/slice.cc", '#include "compiler/ir/kernel.h"'),
            ["compiler/layout may include include, compiler/support, compiler/expr; not compiler/ir/kernel.h"],
        )

    def test_folders_beside_the_line(self):
        self.assertEqual(problems_in("compiler/interp/run.cc", '#include "compiler/specialize/bind.h"'), [])
        self.assertEqual(len(problems_in("compiler/check/teams.cc", '#include "compiler/specialize/bind.h"')), 1)
        self.assertEqual(len(problems_in("compiler/toolchain/nvrtc.cc", '#include "compiler/ir/kernel.h"')), 1)

    def test_cache_runtime_and_compiler_do_not_know_each_other(self):
        for path, header in [
            ("cache/store.cc", "runtime/cuda/driver.h"),
            ("runtime/cpu/load.cc", "cache/store.h"),
            ("compiler/pipeline.cc", "cache/store.h"),
        ]:
            self.assertEqual(len(problems_in(path, f'#include "{header}"')), 1, path)
        self.assertEqual(problems_in("cache/store.cc", '#include "kiln/internal/artifact.h"'), [])

    def test_api_and_tests_read_everything(self):
        for path in ("api/session.cc", "tests/golden/golden_test.cc"):
            lines = [f'#include "{header}"' for header in ("compiler/pipeline.h", "cache/store.h", "runtime/cpu/load.h")]
            self.assertEqual(problems_in(path, *lines), [], path)

    def test_the_program_reads_the_seam_alone(self):
        self.assertEqual(problems_in("tools/kiln/run.cc", '#include "api/session.h"', '#include "kiln/kiln.h"'), [])
        self.assertEqual(len(problems_in("tools/kiln/run.cc", '#include "compiler/ir/kernel.h"')), 1)

    def test_includes_are_written_from_the_root(self):
        self.assertEqual(
            problems_in("tests/fuzz/parse_fuzz.cc", '#include "replay_main.cc"'),
            ['"replay_main.cc" is not written from the root of the tree'],
        )
        self.assertEqual(problems_in("cache/entry.cc", '#include "xxhash.h"', '#include "absl/status/status.h"'), [])

    def test_the_line_is_named(self):
        found = list(directions.problems("cache/store.cc", '\n#include <map>\n#  include "api/session.h"\n'))
        self.assertEqual(found, [(3, '#  include "api/session.h"', "cache may include include; not api/session.h")])


class Vendors(unittest.TestCase):
    def test_each_stays_in_its_folder(self):
        self.assertEqual(problems_in("runtime/cuda/driver.cc", "#include <cuda.h>"), [])
        self.assertEqual(problems_in("api/session.cc", "#include <cuda.h>"), ["cuda.h belongs to runtime/cuda alone"])
        self.assertEqual(len(problems_in("compiler/ir/print.cc", '#include "llvm/IR/Module.h"')), 1)

    def test_none_in_a_header(self):
        self.assertEqual(
            problems_in("compiler/ir/encode.h", '#include "compiler/ir/kiln_ir.pb.h"'),
            ["compiler/ir/kiln_ir.pb.h belongs in the .cc files that need it, not in a header"],
        )
        self.assertEqual(problems_in("compiler/ir/encode.cc", '#include "compiler/ir/kiln_ir.pb.h"'), [])

    def test_public_headers_name_no_library(self):
        self.assertEqual(len(problems_in("include/kiln/runtime.h", '#include "absl/status/status.h"')), 1)
        self.assertEqual(problems_in("include/kiln/internal/trace.h", '#include "absl/status/status.h"'), [])


if __name__ == "__main__":
    unittest.main()
