# SPDX-License-Identifier: Apache-2.0
"""Each public function has a user: a tool, a benchmark, an example, a page, or a header's inline code.

Usage: abi_use.py [--self-test]

What none of them calls is for programs alone, and docs/abi.md says in a line who needs it and why. A
function that is neither called nor in that table is one that nobody would miss.
"""

import re

import abi
import tree

_TABLE = re.compile(r"<!-- called by programs only -->(.*?)<!-- /called by programs only -->", re.DOTALL)
_ROW = re.compile(r"^\|([^|\n]*)\|[^|\n]*\w[^|\n]*\|$", re.MULTILINE)
_NAME = re.compile(r"`(lam_\w+)`")
_WORD = re.compile(r"\blam_\w+")
_CALL = re.compile(r"\b(lam_\w+)\(")
_USERS = ("tools/", "bench/", "docs/", "README.md")
# They name functions without calling them.
_PAGES = ("docs/abi.md", "docs/changes.md")


def called(path, text):
    """The functions that a file calls: in C any word of its code, as one may be handed on by name."""
    if path.startswith("include/"):
        return set(_CALL.findall(abi.inline_code(text)))
    return set(_WORD.findall(tree.code(text)) if path.endswith((".c", ".h", ".cpp")) else _CALL.findall(text))


def check(functions, files, page):
    table = _TABLE.search(page)
    if not table:
        return ["docs/abi.md: no table between <!-- called by programs only --> and its end"]
    used = set().union(*(called(path, text) for path, text in files.items()))
    listed = {name for row in _ROW.findall(table[1]) for name in _NAME.findall(row)}
    return [f"{name}: nothing calls it, and docs/abi.md does not say who needs it"
            for name in sorted(set(functions) - used - listed)] + [
        f"docs/abi.md: {name} is called, and no function for programs alone" for name in sorted(listed & used)] + [
        f"docs/abi.md: {name}: no such function" for name in sorted(listed - set(functions))]


def check_tree():
    headers = tree.sources("include")
    files = {path: tree.read(path) or "" for path in tree.paths()
             if path.startswith(_USERS) and path not in _PAGES}
    return check(abi.declarations(headers)[0], files | headers, tree.read("docs/abi.md"))


def self_test():
    page = ("<!-- called by programs only -->\n| functions | who needs them, and why |\n|---|---|\n"
            "| `lam_a`, `lam_b` | loggers: a reason |\n<!-- /called by programs only -->\n")
    functions = ["lam_a", "lam_b", "lam_c"]

    def run(page=page, **files):
        return check(functions, {path.replace("_", "/", 1) + ".c": text for path, text in files.items()}, page)

    tree.expect(run(tools_a="lam_c(1);"))
    tree.expect(run(tools_a="each(&x, lam_c);"))
    tree.expect(run(tools_a="/* lam_c(1) */"), "lam_c: nothing calls it")
    tree.expect(run(tools_a="lam_c(lam_b());"), "lam_b is called")
    tree.expect(run(tools_a="lam_c();", page=page.replace("lam_b", "lam_x")), "lam_b: nothing", "lam_x: no such")
    tree.expect(run(tools_a="lam_c();", page=page.replace("loggers: a reason", "")), "lam_a: nothing", "lam_b: nothing")
    tree.expect(run(page=""), "no table")
    header = "LAM_PUBLIC void lam_c(int a);\nstatic inline void lam_d(void) {\n    lam_b(1);\n}\n"
    assert called("include/lamella/a.h", header) >= {"lam_b"}, called("include/lamella/a.h", header)
    assert "lam_c" not in called("include/lamella/a.h", header)
    assert called("docs/a.md", "`lam_a` is not called, lam_b(x) is") == {"lam_b"}


if __name__ == "__main__":
    tree.main(check_tree, self_test)
