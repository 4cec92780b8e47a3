# SPDX-License-Identifier: Apache-2.0
"""Shows a public header to Doxygen: its comments are documentation.

In: a header, whose comments stand before what they concern or after a member. Out: the same with the marks
that Doxygen wants, and texts that are code or paths in its own marks. Lines stay where they are.
"""

import os
import re
import sys

_COMMENT = re.compile(r"/\*(?!\*)(.*?)\*/", re.DOTALL)


def _is_after_member(text, at):
    """Whether a comment follows code in its line."""
    return text[text.rfind("\n", 0, at) + 1:at].strip() != ""


def _words(comment):
    """Characters that are commands or markup to Doxygen, outside of code in backticks, mean themselves."""
    parts = comment.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([@\\<>&#%\"$])", r"\\\1", parts[i])
    return "`".join(parts)


def show(name, text):
    first = True

    def mark(match):
        nonlocal first
        if match.group(1).strip().startswith(("SPDX", "---")):
            return match.group(0)
        if first and not _is_after_member(text, match.start()):
            first = False
            return f"/** @file {name} {_words(match.group(1))}*/"
        return f"/**{'<' if _is_after_member(text, match.start()) else ''}{_words(match.group(1))}*/"

    return _COMMENT.sub(mark, text)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(show(os.path.basename(sys.argv[1]), header.read()))
