# SPDX-License-Identifier: Apache-2.0
"""Files that the program writes, read by pyarrow, DuckDB and Polars: the same values everywhere."""

import itertools
import json
import os
import random

import engines
import table
from table import Field, Leaf, List, Map, Struct

pa = engines.pyarrow

# What an engine cannot read as it was written: kinds of leaves, layouts of lists.
CANNOT = {
    "pyarrow": set(),
    # Of an INT96 DuckDB keeps microseconds, and of a bare repeated group of one field that field.
    "DuckDB": {"int96", "repeated group of one"},
    # Polars refuses a whole file that has an INTERVAL.
    "Polars": {"interval"},
}
LAYOUTS = ["list", "list", "list", "bag", "two levels", "repeated"]
CODECS = {
    "uncompressed": "UNCOMPRESSED",
    "snappy": "SNAPPY",
    "zstd": "ZSTD",
    "zstd:1": "ZSTD",
    "zstd:9": "ZSTD",
}


class Write(engines.EngineTest):
    def write(self, schema, rows, *options):
        """Imports rows, checks what the program itself reads, and gives the path of the file."""
        path = self.path("a.parquet")
        text = "".join(schema.to_text(row) + "\n" for row in rows)
        engines.lamella(
            "import",
            "--schema",
            table.message(schema),
            *options,
            "-o",
            path,
            "-",
            stdin=text.encode(),
        )
        return path

    def check(self, schema, rows, path, what):
        """The program and every engine read the rows."""
        wanted = table.freeze(rows)
        found = [schema.from_json(pairs) for pairs in engines.cat(path)]
        self.compare(wanted, table.freeze(found), f"lamella cat, {what}")
        self.check_pyarrow(schema, wanted, path, what)
        self.check_duckdb(schema, wanted, path, what)
        self.check_polars(schema, wanted, path, what)

    def check_pyarrow(self, schema, wanted, path, what):
        found = engines.read_pyarrow(path)
        found.validate(full=True)
        self.compare(
            wanted, table.freeze(table.rows_from_arrow(schema.fields, found)), f"pyarrow, {what}"
        )

    def check_duckdb(self, schema, wanted, path, what):
        fields = [field for field in schema.fields if not field.type.kinds() & CANNOT["DuckDB"]]
        if fields:
            found = engines.read_duckdb(path, [field.name for field in fields])
            found = table.freeze(table.rows_from_arrow(fields, found))
            self.compare(some_columns(fields, wanted), found, f"DuckDB, {what}")

    def check_polars(self, schema, wanted, path, what):
        if not schema.kinds() & CANNOT["Polars"]:
            found = engines.read_polars(path)
            found = table.freeze(table.rows_from_arrow(schema.fields, found))
            self.compare(wanted, found, f"Polars, {what}")

    def test_random_tables(self):
        for seed in engines.seeds(1000, 240):
            source = random.Random(seed)
            schema = random_schema(source)
            rows = [schema.random(source) for _ in range(source.choice([0, 1, 2, 10, 30, 100]))]
            options = random_options(source)
            what = f"LAMELLA_SEED={seed}, {' '.join(options)}, {table.message(schema)}"
            try:
                self.check(schema, rows, self.write(schema, rows, *options), what)
            except (
                AssertionError,
                engines.Failure,
                pa.ArrowException,
                engines.duckdb.Error,
            ) as failure:
                self.fail(f"{failure}: {what}")

    def test_every_type_in_every_codec_and_page_version(self):
        source = random.Random(1)
        kinds = [kind for kind in table.KINDS if kind != "interval"]
        schema = Struct(
            [Field(f"o{n}", Leaf(kind)) for n, kind in enumerate(kinds)]
            + [
                Field(f"r{n}", Leaf(kind), True)
                for n, kind in enumerate(kinds)
                if kind != "unknown"
            ]
        )
        rows = [schema.random(source) for _ in range(300)]
        for codec, version, dictionary in itertools.product(
            CODECS, "12", [[], ["--no-dictionary"]]
        ):
            options = [
                "--codec",
                codec,
                "--data-page-version",
                version,
                "--page-size",
                "256",
                *dictionary,
            ]
            path = self.write(schema, rows, *options)
            self.check(schema, rows, path, " ".join(options))
            with pa.parquet.ParquetFile(path) as file:
                group = file.metadata.row_group(0)
                codecs = {group.column(n).compression for n in range(group.num_columns)}
                self.assertEqual(codecs, {CODECS[codec]})

    def test_deep_nesting(self):
        inner = Struct(
            [Field("x", Leaf("int64")), Field("y", List(Field("element", Leaf("string"))))]
        )
        for depth in range(1, 9):
            for kind in range(3):
                field = Field("element", inner)
                if kind == 0:
                    inner = List(field)
                elif kind == 1:
                    inner = Struct([Field("a", inner), Field("b", Leaf("boolean"))])
                else:
                    inner = Map(Field("key", Leaf("string"), True), Field("value", inner))
            if depth > 3:
                continue
            source = random.Random(depth)
            schema = Struct([Field("deep", inner)])
            rows = [schema.random(source) for _ in range(200)]
            self.check(schema, rows, self.write(schema, rows), f"depth {depth * 3 + 1}")

    def test_nulls_at_every_level(self):
        leaf = List(
            Field(
                "element",
                Struct(
                    [
                        Field(
                            "m",
                            Map(Field("key", Leaf("int32"), True), Field("value", Leaf("string"))),
                        )
                    ]
                ),
            )
        )
        schema = Struct([Field("a", Struct([Field("b", List(Field("element", leaf)))]))])
        values = [
            None,
            {"b": None},
            {"b": []},
            {"b": [None]},
            {"b": [[]]},
            {"b": [[None]]},
            {"b": [[{"m": None}]]},
            {"b": [[{"m": []}]]},
            {"b": [[{"m": [(1, None)]}]]},
            {"b": [[{"m": [(1, "")]}]]},
        ]
        rows = [{"a": value} for value in values]
        for count in range(1, len(rows) + 1):
            for version in "12":
                some = rows[:count] + rows[:count][::-1]
                path = self.write(schema, some, "--data-page-version", version, "--page-size", "1")
                self.check(schema, some, path, f"{count} rows, version {version}")

    def test_columns_of_nulls_alone(self):
        kinds = [kind for kind in table.KINDS if kind != "interval"]
        schema = Struct([Field(f"c{n}", Leaf(kind)) for n, kind in enumerate(kinds)])
        rows = [{field.name: None for field in schema.fields}] * 50
        for version in "12":
            self.check(
                schema, rows, self.write(schema, rows, "--data-page-version", version), version
            )

    def test_no_rows(self):
        source = random.Random(2)
        for version in "12":
            for _ in range(5):
                schema = random_schema(source)
                self.check(
                    schema, [], self.write(schema, [], "--data-page-version", version), version
                )

    def test_no_columns(self):
        for rows in [0, 1, 1000]:
            path = self.write(Struct([]), [{}] * rows)
            self.assertEqual(engines.lamella("cat", path), b"{}\n" * rows)
            with pa.parquet.ParquetFile(path) as file:
                self.assertEqual((file.metadata.num_rows, file.metadata.num_columns), (rows, 0))

    def test_one_row_group_per_row(self):
        source = random.Random(3)
        schema = random_schema(source, ["int32", "string"], 3)
        rows = [schema.random(source) for _ in range(500)]
        path = self.write(schema, rows, "--row-group-rows", "1")
        self.check(schema, rows, path, "a row group per row")
        with pa.parquet.ParquetFile(path) as file:
            self.assertEqual(file.metadata.num_row_groups, 500)

    def test_many_rows_with_dictionaries_that_overflow(self):
        source = random.Random(4)
        schema = Struct(
            [
                Field("few", Leaf("string")),
                Field("many", Leaf("string"), True),
                Field("n", Leaf("int64"), True),
                Field("l", List(Field("element", Leaf("int32")))),
            ]
        )
        rows = [
            {
                "few": source.choice(["oak", "ash", "", None]),
                "many": f"text {n // 3}",
                "n": n * n,
                "l": source.choice([None, [], [n % 7], [n, None, n]]),
            }
            for n in range(30000)
        ]
        for version in "12":
            options = [
                "--data-page-version",
                version,
                "--dictionary-size",
                "32K",
                "--page-size",
                "16K",
                "--row-group-rows",
                "13000",
            ]
            path = self.write(schema, rows, *options)
            self.check(schema, rows, path, " ".join(options))
            pages = [
                json.loads(line)
                for line in engines.lamella(
                    "pages", "--json", "--columns", "many", path
                ).splitlines()
            ]
            encodings = {page["encoding"] for page in pages if page["type"] != "dictionary"}
            self.assertIn("RLE_DICTIONARY", encodings)
            self.assertTrue(encodings & {"PLAIN", "DELTA_LENGTH_BYTE_ARRAY"}, encodings)

    def test_what_pyarrow_says_of_the_file(self):
        kinds = [kind for kind in table.KINDS if table.KINDS[kind].arrow is not None]
        schema = Struct([Field(f"c{n}", Leaf(kind)) for n, kind in enumerate(kinds)])
        source = random.Random(5)
        rows = [schema.random(source) for _ in range(7)]
        path = self.write(schema, rows, "--row-group-rows", "3", "--codec", "snappy")
        with pa.parquet.ParquetFile(path) as file:
            footer, found = file.metadata, file.schema_arrow
        self.assertEqual(
            (footer.num_rows, footer.num_row_groups, footer.num_columns), (7, 3, len(kinds))
        )
        self.assertEqual([footer.row_group(n).num_rows for n in range(3)], [3, 3, 1])
        self.assertEqual(footer.format_version, "2.6")
        self.assertRegex(footer.created_by, r"\Alamella version \d+\.\d+\.\d+")
        for field, kind in zip(found, kinds):
            # A STRING, JSON or ENUM is text to Arrow; a few types have another one there.
            wanted = {
                "enum": pa.binary(),
                "json": pa.json_(),
                "time micros utc": pa.time64("us"),
            }.get(kind)
            self.assertEqual(field.type, wanted or table.KINDS[kind].arrow, kind)
            self.assertTrue(field.nullable)

    def test_pyarrow_finds_the_page_that_was_changed(self):
        schema = Struct([Field("s", Leaf("string"), True)])
        path = self.write(
            schema, [{"s": f"text {n}"} for n in range(100)], "--codec", "none", "--no-dictionary"
        )
        page = json.loads(engines.lamella("pages", "--json", path))
        with open(path, "r+b") as file:
            file.seek(page["offset"] + page["header_size"] + 50)
            file.write(b"!")
        with self.assertRaisesRegex(OSError, "(?i)crc|checksum"):
            engines.read_pyarrow(path)
        with self.assertRaisesRegex(engines.Failure, "checksum"):
            engines.cat(path)

    def test_a_projection_reads_as_the_engines_read_it(self):
        for seed in engines.seeds(5000, 30):
            source = random.Random(seed)
            schema = random_schema(source, ["int32", "string", "double"], 4)
            rows = [schema.random(source) for _ in range(50)]
            path = self.write(schema, rows, *random_options(source))
            for field in schema.fields:
                found = engines.cat(path, "--columns", field.name)
                one = Struct([field])
                found = table.freeze([one.from_json(pairs) for pairs in found])
                wanted = some_columns([field], table.freeze(rows))
                self.compare(wanted, found, f"lamella cat, LAMELLA_SEED={seed} {field.name}")
                self.check_duckdb(one, wanted, path, f"LAMELLA_SEED={seed} {field.name}")

    def tearDown(self):
        if os.path.exists(self.path("a.parquet")):
            os.remove(self.path("a.parquet"))


def some_columns(fields, rows):
    names = [field.name for field in fields]
    return [{name: row[name] for name in names} for row in rows]


def random_schema(source, kinds=None, depth=5):
    if kinds is None:
        # Not all at once: most tables are for all engines.
        kinds = list(table.KINDS)
        if source.random() < 0.8:
            kinds.remove("interval")
    fields = [
        table.random_field(source, f"c{n}", kinds, source.randint(0, depth), LAYOUTS)
        for n in range(source.randint(1, 5))
    ]
    schema = Struct(fields)
    table.fix_repeated(schema)
    return schema


def random_options(source):
    options = ["--codec", source.choice(list(CODECS)), "--data-page-version", source.choice("12")]
    options += ["--page-size", source.choice(["1", "50", "1000", "1M"])]
    options += ["--row-group-rows", source.choice(["1", "7", "50", "1000000"])]
    options += source.choice(
        [[], ["--no-dictionary"], ["--dictionary-size", "10"], ["--dictionary-size", "1K"]]
    )
    return options


if __name__ == "__main__":
    engines.main()
