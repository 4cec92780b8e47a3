# SPDX-License-Identifier: Apache-2.0
"""bytes: ranges that cover the file in every form of output, and that agree with pages and meta."""

import json
import os
import re
import struct

import program

RECORDS = [
    {"id": n, "name": None if n % 4 == 3 else f"name {n % 7}", "tags": ["t"] * (n % 3), "x": n / 4}
    for n in range(60)
]
OPTIONS = ["--row-group-rows", "25", "--page-size", "60", "--bloom", "name", "--codec", "zstd"]


class BytesTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.make("a.parquet", RECORDS, *OPTIONS)

    def map(self, *arguments, file="a.parquet"):
        return json.loads(self.good("bytes", "--json", *arguments, file))

    def tile(self, ranges, begin, end):
        """Demands that ranges cover begin to end, and what is inside them in the same way."""
        at = begin
        for one in ranges:
            self.assertEqual(one["begin"], at, one["kind"])
            at += one["length"]
            self.assertLessEqual({"children", "uncompressed"} & set(one), {"children", "uncompressed"})
            if "children" in one:
                self.tile(one["children"], one["begin"], at)
            if "uncompressed" in one:
                self.tile(one["uncompressed"], 0, one["uncompressed_size"])
        self.assertEqual(at, end)

    def flat(self, ranges, around=None):
        """All ranges, with the locations that they have from those around."""
        for one in ranges:
            here = {key: (around or {}).get(key) for key in ("row_group", "column", "page")} | one
            yield here
            yield from self.flat(one.get("children", []), here)
            yield from self.flat(one.get("uncompressed", []), here)


class Covering(BytesTest):
    def test_ranges_cover_the_file_at_every_depth(self):
        for arguments in [[], ["--all"], *(["--depth", str(n)] for n in range(1, 9))]:
            whole = self.map(*arguments)
            self.assertEqual(whole["size"], os.path.getsize(self.path("a.parquet")))
            self.tile(whole["ranges"], 0, whole["size"])

    def test_nothing_of_an_own_file_is_unknown_or_a_gap(self):
        kinds = {one["kind"] for one in self.flat(self.map("--all")["ranges"])}
        self.assertEqual(kinds & {"unknown", "gap"}, set())
        expected = {"magic", "column_chunk", "page", "page_header", "field", "page_body", "values", "rle_run",
                    "packed_group", "value", "column_index", "offset_index", "bloom_filter", "bloom_block", "footer",
                    "footer_length", "definition_levels", "repetition_levels"}  # fmt: skip
        self.assertLessEqual(expected, kinds)

    def test_lines_say_the_same_as_json(self):
        lines = self.good("bytes", "--all", "a.parquet").splitlines()[1:]
        ranges = list(self.flat(self.map("--all")["ranges"]))
        self.assertEqual(len(lines), len(ranges))
        for line, one in zip(lines, ranges):
            begin, length, kind = line[1:].replace(":", " ").split()[:3]
            self.assertEqual((int(begin), int(length), kind), (one["begin"], one["length"], one["kind"]))
            if "value" in one:
                self.assertIn(": " + one["value"], line)

    def test_hex_has_the_bytes_of_the_file(self):
        with open(self.path("a.parquet"), "rb") as file:
            whole = file.read()
        found = {}
        for line in self.good("bytes", "--all", "--hex", "a.parquet").splitlines()[1:]:
            if line.startswith("+") or "more bytes" in line:
                continue
            begin = int(line[1:11])
            for at, byte in enumerate(re.findall(r"[0-9A-F]{2} ", line[13:61])):
                found[begin + at] = int(byte, 16)
        self.assertEqual({at: whole[at] for at in found}, found)
        # Bodies are compressed: what is inside of them has its own offsets.
        bodies = [one for one in self.flat(self.map("--all")["ranges"]) if "uncompressed" in one]
        self.assertEqual(len(whole) - len(found), sum(one["length"] for one in bodies))


class Agreement(BytesTest):
    def test_pages_are_those_of_the_command_pages(self):
        ranges = list(self.flat(self.map("--depth", "3")["ranges"]))
        found = [
            (one["row_group"], one["begin"], one["length"], one["count"]) for one in ranges if one["kind"] == "page"
        ]
        pages = [json.loads(line) for line in self.good("pages", "--json", "a.parquet").splitlines()]
        self.assertEqual(
            found,
            [(page["row_group"], page["offset"], page["header_size"] + page["compressed_size"], page["values"])
             for page in pages],
        )  # fmt: skip
        headers = [one["length"] for one in ranges if one["kind"] == "page_header"]
        self.assertEqual(headers, [page["header_size"] for page in pages])
        sizes = [one["uncompressed_size"] for one in ranges if "uncompressed_size" in one]
        self.assertEqual(sizes, [page["uncompressed_size"] for page in pages])

    def test_chunks_and_indexes_are_those_of_the_command_meta(self):
        meta = json.loads(self.good("meta", "--json", "a.parquet"))
        whole = self.map("--depth", "1")
        self.assertEqual(whole["size"], meta["size"])
        for group, row_group in enumerate(meta["row_groups"]):
            for column, chunk in enumerate(row_group["columns"]):
                own = {one["kind"]: one for one in whole["ranges"]
                       if (one.get("row_group"), one.get("column")) == (group, column)}  # fmt: skip
                begin = min(chunk[key] for key in ("dictionary_page_offset", "data_page_offset") if key in chunk)
                stated = own["column_chunk"]
                self.assertEqual((stated["begin"], stated["length"]), (begin, chunk["total_compressed_size"]))
                self.assertEqual((stated["label"], stated["count"]), (chunk["path"], chunk["values"]))
                for kind in ("offset_index", "column_index", "bloom_filter"):
                    self.assertEqual(kind in own, kind + "_offset" in chunk)
                    if kind in own:
                        self.assertEqual(
                            (own[kind]["begin"], own[kind]["length"]),
                            (chunk[kind + "_offset"], chunk[kind + "_length"]),
                        )
        footer = next(one for one in whole["ranges"] if one["kind"] == "footer")
        self.assertEqual(footer["length"], meta["footer_size"])

    def test_levels_and_values_join_as_levels_prints_them(self):
        self.make("n.parquet", RECORDS, "--codec", "none", "--no-dictionary")
        levels = json.loads(self.good("levels", "--json", "--columns", "name", "n.parquet"))
        ranges = list(self.flat(self.map("--all", "--columns", "name", file="n.parquet")["ranges"]))
        found = []
        section = None
        for one in ranges:
            if one["kind"] in ("definition_levels", "repetition_levels", "values"):
                section = one["kind"]
            if section == "definition_levels" and one["kind"] == "rle_run":
                found += [int(one["value"])] * one["count"]
            if section == "definition_levels" and one["kind"] == "packed_group":
                found += [int(level) for level in one["value"].split()]
        self.assertEqual(found, levels["d"])
        values = [one for one in ranges if one["kind"] == "value" and one["begin"] > 4]
        if all(one["kind"] != "deltas" for one in ranges):
            expected = [value for value in levels["values"] if value is not None]
            self.assertEqual([json.loads(one["value"]) for one in values], expected)


class Variants(BytesTest):
    """The bytes of VARIANTs: ranges inside values, whatever their encoding, joined with cat and levels."""

    MIXED = [{"a": n, "b": ["x", {"c": None}], "long": "y" * 70} if n % 3 else f"text {n}" for n in range(9)]

    def make_mixed(self, name, *options):
        self.make(name, self.MIXED, "--variant-all", *options)
        return list(self.flat(self.map("--all", file=name)["ranges"]))

    def value_of(self, one, names):
        """The JSON value that a variant_value is, by its ranges and the names of its dictionary."""
        values = sorted((o for o in one["children"] if o["kind"] == "variant_value"), key=lambda o: o["index"])
        if one["label"] == "array":
            return [self.value_of(element, names) for element in values]
        if one["label"] == "object":
            ids = next((o["children"] for o in one["children"] if o["kind"] == "variant_ids"), [])
            return {names[int(i["value"])]: self.value_of(field, names) for i, field in zip(ids, values, strict=True)}
        payload = [o for o in one["children"] if o["kind"] == "value_bytes"]
        self.assertTrue(all(o["value"] == one["value"] for o in payload))
        return "y" * 70 if "(70 bytes)" in one["value"] else json.loads(one["value"])

    def test_ranges_of_a_value_are_the_json_that_cat_prints(self):
        for options in (["--codec", "none"], ["--codec", "zstd"], ["--data-page-version", "2"],
                        ["--encoding", "record.value=delta_length_byte_array"],
                        ["--encoding", "record.value=rle_dictionary"]):  # fmt: skip
            ranges = self.make_mixed("v.parquet", "--shred", "none", *options)
            names = sorted({json.loads(one["value"]) for one in ranges if one["kind"] == "variant_name"})
            values = [one for one in ranges if one["kind"] == "variant_value" and "index" not in one]
            found = [self.value_of(one, names) for one in values]
            expected = [json.loads(line)["record"] for line in self.good("cat", "v.parquet").splitlines()]
            self.assertEqual(found, expected, options)
            self.assertNotIn("unknown", {one["kind"] for one in ranges})

    def test_ranges_cover_shredded_columns_and_all_their_bytes_stand_in_hex(self):
        self.make_mixed("s.parquet", "--codec", "none")
        whole = self.map("--all", file="s.parquet")
        self.tile(whole["ranges"], 0, whole["size"])
        lines = self.good("bytes", "--all", "--hex", "s.parquet").splitlines()[1:]
        shown = sum(len(re.findall(r"[0-9A-F]{2} ", line[13:61])) for line in lines if "more bytes" not in line)
        self.assertEqual(shown, whole["size"])
        self.assertTrue(any("variant_value string" in line for line in lines))

    def test_damage_in_a_value_is_unknown_and_what_is_around_it_stays(self):
        self.make_mixed("d.parquet", "--shred", "none", "--codec", "none")
        with open(self.path("d.parquet"), "rb") as file:
            content = bytearray(file.read())
        value = next(one for one in self.flat(self.map("--all", file="d.parquet")["ranges"])
                     if one.get("label") == "object")  # fmt: skip
        content[value["begin"] + value["children"][0]["length"]] = 200  # the count of its fields
        with open(self.path("d.parquet"), "wb") as file:
            file.write(content)
        result = self.bad("bytes", "--all", "d.parquet")
        self.assertIn("damaged or not understood: 1", result)


class Choice(BytesTest):
    def test_columns_row_groups_and_pages(self):
        ranges = list(self.flat(self.map("--columns", "name", "--row-group", "1")["ranges"]))
        self.assertEqual({(one["row_group"], one["column"]) for one in ranges}, {(1, 1)})
        kinds = {one["kind"] for one in ranges}
        self.assertLessEqual({"column_chunk", "page", "offset_index", "column_index", "bloom_filter"}, kinds)
        one_page = list(self.flat(self.map("--page", "1", "--columns", "name", "--row-group", "0")["ranges"]))
        self.assertEqual([one["page"] for one in one_page if one["kind"] == "page"], [1])
        self.assertIn("page_header", {one["kind"] for one in one_page})
        self.assertEqual(one_page[0]["kind"], "column_chunk")

    def test_a_page_that_is_not_there(self):
        message = self.misuse("bytes", "--page", "99", "a.parquet")
        self.assertIn("a.parquet: no page 99 in what is chosen", message)

    def test_options_that_exclude_each_other(self):
        self.assertIn("--hex and --json exclude each other", self.misuse("bytes", "--hex", "--json", "a.parquet"))
        self.assertIn("--all and --depth exclude each other", self.misuse("bytes", "--all", "--depth", "1", "a.parquet"))

    def test_standard_input(self):
        with open(self.path("a.parquet"), "rb") as file:
            whole = file.read()
        for arguments in [[], ["--page", "1", "--columns", "id", "--row-group", "0"]]:
            found = self.good("bytes", *arguments, "-", stdin=whole)
            self.assertEqual(found, self.good("bytes", *arguments, "a.parquet"))


class Damage(BytesTest):
    def damaged(self, *arguments):
        status, output, errors = self.run_program("bytes", "--json", *arguments, "d.parquet")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"\Alamella: d\.parquet: ranges of bytes that are damaged or not understood: \d+\n\Z")
        whole = json.loads(output)
        self.tile(whole["ranges"], 0, whole["size"])
        return list(self.flat(whole["ranges"]))

    def change(self, edit):
        with open(self.path("a.parquet"), "rb") as file:
            whole = bytearray(file.read())
        whole = edit(whole) or whole
        with open(self.path("d.parquet"), "wb") as file:
            file.write(whole)

    def test_a_page_header_that_cannot_be_read(self):
        def edit(whole):
            whole[4] = 0xFF

        self.change(edit)
        notes = [(one["begin"], one["note"]) for one in self.damaged("--all") if one["kind"] == "unknown"]
        self.assertEqual([begin for begin, _ in notes], [4])

    def test_a_file_that_was_cut_off_is_printed_up_to_there(self):
        self.change(lambda whole: whole[: len(whole) // 3])
        ranges = self.damaged("--all")
        self.assertEqual(ranges[0]["kind"], "magic")
        self.assertIn("page", {one["kind"] for one in ranges})
        self.assertEqual(ranges[-1]["kind"], "unknown")

    def test_bytes_between_are_gaps(self):
        def edit(whole):
            at = len(whole) - 8 - struct.unpack("<I", whole[-8:-4])[0]
            return whole[:at] + b"\0" * 20 + b"other" + whole[at:]

        self.change(edit)
        gaps = [one for one in self.map(file="d.parquet")["ranges"] if one["kind"] == "gap"]
        self.assertEqual([one["length"] for one in gaps], [25])

    def test_pages_in_gaps_belong_to_no_column(self):
        """explain took the column of such a page, -1, as an index."""
        pages = [one for one in self.flat(self.map("--depth", "3")["ranges"]) if one["kind"] == "page"][:2]

        def edit(whole):
            at = len(whole) - 8 - struct.unpack("<I", whole[-8:-4])[0]
            return whole[:at] + b"".join(whole[one["begin"] : one["begin"] + one["length"]] for one in pages) + whole[at:]

        self.change(edit)
        self.good("check", "--quiet", "d.parquet")
        lone = [one for one in self.flat(self.map("--all", file="d.parquet")["ranges"]) if one.get("note") == "a page of no column chunk"]
        self.assertEqual([one["length"] for one in lone], [one["length"] for one in pages])
        self.assertTrue(all(one["column"] is None for one in lone))
        self.good("explain", "-o", "e.html", "d.parquet")

    def test_names_from_the_file_stay_text(self):
        self.make("n.parquet", [{"<b>\u001b[31m\n": "<script>"}])
        lines = self.good("bytes", "--all", "n.parquet")
        self.assertNotIn("\x1b", lines)
        labels = [one.get("label") for one in self.flat(self.map(file="n.parquet")["ranges"])]
        self.assertTrue(any(label and "<b>" in label for label in labels))


class Screen(BytesTest):
    def test_only_terminals_get_colours(self):
        self.assertNotIn("\x1b", self.good("bytes", "--all", "a.parquet"))


if __name__ == "__main__":
    program.main()
