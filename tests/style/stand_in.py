# SPDX-License-Identifier: Apache-2.0
"""What tests use of Criterion stands in tests/support/alone, too: on other machines and in valgrind they do without it.

What went wrong: a test wrote to Criterion's log by a macro that the stand-in lacked, and nothing
could be linked there any more.
"""

import re

import tree

_STAND_IN = "tests/support/alone/criterion/criterion.h"
_USED = re.compile(r"\bcr_\w+")
_DEFINED = re.compile(r"^#define (cr_\w+)", re.MULTILINE)


def check(files):
    defined = set(_DEFINED.findall(files[_STAND_IN]))
    return [
        f"{path}: {name} is not in {_STAND_IN}"
        for path, text in sorted(files.items())
        for name in sorted(set(_USED.findall(text)) - defined)
    ]


def check_tree():
    paths = [path for path in tree.paths() if path.startswith("tests/") and re.search(r"\.[ch]$", path)]
    return check({path: tree.read(path) for path in paths})


def self_test():
    stand_in = "#define cr_assert(promise, ...) x\n"
    tree.expect(check({_STAND_IN: stand_in, "tests/a.c": "cr_assert(1);"}))
    tree.expect(check({_STAND_IN: stand_in, "tests/a.c": "cr_log_warn(1);"}), "tests/a.c: cr_log_warn is not in")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
