# SPDX-License-Identifier: Apache-2.0
"""Arrow arrays as plain values in which equal ones are ==, and types as plain descriptions.

Text and binary are bytes, floats are their bits, dates, times and timestamps are nanoseconds, durations
the number that stands there, decimals are Decimals, structs are tuples, maps are lists of (key, value).
Dictionaries and run ends are resolved, extension types give their storage. What stands under a null is
not looked at, because a table may have anything there.
"""

import decimal
import struct
import sys

import pyarrow as pa

types = pa.types
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_SCALES = {pa.date32(): 86400 * 10**9, pa.date64(): 10**6}
assert sys.byteorder == "little"

# The letter of memoryview.cast for types whose values are plain numbers.
_CODES = {
    pa.int8(): "b",
    pa.uint8(): "B",
    pa.int16(): "h",
    pa.uint16(): "H",
    pa.int32(): "i",
    pa.uint32(): "I",
    pa.int64(): "q",
    pa.uint64(): "Q",
    pa.float16(): "H",
    pa.float32(): "I",
    pa.float64(): "Q",
    pa.date32(): "i",
    pa.date64(): "q",
}


def storage(found):
    """The type without what extends it."""
    return found.storage_type if isinstance(found, pa.BaseExtensionType) else found


def is_list(found):
    return (
        types.is_list(found)
        or types.is_large_list(found)
        or types.is_fixed_size_list(found)
        or is_list_view(found)
    )


def is_list_view(found):
    return types.is_list_view(found) or types.is_large_list_view(found)


def is_view(found):
    return types.is_string_view(found) or types.is_binary_view(found)


def is_text(found):
    return types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)


def is_bytes(found):
    return (
        types.is_binary(found)
        or types.is_large_binary(found)
        or types.is_binary_view(found)
        or types.is_fixed_size_binary(found)
    )


# --- Values ----------------------------------------------------------------------------------------


def _numbers(array, code):
    """The numbers of a buffer of values, also under nulls."""
    data = array.buffers()[1]
    if len(array) == 0:
        return []
    view = memoryview(data)
    size = struct.calcsize(code)
    return view[array.offset * size : (array.offset + len(array)) * size].cast(code).tolist()


def _scaled(array, code, factor):
    return [number * factor for number in _numbers(array, code)]


def _integers(array, width):
    """Signed integers of `width` bytes."""
    if len(array) == 0:
        return []
    data = memoryview(array.buffers()[1])[array.offset * width :]
    return [
        int.from_bytes(data[n * width : (n + 1) * width], "little", signed=True)
        for n in range(len(array))
    ]


_exact = decimal.Context(prec=100)


def _leaves(array, found):
    if found in _CODES:
        return _scaled(array, _CODES[found], _SCALES[found]) if found in _SCALES else _numbers(array, _CODES[found])
    if types.is_time(found):
        return _scaled(array, "i" if found.bit_width == 32 else "q", UNITS[found.unit])
    if types.is_timestamp(found):
        return _scaled(array, "q", UNITS[found.unit])
    if types.is_duration(found):
        return _numbers(array, "q")
    if types.is_decimal(found):
        return [
            decimal.Decimal(number).scaleb(-found.scale, _exact)
            for number in _integers(array, found.bit_width // 8)
        ]
    if types.is_interval(found):
        packed = memoryview(array.buffers()[1] or b"")[16 * array.offset :]
        return [struct.unpack_from("<iiq", packed, 16 * n) for n in range(len(array))]
    if types.is_boolean(found):
        return array.to_pylist()
    if types.is_fixed_size_binary(found) or is_view(found):
        return array.to_pylist() if not is_text(found) else _texts(array)
    return _strings(array, "q" if types.is_large_unicode(found) or types.is_large_binary(found) else "i")


def _texts(array):
    return [None if value is None else value.encode() for value in array.to_pylist()]


def _strings(array, code):
    if len(array) == 0:
        return []
    _, offsets, data = array.buffers()
    size = struct.calcsize(code)
    offsets = memoryview(offsets)[array.offset * size : (array.offset + len(array) + 1) * size]
    offsets = offsets.cast(code).tolist()
    data = bytes(data) if data is not None else b""
    return [data[begin:end] for begin, end in zip(offsets, offsets[1:])]


def _valid(array, values):
    if array.null_count == 0:
        return values
    return [value if ok else None for ok, value in zip(array.is_valid().to_pylist(), values)]


def _bounds(array, found):
    """Where the elements of each list begin and end in array.values."""
    if types.is_fixed_size_list(found):
        size, first = found.list_size, array.offset
        return [(n * size, n * size + size) for n in range(first, first + len(array))]
    offsets = array.offsets.to_pylist()
    if is_list_view(found):
        return [(begin, begin + size) for begin, size in zip(offsets, array.sizes.to_pylist())]
    return list(zip(offsets, offsets[1:]))


def _run_values(array):
    """The value of each slot of a run-end encoded array."""
    ends = array.run_ends.to_pylist()
    values = of_array(array.values)
    found = []
    run = 0
    for slot in range(array.offset, array.offset + len(array)):
        while ends[run] <= slot:
            run += 1
        found.append(values[run])
    return found


def _dictionary_values(array):
    values = of_array(array.dictionary)
    # Under a null the index may be any number.
    return [None if index is None else values[index] for index in of_array(array.indices)]


def of_array(array):
    """The values of an array, slot by slot; None is null."""
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in of_array(chunk)]
    found = array.type
    if isinstance(found, pa.BaseExtensionType):
        return of_array(array.storage)
    if types.is_null(found):
        return [None] * len(array)
    if types.is_dictionary(found):
        return _dictionary_values(array)
    if types.is_run_end_encoded(found):
        return _run_values(array)
    if types.is_struct(found):
        columns = [of_array(array.field(n)) for n in range(found.num_fields)]
        return _valid(array, list(zip(*columns)) if columns else [()] * len(array))
    if types.is_map(found) or is_list(found):
        if types.is_map(found):
            values = list(zip(of_array(array.keys), of_array(array.items)))
        else:
            values = of_array(array.values)
        return _valid(array, [values[begin:end] for begin, end in _bounds(array, found)])
    return _valid(array, _leaves(array, found))


def first_difference(expected, found):
    """Where two lists of values differ, in words; None where they are equal."""
    if expected == found:
        return None
    if len(expected) != len(found):
        return f"{len(found)} values, not {len(expected)}"
    for row, (one, other) in enumerate(zip(expected, found)):
        if one != other:
            return f"row {row}: {other!r:.600}, not {one!r:.600}"
    return "values that are not equal to themselves"


def tables_difference(expected, found, columns=None):
    """The first difference of the values of two tables, column by column in order."""
    if expected.num_rows != found.num_rows:
        return f"{found.num_rows} rows, not {expected.num_rows}"
    if columns is None:
        if expected.num_columns != found.num_columns:
            return f"{found.num_columns} columns, not {expected.num_columns}"
        columns = range(expected.num_columns)
    for n in columns:
        difference = first_difference(of_array(expected.column(n)), of_array(found.column(n)))
        if difference is not None:
            return f"column {n} '{expected.column_names[n]}', {difference}"
    return None


# --- Types -----------------------------------------------------------------------------------------


def _metadata(metadata):
    return tuple(sorted((metadata or {}).items()))


def describe_type(found):
    """All of a type, with the names, nullability and metadata of the fields in it."""
    if isinstance(found, pa.BaseExtensionType):
        return ("extension", str(found), describe_type(found.storage_type))
    if types.is_dictionary(found):
        return (
            "dictionary",
            str(found.index_type),
            found.ordered,
            describe_type(found.value_type),
        )
    if types.is_map(found):
        return ("map", found.keys_sorted, describe(found.field(0)))
    if types.is_struct(found) or types.is_run_end_encoded(found):
        return (str(found).split("<")[0], *[describe(found.field(n)) for n in range(found.num_fields)])
    if types.is_fixed_size_list(found):
        return ("fixed_size_list", found.list_size, describe(found.value_field))
    if is_list(found):
        return (str(found).split("<")[0], describe(found.value_field))
    return str(found)


def describe(field):
    return (
        field.name,
        "nullable" if field.nullable else "not null",
        _metadata(field.metadata),
        describe_type(field.type),
    )


def descriptions_difference(expected, found):
    """The innermost part that differs first."""
    if isinstance(expected, tuple) and isinstance(found, tuple) and len(expected) == len(found):
        for one, other in zip(expected, found):
            if one != other:
                return descriptions_difference(one, other)
    return f"{found}, not {expected}"


def schemas_difference(expected, found):
    """The first difference of two schemas, metadata included; None where there is none."""
    if expected.names != found.names:
        return f"columns {found.names}, not {expected.names}"
    for one, other in zip(expected, found):
        if describe(one) != describe(other):
            difference = descriptions_difference(describe(one), describe(other))
            return f"{difference}, in field '{one.name}' of type {one.type}"
    if _metadata(expected.metadata) != _metadata(found.metadata):
        return f"metadata {found.metadata}, not {expected.metadata}"
    return None


def change_types(found, change):
    """The type with `change` called on every type in it, the innermost first."""

    def inner(field):
        return field.with_type(change_types(field.type, change))

    if isinstance(found, pa.BaseExtensionType):
        return change(found)
    if types.is_struct(found):
        found = pa.struct([inner(field) for field in found])
    elif types.is_map(found):
        found = pa.map_(
            inner(found.key_field), inner(found.item_field), keys_sorted=found.keys_sorted
        )
    elif types.is_fixed_size_list(found):
        found = pa.list_(inner(found.value_field), found.list_size)
    elif is_list(found):
        make = {
            "list": pa.list_,
            "large_list": pa.large_list,
            "list_view": pa.list_view,
            "large_list_view": pa.large_list_view,
        }[str(found).split("<")[0]]
        found = make(inner(found.value_field))
    elif types.is_run_end_encoded(found):
        found = pa.run_end_encoded(found.run_end_type, change_types(found.value_type, change))
    return change(found)


def change_schema(schema, change):
    return pa.schema(
        [field.with_type(change_types(field.type, change)) for field in schema], schema.metadata
    )


def plain_runs(found):
    """The type of what is read back: a run-end encoded array comes back as its values."""
    return found.value_type if types.is_run_end_encoded(found) else found


# --- Other forms -----------------------------------------------------------------------------------


def convert(found, values, change):
    """The values of a type with `change(type, values)` called on all leaves, and on maps, in it."""
    if isinstance(found, pa.BaseExtensionType):
        return convert(found.storage_type, values, change)
    if types.is_dictionary(found) or types.is_run_end_encoded(found):
        return convert(found.value_type, values, change)
    if types.is_struct(found):
        columns = zip(*(value for value in values if value is not None))
        columns = [convert(field.type, list(part), change) for field, part in zip(found, columns)]
        rows = zip(*columns)
        return [None if value is None else next(rows) for value in values]
    if types.is_map(found):
        entries = found.field(0).type
        return change(found, [value and convert(entries, value, change) for value in values])
    if is_list(found):
        return [value and convert(found.value_type, value, change) for value in values]
    return change(found, values)


def _double(bits, code):
    if bits is None:
        return None
    (number,) = struct.unpack(code, bits.to_bytes(struct.calcsize(code), "little"))
    return "nan" if number != number else struct.pack("<d", number)


def _widen(found, values):
    if not types.is_floating(found):
        return values
    code = {16: "<e", 32: "<f", 64: "<d"}[found.bit_width]
    return [_double(bits, code) for bits in values]


def _widen_and_index(found, values):
    if types.is_map(found):
        return [value and list(dict(value).items()) for value in values]
    return _widen(found, values)


def engine_values(found, values, unique_keys=False):
    """Floats of each size as those of 64 bits and all NaNs as one, for those who have no floats of 16
    bits, or no more than one NaN; when told so, the last value of each key of a map, for those to whom
    a map is a dictionary."""
    return convert(found, values, _widen_and_index if unique_keys else _widen)


def _store_intervals(found, values):
    if not types.is_interval(found):
        return values
    return [
        value and struct.pack("<III", value[0], value[1], value[2] // 10**6) for value in values
    ]


def stored_values(found, values):
    """Intervals as the bytes that Parquet has for them, which pyarrow does not interpret."""
    return convert(found, values, _store_intervals)
