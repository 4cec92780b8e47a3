# SPDX-License-Identifier: Apache-2.0
"""Writes rows with the DataFusion that is installed, which has the writer of arrow-rs. Usage: make_datafusion.py FOLDER"""

import os
import sys

import datafusion
import pyarrow as pa
import rows

TYPES = dict(
    i8=pa.int8(), i16=pa.int16(), i32=pa.int32(), i64=pa.int64(), u8=pa.uint8(), u16=pa.uint16(), u32=pa.uint32(),
    u64=pa.uint64(), id=pa.int64(), few=pa.int32(), f32=pa.float32(), f64=pa.float64(), word=pa.string(),
    url=pa.string(), rare=pa.string(), high=pa.binary(), flag=pa.bool_(), nothing=pa.int32(), day=pa.date32(),
    edge=pa.date32(), clock=pa.time64("us"), moment=pa.timestamp("us"), rising=pa.timestamp("ms"),
    d9=pa.decimal128(9, 2), d18=pa.decimal128(18, 6), d38=pa.decimal128(38, 10), list=pa.list_(pa.int32()),
    texts=pa.list_(pa.string()), deep=pa.list_(pa.list_(pa.int64())),
    struct=pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())]),
    people=pa.list_(pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())])),
)
SMALL = {
    "max_row_group_size": "1000",
    "data_pagesize_limit": "300",
    "data_page_row_count_limit": "70",
    "write_batch_size": "16",
    "statistics_enabled": "'page'",
}
OPTIONS = {
    "": {},
    "-small": SMALL,
    "-small-v2": dict(SMALL, writer_version="'2.0'"),
    "-small-plain": dict(SMALL, dictionary_enabled="false", compression="'snappy'"),
    "-small-v2-plain": dict(SMALL, writer_version="'2.0'", dictionary_enabled="false", compression="'zstd(3)'"),
    "-bloom": dict(SMALL, bloom_filter_on_write="true", bloom_filter_enabled="true"),
}


def write(table, path, options):
    context = datafusion.SessionContext()
    for name, value in options.items():
        try:
            context.sql("SET datafusion.execution.parquet.{} = {}".format(name, value))
        except Exception as error:  # what a version cannot is no fault
            if "bloom" not in name:
                print("{}: {}".format(name, str(error).splitlines()[0]))
    context.register_record_batches("t", [table.to_batches()])
    try:
        context.sql("COPY (SELECT * FROM t) TO '{}' STORED AS PARQUET".format(path)).collect()
    except Exception as error:
        if "STORED" not in str(error):
            raise
        context.sql("COPY (SELECT * FROM t) TO '{}' (FORMAT PARQUET, SINGLE_FILE_OUTPUT true)".format(path)).collect()


def main(folder):
    columns = dict(rows.flat(), **rows.integers())
    for more in (rows.times(), rows.decimals(), rows.nested()):
        columns.update(more)
    whole = pa.table({name: pa.array(values, TYPES[name]) for name, values in columns.items()})
    tables = {"all": whole}
    tables.update({name: whole.select(["id", name]) for name in ("u32", "word", "moment", "d38", *rows.nested())})
    for name, table in tables.items():
        for suffix, options in OPTIONS.items():
            path = os.path.join(folder, name + suffix + ".parquet")
            try:
                write(table, path, options)
            except BaseException as error:  # a panic is no Exception
                print("{}{}: {}".format(name, suffix, str(error)[:200]))
                if os.path.isfile(path):
                    os.remove(path)


main(sys.argv[1])
