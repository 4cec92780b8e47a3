# SPDX-License-Identifier: Apache-2.0
"""Every C source of the library and the program compiles with the headers of musl, which declare no more than asked for.

What went wrong: glibc declares clock_gettime and PATH_MAX to programs that did not ask for POSIX.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tree

# Headers of packages, which musl's own come before.
_PACKAGES = ["-idirafter", "/usr/include"]
_KEPT = ("-D", "-I", "-std=")


def compile_source(flags, directory, path):
    """What the compiler says against a source, as lines."""
    command = ["musl-gcc", "-fsyntax-only", "-Wall", "-Werror", *flags, *_PACKAGES, path]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.split("\n") if "error:" in line]
    return [] if done.returncode == 0 else lines or [done.stderr]


def _sources(build):
    """(flags, directory, path) of each C source of lib and tools, once."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        folder = os.path.relpath(path, tree.ROOT).split(os.sep)[0]
        if folder in ("lib", "tools") and path.endswith(".c"):
            flags = [
                word for word in shlex.split(entry["command"])
                if word.startswith(_KEPT) and not word.startswith(("-D_FORTIFY", "-D_TIME_BITS", "-I/usr/include/x86"))
            ]  # fmt: skip
            found.setdefault(path, (flags, entry["directory"], path))
    return list(found.values())


def check_tree():
    build = next((word[len("--build=") :] for word in sys.argv[1:] if word.startswith("--build=")), None)
    if shutil.which("musl-gcc") is None or build is None:
        print("no musl-gcc, or no --build=FOLDER")
        sys.exit(tree.SKIP)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problems in pool.map(lambda job: compile_source(*job), _sources(build)) for problem in problems]


def self_test():
    if shutil.which("musl-gcc") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.c")

        def run(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return compile_source(["-std=c11"], folder, path)

        body = "#include <limits.h>\nchar path[PATH_MAX];\n"
        tree.expect(run(body), "PATH_MAX")
        tree.expect(run("#define _POSIX_C_SOURCE 200809L\n" + body))


if __name__ == "__main__":
    tree.main(check_tree, self_test)
