# SPDX-License-Identifier: Apache-2.0
"""Killed loggers: what `lamella log --acknowledge` called durable is there after the next start.

A real process is fed by a pipe and ends by SIGKILL: at moments of chance, and before and behind
each system call that changes files, of starts that recover too. Each such call also fails, once
and for ever, is interrupted, and writes less than it was given (failing_calls.c). After that another
`lamella log` recovers the folder, and `lamella cat` must give a prefix of the input that has at
least the acknowledged records, each once.

LAMELLA_KILLS is the number of moments of chance, default 10; LAMELLA_KILL_SEED begins the random
numbers, and each case prints its own when it fails. LAMELLA_KILL_STEP takes each Nth system call,
from another one on in each manner of logging.
"""

import errno
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest

import program

SCHEMA = "message m { required int64 n; optional binary s (STRING); optional group l (LIST) { repeated group list { optional int32 element; } } }"
KILLS = int(os.environ.get("LAMELLA_KILLS", "10"))
SEED = int(os.environ.get("LAMELLA_KILL_SEED", "1"))
STEP = int(os.environ.get("LAMELLA_KILL_STEP", "15"))
MANNERS = [
    ["--journal", "--sync", "2ms"],
    ["--journal", "--sync", "record"],
    ["--journal", "--sync", "2ms", "--checkpoint", "700rows"],
    ["--checkpoint", "5ms"],
    ["--checkpoint", "300rows", "--sync", "checkpoint"],
    ["--checkpoint", "5ms", "--rotate", "20000", "--memory-limit", "4MiB"],
    ["--journal", "--sync", "2ms", "--rotate", "20ms"],
    ["--journal", "--sync", "3ms", "--by", "p", "--open-files", "3"],
    ["--format", "csv", "--journal", "--sync", "2ms"],
]
CSV_SCHEMA = "message m { required int64 n; optional binary s (STRING); optional int32 p; }"
CALLS = os.environ.get("LAMELLA_FAILING_CALLS", "")
CHANGING = "write,pwrite64,ftruncate,fdatasync,fsync,rename,renameat2,link,unlink,mkdir,copy_file_range"


def line_of(n):
    tags = "[" + ",".join(str(i) for i in range(n % 4)) + "]" if n % 5 else "null"
    return f'{{"n":{n},"s":"record {n}","l":{tags},"p":{n // 50 % 7}}}\n'


def text_of(n, options):
    """A record as the input has it; the first one of CSV comes with the header."""
    if "csv" not in options:
        return line_of(n)
    text = f'"record {n}"' if n % 3 else f"record {n}"
    return ("n,s,p\n" if n == 0 else "") + f"{n},{text},{n // 50 % 7}\n"


class Logger(program.ProgramTest):
    def schema_of(self, options):
        if "csv" in options:
            return CSV_SCHEMA
        return SCHEMA.replace("}", "}", 1) if "--by" not in options else SCHEMA[:-1] + " required int32 p; }"

    def feed(self, process, options, count, fed):
        """Writes lines until the pipe breaks; fed[0] is how many were handed over."""
        try:
            for n in range(count):
                process.stdin.write(text_of(n, options).encode())
                process.stdin.flush()
                fed[0] = n + 1
            process.stdin.close()
        except (BrokenPipeError, ValueError):
            pass

    def collect(self, process, acknowledged):
        for line in process.stdout:
            if line.endswith(b"\n"):
                acknowledged.append(json.loads(line)["durable"])

    def arguments(self, options, target):
        unknown = [] if "--by" in options else ["--on-new-field", "ignore"]
        return ["log", "--schema", self.schema_of(options), *unknown, "--acknowledge", *options, "-o", target]

    def records(self, target):
        numbers = []
        paths = sorted(glob.glob(self.path(target) + "/**/*.parquet", recursive=True))
        if os.path.isfile(self.path(target)):
            paths = [self.path(target)]
        for path in paths:
            for text in self.good("cat", path).splitlines():
                record = json.loads(text)
                n = record["n"]
                expected = json.loads(line_of(n))
                self.assertEqual(record["s"], expected["s"])
                self.assertEqual(record.get("l", expected["l"]), expected["l"])
                numbers.append(n)
        return sorted(numbers)

    def expect_recovery(self, options, target, acknowledged, fed, where):
        if not os.path.exists(self.path(target)) and not glob.glob(self.path("_" + target) + ".*"):
            self.assertEqual(acknowledged, 0, where)
            return 0
        status, _, errors = self.run_program(*self.arguments(options, target))
        self.assertEqual(status, 0, (where, errors))
        for line in errors.splitlines():
            self.assertIn(" of a predecessor ", line, where)
        numbers = self.records(target)
        by_partition = "--by" in options
        if by_partition:
            self.assertEqual(len(set(numbers)), len(numbers), where)
            self.assertEqual(numbers[:acknowledged], list(range(acknowledged)), where)
        else:
            self.assertEqual(numbers, list(range(len(numbers))), where)
        self.assertGreaterEqual(len(numbers), acknowledged, where)
        self.assertLessEqual(len(numbers), fed, where)
        leftovers = [
            path
            for path in glob.glob(self.path(target) + "/**/*", recursive=True)
            if os.path.isfile(path) and not path.endswith((".parquet", ".bad"))
        ]
        self.assertEqual(leftovers, [], where)
        return len(numbers)


class Killed(Logger):
    def run_and_kill(self, options, target, delay):
        process = self.start(
            *self.arguments(options, target),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        fed, acknowledged = [0], []
        feeder = threading.Thread(target=self.feed, args=(process, options, 200000, fed))
        collector = threading.Thread(target=self.collect, args=(process, acknowledged))
        feeder.start()
        collector.start()
        time.sleep(delay)
        process.kill()
        process.wait()
        feeder.join()
        collector.join()
        for stream in (process.stdin, process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        return max(acknowledged, default=0), fed[0]

    def test_moments_of_chance(self):
        kept = durable = 0
        for kill in range(KILLS):
            seed = SEED * 1000003 + kill
            chance = random.Random(seed)
            options = chance.choice(MANNERS)
            target = "one.parquet" if chance.random() < 0.3 and "--rotate" not in options and "--by" not in options else "logs"
            acknowledged, fed = self.run_and_kill(options, target, chance.uniform(0.01, 0.15))
            where = f"seed {seed}: {' '.join(options)} -o {target}"
            kept += self.expect_recovery(options, target, acknowledged, fed, where)
            durable += acknowledged
            for name in self.files():
                path = self.path(name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        print(f"{KILLS} kills: {durable} records acknowledged, {kept} kept")
        if KILLS >= 10:
            self.assertGreater(durable, 0)


@unittest.skipUnless(CALLS, "LAMELLA_FAILING_CALLS does not name what failing_calls.c makes")
class EachCall(Logger):
    """A small run of fixed input, with whose Nth changing system call something goes wrong."""

    def count_of(self, options):
        return 40 if "record" in options else 400

    def run_calls(self, options, target, data=None, prefix=(), **variables):
        """Status, the records acknowledged, and standard error."""
        if data is None:
            data = "".join(text_of(n, options) for n in range(self.count_of(options))).encode()
        done = subprocess.run(
            [*prefix, program.PROGRAM, *self.arguments(options, target)],
            cwd=self.folder, input=data, capture_output=True, check=False, timeout=program.TIME_LIMIT,
            env={**os.environ, **({"LD_PRELOAD": CALLS} if not prefix else {}), **variables},
        )  # fmt: skip
        lines = done.stdout.split(b"\n")[:-1]
        acknowledged = max((json.loads(line)["durable"] for line in lines), default=0)
        return done.returncode, acknowledged, done.stderr.decode()

    def remove_all(self):
        for name in self.files():
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

    def names_of(self, options, target, **variables):
        """The calls of a run with which nothing goes wrong."""
        names = self.path("names")
        status, _, errors = self.run_calls(options, target, LAMELLA_CALL_NAMES=names, **variables)
        self.assertEqual(status, 0, errors)
        with open(names) as file:
            return file.read().split()

    def cases(self, options, index, does, target="logs"):
        """Numbers of calls; there may be two more the next time, as a moment decides about some."""
        count = len(self.names_of(options, target, LAMELLA_CALL_DOES=does)) + 2
        self.remove_all()
        self.assertGreater(count, 5 if does == "short" else 12)
        return range(1 + index % STEP, count + 1, STEP)

    def expect_end(self, does, status, has_all, errors, where):
        number = int(does) if does.isdigit() else 0
        if does == "short" or number == errno.EINTR:
            self.assertEqual((status, errors), (0, ""), where)
        if status == 0:
            self.assertTrue(has_all, "success is reported: " + where)
        elif number > 0:
            self.assertEqual(status, 1, where)
            self.assertIn(os.strerror(number), errors, where)

    def sweep(self, does, stays=False):
        runs = failures = 0
        more = {"LAMELLA_CALL_DOES": does, **({"LAMELLA_CALL_STAYS": "1"} if stays else {})}
        for index, options in enumerate(MANNERS):
            target = "one.parquet" if index in (0, 4) else "logs"
            count = self.count_of(options)
            for number in self.cases(options, index, does, target):
                status, acknowledged, errors = self.run_calls(
                    options, target, LAMELLA_CALL_AT=str(number), **more
                )
                where = f"{does} {number}{'+' if stays else ''}: {' '.join(options)} -o {target}: {errors}"
                if os.path.isfile(self.path(target)):
                    kept = len(self.records(target))
                    self.assertEqual(kept, count, where)
                else:
                    kept = self.expect_recovery(options, target, acknowledged, count, where)
                self.expect_end(does, status, kept == count, errors, where)
                self.remove_all()
                runs += 1
                failures += status != 0
        print(f"{does}{'+' if stays else ''}: {runs} runs, {failures} failed")
        if does not in ("short", str(errno.EINTR)):
            self.assertGreater(failures, runs // 2)

    def test_killed_before_each_call(self):
        self.sweep("kill")

    def test_killed_behind_each_call(self):
        self.sweep("kill-after")

    def test_each_call_fails_once(self):
        self.sweep(str(errno.EIO))
        self.sweep(str(errno.ENOSPC))

    def test_each_call_fails_for_ever(self):
        self.sweep(str(errno.EIO), stays=True)
        self.sweep(str(errno.ENOSPC), stays=True)

    def test_each_call_is_interrupted(self):
        self.sweep(str(errno.EINTR))

    def test_each_write_may_be_short(self):
        self.sweep("short")

    def test_a_start_that_recovers_is_killed_or_fails(self):
        """With what a kill left, the start is the one that ends early; the one behind it has all."""
        runs = 0
        for index, options in enumerate((MANNERS[0], MANNERS[2], MANNERS[4], MANNERS[7])):
            for target in ("logs", "one.parquet"):
                if target == "one.parquet" and "--by" in options:
                    continue
                names = self.names_of(options, target)
                self.remove_all()
                status, acknowledged, _ = self.run_calls(
                    options, target, LAMELLA_CALL_DOES="kill", LAMELLA_CALL_AT=str(len(names) * 2 // 3)
                )
                self.assertLess(status, 0)
                left = self.path("left")
                os.mkdir(left)
                for name in self.files():
                    if name != "left":
                        shutil.move(self.path(name), left)
                for does in ("kill", "kill-after", str(errno.EIO), str(errno.ENOSPC)):
                    number = 1 + index % STEP
                    while True:
                        shutil.copytree(left, self.folder, dirs_exist_ok=True)
                        status, _, errors = self.run_calls(
                            options, target, b"", LAMELLA_CALL_DOES=does, LAMELLA_CALL_AT=str(number)
                        )
                        where = f"start, {does} {number}: {' '.join(options)} -o {target}: {errors}"
                        if not os.path.isfile(self.path(target)):
                            self.expect_recovery(options, target, acknowledged, 400, where)
                        else:
                            self.assertGreaterEqual(len(self.records(target)), acknowledged, where)
                        for name in self.files():
                            path = self.path(name)
                            if name != "left":
                                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
                        runs += 1
                        if status == 0:
                            break
                        number += STEP
                        self.assertLess(number, 500)
                self.remove_all()
        print(f"{runs} starts")

    def leave(self, options):
        """What a kill leaves of one file, in the folder "left"; gives the records that were acknowledged."""
        names = self.names_of(options, "one.parquet")
        self.remove_all()
        status, acknowledged, _ = self.run_calls(
            options, "one.parquet", LAMELLA_CALL_DOES="kill", LAMELLA_CALL_AT=str(len(names) * 2 // 3)
        )
        self.assertLess(status, 0)
        os.mkdir(self.path("left"))
        for name in self.files():
            if name != "left":
                shutil.move(self.path(name), self.path("left"))
        return acknowledged

    def end_start(self, call, given):
        """A start with three lines in its pipe, which gets SIGTERM; what it did not read of them; and its calls."""
        ends = os.pipe()
        os.write(ends[1], "".join(line_of(n) for n in range(9000, 9003)).encode())
        os.close(ends[1])
        done = subprocess.run(
            [program.PROGRAM, "log", *given, "--on-new-field", "ignore", "-o", "one.parquet"],
            cwd=self.folder, stdin=ends[0], capture_output=True, check=False, timeout=program.TIME_LIMIT,
            env={**os.environ, "LD_PRELOAD": CALLS, "LAMELLA_CALL_OF": "all",
                 "LAMELLA_CALL_DOES": "term", "LAMELLA_CALL_AT": str(call),
                 "LAMELLA_CALL_NAMES": self.path("left/names")},
        )  # fmt: skip
        unread = os.read(ends[0], 65536)
        os.close(ends[0])
        with open(self.path("left/names")) as file:
            count = len(file.readlines())
        os.remove(self.path("left/names"))
        return done.returncode, done.stderr.decode(), unread, count

    def test_a_start_that_a_signal_ends_has_logged_what_it_has_read(self):
        """Lines were read, and lost, where the signal came before what was left could be opened."""
        ended = 0
        for index, options in enumerate((MANNERS[0], MANNERS[4], None)):
            if options is None:  # of a file whose first row group never was whole
                acknowledged = 0
                os.mkdir(self.path("left"))
                self.put("left/_one.parquet.part", b"PAR1" + bytes(100))
            else:
                acknowledged = self.leave(options)
            for given in ([], ["--schema", self.schema_of(["--journal"])]):
                call, count = 0, 1  # 0: no signal comes
                while call <= count:
                    shutil.copytree(self.path("left"), self.folder, dirs_exist_ok=True)
                    status, errors, unread, calls = self.end_start(call, given)
                    count = calls if call == 0 else count
                    where = f"{call}: {options} {given}: {errors}"
                    new = [9000, 9001, 9002] if unread == b"" else []
                    if status == -signal.SIGTERM:  # before it was caught
                        self.assertEqual((errors, new), ("", []), where)
                    elif status != 0:
                        self.assertRegex(errors, "a signal came .* nothing of standard input was read", where)
                        self.assertEqual((status, new), (1, []), where)
                        ended += 1
                        self.run_program("log", *given, "-o", "one.parquet")
                    found = self.records("one.parquet") if "one.parquet" in self.files() else []
                    kept = len(found) - len(new)
                    self.assertEqual(found, [*range(kept), *new], where)
                    self.assertGreaterEqual(kept, acknowledged if found else 0, where)
                    for name in self.files():
                        if name != "left":
                            os.remove(self.path(name))
                    call += 1 if options is None else STEP // 5 + index  # not the same calls in each
            shutil.rmtree(self.path("left"))
        self.assertGreater(ended, 0)

    @unittest.skipUnless(shutil.which("strace"), "strace is missing")
    def test_the_calls_that_count_are_all_that_change_files(self):
        options = ["--checkpoint", "100rows"]
        counted = [name for name in self.names_of(options, "logs") if name in CHANGING.split(",")]
        self.remove_all()
        trace = self.path("trace")
        prefix = ["strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=" + CHANGING]
        status, _, errors = self.run_calls(options, "logs", prefix=prefix)
        if status != 0 and "ptrace" in errors:
            self.skipTest("strace cannot trace here")
        with open(trace) as file:
            found = re.findall(r"^\d+ +(\w+)\((?!\d+<pipe:|[012]<)", file.read(), re.MULTILINE)
        self.assertEqual(sorted(found), sorted(counted))


if __name__ == "__main__":
    program.main()
