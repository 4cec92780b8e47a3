# SPDX-License-Identifier: Apache-2.0
"""Commands that read records take JSON and CSV, too, as import makes them, and leave nothing behind."""

import gzip
import json
import os
import subprocess

import program

RECORDS = [{"n": n, "s": f"text {n}", "d": "2024-10-24"} for n in range(50)]
CSV = "n,s,d\n" + "".join(f"{r['n']},{r['s']},{r['d']}\n" for r in RECORDS)
NDJSON = program.ndjson(RECORDS)


class Direct(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.put("x.csv", CSV)
        self.put("x.ndjson", NDJSON)
        self.put("x.json", json.dumps(RECORDS))
        self.put("x.csv.gz", gzip.compress(CSV.encode()))
        self.make("x.parquet", RECORDS)
        self.texts = ["x.csv", "x.ndjson", "x.json", "x.csv.gz"]

    def test_all_commands_print_what_they_print_of_the_file(self):
        for command in (
            ["cat"], ["head"], ["head", "-n", "3"], ["cat", "--skip", "7", "--limit", "5"], ["tail", "-n", "4"], ["tail", "-n", "400"],
            ["cat", "--where", "n > 40 and s like '%3'"], ["head", "--columns", "d,n"], ["cat", "--format", "csv"], ["head", "-f", "table"],
            ["sample", "-n", "5", "--seed", "3"], ["sample", "--where", "n < 9", "--seed", "4"], ["cat", "-f", "json"],
        ):  # fmt: skip
            wanted = self.good(*command, "x.parquet")
            for text in self.texts:
                self.assertEqual(self.good(*command, text), wanted, (command, text))
            if command[0] != "sample":
                for data in (CSV.encode(), NDJSON.encode(), gzip.compress(CSV.encode())):
                    self.assertEqual(self.good(*command, "-", stdin=data), wanted, command)
        for options in ([], ["--where", "n >= 25"]):
            wanted = self.good("count", *options, "x.parquet")
            for text in self.texts:
                self.assertEqual(self.good("count", *options, text), wanted, text)
            self.assertEqual(self.good("count", *options, stdin=CSV), wanted)
        self.assertEqual(self.good("summary", "--json", "x.csv"), self.good("summary", "--json", "x.ndjson"))
        self.assertIn("50 rows in 1 row group of 1 file", self.good("summary", "x.csv"))

    def test_several_files_of_any_kind(self):
        self.assertEqual(self.good("count", "x.csv", "x.parquet", "x.json"), "50\tx.csv\n50\tx.parquet\n50\tx.json\n150\ttotal\n")
        self.assertEqual(self.good("cat", "x.csv", "x.parquet"), self.good("cat", "x.parquet", "x.parquet"))
        self.put("other.ndjson", '{"extra":1}\n')
        lines = self.good("cat", "--columns", "n,extra", "x.csv", "other.ndjson").splitlines()
        self.assertEqual((len(lines), json.loads(lines[0]), json.loads(lines[-1])), (51, {"n": 0, "extra": None}, {"n": None, "extra": 1}))
        self.assertEqual(self.good("count", "--where", "extra = 1", "*.ndjson"), "1\n")

    def test_folders_of_a_pattern_are_fields(self):
        for day in (1, 2):
            os.makedirs(self.path(f"d/day={day}"))
            self.put(f"d/day={day}/x.csv", f"v,w\n{day},x\n")
        self.assertEqual(self.good("cat", "d/*/*.csv"), '{"v":1,"w":"x","day":1}\n{"v":2,"w":"x","day":2}\n')
        self.assertEqual(self.good("count", "--where", "day = 2", "d/*/*.csv"), "1\n")

    def test_errors_and_notices_are_those_of_import_and_said_once(self):
        self.put("bad.csv", "a,b\n1\n")
        self.assertEqual(self.bad("head", "bad.csv"), "bad.csv: line 2: 1 field, but the first record has 2")
        status, _, errors = self.run_program("cat", "--columns", "n", "bad.csv", "x.csv")
        self.assertEqual((status, errors), (1, "lamella: bad.csv: line 2: 1 field, but the first record has 2\n"))
        self.put("mix.ndjson", '{"a":1}\n{"a":"x"}\n')
        for command in (["cat"], ["sample"], ["count"], ["summary"], ["tail"], ["cat", "--columns", "*", "mix.ndjson"]):
            errors = self.run_program(*command, "mix.ndjson")[2]
            self.assertEqual((errors.count("\n"), errors.count("becomes a VARIANT")), (1, 1), (command, errors))
        self.put("text.parquet", "a page, that is no file\n")
        self.assertIn("text.parquet: not a Parquet file", self.bad("cat", "text.parquet"))
        self.put("noise", b"\x01\x02\x03 not a file at all")
        self.assertIn("noise: not a Parquet file", self.bad("head", "noise"))
        self.assertIn("PAR1", self.bad("count", "noise"))

    def test_options_of_parquet_are_refused_by_name(self):
        for command in (["cat", "--explain"], ["cat", "--keep-going"], ["count", "--no-pruning"], ["head", "--no-pruning"],
                        ["summary", "--findings"], ["tail", "--follow"]):  # fmt: skip
            self.assertIn(f"{command[1]} is for Parquet; x.csv holds CSV", self.misuse(*command, "x.csv"))
            self.assertIn(f"{command[1]} is for Parquet; x.json holds JSON", self.misuse(*command, "x.json"))
        self.assertIn("50", self.good("count", "--no-pruning", "x.parquet"))

    def test_only_the_records_that_are_wanted_are_read(self):
        """A head of a long text takes a moment, whatever comes behind."""
        self.put("long.csv", CSV + "broken\n")
        self.assertEqual(self.good("head", "-n", "3", "x.csv"), self.good("cat", "--limit", "3", "x.csv"))
        self.assertEqual(self.bad("count", "long.csv"), "long.csv: line 52: 1 field, but the first record has 3")
        with open(self.path("long.ndjson"), "w", encoding="ascii") as file:
            for n in range(400000):
                file.write(f'{{"n":{n},"s":"a text of some length, so that this is more than is looked at first"}}\n')
        self.assertEqual(self.good("head", "-1", "--columns", "n", "long.ndjson"), '{"n":0}\n')
        self.assertEqual(self.good("count", "--memory-limit", "24MiB", "long.ndjson"), "400000\n")

    def test_parquet_that_is_packed_or_comes_through_a_pipe(self):
        with open(self.path("x.parquet"), "rb") as file:
            data = file.read()
        self.put("x.parquet.gz", gzip.compress(data))
        for command in (["head"], ["count"], ["tail", "-n", "2"]):
            wanted = self.good(*command, "x.parquet")
            self.assertEqual(self.good(*command, "x.parquet.gz"), wanted)
            self.assertEqual(self.good(*command, "-", stdin=data), wanted)

    def test_nothing_is_left_behind(self):
        before = self.files()
        folder = self.path("temporary")
        os.mkdir(folder)
        subprocess.run([program.PROGRAM, "count", "x.csv"], cwd=self.folder, env={**os.environ, "TMPDIR": folder}, check=True, capture_output=True)
        self.assertEqual(os.listdir(folder), [])
        os.rmdir(folder)
        self.assertEqual(self.files(), before)

    def test_limits_hold(self):
        self.put("wide.csv", "a,b\n1,x\n2," + "y" * (40 << 20) + "\n")
        errors = self.bad("count", "--memory-limit", "8MiB", "wide.csv")
        self.assertIn("wide.csv: line 3: a record has more than ", errors)


if __name__ == "__main__":
    program.main()
