# SPDX-License-Identifier: Apache-2.0
"""The other engines, and the program under test: what the tests of interoperation share.

A test is a Python script that takes the program as its argument. It runs under LAMELLA_PYTHON, or
the environment that tools/test makes in .venv, or the Python it was started with; without pyarrow,
DuckDB and Polars there it is skipped.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _python():
    own = os.path.join(ROOT, ".venv", "bin", "python")
    return os.environ.get("LAMELLA_PYTHON") or (own if os.path.exists(own) else sys.executable)


# The variable keeps an environment without the engines from starting itself for ever.
if (
    os.path.abspath(_python()) != os.path.abspath(sys.executable)
    and "LAMELLA_ENGINES" not in os.environ
):
    os.environ["LAMELLA_ENGINES"] = "1"
    os.execv(_python(), [_python(), "-B", *sys.argv])

try:
    import duckdb
    import polars
    import pyarrow
    import pyarrow.parquet
except ImportError as missing:
    print(f"skipped: {missing} ({sys.executable})")
    sys.exit(SKIP)

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else shutil.which("lamella")


class Failure(Exception):
    pass


def lamella(*arguments, stdin=None):
    """Standard output of the program as bytes; Failure with its message when it fails."""
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        raise Failure(done.stderr.decode("utf-8", "replace").strip() or f"status {done.returncode}")
    return done.stdout


class Pairs(list):
    """The members of a JSON object in their order, each a (name, value)."""


class Number(str):
    """The text of a JSON number with a point or an exponent, which keeps all of it."""


# JSON with objects as Pairs and reals as Number.
decode = json.JSONDecoder(object_pairs_hook=Pairs, parse_float=Number).decode


def cat(path, *options):
    """The records that the program prints, with the groups of VARIANTs, as other engines have them."""
    printed = lamella("cat", "--variant", "storage", *options, path)
    return [decode(line.decode()) for line in printed.splitlines()]  # of bytes: not at U+2028


def read_pyarrow(path, **options):
    with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True, **options) as file:
        return file.read()


_connection = duckdb.connect()
_connection.execute("SET threads = 2; SET TimeZone = 'UTC'")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def query_duckdb(query):
    return _connection.sql(query).to_arrow_table()


def identifier(name):
    return '"' + name.replace('"', '""') + '"'


def read_duckdb(path, columns=("*",)):
    names = ", ".join(name if name == "*" else identifier(name) for name in columns)
    return query_duckdb(f"SELECT {names} FROM read_parquet({quoted(path)})")


def read_polars(path, columns=None):
    return polars.read_parquet(path, columns=columns, use_pyarrow=False).to_arrow()


def execute_duckdb(query, **tables):
    for name, table in tables.items():
        _connection.register(name, table)
    _connection.execute(query)
    for name in tables:
        _connection.unregister(name)


class EngineTest(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lamella-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def compare(self, expected, found, what):
        """Lists of rows, of which the first that differ are shown."""
        if expected == found:
            return
        self.assertEqual(len(expected), len(found), f"number of rows: {what}")
        for row, (one, other) in enumerate(zip(expected, found)):
            self.assertEqual(one, other, f"row {row}: {what}")


def seeds(first, count):
    """Seeds from `first` on; LAMELLA_SEED is one seed instead."""
    seed = os.environ.get("LAMELLA_SEED")
    return [int(seed)] if seed else range(first, first + count)


def main():
    print(
        f"pyarrow {pyarrow.__version__}, DuckDB {duckdb.__version__}, Polars {polars.__version__}"
    )
    result = unittest.main(module="__main__", argv=[sys.argv[0]], exit=False, verbosity=2).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIP if result.skipped and len(result.skipped) == result.testsRun else 0)
