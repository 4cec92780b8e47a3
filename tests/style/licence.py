# SPDX-License-Identifier: Apache-2.0
"""Every source names its licence in its first line, or in its second where the first is for the system."""

import re

import tree

IDENTIFIER = "SPDX-License-Identifier: Apache-2.0"
_C = re.compile(r"\.(?:c|h|cpp|h\.in)$")
_SLASHES = re.compile(r"\.(?:fbs|go|java|mjs)$")
_SCRIPT = re.compile(r"\.(?:py|sh)$")
# Apache's interface definition, with the header that Apache gave it.
_OTHERS = {"thrift/parquet.thrift"}


def _expected(path, text):
    """The line that names the licence; None for what is no source."""
    if path in _OTHERS:
        return None
    if _C.search(path):
        return f"/* {IDENTIFIER} */"
    if _SLASHES.search(path):
        return f"// {IDENTIFIER}"
    if _SCRIPT.search(path) or text.startswith("#!") or path.endswith("meson.build"):
        return f"# {IDENTIFIER}"
    return None


def check(files):
    problems = []
    for path, text in sorted(files.items()):
        line = _expected(path, text)
        lines = text.split("\n", 2)
        at = 1 if text.startswith("#!") else 0
        if line is not None and (len(lines) <= at or lines[at] != line):
            problems.append(f"{path}:{at + 1}: does not begin with '{line}'")
    return problems


def check_tree():
    texts = {path: tree.read(path) for path in tree.paths()}
    return check({path: text for path, text in texts.items() if text is not None})


def add(root):
    """Writes the line where it is missing."""
    for path in tree.paths():
        text = tree.read(path)
        line = _expected(path, text) if text is not None else None
        if line is None or line in text.split("\n", 3)[:2]:
            continue
        head, rest = ("", text)
        if text.startswith("#!"):
            head, _, rest = text.partition("\n")
            head += "\n"
        with open(f"{root}/{path}", "w", encoding="utf-8") as file:
            file.write(f"{head}{line}\n{rest}")


def self_test():
    line = f"/* {IDENTIFIER} */\n"
    tree.expect(check({"lib/a.c": line + "int a;\n", "a.md": "text\n", "thrift/parquet.thrift": "x"}))
    tree.expect(check({"lib/a.h": "int a;\n"}), "lib/a.h:1: does not begin with")
    tree.expect(check({"tools/x": f"#!/bin/sh\n# {IDENTIFIER}\n", "t.py": f"# {IDENTIFIER}\n"}))
    tree.expect(check({"tools/x": "#!/bin/sh\necho\n"}), "tools/x:2: does not begin with '# SPDX")


if __name__ == "__main__":
    import sys

    if "--add" in sys.argv:
        add(tree.ROOT)
    else:
        tree.main(check_tree, self_test)
