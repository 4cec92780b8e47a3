# SPDX-License-Identifier: Apache-2.0
"""docs/known_faults.md is made of the table in lib/meta/fault_table.c.

In: the rows of the table, whose texts say what is wrong, what is done about it, and where it is reported.
Out: the page; with --write it is written, else it must be what is there already.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "lib", "meta", "fault_table.c")
PAGE = os.path.join(ROOT, "docs", "known_faults.md")

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ROW = re.compile(
    r'\{\s*(NULL|"[^"]*"),\s*\{(\d+), (\d+), (\d+)\},\s*\{(\d+), (\d+), (\d+)\},\s*((?:LAM_\w+\s*\|?\s*)+),'
    r'((?:\s*"(?:[^"\\]|\\.)*")+)\s*\}', re.DOTALL)
_SOUND = re.compile(r'\{("[^"]*"),\s*\{(\d+), (\d+), (\d+)\},\s*((?:LAM_\w+\s*\|?\s*)+)\}', re.DOTALL)
_FAULT = re.compile(r"LAM_FAULT_(\w+)")
_SOURCE = re.compile(r"^(.*) \(([^()]*)\)$", re.DOTALL)

HEAD = """# Known faults of writers

Some writers have stated things about their files that are not true. A reader that trusts them loses rows without a word,
so Lamella looks at `created_by` and does not use what that version is known to get wrong. `lamella check` and `lamella meta`
name the faults of a file; `lamella cat --explain` says what was not used.

This page is made of the table in [lib/meta/fault_table.c](../lib/meta/fault_table.c) by `tests/docs/fault_page.py --write`.
A version that is not stated may be any. [contributing.md](contributing.md) says how to add a row; a reproduction is worth
most.

"""

DOUBTS = """
## In doubt

Of these so many writers are wrong that only files of writers are trusted that are known to be right.

| fault | what Lamella does | reported | trusted |
|---|---|---|---|
"""


def rows(text):
    bare = _COMMENT.sub("", text)
    for match in _ROW.finditer(bare[:bare.index("lam_sound_writer SOUND")]):
        words = "".join(_STRING.findall(match.group(9)))
        yield (match.group(1).strip('"'), tuple(map(int, match.group(2, 3, 4))), tuple(map(int, match.group(5, 6, 7))),
               set(_FAULT.findall(match.group(8))), words)


def sound(text):
    bare = _COMMENT.sub("", text)
    for match in _SOUND.finditer(bare[bare.index("lam_sound_writer SOUND"):]):
        yield match.group(1).strip('"'), tuple(map(int, match.group(2, 3, 4))), set(_FAULT.findall(match.group(5)))


def _version(numbers):
    return ".".join(map(str, numbers if numbers[2] else numbers[:2]))


def versions(first, end):
    if first == (0, 0, 0):
        return "all" if end == (0, 0, 0) else f"before {_version(end)}"
    return f"since {_version(first)}" if end == (0, 0, 0) else f"{_version(first)} to before {_version(end)}"


def link(name):
    jira = re.fullmatch(r"(PARQUET|ARROW)-(\d+)", name)
    if jira:
        return f"[{name}](https://issues.apache.org/jira/browse/{name})"
    issue = re.fullmatch(r"([\w.-]+/[\w.-]+)#(\d+)", name)
    return f"[{name}](https://github.com/{issue.group(1)}/issues/{issue.group(2)})" if issue else name


def parts(words):
    """What is wrong, what is done, and where it is reported."""
    match = _SOURCE.match(words)
    said, source = (match.group(1), match.group(2)) if match else (words, "")
    fault, _, done = said.rpartition(": ")
    return fault or said, done or "", ", ".join(link(name) for name in source.removeprefix("kin of ").split(", ") if name)


def page(text):
    out = [HEAD, "| writer | versions | fault | what Lamella does | reported |\n|---|---|---|---|---|\n"]
    doubts = [DOUBTS]
    trusted = list(sound(text))
    for application, first, end, faults, words in rows(text):
        fault, done, source = parts(words)
        if application == "NULL":
            names = ", ".join(f"{name} since {_version(since)}" if since != (0, 0, 0) else name
                              for name, since, of in trusted if of & faults)
            doubts.append(f"| {fault} | {done} | {source} | {names} |\n")
        else:
            out.append(f"| `{application}` | {versions(first, end)} | {fault} | {done} | {source} |\n")
    return "".join(out + doubts)


def main():
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    count = len(re.findall(r"^    \{", _COMMENT.sub("", text), re.MULTILINE))
    found = len(list(rows(text))) + len(list(sound(text)))
    if count != found:
        print(f"{TABLE}: {found} of {count} rows were understood")
        return 1
    made = page(text)
    if "--write" in sys.argv[1:]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        if file.read() == made:
            return 0
    print("docs/known_faults.md is not what the table says: python3 tests/docs/fault_page.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
