# SPDX-License-Identifier: Apache-2.0
"""Logs, and files that are recovered or appended to: every engine reads the rows that went in.

make_logs.c makes them. A log is cut at each of its checkpoint footers, which is a file with exactly the rows up
to there. Further arguments are folders of files of other writers, as old_writers makes them, which are appended to.
"""

import errno
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

import engines
import interop_write
import table
from table import Field, Leaf, List, Map, Struct

try:
    import arro3.io
except ImportError:
    arro3 = None
try:
    import pyarrow.dataset
    import pyarrow.parquet
except ImportError:  # engines skips the test
    pass

pa = engines.pyarrow
FILES = os.path.abspath(sys.argv[2])
FOLDERS = sys.argv[3:]
CALLS = os.environ.get("LAMELLA_FAILING_CALLS", "")  # tests/tools/failing_calls.c
CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4_raw"]
CORRUPT, UNSUPPORTED, DIED = 3, 4, 9


def read_arro3(path):
    return pa.table(arro3.io.read_parquet(path).read_all())


READERS = {
    "pyarrow": engines.read_pyarrow,
    "DuckDB": engines.read_duckdb,
    "Polars": engines.read_polars,
}
if arro3:
    READERS["arro3"] = read_arro3
# pyarrow has no arrays of the months that the Rust crate makes of an INTERVAL.
CANNOT = {**interop_write.CANNOT, "arro3": {"interval"}}


def run(*arguments, stdin=b""):
    """Status, standard output and standard error of make_logs."""
    done = subprocess.run([FILES, *arguments], input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def part_of(path):
    """What a log has of a file that is not finished."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f"_{name}.part")


def check(path):
    done = subprocess.run([engines.PROGRAM, "check", path], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def numbers(line):
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", line)}


def options_of(source):
    return [
        f"codec={source.choice(CODECS)}",
        f"page_version={source.choice('12')}",
        f"page_bytes={source.choice([1, 60, 1000, 1000000])}",
        f"row_group_rows={source.choice([0, 3, 10])}",
        f"checkpoint={source.choice([5, 9, 20])}",
        f"bloom={source.choice('01')}",
        f"journal={source.choice('01')}",
    ]


class LogTest(engines.EngineTest):
    def good(self, *arguments, stdin=b""):
        status, printed, errors = run(*arguments, stdin=stdin)
        self.assertEqual(status, 0, f"{errors}: {' '.join(arguments)}")
        return printed

    def new_folder(self):
        shutil.rmtree(self.path("x"), ignore_errors=True)
        os.mkdir(self.path("x"))
        return self.path("x/a.parquet")

    def text(self, schema, rows):
        return "".join(schema.to_text(row) + "\n" for row in rows).encode()

    def check(self, schema, rows, path, what):
        """Every engine reads these rows, in this order."""
        wanted = table.freeze(rows)
        for name, reader in READERS.items():
            fields = [field for field in schema.fields if not field.type.kinds() & CANNOT[name]]
            if len(fields) < len(schema.fields) and name != "DuckDB":
                continue
            if name == "DuckDB" and fields:
                found = engines.read_duckdb(path, [field.name for field in fields])
            elif fields:
                found = reader(path)
            else:
                continue
            found = table.freeze(table.rows_from_arrow(fields, found))
            self.compare(interop_write.some_columns(fields, wanted), found, f"{name}, {what}")

    def cut(self, path, size, name="x/cut.parquet"):
        with open(path, "rb") as file, open(self.path(name), "wb") as out:
            out.write(file.read(size))
        return self.path(name)


class Logs(LogTest):
    def log(self, source, end):
        """A log of random records: its schema, rows, path, and (rows, bytes) at each checkpoint."""
        schema = interop_write.random_schema(source)
        rows = [schema.random(source) for _ in range(source.randint(20, 60))]
        options = options_of(source)
        path = self.new_folder()
        what = f"{' '.join(options)}, {table.message(schema)}"
        printed = self.good(
            "log", path, table.message(schema), f"end={end}", *options, stdin=self.text(schema, rows)
        )
        checkpoints = [tuple(map(int, line.split())) for line in printed.splitlines()]
        return schema, rows, path, checkpoints, what, "journal=1" in options

    def test_every_engine_reads_a_log_and_each_cut_at_a_checkpoint(self):
        cuts = 0
        for seed in engines.seeds(7000, 40):
            schema, rows, path, checkpoints, what, _ = self.log(random.Random(seed), "finish")
            what = f"LAMELLA_SEED={seed}, {what}"
            self.check(schema, rows, path, what)
            self.assertEqual(os.listdir(self.path("x")), ["a.parquet"])
            for count, size in checkpoints:
                cut = self.cut(path, size)
                self.check(schema, rows[:count], cut, f"cut at {size}, {what}")
                cuts += 1
                os.remove(cut)
        print(f"{cuts} cuts, {', '.join(READERS)} ", end="", file=sys.stderr)

    def test_every_engine_reads_what_is_recovered(self):
        for seed in engines.seeds(8000, 40):
            source = random.Random(seed)
            schema, rows, path, checkpoints, what, has_journal = self.log(source, "nothing")
            what = f"LAMELLA_SEED={seed}, {what}"
            target = self.path("x/whole.parquet")
            kept = checkpoints[-1][0] if checkpoints else 0
            status, printed, errors = run("recover", part_of(path), target)
            if not has_journal and kept == 0:
                self.assertEqual(status, CORRUPT, f"{printed}{errors}{what}")
                continue
            self.assertEqual(status, 0, f"{errors}{what}")
            found = numbers(printed)
            # Without a journal the records of row groups that ended by their rows are there, too.
            got = found["rows"] + found["journal_rows"]
            self.assertGreaterEqual(got, len(rows) if has_journal else kept, what)
            self.check(schema, rows[:got], target, what)

    def test_a_log_that_is_cut_anywhere_recovers_its_checkpoints(self):
        for seed in engines.seeds(9000, 12):
            source = random.Random(seed)
            schema, rows, path, checkpoints, what, _ = self.log(source, "finish")
            for _ in range(12):
                size = source.randint(4, os.path.getsize(path))
                cut = self.cut(path, size, "x/_c.parquet.part")
                kept = max([count for count, end in checkpoints if end <= size], default=0)
                target = self.path("x/c.parquet")
                status, printed, errors = run("recover", cut, target)
                about = f"LAMELLA_SEED={seed}, cut at {size}, {errors}, {what}"
                if status == CORRUPT and kept == 0:
                    continue
                self.assertEqual(status, 0, about)
                got = numbers(printed)["rows"]
                self.assertGreaterEqual(got, kept, about)
                self.check(schema, rows[:got], target, about)
                os.remove(target)


    def log_with_failure(self, schema, rows, options, does="", at=0, stays=False):
        """Logs while a system call goes wrong: status, (rows, bytes) at each checkpoint, errors, calls."""
        path = self.new_folder()
        names = self.path("x/names")
        variables = {"LD_PRELOAD": CALLS, "LAMELLA_CALL_DOES": does, "LAMELLA_CALL_AT": str(at),
                     "LAMELLA_CALL_NAMES": names}  # fmt: skip
        if stays:
            variables["LAMELLA_CALL_STAYS"] = "1"
        done = subprocess.run(
            [FILES, "log", "a.parquet", table.message(schema), "end=finish", *options],
            input=self.text(schema, rows), capture_output=True, check=False, cwd=os.path.dirname(path),
            env={**os.environ, **variables},
        )  # fmt: skip
        with open(names) as file:
            calls = len(file.read().split())
        os.remove(names)
        checkpoints = [tuple(map(int, line.split())) for line in done.stdout.decode().splitlines()]
        return done.returncode, checkpoints, done.stderr.decode(), calls

    @unittest.skipUnless(CALLS, "LAMELLA_FAILING_CALLS does not name what failing_calls.c makes")
    def test_every_engine_reads_the_last_checkpoint_of_a_log_that_failed(self):
        failed = 0
        for seed in engines.seeds(10000, 10):
            source = random.Random(seed)
            schema = interop_write.random_schema(source)
            rows = [schema.random(source) for _ in range(source.randint(20, 60))]
            options = options_of(source)
            *_, calls = self.log_with_failure(schema, rows, options)
            self.assertGreater(calls, 10)
            for does in (errno.EIO, errno.ENOSPC, errno.EIO, errno.ENOSPC):
                at, stays = source.randint(1, calls), source.random() < 0.5
                status, checkpoints, errors, _ = self.log_with_failure(
                    schema, rows, options, str(does), at, stays
                )
                what = f"LAMELLA_SEED={seed}, call {at} fails with {does}, {stays}, {errors}{' '.join(options)}"
                path = self.path("x/a.parquet")
                if status == 0:
                    # A journal that finds the disk full once gives way to row groups.
                    self.assertTrue(does == errno.ENOSPC and not stays and "journal=1" in options, what)
                    self.check(schema, rows, path, what)
                    continue
                self.assertEqual(status, 1, what)
                self.assertIn(f"{os.strerror(does)}\n", errors, what)
                failed += 1
                kept, size = checkpoints[-1] if checkpoints else (0, 0)
                part = path if os.path.exists(path) else part_of(path)
                if kept > 0:
                    self.check(schema, rows[:kept], self.cut(part, size), f"cut at {size}, {what}")
                if part == path or not os.path.exists(part):
                    self.assertTrue(part == path or kept == 0, what)
                    continue
                target = self.path("x/whole.parquet")
                status, printed, errors = run("recover", part, target)
                if status == CORRUPT and kept == 0:
                    continue
                self.assertEqual(status, 0, f"{errors}{what}")
                found = numbers(printed)
                got = found["rows"] + found["journal_rows"]
                self.assertGreaterEqual(got, kept, what)
                self.check(schema, rows[:got], target, what)
        print(f"{failed} failures ", end="", file=sys.stderr)


# --- Folders --------------------------------------------------------------------------------------

# How an engine reads a folder while a log has it; Polars takes every file that it is not told to pass over.
FOLDER_READERS = {
    "pyarrow": lambda path: pyarrow.dataset.dataset(path, partitioning="hive").to_table(),
    "pyarrow.parquet": pyarrow.parquet.read_table,
    "DuckDB": lambda path: engines.query_duckdb(
        f"SELECT * FROM read_parquet({engines.quoted(path + '/**/*.parquet')}, hive_partitioning = true)"
    ),
    "Polars": lambda path: engines.polars.scan_parquet(path, hidden_file_prefix="_").collect().to_arrow(),
    "Polars, by a pattern": lambda path: engines.polars.scan_parquet(f"{path}/**/*.parquet").collect().to_arrow(),
}


class Folders(LogTest):
    def check_folder(self, numbers, what):
        for name, reader in FOLDER_READERS.items():
            found = reader(self.path("logs"))
            self.assertEqual(sorted(found["n"].to_pylist()), numbers, f"{name}, {what}")

    def test_what_a_log_writes_disturbs_no_reader_of_its_folder(self):
        """pyarrow opened a file of 4 bytes."""

        def records(numbers):
            return "".join(f'{{"n":{n},"k":{n % 2}}}\n' for n in numbers).encode()

        for options in ([], ["--partition", "half=%v", "--by", "k"]):
            shutil.rmtree(self.path("logs"), ignore_errors=True)
            command = [engines.PROGRAM, "log", "--journal", "--acknowledge", *options, "-o", self.path("logs")]
            subprocess.run(command, input=records(range(5)), stdout=subprocess.DEVNULL, check=True)
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as log:
                log.stdin.write(records(range(5, 8)))
                log.stdin.flush()
                while json.loads(log.stdout.readline())["durable"] < 3:
                    pass
                names = [name for _, _, names in os.walk(self.path("logs")) for name in names]
                self.assertGreaterEqual(len([name for name in names if not name.endswith(".parquet")]), 2)
                self.check_folder(list(range(5)), f"while a log with {options} runs")
                log.kill()
            self.check_folder(list(range(5)), f"after a log with {options} was killed")
            engines.lamella("recover", self.path("logs"))
            self.check_folder(list(range(8)), f"recovered, {options}")


# --- Appending ------------------------------------------------------------------------------------

TABLE = pa.table(
    {
        "id": pa.array(range(500), pa.int64()),
        "name": [None if n % 7 == 0 else f"name {n % 40}" for n in range(500)],
        "text": [f"text {n}" * (n % 3) for n in range(500)],
        "list": [None if n % 5 == 0 else [n, None, n + 1][: n % 4] for n in range(500)],
        "at": pa.array([n * 1000 for n in range(500)], pa.timestamp("us")),
        "deep": [{"a": n / 4, "b": [{"c": f"{n}"}] * (n % 3)} for n in range(500)],
    }
)


def write_polars(path, **options):
    engines.polars.from_arrow(TABLE).write_parquet(path, use_pyarrow=False, **options)


def write_duckdb(path, options, columns="*"):
    engines.execute_duckdb(f"COPY (SELECT {columns} FROM t) TO {engines.quoted(path)} (FORMAT parquet, {options})", t=TABLE)


def write_arro3(path, **options):
    arro3.io.write_parquet(TABLE, path, **options)


def write_pyarrow(path, **options):
    pa.parquet.write_table(TABLE, path, **options)


WRITERS = {
    "pyarrow": lambda path: write_pyarrow(path, row_group_size=100, write_page_index=True),
    "pyarrow V2": lambda path: write_pyarrow(
        path, data_page_version="2.0", compression="zstd", data_page_size=200
    ),
    "pyarrow checksums": lambda path: write_pyarrow(
        path, write_page_checksum=True, use_dictionary=False, compression="none", row_group_size=30
    ),
    "pyarrow 1.0": lambda path: write_pyarrow(path, version="1.0", compression="gzip"),
    "pyarrow INT96": lambda path: write_pyarrow(path, use_deprecated_int96_timestamps=True),
    "pyarrow BYTE_STREAM_SPLIT": lambda path: write_pyarrow(
        path, use_dictionary=False, column_encoding={"deep.a": "BYTE_STREAM_SPLIT", "text": "DELTA_BYTE_ARRAY"}
    ),
    "DuckDB": lambda path: write_duckdb(path, "ROW_GROUP_SIZE 2048, WRITE_BLOOM_FILTER true"),
    "DuckDB V2": lambda path: write_duckdb(path, "PARQUET_VERSION v2, COMPRESSION zstd"),
    "DuckDB arrays": lambda path: write_duckdb(path, "COMPRESSION gzip", "*, [id, 1]::INTEGER[2] AS a"),
    "Polars": lambda path: write_polars(path, row_group_size=100, statistics="full"),
    "Polars gzip": lambda path: write_polars(path, compression="gzip", data_page_size=100),
}
if arro3:
    WRITERS["arro3"] = lambda path: write_arro3(path, bloom_filter_enabled=True)
    WRITERS["arro3 V2"] = lambda path: write_arro3(
        path, writer_version="parquet_2_0", max_row_group_size=100, bloom_filter_enabled=True
    )


class Append(LogTest):
    def original(self, name):
        path = self.new_folder()
        WRITERS[name](path)
        return path

    def append_own(self, path, manner, *options):
        """Appends the file's first records to it; how every engine read it before."""
        before = {}
        for name, reader in READERS.items():
            try:
                before[name] = reader(path)
            except Exception:  # what an engine refuses it need not read
                continue
        lines = engines.lamella("cat", "--limit", "60", path)
        self.good("append", path, manner, *options, stdin=lines)
        return before

    def check_appended(self, path, before, what):
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), [os.path.basename(path)], what)
        for name, old in before.items():
            found = READERS[name](path)
            self.assertEqual(found.num_rows, old.num_rows + min(60, old.num_rows), f"{name}, {what}")
            wanted = pa.concat_tables([old, old.slice(0, 60)]).combine_chunks()
            if not wanted.equals(found.cast(wanted.schema).combine_chunks()):
                rows = [[repr(row) for row in each.to_pylist()] for each in (wanted, found)]
                self.compare(*rows, f"{name}, {what}")  # one NaN is not the other
        status, printed, _ = check(path)
        self.assertNotIn(": error ", printed, what)
        groups = json.loads(engines.lamella("meta", "--json", path))["row_groups"]
        # The Rust crate refuses a file in which some row groups have an ordinal, and others none.
        self.assertEqual([group["ordinal"] for group in groups], list(range(len(groups))), what)

    def test_files_of_every_writer_go_on(self):
        for name in WRITERS:
            for manner in ("anew", "in-place"):
                for options in (["codec=zstd"], ["codec=snappy", "page_version=2", "bloom=1"]):
                    path = self.original(name)
                    before = self.append_own(path, manner, *options)
                    self.assertEqual(set(before), set(READERS), name)
                    what = f"{name} {manner} {options}"
                    self.check_appended(path, before, what)
                    again = self.append_own(path, manner)
                    self.check_appended(path, again, f"{what}, twice")

    def test_arrays_of_duckdb_that_are_null_are_refused_by_their_column(self):
        path = self.new_folder()
        write_duckdb(path, "COMPRESSION zstd", "id, CASE WHEN id % 9 > 0 THEN [id, 1]::INTEGER[2] END a")
        for manner in ("anew", "in-place"):
            status, _, errors = run("append", path, manner)
            self.assertEqual(status, UNSUPPORTED, errors)
            self.assertRegex(errors, "lists with elements that do not exist.* DuckDB version")
            self.assertEqual(os.listdir(self.path("x")), ["a.parquet"])

    def test_files_of_old_writers_go_on(self):
        paths = [path for folder in FOLDERS for path in glob.glob(f"{folder}/**/*.parquet", recursive=True)]
        refused = {}
        done = 0
        for original in sorted(paths):
            for manner in ("anew", "in-place"):
                path = shutil.copy(original, self.new_folder())
                try:
                    before = self.append_own(path, manner)
                except (AssertionError, engines.Failure) as refusal:
                    refused.setdefault(str(refusal)[:120], []).append(original)
                    continue
                with self.subTest(original=original, manner=manner):
                    self.check_appended(path, before, f"{original} {manner}")
                    done += 1
        for reason, files in refused.items():
            print(f"\nrefused: {reason}: {len(files)}, {files[0]}", end="", file=sys.stderr)
        print(f"\n{len(paths)} files, {done} appends", end=" ", file=sys.stderr)

    def test_a_schema_that_differs_is_refused_and_the_file_stays(self):
        path = self.original("pyarrow")
        with open(path, "rb") as file:
            before = file.read()
        for manner in ("anew", "in-place"):
            status, _, errors = run(
                "append", path, manner, "schema=message m { optional int64 id; required int32 x; }"
            )
            self.assertEqual(status, 1, errors)
            self.assertRegex(errors, "name|x")
            with open(path, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_encrypted_files_are_refused_and_stay(self):
        import pyarrow.parquet.encryption as encryption

        class Keys(encryption.KmsClient):
            def wrap_key(self, key, name):
                return key.hex().encode()

            def unwrap_key(self, wrapped, name):
                return bytes.fromhex(wrapped.decode())

        factory = encryption.CryptoFactory(lambda _: Keys())
        for plain_footer in (False, True):
            configuration = encryption.EncryptionConfiguration(
                footer_key="f", column_keys={"c": ["id"]}, plaintext_footer=plain_footer
            )
            properties = factory.file_encryption_properties(
                encryption.KmsConnectionConfig(), configuration
            )
            path = self.new_folder()
            write_pyarrow(path, encryption_properties=properties)
            with open(path, "rb") as file:
                before = file.read()
            for manner in ("anew", "in-place"):
                status, _, errors = run("append", path, manner)
                self.assertEqual(status, UNSUPPORTED, errors)
                self.assertIn("encrypt", errors)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), before)
                self.assertEqual(os.listdir(self.path("x")), ["a.parquet"])

    def rows_after(self, path, manner, die):
        """The rows that are there after an append that ended at that call of the storage."""
        if manner == "anew":
            return engines.read_pyarrow(path)
        target = self.path("x/whole.parquet")
        self.good("recover", path, target)
        for name, reader in READERS.items():
            self.assertGreaterEqual(reader(target).num_rows, TABLE.num_rows, f"{name}, {die}")
        return engines.read_pyarrow(target)

    def test_an_append_that_is_killed_at_any_call_keeps_the_old_rows(self):
        for name in ("pyarrow", "DuckDB", "Polars"):
            for manner in ("anew", "in-place"):
                die = status = interrupted = 0
                while True:
                    die += 1
                    path = self.original(name)
                    old = engines.read_pyarrow(path)
                    size = os.path.getsize(path)
                    lines = engines.lamella("cat", "--limit", "100", path)
                    status, _, errors = run(
                        "append", path, manner, f"die={die}", "row_group_rows=40", "page_bytes=300", stdin=lines
                    )
                    if status == 0:
                        break
                    self.assertEqual(status, DIED, errors)
                    found = self.rows_after(path, manner, die)
                    whole = pa.concat_tables([old, old.slice(0, 100)])
                    about = f"{name} {manner} call {die}"
                    self.assertGreaterEqual(found.num_rows, old.num_rows, about)
                    self.compare(whole.slice(0, found.num_rows).to_pylist(), found.to_pylist(), about)
                    if manner == "in-place" and os.path.getsize(path) > size:
                        status, _, errors = run("append", path, manner, stdin=lines)
                        self.assertIn(status, (0, 1), errors)
                        self.assertIn("recover" if status else "", errors)
                        interrupted += status
                self.assertEqual(interrupted > 0, manner == "in-place")
                print(f"{name} {manner}: {die - 1} calls,", end=" ", file=sys.stderr)


# --- Files that other writers did not finish ------------------------------------------------------


class Unfinished(LogTest):
    def cuts(self, path, source):
        size = os.path.getsize(path)
        with pa.parquet.ParquetFile(path) as file:
            ends = []
            for n in range(file.metadata.num_row_groups):
                group = file.metadata.row_group(n)
                last = group.column(group.num_columns - 1)
                first = last.dictionary_page_offset or last.data_page_offset
                ends.append(first + last.total_compressed_size)
        return sorted({end for end in ends if end < size} | {source.randrange(4, size) for _ in range(25)})

    def check_cut(self, cut, lines, option, what, counts):
        """Whatever comes is a prefix of the rows."""
        status, printed, errors = run("rows", cut, option)
        found = printed.splitlines()
        self.assertIn(status, (0, CORRUPT), f"{errors}, {what}")
        if status != 0:
            counts["refused"] += 1
            return
        counts["read"] += 1
        counts["rows"] += len(found)
        self.compare(lines[: len(found)], found, what)

    def test_cut_files_of_other_writers_have_no_wrong_row(self):
        source = random.Random(17)
        groups = {
            "pyarrow groups": lambda path: write_pyarrow(path, row_group_size=100),
            "pyarrow V2 groups": lambda path: write_pyarrow(
                path, row_group_size=100, data_page_version="2.0", data_page_size=100, compression="zstd"
            ),
            "pyarrow plain groups": lambda path: write_pyarrow(
                path, row_group_size=100, use_dictionary=False, compression="none"
            ),
        }
        for name, writer in {**WRITERS, **groups}.items():
            if name == "pyarrow INT96":
                continue
            if name == "DuckDB":
                writer = lambda path: write_duckdb(path, "COMPRESSION snappy", "*")
            path = self.new_folder()
            writer(path)
            lines = engines.lamella("cat", path).decode().splitlines()
            schema = engines.lamella("schema", path).decode()
            for option in (f"schema={schema}", f"like={path}"):
                counts = {"read": 0, "refused": 0, "rows": 0}
                for size in self.cuts(path, source):
                    cut = self.cut(path, size)
                    self.check_cut(cut, lines, option, f"{name}, cut at {size}, {option}", counts)
                kind = option.split("=")[0]
                print(f"\n{name}, {kind}: {counts}", end=" ", file=sys.stderr)
                if name in groups and kind == "like":
                    self.assertGreater(counts["rows"], 0, name)


if __name__ == "__main__":
    engines.main()
