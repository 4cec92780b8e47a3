# SPDX-License-Identifier: Apache-2.0
"""Files that pyarrow writes, with whatever options: the library gives the tables that were written, or
what pyarrow itself reads where the options lose something."""

import dataclasses

import arrow_peers as peers

import arrow_round_trip
import arrow_values
import lamella_ctypes as lamella
import random_tables

pa = peers.pa
TABLES = 500

_LEAVES = tuple(kind for kind in random_tables.Kinds.leaves if kind != "interval")
# What pyarrow can write: no intervals and run ends; no views, half floats and nulls in dictionaries;
# no nulls in required fields, whoever sees them.
KINDS = random_tables.Kinds(
    leaves=_LEAVES,
    dictionary_leaves=tuple(
        kind for kind in _LEAVES if kind not in ("string_view", "binary_view", "float16")
    ),
    nested=tuple(kind for kind in random_tables.Kinds.nested if kind != "run_end_encoded"),
    nulls_in_dictionaries=False,
    empty_fixed_size_lists=False,
    garbage=False,
)
MODEST_KINDS = dataclasses.replace(KINDS, modest=True)
# Some views below lists it cannot slice.
CANNOT_WRITE = r"Slicing not implemented for (String|Binary)View"
# Of some of its own files with small pages it misses rows.
CANNOT_READ = r"expected length \d+ but got length \d+"
# Options with which a file holds other types than the table.
OTHERS = [
    {"version": "1.0"},
    {"version": "2.4"},
    {"use_deprecated_int96_timestamps": True},
    {"coerce_timestamps": "ms", "allow_truncated_timestamps": True},
]


def random_options(source):
    """Options that keep all types, but for the columns in which decimals are stored."""
    return {
        "compression": source.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        "data_page_version": source.choice(["1.0", "2.0"]),
        "use_dictionary": source.random() < 0.7,
        "row_group_size": source.choice([None, None, 1, 7, 64]),
        "data_page_size": source.choice([None, 64, 1000]),
        "dictionary_pagesize_limit": source.choice([None, 16, 200]),
        "write_page_index": source.random() < 0.3,
        "write_page_checksum": source.random() < 0.3,
        "use_compliant_nested_type": source.random() < 0.8,
        "store_decimal_as_integer": source.random() < 0.5,
        "write_batch_size": source.choice([None, 1, 13]),
    }


def without_entry_names(description):
    """A description of a type in which the entries of maps have no name: pyarrow has that of the
    field there."""
    if isinstance(description, tuple):
        if description[:1] == ("map",):
            description = (*description[:2], ("entries", *description[2][1:]))
        return tuple(map(without_entry_names, description))
    return description


class FromPyarrow(peers.PeerTest):
    def test_random_files(self):
        self.cannot = 0
        self.each_seed(20000, TABLES, self.check)
        print(f"{self.cannot} of {TABLES} tables pyarrow cannot write or read", flush=True)
        self.assertLess(self.cannot, TABLES / 10)

    def check(self, seed):
        source = peers.source_of(seed)
        path = self.path("a.parquet")
        options = random_options(source)
        other = source.choice(OTHERS) if source.random() < 0.2 else {}
        options |= other
        # An INT96 may be a time that has no place in 64 bits of nanoseconds: pyarrow gives another then,
        # the library an error.
        int96 = "use_deprecated_int96_timestamps" in other
        table = random_tables.random_table(seed, MODEST_KINDS if int96 else KINDS)
        store_schema = source.random() < 0.7
        try:
            pa.parquet.write_table(table, path, store_schema=store_schema, **options)
        except pa.ArrowNotImplementedError as error:
            self.assertRegex(str(error), CANNOT_WRITE)
            self.cannot += 1
            return
        found = lamella.read(path, **peers.random_reader_options(source))
        found.validate(full=True)
        if not other:
            self.same_values(table, found, "the stream")
            if store_schema:
                self.same_schema(table.schema, found.schema, "the stream")
        if not store_schema:
            self.check_types(path, found.schema)
        if other and not arrow_round_trip.is_refused(table.schema):
            self.check_values(path, found)

    def check_values(self, path, found):
        """The values are those that pyarrow reads."""
        try:
            theirs = pa.parquet.ParquetFile(path).read()
        except pa.ArrowInvalid as error:
            self.assertRegex(str(error), CANNOT_READ)
            self.cannot += 1
        else:
            self.same_values(theirs, found, "the stream beside pyarrow's table")

    def check_types(self, path, found):
        """Without ARROW:schema the types are those that pyarrow finds."""
        theirs = pa.parquet.ParquetFile(path).schema_arrow
        for mine, other in zip(found, theirs, strict=True):
            mine = without_entry_names(arrow_values.describe(mine))
            other = without_entry_names(arrow_values.describe(other))
            self.assertEqual(mine, other, arrow_values.descriptions_difference(other, mine))
        self.assertEqual(found.metadata or {}, theirs.metadata or {})


if __name__ == "__main__":
    peers.main()
