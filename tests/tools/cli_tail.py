# SPDX-License-Identifier: Apache-2.0
"""lamella tail: the last records of files and folders, and those that come."""

import json
import os
import shutil
import signal
import subprocess
import time

import program

SCHEMA = "message m { required int64 n; }"


def lines(first, count):
    return "".join(f'{{"n":{n}}}\n' for n in range(first, first + count))


class Tail(program.ProgramTest):
    def log(self, *options):
        process = self.start(
            "log", "--schema", SCHEMA, "--acknowledge", *options,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def feed(self, process, first, count, total):
        """Feeds records, and waits until so many are durable."""
        process.stdin.write(lines(first, count).encode())
        process.stdin.flush()
        while json.loads(process.stdout.readline())["durable"] < total:
            pass

    def follow(self, *arguments):
        self.output = open(self.path("output"), "wb")
        self.addCleanup(self.output.close)
        process = self.start("tail", "-f", *arguments, stdout=self.output, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def printed(self):
        with open(self.path("output"), encoding="ascii") as file:
            return file.read()

    def wait_for(self, text):
        deadline = time.monotonic() + program.TIME_LIMIT
        while self.printed() != text and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.printed(), text)

    def end(self, process, number=signal.SIGINT):
        process.send_signal(number)
        self.assertEqual(process.wait(program.TIME_LIMIT), 0)
        self.assertEqual(process.stderr.read(), b"")

    def test_the_last_records_of_a_file(self):
        self.make("a.parquet", lines(0, 100), "--schema", SCHEMA, "--row-group-rows", "7")
        self.assertEqual(self.good("tail", "a.parquet"), lines(90, 10))
        self.assertEqual(self.good("tail", "-n", "3", "a.parquet"), lines(97, 3))
        self.assertEqual(self.good("tail", "-n", "0", "a.parquet"), "")
        self.assertEqual(self.good("tail", "-n", "1000", "a.parquet"), lines(0, 100))

    def test_the_last_records_of_a_folder(self):
        os.makedirs(self.path("d/day=1"))
        os.makedirs(self.path("d/other"))
        for i, name in enumerate(["d/b.parquet", "d/day=1/a.parquet", "d/c.parquet"]):
            self.make(name, lines(i * 10, 10))
            os.utime(self.path(name), (1000 + i, 1000 + i))
        self.put("d/notes.txt", "foreign")
        keyed = [{"n": n, "day": 1 if 10 <= n < 20 else None} for n in range(30)]
        self.assertEqual(self.tailed("d"), keyed[20:])
        self.assertEqual(self.tailed("-n", "15", "d/"), keyed[15:])
        self.assertEqual(self.tailed("-n", "99", "d"), keyed)
        self.assertEqual(self.tailed("-n", "99", "--columns", "day", "d"), [{"day": row["day"]} for row in keyed])
        self.make("d/other/z.parquet", lines(500, 10))
        os.utime(self.path("d/other/z.parquet"), (2000, 2000))
        self.assertEqual(self.tailed("-n", "3", "d"), [{"n": n, "day": None} for n in (507, 508, 509)])
        self.assertEqual(self.good("tail", "-n", "3", "d/other"), lines(507, 3))

    def tailed(self, *arguments):
        return [json.loads(line) for line in self.good("tail", *arguments).splitlines()]

    def test_keys_of_folders_are_those_of_cat_in_what_a_killed_log_left(self):
        """They were left out."""
        os.makedirs(self.path("d"))
        self.make("d/whole.parquet", lines(100, 1))
        for k in ("1", "x"):
            process = self.log("--checkpoint", "10ms", "-o", f"d/k={k}")
            self.feed(process, 0, 2, 2)
            process.kill()
            process.wait(program.TIME_LIMIT)
        left = self.tailed("-n", "99", "d")
        self.assertEqual(sorted(str(row["k"]) for row in left), ["1", "1", "None", "x", "x"])
        self.good("recover", "d")
        self.assertEqual(self.tailed("-n", "99", "d"), left)
        key = json.dumps
        cat = [json.loads(line) for line in self.good("cat", "d").splitlines()]
        self.assertEqual(sorted(cat, key=key), sorted(left, key=key))

    def test_a_folder_without_files_is_said_to_be_one(self):
        os.makedirs(self.path("empty/er"))
        self.assertEqual(self.bad("tail", "empty"), "empty: no file of a log is in this folder")
        self.assertEqual(self.bad("tail", "nope"), "nope: cannot open: No such file or directory")

    def test_logs_in_folders_are_followed(self):
        """One log for each topic: nothing came."""
        tail = self.follow("root")  # it becomes a folder
        self.assertEqual(tail.stderr.readline(), b"lamella: root: no such file yet: waiting for one\n")
        os.mkdir(self.path("root"))
        logs = [self.log("--checkpoint", "10ms", "-o", f"root/{topic}") for topic in ("imu", "pose")]
        for i in range(4):
            self.feed(logs[i % 2], i * 3, 3, i // 2 * 3 + 3)
            self.wait_for(lines(0, i * 3 + 3))
        self.end(tail)

    def test_files_that_a_killed_log_left(self):
        process = self.log("--checkpoint", "10ms", "-o", "a.parquet")
        self.feed(process, 0, 20, 20)
        for name in ["a.parquet", "_a.parquet.part"]:
            self.assertEqual(self.good("tail", "-n", "5", name), lines(15, 5))
        process.kill()
        process.wait(program.TIME_LIMIT)
        self.assertEqual(self.good("tail", "-n", "5", "a.parquet"), lines(15, 5))
        self.put("_b.parquet.part", "PAR1")
        self.assertEqual(self.good("tail", "b.parquet"), "")

    def test_following_a_folder_through_rotation_and_removal(self):
        process = self.log("--checkpoint", "10ms", "--rotate", "50ms", "-o", "d")
        self.feed(process, 0, 5, 5)
        tail = self.follow("-n", "2", "d")
        self.wait_for(lines(3, 2))
        for i in range(1, 8):
            self.feed(process, i * 5, 5, i * 5 + 5)
            self.wait_for(lines(3, i * 5 + 2))
        self.assertGreater(len(os.listdir(self.path("d"))), 2)
        for name in os.listdir(self.path("d")):
            if name.endswith(".parquet"):
                os.remove(self.path("d/" + name))
        self.feed(process, 40, 5, 45)
        process.stdin.close()
        self.assertEqual(process.wait(program.TIME_LIMIT), 0)
        self.wait_for(lines(3, 42))
        shutil.rmtree(self.path("d"))
        time.sleep(0.5)
        self.assertIsNone(tail.poll())
        self.end(tail)
        self.assertEqual(self.printed(), lines(3, 42))

    def test_following_one_file_through_a_kill_and_to_its_end(self):
        process = self.log("--checkpoint", "10ms", "-o", "a.parquet")
        self.feed(process, 0, 5, 5)
        tail = self.follow("-n", "1", "a.parquet")
        self.wait_for(lines(4, 1))
        self.feed(process, 5, 5, 10)
        self.wait_for(lines(4, 6))
        process.kill()
        process.wait(program.TIME_LIMIT)
        process = self.log("--checkpoint", "10ms", "-o", "a.parquet")
        self.feed(process, 10, 5, 5)
        self.wait_for(lines(4, 11))
        process.stdin.close()
        self.assertEqual(process.wait(program.TIME_LIMIT), 0)
        self.good("append", "-o", "a.parquet", "-", stdin=lines(15, 3))
        self.wait_for(lines(4, 14))
        self.end(tail, signal.SIGTERM)

    def test_rows_that_are_in_a_journal_are_not_passed_over_in_silence(self):
        """README shows both, and nothing came."""
        for path in ("logs", "one.parquet"):
            log = self.start("log", "--schema", SCHEMA, "--journal", "--sync", "1ms", "--acknowledge",
                             "-o", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
            self.addCleanup(log.kill)
            log.stdin.write(lines(0, 3).encode())
            log.stdin.flush()
            log.stdout.readline()
            status, output, errors = self.run_program("tail", path)
            self.assertEqual((status, output), (0, b""))
            self.assertRegex(errors, r"\Alamella: \S+\.parquet\.part: its rows are in \S+\.parquet\.journal until "
                                     r"a checkpoint of its log [^\n]*\n\Z")  # fmt: skip
            log.communicate(timeout=program.TIME_LIMIT)
            self.assertEqual(self.run_program("tail", path), (0, lines(0, 3).encode(), ""))

    def test_rows_that_only_the_journal_has_behind_row_groups_are_said_to_be_there(self):
        os.makedirs(self.path("root"))
        log = self.log("--journal", "--sync", "1ms", "-o", "root/logs")
        self.feed(log, 0, 3, 3)
        log.send_signal(signal.SIGUSR1)  # a row group
        deadline = time.monotonic() + program.TIME_LIMIT
        while self.run_program("tail", "root") != (0, lines(0, 3).encode(), ""):
            self.assertLess(time.monotonic(), deadline)
        self.feed(log, 3, 2, 5)
        said = r"\Alamella: root/logs/\S+\.parquet\.part: its newest rows are in \S+\.parquet\.journal until [^\n]*\n\Z"
        status, output, errors = self.run_program("tail", "root")
        self.assertEqual((status, output), (0, lines(0, 3).encode()))
        self.assertRegex(errors, said)
        (part,) = [name for name in os.listdir(self.path("root/logs")) if name.endswith(".part")]
        os.utime(self.path(f"root/logs/{part}"), (1000, 1000))  # long before the journal
        tail = self.follow("root")
        self.assertRegex(tail.stderr.readline().decode(), said)
        self.feed(log, 5, 2, 7)
        log.send_signal(signal.SIGUSR1)
        self.wait_for(lines(0, 7))
        self.end(tail)

    def test_following_what_is_not_there_yet(self):
        tail = self.follow("a.parquet")
        self.assertEqual(tail.stderr.readline(), b"lamella: a.parquet: no such file yet: waiting for one\n")
        self.make("a.parquet", lines(0, 3))
        self.wait_for(lines(0, 3))
        self.end(tail)

    def test_a_broken_pipe_ends_quietly(self):
        self.make("a.parquet", lines(0, 100000))
        process = self.start("tail", "-n", "100000", "a.parquet",
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(program.TIME_LIMIT), -signal.SIGPIPE)

    def test_columns_have_the_grammar_of_cat_in_every_format(self):
        """Names in quotation marks, lists, *, !, and paths into VARIANTs, which cat takes, too."""
        schema = "message m { required int64 n; optional group g { optional binary a (STRING); optional int64 \"b,c\"; } optional group v (VARIANT) { required binary metadata; required binary value; } }"
        rows = "".join(f'{{"n":{n},"g":{{"a":"x{n}","b,c":{n * n}}},"v":{{"k":[{n}],"l":1}}}}\n' for n in range(20))
        self.make("a.parquet", rows, "--schema", schema)
        for columns in ["n", 'g."b,c",n', "!v", "*,!g.a", "g", "v.k", "v", "n,v.k,v.none"]:
            for options in [["ndjson"], ["json"], ["csv"], ["tsv"], ["table", "--wide"],
                            ["ndjson", "--no-nulls"], ["ndjson", "--variant", "typed"]]:  # fmt: skip
                options = ["--columns", columns, "--format", *options]
                self.assertEqual(self.good("tail", "-n", "3", *options, "a.parquet"),
                                 self.good("cat", "--skip", "17", *options, "a.parquet"), options)  # fmt: skip
        storage = ["--columns", "v.metadata", "--variant", "storage", "a.parquet"]
        self.assertEqual(self.good("tail", "-n", "3", *storage), self.good("cat", "--skip", "17", *storage))
        self.assertEqual(self.misuse("tail", "--columns", "nn", "a.parquet"),
                         self.misuse("cat", "--columns", "nn", "a.parquet"))  # fmt: skip
        self.assertIn("did you mean", self.misuse("tail", "--columns", "nn", "a.parquet"))

    def test_following_with_columns(self):
        self.make("a.parquet", '{"n":1,"m":2}\n')
        tail = self.follow("--columns", "m", "a.parquet")
        self.wait_for('{"m":2}\n')
        self.good("append", "-o", "a.parquet", "-", stdin='{"n":3,"m":4}\n')
        self.wait_for('{"m":2}\n{"m":4}\n')
        self.end(tail)

    def test_wrong_usage_and_bad_files(self):
        more = '; see "lamella tail --help"'
        self.assertEqual(self.misuse("tail"), "give one file or folder" + more)
        self.assertEqual(self.misuse("tail", "a", "b"), "give one file or folder" + more)
        self.assertEqual(self.misuse("tail", "-n", "x", "a"), "-n cannot be 'x': it must be a number" + more)
        self.assertIn("nope: ", self.bad("tail", "nope"))
        self.put("junk.parquet", "junk")
        self.assertIn("junk.parquet: ", self.bad("tail", "junk.parquet"))


if __name__ == "__main__":
    program.main()
