# SPDX-License-Identifier: Apache-2.0
"""cat --where: which records are printed, what --explain says, and what is refused."""

import json

import program

SCHEMA = """message events {
  required int64 id;
  optional double price;
  optional binary name (STRING);
  optional int32 day (DATE);
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
}
"""
RECORDS = """\
{"id":1,"price":9.5,"name":"ann","day":"2024-01-01","tags":["a","b"]}
{"id":2,"price":null,"name":"bob","day":"2024-01-02","tags":[]}
{"id":3,"price":"NaN","name":null,"day":null,"tags":null}
{"id":4,"price":20.0,"name":"it's","day":"2024-02-01","tags":["c",null]}
"""
WANTED = {
    "id = 2": [2],
    "2 = id": [2],
    "id > 1 and id < 4": [2, 3],
    "price > 10": [3, 4],
    "price <= 10": [1],
    "not price <= 10": [3, 4],
    "price is null": [2],
    "price = 'NaN'": [3],
    "name = 'it''s' or name = 'ann'": [1, 4],
    "name in ('bob', 'zoe')": [2],
    "day between '2024-01-02' and '2024-02-01'": [2, 4],
    "tags = 'b'": [1],
    "tags is null": [3],
    "tags is not null and not tags = 'a'": [2],
    "id = 2.5": [],
    "id >= 2.5": [3, 4],
    "id < 1e30": [1, 2, 3, 4],
    '"id" != 1 and (price is null or name is null)': [2, 3],
}


class Where(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.make("all.parquet", RECORDS, "--schema", SCHEMA)
        self.make("each.parquet", RECORDS, "--schema", SCHEMA, "--row-group-rows", "1")

    def test_the_records_are_those_whose_condition_is_true(self):
        for condition, wanted in WANTED.items():
            for name in ("all.parquet", "each.parquet"):
                for option in ([], ["--no-pruning"]):
                    with self.subTest(condition, name=name, option=option):
                        records = self.records(name, "--where", condition, *option)
                        self.assertEqual([record["id"] for record in records], wanted)

    def test_a_condition_may_ask_fields_that_are_not_printed(self):
        output = self.good("cat", "--columns", "name", "--where", "id = 4", "all.parquet")
        self.assertEqual(json.loads(output), {"name": "it's"})

    def test_skip_and_limit_count_the_records_that_are_left(self):
        options = ["--where", "id != 2", "--skip", "1", "--limit", "1"]
        for name in ("all.parquet", "each.parquet"):
            self.assertEqual([record["id"] for record in self.records(name, *options)], [3])

    def test_explain_says_what_was_looked_at_and_read(self):
        status, output, errors = self.run_program(
            "cat", "--where", "id = 4", "--explain", "each.parquet"
        )
        self.assertEqual((status, output.count(b"\n")), (0, 1))
        lines = errors.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(
            lines[0],
            "lamella: each.parquet: 4 row groups examined; ruled out: 3 by statistics, "
            "0 by Bloom filters, 0 by the page index, 0 by dictionaries",
        )
        self.assertIn("4 records", lines[2])
        self.assertIn("matching: 1", lines[2])
        self.assertRegex(lines[3], r"each\.parquet: \d+ of \d+ bytes read")

    def test_a_condition_that_makes_no_sense_is_refused_with_its_character(self):
        cases = {
            "prize > 1": "character 1: no field 'prize' (did you mean price?)",
            "price >": "character 8: expected a number, found the end",
            "name = 5": "character 8: expected a text such as 'abc', found 5",
            "day > '2024-13-01'": "character 7: expected a date such as '2024-10-24', "
            "found '2024-13-01'",
            "id = 1 id = 2": "character 8: expected and, or, or the end, found id",
            "": "character 1: expected a condition, found the end",
        }
        for condition, message in cases.items():
            error = self.misuse("cat", "--where", condition, "all.parquet")
            self.assertEqual(error, f"all.parquet: --where: {message}")

    def test_what_has_no_order_or_no_value_of_its_own_is_refused(self):
        schema = (
            "message m { optional fixed_len_byte_array(12) i (INTERVAL);"
            " optional group g { optional int32 a; optional int32 b; } }"
        )
        self.make("i.parquet", [{"i": None, "g": {"a": 1, "b": 2}}], "--schema", schema)
        cases = {
            "i < x'000000000000000000000000'": "character 1: values of field 'i' have no order",
            "g = 1": "character 1: field 'g' is a group of 2 leaves",
            "g.a < i": "character 1: values of field 'a' do not compare with those of field 'i'",
            "g.a < g.c": "character 7: no field 'g.c' (did you mean g.a?)",
            "h.c = 1": "character 1: no field 'h.c'",
        }
        for condition, message in cases.items():
            error = self.misuse("cat", "--where", condition, "i.parquet")
            self.assertEqual(error, f"i.parquet: --where: {message}")
        self.assertEqual(len(self.records("i.parquet", "--where", "g is not null and i is null")), 1)

    def test_a_damaged_file_is_not_searched_in_part(self):
        status, _, errors = self.run_program(
            "cat", "--keep-going", "--where", "id = 1", "all.parquet"
        )
        self.assertEqual(status, 2)
        self.assertIn("--keep-going cannot be combined with --where", errors)


if __name__ == "__main__":
    program.main()
