# SPDX-License-Identifier: Apache-2.0
"""One word per idea: the glossary of lib/README.md has at most 60 house words, and retired words are gone.

A retired word is refused as a component of an identifier (between underscores), or everywhere, in
comments too. The last column of its row names folders and identifiers in which it is somebody else's term or public.
"""

import re

import tree

MOST = 60

_GLOSSARY = re.compile(r"^## Glossary\n(.*)", re.DOTALL | re.MULTILINE)
_RETIRED = re.compile(r"<!-- retired words -->(.*?)<!-- /retired words -->", re.DOTALL)
_ROW = re.compile(r"^\| ([^|]+?) \| ([^|]*?) \|(?: ([^|]*?) \|)?(?: ([^|]*?) ?\|)?$", re.MULTILINE)
_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")
_COMMENT = re.compile(r"/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_FOLDER = re.compile(r"`([\w/]+/)`")
_NAME = re.compile(r"`(\w+)`")


def rows(table):
    return [row for row in _ROW.findall(table) if row[0] not in ("word", "---") and not row[0].startswith("--")]


def house_words(readme):
    section = _GLOSSARY.search(readme)
    return [row[0] for row in rows(section.group(1))] if section else []


def retired(readme):
    """{word: (whether comments count, folders and identifiers in which it is allowed)}"""
    table = _RETIRED.search(readme)
    words = {}
    for names, where, _, folders in rows(table.group(1)) if table else []:
        for name in names.split(", "):
            words[name] = (where == "everywhere", tuple(_FOLDER.findall(folders)), _NAME.findall(folders))
    return words


def _in_code(path, text, words):
    bare = tree.code(text)
    for match in _IDENTIFIER.finditer(bare):
        for component in match.group().lower().split("_"):
            if component not in words or match.group() in words[component][2]:
                continue
            if not path.startswith(words[component][1] or ("\0",)):
                yield tree.line_of(bare, match.start()), match.group(), component


def _in_comments(path, text, words):
    for comment in _COMMENT.finditer(text):
        if not comment.group().startswith("/*"):
            continue
        for match in re.finditer(r"[A-Za-z]+", comment.group()):
            word = match.group().lower()
            if word in words and words[word][0] and not path.startswith(words[word][1] or ("\0",)):
                yield tree.line_of(text, comment.start() + match.start()), match.group(), word


def check(files, readme, page):
    words = retired(page)
    house = house_words(readme)
    if not words or not house:
        return ["lib/README.md, tests/style/retired_words.md: no glossary, or no table of retired words"]
    problems = []
    if len(house) > MOST:
        problems.append(f"lib/README.md: {len(house)} house words, more than {MOST}")
    for path, text in sorted(files.items()):
        for line, found, word in sorted(set(_in_code(path, text, words)) | set(_in_comments(path, text, words))):
            problems.append(f"{path}:{line}: {found}: '{word}' is retired; see tests/style/retired_words.md")
    return problems


def check_tree():
    return check(tree.sources("lib", "include"), tree.read("lib/README.md"), tree.read("tests/style/retired_words.md"))


def self_test():
    readme = (
        "## Glossary\n| word | meaning |\n|---|---|\n| batch | what is read at once |\n"
    )
    page = (
        "<!-- retired words -->\n| word | where | say | except in |\n|---|---|---|---|\n"
        "| part, parts | identifier | batch | |\n| slice | identifier | batch | Arrow's: `lib/arrow/`, `a_slice` |\n"
        "| shelf | everywhere | cached chunk | |\n<!-- /retired words -->\n"
    )

    def run(text, path="lib/a/a.c"):
        return check({path: text}, readme, page)

    assert house_words(readme) == ["batch"], house_words(readme)
    tree.expect(run("int partial; /* a part of it */ const char *x = \"part\";"))
    tree.expect(run("int lam_part_count;"), "lib/a/a.c:1: lam_part_count: 'part' is retired")
    tree.expect(run("#define A_PARTS 1"), "'parts' is retired")
    tree.expect(run("int a;\n/* on the shelf */"), "lib/a/a.c:2: shelf: 'shelf' is retired")
    tree.expect(run("int slice;"), "slice")
    tree.expect(run("int slice;", "lib/arrow/a.c"))
    tree.expect(run("int a_slice;"))
    tree.expect(check({}, "nothing", page), "no glossary")
    many = "".join(f"| w{i} | m |\n" for i in range(61))
    tree.expect(check({}, readme.replace("| batch | what is read at once |\n", many), page), "61 house words")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
