# SPDX-License-Identifier: Apache-2.0
"""The columns of TPC-H's lineitem in all ways that Lamella reads a column, compared with each other and with
pyarrow: records, Arrow streams, filters, whole tables.

The rows are made by tpchgen-cli, which writes with arrow-rs; pyarrow and DuckDB read its file and write their
own. So there are decimals on INT64 and on FIXED_LEN_BYTE_ARRAY, short strings with a dictionary and without,
and dates, each in the encodings and page sizes that its writer chooses. Reads end after the first 100,000
rows, which is inside of a row group.

Usage: tpch.py LAMELLA LIBRARY
"""

import datetime
import decimal
import json
import os
import shutil
import subprocess
import sys
import unittest

import engines

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "arrow"))
import lamella_ctypes  # noqa: E402

pa, pq, PROGRAM = engines.pyarrow, engines.pyarrow.parquet, engines.PROGRAM
import pyarrow.compute as pc  # noqa: E402

GENERATOR = shutil.which(
    "tpchgen-cli", path=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
)
if GENERATOR is None:
    print("skipped: tpchgen-cli is not installed")
    sys.exit(engines.SKIP)

SCALE = "0.02"  # 120,515 rows
ROWS = 100_000
SKIPPED = 54_321
DAY = datetime.date(1992, 3, 1)  # some thousand rows are shipped before it
BATCH_ROWS = 1_237  # no multiple of anything
WRITERS = ["arrow-rs", "pyarrow", "duckdb"]


def json_text(value):
    """A value as cat prints it."""
    if isinstance(value, (decimal.Decimal, int)):
        return str(value)
    if isinstance(value, datetime.date):
        return f'"{value.isoformat()}"'
    return json.dumps(value, ensure_ascii=False)


def literal(value):
    """A value as a condition has it."""
    if isinstance(value, (decimal.Decimal, int)):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def lines(name, column):
    """A column as cat prints its records."""
    return [f'{{"{name}":{json_text(value)}}}' for value in column.to_pylist()]


def plain(column):
    """A column as one array."""
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def narrow(column):
    """The same without dictionaries and views, which pyarrow can neither compare nor filter."""
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays([narrow(chunk) for chunk in column.chunks])
    if pa.types.is_dictionary(column.type):
        return narrow(column.dictionary).take(column.indices)
    return pc.cast(column, pa.string()) if column.type == pa.string_view() else column


class Lineitem(engines.EngineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        command = [GENERATOR, "parquet", "-s", SCALE, "-T", "lineitem", "-c", "SNAPPY", "-o", cls.folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cls.files = {
            writer: os.path.join(cls.folder, f"{writer}.parquet") for writer in WRITERS
        }
        os.rename(os.path.join(cls.folder, "lineitem.parquet"), cls.files["arrow-rs"])
        pq.write_table(
            pq.read_table(cls.files["arrow-rs"]), cls.files["pyarrow"], row_group_size=70_000
        )
        engines.execute_duckdb(
            f"COPY (FROM read_parquet({engines.quoted(cls.files['arrow-rs'])}))"
            f" TO {engines.quoted(cls.files['duckdb'])} (FORMAT parquet, ROW_GROUP_SIZE 61440)"
        )
        cls.tables = {writer: engines.read_pyarrow(path) for writer, path in cls.files.items()}

    def each_column(self, check):
        """Calls check(writer, column's name, the column by pyarrow) for every column of every file."""
        for writer, table in self.tables.items():
            self.assertGreater(table.num_rows, ROWS)
            for name in table.column_names:
                with self.subTest(writer=writer, column=name):
                    check(writer, name, table.column(name))

    def same(self, found, expected, what):
        """Compares columns, and names the first row that differs."""
        found, expected = plain(found), plain(expected)
        if found.equals(expected):
            return
        self.assertEqual(found.type, expected.type, what)
        self.compare(expected.to_pylist(), found.to_pylist(), what)
        self.fail(f"{what}: the arrays differ, their values do not")

    def test_writers_agree(self):
        """What pyarrow reads is the same from every writer, so there is one truth."""

        def check(_writer, name, column):
            first = plain(self.tables["arrow-rs"].column(name))
            self.same(pc.cast(plain(column), first.type), first, "pyarrow")

        self.each_column(check)

    def test_records(self):
        for writer, table in self.tables.items():
            with self.subTest(writer=writer):
                columns = [map(json_text, table.column(n)[:ROWS].to_pylist()) for n in table.column_names]
                keys = [f'"{name}":' for name in table.column_names]
                expected = [
                    "{" + ",".join(key + value for key, value in zip(keys, row)) + "}"
                    for row in zip(*columns)
                ]
                printed = engines.lamella("cat", "--limit", str(ROWS), self.files[writer])
                self.compare(expected, printed.decode().splitlines(), "cat")

    def test_records_of_one_column(self):
        def check(writer, name, column):
            slice_of = ["--skip", str(SKIPPED), "--limit", str(ROWS - SKIPPED)]
            printed = engines.lamella("cat", "--columns", name, *slice_of, self.files[writer])
            self.compare(lines(name, column[SKIPPED:ROWS]), printed.decode().splitlines(), "cat")

        self.each_column(check)

    def test_stream(self):
        def check(writer, name, column):
            with lamella_ctypes.Reader(self.files[writer]) as reader:
                for options in [
                    {"max_rows": ROWS},
                    {"max_rows": ROWS, "batch_rows": BATCH_ROWS},
                    {"max_rows": ROWS - SKIPPED, "skip_rows": SKIPPED, "thread_count": 2},
                ]:
                    found = reader.table(columns=[name], **options)
                    begin = options.get("skip_rows", 0)
                    self.same(found.column(0), column[begin:ROWS], f"stream, {options}")

        self.each_column(check)

    def test_stream_of_dictionaries(self):
        def check(writer, name, column):
            if column.type not in (pa.string(), pa.string_view()):
                return
            with lamella_ctypes.Reader(self.files[writer]) as reader:
                found = reader.table(columns=[name], dictionary_columns=[name], max_rows=ROWS)
            self.assertTrue(pa.types.is_dictionary(found.column(0).type))
            self.same(narrow(found.column(0)), narrow(column[:ROWS]), "stream of dictionaries")

        self.each_column(check)

    def test_filter(self):
        """Conditions on the column itself, and on another one, by stream and by records."""

        def check(writer, name, column):
            path, values, pivot = self.files[writer], narrow(column), column[SKIPPED].as_py()
            conditions = {
                f"{name} <= {literal(pivot)}": pc.less_equal(values, pivot),
                f"{name} = {literal(pivot)}": pc.equal(values, pivot),
                f"l_shipdate < '{DAY}'": pc.less(self.tables[writer].column("l_shipdate"), DAY),
            }
            for where, wanted in conditions.items():
                rows = values.filter(wanted)
                for pruning in (0, lamella_ctypes.OFF):
                    with lamella_ctypes.Reader(path) as reader:
                        found = reader.table(columns=[name], where=where, pruning=pruning)
                    self.assertEqual(found.column(0).type, column.type)
                    self.same(narrow(found.column(0)), rows, f"{where}, pruning {pruning}")
            printed = engines.lamella("cat", "--columns", name, "--where", where, path)
            self.compare(lines(name, rows), printed.decode().splitlines(), f"cat --where {where}")

        self.each_column(check)

    def test_whole_table(self):
        for writer, table in self.tables.items():
            for threads in (1, 2):
                found = lamella_ctypes.read(self.files[writer], thread_count=threads)
                self.assertEqual(found.schema.names, table.schema.names)
                for name in table.column_names:
                    with self.subTest(writer=writer, threads=threads, column=name):
                        self.same(found.column(name), table.column(name), "whole table")


if __name__ == "__main__":
    lamella_ctypes.load(sys.argv[2])
    engines.main()
