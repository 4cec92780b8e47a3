# SPDX-License-Identifier: Apache-2.0
"""lamella recover: what is made of unfinished files, and the exit status that says so."""

import json
import os
import shutil
import signal
import subprocess

import program

SCHEMA = "message m { required int64 n; required int32 p; optional binary s (STRING); }"


def lines(first, count):
    return "".join(f'{{"n":{n},"p":{n % 3},"s":"text {n}"}}\n' for n in range(first, first + count))


class Recover(program.ProgramTest):
    def kill(self, path, *options):
        """A log that was killed after five acknowledged checkpoints of 100 records."""
        process = self.start(
            "log", "--schema", SCHEMA, "--acknowledge", *options, "-o", path,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        for i in range(5):
            process.stdin.write(lines(i * 100, 100).encode())
            process.stdin.flush()
            while json.loads(process.stdout.readline())["durable"] < i * 100 + 100:
                pass
        process.kill()
        process.wait(program.TIME_LIMIT)
        process.stdin.close()
        process.stdout.close()

    def part(self, name="a.parquet"):
        self.kill(name, "--checkpoint", "100rows")
        return f"_{name}.part"

    def size(self, name):
        return os.path.getsize(self.path(name))

    def cut(self, name, to, size):
        with open(self.path(name), "rb") as file:
            self.put(to, file.read()[:size])
        return to

    def json_of(self, *arguments, status=0):
        got, output, errors = self.run_program("recover", "--json", *arguments)
        self.assertEqual((got, errors), (status, ""))
        return [json.loads(line) for line in output.splitlines()]

    def test_a_file_of_a_killed_log(self):
        part = self.part()
        before = self.size(part)
        output = self.good("recover", part)
        self.assertRegex(
            output,
            r"\A_a\.parquet\.part: \d+ row groups?, 500 rows, \d+ bytes kept; nothing lost; "
            r"made a\.parquet\n\Z",
        )
        self.assertEqual(self.good("cat", "a.parquet"), lines(0, 500))
        self.good("check", "--quiet", "a.parquet")
        self.assertEqual(self.size(part), before)
        self.assertEqual(self.files(), [part, "a.parquet"])
        self.assertEqual(self.good("recover", part), output)
        self.put("a.parquet", "another file")
        self.assertEqual(
            self.bad("recover", part), "_a.parquet.part: a.parquet: the file exists"
        )
        with open(self.path("a.parquet")) as file:
            self.assertEqual(file.read(), "another file")

    def test_the_exit_status_says_what_is_lost(self):
        part = self.part()
        for back in range(50, self.size(part), 50):  # into a row group, by a footer or two
            self.cut(part, "cut.parquet", self.size(part) - back)
            status, _, _ = self.run_program("recover", "-o", "try.parquet", "cut.parquet")
            os.remove(self.path("try.parquet"))
            if status == 3:
                break
        self.put("junk", "nothing of value")
        found = self.json_of("-o", "out.parquet", "cut.parquet", status=3)
        self.assertEqual(
            {key: found[0][key] for key in ["file", "output", "finished", "complete"]},
            {"file": "cut.parquet", "output": "out.parquet", "finished": False, "complete": False},
        )
        self.assertGreater(found[0]["lost_bytes"], 0)
        self.assertEqual(found[0]["rows"] % 100, 0)
        self.assertEqual(len(self.records("out.parquet")), found[0]["rows"])
        self.assertIn("junk: ", self.bad("recover", "junk"))
        status, output, errors = self.run_program("recover", "cut.parquet", "junk", part)
        self.assertEqual((status, output.count(b"\n"), errors.count("\n")), (1, 2, 1))
        self.assertEqual(self.json_of(part, "-o", "again.parquet")[0]["complete"], True)
        self.assertEqual(
            self.files(),
            [part, "a.parquet", "again.parquet", "cut.parquet", "cut.recovered.parquet", "junk",
             "out.parquet"],
        )  # fmt: skip

    def test_every_cut_gives_a_prefix(self):
        part = self.part()
        size = self.size(part)
        for at in range(4, size, max(1, size // 60)):
            self.cut(part, "cut.parquet", at)
            status, _, errors = self.run_program("recover", "-o", "out.parquet", "cut.parquet")
            self.assertIn(status, (0, 1, 3), errors)
            if status != 1:
                count = len(self.records("out.parquet"))
                self.assertEqual(self.good("cat", "out.parquet"), lines(0, count))
                os.remove(self.path("out.parquet"))

    def test_a_file_of_another_writer_by_its_schema_or_a_sibling(self):
        self.make("b.parquet", lines(0, 1000), "--schema", SCHEMA, "--row-group-rows", "100")
        self.make("sibling.parquet", lines(0, 10), "--schema", SCHEMA)
        self.cut("b.parquet", "cut.parquet", self.size("b.parquet") * 2 // 3)
        self.assertIn("cut.parquet: ", self.bad("recover", "cut.parquet"))
        for options in [["--schema", SCHEMA], ["--like", "sibling.parquet"], ["--like", "b.parquet"]]:
            with self.subTest(options):
                status, _, errors = self.run_program(
                    "recover", *options, "-o", "out.parquet", "cut.parquet"
                )
                self.assertIn(status, (0, 1, 3), errors)
                if status != 1:
                    count = len(self.records("out.parquet"))
                    self.assertEqual(self.good("cat", "out.parquet"), lines(0, count))
                    os.remove(self.path("out.parquet"))

    def test_a_whole_file_is_copied(self):
        self.make("b.parquet", lines(0, 100))
        found = self.json_of("b.parquet")
        self.assertEqual(found[0]["output"], "b.recovered.parquet")
        self.assertEqual((found[0]["finished"], found[0]["complete"]), (True, True))
        self.assertEqual(self.good("cat", "b.recovered.parquet"), lines(0, 100))

    def test_rows_of_the_journal(self):
        self.kill("a.parquet", "--journal", "--sync", "1ms")
        found = self.json_of("_a.parquet.part")
        self.assertEqual(found[0]["rows"] + found[0]["journal_rows"], 500)
        self.assertTrue(found[0]["complete"])
        self.assertEqual(self.good("cat", "a.parquet"), lines(0, 500))
        self.assertIn("_a.parquet.journal", self.files())

    def test_a_folder_as_the_next_log_would_do_it(self):
        """Journals and partitions too; a second recovery finds nothing to do."""
        self.kill("logs", "--checkpoint", "10ms")
        self.kill("logs", "--journal", "--sync", "1ms", "--prefix", "other")
        self.kill("logs", "--by", "p", "--checkpoint", "10ms", "--prefix", "by")
        self.put("logs/_log-20261123T004500Z-00c0ffee12345678.parquet.part", "not one of these")
        self.put("logs/_notes.parquet.part", "foreign")
        status, output, errors = self.run_program("recover", "logs")
        self.assertEqual(status, 1, errors)
        self.assertEqual(
            errors,
            "lamella: logs/_log-20261123T004500Z-00c0ffee12345678.parquet.part: nothing can be "
            "recovered\n",
        )
        self.assertIn(b" and 500 rows of the journal; nothing lost; made logs/other-", output)
        left = {}
        for where, _, names in os.walk(self.path("logs")):
            for name in names:
                left.setdefault(name.split("-")[0].replace("_log", "log"), []).append(os.path.join(where, name))
        self.assertEqual(
            [os.path.basename(name) for name in left.pop("_notes.parquet.part")],
            ["_notes.parquet.part"],
        )
        self.assertEqual(
            sorted(name.split(".", 1)[1] for name in left["log"]), ["parquet", "parquet.part.bad"]
        )
        for prefix in ["log", "other", "by"]:
            whole = [name for name in left[prefix] if name.endswith(".parquet")]
            found = sorted(r["n"] for name in whole for r in self.records(name))
            self.assertEqual(found, list(range(500)), prefix)
        self.assertEqual(
            self.run_program("recover", "logs"), (0, b"", "lamella: logs: nothing to recover in this folder\n")
        )

    def test_folders_in_the_folder_have_logs_too(self):
        """Logs beside each other stayed as they were, in silence, with status 0."""
        self.make("whole.parquet", lines(0, 5), "--schema", SCHEMA)
        for unmarked in (False, True):
            with self.subTest(unmarked=unmarked):
                os.makedirs(self.path("root/topic=x"))
                os.makedirs(self.path("outside"))
                self.kill("root/imu", "--journal", "--sync", "1ms")
                self.kill("root/imu/k=1", "--checkpoint", "10ms")
                self.kill("root/topic=x", "--journal", "--sync", "1ms")
                self.kill("root/day.parquet", "--journal", "--sync", "1ms")
                self.kill("outside/night.parquet", "--checkpoint", "10ms")
                shutil.copy(self.path("whole.parquet"), self.path("root/whole.parquet"))
                self.put("root/_notes.parquet.part", "foreign")
                os.symlink("../outside", self.path("root/link"))
                names = [os.path.join(where, name) for where, _, files in os.walk(self.path("root")) for name in files]
                for name in names if unmarked else []:
                    os.rename(name, os.path.join(os.path.dirname(name), os.path.basename(name).lstrip("_")))
                counted, output, errors = self.run_program("count", "root")
                self.assertEqual((counted, output), (0, b"5\n"))
                self.assertRegex(errors, r"\Alamella: root/\S+ and 5 more: further rows, of a log that is running or "
                                         r"was killed; [^\n]*\n\Z")  # fmt: skip
                status, output, errors = self.run_program("recover", "root")
                self.assertEqual((status, errors), (0, ""))
                self.assertEqual(output.count(b"nothing lost; made root/"), 4)
                self.assertEqual(self.good_but_said("count", "root"), "2005\n")
                self.assertEqual(
                    sorted(name for _, _, files in os.walk(self.path("root")) for name in files
                           if not name.endswith(".parquet")),
                    [("" if unmarked else "_") + "notes.parquet.part"],
                )  # fmt: skip
                self.assertEqual(os.listdir(self.path("outside")), ["_night.parquet.part"])
                self.assertEqual(
                    self.run_program("recover", "root"),
                    (0, b"", "lamella: root: nothing to recover in this folder\n"),
                )
                for name in ("root", "outside"):
                    shutil.rmtree(self.path(name))

    def good_but_said(self, *arguments):
        status, output, _ = self.run_program(*arguments)
        self.assertEqual(status, 0)
        return output.decode()

    def test_a_name_without_its_mark_and_its_suffix_leads_to_the_leftover(self):
        for name in ("a.parquet", "a.parquet.part", "_a.parquet.part"):
            self.kill("a.parquet", "--journal", "--sync", "1ms")
            self.good("recover", name)
            self.assertEqual(self.good("cat", "a.parquet"), lines(0, 500))
            for left in self.files():
                os.remove(self.path(left))

    def test_a_log_of_one_file_of_which_something_is_lost_stays(self):
        os.mkdir(self.path("d"))
        self.kill("d/a.parquet", "--journal", "--sync", "1ms")
        with open(self.path("d/_a.parquet.journal"), "r+b") as file:
            file.seek(self.size("d/_a.parquet.journal") // 2)
            file.write(b"damage")
        self.assertEqual(self.run_program("recover", "d")[0], 3)
        self.assertEqual(
            sorted(os.listdir(self.path("d"))), ["_a.parquet.journal", "_a.parquet.part", "a.parquet"]
        )
        self.assertLess(len(self.records("d/a.parquet")), 500)

    def test_files_that_were_only_begun_are_no_loss(self):
        """After a power cut, a leftover of zeros or of half a page header was an error."""
        name = "_log-20261123T004500Z-00c0ffee12345678.parquet.part"
        self.make("whole.parquet", lines(0, 5), "--schema", SCHEMA)
        with open(self.path("whole.parquet"), "rb") as file:
            begun = file.read()[:12]
        for content in (b"", b"PAR1", bytes(4096), b"PAR1" + bytes(4092), begun, begun + bytes(5000)):
            with self.subTest(content[:20]):
                os.mkdir(self.path("logs"))
                self.put("_one.parquet.part", content)
                self.put("logs/" + name, content)
                said = "it was only begun, and nothing in it was durable\n"
                self.assertEqual(self.run_program("recover", "_one.parquet.part"),
                                 (0, b"", "lamella: _one.parquet.part: " + said))  # fmt: skip
                self.assertEqual(self.run_program("recover", "logs"),
                                 (0, b"", f"lamella: logs/{name}: {said}"))  # fmt: skip
                self.assertEqual(os.listdir(self.path("logs")), [])
                os.rmdir(self.path("logs"))
                for path in ("logs", "one.parquet"):
                    if path == "logs":
                        os.mkdir(self.path(path))
                        self.put("logs/" + name, content)
                    self.assertEqual(
                        self.run_program("log", "--schema", SCHEMA, "-o", path, stdin=lines(0, 1)),
                        (0, b"", ""),
                    )  # fmt: skip
                self.assertEqual(self.good("cat", "one.parquet"), lines(0, 1))
                self.assertEqual(self.files(), ["logs", "one.parquet", "whole.parquet"])
                self.assertEqual(len(os.listdir(self.path("logs"))), 1)
                shutil.rmtree(self.path("logs"))
                os.remove(self.path("one.parquet"))

    def test_a_journal_that_cannot_be_read_is_a_loss(self):
        """It was put aside without a word, with all that had been acknowledged."""
        self.kill("logs", "--journal", "--sync", "1ms")
        self.kill("one.parquet", "--journal", "--sync", "1ms")
        (journal,) = [name for name in os.listdir(self.path("logs")) if name.endswith(".journal")]
        for name in ("logs/" + journal, "_one.parquet.journal"):
            with open(self.path(name), "r+b") as file:
                file.seek(4)
                file.write(b"damage")
        self.assertIn("the journal of its log cannot be read", self.bad("recover", "_one.parquet.part"))
        aside = "1 leftover of a predecessor cannot be read: kept with .bad after the name\n"
        shutil.copytree(self.path("logs"), self.path("again"))
        self.assertEqual(
            self.run_program("log", "--schema", SCHEMA, "-o", "one.parquet", stdin=lines(0, 1)),
            (0, b"", "lamella: one.parquet: " + aside),
        )
        status, _, errors = self.run_program("recover", "logs")
        self.assertEqual(status, 1)
        self.assertTrue(errors.endswith("lamella: logs: " + aside), errors)
        status, _, errors = self.run_program("log", "--schema", SCHEMA, "-o", "again", stdin=lines(0, 1))
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"\Alamella: again: 2 leftovers of a predecessor cannot be read")
        self.assertIn(journal + ".bad", os.listdir(self.path("again")))

    def test_what_a_damaged_journal_loses_of_a_file_that_it_alone_has_is_said(self):
        """The status was 0, as it is where nothing is lost."""
        self.kill("logs", "--journal", "--sync", "1ms")
        for name in os.listdir(self.path("logs")):
            if name.endswith(".part"):
                os.remove(self.path("logs/" + name))
        self.assertEqual(len(os.listdir(self.path("logs"))), 1)
        (journal,) = os.listdir(self.path("logs"))
        with open(self.path("logs/" + journal), "r+b") as file:
            file.seek(self.size("logs/" + journal) * 2 // 3)
            file.write(b"damage")
        status, output, errors = self.run_program("recover", "logs")
        self.assertEqual(status, 3, errors)
        self.assertRegex(output, rb"made of a journal, \d+ rows")
        self.assertIn("1 of the files made of a journal lacks the rows after its damage", errors)
        (name,) = os.listdir(self.path("logs"))
        kept = len(self.records("logs/" + name))
        self.assertEqual(self.good("cat", "logs/" + name), lines(0, kept))
        self.assertLess(kept, 500)

    def test_a_file_that_is_being_written(self):
        process = self.start(
            "log", "--schema", SCHEMA, "--checkpoint", "10ms", "--acknowledge", "-o", "logs",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        process.stdin.write(lines(0, 3).encode())
        process.stdin.flush()
        process.stdout.readline()
        (name,) = os.listdir(self.path("logs"))
        self.assertIn(f"logs/{name}: ", self.bad("recover", f"logs/{name}"))
        status, output, errors = self.run_program("recover", "logs")
        self.assertEqual(
            (status, output, errors), (0, b"", f"lamella: logs/{name}: a log is writing it\n")
        )
        process.communicate(timeout=program.TIME_LIMIT)
        self.assertEqual(process.returncode, 0)
        (name,) = os.listdir(self.path("logs"))
        self.assertEqual(self.good("cat", f"logs/{name}"), lines(0, 3))

    def test_a_signal_leaves_nothing_of_the_new_file(self):
        """What recover had begun stayed. A file that may not grow ends the program by a signal."""
        part = self.part()
        with open(self.path(part), "rb") as file:
            size = len(file.read())
        done = subprocess.run(
            ["sh", "-c", f'ulimit -f {size // 1024}; exec "$@"', "sh", program.PROGRAM, "recover", part],
            cwd=self.folder, capture_output=True, check=False, timeout=program.TIME_LIMIT,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGXFSZ, b""))
        self.assertEqual(self.files(), [part])

    def test_wrong_usage(self):
        more = '; see "lamella recover --help"'
        for arguments, message in [
            ([], "no file given"),
            (["-o", "x", "a", "b"], "-o names one file: give one FILE"),
            (["--schema", SCHEMA, "--like", "a", "b"], "--like has a schema: leave out --schema"),
        ]:
            self.assertEqual(self.misuse("recover", *arguments), message + more)
        self.bad("recover", "nope")
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    program.main()
