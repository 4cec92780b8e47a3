# SPDX-License-Identifier: Apache-2.0
"""Writes rows with the fastparquet that is installed, 0.3 or newer, one file per option. Usage: make_fastparquet.py FOLDER"""

import os
import sys

import fastparquet
import numpy
import pandas
import rows


def frame(columns, **kinds):
    data = pandas.DataFrame(index=range(rows.COUNT))
    for name, values in columns.items():
        data[name] = pandas.Series(values, dtype=kinds.get(name, object))
    return data


def main(folder):
    flat = rows.flat()
    whole = {name: [0 if value is None else value for value in values] for name, values in rows.integers().items()}
    names = dict((name, name.replace("i", "int").replace("u", "uint")) for name in whole)
    reals = {name: flat[name] for name in ("f32", "f64")}
    moments = {name: rows.times()[name] for name in ("moment", "rising")}
    texts = {name: flat[name] for name in ("word", "url", "rare")}
    jobs = [
        ("three", pandas.DataFrame({"a": [1, 2, 3]}), {}),
        ("integers", frame(dict(whole, id=flat["id"]), id="int64", **names), {}),
        ("reals", frame(reals, f32="float32", f64="float64"), {}),
        ("flags", frame({"b": [row % 3 == 0 for row in range(rows.COUNT)]}, b="bool"), {}),
        ("flags-nulls", frame({"b": flat["flag"]}), dict(object_encoding="bool")),
        ("moments", frame(moments, moment="datetime64[ns]", rising="datetime64[ns]"), {}),
        ("moments-int96", frame(moments, moment="datetime64[ns]", rising="datetime64[ns]"), dict(times="int96")),
        ("deltas", frame({"t": numpy.arange(rows.COUNT) * 10**9}, t="timedelta64[ns]"), {}),
        ("texts", frame(dict(texts, id=flat["id"]), id="int64"), dict(object_encoding="utf8")),
        ("bytes", frame({"high": flat["high"]}), dict(object_encoding="bytes")),
        ("json", frame({"list": rows.nested()["list"]}), dict(object_encoding="json")),
        ("categories", frame({"c": [rows.WORDS[n % 9] for n in range(rows.COUNT)]}, c="category"), {}),
        ("nulls", frame({"i": flat["i32"], "s": flat["word"]}, i="Int32"), dict(object_encoding={"s": "utf8"})),
        ("decimals", frame({"d": rows.decimals()["d9"]}), dict(object_encoding="decimal")),
    ]
    options = {
        "": {},
        "-groups": dict(row_group_offsets=[0, 1000, 2000]),
        "-gzip": dict(compression="GZIP"),
        "-snappy": dict(compression="SNAPPY"),
        "-zstd": dict(compression="ZSTD"),
        "-no-stats": dict(stats=False, row_group_offsets=[0, 1000]),
        "-required": dict(has_nulls=False),
        "-optional": dict(has_nulls=True),
    }
    for name, data, own in jobs:
        for suffix, more in options.items():
            path = os.path.join(folder, name + suffix + ".parquet")
            try:
                fastparquet.write(path, data, **dict(own, **more))
            except Exception as error:  # what a version cannot is no fault
                print("{}{}: {}".format(name, suffix, error))
                if os.path.exists(path):
                    os.remove(path)
    for name, data, own in jobs[1:3]:  # what is appended is written by another path
        path = os.path.join(folder, name + "-appended.parquet")
        try:
            fastparquet.write(path, data[:1500], **own)
            fastparquet.write(path, data[1500:], append=True, **own)
        except Exception as error:
            print("{} appended: {}".format(name, error))


main(sys.argv[1])
