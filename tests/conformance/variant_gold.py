"""The records of shredded_variant put together from their groups, as the variants beside them are.

The program shows a VARIANT as the group that holds it; this puts the group together by
VariantShredding.md and compares it with the bytes of gold, read by VariantEncoding.md. What an
assembler must refuse is only read as a group.
"""

import base64
import json
import os
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "interop")]
import engines  # noqa: E402

import canonical  # noqa: E402

types = engines.pyarrow.types
SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get(
    "LAMELLA_SHARED_DEFAULT", os.path.join(engines.ROOT, "..", "shared")
)
FOLDER = os.path.join(SHARED, "parquet-testing", "shredded_variant")

# --- VariantEncoding.md ----------------------------------------------------------------------------

PLAIN = {
    3: ("int8", "<b"),
    4: ("int16", "<h"),
    5: ("int32", "<i"),
    6: ("int64", "<q"),
    7: ("double", "<d"),
    11: ("date", "<i"),
    12: ("timestamp us", "<q"),
    13: ("timestampntz us", "<q"),
    14: ("float", "<f"),
    17: ("time", "<q"),
    18: ("timestamp ns", "<q"),
    19: ("timestampntz ns", "<q"),
}


def _number(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def _numbers(data, at, size, count):
    return [_number(data, at + n * size, size) for n in range(count)]


def read_metadata(data):
    """The names of a dictionary, and how many bytes it takes."""
    assert data[0] & 15 == 1
    size = (data[0] >> 6) + 1
    count = _number(data, 1, size)
    offsets = _numbers(data, 1 + size, size, count + 1)
    start = 1 + size * (count + 2)
    names = [data[start + a : start + b].decode() for a, b in zip(offsets, offsets[1:])]
    return names, start + offsets[-1]


def _real(name, code, data):
    (value,) = struct.unpack_from(code, data)
    return (name, struct.pack(code, value).hex() if name in ("float", "double") else value)


def read_value(data, names):
    basic, head = data[0] & 3, data[0] >> 2
    if basic == 1:
        return ("string", data[1 : 1 + head].decode())
    if basic == 2:
        return _read_object(data, head, names)
    if basic == 3:
        return _read_array(data, head, names)
    if head < 3:
        return [("null", None), ("boolean", True), ("boolean", False)][head]
    if head in PLAIN:
        return _real(*PLAIN[head], data[1:])
    if head in (8, 9, 10):
        size = 4 << (head - 8)
        unscaled = int.from_bytes(data[2 : 2 + size], "little", signed=True)
        return (f"decimal{size}", data[1], unscaled)
    if head in (15, 16):
        content = data[5 : 5 + _number(data, 1, 4)]
        return ("binary", content) if head == 15 else ("string", content.decode())
    assert head == 20, head
    return ("uuid", data[1:17])


def _read_object(data, head, names):
    offset_size, id_size = (head & 3) + 1, (head >> 2 & 3) + 1
    size = 4 if head & 16 else 1
    count = _number(data, 1, size)
    ids = _numbers(data, 1 + size, id_size, count)
    at = 1 + size + count * id_size
    offsets = _numbers(data, at, offset_size, count + 1)
    at += (count + 1) * offset_size
    fields = {names[id]: read_value(data[at + o :], names) for id, o in zip(ids, offsets)}
    return ("object", fields)


def _read_array(data, head, names):
    offset_size, size = (head & 3) + 1, 4 if head & 4 else 1
    count = _number(data, 1, size)
    offsets = _numbers(data, 1 + size, offset_size, count + 1)
    at = 1 + size + (count + 1) * offset_size
    return ("array", [read_value(data[at + o :], names) for o in offsets[:-1]])


# --- VariantShredding.md ---------------------------------------------------------------------------

NAMES = {
    "bool": "boolean",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "float": "float",
    "double": "double",
    "date32[day]": "date",
    "time64[us]": "time",
    "string": "string",
    "binary": "binary",
}


def _primitive(found, value):
    plain = canonical.from_json(found, value)
    found = canonical.storage(found)
    if types.is_decimal(found):
        size = 4 if found.precision <= 9 else 8 if found.precision <= 18 else 16
        return (f"decimal{size}", found.scale, int(plain.replace(".", "")))
    if types.is_timestamp(found):
        name = "timestamp" if found.tz else "timestampntz"
        return (f"{name} {found.unit}", plain // canonical.UNITS[found.unit])
    if types.is_fixed_size_binary(found):
        return ("uuid", plain)
    name = NAMES[str(found)]
    return (name, plain // 1000 if name == "time" else plain)


def _typed(found, value, names):
    found = canonical.storage(found)
    if types.is_struct(found):
        inner = {field.name: canonical.storage(field.type) for field in found}
        fields = {
            name: put_together(inner[name], item, names) for name, item in value if item is not None
        }
        return ("object", {name: item for name, item in fields.items() if item is not None})
    if canonical.is_list(found):
        inner = canonical.storage(found.value_type)
        return ("array", [put_together(inner, item, names) or ("null", None) for item in value])
    return _primitive(found, value)


def put_together(found, group, names):
    """The variant of a group of value and typed_value; None where there is none."""
    group = dict(group)
    value, typed = group.get("value"), group.get("typed_value")
    if value is not None:
        value = read_value(base64.b64decode(value), names)
    if typed is None:
        return value
    kind = {field.name: field.type for field in found}["typed_value"]
    typed = _typed(kind, typed, names)
    if value is None:
        return typed
    assert value[0] == typed[0] == "object", "conflicting value and typed_value"
    # A field that is shredded is not looked for in value.
    shredded = {field.name for field in canonical.storage(kind)}
    rest = {name: item for name, item in value[1].items() if name not in shredded}
    return ("object", {**rest, **typed[1]})


class VariantGold(unittest.TestCase):
    maxDiff = 4000

    def test_shredded_variants_are_those_of_gold(self):
        if not os.path.isdir(FOLDER):
            self.skipTest(f"{FOLDER} is not here")
        with open(os.path.join(FOLDER, "cases.json"), encoding="utf-8") as file:
            cases = json.load(file)
        compared = refused = 0
        for case in cases:
            if "parquet_file" not in case:
                continue
            with self.subTest(case=case["case_number"]):
                found = self.read(case["parquet_file"])
                if "error_message" in case:
                    refused += 1
                    continue
                gold = case.get("variant_files", [case.get("variant_file")])
                self.assertEqual(found(), [self.gold(name) for name in gold])
                compared += len(gold)
        print(f"{compared} variants compared, {refused} groups that are no variant read")
        self.assertGreater(compared, 130)

    def read(self, name):
        """Reads a file; what is returned puts its variants together."""
        path = os.path.join(FOLDER, name)
        records = engines.cat(path)
        found = engines.read_pyarrow(path).schema.field("var").type
        self.assertGreater(len(records), 0)

        def put():
            groups = [dict(record)["var"] for record in records]
            return [group and self.variant(canonical.storage(found), group) for group in groups]

        return put

    def variant(self, found, group):
        names, _ = read_metadata(base64.b64decode(dict(group)["metadata"]))
        # What is neither in value nor in typed_value is null, as there is a group.
        return put_together(found, group, names) or ("null", None)

    def gold(self, name):
        if name is None:
            return None
        with open(os.path.join(FOLDER, name), "rb") as file:
            data = file.read()
        names, size = read_metadata(data)
        return read_value(data[size:], names)


if __name__ == "__main__":
    engines.main()
