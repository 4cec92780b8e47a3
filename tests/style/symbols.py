# SPDX-License-Identifier: Apache-2.0
"""The shared library exports what the public headers declare LAM_PUBLIC, and nothing else.

Usage: symbols.py [--self-test] [--nm=COMMAND] [--without=HEADER]... LIBRARY
"""

import os
import re
import subprocess
import sys

import tree

_DECLARED = re.compile(r"\bLAM_PUBLIC\b[^;{}]*?\b(\w+)\s*\(([^;{}]*)\)[^;{}()]*;")
_ATTRIBUTE = re.compile(r"\bLAM_(?:NODISCARD|PRINTF\s*\([^)]*\))|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


def declared(files):
    """The functions that the headers declare LAM_PUBLIC: name to header."""
    names = {}
    for path, text in files.items():
        code = _ATTRIBUTE.sub("", tree.code(text))
        for match in _DECLARED.finditer(code):
            names[match[1]] = path
    return names


def exported(nm_output):
    """The names in the output of nm -D --defined-only, without versions."""
    lines = [line.split() for line in nm_output.splitlines()]
    return {line[-1].split("@")[0] for line in lines if len(line) >= 2 and line[-2] != "A"}


def check(files, nm_output, library):
    names = declared(files)
    found = exported(nm_output)
    problems = [
        f"{library}: exports {name}, which has no lam_ prefix"
        for name in sorted(found)
        if not name.startswith("lam_")
    ]
    problems += [
        f"{library}: exports {name}, which no public header declares LAM_PUBLIC"
        for name in sorted(found)
        if name.startswith("lam_") and name not in names
    ]
    problems += [
        f"{names[name]}: declares {name} LAM_PUBLIC, which the library does not export"
        for name in sorted(names)
        if name not in found
    ]
    if not found:
        problems.append(f"{library}: exports nothing at all")
    return problems


def check_tree():
    nm = ["nm"]
    without = set()
    library = None
    for argument in sys.argv[1:]:
        if argument.startswith("--nm="):
            nm = argument.split("=", 1)[1].split()
        elif argument.startswith("--without="):
            without.add("include/lamella/" + argument.split("=", 1)[1])
        else:
            library = argument
    command = nm + ["-D", "--defined-only", library]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    files = {path: text for path, text in tree.sources("include").items() if path not in without}
    return check(files, output, os.path.basename(library))


def self_test():
    header = (
        "#define LAM_PUBLIC __attribute__((visibility(\"default\")))\n"
        "LAM_PUBLIC const char *lam_a(void);\n"
        "/* LAM_PUBLIC int lam_comment(void); */\n"
        "LAM_PUBLIC LAM_NODISCARD lam_status lam_b(int x,\n    void (*each)(void *state));\n"
        "static inline int lam_inline(void) { return 1; }\n"
        "LAM_PUBLIC void lam_c(const char *format, ...) LAM_PRINTF(1, 2);\n"
    )
    files = {"include/lamella/a.h": header}
    assert sorted(declared(files)) == ["lam_a", "lam_b", "lam_c"], declared(files)
    good = "0000 T lam_a\n0001 T lam_b@@LAM_0\n0002 T lam_c\n0000 A LAM_0\n"

    tree.expect(check(files, good, "l.so"))
    tree.expect(check(files, good + "0003 T helper\n", "l.so"), "exports helper, which has no lam_")
    tree.expect(check(files, good + "0003 W _ZN3fooEv\n", "l.so"), "_ZN3fooEv")
    tree.expect(check(files, good + "0003 D lam_table\n", "l.so"), "lam_table, which no public header")
    tree.expect(check(files, good.replace("lam_b", "lam_a"), "l.so"), "declares lam_b LAM_PUBLIC")
    tree.expect(check({}, "", "l.so"), "exports nothing")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
