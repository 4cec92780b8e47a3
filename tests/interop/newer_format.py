# SPDX-License-Identifier: Apache-2.0
"""What the format has behind its version 2.14, or may get: files forged byte by byte, without an engine.

TIMESTAMP on FIXED_LEN_BYTE_ARRAY(12) (parquet-format#601): instants as text, filters with and without
pruning, bounds that are written, Arrow, against whole numbers of Python. A logical type that nobody
knows, and types on lengths that they do not go with, leave the physical values, and no bounds are
believed. A VECTOR (parquet-format#592) costs its own columns.

Usage: newer_format.py LAMELLA LIBRARY
"""

import base64
import datetime
import json
import operator
import os
import random
import struct
import subprocess
import sys
import tempfile

import engines

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "conformance"))
sys.path.insert(0, os.path.join(HERE, "..", "arrow"))
import footer_edit  # noqa: E402
import lamella_ctypes  # noqa: E402
from footer_edit import BINARY, FALSE, I32, I64, LIST, STRUCT, TRUE  # noqa: E402

PROGRAM, pa = engines.PROGRAM, engines.pyarrow
INT32, FLOAT, BYTE_ARRAY, FIXED = 1, 4, 6, 7
REQUIRED, OPTIONAL, VECTOR = 0, 1, 3
UNITS = {"MILLIS": (1, 10**3), "MICROS": (2, 10**6), "NANOS": (3, 10**9)}
SECONDS = [0, 1, -1, 9223372036, 253402300799, -62135596800]
LEAST, MOST = -(2**95), 2**95 - 1
ARROW_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
ASKED = {"ms": 1, "us": 2, "ns": 3}  # lam_time_unit


def check(good, *what):
    if not good:
        raise AssertionError(" ".join(str(part) for part in what))


def run(*arguments, stdin=None):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False)


def output(*arguments, stdin=None):
    done = run(*arguments, stdin=stdin)
    check(done.returncode == 0, arguments, done.stderr.decode())
    return done.stdout


# --- A writer of its own -------------------------------------------------------------------------


def bytes_of(count):
    return count.to_bytes(12, "little", signed=True)


def timestamp(unit, utc):
    kind = UNITS[unit][0]
    time = {1: (TRUE if utc else FALSE, utc), 2: (STRUCT, {kind: (STRUCT, {})})}
    return {8: (STRUCT, time)}


def leaf(name, type, repetition=REQUIRED, length=None, **more):
    fields = {1: (I32, type)}
    if length is not None:
        fields[2] = (I32, length)
    fields |= {3: (I32, repetition), 4: (BINARY, name.encode())}
    if "converted" in more:
        fields[6] = (I32, more["converted"])
    if "logical" in more:
        fields[10] = (STRUCT, more["logical"])
    return fields


def group(name, children, repetition=REQUIRED, **more):
    fields = {3: (I32, repetition), 4: (BINARY, name.encode()), 5: (I32, children)}
    if "logical" in more:
        fields[10] = (STRUCT, more["logical"])
    if "length" in more:
        fields[11] = (I32, more["length"])
    return fields


def page(element, values):
    """A data page V1 in PLAIN, with definition levels in one bit-packed run where there are any."""
    type, body = element[1][1], b""
    if element[3][1] == OPTIONAL:
        groups = (len(values) + 7) // 8
        bits = sum((value is not None) << i for i, value in enumerate(values))
        levels = bytes([groups << 1 | 1]) + bits.to_bytes(groups, "little")
        check(groups < 64, "too many levels for one byte of a header")
        body += struct.pack("<I", len(levels)) + levels
    there = [value for value in values if value is not None]
    if type == BYTE_ARRAY:
        there = [struct.pack("<I", len(value)) + value for value in there]
    body += b"".join(there)
    data = {1: (I32, len(values)), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)}
    header = {1: (I32, 0), 2: (I32, len(body)), 3: (I32, len(body)), 5: (STRUCT, data)}
    return footer_edit.write_struct(header) + body


def forge(elements, paths, groups):
    """A file; groups are lists of columns, each (values as bytes or None, least, most or None)."""
    body, row_groups = bytearray(b"PAR1"), []
    leaves = [element for element in elements if 1 in element]
    for columns in groups:
        chunks = []
        for element, path, (values, least, most) in zip(leaves, paths, columns):
            data, offset = page(element, values), len(body)
            body += data
            meta = {
                1: element[1], 2: (LIST, (I32, [0, 3])),
                3: (LIST, (BINARY, [part.encode() for part in path])), 4: (I32, 0),
                5: (I64, len(values)), 6: (I64, len(data)), 7: (I64, len(data)), 9: (I64, offset),
            }  # fmt: skip
            if least is not None:
                meta[12] = (STRUCT, {3: (I64, values.count(None)), 5: (BINARY, most), 6: (BINARY, least)})
            chunks.append({2: (I64, 0), 3: (STRUCT, meta)})
        size = sum(chunk[3][1][6][1] for chunk in chunks)
        rows = (I64, len(columns[0][0]))
        row_groups.append({1: (LIST, (STRUCT, chunks)), 2: (I64, size), 3: rows})
    tree = {
        1: (I32, 1), 2: (LIST, (STRUCT, elements)), 3: (I64, sum(group[3][1] for group in row_groups)),
        4: (LIST, (STRUCT, row_groups)), 6: (BINARY, b"forged version 1"),
        7: (LIST, (STRUCT, [{1: (STRUCT, {})} for _ in leaves])),
    }  # fmt: skip
    return footer_edit.file_of(bytes(body), tree)


def root(count):
    return {4: (BINARY, b"m"), 5: (I32, count)}


# --- What is true --------------------------------------------------------------------------------


def text_of(count, unit, utc):
    """LogicalTypes.md, "TIMESTAMP"; the calendar repeats every 400 years, which are 146097 days."""
    units = UNITS[unit][1]
    seconds, fraction = divmod(count, units)
    days, second = divmod(seconds, 86400)
    era, day = divmod(days, 146097)
    date = datetime.date(1970, 1, 1) + datetime.timedelta(day)
    year = date.year + 400 * era
    shown = f"{year:04}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):04}"
    time = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{fraction:0{len(str(units)) - 1}}"
    return f"{shown}-{date.month:02}-{date.day:02}T{time}{'Z' if utc else ''}"


def draw(source):
    """A count of any size, near the ends of 32, 64 and 96 bits now and then."""
    if source.random() < 0.2:
        count = source.choice([1, -1]) * 2 ** source.choice([8, 31, 32, 63, 64, 95]) + source.randint(-2, 2)
        return max(LEAST, min(MOST, count))
    return source.getrandbits(96) - 2**95 >> source.randrange(96)


OPERATORS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def conditions(source, counts, unit, utc):
    """Conditions on the column t, and what each says of a count."""

    def literal():
        count = source.choice([count for count in counts if count is not None])
        return max(LEAST, min(MOST, count + source.choice([0, 0, 1, -1])))

    for _ in range(25):
        count = literal()
        sign, holds = source.choice(list(OPERATORS.items()))
        yield f"t {sign} '{text_of(count, unit, utc)}'", lambda value, h=holds, c=count: value is not None and h(value, c)
    for _ in range(5):
        some = [literal() for _ in range(3)]
        spelled = ", ".join(f"'{text_of(count, unit, utc)}'" for count in some)
        yield f"t in ({spelled})", lambda value, s=some: value in s
    yield "t is null", lambda value: value is None


# --- Arrow ---------------------------------------------------------------------------------------


def arrow_type(counts, unit, utc):
    """The finest unit that holds all counts, the column's or a coarser one; seconds where none does."""
    own = UNITS[unit][1]
    for name in ["ns", "us", "ms", "s"]:
        units = ARROW_UNITS[name]
        if units <= own and all(-(2**63) <= count * units // own < 2**63 for count in counts):
            break
    return pa.timestamp(name, tz="UTC" if utc else None)


def stream(path, **options):
    """A table, or the message of the stream's failure."""
    reader = lamella_ctypes.Reader(path)
    try:
        return reader.table(**options)
    except (OSError, pa.ArrowException, lamella_ctypes.Error) as error:
        return str(error)
    finally:
        reader.close()


def compare_arrow(path, name, column, unit, utc, **options):
    """What the stream gives is exactly the counts, or it fails and names row and option."""
    own = UNITS[unit][1]
    there = [count for count in column if count is not None]
    type = arrow_type(there, unit, utc)
    asked = options.get("timestamp96_unit")
    if asked is not None:
        type = pa.timestamp({number: name for name, number in ASKED.items()}[asked], tz=type.tz)
    units = ARROW_UNITS[type.unit]
    values = [None if count is None else count * units // own for count in column]
    bad = [
        row for row, (count, value) in enumerate(zip(column, values))
        if count is not None
        and (not -(2**63) <= value < 2**63 or (asked is None and value * own != count * units))
    ]  # fmt: skip
    table = stream(path, **options)
    if bad:
        check(isinstance(table, str) and "timestamp96_unit" in table, path, type, table)
        check(table.startswith(f"{name}: ") and f"row {bad[0] % 10})" in table, path, bad[0], table)
        return 0
    check(not isinstance(table, str), path, type, table)
    check(table.column(name).type == type, path, table.column(name).type, type)
    got = table.column(name).cast(pa.int64()).to_pylist()
    check(got == values, path, type, got, values)
    return 1


# --- TIMESTAMP of 96 bits ------------------------------------------------------------------------


def lines(column, unit, utc):
    return [{"t": None if count is None else text_of(count, unit, utc)} for count in column]


def records(printed):
    return [json.loads(line) for line in printed.splitlines()]


def documented(folder):
    """The instants of flba12_timestamp.parquet, as parquet-testing tells them."""
    elements, columns, expected = [root(3)], [], [{} for _ in SECONDS]
    for unit, (_, units) in UNITS.items():
        name = "timestamp_" + unit.lower()
        elements.append(leaf(name, FIXED, OPTIONAL, 12, logical=timestamp(unit, True)))
        counts = [seconds * units for seconds in SECONDS]
        columns.append(([bytes_of(count) for count in counts], bytes_of(min(counts)), bytes_of(max(counts))))
        for record, count in zip(expected, counts):
            record[name] = text_of(count, unit, True)
    check(expected[4]["timestamp_nanos"] == "9999-12-31T23:59:59.000000000Z", expected[4])
    check(expected[5]["timestamp_millis"] == "0001-01-01T00:00:00.000Z", expected[5])
    path = os.path.join(folder, "documented.parquet")
    with open(path, "wb") as file:
        file.write(forge(elements, [[element[4][1].decode()] for element in elements[1:]], [columns]))
    got = records(output("cat", path))
    check(got == expected, got, expected)
    found = output("check", path).decode()
    check(found.count("note newer-type:") == 3 and "error" not in found.replace("0 errors", ""), found)
    schema = output("schema", path).decode()
    check("optional fixed_len_byte_array(12) timestamp_nanos (TIMESTAMP(NANOS,true));" in schema, schema)
    for unit, (_, units) in UNITS.items():
        counts = [seconds * units for seconds in SECONDS]
        for asked in [{}, {"timestamp96_unit": 1}, {"timestamp96_unit": 2}]:
            name = "timestamp_" + unit.lower()
            check(compare_arrow(path, name, counts, unit, True, columns=[name], **asked) == 1, unit)
    told = stream(path, timestamp96_unit=3)
    check("a timestamp does not fit" in told and "row 4)" in told, told)


def compare(path, column, unit, utc, source):
    """The records, and what filters leave of them."""
    expected = lines(column, unit, utc)
    check(records(output("cat", path)) == expected, path)
    for condition, holds in conditions(source, column, unit, utc):
        wanted = [record for count, record in zip(column, expected) if holds(count)]
        for options in [], ["--no-pruning"]:
            got = records(output("cat", "--where", condition, *options, path))
            check(got == wanted, path, condition, options, len(got), "instead of", len(wanted))


def bounds(counts):
    there = [count for count in counts if count is not None]
    return (bytes_of(min(there)), bytes_of(max(there))) if there else (None, None)


def forged(folder, source):
    whole = 0
    for unit in UNITS:
        for utc in True, False:
            column, groups = [], []
            for _ in range(4):
                counts = sorted(draw(source) for _ in range(40))
                start = source.randrange(30)
                counts = [None if source.random() < 0.1 else count for count in counts[start : start + 10]]
                values = [None if count is None else bytes_of(count) for count in counts]
                groups.append([(values, *bounds(counts))])
                column += counts
            path = os.path.join(folder, f"forged_{unit}_{utc}.parquet")
            element = leaf("t", FIXED, OPTIONAL, 12, logical=timestamp(unit, utc))
            with open(path, "wb") as file:
                file.write(forge([root(1), element], [["t"]], groups))
            compare(path, column, unit, utc, source)
            check(run("check", path).returncode == 0, path)
            far = text_of(MOST, unit, utc)
            told = run("cat", "--explain", "--where", f"t > '{far}'", path).stderr.decode()
            check("4 by statistics" in told, told)
            whole += compare_arrow(path, "t", column, unit, utc)
            for asked in ASKED.values():
                whole += compare_arrow(path, "t", column, unit, utc, timestamp96_unit=asked)
            shift = 33 if unit == "NANOS" else 40
            column = [None if count is None else count >> shift for count in column]
            groups = [
                [([None if count is None else bytes_of(count) for count in part], *bounds(part))]
                for part in (column[at : at + 10] for at in range(0, 40, 10))
            ]
            with open(path, "wb") as file:
                file.write(forge([root(1), element], [["t"]], groups))
            for asked in ASKED.values():
                whole += compare_arrow(path, "t", column, unit, utc, timestamp96_unit=asked)
            for condition, holds in conditions(source, column, unit, utc):
                wanted = [None if count is None else count * 1000 // UNITS[unit][1] for count in column if holds(count)]
                table = stream(path, where=condition, timestamp96_unit=ASKED["ms"])
                check(table.column("t").cast(pa.int64()).to_pylist() == wanted, path, condition, table)
    check(whole > 6, "only", whole, "streams came to their end")


def written(folder, source):
    for unit in UNITS:
        for utc in True, False:
            column = sorted(draw(source) for _ in range(600))
            source.shuffle(column[300:])
            column = [None if source.random() < 0.05 else count for count in column]
            type = f"TIMESTAMP({unit},{'true' if utc else 'false'})"
            schema = os.path.join(folder, "schema.txt")
            with open(schema, "w") as file:
                file.write(f"optional fixed_len_byte_array(12) t ({type});")
            text = "".join(json.dumps(record) + "\n" for record in lines(column, unit, utc)).encode()
            path = os.path.join(folder, f"written_{unit}_{utc}.parquet")
            arguments = ["import", "--schema", schema, "-o", path, "-"]
            refused = run(*arguments, stdin=text)
            check(refused.returncode == 2 and b"--compat newest" in refused.stderr, refused)
            check(not os.path.exists(path), path, "is there")
            output(
                *arguments, "--compat", "newest", "--bloom", "t", "--row-group-rows", "200", "--page-size", "400",
                stdin=text,
            )  # fmt: skip
            compare(path, column, unit, utc, source)
            check(run("check", path).returncode == 0, path)
            with open(path, "rb") as file:
                _, footer = footer_edit.footer_of(file.read())
            check(6 not in footer[2][1][1][1], "a converted type on 12 bytes")
            check([order[1] for order in footer[7][1][1]] == [(STRUCT, {})], "no TYPE_ORDER")
            for at, chunk in enumerate(footer_edit.chunks(footer)):
                statistics = chunk[3][1][12][1]
                least, most = bounds(column[200 * at : 200 * at + 200])
                check((statistics[6][1], statistics[5][1]) == (least, most), unit, "row group", at)


# --- What is not known, and what does not fit ------------------------------------------------------


def exchanged(folder, source):
    """What has 64 bits pyarrow reads, too, since version 26."""
    if int(pa.__version__.split(".")[0]) < 26:
        return
    for unit in UNITS:
        for utc in True, False:
            column = [source.getrandbits(64) - 2**63 >> source.randrange(64) for _ in range(100)]
            column = [None if source.random() < 0.1 else count for count in column]
            text = "".join(json.dumps(record) + "\n" for record in lines(column, unit, utc)).encode()
            schema, path = os.path.join(folder, "schema.txt"), os.path.join(folder, "exchanged.parquet")
            with open(schema, "w") as file:
                file.write(f"optional fixed(12) t (TIMESTAMP({unit},{'true' if utc else 'false'}));")
            output("import", "--schema", schema, "--compat", "newest", "-o", path, "-", stdin=text)
            got = engines.read_pyarrow(path).column("t")
            check(pa.types.is_timestamp(got.type) and (got.type.tz is not None) == utc, got.type)
            own, units = UNITS[unit][1], ARROW_UNITS[got.type.unit]
            wanted = [None if count is None else count * units // own for count in column]
            check(got.cast(pa.int64()).to_pylist() == wanted, unit, utc)


def unknown(folder):
    """Bounds that say that nothing is there are not believed where the order is not known."""
    nobody = {30: (STRUCT, {1: (I32, 7)})}
    number, short = struct.pack("<i", 5), b"ab"
    cases = {
        "int32 of a type that nobody knows": (leaf("t", INT32, logical=nobody), number, 5, "t = 5"),
        "binary of a type that nobody knows": (leaf("t", BYTE_ARRAY, logical=nobody), short, None, "t = x'6162'"),
        "fixed of a type that nobody knows": (leaf("t", FIXED, length=2, logical=nobody), short, None, "t = x'6162'"),
        "TIMESTAMP of 11 bytes": (
            leaf("t", FIXED, length=11, logical=timestamp("NANOS", True)), bytes(11), None, f"t = x'{'00' * 11}'"),
        "TIMESTAMP of 13 bytes": (
            leaf("t", FIXED, length=13, logical=timestamp("NANOS", True)), bytes(13), None, f"t = x'{'00' * 13}'"),
        "TIMESTAMP of another unit": (
            leaf("t", FIXED, length=12, logical={8: (STRUCT, {1: (TRUE, True), 2: (STRUCT, {4: (STRUCT, {})})})}),
            bytes(12), None, f"t = x'{'00' * 12}'"),
        "TIMESTAMP_MILLIS of 12 bytes": (
            leaf("t", FIXED, length=12, converted=9), bytes(12), None, f"t = x'{'00' * 12}'"),
    }  # fmt: skip
    for name, (element, value, shown, condition) in cases.items():
        path = os.path.join(folder, "unknown.parquet")
        high = b"\xff" * len(value)
        with open(path, "wb") as file:
            file.write(forge([root(1), element], [["t"]], [[([value], high, high)]]))
        record = {"t": base64.b64encode(value).decode() if shown is None else shown}
        for arguments in [], ["--where", condition], ["--where", condition, "--no-pruning"]:
            got = records(output("cat", *arguments, path))
            check(got == [record], name, arguments, got)
        check(len(output("levels", path).splitlines()) == 3, name)
        table = stream(path)
        plain = pa.int32() if shown is not None else pa.binary(len(value)) if 2 in element else pa.binary()
        check(table.schema.field("t").type == plain, name, table.schema)
        check(table.column("t").to_pylist() == [value if shown is None else shown], name, table)
        found = run("check", path).stdout.decode()
        known = "TIMESTAMP" in name and "unit" not in name
        check(("error logical-type:" if known else "note unsupported:") in found, name, found)


def vector(folder):
    """parquet-format#592, with the number that its draft has for the logical type, and with another."""
    for number in 19, 20:
        elements = [
            root(2), leaf("id", INT32), group("emb", 1, logical={number: (STRUCT, {})}),
            group("list", 1, VECTOR, length=3), leaf("element", FLOAT),
        ]  # fmt: skip
        ids, floats = [struct.pack("<i", i) for i in range(2)], [struct.pack("<f", i) for i in range(6)]
        path = os.path.join(folder, f"vector_{number}.parquet")
        with open(path, "wb") as file:
            file.write(forge(elements, [["id"], ["emb", "list", "element"]], [[(ids, None, None), (floats, None, None)]]))
        got = records(output("cat", "--columns", "id", path))
        check(got == [{"id": 0}, {"id": 1}], number, got)
        got = records(output("cat", "--columns", "id", "--where", "id = 1", path))
        check(got == [{"id": 1}], number, got)
        refused = run("cat", path)
        check(refused.returncode == 1 and b"VECTOR (parquet-format#592)" in refused.stderr, refused)
        check(b"column 1" in refused.stderr, refused.stderr)
        for condition in "emb.list.element > 1", "emb is not null":
            refused = run("cat", "--columns", "id", "--where", condition, path)
            check(refused.returncode != 0 and b"VECTOR (parquet-format#592)" in refused.stderr, refused)
        check(stream(path, columns=["id"]).column("id").to_pylist() == [0, 1], number)
        told = stream(path)
        check("VECTOR (parquet-format#592)" in told, told)
        schema = output("schema", path).decode()
        check("vector group list {" in schema and "FILE" not in schema, schema)
        done = run("check", path)
        check(done.returncode == 0 and b"list is a VECTOR (parquet-format#592)" in done.stdout, done.stdout)
        check(run("check", "--strict", path).returncode == 1, number)


def main():
    seed = int(os.environ.get("LAMELLA_SEED", "0")) or random.randrange(2**32)
    print("LAMELLA_SEED", seed)
    lamella_ctypes.load(os.path.abspath(sys.argv[2]))
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        documented(folder)
        forged(folder, source)
        written(folder, source)
        exchanged(folder, source)
        unknown(folder)
        vector(folder)


if __name__ == "__main__":
    main()
