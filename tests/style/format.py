# SPDX-License-Identifier: Apache-2.0
"""Every C and C++ file is as clang-format 14 lays it out by .clang-format."""

import re
import shutil
import subprocess
import sys

import tree

VERSION = 14


def find():
    """A clang-format of the version that .clang-format is written for, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program is None:
            continue
        about = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        if re.search(rf"\bversion {VERSION}\.", about.stdout):
            return program
    return None


def problem_lines(report):
    return [line for line in report.splitlines() if "-Wclang-format-violations" in line]


def _run(program, arguments, text=None):
    command = [program, "--dry-run", "-Werror", "--style=file"] + arguments
    done = subprocess.run(
        command, cwd=tree.ROOT, input=text, capture_output=True, text=True, check=False
    )
    problems = problem_lines(done.stderr)
    if done.returncode != 0 and not problems:
        problems = [done.stderr.strip() or f"{program} failed"]
    return problems


def check(program, paths):
    return _run(program, paths) if paths else ["no C file found"]


def self_test(program):
    def run(text):
        return _run(program, ["--assume-filename=tests/style/snippet.c"], text)

    tree.expect(run("int f(void) {\n    return 1;\n}\n"))
    assert run("int f(void)\n{\n    return 1;\n}\n"), "a brace on its own line"
    assert run("int f(void) {\n  return 1;\n}\n"), "two spaces"
    assert run("int f(void) {\n    return 1 ;\n}\n"), "a space before a semicolon"
    assert run("char* a;\n"), "the star at the type"
    tree.expect(_run(program, ["--no-such-option"], ""), "no-such-option")


if __name__ == "__main__":
    FORMATTER = find()
    if FORMATTER is None:
        print(f"skipped: no clang-format {VERSION} here")
        sys.exit(tree.SKIP)
    SOURCES = [path for path in tree.paths() if path.endswith((".c", ".h", ".cpp"))]
    tree.main(lambda: check(FORMATTER, SOURCES), lambda: self_test(FORMATTER))
