# SPDX-License-Identifier: Apache-2.0
"""Files that are small, or cheap to make, and stand for more than anyone can hold or wait for.

Each function of BOMBS writes one file into a folder and gives its name. The first column of each Parquet file is
named x. Nothing of them is stored: they are made of the format's own structs, in seconds.
"""

import gzip
import json
import os
import struct
import zlib

from thrift_struct import Struct, varint, zigzag

INT32, INT64, BYTE_ARRAY = 1, 2, 6
PLAIN, RLE, DELTA_BINARY, DELTA_BYTES, DICTIONARY = 0, 3, 5, 7, 8
NONE, SNAPPY, GZIP, ZSTD, LZ4_RAW = 0, 1, 2, 6, 7
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
MOST = 2**31 - 1


# --- The parts of a file ------------------------------------------------------------------------


def leaf(name, kind, repetition=REQUIRED):
    return Struct().i32(1, kind).i32(3, repetition).text(4, name).end()


def data_page(count, encoding, body, size=None):
    """A page of version 1; `size` is that of its body before compression."""
    v1 = Struct().i32(1, count).i32(2, encoding).i32(3, RLE).i32(4, RLE)
    return Struct().i32(1, 0).i32(2, len(body) if size is None else size).i32(3, len(body)).struct(5, v1).end() + body


def dictionary_page(count, body):
    header = Struct().i32(1, 2).i32(2, len(body)).i32(3, len(body)).struct(7, Struct().i32(1, count).i32(2, PLAIN))
    return header.end() + body


def chunk(kind, count, data, at, path=b"x", codec=NONE, dictionary=0, size=None):
    """The metadata of a column chunk of `data`, which begins at `at` with a dictionary of that many bytes."""
    stored = data if isinstance(data, int) else len(data)
    column = Struct().i32(1, kind).list(2, 5, [zigzag(PLAIN), zigzag(RLE), zigzag(DICTIONARY)])
    column.list(3, 8, [varint(len(path)) + path]).i32(4, codec).i64(5, count)
    column.i64(6, stored if size is None else size).i64(7, stored).i64(9, at + dictionary)
    if dictionary:
        column.i64(11, at)
    return Struct().i64(2, at).struct(3, column).end()


def group(chunks, size, rows):
    return Struct().list(1, 12, chunks).i64(2, size).i64(3, rows).end()


def footer(leaves, rows, groups, keys=()):
    root = Struct().text(4, b"m").i32(5, len(leaves)).end()
    result = Struct().i32(1, 1).list(2, 12, [root, *leaves]).i64(3, rows).list(4, 12, groups)
    if keys:
        result.list(5, 12, keys)
    data = result.end()
    return data + struct.pack("<I", len(data)) + b"PAR1"


def put(folder, name, *pieces):
    with open(os.path.join(folder, name), "wb") as file:
        for piece in pieces:
            file.write(piece)
    return name


def one_column(folder, name, kind, rows, data, repetition=REQUIRED, count=None, **about):
    chunks = [chunk(kind, rows if count is None else count, data, 4, **about)]
    end = footer([leaf(b"x", kind, repetition)], rows, [group(chunks, len(data), rows)])
    return put(folder, f"{name}.parquet", b"PAR1", data, end)


def run(count, value, width):
    """A run of the hybrid encoding."""
    return varint(count << 1) + value.to_bytes((width + 7) // 8, "little")


def sized(data):
    return struct.pack("<I", len(data)) + data


def constant_deltas(count, first, delta):
    """DELTA_BINARY_PACKED: numbers that grow by the same each, in blocks of 128."""
    blocks = (count - 1 + 127) // 128
    return varint(128) + varint(4) + varint(count) + zigzag(first) + (zigzag(delta) + b"\0" * 4) * blocks


# --- Values without end -------------------------------------------------------------------------


def one_record_data():
    """One record: a repeated INT32 of 2^31 - 1 elements, all in runs; 143 bytes."""
    body = sized(run(1, 0, 1) + run(MOST - 1, 1, 1)) + sized(run(MOST, 1, 1))
    dictionary = dictionary_page(1, struct.pack("<i", 7))
    data = dictionary + data_page(MOST, DICTIONARY, body + b"\0" + varint(MOST << 1))
    chunks = [chunk(INT32, MOST, data, 4, dictionary=len(dictionary))]
    return b"PAR1" + data + footer([leaf(b"x", INT32, REPEATED)], 1, [group(chunks, len(data), 1)])


def one_record(folder):
    return put(folder, "one_record.parquet", one_record_data())


def delta_block(folder):
    """2^31 - 1 numbers in one block of deltas."""
    body = varint(1 << 30) + varint(1) + varint(MOST) + zigzag(0) + (zigzag(1) + b"\0") * 2
    return one_column(folder, "delta_block", INT64, MOST, data_page(MOST, DELTA_BINARY, body))


def delta_prefix(folder):
    """40,000 texts, each with one character more than the one before it: 800 MB."""
    count = 40000
    body = constant_deltas(count, 0, 1) + constant_deltas(count, 1, 0) + b"x" * count
    return one_column(folder, "delta_prefix", BYTE_ARRAY, count, data_page(count, DELTA_BYTES, body))


def runs_string(folder):
    """A text of 1 MB, 2^20 times."""
    count = 1 << 20
    dictionary = dictionary_page(1, sized(b"y" * 1000000))
    data = dictionary + data_page(count, DICTIONARY, b"\1" + run(count, 0, 1))
    return one_column(folder, "runs_string", BYTE_ARRAY, count, data, dictionary=len(dictionary))


def dictionary_pages(folder):
    """A dictionary of 64 texts of 64 KiB, and 3,000 pages that have each of them."""
    dictionary = dictionary_page(64, b"".join(sized(bytes([65 + n % 26]) * 65536) for n in range(64)))
    body = b"\6" + b"".join(run(1, n, 6) for n in range(64))
    data = dictionary + data_page(64, DICTIONARY, body) * 3000
    return one_column(folder, "dictionary_pages", BYTE_ARRAY, 64 * 3000, data, dictionary=len(dictionary))


def nulls(folder):
    """2^31 - 1 nulls in one run."""
    data = data_page(MOST, PLAIN, sized(run(MOST, 0, 1)))
    return one_column(folder, "nulls", BYTE_ARRAY, MOST, data, repetition=OPTIONAL)


def empty_texts(folder):
    """2^31 - 1 empty texts by a dictionary, in one run."""
    dictionary = dictionary_page(1, sized(b""))
    data = dictionary + data_page(MOST, DICTIONARY, b"\1" + run(MOST, 0, 1))
    return one_column(folder, "empty_texts", BYTE_ARRAY, MOST, data, dictionary=len(dictionary))


def zero_columns(folder):
    """2^40 rows without columns, in 49 bytes."""
    return put(folder, "zero_columns.parquet", b"PAR1", footer([], 1 << 40, [group([], 0, 1 << 40)]))


# --- Metadata without end -----------------------------------------------------------------------


def wide(folder, name, names):
    """A column of one row for each name."""
    page = data_page(1, PLAIN, struct.pack("<i", 7))
    names = list(names)
    chunks = [chunk(INT32, 1, len(page), 4 + len(page) * n, path=text) for n, text in enumerate(names)]
    end = footer([leaf(text, INT32) for text in names], 1, [group(chunks, len(page) * len(names), 1)])
    return put(folder, f"{name}.parquet", b"PAR1", page * len(names), end)


def numbered(count):
    return [b"x" if n == 0 else b"x%d" % n for n in range(count)]


def columns_100k(folder):
    return wide(folder, "columns_100k", numbered(100000))


def columns_1m(folder):
    """A schema of 10^6 columns, and no rows."""
    return put(folder, "columns_1m.parquet", b"PAR1", footer([leaf(n, INT32) for n in numbered(1000000)], 0, []))


def same_names(folder):
    """40,000 fields of one name."""
    return wide(folder, "same_names", [b"x"] * 40000)


def row_groups(folder):
    """20,000 row groups of one row."""
    page, count = data_page(1, PLAIN, struct.pack("<i", 7)), 20000
    groups = [group([chunk(INT32, 1, len(page), 4 + len(page) * n)], len(page), 1) for n in range(count)]
    return put(folder, "row_groups.parquet", b"PAR1", page * count, footer([leaf(b"x", INT32)], count, groups))


def pages_500k(folder):
    """500,000 pages of one row."""
    page = data_page(1, PLAIN, struct.pack("<i", 7))
    return one_column(folder, "pages_500k", INT32, 500000, page * 500000)


def keys_300k(folder):
    """300,000 key-values."""
    page = data_page(1, PLAIN, struct.pack("<i", 7))
    keys = [Struct().text(1, b"key%d" % n).text(2, b"").end() for n in range(300000)]
    end = footer([leaf(b"x", INT32)], 1, [group([chunk(INT32, 1, page, 4)], len(page), 1)], keys)
    return put(folder, "keys_300k.parquet", b"PAR1", page, end)


def sparse(folder):
    """10 GB that the disk does not hold, with a footer at the end."""
    page, size = data_page(1, PLAIN, struct.pack("<i", 7)), 10 << 30
    end = footer([leaf(b"x", INT32)], 1, [group([chunk(INT32, 1, page, size)], len(page), 1)])
    with open(os.path.join(folder, "sparse.parquet"), "wb") as file:
        file.write(b"PAR1")
        file.seek(size)
        file.write(page + end)
    return "sparse.parquet"


# --- Pages that unpack to far more than they are --------------------------------------------------


def packed(folder, name, codec, size, body):
    """One page of zeros, an INT64 each."""
    data = data_page(size // 8, PLAIN, body, size)
    return one_column(folder, name, INT64, size // 8, data, codec=codec, size=size)


def packed_zstd(folder):
    """1 GiB of zeros as blocks that repeat one byte: 32 kB."""
    size, block = 1 << 30, 1 << 17
    blocks = size // block
    body = b"\x28\xb5\x2f\xfd" + b"\xe0" + struct.pack("<Q", size)  # one segment, its size in 8 bytes
    body += b"".join(struct.pack("<I", block << 3 | 1 << 1 | (n == blocks - 1))[:3] + b"\0" for n in range(blocks))
    return packed(folder, "packed_zstd", ZSTD, size, body)


def packed_pages(folder):
    """4,000 pages of 8 MiB of zeros, 1 kB each: 32 GB."""
    size, count = 8 << 20, 4000
    block = b"".join(struct.pack("<I", 1 << 20 | 1 << 1 | (n == 63))[:3] + b"\0" for n in range(64))
    page = data_page(size // 8, PLAIN, b"\x28\xb5\x2f\xfd" + b"\xe0" + struct.pack("<Q", size) + block, size)
    return one_column(folder, "packed_pages", INT64, size // 8 * count, page * count, codec=ZSTD, size=size * count)


def packed_gzip(folder):
    """512 MiB of zeros, 500 kB."""
    size, packer, piece = 512 << 20, zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1 << 20)
    body = b"".join(packer.compress(piece) for _ in range(size >> 20)) + packer.flush()
    return packed(folder, "packed_gzip", GZIP, size, body)


def packed_snappy(folder):
    """128 MiB of zeros: copies of 64 bytes, 3 bytes each."""
    size = 128 << 20
    body = varint(size) + bytes([60 << 2, 63]) + bytes(64)  # a literal first
    body += b"\xfe\x40\x00" * (size // 64 - 1)
    return packed(folder, "packed_snappy", SNAPPY, size, body)


def packed_lz4(folder):
    """512 MiB of zeros in one match, 2 MB."""
    size = 512 << 20
    match = size - 1 - 12  # behind one literal, before the last 12
    body = b"\x1f\0\1\0" + b"\xff" * ((match - 19) // 255) + bytes([(match - 19) % 255]) + b"\xc0" + bytes(12)
    return packed(folder, "packed_lz4", LZ4_RAW, size, body)


# --- Texts ----------------------------------------------------------------------------------------


def csv_same_names(folder):
    """A header of 20,000 equal names."""
    return put(folder, "csv_same_names.csv", b"x," * 19999 + b"x\n" + b"1," * 19999 + b"1\n")


def csv_long_field(folder):
    """A field in quotation marks without end."""
    return put(folder, "csv_long_field.csv", b'x,y\n1,"', b"a" * (64 << 20))


def csv_columns(folder):
    """100,000 columns, in 20 records."""
    header = b",".join(numbered(100000))
    return put(folder, "csv_columns.csv", header, b"\n", (b"1," * 99999 + b"1\n") * 20)


def json_deep(folder):
    """A million arrays in each other."""
    return put(folder, "json_deep.json", b'{"x":' + b"[" * 1000000 + b"]" * 1000000 + b"}\n")


def json_new_keys(folder):
    """20,000 records that each bring a new key."""
    return put(folder, "json_new_keys.json", "".join(f'{{"x":{n},"k{n}":1}}\n' for n in range(20000)).encode())


def json_wide_record(folder):
    """One record of 300,000 keys."""
    return put(folder, "json_wide_record.json", json.dumps({n.decode(): 1 for n in numbered(300000)}).encode() + b"\n")


def json_long_text(folder):
    """A text without end."""
    return put(folder, "json_long_text.json", b'{"x":"', b"a" * (64 << 20))


def json_long_array(folder):
    """One record: an array of 20 million numbers."""
    return put(folder, "json_long_array.json", b'{"x":[', b"1," * 20000000, b"1]}\n")


def json_clashes(folder):
    """200,000 records whose values are of another kind in each."""
    kinds = ["1", '"a"', "true", "[1]", '{"a":1}', "1.5", "null", '"2024-01-01"']
    return put(folder, "json_clashes.json", "".join(f'{{"x":{kinds[n % 8]}}}\n' for n in range(200000)).encode())


def json_packed(folder):
    """4 GB of records in 4 MB of gzip."""
    lines = gzip.compress(b'{"x":1}\n' * (1 << 21), mtime=0)
    return put(folder, "json_packed.json.gz", *[lines] * 256)


BOMBS = [
    one_record, delta_block, delta_prefix, runs_string, dictionary_pages, nulls, empty_texts, zero_columns,
    columns_100k, columns_1m, same_names, row_groups, pages_500k, keys_300k, sparse,
    packed_zstd, packed_pages, packed_gzip, packed_snappy, packed_lz4,
    csv_same_names, csv_long_field, csv_columns,
    json_deep, json_new_keys, json_wide_record, json_long_text, json_long_array, json_clashes, json_packed,
]  # fmt: skip
