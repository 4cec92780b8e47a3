# SPDX-License-Identifier: Apache-2.0
"""VARIANTs that import makes, and their columns: --variant, --variant-all, --shred, --explain."""

import json
import math
import random
import re
from decimal import Decimal

import program

MIXED = (
    '{"id":1,"v":1,"user":{"name":"x","age":30}}\n'
    '{"id":2,"v":"x","user":{"name":"y","age":31}}\n'
    '{"id":3,"v":{"a":1.25,"b":[1,2]},"user":{"name":"y","age":31}}\n'
    '{"id":4,"v":{"a":1.5,"b":[1,2]},"user":{"name":"y","age":31}}\n'
    '{"id":5,"v":{"a":2.5,"b":[1,2],"c":null},"user":{"name":"y","age":31}}\n'
)
COLUMNS = """optional group typed_value {
  required group a { optional binary value; optional binary typed_value (STRING); }
  required group "" { optional binary value; optional group typed_value (LIST) {
    repeated group list { required group element {
      optional binary value; optional group typed_value {
        required group k1 { optional binary value; optional int64 typed_value; }
        required group b { optional double typed_value; optional binary value; } } } } } }
  required group b { optional binary value; optional int32 typed_value (DECIMAL(9,2)); } }"""


def exact(text):
    """A JSON value in which each number is what its text says, and the order of members is none."""
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


# --- Random JSON ----------------------------------------------------------------------------------


def random_number(rng):
    return rng.choice(
        [
            lambda: str(rng.randint(-5, 300)),
            lambda: str(rng.randint(-(2**63), 2**64)),
            lambda: str(rng.randint(-(10**37), 10**37)),
            lambda: repr(rng.uniform(-1, 1)),
            lambda: repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300)),
            lambda: f"{rng.randint(0, 10**6)}.{rng.randint(0, 99):02}",
            lambda: f"{rng.randint(1, 9)}e{rng.randint(-30, 30)}",
            lambda: "-0.0",
        ]
    )()


def random_text(rng):
    parts = ["", "a", "é", "日本", "\U0001f600", '"', "\\", "\n", "\x01", "long text " * 8]
    text = "".join(rng.choices(parts, k=rng.randint(0, 4)))
    return json.dumps(text, ensure_ascii=rng.random() < 0.5)


def random_name(rng):
    return rng.choice(["a", "b", "", "k1", "k2", "a.b", "é", "value", "typed_value", "n\\u0000l"])


def random_value(rng, depth):
    choice = rng.random()
    if depth > 40 or choice < 0.25:
        return rng.choice(["null", "true", "false", "{}", "[]"])
    if choice < 0.5:
        return random_number(rng)
    if choice < 0.62:
        return random_text(rng)
    count = rng.choice([0, 1, 1, 2, 3, 60 if depth == 0 else 2])
    if choice < 0.75:
        return "[" + ",".join(random_value(rng, depth + 1) for _ in range(count)) + "]"
    names = [random_name(rng) for _ in range(count)]
    names += [f"w{i}" for i in range(40)] if rng.random() < 0.02 else []
    members = {name: random_value(rng, depth + 1) for name in names}
    return "{" + ",".join(f'"{name}":{value}' for name, value in members.items()) + "}"


def random_deep(rng):
    depth = rng.randint(100, 900)
    steps = [rng.choice(['{"a":', "["]) for _ in range(depth)]
    ends = ["}" if step[0] == "{" else "]" for step in reversed(steps)]
    return "".join(steps) + random_number(rng) + "".join(ends)


class Shred(program.ProgramTest):
    def explain(self, *arguments, stdin=b""):
        """Imports with --explain; gives the lines of the report, without the thresholds."""
        status, output, errors = self.run_program("import", "--explain", *arguments, stdin=stdin)
        self.assertEqual((status, output), (0, b""), errors)
        lines = errors.splitlines()
        if lines[0].startswith("shredding is inferred with "):
            self.thresholds = " ".join(lines[:3]).split()[4:]
            return lines[3:]
        return lines

    # --- What becomes a VARIANT -------------------------------------------------------------------

    def test_clashes_become_shredded_variants(self):
        self.make("a.parquet", MIXED, clashes=1)
        self.assertEqual(self.good("cat", "a.parquet"), MIXED)
        schema = self.good("schema", "a.parquet")
        self.assertIn("optional group v (VARIANT(1)) {", schema)
        self.assertIn("optional double typed_value;", schema)
        self.good("check", "--strict", "a.parquet")
        self.make("b.parquet", MIXED, "--shred", "none", clashes=1)
        self.assertNotIn("typed_value", self.good("schema", "b.parquet"))
        self.assertEqual(self.good("cat", "b.parquet"), MIXED)

    def test_any_field_on_demand(self):
        text = '{"id":7,"l":[{"x":1},{"x":2}],"user":{"a b":1}}\n'
        paths = ["--variant", "id", "--variant", "l.list.element.x", "--variant", "user"]
        self.make("a.parquet", text, *paths)
        self.assertEqual(self.good("cat", "a.parquet"), text)
        schema = self.good("schema", "a.parquet")
        self.assertEqual(schema.count("(VARIANT(1))"), 3)
        self.assertIn('"a b"', schema)

    def test_whole_records(self):
        text = '1\n"x"\n[1,{"a":2}]\nnull\n{"b":1.50,"a":{}}\n'
        for shred in ("auto", "none", "optional int64 typed_value;"):
            self.make("a.parquet", text, "--variant-all", "--shred", shred)
            self.assertEqual(
                self.good("cat", "a.parquet"),
                '{"record":1}\n{"record":"x"}\n{"record":[1,{"a":2}]}\n{"record":null}\n'
                '{"record":{"a":{},"b":1.50}}\n',
            )
        # One whose bytes are told by their kinds.
        printed = self.good("cat", "--variant", "typed", "a.parquet")
        typed = [json.dumps(json.loads(line)["record"]) for line in printed.splitlines()]
        self.make("b.parquet", "\n".join(typed), "--variant-all", "--variant-form", "typed")
        self.assertEqual(len(self.records("b.parquet")), 5)

    def test_the_sample_is_of_the_first_row_group(self):
        text = "".join(f'{{"a":{n}}}\n' for n in range(100)) + '{"a":"x"}\n' * 300
        lines = self.explain(
            "--variant-all", "--row-group-rows", "100", "-o", "a.parquet", "-", stdin=text
        )
        self.assertEqual(lines[0], "shredding of record, from 100 values with 2 paths:")
        self.assertRegex(lines[3], r"^  a +100\.0% +int32 100\.0% +value, typed_value int8 100$")
        self.assertEqual(
            self.good("cat", "a.parquet"),
            "".join(f'{{"record":{line}}}\n' for line in text.splitlines()),
        )

    def test_what_comes_behind_the_sample_may_be_anything(self):
        text = '{"a":{"b":1},"c":[1]}\n' * 20000 + '{"a":[1],"c":{"d":"x"}}\n"y"\n'
        self.make("a.parquet", text, "--variant-all")
        lines = self.good("cat", "--skip", "19999", "a.parquet").splitlines()
        self.assertEqual(
            lines,
            [
                '{"record":{"a":{"b":1},"c":[1]}}',
                '{"record":{"a":[1],"c":{"d":"x"}}}',
                '{"record":"y"}',
            ],
        )

    # --- What is told -----------------------------------------------------------------------------

    def test_the_report_says_why(self):
        rows = [{"id": n, "mix": [1, "x", True, None][n % 4], "m": {f"k{n}": 1}} for n in range(32)]
        rows[3]["rare"] = "é"
        lines = self.explain(
            "--variant-all", "-o", "a.parquet", "-", stdin=program.ndjson(rows).encode()
        )
        self.assertEqual(lines[0], "shredding of record, from 32 values with 37 paths:")
        table = [line for line in lines if line.startswith("  ") and "and" not in line.split()[:1]]
        found = {line.split()[0]: line for line in table}
        self.assertIn("value, typed_value", found["id"])
        self.assertIn("int8 32", found["id"])
        self.assertRegex(found["mix"], r"100\.0% +boolean 33\.3% value alone: no type is common")
        self.assertIn("value alone: no field is common enough", found["m"])
        self.assertIn("no: too rare", found["rare"])
        # Columns are aligned.
        self.assertEqual(len({line.index("%") for line in table[1:]}), 1)
        rows = [{"m": {f"k{n}": 1}} for n in range(50)]
        lines = self.explain(
            "--variant-all", "-o", "a.parquet", "-", stdin=program.ndjson(rows).encode()
        )
        self.assertEqual(lines[-1], "  and 44 more that are not shredded")

    def test_nothing_to_tell(self):
        lines = self.explain("-o", "a.parquet", "-", stdin=b'{"a":1}')
        self.assertEqual(lines, ["shredding: no VARIANT has inferred columns"])

    # --- Thresholds -------------------------------------------------------------------------------

    def chosen(self, *options, rows):
        """What inference makes of records: path -> what the report says of its columns."""
        arguments = ["--variant-all", *options, "-o", "a.parquet", "-"]
        lines = self.explain(*arguments, stdin=program.ndjson(rows).encode())
        self.assertIn("shredding of record", lines[0])
        columns = re.compile(r"  (\S+) .*?(no: |value alone: |value, typed_value)([a-z ]*?)(  | [a-z]+\d* \d)")
        rows = [columns.match(line.replace("(the value)", "-")) for line in lines[2:]]
        return {row[1]: row[2] + row[3].rstrip() for row in rows if row}

    def test_thresholds_are_those_of_the_library_unless_told(self):
        self.chosen(rows=[{"a": 1}])
        self.assertEqual(
            self.thresholds,
            "--shred-presence 0.05 --shred-uniformity 0.5 --shred-depth 16 --shred-columns 500 "
            "--shred-paths 20000 --shred-sample-rows 16384 --shred-sample-size 8388608".split(),
        )
        told = (
            "--shred-presence 0.25 --shred-uniformity 1 --shred-depth 64 --shred-columns 10000 "
            "--shred-paths 1000000 --shred-sample-rows 3 --shred-sample-size 2048".split()
        )
        self.chosen(*told, rows=[{"a": 1}])
        self.assertEqual(self.thresholds, told)

    def test_presence_and_uniformity(self):
        rows = [{"a": n, "m": n if n < 7 else "x"} for n in range(10)]
        rows[0]["rare"] = True
        found = self.chosen(rows=rows)
        self.assertEqual((found["rare"], found["m"]), ("value, typed_value",) * 2)
        found = self.chosen("--shred-presence", ".11", "--shred-uniformity", "0.71", rows=rows)
        self.assertEqual(found["rare"], "no: too rare")
        self.assertEqual(found["m"], "value alone: no type is common enough")
        self.assertEqual(found["a"], "value, typed_value")
        # At the threshold itself a field is frequent enough.
        found = self.chosen("--shred-presence", "0.1", "--shred-uniformity", "0.7", rows=rows)
        self.assertEqual((found["rare"], found["m"]), ("value, typed_value",) * 2)

    def test_depth_columns_and_paths(self):
        rows = [{"a": {"b": {"c": n}}, "d": n, "e": n} for n in range(10)]
        found = self.chosen("--shred-depth", "2", rows=rows)
        self.assertEqual(found["a.b"], "value alone: too deep")
        self.assertNotIn("a.b.c", self.good("schema", "a.parquet"))
        found = self.chosen("--shred-columns", "5", rows=rows)
        self.assertIn("no: no columns left", found.values())
        leaves = self.good("schema", "a.parquet").count(" binary ")
        self.chosen("--shred-columns", "50", rows=rows)
        self.assertLess(leaves, self.good("schema", "a.parquet").count(" binary "))
        arguments = ["--variant-all", "--shred-paths", "3", "-o", "a.parquet", "-"]
        lines = self.explain(*arguments, stdin=program.ndjson(rows).encode())
        self.assertEqual(lines[0], "shredding of record, from 10 values with 3 paths:")
        self.assertIn("fields were ignored: there are too many names", lines[-1])

    def test_the_sample(self):
        rows = [{"a": n} for n in range(100)]
        text = program.ndjson(rows).encode()
        arguments = ["--variant-all", "-o", "a.parquet", "-"]
        for options, count in (
            (["--shred-sample-rows", "7"], 7),
            # What is told counts more than the row group.
            (["--row-group-rows", "5", "--shred-sample-rows", "70"], 70),
            (["--row-group-rows", "5"], 5),
            # A value of one field is 7 bytes: header, count, id, two offsets, and 2 of the number.
            (["--shred-sample-size", "70"], 10),
        ):
            lines = self.explain(*options, *arguments, stdin=text)
            self.assertEqual(
                lines[0], f"shredding of record, from {count} values with 2 paths:", options
            )
            self.assertEqual(len(self.records("a.parquet")), 100)

    def test_thresholds_out_of_their_range(self):
        share = "a share above 0, up to 1"
        for option, values, range_of in (
            ("presence", ["0", "1.01", "-0.5", "5%", "nan", "inf", "", "x", "0x1"], share),
            ("uniformity", ["0.0", "2", "1e9", " 1"], share),
            ("depth", ["0", "65", "-1", "99999999999999999999", "1.5"], "from 1 to 64"),
            ("columns", ["0", "10001", "4294967297", "1K"], "from 1 to 10000"),
            ("paths", ["0", "1000001", "many"], "from 1 to 1000000"),
            ("sample-rows", ["0", "1K", "18446744073709551616"], "a number above 0"),
            ("sample-size", ["0", "8 MiB", "-1"], "a size above 0"),
        ):
            for value in values:
                self.assertEqual(
                    self.misuse("import", f"--shred-{option}", value, "-o", "x", "y"),
                    f"--shred-{option} cannot be '{value}': it must be {range_of}; "
                    'see "lamella import --help"',
                )
        schema = ["--schema", "message m { optional int64 a; }"]
        for options in (["--shred", "none"], schema, ["--shred", "optional int64 typed_value;"]):
            self.assertEqual(
                self.misuse("import", *options, "--shred-depth", "2", "-o", "x", "y"),
                '--shred-depth needs --shred auto; see "lamella import --help"',
            )

    # --- Columns that are given -------------------------------------------------------------------

    def test_columns_for_all_and_for_one(self):
        text = '{"v":1,"w":"x"}\n{"v":"y","w":2}\n'
        self.put("columns", "optional binary typed_value (STRING);")
        one = ["--shred", "v=optional int64 typed_value;"]
        self.make("a.parquet", text, *one, "--shred", "columns", clashes=2)
        self.assertEqual(self.good("cat", "a.parquet"), text)
        schema = self.good("schema", "a.parquet")
        self.assertIn("optional int64 typed_value;", schema)
        self.assertIn("optional binary typed_value (STRING);", schema)
        # A schema says what its VARIANTs are, unless inference is asked for.
        given = schema.replace("    optional int64 typed_value;\n", "")
        given = given.replace("optional binary value", "required binary value", 1)
        self.make("b.parquet", text, "--schema", given)
        self.assertEqual(self.good("schema", "b.parquet"), given)
        self.make("c.parquet", text * 3, "--schema", given, "--shred", "auto")
        self.assertIn("optional int32 typed_value;", self.good("schema", "c.parquet"))
        self.assertEqual(self.good("cat", "c.parquet"), text * 3)

    # --- Random JSON ------------------------------------------------------------------------------

    def test_any_json_is_the_same_whatever_the_columns(self):
        seed = 5
        rng = random.Random(seed)
        for turn in range(25):
            # An array in the first line would be one of records.
            lines = ["{}"] + [random_value(rng, 0) for _ in range(rng.randint(1, 60))]
            lines += [random_deep(rng)] if turn % 3 == 0 else []
            text = "\n".join(lines) + "\n"
            printed = {}
            for shred in ("none", "auto", COLUMNS):
                self.make("a.parquet", text, "--variant-all", "--shred", shred)
                printed[shred] = self.good("cat", "a.parquet")
                self.good("check", "--strict", "a.parquet")
            what = f"seed {seed}, turn {turn}"
            self.assertEqual(printed["auto"], printed["none"], what)
            self.assertEqual(printed[COLUMNS], printed["none"], what)
            for line, found in zip(lines, printed["none"].splitlines(), strict=True):
                self.assertEqual(exact(found)["record"], exact(line), what)

    def test_any_object_is_the_same_after_inference(self):
        rng = random.Random(6)
        for turn in range(25):
            lines = [
                f'{{"p":{random_value(rng, 1)},"q":[{random_value(rng, 2)}]}}' for _ in range(20)
            ]
            text = "\n".join(lines) + "\n"
            self.make("a.parquet", text, clashes=None)
            self.make("b.parquet", text, "--shred", "none", clashes=None)
            printed = self.good("cat", "a.parquet")
            self.assertEqual(printed, self.good("cat", "b.parquet"), turn)
            for line, found in zip(lines, printed.splitlines(), strict=True):
                # What is a column has a null where a member is missing, and doubles for numbers.
                self.assertEqual(self.plain(exact(found)), self.plain(exact(line)), turn)

    def plain(self, value):
        if isinstance(value, dict):
            return {name: self.plain(item) for name, item in value.items() if item is not None}
        if isinstance(value, list):
            return [self.plain(item) for item in value]
        if isinstance(value, Decimal):
            return math.copysign(float(value), float(value))
        return value

    # --- What goes wrong --------------------------------------------------------------------------

    def test_numbers_that_no_variant_holds(self):
        long = "0.1000000000000000055511151231257827021181583404541015625"
        text = f'{{"a":1}}\n{{"a":[{long}]}}\n'
        self.assertEqual(
            self.bad("import", "-o", "a", "-", stdin=text),
            f"standard input: line 2: a: {long} is a number that neither 38 digits nor a "
            "double hold",
        )
        self.assertEqual(self.files(), [])
        self.make("a", text, "--nearest-numbers", clashes=1)
        self.assertEqual(self.good("cat", "a"), '{"a":1}\n{"a":[0.1]}\n')
        message = self.bad(
            "import", "--nearest-numbers", "-o", "b", "-", stdin='{"a":1}\n{"a":[1e400]}\n'
        )
        self.assertIn("line 2: a: 1e400 is a number", message)

    def test_fields_that_are_not_there(self):
        for options, message in (
            (["--variant", "b"], "--variant: no record has a field b"),
            (["--variant", "a.b"], "--variant: no record has a field a.b"),
            (["--shred", "b=optional int64 typed_value;"], "--shred: no field 'b'"),
            (
                ["--shred", "a=optional int64 typed_value;"],
                "--shred: a is not a VARIANT; --variant makes it one",
            ),
        ):
            self.assertEqual(
                self.misuse("import", *options, "-o", "x", "-", stdin='{"a":1}'),
                f'{message}; see "lamella import --help"',
            )
        self.assertEqual(self.files(), [])

    def test_texts_that_are_no_layout(self):
        for text, message in (
            ("optional int64 x;", "a field named x, not typed_value"),
            ("optional int96 typed_value;", "v.typed_value: no value is shredded as int96"),
            ("required int64 typed_value;", "v.typed_value: typed_value is optional"),
            ("optional int64 typed_value; optional int64 b;", "expected one field, typed_value"),
        ):
            for shred in (text, f"v={text}"):
                self.assertEqual(
                    self.misuse("import", "--shred", shred, "-o", "x", "-", stdin=MIXED),
                    f'--shred: {message}; see "lamella import --help"',
                )
        shred = "v=optional int64 typed_value;"
        message = self.misuse("import", *["--shred", shred] * 2, "-o", "x", "-", stdin=MIXED)
        self.assertIn("--shred: v: it has a typed_value;", message)
        wrong = ["--shred", "optional int65 typed_value;"]
        message = self.misuse("import", *wrong, "-o", "x", "-", stdin="")
        self.assertTrue(message.startswith("schema: line 1, column 10:"), message)
        message = self.bad("import", "--shred", "no-file", "-o", "x", "-")
        self.assertIn("no-file: cannot read", message)
        self.assertEqual(self.files(), [])

    def test_options_that_do_not_go_together(self):
        schema = ["--schema", "message m { optional int64 a; }"]
        clash = "--schema already says which fields are VARIANTs: leave out"
        for options, message in (
            ([*schema, "--variant", "a"], f"{clash} --variant"),
            ([*schema, "--variant-all"], f"{clash} --variant-all"),
            (["--variant-all", "--variant", "a"], "--variant-all leaves nothing for --variant"),
            (["--variant-form", "storage"], "--variant-form storage needs --schema"),
            (
                [*schema, "--variant-form", "storage", "--shred", "auto"],
                "--variant-form storage leaves nothing for --shred",
            ),
            (["--shred", ""], "--shred cannot be '': it must be auto, none or a schema"),
            (["--shred", "=x"], "--shred cannot be '=x': it must be auto, none or a schema"),
        ):
            self.assertEqual(
                self.misuse("import", *options, "-o", "x", "y"),
                f'{message}; see "lamella import --help"',
            )


if __name__ == "__main__":
    program.main()
