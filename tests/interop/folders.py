# SPDX-License-Identifier: Apache-2.0
"""Folders with keys in their names, as pyarrow, DuckDB and Polars write them: the same rows as DuckDB gives.

Each folder is read with conditions on keys and on fields, with and without pruning, and compared row by row with
DuckDB's read_parquet. What differs by intention is not in these folders: DuckDB takes -0, +1 and " 1" for integers
and 2024-1-2 for a date, and gives the key of a folder where the file has a field of that name.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import engines

pa = engines.pyarrow
TEXTS = ["north", "a/b", "x=y", "50%", "blank in it", "s\u00fcd", "\u4e2d", "'q'", '"', "a:b", "#?&", "1a", "", "~"]


def lamella(*arguments):
    done = subprocess.run([engines.PROGRAM, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()


def tables(random_state):
    """Names of keys, and a table with them and with fields."""
    count = random_state.randrange(1, 60)

    def column(make, nulls=0.15):
        return [None if random_state.random() < nulls else make() for _ in range(count)]

    day = pa.array(column(lambda: random_state.randrange(19000, 19006)), pa.int32()).cast(pa.date32())
    return (
        ["d", "n", "t"],
        pa.table(
            {
                "x": pa.array(range(count), pa.int64()),
                "s": pa.array(column(lambda: random_state.choice(TEXTS)), pa.string()),
                "l": pa.array(column(lambda: [1, None, random_state.randrange(9)]), pa.list_(pa.int32())),
                "d": day,
                "n": pa.array(column(lambda: random_state.choice([0, -5, 7, 2**63 - 1, -(2**63)])), pa.int64()),
                # An empty text and a null have one folder in DuckDB.
                "t": pa.array(column(lambda: random_state.choice([t for t in TEXTS if t])), pa.string()),
            }
        ),
    )


def write_pyarrow(table, keys, folder):
    import pyarrow.dataset

    fields = pa.schema([table.schema.field(key) for key in keys])
    partitioning = pyarrow.dataset.partitioning(fields, flavor="hive")
    pyarrow.dataset.write_dataset(table, folder, format="parquet", partitioning=partitioning)


def write_duckdb(table, keys, folder):
    connection = engines.duckdb.connect()
    connection.register("source", table)
    connection.execute(f"COPY source TO '{folder}' (FORMAT parquet, PARTITION_BY ({', '.join(keys)}))")


def conditions(random_state, table):
    """Conditions that mean the same in both."""
    row = random_state.randrange(table.num_rows)
    result = ["x >= 0", "d is null", "n is not null and t is null", "n > 0 or x < 5", "d > '2022-01-09'"]
    for key in ("d", "n", "t"):
        value = table[key][row].as_py()
        if value is None:
            continue
        text = str(value).replace("'", "''") if key == "t" else str(value)
        for operator in ("=", "<", ">=", "!="):
            result.append(f"{key} {operator} {text if key == 'n' else chr(39) + text + chr(39)}")
    return result


def plain(value):
    return value.isoformat() if hasattr(value, "isoformat") else value


def duckdb_rows(folder, condition):
    connection = engines.duckdb.connect()
    query = f"SELECT * FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true) WHERE {condition}"
    result = connection.execute(query)
    names = [about[0] for about in result.description]
    types = [str(about[1]) for about in result.description]
    return [{name: plain(value) for name, value in zip(names, row)} for row in result.fetchall()], types


def compare(folder, condition, *options):
    printed, _ = lamella("cat", *options, "--where", condition, folder)
    ours = [json.loads(line) for line in printed.splitlines()]
    theirs, types = duckdb_rows(folder, condition)
    # A text that is a number or a date in all files is one for both; the order of files is ours.
    key = lambda row: row["x"]
    assert sorted(ours, key=key) == sorted(theirs, key=key), (folder, condition, types)
    counted, _ = lamella("count", *options, "--where", condition, folder)
    assert int(counted) == len(theirs), (folder, condition)
    return len(theirs)


def check_pruning(folder):
    """Conditions on keys alone read footers only."""
    _, explained = lamella("cat", "--explain", "--where", "n = 4", folder)
    for line in explained.splitlines():
        if "ruled out: " in line and "by statistics" in line:
            groups, out = re.split(" row groups? examined; ruled out: ", line)
            assert groups.rsplit(" ", 1)[1] == out.split(" ", 1)[0], line


def main():
    if not pa or not engines.duckdb:
        print("pyarrow or DuckDB is missing: skipped")
        sys.exit(77)
    seed = int(os.environ.get("LAMELLA_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    random_state = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="lamella-folders-")
    found = compared = 0
    try:
        for number in range(4):
            keys, table = tables(random_state)
            for name, write in (("pyarrow", write_pyarrow), ("DuckDB", write_duckdb)):
                path = os.path.join(folder, f"{name}-{number}")
                write(table, keys, path)
                open(os.path.join(path, "_SUCCESS"), "w").close()
                for condition in conditions(random_state, table):
                    found += compare(path, condition)
                    compared += 1
                compare(path, "n = 7", "--no-pruning")
                check_pruning(path)
    finally:
        shutil.rmtree(folder)
    print(compared, "conditions,", found, "rows")
    assert found > 0


if __name__ == "__main__":
    main()
