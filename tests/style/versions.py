# SPDX-License-Identifier: Apache-2.0
"""Each library has one least version: in the table of docs/building.md, and in meson.build, which every call refers to."""

import re

import tree

PAGE = "docs/building.md"
# Not libraries: what the compiler has, and what this project is for others.
_WITHOUT = {"threads", "lamella"}

_CALL = re.compile(r"(?<![\w.])dependency\(\s*('?)([\w.+-]+)\1\s*(?:,\s*version:\s*least_versions\['?([\w.+-]+)'?\])?")
_LIST = re.compile(r"^least_versions = \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^  '([\w.+-]+)': '>=([\d.]+)',$", re.MULTILINE)
_ROW = re.compile(r"^\| `([\w.+-]+)` \| [^|]+ \| ([^|]*) \| [^|]+ \|$", re.MULTILINE)


def check(builds, page):
    """Problems of meson.build files, a dict of path to text, and of the page."""
    listed = dict(_ENTRY.findall(_LIST.search(builds["meson.build"])[1]))
    marked = re.search(r"<!-- versions -->(.*?)<!-- /versions -->", page, re.DOTALL)
    rows = dict(_ROW.findall(marked[1] if marked else ""))
    problems = [
        f"{PAGE}: {name} is {rows.get(name, 'missing')}, and {listed.get(name, 'missing')} in meson.build"
        for name in sorted(set(listed) | set(rows))
        if listed.get(name) != rows.get(name)
    ]
    used = set()
    for path, text in sorted(builds.items()):
        for match in _CALL.finditer(text):
            _, name, version_of = match.groups()
            used |= {name}
            if name not in _WITHOUT and version_of != name:
                problems.append(f"{path}:{tree.line_of(text, match.start())}: {name} has no least version of its name")
    # A name without quotation marks stands for those in by_header, which have a loop.
    loops = set(re.findall(r"'([\w.+-]+)': \[", "".join(re.findall(r"^by_header = \{.*?\}\n", builds.get("lib/meson.build", ""), re.MULTILINE | re.DOTALL))))
    problems += [f"meson.build: {name} is listed, and no build asks for it" for name in sorted(set(listed) - used - loops)]
    return problems


def check_tree():
    builds = {path: tree.read(path) for path in tree.paths() if path.split("/")[-1] == "meson.build"}
    return check(builds, tree.read(PAGE))


def self_test():
    def builds(calls, listed="  'a': '>=1.2',\n"):
        return {"meson.build": f"least_versions = {{\n{listed}}}\n{calls}\n"}

    call = "x = dependency('a', version: least_versions['a'], required: true)"
    page = "<!-- versions -->\n| library | for | at least | why |\n|---|---|---|---|\n| `a` | b | 1.2 | c |\n<!-- /versions -->\n"
    tree.expect(check(builds(call + "\ny = dependency('threads')"), page))
    tree.expect(check(builds(call), page.replace("1.2", "1.3")), "a is 1.3, and 1.2 in meson.build")
    tree.expect(check(builds(call), page.replace("`a`", "`b`")), "a is missing, and 1.2", "b is 1.2, and missing")
    tree.expect(check(builds(call + "\ny = dependency('a')"), page), "meson.build:5: a has no least version")
    tree.expect(check(builds("y = dependency('b', version: least_versions['a'])"), page), "b has no least version of its name", "a is listed")
    tree.expect(check(builds("y = dependency('a').found()"), page), "a has no least version")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
