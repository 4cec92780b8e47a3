# SPDX-License-Identifier: Apache-2.0
"""Nested tables: their types, random ones, and how values look to the program and to the engines.

A row is a dict of plain values, the same whatever it came from:

    boolean, integers    bool, int
    real numbers         float, compared by `freeze` bit by bit, with one NaN for all
    decimals             Decimal
    text; other bytes    str; bytes
    dates                int, days
    times, timestamps    int, nanoseconds
    intervals            (months, days, milliseconds)
    structs              dict
    lists, maps          list, list of (key, value)
"""

import base64
import datetime
import json
import math
import struct
import uuid
from decimal import Decimal, localcontext

import engines

pa = engines.pyarrow

# --- Kinds of leaves ------------------------------------------------------------------------------

NANOS = {"MILLIS": 10**6, "MICROS": 10**3, "NANOS": 1}
ARROW_UNIT = {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}
EPOCH = datetime.date(1970, 1, 1).toordinal()


def _real(code):
    """Reads a number of that size, as it is in JSON: "NaN", "Infinity" and "-Infinity" too."""
    return lambda text: struct.unpack(code, struct.pack(code, float(text)))[0]


def _real_text(value):
    if math.isnan(value):
        return '"NaN"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return repr(value)


def _days(text):
    return datetime.date.fromisoformat(text).toordinal() - EPOCH


def _date_text(days):
    return datetime.date.fromordinal(days + EPOCH).isoformat()


def _clock(text):
    whole, _, fraction = text.partition(".")
    hours, minutes, seconds = (int(part) for part in whole.split(":"))
    return ((hours * 60 + minutes) * 60 + seconds) * 10**9 + int(fraction.ljust(9, "0") or 0)


def _clock_text(nanos, digits):
    seconds, fraction = divmod(nanos, 10**9)
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{fraction:09}"[: 9 + digits]


def _stamp(text):
    date, _, clock = text.removesuffix("Z").partition("T")
    return _days(date) * 86400 * 10**9 + _clock(clock)


def _stamp_text(nanos, digits, utc):
    days, nanos = divmod(nanos, 86400 * 10**9)
    return f"{_date_text(days)}T{_clock_text(nanos, digits)}{'Z' if utc else ''}"


class Kind:
    """A type of leaf: its message text, random values, and JSON text both ways."""

    def __init__(self, message, arrow, random, to_text=json.dumps, from_json=lambda value: value):
        self.message = message  # with {} where the name goes
        self.arrow = arrow
        self.random = random
        self.to_text = to_text
        self.from_json = from_json


def _integers(bits, signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def random(source):
        if source.random() < 0.2:
            return source.choice([low, low + 1, 0, 1, high - 1, high])
        return (
            source.randint(max(low, -100), min(high, 100))
            if source.random() < 0.6
            else source.randint(low, high)
        )

    return random


def _random_double(source):
    if source.random() < 0.3:
        return source.choice(
            [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308]
        )
    return struct.unpack("<d", source.randbytes(8))[0]


def _random_float(source):
    if source.random() < 0.3:
        return source.choice([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 2.0**-149])
    return struct.unpack("<f", source.randbytes(4))[0]


def _random_half(source):
    return struct.unpack("<e", source.randbytes(2))[0]


WORDS = ["", " ", "a", "oak", "Straße", "北京", "🙂", '"', "\\", "\n", "\0", "null", "x" * 300]


def _random_text(source):
    if source.random() < 0.6:
        return source.choice(WORDS)
    return "".join(source.choice("abc äß中😀'") for _ in range(source.randint(0, 20)))


def _random_bytes(source):
    return source.randbytes(source.choice([0, 1, 2, 3, 16, 100]))


def _base64(data):
    return json.dumps(base64.b64encode(data).decode())


def _decimal(message, precision, scale):
    def random(source):
        limit = 10 ** source.randint(0, precision) - 1
        with localcontext() as context:
            context.prec = 80
            return Decimal(source.randint(-limit, limit)).scaleb(-scale)

    def to_text(value):
        return f"{value:.{scale}f}"

    def from_json(value):
        return Decimal(str(value))

    return Kind(
        f"{message} {{}} (DECIMAL({precision},{scale}))",
        pa.decimal128(precision, scale),
        random,
        to_text,
        from_json,
    )


def _time(message, unit, utc):
    step = NANOS[unit]
    return Kind(
        f"{message} {{}} (TIME({unit},{str(utc).lower()}))",
        pa.time32("ms") if unit == "MILLIS" else pa.time64(ARROW_UNIT[unit]),
        lambda source: source.choice(
            [0, 86400 * 10**9 // step - 1, source.randrange(86400 * 10**9 // step)]
        )
        * step,
        lambda nanos: f'"{_clock_text(nanos, 9 - len(str(step)) + 1)}"',
        _clock,
    )


def _timestamp(unit, utc):
    step = NANOS[unit]

    def random(source):
        return (
            source.choice(
                [0, -1, source.randint(-(2**62), 2**62) // step, source.randint(0, 2**61) // step]
            )
            * step
        )

    return Kind(
        f"int64 {{}} (TIMESTAMP({unit},{str(utc).lower()}))",
        pa.timestamp(ARROW_UNIT[unit], "UTC" if utc else None),
        random,
        lambda nanos: f'"{_stamp_text(nanos, 9 - len(str(step)) + 1, utc)}"',
        _stamp,
    )


def _text(message, arrow=pa.string()):
    return Kind(message, arrow, _random_text, lambda value: json.dumps(value, ensure_ascii=False))


def _fixed(size):
    return Kind(
        f"fixed_len_byte_array({size}) {{}}",
        pa.binary(size),
        lambda source: source.randbytes(size),
        _base64,
        base64.b64decode,
    )


KINDS = {
    "boolean": Kind("boolean {}", pa.bool_(), lambda source: source.random() < 0.5),
    "int32": Kind("int32 {}", pa.int32(), _integers(32, True)),
    "int64": Kind("int64 {}", pa.int64(), _integers(64, True)),
    **{
        f"{'' if signed else 'u'}int{bits}{'' if bits < 32 or not signed else ' annotated'}": Kind(
            f"{'int64' if bits == 64 else 'int32'} {{}} (INTEGER({bits},{str(signed).lower()}))",
            getattr(pa, f"{'' if signed else 'u'}int{bits}")(),
            _integers(bits, signed),
        )
        for bits in (8, 16, 32, 64)
        for signed in (True, False)
    },
    "float": Kind("float {}", pa.float32(), _random_float, _real_text, _real("<f")),
    "double": Kind("double {}", pa.float64(), _random_double, _real_text, _real("<d")),
    "float16": Kind(
        "fixed_len_byte_array(2) {} (FLOAT16)", pa.float16(), _random_half, _real_text, _real("<e")
    ),
    "decimal in int32": _decimal("int32", 9, 2),
    "decimal in int64": _decimal("int64", 18, 6),
    "decimal in fixed": _decimal("fixed_len_byte_array(16)", 38, 10),
    "decimal in few bytes": _decimal("fixed_len_byte_array(5)", 11, 0),
    "decimal in binary": _decimal("binary", 30, 30),
    "string": _text("binary {} (STRING)"),
    "enum": _text("binary {} (ENUM)"),
    "json": Kind(
        "binary {} (JSON)", pa.string(), lambda source: json.dumps(_random_text(source)), json.dumps
    ),
    "binary": Kind("binary {}", pa.binary(), _random_bytes, _base64, base64.b64decode),
    "fixed": _fixed(7),
    "date": Kind(
        "int32 {} (DATE)",
        pa.date32(),
        lambda source: source.choice([0, -1, source.randint(-719162, 2932896)]),
        lambda days: f'"{_date_text(days)}"',
        _days,
    ),
    "time millis": _time("int32", "MILLIS", False),
    "time micros": _time("int64", "MICROS", False),
    "time micros utc": _time("int64", "MICROS", True),
    "time nanos": _time("int64", "NANOS", False),
    **{
        f"timestamp {unit.lower()}{' utc' if utc else ''}": _timestamp(unit, utc)
        for unit in NANOS
        for utc in (False, True)
    },
    "int96": Kind(
        "int96 {}",
        None,
        lambda source: source.randint(-(2**62), 2**62),
        lambda nanos: f'"{_stamp_text(nanos, 9, False)}"',
        _stamp,
    ),
    "uuid": Kind(
        "fixed_len_byte_array(16) {} (UUID)",
        pa.uuid(),
        lambda source: source.randbytes(16),
        lambda data: f'"{uuid.UUID(bytes=data)}"',
        lambda text: uuid.UUID(text).bytes,
    ),
    "interval": Kind(
        "fixed_len_byte_array(12) {} (INTERVAL)",
        None,
        lambda source: (source.randint(0, 1000), source.randint(0, 1000), source.randint(0, 10**9)),
        lambda value: json.dumps(dict(zip(("months", "days", "millis"), value))),
        lambda pairs: tuple(number for _, number in pairs),
    ),
    "unknown": Kind("int32 {} (UNKNOWN)", pa.null(), lambda source: None, None, None),
}

# --- Types ----------------------------------------------------------------------------------------


class Field:
    def __init__(self, name, type, required=False):
        self.name = name
        self.type = type
        self.required = required

    def message(self, indent=1):
        return self.type.message(
            self.name, "required" if self.required else "optional", "  " * indent
        )


class Leaf:
    def __init__(self, kind):
        self.kind = kind

    def message(self, name, repetition, indent):
        return f"{indent}{repetition} {KINDS[self.kind].message.format(name)};\n"

    def kinds(self):
        return {self.kind}

    def depth(self):
        return 0

    def random(self, source):
        return KINDS[self.kind].random(source)

    def to_text(self, value):
        return KINDS[self.kind].to_text(value)

    def from_json(self, value):
        return KINDS[self.kind].from_json(value)


def _text_or_null(field, value):
    return "null" if value is None else field.type.to_text(value)


def _from_json_or_null(field, value):
    return None if value is None else field.type.from_json(value)


def _random_or_null(field, source):
    return None if not field.required and source.random() < 0.25 else field.type.random(source)


class Struct:
    def __init__(self, fields):
        self.fields = fields

    def members(self, indent):
        return "".join(field.message(len(indent) // 2 + 1) for field in self.fields)

    def message(self, name, repetition, indent):
        return f"{indent}{repetition} group {name} {{\n{self.members(indent)}{indent}}}\n"

    def kinds(self):
        return set().union(*(field.type.kinds() for field in self.fields))

    def depth(self):
        return 1 + max(field.type.depth() for field in self.fields)

    def random(self, source):
        return {field.name: _random_or_null(field, source) for field in self.fields}

    def to_text(self, value):
        members = (
            f"{json.dumps(field.name)}:{_text_or_null(field, value[field.name])}"
            for field in self.fields
        )
        return "{" + ",".join(members) + "}"

    def from_json(self, pairs):
        assert [name for name, _ in pairs] == [field.name for field in self.fields], pairs
        return {
            field.name: _from_json_or_null(field, value)
            for field, (_, value) in zip(self.fields, pairs)
        }


class List:
    """`layout` is how the list stands in the schema: three levels, or an older way."""

    def __init__(self, element, layout="list"):
        self.element = element
        self.layout = layout

    def message(self, name, repetition, indent):
        if self.layout == "repeated":  # a field that repeats, without a list around it
            return self.element.type.message(name, "repeated", indent)
        inner = indent + "  "
        if self.layout == "two levels":
            content = self.element.type.message("element", "repeated", inner)
        else:
            outer_name, inner_name = (
                ("bag", "array_element") if self.layout == "bag" else ("list", "element")
            )
            element = self.element.type.message(
                inner_name, "required" if self.element.required else "optional", inner + "  "
            )
            content = f"{inner}repeated group {outer_name} {{\n{element}{inner}}}\n"
        return f"{indent}{repetition} group {name} (LIST) {{\n{content}{indent}}}\n"

    def kinds(self):
        inner = self.element.type
        alone = isinstance(inner, Struct) and len(inner.fields) == 1
        layout = "repeated group of one" if self.layout == "repeated" and alone else self.layout
        return inner.kinds() | {layout}

    def depth(self):
        return 1 + self.element.type.depth()

    def random(self, source):
        return [
            _random_or_null(self.element, source)
            for _ in range(source.choice([0, 0, 1, 1, 2, 3, 5]))
        ]

    def to_text(self, value):
        return "[" + ",".join(_text_or_null(self.element, item) for item in value) + "]"

    def from_json(self, items):
        return [_from_json_or_null(self.element, item) for item in items]


class Map:
    def __init__(self, key, value):
        self.key = key
        self.value = value

    def message(self, name, repetition, indent):
        inner = indent + "  "
        content = self.key.message(len(inner) // 2 + 1) + self.value.message(len(inner) // 2 + 1)
        entries = f"{inner}repeated group key_value {{\n{content}{inner}}}\n"
        return f"{indent}{repetition} group {name} (MAP) {{\n{entries}{indent}}}\n"

    def kinds(self):
        return self.key.type.kinds() | self.value.type.kinds() | {"map"}

    def depth(self):
        return 1 + self.value.type.depth()

    def random(self, source):
        keys = {self.key.type.random(source) for _ in range(source.choice([0, 0, 1, 1, 2, 3, 5]))}
        return [(key, _random_or_null(self.value, source)) for key in sorted(keys)]

    def is_object(self):
        return getattr(self.key.type, "kind", None) in ("string", "enum")

    def to_text(self, value):
        entries = [
            (self.key.type.to_text(key), _text_or_null(self.value, item)) for key, item in value
        ]
        if self.is_object():
            return "{" + ",".join(f"{key}:{item}" for key, item in entries) + "}"
        return "[" + ",".join(f'{{"key":{key},"value":{item}}}' for key, item in entries) + "]"

    def from_json(self, found):
        if not self.is_object():
            found = [(entry[0][1], entry[1][1]) for entry in found]
        return [
            (self.key.type.from_json(key), _from_json_or_null(self.value, item))
            for key, item in found
        ]


# --- Random ones ----------------------------------------------------------------------------------

KEYS = ["string", "int32", "int64", "date", "uint8", "enum"]


def random_type(source, kinds, depth, layouts=("list",), maps=True, keys=KEYS):
    """A type with at most `depth` structs, lists and maps inside each other."""
    choice = source.random()
    if depth == 0 or choice < 0.3:
        return Leaf(source.choice(kinds))

    def field(name, is_key=False):
        inner = (
            Leaf(source.choice(keys))
            if is_key
            else random_type(source, kinds, depth - 1, layouts, maps, keys)
        )
        required = is_key or source.random() < 0.3 and inner.kinds() != {"unknown"}
        return Field(name, inner, required)

    if choice < 0.55:
        return Struct([field(f"f{n}") for n in range(source.randint(1, 3))])
    if choice < 0.85 or not maps:
        layout = source.choice(layouts)
        element = field("element")
        if layout in ("two levels", "repeated"):
            # The element itself repeats, so that it is never null, and no list of its own.
            element.required = True
            if not isinstance(element.type, (Leaf, Struct)) or element.type.kinds() == {"unknown"}:
                element.type = Leaf("int64")
            # In two levels a group of one field would be the middle one of three.
            if (
                layout == "two levels"
                and isinstance(element.type, Struct)
                and len(element.type.fields) == 1
            ):
                element.type.fields.append(Field("f9", Leaf("int32")))
        return List(element, layout)
    return Map(field("key", True), field("value"))


def random_field(source, name, *arguments, **keywords):
    type = random_type(source, *arguments, **keywords)
    bare = isinstance(type, List) and type.layout == "repeated"
    return Field(name, type, bare or (source.random() < 0.25 and type.kinds() != {"unknown"}))


def fix_repeated(type):
    """A bare repeated field is a member of a struct, and required: it is empty, never null."""
    if isinstance(type, Struct):
        for field in type.fields:
            field.required |= isinstance(field.type, List) and field.type.layout == "repeated"
            fix_repeated(field.type)
    elif isinstance(type, List):
        inner = type.element.type
        if isinstance(inner, List) and inner.layout == "repeated":
            inner.layout = "list"
        fix_repeated(inner)
    elif isinstance(type, Map):
        inner = type.value.type
        if isinstance(inner, List) and inner.layout == "repeated":
            inner.layout = "list"
        fix_repeated(inner)


def message(table):
    return "message table {\n" + table.members("") + "}\n"


# --- Arrow ----------------------------------------------------------------------------------------


def freeze(value):
    """A value to be compared with ==, with floats as their bits."""
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else struct.pack(">d", value).hex())
    if isinstance(value, dict):
        return {name: freeze(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(freeze(item) for item in value)
    return value


def _floats(array, view, code):
    numbers = array.view(view).to_pylist()
    size = struct.calcsize(code)
    return [
        None if bits is None else struct.unpack(code, bits.to_bytes(size, "little"))[0]
        for bits in numbers
    ]


def _scaled(array, view, factor):
    return [None if number is None else number * factor for number in array.view(view).to_pylist()]


def _leaf_from_arrow(kind, array):
    found = array.type
    types = pa.types
    if types.is_float16(found):
        return _floats(array, pa.uint16(), "<e")
    if types.is_float32(found):
        return _floats(array, pa.uint32(), "<f")
    if types.is_float64(found):
        return _floats(array, pa.uint64(), "<d")
    if types.is_date32(found):
        return array.view(pa.int32()).to_pylist()
    if types.is_time32(found):
        return _scaled(array, pa.int32(), {"s": 10**9, "ms": 10**6}[found.unit])
    if types.is_time64(found) or types.is_timestamp(found):
        return _scaled(
            array, pa.int64(), {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[found.unit]
        )
    if types.is_interval(found):
        return [value and (value[0], value[1], value[2] // 10**6) for value in array.to_pylist()]
    values = array.to_pylist()
    if kind == "interval":
        return [value and struct.unpack("<III", value) for value in values]
    if kind == "uuid" and any(isinstance(value, str) for value in values):
        return [value and uuid.UUID(value).bytes for value in values]
    if kind in ("enum", "json", "string") and any(isinstance(value, bytes) for value in values):
        return [None if value is None else value.decode() for value in values]
    return values


def _slices(array):
    """(child array, [(begin, end) or None])"""
    found = array.type
    valid = array.is_valid().to_pylist()
    if pa.types.is_fixed_size_list(found):
        size, first = found.list_size, array.offset
        return array.values, [
            (n * size, (n + 1) * size) if ok else None for n, ok in enumerate(valid, first)
        ]
    offsets = array.offsets.to_pylist()
    return array, [(offsets[n], offsets[n + 1]) if ok else None for n, ok in enumerate(valid)]


def from_arrow(type, array):
    """The plain values of an array or column."""
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in from_arrow(type, chunk)]
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_null(array.type):
        return [None] * len(array)
    if isinstance(type, Leaf):
        return _leaf_from_arrow(type.kind, array)
    if isinstance(type, Struct):
        assert pa.types.is_struct(array.type), array.type
        assert [f.name for f in array.type] == [f.name for f in type.fields], array.type
        columns = [from_arrow(field.type, array.field(n)) for n, field in enumerate(type.fields)]
        names = [field.name for field in type.fields]
        return [
            dict(zip(names, row)) if ok else None
            for ok, row in zip(array.is_valid().to_pylist(), zip(*columns))
        ]
    child, slices = _slices(array)
    if isinstance(type, Map):
        if pa.types.is_map(array.type):
            keys, items = from_arrow(type.key.type, array.keys), from_arrow(
                type.value.type, array.items
            )
        else:  # a list of structs
            keys = from_arrow(type.key.type, array.values.field(0))
            items = from_arrow(type.value.type, array.values.field(1))
        values = list(zip(keys, items))
    else:
        values = from_arrow(type.element.type, child.values if child is array else child)
    return [None if slice is None else values[slice[0] : slice[1]] for slice in slices]


def rows_from_arrow(fields, table):
    columns = [from_arrow(field.type, table.column(field.name)) for field in fields]
    names = [field.name for field in fields]
    return [dict(zip(names, row)) for row in zip(*columns)] if columns else [{}] * table.num_rows
