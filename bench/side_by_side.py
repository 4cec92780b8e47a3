# SPDX-License-Identifier: Apache-2.0
"""What the comparisons with other engines share: how each reads and writes, and how they are measured.

A job is a dict: `engine`, `threads`, `what` (read, stream, write), the files and settings that this needs,
and for one processor to run on its number, `cpu`. Each job runs in a process of its own, most of them
forked by one that has imported the engine's modules: the script itself, started with --serve. The engines
take turns. A function of READERS or WRITERS prepares a job and gives what is timed: a call without arguments,
whose result is kept until the clock has stopped.

arrow-rs is what the PyPI package arro3-io has of it: it reads all columns of a file with one thread, and has
no filters. A job that reads a column gives it a file of that column alone (one_column.py).
"""

import ctypes
import functools
import importlib
import importlib.metadata
import json
import os
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(os.path.dirname(HERE), "tests")
ZSTD_LEVEL = 3
BATCH_ROWS = 65536
PACKAGES = {"pyarrow": "pyarrow", "DuckDB": "duckdb", "Polars": "polars", "arro3-io": "arro3-io"}
MODULES = {
    "lamella": ["pyarrow"],
    "pyarrow": ["pyarrow.parquet", "pyarrow.dataset"],
    "duckdb": ["duckdb", "pyarrow"],
    "polars": ["polars"],
    "arrow-rs": ["arro3.io"],
}
NOT_FORKED = ["polars"]  # importing it starts threads, which a fork leaves behind
WRITE_THREADS = {"lamella": [1, 2], "pyarrow": [1], "duckdb": [1, 2], "polars": [1, 2], "arrow-rs": [1]}
READ_THREADS = {"lamella": [1, 2], "pyarrow": [1, 2], "duckdb": [1, 2], "polars": [1, 2], "arrow-rs": [1]}

# --- Reading ---------------------------------------------------------------------------------------


def load_library(path):
    sys.path.insert(0, os.path.join(TESTS, "arrow"))
    import lamella_ctypes

    lamella_ctypes.load(os.path.abspath(path))
    return lamella_ctypes


def count_rows(batches):
    """Takes each batch, drops it, and gives the number of rows."""
    return sum(batch.num_rows for batch in batches)


def load_table(path):
    """The table of an Arrow file."""
    import pyarrow as pa

    with pa.OSFile(path) as file:
        return pa.ipc.open_file(file).read_all()


def read_lamella(job):
    library = load_library(job["library"])
    options = {"thread_count": job["threads"]}
    if job.get("columns"):
        options["columns"] = job["columns"]
    if job["what"] == "stream":
        return lambda: count_rows(library.open_stream(job["file"], **options).reader())
    return lambda: library.read(job["file"], **options)


def read_pyarrow(job):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(2)
    threads, columns = job["threads"] > 1, job.get("columns")

    def stream():
        with pq.ParquetFile(job["file"]) as file:
            return count_rows(
                file.iter_batches(batch_size=BATCH_ROWS, use_threads=threads, columns=columns)
            )

    def read():
        with pq.ParquetFile(job["file"]) as file:
            return file.read(use_threads=threads, columns=columns)

    return stream if job["what"] == "stream" else read


def connect_duckdb(threads):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    return connection


def read_duckdb(job):
    connection = connect_duckdb(job["threads"])
    columns = ", ".join(f'"{column}"' for column in job.get("columns") or []) or "*"
    query = f"SELECT {columns} FROM read_parquet('{job['file']}')"
    if job["what"] == "stream":
        return lambda: count_rows(connection.sql(query).to_arrow_reader(BATCH_ROWS))
    return lambda: connection.sql(query).to_arrow_table()


def load_polars(threads):
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    return polars


def read_polars(job):
    engine, columns = load_polars(job["threads"]), job.get("columns")

    def stream():
        scan = engine.scan_parquet(job["file"])
        scan = scan.select(columns) if columns else scan
        return sum(frame.height for frame in scan.collect_batches(chunk_size=BATCH_ROWS))

    if job["what"] == "stream":
        return stream
    return lambda: engine.read_parquet(job["file"], columns=columns)


def read_arrow_rs(job):
    import arro3.io

    path = job["column_file"] if job.get("columns") else job["file"]
    reader = lambda: arro3.io.read_parquet(path, batch_size=BATCH_ROWS)  # noqa: E731
    if job["what"] == "stream":
        return lambda: count_rows(reader())
    return lambda: reader().read_all()


READERS = {
    "lamella": read_lamella,
    "pyarrow": read_pyarrow,
    "duckdb": read_duckdb,
    "polars": read_polars,
    "arrow-rs": read_arrow_rs,
}

# --- Writing ---------------------------------------------------------------------------------------
#
# A job to write has `arrow`, the Arrow file of the table, `out`, `codec`, `group` (rows of a row group),
# `columns` if not all of the table, and `no_crc`, which is Lamella's alone.


def table_to_write(job):
    table = load_table(job["arrow"])
    return table.select(job["columns"]) if job.get("columns") else table


def zstd_level(codec):
    return ZSTD_LEVEL if codec == "zstd" else None


def write_lamella(job):
    library, table = load_library(job["library"]), table_to_write(job)
    options = {"codec": job["codec"], "row_group_rows": job["group"]}
    options["thread_count"] = job["threads"]
    if job["codec"] == "zstd":
        options["codec_level"] = ZSTD_LEVEL
    if job.get("no_crc"):
        options["page_crc"] = library.OFF
    # A row group is to end by its rows alone, as with the others.
    options["row_group_bytes"] = 1 << 40
    return lambda: library.write(job["out"], table, **options)


def write_pyarrow(job):
    import pyarrow.parquet as pq

    table = table_to_write(job)
    return lambda: pq.write_table(
        table,
        job["out"],
        compression=job["codec"],
        compression_level=zstd_level(job["codec"]),
        row_group_size=job["group"],
    )


def write_duckdb(job):
    connection = connect_duckdb(job["threads"])
    connection.register("given", table_to_write(job))
    level = f", COMPRESSION_LEVEL {ZSTD_LEVEL}" if job["codec"] == "zstd" else ""
    query = (
        f"COPY (FROM given) TO '{job['out']}' (FORMAT parquet, COMPRESSION {job['codec']}{level},"
        f" ROW_GROUP_SIZE {job['group']})"
    )
    return lambda: connection.execute(query)


def write_polars(job):
    frame = load_polars(job["threads"]).from_arrow(table_to_write(job))
    return lambda: frame.write_parquet(
        job["out"],
        compression=job["codec"],
        compression_level=zstd_level(job["codec"]),
        row_group_size=job["group"],
        statistics=True,
    )


def arro3_codec(codec):
    return f"zstd({ZSTD_LEVEL})" if codec == "zstd" else codec


def write_arrow_rs(job):
    import arro3.core
    import arro3.io

    table = arro3.core.Table.from_arrow(table_to_write(job))
    return lambda: arro3.io.write_parquet(
        table, job["out"], compression=arro3_codec(job["codec"]), max_row_group_size=job["group"]
    )


WRITERS = {
    "lamella": write_lamella,
    "pyarrow": write_pyarrow,
    "duckdb": write_duckdb,
    "polars": write_polars,
    "arrow-rs": write_arrow_rs,
}


def engine_of(name):
    """Prepares a job of either kind."""
    return lambda job: (WRITERS if job["what"] == "write" else READERS)[name](job)


ENGINES = {name: engine_of(name) for name in READERS}

# --- One measurement -------------------------------------------------------------------------------


def memory_of(name):
    """Bytes of a line of /proc/self/status: VmRSS now, VmHWM at most."""
    with open("/proc/self/status", encoding="ascii") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines[name].split()[0]) << 10


def bytes_read():
    """What this process has asked files for, but for files that are mapped."""
    with open("/proc/self/io", encoding="ascii") as file:
        return int(dict(line.split(":", 1) for line in file)["rchar"])


def row_count(result):
    if isinstance(result, int):
        return result
    return getattr(result, "num_rows", getattr(result, "height", None))


def child(job, engines):
    """Measures one job, and gives what it took."""
    if job.get("cpu") is not None:
        os.sched_setaffinity(0, {job["cpu"]})
    call = engines[job["engine"]](job)
    if "warm" in job:
        # A small file first: what an engine loads and starts once is left out.
        engines[job["engine"]]({**job, **job["warm"]})()
    # Memory that loading gave back must not hide what the call takes.
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    before, cpu = memory_of("VmRSS"), resource.getrusage(resource.RUSAGE_SELF)
    read_before = bytes_read()
    start = time.perf_counter()
    kept = call()
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    user, system = after.ru_utime - cpu.ru_utime, after.ru_stime - cpu.ru_stime
    return {
        "seconds": seconds,
        "user": user,
        "system": system,
        "cpu": user + system,
        "peak": memory_of("VmHWM") - before,
        "read": bytes_read() - read_before,
        "rows": row_count(kept),
        "kept": id(kept),  # which is what keeps the result until here
    }


def measure_and_end(job, engines, out):
    try:
        result = child(job, engines)
    except BaseException as error:  # pylint: disable=broad-except
        result = {"error": f"{type(error).__name__}: {error}".replace("\n", " ")}
    print(json.dumps(result), file=out, flush=True)
    # Freeing a table takes time that nobody asked for.
    os._exit(0)


def serve(engine, engines):
    """What a process that Server started does: imports what the engine needs, and forks for each job."""
    for module in MODULES[engine]:
        importlib.import_module(module)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # for whatever an engine prints
    for line in sys.stdin:
        if engine in NOT_FORKED:
            measure_and_end(json.loads(line), engines, out)
        pid = os.fork()
        if pid == 0:
            measure_and_end(json.loads(line), engines, out)
        _, status = os.waitpid(pid, 0)
        if status != 0:
            error = {"error": f"the process ended with status {status}"}
            print(json.dumps(error), file=out, flush=True)


# --- All of them -----------------------------------------------------------------------------------


class Server:
    """The process that starts the measurements of one engine, or makes one of them itself."""

    def __init__(self, engine, script):
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.abspath(script), "--serve", engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, job):
        print(json.dumps(job), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended before it measured"}


_servers = {}


def run(job, script):
    """Measures one job in a process of its own."""
    engine = job["engine"]
    server = _servers.pop(engine, None) or Server(engine, script)
    result = server.run(job)
    if engine in NOT_FORKED or server.process.poll() is not None:
        server.process.communicate()
    else:
        _servers[engine] = server
    return result


def take_turns(contenders, rounds, measure_one):
    """contender -> results of the rounds; who begins changes from round to round."""
    results = {contender: [] for contender in contenders}
    for turn in range(rounds):
        shift = turn % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            results[contender].append(measure_one(*contender))
    return results


def error_of(rounds):
    """The first error of a contender's rounds, or None."""
    return next((result["error"] for result in rounds if "error" in result), None)


def middle(rounds, key):
    return statistics.median(result[key] for result in rounds)


def spread(rounds):
    seconds = [result["seconds"] for result in rounds]
    return max(seconds) / min(seconds)


def peak(rounds):
    return max(result["peak"] for result in rounds)


def name_of(engine, threads):
    if engine == "pyarrow":
        return f"pyarrow, use_threads {threads > 1}"
    return f"{engine}, {threads} thread{'s' if threads > 1 else ''}"


def warm_up(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


@functools.cache
def missing(engine):
    """Whether an engine that need not be installed is not."""
    try:
        return engine == "arrow-rs" and not importlib.metadata.version("arro3-io")
    except importlib.metadata.PackageNotFoundError:
        return True


def engines_present(names):
    for engine in filter(missing, names):
        print(f"without {engine}: arro3-io is not installed")
    return [engine for engine in names if not missing(engine)]


def heading(rounds):
    versions = []
    for name, package in PACKAGES.items():
        try:
            versions.append(f"{name} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return f"{', '.join(versions)}; medians of {rounds}; x: time divided by Lamella's"


def list_argument(text):
    return text.split(",")
