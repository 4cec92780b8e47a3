# SPDX-License-Identifier: Apache-2.0
"""However a file is read or its table was cut, the rows are the same: batches, threads, executors,
projections, row groups, skipped rows, dictionaries, and the order in which things are released."""

import ctypes
import os
import threading

import arrow_peers as peers

import arrow_values
import lamella_ctypes as lamella
import random_tables

pa = peers.pa
types = pa.types
TABLES = 150
# What pyarrow can combine: no dictionaries with nulls; those of half floats come out wrong.
COMBINED = random_tables.Kinds(
    nulls_in_dictionaries=False,
    dictionary_leaves=tuple(kind for kind in random_tables.Kinds.leaves if kind != "float16"),
)


# --- Projections -----------------------------------------------------------------------------------


class Pruned:
    """What is left of a type when some leaves are projected: the type, and its values' way there.

    `exact` is false where the type depends on more than the fields that are left: a map without its
    values is a list, and an extension type without all of its storage is not that type.
    """

    def __init__(self, found, values, exact=True):
        self.type, self.values, self.exact = found, values, exact


def _same(values):
    return values


def prune(found, marks):
    """`marks` is an iterator of bools, one for each leaf; None when none below `found` is projected."""
    if isinstance(found, pa.BaseExtensionType):
        return _prune_extension(found, marks)
    if types.is_struct(found):
        return _prune_struct(found, marks)
    if types.is_map(found):
        return _prune_map(found, marks)
    if arrow_values.is_list(found):
        return _prune_list(found, marks)
    if types.is_run_end_encoded(found):
        return prune(found.value_type, marks)
    return Pruned(found, _same) if next(marks) else None


def _field(field, child):
    """The field of a pruned type, which is no longer what extends the whole one."""
    metadata = dict(field.metadata or {})
    if child.type != field.type:
        metadata.pop(b"ARROW:extension:name", None)
        metadata.pop(b"ARROW:extension:metadata", None)
    return field.with_type(child.type).with_metadata(metadata)


def _prune_extension(found, marks):
    marks = [next(marks) for _ in range(leaf_count(found))]
    inner = prune(found.storage_type, iter(marks))
    if inner is None or all(marks):
        return inner and Pruned(found, _same)
    return Pruned(found, inner.values, False)


def _prune_struct(found, marks):
    children = [(n, field, prune(field.type, marks)) for n, field in enumerate(found)]
    children = [(n, field, child) for n, field, child in children if child is not None]
    if not children:
        return None

    def values(rows):
        columns = [child.values([row and row[n] for row in rows]) for n, _, child in children]
        return [row and tuple(parts) for row, parts in zip(rows, zip(*columns))]

    fields = [_field(field, child) for _, field, child in children]
    return Pruned(pa.struct(fields), values, all(child.exact for _, _, child in children))


def _prune_map(found, marks):
    entries = prune(found.field(0).type, marks)
    if entries is None:
        return None
    values = lambda rows: [row and entries.values(row) for row in rows]  # noqa: E731
    if entries.type.num_fields < 2:
        return Pruned(found, values, False)
    key, item = entries.type
    made = pa.map_(key, item, keys_sorted=found.keys_sorted)
    return Pruned(made, values, entries.exact)


def _prune_list(found, marks):
    element = prune(found.value_type, marks)
    if element is None:
        return None
    field = _field(found.value_field, element)
    if types.is_fixed_size_list(found):
        made = pa.list_(field, found.list_size)
    else:
        name = str(found).split("<", maxsplit=1)[0]
        made = {
            "list": pa.list_,
            "large_list": pa.large_list,
            "list_view": pa.list_view,
            "large_list_view": pa.large_list_view,
        }[name](field)
    values = lambda rows: [row and element.values(row) for row in rows]  # noqa: E731
    return Pruned(made, values, element.exact)


def leaf_count(found):
    found = arrow_values.storage(found)
    if types.is_dictionary(found) or types.is_run_end_encoded(found) or found.num_fields == 0:
        return 1
    return sum(leaf_count(found.field(n).type) for n in range(found.num_fields))


def large_table(rows):
    """Columns whose pages, windows and batches end in different places."""
    source = peers.random.Random(7)
    number = lambda: source.choice([None, source.randrange(10**6)])  # noqa: E731
    words = [f"word {n}" for n in range(300)]
    texts = [source.choice(words) for _ in range(rows)]
    entry = pa.struct([pa.field("a", pa.string_view()), pa.field("b", pa.int16(), nullable=False)])
    lists = [
        source.choice([None, [], [{"a": text, "b": 1}, None, {"a": None, "b": n % 100}] * (n % 4)])
        for n, text in enumerate(texts)
    ]
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "number": pa.array([number() for _ in range(rows)], pa.decimal128(9, 2)),
            "text": pa.array(texts).dictionary_encode(),
            "unique": pa.array([f"{text} {n}" for n, text in enumerate(texts)], pa.large_string()),
            "lists": pa.array(lists, pa.large_list(entry)),
            "bits": pa.array([n % 7 < 3 for n in range(rows)]),
            "fixed": pa.array(
                [None if n % 11 == 3 else [n, None] for n in range(rows)], pa.list_(pa.float64(), 2)
            ),
        }
    )


class Options(peers.PeerTest):
    def written(self, seed, **options):
        """The table of a seed and a file of it with several row groups of several pages."""
        source = peers.source_of(seed)
        table = random_tables.random_table(seed)
        path = self.path("a.parquet")
        options = {
            "row_group_rows": source.choice([7, 20, 64, 0]),
            "page_rows": source.choice([1, 5, 16, 0]),
            "codec": "uncompressed",
            "data_page_version": source.choice([1, 2]),
        } | options
        peers.write(path, table, **options)
        return source, table, path, lamella.read(path)

    # --- Reading -----------------------------------------------------------------------------------

    def test_batches_and_threads_never_change_rows(self):
        workers = lamella.Workers(3)

        def check(seed):
            source, _, path, wanted = self.written(seed)
            with lamella.Reader(path) as reader:
                for rows in [1, 3, 17, source.randint(1, 400)]:
                    sizes = None
                    for options in [
                        {"thread_count": 1},
                        {"thread_count": 2},
                        {"thread_count": 4},
                        {"executor": workers},
                    ]:
                        found = reader.table(batch_rows=rows, **options)
                        what = f"batches of {rows} rows, {options}"
                        self.same_table(wanted, found, what)
                        batches = [batch.num_rows for batch in found.to_batches()]
                        self.assertLessEqual(max(batches, default=0), rows)
                        self.assertIn(sizes, (None, batches), what)
                        sizes = batches

        self.each_seed(40000, TABLES, check)
        self.assertGreater(workers.calls, 0)

    def test_large_tables(self):
        """More rows than go through at a time, in writing and in reading."""
        table = large_table(150000)
        files = set()
        path = self.path("large.parquet")
        for way, rows in [("capsule", None), ("arrays", 999), ("reader", 65536)]:
            peers.write(path, table, way, rows, row_group_rows=110000, codec="snappy")
            with open(path, "rb") as file:
                files.add(file.read())
        self.assertEqual(len(files), 1)
        for options in [
            {},
            {"batch_rows": 1000, "thread_count": 2},
            {"batch_rows": 20001, "thread_count": 4},
            {"batch_rows": 1 << 40},
        ]:
            found = lamella.read(path, **options)
            found.validate(full=True)
            for name in table.column_names:
                # Dictionaries differ, their values do not.
                one, other = [
                    pa.concat_arrays([chunk.dictionary_decode() for chunk in given[name].chunks])
                    if pa.types.is_dictionary(given[name].type)
                    else given[name].combine_chunks()
                    for given in (table, found)
                ]
                self.assertTrue(one.equals(other), f"{name}, {options}")
        with lamella.Reader(path) as reader:
            found = reader.table(columns=["unique", "lists"], skip_rows=109000, max_rows=21000)
        self.assertTrue(found.equals(table.select(["unique", "lists"]).slice(109000, 21000)))

    def test_batches_end_with_row_groups(self):
        source, _, path, wanted = self.written(40001, row_group_rows=7)
        batches = [batch.num_rows for batch in lamella.open_stream(path, batch_rows=5).reader()]
        groups = [min(7, wanted.num_rows - begin) for begin in range(0, wanted.num_rows, 7)]
        cut = [size for rows in groups for size in [*[5] * (rows // 5), rows % 5] if size]
        self.assertEqual(batches, cut)

    def test_projections(self):
        def check(seed):
            source, table, path, wanted = self.written(seed)
            count = sum(leaf_count(field.type) for field in table.schema)
            for _ in range(4):
                marks = [source.random() < 0.5 for _ in range(count)]
                leaves = (ctypes.c_bool * count)(*marks)
                with lamella.Reader(path) as reader:
                    self.assertEqual(reader.leaf_count, count)
                    found = reader.table(leaves=leaves, batch_rows=source.choice([0, 7]))
                self.check_projection(wanted, found, iter(marks), marks)

        self.each_seed(41000, TABLES, check)

    def test_files_are_read_by_columns_and_conditions(self):
        """Without a schema at hand: the library finds the columns and reads the condition."""
        table = pa.table(
            {
                "id": pa.array(range(3000)),
                "word": pa.array([f"w{n % 7}" if n % 5 else None for n in range(3000)]),
                "items": pa.array([list(range(n % 4)) for n in range(3000)]),
            }
        )
        path = self.path("chosen.parquet")
        lamella.write(path, table, row_group_rows=1000, codec="zstd")
        report = lamella.ScanReport()
        found = lamella.read(
            path, columns=["items", "word"], where="id >= 1500 and word = 'w3'", report=report
        )
        wanted = [n for n in range(1500, 3000) if n % 5 and n % 7 == 3]
        self.assertTrue(found.equals(table.select(["word", "items"]).take(wanted)))
        self.assertEqual(report.rows_wanted, len(wanted))
        self.assertEqual(report.row_groups_by_statistics, 1)
        self.assertEqual(lamella.read(path, columns=[]).num_rows, 3000)
        for options, words in [
            ({"where": "id >= "}, "character 7"),
            ({"where": "nobody = 1"}, "nobody"),
            ({"columns": ["id", "nobody"]}, "nobody"),
        ]:
            with self.assertRaisesRegex(lamella.Error, words):
                lamella.read(path, **options)

    def check_projection(self, wanted, found, marks, what):
        found.validate(full=True)
        left = [(field, n, prune(field.type, marks)) for n, field in enumerate(wanted.schema)]
        left = [(field, n, pruned) for field, n, pruned in left if pruned is not None]
        self.assertEqual(found.column_names, [field.name for field, _, _ in left])
        for place, (field, n, pruned) in enumerate(left):
            values = pruned.values(arrow_values.of_array(wanted.column(n)))
            difference = arrow_values.first_difference(
                values, arrow_values.of_array(found.column(place))
            )
            self.assertIsNone(difference, f"column '{field.name}' of {field.type}, {what}")
            if pruned.exact:
                self.assertEqual(
                    arrow_values.describe(found.schema.field(place)),
                    arrow_values.describe(_field(field, pruned)),
                )

    def test_paths_of_columns(self):
        def check(seed):
            source, _, path, wanted = self.written(seed)
            names = source.sample(wanted.column_names, source.randint(0, wanted.num_columns))
            names = [name for name in names if name]
            with lamella.Reader(path) as reader:
                found = reader.table(columns=names)
            keep = [name for name in wanted.column_names if name in names]
            self.same_table(wanted.select(keep), found, f"columns {names}")

        self.each_seed(42000, TABLES // 3, check)

    def test_row_groups_and_skipped_rows(self):
        def check(seed):
            source, _, path, wanted = self.written(seed)
            with lamella.Reader(path) as reader:
                groups = reader.row_group_count
                sizes = pa.parquet.ParquetFile(path).metadata
                sizes = [sizes.row_group(n).num_rows for n in range(groups)]
                begins = [sum(sizes[:n]) for n in range(groups)]
                for _ in range(6):
                    some = [source.randrange(groups) for _ in range(source.randint(0, 3) if groups else 0)]
                    some = source.choice([None, list(dict.fromkeys(some))])
                    skip, most = source.choice([0, 1, 9, 1000]), source.choice([0, 1, 9, 1000])
                    options = {"skip_rows": skip, "max_rows": most, "row_groups": some}
                    options["batch_rows"] = source.choice([0, 1, 5])
                    options["thread_count"] = source.choice([1, 2])
                    chosen = range(groups) if some is None else some
                    parts = [wanted.slice(begins[n], sizes[n]) for n in chosen]
                    rest = pa.concat_tables(parts) if parts else wanted.slice(0, 0)
                    rest = rest.slice(skip, most or None)
                    self.same_table(rest, reader.table(**options), str(options))

        self.each_seed(43000, TABLES, check)

    def test_dictionaries_by_request(self):
        """Columns of strings and the like come as dictionaries of the same values."""

        def check(seed):
            _, table, path, wanted = self.written(seed)
            is_plain = lambda found: (  # noqa: E731
                arrow_values.is_text(found) or arrow_values.is_bytes(found)
            )
            names = [f.name for f in wanted.schema if f.name and is_plain(f.type)]
            with lamella.Reader(path) as reader:
                found = reader.table(dictionary_columns=names, batch_rows=11)
            found.validate(full=True)
            for name in names:
                self.assertTrue(types.is_dictionary(found.schema.field(name).type), name)
            self.same_values(wanted, found, f"dictionaries of {names}")

        self.each_seed(44000, TABLES, check)

    # --- Writing -----------------------------------------------------------------------------------

    def test_cuts_never_change_the_file(self):
        def check(seed):
            source = peers.source_of(seed)
            table = random_tables.random_table(seed, COMBINED)
            options = peers.random_writer_options(source)
            whole = table.combine_chunks()
            files = set()
            for given, way, rows in [
                (table, "capsule", None),
                (table, "arrays", 1),
                (table, "reader", 3),
                (whole, "stream", 17),
                (whole, "arrays", None),
            ]:
                path = self.path("cut.parquet")
                peers.write(path, given, way, rows, **options)
                with open(path, "rb") as file:
                    files.add(file.read())
            self.assertEqual(len(files), 1, f"{len(files)} files of one table: {table.schema}")

        self.each_seed(45000, TABLES, check)

    def test_no_columns(self):
        for rows in [0, 1, 100000]:
            path = self.path("none.parquet")
            batch = pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
            lamella.write_arrays(path, pa.schema([]), [batch, batch])
            found = [batch.num_rows for batch in lamella.open_stream(path).reader()]
            self.assertEqual(sum(found), 2 * rows)
            self.assertEqual(pa.parquet.ParquetFile(path).metadata.num_rows, 2 * rows)

    def test_a_stream_that_fails_leaves_no_file(self):
        def batches():
            yield pa.record_batch({"a": [1, 2]})
            raise ValueError("the source ran dry")

        path = self.path("failed.parquet")
        reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
        with self.assertRaisesRegex(lamella.Error, "io: .*the source ran dry"):
            lamella.write(path, reader)
        self.assertFalse(os.path.exists(path))

    # --- Ownership ---------------------------------------------------------------------------------

    def test_arrays_outlive_their_stream_and_reader(self):
        def check(seed):
            _, _, path, wanted = self.written(seed)
            reader = lamella.Reader(path)
            stream = reader.stream(batch_rows=9, thread_count=2)
            given = stream.get_schema()
            schema = pa.Schema._import_from_c(ctypes.addressof(given))
            batches = []
            while True:
                array = stream.get_next()
                if not array.release:
                    break
                batches.append(pa.RecordBatch._import_from_c(ctypes.addressof(array), schema))
            stream.release()
            reader.close()
            os.unlink(path)
            self.same_table(wanted, pa.Table.from_batches(batches, schema), "arrays alone")
            # In another thread, and the first before the last.
            releasing = threading.Thread(target=lambda: [batches.pop(0) for _ in range(len(batches))])
            releasing.start()
            releasing.join()

        self.each_seed(46000, TABLES // 3, check)

    def test_children_move_out_of_their_parents(self):
        def check(seed):
            _, _, path, wanted = self.written(seed)
            stream = lamella.open_stream(path, batch_rows=50)
            given = stream.get_schema()
            schema = pa.Schema._import_from_c(ctypes.addressof(given))
            columns = [[] for _ in schema]
            while True:
                array = stream.get_next()
                if not array.release:
                    break
                moved = []
                for n in range(array.n_children):
                    child = array.children[n].contents
                    copy = lamella.ArrowArray.from_buffer_copy(child)
                    child.release = lamella.ReleaseArray(0)
                    moved.append(copy)
                array.release(ctypes.byref(array))
                for n, copy in enumerate(moved):
                    found = schema.field(n).type
                    columns[n].append(pa.Array._import_from_c(ctypes.addressof(copy), found))
            columns = [
                pa.chunked_array(chunks, field.type) for chunks, field in zip(columns, schema)
            ]
            self.same_table(wanted, pa.Table.from_arrays(columns, schema=schema), "moved children")

        self.each_seed(47000, TABLES // 3, check)

    def test_streams_are_released_early(self):
        for seed in range(48000, 48010):
            _, _, path, wanted = self.written(seed)
            for count in range(3):
                stream = lamella.open_stream(path, batch_rows=2, thread_count=count)
                kept = [stream.get_next() for _ in range(count)]
                stream.release()
                self.assertFalse(stream.struct.release)
                for array in kept:
                    if array.release:
                        array.release(ctypes.byref(array))
                        self.assertFalse(array.release)
            self.same_table(wanted, lamella.read(path), "another stream")

    def test_streams_of_one_reader_in_parallel(self):
        _, _, path, wanted = self.written(40002)
        found = {}

        def read(name):
            found[name] = reader.table(batch_rows=name + 1, thread_count=name % 3)

        with lamella.Reader(path) as reader:
            threads = [threading.Thread(target=read, args=(name,)) for name in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for name in range(8):
            self.same_table(wanted, found[name], f"thread {name}")

    def test_a_stream_in_a_capsule(self):
        for seed in range(48100, 48120):
            _, _, path, wanted = self.written(seed)
            reader = pa.RecordBatchReader.from_stream(lamella.open_stream(path, batch_rows=20))
            self.same_table(wanted, reader.read_all(), "a capsule")
            self.same_table(wanted, pa.table(lamella.open_stream(path)), "another")

    def test_schemas_and_arrays_in_capsules(self):
        for seed in range(48200, 48220):
            _, _, path, wanted = self.written(seed)
            stream = lamella.open_stream(path, batch_rows=20)
            given = lamella.Batch(stream.get_schema(), None)
            self.same_schema(wanted.schema, pa.schema(given), "a capsule")
            self.assertFalse(given.schema.release)
            batches = []
            while True:
                batch = lamella.Batch(stream.get_schema(), stream.get_next())
                if not batch.array.release:
                    break
                batches.append(pa.record_batch(batch))
                self.assertFalse(batch.array.release)
                self.assertFalse(batch.schema.release)
            stream.release()
            self.same_table(wanted, pa.Table.from_batches(batches, wanted.schema), "capsules")

    def test_capsules_go_to_engines(self):
        path = self.path("capsule.parquet")
        table = pa.table({"a": [1, None, 3], "b": [["x"], [], None], "c": ["u", "v", "w"]})
        lamella.write(path, peers.Capsule(table))
        frame = peers.engines.polars.DataFrame(lamella.open_stream(path))
        self.assertEqual(frame.to_dict(as_series=False), table.to_pydict())
        # DuckDB finds the object by its name.
        stream = lamella.open_stream(path, thread_count=2)  # noqa: F841
        found = peers.engines.duckdb.sql("SELECT * FROM stream").fetchall()
        self.assertEqual(found, [tuple(row.values()) for row in table.to_pylist()])

    def test_a_stream_gives_its_end_again_and_again(self):
        _, _, path, _ = self.written(40003)
        stream = lamella.open_stream(path)
        while stream.get_next().release:
            pass
        for _ in range(3):
            self.assertFalse(stream.get_next().release)

    def test_a_stream_that_failed_goes_on_failing(self):
        path = self.path("damaged.parquet")
        table = pa.table({"a": pa.array(range(1000), pa.int64())})
        peers.write(path, table, codec="zstd", row_group_rows=100)
        with open(path, "r+b") as file:
            file.seek(pa.parquet.ParquetFile(path).metadata.row_group(3).column(0).data_page_offset)
            file.write(b"\xff" * 8)
        for threads in [1, 3]:
            stream = lamella.open_stream(path, thread_count=threads)
            for _ in range(3):
                array = stream.get_next()
                self.assertEqual(array.length, 100)
                array.release(ctypes.byref(array))
            messages = set()
            for _ in range(3):
                with self.assertRaises(OSError) as raised:
                    stream.get_next()
                messages.add(str(raised.exception))
            self.assertEqual(len(messages), 1, messages)


if __name__ == "__main__":
    peers.main()
