# SPDX-License-Identifier: Apache-2.0
"""VARIANTs, shredded and not, to DuckDB and back; pyarrow sees how they are stored.

DuckDB reads every kind. It refuses to write integers beyond 64 bits with a sign, intervals, bit
strings and times with a zone, and leaves the fields of an object that are not shredded in the order
in which they came, which is a slip (`variant-order`). variants_spark.py is the same for Spark.
"""

import base64
import json
import random
import re
import subprocess

import engines
import variant_samples as samples

SEED = 1

# variant_typeof and the text of each kind in DuckDB.
IN_DUCKDB = {
    "null": ("VARIANT_NULL", None),
    "boolean": ("BOOL_TRUE", "true"),
    "int8": ("INT8", "-5"),
    "int16": ("INT16", "-300"),
    "int32": ("INT32", "70000"),
    "int64": ("INT64", "-5000000000"),
    "float": ("FLOAT", "1.5"),
    "double": ("DOUBLE", "2.5"),
    "decimal4": ("DECIMAL", "1.25"),
    "decimal8": ("DECIMAL", "12345678901.25"),
    "decimal16": ("DECIMAL", "12345678901234567890.25"),
    "date": ("DATE", "2024-10-24"),
    "time": ("TIME_MICROS", "12:13:14.000001"),
    "timestamp": ("TIMESTAMP_MICROS_TZ", "2024-10-24 12:13:14.000001+00"),
    "timestamp_ntz": ("TIMESTAMP_MICROS", "2024-10-24 12:13:14.000001"),
    "timestamp_nanos": ("TIMESTAMP_NANOS_TZ", "2024-10-24 12:13:14.000000001+00"),
    "timestamp_ntz_nanos": ("TIMESTAMP_NANOS", "2024-10-24 12:13:14.000000001"),
    "binary": ("BLOB", "\\xAA\\xBB"),
    "string": ("VARCHAR", "x"),
    "uuid": ("UUID", "eeccb8c5-9943-b2bb-bb5e-222f4e14b687"),
}


class Variants(engines.EngineTest):
    def write(self, schema, lines, *options):
        path = self.path("a.parquet")
        text = "".join(line + "\n" for line in lines)
        engines.lamella("import", "--schema", schema, *options, "-o", path, "-", stdin=text.encode())
        return path

    def expect_clean(self, path, slip=None):
        """Nothing is wrong with a file, nor with its VARIANTs, but perhaps for a slip."""
        done = subprocess.run([engines.PROGRAM, "check", path], capture_output=True, check=False)
        told = re.findall(r": (error|warning) ([a-z0-9-]+): ", done.stdout.decode())
        found = {rule for kind, rule in told if kind == "error" or rule.startswith("variant-")}
        self.assertLessEqual(found, {slip}, done.stdout)

    # --- Kinds --------------------------------------------------------------------------------------

    def test_duckdb_reads_every_kind_plain_and_shredded(self):
        self.assertEqual(set(IN_DUCKDB), set(samples.KINDS))
        for kind, (text, column) in samples.KINDS.items():
            lines = ['{"v":{"%s":%s}}' % (kind, text)]
            schemas = [samples.PLAIN]
            if column is not None:
                pair = "optional binary value; optional %s;" % (column % "typed_value")
                schemas.append(samples.PLAIN.replace("required binary value;", pair))
                # As a field and as an element, beside one of another kind.
                lines.append('{"v":{"object":{"f":%s}}}' % lines[0][5:-1])
                field = "optional binary value; optional group typed_value { required group f { %s } }"
                schemas.append(samples.PLAIN.replace("required binary value;", field % pair))
            for schema in schemas:
                with self.subTest(kind=kind, schema=schema):
                    self.check_kind(kind, schema, lines)

    def check_kind(self, kind, schema, lines):
        path = self.write(schema, lines, "--variant-form", "typed")
        self.expect_clean(path)
        name, text = IN_DUCKDB[kind]
        query = f"SELECT variant_typeof(v), v::VARCHAR FROM read_parquet({engines.quoted(path)})"
        found = [tuple(row.values()) for row in engines.query_duckdb(query).to_pylist()]
        self.assertEqual(found[0][0].split("(")[0], name)
        self.assertEqual(found[0][1], text)
        if len(found) > 1:
            self.assertIn(text.replace("\\", "\\\\"), found[1][1])
            query = f"SELECT v.f::VARCHAR FROM read_parquet({engines.quoted(path)})"
            self.assertEqual(list(engines.query_duckdb(query).to_pylist()[1].values()), [text])

    # --- Random values ------------------------------------------------------------------------------

    def test_duckdb_reads_what_is_written(self):
        for seed in engines.seeds(SEED, 20):
            chance = random.Random(seed)
            shape = samples.random_shape(chance)
            values = [samples.random_value(chance, shape) for _ in range(30)]
            for schema in (samples.PLAIN, samples.message(shape)):
                with self.subTest(seed=seed, shape=shape):
                    path = self.write(schema, [json.dumps({"v": value}) for value in values])
                    self.expect_clean(path)
                    query = f"SELECT v::JSON AS v FROM read_parquet({engines.quoted(path)})"
                    found = [row["v"] for row in engines.query_duckdb(query).to_pylist()]
                    self.compare_texts(values, found, f"seed {seed}, DuckDB")

    def compare_texts(self, values, found, what):
        wanted = [samples.plain(json.dumps(value)) for value in values]
        found = [None if text is None else samples.plain(text) for text in found]
        self.compare(wanted, found, what)

    def test_what_duckdb_writes_is_read(self):
        for seed in engines.seeds(SEED, 20):
            chance = random.Random(seed)
            shape = samples.random_shape(chance)
            values = [samples.random_value(chance, shape) for _ in range(30)]
            for shredding in ("", ", SHREDDING {v: %s}" % self.type_of(shape)):
                with self.subTest(seed=seed, shape=shape):
                    path = self.copy(values, shredding)
                    # DuckDB leaves what is not shredded in the order in which fields came.
                    self.expect_clean(path, "variant-order")
                    printed = engines.lamella("cat", path).decode().splitlines()
                    found = [json.dumps(json.loads(line, parse_float=float)["v"]) for line in printed]
                    self.compare_texts(values, found, f"seed {seed}, from DuckDB")

    def type_of(self, shape):
        return engines.quoted(samples.engine_type(shape, 1))

    def copy(self, values, shredding):
        path = self.path("b.parquet")
        texts = ", ".join(f"({n}, {engines.quoted(json.dumps(v))})" for n, v in enumerate(values))
        query = f"SELECT j::JSON::VARIANT AS v FROM (VALUES {texts}) t(n, j) ORDER BY n"
        engines.execute_duckdb(
            f"COPY ({query}) TO {engines.quoted(path)} (FORMAT parquet{shredding})"
        )
        return path

    def test_paths_lead_to_the_same_in_files_of_duckdb(self):
        values = [{"a": {"b": n, "c": [n]}, "d": "x" * n} for n in range(50)]
        for shredding in ("", ", SHREDDING {v: 'STRUCT(a STRUCT(b BIGINT))'}"):
            path = self.copy(values, shredding)
            printed = engines.lamella("cat", "--columns", "v.a.b", path).decode().splitlines()
            self.assertEqual(
                [json.loads(line) for line in printed], [{"v": {"a": {"b": n}}} for n in range(50)]
            )

    # --- Storage ------------------------------------------------------------------------------------

    def test_pyarrow_sees_the_groups_that_hold_them(self):
        shape = {"a": "int64", "b": ["string"]}
        values = [{"a": 1, "b": ["x", 2], "c": None}, {"a": "?"}, 5, None, {}]
        lines = [json.dumps({"v": value}) for value in values]
        path = self.write(samples.message(shape), lines)
        table = engines.read_pyarrow(path)
        table.validate(full=True)
        storage = table.column("v").combine_chunks()
        storage = getattr(storage, "storage", storage)
        self.assertEqual({field.name for field in storage.type}, {"metadata", "value", "typed_value"})
        printed = engines.lamella("cat", "--variant", "storage", path).decode().splitlines()

        def as_json(value):
            if isinstance(value, bytes):
                return base64.b64encode(value).decode()
            if isinstance(value, dict):
                return {name: as_json(item) for name, item in value.items()}
            return [as_json(item) for item in value] if isinstance(value, list) else value

        self.assertEqual([json.loads(line)["v"] for line in printed], as_json(storage.to_pylist()))


if __name__ == "__main__":
    engines.main()
