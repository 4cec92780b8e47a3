# SPDX-License-Identifier: Apache-2.0
"""Values of the tables of tests/interop as Python has them: what dicts are written from, and come back as.

    days                      datetime.date          16 bytes of a UUID        uuid.UUID
    nanoseconds of a day      datetime.time          (months, days, millis)    {"months": ..., "days": ..., "millis": ...}
    nanoseconds since 1970    datetime.datetime      anything                  VARIANT
"""

import datetime
import decimal
import json
import math
import struct
import uuid

import table
from table import KINDS, Field, Kind, Leaf, List, Map, Struct

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)


def random_variant(source, depth=3):
    """Whatever a VARIANT has a kind for."""
    if depth > 0 and source.random() < 0.4:
        if source.random() < 0.5:
            return [random_variant(source, depth - 1) for _ in range(source.randrange(4))]
        names = source.sample(["a", "b", "", "a.b", "value", "typed_value", "ä", "x" * 80], source.randrange(4))
        return {name: random_variant(source, depth - 1) for name in names}
    moment = EPOCH + datetime.timedelta(microseconds=source.randint(-(2**55), 2**55))
    return source.choice([
        None, True, False, 0, -1, source.randint(-(2**63), 2**63 - 1), source.choice([0.0, -0.5, math.inf, 1e300]),
        "", "a", "Straße" * source.randrange(20), source.randbytes(source.randrange(20)),
        decimal.Decimal(source.randint(-(10**20), 10**20)).scaleb(-source.randrange(10)),
        moment, moment.replace(tzinfo=UTC), moment.date(), moment.time(), uuid.UUID(bytes=source.randbytes(16))])


class Variant(Leaf):
    """A leaf to the tables; a group in the file."""

    def message(self, name, repetition, indent):
        return (f"{indent}{repetition} group {name} (VARIANT(1)) {{\n{indent}  required binary metadata;\n"
                f"{indent}  required binary value;\n{indent}}}\n")

    def random(self, source):
        return random_variant(source)


KINDS["variant"] = Kind("", None, random_variant)
# Digits that a datetime lacks are not drawn: they are an error when they become one.
for kind in KINDS.values():
    if "NANOS" in kind.message:
        kind.random = lambda source, random=kind.random: random(source) // 1000 * 1000
# INT96 is not written; an UNKNOWN has no value.
KINDS_OF_ROWS = [kind for kind in KINDS if kind != "int96"]


def with_variants(type):
    """The same type with a Variant for each leaf of that kind."""
    if isinstance(type, Leaf):
        return Variant("variant") if type.kind == "variant" else type
    fields = type.fields if isinstance(type, Struct) else [type.element] if isinstance(type, List) else [type.key, type.value]
    for field in fields:
        field.type = with_variants(field.type)
    return type


def random_schema(source, depth=4, kinds=None):
    """A struct of a few fields, in all layouts of lists."""
    kinds = kinds or KINDS_OF_ROWS
    layouts = ["list", "list", "two levels", "repeated"]
    schema = Struct([table.random_field(source, f"c{n}", kinds, source.randint(0, depth), layouts=layouts)
                     for n in range(source.randint(1, 5))])
    table.fix_repeated(schema)
    return with_variants(schema)


def _leaf(kind, value):
    if kind == "date":
        return EPOCH.date() + datetime.timedelta(days=value)
    if kind.startswith("timestamp"):
        moment = EPOCH + datetime.timedelta(microseconds=value // 1000)
        return moment.replace(tzinfo=UTC) if kind.endswith("utc") else moment
    if kind.startswith("time "):
        return (EPOCH + datetime.timedelta(microseconds=value // 1000)).time()
    if kind == "interval":
        return dict(zip(("months", "days", "millis"), value))
    return uuid.UUID(bytes=value) if kind == "uuid" else value


def to_object(type, value):
    """A value of a table as Python has it."""
    if value is None:
        return None
    if isinstance(type, Variant):
        return value
    if isinstance(type, Leaf):
        return _leaf(type.kind, value)
    if isinstance(type, Struct):
        return {field.name: to_object(field.type, value[field.name]) for field in type.fields}
    if isinstance(type, List):
        return [to_object(type.element.type, element) for element in value]
    return [(to_object(type.key.type, key), to_object(type.value.type, item)) for key, item in value]


def random_rows(schema, source, count):
    """Rows as dicts of objects."""
    return [to_object(schema, schema.random(source)) for _ in range(count)]


# --- As pyarrow has them -----------------------------------------------------------------------------


def _of_pyarrow(kind, value):
    if kind in ("enum", "json", "string") and isinstance(value, bytes):
        return value.decode()
    if kind == "interval":
        return dict(zip(("months", "days", "millis"), struct.unpack("<III", value)))
    if kind.startswith("timestamp"):
        value = value.to_pydatetime() if hasattr(value, "to_pydatetime") else value
        return value.astimezone(UTC) if value.tzinfo else value
    if kind in ("float16", "float", "double"):
        return float(value)
    return value


def of_pyarrow(type, value):
    """What to_pylist of pyarrow gives, as to_object has it; it has no VARIANTs."""
    if value is None:
        return None
    if isinstance(type, Leaf):
        return _of_pyarrow(type.kind, value)
    if isinstance(type, Struct):
        return {field.name: of_pyarrow(field.type, value[field.name]) for field in type.fields}
    if isinstance(type, List):
        return [of_pyarrow(type.element.type, element) for element in value]
    return [(of_pyarrow(type.key.type, key), of_pyarrow(type.value.type, item)) for key, item in value]
