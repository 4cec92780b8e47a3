# SPDX-License-Identifier: Apache-2.0
"""What is found in the files of parquet-testing is what known_findings.txt says, and all of it true.

LAMELLA_UPDATE=1 writes the counts anew and keeps the reasons, to be read before they are committed.
"""

import os
import sys
import unittest

import check_program

MANIFEST = os.path.join(check_program.HERE, "known_findings.txt")
FOLDER = check_program.shared("parquet-testing")


def files():
    """The Parquet files, by their path in the folder."""
    for folder in ("data", "shredded_variant"):
        for path, _, names in os.walk(os.path.join(FOLDER, folder)):
            for name in names:
                if name.endswith((".parquet", ".parquet.encrypted")):
                    yield os.path.relpath(os.path.join(path, name), FOLDER)


def read_manifest():
    """The comment at the top, and the lines "FILE RULE COUNT" as a dict of file to rules."""
    known = {}
    comment = []
    with open(MANIFEST, encoding="utf-8") as manifest:
        for line in manifest:
            if line.startswith("#") or not line.strip():
                comment.append(line)
                continue
            name, rule, count = line.split()
            known.setdefault(name, {})[rule] = int(count)
    return "".join(comment), known


def write_manifest(comment, found):
    with open(MANIFEST, "w", encoding="utf-8") as manifest:
        manifest.write(comment.rstrip("\n") + "\n\n")
        for name in sorted(found):
            for rule in sorted(found[name]):
                manifest.write(f"{name} {rule} {found[name][rule]}\n")


class FilesTest(unittest.TestCase):
    maxDiff = None

    def test_findings_are_those_that_are_known(self):
        comment, known = read_manifest()
        found = {}
        for name in files():
            rules = dict(check_program.counted(check_program.check(os.path.join(FOLDER, name))))
            if rules:
                found[name] = rules
        if os.environ.get("LAMELLA_UPDATE"):
            write_manifest(comment, found)
        self.assertEqual(known, found)

    def test_every_rule_that_is_known_has_its_reason(self):
        comment, known = read_manifest()
        rules = {rule for found in known.values() for rule in found}
        self.assertEqual([], sorted(rule for rule in rules if f"# {rule}:" not in comment))


if __name__ == "__main__":
    if not os.path.isdir(FOLDER):
        print("skipped: no shared folder parquet-testing")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]], verbosity=2)
