# SPDX-License-Identifier: Apache-2.0
"""The grid: every type x encoding x codec x page version x nullability x nesting, both ways.

A file holds every type in every encoding that the type may have, and each of these as a required,
an optional, a list and a list of structs: hundreds of columns, so that one file per codec and page
version is the whole grid. A run takes each codec in one page version, unless it is to take all of
the grid (support/sample.py).
"""

import collections
import json
import os
import random
import sys

import engines
import table
from interop_read import ARROW, DUCKDB, arrow_table
from table import KINDS, Field, Leaf, List, Struct

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import sample  # noqa: E402

pa = engines.pyarrow
ROWS = 120


def is_built(codec):
    """Not every codec is in every build."""
    arguments = ["--codec", codec, "--schema", "message m { required int32 a; }", "-o", "-", "-"]
    try:
        return engines.lamella("import", *arguments, stdin=b'{"a":1}') != b""
    except engines.Failure as failure:
        if "needs a Lamella built with" in str(failure):
            print(f"without {codec}")
            return False
        raise


CODECS = ["uncompressed", "snappy", "zstd"]
CODECS += [codec for codec in ["gzip", "brotli", "lz4_raw"] if is_built(codec)]

DICTIONARY = "RLE_DICTIONARY"
INTEGERS = ["PLAIN", DICTIONARY, "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
REALS = ["PLAIN", DICTIONARY, "BYTE_STREAM_SPLIT", "ALP"]
ENCODINGS = {
    "boolean": ["PLAIN", "RLE"],
    "int32": INTEGERS,
    "int64": INTEGERS,
    "int96": ["PLAIN", DICTIONARY],
    "float": REALS,
    "double": REALS,
    "binary": ["PLAIN", DICTIONARY, "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
    "fixed_len_byte_array": ["PLAIN", DICTIONARY, "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"],
}

Column = collections.namedtuple("Column", "field kind nesting encoding")


def physical(kind):
    return KINDS[kind].message.split(" ")[0].split("(")[0]


def physical_of_pyarrow(kind):
    """It has one type of decimals, and puts them where they fit."""
    others = {"decimal in few bytes": "int64", "decimal in binary": "fixed_len_byte_array"}
    return others.get(kind) or physical(kind)


def nestings(kind):
    """A field in each of the ways that a leaf may stand in a schema."""
    leaf = Leaf(kind)
    pair = Struct([Field("x", leaf), Field("y", leaf, kind != "unknown")])
    fields = {
        "optional": Field("", leaf),
        "list": Field("", List(Field("element", leaf))),
        "list of struct": Field("", List(Field("element", pair))),
    }
    if kind != "unknown":
        fields["required"] = Field("", leaf, True)
    return fields


def grid(kinds, without=(), physical=physical):
    """The columns of a file, without encodings that its writer does not have."""
    columns = []
    for kind in kinds:
        for encoding in ENCODINGS[physical(kind)]:
            if encoding in without:
                continue
            for nesting, field in nestings(kind).items():
                field.name = f"c{len(columns)}"
                columns.append(Column(field, kind, nesting, encoding))
    return columns


def schema_of(columns):
    return Struct([column.field for column in columns])


def values(column, source):
    """Runs, repetitions and values that are there once."""
    field, found = column.field, []
    pool = [field.type.random(source) for _ in range(8)]
    while len(found) < ROWS:
        if not field.required and source.random() < 0.2:
            value = None
        elif source.random() < 0.6:
            value = source.choice(pool)
        else:
            value = field.type.random(source)
        found += [value] * source.choice([1, 1, 1, 2, 20])
    return found[:ROWS]


def rows_of(columns, seed):
    source = random.Random(seed)
    names = [column.field.name for column in columns]
    return [
        dict(zip(names, row)) for row in zip(*(values(column, source) for column in columns))
    ]


def leaf_paths(column):
    """As pyarrow spells them."""
    name = column.field.name
    if column.nesting == "list":
        return [f"{name}.list.element"]
    if column.nesting == "list of struct":
        return [f"{name}.list.element.x", f"{name}.list.element.y"]
    return [name]


class Grid(engines.EngineTest):
    def check(self, columns, rows, found, reader, what):
        """Row dicts from `reader`: first the column that differs, then its rows."""
        self.assertEqual(len(rows), len(found), f"number of rows: {reader}, {what}")
        for field, *place in columns:
            self.compare(
                [row[field.name] for row in rows],
                [row[field.name] for row in found],
                f"{reader}, {field.name} {place}, {what}",
            )

    def check_lamella(self, columns, rows, path, what):
        schema = schema_of(columns)
        found = [schema.from_json(pairs) for pairs in engines.cat(path)]
        self.check(columns, rows, table.freeze(found), "lamella", what)

    def encodings(self, path, columns, versions=None):
        """By name of the column, the encodings of its data pages; of which version these are."""
        found = collections.defaultdict(set)
        for line in engines.lamella("pages", "--json", path).splitlines():
            page = json.loads(line)
            if page["type"] != "dictionary":
                found[page["path"].split(".")[0]].add(page["encoding"])
                if versions is not None:
                    versions.add(page["type"])
        self.assertEqual(len(found), len(columns))
        return found


# --- Written by Lamella ---------------------------------------------------------------------------

STREAMS = "BYTE_STREAM_SPLIT encoding is only supported for FLOAT, DOUBLE, INT32 or INT64"
LENGTHS = "Delta Length Byte Array encoding is only supported for string/blob"


def refusal_of_duckdb(column):
    """The words for what it does not read; None when it does. pyarrow reads all but ALP."""
    if column.encoding == "BYTE_STREAM_SPLIT" and physical(column.kind) == "fixed_len_byte_array":
        return STREAMS
    if column.encoding == "DELTA_LENGTH_BYTE_ARRAY" and column.kind == "decimal in binary":
        return LENGTHS
    return None


# Of an INT96 DuckDB keeps microseconds.
LOSSY_IN_DUCKDB = {"int96"}

# Columns of ALP have files of their own, as DuckDB refuses the footer that names the encoding, and
# with it the other columns.
ALP_REFUSALS = {"pyarrow": "Unknown encoding type", "DuckDB": "Invalid data"}


def peer_table(reader, path, columns):
    names = [column.field.name for column in columns]
    if reader == "DuckDB":
        return engines.read_duckdb(path, names)
    with pa.parquet.ParquetFile(path, page_checksum_verification=True) as file:
        found = file.read(columns=names)
    found.validate(full=True)
    return found


class Written(Grid):
    def write(self, columns, rows, codec, version):
        path = self.path("grid.parquet")
        schema = schema_of(columns)
        options = [f"--encoding={column.field.name}={column.encoding}" for column in columns]
        engines.lamella(
            "import",
            "--schema",
            table.message(schema),
            "--codec",
            codec,
            "--data-page-version",
            version,
            "--page-size",
            "400",
            *options,
            "-o",
            path,
            "-",
            stdin="".join(schema.to_text(row) + "\n" for row in rows).encode(),
        )
        return path

    def written(self, columns, seed):
        """Writes the columns in each codec and page version; the program reads what it wrote."""
        rows = rows_of(columns, seed)
        wanted = table.freeze(rows)
        for codec, version in sample.pairs(CODECS, "12", f"written {seed}"):
            what = f"codec {codec}, page version {version}"
            path = self.write(columns, rows, codec, version)
            self.check_lamella(columns, wanted, path, what)
            versions = set()
            encodings = self.encodings(path, columns, versions)
            self.assertEqual(versions, {"data" if version == "1" else "data v2"})
            for column in columns:
                self.assertIn(column.encoding, encodings[column.field.name], column)
            yield path, wanted, what

    def check_peer(self, reader, columns, rows, path, what):
        found = peer_table(reader, path, columns)
        found = table.rows_from_arrow(schema_of(columns).fields, found)
        self.check(columns, rows, table.freeze(found), reader, what)

    def test_grid(self):
        columns = grid(KINDS, ["ALP"])
        refused = [(column, refusal_of_duckdb(column)) for column in columns]
        for_duckdb = [
            column
            for column, refusal in refused
            if refusal is None and column.kind not in LOSSY_IN_DUCKDB
        ]
        for path, wanted, what in self.written(columns, 1):
            self.check_peer("pyarrow", columns, wanted, path, what)
            self.check_peer("DuckDB", for_duckdb, wanted, path, what)
        for column, refusal in refused:
            if refusal is not None:
                with self.assertRaisesRegex(engines.duckdb.Error, refusal, msg=column):
                    peer_table("DuckDB", path, [column])

    def test_grid_of_alp(self):
        columns = [column for column in grid(["float", "double"]) if column.encoding == "ALP"]
        for path, _, what in self.written(columns, 4):
            for reader, refusal in ALP_REFUSALS.items():
                with self.assertRaisesRegex(Exception, refusal, msg=f"{reader}, {what}"):
                    peer_table(reader, path, columns)


# --- Written by others ----------------------------------------------------------------------------


class ByPyarrow(Grid):
    def test_grid(self):
        columns = grid(ARROW, ["ALP"], physical_of_pyarrow)
        rows = rows_of(columns, 2)
        wanted = table.freeze(rows)
        written = arrow_table(schema_of(columns), rows)
        path = self.path("pyarrow.parquet")
        for codec, version in sample.pairs(CODECS, ["1.0", "2.0"], "by pyarrow"):
            what = f"codec {codec}, page version {version}"
            pa.parquet.write_table(
                written,
                path,
                compression="none" if codec == "uncompressed" else codec,
                data_page_version=version,
                data_page_size=400,
                write_batch_size=16,
                store_decimal_as_integer=True,
                use_dictionary=[
                    leaf
                    for column in columns
                    if column.encoding == DICTIONARY
                    for leaf in leaf_paths(column)
                ],
                column_encoding={
                    leaf: column.encoding
                    for column in columns
                    if column.encoding != DICTIONARY
                    for leaf in leaf_paths(column)
                },
            )
            self.check_lamella(columns, wanted, path, f"written by pyarrow, {what}")
            encodings = self.encodings(path, columns)
            for column in columns:
                # pyarrow writes no dictionary of nothing.
                if column.encoding != DICTIONARY or column.kind != "unknown":
                    self.assertIn(column.encoding, encodings[column.field.name], column)


class ByDuckdb(Grid):
    def test_grid(self):
        """DuckDB chooses the encodings itself, by the version of the format and by its limits."""
        columns = [
            column
            for column in grid(DUCKDB, set().union(*ENCODINGS.values()) - {"PLAIN"})
            if column.nesting != "required"
        ]
        rows = rows_of(columns, 3)
        wanted = table.freeze(rows)
        written = arrow_table(schema_of(columns), rows)
        path = self.path("duckdb.parquet")
        seen = set()
        for codec, version in sample.pairs(CODECS, ["v1", "v2"], "by DuckDB"):
            for limit in ["", ", DICTIONARY_SIZE_LIMIT 1"]:
                options = f"PARQUET_VERSION {version}, COMPRESSION {codec}{limit}"
                query = f"COPY (SELECT * FROM written) TO {engines.quoted(path)}"
                query = f"{query} (FORMAT parquet, {options})"
                engines.execute_duckdb(query, written=written)
                self.check_lamella(columns, wanted, path, f"written by DuckDB, {options}")
                seen |= set().union(*self.encodings(path, columns).values())
        self.assertLessEqual(
            {
                "PLAIN",
                DICTIONARY,
                "DELTA_BINARY_PACKED",
                "DELTA_LENGTH_BYTE_ARRAY",
                "BYTE_STREAM_SPLIT",
            },
            seen,
        )


if __name__ == "__main__":
    print(sample.told)
    engines.main()
