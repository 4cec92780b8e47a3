# SPDX-License-Identifier: Apache-2.0
"""Exit statuses of every command: 2 for a wrong command line, which includes fields, conditions, columns and
row groups that are not there, 1 for bad input, with one line on standard error and nothing on standard output.

The commands come from the program's own list: a new one fails the test until it has a row here.
"""

import os
import subprocess

import program

RECORDS = [{"id": n, "name": f"n{n}", "price": n / 2, "g": {"x": n}} for n in range(5)]
# The commands that take Parquet files, and which of them have the options that name what is in the files.
READS_FILES = {"cat", "head", "tail", "sample", "count", "schema", "meta", "summary", "levels", "trace", "pages", "bytes", "automaton", "check"}
COLUMNS = {"cat", "head", "sample", "meta", "summary", "levels", "trace", "pages", "bytes", "automaton"}
WHERE = {"cat", "head", "count", "sample"}
ROW_GROUP = {"meta", "pages", "bytes", "levels", "trace"}
OTHERS = {"import", "explain", "append", "recover", "log", "rewrite", "diff"}  # diff: 1 is "different", cli_diff.py
# A value that no option of this name takes.
WRONG_VALUES = {
    "cat": [("--limit", "x"), ("--skip", "-1"), ("--binary", "none"), ("--variant", "none"), ("--format", "none")],
    "head": [("-n", "x"), ("--limit", "x")],
    "sample": [("-n", "x"), ("--seed", "x")],
    "meta": [("--row-group", "x")],
    "pages": [("--row-group", "x"), ("--row-group", "-1")],
    "levels": [("--record", "x"), ("--limit", "-1"), ("--max-rows", "x"), ("--row-group", "x")],
    "trace": [("--record", "first"), ("--limit", "x")],
    "bytes": [("--row-group", "x"), ("--page", "-1"), ("--depth", "0")],
    "check": [("--max-rows", "x")],
    "import": [("--codec", "lzo", "-o", "o.parquet"), ("--row-group-rows", "x", "-o", "o.parquet")],
    "log": [("--codec", "lzo")],
}
BAD_COLUMNS = {
    "nope": "no field 'nope'",
    "id,nope": "character 4: no field 'nope'",
    "": "character 1: expected a field",
    "id,": "character 4: expected a field",
    ",id": "character 1: expected a field",
    "g.": "character 3: expected a field",
    '"id': "the name that begins here does not end",
    "nam": "(did you mean name?)",
    "NAME": "(did you mean name?)",
    "g.y": "(did you mean g.x?)",
    "*,!*": "no column is left",
}
BAD_WHERE = {
    "nope > 1": "character 1: no field 'nope'",
    "nam = 'x'": "(did you mean name?)",
    "id >": "character 5: expected a number, found the end",
    "": "character 1: expected a condition, found the end",
    "id = 'x'": "character 6: expected a number, found 'x'",
    "name like 5": "character 11: expected a text such as 'abc', found 5",
    "id = name": "do not compare",
}
BAD_SCHEMAS = ["message m { int64 a; }", "message m {", "message m { required int33 a; }"]


class Status(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.make("a.parquet", RECORDS)
        self.put("text.parquet", "this is no Parquet file, though it is long enough to be one")
        self.put("records.ndjson", program.ndjson(RECORDS))

    def commands(self):
        done = subprocess.run([program.PROGRAM, "--help"], capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        return {
            line.split()[0]
            for line in lines
            if line.startswith("  ") and not line.startswith("   ") and line.split()[0].isalpha() and "lamella" not in line
        }

    def test_every_command_has_its_rows(self):
        self.assertEqual(self.commands() - {"help", "version"}, READS_FILES | OTHERS)

    def refused(self, *arguments, part=""):
        with self.subTest(arguments):
            self.assertIn(part, self.misuse(*arguments))

    def test_options_that_are_not_there_are_misuse(self):
        for command in sorted(READS_FILES | OTHERS):
            self.refused(command, "--nope", "a.parquet", part="--nope")
            self.refused(command)

    def test_values_that_an_option_cannot_have_are_misuse(self):
        for command, values in WRONG_VALUES.items():
            for value in values:
                self.refused(command, *value, "a.parquet")

    def test_columns_that_are_not_there_are_misuse(self):
        for command in sorted(COLUMNS):
            for text, message in BAD_COLUMNS.items():
                self.refused(command, "--columns", text, "a.parquet", part=message)

    def test_conditions_that_make_no_sense_are_misuse(self):
        for command in sorted(WHERE):
            for text, message in BAD_WHERE.items():
                self.refused(command, "--where", text, "a.parquet", part=message)

    def test_row_groups_that_are_not_there_are_misuse(self):
        for command in sorted(ROW_GROUP):
            self.refused(command, "--row-group", "99", "a.parquet")
            self.refused(command, "--row-group", "1", "--json", "a.parquet")

    def test_schemas_that_are_none_are_misuse(self):
        for text in BAD_SCHEMAS:
            self.refused("import", "--schema", text, "-o", "o.parquet", "records.ndjson")
            self.refused("automaton", "--schema", text)

    def test_files_that_are_not_there_or_no_parquet_are_bad_input(self):
        for command in sorted(READS_FILES):
            for name in ("missing.parquet", "text.parquet"):
                # What check finds is its output, and bytes that are no file are bytes.
                output = None if command in ("check", "bytes") else ""
                if (command, name) == ("schema", "text.parquet"):
                    continue  # it is CSV of one column, whose schema would be inferred
                with self.subTest((command, name)):
                    if command == "check" and name == "text.parquet":
                        self.assertEqual(self.run_program(command, name)[0], 1)
                    else:
                        self.assertIn(name, self.bad(command, name, output=output))

    def test_a_page_of_nothing_that_is_there_is_not_written(self):
        for text, message in BAD_COLUMNS.items():
            self.refused("explain", "-o", "page", "--columns", text, "a.parquet", part=message)
        self.refused("explain", "-o", "page", "--where", "id = 1", "--where", "nope = 1", "a.parquet", part="--where: character 1: no field 'nope'")
        self.refused("explain", "-o", "page", *["--where", "id = 1"] * 9, "a.parquet", part="it must be given 8 times at most")
        self.refused("explain", "-o", "page", "--record", "5", "a.parquet", part="no record 5: there are 5")
        self.refused("explain", "-o", "page", "--row-group", "1", "a.parquet", part="no row group 1")
        self.refused("explain", "-o", "page", "--schema", BAD_SCHEMAS[0], "records.ndjson")
        for name in ("missing.parquet", "text.parquet"):
            self.assertIn(name, self.bad("explain", "-o", "page", name, output=""))
        self.put("bad.ndjson", '{"id":1}\n{"id":')
        self.bad("explain", "-o", "page", "bad.ndjson", output="")
        self.assertNotIn("page", self.files())

    def test_pictures_are_all_there_in_a_folder_of_their_own_or_there_is_no_folder(self):
        os.makedirs(self.path("in.use/folder"))
        for folder in ("in.use", "records.ndjson"):
            status, output, errors = self.run_program("explain", "-o", "page", "--frames", folder, "a.parquet")
            self.assertEqual((status, output, errors.count(folder)), (2, b"", 1), errors)
            self.assertIn("must be new, or empty", errors)
        self.bad("explain", "-o", "page", "--frames", "no/such/folder", "a.parquet", output="")
        self.put("bad.ndjson", '{"id":1}\n{"id":')
        before = self.files()
        self.bad("explain", "-o", "page", "--frames", "frames", "bad.ndjson", output="")
        self.bad("explain", "-o", "no/such/page", "--frames", "frames", "a.parquet", output="")
        self.refused("explain", "-o", "page", "--frames", "frames", "--record", "5", "a.parquet")
        self.assertEqual(self.files(), before)
        self.good("explain", "-o", "page", "--frames", "frames", "a.parquet")
        made = [name for name in os.listdir(self.path("frames")) if name.endswith(".svg")]
        self.assertIn("shredding-001.svg", made)
        self.assertIn("assembly-001.svg", made)
        self.assertEqual(len(made), len(os.listdir(self.path("frames"))))

    def test_bad_records_are_bad_input_and_leave_no_file(self):
        self.put("bad.ndjson", '{"id":1}\n{"id":')
        self.bad("import", "-o", "o.parquet", "bad.ndjson", output="")
        self.assertNotIn("o.parquet", self.files())

    def test_what_is_asked_rightly_is_good(self):
        for command in sorted(READS_FILES):
            with self.subTest(command):
                status, _, errors = self.run_program(command, "a.parquet")
                self.assertEqual((status, errors), (0, ""))
        for command in sorted(COLUMNS):
            with self.subTest(command):
                status, _, errors = self.run_program(command, "--columns", "!g, -name", "a.parquet")
                self.assertEqual((status, errors), (0, ""))


if __name__ == "__main__":
    program.main()
