# SPDX-License-Identifier: Apache-2.0
"""Files whose statistics, page index, Bloom filter or page headers do not tell the truth.

A lie that can be seen (it contradicts the format, the schema, the footer or a page that is read) never
changes what cat --where prints: it is passed over, or reading fails and says so. A lie that cannot be
seen without reading everything may hide records; it never makes one appear that is not wanted, and
--no-pruning is not misled. Arrow streams with the same filter give the same rows, or fail too; they
need not come upon the same lies, as they end with the rows that are wanted. lamella check reports
every lie. What page headers of version 2 say of rows and nulls is asked by nobody, nor is what is
behind the last value of a page: such files are read like those that are true, whole and in parts.
What a writer is known to lie about is not believed in its files, though nothing shows it there.

Each lie is asked some of the conditions, unless a run is to ask all (support/sample.py).

Usage: forged.py LAMELLA LIBRARY
"""

import copy
import datetime
import decimal
import os
import re
import struct
import subprocess
import sys
import tempfile

import engines

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "conformance"))
sys.path.insert(0, os.path.join(HERE, "..", "arrow"))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import footer_edit  # noqa: E402
import lamella_ctypes  # noqa: E402
import sample  # noqa: E402
from footer_edit import BINARY, I32, I64, LIST  # noqa: E402

duckdb, pa, PROGRAM = engines.duckdb, engines.pyarrow, engines.PROGRAM
pq = pa.parquet

ROWS = 200
CONDITIONS = [
    "id = 57", "id < 5 or id = 120", "id is null", "id is not null and id between 95 and 105", "x = 'NaN'",
    "not x <= 50.0", "s in ('s0040', 's0142')", "l = 3 and id < 30", "day = '2024-02-01'", "s is null",
    "d in (40.00, 142.00)", "s like 's004_' or s like '%42'", "starts_with(s, 's01') and id < 130", "id < d or id >= 190",
    "row > id or x > row", "l[] between 3 and 4 and id < 30", "day between '2024-02-01T12:00:00' and '2024-02-03'",
]
# Numbers of fields, as in parquet.thrift.
STATISTICS, ENCODING_STATS, BLOOM_OFFSET, BLOOM_LENGTH, SIZE_STATISTICS = 12, 13, 14, 15, 16
MAX, MIN, NULLS, MAX_VALUE, MIN_VALUE, NAN_COUNT = 1, 2, 3, 5, 6, 9
OFFSET_AT, OFFSET_SIZE, COLUMN_AT, COLUMN_SIZE = 4, 5, 6, 7
COLUMN_ORDERS = 7


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, check=False)


def table(times=1):
    """Each value of a column but the first comes so many times."""

    def some(row, value):
        return None if row % 17 == 3 else value

    return pa.table(
        {
            "row": pa.array(range(ROWS), pa.int64()),
            "id": pa.array([some(row, row // times * times) for row in range(ROWS)], pa.int64()),
            "x": pa.array([float("nan") if row % 50 == 9 else row * 0.5 for row in range(ROWS)]),
            "s": pa.array([some(row, f"s{row // times * times:04}") for row in range(ROWS)]),
            "l": pa.array([some(row, [row % 5, row % 7]) for row in range(ROWS)], pa.list_(pa.int32())),
            "d": pa.array([decimal.Decimal(row // times * times) for row in range(ROWS)], pa.decimal128(20, 2)),
            "day": pa.array([datetime.date(2024, 1, 1) + datetime.timedelta(row) for row in range(ROWS)]),
        }
    )


class File:
    """A Parquet file that can be edited: footer, page indexes by column, Bloom filters."""

    def __init__(self, data):
        self.body, self.footer = footer_edit.footer_of(data)
        self.body = bytearray(self.body)
        self.indexes = {}

    def chunks(self, name):
        for chunk in footer_edit.chunks(self.footer):
            path = footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])[3][1][1]
            if path[0] == name.encode():
                yield chunk

    def metas(self, name):
        for chunk in self.chunks(name):
            yield footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])

    def statistics(self, name):
        for meta in self.metas(name):
            yield meta[STATISTICS][1]

    def index(self, chunk, at, size):
        offset, length = chunk[at][1], chunk[size][1]
        key = (id(chunk), at)
        if key not in self.indexes:
            tree, _ = footer_edit.read_struct(bytes(self.body[offset : offset + length]))
            self.indexes[key] = (chunk, at, size, tree)
        return self.indexes[key][3]

    def offset_indexes(self, name):
        for chunk in self.chunks(name):
            yield self.index(chunk, OFFSET_AT, OFFSET_SIZE)

    def column_indexes(self, name):
        for chunk in self.chunks(name):
            yield self.index(chunk, COLUMN_AT, COLUMN_SIZE)

    def bytes(self):
        for chunk, at, size, tree in self.indexes.values():
            data = footer_edit.write_struct(tree)
            chunk[at] = (I64, len(self.body))
            chunk[size] = (I32, len(data))
            self.body += data
        return footer_edit.file_of(bytes(self.body), self.footer)


# --- Lies: a name, whether the lie can be seen, and what tells it ------------------------------


def set_statistics(name, **fields):
    def edit(file):
        for statistics in file.statistics(name):
            for field, value in fields.items():
                kind = BINARY if isinstance(value, bytes) else I64
                number = globals()[field]
                if value is None:
                    statistics.pop(number, None)
                else:
                    statistics[number] = (kind, value)
            ordered = dict(sorted(statistics.items()))
            statistics.clear()
            statistics.update(ordered)

    return edit


def int64(value):
    return struct.pack("<q", value)


def double(value):
    return struct.pack("<d", value)


def swap_bounds(file):
    for statistics in file.statistics("id"):
        statistics[MAX_VALUE], statistics[MIN_VALUE] = statistics[MIN_VALUE], statistics[MAX_VALUE]


def locations(edit, name="id"):
    """Edits the page locations: a list of dicts of fields."""

    def apply(file):
        for tree in file.offset_indexes(name):
            kind, items = tree[1][1]
            edit(items)
            tree[1] = (LIST, (kind, items))

    return apply


def shift_first_row(by, page=1, name="id"):
    def edit(items):
        if len(items) > page:
            items[page][3] = (I64, items[page][3][1] + by)

    return locations(edit, name)


def set_location(page, field, kind, value, name="id"):
    def edit(items):
        items[page][field] = (kind, value(items) if callable(value) else value)

    return locations(edit, name)


def column_lists(field, edit, name="id"):
    def apply(file):
        for tree in file.column_indexes(name):
            if field in tree:
                kind, items = tree[field][1]
                tree[field] = (LIST, (kind, edit(list(items))))

    return apply


def each(*edits):
    def apply(file):
        for edit in edits:
            edit(file)

    return apply


def each_of(*edits):
    """The same of edits of one chunk."""

    def apply(file, meta):
        for edit in edits:
            edit(file, meta)

    return apply


def no_column_orders(file):
    file.footer.pop(COLUMN_ORDERS, None)


def index_at(at, size, offset, length):
    def apply(file):
        for chunk in file.chunks("id"):
            chunk[at] = (I64, offset if offset >= 0 else chunk[at][1])
            chunk[size] = (I32, length)

    return apply


def garbage(at, size):
    def apply(file):
        for chunk in file.chunks("id"):
            offset, length = chunk[at][1], chunk[size][1]
            file.body[offset : offset + length] = b"\xff" * length

    return apply


def change_page(values):
    """All of a page's entry: bounds, null page and count."""

    def apply(file):
        for tree in file.column_indexes("id"):
            for field, value in values.items():
                kind, items = tree[field][1]
                items = list(items)
                items[1 % len(items)] = value
                tree[field] = (LIST, (kind, items))

    return apply


def full_of_nulls(name, nulls=None):
    """The first page counts as many nulls as it has rows, and nothing else counts any; or it is a
    page of nulls of which it counts another number."""

    def apply(file):
        for statistics in file.statistics(name):
            statistics.pop(NULLS, None)
        for meta in file.metas(name):
            meta.pop(SIZE_STATISTICS, None)
        for offsets, index in zip(file.offset_indexes(name), file.column_indexes(name)):
            for levels in (6, 7):
                index.pop(levels, None)
            locations = offsets[1][1][1]
            if nulls is None:
                index[5][1][1][0] = locations[1][3][1] if len(locations) > 1 else 100
            else:
                for field, value in ((1, True), (2, b""), (3, b""), (5, nulls)):
                    kind, items = index[field][1]
                    index[field] = (LIST, (kind, [value, *items[1:]]))

    return apply


def boundary_order(number):
    def apply(file):
        for tree in file.column_indexes("id"):
            tree[4] = (I32, number)

    return apply


def share_index(name, other):
    """A column has the column index of another one."""

    def apply(file):
        for chunk, theirs in zip(file.chunks(name), file.chunks(other)):
            chunk[COLUMN_AT], chunk[COLUMN_SIZE] = theirs[COLUMN_AT], theirs[COLUMN_SIZE]
            chunk[3][1].pop(STATISTICS, None)

    return apply


def all_dictionary(*names):
    """Data pages that are said to be dictionary encoded."""

    def apply(file):
        for name in names:
            for meta in file.metas(name):
                kind, items = meta[ENCODING_STATS][1]
                for item in items:
                    item[2] = (I32, 8)
                meta[ENCODING_STATS] = (LIST, (kind, items))

    return apply


LIES = [
    ("statistics: bounds swapped", True, swap_bounds),
    ("statistics: a minimum of three bytes", True, set_statistics("id", MIN_VALUE=b"abc")),
    ("statistics: a maximum of no bytes", True, set_statistics("id", MAX_VALUE=b"")),
    ("statistics: a maximum of nine bytes", True, set_statistics("id", MAX_VALUE=b"123456789")),
    ("statistics: only a minimum", True, set_statistics("id", MAX_VALUE=None, MIN_VALUE=int64(10**6))),
    ("statistics: a negative null count", True, set_statistics("id", NULLS=-1)),
    ("statistics: more nulls than values", True, set_statistics("id", NULLS=10**6)),
    ("statistics: NaN as minimum", True, set_statistics("x", MIN_VALUE=double(float("nan")))),
    ("statistics: NaN as maximum", True, set_statistics("x", MAX_VALUE=double(float("nan")))),
    ("statistics: NaN as both bounds", True,
     set_statistics("x", MIN_VALUE=double(float("nan")), MAX_VALUE=double(float("nan")))),
    ("statistics: a negative NaN count", True, set_statistics("x", NAN_COUNT=-5)),
    ("statistics: bounds of strings in the old, signed fields", True,
     set_statistics("s", MIN_VALUE=None, MAX_VALUE=None, MIN=b"zz", MAX=b"zzz")),
    ("statistics: bounds that are too narrow", True,
     set_statistics("id", MIN_VALUE=int64(50), MAX_VALUE=int64(60))),
    ("statistics: bounds of another range", True,
     set_statistics("id", MIN_VALUE=int64(5000), MAX_VALUE=int64(6000))),
    ("statistics: a maximum that is too low", False, set_statistics("x", MAX_VALUE=double(3.0))),
    ("statistics: a minimum that is too high", False, set_statistics("s", MIN_VALUE=b"s0100")),
    ("statistics: no nulls where there are some", True, set_statistics("id", NULLS=0)),
    ("statistics: no NaNs where there are some", False, set_statistics("x", NAN_COUNT=0)),
    ("encoding stats: dictionary pages without a dictionary", True, all_dictionary("id", "s", "l")),
    ("offset index: garbage", True, garbage(OFFSET_AT, OFFSET_SIZE)),
    ("offset index: offset 0", True, index_at(OFFSET_AT, OFFSET_SIZE, 0, 40)),
    ("offset index: behind the file", True, index_at(OFFSET_AT, OFFSET_SIZE, 10**12, 40)),
    ("offset index: no bytes", True, index_at(OFFSET_AT, OFFSET_SIZE, -1, 0)),
    ("offset index: a negative length", True, index_at(OFFSET_AT, OFFSET_SIZE, -1, -7)),
    ("offset index: cut short", True, index_at(OFFSET_AT, OFFSET_SIZE, -1, 3)),
    ("offset index: the first row is not 0", True, set_location(0, 3, I64, 1)),
    ("offset index: rows that do not rise", True, set_location(1, 3, I64, 0)),
    ("offset index: a negative row", True, set_location(1, 3, I64, -4)),
    ("offset index: a row behind the last", True, set_location(-1, 3, I64, 10**6)),
    ("offset index: a negative offset", True, set_location(1, 1, I64, -4)),
    ("offset index: an offset behind the chunk", True, set_location(1, 1, I64, 10**9)),
    ("offset index: pages that overlap", True, set_location(1, 1, I64, lambda items: items[0][1][1] + 1)),
    ("offset index: a page of no bytes", True, set_location(1, 2, I32, 0)),
    ("offset index: a page of negative size", True, set_location(1, 2, I32, -9)),
    ("offset index: a page larger than the chunk", True, set_location(1, 2, I32, 10**8)),
    ("offset index: no pages", True, locations(lambda items: items.clear())),
    ("offset index: the last page is left out", True, locations(lambda items: items.pop())),
    ("offset index: the first page twice", True, locations(lambda items: items.insert(0, items[0]))),
    ("offset index: a page begins one row late", False, shift_first_row(1)),
    ("offset index: a page begins one row early", False, shift_first_row(-1)),
    ("offset index: a page of a list begins late", False, shift_first_row(1, name="l")),
    ("offset index: a page of a column that is only printed begins late", False, shift_first_row(1, name="row")),
    ("column index: garbage", True, garbage(COLUMN_AT, COLUMN_SIZE)),
    ("column index: behind the file", True, index_at(COLUMN_AT, COLUMN_SIZE, 10**12, 40)),
    ("column index: cut short", True, index_at(COLUMN_AT, COLUMN_SIZE, -1, 3)),
    ("column index: a minimum less", True, column_lists(2, lambda items: items[:-1])),
    ("column index: a maximum more", True, column_lists(3, lambda items: items + items[-1:])),
    ("column index: a null page less", True, column_lists(1, lambda items: items[:-1])),
    ("column index: a null count less", True, column_lists(5, lambda items: items[:-1])),
    ("column index: negative null counts", True, column_lists(5, lambda items: [-1 for _ in items])),
    ("column index: null counts that the chunk does not have", True,
     column_lists(5, lambda items: [item + 1 for item in items])),
    ("column index: null counts that say none", True, column_lists(5, lambda items: [0 for _ in items])),
    ("column index: bounds of three bytes", True, column_lists(2, lambda items: [b"abc" for _ in items])),
    ("column index: bounds of no bytes", True, column_lists(3, lambda items: [b"" for _ in items])),
    ("column index: minima and maxima changed over", True,
     each(column_lists(2, lambda items: [int64(10**6) for _ in items]))),
    ("column index: all bounds far away", True,
     each(column_lists(2, lambda items: [int64(10**6) for _ in items]),
          column_lists(3, lambda items: [int64(10**6) for _ in items]))),
    ("column index: a page of values said to be null", True, change_page({1: True, 2: b"", 3: b""})),
    ("column index: bounds of NaN", True, column_lists(2, lambda items: [double(float("nan")) for _ in items], "x")),
    ("column index: bounds of a page that are too narrow", True, change_page({2: int64(20), 3: int64(20)})),
    # What two statements say of one thing, where each by itself could be true.
    ("statistics: bounds beside nothing but nulls", True,
     set_statistics("id", NULLS=100, MIN_VALUE=int64(5000), MAX_VALUE=int64(6000))),
    ("statistics: old bounds that are others", True, set_statistics("id", MIN=int64(-7), MIN_VALUE=int64(500))),
    ("statistics: all values are NaN, and the bounds are not", True,
     set_statistics("x", NAN_COUNT=100, MIN_VALUE=double(1e9), MAX_VALUE=double(1e9))),
    ("column index: a page of values that counts nothing but nulls", True, full_of_nulls("id")),
    ("column index: a page of lists that is null and has no nulls", True, full_of_nulls("l", 0)),
    ("column index: an order that the pages are not in", True,
     each(boundary_order(2), change_page({2: int64(20), 3: int64(20)}))),
    ("column index: that of another column", True, share_index("id", "row")),
    ("column index: bounds outside of those of the chunk", True,
     column_lists(3, lambda items: [int64(10**6), *items[1:]])),
    ("column index: upper bounds that are cut and not raised", True,
     each(column_lists(3, lambda items: [item[:3] for item in items], "s"),
          column_lists(2, lambda items: [item[:3] for item in items], "s"))),
    ("offset index: pages that do not touch", True,
     set_location(1, 2, I32, lambda items: items[1][2][1] - 1)),
    ("no column orders, so that bounds mean nothing", True, each(no_column_orders, swap_bounds)),
]


def written_by(created_by):
    def apply(file):
        file.footer[6] = (BINARY, created_by.encode())

    return apply


def without_index(name):
    """Statistics are all that there is: no sizes, no page index."""

    def apply(file):
        for chunk in file.chunks(name):
            for field in (OFFSET_AT, OFFSET_SIZE, COLUMN_AT, COLUMN_SIZE):
                chunk.pop(field, None)
        for meta in file.metas(name):
            meta.pop(SIZE_STATISTICS, None)

    return apply


NARROW_TEXT = each(without_index("s"), set_statistics("s", MIN_VALUE=b"s0000", MAX_VALUE=b"s0005"))
NARROW_DECIMAL = each(without_index("d"), set_statistics("d", MIN_VALUE=bytes(9), MAX_VALUE=bytes(8) + b"\1"))
# What nothing in the file shows, and the writers that are known for it (lib/meta/known_faults.c).
FAULTS = [
    ("bounds of the first values only", NARROW_TEXT,
     ["parquet-cpp-arrow version 6.0.1", "parquet-cpp-arrow version 10.0.1", "parquet-rs version 5.1.0",
      "Parquet.Net version 4.23.5 (build 1)", "hyparquet", "flow-php parquet version 0.9.0",
      "github.com/segmentio/parquet-go", "github.com/segmentio/parquet-go version 0.0.0(build 510764ae9e80)"]),
    ("bounds of decimals in another order", NARROW_DECIMAL,
     ["parquet-cpp version 1.5.1-SNAPSHOT", "Polars", "parquet-rs version 12.0.0", "ClickHouse v25.3.2.39"]),
    ("no nulls where there are some", each(without_index("s"), set_statistics("s", NULLS=0)),
     ["parquet-cpp version 1.5.1-SNAPSHOT", "parquet-cpp-arrow version 5.0.0", "Polars", "parquet-go version latest"]),
    ("upper bounds of pages that are cut and not raised",
     each(set_statistics("s", MIN_VALUE=None, MAX_VALUE=None),
          column_lists(3, lambda items: [item[:4] for item in items], "s"),
          column_lists(2, lambda items: [item[:4] for item in items], "s")),
     ["github.com/segmentio/parquet-go"]),
]


def bloom_lies(data):
    """Lies about Bloom filters, on a file that has some: a name, whether it can be seen, the file."""
    file = File(data)
    metas = [meta for name in ("id", "s") for meta in file.metas(name) if BLOOM_OFFSET in meta]
    assert metas, "the file has no Bloom filter"

    def forged(edit):
        other = File(data)
        for name in ("id", "s"):
            for meta in other.metas(name):
                if BLOOM_OFFSET in meta:
                    edit(other, meta)
        return other.bytes()

    def header(other, meta):
        tree, size = footer_edit.read_struct(bytes(other.body[meta[BLOOM_OFFSET][1] :][:100]))
        return tree, meta[BLOOM_OFFSET][1], size

    def fill(byte):
        def edit(other, meta):
            tree, offset, size = header(other, meta)
            other.body[offset + size : offset + size + tree[1][1]] = bytes([byte]) * tree[1][1]

        return edit

    def some_bits(other, meta):
        tree, offset, size = header(other, meta)
        for at in range(offset + size, offset + size + tree[1][1], 2):
            other.body[at] = 0

    def move(offset):
        def edit(other, meta):
            meta[BLOOM_OFFSET] = (I64, offset)

        return edit

    def change_size(value):
        def edit(other, meta):
            tree, _, _ = header(other, meta)
            tree[1] = (I32, value)
            meta[BLOOM_OFFSET] = (I64, len(other.body))
            other.body += footer_edit.write_struct(tree) + b"\0" * 64

        return edit

    def exchange():
        """Two columns, each with the filter of the other, at their lengths."""
        other = File(data)
        for a, b in zip(other.metas("id"), other.metas("s")):
            for field in (BLOOM_OFFSET, BLOOM_LENGTH):
                a[field], b[field] = b[field], a[field]
        return other.bytes()

    def half(other, meta):
        """The header of a filter of half the size, whose bits are true, with the length of the whole."""
        tree, offset, size = header(other, meta)
        tree[1] = (I32, tree[1][1] // 2)
        other.body[offset : offset + size] = footer_edit.write_struct(tree).ljust(size, b"\0")[:size]

    def longer(other, meta):
        meta[BLOOM_LENGTH] = (I32, meta[BLOOM_LENGTH][1] + 256)

    def shared(other, meta):
        meta.pop(BLOOM_LENGTH)
        meta[BLOOM_OFFSET] = (I64, metas[0][BLOOM_OFFSET][1])

    return [
        ("Bloom filter: half of what the footer says", True, forged(half)),
        ("Bloom filter: less than the footer says", True, forged(longer)),
        ("Bloom filter: one for all columns", True, forged(shared)),
        ("Bloom filter: that of another column", True, exchange()),
        ("Bloom filter: empty", True, forged(fill(0))),
        ("Bloom filter: half of it empty", False, forged(some_bits)),
        ("Bloom filter: half of it empty, of Arrow for Go 18.4", True,
         forged(each_of(some_bits, lambda other, _: written_by("parquet-go version 18.4.0")(other)))),
        ("Bloom filter: a negative offset", True, forged(move(-1))),
        ("Bloom filter: behind the file", True, forged(move(10**12))),
        ("Bloom filter: in the middle of a page", True, forged(move(40))),
        ("Bloom filter: of a size that is no multiple of a block", True, forged(change_size(33))),
        ("Bloom filter: of negative size", True, forged(change_size(-32))),
        ("Bloom filter: larger than the file", True, forged(change_size(2**30))),
    ]


# --- Lies of page headers ----------------------------------------------------------------------

PAGE_UNCOMPRESSED, PAGE_COMPRESSED, CRC, PAGE_V2 = 2, 3, 4, 8
VALUES, PAGE_NULLS, ROWS_TOLD = 1, 2, 3
SIZE, PLAIN_SIZE, DATA_AT, DICTIONARY_AT = 7, 6, 9, 11


def change_pages(file, change):
    """Has `change(header, body)` give the bytes of each page's body anew; the rest of the file follows."""
    body = bytearray(footer_edit.MAGIC)
    for chunk in footer_edit.chunks(file.footer):
        if OFFSET_AT in chunk:
            file.index(chunk, COLUMN_AT, COLUMN_SIZE)
            places = file.index(chunk, OFFSET_AT, OFFSET_SIZE)[1][1][1]
        else:
            places = []
        moved, growth = {}, 0  # offsets by those that were
        meta = footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])
        at = meta[DICTIONARY_AT][1] if DICTIONARY_AT in meta else meta[DATA_AT][1]
        end = at + meta[SIZE][1]
        while at < end:
            header, size = footer_edit.read_struct(bytes(file.body[at : at + 1000]))
            old = header[PAGE_COMPRESSED][1]
            new = change(header, bytes(file.body[at + size : at + size + old]))
            header[PAGE_COMPRESSED] = (I32, len(new))
            header[PAGE_UNCOMPRESSED] = (I32, header[PAGE_UNCOMPRESSED][1] + len(new) - old)
            header.pop(CRC, None)
            moved[at] = len(body)
            body += footer_edit.write_struct(header) + new
            growth += len(body) - moved[at] - size - old
            at += size + old
            for place in places:
                if place[1][1] == at - size - old:
                    place[2] = (I32, len(body) - moved[at - size - old])
        for place in places:
            place[1] = (I64, moved[place[1][1]])
        for field in (DATA_AT, DICTIONARY_AT):
            if field in meta:
                meta[field] = (I64, moved[meta[field][1]])
        for field in (SIZE, PLAIN_SIZE):
            meta[field] = (I64, meta[field][1] + growth)
    file.body = body


def tell(field, count):
    """A count of V2 headers, as `count(values, what is true)` has it."""

    def change(header, body):
        inner = header[PAGE_V2][1]
        inner[field] = (I32, count(inner[VALUES][1], inner[field][1]))
        return body

    return change


def behind(rest):
    return lambda header, body: body + rest


HEADER_LIES = [
    ("rows: those of values", tell(ROWS_TOLD, lambda values, true: values)),
    ("rows: none", tell(ROWS_TOLD, lambda values, true: 0)),
    ("rows: one more", tell(ROWS_TOLD, lambda values, true: true + 1)),
    ("rows: one less", tell(ROWS_TOLD, lambda values, true: true - 1)),
    ("rows: less than none", tell(ROWS_TOLD, lambda values, true: -5)),
    ("rows: more than there are", tell(ROWS_TOLD, lambda values, true: 2**31 - 1)),
    ("nulls: none", tell(PAGE_NULLS, lambda values, true: 0)),
    ("nulls: all", tell(PAGE_NULLS, lambda values, true: values)),
    ("nulls: less than none", tell(PAGE_NULLS, lambda values, true: -1)),
]
RESTS = [
    ("a zero behind the values", b"\0"),
    ("8 zeros behind the values", b"\0" * 8),
    ("more values", b"abcdefgh" * 3),
]


def whole_rows(path, condition, *options):
    where = ("--where", condition) if condition else ()
    done = run("cat", *where, *options, path)
    return done.stdout if done.returncode == 0 else done.stderr


def whole_table(path, condition, **options):
    reader = lamella_ctypes.Reader(path)
    where = {"where": condition} if condition else {}
    try:
        return reader.table(**where, **options).to_pylist()
    except (OSError, pa.ArrowException) as error:
        return str(error)
    finally:
        reader.close()


def answers(path, conditions):
    """All that a file gives, in the ways to ask for it."""
    given = {}
    for condition in ["", *conditions]:
        given[condition] = whole_rows(path, condition)
        given[condition, "no pruning"] = whole_rows(path, condition, "--no-pruning") if condition else b""
        given[condition, "stream"] = repr(whole_table(path, condition, batch_rows=7))
    for skip in (1, 13, 99, 100, 150, 199):
        given[skip] = whole_rows(path, "", "--skip", str(skip), "--limit", "30")
    return given


def header_lies(problems, folder):
    """Pages of both versions, with and without a page index, whose headers lie or that are too long."""
    path = os.path.join(folder, "pages.parquet")
    count = 0
    for version, has_index, codec in [("1.0", True, "none"), ("2.0", True, "none"), ("2.0", False, "none"),
                                      ("2.0", False, "snappy"), ("2.0", True, "snappy")]:
        pq.write_table(
            table(), path, row_group_size=100, write_page_index=has_index, data_page_size=80, write_batch_size=8,
            data_page_version=version, use_dictionary=False, compression=codec,
        )
        with open(path, "rb") as file:
            data = file.read()
        conditions = [*CONDITIONS, "row = 77", "row between 95 and 105", "row < 3 or row > 150"]
        conditions = sample.take(conditions, 6, f"headers {version} {has_index} {codec}")
        truth, known = answers(path, conditions), findings(path)
        assert len(truth[""].splitlines()) == ROWS
        lies = [] if version == "1.0" else HEADER_LIES
        lies = lies + ([] if codec != "none" else [(name, behind(rest)) for name, rest in RESTS])
        for name, change in [("nothing", behind(b""))] + lies:
            forged = File(copy.deepcopy(data))
            change_pages(forged, change)
            with open(path, "wb") as file:
                file.write(forged.bytes())
            name = f"V{version[0]} {codec} {'with' if has_index else 'without'} index, {name}"
            wrong = [ask for ask, given in answers(path, conditions).items() if given != truth[ask]]
            if wrong:
                problems.append(f"{name}: other rows for {wrong}")
            found = findings(path) - known
            if bool(found) == name.endswith("nothing"):
                problems.append(f"{name}: check finds {found}")
            if b": error " in run("check", path).stdout:
                problems.append(f"{name}: check calls it an error")
            count += 1
    return count


# --- What comes of them ------------------------------------------------------------------------


def rows_of(path, condition, *options):
    done = run("cat", "--columns", "row", "--where", condition, *options, path)
    return done.returncode, done.stdout.split(), done.stderr.decode()


def stream_rows(reader, condition, **options):
    """Like rows_of, from an Arrow stream."""
    try:
        table = reader.table(where=condition, columns=["row", "id"], **options)
    except (OSError, pa.ArrowException) as error:
        return 1, [], str(error)
    return 0, [f'{{"row":{row}}}'.encode() for row in table.column("row").to_pylist()], ""


def findings(path):
    """The rules of errors, and of warnings, which is what NaN bounds and the old bounds are."""
    return set(re.findall(rb": (?:error|warning) ([a-z-]+): ", run("check", path).stdout))


def judge(name, visible, data, folder, truth, known, problems):
    """Asks the conditions of `truth`; returns how many of their records are hidden."""
    path = os.path.join(folder, "forged.parquet")
    with open(path, "wb") as file:
        file.write(data)
    if not findings(path) - known:
        problems.append(f"{name}: check finds nothing")
    hidden = refused = 0
    reader = lamella_ctypes.Reader(path)
    for condition, expected in truth.items():
        answers = [rows_of(path, condition), *(stream_rows(reader, condition, batch_rows=n) for n in (0, 5))]
        for status, got, error in answers:
            if status == 0 and got != expected:
                hidden += len(expected) - len(got)
                if visible or not set(got) <= set(expected):
                    problems.append(f"{name}: {condition}: {got} instead of {expected}")
            elif status != 0:
                refused += 1
                if "offset index" not in error:
                    problems.append(f"{name}: {condition}: {error}")
        sure = [rows_of(path, condition, "--no-pruning"), stream_rows(reader, condition, pruning=lamella_ctypes.OFF)]
        for status, got, error in sure:
            if status != 0 or got != expected:
                problems.append(f"{name}: {condition} --no-pruning: {got or error} instead of {expected}")
    reader.close()
    print(f"{name}: {hidden} records hidden, {refused} answers refused")
    return hidden


def some(truth, name):
    """What is true of the conditions that a lie is asked."""
    return {condition: truth[condition] for condition in sample.take(CONDITIONS, 6, name)}


def main():
    problems, count = [], 0
    print(sample.told)
    lamella_ctypes.load(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "true.parquet")
        # V1 last, for the faults of writers below: one of them is known to compress all pages V2.
        for version in ("2.0", "1.0"):
            pq.write_table(
                table(), path, row_group_size=100, write_page_index=True, data_page_size=80,
                write_batch_size=8, data_page_version=version, use_dictionary=False,
            )
            with open(path, "rb") as file:
                data = file.read()
            truth = {condition: rows_of(path, condition)[1] for condition in CONDITIONS}
            known = findings(path)  # pyarrow's encoding_stats do not know pages V2
            assert any(truth.values())
            for name, visible, edit in LIES:
                forged = File(copy.deepcopy(data))
                edit(forged)
                title = f"V{version[0]} {name}"
                judge(title, visible, forged.bytes(), folder, some(truth, title), known, problems)
                count += 1
        for name, edit, writers in FAULTS:
            for writer in [None, *writers]:
                forged = File(copy.deepcopy(data))
                edit(forged)
                if writer is not None:
                    written_by(writer)(forged)
                title = f"{writer}: {name}"
                hidden = judge(title, writer is not None, forged.bytes(), folder, truth, known, problems)
                if writer is None and hidden == 0:
                    problems.append(f"{name}: that hides nothing from those who believe it")
                count += 1
        duckdb.from_arrow(table(times=10)).write_parquet(path)  # which has Bloom filters with dictionaries
        with open(path, "rb") as file:
            data = file.read()
        truth = {condition: rows_of(path, condition)[1] for condition in CONDITIONS}
        known = findings(path)
        for name, visible, forged in bloom_lies(data):
            judge(name, visible, forged, folder, some(truth, name), known, problems)
            count += 1
        count += header_lies(problems, folder)
    print(f"{count} forged files")
    if problems:
        raise AssertionError(f"{len(problems)} problems:\n" + "\n".join(problems[:40]))


if __name__ == "__main__":
    main()
