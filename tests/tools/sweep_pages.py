# SPDX-License-Identifier: Apache-2.0
"""A page of any type, with any of the structs of a page header, among pages that are right.

It is before, between or behind them, in files of several writers, with and without a codec; each
command is run on each file. What reads rows gives those that the pages have, or ends with one line
that names the page; what writes leaves a file with these rows, or none. In C, with every set of
structs: tests/file/test_page_types.c.
"""

import json
import os
import struct
import sys

import program

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import sample  # noqa: E402

FILES = 4  # of all, in the short form
ROWS = 3  # of a page
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
NEEDED = {0: "v1", 2: "dictionary", 3: "v2"}
SETS = [[], ["v1"], ["index"], ["dictionary"], ["v2"], ["v1", "index", "dictionary", "v2"]]
WRITERS = [None, "parquet-mr", "parquet-mr version 1.2.8 (build x)", "lamella version 0.2.0", "DuckDB version v1.5.0 (build x)"]
CASES = [
    (kind, structs, writer, codec, position)
    for kind in (-1, 0, 1, 2, 3, 4, 17)
    for structs in SETS
    for writer in WRITERS
    for codec in (0, 1)
    for position in range(3)
]
ALWAYS = [(2, [name], None, codec, 2) for codec, name in enumerate(["v1", "v2"])]  # one bit makes it a data page

# --- Files: the compact protocol, as far as it is needed ---------------------------------------------


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def number(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def text(value):
    return varint(len(value)) + value


def items(kind, elements):
    return bytes([len(elements) << 4 | kind]) + b"".join(elements)


def record(*fields):
    """A struct of (id, type, bytes)."""
    out, last = b"", 0
    for field, kind, value in fields:
        out += bytes([(field - last) << 4 | kind]) + value
        last = field
    return out + b"\0"


def numbers(kind, **fields):
    return [(int(field[1:]), kind, number(value)) for field, value in fields.items()]


def page(kind, structs, first, codec):
    """A page of three values, and its size without compression."""
    body = plain = struct.pack("<3q", first, first + 1, first + 2)
    if codec == 1:  # Snappy, of one literal
        body = varint(len(plain)) + bytes([(len(plain) - 1) << 2]) + plain
    parts = {
        "v1": (5, record(*numbers(I32, _1=ROWS, _2=0, _3=3, _4=3))),
        "index": (6, record()),
        "dictionary": (7, record(*numbers(I32, _1=ROWS, _2=0))),
        "v2": (8, record(*numbers(I32, _1=ROWS, _2=0, _3=ROWS, _4=0, _5=0, _6=0))),
    }
    header = record(
        *numbers(I32, _1=kind, _2=len(plain), _3=len(body)),
        *((parts[name][0], STRUCT, parts[name][1]) for name in structs),
    )
    return header + body, len(header) + len(plain)


class Case:
    """A file, its rows, and whether and where reading it fails."""

    def __init__(self, kind, structs, writer, codec, position):
        is_half = kind in NEEDED and NEEDED[kind] not in structs
        is_data = kind in (0, 3)
        self.is_half = is_half
        self.reads = (position == 2 and not is_data) or not is_half
        if kind == 2 and position == 1:
            self.reads = False
        self.rows, pages, plain_size = [], b"", 0
        for i in range(3):
            first = 1000 * i
            if i == position:
                self.offset = 4 + len(pages)
                made, size = page(kind, structs, first, codec)
            else:
                made, size = page(3 * (i % 2), ["v2" if i % 2 else "v1"], first, codec)
            if i != position or is_data:
                self.rows += [{"a": first + k} for k in range(ROWS)]
            pages += made
            plain_size += size
        column = record(
            *numbers(I32, _1=2),
            (2, LIST, items(I32, [number(0), number(3)])),
            (3, LIST, items(BINARY, [text(b"a")])),
            *numbers(I32, _4=codec),
            *numbers(I64, _5=len(self.rows), _6=plain_size, _7=len(pages), _9=4),
        )
        chunk = record(*numbers(I64, _2=4), (3, STRUCT, column))
        group = record((1, LIST, items(STRUCT, [chunk])), *numbers(I64, _2=plain_size, _3=len(self.rows)))
        schema = [record((4, BINARY, text(b"schema")), (5, I32, number(1)))]
        schema += [record(*numbers(I32, _1=2, _3=0), (4, BINARY, text(b"a")))]
        footer = record(
            *numbers(I32, _1=1),
            (2, LIST, items(STRUCT, schema)),
            *numbers(I64, _3=len(self.rows)),
            (4, LIST, items(STRUCT, [group])),
            *([] if writer is None else [(6, BINARY, text(writer.encode()))]),
        )
        self.bytes = b"PAR1" + pages + footer + struct.pack("<I", len(footer)) + b"PAR1"


# --- Commands -----------------------------------------------------------------------------------------

READING = ["cat", "head -n 99", "cat --no-pruning --where a>=0"]
PRINTING = ["cat -f csv", "cat -f table", "cat -f tsv", "count --where a>=0", "sample -n 99"]
WRITING = ["rewrite", "rewrite --codec zstd", "rewrite --page-size 99", "rewrite --row-group-rows 2", "rewrite --sort-by a", "rewrite --where a>=0", "import", "import --codec none"]  # fmt: skip
ADDING = ["append", "append --in-place"]
ANYHOW = ["count", "schema", "meta", "meta --verbose", "meta --json", "pages", "pages --json", "pages --index", "bytes", "bytes --all --json", "levels", "levels --explain", "trace", "automaton", "summary", "summary --findings", "check", "check --json --all", "tail", "cat --keep-going"]  # fmt: skip
SAVING = ["rewrite --salvage", "explain"]


class Pages(program.ProgramTest):
    def run_case(self, *arguments):
        """3 is a salvage that lost something."""
        status, output, errors = self.run_program(*arguments)
        lines = errors.splitlines()
        self.assertIn(status, (0, 1, 3) if "--salvage" in arguments else (0, 1), errors)
        for line in lines:
            self.assertTrue(line.startswith("lamella: "), errors)
        return status, output.decode(), lines

    def expect_failure(self, case, status, lines):
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn(f"offset {case.offset})", lines[0])

    def rows(self, output):
        return [json.loads(line) for line in output.splitlines()]

    def read(self, case):
        for command in READING + PRINTING:
            with self.subTest(command):
                status, output, lines = self.run_case(*command.split(), "f.parquet")
                if not case.reads:
                    self.expect_failure(case, status, lines)
                    continue
                self.assertEqual((status, lines), (0, []))
                if command in READING:
                    self.assertEqual(self.rows(output), case.rows)

    def write(self, case):
        for command in WRITING:
            with self.subTest(command):
                status, _, lines = self.run_case(*command.split(), "-o", "o.parquet", "f.parquet")
                if not case.reads:
                    self.expect_failure(case, status, lines)
                    self.assertEqual(self.files(), ["f.parquet"])
                    continue
                self.assertEqual((status, lines), (0, []))
                self.assertEqual(self.records("o.parquet"), case.rows)
                self.good("check", "--quiet", "o.parquet")
                os.remove(self.path("o.parquet"))

    def add(self, case):
        """To a good file, and a good file to this one."""
        with open(self.path("good.parquet"), "wb") as file:
            file.write(Case(1, [], None, 0, 2).bytes)
        good = self.records("good.parquet")
        for command in ADDING:
            with self.subTest(command):
                self.put("o.parquet", self.content("good.parquet"))
                status, _, lines = self.run_case(*command.split(), "-o", "o.parquet", "f.parquet")
                if case.reads:
                    self.assertEqual((status, lines), (0, []))
                else:
                    self.expect_failure(case, status, lines)
                self.assertEqual(self.records("o.parquet"), good + case.rows if case.reads else good)
                self.put("o.parquet", case.bytes)
                status, _, lines = self.run_case(*command.split(), "-o", "o.parquet", "good.parquet")
                if case.reads:
                    self.assertEqual((status, lines), (0, []))
                    self.assertEqual(self.records("o.parquet"), case.rows + good)
                self.assertEqual(self.files(), ["f.parquet", "good.parquet", "o.parquet"])
        os.remove(self.path("o.parquet"))
        os.remove(self.path("good.parquet"))

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def do_anyhow(self, case):
        for command in ANYHOW:
            with self.subTest(command):
                status, output, lines = self.run_case(*command.split(), "f.parquet")
                self.assertTrue(status == 0 or lines or command.startswith("check"), command)
                if command == "cat --keep-going" and case.reads:
                    self.assertEqual(self.rows(output), case.rows)
                if command == "pages":
                    self.assertEqual(status, int(case.is_half))
                if command == "bytes":
                    self.assertEqual(status, int(case.is_half))
        self.assertEqual(self.files(), ["f.parquet"])
        for command in SAVING:
            with self.subTest(command):
                self.run_case(*command.split(), "-o", "o", "f.parquet")
                self.assertIn(self.files(), (["f.parquet"], ["f.parquet", "o"]))
                if "o" in self.files():
                    os.remove(self.path("o"))

    def test_every_command_on_a_page_of_each_header(self):
        for parts in ALWAYS + sample.take(CASES, FILES, "pages"):
            with self.subTest(parts, told=sample.told):
                case = Case(*parts)
                self.put("f.parquet", case.bytes)
                self.read(case)
                self.write(case)
                self.add(case)
                self.do_anyhow(case)


if __name__ == "__main__":
    print(sample.told)
    program.main()
