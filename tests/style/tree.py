# SPDX-License-Identifier: Apache-2.0
"""The files of the tree, and C sources without their comments: shared by the style checks.

Every check is a function from files (a dict of path to text) to a list of problems, so that its
self-test can hand it files that exist nowhere.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP = 77

_SOURCE_SUFFIXES = (".c", ".h", ".cpp")

# A comment, a string, a character constant, or an include line (whose quotes are no string).
_NOT_CODE = re.compile(
    r"""//(?:[^\n\\]|\\.|\\\n)*
      | /\*.*?\*/
      | "(?:[^"\\\n]|\\.|\\\n)*"
      | '(?:[^'\\\n]|\\.)+'
    """,
    re.VERBOSE | re.DOTALL,
)
_RAW_STRING = re.compile(r'R"([^()\s\\]{0,16})\(.*?\)\1"', re.DOTALL)


def _git_files(root):
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode().split("\0")[:-1] if done.returncode == 0 else None


def _walked_files(root):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if name not in (".git", ".venv", "__pycache__")
            and not os.path.exists(os.path.join(folder, name, "meson-private"))
        ]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def paths(root=ROOT):
    """Tracked files and new ones that are not ignored; all but build output outside a checkout."""
    listed = _git_files(root)
    if listed is None:
        listed = _walked_files(root)
    return sorted(path for path in listed if os.path.isfile(os.path.join(root, path)))


def read(path, root=ROOT):
    """The text of a file, or None when it holds binary data."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    return None if b"\0" in data else data.decode("utf-8", "replace")


def sources(*folders):
    """C and C++ files below the folders, as a dict of path to text."""
    return {
        path: read(path) or ""
        for path in paths()
        if path.endswith(_SOURCE_SUFFIXES) and path.split("/")[0] in folders
    }


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def _blank_unless_include(text):
    def blank(match):
        line_start = text.rfind("\n", 0, match.start()) + 1
        before = text[line_start : match.start()]
        if match.group()[0] == '"' and re.fullmatch(r"\s*#\s*include\s*", before):
            return match.group()
        return _blank(match)

    return blank


def code(text):
    """The text with comments and the insides of strings blanked; lines and columns stay."""
    text = _RAW_STRING.sub(_blank, text)
    return _NOT_CODE.sub(_blank_unless_include(text), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def words(files, pattern, why):
    """A problem for every match of a pattern in the code of the files."""
    problems = []
    for path, text in sorted(files.items()):
        bare = code(text)
        for match in pattern.finditer(bare):
            problems.append(f"{path}:{line_of(bare, match.start())}: {match.group().strip()}: {why}")
    return problems


def main(check, self_test):
    """Runs the self-test or the check, as the command line says; prints and exits."""
    if "--self-test" in sys.argv[1:]:
        self_test()
        print("the check catches what it should")
        return
    problems = check()
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{len(problems)} problems")


def expect(problems, *fragments):
    """One problem for each fragment, in order, and no more."""
    assert len(problems) == len(fragments), f"expected {fragments}, got {problems}"
    for problem, fragment in zip(problems, fragments):
        assert fragment in problem, f"expected {fragment!r} in {problem!r}"
