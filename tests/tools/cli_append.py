# SPDX-License-Identifier: Apache-2.0
"""lamella append: Parquet files and JSON behind a finished file."""

import os
import random
import signal
import subprocess
import time
import zlib

import program

SCHEMA = "message m { required int64 n; optional binary s (STRING); }"


def lines(first, count):
    return "".join(f'{{"n":{n},"s":"text {n}"}}\n' for n in range(first, first + count))


class Append(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.make("a.parquet", lines(0, 100), "--schema", SCHEMA, "--meta", "source=west")

    def content(self, name="a.parquet"):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_files_json_and_standard_input(self):
        for option in [[], ["--in-place"]]:
            with self.subTest(option):
                self.make("a.parquet", lines(0, 100), "--schema", SCHEMA, "--meta", "source=west")
                before = self.content()
                self.make("b.parquet", lines(100, 100), "--schema", SCHEMA,
                          "--row-group-rows", "30", "--bloom", "s")  # fmt: skip
                self.put("c.json", lines(200, 50))
                self.assertEqual(
                    self.good("append", *option, "-o", "a.parquet", "b.parquet", "c.json", "-",
                              stdin=lines(250, 50)),
                    "",
                )  # fmt: skip
                self.assertEqual(self.good("cat", "a.parquet"), lines(0, 300))
                self.good("check", "--quiet", "a.parquet")
                self.assertIn("source", self.good("meta", "a.parquet"))
                self.assertEqual(self.files(), ["a.parquet", "b.parquet", "c.json"])
                if option:
                    self.assertEqual(self.content()[: len(before)], before)

    def test_a_folder_is_its_files(self):
        os.makedirs(self.path("d/e"))
        os.makedirs(self.path("days/n=200"))
        self.make("d/1.parquet", lines(100, 50), "--schema", SCHEMA)
        self.make("d/e/2.parquet", lines(150, 50), "--schema", SCHEMA)
        self.make("d/_3.parquet", lines(150, 50), "--schema", SCHEMA)
        self.good("append", "-o", "a.parquet", "d")
        self.assertEqual(self.good("cat", "a.parquet"), lines(0, 200))
        self.good("append", "-o", "a.parquet", "d/*/2.parquet", "-", stdin=lines(200, 1))
        self.assertEqual(self.good("count", "a.parquet"), "251\n")
        self.assertIn("days: no Parquet file", self.bad("append", "-o", "a.parquet", "days"))

    def test_what_does_not_fit_is_named_and_nothing_changes(self):
        before = self.content()
        self.make("b.parquet", '{"n":1,"t":2}\n')
        self.make("c.parquet", '{"n":"x"}\n')
        self.put("good.json", lines(100, 100))
        self.put("bad.json", lines(200, 2) + '{"n":"x"}\n')
        anew, clash = " (without --in-place, the file {} a wider schema)", " (--on-clash variant or string changes this)"
        for option in [[], ["--in-place"]]:
            with self.subTest(option):
                ends = [clash] * 3 if not option else [clash, anew.format("may get"), anew.format("gets")]
                self.assertEqual(
                    self.bad("append", *option, "-o", "a.parquet", "good.json", "c.parquet"),
                    "c.parquet: field 'n' is required int64 in a.parquet and optional binary (STRING) in c.parquet" + ends[0])
                self.assertEqual(
                    self.bad("append", *option, "-o", "a.parquet", "good.json", "bad.json"),
                    "bad.json: line 3: n: expected an integer, found a string" + ends[1])
                self.assertEqual(
                    self.bad("append", *option, "-o", "a.parquet", "-", stdin='{"n":1,"m":2}{"n":2,"m":"x"}'),
                    "standard input: line 1: m: the schema has no such field" + ends[2])
                self.assertEqual(self.bad("append", *option, "-o", "a.parquet", "-", stdin='{"n":1,'),
                                 "standard input: line 1, column 8: the text ends inside a value")
                self.assertEqual(self.content(), before)
                self.assertEqual(
                    self.files(), ["a.parquet", "b.parquet", "bad.json", "c.parquet", "good.json"]
                )
        self.assertEqual(self.bad("append", "--in-place", "-o", "a.parquet", "good.json", "b.parquet"),
                         "b.parquet: field 'n' would have to be optional int64, and is required int64"
                         + anew.format("gets"))  # fmt: skip
        self.assertEqual(self.bad("append", "--ignore-unknown", "-o", "a.parquet", "-", stdin='{"n":1.5}'),
                         "standard input: line 1: n: expected an integer without point or exponent, found a number")  # fmt: skip
        self.assertEqual(self.content(), before)
        for option in [[], ["--in-place"]]:
            self.good("append", *option, "--ignore-unknown", "-o", "a.parquet", "-", stdin='{"n":1,"m":2}')
            self.good("append", *option, "-o", "a.parquet", "-", stdin='{"n":1,"m":null}')
            self.assertEqual(self.records("a.parquet")[-2:], [{"n": 1, "s": None}] * 2)

    def wider(self, notice, *arguments, stdin=b""):
        """Appends what makes the schema of a.parquet wider."""
        status, output, errors = self.run_program("append", "-o", "a.parquet", *arguments, stdin=stdin)
        notice = "".join(f"lamella: {line}\n" for line in notice)
        self.assertEqual((status, output, errors), (0, b"", notice))
        self.good("check", "--quiet", "a.parquet")

    def types(self):
        text = self.good("schema", "a.parquet").splitlines()[1:-1]
        return [line.strip().rstrip(";") for line in text]

    def test_a_new_field_and_a_wider_type_make_the_schema_wider(self):
        said = "a.parquet: the schema is wider now: "
        schema = "message m { required int32 n; optional float v; optional group g { optional int64 p; } optional int32 d (DATE); }"
        own = [{"n": 1, "v": 0.5, "g": {"p": 1}, "d": "2024-10-24"}]
        self.make("b.parquet", [{"n": 2, "m": "x", "g": {"p": 0.5, "q": 7}}], "--meta", "other=east")
        self.put("c.json", '{"n":3}\n{"n":4,"v":1.5,"l":[{"a":1},{"b":"y"}]}\n')
        self.put("d.json", '{"v":0.25,"d":"2024-10-24T12:00:00"}\n')
        self.make("a.parquet", own, "--schema", schema, "--meta", "source=west")
        os.chmod(self.path("a.parquet"), 0o640)
        os.symlink("a.parquet", self.path("link"))
        self.wider([said + "n is int64, and was int32; g.p is double, and was int64; g.q is new; m is new"], "b.parquet")
        self.assertEqual(self.records("a.parquet"), [
            {**own[0], "n": 1, "g": {"p": 1.0, "q": None}, "m": None},
            {"n": 2, "v": None, "g": {"p": 0.5, "q": 7}, "d": None, "m": "x"}])  # fmt: skip
        self.assertEqual(os.stat(self.path("a.parquet")).st_mode & 0o777, 0o640)
        stated = self.good("meta", "a.parquet")
        self.assertIn("source", stated)
        self.assertNotIn("east", stated)  # as where the schema is the same
        self.make("a.parquet", own, "--schema", schema)
        # Types that hold the values stay, and only what must be optional is.
        self.wider([said + "l is new"], "c.json")
        self.assertEqual(self.types()[:3], ["required int32 n", "optional float v", "optional group g {"])
        self.assertEqual(self.records("a.parquet"), [
            {**own[0], "l": None}, {"n": 3, "v": None, "g": None, "d": None, "l": None},
            {"n": 4, "v": 1.5, "g": None, "d": None, "l": [{"a": 1, "b": None}, {"a": None, "b": "y"}]}])  # fmt: skip
        self.make("a.parquet", own, "--schema", schema)
        self.wider([said + "n may be null; v is double, and was float; d is int64 (TIMESTAMP(MICROS,false)), and was "
                    "int32 (DATE)"], "d.json")  # fmt: skip
        self.assertEqual(self.records("a.parquet"), [
            {**own[0], "d": "2024-10-24T00:00:00.000000"},
            {"n": None, "v": 0.25, "g": None, "d": "2024-10-24T12:00:00.000000"}])  # fmt: skip

    def test_texts_and_files_in_their_order(self):
        self.make("b.parquet", [{"n": 102, "t": 1.5}])
        self.put("c.json", '{"n":103,"t":2}\n')
        self.put("d.json", '{"n":104,"u":"x"}\n')
        self.wider(["a.parquet: the schema is wider now: n may be null; u is new; t is new"],
                   "-", "c.json", "d.json", "b.parquet", stdin=lines(100, 1) + '{"n":101,"u":"y"}\n')  # fmt: skip
        found = [{name: value for name, value in record.items() if value is not None} for record in self.records("a.parquet")]
        self.assertEqual(found[100:], [
            {"n": 100, "s": "text 100"}, {"n": 101, "u": "y"}, {"n": 103, "t": 2.0}, {"n": 104, "u": "x"},
            {"n": 102, "t": 1.5}])  # fmt: skip

    def test_a_pipe_is_read_again(self):
        for name in ("-", "/dev/stdin"):
            self.make("a.parquet", lines(0, 1), "--schema", SCHEMA)
            self.wider(["a.parquet: the schema is wider now: k is new"], name,
                       stdin=lines(1, 20000) + '{"n":20001,"k":[1]}\n')  # fmt: skip
            self.assertEqual(self.good("count", "a.parquet"), "20002\n")

    def test_what_clashes_becomes_what_is_said(self):
        self.make("b.parquet", [{"n": "x"}])
        for made, values in (("variant", [0, "x", "y"]), ("string", ["0", "x", "y"])):
            self.make("a.parquet", lines(0, 1), "--schema", SCHEMA)
            other = "string" if made == "variant" else "variant"
            now = "VARIANT" if made == "variant" else "binary (STRING)"
            self.wider([f"b.parquet: field n becomes a {made.upper()}: int64 in a.parquet, binary (STRING) here "
                        f"(--on-clash {other} or error changes this)",
                        f"a.parquet: the schema is wider now: n is {now}, and was int64"],
                       "--on-clash", made, "b.parquet")  # fmt: skip
            self.good("append", "--on-clash", made, "-o", "a.parquet", "-", stdin='{"n":"y"}')
            self.assertEqual([record["n"] for record in self.records("a.parquet")], values)
            # What the file holds already needs no wider schema.
            self.good("append", "--in-place", "--on-clash", made, "-o", "a.parquet", "b.parquet")
            self.make("a.parquet", lines(0, 1), "--schema", SCHEMA)
            self.assertIn("in-place", self.bad("append", "--in-place", "--on-clash", made, "-o", "a.parquet", "b.parquet"))

    def test_an_integer_that_no_double_keeps_is_an_error(self):
        self.make("a.parquet", [{"n": 2**53 + 1}])
        before = self.content()
        self.make("b.parquet", [{"n": 0.5}])
        for name, text in (("b.parquet", ""), ("-", '{"n":0.5}')):
            self.assertRegex(self.bad("append", "-o", "a.parquet", name, stdin=text), "9007199254740993")
        self.assertEqual(self.content(), before)

    def test_a_wider_file_is_made_beside_the_old_one(self):
        """A disk that is full, and signals, leave it as it was; nobody appends at the same time."""
        before = self.content()
        numbers = random.Random(1)
        self.put("more.json", "".join(f'{{"n":{numbers.getrandbits(62)},"m":1}}\n' for _ in range(20000)))
        limit = ["sh", "-c", 'ulimit -f 64; trap "" XFSZ; exec "$@"', "sh", program.PROGRAM]
        done = subprocess.run([*limit, "append", "-o", "a.parquet", "more.json"], cwd=self.folder,
                              capture_output=True, check=False, timeout=program.TIME_LIMIT)  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"File too large", done.stderr)
        self.assertEqual(self.files(), ["a.parquet", "more.json"])
        self.assertEqual(self.content(), before)
        took = 1.0
        for turn in range(20):
            process = self.start("append", "-o", "a.parquet", "more.json", stderr=subprocess.PIPE,
                                 preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))  # fmt: skip
            began = time.monotonic()
            if turn > 0:
                time.sleep(turn / 20 * took)
                process.send_signal(signal.SIGTERM)
            status = process.wait(program.TIME_LIMIT)
            process.stderr.close()
            took = time.monotonic() - began if turn == 0 else took
            self.assertIn(status, (0, -signal.SIGTERM))
            self.assertEqual(self.files(), ["a.parquet", "more.json"])
            if status == 0 or self.content() != before:  # the signal came too late
                self.assertEqual(self.good("count", "a.parquet"), "20100\n")
                with open(self.path("a.parquet"), "wb") as file:
                    file.write(before)

    def test_columns_in_another_order_and_of_narrower_types_are_the_same_columns(self):
        schema = "message m { optional double v; optional group g { optional int64 p; optional binary q (STRING); } %s }"
        day = "optional int64 t (TIMESTAMP(NANOS,false));"
        own = [{"v": 0.5, "g": {"p": 1, "q": "a"}, "t": "2024-10-24T00:00:00.000000001"}]
        self.make("other.parquet", [{"t": "2024-10-24", "g": {"q": "b", "p": 2}, "v": 7}, {"t": None, "g": None, "v": None}],
                  "--schema", "message m { optional int32 t (DATE); optional group g { optional binary q (STRING); "
                  "optional int32 p; } optional int32 v; }")  # fmt: skip
        self.make("few.parquet", [{"g": {"p": 3}}], "--type", "g.p=int64")
        for option in [[], ["--in-place"]]:
            self.make("a.parquet", own, "--schema", schema % day)
            self.good("append", *option, "-o", "a.parquet", "other.parquet", "few.parquet")
            self.good("check", "--quiet", "a.parquet")
            self.assertEqual(self.records("a.parquet"), own + [
                {"v": 7.0, "g": {"p": 2, "q": "b"}, "t": "2024-10-24T00:00:00.000000000"},
                {"v": None, "g": None, "t": None}, {"v": None, "g": {"p": 3, "q": None}, "t": None}])  # fmt: skip
            before = self.content()
            self.make("far.parquet", [{"t": "9999-12-31T00:00:00"}])
            self.assertRegex(self.bad("append", *option, "-o", "a.parquet", "far.parquet"),
                             r"\Afar\.parquet: 253402214400000000 is beyond what the column holds .*row 0")
            self.assertEqual(self.content(), before)

    def test_files_that_are_missing_or_no_parquet(self):
        self.put("junk", "junk")
        self.assertIn("junk: ", self.bad("append", "-o", "junk", "a.parquet"))
        self.assertIn("nope: ", self.bad("append", "-o", "nope", "a.parquet"))
        before = self.content()
        self.assertIn("nope: ", self.bad("append", "-o", "a.parquet", "nope"))
        self.assertIn("junk: ", self.bad("append", "-o", "a.parquet", "junk"))
        with open(self.path("cut"), "wb") as file:
            file.write(before[:-10])
        self.assertIn("cut: ", self.bad("append", "-o", "a.parquet", "cut"))
        self.assertEqual(self.content(), before)
        self.assertEqual(self.files(), ["a.parquet", "cut", "junk"])

    def test_a_file_to_itself(self):
        self.good("append", "-o", "a.parquet", "a.parquet")
        self.assertEqual(self.good("cat", "a.parquet"), lines(0, 100) * 2)

    def test_a_disk_that_is_full_changes_nothing(self):
        before = self.content()
        numbers = random.Random(1)
        self.put("more.json", "".join(
            f'{{"n":{numbers.getrandbits(62)}}}\n' for _ in range(20000)))  # fmt: skip
        for option in [[], ["--in-place"]]:
            limit = ["sh", "-c", 'ulimit -f 64; trap "" XFSZ; exec "$@"', "sh", program.PROGRAM]
            done = subprocess.run(
                [*limit, "append", *option, "-o", "a.parquet", "more.json"],
                cwd=self.folder, capture_output=True, check=False, timeout=program.TIME_LIMIT,
            )  # fmt: skip
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"File too large", done.stderr)
            self.assertEqual(self.content(), before)
            self.assertEqual(self.files(), ["a.parquet", "more.json"])

    def test_a_signal_that_ends_it_leaves_the_old_file_alone(self):
        """What is made beside it stayed, also while the old row groups were copied."""
        left = "_a.parquet.lamella-1-0123456789abcdef.tmp"
        before = self.content()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for is_left in (False, True):
                if is_left:  # by an append that was killed
                    self.put(left, "what was there")
                process = self.start(
                    "append", "-o", "a.parquet", "-", stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                    preexec_fn=lambda n=number: signal.signal(n, signal.SIG_DFL),
                )  # fmt: skip
                self.addCleanup(process.kill)
                deadline = time.monotonic() + program.TIME_LIMIT
                while not self.has_begun() and time.monotonic() < deadline:
                    time.sleep(0.001)
                process.send_signal(number)
                self.assertEqual(process.wait(program.TIME_LIMIT), -number)
                process.stdin.close()
                self.assertEqual(process.stderr.read(), b"")
                process.stderr.close()
                self.assertEqual(self.files(), ["a.parquet"])
                self.assertEqual(self.content(), before)

    def test_a_signal_that_ends_an_append_in_place_leaves_the_file_as_it_was(self):
        """The new row groups stayed, and the note beside them."""
        before = self.content()
        self.make("b.parquet", lines(100, 100), "--schema", SCHEMA)
        os.mkfifo(self.path("fifo"))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            for waits in (["-"], ["fifo"], ["fifo", "--timeout", "1h"]):
                with self.subTest(number=number, waits=waits):
                    process = self.start_in_place("b.parquet", *waits, number=number)
                    deadline = time.monotonic() + program.TIME_LIMIT
                    while not self.has_grown(len(before)) and time.monotonic() < deadline:
                        time.sleep(0.001)
                    process.send_signal(number)
                    self.assertEqual(process.wait(program.TIME_LIMIT), -number)
                    self.assertEqual(process.stderr.read(), b"")
                    process.stdin.close()
                    process.stderr.close()
                    self.assertEqual(self.files(), ["a.parquet", "b.parquet", "fifo"])
                    self.assertEqual(self.content(), before)

    def test_a_signal_at_any_moment_leaves_a_whole_file_and_nothing_beside_it(self):
        before = self.content()
        self.make("b.parquet", lines(100, 100), "--schema", SCHEMA)
        self.put("c.json", lines(200, 20000))
        whole = None
        for turn in range(60):
            with open(self.path("a.parquet"), "wb") as file:
                file.write(before)
            process = self.start_in_place("b.parquet", "b.parquet", "c.json", number=signal.SIGTERM)
            process.stdin.close()
            if turn > 0:
                time.sleep(turn / 60 * took)
                process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            status = process.wait(program.TIME_LIMIT)
            if turn == 0:
                took = (time.monotonic() - began) * 1.2
                whole = self.content()
                self.assertEqual(self.good("cat", "a.parquet").count("\n"), 20300)
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertEqual(self.files(), ["a.parquet", "b.parquet", "c.json"])
            self.assertIn(status, (0, -signal.SIGTERM))
            if status == 0:
                self.assertEqual(len(self.content()), len(whole))  # but for the id of its records
                self.assertEqual(self.good("count", "a.parquet"), "20300\n")
            else:
                self.assertEqual(self.content(), before)

    def start_in_place(self, *inputs, number):
        process = self.start(
            "append", "--in-place", "-o", "a.parquet", *inputs, stdin=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        )  # fmt: skip
        self.addCleanup(process.kill)
        return process

    def has_grown(self, size):
        return "_a.parquet.append" in self.files() and len(self.content()) > size

    def test_a_pipe_gives_its_bytes_once(self):
        """The first 4,096 were read to see what it is, and lost."""
        for option in ([], ["--in-place"]):
            self.make("a.parquet", lines(0, 100), "--schema", SCHEMA)
            ends = os.pipe()
            os.write(ends[1], lines(100, 1000).encode())
            os.close(ends[1])
            done = subprocess.run(
                [program.PROGRAM, "append", *option, "-o", "a.parquet", f"/dev/fd/{ends[0]}"],
                cwd=self.folder, capture_output=True, check=False, timeout=program.TIME_LIMIT,
                pass_fds=ends[:1],
            )  # fmt: skip
            os.close(ends[0])
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(self.good("cat", "a.parquet"), lines(0, 1100))

    def has_begun(self):
        made = [name for name in self.files() if name.startswith("_a.parquet.lamella-")]
        try:
            return len(made) == 1 and self.content(made[0]).startswith(b"PAR1")
        except FileNotFoundError:  # a name of an earlier run, which this one has just removed
            return False

    def test_an_append_in_place_that_is_interrupted_is_recovered_there(self):
        """The note had to be removed by hand."""
        size = len(self.content())
        self.put("more.json", lines(100, 100))
        self.good("append", "--in-place", "-o", "a.parquet", "more.json")
        whole = self.content()
        for cut, status in ((8, 0), (len(whole) - size - 10, 3)):  # in the footer, in a page
            with open(self.path("a.parquet"), "wb") as file:
                file.write(whole[:-cut])
            note = b"PLAN" + size.to_bytes(8, "little")
            with open(self.path("_a.parquet.append"), "wb") as file:
                file.write(note + zlib.crc32(note).to_bytes(4, "little"))
            for option in [[], ["--in-place"]]:
                self.assertIn("an append was interrupted",
                              self.bad("append", *option, "-o", "a.parquet", "more.json"))  # fmt: skip
            self.assertEqual(self.run_program("recover", "-o", "b.parquet", "a.parquet")[0], status)
            rows = 200 if status == 0 else 100
            self.assertEqual(self.good("cat", "b.parquet"), lines(0, rows))
            os.remove(self.path("b.parquet"))
            self.assertEqual(self.run_program("recover", "--in-place", "a.parquet")[0], status)
            self.assertEqual(self.files(), ["a.parquet", "more.json"])
            self.assertEqual(self.good("cat", "a.parquet"), lines(0, rows))
            self.good("append", "--in-place", "-o", "a.parquet", "more.json")
        self.assertIn("no append in place was interrupted",
                      self.bad("recover", "--in-place", "a.parquet"))  # fmt: skip

    def test_wrong_usage(self):
        more = '; see "lamella append --help"'
        self.assertEqual(
            self.misuse("append", "a.parquet"),
            "-o is missing: name the file that gets the records" + more,
        )
        self.assertEqual(self.misuse("append", "-o", "a.parquet"), "no file given" + more)
        self.assertEqual(
            self.misuse("append", "--binary", "x", "-o", "a.parquet", "b"),
            "--binary cannot be 'x': it must be base64, hex or utf8" + more,
        )


if __name__ == "__main__":
    program.main()
