"""Every code block of the documentation that names an example is that example's text, which other tests compile and run.

A block is named by the line before it, `<!-- FILE -->` or `<!-- FILE [mark] -->`: it is the whole file, or what stands
between two comments `[mark]`. Prints each difference; run from the root of the tree.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^<!-- ([\w./]+)(?: \[(\w+)\])? -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example(path, mark):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    if mark is None:
        return text
    parts = re.split(rf"^(?://|/\*|#) \[{mark}\](?: \*/)?\n", text, flags=re.MULTILINE)
    return parts[1] if len(parts) == 3 else None


passed = failed = 0
for page in [pathlib.Path("README.md"), *sorted(pathlib.Path("docs").glob("*.md"))]:
    text = page.read_text(encoding="utf-8")
    for path, mark, block in BLOCK.findall(text):
        expected = example(path, mark or None)
        if block == expected:
            passed += 1
        else:
            failed += 1
            print(f"{page}: the block of {path} [{mark}] differs from the file:\n--- page\n{block}--- file\n{expected}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
