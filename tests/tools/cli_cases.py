# SPDX-License-Identifier: Apache-2.0
"""The shared level examples through the program: import, levels, cat, automaton.

Each goes through every codec, both page versions, pages of one record and pages of all.
"""

import glob
import itertools
import json
import os
import unittest

import program

CODECS = ["uncompressed", "snappy", "zstd", "zstd:19"]
PAGES = [[], ["--page-size", "1"], ["--row-group-rows", "1"], ["--no-dictionary"]]
AUTOMATONS = {
    "dremel-document": [[1], [2, 1], [3, 2], [4, 4, 4], [5, 5, 3], [6, 3]],
    "links-url": [[1], [2, 1]],
    "nested-structs": [[1], [2], [3], [4], [5], [6]],
    "nullable-list": [[1, 0]],
    "optional-chain": [[1], [2]],
    "repeated-groups": [[1, 0, 0]],
    "repeated-leaf": [[1], [2, 1]],
    "user-addresses": [[1], [2], [3, 3], [4, 2]],
}


def read_cases():
    for path in sorted(glob.glob(os.path.join(program.shared("cases"), "*.json"))):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path)[: -len(".json")], json.load(file)


CASES = list(read_cases())


def compact(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def from_first(columns):
    """Columns as levels prints them of a whole file."""
    return [dict(column, first_record=0) for column in columns]


def merged(table):
    """The arrows of an automaton: each pair of states once, with all levels that lead that way."""
    arrows = {}
    for state, nexts in enumerate(table):
        for r, following in enumerate(nexts):
            arrows.setdefault((state, following), []).append(r)
    return [(*ends, levels) for ends, levels in arrows.items()]


@unittest.skipUnless(CASES, "the shared level examples are not here")
class Cases(program.ProgramTest):
    def test_all_eight_are_here(self):
        self.assertEqual({name for name, _ in CASES}, set(AUTOMATONS))

    def test_levels_and_records_by_codec_page_version_and_page_size(self):
        for name, case in CASES:
            for codec, version, pages in itertools.product(CODECS, "12", PAGES):
                with self.subTest(name, codec=codec, version=version, pages=pages):
                    options = ["--codec", codec, "--data-page-version", version, *pages]
                    self.make("a.parquet", case["records"], "--schema", case["schema"], *options)
                    lines = self.good("levels", "--json", "a.parquet").splitlines()
                    self.assertEqual([json.loads(line) for line in lines], from_first(case["columns"]))
                    lines = self.good("cat", "a.parquet").splitlines()
                    # Dicts compare without order; their text compares it too.
                    self.assertEqual(lines, [compact(record) for record in case["records"]])

    def test_the_options_reach_the_file(self):
        for name, case in CASES:
            self.make(
                "a.parquet",
                case["records"],
                "--schema",
                case["schema"],
                "--codec",
                "snappy",
                "--data-page-version",
                "2",
                "--page-size",
                "1",
                "--no-dictionary",
            )
            pages = [
                json.loads(line) for line in self.good("pages", "--json", "a.parquet").splitlines()
            ]
            self.assertEqual({page["type"] for page in pages}, {"data v2"})
            if len(case["records"]) > 1:
                self.assertGreater(len(pages), len(case["columns"]))
            meta = json.loads(self.good("meta", "--json", "a.parquet"))
            chunks = [chunk for group in meta["row_groups"] for chunk in group["columns"]]
            self.assertEqual({chunk["codec"] for chunk in chunks}, {"SNAPPY"})

    def test_the_schema_is_printed_as_it_was_given(self):
        for name, case in CASES:
            self.make("a.parquet", case["records"], "--schema", case["schema"])
            self.assertEqual(self.good("schema", "a.parquet"), case["schema"] + "\n")

    def test_the_schema_may_come_from_a_file(self):
        for name, case in CASES:
            self.put("a.schema", case["schema"])
            self.make("a.parquet", case["records"], "--schema", "a.schema")
            self.assertEqual(self.records("a.parquet"), case["records"])

    def test_automatons(self):
        for name, case in CASES:
            wanted = {
                "leaves": [column["path"] for column in case["columns"]],
                "max_repetition": [column["max_repetition"] for column in case["columns"]],
                "next": AUTOMATONS[name],
            }
            self.make("a.parquet", case["records"], "--schema", case["schema"])
            for arguments in [["a.parquet"], ["--schema", case["schema"]]]:
                given = json.loads(self.good("automaton", "--json", *arguments))
                self.assertEqual(merged(given["next"]), [(e["from"], e["to"], e["r"]) for e in given.pop("edges")])
                self.assertEqual(given, wanted)

    def test_each_leaf_alone(self):
        for name, case in CASES:
            self.make("a.parquet", case["records"], "--schema", case["schema"])
            for column in case["columns"]:
                line = self.good("levels", "--json", "--columns", column["path"], "a.parquet")
                self.assertEqual([json.loads(line)], from_first([column]))

    def test_what_cat_prints_imports_again(self):
        for name, case in CASES:
            self.make("a.parquet", case["records"], "--schema", case["schema"])
            printed = self.good("cat", "a.parquet")
            self.make("b.parquet", printed, "--schema", case["schema"])
            self.assertEqual(self.good("cat", "b.parquet"), printed)


if __name__ == "__main__":
    program.main()
