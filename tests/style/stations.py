# SPDX-License-Identifier: Apache-2.0
"""Every source that lib/README.md and the pages of docs/ lead to is there."""

import re

import tree

_FILE = re.compile(r"`((?:\w+/)+\w+\.(?:c|cpp|h|py|inc))`")
# Where a path without its folder may begin.
_FOLDERS = ("", "lib/", "include/", "tests/")


def check(pages, files):
    problems = []
    for path, text in sorted(pages.items()):
        for number, line in enumerate(text.splitlines(), 1):
            for name in _FILE.findall(line):
                if not any(folder + name in files for folder in _FOLDERS):
                    problems.append(f"{path}:{number}: there is no {name}")
    return problems


def check_tree():
    files = tree.paths()
    names = [path for path in files if path == "lib/README.md" or re.fullmatch(r"docs/\w+\.md|README\.md", path)]
    return check({path: tree.read(path) for path in names}, set(files))


def self_test():
    files = {"lib/base/a.c", "lib/base/b.h", "lib/json/c.cpp", "tests/d/e.py"}

    def run(text):
        return check({"docs/a.md": text}, files)

    tree.expect(run("| x | `base/a.c`, `base/b.h` | `json/c.cpp` |\nthe `lib/base/a.c` and `tests/d/e.py`"))
    tree.expect(run("| x | `base/a.c` |\n| y | | `base/gone.h` |"), "docs/a.md:2: there is no base/gone.h")
    tree.expect(run("see `tests/d/gone.py`, `x.c`, `a/b`"), "there is no tests/d/gone.py")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
