# SPDX-License-Identifier: Apache-2.0
"""Extension types as pyarrow tables have them, or as metadata where it does not know them: each comes
back with its parameters, and has the logical type in Parquet that is its own."""

import json
import struct

import arrow_peers as peers

import lamella_ctypes as lamella

pa = peers.pa


def extended(name, parameters, storage, nullable=True):
    metadata = {"ARROW:extension:name": name, "ARROW:extension:metadata": parameters}
    return pa.field("x", storage, nullable, metadata)


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


NAME = "arrow.variable_shape_tensor"
BINARIES = [pa.binary(), pa.large_binary(), pa.binary_view()]
# A Variant without names, 1 and null.
PAIRS = [{"metadata": b"\1\0\0", "value": b"\x0c\1"}, {"metadata": b"\1\0\0", "value": b"\0"}, None]


def variant(metadata, *others):
    return pa.struct([pa.field("metadata", metadata, nullable=False), *others])


class Extensions(peers.PeerTest):
    def comes_back(self, field, values, logical):
        """A column is written with the logical type, and read as it was."""
        array = values if isinstance(values, pa.Array) else pa.array(values, field.type)
        table = pa.Table.from_arrays([array], schema=pa.schema([field]))
        path = self.path("x.parquet")
        lamella.write(path, table)
        with lamella.Reader(path) as reader:
            text = reader.schema_text()
            self.assertIn(f" x ({logical})", text)
            self.same_table(table, reader.table(), f"{field} {field.metadata}")
        return path

    def test_uuid(self):
        values = [b"\0\1\2\3\4\5\6\7" * 2, None]
        field = pa.field("x", pa.uuid())
        array = pa.ExtensionArray.from_storage(pa.uuid(), pa.array(values, pa.binary(16)))
        self.comes_back(field, array, "UUID")
        # Also without ARROW:schema, because Parquet knows what it is.
        table = pa.Table.from_arrays([array], schema=pa.schema([field]))
        path = self.path("bare.parquet")
        lamella.write(path, table, arrow_schema=lamella.OFF)
        self.same_table(table, lamella.read(path), "UUID without ARROW:schema")

    def test_json(self):
        for storage in [pa.string(), pa.large_string(), pa.string_view()]:
            values = pa.array(['{"a": [1]}', None, "1"], storage)
            found = pa.json_(storage)
            array = pa.ExtensionArray.from_storage(found, values)
            self.comes_back(pa.field("x", found), array, "JSON")

    def test_bool8(self):
        storage = pa.array([0, 1, -1, None], pa.int8())
        array = pa.ExtensionArray.from_storage(pa.bool8(), storage)
        self.comes_back(pa.field("x", pa.bool8()), array, "INTEGER(8,true)")

    def test_opaque(self):
        for storage, logical in [(pa.nulls(3), "UNKNOWN"), (pa.array(["a", None]), "STRING")]:
            found = pa.opaque(storage.type, "a type", "a vendor")
            array = pa.ExtensionArray.from_storage(found, storage)
            self.comes_back(pa.field("x", found), array, logical)

    def test_fixed_shape_tensor(self):
        storage = pa.array([[1, 2, 3, 4, 5, 6], None], pa.list_(pa.int16(), 6))
        for others in [
            {},
            {"dim_names": ["a", "b"]},
            {"permutation": [1, 0]},
            {"dim_names": ["a", "b"], "permutation": [1, 0]},
        ]:
            found = pa.fixed_shape_tensor(pa.int16(), [2, 3], **others)
            array = pa.ExtensionArray.from_storage(found, storage)
            with self.subTest(others):
                table = pa.table({"x": array})
                path = self.path("x.parquet")
                lamella.write(path, table)
                self.same_table(table, lamella.read(path), str(found))

    def test_variable_shape_tensor(self):
        storage = pa.struct(
            [
                pa.field("data", pa.list_(pa.float32())),
                pa.field("shape", pa.list_(pa.int32(), 2)),
            ]
        )
        values = [{"data": [1, 2, 3, 4], "shape": [2, 2]}, {"data": [5], "shape": [1, 1]}, None]
        # pyarrow does not know that no parameters at all are allowed.
        self.assertIn(" x {", lamella.parquet_schema(pa.schema([extended(NAME, "", storage)])))
        for parameters in [
            "{}",
            '{"dim_names":["H","W"]}',
            '{"permutation":[1,0]}',
            '{"uniform_shape":[null,2]}',
            '{"dim_names":["H","W"],"uniform_shape":[400,null],"permutation":[0,1]}',
        ]:
            field = extended(NAME, parameters, storage)
            with self.subTest(parameters):
                table = pa.Table.from_pylist([{"x": value} for value in values], pa.schema([field]))
                path = self.path("x.parquet")
                lamella.write(path, table)
                # Through the C interface pyarrow knows the type.
                wanted = pa.table(peers.Capsule(table))
                self.same_table(wanted, lamella.read(path), parameters)
        for parameters in [
            "[]",
            '{"dim_names":["H"]}',
            '{"dim_names":["H",1]}',
            '{"permutation":[1,1]}',
            '{"permutation":[2,0]}',
            '{"uniform_shape":[2]}',
            '{"uniform_shape":[2,"3"]}',
            '{"uniform_shape":[2,-3]}',
            '{"uniform_shape":[null,null,null]}',
        ]:
            self.refused(extended(NAME, parameters, storage), parameters)
        for wrong in [
            pa.list_(pa.float32()),
            pa.struct([pa.field("data", pa.list_(pa.float32()))]),
            pa.struct([("data", pa.float32()), ("shape", pa.list_(pa.int32(), 2))]),
            pa.struct([("data", pa.list_(pa.float32())), ("shape", pa.list_(pa.int32()))]),
            pa.struct([("data", pa.list_(pa.float32())), ("shape", pa.list_(pa.int64(), 2))]),
        ]:
            self.refused(extended(NAME, "", wrong), wrong)

    def refused(self, field, what):
        with self.subTest(f"refused: {what}"):
            with self.assertRaises(lamella.Error) as raised:
                lamella.parquet_schema(pa.schema([field]))
            self.assertEqual(raised.exception.status, "invalid")
            self.assertIn("x", raised.exception.message)

    def test_variant(self):
        for metadata in BINARIES:
            for value in BINARIES:
                storage = variant(metadata, pa.field("value", value))
                field = extended("arrow.parquet.variant", "", storage)
                path = self.comes_back(field, PAIRS, "VARIANT(1)")
                # Parquet knows it without ARROW:schema, with plain binaries.
                found = lamella.read(path, arrow_schema=lamella.OFF).schema.field("x")
                self.assertEqual(found.metadata[b"ARROW:extension:name"], b"arrow.parquet.variant")
                self.assertEqual(found.type.field("value").type, pa.binary())

    def test_variant_with_its_fields_in_another_order(self):
        storage = pa.struct(
            [pa.field("value", pa.binary()), pa.field("metadata", pa.binary(), nullable=False)]
        )
        self.comes_back(extended("arrow.parquet.variant", "", storage), PAIRS, "VARIANT(1)")

    def test_shredded_variant(self):
        element = pa.struct([pa.field("value", pa.binary()), pa.field("typed_value", pa.string())])
        for typed, value in [
            (pa.int64(), 5),
            (pa.string(), "five"),
            (pa.list_(pa.field("element", element, nullable=False)), [{"typed_value": "five"}]),
            (pa.struct([pa.field("a", element, nullable=False)]), {"a": {"typed_value": "five"}}),
        ]:
            storage = variant(
                pa.binary(), pa.field("value", pa.binary()), pa.field("typed_value", typed)
            )
            field = extended("arrow.parquet.variant", "", storage)
            values = [{"metadata": b"\1\0\0", "typed_value": value}, *PAIRS]
            self.comes_back(field, values, "VARIANT(1)")

    def test_variant_whose_metadata_is_encoded(self):
        plain = pa.array([b"\1\0\0"] * 3)
        value = pa.array([b"\x0c\1", b"\x0c\2", b"\0"])
        encoded = [
            pa.DictionaryArray.from_arrays(pa.array([0, 0, 0], pa.int8()), plain.slice(0, 1)),
            pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int16()), plain.slice(0, 1)),
        ]
        for metadata in encoded:
            storage = variant(metadata.type, pa.field("value", pa.binary()))
            array = pa.StructArray.from_arrays([metadata, value], fields=list(storage))
            field = extended("arrow.parquet.variant", "", storage)
            table = pa.Table.from_arrays([array], schema=pa.schema([field]))
            path = self.path("x.parquet")
            lamella.write(path, table)
            found = lamella.read(path)
            found.validate(full=True)
            self.same_schema(peers.read_back(table.schema), found.schema, "encoded metadata")
            self.same_values(table, found, "encoded metadata")

    def test_geometries(self):
        values = [point(1, 2), None, point(-3, 4.5)]
        projjson = {"$schema": "https://proj.org/schemas/v0.7/projjson.schema.json", "type": "X"}
        for parameters, logical in [
            # To GeoArrow no CRS is an unknown one, to Parquet it is OGC:CRS84.
            ("{}", "GEOMETRY(srid:0))"),
            ("", "GEOMETRY(srid:0))"),
            ('{"crs":"OGC:CRS84"}', "GEOMETRY)"),
            ('{"crs":"EPSG:5070","crs_type":"authority_code"}', "GEOMETRY(EPSG:5070))"),
            ('{"edges":"spherical"}', "GEOGRAPHY(srid:0,SPHERICAL))"),
            ('{"crs":"OGC:CRS84","edges":"karney"}', "GEOGRAPHY(KARNEY))"),
            (json.dumps({"crs": projjson, "crs_type": "projjson"}), "GEOMETRY("),
        ]:
            for storage in BINARIES:
                with self.subTest(parameters):
                    field = extended("geoarrow.wkb", parameters, storage)
                    table = pa.Table.from_pylist([{"x": v} for v in values], pa.schema([field]))
                    path = self.path("x.parquet")
                    lamella.write(path, table)
                    with lamella.Reader(path) as reader:
                        self.assertIn(f" x ({logical}", reader.schema_text())
                        self.same_table(table, reader.table(), parameters)

    def test_unknown_extensions_travel(self):
        for parameters in ["", "{}", "any text", "\1\2"]:
            for values in [pa.array([1, None]), pa.array(["a", "b"]), pa.array([[1], None])]:
                field = extended("org.example.anything", parameters, values.type)
                table = pa.Table.from_arrays([values], schema=pa.schema([field]))
                path = self.path("x.parquet")
                lamella.write(path, table)
                self.same_table(table, lamella.read(path), parameters)


if __name__ == "__main__":
    peers.main()
