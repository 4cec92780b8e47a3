# SPDX-License-Identifier: Apache-2.0
"""Random tables in files that the library writes are read by DuckDB and Polars, and their files by it."""

import arrow_peers as peers

import arrow_values
import engines
import lamella_ctypes as lamella
import random_tables

pa = peers.pa
TABLES = 200

_ALL = random_tables.Kinds


def _without(kinds, *some):
    return tuple(kind for kind in kinds if kind not in some)


# DuckDB reads a UUID as text.
DUCKDB = _ALL(
    modest=True, extensions=_without(_ALL.extensions, "uuid"), leaves=_without(_ALL.leaves, "time64")
)
# Polars has no decimals of 256 bits, no intervals, no durations of seconds; -0 is a map's key 0.
_POLARS = {
    "modest": True,
    "leaves": _without(_ALL.leaves, "decimal256", "interval", "duration"),
    "dictionary_leaves": _without(
        *[_ALL.leaves, "decimal256", "interval", "duration", "float16", "float32", "float64"]
    ),
}
POLARS = _ALL(**_POLARS)
# Of what ARROW:schema may say it knows no views of lists and no small decimals; dictionaries of text
# become categories, which it does not always give back, and extended text it cannot write.
_LABELLED = ["decimal32", "decimal64", "string", "large_string", "string_view"]
POLARS_LABELLED = _ALL(
    **_POLARS
    | {
        "leaves": _without(_POLARS["leaves"], "decimal32", "decimal64"),
        "dictionary_leaves": _without(_POLARS["dictionary_leaves"], *_LABELLED),
        "nested": _without(_ALL.nested, "list_view", "large_list_view"),
        "extensions": ("uuid", "bool8", "fixed_shape_tensor"),
        "unknown_extensions": False,
    }
)


class Engines(peers.PeerTest):
    def same(self, wanted, found, what, unique_keys=False):
        self.assertEqual(wanted.column_names, found.column_names)
        self.assertEqual(wanted.num_rows, found.num_rows)
        for n, field in enumerate(wanted.schema):
            one, other = [
                arrow_values.engine_values(
                    table.schema.field(n).type, arrow_values.of_array(table.column(n)), unique_keys
                )
                for table in (wanted, found)
            ]
            difference = arrow_values.first_difference(one, other)
            self.assertIsNone(difference, f"{what}, column '{field.name}' of {field.type}")

    def written(self, seed, kinds, **options):
        """The table of a seed, and a file of it."""
        source = peers.source_of(seed)
        table = random_tables.random_table(seed, kinds)
        path = self.path("a.parquet")
        options |= peers.random_writer_options(source)
        peers.write(path, table, source.choice(peers.WAYS), source.choice([None, 5]), **options)
        return table, path

    def read(self, seed, path):
        """What the library reads from a file that another engine wrote."""
        found = lamella.read(path, **peers.random_reader_options(peers.source_of(seed)))
        found.validate(full=True)
        return found

    def test_duckdb(self):
        self.each_seed(30000, TABLES, self.check_duckdb)

    def check_duckdb(self, seed):
        table, path = self.written(seed, DUCKDB)
        self.same(table, engines.read_duckdb(path), "DuckDB")
        if "month_day_nano" in str(table.schema.types):
            return  # of a month and 30 days, which are equal to it, DuckDB writes any
        theirs = self.path("duckdb.parquet")
        source = peers.source_of(seed)
        codec = source.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"])
        engines.execute_duckdb(
            f"COPY (FROM {engines.quoted(path)}) TO {engines.quoted(theirs)} (FORMAT parquet,"
            f" COMPRESSION {codec}, PARQUET_VERSION {source.choice(['V1', 'V2'])})"
        )
        self.same(table, self.read(seed, theirs), "a file of DuckDB")

    def test_polars(self):
        def check(seed):
            self.check_polars(seed, *self.written(seed, POLARS, arrow_schema=lamella.OFF))

        self.each_seed(31000, TABLES, check)

    def test_polars_with_arrow_schema(self):
        def check(seed):
            self.check_polars(seed, *self.written(seed, POLARS_LABELLED))

        self.each_seed(32000, TABLES, check)

    def check_polars(self, seed, table, path):
        frame = engines.polars.read_parquet(path)
        self.same(table, frame.to_arrow(), "Polars", unique_keys=True)
        theirs = self.path("polars.parquet")
        source = peers.source_of(seed)
        frame.write_parquet(
            theirs,
            compression=source.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"]),
            row_group_size=source.choice([None, 10, 64]),
            data_page_size=source.choice([None, 100]),
        )
        self.same(table, self.read(seed, theirs), "a file of Polars", unique_keys=True)


if __name__ == "__main__":
    peers.main()
