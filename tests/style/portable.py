# SPDX-License-Identifier: Apache-2.0
"""The library and the program build with every compiler for C11 of 32 bits: no integers of 128 bits
(base/wide_int.h has them), and no pointer in a number that has another size."""

import re

import tree

_WIDE = re.compile(r"\b(?:__u?int128(?:_t)?|_BitInt)\b|(?<=\()unsigned long(?: int)?(?=\)\s*&)")


def check(files):
    return tree.words(files, _WIDE, "compilers for 32 bits have no such type, or one of another size")


def check_tree():
    return check(tree.sources("lib", "include", "tools"))


def self_test():
    def run(text):
        return check({"lib/csv/a.c": text})

    tree.expect(run("int f(void) {\n    __int128 number;\n}"), "lib/csv/a.c:2: __int128")
    tree.expect(run("unsigned __int128 a; __uint128_t b;"), "__int128", "__uint128_t")
    tree.expect(run("p = (unsigned long)&a;"), "unsigned long")
    tree.expect(run("/* an __int128 */ lam_wide_int number; x = (unsigned long)a;"))


if __name__ == "__main__":
    tree.main(check_tree, self_test)
