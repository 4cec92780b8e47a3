# SPDX-License-Identifier: Apache-2.0
"""Several files whose schemas differ: a file without a field has nulls there."""

import json
import os
import random

import program

COMMANDS = [["cat"], ["head", "-n", "1000"], ["sample", "-n", "1000", "--seed", "1"]]


class Fields(program.ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("d"))
        self.make("d/a.parquet", [{"a": 1, "g": {"x": 1, "l": [{"p": 1}, {"p": 2}]}, "one": [1]},
                                  {"a": 2, "g": None}, {"a": 3, "g": {"x": None, "l": []}}])  # fmt: skip
        self.make("d/b.parquet", [{"b": "t", "a": 5, "g": {"y": 7, "l": [{"q": "z", "p": 9}]}, "two": {"k": 1}}])

    def rows(self, *arguments):
        return [json.loads(line) for line in self.good(*arguments).splitlines()]

    def test_columns_of_some_files_are_null_in_the_others(self):
        for command in COMMANDS:
            self.assertEqual(
                self.rows(*command, "--columns", "b,a,two", "d"),
                [{"a": n, "b": None, "two": None} for n in [1, 2, 3]] + [{"a": 5, "b": "t", "two": {"k": 1}}],
            )
        self.assertEqual(
            self.rows("cat", "--columns", "g", "d"),
            [{"g": {"x": 1, "l": [{"p": 1, "q": None}, {"p": 2, "q": None}], "y": None}}, {"g": None},
             {"g": {"x": None, "l": [], "y": None}}, {"g": {"x": None, "l": [{"p": 9, "q": "z"}], "y": 7}}],
        )  # fmt: skip

    def test_delimited_text_has_one_header(self):
        """Also where files have their fields in different orders."""
        wanted = "a,g.x,g.y,b\n1,1,,\n2,,,\n3,,,\n5,,7,t\n"
        self.assertEqual(self.good("cat", "-f", "csv", "--columns", "b,a,g.x,g.y", "d"), wanted)
        self.make("e", [{"y": 1, "x": 2}])
        self.make("f", [{"x": 3, "y": 4}])
        self.assertEqual(self.good("cat", "-f", "csv", "--columns", "*", "e", "f"), "y,x\n1,2\n4,3\n")

    def test_conditions_on_fields_of_some_files(self):
        for where, wanted in [
            ("b = 't'", [5]), ("not b = 't'", []), ("b is null", [1, 2, 3]), ("b is not null", [5]),
            ("g.y = 7", [5]), ("g.y is null", [1, 2, 3]), ("g.l[].q is null", [1]), ("g.l[].q = 'z'", [5]),
            ("two.k is null and a > 1", [2, 3]), ("one is null", [2, 3, 5]), ("b = 't' or a = 1", [1, 5]),
        ]:  # fmt: skip
            for command in COMMANDS:
                rows = self.rows(*command, "--columns", "a", "--where", where, "d")
                self.assertEqual([row["a"] for row in rows], wanted, where)
            self.assertEqual(self.good("count", "--where", where, "d"), f"{len(wanted)}\n")
            self.good("rewrite", "--columns", "a", "--where", where, "-o", "out", "d")
            self.assertEqual([row["a"] for row in self.rows("cat", "out")], wanted, where)

    def test_what_no_file_has_is_an_error_with_the_nearest_name(self):
        for command in ["cat", "head", "sample", "count"]:
            self.assertEqual(self.misuse(command, "--where", "bb = 1", "d"),
                             "d/a.parquet: --where: character 1: no field 'bb' (did you mean b?)")  # fmt: skip
        for command in ["cat", "tail"]:
            self.assertEqual(self.misuse(command, "--columns", "twoo", "d"),
                             "d/a.parquet: --columns: character 1: no field 'twoo' (did you mean two?)")  # fmt: skip
        self.assertEqual(self.misuse("rewrite", "--columns", "twoo", "-o", "out", "d"),
                         "d/a.parquet: --columns: character 1: no field 'twoo' (did you mean two?)")  # fmt: skip
        self.assertEqual(self.misuse("rewrite", "--where", "bb = 1", "-o", "out", "d"),
                         "d/a.parquet: --where: character 1: no field 'bb' (did you mean b?)")  # fmt: skip

    def test_types_that_conflict_name_both_files(self):
        self.make("e", [{"a": "x"}])
        self.make("f", [{"c": 1}])
        for command in (["cat", "--where", "a = 1"], ["cat", "--columns", "a"], ["rewrite", "-o", "out"]):
            self.assertEqual(self.bad(*command, "--on-clash", "error", "f", "d/a.parquet", "e"),
                             "e: field 'a' is optional int64 in d/a.parquet and optional binary (STRING) in e")  # fmt: skip
        status, output, errors = self.run_program("cat", "--where", "a = 1", "f", "d/a.parquet", "e")
        self.assertEqual((status, json.loads(output)["a"]), (0, 1))
        self.assertEqual(errors, "lamella: e: field a becomes a VARIANT: int64 in d/a.parquet, binary (STRING) here "
                                 "(--on-clash string or error changes this)\n")  # fmt: skip

    def test_the_tail_of_a_folder(self):
        os.utime(self.path("d/a.parquet"), (1000, 1000))
        self.assertEqual(self.rows("tail", "-n", "2", "--columns", "one,b,g.y", "d"),
                         [{"one": None, "b": None, "g": {"y": None}}, {"one": None, "b": "t", "g": {"y": 7}}])  # fmt: skip
        self.assertEqual(self.rows("tail", "-n", "1", "--columns", "one", "d"), [{"one": None}])
        self.assertEqual(self.good("tail", "--format", "csv", "--columns", "b,a", "d"), "a,b\n1,\n2,\n3,\n5,t\n")

    def test_a_map_a_variant_and_a_list_that_are_missing(self):
        schema = ("message m { required int64 n; optional group v (VARIANT) { required binary metadata; required"
                  " binary value; } optional group m (MAP) { repeated group key_value { required binary key (STRING);"
                  " optional int64 value; } } optional group l (LIST) { repeated group list { optional int64 element;"
                  " } } }")  # fmt: skip
        self.make("e", '{"n":1,"v":{"k":3},"m":{"x":4},"l":[5]}\n', "--schema", schema)
        self.make("f", [{"n": 2}])
        self.assertEqual(self.rows("cat", "--columns", "n,v.k,m,l", "f", "e"),
                         [{"n": 2, "v": None, "m": None, "l": None},
                          {"n": 1, "v": {"k": 3}, "m": {"x": 4}, "l": [5]}])  # fmt: skip
        for where, wanted in [("v.k = 3", [1]), ("v.k is null", [2]), ("m['x'] = 4", [1]), ("m['x'] is null", [2]),
                              ("l = 5", [1]), ("l is null", [2]), ("v.k is missing", [2])]:  # fmt: skip
            rows = self.rows("cat", "--columns", "n", "--where", where, "f", "e")
            self.assertEqual([row["n"] for row in rows], wanted, where)

    def test_random_files_are_as_one_file_with_nulls(self):
        """Files that lack random fields against one file that has them all, with nulls."""
        seed = int(os.environ.get("LAMELLA_SEED", "0")) or random.randrange(1 << 30)
        print("seed", seed)
        chance = random.Random(seed)
        types = {"i": "int64", "t": "binary %s (STRING)"}
        paths = ["i", "t", "g.i", "g.t", "g.h.i", "g.h.t", "l.i", "l.t", "r.i", "r.g.t"]

        def schema(kept):
            def leaf(path):
                name = path[-1]
                return f"optional {types[name] % name if '%' in types[name] else types[name] + ' ' + name};"

            def group(prefix, head, inner):
                fields = [leaf(p) for p in kept if p.startswith(prefix) and "." not in p[len(prefix):]]
                return head % (" ".join(fields) + inner) if fields or inner else ""

            h = group("g.h.", "optional group h { %s }", "")
            rg = group("r.g.", "optional group g { %s }", "")
            return ("message m { required int64 n; " + group("", "%s", "")
                    + group("g.", "optional group g { %s }", h)
                    + group("l.", "optional group l (LIST) { repeated group list { optional group element { %s } } }", "")
                    + group("r.", "repeated group r { %s }", rg) + "}")  # fmt: skip

        def value(kept, prefix, n):
            row = {}
            for path in kept:
                if not path.startswith(prefix):
                    continue
                name = path[len(prefix):].split(".")[0]
                if name in row or (chance.random() < 0.3 and name not in "lr"):
                    row.setdefault(name, None)
                elif name in "lr" and prefix == "":
                    items = [value(kept, f"{name}.", n) for _ in range(chance.randrange(3))]
                    row[name] = items if name == "r" or chance.random() < 0.8 else None
                elif name in "gh":
                    row[name] = value(kept, f"{prefix}{name}.", n)
                else:
                    row[name] = chance.randrange(4) if name == "i" else chance.choice("xyz")
            return row

        rows, names = [], []
        for k in range(6):
            kept = paths if k == 0 else [path for path in paths if chance.random() < 0.5]
            some = [dict(n=k * 100 + n, **value(kept, "", n)) for n in range(20)]
            names.append(f"f{k}")
            self.make(names[-1], program.ndjson(some), "--schema", schema(kept))
            rows += some
        # A group of which a file lacks all fields is null there, and a list of such elements as well.
        whole = self.make("all", program.ndjson(rows), "--schema", schema(paths))
        self.assertEqual(self.good("cat", "--columns", "*", *names), self.good("cat", whole))
        for path in ["i", "t", "g.i", "g.h.t", "l[].i", "r.i", "r.g.t"]:
            for test in ["is null", "is not null", "= 1", "= 'x'", "in ('x', 'z')", "< 2"]:
                if ("'" in test) == (path[-1] == "t") or "null" in test:
                    where = f"{path} {test}"
                    self.assertEqual(self.good("cat", "--columns", "n", "--where", where, *names),
                                     self.good("cat", "--columns", "n", "--where", where, whole), where)  # fmt: skip


if __name__ == "__main__":
    program.main()
