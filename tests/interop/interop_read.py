# SPDX-License-Identifier: Apache-2.0
"""Files that pyarrow, DuckDB and Polars write, read by the program: their own rows come out."""

import itertools
import json
import random

import engines
import table
from table import KINDS, Field, Leaf, List, Map, Struct

pa = engines.pyarrow

# Kinds that Arrow has a type for, and of these the ones that each engine writes without loss.
ARROW = [
    kind
    for kind in KINDS
    if KINDS[kind].arrow is not None and kind not in ("enum", "json", "time micros utc")
]
POLARS = [kind for kind in ARROW if kind not in ("float16", "fixed", "uuid", "unknown")]
DUCKDB = [
    kind
    for kind in ARROW
    if kind not in ("float16", "fixed", "uuid", "unknown", "time nanos", "timestamp nanos utc")
]
CODECS = ["none", "snappy", "zstd"]


# --- Rows to Arrow --------------------------------------------------------------------------------


def arrow_type(type):
    if isinstance(type, Leaf):
        return KINDS[type.kind].arrow
    if isinstance(type, Struct):
        return pa.struct(
            [pa.field(f.name, arrow_type(f.type), not f.required) for f in type.fields]
        )
    if isinstance(type, List):
        return pa.list_(
            pa.field("element", arrow_type(type.element.type), not type.element.required)
        )
    return pa.map_(
        arrow_type(type.key.type),
        pa.field("value", arrow_type(type.value.type), not type.value.required),
    )


def _leaf_to_arrow(kind, values):
    found = KINDS[kind].arrow
    types = pa.types
    if kind == "uuid":
        return pa.ExtensionArray.from_storage(found, pa.array(values, pa.binary(16)))
    if types.is_float16(found):
        return pa.array(
            [value if value is None else _half_bits(value) for value in values], pa.uint16()
        ).view(found)
    unit = getattr(found, "unit", None)
    if types.is_date32(found):
        return pa.array(values, pa.int32()).view(found)
    if unit is not None:
        step = {"ms": 10**6, "us": 10**3, "ns": 1}[unit]
        numbers = [value if value is None else value // step for value in values]
        return pa.array(numbers, pa.int32() if types.is_time32(found) else pa.int64()).view(found)
    return pa.array(values, found)


def _half_bits(value):
    return int.from_bytes(table.struct.pack("<e", value), "little")


def _gather(values, lists):
    """Offsets, with None where a list is null, and what all lists hold."""
    offsets = [0]
    for value in values:
        lists += value or []
        offsets.append(len(lists))
    return [None if value is None else offset for value, offset in zip(values, offsets)] + offsets[
        -1:
    ]


def to_arrow(type, values):
    if isinstance(type, Leaf):
        return _leaf_to_arrow(type.kind, values)
    found = arrow_type(type)
    if isinstance(type, Struct):
        columns = [
            to_arrow(field.type, filled(field, [value and value[field.name] for value in values]))
            for field in type.fields
        ]
        nulls = pa.array([value is None for value in values], pa.bool_())
        return pa.StructArray.from_arrays(columns, fields=list(found), mask=nulls)
    inner = []
    offsets = pa.array(_gather(values, inner), pa.int32())
    if isinstance(type, List):
        return pa.ListArray.from_arrays(offsets, to_arrow(type.element.type, inner), type=found)
    keys = to_arrow(type.key.type, [key for key, _ in inner])
    items = to_arrow(type.value.type, [value for _, value in inner])
    return pa.MapArray.from_arrays(offsets, keys, items, type=found)


def filled(field, values):
    """Below a null struct, something that fits where a null does not."""
    if not field.required:
        return values
    source = random.Random(0)
    return [field.type.random(source) if value is None else value for value in values]


def arrow_table(schema, rows):
    columns = [to_arrow(field.type, [row[field.name] for row in rows]) for field in schema.fields]
    fields = [pa.field(f.name, arrow_type(f.type), not f.required) for f in schema.fields]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


# --- Tests ----------------------------------------------------------------------------------------


class Read(engines.EngineTest):
    def check(self, schema, wanted, path, what):
        try:
            found = [schema.from_json(pairs) for pairs in engines.cat(path)]
        except engines.Failure as failure:
            self.fail(f"{failure}: {what}")
        self.compare(wanted, table.freeze(found), what)

    def by_pyarrow(self, schema, rows, what, **options):
        path = self.path("pyarrow.parquet")
        pa.parquet.write_table(arrow_table(schema, rows), path, **options)
        # With pages this small pyarrow writes empty ones, which its own reader stumbles over.
        if options.get("data_page_size", 1 << 20) >= 300:
            own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_pyarrow(path)))
            self.compare(table.freeze(rows), own, f"pyarrow's own rows, {what}")
        self.check(schema, table.freeze(rows), path, f"written by pyarrow, {what}")

    def by_duckdb(self, schema, rows, what, **options):
        path = self.path("duckdb.parquet")
        written = ", ".join(
            f"{name} {value}" for name, value in {"FORMAT": "parquet", **options}.items()
        )
        query = f"COPY (SELECT * FROM written) TO {engines.quoted(path)} ({written})"
        engines.execute_duckdb(query, written=arrow_table(schema, rows))
        own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_duckdb(path)))
        self.compare(table.freeze(rows), own, f"DuckDB's own rows, {what}")
        self.check(schema, own, path, f"written by DuckDB, {what}")

    def by_polars(self, schema, rows, what, **options):
        path = self.path("polars.parquet")
        frame = engines.polars.from_arrow(arrow_table(schema, rows))
        frame.write_parquet(path, use_pyarrow=False, **options)
        own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_polars(path)))
        self.compare(table.freeze(rows), own, f"Polars' own rows, {what}")
        self.check(schema, own, path, f"written by Polars, {what}")

    def random_tables(self, first, count, kinds, maps, write, random_options):
        for seed in engines.seeds(first, count):
            source = random.Random(seed)
            fields = [
                table.random_field(
                    source,
                    f"c{n}",
                    kinds,
                    source.randint(0, 5),
                    maps=maps,
                    keys=["string", "int32", "int64", "date"],
                )
                for n in range(source.randint(1, 5))
            ]
            schema = Struct(fields)
            rows = [schema.random(source) for _ in range(source.choice([0, 1, 2, 10, 30, 100]))]
            options = random_options(source)
            what = f"LAMELLA_SEED={seed}, {options}, {table.message(schema)}"
            try:
                write(schema, rows, what, **options)
            except (
                pa.ArrowException,
                engines.duckdb.Error,
                engines.polars.exceptions.PolarsError,
            ) as error:
                self.fail(f"{error}: {what}")

    def test_random_tables_of_pyarrow(self):
        self.random_tables(1, 200, ARROW, True, self.by_pyarrow, pyarrow_options)

    def test_random_tables_of_duckdb(self):
        self.random_tables(3001, 200, DUCKDB, True, self.by_duckdb, duckdb_options)

    def test_random_tables_of_polars(self):
        self.random_tables(6001, 200, POLARS, False, self.by_polars, polars_options)

    def every_kind(self, kinds):
        fields = [Field(f"o{n}", Leaf(kind)) for n, kind in enumerate(kinds)]
        return Struct(fields + [Field("l", List(Field("element", Struct(fields))))])

    def test_every_type_and_option_of_pyarrow(self):
        source = random.Random(1)
        schema = self.every_kind(ARROW)
        rows = [schema.random(source) for _ in range(200)]
        for version, dictionary, codec, size in itertools.product(
            ["1.0", "2.0"], [False, True], CODECS, [60, 1000]
        ):
            options = {
                "data_page_version": version,
                "use_dictionary": dictionary,
                "compression": codec,
                "row_group_size": size,
                "data_page_size": 300,
                "write_batch_size": 16,
            }
            self.by_pyarrow(schema, rows, str(options), **options)

    def test_every_type_and_codec_of_duckdb(self):
        source = random.Random(2)
        schema = self.every_kind(DUCKDB)
        rows = [schema.random(source) for _ in range(200)]
        for codec in ["uncompressed", "snappy", "zstd"]:
            self.by_duckdb(schema, rows, codec, COMPRESSION=codec)

    def test_every_type_and_codec_of_polars(self):
        source = random.Random(3)
        schema = self.every_kind(POLARS)
        rows = [schema.random(source) for _ in range(200)]
        for codec in ["uncompressed", "snappy", "zstd"]:
            self.by_polars(schema, rows, codec, compression=codec, row_group_size=70)

    def test_many_rows_and_row_groups(self):
        source = random.Random(4)
        schema = Struct(
            [
                Field("few", Leaf("string")),
                Field("many", Leaf("string")),
                Field("n", Leaf("int64"), True),
                Field("real", Leaf("double")),
                Field("flag", Leaf("boolean")),
                Field(
                    "l",
                    List(
                        Field(
                            "element",
                            Struct([Field("x", Leaf("int32")), Field("y", Leaf("string"))]),
                        )
                    ),
                ),
            ]
        )
        rows = [
            {
                "few": source.choice(["oak", "ash", "", None]),
                "many": f"text {n // 2}",
                "n": n * n - 1000,
                "real": source.random(),
                "flag": source.choice([True, False, None]),
                "l": source.choice(
                    [None, [], [None], [{"x": n, "y": None}, {"x": None, "y": str(n % 50)}]]
                ),
            }
            for n in range(50000)
        ]
        for version in ["1.0", "2.0"]:
            self.by_pyarrow(
                schema,
                rows,
                version,
                data_page_version=version,
                row_group_size=20000,
                dictionary_pagesize_limit=1 << 16,
                data_page_size=1 << 14,
                write_page_checksum=True,
            )
        self.by_duckdb(schema, rows, "", ROW_GROUP_SIZE=4096)
        self.by_polars(schema, rows, "", row_group_size=7000)

    def test_no_rows(self):
        schema = self.every_kind(["int32", "string"])
        self.by_pyarrow(schema, [], "no rows")
        self.by_duckdb(schema, [], "no rows")
        self.by_polars(schema, [], "no rows")

    def test_no_columns(self):
        path = self.path("none.parquet")
        pa.parquet.write_table(pa.table({}), path)
        self.assertEqual(engines.cat(path), [])
        # pyarrow counts no rows where there are no columns.
        pa.parquet.write_table(pa.table({"a": [1, 2, 3]}).select([]), path)
        self.assertEqual(len(engines.cat(path)), engines.read_pyarrow(path).num_rows)

    def test_pages_without_values(self):
        kind = Map(Field("key", Leaf("int32"), True), Field("value", Leaf("int64"), True))
        schema = Struct([Field("m", kind, True), Field("n", Leaf("int32"))])
        source = random.Random(6)
        rows = [schema.random(source) for _ in range(20)]
        path = self.path("empty.parquet")
        for version in ["1.0", "2.0"]:
            pa.parquet.write_table(
                arrow_table(schema, rows),
                path,
                data_page_size=1,
                data_page_version=version,
                row_group_size=1,
            )
            pages = [
                json.loads(line) for line in engines.lamella("pages", "--json", path).splitlines()
            ]
            self.assertIn(0, {page["values"] for page in pages})
            self.check(schema, table.freeze(rows), path, version)

    def test_other_types_of_arrow(self):
        texts = ["a", None, "", "b", "a"] * 40
        numbers = [[1, 2], None, [3, None], [4, 5], [None, None]] * 40
        columns = {
            "dictionary": (Leaf("string"), pa.array(texts).dictionary_encode()),
            "large": (Leaf("string"), pa.array(texts, pa.large_string())),
            "view": (Leaf("string"), pa.array(texts, pa.string_view())),
            "large list": (
                List(Field("element", Leaf("int32"))),
                pa.array(numbers, pa.large_list(pa.int32())),
            ),
            "fixed list": (
                List(Field("element", Leaf("int32"))),
                pa.array(numbers, pa.list_(pa.int32(), 2)),
            ),
            "date64": (
                Leaf("date"),
                pa.array([0, 86400000, None, -86400000, 0] * 40, pa.int64()).view(pa.date64()),
            ),
            "seconds": (
                Leaf("timestamp millis"),
                pa.array([0, 1, None, -1, 10**9] * 40, pa.int64()).view(pa.timestamp("s")),
            ),
            "json": (
                Leaf("json"),
                pa.ExtensionArray.from_storage(
                    pa.json_(), pa.array(['{"a":1}', None, "null", "[]", "1"] * 40)
                ),
            ),
            "decimal256": (
                Leaf("decimal in binary"),
                pa.array([None, "0.5", "-0.25", "1", "0"] * 40).cast(pa.decimal256(60, 30)),
            ),
            "small decimal": (
                Leaf("decimal in int32"),
                pa.array([None, "0.5", "-0.25", "1", "0"] * 40).cast(pa.decimal32(9, 2)),
            ),
        }
        schema = Struct([Field(name, type) for name, (type, _) in columns.items()])
        path = self.path("other.parquet")
        for version, dictionary in itertools.product(["1.0", "2.0"], [False, True]):
            pa.parquet.write_table(
                pa.table({name: array for name, (_, array) in columns.items()}),
                path,
                data_page_version=version,
                use_dictionary=dictionary,
                row_group_size=33,
            )
            own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_pyarrow(path)))
            self.check(schema, own, path, f"{version}, {dictionary}")

    def test_timestamps_as_int96(self):
        schema = Struct([Field("t", Leaf("timestamp nanos"))])
        source = random.Random(5)
        rows = [schema.random(source) for _ in range(100)] + [
            {"t": value} for value in [0, -1, 1, -(10**18)]
        ]
        self.by_pyarrow(schema, rows, "INT96", use_deprecated_int96_timestamps=True)

    def test_types_of_duckdb_that_arrow_does_not_have(self):
        query = """SELECT i::TINYINT AS tiny, i::UTINYINT AS utiny, (i / 7)::FLOAT AS single,
            CASE WHEN i % 3 > 0 THEN ['oak', 'ash'][i % 2 + 1] END::ENUM ('oak', 'ash') AS kind,
            md5(i::VARCHAR)::UUID AS id,
            (i || ' months ' || i || ' days ' || i || ' seconds')::INTERVAL AS span,
            TIME '00:00:00' + to_seconds(i) AS clock,
            TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_hours(i) AS stamp,
            TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS nanos,
            DATE '2024-01-01' + i::INTEGER AS day,
            md5(i::VARCHAR)::BLOB AS bytes, MAP {i: [i, NULL]} AS m,
            {'a': i, 'b': {'c': i::VARCHAR}} AS s,
            (i * 1000001)::DECIMAL(18, 3) AS price FROM range(100) AS r(i)"""
        schema = Struct(
            [
                Field("tiny", Leaf("int8")),
                Field("utiny", Leaf("uint8")),
                Field("single", Leaf("float")),
                Field("kind", Leaf("enum")),
                Field("id", Leaf("uuid")),
                Field("span", Leaf("interval")),
                Field("clock", Leaf("time micros")),
                Field("stamp", Leaf("timestamp micros utc")),
                Field("nanos", Leaf("timestamp nanos")),
                Field("day", Leaf("date")),
                Field("bytes", Leaf("binary")),
                Field(
                    "m",
                    Map(
                        Field("key", Leaf("int64"), True),
                        Field("value", List(Field("element", Leaf("int64")))),
                    ),
                ),
                Field(
                    "s",
                    Struct(
                        [
                            Field("a", Leaf("int64")),
                            Field("b", Struct([Field("c", Leaf("string"))])),
                        ]
                    ),
                ),
                Field("price", Leaf("decimal in int64")),
            ]
        )
        path = self.path("own.parquet")
        engines.execute_duckdb(f"COPY ({query}) TO {engines.quoted(path)} (FORMAT parquet)")
        own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_duckdb(path)))
        self.check(schema, own, path, engines.lamella("schema", path).decode())

    def test_types_of_polars_that_arrow_does_not_have(self):
        pl = engines.polars
        texts = ["oak", "ash", None, "oak"] * 20
        frame = pl.DataFrame(
            {
                "categorical": pl.Series(texts, dtype=pl.Categorical),
                "enum": pl.Series(texts, dtype=pl.Enum(["oak", "ash"])),
                "array": pl.Series(
                    [[1, 2], None, [3, None], [4, 5]] * 20, dtype=pl.Array(pl.Int32, 2)
                ),
                "duration": pl.Series(
                    [1, None, -5, 10**12] * 20, dtype=pl.Duration("us")
                ).to_physical(),
                "nested": pl.Series(
                    [{"a": [{"b": None}]}, {"a": []}, None, {"a": [None, {"b": 1}]}] * 20
                ),
            }
        )
        schema = Struct(
            [
                Field("categorical", Leaf("string")),
                Field("enum", Leaf("string")),
                Field("array", List(Field("element", Leaf("int32")))),
                Field("duration", Leaf("int64")),
                Field(
                    "nested",
                    Struct(
                        [Field("a", List(Field("element", Struct([Field("b", Leaf("int64"))]))))]
                    ),
                ),
            ]
        )
        path = self.path("own.parquet")
        for size in [None, 9]:
            frame.write_parquet(path, row_group_size=size)
            own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_polars(path)))
            self.check(schema, own, path, engines.lamella("schema", path).decode())

    def right_or_unsupported(self, schema, name, what, write):
        """Reads the rows, or says that it does not know an encoding or codec of that name."""
        path = self.path("unsupported.parquet")
        write(path)
        own = table.freeze(table.rows_from_arrow(schema.fields, engines.read_pyarrow(path)))
        try:
            found = [schema.from_json(pairs) for pairs in engines.cat(path)]
        except engines.Failure as failure:
            self.assertRegex(str(failure), rf"{name}.*\(row group 0, column 0", what)
            self.assertRegex(str(failure), "(?i)not supported|unsupported", what)
        else:
            self.compare(own, table.freeze(found), what)

    def test_other_encodings_and_codecs_are_read_or_named(self):
        columns = {
            "int64": list(range(1000)),
            "double": [n / 7 for n in range(1000)],
            "string": [f"text {n}" for n in range(1000)],
        }
        encodings = [
            ("int64", "DELTA_BINARY_PACKED"),
            ("string", "DELTA_LENGTH_BYTE_ARRAY"),
            ("string", "DELTA_BYTE_ARRAY"),
            ("double", "BYTE_STREAM_SPLIT"),
        ]
        for kind, encoding in encodings:
            schema = Struct([Field("c", Leaf(kind))])
            written = pa.table({"c": pa.array(columns[kind])})
            self.right_or_unsupported(
                schema,
                encoding,
                encoding,
                lambda path: pa.parquet.write_table(
                    written, path, use_dictionary=False, column_encoding={"c": encoding}
                ),
            )
        for codec in ["gzip", "brotli", "lz4"]:
            schema = Struct([Field("c", Leaf("string"))])
            written = pa.table({"c": pa.array(columns["string"])})
            self.right_or_unsupported(
                schema,
                codec.upper(),
                codec,
                lambda path: pa.parquet.write_table(written, path, compression=codec),
            )
        schema = Struct([Field("c", Leaf("int64"))])
        written = pa.table({"c": pa.array(columns["int64"])})
        self.right_or_unsupported(
            schema,
            "DELTA",
            "DuckDB V2",
            lambda path: engines.execute_duckdb(
                f"COPY (SELECT * FROM written) TO {engines.quoted(path)}"
                " (FORMAT parquet, PARQUET_VERSION V2)",
                written=written,
            ),
        )


def pyarrow_options(source):
    return {
        "data_page_version": source.choice(["1.0", "2.0"]),
        "use_dictionary": source.random() < 0.5,
        "row_group_size": source.choice([1, 7, 50, 1000]),
        "write_page_checksum": source.random() < 0.5,
        "compression": source.choice(CODECS),
        "store_schema": source.random() < 0.5,
        "data_page_size": source.choice([1, 50, 1 << 20]),
        "write_batch_size": source.choice([1, 10, 1024]),
        "dictionary_pagesize_limit": source.choice([1, 100, 1 << 20]),
        "write_statistics": source.random() < 0.5,
        "write_page_index": source.random() < 0.5,
        "use_compliant_nested_type": source.random() < 0.5,
    }


def duckdb_options(source):
    return {
        "COMPRESSION": source.choice(["uncompressed", "snappy", "zstd"]),
        "ROW_GROUP_SIZE": source.choice([2048, 100000]),
        "PARQUET_VERSION": "V1",
    }


def polars_options(source):
    return {
        "compression": source.choice(["uncompressed", "snappy", "zstd"]),
        "statistics": source.random() < 0.5,
        "row_group_size": source.choice([1, 7, 50, None]),
        "data_page_size": source.choice([1, 100, None]),
    }


if __name__ == "__main__":
    engines.main()
