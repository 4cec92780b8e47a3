# SPDX-License-Identifier: Apache-2.0
"""Tables that schema --sql and --postgresql make of files: each engine takes them as they are printed.

DuckDB is asked for its own types of the same file, and to fill the table from it. What PostgreSQL takes is asked of
its parser, pglast, where that is installed.

Usage: sql_tables.py LAMELLA LIBRARY
"""

import json
import os
import tempfile
import unittest

import engines

duckdb, pa = engines.duckdb, engines.pyarrow
try:
    import pglast
except ImportError:
    pglast = None

SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT") or "../shared"
DATA = os.path.join(SHARED, "parquet-testing")
LARGEST = 100_000
# Without their own name for UTC, DuckDB takes milliseconds and microseconds to have no zone, against the format.
ZONE_FREE_IN_DUCKDB = "nested_structs.rust.parquet"
TYPES = """message m {
  required boolean b; optional int32 i8 (INTEGER(8,true)); optional int32 u8 (INTEGER(8,false)); optional int32 u16 (INTEGER(16,false));
  optional int32 u32 (INTEGER(32,false)); optional int64 u64 (INTEGER(64,false)); optional float f; optional double d;
  optional fixed_len_byte_array(2) h (FLOAT16); optional binary y; optional fixed_len_byte_array(5) x; optional binary s (STRING);
  optional binary e (ENUM); optional binary j (JSON); optional fixed_len_byte_array(16) id (UUID); optional int32 day (DATE);
  optional int32 t1 (TIME(MILLIS,true)); optional int64 t2 (TIME(MICROS,false)); optional int64 t3 (TIME(NANOS,false));
  optional int64 z1 (TIMESTAMP(MILLIS,true)); optional int64 z2 (TIMESTAMP(MICROS,false)); optional int64 z3 (TIMESTAMP(NANOS,true));
  optional int64 z4 (TIMESTAMP(NANOS,false)); optional int96 z5; optional fixed_len_byte_array(12) v (INTERVAL);
  optional int32 n1 (DECIMAL(9,2)); optional binary n2 (DECIMAL(38,10)); optional fixed_len_byte_array(32) n3 (DECIMAL(76,38));
  optional group l (LIST) { repeated group list { optional group element (LIST) { repeated group list { optional int96 element; } } } }
  optional group g { optional int96 t; optional group m (MAP) { repeated group key_value { required binary key (STRING); optional int64 value (TIME(MICROS,true)); } } }
  optional group p (MAP) { repeated group key_value { optional binary key (STRING); optional group value (MAP) {
    repeated group key_value { optional int32 key; optional int96 value; } } } }
  repeated int32 r; optional binary geometry (GEOMETRY); optional binary geography (GEOGRAPHY);
}"""  # fmt: skip
RECORD = (
    '{"b":true,"u64":18446744073709551615,"n2":1.5,"n3":1.5,"z5":"1492-01-01T00:00:00","z4":"2020-01-01T00:00:00",'
    '"t1":"01:02:03","l":[["2020-01-01T00:00:00"],null],"g":{"t":null,"m":{"k":"00:00:01"}},"r":[1,2]}\n{"b":false}\n'
)
NAMES = ["x", "X", "x", "x_1", "", "_", 'q"', "back\\slash", "new\nline", "\u202e", "in", "select", "a.b", "--", "größe", "1"]


class SqlTables(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lamella-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def types(self, connection, query):
        return [row[1] for row in connection.execute(f"describe {query}").fetchall()]

    def check(self, path, same_types=True):
        """Makes the tables of a file. False where DuckDB does not read it."""
        text = engines.lamella("schema", "--sql", path).decode()
        with duckdb.connect() as connection:
            quoted = "'" + path.replace("'", "''") + "'"
            try:
                theirs = self.types(connection, f"select * from read_parquet({quoted})")
                count = connection.execute(f"select count(*) from read_parquet({quoted})").fetchone()[0]
                connection.execute(f"select * from read_parquet({quoted})").fetchall()
            except duckdb.Error:
                return False
            connection.execute(text)
            table = connection.execute("select table_name from duckdb_tables()").fetchone()[0].replace('"', '""')
            ours = self.types(connection, f'"{table}"')
            if same_types:  # a CRS is that of the values
                self.assertEqual([kind.split("('")[0] if "GEOMETRY(" in kind else kind for kind in theirs], ours, text)
            connection.execute(f'insert into "{table}" from read_parquet({quoted})')
            self.assertEqual(connection.execute(f'select count(*) from "{table}"').fetchone()[0], count)
        return True

    def check_postgresql(self, path):
        (statement,) = pglast.parse_sql(engines.lamella("schema", "--postgresql", path).decode())
        return [
            (column.colname, ".".join(name.sval for name in column.typeName.names), len(column.typeName.arrayBounds or ()))
            for column in statement.stmt.tableElts or ()
        ]

    def make_types(self):
        engines.lamella("import", "--schema", TYPES, "-o", self.path("types.parquet"), "-", stdin=RECORD.encode())
        return self.path("types.parquet")

    def make_names(self):
        groups = [["a", "A", "b"], ["a", ""], ["a\nb"], ["a", "A", "a_1"]]
        arrays = [pa.array([n]) for n in range(len(NAMES))]
        arrays += [pa.StructArray.from_arrays([pa.array([n]) for n in range(len(group))], names=group) for group in groups]
        table = pa.Table.from_arrays(arrays, names=[*NAMES, "g", "h", "i", "j"])
        engines.pyarrow.parquet.write_table(table, self.path("na'me\".x.parquet"))
        return self.path("na'me\".x.parquet")

    def test_duckdb_gives_the_file_the_types_of_the_table(self):
        self.assertTrue(self.check(self.make_types()))

    def test_what_only_arrow_knows_is_what_duckdb_reads(self):
        for unit in ("s", "ms", "us", "ns"):
            path = self.path(f"{unit}.parquet")
            values = [pa.array([1, None], pa.duration(unit)), pa.array([[1], None], pa.list_(pa.duration(unit)))]
            engines.pyarrow.parquet.write_table(pa.Table.from_arrays(values, names=["d", "l"]), path)
            self.assertTrue(self.check(path))

    def test_names_that_duckdb_refuses_are_others(self):
        path = self.make_names()
        self.assertTrue(self.check(path, False))
        text = engines.lamella("schema", "--sql", path).decode()
        for line in ['"X_2" BIGINT, -- in the file "X"', '"x_3" BIGINT, -- in the file "x"', '"new\\nline" BIGINT, -- in the file U&"new\\000Aline"']:
            self.assertIn(f"    {line}\n", text)
        with duckdb.connect() as connection:
            connection.execute(text)
            (table,) = connection.execute("select table_name from duckdb_tables()").fetchone()
            quoted = "'" + path.replace("'", "''") + "'"
            connection.execute(f"""insert into "{table.replace('"', '""')}" from {quoted}""")
            row = connection.execute(f"""from "{table.replace('"', '""')}\"""").fetchone()
        self.assertEqual(row[: len(NAMES)], tuple(range(len(NAMES))))
        groups = [list((json.loads(group) if isinstance(group, str) else group).values()) for group in row[len(NAMES) :]]
        self.assertEqual(groups, [[0, 1, 2], [0, 1], [0], [0, 1, 2]])  # nothing is lost

    def test_duckdb_fills_the_table_of_every_file_that_it_reads(self):
        if not os.path.isdir(DATA):
            self.skipTest("no parquet-testing")
        count = 0
        for folder, _, names in sorted(os.walk(DATA)):
            names = [name for name in sorted(names) if name.endswith(".parquet") and os.path.getsize(os.path.join(folder, name)) < LARGEST]
            for name in names if folder.endswith("data") else names[::8]:  # many of a VARIANT each
                with self.subTest(file=name):
                    try:
                        count += self.check(os.path.join(folder, name), name != ZONE_FREE_IN_DUCKDB)
                    except engines.Failure:
                        pass  # no file that can be read
        self.assertGreater(count, 50)

    @unittest.skipIf(pglast is None, "pglast is missing")
    def test_postgresql_takes_the_table(self):
        types = self.check_postgresql(self.make_types())
        kinds = {name: kind.removeprefix("pg_catalog.") + "[]" * bounds for name, kind, bounds in types}
        self.assertEqual(kinds["u64"] + kinds["d"] + kinds["y"], "numericfloat8bytea")
        self.assertEqual([kinds[name] for name in "lgpr"], ["jsonb", "jsonb", "jsonb", "int4[]"])
        self.assertEqual((kinds["t1"], kinds["z3"], kinds["z4"]), ("timetz", "timestamptz", "timestamp"))
        names = [name for name, _, _ in self.check_postgresql(self.make_names())]
        self.assertEqual((len(names), len(set(names))), (len(NAMES) + 4, len(NAMES) + 4))
        self.assertTrue({"new\nline", "back\\slash", 'q"', "X_2", "select"} < set(names))

    @unittest.skipIf(pglast is None, "pglast is missing")
    def test_names_that_postgresql_would_cut_stay_different(self):
        names = ["x" * 63, "x" * 63 + "1", "x" * 63 + "2", "ä" * 31 + "a", "ä" * 31 + "b", "ä" * 32, "x" * 52 + "_2", "a" * 60, "A" * 60]
        table = pa.Table.from_arrays([pa.array([1])] * len(names), names=names)
        engines.pyarrow.parquet.write_table(table, self.path("long.parquet"))
        cut = [name.encode()[:63] for name, _, _ in self.check_postgresql(self.path("long.parquet"))]
        self.assertEqual(len(set(cut)), len(names), cut)


if __name__ == "__main__":
    result = unittest.main(argv=[__file__], exit=False, verbosity=2).result
    raise SystemExit(not result.wasSuccessful())
