#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet to Arrow and back: Lamella beside pyarrow, DuckDB, Polars and arrow-rs, same file, same run.

    bench/compare_arrow.py LIBRARY CACHE [--rows N] [--rounds N] [--data flat,nested,text] [--codecs snappy,zstd]
                           [--groups 131072,1048576] [--what read,stream,write] [--engines ...]

LIBRARY is liblamella.so, CACHE a folder that keeps the data between runs: a flat table of 10 million rows,
a nested one and one of short strings that are all different, each of a fifth as many (or of N, N / 5 and N / 5),
as Arrow files, and as Parquet files of each codec and row group size that pyarrow writes once and everybody reads.

    read     a file becomes a whole table in memory
    stream   it is read batch by batch, and each batch is dropped
    write    a table in memory becomes a file in the cache folder

The engines take turns. Each measurement is a process of its own, whose threads are set by the engine's own
settings: Lamella with thread_count 1 and 2, pyarrow with use_threads False and True (2 threads), DuckDB and
Polars with 1 and 2, arrow-rs (by way of arro3-io) with 1. What is timed is the call alone, neither imports
nor loading the table nor freeing it; the files are in the page cache. Printed are medians: seconds, rows/s,
MB/s of Arrow data, CPU seconds and how many of them are user time, peak memory above what the process had
before (for a whole table that includes the table), file size, the slowest round divided by the fastest, and
the other's time and CPU time divided by Lamella's with as many threads. On a machine that has other work, CPU time is what can be trusted.

What is alike, and what is not:

- Strings come out as `string` (32-bit offsets) from Lamella, pyarrow, DuckDB and arrow-rs, as `string_view`
  from Polars, whose DataFrame is left as it is. Nobody gives dictionaries here.
- DuckDB, pyarrow and arrow-rs have lists of 32-bit offsets like Lamella, Polars lists of 64-bit ones.
- Files to read are without checksums. Lamella writes checksums of pages, unless --no-crc is given; the others
  write none. Statistics and page indexes are what each writes when not asked.
- ZSTD is level 3 for everybody. Lamella takes that as the most: where level 1 gives pages that are not larger,
  it goes on with that.
- Everybody keeps the order of rows. DuckDB writes from the Arrow table that all have; Polars from its
  DataFrame, made of it beforehand.
- Writing has no threads in pyarrow and arrow-rs.
"""

import argparse
import os
import sys

import side_by_side
from side_by_side import list_argument, middle

THREADS = {
    "read": side_by_side.READ_THREADS,
    "stream": side_by_side.READ_THREADS,
    "write": side_by_side.WRITE_THREADS,
}
PART = 500_000

# --- Data ------------------------------------------------------------------------------------------


class Random:
    """Columns of random values, each of its own seed."""

    def __init__(self):
        self.seed = 0

    def reals(self, count):
        import pyarrow.compute as pc

        self.seed += 1
        return pc.random(count, initializer=self.seed)

    def numbers(self, count, limit, kind):
        import pyarrow.compute as pc

        return pc.cast(pc.floor(pc.multiply(self.reals(count), limit)), kind)

    def mask(self, count, share=0.05):
        import pyarrow.compute as pc

        return pc.less(self.reals(count), share)

    def nulls(self, column, share=0.05):
        import pyarrow as pa
        import pyarrow.compute as pc

        return pc.if_else(self.mask(len(column), share), pa.scalar(None, column.type), column)


def words(random, count, many=50):
    import pyarrow as pa

    return pa.array([f"word number {n}" for n in range(many)]).take(
        random.numbers(count, many, pa.int32())
    )


def flat_part(random, begin, count):
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = pa.array(range(begin, begin + count), pa.int64())
    # Odd, so that no two are the same modulo 2^40.
    unique = pc.bit_wise_and(pc.multiply(ids, 0x9E3779B97F4A7 | 1), (1 << 40) - 1)
    second = pc.cast(random.numbers(count, 10**6, pa.int64()), pa.int64())
    columns = {
        "id": ids,
        "small": random.nulls(random.numbers(count, 1000, pa.int32())),
        "value": random.nulls(random.reals(count)),
        "word": random.nulls(words(random, count)),
        "key": random.nulls(pc.binary_join_element_wise("key", pc.cast(unique, pa.string()), "-")),
        "time": random.nulls(
            pc.cast(
                pc.add(pc.add(pc.multiply(ids, 10**6), second), 1_700_000_000_000_000),
                pa.timestamp("us", "UTC"),
            )
        ),
    }
    return pa.table(columns)


def list_of(random, count, make):
    """Lists of 0 to 8 elements, a twentieth of them null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.cumulative_sum(random.numbers(count, 9, pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends.cast(pa.int32())])
    values = make(offsets[-1].as_py())
    return pa.ListArray.from_arrays(offsets, values, mask=random.mask(count))


def struct_of(random, count, **members):
    import pyarrow as pa

    return pa.StructArray.from_arrays(
        list(members.values()), names=list(members), mask=random.mask(count)
    )


def nested_part(random, _begin, count):
    import pyarrow as pa

    def event(n):
        return struct_of(
            random,
            n,
            kind=random.nulls(words(random, n)),
            number=random.nulls(random.numbers(n, 10**6, pa.int32())),
            value=random.nulls(random.reals(n)),
        )

    inner = struct_of(
        random,
        count,
        x=random.nulls(random.numbers(count, 10**9, pa.int64())),
        name=random.nulls(words(random, count, 5000)),
    )
    columns = {
        "tags": list_of(random, count, lambda n: random.nulls(words(random, n))),
        "events": list_of(random, count, event),
        "outer": struct_of(random, count, inner=inner, y=random.nulls(random.reals(count))),
    }
    return pa.table(columns)


def text_part(_random, begin, count):
    """Short strings that are all different, in no order: numbers, hexadecimal digits, names, UUIDs."""
    import hashlib

    import pyarrow as pa

    digests = [hashlib.md5(b"%d" % n).hexdigest() for n in range(begin, begin + count)]
    numbers = [int(digest[:15], 16) for digest in digests]
    columns = {
        "number": [str(number % 10**12) for number in numbers],
        "digits": [digest[:16] for digest in digests],
        "mail": [f"{digest[:7]}{number % 97}@example.org" for digest, number in zip(digests, numbers)],
        "path": [f"/data/{n % 100:02}/{d[16:26]}.bin" for n, d in zip(numbers, digests)],
        "uuid": ["-".join((d[:8], d[8:12], d[12:16], d[16:20], d[20:])) for d in digests],
        "word": [digest[: 3 + number % 9] for digest, number in zip(digests, numbers)],
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


MAKERS = {"flat": flat_part, "nested": nested_part, "text": text_part}


def rows_of(data, rows):
    return rows if data == "flat" else rows // 5


def arrow_path(options, data):
    return os.path.join(options.cache, f"{data}-{options.rows}.arrow")


def parquet_path(options, data, codec, group):
    return os.path.join(options.cache, f"{data}-{options.rows}-{codec}-{group}.parquet")


def make_arrow(path, data, rows):
    import pyarrow as pa

    random = Random()
    with open(path + ".part", "wb") as file:
        writer = None
        for begin in range(0, rows, PART):
            table = MAKERS[data](random, begin, min(PART, rows - begin))
            if writer is None:
                writer = pa.ipc.new_file(file, table.schema)
            writer.write_table(table)
        writer.close()
    os.rename(path + ".part", path)


def prepare(options):
    """Makes what is not there yet."""
    os.makedirs(options.cache, exist_ok=True)
    for data in options.data:
        path = arrow_path(options, data)
        if not os.path.exists(path):
            print(f"making {path}", flush=True)
            make_arrow(path, data, rows_of(data, options.rows))
        missing = [
            (codec, group)
            for codec in options.codecs
            for group in options.groups
            if not os.path.exists(parquet_path(options, data, codec, group))
        ]
        for codec, group in missing:
            import pyarrow.parquet as pq

            target = parquet_path(options, data, codec, group)
            print(f"making {target}", flush=True)
            pq.write_table(
                side_by_side.load_table(path),
                target + ".part",
                compression=codec,
                compression_level=side_by_side.zstd_level(codec),
                row_group_size=group,
            )
            os.rename(target + ".part", target)


# --- All of them -----------------------------------------------------------------------------------


def measure(options, data, what, codec, group):
    """(engine, threads) -> results of the rounds, in which all took turns."""
    contenders = [
        (engine, threads)
        for threads in [1, 2]
        for engine in options.engines
        if threads in THREADS[what][engine]
    ]
    file = parquet_path(options, data, codec, group)
    side_by_side.warm_up(file)

    def measure_one(engine, threads):
        job = {
            "engine": engine,
            "threads": threads,
            "what": what,
            "file": file,
            "codec": codec,
            "group": group,
            "arrow": arrow_path(options, data),
            "out": os.path.join(options.cache, f"out-{engine}.parquet"),
            "library": os.path.abspath(options.liblamella),
            "no_crc": options.no_crc,
        }
        result = side_by_side.run(job, __file__)
        if what == "write" and "error" not in result:
            result["size"] = os.path.getsize(job["out"])
            os.unlink(job["out"])
        return result

    return side_by_side.take_turns(contenders, options.rounds, measure_one)


def report(results, rows, megabytes, size):
    ours = {}
    for contender, rounds in results.items():
        name = side_by_side.name_of(*contender)
        error = side_by_side.error_of(rounds)
        if error:
            print(f"  {name:28} {error[:90]}")
            continue
        seconds, cpu = middle(rounds, "seconds"), middle(rounds, "cpu")
        engine, threads = contender
        if engine == "lamella":
            ours[threads] = seconds, cpu
        ratio = ""
        if engine != "lamella" and ours:
            our_seconds, our_cpu = ours.get(threads, ours[min(ours)])
            ratio = f"  time {seconds / our_seconds:5.2f}x CPU {cpu / our_cpu:5.2f}x"
        bytes_of_file = rounds[0].get("size", size)
        print(
            f"  {name:28} {seconds:7.3f} s {rows / seconds / 1e6:8.2f} Mrows/s"
            f" {megabytes / seconds:8.0f} MB/s  CPU {cpu:6.2f} s"
            f" ({middle(rounds, 'user'):.2f} user)  peak {side_by_side.peak(rounds) / 2**20:6.0f} MiB"
            f"  file {bytes_of_file / 1e6:7.1f} MB  spread {side_by_side.spread(rounds):4.2f}{ratio}",
            flush=True,
        )


def argument_parser(text):
    parser = argparse.ArgumentParser(description=text.split("\n", maxsplit=1)[0])
    parser.add_argument("liblamella", metavar="LIBRARY")
    parser.add_argument("cache")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=list_argument, default=["flat", "nested"])
    parser.add_argument("--codecs", type=list_argument, default=["snappy", "zstd"])
    parser.add_argument("--groups", type=list_argument, default=[131072, 1048576])
    parser.add_argument("--engines", type=list_argument, default=list(side_by_side.ENGINES))
    return parser


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("--what", type=list_argument, default=["read", "stream", "write"])
    parser.add_argument("--no-crc", action="store_true")
    options = parser.parse_args()
    options.groups = [int(group) for group in options.groups]
    return options


def main():
    if sys.argv[1] == "--serve":
        side_by_side.serve(sys.argv[2], side_by_side.ENGINES)
    options = arguments()
    options.engines = side_by_side.engines_present(options.engines)
    prepare(options)
    print(side_by_side.heading(options.rounds))
    for data in options.data:
        megabytes = side_by_side.load_table(arrow_path(options, data)).nbytes / 1e6
        rows = rows_of(data, options.rows)
        for what in options.what:
            for codec in options.codecs:
                for group in options.groups:
                    print(
                        f"\n{what} {data}: {rows} rows, {megabytes:.0f} MB as Arrow, {codec},"
                        f" row groups of {group}",
                        flush=True,
                    )
                    results = measure(options, data, what, codec, group)
                    size = os.path.getsize(parquet_path(options, data, codec, group))
                    report(results, rows, megabytes, size)


if __name__ == "__main__":
    main()
