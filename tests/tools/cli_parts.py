# SPDX-License-Identifier: Apache-2.0
"""Random JSON through random columns: whatever is shredded, all of it and parts of it are what the JSON
says."""

import json
import random
from decimal import Decimal

import program

SEED = 1
TURNS = 12

NAMES = ["a", "b", "", "k1", "a.b", "é", "value", "typed_value", "metadata", 'q"', '"', "\U0001f600", "list"]
TYPES = [
    "boolean %s",
    "int32 %s (INTEGER(8,true))",
    "int32 %s",
    "int64 %s",
    "float %s",
    "double %s",
    "int32 %s (DECIMAL(9,2))",
    "int64 %s (DECIMAL(18,1))",
    "fixed_len_byte_array(16) %s (DECIMAL(38,3))",
    "fixed_len_byte_array(20) %s (DECIMAL(38,0))",
    "binary %s (DECIMAL(38,0))",
    "int32 %s (DATE)",
    "binary %s",
    "binary %s (STRING)",
    "fixed_len_byte_array(16) %s (UUID)",
]

# --- Columns: a dict of fields, a list of one, the type of a scalar, None for `value` alone ---------


def random_shape(rng, depth=0):
    choice = rng.random()
    if depth == 0 or (depth < 4 and choice < 0.35):
        return {name: random_shape(rng, depth + 1) for name in rng.sample(NAMES, rng.randint(1, 6))}
    if depth < 4 and choice < 0.55:
        return [random_shape(rng, depth + 1)]
    return rng.choice([*TYPES, None])


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def pair(shape):
    return "optional binary value; " + ("" if shape is None else layout(shape))


def layout(shape):
    if isinstance(shape, dict):
        fields = (f"required group {quoted(name)} {{ {pair(part)} }}" for name, part in shape.items())
        return f"optional group typed_value {{ {' '.join(fields)} }}"
    if isinstance(shape, list):
        element = f"required group element {{ {pair(shape[0])} }}"
        return f"optional group typed_value (LIST) {{ repeated group list {{ {element} }} }}"
    return f"optional {shape % 'typed_value'};"


# --- Values, as JSON text -------------------------------------------------------------------------


def number(rng):
    digits = str(rng.randint(-(10 ** rng.randint(1, 20)), 10 ** rng.randint(1, 20)))
    return digits + rng.choice(["", "", ".0", ".5", ".25", ".125", "e3"])


def string(rng):
    text = "".join(rng.choices(["", "a", "é", "\U0001f600", '"', "\\", "\n", "long " * 14], k=3))
    return json.dumps(text, ensure_ascii=rng.random() < 0.5)


def scalar(rng):
    return rng.choice(["null", "true", "false", "{}", "[]", number(rng), string(rng)])


def join_fields(rng, fields):
    fields = list(fields.items())
    rng.shuffle(fields)
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in fields) + "}"


def any_value(rng, depth=0):
    choice = rng.random()
    if depth > 5 or choice < 0.6:
        return scalar(rng)
    if choice < 0.8:
        return "[" + ",".join(any_value(rng, depth + 1) for _ in range(rng.randint(0, 4))) + "]"
    names = rng.sample(NAMES, rng.choice([0, 1, 2, 5]))
    return join_fields(rng, {name: any_value(rng, depth + 1) for name in names})


def fitting(rng, shape):
    """A value that has the types of the columns, mostly."""
    if shape is None or rng.random() < 0.12:
        return any_value(rng)
    if isinstance(shape, dict):
        fields = {name: fitting(rng, part) for name, part in shape.items() if rng.random() < 0.8}
        for name in rng.sample(NAMES, rng.choice([0, 0, 1, 3])):
            fields.setdefault(name, any_value(rng, 3))
        return join_fields(rng, fields)
    if isinstance(shape, list):
        return "[" + ",".join(fitting(rng, shape[0]) for _ in range(rng.randint(0, 3))) + "]"
    if "boolean" in shape:
        return rng.choice(["true", "false"])
    is_text = "STRING" in shape or "UUID" in shape or "DATE" in shape or shape == "binary %s"
    return string(rng) if is_text else number(rng)


def exact(line):
    return json.loads(line, parse_int=Decimal, parse_float=Decimal)


# --- What paths lead to ---------------------------------------------------------------------------


def paths_of(value, way=()):
    for name, part in value.items() if isinstance(value, dict) else ():
        yield (*way, name)
        yield from paths_of(part, (*way, name))


def parts(value, paths):
    """The object of the parts of an object that paths lead to, by the words of projection.h."""
    found = {}
    for name in value if isinstance(value, dict) else ():
        behind = [path[1:] for path in paths if path[0] == name]
        if () in behind:
            found[name] = value[name]
        elif behind:
            inside = parts(value[name], behind)
            if inside:
                found[name] = inside
    return found


def path_text(path):
    return "record." + ".".join('"' + name.replace('"', '""') + '"' for name in path)


class Parts(program.ProgramTest):
    def test_all_and_parts_of_random_values_are_what_they_were(self):
        for turn in range(TURNS):
            seed = SEED * 1000 + turn
            rng = random.Random(seed)
            shape = random_shape(rng)
            # An array in the first line would be one of records.
            lines = ["{}"] + [fitting(rng, shape) for _ in range(rng.randint(1, 30))]
            values = [exact(line) for line in lines]
            with self.subTest(seed=seed, layout=layout(shape)):
                self.check(rng, shape, "\n".join(lines) + "\n", values)

    def check(self, rng, shape, text, values):
        printed = set()
        options = [] if rng.random() < 0.5 else ["--row-group-rows", "5"]
        for n, shred in enumerate(["none", "auto", layout(shape)]):
            self.make(f"{n}.parquet", text, "--variant-all", "--shred", shred, *options)
            self.good("check", "--strict", f"{n}.parquet")
            printed.add(self.good("cat", f"{n}.parquet"))
        self.assertEqual(len(printed), 1)
        found = [exact(line)["record"] for line in printed.pop().splitlines()]
        self.assertEqual(found, values)
        there = sorted({path for value in values for path in paths_of(value)})
        for _ in range(3 if there else 0):
            paths = rng.sample(there, min(len(there), rng.randint(1, 4)))
            paths += [(*paths[0], "none")] if rng.random() < 0.3 else []
            columns = ",".join(map(path_text, paths))
            expected = [parts(value, paths) for value in values]
            for n in range(3):
                output = self.good("cat", "--columns", columns, f"{n}.parquet")
                found = [exact(line)["record"] for line in output.splitlines()]
                self.assertEqual(found, expected, (columns, n))


if __name__ == "__main__":
    program.main()
