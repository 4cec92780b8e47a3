# SPDX-License-Identifier: Apache-2.0
"""cat --where, and Arrow streams with the same filter, against DuckDB's WHERE: random conditions on
random tables, in files of three engines with all the statistics, page indexes and Bloom filters that
each writes, and without any of them. Streams give all columns, and must give the very rows.

Usage: filters.py LAMELLA LIBRARY
"""

import datetime
import decimal
import json
import os
import random
import subprocess
import sys
import tempfile

import engines

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "arrow"))
import lamella_ctypes  # noqa: E402

duckdb, polars, pa, PROGRAM = engines.duckdb, engines.polars, engines.pyarrow, engines.PROGRAM
pq = pa.parquet
TABLES = int(os.environ.get("LAMELLA_TABLES", "12"))
CONDITIONS = 20  # on each file
SEED = int(os.environ.get("LAMELLA_SEED", "1"))
DAY = datetime.date(2024, 1, 1)
WORDS = ["", "a", "b", "ab", "it's", "zz", "\u00e4\u00f6", "long " * 30]

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("small", pa.int8()),
        ("u", pa.uint32()),
        ("x", pa.float64()),
        ("f", pa.float32()),
        ("b", pa.bool_()),
        ("s", pa.string()),
        ("d", pa.decimal128(9, 2)),
        ("day", pa.date32()),
        ("t", pa.timestamp("us")),
        ("g", pa.struct([("v", pa.int32()), ("w", pa.string())])),
        ("l", pa.list_(pa.int32())),
        ("m", pa.map_(pa.string(), pa.int32())),
    ]
)
KEYS = ["a", "it's", "", "k5", "\u00e4"]
# Columns that compare with each other.
PAIRS = [
    ("id", "small"), ("id", "u"), ("small", "u"), ("x", "id"), ("x", "f"), ("d", "x"), ("d", "f"), ("id", "d"),
    ("day", "t"), ("t", "t"), ("s", "g.w"), ("g.v", "small"), ("g.v", "x"), ("b", "b"), ("s", "s"), ("u", "x"),
]


def value_of(rng, name, row):
    """A value of a column; those of some columns rise, so that pages can be ruled out."""
    numbers = {
        "id": lambda: row // 3,
        "small": lambda: rng.randrange(-128, 128),
        "u": lambda: rng.choice([0, 5, 2**31, 2**32 - 1, rng.randrange(2**32)]),
        "x": lambda: rng.choice([row * 0.5, -1.25, 0.0, float("inf"), rng.uniform(-9, 9)]),
        "f": lambda: rng.choice([0.5, -2.0, rng.randrange(64) / 8]),
        "b": lambda: rng.random() < 0.5,
        "s": lambda: rng.choice(WORDS) if rng.random() < 0.7 else f"{row:05}",
        "d": lambda: decimal.Decimal(rng.randrange(-99999, 99999)).scaleb(-2),
        "day": lambda: DAY + datetime.timedelta(days=row // 10),
        "t": lambda: datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=rng.randrange(9999)),
        "g": lambda: {"v": rng.randrange(9) if rng.random() < 0.8 else None, "w": rng.choice(WORDS)},
        "l": lambda: [rng.randrange(20) if rng.random() < 0.9 else None for _ in range(rng.randrange(4))],
        "m": lambda: [
            (key, rng.randrange(20) if rng.random() < 0.9 else None) for key in KEYS if rng.random() < 0.4
        ],
    }
    return numbers[name]()


def make_table(rng):
    rows = rng.randrange(1, 400)
    nulls = rng.choice([0, 0.1, 0.9])
    columns = [
        pa.array([None if rng.random() < nulls else value_of(rng, field.name, row) for row in range(rows)], field.type)
        for field in SCHEMA
    ]
    return pa.Table.from_arrays(
        [pa.array(range(rows), pa.int64()), *columns],
        schema=pa.schema([pa.field("row", pa.int64(), nullable=False), *SCHEMA]),
    )


def write_files(rng, table, folder):
    """Files of three engines, and of Lamella made from the first."""
    paths = [os.path.join(folder, name) for name in ("pyarrow", "duckdb", "polars", "lamella")]
    pq.write_table(
        table, paths[0], row_group_size=rng.choice([10, 100, 1000]), write_page_index=rng.random() < 0.8,
        data_page_size=rng.choice([64, 1000, 100000]), write_batch_size=8,
        data_page_version=rng.choice(["1.0", "2.0"]), use_dictionary=rng.random() < 0.5,
        store_decimal_as_integer=rng.random() < 0.5,
    )
    duckdb.from_arrow(table).write_parquet(paths[1], row_group_size=rng.choice([2048, 4096]))
    polars.from_arrow(table).write_parquet(paths[2], row_group_size=rng.choice([50, 1000]))
    run("import", "--schema", run("schema", paths[0]).decode(), "--row-group-rows", str(rng.choice([10, 100])),
        "-o", paths[3], "-", stdin=run("cat", paths[0]))
    return paths


def run(*arguments, stdin=b""):
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout


# --- Conditions, in the words of both ---------------------------------------------------------


def literal(rng, name, rows):
    """A value as (Lamella's text, DuckDB's text), often one that is there."""
    row = rng.randrange(rows + 3)
    value = value_of(rng, name, row)
    if name == "b":
        return str(value).lower(), str(value).lower()
    if name == "s":
        text = "'" + value.replace("'", "''") + "'"
        return text, text
    if name == "day":
        return f"'{value}'", f"date '{value}'"
    if name == "t":
        return f"'{value.isoformat()}'", f"timestamp '{value}'"
    if name in ("x", "f"):
        if value in (float("inf"),):
            return "'Infinity'", "'Infinity'::double"
        return repr(value), f"{value!r}::double"
    if rng.random() < 0.1 and name in ("id", "small", "u", "d"):
        value = rng.choice(["2.5", "-0.5", "1e12", "-1e12", "2.505"])
        return value, f"{value}::double"
    return str(value), str(value)


def both(text):
    return text, text


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def pattern(rng, row):
    """A pattern for s, mostly made of a value that is there."""
    letters = list(value_of(rng, "s", row)[:6])
    letters = [rng.choice("%__") if rng.random() < 0.25 else letter for letter in letters]
    if rng.random() < 0.2:
        letters = [letter.upper() for letter in letters]
    if rng.random() < 0.3:
        letters.insert(0, "%")
    if rng.random() < 0.5:
        letters.append("%")
    return "".join(letters)


def text_condition(rng, rows):
    text, row = rng.choice(["s", "g.w"]), rng.randrange(rows)
    kind = rng.random()
    if kind < 0.2:
        prefix = quoted(value_of(rng, "s", row)[: rng.randrange(4)])
        return both(f"starts_with({text}, {prefix})")
    word = rng.choice(["like", "not like", "ilike", "not ilike"])
    if kind < 0.3:
        return both(f"{text} {word} {quoted(pattern(rng, row).replace('_', '!_').replace('%', '!%') + '%')} escape '!'")
    return both(f"{text} {word} {quoted(pattern(rng, row))}")


def pair_condition(rng, rows):
    left, right = rng.choice(PAIRS)
    if rng.random() < 0.5:
        left, right = right, left
    if rng.random() < 0.2 and {left, right} <= {"id", "small", "u", "x"}:
        high = literal(rng, "id", rows)
        return tuple(f"{left} between {right} and {high[side]}" for side in (0, 1))
    return both(f"{left} {rng.choice(['=', '!=', '<', '<=', '>', '>='])} {right}")


def key_condition(rng, rows):
    key = rng.choice([*KEYS, "none"])
    ours = f"m[{quoted(key)}]" if rng.random() < 0.8 or not key.isalnum() else f"m.{key}"
    theirs = f"m[{quoted(key)}]"
    kind, number = rng.random(), rng.randrange(22)
    if kind < 0.2:
        rest = rng.choice(["is null", "is not null"])
    elif kind < 0.4:
        rest = f"{rng.choice(['', 'not '])}in ({number}, {number + 3})"
    elif kind < 0.6:
        rest = f"{rng.choice(['', 'not '])}between {number} and {number + 4}"
    else:
        rest = f"{rng.choice(['=', '!=', '<', '>='])} {number}"
    return f"{ours} {rest}", f"{theirs} {rest}"


def time_condition(rng, rows):
    operator = rng.choice(["=", "!=", "<", "<=", ">", ">="])
    kind = rng.random()
    if kind < 0.4:
        day = DAY + datetime.timedelta(days=rng.randrange(-1, 3))
        return f"t {operator} '{day}'", f"t {operator} timestamp '{day}'"
    if kind < 0.8:
        time = datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=12 * rng.randrange(rows // 5 + 2))
        return f"day {operator} '{time.isoformat()}'", f"day {operator} timestamp '{time}'"
    name, days = rng.choice(["t", "day"]), rng.choice([1, 50, 90000])
    return (
        f"{name} {operator} now() - {days}d + 5h",
        f"{name} {operator} (now() at time zone 'UTC') - interval '{days} days' + interval '5 hours'",
    )


def list_condition(rng, rows):
    low = rng.randrange(22)
    high = low + rng.randrange(5)
    return f"l[] between {low} and {high}", (
        f"(case when l is null then null when len(list_filter(l, lambda x: x between {low} and {high})) > 0 then true"
        f" when len(l) > list_count(l) then null else false end)"
    )


def comparison(rng, rows):
    if rng.random() < 0.5:
        return rng.choice([text_condition, pair_condition, key_condition, time_condition, list_condition])(rng, rows)
    name = rng.choice(["id", "small", "u", "x", "f", "b", "s", "d", "day", "t"])
    operator = rng.choice(["=", "!=", "<", "<=", ">", ">="])
    kind = rng.random()
    if kind < 0.15:
        pairs = [literal(rng, name, rows) for _ in range(rng.randrange(1, 4))]
        word = rng.choice(["in", "not in"])
        return tuple(f"{name} {word} ({', '.join(pair[side] for pair in pairs)})" for side in (0, 1))
    if kind < 0.25:
        low, high = literal(rng, name, rows), literal(rng, name, rows)
        return tuple(f"{name} between {low[side]} and {high[side]}" for side in (0, 1))
    if kind < 0.4:
        field = rng.choice([*SCHEMA.names, "g.v"])
        text = f"{field} is {rng.choice(['', 'not '])}null"
        return text, text
    if kind < 0.5:
        number = rng.randrange(10)
        return f"g.v {operator} {number}", f"g.v {operator} {number}"
    if kind < 0.6:
        number = rng.randrange(22)
        # SQL's value = ANY (list): DuckDB's list_contains knows no unknown, so that is put in.
        return rng.choice([f"l = {number}", f"l[] = {number}"]), (
            f"(case when l is null then null when list_contains(l, {number}) then true"
            f" when len(l) > list_count(l) then null else false end)"
        )
    pair = literal(rng, name, rows)
    return tuple(f"{name} {operator} {pair[side]}" for side in (0, 1))


def condition(rng, rows, depth=3):
    if depth == 0 or rng.random() < 0.4:
        return comparison(rng, rows)
    if rng.random() < 0.2:
        inner = condition(rng, rows, depth - 1)
        return tuple(f"not ({text})" for text in inner)
    left, right = condition(rng, rows, depth - 1), condition(rng, rows, depth - 1)
    word = rng.choice(["and", "or"])
    return tuple(f"({left[side]}) {word} ({right[side]})" for side in (0, 1))


# --- Arrow streams ------------------------------------------------------------------------------


class Streams:
    """The open files of a table, each with its rows as the stream without filter gives them."""

    def __init__(self, paths):
        self.readers = [lamella_ctypes.Reader(path) for path in paths]
        self.tables = [reader.table() for reader in self.readers]

    def close(self):
        for reader in self.readers:
            reader.close()

    def check(self, rng, file, where, expected):
        """None, or what is wrong with what a stream gives."""
        options = {
            "batch_rows": rng.choice([0, 1, 7, 64]),
            "thread_count": rng.choice([1, 2, 3]),
            "pruning": lamella_ctypes.OFF if rng.random() < 0.3 else 0,
        }
        if rng.random() < 0.3:
            options["dictionary_columns"] = ["s", "g.w"]
        report = lamella_ctypes.ScanReport()
        got = self.readers[file].table(where=where, report=report, **options)
        rows = got.column("row").to_pylist()
        if rows != expected:
            return f"{options}: rows {rows[:20]}"
        if report.rows_wanted != len(expected) or report.rows != self.tables[file].num_rows:
            return f"{options}: {report.rows_wanted} rows wanted of {report.rows}"
        whole = self.tables[file].take(pa.array(expected, pa.int64()))
        for name in whole.column_names:
            if str(got.column(name).to_pylist()) != str(whole.column(name).to_pylist()):
                return f"{options}: column {name}"
        got.validate(full=True)
        return None


def main():
    found = 0
    lamella_ctypes.load(sys.argv[2])
    for number in range(TABLES):
        rng = random.Random(SEED * 1000 + number)
        table = make_table(rng)
        connection = duckdb.connect()
        connection.register("data", table)
        with tempfile.TemporaryDirectory() as folder:
            paths = write_files(rng, table, folder)
            streams = Streams(paths)
            for _ in range(CONDITIONS):
                ours, theirs = condition(rng, table.num_rows)
                rows = connection.sql(f"select row from data where {theirs} order by row").fetchall()
                expected = [row for row, in rows]
                found += len(expected)
                for file, path in enumerate(paths):
                    if os.path.basename(path) == "polars" and ("m[" in ours or "m." in ours or "m is" in ours):
                        continue  # it writes a map as a list
                    wrong = streams.check(rng, file, ours, expected)
                    if wrong:
                        raise AssertionError(
                            f"table {number} (LAMELLA_SEED={SEED}), {os.path.basename(path)}: {ours}\n"
                            f"  DuckDB: {expected[:20]}\n  Lamella's stream with {wrong}"
                        )
                    for option in ([], ["--no-pruning"]):
                        lines = run("cat", "--columns", "row", "--where", ours, *option, path).splitlines()
                        got = [json.loads(line)["row"] for line in lines]
                        if got != expected:
                            raise AssertionError(
                                f"table {number} (LAMELLA_SEED={SEED}), {os.path.basename(path)} {option}: {ours}\n"
                                f"  DuckDB: {expected[:20]}\n  Lamella: {got[:20]}"
                            )
            streams.close()
    print(f"{TABLES} tables, {TABLES * CONDITIONS} conditions on 4 files each, {found} rows found")
    if found == 0:
        raise AssertionError("no condition found anything")


if __name__ == "__main__":
    main()
