# SPDX-License-Identifier: Apache-2.0
"""The program prints texts through tools/tool_print.c alone, which escapes what does not show.

Nobody else names the standard streams or calls what prints to them, so that a text of a file, a name
or a message gets out as %s or by its size. What the printer prints as it is, formats and colours,
stands in the source as a literal.
"""

import re

import tree

_PRINTER = "tools/tool_print.c"

# The streams, and what prints to them without naming them.
_LOUD = re.compile(r"(?<![\w.])(?<!->)(?<!format\()(?:stdout|stderr|v?printf|puts|putchar|perror|psignal|v?dprintf|syslog)\b")
_DESCRIPTOR = re.compile(r"\bSTD(?:OUT|ERR)_FILENO\b")

# Files that name a stream or its descriptor, with what they do with it.
_STREAMS = {
    "tools/tool_progress.c": "draws its line over and over: digits, and nouns of its own",
    "tools/tool_screen.c": "gives the streams to the pager, and closes them",
}
_DESCRIPTORS = {
    "tools/cmd_explain.c": "-o -: the page or its JSON",
    "tools/cmd_import.c": "-o -: a Parquet file",
    "tools/cmd_rewrite.c": "-o -: a Parquet file",
    "tools/rewrite_salvage.c": "-o -: a Parquet file",
    "tools/import_text.c": "asks whether the output is one of the inputs",
    "tools/cmd_log.c": "waits until somebody reads",
    "tools/tool_end.c": "holds descriptors that are closed; writes one constant line at a deadline",
    "tools/tool_progress.c": "asks for a terminal",
    "tools/tool_screen.c": "asks for a terminal",
}

# Functions whose first argument gets out as it is.
_OWN = re.compile(r"\b(tool_(?:print|say|say_arguments|misuse|print_own))\s*\(")
# First arguments that are no literals, by file, with what they are.
_NAMED = {
    ("tools/tool_screen.c", "codes[colour]"): "one of its literals",
    ("tools/tool.c", "format"): "that of tool_misuse, which is checked",
    ("tools/diff_report.c", "format"): "one of two literals",
}
_DECLARATION = re.compile(r"const char \*\w+$|const tool_command \*\w+$")

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"|\b(?:PRI\w+|LAM_VERSION_STRING)\b|\s)+')


def _blank_comments(text):
    """Comments blanked, strings kept."""
    return re.sub(
        r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'',
        lambda match: match.group() if match.group()[0] != "/" else re.sub(r"[^\n]", " ", match.group()),
        text,
        flags=re.DOTALL,
    )


def _parts(text, begin):
    """The first argument that begins there, divided at ? and : outside of parentheses and strings; and what ends it."""
    parts, marks, depth, at, part = [], [], 0, begin, ""
    while at < len(text):
        string = _STRING.match(text, at) or re.compile(r"'(?:[^'\\\n]|\\.)+'").match(text, at)
        if string:
            part += string.group()
            at = string.end()
            continue
        letter = text[at]
        if depth == 0 and letter in ",)":
            return parts + [part.strip()], marks + [letter], at
        if depth == 0 and letter in "?:":
            parts.append(part.strip())
            marks.append(letter)
            part = ""
        else:
            depth += (letter in "([{") - (letter in ")]}")
            part += letter
        at += 1
    return parts + [part.strip()], marks + [""], at


def _is_literal(path, text, begin):
    parts, marks, _ = _parts(text, begin)
    for part, mark in zip(parts, marks):
        if mark == "?" or _LITERAL.fullmatch(part) or (path, part) in _NAMED:
            continue
        if len(parts) == 1 and _DECLARATION.match(part):
            continue
        return False
    return True


def _formats(path, text):
    bare = _blank_comments(text)
    problems = []
    for match in _OWN.finditer(bare):
        begin = match.end()
        if match[1] == "tool_misuse":  # the command comes first
            begin = _parts(bare, begin)[2] + 1
            if bare[begin - 1] != ",":
                continue
        if not _is_literal(path, bare, begin):
            problems.append(
                f"{path}:{tree.line_of(bare, match.start())}: {match[1]}: what is printed as it is stands here as a literal"
            )
    return problems


def check(files):
    why = "texts are printed by tool_print, tool_say and their kin (tools/tool_print.h)"
    others = {path: text for path, text in files.items() if path != _PRINTER}
    problems = tree.words({path: text for path, text in others.items() if path not in _STREAMS}, _LOUD, why)
    problems += tree.words({path: text for path, text in others.items() if path not in _DESCRIPTORS}, _DESCRIPTOR, why)
    for path, text in sorted(others.items()):
        problems += _formats(path, text)
    return problems


def check_tree():
    files = tree.sources("tools")
    unused = sorted((set(_STREAMS) | set(_DESCRIPTORS)) - set(files))
    return check(files) + [f"{path}: it is listed in tests/style/printing.py, and is not there" for path in unused]


def self_test():
    def run(text, path="tools/cmd_a.c"):
        return check({path: text})

    tree.expect(run('void f(void) {\n    printf("%s", name);\n}'), "tools/cmd_a.c:2: printf")
    tree.expect(run('fprintf(stderr, "%s", name);'), "stderr")
    tree.expect(run("fputs(name, stdout); puts(name); putchar(c); perror(name);"), "stdout", "puts", "putchar", "perror")
    tree.expect(run("FILE *out = stdout;"), "stdout")
    tree.expect(run("write(STDOUT_FILENO, name, size);"), "STDOUT_FILENO")
    tree.expect(run("write(STDOUT_FILENO, name, size);", "tools/tool_screen.c"))
    tree.expect(run('fprintf(stderr, "\\r");', "tools/tool_progress.c"))
    tree.expect(run('fprintf(memory.file, "%s", name); snprintf(text, 4, "x"); vsnprintf(a, b, c, d);'))
    tree.expect(run('/* printf(name) */ tool_print("%s on stdout", name);'))
    tree.expect(run("tool_print(name);"), ":1: tool_print")
    tree.expect(run('tool_say(is_bad ? name : "x");'), "tool_say")
    tree.expect(run('tool_print(i == 0 ? "" : ",");'))
    tree.expect(run('tool_print(i == 0 ? "a" : f(b, \')\') ? "%" PRIu64 "b" : "c", name);'))
    tree.expect(run("tool_print_own(name);"), "tool_print_own")
    tree.expect(run('tool_print_own(*name == 0 ? "" : "\\033[0m");'))
    tree.expect(run("tool_misuse(&tool_a, name);"), "tool_misuse")
    tree.expect(run('tool_misuse(&tool_a, "no %s", name);'))
    tree.expect(run("void tool_print(const char *format, ...) LAM_PRINTF(1, 2);", "tools/tool_print.h"))
    tree.expect(run("tool_print_own(codes[colour]);", "tools/tool_screen.c"))
    tree.expect(run("tool_print_own(name);", "tools/bytes_text.c"), "tool_print_own")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
