# SPDX-License-Identifier: Apache-2.0
"""The files of parquet-testing as Arrow streams: the types and values that pyarrow finds, but for what
arrow_differences.json lists with the reason, and the records that the program prints.

An entry of the list, by the file's name below data, shredded_variant or bad_data, or a pattern:

    why         why pyarrow's answer is another
    types       columns by their names: [what pyarrow has, what the library has]; the values are
                compared all the same
    extensions  columns that the library gives an extension type: its name and parameters
    values      true when the values are not compared, or a list of rows that are not
    refused     what pyarrow says when it refuses the file
    fails       what the stream says when it fails, though records can be read
    unwritable  what writing says of the table that was read

An entry that is not needed is a failure, so that the list stays true.
"""

import fnmatch
import json
import os

import arrow_peers as peers

import arrow_values
import canonical
import engines
import lamella_ctypes as lamella
from arrow_from_pyarrow import without_entry_names

pa = peers.pa
FOLDER = os.path.join(peers.SHARED, "parquet-testing")
# The entries of the files, which say which are readable.
MANIFEST = os.path.join(os.path.dirname(canonical.__file__), "manifest.json")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def without_extension(field):
    """The field without the type that its metadata say it has, and that type's name and parameters."""
    metadata = dict(field.metadata)
    name = metadata.pop(b"ARROW:extension:name").decode()
    parameters = metadata.pop(b"ARROW:extension:metadata").decode()
    return field.with_metadata(metadata), [name, json.loads(parameters) if parameters else None]


class Conformance(peers.PeerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.path.isdir(FOLDER):
            raise peers.engines.unittest.SkipTest(f"{FOLDER} is not here")
        import conformance

        manifest = conformance.load_manifest()
        cls.entries = {
            name: conformance.entry_of(manifest, name) for name in conformance.all_files()
        }
        cls.differences = load(os.path.join(peers.HERE, "arrow_differences.json"))

    def each_readable(self, check):
        for name, entry in self.entries.items():
            if "reads" in entry and not entry.get("large"):
                with self.subTest(file=name):
                    check(os.path.join(FOLDER, name), self.difference_of(name))

    def difference_of(self, name):
        """The entry of a file, its own last."""
        merged = {}
        for key in sorted(self.differences, key=lambda key: key == name):
            if fnmatch.fnmatchcase(name, key):
                merged |= self.differences[key]
        return merged

    def test_every_entry_has_a_file(self):
        for key in self.differences:
            self.assertTrue(any(fnmatch.fnmatchcase(name, key) for name in self.entries), key)

    def test_types_are_those_of_pyarrow(self):
        self.each_readable(self.check_types)

    def check_types(self, path, entry):
        with lamella.Reader(path) as reader:
            found = reader.arrow_schema()
        try:
            theirs = pa.parquet.ParquetFile(path).schema_arrow
        except pa.ArrowException as error:
            self.assertIn("refused", entry, f"pyarrow: {error}")
            self.assertIn(entry["refused"], str(error))
            return
        self.assertEqual(found.names, theirs.names)
        # Where there is no ARROW:schema, pyarrow leaves the pairs of the file to its footer.
        pairs = pa.parquet.read_metadata(path).metadata or {}
        pairs.pop(b"ARROW:schema", None)
        self.assertEqual(found.metadata or {}, pairs)
        types, extensions = {}, {}
        for mine, other in zip(found, theirs):
            if mine.name in entry.get("extensions", {}):
                mine, extensions[mine.name] = without_extension(mine)
            if without_entry_names(arrow_values.describe(mine)) != without_entry_names(
                arrow_values.describe(other)
            ):
                types[mine.name] = [str(other.type), str(mine.type)]
        self.assertEqual(types, entry.get("types", {}), entry.get("why"))
        self.assertEqual(extensions, entry.get("extensions", {}), entry.get("why"))

    def test_values_are_those_of_pyarrow(self):
        self.each_readable(self.check_values)

    def check_values(self, path, entry):
        try:
            theirs = pa.parquet.ParquetFile(path).read()
        except pa.ArrowException as error:
            self.assertIn("refused", entry, f"pyarrow: {error}")
            self.assertIn(entry["refused"], str(error))
            return
        self.assertNotIn("refused", entry)
        if "fails" in entry:
            self.check_failure(path, entry)
            return
        found = lamella.read(path, batch_rows=1000, thread_count=2)
        found.validate(full=True)
        difference = arrow_values.tables_difference(theirs, found)
        if "values" not in entry:
            self.assertIsNone(difference)
            return
        self.assertIsNotNone(difference, "the entry of its values is not needed")
        if isinstance(entry["values"], list):
            keep = [n for n in range(found.num_rows) if n not in entry["values"]]
            self.same_values(theirs.take(keep), found.take(keep), "the other rows")

    def test_rows_are_the_records(self):
        self.each_readable(self.check_records)

    def check_failure(self, path, entry):
        with self.assertRaises(OSError) as raised:
            lamella.read(path)
        self.assertIn(entry["fails"], str(raised.exception))

    def check_records(self, path, entry):
        if "fails" in entry:
            return
        records = engines.cat(path)
        found = lamella.read(path, arrow_schema=lamella.OFF)
        found.validate(full=True)
        self.assertEqual(found.num_rows, len(records))
        for n, field in enumerate(found.schema):
            column = canonical.from_arrow(found.column(n))
            for row, (value, record) in enumerate(zip(column, records)):
                self.assertEqual(record[n][0], field.name)
                self.assertEqual(value, canonical.from_json(field.type, record[n][1]), f"row {row}")

    def test_what_is_read_can_be_written_and_read_again(self):
        self.each_readable(self.check_again)

    def check_again(self, path, entry):
        if "fails" in entry:
            return
        given = lamella.read(path)
        again = self.path("again.parquet")
        if "unwritable" in entry:
            with self.assertRaises(lamella.Error) as raised:
                lamella.write(again, given)
            self.assertIn(entry["unwritable"], raised.exception.message)
            return
        lamella.write(again, given)
        self.same_table(given, lamella.read(again), "what was read, written and read")

    def test_what_is_refused_gives_no_stream_to_its_end(self):
        refused = [name for name, entry in self.entries.items() if "refused" in entry]
        self.assertGreater(len(refused), 10)
        for name in refused:
            with self.subTest(file=name):
                with self.assertRaises((lamella.Error, OSError, pa.ArrowException)):
                    lamella.read(os.path.join(FOLDER, name), thread_count=2)


if __name__ == "__main__":
    peers.main()
