# SPDX-License-Identifier: Apache-2.0
"""VARIANTs at random for exchange with engines: JSON values, and what of them is shredded, as message
text and as a type of DuckDB and Spark."""

import decimal
import json
import struct

NAMES = ["a", "b", "id", "Name", "with space", "a.b", "value", "typed_value", "metadata", "\u00e9"]
# What a column may be in all three: its type here, in DuckDB, in Spark.
SCALARS = {
    "boolean": ("boolean %s", "BOOLEAN", "boolean"),
    "int32": ("int32 %s", "INTEGER", "int"),
    "int64": ("int64 %s", "BIGINT", "bigint"),
    "double": ("double %s", "DOUBLE", "double"),
    "decimal": ("int64 %s (DECIMAL(18,2))", "DECIMAL(18,2)", "decimal(18,2)"),
    "string": ("binary %s (STRING)", "VARCHAR", "string"),
}

# All kinds: typed JSON, and the column that holds the kind.
KINDS = {
    "null": ("null", None),
    "boolean": ("true", "boolean %s"),
    "int8": ("-5", "int32 %s (INTEGER(8,true))"),
    "int16": ("-300", "int32 %s (INTEGER(16,true))"),
    "int32": ("70000", "int32 %s"),
    "int64": ("-5000000000", "int64 %s"),
    "float": ("1.5", "float %s"),
    "double": ("2.5", "double %s"),
    "decimal4": ("1.25", "int32 %s (DECIMAL(9,2))"),
    "decimal8": ("12345678901.25", "int64 %s (DECIMAL(18,2))"),
    "decimal16": ("12345678901234567890.25", "fixed_len_byte_array(16) %s (DECIMAL(38,2))"),
    "date": ('"2024-10-24"', "int32 %s (DATE)"),
    "time": ('"12:13:14.000001"', "int64 %s (TIME(MICROS,false))"),
    "timestamp": ('"2024-10-24T12:13:14.000001Z"', "int64 %s (TIMESTAMP(MICROS,true))"),
    "timestamp_ntz": ('"2024-10-24T12:13:14.000001"', "int64 %s (TIMESTAMP(MICROS,false))"),
    "timestamp_nanos": ('"2024-10-24T12:13:14.000000001Z"', "int64 %s (TIMESTAMP(NANOS,true))"),
    "timestamp_ntz_nanos": (
        '"2024-10-24T12:13:14.000000001"',
        "int64 %s (TIMESTAMP(NANOS,false))",
    ),
    "binary": ('"qrs="', "binary %s"),
    "string": ('"x"', "binary %s (STRING)"),
    "uuid": ('"eeccb8c5-9943-b2bb-bb5e-222f4e14b687"', "fixed_len_byte_array(16) %s (UUID)"),
}

PLAIN = "message m { optional group v (VARIANT(1)) { required binary metadata; required binary value; } }"


# --- What is shredded: the name of a scalar, a list of one, a dict of fields, None ------------------


def random_shape(random, depth=0):
    kind = random.random()
    if depth < 3 and kind < (0.8 if depth == 0 else 0.35):
        names = random.sample(NAMES, random.randrange(1, 5))
        return {name: random_shape(random, depth + 1) for name in names}
    if depth < 3 and kind < (0.9 if depth == 0 else 0.55):
        return [random_shape(random, depth + 1)]
    return random.choice(list(SCALARS))


def _pair(shape):
    typed = "optional binary value; "
    if isinstance(shape, dict):
        fields = "".join(
            f'required group "{name}" {{ {_pair(part)} }} ' for name, part in shape.items()
        )
        return typed + f"optional group typed_value {{ {fields}}}"
    if isinstance(shape, list):
        element = f"required group element {{ {_pair(shape[0])} }}"
        return typed + f"optional group typed_value (LIST) {{ repeated group list {{ {element} }} }}"
    return typed + "optional %s;" % (SCALARS[shape][0] % "typed_value")


def message(shape):
    return (
        "message m { optional group v (VARIANT(1)) { required binary metadata; %s } }" % _pair(shape)
    )


def engine_type(shape, engine):
    """A type of DuckDB (1) or Spark (2)."""
    if isinstance(shape, dict):
        parts = [(name, engine_type(part, engine)) for name, part in shape.items()]
        if engine == 1:
            return "STRUCT(%s)" % ", ".join(f'"{name}" {part}' for name, part in parts)
        return "struct<%s>" % ",".join(f"`{name}`:{part}" for name, part in parts)
    if isinstance(shape, list):
        element = engine_type(shape[0], engine)
        return f"{element}[]" if engine == 1 else f"array<{element}>"
    return SCALARS[shape][engine]


# --- Values, which mostly fit a shape ---------------------------------------------------------------


def _scalar(random, kind):
    if kind == "boolean":
        return random.random() < 0.5
    if kind == "int32":
        return random.randrange(-(2**31), 2**31) >> random.randrange(32)
    if kind == "int64":
        return random.randrange(-(2**63), 2**63) >> random.randrange(64)
    if kind == "double":
        return random.choice([0.5, -1.25e300, 1e-7, random.uniform(-1e6, 1e6)])
    if kind == "decimal":
        return random.randrange(-(10**6), 10**6) / 4
    length = random.choice([0, 1, 5, 70])
    return "".join(random.choice("abc \u00e9\"\\\n\U0001f600") for _ in range(length))


def _any(random, depth):
    kind = random.random()
    if depth > 3 or kind < 0.6:
        return random.choice([None, *(_scalar(random, kind) for kind in SCALARS)])
    if kind < 0.8:
        return [_any(random, depth + 1) for _ in range(random.randrange(4))]
    names = random.sample(NAMES, random.randrange(5))
    return {name: _any(random, depth + 1) for name in names}


def random_value(random, shape, depth=0):
    if random.random() < 0.12:
        return _any(random, depth)
    if isinstance(shape, dict):
        value = {
            name: random_value(random, part, depth + 1)
            for name, part in shape.items()
            if random.random() < 0.85
        }
        if random.random() < 0.3:
            value[random.choice(NAMES)] = _any(random, depth + 1)
        return value
    if isinstance(shape, list):
        return [random_value(random, shape[0], depth + 1) for _ in range(random.randrange(4))]
    return _scalar(random, shape)


# --- Comparing --------------------------------------------------------------------------------------


def _number(text):
    number = decimal.Decimal(text)
    # What no double holds is exact on both sides; of a double the text may be any that means it.
    as_double = struct.pack("<d", float(number))
    return number.normalize() if decimal.Decimal(repr(float(number))) != number else as_double


def plain(text):
    """JSON text as what it means: numbers by value, members in no order."""
    return json.loads(text, parse_float=_number, parse_int=_number)
