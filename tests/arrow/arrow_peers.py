# SPDX-License-Identifier: Apache-2.0
"""What the tests against other Arrow libraries share: the library under test, seeds, comparisons.

Such a test is a Python script that takes the program and the shared library as its arguments, and is
skipped without pyarrow, DuckDB and Polars, as the tests of interoperation are.
"""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *[os.path.join(os.path.dirname(HERE), n) for n in ["interop", "conformance"]]]
import engines  # noqa: E402

import arrow_values  # noqa: E402
import lamella_ctypes as lamella  # noqa: E402
import random_tables  # noqa: E402

pa = engines.pyarrow
main = engines.main
SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get(
    "LAMELLA_SHARED_DEFAULT", os.path.join(engines.ROOT, "..", "shared")
)
lamella.load(os.path.abspath(sys.argv[2]))

# A seed that fails is told with its schema; after so many the rest is left.
FAILURES = int(os.environ.get("LAMELLA_FAILURES", "3"))
CODECS = ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"]


def random_writer_options(source):
    """Options that make small pages and row groups of small tables, and all codecs."""
    options = {
        "codec": source.choice(CODECS),
        "data_page_version": source.choice([1, 2]),
        "row_group_rows": source.choice([0, 0, 1, 7, 50, 64]),
        "page_rows": source.choice([0, 0, 1, 5]),
        "page_bytes": source.choice([0, 0, 64, 1000]),
        "dictionary_bytes": source.choice([0, 0, 16, 200]),
        "dictionary": source.random() < 0.2 and lamella.OFF,
        "page_crc": source.random() < 0.2 and lamella.OFF,
    }
    return {name: value for name, value in options.items() if value}


def random_reader_options(source):
    return {
        "batch_rows": source.choice([0, 0, 1, 7, 64]),
        "thread_count": source.choice([0, 1, 2, 4]),
    }


class Capsule:
    """An object that shows nothing but the PyCapsule protocol."""

    def __init__(self, source):
        self.source = source

    def __arrow_c_schema__(self):
        return self.source.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.source.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.source.__arrow_c_stream__(requested_schema)


WAYS = ["capsule", "capsules", "reader", "arrays", "stream"]


def write(path, table, way="capsule", most_rows=None, **options):
    """Writes a table in one of the ways that there are."""
    if way == "capsule":
        lamella.write(path, Capsule(table), **options)
    elif way == "capsules":
        batches = map(Capsule, table.to_batches(max_chunksize=most_rows))
        lamella.write_arrays(path, Capsule(table.schema), batches, **options)
    elif way == "reader":
        lamella.write(path, table.to_reader(max_chunksize=most_rows), **options)
    elif way == "arrays":
        batches = table.to_batches(max_chunksize=most_rows)
        lamella.write_arrays(path, table.schema, batches, **options)
    else:
        reader = table.to_reader(max_chunksize=most_rows)
        lamella.write_through_stream(path, reader, table.schema, **options)


def read_back(schema):
    """The schema of a written table that is read again: the same, but for run ends."""
    return arrow_values.change_schema(schema, arrow_values.plain_runs)


class PeerTest(engines.EngineTest):
    def each_seed(self, first, count, check):
        """Calls `check` with every seed; what fails is told with the seed that makes it fail."""
        failures = []
        for seed in engines.seeds(first, count):
            if "LAMELLA_VERBOSE" in os.environ:
                print("LAMELLA_SEED", seed, file=sys.stderr, flush=True)
            try:
                check(seed)
            except (AssertionError, lamella.Error, OSError, pa.ArrowException) as failure:
                failures.append(f"LAMELLA_SEED={seed}: {type(failure).__name__}: {failure}")
            if len(failures) == FAILURES:
                break
        if failures:
            self.fail(f"{len(failures)} seeds fail\n\n" + "\n\n".join(failures))

    def same_schema(self, wanted, found, what):
        difference = arrow_values.schemas_difference(wanted, found)
        self.assertIsNone(difference, f"schema of {what}")

    def same_values(self, wanted, found, what):
        difference = arrow_values.tables_difference(wanted, found)
        if difference is not None:
            self.fail(f"{what}: {difference}\n{wanted.schema}")

    def same_table(self, wanted, found, what):
        """`found` has the schema and the values of `wanted`, and is sound."""
        found.validate(full=True)
        self.same_schema(wanted.schema, found.schema, what)
        self.same_values(wanted, found, what)


def source_of(seed):
    """Choices beside those that make the table of a seed."""
    return random.Random(seed ^ 0x5EED)
