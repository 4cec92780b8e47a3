# SPDX-License-Identifier: Apache-2.0
"""INT96 in other forms: nanoseconds outside of their day, as Arrow C++ before 23 and Velox write times before 1970.

Two files hold the same times. In one all nanoseconds are within their day; in the other many are not. No command may
tell them apart, but for those that show bytes, and `check`, which notes it.
"""

import datetime
import os
import random
import sys

sys.path[:0] = [
    os.path.dirname(os.path.abspath(__file__)),
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "conformance"),
]

import footer_edit
import program

DAY = 86400 * 10**9
EPOCH = datetime.datetime(1970, 1, 1)
INT96, FIXED = 3, 7
ROWS = 300
SCHEMA = "message m {{ required int64 k; optional {0} t; optional group l (LIST) {{ repeated group list {{ required {0} element; }} }} }}"


def text_of(micros):
    return (EPOCH + datetime.timedelta(microseconds=micros)).isoformat(timespec="microseconds") + "000"


def odd_bytes(micros, days):
    """The 12 bytes of a time, its day moved by some days that its nanoseconds make good."""
    day, nanos = divmod(micros * 1000, DAY)
    return (nanos - days * DAY).to_bytes(8, "little", signed=True) + (day + days + 2440588).to_bytes(4, "little")


def as_int96(data):
    """The same file, whose columns of 12 bytes are INT96, without what is stated about their bytes."""
    body, tree = footer_edit.footer_of(data)
    for element in footer_edit.elements(tree):
        if element.get(1) == (footer_edit.I32, FIXED):
            element[1] = (footer_edit.I32, INT96)
            del element[2]
    for chunk in footer_edit.chunks(tree):
        column = footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])
        if column[1] == (footer_edit.I32, FIXED):
            column[1] = (footer_edit.I32, INT96)
            column.pop(12, None)
            chunk.pop(6, None)
            chunk.pop(7, None)
    return footer_edit.file_of(body, tree)


class Int96Test(program.ProgramTest):
    def twins(self, *options):
        """normal.parquet and odd.parquet, and the times of t by row."""
        source = random.Random(96)
        day = DAY // 1000
        edges = [0, -1, 1, day - 1, day, -day, -day - 1]
        pool = edges + [source.randrange(-80 * 365 * day, 60 * 365 * day) for _ in range(90)]
        normal, odd, times = [], [], []
        for k in range(ROWS):
            micros = None if k % 17 == 3 else source.choice(pool)
            items = [source.choice(pool) for _ in range(k % 4)]
            days = [source.choice([-2, -1, 0, 0, 1, 1, 3]) for _ in range(4)]
            times.append(micros)
            normal.append(
                {"k": k, "t": None if micros is None else text_of(micros), "l": [text_of(item) for item in items]}
            )
            odd.append(
                {
                    "k": k,
                    "t": None if micros is None else odd_bytes(micros, days[3]).hex(),
                    "l": [odd_bytes(item, days[i]).hex() for i, item in enumerate(items)],
                }
            )
        self.make("normal.parquet", normal, "--schema", SCHEMA.format("int96"), *options)
        fixed = SCHEMA.format("fixed_len_byte_array(12)")
        self.make("fixed.parquet", odd, "--schema", fixed, "--binary", "hex", *options)
        with open(self.path("fixed.parquet"), "rb") as file:
            self.put("odd.parquet", as_int96(file.read()))
        return times

    def same(self, *command):
        """What a command prints of either file."""
        normal, odd = (self.good(*command, name) for name in ["normal.parquet", "odd.parquet"])
        self.assertEqual(odd, normal, command)
        return odd

    def test_records_print_alike_in_every_form(self):
        times = self.twins()
        printed = [record["t"] for record in self.records("odd.parquet")]
        self.assertEqual(printed, [None if time is None else text_of(time) for time in times])
        for command in [
            *(["cat", "--format", form] for form in ["json", "csv", "tsv", "table"]),
            ["cat", "--columns", "l"],
            ["cat", "--skip", "40", "--limit", "50"],
            ["head", "-n", "7"],
            ["tail", "-n", "7"],
            ["sample", "-n", "20", "--seed", "5"],
            ["levels"],
            ["levels", "--json"],
        ]:
            self.assertNotIn("base64", self.same(*command))

    def test_conditions_find_times_in_dictionaries_and_without(self):
        for options in [[], ["--no-dictionary"], ["--bloom", "t", "--bloom", "l"], ["--page-size", "256"]]:
            times = self.twins(*options)
            known = [time for time in times if time is not None]
            for time in sorted(set(known))[::12]:
                moment = f"'{text_of(time)}'"
                for mark, holds in [
                    ("=", lambda a, b: a == b),
                    ("<>", lambda a, b: a != b),
                    ("<", lambda a, b: a < b),
                    (">=", lambda a, b: a >= b),
                ]:
                    found = self.same("count", "--where", f"t {mark} {moment}")
                    self.assertEqual(int(found), sum(holds(other, time) for other in known), (options, mark, moment))
                found = self.same("count", "--where", f"t in ({moment}, '2100-01-01T00:00:00')")
                self.assertEqual(int(found), known.count(time))
                found = self.same("count", "--where", f"t between '1850-01-01' and {moment}")
                self.assertEqual(int(found), sum(other <= time for other in known))
                self.same("cat", "--where", f"l.list.element = {moment}")
        self.same("count", "--where", "t is null")

    def test_a_file_made_of_either_has_the_same_records(self):
        self.twins()
        for options in [
            [],
            ["--where", "t < '1970-01-01'"],
            ["--sort-by", "t,k"],
            ["--sort-by", "t:desc,k"],
            ["--sort-by", "t,k", "--int96-order"],
            ["--row-group-rows", "70", "--int96-order"],
            ["--salvage"],
        ]:
            for name in ["normal", "odd"]:
                self.run_program("rewrite", *options, "-o", f"{name}.out", f"{name}.parquet")
            self.assertEqual(self.good("cat", "odd.out"), self.good("cat", "normal.out"), options)
            self.assertEqual(self.good("diff", "odd.out", "normal.out"), "", options)
            checked = self.good("check", "odd.out").splitlines()
            self.assertRegex(checked[-1], r": 0 errors, 0 warnings, [12] notes ", options)
        self.good("import", "-o", "again.parquet", "odd.parquet")
        self.assertEqual(self.good("cat", "again.parquet"), self.good("cat", "normal.parquet"))

    def test_rows_are_sorted_by_the_time(self):
        times = self.twins()
        self.good("rewrite", "--sort-by", "t", "-o", "sorted.parquet", "odd.parquet")
        printed = [record["t"] for record in self.records("sorted.parquet") if record["t"] is not None]
        self.assertEqual(printed, [text_of(time) for time in sorted(time for time in times if time is not None)])

    def test_check_notes_it_once_in_a_column_chunk(self):
        self.twins()
        lines = [line for line in self.good("check", "odd.parquet").splitlines() if "int96-nanoseconds" in line]
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], "note int96-nanoseconds: a timestamp of day .* and .* nanoseconds, which are added up")
        self.assertNotIn("int96-nanoseconds", self.good("check", "normal.parquet"))


if __name__ == "__main__":
    program.main()
