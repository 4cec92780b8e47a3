# SPDX-License-Identifier: Apache-2.0
"""What inputs hold, by their first bytes: no option says it, and one that is not for it is refused by name."""

import program

SCHEMA = "message m { optional int64 a; optional int64 b; }"

OF_CSV = [["--header", "no"], ["--delimiter", ";"], ["--quote", "'"], ["--decimal-mark", ","], ["--null", "NA"]]
OF_JSON = [
    ["--records", "a[]"], ["--binary", "hex"], ["--nearest-numbers"], ["--variant", "a"], ["--variant-all"],
    ["--variant-form", "typed"], ["--shred", "auto"], ["--explain"], ["--no-infer-maps"],
    ["--shred-presence", "0.5"], ["--shred-depth", "4"],
]  # fmt: skip
OF_TEXT = [
    ["--schema", SCHEMA], ["--ignore-unknown"], ["--type", "a=int8"], ["--no-infer-times"], ["--infer-decimals"],
    ["--epoch", "seconds"], ["--time-format", "%m/%d/%Y"],
]  # fmt: skip


class Formats(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.put("x.ndjson", '{"a":1,"b":2}\n{"a":3,"b":4}\n')
        self.put("x.csv", "a,b\n1,2\n3,4\n")
        self.make("x.parquet", [{"a": 1, "b": 2}])

    def refused(self, file, options, formats, *command):
        holds = {"x.ndjson": "JSON", "x.csv": "CSV", "x.parquet": "Parquet"}[file]
        command = command or ("import", "-o", "out.parquet")
        self.assertEqual(
            self.misuse(*command, *options, file),
            f'{options[0]} is for {formats}; {file} holds {holds}; see "lamella {command[0]} --help"',
        )
        self.assertNotIn("out.parquet", self.files())

    def test_options_of_other_inputs_are_refused_by_name(self):
        for options in OF_CSV:
            self.refused("x.ndjson", options, "CSV")
            self.refused("x.parquet", options, "CSV")
        for options in OF_JSON:
            self.refused("x.csv", options, "JSON")
            self.refused("x.parquet", options, "JSON")
        self.refused("x.csv", ["--on-clash", "string"], "JSON and Parquet")
        for options in OF_TEXT:
            self.refused("x.parquet", options, "JSON and CSV")
        for options in OF_CSV:
            errors = self.bad("log", "-o", "out", *options, "x.ndjson")
            self.assertEqual(errors, f"x.ndjson: {options[0]} is for CSV; x.ndjson holds JSON")
        for options in [["--ignore-unknown"], ["--binary", "hex"]]:
            self.refused("x.parquet", options, "JSON", "append", "-o", "out.parquet")
        for command in ("levels", "trace"):
            self.refused("x.ndjson", ["--row-group", "0"], "Parquet", command)
            self.refused("x.parquet", ["--schema", SCHEMA], "JSON", command)
        self.refused("x.parquet", ["--schema", SCHEMA], "JSON", "explain", "-o", "page.html")

    def test_the_input_that_shows_its_format_is_named(self):
        self.put("blank", "\n \n")
        self.assertIn("x.ndjson holds JSON", self.misuse("import", "-o", "o", "--null", "", "blank", "x.ndjson"))
        self.assertIn("standard input holds JSON", self.misuse("import", "-o", "o", "--null", "", stdin=b"[]"))
        self.assertIn("--null is for CSV; --format says JSON", self.misuse("import", "-o", "o", "--null", "", "--format", "json", "x.csv"))
        for format in ("csv", "tsv"):
            self.assertIn("--variant-all is for JSON; --format says CSV", self.misuse("import", "-o", "o", "--variant-all", "--format", format, "x.csv"))
        self.assertIn("--null is for CSV; --format says JSON", self.misuse("log", "-o", "o", "--format", "ndjson", "--null", "", "x.csv"))

    def test_an_input_without_anything_holds_any_format(self):
        for options in [["--null", "NA"], ["--delimiter", ";"], ["--binary", "hex"]]:
            self.good("import", "-o", "o", "--schema", SCHEMA, *options, "-", stdin=b"\n")
            self.assertEqual(self.records("o"), [])

    def test_options_that_infer_and_a_schema(self):
        for options in [["--type", "a=int8"], ["--no-infer-times"], ["--infer-decimals"]]:
            for file in ("x.csv", "x.ndjson"):
                self.assertIn(f"--schema already says which types: leave out {options[0]}",
                              self.misuse("import", "-o", "o", "--schema", SCHEMA, *options, file))  # fmt: skip
        for options in [["--no-infer-maps"], ["--on-clash", "error"]]:
            self.assertIn(f"leave out {options[0]}", self.misuse("import", "-o", "o", "--schema", SCHEMA, *options, "x.ndjson"))

    def test_what_a_line_shows(self):
        """A delimiter within quotes divides nothing, and a given one is the only one."""
        self.put("strings", '"a, b"\n"c"\n')
        self.good("import", "-o", "o", "--variant-all", "strings")
        self.assertEqual(self.records("o"), [{"record": "a, b"}, {"record": "c"}])
        self.put("x.txt", "a,b\n1,2\n")
        self.put("passwd", "root:x:0\nbin:y:1\n")
        self.good("import", "-o", "o", "--delimiter", ":", "--header", "no", "passwd")
        self.assertEqual(self.records("o")[1], {"column1": "bin", "column2": "y", "column3": 1})
        self.assertIn("neither Parquet nor JSON nor CSV", self.bad("import", "-o", "o", "--delimiter", "#", "x.txt"))

    def test_a_name_says_that_one_column_is_csv(self):
        for name, text, records in [
            ("words.csv", "word\nx\ny\n", [{"word": "x"}, {"word": "y"}]),
            ("WORDS.CSV", "word\nx\n", [{"word": "x"}]),
            ("n.tsv", "n\n1\n\n2\n", [{"n": 1}, {"n": None}, {"n": 2}]),
            ("quoted.csv", '"a b"\n"x"\n', [{"a b": "x"}]),
        ]:
            self.put(name, text)
            self.good("import", "-o", "o", name)
            self.assertEqual(self.records("o"), records, name)
        self.put("words.txt", "word\nx\n")
        self.assertIn("--format names what it holds", self.bad("import", "-o", "o", "words.txt"))
        self.put("braces.csv", '{"a":1}\n')
        self.good("import", "-o", "o", "braces.csv")
        self.assertEqual(self.records("o"), [{"a": 1}])


if __name__ == "__main__":
    program.main()
