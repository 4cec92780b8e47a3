# SPDX-License-Identifier: Apache-2.0
"""Folders and patterns as operands: which files are found, and the keys in the names of folders."""

import csv
import io
import os
import re

import program

DAYS = ["2024-01-01", "2024-01-02", "__HIVE_DEFAULT_PARTITION__"]


class FolderTest(program.ProgramTest):
    def add(self, path, records, *options):
        os.makedirs(os.path.dirname(self.path(path)) or self.folder, exist_ok=True)
        return self.make(path, records, *options)

    def touch(self, path, content=b""):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        self.put(path, content)

    def seen(self, *operands):
        """The field x of all records."""
        lines = self.good("cat", *operands).splitlines()
        return [program.json.loads(line)["x"] for line in lines]


class Finding(FolderTest):
    def setUp(self):
        super().setUp()
        self.add("d/b.parquet", [{"x": "b"}])
        self.add("d/a.parq", [{"x": "a"}])
        self.add("d/sub/c.snappy.parquet", [{"x": "c"}])
        self.add("d/sub-1/deep/d.parquet", [{"x": "d"}])
        self.add("other.dat", [{"x": "o"}])

    def test_a_folder_is_all_files_below_it_in_the_order_of_their_paths(self):
        self.assertEqual(self.seen("d"), ["a", "b", "d", "c"])  # "-" is before "/"
        self.assertEqual(self.seen("d/"), ["a", "b", "d", "c"])
        self.assertEqual(self.seen("./d/sub"), ["c"])
        self.assertEqual(self.seen("."), ["a", "b", "d", "c"])

    def test_what_is_no_data_is_passed_over(self):
        for name in ("_SUCCESS", "_metadata", "_x.parquet", ".x.parquet", ".x/y.parquet", "_x/y.parquet",
                     "x.txt", "x.parquet.crc", "x.parquet.tmp", ".parquet"):  # fmt: skip
            self.touch("d/" + name, b"no Parquet file")
        os.mkfifo(self.path("d/pipe.parquet"))
        self.assertEqual(self.seen("d"), ["a", "b", "d", "c"])
        self.assertEqual(self.good("count", "d"), "4\n")

    def test_folders_of_keys_are_no_exception_for_how_they_begin(self):
        """rewrite --partition-by makes them, and nothing read them. What rewrite is making is none of them."""
        for name in ("_day=1", ".x=1/_y=2"):
            self.add(f"keys/{name}/a.parquet", [{"x": "a"}])
        for name in ("_day/a.parquet", ".k=1.lamella-4711-012Xyz/a.parquet", "_k=1.parquet", "._day=1.parquet"):
            self.touch("keys/" + name, b"no Parquet file")
        self.assertEqual(
            [program.json.loads(line) for line in self.good("cat", "keys").splitlines()],
            [{"x": "a", ".x": 1, "_y": 2, "_day": None}, {"x": "a", ".x": None, "_y": None, "_day": 1}],
        )
        self.assertEqual(self.good("count", "--where", '".x" = 1', "keys"), "1\n")
        self.add("flat.parquet", [{"_3": n % 2, "n": n} for n in range(10)])
        self.good("rewrite", "--partition-by", "_3", "-o", "made", "flat.parquet")
        self.assertEqual(self.good("count", "made"), "10\n")

    def test_patterns(self):
        cases = {
            "*.dat": "o",
            "d/*.par*": "ab",
            "d/[ab].*": "ab",
            "d/?.parquet": "b",
            "d/*/*.parquet": "c",
            "d/**/*.parquet": "bdc",
            "d/**": "abdc",
            "**": "abdc",
            "**/deep/*": "d",
            "d/**/**/d*": "d",
            "d/sub*": "dc",
            "d*": "abdc",
            "d/*/deep": "d",
            "d/**/sub": "c",
            "./d/**/b.parquet": "b",
        }
        for pattern, expected in cases.items():
            with self.subTest(pattern=pattern):
                self.assertEqual("".join(self.seen(pattern)), expected)
        self.assertEqual("".join(self.seen(self.path("d/*.parq"))), "a")

    def test_a_pattern_that_is_a_name_is_the_file(self):
        self.add("d/[ab].parquet", [{"x": "literal"}])
        self.assertEqual(self.seen("d/[ab].parquet"), ["literal"])
        self.assertEqual(self.seen("d/[[]ab].parquet"), ["literal"])

    def test_hidden_names_need_a_pattern_that_begins_so(self):
        self.add("d/_new/n.parquet", [{"x": "n"}])
        self.add("d/.old/.o.parquet", [{"x": "o"}])
        self.assertEqual(self.seen("d/_*/*"), ["n"])
        self.assertEqual(self.seen("d/.*/.*"), ["o"])
        self.assertEqual(self.seen("d/_new"), ["n"])
        self.bad("cat", "d/*/o*")

    def test_links_are_followed_but_not_in_circles(self):
        os.symlink("..", self.path("d/sub/up"))
        os.symlink(".", self.path("d/self"))
        os.symlink("../other.dat", self.path("d/link.parquet"))
        self.assertEqual(sorted(self.seen("d")), ["a", "b", "c", "d", "o"])
        self.assertEqual(sorted(self.seen("d/**/*.parquet")), ["b", "c", "d", "o"])
        os.symlink("d/sub", self.path("way"))
        self.assertEqual(self.seen("way/c*"), ["c"])

    def test_nothing_found_is_an_error(self):
        os.mkdir(self.path("empty"))
        for command in ("cat", "head", "count", "sample", "check", "schema", "meta", "summary"):
            for operand in ("empty", "*.none", "none/*", "d/**/none"):
                with self.subTest(command=command, operand=operand):
                    line = self.bad(command, operand)
                    self.assertIn("no Parquet file" if operand == "empty" else "no file matches", line)
        status, output, errors = self.run_program("count", "*.none", "d")
        self.assertEqual((status, output), (1, b"4\td\n4\ttotal\n"))
        self.assertEqual(errors, "lamella: *.none: no file matches\n")

    def test_a_folder_that_cannot_be_read_is_an_error(self):
        if os.getuid() == 0:
            self.skipTest("root reads everything")
        os.chmod(self.path("d/sub"), 0)
        self.addCleanup(os.chmod, self.path("d/sub"), 0o700)
        self.assertIn("cannot read the folder", self.bad("count", "d"))

    def test_a_broken_file_is_reported_and_the_others_are_read(self):
        self.touch("d/bad.parquet", b"PAR1 nothing PAR1")
        status, output, errors = self.run_program("cat", "d")
        self.assertEqual((status, output.count(b"\n")), (1, 4))
        self.assertTrue(errors.startswith("lamella: d/bad.parquet: "), errors)
        status, output, errors = self.run_program("count", "d", "other.dat")
        self.assertEqual((status, output), (1, b"1\tother.dat\n5\ttotal\n"))

    def test_commands_on_single_files_take_each(self):
        self.assertEqual(self.good("check", "--quiet", "d"), "")
        self.assertEqual(self.good("schema", "d").count("message"), 4)
        self.assertIn("# d/sub/c.snappy.parquet\n", self.good("schema", "d"))
        self.assertEqual(self.good("meta", "--json", "d/**/*.parquet").count('"file":'), 3)
        self.assertTrue(self.good("summary", "d").startswith("4 rows in 4 row groups of 4 files"))

    def test_many_folders_are_found_within_the_time_limit(self):
        for i in range(1600):
            os.makedirs(self.path(f"many/{i // 40}/{i % 40}"))
        self.assertIn("no Parquet file", self.bad("count", "many"))
        self.assertIn("time limit", self.bad("count", "--timeout", "1ms", "many"))


class Keys(FolderTest):
    def setUp(self):
        super().setUp()
        for day in DAYS:
            for region in ("north%2Feast", "s\u00fcd"):
                records = [{"x": n, "tags": ["a", None]} for n in range(3)]
                self.add(f"sales/day={day}/region={region}/f.parquet", records)
        self.touch("sales/_SUCCESS")

    def test_keys_are_fields_behind_those_of_the_file(self):
        self.assertEqual(
            self.good("cat", "-n", "1", "sales"),
            '{"x":0,"tags":["a",null],"day":"2024-01-01","region":"north/east"}\n',
        )
        days = [record["day"] for record in self.records("sales")]
        self.assertEqual(days, [day for day in [*DAYS[:2], None] for _ in range(6)])

    def test_conditions_on_keys_leave_files_unread(self):
        condition = "day = '2024-01-02' and region = 's\u00fcd'"
        status, output, errors = self.run_program("cat", "--explain", "--where", condition, "sales")
        self.assertEqual((status, output.count(b"\n")), (0, 3))
        pruned = re.findall(r"examined; ruled out: (\d)", errors)
        self.assertEqual(sorted(pruned), ["0", "1", "1", "1", "1", "1"])
        unread = [line for line in errors.splitlines() if "bytes read" in line and "day=2024-01-02" not in line]
        for line in unread:
            name, read = re.fullmatch(r"lamella: (.*?): (\d+) of .*", line).groups()
            self.assertEqual(int(read), self.footer_size(name) + 8, line)
        self.assertEqual(len(unread), 4)

    def footer_size(self, name):
        with open(self.path(name), "rb") as file:
            return int.from_bytes(file.read()[-8:-4], "little")

    def test_conditions_and_columns(self):
        self.assertEqual(self.good("count", "--where", "day is null", "sales"), "6\n")
        self.assertEqual(self.good("count", "--where", "day > '2024-01-01'", "sales"), "6\n")
        self.assertEqual(self.good("count", "--where", "day = '2024-01-01' or x = 2", "sales"), "10\n")
        self.assertEqual(self.good("count", "--no-pruning", "--where", "region = 'north/east'", "sales"), "9\n")
        self.assertEqual(
            self.good("cat", "--columns", "region,x", "--where", "day is null and x = 1", "sales"),
            '{"x":1,"region":"north/east"}\n{"x":1,"region":"s\u00fcd"}\n',
        )
        self.assertIn("dya", self.misuse("count", "--where", "dya is null", "sales/day=2024-01-01/*n*/*"))

    def test_keys_begin_below_the_operand(self):
        self.assertEqual(list(self.records("sales/day=2024-01-01")[0]), ["x", "tags", "region"])
        self.assertEqual(list(self.records("sales/day=*/*/f.parquet")[0]), ["x", "tags", "day", "region"])
        self.assertEqual(list(self.records("sales/day=2024-01-01/r*/f.parquet")[0]), ["x", "tags", "region"])
        self.assertEqual(list(self.records("sales/day=2024-01-01/region=s\u00fcd/f.parquet")[0]), ["x", "tags"])

    def test_tables_have_columns_for_keys(self):
        text = self.good("cat", "-f", "csv", "--columns", "x,day,region", "sales")
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], ["x", "day", "region"])
        self.assertEqual(rows[1], ["0", "2024-01-01", "north/east"])
        self.assertEqual(rows[-1], ["2", "", "s\u00fcd"])
        self.assertIn("region", self.good("head", "-f", "table", "sales"))
        self.assertEqual(len(self.good("sample", "-n", "5", "sales").splitlines()), 5)

    def test_files_behind_the_limit_are_not_opened(self):
        self.touch("sales/day=9/z.parquet", b"broken")
        self.assertEqual(self.good("head", "-n", "2", "sales").count("\n"), 2)

    def test_types_follow_from_all_files(self):
        for name, first in (("1", 1), ("-7", -7), ("007", 7), ("1.5", "1.5"), ("2024-02-30", "2024-02-30")):
            with self.subTest(name=name):
                self.add(f"t{name}/k={name}/f.parquet", [{"x": 1}])
                self.assertEqual(self.records(f"t{name}"), [{"x": 1, "k": first}])
                self.add(f"t{name}/k=word/f.parquet", [{"x": 2}])
                self.assertEqual(self.records(f"t{name}")[0]["k"], name)
        self.assertEqual(self.good("count", "--where", "k = -7", "t-7/k=-*"), "1\n")

    def test_numbers_with_zeros_in_front_are_numbers_if_all_have_as_many_digits(self):
        for month in ("01", "02", "12"):
            self.add(f"m/month={month}/f.parquet", [{"x": int(month)}])
        self.assertEqual([record["month"] for record in self.records("m")], [1, 2, 12])
        self.assertEqual(self.good("count", "--where", "month >= 2", "m"), "2\n")
        self.add("m/month=1/f.parquet", [{"x": 0}])
        self.assertEqual([record["month"] for record in self.records("m")], ["01", "02", "1", "12"])

    def test_files_that_a_shell_names_have_the_fields_of_their_folders(self):
        for month in ("01", "02", "12"):
            self.add(f"m/y=2024/month={month}/f.parquet", [{"x": int(month)}])
        files = [f"m/y=2024/month={month}/f.parquet" for month in ("01", "02", "12")]
        wanted = self.good("cat", "m/y=2024")
        self.assertEqual(self.good("cat", *files), wanted)
        self.assertEqual(self.good("cat", *[self.path(file) for file in files]), wanted)
        self.assertEqual(self.good("cat", "m/*/month=*/f.parquet").count('"y":2024'), 3)
        self.assertEqual(self.good("count", "--where", "month >= 2", *files).splitlines()[-1].split()[0], "2")
        self.good("rewrite", "-o", "all", *files)
        self.assertEqual(self.good("cat", "all"), wanted)
        self.good("rewrite", "-o", "one", files[0])
        self.assertEqual(self.good("cat", "one"), '{"x":1}\n')
        self.assertEqual(self.good("cat", files[0]), '{"x":1}\n')
        self.add("m/y=2024/month=01/g.parquet", [{"x": 3}])
        self.assertEqual(self.good("cat", files[0], "m/y=2024/month=01/g.parquet"), '{"x":1}\n{"x":3}\n')
        self.assertEqual(self.good("cat", *files[:2], "-", stdin=open(self.path("one"), "rb").read()),
                         '{"x":1,"month":1}\n{"x":2,"month":2}\n{"x":1}\n')  # fmt: skip

    def test_two_folders_share_keys_and_types(self):
        self.add("a/k=1/f.parquet", [{"x": 1}])
        self.add("b/k=z/j=2/f.parquet", [{"x": 2}])
        self.assertEqual(self.good("cat", "a", "b"), '{"x":1,"k":"1","j":null}\n{"x":2,"k":"z","j":2}\n')

    def test_a_field_of_the_file_counts(self):
        self.add("own/x=5/f.parquet", [{"x": 1, "y": 2}])
        self.assertEqual(self.good("cat", "own"), '{"x":1,"y":2}\n')

    def test_files_of_different_schemas(self):
        self.add("mix/k=1/f.parquet", [{"x": 1}])
        self.add("mix/k=2/f.parquet", [{"y": "a"}])
        self.assertEqual(self.good("cat", "mix"), '{"x":1,"k":1}\n{"y":"a","k":2}\n')
        self.assertEqual(self.good("cat", "-f", "csv", "mix"), "x,k,y\n1,1,\n,2,a\n")

    def test_odd_names(self):
        self.add("odd/=x/a b=c d/%3D=1=2/k=/f.parquet", [{"x": 1}])
        self.assertEqual(self.good("cat", "odd"), '{"x":1,"a b":"c d","=":"1=2","k":""}\n')
        self.assertEqual(self.good("count", "--where", "\"a b\" = 'c d' and \"=\" = '1=2'", "odd"), "1\n")
        folder = os.fsencode(self.path("raw/k=")) + b"\xff"
        os.makedirs(folder)
        self.add("f.parquet", [{"x": 1}])
        os.rename(self.path("f.parquet"), folder + b"/f.parquet")
        self.assertEqual(self.good("cat", "--binary", "hex", "raw"), '{"x":1,"k":"ff"}\n')

    def test_partitions_of_a_log(self):
        schema = "message m { required int64 t (TIMESTAMP(MILLIS,true)); required binary host (STRING); }"
        lines = [f'{{"t":"2026-11-2{n % 3}T10:00:0{n % 7}.000Z","host":"h/{n % 2}"}}\n' for n in range(60)]
        for field, pattern in (("t", "date=%Y-%m-%d"), ("host", "h=%v")):
            self.good("log", "--schema", schema, "--partition", pattern, "--by", field, "-o", f"log-{field}",
                      stdin="".join(lines))  # fmt: skip
        self.assertEqual(self.good("count", "--where", "date = '2026-11-21'", "log-t"), "20\n")
        self.assertEqual(self.good("count", "--where", "h = 'h/1'", "log-host"), "30\n")
        for record in self.records("log-host"):
            self.assertEqual(record["h"], record["host"])
        for record in self.records("log-t"):
            self.assertEqual(record["date"], record["t"][:10])


if __name__ == "__main__":
    program.main()
