# SPDX-License-Identifier: Apache-2.0
"""Writes rows with the pyarrow that is installed, 0.10 or newer, one file per option. Usage: make_pyarrow.py FOLDER"""

import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import rows

SMALL = dict(row_group_size=1000, data_page_size=2000)
TYPES = dict(
    i8=pa.int8(), i16=pa.int16(), i32=pa.int32(), i64=pa.int64(), u8=pa.uint8(), u16=pa.uint16(), u32=pa.uint32(),
    u64=pa.uint64(), id=pa.int64(), few=pa.int32(), f32=pa.float32(), f64=pa.float64(), word=pa.string(),
    url=pa.string(), rare=pa.string(), high=pa.binary(), flag=pa.bool_(), nothing=pa.null(), day=pa.date32(),
    edge=pa.date32(), clock=pa.time64("us"), moment=pa.timestamp("us"), rising=pa.timestamp("ms"),
    d9=pa.decimal128(9, 2), d18=pa.decimal128(18, 6), d38=pa.decimal128(38, 10), list=pa.list_(pa.int32()),
    texts=pa.list_(pa.string()), deep=pa.list_(pa.list_(pa.int64())),
    struct=pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())]),
    people=pa.list_(pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())])),
)


def array(values, kind):
    try:
        return pa.array(values, kind)
    except Exception as error:  # what a version cannot is no fault
        print("{}: {}".format(kind, error))


def build(columns):
    arrays = [(name, array(columns[name], TYPES[name])) for name in columns]
    arrays = [(name, values) for name, values in arrays if values is not None]
    return pa.Table.from_arrays([values for _, values in arrays], names=[name for name, _ in arrays])


def fixed():
    """Bytes of one length, and lists of rows that start each page, of types that `rows` has no name for."""
    values = rows.column(lambda row: bytes(bytearray([row % 256, 255 - row % 256] * 8)))
    return pa.Table.from_arrays([pa.array(range(rows.COUNT)), pa.array(values, pa.binary(16))], names=["id", "fixed"])


def write(table, path, options):
    try:
        pq.write_table(table, path, **options)
    except TypeError as error:
        if "data_page_size" not in str(error):
            raise
        pq.write_table(table, path, **{name: options[name] for name in options if name != "data_page_size"})


def main(folder):
    flat = dict(rows.flat(), **rows.integers())
    flat.update(rows.times())
    flat.update(rows.decimals())
    flat_table = build(flat)
    tables = {"flat": flat_table, "fixed": fixed()}
    for name, values in rows.nested().items():
        tables[name] = build({"id": flat["id"], name: values})
    if hasattr(pa, "map_"):
        kind = pa.map_(pa.string(), pa.int64())
        tables["map"] = pa.Table.from_arrays(
            [pa.array(flat["id"]), pa.array(rows.maps()["map"], kind)], names=["id", "map"]
        )
    lists = [name for name in tables if name not in ("flat", "fixed")]
    ids = build({name: flat[name] for name in ("id", "i32", "i64")})
    stamps = build({name: rows.times()[name] for name in ("moment", "rising")})
    texts = build({name: flat[name] for name in ("id", "word", "url", "rare", "high")})
    reals = build({name: flat[name] for name in ("f32", "f64")})
    jobs = []
    for name in tables:
        jobs.append((name, tables[name], {}))
        jobs.append((name + "-v2", tables[name], dict(SMALL, data_page_version="2.0")))
        jobs.append((name + "-small", tables[name], SMALL))
    for name in ["flat"] + lists:
        without = dict(SMALL, write_statistics=False)
        jobs.append((name + "-v2-no-statistics", tables[name], dict(without, data_page_version="2.0")))
        jobs.append((name + "-v2-none", tables[name], dict(SMALL, data_page_version="2.0", compression="none")))
        jobs.append((name + "-v2-plain", tables[name], dict(SMALL, data_page_version="2.0", use_dictionary=False)))
        jobs.append((name + "-index", tables[name], dict(SMALL, write_page_index=True)))
        jobs.append(
            (name + "-index-v2", tables[name], dict(SMALL, write_page_index=True, data_page_version="2.0"))
        )
    jobs += [
        ("flat-plain", flat_table, dict(SMALL, use_dictionary=False)),
        ("flat-no-statistics", flat_table, dict(SMALL, write_statistics=False)),
        ("flat-format-1.0", flat_table, dict(SMALL, version="1.0")),
        ("flat-format-2.0", flat_table, dict(SMALL, version="2.0")),
        ("flat-format-2.6", flat_table, dict(SMALL, version="2.6")),
        ("int96", stamps, dict(SMALL, use_deprecated_int96_timestamps=True)),
        ("split", reals, dict(SMALL, use_byte_stream_split=True, use_dictionary=False)),
        ("split-ids", ids, dict(SMALL, use_byte_stream_split=True, use_dictionary=False)),
        ("bloom", texts, dict(SMALL, bloom_filter_options={"id": True, "url": True, "word": True})),
        ("spark", stamps, dict(SMALL, flavor="spark")),
        ("ids", ids, {}),
    ]
    for codec in ("snappy", "gzip", "brotli", "lz4", "zstd", "none"):
        jobs.append(("flat-" + codec, flat_table, dict(SMALL, compression=codec)))
        jobs.append(("flat-v2-" + codec, flat_table, dict(SMALL, compression=codec, data_page_version="2.0")))
    deltas = {
        "delta": (ids, "DELTA_BINARY_PACKED"),
        "delta-length": (texts, "DELTA_LENGTH_BYTE_ARRAY"),
        "delta-bytes": (texts, "DELTA_BYTE_ARRAY"),
    }
    for name, (table, encoding) in deltas.items():
        encodings = {column: encoding for column in table.schema.names if name == "delta" or column != "id"}
        for version in ("1.0", "2.0"):
            options = dict(SMALL, use_dictionary=False, column_encoding=encodings, data_page_version=version)
            jobs.append((name + "-v" + version[0], table, options))
    # Slices of maps end the process in some versions, so they come last.
    for name, table, options in sorted(jobs, key=lambda job: job[0].startswith("map")):
        path = os.path.join(folder, name + ".parquet")
        try:
            write(table, path + ".part", options)
            os.rename(path + ".part", path)
        except Exception as error:
            print("{}: {}".format(name, error))


main(sys.argv[1])
