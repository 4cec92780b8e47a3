# SPDX-License-Identifier: Apache-2.0
"""Statistics, page indexes and Bloom filters of files that Lamella writes, as other engines see them:
random tables, compared with what a naive computation over the records gives.

Usage: written_metadata.py LAMELLA
"""

import json
import math
import os
import random
import tempfile

import engines

duckdb, polars, pq = engines.duckdb, engines.polars, engines.pyarrow.parquet
TABLES = int(os.environ.get("LAMELLA_TABLES", "20"))
SEED = int(os.environ.get("LAMELLA_SEED", "1"))
SCHEMA = """message m {
  required int64 id; optional int32 small (INTEGER(32,false)); optional double x;
  optional binary s (STRING); required boolean b; repeated int64 l;
  optional group g { required binary t (STRING); } }"""
WORDS = ["", "a", "b", "ab", "\u00e4\u00f6", "zz", "\U0001f600", "long " * 30]


def record(rng, row, distinct):
    values = {
        "id": (row * 7919) % distinct - 5,
        "small": rng.choice([None, 0, 2**31, 2**32 - 1, rng.randrange(2**32)]),
        "x": rng.choice([None, rng.uniform(-9, 9), 0.5, row / 2]),
        "s": rng.choice([None, rng.choice(WORDS), f"name{row % distinct}"]),
        "b": rng.random() < 0.5,
        "l": [rng.randrange(distinct) for _ in range(rng.randrange(4))],
        "g": None if rng.random() < 0.3 else {"t": rng.choice(WORDS)},
    }
    return values


def leaf_values(records, path):
    """All values of a leaf, and how many places have none."""
    values, nulls = [], 0
    for item in records:
        value = item
        for name in path.split("."):
            value = None if value is None else value[name]
        here = value if isinstance(value, list) else [value]
        nulls += sum(x is None for x in here) + (here == [])
        values += [x for x in here if x is not None]
    return values, nulls


def order(value):
    return value.encode() if isinstance(value, str) else value


def expect(condition, *what):
    if not condition:
        raise AssertionError(f"LAMELLA_SEED={SEED}: {what}")


def check_statistics(path, records, rows):
    meta = pq.read_metadata(path)
    for group in range(meta.num_row_groups):
        part = records[group * rows : (group + 1) * rows]
        for leaf in range(meta.num_columns):
            column = meta.row_group(group).column(leaf)
            values, nulls = leaf_values(part, column.path_in_schema)
            stats = column.statistics
            place = (column.path_in_schema, group, stats)
            expect(stats.null_count == nulls and stats.num_values == len(values), place)
            expect(column.has_offset_index and column.has_column_index, place)
            expect(stats.has_min_max == bool(values), place)
            if stats.has_distinct_count:
                expect(stats.distinct_count == len(set(values)), place)
            if not values:
                continue
            low, high = min(values, key=order), max(values, key=order)
            if isinstance(low, str) and max(len(low.encode()), len(high.encode())) > 64:
                expect(order(stats.min) <= order(low) and order(stats.max) >= order(high), place)
            else:
                expect(stats.min == low and stats.max == high, place, low, high)


def check_duckdb(path, records, rows):
    connection = duckdb.connect()
    groups = math.ceil(len(records) / rows)
    for name in ("id", "s"):
        for value in {item[name] for item in records[:60]} - {None}:
            found = connection.execute("select * from parquet_bloom_probe(?, ?, ?)", [path, name, value]).fetchall()
            expect(len(found) == groups, name, found)
            for _, group, excludes in found:
                there = any(item[name] == value for item in records[group * rows : (group + 1) * rows])
                expect(not (there and excludes), name, value, group)
            got = connection.execute(f"select count(*) from '{path}' where {name} = ?", [value]).fetchone()[0]
            expect(got == sum(item[name] == value for item in records), name, value)
    absent = connection.execute("select * from parquet_bloom_probe(?, 's', 'nobody')", [path]).fetchall()
    return sum(excludes for _, _, excludes in absent), groups


def check_polars(path, records, rng):
    for value in rng.sample([item["id"] for item in records], 5):
        got = polars.scan_parquet(path).filter(polars.col("id") == value).select("id").collect().height
        expect(got == sum(item["id"] == value for item in records), value)


def main():
    excluded = groups = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(TABLES):
            rng = random.Random(SEED * 1000 + number)
            count, distinct = rng.randrange(1, 3000), rng.choice([2, 50, 10**6])
            records = [record(rng, row, distinct) for row in range(count)]
            rows = rng.choice([300, 1000, 10**6])
            path = os.path.join(folder, f"{number}.parquet")
            text = "".join(json.dumps(item) + "\n" for item in records).encode()
            options = ["--data-page-version", str(1 + number % 2), "--page-size", "2000"]
            options += ["--compat", ["max", "modern"][number // 2 % 2]]
            options += ["--no-dictionary"] if number % 3 == 0 else []
            blooms = ["--bloom", "id", "--bloom", "s=0.001", "--bloom", "l", "--bloom", "g"]
            engines.lamella("import", "--schema", SCHEMA, "-o", path, "--row-group-rows", str(rows), *options, *blooms, "-", stdin=text)
            engines.lamella("check", path)
            check_statistics(path, records, rows)
            found, asked = check_duckdb(path, records, rows)
            excluded, groups = excluded + found, groups + asked
            check_polars(path, records, rng)
    print(f"{TABLES} tables, an absent name is excluded from {excluded} of {groups} row groups")
    expect(excluded > 0.9 * groups, excluded, groups)


if __name__ == "__main__":
    main()
