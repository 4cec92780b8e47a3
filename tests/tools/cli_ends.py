# SPDX-License-Identifier: Apache-2.0
"""Signals that end an import, and what killed ones leave.

What went wrong before: TERM, INT and HUP did nothing to an import of a file, which ended with 0 and
replaced its target, because they were blocked and let in by a wait that never came about; and the
temporary files of killed imports stayed for ever.
"""

import os
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest

import program

SLOW = bool(os.environ.get("LAMELLA_SLOW"))
SCHEMA = "message m { optional int64 n; optional binary s (STRING); }"
LINES = "".join(f'{{"n":{n},"s":"text {n * 2654435761 % 4294967296:x}"}}\n' for n in range(20000))
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]
NAME = re.compile(r"_out\.lamella-(\d+)-[0-9a-f]{16}\.tmp")
TIME = "0123456789abcdef"


class Import(program.ProgramTest):
    def begin(self, *options, source="in.json", **keywords):
        """An import that has begun to write, and the name of what it writes."""
        process = self.start(
            "import", "--schema", SCHEMA, *options, "-o", "out", source,
            stderr=subprocess.PIPE, **keywords,
        )  # fmt: skip
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + program.TIME_LIMIT
        while time.monotonic() < deadline:
            for name in self.files():
                found = NAME.fullmatch(name)
                if found and int(found.group(1)) == process.pid:
                    return process, name
            self.assertIsNone(process.poll(), "it is done too early")
            time.sleep(0.001)
        self.fail("it does not begin")

    def endless(self):
        """A file that takes many seconds to import."""
        self.put("in.json", LINES * 240)

    def end(self, process, number):
        """Ends it by a signal; gives the processor time that it took for that, in seconds.

        Time on the clock passed the limit where other programs had the processors.
        """
        spent = self.stop(process, number)
        self.assertEqual(process.returncode, -number)
        errors = process.stderr.read()
        if program.EMULATED:
            errors = re.sub(rb"qemu: uncaught target signal \d+ .*\n", b"", errors)
        self.assertEqual(errors, b"")
        return spent

    def stop(self, process, number):
        before = program.processor_time(process)
        os.kill(process.pid, number)
        return self.wait_and_measure(process) - before

    def wait_and_measure(self, process):
        """Waits for the end of a process; gives all of its processor time, in seconds."""
        deadline = time.monotonic() + program.TIME_LIMIT
        while time.monotonic() < deadline:
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found != 0:
                process.returncode = os.waitstatus_to_exitcode(status)
                return usage.ru_utime + usage.ru_stime
            time.sleep(0.001)
        self.fail("it does not end")


class Signals(Import):
    def expect_quick(self, times):
        if not SLOW:
            self.assertLess(min(times), 0.1, times)

    def test_signals_end_an_import_of_a_file(self):
        self.endless()
        self.put("out", "old")
        times = []
        for number in SIGNALS:
            process, _ = self.begin()
            times.append(self.end(process, number))
            self.assertEqual(self.files(), ["in.json", "out"])
            with open(self.path("out"), encoding="ascii") as file:
                self.assertEqual(file.read(), "old")
        self.expect_quick(times)

    def test_signals_end_an_import_while_it_infers_a_schema(self):
        self.endless()
        for number in SIGNALS:
            process = self.start("import", "-o", "out", "in.json", stderr=subprocess.PIPE)
            time.sleep(0.05)
            self.end(process, number)
            process.stderr.close()
            self.assertEqual(self.files(), ["in.json"])

    def test_signals_end_an_import_while_pages_are_compressed(self):
        """The last row group of 111 MB took 1.6 seconds more, and then ended with 0."""
        self.endless()
        times = []
        for wait in [0.1, 0.3, 0.5]:
            process, _ = self.begin("--codec", "zstd:22")
            time.sleep(wait)
            times.append(self.end(process, signal.SIGTERM))
            self.assertEqual(self.files(), ["in.json"])
        self.expect_quick(times)

    def test_signals_end_an_import_of_a_pipe_and_of_a_terminal(self):
        times = []
        os.mkfifo(self.path("fifo"))
        for number in SIGNALS:
            both = os.open(self.path("fifo"), os.O_RDWR)
            os.write(both, b'{"n":1}\n')
            process, _ = self.begin(source="fifo")
            times.append(self.end(process, number))
            os.close(both)
            master, terminal = pty.openpty()
            os.write(master, b'{"n":1}\n')  # of which it sees that it is JSON
            process, _ = self.begin(source="-", stdin=terminal)
            os.close(terminal)
            times.append(self.end(process, number))
            os.close(master)
            self.assertEqual(self.files(), ["fifo"])
        self.expect_quick(times)

    def test_signals_that_are_ignored_stay_so(self):
        """It ended before the signal where the processors were busy: now it waits for its input."""
        ours, theirs = os.pipe()
        os.write(theirs, b'{"n":1}\n')
        process, _ = self.begin(
            source="-", stdin=ours,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )  # fmt: skip
        os.close(ours)
        with open(theirs, "wb") as file:
            file.write(LINES.encode())
            file.flush()
            process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(program.TIME_LIMIT), 0)
        self.assertEqual(self.files(), ["out"])

    def test_a_file_that_may_not_grow_leaves_nothing_when_it_kills(self):
        self.put("in.json", LINES)
        limit = 'ulimit -f 8; exec "$@"'
        done = subprocess.run(
            ["sh", "-c", limit, "sh", program.PROGRAM, "import", "--codec", "none",
             "--row-group-rows", "1000", "-o", "out", "in.json"],
            cwd=self.folder, capture_output=True, check=False, timeout=program.TIME_LIMIT,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGXFSZ, b""))
        self.assertEqual(self.files(), ["in.json"])

    def test_commands_that_write_no_file_end_by_default(self):
        for command in ["cat", "check", "levels", "trace"]:
            process = self.start(command, "-", stdin=subprocess.PIPE)
            time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(program.TIME_LIMIT), -signal.SIGTERM)
            process.stdin.close()


class Commands(Import):
    """Ctrl-C, in whatever a command is doing, ends it at once; what it made is gone, also in TMPDIR."""

    def setUp(self):
        super().setUp()
        self.put("in.json", LINES * 30)
        with open(self.path("in.csv"), "w", encoding="ascii") as file:
            file.write("n,s,day\n")
            start = file.tell()
            for n in range(200000):
                file.write(f"{n},text {n * 2654435761 % 4294967296:x},2024-10-{1 + n % 28:02}\n")
            line = file.tell()
        with open(self.path("in.csv"), "rb+") as file:
            file.seek(start)
            text = file.read(line - start)
            for _ in range(9):
                file.write(text)
        self.good("import", "--schema", SCHEMA, "-o", "a", "in.json")
        self.put("in.json", LINES)
        self.good("import", "--schema", SCHEMA, "-o", "b", "in.json")
        os.mkdir(self.path("many"))
        for n in range(3000):
            os.link(self.path("b"), self.path(f"many/{n}.parquet"))
        os.mkdir(self.path("temporary"))

    def everything(self):
        return sorted(os.listdir(self.folder)) + os.listdir(self.path("temporary"))

    def interrupt(self, arguments, wait, before):
        """The processor time that a signal took; None if the command had ended before it."""
        environment = dict(os.environ, TMPDIR=self.path("temporary"))
        with open(self.path("printed"), "wb") as output:
            process = self.start(*arguments, stdout=output, stderr=subprocess.PIPE, env=environment)
        time.sleep(wait)
        if process.poll() is not None:
            self.assertEqual((process.returncode, process.stderr.read()), (0, b""), arguments)
            process.stderr.close()
            return None
        spent = self.stop(process, signal.SIGINT)
        self.assertIn(process.returncode, (0, -signal.SIGINT), arguments)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        if process.returncode == 0:  # it had done all, but for leaving
            self.assertLess(spent, 0.1 if not SLOW else 1, arguments)
            return None
        os.remove(self.path("printed"))
        if set(self.everything()) == {*before, "out"}:  # whole, and named so before the signal came
            self.good("count", "out")
            return None
        self.assertEqual(self.everything(), before, arguments)
        return spent

    def expect_quick_end(self, *arguments):
        before = self.everything()
        times = []
        for wait in [0.02, 0.1, 0.2, 0.4]:
            spent = self.interrupt(arguments, wait, before)
            if spent is None:
                break
            times.append(spent)
        self.assertGreater(len(times), 0, arguments)
        if not SLOW:
            self.assertLess(sorted(times)[len(times) // 2], 0.1, (arguments, times))
        for name in ["printed", "out"]:
            path = self.path(name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)

    def test_rewrite(self):
        for options in [[], ["--sort-by", "s"], ["--sort-by", "s", "--memory-limit", "8MiB"], ["--codec", "zstd:19"],
                        ["--page-size", "4096"], ["--where", "n > 5"], ["--split", "1000"]]:  # fmt: skip
            self.expect_quick_end("rewrite", *options, "-o", "out", *["a"] * 40)
        self.expect_quick_end("rewrite", "-o", "out", "many")

    def test_salvage(self):
        self.good("rewrite", "-o", "long", *["a"] * 20)
        self.expect_quick_end("rewrite", "--salvage", "-o", "out", "long")
        with open(self.path("long"), "rb") as file:
            data = file.read()
        self.put("cut", data[: len(data) - 8 - int.from_bytes(data[-8:-4], "little")])
        self.expect_quick_end("rewrite", "--salvage", "--like", "long", "-o", "out", "cut")

    def test_diff(self):
        self.good("rewrite", "-o", "long", *["a"] * 20)
        self.expect_quick_end("diff", "long", "long")
        self.expect_quick_end("diff", "--key", "n,s", "long", "long")

    def test_reading(self):
        for command in [["count", "--where", "s like '%e1%e2%'"], ["sample", "-n", "5000000"], ["cat"],
                        ["head", "--where", "s like '%zz%'"], ["cat", "--format", "table"], ["check"]]:  # fmt: skip
            self.expect_quick_end(*command, *["a"] * 30)

    def test_folders_with_many_files(self):
        for command in [["count", "--where", "n = 7"], ["sample"], ["summary"], ["cat", "--format", "csv"],
                        ["cat", "--columns", "*"], ["head", "--where", "n < 0"], ["schema"], ["check"]]:  # fmt: skip
            self.expect_quick_end(*command, "many")

    def test_text(self):
        self.expect_quick_end("schema", "in.csv")
        self.expect_quick_end("import", "-o", "out", "in.csv")
        self.expect_quick_end("import", "-o", "out", *["a"] * 20)


class Leftovers(Import):
    def kill(self):
        """The name of what a killed import left."""
        self.endless()
        process, name = self.begin()
        process.kill()
        process.wait(program.TIME_LIMIT)
        self.put("in.json", LINES)
        self.assertEqual(self.files(), [name, "in.json"])
        return name

    def run_import(self, output="out"):
        """Standard error of an import that must succeed."""
        status, _, errors = self.run_program("import", "-o", output, "in.json")
        self.assertEqual(status, 0, errors)
        return errors

    def test_the_next_import_removes_what_a_killed_one_left(self):
        self.kill()
        self.assertEqual(
            self.run_import(), "lamella: out: removed 1 unfinished file of runs that were killed\n"
        )
        self.assertEqual(self.files(), ["in.json", "out"])
        self.assertEqual(self.run_import(), "")

    def test_they_are_found_through_a_link(self):
        self.kill()
        os.mkdir(self.path("far"))
        os.symlink("../out", self.path("far/link"))
        self.assertIn("removed 1 unfinished", self.run_import("far/link"))  # there is no file yet
        self.assertEqual(self.files(), ["far", "in.json", "out"])
        self.assertTrue(os.path.islink(self.path("far/link")))
        self.assertEqual(len(self.records("out")), 20000)

    def test_what_a_living_import_writes_is_left_alone(self):
        os.mkfifo(self.path("fifo"))
        self.put("in.json", '{"n":2}\n')
        both = os.open(self.path("fifo"), os.O_RDWR)
        os.write(both, b'{"n":1}\n')
        process, name = self.begin(source="fifo")
        self.assertEqual(self.run_import(), "")
        self.assertEqual(self.files(), [name, "fifo", "in.json", "out"])
        self.assertEqual(self.records("out"), [{"n": 2}])
        writer = os.open(self.path("fifo"), os.O_WRONLY)
        os.close(both)
        os.close(writer)
        self.assertEqual(process.wait(program.TIME_LIMIT), 0)
        self.assertEqual(self.files(), ["fifo", "in.json", "out"])
        self.assertEqual(self.records("out"), [{"n": 1, "s": None}])

    def test_what_only_looks_like_a_leftover_is_left_alone(self):
        self.put("in.json", LINES)
        self.put("precious", "precious")
        names = [
            f"_out.lamella-1-{TIME}.part",  # of a writer whose file may be recovered
            f"_out.lamella-1-{TIME}.tmp.gz",
            f"_out.lamella-1-{TIME}0.tmp",
            f"_out.lamella-1-{TIME[:-1]}.tmp",
            f"_out.lamella-1-{TIME.upper()}.tmp",
            f"_out.lamella--{TIME}.tmp",
            f"_out.lamella-x-{TIME}.tmp",
            f"_out.lamella-{TIME}.tmp",
            f"_outer.lamella-1-{TIME}.tmp",
            f"_ut.lamella-1-{TIME}.tmp",
            "out.lamella",
            "out.17843-0.part",
            "out.tmp",
        ]
        for name in names:
            self.put(name, "")
        os.mkdir(self.path(f"_out.lamella-2-{TIME}.tmp"))
        os.symlink("precious", self.path(f"_out.lamella-3-{TIME}.tmp"))
        os.mkfifo(self.path(f"_out.lamella-4-{TIME}.tmp"))
        before = self.files()
        self.assertEqual(self.run_import(), "")
        self.assertEqual(self.files(), sorted([*before, "out"]))

    @unittest.skipIf(os.geteuid() == 0, "nothing is forbidden to root")
    def test_folders_that_cannot_be_listed_or_written(self):
        self.kill()
        os.chmod(self.folder, 0o300)
        try:
            self.assertEqual(self.run_import(), "")
            os.chmod(self.folder, 0o500)
            self.assertEqual(
                self.bad("import", "-o", "new", "in.json"),
                "new: cannot create: Permission denied",
            )
        finally:
            os.chmod(self.folder, 0o700)
        self.assertIn("removed 1 unfinished", self.run_import())


if __name__ == "__main__":
    program.main()
