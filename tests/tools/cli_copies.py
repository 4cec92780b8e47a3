# SPDX-License-Identifier: Apache-2.0
"""What is stated of a file's values, believed or not by its writer's name, and what a copy states of them."""

import json
import os
import shutil
import struct
import sys

sys.path[:0] = [
    os.path.dirname(os.path.abspath(__file__)),
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "conformance"),
]

import footer_edit
import program
from footer_edit import BINARY, I32, I64, STRUCT

STATISTICS, MAX_VALUE, MIN_VALUE = 12, 5, 6
OUR_NAME = b"lamella version 0.2.0 (build 1)"
GO = b"github.com/parquet-go/parquet-go version 0.32.0(build )"


def metas(tree):
    return [footer_edit.get(chunk, footer_edit.CHUNK["meta_data"]) for chunk in footer_edit.chunks(tree)]


def bounds(minimum, maximum):
    return (STRUCT, {MAX_VALUE: (BINARY, maximum), MIN_VALUE: (BINARY, minimum)})


class EditedTest(program.ProgramTest):
    def footer(self, name):
        """The bytes before the footer, and the tree of it."""
        with open(self.path(name), "rb") as file:
            return footer_edit.footer_of(file.read())

    def edited(self, name, edit):
        """The file again, after `edit` of its body and footer, under another name."""
        body, tree = self.footer(name)
        body = edit(body, tree) or body
        return self.put("edited-" + name, footer_edit.file_of(body, tree))


# --- Statistics ----------------------------------------------------------------------------------------------------


class CopiesTest(EditedTest):
    def named(self, name, created_by, statistics=None):
        """Statistics of the first column, and no page index of it, in the name of a writer."""

        def edit(_, tree):
            tree[footer_edit.FILE["created_by"]] = (BINARY, created_by or b"")
            if created_by is None:
                del tree[footer_edit.FILE["created_by"]]
            for group in footer_edit.row_groups(tree):
                chunk = footer_edit.get(group, footer_edit.GROUP["columns"])[1][0]
                for index in (4, 5, 6, 7):
                    chunk.pop(index, None)
                if statistics is not None:
                    footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])[STATISTICS] = statistics

        return self.edited(name, edit)

    def states_bounds(self, name):
        _, tree = self.footer(name)
        return MAX_VALUE in metas(tree)[0].get(STATISTICS, (STRUCT, {}))[1]

    def expect_doubt(self, name, statistics, condition, sound, others):
        """Bounds that leave a row out are believed from some writers only, and copied from no others."""
        for created_by in [*sound, *others]:
            is_sound = created_by in sound
            edited = self.named(name, created_by, statistics)
            self.assertEqual(self.good("count", "--where", condition, "--no-pruning", edited), "1\n")
            self.assertEqual(self.good("count", "--where", condition, edited), "0\n" if is_sound else "1\n", created_by)
            checked = self.run_program("check", edited)[1].decode()
            self.assertEqual(" note known-fault: " in checked, not is_sound, (created_by, checked))
            for options in [[], ["--codec", "zstd"]]:
                self.good("rewrite", *options, "-o", "copy.parquet", edited)
                self.assertEqual(self.states_bounds("copy.parquet"), is_sound, (created_by, options))
            if not is_sound:
                self.assertEqual(self.good("count", "--where", condition, "copy.parquet"), "1\n")
                self.good("append", "--in-place", "-o", edited, name)
                self.assertEqual(self.good("count", "--where", condition, edited), "2\n")

    def test_bounds_of_decimals_of_any_length_are_believed_from_sound_writers(self):
        schema = "message m { required binary d (DECIMAL(20,2)); }"
        self.make("d.parquet", [{"d": 2.56}, {"d": 0.02}, {"d": 10.00}], "--schema", schema)
        sound = [OUR_NAME, b"parquet-mr version 1.13.1 (build db4183109d5b734ec5930d870cdae161e408ddba)",
                 b"parquet-cpp-arrow version 26.0.1"]
        others = [GO, None, b"", b"parquet-mr version 1.9.0 (build 1)", b"parquet-rs version 58.0.0", b"trust me version 1.0"]
        self.expect_doubt("d.parquet", bounds(b"\1\0", b"\3\xe8"), "d = 0.02", sound, others)

    def test_bounds_of_int96_are_believed_from_writers_that_look_at_the_values(self):
        schema = "message m { required int96 t; }"
        times = [{"t": f"20{year}-01-01T00:00:00"} for year in (20, 21, 22)]
        self.make("t.parquet", times, "--schema", schema, "--int96-order")
        bound = struct.pack("<qi", 0, 2459216)  # 2021-01-01, a year late
        statistics = bounds(bound, struct.pack("<qi", 0, 2459581))
        others = [None, b"parquet-cpp-arrow version 22.0.0", b"parquet-mr version 1.18.0 (build 1)"]
        self.expect_doubt("t.parquet", statistics, "t = '2020-01-01'", [OUR_NAME], others)

    def with_page_statistics(self, name, version, created_by):
        """The first column of one row group and one page, whose header has statistics."""

        def edit(body, tree):
            meta = metas(tree)[0]
            at = meta[9][1]
            header, size = footer_edit.read_struct(body[at : at + 200])
            page = header[5 if version == 1 else 8][1]
            page[5 if version == 1 else 8] = bounds(b"\1\0", b"\3\xe8")
            head = footer_edit.write_struct(header)
            meta[6] = (I64, meta[6][1] + len(head) - size)
            meta[7] = (I64, meta[7][1] + len(head) - size)
            tree[footer_edit.FILE["created_by"]] = (BINARY, created_by)
            return body[:at] + head + body[at + size :]

        return self.edited(self.named(name, created_by), edit)

    def test_a_copy_has_no_bounds_in_page_headers_that_the_writer_got_wrong(self):
        schema = "message m { required binary d (DECIMAL(20,2)); }"
        records = [{"d": 2.56}, {"d": 0.02}, {"d": 10.00}]
        for version in (1, 2):
            for codec in ("none", "zstd"):
                options = ["--data-page-version", str(version), "--codec", codec, "--no-dictionary"]
                self.make("d.parquet", records, "--schema", schema, *options)
                for created_by in [OUR_NAME, GO]:
                    name = self.with_page_statistics("d.parquet", version, created_by)
                    self.assertIn("in the statistics of the page", self.run_program("check", name)[1].decode())
                    for change in [[], ["--codec", "snappy"]]:
                        self.good("rewrite", *change, "-o", "copy.parquet", name)
                        self.assertEqual(self.good("diff", "copy.parquet", name), "")
                        status, checked, _ = self.run_program("check", "copy.parquet")
                        self.assertEqual(status, int(created_by == OUR_NAME), (version, codec, change, checked))


# --- Pages that begin inside of records ----------------------------------------------------------------------------

CHUNK_INDEXES, OFFSET_INDEX, OFFSET_INDEX_SIZE = (4, 5, 6, 7), 4, 5
TRIPLES = 6  # of a page


def bits(levels):
    """Levels of one bit as one run that is packed."""
    groups = -(-len(levels) // 8)
    packed = sum(level << n for n, level in enumerate(levels))
    return bytes([groups << 1 | 1]) + packed.to_bytes(groups, "little")


def page(version, triples):
    """An uncompressed page of a repeated INT32, of (r, d, value)."""
    r, d = (bits([triple[n] for triple in triples]) for n in (0, 1))
    values = b"".join(struct.pack("<i", value) for _, present, value in triples if present)
    rows, nulls = (sum(triple[n] == 0 for triple in triples) for n in (0, 1))
    count = (I32, len(triples))
    if version == 1:
        body = struct.pack("<I", len(r)) + r + struct.pack("<I", len(d)) + d + values
        kind = {5: (STRUCT, {1: count, 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)})}
    else:
        body = r + d + values
        kind = {8: (STRUCT, {1: count, 2: (I32, nulls), 3: (I32, rows), 4: (I32, 0), 5: (I32, len(d)),
                             6: (I32, len(r)), 7: (footer_edit.FALSE, False)})}
    sizes = {1: (I32, 0 if version == 1 else 3), 2: (I32, len(body)), 3: (I32, len(body))}
    return footer_edit.write_struct({**sizes, **kind}) + body


class InsideRecordsTest(EditedTest):
    RECORDS = [{"i": row, "l": [row * 10 + n for n in range(row % 5)]} for row in range(40)]

    def inside(self, version):
        """A file whose offset index leads to pages that go on with the record before them."""
        triples, pages, locations = [], b"", []
        for record in self.RECORDS:
            triples += [(int(n > 0), 1, value) for n, value in enumerate(record["l"])] or [(0, 0, None)]
        schema = "message m { required int64 i; repeated int32 l; }"
        self.make("r.parquet", self.RECORDS, "--schema", schema, "--codec", "none")

        def edit(body, tree):
            nonlocal pages
            chunk = footer_edit.chunks(tree)[1]
            for at in range(0, len(triples), TRIPLES):
                made = page(version, triples[at : at + TRIPLES])
                row = sum(r == 0 for r, _, _ in triples[:at])
                locations.append({1: (I64, len(body) + len(pages)), 2: (I32, len(made)), 3: (I64, row)})
                pages += made
            meta = metas(tree)[1]
            meta.update({2: (footer_edit.LIST, (I32, [0, 3])), 6: (I64, len(pages)), 7: (I64, len(pages)), 9: (I64, len(body))})
            for field in (11, 13, 16):
                meta.pop(field, None)
            index = footer_edit.write_struct({1: (footer_edit.LIST, (STRUCT, locations))})
            for field in CHUNK_INDEXES:
                chunk.pop(field, None)
            chunk[OFFSET_INDEX] = (I64, len(body) + len(pages))
            chunk[OFFSET_INDEX_SIZE] = (I32, len(index))
            tree[footer_edit.FILE["created_by"]] = (BINARY, b"parquet-go version 18.6.0")
            return body + pages + index

        name = self.edited("r.parquet", edit)
        self.assertIn(" error page-boundary: ", self.run_program("check", name)[1].decode())
        return name

    def text_of(self, records):
        return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)

    def expect_records(self, name, times=1):
        """All of them, each by itself, too; and nothing is wrong in the file."""
        self.assertEqual(self.good("cat", name), self.text_of(self.RECORDS) * times)
        self.assertNotIn(" error ", self.run_program("check", name)[1].decode())
        for record in self.RECORDS:
            lines = self.text_of([record])
            self.assertEqual(self.good("cat", "--where", f"i = {record['i']}", name), lines * times)

    def test_a_copy_has_pages_that_begin_with_records(self):
        for version in (1, 2):
            name = self.inside(version)
            for options in [[], ["--codec", "zstd"], ["--row-group-rows", "30"], [name]]:
                self.good("rewrite", *options, "-o", "copy.parquet", name)
                self.expect_records("copy.parquet", 2 if options == [name] else 1)
            self.good("rewrite", "--columns", "l", "-o", "copy.parquet", name)
            self.assertEqual(self.good("cat", "copy.parquet"), self.good("cat", "--columns", "l", name))
            self.assertNotIn(" error ", self.good("check", "copy.parquet"))

    def test_appending_leaves_out_the_index_or_refuses(self):
        name = self.inside(1)
        for options in ([], ["--in-place"]):
            self.make("to.parquet", self.RECORDS, "--schema", "message m { required int64 i; repeated int32 l; }")
            self.good("append", *options, "-o", "to.parquet", name)
            self.expect_records("to.parquet", 2)
        self.good("append", "--in-place", "-o", name, "r.parquet")
        self.expect_records(name, 2)
        name = self.inside(2)
        for to, what in (("to.parquet", name), (name, "r.parquet")):
            for options in ([], ["--in-place"]):
                message = self.bad("append", *options, "-o", to, what)
                self.assertIn("V2 pages that begin inside records", message)
        self.expect_records("to.parquet", 2)


# --- Places -------------------------------------------------------------------------------------------------------


class PlacesTest(EditedTest):
    def test_what_leads_out_of_a_file_leads_nowhere_in_a_longer_one(self):
        """A page index and a Bloom filter behind the footer's start would be other bytes when the file has grown."""
        records = [{"k": number} for number in range(500)]
        self.make("k.parquet", records, "--bloom", "k", "--page-size", "200", "--no-dictionary")
        offset_index, column_index, bloom = (4, 5), (6, 7), (14, 15)

        def shift(fields, by, is_of_meta):
            def edit(_, tree):
                for chunk in footer_edit.chunks(tree):
                    struct = footer_edit.get(chunk, footer_edit.CHUNK["meta_data"]) if is_of_meta else chunk
                    struct[fields[0]] = (I64, struct[fields[0]][1] + by)

            return edit

        def without_length(body, tree):
            """A filter of other bytes, which are not all there."""
            for meta in metas(tree):
                del meta[bloom[1]]
                at = meta[bloom[0]][1]
                header, size = footer_edit.read_struct(body[at : at + 64])
                header[1] = (footer_edit.I32, 8160)
                written = footer_edit.write_struct(header)
                self.assertEqual(len(written), size)
                body = body[:at] + written + body[at + size :]
            return body

        for edit, gone in [
            (shift(offset_index, 5000, False), [offset_index, column_index]),
            (shift(column_index, 5000, False), [column_index]),
            (shift(bloom, 5000, True), [bloom]),
            (shift(bloom, -1 << 40, True), [bloom]),
            (without_length, [bloom]),
        ]:
            name = self.edited("k.parquet", edit)
            for options in [["--in-place"], []]:
                shutil.copy(self.path(name), self.path("grown.parquet"))
                self.good("append", *options, "-o", "grown.parquet", "k.parquet")
                _, tree = self.footer("grown.parquet")
                chunk = footer_edit.chunks(tree)[0]
                meta = footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])
                for fields in (offset_index, column_index, bloom):
                    has = [field in (meta if fields == bloom else chunk) for field in fields]
                    self.assertEqual(has, [fields not in gone] * 2, (edit, fields))
                for value in (0, 250, 499):
                    self.assertEqual(self.good("count", "--where", f"k = {value}", "grown.parquet"), "2\n")
                self.good("check", "grown.parquet")


# --- Types ---------------------------------------------------------------------------------------------------------

TYPE, CONVERTED, SCALE, PRECISION, LOGICAL = 1, 6, 7, 8, 10
EMPTY = (STRUCT, {})


def member(number, fields=None):
    """The annotation LogicalType, as a union with one member."""
    return {LOGICAL: (STRUCT, {number: (STRUCT, fields or {})})}


def converted(number, **others):
    return {CONVERTED: (I32, number), **{globals()[name]: (I32, value) for name, value in others.items()}}


UTC, ZONE_FREE = (footer_edit.TRUE, True), (footer_edit.FALSE, False)
MICROS = (STRUCT, {2: EMPTY})
# A leaf, its annotations, and how this version calls the type.
STATED = [
    ("fixed_len_byte_array(4)", member(30, {1: (I32, 5), 7: (BINARY, b"tomorrow")}), "UNRECOGNIZED"),
    ("fixed_len_byte_array(12)", member(9), "UNRECOGNIZED"),
    ("int64", member(8, {1: UTC, 2: (STRUCT, {4: EMPTY})}), "UNRECOGNIZED"),
    ("int64", converted(22), "UNRECOGNIZED"),
    ("int32", converted(24), "UNRECOGNIZED"),
    ("int32", converted(-1), "UNRECOGNIZED"),
    ("int32", member(30) | converted(0), "UNRECOGNIZED"),
    ("int32", member(1) | converted(0), ""),  # STRING, which is none of int32
    ("binary", member(6), "UNRECOGNIZED"),  # DATE, neither
    ("binary", converted(0), "STRING"),
    ("binary", member(1), "STRING"),
    ("binary", member(1) | converted(0), "STRING"),
    ("int64", converted(10), "TIMESTAMP(MICROS,true)"),
    ("int64", member(8, {1: UTC, 2: MICROS}), "TIMESTAMP(MICROS,true)"),
    ("int64", member(8, {1: ZONE_FREE, 2: MICROS}), "TIMESTAMP(MICROS,false)"),
    ("int64", member(8, {1: UTC, 2: MICROS, 9: (I32, 1)}) | converted(10), "TIMESTAMP(MICROS,true)"),
    ("int32", converted(5, PRECISION=9), "DECIMAL(9,0)"),
    ("int32", member(5, {1: (I32, 2), 2: (I32, 9)}), "DECIMAL(9,2)"),
    ("int32", converted(17), "INTEGER(32,true)"),
    ("fixed_len_byte_array(12)", converted(21), "INTERVAL"),
]


class TypesTest(EditedTest):
    def stated(self, name):
        """The annotations of the second field, wherever they are in the element."""
        _, tree = self.footer(name)
        element = footer_edit.elements(tree)[2]
        return {field: element[field] for field in (CONVERTED, SCALE, PRECISION, LOGICAL) if field in element}

    def statistics(self, name):
        _, tree = self.footer(name)
        return metas(tree)[1].get(STATISTICS, (STRUCT, {}))[1]

    def with_type(self, leaf, annotations):
        """A file of two columns; bounds of the second are those of its bytes."""
        value = {"int32": 7, "int64": 1000}.get(leaf, "AAAAAAAAAAAAAAAA"[: 16 if "12" in leaf else 8 if "4" in leaf else 4])
        value = value if not leaf.endswith("(4)") else "AAAAAA=="
        schema = f"message m {{ required int32 k; optional {leaf} x; }}"
        self.make("plain.parquet", [{"k": k, "x": value if k % 3 else None} for k in range(20)], "--schema", schema)

        def edit(_, tree):
            element = footer_edit.elements(tree)[2]
            for field, value in annotations.items():
                element[field] = value
            footer_edit.elements(tree)[2] = dict(sorted(element.items()))

        return self.edited("plain.parquet", edit)

    def test_a_copy_states_the_types_that_its_original_states(self):
        for leaf, annotations, kind in STATED:
            name = self.with_type(leaf, annotations)
            self.assertEqual(self.stated(name), annotations)
            schema = self.good("schema", name)
            self.assertIn(f" x ({kind});" if kind else " x;", schema)
            records = self.good("cat", name)
            known = self.run_program("check", name)[1].decode().splitlines()[:-1]
            for command in [
                ["rewrite"],
                ["rewrite", "--codec", "gzip"],
                ["rewrite", "--columns", "k,x"],
                ["rewrite", "--row-group-rows", "7"],
                ["rewrite", "--where", "k >= 0"],
                ["rewrite", "--encoding", "x=plain"],
                ["rewrite", "--salvage"],
                ["import"],
            ]:
                with self.subTest(leaf=leaf, annotations=annotations, command=command):
                    status, _, message = self.run_program(*command, "-o", "copy.parquet", name)
                    self.assertEqual(status, 0, message)
                    self.assertEqual(self.stated("copy.parquet"), annotations)
                    self.assertEqual(self.good("cat", "copy.parquet"), records)
                    self.assertEqual(self.good("schema", "copy.parquet"), schema)
                    is_copied = command in (["rewrite"], ["rewrite", "--codec", "gzip"], ["rewrite", "--columns", "k,x"])
                    bounds = MAX_VALUE in self.statistics("copy.parquet")
                    self.assertEqual(bounds, is_copied or kind not in ("UNRECOGNIZED", "INTERVAL"))
                    found = self.run_program("check", "copy.parquet")[1].decode().splitlines()[:-1]
                    rules = [sorted({line.split(": ")[1] for line in lines}) for lines in (found, known)]
                    self.assertLessEqual(set(rules[0]), set(rules[1]))

    def test_what_is_appended_states_the_types_of_the_file(self):
        for leaf, annotations, _ in STATED:
            name = self.with_type(leaf, annotations)
            for _ in range(2):
                self.good("append", "--in-place", "-o", name, name)
            self.assertEqual(self.stated(name), annotations)
            self.assertEqual(self.good("count", name), "80\n")
            self.good("append", "-o", name, name)
            self.assertEqual(self.stated(name), annotations)
            self.assertEqual(self.good("count", name), "160\n")

    def test_of_two_files_the_first_states_the_types_that_both_mean(self):
        first = self.with_type("int64", converted(10))
        os.rename(self.path(first), self.path("first.parquet"))
        second = self.with_type("int64", member(8, {1: UTC, 2: MICROS}))
        for names in [["first.parquet", second], [second, "first.parquet"]]:
            self.good("rewrite", "-o", "copy.parquet", *names)
            self.assertEqual(self.stated("copy.parquet"), self.stated(names[0]))
            self.assertEqual(self.good("count", "copy.parquet"), "40\n")

    def test_types_that_nobody_knows_are_two_unless_their_bytes_are_the_same(self):
        first = self.with_type("int32", member(30, {1: (I32, 5)}))
        os.rename(self.path(first), self.path("first.parquet"))
        second = self.with_type("int32", member(30, {1: (I32, 6)}))
        self.assertIn("x", self.bad("rewrite", "--on-clash", "error", "-o", "copy.parquet",
                                    "first.parquet", second))  # fmt: skip
        self.assertIn("(UNRECOGNIZED) in", self.bad("append", "--in-place", "-o", "first.parquet", second))


if __name__ == "__main__":
    program.main()
