# SPDX-License-Identifier: Apache-2.0
"""docs/examples: each program does what it should and prints it.

Usage: run_examples.py PROGRAM...
"""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import time


# The columns of the Dremel paper, figure 3, and its records, figure 2.
BY_HAND = """\
DocId      r=0 d=0 10
DocId      r=0 d=0 20
Backward   r=0 d=1 NULL
Backward   r=0 d=2 10
Backward   r=1 d=2 30
Forward    r=0 d=2 20
Forward    r=1 d=2 40
Forward    r=1 d=2 60
Forward    r=0 d=2 80
Code       r=0 d=2 en-us
Code       r=2 d=2 en
Code       r=1 d=1 NULL
Code       r=1 d=2 en-gb
Code       r=0 d=1 NULL
Country    r=0 d=3 us
Country    r=2 d=2 NULL
Country    r=1 d=1 NULL
Country    r=1 d=3 gb
Country    r=0 d=1 NULL
Url        r=0 d=2 http://A
Url        r=1 d=2 http://B
Url        r=1 d=1 NULL
Url        r=0 d=2 http://C
Document
  DocId: 10
  Links:
    Forward: 20
    Forward: 40
    Forward: 60
  Name:
    Language:
      Code: en-us
      Country: us
    Language:
      Code: en
    Url: http://A
  Name:
    Url: http://B
  Name:
    Language:
      Code: en-gb
      Country: gb
Document
  DocId: 20
  Links:
    Backward: 10
    Backward: 30
    Forward: 80
  Name:
    Url: http://C
"""

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
    ("dremel_by_hand", [], 0, BY_HAND),
]


HERE = os.path.dirname(os.path.abspath(__file__))


def start_log(program, folder, name):
    """A logger that was given a record, which has reached its journal."""
    process = subprocess.Popen([program, folder], stdin=subprocess.PIPE)
    process.stdin.write(f"{name} 1.5\n".encode())
    process.stdin.flush()
    for _ in range(600):
        for path in glob.glob(f"{folder}/*.journal"):
            with open(path, "rb") as file:
                if name.encode() in file.read():
                    return process
        time.sleep(0.1)
    sys.exit("log: the record is in no journal")


def run_log(program, folder):
    """A logger that is killed, and one that ends with SIGTERM in the middle of a line; nothing is lost."""
    killed = start_log(program, folder, "north")
    killed.kill()
    killed.wait()
    left = sorted(path.split(".", 1)[1] for path in os.listdir(folder))
    ended = start_log(program, folder, "south")
    ended.stdin.write(b"half a")
    ended.stdin.flush()
    ended.send_signal(signal.SIGTERM)
    status = ended.wait(60)
    names = os.listdir(folder)
    good = left == ["parquet.journal", "parquet.part"] and status == 0 and len(names) == 2
    print("ok" if good else f"NOT AS EXPECTED: {left}, {status}, {names}", "log")
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            good = good and name.endswith(".parquet") and file.read()[-4:] == b"PAR1"
    return good


def same_as_page():
    """The program is the one of docs/logging.md, and has at most 40 lines."""
    docs = os.path.join(HERE, "..", "..", "docs")
    with open(os.path.join(docs, "examples", "log.c"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(docs, "logging.md"), encoding="utf-8") as file:
        return f"```c\n{text}```\n" in file.read() and text.count("\n") <= 40


def main():
    programs = {os.path.basename(path).replace("example_", ""): path for path in sys.argv[1:]}
    log = programs.pop("log")
    if {run[0] for run in RUNS} != set(programs):
        sys.exit(f"not every example is run: {sorted({run[0] for run in RUNS} ^ set(programs))}")
    problems = 0 if same_as_page() else 1
    print("ok" if problems == 0 else "docs/logging.md has another log.c, or it is too long")
    with tempfile.TemporaryDirectory() as folder:
        problems += not run_log(os.path.abspath(log), os.path.join(folder, "log"))
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
