# SPDX-License-Identifier: Apache-2.0
"""What people see of strangers' texts: on a terminal and in messages nothing steers, breaks, turns or hides text.

Files are made whose every text (names, values, keys, bounds, paths, the writer) has sequences that do; so have names
of files and folders, keys of partitions, names of CSV columns and of JSON members, and arguments. Every command runs
on them with its output to a pipe and to a terminal. A draw of the sequences by default, each alone with LAMELLA_TEXTS=all.
"""

import json
import os
import pty
import random
import select
import struct
import subprocess
import tty
import unicodedata
import unittest

import program
from bombs import data_page, dictionary_page
from thrift_struct import Struct, varint, zigzag

BYTE_ARRAY = 6
STRING, ENUM, JSON_TYPE = 0, 4, 19

# Well-formed UTF-8 that does something to the text around it, each with a word that shows whether a line was broken.
SEQUENCES = [
    *(bytes([c]) for c in (0, 1, 7, 8, 9, 10, 11, 12, 13, 14, 27, 31, 127)),
    b"\x1b[2J", b"\x1b]0;title\x07", b"\r\nINJECTED", b"\nlamella: INJECTED",
    *(chr(c).encode() for c in (
        0x80, 0x85, 0x90, 0x9B, 0x9D, 0x9F, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200D, 0x200E, 0x200F, 0x2028,
        0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0x3164, 0xFDD0, 0xFE0F, 0xFEFF, 0xFFF9, 0xFFFE, 0xFFFF, 0x1D173,
        0x1FFFE, 0xE0001, 0xE0041, 0xE0100, 0x10FFFF)),
    "\u009b31m".encode(),
]  # fmt: skip
# Bytes that are no UTF-8: overlong forms, surrogates, ends that are missing, what is beyond Unicode.
BROKEN = [
    b"\xff", b"\xfe", b"\x80", b"\x9b", b"\x9b31m", b"\xc0\xaf", b"\xc0\x80", b"\xe0\x80\xaf", b"\xc2", b"\xe2\x80",
    b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
    b"\xe2\x80\x1b[2J", b"\xc2\x1b",
]  # fmt: skip


def hidden(text, machine=False):
    """What of an output neither shows nor is its own: line breaks, and tabulators between columns."""
    found = []
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        return [f"{error}: {text[max(0, error.start - 20):error.start + 20]!r}"]
    for character in set(decoded) - {"\n", "\t"}:
        code = ord(character)
        if (
            unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")
            or code & 0xFFFE == 0xFFFE
            or 0xFDD0 <= code <= 0xFDEF
            or code in (0x34F, 0x115F, 0x3164, 0xFE0F, 0xE0100)
        ):
            at = decoded.index(character)
            found.append(f"U+{code:04X} in {decoded[max(0, at - 30):at + 30]!r}")
    lines = [line for line in decoded.split("\n") if line.startswith(("INJECTED", "lamella: INJECTED"))]
    return found + ([] if machine else lines)


def plain(values):
    return b"".join(struct.pack("<I", len(value)) + value for value in values)


def key_value(key, value):
    return Struct().text(1, key).text(2, value).end()


def element(name, converted=None):
    field = Struct().i32(1, BYTE_ARRAY).i32(3, 0).text(4, name)
    return (field if converted is None else field.i32(6, converted)).end()


class Hostile:
    """A file all of whose texts have `bad`; `other` tells files apart. Its first column chunk begins at 4."""

    def __init__(self, bad, other=b""):
        def name(place, bad=bad.replace(b"\0", b"")):  # a NUL in metadata is refused
            return b"A" + bad + other + place + b"Z"

        self.value = name(b"value", bad)
        metadata = b"\x01\x01\x00" + bytes([len(name(b"key"))]) + name(b"key") if len(bad) < 200 else b"\x01\x00\x00"
        variant = bytes([len(name(b"v")) << 2 | 1]) + name(b"v") if len(name(b"v")) < 64 else b"\x0c\x01"
        columns = [
            ([name(b"s")], [self.value, name(b"second", bad)], False),
            ([name(b"e")], [name(b"enum", bad), name(b"enum2", bad)], True),
            ([name(b"j")], [json.dumps({self.value.decode(errors="replace"): 1}).encode(), b"{}"], False),
            ([name(b"b")], [name(b"bytes", bad), b"x"], False),
            ([name(b"v"), b"metadata"], [metadata, metadata], False),
            ([name(b"v"), b"value"], [variant, variant], False),
        ]
        schema = [
            Struct().text(4, name(b"root")).i32(5, 5).end(),
            element(name(b"s"), STRING),
            element(name(b"e"), ENUM),
            element(name(b"j"), JSON_TYPE),
            element(name(b"b")),
            Struct().i32(3, 0).text(4, name(b"v")).i32(5, 2).struct(10, Struct().struct(16, Struct())).end(),
            element(b"metadata"),
            element(b"value"),
        ]
        self.data = b"PAR1"
        chunks = [self.chunk(path, values, has_dictionary, name) for path, values, has_dictionary in columns]
        group = Struct().list(1, 12, chunks).i64(2, len(self.data)).i64(3, 2).end()
        end = Struct().i32(1, 1).list(2, 12, schema).i64(3, 2).list(4, 12, [group])
        end.list(5, 12, [key_value(name(b"key"), name(b"file value"))]).text(6, name(b"created by"))
        self.footer = end.end()
        self.data += self.footer + struct.pack("<I", len(self.footer)) + b"PAR1"

    def chunk(self, path, values, has_dictionary, name):
        at, dictionary = len(self.data), b""
        page = data_page(2, 0, plain(values))
        if has_dictionary:
            dictionary = dictionary_page(2, plain(values))
            page = data_page(2, 8, b"\x01\x03\x02")
        bounds = Struct().text(5, max(values)).text(6, min(values))
        column = Struct().i32(1, BYTE_ARRAY).list(2, 5, [zigzag(0), zigzag(3), zigzag(8)])
        column.list(3, 8, [varint(len(part)) + part for part in path]).i32(4, 0).i64(5, 2)
        column.i64(6, len(dictionary + page)).i64(7, len(dictionary + page))
        column.list(8, 12, [key_value(name(b"ck"), name(b"cv"))]).i64(9, at + len(dictionary))
        if dictionary:
            column.i64(11, at)
        column.struct(12, bounds)
        self.data += dictionary + page
        return Struct().i64(2, at).struct(3, column).end()


# Command lines; whether the output is JSON, by line or as a whole, or another format of machines.
PEOPLE, LINES, WHOLE, MACHINE = range(4)
COMMANDS = [
    ("cat", LINES), ("cat -f json", WHOLE), ("cat -f csv", MACHINE), ("cat -f tsv", MACHINE), ("cat -f table", PEOPLE),
    ("cat -f table --wide", PEOPLE), ("cat --keep-going", LINES), ("cat --variant typed", LINES),
    ("cat --variant storage --binary utf8", LINES), ("head -f csv --csv-for spreadsheet", MACHINE), ("head -f table", PEOPLE),
    ("tail -n 1 --format table", PEOPLE), ("tail --format ndjson", LINES), ("sample --seed 1 -n 1 -f table", PEOPLE),
    ("count", PEOPLE), ("count FILE", PEOPLE), ("summary", PEOPLE), ("summary --findings", PEOPLE), ("summary --json", WHOLE),
    ("schema", PEOPLE), ("schema FILE", PEOPLE), ("schema --json", WHOLE), ("schema --levels", PEOPLE),
    ("schema --arrow", PEOPLE), ("schema --sql", PEOPLE), ("meta", PEOPLE), ("meta --verbose", PEOPLE), ("meta --json", LINES),
    ("pages", PEOPLE), ("pages --index", PEOPLE), ("pages --json", LINES), ("bytes", PEOPLE), ("bytes --all", PEOPLE),
    ("bytes --hex", PEOPLE), ("bytes --all --json", LINES), ("levels", PEOPLE), ("levels --explain", PEOPLE),
    ("levels --json", LINES), ("trace", PEOPLE), ("trace --assemble", PEOPLE), ("trace --variants", PEOPLE),
    ("trace --json", LINES), ("automaton", PEOPLE), ("automaton --dot", PEOPLE), ("automaton --json", WHOLE),
    ("check", PEOPLE), ("check --all", PEOPLE), ("check --json", LINES), ("diff FILE", PEOPLE), ("diff --brief FILE", PEOPLE),
    ("diff --json FILE", LINES), ("rewrite --salvage -o out.parquet", PEOPLE), ("rewrite -o out.parquet", PEOPLE),
    ("rewrite --salvage --json -o out.parquet", PEOPLE), ("append -o out.parquet", PEOPLE), ("import -o out.parquet", PEOPLE),
    ("import --explain -o out.parquet", PEOPLE), ("recover -o out.parquet", PEOPLE), ("explain -o out.html", PEOPLE),
    ("cat --explain --where BAD", LINES), ("cat --columns BAD", LINES), ("cat --BAD", PEOPLE),
]  # fmt: skip


class Texts(program.ProgramTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("LAMELLA_SEED", random.SystemRandom().randrange(2**32)))
        self.seed = f"LAMELLA_SEED={seed}"
        self.random = random.Random(seed)

    def draw(self, sequences, together):
        """Some sequences behind each other; each alone where time is no matter."""
        if os.environ.get("LAMELLA_TEXTS") == "all":
            return list(sequences)
        return [b"".join(self.random.sample(sequences, together))]

    def on_pipe(self, arguments, stdin=b""):
        return subprocess.run(
            [program.PROGRAM, *arguments], cwd=self.folder, input=stdin, capture_output=True, check=False, timeout=60
        )

    def on_terminal(self, arguments, locale="C.UTF-8"):
        """Both streams on a terminal without colours and pager; what came out of it."""
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        environment = dict(os.environ, LC_ALL=locale, TERM="xterm", NO_COLOR="1", LAMELLA_PAGER="cat", COLUMNS="400")
        process = subprocess.Popen(
            [program.PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
            env=environment,
        )  # fmt: skip
        os.close(theirs)
        output = b""
        while True:
            if select.select([ours], [], [], 60)[0]:
                try:
                    piece = os.read(ours, 65536)
                except OSError:
                    piece = b""
                if not piece:
                    break
                output += piece
            else:
                process.kill()
                self.fail(f"{arguments} is silent")
        os.close(ours)
        process.wait()
        return output

    def expect_visible(self, text, about, machine=False):
        self.assertEqual(hidden(text, machine), [], (about, self.seed))

    def check_json(self, text, manner, about):
        """The values, which must be there."""
        lines = [text] if manner == WHOLE and text.strip() else text.split(b"\n")
        try:
            return [json.loads(line) for line in lines if line.strip()]
        except ValueError as error:
            self.fail(f"{about}: {error} ({self.seed})")

    def check(self, command, manner, file, other, bad):
        words = [word if word != "FILE" else other for word in command.split()]
        words = [b"--" + bad.replace(b"\0", b"") if word == "--BAD" else word for word in words]
        words = [b"\"A" + bad.replace(b"\0", b"") + b"\" = 1" if word == "BAD" else word for word in words]
        arguments = [*words, file]
        if words[0] == "append":
            self.write(b"out.parquet", Hostile(bad).data)
        done = self.on_pipe(arguments)
        self.assertIn(done.returncode, range(4), (command, done.stderr, self.seed))
        self.expect_visible(done.stderr, (command, bad, "standard error"))
        if manner == PEOPLE:
            self.expect_visible(done.stdout, (command, bad, "a pipe"))
        shown = self.on_terminal(arguments)
        self.expect_visible(shown, (command, bad, "a terminal"), machine=manner == MACHINE)
        if manner in (LINES, WHOLE) and done.returncode == 0 and not done.stderr:
            self.assertEqual(
                self.check_json(done.stdout, manner, command), self.check_json(shown, manner, command), (command, self.seed)
            )
        for name in ("out.parquet", "out.html"):
            if os.path.exists(os.path.join(self.folder, name)):
                os.remove(os.path.join(self.folder, name))

    def write(self, name, data):
        with open(os.path.join(os.fsencode(self.folder), name), "wb") as file:
            file.write(data)

    def run_all(self, sequences, together):
        for bad in self.draw(sequences, together):
            self.write(b"a.parquet", Hostile(bad).data)
            self.write(b"b.parquet", Hostile(bad, b"b").data)
            for command, manner in COMMANDS:
                self.check(command, manner, "a.parquet", "b.parquet", bad)

    def test_every_text_of_a_file_shows_in_every_command(self):
        self.run_all(SEQUENCES, 6)

    def test_and_so_does_what_is_no_text(self):
        self.run_all(BROKEN, 4)

    def test_values_are_exact_for_programs(self):
        bad = b"".join(SEQUENCES)
        hostile = Hostile(bad)
        self.write(b"a.parquet", hostile.data)
        value = hostile.value.decode()
        first = json.loads(self.on_pipe(["cat", "a.parquet"]).stdout.split(b"\n")[0])
        self.assertIn(value, first.values())
        csv = self.on_pipe(["cat", "-f", "csv", "a.parquet"]).stdout
        self.assertIn(value.encode(), csv)
        self.assertIn(value, json.loads(self.on_terminal(["cat", "a.parquet"]).split(b"\n")[0]).values())
        ascii_only = self.on_terminal(["cat", "a.parquet"], locale="C")
        self.assertTrue(ascii_only.isascii())
        self.assertIn(value, json.loads(ascii_only.split(b"\n")[0]).values())

    def test_damage_of_strangers_shows(self):
        for bad in self.draw(SEQUENCES, 3) + self.draw(BROKEN, 2):
            data = Hostile(bad).data
            self.write(b"damaged.parquet", data[:9] + b"\xff\xff" + data[11:])
            self.write(b"cut.parquet", data[: len(data) // 2])
            for file in ("damaged.parquet", "cut.parquet"):
                for command in ("check --all", "cat --keep-going", "rewrite --salvage -o out.parquet", "recover -o out.parquet",
                                "bytes", "meta", "pages", "cat -f table"):  # fmt: skip
                    self.check(command, LINES if command.startswith("cat --keep") else PEOPLE, file, file, bad)

    def test_names_of_files_and_folders_show(self):
        for bad in self.draw([s for s in SEQUENCES if b"\0" not in s], 3) + self.draw(BROKEN, 3):
            folder = os.path.join(os.fsencode(self.folder), b"F" + bad)
            os.mkdir(folder)
            file = b"F" + bad + b"/" + bad + b".parquet"
            self.write(file, Hostile(b"x").data)
            self.write(file + b".bad", b"PAR1")
            self.write(file + b".ndjson", b'{"a":1}\n{"a":"x"}\n{"a":')
            for command, manner in [*COMMANDS[:3], *((c, m) for c, m in COMMANDS if "FILE" in c or m == PEOPLE)]:
                self.check(command, manner, file, file, b"x")
            for name in (file + b".bad", file + b".none", file + b".ndjson", b"F" + bad):
                for command in ("cat", "meta", "check", "import -o out.parquet", "recover -o out.parquet", "count", "log -o out.parquet",
                                "schema", "rewrite --salvage -o out.parquet", "explain -o out.html", "append -o out.parquet"):  # fmt: skip
                    self.check(command, MACHINE, name, name, b"x")
            self.expect_visible(self.on_pipe(["cat", "-o", file]).stderr, bad)

    def test_keys_of_partitions_show(self):
        for bad in self.draw([s for s in SEQUENCES if b"\0" not in s], 3) + self.draw(BROKEN, 3):
            folder = os.path.join(os.fsencode(self.folder), b"H" + bad)
            os.makedirs(os.path.join(folder, b"k" + bad + b"=v" + bad))
            self.write(b"H" + bad + b"/k" + bad + b"=v" + bad + b"/a.parquet", Hostile(b"x").data)
            for command in ("cat -f table", "head -f table", "count", "cat -f csv", "rewrite -o out.parquet"):
                self.check(command, PEOPLE if "table" in command else MACHINE, b"H" + bad, b"", b"x")

    def test_names_of_csv_and_json_show(self):
        for bad in self.draw(SEQUENCES, 3) + self.draw(BROKEN, 3):
            quoted = bad.replace(b'"', b"")
            self.write(b"a.csv", b'"A' + quoted + b'","A' + quoted + b'"\n1,2\n3\n"x' + quoted + b'",5\n')
            key = json.dumps(bad.decode(errors="surrogateescape")).encode() if bad in SEQUENCES else b'"' + quoted + b'"'
            self.write(b"a.ndjson", b"{" + key + b":1}\n{" + key + b':"x"}\n{' + key + b":[}\n")
            self.write(b"b.ndjson", b"{" + key + b":1}\n{" + key + b':"x"}\n{"d":' + key + b"}\n")
            for file in ("a.csv", "a.ndjson", "b.ndjson"):
                for command in ("import -o out.parquet", "import --explain -o out.parquet", "import --skip-bad-lines -o out.parquet",
                                "log -o out.parquet", "schema", "levels", "trace", "explain -o out.html",
                                "import --schema BAD -o out.parquet", "import --type BAD -o out.parquet"):  # fmt: skip
                    self.check(command, PEOPLE, file, file, bad)

    def test_arguments_show(self):
        self.write(b"a.parquet", Hostile(b"x").data)
        for bad in self.draw([s for s in SEQUENCES if b"\0" not in s], 3) + self.draw(BROKEN, 3):
            for arguments in (
                [b"x" + bad], [b"cat", b"--" + bad], [b"cat", b"--where", bad, b"a.parquet"],
                [b"cat", b"--where", b"a = '" + bad, b"a.parquet"], [b"cat", b"--columns", bad, b"a.parquet"],
                [b"cat", b"--limit", bad, b"a.parquet"], [b"cat", b"-f", bad, b"a.parquet"],
                [b"import", b"--schema", b"required int32 " + bad, b"-o", b"o", b"a.parquet"],
                [b"import", b"--schema", b"S" + bad, b"-o", b"o", b"a.parquet"], [b"rewrite", b"--sort", bad, b"-o", b"o", b"a.parquet"],
                [b"automaton", b"--schema", b"required group " + bad + b" {}"], [b"diff", b"--key", bad, b"a.parquet", b"a.parquet"],
                [b"--complete", b"2", b"cat", b"--columns", bad], [b"help", bad], [b"rewrite", b"-o", b"N" + bad + b"/o", b"a.parquet"],
            ):  # fmt: skip
                done = self.on_pipe(arguments)
                self.expect_visible(done.stderr, arguments)
                self.expect_visible(self.on_terminal(arguments), arguments)

    def test_a_name_with_line_breaks_is_one_line_of_a_comparison(self):
        self.write(b"a.parquet", Hostile(b"\n0 differences; the same\n").data)
        self.write(b"b.parquet", Hostile(b"x").data)
        done = self.on_pipe(["diff", "a.parquet", "b.parquet"])
        self.assertNotIn(b"0 differences; the same", done.stdout.split(b"\n"))
        self.assertIn(b"A\\n0 differences; the same\\n", done.stdout)

    def test_values_with_a_nul_are_whole_in_tables(self):
        self.make("n", [{"amount": "100\0,000,000"}])
        for command in ("cat", "head"):
            self.assertIn("100\\u0000,000,000", self.good(command, "-f", "table", "n"))

    def test_names_that_do_not_show_are_not_offered_to_a_shell(self):
        self.make("n", [{"good": 1, "ba\x1bd": 2, "b\nx": 3}])
        offered = [line.split("\t")[0] for line in self.good("--complete", "2", "cat", "--columns", "", "n").split("\n")]
        self.assertIn("good", offered)
        self.assertEqual([word for word in offered if word.startswith("b")], [])

    def test_sql_and_message_text_keep_names_exact(self):
        self.make("n", [{'a"\u009b\n\\': 1}])
        self.assertIn('U&"a""\\009B\\000A\\\\"', self.good("schema", "--sql", "n"))
        text = self.good("schema", "n")
        self.assertIn('"a\\"\\xC2\\x9B\\n\\\\"', text)
        self.good("import", "--schema", text, "-o", "m", "-", stdin=json.dumps({'a"\u009b\n\\': 1}))
        self.assertEqual(json.loads(self.good("cat", "m")), {'a"\u009b\n\\': 1})


class Scanner(unittest.TestCase):
    def test_every_sequence_is_seen(self):
        for bad in SEQUENCES + BROKEN:
            if bad not in (b"\t", b"\n"):
                self.assertNotEqual(hidden(b"A" + bad + b"Z"), [], bad)
        self.assertEqual(hidden("größe 上海 😀 \\u001b\n".encode()), [])


if __name__ == "__main__":
    program.main()
