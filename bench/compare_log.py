#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logging: Lamella beside SQLite, JSON lines and pyarrow, same records, same machine, same run.

    bench/compare_log.py LOG_RIVALS [RECORDS] [--rate R] [--kills K] [--rounds N] [--folder FOLDER]

LOG_RIVALS is the program of that name in the build folder. Each writer makes its records durable once a
second: Lamella by a row group with a checkpoint or by its journal, SQLite (WAL, synchronous=NORMAL) by a
transaction, JSON lines by fsync, pyarrow's ParquetWriter by a row group and fsync. First each writes RECORDS
(default: 1,000,000) as fast as it can, in rounds that take turns: the best time counts. Then each writes R
records a second (default: 50,000), and is killed (SIGKILL) at a random moment, K times (default: 5): rows
that were put and cannot be read afterwards are lost. pyarrow runs in Python, with records that are dicts.
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
WRITERS = ["lamella", "lamella-journal", "sqlite", "ndjson", "pyarrow"]
NAMES = {
    "lamella": "Lamella, checkpoint 1 s",
    "lamella-journal": "Lamella, journal, sync 1 s",
    "sqlite": "SQLite, WAL",
    "ndjson": "JSON lines",
    "pyarrow": "pyarrow ParquetWriter",
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


def write_pyarrow(program, path, records, rate, progress):
    """The child: collects dicts for a second, then writes them as a row group."""
    sample = subprocess.run([program, "sample", str(SAMPLE)], stdout=subprocess.PIPE, check=True).stdout
    pool = [json.loads(line) for line in sample.splitlines()]
    with open(progress, "wb+") as file:
        file.write(bytes(8))
        file.flush()
        counter = mmap.mmap(file.fileno(), 8)
    cpu, start = time.process_time(), time.perf_counter()
    second = start + 1
    rows = []
    with open(path, "wb") as file, pq.ParquetWriter(file, SCHEMA, compression="snappy") as writer:
        for number in range(records):
            if number % 64 == 0:
                counter[:] = struct.pack("<Q", number)
                while rate and number > (time.perf_counter() - start) * rate:
                    time.sleep(0.001)
                if time.perf_counter() >= second:
                    writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
                    file.flush()
                    os.fsync(file.fileno())
                    rows.clear()
                    second += 1
            row = dict(pool[number % SAMPLE])
            row["number"] = number
            row["time"] = 1700000000000000 + 2 * number
            rows.append(row)
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
    print(time.perf_counter() - start, time.process_time() - cpu)


def start_writer(program, writer, path, records, rate, progress):
    arguments = [writer, path, str(records), str(rate), progress]
    if writer == "pyarrow":
        command = [sys.executable, os.path.abspath(__file__), "--child", program] + arguments[1:]
    else:
        command = [program] + arguments
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def bytes_below(folder):
    return sum(os.path.getsize(os.path.join(top, name)) for top, _, names in os.walk(folder) for name in names)


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
    try:
        return pq.read_table(path).num_rows
    except (pa.ArrowInvalid, OSError):
        return 0


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
    print("%-28s %12s %12s %10s %14s %14s" % ("", "records/s", "processor s", "MB", "rows lost, mean", "most"))
    for writer in WRITERS:
        seconds, cpu, size = min(whole[writer])
        lost = [rows for _, rows in killed[writer]]
        print("%-28s %12.0f %12.2f %10.1f %14.0f %14d" % (
            NAMES[writer], options.records / seconds, cpu, size / 1e6, sum(lost) / max(len(lost), 1), max(lost, default=0)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        write_pyarrow(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
    else:
        main()
