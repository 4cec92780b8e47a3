# SPDX-License-Identifier: Apache-2.0
"""Writes rows with the Polars that is installed, 0.13 or newer. Usage: make_polars.py FOLDER"""

import os
import sys

import polars
import rows


def kinds():
    of = lambda name: getattr(polars, name, None)  # noqa: E731
    names = dict(
        id="Int64", flag="Boolean", i8="Int8", i16="Int16", i32="Int32", i64="Int64", u8="UInt8", u16="UInt16", few="Int32",
        u32="UInt32", u64="UInt64", f32="Float32", f64="Float64", word="Utf8", url="Utf8", rare="Utf8", nothing="Int32",
        day="Date", edge="Date", clock="Time", moment="Datetime", rising="Datetime", high="Binary",
    )
    return {name: of(kind) for name, kind in names.items() if of(kind)}


def main(folder):
    columns = dict(rows.flat(), **rows.integers())
    for more in (rows.times(), rows.decimals(), rows.nested()):
        columns.update(more)
    types, series = kinds(), []
    for name, values in columns.items():
        try:
            made = polars.Series(name, values, dtype=types[name]) if name in types else polars.Series(name, values)
            assert str(made.dtype) != "Object", "Object"
            series.append(made)
        except BaseException as error:  # a panic is no Exception; what a version cannot is no fault
            print("{}: {}".format(name, error))
    frames = {"all": series}
    frames.update({one.name: [series[0], one] for one in series[1:]})
    options = {
        "": {},
        "-groups": dict(row_group_size=500, statistics=True),
        "-pages": dict(row_group_size=1000, data_page_size=2000, statistics="full"),
        "-snappy": dict(compression="snappy"),
        "-gzip": dict(compression="gzip"),
        "-brotli": dict(compression="brotli"),
        "-lz4": dict(compression="lz4"),
        "-uncompressed": dict(compression="uncompressed", statistics=False),
    }
    for name, some in frames.items():
        for suffix, more in options.items():
            if name != "all" and suffix not in ("", "-pages"):
                continue
            path = os.path.join(folder, name + suffix + ".parquet")
            try:
                polars.DataFrame(some).write_parquet(path, **more)
            except BaseException as error:
                print("{}{}: {}".format(name, suffix, str(error)[:200]))
                if os.path.exists(path):
                    os.remove(path)


main(sys.argv[1])
