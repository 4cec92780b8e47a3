# SPDX-License-Identifier: Apache-2.0
"""Files of other writers, read in every way that the program and the library have, and by another engine.

Of each *.parquet below the folders, these must say the same: pyarrow (DuckDB or Polars, where it refuses a
file), what cat prints, an Arrow stream, and cat --skip --limit; for conditions on each column, cat --where
with and without --no-pruning, streams with the same filter, and the rows that Python chooses by itself.
check must end, and where it finds errors its rules are listed, as what a writer does wrong is no fault here.

Where a file is refused, each column is asked for alone, and those that are read are compared. A table by
writer (the name of the folder) comes last: the files; those read equal; those refused, in whole or in
columns; those whose values, filtered rows or slices differ; check's findings by severity and rule.
EXPECTED holds what differs, or is refused, by design, with the reason: all else ends with status 1.

Without folders, the pyarrow, DuckDB and Polars that are here write a few files, by the scripts of
tests/interop/writers; old_writers makes folders of many versions of these and others.

Usage: compare_writers.py LAMELLA LIBRARY [FOLDER...] [--quick]
"""

import collections
import decimal
import fnmatch
import glob
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import engines

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "conformance"), os.path.join(HERE, "..", "arrow")]
import canonical  # noqa: E402
import lamella_ctypes  # noqa: E402

pa, PROGRAM = engines.pyarrow, engines.PROGRAM
types = pa.types
CONDITIONS = 2  # on each of so many columns, drawn by the file's name
LEAVES = 8
SOME = 6  # files of each engine that is here
SEED = int(os.environ.get("LAMELLA_SEED", "1"))
ALL_REFUSE = "refused by all"
# Patterns of "folder/file", words of what is found there, and why that is well.
EXPECTED = [
    ("*parquetjs*", "pages: ", "column indexes without null_pages, which pages tells of each"),
    ("duckdb-1.[0-2]*/*array*", "differs: DuckDB: ", "a repeated group `array` is the element (LogicalTypes.md)"),
    ("dsnp*/bloom*", "meta: ", "Bloom filters of a kind that is not known, which meta tells of each"),
    ("parquet-mr-1.1[128]*", "column 'span': None", "INTERVAL beside UNKNOWN, which pyarrow takes for nothing but nulls"),
    ("parquet-mr*", "DuckDB: row 1, column 'stamp'", "DuckDB has microseconds of INT96"),
    ("pyarrow-0.17.1/struct*", "hybrid runs end before the last value", "so say pyarrow and DuckDB, too"),
    ("xitongsys*", "pages: ", "column indexes with one page too many, which pages tells of each"),
    ("xitongsys*/lz4*", "no judge: ", "LZ4 that no other engine reads; the rows are those of the other codecs"),
    ("xitongsys*", "an interval has a part of more than", "Arrow's intervals are signed; cat has them"),
]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, check=False)


def message(done):
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("lamella: ") if lines else f"status {done.returncode}"


# --- What another engine reads ----------------------------------------------------------------------


def judge(path):
    """(name of the engine, table), or (None, why each refuses)."""
    refusals = []
    for name, read in [
        ("pyarrow", engines.read_pyarrow),
        ("DuckDB", engines.read_duckdb),
        ("Polars", engines.read_polars),
    ]:
        try:
            table = read(path)
            for n in range(table.num_columns):
                canonical.from_arrow(table.column(n))
            return name, table
        except BaseException as error:  # a panic of Polars is no Exception
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            refusals.append(f"{name}: {str(error).splitlines()[0]:.150}")
    return None, "; ".join(refusals)


def ours(field, value):
    """A value of the program's JSON as `canonical` has it; durations, which JSON has as bare numbers, too."""
    found = canonical.storage(field.type)
    if types.is_duration(found):
        return None if value is None else value * canonical.UNITS[found.unit]
    if types.is_interval(found):
        return interval(canonical.from_json(field.type, value))
    return canonical.from_json(field.type, value)


def interval(value):
    """(months, days, nanoseconds) as the 12 bytes of the format, which pyarrow leaves them."""
    return value and struct.pack("<III", value[0], value[1], value[2] // 10**6)


def columns_of(table):
    columns = [canonical.from_arrow(table.column(n)) for n in range(table.num_columns)]
    for n, field in enumerate(table.schema):
        if types.is_interval(field.type):
            columns[n] = [interval(value) for value in columns[n]]
    return columns


def octets(value):
    """A value with its texts as bytes."""
    if isinstance(value, str):
        return value.encode()
    return type(value)(octets(item) for item in value) if isinstance(value, (list, tuple)) else value


def difference(names, theirs, mine, what):
    for name, one, other in zip(names, theirs, mine):
        if len(one) != len(other):
            return f"{what}: column '{name}': {len(one)} rows, not {len(other)}"
        for row, (value, found) in enumerate(zip(one, other)):
            if value != found and octets(value) != octets(found):
                return f"{what}: row {row}, column '{name}': {value!r:.120}, not {found!r:.120}"
    return None


# --- Conditions --------------------------------------------------------------------------------------


def comparable(found, value):
    """A canonical value in the order that conditions have; None for a null."""
    if value is None:
        return None
    if types.is_floating(found):
        if value == "nan":
            return (1, 0.0)
        code = {16: "<e", 32: "<f", 64: "<d"}[found.bit_width]
        return (0, struct.unpack(code, bytes.fromhex(value))[0])
    if types.is_decimal(found):
        return decimal.Decimal(value)
    if isinstance(value, str):
        return value.encode()
    return value


def literal(found, value):
    """A comparable value in the words of conditions; None where there are none."""
    if types.is_boolean(found):
        return str(value).lower()
    if types.is_floating(found):
        nan, number = value
        if nan or math.isinf(number):
            return "'NaN'" if nan else "'Infinity'" if number > 0 else "'-Infinity'"
        return repr(number)
    if types.is_integer(found) or types.is_decimal(found):
        return format(value, "f") if types.is_decimal(found) else str(value)
    if canonical.is_text(found):
        return "'" + value.decode().replace("'", "''") + "'"
    if canonical.is_bytes(found):
        return f"x'{value.hex()}'"
    return None


def printed_literal(found, value):
    """The JSON of a time in the words of conditions."""
    return f"'{value}'" if types.is_date(found) or types.is_timestamp(found) or types.is_time(found) else None


def leaves(found, path, values, printed):
    """Each leaf below a value: (path as conditions have it, type, the items of each row, the same as JSON)."""
    found = canonical.storage(found)
    if types.is_struct(found):
        for n, inner in enumerate(found):
            below, shown = (
                [[None if item is None else item[n][1] for item in row] for row in rows] for rows in (values, printed)
            )
            yield from leaves(inner.type, f"{path}.{quoted(inner.name)}", below, shown)
    elif canonical.is_list(found):
        below, shown = (
            [[item for items in row if items is not None for item in items] for row in rows] for rows in (values, printed)
        )
        yield from leaves(found.value_type, path + "[]", below, shown)
    elif not types.is_nested(found):
        yield path, found, values, printed


def leaves_of(field, values, printed):
    """The leaves of a column, of which each row has a value."""
    yield from leaves(field.type, quoted(field.name), [[value] for value in values], [[value] for value in printed])


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


OPERATORS = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "!=": lambda a, b: a != b,
}


def conditions(rng, leaf):
    """Conditions on a leaf with the rows for which they are true."""
    name, found, values, printed = leaf
    keys = [[comparable(found, value) for value in row] for row in values]
    known = [(row, n) for row, items in enumerate(keys) for n, item in enumerate(items) if item is not None]
    if not types.is_null(found):
        if "[]" not in name:
            yield f"{name} is null", [row for row, items in enumerate(keys) if items[0] is None]
    for _ in range(CONDITIONS if known else 0):
        row, n = rng.choice(known)
        value = keys[row][n]
        if isinstance(printed[row][n], engines.Pairs):  # an INTERVAL, which has no order
            return
        text = printed_literal(found, printed[row][n]) or literal(found, value)
        if text is None or types.is_decimal(found) and "E" in text:
            return
        operator = rng.choice(list(OPERATORS) if not types.is_boolean(found) else ["=", "!="])
        test = OPERATORS[operator]
        rows = [r for r, items in enumerate(keys) if any(item is not None and test(item, value) for item in items)]
        yield f"{name} {operator} {text}", rows


# --- One file ------------------------------------------------------------------------------------------


class Report:
    def __init__(self):
        self.problems = []  # (kind, text)
        self.rules = collections.Counter()

    def add(self, kind, text):
        self.problems.append((kind, text))


def check_of(path, report):
    done = run("check", "--json", "--all", path)
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        finding = json.loads(line)
        if "rule" in finding and finding["severity"] != "note":
            report.rules[finding["severity"], finding["rule"]] += 1
    errors = sum(count for (severity, _), count in report.rules.items() if severity == "error")
    if done.returncode != (1 if errors else 0):
        report.add("check", f"check ends with {done.returncode}: {message(done)}")


def slices(path, lines, rng, report):
    for _ in range(3):
        skip, limit = rng.randrange(len(lines) + 2), rng.choice([1, 7, 300])
        done = run("cat", "--variant", "storage", "--skip", str(skip), "--limit", str(limit), path)
        if done.returncode != 0 or done.stdout.splitlines() != lines[skip : skip + limit]:
            report.add("slice", f"--skip {skip} --limit {limit}: {message(done)}")


def is_comparable(found):
    """Not so: what has no order, and VARIANTs, whose parts are named in another way."""
    if types.is_struct(found) and {"metadata", "value"} <= {field.name for field in found}:
        return False
    return not (isinstance(found, pa.BaseExtensionType) or types.is_map(found) or types.is_interval(found))


def filtered(path, table, mine, records, lines, rng, report):
    reader = lamella_ctypes.Reader(path)
    fields = list(enumerate(table.schema))
    for n, field in rng.sample(fields, min(LEAVES, len(fields))):
        printed = [record[n][1] for record in records]
        if not is_comparable(field.type):
            continue
        for leaf in leaves_of(field, mine[n], printed):
            for text, rows in conditions(rng, leaf):
                expected = [lines[row] for row in rows]
                for options in ([], ["--no-pruning"]):
                    done = run("cat", "--variant", "storage", "--where", text, *options, path)
                    found = done.stdout.splitlines()
                    if done.returncode != 0:
                        report.add("filter", f"{' '.join(options)} {text:.100}: {message(done)}")
                    elif found != expected:
                        report.add(
                            "filter", f"{' '.join(options)} {text:.100}: {len(found)} rows of {len(expected)}"
                        )
                try:
                    count = reader.table(where=text, thread_count=rng.choice([1, 2])).num_rows
                    if count != len(rows):
                        report.add("filter", f"stream: {text:.100}: {count} rows of {len(rows)}")
                except (lamella_ctypes.Error, pa.ArrowException, OSError) as error:
                    report.add("filter", f"stream: {text:.100}: {error}")
    reader.close()


def place_of(text):
    """A message without the name of the file."""
    return text.split(": ", 1)[-1]


def readable(path, names, report):
    """The columns that cat reads; those that streams alone refuse are not among them."""
    found = []
    for name in names:
        done = run("cat", "--columns", name, path)
        if done.returncode != 0:
            report.add("refused", f"column '{name}': {place_of(message(done))}")
        elif stream_of(path, report, [name]) is not None:
            found.append(name)
    return found


def stream_of(path, report, columns=None):
    tables = []
    for options in ({}, {"batch_rows": 97, "thread_count": 2}):
        if columns is not None:
            options["columns"] = columns
        try:
            tables.append(lamella_ctypes.read(path, **options))
        except (lamella_ctypes.Error, pa.ArrowException, OSError) as error:
            report.add("stream refused", str(error).splitlines()[0])
            return None
    if not tables[0].equals(tables[1]) and columns_of(tables[0]) != columns_of(tables[1]):
        report.add("differs", "streams with other batches and threads give other values")
    return tables[0]


def compare(path, quick):
    """The report of a file."""
    report, rng = Report(), random.Random(os.path.basename(path))
    check_of(path, report)
    for command in (["meta", "--json", "--verbose"], ["pages", "--index", "--json"], ["schema"]):
        done = run(*command, path)
        if done.returncode != 0:
            report.add(command[0], message(done))
    engine, table = judge(path)
    done, columns = run("cat", "--variant", "storage", path), None
    if engine is None:
        report.add("no judge" if done.returncode == 0 else ALL_REFUSE, f"{table}; {message(done)}")
        if done.returncode != 0:
            return report
    if done.returncode != 0:
        report.add("refused", place_of(message(done)))
        columns = readable(path, table.column_names, report)
        if not columns:
            return report
        table = table.select(columns)
        done = run("cat", "--variant", "storage", "--columns", ",".join(columns), path)
    lines = done.stdout.splitlines()
    records = [engines.decode(line.decode()) for line in lines]
    stream = stream_of(path, report, columns)
    # The library's own types say how JSON is to be read: pyarrow has ENUMs as bytes.
    reference = table if stream is None else stream
    if reference is None or isinstance(reference, str):
        return report
    names = reference.column_names
    if len(names) != (len(records[0]) if records else len(names)):
        report.add("differs", f"{engine} has the columns {names}")
        return report
    try:
        mine = [
            [ours(field, record[n][1]) for record in records] for n, field in enumerate(reference.schema)
        ]
    except Exception as error:  # the types of engine and program have nothing in common
        report.add("differs", f"{engine}: {type(error).__name__}: {error}")
        return report
    for other, what in [(table if engine else None, engine), (stream, "stream")]:
        found = None if other is None else difference(names, columns_of(other), mine, what)
        if found:
            report.add("differs", found)
    if not quick and columns is None:
        slices(path, lines, rng, report)
        filtered(path, reference, mine, records, lines, rng, report)
    return report


# --- All files -----------------------------------------------------------------------------------------


def expected(name, kind, text):
    return kind == ALL_REFUSE or any(
        fnmatch.fnmatch(name, pattern) and words in f"{kind}: {text}" for pattern, words, _ in EXPECTED
    )


def written_here(folder):
    """Some of the files that the engines at hand write."""
    for name in ("pyarrow", "duckdb", "polars"):
        out = os.path.join(folder, name)
        os.makedirs(out)
        script = os.path.join(HERE, "writers", f"make_{name}.py")
        subprocess.run([sys.executable, "-B", script, out], check=True, capture_output=True)
        paths = sorted(glob.glob(f"{out}/*.parquet"))
        assert paths, name
        yield from random.Random(SEED).sample(paths, min(SOME, len(paths)))


def main():
    folders = [argument for argument in sys.argv[3:] if not argument.startswith("--")]
    lamella_ctypes.load(sys.argv[2])
    if folders:
        found = sorted(path for folder in folders for path in glob.glob(f"{folder}/**/*.parquet", recursive=True))
        sys.exit(1 if compare_all(found) or not found else 0)
    print(f"LAMELLA_SEED={SEED} draws the files")
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if compare_all(list(written_here(folder))) else 0)


def compare_all(paths):
    """The number of differences that EXPECTED does not have."""
    by_writer, seen, unexpected = {}, {}, 0
    for path in paths:
        writer = os.path.basename(os.path.dirname(path))
        name = f"{writer}/{os.path.basename(path)}"
        report = compare(path, "--quick" in sys.argv)
        counts, rules = by_writer.setdefault(writer, (collections.Counter(), collections.Counter()))
        counts["files"] += 1
        kinds = {kind for kind, _ in report.problems}
        counts["equal"] += not kinds - {"check"}
        counts.update(kinds)
        rules.update(f"{severity} {rule}" for severity, rule in report.rules)
        for kind, text in report.problems:
            known = expected(name, kind, text)
            unexpected += not known
            alike = re.sub(r"\d+|'[^']*'|\".*\"", "#", text)
            like = seen.setdefault((writer, kind, alike), [])
            like.append(name)
            if len(like) <= 2:
                print(f"{'as expected: ' if known else ''}{name}: {kind}: {text}", flush=True)
    for (_, kind, alike), names in seen.items():
        if len(names) > 2:
            print(f"{len(names)} like {names[0]}: {kind}: {alike:.120}")
    print("\nwriter: files, equal; what is not; files with findings of check")
    for writer, (counts, rules) in by_writer.items():
        others = ", ".join(f"{kind} {n}" for kind, n in counts.items() if kind not in ("files", "equal") and n)
        found = ", ".join(f"{rule} {n}" for rule, n in sorted(rules.items()))
        print(f"{writer}: {counts['files']}, {counts['equal']}; {others or 'nothing'}; {found or 'nothing'}")
    return unexpected


if __name__ == "__main__":
    main()
