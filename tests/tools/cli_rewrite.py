# SPDX-License-Identifier: Apache-2.0
"""lamella rewrite: Parquet files to Parquet files."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import program

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
SCHEMA = """message m {
  required int64 n; optional binary s (STRING); optional double d;
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
}"""


def records(first, count):
    return [
        {
            "n": n,
            "s": None if n % 11 == 0 else f"text {n % 17}",
            "d": n / 8,
            "tags": [f"t{k}" for k in range(n % 4)],
        }
        for n in range(first, first + count)
    ]


class Rewrite(program.ProgramTest):
    def setUp(self):
        super().setUp()
        options = ["--schema", SCHEMA, "--row-group-rows", "40", "--meta", "source=west"]
        self.make("a.parquet", records(0, 100), *options, "--bloom", "s")
        self.make("b.parquet", records(100, 50), *options)
        self.wanted = self.records("a.parquet")

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def meta(self, name):
        return json.loads(self.good("meta", "--json", name))

    def test_every_way_of_writing_keeps_the_rows(self):
        for options in [
            [],
            ["--codec", "snappy"],
            ["--codec", "gzip:9"],
            ["--page-size", "200"],
            ["--data-page-version", "2"],
            ["--no-dictionary"],
            ["--dictionary-size", "100"],
            ["--compat", "max"],
            ["--encoding", "n=delta_binary_packed", "--bloom", "n=0.1"],
            ["--row-group-rows", "33"],
            ["--row-group-size", "1KiB"],
            ["--memory-limit", "2MiB", "--timeout", "60s"],
        ]:
            with self.subTest(options):
                self.assertEqual(self.good("rewrite", *options, "-o", "out", "a.parquet"), "")
                self.assertEqual(self.records("out"), self.wanted)
                self.good("check", "--quiet", "out")
                self.assertIn("west", self.good("meta", "out"))

    def test_a_file_without_changes_is_the_same_file(self):
        self.good("rewrite", "-o", "out", "a.parquet")
        self.assertEqual(self.content("out"), self.content("a.parquet"))
        self.good("rewrite", "-o", "copy", "-", stdin=self.content("a.parquet"))
        self.assertEqual(self.content("copy"), self.content("a.parquet"))
        status, output, errors = self.run_program("rewrite", "-o", "-", "a.parquet")
        self.assertEqual((status, errors, output), (0, "", self.content("a.parquet")))

    def test_files_are_merged_and_their_schemas_united(self):
        self.good("rewrite", "-o", "out", "a.parquet", "b.parquet")
        self.assertEqual(self.records("out"), self.wanted + self.records("b.parquet"))
        self.make("c.parquet", '{"n":1,"e":true}\n{"n":2}\n',
                  "--schema", "message m { required int32 n; required boolean e; }"
                  .replace("required boolean", "optional boolean"))  # fmt: skip
        self.good("rewrite", "-o", "out", "a.parquet", "c.parquet")
        rows = [dict(row, e=None) for row in self.wanted]
        rows += [dict(n=n, s=None, d=None, tags=None, e=e) for n, e in [(1, True), (2, None)]]
        self.assertEqual(self.records("out"), rows)
        self.assertIn("optional boolean e", self.good("schema", "out"))
        self.good("check", "--quiet", "out")
        self.make("d.parquet", '{"n":"x"}\n')
        self.assertEqual(
            self.bad("rewrite", "--on-clash", "error", "-o", "no", "a.parquet", "d.parquet"),
            "d.parquet: field 'n' is required int64 in a.parquet and optional binary (STRING) in "
            "d.parquet",
        )
        self.assertFalse(os.path.exists(self.path("no")))

    def test_files_that_share_no_column_are_united_with_a_word(self):
        for name, record in (("a", {"x": 1}), ("b", {"x": 2, "y": 3}), ("c", {"z": 4})):
            self.make(name, [record])
        says = "no field of this file is one of {}: the columns of both stand side by side\n"
        for files, wanted in ((["a", "b"], ""), (["b", "a"], ""), (["a", "a"], ""), (["a", "b", "c", "c"], "lamella: c: " + says.format("a"))):
            status, _, errors = self.run_program("rewrite", "-o", "o", *files)
            self.assertEqual((status, errors), (0, wanted), files)
        status, _, errors = self.run_program("rewrite", "-o", "o", "a", "-", stdin=open(self.path("c"), "rb").read())
        self.assertEqual((status, errors), (0, "lamella: standard input: " + says.format("a")))

    def test_columns_and_conditions(self):
        self.good("rewrite", "--columns", "tags,n", "-o", "out", "a.parquet")
        self.assertEqual(
            self.records("out"), [{"n": r["n"], "tags": r["tags"]} for r in self.wanted]
        )
        self.good("rewrite", "--where", "s = 'text 3' and n > 10", "-o", "out", "a.parquet")
        self.assertEqual(
            self.records("out"), [r for r in self.wanted if r["s"] == "text 3" and r["n"] > 10]
        )
        self.good("rewrite", "--columns", "n", "--where", "d > 5", "-o", "out", "a.parquet")
        self.assertEqual(self.records("out"), [{"n": r["n"]} for r in self.wanted if r["d"] > 5])
        self.good("rewrite", "--where", "n < 0", "-o", "out", "a.parquet")
        self.assertEqual(self.records("out"), [])
        self.good("check", "--quiet", "out")

    def test_a_column_of_a_group_that_is_no_longer_whole_says_so(self):
        self.make("v.parquet", [{"v": {"x": n, "y": "a"}, "m": {"k": n}} for n in range(3)], "--variant", "v",
                  "--type", "m=map")
        for columns in ["v.value", "v.metadata", "v.typed_value", "m.key_value.key", "m.key_value.value"]:
            self.good("rewrite", "--columns", columns, "-o", "cut.parquet", "v.parquet")
            self.assertNotRegex(self.good("schema", "cut.parquet"), "VARIANT|MAP", columns)
            self.assertIn("0 errors, 0 warnings", self.good("check", "cut.parquet"), columns)

    def test_lists_and_maps_of_writers_with_other_names_are_merged(self):
        row = [{"l": [1, None], "m": {"a": 1}}]
        names = [("list", "element", "key_value", "key", "value"), ("bag", "array_element", "map", "k", "v")]
        for number, (group, element, entry, key, value) in enumerate(names):
            schema = f"""optional group l (LIST) {{ repeated group {group} {{ optional int64 {element}; }} }}
                optional group m (MAP) {{ repeated group {entry} {{
                  required binary {key} (STRING); optional int64 {value}; }} }}"""
            self.make(f"names{number}.parquet", row, "--schema", schema)
        for options in [[], ["--codec", "gzip"], ["--row-group-rows", "9"]]:
            self.good("rewrite", *options, "-o", "merged.parquet", "names0.parquet", "names1.parquet")
            self.assertEqual(self.records("merged.parquet"), row * 2)
            self.assertIn("0 errors, 0 warnings, 0 notes", self.good("check", "merged.parquet"))

    def test_variants_that_are_shredded_otherwise_are_merged(self):
        self.make("x.parquet", [{"v": {"x": 1, "y": "a"}}], "--variant", "v")
        self.make("z.parquet", [{"v": {"z": n}} for n in range(50)] + [{"v": {"z": 1, "x": 7}}], "--variant", "v")
        self.good("rewrite", "-o", "out.parquet", "x.parquet", "z.parquet")
        self.assertEqual(self.good("cat", "out.parquet"), self.good("cat", "x.parquet", "z.parquet"))
        self.good("check", "--quiet", "out.parquet")

    def test_sorted_rows(self):
        self.good("rewrite", "--sort-by", "s:desc:nulls-first", "--sort-by", "n:desc",
                  "-o", "out", "a.parquet")  # fmt: skip
        wanted = sorted(self.wanted, key=lambda r: -r["n"])
        wanted.sort(key=lambda r: r["s"] or "", reverse=True)
        wanted.sort(key=lambda r: r["s"] is not None)
        self.assertEqual(self.records("out"), wanted)
        self.good("check", "--quiet", "out")
        self.assertEqual(
            [c["path"] for c in self.meta("out")["row_groups"][0]["sorting_columns"]], ["s", "n"]
        )
        # The order is that of a column which the file does not have.
        self.good("rewrite", "--sort-by", "d:desc", "--columns", "n", "-o", "out", "a.parquet")
        self.assertEqual(self.records("out"), [{"n": n} for n in range(99, -1, -1)])

    def test_what_a_killed_run_left_of_its_folder_goes_with_the_next(self):
        """It stayed for ever: no later run took its name for one of its own."""
        told = "lamella: parts: removed 1 unfinished folder of runs that were killed\n"
        kept = [".parts.lamella-1-012Xyzx", ".parts.lamella--012Xyz", ".parts.lamella-1-012Xy.",
                ".other.lamella-1-012Xyz", "parts.lamella-1-012Xyz"]  # fmt: skip
        for name in [".parts.lamella-4711-012Xyz/k=1", *kept]:
            os.makedirs(self.path(name))
            self.put(f"{name}/part-00000.parquet.lamella-1-2.tmp", "PAR1")
        status, output, errors = self.run_program("rewrite", "--split", "30", "-o", "parts/", "a.parquet")
        self.assertEqual((status, output, errors), (0, b"", told))
        self.assertEqual([name for name in self.files() if "lamella" in name], sorted(kept))
        # One whose run goes on is locked.
        shutil.rmtree(self.path("parts"))
        os.mkdir(self.path(".parts.lamella-4711-012Xyz"))
        running = os.open(self.path(".parts.lamella-4711-012Xyz"), os.O_RDONLY)
        self.addCleanup(os.close, running)
        fcntl.flock(running, fcntl.LOCK_EX)
        self.good("rewrite", "--split", "30", "-o", "parts", "a.parquet")
        self.assertIn(".parts.lamella-4711-012Xyz", self.files())
        self.assertEqual(len(os.listdir(self.path("parts"))), 4)

    def test_folders(self):
        self.good("rewrite", "--split", "30", "-o", "parts", "a.parquet", "b.parquet")
        names = sorted(os.listdir(self.path("parts")))
        self.assertEqual(names, [f"part-0000{i}.parquet" for i in range(5)])
        rows = [row for name in names for row in self.records(f"parts/{name}")]
        self.assertEqual(rows, self.wanted + self.records("b.parquet"))
        os.mkdir(self.path("empty"))
        self.good("rewrite", "--split", "2KiB", "-o", "empty/", "a.parquet")
        self.assertGreater(len(os.listdir(self.path("empty"))), 1)
        self.good("rewrite", "--partition-by", "s", "-o", "hive", "a.parquet")
        folders = sorted(os.listdir(self.path("hive")))
        self.assertEqual(len(folders), 18)
        self.assertEqual(folders[0], "s=__HIVE_DEFAULT_PARTITION__")
        self.assertEqual(
            self.records("hive/s=text 3/part-00000.parquet"),
            [{k: r[k] for k in ["n", "d", "tags"]} for r in self.wanted if r["s"] == "text 3"],
        )

    def divided(self, records, column, *options):
        """What comes back of records that were divided by a column, in the order of their field v."""
        self.make("o.parquet", records, *options)
        self.good("rewrite", "--partition-by", column, "-o", "hive", "o.parquet")
        back = sorted((json.loads(line) for line in self.good("cat", "hive").strip("\n").split("\n")), key=lambda r: r["v"])
        shutil.rmtree(self.path("hive"))
        return back

    def test_values_come_back_from_the_names_of_folders(self):
        """Texts without bytes, the text that stands for a null, and dates of far years came back as nulls."""
        texts = [None, "", HIVE_NULL, "%5F" + HIVE_NULL[1:], "null", "NULL", "~", "k~0f3c5a7e91b2d4c6", "x" * 190, "/" * 60]
        texts += ["a/b", "a=2", "=", "100%", "%", "%zz", "..", ".", "_x", ".x", " ", "a b", "+", "*", "?", "01", "1", "true"]
        texts += ["\n", "\x01", "\x7f", "\u0085", "\u202e", "größe", "😀", "a\0b"]
        records = [{"k": text, "v": n} for n, text in enumerate(texts)]
        self.assertEqual(self.divided(records, "k"), [{"v": r["v"], "k": r["k"]} for r in records])
        days = ["1970-01-01", None, "+10000-01-01", "-0001-12-31", "0000-01-01", "9999-12-31", "+5881580-07-11", "-5877641-06-23"]
        records = [{"k": day, "v": n} for n, day in enumerate(days)]
        self.assertEqual(self.divided(records, "k", "--type", "k=date"), [{"v": r["v"], "k": r["k"]} for r in records])
        times = ["2024-10-24T08:00:00.000Z", "+10000-01-01T00:00:00.000Z", "-0001-12-31T23:59:59.999Z", None]
        records = [{"k": time, "v": n} for n, time in enumerate(times)]
        self.assertEqual(
            self.divided(records, "k", "--schema", "optional int64 k (TIMESTAMP(MILLIS,true)); optional int64 v;"),
            [{"v": r["v"], "k": r["k"]} for r in records],
        )
        numbers = [{"k": number, "v": n} for n, number in enumerate([0, -1, (1 << 63) - 1, -(1 << 63)])]
        self.assertEqual(self.divided(numbers, "k"), [{"v": r["v"], "k": r["k"]} for r in numbers])

    def test_fields_of_all_names_name_folders(self):
        """Nothing was found in folders of a field that begins with a dot or a line."""
        for name in ["_id", ".id", "a=b", "a/b", "a.b", "%5F", " "]:
            records = [{name: n % 2, "v": n} for n in range(4)]
            self.assertEqual(self.divided(records, name), [{"v": r["v"], name: r[name]} for r in records], name)

    def test_a_value_that_no_folder_can_hold_is_refused(self):
        """Its name was cut, and the rest of it was nowhere."""
        for text in ["x" * 199, "/" * 67, "é" * 100, "x" * 100000]:
            for before in (0, 40):  # folders that have their files open, and more than may be
                records = [{"k": str(n), "v": n} for n in range(before)]
                records += [{"k": None, "v": -1}, {"k": text, "v": -2}, {"k": "a", "v": -3}]
                self.make("o.parquet", records)
                files = self.files()
                errors = self.bad("rewrite", "--partition-by", "k", "-o", "hive", "o.parquet")
                self.assertRegex(
                    errors,
                    rf"\Ao\.parquet: row {before + 1}: .* of column k cannot name a folder, which has 200 bytes at most: "
                    r"leave the row out, or divide by another column\Z",
                )
                self.assertEqual(self.files(), files)

    def test_more_folders_than_files_may_be_open(self):
        self.make("m.parquet", [{"k": n * 7 % 150, "n": n} for n in range(3000)])
        self.good("rewrite", "--partition-by", "k", "-o", "hive", "m.parquet")
        self.assertEqual(len(os.listdir(self.path("hive"))), 150)
        for k in range(150):
            self.assertEqual(os.listdir(self.path(f"hive/k={k}")), ["part-00000.parquet"])
            got = [row["n"] for row in self.records(f"hive/k={k}/part-00000.parquet")]
            self.assertEqual(got, [n for n in range(3000) if n * 7 % 150 == k])

    def test_what_was_done_is_explained(self):
        _, _, errors = self.run_program("rewrite", "--explain", "-o", "out", "a.parquet")
        self.assertRegex(errors, r"rows: +100\n(.*\n)*copied: +12 column chunks\n")
        options = ["--explain", "--codec", "snappy", "--bloom", "n"]
        _, _, errors = self.run_program("rewrite", *options, "-o", "out", "a.parquet")
        self.assertRegex(errors, r"recompressed: +9 column chunks\nencoded: +3 column chunks\n")

    def test_folders_are_inputs_and_their_keys_columns(self):
        for day in (24, 25):
            os.makedirs(self.path(f"s/day=2024-10-{day}/region=n%20{day}"))
            self.make(f"s/day=2024-10-{day}/region=n%20{day}/x.parquet", [{"n": n} for n in range(day)])
        expected = [
            {"n": n, "day": f"2024-10-{day}", "region": f"n {day}"} for day in (24, 25) for n in range(day)
        ]
        for source in ("s", "s/**/*.parquet", "s/day=*/region=*/x.parquet"):
            self.good("rewrite", "-o", "all.parquet", source)
            self.assertEqual(self.records("all.parquet"), expected)
            self.assertIn(" 0 errors, 0 warnings", self.good("check", "all.parquet"))
        self.good("rewrite", "-o", "some.parquet", "--where", "day = '2024-10-25' and n < 3", "--columns", "region,n", "s")
        self.assertEqual(self.records("some.parquet"), [{"n": n, "region": "n 25"} for n in range(3)])
        self.good("rewrite", "-o", "back", "--partition-by", "day", "all.parquet")
        self.assertEqual(sorted(os.listdir(self.path("back"))), ["day=2024-10-24", "day=2024-10-25"])
        back = [json.loads(line) for line in self.good("cat", "back").splitlines()]
        self.assertEqual([{**record} for record in back], [{"n": r["n"], "region": r["region"], "day": r["day"]} for r in expected])
        self.assertIn("is also an input", self.misuse("rewrite", "-o", "s/day=2024-10-24/region=n%2024/x.parquet", "s"))

    def test_faults_of_the_command_line(self):
        before = self.content("a.parquet")
        for arguments, message in [
            (["-o", "x"], "no file given"),
            (["a.parquet"], "-o is missing"),
            (["-o", "a.parquet", "a.parquet"], "a.parquet is also an input"),
            (["-o", "./a.parquet", "b.parquet", "a.parquet"], "./a.parquet is also an input"),
            (["-o", "x", "--columns", "z", "a.parquet"], "--columns: character 1: no field 'z'"),
            (["-o", "x", "--where", "z = 1", "a.parquet"], "--where: "),
            (["-o", "x", "--where", "n =", "a.parquet"], "--where: "),
            (["-o", "x", "--sort-by", "tags", "a.parquet"], "'tags' is a group"),
            (["-o", "x", "--sort-by", "z", "a.parquet"], "no field 'z'"),
            (["-o", "x", "--partition-by", "d", "a.parquet"], "--partition-by: "),
            (["-o", "x", "--encoding", "s=alp", "a.parquet"], "cannot be in ALP"),
            (["-o", "x", "--codec", "zip", "a.parquet"], "zstd, gzip"),
            (["-o", "x", "--split", "0", "a.parquet"], "a number of rows"),
            (["-o", "-", "--split", "5", "a.parquet"], "standard output"),
            (["-o", "b.parquet", "--split", "5", "a.parquet"], "must be new, or empty"),
            (["-o", ".", "--split", "5", "a.parquet"], "must be new, or empty"),
        ]:
            with self.subTest(arguments):
                self.assertIn(message, self.misuse("rewrite", *arguments))
        self.assertEqual(self.files(), ["a.parquet", "b.parquet"])
        self.assertEqual(self.content("a.parquet"), before)

    def test_bad_inputs_leave_nothing_behind(self):
        self.put("junk", "junk")
        damaged = bytearray(self.content("a.parquet"))
        damaged[200] ^= 255
        with open(self.path("damaged"), "wb") as file:
            file.write(damaged)
        self.put("old", "old")
        for options in [[], ["--split", "9"], ["--sort-by", "n"], ["--partition-by", "s"]]:
            self.assertIn("junk: ", self.bad("rewrite", *options, "-o", "new", "a.parquet", "junk"))
            self.assertIn("none: ", self.bad("rewrite", *options, "-o", "new", "none"))
            if options:
                self.assertIn("damaged: ", self.bad("rewrite", *options, "-o", "new", "damaged"))
        self.assertIn("damaged: ", self.bad("rewrite", "--codec", "snappy", "-o", "old", "damaged"))
        self.assertEqual(self.files(), ["a.parquet", "b.parquet", "damaged", "junk", "old"])
        self.assertEqual(self.content("old"), b"old")

    def test_a_disk_without_room(self):
        for options in [[], ["--codec", "none"], ["--sort-by", "n"]]:
            line = self.bad("rewrite", *options, "-o", "/dev/full", "a.parquet")
            self.assertTrue(line.startswith("/dev/full: cannot write"), line)

    def test_signals_end_it_and_nothing_remains(self):
        """A sort with a spill file, a folder with many files, and a file."""
        self.make("m.parquet", [{"k": n % 40, "n": n * 7919 % 100003} for n in range(100000)])
        inputs = ["m.parquet"] * 60
        before = self.files()
        for options in [
            ["--sort-by", "n", "--memory-limit", "4MiB"],
            ["--partition-by", "k"],
            ["--page-size", "1000"],
        ]:
            for wait in [0.1, 0.4]:
                process = subprocess.Popen(
                    [program.PROGRAM, "rewrite", *options, "-o", "out", *inputs],
                    cwd=self.folder, stderr=subprocess.PIPE,
                )  # fmt: skip
                time.sleep(wait)
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=program.TIME_LIMIT)
                self.assertIn(process.returncode, (-signal.SIGTERM, 0))
                if process.returncode != 0:
                    self.assertEqual(self.files(), before)

    def test_progress_is_shown_on_a_terminal_only(self):
        """A copy is too fast for it; what takes seconds has a rate, and the time that is left."""
        self.make("m.parquet", [{"k": n % 40, "n": n * 7919 % 100003} for n in range(100000)])
        for options in [["--sort-by", "n", "--where", "k < 30"], ["--page-size", "300"], ["--split", "100000"]]:
            master, terminal = pty.openpty()
            process = self.start("rewrite", *options, "-o", "out", *["m.parquet"] * 3000, stderr=terminal)
            os.close(terminal)
            shown = b""
            deadline = time.monotonic() + program.TIME_LIMIT
            while shown.count(b"left") < 3 and process.poll() is None and time.monotonic() < deadline:
                if select.select([master], [], [], 0.05)[0]:
                    shown += os.read(master, 1000)
            process.send_signal(signal.SIGINT)
            process.wait(program.TIME_LIMIT)
            os.close(master)
            self.assertRegex(shown, rb"\A(\r +\d+ %  [\d.]+ MB/s(  \d+:\d\d left)? *)+", options)
            shares = [int(share) for share in re.findall(rb"(\d+) %", shown)]
            self.assertEqual(shares, sorted(shares))
            self.assertLessEqual(shares[-1], 100)
            self.assertEqual(self.files(), ["a.parquet", "b.parquet", "m.parquet"])
        self.good("rewrite", "--page-size", "300", "-o", "out", *["m.parquet"] * 30)

    def test_a_deadline_ends_it(self):
        inputs = ["a.parquet"] * 400
        message = self.bad("rewrite", "--timeout", "1ms", "--page-size", "99", "-o", "x", *inputs)
        self.assertRegex(message, "deadline|time")
        self.assertEqual(self.files(), ["a.parquet", "b.parquet"])


program.main()
