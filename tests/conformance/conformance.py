# SPDX-License-Identifier: Apache-2.0
"""Every file of parquet-testing is read as its gold and other engines have it, or refused as told.

manifest.json has an entry for each file below data, shredded_variant and bad_data, by name or
pattern:

    beside        what the file is, which is none to be read
    reads         the number of records; what cat prints is compared with each engine, exactly
    refused       what cat, levels, meta, pages and schema say of it, save the "commands" that work
    why           why it is refused, or what is particular
    readable      columns that are read although others are refused
    gold          a CSV file beside it; "inline" with the records as cat prints them; "twins" where
                  columns X_plain and X_byte_stream_split must be the same
    alone         engine: why its answer is another, or none, and in which rows when not in all; an
                  answer that agrees is a failure, so that the list stays true
    unlabelled    engines that are given a copy without its newer logical types, which they refuse or
                  interpret: the values below are what is compared
    repaired      bytes by offset that are put right first, of this file or another, because they
                  hide what the file is there for; "said" is what levels then says

At least two engines, or one and gold, must agree with what is printed.
"""

import csv
import fnmatch
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "interop")]
import engines  # noqa: E402

import canonical  # noqa: E402
import footer_edit  # noqa: E402

SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get(
    "LAMELLA_SHARED_DEFAULT", os.path.join(engines.ROOT, "..", "shared")
)
FOLDER = os.path.join(SHARED, "parquet-testing")
FOLDERS = ["data", "shredded_variant", "bad_data"]
# VARIANT, GEOMETRY, GEOGRAPHY, and what no member of the union is.
NEWER = [16, 17, 18, *range(20, 65536)]


def read_polars(path):
    try:
        return engines.read_polars(path)
    except BaseException as error:  # a panic of Polars is no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        raise engines.Failure(str(error)) from None


ENGINES = {
    "pyarrow": engines.read_pyarrow,
    "DuckDB": engines.read_duckdb,
    "Polars": read_polars,
}


def load_manifest():
    with open(os.path.join(HERE, "manifest.json"), encoding="utf-8") as file:
        return json.load(file)


def entry_of(manifest, name):
    """The entry of a file: its own, or else that of the pattern that fits it."""
    if name in manifest:
        return manifest[name]
    fits = [pattern for pattern in manifest if fnmatch.fnmatchcase(name, pattern)]
    assert len(fits) == 1, f"{name}: {len(fits)} entries of the manifest"
    return manifest[fits[0]]


def memory_available():
    """Bytes, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":") for line in file)
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError):
        return 0


def all_files():
    return sorted(
        os.path.relpath(os.path.join(folder, name), FOLDER)
        for top in FOLDERS
        for folder, _, names in os.walk(os.path.join(FOLDER, top))
        for name in names
    )


def difference_of(table, records, ignored=()):
    """The first difference between a table and the records that cat printed; None if there is none."""
    if table.num_rows != len(records):
        return f"{table.num_rows} rows, not {len(records)}"
    for n, field in enumerate(table.schema):
        theirs = canonical.from_arrow(table.column(n))
        for row, (value, record) in enumerate(zip(theirs, records)):
            name, item = record[n]
            if row in ignored:
                continue
            if name != field.name:
                return f"column {n} is '{field.name}', not '{name}'"
            ours = canonical.from_json(field.type, item)
            if value != ours:
                return f"row {row}, column '{name}': {value!r:.300}, not {ours!r:.300}"
    return None


class Conformance(engines.EngineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.path.isdir(FOLDER):
            raise unittest.SkipTest(f"{FOLDER} is not here")
        cls.manifest = load_manifest()
        cls.files = all_files()

    def each(self, key, check):
        """Calls `check` with path and entry of each file whose entry has the key."""
        for name in self.files:
            entry = entry_of(self.manifest, name)
            if key in entry:
                with self.subTest(file=name):
                    check(os.path.join(FOLDER, name), entry)

    def test_every_file_has_an_entry_and_every_entry_a_file(self):
        used = set()
        for name in self.files:
            with self.subTest(file=name):
                entry = entry_of(self.manifest, name)
                used.add(id(entry))
                self.assertEqual(len({"beside", "reads", "refused"} & set(entry)), 1)
                self.assertTrue("refused" not in entry or entry["why"])
        for pattern, entry in self.manifest.items():
            self.assertIn(id(entry), used, pattern)

    # --- What is read ------------------------------------------------------------------------------

    def test_values_are_those_of_gold_and_of_the_other_engines(self):
        self.each("reads", self.check_engines)

    def check_engines(self, path, entry):
        if entry.get("large"):
            return
        records = engines.cat(path)
        agreeing = self.check_gold(path, entry, records)
        for engine in ENGINES:
            alone = entry.get("alone", {}).get(engine)
            rows = alone["rows"] if isinstance(alone, dict) else []
            table = self.ask(engine, path, entry)
            if alone is not None:
                self.assertIsNotNone(self.difference(table, records), f"{engine} agrees now")
            if alone is None or rows:
                self.assertIsNone(self.difference(table, records, rows), engine)
                agreeing += 1
        self.assertGreaterEqual(agreeing, 2)
        self.assertIn(entry["reads"], (len(records), "any number of records"))

    def ask(self, engine, path, entry):
        """The table that an engine reads, or why it does not."""
        if engine in entry.get("unlabelled", []):
            with open(path, "rb") as file:
                data = footer_edit.without_logical_types(file.read(), NEWER)
            path = self.path("unlabelled.parquet")
            with open(path, "wb") as file:
                file.write(data)
        try:
            return ENGINES[engine](path)
        except Exception as error:  # whatever an engine throws is its answer
            return f"{type(error).__name__}: {error}"

    def difference(self, table, records, ignored=()):
        return table if isinstance(table, str) else difference_of(table, records, ignored)

    def check_gold(self, path, entry, records):
        gold = entry.get("gold")
        if gold is None:
            return 0
        if gold == "inline":
            text = json.dumps(entry["records"], ensure_ascii=False)
            self.assertEqual(engines.decode(text), records, "gold")
        elif gold == "twins":
            self.check_twins(records)
        else:
            path = os.path.join(os.path.dirname(path), gold)
            with open(path, newline="", encoding="utf-8") as file:
                _, *rows = csv.reader(file)
            found = [["" if item is None else str(item) for _, item in row] for row in records]
            self.compare(rows, found, gold)
        return 1

    def check_twins(self, records):
        pairs = [[record[n : n + 2] for n in range(0, len(record), 2)] for record in records]
        for record in pairs:
            for (one, value), (other, twin) in record:
                self.assertEqual(
                    one.replace("_plain", ""), other.replace("_byte_stream_split", "")
                )
                self.assertEqual(value, twin, one)

    def test_what_is_too_large_for_the_memory_limit_is_read_with_another(self):
        self.each("large", self.check_large)

    def check_large(self, path, entry):
        self.assertRegex(self.said("cat", path), r"is above the memory limit of \d+ \(option --memory-limit\)")
        with open(engines.PROGRAM, "rb") as program:
            is_32_bit = program.read(5)[4:] == b"\x01"
        if is_32_bit:
            with self.assertRaisesRegex(engines.Failure, "a memory limit of 4294967296 bytes"):
                engines.lamella("cat", "--memory-limit", "4GiB", path)
            self.skipTest("a program of 32 bits cannot have records of 1 GiB")
        if memory_available() < 8 << 30:
            self.skipTest("reading records of 1 GiB takes more memory than there is")
        if "LAMELLA_SLOW" in os.environ:
            self.skipTest("reading records of 1 GiB takes minutes here")
        wanted = b'{"arr":{"' + b"a" * (1 << 30) + b'":1}}\n'
        command = [engines.PROGRAM, "cat", "--memory-limit", "4GiB", path]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            for _ in range(entry["reads"]):
                self.assertTrue(process.stdout.read(len(wanted)) == wanted)
            self.assertEqual(process.stdout.read(), b"")
        self.assertEqual(process.returncode, 0)

    def test_levels_pages_and_meta_agree_with_the_records(self):
        self.each("reads", self.check_commands)

    def check_commands(self, path, entry):
        if entry.get("large"):
            return
        records = engines.cat(path)
        text = engines.lamella("levels", "--json", path).decode()
        leaves = [dict(engines.decode(line)) for line in text.splitlines()]
        meta = json.loads(engines.lamella("meta", "--json", path))
        self.assertEqual(sum(group["rows"] for group in meta["row_groups"]), len(records))
        self.check_levels(leaves, len(records))
        self.check_pages(path, leaves)
        if "pyarrow" not in entry.get("alone", {}):
            self.check_values(path, leaves, records)

    def check_levels(self, leaves, rows):
        for leaf in leaves:
            self.assertEqual(len(leaf["r"]), len(leaf["d"]), leaf["path"])
            self.assertEqual(leaf["r"].count(0), rows, leaf["path"])
            self.assertLessEqual(max([0, *leaf["r"]]), leaf["max_repetition"])
            self.assertEqual(leaf["d"].count(leaf["max_definition"]), len(leaf["values"]))

    def check_pages(self, path, leaves):
        counts = dict.fromkeys((leaf["path"] for leaf in leaves), 0)
        for line in engines.lamella("pages", "--json", path).splitlines():
            page = json.loads(line)
            if page["type"].startswith("data"):
                counts[page["path"]] += page["values"]
        self.assertEqual(counts, {leaf["path"]: len(leaf["r"]) for leaf in leaves})

    def check_values(self, path, leaves, records):
        """The values of levels, as the types of pyarrow have them, are those of the records."""
        schema = engines.read_pyarrow(path).schema
        found = [leaf for field in schema for leaf in canonical.leaf_types(field.type)]
        values = [[] for _ in found]
        for record in records:
            rest = values
            for field, (_, item) in zip(schema, record):
                rest = canonical.flatten(field.type, canonical.from_json(field.type, item), rest)
        self.assertEqual(len(found), len(leaves))
        for kind, leaf, wanted in zip(found, leaves, values):
            items = [canonical.from_json(kind, item) for item in leaf["values"]]
            self.assertEqual(items, wanted, leaf["path"])

    # --- What is refused ---------------------------------------------------------------------------

    def said(self, command, path):
        try:
            engines.lamella(command, path)
        except engines.Failure as failure:
            return str(failure)
        return None

    def test_what_is_refused_is_refused_for_its_reason(self):
        self.each("refused", self.check_refused)

    def check_refused(self, path, entry):
        for command in ["cat", "levels", "meta", "pages", "schema"]:
            said = self.said(command, path)
            if command in entry.get("commands", []):
                self.assertIsNone(said, command)
                continue
            self.assertIsNotNone(said, command)
            line = said.splitlines()[0]
            self.assertTrue(line.startswith(f"lamella: {path}: "), line)
            if command != "pages":  # which sees damage in another order
                self.assertRegex(line, entry["refused"])

    def test_what_a_refused_file_has_beside_can_be_read(self):
        self.each("readable", self.check_readable)

    def check_readable(self, path, entry):
        records = engines.cat(path, "--columns", ",".join(entry["readable"]))
        table = engines.read_duckdb(path, entry["readable"])
        self.assertIsNone(difference_of(table, records))
        self.assertGreater(len(records), 0)

    def test_what_a_file_is_there_for_is_found_when_other_damage_is_repaired(self):
        self.each("repaired", self.check_repaired)

    def check_repaired(self, path, entry):
        repaired = entry["repaired"]
        with open(os.path.join(FOLDER, repaired["of"]) if "of" in repaired else path, "rb") as file:
            data = bytearray(file.read())
        for offset, bytes in repaired["bytes"].items():
            bytes = bytearray.fromhex(bytes)
            data[int(offset) : int(offset) + len(bytes)] = bytes
        path = self.path("repaired.parquet")
        with open(path, "wb") as file:
            file.write(data)
        said = self.said("levels", path)
        self.assertIsNotNone(said)
        self.assertRegex(said, repaired["said"])


if __name__ == "__main__":
    engines.main()
