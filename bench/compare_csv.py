#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CSV to Parquet with inferred types and ZSTD: Lamella beside pyarrow, Polars and DuckDB, one thread each.

    bench/compare_csv.py PROGRAM FILE.csv|FILE.parquet [ROUNDS]

Of a Parquet file, such as TPC-H's lineitem, the first 1.5 million rows become the CSV. The engines take turns, each
in a process of its own: what is measured is the processor time of the whole process, user and system, the least of
ROUNDS (default: 5), with the size of the file that came out.
"""

import os
import resource
import subprocess
import sys
import tempfile

ROWS = 1_500_000

MAKE = """
import sys, pyarrow as pa, pyarrow.csv, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1]).slice(0, int(sys.argv[3]))
plain = [pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in table.schema]
pyarrow.csv.write_csv(table.cast(pa.schema(plain)), sys.argv[2])
"""
PEERS = {
    "pyarrow": """
import sys, pyarrow, pyarrow.csv, pyarrow.parquet
pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)
table = pyarrow.csv.read_csv(sys.argv[1], pyarrow.csv.ReadOptions(use_threads=False))
pyarrow.parquet.write_table(table, sys.argv[2], compression="zstd")
""",
    "Polars": """
import os, sys
os.environ["POLARS_MAX_THREADS"] = "1"
import polars
polars.read_csv(sys.argv[1], try_parse_dates=True).write_parquet(sys.argv[2], compression="zstd")
""",
    "DuckDB": """
import duckdb, sys
connection = duckdb.connect(config={"threads": 1})
connection.execute("set enable_progress_bar = false")
connection.execute(f"copy (from read_csv('{sys.argv[1]}')) to '{sys.argv[2]}' (format parquet, compression zstd)")
""",
}


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    best, sizes = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        if source.endswith(".parquet"):
            table = os.path.join(folder, "table.csv")
            subprocess.run([sys.executable, "-c", MAKE, source, table, str(ROWS)], check=True)
            source = table
        for _ in range(rounds):
            for name in ["lamella", *PEERS]:
                target = os.path.join(folder, name)
                command = [program, "import", "-o", target, source]
                if name in PEERS:
                    command = [sys.executable, "-c", PEERS[name], source, target]
                before = spent()
                subprocess.run(command, check=True)
                best[name] = min(best.get(name, float("inf")), spent() - before)
                sizes[name] = os.path.getsize(target)
        print(f"{os.path.getsize(source) / 1e6:.0f} MB of CSV, processor time of one thread")
        for name, seconds in best.items():
            print(f"{name:8}  {seconds:5.2f} s  {sizes[name] / 1e6:6.1f} MB")


if __name__ == "__main__":
    main()
