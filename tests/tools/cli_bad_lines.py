# SPDX-License-Identifier: Apache-2.0
"""Lines that are no record, or do not fit: an error, or skipped, counted and kept in a file."""

import json
import os
import unittest

import program

NDJSON = '{"a":1}\n{"a":2,}\n[3]\n{"a":4}\n{"a":5'
CSV = 'a,b\n1,"x""y"\n2\n3,"p""q",r\nz,"m"\n\n4,"open\n5,k\n'
SCHEMA = "message m { required int64 a; optional binary b (STRING); }"
BAD_JSON = [
    {"input": "in", "line": 2, "reason": "column 8: expected a key in quotes, found '}'", "text": '{"a":2,}'},
    {"input": "in", "line": 3, "reason": "expected an object, found an array", "text": "[3]"},
    {"input": "in", "line": 5, "reason": "column 7: the text ends inside a value", "text": '{"a":5'},
]
BAD_CSV = [
    {"input": "in", "line": 3, "reason": "1 field, but the first record has 2", "text": "2"},
    {"input": "in", "line": 4, "reason": "3 fields, but the first record has 2", "text": '3,"p""q",r'},
    {"input": "in", "line": 5, "reason": "column a: 'z' is not int64", "text": 'z,"m"'},
    {"input": "in", "line": 7, "reason": "a quote is not closed until the end of the text", "text": '4,"open'},
]


class BadLines(program.ProgramTest):
    def skipped(self, count, *command, rejects="bad", name="in", stdin=b""):
        status, output, errors = self.run_program(*command, stdin=stdin)
        end = f": see {rejects}" if rejects else ""
        plural = "" if count == 1 else "s"
        self.assertEqual((status, output, errors), (0, b"", f"lamella: {name}: skipped {count} line{plural}{end}\n"))

    def rejected(self, name="bad"):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_of_json(self):
        self.put("in", NDJSON)
        self.assertIn("in: line 2, column 8: ", self.bad("import", "-o", "o", "in"))
        for schema in ([], ["--schema", "message m { optional int64 a; }"], ["--variant", "a"], ["--type", "a=int32"]):
            self.skipped(3, "import", "--skip-bad-lines", *schema, "-o", "o", "in", rejects="")
            self.assertEqual(self.records("o"), [{"a": 1}, {"a": 4}])
        self.skipped(3, "import", "--rejects", "bad", "-o", "o", "in")
        self.assertEqual(self.rejected(), BAD_JSON)
        self.assertEqual(self.records("o"), [{"a": 1}, {"a": 4}])

    def test_of_csv(self):
        self.put("in", CSV)
        self.assertIn("in: line 3: ", self.bad("import", "-o", "o", "in"))
        self.skipped(4, "import", "--rejects", "bad", "--schema", SCHEMA, "-o", "o", "in")
        self.assertEqual(self.rejected(), BAD_CSV)
        self.assertEqual(self.records("o"), [{"a": 1, "b": 'x"y'}, {"a": 5, "b": "k"}])
        self.skipped(3, "import", "--rejects", "bad", "--type", "a=string", "-o", "o", "in")
        self.assertEqual([line["line"] for line in self.rejected()], [3, 4, 7])

    def test_values_that_do_not_fit(self):
        """The line is refused as a whole, for what --schema, --type or an epoch says."""
        self.put("in", '{"a":1,"t":5}\n{"a":"x"}\n{"a":3000000000}\n{"t":"soon"}\n{"b":1}\n')
        schema = "message m { optional int32 a; optional int64 t (TIMESTAMP(MILLIS,true)); }"
        self.skipped(4, "import", "--rejects", "bad", "--schema", schema, "--epoch", "millis", "-o", "o", "in")
        self.assertEqual(self.records("o"), [{"a": 1, "t": "1970-01-01T00:00:00.005Z"}])
        self.assertEqual([line["line"] for line in self.rejected()], [2, 3, 4, 5])
        self.assertEqual(self.rejected()[0]["reason"], "a: expected an integer, found a string")
        self.put("in", '{"a":1,"b":2}\n{"a":"x","b":3}\n')
        self.skipped(1, "import", "--rejects", "bad", "--type", "a=int64", "-o", "o", "in")
        self.assertEqual(self.records("o"), [{"a": 1, "b": 2}])

    def test_of_several_inputs(self):
        for text, one, two in [("json", '{"a":1}\n{', '}\n{"a":2}\n'), ("csv", "a,b\n1,1\n1\n", "a,b\n2\n2,2\n")]:
            self.put("one", one)
            self.put("two", two)
            status, _, errors = self.run_program("import", "--rejects", "bad", "-o", "o", "one", "two", "--format", text)
            self.assertEqual((status, errors), (0, "lamella: one: skipped 1 line: see bad\nlamella: two: skipped 1 line: see bad\n"))
            self.assertEqual([line["input"] for line in self.rejected()], ["one", "two"])
            self.assertEqual([record["a"] for record in self.records("o")], [1, 2])

    def test_a_first_line_that_is_broken_stays_a_line(self):
        for text, count in [
            ('{"a":0,\n{"a":1}\n{"a":2}\n', 1), ('{"a":"0\n{"a":1}\n{"a":2}', 1), ('{\n{"a":1}\n{"a":2}\n}\n', 2),
        ]:  # fmt: skip
            self.skipped(count, "import", "--skip-bad-lines", "-o", "o", "-", stdin=text, name="standard input", rejects="")
            self.assertEqual(self.records("o"), [{"a": 1}, {"a": 2}])

    def test_documents_have_no_lines_to_skip(self):
        for text in ['[{"a":1},\n{"a":2}]', '{"f":[\n{"a":1}\n]}\n', '{\n"a": 1\n}\n', "[1]\n[2]\n", '{"f":[\n{"a":1},\n{"a":2}]}\n']:
            for option in (["--skip-bad-lines"], ["--rejects", "bad"]):
                self.assertIn(f"in which nothing shows where the record after a bad one begins: leave out {option[0]}",
                              self.misuse("import", *option, "-o", "o", "-", stdin=text))  # fmt: skip
        self.assertIn("leave out --skip-bad-lines", self.misuse("import", "--skip-bad-lines", "--records", "f[]", "-o", "o", "-", stdin="{}"))

    def test_nothing_that_is_bad_leaves_an_empty_file(self):
        self.put("in", '{"a":1}\n')
        self.put("bad", "of another run")
        self.good("import", "--rejects", "bad", "-o", "o", "in")
        self.assertEqual(self.rejected(), [])

    def test_where_the_rejects_may_go(self):
        self.put("in", '{"a":1}\n')
        self.assertIn("in is the output and an input", self.misuse("import", "--rejects", "in", "-o", "o", "in"))
        self.assertIn("o cannot take the records and those", self.misuse("import", "--rejects", "o", "-o", "o", "in"))
        for name in ("", "-"):
            self.assertIn("it must be the name of a file", self.misuse("import", "--rejects", name, "-o", "o", "in"))
        self.assertIn("none/bad: cannot create: ", self.bad("import", "--rejects", "none/bad", "-o", "o", "in"))
        self.assertEqual(self.files(), ["in"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no full disk")
    def test_rejects_that_cannot_be_written_are_an_error(self):
        self.put("in", '"x"\n' * 20000 + '{"a":1}\n')
        self.assertIn("/dev/full: cannot write: ", self.bad("import", "--rejects", "/dev/full", "--schema", "message m { optional int64 a; }", "-o", "o", "in"))
        self.assertEqual(self.files(), ["in"])
        status, _, errors = self.run_program("log", "--rejects", "/dev/full", "-o", "o.parquet", "in")
        self.assertEqual(status, 1)
        self.assertIn("/dev/full: cannot write: ", errors)
        self.assertEqual(self.records("o.parquet"), [{"a": 1}])

    def test_a_line_longer_than_memory(self):
        self.put("in", '{"a":"x"}\n{"a":"' + "y" * (24 << 20) + '"}\n{"a":"z"}\n')
        self.skipped(1, "import", "--memory-limit", "8MiB", "--rejects", "bad", "-o", "o", "in")
        self.assertEqual(self.records("o"), [{"a": "x"}, {"a": "z"}])
        self.assertEqual(len(self.rejected()[0]["text"]), 64 << 10)
        self.put("in", "a,b\nx,1\n" + "y" * (24 << 20) + ",2\nz,3\n")
        self.skipped(1, "import", "--memory-limit", "8MiB", "--rejects", "bad", "-o", "o", "in")
        self.assertEqual(self.records("o"), [{"a": "x", "b": 1}, {"a": "z", "b": 3}])
        self.assertEqual(len(self.rejected()[0]["text"]), 64 << 10)

    def test_texts_of_any_bytes(self):
        self.put("in", b'a,b\n1,\xff"x\n2,y\n')
        self.skipped(1, "import", "--rejects", "bad", "-o", "o", "in")
        self.assertEqual(self.rejected()[0]["text"], '1,\ufffd"x')
        self.put("in", b'{"a":1}\n\x1b[31m\x00\n')
        self.skipped(1, "import", "--rejects", "bad", "-o", "o", "in")
        self.assertEqual(self.rejected()[0]["text"], "\x1b[31m\x00")

    def test_rows_out_of_order_are_an_error_all_the_same(self):
        for text in ('{"a":1}\n{\n{"a":3}\n{"a":2}\n', "a,b\n1,\n2\n3,\n2,\n"):
            self.put("in", text)
            status, _, errors = self.run_program("import", "--skip-bad-lines", "--sorted", "a", "-o", "o", "in")
            self.assertEqual((status, self.files()), (1, ["in"]))
            self.assertIn("lamella: in: line 4: the record is out of order", errors.replace("line 5", "line 4"))

    def test_of_a_log(self):
        self.put("in", NDJSON)
        status, _, errors = self.run_program("log", "-o", "l", "in")
        self.assertEqual((status, errors.count("\n")), (1, 4))
        self.skipped(3, "log", "--skip-bad-lines", "-o", "o.parquet", "in", rejects="")
        self.assertEqual(self.records("o.parquet"), [{"a": 1}, {"a": 4}])
        os.remove(self.path("o.parquet"))
        self.skipped(3, "log", "--rejects", "bad", "-o", "o.parquet", "in")
        os.remove(self.path("o.parquet"))
        self.put("in", CSV)
        self.skipped(4, "log", "--rejects", "bad", "--schema", SCHEMA, "-o", "o.parquet", "in")
        self.assertEqual(self.rejected(), BAD_JSON + BAD_CSV, "a log goes on behind the rejects of the one before")
        self.assertEqual(self.records("o.parquet"), [{"a": 1, "b": 'x"y'}, {"a": 5, "b": "k"}])
        self.assertIn("leave out --rejects", self.misuse("log", "--stop-on-error", "--rejects", "bad", "-o", "l", "in"))

    def test_a_line_too_long_for_a_log(self):
        self.put("in", '{"a":"x"}\n{"a":"' + "y" * (3 << 20) + '"}\n{"a":"z"}\n')
        self.skipped(1, "log", "--memory-limit", "4MiB", "--rejects", "bad", "-o", "o.parquet", "in")
        self.assertEqual(self.records("o.parquet"), [{"a": "x"}, {"a": "z"}])
        self.assertEqual((self.rejected()[0]["line"], len(self.rejected()[0]["text"])), (2, 64 << 10))
        self.assertIn("in: line 2: the line is too long", self.run_program("log", "--memory-limit", "4MiB", "-o", "l", "in")[2])

    def test_rejects_are_records_of_their_own(self):
        self.put("in", NDJSON)
        self.skipped(3, "import", "--rejects", "bad", "-o", "o", "in")
        self.good("import", "-o", "bad.parquet", "bad")
        self.assertEqual(self.records("bad.parquet"), BAD_JSON)


if __name__ == "__main__":
    program.main()
