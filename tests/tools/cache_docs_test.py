import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
DECLARATION = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
# `Suite.Name`, and `.Name` for another one of the suite before it.
MENTION = re.compile(r"`(\w*)\.([A-Z]\w+)`")


def declared():
    names = set()
    for path in (ROOT / "tests").rglob("*.cc"):
        names |= {f"{suite}.{name}" for suite, name in DECLARATION.findall(path.read_text(encoding="utf-8"))}
    return names


def mentioned(text):
    suite, names = "", []
    for given, name in MENTION.findall(text):
        suite = given or suite
        names.append(f"{suite}.{name}")
    return names


class CacheDocs(unittest.TestCase):
    def test_every_test_that_is_named_exists(self):
        names = declared()
        for page in ("cache.md", "cache_reports.md"):
            with self.subTest(page):
                found = mentioned((ROOT / "docs" / page).read_text(encoding="utf-8"))
                self.assertGreater(len(found), 40)
                self.assertEqual(sorted(set(found) - names), [])

    def test_a_suite_is_carried_on(self):
        self.assertEqual(mentioned("`ATest.One`, `.Two`; `BTest.Three` `.Four`, `a.b`"),
                         ["ATest.One", "ATest.Two", "BTest.Three", "BTest.Four"])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
