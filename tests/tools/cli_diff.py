# SPDX-License-Identifier: Apache-2.0
"""lamella diff: what it prints, its options, its exit status, and what it cannot read."""

import json
import os
import random
import subprocess
import unittest

import program

RECORDS = [{"id": n, "user": {"name": f"n{n}", "tags": ["a", None]}, "real": n / 4} for n in range(50)]
OTHER = ["--codec", "gzip", "--row-group-rows", "7", "--page-size", "100"]


class Diff(program.ProgramTest):
    def pair(self, a, b, *options):
        """Two files; the second is written in another way."""
        self.make("a", a, *options)
        self.make("b", b, *options, *OTHER)

    def diff(self, *arguments, status=1):
        got, output, errors = self.run_program("diff", *arguments)
        self.assertEqual((got, errors), (status, ""), output)
        return output.decode()

    def body(self, *arguments):
        """What is printed of files a and b behind their names."""
        lines = self.diff(*arguments, "a", "b").splitlines()
        self.assertEqual(lines[:2], ["--- a", "+++ b"])
        return lines[2:]

    def test_the_same_records_are_the_same_however_they_are_written(self):
        self.pair(RECORDS, RECORDS)
        for options in [[], ["--json"], ["-q"], ["-k", "id"], ["--columns", "user"], ["--ignore", "records"]]:
            self.assertEqual(self.diff(*options, "a", "b", status=0), "")
        self.assertEqual(self.diff("a", "a", status=0), "")

    def test_a_folder_is_the_records_of_its_files(self):
        for part in range(3):
            os.makedirs(self.path(f"d/part={part}/_tmp"))
            self.make(f"d/part={part}/x.parquet", RECORDS[part : part + 20])
            self.make(f"d/part={part}/_tmp/y.parquet", RECORDS)
        self.good("rewrite", "-o", "all", "d")
        self.make("first", [{**record, "part": 0} for record in RECORDS[:20]])
        self.put("first.ndjson", program.ndjson([{**record, "part": 0} for record in RECORDS[:20]]))
        for a, b in [("d", "all"), ("all", "d"), ("d", "d/*/x.parquet"), ("first", "first.ndjson")]:
            self.assertEqual(self.diff(a, b, status=0), "", (a, b))
        self.assertEqual(self.diff("-n", "1", "first", "d").splitlines()[-2:], [
            '+ record 20: {"id":1,"user":{"name":"n1","tags":["a",null]},"real":0.25,"part":1}',
            "39 more; in all: schema 0, metadata 0, records removed 0, added 40, changed 0",
        ])  # fmt: skip
        os.makedirs(self.path("empty"))
        self.assertIn("empty: no Parquet file", self.bad("diff", "empty", "all", status=2))

    def test_every_kind_of_difference_has_its_line(self):
        other = [dict(r) for r in RECORDS]
        other[16] = {**other[16], "user": {"name": "new", "tags": ["a", "b"]}}
        other[30] = {"id": -1, "user": None, "real": 1.0}
        del other[40:42]
        other.append({"id": 50, "user": {"name": None, "tags": []}, "real": None})
        self.pair(RECORDS, other)
        self.assertEqual(
            self.body(),
            [
                'record 16: user.name: "n16" -> "new"',
                'record 16: user.tags[1]: null -> "b"',
                "record 30: id: 30 -> -1",
                'record 30: user: {"name":"n30","tags":["a",null]} -> null',
                "record 30: real: 7.5 -> 1.0",
                '- record 40: {"id":40,"user":{"name":"n40","tags":["a",null]},"real":10.0}',
                '- record 41: {"id":41,"user":{"name":"n41","tags":["a",null]},"real":10.25}',
                '+ record 48: {"id":50,"user":{"name":null,"tags":[]},"real":null}',
            ],
        )
        self.assertEqual(self.diff("-q", "a", "b"), "Files a and b differ\n")
        self.assertEqual(self.body("-n", "2")[-1], "3 more; in all: schema 0, metadata 0, records removed 2, added 1, changed 2")
        self.assertEqual(self.diff("-n0", "a", "b").count("\n"), 1)
        found = [json.loads(line) for line in self.diff("--json", "-n2", "a", "b").splitlines()]
        self.assertEqual(
            found[0],
            {"kind": "record", "what": "changed", "a_record": 16, "b_record": 16,
             "changes": [{"path": "user.name", "a": "n16", "b": "new"}, {"path": "user.tags[1]", "a": None, "b": "b"}]},
        )  # fmt: skip
        self.assertEqual(found[2]["count"], 3)

    def test_by_key(self):
        other = [dict(r) for r in reversed(RECORDS)]
        other[0]["real"] = -0.0
        del other[10]
        self.pair(RECORDS, [*other, {**RECORDS[3], "id": 99}])
        self.assertEqual(
            self.body("--key", "id"),
            [
                '- record 39: {"id":39,"user":{"name":"n39","tags":["a",null]},"real":9.75}',
                'record {"id":49}: real: 12.25 -> -0.0',
                '+ record 49: {"id":99,"user":{"name":"n3","tags":["a",null]},"real":0.75}',
            ],
        )
        self.assertEqual(self.diff("--key", "id", "-q", "a", "b"), "Files a and b differ\n")
        found = [json.loads(line) for line in self.diff("--json", "--key", "id,user.name", "a", "b").splitlines()]
        self.assertEqual(found[1]["key"], {"id": 49, "user": {"name": "n49"}})

    def test_a_key_that_is_not_unique_is_reported(self):
        self.pair([{"k": 1, "v": n} for n in range(5)], [{"k": 1, "v": n} for n in (4, 1, 2, 3)])
        status, output, errors = self.run_program("diff", "--key", "k", "a", "b")
        self.assertEqual(status, 1)
        self.assertEqual(output.decode().splitlines()[2:], ['record {"k":1}: v: 0 -> 4', '- record 4: {"k":1,"v":4}'])
        for name, count in [("a", 1), ("b", 0)]:
            self.assertEqual(f"lamella: {name}: --key: {count} records" in errors, count > 0, errors)

    def test_numbers_of_records_in_both_files(self):
        other = [{**r, "real": 0.5} if r["id"] == 20 else r for r in RECORDS[2:]]
        self.pair(RECORDS, other)
        self.assertEqual(self.body()[2:], ["record 20 -> 18: real: 5.0 -> 0.5"])

    def test_the_schema(self):
        schemas = [
            "message m { required int32 a = 1; optional binary b (STRING); optional int64 c; optional int64 e; }",
            "message m { optional binary b; required int64 a = 2; optional int64 d; required int64 e (TIMESTAMP(MILLIS,true)); }",
        ]
        for name, schema in zip("ab", schemas):
            self.make(name, [], "--schema", schema)
        self.assertEqual(
            self.body(),
            [
                "schema: a: type: int32 -> int64",
                "schema: a: id: 1 -> 2",
                "schema: b: type: binary (STRING) -> binary",
                "- schema: c: optional int64",
                "schema: e: type: int64 -> int64 (TIMESTAMP(MILLIS,true))",
                "schema: e: repetition: optional -> required",
                "schema: order: a, b, e -> b, a, e",
                "+ schema: d: optional int64",
            ],
        )
        self.assertEqual(self.body("--columns", "a", "--ignore", "ids"), ["schema: a: type: int32 -> int64"])
        self.assertEqual(self.diff("--ignore", "schema", "a", "b", status=0), "")
        self.assertNotIn("order", self.diff("--ignore", "order", "a", "b"))
        first = json.loads(self.diff("--json", "a", "b").splitlines()[0])
        self.assertEqual(first, {"kind": "schema", "what": "type", "path": "a", "a": "int32", "b": "int64"})

    def test_the_metadata(self):
        self.make("a", RECORDS, "--meta", "k=1", "--meta", "x=same", "--meta", "gone=g")
        self.make("b", RECORDS, "--meta", "x=same", "--meta", 'k="2"', "--meta", "new=", "--codec", "gzip")
        self.assertEqual(self.body(), ['- metadata: "gone": "g"', 'metadata: "k": "1" -> "\\"2\\""', '+ metadata: "new": ""'])
        self.assertEqual(self.diff("--ignore", "metadata", "a", "b", status=0), "")
        lines = self.body("--metadata", "all")
        self.assertIn('metadata: "codec of user.name": "ZSTD" -> "GZIP"', lines)
        last = json.loads(self.diff("--json", "a", "b").splitlines()[-1])
        self.assertEqual(last, {"kind": "metadata", "what": "added", "key": "new", "b": ""})

    def test_variants_are_compared_by_value(self):
        values = [{"v": v} for v in [{"b": 1, "a": "x"}, 5, None, [1, {"c": 2.5}], "text", {"a": 7}]]
        self.make("a", values, "--variant", "v", "--shred", "none")
        self.make("b", values, "--variant", "v", "--shred", "v=optional group typed_value { required group a { optional binary value; "
                  "optional binary typed_value (STRING); } }")  # fmt: skip
        self.assertEqual(self.diff("a", "b", status=0), "")
        values[3]["v"] = [1, {"c": 2.75}]
        self.make("b", values, "--variant", "v")
        self.assertEqual(self.body(), ["record 3: v[1].c: 2.5 -> 2.75"])

    def test_names_that_need_quotation_marks(self):
        self.pair([{"a b": {"c.d": 1, "": 2}}], [{"a b": {"c.d": 3, "": 4}}])
        self.assertEqual(self.body(), ['record 0: "a b"."c.d": 1 -> 3', 'record 0: "a b"."": 2 -> 4'])

    def test_files_without_records_or_columns(self):
        schema = "message m { optional int64 a; }"
        self.make("a", [], "--schema", schema)
        self.make("b", [{"a": 1}, {"a": None}], "--schema", schema)
        self.assertEqual(self.body(), ['+ record 0: {"a":1}', '+ record 1: {"a":null}'])
        self.assertEqual(self.body("--key", "a"), ['+ record 0: {"a":1}', '+ record 1: {"a":null}'])
        self.make("a", [{"x": 1}])
        self.assertEqual(
            self.body("--ignore", "schema"), ["+ record 1: {}"]
        )  # nothing in common: only their number differs

    def test_random_reports_patch_the_first_file(self):
        """By key, for which records have no order."""
        seed = random.SystemRandom().randrange(1 << 32)
        chance = random.Random(seed)
        for number in range(20):
            a = {n: chance.randrange(3) for n in chance.sample(range(200), chance.randrange(100))}
            b = {n: v if chance.random() < 0.9 else v + 5 for n, v in a.items() if chance.random() < 0.9}
            b.update((n, 9) for n in range(200, 200 + chance.randrange(5)))
            rows = [[{"k": k, "v": v} for k, v in chance.sample(sorted(f.items()), len(f))] for f in (a, b)]
            self.pair(*rows, "--schema", "message m { required int64 k; optional int64 v; }")
            status, output, errors = self.run_program("diff", "--key", "k", "--json", "-n", "1000", "a", "b")
            patched = dict(a)
            for d in map(json.loads, output.splitlines()):
                if d["what"] == "removed":
                    del patched[d["a"]["k"]]
                elif d["what"] == "added":
                    patched[d["b"]["k"]] = d["b"]["v"]
                else:
                    patched[d["key"]["k"]] = d["changes"][0]["b"]
            self.assertEqual((patched, status, errors), (b, int(a != b), ""), (seed, number))

    def test_trouble_is_2(self):
        self.pair(RECORDS, RECORDS)
        self.put("bad", "no Parquet file")
        with open(self.path("b"), "rb") as file:
            bytes_of_b = bytearray(file.read())
        bytes_of_b[40] ^= 0xFF
        self.put("torn", bytes(bytes_of_b))
        for files in [["a", "bad"], ["none", "a"], ["a", "torn"], ["torn", "a"]]:
            for options in [[], ["--key", "id"], ["-q"]]:
                self.assertIn(f"{(set(files) - {'a'}).pop()}: ", self.bad("diff", *options, *files, status=2))
        for wrong in [["a"], ["a", "b", "a"], [], ["--columns", "x", "a", "b"], ["--key", "x", "a", "b"], ["-", "-"],
                      ["--ignore", "x", "a", "b"], ["--nothing", "a", "b"]]:  # fmt: skip
            self.misuse("diff", *wrong)
        self.make("p", [{"a,b": 1, "c": 2}, {"a,b": 2, "c": 3}])
        self.make("q", [{"a,b": 2, "c": 3}, {"a,b": 1, "c": 2}])
        for key in ['"a,b"', "a*", "*,!c", 'c, "a,b"', "*"]:
            self.assertEqual(self.good("diff", "--key", key, "p", "q"), "", key)
        self.assertIn("--key: character 6: ", self.misuse("diff", "--key", "c,!c,x", "p", "q"))
        self.assertIn("--key: ", self.misuse("diff", "--key", "id,x", "a", "b"))
        self.assertIn("time limit", self.bad("diff", "--timeout", "0ms", "a", "b", status=2))
        self.assertIn("memory", self.bad("diff", "--memory-limit", "1K", "a", "b", status=2))
        self.make("b", RECORDS[1:])
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program.PROGRAM, "diff", self.path("a"), self.path("b")], stdout=full,
                                  stderr=subprocess.PIPE, check=False, timeout=program.TIME_LIMIT)  # fmt: skip
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)

    def test_standard_input_is_one_of_the_files(self):
        self.pair(RECORDS, RECORDS[:-1])
        with open(self.path("b"), "rb") as file:
            content = file.read()
        status, output, errors = self.run_program("diff", "a", "-", stdin=content)
        self.assertEqual((status, errors, output.splitlines()[1]), (1, "", b"+++ standard input"))

    def test_too_many_records_with_one_key_for_the_memory(self):
        self.make("a", [{"k": 1, "v": n} for n in range(40000)])
        self.make("b", [{"k": 1, "v": -n} for n in range(1, 40001)])
        message = self.bad("diff", "--key", "k", "--memory-limit", "1500K", "a", "b", status=2)
        self.assertIn("too many records with one key", message)

    def test_shared_files_are_equal_to_themselves_by_records(self):
        folder = os.path.abspath(program.shared("parquet-testing/data"))
        if not os.path.isdir(folder):
            self.skipTest("no shared files")
        count = 0
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if not name.endswith(".parquet") or self.run_program("cat", path)[0] != 0:
                continue
            for options in [[], ["--metadata", "all"]]:
                self.assertEqual(self.diff(*options, path, path, status=0), "", name)
            count += 1
        self.assertGreater(count, 30)


if __name__ == "__main__":
    program.main()
