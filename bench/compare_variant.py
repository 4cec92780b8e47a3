#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON logs as VARIANTs, in and out: Lamella beside DuckDB, same file, same machine, same run.

    bench/compare_variant.py BUILD [LOGS.ndjson [ROUNDS]]

BUILD is a folder of a release build. Without LOGS they are made by make_logs.py, 128 MB of them. Takes turns, 3
ROUNDS unless told, with one thread each:

    in         each line to one VARIANT: `lamella import --variant-all` with --shred auto and none, DuckDB's
               COPY of json::VARIANT, which shreds, too
    out        all of it as JSON lines: `lamella cat` of both files, DuckDB's COPY of the VARIANT as JSON
    one field  of the shredded file, beside the whole values: `cat --columns`, DuckDB's SELECT; and DuckDB's
               of Lamella's file, which it reads whole (docs/shredding.md tells why, and how not to)

and prints the medians of seconds and of seconds of processor time, MB/s of JSON in, peak memory, file sizes and
ratios. Lamella's times are those of the whole process, DuckDB's those of the statement. At the end bench_variant
tells what the steps take in memory, and parsing alone.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

FIELD = "user.name"

DUCKDB = """
import duckdb, sys, time
connection = duckdb.connect()
connection.execute("set threads = 1")
connection.execute("set enable_progress_bar = false")
start, spent = time.perf_counter(), time.process_time()
connection.execute(sys.argv[1]).fetchall()
print(time.perf_counter() - start, time.process_time() - spent)
"""


def duckdb(query):
    return [sys.executable, "-c", DUCKDB, query]


def run(command):
    """Runs a process; gives its seconds, those of the processor, and its peak memory in MiB."""
    prints_seconds = command[0] == sys.executable
    start = time.perf_counter()
    output = subprocess.PIPE if prints_seconds else subprocess.DEVNULL
    child = subprocess.Popen(command, stdout=output)
    printed = child.stdout.read() if prints_seconds else None
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command[:3])} failed")
    spent = usage.ru_utime + usage.ru_stime
    if prints_seconds:
        seconds, spent = map(float, printed.split())
    return seconds, spent, usage.ru_maxrss / 1024


def measure(commands, rounds):
    """Takes turns between the commands; gives name -> (seconds, processor seconds, peak)."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {
        name: (
            statistics.median(times for times, _, _ in found),
            statistics.median(spent for _, spent, _ in found),
            max(peak for _, _, peak in found),
        )
        for name, found in runs.items()
    }


def report(title, results, megabytes):
    print(f"\n{title}")
    for name, (seconds, spent, peak) in results.items():
        print(
            f"  {name:28} {seconds:8.3f} s {megabytes / seconds:8.1f} MB/s   processor {spent:8.3f} s"
            f" {megabytes / spent:8.1f} MB/s   peak {peak:6.0f} MiB"
        )


def ratio(results, first, second):
    a, b = results[first], results[second]
    print(f"  {second} / {first}: {b[0] / a[0]:.2f} of the time, {b[1] / a[1]:.2f} of the processor's")


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    program = os.path.join(build, "tools", "lamella")
    with tempfile.TemporaryDirectory() as folder:
        logs = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "logs.ndjson")
        if len(sys.argv) <= 2:
            maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_logs.py")
            subprocess.run([sys.executable, maker, logs], check=True)
        compare(program, os.path.abspath(logs), folder, rounds)
        print("\nin memory, one thread", flush=True)
        subprocess.run([os.path.join(build, "bench", "bench_variant"), logs], check=True)


def compare(program, logs, folder, rounds):
    path = lambda name: os.path.join(folder, name)
    megabytes = os.path.getsize(logs) / 1e6
    print(f"{megabytes:.1f} MB of JSON")
    for codec in ("zstd", "snappy"):
        take = lambda shred, out: [program, "import", "--variant-all", "--shred", shred, "--codec", codec,
                                   "-o", path(out), logs]
        source = f"SELECT json::VARIANT AS record FROM read_ndjson_objects('{logs}')"
        copy = f"COPY ({source}) TO '{path('duckdb.parquet')}' (FORMAT parquet, COMPRESSION {codec})"
        results = measure(
            {
                "lamella --shred auto": take("auto", "auto.parquet"),
                "lamella --shred none": take("none", "none.parquet"),
                "duckdb": duckdb(copy),
            },
            rounds,
        )
        report(f"in, {codec}", results, megabytes)
        ratio(results, "lamella --shred auto", "duckdb")
        names = ("auto", "none", "duckdb")
        sizes = {name: os.path.getsize(path(f"{name}.parquet")) for name in names}
        print("  sizes: " + ", ".join(f"{name} {size / 1e6:.2f} MB" for name, size in sizes.items()))
        for name in names[1:]:
            print(f"  auto / {name}: {sizes['auto'] / sizes[name]:.3f}")

    values = f"SELECT record::JSON AS record FROM '{path('duckdb.parquet')}'"
    export = f"COPY ({values}) TO '{path('out.json')}' (FORMAT json)"
    results = measure(
        {
            "lamella cat, auto": [program, "cat", path("auto.parquet")],
            "lamella cat, none": [program, "cat", path("none.parquet")],
            "duckdb": duckdb(export),
        },
        rounds,
    )
    report("out", results, megabytes)
    ratio(results, "lamella cat, auto", "duckdb")

    whole = f"SELECT sum(length((record::JSON)::VARCHAR)) FROM '{path('duckdb.parquet')}'"
    field_of = lambda name: f"SELECT sum(length(record.{FIELD}::VARCHAR)) FROM '{path(name)}'"
    results = measure(
        {
            "lamella, the field": [program, "cat", "--columns", f"record.{FIELD}", path("auto.parquet")],
            "lamella, all of it": [program, "cat", path("auto.parquet")],
            "duckdb, the field": duckdb(field_of("duckdb.parquet")),
            "duckdb, the field, of auto": duckdb(field_of("auto.parquet")),
            "duckdb, all of it": duckdb(whole),
        },
        rounds,
    )
    report(f"one field, {FIELD}", results, megabytes)
    ratio(results, "lamella, the field", "lamella, all of it")
    ratio(results, "duckdb, the field", "duckdb, all of it")


if __name__ == "__main__":
    main()
