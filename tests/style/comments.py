# SPDX-License-Identifier: Apache-2.0
"""Sources of the library and of the tests open by saying what they are, comments are a fifth of lib/,
and none is torn.

A source of the library opens with a comment of 3 to 12 lines of text: what comes in, what goes out, the invariant,
the section of the specification. Pictures of bytes and formulas (lines that are indented within the
comment) do not count towards the 12. A source of the tests opens with a sentence at least: what it
proves, or what it gives to those that do. `--report` prints the share of comments by folder.
"""

import re
import sys

import tree

OPENING_LEAST = 3
OPENING_MOST = 12
TEST_LEAST = 1
TEST_MOST = 20
SHARE = 20  # per cent of the lines of lib/ that are not blank
WIDTH = 100

_OPENING = re.compile(r"\A\s*(?:/\* SPDX-License-Identifier:[^\n]*\*/\s*|// SPDX-License-Identifier:[^\n]*\n\s*)?(/\*.*?\*/)", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_TORN = re.compile(r"^[ \t]*/\*(?!\n)[^\n]*\n[ \t]*\*/", re.MULTILINE)


def prose_lines(comment):
    """The lines of text of a comment: not its frame, nor blank lines, nor what is indented in it."""
    lines = []
    for line in comment[2:-2].split("\n"):
        bare = re.sub(r"^\s*\*( |$)", "", line) if lines or line.strip().startswith("*") else line.lstrip()
        if bare.strip() and not bare.startswith("  "):
            lines.append(bare)
    return lines


def comments(text):
    return [match for match in _COMMENT.finditer(text) if match.group().startswith(("/*", "//"))]


def comment_lines(text):
    """The numbers of the lines that a comment touches."""
    lines = set()
    for match in comments(text):
        first = tree.line_of(text, match.start())
        lines.update(range(first, first + match.group().count("\n") + 1))
    return lines


def _opening(path, text, least=OPENING_LEAST, most=OPENING_MOST):
    match = _OPENING.match(text)
    if match is None:
        return [f"{path}:1: does not open with a comment"]
    count = len(prose_lines(match.group(1)))
    if count < least:
        return [f"{path}:1: opens with {count} lines of text, less than {least}"]
    if count > most:
        return [f"{path}:1: opens with {count} lines of text, more than {most}"]
    return []


def _lines(path, text):
    problems = []
    for match in comments(text):
        first = tree.line_of(text, match.start())
        for offset, line in enumerate(match.group().split("\n")):
            column = match.start() - text.rfind("\n", 0, match.start()) - 1 if offset == 0 else 0
            if column + len(line) > WIDTH:
                problems.append(f"{path}:{first + offset}: a comment of more than {WIDTH} columns")
        if _TORN.match(match.group()) and match.group().count("\n") == 1:
            problems.append(f"{path}:{first}: the end of a one-line comment stands on a line of its own")
    return problems


def share(files):
    """(lines of nothing but comment, lines that are not blank) of all files."""
    found = lines = 0
    for text in files.values():
        touched = comment_lines(text)
        rows = zip(text.split("\n"), tree.code(text).split("\n"))
        for number, (line, bare) in enumerate(rows, 1):
            lines += bool(line.strip())
            found += bool(line.strip()) and not bare.strip() and number in touched
    return found, lines


def check(files):
    problems = []
    for path, text in sorted(files.items()):
        if path.startswith("lib/") and path.endswith((".c", ".cpp")):
            problems += _opening(path, text)
        elif path.startswith("tests/") and path.endswith((".c", ".cpp")):
            problems += _opening(path, text, TEST_LEAST, TEST_MOST)
        problems += _lines(path, text)
    inside = {path: text for path, text in files.items() if path.startswith("lib/")}
    found, lines = share(inside)
    if lines and 100 * found < SHARE * lines:
        problems.append(f"lib/: {100 * found / lines:.1f} % of the lines are comments, less than {SHARE}")
    return problems


def report(files):
    folders = {}
    for path, text in files.items():
        parts = path.split("/")
        name = "/".join(parts[:2]) if parts[0] == "lib" else parts[0]
        folders.setdefault(name, {})[path] = text
    folders["lib"] = {path: text for path, text in files.items() if path.startswith("lib/")}
    for name in sorted(folders):
        found, lines = share(folders[name])
        opened = [not _opening(path, text) for path, text in folders[name].items() if path.endswith((".c", ".cpp"))]
        print(f"{name:16} {100 * found / lines:5.1f} % of {lines:6} lines, {sum(opened)} of {len(opened)} sources open")


def check_tree():
    files = tree.sources("lib", "include", "tools", "bench", "tests")
    if "--report" in sys.argv:
        report(files)
    return check(files)


def self_test():
    opening = "/*\n * One.\n * Two.\n * Three.\n */\n"

    def run(text, path="lib/a/a.c"):
        return check({path: text})

    tree.expect(run(opening + "int a;\n" * 20))
    tree.expect(run("/* SPDX-License-Identifier: Apache-2.0 */\n" + opening + "int a;\n"))
    tree.expect(run("int a;\n/* x */\n"), "lib/a/a.c:1: does not open with a comment")
    tree.expect(run(opening + "int a; /* x */\n" * 21), "less than 20")
    tree.expect(run("/*\n * One.\n * Two.\n */\nint a;\n"), "opens with 2 lines")
    tree.expect(run("/*\n" + " * Line.\n" * 13 + " */\nint a;\n"), "opens with 13 lines")
    tree.expect(run("/*\n" + " * Line.\n" * 12 + " *     a picture\n" * 9 + " */\nint a;\n"))
    tree.expect(run(opening + "int a;\n" * 21), "lib/: 19.2 % of the lines are comments, less than 20")
    tree.expect(run("int a;\n" * 50, "tools/a.c"))
    tree.expect(run("/* What it proves. */\nint a;\n" * 9, "tests/a/test_a.c"))
    tree.expect(run("int a;\n", "tests/a/test_a.c"), "tests/a/test_a.c:1: does not open with a comment")
    tree.expect(run("/* one\n */\nint a;\n", "tools/a.c"), "tools/a.c:1: the end of a one-line comment")
    tree.expect(run("/* one\n * two */\nint a;\n", "tools/a.c"))
    tree.expect(run("/* " + "x" * 100 + " */\n", "tools/a.c"), "more than 100 columns")
    tree.expect(run('const char *a = "/* ' + "x" * 100 + '";\n', "tools/a.c"))


if __name__ == "__main__":
    tree.main(check_tree, self_test)
