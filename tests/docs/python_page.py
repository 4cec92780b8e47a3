# SPDX-License-Identifier: Apache-2.0
"""docs/python.md and README.md: each block of Python prints the lines behind "#> " at its end, and nothing where there are none.

Usage: python_page.py EXTENSION

The blocks of a page run one after the other, in one module and one folder. A block whose library is absent is skipped by name.
LAMELLA_UPDATE=1 writes what is printed into the pages, to be read before it is committed.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

import package  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
PAGES = ["docs/python.md", "README.md"]
BLOCK = re.compile(r"^```python\n(.*?)((?:^#>[^\n]*\n)*)^```$", re.S | re.M)
LIBRARIES = {"duckdb", "fsspec", "numpy", "obstore", "pandas", "polars", "pyarrow"}


def run_python(code, names, line):
    """What the block prints, or None where a library is absent; lines of a traceback are those of the page."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, "page", "exec"), names)  # pylint: disable=exec-used
    except ModuleNotFoundError as missing:
        if missing.name not in LIBRARIES:
            raise
        print(f"skipped: the block at line {line}: {missing}")
        return None
    return "".join(f"#> {line}".rstrip() + "\n" for line in printed.getvalue().splitlines())


def walk(name, page):
    """The page as it should be, how many blocks were run, and how many print something else."""
    names, count, problems = {"__name__": "page"}, 0, 0

    def block(found):
        nonlocal count, problems
        code, text = found.groups()
        line = page.count("\n", 0, found.start()) + 1
        count += 1
        try:
            given = run_python(code, names, line)
        except Exception:
            traceback.print_exc()
            problems += 1
            return found.group(0)
        if given is None or given == text:
            return found.group(0)
        problems += 1
        print(f"{name}:{line}: prints\n{given}not\n{text}")
        return f"```python\n{code}{given}```"

    return BLOCK.sub(block, page), count, problems


def main():
    package.run_by_environment()
    folder = package.folder(sys.argv[1])
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder  # of programs that the page starts
    problems = 0
    for name in PAGES:
        path = os.path.join(ROOT, name)
        with open(path, encoding="utf-8") as file:
            page = file.read()
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            again, count, wrong = walk(name, page)
            os.chdir(HERE)
        if wrong > 0 and os.environ.get("LAMELLA_UPDATE"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(again)
        print(f"{name}: {count} blocks, {wrong} problems")
        problems += wrong + (count == 0)
    sys.exit(problems > 0)


if __name__ == "__main__":
    main()
