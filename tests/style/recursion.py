# SPDX-License-Identifier: Apache-2.0
"""What calls itself in the library is listed in recursions.txt, with what bounds how often.

The compiler draws the graph of calls of each C source (-fcallgraph-info, GCC), without optimization, so that no call
is merged away. Calls through pointers are not in it: those of Arrow's release callbacks are as deep as arrays.
"""

import concurrent.futures
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import tree

_LIST = os.path.join("tests", "style", "recursions.txt")
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
# What stands before a compiler and gives its output from a cache: the graph is no part of that.
_LAUNCHERS = ("ccache", "sccache")
_DROPPED = re.compile(r"^(?:-c|-MD|-W.*|-O\w*|-g\w*|-fsanitize.*|--coverage|-fdiagnostics.*)$")


def edges_of(text):
    """Pairs of names, without the files that static functions are in: names are unique in lib."""
    return [tuple(name.rsplit(":", 1)[-1] for name in pair) for pair in _EDGE.findall(text)]


def cycles(edges):
    """Sets of functions that reach each other, as sorted tuples (Tarjan's components)."""
    calls = {}
    for caller, called in edges:
        calls.setdefault(caller, set()).add(called)
    index, low, stack, found = {}, {}, [], []
    for start in sorted(calls):
        if start in index:
            continue
        work = [(start, iter(sorted(calls[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            name, rest = work[-1]
            for called in rest:
                if called not in index:
                    index[called] = low[called] = len(index)
                    stack.append(called)
                    work.append((called, iter(sorted(calls.get(called, ())))))
                    break
                if called in stack:
                    low[name] = min(low[name], index[called])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    component, stack[at:] = stack[at:], []
                    if len(component) > 1 or name in calls.get(name, ()):
                        found.append(tuple(sorted(component)))
    return sorted(found)


def read_list(text):
    """Lines `function...: bound` as a dict of functions, as a sorted tuple, to the bound."""
    listed = {}
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            names, _, bound = line.partition(":")
            listed[tuple(sorted(names.split()))] = bound.strip()
    return listed


def compare(found, listed):
    problems = [f"{_LIST}: {' '.join(names)} has no bound" for names, bound in listed.items() if not bound]
    for names in found:
        if names not in listed:
            problems.append(f"recursion that is not in {_LIST}: {' '.join(names)}")
    for names in listed:
        if names not in found:
            problems.append(f"{_LIST}: no such recursion: {' '.join(names)}")
    return problems


def _plain(command):
    """Compiler and flags of a command, without what starts the compiler and what concerns its output."""
    words, kept, skip = shlex.split(command), [], False
    while os.path.basename(words[0]) in _LAUNCHERS:
        words = words[1:]
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MQ", "-MF", "-MT"):
            skip = True
        elif not _DROPPED.match(word):
            kept.append(word)
    return kept


def _draw(entry, folder, number):
    """Puts the graph of calls of one source into a folder, and returns what was said against that."""
    target = os.path.join(folder, str(number))
    command = _plain(entry["command"]) + ["-O0", "-w", "-S", "-fcallgraph-info", "-o", target + ".s"]
    # A compiler can be a link to ccache too.
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    done = subprocess.run(
        command, cwd=entry["directory"], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    return "" if os.path.isfile(target + ".ci") else f"no graph of calls was drawn by: {shlex.join(command)}"


def check_tree():
    build = next((word[len("--build=") :] for word in sys.argv[1:] if word.startswith("--build=")), None)
    if build is None or not os.path.isfile(os.path.join(build, "compile_commands.json")):
        print("no compile_commands.json: give --build=FOLDER")
        sys.exit(tree.SKIP)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {}
        for entry in json.load(file):
            source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
            path = os.path.relpath(source, tree.ROOT)
            if path.startswith("lib" + os.sep) and path.endswith(".c"):
                entries.setdefault(path, entry)
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(lambda pair: _draw(pair[1], folder, pair[0]), enumerate(entries.values())))
        if any("unrecognized" in fault or "unknown argument" in fault for fault in faults):
            print("the compiler draws no graph of calls")
            sys.exit(tree.SKIP)
        edges = []
        for path in glob.glob(os.path.join(folder, "*.ci")):
            with open(path, encoding="utf-8") as file:
                edges += edges_of(file.read())
    return [fault for fault in faults if fault] + compare(cycles(edges), read_list(tree.read(_LIST)))


def self_test():
    # A compiler behind a cache drew no graph where the cache had the object.
    assert _plain("/usr/bin/ccache cc -Ilib -O3 -MD -MF a.d -o a.o -c a.c") == ["cc", "-Ilib", "a.c"]
    assert edges_of('edge: { sourcename: "../lib/a.c:f" targetname: "g" label: "x" }\n') == [("f", "g")]
    assert cycles([("a", "b"), ("b", "c")]) == []
    assert cycles([("a", "a"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")]) == [("a",), ("b", "c", "d")]
    listed = read_list("# words\na: the depth of a schema\nc b: 64\n")
    tree.expect(compare([("a",), ("b", "c")], listed))
    tree.expect(compare([("a",)], listed), "no such recursion: b c")
    tree.expect(compare([("a",), ("b", "c"), ("d",)], listed), "not in")
    tree.expect(compare([("a",)], read_list("a:\n")), "no bound")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
