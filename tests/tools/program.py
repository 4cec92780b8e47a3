# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: running it in an empty folder and comparing what comes out.

A test is a Python script that takes the program as its argument. Longer outputs are in the folder
"expected"; LAMELLA_UPDATE=1 writes them anew, to be read before they are committed.
"""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKIP = 77
TERMINAL = object()  # as standard input

# What runs in the background may ignore these, and so would all that it starts.
for _number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected")
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else shutil.which("lamella")
TIME_LIMIT = 60  # seconds for one run of the program, with sanitizers too
EMULATED = "LAMELLA_EMULATED" in os.environ  # the program is one of another kind of machine, in QEMU


def shared(name):
    """The path of a shared file, as lam_test_shared in tests/support gives it."""
    folder = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT")
    return os.path.join(folder or "../shared", name)


def ndjson(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def processor_time(process):
    """What a process has taken so far, in seconds of user and system time."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_caught(process, number):
    """Waits until a process has a handler for a signal, however long it takes to start.

    QEMU has one of its own for every signal; there it waits until the process waits, too.
    """
    deadline = time.monotonic() + TIME_LIMIT
    spent = -1
    while EMULATED and spent != processor_time(process) and time.monotonic() < deadline:
        spent = processor_time(process)
        time.sleep(1)
    while time.monotonic() < deadline:
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.001)
    raise AssertionError("it does not wait for signals")


CLASH = (
    r"^lamella: standard input: field \S+ becomes a VARIANT: "
    r"((a|an|true|false) ?\w* on line \d+, (a|an|true|false) ?\w* on line \d+ "
    r"\(--on-clash string or error|its objects are empty \(--on-clash string), or --type, changes this"
    r"(; Polars and older readers cannot open a file with a VARIANT)?\)$"
)


class ProgramTest(unittest.TestCase):
    """Every test runs in a folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lamella-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def files(self):
        return sorted(os.listdir(self.folder))

    def start(self, *arguments, **keywords):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, **keywords)

    def run_program(self, *arguments, stdin=b""):
        """Status, standard output and standard error, the last two as text. TERMINAL is one at which nobody types."""
        if stdin is TERMINAL:
            ends = pty.openpty()
            done = subprocess.run(
                [PROGRAM, *arguments], cwd=self.folder, stdin=ends[1], capture_output=True, check=False, timeout=TIME_LIMIT
            )
            for end in ends:
                os.close(end)
            return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
        stdin = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run(
            [PROGRAM, *arguments],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=TIME_LIMIT,
        )
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def good(self, *arguments, stdin=b""):
        """Runs what must succeed in silence; gives standard output as text."""
        status, output, errors = self.run_program(*arguments, stdin=stdin)
        self.assertEqual((status, errors), (0, ""), arguments)
        return output.decode()

    def bad(self, *arguments, stdin=b"", status=1, output=None):
        """Runs what must fail with one line; gives the line without "lamella: "."""
        got, printed, errors = self.run_program(*arguments, stdin=stdin)
        self.assertEqual(got, status, (arguments, errors))
        self.assertTrue(errors.startswith("lamella: "), errors)
        self.assertEqual((errors.count("\n"), errors[-1:]), (1, "\n"), errors)
        if output is not None:
            self.assertEqual(printed.decode(), output)
        return errors[len("lamella: ") : -1]

    def misuse(self, *arguments, stdin=None):
        """Nobody types at the terminal that is standard input, unless it is an operand."""
        if stdin is None:
            stdin = b"" if "-" in arguments else TERMINAL
        return self.bad(*arguments, stdin=stdin, status=2, output="")

    def expect(self, name, output):
        """Compares an output with the file of that name in "expected"."""
        path = os.path.join(EXPECTED, name)
        if os.environ.get("LAMELLA_UPDATE"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(output)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(output, file.read(), f"differs from tests/tools/expected/{name}")

    def make(self, name, records, *options, clashes=0):
        """Imports records, given as a list or as text, into a file of that name. Fields whose kinds
        clash are reported, each in a line; None stands for any number of them."""
        text = records if isinstance(records, (str, bytes)) else ndjson(records)
        command = ("import", *options, "-o", name, "-")
        status, output, errors = self.run_program(*command, stdin=text)
        self.assertEqual((status, output), (0, b""), (command, errors))
        for line in errors.splitlines():
            self.assertRegex(line, CLASH)
        if clashes is not None:
            self.assertEqual(errors.count("\n"), clashes, (command, errors))
        return name

    def records(self, name, *options):
        return [json.loads(line) for line in self.good("cat", *options, name).splitlines()]


def main():
    result = unittest.main(module="__main__", argv=[sys.argv[0]], exit=False, verbosity=2).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIP if result.skipped and len(result.skipped) == result.testsRun else 0)
