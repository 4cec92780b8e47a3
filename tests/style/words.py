# SPDX-License-Identifier: Apache-2.0
"""Nothing in the tree names one machine's paths, a package registry's host, or work left undone."""

import re

import tree

_RULES = [
    (
        re.compile(r"(?:(?<![\w.~*$})\]-])|(?<=-[IL]))/(?:work|home|root|Users)/\w?"),
        "a path of one machine",
    ),
    (
        re.compile(
            r"\b(?:pypi\.org|(?:files\.)?pythonhosted\.org|registry\.npmjs\.org|npmjs\.com|crates\.io"
            r"|proxy\.golang\.org|deb\.debian\.org|ftp\.debian\.org|rubygems\.org|repo1?\.maven\.org)\b"
        ),
        "the host of a package registry",
    ),
    (
        re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!\s*\(#\d+\))"),
        "unfinished work without the number of its issue, as in (#12)",
    ),
]
# Where the words themselves are the subject.
_EXEMPT = "tests/style/words.py"


def check(files):
    problems = []
    for path, text in sorted(files.items()):
        for pattern, why in _RULES:
            problems += [
                f"{path}:{tree.line_of(text, match.start())}: {match.group()}: {why}"
                for match in pattern.finditer(text)
            ]
    return problems


def check_tree():
    texts = {path: tree.read(path) for path in tree.paths() if path != _EXEMPT}
    return check({path: text for path, text in texts.items() if text is not None})


def self_test():
    def run(text):
        return check({"docs/a.md": text})

    # Put together here, so that this file has none of them either.
    work, root, home = ("/" + name for name in ("work", "root", "home"))
    tree.expect(run(f"one\nsee {home}/someone/file\n"), f"docs/a.md:2: {home}/s: a path of one machine")
    tree.expect(run(f'"{work}/main" and -I{root}/x'), "a path", "a path")
    tree.expect(run(f"lib{work}/a.c, ~{home}/x, build{root}/, $HOME{work}/x"))
    for host in (("pypi", "org"), ("registry", "npmjs", "org")):
        tree.expect(run(f"from https://{'.'.join(host)}/simple"), "the host")
    tree.expect(run("/* TODO: later */\n# FIXME\nXXX"), "unfinished", "unfinished", "unfinished")
    tree.expect(run("/* TODO (#12): later */ mktemp -d /tmp/a.XXXXXX"))


if __name__ == "__main__":
    tree.main(check_tree, self_test)
