#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles sources to one WebAssembly module, which the page of `lamella explain` runs.

usage: build_live.py --check
       build_live.py --out FILE --work FOLDER --depfile FILE --features FILE
                     [--include FOLDER]... SOURCE...

With --check nothing is written: the status says whether Clang, its linker and the WASI libraries
for C and C++ are there. Otherwise sources whose objects are older than what they include are
compiled, and all of them linked; what no exported function reaches is left out.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TARGET = "wasm32-wasi"
VERSIONS = ["", "-19", "-18", "-17", "-16", "-15", "-14"]
# Files of numbers must be the same on every machine: no operation is fused with another.
FLAGS = ["-Oz", "-ffunction-sections", "-fdata-sections", "-ffp-contract=off", "-fvisibility=hidden",
         "-DLAMELLA_BUILDING", "-DLAMELLA_LIVE", "-DXXH_INLINE_ALL", "-DNDEBUG", "-Wall", "-Wextra"]
LINK = ["-mexec-model=reactor", "-Wl,--gc-sections", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576",
        "-Wl,--max-memory=268435456", "-lc++", "-lc++abi"]


def tools():
    """The C compiler, the C++ compiler and where the headers of libc++ are; None without them."""
    for version in VERSIONS:
        c, cpp = shutil.which("clang" + version), shutil.which("clang++" + version)
        if not c or not cpp:
            continue
        root = Path(subprocess.run([c, "-print-resource-dir"], capture_output=True, text=True,
                                   check=True).stdout.strip()).parents[2]
        headers = root / "include" / TARGET / "c++" / "v1"
        library = root / "lib" / TARGET
        if (headers / "charconv").is_file():
            return c, cpp, ["-nostdinc++", "-isystem", str(headers)], ["-L", str(library)]
    return None


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(" ".join(map(str, command)) + "\n" + done.stderr)
    return done.returncode == 0


def command_of(found, source, folders):
    c, cpp, cpp_flags, _ = found
    is_cpp = source.endswith(".cpp")
    language = ["-std=c++17", "-fno-exceptions", "-fno-rtti", *cpp_flags] if is_cpp else ["-std=c11"]
    cached = [shutil.which("ccache")] if shutil.which("ccache") else []
    return [*cached, cpp if is_cpp else c, "--target=" + TARGET, *language, *FLAGS,
            *[flag for folder in folders for flag in ("-I", folder)]]


def inputs_of(depfile):
    """What a source includes, as its compiler wrote it."""
    text = depfile.read_text().replace("\\\n", " ")
    return text.split(":", 1)[1].split()


def compile_one(found, source, folders, work):
    command = command_of(found, source, folders)
    stamp = hashlib.sha256("\0".join([*command, source]).encode()).hexdigest()[:12]
    target = work / f"{Path(source).name}.{stamp}.o"
    depfile = target.with_suffix(".d")
    if target.is_file() and depfile.is_file():
        made = target.stat().st_mtime
        if all(os.path.exists(p) and os.stat(p).st_mtime <= made for p in inputs_of(depfile)):
            return target, depfile
    if not run([*command, "-MD", "-MF", str(depfile), "-c", source, "-o", str(target)]):
        return None
    return target, depfile


def build(options):
    found = tools()
    if found is None:
        sys.exit("no Clang with libc++ for " + TARGET)
    work = Path(options.work)
    # <lamella/features.h> of the module stands before that of the tree.
    headers = work / "include"
    (headers / "lamella").mkdir(parents=True, exist_ok=True)
    features = headers / "lamella" / "features.h"
    content = Path(options.features).read_text()
    if not features.is_file() or features.read_text() != content:
        features.write_text(content)
    options.include.insert(0, str(headers))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda s: compile_one(found, s, options.include, work), options.sources))
    if None in made:
        sys.exit(1)
    objects = [str(target) for target, _ in made]
    if not run([found[1], "--target=" + TARGET, *objects, *found[3], *LINK, "-o", options.out]):
        sys.exit(1)
    needed = sorted({path for _, depfile in made for path in inputs_of(depfile)})
    Path(options.depfile).write_text(f"{options.out}: " + " ".join(needed) + "\n")


def check():
    """Compiles and links what the library needs most."""
    found = tools()
    if found is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "check.cpp")
        Path(source).write_text("#include <charconv>\n#include <cstdlib>\n#include <xxhash.h>\n"
                                "extern \"C\" __attribute__((export_name(\"go\"))) int go(char *p) {\n"
                                "  return int(std::to_chars(p, p + 9, std::strtod(p, &p)).ptr - p)\n"
                                "       + int(XXH64(p, 9, 0)); }\n")
        out = os.path.join(folder, "check.wasm")
        command = command_of(found, source, [])
        return run([*command, "-c", source, "-o", source + ".o"]) and \
            run([found[1], "--target=" + TARGET, source + ".o", *found[3], *LINK, "-o", out])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--work")
    parser.add_argument("--depfile")
    parser.add_argument("--features")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("sources", nargs="*")
    options = parser.parse_args()
    if options.check:
        sys.exit(0 if check() else 1)
    build(options)


main()
