# SPDX-License-Identifier: Apache-2.0
"""lamella diff on pairs of files of which one has a known change, and on pairs with random ones.

The second file of a pair is written with other encodings, codecs, pages and row groups than the first, so that
whatever is not the change must be the same. A report is checked exactly where there is one change; where there are
many, the records of the first file, patched by the report, must be those of the second.
"""

import datetime
import decimal
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

import engines
import pyarrow
import pyarrow.parquet

SEED = int(os.environ.get("LAMELLA_SEED") or random.SystemRandom().randrange(1 << 32))
ROUNDS = 12  # of each kind of change

SCHEMA = pyarrow.schema(
    [
        ("id", pyarrow.int64()),
        ("name", pyarrow.string()),
        ("small", pyarrow.int32()),
        ("real", pyarrow.float64()),
        ("half", pyarrow.float32()),
        ("flag", pyarrow.bool_()),
        ("raw", pyarrow.binary(3)),
        ("day", pyarrow.date32()),
        ("time", pyarrow.timestamp("us")),
        ("cost", pyarrow.decimal128(9, 2)),
        ("tags", pyarrow.list_(pyarrow.string())),
        ("user", pyarrow.struct([("x", pyarrow.int32()), ("y", pyarrow.string())])),
        ("items", pyarrow.list_(pyarrow.struct([("k", pyarrow.string()), ("n", pyarrow.int64())]))),
        ("links", pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    ]
)


def run(*arguments):
    """Exit status, standard output, standard error."""
    done = subprocess.run([engines.PROGRAM, "diff", *arguments], capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr


def nan(bits):
    return struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000000 | bits))[0]


class Pairs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        print(f"LAMELLA_SEED={SEED}")

    def setUp(self):
        self.chance = random.Random(f"{SEED} {self.id()}")
        folder = tempfile.TemporaryDirectory(prefix="lamella-")
        self.addCleanup(folder.cleanup)
        self.a, self.b = (os.path.join(folder.name, name) for name in "ab")

    def record(self, number):
        chance = self.chance

        def maybe(value):
            return None if chance.random() < 0.2 else value

        return {
            "id": number,
            "name": maybe(chance.choice(["", "x", "Zoë", 'a "b"', f"name {number}"])),
            "small": maybe(chance.randrange(-5, 5)),
            "real": maybe(chance.choice([0.0, -0.0, 1.5, nan(0), nan(7), chance.random()])),
            "half": maybe(chance.choice([0.5, -2.0])),
            "flag": maybe(chance.random() < 0.5),
            "raw": maybe(chance.randbytes(3)),
            "day": maybe(datetime.date(2024, 1, 1 + chance.randrange(28))),
            "time": maybe(datetime.datetime(2024, 1, 1, 1, 2, 3, chance.randrange(1000000))),
            "cost": maybe(decimal.Decimal(chance.randrange(100000)) / 100),
            "tags": maybe([maybe(f"t{chance.randrange(3)}") for _ in range(chance.randrange(4))]),
            "user": maybe({"x": maybe(chance.randrange(3)), "y": maybe("why")}),
            "items": maybe([{"k": maybe("k"), "n": maybe(n)} for n in range(chance.randrange(3))]),
            "links": maybe([(f"l{n}", maybe(n)) for n in range(chance.randrange(3))]),
        }

    def table(self, count=None):
        return [self.record(n * 10) for n in range(count or self.chance.randrange(8, 400))]

    def write(self, path, rows, schema=SCHEMA, **options):
        table = rows if isinstance(rows, pyarrow.Table) else pyarrow.Table.from_pylist(rows, schema=schema)
        chance = self.chance
        settings = {
            "compression": chance.choice(["none", "snappy", "zstd", "gzip"]),
            "row_group_size": chance.choice([1 + table.num_rows // 7, 7, 100, 100000]) if table.num_rows < 5000 else 9000,
            "data_page_version": chance.choice(["1.0", "2.0"]),
            "data_page_size": chance.choice([1, 300, 1 << 20]) if table.num_rows < 5000 else 1 << 16,
            "use_dictionary": chance.choice([True, False, ["name", "small"]]),
            "write_statistics": chance.random() < 0.5,
            "store_schema": chance.random() < 0.5,
            "write_page_index": chance.random() < 0.5,
        }
        if settings["use_dictionary"] is False and chance.random() < 0.5:
            settings["column_encoding"] = {"id": "DELTA_BINARY_PACKED", "name": "DELTA_BYTE_ARRAY", "real": "BYTE_STREAM_SPLIT"}
            settings["column_encoding"] = {k: v for k, v in settings["column_encoding"].items() if k in table.schema.names}
        pyarrow.parquet.write_table(table, path, **{**settings, **options})

    def report(self, *options, limit="100000"):
        """The differences as they are reported; nothing is said on standard error."""
        status, output, errors = run("--json", "--limit", limit, *options, self.a, self.b)
        found = [json.loads(line) for line in output.splitlines()]
        self.assertEqual((status, errors), (1 if found else 0, ""), output)
        if self.chance.random() < 0.2:
            brief = run("--brief", *options, self.a, self.b)
            self.assertEqual(brief, (1, f"Files {self.a} and {self.b} differ\n", "") if found else (0, "", ""))
        return found

    def changed(self, a, b, **changes):
        """What is reported of a changed record."""
        values = [{"path": path.replace("__", "."), "a": x, "b": y} for path, (x, y) in changes.items()]
        return {"kind": "record", "what": "changed", "a_record": a, "b_record": b, "changes": values}

    def each(self):
        """Rounds with rows, a copy of them to be changed, and the number of one of them."""
        for _ in range(ROUNDS):
            rows = self.table()
            yield rows, [dict(row) for row in rows], self.chance.randrange(len(rows))

    def expect(self, rows, other, wanted, *options):
        self.write(self.a, rows)
        self.write(self.b, other)
        self.assertEqual(self.report(*options), wanted)

    def expect_value(self, rows, other, at, path, a, b):
        """One value of a record differs, by position and by key."""
        wanted = self.changed(at, at, **{path: (a, b)})
        self.expect(rows, other, [wanted])
        self.assertEqual(self.report("--key", "id"), [{**wanted, "key": {"id": rows[at]["id"]}}])

    # --- Nothing differs ---

    def test_files_with_the_same_records_are_the_same(self):
        for rows, other, _ in self.each():
            self.expect(rows, other, [])
            self.assertEqual(self.report("--key", "id"), [])

    def test_nan_equals_nan_whatever_its_bits(self):
        for rows, other, at in self.each():
            rows[at]["real"], other[at]["real"] = nan(1), nan(2)
            self.expect(rows, other, [])

    # --- One value ---

    def test_a_value_differs(self):
        for rows, other, at in self.each():
            rows[at]["name"], other[at]["name"] = "one", "another"
            self.expect_value(rows, other, at, "name", "one", "another")

    def test_null_differs_from_an_empty_string(self):
        for rows, other, at in self.each():
            rows[at]["name"], other[at]["name"] = self.chance.sample([None, ""], 2)
            self.expect_value(rows, other, at, "name", rows[at]["name"], other[at]["name"])

    def test_null_differs_from_an_empty_list_and_from_a_list_of_null(self):
        for rows, other, at in self.each():
            rows[at]["tags"], other[at]["tags"] = self.chance.sample([None, [], [None]], 2)
            self.expect_value(rows, other, at, "tags", rows[at]["tags"], other[at]["tags"])

    def test_a_null_group_differs_from_a_group_of_nulls(self):
        for rows, other, at in self.each():
            rows[at]["user"], other[at]["user"] = None, {"x": None, "y": None}
            self.expect_value(rows, other, at, "user", None, {"x": None, "y": None})

    def test_minus_zero_differs_from_zero(self):
        for rows, other, at in self.each():
            rows[at]["real"], other[at]["real"] = -0.0, 0.0
            self.write(self.a, rows)
            self.write(self.b, other)
            self.assertIn(f"\nrecord {at}: real: -0.0 -> 0.0\n", run(self.a, self.b)[1])
            self.assertEqual(len(self.report()), 1)

    def test_values_inside_of_others_are_named_by_their_paths(self):
        for rows, other, at in self.each():
            rows[at].update(user={"x": 1, "y": "s"}, items=[{"k": "a", "n": 1}, {"k": "b", "n": 2}], links=[("l", 1)], tags=["p", "q"])
            path, change, a, b = self.chance.choice(
                [
                    ("user__x", {"user": {"x": 2, "y": "s"}}, 1, 2),
                    ("items[1]__n", {"items": [{"k": "a", "n": 1}, {"k": "b", "n": None}]}, 2, None),
                    ("links__l", {"links": [("l", 5)]}, 1, 5),
                    ("tags[0]", {"tags": ["", "q"]}, "p", ""),
                    ("tags", {"tags": ["p"]}, ["p", "q"], ["p"]),
                ]
            )
            other[at] = {**rows[at], **change}
            self.expect_value(rows, other, at, path, a, b)

    # --- Records ---

    def test_an_inserted_record_moves_the_rest(self):
        for rows, other, at in self.each():
            other.insert(at, {**self.record(7), "name": "new", "real": 0.25})
            self.write(self.a, rows)
            self.write(self.b, other)
            for options in [(), ("--key", "id")]:
                found = self.report(*options)
                self.assertEqual([(d["what"], d["b_record"], d["b"]["id"]) for d in found], [("added", at, 7)])

    def test_a_removed_record_moves_the_rest(self):
        for rows, other, at in self.each():
            del other[at]
            self.write(self.a, rows)
            self.write(self.b, other)
            for options in [(), ("--key", "id")]:
                found = self.report(*options)
                self.assertEqual([(d["what"], d["a_record"], d["a"]["id"]) for d in found], [("removed", at, rows[at]["id"])])

    def test_swapped_records_differ_by_position_and_not_by_key(self):
        for rows, other, at in self.each():
            at = min(at, len(rows) - 4)
            other[at], other[at + 3] = other[at + 3], other[at]
            self.write(self.a, rows)
            self.write(self.b, other)
            found = self.report()
            self.assertEqual([(d["what"], d["a_record"]) for d in found], [("changed", at), ("changed", at + 3)])
            self.assertEqual(found[0]["changes"][0], {"path": "id", "a": rows[at]["id"], "b": rows[at + 3]["id"]})
            self.assertEqual(self.report("--key", "id"), [])

    # --- Schema and metadata ---

    def expect_schema(self, rows, other, *wanted, options=()):
        """The schema differs, and the records do not."""
        self.write(self.a, rows, **dict(options))
        self.write(self.b, other)
        found = [(d["what"], d["path"], d.get("a"), d.get("b")) for d in self.report()]
        self.assertEqual(found, list(wanted))
        self.assertEqual(self.report("--ignore", "schema"), [])

    def test_a_renamed_column_is_removed_and_added(self):
        for rows, other, _ in self.each():
            table = pyarrow.Table.from_pylist(other, schema=SCHEMA)
            table = table.rename_columns(["title" if name == "name" else name for name in table.column_names])
            self.expect_schema(rows, table, ("removed", "name", "optional binary (STRING)", None), ("added", "title", None, "optional binary (STRING)"))

    def test_columns_may_stand_in_another_order(self):
        for rows, other, _ in self.each():
            names = SCHEMA.names
            self.chance.shuffle(names)
            table = pyarrow.Table.from_pylist(other, schema=SCHEMA).select(names)
            self.write(self.a, rows)
            self.write(self.b, table)
            self.assertEqual([(d["what"], d["path"]) for d in self.report()], [("order", "")])
            self.assertEqual(self.report("--ignore", "order"), [])
            self.assertEqual(self.report("--key", "id", "--ignore", "order"), [])
            self.assertEqual(self.report("--columns", "user.x"), [])

    def test_a_wider_type_holds_the_same_values(self):
        for rows, other, at in self.each():
            schema = SCHEMA.set(2, pyarrow.field("small", pyarrow.int64()))
            table = pyarrow.Table.from_pylist(other, schema=schema)
            self.expect_schema(rows, table, ("type", "small", "int32", "int64"))
            rows[at]["small"], other[at]["small"] = 77, 78
            self.write(self.a, rows)
            self.write(self.b, other, schema=schema)
            self.assertEqual(self.report("--ignore", "schema"), [self.changed(at, at, small=(77, 78))])

    def test_a_required_column_holds_the_same_values(self):
        for rows, other, at in self.each():
            schema = SCHEMA.set(0, pyarrow.field("id", pyarrow.int64(), nullable=False))
            table = pyarrow.Table.from_pylist(other, schema=schema)
            self.expect_schema(rows, table, ("repetition", "id", "optional", "required"))
            other[at]["id"] = -1
            self.write(self.b, other, schema=schema)
            self.assertEqual(self.report("--ignore", "schema"), [self.changed(at, at, id=(rows[at]["id"], -1))])

    def test_elements_of_lists_may_have_another_name(self):
        for rows, other, _ in self.each():
            self.write(self.a, rows, use_compliant_nested_type=False)
            self.write(self.b, other, use_compliant_nested_type=True)
            found = [(d["what"], d["path"], d["a"], d["b"]) for d in self.report()]
            self.assertEqual(found, [("name", f"{name}.list.item", "item", "element") for name in ("tags", "items")])
            self.assertEqual(self.report("--ignore", "schema"), [])

    def test_key_values_differ(self):
        for rows, other, _ in self.each():
            a, b = (pyarrow.Table.from_pylist(r, schema=SCHEMA) for r in (rows, other))
            self.write(self.a, a.replace_schema_metadata({"k": "1", "gone": "x", "same": ""}), store_schema=True)
            self.write(self.b, b.replace_schema_metadata({"same": "", "k": "2", "new": "y"}), store_schema=True)
            wanted = [("changed", "k", "1", "2"), ("added", "new", None, "y"), ("removed", "gone", "x", None)]
            found = [(d["what"], d["key"], d.get("a"), d.get("b")) for d in self.report()]
            self.assertEqual(sorted(found, key=lambda d: d[1]), sorted(wanted, key=lambda d: d[1]))
            self.assertEqual(self.report("--ignore", "metadata"), [])

    # --- Many ---

    def patch(self, rows, found):
        """The records of the first file as the report changes them, in their order."""
        removed = {d["a_record"] for d in found if d["what"] == "removed"}
        changed = {d["a_record"]: d for d in found if d["what"] == "changed"}
        added = {d["b_record"]: d["b"] for d in found if d["what"] == "added"}
        left = []
        for number, row in enumerate(rows):
            if number in removed:
                continue
            row = dict(row)
            for change in changed.get(number, {"changes": []})["changes"]:
                row[change["path"]] = change["b"]
            left.append(row)
        patched, at = [], 0
        while at < len(left) or len(patched) in added:
            if len(patched) in added:
                patched.append(added[len(patched)])
            else:
                patched.append(left[at])
                at += 1
        return patched

    def edit(self, rows, count):
        """Rows with so many random edits: values, single records and whole batches."""
        chance = self.chance
        for number in range(count):
            at = chance.randrange(len(rows)) if rows else 0
            kind = chance.randrange(6) if rows else 5
            if kind < 3:
                rows[at] = {**rows[at], chance.choice(["n", "s"]): None}
            elif kind == 3:
                del rows[at : at + chance.choice([1, 2, len(rows) // 3])]
            else:
                size = chance.choice([1, 1, 3, len(rows) // 2])
                rows[at:at] = [{"id": -1 - n, "n": number, "s": f"new {n}"} for n in range(size)]
        return rows

    def simple(self, count, variety):
        chance = self.chance
        return [{"id": n, "n": chance.randrange(variety), "s": f"s{chance.randrange(variety)}"} for n in range(count)]

    SIMPLE = pyarrow.schema([("id", pyarrow.int64()), ("n", pyarrow.int64()), ("s", pyarrow.string())])

    def expect_patch(self, rows, other, *options):
        self.write(self.a, rows, schema=self.SIMPLE)
        self.write(self.b, other, schema=self.SIMPLE)
        found = self.report(*options, limit="10000000")
        self.assertEqual(self.patch(rows, found), other)
        return found

    def test_a_report_makes_one_file_of_the_other(self):
        for number in range(60):
            with self.subTest(round=number):
                rows = self.simple(self.chance.randrange(1, 120), self.chance.choice([1, 2, 1000]))
                self.expect_patch(rows, self.edit(list(rows), self.chance.randrange(8)))

    def test_records_without_a_number_are_aligned_too(self):
        """Many records are equal, so that some are so by chance after a shift."""
        for number in range(40):
            with self.subTest(round=number):
                rows = [{"id": 0, "n": self.chance.randrange(3), "s": ""} for _ in range(self.chance.randrange(1, 500))]
                other = list(rows)
                at = self.chance.randrange(len(rows))
                other.insert(at, {"id": 0, "n": 1, "s": ""})
                found = self.expect_patch(rows, other)
                self.assertEqual([d["what"] for d in found], ["added"])

    def test_many_records(self):
        """More than a window of records, with batches that are longer than one."""
        for number in range(2):
            with self.subTest(round=number):
                rows = self.simple(150000, 1 << 30)
                other = self.edit(list(rows), 4)
                found = self.expect_patch(rows, other)
                moved = sum(d["what"] != "changed" for d in found)
                self.assertLessEqual(moved, len(rows) * 4)

    def test_shifts_keep_the_report_small(self):
        rows = self.simple(400000, 1 << 30)
        other = list(rows)
        del other[350000]
        other.insert(200000, {"id": -2, "n": 0, "s": "x"})
        del other[1000:1003]
        other[300000] = {**other[300000], "n": -1}
        found = self.expect_patch(rows, other)
        self.assertEqual([d["what"] for d in found], ["removed"] * 3 + ["added", "changed", "removed"])

    def test_by_key_in_any_order_and_with_little_memory(self):
        rows = self.simple(30000, 1 << 30)
        other = [dict(row) for row in rows]
        self.chance.shuffle(other)
        other[5]["s"] = "changed"
        gone = other.pop()["id"]
        other.insert(77, {"id": -5, "n": 0, "s": "x"})
        self.write(self.a, rows, schema=self.SIMPLE)
        self.write(self.b, other, schema=self.SIMPLE)
        wanted = self.report("--key", "id")
        shown = sorted((d["what"], (d.get("key") or d.get("a") or d.get("b"))["id"]) for d in wanted)
        self.assertEqual(shown, sorted([("changed", other[5]["id"]), ("removed", gone), ("added", -5)]))
        self.assertEqual(self.report("--key", "id", "--memory-limit", "2M"), wanted)

    def test_the_first_differences_are_printed_and_the_rest_counted(self):
        rows = self.simple(3000, 1 << 30)
        other = [{**row, "n": -1} if row["id"] % 10 == 0 else row for row in rows]
        self.write(self.a, rows, schema=self.SIMPLE)
        self.write(self.b, other, schema=self.SIMPLE)
        for options in [(), ("--key", "id")]:
            found = self.report(*options, limit="7")
            self.assertEqual([d["a_record"] for d in found[:-1]], [10 * n for n in range(7)])
            self.assertEqual(found[-1], {"kind": "more", "count": 293, "schema": 0, "metadata": 0, "removed": 0, "added": 0, "changed": 300})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
