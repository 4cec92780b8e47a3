# SPDX-License-Identifier: Apache-2.0
"""Every source that the READMEs of lib/ and the pages of docs/ lead to is there.

A README of a folder names files of its own folder without it, and each of its folders has one.
"""

import os
import re

import tree

_FILE = re.compile(r"`((?:\w+/)*\w+\.(?:c|cpp|h|py|inc))`")
# Where a path without its folder may begin.
_FOLDERS = ("", "lib/", "include/", "tests/")


def check(pages, files):
    problems = []
    for path, text in sorted(pages.items()):
        for number, line in enumerate(text.splitlines(), 1):
            for name in _FILE.findall(line):
                own = os.path.dirname(path) + "/"
                if "/" not in name and not re.match(r"lib/\w", own):
                    continue
                if not any(folder + name in files for folder in (own,) + _FOLDERS):
                    problems.append(f"{path}:{number}: there is no {name}")
    return problems


def check_tree():
    files = tree.paths()
    names = [path for path in files if re.fullmatch(r"lib/(?:\w+/)?README\.md|docs/\w+\.md|README\.md", path)]
    return check({path: tree.read(path) for path in names}, set(files))


def self_test():
    files = {"lib/base/a.c", "lib/base/b.h", "lib/json/c.cpp", "tests/d/e.py"}

    def run(text):
        return check({"docs/a.md": text}, files)

    tree.expect(run("| x | `base/a.c`, `base/b.h` | `json/c.cpp` |\nthe `lib/base/a.c` and `tests/d/e.py`"))
    tree.expect(run("| x | `base/a.c` |\n| y | | `base/gone.h` |"), "docs/a.md:2: there is no base/gone.h")
    tree.expect(run("see `tests/d/gone.py`, `x.c`, `a/b`"), "there is no tests/d/gone.py")
    tree.expect(check({"lib/base/README.md": "`a.c` `b.h` `json/c.cpp`"}, files))
    tree.expect(check({"lib/base/README.md": "`c.cpp`"}, files), "lib/base/README.md:1: there is no c.cpp")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
