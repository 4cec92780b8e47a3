#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""File sizes of Lamella beside pyarrow, DuckDB, Polars and arrow-rs, each with its defaults at the same codec.

    bench/compare_sizes.py LIBRARY CACHE [--rows N] [--data flat,nested] [--codecs snappy,zstd] [--columns]

LIBRARY is liblamella.so, CACHE a folder that keeps the data of compare_arrow.py between runs. With --columns
the bytes of each column are printed, too, as the footers state them. Row groups are what each writes when
not asked, ZSTD is level 3 for everybody. The last line is the sum of all, and each total in parts of the
smallest of the others.
"""

import argparse
import os

import compare_arrow as data_sets
import side_by_side

ENGINES = side_by_side.engines_present(list(side_by_side.WRITERS))
CODECS = {"none": "uncompressed"}


def write_lamella(table, path, codec, level):
    import lamella_ctypes

    options = {"codec": CODECS.get(codec, codec)}
    if level is not None:
        options["codec_level"] = level
    lamella_ctypes.write(path, table, **options)


def write_pyarrow(table, path, codec, level):
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression=codec, compression_level=level)


def write_duckdb(table, path, codec, level):
    import duckdb

    connection = duckdb.connect()
    connection.register("given", table)
    extra = f", COMPRESSION_LEVEL {level}" if level is not None else ""
    connection.execute(
        f"COPY (FROM given) TO '{path}' (FORMAT parquet, COMPRESSION {CODECS.get(codec, codec)}{extra})"
    )


def write_polars(table, path, codec, level):
    import polars

    polars.from_arrow(table).write_parquet(
        path, compression=CODECS.get(codec, codec), compression_level=level
    )


def write_arrow_rs(table, path, codec, level):
    import arro3.io

    del level  # which is part of the codec's name here
    codec = side_by_side.arro3_codec(CODECS.get(codec, codec))
    arro3.io.write_parquet(table, path, compression=codec)


def columns_of(path):
    import pyarrow.parquet as pq

    meta = pq.read_metadata(path)
    sizes, encodings = {}, {}
    for group in range(meta.num_row_groups):
        for leaf in range(meta.num_columns):
            column = meta.row_group(group).column(leaf)
            name = meta.schema.column(leaf).path.replace(".list.element", "")
            sizes[name] = sizes.get(name, 0) + column.total_compressed_size
            encodings.setdefault(name, set()).update(set(column.encodings) - {"RLE"})
    return sizes, encodings


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("liblamella", metavar="LIBRARY")
    parser.add_argument("cache")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--data", default="flat,nested")
    parser.add_argument("--codecs", default="none,snappy,zstd")
    parser.add_argument("--columns", action="store_true")
    options = parser.parse_args()
    options.data, options.codecs = options.data.split(","), options.codecs.split(",")
    options.groups = []
    return options


def row(name, sizes, note=""):
    cells = "".join(f"{sizes[engine] / 1e6:11.3f}" for engine in ENGINES)
    best = min(sizes[engine] for engine in ENGINES[1:])
    print(f"{name:34}{cells}{sizes['lamella'] / best:9.3f}  {note}", flush=True)


def main():
    options = arguments()
    side_by_side.load_library(options.liblamella)
    codecs, options.codecs = options.codecs, []
    data_sets.prepare(options)
    path = os.path.join(options.cache, "sizes.parquet")
    print(f"{'MB':34}" + "".join(f"{engine:>11}" for engine in ENGINES) + f"{'of best':>9}")
    sums = dict.fromkeys(ENGINES, 0)
    for data in options.data:
        table = side_by_side.load_table(data_sets.arrow_path(options, data))
        for codec in codecs:
            level = side_by_side.zstd_level(codec)
            sizes, columns, encodings = {}, {}, {}
            for engine in ENGINES:
                globals()[f"write_{engine.replace('-', '_')}"](table, path, codec, level)
                sizes[engine] = os.path.getsize(path)
                columns[engine], encodings[engine] = columns_of(path)
                sums[engine] += sizes[engine]
            row(f"{data}, {codec}", sizes)
            for name in columns["lamella"] if options.columns else []:
                of = {engine: columns[engine].get(name, list(columns[engine].values())[list(columns["lamella"]).index(name)]) for engine in ENGINES}
                row(f"    {name}", of, " ".join(sorted(encodings["lamella"][name])))
    row("all", sums)
    os.unlink(path)


if __name__ == "__main__":
    main()
