# SPDX-License-Identifier: Apache-2.0
"""levels in words, of records that are chosen, and of JSON without a file in between."""

import json
import subprocess

import program

DOCUMENT = """message Document {
  required int64 DocId;
  optional group Links { repeated int64 Backward; repeated int64 Forward; }
  repeated group Name {
    repeated group Language { required binary Code (STRING); optional binary Country (STRING); }
    optional binary Url (STRING);
  }
}
"""
RECORDS = [
    {"DocId": 10, "Links": {"Backward": [], "Forward": [20, 40, 60]},
     "Name": [{"Language": [{"Code": "en-us", "Country": "us"}, {"Code": "en"}], "Url": "http://A"},
              {"Language": [], "Url": "http://B"}, {"Language": [{"Code": "en-gb", "Country": "gb"}]}]},
    {"DocId": 20, "Links": {"Backward": [10, 30], "Forward": [80]}, "Name": [{"Language": [], "Url": "http://C"}]},
]  # fmt: skip

# Schema, path of a leaf, the words for each repetition level, those for each definition level.
WORDS = [
    (DOCUMENT, "DocId", ["new record"], ["DocId has a value"]),
    (DOCUMENT, "Links.Backward", ["new record", "next Backward"],
     ["Links is null", "Links is there, Backward is missing", "Backward has a value"]),
    (DOCUMENT, "Name.Language.Code", ["new record", "next Name", "next Language in this Name"],
     ["Name is missing", "Name is there, Language is missing", "Language is there, Code has a value"]),
    (DOCUMENT, "Name.Language.Country", ["new record", "next Name", "next Language in this Name"],
     ["Name is missing", "Name is there, Language is missing", "Language is there, Country is null",
      "Country has a value"]),
    # Optional and required structs: what is required adds no level and is not spoken of.
    ("message m { optional group a { required group b { optional group c { required int32 x; } } } }", "a.b.c.x",
     ["new record"], ["a is null", "a is there, c is null", "c is there, x has a value"]),
    ("message m { required group a { required int32 x; } }", "a.x", ["new record"], ["x has a value"]),
    # Lists of three levels, of elements that are optional, required, structs, and lists.
    ("message m { optional group t (LIST) { repeated group list { optional int32 element; } } }", "t.list.element",
     ["new record", "next element of t"],
     ["t is null", "t is an empty list", "this element of t is null", "this element of t has a value"]),
    ("message m { required group t (LIST) { repeated group list { required int32 element; } } }", "t.list.element",
     ["new record", "next element of t"], ["t is an empty list", "this element of t has a value"]),
    ("message m { optional group t (LIST) { repeated group list { optional group element { optional int32 x; } } } }",
     "t.list.element.x", ["new record", "next element of t"],
     ["t is null", "t is an empty list", "this element of t is null",
      "this element of t is there, x is null", "x has a value"]),
    ("message m { optional group t (LIST) { repeated group list { optional group element (LIST) { "
     "repeated group list { optional int32 element; } } } } }", "t.list.element.list.element",
     ["new record", "next element of t", "next element of this element of t"],
     ["t is null", "t is an empty list", "this element of t is null", "this element of t is an empty list",
      "this element of this element of t is null", "this element of this element of t has a value"]),
    # Lists of two levels.
    ("message m { optional group t (LIST) { repeated int32 array; } }", "t.array", ["new record", "next element of t"],
     ["t is null", "t is an empty list", "this element of t has a value"]),
    ("message m { required group t (LIST) { repeated group t_tuple { optional int32 x; } } }", "t.t_tuple.x",
     ["new record", "next element of t"],
     ["t is an empty list", "this element of t is there, x is null", "x has a value"]),
    ("message m { repeated group N { optional group t (LIST) { repeated group list { optional int32 element; } } } }",
     "N.t.list.element", ["new record", "next N", "next element of t in this N"],
     ["N is missing", "N is there, t is null", "t is an empty list", "this element of t is null",
      "this element of t has a value"]),
    # Maps.
    ("message m { optional group p (MAP) { repeated group key_value { required binary key (STRING); "
     "optional int32 value; } } }", "p.key_value.key", ["new record", "next entry of p"],
     ["p is null", "p is an empty map", "this entry of p is there, key has a value"]),
    ("message m { optional group p (MAP) { repeated group key_value { required binary key (STRING); "
     "optional int32 value; } } }", "p.key_value.value", ["new record", "next entry of p"],
     ["p is null", "p is an empty map", "this entry of p is there, value is null", "value has a value"]),
    # The groups of VARIANTs.
    ("message m { optional group v (VARIANT(1)) { required binary metadata; required binary value; } }", "v.metadata",
     ["new record"], ["v is null", "v has metadata"]),
    ("message m { required group v (VARIANT(1)) { required binary metadata; optional binary value; "
     "optional group typed_value { required group w { optional binary value; optional int32 typed_value; } "
     "required group value { optional binary value; } } } }", "v.typed_value.w.typed_value", ["new record"],
     ["v has no typed_value: it is of another type", "w has no typed_value: it is of another type, or it is missing",
      "w has a typed_value"]),
    ("message m { required group v (VARIANT(1)) { required binary metadata; optional binary value; "
     "optional group typed_value (LIST) { repeated group list { required group element { optional binary value; "
     "optional int32 typed_value; } } } } }", "v.typed_value.list.element.value",
     ["new record", "next element of v"],
     ["v has no typed_value: it is of another type", "typed_value of v is an empty list",
      "this element of v has no value: its typed_value has it", "this element of v has a value"]),
]  # fmt: skip


class Levels(program.ProgramTest):
    def document(self):
        self.put("s", DOCUMENT)
        self.put("r.ndjson", program.ndjson(RECORDS))
        return self.make("d.parquet", RECORDS, "--schema", DOCUMENT)

    def test_every_level_has_words_in_every_nesting(self):
        for schema, path, r_words, d_words in WORDS:
            with self.subTest(path=path, schema=schema):
                line = self.good("levels", "--json", "--explain", "--columns", path, "--schema", schema, "-", stdin=b"")
                leaf = json.loads(line)
                self.assertEqual((leaf["r_words"], leaf["d_words"]), (r_words, d_words))
                self.assertEqual((len(r_words), len(d_words)), (leaf["max_repetition"] + 1, leaf["max_definition"] + 1))

    def test_lines_in_words(self):
        self.document()
        self.expect("levels-explain.txt", self.good("levels", "--explain", "d.parquet"))

    def test_json_has_words_only_where_they_are_wanted(self):
        plain = json.loads(self.good("levels", "--json", "--columns", "DocId", self.document()))
        self.assertEqual([name for name in plain if "words" in name], [])

    def test_values_are_padded_by_characters(self):
        lines = [line for value in ("ä", "a", "long enough to go beyond", "\n")
                 for line in self.good("levels", "--explain", "-", stdin=program.ndjson([{"a": value}]).encode()).splitlines()]  # fmt: skip
        columns = [line.index("r=0") for line in lines if "r=0" in line]
        self.assertEqual((columns[0], columns[0]), (columns[1], columns[3]))
        self.assertGreater(columns[2], columns[0])

    def test_names_are_printed_safely(self):
        name = 'a\n\x1b[31m "b"'
        self.make("x.parquet", [{name: [1]}])
        page = self.good("levels", "--explain", "x.parquet") + self.good("trace", "x.parquet") + self.good("trace", "--shred", "x.parquet")
        self.assertNotIn("\x1b", page)
        self.assertIn("a\\n\\u001b[31m", page)
        for command in (["levels", "--explain"], ["trace"], ["trace", "--shred"], ["automaton"]):
            for line in self.good(*command, "--json", "x.parquet").splitlines():
                self.assertIn(json.dumps(name)[1:-1].replace("\\u001B", "\\u001b"), line)
                json.loads(line)

    def test_json_records_are_shredded_as_a_file_of_them_has_them(self):
        self.document()
        for options in ([], ["--explain"], ["--json"], ["--record", "1"], ["--limit", "1", "--columns", "Name.Url"]):
            wanted = self.good("levels", *options, "d.parquet")
            self.assertEqual(self.good("levels", *options, "--schema", "s", "r.ndjson"), wanted)
            self.assertEqual(self.good("levels", *options, "--schema", DOCUMENT, "-", stdin=program.ndjson(RECORDS).encode()), wanted)

    def test_without_a_schema_it_is_the_one_that_import_infers(self):
        records = [{"a": 1, "t": ["x", None], "m": {"u": [1, "z"]}}, {"t": []}, {"a": None}]
        self.make("i.parquet", records, clashes=1)
        self.put("i.ndjson", program.ndjson(records))
        given = self.good("levels", "i.parquet")
        status, output, errors = self.run_program("levels", "i.ndjson")
        self.assertEqual((status, output.decode()), (0, given))
        self.assertEqual(errors.count("\n"), 1, errors)  # what clashes is said, as by import
        self.assertEqual(self.run_program("levels", "-", stdin=program.ndjson(records).encode())[1].decode(), given)

    def test_a_pipe_and_packed_records(self):
        self.document()
        wanted = self.good("levels", "d.parquet")
        pipes = ["cat r.ndjson | {0} levels --schema s -", "gzip -c r.ndjson | {0} levels --schema s -",
                 "gzip -c r.ndjson > r.gz; {0} levels --schema s r.gz", "cat d.parquet | {0} levels -"]  # fmt: skip
        for line in pipes:
            done = subprocess.run(["sh", "-c", line.format(program.PROGRAM)], cwd=self.folder, check=True, capture_output=True)
            self.assertEqual(done.stdout.decode(), wanted)

    def test_records_keep_their_numbers(self):
        records = [{"a": list(range(n % 3))} for n in range(30)]
        self.make("n.parquet", records, "--row-group-rows", "7", "--page-size", "1")
        whole = json.loads(self.good("levels", "--json", "n.parquet"))
        begins = [i for i, r in enumerate(whole["r"]) if r == 0] + [len(whole["r"])]
        values = [d == 3 for d in whole["d"]]
        for first, count, options in [
            (0, 30, []),
            (4, 1, ["--record", "4"]),
            (29, 1, ["--record", "29"]),
            (6, 9, ["--record", "6", "--limit", "9"]),
            (25, 5, ["--record", "25", "--limit", "99"]),
            (0, 8, ["--limit", "8"]),
            (0, 8, ["--max-rows", "8"]),
            (0, 0, ["--limit", "0"]),
            (14, 7, ["--row-group", "2"]),
            (28, 2, ["--row-group", "4"]),
            (14, 3, ["--row-group", "2", "--limit", "3"]),
        ]:
            part = json.loads(self.good("levels", "--json", *options, "n.parquet"))
            low, high = begins[first], begins[first + count]
            self.assertEqual(part["first_record"], first, options)
            self.assertEqual((part["r"], part["d"]), (whole["r"][low:high], whole["d"][low:high]), options)
            skipped = sum(values[:low])
            self.assertEqual(part["values"], whole["values"][skipped : skipped + sum(values[low:high])], options)
            lines = self.good("levels", *options, "n.parquet").splitlines()[2:]
            numbers = [int(line.split()[0]) for line in lines if line[7:8].isdigit()]
            self.assertEqual(numbers, list(range(first, first + count)), options)

    def test_bytes_of_a_variant_are_in_hex_for_people(self):
        self.run_program("import", "-o", "v", "--variant", "v", "-", stdin='{"v":5,"b":"x"}\n')
        text = self.good("levels", "v")
        self.assertIn('"010000"', text)
        self.assertNotIn("AQAA", text)
        self.assertIn('"010000"', self.good("trace", "v"))
        self.assertIn('"AQAA"', self.good("levels", "--json", "v"))

    def test_every_type_can_be_cut(self):
        types = ["boolean", "int32", "int64", "float", "double", "binary (STRING)", "fixed_len_byte_array(3)", "int96"]
        schema = "message m { " + " ".join(f"optional {kind.split(' (')[0]} c{i}{' (STRING)' if 'STRING' in kind else ''};"
                                           for i, kind in enumerate(types)) + " }"  # fmt: skip
        values = [[True, False], [1, 2], [3, 4], [0.5, 1.5], [2.5, 3.5], ["a", "b"], ["YWJj", "ZGVm"],
                  ["2024-10-24T00:00:00.000000001", "2024-10-25T00:00:00.000000002"]]  # fmt: skip
        records = [{f"c{i}": pair[n] if n < 2 else None for i, pair in enumerate(values)} for n in (0, 2, 1)]
        self.make("t.parquet", records, "--schema", schema)
        for i, pair in enumerate(values):
            part = json.loads(self.good("levels", "--json", "--record", "2", "--columns", f"c{i}", "t.parquet"))
            self.assertEqual((part["d"], part["values"]), ([1], pair[1:]))

    def test_records_that_are_not_there(self):
        self.document()
        self.put("empty.ndjson", "")
        for file in (["d.parquet"], ["--schema", "s", "r.ndjson"]):
            for command in ("levels", "trace"):
                self.assertEqual(
                    self.misuse(command, "--record", "2", *file),
                    f"{file[-1]}: --record: there is no record 2, the last one is 1, counted from 0",
                )
        self.assertIn("there is no record 7, the file has none", self.misuse("levels", "--record", "7", "--schema", "s", "empty.ndjson"))
        self.assertEqual(self.good("levels", "--columns", "DocId", "--schema", "s", "empty.ndjson"), "DocId  (max r 0, max d 0)\n")
        for command in ("levels", "trace"):
            self.assertIn("--row-group: no row group 1", self.misuse(command, "--row-group", "1", "d.parquet"))
            self.assertIn("--row-group is for Parquet; r.ndjson holds JSON", self.misuse(command, "--row-group", "0", "--schema", "s", "r.ndjson"))
            self.assertIn("--record or --row-group", self.misuse(command, "--record", "0", "--row-group", "0", "d.parquet"))
            self.assertIn("--schema is for JSON; d.parquet holds Parquet", self.misuse(command, "--schema", "s", "d.parquet"))

    def test_records_that_do_not_fit_the_schema(self):
        self.put("bad.ndjson", '{"a":1}\n{"a":"x"}\n')
        for command in ("levels", "trace"):
            status, _, errors = self.run_program(command, "--schema", "message m { required int64 a; }", "bad.ndjson")
            self.assertEqual((status, errors), (1, "lamella: bad.ndjson: line 2: a: expected an integer, found a string\n"))
        # What comes before the record that does not fit, and what comes behind, can be had alone.
        schema = ["--schema", "message m { required int64 a; }"]
        self.assertIn("0 0  1\n", self.good("levels", "--limit", "1", *schema, "bad.ndjson"))
        self.assertIn("put a 1", self.good("trace", "--assemble", "--record", "0", *schema, "bad.ndjson"))
        self.put("table.csv", "a,b\n1,2\n")
        self.assertIn("it is CSV", self.bad("levels", "table.csv"))

    def test_columns_that_outgrow_the_memory_limit(self):
        records = program.ndjson([{"a": "x" * 1000} for _ in range(3000)])
        self.put("long.ndjson", records)
        schema = ["--schema", "message m { required binary a (STRING); }"]
        errors = self.bad("levels", *schema, "--memory-limit", "2MiB", "long.ndjson")
        self.assertIn("the columns of the records need more than 2097152 bytes: choose records by --limit or --record", errors)
        self.good("levels", *schema, "--memory-limit", "2MiB", "--limit", "3", "long.ndjson")

    def test_a_damaged_column_ends_with_its_error(self):
        self.make("x.parquet", [{"a": n, "b": n} for n in range(100)], "--codec", "none", "--no-dictionary")
        meta = json.loads(self.good("meta", "--json", "x.parquet"))
        with open(self.path("x.parquet"), "r+b") as file:
            file.seek(meta["row_groups"][0]["columns"][0]["data_page_offset"] + 60)
            file.write(b"\xff" * 8)
        status, output, errors = self.run_program("levels", "--json", "--explain", "x.parquet")
        first, second = (json.loads(line) for line in output.decode().splitlines())
        self.assertEqual((status, second["values"]), (1, list(range(100))))
        self.assertIn("checksum", first["error"])
        self.assertIn("column 0 a", errors)


if __name__ == "__main__":
    program.main()
