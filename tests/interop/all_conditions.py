# SPDX-License-Identifier: Apache-2.0
"""Every condition on every leaf of files of many writers, with and without pruning.

Of each *.parquet below the folders, each leaf is compared, by each operator, with values that it has (the
least, the greatest, some between) and with ones that it has not; leaves outside of lists of lists are asked
whether they are null. A stream with the condition, pruned and not pruned, gives the rows that Python picks from what
the program prints, with all their elements; so does cat for some conditions, and for a slice of each file.

A table by writer (the name of the folder) comes last: files, conditions, those that are wrong with pruning
and without, files that a copy makes wrong or that check finds something in after a copy (rewrite, rewrite
--codec, merged with itself), and the faults that meta tells. Anything wrong ends with status 1.

--trusted also asks what pruning would give if no writer were distrusted: created_by is changed in a copy of
each file. What is wrong then is told, and no failure: rows of lib/meta/fault_table.c are found and proven so.

Without folders, the pyarrow, DuckDB and Polars that are here write a few files; old_writers makes folders of
many versions of these and others, and asks here with --ask.

--files N takes the N largest files of each folder.

Usage: all_conditions.py LAMELLA LIBRARY [FOLDER...] [--trusted] [--no-copies] [--files N]
"""

import collections
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import compare_writers
import engines
from compare_writers import canonical, lamella_ctypes, pa, run, types

BETWEEN = 3  # values of a leaf beside its ends
OFF = 2  # LAM_SWITCH_OFF


def ordered(found, values, printed):
    """The distinct values of a leaf in order, each with its literal."""
    texts = {}
    for row, shown in zip(values, printed):
        for value, text in zip(row, shown):
            key = compare_writers.comparable(found, value)
            if key is None or key in texts or isinstance(text, engines.Pairs):
                continue
            literal = compare_writers.printed_literal(found, text) or compare_writers.literal(found, key)
            if literal is not None and not (types.is_decimal(found) and "E" in literal):
                texts[key] = literal
    return sorted(texts.items())


def picked(rng, found, values):
    """Some of them, and literals that are no values: (comparable or None, literal)."""
    if not values:
        return []
    chosen = {0, len(values) - 1, *(rng.randrange(len(values)) for _ in range(BETWEEN))}
    some = [values[n] for n in sorted(chosen)]
    if types.is_integer(found):
        known = {value for value, _ in values}
        numbers = [values[0][0] - 1, values[-1][0] + 1, values[len(values) // 2][0] + 1]
        some += [(number, str(number)) for number in numbers if number not in known and abs(number) < 1 << 63]
    elif canonical.is_text(found):
        some += [(text.encode(), f"'{text}'") for text in ("", "zzzz", "m")]
    return some


def conditions(rng, leaf):
    """All conditions on a leaf with the rows for which they are true."""
    name, found, values, printed = leaf
    keys = [[compare_writers.comparable(found, value) for value in row] for row in values]
    if types.is_null(found):
        return
    if name.count("[]") <= 1:
        yield f"{name} is null", [row for row, items in enumerate(keys) if any(item is None for item in items)]
        yield f"{name} is not null", [row for row, items in enumerate(keys) if any(item is not None for item in items)]
    for value, text in picked(rng, found, ordered(found, values, printed)):
        for operator, test in compare_writers.OPERATORS.items():
            if types.is_boolean(found) and operator not in ("=", "!="):
                continue
            yield f"{name} {operator} {text}", [
                row for row, items in enumerate(keys) if any(item is not None and test(item, value) for item in items)
            ]


class Counts(collections.Counter):
    def __init__(self):
        super().__init__()
        self.told = collections.Counter()
        self.shown = collections.Counter()

    def say(self, path, kind, text):
        self[kind] += 1
        self.shown[kind] += 1
        if self.shown[kind] <= 3:
            print(f"{'/'.join(path.split('/')[-2:])}: {kind}: {text}", flush=True)


def same(one, other):
    return one.equals(other) or compare_writers.columns_of(one) == compare_writers.columns_of(other)


def readers_of(path, folder):
    """What is asked: (what is counted if it is wrong, reader, options)."""
    yield "pruned", lamella_ctypes.Reader(path), {}
    yield "not pruned", lamella_ctypes.Reader(path), {"pruning": OFF}
    if "--trusted" in sys.argv:
        try:
            yield "trusted", lamella_ctypes.Reader(trusted(path, folder)), {}
        except (lamella_ctypes.Error, OSError) as error:
            print(f"{path}: no copy of another name: {error}")


def ask(path, table, mine, records, lines, rng, folder, counts):
    """Asks all conditions of a file."""
    readers = list(readers_of(path, folder))
    for n, field in enumerate(table.schema):
        if not compare_writers.is_comparable(field.type):
            continue
        names = list(dict.fromkeys([table.schema[0].name, field.name]))
        shown = table.select(names)
        for leaf in compare_writers.leaves_of(field, mine[n], [record[n][1] for record in records]):
            asked = list(conditions(rng, leaf))
            by_cat = rng.sample(range(len(asked)), min(2, len(asked)))
            for number, (text, rows) in enumerate(asked):
                counts["conditions"] += 1
                expected = shown.take(pa.array(rows, pa.int64()))
                for kind, reader, options in readers:
                    try:
                        found = reader.table(where=text, columns=names, **options)
                    except (lamella_ctypes.Error, pa.ArrowException, OSError) as error:
                        counts.say(path, kind, f"{text:.100}: {error}")
                        continue
                    if found.num_rows != len(rows) or not same(found, expected):
                        counts.say(path, kind, f"{text:.100}: {found.num_rows} rows of {len(rows)}")
                if number in by_cat:
                    done = run("cat", "--variant", "storage", "--where", text, path)
                    if done.returncode != 0 or done.stdout.splitlines() != [lines[row] for row in rows]:
                        counts.say(path, "pruned", f"cat: {text:.100}: {compare_writers.message(done)}")
    for _, reader, _ in readers:
        reader.close()


def copies(path, lines, folder, counts):
    """Copies of a file have its records, and nothing in them is wrong."""
    copy = os.path.join(folder, "copy.parquet")
    for options, times in (([], 1), (["--codec", "snappy"], 1), ([path], 2)):
        if os.path.exists(copy):
            os.remove(copy)
        done = run("rewrite", *options, "-o", copy, path)
        if done.returncode != 0:
            counts.say(path, "copies", f"rewrite {' '.join(options[:1])}: {compare_writers.message(done)}")
            continue
        printed = run("cat", "--variant", "storage", copy).stdout.splitlines()
        checked = run("check", copy).stdout.decode("utf-8", "replace")
        wrong = [line for line in checked.splitlines() if re.search(r": error ", line)]
        if printed != lines * times or wrong:
            counts.say(path, "copies", f"rewrite {' '.join(options[:1])}: {(wrong or ['other records'])[0]}")


def compare(path, folder, counts):
    rng = random.Random(os.path.basename(path))
    counts["files"] += 1
    done = run("cat", "--variant", "storage", path)
    if done.returncode != 0:
        counts["refused"] += 1
        return
    for fault in re.findall(rb"known fault: .*\((.*)\)", run("meta", path).stdout):
        counts.told[fault.decode()] += 1
    lines = done.stdout.splitlines()
    records = [engines.decode(line.decode()) for line in lines]
    table = lamella_ctypes.read(path)
    mine = [[compare_writers.ours(field, record[n][1]) for record in records] for n, field in enumerate(table.schema)]
    ask(path, table, mine, records, lines, rng, folder, counts)
    if "--no-copies" not in sys.argv:
        copies(path, lines, folder, counts)


def trusted(path, folder):
    """A copy that says that nobody wrote it in whom anything is distrusted."""
    with open(path, "rb") as file:
        data = file.read()
    copy = os.path.join(folder, *path.split("/")[-2:])
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    match = re.search(rb"created by: +(.*)", run("meta", path).stdout)
    name = match[1].strip() if match else b""
    at = data.rfind(name)
    with open(copy, "wb") as file:
        file.write(data[:at] + b"lamella version 9.9.9xx"[: len(name)].ljust(len(name), b"x") + data[at + len(name) :])
    return copy


def drawn(folders, some):
    """Paths of files; of a folder the largest, which have the most leaves and pages."""
    for folder in folders:
        paths = sorted(glob.glob(f"{folder}/**/*.parquet", recursive=True))
        yield from sorted(sorted(paths, key=os.path.getsize, reverse=True)[:some])


def main():
    some = int(sys.argv[sys.argv.index("--files") + 1]) if "--files" in sys.argv else None
    folders = [argument for argument in sys.argv[3:] if not argument.startswith("--") and argument != str(some)]
    lamella_ctypes.load(sys.argv[2])
    by_writer = {}
    if not folders:
        print(f"LAMELLA_SEED={compare_writers.SEED} draws the files")
    with tempfile.TemporaryDirectory() as scratch:
        written = compare_writers.written_here(os.path.join(scratch, "written")) if not folders else drawn(folders, some)
        for path in written:
            counts = by_writer.setdefault(os.path.basename(os.path.dirname(path)), Counts())
            compare(path, scratch, counts)
    print("\n| writer | files | conditions | wrong with pruning | wrong without | wrong if trusted | copies wrong | refused | told |")
    print("|---|---|---|---|---|---|---|---|---|")
    for writer, counts in by_writer.items():
        told = ", ".join(sorted({part for text in counts.told for part in text.split(", ")}))
        numbers = " | ".join(str(counts[kind]) for kind in ("files", "conditions", "pruned", "not pruned", "trusted", "copies", "refused"))
        print(f"| {writer} | {numbers} | {told} |")
    wrong = sum(counts[kind] for counts in by_writer.values() for kind in ("pruned", "not pruned", "copies"))
    sys.exit(1 if wrong or not by_writer else 0)


if __name__ == "__main__":
    main()
