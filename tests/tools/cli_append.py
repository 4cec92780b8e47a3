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

    def test_a_schema_that_differs_is_named_and_nothing_changes(self):
        before = self.content()
        self.make("b.parquet", '{"n":1,"t":2}\n')
        self.put("good.json", lines(100, 100))
        self.put("bad.json", lines(200, 2) + '{"n":"x"}\n')
        for option in [[], ["--in-place"]]:
            with self.subTest(option):
                message = self.bad("append", *option, "-o", "a.parquet", "good.json", "b.parquet")
                self.assertRegex(message, r"\Ab\.parquet: .*\bn\b")
                self.assertEqual(
                    self.bad("append", *option, "-o", "a.parquet", "good.json", "bad.json"),
                    "bad.json: line 3: n: expected an integer, found a string",
                )
                self.assertEqual(
                    self.bad("append", *option, "-o", "a.parquet", "-", stdin='{"n":1,"m":2}'),
                    "standard input: line 1: m: the schema has no such field",
                )
                self.assertEqual(self.content(), before)
                self.assertEqual(
                    self.files(), ["a.parquet", "b.parquet", "bad.json", "good.json"]
                )
        self.good("append", "--ignore-unknown", "-o", "a.parquet", "-", stdin='{"n":1,"m":2}')
        self.assertEqual(self.records("a.parquet")[-1], {"n": 1, "s": None})

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
            self.make("wide.parquet", [{"v": "x"}])
            self.assertEqual(self.bad("append", *option, "-o", "a.parquet", "few.parquet", "wide.parquet"),
                             "wide.parquet: field 'v' is optional double in a.parquet and optional binary (STRING) in wide.parquet")
            self.make("whole.parquet", [{"g": {"p": 0.5}}])
            self.assertEqual(self.bad("append", *option, "-o", "a.parquet", "whole.parquet"),
                             "whole.parquet: field 'g.p' would have to be optional double, and is optional int64")
            self.make("more.parquet", [{"v": 1.5, "n": 1}])
            self.assertEqual(self.bad("append", *option, "-o", "a.parquet", "more.parquet"),
                             "more.parquet: there is no place for its field 'n'")  # fmt: skip
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
