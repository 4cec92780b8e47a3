# SPDX-License-Identifier: Apache-2.0
"""trace: the shredder and the assembler step by step, in lines and as JSON."""

import json
import struct

import program
from cli_check import varint_crc
from cli_levels import DOCUMENT, RECORDS

VARIED = [
    {"a": 1, "t": ["x", None], "m": [{"k": [1, 2]}, {"k": []}], "s": {"u": {"v": 1.5}}},
    {"a": None, "t": [], "m": [], "s": None},
    {"t": None, "m": [{"k": None}, None, {"k": [3]}], "s": {"u": None}},
]


class Trace(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.put("s", DOCUMENT)
        self.put("r.ndjson", program.ndjson(RECORDS))
        self.make("d.parquet", RECORDS, "--schema", DOCUMENT)

    def steps(self, *arguments):
        return [json.loads(line) for line in self.good("trace", "--json", *arguments).splitlines()]

    def columns(self, *arguments):
        leaves = [json.loads(line) for line in self.good("levels", "--json", *arguments).splitlines()]
        return {leaf["path"]: triples_of(leaf) for leaf in leaves}

    def test_both_machines_in_lines(self):
        self.expect("trace-shred.txt", self.good("trace", "--schema", "s", "r.ndjson"))
        self.assertEqual(self.good("trace", "--shred", "d.parquet"), self.good("trace", "--schema", "s", "r.ndjson"))
        self.expect("trace-assemble.txt", self.good("trace", "d.parquet"))
        self.assertEqual(self.good("trace", "--assemble", "--schema", "s", "r.ndjson"), self.good("trace", "d.parquet"))

    def test_both_machines_as_json(self):
        self.expect("trace-shred-json.txt", self.good("trace", "--json", "--record", "1", "--schema", "s", "r.ndjson"))
        self.expect("trace-assemble-json.txt", self.good("trace", "--json", "--record", "1", "d.parquet"))

    def test_the_triples_of_shredding_are_those_of_levels(self):
        self.make("v.parquet", VARIED)
        for file in ("d.parquet", "v.parquet"):
            written = {}
            for record in self.steps("--shred", file):
                self.assertEqual((record["machine"], record["steps"][0]["event"], record["steps"][-1]["event"]),
                                 ("shredder", "begin", "end"))  # fmt: skip
                for step in record["steps"]:
                    for triple in step["triples"]:
                        written.setdefault(triple["path"], []).append(shown(triple))
            self.assertEqual(written, self.columns(file))

    def test_the_triples_of_assembly_are_those_of_levels_and_the_way_is_the_automaton(self):
        self.make("v.parquet", VARIED)
        for file, columns in (("d.parquet", []), ("v.parquet", []), ("d.parquet", ["--columns", "DocId,Name.Language.Country"]),
                              ("v.parquet", ["--columns", "m,s"])):  # fmt: skip
            machine = json.loads(self.good("automaton", "--json", *columns, file))
            read, records = {}, self.steps(*columns, file)
            for number, record in enumerate(records):
                self.assertEqual((record["machine"], record["record"]), ("assembler", number))
                state = 0
                for step in record["steps"]:
                    self.assertEqual((step["state"], step["path"]), (state, machine["leaves"][state]))
                    state = machine["next"][state][step["next_r"]]
                    self.assertEqual(step["next"], state)
                    edge = [e for e in machine["edges"] if (e["from"], e["to"]) == (step["state"], step["next"])][0]
                    self.assertEqual(step["words"], edge["words"][edge["r"].index(step["next_r"])])
                    read.setdefault(step["path"], []).append(shown(step))
                self.assertEqual(state, len(machine["leaves"]))
            self.assertEqual(read, self.columns(*columns, file))

    def test_events_are_those_of_the_records(self):
        def events(record):
            for step in record["steps"]:
                if record["machine"] == "shredder":
                    yield step["event"], step.get("field"), step.get("value")
                else:
                    for event in step["events"] + step["closes"]:
                        yield event["event"], event.get("field"), event.get("value")

        self.make("v.parquet", VARIED)
        for file in ("d.parquet", "v.parquet"):
            shredded, assembled = self.steps("--shred", file), self.steps("--assemble", file)
            self.assertEqual([list(events(r)) for r in shredded], [list(events(r)) for r in assembled])

    def test_chosen_records_have_the_steps_that_they_have_in_all(self):
        self.make("v.parquet", VARIED * 5, "--row-group-rows", "4")
        for machine in ("--shred", "--assemble"):
            everything = self.steps(machine, "v.parquet")
            self.assertEqual([record["record"] for record in everything], list(range(15)))
            self.assertEqual(self.steps(machine, "--limit", "3", "v.parquet"), everything[:3])
            self.assertEqual(self.steps(machine, "--record", "14", "v.parquet"), everything[14:])
            self.assertEqual(self.steps(machine, "--record", "9", "--limit", "2", "v.parquet"), everything[9:11])
            group = self.steps(machine, "--row-group", "2", "v.parquet")
            self.assertEqual([record["record"] for record in group], [8, 9, 10, 11])
            self.assertEqual(self.steps(machine, "--limit", "0", "v.parquet"), [])

    def test_shredding_of_some_columns_shows_what_concerns_them(self):
        page = self.good("trace", "--shred", "--columns", "Links.Backward", "--record", "0", "d.parquet")
        self.assertEqual(
            [line.split()[:2] for line in page.splitlines()[1:]],
            [["begin", "r=0"], ["open", "Links"], ["close", "Links"], ["->", "Links.Backward"], ["end", "r=0"]],
        )

    def test_a_record_that_fails_is_closed_with_its_error(self):
        self.put("bad.ndjson", '{"a":1,"b":[1,2]}\n{"a":2,"b":[3,"x"]}\n')
        schema = "message m { required int64 a; repeated int64 b; }"
        for arguments in (["--json"], []):
            status, output, errors = self.run_program("trace", *arguments, "--schema", schema, "bad.ndjson")
            self.assertEqual((status, errors.count("\n")), (1, 1))
            self.assertIn("line 2: b[1]: expected an integer, found a string", errors)
        records = [json.loads(line) for line in self.run_program("trace", "--json", "--schema", schema, "bad.ndjson")[1].splitlines()]
        self.assertNotIn("error", records[0])
        self.assertIn("b[1]", records[1]["error"])
        self.assertEqual([step["event"] for step in records[1]["steps"]], ["begin", "put", "put"])

    def test_columns_that_contradict_each_other(self):
        # The first record has three elements and the second one: but only in q.
        records = [{"a": [{"p": 2 * n, "q": 100 + 2 * n}, {"p": 2 * n + 1, "q": 101 + 2 * n}]} for n in range(8)]
        schema = "message m { repeated group a { required int64 p; required int64 q; } }"
        self.make("x.parquet", records, "--codec", "uncompressed", "--encoding", "a.q=PLAIN", "--schema", schema)
        with open(self.path("x.parquet"), "rb") as file:
            data = file.read()
        rest = b"\x02\x00\x00\x00\x20\x01" + b"".join(struct.pack("<q", 100 + n) for n in range(16))
        page, changed = (b"\x03\x00\x00\x00\x05" + levels + rest for levels in (b"\xaa\xaa", b"\xa6\xaa"))
        for old, new in ((page, changed), (varint_crc(page), varint_crc(changed))):
            self.assertEqual((data.count(old), len(old)), (1, len(new)))
            data = data.replace(old, new)
        self.put("x.parquet", data)
        status, output, errors = self.run_program("trace", "--json", "x.parquet")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"a\.[pq]: repetition level")
        self.assertRegex(json.loads(output.splitlines()[-1])["error"], r"a\.[pq]: repetition level")
        self.assertEqual(self.run_program("trace", "x.parquet")[0], 1)

    def test_wide_and_deep_records(self):
        path, text = [], "optional int32 x;"
        for i in range(40):
            path.insert(0, f"g{i}")
            text = f"optional group g{i} {{ {text} }}"
        record = 7
        for name in ["x"] + [f"g{i}" for i in range(40)]:
            record = {name: record}
        self.make("deep.parquet", [record], "--schema", "message m { " + text + " }")
        for machine in ("--shred", "--assemble"):
            self.assertEqual(self.good("trace", machine, "deep.parquet").count("open g"), 40)

    def test_files_have_names_where_there_are_several(self):
        page = self.good("trace", "--limit", "1", "d.parquet", "r.ndjson")
        self.assertEqual(page.count("# "), 2)
        self.assertEqual(len(self.steps("--limit", "1", "d.parquet", "d.parquet")), 2)


def shown(triple):
    return triple["r"], triple["d"], triple.get("value")


def triples_of(leaf):
    values = iter(leaf["values"])
    return [(r, d, next(values) if d == leaf["max_definition"] else None) for r, d in zip(leaf["r"], leaf["d"])]



LAYOUT = """optional group typed_value {
  required group a { optional binary value; optional int32 typed_value; }
  required group t { optional binary value; optional group typed_value (LIST) { repeated group list {
    required group element { optional binary value; optional binary typed_value (STRING); } } } }
}
"""
SHREDDED = [{"a": 1, "t": ["x", 2], "rest": None}, {"a": "b"}, [1], {"t": []}]
RULES = [["partial", "scalar", "array", "scalar", "value"], ["object", "value", "missing"], ["value"], ["object", "missing", "array"]]


class Variants(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.put("layout", LAYOUT)
        self.put("v.ndjson", program.ndjson([{"v": value} for value in SHREDDED]))
        self.make("v.parquet", [{"v": value} for value in SHREDDED], "--variant", "v", "--shred", "layout")

    def test_each_pair_has_its_rule_and_the_whole_is_what_cat_prints(self):
        found = [json.loads(line) for line in self.good("trace", "--variants", "--json", "v.parquet").splitlines()]
        self.assertEqual([[pair["rule"] for pair in one["pairs"]] for one in found], RULES)
        self.assertEqual([one["result"] for one in found], SHREDDED)
        self.assertEqual([(one["machine"], one["record"], one["group"]) for one in found], [("variants", n, "v") for n in range(4)])
        first = found[0]["pairs"]
        self.assertEqual(first[0]["value"]["json"], {"rest": None})
        self.assertEqual([pair.get("name", pair.get("element")) for pair in first], [None, "a", "t", 0, 1])
        self.assertEqual([pair.get("parent") for pair in first], [None, 0, 0, 2, 2])
        self.assertEqual([pair.get("typed") for pair in first], [None, 1, None, "x", None])

    def test_lines_say_where_each_part_lies_and_why(self):
        lines = self.good("trace", "--variants", "--record", "0", "v.parquet").splitlines()
        self.assertEqual(lines[0], "record 0, v")
        self.assertTrue(lines[1].startswith('  $  value {"rest":null}, typed_value {}  -- both are there'), lines[1])
        self.assertIn('  $.t[0]  typed_value "x"  -- only typed_value is there', lines[4])
        self.assertIn("  $.t[1]  value 2  -- only value is there", lines[5])
        self.assertEqual(json.loads(lines[-1].removeprefix("  = ")), SHREDDED[0])

    def make_stored(self, name, *stored):
        """VARIANTs by the bytes of their columns, in hexadecimal digits, whatever they are."""
        schema = "message m { optional group v (VARIANT) { required binary metadata; optional binary value; optional int32 typed_value; } }"
        records = [{"v": {"metadata": metadata, "value": value, "typed_value": typed}} for metadata, value, typed in stored]
        self.make(name, records, "--schema", schema, "--variant-form", "storage", "--binary", "hex")

    def test_in_a_conflict_typed_value_counts(self):
        self.make_stored("c.parquet", ("010000", "0c05", 7))
        found = json.loads(self.good("trace", "--variants", "--json", "c.parquet"))
        self.assertEqual((found["pairs"][0]["rule"], found["result"]), ("conflict", 7))
        self.assertIn("value 5, typed_value 7  -- both are there, though", self.good("trace", "--variants", "c.parquet"))

    def test_a_field_in_value_that_has_columns_is_in_conflict(self):
        schema = self.good("schema", "v.parquet")
        typed = {"a": {"value": None, "typed_value": 7}, "t": {}}
        v = {"metadata": "1101000161", "value": "02010000020c09", "typed_value": typed}
        self.make("o.parquet", [{"v": v}], "--schema", schema, "--variant-form", "storage", "--binary", "hex")
        found = json.loads(self.good("trace", "--variants", "--json", "o.parquet"))
        self.assertEqual((found["pairs"][0]["rule"], found["result"]), ("overlap", {"a": 7}))

    def test_both_null_are_a_null_where_there_must_be_a_value(self):
        self.make_stored("n.parquet", ("010000", None, None))
        found = json.loads(self.good("trace", "--variants", "--json", "n.parquet"))
        self.assertEqual((found["pairs"][0]["rule"], found["result"]), ("null", None))

    def test_a_file_without_variants(self):
        self.make("p.parquet", [{"metadata": 1, "value": 2}])
        self.assertIn("no VARIANT has all of its columns among those chosen", self.misuse("trace", "--variants", "p.parquet"))

    def test_columns_choose_among_variants(self):
        self.make("two.parquet", [{"v": 1, "w": {"x": [2]}}], "--variant", "v", "--variant", "w")
        self.assertNotIn("record 0, w", self.good("trace", "--variants", "--columns", "v", "two.parquet"))
        self.assertIn("no VARIANT has all", self.misuse("trace", "--variants", "--columns", "v.metadata", "two.parquet"))

    def test_a_value_that_cannot_be_put_together_has_its_reason_and_status(self):
        self.make_stored("w.parquet", ("010000", "020105000100", None), ("010000", "0c06", None))
        status, output, errors = self.run_program("trace", "--variants", "w.parquet")
        self.assertEqual((status, errors), (1, "lamella: w.parquet: VARIANTs that cannot be put together: 1\n"))
        lines = output.decode().splitlines()
        self.assertIn("value of 6 bytes (variant: a field id that the metadata does not have)", lines[1])
        self.assertIn("  cannot be put together: ", lines[2])
        self.assertEqual(lines[-1], "  = 6")
        status, output, _ = self.run_program("trace", "--variants", "--json", "w.parquet")
        found = [json.loads(line) for line in output.splitlines()]
        self.assertIn("a field id", found[0]["failure"])
        self.assertEqual((status, found[1]["result"]), (1, 6))

    def test_names_and_values_from_the_file_stay_text(self):
        self.make("e.parquet", [{"v": {"<b>\u001b[31m\n": "\u009b\u202e", "x y": 1}}] * 40, "--variant", "v")
        lines = self.good("trace", "--variants", "e.parquet")
        self.assertNotRegex(lines, "[\x1b\x9b\u202e]")
        self.assertIn('$["x y"]', lines)


if __name__ == "__main__":
    program.main()
