# SPDX-License-Identifier: Apache-2.0
"""What a static program takes of the library, for five uses and all of it.

In: the archive, the compiler, and small programs that each use one part of the library. Out: kilobytes of
code and constants, and of data, that the linker keeps with -Wl,--gc-sections; other libraries are shared,
and the C runtime's own part is subtracted. With --check the table of docs/results.md must not be smaller
by more than LEEWAY; with --write it is written anew. The table is of one compiler and one machine: others
are not compared with it, and the linker is GNU's.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile

LEEWAY = 0.03
SKIP = 77
USES = [
    ("footer reader", "least_footer.c"),
    ("column reader", "least_column.c"),
    ("record writer", "least_writer.c"),
    ("logger", "least_logger.c"),
    ("shred and assemble", "least_dremel.c"),
]
_TABLE = re.compile(r"(<!-- sizes -->\n)(.*?)(<!-- /sizes -->)", re.DOTALL)
_ROW = re.compile(r"^\| ([^|]+?) \| ([\d.]+) \|$", re.MULTILINE)
_MACHINE = re.compile(r"^Static sizes, (.*):$", re.MULTILINE)


def size_of(path):
    """Code, constants and data of a program, in bytes."""
    lines = subprocess.run(["size", path], capture_output=True, text=True, check=True).stdout.splitlines()
    text, data = lines[1].split()[:2]
    return int(text) + int(data)


def build(arguments, source, out):
    subprocess.run(arguments.cc.split() + ["-O2", "-ffunction-sections", "-fdata-sections", "-o", out, source]
                   + [f"-I{folder}" for folder in arguments.include] + ["-fuse-ld=bfd", "-Wl,--gc-sections"]
                   + ([arguments.archive] + arguments.libraries.split() + ["-lstdc++"] if arguments.archive else []),
                   check=True)
    return size_of(out)


def measure(arguments, folder):
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.NamedTemporaryFile("w", suffix=".c", dir=folder) as nothing:
        nothing.write("int main(void) { return 0; }\n")
        nothing.flush()
        least = build(argparse.Namespace(**{**vars(arguments), "archive": ""}), nothing.name,
                      os.path.join(folder, "nothing"))
    rows = [(use, build(arguments, os.path.join(here, source), os.path.join(folder, source[:-2])) - least)
            for use, source in USES]
    return rows + [("all, as a shared library", size_of(arguments.shared))]


def machine(cc):
    version = subprocess.run(cc.split() + ["-dumpfullversion"], capture_output=True, text=True, check=False)
    named = subprocess.run(cc.split() + ["--version"], capture_output=True, text=True, check=True).stdout
    name = "GCC" if "Free Software Foundation" in named else "Clang"
    return f"{name} {version.stdout.strip()}, {platform.machine()}, -O3"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", required=True)
    parser.add_argument("--archive", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--libraries", default="")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--results", required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.results, encoding="utf-8") as file:
        page = file.read()
    here = machine(arguments.cc)
    stated = _MACHINE.search(page)
    if arguments.check and (stated is None or stated.group(1) != here):
        print(f"sizes are those of {stated.group(1) if stated else 'nobody'}; this is {here}")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(arguments, folder)
    before = {use: float(size) for use, size in _ROW.findall(_TABLE.search(page).group(2))}
    problems = 0
    for use, size in rows:
        grown = size / 1000 / before[use] - 1 if use in before else 0
        problems += use not in before or grown > LEEWAY
        print(f"{use:26} {size / 1000:8.1f} kB" + (f" {grown * 100:+6.1f} %" if use in before else "  not in the table"))
    if arguments.write:
        table = "| what is used | kB |\n|---|---|\n" + "".join(f"| {use} | {size / 1000:.1f} |\n" for use, size in rows)
        page = _TABLE.sub(lambda match: f"{match.group(1)}Static sizes, {here}:\n\n{table}{match.group(3)}", page)
        with open(arguments.results, "w", encoding="utf-8") as file:
            file.write(page)
    if arguments.check and problems:
        print(f"{arguments.results} says less, by more than {LEEWAY * 100:.0f} %: see why, or write it anew with `ninja sizes`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
