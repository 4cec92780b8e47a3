# SPDX-License-Identifier: Apache-2.0
"""Options of import: inference and schemas, inputs of several kinds, and how the file is cut."""

import json
import os
import random
import subprocess

import program

NUMBERS = [{"n": n, "s": f"text {n % 10}"} for n in range(1000)]


class Import(program.ProgramTest):
    def meta(self, name):
        return json.loads(self.good("meta", "--json", name))

    def pages(self, name, path):
        lines = self.good("pages", "--json", "--columns", path, name).splitlines()
        return [json.loads(line) for line in lines]

    def test_inference(self):
        records = (
            '{"i":1,"r":1,"b":true,"s":"x","o":{"a":1},"l":[1],"n":null,"e":[],"u":1,"c":1}\n'
            '{"i":-9223372036854775808,"r":0.5,"l":[null,2],"u":18446744073709551615,"c":"x"}\n'
            '{"late":[[{"x":null}]],"c":{"k":[1,"two"]},"o":{}}\n'
        )
        self.make("a.parquet", records, clashes=1)
        self.expect("inferred-schema.txt", self.good("schema", "a.parquet"))
        self.expect("inferred-records.txt", self.good("cat", "a.parquet"))

    def test_what_cat_prints_infers_the_same_again(self):
        records = '{"a":1,"c":1}\n{"a":2.5,"c":"x","d":{"e":[{"f":"g"}]}}\n{"c":{"k":[]}}\n'
        self.make("a.parquet", records, clashes=1)
        printed = self.good("cat", "a.parquet")
        self.make("b.parquet", printed, clashes=1)
        self.assertEqual(self.good("cat", "b.parquet"), printed)
        self.assertEqual(self.good("schema", "b.parquet"), self.good("schema", "a.parquet"))

    def test_the_memory_limit_names_the_record_that_takes_more(self):
        # One record took 20 to 47 times its size, whatever that was.
        large = '{"a":[' + "1," * (1 << 20) + "1]}\n"
        self.put("in", '{"b":1}\n' + large + '{"b":2}\n')
        schema = ["--schema", "message m { repeated int32 a; optional int32 b; }"]
        for options in [], schema, ["--variant-all"], ["--variant", "a"]:
            line = self.bad("import", "--memory-limit", "12MiB", "-o", "a.parquet", *options, "in")
            self.assertRegex(line, r"^in: line 2: .* memory limit of 12582912 \(option --memory-limit\)$")
            self.assertFalse(os.path.exists(os.path.join(self.folder, "a.parquet")))
            self.good("import", "--memory-limit", "256MiB", "-o", "a.parquet", *options, "in")
            self.good("import", "-o", "b.parquet", *options, "in")
            cat = ["cat", "--memory-limit", "1GiB"]
            self.assertEqual(self.good(*cat, "a.parquet"), self.good(*cat, "b.parquet"))
            os.remove(os.path.join(self.folder, "a.parquet"))

    def test_row_groups_end_early_within_the_memory_limit(self):
        records = [{"n": n, "s": f"{n * n}"} for n in range(200000)]
        self.make("a.parquet", records, "--memory-limit", "4MiB", "--no-dictionary")
        groups = self.meta("a.parquet")["row_groups"]
        self.assertGreater(len(groups), 1)
        self.make("b.parquet", records, "--no-dictionary")
        self.assertEqual(len(self.meta("b.parquet")["row_groups"]), 1)
        self.assertEqual(self.good("cat", "a.parquet"), self.good("cat", "b.parquet"))

    def test_schema_of_all_inputs_together(self):
        self.put("one", '{"a":1}\n')
        self.put("two", '{"b":"x"}\n{"a":1.5}\n')
        self.good("import", "-o", "a.parquet", "one", "-", "two", stdin='{"c":true}\n')
        self.assertEqual(
            self.good("cat", "a.parquet"),
            '{"a":1.0,"c":null,"b":null}\n{"a":null,"c":true,"b":null}\n'
            '{"a":null,"c":null,"b":"x"}\n{"a":1.5,"c":null,"b":null}\n',
        )

    def test_more_inputs_than_descriptors(self):
        names = [self.put(f"{n:04}", f'{{"a":{n}}}\n') for n in range(300)]
        done = subprocess.run(
            [
                "sh",
                "-c",
                'ulimit -n 40; exec "$@"',
                "sh",
                program.PROGRAM,
                "import",
                "-o",
                "a.parquet",
                *names,
            ],
            cwd=self.folder,
            capture_output=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.records("a.parquet"), [{"a": n} for n in range(300)])

    def test_standard_input_is_read_from_where_it_is(self):
        self.put("in", 'not this\n{"a":1}\n{"a":2}\n')
        for schema in [[], ["--schema", "message m { required int32 a; }"]]:
            with open(self.path("in"), "rb", buffering=0) as file:
                file.seek(len("not this\n"))
                self.start("import", *schema, "-o", "a.parquet", "-", stdin=file).wait()
            self.assertEqual(self.records("a.parquet"), [{"a": 1}, {"a": 2}])

    def test_documents(self):
        wanted = [{"a": 1}, {"a": 2}, {"a": 3}]
        for text in [
            '{"a":1}\n{"a":2}\n{"a":3}\n',
            '{"a":1}\r\n\r\n{"a":2}\r\n{"a":3}',
            '\ufeff{"a":1}\n{"a":2}\n{"a":3}\n',
            '[{"a":1},{"a":2},{"a":3}]',
            '[\n  {\n    "a": 1\n  },\n  {"a": 2}, {"a":\n3}\n]\n',
            '{\n "a": 1\n}\n{"a":2} {"a":3}',
            '[{"a":1}]\n[{"a":2},{"a":3}]',
        ]:
            with self.subTest(text):
                self.make("a.parquet", text)
                self.assertEqual(self.records("a.parquet"), wanted)
                self.make("b.parquet", text, "--schema", "message m { required int32 a; }")
                self.assertEqual(self.records("b.parquet"), wanted)

    def test_fields_in_any_order_and_missing(self):
        group = "optional group g { optional int32 b; repeated int32 c; }"
        schema = f"message m {{ optional int32 a; {group} }}"
        self.make("a.parquet", '{"g":{"c":[1,2],"b":3},"a":4}\n{}\n{"g":{}}\n', "--schema", schema)
        self.assertEqual(
            self.good("cat", "a.parquet"),
            '{"a":4,"g":{"b":3,"c":[1,2]}}\n'
            '{"a":null,"g":null}\n'
            '{"a":null,"g":{"b":null,"c":[]}}\n',
        )

    def test_unknown_fields_are_left_out_when_told(self):
        schema = "message m { optional group g { optional int32 a; } }"
        self.make(
            "a.parquet",
            '{"x":[{"y":1}],"g":{"z":null,"a":1,"w":{"a":2}}}\n',
            "--schema",
            schema,
            "--ignore-unknown",
        )
        self.assertEqual(self.good("cat", "a.parquet"), '{"g":{"a":1}}\n')

    def lacks(self, option):
        """Whether the program was built without a codec."""
        _, _, errors = self.run_program("import", "--codec", option, "-o", "-", "-")
        return "needs a Lamella built with" in errors

    def test_codecs(self):
        sizes = {}
        for option, codec in [
            ("uncompressed", "UNCOMPRESSED"),
            ("none", "UNCOMPRESSED"),
            ("snappy", "SNAPPY"),
            ("zstd", "ZSTD"),
            ("zstd:1", "ZSTD"),
            ("zstd:22", "ZSTD"),
            ("gzip", "GZIP"),
            ("gzip:12", "GZIP"),
            ("brotli", "BROTLI"),
            ("brotli:11", "BROTLI"),
            ("lz4_raw", "LZ4_RAW"),
        ]:
            if self.lacks(option):
                continue
            self.make("a.parquet", NUMBERS, "--codec", option)
            chunks = self.meta("a.parquet")["row_groups"][0]["columns"]
            self.assertEqual({chunk["codec"] for chunk in chunks}, {codec})
            self.assertEqual(self.records("a.parquet"), NUMBERS)
            sizes[option] = os.path.getsize(self.path("a.parquet"))
        self.assertEqual(sizes["none"], sizes["uncompressed"])
        self.assertLess(sizes["zstd:22"], sizes["uncompressed"])
        self.assertLess(sizes["snappy"], sizes["uncompressed"])

    def test_zstd_is_the_default(self):
        self.make("a.parquet", NUMBERS)
        self.make("b.parquet", NUMBERS, "--codec", "zstd:3")
        with open(self.path("a.parquet"), "rb") as a, open(self.path("b.parquet"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_row_groups_by_rows(self):
        self.make("a.parquet", NUMBERS, "--row-group-rows", "300")
        rows = [group["rows"] for group in self.meta("a.parquet")["row_groups"]]
        self.assertEqual(rows, [300, 300, 300, 100])
        self.assertEqual(self.records("a.parquet"), NUMBERS)

    def test_row_groups_by_bytes(self):
        counts = []
        records = [{"n": n * 2654435761} for n in range(100000)]
        for size in ["64K", "256KiB", "1MB"]:
            options = ["--row-group-size", size, "--codec", "none", "--no-dictionary"]
            self.make("a.parquet", records, *options)
            counts.append(len(self.meta("a.parquet")["row_groups"]))
            self.assertEqual(self.records("a.parquet"), records)
        self.assertGreater(counts[0], counts[1])
        self.assertGreater(counts[1], counts[2])
        self.assertEqual(counts[2], 1)

    def test_page_size(self):
        counts = []
        for size in ["1", "100B", "1K", "1M", "1023MiB"]:
            self.make("a.parquet", NUMBERS, "--page-size", size, "--no-dictionary")
            counts.append(len(self.pages("a.parquet", "n")))
            self.assertEqual(self.records("a.parquet"), NUMBERS)
        self.assertEqual(counts, [1000, 77, 8, 1, 1])

    def test_page_version(self):
        for options, kind in [([], "data"), (["1"], "data"), (["2"], "data v2")]:
            options = ["--data-page-version", *options] if options else []
            self.make("a.parquet", NUMBERS, "--no-dictionary", *options)
            self.assertEqual({page["type"] for page in self.pages("a.parquet", "n,s")}, {kind})
            self.assertEqual(self.records("a.parquet"), NUMBERS)

    def encodings(self, *options):
        records = [{"s": f"word {n // 2}"} for n in range(2000)]
        self.make("a.parquet", records, "--page-size", "1K", *options)
        self.assertEqual(self.records("a.parquet"), records)
        return [page["encoding"] for page in self.pages("a.parquet", "s") if page["type"] == "data"]

    def test_dictionary_and_fallback(self):
        self.assertEqual(set(self.encodings()), {"RLE_DICTIONARY"})
        self.assertEqual(set(self.encodings("--no-dictionary")), {"PLAIN"})
        mixed = self.encodings("--dictionary-size", "4K")
        self.assertEqual(mixed, sorted(mixed, reverse=True))
        self.assertEqual(set(mixed), {"RLE_DICTIONARY", "PLAIN"})

    def test_every_page_has_its_checksum(self):
        self.make("a.parquet", NUMBERS)
        self.assertTrue(all("crc" in page for page in self.pages("a.parquet", "n,s")))

    def test_an_existing_file_is_replaced(self):
        self.put("a.parquet", b"something else")
        self.make("a.parquet", [{"a": 1}])
        self.assertEqual(self.records("a.parquet"), [{"a": 1}])
        self.assertEqual(self.files(), ["a.parquet"])

    def test_the_output_is_never_an_input(self):
        """It replaced the input by a Parquet file, whatever way led to it."""
        self.put("a", '{"a":1}\n')
        os.symlink("a", self.path("link"))
        os.link(self.path("a"), self.path("same"))
        for output, source in [("a", "a"), ("a", "link"), ("link", "a"), ("same", "a"), ("./a", "a")]:
            line = self.misuse("import", "-o", output, source)
            self.assertIn(f"{source} is the output and an input: name another file", line)
        with open(self.path("a"), "rb") as source:
            status = self.start("import", "-o", "a", stdin=source, stderr=subprocess.DEVNULL).wait()
        self.assertEqual(status, 2)
        with open(self.path("a"), "ab") as target:
            status = self.start("import", "-o", "-", "a", stdout=target, stderr=subprocess.DEVNULL).wait()
        self.assertEqual(status, 2)
        with open(self.path("a"), "rb") as file:
            self.assertEqual(file.read(), b'{"a":1}\n')

    def test_records_without_fields_are_refused_without_a_schema(self):
        """They became a file without columns, which most readers refuse."""
        for text in ["", "\n", "{}\n{}\n", "[]"]:
            line = self.bad("import", "-o", "out", "-", stdin=text)
            self.assertEqual(
                line, "standard input: no fields to infer a schema from; --schema gives one"
            )
        self.assertEqual(self.files(), [])
        self.make("out", "{}\n{}\n", "--schema", "message m { optional int32 a; }")
        self.assertEqual(self.records("out"), [{"a": None}] * 2)

    def test_the_same_records_make_the_same_file(self):
        self.make("a.parquet", NUMBERS)
        self.make("b.parquet", json.dumps(NUMBERS))
        with open(self.path("a.parquet"), "rb") as a, open(self.path("b.parquet"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_encodings_are_those_that_the_readers_know(self):
        rng = random.Random(1)
        records = [
            {"n": 10**9 + n, "x": rng.randrange(10**6) / 100, "y": rng.random()}
            for n in range(5000)
        ]
        for compat, n, x, y in [
            ("max", "PLAIN", "PLAIN", "PLAIN"),
            ("modern", "DELTA_BINARY_PACKED", "PLAIN", "BYTE_STREAM_SPLIT"),
            ("newest", "DELTA_BINARY_PACKED", "ALP", "BYTE_STREAM_SPLIT"),
        ]:
            self.make("a.parquet", records, "--compat", compat)
            columns = self.meta("a.parquet")["row_groups"][0]["columns"]
            self.assertIn(n, columns[0]["encodings"], compat)
            self.assertIn(x, columns[1]["encodings"], compat)
            self.assertIn(y, columns[2]["encodings"], compat)
            self.assertEqual(self.records("a.parquet"), records)

    def test_metadata_is_left_out_or_added(self):
        def members(*options):
            self.make("a.parquet", NUMBERS, *options)
            self.good("check", "a.parquet")
            return self.meta("a.parquet")["row_groups"][0]["columns"][0]

        self.assertEqual(members()["nulls"], 0)
        self.assertIn("column_index_offset", members())
        self.assertNotIn("bloom_filter_offset", members())
        self.assertNotIn("nulls", members("--no-statistics"))
        self.assertNotIn("column_index_offset", members("--no-statistics"))
        self.assertNotIn("offset_index_offset", members("--no-page-index"))
        self.assertIn("bloom_filter_offset", members("--bloom", "n"))
        self.assertIn("bloom_filter_offset", members("--bloom", "n=0.2", "--bloom", "s"))
        self.assertIn("bloom_filter_offset", members("--auto-bloom"))
        self.put("in", '{"a":1}\n')
        self.assertIn("no field 'x'", self.misuse("import", "--bloom", "x", "-o", "b", "in"))

    def test_a_name_that_begins_with_a_dash(self):
        self.put("-x", '{"a":1}\n')
        self.good("import", "-o", "a.parquet", "--", "-x")
        self.assertEqual(self.good("cat", "--", "a.parquet"), '{"a":1}\n')

    def test_a_very_deep_schema(self):
        depth = 60
        schema = (
            "message m { "
            + "optional group g { " * depth
            + "optional int32 v; "
            + "} " * (depth + 1)
        )
        record = {"v": 1}
        for _ in range(depth):
            record = {"g": record}
        self.make("a.parquet", [record], "--schema", schema)
        self.assertEqual(self.records("a.parquet"), [record])


if __name__ == "__main__":
    program.main()
