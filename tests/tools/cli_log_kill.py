# SPDX-License-Identifier: Apache-2.0
"""Killed loggers: what `lamella log --acknowledge` called durable is there after the next start.

A real process is fed by a pipe and ends by SIGKILL: at moments of chance, and at each system call
that changes files (with strace). System calls also fail once, and for ever. After that another
`lamella log` recovers the folder, and `lamella cat` must give a prefix of the input that has at
least the acknowledged records, each once.

LAMELLA_KILLS is the number of moments of chance, default 10; LAMELLA_KILL_SEED begins the random
numbers, and each case prints its own when it fails. LAMELLA_KILL_STEP takes each Nth system call.
"""

import glob
import json
import os
import random
import shutil
import subprocess
import threading
import time
import unittest

import program

SCHEMA = "message m { required int64 n; optional binary s (STRING); optional group l (LIST) { repeated group list { optional int32 element; } } }"
KILLS = int(os.environ.get("LAMELLA_KILLS", "10"))
SEED = int(os.environ.get("LAMELLA_KILL_SEED", "1"))
STEP = int(os.environ.get("LAMELLA_KILL_STEP", "9"))
MANNERS = [
    ["--journal", "--sync", "2ms"],
    ["--journal", "--sync", "record"],
    ["--journal", "--sync", "2ms", "--checkpoint", "700rows"],
    ["--checkpoint", "5ms"],
    ["--checkpoint", "300rows", "--sync", "checkpoint"],
    ["--checkpoint", "5ms", "--rotate", "20000", "--memory-limit", "4MiB"],
    ["--journal", "--sync", "2ms", "--rotate", "20ms"],
    ["--journal", "--sync", "3ms", "--by", "p", "--open-files", "3"],
]
CHANGING = "write,pwrite64,ftruncate,fdatasync,fsync,rename,renameat2,unlink,openat,mkdir,copy_file_range"


def line_of(n):
    tags = "[" + ",".join(str(i) for i in range(n % 4)) + "]" if n % 5 else "null"
    return f'{{"n":{n},"s":"record {n}","l":{tags},"p":{n // 50 % 7}}}\n'


class Logger(program.ProgramTest):
    def schema_of(self, options):
        return SCHEMA.replace("}", "}", 1) if "--by" not in options else SCHEMA[:-1] + " required int32 p; }"

    def feed(self, process, count, fed):
        """Writes lines until the pipe breaks; fed[0] is how many were handed over."""
        try:
            for n in range(count):
                process.stdin.write(line_of(n).encode())
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
                self.assertEqual(record["l"], expected["l"])
                numbers.append(n)
        return sorted(numbers)

    def expect_recovery(self, options, target, acknowledged, fed, where):
        if not os.path.exists(self.path(target)) and not glob.glob(self.path(target) + ".*"):
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
        feeder = threading.Thread(target=self.feed, args=(process, 200000, fed))
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


@unittest.skipUnless(shutil.which("strace"), "strace is missing")
@unittest.skipIf(os.environ.get("LAMELLA_SLOW"), "leaks cannot be searched for in a traced program")
class EachCall(Logger):
    """A small run of fixed input, which ends or fails at its Nth changing system call."""

    COUNT = 400

    def trace(self, options, target, inject):
        data = "".join(line_of(n) for n in range(self.COUNT)).encode()
        done = subprocess.run(
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + CHANGING, *inject,
             program.PROGRAM, *self.arguments(options, target)],
            cwd=self.folder, input=data, capture_output=True, check=False, timeout=program.TIME_LIMIT,
        )  # fmt: skip
        lines = done.stdout.split(b"\n")[:-1]
        return done.returncode, max((json.loads(line)["durable"] for line in lines), default=0)

    def can_trace(self):
        try:
            return self.trace(["--checkpoint", "100rows"], "probe", [])[0] == 0
        finally:
            shutil.rmtree(self.path("probe"), ignore_errors=True)

    def sweep(self, what, first=1, stays=""):
        if not self.can_trace():
            self.skipTest("strace cannot trace here")
        cases = 0
        for options in (MANNERS[2], MANNERS[4], MANNERS[7]):
            for call in CHANGING.split(","):
                number = first
                while True:
                    inject = ["-e", f"inject={call}:{what}:when={number}{stays}"]
                    status, acknowledged = self.trace(options, "logs", inject)
                    where = f"{call} {what} {number}{stays}: {' '.join(options)}"
                    kept = self.expect_recovery(options, "logs", acknowledged, self.COUNT, where)
                    if status == 0 and "signal" not in what:
                        self.assertEqual(kept, self.COUNT, "success is reported: " + where)
                    for name in self.files():
                        shutil.rmtree(self.path(name), ignore_errors=True)
                    cases += 1
                    if status == 0 and kept == self.COUNT:
                        break
                    if stays and number > 40:
                        break
                    number += STEP
                    self.assertLess(number, 5000)
        print(f"{what}{stays}: {cases} runs")

    def test_killed_at_each_call(self):
        self.sweep("signal=KILL")

    def test_each_call_fails_once(self):
        self.sweep("error=EIO")

    def test_each_call_fails_for_ever(self):
        self.sweep("error=ENOSPC", stays="+")


if __name__ == "__main__":
    program.main()
