#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logging: Lamella beside SQLite, JSON lines and pyarrow, same records, same machine, same run.

    bench/compare_log.py LOG_RIVALS [RECORDS] [--rate R] [--kills K] [--rounds N] [--folder FOLDER]

LOG_RIVALS is the program of that name in the build folder. Each writer makes its records durable once a
second: Lamella by a row group with a checkpoint or by its journal, SQLite (WAL, synchronous=NORMAL) by a
transaction, JSON lines by fsync, pyarrow's ParquetWriter by a row group and fsync, and once more by a whole file
and fsync. First each writes RECORDS
(default: 1,000,000) as fast as it can, in rounds that take turns: the best time counts. Then each writes R
records a second (default: 50,000), and is killed (SIGKILL) 0.5 to 3.5 seconds after its first record, K times
(default: 5): rows that were put and cannot be read afterwards are lost. The loss of most writers is that of the
last second or less, however long they ran. A Parquet file without a footer has no rows for a reader, so that the
one file of a ParquetWriter loses all that was put: that number grows with the time until the kill, and is 100 % of
"rows put". pyarrow runs in Python, with records that are dicts.
"""

import argparse
import glob
import json
import mmap
import os
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq

SAMPLE = 65536
WRITERS = ["lamella", "lamella-journal", "sqlite", "ndjson", "pyarrow", "pyarrow-files"]
NAMES = {
    "lamella": "Lamella, checkpoint 1 s",
    "lamella-journal": "Lamella, journal, sync 1 s",
    "sqlite": "SQLite, WAL",
    "ndjson": "JSON lines",
    "pyarrow": "pyarrow, one file",
    "pyarrow-files": "pyarrow, a file each second",
}
SCHEMA = pa.schema([
    pa.field("time", pa.timestamp("us", tz="UTC"), nullable=False),
    pa.field("number", pa.int64(), nullable=False),
    pa.field("host", pa.string(), nullable=False),
    pa.field("level", pa.string(), nullable=False),
    ("status", pa.int32()),
    ("seconds", pa.float64()),
    ("message", pa.string()),
    ("spans", pa.list_(pa.struct([("name", pa.string()), ("micros", pa.int32())]))),
])


class OneFile:
    """Each batch of rows is a row group, and the footer comes at the end."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.writer = pq.ParquetWriter(self.file, SCHEMA, compression="snappy")

    def write(self, table):
        self.writer.write_table(table)
        self.file.flush()
        os.fsync(self.file.fileno())

    def close(self):
        self.writer.close()
        self.file.close()


class ManyFiles:
    """Each batch of rows is a file of a folder, whole before the next one begins."""

    def __init__(self, path):
        os.mkdir(path)
        self.path = path
        self.count = 0

    def write(self, table):
        with open("%s/%06d.parquet" % (self.path, self.count), "wb") as file:
            pq.write_table(table, file, compression="snappy")
            file.flush()
            os.fsync(file.fileno())
        self.count += 1

    def close(self):
        pass


def write_pyarrow(program, writer, path, records, rate, progress):
    """The child: collects dicts for a second, then writes them."""
    sample = subprocess.run([program, "sample", str(SAMPLE)], stdout=subprocess.PIPE, check=True).stdout
    pool = [json.loads(line) for line in sample.splitlines()]
    with open(progress, "wb+") as file:
        file.write(bytes(8))
        file.flush()
        counter = mmap.mmap(file.fileno(), 8)
    cpu, start = time.process_time(), time.perf_counter()
    second = start + 1
    rows = []
    target = (OneFile if writer == "pyarrow" else ManyFiles)(path)
    for number in range(records):
        if number % 64 == 0:
            counter[:] = struct.pack("<Q", number)
            while rate and number > (time.perf_counter() - start) * rate:
                time.sleep(0.001)
            if time.perf_counter() >= second:
                target.write(pa.Table.from_pylist(rows, SCHEMA))
                rows.clear()
                second += 1
        row = dict(pool[number % SAMPLE])
        row["number"] = number
        row["time"] = 1700000000000000 + 2 * number
        rows.append(row)
    if rows:
        target.write(pa.Table.from_pylist(rows, SCHEMA))
    target.close()
    print(time.perf_counter() - start, time.process_time() - cpu)


def start_writer(program, writer, path, records, rate, progress):
    arguments = [writer, path, str(records), str(rate), progress]
    if writer.startswith("pyarrow"):
        command = [sys.executable, os.path.abspath(__file__), "--child", program] + arguments
    else:
        command = [program] + arguments
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def bytes_below(folder):
    return sum(os.path.getsize(os.path.join(top, name)) for top, _, names in os.walk(folder) for name in names)


def rows_of_file(path):
    """Rows that pyarrow reads: none in a file that was not finished."""
    try:
        return pq.ParquetFile(path).read().num_rows
    except (pa.ArrowInvalid, OSError):
        return 0


def count_rows(program, writer, path):
    """Rows that can be read."""
    if writer.startswith("lamella"):
        subprocess.run([program, "recover", path], check=True)
        return sum(pq.ParquetFile(file).read().num_rows for file in glob.glob(path + "/*.parquet"))
    if writer == "sqlite":
        return sqlite3.connect(path).execute("select count(*) from requests").fetchone()[0]
    if writer == "ndjson":
        with open(path, "rb") as file:
            return sum(1 for line in file if line.endswith(b"\n") and json.loads(line))
    return sum(map(rows_of_file, glob.glob(path + "/*") if writer == "pyarrow-files" else [path]))


def run_whole(program, writer, records, folder):
    """Records a second, processor seconds, bytes on disk."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        files = os.path.join(place, "files")
        os.mkdir(files)
        path = os.path.join(files, "log")
        child = start_writer(program, writer, path, records, 0, os.path.join(place, "progress"))
        seconds, cpu = map(float, child.communicate()[0].split())
        if child.returncode != 0 or count_rows(program, writer, path) != records:
            sys.exit("%s did not write its records" % writer)
        return seconds, cpu, bytes_below(files)


def run_killed(program, writer, rate, after, folder):
    """Rows put, and rows lost."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path, progress = os.path.join(place, "log"), os.path.join(place, "progress")
        child = start_writer(program, writer, path, 1000 * rate, rate, progress)
        put = lambda: struct.unpack("<Q", open(progress, "rb").read(8))[0]
        while not os.path.exists(progress) or os.path.getsize(progress) < 8 or put() == 0:
            time.sleep(0.01)
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        return put(), put() - count_rows(program, writer, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--rate", type=int, default=50_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    rng = random.Random(options.seed)
    whole = {writer: [] for writer in WRITERS}
    for _ in range(options.rounds):
        for writer in WRITERS:
            whole[writer].append(run_whole(program, writer, options.records, options.folder))
    killed = {writer: [] for writer in WRITERS}
    for _ in range(options.kills):
        after = rng.uniform(0.5, 3.5)
        for writer in WRITERS:
            killed[writer].append(run_killed(program, writer, options.rate, after, options.folder))
    print("%d records as fast as possible, the best of %d rounds; lost at SIGKILL at %d records a second, %d times; "
          "load average %.1f" % (options.records, options.rounds, options.rate, options.kills, os.getloadavg()[0]))
    print("%-28s %10s %12s %8s %15s %16s %9s %7s" % (
        "", "records/s", "processor s", "MB", "rows put, mean", "rows lost, mean", "most", "of put"))
    for writer in WRITERS:
        seconds, cpu, size = min(whole[writer])
        put, lost = (sum(each) / max(options.kills, 1) for each in zip(*killed[writer], (0, 0)))
        most = max((rows for _, rows in killed[writer]), default=0)
        print("%-28s %10.0f %12.2f %8.1f %15.0f %16.0f %9d %6.1f%%" % (
            NAMES[writer], options.records / seconds, cpu, size / 1e6, put, lost, most, 100 * lost / max(put, 1)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        write_pyarrow(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]), sys.argv[7])
    else:
        main()
