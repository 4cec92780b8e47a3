# SPDX-License-Identifier: Apache-2.0
"""Files whose types were inferred apart are read, merged and printed as one."""

import json
import os
import random
import re

import program

BIG = 9007199254740993  # 2^53 + 1, which no double holds

# What two texts have in one column, and the type of the union. Where a text is all that JSON has of
# a value, import of both together gives the same records as the union of the files.
PAIRS = [
    ([1, -7], [1.5, 1e300], "double v;"),
    ([None], ["x"], "binary v (STRING);"),
    ([None], [{"b": [1, 2]}], "group v { optional group b (LIST) { repeated group list { optional int64 element; } } }"),
    ([[]], [[1], [None, 2]], "group v (LIST) { repeated group list { optional int64 element; } }"),
    ([{"a": None}], [{"a": "x"}], "group v { optional binary a (STRING); }"),
    (["2024-10-24"], ["2024-10-24T12:34:56"], "int64 v (TIMESTAMP(MICROS,false));"),
    (["2024-10-24T12:34:56.5"], ["2024-10-24T12:34:56.123456789"], "int64 v (TIMESTAMP(NANOS,false));"),
    (["2024-10-24T12:34:56.5Z"], ["2024-10-24T12:34:56.123456789Z"], "int64 v (TIMESTAMP(NANOS,true));"),
    (["2024-10-24T12:34:56"], ["2024-10-24T12:34:56Z"], "binary v (STRING);"),
    (["12:34:56"], ["x"], "binary v (STRING);"),
    (["00112233-4455-6677-8899-aabbccddeeff"], ["x"], "binary v (STRING);"),
    ([1], [18446744073709551615], "fixed_len_byte_array(9) v (DECIMAL(20,0));"),
    ([-1], [18446744073709551615], "fixed_len_byte_array(9) v (DECIMAL(20,0));"),
    ([1, BIG], ["x"], "VARIANT"),
    ([True], [1], "VARIANT"),
    ([{}], [{"a": 1}], "VARIANT"),
    ([1], [{"a": [1, {"b": None}]}], "VARIANT"),
    ([[1, "x"]], [{"a": 1}], "VARIANT"),
    ([[{"a": 1}]], [[{"a": "x"}, None]], "LIST of VARIANT"),
]
VARIANT = "group v (VARIANT(1)) { required binary metadata; required binary value; }"
NESTED = VARIANT.replace(" v ", " a ")
TYPES = {
    "VARIANT": VARIANT,
    "LIST of VARIANT": "group v (LIST) { repeated group list { optional group element { optional "
                       + NESTED + " } } }",
}  # fmt: skip


def without_nulls(value):
    """A group has nulls where an object has nothing."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def same_text(value):
    """A time has more digits once it was one."""
    is_time = isinstance(value, str) and re.match(r"\d\d:|\d{4}-", value)
    return re.sub(r"\.?0+(Z?)$", r"\1", value) if is_time else value


class Union(program.ProgramTest):
    def rows(self, *arguments):
        return [json.loads(line) for line in self.good(*arguments).splitlines()]

    def quiet(self, *arguments):
        """Runs a command whose notices do not matter here."""
        status, output, errors = self.run_program(*arguments)
        self.assertEqual(status, 0, (arguments, errors))
        return output.decode()

    def lines(self, *arguments):
        return [json.loads(line) for line in self.quiet(*arguments).splitlines()]

    def type_of(self, file):
        text = " ".join(self.good("schema", file).split())
        return text[text.index("{") + 2 : -2].replace("optional int64 n; ", "")

    def make_pair(self, first, second):
        """Files a and b in the folder d, and both, which import made of the two texts together."""
        rows = [[{"n": n, "v": v} for n, v in enumerate(values, 10 * k)] for k, values in enumerate((first, second))]
        os.makedirs(self.path("d"), exist_ok=True)
        self.make("d/a.parquet", rows[0], clashes=None)
        self.make("d/b.parquet", rows[1], clashes=None)
        self.make("both", rows[0] + rows[1], clashes=None)

    def test_types_that_were_inferred_apart_are_united(self):
        for first, second, wanted in PAIRS:
            with self.subTest(first=first, second=second):
                self.make_pair(first, second)
                self.quiet("rewrite", "-o", "all", "d")
                self.assertEqual(self.type_of("all"), "optional " + TYPES.get(wanted, wanted))
                self.good("check", "--quiet", "all")
                found, both = self.rows("cat", "all"), self.rows("cat", "both")
                self.assertEqual([same_text(without_nulls(r)["v"]) if r["v"] is not None else None for r in found],
                                 [same_text(without_nulls(r)["v"]) if r["v"] is not None else None for r in both])  # fmt: skip
                # The other way round, and with rows that move, the records are the same.
                self.quiet("rewrite", "-o", "back", "d/b.parquet", "d/a.parquet")
                self.assertEqual(sorted(self.good("cat", "back").splitlines()), sorted(self.good("cat", "all").splitlines()))
                self.quiet("rewrite", "--sort-by", "n", "--row-group-rows", "1", "-o", "moved", "d/b.parquet", "d/a.parquet")
                self.assertEqual(self.good("cat", "moved"), self.good("cat", "all"))

    def test_delimited_text_and_tables_have_the_columns_and_types_of_all(self):
        for first, second, _ in PAIRS:
            with self.subTest(first=first, second=second):
                self.make_pair(first, second)
                self.quiet("rewrite", "-o", "all", "d")
                for command in (["cat"], ["head"], ["tail"], ["sample", "--seed", "1"]):
                    for form in ("csv", "tsv", "table"):
                        self.assertEqual(self.quiet(*command, "--format", form, "d"),
                                         self.good(*command, "--format", form, "all"))  # fmt: skip

    def test_a_condition_means_the_same_in_each_file(self):
        """Also where a literal is none of the type that one of the files has."""
        conditions = ["v > 1", "v = 1", "v < 1.25", "v = 'x'", "v >= '2024-10-24T00:00:01'", "v = '2024-10-24'",
                      "v is null", "not v = 1", "v = 18446744073709551615", "v like '%x%'", "v.a = 1",
                      "v > '12'", "v[] = 1", "v.b[] = 2", f"v = {BIG}", "v = true"]  # fmt: skip
        tried = 0
        for first, second, _ in PAIRS:
            self.make_pair(first, second)
            self.quiet("rewrite", "-o", "all", "d")
            for condition in conditions:
                status, output, _ = self.run_program("cat", "--where", condition, "--columns", "n", "all")
                for pruning in ([], ["--no-pruning"]):
                    found = self.run_program("cat", "--where", condition, "--columns", "n", *pruning, "d")
                    self.assertEqual(found[:2], (status, output), (first, second, condition, found[2]))
                if status == 0:
                    tried += 1
                    count = len(output.splitlines())
                    self.assertEqual(self.quiet("count", "--where", condition, "d"), f"{count}\n")
                    self.quiet("rewrite", "--where", condition, "-o", "some", "d")
                    self.assertEqual(self.good("cat", "--columns", "n", "some").encode(), output)
        self.assertGreater(tried, 60)

    def test_random_records_are_united_as_import_does(self):
        seed = int(os.environ.get("LAMELLA_SEED", "1"))
        choice = random.Random(seed)
        scalars = [None, 1, -3, 2.5, 18446744073709551615, "x", "2024-10-24", "2024-10-24T12:00:00.5", True, ""]

        def value(depth):
            kind = choice.randrange(10)
            if depth > 0 and kind < 2:
                return {name: value(depth - 1) for name in choice.sample("abcd", choice.randrange(1, 4))}
            if depth > 0 and kind < 4:
                return [value(depth - 1) for _ in range(choice.randrange(4))]
            return choice.choice(scalars)

        for k in range(25):
            with self.subTest(seed=seed, round=k):
                few = choice.sample(scalars, 3)
                scalars_before, scalars[:] = list(scalars), few
                files = [[{"n": n, "v": value(3), "w": value(1)} for n in range(choice.randrange(1, 6))] for _ in range(3)]
                scalars[:] = scalars_before
                for i, records in enumerate(files):
                    self.make(f"f{i}", records, clashes=None)
                self.make("both", [r for records in files for r in records], clashes=None)
                names = [f"f{i}" for i in range(len(files))]
                self.quiet("rewrite", "-o", "all", *names)
                self.good("check", "--quiet", "all")
                self.assertEqual([strip(r) for r in self.rows("cat", "all")], [strip(r) for r in self.rows("cat", "both")])
                self.assertEqual(self.quiet("cat", "--format", "csv", *names), self.good("cat", "--format", "csv", "all"))

    def test_columns_in_another_order_are_the_same_columns(self):
        self.make("a", [{"x": 1, "g": {"p": 1, "q": "a"}, "y": 2}])
        self.make("b", [{"y": 3, "g": {"q": "b", "p": 2}, "x": 4}])
        self.good("rewrite", "-o", "all", "a", "b")
        self.assertEqual(self.good("cat", "all"),
                         '{"x":1,"g":{"p":1,"q":"a"},"y":2}\n{"x":4,"g":{"p":2,"q":"b"},"y":3}\n')  # fmt: skip
        self.assertEqual(self.good("cat", "-f", "csv", "a", "b"), "x,g.p,g.q,y\n1,1,a,2\n4,2,b,3\n")

    def test_a_value_that_the_common_type_does_not_hold_is_named_by_its_row(self):
        self.make("a", [{"v": n} for n in range(5)] + [{"v": None}, {"v": BIG}])
        self.make("b", [{"v": 1.5}])
        message = self.bad("rewrite", "-o", "no", "b", "a")
        self.assertIn("a: 9007199254740993 is not a double", message)
        self.assertRegex(message, r"row group 0, column 0 v, row 6")
        self.assertFalse(os.path.exists(self.path("no")))
        self.make("t", [{"v": "9999-12-31T00:00:00"}])
        self.make("u", [{"v": "2024-10-24T12:34:56.123456789"}])
        self.assertIn("t: 253402214400000000 is beyond what the column holds",
                      self.bad("rewrite", "-o", "no", "u", "t"))  # fmt: skip

    def test_what_becomes_of_a_clash(self):
        self.make("a", [{"v": 1, "w": {"x": 1, "y": [True]}}, {"v": None, "w": None}])
        self.make("b", [{"v": "x", "w": 2.5}, {"v": "", "w": None}])
        status, _, errors = self.run_program("rewrite", "-o", "all", "a", "b")
        self.assertEqual((status, errors),
                         (0, "lamella: b: field v becomes a VARIANT: int64 in a, binary (STRING) here "
                             "(--on-clash string or error changes this)\n"
                             "lamella: b: field w becomes a VARIANT: group in a, double here "
                             "(--on-clash string or error changes this)\n"))  # fmt: skip
        wanted = [{"v": 1, "w": {"x": 1, "y": [True]}}, {"v": None, "w": None}, {"v": "x", "w": 2.5}, {"v": "", "w": None}]
        self.assertEqual(self.rows("cat", "all"), wanted)
        status, _, errors = self.run_program("rewrite", "--on-clash", "string", "-o", "all", "a", "b")
        self.assertEqual(status, 0)
        self.assertIn("field v becomes a STRING: int64 in a, binary (STRING) here (--on-clash variant or error", errors)
        wanted = [{"v": "1", "w": '{"x":1,"y":[true]}'}, {"v": None, "w": None}, {"v": "x", "w": "2.5"}, {"v": "", "w": None}]
        self.assertEqual(self.rows("cat", "all"), wanted)
        self.assertEqual(self.quiet("cat", "-f", "csv", "--on-clash", "string", "a", "b"), self.good("cat", "-f", "csv", "all"))
        message = "b: field 'v' is optional int64 in a and optional binary (STRING) in b"
        self.assertEqual(self.bad("rewrite", "--on-clash", "error", "-o", "no", "a", "b"), message)
        self.assertEqual(self.bad("cat", "--on-clash", "error", "-f", "csv", "a", "b"), message)
        self.assertEqual(self.bad("count", "--on-clash", "error", "--where", "v = 1", "a", "b"), message)

    def test_types_that_only_schemas_give(self):
        for first, second, united, values in [
            ("int32 v (DECIMAL(9,2))", "int64 v (DECIMAL(18,2))", "int64 v (DECIMAL(18,2))", ([1.25], [-7.5])),
            ("int32 v (DECIMAL(9,2))", "int64 v", "fixed_len_byte_array(10) v (DECIMAL(22,2))", ([1.25], [7])),
            ("float v", "double v", "double v", ([0.5], [0.1])),
            ("int32 v (INTEGER(8,false))", "int32 v (INTEGER(8,true))", "int32 v (INTEGER(16,true))", ([255], [-1])),
            ("binary v (ENUM)", "binary v (STRING)", "binary v (STRING)", (["a"], ["b"])),
            ("fixed_len_byte_array(3) v", "binary v", "binary v", (["AAEC"], ["AA=="])),
        ]:
            with self.subTest(first=first, second=second):
                self.make("a", [{"v": v} for v in values[0]], "--schema", f"message m {{ optional {first}; }}")
                self.make("b", [{"v": v} for v in values[1]], "--schema", f"message m {{ required {second}; }}")
                self.good("rewrite", "-o", "all", "a", "b")
                self.assertEqual(self.type_of("all"), f"optional {united};")
                self.assertEqual([r["v"] for r in self.rows("cat", "all")], values[0] + values[1])

    def test_lists_of_two_levels_go_with_those_of_three(self):
        self.make("two", [{"v": [1, 2]}, {"v": []}, {"v": None}], "--schema",
                  "message m { optional group v (LIST) { repeated int32 array; } }")  # fmt: skip
        self.make("three", [{"v": [3.5, None]}])
        self.good("rewrite", "-o", "all", "two", "three")
        self.assertEqual([r["v"] for r in self.rows("cat", "all")], [[1, 2], [], None, [3.5, None]])
        self.make("groups", [{"v": [{"a": 1, "b": "x"}]}], "--schema",
                  "message m { optional group v (LIST) { repeated group e { required int32 a; required binary b (STRING);"
                  " } } }")  # fmt: skip
        self.quiet("rewrite", "-o", "all", "groups", "two", "three")
        self.assertEqual([r["v"] for r in self.rows("cat", "all")],
                         [[{"a": 1, "b": "x"}], [1, 2], [], None, [3.5, None]])  # fmt: skip

    def test_variants_that_are_shredded_in_other_ways(self):
        records = [[{"v": {"x": n, "y": "a"}} for n in range(30)], [{"v": {"z": n / 4}} for n in range(30)] + [{"v": 7}],
                   [{"v": "2024-10-24"}, {"v": None}], [{"v": 1}]]  # fmt: skip
        for i, rows in enumerate(records[:3]):
            self.make(f"f{i}", rows, "--variant", "v")
        self.make("f3", records[3])
        wanted = [row["v"] for rows in records for row in rows]
        for names in (["f0", "f1", "f2", "f3"], ["f3", "f2", "f1", "f0"], ["f1", "f0", "f1"]):
            self.good("rewrite", "-o", "all", *names)
            self.good("check", "--quiet", "all")
            self.assertEqual([r["v"] for r in self.rows("cat", "all")],
                             [row["v"] for name in names for row in records[int(name[1])]])  # fmt: skip
        self.assertEqual(len(wanted), 64)

    def test_what_is_damaged_of_a_field_of_another_type_is_lost(self):
        plain = ["--codec", "uncompressed", "--no-dictionary", "--encoding", "v=plain", "--row-group-rows", "100"]
        self.make("a", [{"v": n, "w": n} for n in range(200)], *plain)
        self.make("b", [{"v": 0.5, "x": True}])
        chunk = json.loads(self.good("meta", "--json", "a"))["row_groups"][1]["columns"][0]
        with open(self.path("a"), "r+b") as file:
            file.seek(chunk["data_page_offset"] + chunk["total_compressed_size"] - 8)
            file.write(b"\xff")
        status, output, errors = self.run_program("cat", "--keep-going", "--columns", "*", "a", "b")
        self.assertEqual(status, 1)
        wanted = [{"v": n, "w": n, "x": None} for n in range(100)] + [{"w": n, "x": None} for n in range(100, 200)]
        self.assertEqual([json.loads(line) for line in output.splitlines()], wanted + [{"v": 0.5, "w": None, "x": True}])
        self.assertIn("row group 1, column 0 v", errors)

    def test_two_sessions_of_a_log(self):
        for record in ('{"v":1,"w":null}', '{"v":1.5,"w":"x"}'):
            self.good("log", "-o", "log", stdin=record + "\n")
        self.good("rewrite", "-o", "all", "log")
        self.assertEqual(self.good("cat", "all"), '{"v":1.0,"w":null}\n{"v":1.5,"w":"x"}\n')
        self.assertEqual(self.good("cat", "--format", "csv", "log"), "v,w\n1.0,\n1.5,x\n")
        self.assertEqual(self.good("count", "--where", "v > 1.2", "log"), "1\n")

    def test_many_columns_take_time_by_their_number(self):
        """A union of 20,000 columns that all differ takes seconds, not minutes."""
        names = [f"c{n}" for n in range(20000)]
        self.make("a", [dict.fromkeys(names, 1)])
        self.make("b", [dict.fromkeys(reversed(names), 1.5)])
        self.good("rewrite", "-o", "all", "a", "b")
        rows = self.rows("cat", "all")
        self.assertEqual(rows, [dict.fromkeys(names, 1.0), dict.fromkeys(names, 1.5)])
        self.good("rewrite", "-o", "all", "a", "b", "--timeout", "60s")


def strip(value):
    """What nulls, empty groups and forms of times leave of a value."""
    if isinstance(value, dict):
        kept = {key: strip(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, {})}
    if isinstance(value, list):
        return [strip(item) for item in value]
    if isinstance(value, str) and value[:4] == "2024":
        return value.split("T00:00:00")[0].rstrip("0").rstrip(".")
    return value


if __name__ == "__main__":
    program.main()
