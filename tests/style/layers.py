# SPDX-License-Identifier: Apache-2.0
"""Every #include points down: the tables of lib/README.md and docs/abi.md against the sources.

The first gives each room of lib/, a folder with sources, its layer and the public headers that it includes, the second
gives each public header its layer. A row that names more than is there fails as well.
"""

import os
import re

import tree

_TABLE = re.compile(r"<!-- layers -->(.*?)<!-- /layers -->", re.DOTALL)
_PUBLIC_TABLE = re.compile(r"<!-- public layers -->(.*?)<!-- /public layers -->", re.DOTALL)
_ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*`([\w/]+)/`\s*\|[^|\n]*\|([^|\n]*)\|", re.MULTILINE)
_PUBLIC_ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*`(\w+\.h)`\s*\|\s*(core|extension)\s*\|", re.MULTILINE)
_HEADER = re.compile(r"`(\w+\.h)`")
_UMBRELLA = "include/lamella/lamella.h"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_FOREIGN = re.compile(r"^(glib|gio|gobject|thrift)\b")


def parse_table(readme):
    """The rooms of the table and their layers."""
    table = _TABLE.search(readme)
    return {folder: int(layer) for layer, folder, _ in _ROW.findall(table.group(1))} if table else {}


def parse_public_headers(readme):
    """The public headers that each room may include."""
    table = _TABLE.search(readme)
    rows = _ROW.findall(table.group(1)) if table else []
    return {folder: set(_HEADER.findall(headers)) for _, folder, headers in rows}


def parse_public_table(readme):
    """The public headers and their layers."""
    table = _PUBLIC_TABLE.search(readme)
    return {header: int(layer) for layer, header, _ in _PUBLIC_ROW.findall(table.group(1))} if table else {}


def _room(path):
    """Where a file is, seen from lib/: base/error.h is in base, file/read/footer.h in file/read."""
    return os.path.dirname(path)


def _direction(path):
    stem = os.path.splitext(os.path.basename(path))[0]
    return next((way for way in ("write", "read") if stem.endswith("_" + way)), None)


def _inside_lib(path, bracket, name, layers):
    own = _room(path[len("lib/"):])
    if bracket == "<":
        if _FOREIGN.match(name):
            return "the library does not link GLib or Thrift"
        return "internal headers are included in quotes" if _room(name) in layers else None
    folder = _room(name)
    if folder not in layers:
        return "internal includes are written from lib/, as in \"base/error.h\""
    if folder != own and layers[folder] >= layers[own]:
        return f"{own}/ (layer {layers[own]}) may not see {folder}/ (layer {layers[folder]})"
    ways = (_direction(path), _direction(name))
    if None not in ways and ways[0] != ways[1]:
        return "a writer and a reader do not see each other"
    return None


def _above_lib(path, bracket, name, layers):
    own = path.split("/")[0]
    folder = os.path.dirname(name)
    if bracket == "<":
        return "only public headers here" if _room(name) in layers else None
    return None if folder in ("", own) else "only public headers and those of this folder here"


def _problem(path, bracket, name, layers, public):
    if name.startswith("lamella/"):
        if bracket == '"':
            return "public headers are included in angle brackets"
        return None if "include/" + name in public else "no such public header"
    if path.startswith("lib/"):
        return _inside_lib(path, bracket, name, layers)
    return _above_lib(path, bracket, name, layers)


def _includes(text):
    bare = tree.code(text)
    for include in _INCLUDE.finditer(bare):
        yield tree.line_of(bare, include.start()), include[1], include[2]


def check_public(files, page):
    """Each public header against the second table."""
    layers = parse_public_table(page)
    problems = []
    for path, text in sorted(files.items()):
        own = os.path.basename(path)
        if path == _UMBRELLA:
            continue
        if own not in layers:
            problems.append(f"{path}:1: is not in the table of public headers in docs/abi.md")
            continue
        for line, _, name in _includes(text):
            folder, _, header = name.rpartition("/")
            if folder == "lamella" and layers.get(header, layers[own]) >= layers[own]:
                problems.append(f"{path}:{line}: {header}: does not stand on a lower layer")
    names = {os.path.basename(path) for path in files}
    problems += [f"docs/abi.md: {name}: no such public header" for name in sorted(set(layers) - names)]
    return problems


def check_used(files, readme):
    """The public headers that lib/ includes against those that the rows of its folders name."""
    allowed = parse_public_headers(readme)
    used = {folder: set() for folder in allowed}
    problems = []
    for path, text in sorted(files.items()):
        folder = _room(path[len("lib/"):]) if path.startswith("lib/") else None
        if folder not in allowed:
            continue
        for line, _, name in _includes(text):
            if name.startswith("lamella/"):
                header = name[len("lamella/"):]
                used[folder].add(header)
                if header not in allowed[folder]:
                    problems.append(f"{path}:{line}: {header}: the row of {folder}/ does not name it")
    for folder in sorted(allowed):
        for header in sorted(allowed[folder] - used[folder]):
            problems.append(f"lib/README.md: the row of {folder}/ names {header}, which it does not include")
    return problems


def check(files, readme, public):
    layers = parse_table(readme)
    if not layers:
        return ["lib/README.md: no table of layers between <!-- layers --> and <!-- /layers -->"]
    problems = []
    for path, text in sorted(files.items()):
        if path.startswith("lib/") and _room(path[len("lib/"):]) not in layers:
            problems.append(f"{path}:1: its folder is not in the table of lib/README.md")
            continue
        bare = tree.code(text)
        for include in _INCLUDE.finditer(bare):
            problem = _problem(path, include[1], include[2], layers, public)
            if problem:
                problems.append(f"{path}:{tree.line_of(bare, include.start())}: {include[2]}: {problem}")
    return problems


def check_tree():
    public = set(path for path in tree.paths() if path.startswith("include/"))
    files, readme = tree.sources("lib", "tools", "bench"), tree.read("lib/README.md")
    headers = {path: text for path, text in tree.sources("include").items() if path.endswith(".h")}
    return check(files, readme, public) + check_used(files, readme) + check_public(headers, tree.read("docs/abi.md"))


def self_test():
    readme = (
        "| 9 | `outside/` | x | y |\n<!-- layers -->\n| layer | folder | holds | public |\n"
        "|---|---|---|---|\n| 0 | `base/` | b | none |\n| 3 | `codec/` | b | `io.h` |\n"
        "| 3 | `meta/` | b | none |\n| 5 | `page/` | b | `io.h`, `schema.h` |\n<!-- /layers -->\n"
        "<!-- public layers -->\n| layer | header | tier | holds |\n|---|---|---|---|\n"
        "| 0 | `common.h` | core | a |\n| 1 | `io.h` | core | b |\n| 2 | `schema.h` | extension | c |\n"
        "<!-- /public layers -->\n"
    )
    public = {"include/lamella/io.h"}

    def run(path, *lines):
        return check({path: "\n".join(lines)}, readme, public)

    assert parse_table(readme) == {"base": 0, "codec": 3, "meta": 3, "page": 5}
    tree.expect(
        run("lib/page/a.c", '#include "page/a.h"', '#include "codec/b.h"', "#include <lamella/io.h>",
            "#include <zstd.h>", '// #include "tools/x.h"', '/*\n#include "page/none.h" */')
    )
    tree.expect(run("lib/base/a.c", '#include "codec/b.h"'), "lib/base/a.c:1: codec/b.h: base/ (layer 0)")
    tree.expect(run("lib/meta/a.c", "", ' # include "codec/b.h"'), "lib/meta/a.c:2:")
    tree.expect(run("lib/page/a.c", '#include "a.h"'), "from lib/")
    tree.expect(run("lib/page/a.c", "#include <base/a.h>"), "in quotes")
    tree.expect(run("lib/page/a.c", '#include "lamella/io.h"'), "angle brackets")
    tree.expect(run("lib/page/a.c", "#include <lamella/none.h>"), "no such public header")
    tree.expect(run("lib/meta/a.c", "#include <thrift/c_glib/thrift.h>"), "GLib or Thrift")
    tree.expect(run("lib/outside/a.c", ""), "not in the table")
    tree.expect(run("lib/page/page_write.c", '#include "page/page_read.h"'), "do not see each other")
    tree.expect(run("lib/page/page_read.h", '#include "codec/level_write.h"'), "do not see each other")
    tree.expect(run("lib/page/page_read.c", '#include "page/page.h"', '#include "base/read.h"'))
    tree.expect(run("tools/a.c", '#include "a.h"', '#include "tools/a.h"', "#include <stdio.h>"))
    tree.expect(run("tools/a.c", '#include "base/a.h"', "#include <base/a.h>"), "only public", "only public")
    tree.expect(run("bench/a.c", '#include "../lib/base/a.h"'), "only public headers")
    tree.expect(run("bench/a.c", '#include "tools/a.h"'), "only public headers")
    tree.expect(check({}, "no table", public), "no table of layers")

    def used(**includes):
        return check_used({f"lib/{folder}/a.c": "\n".join(f"#include <lamella/{name}.h>" for name in names)
                           for folder, names in includes.items()}, readme)

    tree.expect(used(codec=["io"], page=["io", "schema"]))
    tree.expect(used(codec=["io", "schema"], page=["io", "schema"]), "lib/codec/a.c:2: schema.h")
    tree.expect(used(codec=["io"], page=["io"]), "page/ names schema.h, which it does not include")

    def headers(**includes):
        return check_public({f"include/lamella/{name}.h": "\n".join(f"#include <lamella/{n}.h>" for n in names)
                             for name, names in includes.items()}, readme)

    tree.expect(headers(common=[], io=["common"], schema=["common", "io"], lamella=["schema"]))
    tree.expect(headers(common=[], io=["schema"], schema=[]), "io.h:1: schema.h: does not stand on a lower")
    tree.expect(headers(common=[], io=[], schema=[], new=[]), "new.h:1: is not in the table")
    tree.expect(headers(common=[], io=[]), "schema.h: no such public header")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
