# SPDX-License-Identifier: Apache-2.0
"""Exact outputs of cat, schema, meta, pages, levels and automaton, with each of their options."""

import json
import os
import re

import program

# The paper's Document, so that this page alone shows what the commands print.
SCHEMA = """message Document {
  required int64 DocId;
  optional group Links {
    repeated int64 Backward;
    repeated int64 Forward;
  }
  repeated group Name {
    repeated group Language {
      required binary Code (STRING);
      optional binary Country (STRING);
    }
    optional binary Url (STRING);
  }
}
"""
RECORDS = (
    '{"DocId":10,"Links":{"Backward":[],"Forward":[20,40,60]},"Name":[{"Language":'
    '[{"Code":"en-us","Country":"us"},{"Code":"en","Country":null}],"Url":"http://A"},'
    '{"Language":[],"Url":"http://B"},{"Language":[{"Code":"en-gb","Country":"gb"}],"Url":null}]}\n'
    '{"DocId":20,"Links":{"Backward":[10,30],"Forward":[80]},'
    '"Name":[{"Language":[],"Url":"http://C"}]}\n'
)
TYPES = """message types {
  optional boolean flag = 7;
  optional int32 tiny (INTEGER(8,true));
  optional int32 huge (INTEGER(32,false));
  optional int64 huger (INTEGER(64,false));
  optional float single;
  optional double real;
  optional fixed_len_byte_array(2) half (FLOAT16);
  optional int64 price (DECIMAL(18,4));
  optional binary bytes;
  optional fixed_len_byte_array(3) fixed;
  optional binary kind (ENUM);
  optional binary doc (JSON);
  optional int32 day (DATE);
  optional int32 clock (TIME(MILLIS,false));
  optional int64 stamp (TIMESTAMP(MICROS,true));
  optional int64 local (TIMESTAMP(NANOS,false));
  optional fixed_len_byte_array(16) id (UUID);
  optional fixed_len_byte_array(12) span (INTERVAL);
  optional int96 old;
  optional group scores (MAP) {
    repeated group key_value {
      required binary key (STRING);
      optional int32 value;
    }
  }
  optional group by_day (MAP) {
    repeated group key_value {
      required int32 key (DATE);
      optional boolean value;
    }
  }
}
"""
TYPED = (
    '{"flag":true,"tiny":-128,"huge":4294967295,"huger":18446744073709551615,"single":0.1,'
    '"real":-0.0,"half":1.5,"price":12345678901234.5678,"bytes":"AP8=","fixed":"YWJj",'
    '"kind":"A","doc":"{\\"a\\": 1}","day":"2024-10-24","clock":"23:59:59.999",'
    '"stamp":"1969-12-31T23:59:59.999999Z","local":"2024-10-24T12:34:56.789000001",'
    '"id":"00112233-4455-6677-8899-aabbccddeeff","span":{"months":1,"days":2,"millis":3},'
    '"old":"2024-10-24T12:34:56.789000001","scores":{"x":1,"":null},'
    '"by_day":[{"key":"2024-01-01","value":true},{"key":"2024-01-02","value":null}]}\n'
)
NULLS = (
    "{"
    + ",".join(
        f'"{name}":null'
        for name in re.findall(r'"(\w+)":(?!\d+,"days|\d+,"millis)', TYPED)
        if name in re.findall(r"^  optional \w+(?:\(\d+\))? (\w+)", TYPES, re.MULTILINE)
    )
    + "}\n"
)


class Read(program.ProgramTest):
    def setUp(self):
        super().setUp()
        # Uncompressed, so that no byte count depends on the version of a codec.
        self.make("d.parquet", RECORDS, "--schema", SCHEMA, "--codec", "uncompressed")

    def many(self, count=100):
        return self.make("n.parquet", [{"n": n} for n in range(count)], "--row-group-rows", "30")

    def test_cat_prints_what_was_imported(self):
        self.assertEqual(self.good("cat", "d.parquet"), RECORDS)

    def test_cat_some_columns(self):
        for columns, record in [
            ("DocId", '{"DocId":20}'),
            ("Links.Forward", '{"Links":{"Forward":[80]}}'),
            ("Links", '{"Links":{"Backward":[10,30],"Forward":[80]}}'),
            ("Name.Language.Country,DocId", '{"DocId":20,"Name":[{"Language":[]}]}'),
            ("DocId,DocId", '{"DocId":20}'),
        ]:
            lines = self.good("cat", "--columns", columns, "d.parquet").splitlines()
            self.assertEqual(lines[1:], [record])

    def test_skip_and_limit_at_every_place(self):
        self.many()
        for skip in [0, 1, 29, 30, 31, 60, 99, 100, 101, 10**18]:
            for limit in [0, 1, 30, 31, 100, 2**64 - 1]:
                wanted = [{"n": n} for n in range(100)][skip : skip + limit]
                options = ["--skip", str(skip), "--limit", str(limit)]
                self.assertEqual(self.records("n.parquet", *options), wanted, options)

    def test_skip_and_limit_count_over_all_files(self):
        self.many(5)
        lines = self.good("cat", "--skip", "3", "--limit", "6", *["n.parquet"] * 3)
        self.assertEqual([json.loads(line)["n"] for line in lines.splitlines()], [3, 4, 0, 1, 2, 3])

    def test_pages_above_the_memory_limit(self):
        text = '{"a":"' + "x" * 1_000_000 + '"}\n'
        self.make("w.parquet", text)
        message = "is above the memory limit of 512000 (option --memory-limit) (row group 0, column 0 a, "
        low, high = ["--memory-limit", "500K"], ["--memory-limit", "2MiB"]
        self.assertIn(message, self.bad("cat", *low, "w.parquet", output=""))
        self.assertIn(message, self.bad("levels", *low, "w.parquet"))
        self.assertEqual(self.good("cat", *high, "w.parquet"), text)
        self.assertEqual(len(self.good("levels", *high, "w.parquet").splitlines()[2]), 1_000_017)
        with open(self.path("w.parquet"), "rb") as file:
            data = file.read()
        self.assertEqual(self.good("cat", *high, "-", stdin=data), text)
        self.assertIn(message, self.bad("cat", *low, "-", stdin=data))
        self.assertEqual(
            self.bad("cat", "--memory-limit", "10", "w.parquet", output=""),
            "w.parquet: the memory limit of 10 bytes is reached (option --memory-limit)",
        )

    def test_every_type(self):
        self.make("t.parquet", TYPED + NULLS, "--schema", TYPES)
        self.assertEqual(self.good("cat", "t.parquet"), TYPED + NULLS)
        self.assertEqual(self.good("schema", "t.parquet"), TYPES)
        self.expect("levels-types.txt", self.good("levels", "t.parquet"))

    def test_binary_as_base64_hex_and_text(self):
        schema = "message m { required binary b; required fixed_len_byte_array(2) f; }"
        self.make("b.parquet", '{"b":"aGk=","f":"b2s="}', "--schema", schema)
        for binary, record in [
            ("base64", '{"b":"aGk=","f":"b2s="}\n'),
            ("hex", '{"b":"6869","f":"6f6b"}\n'),
            ("utf8", '{"b":"hi","f":"ok"}\n'),
        ]:
            self.assertEqual(self.good("cat", "--binary", binary, "b.parquet"), record)
            self.make("c.parquet", record, "--schema", schema, "--binary", binary)
            self.assertEqual(self.good("cat", "c.parquet"), '{"b":"aGk=","f":"b2s="}\n')

    def test_bytes_that_are_no_text(self):
        self.make(
            "b.parquet",
            '{"b":"aGk="}\n{"b":"/w=="}',
            "--schema",
            "message m { required binary b; }",
        )
        self.assertEqual(
            self.bad("cat", "--binary", "utf8", "b.parquet", output='{"b":"hi"}\n'),
            "b.parquet: b: byte 0 of the text is not UTF-8",
        )

    def test_schema(self):
        self.assertEqual(self.good("schema", "d.parquet"), SCHEMA)
        self.make("n.parquet", [{"n": 1}])
        self.assertEqual(
            self.good("schema", "d.parquet", "n.parquet"),
            "# d.parquet\n" + SCHEMA + "# n.parquet\nmessage schema {\n  optional int64 n;\n}\n",
        )

    def test_meta(self):
        output = self.good("meta", "d.parquet")
        self.assertIn(f"\nsize:        {os.path.getsize(self.path('d.parquet'))} bytes, ", output)
        # What the footer says of its writer changes with every version.
        output = re.sub(r"(?m)^size: .*", "size:        X bytes, footer Y bytes", output)
        self.expect("meta.txt", re.sub(r"version \d+\.\d+\.\d+", "version X", output))

    def test_meta_json(self):
        output = self.good("meta", "--json", "d.parquet", "d.parquet")
        first, second = map(json.loads, output.splitlines())
        self.assertEqual(first, second)
        self.assertEqual(first.pop("size"), os.path.getsize(self.path("d.parquet")))
        with open(self.path("d.parquet"), "rb") as file:
            self.assertEqual(first.pop("footer_size"), int.from_bytes(file.read()[-8:-4], "little"))
        first["created_by"] = re.sub(r"\d+\.\d+\.\d+", "X", first["created_by"])
        self.expect("meta-json.txt", json.dumps(first, indent=1) + "\n")

    def test_meta_shows_key_value_metadata(self):
        self.make("f.parquet", '{"a":1}\n', "--meta", "owner=the tests")
        self.assertIn("\nkey:         owner = the tests\n", self.good("meta", "f.parquet"))

    def test_text_that_a_file_calls_free_json_prints_as_the_json(self):
        schema = ["--schema", "optional binary a (JSON); optional binary b (JSON);"]
        text = '{"a":"[1, {}]","b":"[2]"}\n{"a":null,"b":"null"}\n'
        self.make("a.parquet", text, *schema)
        self.assertEqual(self.good("cat", "a.parquet"), text)
        self.make("b.parquet", text, *schema, "--meta", "lamella.json.free=0")
        self.assertEqual(
            self.good("cat", "b.parquet"), '{"a":[1,{}],"b":"[2]"}\n{"a":null,"b":"null"}\n'
        )
        self.make("c.parquet", '{"a":"[1"}\n', *schema, "--meta", "lamella.json.free=0")
        message = self.bad("cat", "c.parquet")
        self.assertIn("a: not the text of a JSON value, but of 2 bytes", message)

    def test_pages(self):
        self.expect("pages.txt", self.good("pages", "d.parquet"))

    def test_pages_v2_with_a_dictionary(self):
        records = [
            {"word": word, "n": n} for n, word in enumerate(["oak", "ash", None, "oak"] * 300)
        ]
        self.make(
            "w.parquet",
            records,
            "--codec",
            "uncompressed",
            "--data-page-version",
            "2",
            "--page-size",
            "4K",
        )
        self.expect("pages-v2.txt", self.good("pages", "w.parquet"))
        pages = [
            json.loads(line) for line in self.good("pages", "--json", "w.parquet").splitlines()
        ]
        self.expect("pages-v2-json.txt", "".join(json.dumps(page) + "\n" for page in pages))

    def test_pages_of_one_column_and_row_group(self):
        self.many()
        output = self.good("pages", "--json", "--row-group", "1", "--columns", "n", "n.parquet")
        pages = [json.loads(line) for line in output.splitlines()]
        self.assertEqual({(page["row_group"], page["path"]) for page in pages}, {(1, "n")})
        output = self.good("pages", "--columns", "Name.Url,DocId", "d.parquet")
        self.assertEqual(
            re.findall("row group.*", output), ["row group 0, DocId", "row group 0, Name.Url"]
        )

    def test_a_row_group_that_is_not_there(self):
        self.many()
        self.assertEqual(
            self.misuse("pages", "--row-group", "4", "n.parquet"),
            "n.parquet: no row group 4: there are 4",
        )

    def test_levels(self):
        self.expect("levels.txt", self.good("levels", "d.parquet"))

    def test_levels_json(self):
        self.expect("levels-json.txt", self.good("levels", "--json", "d.parquet"))

    def test_levels_of_some_columns_and_files(self):
        output = self.good("levels", "--columns", "Links", "d.parquet", "d.parquet")
        self.assertEqual(
            output,
            2
            * (
                "# d.parquet\n"
                "Links.Backward  (max r 1, max d 2)\n  record  r d  value\n"
                "       0  0 1  NULL\n          -----\n       1  0 2  10\n          1 2  30\n\n"
                "Links.Forward  (max r 1, max d 2)\n  record  r d  value\n"
                "       0  0 2  20\n          1 2  40\n          1 2  60\n          -----\n       1  0 2  80\n"
            ),
        )

    def test_levels_across_row_groups_and_pages(self):
        records = [{"a": list(range(n % 4))} for n in range(50)]
        self.make("l.parquet", records, "--row-group-rows", "7", "--page-size", "1")
        leaf = json.loads(self.good("levels", "--json", "l.parquet"))
        self.assertEqual(leaf["path"], "a.list.element")
        self.assertEqual(leaf["values"], [value for record in records for value in record["a"]])
        self.assertEqual(leaf["r"], [int(i > 0) for n in range(50) for i in range(max(n % 4, 1))])
        self.assertEqual(
            leaf["d"], [3 if n % 4 else 1 for n in range(50) for _ in range(max(n % 4, 1))]
        )

    def test_automaton(self):
        self.expect("automaton.txt", self.good("automaton", "d.parquet"))
        self.assertEqual(
            self.good("automaton", "--schema", SCHEMA), self.good("automaton", "d.parquet")
        )

    def test_automaton_as_a_graph(self):
        self.expect("automaton-dot.txt", self.good("automaton", "--dot", "d.parquet"))

    def test_automaton_json_of_some_columns(self):
        self.assertEqual(
            self.good(
                "automaton", "--json", "--columns", "DocId,Name.Language.Country", "d.parquet"
            ),
            '{"leaves":["DocId","Name.Language.Country"],"max_repetition":[0,2],"next":[[1],[2,1,1]],"edges":['
            '{"from":0,"to":1,"r":[0],"words":["no further DocId in this record: on to Name.Language.Country"]},'
            '{"from":1,"to":2,"r":[0],"words":["no further Country in this record, and no column after it: the record '
            'ends"]},{"from":1,"to":1,"r":[1,2],"words":["next Name: again Name.Language.Country",'
            '"next Language in this Name: again Name.Language.Country"]}]}\n',
        )

    def test_a_column_that_is_not_there(self):
        for command in ["cat", "pages", "levels", "automaton"]:
            self.assertEqual(
                self.misuse(command, "--columns", "DocId,Name.Nope", "d.parquet"),
                "d.parquet: --columns: character 7: no field 'Name.Nope'",
            )

    def test_a_file_without_rows(self):
        self.make("e.parquet", "", "--schema", "message m { required int32 a; }")
        self.assertEqual(self.good("cat", "e.parquet"), "")
        self.assertEqual(self.good("levels", "e.parquet"), "a  (max r 0, max d 0)\n")
        self.assertEqual(
            json.loads(self.good("levels", "--json", "e.parquet")),
            {"path": "a", "max_repetition": 0, "max_definition": 0, "first_record": 0, "r": [], "d": [], "values": []},
        )
        self.assertEqual(json.loads(self.good("meta", "--json", "e.parquet"))["rows"], 0)
        self.assertEqual(self.good("pages", "--json", "e.parquet"), "")

    def test_a_file_without_columns(self):
        self.make("z.parquet", "{}\n{}\n{}\n", "--schema", "message m { }")
        self.assertEqual(self.good("cat", "z.parquet"), "{}\n{}\n{}\n")
        self.assertEqual(self.good("cat", "--skip", "1", "--limit", "1", "z.parquet"), "{}\n")
        self.assertEqual(self.good("schema", "z.parquet"), "message m {\n}\n")
        self.assertEqual(self.good("levels", "z.parquet"), "")
        self.assertEqual(self.good("automaton", "--json", "z.parquet"), '{"leaves":[],"max_repetition":[],"next":[],"edges":[]}\n')


if __name__ == "__main__":
    program.main()
