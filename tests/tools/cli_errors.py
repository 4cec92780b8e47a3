# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line with file, place and path, exit status 1, and no file that looks complete."""

import json
import os
import re
import struct

import program

SCHEMA = """message m {
  required int32 id;
  optional int32 tiny (INTEGER(8,true));
  optional int64 big (INTEGER(64,false));
  optional float real;
  optional int32 price (DECIMAL(5,2));
  optional binary name (STRING);
  optional binary data;
  optional fixed_len_byte_array(2) pair;
  optional int32 day (DATE);
  optional int64 stamp (TIMESTAMP(MILLIS,true));
  optional fixed_len_byte_array(16) uuid (UUID);
  optional boolean flag;
  repeated group places {
    required binary city (STRING);
    optional group tags (LIST) {
      repeated group list {
        required binary element (STRING);
      }
    }
  }
  optional group scores (MAP) {
    repeated group key_value {
      required binary key (STRING);
      required int32 value;
    }
  }
}
"""
# Records that do not fit; expected/errors-records.txt tells what is said of each.
MISFITS = [
    "{}",
    '{"id":null}',
    '{"id":"1"}',
    '{"id":1.0}',
    '{"id":2147483648}',
    '{"id":1,"tiny":128}',
    '{"id":1,"big":-1}',
    '{"id":1,"real":1e39}',
    '{"id":1,"real":"inf"}',
    '{"id":1,"price":1.234}',
    '{"id":1,"price":1000.00}',
    '{"id":1,"name":7}',
    '{"id":1,"name":["x"]}',
    '{"id":1,"data":"***"}',
    '{"id":1,"pair":"YWJj"}',
    '{"id":1,"day":"2023-02-29"}',
    '{"id":1,"stamp":"2023-02-28T24:00:00Z"}',
    '{"id":1,"stamp":"2023-02-28T12:00:00.0001Z"}',
    '{"id":1,"uuid":"0011"}',
    '{"id":1,"flag":0}',
    '{"id":1,"places":{}}',
    '{"id":1,"places":[1]}',
    '{"id":1,"places":[null]}',
    '{"id":1,"places":[{"city":"x"},{}]}',
    '{"id":1,"places":[{"city":"x","tags":["a",null]}]}',
    '{"id":1,"places":[{"city":"x","tags":"a"}]}',
    '{"id":1,"scores":{"a":null}}',
    '{"id":1,"scores":{"a":"b"}}',
    '{"id":1,"scores":[]}',
    '{"id":1,"id":2}',
    '{"id":1,"other":2}',
    '{"id":1,"places":[{"city":"x","zip":null}]}',
]
# Lines that are no record; expected/errors-json.txt.
BROKEN = [
    '{"id":2',
    '{"id":2]',
    '{"id" 2}',
    "{id:2}",
    '{"id":2,}',
    '{"id":02}',
    '{"id":+2}',
    '{"id":nul}',
    '{"id":NaN}',
    '{"id":2} x',
    '{"id":"\\q"}',
    '{"id":"\\ud800"}',
    '{"id":"a\tb"}',
    '{"id":"open}',
    "hello",
    "[1]",
    "7",
    "null",
    '{"id":' + "[" * 2000 + "]" * 2000 + "}",
]
# Schemas that are none; expected/errors-schema.txt.
SCHEMAS = [
    "message m { required int32 id",
    "message m {\n  required int33 id; }",
    "message m {\n  required int32 a;\n  required int32 a;\n}",
    "message m { required int32 a (STRING); }",
    "message m { required binary a (NONSENSE); }",
    "message m { required fixed_len_byte_array a; }",
    "message m { required int32 a (DECIMAL(10,2)); }",
    "message m { required group g { } }",
    "{}",
]


class Errors(program.ProgramTest):
    def test_records_that_do_not_fit(self):
        lines = []
        for record in MISFITS:
            with self.subTest(record):
                self.put("in.json", '{"id":1}\n\n' + record + '\n{"id":3}\n')
                message = self.bad("import", "--schema", SCHEMA, "-o", "out", "in.json", output="")
                self.assertTrue(message.startswith("in.json: line 3: "), message)
                lines.append(f"{record}\n  {message}\n")
                self.assertEqual(self.files(), ["in.json"])
        self.expect("errors-records.txt", "".join(lines))

    def test_text_that_is_no_json(self):
        lines = []
        for line in BROKEN:
            with self.subTest(line):
                self.put("in.json", '{"id":1}\n' + line + '\n{"id":3}\n')
                message = self.bad("import", "-o", "out", "in.json", output="")
                self.assertTrue(message.startswith("in.json: line 2"), message)
                lines.append(f"{line[:60]}\n  {message}\n")
                again = self.bad("import", "--schema", SCHEMA, "-o", "out", "in.json", output="")
                self.assertTrue(again.startswith("in.json: line 2"), again)
                self.assertEqual(self.files(), ["in.json"])
        self.expect("errors-json.txt", "".join(lines))

    def test_a_name_that_comes_twice_where_the_schema_is_inferred(self):
        self.put("in.json", '{"a":{"b":1}}\n{"a":{"b":1,"b":2}}\n')
        self.assertEqual(
            self.bad("import", "-o", "out", "in.json", output=""),
            "in.json: line 2: a.b: the name appears twice in its object",
        )
        self.assertEqual(self.files(), ["in.json"])

    def test_bytes_that_are_no_text(self):
        self.put("in.json", b'{"a":"x"}\n{"a":"\xff"}\n')
        self.assertEqual(
            self.bad("import", "-o", "out", "in.json"),
            "in.json: line 2, column 7: the text is not UTF-8",
        )

    def test_schemas_that_are_none(self):
        lines = []
        self.put("in.json", '{"id":1}\n')
        for schema in SCHEMAS:
            with self.subTest(schema):
                message = self.misuse("import", "--schema", schema, "-o", "out", "in.json")
                self.assertTrue(message.startswith("schema: line "), message)
                lines.append(f"{schema}\n  {message}\n")
                self.put("s", schema)
                if "{" in schema:
                    same = self.bad("import", "--schema", "s", "-o", "out", "in.json", output="")
                    self.assertEqual(same, message.replace("schema: line", "s: line", 1))
                    self.assertEqual(self.bad("automaton", "--schema", "s"), same)
                self.assertEqual(self.files(), ["in.json", "s"])
                os.remove(self.path("s"))
        self.expect("errors-schema.txt", "".join(lines))

    def test_files_that_are_not_there(self):
        self.put("in.json", "{}\n")
        missing = "No such file or directory"
        for command in ["cat", "schema", "meta", "pages", "bytes", "levels", "automaton"]:
            self.assertEqual(self.bad(command, "no"), f"no: cannot open: {missing}")
        self.assertEqual(self.bad("import", "-o", "out", "no"), f"no: cannot open: {missing}")
        self.assertEqual(
            self.bad("import", "-o", "out", "in.json", "no"), f"no: cannot open: {missing}"
        )
        self.assertEqual(
            self.bad("import", "--schema", "no", "-o", "out", "in.json"),
            f"no: cannot read: {missing}",
        )
        self.assertEqual(self.files(), ["in.json"])

    def test_other_files_are_read_all_the_same(self):
        self.make("a.parquet", [{"a": 1}])
        message = self.bad("cat", "a.parquet", "no", "a.parquet", output='{"a":1}\n{"a":1}\n')
        self.assertEqual(message, "no: cannot open: No such file or directory")

    def test_folders(self):
        os.mkdir(self.path("dir"))
        self.assertIn("dir: no Parquet file ", self.bad("cat", "dir"))
        self.assertEqual(self.bad("import", "-o", "out", "dir"), "dir: no file in the folder")
        self.put("in.json", '{"a":1}\n')
        self.assertIn("dir: cannot ", self.bad("import", "-o", "dir", "in.json"))
        self.assertEqual(self.files(), ["dir", "in.json"])
        self.assertEqual(os.listdir(self.path("dir")), [])

    def test_outputs_that_cannot_be(self):
        self.put("in.json", '{"a":1}\n')
        self.assertEqual(
            self.bad("import", "-o", "no/out", "in.json"),
            "no/out: cannot create: No such file or directory",
        )
        self.assertEqual(
            self.bad("import", "-o", "in.json/out", "in.json"),
            "in.json/out: cannot create: Not a directory",
        )

    def test_an_existing_file_survives_a_failure(self):
        self.make("out", [{"a": 1}])
        self.put("in.json", '{"a":1}\n{"a":\n')
        self.bad("import", "-o", "out", "in.json")
        self.assertEqual(self.records("out"), [{"a": 1}])
        self.assertEqual(self.files(), ["in.json", "out"])

    def test_files_that_are_no_parquet(self):
        for content, message in [
            (b"", "not a Parquet file: 0 bytes are too few to be one"),
            (b"PAR1PAR1", "not a Parquet file: 8 bytes are too few to be one"),
            (
                b'"a"\0\n' * 10,
                "not a Parquet file, or a truncated one: it does not end with PAR1",
            ),
        ]:
            self.put("x", content)
            for command in ["cat", "schema", "meta", "pages", "levels", "automaton"]:
                self.assertEqual(self.bad(command, "x", output=""), f"x: {message}")

    def test_every_truncation(self):
        records = [{"a": n, "b": [f"text {n}"] * n} for n in range(8)]
        self.make("a.parquet", records, "--row-group-rows", "4", "--codec", "none")
        with open(self.path("a.parquet"), "rb") as file:
            data = file.read()
        for size in [*range(0, 40), *range(40, len(data), 37), *range(len(data) - 20, len(data))]:
            self.put("t", data[:size])
            self.assertTrue(self.bad("cat", "t", output="").startswith("t: not a Parquet file"))

    def test_a_damaged_page_names_its_place(self):
        records = [{"a": n, "b": f"text {n}"} for n in range(90)]
        self.make(
            "a.parquet", records, "--row-group-rows", "30", "--codec", "none", "--no-dictionary"
        )
        pages = [
            json.loads(line) for line in self.good("pages", "--json", "a.parquet").splitlines()
        ]
        page = next(page for page in pages if page["row_group"] == 1 and page["path"] == "b")
        with open(self.path("a.parquet"), "rb") as file:
            data = bytearray(file.read())
        data[page["offset"] + page["header_size"] + 40] ^= 1
        self.put("x.parquet", bytes(data))
        place = f"(row group 1, column 1 b, offset {page['offset']})"
        # The records before are printed, and the other column is whole.
        status, output, errors = self.run_program("cat", "x.parquet")
        self.assertEqual(status, 1)
        self.assertEqual([json.loads(line) for line in output.splitlines()], records[:30])
        self.assertRegex(
            errors,
            r"\Alamella: x\.parquet: the page does not match its checksum: "
            rf"{page['crc']:08x} stated, [0-9a-f]{{8}} found {re.escape(place)}\n\Z",
        )
        self.assertEqual(self.records("x.parquet", "--columns", "a"), [{"a": n} for n in range(90)])
        self.assertIn(place, self.bad("levels", "x.parquet"))
        # Its line was cut short before, and so was no JSON.
        status, output, _ = self.run_program("levels", "--json", "x.parquet")
        whole, cut = (json.loads(line) for line in output.splitlines())
        self.assertEqual((status, whole["values"]), (1, list(range(90))))
        self.assertEqual(len(cut["r"]), 30)
        self.assertIn("does not match its checksum", cut["error"])
        self.good("meta", "x.parquet")
        self.good("pages", "x.parquet")

    def test_an_encrypted_footer_is_told(self):
        self.put("e", b"PARE" + bytes(100) + struct.pack("<I", 50) + b"PARE")
        self.assertIn("encrypted", self.bad("cat", "e", output=""))


if __name__ == "__main__":
    program.main()
