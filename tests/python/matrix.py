# SPDX-License-Identifier: Apache-2.0
"""Libraries that take streams of the package, and give it theirs: random tables of all types that both have, types that few
have, and all kinds of sources.

Usage: matrix.py EXTENSION [CASE ...]
"""

import decimal
import io
import mmap
import os
import pathlib
import unittest

import cases
import lamella
import engines
import interop_read
import objects
import table
from table import Field, Leaf, List, Struct

pa = engines.pyarrow
pq = pa.parquet


def optional(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        return None


nanoarrow, arro3, datafusion, pandas = (optional(name) for name in ("nanoarrow", "arro3.core", "datafusion", "pandas"))


def duckdb_relation(given):
    return engines.duckdb.connect().sql("SELECT * FROM given")


# What a library makes of an object with __arrow_c_stream__, and how that becomes a table of pyarrow; and the kinds of leaves that
# it has.
ALL = interop_read.ARROW
LIBRARIES = {
    "pyarrow": (pa, pa.table, lambda made: made, ALL),
    "Polars": (engines.polars, engines.polars.DataFrame, lambda made: made.to_arrow(), interop_read.POLARS),
    "DuckDB": (engines.duckdb, duckdb_relation, lambda made: made.to_arrow_table(), interop_read.DUCKDB),
    "nanoarrow": (nanoarrow, lambda given: nanoarrow.ArrayStream(given), pa.table, ALL),
    "arro3": (arro3, lambda given: arro3.Table.from_arrow(given), pa.table, ALL),
    "DataFusion": (datafusion, lambda given: datafusion.SessionContext().from_arrow(given), lambda made: made.to_arrow_table(), ALL),
}  # fmt: skip
# Types that a library has not, or changes, whatever it is given; each with the reason.
LACKS = {
    "Polars": {"map"},  # becomes a list of structs, which has no null keys
    "DuckDB": {"unknown"},
    "DataFusion": {"float16"},  # no kernel compares it
}


def random_table(source, kinds, maps):
    schema = Struct([table.random_field(source, f"c{n}", kinds, source.randint(0, 4), maps=maps, keys=["string", "int32", "int64", "date"])
                     for n in range(source.randint(1, 5))])
    return schema, [schema.random(source) for _ in range(source.choice([0, 1, 2, 10, 30, 100]))]


class Libraries(cases.Case):
    def same(self, schema, rows, found, what):
        self.assertEqual(table.freeze(rows), table.freeze(table.rows_from_arrow(schema.fields, found)), what)

    def exchange(self, name):
        library, take, to_table, kinds = LIBRARIES[name]
        if library is None:
            self.skipTest(f"no {name}")
        for number in range(cases.rounds(40)):
            source, what = cases.source_of(number)
            schema, rows = random_table(source, [kind for kind in kinds if kind not in LACKS.get(name, ())], "map" not in LACKS.get(name, ()))
            what = f"{what}, {name}: {table.message(schema)}"
            given = interop_read.arrow_table(schema, rows)
            path = self.path("given.parquet")
            pq.write_table(given, path, row_group_size=source.choice([1, 7, 1000]), data_page_version=source.choice(["1.0", "2.0"]))
            # Out of a file, by path or memory, into the library, twice.
            scan = lamella.read(source.choice([path, pathlib.Path(path).read_bytes()]), threads=source.choice([1, 2]),
                                dictionaries=source.choice([True, False]))
            for _ in range(2):
                self.same(schema, rows, to_table(take(scan)), what)
            # And from the library into a file, which pyarrow and this package read.
            written = self.path("written.parquet")
            lamella.write(written, take(given), row_group_rows=source.choice([3, 1000]), compression=source.choice(["zstd", "snappy", "none"]))
            own = to_table(take(given))
            own_rows = table.freeze(table.rows_from_arrow(schema.fields, own))
            self.assertEqual(own_rows, table.freeze(table.rows_from_arrow(schema.fields, engines.read_pyarrow(written))), what)
            self.assertEqual(own_rows, table.freeze(table.rows_from_arrow(schema.fields, pa.table(lamella.read(written)))), what)

    def test_pandas(self):
        if pandas is None:
            self.skipTest("no pandas")
        source, what = cases.source_of(0)
        count = 500
        given = pa.table({
            "b": [source.random() < 0.5 for _ in range(count)], "i": [source.randint(-(2**63), 2**63 - 1) for _ in range(count)],
            "u": pa.array([source.randrange(256) for _ in range(count)], "uint8"), "f": [source.choice([None, source.random()]) for _ in range(count)],
            "s": [source.choice([None, "", "a", "ä" * 50]) for _ in range(count)], "t": pa.array([source.randrange(10**15) for _ in range(count)], pa.timestamp("us")),
            "z": pa.array([source.randrange(10**15) for _ in range(count)], pa.timestamp("us", "UTC")),
            "c": pa.array([source.choice(["x", "y", None]) for _ in range(count)]).dictionary_encode()})  # fmt: skip
        lamella.write(self.path("a.parquet"), given, row_group_rows=100)
        frame = pandas.DataFrame.from_arrow(lamella.read(self.path("a.parquet")))
        pandas.testing.assert_frame_equal(frame, pandas.DataFrame.from_arrow(given))
        lamella.write(self.path("b.parquet"), frame)
        pandas.testing.assert_frame_equal(frame, pandas.DataFrame.from_arrow(lamella.read(self.path("b.parquet"))))
        self.assertEqual(lamella.read(self.path("b.parquet"), dictionaries=False).to_pylist(), given.to_pylist(), what)

    def test_batches_and_readers(self):
        given = pa.table({"a": range(100), "s": [str(n) for n in range(100)]})
        batch = given.combine_chunks().to_batches()[0]
        lamella.write(self.path("source.parquet"), given)
        makers = {"table": lambda: given, "batch": lambda: batch, "reader": lambda: pa.RecordBatchReader.from_batches(given.schema, given.to_batches(9)),
                  "struct array": lambda: batch.to_struct_array(), "slice": lambda: given.slice(0), "scan": lambda: lamella.read(self.path("source.parquet"))}
        if arro3:
            makers["arro3 batch"] = lambda: arro3.RecordBatch.from_arrow(batch)
            makers["arro3 reader"] = lambda: arro3.RecordBatchReader.from_arrow(given)
        if nanoarrow:
            makers["nanoarrow array"] = lambda: nanoarrow.Array(given)
        for name, make in makers.items():
            with self.subTest(name):
                path = self.path(f"{name}.parquet")
                lamella.write(path, make())
                self.assertEqual(pq.read_table(path).to_pylist(), given.to_pylist())
                with lamella.Writer(path, given.schema) as writer:
                    writer.write(make())
                    writer.write({"a": -1, "s": None})
                    writer.write(make())
                self.assertEqual(lamella.read(path).to_pylist(), [*given.to_pylist(), {"a": -1, "s": None}, *given.to_pylist()])
        for wrong in (pa.table({"a": ["x"], "s": [1]}), pa.table({"a": [1]}), pa.array([1, 2])):
            with self.assertRaises((lamella.Error, ValueError, TypeError)), lamella.Writer(self.path("wrong.parquet"), given.schema) as writer:
                writer.write(wrong)
        self.assertFalse(os.path.exists(self.path("wrong.parquet")))


for _name in LIBRARIES:
    setattr(Libraries, "test_" + _name, lambda self, name=_name: self.exchange(name))


class Types(cases.Case):
    """Types of Arrow come back as they were."""

    def test_types(self):
        texts, numbers = ["a", None, "", "b" * 20, "a"] * 20, [1, None, -3, 4, 5] * 20
        lists = [[1, 2], None, [3, None], [4, 5], [None, None]] * 20
        moments = pa.array([0, 1, None, -1, 10**9] * 20, "int64")
        columns = {
            "string view": pa.array(texts, pa.string_view()), "binary view": pa.array([t and t.encode() for t in texts], pa.binary_view()),
            "large string": pa.array(texts, pa.large_string()), "large binary": pa.array([t and t.encode() for t in texts], pa.large_binary()),
            "dictionary": pa.array(texts).dictionary_encode(), "small dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1, 0] * 20, "int8"), ["x", "y"]),
            "large dictionary": pa.array(texts, pa.large_string()).dictionary_encode(), "dictionary of bytes": pa.array([t and t.encode() for t in texts]).dictionary_encode(),
            "ordered": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1, 0] * 20, "int32"), ["x", "y"], ordered=True),
            "list of dictionaries": pa.ListArray.from_arrays(list(range(0, 101)), pa.array(texts).dictionary_encode()),
            "struct of dictionaries": pa.StructArray.from_arrays([pa.array(texts).dictionary_encode()], ["x"]),
            "large list": pa.array(lists, pa.large_list(pa.int32())), "fixed list": pa.array(lists, pa.list_(pa.int32(), 2)),
            "list of views": pa.array([[t, None] for t in texts], pa.list_(pa.string_view())),
            "decimal32": pa.array([decimal.Decimal("1.25"), None] * 50, pa.decimal32(7, 2)), "decimal64": pa.array([decimal.Decimal("1.25"), None] * 50, pa.decimal64(17, 2)),
            "decimal128": pa.array([decimal.Decimal("-1.25"), None] * 50, pa.decimal128(38, 2)), "decimal256": pa.array([decimal.Decimal(10) ** 70, None] * 50, pa.decimal256(76, 2)),
            "duration": moments.view(pa.duration("us")), "seconds": moments.view(pa.timestamp("s")), "zone": moments.view(pa.timestamp("ns", "Europe/Berlin")),
            "date64": pa.array([0, 86400000, None, -86400000, 0] * 20, "int64").view(pa.date64()), "time32 s": pa.array([0, 5, None, 7, 86399] * 20, "int32").view(pa.time32("s")),
            "null": pa.nulls(100), "half": pa.array([1.5, None] * 50, pa.float16()), "unsigned": pa.array([2**64 - 1, None] * 50, "uint64"),
            "fixed": pa.array([b"abc", None] * 50, pa.binary(3)), "no bytes": pa.array([b"", b"x"] * 50),
            "map": pa.array([[("k", 1), ("l", None)], None, [], [("m", 2)], []] * 20, pa.map_(pa.string(), pa.int64())),
            "sorted map": pa.array([[("k", 1)], None] * 50, pa.map_(pa.string(), pa.int64(), keys_sorted=True)),
            "empty struct list": pa.array([[{"x": 1, "y": None}], None, []] * 33 + [None], pa.list_(pa.struct([("x", pa.int8()), ("y", pa.string_view())]))),
            "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef", None] * 50, pa.binary(16))),
            "json": pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a": 1}', None] * 50)),
            "tensor": pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), [2]), pa.array([[1, 2], [3, 4]] * 50, pa.list_(pa.int32(), 2))),
            "bool8": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None] * 50, "int8")),
            "opaque": pa.ExtensionArray.from_storage(pa.opaque(pa.binary(), "a type", "a vendor"), pa.array([b"x", None] * 50)),
        }  # fmt: skip
        for name, column in columns.items():
            with self.subTest(name):
                self.assertEqual(len(column), 100)
                given = pa.table({"c": column})
                for data in (given, given.slice(3, 50), given.slice(0, 0)):
                    file = io.BytesIO()
                    lamella.write(file, data, row_group_rows=30)
                    found = pa.table(lamella.read(file))
                    self.assertEqual(found.schema.field(0).type, column.type)
                    self.assertEqual(found.combine_chunks().to_pylist(), data.to_pylist())
                    self.assertEqual(pq.read_table(file).to_pylist(), data.to_pylist())
                    plain = pa.table(lamella.read(file, dictionaries=False))
                    self.assertEqual(plain.to_pylist(), data.to_pylist())
                    self.assertNotIn("dictionary", str(plain.schema.field(0).type))
                    rows = lamella.read(file).to_pylist() if name not in ("decimal256", "duration", "zone", "time32 s", "seconds", "date64", "null") else []
                    if name in ("string view", "large string", "dictionary", "large list", "map", "list of views", "struct of dictionaries", "decimal128"):
                        self.assertEqual(rows, data.to_pylist())
        self.assertEqual(pa.table(lamella.read(file)).num_columns, 1)

    def test_types_that_parquet_lacks(self):
        for column in (pa.UnionArray.from_dense(pa.array([0, 1], "int8"), pa.array([0, 0], "int32"), [pa.array([1]), pa.array(["x"])]),):
            with self.assertRaises(lamella.UnsupportedError):
                lamella.write(self.path("x.parquet"), pa.table({"c": column}))
            self.assertFalse(os.path.exists(self.path("x.parquet")))

    def test_variants(self):
        source, what = cases.source_of(0)
        values = [objects.random_variant(source) for _ in range(300)]
        file = io.BytesIO()
        schema = "message m { optional group v (VARIANT(1)) { required binary metadata; required binary value; } }"
        lamella.write(file, [{"v": value} for value in values], schema=schema)
        scan = lamella.read(file)
        # Libraries without VARIANTs have a struct of two binaries, and it comes back as it was; DuckDB writes its own.
        for name, (library, take, to_table, _) in LIBRARIES.items():
            if library is None:
                continue
            with self.subTest(name):
                made = to_table(take(scan))
                found = made.column("v")
                self.assertEqual(len(found), 300, what)
                storage = found.combine_chunks()
                storage = getattr(storage, "storage", storage)
                wanted = pq.read_table(file).column("v").combine_chunks()
                if name == "DuckDB":
                    again = io.BytesIO()
                    lamella.write(again, made)
                    self.assertEqual(table.freeze(lamella.read(again).to_pylist()), table.freeze([{"v": value} for value in values]), what)
                    continue
                self.assertEqual(storage.to_pylist(), getattr(wanted, "storage", wanted).to_pylist(), what)
        again = io.BytesIO()
        lamella.write(again, scan)
        self.assertEqual(table.freeze(lamella.read(again).to_pylist()), table.freeze([{"v": value} for value in values]), what)

    def test_types_that_are_asked_for(self):
        file = io.BytesIO()
        lamella.write(file, pa.table({"s": pa.array(["a", "b", None]).dictionary_encode(), "n": pa.array([1, 2, 3], "int32")}))
        scan = lamella.read(file)
        for type in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
            asked = pa.schema([("s", type), ("n", pa.int32())])
            reader = pa.RecordBatchReader._import_from_c_capsule(scan.__arrow_c_stream__(asked.__arrow_c_schema__()))
            found = reader.read_all()
            self.assertEqual(found.schema.field("s").type, type)
            self.assertEqual(found.column("s").to_pylist(), ["a", "b", None])
        self.assertEqual(pa.schema(scan).names, ["s", "n"])
        self.assertEqual(pa.schema(scan.schema), pa.schema(scan))


class Sources(cases.Case):
    ROWS = [{"a": n, "s": f"text {n}"} for n in range(2500)]

    def setUp(self):
        super().setUp()
        for name, part in {"year=2024/month=1/x.parquet": (0, 1000), "year=2024/month=2/y.parquet": (1000, 1500),
                           "year=2025/month=__HIVE_DEFAULT_PARTITION__/z.parq": (1500, 2500)}.items():  # fmt: skip
            path = self.path("folder/" + name)
            os.makedirs(os.path.dirname(path))
            lamella.write(path, self.ROWS[part[0]:part[1]], row_group_rows=300)
        for name in ("_SUCCESS", ".hidden.parquet", "_unfinished.parquet", "notes.txt", "year=2024/.x.parquet"):
            with open(self.path("folder/" + name), "wb") as file:
                file.write(b"nothing")
        self.all = [{**row, "year": 2024 if row["a"] < 1500 else 2025, "month": 1 if row["a"] < 1000 else 2 if row["a"] < 1500 else None} for row in self.ROWS]

    def expect(self, source, rows=None, **options):
        rows = self.ROWS if rows is None else rows
        for threads in (1, 2):
            scan = lamella.scan(source, threads=threads, **options)
            for _ in range(2):
                self.assertEqual(pa.table(scan).to_pylist(), rows)
                self.assertEqual(scan.to_pylist(), rows)
                self.assertEqual(list(scan), rows)

    def test_folders(self):
        folder = self.path("folder")
        self.expect(folder, self.all)
        self.expect(pathlib.Path(folder), self.all)
        self.expect(folder + "/", self.all)
        self.expect(folder + "/year*/**/*.par*", self.all)
        self.expect(folder + "/year=2024/*/*.parquet", [{k: row[k] for k in ("a", "s", "month")} for row in self.all if row["year"] == 2024])
        self.expect([folder + "/year=2024/month=2/y.parquet"], self.ROWS[1000:1500])
        self.expect(folder, [row for row in self.all if row["month"] == 2], where="month = 2")
        self.expect(folder, [row for row in self.all if row["month"] is None and row["a"] > 2000], where="month is null and a > 2000")
        self.expect(folder, [{"year": row["year"], "a": row["a"]} for row in self.all][:1700], columns=["year", "a"], limit=1700)
        self.expect(folder, self.all[:0], limit=0)
        with open(self.path("literal[1].parquet"), "wb") as file:
            lamella.write(file, self.ROWS)
        self.expect(self.path("literal[1].parquet"))

    def test_objects(self):
        path = self.path("one.parquet")
        lamella.write(path, self.ROWS, row_group_rows=700)
        with open(path, "rb") as file:
            data = file.read()
        padded = b"xx" + data + b"yy"
        with open(path, "rb") as file, open(path, "rb", buffering=0) as raw, open(path, "rb") as mapped:
            memory = mmap.mmap(mapped.fileno(), 0, access=mmap.ACCESS_READ)
            for source in (path, pathlib.Path(path), data, bytearray(data), memoryview(data), memoryview(padded)[2:-2],
                           memory, io.BytesIO(data), file, raw, io.BufferedReader(io.BytesIO(data))):  # fmt: skip
                with self.subTest(type=type(source)):
                    self.expect(source)
                    self.expect([source, data], self.ROWS * 2)
                    self.assertEqual(lamella.open(source).rows, 2500)
        numpy = optional("numpy")
        if numpy:
            self.expect(numpy.frombuffer(data, "uint8"))
            self.expect(numpy.fromfile(path, "uint8"))
        with self.assertRaises((TypeError, ValueError, BufferError)):
            lamella.read(memoryview(data * 2)[::2])
        with open(path, encoding="latin-1") as text, open(self.path("w"), "wb") as target:
            for wrong in (text, target):
                with self.assertRaises((TypeError, ValueError, OSError)):
                    lamella.read(wrong)

    def test_fsspec(self):
        fsspec = optional("fsspec")
        if fsspec is None:
            self.skipTest("no fsspec")
        path = self.path("one.parquet")
        lamella.write(path, self.ROWS, row_group_rows=700)
        with fsspec.open(path, "rb") as file:
            self.expect(file)
        memory = fsspec.filesystem("memory")
        with memory.open("/one.parquet", "wb") as target:
            lamella.write(target, self.ROWS)
        with memory.open("/one.parquet", "rb") as file:
            self.expect(file)
        memory.rm("/one.parquet")
        with self.assertRaises(FileNotFoundError):
            lamella.read(file).to_pylist()

    def test_obstore(self):
        obstore = optional("obstore")
        stores = optional("obstore.store")
        if obstore is None:
            self.skipTest("no obstore")
        path = self.path("one.parquet")
        lamella.write(path, self.ROWS, row_group_rows=700)
        store = stores.MemoryStore()
        with open(path, "rb") as file:
            obstore.put(store, "one.parquet", file.read())
        self.expect(obstore.open_reader(store, "one.parquet"))
        self.expect(obstore.open_reader(stores.LocalStore(self.folder), "one.parquet"))
        with obstore.open_writer(store, "two.parquet") as target:
            lamella.write(target, self.ROWS)
        self.expect(obstore.open_reader(store, "two.parquet"))


if __name__ == "__main__":
    cases.main()
