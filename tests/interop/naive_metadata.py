# SPDX-License-Identifier: Apache-2.0
"""What a file should say of its columns, from the rows alone and by the shortest way there is.

Columns are lists of triples: repetition level, definition level, value or None. Values are those of
table.py; `plain` gives their bytes.
"""

import base64
import itertools
import math
import struct
from decimal import localcontext

import table
from table import Leaf, List, Struct

LIMIT = 64  # bytes that a bound may have where it may be cut


# --- Geometries, which table.py does not have -----------------------------------------------------


def _numbers(source, size, span):
    return [source.choice([math.nan, 0.0, span]) if source.random() < 0.1 else source.uniform(-span, span) for _ in range(size)]


def _geometry(source, kinds, x_span, y_span):
    """A geometry as (bytes, code, points); both byte orders, all layouts."""
    layout, kind = source.randrange(4), source.choice(kinds)
    size, order = [2, 3, 3, 4][layout], source.randrange(2)
    end = "><"[order]
    points = []

    def point():
        one = [_numbers(source, 1, span)[0] for span in [x_span, y_span, 100, 100][:size]]
        axes = [math.nan] * 4
        for axis, number in zip({0: [0, 1], 1: [0, 1, 2], 2: [0, 1, 3], 3: [0, 1, 2, 3]}[layout], one):
            axes[axis] = number
        points.append(axes)
        return struct.pack(f"{end}{size}d", *one)

    def body(which):
        if which == 1:
            return point()
        count = source.randrange(4)
        line = lambda: struct.pack(end + "I", count) + b"".join(point() for _ in range(count))
        if which in (2, 8):
            return line()
        if which == 3:
            return struct.pack(end + "I", 2) + line() + line()
        member = {4: 1, 5: 2, 6: 3, 7: source.choice([1, 2])}[which]
        return struct.pack(end + "I", count) + b"".join(whole(member) for _ in range(count))

    def whole(which):
        return struct.pack(end + "BI", order, layout * 1000 + which) + body(which)

    return whole(kind), layout * 1000 + kind, points


class Geometries(table.Kind):
    """A kind whose random values remember what they are."""

    def __init__(self, message, kinds, x_span, y_span):
        self.known = {}

        def random(source):
            data, code, points = _geometry(source, kinds, x_span, y_span)
            self.known[data] = (code, points)
            return data

        super().__init__(message, None, random, lambda data: f'"{base64.b64encode(data).decode()}"', base64.b64decode)

    def statistics(self, values, wraps):
        """Types, and the box as {axis: (least, most)} or None."""
        known = [self.known[data] for data in set(values)]
        types = sorted({code for code, _ in known})
        kinds = {code % 1000 for code in types}
        points = [point for _, some in known for point in some]
        box = {}
        for axis, name in enumerate("xyzm"):
            numbers = [point[axis] for point in points if not math.isnan(point[axis])]
            if numbers:
                box[name] = [min(numbers), max(numbers)]
        boxless = 8 in kinds or (wraps and kinds - {1, 4})
        if boxless or "x" not in box or "y" not in box:
            return types, None
        if wraps:
            box["x"] = _arc([point[0] for point in points if not math.isnan(point[0])])
        return types, box


def _arc(longitudes):
    """From the westernmost to the easternmost, over the antimeridian where that is shorter."""
    west, east = [x for x in longitudes if x < 0], [x for x in longitudes if x >= 0]
    plain = [min(longitudes), max(longitudes)]
    if not west or not east or 360 - (min(east) - max(west)) >= plain[1] - plain[0]:
        return plain
    return [min(east), max(west)]


table.KINDS["geometry"] = Geometries("binary {} (GEOMETRY)", [1, 2, 3, 4, 5, 6, 7], 1000, 1000)
table.KINDS["geometry with arcs"] = Geometries("binary {} (GEOMETRY)", [1, 8], 1000, 1000)
table.KINDS["geography"] = Geometries("binary {} (GEOGRAPHY)", [1, 4], 180, 90)
table.KINDS["geography with edges"] = Geometries("binary {} (GEOGRAPHY)", [1, 2], 180, 90)
GEOGRAPHIES = {"geography", "geography with edges"}


# --- Columns --------------------------------------------------------------------------------------


class Column:
    def __init__(self, path, kind, repetition, definition):
        self.path = ".".join(path)
        self.kind = kind
        self.repetition = repetition
        self.definition = definition
        self.rows = []  # the triples of each row


def columns_of(schema):
    def walk(type, path, repetition, definition):
        if isinstance(type, Leaf):
            return [Column(path, type.kind, repetition, definition)]
        if isinstance(type, Struct):
            parts = [(field, [field.name], repetition, definition) for field in type.fields]
        elif isinstance(type, List):
            parts = [(type.element, ["list", "element"], repetition + 1, definition + 1)]
        else:
            parts = [(field, ["key_value", field.name], repetition + 1, definition + 1) for field in (type.key, type.value)]
        return [
            column
            for field, names, r, d in parts
            for column in walk(field.type, path + names, r, d + (not field.required))
        ]

    return walk(schema, [], 0, 0)


def _leaves(type):
    if isinstance(type, Leaf):
        return 1
    if isinstance(type, Struct):
        return sum(_leaves(field.type) for field in type.fields)
    return _leaves(type.element.type) if isinstance(type, List) else _leaves(type.key.type) + _leaves(type.value.type)


def _shred(field, value, r, d, depth):
    """The triples of each leaf below a field, as a list per leaf."""
    type = field.type
    if value is None:
        return [[(r, d, None)] for _ in range(_leaves(type))]
    return _shred_type(type, value, r, d + (not field.required), depth)


def _shred_type(type, value, r, d, depth):
    if isinstance(type, Leaf):
        return [[(r, d, value)]]
    if isinstance(type, Struct):
        return [leaf for field in type.fields for leaf in _shred(field, value[field.name], r, d, depth)]
    if not value:
        return [[(r, d, None)] for _ in range(_leaves(type))]
    leaves = [[] for _ in range(_leaves(type))]
    for number, item in enumerate(value):
        level = r if number == 0 else depth + 1
        if isinstance(type, List):
            parts = _shred(type.element, item, level, d + 1, depth + 1)
        else:
            parts = _shred(type.key, item[0], level, d + 1, depth + 1)
            parts += _shred(type.value, item[1], level, d + 1, depth + 1)
        for leaf, part in zip(leaves, parts):
            leaf.extend(part)
    return leaves


def shred(schema, rows):
    columns = columns_of(schema)
    for row in rows:
        for column, triples in zip(columns, _shred_type(schema, row, 0, 0, 0)):
            column.rows.append(triples)
    return columns


# --- Values ---------------------------------------------------------------------------------------

FLOATS = {"float": "<f", "double": "<d", "float16": "<e"}
BYTE_ARRAYS = {"string", "enum", "json", "binary", "decimal in binary"}
CUT = {"string", "binary"}
SCALES = {"decimal in int32": 2, "decimal in int64": 6, "decimal in fixed": 10, "decimal in few bytes": 0, "decimal in binary": 30}
STEPS = {"millis": 10**6, "micros": 10**3, "nanos": 1}


def is_byte_array(kind):
    return kind in BYTE_ARRAYS or kind.startswith("geo")


def has_order(kind, int96_order):
    return not (kind in ("interval", "unknown") or kind.startswith("geo") or (kind == "int96" and not int96_order))


def _integer(kind, value):
    """Booleans, integers, dates, times, decimals as the integers that they are."""
    if kind in SCALES:
        with localcontext() as context:
            context.prec = 80
            return int(value.scaleb(SCALES[kind]))
    for name, step in STEPS.items():
        if name in kind.split():
            return value // step
    return int(value)


def plain(kind, value):
    """The bytes of a value in PLAIN, without a length."""
    if kind in ("string", "enum", "json"):
        return value.encode()
    if kind in FLOATS:
        return struct.pack(FLOATS[kind], math.nan if math.isnan(value) else value)  # JSON has one NaN
    if kind == "interval":
        return struct.pack("<III", *value)
    if kind == "int96":
        days, nanos = divmod(value, 86400 * 10**9)
        return struct.pack("<qi", nanos, days + 2440588)
    if isinstance(value, bytes):
        return value
    number = _integer(kind, value)
    if kind == "boolean":
        return bytes([number])
    if kind in ("decimal in fixed", "decimal in few bytes"):
        return number.to_bytes(16 if kind == "decimal in fixed" else 5, "big", signed=True)
    if kind == "decimal in binary":
        magnitude = number if number >= 0 else ~number
        return number.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)
    wide = "64" in kind or kind.startswith(("timestamp", "time micros", "time nanos"))
    return (number % 2 ** (64 if wide else 32)).to_bytes(8 if wide else 4, "little")


def _total(kind, value):
    """A float as a number in IEEE 754 total order."""
    data = struct.pack(FLOATS[kind], value)
    bits, sign = int.from_bytes(data, "little"), 1 << (8 * len(data) - 1)
    return sign - 1 - bits if bits & sign else bits


def order_key(kind):
    if kind in FLOATS:
        return lambda value: _total(kind, value)
    return lambda value: value.encode() if isinstance(value, str) else value


def bounds(kind, values, total_order):
    """The lowest and the highest value, or None; NaNs count where there is nothing else to name."""
    numbers = [value for value in values if not (kind in FLOATS and math.isnan(value))]
    if not numbers and total_order:
        numbers = values
    if not numbers:
        return None
    low, high = min(numbers, key=order_key(kind)), max(numbers, key=order_key(kind))
    if kind in FLOATS and not total_order:  # zeros are spread, as the order does not tell them apart
        low, high = (-0.0 if low == 0 else low), (0.0 if high == 0 else high)
    return low, high


# --- Chunks and pages -----------------------------------------------------------------------------


def facts(column, rows, total_order):
    """What can be said of some rows of a column."""
    triples = list(itertools.chain.from_iterable(column.rows[first] for first in rows))
    values = [value for _, _, value in triples if value is not None]
    found = {
        "values": len(triples),
        "nulls": len(triples) - len(values),
        "distinct bytes": {plain(column.kind, value) for value in values},
        "repetition": [sum(r == level for r, _, _ in triples) for level in range(column.repetition + 1)],
        "definition": [sum(d == level for _, d, _ in triples) for level in range(column.definition + 1)],
        "bounds": bounds(column.kind, values, total_order),
        "present": values,
    }
    if column.kind in FLOATS:
        found["nans"] = sum(math.isnan(value) for value in values)
    if is_byte_array(column.kind):
        found["bytes"] = sum(len(plain(column.kind, value)) for value in values)
    return found


# --- Bloom filters --------------------------------------------------------------------------------

_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_MASK = 2**64 - 1
_SALT = [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31]


def _turn(number, bits):
    return ((number << bits) | (number >> (64 - bits))) & _MASK


def _round(lane, word):
    return _turn((lane + word * _P2) & _MASK, 31) * _P1 & _MASK


def hash64(data):
    """XXH64 with seed 0. (xxHash fast digest algorithm, version 0.1.1)"""
    at, size = 0, len(data)
    result = _P5
    if size >= 32:
        lanes = [(_P1 + _P2) & _MASK, _P2, 0, -_P1 & _MASK]
        while size - at >= 32:
            lanes = [_round(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        result = sum(_turn(lane, bits) for lane, bits in zip(lanes, [1, 7, 12, 18])) & _MASK
        for lane in lanes:
            result = ((result ^ _round(0, lane)) * _P1 + _P4) & _MASK
    result = (result + size) & _MASK
    while size - at >= 8:
        result = (_turn(result ^ _round(0, struct.unpack_from("<Q", data, at)[0]), 27) * _P1 + _P4) & _MASK
        at += 8
    if size - at >= 4:
        result = (_turn(result ^ struct.unpack_from("<I", data, at)[0] * _P1 & _MASK, 23) * _P2 + _P3) & _MASK
        at += 4
    for byte in data[at:]:
        result = _turn(result ^ byte * _P5 & _MASK, 11) * _P1 & _MASK
    result = (result ^ result >> 33) * _P2 & _MASK
    result = (result ^ result >> 29) * _P3 & _MASK
    return result ^ result >> 32


def bloom_bitset(kind, values, size):
    """The bitset of that many bytes. (BloomFilter.md, section "Technical Approach")"""
    words = [0] * (size // 4)
    for data in {plain(kind, value) for value in values}:
        hash = hash64(data)
        block = ((hash >> 32) * (size // 32) >> 32) * 8
        for number, salt in enumerate(_SALT):
            words[block + number] |= 1 << ((hash & 0xFFFFFFFF) * salt % 2**32 >> 27)
    return struct.pack(f"<{len(words)}I", *words)


