# SPDX-License-Identifier: Apache-2.0
"""Files that pyarrow, DuckDB and Polars write are clean but for the slips that are named here."""

import datetime
import decimal
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import engines  # noqa: E402  (starts itself again under the Python that has the engines)

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import check_program  # noqa: E402

ROWS = 1500

# What each engine is known to do against the format, or besides it.
SLIPS = {
    "pyarrow": {
        "schema-root",  # the root is required
        "converted-missing",  # local times lack their converted type
        "encoding-stats-type",  # V2 data pages are counted as those of V1
        "list-legacy",  # when asked for names that do not comply
        "encodings-unused",  # files without rows list encodings
    },
    "duckdb": {
        "schema-root",
        "bound-deprecated",  # the old bounds of bytes are in unsigned order
        "bound-zero",  # the sign of a zero bound is that of the value
        "delta-width",  # unsigned 32-bit integers have differences of 33 bits
        "known-fault",  # null ARRAYs may be in any list (duckdb/duckdb#24731)
    },
    "polars": {
        "converted-missing",
        "bound-loose",  # pages have the bounds of their chunk
    },
}


def sparse(source, make):
    return [None if source.random() < 0.2 else make(number) for number in range(ROWS)]


def flat_columns(source):
    floats = [0.0, -0.0, 1.5, float("nan"), -2.0, float("inf")]
    day, midnight = datetime.date(2000, 1, 1), datetime.datetime(2000, 1, 1)
    second = datetime.timedelta(seconds=1)
    return {
        "i8": pa.array(sparse(source, lambda n: source.randint(-128, 127)), pa.int8()),
        "u8": pa.array(sparse(source, lambda n: source.randint(0, 255)), pa.uint8()),
        "u32": pa.array(sparse(source, lambda n: source.randint(0, 2**32 - 1)), pa.uint32()),
        "u64": pa.array(sparse(source, lambda n: source.randint(0, 2**64 - 1)), pa.uint64()),
        "rising": pa.array(range(ROWS), pa.int64()),
        "float": pa.array(sparse(source, lambda n: source.choice(floats)), pa.float32()),
        "double": pa.array(sparse(source, lambda n: source.gauss(0, 1)), pa.float64()),
        "nan": pa.array([float("nan")] * ROWS, pa.float64()),
        "few": pa.array(sparse(source, lambda n: source.choice(["a", "b", "größe", "x" * 200, ""]))),
        "many": pa.array([f"row {n} ü" for n in range(ROWS)]),
        "binary": pa.array(sparse(source, lambda n: source.randbytes(n % 20)), pa.binary()),
        "bool": pa.array(sparse(source, lambda n: n % 3 == 0), pa.bool_()),
        "date": pa.array(sparse(source, lambda n: day + datetime.timedelta(n)), pa.date32()),
        "local": pa.array(sparse(source, lambda n: midnight + n * second), pa.timestamp("us")),
        "instant": pa.array(sparse(source, lambda n: midnight + n * second), pa.timestamp("ns", "UTC")),
        "time": pa.array(sparse(source, lambda n: datetime.time(n % 24)), pa.time64("us")),
        "decimal": pa.array(
            sparse(source, lambda n: decimal.Decimal(source.randint(-(10**20), 10**20)) / 100),
            pa.decimal128(25, 2)),
        "price": pa.array(
            sparse(source, lambda n: decimal.Decimal(source.randint(-(10**6), 10**6)) / 100),
            pa.decimal128(9, 2)),
        "absent": pa.array([None] * ROWS, pa.int32()),
    }


def nested_columns(source):
    def some(most, make):
        return [make(i) for i in range(source.randint(0, most))]

    def maybe(value):
        return None if source.random() < 0.3 else value

    return {
        "list": pa.array(sparse(source, lambda n: some(4, maybe)), pa.list_(pa.int64())),
        "rows": pa.array(
            sparse(source, lambda n: some(3, lambda i: {"a": i, "b": maybe(f"v{i}")})),
            pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))),
        "struct": pa.array(
            sparse(source, lambda n: {"x": n, "y": maybe({"z": "q"})}),
            pa.struct([("x", pa.int64()), ("y", pa.struct([("z", pa.string())]))])),
        "map": pa.array(
            sparse(source, lambda n: [(f"k{i}", i) for i in range(n % 4)]),
            pa.map_(pa.string(), pa.int32())),
        "deep": pa.array(
            sparse(source, lambda n: some(3, lambda i: maybe(some(2, int)))),
            pa.list_(pa.list_(pa.int16()))),
    }


def own_columns(source):
    """Types that only pyarrow writes."""
    half = pa.array(sparse(source, lambda n: source.choice([0.0, -0.0, 1.5, float("nan")])), pa.float32())
    return {
        "half": half.cast(pa.float16()),
        "fixed": pa.array(sparse(source, lambda n: source.randbytes(7)), pa.binary(7)),
        "null": pa.nulls(ROWS),
    }


class PeersTest(engines.EngineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = random.Random(3)
        cls.common = pa.table({**flat_columns(source), **nested_columns(source)})
        cls.all = pa.table({**{name: cls.common[name] for name in cls.common.column_names}, **own_columns(source)})

    def expect(self, path, engine, what, also=()):
        found = check_program.check(path)
        strange = [finding for finding in found if finding["rule"] not in SLIPS[engine] | set(also)]
        self.assertEqual([], strange[:3], what)

    def test_pyarrow(self):
        grid = itertools.product(["1.0", "2.0"], [True, False], [True, False], ["snappy", "none"])
        path = self.path("pyarrow.parquet")
        for number, (version, dictionary, index, codec) in enumerate(grid):
            options = {
                "data_page_version": version, "use_dictionary": dictionary, "write_page_index": index,
                "compression": codec, "row_group_size": 700, "data_page_size": 2000,
                "write_batch_size": 100, "write_page_checksum": number % 2 == 0,
                "use_compliant_nested_type": number % 5 != 0,
                "sorting_columns": [pq.SortingColumn(self.all.column_names.index("rising"))],
                "bloom_filter_options": {name: {} for name in ["u32", "rising", "double", "few", "many", "decimal"]},
            }
            pq.write_table(self.all, path, **options)
            self.expect(path, "pyarrow", options)

    def test_pyarrow_encodings(self):
        path = self.path("pyarrow.parquet")
        grid = [
            ("DELTA_BINARY_PACKED", ["rising", "u32", "u64", "i8"], ()),
            ("BYTE_STREAM_SPLIT", ["float", "double", "half", "rising", "fixed"], ()),
            ("DELTA_LENGTH_BYTE_ARRAY", ["few", "many", "binary"], ()),
            # Its offset index and size statistics have too few bytes for this encoding.
            ("DELTA_BYTE_ARRAY", ["few", "many", "binary"], ["unencoded-bytes"]),
        ]
        for encoding, names, slips in grid:
            pq.write_table(
                self.all.select(names), path, use_dictionary=False, write_page_index=True, data_page_size=3000,
                column_encoding={name: encoding for name in names})
            self.expect(path, "pyarrow", encoding, slips)

    def test_pyarrow_without_rows(self):
        path = self.path("pyarrow.parquet")
        pq.write_table(self.all.slice(0, 0), path, write_page_index=True)
        self.expect(path, "pyarrow", "no rows")

    def test_a_sorting_column_that_is_none_is_found(self):
        path = self.path("pyarrow.parquet")
        pq.write_table(self.all, path, sorting_columns=[pq.SortingColumn(self.all.column_names.index("double"))])
        self.assertIn("sorting-order", check_program.counted(check_program.check(path)))

    def test_duckdb(self):
        path = self.path("duckdb.parquet")
        for version, codec in itertools.product(["V1", "V2"], ["snappy", "zstd"]):
            engines.execute_duckdb(
                f"COPY (SELECT * FROM data ORDER BY rising) TO {engines.quoted(path)}"
                f" (FORMAT parquet, PARQUET_VERSION {version}, COMPRESSION {codec}, ROW_GROUP_SIZE 2048)",
                data=self.common)
            self.expect(path, "duckdb", (version, codec))

    def test_duckdb_types(self):
        path = self.path("duckdb.parquet")
        engines.execute_duckdb(
            "COPY (SELECT i % 100 AS i, (i % 50)::varchar AS s, i::double / 7 AS d, (i % 30)::decimal(18, 3) AS n,"
            " interval (i) days AS v, uuid() AS u, (i % 20)::hugeint AS h, (i % 9)::utinyint AS t"
            f" FROM range(20000) r(i)) TO {engines.quoted(path)} (FORMAT parquet)")
        self.expect(path, "duckdb", "types")

    def test_polars(self):
        path = self.path("polars.parquet")
        frame = engines.polars.from_arrow(self.common.drop_columns(["map"]))
        for codec, statistics in itertools.product(["zstd", "uncompressed"], [True, "full"]):
            frame.write_parquet(
                path, compression=codec, statistics=statistics, row_group_size=700, data_page_size=2000)
            self.expect(path, "polars", (codec, statistics))


if __name__ == "__main__":
    engines.main()
