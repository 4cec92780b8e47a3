# SPDX-License-Identifier: Apache-2.0
"""What a file says of itself, as a person sees it and as JSON; and what an import may be told to say."""

import base64
import json
import struct

import program

SCHEMA = """message m {
  required int64 id; optional binary name (STRING); optional double x; optional binary raw;
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
  optional binary place (GEOMETRY); optional fixed_len_byte_array(12) span (INTERVAL);
  required int32 day (DATE); }"""
LONG = "a name that goes on and on, far beyond the sixty-four bytes that a bound may have"


def point(x, y):
    return base64.b64encode(struct.pack("<BIdd", 1, 1, x, y)).decode()


def record(number):
    return {
        "id": number,
        "name": [None, "ash", LONG, "oak"][number % 4],
        "x": [None, 1.5, "NaN", -2.0][number % 4],
        "raw": base64.b64encode(bytes([number % 3] * 3)).decode(),
        "tags": None if number % 5 == 0 else ["t"] * (number % 3),
        "place": point(number, -number),
        "span": {"months": 1, "days": 2, "millis": number},
        "day": f"2024-10-{1 + number // 2:02}",
    }


class Meta(program.ProgramTest):
    def setUp(self):
        super().setUp()
        options = ["--bloom", "name", "--sorted", "day", "--sorted", "id:nulls-first"]
        options += ["--meta", "who=me", "--meta", "empty=", "--page-size", "30", "--codec", "none"]
        options += ["--row-group-rows", "12"]
        records = [record(number) for number in range(20)]
        self.make("m.parquet", records, "--schema", SCHEMA, *options)

    def meta(self, *options):
        return json.loads(self.good("meta", "--json", *options, "m.parquet"))

    def column(self, path, group=0):
        return next(c for c in self.meta()["row_groups"][group]["columns"] if c["path"] == path)

    def test_a_line_for_each_column(self):
        self.expect("meta-lines.txt", self.good("meta", "m.parquet").split("\n\n", 1)[1])

    def test_all_of_it(self):
        self.expect("meta-verbose.txt", self.good("meta", "--verbose", "m.parquet").split("\n\n", 1)[1])

    def test_the_page_index(self):
        self.expect("pages-index.txt", self.good("pages", "--index", "m.parquet"))

    def test_counts_and_bounds_as_json(self):
        name = self.column("name")
        self.assertEqual((name["nulls"], name["distinct"], name["min"]), (3, 3, LONG[:64]))
        self.assertEqual((name["max"], name["min_is_exact"], name["max_is_exact"]), ("oak", False, True))
        self.assertEqual((self.column("x")["nans"], self.column("x")["min"]), (3, -2.0))
        self.assertEqual(self.column("day")["max"], "2024-10-06")
        self.assertEqual(self.column("raw")["max"], "AgIC")
        self.assertNotIn("min", self.column("span"), "INTERVAL has no order")
        self.assertEqual(self.column("place", 1)["geospatial"], {"types": [1], "box": {"x": [12, 19], "y": [-19, -12]}})

    def test_levels_as_json(self):
        tags = self.column("tags.list.element")
        lists = [record(number)["tags"] for number in range(12)]
        elements = sum(len(item or []) for item in lists)
        nulls, empties = lists.count(None), lists.count([])
        self.assertEqual(tags["definition_histogram"], [nulls, empties, 0, elements])
        self.assertEqual(tags["repetition_histogram"], [12, elements - (12 - nulls - empties)])
        self.assertEqual(tags["unencoded_bytes"], elements)

    def test_the_file_as_json(self):
        meta = self.meta()
        self.assertEqual(meta["key_value_metadata"], [{"key": "who", "value": "me"}, {"key": "empty", "value": ""}])
        sorting = [{"column": 7, "path": "day", "descending": False, "nulls_first": False}]
        sorting += [{"column": 0, "path": "id", "descending": False, "nulls_first": True}]
        self.assertEqual([group["sorting_columns"] for group in meta["row_groups"]], [sorting] * 2)
        self.assertEqual([group["ordinal"] for group in meta["row_groups"]], [0, 1])

    def test_bloom_filters_are_read_when_asked(self):
        self.assertNotIn("bloom_bitset_bytes", self.column("name"))
        columns = self.meta("--verbose")["row_groups"][0]["columns"]
        name = next(column for column in columns if column["path"] == "name")
        self.assertEqual(name["bloom_bitset_bytes"], 32)
        self.assertTrue(0 < name["bloom_false_positives"] < 0.01, name)

    def test_the_page_index_as_json(self):
        lines = self.good("pages", "--index", "--json", "--columns", "tags,id", "m.parquet")
        pages = [json.loads(line) for line in lines.splitlines()]
        self.assertGreater(len(pages), 4)
        for path in ["id", "tags.list.element"]:
            for group in range(2):
                own = [page for page in pages if (page["path"], page["row_group"]) == (path, group)]
                self.assertEqual([page["page"] for page in own], list(range(len(own))))
                self.assertEqual(sum(page["nulls"] for page in own), self.column(path, group)["nulls"])
        self.assertEqual({page["boundary_order"] for page in pages if page["path"] == "id"}, {"ascending"})

    def test_a_file_without_any_of_it(self):
        self.make("n.parquet", [{"a": 1}], "--no-statistics", "--no-page-index", "--codec", "none")
        self.assertEqual(
            self.good("meta", "n.parquet").split("\n\n")[1],
            "row group 0: 1 row, 37 bytes stored, 37 bytes uncompressed\n"
            "  column  type   codec         encodings  values  nulls  stored  uncompressed  bounds\n"
            "  a       INT64  UNCOMPRESSED  PLAIN RLE       1      -      37            37  -\n",
        )
        self.assertEqual(self.good("pages", "--index", "n.parquet"), "row group 0, a: no page index\n")
        self.assertEqual(self.good("pages", "--index", "--json", "n.parquet"), "")
        column = json.loads(self.good("meta", "--json", "n.parquet"))["row_groups"][0]["columns"][0]
        self.assertFalse({"nulls", "min", "max", "offset_index_offset"} & set(column))


class Bad(program.ProgramTest):
    """One column of which something cannot be read costs only that."""

    def setUp(self):
        super().setUp()
        records = [{"id": number, "name": f"n{number}", "x": number * 0.5} for number in range(40)]
        options = ["--bloom", "name", "--bloom", "id", "--codec", "none", "--row-group-rows", "20"]
        self.make("m.parquet", records, *options)
        with open(self.path("m.parquet"), "rb") as file:
            self.data = bytearray(file.read())
        meta = json.loads(self.good("meta", "--json", "m.parquet"))
        self.columns = {column["path"]: column for column in meta["row_groups"][0]["columns"]}

    def spoil(self, path, offset):
        at = self.columns[path][offset]
        self.data[at : at + 4] = b"\xff" * 4
        self.put("m.parquet", bytes(self.data))

    def both(self, *arguments):
        """What is printed, and the one line that tells what is wrong; the status is 1."""
        status, output, errors = self.run_program(*arguments, "m.parquet")
        self.assertEqual((status, errors.count("\n")), (1, 1), errors)
        return output.decode(), errors

    def test_a_bad_column_index_as_text(self):
        self.spoil("name", "column_index_offset")
        output, errors = self.both("pages", "--index")
        heads = [line for line in output.splitlines() if line.startswith("row group")]
        self.assertEqual([line.split(":")[0] for line in heads],
                         [f"row group {group}, {path}" for group in range(2) for path in ("id", "name", "x")])
        self.assertRegex(heads[1], r"^row group 0, name: the column index cannot be read: ")
        self.assertIn("the column index cannot be read", errors)
        self.assertIn(f"offset {self.columns['name']['column_index_offset']}", errors)

    def test_a_bad_offset_index_as_json(self):
        self.spoil("id", "offset_index_offset")
        output, _ = self.both("pages", "--index", "--json")
        pages = [json.loads(line) for line in output.splitlines()]
        self.assertEqual([(page["row_group"], page["path"], "error" in page) for page in pages],
                         [(0, "id", True), (0, "name", False), (0, "x", False),
                          (1, "id", False), (1, "name", False), (1, "x", False)])
        self.assertIn("the offset index cannot be read", pages[0]["error"])

    def test_a_bad_bloom_filter(self):
        self.spoil("id", "bloom_filter_offset")
        output, _ = self.both("meta", "--json", "--verbose")
        groups = json.loads(output)["row_groups"]
        told = [[("bloom_error" in column, "bloom_bitset_bytes" in column) for column in group["columns"]]
                for group in groups]
        self.assertEqual(told, [[(True, False), (False, True), (False, False)],
                                [(False, True), (False, True), (False, False)]])
        output, _ = self.both("meta", "--verbose")
        lines = [line for line in output.splitlines() if line.startswith("    Bloom filter")]
        self.assertEqual(["bitset of" in line for line in lines], [False, True, True, True])
        self.good("meta", "--json", "m.parquet")  # which does not read filters

    def test_known_faults_of_the_writer(self):
        own = json.loads(self.good("meta", "--json", "m.parquet"))
        self.assertNotIn("known_faults", own)
        other = "parquet-mr version 1.7.0 (build "
        other += "0" * (len(own["created_by"]) - len(other) - 1) + ")"
        self.put("m.parquet", bytes(self.data).replace(own["created_by"].encode(), other.encode()))
        faults = json.loads(self.good("meta", "--json", "m.parquet"))["known_faults"]
        self.assertEqual(len(faults), 1)  # of old bounds there are none, nor dictionaries
        self.assertIn("PARQUET-251", faults[0])
        self.assertIn(f"known fault: {faults[0]}\n", self.good("meta", "m.parquet"))
        self.assertRegex(self.good("check", "m.parquet"), r"m.parquet: note known-fault: .*PARQUET-251")


class Told(program.ProgramTest):
    """Imports that state an order, or a pair."""

    def test_a_record_that_is_not_sorted(self):
        rows = [{"a": 1, "b": 5}, {"a": 1, "b": None}, {"a": 1, "b": 7}, {"a": 2, "b": 1}]
        for options, wrong in [
            (["a"], None),
            (["a", "b"], (2, "b", "ascending", "last")),
            (["a", "b:nulls-first"], (1, "b", "ascending", "first")),
            (["b:desc"], (2, "b", "descending", "last")),
            (["a:nulls-first:desc"], (3, "a", "descending", "first")),
            (["a:desc:nulls-first"], (3, "a", "descending", "first")),
        ]:
            arguments = [argument for option in options for argument in ("--sorted", option)]
            text = program.ndjson(rows)
            if wrong is None:
                self.good("import", *arguments, "-o", "s.parquet", "-", stdin=text)
                self.good("check", "--strict", "s.parquet")
                continue
            line = self.bad("import", *arguments, "-o", "t.parquet", "-", stdin=text)
            row, name, direction, nulls = wrong
            self.assertEqual(
                f"standard input: line {row + 1}: the record is out of order after the row before it: "
                f"'{name}' must be in {direction} order, nulls {nulls}",
                line,
            )
        self.assertNotIn("t.parquet", self.files())

    def test_an_early_row_among_many_is_named_by_its_own_number(self):
        """The line of the record that was read last stood in front of the message."""
        rows = [{"a": number if number != 5 else 0} for number in range(5000)]
        line = self.bad("import", "--sorted", "a", "-o", "t.parquet", self.put("r", program.ndjson(rows)))
        self.assertTrue(line.startswith("r: line 6: the record is out of order "), line)

    def test_a_record_out_of_order_is_named_by_its_input_and_line(self):
        """The row of the output was named, and, when it was found at the end, the output itself."""
        self.put("good.json", "".join(f'{{"a":{n}}}\n\n' for n in range(3000)))
        self.put("bad.json", '{"a":\n4000}\n\n{"a":4001}\n{"a":4002}{"a":3999}')
        self.put("bad.csv", 'a,b\r\n1,x\r\n3,"two\r\nlines"\r\n\r\n2,y\r\n')
        self.put("bad.nd", "".join(f'{{"a":{n}}}\n' for n in [*range(20000), 0]))
        self.make("good.parquet", [{"a": n} for n in range(10)])
        self.make("bad.parquet", [{"a": n} for n in [10, 12, 11]])
        why = "is out of order after the row before it: 'a' must be in ascending order, nulls last"
        for inputs, wanted in [
            (["good.json", "bad.json"], "bad.json: line 5: the record "),
            (["bad.nd"], "bad.nd: line 20001: the record "),
            (["bad.json"], "bad.json: line 5: the record "),
            (["--schema", "message m { optional int64 a; }", "bad.nd"], "bad.nd: line 20001: the record "),
            (["--format", "csv", "bad.csv"], "bad.csv: line 6: the record "),
            (["good.parquet", "bad.parquet"], "bad.parquet: row 2, counted from 0, "),
            (["good.json", "good.json"], "good.json: line 1: the record "),
        ]:
            self.assertEqual(self.bad("import", "--sorted", "a", "-o", "out", *inputs), wanted + why)

    def test_rows_need_not_be_sorted_across_row_groups(self):
        rows = [{"a": number % 10} for number in range(20)]
        self.make("s.parquet", rows, "--sorted", "a", "--row-group-rows", "10")
        self.good("check", "--strict", "s.parquet")

    def test_orders_that_cannot_be(self):
        rows = program.ndjson([{"a": [1], "g": {"b": 1}}])
        for option, why in [
            ("a.list.element", "rows cannot be sorted by 'element', which is repeated"),
            ("g", "rows cannot be sorted by the group 'g'"),
            ("nobody", "no field 'nobody'"),
        ]:
            line = self.misuse("import", "--sorted", option, "-o", "t.parquet", "-", stdin=rows)
            self.assertTrue(line.startswith(why), line)
        line = self.misuse("import", "--sorted", "t", "--schema", "message m { required int96 t; }", "-o", "t.parquet", "-")
        self.assertTrue(line.startswith("rows cannot be sorted by 't', whose type has no order"), line)
        schema = ["--schema", "message m { required int96 t; }", "--int96-order"]
        self.make("t.parquet", "", *schema, "--sorted", "t")
        line = self.misuse("import", "--sorted", "t", "--sorted", "t:desc", *schema, "-o", "t.parquet", "-")
        self.assertTrue(line.startswith("rows are already sorted by 't'"), line)

    def test_nans_are_sorted_in_total_order(self):
        rows = '{"x":1.0}\n{"x":"NaN"}\n'
        schema = ["--schema", "message m { required double x; }", "--sorted", "x"]
        line = self.bad("import", *schema, "-o", "t.parquet", "-", stdin=rows)
        self.assertIn("line 2: the record or the row before it has a NaN in 'x'", line)
        self.make("t.parquet", rows, *schema, "--float-total-order")
        column = json.loads(self.good("meta", "--json", "t.parquet"))["row_groups"][0]["columns"][0]
        self.assertEqual(column["column_order"], "IEEE_754_TOTAL_ORDER")
        self.assertEqual((column["nans"], column["min"], column["max"]), (1, 1.0, 1.0))

    def test_pairs(self):
        text = self.make("p.parquet", [{"a": 1}], "--meta", "a=b=c", "--meta", "\u00e4=", "--meta", "long=" + "x" * 300)
        output = self.good("meta", text)
        self.assertIn("\nkey:         a = b=c\n", output)
        self.assertIn("\nkey:         \u00e4 = \n", output)
        self.assertIn(f"\nkey:         long = {'x' * 200}...\n", output)
        for pair in ["a", "=b"]:
            line = self.misuse("import", "--meta", pair, "-o", "q.parquet", "-")
            self.assertTrue(line.startswith(f"--meta cannot be '{pair}'"), line)
        line = self.misuse("import", "--meta", "a=1", "--meta", "a=2", "-o", "q.parquet", "-")
        self.assertTrue(line.startswith("--meta cannot be 'a=2'"), line)


if __name__ == "__main__":
    program.main()
