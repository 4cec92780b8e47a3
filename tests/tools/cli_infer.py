# SPDX-License-Identifier: Apache-2.0
"""What import infers from JSON, and the options that change it: times, MAPs, clashes, types."""

import gzip
import json
import os
import random

import program

MIX = '{"a":1,"t":"2024-01-01"}\n{"a":"x","t":"2024-01-01T10:00"}\n'
LONG = "x" * 10000
READERS = "Polars and older readers cannot open a file with a VARIANT"
CHANGES = f"(--on-clash string or error, or --type, changes this; {READERS})"


class Infer(program.ProgramTest):
    def schema(self, records, *options, errors=""):
        """The schema of records, without white space at the ends of lines, and what is reported."""
        text = records if isinstance(records, str) else program.ndjson(records)
        status, _, reported = self.run_program("import", *options, "-o", "o", "-", stdin=text)
        self.assertEqual((status, reported), (0, errors))
        return self.good("schema", "o")

    def fields(self, records, *options, errors=""):
        lines = self.schema(records, *options, errors=errors).splitlines()
        return [line.strip() for line in lines[1:-1]]

    # --- Times ------------------------------------------------------------------------------------

    def test_texts_of_one_kind_get_its_type(self):
        records = [
            {
                "date": "2024-10-24",
                "time": "12:34",
                "local": "2024-10-24 12:34:56",
                "utc": "2024-10-24T12:34:56.5+01:00",
                "nanos": "2024-10-24T12:34:56.123456789Z",
                "uuid": "00112233-4455-6677-8899-AABBCCDDEEFF",
                "text": "2024-10-24?",
            }
        ]
        self.assertEqual(
            self.fields(records),
            [
                "optional int32 date (DATE);",
                "optional int64 time (TIME(MICROS,false));",
                "optional int64 local (TIMESTAMP(MICROS,false));",
                "optional int64 utc (TIMESTAMP(MICROS,true));",
                "optional int64 nanos (TIMESTAMP(NANOS,true));",
                "optional fixed_len_byte_array(16) uuid (UUID);",
                "optional binary text (STRING);",
            ],
        )
        self.assertEqual(
            self.good("cat", "o"),
            '{"date":"2024-10-24","time":"12:34:00.000000","local":"2024-10-24T12:34:56.000000",'
            '"utc":"2024-10-24T11:34:56.500000Z","nanos":"2024-10-24T12:34:56.123456789Z",'
            '"uuid":"00112233-4455-6677-8899-aabbccddeeff","text":"2024-10-24?"}\n',
        )
        plain = self.fields(records, "--no-infer-times")
        self.assertEqual(plain[0], "optional binary date (STRING);")
        self.assertEqual(plain[4], "optional binary nanos (STRING);")

    def test_a_later_text_makes_another_column_wherever_it_comes(self):
        # The schema of the first 16 MiB is a guess: what does not fit it is inferred anew.
        many = f'{{"t":"2024-01-01","p":"{LONG}"}}\n' * 1700
        for late, field in (
            ("2024-01-01T10:00", "optional int64 t (TIMESTAMP(MICROS,false));"),
            ("x", "optional binary t (STRING);"),
        ):
            text = f'{many}{{"t":"{late}"}}\n'
            self.assertGreater(len(text), 16 << 20)
            self.put("in", text)
            self.good("import", "-o", "file", "in")
            self.good("import", "-o", "pipe", "-", stdin=text)
            for name in "file", "pipe":
                self.assertEqual(self.good("schema", name).splitlines()[1].strip(), field)
            self.assertEqual(self.good("cat", "file"), self.good("cat", "pipe"))

    def test_what_a_guess_takes_is_what_inference_makes_of_all(self):
        # A reader with this schema takes all of them; all of them together are strings.
        many = f'{{"t":"2024-01-01T00:00:00Z","p":"{LONG}"}}\n' * 1700
        for late in '"2024-01-01T00:00:00"', '"2024-01-01"', '"+12024-01-01T00:00:00Z"':
            fields = self.fields(f'{many}{{"t":{late}}}\n')
            self.assertEqual(fields[0], "optional binary t (STRING);", late)

    def test_what_is_printed_is_the_same_file_again(self):
        seed = int.from_bytes(os.urandom(4), "little")
        rng = random.Random(seed)
        for turn in range(12):
            keys = rng.randrange(1, 80)
            records = [
                {
                    "a": rng.choice(["2024-01-01", "2024-01-02T03:04", None]),
                    "b": rng.choice(["2024-01-02T03:04Z", "1969-12-31 23:59:59.999999 +01:00"]),
                    "c": {f"k{rng.randrange(keys)}": rng.choice(["12:34", "12:34:56.7"])},
                    "d": [{f"k{rng.randrange(keys)}": {"x": 1, "y": [rng.random()]}}],
                    "e": "00112233-4455-6677-8899-AABBCCDDEEFF",
                }
                for _ in range(rng.randrange(1, 200))
            ]
            self.make("a", records)
            printed = self.good("cat", "a")
            self.make("b", printed)
            with open(self.path("a"), "rb") as one, open(self.path("b"), "rb") as two:
                self.assertEqual(one.read(), two.read(), f"seed {seed}, turn {turn}")

    def test_utf_16_is_read_as_its_mark_says(self):
        """Lines and documents, packed and piped, and records that are longer than what is read at once."""
        rows = [{"n": n, "s": "\u00e9\u20ac\U0001f600" * (n % 7), "t": "x" * (n % 3 * 9000)} for n in range(60)]
        wanted = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        lines = "\n" + "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        for text in [lines, json.dumps(rows, ensure_ascii=False, indent=1), json.dumps(rows)]:
            for mark, encoding in [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]:
                content = mark + text.encode(encoding)
                for name, data in [("in", content), ("in.gz", gzip.compress(content))]:
                    self.put(name, data)
                    self.good("import", "-o", "out", name)
                    self.assertEqual(self.good("cat", "out"), wanted)
                    self.assertEqual(self.good("schema", name), self.good("schema", "out"))
                self.good("import", "-o", "out", "-", stdin=content)
                self.assertEqual(self.good("cat", "out"), wanted)

    def test_what_is_no_utf_16_is_named_by_its_place(self):
        schema = ["--schema", "message m { optional int64 a; optional binary s (STRING); }"]
        for mark, encoding in [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]:
            for text, where in [
                ('{"a":1}\n{"s":"\u00e9\ud83d"}', "line 2, column 8: the surrogate U+D83D has no other half in UTF-16"),
                ('{"a":1}\n\n{"s":"\udc00"}', "line 3, column 7: the surrogate U+DC00 has no other half in UTF-16"),
                ('{"a":1}\n{"s":"x\ud83d', "line 2, column 8: the text ends inside a character of UTF-16"),
            ]:
                content = mark + text.encode(encoding, "surrogatepass")
                for options in [[], schema]:
                    self.assertEqual(self.bad("import", *options, "-o", "out", "-", stdin=content),
                                     "standard input: " + where)  # fmt: skip
            content = mark + '[{"a":1}]'.encode(encoding)
            self.assertEqual(self.bad("import", "--records", "[]", "-o", "out", "-", stdin=content),
                             "standard input: --records reads UTF-8, and the text is UTF-16")  # fmt: skip

    def test_decimals_on_demand(self):
        records = '{"p":1.50,"q":0.1}\n{"p":2,"q":12345678901234567890.5}\n'
        self.assertEqual(
            self.fields(records, "--infer-decimals"),
            [
                "optional int64 p (DECIMAL(18,2));",
                "optional fixed_len_byte_array(16) q (DECIMAL(38,1));",
            ],
        )
        self.assertEqual(
            self.good("cat", "o"),
            '{"p":1.50,"q":0.1}\n{"p":2.00,"q":12345678901234567890.5}\n',
        )

    # --- MAPs -------------------------------------------------------------------------------------

    def test_objects_whose_keys_are_data_become_maps(self):
        records = [{"m": {f"k{n}": {"x": n}}, "g": {"a": n, "b": n}} for n in range(100)]
        fields = self.fields(records)
        self.assertEqual(fields[0], "optional group m (MAP) {")
        self.assertIn("optional group g {", fields)
        self.assertEqual([record["m"] for record in self.records("o")], [r["m"] for r in records])
        self.assertEqual(self.fields(records, "--no-infer-maps")[0], "optional group m {")
        self.assertEqual(self.fields(records[:3], "--type", "m=map")[0], "optional group m (MAP) {")

    def test_too_many_fields_are_no_refusal(self):
        many = range(30000)
        more = "lamella: more than 20000 different fields: "
        for records, notice, field in (
            (
                [{"id": n, "m": {f"k{n}": {"x": n}}} for n in many],
                "m becomes a MAP",
                "optional group m (MAP) {",
            ),
            (
                [{"id": n, "m": {f"k{n}": ["x", n, {}][n % 3]}} for n in many],
                "m becomes a VARIANT",
                "optional group m (VARIANT(1)) {",
            ),
            (
                [{f"k{n}": n} for n in many],
                "each record becomes a VARIANT, the column record",
                "required group record (VARIANT(1)) {",
            ),
        ):
            errors = f"{more}{notice}\n"
            self.assertIn(field, self.fields(records, errors=errors))
            found = self.records("o")
            whole = "record" in found[0]
            self.assertEqual([r["record"] if whole else r for r in found], records)
            self.good("check", "--strict", "o")

    # --- Clashes ----------------------------------------------------------------------------------

    def test_a_clash_is_reported_with_two_lines(self):
        errors = f"field a becomes a VARIANT: a number on line 1, a string on line 2 {CHANGES}\n"
        self.assertIn(
            "optional group a (VARIANT(1)) {",
            self.fields(MIX, errors=f"lamella: standard input: {errors}"),
        )
        self.put("one", '{"x":{"y":[1]}}\n')
        self.put("two", '\n{"x":null}\n{"x":{"y":[null,true]}}\n')
        status, _, reported = self.run_program("import", "-o", "o", "one", "two")
        self.assertEqual(
            (status, reported),
            (
                0,
                "lamella: one: field x.y.list.element becomes a VARIANT: a number on line 1, true on "
                f"line 3 of two {CHANGES}\n",
            ),
        )

    def test_a_clash_becomes_a_string_or_an_error_on_demand(self):
        notice = (
            "lamella: standard input: field a becomes a STRING: a number on line 1, a string on "
            "line 2 (--on-clash variant or error, or --type, changes this)\n"
        )
        self.assertIn(
            "optional binary a (STRING);",
            self.fields(MIX, "--on-clash", "string", errors=notice),
        )
        self.assertEqual([record["a"] for record in self.records("o")], ["1", "x"])
        os.remove(self.path("o"))
        self.assertEqual(
            self.bad("import", "--on-clash", "error", "-o", "o", "-", stdin=MIX),
            "standard input: field a: a number on line 1, a string on line 2 (--on-clash variant or "
            "string, or --type, accepts this)",
        )
        self.assertEqual(self.files(), [])
        # Objects and arrays are their JSON.
        self.fields(
            '{"a":"x"}\n{"a":{"b":[1.50, "y"]}}\n', "--on-clash", "string",
            errors="lamella: standard input: field a becomes a STRING: a string on line 1, an object "
            "on line 2 (--on-clash variant or error, or --type, changes this)\n",
        )
        self.assertEqual(self.records("o")[1]["a"], '{"b":[1.50,"y"]}')

    def test_a_clash_on_one_line_names_its_records(self):
        self.fields('[{"a":"x"},{"a":"y"},{"a":[1]}]', errors="lamella: standard input: field a becomes a VARIANT: a string in record 1, "
                    f"an array in record 3 {CHANGES}\n")  # fmt: skip

    def test_fields_that_no_type_holds_are_reported(self):
        for text, reason, records in [
            ('{"z":{}}\n', "its objects are empty", ["{}"]),
            ('{"z":123456789012345678901234567890}\n{"z":0.1}\n', "no type of numbers holds all of its values", ["123456789012345678901234567890", "0.1"]),
        ]:  # fmt: skip
            self.assertIn("optional group z (VARIANT(1)) {", self.fields(text, errors="lamella: standard input: field z becomes a VARIANT: "
                          f"{reason} (--on-clash string, or --type, changes this; {READERS})\n"))  # fmt: skip
            self.fields(text, "--on-clash", "string", errors=f"lamella: standard input: field z becomes a STRING: {reason} "
                        "(--on-clash variant, or --type, changes this)\n")  # fmt: skip
            self.assertEqual([record["z"] for record in self.records("o")], records)
            self.good("import", "--type", "z=variant", "-o", "o", "-", stdin=text)

    def test_who_cannot_read_a_variant_is_said_once(self):
        errors = self.run_program("import", "-o", "o", "-", stdin='{"a":1,"b":1}\n{"a":"x","b":"x"}\n')[2]
        self.assertEqual((errors.count("\n"), errors.count(READERS)), (2, 1))

    def test_a_document_with_one_long_array_has_a_hint(self):
        items = [{"i": n} for n in range(1707)]
        self.put("d.json", json.dumps({"type": "x", "data": {"items": items}}))
        status, _, errors = self.run_program("import", "-o", "o", "d.json")
        self.assertEqual((status, errors), (0, "lamella: d.json: 1 record; its array data.items has 1707: --records 'data.items[]' takes these\n"))
        self.good("import", "--records", "data.items[]", "-o", "o", "d.json")
        self.assertEqual(self.records("o"), items)
        self.put("d.json", json.dumps({"a.b": items}))
        self.good("import", "-o", "o", "d.json")

    def test_many_clashes_are_counted(self):
        records = [{f"f{n:02}": value for n in range(25)} for value in (1, "x")]
        status, _, errors = self.run_program("import", "-o", "o", "-", stdin=program.ndjson(records))
        lines = errors.splitlines()
        self.assertEqual((status, len(lines)), (0, 11))
        self.assertEqual(lines[10], "lamella: the same for 15 more fields")

    # --- Types ------------------------------------------------------------------------------------

    def test_a_type_that_is_given_is_that_of_the_column(self):
        for type, field, values, found in (
            ("int8", "int32 a (INTEGER(8,true))", [1, -128], None),
            ("uint64", "int64 a (INTEGER(64,false))", [1, 2**64 - 1], None),
            ("float", "float a", [1.5], None),
            ("decimal(10,2)", "int64 a (DECIMAL(10,2))", [1.5, 3], [1.50, 3.00]),
            ("string", "binary a (STRING)", [1, "x", [1]], ["1", "x", "[1]"]),
            ("json", "binary a (JSON)", [1, "x"], ["1", '"x"']),
            ("date", "int32 a (DATE)", ["2024-01-01"], None),
            ("time_ms", "int32 a (TIME(MILLIS,false))", ["01:02"], ["01:02:00.000"]),
            (
                "timestamp",
                "int64 a (TIMESTAMP(MICROS,false))",
                ["2024-01-01"],
                ["2024-01-01T00:00:00.000000"],
            ),
            (
                "timestamp_utc_ms",
                "int64 a (TIMESTAMP(MILLIS,true))",
                ["2024-01-01 02:03:04", "2024-01-01", "2024-01-01T00:00:00+01:00"],
                ["2024-01-01T02:03:04.000Z", "2024-01-01T00:00:00.000Z", "2023-12-31T23:00:00.000Z"],
            ),
            (
                "int64 (TIMESTAMP(NANOS,true))",
                "int64 a (TIMESTAMP(NANOS,true))",
                ["2024-01-01T02:03:04Z"],
                ["2024-01-01T02:03:04.000000000Z"],
            ),
            ("fixed_len_byte_array(2)", "fixed_len_byte_array(2) a", ["YWI="], None),
        ):
            records = [{"a": value} for value in values]
            self.assertEqual(self.fields(records, "--type", f"a={type}"), [f"optional {field};"])
            self.assertEqual([r["a"] for r in self.records("o")], found or values)
        self.assertIn(
            "optional group a (VARIANT(1)) {", self.fields([{"a": 1}], "--type", "a=variant")
        )
        # The path of a field inside of others, and a name with a = sign.
        fields = self.fields(
            [{"l": [{"x": 1}], "b=c": 2}], "--type", "l.list.element.x=double", "--type", "b=c=int32"
        )
        self.assertIn("optional double x;", fields)
        self.assertIn('optional int32 "b=c";', fields)

    def test_types_that_are_none_or_do_not_fit(self):
        rest = "it must be PATH=TYPE, as in price=decimal(10,2), where TYPE is string, json, variant, map, boolean, "
        for type in "a=foo", "a", "a=", "=int64", "a=int64; optional int32 b", "a=decimal(0,1)":
            line = self.misuse("import", "--type", type, "-o", "o", "-", stdin=MIX)
            self.assertTrue(line.startswith(f"--type cannot be '{type}': {rest}"), line)
            self.assertIn("uuid, binary, or a type of a schema such as int64 (TIMESTAMP(MILLIS,true)); see", line)
        self.assertEqual(
            self.misuse("import", "--type", "b=int64", "-o", "o", "-", stdin=MIX),
            '--type: no record has a field b; see "lamella import --help"',
        )
        self.assertEqual(
            self.bad("import", "--type", "a=int64", "-o", "o", "-", stdin=MIX),
            "standard input: line 2: a: expected an integer, found a string",
        )
        self.assertEqual(
            self.bad("import", "--type", "t=map", "-o", "o", "-", stdin=MIX),
            "schema: t cannot be a MAP: not all of its values are objects",
        )
        for options in ["--on-clash", "x"], ["--epoch", "hours"]:
            self.assertIn(
                f"{options[0]} cannot be '{options[1]}'",
                self.misuse("import", *options, "-o", "o", "-", stdin=MIX),
            )
        self.assertEqual(self.files(), [])

    def test_numbers_are_times_on_demand(self):
        records = '{"a":1700000000.25}\n{"a":-1}\n{"a":"2024-01-01"}\n'
        options = ["--type", "a=timestamp_utc_ms"]
        self.fields(records, *options, "--epoch", "seconds")
        self.assertEqual(
            [record["a"] for record in self.records("o")],
            ["2023-11-14T22:13:20.250Z", "1969-12-31T23:59:59.000Z", "2024-01-01T00:00:00.000Z"],
        )
        os.remove(self.path("o"))
        self.assertEqual(
            self.bad("import", *options, "-o", "o", "-", stdin=records),
            "standard input: line 1: a: expected a timestamp as a string (option --epoch), found a "
            "number",
        )
        self.assertEqual(
            self.bad("import", *options, "--epoch", "micros", "-o", "o", "-", stdin='{"a":5}'),
            "standard input: line 1: a: 5 has more digits than the unit of the timestamp",
        )
        # A schema has such columns, too.
        schema = ["--schema", "message m { required int64 a (TIMESTAMP(MILLIS,true)); }"]
        self.make("o", '{"a":1700000000250}', *schema, "--epoch", "millis")
        self.assertEqual(json.loads(self.good("cat", "o")), {"a": "2023-11-14T22:13:20.250Z"})


if __name__ == "__main__":
    program.main()
