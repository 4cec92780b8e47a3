# SPDX-License-Identifier: Apache-2.0
"""Random pyarrow tables, written by the library and read again by it and by pyarrow: nothing is lost."""

import os

import arrow_peers as peers

import arrow_values
import canonical
import engines
import lamella_ctypes as lamella
import random_tables

pa = peers.pa
TABLES = 1300


def without_intervals(found):
    """pyarrow does not write intervals, and does not interpret their bytes when it reads them, so that
    their type cannot be extended."""
    if isinstance(found, pa.OpaqueType):
        storage = arrow_values.change_types(found.storage_type, without_intervals)
        return found if storage == found.storage_type else storage
    if pa.types.is_dictionary(found):
        values = without_intervals(found.value_type)
        return pa.dictionary(found.index_type, values, found.ordered)
    return pa.binary(12) if pa.types.is_interval(found) else found


def pyarrow_schema(schema):
    """The schema with which pyarrow reads a table of `schema` from a file of its own."""
    source = peers.random.Random(0)
    schema = arrow_values.change_schema(schema, without_intervals)
    empty = random_tables.table_of(source, schema, 0, random_tables.Kinds(garbage=False))
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(empty, sink)
    return pa.parquet.ParquetFile(pa.BufferReader(sink.getvalue())).schema_arrow


def inner_types(found):
    """The types in a type, itself not counted."""
    storage = arrow_values.storage(found)
    if storage is not found:
        return inner_types(storage)
    children = [found.field(n).type for n in range(found.num_fields)]
    return [*children, *[inner for child in children for inner in inner_types(child)]]


def is_refused(schema):
    """Whether pyarrow may refuse to read arrays of the types, though it knows the types: dictionaries
    in nested types, of which it wants one row group, and lists of fixed size, where a null would
    need elements."""
    return any(
        pa.types.is_fixed_size_list(arrow_values.storage(field.type))
        or any(
            pa.types.is_dictionary(arrow_values.storage(inner))
            or pa.types.is_fixed_size_list(arrow_values.storage(inner))
            for inner in inner_types(field.type)
        )
        for field in schema
    )


def depth(found):
    """How many types stand inside each other."""
    storage = arrow_values.storage(found)
    children = [storage.field(n).type for n in range(storage.num_fields)]
    return 1 + max(map(depth, children), default=0)


def kind(found):
    """The name of a type without its arguments."""
    found = "dictionary" if pa.types.is_dictionary(found) else str(found)
    return found.split("<")[0].split("[")[0].split("(")[0]


class RoundTrip(peers.PeerTest):
    def test_random_tables_come_back(self):
        self.kinds, self.depth, self.rows = set(), 0, 0
        self.each_seed(10000, TABLES, self.check)
        if "LAMELLA_SEED" not in os.environ:
            # Nothing is left out by chance.
            self.assertEqual(len(self.kinds), 41, sorted(self.kinds))
            self.assertGreaterEqual(self.depth, 6)
            self.assertGreater(self.rows, 50 * TABLES)

    def count(self, table):
        for field in table.schema:
            inner = [field.type, *inner_types(field.type)]
            self.kinds.update(map(kind, inner))
            self.depth = max(self.depth, depth(field.type))
        self.rows += table.num_rows

    def check(self, seed):
        source = peers.source_of(seed)
        table = random_tables.random_table(seed)
        self.count(table)
        path = self.path("a.parquet")
        way, most_rows = source.choice(peers.WAYS), source.choice([None, 1, 10])
        options = peers.random_writer_options(source)
        peers.write(path, table, way, most_rows, **options)
        wanted = peers.read_back(table.schema)
        with lamella.Reader(path) as reader:
            self.same_schema(wanted, reader.arrow_schema(), "the file")
            found = reader.table(**peers.random_reader_options(source))
        found.validate(full=True)
        self.same_schema(wanted, found.schema, "the stream")
        self.same_values(table, found, "the stream")
        self.same_schema(pyarrow_schema(wanted), pa.parquet.ParquetFile(path).schema_arrow, "the file to pyarrow")
        if is_refused(wanted):
            peers.write(path, table, way, most_rows, arrow_schema=lamella.OFF, **options)
        self.check_pyarrow(path, table)
        if seed % 4 == 0:
            self.check_records(path)

    def check_pyarrow(self, path, table):
        found = engines.read_pyarrow(path)
        found.validate(full=True)
        self.assertEqual(found.num_columns, table.num_columns)
        for mine, theirs, field in zip(table.columns, found.columns, table.schema):
            difference = arrow_values.first_difference(
                arrow_values.stored_values(field.type, arrow_values.of_array(mine)),
                arrow_values.of_array(theirs),
            )
            self.assertIsNone(difference, f"column '{field.name}' of {field.type} to pyarrow")

    def check_records(self, path):
        """The records that the program prints are the rows of the arrays."""
        records = engines.cat(path)
        found = lamella.read(path, arrow_schema=lamella.OFF)
        self.assertEqual(len(records), found.num_rows)
        for n, field in enumerate(found.schema):
            column = canonical.from_arrow(found.column(n))
            for row, (value, record) in enumerate(zip(column, records)):
                name, item = record[n]
                self.assertEqual(name, field.name)
                self.assertEqual(canonical.from_json(field.type, item), value, f"row {row}, {name}")


if __name__ == "__main__":
    peers.main()
