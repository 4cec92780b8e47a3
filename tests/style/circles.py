# SPDX-License-Identifier: Apache-2.0
"""Sources of lib/ that call each other in a circle are listed here, with the reason why they may.

Usage: circles.py [--self-test] [--nm=COMMAND] --build=FOLDER

What is asked are the objects of a build: which of them defines a symbol, and which use it. Layers and includes cannot
say that, as one header may serve many sources.
"""

import json
import os
import re
import subprocess
import sys

import tree

CIRCLES = 4
FILES = 3

# Each a set of sources, seen from lib/, and what would be lost if one of them were below the others.
ALLOWED = {
    ("base/alloc.c", "base/budget.c"):
        "every allocation asks the budget that its allocator may have, and a budget comes from an allocator",
    ("log/queue/log_handover.c", "log/queue/log_producer.c", "log/queue/log_thread.c"):
        "one protocol of locks between producers and the thread, said in log_state.h",
    ("schema/logical_type.c", "schema/type_statement.c"):
        "a logical type keeps what a footer stated of it, and a statement the type that it was taken for",
}

_LINE = re.compile(r"^(.*?):\s*[0-9a-fA-F]*\s+([A-Za-z])\s+(\S+)$")
_STRONG = "TDBRC"


def symbols(nm_output):
    """Two dicts of an object to its symbols: those that it defines, and those that it uses."""
    defined, used = {}, {}
    for line in nm_output.splitlines():
        match = _LINE.match(line)
        if match:
            path, kind, name = match.groups()
            if kind == "U":
                used.setdefault(path, set()).add(name)
            elif kind in _STRONG:
                defined.setdefault(path, set()).add(name)
    return defined, used


def graph(defined, used):
    """Who needs whom: a dict of a source to one of its sources, to the symbols that it takes from there."""
    homes = {name: path for path, names in defined.items() for name in names}
    needs = {path: {} for path in sorted(set(defined) | set(used))}
    for path, names in used.items():
        for name in names:
            home = homes.get(name, path)
            if home != path:
                needs[path].setdefault(home, set()).add(name)
    return needs


def circles(needs):
    """Sets of sources that reach each other, as sorted tuples."""
    def reached(start):
        seen, open_ends = set(), [start]
        while open_ends:
            for other in needs.get(open_ends.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    open_ends.append(other)
        return seen

    reach = {path: reached(path) for path in needs}
    found = {tuple(sorted(other for other in reach[path] if path in reach.get(other, ()))) for path in needs}
    return sorted(circle for circle in found if circle)


def _words(circle, needs):
    calls = [f"{path} takes {', '.join(sorted(names))} of {other}"
             for path in circle for other, names in sorted(needs[path].items()) if other in circle]
    return "; ".join(calls)


def check(nm_output, source_of, allowed):
    """`source_of` gives the source of an object, seen from lib/."""
    defined, used = ({source_of(path): names for path, names in side.items()} for side in symbols(nm_output))
    if not defined:
        return ["the objects define nothing at all"]
    needs = graph(defined, used)
    found = circles(needs)
    problems = [f"{len(circle)} sources in a circle that is not listed: {_words(circle, needs)}"
                for circle in found if circle not in allowed]
    problems += [f"{', '.join(circle)}: listed, and no circle" for circle in sorted(allowed) if circle not in found]
    problems += [f"{', '.join(circle)}: more than {FILES} sources"
                 for circle in sorted(allowed) if len(circle) > FILES]
    if len(allowed) > CIRCLES:
        problems.append(f"{len(allowed)} circles are listed, more than {CIRCLES}")
    return problems


def objects(build):
    """The objects of lib/ in a build, each with its source."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    inside = os.path.join(tree.ROOT, "lib") + os.sep
    found = {}
    for command in commands:
        source = os.path.realpath(os.path.join(command["directory"], command["file"]))
        path = os.path.join(command["directory"], command["output"])
        if source.startswith(inside) and os.path.exists(path):
            found[path] = os.path.relpath(source, inside)
    return found


def check_tree():
    nm, build = ["nm"], None
    for argument in sys.argv[1:]:
        if argument.startswith("--nm="):
            nm = argument.split("=", 1)[1].split()
        elif argument.startswith("--build="):
            build = argument.split("=", 1)[1]
    found = objects(build)
    output = subprocess.run(nm + ["-A", "-g"] + sorted(found), capture_output=True, text=True, check=True).stdout
    built = set(found.values())
    return check(output, found.get, {circle: why for circle, why in ALLOWED.items() if built.issuperset(circle)})


def self_test():
    def lines(*facts):
        return "\n".join(f"b/{path}.o:{'0' * 16 if kind != 'U' else ' ' * 16} {kind} {name}"
                         for path, kind, name in facts)

    def run(output, *allowed):
        return check(output, lambda path: path[2:-2] + ".c", {circle: "because" for circle in allowed})

    pair = lines(("a", "T", "f"), ("a", "U", "g"), ("b", "T", "g"), ("b", "U", "f"), ("a", "t", "s"), ("b", "U", "s"))
    tree.expect(run(lines(("a", "T", "f"), ("a", "U", "g"), ("b", "T", "g"), ("b", "U", "malloc"))))
    tree.expect(run(lines(("a", "W", "f"), ("a", "U", "g"), ("b", "T", "g"), ("b", "W", "f"), ("b", "U", "f"))))
    tree.expect(run(pair), "2 sources in a circle that is not listed: a.c takes g of b.c; b.c takes f of a.c")
    tree.expect(run(pair, ("a.c", "b.c")))
    tree.expect(run(pair, ("a.c", "b.c"), ("c.c", "d.c")), "c.c, d.c: listed, and no circle")
    tree.expect(run(""), "define nothing")
    ring = lines(*[(name, "T", name) for name in "abcd"], *[(x, "U", y) for x, y in zip("abcd", "bcda")])
    tree.expect(run(ring), "4 sources in a circle")
    tree.expect(run(ring, ("a.c", "b.c", "c.c", "d.c")), "a.c, b.c, c.c, d.c: more than 3 sources")
    many = "\n".join(pair.replace("/a", f"/a{i}").replace("/b", f"/b{i}").replace(" f", f" f{i}").replace(" g", f" g{i}")
                     for i in range(5))
    tree.expect(run(many, *[(f"a{i}.c", f"b{i}.c") for i in range(5)]), "5 circles are listed, more than 4")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
