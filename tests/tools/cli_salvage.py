# SPDX-License-Identifier: Apache-2.0
"""What is left of damaged files (cat --keep-going, rewrite --salvage), and encodings that are asked for (import --encoding)."""

import base64
import json
import os
import re
import subprocess
import unittest

import program

RECORDS = [{"a": n, "b": f"text {n}", "c": [n, n]} for n in range(90)]


class Salvage(program.ProgramTest):
    def damaged(self, *paths):
        """A file of three row groups in which a page of each named column of the second one is damaged."""
        self.make(
            "a.parquet", RECORDS, "--row-group-rows", "30", "--codec", "none", "--no-dictionary"
        )
        pages = [
            json.loads(line) for line in self.good("pages", "--json", "a.parquet").splitlines()
        ]
        with open(self.path("a.parquet"), "rb") as file:
            data = bytearray(file.read())
        for page in pages:
            if page["row_group"] == 1 and page["path"] in paths:
                data[page["offset"] + page["header_size"] + 40] ^= 1
        self.put("x.parquet", bytes(data))

    def salvage(self, *options):
        status, output, errors = self.run_program("cat", "--keep-going", *options, "x.parquet")
        return status, [json.loads(line) for line in output.splitlines()], errors.splitlines()

    def test_a_damaged_column_is_left_out_of_its_row_group_only(self):
        self.damaged("b")
        status, records, errors = self.salvage()
        expected = [dict(record) for record in RECORDS]
        for record in expected[30:60]:
            del record["b"]
        self.assertEqual(status, 1)
        self.assertEqual(records, expected)
        self.assertEqual(len(errors), 1)
        self.assertIn("row group 1, column 1", errors[0])

    def test_records_of_which_nothing_can_be_read_are_counted(self):
        self.damaged("a", "b", "c.list.element")
        status, records, errors = self.salvage()
        self.assertEqual(status, 1)
        self.assertEqual(records, RECORDS[:30] + RECORDS[60:])
        self.assertEqual(len(errors), 4)
        self.assertEqual(errors[-1], "lamella: x.parquet: 30 records of row group 1 are lost")

    def test_skip_and_limit_count_damaged_records_too(self):
        self.damaged("b")
        status, records, _ = self.salvage("--skip", "50", "--limit", "20")
        self.assertEqual([record["a"] for record in records], list(range(50, 70)))
        self.assertEqual(["b" in record for record in records], [False] * 10 + [True] * 10)
        self.assertEqual(status, 1)

    def test_what_is_not_read_does_not_count(self):
        self.damaged("b")
        status, records, errors = self.salvage("--columns", "a,c")
        self.assertEqual((status, errors), (0, []))
        self.assertEqual(records, [{"a": record["a"], "c": record["c"]} for record in RECORDS])

    def damage_pages(self, damage, *options):
        """A file of one row group with many pages, one byte changed in each page that `damage` (path, number) names."""
        records = [{"a": n, "b": f"text {n}", "c": [n] * (n % 4)} for n in range(2000)]
        self.make("p.parquet", records, "--codec", "none", "--no-dictionary", "--page-size", "512", *options)
        with open(self.path("p.parquet"), "rb") as file:
            data = bytearray(file.read())
        seen = {}
        for page in map(json.loads, self.good("pages", "--json", "p.parquet").splitlines()):
            number = seen[page["path"]] = seen.get(page["path"], -1) + 1
            if (page["path"], number) in damage:
                data[page["offset"] + page["header_size"] + 40] ^= 1
        self.assertGreater(min(seen.values()), 10)
        self.put("x.parquet", bytes(data))
        return records

    def test_only_the_records_of_a_damaged_page_lose_the_field(self):
        """All of the row group lost it: 52 times as many records as there were in the page."""
        for options in [[], ["--data-page-version", "2"]]:
            records = self.damage_pages([("b", 3), ("c.list.element", 5)], *options)
            status, found, errors = self.salvage()
            self.assertEqual((status, len(found), len(errors)), (1, 2000, 4))
            for field, most in (("b", 100), ("c", 200)):
                lost = [n for n, record in enumerate(found) if field not in record]
                self.assertEqual(lost, list(range(lost[0], lost[-1] + 1)))
                self.assertTrue(0 < len(lost) < most, (field, len(lost)))
                name = {"b": "b", "c": "c.list.element"}[field]
                line = f"lamella: x.parquet: column {name}: {len(lost)} of 2000 rows of row group 0 are lost"
                self.assertIn(line, errors)
            for record, before in zip(found, records):
                self.assertEqual(record, {name: before[name] for name in record})

    def test_without_an_offset_index_only_the_records_of_a_damaged_page_lose_the_field(self):
        """All of the row group lost it: nothing but the index said where the next page began."""
        records = self.damage_pages([("b", 3)], "--no-page-index")
        status, found, errors = self.salvage()
        lost = [n for n, record in enumerate(found) if "b" not in record]
        self.assertEqual((status, len(errors), len(found)), (1, 2, 2000))
        self.assertTrue(0 < len(lost) < 100, len(lost))
        for n, record in enumerate(found):
            self.assertEqual(record, {name: records[n][name] for name in record})

    def test_skip_and_limit_cut_around_a_damaged_page(self):
        records = self.damage_pages([("b", 3)])
        _, found, _ = self.salvage()
        lost = [n for n, record in enumerate(found) if "b" not in record]
        first, last = lost[0] - 5, lost[-1] + 5
        _, part, _ = self.salvage("--skip", str(first), "--limit", str(last - first))
        self.assertEqual(part, found[first:last])
        _, part, _ = self.salvage("--skip", str(lost[2]), "--limit", "2")
        self.assertEqual(part, [{"a": records[n]["a"], "c": records[n]["c"]} for n in lost[2:4]])


    def test_many_damaged_pages_of_several_columns_leave_each_record_its_other_fields(self):
        """Each range of records opened all columns anew, which took minutes for some thousand pages."""
        records = self.damage_pages([(path, n) for path in "ab" for n in range(path == "b", 60, 2 + (path == "b"))])
        status, found, errors = self.salvage()
        self.assertEqual((status, len(errors)), (1, 4))
        kinds = {tuple(record) for record in found}
        self.assertEqual(kinds, {("a", "b", "c"), ("a", "c"), ("b", "c"), ("c",)})
        self.assertEqual(len(found), 2000)
        for record, before in zip(found, records):
            self.assertEqual(record, {name: before[name] for name in record})
        self.assertEqual(self.salvage("--skip", "700", "--limit", "900")[1], found[700:1600])
        _, output, _ = self.run_program("cat", "--keep-going", "--format", "json", "x.parquet", "x.parquet")
        self.assertEqual(json.loads(output), found + found)
        _, part, errors = self.salvage("--columns", "b,a")
        lost = [n for n, record in enumerate(found) if set(record) == {"c"}]
        self.assertEqual(errors[-1], f"lamella: x.parquet: {len(lost)} records of row group 0 are lost")
        self.assertEqual(len(part), 2000 - len(lost))

    def test_text_that_is_not_utf8_loses_what_is_wrong_in_it_alone(self):
        """All records of the row group behind the first such text were lost, and those before it counted."""
        values = [b"good", b"caf\xe9", b"\xff\xfe", "\ufffd".encode(), b"end"] * 3
        records = [{"n": n, "b": base64.b64encode(value).decode()} for n, value in enumerate(values)]
        schema = "message m { required int64 n; required binary b; }"
        for options in [[], ["--no-dictionary", "--page-size", "20", "--row-group-rows", "7"]]:
            self.make("x.parquet", records, "--schema", schema, *options)
            status, found, errors = self.salvage("--binary", "utf8")
            self.assertEqual(status, 1)
            self.assertEqual([record["n"] for record in found], list(range(15)))
            self.assertEqual([record["b"] for record in found],
                             ["good", "caf\ufffd", "\ufffd\ufffd", "\ufffd", "end"] * 3)  # fmt: skip
            self.assertEqual(errors, ["lamella: x.parquet: b: byte 3 of the text is not UTF-8",
                                      "lamella: x.parquet: U+FFFD stands for what is not UTF-8 in texts"])
            self.assertEqual(self.salvage("--binary", "utf8", "--skip", "1", "--limit", "9")[1], found[1:10])
        self.assertEqual(self.salvage("--binary", "hex")[0], 0)

    def test_a_record_that_does_not_print_is_lost_alone(self):
        """It took the rest of its row group along."""
        schema = "message m { required int64 n; optional group v (VARIANT(1)) { required binary metadata; required binary value; } }"
        good = {"metadata": "AQAA", "value": base64.b64encode(b"\x0c\x05").decode()}
        bad = {"metadata": "AQAA", "value": base64.b64encode(b"\x0c").decode()}
        records = [{"n": n, "v": bad if n in (0, 7, 8, 23, 49) else good} for n in range(50)]
        for options in [[], ["--page-size", "64"], ["--row-group-rows", "20"]]:
            self.make("x.parquet", records, "--schema", schema, "--variant-form", "storage", *options)
            status, found, errors = self.salvage()
            self.assertEqual(status, 1)
            self.assertEqual(found, [{"n": n, "v": 5} for n in range(50) if n not in (0, 7, 8, 23, 49)])
            counts = [line for line in errors if line.endswith(("are lost", "is lost"))]
            self.assertEqual(sum(int(line.split()[2]) for line in counts), 5, errors)
            self.assertEqual(len(errors), 2 * len(counts))
            self.assertEqual(self.salvage("--skip", "5", "--limit", "20")[1],
                             [{"n": n, "v": 5} for n in range(5, 25) if n not in (7, 8, 23)])  # fmt: skip

    def test_a_record_that_is_lost_behind_wrong_text_is_told_too(self):
        schema = "message m { required binary b; optional group v (VARIANT(1)) { required binary metadata; required binary value; } }"
        records = [{"b": text, "v": {"metadata": "AQAA", "value": value}}
                   for text, value in (("aGk=", "DAU="), ("/w==", "DAU="), ("aGk=", "DA=="), ("aGk=", "DAU="))]  # fmt: skip
        self.make("x.parquet", records, "--schema", schema, "--variant-form", "storage")
        status, found, errors = self.salvage("--binary", "utf8")
        self.assertEqual((status, len(errors)), (1, 4), errors)
        self.assertEqual([record["b"] for record in found], ["hi", "\ufffd", "hi"])
        self.assertIn("a value ends early", errors[1])

    def test_a_full_disk_ends_the_output_with_one_message(self):
        self.damage_pages([("b", n) for n in range(0, 60, 2)])
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [program.PROGRAM, "cat", "--keep-going", "x.parquet"], cwd=self.folder, stdout=full,
                stderr=subprocess.PIPE, check=False, timeout=program.TIME_LIMIT,
            )  # fmt: skip
        lines = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len([line for line in lines if "o space left" in line]), 1, lines)

    def rewritten(self, *options, source="x.parquet", output="out.parquet"):
        status, printed, errors = self.run_program("rewrite", "--salvage", *options, "-o", output, source)
        self.assertEqual(printed, b"")
        return status, errors

    def test_rewrite_gives_a_sound_file_with_nulls_for_what_is_lost(self):
        records = self.damage_pages([("b", 3), ("c.list.element", 5)], "--no-page-index")
        status, errors = self.rewritten()
        self.assertEqual(status, 3)
        self.assertEqual(errors.count("column b: rows "), 1, errors)
        self.assertEqual(errors.count("column c.list.element: rows "), 1, errors)
        self.good("check", "--strict", "out.parquet")
        found = self.records("out.parquet")
        self.assertEqual(len(found), 2000)
        lost = {field: [n for n in range(2000) if found[n][field] != records[n][field]] for field in "abc"}
        self.assertEqual(lost["a"], [])
        for field in "bc":
            self.assertTrue(0 < len(lost[field]) < 200)
            self.assertEqual({found[n][field] for n in lost[field]}, {None})

    def test_rewrite_reports_as_one_object(self):
        self.damage_pages([("b", 3)])
        status, errors = self.rewritten("--json", "--lost", "leave-out")
        report = json.loads(errors)
        loss, rows = report["losses"][0], report["left_out"][0]
        self.assertEqual((status, report["rows"], report["pages_damaged"]), (3, 2000, 1))
        self.assertEqual((loss["path"], loss["row_group"], loss["page_count"]), ("b", 0, 1))
        self.assertEqual(rows["first_row"], loss["first_row"])
        self.assertEqual(report["rows_left_out"], rows["row_count"])
        self.assertEqual(report["cells_given_up"], 2 * report["cells_lost"])
        self.assertEqual(len(self.records("out.parquet")), 2000 - rows["row_count"])

    def test_rewrite_ends_with_zero_where_nothing_is_lost(self):
        self.make("a.parquet", RECORDS)
        self.assertEqual(self.rewritten(source="a.parquet")[0], 0)
        self.assertEqual(self.records("out.parquet"), RECORDS)

    def test_columns_that_have_a_bloom_filter_get_one_anew(self):
        self.make("a.parquet", RECORDS, "--bloom", "b", "--row-group-rows", "40")
        self.assertEqual(self.rewritten(source="a.parquet")[0], 0)
        self.good("check", "--strict", "out.parquet")
        for name in ("a.parquet", "out.parquet"):
            filters = re.findall(r"bloom_filter \(row group (\d), column (\d)\)", self.good("bytes", name))
            self.assertEqual(filters, [("0", "1"), ("1", "1"), ("2", "1")])

    def test_rewrite_makes_nothing_of_nothing(self):
        self.damaged("a", "b", "c.list.element")
        with open(self.path("x.parquet"), "rb") as file:
            data = bytearray(file.read())
        for n in range(4, len(data) - 3000):
            data[n] = 0
        for name, content in (("z.parquet", bytes(data[4:])), ("y.parquet", b"PAR1 and no more")):
            self.put(name, content)
            status, errors = self.rewritten(source=name)
            self.assertEqual(status, 1, errors)
            self.assertNotIn("out.parquet", self.files())

    def test_required_fields_leave_rows_out_or_become_optional(self):
        self.make("a.parquet", [{"a": n, "b": n} for n in range(3000)], "--no-dictionary", "--codec", "none", "--page-size", "512",
                  "--schema", "message m { required int64 a; required int64 b; }")
        pages = [json.loads(line) for line in self.good("pages", "--json", "a.parquet").splitlines()]
        page = [page for page in pages if page["path"] == "b"][4]
        with open(self.path("a.parquet"), "rb") as file:
            data = bytearray(file.read())
        data[page["offset"] + page["header_size"] + 10] ^= 1
        self.put("x.parquet", bytes(data))
        self.assertEqual(self.rewritten()[0], 3)
        self.assertEqual(len(self.records("out.parquet")), 3000 - page["values"])
        self.assertEqual(self.rewritten("--lost", "optional")[0], 3)
        found = self.records("out.parquet")
        self.assertEqual([record["a"] for record in found], list(range(3000)))
        self.assertEqual(sum(record["b"] is None for record in found), page["values"])
        self.assertIn("required int64 a", self.good("schema", "out.parquet"))
        self.assertIn("optional int64 b", self.good("schema", "out.parquet"))

    def test_a_file_without_a_footer_is_salvaged_with_the_help_of_another(self):
        self.damaged("b")
        for name, lost, cut in (("a.parquet", [], []), ("x.parquet", list(range(60, 90)), list(range(30, 60)))):
            with open(self.path(name), "rb") as file:
                data = file.read()
            self.put("cut.parquet", data[: -int.from_bytes(data[-8:-4], "little")])
            status, errors = self.rewritten("--like", "a.parquet", source="cut.parquet")
            self.assertEqual(status, 3, errors)
            self.assertIn("the footer is lost", errors)
            _, refused = self.rewritten("--like", "a.parquet", source="cut.parquet", output="no/out.parquet")
            self.assertEqual(refused.count("\n"), 1, "a report of what was not written")
            expected = [record for record in RECORDS if record["a"] not in lost]
            expected = [{**record, "b": None, "c": None} if record["a"] in cut else record for record in expected]
            self.assertEqual(self.records("out.parquet"), expected)

    def test_of_a_row_group_that_is_cut_the_first_columns_come_back(self):
        """It was lost as a whole. The report says what is cut, and where another file decided."""
        self.make("a.parquet", RECORDS, "--row-group-rows", "45", "--page-size", "512", "--no-dictionary")
        pages = [json.loads(line) for line in self.good("pages", "--json", "a.parquet").splitlines()]
        first = [page for page in pages if page["row_group"] == 1 and page["path"] == "c.list.element"][0]
        with open(self.path("a.parquet"), "rb") as file:
            data = file.read()
        self.put("cut.parquet", data[: first["offset"] + 9])
        schema = self.good("schema", "a.parquet")
        for options in (["--like", "a.parquet"], ["--schema", schema if isinstance(schema, str) else schema.decode()]):
            status, errors = self.rewritten("--json", *options, source="cut.parquet")
            report = json.loads(errors)
            self.assertEqual((status, report["is_cut"], report["follows_like"]), (3, True, False), errors)
            self.assertEqual([loss["path"] for loss in report["losses"]], ["c.list.element"])
            self.assertEqual(report["losses"][0]["row_group"], 1)
            expected = [{**record, "c": record["c"] if record["a"] < 45 else None} for record in RECORDS]
            self.assertEqual(self.records("out.parquet"), expected)
            self.good("check", "--strict", "out.parquet")
        status, errors = self.rewritten("--like", "a.parquet", source="cut.parquet")
        self.assertIn("lamella: cut.parquet: row group 1 is cut off\n", errors)

    def test_a_wrong_bit_in_a_header_is_repaired(self):
        records = self.damage_pages([])
        with open(self.path("p.parquet"), "rb") as file:
            data = bytearray(file.read())
        page = [page for page in map(json.loads, self.good("pages", "--json", "p.parquet").splitlines())][7]
        for bit in range(0, 8 * page["header_size"], 3):
            damaged = bytearray(data)
            damaged[page["offset"] + bit // 8] ^= 1 << bit % 8
            self.put("x.parquet", bytes(damaged))
            status, errors = self.rewritten("--json")
            self.assertEqual(status, 0, (bit, errors))
        self.assertEqual(self.records("out.parquet"), records)

    def test_options_that_mean_nothing_to_it_are_misuse(self):
        self.make("a.parquet", RECORDS)
        for options in (["--lost", "null"], ["--json"], ["--like", "a.parquet"], ["--schema", "message m {}"],
                        ["--salvage", "--where", "a = 1"], ["--salvage", "--columns", "a"], ["--salvage", "--split", "10"],
                        ["--salvage", "--sort-by", "a"], ["--salvage", "a.parquet"]):  # fmt: skip
            status, _, errors = self.run_program("rewrite", *options, "-o", "out.parquet", "a.parquet")
            self.assertEqual(status, 2, (options, errors))
            self.assertNotIn("out.parquet", self.files())


@unittest.skipUnless("LAMELLA_BAD_DISK" in os.environ, "LAMELLA_BAD_DISK does not name what bad_sectors.c makes")
class BadDisk(program.ProgramTest):
    """Files on a disk with sectors that cannot be read."""

    def setUp(self):
        super().setUp()
        self.wanted = [{"a": n, "b": f"text {n * n}", "c": [n] * (n % 4)} for n in range(20000)]
        self.make(
            "x.parquet", self.wanted, "--codec", "none", "--no-dictionary", "--page-size", "2048", "--encoding", "a=plain"
        )
        self.pages = [json.loads(line) for line in self.good("pages", "--json", "x.parquet").splitlines()]

    def run_with(self, begin, end, *arguments, also="", reads="1000000"):
        """Status, output and errors while the sectors from BEGIN on up to END, and others, of x.parquet cannot be read."""
        sectors = f"{begin}-{end} {also}"
        environment = dict(os.environ, LD_PRELOAD=os.environ["LAMELLA_BAD_DISK"], LAMELLA_BAD_SECTORS=sectors)
        environment["LAMELLA_BAD_READS"] = reads
        environment["LAMELLA_BAD_INODE"] = str(os.stat(self.path("x.parquet")).st_ino)
        done = subprocess.run(
            [program.PROGRAM, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            check=False,
            timeout=program.TIME_LIMIT,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def lost_rows(self, begin, end):
        """The rows of the pages in these sectors, by column. Flat columns have a value for each row."""
        lost, rows = {}, {}
        for page in self.pages:
            path = page["path"]
            size = page["header_size"] + page["compressed_size"]
            first = rows.get(path, 0)
            rows[path] = first + page["values"]
            if page["offset"] < end and page["offset"] + size > begin:
                lost.setdefault(path, set()).update(range(first, rows[path]))
        return lost

    def sectors(self, path):
        """Two sectors among the pages of a column."""
        offsets = [page["offset"] for page in self.pages if page["path"].startswith(path)]
        begin = offsets[len(offsets) // 2] // 4096 * 4096
        return begin, begin + 8192

    def test_the_pages_in_them_are_lost_alone(self):
        for path in ("a", "b"):
            begin, end = self.sectors(path)
            lost = self.lost_rows(begin, end)
            self.assertEqual(list(lost), [path])
            expected = [dict(record) for record in self.wanted]
            for row in lost[path]:
                del expected[row][path]
            status, output, errors = self.run_with(begin, end, "cat", "--keep-going", "x.parquet")
            self.assertEqual([json.loads(line) for line in output.splitlines()], expected)
            self.assertEqual(status, 1)
            self.assertIn("Input/output error", errors)
            arguments = ("rewrite", "--salvage", "--lost", "leave-out", "--json", "-o", "out.parquet", "x.parquet")
            status, output, errors = self.run_with(begin, end, *arguments)
            report = json.loads(errors)
            self.assertEqual((status, output), (3, ""))
            self.assertEqual(report["cells_lost"], len(lost[path]))
            messages = {loss["message"] for loss in report["losses"]}
            self.assertEqual(messages, {"x.parquet: cannot read 4096 bytes: Input/output error"})
            whole = [record for row, record in enumerate(self.wanted) if row not in lost[path]]
            self.assertEqual(self.records("out.parquet"), whole)

    def test_other_commands_end_with_one_message(self):
        begin, end = self.sectors("b")
        for command in (("cat",), ("check",), ("rewrite", "--codec", "gzip", "-o", "out.parquet")):
            status, _, errors = self.run_with(begin, end, *command, "x.parquet")
            self.assertEqual(status, 1, command)
            self.assertRegex(errors, r"^lamella: x.parquet: cannot read \d+ bytes: Input/output error.*\n$")
        self.assertEqual(self.files(), ["x.parquet"])

    def test_a_file_whose_footer_cannot_be_read_is_salvaged_by_its_schema(self):
        """It was refused, though the same file without its footer was not."""
        begin, end = self.big_page()
        size = os.path.getsize(self.path("x.parquet"))
        footer = (size - 9) // 4096 * 4096
        last = self.lost_rows(footer, size).get("b", set())
        schema = self.good("schema", "x.parquet")
        for known in (["--schema", schema], ["--like", "like.parquet"]):
            arguments = ("rewrite", "--salvage", "--lost", "leave-out", "--json", "-o", "out.parquet", *known, "x.parquet")
            for bad, lost in (((0, 0), last), ((begin, end), last | self.lost_rows(begin, end)["b"])):
                status, _, errors = self.run_with(*bad, *arguments, also=f"{footer}-{size + 4096}")
                report = json.loads(errors)
                self.assertEqual((status, report["has_footer"], report["cells_lost"]), (3, False, len(lost)))
                self.assertEqual(
                    self.records("out.parquet"), [record for row, record in enumerate(self.wanted) if row not in lost]
                )
                os.remove(self.path("out.parquet"))

    def test_a_footer_that_is_read_the_second_time_is_not_lost(self):
        """The report said that it was."""
        size = os.path.getsize(self.path("x.parquet"))
        begin = (size - 9) // 4096 * 4096
        arguments = ("rewrite", "--salvage", "--json", "-o", "out.parquet", "x.parquet")
        status, _, errors = self.run_with(begin, size + 4096, *arguments, reads="1")
        self.assertEqual((status, json.loads(errors)["has_footer"]), (0, True))
        self.assertEqual(self.records("out.parquet"), self.wanted)

    def big_page(self):
        """A file of flat pages of many sectors, one like it, and a sector inside a page of `b`."""
        for record in self.wanted:
            del record["c"]
        options = ("--codec", "none", "--no-dictionary", "--page-size", "65536", "--encoding", "a=plain")
        self.make("x.parquet", self.wanted, *options)
        self.make("like.parquet", self.wanted, *options)
        self.pages = [json.loads(line) for line in self.good("pages", "--json", "x.parquet").splitlines()]
        page = [page for page in self.pages if page["path"] == "b"][1]
        begin = (page["offset"] + 8192) // 4096 * 4096
        return begin, begin + 4096

    def test_a_file_whose_footer_cannot_be_read_is_not_salvaged_without_one(self):
        size = os.path.getsize(self.path("x.parquet"))
        begin = (size - 9) // 4096 * 4096
        for command in (("cat", "--keep-going"), ("rewrite", "--salvage", "-o", "out.parquet")):
            status, _, errors = self.run_with(begin, begin + 4096, *command, "x.parquet")
            self.assertEqual(status, 1, command)
            self.assertIn("Input/output error", errors)
        self.assertEqual(self.files(), ["x.parquet"])


class Encodings(program.ProgramTest):
    def encodings(self, *options):
        self.make("e.parquet", RECORDS, *options)
        self.assertEqual(self.records("e.parquet"), RECORDS)
        lines = self.good("pages", "--json", "e.parquet").splitlines()
        return {
            page["path"]: page["encoding"]
            for page in map(json.loads, lines)
            if page["type"] != "dictionary"
        }

    def test_a_leaf_and_the_leaves_below_a_group_take_the_encoding_that_is_asked_for(self):
        self.assertEqual(
            self.encodings(
                "--encoding",
                "a=delta_binary_packed",
                "--encoding",
                "c=RLE_DICTIONARY",
                "--encoding",
                "b=plain",
            ),
            {"a": "DELTA_BINARY_PACKED", "b": "PLAIN", "c.list.element": "RLE_DICTIONARY"},
        )

    def test_what_cannot_be_is_a_usage_error_and_leaves_no_file(self):
        self.put("in.ndjson", "".join(json.dumps(record) + "\n" for record in RECORDS))
        for encoding in (
            "b=delta_binary_packed",
            "c=byte_array",
            "b",
            "nowhere=plain",
            "a=plain_dictionary",
            "a=bit_packed",
        ):
            status, output, errors = self.run_program(
                "import", "--encoding", encoding, "-o", "no.parquet", "in.ndjson"
            )
            self.assertEqual((status, output), (2, b""), encoding)
            self.assertEqual(errors.count("\n"), 1, errors)
            self.assertNotIn("no.parquet", self.files())


if __name__ == "__main__":
    program.main()
