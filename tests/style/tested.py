# SPDX-License-Identifier: Apache-2.0
"""Every source of the library has a test of its name, or docs/testing.md says which tests hold its cases.

The page has a table of those that have none: a folder of lib/, its sources, and the tests in their
place. A row for a source that has a test, or of a test that there is not, is refused as well.
"""

import os
import re

import tree

PAGE = "docs/testing.md"
_TABLE = re.compile(r"<!-- without a test -->(.*?)<!-- /without a test -->", re.DOTALL)
_WORD = re.compile(r"`([^`]+)`")


def _rows(page):
    """(folder, source, tests) of each source that the table names."""
    table = _TABLE.search(page)
    for line in table[1].splitlines() if table else []:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and _WORD.fullmatch(cells[0]):
            folder = _WORD.fullmatch(cells[0])[1].rstrip("/")
            for source in _WORD.findall(cells[1]):
                yield folder, source, _WORD.findall(cells[2])


def check(paths, page):
    problems = []
    tests = {os.path.basename(path) for path in paths if path.startswith("tests/")}
    stems = {os.path.splitext(name)[0] for name in tests}
    named = {}
    for folder, source, places in _rows(page):
        path = next((p for end in (".c", ".cpp") if (p := f"lib/{folder}/{source}{end}") in paths), None)
        if path is None:
            problems.append(f"{PAGE}: there is no {source} in lib/{folder}")
        elif f"test_{source}.c" in tests:
            problems.append(f"{PAGE}: {source} has a test of its name")
        named[path] = places
        if not places:
            problems.append(f"{PAGE}: no test is named for {source}")
        problems += [f"{PAGE}: there is no {place}" for place in places if place not in stems]
    for path in sorted(paths):
        name, end = os.path.splitext(os.path.basename(path))
        if path.startswith("lib/") and end in (".c", ".cpp") and f"test_{name}.c" not in tests and path not in named:
            problems.append(f"{path}: has no test test_{name}.c, and {PAGE} does not say why")
    return problems


def check_tree():
    return check(set(tree.paths()), tree.read(PAGE))


def self_test():
    paths = {"lib/a/x.c", "lib/a/y.c", "tests/a/test_x.c"}

    def run(rows):
        return check(paths, "<!-- without a test -->\n" + rows + "\n<!-- /without a test -->\n")

    tree.expect(run("| `a` | `y` | `test_x` |"))
    tree.expect(run(""), "lib/a/y.c: has no test test_y.c")
    tree.expect(run("| `a` | `x`, `y` | `test_x` |"), "x has a test of its name")
    tree.expect(run("| `a` | `y`, `z` | `test_x` |"), "there is no z in lib/a")
    tree.expect(run("| `a` | `y` | `test_w` |"), "there is no test_w")
    tree.expect(run("| `a` | `y` | nothing |"), "no test is named for y")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
