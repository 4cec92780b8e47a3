# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, as C11 and as C++17, and names no other library's types.

Usage: headers.py [--self-test] [--cc=COMMAND] [--cxx=COMMAND]
"""

import os
import re
import subprocess
import sys
import tempfile

import tree

_STANDARD = {"stdbool.h", "stddef.h", "stdint.h", "inttypes.h", "limits.h", "string.h", "stdarg.h"}
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_FOREIGN = re.compile(
    r"\b(?:G(?:Object|Error|HashTable|Array|PtrArray|ByteArray|Bytes|String|List|Type)"
    r"|g(?:char|uchar|u?int(?:8|16|32|64)?|boolean|pointer|u?long|s?size|float|double)"
    r"|g_\w+|Thrift\w*|ZSTD_\w*|simdjson\w*|flatbuffers\w*|snappy_\w*|libdeflate_\w*)\b"
)
_WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def option(name, default):
    for argument in sys.argv[1:]:
        if argument.startswith(f"--{name}="):
            return argument.split("=", 1)[1].split()
    return default


def _foreign(files):
    problems = tree.words(files, _FOREIGN, "no type of another library in a public header")
    for path, text in sorted(files.items()):
        for include in _INCLUDE.finditer(tree.code(text)):
            if include[1] not in _STANDARD and not include[1].startswith("lamella/"):
                line = tree.line_of(text, include.start())
                problems.append(f"{path}:{line}: {include[1]}: not a header of C or Lamella")
    return problems


def _compile(path, root):
    name = os.path.relpath(path, "include")
    text = f"#include <{name}>\n#include <{name}>\nextern int lamella_headers_end;\n"
    problems = []
    languages = [("C11", option("cc", ["cc"]), ["-std=c11", "-x", "c"])]
    if option("cxx", ["c++"]):
        languages.append(("C++17", option("cxx", ["c++"]), ["-std=c++17", "-x", "c++"]))
    for language, compiler, flags in languages:
        command = compiler + flags + _WARNINGS + ["-I", os.path.join(root, "include"), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            problems.append(f"{path}: does not compile alone as {language}\n{done.stderr}")
    return problems


def check(files, root):
    problems = _foreign(files)
    for path in sorted(files):
        problems += _compile(path, root)
    return problems


def check_tree():
    files = tree.sources("include")
    return check(files, tree.ROOT) if files else ["include/: no header there"]


def self_test():
    def run(text):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "include/lamella"))
            with open(os.path.join(root, "include/lamella/a.h"), "w", encoding="utf-8") as file:
                file.write("#ifndef A_H\n#define A_H\n" + text + "\n#endif\n")
            return check({"include/lamella/a.h": text}, root)

    tree.expect(run("#include <stdint.h>\n/* no GError * */\nint32_t lam_f(void);"))
    tree.expect(run("int32_t lam_f(void);"), "alone as C11", "alone as C++17")
    tree.expect(run("static inline char *lam_f(void *p) { return p; }"), "alone as C++17")
    tree.expect(run("int lam_f();\nbool lam_g(void);"), "alone as C11")
    tree.expect(run("typedef struct GE GError;\nvoid lam_f(GError *error);"), "GError", "GError")
    tree.expect(run("#include <stdio.h>\nint lam_f(FILE *file);"), "stdio.h: not a header")
    tree.expect(run("struct lam_s {};\nint lam_f(void)"), "alone as C11", "alone as C++17")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
