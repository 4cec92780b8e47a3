# SPDX-License-Identifier: Apache-2.0
"""The annotations of the package: mypy finds them right, the stub of the extension is what the extension has, and
programs of users are understood.

Usage: annotations.py EXTENSION. Without mypy the test is skipped.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import unittest

import package

package.run_by_environment()
FOLDER = package.folder(sys.argv.pop(1))
sys.path.insert(0, FOLDER)

# Each line that mypy shall complain of says so.
PROGRAM = '''\
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import lamella


class Table:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return None


def rows(scan: lamella.Scan) -> Iterator[dict[str, Any]]:
    yield from scan.select("id", "user.name").where("id > 1").where([("id", "<", 5)]).limit(10)


table: lamella.ArrowStreamExportable = Table()
table = lamella.read("a.parquet", columns=["id"], where=[[("id", "in", [1, 2])], [("id", "=", 3)]])
lamella.scan([Path("a.parquet"), b"PAR1", BytesIO(b"PAR1")], threads=2)
lamella.read(5)  # wrong
lamella.scan("a.parquet", filters="id > 1")  # wrong
lamella.write("a.parquet", table, compression="zstd", sorted_by=["a", ("b", "descending")], bloom="id")
lamella.write(BytesIO(), [{"id": 1}], metadata={"source": "west"})
lamella.write("a.parquet", table, compresion="zstd")  # wrong
lamella.write("a.parquet", 5)  # wrong
with lamella.Writer("a.parquet", Table()) as writer:  # wrong
    writer.write(Table())
with lamella.Writer("a.parquet", lamella.read("b.parquet").schema) as writer:
    writer.write({"id": 1})
    count: int = writer.rows
file = lamella.open(b"PAR1")
size: int = file.row_groups[0]["rows"]
text: str | None = file.columns[0].chunk(0)["codec"]
file.row_groups[0]["size"]  # wrong
rule: list[str] = [finding["rule"] for finding in file.check()]
with lamella.Logger("run", journal=True, rotate=("64 MiB", timedelta(hours=1)), keep="10% free", prefix="run",
                    on_file=print) as log:
    log.log(step=1, loss=0.5)
    log.log({"step": 2})
    durable: int = log.durable
lamella.Logger("run", jurnal=True)  # wrong
lamella.recover(Path("run"))[0].upper()
lamella.Handler("logs", level="INFO").setLevel(10)
lamella.rewrite(["a.parquet", Path("b.parquet")], "c.parquet", sort_by="id")
try:
    lamella.convert("a.csv", "a.parquet")
except lamella.CorruptError as error:
    place: int | None = error.offset
lamella.nothing  # wrong
'''


def run(*words):
    """What mypy says of it in strict mode; no configuration of the user has a part in it."""
    environment = {**os.environ, "MYPYPATH": FOLDER, "PYTHONPATH": FOLDER}
    done = subprocess.run([sys.executable, "-m", *words], cwd=FOLDER, env=environment, capture_output=True, text=True,
                          check=False, timeout=500)
    return done.returncode, done.stdout + done.stderr


def mypy(*words):
    return run("mypy", "--strict", "--config-file=", "--cache-dir", os.path.join(FOLDER, "cache"), *words)


class Annotations(unittest.TestCase):
    def test_the_package_is_right(self):
        self.assertEqual(mypy("-p", "lamella")[0], 0, mypy("-p", "lamella")[1])

    def test_it_is_right_for_the_oldest_python(self):
        status, text = mypy("--python-version", "3.11", "-p", "lamella")
        self.assertEqual(status, 0, text)

    def test_the_stub_is_the_extension(self):
        status, text = run("mypy.stubtest", "lamella._lamella")
        self.assertEqual(status, 0, text)

    def test_programs_are_understood(self):
        lines = PROGRAM.splitlines()
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            text = mypy("--no-warn-unused-ignores", path)[1]
        blamed = {int(line.split(":")[1]) for line in text.splitlines() if ": error:" in line}
        wanted = {i + 1 for i, line in enumerate(lines) if line.endswith("# wrong")}
        self.assertEqual(blamed, wanted, text)

    def test_options_are_those_that_are_taken(self):
        types = importlib.import_module("lamella._types")
        for module, options in [("_write", types.WriteOptions), ("_logger", types.LogOptions)]:
            taken = importlib.import_module("lamella." + module)._OPTIONS
            self.assertEqual(sorted(taken), sorted(options.__annotations__), module)

    def test_dicts_hold_what_their_types_say(self):
        lamella = importlib.import_module("lamella")
        types = importlib.import_module("lamella._types")
        path = os.path.join(FOLDER, "a.parquet")
        lamella.write(path, [{"id": 1}, {"id": 1}])
        file = lamella.open(path)
        pages = file.columns[0].pages(0)
        for given, kind in [(file._facts, types.FileFacts), (file.row_groups[0], types.RowGroup),
                            (file.columns[0].chunk(0), types.Chunk), (pages[-1], types.Page),
                            (file._dataset.columns()[0], types.ColumnFacts)]:
            self.assertEqual(list(given), [name for name in given if name in kind.__annotations__], kind)
            self.assertEqual(sorted(given), sorted(kind.__annotations__), kind)
        with open(path, "r+b") as damaged:
            damaged.seek(20)
            damaged.write(b"damage")
        self.assertEqual(sorted(lamella.open(path).check()[0]), sorted(types.Finding.__annotations__))
        with lamella.Logger(os.path.join(FOLDER, "log")) as log:
            self.assertEqual(sorted(log.info()), sorted(types.LogInfo.__annotations__))
            log.log(a=1)
            self.assertEqual(sorted(log.info()), sorted(types.LogInfo.__annotations__))

    def test_all_names_are_there(self):
        lamella = importlib.import_module("lamella")
        for name in lamella.__all__:
            self.assertIsNotNone(getattr(lamella, name))
        self.assertFalse(hasattr(lamella, "nothing"))


if __name__ == "__main__":
    if run("mypy", "--version")[0] != 0:
        print(f"skipped: no mypy ({sys.executable})")
        sys.exit(package.SKIP)
    unittest.main()
