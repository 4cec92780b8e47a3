# SPDX-License-Identifier: Apache-2.0
"""Nothing hangs, leaks or crashes: sources and targets in Python that are slow, raise or lie, threads, consumers that hold
the GIL, streams that are dropped, signals, forks, memory that fails, an interpreter that ends.

Usage: hang.py EXTENSION [CASE ...]. Each case is a process of its own, which is killed after a time.
"""

import os
import unittest

import cases

# What the programs of all cases begin with: a table, its file in memory, and sources that read it.
BEGIN = '''
import faulthandler, gc, io, os, random, sys, threading, time
import lamella
ROWS = 3000
RANDOM = random.Random(int(os.environ["LAMELLA_SEED"]))
DICTS = [{"a": i, "s": f"text {i % 7}", "l": [i, None], "x": i / 3} for i in range(ROWS)]
file = io.BytesIO()
lamella.write(file, DICTS, row_group_rows=500, page_rows=100, compression="snappy")
DATA = file.getvalue()
PATH = sys.argv[1]
with open(PATH, "wb") as file:
    file.write(DATA)

class File:
    """What may be read with read and seek alone, in Python, which gives up the GIL now and then."""
    def __init__(self, data=DATA):
        self.data, self.place = data, 0
    def seek(self, offset, whence=0):
        self.place = offset + (0, self.place, len(self.data))[whence]
        return self.place
    def tell(self):
        return self.place
    def read(self, size=-1):
        time.sleep(0)
        begin = self.place
        self.place = len(self.data) if size < 0 else min(begin + size, len(self.data))
        return self.data[begin:self.place]

def files():
    made = {"path": lambda: PATH, "bytes": lambda: DATA, "BytesIO": lambda: io.BytesIO(DATA), "File": File,
            "open": lambda: open(PATH, "rb"), "raw": lambda: open(PATH, "rb", buffering=0)}
    try:
        import fsspec
        made["fsspec"] = lambda: fsspec.filesystem("file").open(PATH)
    except ImportError:
        pass
    return made

def drain(source, **options):
    """Reads a stream without another library."""
    lamella.write(io.BytesIO(), lamella.read(source, **options))
'''

CONSUMERS = {
    "pyarrow": ("pyarrow", "count = library.table(scan).num_rows"),
    "pyarrow batches": ("pyarrow", "count = sum(len(b) for b in library.RecordBatchReader.from_stream(scan))"),
    "Polars": ("polars", "count = len(library.DataFrame(scan))"),
    "DuckDB": ("duckdb", "count = library.sql('select count(a + x) from scan').fetchall()[0][0]"),
    "pandas": ("pandas", "count = len(library.DataFrame.from_arrow(scan))"),
    "nanoarrow": ("nanoarrow", "count = len(library.Array(scan))"),
    "arro3": ("arro3.core", "count = library.Table.from_arrow(scan).num_rows"),
    "DataFusion": ("datafusion", "count = library.SessionContext().from_arrow(scan).count()"),
    "lamella": ("lamella", "out = io.BytesIO(); library.write(out, scan); count = library.open(out).rows"),
    "rows": ("lamella", "count = sum(1 for row in scan)"),
}


class Case(cases.Case):
    def run_program(self, text, *arguments, timeout=60):
        return self.good(BEGIN + text, self.path("rows.parquet"), *arguments, timeout=timeout,
                         environment={"LAMELLA_SEED": str(cases.SEED)})


class Consumers(Case):
    """Each consumer, of each source, with each number of threads."""

    def consume(self, name):
        library, count = CONSUMERS[name]
        program = f'''
import importlib
try:
    library = importlib.import_module("{library}")
except ImportError as error:
    print("skipped:", error)
    sys.exit()
for name, make in files().items():
    for threads in (1, 2, 4):
        print(name, threads, flush=True)
        for options in ({{}}, {{"where": "a >= 0"}}):
            scan = lamella.read(make(), threads=threads, **options)
            for turn in range(2):  # a stream is read anew
                {count}
                assert count == ROWS, (name, threads, options, count)
        several = scan = lamella.scan([make(), make(), DATA], threads=threads)
        {count}
        assert count == 3 * ROWS, (name, threads, count)
'''
        output = self.run_program(program, timeout=90)
        if output.startswith("skipped"):
            self.skipTest(output.strip())


for _name in CONSUMERS:
    setattr(Consumers, "test_" + _name.replace(" ", "_"), lambda self, name=_name: self.consume(name))


class Leaks(Case):
    """A thousand streams, opened and dropped half-read."""

    def test_streams(self):
        self.run_program('''
import pyarrow
def half(scan, rows):
    for batch in pyarrow.RecordBatchReader.from_stream(scan):
        rows -= len(batch)
        if rows < 0:
            return batch
def uses(source):
    scan = lamella.scan(source, threads=RANDOM.choice((1, 2)))
    yield lambda: half(scan, RANDOM.randrange(ROWS))
    yield lambda: scan.__arrow_c_stream__()
    yield lambda: scan.select("a").where("a > 5").__arrow_c_stream__()
    yield lambda: pyarrow.schema(scan)
    yield lambda: scan.__arrow_c_schema__()
    yield lambda: [next(rows) for rows in [iter(scan)] for _ in range(RANDOM.randrange(9))]
    yield lambda: scan.where("a > 9").limit(3).to_pylist()
    yield lambda: scan.schema
    yield lambda: pyarrow.RecordBatchReader.from_stream(scan).schema
def failing(source):
    yield lambda: lamella.scan(source, where="nothing = 5").to_pylist()
    yield lambda: lamella.scan(source, columns=["nothing"]).__arrow_c_stream__()
    yield lambda: lamella.read(b"PAR1" + bytes(20) + b"PAR1")
    yield lambda: lamella.read(source, where="a = ").to_pylist()
    file = lamella.open(source)
    yield lambda: file.column("nothing")
    yield lambda: file._dataset.chunk(99, 0)
    yield lambda: file._dataset.pages(0, 99)
    yield lambda: file.levels("l")
def details(source):
    file = lamella.open(source)
    yield lambda: file.check()
    yield lambda: [column.chunks for column in file.columns]
    yield lambda: file.columns[0].pages(0)
    yield lambda: file.levels("a")
    yield lambda: file.row_groups
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
def state(source):
    gc.collect()
    return len(os.listdir("/proc/self/fd")), threading.active_count(), sys.getrefcount(source), resident(), len(gc.get_objects())
sources = {name: make() for name, make in files().items()}
for name, source in sources.items():
    for kind, count, fails in ((uses, 100, False), (failing, 50, True), (details, 20, False)):
        def go(times):
            for number in range(times):
                for use in kind(source):
                    try:
                        use()
                        assert not fails
                    except (lamella.Error, IndexError) as error:
                        assert fails, error
        go(20)
        before = state(source)
        go(count)
        after = state(source)
        assert after[:3] == before[:3], (name, kind, before, after)
        assert after[3] - before[3] < 6 << 20, (name, kind, before, after)
        assert after[4] - before[4] < 50, (name, kind, before, after)
''', timeout=150)

    def test_writers(self):
        self.run_program('''
def state(*objects):
    gc.collect()
    return [len(os.listdir("/proc/self/fd")), len(gc.get_objects()), *map(sys.getrefcount, objects)]
class Target:
    def write(self, data):
        pass
text = "some text"
target, row, schema = Target(), {"a": 1, "s": text, "l": [1]}, str(lamella.read(DATA).schema)
def go(times):
    for number in range(times):
        for out in (PATH + ".out", target):
            writer = lamella.Writer(out, schema, metadata={"k": text})
            for i in range(number % 5):
                writer.write(row)
                writer.write([row, row])
                try:
                    writer.write({**row, "b": 1})
                except lamella.Error:
                    pass
                try:
                    writer.write({**row, "l": (1, "x")})
                except TypeError:
                    pass
            writer.write(lamella.read(DATA))
            (writer.close, writer.abandon, lambda: None)[number % 3]()
go(6)
before = state(target, row, schema, text)
go(60)
after = state(target, row, schema, text)
assert after[0] == before[0] and after[1] - before[1] < 50 and after[2:] == before[2:], (before, after)
''')

    def test_rows_and_values(self):
        # Each object that values become or come from is given back.
        self.run_program('''
import datetime, decimal, uuid
values = {"d": datetime.date(2020, 1, 2), "t": datetime.datetime(2020, 1, 2, 3), "z": datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc),
          "c": datetime.time(1, 2), "n": decimal.Decimal("1.5"), "u": uuid.UUID(int=5), "b": b"bytes", "s": "a text", "f": 0.1, "i": 2**50,
          "v": [{"x": decimal.Decimal("2.5")}, None], "w": 5}
rows = [values, {**values, "v": 5, "w": {"k": datetime.date(2021, 1, 1), "m": [uuid.UUID(int=1)]}}]
def go(times):
    for _ in range(times):
        out = io.BytesIO()
        lamella.write(out, rows)
        back = lamella.read(out).to_pylist()
        assert back == rows, back
        for wrong in ({"d": "x"}, {"n": 1.5}, {"u": "x"}, {"t": values["z"]}, {"s": b""}):
            try:
                lamella.write(io.BytesIO(), [{**values, **wrong}], schema=str(lamella.read(out).schema))
                assert False, wrong
            except TypeError:
                pass
def state():
    gc.collect()
    return sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else 0, [sys.getrefcount(v) for v in values.values()], len(gc.get_objects()), sys.getallocatedblocks()
go(200)
before = state()
go(600)
after = state()
assert before[1] == after[1] and after[2] - before[2] < 20 and after[3] - before[3] < 500, (before, after)
''')

    def test_arrays_outlive_all(self):
        self.run_program('''
import pyarrow
def arrays(source):
    batches = list(pyarrow.RecordBatchReader.from_stream(lamella.read(source, threads=2)))
    return batches
for name, make in files().items():
    kept = arrays(make())
    gc.collect()
    rows = [row for batch in kept for row in batch.to_pylist()]
    assert rows == DICTS, name
data = bytearray(DATA)
stream = lamella.read(data).__arrow_c_stream__()
try:
    data.clear()  # a buffer that is exported
    assert False
except BufferError:
    pass
del stream
gc.collect()
data.clear()
''')


class Threads(Case):
    def test_one_file_of_many_threads(self):
        self.run_program('''
failures = []
for name, make in files().items():
    file = lamella.open(make(), threads=2)
    scan = lamella.scan(make(), threads=2)
    wanted = file.check(), file.levels("l.list.element"), [column.chunks for column in file.columns], file.columns[1].pages(2), file.row_groups
    def work(number):
        try:
            source = random.Random(number)
            for _ in range(15):
                what = source.randrange(8)
                if what == 0:
                    assert file.check() == wanted[0]
                elif what == 1:
                    assert file.levels("l.list.element") == wanted[1]
                elif what == 2:
                    assert [column.chunks for column in file.columns] == wanted[2]
                elif what == 3:
                    assert file.columns[1].pages(2) == wanted[3]
                elif what == 4:
                    assert (file if number % 2 else scan).to_pylist() == DICTS
                elif what == 5:
                    assert list(scan.where("a >= 0")) == DICTS
                elif what == 6:
                    drain(scan.limit(1000)._dataset and make(), threads=2)
                else:
                    out = io.BytesIO()
                    lamella.write(out, scan)
                    assert lamella.open(out).rows == ROWS
        except BaseException as error:
            failures.append((name, number, what, error))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
''', timeout=120)

    def test_one_file_object_of_many_scans(self):
        self.run_program('''
for name, make in files().items():
    source, failures = make(), []
    def work():
        try:
            for _ in range(10):
                assert lamella.read(source, threads=2).to_pylist() == DICTS
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=work) for _ in range(4)]
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, (name, failures[0])
''')

    def test_one_iterator_of_many_threads(self):
        self.run_program('''
for name, make in files().items():
    for where in (None, "a >= 0"):
        rows, taken, refused = iter(lamella.scan(make(), where=where)), [], []
        def work():
            while True:
                try:
                    taken.append(next(rows))
                except StopIteration:
                    return
                except ValueError:
                    refused.append(1)
        threads = [threading.Thread(target=work) for _ in range(4)]
        sys.setswitchinterval(1e-5)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(row["a"] for row in taken) == list(range(ROWS)), (name, len(taken))
''')

    def test_one_writer_of_many_threads(self):
        self.run_program('''
import pyarrow
table = pyarrow.table(lamella.read(DATA))
for out in (PATH + ".out", None):
    target = io.BytesIO() if out is None else out
    writer = lamella.Writer(target, table.schema, row_group_rows=700)
    done = [0] * 4
    def work(number):
        for turn in range(60):
            try:
                if number % 2:
                    writer.write(DICTS[turn])
                    done[number] += 1
                else:
                    writer.write(table.slice(turn, 100))
                    done[number] += 100
            except lamella.Error as error:
                assert "another thread" in str(error), error
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert lamella.open(target).rows == sum(done) == writer.rows, (writer.rows, done)
''')

    def test_forks(self):
        self.run_program('''
for name, make in files().items():
    if name in ("open", "fsspec", "raw"):
        continue  # their places in the file are those of both processes
    scan = lamella.read(make(), threads=2)
    drain(make(), threads=2)
    rows = iter(scan)
    next(rows)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            assert scan.to_pylist() == DICTS
            assert len(list(rows)) == ROWS - 1
            drain(make(), threads=2)
            lamella.open(make()).check()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0, name
    assert len(list(rows)) == ROWS - 1
''')

    def test_the_interpreter_ends_meanwhile(self):
        for what in ["drain(make(), threads=2)", "lamella.read(make()).to_pylist()", "lamella.read(make(), where='a > 5').to_pylist()",
                     "lamella.open(make()).check()", "lamella.write(io.BytesIO(), DICTS)",
                     "log = lamella.Logger(PATH + str(number)); [log.log(row) for row in DICTS[:50]]"]:
            self.run_program(f'''
kept = []
def work(number, make):
    while True:
        {what}
for number, make in enumerate(files().values()):
    threading.Thread(target=work, args=(number, make), daemon=True).start()
    kept += [lamella.read(make()).__arrow_c_stream__(), iter(lamella.read(make())), lamella.Writer(io.BytesIO(), lamella.read(DATA).schema)]
    next(kept[-2])
time.sleep(0.2)
''')


class Liars(Case):
    """File objects that raise, or give something else than was asked."""

    def test_reading(self):
        self.run_program('''
class Trouble(Exception):
    pass
class Liar(File):
    def __init__(self, lie, after):
        super().__init__()
        self.lie, self.left = lie, after
    def read(self, size=-1):
        self.left -= 1
        data = super().read(size)
        return self.lie(data, size) if self.left < 0 else data
def raise_it(data, size):
    raise Trouble("a reason")
def raise_error(data, size):
    raise lamella.CorruptError("a reason")
LIES = {"raises": raise_it, "raises Error": raise_error, "nothing": lambda data, size: b"", "None": lambda data, size: None,
        "too much": lambda data, size: data + b"more", "far too much": lambda data, size: bytes(1 << 20), "text": lambda data, size: "x" * size,
        "a number": lambda data, size: size, "a huge number": lambda data, size: 1 << 60, "a list": lambda data, size: list(data),
        "numbers": lambda data, size: memoryview(bytes(size * 4)).cast("i"), "zeros": lambda data, size: bytes(len(data)),
        "other bytes": lambda data, size: bytes(x ^ 255 for x in data)}
USES = {"open": lambda source, threads: lamella.open(source), "rows": lambda source, threads: lamella.read(source).to_pylist(),
        "filter": lambda source, threads: lamella.read(source, where="s = 'text 1'").to_pylist(),
        "drain": lambda source, threads: drain(source, threads=threads), "check": lambda source, threads: lamella.open(source).check(),
        "levels": lambda source, threads: lamella.open(source).levels("s"),
        "pages": lambda source, threads: [c.pages(g) for c in lamella.open(source).columns for g in range(6)],
        "chunks": lambda source, threads: [c.chunks for c in lamella.open(source).columns]}
for lie_name, lie in LIES.items():
    for use_name, use in USES.items():
        for threads in (1, 2):
            for after in (0, 1, 2, 3, 5, 9):
                what = (lie_name, use_name, threads, after)
                liar = Liar(lie, after)
                try:
                    use(liar, threads)
                    # Few reads; bytes that nobody looks at; a check says what it finds.
                    assert liar.left >= 0 or lie_name in ("zeros", "other bytes") or use_name == "check", what
                except Trouble as error:
                    assert lie_name == "raises" and str(error) == "a reason", what
                except lamella.Error as error:
                    assert lie_name in ("raises Error", "zeros", "other bytes"), (what, error)
                    assert lie_name != "raises Error" or "a reason" in str(error), (what, error)
                except (OSError, TypeError) as error:  # a stream has no more than a text
                    assert lie_name not in ("raises", "raises Error") or use_name == "drain" and "a reason" in str(error), (what, error)
                # Whatever was raised is forgotten.
                liar.left = 1 << 30
                if use_name in ("drain", "rows", "filter"):
                    use(liar, threads)
print("done")
''', timeout=120)

    def test_sizes_and_places(self):
        self.run_program('''
class Raises(File):
    def seek(self, *arguments):
        raise OSError(5, "a reason")
class Nowhere(File):
    def seek(self, offset, whence=0):
        super().seek(offset, whence)  # as some do
class Negative(File):
    def seek(self, offset, whence=0):
        return super().seek(offset, whence) - (1 << 40)
class Huge(File):
    def seek(self, offset, whence=0):
        return super().seek(offset, whence) + (1 << 62)
class TooHuge(File):
    def seek(self, offset, whence=0):
        return super().seek(offset, whence) + (1 << 70)
class Text(File):
    def seek(self, offset, whence=0):
        return "x"
class Short(File):
    def seek(self, offset, whence=0):
        return super().seek(offset, whence) // 2
class Once(File):
    """Reads a few bytes at a time."""
    def read(self, size=-1):
        return super().read(min(size, 7) if size >= 0 else -1)
for source, good in ((Nowhere(), True), (Once(), True), (Raises(), False), (Negative(), False), (Huge(), False), (TooHuge(), False), (Text(), False), (Short(), False)):
    try:
        assert lamella.read(source).to_pylist() == DICTS and good, source
    except (lamella.Error, OSError, TypeError, ValueError, OverflowError) as error:
        assert not good, (source, error)
class Closing(File):
    def seek(self, offset, whence=0):
        if self.data is None:
            raise ValueError("I/O operation on closed file.")
        return super().seek(offset, whence)
    def read(self, size=-1):
        if self.data is None:
            raise ValueError("I/O operation on closed file.")
        return super().read(size)
for make in (Closing, lambda: io.BytesIO(DATA), lambda: open(PATH, "rb")):
    for use in (lambda scan: scan.to_pylist(), lambda scan: lamella.write(io.BytesIO(), scan), lambda scan: lamella.open(source).check()):
        source = make()
        scan = lamella.read(source)
        rows = iter(scan)
        next(rows)
        if isinstance(source, Closing):
            source.data = None
        else:
            source.close()
        for use in (use, lambda scan: list(rows), lambda scan: list(scan)):
            try:
                use(scan)
                assert False, source
            except (ValueError, OSError, lamella.Error) as error:
                assert "closed" in str(error), error
class Meanwhile(File):
    """Uses the library while it is asked."""
    def read(self, size=-1):
        lamella.read(DATA, limit=3).to_pylist()
        drain(DATA, threads=2)
        return super().read(size)
for threads in (1, 2):
    assert lamella.read(Meanwhile(), threads=threads).to_pylist() == DICTS
    drain(Meanwhile(), threads=threads)
class Itself(File):
    """Reads on in the iterator that asks."""
    rows = iter(())
    def read(self, size=-1):
        try:
            next(self.rows)
        except (ValueError, StopIteration):
            pass
        return super().read(size)
for where in (None, "a >= 0"):
    source = Itself()
    Itself.rows = iter(lamella.scan(source, where=where))
    assert len(list(Itself.rows)) <= ROWS
''')

    def test_writing(self):
        self.run_program('''
class Trouble(Exception):
    pass
class Target:
    def __init__(self, answer, after):
        self.data, self.answer, self.left, self.failed = bytearray(), answer, after, False
    def write(self, data):
        assert isinstance(data, bytes) and not self.failed
        self.left -= 1
        if self.left >= 0:
            self.data += data
            return None
        return self.answer(self, data)
def raises(target, data):
    target.failed = True
    raise Trouble("a reason")
def few(target, data):
    target.data += data[:3]
    return min(3, len(data))
def wrong(number):
    def answer(target, data):
        target.failed = True
        return number(data)
    return answer
ANSWERS = {"raises": raises, "few": few, "none": wrong(lambda data: 0), "negative": wrong(lambda data: -1), "more": wrong(lambda data: len(data) + 1),
           "huge": wrong(lambda data: 1 << 80)}
WAYS = {"rows": lambda target: lamella.write(target, DICTS, row_group_rows=500), "stream": lambda target: lamella.write(target, lamella.read(DATA)),
        "writer": lambda target: writer_of(target)}
def writer_of(target):
    with lamella.Writer(target, lamella.read(DATA).schema, row_group_rows=300) as writer:
        writer.write(lamella.read(DATA))
        writer.end_row_group()
for name, answer in ANSWERS.items():
    for way, write in WAYS.items():
        for after in (0, 1, 2, 7, 10**9):
            target = Target(answer, after)
            try:
                write(target)
                assert name == "few" or target.left >= 0, (name, way, after)
                assert lamella.read(bytes(target.data)).to_pylist() == DICTS
            except Trouble as error:
                assert name == "raises" and str(error) == "a reason"
            except (OSError, OverflowError) as error:
                assert name not in ("raises", "few"), (name, way, after, error)
for target in (object(), 5, None, type("T", (), {"write": 5})(), PATH + "/nowhere/x.parquet"):
    try:
        lamella.write(target, DICTS)
        assert False, target
    except (TypeError, OSError):
        pass
with open(PATH + ".raw", "wb", buffering=0) as raw:
    lamella.write(raw, DICTS)
assert lamella.read(PATH + ".raw").to_pylist() == DICTS
closed = io.BytesIO()
closed.close()
try:
    lamella.write(closed, DICTS)
    assert False
except ValueError:
    pass
# A stream that fails, or raises, midway.
import pyarrow
def batches():
    yield from pyarrow.table(lamella.read(DATA)).to_batches()[:2]
    raise Trouble("a reason")
reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema(lamella.read(DATA)), batches())
try:
    lamella.write(PATH + ".out", reader)
    assert False
except (lamella.Error, OSError, Trouble) as error:
    assert "a reason" in str(error), error
assert not os.path.exists(PATH + ".out")
class NoStream:
    def __arrow_c_stream__(self, requested_schema=None):
        raise Trouble
for data, kind in ((NoStream(), Trouble), (type("S", (), {"__arrow_c_stream__": lambda self, requested_schema=None: 5})(), (TypeError, ValueError)),
                   (type("S", (), {"__arrow_c_array__": lambda self, requested_schema=None: (5, 6)})(), (TypeError, ValueError))):
    try:
        lamella.write(PATH + ".out", data)
        assert False
    except kind:
        pass
assert not os.path.exists(PATH + ".out")
# A stream that was taken is empty, and no crash.
stream = lamella.read(DATA).__arrow_c_stream__()
class Given:
    def __arrow_c_stream__(self, requested_schema=None):
        return stream
assert pyarrow.table(Given()).num_rows == ROWS
for again in (lambda: lamella.write(PATH + ".out", Given()), lambda: lamella.Writer(PATH + ".out", lamella.read(DATA).schema).write(Given())):
    try:
        again()
        assert False
    except (lamella.Error, ValueError):
        pass
''')


class Signals(Case):
    """A signal whose handler raises ends any long call within 100 ms, in one of five tries: machines are busy."""

    BEGIN = '''
import signal
import pyarrow
N = 2_000_000
def texts(size):
    offsets = pyarrow.py_buffer(memoryview(bytes(b"".join((i * size).to_bytes(4, "little") for i in range(N + 1)))))
    return pyarrow.StringArray.from_buffers(N, offsets, pyarrow.py_buffer(os.urandom(N * size // 2).hex().encode()))
TABLE = pyarrow.table({"a": pyarrow.array(range(N)), "s": texts(32), "t": texts(64)})
BIG = PATH + ".big"
lamella.write(BIG, TABLE, compression="none", row_group_rows=N)
with open(BIG, "rb") as file:
    BYTES = file.read()
WHERE = "s = '1' or t = '2' or s = '3' or t = '4'"
class Raised(Exception):
    pass
def handler(number, frame):
    raise Raised
def expect(name, use, kind):
    took = []
    for turn in range(5):
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            try:
                use()
                took.append("it ended")
                time.sleep(0.2)
            except kind:
                raise
            except Exception as error:  # of a consumer, before the handler's
                ended = time.monotonic()
                while time.monotonic() - ended < 0.2:
                    pass
                raise AssertionError(name, kind) from error
        except kind:
            took.append(time.monotonic() - begin - 0.05)
            if took[-1] < 0.1:
                break
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    else:
        raise AssertionError((name, kind, took))
    print(name, took, flush=True)
def both(name, use, of_source=False):
    for kind, raises in ((KeyboardInterrupt, signal.default_int_handler), (Raised, handler)):
        # What a handler raises inside of a source's read is taken for the source's own, unless it is no Exception.
        if not (of_source and kind is Raised):
            signal.signal(signal.SIGALRM, raises)
            expect(name, use, kind)
'''

    def test_reading(self):
        self.run_program(self.BEGIN + '''
for threads in (1, 2):
    for name, source in (("path", BIG), ("bytes", BYTES), ("BytesIO", io.BytesIO(BYTES)), ("File", File(BYTES))):
        of_source = name in ("BytesIO", "File")
        both(f"table of {name} {threads}", lambda: pyarrow.table(lamella.read([source] * 5, threads=threads)), of_source)
        both(f"filter of {name} {threads}", lambda: pyarrow.table(lamella.read(source, where=WHERE, threads=threads)), of_source)
''', timeout=120)

    def test_rows(self):
        self.run_program(self.BEGIN + '''
for name, source in (("path", BIG), ("bytes", BYTES), ("BytesIO", io.BytesIO(BYTES))):
    of_source = name == "BytesIO"
    both(f"to_pylist of {name}", lambda: lamella.read(source).to_pylist(), of_source)
    both(f"rows of {name}", lambda: [0 for row in lamella.read(source)], of_source)
    both(f"filtered rows of {name}", lambda: lamella.read(source, where=WHERE).to_pylist(), of_source)
    both(f"levels of {name}", lambda: lamella.open(source).levels("t"), of_source)
    both(f"check of {name}", lambda: lamella.open(source).check(), of_source)
long = io.BytesIO()
lamella.write(long, [{"l": list(range(4_000_000))}])
both("a long list", lambda: lamella.read(long).to_pylist())
''', timeout=120)

    def test_writing(self):
        self.run_program(self.BEGIN + '''
rows = [{"a": i, "s": str(i)} for i in range(1_000_000)]
schema = "message m { optional int64 a; optional binary s (STRING); }"
for name, target in (("path", lambda: PATH + ".out"), ("BytesIO", io.BytesIO)):
    both(f"a table to {name}", lambda: lamella.write(target(), TABLE, compression="zstd"))
    both(f"a long batch to {name}", lambda: lamella.write(target(), TABLE.combine_chunks().to_batches()[0], compression="zstd"))
    both(f"rows to {name}", lambda: lamella.write(target(), rows, schema=schema, compression="zstd"))
    both(f"inferred rows to {name}", lambda: lamella.write(target(), rows))
    both(f"a file to {name}", lambda: lamella.write(target(), lamella.read([BIG] * 4), compression="zstd"))
assert not [found for found in os.listdir(os.path.dirname(PATH)) if ".out" in found], os.listdir(os.path.dirname(PATH))
''', timeout=120)

    def test_other_threads_go_on(self):
        # The GIL is free in long calls: another thread sleeps for a millisecond, and is woken within 50 in the middle.
        self.run_program(self.BEGIN + '''
USES = {"table": lambda: pyarrow.table(lamella.read(BIG)), "filter": lambda: pyarrow.table(lamella.read(BIG, where=WHERE)),
        "rows": lambda: lamella.read(BIG, limit=200_000).to_pylist(), "filtered rows": lambda: lamella.read(BIG, where=WHERE).to_pylist(),
        "levels": lambda: lamella.open(BIG).levels("s"), "check": lambda: lamella.open(BIG).check(), "write": lambda: lamella.write(PATH + ".out", TABLE),
        "open": lambda: lamella.open([BIG][0]), "write rows": lambda: lamella.write(PATH + ".out", [{"a": 1}] * 300_000, schema="message m { optional int64 a; }")}
for name, use in USES.items():
    gaps, ended = [], threading.Event()
    def beat():
        before = time.monotonic()
        while not ended.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - before)
            before = now
    gc.disable()
    for turn in range(3):
        gaps, ended = [], threading.Event()
        thread = threading.Thread(target=beat)
        thread.start()
        begin = time.monotonic()
        use()
        took = time.monotonic() - begin
        ended.set()
        thread.join()
        gaps.sort()
        if not gaps or took < 0.1 or gaps[-1] < max(0.05, took / 4):
            break
    else:
        raise AssertionError((name, took, gaps[-5:]))
    print(name, round(took, 3), gaps[-3:])
''', timeout=120)


class Memory(Case):
    """Memory ends: an exception, and nothing worse."""

    def test_limits(self):
        self.run_program('''
import resource
def size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
wide = io.BytesIO()
lamella.write(wide, [{"s": "x" * 50000, "l": list(range(1000))} for i in range(300)], dictionary=False, compression="zstd")
rows = [{"s": "x" * 50000, "l": list(range(1000))} for i in range(100)]
USES = {"rows": lambda: lamella.read(wide).to_pylist(), "drain": lambda: drain(wide), "drain of 2": lambda: drain(wide, threads=2),
        "filter": lambda: lamella.read(wide, where="s > 'a'").to_pylist(), "write": lambda: lamella.write(PATH + ".out", rows),
        "check": lambda: lamella.open(wide).check(), "levels": lambda: lamella.open(wide).levels("l.list.element"),
        "log": lambda: log()}
def log():
    with lamella.Logger(PATH + ".log", journal=True) as log:
        for row in rows:
            log.log(row)
failed = 0
for name, use in USES.items():
    use()
    gc.collect()
    for more in [0, 1, 1 << 16, 1 << 18, 1 << 20, 1 << 21, 3 << 20, 1 << 22, 6 << 20, 1 << 23, 1 << 24, 1 << 25, 1 << 27]:
        print(name, more, flush=True)
        resource.setrlimit(resource.RLIMIT_AS, (size() + more, resource.RLIM_INFINITY))
        try:
            use()
        except (MemoryError, lamella.Error, OSError, RuntimeError):  # no thread can be started
            failed += 1
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    gc.collect()
    use()
print(failed)
assert failed > 0
''', timeout=120)

    def test_allocations_of_python(self):
        # Each allocation of the interpreter fails in turn, where it can be told to; not those of the states of new threads,
        # without which it crashes by itself.
        self.run_program('''
try:
    import _testcapi
except ImportError:
    sys.exit()
import datetime, decimal, uuid
row = {"a": 1, "s": "x", "d": datetime.datetime(2020, 1, 2), "n": decimal.Decimal("1.5"), "u": uuid.UUID(int=1), "l": [{"b": b"x"}], "v": None}
rows = [{**row, "v": 1}, {**row, "v": {"x": [decimal.Decimal("2.5"), "t"]}}]
out = io.BytesIO()
lamella.write(out, rows)
data, message = out.getvalue(), str(lamella.read(out).schema)
def write():
    lamella.write(PATH + ".out", rows, schema=message)
def log():
    with lamella.Logger(PATH + ".log", message) as log:
        log.log(rows[0])
        log.info()
USES = {"read": lambda: lamella.read(data).to_pylist(), "write": write,
        "infer": lambda: lamella.write(PATH + ".out", rows), "stream": lambda: lamella.write(PATH + ".out", lamella.read(io.BytesIO(data), threads=1)), "check": lambda: lamella.open(data).check(),
        "levels": lambda: lamella.open(data).levels("s"), "chunks": lambda: [(c.chunks, c.pages(0)) for c in lamella.open(data).columns], "log": log}
for name, use in USES.items():
    use()
    failed = 0
    start = 0
    while start < 3000:
        done = False
        try:
            _testcapi.set_nomemory(start, start + 1)
            use()
            done = True
        except BaseException as error:
            kind = error
        finally:
            _testcapi.remove_mem_hooks()
        if not done:
            assert isinstance(kind, (MemoryError, lamella.Error, OSError, RuntimeError, AttributeError)) or name == "infer", (name, start, kind)
            failed += 1
        start += 1 + start // 60
    use()
    print(name, failed, flush=True)
''', timeout=150)


if __name__ == "__main__":
    cases.main()
