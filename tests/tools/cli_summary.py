# SPDX-License-Identifier: Apache-2.0
"""summary, schema and meta: the forms of a schema, what columns hold and take, and a choice of them."""

import json
import os

import program

RECORDS = [{"id": n, "user": {"name": "x" * n, "score": n / 4 if n % 3 else None}, "tags": ["a"] * (n % 3)} for n in range(50)]
SCHEMA = """message m {
  required int64 id = 7;
  optional group user { optional binary name (STRING); optional double score; }
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
  optional group m (MAP) { repeated group key_value { required binary key (STRING); optional int32 value (DATE); } }
  required fixed_len_byte_array(16) u (UUID);
  optional int64 t (TIMESTAMP(MICROS,true));
  optional int32 d (DECIMAL(9,2));
}"""


class Schema(program.ProgramTest):
    def make_empty(self):
        return self.make("a.parquet", [], "--schema", SCHEMA)

    def test_json_is_the_tree_with_all_that_message_text_says(self):
        self.make_empty()
        tree = json.loads(self.good("schema", "--json", "a.parquet"))
        self.assertEqual(tree["name"], "m")
        self.assertEqual(
            tree["fields"][0],
            {"name": "id", "repetition": "required", "type": "int64", "field_id": 7, "max_repetition": 0, "max_definition": 0,
             "why": "always there, once: adds nothing"},
        )  # fmt: skip
        element = tree["fields"][2]["fields"][0]["fields"][0]
        self.assertEqual(
            element,
            {"name": "element", "repetition": "optional", "type": "binary", "logical_type": "STRING",
             "max_repetition": 1, "max_definition": 3, "why": "may be null: d"},
        )  # fmt: skip
        self.assertEqual(tree["fields"][4]["length"], 16)

    def test_levels_stand_beside_the_fields_that_raise_them(self):
        self.make_empty()
        lines = [line.split("  ") for line in self.good("schema", "--levels", "a.parquet").splitlines()]
        rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
        self.assertEqual(rows[0], ["field", "repetition", "type", "adds", "max r", "max d", "why"])
        for row in [
            ["id", "required", "int64", "0", "0", "always there, once: adds nothing"],
            ["list", "repeated", "group", "r + 1, d + 1", "1 = list", "2 = tags + list", "may be empty: d; may have further elements: r"],
            ["element", "optional", "binary", "d + 1", "1 = list", "3 = tags + list + element", "may be null: d"],
            ["key_value", "repeated", "group", "r + 1, d + 1", "1 = key_value", "2 = m + key_value",
             "may be empty: d; may have further entries: r"],
        ]:
            self.assertIn(row, rows)

    def test_sums_of_levels_of_a_long_path_are_cut_at_the_front(self):
        names = [f"a_long_name_of_field_{i:02}" for i in range(30)]
        text = "".join(f"optional group {name} {{ " for name in names) + "required int32 x; " + "} " * len(names)
        self.make("deep.parquet", "", "--schema", "message m { " + text + "}")
        last = self.good("schema", "--levels", "deep.parquet").splitlines()[-1]
        self.assertRegex(last, r"  30 = \.\.\. \+ a_long_name_of_field_\d\d \+ .*_28 \+ a_long_name_of_field_29  ")
        self.assertLess(len(last), 700)

    def test_arrow_types_are_those_that_readers_get(self):
        self.make_empty()
        self.assertEqual(
            self.good("schema", "--arrow", "a.parquet").splitlines(),
            [
                "id: int64 not null",
                "user: struct<name: string, score: double>",
                "tags: list<element: string>",
                "m: map<string, date32[day]>",
                "u: extension<arrow.uuid: fixed_size_binary[16]> not null",
                "t: timestamp[us, tz=UTC]",
                "d: decimal128(9, 2)",
            ],
        )

    def test_sql_creates_the_table(self):
        self.make_empty()
        text = self.good("schema", "--sql", "a.parquet")
        self.assertEqual(
            text,
            'CREATE TABLE "a" (\n    "id" BIGINT NOT NULL,\n    "user" STRUCT("name" VARCHAR, "score" DOUBLE),\n'
            '    "tags" VARCHAR[],\n    "m" MAP(VARCHAR, DATE),\n    "u" UUID NOT NULL,\n'
            '    "t" TIMESTAMP WITH TIME ZONE,\n    "d" DECIMAL(9,2)\n);\n',
        )

    def test_names_that_sql_cannot_have_twice_are_numbered(self):
        self.make("a", [{"x": 1, "X": 2, "": 3, "g": {"y": 1, "Y": 2, "Y_1": 3}}])
        self.assertEqual(
            self.good("schema", "--sql", "a"),
            'CREATE TABLE "a" (\n    "x" BIGINT,\n    "X_1" BIGINT, -- in the file "X"\n    "_" BIGINT, -- in the file ""\n    "g" JSON\n);\n',
        )

    def test_postgresql_has_json_for_what_is_nested(self):
        self.make_empty()
        text = self.good("schema", "--postgresql", "a.parquet")
        self.assertEqual(
            text,
            'CREATE TABLE "a" (\n    "id" BIGINT NOT NULL,\n    "user" JSONB,\n    "tags" TEXT[],\n    "m" JSONB,\n'
            '    "u" UUID NOT NULL,\n    "t" TIMESTAMP WITH TIME ZONE,\n    "d" DECIMAL(9,2)\n);\n',
        )

    def test_several_files_are_named(self):
        self.make("a", [{"x": 1}])
        self.make("b", [{"x": 1}])
        self.assertEqual(
            self.good("schema", "a", "b"), "# a\n" + self.good("schema", "a") + "# b\n" + self.good("schema", "b")
        )
        self.assertTrue(self.good("schema", "--sql", "a", "b").startswith('-- a\nCREATE TABLE "a"'))

    def test_names_cannot_break_out(self):
        self.make("a", [{'a"b\n\x1b[1m': 1}])
        self.assertIn('"a""b\\n\\u001b[1m" BIGINT -- in the file U&"a""b\\000A\\001B[1m"\n', self.good("schema", "--sql", "a"))
        self.assertIn('U&"a""b\\000A\\001B[1m" BIGINT\n', self.good("schema", "--postgresql", "a"))
        for arguments in (["--arrow"], ["--levels"]):
            text = self.good("schema", *arguments, "a")
            self.assertIn('a"b\\n\\u001b[1m', text)
            self.assertNotIn("\x1b", text)


class Summary(program.ProgramTest):
    def summary(self, *arguments):
        return json.loads(self.good("summary", "--json", *arguments))

    def test_columns_add_up_over_row_groups_and_files(self):
        self.make("a", RECORDS, "--row-group-rows", "20")
        self.make("b", RECORDS[:7])
        whole = self.summary("a", "b")
        sizes = sum(os.path.getsize(self.path(name)) for name in "ab")
        self.assertEqual((whole["files"], whole["rows"], whole["row_groups"], whole["bytes"]), (2, 57, 4, sizes))
        columns = {column["path"]: column for column in whole["columns"]}
        self.assertEqual(list(columns), ["id", "user.name", "user.score", "tags.list.element"])
        self.assertEqual((columns["id"]["min"], columns["id"]["max"], columns["id"]["nulls"]), (0, 49, 0))
        score = columns["user.score"]
        self.assertEqual((score["values"], score["nulls"], score["min"], score["max"]), (57, 20, 0.25, 12.25))
        chunks = [chunk for name in "ab" for group in json.loads(self.good("meta", "--json", name))["row_groups"]
                  for chunk in group["columns"] if chunk["path"] == "id"]  # fmt: skip
        self.assertEqual(columns["id"]["stored"], sum(chunk["total_compressed_size"] for chunk in chunks))

    def test_what_a_chunk_does_not_state_is_not_known(self):
        self.make("a", RECORDS)
        self.make("b", RECORDS, "--no-statistics")
        column = self.summary("--columns", "id", "a", "b")["columns"][0]
        self.assertNotIn("min", column)
        self.assertNotIn("nulls", column)
        table = self.good("summary", "--columns", "id", "a", "b").splitlines()
        self.assertEqual(table[3].split()[-4:], ["-"] * 4)

    def test_a_column_of_another_type_is_another_column(self):
        self.make("a", [{"x": 1}])
        self.make("b", [{"x": "1"}])
        self.assertEqual([c["type"] for c in self.summary("a", "b")["columns"]], ["INT64", "BYTE_ARRAY STRING"])

    def test_the_table_has_shares_that_add_up(self):
        self.make("a", RECORDS)
        lines = self.good("summary", "a").splitlines()
        self.assertTrue(lines[0].startswith("50 rows in 1 row group of 1 file, "))
        shares = [float(line.split(" %")[0].split()[-1]) for line in lines[3:]]
        self.assertAlmostEqual(sum(shares), 100, delta=0.3)

    def test_many_files_do_not_stay_open(self):
        self.make("a", RECORDS)
        whole = self.summary(*["a"] * 1500)
        self.assertEqual((whole["files"], whole["rows"]), (1500, 75000))


FOUND_SCHEMA = """message m {
  required int64 n; required binary text (STRING); required double real; optional int32 few;
  repeated int64 list; optional binary none (STRING);
}"""
FOUND = [{"n": 10**15 + 7 * n, "text": f"line {n} of a text that goes on, {n * n % 997}", "real": n / 100, "few": n % 3 or None,
          "list": [n, n + 1] if n % 5 else []} for n in range(30000)]  # fmt: skip


class Findings(program.ProgramTest):
    def find(self, *arguments):
        return [json.loads(line) for line in self.good("summary", "--findings", "--json", *arguments).splitlines()]

    def stored(self, name, path):
        columns = json.loads(self.good("summary", "--json", name))["columns"]
        return sum(column["stored"] for column in columns if column["path"] == path)

    def test_what_is_found_is_what_rewrite_makes_of_it(self):
        self.make("a", FOUND, "--schema", FOUND_SCHEMA, "--codec", "uncompressed", "--no-dictionary", "--compat", "max")
        found = self.find("a")[0]["sizes"]
        self.assertEqual((found["judged"], found["failed"]), (5, 0))
        columns = {finding["path"]: finding for finding in found["findings"] if finding["kind"] == "encoding"}
        self.assertEqual(set(columns), {"n", "text", "real", "few", "list"})
        self.assertIn("encoding n=delta_binary_packed", columns["n"]["options"])
        for path, finding in columns.items():
            with self.subTest(path):
                self.assertEqual(finding["stored"], self.stored("a", path))
                self.good("rewrite", *finding["options"].split(), "--columns", path, "-o", "b", "a")
                real = self.stored("b", path)
                # By a sample: of what would be saved a tenth may be missing.
                self.assertLess(abs(finding["stored"] - finding["saves"] - real), 0.1 * finding["stored"], finding["text"])
                self.assertGreater(finding["saves"], 0.1 * finding["stored"])
                self.assertTrue(finding["text"].startswith(path + ": "))
        saves = [finding["saves"] for finding in found["findings"]]
        self.assertEqual(saves, sorted(saves, reverse=True))
        self.good("rewrite", *found["options"].split(), "-o", "b", "a")
        self.assertLess(os.path.getsize(self.path("b")), os.path.getsize(self.path("a")) - 0.9 * sum(f["saves"] for f in columns.values()))
        self.assertEqual(self.find("a"), self.find("a"))

    def test_nothing_is_proposed_that_common_readers_lack(self):
        self.make("a", FOUND, "--schema", FOUND_SCHEMA, "--codec", "uncompressed", "--no-dictionary", "--compat", "max")
        of = {"max": "rle_dictionary plain rle", "modern": "delta byte_stream_split rle_dictionary plain", "newest": "alp"}
        texts = {compat: self.good("summary", "--findings", "--compat", compat, "a") for compat in of}
        self.assertEqual(self.good("summary", "--findings", "a"), texts["modern"])
        self.assertNotIn("ALP", texts["modern"] + texts["max"])
        self.assertNotRegex(texts["max"], "DELTA|BYTE_STREAM_SPLIT")
        self.assertIn("DELTA", texts["modern"])
        self.assertIn("ALP", texts["newest"])
        self.assertIn("--compat needs --findings", self.misuse("summary", "--compat", "max", "a"))

    def test_a_share_below_all_is_no_hundred(self):
        self.make("a", [{"n": 7} for _ in range(60000)], "--codec", "uncompressed", "--no-dictionary", "--compat", "max")
        text = self.find("a")[0]["sizes"]["findings"][0]["text"]
        self.assertRegex(text, r"would take 99\.\d+ % less")

    def test_who_cannot_read_alp_is_said_once(self):
        self.make("a", [{"x": n / 4, "y": n / 8} for n in range(100)])
        note = ("lamella: --encoding x=alp: only the newest readers know ALP; DuckDB 2.0, Polars 2.1 and pyarrow 26 do not "
                "(--compat newest leaves this line out)\n")  # fmt: skip
        for command in (["rewrite"], ["import"]):
            status, _, errors = self.run_program(*command, "--encoding", "x=alp", "--encoding", "y=alp", "-o", "b", "a")
            self.assertEqual((status, errors), (0, note))
            self.good(*command, "--encoding", "x=alp", "--compat", "newest", "-o", "b", "a")
            self.good(*command, "--encoding", "x=plain", "-o", "b", "a")

    def test_what_a_good_writer_wrote_has_no_finding(self):
        self.make("a", FOUND, "--schema", FOUND_SCHEMA, "--compat", "newest")
        self.assertEqual([f["text"] for f in self.find("a")[0]["sizes"]["findings"]], [])
        self.assertIn("No finding", self.good("summary", "--findings", "a"))

    def test_what_is_not_data_is_found_too(self):
        self.make("a", FOUND[:3000], "--schema", FOUND_SCHEMA, "--row-group-rows", "50", "--page-size", "64",
                  "--meta", "k=" + "v" * 100000)  # fmt: skip
        kinds = {finding["kind"]: finding for finding in self.find("a")[0]["sizes"]["findings"]}
        self.assertLessEqual({"pages", "row_groups", "footer", "key_values", "page_index"}, set(kinds))
        self.assertGreaterEqual(kinds["key_values"]["saves"], 100000)
        with open(self.path("a"), "rb") as file:
            data = file.read()
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        self.put("c", data[:footer] + bytes(5000) + data[footer:])
        gaps = [finding for finding in self.find("c")[0]["sizes"]["findings"] if finding["kind"] == "gaps"]
        self.assertEqual([gap["saves"] for gap in gaps], [5000])
        self.good("rewrite", "-o", "d", "c")
        self.assertEqual([f for f in self.find("d")[0]["sizes"]["findings"] if f["kind"] == "gaps"], [])

    def test_what_a_log_keeps_to_survive_is_no_sign_of_damage(self):
        self.put("lines", "".join('{"seq":%d}\n' % i for i in range(2000)).encode())
        self.good("log", "--checkpoint", "100rows", "-o", "a", "lines")
        (gap,) = [finding for finding in self.find("a")[0]["sizes"]["findings"] if finding["kind"] == "gaps"]
        self.assertIn("by them a log survives", gap["text"])
        self.good("rewrite", "-o", "b", "a")
        self.assertEqual([f for f in self.find("b")[0]["sizes"]["findings"] if f["kind"] == "gaps"], [])

    def test_a_column_that_cannot_be_read_is_counted_and_the_others_are_judged(self):
        self.make("a", FOUND, "--schema", FOUND_SCHEMA, "--codec", "uncompressed", "--no-dictionary", "--compat", "max")
        chunk = json.loads(self.good("meta", "--json", "a"))["row_groups"][0]["columns"][1]
        with open(self.path("a"), "r+b") as file:
            file.seek(chunk["data_page_offset"])
            file.write(b"\xff" * 64)
        found = self.find("a")[0]["sizes"]
        self.assertEqual((found["failed"], found["judged"]), (1, 4))

    def test_columns_are_chosen_and_files_named(self):
        self.make("a", FOUND[:9000], "--schema", FOUND_SCHEMA, "--codec", "uncompressed")
        both = self.find("--columns", "text", "a", "a")
        self.assertEqual([one["file"] for one in both], ["a", "a"])
        self.assertEqual({f["path"] for f in both[0]["sizes"]["findings"] if "path" in f}, {"text"})
        self.assertTrue(self.good("summary", "--findings", "a").startswith("a, "))


class Meta(program.ProgramTest):
    def test_columns_and_a_row_group_are_chosen(self):
        self.make("a", RECORDS, "--row-group-rows", "20")
        whole = json.loads(self.good("meta", "--json", "a"))
        part = json.loads(self.good("meta", "--json", "--columns", "user", "--row-group", "1", "a"))
        self.assertEqual(
            [chunk for chunk in whole["row_groups"][1]["columns"] if chunk["path"].startswith("user.")],
            part["row_groups"][0]["columns"],
        )
        self.assertEqual(len(part["row_groups"]), 1)
        lines = self.good("meta", "--columns", "user.name", "--row-group", "2", "a").splitlines()
        self.assertEqual(lines[-3][:12], "row group 2:")
        self.assertEqual(lines[-1].split()[0], "user.name")
        self.assertIn("no row group 3: there are 3", self.bad("meta", "--row-group", "3", "a", status=2))
        self.misuse("meta", "--columns", "x", "a")

    def test_the_chosen_columns_and_all_row_groups_are_added_up(self):
        self.make("a", RECORDS, "--row-group-rows", "20")
        groups = json.loads(self.good("meta", "--json", "a"))["row_groups"]
        lines = [line.split() for line in self.good("meta", "--columns", "user", "--row-group", "0", "a").splitlines()]
        chunks = [chunk for chunk in groups[0]["columns"] if chunk["path"].startswith("user.")]
        self.assertEqual(
            lines[-1], ["total"] + [str(sum(c[f"total_{kind}_size"] for c in chunks)) for kind in ("compressed", "uncompressed")]
        )  # fmt: skip
        stored, whole = (sum(group[name] for group in groups) for name in ("total_compressed_size", "total_byte_size"))
        self.assertEqual(
            self.good("meta", "a").splitlines()[-1],
            f"all row groups: 50 rows, {stored} bytes stored, {whole} bytes uncompressed",
        )

    def test_a_line_break_in_a_name_does_not_break_the_table(self):
        """It did: the rest of the name began a line of its own."""
        self.make("a", [{"a\nb": 1, "c": 2}])
        for arguments in (["meta"], ["pages"], ["levels"], ["summary"]):
            self.assertIn("a\\nb", self.good(*arguments, "a"))


if __name__ == "__main__":
    program.main()
