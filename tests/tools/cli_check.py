# SPDX-License-Identifier: Apache-2.0
"""lamella check: what it prints, its options, and its exit status."""

import json
import zlib

import program


def varint_crc(page):
    """The checksum of a page as its header has it: a zigzag varint."""
    number = zlib.crc32(page)
    number = (number << 1) ^ (0x1FFFFFFFF if number >> 31 else 0)
    number &= 0xFFFFFFFF
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


class Check(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.records = [{"id": 1, "name": "a"}, {"id": 2, "name": None}, {"id": 3, "name": "a"}]
        self.make("a.parquet", self.records, "--codec", "uncompressed")

    def damage(self, name, old, new):
        """Changes bytes that are in the file once."""
        with open(self.path("a.parquet"), "rb") as file:
            data = file.read()
        self.assertEqual(data.count(old), 1, old)
        return self.put(name, data.replace(old, new))

    def test_a_clean_file_is_one_line(self):
        output = self.good("check", "a.parquet")
        self.assertRegex(output, r"\Aa\.parquet: 0 errors, 0 warnings, 0 notes in 1 row group, "
                                 r"2 column chunks, \d+ pages, 6 values\n\Z")
        self.assertEqual(self.good("check", "--quiet", "a.parquet"), "")
        self.assertEqual(self.good("check", "--json", "a.parquet"), "")

    def test_standard_input_is_a_file_too(self):
        with open(self.path("a.parquet"), "rb") as file:
            output = self.good("check", "-", stdin=file.read())
        self.assertTrue(output.startswith("standard input: 0 errors, "), output)

    def test_an_error_is_a_line_with_its_place_and_section(self):
        self.damage("b.parquet", b"\x01\x00\x00\x00a", b"\x01\x00\x00\x00b")
        status, output, errors = self.run_program("check", "b.parquet")
        self.assertEqual((status, errors), (1, ""))
        lines = output.decode().splitlines()
        self.assertRegex(lines[0], r"\Ab\.parquet: error page-crc: the page does not match its checksum: "
                                   r"[0-9a-f]{8} stated, [0-9a-f]{8} found "
                                   r"\(row group 0, column name, offset \d+\) \[README\.md, Checksumming\]\Z")
        self.assertTrue(lines[-1].startswith("b.parquet: 1 error, 0 warnings, "), lines)

    def test_json_says_the_same(self):
        self.damage("b.parquet", b"\x01\x00\x00\x00a", b"\x01\x00\x00\x00b")
        status, output, errors = self.run_program("check", "--json", "b.parquet")
        self.assertEqual((status, errors), (1, ""))
        (finding,) = [json.loads(line) for line in output.splitlines()]
        self.assertGreater(finding.pop("offset"), 0)
        self.assertIn("checksum", finding.pop("message"))
        self.assertEqual(finding, {
            "file": "b.parquet", "severity": "error", "rule": "page-crc", "row_group": 0,
            "column": "name", "section": "README.md, Checksumming"})

    def test_notes_and_warnings_are_no_failure(self):
        self.damage("b.parquet", b"lamella version", b"lamella_version")
        output = self.good("check", "b.parquet")
        self.assertRegex(output, r"\Ab\.parquet: note created-by: ")
        self.assertEqual(self.good("check", "--quiet", "b.parquet"), "")

    def test_what_is_no_parquet_file(self):
        self.put("text", "no Parquet file at all\n")
        status, output, errors = self.run_program("check", "text", "a.parquet")
        self.assertEqual((status, errors), (1, ""))
        lines = output.decode().splitlines()
        self.assertTrue(lines[0].startswith("text: error file-magic: "), lines)
        self.assertTrue(lines[-1].startswith("a.parquet: 0 errors, "), lines)

    def test_a_file_that_is_not_there(self):
        self.assertIn("nothing.parquet: ", self.bad("check", "nothing.parquet", output=""))

    def test_many_findings_of_one_rule_are_counted(self):
        schema = "message m { " + "".join(f"optional group l{n} (LIST) {{ repeated int32 a; }} "
                                          for n in range(9)) + "}"
        self.make("b.parquet", [{}], "--schema", schema)
        status, output, _ = self.run_program("check", "b.parquet")
        lines = output.decode().splitlines()
        self.assertEqual((status, len(lines)), (0, 7), lines)
        self.assertEqual(lines[5], "b.parquet: note list-legacy: 4 more (--all prints them)")
        for option in ("--all", "--json"):
            status, output, _ = self.run_program("check", option, "b.parquet")
            self.assertEqual((status, output.count(b"list-legacy")), (0, 9), option)

    def test_the_memory_limit_passes_over_what_is_larger(self):
        output = self.good("check", "--memory-limit", "4K", "a.parquet")
        self.assertIn(" 0 errors, 0 warnings, ", output)
        self.make("b.parquet", [{"a": "x" * 5000, "b": 1}], "--codec", "uncompressed")
        output = self.good("check", "--memory-limit", "4K", "b.parquet")
        self.assertIn("b.parquet: warning limit: ", output)
        self.assertRegex(output, r"; not everything was checked: [12] of these say why\n\Z")
        self.assertIn("; not everything was checked", self.good("check", "--quiet", "--memory-limit", "4K", "b.parquet"))
        for name, expected in (("a.parquet", 0), ("b.parquet", 1)):
            status, _, errors = self.run_program("check", "--strict", "--memory-limit", "4K", name)
            self.assertEqual((status, errors), (expected, ""), name)

    def test_a_file_that_cannot_be_looked_at_fails(self):
        self.make("b.parquet", [{"a": "x" * 5000}], "--codec", "uncompressed")
        status, output, errors = self.run_program("check", "--memory-limit", "4K", "b.parquet")
        self.assertEqual((status, errors), (1, ""))
        self.assertIn("b.parquet: error unchecked: no page of any column was checked", output.decode())
        status, output, errors = self.run_program("check", "--memory-limit", "100", "a.parquet")
        self.assertEqual((status, errors), (1, ""))
        lines = output.decode().splitlines()
        self.assertTrue(lines[0].startswith("a.parquet: warning limit: "), lines)
        self.assertTrue(lines[1].startswith("a.parquet: error unchecked: "), lines)
        self.assertEqual(self.run_program("check", "--json", "--memory-limit", "100", "a.parquet")[0], 1)

    def test_the_row_is_part_of_the_place(self):
        records = [{"g": {"a": None, "b": None}}, {"g": {"a": 1, "b": None}}, {"g": {"a": None, "b": 7}}]
        self.make("b.parquet", records, "--codec", "uncompressed", "--encoding", "g.b=PLAIN", "--schema",
                  "message m { optional group g { optional int32 a; optional int32 b; } }")
        with open(self.path("b.parquet"), "rb") as file:
            data = file.read()
        # The page of b: definition levels 1, 1 and 2 in a packed group of 8, and a value.
        page, changed = (b"\x03\x00\x00\x00\x03" + levels + b"\x00\x07\x00\x00\x00" for levels in (b"\x25", b"\x21"))
        for old, new in ((page, changed), (varint_crc(page), varint_crc(changed))):
            self.assertEqual((data.count(old), len(old)), (1, len(new)))
            data = data.replace(old, new)
        self.put("b.parquet", data)
        status, output, errors = self.run_program("check", "--json", "b.parquet")
        findings = [json.loads(line) for line in output.splitlines()]
        self.assertEqual((status, errors), (1, ""))
        self.assertIn(("levels-agree", 1), [(finding["rule"], finding.get("row")) for finding in findings])
        status, output, errors = self.run_program("check", "b.parquet")
        self.assertIn("(row group 0, column g.b, row 1)", output.decode())

    def test_wrong_usage(self):
        self.assertIn("no file given", self.misuse("check"))
        self.assertIn("--rules takes no file", self.misuse("check", "--rules", "a.parquet"))
        self.assertIn("--memory-limit cannot be 'much'", self.misuse("check", "--memory-limit", "much", "a.parquet"))
        self.assertIn("unknown option --shout", self.misuse("check", "--shout", "a.parquet"))

    def test_the_rules_are_a_table(self):
        lines = self.good("check", "--rules").splitlines()
        self.assertEqual(lines[0], "| rule | severity | what holds | specification |")
        self.assertGreater(len(lines), 90)
        for line in lines[2:]:
            self.assertRegex(line, r"\A\| `[a-z0-9-]+` \| (error|warning|note) \| [^|]+ \| [^|]+ \|\Z")


if __name__ == "__main__":
    program.main()
