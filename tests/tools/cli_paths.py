# SPDX-License-Identifier: Apache-2.0
"""Paths: one grammar in every option, and what is printed reads back to the same field.

A name with a dot and a field in a group are two fields; what may mean several is an error that lists them.
"""

import csv
import io
import json
import os
import random
import shutil
import subprocess

import program

DOTTED = {"a.b": 1, "a": {"b": 2}}


class Paths(program.ProgramTest):
    def make_dotted(self, count=1):
        self.make("d.parquet", [{"a.b": 1 + n % 3, "a": {"b": 2 + n % 2}} for n in range(count)])

    def make_twins(self):
        """Two fields named ra, as other writers make them: the second of three names is changed into the first."""
        self.make("r.parquet", [{"ra": n, "rb": 3 + n, "c": n} for n in range(1, 4)], "--codec", "uncompressed")
        with open(self.path("r.parquet"), "rb") as file:
            content = file.read()
        self.put("r.parquet", content.replace(b"\x02rb", b"\x02ra"))
        self.assertEqual(self.good("cat", "--limit", "1", "r.parquet"), '{"ra":1,"ra":4,"c":1}\n')

    def leaf_of(self, order):
        """The columns by which the rows of a file are sorted, as its footer has them."""
        return [column["path"] for column in json.loads(self.good("meta", "--json", order))["row_groups"][0]["sorting_columns"]]

    # --- A name with a dot, and a field in a group

    def test_conditions_and_columns_name_the_same_fields(self):
        self.make_dotted()
        for path, value in [('"a.b"', 1), ("a.b", 2), ('a."b"', 2), ('"a".b', 2)]:
            self.assertEqual(self.good("count", "--where", f"{path} = {value}", "d.parquet"), "1\n", path)
            self.assertEqual(self.good("count", "--where", f"{path} = {3 - value}", "d.parquet"), "0\n", path)
            record = {"a.b": 1} if value == 1 else {"a": {"b": 2}}
            self.assertEqual(json.loads(self.good("cat", "--columns", path, "d.parquet")), record)
        self.assertEqual(json.loads(self.good("cat", "--columns", '"a.b",a.b', "d.parquet")), DOTTED)
        self.assertEqual(json.loads(self.good("cat", "--columns", '*,!"a.b"', "d.parquet")), {"a": {"b": 2}})

    def test_a_name_with_a_dot_needs_no_marks_where_nothing_else_is_meant(self):
        self.make("n.parquet", [{"service.name": "x", "No.": 1, "": 2, "g": {"h.i": 3}}])
        self.assertEqual(self.good("count", "--where", "service.name = 'x'", "n.parquet"), "1\n")
        self.assertEqual(self.good("count", "--where", "g.h.i = 3 and \"No.\" = 1", "n.parquet"), "1\n")
        self.assertEqual(self.good("cat", "--columns", "service.name", "n.parquet"), '{"service.name":"x"}\n')
        for name in ["service.name", "No.", '"No."', "g.h.i", 'g."h.i"', '""']:
            self.good("rewrite", "--sort-by", name, "-o", "s.parquet", "n.parquet")

    def test_the_empty_name_is_no_root(self):
        self.make("e.parquet", [{"": "foo", "x": 1}, {"": "bar", "x": 2}])
        self.assertEqual(self.good("cat", "--where", "\"\" = 'foo'", "e.parquet"), '{"":"foo","x":1}\n')
        self.assertEqual(self.good("cat", "--columns", '""', "e.parquet"), '{"":"foo"}\n{"":"bar"}\n')

    def test_every_option_of_rewrite_takes_marks(self):
        self.make_dotted(6)
        for path, values in [('"a.b"', [1, 1, 2, 2, 3, 3]), ("a.b", [2, 2, 2, 3, 3, 3])]:
            self.good("rewrite", "--sort-by", path, "-o", "s.parquet", "d.parquet")
            self.assertEqual(self.leaf_of("s.parquet"), [path])
            rows = [json.loads(line) for line in self.good("cat", "s.parquet").splitlines()]
            self.assertEqual([row["a.b"] if path[0] == '"' else row["a"]["b"] for row in rows], values)
            for suffix in [":asc", ":desc", ":desc:nulls-first", ":nulls-first:asc"]:
                self.good("rewrite", "--sort-by", path + suffix, "-o", "s.parquet", "d.parquet")
            for option, key, wanted in [("--bloom", "bloom_filter_offset", None), ("--encoding", "encodings", "DELTA_BINARY_PACKED")]:
                value = path if wanted is None else path + "=delta_binary_packed"
                self.good("rewrite", option, value, "-o", "b.parquet", "d.parquet")
                chunks = json.loads(self.good("meta", "--json", "b.parquet"))["row_groups"][0]["columns"]
                has = [chunk["path"] for chunk in chunks if (key in chunk if wanted is None else wanted in chunk[key])]
                self.assertEqual(has, [path], option)
        self.good("rewrite", "--partition-by", '"a.b"', "-o", "p", "d.parquet")
        self.assertEqual(sorted(os.listdir(self.path("p"))), ["a.b=1", "a.b=2", "a.b=3"])
        self.assertIn("inside a group", self.misuse("rewrite", "--partition-by", "a.b", "-o", "q", "d.parquet"))
        self.make("c.parquet", [{"x,y": 1, "z": 2, "v": 3}])
        self.good("rewrite", "--partition-by", '"x,y", z', "-o", "c", "c.parquet")
        self.assertEqual(os.listdir(self.path("c")), ["x,y=1"])

    def test_names_that_end_like_a_direction_can_be_said(self):
        self.make("t.parquet", [{"t:desc": n, "t": -n} for n in range(3)])
        for key, first in [('"t:desc"', 0), ('"t:desc":desc', 2), ("t:desc:desc", 2), ("t:desc:asc", 0), ("t:desc", 0)]:
            self.good("rewrite", "--sort-by", key, "-o", "s.parquet", "t.parquet")
            self.assertEqual(json.loads(self.good("head", "-n1", "s.parquet"))["t:desc"], first, key)

    def test_every_option_of_import_takes_marks(self):
        text = json.dumps(DOTTED)
        for path, other in [('"a.b"', "a.b"), ("a.b", '"a.b"')]:
            self.good("import", "--bloom", path, "--encoding", path + "=plain", "--sorted", path, "-o", "i.parquet", "-", stdin=text)
            self.assertEqual(self.leaf_of("i.parquet"), [path])
            chunks = json.loads(self.good("meta", "--json", "i.parquet"))["row_groups"][0]["columns"]
            self.assertEqual([chunk["path"] for chunk in chunks if "bloom_filter_offset" in chunk], [path])
            self.good("import", "--type", path + "=double", "-o", "i.parquet", "-", stdin=text)
            types = {column["path"]: column["type"] for column in json.loads(self.good("summary", "--json", "i.parquet"))["columns"]}
            self.assertEqual(types, {path: "DOUBLE", other: "INT64"})
            self.good("import", "--variant", path, "-o", "i.parquet", "-", stdin=text)
            self.assertEqual(self.good("count", "--where", f"{path} is not missing", "i.parquet"), "1\n")
            self.good("import", "--variant", path, "--shred", path + "=optional int64 typed_value;", "-o", "i.parquet", "-", stdin=text)
            self.assertIn(path + ".typed_value", self.good("summary", "i.parquet"))
        deep = '{"a":{"c.d":[{"e.f":1,"e=f":2}]}}'
        for option in ['a."c.d"[]."e.f"=double', 'a."c.d".list.element."e.f"=double', 'a."c.d"[]."e=f"=double', 'a."c.d"[].e=f=double']:
            self.good("import", "--type", option, "-o", "i.parquet", "-", stdin=deep)
            self.assertIn("DOUBLE", self.good("summary", "i.parquet"))
        self.assertIn("is ambiguous", self.bad("import", "--type", "a.b.c=double", "-o", "i", "-", stdin='{"a.b":{"c":1},"a":{"b.c":2}}'))

    def test_columns_of_csv_have_the_names_of_their_fields(self):
        self.put("c.csv", 'a.b,"say ""hi""","x,y",plain\n1,2,3,4\n')
        for option, name in [("a.b", "a.b"), ('"a.b"', "a.b"), ('"say ""hi"""', 'say "hi"'), ('"x,y"', "x,y"), ("x,y", "x,y")]:
            self.good("import", "--type", option + "=double", "-o", "c.parquet", "c.csv")
            fields = json.loads(self.good("schema", "--json", "c.parquet"))["fields"]
            self.assertEqual([field["name"] for field in fields if field["type"] == "double"], [name])
        self.good("import", "-o", "c.parquet", "c.csv")
        self.assertEqual(self.good("cat", "-f", "csv", "c.parquet"), 'a.b,"say ""hi""","x,y",plain\n1,2,3,4\n')

    def test_headers_of_csv_are_names_and_paths_only_where_they_must(self):
        self.make_dotted()
        self.assertEqual(self.good("cat", "-f", "csv", "d.parquet"), '"""a.b""",a.b\n1,2\n')
        self.make("n.parquet", [{"a.b": 1, "full name": 2, "g": {"h": 3, "in": 4}}])
        self.assertEqual(self.good("cat", "-f", "csv", "n.parquet"), "a.b,full name,g.h,g.in\n1,2,3,4\n")

    def test_records_are_at_a_path_with_marks(self):
        self.put("w.json", '{"a.b":[{"x":1},{"x":2}],"a":{"b":[{"x":3}]}}')
        for path, values in [('"a.b"[]', [1, 2]), ("a.b[]", [3]), ('a."b"[]', [3])]:
            self.good("import", "--records", path, "-o", "w.parquet", "w.json")
            self.assertEqual([json.loads(line)["x"] for line in self.good("cat", "w.parquet").splitlines()], values)
        for path in ["", '"a', "a.", ".", 'a"b"[]x', '"a"b', "a[]b"]:
            self.misuse("import", "--records", path, "-o", "w.parquet", "w.json")

    def test_folders_and_logs_take_marks(self):
        self.good("log", "--by", '"a.b"', "-o", "l", stdin=json.dumps(DOTTED) + "\n")
        self.assertEqual(os.listdir(self.path("l")), ["a.b=1"])
        self.make_dotted(6)
        self.good("rewrite", "--partition-by", '"a.b"', "-o", "p", "d.parquet")
        self.assertEqual(self.good("count", "--where", '"a.b" = 3', "p").splitlines()[-1].split()[0], "2")
        self.assertEqual(self.good("count", "--where", "a.b = 3", "p").splitlines()[-1].split()[0], "3")

    def test_several_inputs_are_asked_for_one_field(self):
        """In a file that has only the field a.b, the path a.b does not mean that one if another has a group."""
        self.make("x.parquet", [{"k": 1, "a.b": 5}])
        self.make("y.parquet", [{"k": 2, "a": {"b": 5}}])
        self.good("rewrite", "--where", "a.b = 5", "-o", "z.parquet", "x.parquet", "y.parquet")
        self.assertEqual(self.good("cat", "--no-nulls", "z.parquet"), '{"k":2,"a":{"b":5}}\n')
        self.good("rewrite", "--where", '"a.b" = 5', "-o", "z2.parquet", "x.parquet", "y.parquet")
        self.assertEqual(self.good("cat", "--no-nulls", "z2.parquet"), '{"k":1,"a.b":5}\n')

    # --- Two fields of one name

    def test_a_name_that_two_fields_have_is_ambiguous(self):
        self.make_twins()
        meanings = "'ra' is ambiguous: ra (column 0), ra (column 1)"
        for arguments in [
            ["cat", "--where", "ra = 5"],
            ["count", "--where", "ra is null"],
            ["rewrite", "-o", "o", "--where", "ra = 5"],
            ["rewrite", "-o", "o", "--sort-by", "ra"],
            ["rewrite", "-o", "o", "--partition-by", "ra"],
            ["rewrite", "-o", "o", "--bloom", "ra"],
            ["rewrite", "-o", "o", "--encoding", "ra=plain"],
            ["explain", "-o", "o", "--where", "ra = 5"],
        ]:
            self.assertTrue(self.misuse(*arguments, "r.parquet").endswith(meanings), arguments)
        self.assertEqual(self.good("count", "--where", "c = 2", "r.parquet"), "1\n")

    def test_options_that_select_take_both(self):
        self.make_twins()
        self.assertEqual(self.good("cat", "--columns", "ra", "--limit", "1", "r.parquet"), '{"ra":1,"ra":4}\n')
        self.assertEqual(self.good("cat", "--columns", "*,!ra", "--limit", "1", "r.parquet"), '{"c":1}\n')
        columns = json.loads(self.good("summary", "--json", "--columns", "ra", "r.parquet"))["columns"]
        self.assertEqual([(c["path"], c["values"], c["min"], c["max"]) for c in columns], [("ra", 3, 1, 3), ("ra", 3, 4, 6)])

    def test_summary_has_a_line_for_each_leaf(self):
        self.make_twins()
        self.make("s.parquet", [{"ra": 9, "d": 1}])
        columns = json.loads(self.good("summary", "--json", "r.parquet", "s.parquet", "r.parquet"))["columns"]
        self.assertEqual(
            [(c["path"], c["values"], c["min"], c["max"]) for c in columns],
            [("ra", 7, 1, 9), ("ra", 6, 4, 6), ("c", 6, 1, 3), ("d", 1, 1, 1)],
        )
        self.make_dotted()
        columns = json.loads(self.good("summary", "--json", "d.parquet"))["columns"]
        self.assertEqual([(c["path"], c["min"]) for c in columns], [('"a.b"', 1), ("a.b", 2)])

    def test_dots_that_lead_to_several_fields_are_ambiguous(self):
        self.make("m.parquet", [{"a.b": {"c": 1}, "a": {"b.c": 2}}])
        for option in [["--where", "a.b.c = 1"], ["--columns", "a.b.c"]]:
            self.assertIn("'a.b.c' is ambiguous: ", self.misuse("cat", *option, "m.parquet"))
        for path, record in [('"a.b".c', {"a.b": {"c": 1}}), ('a."b.c"', {"a": {"b.c": 2}})]:
            self.assertEqual(json.loads(self.good("cat", "--columns", path, "m.parquet")), record)

    # --- What is printed reads back

    NAMES = ["a", "b", "a.b", "b.c", "", " ", "a b", "say \"hi\"", "x[]", "[", "]", "*", "!a", "-a", "in", "Null", "1", "a=b", "a,b",
             "t:desc", "it's", "größe", "\u202e", "a\nb", ".", "a.", "\\", "'", "\"", "\"a\"", "m['k']", "a\tb"]  # fmt: skip

    def random_record(self, chance, depth=0):
        record = {}
        for name in chance.sample(self.NAMES, chance.randint(2, 6)):
            kind = chance.random()
            if depth < 3 and kind < 0.3:
                record[name] = self.random_record(chance, depth + 1)
            elif depth < 3 and kind < 0.4:
                record[name] = [self.random_record(chance, depth + 1)]
            else:
                record[name] = chance.randint(0, 100)
        return record

    def test_every_printed_path_is_that_of_its_leaf_in_every_option(self):
        seed = int(os.environ.get("LAMELLA_SEED", "20261129"))
        chance = random.Random(seed)
        for turn in range(6):
            record = self.random_record(chance)
            self.make("h.parquet", [record, record])
            leaves = [column["path"] for column in json.loads(self.good("meta", "--json", "h.parquet"))["row_groups"][0]["columns"]]
            self.assertEqual(len(set(leaves)), len(leaves), (seed, record))
            for path in chance.sample(leaves, min(4, len(leaves))):
                with self.subTest(seed=seed, turn=turn, path=path):
                    self.assert_is_leaf(path)

    def assert_is_leaf(self, path):
        def only(*arguments):
            columns = json.loads(self.good("meta", "--json", *arguments))["row_groups"][0]["columns"]
            return [column["path"] for column in columns]

        self.assertEqual(only("--columns", path, "h.parquet"), [path])
        self.assertEqual([c["path"] for c in json.loads(self.good("summary", "--json", "--columns", path, "h.parquet"))["columns"]], [path])
        self.good("rewrite", "--columns", path, "-o", "o.parquet", "h.parquet")
        self.assertEqual(only("o.parquet"), [path])
        self.good("rewrite", "--columns", "*,!" + path, "-o", "o.parquet", "h.parquet")
        self.assertEqual(sorted([*only("o.parquet"), path]), sorted(only("h.parquet")))
        self.good("rewrite", "--bloom", path, "--encoding", path + "=delta_binary_packed", "-o", "o.parquet", "h.parquet")
        columns = json.loads(self.good("meta", "--json", "o.parquet"))["row_groups"][0]["columns"]
        self.assertEqual([c["path"] for c in columns if "bloom_filter_offset" in c], [path])
        self.assertEqual([c["path"] for c in columns if "DELTA_BINARY_PACKED" in c["encodings"]], [path])
        self.assertEqual(self.good("diff", "--columns", path, "h.parquet", "h.parquet"), "")
        self.assertEqual(self.good("count", "--where", f"{path} is not null", "h.parquet"), "2\n")
        self.assertIn(json.dumps(path, ensure_ascii=False)[1:-1], self.good("levels", "--json", "--columns", path, "h.parquet"))
        if ".list.element" not in path:
            self.good("rewrite", "--sort-by", path, "-o", "o.parquet", "h.parquet")
            self.assertEqual(self.leaf_of("o.parquet"), [path])

    def test_a_misspelt_path_names_one_that_can_be_pasted(self):
        self.make("g.parquet", [{"user-agent": "x", "a.b": 1, "a": {"c": 2}}])
        for wrong, meant in [('"user-agnt"', '"user-agent"'), ('"a".b', '"a.b"'), ('"a.c"', "a.c")]:
            for option in [["--where", wrong + " is null"], ["--columns", wrong]]:
                self.assertIn(f"(did you mean {meant}?)", self.misuse("cat", *option, "g.parquet"))
            self.assertIn(f"(did you mean {meant}?)", self.misuse("rewrite", "--sort-by", wrong, "-o", "o", "g.parquet"))
            self.good("cat", "--columns", meant, "g.parquet")

    # --- Completions

    def offered(self, *words):
        lines = self.good("--complete", str(len(words) - 1), *words).splitlines()
        return [line.split("\t")[0] for line in lines[:-1]]

    def test_shells_offer_paths_and_values(self):
        self.make("d.parquet", [{"a.b": 1, "a": {"b": 2}, "full name": 3}])
        self.assertEqual(self.offered("cat", "d.parquet", "--where", ""), ['"a.b"', "a", "a.b", '"full name"'])
        self.assertEqual(self.offered("cat", "d.parquet", "--where", "a.b = 1 and a."), ["a.b = 1 and a.b"])
        self.assertEqual(self.offered("cat", "d.parquet", "--where", '(a.b>"f'), ['(a.b>"full name"'])
        self.assertEqual(self.offered("cat", "d.parquet", "--where", "a.b = 'x a"), [])
        self.assertEqual(self.offered("cat", "d.parquet", "--where", "a.b = 'x' or a.b"), ["a.b = 'x' or a.b"])
        self.assertEqual(self.offered("rewrite", "d.parquet", "--sort-by", ""), ['"a.b"', "a", "a.b", "full name"])
        self.assertEqual(self.offered("rewrite", "d.parquet", "--encoding", '"a.b"=b'), ['"a.b"=byte_stream_split'])
        self.assertEqual(self.offered("rewrite", "d.parquet", "--codec", "z"), ["zstd"])
        self.assertEqual(self.offered("import", "--type", "x=timestamp_utc_m"), ["x=timestamp_utc_ms"])
        self.assertEqual(self.offered("rewrite", "--encoding=a=al", "d.parquet")[:0], [])

    def test_bash_offers_them_within_quotes(self):
        bash = shutil.which("bash")
        if bash is None:
            self.skipTest("bash is missing")
        self.make("d.parquet", [{"fare": 1, "tip": 2, "full name": 3}])
        self.put("script", self.good("--generate", "bash"))
        for words, current, replies in [
            (["lamella", "cat", "d.parquet", "--columns", "fare,t"], "fare,t", ["fare,tip"]),
            (["lamella", "cat", "d.parquet", "--where", "'fare > 1 and t"], "fare > 1 and t", ["fare > 1 and tip"]),
            (["lamella", "cat", "d.parquet", "--where", '"fare > 1 and \\"f'], 'fare > 1 and "f', ['fare > 1 and \\"full name\\"']),
            (["lamella", "cat", "d.parquet", "--where", "=", "'t"], "t", ["tip"]),
        ]:
            line = " ".join(words).replace(" = ", "=")
            environment = {**os.environ, "PATH": os.path.dirname(program.PROGRAM) + ":" + os.environ["PATH"], "LINE": line, "CURRENT": current}
            quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
            done = subprocess.run(
                [bash, "--norc", "-c", f'source ./script; COMP_LINE=$LINE; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; '
                 '_lamella lamella "$CURRENT"; printf "%s\\n" "${COMPREPLY[@]}"'],
                cwd=self.folder, capture_output=True, text=True, check=False, env=environment,
            )  # fmt: skip
            self.assertEqual((done.stderr, done.stdout.splitlines()), ("", replies), line)

    # --- Bad paths

    def test_texts_that_are_no_paths_are_refused(self):
        self.make("d.parquet", [{"a": 1}])
        for text in ['"', '"a', '"a"b', "a[]b", '"a""', "a..b", "." * 100000, "a." * 3000 + "a", '"' * 99999, "\\", "\u0001", "a" * 100000]:
            for arguments in [["cat", "--columns", text], ["cat", "--where", text + " is null"], ["rewrite", "-o", "o", "--sort-by", text],
                              ["rewrite", "-o", "o", "--bloom", text]]:  # fmt: skip
                status, _, errors = self.run_program(*arguments, "d.parquet")
                self.assertEqual((status, errors.count("\n")), (2, 1), (text[:20], len(text), arguments[:-1], errors))
        self.assertEqual(self.files(), ["d.parquet"])

    def test_many_columns_are_found_at_once(self):
        """A search of all columns for each name would take hours."""
        count = 20000
        names = [f"c.{n}" if n % 2 else f'q"{n}' for n in range(count)]
        self.put("w.schema", "message m { " + "".join(f"optional int32 {json.dumps(name)}; " for name in names) + "}")
        self.put("w.json", "{}\n")
        self.good("import", "--schema", "w.schema", "-o", "w.parquet", "w.json")
        wanted = ",".join('"' + name.replace('"', '""') + '"' for name in names[:6000])
        rows = list(csv.reader(io.StringIO(self.good("cat", "-f", "csv", "--columns", wanted, "w.parquet"))))
        self.assertEqual(rows[0], names[:6000])


if __name__ == "__main__":
    program.main()
