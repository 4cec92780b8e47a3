# SPDX-License-Identifier: Apache-2.0
"""What is stated of a file's values, believed or not by its writer's name, and what a copy states of them."""

import os
import struct
import sys

sys.path[:0] = [
    os.path.dirname(os.path.abspath(__file__)),
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "conformance"),
]

import footer_edit
import program
from footer_edit import BINARY, I64, STRUCT

STATISTICS, MAX_VALUE, MIN_VALUE = 12, 5, 6
OUR_NAME = b"lamella version 0.2.0 (build 1)"
GO = b"github.com/parquet-go/parquet-go version 0.32.0(build )"


def metas(tree):
    return [footer_edit.get(chunk, footer_edit.CHUNK["meta_data"]) for chunk in footer_edit.chunks(tree)]


def bounds(minimum, maximum):
    return (STRUCT, {MAX_VALUE: (BINARY, maximum), MIN_VALUE: (BINARY, minimum)})


class CopiesTest(program.ProgramTest):
    def edited(self, name, edit):
        """The file again, after `edit` of its body and footer, under another name."""
        with open(self.path(name), "rb") as file:
            body, tree = footer_edit.footer_of(file.read())
        body = edit(body, tree) or body
        return self.put("edited-" + name, footer_edit.file_of(body, tree))

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
        with open(self.path(name), "rb") as file:
            _, tree = footer_edit.footer_of(file.read())
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


if __name__ == "__main__":
    program.main()
