#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Selective scans: Lamella beside pyarrow datasets, DuckDB and Polars, same file, same machine, same run.

    bench/compare_scans.py LIBRARY CACHE [--rows N] [--rounds N] [--data flat,nested,lineitem] [--codecs snappy,zstd]
                           [--groups 131072] [--columns id,near,any] [--shares 0.0001,0.01,0.1]
                           [--writers pyarrow,lamella] [--queries ...] [--indexes no-index,index] [--engines ...]

The data are those of compare_arrow.py, 10 million rows flat and 2 million nested (or N and N / 5), with
three columns of int64 to choose rows by:

    id     rises by one: statistics and page indexes find the rows
    near   1,000 neighbours have the same number; the numbers are in no order
    any    each row has a random number: every page of every column has rows that are wanted

Each scan wants all columns of a share of the rows, which lie together, in runs of 1,000, or anywhere. The
result is a whole table in memory. Files are written by pyarrow, with page indexes and without checksums,
or by Lamella as it does when not asked, checksums and all.

lineitem is TPC-H's, as pyarrow writes it in row groups of a million rows, with a page index and without. Its
queries are those of scan_queries.py: integers, decimals, dates and strings with a dictionary, joined by `and` and
`or`, for all columns or a few. A file of a few rows is read before the clock starts.

Measured is as in compare_arrow.py: a process for each measurement, the engines in turns, the files in the
page cache; imports and freeing the result do not count. Opening the file does. Printed are medians of
seconds and of CPU seconds, bytes that the engine read, as the system counts them (Polars maps the file,
which is not counted), peak memory, the slowest round divided by the fastest, and the other's time and CPU
time divided by Lamella's with as many threads. Everybody must find as many rows. On a machine that has other
work, CPU time is what can be trusted.

What is alike, and what is not: see compare_arrow.py; pyarrow is its dataset scanner, whose use_threads are
False and True (2 threads). arro3-io has no filters, so arrow-rs is not among them.
"""

import os
import sys

import compare_arrow
import compare_tpch
import scan_queries
import side_by_side
from compare_arrow import Random
from side_by_side import list_argument, load_library, middle

MOST = 10**6  # numbers of `near` and `any` are below it
RUN = 1000  # neighbours with one number in `near`

# --- Data ------------------------------------------------------------------------------------------


def with_keys(make):
    def part(random, begin, count):
        import pyarrow as pa
        import pyarrow.compute as pc

        table = make(random, begin, count)
        if "id" not in table.column_names:
            table = table.append_column("id", pa.array(range(begin, begin + count), pa.int64()))
        runs = pa.array((row // RUN for row in range(begin, begin + count)), pa.int64())
        scattered = pc.bit_wise_and(pc.multiply(runs, 0x9E3779B97F4A7 | 1), (1 << 40) - 1)
        near = pc.subtract(scattered, pc.multiply(pc.divide(scattered, MOST), MOST))
        table = table.append_column("near", near)
        return table.append_column("any", Random.numbers(random, count, MOST, pa.int64()))

    return part


def file_path(options, data, codec, group, writer):
    return os.path.join(
        options.cache, f"scan-{data}-{options.rows}-{codec}-{group}-{writer}.parquet"
    )


def write_pyarrow(options, table, path, codec, group):
    import pyarrow.parquet as pq

    del options
    pq.write_table(
        table,
        path,
        compression=codec,
        compression_level=side_by_side.zstd_level(codec),
        row_group_size=group,
        write_page_index=True,
    )


def write_lamella(options, table, path, codec, group):
    library = load_library(options.liblamella)
    library.write(path, table, codec=codec, row_group_rows=group)


WRITERS = {"pyarrow": write_pyarrow, "lamella": write_lamella}


def prepare(options, data, codec, group, writer):
    """The path of a file, which is made unless it is there."""
    path = file_path(options, data, codec, group, writer)
    if os.path.exists(path):
        return path
    import pyarrow as pa

    rows = compare_arrow.rows_of(data, options.rows)
    make, random = with_keys(compare_arrow.MAKERS[data]), Random()
    print(f"making {path}", flush=True)
    parts = [
        make(random, begin, min(compare_arrow.PART, rows - begin))
        for begin in range(0, rows, compare_arrow.PART)
    ]
    os.makedirs(options.cache, exist_ok=True)
    WRITERS[writer](options, pa.concat_tables(parts), path + ".part", codec, group)
    os.rename(path + ".part", path)
    return path


def bounds(column, share, rows):
    """The least number that is wanted, and the first behind it that is not."""
    if column != "id":
        return 0, max(1, round(MOST * share))
    return rows // 3, rows // 3 + max(1, round(rows * share))


# --- One measurement -------------------------------------------------------------------------------
#
# As in compare_arrow.py: each function gives what is timed.


def wanted(job):
    """The condition of a job, and its columns; None stands for all."""
    if "query" in job:
        return scan_queries.QUERIES[job["query"]]
    column = job["column"]
    return ("and", (column, ">=", job["low"]), (column, "<", job["high"])), None


def lamella(job):
    library = load_library(job["library"])
    condition, columns = wanted(job)
    where = scan_queries.sql(condition)
    return lambda: library.read(
        job["file"], columns=columns, where=where, thread_count=job["threads"]
    )


def pyarrow(job):
    import pyarrow as pa
    import pyarrow.dataset as ds

    pa.set_cpu_count(2)
    pa.set_io_thread_count(2)
    condition, columns = wanted(job)
    condition = scan_queries.pyarrow(condition)
    threads = job["threads"] > 1
    return lambda: ds.dataset(job["file"]).to_table(
        columns=columns, filter=condition, use_threads=threads
    )


def duckdb(job):
    connection = side_by_side.connect_duckdb(job["threads"])
    condition, columns = wanted(job)
    query = (
        f"SELECT {', '.join(columns or '*')} FROM read_parquet('{job['file']}')"
        f" WHERE {scan_queries.sql(condition, 'DATE ')}"
    )
    return lambda: connection.sql(query).to_arrow_table()


def polars(job):
    engine = side_by_side.load_polars(job["threads"])
    condition, columns = wanted(job)
    condition = scan_queries.polars(condition, engine)

    def scan():
        rows = engine.scan_parquet(job["file"]).filter(condition)
        return (rows.select(columns) if columns else rows).collect()

    return scan


ENGINES = {"lamella": lamella, "pyarrow": pyarrow, "duckdb": duckdb, "polars": polars}


# --- All of them -----------------------------------------------------------------------------------


def measure(options, path, what):
    """(engine, threads) -> results of the rounds, in which all took turns; `what` says which rows."""
    contenders = [(engine, threads) for threads in options.threads for engine in options.engines]

    def measure_one(engine, threads):
        job = {
            "engine": engine,
            "threads": threads,
            "file": path,
            "library": os.path.abspath(options.liblamella),
            **what,
        }
        return side_by_side.run(job, __file__)

    return side_by_side.take_turns(contenders, options.rounds, measure_one)


def report(results):
    ours, found = {}, set()
    for (engine, threads), rounds in results.items():
        name = side_by_side.name_of(engine, threads)
        error = side_by_side.error_of(rounds)
        if error:
            print(f"  {name:28} {error[:90]}")
            continue
        seconds, cpu = middle(rounds, "seconds"), middle(rounds, "cpu")
        ratio = ""
        if engine == "lamella":
            ours[threads] = seconds, cpu
        elif ours:
            our_seconds, our_cpu = ours[threads]
            ratio = f"  time {seconds / our_seconds:6.2f}x CPU {cpu / our_cpu:6.2f}x"
        found |= {result["rows"] for result in rounds}
        read = "     mapped" if engine == "polars" else f"{middle(rounds, 'read') / 1e6:8.2f} MB"
        print(
            f"  {name:28} {1e3 * seconds:9.2f} ms  CPU {1e3 * cpu:9.2f} ms"
            f" (least {1e3 * min(result['cpu'] for result in rounds):8.2f})  read {read}"
            f"  peak {side_by_side.peak(rounds) / 2**20:5.0f} MiB"
            f"  spread {side_by_side.spread(rounds):4.2f}{ratio}",
            flush=True,
        )
    if len(found) > 1:
        raise AssertionError(f"not everybody finds as many rows: {sorted(found)}")
    return found


def arguments():
    parser = compare_arrow.argument_parser(__doc__)
    parser.add_argument("--columns", type=list_argument, default=["id", "near", "any"])
    parser.add_argument("--shares", type=list_argument, default=["0.0001", "0.01", "0.1"])
    parser.add_argument("--writers", type=list_argument, default=list(WRITERS))
    parser.add_argument("--threads", type=list_argument, default=["1", "2"])
    parser.add_argument("--queries", type=list_argument, default=list(scan_queries.QUERIES))
    parser.add_argument("--indexes", type=list_argument, default=["no-index", "index"])
    parser.add_argument("--scale", default="1")
    parser.set_defaults(
        groups=["131072"], data=["flat", "nested", "lineitem"], engines=list(ENGINES)
    )
    options = parser.parse_args()
    options.groups = [int(group) for group in options.groups]
    options.threads = [int(count) for count in options.threads]
    return options


def scan_file(options, data, codec, group, writer):
    path = prepare(options, data, codec, group, writer)
    rows = compare_arrow.rows_of(data, options.rows)
    side_by_side.warm_up(path)
    for column in options.columns:
        for share in map(float, options.shares):
            print(
                f"\n{data}, {codec}, {writer}'s file of {os.path.getsize(path) / 1e6:.0f} MB, row groups of"
                f" {group}: {100 * share:g} % of {rows} rows by {column}",
                flush=True,
            )
            low, high = bounds(column, share, rows)
            found = report(measure(options, path, {"column": column, "low": low, "high": high}))
            print(f"  {', '.join(map(str, found))} rows found")


def prepare_lineitem(options, codec, index):
    """pyarrow's file of lineitem, with a page index or without; and a small one to start with."""
    path = compare_tpch.prepare(options, "lineitem", "pyarrow", codec)
    warm = compare_tpch.prepare_warm(options, "lineitem", "pyarrow", path)
    if index == "no-index":
        return path, warm
    import pyarrow.parquet as pq

    target = path.replace("-pyarrow-", "-pyarrow-index-")
    if not os.path.exists(target):
        print(f"making {target}", flush=True)
        level = side_by_side.zstd_level(codec)
        pq.write_table(
            pq.read_table(path),
            target + ".part",
            compression=codec,
            compression_level=level,
            write_page_index=True,
        )
        os.rename(target + ".part", target)
    return target, warm


def scan_lineitem(options, codec, index):
    path, warm = prepare_lineitem(options, codec, index)
    side_by_side.warm_up(path)
    for query in options.queries:
        print(f"\nlineitem, {codec}, {index}, {os.path.getsize(path) / 1e6:.0f} MB: {query}", flush=True)
        found = report(measure(options, path, {"query": query, "warm": {"file": warm}}))
        print(f"  {', '.join(map(str, found))} rows found")


def main():
    if sys.argv[1] == "--serve":
        side_by_side.serve(sys.argv[2], ENGINES)
    options = arguments()
    print(side_by_side.heading(options.rounds))
    for data in options.data:
        for codec in options.codecs:
            for index in options.indexes if data == "lineitem" else []:
                scan_lineitem(options, codec, index)
            for group in options.groups if data != "lineitem" else []:
                for writer in options.writers:
                    scan_file(options, data, codec, group, writer)


if __name__ == "__main__":
    main()
