#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON to Parquet and back: Lamella beside DuckDB and arrow-rs, same file, same machine, same run.

    bench/compare_json.py PROGRAM [ROWS [FILE.parquet...]]

Generates ROWS nested records (default: 500,000) with a fixed seed, then takes turns: `lamella import`,
DuckDB's COPY (FROM read_json(...)) with one thread, and arrow-rs (arro3-io, unless that is not installed),
which infers its schema from all lines, too, for the same codec; `lamella cat`, DuckDB's COPY to JSON lines,
and arrow-rs's write_ndjson. Then the same of each FILE, such as TPC-H's lineitem; and of ROWS small records that
are VARIANTs of five fields, shredded: one field (`cat --columns record.user`) beside all of it. Prints the median time of each, processor time, rows/s, MB/s of JSON, ns per
value, peak memory, file sizes and the ratios of medians. Each measurement is a process of its own; Lamella's
time is that of the whole process, DuckDB's and arrow-rs's that of the statement. The last import is of a file four times as long: its peak memory
says whether memory is bounded by the row group.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import side_by_side

ROUNDS = 5
CITIES = ["Berlin", "Paris", "London", "Rome", "Madrid", "Vienna", "Prague", "Oslo", "Kyiv", "Lisbon"]

# The statement alone is timed: neither the start of Python nor the import of the module counts.
DUCKDB = """
import duckdb, sys, time
connection = duckdb.connect()
connection.execute("set threads = 1")
connection.execute("set enable_progress_bar = false")
start, spent = time.perf_counter(), time.process_time()
connection.execute(sys.argv[1])
print(time.perf_counter() - start, time.process_time() - spent)
"""

ARROW_RS = """
import arro3.io, sys, time
source, target = sys.argv[1:3]
start, spent = time.perf_counter(), time.process_time()
if len(sys.argv) > 3:
    batches = arro3.io.read_json(source, arro3.io.infer_json_schema(source), batch_size=65536)
    arro3.io.write_parquet(batches, target, compression=sys.argv[3])
else:
    arro3.io.write_ndjson(arro3.io.read_parquet(source, batch_size=65536), target)
print(time.perf_counter() - start, time.process_time() - spent)
"""


def record(number, rng):
    row = {
        "id": number,
        "ts": "2026-11-%02dT%02d:%02d:%02dZ"
        % (rng.randint(1, 30), rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59)),
        "user": {
            "name": "user%d" % rng.randint(0, 50000),
            "age": rng.randint(18, 90) if rng.random() < 0.9 else None,
            "address": {"city": rng.choice(CITIES), "zip": str(rng.randint(10000, 99999))},
        },
        "value": rng.random() * 1000,
        "ok": rng.random() < 0.5,
        "tags": ["t%d" % rng.randint(0, 100) for _ in range(rng.randint(0, 5))],
        "events": [
            {
                "kind": rng.choice(["click", "view", "buy"]),
                "x": rng.randint(0, 2000),
                "y": rng.randint(0, 2000),
                "w": round(rng.random(), 3),
            }
            for _ in range(rng.randint(0, 4))
        ],
    }
    if rng.random() < 0.3:
        row["note"] = "some longer free text number %d with words" % rng.randint(0, 10**9)
    return row


def count_values(value):
    if isinstance(value, dict):
        return sum(count_values(member) for member in value.values())
    if isinstance(value, list):
        return sum(count_values(element) for element in value)
    return 1


def generate(path, rows, copies):
    """Writes the rows `copies` times; gives the number of values in one copy."""
    rng = random.Random(1)
    values = 0
    with open(path, "w", encoding="utf-8") as file:
        for number in range(rows):
            row = record(number, rng)
            values += count_values(row)
            file.write(json.dumps(row) + "\n")
        length = file.tell()
    for _ in range(copies - 1):
        with open(path, "rb") as source, open(path, "ab") as target:
            for start in range(0, length, 1 << 20):
                source.seek(start)
                target.write(source.read(min(1 << 20, length - start)))
    return values


def small_record(number, rng):
    return {
        "id": number,
        "user": "user%05d" % rng.randint(0, 50000),
        "ok": rng.random() < 0.5,
        "amount": rng.randint(0, 10**6),
        "place": "%s, street %d" % (rng.choice(CITIES), rng.randint(1, 999)),
    }


def run(command):
    """Runs a process; gives its seconds and those of the processor, or what it prints, and its peak in MiB.

    What `lamella cat` prints goes to a file, as what the others write does."""
    prints_seconds = command[0] == sys.executable
    start = time.perf_counter()
    with tempfile.TemporaryFile() as printed_file:
        output = subprocess.PIPE if prints_seconds else printed_file
        child = subprocess.Popen(command, stdout=output)
        printed = child.stdout.read() if prints_seconds else None
        _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("%s failed" % " ".join(command[:3]))
    spent = usage.ru_utime + usage.ru_stime
    if prints_seconds:
        seconds, spent = map(float, printed.split())
    return seconds, spent, usage.ru_maxrss / 1024


def measure(commands):
    """Takes turns between the commands; gives name -> (median seconds, of the processor, peak MiB)."""
    runs = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {
        name: (
            statistics.median(seconds for seconds, _, _ in found),
            statistics.median(spent for _, spent, _ in found),
            max(peak for _, _, peak in found),
        )
        for name, found in runs.items()
    }


def report(title, results, rows, megabytes, values, sizes):
    print("\n%s" % title)
    for name, (seconds, spent, peak) in results.items():
        size = "  file %.1f MB" % (os.path.getsize(sizes[name]) / 1e6) if name in sizes else ""
        print(
            "  %-22s %7.3f s  processor %7.3f s  %9.0f rows/s  %7.1f MB/s  %6.1f ns/value  peak %4.0f MiB%s"
            % (name, seconds, spent, rows / seconds, megabytes / seconds, seconds / values * 1e9, peak, size)
        )
    first, *others = results.items()
    for name, (seconds, spent, _) in others:
        print("  %s / %s: %.2f of the time, %.2f of the processor's"
              % (name, first[0], seconds / first[1][0], spent / first[1][1]))


def arrow_rs(*arguments):
    """The command as the only entry of a dict, or nothing where arrow-rs is not installed."""
    if side_by_side.missing("arrow-rs"):
        return {}
    return {"arrow-rs": [sys.executable, "-c", ARROW_RS, *arguments]}


def compare_cat(program, source, target, rows, megabytes, values):
    """`lamella cat` of a file beside DuckDB's COPY to JSON and arrow-rs."""
    export = "COPY (FROM '%s') TO '%s' (FORMAT json)" % (source, target)
    results = measure({
        "lamella cat": [program, "cat", source],
        "duckdb, one thread": [sys.executable, "-c", DUCKDB, export],
        **arrow_rs(source, target),
    })
    report("cat of %s" % os.path.basename(source), results, rows, megabytes, values, {})


def compare_file(program, source, target):
    """The same of a file of unknown contents: what it prints says how many values it has."""
    with open(target, "wb") as file:
        subprocess.run([program, "cat", source], stdout=file, check=True)
    with open(target, "rb") as file:
        first = file.readline()
        rows = 1 + sum(1 for _ in file)
    compare_cat(program, source, target, rows, os.path.getsize(target) / 1e6,
                rows * count_values(json.loads(first)))


def compare_variant_field(program, folder, rows):
    """One field of small VARIANTs beside all of them."""
    rng = random.Random(2)
    text, file = os.path.join(folder, "small.ndjson"), os.path.join(folder, "small.parquet")
    with open(text, "w", encoding="utf-8") as small:
        for number in range(rows):
            small.write(json.dumps(small_record(number, rng)) + "\n")
    subprocess.run([program, "import", "--variant-all", "-o", file, text], check=True)
    results = measure({
        "cat of one field": [program, "cat", "--columns", "record.user", file],
        "cat of all": [program, "cat", file],
    })
    report("small VARIANTs", results, rows, os.path.getsize(text) / 1e6, rows, {})


def main():
    program = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 500_000
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        values = generate(path("in.ndjson"), rows, 1)
        megabytes = os.path.getsize(path("in.ndjson")) / 1e6
        print("%d rows, %.1f MB of JSON, %d values" % (rows, megabytes, values))
        for codec in ("snappy", "zstd"):
            copy = "COPY (FROM read_json('%s')) TO '%s' (FORMAT parquet, COMPRESSION %s)" % (
                path("in.ndjson"), path("duckdb.parquet"), codec)
            results = measure({
                "lamella import": [program, "import", "--codec", codec, "-o", path("lamella.parquet"),
                                   path("in.ndjson")],
                "duckdb, one thread": [sys.executable, "-c", DUCKDB, copy],
                **arrow_rs(path("in.ndjson"), path("arrow_rs.parquet"), side_by_side.arro3_codec(codec)),
            })
            report("import, %s" % codec, results, rows, megabytes, values,
                   {"lamella import": path("lamella.parquet"), "duckdb, one thread": path("duckdb.parquet"),
                    "arrow-rs": path("arrow_rs.parquet")})
        compare_cat(program, path("lamella.parquet"), path("out.json"), rows, megabytes, values)
        for source in sys.argv[3:]:
            compare_file(program, source, path("out.json"))
        compare_variant_field(program, folder, rows)
        generate(path("long.ndjson"), rows, 4)
        seconds, _, peak = run([program, "import", "--row-group-size", "8MiB", "-o", path("long.parquet"),
                             path("long.ndjson")])
        print("\nimport of four times the file, row groups of 8 MiB: %.3f s, peak %.0f MiB" % (seconds, peak))
        seconds, _, peak = run([program, "cat", path("long.parquet")])
        print("cat of that file: %.3f s, peak %.0f MiB" % (seconds, peak))


if __name__ == "__main__":
    main()
