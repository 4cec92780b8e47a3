# SPDX-License-Identifier: Apache-2.0
"""docs/examples: each program does what it should and prints it.

Usage: run_examples.py PROGRAM...
"""

import os
import subprocess
import sys
import tempfile


# Program, arguments, exit status, what is printed; later ones read what earlier ones wrote.
RUNS = [
    ("write_records", ["records.parquet"], 0, "1000 records\n"),
    ("write_records", ["no/such/folder"], 1, ""),
    ("write_records", [], 1, ""),
    ("read_columns", ["records.parquet", "reading"], 0, "1750 triples, 1500 values, sum 75051000\n"),
    ("read_columns", ["records.parquet", "name"], 2, ""),
    ("read_columns", ["missing.parquet", "reading"], 1, ""),
    ("scan_filter", ["records.parquet", "place.lat < 60 and name = 'south'", "place.lat"], 0,
     "lat 51.1\nlat 57.1\n2 records\n"),
    ("scan_filter", ["records.parquet", "nothing > 1", "name"], 1, ""),
    ("arrow_stream", ["records.parquet", "copy.parquet"], 0, "1000 rows\n"),
    ("arrow_stream", ["missing.parquet", "none.parquet"], 1, ""),
    ("read_columns", ["copy.parquet", "reading.list.element"], 0,
     "1750 triples, 1500 values, sum 75051000\n"),
    ("variant", ["variant.parquet"], 0, "100 records\n"),
    ("own_allocator", ["pool.parquet", "100000000"], 0, "ok, 0 bytes left behind\n"),
    ("own_allocator", ["small.parquet", "100000"], 1, "out of memory, 0 bytes left behind\n"),
    ("own_io", ["stdio.parquet"], 0, "a record\n"),
]


def main():
    programs = {os.path.basename(path).replace("example_", ""): path for path in sys.argv[1:]}
    if {run[0] for run in RUNS} != set(programs):
        sys.exit(f"not every example is run: {sorted({run[0] for run in RUNS} ^ set(programs))}")
    problems = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, status, printed in RUNS:
            done = subprocess.run(
                [os.path.abspath(programs[name])] + arguments,
                cwd=folder, capture_output=True, text=True, check=False, timeout=60,
            )
            good = done.returncode == status and done.stdout == printed
            problems += not good
            print("ok" if good else "NOT AS EXPECTED", name, *arguments)
            if not good:
                print(f"  status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
            elif status != 0 and not (done.stdout + done.stderr).strip():
                sys.exit(f"{name} fails no message was given")
        for missing in ["none.parquet", "small.parquet"]:
            if os.path.exists(os.path.join(folder, missing)):
                sys.exit(f"{missing} is there, though writing it failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
