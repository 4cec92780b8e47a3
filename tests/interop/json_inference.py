# SPDX-License-Identifier: Apache-2.0
"""Random JSON, imported with the schema that import infers, equals what DuckDB's reader of JSON makes
of it: types and values, wherever both infer.

Left out is what DuckDB reads otherwise: fractions of a second, and timestamps of several spellings or
with dates among them, stay strings there, and any number of sparse keys are data, where 16 are needed
here. Integers with and without a sign are HUGEINT there. Kinds that clash are
a VARIANT here and JSON there, and compared as JSON. The short form tries some texts; LAMELLA_INFER is
their number in a long form, as in

    LAMELLA_INFER=500 meson test -C build --no-rebuild 'json inference'
"""

import json
import os
import random
import unittest

import engines

COUNT = int(os.environ.get("LAMELLA_INFER", "60"))

WORDS = ["", "a", "harbour", "möwe", "calm water", "x" * 40, "12", "true", 'quo"te', "é\n"]


def date(rng):
    return f"{rng.randrange(1, 9999):04}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"


def time(rng):
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"


def uuid(rng):
    text = f"{rng.getrandbits(128):032x}"
    text = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    return text.upper() if rng.random() < 0.3 else text


SCALARS = {
    "integers": lambda rng: rng.choice([0, 1, -1, rng.randrange(-(2**63), 2**63)]),
    "reals": lambda rng: rng.choice([0.5, -1e300, rng.uniform(-1, 1), rng.randrange(1000)]),
    "booleans": lambda rng: rng.random() < 0.5,
    "words": lambda rng: rng.choice(WORDS),
    "dates": date,
    "times": time,
    "locals": lambda rng: f"{date(rng)}T{time(rng)}",
    "spaced": lambda rng: f"{date(rng)} {time(rng)}",
    "utc": lambda rng: f"{date(rng)}T{time(rng)}Z",
    "zones": lambda rng: f"{date(rng)}T{time(rng)}" + rng.choice(["+00:00", "+01:00", "-03:30"]),
    "uuids": uuid,
}


def kind_of(rng, depth):
    """What makes values of one kind."""
    kind = rng.randrange(12)
    if kind == 0 and depth < 3:
        inner = kind_of(rng, depth + 1)
        return lambda rng: [inner(rng) for _ in range(rng.randrange(1, 4))]
    if kind == 1 and depth < 3:
        members = {f"m{n}": kind_of(rng, depth + 1) for n in range(rng.randrange(1, 5))}
        return lambda rng: {
            name: make(rng)
            for at, (name, make) in enumerate(members.items())
            if at == 0 or rng.random() < 0.8
        }
    if kind == 2 and depth < 2:
        inner = SCALARS[rng.choice(list(SCALARS))]
        keys = rng.randrange(250, 400)
        return lambda rng: {f"k{key}": inner(rng) for key in rng.sample(range(keys), 5)}
    if kind == 3 and depth == 0:
        clashing = [SCALARS["integers"], SCALARS["words"]]
        return lambda rng: rng.choice(clashing)(rng)
    return SCALARS[rng.choice(list(SCALARS))]


def some(rng, make):
    return None if rng.random() < 0.1 else make(rng)


def records_of(rng):
    kinds = {f"f{n}": kind_of(rng, 0) for n in range(rng.randrange(1, 7))}
    # All keys of a MAP come, so that both see as many.
    count = rng.choice([20, 200, 600])
    return [{name: some(rng, make) for name, make in kinds.items()} for _ in range(count)]


class JsonInference(engines.EngineTest):
    def types(self, source):
        table = engines.query_duckdb(f"SELECT * FROM (DESCRIBE SELECT * FROM {source})").to_pylist()
        return {column["column_name"]: column["column_type"] for column in table}

    def check(self, seed):
        rng = random.Random(seed)
        records = records_of(rng)
        text, path = self.path("in.ndjson"), self.path("out.parquet")
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        engines.lamella("import", "-o", path, text)
        own = f"read_parquet({engines.quoted(path)}, file_row_number = true)"
        other = (
            f"read_json_auto({engines.quoted(text)}, format = 'newline_delimited', "
            "sample_size = -1)"
        )
        types, wanted = self.types(f"read_parquet({engines.quoted(path)})"), self.types(other)
        wanted = {name: type.replace("HUGEINT", "BIGINT") for name, type in wanted.items()}
        self.assertEqual(list(types), list(wanted), f"seed {seed}")
        for name, type in types.items():
            values = engines.identifier(name)
            if "JSON" in wanted[name] or "VARIANT" in type:
                # Clashing kinds, and fields that are always null.
                self.assertTrue("VARIANT" in type or "INTEGER" in type, f"seed {seed}: {name}")
                cast = f"CAST({values} AS JSON)"
            else:
                self.assertEqual(type, wanted[name], f"seed {seed}: {name}")
                cast = values
            rows = [
                engines.query_duckdb(query).column(0).to_pylist()
                for query in (
                    f"SELECT {cast} AS v FROM {own} ORDER BY file_row_number",
                    f"SELECT {cast} AS v FROM {other}",
                )
            ]
            if cast != values:
                rows = [[None if v is None else json.loads(v) for v in row] for row in rows]
            self.compare(rows[1], rows[0], f"seed {seed}: {name}: {type}")

    def test_types_and_values_are_those_of_duckdb(self):
        first = 1 if COUNT > 60 else random.SystemRandom().randrange(1, 1 << 30)
        for seed in engines.seeds(first, COUNT):
            with self.subTest(seed=seed):
                self.check(seed)
        print(f"seeds {first} to {first + COUNT - 1}")


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 2000
    engines.main()
