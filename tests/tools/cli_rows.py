# SPDX-License-Identifier: Apache-2.0
"""Records in the formats of cat, head and sample, the number of them, and which of them a sample is."""

import csv
import io
import json
import os
import random

import program

os.environ["LC_ALL"] = "C"  # tables are drawn by the locale
os.environ.pop("COLUMNS", None)

RECORDS = [
    {"id": 1, "name": 'a "quoted" one, with\na break', "user": {"first": "Ann", "age": 7}, "tags": ["x", None], "ok": True},
    {"id": 2, "name": "", "user": {"first": None, "age": -1}, "tags": [], "ok": False},
    {"id": None, "name": None, "user": None, "tags": None, "ok": None},
    {"id": -4, "name": " blanks ", "user": {"first": "null", "age": None}, "tags": ["\u00e9\u4e2d\t"], "ok": True},
]  # fmt: skip
COLUMNS = ["id", "name", "user.first", "user.age", "tags", "ok"]


def cell(value):
    """What a value is in delimited text."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def row(record):
    user = record["user"] or {"first": None, "age": None}
    return [record["id"], record["name"], user["first"], user["age"], record["tags"], record["ok"]]


def random_text(random_state):
    return "".join(
        random_state.choice('ab,;"\n\r\t \\\u00e9\U0001f600\u0001') for _ in range(random_state.randrange(12))
    )


class Formats(program.ProgramTest):
    def test_csv_has_a_column_for_each_leaf_outside_of_lists(self):
        self.make("a", RECORDS)
        text = self.good("cat", "--format", "csv", "a")
        rows = list(csv.reader(io.StringIO(text, newline="")))
        self.assertEqual(rows, [COLUMNS] + [[cell(value) for value in row(record)] for record in RECORDS])

    def test_an_empty_text_is_quoted_and_a_null_is_not(self):
        self.make("a", RECORDS[1:3])
        lines = self.good("cat", "--columns", "name,user.first", "-f", "csv", "a").splitlines()
        self.assertEqual(lines, ["name,user.first", '"",', ","])

    def test_formulas_are_disarmed_for_a_spreadsheet_alone(self):
        self.make("f", [{"=n": -5, "t": "=1+1"}, {"=n": -6, "t": "a;@b"}, {"=n": 7, "t": "-5"}])
        self.assertEqual(self.good("cat", "-f", "csv", "f"), "=n,t\n-5,=1+1\n-6,a;@b\n7,-5\n")
        self.assertEqual(self.good("cat", "-f", "csv", "--csv-for", "program", "f"), self.good("cat", "-f", "csv", "f"))
        disarmed = "'=n,t\n-5,'=1+1\n-6,a;'@b\n7,'-5\n"
        for command in ("cat", "head", "tail"):
            self.assertEqual(self.good(command, "--format", "csv", "--csv-for", "spreadsheet", "f"), disarmed)
        self.assertEqual(
            self.good("sample", "--seed", "1", "-f", "tsv", "--csv-for", "spreadsheet", "f"),
            disarmed.replace(",", "\t"),
        )
        self.assertEqual(
            self.good("cat", "--csv-for", "spreadsheet", "--limit", "1", "f"), '{"=n":-5,"t":"=1+1"}\n'
        )

    def test_tsv_is_delimited_by_tabs(self):
        self.make("a", [{"a": "x\ty", "b": "p,q"}])
        self.assertEqual(self.good("cat", "-f", "tsv", "a"), 'a\tb\n"x\ty"\tp,q\n')

    def test_random_texts_come_back_through_csv(self):
        seed = random.randrange(1 << 32)
        random_state = random.Random(seed)
        records = [{name: random_text(random_state) for name in ("a", 'b,"', "c")} for _ in range(500)]
        self.make("a", records)
        for form, delimiter in (("csv", ","), ("tsv", "\t")):
            with self.subTest(seed=seed, form=form):
                text = self.good("cat", "-f", form, "a")
                rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
                self.assertEqual(rows[0], list(records[0]))
                self.assertEqual(rows[1:], [list(record.values()) for record in records])

    def test_json_is_one_array_of_all_files(self):
        self.make("a", RECORDS)
        self.make("b", [{"x": 1.5}])
        self.assertEqual(json.loads(self.good("cat", "-f", "json", "a", "b")), RECORDS + [{"x": 1.5}])
        self.assertEqual(self.good("cat", "-f", "json", "--limit", "0", "a"), "[\n]\n")
        self.assertEqual(json.loads(self.good("cat", "-f", "json", "--where", "id > 9", "a")), [])

    def test_an_array_begins_with_a_file_that_opens(self):
        self.make("a", [{"x": 1}])
        for format in ("json", "csv", "tsv", "table", "ndjson"):
            for command in ("cat", "head", "tail", "sample"):
                self.bad(command, "--format", format, "missing", output="")
        status, text, _ = self.run_program("cat", "-f", "json", "missing", "a")
        self.assertEqual((status, json.loads(text)), (1, [{"x": 1}]))
        self.bad("cat", "-f", "json", "--columns", "y", "a", status=2, output="")
        self.assertEqual(json.loads(self.good("cat", "-f", "json", "--limit", "0", "a")), [])

    def test_several_files_have_one_header_and_the_same_columns(self):
        self.make("a", [{"x": 1, "y": 2}])
        self.make("b", [{"x": 3, "y": 4}])
        self.make("c", [{"x": 5, "z": 6}])
        self.assertEqual(self.good("cat", "-f", "csv", "a", "b"), "x,y\n1,2\n3,4\n")
        self.assertEqual(self.good("cat", "-f", "csv", "a", "c"), "x,y,z\n1,2,\n5,,6\n")
        self.assertEqual(self.good("cat", "-f", "csv", "--columns", "x", "a", "c"), "x\n1\n5\n")

    def test_nulls_are_left_out_on_request(self):
        self.make("a", RECORDS)
        expected = [
            {"id": 1, "name": 'a "quoted" one, with\na break', "user": {"first": "Ann", "age": 7}, "tags": ["x", None], "ok": True},
            {"id": 2, "name": "", "user": {"age": -1}, "tags": [], "ok": False},
            {},
            {"id": -4, "name": " blanks ", "user": {"first": "null"}, "tags": ["\u00e9\u4e2d\t"], "ok": True},
        ]  # fmt: skip
        for command in (["cat"], ["head"], ["tail"], ["cat", "-f", "json"]):
            text = self.good(*command, "--no-nulls", "a")
            found = json.loads(text) if "json" in command else [json.loads(line) for line in text.splitlines()]
            self.assertEqual(found, expected)

    def test_variants_and_maps_are_json(self):
        self.make("v", [{"a": {"b": [1, "x"]}}, {"a": "text"}, {"a": 5}], "--variant", "a")
        self.assertEqual(
            self.good("cat", "-f", "csv", "v"), 'a\n"{""b"":[1,""x""]}"\ntext\n5\n'
        )

    def test_a_damaged_file_prints_what_is_before_the_damage(self):
        self.make("a", [{"x": n} for n in range(100000)], "--codec", "uncompressed", "--page-size", "4096", "--no-dictionary", "--encoding", "x=plain")  # fmt: skip
        with open(self.path("a"), "r+b") as file:
            file.seek(400000)
            file.write(b"\xff" * 8)
        status, output, errors = self.run_program("cat", "-f", "csv", "a")
        self.assertEqual((status, errors.count("\n")), (1, 1))
        lines = output.decode().splitlines()
        self.assertGreater(len(lines), 1)
        self.assertEqual(lines[1:], [str(n) for n in range(len(lines) - 1)])


class Tables(program.ProgramTest):
    def test_a_table_stands_in_columns(self):
        self.make("a", [{"n": 1, "text": "x"}, {"n": -200, "text": None}])
        self.assertEqual(
            self.good("head", "-f", "table", "a"),
            "    n | text\n------+------\n    1 | x\n -200 | null\n",
        )

    def test_control_characters_are_shown_and_never_sent(self):
        self.make("a", [{"a\x1b[31m": "b\x1b]0;t\x07\n\x7f\u0085"}])
        output = self.good("head", "-f", "table", "a")
        self.assertFalse([c for c in output if ord(c) < 32 and c != "\n" or 0x7F <= ord(c) < 0xA0])
        self.assertIn("b\\u001b]0;t\\u0007\\n\\u007f\\u0085", output)

    def test_a_table_of_several_files_is_one(self):
        self.make("a", [{"x": 1}])
        self.make("b", [{"y": 2}])
        self.assertEqual(
            self.good("cat", "-f", "table", "a", "b"), "    x |    y\n------+------\n    1 | null\n null |    2\n"
        )


class Head(program.ProgramTest):
    def test_ten_records_of_all_files_together(self):
        self.make("a", [{"n": n} for n in range(7)])
        self.make("b", [{"n": n} for n in range(7, 14)])
        self.assertEqual(self.good("head", "a", "b"), program.ndjson({"n": n} for n in range(10)).replace(" ", ""))
        self.assertEqual(self.good("head", "-n1", "a", "b"), '{"n":0}\n')
        self.assertEqual(self.good("head", "--where", "n > 8", "-n", "2", "a", "b"), '{"n":9}\n{"n":10}\n')


class Count(program.ProgramTest):
    def test_all_records_and_those_that_match(self):
        self.make("a", [{"n": n} for n in range(1000)])
        self.make("b", [{"n": None}, {"n": 3}])
        self.assertEqual(self.good("count", "a"), "1000\n")
        self.assertEqual(self.good("count", "--where", "n < 10", "a"), "10\n")
        self.assertEqual(self.good("count", "--where", "n is null", "a", "b"), "0\ta\n1\tb\n1\ttotal\n")
        self.assertEqual(self.good("count", "--where", "n >= 3 and n < 5", "--no-pruning", "b"), "1\n")

    def test_what_cannot_be_counted_is_said(self):
        self.make("a", [{"n": 1}])
        self.misuse("count", "--where", "x = 1", "a")
        self.assertEqual(self.run_program("count", "a", "none")[:2], (1, b"1\ta\n1\ttotal\n"))


class Sample(program.ProgramTest):
    def numbers(self, *arguments):
        return [json.loads(line)["n"] for line in self.good("sample", *arguments).splitlines()]

    def test_the_same_seed_picks_the_same_records_in_their_order(self):
        self.make("a", [{"n": n} for n in range(3000)], "--row-group-rows", "700")
        self.make("b", [{"n": n} for n in range(3000, 5000)])
        first = self.numbers("-n", "40", "--seed", "5", "a", "b")
        self.assertEqual(first, self.numbers("-n", "40", "--seed", "5", "a", "b"))
        self.assertEqual(first, sorted(set(first)))
        self.assertEqual(len(first), 40)
        self.assertNotEqual(first, self.numbers("-n", "40", "--seed", "6", "a", "b"))

    def test_more_than_there_are_gives_all(self):
        self.make("a", [{"n": n} for n in range(5)])
        self.assertEqual(self.numbers("-n", "9", "a"), list(range(5)))
        self.assertEqual(self.numbers("-n", "0", "a"), [])

    def test_records_are_picked_among_those_that_match(self):
        self.make("a", [{"n": n} for n in range(1000)])
        picked = self.numbers("-n", "20", "--where", "n >= 500 and n < 530", "a")
        self.assertEqual(len(picked), 20)
        self.assertTrue(all(500 <= n < 530 for n in picked))

    def test_every_record_is_as_likely(self):
        """Each of 20 records is in a sample of 5 with a chance of 1/4: of 400 samples in 100, within 5.5 standard
        deviations. The seeds are fixed, so this holds always or never."""
        self.make("a", [{"n": n} for n in range(20)])
        seen = [0] * 20
        for seed in range(400):
            for n in self.numbers("-n", "5", "--seed", str(seed), "a"):
                seen[n] += 1
        self.assertEqual(sum(seen), 2000)
        self.assertLess(max(abs(count - 100) for count in seen), 5.5 * (400 * 0.25 * 0.75) ** 0.5)

    def test_standard_input_is_refused(self):
        self.assertIn("files are read twice", self.misuse("sample", "-"))


if __name__ == "__main__":
    program.main()
