# SPDX-License-Identifier: Apache-2.0
"""Footers taken apart and put together again: Thrift's compact protocol as a plain tree.

A struct is a dict of field id to (type, value), in the order of the bytes; a list is (element type,
values). What is not edited comes out as the bytes that went in, but for numbers that were written
longer than they need be.
"""

import struct

STOP, TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
MAGIC = b"PAR1"


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        shift = number = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def zigzag(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def take(self, size):
        self.at += size
        return bytes(self.data[self.at - size : self.at])

    def value(self, kind, in_list=False):
        if kind in (TRUE, FALSE):
            return self.byte() == 1 if in_list else kind == TRUE
        if kind == I8:
            return self.byte()
        if kind in (I16, I32, I64):
            return self.zigzag()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.varint())
        if kind in (LIST, SET):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return (head & 15, [self.value(head & 15, True) for _ in range(count)])
        assert kind == STRUCT, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            fields[last] = (head & 15, self.value(head & 15))
        return fields


def _varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _zigzag(number):
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _value(kind, value, in_list=False):
    if kind in (TRUE, FALSE):
        return bytes([1 if value else 2]) if in_list else b""
    if kind == I8:
        return bytes([value])
    if kind in (I16, I32, I64):
        return _zigzag(value)
    if kind == DOUBLE:
        return value
    if kind == BINARY:
        return _varint(len(value)) + value
    if kind in (LIST, SET):
        element, values = value
        count = len(values)
        head = (
            bytes([count << 4 | element]) if count < 15 else bytes([0xF0 | element]) + _varint(count)
        )
        return head + b"".join(_value(element, item, True) for item in values)
    return write_struct(value)


def write_struct(fields):
    out, last = bytearray(), 0
    for id, (kind, value) in fields.items():
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        step = id - last
        out += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _zigzag(id)
        out += _value(kind, value)
        last = id
    return bytes(out) + b"\0"


def read_struct(data):
    """The struct at the front of `data`, and how many bytes it takes."""
    reader = _Reader(data)
    return reader.struct(), reader.at


def footer_of(data):
    """The bytes before the footer, and the footer's tree."""
    assert data[:4] == data[-4:] == MAGIC
    (size,) = struct.unpack("<I", data[-8:-4])
    tree, used = read_struct(data[-8 - size : -8])
    assert used == size
    return data[: -8 - size], tree


def file_of(body, tree):
    footer = write_struct(tree)
    return body + footer + struct.pack("<I", len(footer)) + MAGIC


# --- Names for the fields that are edited, as in parquet.thrift -------------------------------------

FILE = {"version": 1, "schema": 2, "num_rows": 3, "row_groups": 4, "key_values": 5, "created_by": 6}
ELEMENT = {"type": 1, "repetition": 3, "name": 4, "num_children": 5, "converted": 6, "logical": 10}
GROUP = {"columns": 1, "total_byte_size": 2, "num_rows": 3, "file_offset": 5, "ordinal": 7}
CHUNK = {"file_path": 1, "file_offset": 2, "meta_data": 3}
COLUMN = {
    "encodings": 2,
    "codec": 4,
    "num_values": 5,
    "total_compressed_size": 7,
    "data_page_offset": 9,
    "index_page_offset": 10,
    "dictionary_page_offset": 11,
    "statistics": 12,
}


def get(fields, id):
    return fields[id][1]


def elements(tree):
    return get(tree, FILE["schema"])[1]


def row_groups(tree):
    return get(tree, FILE["row_groups"])[1]


def chunks(tree):
    return [chunk for group in row_groups(tree) for chunk in get(group, GROUP["columns"])[1]]


def columns(tree):
    return [get(chunk, CHUNK["meta_data"]) for chunk in chunks(tree)]


def without_logical_types(data, unions):
    """The same file without the logical types that are these members of the union."""
    body, tree = footer_of(data)
    for element in elements(tree):
        if ELEMENT["logical"] in element and set(get(element, ELEMENT["logical"])) & set(unions):
            del element[ELEMENT["logical"]]
    return file_of(body, tree)
