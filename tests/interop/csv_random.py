# SPDX-License-Identifier: Apache-2.0
"""Random CSV, imported, beside what DuckDB's reader makes of the same text.

Each text has its own delimiter, line ends, quoting and number of rows; each column holds values of one kind,
sometimes with one of another among them, and nulls. Names and numbers of rows must be equal. Where both infer
the same type, the values must be; where they do not, the pair of types must be among DIFFERENT, with the reason,
and DuckDB must read the column as the type that import inferred, to the same values.

Usage: csv_random.py LAMELLA [LIBRARY] [--rounds N]; LAMELLA_SEED is the seed, which is printed.
"""

import csv
import datetime
import os
import random
import sys
import tempfile
import uuid

import engines

duckdb, PROGRAM = engines.duckdb, engines.PROGRAM
ROUNDS = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 60
SEED = int(os.environ.get("LAMELLA_SEED") or random.SystemRandom().randrange(1 << 32))

# (import, DuckDB): why both are well.
DIFFERENT = {
    ("VARCHAR", "BIGINT"): "zeros in front are text here, as they are lost in numbers",
    ("VARCHAR", "DOUBLE"): "zeros in front, or integers that a double does not keep, are text here",
    ("VARCHAR", "TIMESTAMP"): "dates beside times in UTC are text here",
    ("VARCHAR", "TIMESTAMP WITH TIME ZONE"): "local times beside times in UTC are text here",
    ("UUID", "VARCHAR"): "UUIDs are texts there",
    ('"NULL"', "VARCHAR"): "a column without values has no type here",
    ("TIMESTAMP", "VARCHAR"): "dates beside times are times here",
}

WORDS = ["", "x", "é€", "a b", "semi;colon", "com,ma", 'quo"te', "bar|", "tab\t", "it's", "two\nlines", "-", "nul"]


def integer(chance):
    return str(chance.randrange(-(10 ** chance.choice([1, 3, 9, 18])), 10 ** chance.choice([1, 3, 9, 18])))


def number(chance):
    return repr(round(chance.uniform(-1, 1) * 10 ** chance.choice([0, 3, 6]), chance.choice([1, 2, 6])))


def day(chance):
    return str(datetime.date.fromordinal(chance.randrange(600000, 800000)))


def time(chance):
    fraction = chance.choice(["", "", f".{chance.randrange(1000):03}", f".{chance.randrange(10**6):06}"])
    return f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}{fraction}"


KINDS = {
    "integer": integer,
    "number": number,
    "boolean": lambda chance: chance.choice(["true", "false", "True", "FALSE"]),
    "day": day,
    "time": time,
    "local": lambda chance: day(chance) + chance.choice("T ") + time(chance),
    "utc": lambda chance: day(chance) + chance.choice("T ") + time(chance) + chance.choice(["Z", "+01:00", "+00"]),
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128))),
    "word": lambda chance: chance.choice(WORDS),
}


def make_table(chance):
    """Names, and rows of texts; None is an empty field without quotes."""
    count = chance.choice([2, 2, 3, 5, 8])
    rows = chance.choice([1, 2, 5, 20, 200])
    columns = []
    for _ in range(count):
        kind = chance.choice(list(KINDS))
        nulls = chance.choice([0, 0, 0.1, 0.5])
        column = [None if chance.random() < nulls else KINDS[kind](chance) for _ in range(rows)]
        if chance.random() < 0.15:
            column[chance.randrange(rows)] = KINDS[chance.choice(list(KINDS))](chance) or "x"
        columns.append(column)
    names = [f"{chance.choice(['col', 'Name', 'x y'])}{i}" for i in range(count)]
    return names, list(zip(*columns))


def write(path, chance, names, rows):
    """Gives the delimiter. A word that is empty is quoted, a null is not."""
    delimiter, end = chance.choice(",;\t|"), chance.choice(["\n", "\r\n"])
    always = chance.random() < 0.2

    def field(value):
        if value is None:
            return ""
        needs = value == "" or any(c in value for c in (delimiter, '"', "\n", "\r"))
        return '"' + value.replace('"', '""') + '"' if needs or always else value

    with open(path, "w", encoding="utf-8", newline="") as file:
        for row in [names, *rows]:
            file.write(delimiter.join(map(field, row)) + end)
    with open(path, encoding="utf-8", newline="") as file:
        read = list(csv.reader(file, delimiter=delimiter))
    assert len(read) == len(rows) + 1  # what is compared is a table for a third reader, too
    return delimiter


def types_of(connection, source):
    return {row[0]: row[1] for row in connection.execute(f"describe from {source}").fetchall()}


def compare(connection, folder, chance, counts):
    names, rows = make_table(chance)
    text, file = os.path.join(folder, "in.csv"), os.path.join(folder, "out.parquet")
    delimiter = write(text, chance, names, rows)
    engines.lamella("import", "-o", file, text)
    # The dialect is given to DuckDB, whose sniffer takes other quotes and comments for granted.
    given = f"""'{text}', delim = '{delimiter}', quote = '"', escape = '"', header = true, sample_size = -1,
                allow_quoted_nulls = """
    ours = types_of(connection, f"'{file}'")
    theirs = {quoted_nulls: types_of(connection, f"read_csv({given}{quoted_nulls})") for quoted_nulls in (False, True)}
    assert list(ours) == list(theirs[False]) == list(theirs[True]) == names, (list(ours), theirs)
    for name in names:
        # An empty field in quotes is a text in a column of texts, and a null in others (docs/import.md).
        quoted_nulls = ours[name] != "VARCHAR"
        pair = (ours[name], theirs[quoted_nulls][name])
        counts[pair[0] == pair[1]] += 1
        assert pair[0] == pair[1] or pair in DIFFERENT, (name, pair)
        quoted = '"' + name + '"'
        got = connection.execute(f"select {quoted}::varchar from '{file}'").fetchall()
        options = f"{given}{quoted_nulls}"
        if pair[0] not in (pair[1], '"NULL"'):
            options += f", types = {{'{name}': '{pair[0]}'}}"
        # A cast of what is read would become the type that is read.
        connection.execute(f"create or replace temp table theirs as select {quoted} from read_csv({options})")
        wanted = connection.execute("select columns(*)::varchar from theirs").fetchall()
        assert len(got) == len(rows)
        if repr(got) != repr(wanted):
            first = next(i for i in range(len(got)) if repr(got[i]) != repr(wanted[i]))
            raise AssertionError((name, pair, first, rows[first], got[first], wanted[first]))


def main():
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    counts = {True: 0, False: 0}
    print(f"LAMELLA_SEED={SEED}, {ROUNDS} rounds")
    for number_of_round in range(ROUNDS):
        chance = random.Random(SEED * 1000003 + number_of_round)
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(connection, folder, chance, counts)
            except (AssertionError, engines.Failure, duckdb.Error) as failure:
                with open(os.path.join(folder, "in.csv"), encoding="utf-8", newline="") as file:
                    print(repr(file.read()[:3000]))
                print(f"round {number_of_round}: {failure}")
                return 1
    print(f"{counts[True]} columns of the same type, {counts[False]} of others for a reason")
    return 0 if counts[True] > 4 * counts[False] else 1


if __name__ == "__main__":
    sys.exit(main())
