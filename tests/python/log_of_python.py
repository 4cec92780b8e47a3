# SPDX-License-Identifier: Apache-2.0
"""Logs: what was durable is there after a kill, in order and once; threads, forks, signals, callbacks, asyncio, and
interpreters that end.

Usage: log_of_python.py EXTENSION [CASE ...]. LAMELLA_KILLS is the number of kills, default 20; LAMELLA_SEED repeats them.
"""

import glob
import json
import logging
import os
import signal
import sys
import threading
import time
import unittest

import cases
import lamella

KILLS = int(os.environ.get("LAMELLA_KILLS", "20"))
SCHEMA = ("message m { required int64 n; optional binary s (STRING); optional group l (LIST) { repeated group list { "
          "optional int32 element; } } optional int32 p; }")

ROW = '''
def row(n):
    return {"n": n, "s": f"record {n}" * (n % 9), "l": list(range(n % 4)) if n % 5 else None, "p": n // 50 % 3}
'''
exec(ROW)

# What a child does that is killed: the numbers that it prints are rows that survive.
WRITER = ROW + '''
import json, sys, time
import lamella
path, options, schema = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3] or None
log = lamella.Logger(path, schema, **options)
print("begun", flush=True)
n = 0
while True:
    for _ in range(17):
        log.log(row(n) if schema else {k: v for k, v in row(n).items() if v is not None or n == 0})
        n += 1
    if n % 340 == 0:
        log.checkpoint() if n % 680 == 0 else None
    print(log.durable, flush=True)
'''

MANNERS = [
    {"journal": True, "sync": "2ms"}, {"journal": True, "sync": "record"}, {"journal": True, "sync": "never"},
    {"journal": True}, {"journal": True, "sync": "2ms", "checkpoint_rows": 700, "rotate": 30000},
    {"checkpoint": "5ms"}, {"checkpoint_rows": 300, "rotate": "20ms"}, {"journal": True, "sync": "3ms", "background": False},
    {"journal": True, "sync": "2ms", "partition": "p"},
]  # fmt: skip


def files(path):
    return sorted(glob.glob(os.path.join(path, "**", "*.parquet"), recursive=True)) if os.path.isdir(path) else [path]


def rows_of(path):
    return [{name: found[name] for name in ("n", "s", "l", "p") if name in found}
            for file in files(path) for found in lamella.read(file)]


class Killed(cases.Case):
    def kill(self, number):
        source, what = cases.source_of(number)
        options = source.choice(MANNERS)
        schema = source.choice([SCHEMA, ""]) if "partition" not in options else SCHEMA
        path = self.path(source.choice([f"run{number}", f"run{number}.parquet"]))
        if path.endswith(".parquet") and ("rotate" in options or "partition" in options or not schema):
            path = path.removesuffix(".parquet")
        child = cases.Child(WRITER, path, json.dumps(options), schema)
        what = f"{what}: {options} {path} {schema}"
        if child.process.stdout.readline() != "begun\n":
            self.fail(f"{what}: {child.end()}")
        time.sleep(source.random() ** 2 * 0.3)
        child.process.kill()
        status, output, errors = child.end()
        self.assertEqual(status, -signal.SIGKILL, (what, errors))
        # A line may lack its beginning, which was read before, or its end.
        durable = [int(line) for line in output.splitlines(keepends=True) if line[:-1].isdigit() and line.endswith("\n")]
        least = durable[-1] if durable else 0
        # The next log recovers, and goes on.
        with lamella.Logger(path, SCHEMA, **options) as log:
            recovered = log.info()["recovered"]
            log.log(row(10**6))
        found = rows_of(path)
        if "partition" in options:
            found.sort(key=lambda row: row["n"])
        self.assertEqual(found.pop(), row(10**6), what)
        self.assertEqual([row["n"] for row in found], list(range(len(found))), what)
        for got in found:
            self.assertEqual(got, {**dict.fromkeys(got), **row(got["n"])}, what)
        self.assertGreaterEqual(len(found), least, what)
        self.assertLessEqual(recovered, len(found), what)
        left = [name for name in glob.glob(self.folder + "/**/*", recursive=True) if os.path.isfile(name) and not name.endswith(".parquet")]
        self.assertEqual(left, [], what)
        return least

    def test_at_moments_of_chance(self):
        survived = [self.kill(number) for number in range(KILLS)]
        print(f"{KILLS} kills, {sum(survived)} rows were durable", flush=True)
        self.assertTrue(any(survived))

    def test_recovery_alone(self):
        path = self.path("run")
        child = cases.Child(WRITER, path, json.dumps({"journal": True, "sync": "record"}), SCHEMA)
        while child.process.stdout.readline() in ("begun\n", "0\n"):
            pass
        child.process.kill()
        output = child.end()[1].splitlines(keepends=True)
        self.assertTrue(lamella.recover(path))
        found = rows_of(path)
        self.assertEqual([row["n"] for row in found], list(range(len(found))))
        self.assertGreaterEqual(len(found), max([17, *(int(line) for line in output if line[:-1].isdigit() and line.endswith("\n"))]))
        with self.assertRaises(FileNotFoundError):
            lamella.recover(self.path("nowhere"))

    def test_a_polite_end(self):
        # Without a handler a SIGTERM kills; with one that ends the interpreter, the files are finished.
        for handler, least in (("", 0), ("import signal; signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))", 1)):
            path = self.path("run" + str(least))
            child = cases.Child("import sys\n" + handler + WRITER, path, json.dumps({"journal": True}), SCHEMA)
            for _ in range(30):
                child.process.stdout.readline()
            child.process.terminate()
            status, output, errors = child.end()
            self.assertEqual(status, 3 if least else -signal.SIGTERM, errors)
            unfinished = [name for name in os.listdir(path) if not name.endswith(".parquet")]
            self.assertEqual(bool(unfinished), not least)
            if not least:
                lamella.recover(path)
            found = [row["n"] for row in rows_of(path)]
            self.assertEqual(found, list(range(len(found))))


class Ends(cases.Case):
    """Ways in which a log may end besides close()."""

    def end(self, text, status=0):
        path = self.path("run")
        text = f"import os, sys, threading, time, gc, signal, lamella\nPATH = {path!r}\n" + ROW + text
        found, output, errors = cases.Child(text).end()
        self.assertEqual(found, status, (output, errors))
        self.assertEqual([name for name in os.listdir(path) if not name.endswith(".parquet")], [], errors)
        return [row["n"] for row in rows_of(path)], output, errors

    def test_the_interpreter_ends(self):
        for end, status in (("", 0), ("sys.exit(5)", 5), ("raise KeyError", 1), ("log.log(n='x', x=object())", 1)):
            found, _, _ = self.end("log = lamella.Logger(PATH)\nfor n in range(100): log.log(row(n))\n" + end, status)
            self.assertEqual(found[:100], list(range(100)))
            for name in files(self.path("run")):
                os.remove(name)

    def test_nobody_holds_it(self):
        found, _, _ = self.end('''
log = lamella.Logger(PATH, prefix="a")
log.log(n=0)
del log
gc.collect()
assert len(lamella.scan(PATH).to_pylist()) == 1
lamella.Logger(PATH, prefix="b", journal=True).log(n=1)
def cycle():
    log = lamella.Logger(PATH, prefix="c", on_file=lambda path: log)
    log.log(n=2)
cycle()
gc.collect()
''')
        self.assertEqual(found, [0, 1, 2])

    def test_callbacks_at_the_end(self):
        found, output, _ = self.end('''
logs = [lamella.Logger(PATH, prefix=f"p{i}", on_file=lambda path: print(os.path.basename(path)[:2], flush=True)) for i in range(5)]
for log in logs:
    log.log(n=1)
threading.Thread(target=lambda: [logs[0].log(n=1) or time.sleep(0.01) for _ in range(20)]).start()
''')
        self.assertEqual(sorted(output.split()), ["p0", "p1", "p2", "p3", "p4"])
        self.assertEqual(len(found), 25)

    def test_daemon_threads_log_meanwhile(self):
        found, _, errors = self.end('''
log = lamella.Logger(PATH, "message m { required int64 n; }")
def work():
    n = 0
    while True:
        log.log(n=n)
        n += 1
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
''')
        self.assertEqual(found, list(range(len(found))))
        self.assertNotIn("Fatal", errors)

    def test_forks(self):
        found, output, _ = self.end('''
import multiprocessing
log = lamella.Logger(PATH)
other = lamella.Logger(PATH, prefix="other")  # not begun
for n in range(50):
    log.log(row(n))
def use(own):
    refused = 0
    for call in (lambda: log.log(row(1)), log.checkpoint, log.rotate, lambda: log.write([row(1)])):
        try:
            call()
        except lamella.Error:
            refused += 1
    assert refused == 4, refused
    log.close()
    with lamella.Logger(PATH, prefix="child" + own) as mine:
        mine.log(n=1000)
children = []
for own in ("a", "b"):
    children.append(os.fork())
    if children[-1] == 0:
        use(own)
        sys.exit(0) if own == "a" else os._exit(0)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
process = multiprocessing.get_context("fork").Process(target=use, args=("c",))
process.start()
process.join()
assert process.exitcode == 0
log.log(row(50))
log.checkpoint()
assert log.durable == 51
other.log(n=2000)
''')
        self.assertEqual(sorted(found), [*range(51), 1000, 1000, 1000, 2000])

    def test_a_fork_while_threads_log(self):
        found, _, _ = self.end('''
log, ended = lamella.Logger(PATH, "message m { required int64 n; }"), threading.Event()
def work():
    while not ended.is_set():
        log.log(n=1)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for turn in range(20):
    child = os.fork()
    if child == 0:
        try:
            log.log(n=5)
            os._exit(1)
        except lamella.Error:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
ended.set()
''')
        self.assertEqual(set(found), {1})


class Uses(cases.Case):
    def setUp(self):
        super().setUp()
        self.place = self.path("run")

    def numbers(self):
        return [row["n"] for row in rows_of(self.place)]

    def test_threads(self):
        for schema in (SCHEMA, None):
            log = lamella.Logger(self.path(f"run{schema is None}"), schema, journal=True)
            failures = []

            def work(number):
                try:
                    for n in range(1500):
                        record = row(n)
                        record["s"] = str(number)
                        if schema is None and n % 300 == number:
                            record[f"f{number}{n}"] = n
                        log.log(record)
                        if n % 400 == number:
                            (log.checkpoint, log.rotate, log.info)[number % 3]()
                except Exception as error:
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            self.assertEqual(log.info()["accepted"], 9000)
            log.close()
            found = [row for file in files(log._path) for row in lamella.read(file)]
            for number in range(6):
                mine = [row["n"] for row in found if row["s"] == str(number)]
                self.assertEqual(sorted(mine), list(range(1500)))
                if schema:
                    self.assertEqual(mine, list(range(1500)))

    def test_refused_records_are_not_there_and_hold_nothing_back(self):
        with lamella.Logger(self.place, SCHEMA, journal=True) as log:
            for n in range(20):
                log.log(row(n))
                for wrong in ({"n": "x"}, {"n": 1, "l": [1, "x"]}, {"n": 1, "x": 1}, {}, 5, {"n": None}):
                    with self.assertRaises((TypeError, lamella.Error)):
                        log.log(wrong)
                log.checkpoint()
                self.assertEqual(log.durable, n + 1)
                self.assertEqual(log.info()["accepted"], n + 1)
        self.assertEqual(self.numbers(), list(range(20)))
        self.assertTrue(log.closed)
        for use in (lambda: log.log(row(1)), log.checkpoint, log.rotate, lambda: log.write([row(1)])):
            with self.assertRaises(lamella.Error):
                use()
        log.close()
        self.assertEqual(log.info()["durable"], 20)

    def test_what_logs_while_it_is_logged(self):
        # By the same thread: in a value, in a handler of a signal, in a finalizer. None of it may wait for itself.
        self.good('''
import gc, os, signal, sys, lamella
log = lamella.Logger(sys.argv[1], "message m { required int64 n; optional group l (LIST) { repeated group list { optional int64 element; } } }")
refused = 0
def again():
    global refused
    try:
        log.log(n=-1)
    except lamella.Error as error:
        assert "same thread" in str(error), error
        refused += 1
def values():
    yield 1
    again()
    yield 2
log.log(n=1, l=values())
class Finalizer:
    def __init__(self):
        self.cycle = self
    def __del__(self):
        again()
def slow():
    for i in range(100):
        Finalizer()
        gc.collect()
        yield i
log.log(n=2, l=slow())
signal.signal(signal.SIGALRM, lambda *_: again())
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0001)
for n in range(3, 3000):
    log.log(n=n, l=[n])
signal.setitimer(signal.ITIMER_REAL, 0)
log.checkpoint()
assert refused >= 101, refused
log.close()
# A log that grows.
log = lamella.Logger(sys.argv[1] + "2")
grown = 0
def grow(*_):
    global grown
    try:
        grown += 1
        log.log({f"f{grown % 40}": 1})
    except lamella.Error as error:
        assert "same thread" in str(error), error
signal.signal(signal.SIGALRM, grow)
for n in range(2000):
    if n % 5 == 0:
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + n % 97 * 1e-5)
    log.log({"n": n, f"g{n // 50}": 1})
signal.setitimer(signal.ITIMER_REAL, 0)
assert grown > 10
log.close()
assert sum(row["n"] is not None for row in lamella.scan(sys.argv[1] + "2")) == 2000
found = [row["n"] for row in lamella.scan(sys.argv[1])]
assert [n for n in found if n != -1] == list(range(1, 3000)), found[:20]
''', self.place)

    def test_callbacks_that_raise_or_log(self):
        output = self.good('''
import os, sys, threading, lamella
seen, unraisable, refused = [], [], []
sys.unraisablehook = lambda what: unraisable.append(what.exc_type)
def on_file(path):
    seen.append((path, len(lamella.read(path).to_pylist())))
    for use in (lambda: log.log(n=1), log.checkpoint, log.rotate, log.close, lambda: log.write([{"n": 1}])):
        try:
            use()
        except lamella.Error as error:
            refused.append(str(error))
    raise KeyError(path)
log = lamella.Logger(sys.argv[1], "message m { required int64 n; }", on_file=on_file, background=sys.argv[2] == "1")
for turn in range(3):
    log.log(n=turn)
    log.rotate()
log.log(n=3)
log.close()
assert [rows for _, rows in seen] == [1, 1, 1, 1], seen
assert all(os.path.exists(path) for path, _ in seen)
assert unraisable == [KeyError] * 4, unraisable
assert len(refused) == 20, refused
''', self.place, "1")
        self.good('''
import sys, lamella
names = []
for turn in range(2):
    with lamella.Logger(sys.argv[1], "message m { required int64 n; }", on_file=names.append, background=False) as log:
        log.log(n=turn)
        log._core.poll()
assert len(names) == 2
''', self.path("run2"))
        del output

    def test_interrupts(self):
        # A loop that logs ends at once; so does one that waits for a disk, or a callback, that is slow, in the end.
        self.good('''
import signal, sys, time, lamella
def interrupted(log):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for turn in range(20):
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        begin = time.monotonic()
        try:
            n = 0
            while True:
                log.log(n=n, s="x" * 100)
                n += 1
        except KeyboardInterrupt:
            took = time.monotonic() - begin - 0.02
        log.log(n=-1)
        if took < 0.1:
            return n
    raise AssertionError(took)
for options in ({}, {"journal": True}, {"journal": True, "sync": "record"}, {"background": False}):
    with lamella.Logger(sys.argv[1] + str(len(str(options))), "message m { required int64 n; optional binary s (STRING); }", **options) as log:
        interrupted(log)
''', self.place)

    def test_arrays(self):
        import pyarrow

        table = pyarrow.table({"n": range(1000), "s": [str(n) for n in range(1000)]})
        for schema in (None, table.schema, "message m { optional int64 n; optional binary s (STRING); }"):
            path = self.path(str(schema is None) + str(isinstance(schema, str)))
            with lamella.Logger(path, schema, journal=True) as log:
                log.write(table)
                log.write(table.slice(3, 5))
                log.log(n=5000, s="x")
                log.write({"n": n, "s": "y"} for n in range(3))
                with self.assertRaises((TypeError, lamella.Error)):
                    log.write(pyarrow.table({"other": [1]}))
                log.checkpoint()
                self.assertEqual(log.durable, 1009)
            found = sorted(row["n"] for row in rows_of(path))
            self.assertEqual(found, sorted([*range(1000), *range(3, 8), 5000, 0, 1, 2]))

    def test_fields_that_come_later(self):
        records = [{"n": 1}, {"n": 2, "s": "x"}, {"n": 2.5}, {"t": {"a": 1}}, {"t": {"b": b"x"}}, {"n": 3, "l": [1]}, {"l": [None, 2]}, {"u": 2**63}]
        with lamella.Logger(self.place, journal=True) as log:
            for record in records:
                log.log(record)
        found = lamella.scan(self.place).to_pylist()
        self.assertEqual(len(found), len(records))
        for record, back in zip(records, found):
            for name, value in record.items():
                if name == "t":
                    self.assertEqual({k: v for k, v in back["t"].items() if v is not None}, value)
                else:
                    self.assertEqual(back[name], value)

    def test_two_of_one_place(self):
        one = lamella.Logger(self.path("run.parquet"), "message m { required int64 n; }")
        with self.assertRaises(OSError) as caught:
            lamella.Logger(self.path("run.parquet"), "message m { required int64 n; }")
        self.assertIn(caught.exception.errno, (16, 11), caught.exception)
        one.log(n=1)
        one.close()
        with self.assertRaises(FileExistsError):
            lamella.Logger(self.path("run.parquet"), "message m { required int64 n; }")
        with lamella.Logger(self.place, "message m { required int64 n; }") as one, lamella.Logger(self.place, "message m { required int64 n; }") as other:
            one.log(n=1)
            other.log(n=2)
        self.assertEqual(sorted(self.numbers()), [1, 2])

    def test_places_that_are_not_there(self):
        for path, kind in ((self.path("no/where"), FileNotFoundError), ("/proc/nothing", OSError), (self.path("a\0b"), ValueError)):
            with self.subTest(path), self.assertRaises(kind):
                lamella.Logger(path, "message m { required int64 n; }").log(n=1)
        open(self.path("file"), "w").close()
        with self.assertRaises(OSError):
            lamella.Logger(self.path("file"), "message m { required int64 n; }")

    def test_asyncio(self):
        self.good('''
import asyncio, sys, time, lamella
async def direct(log):
    """log() takes about a microsecond, and waits only while the queue is full: it may be called in the loop."""
    for n in range(500):
        log.log(n=n, by="direct")
        await asyncio.sleep(0)
async def in_executor(log):
    """What waits for a disk belongs into a thread."""
    loop = asyncio.get_running_loop()
    for n in range(50):
        await loop.run_in_executor(None, lambda: log.log(n=n, by="executor"))
    await loop.run_in_executor(None, log.checkpoint)
    await asyncio.to_thread(log.rotate)
async def main():
    with lamella.Logger(sys.argv[1], journal=True, sync="1ms") as log:
        await asyncio.gather(direct(log), direct(log), in_executor(log))
        await asyncio.to_thread(log.close)
asyncio.run(main())
rows = lamella.scan(sys.argv[1]).to_pylist()
assert len(rows) == 1050
assert [row["n"] for row in rows if row["by"] == "executor"] == list(range(50))
''', self.place)

    def test_a_handler_of_logging(self):
        handler = lamella.Handler(self.place)
        logger = logging.getLogger("test.of.handler")
        logger.propagate = False
        logger.setLevel(logging.DEBUG)
        logger.addHandler(handler)
        logger.info("plain %s", "text")
        logger.warning("ä\0\ud800 %d", 5)
        try:
            1 / 0
        except ZeroDivisionError:
            logger.exception("trouble")
        threads = [threading.Thread(target=logger.debug, args=("in %s", number)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        handler.flush()
        self.assertEqual(handler._log.durable, 8)
        handler.close()
        handler.close()
        failed = []
        handler.handleError = lambda record: failed.append(record)
        logger.info("too late")
        self.assertEqual(len(failed), 1)
        logger.removeHandler(handler)
        rows = lamella.scan(self.place).to_pylist()
        self.assertEqual([row["message"] for row in rows if row["level"] == 20], ["plain text"])
        self.assertEqual([row["message"] for row in rows if row["level"] == 30], ["ä\0\\ud800 5"])
        error, = [row for row in rows if row["level"] == 40]
        self.assertIn("ZeroDivisionError", error["exception"])
        self.assertEqual((error["logger"], error["function"], os.path.basename(error["file"])),
                         ("test.of.handler", "test_a_handler_of_logging", "log_of_python.py"))
        self.assertEqual(sorted(row["message"] for row in rows if row["level"] == 10), [f"in {n}" for n in range(5)])


if __name__ == "__main__":
    cases.main()
