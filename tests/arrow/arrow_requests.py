# SPDX-License-Identifier: Apache-2.0
"""Streams that are asked for a schema give what pyarrow makes of the same rows by a cast: files of
parquet-testing, random tables, and the protocol of capsules."""

import os

import arrow_peers as peers

import arrow_values
import conformance
import lamella_ctypes as lamella
import random_tables

pa = peers.pa
types = pa.types
FOLDER = os.path.join(peers.SHARED, "parquet-testing")
TABLES = 200
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
ZONES = ["UTC", "Europe/Paris", "+05:30"]
WIDTHS = {pa.decimal32: 9, pa.decimal64: 18, pa.decimal128: 38, pa.decimal256: 76}


def asked_leaf(source, found):
    """Another type that holds all values of a type."""
    if found in TEXTS:
        return source.choice(TEXTS + BYTES)
    if found in BYTES:
        return source.choice(BYTES)
    if types.is_timestamp(found) and found.tz is not None:
        return pa.timestamp(found.unit, source.choice(ZONES))
    if types.is_date(found):
        return source.choice([pa.date32(), pa.date64()])
    if found == pa.int64():
        return pa.duration(source.choice(["s", "ms", "us", "ns"]))
    if types.is_duration(found):
        return pa.int64()
    if types.is_decimal(found):
        make, most = source.choice([w for w in WIDTHS.items() if w[1] >= found.precision])
        return make(source.randint(found.precision, most), found.scale)
    return found


def asked_type(source, found):
    if isinstance(found, pa.BaseExtensionType):
        return source.choice([found, found.storage_type])
    if types.is_dictionary(found):
        return asked_type(source, found.value_type)
    if types.is_list(found) or types.is_large_list(found):
        return source.choice([pa.list_, pa.large_list])(found.value_field)
    if found.num_fields > 0:
        return found
    found = asked_leaf(source, found)
    return pa.dictionary(pa.int32(), found) if source.random() < 0.3 else found


def can_cast(column, wanted):
    """pyarrow has no casts to some of the types, and wrong ones from dictionaries of views."""
    try:
        column.cast(wanted).validate(full=True)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        return False
    return True


def asked_field(source, field, column):
    """The field as another type, without an extension type that pyarrow does not know: its storage is
    what is asked for."""
    field = field.remove_metadata()
    wanted = arrow_values.change_types(field.type, lambda found: asked_type(source, found))
    return field.with_type(wanted) if can_cast(column, wanted) else field


class Requests(peers.PeerTest):
    changed = 0

    def check(self, source, path, own):
        """Asks for random types of the columns, in any order, which must be those of a cast."""
        wanted = pa.schema([asked_field(source, field, own.column(n)) for n, field in enumerate(own.schema)])
        self.changed += sum(one.type != other.type for one, other in zip(own.schema, wanted))
        asked = pa.schema(source.sample(list(wanted), len(wanted)))
        found = lamella.read(path, requested=asked, batch_rows=source.choice([0, 100]))
        found.validate(full=True)
        self.assertEqual(found.schema.metadata, own.schema.metadata)
        for one, other in zip(wanted, found.schema):
            self.assertEqual(arrow_values.describe_type(one.type), arrow_values.describe_type(other.type))
            self.assertEqual((one.name, one.nullable), (other.name, other.nullable))
        for n, (field, column) in enumerate(zip(wanted, own.columns)):
            cast = column if field.type == column.type else column.cast(field.type)
            self.same_values(pa.table([cast], [field.name]), found.select([n]), "a cast")

    def test_files_of_others(self):
        if not os.path.isdir(FOLDER):
            self.skipTest(f"{FOLDER} is not here")
        manifest = conformance.load_manifest()
        for name in conformance.all_files():
            entry = conformance.entry_of(manifest, name)
            if "reads" not in entry or entry.get("large"):
                continue
            path = os.path.join(FOLDER, name)
            with self.subTest(file=name):
                try:
                    own = lamella.read(path)
                except (OSError, lamella.Error):
                    continue  # a value that no Arrow type holds (arrow_conformance.py)
                if len(set(own.column_names)) < own.num_columns:
                    continue
                for seed in range(3):
                    self.check(peers.random.Random(f"{name} {seed}"), path, own)
        self.assertGreater(self.changed, 500)

    def test_random_tables(self):
        # Casts of pyarrow change lists of nulls.
        leaves = tuple(kind for kind in random_tables.Kinds.leaves if kind != "null")
        kinds = random_tables.Kinds(
            leaves, nulls_in_dictionaries=False, unknown_extensions=False
        )

        def check(seed):
            source = peers.source_of(seed)
            path = self.path("a.parquet")
            peers.write(path, random_tables.random_table(seed, kinds), codec="uncompressed")
            self.check(source, path, lamella.read(path))

        self.each_seed(70000, TABLES, check)
        self.assertGreater(self.changed, TABLES)

    def test_no_dictionaries(self):
        kinds = random_tables.Kinds(
            nested=tuple(kind for kind in random_tables.Kinds.nested if kind != "extension")
        )

        def check(seed):
            path = self.path("a.parquet")
            peers.write(path, random_tables.random_table(seed, kinds), codec="uncompressed")
            own, found = lamella.read(path), lamella.read(path, dictionaries=lamella.OFF)
            wanted = arrow_values.change_schema(
                own.schema, lambda found: found.value_type if types.is_dictionary(found) else found
            )
            found.validate(full=True)
            self.same_schema(wanted, found.schema, "plain columns")
            self.same_values(own, found, "plain columns")

        self.each_seed(71000, TABLES, check)

    def test_consumers_ask_by_the_protocol(self):
        path = self.path("asked.parquet")
        table = pa.table({"a": pa.array(["x", None, "x"]).dictionary_encode(), "b": [1, None, 3]})
        lamella.write(path, table)
        wanted = pa.schema([("a", pa.string_view()), ("b", pa.duration("s"))])

        class Asked:
            def __arrow_c_stream__(self, requested_schema=None):
                self.stream = lamella.open_stream(path, requested=requested_schema)
                return self.stream.__arrow_c_stream__()

        reader = pa.RecordBatchReader.from_stream(Asked(), schema=wanted)
        self.assertEqual(reader.schema, wanted)
        self.assertEqual(reader.read_all().column("a").to_pylist(), ["x", None, "x"])
        self.assertEqual(pa.RecordBatchReader.from_stream(Asked()).schema, table.schema)


if __name__ == "__main__":
    peers.main()
