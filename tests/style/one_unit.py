# SPDX-License-Identifier: Apache-2.0
"""All sources of the library fit into one translation unit: file-scope names are unique in lib.

The C sources are put behind each other in the order of the build, and so are the C++ sources; each header of the
library stands where it is first included. Both units are compiled for errors alone, with the flags of the build.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import tree

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(lamella/[^>]+)>)[^\n]*\n', re.MULTILINE)
_FEATURE = re.compile(r"^#define (_[A-Z]\w*)(.*)\n", re.MULTILINE)
# Flags of one source alone; warnings of names that hide others say nothing here.
_OF_ONE = re.compile(r"^(?:-c|-MD|-MMD|-W.*|-O\w*|-g\w*|-fsanitize.*|--coverage|-fprofile.*|-fdiagnostics.*)$")
_OF_ONE_WITH_NAME = ("-o", "-MQ", "-MF", "-MT")
_SELF_TEST_C = ("int f(void);\nint f(void) { return 1; }\n", "int g(void);\nint g(void) { return 2; }\n")


def _plain(command):
    """Compiler and flags of a command, without what concerns one source and its output."""
    words, kept, skip = shlex.split(command), [], False
    for word in words:
        if skip:
            skip = False
        elif word in _OF_ONE_WITH_NAME:
            skip = True
        elif not _OF_ONE.match(word):
            kept.append(word)
    return kept


def unit(files, find):
    """The sources as one text. `find` gives the path and text of a header, or None for a foreign one."""
    seen, features = set(), {}

    def inline(path, text):
        def replace(match):
            name = match.group(1) or match.group(2)
            line = text.count("\n", 0, match.end()) + 1
            found = find(name, path)
            if found is None:
                return match.group()
            header, body = found
            if header in seen:
                return "\n"
            seen.add(header)
            return f'{inline(header, body)}\n#line {line} "{path}"\n'

        return f'#line 1 "{path}"\n' + _INCLUDE.sub(replace, text)

    def hoist(match):
        features.setdefault(match.group(1), match.group(2))
        return "\n"

    body = "".join(inline(path, _FEATURE.sub(hoist, text)) + "\n" for path, text in files)
    return "".join(f"#define {name}{value}\n" for name, value in features.items()) + body


def compile_unit(command, directory, text, suffix):
    """What the compiler says against a unit, as lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "unit" + suffix)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            command + ["-O0", "-Werror", "-fdiagnostics-color=never", "-fsyntax-only", path],
            cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return [line for line in done.stderr.split("\n") if "error:" in line] or [done.stderr]


def _library_sources(build):
    """Sources of lib as the build compiles them for the shared library: (path, command, directory)."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found, seen = [], set()
    for entry in entries:
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        path = os.path.relpath(source, tree.ROOT)
        if path.startswith("lib" + os.sep) and path not in seen:
            seen.add(path)
            found.append((path, entry["command"], entry["directory"]))
    return found


def _finder(directory, flags):
    roots = [os.path.join(tree.ROOT, "include"), os.path.join(tree.ROOT, "lib")]
    roots += [os.path.normpath(os.path.join(directory, flag[2:])) for flag in flags if flag.startswith("-I")]

    def find(name, origin):
        for root in [os.path.dirname(os.path.join(tree.ROOT, origin))] + roots:
            path = os.path.join(root, name)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    return os.path.relpath(path, tree.ROOT), file.read()
        return None

    return find


def check_tree():
    build = next((word[len("--build=") :] for word in sys.argv[1:] if word.startswith("--build=")), None)
    if build is None or not os.path.isfile(os.path.join(build, "compile_commands.json")):
        print("no compile_commands.json: give --build=FOLDER")
        sys.exit(tree.SKIP)
    problems = []
    for suffix in (".c", ".cpp"):
        entries = [entry for entry in _library_sources(build) if entry[0].endswith(suffix)]
        flags = []
        for _, command, directory in entries:
            # Each source may have include folders and definitions of its own: the unit has them all.
            words = [word for word in _plain(command)[:-1] if not word.endswith(suffix)]
            flags = flags or words
            flags += [word for word in words if word not in flags]
        if not entries:
            problems.append(f"the build compiles no {suffix} source of lib")
            continue
        directory = entries[0][2]
        files = [(path, tree.read(os.path.join(tree.ROOT, path)) or "") for path, _, _ in entries]
        text = unit(files, _finder(directory, flags))
        problems += compile_unit(flags, directory, text, suffix)
    return problems


def self_test():
    compiler = next((word[len("--cc=") :] for word in sys.argv[1:] if word.startswith("--cc=")), "cc").split()

    def run(*texts, headers=None):
        headers = headers or {}
        files = [(f"lib/base/{i}.c", text) for i, text in enumerate(texts)]
        found = lambda name, origin: (name, headers[name]) if name in headers else None
        return compile_unit(compiler + ["-std=c11"], ".", unit(files, found), ".c")

    tree.expect(run(*_SELF_TEST_C))
    tree.expect(run("static int f;\n", "static void f(void);\n"), "lib/base/1.c:1:13: error")
    tree.expect(run("enum { MOST = 1 };\n", "\nenum { MOST = 2 };\n"), "lib/base/1.c:2:8: error")
    tree.expect(run("#define MOST 1\n", "#define MOST 2\n"), "MOST")
    header = {"base/a.h": "typedef struct { int b; } a;\n"}
    using = '#include "base/a.h"\n'
    tree.expect(run(using + "a x;\n", using + "a y;\n", headers=header))
    tree.expect(run(using + "a x;\n", using + "\nint x;\n", headers=header), "lib/base/1.c:3:5: error")
    assert unit([("a.c", "#define _B 1\nint a;\n"), ("b.c", "#define _B 1\n")], None).startswith("#define _B 1\n#line")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
