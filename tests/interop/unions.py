# SPDX-License-Identifier: Apache-2.0
"""Pairs of files of pyarrow whose columns have other types, in another order, read as one: rewrite,
import, append, CSV, conditions on the folder and Arrow streams have the values that both files have,
exactly, or say which row has one that the common type does not hold.

Usage: unions.py LAMELLA LIBRARY; LAMELLA_PAIRS pairs of files, of LAMELLA_SEED.
"""

import base64
import datetime
import decimal
import json
import math
import operator
import os
import random
import re
import struct
import sys
import tempfile
from fractions import Fraction

import engines

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "arrow"))
import lamella_ctypes  # noqa: E402

pa = engines.pyarrow
pq = pa.parquet
PAIRS = int(os.environ.get("LAMELLA_PAIRS", "40"))
SEED = int(os.environ.get("LAMELLA_SEED", "1"))
NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
DAY = 86400 * 10**9
EPOCH = datetime.date(1970, 1, 1).toordinal()

# --- Kinds of columns: an Arrow type, how values are made, and its family -----------------------------


def integers(low, high):
    return lambda rng: rng.choice([low, high, 0, rng.randint(low, high), rng.randint(max(low, -9), min(high, 9))])


def reals(code):
    def make(rng):
        some = [0.0, -0.0, 1.5, math.inf, math.nan, rng.uniform(-99, 99), rng.uniform(-1, 1) * 60000]
        return struct.unpack(code, struct.pack(code, rng.choice(some)))[0]

    return make


def decimals(precision, scale):
    most = 10**precision - 1
    number = integers(-most, most)
    return lambda rng: decimal.Decimal(number(rng)).scaleb(-scale, decimal.Context(prec=60))


def moments(unit, spread):
    """Within so many days around the epoch; sometimes as far as the unit goes."""
    most = 2**63 // NANOS[unit] * NANOS[unit] // DAY if unit == "ns" else 3_650_000
    def make(rng):
        day = rng.randint(-most + 1, most - 1) if rng.random() < 0.02 else rng.randint(-spread, spread)
        return (day * DAY + rng.choice([0, rng.randrange(DAY)])) // NANOS[unit]

    return make


TEXTS = ["", "x", "2024-10-24", "12:00:00", "1.5", "true", "NaN", '{"a":1}', "\u00e9\u2028\"", "long " * 20]
KINDS = {f"int{n}": (getattr(pa, f"int{n}")(), integers(-(2 ** (n - 1)), 2 ** (n - 1) - 1)) for n in (8, 16, 32, 64)}
KINDS |= {f"uint{n}": (getattr(pa, f"uint{n}")(), integers(0, 2**n - 1)) for n in (8, 16, 32, 64)}
KINDS |= {f"small{n}": (getattr(pa, f"int{n}")(), integers(-1000, 1000)) for n in (32, 64)}
KINDS |= {
    "float16": (pa.float16(), reals("<e")), "float32": (pa.float32(), reals("<f")), "float64": (pa.float64(), reals("<d")),
    "string": (pa.string(), lambda rng: rng.choice(TEXTS)), "large": (pa.large_string(), lambda rng: rng.choice(TEXTS)),
    "binary": (pa.binary(), lambda rng: rng.randbytes(rng.randrange(5))), "fixed": (pa.binary(3), lambda rng: rng.randbytes(3)),
    "bool": (pa.bool_(), lambda rng: rng.random() < 0.5), "null": (pa.null(), lambda rng: None),
    "date": (pa.date32(), lambda rng: rng.randint(-20000, 20000)),
    "time_ms": (pa.time32("ms"), lambda rng: rng.randrange(86400000)), "int96": (pa.timestamp("ns"), moments("ns", 20000)),
}  # fmt: skip
KINDS |= {f"decimal{p}_{s}": (pa.decimal128(p, s), decimals(p, s)) for p, s in [(9, 2), (18, 2), (5, 0), (20, 0), (38, 10), (30, 0)]}
KINDS |= {f"time_{u}": (pa.time64(u), lambda rng, u=u: rng.randrange(DAY) // NANOS[u]) for u in ("us", "ns")}
for _unit in ("ms", "us", "ns"):
    KINDS[f"local_{_unit}"] = (pa.timestamp(_unit), moments(_unit, 20000))
    KINDS[f"utc_{_unit}"] = (pa.timestamp(_unit, "UTC"), moments(_unit, 20000))


def family(kind):
    for name in ("int96", "date", "local"):
        if kind.startswith(name):
            return "local"
    for name in ("int", "uint", "small", "float", "decimal", "time", "utc", "null", "bool"):
        if kind.startswith(name):
            return {"uint": "int", "small": "int"}.get(name, name)
    return "bytes" if kind in ("binary", "fixed") else "text"


def parts(kind):
    """Digits before and behind the point of a decimal; an integer counts as one of 20."""
    if not kind.startswith("decimal"):
        return 20, 0
    precision, scale = map(int, kind[7:].split("_"))
    return precision - scale, scale


def united(a, b):
    """The family of what holds both: "number" where that is exact or refused, "text", or "clash"."""
    first, second = sorted((family(a), family(b)))
    texts = {"text", "local", "utc", "time"}
    if "null" in (first, second):
        return united(*[k for k in (a, b) if family(k) != "null"] * 2) if (first, second) != ("null", "null") else "null"
    if {first, second} <= {"int", "float", "decimal"}:
        if {first, second} == {"float", "decimal"}:
            before, behind = parts(a if family(a) == "decimal" else b)
            return "number" if behind == 0 and before <= 20 else "clash"
        before, behind = [max(x, y) for x, y in zip(parts(a), parts(b))]
        return "number" if "decimal" not in (first, second) or before + behind <= 38 or a == b else "clash"
    if first == second:
        return first
    return "text" if first in texts and second in texts else "clash"


# --- Values: the same whatever type they have -----------------------------------------------------------


def of_number(value):
    if isinstance(value, float) and (not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0)):
        return str(value)
    return Fraction(value)


def of_leaf(array):
    kind = array.type
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind) or pa.types.is_date(kind):
        is_day = pa.types.is_date(kind)
        counts = array.cast(pa.int32() if is_day or pa.types.is_time32(kind) else pa.int64()).to_pylist()
        unit = DAY if is_day else NANOS[kind.unit]
        return [None if count is None else count * unit for count in counts]
    values = array.to_pylist()
    if pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return values
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return values
    return [None if value is None else of_number(value if not hasattr(value, "item") else value.item()) for value in values]


def of_array(array):
    """Values of a column with the shapes of SHAPES."""
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_list(array.type) or pa.types.is_map(array.type):
        offsets = array.offsets.to_pylist()
        if pa.types.is_map(array.type):
            values = list(zip(array.keys.to_pylist(), of_array(array.items)))
        else:
            values = of_array(array.values)
        spans = zip(offsets, offsets[1:], array.is_valid().to_pylist())
        return [values[begin:end] if valid else None for begin, end, valid in spans]
    if pa.types.is_struct(array.type):
        members = [of_array(array.field(i)) for i in range(array.type.num_fields)]
        names = [field.name for field in array.type]
        rows = [dict(zip(names, row)) for row in zip(*members)]
        return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist())]
    return of_leaf(array)


def of_time(text, kind):
    found = re.fullmatch(r"(?:(\d{4,}|[-+]\d+)-(\d\d)-(\d\d))?[T ]?(?:(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(Z?)", text)
    assert found and (found[8] == "Z") == kind.startswith("utc"), (text, kind)
    year, month, day, hour, minute, second, digits, _ = found.groups()
    days = 0
    if year is not None:  # by the 400 years after which the calendar is the same
        cycles = (int(year) - 2000) // 400
        days = datetime.date(int(year) - cycles * 400, int(month), int(day)).toordinal() - EPOCH + cycles * 146097
    clock = int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    return days * DAY + clock * 10**9 + int((digits or "").ljust(9, "0"))


def of_json(value, kind):
    """What a value of that kind is, as JSON or as its text."""
    if value is None:
        return None
    if isinstance(value, list):
        return [of_json(item, kind) for item in value]
    if isinstance(value, dict):
        return {name: of_json(item, kind) for name, item in value.items()}
    what = family(kind)
    if what in ("local", "utc", "time"):
        return of_time(value, kind)
    if what == "bool":
        return {"true": True, "false": False}[str(value).lower()]
    if what == "bytes":
        return base64.b64decode(value)
    if what == "text":
        return value
    if what != "float":
        return Fraction(str(value))
    number = float(value)
    return of_number(number if kind == "float64" else struct.unpack("<f", struct.pack("<f", number))[0])


# --- Files ----------------------------------------------------------------------------------------------

SHAPES = {
    "plain": (lambda leaf: leaf, lambda rng, make: make()),
    "list": (pa.list_, lambda rng, make: [make() for _ in range(rng.randrange(4))]),
    "struct": (lambda leaf: pa.struct([("x", leaf)]), lambda rng, make: {"x": make()}),
    "map": (lambda leaf: pa.map_(pa.string(), leaf), lambda rng, make: [(f"k{i}", make()) for i in range(rng.randrange(3))]),
    "structs": (lambda leaf: pa.list_(pa.struct([("x", leaf)])), lambda rng, make: [{"x": make()} for _ in range(rng.randrange(3))]),
}  # fmt: skip


def write_file(rng, path, kind, shape, first):
    """Rows from number `first` on; gives the values of column v."""
    leaf, make = KINDS[kind]
    wrap, wrapped = SHAPES[shape]
    count, nulls = rng.choice([1, 7, 60]), rng.choice([0, 0.2])
    pool = [make(rng) for _ in range(rng.choice([3, 40]))]

    def value():
        return None if rng.random() < nulls else rng.choice(pool)

    rows = [None if rng.random() < nulls else wrapped(rng, value) for _ in range(count)]
    columns = {"n": pa.array(range(first, first + count), pa.int64()), "v": pa.array(rows, wrap(leaf)),
               "w": pa.array([f"w{i}" for i in range(count)])}  # fmt: skip
    names = rng.sample(sorted(columns), 3)
    pq.write_table(pa.table({name: columns[name] for name in names}), path, row_group_size=rng.choice([5, 100]),
                   data_page_size=rng.choice([64, 10**6]), use_dictionary=rng.random() < 0.5, store_schema=rng.random() < 0.5,
                   write_page_index=rng.random() < 0.5, use_deprecated_int96_timestamps=kind == "int96")  # fmt: skip
    return of_array(columns["v"])


def leaves_of(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves_of(item)
    elif isinstance(value, dict):
        yield from leaves_of(list(value.values()))
    elif value is not None:
        yield value


def must_refuse(kinds, what, values):
    """Whether one of the values is none of the common type: True, False, or None if it may be either."""
    numbers = [n for n in leaves_of(values) if isinstance(n, (int, Fraction))]
    if what == "number" and "float" in map(family, kinds):
        exact = [n for n in numbers if isinstance(n, Fraction)]
        if any(Fraction(float(n)) != n for n in exact):
            return True
        return None if any(abs(n) > 2**53 for n in exact) else False
    if what in ("local", "utc") and any(kind.endswith("_ns") or kind == "int96" for kind in kinds):
        return any(not -(2**63) <= n < 2**63 for n in numbers)
    return False


# --- One pair -------------------------------------------------------------------------------------------


def run(*arguments):
    """(standard output, message of a failure)"""
    try:
        return engines.lamella(*arguments), None
    except engines.Failure as failure:
        return None, str(failure)


def by_file(path, kinds, values):
    """Column v of a file of both, whose values are text or VARIANTs, as each of the kinds has them."""
    rows = [json.loads(line, parse_float=str, parse_int=str) for line in engines.lamella("cat", path).splitlines()]
    count = len(values[0])
    found = [of_json(row["v"], kinds[i >= count]) for i, row in enumerate(rows)]
    pairs = [[[*item.items()] if isinstance(item, dict) and isinstance(like, list) else item for item, like in zip(part, side)]
             for part, side in zip((found[:count], found[count:]), values)]  # fmt: skip
    return pairs[0] + pairs[1]


def same(a, b):
    """Maps of JSON are objects."""
    return json.dumps(a, default=repr) == json.dumps(b, default=repr)


OPERATORS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def literal_of(text, what):
    return text if what in ("number", "bool") else "'" + text.replace("'", "''") + "'"


def check_conditions(rng, path, parts_of, what, shape):
    """Conditions on the two files are those on the file of both, and what Python makes of its values."""
    rows = [json.loads(line, parse_float=str, parse_int=str) for line in engines.lamella("cat", path).splitlines()]
    texts = [row["v"] if shape == "plain" else row["v"] and row["v"]["x"] for row in rows]
    column, values = ("v" if shape == "plain" else "v.x"), texts
    if what == "number":
        values = [None if text is None else float(text) if text in ("NaN", "Infinity", "-Infinity") else Fraction(text) for text in texts]
        if any(isinstance(v, float) and math.isnan(v) for v in values):
            return 0
    elif what in ("local", "utc", "time"):
        values = [None if text is None else of_time(text, what) for text in texts]
    there = [i for i, text in enumerate(texts) if text not in (None, "NaN", "Infinity", "-Infinity")]
    tried = 0
    for _ in range(6 if there else 0):
        at, (name, compare) = rng.choice(there), rng.choice(sorted(OPERATORS.items()))
        condition = f"{column} {name} {literal_of(texts[at], what)}"
        wanted = [int(row["n"]) for row, value in zip(rows, values) if value is not None and compare(value, values[at])]
        for files in ([path], parts_of):
            for pruning in ([], ["--no-pruning"]):
                out = engines.lamella("cat", "--columns", "n", "--where", condition, *pruning, *files)
                found = [json.loads(line)["n"] for line in out.splitlines()]
                assert found == wanted, (condition, files, pruning, found, wanted)
        tried += 1
    return tried


def streams_of(files):
    """Column v of Arrow streams of the files, in their common types."""
    with lamella_ctypes.Union() as union:
        readers = [lamella_ctypes.Reader(path) for path in files]
        for path, reader in zip(files, readers):
            union.add(reader, path)
        shown = [union.show(reader) for reader in readers]
        values = [of_array(reader.table()["v"]) for reader in shown]
        for reader in shown + [r for r in readers if r not in shown]:
            reader.close()
    return values


def check_pair(rng, folder):
    kinds, shape = [rng.choice(sorted(KINDS)) for _ in range(2)], rng.choice(["plain", "plain", *SHAPES])
    if rng.random() < 0.5:  # of one family, where more can be wrong
        kinds[1] = rng.choice([kind for kind in sorted(KINDS) if family(kind) == family(kinds[0])])
    what = united(*kinds)
    files = [os.path.join(folder, name) for name in ("a.parquet", "b.parquet")]
    path, other = os.path.join(folder, "all"), os.path.join(folder, "other")
    values = [write_file(rng, file, kind, shape, 1000 * i) for i, (file, kind) in enumerate(zip(files, kinds))]
    print(kinds, shape, what, [len(v) for v in values], flush=True)
    wanted, refuses = values[0] + values[1], must_refuse(kinds, what, values)
    _, failure = run("rewrite", "-o", path, *files)
    if failure is not None:
        assert refuses is not False and re.search(r"row group \d+, column \d+ v.*, row \d+", failure), failure
        for command in (["cat", "--format", "csv"], ["import", "-o", other], ["rewrite", "--sort-by", "n", "-o", other]):
            assert run(*command, *files)[1] is not None, command
        assert not os.path.exists(path) and not os.path.exists(other)
        return 0
    assert not refuses, "a value is none of the common type"
    engines.lamella("check", "--quiet", path)
    is_plain = what not in ("text", "clash") or kinds[0] == kinds[1] or {family(k) for k in kinds} == {"text"}
    if is_plain:
        assert same(of_array(engines.read_pyarrow(path)["v"]), wanted), "rewrite"
        streams = streams_of(files)
        assert same(streams[0] + streams[1], wanted), "Arrow streams"
    else:
        assert same(by_file(path, kinds, values), wanted), "rewrite"
        engines.lamella("rewrite", "--on-clash", "string", "-o", other, *files)
        if shape == "plain":
            found = engines.read_pyarrow(other)["v"].to_pylist()
            count = len(values[0])
            assert same([of_json(v, kinds[i >= count]) for i, v in enumerate(found)], wanted), "--on-clash string"
    lines = engines.lamella("cat", path)
    for command in (["import", "-o", other], ["rewrite", "--sort-by", "n", "--row-group-rows", "9", "-o", other]):
        engines.lamella(*command, *files)
        assert sorted(engines.lamella("cat", "--columns", "n,v", other).splitlines()) == sorted(
            engines.lamella("cat", "--columns", "n,v", path).splitlines()), command  # fmt: skip
    assert engines.lamella("cat", "--format", "csv", *files) == engines.lamella("cat", "--format", "csv", path)
    for option in ([], ["--in-place"]):
        engines.lamella("rewrite", "-o", other, *files)
        engines.lamella("append", *option, "-o", other, files[1], files[0])
        engines.lamella("check", "--quiet", other)
        again = lines.splitlines()
        assert engines.lamella("cat", other).splitlines() == again + again[len(values[0]) :] + again[: len(values[0])], option
    if shape in ("plain", "struct") and what in ("number", "text", "local", "utc", "time"):
        return check_conditions(rng, path, files, what, shape)
    return 0


def main():
    lamella_ctypes.load(sys.argv[2])
    conditions = 0
    for number in range(PAIRS):
        rng = random.Random(f"{SEED} {number}")
        with tempfile.TemporaryDirectory() as folder:
            try:
                conditions += check_pair(rng, folder)
            except (AssertionError, engines.Failure, lamella_ctypes.Error) as problem:
                sys.exit(f"pair {number} of seed {SEED}: {problem}")
    print(f"{PAIRS} pairs, {conditions} conditions")
    assert PAIRS < 40 or conditions > 20


if __name__ == "__main__":
    main()
