# SPDX-License-Identifier: Apache-2.0
"""VARIANTs as each DuckDB writes them that is there: records, parts, conditions and Arrow arrays are those
that it wrote, and a check finds slips at most.

The DuckDB of requirements.txt is one; LAMELLA_DUCKDBS names more, as Python interpreters of environments
that have one each, with the separator of PATH between them:

    python3.12 -m venv duckdb-1.5.4 && duckdb-1.5.4/bin/pip install duckdb==1.5.4
    LAMELLA_DUCKDBS=duckdb-1.5.4/bin/python meson test -C build 'variant writers'

DuckDB 1.5.0 to 1.5.4 says of all metadata that their names are sorted, which they are not, and has optional
groups where required ones must be.
"""

import json
import os
import random
import re
import subprocess
import sys

import engines
import variant_samples as samples

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "arrow"))
import lamella_ctypes  # noqa: E402

SEED = 5
SLIPS = {"variant-metadata-order", "variant-repetition", "variant-order"}
INTERPRETERS = [sys.executable] + [
    path for path in os.environ.get("LAMELLA_DUCKDBS", "").split(os.pathsep) if path
]

# Runs in the interpreter of each DuckDB: writes values to a path, and prints what it reads of them.
SCRIPT = r"""
import duckdb, json, sys
path, options, values = json.load(sys.stdin)
quote = lambda text: "'" + text.replace("'", "''") + "'"
def expression(value):  # JSON's integers are unsigned to DuckDB 1.5, which it does not write
    if isinstance(value, dict) and value:
        text = "{" + ", ".join(f"{quote(k)}: {expression(v)}" for k, v in value.items()) + "}"
    elif isinstance(value, list) and value:
        text = "[" + ", ".join(expression(item) for item in value) + "]"
    elif isinstance(value, int) and not isinstance(value, bool):
        text = f"({value})::BIGINT"
    elif isinstance(value, str):
        text = quote(value)
    else:
        text = quote(json.dumps(value)) + "::JSON"
    return f"({text})::VARIANT"
connection = duckdb.connect()
rows = ", ".join(f"({n}, {expression(v)})" for n, v in enumerate(values))
connection.execute(
    f"COPY (SELECT n, v FROM (VALUES {rows}) t(n, v) ORDER BY n) "
    f"TO {quote(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048{options})")
read = connection.execute(f"SELECT v::JSON::VARCHAR FROM {quote(path)} ORDER BY n").fetchall()
print(json.dumps([duckdb.__version__, [row[0] for row in read]]))
"""


def wide_record(n):
    """A record whose names come in no order; every third has others, every fifth is none."""
    if n % 5 == 4:
        return [n, f"x{n}", None][n % 3]
    items = [{"k": n if n % 2 else str(n), "a": "z"}, n, "s"][: n % 4]
    more = {"zeta": {"y": n, "b": items}, "alpha": None} if n % 3 == 0 else {}
    return {"event_type": f"t{n % 4}", "count": n, **more, "beta": n % 2 == 0}


def without_empty_objects(value):
    """DuckDB 1.5 has none to write."""
    if isinstance(value, dict):
        return {k: without_empty_objects(v) for k, v in value.items()} or {"empty": True}
    return [without_empty_objects(v) for v in value] if isinstance(value, list) else value


def at(value, *names):
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def keys(value):
    """zeta.b[].k of a value."""
    return [item["k"] for item in at(value, "zeta", "b") or [] if isinstance(item, dict)]


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool)


# Conditions, and whether they are true of a value.
CONDITIONS = {
    "v.count >= 30": lambda v: is_number(at(v, "count")) and at(v, "count") >= 30,
    "v.event_type = 't1'": lambda v: at(v, "event_type") == "t1",
    "v.zeta.y < 20": lambda v: is_number(at(v, "zeta", "y")) and at(v, "zeta", "y") < 20,
    "v.beta = true": lambda v: at(v, "beta") is True,
    "v.zeta.b[].k = '6'": lambda v: "6" in keys(v),
    "v.zeta.b[].k > 20": lambda v: any(is_number(key) and key > 20 for key in keys(v)),
    "v.count is missing": lambda v: not isinstance(v, dict) or "count" not in v,
    "v.alpha is not missing": lambda v: isinstance(v, dict) and "alpha" in v,
}


class VariantWriters(engines.EngineTest):
    def write(self, python, name, values, options=""):
        """Writes a file with an interpreter's DuckDB; its version and what it reads."""
        path = self.path(name)
        done = subprocess.run(
            [python, "-B", "-c", SCRIPT],
            input=json.dumps([path, options, values]).encode(),
            capture_output=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        version, read = json.loads(done.stdout)
        return path, version, [None if text is None else samples.plain(text) for text in read]

    def each(self, values, options=("",)):
        for python in INTERPRETERS:
            for number, option in enumerate(options):
                path, version, read = self.write(python, f"{number}.parquet", values, option)
                with self.subTest(duckdb=version, options=option):
                    wanted = [samples.plain(json.dumps(value)) for value in values]
                    self.compare(wanted, read, f"DuckDB {version} itself")
                    yield path, version

    def records(self, path, *options):
        printed = engines.lamella("cat", *options, path).decode().splitlines()
        return [samples.plain(line) for line in printed]

    def check(self, path, version):
        done = subprocess.run([engines.PROGRAM, "check", path], capture_output=True, check=False)
        found = re.findall(r": (error|warning) ([a-z0-9-]+): ", done.stdout.decode())
        told = {rule for kind, rule in found if kind == "error" or rule.startswith("variant-")}
        # 1.5 counts nulls in lists wrong.
        known = SLIPS | {"null-count"} if version.startswith("1.5.") else SLIPS
        self.assertLessEqual(told, known, f"DuckDB {version}: {done.stdout.decode()}")
        return told

    def test_records_are_those_that_were_written(self):
        for seed in engines.seeds(SEED, 3):
            chance = random.Random(seed)
            shape = samples.random_shape(chance)
            values = [
                without_empty_objects(samples.random_value(chance, shape)) for _ in range(60)
            ]
            for path, version in self.each(values):
                found = [record["v"] for record in self.records(path)]
                wanted = [samples.plain(json.dumps(value)) for value in values]
                self.compare(wanted, found, f"seed {seed}, DuckDB {version}")
                self.check(path, version)

    def test_names_in_any_order_are_found_by_paths_and_conditions(self):
        values = [wide_record(n) for n in range(60)]
        shredding = ", SHREDDING {v: 'STRUCT(\"count\" BIGINT, zeta STRUCT(y BIGINT))'}"
        for path, version in self.each(values, ("", shredding)):
            told = self.check(path, version)
            if re.fullmatch(r"1\.5\.[0-4]", version):
                self.assertIn("variant-metadata-order", told)
            else:
                self.assertNotIn("variant-metadata-order", told)
            plain = [samples.plain(json.dumps({"n": n, "v": v})) for n, v in enumerate(values)]
            self.compare(plain, self.records(path), version)
            parts = [
                {"v": {k: v for k, v in value.items() if k in ("alpha", "count")}
                 if isinstance(value, dict) else {}}
                for value in values
            ]
            # What is no object has no parts; DuckDB 2.0 leaves a null out, 1.5 writes it.
            found = [
                {"v": record["v"] or {}}
                for record in self.records(path, "--columns", "v.count,v.alpha")
            ]
            self.compare([samples.plain(json.dumps(part)) for part in parts], found, version)
            for condition, is_true in CONDITIONS.items():
                wanted = [plain[n] for n, value in enumerate(values) if is_true(value)]
                for pruning in ((), ("--no-pruning",)):
                    found = self.records(path, "--where", condition, *pruning)
                    self.compare(wanted, found, f"{condition} {pruning}, DuckDB {version}")

    def test_arrow_arrays_are_those_that_pyarrow_reads(self):
        values = [wide_record(n) for n in range(60)]
        for path, version in self.each(values):
            with lamella_ctypes.Reader(path) as reader:
                found = reader.table().column("v").combine_chunks()
            wanted = engines.read_pyarrow(path).column("v").combine_chunks()
            found, wanted = (getattr(array, "storage", array) for array in (found, wanted))
            self.compare(wanted.to_pylist(), found.to_pylist(), f"DuckDB {version}")


if __name__ == "__main__":
    lamella_ctypes.load(sys.argv[2])
    engines.main()
