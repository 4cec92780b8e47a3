"""Every file that a table of lib/README.md leads to is there."""

import re

import tree

_FILE = re.compile(r"`(\w+/\w+\.[ch]p{0,2})`")


def check(readme, files):
    problems = []
    for number, line in enumerate(readme.splitlines(), 1):
        for name in _FILE.findall(line) if line.startswith("|") else []:
            if "lib/" + name not in files:
                problems.append(f"lib/README.md:{number}: there is no {name}")
    return problems


def check_tree():
    return check(tree.read("lib/README.md"), set(tree.paths()))


def self_test():
    files = {"lib/base/a.c", "lib/base/b.h", "lib/json/c.cpp"}
    tree.expect(check("| x | `base/a.c`, `base/b.h` | `json/c.cpp` |\nthe `base/gone.c` of old", files))
    tree.expect(check("| x | `base/a.c` |\n| y | | `base/gone.h` |", files), "lib/README.md:2: there is no base/gone.h")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
