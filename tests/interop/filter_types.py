# SPDX-License-Identifier: Apache-2.0
"""Filters on columns of every kind: half floats, wide decimals, UUIDs, times, timestamps with zones and as
INT96, bytes, members of structs, elements of lists, keys and values of maps; long lists of values, NOT and
NaN. Random conditions on random tables, in files of pyarrow and of Lamella with small pages and Bloom
filters, against an oracle that looks at one row after the other with SQL's three values.

Usage: filter_types.py LAMELLA LIBRARY
"""

import datetime
import decimal
import math
import os
import random
import re
import struct
import sys
import tempfile
import uuid

import engines

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "arrow"), os.path.join(TESTS, "support")]
import lamella_ctypes  # noqa: E402
from conditions import OPERATORS, any_of, negate, random_condition  # noqa: E402

pa = engines.pyarrow
pq = pa.parquet
TABLES = int(os.environ.get("LAMELLA_TABLES", "25"))
CONDITIONS = 30  # on each table
SEED = int(os.environ.get("LAMELLA_SEED", "1"))
EPOCH = datetime.datetime(2024, 1, 1)
UTC = datetime.timezone.utc
POOL = 12  # distinct values of a column, often
NAN = float("nan")

# --- Kinds of values: how they are made, and written in a condition ---------------------------------


def half(rng):
    number = rng.choice([NAN, float("inf"), -0.0, 0.0, rng.uniform(-100, 100)])
    return struct.unpack("<e", struct.pack("<e", number))[0]


def real(rng):
    return rng.choice([NAN, float("-inf"), -0.0, 0.0, rng.uniform(-5, 5)])


def number_text(value):
    return f"'{'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'}'" if (
        math.isnan(value) or math.isinf(value)
    ) else repr(value)


def moment(rng):
    return EPOCH + datetime.timedelta(seconds=rng.randrange(-10**9, 10**8), milliseconds=rng.randrange(1000))


def quoted(value):
    return "'" + str(value).replace("'", "''") + "'"


def hex_text(value):
    return f"x'{value.hex()}'"


KINDS = {
    "h": (pa.float16(), half, number_text),
    "x": (pa.float64(), real, number_text),
    "u64": (pa.uint64(), lambda rng: rng.choice([0, 2**63, 2**64 - 1, rng.randrange(2**64)]), str),
    "i16": (pa.int16(), lambda rng: rng.randrange(-(2**15), 2**15), str),
    "d9": (pa.decimal128(9, 2), lambda rng: decimal.Decimal(rng.randrange(-(10**9) + 1, 10**9)).scaleb(-2), str),
    "d38": (
        pa.decimal128(38, 4),
        lambda rng: decimal.Decimal(rng.randrange(-(10**30), 10**30)).scaleb(-4, decimal.Context(prec=60)),
        lambda value: f"{value:f}",
    ),
    "id": (pa.binary(16), lambda rng: uuid.UUID(int=rng.getrandbits(128)).bytes, lambda v: quoted(uuid.UUID(bytes=v))),
    "utc": (
        pa.timestamp("ms", "UTC"),
        lambda rng: moment(rng).replace(tzinfo=UTC),
        lambda v: quoted(v.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"),
    ),
    "local": (pa.timestamp("ns"), moment, lambda v: quoted(v.isoformat())),
    "time": (
        pa.time64("us"),
        lambda rng: (EPOCH + datetime.timedelta(microseconds=rng.randrange(86400 * 10**6))).time(),
        lambda v: quoted(v.isoformat()),
    ),
    "day": (pa.date32(), lambda rng: moment(rng).date(), quoted),
    "b": (pa.binary(), lambda rng: rng.randbytes(rng.randrange(4)), hex_text),
    "f3": (pa.binary(3), lambda rng: rng.randbytes(3), hex_text),
    "s": (pa.string(), lambda rng: rng.choice(["", "a", "it's", "\u00e4\u00f6", "zz" * rng.randrange(40)]), quoted),
    "n": (pa.int32(), lambda rng: rng.randrange(-20, 20), str),
}
# What stands under other fields: a path in the file, the type of the column, how to make a value of it out of
# `n` and `s`, and what a value holds there: None for null, else a list of the values, or one that is no list.
NESTED = {
    "g.p.n": "n",
    "g.p.s": "s",
    "l.list.element.n": "n",
    "l.list.element.s": "s",
    "m.key_value.key": "s",
    "m.key_value.value": "n",
    "ll.list.element.list.element": "n",
}
# The same, as people write it.
SHORT = {
    "l.list.element.n": "l[].n", "l.list.element.s": "l[].s",
    "ll.list.element.list.element": "ll[][]",
}
NUMBERS = ["h", "x", "u64", "i16", "d9", "d38", "n", "g.p.n"]
# Columns that compare with each other: values as numbers, or as moments.
PAIRS = [(a, b) for a in NUMBERS for b in NUMBERS] + [
    ("day", "local"), ("local", "day"), ("day", "utc"), ("s", "g.p.s"), ("g.p.s", "s"), ("b", "s"), ("f3", "b"),
    ("l.list.element.n", "l.list.element.n"), ("time", "time"),
]
COLUMNS = {
    "g": pa.struct([("p", pa.struct([("n", pa.int32()), ("s", pa.string())]))]),
    "l": pa.list_(pa.struct([("n", pa.int32()), ("s", pa.string())])),
    "m": pa.map_(pa.string(), pa.int32()),
    "ll": pa.list_(pa.list_(pa.int32())),
}


def make_nested(rng, make, maybe):
    def pair():
        return maybe({"n": maybe(make("n")), "s": maybe(make("s"))})

    def some(element):
        return maybe([element() for _ in range(rng.choice([0, 1, 2, 4]))])

    return {
        "g": maybe({"p": pair()}),
        "l": some(pair),
        "m": maybe(list({make("s"): maybe(make("n")) for _ in range(rng.randrange(3))}.items())),
        "ll": some(lambda: some(lambda: maybe(make("n")))),
    }


def leaves(path, row):
    """The values at a path, with None for each null on the way and nothing for an empty list."""
    steps = [step for step in path.split(".")[1:] if step not in ("list", "element", "key_value")]
    values = [row[path.split(".", maxsplit=1)[0]]]
    name = path.split(".", maxsplit=1)[0]
    if name in ("l", "m"):
        values = [item for value in values for item in ([None] if value is None else value)]
    if name == "ll":
        for _ in range(2):
            values = [item for value in values for item in ([None] if value is None else value)]
    for step in steps:
        if name == "m":
            values = [None if value is None else value[0 if step == "key" else 1] for value in values]
        else:
            values = [None if value is None else value[step] for value in values]
    return values


# --- Conditions -----------------------------------------------------------------------------------------


def order_key(value):
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    return value.encode() if isinstance(value, str) else value


def value_at(path, row):
    return leaves(path, row)[0] if path in NESTED else row[path]


def half_of(number):
    """The nearest half, as a double."""
    try:
        return struct.unpack("<e", struct.pack("<e", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def sign_of_pair(a, b, kind_a, kind_b):
    """Below, at or above 0 as `a` is less than, equal to or more than `b`; of columns of these kinds."""
    if isinstance(b, float) and isinstance(a, decimal.Decimal) and math.isfinite(b):
        a = half_of(float(a)) if kind_b == "h" else float(a)
    if isinstance(a, float) and isinstance(b, decimal.Decimal) and math.isfinite(a):
        b = half_of(float(b)) if kind_a == "h" else float(b)
    if isinstance(a, str):
        a = a.encode()
    if isinstance(b, str):
        b = b.encode()
    if isinstance(a, datetime.date) or isinstance(b, datetime.date):
        a, b = (
            (v if isinstance(v, datetime.datetime) else datetime.datetime(v.year, v.month, v.day)).replace(tzinfo=UTC)
            for v in (a, b)
        )
    nan = [isinstance(v, float) and math.isnan(v) for v in (a, b)]
    if any(nan):
        return nan[0] - nan[1]
    return (a > b) - (a < b)


def pair_test(rng):
    left, right = rng.choice(PAIRS)
    name = rng.choice(list(OPERATORS))
    text = f"{SHORT.get(left, left)} {name} {SHORT.get(right, right)}"
    kinds = NESTED.get(left, left), NESTED.get(right, right)

    def outcome(row):
        if left.startswith("l"):
            if left == "local":
                pairs = [(row[left], value_at(right, row))]
            else:
                pairs = zip(leaves(left, row), leaves(right, row))
        else:
            pairs = [(value_at(left, row), value_at(right, row))]
        return any_of(
            None if a is None or b is None else OPERATORS[name](sign_of_pair(a, b, *kinds), 0) for a, b in pairs
        )

    return text, outcome


def like(value, pattern, ignores_case):
    """One letter after the other; no outcome of Python's own patterns is asked."""
    if ignores_case:
        value, pattern = ("".join(map(lower, text)) for text in (value, pattern))
    at = {0}
    for letter in pattern:
        if letter == "%":
            at = set(range(min(at), len(value) + 1)) if at else at
        else:
            at = {i + 1 for i in at if i < len(value) and letter in ("_", value[i])}
    return len(value) in at


def lower(letter):
    return letter.lower()[0]  # one letter: of U+0130 the dot is left out


TEXTS = ["s", "g.p.s", "l.list.element.s", "m.key_value.key"]


def like_test(rng, pools):
    path, value = rng.choice(TEXTS), rng.choice(pools["s"])
    letters = [rng.choice("%_") if rng.random() < 0.3 else letter for letter in value[:6]]
    letters = [*letters, *(["%"] if rng.random() < 0.6 else [])]
    pattern = "".join(letters).upper() if rng.random() < 0.3 else "".join(letters)
    word = rng.choice(["like", "ilike"])
    read = lambda row: leaves(path, row) if path in NESTED else [row[path]]  # noqa: E731
    return f"{SHORT.get(path, path)} {word} {quoted(pattern)}", lambda row: any_of(
        None if v is None else like(v, pattern, word == "ilike") for v in read(row)
    )


def key_test(rng, pools):
    key = rng.choice(pools["s"]) if rng.random() < 0.9 else "none"
    path = f"m[{quoted(key)}]"
    find = lambda row: dict(row["m"] or []).get(key)  # noqa: E731
    shape, number = rng.random(), rng.choice(pools["n"])
    if shape < 0.3:
        wants = rng.random() < 0.5
        return f"{path} is {'' if wants else 'not '}null", lambda row: (find(row) is None) == wants
    if shape < 0.6:
        high = number + rng.randrange(5)
        return f"{path} between {number} and {high}", lambda row: (
            None if find(row) is None else number <= find(row) <= high
        )
    name = rng.choice(list(OPERATORS))
    return f"{path} {name} {number}", lambda row: (
        None if find(row) is None else OPERATORS[name](find(row), number)
    )


def test_of(rng, pools):
    """A text, and what it gives for a row."""
    shape = rng.random()
    if shape < 0.2:
        return pair_test(rng)
    if shape < 0.3:
        return like_test(rng, pools)
    if shape < 0.4:
        return key_test(rng, pools)
    return value_test(rng, pools)


def value_test(rng, pools):
    path = rng.choice([*KINDS, *NESTED, *NESTED])
    kind = NESTED.get(path, path)
    _, make, text = KINDS[kind]
    read = (lambda row: leaves(path, row)) if path in NESTED else (lambda row: [row[path]])
    pick = lambda: rng.choice(pools[kind]) if rng.random() < 0.8 else make(rng)  # noqa: E731
    shape = rng.random()
    if shape < 0.15:
        wants = rng.random() < 0.5
        # An element that there is no place for is neither null nor not.
        return f"{path} is {'' if wants else 'not '}null", lambda row: is_null(path, row, wants)
    if shape < 0.4:
        values = [pick() for _ in range(rng.choice([1, 2, 5, 300]))]
        keys = {order_key(value) for value in values}
        word = rng.choice(["in", "not in"])
        listed = lambda row: any_of(None if v is None else order_key(v) in keys for v in read(row))  # noqa: E731
        wanted = listed if word == "in" else lambda row: negate(listed(row))
        return f"{path} {word} ({', '.join(map(text, values))})", wanted
    path, place = SHORT.get(path, path) if rng.random() < 0.5 else path, path
    read = (lambda row: leaves(place, row)) if place in NESTED else (lambda row: [row[place]])
    if shape < 0.6:
        low, high = pick(), pick()
        least, most = order_key(low), order_key(high)
        return f"{path} between {text(low)} and {text(high)}", lambda row: any_of(
            None if v is None else least <= order_key(v) <= most for v in read(row)
        )
    name, value = rng.choice(list(OPERATORS)), pick()
    key, holds = order_key(value), OPERATORS[name]
    return f"{path} {name} {text(value)}", lambda row: any_of(
        None if v is None else holds(order_key(v), key) for v in read(row)
    )


def is_null(path, row, wants):
    """True where any occurrence of the field is null, or is not; fields inside of lists have many or none."""
    if path not in NESTED or path.startswith("g"):
        value = row[path] if path in KINDS else leaves(path, row)[0]
        return (value is None) == wants
    lists = row[path.split(".", maxsplit=1)[0]]
    lists = [] if lists is None else lists
    if path.startswith("ll"):
        slots = [item for inner in lists if inner is not None for item in inner]
    elif path.startswith("m"):
        slots = [item[0 if path.endswith("key") else 1] for item in lists]
    else:
        slots = [None if item is None else item[path[-1]] for item in lists]
    return any((slot is None) == wants for slot in slots)


# --- Tables and files -------------------------------------------------------------------------------------


def make_rows(rng):
    pools = {kind: [make(rng) for _ in range(POOL)] for kind, (_, make, _) in KINDS.items()}
    nulls = rng.choice([0, 0.1, 0.6])
    maybe = lambda value: None if rng.random() < nulls else value  # noqa: E731
    rises = rng.random() < 0.5  # so that pages can be ruled out
    for pool in pools.values():
        pool.sort(key=order_key)
    rows, count = [], rng.randrange(1, 250)
    for number in range(count):

        def make(kind, number=number):
            pool = pools[kind]
            if rises:
                return pool[min(number * POOL // count + rng.randrange(2), POOL - 1)]
            return rng.choice(pool)

        row = {kind: maybe(make(kind)) for kind in KINDS}
        rows.append({"row": number, **row, **make_nested(rng, make, maybe)})
    return rows, pools


def column_of(name, rows):
    values = [row[name] for row in rows]
    if name == "id":
        return pa.ExtensionArray.from_storage(pa.uuid(), pa.array(values, pa.binary(16)))
    kind = COLUMNS[name] if name in COLUMNS else KINDS[name][0]
    return pa.array(values, kind)


def write_files(rng, rows, folder):
    columns = {"row": pa.array(range(len(rows)), pa.int32())}
    columns.update((name, column_of(name, rows)) for name in [*KINDS, *COLUMNS])
    table = pa.table(columns)
    paths = [os.path.join(folder, name) for name in ("pyarrow", "int96", "lamella")]
    for path in paths[:2]:
        pq.write_table(
            table, path, row_group_size=rng.choice([20, 1000]), write_page_index=True,
            data_page_size=rng.choice([32, 1000]), write_batch_size=4,
            data_page_version=rng.choice(["1.0", "2.0"]), use_dictionary=rng.random() < 0.5,
            use_deprecated_int96_timestamps=path.endswith("int96"),
        )
    lamella_ctypes.write(
        paths[2], table, row_group_rows=rng.choice([20, 1000]), page_rows=rng.choice([3, 50]),
        auto_bloom_filters=True, dictionary=lamella_ctypes.OFF if rng.random() < 0.5 else 0, float_total_order=rng.random() < 0.5,
    )
    return paths


def in_words_of(path, text):
    """INT96 has no zone, in Lamella's words too."""
    return text if not path.endswith("int96") else re.sub(r"(:\d\d(\.\d+)?)Z'", r"\1'", text)


def main():
    found = 0
    lamella_ctypes.load(sys.argv[2])
    for number in range(TABLES):
        rng = random.Random(SEED * 1000 + number)
        rows, pools = make_rows(rng)
        with tempfile.TemporaryDirectory() as folder:
            readers = {path: lamella_ctypes.Reader(path) for path in write_files(rng, rows, folder)}
            for _ in range(CONDITIONS):
                text, outcome = random_condition(rng, lambda: test_of(rng, pools))
                expected = [row["row"] for row in rows if outcome(row) is True]
                found += len(expected)
                for path, reader in readers.items():
                    for pruning in (0, lamella_ctypes.OFF):
                        got = reader.table(
                            where=in_words_of(path, text), pruning=pruning, columns=["row", "l"]
                        )
                        if got.column("row").to_pylist() != expected:
                            raise AssertionError(
                                f"table {number} (LAMELLA_SEED={SEED}), {os.path.basename(path)}"
                                f" {'unpruned' if pruning else ''}: {text}\n  expected {expected[:20]}\n"
                                f"  got {got.column('row').to_pylist()[:20]}"
                            )
                        lists = [rows[row]["l"] for row in expected]
                        assert got.column("l").to_pylist() == lists, text
            for reader in readers.values():
                reader.close()
    print(f"{TABLES} tables, {TABLES * CONDITIONS} conditions on 3 files each, {found} rows found")
    if found == 0:
        raise AssertionError("no condition found anything")


if __name__ == "__main__":
    main()
