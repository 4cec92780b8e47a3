#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of TPC-H to Arrow and back: Lamella beside pyarrow, DuckDB, Polars and arrow-rs, by table and column.

    bench/compare_tpch.py LIBRARY CACHE [--scale N] [--rounds N] [--column-rounds N] [--engines ...]
                          [--tables lineitem,orders,partsupp] [--writers arrow-rs,pyarrow,duckdb]
                          [--codecs snappy,zstd] [--what read,stream,write] [--parts table,columns]
                          [--columns NAME,...] [--threads 1,2] [--cpu N] [--write-rows N]

LIBRARY is liblamella.so, CACHE a folder that keeps the files between runs. The tables are made by the program
of the PyPI package tpchgen-cli, which writes with arrow-rs; pyarrow and DuckDB read its files and write their
own, all in the order of rows and with the settings that each has by itself, ZSTD with level 3.

    table     all columns: as a whole table in memory, and as a stream whose batches are dropped
    columns   each column alone, in the same ways

With `--what write` the table that pyarrow reads from a file (its first --write-rows, default: all) becomes a
file of the codec in row groups of 2^20 rows, with the settings that each engine has by itself, and the size
of that file is printed, too.

Measured is as in compare_arrow.py: a process for each measurement, the engines in turns, one thread each,
pinned to one processor (--cpu, default: the last one; with --threads 2, which arro3-io has not, nobody is
pinned). A table of a few rows is read before the clock starts, so what an engine loads or starts once does
not count. Printed are milliseconds of the processor, medians of the rounds, and of tables the least, the
share of user and of system time, the seconds, peak memory above what the process had before. The system
counts the sum exactly; how it divides a few milliseconds into user and system is a guess.

The last lists name whoever needs less than Lamella: less processor time, by the least or the median of the
rounds, sorted by the least in parts of Lamella's (other work on the machine only adds time, above all to
the system's), and `both` where the median agrees; and less peak memory for a table.

What is alike, and what is not:

- Everybody gives the types of the Arrow schema that the file embeds, string views where the writer had them;
  DuckDB, which does not read that schema, gives `string`, Polars always views.
- Decimals are INT64 in the files of arrow-rs and DuckDB, FIXED_LEN_BYTE_ARRAY in those of pyarrow.
- arro3-io cannot choose columns: for one column arrow-rs reads a file with the pages of that column where they
  are in the other file, and a footer without the rest (one_column.py).
- Polars maps files, and what it touches of them counts as its memory.
"""

import argparse
import os
import shutil
import subprocess
import sys

import one_column
import side_by_side
from side_by_side import list_argument, middle

WARM_ROWS = 1000
WRITE_GROUP_ROWS = 1 << 20

# --- Files -----------------------------------------------------------------------------------------


def file_path(options, table, writer, codec):
    return os.path.join(options.cache, f"{table}-{options.scale}-{writer}-{codec}.parquet")


def warm_path(options, table, writer):
    return os.path.join(options.cache, f"{table}-{options.scale}-{writer}-warm.parquet")


def generate(options, table, codec, target):
    """By arrow-rs, which generates the rows."""
    program = shutil.which(
        "tpchgen-cli", path=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    )
    if program is None:
        sys.exit("tpchgen-cli is not installed: pip install tpchgen-cli")
    folder = target + ".d"
    codec = "ZSTD(3)" if codec == "zstd" else codec.upper()
    command = [program, "parquet", "-s", options.scale, "-T", table, "-c", codec, "-o", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    os.rename(os.path.join(folder, f"{table}.parquet"), target)
    os.rmdir(folder)


def generated(options, table):
    """A file of the table by its generator, whatever its codec."""
    return prepare(options, table, "arrow-rs", options.codecs[0])


def write_pyarrow(options, table, codec, target):
    import pyarrow.parquet as pq

    rows = pq.read_table(generated(options, table))
    pq.write_table(
        rows, target, compression=codec, compression_level=side_by_side.zstd_level(codec)
    )


def write_duckdb(options, table, codec, target):
    level = f", COMPRESSION_LEVEL {side_by_side.ZSTD_LEVEL}" if codec == "zstd" else ""
    side_by_side.connect_duckdb(2).execute(
        f"COPY (FROM read_parquet('{generated(options, table)}')) TO '{target}'"
        f" (FORMAT parquet, COMPRESSION {codec}{level})"
    )


WRITERS = {"arrow-rs": generate, "pyarrow": write_pyarrow, "duckdb": write_duckdb}


def prepare(options, table, writer, codec):
    """The path of a file, which is made unless it is there."""
    path = file_path(options, table, writer, codec)
    if not os.path.exists(path):
        print(f"making {path}", flush=True)
        WRITERS[writer](options, table, codec, path + ".part")
        os.rename(path + ".part", path)
    return path


def prepare_warm(options, table, writer, path):
    """A file of the first rows, to start with."""
    import pyarrow.parquet as pq

    target = warm_path(options, table, writer)
    if not os.path.exists(target):
        rows = next(pq.ParquetFile(path).iter_batches(batch_size=WARM_ROWS))
        with pq.ParquetWriter(target, rows.schema) as file:
            file.write_batch(rows)
    return target


def column_path(options, path, column):
    folder = os.path.join(options.cache, "columns")
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(path).replace(".parquet", f"-{column}.parquet")
    return one_column.one_column_file(path, column, os.path.join(folder, name))


def prepare_arrow(options, path, rows):
    """The Arrow file of the first rows of a file, for those who write."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = os.path.join(options.cache, "arrow")
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(path).replace(".parquet", f"-{rows or 'all'}.arrow")
    target = os.path.join(folder, name)
    if not os.path.exists(target):
        table = pq.read_table(path)
        table = table.slice(0, rows) if rows else table
        with pa.ipc.new_file(target + ".part", table.schema) as file:
            file.write_table(table, max_chunksize=side_by_side.BATCH_ROWS)
        os.rename(target + ".part", target)
    return target


# --- Measuring -------------------------------------------------------------------------------------


class Found:
    """What all measurements found: those where somebody needs less than Lamella."""

    def __init__(self):
        self.behind, self.larger, self.pairs = [], [], 0

    def add(self, where, threads, results):
        """Results of engines with as many threads, Lamella among them."""
        ours = results.get("lamella")
        for engine, rounds in results.items():
            if engine == "lamella" or not ours:
                continue
            self.pairs += 1
            by_median = middle(rounds, "cpu") / middle(ours, "cpu")
            by_least = least(rounds) / least(ours)
            name = f"{where}{', 2 threads' if threads > 1 else ''}"
            if min(by_median, by_least) < 1:
                self.behind.append((by_least, by_median, name, engine, rounds, ours))
            if " columns" in where and side_by_side.peak(rounds) < side_by_side.peak(ours):
                share = side_by_side.peak(rounds) / side_by_side.peak(ours)
                self.larger.append((share, name, engine, rounds, ours))


def least(rounds):
    return min(result["cpu"] for result in rounds)


def write_job(options, path, codec, warm):
    """What a job to write has beside that of one to read."""
    return {
        "arrow": prepare_arrow(options, path, options.write_rows),
        "codec": codec,
        "group": WRITE_GROUP_ROWS,
        "warm": {"arrow": prepare_arrow(options, warm, WARM_ROWS)},
    }


def measure(options, what, path, codec, columns, warm, rounds):
    """threads -> engine -> results of the rounds, in which all took turns; errors are left out."""
    writes = what == "write"
    engine_threads = side_by_side.WRITE_THREADS if writes else side_by_side.READ_THREADS
    contenders = [
        (engine, threads)
        for threads in options.threads
        for engine in options.engines
        if threads in engine_threads[engine]
    ]
    one = None
    if columns and not writes and "arrow-rs" in options.engines:
        one = column_path(options, path, columns[0])
    more = write_job(options, path, codec, warm) if writes else {}

    def measure_one(engine, threads):
        job = {
            "engine": engine,
            "threads": threads,
            "what": what,
            "file": path,
            "columns": columns,
            "column_file": one,
            "warm": {"file": warm, "column_file": warm},
            "library": os.path.abspath(options.liblamella),
            "cpu": options.cpu if options.threads == [1] else None,
            "out": os.path.join(options.cache, f"out-{engine}.parquet"),
            **more,
        }
        result = side_by_side.run(job, __file__)
        if writes and "error" not in result:
            result["size"] = os.path.getsize(job["out"])
            os.unlink(job["out"])
            result.pop("rows")
        return result

    found = {threads: {} for threads in options.threads}
    results = side_by_side.take_turns(contenders, rounds, measure_one)
    for (engine, threads), of_engine in results.items():
        error = side_by_side.error_of(of_engine)
        if error:
            print(f"    {engine}, {what} {columns or ''}: {error[:90]}")
        else:
            found[threads][engine] = of_engine
    counts = {r["rows"] for of_engine in results.values() for r in of_engine if "rows" in r}
    assert len(counts) <= 1, f"not everybody finds as many rows: {counts}"
    return found


def print_table(what, found):
    """A line for each engine."""
    for threads, results in found.items():
        ours = results.get("lamella")
        for engine, rounds in results.items():
            ratio = ""
            if ours and engine != "lamella":
                ratio = f"  CPU {middle(rounds, 'cpu') / middle(ours, 'cpu'):5.2f}x"
            print(
                f"    {what:7} {side_by_side.name_of(engine, threads):26}"
                f" CPU {1e3 * middle(rounds, 'cpu'):6.0f} ms, least {1e3 * least(rounds):6.0f}"
                f"  (user {1e3 * middle(rounds, 'user'):5.0f}, system {1e3 * middle(rounds, 'system'):5.0f})"
                f"  {middle(rounds, 'seconds'):6.3f} s"
                f"  peak {side_by_side.peak(rounds) / 2**20:5.0f} MiB{size_of(rounds)}{ratio}",
                flush=True,
            )


def size_of(rounds):
    """The size of the file that was written, if one was."""
    return f"  file {rounds[0]['size'] / 1e6:7.2f} MB" if "size" in rounds[0] else ""


def print_column(name, what, found):
    """One line: the medians of the engines, the best one's share of Lamella's."""
    for threads, results in found.items():
        cells = "".join(
            f"{engine:>10} {1e3 * middle(rounds, 'cpu'):6.1f}{size_of(rounds)}"
            for engine, rounds in results.items()
        )
        others = [middle(rounds, "cpu") for engine, rounds in results.items() if engine != "lamella"]
        share = ""
        if "lamella" in results and others:
            share = f"   best {min(others) / middle(results['lamella'], 'cpu'):5.2f}x"
        print(f"    {name:16} {what:6} {threads}{cells}{share}", flush=True)


def measure_file(options, table, writer, codec, found):
    import pyarrow.parquet as pq

    path = prepare(options, table, writer, codec)
    warm = prepare_warm(options, table, writer, path)
    meta = pq.read_metadata(path)
    where = f"{table}, {writer}, {codec}"
    print(
        f"\n{where}: {meta.num_rows} rows, {meta.num_columns} columns, {meta.num_row_groups} row groups,"
        f" {os.path.getsize(path) / 1e6:.1f} MB",
        flush=True,
    )
    side_by_side.warm_up(path)
    for what in options.what if "table" in options.parts else []:
        results = measure(options, what, path, codec, None, warm, options.rounds)
        print_table(what, results)
        for threads, of_engines in results.items():
            found.add(f"{where}: all columns, {what}", threads, of_engines)
    columns = [column.name for column in meta.schema] if "columns" in options.parts else []
    for column in columns:
        if options.columns and column not in options.columns:
            continue
        for what in options.what:
            results = measure(options, what, path, codec, [column], warm, options.column_rounds)
            print_column(column, what, results)
            for threads, of_engines in results.items():
                found.add(f"{where}: {column}, {what}", threads, of_engines)


def print_found(found):
    print(f"\nbehind: {len(found.behind)} of {found.pairs} pairs where a peer needs less processor time")
    for by_least, by_median, name, engine, rounds, ours in sorted(found.behind, key=lambda f: f[0]):
        both = ", both" if max(by_least, by_median) < 1 else ""
        print(
            f"    least {by_least:5.2f}, median {by_median:5.2f} of Lamella's{both}  {name}:"
            f" {engine} {1e3 * middle(rounds, 'cpu'):.1f} ms, user {1e3 * middle(rounds, 'user'):.1f};"
            f" Lamella {1e3 * middle(ours, 'cpu'):.1f} ms, user {1e3 * middle(ours, 'user'):.1f}"
        )
    print(f"\nlarger: {len(found.larger)} pairs where a peer needs less memory for all columns")
    for share, name, engine, rounds, ours in sorted(found.larger, key=lambda f: f[0]):
        print(
            f"    {share:5.2f} of Lamella's  {name}: {engine} {side_by_side.peak(rounds) / 2**20:.0f} MiB,"
            f" Lamella {side_by_side.peak(ours) / 2**20:.0f} MiB"
        )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("liblamella", metavar="LIBRARY")
    parser.add_argument("cache")
    parser.add_argument("--scale", default="1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--column-rounds", type=int, default=3)
    parser.add_argument("--engines", type=list_argument, default=list(side_by_side.READERS))
    parser.add_argument("--tables", type=list_argument, default=["lineitem", "orders", "partsupp"])
    parser.add_argument("--writers", type=list_argument, default=list(WRITERS))
    parser.add_argument("--codecs", type=list_argument, default=["snappy", "zstd"])
    parser.add_argument("--what", type=list_argument, default=["read", "stream"])
    parser.add_argument("--parts", type=list_argument, default=["table", "columns"])
    parser.add_argument("--columns", type=list_argument, default=[])
    parser.add_argument("--threads", type=list_argument, default=["1"])
    parser.add_argument("--write-rows", type=int, default=0)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    options = parser.parse_args()
    options.threads = [int(count) for count in options.threads]
    options.cache = os.path.abspath(options.cache)
    return options


def main():
    if sys.argv[1] == "--serve":
        side_by_side.serve(sys.argv[2], side_by_side.ENGINES)
    options = arguments()
    options.engines = side_by_side.engines_present(options.engines)
    os.makedirs(options.cache, exist_ok=True)
    print(side_by_side.heading(f"{options.rounds} ({options.column_rounds} for columns)"))
    found = Found()
    for table in options.tables:
        for writer in options.writers:
            for codec in options.codecs:
                measure_file(options, table, writer, codec, found)
    print_found(found)


if __name__ == "__main__":
    main()
