# SPDX-License-Identifier: Apache-2.0
"""What people type who know other programs: the message says how it is said here."""

import os
import pty
import subprocess

import program


class Mistakes(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.make("a.parquet", [{"payment": "cash", "fare": 1}, {"payment": "card", "fare": 2}])

    def test_conditions_of_other_languages(self):
        for condition, message in [
            ('payment = "cash"', "character 11: no field '\"cash\"': texts stand in 'single quotes'"),
            ("payment = cash", "character 11: no field 'cash': texts stand in 'single quotes'"),
            ("payment != cash", "character 12: no field 'cash': texts stand in 'single quotes'"),
            ("fare = 7 && fare > 1", "character 10: no word or literal begins with this character: it is and"),
            ("fare = 7 || fare > 1", "character 10: no word or literal begins with this character: it is or"),
            ("fare + 1 > 2", "character 6: no number: there is no arithmetic"),
            ("fare * 2 > 2", "character 6: no word or literal begins with this character: there is no arithmetic"),
            ("lower(payment) = 'a'", "character 1: no field 'lower': there are no functions"),
            ("length (payment) > 3", "character 1: no field 'length': there are no functions"),
            ("pay = 'a'", "character 1: no field 'pay'"),
        ]:
            for command in (["count"], ["head"], ["cat", "--columns", "fare"], ["rewrite", "-o", "o"]):
                errors = self.bad(*command, "--where", condition, "a.parquet", status=2, output="")
                self.assertIn(f"a.parquet: --where: {message}", errors)
                self.assertTrue(errors.endswith(message) or "did you mean" in errors, errors)

    def test_commands_of_other_programs(self):
        for word, hint in [("convert", "import makes Parquet"), ("merge", "rewrite"), ("split", "rewrite --split"), ("validate", "check"),
                           ("describe", "summary"), ("sql", "there is no SQL"), ("ls", "summary")]:  # fmt: skip
            status, output, errors = self.run_program(word, "a.parquet")
            self.assertEqual((status, output), (2, b""))
            self.assertIn(f"unknown command '{word}': {hint}", errors)
        self.assertIn("unknown command 'cta' (did you mean cat?)", self.run_program("cta")[2])

    def test_options_of_other_programs(self):
        for option, hint in [("rename", "jq"), ("add", "jq"), ("type", "import --type PATH=TYPE"), ("distinct", "sort -u")]:
            for words in ([f"--{option}", "a=b"], [f"--{option}=a=b"]):
                errors = self.misuse("rewrite", *words, "-o", "o", "a.parquet")
                self.assertIn(f"unknown option --{option}: ", errors)
                self.assertIn(hint, errors)

    def test_a_number_of_records_as_an_option(self):
        for command in ("head", "cat", "sample", "tail"):
            self.assertEqual(self.good(command, "-1", "a.parquet").count("\n"), 1, command)
        self.assertEqual(self.good("head", "-1", "a.parquet"), '{"payment":"cash","fare":1}\n')
        self.assertIn("-n cannot be '1x'", self.misuse("head", "-1x", "a.parquet"))
        self.assertIn("unknown option -1", self.misuse("count", "-1", "a.parquet"))

    def test_addresses_are_no_files(self):
        for command in (["cat"], ["count"], ["import", "-o", "o"], ["schema"], ["summary"]):
            self.assertEqual(self.bad(*command, "https://example.org/a.parquet"),
                             "https://example.org/a.parquet: it is an address, and only files are read")  # fmt: skip
        os.makedirs(self.path("s3:/b"))
        os.rename(self.path("a.parquet"), self.path("s3:/b/a.parquet"))
        self.assertEqual(self.good("count", "s3://b/a.parquet"), "2\n", "a file of that name is one")

    def test_summary_sorted_by_what_is_stored(self):
        self.make("b.parquet", [{"x": 1, "y": "%09d" % (n * 7919 % 1000003), "z": n} for n in range(1000)])
        paths = [line.split()[0] for line in self.good("summary", "--sort", "stored", "b.parquet").splitlines()[3:]]
        self.assertEqual(paths, ["y", "z", "x"])
        paths = [line.split()[0] for line in self.good("summary", "b.parquet").splitlines()[3:]]
        self.assertEqual(paths, ["x", "y", "z"])

    def test_parquet_is_not_written_to_a_terminal(self):
        """gzip and zstd refuse it, too."""
        self.put("in.ndjson", '{"a":1}\n')
        for command in (["import", "-o", "-", "in.ndjson"], ["rewrite", "-o", "-", "a.parquet"], ["rewrite", "--salvage", "-o", "-", "a.parquet"]):
            main, other = pty.openpty()
            done = subprocess.run([program.PROGRAM, *command], cwd=self.folder, stdout=other, stderr=subprocess.PIPE, check=False, timeout=program.TIME_LIMIT)
            os.close(other)
            os.close(main)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"a terminal shows no Parquet", done.stderr)
            self.assertEqual(self.run_program(*command)[1][:4], b"PAR1")

    def test_a_workbook_is_named(self):
        for name, data in [("a.xlsx", b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml..."), ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")]:
            self.put(name, data)
            self.assertEqual(self.bad("import", "-o", "o", name), f"{name}: it is an Excel workbook, which is not read: save it as CSV")
        self.put("a.zip", b"PK\x03\x04" + b"\0" * 26 + b"a.csv")
        self.assertIn("compressed with zip", self.bad("import", "-o", "o", "a.zip"))

    def test_limits_are_named_as_they_are_given(self):
        self.assertIn("(option --memory-limit)", self.bad("cat", "--memory-limit", "1K", "a.parquet"))

    def test_lines_that_are_no_objects(self):
        for text in ("[1,2]\n[3,4]\n", '"x"\n"y"\n', "[[1]]"):
            errors = self.bad("import", "-o", "o", "-", stdin=text)
            self.assertRegex(errors, r"^standard input: line 1: expected an object, found .*; --variant-all takes any value$")
        self.assertNotIn("--variant-all", self.bad("import", "-o", "o", "--schema", "message m { optional int64 a; }", "-", stdin='"x"\n'))
        self.assertNotIn("--variant-all", self.bad("import", "-o", "o", "-", stdin='{"a":1,}\n'))

    def test_one_is_one(self):
        self.make("one.parquet", [{"a": 1}])
        self.assertIn("0 errors, 0 warnings, 0 notes in 1 row group, 1 column chunk, ", self.good("check", "one.parquet"))
        self.assertIn("1 row in 1 row group of 1 file, ", self.good("summary", "one.parquet"))
        self.assertIn("row group 0: 1 row,", self.good("meta", "one.parquet"))
        errors = self.run_program("cat", "--explain", "--columns", "a", "one.parquet")[2]
        self.assertIn("read in 1 of 1 row group\n", errors)
        self.assertIn(" 1 row group examined;", errors)
        self.assertIn(" 1 record;", errors)


if __name__ == "__main__":
    program.main()
