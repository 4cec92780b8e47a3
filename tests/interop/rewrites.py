# SPDX-License-Identifier: Apache-2.0
"""lamella rewrite: rows that are rewritten in every way are the same in other engines.

Files come from the folder that not every machine has. In the short form a few ways are tried on
each; LAMELLA_REWRITES=all tries every way, as

    LAMELLA_REWRITES=all meson test -C build --no-rebuild --timeout-multiplier 10 rewrites
"""

import glob
import itertools
import os
import random

import engines

WAYS = [
    [],
    ["--codec", "zstd:1"],
    ["--codec", "snappy"],
    ["--codec", "none"],
    ["--codec", "gzip", "--page-size", "500"],
    ["--data-page-version", "2"],
    ["--no-dictionary", "--compat", "max"],
    ["--compat", "max"],
    ["--row-group-rows", "7"],
    ["--row-group-size", "1MiB", "--memory-limit", "64MiB"],
]
SORTABLE = {"int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64", "string",
            "date32[day]", "timestamp[us]", "timestamp[ms]", "timestamp[ns]", "bool"}  # fmt: skip
EVERYTHING = os.environ.get("LAMELLA_REWRITES") == "all"


def shared(name):
    folder = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT")
    return os.path.join(folder or "../shared", name)


def files():
    """Files that the program reads as a whole, with their rows as text."""
    folder = shared("parquet-testing/data")
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.parquet"), recursive=True)):
        try:
            yield path, engines.lamella("cat", "--variant", "storage", path)
        except engines.Failure:
            continue


def arrow_rows(path):
    """Rows as pyarrow has them; None when it does not read the file."""
    try:
        return engines.pyarrow.parquet.ParquetFile(path).read().to_pylist()
    except Exception:  # whatever it is that an engine lacks
        return None


def duck_rows(path):
    """Rows as DuckDB prints them. Without a zone where a footer has only the converted type
    TIMESTAMP_MICROS, which is in UTC (LogicalTypes.md), as the logical type of the new one says."""
    try:
        connection = engines.duckdb.connect()
        connection.execute("set timezone = 'UTC'")
        query = "select cast(columns(*) as varchar) from read_parquet(?)"
        return repr(connection.execute(query, [path]).fetchall()).replace("+00", "")
    except Exception:
        return None


def same(a, b):
    return repr(a) == repr(b)


class Rewrites(engines.EngineTest):
    def rewrite(self, options, *inputs):
        out = self.path("out.parquet")
        engines.lamella("rewrite", *options, "-o", out, *inputs)
        return out

    def expect_same(self, before, after):
        for rows in (arrow_rows, duck_rows):
            wanted = rows(before)
            if wanted is not None:
                self.assertTrue(same(wanted, rows(after)), (before, rows.__name__))

    def test_every_way_of_writing_keeps_the_rows(self):
        seed = int(os.environ.get("LAMELLA_SEED", random.SystemRandom().randrange(1 << 32)))
        print(f"LAMELLA_SEED={seed}")
        chance = random.Random(seed)
        count = 0
        for path, rows in files():
            ways = WAYS if EVERYTHING else [[], *chance.sample(WAYS[1:], 2)]
            for way in ways:
                with self.subTest((os.path.basename(path), way)):
                    out = self.rewrite(way, path)
                    self.assertEqual(engines.lamella("cat", "--variant", "storage", out), rows)
                    self.expect_same(path, out)
                    count += 1
        if count == 0:
            self.skipTest("no shared data")

    def test_pairs_of_choices(self):
        """Row group, page and codec together with columns, conditions and orders."""
        folder = shared("parquet-testing/data")
        path = os.path.join(folder, "alltypes_plain.parquet")
        if not os.path.exists(path):
            self.skipTest("no shared data")
        wanted = engines.pyarrow.parquet.read_table(path).to_pylist()
        for way, (name, options, rows) in itertools.product(
            WAYS,
            [
                ("columns", ["--columns", "id,string_col"],
                 [{k: r[k] for k in ["id", "string_col"]} for r in wanted]),
                ("where", ["--where", "id >= 4"], [r for r in wanted if r["id"] >= 4]),
                ("sort", ["--sort-by", "tinyint_col", "--sort-by", "id:desc"],
                 sorted(wanted, key=lambda r: (r["tinyint_col"], -r["id"]))),
            ],
        ):  # fmt: skip
            with self.subTest((way, name)):
                out = self.rewrite([*way, *options], path)
                got = engines.pyarrow.parquet.read_table(out).to_pylist()
                self.assertTrue(same(rows, got), got)

    def test_sorted_files(self):
        count = 0
        for path, _ in files():
            try:
                schema = engines.pyarrow.parquet.read_schema(path)
            except Exception:
                continue
            names = [f.name for f in schema if str(f.type) in SORTABLE and f.name.isidentifier()]
            rows = arrow_rows(path)
            if not names or rows is None or len({f.name for f in schema}) < len(schema):
                continue
            with self.subTest((os.path.basename(path), names[0])):
                out = self.rewrite(["--sort-by", names[0], "--memory-limit", "32MiB"], path)
                got = arrow_rows(out)
                key = lambda row, name=names[0]: (row[name] is None, row[name] or 0)
                text = lambda row, name=names[0]: (row[name] is None, row[name] or "")
                is_text = any(isinstance(row[names[0]], str) for row in rows)
                is_number = all(isinstance(row[names[0]], (int, type(None))) for row in rows)
                if is_text or is_number:
                    wanted = sorted(rows, key=text if is_text else key)
                    self.assertTrue(same(wanted, got))
                self.assertEqual(sorted(map(repr, rows)), sorted(map(repr, got)))
                count += 1
        if count == 0:
            self.skipTest("no shared data")

    def test_partitions_are_read_as_hive_has_them(self):
        table = engines.pyarrow.table(
            {
                "a": [n % 50 if n % 13 else None for n in range(5000)],
                "b": [f"x/{n % 3} =" for n in range(5000)],
                "n": list(range(5000)),
            }
        )
        path, folder = self.path("in.parquet"), self.path("hive")
        engines.pyarrow.parquet.write_table(table, path, row_group_size=700)
        engines.lamella("rewrite", "--partition-by", "a,b", "-o", folder, path)
        got = (
            engines.duckdb.connect()
            .execute(
                "select a, b, n from read_parquet(?, hive_partitioning = true) order by n",
                [os.path.join(folder, "**", "*.parquet")],
            )
            .fetchall()
        )
        wanted = [tuple(row.values()) for row in table.to_pylist()]
        got = [(None if a is None else int(a), b, n) for a, b, n in got]
        self.assertEqual(got, wanted)

    def test_texts_that_are_odd_as_names_are_read_from_folders(self):
        """Texts without bytes and the text that stands for a null were nulls; pyarrow and Polars take the latter for one."""
        import pyarrow.dataset

        hive = "__HIVE_DEFAULT_PARTITION__"
        texts = ["", None, "a/b", "a=2", "100%", "..", "x" * 190, "größe", "😀", " ", "a+b", "~", "01", "%5F", hive]
        folder = self.path("texts")
        engines.pyarrow.parquet.write_table(
            engines.pyarrow.table({"k": texts, "n": list(range(len(texts)))}), self.path("in.parquet")
        )
        engines.lamella("rewrite", "--partition-by", "k", "-o", folder, self.path("in.parquet"))
        pattern = os.path.join(folder, "**", "*.parquet")
        query = "select n, k from read_parquet(?, hive_partitioning = true) order by n"
        self.assertEqual(engines.duckdb.connect().execute(query, [pattern]).fetchall(), list(enumerate(texts)))
        texts[-1] = None
        got = pyarrow.dataset.dataset(folder, partitioning="hive").to_table().sort_by("n")
        self.assertEqual(got.column("k").to_pylist(), texts)
        got = engines.polars.scan_parquet(pattern, hive_partitioning=True).sort("n").collect()
        self.assertEqual(got["k"].to_list(), texts)


engines.main()
