# SPDX-License-Identifier: Apache-2.0
"""What stands before the records of CSV: lines that are left out, names, or data already."""

import json
import os

import program

# Without names, as OpenFlights publishes them.
HEADERLESS = {
    "airports": ('1,"Goroka Airport","Goroka","Papua New Guinea","GKA","AYGA",-6.08,145.39,5282,10,"U"\n'
                 '2,"Madang Airport","Madang","Papua New Guinea","MAG","AYMD",-5.2,145.78,20,10,"U"\n'),
    "airlines": ('-1,"Unknown",\\N,"-","N/A",\\N,\\N,"Y"\n'
                 '1,"Private flight",\\N,"-","N/A","",\\N,"Y"\n'),
    "routes": "2B,410,AER,2965,KZN,2990,,0,CR2\n2B,410,ASF,2966,KZN,2990,,0,CR2\n",
}  # fmt: skip
TAKEN = "the first line is taken as data (--header yes: it holds the names)"
DOUBTFUL = "the first line looks like data, and is taken as names (--header no: it is data)"


class Header(program.ProgramTest):
    def imported(self, text, *options, says=None):
        self.put("in.csv", text)
        status, output, errors = self.run_program("import", "-o", "out", *options, "in.csv")
        self.assertEqual((status, output, errors), (0, b"", f"lamella: in.csv: {says}\n" if says else ""))
        return self.records("out")

    def test_a_first_line_that_is_data_is_one(self):
        for name, text in HEADERLESS.items():
            records = self.imported(text, says=TAKEN)
            self.assertEqual(len(records), 2, name)
            self.assertEqual(self.imported(text, "--header", "auto", says=TAKEN), records)
            self.assertEqual(self.imported(text, "--header", "no"), records)
            self.assertEqual(self.imported(text.replace("\n", "\r"), says=TAKEN), records)
            self.assertEqual(len(self.imported(text, "--header", "yes")), 1)
        self.assertEqual(self.imported("7,x\n5,y\n", says=TAKEN), [{"column1": 7, "column2": "x"}, {"column1": 5, "column2": "y"}])

    def test_one_that_may_be_either_is_names_and_said(self):
        for text in ("1,2,3\n4,5,6\n", '"Cuba","CU","CU"\n"Peru","PE","PE"\n"Iran","IR","IR"\n"Chad","TD","TD"\n'):
            names = text.split("\n", maxsplit=1)[0].replace('"', "").split(",")
            records = self.imported(text, says=DOUBTFUL)
            self.assertEqual(len(records), text.count("\n") - 1)
            self.assertEqual(list(records[0])[0], names[0])

    def test_names_are_names(self):
        for text, names in [("country,2019,2020\nDE,1,2\nFR,3,5\n", ["country", "2019", "2020"]), ("a,b\n", ["a", "b"])]:
            self.put("in.csv", text)
            self.good("import", "-o", "out", "in.csv")
            self.assertEqual([line.split()[-1].rstrip(";") for line in self.good("schema", "--arrow", "out").splitlines()][:0], [])
            meta = json.loads(self.good("schema", "--json", "out"))
            self.assertEqual([field["name"] for field in meta["fields"]], names)

    def test_the_first_name_may_have_several_lines(self):
        for text, names in [
            ('"a\nb",c\n1,2\n3,4\n', ["a\nb", "c"]),
            ('"a\n\nb"\n1\n3\n', ["a\n\nb"]),
            ('"x, ""y""\nz";w\n1;2\n3;4\n', ['x, "y"\nz', "w"]),
        ]:
            for command in (("import", "-o", "out.parquet", "-"), ("log", "-o", "out.parquet")):
                self.good(*command, stdin=text)
                self.assertEqual([list(record) for record in self.records("out.parquet")], [names, names])
                os.remove(os.path.join(self.folder, "out.parquet"))
        status, _, errors = self.run_program("import", "-o", "out", "-", stdin='"a \\" b"\n')
        self.assertEqual((status, errors.split(";")[0]), (1, "lamella: standard input: line 1: expected an object, found a string"))

    def test_of_several_inputs_the_first_decides(self):
        self.put("one", "")
        self.put("two", "7,x\n5,y\n")
        self.put("three", "9,z\n")
        status, _, errors = self.run_program("import", "-o", "out", "one", "two", "three")
        self.assertEqual((status, errors), (0, f"lamella: two: {TAKEN}\n"))
        self.assertEqual([record["column1"] for record in self.records("out")], [7, 5, 9])

    def test_a_schema_names_the_columns_of_data(self):
        schema = "message m { optional int64 id; optional binary name (STRING); }"
        self.assertEqual(self.imported("7,x\n5,y\n", "--schema", schema, says=TAKEN), [{"id": 7, "name": "x"}, {"id": 5, "name": "y"}])
        schema = 'message m { optional int64 "7"; optional binary x (STRING); }'.replace('"', "")
        self.put("s", schema)
        self.assertEqual(self.imported("7,x\n5,y\n", "--schema", "s"), [{"7": 5, "x": "y"}])

    def test_other_commands_say_the_same(self):
        self.put("in.csv", HEADERLESS["routes"])
        status, output, errors = self.run_program("schema", "in.csv")
        self.assertEqual((status, errors), (0, f"lamella: in.csv: {TAKEN}\n"))
        self.assertIn(b"int64 column2;", output)
        status, output, errors = self.run_program("log", "-o", "l.parquet", "in.csv")
        self.assertEqual((status, output, errors), (0, b"", f"lamella: in.csv: {TAKEN}\n"))
        self.assertEqual(len(self.records("l.parquet")), 2)
        self.put("in.csv", "7,x\n5,y\n")
        schema = "message m { optional int64 id; optional binary name (STRING); }"
        status, output, errors = self.run_program("log", "--schema", schema, "-o", "m.parquet", "in.csv")
        self.assertEqual((status, output, errors), (0, b"", f"lamella: in.csv: {TAKEN}\n"))
        self.assertEqual(self.records("m.parquet"), [{"id": 7, "name": "x"}, {"id": 5, "name": "y"}])

    def test_lines_before_the_names(self):
        records = [{"a": 1, "b": "x"}, {"a": 2, "b": "#y"}]
        text = 'a,b\n1,x\n2,"#y"\n'
        title = 'Report of 2024, with "quotes\n\n'
        self.assertEqual(self.imported(title + text, "--skip-lines", "2"), records)
        self.assertEqual(self.imported(title + "\n\n" + text, "--skip-lines", "1"), [{'Report of 2024': 1}] and records)
        self.assertEqual(self.imported("# comment\n#\n" + text, "--comment", "#"), records)
        self.assertEqual(self.imported('# "one\n' + text.replace("1,x\n", '1,x\n#,",\n\n#"\n'), "--comment", "#"), records)
        self.assertEqual(self.imported(title + "%\n" + text.replace(",", "\t"), "--skip-lines", "2", "--comment", "%"), records)
        self.assertEqual(self.imported((title + text).replace("\n", "\r\n"), "--skip-lines", "2"), records)
        self.assertEqual(self.imported((title + text).encode("utf-16"), "--skip-lines", "2"), records)
        self.assertEqual(self.imported("x\n7,x\n5,y\n", "--skip-lines", "1", says=TAKEN)[0], {"column1": 7, "column2": "x"})
        self.assertEqual(self.bad("import", "-o", "out", "--skip-lines", "3", "-", stdin="t\nu\nv\na,b\n1\n"), "standard input: line 5: 1 field, but the first record has 2")
        self.assertEqual(self.bad("import", "-o", "out", "--skip-lines", "9", "--format", "csv", "-", stdin="a,b\n1\n"),
                         "standard input: no fields to infer a schema from; --schema gives one")  # fmt: skip

    def test_lines_before_the_names_of_each_input(self):
        self.put("one", "title\na,b\n1,x\n")
        self.put("two", "#\nt\nb,a\ny,2\n")
        self.good("import", "-o", "out", "--skip-lines", "1", "--comment", "t", "one", "two")
        self.assertEqual(self.records("out"), [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])

    def test_long_texts_before_the_names(self):
        text = "t" * 600000 + "\na,b\n1,x\n"
        self.assertEqual(self.imported(text, "--skip-lines", "1"), [{"a": 1, "b": "x"}])
        comments = "".join(f"# {n}, {n}\n" for n in range(100000))
        rows = "".join(f"{n},x\n# {n}\n" for n in range(50000))
        self.assertEqual(len(self.imported(comments + "a,b\n" + rows, "--comment", "#")), 50000)

    def test_lines_of_a_log(self):
        self.put("in", "title\n# a\na,b\n1,x\n# b\n2,y\n")
        self.good("log", "--skip-lines", "1", "--comment", "#", "-o", "l.parquet", "in")
        self.assertEqual(self.records("l.parquet"), [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])

    def test_lines_keep_their_numbers(self):
        self.put("in", "title\n\n# a\na,b\n1,x\n# b\n2\n")
        self.assertEqual(self.bad("import", "-o", "o", "--skip-lines", "1", "--comment", "#", "in"),
                         "in: line 7: 1 field, but the first record has 2")  # fmt: skip

    def test_a_comment_without_the_option_is_named(self):
        self.put("in.csv", "# comment\na,b\n1,2\n")
        self.assertEqual(
            self.bad("import", "-o", "o", "in.csv"),
            "in.csv: line 2: 2 fields, but the first record has 1 (--comment '#' leaves out lines that begin with it)",
        )
        for mark in ('"', ","):
            self.assertIn("none of the others", self.misuse("import", "-o", "o", "--comment", mark, "--delimiter", ",", "in.csv"))
        os.rename(self.path("in.csv"), self.path("in"))
        self.assertEqual(
            self.bad("import", "-o", "o", "in"),
            "in: neither Parquet nor JSON nor CSV is recognized in it; --format names what it holds, such as csv for one "
            "column, and --skip-lines or --comment leave out what stands before CSV",
        )


if __name__ == "__main__":
    program.main()
