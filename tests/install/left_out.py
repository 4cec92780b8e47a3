# SPDX-License-Identifier: Apache-2.0
"""A library without its parts: what is left out is not built, not installed, not exported, and not missed.

Usage: left_out.py [--meson COMMAND] [--cc COMMAND] [--each]

Builds the library alone, with every part of PARTS left out, in a folder of its own, installs it, and compiles
programs against what is there. With --each it is built once for each part, without that part alone; nothing is
installed then (ninja each-part).
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "style"))

import symbols  # noqa: E402

PARTS = ["json", "arrow", "arrow_schema", "csv", "filter_text", "variant_inference", "check", "rewrite", "recover",
         "salvage", "byte_map", "log", "snappy", "gzip", "brotli", "lz4"]  # fmt: skip
# With a part, what else its option takes along.
HEADERS = {"json": ["json.h", "table.h"], "log": ["log.h", "log_arrays.h"], "arrow": ["arrow.h", "log_arrays.h"],
           "arrow_schema": [], "snappy": [], "gzip": [], "brotli": [], "lz4": []}  # fmt: skip
PROGRAMS = ["least_writer", "least_footer", "least_column", "least_dremel"]
REFUSED = "".join(f"writing pages compressed with {name} needs a Lamella built with -D{option}=enabled\n"
                  for name, option in [("SNAPPY", "snappy"), ("GZIP", "gzip"), ("BROTLI", "brotli"), ("LZ4_RAW", "lz4")])  # fmt: skip
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror"]


def good(command, **how):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def build(options, folder, parts):
    """The library without these parts, of code as it is quickest compiled."""
    good([*options.meson.split(), "setup", folder, ROOT, "--buildtype=plain", "-Dwerror=true", "-Dtests=disabled", "-Dbench=false",
          "-Dthrift=disabled", "-Dexplain_live=disabled", "--prefix=/usr", "--libdir=lib"]
         + [f"-D{part}=disabled" for part in parts], env={**os.environ, "CC": options.cc})  # fmt: skip
    good([*options.meson.split(), "compile", "-C", folder] + (["lamella:shared_library"] if options.each else []))


def check_headers(options, include):
    """Those of all parts are missing, and each of the others compiles alone."""
    left_out = {header for part in PARTS for header in HEADERS.get(part, [part + ".h"])}
    wanted = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "include/lamella/*.h"))} - left_out
    found = set(os.listdir(os.path.join(include, "lamella")))
    if found != wanted:
        sys.exit(f"installed headers: {sorted(found - wanted)} too many, {sorted(wanted - found)} missing")
    for header in sorted(found):
        good([*options.cc.split(), *WARNINGS, "-fsyntax-only", "-I", include, "-x", "c", "-"],
             input=f"#include <lamella/{header}>\nextern int lamella_header_end;\n")  # fmt: skip


def check_symbols(include, library):
    """What is exported is what the installed headers declare."""
    files = {}
    for path in glob.glob(os.path.join(include, "lamella/*.h")):
        with open(path, encoding="utf-8") as file:
            files[os.path.basename(path)] = file.read()
    problems = symbols.check(files, good(["nm", "-D", "--defined-only", library]), os.path.basename(library))
    if problems:
        sys.exit("\n".join(problems))


def check_programs(options, top, include, libraries):
    """Programs link with nothing but what is left, and run."""
    sources = [os.path.join(ROOT, "tests/sizes", name + ".c") for name in PROGRAMS]
    for source in [*sources, os.path.join(HERE, "left_out.c")]:
        program = os.path.join(top, os.path.basename(source)[:-2])
        good([*options.cc.split(), *WARNINGS, source, "-o", program, "-I", include, os.path.join(libraries, "liblamella.a"),
              "-lzstd", "-lxxhash", "-lpthread", "-lm", "-lstdc++"])  # fmt: skip
    good(["./least_writer", "a.parquet"], cwd=top)
    answers = {name: good(["./" + name, "a.parquet"], cwd=top) for name in PROGRAMS[1:]}
    if answers != {"least_footer": "1 rows\na\n", "least_column": "1 triples\n", "least_dremel": "1 records\n"}:
        sys.exit(f"programs answer {answers}")
    refused = good(["./left_out"], cwd=top)
    if refused != REFUSED:
        sys.exit(f"refused are {refused}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meson", default="meson")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lamella-parts-") as top:
        if options.each:
            for part in PARTS:
                build(options, os.path.join(top, part), [part])
                print(f"without {part}: good", flush=True)
            return
        build(options, os.path.join(top, "build"), PARTS)
        good([*options.meson.split(), "install", "-C", os.path.join(top, "build"), "--no-rebuild", "--destdir", os.path.join(top, "there")])
        include, libraries = os.path.join(top, "there/usr/include"), os.path.join(top, "there/usr/lib")
        check_headers(options, include)
        check_symbols(include, os.path.join(libraries, "liblamella.so"))
        check_programs(options, top, include, libraries)


if __name__ == "__main__":
    main()
