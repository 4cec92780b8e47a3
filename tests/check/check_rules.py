# SPDX-License-Identifier: Apache-2.0
"""docs/check.md lists the rules that the program knows, and every rule is broken by some test."""

import os
import re
import subprocess
import sys

import check_program


def main():
    rules = subprocess.run(
        [check_program.PROGRAM, "check", "--rules"], capture_output=True, check=True
    ).stdout.decode()
    with open(os.path.join(check_program.ROOT, "docs", "check.md"), encoding="utf-8") as file:
        text = file.read()
    table = re.search(r"<!-- rules -->\n(.*?)<!-- /rules -->", text, re.DOTALL)
    if table is None or table[1] != rules:
        sys.exit("docs/check.md differs from what \"lamella check --rules\" prints")
    ids = re.findall(r"^\| `([a-z0-9-]+)` \|", rules, re.MULTILINE)
    if len(ids) != len(set(ids)) or not ids:
        sys.exit("rule ids are not unique")
    tests = ""
    for name in sorted(os.listdir(check_program.HERE)):
        if name.startswith("test_") or name == "known_findings.txt":
            with open(os.path.join(check_program.HERE, name), encoding="utf-8") as file:
                tests += file.read()
    untested = [rule for rule in ids if not re.search(rf"(?<![\w-]){rule}(?![\w-])", tests)]
    if untested:
        sys.exit("no test breaks " + ", ".join(untested))


if __name__ == "__main__":
    main()
