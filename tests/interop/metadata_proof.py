# SPDX-License-Identifier: Apache-2.0
"""All that Lamella says of a file, against the rows: random tables of every type and nesting. What the
engines show of it they show alike, and of files that they write Lamella tells what they tell.
"""

import datetime
import itertools
import json
import math
import os
import random

import engines
import naive_metadata as naive
import table
from table import Field, Leaf, List, Struct

pa, pq = engines.pyarrow, engines.pyarrow.parquet
TABLES = int(os.environ.get("LAMELLA_TABLES", "45"))
KINDS = list(table.KINDS)


def random_schema(source, number):
    """A field of each of some kinds, and nested ones; over the tables every kind comes often."""
    kinds = [KINDS[(3 * number + step) % len(KINDS)] for step in range(3)]
    fields = [Field(f"c{place}", Leaf(kind), kind != "unknown" and source.random() < 0.3) for place, kind in enumerate(kinds)]
    fields += [table.random_field(source, f"n{place}", kinds, 4) for place in range(2)]
    return Struct(fields)


def decode(text):
    """JSON with reals as texts, which keep all of a decimal."""
    return json.loads(text, parse_float=engines.Number)


def box_of(stated):
    box = stated["geospatial"]["box"]
    return box and {axis: [float(end) for end in ends] for axis, ends in box.items()}


def like_plain(kind, value):
    """A bound as pyarrow gives it, as a value of table.py."""
    if isinstance(value, datetime.datetime):
        whole = value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
        return (whole.days * 86400 * 10**6 + whole.seconds * 10**6 + whole.microseconds) * 1000
    if isinstance(value, datetime.date):
        return value.toordinal() - table.EPOCH
    return value.decode() if kind == "string" and isinstance(value, bytes) else value


class Pool:
    """Random values of which some come again, so that dictionaries pay."""

    def __init__(self, source, distinct):
        self.source, self.distinct, self.values = source, distinct, {}

    def __call__(self, kind, make):
        pool = self.values.setdefault(kind, [])
        if len(pool) < self.distinct:
            pool.append(make(self.source))
        return self.source.choice(pool) if self.source.random() < 0.9 else make(self.source)


def random_rows(schema, source, count):
    pool = Pool(source, source.choice([1, 3, 30, 10**6]))

    def value(type):
        if isinstance(type, Leaf):
            return pool(type.kind, table.KINDS[type.kind].random)
        if isinstance(type, Struct):
            return {field.name: maybe(field) for field in type.fields}
        if isinstance(type, List):
            return [maybe(type.element) for _ in range(source.choice([0, 0, 1, 1, 2, 3, 5]))]
        keys = {value(type.key.type) for _ in range(source.choice([0, 0, 1, 1, 2, 3]))}
        return [(key, maybe(type.value)) for key in sorted(keys)]

    def maybe(field):
        return None if not field.required and source.random() < nulls else value(field.type)

    nulls = source.choice([0, 0.1, 0.25, 0.95])
    return [value(schema) for _ in range(count)]


class Written(engines.EngineTest):
    """One file at a time: `stated` is what meta and pages say, `columns` the rows shredded."""

    def write(self, source, schema, rows):
        self.total = source.random() < 0.3
        self.int96 = source.random() < 0.5
        self.file = self.path("a.parquet")
        self.group_rows = source.choice([7, 100, 1000])
        options = ["--row-group-rows", str(self.group_rows), "--page-size", str(source.choice([40, 300, 5000]))]
        options += ["--data-page-version", str(source.choice([1, 2])), "--codec", source.choice(["none", "zstd", "snappy"])]
        options += ["--compat", source.choice(["max", "modern", "newest"])]
        options += ["--no-dictionary"] if source.random() < 0.2 else ["--dictionary-size", source.choice(["100", "1M"])]
        options += ["--float-total-order"] * self.total + ["--int96-order"] * self.int96
        self.blooms = {column.path for column in naive.columns_of(schema) if column.kind != "boolean" and source.random() < 0.5}
        for path in sorted(self.blooms):
            options += ["--bloom", path]
        text = "".join(schema.to_text(row) + "\n" for row in rows).encode()
        engines.lamella("import", "--schema", table.message(schema), *options, "-o", self.file, "-", stdin=text)
        with open(self.file, "rb") as file:
            self.data = file.read()
        self.columns = naive.shred(schema, rows)
        self.stated = decode(engines.lamella("meta", "--json", "--verbose", self.file))
        self.pages = self.lines("pages", "--json", self.file)
        self.index = self.lines("pages", "--index", "--json", self.file)

    def lines(self, *arguments):
        groups = {}
        for line in engines.lamella(*arguments).splitlines():
            page = decode(line)
            groups.setdefault((page["row_group"], page["path"]), []).append(page)
        return groups

    # --- Bounds ---

    def expect_bounds(self, column, wanted, stated, what):
        """The bounds that are stated are the wanted ones, or cut where they may be."""
        if wanted["bounds"] is None or not naive.has_order(column.kind, self.int96):
            self.assertNotIn("min", stated, what)
            self.assertNotIn("max", stated, what)
            return
        kind = table.KINDS[column.kind]
        for name, value in zip(("min", "max"), wanted["bounds"]):
            found = kind.from_json(stated[name])
            data = naive.plain(column.kind, value)
            is_cut = column.kind in naive.CUT and len(data) > naive.LIMIT
            bound = naive.plain(column.kind, found)
            exact = bound in wanted["distinct bytes"]
            if column.kind not in naive.FLOATS or found != 0:  # a zero may have another sign than the values
                self.assertEqual(stated.get(f"{name}_is_exact", exact), exact, (name, what))
            if not is_cut:
                self.assertEqual(table.freeze(found), table.freeze(value), (name, what))
            elif name == "min":
                self.assertTrue(data.startswith(bound) and naive.LIMIT - 3 <= len(bound) <= naive.LIMIT, what)
            elif not exact:
                self.assertTrue(bound > data[: naive.LIMIT] and len(bound) <= naive.LIMIT + 1, what)

    # --- Chunks ---

    def expect_histograms(self, column, wanted, stated, what):
        for name, present in [("repetition", column.repetition > 0), ("definition", column.definition > 1 or column.repetition > 0)]:
            self.assertEqual(stated.get(f"{name}_histogram"), wanted[name] if present else None, (name, what))
        self.assertEqual(stated.get("nans"), wanted.get("nans"), what)

    def expect_chunk(self, group, column, stated, rows):
        what = (group, column.path, column.kind, self.seed)
        wanted = naive.facts(column, rows, self.total)
        self.assertEqual((stated["values"], stated["nulls"]), (wanted["values"], wanted["nulls"]), what)
        self.expect_bounds(column, wanted, stated, what)
        self.expect_histograms(column, wanted, stated, what)
        self.assertEqual(stated.get("unencoded_bytes"), wanted.get("bytes"), what)
        if "distinct" in stated:
            self.assertEqual(stated["distinct"], len(wanted["distinct bytes"]), what)
            self.distinct_counts += 1
        order = "IEEE_754_TOTAL_ORDER" if self.total and column.kind in naive.FLOATS else "TYPE_ORDER"
        order = "INT96_TIMESTAMP_ORDER" if self.int96 and column.kind == "int96" else order
        self.assertEqual(stated["column_order"], order, what)
        self.expect_bloom(column, stated, wanted["present"], what)
        self.expect_geospatial(column, stated, wanted["present"], what)
        self.expect_pages(group, column, stated, what)
        self.expect_index(group, column, stated, rows, what)

    def expect_bloom(self, column, stated, values, what):
        self.assertEqual("bloom_filter_offset" in stated, column.path in self.blooms, what)
        if "bloom_filter_offset" not in stated:
            return
        size, end = stated["bloom_bitset_bytes"], stated["bloom_filter_offset"] + stated["bloom_filter_length"]
        bitset = naive.bloom_bitset(column.kind, values, size)
        self.assertEqual(self.data[end - size : end], bitset, what)
        blocks = [bitset[at : at + 32] for at in range(0, size, 32)]
        found = sum(
            math.prod(bin(int.from_bytes(block[at : at + 4], "little")).count("1") / 32 for at in range(0, 32, 4)) for block in blocks
        )
        self.assertAlmostEqual(float(stated["bloom_false_positives"]), found / len(blocks), 12, what)

    def expect_geospatial(self, column, stated, values, what):
        kind = table.KINDS[column.kind]
        if not isinstance(kind, naive.Geometries) or not values:
            self.assertNotIn("geospatial", stated, what)
            return
        types, box = kind.statistics(values, column.kind in naive.GEOGRAPHIES)
        self.assertEqual((stated["geospatial"]["types"], box_of(stated)), (types, box), what)
        self.boxes += box is not None

    def expect_pages(self, group, column, stated, what):
        """The sums and counts of the footer are those of the page headers."""
        pages = self.pages[group, column.path]
        counts = {}
        for page in pages:
            counts[page["type"], page["encoding"]] = counts.get((page["type"], page["encoding"]), 0) + 1
        self.assertEqual({(count["type"], count["encoding"]): count["pages"] for count in stated["page_counts"]}, counts, what)
        headers = sum(page["header_size"] for page in pages)
        self.assertEqual(stated["total_compressed_size"], headers + sum(page["compressed_size"] for page in pages), what)
        self.assertEqual(stated["total_uncompressed_size"], headers + sum(page["uncompressed_size"] for page in pages), what)
        first = [page for page in pages if page["type"] != "dictionary"][0]
        self.assertEqual(stated["data_page_offset"], first["offset"], what)
        if pages[0]["type"] == "dictionary":
            self.assertEqual(stated["dictionary_page_offset"], pages[0]["offset"], what)

    # --- Page indexes ---

    def expect_index(self, group, column, stated, rows, what):
        pages = [page for page in self.pages[group, column.path] if page["type"] != "dictionary"]
        index = self.index[group, column.path]
        firsts = [page["first_row"] for page in index] + [len(rows)]
        self.assertEqual(len(index), len(pages), what)
        parts = [naive.facts(column, rows[a:b], self.total) for a, b in itertools.pairwise(firsts)]
        unbounded = any(part["present"] and part["bounds"] is None for part in parts)
        has_bounds = naive.has_order(column.kind, self.int96) and not unbounded
        self.assertEqual("column_index_offset" in stated, has_bounds or column.kind == "unknown", what)
        for number, (entry, page, part) in enumerate(zip(index, pages, parts)):
            here = (*what, number)
            self.assertEqual((entry["offset"], entry["compressed_size"]), (page["offset"], page["header_size"] + page["compressed_size"]), here)
            self.assertEqual(page["values"], part["values"], here)
            self.assertEqual(entry.get("unencoded_bytes"), part.get("bytes"), here)
            if "column_index_offset" not in stated:
                continue
            self.assertEqual(entry["nulls"], part["nulls"], here)
            self.assertEqual(entry["is_null"], not part["present"], here)
            self.expect_bounds(column, part, entry, here)
            self.expect_histograms(column, part, entry, here)
        if "column_index_offset" in stated:
            self.expect_boundary_order(column, index, what)
        self.page_count += len(index)

    def expect_boundary_order(self, column, index, what):
        from_json, key = table.KINDS[column.kind].from_json, naive.order_key(column.kind)
        bounds = [[key(from_json(page[name])) for name in ("min", "max")] for page in index if not page["is_null"]]
        steps = [(a, b) for a, b in itertools.pairwise(bounds)]
        rises = all(a[0] <= b[0] and a[1] <= b[1] for a, b in steps)
        falls = all(a[0] >= b[0] and a[1] >= b[1] for a, b in steps)
        wanted = "ascending" if rises else "descending" if falls else "unordered"
        self.assertEqual({page["boundary_order"] for page in index}, {wanted}, what)

    # --- Row groups ---

    def expect_groups(self, rows):
        groups = self.stated["row_groups"]
        firsts = list(range(0, len(rows), self.group_rows)) + [len(rows)]
        self.assertEqual(len(groups), len(firsts) - 1)
        for number, group in enumerate(groups):
            self.assertEqual((group["rows"], group["ordinal"]), (firsts[number + 1] - firsts[number], number))
            for name in ("total_compressed_size", "total_uncompressed_size"):
                total = sum(column[name] for column in group["columns"])
                self.assertEqual(group["total_compressed_size" if name == "total_compressed_size" else "total_byte_size"], total)
            self.assertEqual(group["file_offset"], min(self.pages[number, column.path][0]["offset"] for column in self.columns))
            for column, stated in zip(self.columns, group["columns"]):
                self.assertEqual(stated["path"], column.path)
                self.expect_chunk(number, column, stated, range(firsts[number], firsts[number + 1]))

    # --- Engines ---

    def expect_pyarrow(self):
        meta = pq.read_metadata(self.file)
        for number, group in enumerate(self.stated["row_groups"]):
            for place, (column, stated) in enumerate(zip(self.columns, group["columns"])):
                seen = meta.row_group(number).column(place)
                what = (number, column.path, column.kind, self.seed)
                self.assertEqual(seen.statistics.null_count, stated["nulls"], what)
                self.assertEqual(seen.has_column_index, "column_index_offset" in stated, what)
                self.assertEqual((seen.bloom_filter_offset, seen.bloom_filter_length), (stated.get("bloom_filter_offset"), stated.get("bloom_filter_length")), what)
                if seen.statistics.has_distinct_count:
                    self.assertEqual(seen.statistics.distinct_count, stated["distinct"], what)
                if seen.statistics.has_min_max:
                    self.expect_raw(column, seen.statistics, stated, what)
                    self.seen_bounds += 1
                if "geospatial" in stated:
                    self.assertEqual(seen.geo_statistics.geospatial_types, stated["geospatial"]["types"], what)
                    for axis, ends in (box_of(stated) or {}).items():
                        self.assertEqual([getattr(seen.geo_statistics, axis + end) for end in ("min", "max")], ends, what)

    def expect_raw(self, column, statistics, stated, what):
        """pyarrow gives physical values: numbers, or bytes."""
        for name in ("min", "max"):
            value = table.KINDS[column.kind].from_json(stated[name])
            raw = getattr(statistics, name + "_raw")
            data = naive.plain(column.kind, value)
            if isinstance(raw, bytes):
                self.assertEqual(raw, data, (name, what))
            elif isinstance(raw, float):
                self.assertEqual(raw, value, (name, what))
            else:
                self.assertEqual(int(raw) % 2 ** (8 * len(data)), int.from_bytes(data, "little"), (name, what))

    def expect_duckdb(self):
        if any(column.kind == "geometry with arcs" for column in self.columns):
            return  # DuckDB refuses the whole file, as it knows no arcs
        names = "stats_null_count, stats_nan_count, stats_distinct_count, bloom_filter_offset, bloom_filter_length, min_is_exact, max_is_exact, geo_bbox"
        found = engines._connection.execute(
            f"select row_group_id, column_id, {names} from parquet_metadata(?)", [self.file]
        ).fetchall()
        self.assertEqual(len(found), len(self.stated["row_groups"]) * len(self.columns))
        for number, place, nulls, nans, distinct, offset, length, min_exact, max_exact, box in found:
            stated = self.stated["row_groups"][number]["columns"][place]
            what = (number, self.columns[place].path, self.columns[place].kind, self.seed)
            self.assertEqual((nulls, nans), (stated["nulls"], stated.get("nans")), what)
            self.assertEqual((offset, length), (stated.get("bloom_filter_offset"), stated.get("bloom_filter_length")), what)
            self.assertEqual((min_exact, max_exact), (stated.get("min_is_exact"), stated.get("max_is_exact")), what)
            if distinct is not None:
                self.assertEqual(distinct, stated.get("distinct"), what)
            if box is not None:
                ends = {axis: [box[axis + "min"], box[axis + "max"]] for axis in "xyzm" if box[axis + "min"] is not None}
                self.assertEqual(ends, box_of(stated), what)

    def test_every_statistic_index_and_filter_is_what_the_rows_give(self):
        self.distinct_counts = self.boxes = self.page_count = self.seen_bounds = 0
        seen = set()
        for number, seed in enumerate(engines.seeds(7000, TABLES)):
            self.seed = f"LAMELLA_SEED={seed}"
            source = random.Random(seed)
            schema = random_schema(source, number)
            rows = random_rows(schema, source, source.choice([1, 20, 200, 600]))
            self.write(source, schema, rows)
            engines.lamella("check", self.file)
            self.expect_groups(rows)
            self.expect_pyarrow()
            self.expect_duckdb()
            seen |= schema.kinds()
        if number > 0:
            self.assertEqual(set(KINDS) - seen, set())
            self.assertGreater(min(self.distinct_counts, self.boxes, self.page_count, self.seen_bounds), 10)

    # --- Files of the engines ---

    def expect_same(self, path, schema, what):
        """Lamella tells of a file of another writer what pyarrow tells of it."""
        meta = pq.read_metadata(path)
        groups = decode(engines.lamella("meta", "--json", path))["row_groups"]
        leaves = naive.columns_of(schema)
        self.assertEqual(len(groups), meta.num_row_groups, what)
        for number, group in enumerate(groups):
            for place, (leaf, stated) in enumerate(zip(leaves, group["columns"])):
                seen, here = meta.row_group(number).column(place), (*what, number, leaf.path, leaf.kind)
                self.assertEqual(stated["total_compressed_size"], seen.total_compressed_size, here)
                self.assertEqual(stated.get("bloom_filter_offset"), seen.bloom_filter_offset, here)
                self.assertEqual("column_index_offset" in stated, seen.has_column_index, here)
                statistics = seen.statistics
                if statistics is None:
                    continue
                self.assertEqual(stated.get("nulls"), statistics.null_count, here)
                self.assertEqual(stated.get("distinct"), statistics.distinct_count, here)
                if statistics.has_min_max:
                    self.seen_bounds += 1
                    for name in ("min", "max"):
                        found = table.KINDS[leaf.kind].from_json(stated[name])
                        self.assertEqual(found, like_plain(leaf.kind, getattr(statistics, name)), (name, here))

    def test_of_files_by_the_engines_all_tell_the_same(self):
        self.seen_bounds = 0
        kinds = ["boolean", "int32", "int64", "uint32", "uint64", "int8", "float", "double", "string", "binary"]
        kinds += ["date", "timestamp micros", "timestamp millis utc", "decimal in int64", "decimal in fixed"]
        for seed in engines.seeds(7500, TABLES // 3):
            self.seed = f"LAMELLA_SEED={seed}"
            source = random.Random(seed)
            schema = Struct([table.random_field(source, f"n{place}", kinds, 2, maps=False) for place in range(6)])
            rows = random_rows(schema, source, source.choice([1, 50, 3000]))
            self.write(source, schema, rows)
            data = engines.read_pyarrow(self.file)
            by = {name: self.path(name) for name in ("pyarrow", "DuckDB", "Polars")}
            pq.write_table(data, by["pyarrow"], write_page_index=True, row_group_size=500)
            engines._connection.from_arrow(data).write_parquet(by["DuckDB"], row_group_size=2048)
            engines.polars.from_arrow(data).write_parquet(by["Polars"], row_group_size=500)
            for name, path in by.items():
                self.expect_same(path, schema, (name, self.seed))
        self.assertGreater(self.seen_bounds, 30)

    def test_the_hash_is_that_of_the_published_examples(self):
        self.assertEqual(naive.hash64(b""), 0xEF46DB3751D8E999)
        self.assertEqual(naive.hash64(b"abc"), 0x44BC2CF5AD770999)


if __name__ == "__main__":
    engines.main()
