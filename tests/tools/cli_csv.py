# SPDX-License-Identifier: Apache-2.0
"""Import of CSV and TSV, and of inputs of any kind: packed, from pipes, folders and patterns."""

import csv
import gzip
import io
import json
import os
import random
import signal
import subprocess
import threading
import unittest

import program

try:
    import zstandard
except ImportError:
    zstandard = None

PLAIN = "a,b,c\n1,x,2024-10-24\n2,,2024-10-25\n"
RECORDS = [{"a": 1, "b": "x", "c": "2024-10-24"}, {"a": 2, "b": None, "c": "2024-10-25"}]


class Csv(program.ProgramTest):
    def imported(self, text, *options):
        self.put("in", text)
        self.good("import", "-o", "out", *options, "in")
        return self.records("out")

    def schema_of(self, text, *options):
        self.imported(text, *options)
        lines = self.good("schema", "out").splitlines()[1:-1]
        return [line.strip().removeprefix("optional ") for line in lines]

    def test_types_are_inferred(self):
        text = (
            "i,d,b,day,t,local,utc,u,s,e\n"
            "1,1.5,true,2024-10-24,12:34,2024-10-24 12:34:56,2024-10-24T12:34:56Z,"
            "00112233-4455-6677-8899-aabbccddeeff,007,\n"
        )
        self.assertEqual(
            self.schema_of(text),
            [
                "int64 i;",
                "double d;",
                "boolean b;",
                "int32 day (DATE);",
                "int64 t (TIME(MICROS,false));",
                "int64 local (TIMESTAMP(MICROS,false));",
                "int64 utc (TIMESTAMP(MICROS,true));",
                "fixed_len_byte_array(16) u (UUID);",
                "binary s (STRING);",
                "int32 e (UNKNOWN);",
            ],
        )
        self.assertEqual(
            self.schema_of(text, "--no-infer-times", "--infer-decimals", "--type", "i=int8")[:4],
            ["int32 i (INTEGER(8,true));", "int64 d (DECIMAL(18,1));", "boolean b;", "binary day (STRING);"],
        )

    def test_marks_and_headers(self):
        self.assertEqual(self.imported(PLAIN), RECORDS)
        self.assertEqual(self.imported(PLAIN.replace(",", "\t")), RECORDS)
        self.assertEqual(self.imported(PLAIN.replace(",", ";")), RECORDS)
        self.assertEqual(self.imported(PLAIN.replace(",", "#"), "--delimiter", "#"), RECORDS)
        self.assertEqual(self.imported(PLAIN.replace("\n", "\r\n")), RECORDS)
        self.assertEqual(
            self.imported("a;b\n1,5;'x;y'\n", "--decimal-mark", ",", "--quote", "'"),
            [{"a": 1.5, "b": "x;y"}],
        )
        self.assertEqual(self.imported("1,x\n2,y\n", "--header", "no")[1], {"column1": 2, "column2": "y"})
        self.assertEqual(self.imported("a,b\nNA,x\n1,NA\n", "--null", "NA"), [{"a": None, "b": "x"}, {"a": 1, "b": None}])
        self.assertEqual(self.imported("word\nx\ny\n", "--format", "csv"), [{"word": "x"}, {"word": "y"}])
        self.assertEqual(self.imported("a,b\tc\n1,2\t3\n", "--format", "tsv"), [{"a,b": "1,2", "c": 3}])
        for text in ["word\nx\n", "\x7fELF\0\1"]:
            self.assertEqual(
                self.bad("import", "-o", "out", "-", stdin=text),
                "standard input: neither Parquet nor JSON nor CSV is recognized in it; --format names what it "
                "holds, such as csv for one column, and --skip-lines or --comment leave out what stands before CSV",
            )

    def test_encodings_are_those_of_the_byte_order_mark(self):
        text = "näme,b\né€😀,1\n"
        for encoding, mark in [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")]:
            self.assertEqual(self.imported(mark + text.encode(encoding)), [{"näme": "é€😀", "b": 1}])
        self.assertEqual(
            self.bad("import", "-o", "out", "-", stdin="a,b\nx,\u00e9\n".encode("latin-1")),
            "standard input: line 2, column b: the text is not UTF-8; iconv converts other encodings",
        )

    def test_broken_lines_are_named_or_skipped(self):
        text = 'a,b\n1,2\n3\n4,5,6\n"7"x,8\n9,ten\n11,12\n'
        self.put("in", text)
        self.assertEqual(
            self.bad("import", "-o", "out", "in"), "in: line 3: 1 field, but the first record has 2"
        )
        self.assertEqual(self.files(), ["in"])
        status, _, errors = self.run_program("import", "--skip-bad-lines", "-o", "out", "in")
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"\Alamella: in: skipped 3 lines\nlamella: in: column b becomes a STRING: 2 integers, but 'ten' on line 6 .*\n\Z")
        self.assertEqual(len(self.records("out")), 3)
        status, _, errors = self.run_program("import", "--skip-bad-lines", "--schema", "message m { required int64 a; required int64 b; }", "-o", "out", "in")
        self.assertEqual((status, errors), (0, "lamella: in: skipped 4 lines\n"))
        self.assertEqual(self.records("out"), [{"a": 1, "b": 2}, {"a": 11, "b": 12}])
        self.put("in", 'a,b\n1,"2\n3,4\n')
        self.assertEqual(
            self.bad("import", "-o", "out2", "in"),
            "in: line 2: a quote is not closed until the end of the text",
        )

    def test_a_value_far_behind_the_sample_changes_the_schema(self):
        lines = ["a,b"] + [f"{i},{'x' * 60}" for i in range(100000)] + ["1.5,y"]
        self.put("in", "\n".join(lines))
        self.assertEqual(self.schema_of("\n".join(lines))[0], "double a;")
        with open(self.path("in"), "rb") as source:
            text = source.read()
        self.good("import", "-o", "piped", stdin=text)
        self.assertEqual(self.good("schema", "piped"), self.good("schema", "out"))
        self.assertEqual(self.good("schema", "in"), self.good("schema", "out"))

    def test_types_that_are_given(self):
        self.put("in", "id,price,at\n007,1.10,1729773296\n")
        self.assertEqual(
            self.imported(
                "id,price,at\n007,1.10,1729773296\n", "--type", "id=string", "--type", "price=decimal(9,2)",
                "--type", "at=timestamp_utc", "--epoch", "seconds",
            ),
            [{"id": "007", "price": 1.1, "at": "2024-10-24T12:34:56.000000Z"}],
        )
        self.assertIn("--type: no column x", self.misuse("import", "-o", "o", "--type", "x=int64", "in"))
        self.assertIn("cannot be a VARIANT or MAP", self.misuse("import", "-o", "o", "--type", "id=variant", "in"))
        self.assertIn("it must be PATH=TYPE", self.misuse("import", "-o", "o", "--type", "id=number", "in"))
        self.assertEqual(
            self.bad("import", "-o", "o", "--type", "at=date", "in"),
            "in: line 2, column at: '1729773296' is not DATE, the type that --type gives",
        )

    def test_a_column_of_numbers_but_for_some_rows_says_so(self):
        rows = [*map(str, range(1, 301)), "abc", *map(str, range(10))]
        self.put("in", "id,day,code\n" + "".join(f"{row},2024-01-0{n % 9 + 1},x\n" for n, row in enumerate(rows)).replace("2024-01-05", "n.a.", 1))
        lines = ["lamella: in: column id becomes a STRING: 310 integers, but 'abc' on line 302 (--null 'abc' makes it null, "
                 "--type and --rejects leave its record out)\n",
                 "lamella: in: column day becomes a STRING: 310 dates, but 'n.a.' on line 6 (--null 'n.a.' makes it null, "
                 "--type and --rejects leave its record out)\n"]  # fmt: skip
        for command in (["import", "-o", "out"], ["schema"], ["head"], ["count"]):
            status, _, errors = self.run_program(*command, "in")
            self.assertEqual((status, errors), (0, "".join(lines)), command)
        status, _, errors = self.run_program("import", "-o", "out", "--null", "abc", "--type", "day=string", "in")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.records("out")[300]["id"], None)
        status, _, errors = self.run_program("import", "-o", "out", "--type", "id=int64", "--type", "day=date", "--rejects", "bad", "in")
        self.assertEqual((status, errors), (0, "lamella: in: skipped 2 lines: see bad\n"))
        self.assertEqual(len(self.records("out")), 309)

    def test_what_such_a_row_holds_is_printed_as_it_may_be(self):
        for value, shown, null in [("01", "01", ""), ("it's", "it's", ""), ("\x1b[1m", "\\u001b[1m", ""), ("x" * 30, "x" * 24, ""), ("-", "-", "--null '-' makes it null, ")]:
            self.put("in", f"n,s\n1,x\n{value},y\n3,z\n")
            status, _, errors = self.run_program("import", "-o", "out", "in")
            self.assertEqual((status, errors), (0, f"lamella: in: column n becomes a STRING: 2 integers, but '{shown}' on line 3 ({null}--type and --rejects leave its record out)\n"))
        self.put("in", ",".join(f"c{n}" for n in range(25)) + "\n" + ",".join("1" * 25) + "\n" + ",".join("x" * 25) + "\n")
        errors = self.run_program("import", "-o", "out", "in")[2].splitlines()
        self.assertEqual((len(errors), errors[-1]), (11, "lamella: the same for 15 more columns"))

    def test_dates_and_times_in_other_forms_on_demand(self):
        text = "d,t,u,h\n1/31/2024,2015/01/01 01:00:00,10/Oct/2000:13:55:36 -0700,1:30 PM\n2024-02-01,2016/12/31 23:59:59,1/Jan/2001:00:00:00 +0000,12:00 AM\n"
        forms = ["--time-format", "%m/%d/%Y", "--time-format", "%Y/%m/%d %T", "--time-format", "%d/%b/%Y:%T %z", "--time-format", "%I:%M %p"]
        wanted = [
            {"d": "2024-01-31", "t": "2015-01-01T01:00:00.000000", "u": "2000-10-10T20:55:36.000000Z", "h": "13:30:00.000000"},
            {"d": "2024-02-01", "t": "2016-12-31T23:59:59.000000", "u": "2001-01-01T00:00:00.000000Z", "h": "00:00:00.000000"},
        ]  # fmt: skip
        self.assertEqual(self.imported("d,e\n1/31/2024,x\n"), [{"d": "1/31/2024", "e": "x"}])
        self.assertEqual(self.imported(text, *forms), wanted)
        records = [dict(zip("dtuh", line.split(","))) for line in text.splitlines()[1:]]
        for command in (["import", "-o", "out", "-"], ["log", "-o", "log.parquet"]):
            for source in (text, program.ndjson(records)):
                self.good(*command, *forms, stdin=source)
                self.assertEqual(self.records(command[2]), wanted)
                os.remove(self.path(command[2]))
        self.assertEqual(self.imported(text, "--no-infer-times", "--type", "d=date", "--type", "t=timestamp", *forms)[0],
                         {**wanted[0], "u": "10/Oct/2000:13:55:36 -0700", "h": "1:30 PM"})  # fmt: skip
        for form in ("%Q", "x", "", "%d.%m.", "%F %F", "%"):
            for command in ("import", "log"):
                self.assertIn(f"--time-format cannot be '{form}': it must be a date,", self.misuse(command, "--time-format", form, "-o", "out", "in"))

    def test_a_record_that_is_too_long_for_the_memory_limit(self):
        self.put("in", 'a,b\n1,"' + "x" * (1 << 20) + '"\n2,y\n')
        self.assertEqual(
            self.bad("import", "--memory-limit", "4MiB", "-o", "out", "in"),
            "in: line 2: a record has more than 524289 bytes, or its quotes are not closed",
        )
        self.good("import", "--memory-limit", "64MiB", "-o", "out", "in")

    def test_random_tables_are_read_as_python_writes_them(self):
        seed = int(os.environ.get("LAMELLA_SEED", "0")) or random.randrange(1 << 32)
        chance = random.Random(seed)
        letters = ["a", "é", ",", ";", '"', "\n", "\r\n", "'", " ", "\t", "0"]
        for _ in range(15):
            rows = [
                ["".join(chance.choices(letters, k=chance.randrange(6))) for _ in range(3)]
                for _ in range(chance.choice([1, 3, 2000]))
            ]
            out = io.StringIO()
            quoting = chance.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
            writer = csv.writer(out, quoting=quoting, lineterminator=chance.choice(["\n", "\r\n"]))
            writer.writerow(["x", "y", "z"])
            writer.writerows(rows)
            text = out.getvalue().encode()
            got = self.imported(text, "--type", "x=string", "--type", "y=string", "--type", "z=string")
            read = list(csv.reader(io.StringIO(text.decode(), newline="")))[1:]
            self.assertEqual(read, rows)
            wanted = [
                dict(zip("xyz", [v if v or quoting == csv.QUOTE_ALL else None for v in row])) for row in rows
            ]
            self.assertEqual(got, wanted, f"seed {seed}")


class Inputs(program.ProgramTest):
    """What import reads from, whatever the format."""

    def texts(self):
        return {
            "plain.csv": PLAIN.encode(),
            "lines.ndjson": program.ndjson(RECORDS).encode(),
            "array.json": json.dumps(RECORDS, indent=1).encode(),
        }

    def packed(self, data):
        yield gzip.compress(data)
        yield gzip.compress(data[:20]) + gzip.compress(data[20:]) + bytes(512)
        if zstandard is not None:
            pack = zstandard.ZstdCompressor().compress
            yield pack(data)
            yield pack(data[:20]) + b"\x50\x2a\x4d\x18\x03\0\0\0abc" + pack(data[20:])
        else:
            done = subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=False)
            if done.returncode == 0:
                yield done.stdout

    def test_formats_are_recognized_by_content_in_every_way_in(self):
        texts = self.texts()
        self.put("plain.csv", texts["plain.csv"])
        self.good("import", "-o", "file", "plain.csv")
        with open(self.path("file"), "rb") as file:
            texts["file"] = file.read()
        for name, text in texts.items():
            for data in [text, *self.packed(text)]:
                with self.subTest(name):
                    self.put("in.what", data)
                    self.good("import", "-o", "a", "in.what")
                    self.assertEqual(self.records("a"), RECORDS)
                    self.good("import", "-o", "b", stdin=data)
                    self.good("import", "-o", "c", "-", stdin=data)
                    with open(self.path("in.what"), "rb") as source:
                        self.assertEqual(self.start("import", "-o", "d", stdin=source).wait(), 0)
                    self.good("import", "-o", "e", self.fifo(data))
                    for other in "bcde":
                        self.assertEqual(self.records(other), RECORDS)
                    self.assertEqual(self.good("schema", "in.what"), self.good("schema", "a"))
                    self.assertEqual(self.good("schema", "-", stdin=data), self.good("schema", "a"))

    def fifo(self, data):
        path = self.path("fifo")
        if os.path.exists(path):
            os.remove(path)
        os.mkfifo(path)

        def write():
            with open(path, "wb") as file:
                file.write(data)

        threading.Thread(target=write, daemon=True).start()
        return path

    def test_packed_inputs_that_are_broken(self):
        data = gzip.compress(PLAIN.encode() * 1000)
        self.put("cut", data[:-9])
        self.assertEqual(self.bad("import", "-o", "o", "cut"), "cut: the compressed data ends too early")
        self.put("bad", data[:40] + b"\xff\xff\xff\xff" + data[44:])
        self.assertIn("bad: the gzip data are broken: ", self.bad("import", "-o", "o", "bad"))
        self.put("more", gzip.compress(PLAIN.encode()) + b"rest")
        self.assertEqual(self.bad("import", "-o", "o", "more"), "more: other bytes follow the compressed ones")
        for magic, name in [(b"\xfd7zXZ\0", "xz"), (b"BZh91AY", "bzip2"), (b"PK\x03\x04\x14", "zip")]:
            self.put("other", magic + bytes(20))
            self.assertEqual(
                self.bad("import", "-o", "o", "other"),
                f"other: compressed with {name}, and only gzip and zstd can be read here",
            )
        self.put("zstd", b"\x28\xb5\x2f\xfd" + b"\xff" * 40)
        self.assertIn("zstd: the zstd data are broken: ", self.bad("import", "-o", "o", "zstd"))
        self.assertNotIn("o", self.files())

    def test_folders_and_patterns(self):
        for path, text in [
            ("d/b.csv", "a\n2\n"),
            ("d/a.csv", "a\n1\n"),
            ("d/_SUCCESS", ""),
            ("d/.hidden", "x"),
            ("d/e/c.csv", "a\n3\n"),
            ("d/e/f/d.tsv", "a\n4\n"),
        ]:
            os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
            self.put(path, text)
        os.symlink(".", self.path("d/loop"))
        for operands, expected in [
            (["d"], [1, 2, 3, 4]),
            (["d/"], [1, 2, 3, 4]),
            (["d/*.csv"], [1, 2]),
            (["d/?.csv", "d/e"], [1, 2, 3, 4]),
            (["d/**/*.csv"], [1, 2, 3]),
            (["**/d.tsv"], [4]),
            (["d/**"], [1, 2, 3, 4]),
            (["d/[!a]*.csv"], [2]),
            (["d/*/c.csv", "d/a.csv"], [3, 1]),
        ]:
            self.good("import", "--format", "csv", "-o", "out", *operands)
            self.assertEqual([r["a"] for r in self.records("out")], expected, operands)
        self.put("x[1].csv", "a,b\n5,6\n")
        self.good("import", "-o", "out", "x[1].csv")
        self.assertEqual(self.bad("import", "-o", "o", "no*.csv"), "no*.csv: no file matches")
        self.assertEqual(self.bad("import", "-o", "o", "no/*.csv"), "no/*.csv: no file matches")
        os.mkdir(self.path("empty"))
        self.assertEqual(self.bad("import", "-o", "o", "empty"), "empty: no file in the folder")

    def test_columns_of_several_inputs_are_united(self):
        self.put("one.csv", "a,b\n1,x\n")
        self.put("two.csv", "b,c\ny,2.5\n")
        self.good("import", "-o", "out", "one.csv", "two.csv")
        self.assertEqual(
            self.records("out"), [{"a": 1, "b": "x", "c": None}, {"a": None, "b": "y", "c": 2.5}]
        )

    def test_inputs_of_different_formats_are_refused(self):
        self.put("one.csv", PLAIN)
        self.put("two.json", '{"a":1}')
        self.put("empty", "")
        self.assertEqual(
            self.bad("import", "-o", "out", "one.csv", "empty", "two.json"),
            "two.json: it is JSON, and one.csv is CSV",
        )
        self.good("import", "-o", "out", "empty", "two.json")

    def test_records_below_a_path(self):
        """Documents of an interface have their records inside; each was one record."""
        text = (
            '{"type": "a}", "features": [{"id": 1, "features": [{"id": 7}]}, {"id": 2, "s": "\\"]"}],\n'
            ' "deep": {"features": [{"id": 8}], "x": [[9, "y"], []]}, "one": {"id": 3}, "n": [4, 5]}\n'
            '{"features": []}\n{"features": [\n{"id": 6}]}\n'
        )
        self.put("in", text)
        for data in [text.encode(), gzip.compress(text.encode())]:
            self.put("in", data)
            for path, expected in [
                ("features[]", [1, 2, 6]),
                ("features", [1, 2, 6]),
                ("deep.features[]", [8]),
                ("one", [3]),
                ("features[].features[]", [7]),
            ]:
                self.good("import", "--records", path, "-o", "out", "in")
                self.assertEqual([r["id"] for r in self.records("out")], expected, path)
                self.good("import", "--records", path, "-o", "out", stdin=data)
                self.assertEqual([r["id"] for r in self.records("out")], expected, path)
        line = self.bad("import", "--records", "none[]", "-o", "o", "in")
        self.assertEqual(line, "in: --records none[] leads to nothing: the documents have type, features, deep, one, n")
        for path, found in [("deep.feature[]", "deep has features, x"), ("features[].z[]", "features[] has id, features, s"),
                            ("type[].a", "the documents have type, features, deep, one, n"),
                            ("features.id", "features is an array: [] after it leads to its elements"),
                            ("deep[].x", "deep has features, x")]:
            for stdin in (b"", data):
                line = self.bad("import", "--records", path, "-o", "o", *(["-"] if stdin else ["in"]), stdin=stdin)
                self.assertIn(f"--records {path} leads to nothing: {found}", line)
        schema = "message m { optional int64 id; }"
        self.assertIn("leads to nothing", self.bad("import", "--records", "none[]", "--schema", schema, "-o", "o", "in"))
        self.assertNotIn("o", self.files())
        self.put("empty", '{"features": [], "x": 1}')
        self.good("import", "--records", "features[]", "--schema", schema, "-o", "out", "empty")
        self.assertEqual(self.records("out"), [])
        self.put("cut", text[:-6])
        self.assertIn("cut: ", self.bad("import", "--records", "features[]", "-o", "o", "cut"))
        self.put("bad", '{"a":[{"b":1},\n{"b":}]}')
        self.assertIn("bad: line 2, column 6: ", self.bad("import", "--records", "a[]", "-o", "o", "bad"))
        for path in ["", ".", "a.", ".a", "a[", "a[]b", "a[0]"]:
            self.assertIn("must be names", self.misuse("import", "--records", path, "-o", "o", "in"))
        self.put("deep", '{"a":' + "[" * 100000 + "]" * 100000 + ',"b":{"c":1}}')
        self.good("import", "--records", "b", "-o", "out", "deep")
        self.assertEqual(self.records("out"), [{"c": 1}])

    def test_parquet_files_keep_their_schema_and_metadata(self):
        schema = "message m { required int32 a = 7; optional group l (LIST) { repeated group list { optional binary element (STRING); } } optional int64 t (TIMESTAMP(MILLIS,true)); }"
        records = [{"a": 1, "l": ["x", None], "t": "1970-01-01T00:00:00.001Z"}, {"a": 2, "l": None, "t": None}]
        self.put("in", program.ndjson(records))
        self.good("import", "-o", "a", "--schema", schema, "--meta", "k=v", "--meta", "x=old", "in")
        self.good("import", "-o", "b", "--codec", "snappy", "--meta", "x=new", "a")
        self.assertEqual(self.good("schema", "a"), self.good("schema", "b"))
        self.assertEqual(self.good("cat", "a"), self.good("cat", "b"))
        meta = json.loads(self.good("meta", "--json", "b"))
        pairs = {pair["key"]: pair["value"] for pair in meta["key_value_metadata"]}
        self.assertEqual((pairs["k"], pairs["x"]), ("v", "new"))
        self.good("import", "-o", "c", "a", "b")
        self.assertEqual(self.good("cat", "c"), self.good("cat", "a") * 2)
        self.put("other", '{"z":1}')
        self.good("import", "-o", "d", "other")
        self.make("z", [{"z": "x"}])
        status, _, errors = self.run_program("import", "-o", "f", "a", "d")
        self.assertEqual((status, errors), (0, "lamella: d: no field of this file is one of a: the columns of both stand "
                                               "side by side\n"))  # fmt: skip
        self.assertEqual([r["z"] for r in self.records("f")], [None, None, 1])
        self.assertEqual(self.bad("import", "-o", "e", "--on-clash", "error", "d", "z"), "z: field 'z' is optional int64 in d and "
                                                                                     "optional binary (STRING) in z")  # fmt: skip
        self.assertIn("--schema is for JSON and CSV; a holds Parquet", self.misuse("import", "-o", "e", "--schema", schema, "a"))
        with open(self.path("a"), "r+b") as file:
            file.seek(6)
            file.write(b"\xff" * 8)
        self.assertTrue(self.bad("import", "-o", "e", "a").startswith("a: "))
        self.assertNotIn("e", self.files())

    def test_a_link_to_nothing_is_followed(self):
        self.put("in", '{"a":1}')
        os.mkdir(self.path("there"))
        os.symlink("there/new", self.path("link"))
        self.good("import", "-o", "link", "in")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.records("there/new"), [{"a": 1}])

    def test_signals_end_an_import_of_csv(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            process = self.start(
                "import", "-o", "out", "--schema", "message m { optional int64 a; optional int64 b; }",
                "-", stdin=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            process.stdin.write(b"a,b\n" + b"1,2\n" * 300000)
            process.stdin.flush()
            program.wait_until_caught(process, number)
            process.send_signal(number)
            self.assertEqual(process.wait(10), -number)
            process.communicate()
            self.assertEqual(self.files(), [])


if __name__ == "__main__":
    program.main()
