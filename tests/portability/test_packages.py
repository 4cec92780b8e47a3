# SPDX-License-Identifier: Apache-2.0
"""tools/packages --print: names for every system, in sets of which each holds the one before."""

import subprocess
import sys

TOOL = sys.argv[1]
SYSTEMS = ("debian", "fedora", "alpine", "arch", "homebrew")
ZSTD = {"debian": "libzstd-dev", "fedora": "libzstd-devel", "alpine": "zstd-dev"}


def run(*options):
    return subprocess.run([TOOL, *options], capture_output=True, text=True, check=False)


def names(system, *options):
    done = run(*options, "--print", "--for", system)
    assert done.returncode == 0 and done.stderr == "", done
    found = done.stdout.split("\n")[:-1]
    assert found and len(set(found)) == len(found), found
    for name in found:
        assert name == name.strip() and not set(name) & set(" ,|") and name != "-", name
    return set(found)


for SYSTEM in SYSTEMS:
    program, page = names(SYSTEM, "--program"), names(SYSTEM, "--page")
    build, tests = names(SYSTEM), names(SYSTEM, "--tests")
    assert program <= page < build < tests, SYSTEM
    assert ZSTD.get(SYSTEM, "zstd") in program and "cmake" in tests - build, SYSTEM

for OPTIONS in (["--for", "arch"], ["--print", "--for"], ["--print", "--for", "table"], ["--all"]):
    MISUSED = run(*OPTIONS)
    assert MISUSED.returncode == 2 and MISUSED.stderr.startswith("usage: "), OPTIONS
print(f"{len(SYSTEMS)} systems")
