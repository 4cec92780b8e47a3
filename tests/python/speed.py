# SPDX-License-Identifier: Apache-2.0
"""How fast the package is, as a table: whole tables against the stream of the library, rows against pyarrow's, logging, import.

Usage: speed.py EXTENSION [SHARED_LIBRARY]. Run by hand; no gate. Times are those of the processor, of all threads, and the best
of several turns: other work on the machine then matters little. With liblamella.so the stream of the C library is measured too.
"""

import ctypes
import io
import os
import subprocess
import sys
import tempfile
import time

import cases
import engines
import lamella

pa = engines.pyarrow


def best(use, turns=9):
    took = []
    for _ in range(turns):
        begin = time.process_time()
        use()
        took.append(time.process_time() - begin)
    return min(took)


def line(what, time_taken, *others):
    compared = "".join(f"{name} {other * 1000:9.1f} ms ({time_taken / other:5.2f})   " for name, other in others)
    print(f"{what:32} {time_taken * 1000:9.1f} ms   {compared}", flush=True)


def drain(reader):
    for _ in reader:
        pass


def c_stream(library, path):
    """The stream of lam_arrow_read_file, with its defaults, in one thread."""
    stream = ctypes.create_string_buffer(40)
    status = library.lam_arrow_read_file(os.fsencode(path), None, None, stream, None)
    assert status == 0, status
    drain(pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)))


def main():
    rows = [{"id": n, "name": f"name {n % 1000}", "x": n / 7, "tags": ["a", str(n)] if n % 3 else [], "at": {"lat": n * 0.5, "lon": None}} for n in range(300_000)]
    flat = [{"id": n, "name": f"name {n % 1000}", "x": n / 7, "y": n, "ok": n % 2 == 0} for n in range(300_000)]
    library = ctypes.CDLL(os.path.abspath(sys.argv[2])) if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        for name, records in (("nested", rows), ("flat", flat)):
            path = os.path.join(folder, name + ".parquet")
            lamella.write(path, records)
            table = pa.table(lamella.read(path))
            others = [("pyarrow", best(lambda: engines.pyarrow.parquet.read_table(path, use_threads=False)))]
            if library:
                others.insert(0, ("C stream", best(lambda: c_stream(library, path))))
            line(f"{name}: whole table", best(lambda: drain(pa.RecordBatchReader.from_stream(lamella.read(path, threads=1)))), *others)
            line(f"{name}: table from a BytesIO", best(lambda: drain(pa.RecordBatchReader.from_stream(lamella.read(io.BytesIO(open(path, "rb").read()), threads=1)))))
            line(f"{name}: rows, to_pylist", best(lambda: lamella.read(path).to_pylist(), 5), ("pyarrow", best(lambda: engines.pyarrow.parquet.read_table(path).to_pylist(), 3)))
            line(f"{name}: rows, one by one", best(lambda: drain(lamella.read(path)), 5))
            line(f"{name}: rows with a condition", best(lambda: lamella.read(path, where="id >= 0").to_pylist(), 5))
            line(f"{name}: write a table", best(lambda: lamella.write(path + ".out", table), 5), ("pyarrow", best(lambda: engines.pyarrow.parquet.write_table(table, path + ".out"), 5)))
            schema = str(lamella.read(path).schema)
            line(f"{name}: write rows", best(lambda: lamella.write(path + ".out", records, schema=schema), 5),
                 ("pyarrow", best(lambda: engines.pyarrow.parquet.write_table(pa.Table.from_pylist(records, table.schema), path + ".out"), 3)))
            line(f"{name}: write rows, inferred", best(lambda: lamella.write(path + ".out", records), 3))
        schema = "message m { required int64 step; optional double loss; optional double x; optional binary tag (STRING); optional boolean ok; }"
        for name, options, given in (("dict", {}, schema), ("dict, journal", {"journal": True}, schema), ("dict, no schema", {"journal": True}, None)):
            with lamella.Logger(os.path.join(folder, "log" + name), given, **options) as log:
                record, log_it = {"step": 5, "loss": 0.25, "x": 1.5, "tag": "train", "ok": True}, log.log

                def many():
                    for _ in range(100_000):
                        log_it(record)

                print(f"log five fields, {name:16} {best(many, 7) * 10_000:9.0f} ns a row", flush=True)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    program = "import time; begin = time.process_time(); import {}; print(time.process_time() - begin)"
    for module in ("lamella", "pyarrow.parquet", "polars", "duckdb"):
        took = min(float(subprocess.run([sys.executable, "-c", program.format(module)], capture_output=True, text=True, check=True).stdout)
                   for _ in range(9))  # fmt: skip
        print(f"import {module:25} {took * 1000:9.1f} ms")


if __name__ == "__main__":
    main()
