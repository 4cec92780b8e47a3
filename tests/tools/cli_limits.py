# SPDX-License-Identifier: Apache-2.0
"""Limits of memory, time and rows: files of a few bytes that stand for more than anyone waits for.

What went wrong before: one record of 2^31 elements made cat grow by 160 MB a second, a file of 2.9 KB kept
check busy without end, and schema, meta, pages and automaton had no option for the memory of a large footer.
"""

import json
import os
import pty
import re
import subprocess
import sys
import time
import unittest

import bombs
import program

SANITIZED = bool(os.environ.get("LAMELLA_SLOW"))
SECONDS = 20  # more than any of these takes, on any machine
class Limits(program.ProgramTest):
    def measured(self, *arguments):
        """Runs a command: gives its status, its errors, and its peak of memory in bytes.

        A process begins with the peak of the one that started it, so that a small one stands between. Memory that is
        filled before it is used, as Meson asks for, would count where nobody has touched it.
        """
        environment = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
        small = (
            "import os, subprocess, sys; process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL);"
            "_, status, usage = os.wait4(process.pid, 0); print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-S", "-c", small, program.PROGRAM, *arguments], cwd=self.folder, capture_output=True, check=True,
            env=environment,
        )  # fmt: skip
        status, peak = done.stdout.split()
        return int(status), done.stderr.decode(), int(peak) * 1024

    def ended(self, *arguments):
        """Runs what would not end in time: gives its line of errors and its peak of memory in bytes."""
        begin = time.monotonic()
        status, errors, peak = self.measured(*arguments)
        self.assertEqual(status, 1, errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertLess(time.monotonic() - begin, SECONDS)
        return errors, peak

    def test_a_record_without_end_is_named_within_the_memory_limit(self):
        self.put("one.parquet", bombs.one_record_data())
        self.assertEqual(len(bombs.one_record_data()), 143)
        for limit, most in (("1MiB", 1 << 20), ("16MiB", 16 << 20)):
            errors, peak = self.ended("cat", "--limit", "1", "--memory-limit", limit, "one.parquet")
            self.assertIn(f"would exceed the memory limit of {most} (option --memory-limit)", errors)
            self.assertIn("(row group 0, row 0)", errors)
            if not SANITIZED:
                self.assertLess(peak, most + (32 << 20))

    def peak(self, *arguments):
        """Runs what succeeds, and gives its peak of memory in bytes."""
        status, errors, peak = self.measured(*arguments)
        self.assertEqual(status, 0, errors)
        return peak

    def test_writers_keep_the_memory_limit_with_what_feeds_them(self):
        self.put("one.parquet", bombs.one_record_data())
        with open(self.path("texts.json"), "w") as file:  # piece by piece: what this process holds counts as theirs
            for n in range(10000, 60000, 100):
                file.write(f'{{"s":"{"x" * n}"}}\n')
        self.good("import", "-o", "texts.parquet", "texts.json")
        for words in (["rewrite", "--salvage"], ["rewrite", "--page-size", "4096"], ["import"]):
            errors, peak = self.ended(*words, "--memory-limit", "16MiB", "-o", "out", "one.parquet")
            self.assertIn("would exceed the memory limit of 16777216 (option --memory-limit)", errors)
            self.assertIn("(row group 0", errors)
            self.assertFalse(os.path.exists(self.path("out")))
            if not SANITIZED:
                self.assertLess(peak, 32 << 20)
        for words in (["import"], ["rewrite", "--page-size", "4096"], ["rewrite", "--row-group-rows", "100"], ["rewrite", "--salvage"]):
            peak = self.peak(*words, "--memory-limit", "8MiB", "-o", "out", "texts.parquet")
            self.good("diff", "out", "texts.parquet")
            if not SANITIZED:
                self.assertLess(peak, 24 << 20)

    @unittest.skipIf(SANITIZED, "sanitizers have memory of their own")
    def test_a_column_that_is_copied_takes_two_kilobytes_at_most(self):
        columns = 10000
        self.make("few.parquet", [{"a": 1}])
        self.make("many.parquet", [{f"c{n}": n for n in range(columns)}])
        for words in (["rewrite"], ["rewrite", "--page-size", "4096"], ["rewrite", "--codec", "gzip"]):
            few, many = (self.peak(*words, "-o", "out", name) for name in ("few.parquet", "many.parquet"))
            self.assertLess((many - few) / columns, 2048, words)

    @unittest.skipIf(SANITIZED or not os.path.exists("/proc/self/limits"), "no such limit, or it would end sanitizers")
    def test_the_system_bounds_what_the_budget_does_not_see(self):
        words = [program.PROGRAM, "import", "--memory-limit", "16MiB", "-o", "out", "-"]
        with subprocess.Popen(words, cwd=self.folder, stdin=subprocess.PIPE) as process:
            bound = ""
            end = time.monotonic() + SECONDS
            while f"{24 << 20}" not in bound and time.monotonic() < end:
                with open(f"/proc/{process.pid}/limits") as file:
                    bound = next(line for line in file if line.startswith("Max data size"))
            process.stdin.write(b'{"a":1}\n')
        self.assertEqual(process.returncode, 0)
        self.assertIn(f" {24 << 20} ", bound)

    def test_a_timeout_ends_every_command_that_reads_values(self):
        self.put("one.parquet", bombs.one_record_data())
        for command in (["cat", "--memory-limit", "1GiB"], ["levels"], ["levels", "--json"], ["trace"], ["trace", "--shred"], ["check"]):
            errors, _ = self.ended(*command, "--timeout", "20ms", "one.parquet")
            self.assertIn("one.parquet: the time limit has expired", errors)

    def in_time(self, *arguments, seconds=5):
        """Runs what is given 300 ms, and what goes on for ten times `seconds` where nobody asks the stop."""
        begin = time.monotonic()
        status, _, errors = self.run_program(*arguments, "--timeout", "300ms")
        if not SANITIZED:
            self.assertLess(time.monotonic() - begin, seconds, arguments)
        return status, errors

    def test_a_timeout_ends_the_printing_of_long_texts_that_one_run_repeats(self):
        name = bombs.runs_string(self.folder)
        for command in (["cat"], ["cat", "-f", "csv"], ["cat", "-f", "table", "--wide"], ["cat", "--where", "x != 'a'"],
                        ["sample"], ["levels"], ["trace"]):  # fmt: skip
            status, errors = self.in_time(*command, name)
            self.assertEqual((status, "the time limit has expired" in errors), (1, True), (command, errors))

    def test_rows_without_columns_and_rows_of_nulls_are_compared_without_a_step_for_each(self):
        name = bombs.zero_columns(self.folder)
        self.assertEqual(self.in_time("diff", name, name, seconds=2), (0, ""))

    def test_columns_are_summed_up_and_matched_in_time_by_their_number(self):
        """Each was searched for among all: 40,000 columns took 15 s, and 18 s if they had one name."""
        wide = bombs.wide(self.folder, "wide", bombs.numbered(60000))
        same = bombs.same_names(self.folder)
        for command in (["summary", wide], ["diff", "--ignore", "records", same, same], ["summary", same]):
            begin = time.monotonic()
            status, _, errors = self.run_program(*command)
            self.assertEqual((status, errors), (0, ""))
            if not SANITIZED:
                self.assertLess(time.monotonic() - begin, 10)

    def test_a_timeout_ends_the_recovery_of_levels_without_end(self):
        name = bombs.nulls(self.folder)
        with open(self.path(name), "rb") as file:
            self.put("cut.parquet", file.read()[:-8])
        status, errors = self.in_time("recover", "--like", name, "-o", "out", "cut.parquet", seconds=2)
        self.assertEqual((status, errors), (1, "lamella: cut.parquet: the time limit has expired\n"))

    def ends_by_itself(self, *arguments, status=1, **streams):
        """Runs what waits for somebody, with 100 ms: gives its line of errors."""
        begin = time.monotonic()
        with self.start(*arguments, "--timeout", "100ms", stderr=subprocess.PIPE, **streams) as process:
            errors = process.communicate(timeout=SECONDS)[1].decode()
        self.assertEqual((process.returncode, errors.count("\n")), (status, 1), (arguments, errors))
        self.assertGreaterEqual(time.monotonic() - begin, 0.1)
        return errors

    def test_a_timeout_ends_those_who_read_a_pipe_that_is_silent(self):
        shape = "message m { optional int64 a; }"
        self.make("f.parquet", '{"a":1}\n')
        self.put("in.json", '{"a":1}\n')
        for command in (["cat", "-"], ["count", "-"], ["import", "-o", "out", "-"], ["schema", "-"], ["levels", "--schema", shape, "-"],
                        ["import", "--schema", shape, "-o", "out", "-"], ["import", "--format", "csv", "-o", "out", "-"],
                        ["append", "-o", "f.parquet", "-"], ["append", "--in-place", "-o", "f.parquet", "-"],
                        ["import", "--schema", "-", "-o", "out", "in.json"]):  # fmt: skip
            ends = os.pipe()
            os.write(ends[1], b'{"a":1}\n' if "csv" not in command else b"a,b\n1,2\n")
            errors = self.ends_by_itself(*command, stdin=ends[0])
            self.assertEqual(errors, "lamella: standard input: the time limit has expired\n", command)
            os.close(ends[0])
            os.close(ends[1])
            self.assertEqual(self.files(), ["f.parquet", "in.json"])
        self.assertEqual(self.good("cat", "f.parquet"), '{"a":1}\n')

    def test_a_timeout_ends_those_who_read_a_terminal_at_which_nobody_types(self):
        ends = pty.openpty()
        errors = self.ends_by_itself("import", "-o", "out", "-", stdin=ends[1])
        self.assertEqual(errors, "lamella: standard input: the time limit has expired\n")
        for end in ends:
            os.close(end)

    def test_a_timeout_ends_those_who_wait_for_a_writer_of_a_pipe(self):
        os.mkfifo(self.path("pipe"))
        for command, status in ((["cat"], 1), (["import", "-o", "out"], 1), (["diff", "pipe"], 2)):
            errors = self.ends_by_itself(*command, "pipe", status=status)
            self.assertEqual(errors, "lamella: pipe: the time limit has expired\n")
            self.assertEqual(self.files(), ["pipe"])

    def test_a_timeout_ends_those_who_write_to_a_pipe_that_nobody_reads(self):
        self.put("in.json", '{"a":1}\n' * 100000)
        self.good("import", "-o", "a.parquet", "in.json")
        for command in (["cat", "a.parquet"], ["levels", "a.parquet"], ["import", "--codec", "none", "--no-dictionary", "-o", "-", "in.json"]):
            ends = os.pipe()
            errors = self.ends_by_itself(*command, stdout=ends[1])  # or before it prints, on a machine that is busy
            self.assertRegex(errors, r"^lamella: .*the time limit has expired.*\n$", command)
            os.close(ends[0])
            os.close(ends[1])

    def test_a_timeout_ends_the_shredding_of_records_and_the_printing_of_their_columns(self):
        self.put("in.json", "".join(f'{{"a":[{n},{n}],"s":"text {n}"}}\n' for n in range(400000)))
        schema = ["--schema", "message m { repeated int64 a; required binary s (STRING); }"]
        for command in (["levels"], ["levels", "--json"], ["trace"], ["trace", "--assemble"]):
            for limit in ("20ms", "100ms"):
                begin = time.monotonic()
                status, _, errors = self.run_program(*command, *schema, "--timeout", limit, "in.json")
                self.assertEqual((status, "the time limit has expired" in errors), (1, True), (command, errors))
                self.assertLess(time.monotonic() - begin, SECONDS)

    def test_a_timeout_ends_an_import_and_leaves_no_file(self):
        self.put("in.json", "".join(f'{{"a":{n},"s":"text {n * 2654435761 % 2**32:x}"}}\n' for n in range(2000000)))
        for schema in ([], ["--schema", "message m { optional int64 a; optional binary s (STRING); }"]):
            begin = time.monotonic()
            status, _, errors = self.run_program("import", *schema, "--timeout", "100ms", "-o", "out", "in.json")
            self.assertEqual((status, "the time limit has expired" in errors), (1, True), errors)
            self.assertEqual(self.files(), ["in.json"])
            self.assertLess(time.monotonic() - begin, SECONDS)
        status, _, errors = self.run_program("import", "--timeout", "x", "-o", "out", "in.json")
        self.assertEqual((status, "--timeout cannot be 'x'" in errors), (2, True), errors)

    def test_limits_end_a_salvage_and_leave_no_file(self):
        self.put("in.json", "".join(f'{{"a":{n},"s":"text {n * 2654435761 % 2**32:x}"}}\n' for n in range(300000)))
        self.good("import", "-o", "a.parquet", "in.json")
        with open(self.path("a.parquet"), "rb") as file:
            data = file.read()
        self.put("cut", data[: len(data) - 8 - int.from_bytes(data[-8:-4], "little")])
        before = self.files()
        for source in ("a.parquet", "cut"):
            for limit, said in ((["--timeout", "1ms"], "the time limit has expired"), (["--memory-limit", "16K"], "memory")):
                status, _, errors = self.run_program("rewrite", "--salvage", *limit, "--like", "a.parquet", "-o", "out", source)
                self.assertEqual((status, said in errors), (1, True), (source, limit, errors))
                self.assertEqual(self.files(), before)

    def test_a_timeout_ends_the_drawing_of_steps_and_leaves_no_pictures(self):
        self.make("a", [{"list": list(range(9000))} for _ in range(12)])
        before = self.files()
        said = self.bad("explain", "--timeout", "50ms", "-o", "page", "--frames", "frames", "a", output="")
        self.assertIn("the time limit has expired", said)
        self.assertNotIn("ended", said)  # by the timer, as nothing asked
        self.assertEqual(self.files(), before)
        self.good("explain", "-o", "page", "--frames", "frames", "--limit", "1", "a")
        self.assertEqual(len(os.listdir(self.path("frames"))), 2 * 2000)

    def test_a_timeout_that_is_not_needed_changes_nothing(self):
        self.make("a.parquet", [{"a": n} for n in range(10)])
        for command in ("cat", "levels", "trace", "check", "meta", "pages", "bytes", "schema", "automaton"):
            plain = self.good(command, "a.parquet")
            self.assertEqual(self.good(command, "--timeout", "1h", "--memory-limit", "1GiB", "a.parquet"), plain)

    def test_rows_that_are_checked_and_printed_are_the_first(self):
        self.make("a.parquet", [{"a": [n] * (n % 3)} for n in range(30)], "--row-group-rows", "10")
        self.assertEqual(self.good("levels", "--max-rows", "40", "a.parquet"), self.good("levels", "a.parquet"))
        printed = self.good("levels", "--max-rows", "12", "a.parquet").splitlines()[1:]
        self.assertEqual(len([line for line in printed if re.match(r" +\d+  0 ", line)]), 12)
        self.assertEqual(self.good("levels", "a.parquet").splitlines()[1 : 1 + len(printed)], printed)
        whole = json.loads(self.good("levels", "--json", "--max-rows", "12", "a.parquet"))
        self.assertEqual((whole["r"].count(0), len(whole["d"])), (12, len(whole["r"])))
        self.assertIn("in 3 row groups", self.good("check", "--max-rows", "30", "a.parquet"))
        told = self.good("check", "--max-rows", "29", "a.parquet")
        self.assertIn("warning limit: the row group extends past the first 29 rows", told)
        self.assertIn("(row group 2)", told)
        self.assertIn("in 2 row groups", told)
        self.assertEqual(self.run_program("check", "--strict", "--max-rows", "29", "a.parquet")[0], 1)

    def test_limits_that_are_none_are_wrong_usage(self):
        self.make("a.parquet", [{"a": 1}])
        for command in ("cat", "levels", "trace", "check", "meta", "pages", "bytes", "schema", "automaton"):
            for words in (["--timeout", "soon"], ["--timeout", "-1"], ["--timeout", "5d"], ["--memory-limit", "0"]):
                status, _, errors = self.run_program(command, *words, "a.parquet")
                self.assertEqual(status, 2, (command, words))
                self.assertIn(f"{words[0]} cannot be '{words[1]}'", errors)
        status, _, errors = self.run_program("levels", "--max-rows", "few", "a.parquet")
        self.assertEqual((status, "--max-rows cannot be 'few'" in errors), (2, True))

    def test_a_footer_above_the_limit_says_which_option_helps(self):
        self.make("a.parquet", [{f"c{n}": n for n in range(200)}])
        for command in ("schema", "meta", "pages", "bytes", "automaton", "cat", "levels"):
            said = self.bad(command, "--memory-limit", "10K", "a.parquet")
            self.assertIn("memory limit of 10240 bytes is reached (option --memory-limit)", said)


if __name__ == "__main__":
    program.main()
