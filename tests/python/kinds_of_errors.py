# SPDX-License-Identifier: Apache-2.0
"""Errors by their kind, with their place; damaged and hostile files never crash the interpreter, whatever is asked of them by
however many threads.

Usage: kinds_of_errors.py EXTENSION [CASE ...]
"""

import errno
import io
import os
import unittest

import cases
import lamella

ROWS = [{"a": i, "s": f"text {i % 7}", "l": [i, None], "x": i / 3} for i in range(3000)]


def written(**options):
    file = io.BytesIO()
    lamella.write(file, ROWS, **{"row_group_rows": 1000, "page_rows": 100, **options})
    return file.getvalue()


class Kinds(cases.Case):
    def raised(self, kind, use, **members):
        with self.assertRaises(kind) as caught:
            use()
        error = caught.exception
        for name, value in members.items():
            self.assertEqual(getattr(error, name), value, (name, error))
        return error

    def test_classes(self):
        self.assertTrue(issubclass(lamella.Error, ValueError))
        for kind in (lamella.CorruptError, lamella.UnsupportedError, lamella.LimitError):
            self.assertTrue(issubclass(kind, lamella.Error))
            for name in ("code", "row_group", "column", "row", "offset", "column_path", "filename"):
                self.assertIsNone(getattr(kind("text"), name))
        error = self.raised(lamella.Error, lambda: lamella.read(written(), where="nothing > 5").to_pylist(), code="field-not-found")
        self.assertIn("nothing", str(error))

    def test_places_of_damage(self):
        data = bytearray(written(compression="none", dictionary=False))
        file = lamella.open(bytes(data))
        page = file.column("x").pages(1)[3]
        data[page["offset"] + page["header_bytes"] + 5] ^= 255
        for use in (lambda: lamella.read(bytes(data)).to_pylist(), lambda: list(lamella.read(bytes(data), columns=["x"])),
                    lambda: lamella.open(bytes(data)).levels("x")):
            error = self.raised(lamella.CorruptError, use, row_group=1, column_path="x", filename=None)
            self.assertEqual(error.column, [column.path for column in file.columns].index("x"))
            self.assertTrue(error.code)
            self.assertTrue(page["offset"] <= error.offset < page["offset"] + page["header_bytes"] + page["compressed_bytes"], error.offset)
        findings = lamella.open(bytes(data)).check()
        self.assertEqual({(found["row_group"], found["column"]) for found in findings if found["severity"] == "error"}, {(1, "x")})
        # The same by paths, alone and among others.
        good, bad = self.path("good.parquet"), self.path("bad.parquet")
        for path, content in ((good, written()), (bad, bytes(data))):
            with open(path, "wb") as target:
                target.write(content)
        self.raised(lamella.CorruptError, lambda: lamella.read(bad).to_pylist(), filename=bad)
        error = self.raised(lamella.CorruptError, lambda: lamella.read([good, bad]).to_pylist(), filename=bad, row_group=1)
        self.assertIn(bad, str(error))
        error = self.raised(lamella.Error, lambda: lamella.write(io.BytesIO(), lamella.read([good, bad])))
        self.assertIn(bad, str(error))
        with open(bad, "wb") as target:
            target.write(data[:-9])
        error = self.raised(lamella.CorruptError, lambda: lamella.read([good, bad]), filename=bad, code="file-magic")
        self.assertIn(bad, str(error))
        self.raised(lamella.CorruptError, lambda: lamella.open(bad), filename=bad)

    def test_the_system(self):
        nowhere = self.path("nowhere.parquet")
        self.raised(FileNotFoundError, lambda: lamella.read(nowhere), errno=errno.ENOENT, filename=nowhere)
        self.raised(FileNotFoundError, lambda: lamella.read([io.BytesIO(written()), nowhere]), filename=nowhere)
        self.raised(FileNotFoundError, lambda: lamella.read(self.folder), filename=self.folder, errno=errno.ENOENT)
        self.raised(FileNotFoundError, lambda: lamella.read(nowhere + "*"), filename=nowhere + "*", errno=errno.ENOENT)
        self.raised(FileNotFoundError, lambda: lamella.write(nowhere + "/x", ROWS), errno=errno.ENOENT, filename=nowhere + "/x")
        self.raised(IsADirectoryError, lambda: lamella.write(self.folder, ROWS), filename=self.folder)
        path = self.path("file.parquet")
        lamella.write(path, ROWS)
        self.raised(NotADirectoryError, lambda: lamella.write(path + "/x", ROWS), filename=path + "/x")
        self.raised(NotADirectoryError, lambda: lamella.read(path + "/x"), filename=path + "/x")
        if os.path.exists("/dev/full"):
            self.raised(OSError, lambda: lamella.write("/dev/full", ROWS), errno=errno.ENOSPC, filename="/dev/full")
        scan, rows = lamella.read([path, path]), iter(lamella.read([path, path]))
        next(rows)
        os.remove(path)
        self.raised(FileNotFoundError, scan.to_pylist, filename=path)
        self.raised(FileNotFoundError, lambda: list(rows), filename=path)
        for name in ("a\0b", "ä" * 300):
            self.raised((OSError, ValueError), lambda: lamella.read(self.path(name)))
            self.raised((OSError, ValueError), lambda: lamella.write(self.path(name), ROWS))
        surrogates = os.fsdecode(os.path.join(os.fsencode(self.folder), b"\xff\xfe.parquet"))
        self.raised(FileNotFoundError, lambda: lamella.read(surrogates), filename=surrogates)
        lamella.write(surrogates, ROWS)
        self.assertEqual(lamella.read(surrogates).to_pylist(), ROWS)

    def test_arguments(self):
        data = written()
        file = lamella.open(data)
        for use, kind in [
            (lambda: lamella.read(5), TypeError), (lambda: lamella.read([]), ValueError), (lambda: lamella.read(None), TypeError),
            (lambda: lamella.read(data, where=5), TypeError), (lambda: lamella.read(data, where=[]), TypeError),
            (lambda: lamella.read(data, columns=5), TypeError), (lambda: lamella.read(data, columns=[5]), (TypeError, AttributeError)),
            (lambda: lamella.read(data, limit=-1).to_pylist(), ValueError), (lambda: lamella.read(data, limit="x").to_pylist(), TypeError),
            (lambda: lamella.read(data, limit=2**64).to_pylist(), ValueError), (lambda: lamella.read(data, threads=-1).to_pylist(), ValueError),
            (lambda: lamella.read(data, threads=10**6).to_pylist(), ValueError),
            (lambda: lamella.read(data, where="a >").to_pylist(), lamella.Error), (lambda: lamella.read(data, where="a = \0").to_pylist(), ValueError),
            (lambda: lamella.read(data, columns=["nothing"]).to_pylist(), lamella.Error),
            (lambda: file.column("nothing"), lamella.Error), (lambda: file._dataset.chunk(9, 0), lamella.Error),
            (lambda: file._dataset.chunk(-1, 0), (lamella.Error, IndexError)), (lambda: file._dataset.pages(0, 99), (lamella.Error, IndexError)),
            (lambda: file._dataset.pages(0, -1), (lamella.Error, IndexError)), (lambda: file._dataset.row_group(99), lamella.Error),
            (lambda: file._dataset.row_group(2**70), (IndexError, lamella.Error)), (lambda: file._dataset.row_group("x"), TypeError),
            (lambda: file.levels(5), TypeError), (lambda: file.levels("l"), lamella.Error),
            (lambda: lamella.write(io.BytesIO(), ROWS, compression="nothing"), lamella.Error), (lambda: lamella.write(io.BytesIO(), ROWS, nothing=1), TypeError),
            (lambda: lamella.write(io.BytesIO(), ROWS, compression_level=10**20), (OverflowError, ValueError)),
            (lambda: lamella.write(io.BytesIO(), ROWS, page_version=9), lamella.Error), (lambda: lamella.write(io.BytesIO(), ROWS, bloom="nothing"), lamella.Error),
            (lambda: lamella.write(io.BytesIO(), ROWS, bloom=5), TypeError), (lambda: lamella.write(io.BytesIO(), ROWS, sorted_by=5), TypeError),
            (lambda: lamella.write(io.BytesIO(), ROWS, sorted_by="-a"), lamella.Error), (lambda: lamella.write(io.BytesIO(), ROWS, encodings={"a": "NOTHING"}), lamella.Error),
            (lambda: lamella.write(io.BytesIO(), ROWS, encodings=5), TypeError), (lambda: lamella.write(io.BytesIO(), ROWS, metadata=5), (TypeError, AttributeError)),
            (lambda: lamella.write(io.BytesIO(), ROWS, metadata={5: 5}), TypeError), (lambda: lamella.write(io.BytesIO(), ROWS, schema="message"), lamella.Error),
            (lambda: lamella.write(io.BytesIO(), ROWS, schema=5), (TypeError, AttributeError)), (lambda: lamella.write(io.BytesIO(), ROWS, row_group_rows=-1), (ValueError, OverflowError)),
            (lambda: lamella.Logger(self.path("l"), LOG, nothing=1), TypeError), (lambda: lamella.Logger(self.path("l"), LOG, sync="nothing"), ValueError),
            (lambda: lamella.Logger(self.path("l"), LOG, rotate="nothing"), ValueError), (lambda: lamella.Logger(self.path("l"), LOG, partition="nothing"), lamella.Error),
            (lambda: lamella.Logger(self.path("l"), LOG, prefix=5), TypeError), (lambda: lamella.Logger(self.path("l"), LOG, when_full="nothing"), lamella.Error),
            (lambda: lamella.Logger(self.path("l"), LOG, memory_limit=5), lamella.Error), (lambda: lamella.Logger(self.path("l"), LOG, keep="nothing free"), ValueError),
            (lambda: lamella.Logger(self.path("l"), "message", journal=True), lamella.Error), (lambda: lamella.Logger(self.path("l"), LOG, metadata={1: 2}), TypeError),
            (lambda: lamella.Logger(self.path("l"), LOG, memory_limit=2**70), (OverflowError, ValueError)),
        ]:  # fmt: skip
            with self.subTest(use.__code__.co_firstlineno), self.assertRaises(kind):
                use()


LOG = "message m { required int64 n; }"

# Asks a file for everything; what it raises is one of a few kinds, with members of their types.
ASK = '''
import faulthandler, io, os, random, sys, threading, time
import lamella
KINDS = (lamella.Error, OSError, MemoryError, RecursionError, OverflowError, UnicodeDecodeError, ValueError)
def guard(use):
    try:
        return use()
    except KINDS as error:
        if isinstance(error, lamella.Error):
            assert error.code is None or error.code and isinstance(error.code, str)
            for name in ("row_group", "column", "row", "offset"):
                assert getattr(error, name) is None or getattr(error, name) >= 0
        str(error), repr(error)
def drain(scan):
    lamella.write(io.BytesIO(), scan)
def rows_of(scan):
    for number, row in enumerate(scan):
        if number == 300:
            break
def describe(file):
    file.metadata, file.created_by, file.known_faults, repr(file), file._repr_html_(), str(file.schema)
    for i in range(len(file.row_groups)):
        for column in file.columns[:20]:
            guard(lambda: column.chunk(i))
            guard(lambda: column.pages(i)[:3])
def asks(source, threads):
    file = guard(lambda: lamella.open(source, threads=threads))
    if file is None or file.rows > 10**6:
        return []
    paths = [column.path for column in file.columns][:5]
    return [lambda: drain(file), lambda: rows_of(file), lambda: file.limit(100).to_pylist(), lambda: file.check(), lambda: describe(file),
            lambda: file.select(*paths[:1]).to_pylist() if file.rows < 10**4 else 0, *(lambda path=path: file.levels(path) if file.rows < 10**4 else 0 for path in paths),
            *(lambda path=path: rows_of(file.where([(path, "!=", 5)])) for path in paths[:2]), lambda: file.__arrow_c_schema__()]
'''


class Damaged(cases.Case):
    def test_files_of_others(self):
        folders = [os.path.join(cases.SHARED, name) for name in ("parquet-testing", "hostile")]
        if not all(os.path.isdir(folder) for folder in folders):
            self.skipTest("no shared data")
        self.good(ASK + '''
paths = [os.path.join(place, name) for folder in sys.argv[2:] for place, _, names in os.walk(folder) for name in names
         if not name.endswith((".md", ".txt", ".json"))]
source = random.Random(int(sys.argv[1]))
jobs = []
for path in paths:
    if os.path.getsize(path) < 2_000_000:
        with open(path, "rb") as file:
            data = file.read()
        given = source.choice([path, data, io.BytesIO(data)])
        jobs += [(path, use) for use in asks(given, source.choice((1, 2)))]
source.shuffle(jobs)
print(len(paths), len(jobs), flush=True)
failures = []
def work():
    while jobs:
        try:
            path, use = jobs.pop()
        except IndexError:
            return
        begin = time.monotonic()
        try:
            guard(use)
        except BaseException as error:
            failures.append((path, use.__code__.co_firstlineno, error))
        if time.monotonic() - begin > 5:
            print(path, use.__code__.co_firstlineno, time.monotonic() - begin, flush=True)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
''', cases.SEED, *folders, timeout=180)

    def test_bytes_that_were_changed(self):
        self.good(ASK + f'''
source = random.Random(int(sys.argv[1]))
ROWS = [{{"a": i, "s": f"text {{i % 7}}", "l": [i, None], "x": i / 3, "v": i if i % 2 else {{"k": str(i)}}}} for i in range(300)]
file = io.BytesIO()
lamella.write(file, ROWS, row_group_rows=100, page_rows=30, compression="none", bloom="s")
DATA = file.getvalue()
footer = int.from_bytes(DATA[-8:-4], "little") + 8
for number in range({cases.rounds(800)}):
    data = bytearray(DATA)
    for _ in range(source.choice((1, 1, 3))):
        place = source.choice((source.randrange(len(data)), len(data) - 1 - source.randrange(footer)))
        data[place] = source.choice((source.randrange(256), data[place] ^ 1 << source.randrange(8), 255))
    if source.random() < 0.1:
        del data[source.randrange(len(data)):]
    jobs = asks(source.choice((bytes, io.BytesIO))(data), source.choice((1, 2)))
    threads = [threading.Thread(target=lambda: [guard(use) for use in jobs]) for _ in range(2)]
    failures = []
    threading.excepthook = lambda what: failures.append(what)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, (number, failures)
''', cases.SEED, timeout=120)


if __name__ == "__main__":
    cases.main()
