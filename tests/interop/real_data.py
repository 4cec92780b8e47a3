# SPDX-License-Identifier: Apache-2.0
"""JSON that nobody made for this: imported with an inferred schema, read back equal, by DuckDB too.

Debian's iso-codes, and packages of the npm registry, which are fetched by npm with the versions
named here. What is not there, or cannot be fetched, is skipped by name.

Equal means: as JSON values, objects without regard to the order of their members, and a member that
is missing being the same as one that is null. VARIANTs, which come about where kinds clash, are
shredded as inference wants it, and DuckDB reads them as JSON.
"""

import contextlib
import glob
import json
import math
import os
import subprocess
import tarfile
import time
import unittest

import engines

pa = engines.pyarrow
ISO_CODES = "/usr/share/iso-codes/json"


def normal(value):
    """A JSON value in the form in which equal ones are ==."""
    if isinstance(value, dict):
        return {name: normal(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [normal(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # 1 and 1.0 are the same number, as Python compares them exactly; 0.0 and -0.0 are not.
        return ("number", value, math.copysign(1, value) if value == 0 else 1)
    return (type(value).__name__, value)


def arrow_value(type, value):
    """A value of Arrow as JSON."""
    if value is None:
        return None
    if pa.types.is_struct(type):
        return {field.name: arrow_value(field.type, value[field.name]) for field in type}
    if pa.types.is_list(type):
        return [arrow_value(type.value_type, item) for item in value]
    if pa.types.is_map(type):
        return {name: arrow_value(type.item_type, item) for name, item in value}
    return value


def records_of(paths):
    """The records of files: an array's elements, or one object."""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        yield from content if isinstance(content, list) else [content]


@contextlib.contextmanager
def timed(times, name):
    begin = time.monotonic()
    yield
    times[name] = time.monotonic() - begin


class RealData(engines.EngineTest):
    def check(self, name, paths):
        """Imports files as they are, and compares with what Python's json makes of them."""
        times = {}
        path = self.path(f"{name.replace('/', '-')}.parquet")
        with timed(times, "import"):
            engines.lamella("import", "-o", path, *paths)
        with timed(times, "cat"):
            printed = engines.lamella("cat", path)
        wanted = list(records_of(paths))
        found = [json.loads(line) for line in printed.splitlines()]
        self.compare(
            [normal(record) for record in wanted],
            [normal(record) for record in found],
            f"{name}: cat",
        )
        self.check_duckdb(name, path, found, times)
        self.check_again(name, path, printed)
        size = sum(os.path.getsize(path) for path in paths)
        leaves = json.loads(engines.lamella("meta", "--json", path))["row_groups"][0]["columns"]
        print(
            f"{name}: {len(paths)} files, {size} bytes of JSON, "
            f"{len(wanted)} records, {len(leaves)} leaves, "
            f"{os.path.getsize(path)} bytes of Parquet; "
            + ", ".join(f"{what} {seconds:.3f} s" for what, seconds in times.items())
        )

    def check_duckdb(self, name, path, found, times):
        with pa.parquet.ParquetFile(path) as file:
            fields = list(file.schema_arrow)
        file = f"read_parquet({engines.quoted(path)})"
        described = engines.query_duckdb(f"SELECT * FROM (DESCRIBE SELECT * FROM {file})")
        # What has a VARIANT somewhere, DuckDB makes JSON of.
        texts = [
            column["column_name"]
            for column in described.to_pylist()
            if "VARIANT" in column["column_type"]
        ]
        quoted = [engines.identifier(text) for text in texts]
        columns = ", ".join(f"{text}::JSON AS {text}" for text in quoted)
        replaced = f"* REPLACE ({columns})" if texts else "*"
        with timed(times, "DuckDB"):
            rows = engines.query_duckdb(f"SELECT {replaced} FROM {file}")
        names = [field.name for field in fields]
        columns = []
        for field in fields:
            values = rows.column(field.name).to_pylist()
            if field.name in texts:
                columns.append([None if value is None else json.loads(value) for value in values])
            else:
                columns.append([arrow_value(field.type, value) for value in values])
        for row, (record, values) in enumerate(zip(found, zip(*columns), strict=True)):
            self.assertEqual(list(record), names, f"{name}: DuckDB, row {row}")
            for field, value in zip(names, values):
                what = f"{name}: DuckDB, row {row}, {field}"
                if field in texts:
                    self.assertEqual(normal(record[field]), normal(value), what)
                else:
                    # Strictly: every field, its order, and the kind of each number.
                    self.assertEqual(repr(record[field]), repr(value), what)

    def check_again(self, name, path, printed):
        again = self.path("again.parquet")
        engines.lamella("import", "-o", again, "-", stdin=printed)
        self.assertEqual(engines.lamella("cat", again), printed, f"{name}: cat, import, cat")

    @unittest.skipUnless(
        glob.glob(f"{ISO_CODES}/*.json"), "the Debian package iso-codes is not installed"
    )
    def test_iso_codes(self):
        for path in sorted(glob.glob(f"{ISO_CODES}/*.json")):
            self.check(os.path.basename(path), [path])

    @unittest.skipUnless(
        glob.glob(f"{ISO_CODES}/iso_*.json"), "the Debian package iso-codes is not installed"
    )
    def test_iso_codes_as_records(self):
        for path in sorted(glob.glob(f"{ISO_CODES}/iso_*.json")):
            name = os.path.basename(path)
            with open(path, encoding="utf-8") as file:
                (entries,) = json.load(file).values()
            records = self.path(name)
            with open(records, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
            with open(records, encoding="utf-8") as file:
                self.assertEqual([json.loads(line) for line in file], entries)
            self.check_lines(name, records, entries)

    def check_lines(self, name, path, entries):
        out = path + ".parquet"
        engines.lamella("import", "-o", out, path)
        found = [json.loads(line) for line in engines.lamella("cat", out).splitlines()]
        self.compare(
            [normal(entry) for entry in entries], [normal(record) for record in found], name
        )
        self.check_duckdb(name, out, found, {})

    def npm(self, package, version):
        """The folder of a package; the test is skipped when npm cannot fetch it."""
        command = [
            "npm",
            "pack",
            "--silent",
            "--prefer-offline",
            "--fetch-retries=1",
            f"{package}@{version}",
        ]
        try:
            done = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=120
            )
        except FileNotFoundError:
            self.skipTest(f"{package}: npm is not here")
        except subprocess.TimeoutExpired:
            self.skipTest(f"{package}: npm did not answer")
        if done.returncode != 0:
            self.skipTest(f"{package}: npm: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
        folder = self.path(package)
        with tarfile.open(self.path(done.stdout.split()[-1])) as archive:
            for member in archive:
                if member.isfile() and ".." not in member.name.split("/"):
                    archive.extract(member, folder)
        return os.path.join(folder, "package")

    def test_emojibase_data(self):
        folder = self.npm("emojibase-data", "17.0.0")
        self.check("emojibase-data 17.0.0, */data.json", sorted(glob.glob(f"{folder}/*/data.json")))
        self.check(
            "emojibase-data 17.0.0, */messages.json", sorted(glob.glob(f"{folder}/*/messages.json"))
        )

    def test_world_countries(self):
        folder = self.npm("world-countries", "5.1.0")
        countries = f"{folder}/countries.json"
        self.check("world-countries 5.1.0, countries.json", [countries])
        # Languages, currencies and native names are MAPs, for DuckDB too.
        own, other = self.path("own.parquet"), self.path("other.parquet")
        engines.lamella("import", "-o", own, countries)
        engines.query_duckdb(
            f"COPY (SELECT * FROM read_json_auto({engines.quoted(countries)}, sample_size = -1)) "
            f"TO {engines.quoted(other)} (FORMAT parquet)"
        )
        schemas = [engines.lamella("schema", path).splitlines()[1:] for path in (own, other)]
        self.assertEqual(*schemas)
        print(f"Lamella {os.path.getsize(own)} bytes, DuckDB {os.path.getsize(other)}")
        self.assertLess(os.path.getsize(own), os.path.getsize(other))
        self.check(
            "world-countries 5.1.0, data/*.geo.json", sorted(glob.glob(f"{folder}/data/*.geo.json"))
        )

    def test_caniuse_db(self):
        folder = self.npm("caniuse-db", "1.0.30001813")
        self.check(
            "caniuse-db 1.0.30001813, features-json/*.json",
            sorted(glob.glob(f"{folder}/features-json/*.json")),
        )


if __name__ == "__main__":
    engines.main()
