# SPDX-License-Identifier: Apache-2.0
"""A newcomer finds his way: rooms of lib/ are small, and each folder has a page that is short.

A room is a folder with sources. Its README lists all of them, so that none is hidden.
"""

import collections
import os
import re

import tree

ROOM_SOURCES = 20
PAGE_LINES = 30
ROOT_LINES = 200

_SOURCE = re.compile(r"lib/(?:\w+/)+\w+\.(?:c|cpp)")
_NAME = re.compile(r"`([\w/]+\.(?:c|cpp|h))`")


def check(paths, pages):
    """`pages`: the READMEs of lib/, by path."""
    problems = []
    rooms = collections.Counter(os.path.dirname(path) for path in paths if _SOURCE.fullmatch(path))
    problems += [f"{room}/: {count} sources, more than {ROOM_SOURCES}"
                 for room, count in sorted(rooms.items()) if count > ROOM_SOURCES]
    folders = sorted({"/".join(room.split("/")[:2]) for room in rooms})
    for folder in folders:
        page = f"{folder}/README.md"
        if page not in pages:
            problems.append(f"{folder}/: has no README.md")
            continue
        lines = pages[page].count("\n")
        if lines > PAGE_LINES:
            problems.append(f"{page}: {lines} lines, more than {PAGE_LINES}")
        named = {f"{folder}/{name}" for name in _NAME.findall(pages[page])}
        problems += [f"{page}: does not name {path[len(folder) + 1:]}" for path in sorted(paths)
                     if path.startswith(folder + "/") and _SOURCE.fullmatch(path) and path not in named]
    lines = pages.get("lib/README.md", "").count("\n")
    if lines > ROOT_LINES:
        problems.append(f"lib/README.md: {lines} lines, more than {ROOT_LINES}")
    return problems


def check_tree():
    paths = tree.paths()
    return check(paths, {path: tree.read(path) for path in paths if re.fullmatch(r"lib/(\w+/)?README\.md", path)})


def self_test():
    page = {"lib/a/README.md": "`b.c` `c/d.cpp`\n"}
    tree.expect(check(["lib/a/b.c", "lib/a/c/d.cpp", "lib/a/b.h"], page))
    tree.expect(check(["lib/a/b.c", "lib/a/e.c"], page), "lib/a/README.md: does not name e.c")
    tree.expect(check(["lib/b/b.c"], page), "lib/b/: has no README.md")
    tree.expect(check([], {"lib/README.md": "\n" * 201}), "201 lines")
    tree.expect(check(["lib/a/b.c"], {"lib/a/README.md": "`b.c`" + "\n" * 31}), "31 lines")
    many = [f"lib/a/f{i}.c" for i in range(21)]
    tree.expect(check(many, {"lib/a/README.md": " ".join(f"`f{i}.c`" for i in range(21))}), "lib/a/: 21 sources")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
