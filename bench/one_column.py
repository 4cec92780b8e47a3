# SPDX-License-Identifier: Apache-2.0
"""Files with the pages of one flat column of another file, where they are in that one.

All else is a hole, and the footer names no other column: an engine that can only read all columns does with
such a file what it does for this column of the whole one.
"""

import base64
import os
import struct
import sys

sys.path.insert(
    0,
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "conformance"),
)
import footer_edit  # noqa: E402
from footer_edit import CHUNK, COLUMN, ELEMENT, FILE, GROUP, MAGIC, get  # noqa: E402

# Fields that footer_edit has no names for.
PATH_IN_SCHEMA, UNCOMPRESSED_SIZE = 3, 6
BLOOM_FILTER, PAGE_INDEXES = (14, 15), (4, 5, 6, 7)
COLUMN_ORDERS = 7


def read_footer(file):
    file.seek(-8, os.SEEK_END)
    (size,) = struct.unpack("<I", file.read(4))
    file.seek(-8 - size, os.SEEK_END)
    return footer_edit.read_struct(file.read(size))[0]


def one_field(text, column):
    """The embedded Arrow schema with one field alone."""
    import pyarrow as pa

    schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))
    one = pa.schema([schema.field(column)], schema.metadata)
    return base64.b64encode(one.serialize().to_pybytes())


def narrow_schema(tree, column):
    elements = footer_edit.elements(tree)
    number = ELEMENT["num_children"]
    elements[0][number] = (elements[0][number][0], 1)
    elements[1:] = [one for one in elements[1:] if get(one, ELEMENT["name"]) == column.encode()]
    assert len(elements) == 2, f"{column} is no flat column"
    tree.pop(COLUMN_ORDERS, None)  # a list as long as the schema has leaves
    for pair in get(tree, FILE["key_values"])[1] if FILE["key_values"] in tree else []:
        if get(pair, 1) == b"ARROW:schema":
            pair[2] = (pair[2][0], one_field(get(pair, 2), column))


def narrow_row_group(group, column):
    """Drops the other chunks; gives where the pages of this one begin, and how many bytes they have."""
    chunks = get(group, GROUP["columns"])[1]
    path = [column.encode()]
    chunks[:] = [
        chunk for chunk in chunks if get(get(chunk, CHUNK["meta_data"]), PATH_IN_SCHEMA)[1] == path
    ]
    meta = get(chunks[0], CHUNK["meta_data"])
    for number in PAGE_INDEXES:
        chunks[0].pop(number, None)
    for number in BLOOM_FILTER:
        meta.pop(number, None)
    number = GROUP["total_byte_size"]
    group[number] = (group[number][0], get(meta, UNCOMPRESSED_SIZE))
    places = [COLUMN["data_page_offset"], COLUMN["dictionary_page_offset"]]
    # Some writers say that a dictionary that is not there is at 0.
    offsets = [get(meta, place) for place in places if place in meta]
    return min(filter(None, offsets)), get(meta, COLUMN["total_compressed_size"])


def one_column_file(source, column, target):
    """Makes the file unless it is there; gives its path."""
    if os.path.exists(target):
        return target
    with open(source, "rb") as file, open(target + ".part", "wb") as out:
        tree = read_footer(file)
        narrow_schema(tree, column)
        out.write(MAGIC)
        for group in footer_edit.row_groups(tree):
            begin, size = narrow_row_group(group, column)
            file.seek(begin)
            out.seek(begin)
            out.write(file.read(size))
        out.seek(0, os.SEEK_END)
        out.write(footer_edit.file_of(b"", tree))
    os.rename(target + ".part", target)
    return target
