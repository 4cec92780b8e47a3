# SPDX-License-Identifier: Apache-2.0
"""Shapes of files that parquet-testing lacks, made of a file of pyarrow with the same records in it.

The pages of a file are taken out, laid out in another way, and the footer is edited to fit. What is
valid must be read as before, what is not must fail with its reason, and cost no other column.
"""

import copy
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "interop")]
import engines  # noqa: E402

import footer_edit as edit  # noqa: E402
from footer_edit import BINARY, CHUNK, COLUMN, ELEMENT, FILE, GROUP, I32, I64, LIST, STRUCT, get

pa = engines.pyarrow
ROWS = 600
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "name": pa.array([None if n % 7 == 0 else f"name {n % 5}" for n in range(ROWS)]),
        "tags": pa.array([None if n % 11 == 0 else list(range(n % 4)) for n in range(ROWS)]),
        "place": pa.array([{"x": n / 4, "y": None if n % 3 else n} for n in range(ROWS)]),
    },
    pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("name", pa.string()),
            pa.field("tags", pa.list_(pa.int32())),
            pa.field("place", pa.struct([("x", pa.float32()), ("y", pa.int16())])),
        ]
    ),
)
DICTIONARY, INDEX = 2, 1
# One field of each type, with ids that the format does not have.
STRANGERS = {
    1001: (edit.TRUE, True),
    1002: (edit.I8, 7),
    1003: (edit.I16, -3),
    1004: (I32, 1 << 30),
    1005: (I64, -(1 << 62)),
    1006: (edit.DOUBLE, b"12345678"),
    1007: (BINARY, b"stranger"),
    1008: (LIST, (LIST, [(I32, [1, 2]), (STRUCT, [{1: (LIST, (edit.TRUE, [True, False]))}])])),
    1009: (edit.SET, (BINARY, [b"a", b"b"])),
    1010: (STRUCT, {1: (STRUCT, {1: (I32, 5)}), 40: (BINARY, b"")}),
}


class Chunk:
    """The pages of a column chunk, each a header's tree and a body."""

    def __init__(self, data, column):
        self.column = column
        start = get(column, COLUMN["data_page_offset"])
        if COLUMN["dictionary_page_offset"] in column:
            start = min(start, get(column, COLUMN["dictionary_page_offset"]))
        end = start + get(column, COLUMN["total_compressed_size"])
        self.pages = []
        while start < end:
            header, size = edit.read_struct(data[start:end])
            body = data[start + size : start + size + get(header, 3)]
            self.pages.append((header, body))
            start += size + len(body)

    def has_dictionary(self):
        return get(self.pages[0][0], 1) == DICTIONARY

    def bytes(self):
        return [edit.write_struct(header) + body for header, body in self.pages]

    def place(self, offset):
        """Says in the footer that the chunk lies there."""
        pages = self.bytes()
        first = len(pages[0]) if self.has_dictionary() else 0
        self.column[COLUMN["total_compressed_size"]] = (I64, sum(map(len, pages)))
        self.column[COLUMN["data_page_offset"]] = (I64, offset + first)
        self.column.pop(COLUMN["dictionary_page_offset"], None)
        if self.has_dictionary():
            self.column[COLUMN["dictionary_page_offset"]] = (I64, offset)
        self.column.pop(COLUMN["index_page_offset"], None)


class Parts:
    """A file taken apart: its chunks in the order of the footer, and the footer."""

    def __init__(self, data):
        _, self.tree = edit.footer_of(data)
        self.chunks = [Chunk(data, column) for column in edit.columns(self.tree)]

    def file(self, order=None, gap=b"", places=True):
        """The file with its chunks in that order, and `gap` before each and behind the last."""
        body = bytearray(edit.MAGIC)
        for index in range(len(self.chunks)) if order is None else order:
            chunk = self.chunks[index]
            body += gap
            if places:
                chunk.place(len(body))
            body += b"".join(chunk.bytes())
        for chunk in edit.chunks(self.tree):
            for id in [4, 5, 6, 7]:  # the page indexes have moved away
                chunk.pop(id, None)
        self.sort_fields()
        return edit.file_of(bytes(body + gap), self.tree)

    def sort_fields(self):
        for columns in [edit.columns(self.tree), edit.chunks(self.tree)]:
            for fields in columns:
                for id in sorted(fields):
                    fields[id] = fields.pop(id)

    def column(self, *names):
        """The column of that path in the first row group."""
        path = [name.encode() for name in names]
        return next(c for c in edit.columns(self.tree) if get(c, 3)[1] == path)

    def chunk_of(self, *names):
        column = self.column(*names)
        return next(chunk for chunk in self.chunks if chunk.column is column)


class Shapes(engines.EngineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = os.path.join(cls.folder, "base.parquet")
        cls.bases = []
        for version in ["1.0", "2.0"]:
            pa.parquet.write_table(
                TABLE,
                path,
                row_group_size=ROWS // 2,
                data_page_version=version,
                max_rows_per_page=50,
                write_page_index=True,
                write_page_checksum=False,
                compression="snappy",
            )
            with open(path, "rb") as file:
                cls.bases.append(file.read())
        cls.records = engines.cat(path)
        assert len(cls.records) == ROWS

    def parts(self):
        for base in self.bases:
            yield Parts(base)

    def put(self, data):
        path = self.path("x.parquet")
        with open(path, "wb") as file:
            file.write(data)
        return path

    def same(self, data, records=None):
        """All commands read the file, and cat gives the records."""
        path = self.put(data)
        self.compare(self.records if records is None else records, engines.cat(path), "cat")
        for command in ["levels", "pages", "meta", "schema"]:
            engines.lamella(command, path)

    def fails(self, data, message, *command):
        with self.assertRaisesRegex(engines.Failure, message):
            engines.lamella(*(command or ["cat"]), self.put(data))

    def others(self, data, column, message):
        """One column fails in each command that reads it, and all others are read."""
        self.fails(data, message)
        names = [name for name, _ in self.records[0] if name != column]
        found = engines.cat(self.put(data), "--columns", ",".join(names))
        wanted = [[(n, v) for n, v in record if n != column] for record in self.records]
        self.compare(wanted, found, "the other columns")

    # --- Where things lie --------------------------------------------------------------------------

    def test_taking_apart_and_putting_together_changes_no_byte_of_the_footer(self):
        for base in self.bases:
            body, tree = edit.footer_of(base)
            self.assertEqual(edit.file_of(body, tree), base)
            self.same(Parts(base).file())

    def test_row_groups_and_columns_in_any_order(self):
        for parts in self.parts():
            count = len(parts.chunks)
            for order in [range(count - 1, -1, -1), [*range(1, count, 2), *range(0, count, 2)]]:
                self.same(parts.file(order))

    def test_bytes_between_chunks(self):
        for parts in self.parts():
            for gap in [b"\0", b"PAR1" * 50, os.urandom(5000)]:
                self.same(parts.file(gap=gap))

    def test_a_dictionary_whose_offset_is_zero_missing_or_that_of_the_data(self):
        for parts in self.parts():
            for edited in range(4):
                body, _ = edit.footer_of(parts.file())
                for chunk in parts.chunks:
                    if not chunk.has_dictionary():
                        continue
                    column = chunk.column
                    start = get(column, COLUMN["dictionary_page_offset"])
                    if edited != 3:
                        column[COLUMN["data_page_offset"]] = (I64, start)
                    if edited == 0:
                        column[COLUMN["dictionary_page_offset"]] = (I64, 0)
                    elif edited == 1:
                        del column[COLUMN["dictionary_page_offset"]]
                    elif edited == 3:
                        column[COLUMN["data_page_offset"]] = (I64, 0)
                self.same(edit.file_of(body, parts.tree))

    def test_sizes_without_the_header_of_the_dictionary_page(self):
        for parts in self.parts():
            body, _ = edit.footer_of(parts.file())
            for chunk in parts.chunks:
                if chunk.has_dictionary():
                    size = get(chunk.column, COLUMN["total_compressed_size"])
                    header = len(chunk.bytes()[0]) - len(chunk.pages[0][1])
                    chunk.column[COLUMN["total_compressed_size"]] = (I64, size - header)
            self.same(edit.file_of(body, parts.tree))

    def test_page_indexes_are_no_part_of_what_is_read(self):
        for base in self.bases:
            body, tree = edit.footer_of(base)
            for chunk in edit.chunks(tree):
                self.assertTrue({4, 5, 6, 7} <= set(chunk))
            self.same(base)
            for numbers in [(0, 0, 0, 0), (1, 2, 3, 4), (-5, -6, -7, -8), (1 << 62, 1 << 30) * 2]:
                for chunk in edit.chunks(tree):
                    for id, number in zip([4, 5, 6, 7], numbers):
                        chunk[id] = (chunk[id][0], number)
                self.same(edit.file_of(body, tree))
            for chunk in edit.chunks(tree):
                for id in [4, 5]:  # an offset index alone is invalid without the other's place
                    del chunk[id]
            self.same(edit.file_of(body, tree))

    def test_columns_in_other_files_fail_alone(self):
        for base in self.bases:
            body, tree = edit.footer_of(base)
            chunk = edit.chunks(tree)[1]
            edited = {CHUNK["file_path"]: (BINARY, b"part-0.parquet"), **chunk}
            chunk.clear()
            chunk.update(edited)
            message = r"in another file, 'part-0.parquet' \(row group 0, column 1 name\)"
            self.others(edit.file_of(body, tree), "name", message)

    # --- Row groups, chunks and pages that hold little or nothing ----------------------------------

    def empty_group(self, tree, offset):
        group = copy.deepcopy(edit.row_groups(tree)[0])
        group[GROUP["num_rows"]] = (I64, 0)
        group[GROUP["total_byte_size"]] = (I64, 0)
        for chunk in get(group, GROUP["columns"])[1]:
            column = get(chunk, CHUNK["meta_data"])
            for name in ["num_values", "total_compressed_size"]:
                column[COLUMN[name]] = (I64, 0)
            column[6] = (I64, 0)
            column[COLUMN["data_page_offset"]] = (I64, offset)
            column.pop(COLUMN["dictionary_page_offset"], None)
        return group

    def test_chunks_of_no_bytes_anywhere(self):
        for base in self.bases:
            for offset in [0, 4, 1 << 60, -1]:
                body, tree = edit.footer_of(base)
                groups = edit.row_groups(tree)
                empty = self.empty_group(tree, offset)
                groups[:] = [empty, groups[0], copy.deepcopy(empty), groups[1], empty]
                self.same(edit.file_of(body, tree))

    def test_a_file_of_no_rows(self):
        for base in self.bases:
            body, tree = edit.footer_of(base)
            edit.row_groups(tree)[:] = [self.empty_group(tree, 0)]
            self.same(edit.file_of(body, tree), [])
            edit.row_groups(tree).clear()
            self.same(edit.file_of(body, tree), [])
            self.same(edit.file_of(edit.MAGIC, tree), [])

    def empty_page(self, like):
        """A data page without values: all its numbers are 0, and it has no bytes or only some."""
        header = copy.deepcopy(like)
        header[2] = header[3] = (I32, 0)
        for id in [5, 8]:
            if id in header:
                numbers = get(header, id)
                numbers[1] = (I32, 0)
                for other in [2, 3, 5, 6] if id == 8 else []:
                    numbers[other] = (I32, 0)
        return (header, b"")

    def test_pages_without_values_at_every_place(self):
        for parts in self.parts():
            for chunk in parts.chunks:
                pages = []
                for header, body in chunk.pages:
                    if get(header, 1) != DICTIONARY:
                        pages += [self.empty_page(header)]
                    pages += [(header, body)]
                chunk.pages = [*pages, self.empty_page(chunk.pages[-1][0])]
            self.same(parts.file())

    def test_pages_of_other_types_are_passed_over(self):
        for parts in self.parts():
            for chunk in parts.chunks:
                pages = []
                for n, page in enumerate(chunk.pages):
                    strange = {1: (I32, [INDEX, 77][n % 2]), 2: (I32, 3), 3: (I32, 3)}
                    pages += [page, (strange, b"abc")]
                chunk.pages = pages
            self.same(parts.file())

    def test_page_headers_of_kilobytes(self):
        for parts in self.parts():
            for chunk in parts.chunks:
                for n, (header, _) in enumerate(chunk.pages):
                    for id in {5, 8} & set(header):
                        text = (BINARY, bytes([65 + n]) * (3000 << n))
                        statistics = {5: text, 6: text}
                        get(header, id)[5 if id == 5 else 8] = (STRUCT, statistics)
            self.same(parts.file())

    def test_more_pages_than_16_bits_count(self):
        values = pa.table({"a": pa.array([n // 7 for n in range(40_000)], pa.int64())})
        path = self.path("pages.parquet")
        for version in ["1.0", "2.0"]:
            pa.parquet.write_table(values, path, max_rows_per_page=1, data_page_version=version)
            pages = engines.lamella("pages", path).decode()
            self.assertGreater(len(pages.splitlines()), 40_000)
            found = [record[0][1] for record in engines.cat(path)]
            self.assertEqual(found, values.column(0).to_pylist())

    # --- What a footer says, and does not ----------------------------------------------------------

    def test_fields_that_the_format_does_not_have(self):
        for parts in self.parts():
            for chunk in parts.chunks:
                for header, _ in chunk.pages:
                    header.update(STRANGERS)
                    for id in {5, 7, 8} & set(header):
                        get(header, id).update(STRANGERS)
            tree = parts.tree
            for fields in [
                *edit.elements(tree),
                *edit.row_groups(tree),
                *edit.chunks(tree),
                *edit.columns(tree),
                tree,
            ]:
                fields.update(STRANGERS)
            self.same(parts.file())

    def test_what_is_optional_may_be_missing(self):
        for base in self.bases:
            body, tree = edit.footer_of(base)
            for id in set(tree) - {1, 2, 3, 4}:
                del tree[id]
            for group in edit.row_groups(tree):
                for id in set(group) - {1, 2, 3}:
                    del group[id]
            for chunk in edit.chunks(tree):
                for id in set(chunk) - {2, 3}:
                    del chunk[id]
            for column in edit.columns(tree):
                for id in set(column) - {1, 2, 3, 4, 5, 6, 7, 9, 11}:
                    del column[id]
            for element in edit.elements(tree):
                element.pop(9, None)
            self.same(edit.file_of(body, tree))

    def test_numbers_that_nobody_needs_may_be_anything(self):
        for base in self.bases:
            body, tree = edit.footer_of(base)
            tree[FILE["version"]] = (I32, 77)
            tree[FILE["num_rows"]] = (I64, -1)
            tree[FILE["created_by"]] = (BINARY, b"\xff\xfe")
            for group in edit.row_groups(tree):
                group[GROUP["total_byte_size"]] = (I64, -9)
                group[GROUP["file_offset"]] = (I64, 1 << 61)
                group[GROUP["ordinal"]] = (edit.I16, 3)
            for chunk in edit.chunks(tree):
                chunk[CHUNK["file_offset"]] = (I64, -1)
            for column in edit.columns(tree):
                column[COLUMN["encodings"]] = (LIST, (I32, [99, -1]))
                column[6] = (I64, -1)
                column[COLUMN["index_page_offset"]] = (I64, 12345)
            self.same(edit.file_of(body, tree))

    def test_statistics_of_old_writers(self):
        """min and max, of which nobody knows the order, and of any size."""
        for base in self.bases:
            body, tree = edit.footer_of(base)
            for n, column in enumerate(edit.columns(tree)):
                text = (BINARY, [b"", b"\xff", b"x" * 70000][n % 3])
                column[COLUMN["statistics"]] = (STRUCT, {1: text, 2: text, 3: (I64, -1 - n)})
            self.same(edit.file_of(body, tree))

    def test_roots_and_counts_of_children(self):
        for base in self.bases:
            for repetition in [None, 0, 1, 2, 9]:
                body, tree = edit.footer_of(base)
                root, *fields = edit.elements(tree)
                root.pop(ELEMENT["repetition"], None)
                if repetition is not None:
                    edited = {ELEMENT["repetition"]: (I32, repetition), **root}
                    root.clear()
                    root.update(edited)
                for field in fields:
                    if ELEMENT["type"] in field:
                        edited = {**field, ELEMENT["num_children"]: (I32, 0)}
                        field.clear()
                        field.update({id: edited[id] for id in sorted(edited)})
                self.same(edit.file_of(body, tree))

    def test_a_schema_of_nothing(self):
        """Without columns only the row groups tell how many records there are."""
        for children in [{}, {ELEMENT["num_children"]: (I32, 0)}]:
            _, tree = edit.footer_of(self.bases[0])
            tree[FILE["schema"]] = (LIST, (STRUCT, [{4: (BINARY, b"root"), **children}]))
            for group in edit.row_groups(tree):
                group[GROUP["columns"]] = (LIST, (STRUCT, []))
            path = self.put(edit.file_of(edit.MAGIC, tree))
            self.assertEqual(engines.cat(path), [[]] * ROWS)

    def test_a_group_of_nothing(self):
        """Which has no column that tells whether it is there, so that it is if it must."""
        for base in self.bases:
            for count in [{}, {ELEMENT["num_children"]: (I32, 0)}]:
                body, tree = edit.footer_of(base)
                root, *fields = edit.elements(tree)
                root[5] = (I32, get(root, 5) + 1)
                empty = {3: (I32, 0), 4: (BINARY, b"nothing"), **count}
                edit.elements(tree)[:] = [root, *fields, empty]
                records = [
                    engines.Pairs([*record, ("nothing", engines.Pairs())])
                    for record in self.records
                ]
                self.same(edit.file_of(body, tree), records)

    def test_names_of_any_kind(self):
        names = ["", ".", "a.b", '"\\\n', "%s%n", "é\u0301\U0001f600", "x" * 70000, "name"]
        for base in self.bases:
            for name in names:
                body, tree = edit.footer_of(base)
                edit.elements(tree)[1][ELEMENT["name"]] = (BINARY, name.encode())
                records = [engines.Pairs([(name, r[0][1]), *r[1:]]) for r in self.records]
                self.same(edit.file_of(body, tree), records)

    # --- Types that are not what they seem ---------------------------------------------------------

    def test_logical_types_that_nobody_knows_or_that_do_not_fit(self):
        """The column stays what its physical type says."""
        fits_nothing = [
            {6: (I32, 0)},  # UTF8 of INT64
            {6: (I32, 77)},
            {6: (I32, -1)},
            {6: (I32, 5)},  # DECIMAL without precision
            {6: (I32, 7)},  # TIME_MILLIS of INT64
            {10: (STRUCT, {})},
            {10: (STRUCT, {1: (STRUCT, {})})},
            {10: (STRUCT, {99: (STRUCT, {1: (I32, 4)})})},
            {10: (STRUCT, {7: (STRUCT, {1: (edit.TRUE, True), 2: (STRUCT, {9: (STRUCT, {})})})})},
            {10: (STRUCT, {10: (STRUCT, {1: (edit.I8, 13), 2: (edit.TRUE, True)})})},
            {10: (STRUCT, {15: (STRUCT, {})})},  # FLOAT16
            {10: (STRUCT, {14: (STRUCT, {})})},  # UUID
        ]
        for base in self.bases:
            for annotation in fits_nothing:
                with self.subTest(annotation=annotation):
                    body, tree = edit.footer_of(base)
                    edit.elements(tree)[1].update(annotation)
                    self.same(edit.file_of(body, tree))

    def test_lists_and_maps_that_have_another_shape(self):
        """Annotations of groups that cannot be what they say leave groups."""
        for base in self.bases:
            for annotation in [{6: (I32, 3)}, {6: (I32, 1)}, {6: (I32, 2)}, {6: (I32, 0)}]:
                body, tree = edit.footer_of(base)
                elements = edit.elements(tree)
                place = next(e for e in elements if get(e, 4) == b"place")
                place.update(annotation)
                for id in sorted(place):
                    place[id] = place.pop(id)
                self.same(edit.file_of(body, tree))

    def test_codecs_and_encodings_that_nobody_knows_fail_alone(self):
        for parts in self.parts():
            for codec, message in [(3, "LZO"), (8, "unknown codec 8"), (-1, "unknown codec -1")]:
                column = parts.column("name")
                kept = column[COLUMN["codec"]]
                column[COLUMN["codec"]] = (I32, codec)
                place = r" \(row group 0, column 1 name\)"
                self.others(parts.file(), "name", message + ".*" + place)
                column[COLUMN["codec"]] = kept
            for header, _ in parts.chunk_of("name").pages:
                for id in {5, 8} & set(header):
                    get(header, id)[2 if id == 5 else 4] = (I32, 42)
            self.others(parts.file(), "name", r"encoding.*\(row group 0, column 1 name, offset \d+\)")

    # --- Encryption --------------------------------------------------------------------------------

    def test_what_is_encrypted_is_called_that(self):
        base = self.bases[0]
        self.fails(base[:-4] + b"PARE", "the footer is encrypted")
        self.fails(b"PARE" + base[4:-4] + b"PARE", "the footer is encrypted")
        body, tree = edit.footer_of(base)
        chunk = edit.chunks(tree)[1]
        chunk[8] = (STRUCT, {1: (STRUCT, {})})
        message = r"the column chunk is encrypted \(row group 0, column 1 name\)"
        self.others(edit.file_of(body, tree), "name", message)
        del chunk[CHUNK["meta_data"]]
        chunk[9] = (BINARY, b"secret")
        self.others(edit.file_of(body, tree), "name", message)


if __name__ == "__main__":
    engines.main()
