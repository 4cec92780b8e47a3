# SPDX-License-Identifier: Apache-2.0
"""The words that names of types are made of, in headers of lib/, are defined.

A component of the name, between underscores, is the name of a folder of lib/, a word of the format
(thrift/parquet.thrift), a word of the glossary in lib/README.md, or one that the README of the header's folder sets in
italics where it says what it means. Plurals, participles and agents count as the word that they are made from.
"""

import os
import re

import tree

_GLOSSARY = re.compile(r"^## Glossary\n(.*)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
_WORD = re.compile(r"[a-z]+\d*|\d+")
_ITALIC = re.compile(r"(?<![*\w])\*([^*\n]+)\*(?!\*)")
_TYPE = re.compile(
    r"\b(?:struct|enum|union)\s+lam_(\w+)\s*\{"
    r"|^typedef\b[^;{}()]*?\blam_(\w+)\s*;"
    r"|^\}\s*lam_(\w+)\s*;"
    r"|^typedef[^;{}]*?\(\*lam_(\w+)\)\s*\(",
    re.MULTILINE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _singular(word):
    for ending, other in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) > len(ending) + 1:
            return word[: len(word) - len(ending)] + other
    return word


def _roots(word):
    """The word, and those that it may be made from: walked and walker from walk, pruned from prune."""
    word = _singular(word)
    found = {word}
    for ending in ("ed", "er", "ing", "or"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            found |= {stem, stem + "e"}
            if stem[-1] == stem[-2]:
                found.add(stem[:-1])
    return found


def _words(text):
    words = {_singular(word) for word in _WORD.findall(_CAMEL.sub(" ", text).lower())}
    return {root for word in words for root in _roots(word)}


def glossary_words(readme):
    section = _GLOSSARY.search(readme)
    if not section:
        return set()
    lines = section.group(1).splitlines()
    rows = [line.split("|")[1] for line in lines if line.startswith("| ")]
    prose = [line for line in lines if line and not line.startswith("|")]
    return _words(" ".join(rows + prose))


def folder_words(readme):
    return _words(" ".join(_ITALIC.findall(readme)))


def check(headers, glossary, specification, readmes):
    folders = "/".join(os.path.dirname(path) for path in headers)
    common = glossary_words(glossary) | _words(folders) | _words(_COMMENT.sub(" ", specification))
    problems = set()
    for path, text in headers.items():
        folder = "/".join(path.split("/")[:2])
        known = common | folder_words(readmes.get(folder, ""))
        bare = tree.code(text)
        for match in _TYPE.finditer(bare):
            name = next(group for group in match.groups() if group)
            problems |= {
                (path, tree.line_of(bare, match.start()), f"lam_{name}: '{word}'")
                for word in name.split("_")
                if word and not _roots(word) & known
            }
    return [f"{path}:{line}: {what} is neither the format's, nor in the glossary, nor defined by the folder's README"
            for path, line, what in sorted(problems)]


def check_tree():
    headers = {path: text for path, text in tree.sources("lib").items() if path.endswith(".h")}
    pages = {path[: -len("/README.md")]: tree.read(path)
             for path in tree.paths() if re.fullmatch(r"lib/\w+/README\.md", path)}
    return check(headers, tree.read("lib/README.md"), tree.read("thrift/parquet.thrift"), pages)


def self_test():
    readme = "## Glossary\n\nfile, row group.\n\n| word | meaning |\n|---|---|\n| batch | what a gadget is |\n"
    specification = "/* gizmo */ struct BoundingBox { 1: i32 x } // whatsit"
    pages = {"lib/a": "A *probe* is defined. **loud** probes."}

    def run(text):
        return check({"lib/a/b/c.h": text}, readme, specification, pages)

    tree.expect(run("struct lam_row_batches { int gadget; }; typedef struct lam_bounding_box lam_bounding_box;"))
    tree.expect(run("typedef struct {\n    int a;\n} lam_probe;"))
    tree.expect(run("struct lam_batched_a { int b; }; struct lam_batcher {"))
    tree.expect(run("void lam_gadget(struct lam_gadget *use); /* struct lam_gadget {} */"))
    tree.expect(run("\nstruct lam_row_gadget {"), "lib/a/b/c.h:2: lam_row_gadget: 'gadget' is neither")
    tree.expect(run("typedef struct {\n    int a;\n} lam_gizmo;"), "'gizmo'")
    tree.expect(run("typedef void (*lam_loud)(int);"), "'loud'")
    tree.expect(run("typedef struct lam_whatsit lam_whatsit;"), "'whatsit'")
    tree.expect(check({"lib/b/c.h": "enum lam_probe {"}, readme, specification, pages), "lam_probe: 'probe'")


if __name__ == "__main__":
    tree.main(check_tree, self_test)
