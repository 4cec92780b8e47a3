# SPDX-License-Identifier: Apache-2.0
"""Standard input and output, broken pipes, full disks, interrupts, and a terminal."""

import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

import program

RECORDS = [{"n": n, "s": f"text {n}"} for n in range(20000)]
COMMANDS = ["cat", "schema", "meta", "pages", "levels", "automaton"]
NO_SPACE = "standard output: cannot write: No space left on device"


class Streams(program.ProgramTest):
    def test_import_from_standard_input_to_standard_output(self):
        text = program.ndjson(RECORDS)
        for schema in [
            [],
            ["--schema", "message m { optional int64 n; optional binary s (STRING); }"],
        ]:
            status, output, errors = self.run_program("import", *schema, "-o", "-", "-", stdin=text)
            self.assertEqual((status, errors), (0, ""))
            self.put("a.parquet", output)
            self.assertEqual(self.records("a.parquet"), RECORDS)

    def test_a_pipe_of_two_programs(self):
        self.put("in.json", program.ndjson(RECORDS))
        one = self.start("import", "-o", "-", "in.json", stdout=subprocess.PIPE)
        two = self.start("cat", "--skip", "19998", "-", stdin=one.stdout, stdout=subprocess.PIPE)
        one.stdout.close()
        output = two.communicate(timeout=program.TIME_LIMIT)[0].decode()
        self.assertEqual((one.wait(), two.returncode), (0, 0))
        self.assertEqual([json.loads(line) for line in output.splitlines()], RECORDS[-2:])

    def test_every_command_reads_standard_input(self):
        self.make("a.parquet", RECORDS[:3])
        with open(self.path("a.parquet"), "rb") as file:
            data = file.read()
        for command in COMMANDS:
            with self.subTest(command):
                wanted = self.good(command, "a.parquet").replace("a.parquet", "-")
                self.assertEqual(self.good(command, "-", stdin=data), wanted)  # a pipe
                with open(self.path("a.parquet"), "rb") as file:  # a file
                    done = subprocess.run(
                        [program.PROGRAM, command, "-"], stdin=file, capture_output=True, check=True
                    )
                self.assertEqual(done.stdout.decode(), wanted)

    def test_standard_input_that_is_no_parquet(self):
        for command in COMMANDS:
            self.assertEqual(
                self.bad(command, "-", stdin=b"nothing"),
                "standard input: not a Parquet file: 7 bytes are too few to be one",
            )

    def test_errors_on_standard_input_and_output_have_a_name(self):
        self.assertEqual(
            self.bad("import", "-o", "out", "-", stdin='{"a":}'),
            "standard input: line 1, column 6: expected a value, found '}'",
        )
        self.put("in.json", "{}\n")
        self.assertEqual(
            self.bad("import", "-o", "-", "in.json", "-", stdin="[", output=""),
            "standard input: line 1: expected a record, found the end",
        )

    def test_a_broken_pipe_ends_quietly(self):
        self.make("a.parquet", RECORDS)
        for arguments in [["cat"], ["levels"], ["levels", "--json"]]:
            first = self.start(
                *arguments, "a.parquet", stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            first.stdout.readline()
            first.stdout.close()
            self.assertEqual(first.stderr.read(), b"")
            first.stderr.close()
            self.assertEqual(first.wait(program.TIME_LIMIT), -signal.SIGPIPE)

    def test_a_broken_pipe_of_import(self):
        self.put(
            "in.json", program.ndjson({"n": n * 0x9E3779B97F4A7C15 % 2**62} for n in range(200000))
        )
        first = self.start(
            "import",
            "--codec",
            "none",
            "--row-group-size",
            "64K",
            "-o",
            "-",
            "in.json",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        first.stdout.read(4)
        first.stdout.close()
        self.assertEqual(first.stderr.read(), b"")
        first.stderr.close()
        self.assertEqual(first.wait(program.TIME_LIMIT), -signal.SIGPIPE)

    def test_a_pipe_is_read_by_its_path_and_without_any(self):
        """A path to a pipe was refused, and standard input needed a name."""
        self.make("a.parquet", RECORDS)
        with open(self.path("a.parquet"), "rb") as file:
            data = file.read()
        for command in ("cat", "head", "count", "schema", "meta", "pages", "levels", "check", "summary"):
            expected = self.good(command, "-", stdin=data)
            with self.subTest(command):
                self.assertEqual(self.good(command, stdin=data), expected)
                done = subprocess.run(
                    ["bash", "-c", 'cat a.parquet | "$@" /dev/fd/0', "sh", program.PROGRAM, command],
                    cwd=self.folder, capture_output=True, text=True, check=True, timeout=program.TIME_LIMIT,
                )  # fmt: skip
                self.assertEqual(done.stdout.replace("/dev/fd/0", "standard input").replace("file:        -", "file:        standard input"), expected.replace("file:        -", "file:        standard input"))  # fmt: skip

    def test_a_closed_descriptor_is_not_taken_by_a_file(self):
        """A message could go into the file that had the number of standard error."""
        self.put("in.json", program.ndjson(RECORDS))
        self.put("bad.json", '{"a":')
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                subprocess.run(
                    ["sh", "-c", f'exec "$@" {closed}', "sh", program.PROGRAM, "import", "-o", "out", "in.json"],
                    cwd=self.folder, check=True, timeout=program.TIME_LIMIT,
                )  # fmt: skip
                self.assertEqual(len(self.records("out")), len(RECORDS))
                done = subprocess.run(
                    ["sh", "-c", f'exec "$@" {closed}', "sh", program.PROGRAM, "import", "-o", "new", "bad.json"],
                    cwd=self.folder, check=False, timeout=program.TIME_LIMIT, stderr=subprocess.PIPE,
                )  # fmt: skip
                self.assertEqual((done.returncode, done.stderr != b""), (1, "2>" not in closed))
                self.assertNotIn("new", self.files())

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk(self):
        self.make("a.parquet", RECORDS)
        self.put("in.json", program.ndjson(RECORDS))
        for arguments in [
            *[[command, "a.parquet"] for command in COMMANDS],
            ["levels", "--json", "a.parquet"],
            ["meta", "--json", "a.parquet"],
            ["pages", "--json", "a.parquet"],
            ["import", "-o", "-", "in.json"],
            ["--help"],
            ["--version"],
            ["import", "--help"],
        ]:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                process = self.start(*arguments, stdout=full, stderr=subprocess.PIPE)
                errors = process.communicate(timeout=program.TIME_LIMIT)[1].decode()
                self.assertEqual((process.returncode, errors), (1, f"lamella: {NO_SPACE}\n"))
        self.assertEqual(
            self.bad("import", "-o", "/dev/full", "in.json"),
            "/dev/full: cannot write: No space left on device",
        )

    def test_a_file_that_may_not_grow(self):
        self.put(
            "in.json", program.ndjson({"n": n * 0x9E3779B97F4A7C15 % 2**62} for n in range(50000))
        )
        done = subprocess.run(
            [
                "sh",
                "-c",
                'ulimit -f 8; trap "" XFSZ; exec "$@"',
                "sh",
                program.PROGRAM,
                "import",
                "--codec",
                "none",
                "-o",
                "out",
                "in.json",
            ],
            cwd=self.folder,
            capture_output=True,
            check=False,
            timeout=program.TIME_LIMIT,
        )
        self.assertEqual(
            (done.returncode, done.stderr), (1, b"lamella: out: cannot write: File too large\n")
        )
        self.assertEqual(self.files(), ["in.json"])

    def interrupt(self, number, *options):
        os.mkfifo(self.path("fifo"))
        process = self.start("import", *options, "-o", "out", "fifo", stderr=subprocess.PIPE)
        with open(self.path("fifo"), "wb", buffering=0) as fifo:
            fifo.write(program.ndjson(RECORDS).encode())
            process.send_signal(number)
            errors = process.communicate(timeout=program.TIME_LIMIT)[1].decode()
        os.remove(self.path("fifo"))
        return process.returncode, errors

    def test_an_interrupted_import_leaves_nothing(self):
        schema = ["--schema", "message m { optional int64 n; optional binary s (STRING); }"]
        for number in [signal.SIGINT, signal.SIGTERM]:
            for options in [schema, []]:
                status, errors = self.interrupt(number, *options)
                self.assertEqual(status, -number)
                self.assertEqual(errors, "")
                self.assertEqual(self.files(), [])

    def test_a_long_import_shows_progress_on_a_terminal_only(self):
        schema = "message m { optional int64 n; optional binary s (STRING); }"
        master, terminal = pty.openpty()
        process = self.start(
            "import", "--schema", schema, "-o", "out", "-", stdin=subprocess.PIPE, stderr=terminal
        )
        os.close(terminal)
        shown = b""
        deadline = time.monotonic() + program.TIME_LIMIT
        text = program.ndjson(RECORDS).encode()
        while b"records" not in shown and time.monotonic() < deadline:
            process.stdin.write(text)
            process.stdin.flush()
            if select.select([master], [], [], 0.05)[0]:
                shown += os.read(master, 1000)
        process.stdin.close()
        self.assertEqual(process.wait(program.TIME_LIMIT), 0)
        while select.select([master], [], [], 0.05)[0]:
            try:
                shown += os.read(master, 1000)
            except OSError:  # nobody has the terminal any more
                break
        os.close(master)
        self.assertRegex(shown, rb"\A(\r[\d,]+ records  [\d.]+ MB/s *)+\r +\r\Z")


if __name__ == "__main__":
    program.main()
