# SPDX-License-Identifier: Apache-2.0
"""cat --where on parts of VARIANTs: the same records whatever the columns, and those that the plainest
reading of the values says."""

import json
import os
import random
import re
import sys
from decimal import Decimal

import program

sys.path.insert(0, os.path.join(program.HERE, "..", "support"))
from conditions import OPERATORS, any_of, random_condition  # noqa: E402

RECORDS = """\
{"id":1,"v":{"kind":"login","at":{"lat":48.5},"n":5,"tags":["a","b"],"items":[{"price":5},{"price":12}]}}
{"id":2,"v":{"kind":"logout","at":{"lat":50},"n":"five","tags":[],"items":[]}}
{"id":3,"v":{"kind":null,"n":5.5,"tags":["c",null,7],"items":{"price":100},"on":true}}
{"id":4,"v":"oops"}
{"id":5,"v":null}
{"id":6,"v":{"kind":"login","a.b":{"":1},"n":1e300,"items":[[{"price":3}],{"price":"x"}],"on":false}}
{"id":7}
{"id":8,"v":[{"kind":"inner"},4]}
"""
WANTED = {
    "v.kind = 'login'": [1, 6],
    "'login' = v.kind": [1, 6],
    "v.at.lat > 48.5": [2],
    "v.at.lat >= 48.50": [1, 2],
    "v.n = 5": [1],
    "v.n > 5": [3, 6],
    "v.n between 5 and 6": [1, 3],
    "v.n in (5, 'five', 7)": [1, 2],
    "v.n not in (5, 5.5)": [6],  # nothing tells whether a text is among numbers
    "not v.n = 5": [3, 6],
    "v.n != 5": [3, 6],
    "v.n != 'six'": [2],
    "v.n >= 1e299": [6],
    "v.n < 1e400": [1, 3, 6],
    "v.tags = 'a'": [1],  # the elements, as a LIST would be compared
    "v.tags[] = 'a'": [1],
    "v.tags = 7": [3],
    "not v.tags = 7": [2],  # no element is 7; a text or null may be
    "v.tags is null": [4, 5, 6, 7, 8],
    "v.tags[] is null": [3, 4, 5, 6, 7, 8],
    "v.tags[] is missing": [4, 5, 6, 7, 8],
    "v.items[].price > 10": [1],
    "v.items.price > 10": [3],  # names lead through objects only
    "not v.items[].price > 10": [2],
    "v.items[][].price = 3": [6],
    "v.items[].price is not null": [1, 6],
    "v.items[].price is null": [3, 4, 5, 6, 7, 8],
    "v.kind is null": [3, 4, 5, 7, 8],
    "v.kind is missing": [4, 5, 7, 8],
    "v.kind is not missing and v.kind is null": [3],
    "v is null": [5, 7],
    "v is missing": [5, 7],
    "v = 'oops'": [4],
    "v[].kind = 'inner'": [8],
    "v = 4": [8],
    "v.on": [3],
    "not v.on": [6],
    "v.on = false": [6],
    'v."a.b"."" = 1': [6],
    "v.at = 5": [],
    "id > 3 and v.kind = 'login'": [6],
    "id = 2 or v.kind = 'login'": [1, 2, 6],
    "v.nowhere = 1": [],
    "not v.nowhere = 1": [],
}
FORMS = (["--shred", "none"], ["--row-group-rows", "1"], ["--row-group-rows", "3"])
SCHEMA = """message m {
  required int64 id;
  optional group v (VARIANT) { required binary metadata; required binary value; }
}
"""
COLUMNS = (
    "optional int32 typed_value (DATE);",
    "optional int64 typed_value (TIMESTAMP(MICROS,true));",
    "optional int64 typed_value (TIMESTAMP(NANOS,true));",
    "optional int64 typed_value (TIME(MICROS,false));",
    "optional fixed_len_byte_array(16) typed_value (UUID);",
    "optional binary typed_value;",
    "optional binary typed_value (STRING);",
    "optional float typed_value;",
    "optional double typed_value;",
    "optional int32 typed_value (DECIMAL(9,1));",
    "optional int32 typed_value (INTEGER(8,true));",
)


class WhereTest(program.ProgramTest):
    def ids(self, name, condition, *options):
        output = self.good("cat", "--columns", "id", "--where", condition, *options, name)
        return [json.loads(line)["id"] for line in output.splitlines()]


class Where(WhereTest):
    def test_the_records_are_those_whose_condition_is_true(self):
        for number, form in enumerate(FORMS):
            name = f"{number}.parquet"
            self.make(name, RECORDS, "--variant", "v", *form)
            for condition, wanted in WANTED.items():
                with self.subTest(condition, form=form):
                    self.assertEqual(self.ids(name, condition), wanted)
                    self.assertEqual(self.ids(name, condition, "--no-pruning"), wanted)

    def test_texts_are_compared_with_what_they_spell(self):
        typed = [
            {"date": "2024-10-24"},
            {"timestamp": "2024-10-24T12:34:56.789000Z"},
            {"timestamp_nanos": "2024-10-24T12:34:56.789000001Z"},
            {"timestamp_ntz": "2024-10-24T12:34:56.789000"},
            {"time": "12:34:56.789000"},
            {"uuid": "00112233-4455-6677-8899-aabbccddeeff"},
            {"binary": "AP8="},
            {"string": "2024-10-24"},
            {"float": 0.1},
            {"double": 0.1},
            {"decimal4": 0.1},
            {"double": "NaN"},
            {"int8": 1},
        ]
        wanted = {
            "v.x = '2024-10-24'": [0, 7],
            "v.x >= '2024-10-24T12:34:56.789Z'": [1, 2],
            "v.x > '2024-10-24T12:34:56.789Z'": [2],
            "v.x = '2024-10-24T12:34:56.789'": [1, 3],
            "v.x between '2024-10-24' and '2024-10-25'": [0, 1, 2, 3, 7],
            "v.x < '2024-10-24T00:00:01'": [0, 6, 7],
            "v.x like '2024%'": [7],
            "v.x ilike '2024-1_-%'": [7],
            "v.x not like '2024%'": [],
            "v.x = '12:34:56.789'": [4],
            "v.x = '00112233-4455-6677-8899-AABBCCDDEEFF'": [5],
            "v.x = x'00FF'": [6],
            "v.x = 0.1": [8, 9, 10],
            "v.x < 1": [8, 9, 10],
            "v.x >= 1": [11, 12],
            "v.x = 'NaN'": [11],
            "v.x in (1, '2024-10-24', x'00FF')": [0, 6, 7, 12],
        }
        records = program.ndjson(
            {"id": n, "v": {"object": {"x": value}}} for n, value in enumerate(typed)
        )
        inside = "optional group typed_value { required group x { optional binary value; %s } }"
        columns = COLUMNS[::3] if os.environ.get("LAMELLA_SLOW") else COLUMNS
        for shred in ("none", *(inside % column for column in columns)):
            options = ["--schema", SCHEMA, "--variant-form", "typed", "--shred", shred]
            self.make("a.parquet", records, *options, "--row-group-rows", "1")
            for condition, ids in wanted.items():
                with self.subTest(condition, shred=shred):
                    self.assertEqual(self.ids("a.parquet", condition), ids)

    def test_columns_are_read_only_where_they_can_hold_the_part(self):
        rows = [{"v": {"id": n, "kind": f"k{n % 7}", "note": "x" * 50}} for n in range(3000)]
        rows[2500]["v"]["id"] = "none"
        self.make("a.parquet", program.ndjson(rows), "--variant", "v", "--row-group-rows", "1000")
        told = self.explained("a.parquet", "v.id between 1200 and 1210", "v.id")
        self.assertIn("3 row groups examined; ruled out: 1 by statistics", told)
        told = self.explained("a.parquet", "v.id between 1200 and 1210 and v.kind = 'k1'", "v.note")
        self.assertIn("v.typed_value.note.typed_value: read in 1 of 3 row groups", told)
        # In one row group, pages without a value that fits no column are told of by their bounds.
        many = "".join(f'{{"v":{{"id":{n}}}}}\n' for n in range(45000)) + '{"v":{"id":"none"}}\n'
        self.make("b.parquet", many, "--variant", "v", "--row-group-rows", "100000")
        told = self.explained("b.parquet", "v.id between 1200 and 1210", "v.note")
        unread = int(re.search(r"45001 records; ruled out unread: (\d+); matching: 11", told)[1])
        self.assertGreaterEqual(unread, 20000)

    def explained(self, name, condition, columns):
        status, _, told = self.run_program(
            "cat", "--explain", "--columns", columns, "--where", condition, name
        )
        self.assertEqual(status, 0, told)
        return told

    def test_what_no_path_is_is_told_with_its_place(self):
        self.make("a.parquet", RECORDS, "--variant", "v")
        for condition, message in {
            "v..x = 1": "character 3: expected a field, found .",
            "v.x is foo": "character 8: expected null or missing, found foo",
            "v.x[0] = 1": "character 5: expected ], found 0",
            "v.x = null": "character 7: expected a value (for null: is null), found null",
            "id.x = 1": "character 1: no field 'id.x'",
            "id[] = 1": "character 3: expected an operator, found [",
            "id is missing": "character 7: expected null or not null, found missing",
            "v.x": None,
        }.items():
            with self.subTest(condition):
                if message is None:
                    self.good("cat", "--where", condition, "a.parquet")
                    continue
                told = self.bad("cat", "--where", condition, "a.parquet", status=2)
                self.assertEqual(told, f"a.parquet: --where: {message}")

    def test_storage_is_asked_by_its_columns(self):
        self.make("a.parquet", RECORDS, "--variant", "v", "--shred", "none")
        columns = self.ids("a.parquet", "v.value is null", "--variant", "storage")
        self.assertEqual(columns, [5, 7])
        self.assertEqual(self.ids("a.parquet", "v.value is missing"), list(range(1, 9)))


# --- Random values, columns and conditions ---------------------------------------------------------

MISSING = object()
NAMES = ["a", "b", "c", "a.b", "", "é", 'q"', "value"]
TEXTS = ["", "a", "b", "abc", "2024-01-01", "12:00:00", "é"]


def random_scalar(rng):
    return rng.choice(
        [
            lambda: None,
            lambda: rng.random() < 0.5,
            lambda: rng.randrange(-3, 4),
            lambda: rng.choice([-(2**40), 2**63 - 1, 127, 128, 70000]),
            lambda: Decimal(rng.randrange(-30, 31)).scaleb(-rng.randrange(1, 4)),
            lambda: Decimal(f"{rng.randrange(1, 10)}e{rng.choice([-300, 200, 300])}"),
            lambda: rng.choice(TEXTS),
            lambda: rng.choice(TEXTS),
        ]
    )()


def random_value(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        return random_scalar(rng)
    if kind < 0.8:
        names = rng.sample(NAMES, rng.randrange(0, 4))
        return {name: random_value(rng, depth - 1) for name in names}
    return [random_value(rng, depth - 1) for _ in range(rng.randrange(0, 4))]


def like(rng, value):
    """A value of the same shape, mostly: so that columns have something to hold."""
    if rng.random() < 0.05:
        return random_value(rng, 2)
    if isinstance(value, dict):
        return {name: like(rng, part) for name, part in value.items() if rng.random() < 0.9}
    if isinstance(value, list):
        return [like(rng, part) for part in value for _ in range(rng.randrange(0, 3))]
    if isinstance(value, str):
        return rng.choice(TEXTS)
    if isinstance(value, int) and not isinstance(value, bool):
        return value + rng.randrange(-2, 3) if abs(value) < 2**62 else value
    return value


def to_json(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{to_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value)


def random_pair(rng, depth):
    """The columns of one field, or of the VARIANT."""
    kind = rng.randrange(7) if depth > 0 else rng.randrange(5)
    if kind == 5:
        names = rng.sample(NAMES, rng.randrange(1, 4))
        fields = "".join(
            f"required group {json.dumps(name, ensure_ascii=False)} {{ {random_pair(rng, depth - 1)} }} "
            if '"' not in name
            else ""
            for name in names
        )
        typed = f"optional group typed_value {{ {fields} }}" if fields else ""
    elif kind == 6:
        typed = (
            "optional group typed_value (LIST) { repeated group list { required group element { "
            f"{random_pair(rng, depth - 1)} }} }} }}"
        )
    else:
        typed = [
            "",
            "optional int64 typed_value;",
            "optional binary typed_value (STRING);",
            "optional int64 typed_value (DECIMAL(18,3));",
            "optional boolean typed_value;",
        ][kind]
    return f"optional binary value; {typed}"


def quoted(name):
    plain = name.isidentifier() and name.isascii()
    return name if plain else '"' + name.replace('"', '""') + '"'


def random_path(rng, value):
    """Where something is, mostly: steps, "[]" for the elements of arrays."""
    steps = []
    while rng.random() < 0.85 and len(steps) < 6:
        if isinstance(value, dict) and value and rng.random() < 0.9:
            name = rng.choice(list(value))
            steps.append((name,))
            value = value[name]
        elif isinstance(value, list) and value and rng.random() < 0.7:
            steps.append("[]")
            value = rng.choice(value)
        elif rng.random() < 0.3:
            steps.append((rng.choice(NAMES),))
            value = None
        else:
            break
    return steps, value


def occurrences(value, steps):
    if not steps or value is MISSING:
        return [value]
    if steps[0] == "[]":
        if not isinstance(value, list):
            return [MISSING]
        return [found for part in value for found in occurrences(part, steps[1:])]
    inside = isinstance(value, dict) and steps[0][0] in value
    return occurrences(value[steps[0][0]] if inside else MISSING, steps[1:])


def scalars(value):
    return [s for part in value for s in scalars(part)] if isinstance(value, list) else [value]


def class_of(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, Decimal)):
        return "number"
    return "text" if isinstance(value, str) else None


def order(value):
    return value.encode() if isinstance(value, str) else value


def compare(value, steps, sign, literals):
    def one(part):
        same = [x for x in literals if class_of(x) == class_of(part)]
        if class_of(part) is None or not same:
            return None
        return any(OPERATORS[sign](order(part), order(x)) for x in same)

    return any_of([one(s) for found in occurrences(value, steps) for s in scalars(found)])


def literal_text(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return to_json(value)


def random_test(rng, values):
    """A condition as text, and a function that tells its outcome."""
    steps, found = random_path(rng, rng.choice(values))
    text = "v" + "".join("[]" if s == "[]" else "." + quoted(s[0]) for s in steps)
    kind = rng.randrange(6)
    if kind < 3:
        literal = found if class_of(found) and rng.random() < 0.7 else random_scalar(rng)
        literal = 0 if literal is None else literal
        sign = rng.choice(list(OPERATORS))
        return f"{text} {sign} {literal_text(literal)}", lambda v: compare(v, steps, sign, [literal])
    if kind == 3:
        several = [x for x in (random_scalar(rng) for _ in range(4)) if x is not None] + [1]
        listed = ", ".join(map(literal_text, several))
        return f"{text} in ({listed})", lambda v: compare(v, steps, "=", several)
    absent = (MISSING,) if kind == 4 else (MISSING, None)
    turned = rng.random() < 0.5
    word = ("is not " if turned else "is ") + ("missing" if kind == 4 else "null")

    def ask(value):
        return any((part in absent) != turned for part in occurrences(value, steps))

    return f"{text} {word}", ask


class RandomWhere(WhereTest):
    def test_any_condition_on_any_values_in_any_columns(self):
        seed = int(os.environ.get("LAMELLA_SEED", random.randrange(2**32)))
        rounds = 2 if os.environ.get("LAMELLA_SLOW") else 6
        print(f"seed {seed}")
        rng = random.Random(seed)
        wanted_any = 0
        for _ in range(rounds):
            base = random_value(rng, 4)
            values = [like(rng, base) for _ in range(60)]
            lines = [
                f'{{"id":{n}' + (f',"v":{to_json(v)}' if rng.random() < 0.95 else "") + "}\n"
                for n, v in enumerate(values)
            ]
            values = [v if '"v"' in line and v is not None else MISSING for v, line in zip(values, lines)]
            for n, shred in enumerate(("none", "auto", random_pair(rng, 3), random_pair(rng, 4))):
                shred = shred.removeprefix("optional binary value; ") or "none"
                rows = rng.choice(["60", "7", "1"])
                sizes = ["--row-group-rows", rows, "--page-size", "64"]
                self.make(f"{n}.parquet", "".join(lines), "--variant", "v", "--shred", shred, *sizes)
            there = [v for v in values if v is not MISSING] or [1]

            def test(chosen=there):
                return random_test(rng, chosen)

            for _ in range(12):
                condition, outcome = random_condition(rng, test)
                wanted = [n for n, value in enumerate(values) if outcome(value) is True]
                wanted_any += 0 < len(wanted) < len(values)
                for n in range(4):
                    for option in ([], ["--no-pruning"]):
                        with self.subTest(condition, seed=seed, file=n, option=option):
                            got = self.ids(f"{n}.parquet", condition, *option)
                            self.assertEqual(got, wanted, self.good("schema", f"{n}.parquet"))
        self.assertGreater(wanted_any, rounds)  # most conditions want some records and not others


if __name__ == "__main__":
    program.main()
