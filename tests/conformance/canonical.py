# SPDX-License-Identifier: Apache-2.0
"""Values of Arrow arrays and of the program's JSON in one form, in which equal ones are ==.

The form follows the type that the other engine found: floats are their bits (every NaN is one), times
are nanoseconds, decimals their text, bytes are bytes, structs are tuples of (name, value), maps are
lists of (key, value).
"""

import base64
import ctypes
import decimal
import math
import re
import struct
import uuid

import pyarrow as pa
from engines import Pairs

types = pa.types
_strtof = ctypes.CDLL(None).strtof
_strtof.restype = ctypes.c_float
_strtof.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def is_list(found):
    return (
        types.is_list(found)
        or types.is_large_list(found)
        or types.is_fixed_size_list(found)
        or types.is_list_view(found)
        or types.is_large_list_view(found)
    )


def storage(found):
    """The type without what extends it, and without its dictionary."""
    while isinstance(found, pa.BaseExtensionType):
        found = found.storage_type
    return found.value_type if types.is_dictionary(found) else found


def is_text(found):
    return types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)


def is_bytes(found):
    return (
        types.is_binary(found)
        or types.is_large_binary(found)
        or types.is_fixed_size_binary(found)
        or types.is_binary_view(found)
    )


def _float(code, value):
    return "nan" if math.isnan(value) else struct.pack(code, value).hex()


def _code(found):
    return "<e" if types.is_float16(found) else "<f" if types.is_float32(found) else "<d"


# --- Arrow -----------------------------------------------------------------------------------------


def _plain(array):
    """The array without extension and dictionary."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if types.is_dictionary(array.type) else array


def _valid(array, values):
    return [value if ok else None for ok, value in zip(array.is_valid().to_pylist(), values)]


def _slices(array, values):
    """Lists of `values`, which are those of array.values, as the offsets say."""
    if types.is_fixed_size_list(array.type):
        size, first = array.type.list_size, array.offset
        bounds = [(n * size, n * size + size) for n in range(first, first + len(array))]
    elif hasattr(array, "sizes"):
        bounds = [(a, a + n) for a, n in zip(array.offsets.to_pylist(), array.sizes.to_pylist())]
    else:
        offsets = array.offsets.to_pylist()
        bounds = list(zip(offsets, offsets[1:]))
    return _valid(array, [values[a:b] for a, b in bounds])


def from_arrow(array):
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in from_arrow(chunk)]
    array = _plain(array)
    found = array.type
    if types.is_null(found):
        return [None] * len(array)
    if types.is_struct(found):
        names = [field.name for field in found]
        columns = [from_arrow(array.field(n)) for n in range(len(names))]
        rows = zip(*columns) if columns else [()] * len(array)
        return _valid(array, [tuple(zip(names, row)) for row in rows])
    if types.is_map(found):
        pairs = list(zip(from_arrow(array.keys), from_arrow(array.items)))
        return _slices(array, pairs)
    if is_list(found):
        return _slices(array, from_arrow(array.values))
    return _leaves(array, found)


def _scaled(numbers, unit):
    return [None if number is None else number * UNITS[unit] for number in numbers]


def _leaves(array, found):
    if types.is_floating(found):
        code = _code(found)
        bits = array.view({"<e": pa.uint16(), "<f": pa.uint32(), "<d": pa.uint64()}[code])
        size = struct.calcsize(code)
        return [
            None
            if number is None
            else _float(code, struct.unpack(code, number.to_bytes(size, "little"))[0])
            for number in bits.to_pylist()
        ]
    if types.is_date32(found):
        return array.view(pa.int32()).to_pylist()
    if types.is_time32(found):
        return _scaled(array.view(pa.int32()).to_pylist(), found.unit)
    if types.is_time64(found) or types.is_timestamp(found) or types.is_duration(found):
        return _scaled(array.view(pa.int64()).to_pylist(), found.unit)
    if types.is_decimal(found):
        return [None if value is None else format(value, "f") for value in array.to_pylist()]
    if types.is_interval(found):
        return [value and (value[0], value[1], value[2]) for value in array.to_pylist()]
    return array.to_pylist()


# --- JSON ------------------------------------------------------------------------------------------


def _days(year, month, day):
    """Days since 1970-01-01 of the proleptic Gregorian calendar, for any year."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def _date(text):
    year, month, day = re.fullmatch(r"([+-]?\d{4,})-(\d\d)-(\d\d)", text).groups()
    return _days(int(year), int(month), int(day))


def _clock(text):
    hour, minute, second, part = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?", text).groups()
    whole = (int(hour) * 60 + int(minute)) * 60 + int(second)
    return whole * 10**9 + int((part or "").ljust(9, "0"))


def _timestamp(text):
    if ":" not in text:
        return base64.b64decode(text, validate=True)  # an INT96 that is no time
    date, clock = text.rstrip("Z").split("T")
    return _date(date) * 86400 * 10**9 + _clock(clock)


def _real(found, value):
    if value in ("NaN", "Infinity", "-Infinity"):
        return _float(_code(found), float(value))
    if types.is_float32(found):
        return _float("<f", _strtof(str(value).encode(), None))
    return _float(_code(found), float(value))


def _octets(value):
    if isinstance(value, Pairs):  # {"months":..,"days":..,"millis":..}
        return struct.pack("<III", *[number for _, number in value])
    if "-" in value:  # which base64 does not have
        return uuid.UUID(value).bytes
    return base64.b64decode(value, validate=True)


def from_json(found, value):
    """`value` is JSON as engines.cat gives it; `found` the type that the other engine found."""
    found = storage(found)
    if value is None:
        return None
    if types.is_struct(found):
        return tuple(
            (name, from_json(field.type, item)) for field, (name, item) in zip(found, value)
        )
    if types.is_map(found):
        # An object, or an array of entries when the keys are no text.
        if not isinstance(value, Pairs):
            value = [tuple(item for _, item in entry) for entry in value]
        return [
            (from_json(found.key_type, pair[0]), from_json(found.item_type, (*pair, None)[1]))
            for pair in value
        ]
    if is_list(found):
        inner = storage(found.value_type)
        if isinstance(value, Pairs):
            return [_pair(inner, pair) for pair in value]
        if not (types.is_struct(inner) or types.is_map(inner)) and _are_keys(value):
            value = [entry[0][1] for entry in value]
        return [from_json(inner, item) for item in value]
    return _leaf(found, value)


def _are_keys(value):
    """A map without values, which an engine may take for a list of keys."""
    return bool(value) and all(isinstance(entry, Pairs) and len(entry) == 1 for entry in value)


def _pair(found, pair):
    """An entry of a map where the engine found a list of structs."""
    return tuple(
        (field.name, from_json(field.type, item)) for field, item in zip(found, pair)
    )


def _leaf(found, value):
    if types.is_floating(found):
        return _real(found, value)
    if types.is_date32(found):
        return _date(value)
    if types.is_time(found):
        return _clock(value)
    if types.is_timestamp(found):
        return _timestamp(value)
    if types.is_decimal(found):
        return format(decimal.Decimal(str(value)), "f") if str(value) else value
    if types.is_interval(found):
        months, days, millis = (number for _, number in value)
        return (months, days, millis * 10**6)
    return _octets(value) if is_bytes(found) else value


# --- Leaves ----------------------------------------------------------------------------------------


def leaf_types(found):
    """The types of the leaves below a field, in the order of the schema."""
    found = storage(found)
    if types.is_struct(found):
        return [leaf for field in found for leaf in leaf_types(field.type)]
    if types.is_map(found):
        return leaf_types(found.key_type) + leaf_types(found.item_type)
    return leaf_types(found.value_type) if is_list(found) else [found]


def flatten(found, value, leaves):
    """Adds the values below `value`, without nulls, to one list per leaf; gives the lists left."""
    found = storage(found)
    if types.is_struct(found):
        items = [None] * found.num_fields if value is None else [item for _, item in value]
        for field, item in zip(found, items):
            leaves = flatten(field.type, item, leaves)
        return leaves
    if types.is_map(found):
        for key, item in value or []:
            flatten(found.item_type, item, flatten(found.key_type, key, leaves))
        return leaves[len(leaf_types(found)) :]
    if is_list(found):
        for item in value or []:
            flatten(found.value_type, item, leaves)
        return leaves[len(leaf_types(found)) :]
    if value is not None:
        leaves[0].append(value)
    return leaves[1:]
