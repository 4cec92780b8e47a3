# SPDX-License-Identifier: Apache-2.0
"""The program on a terminal: tables that fit it, colours, and a pager. The terminal is a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import program

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class OnTerminal(program.ProgramTest):
    def on_terminal(self, *arguments, width=60, environment=None, keys=None):
        """Exit status, or minus a signal, and what the terminal got. `keys`: (text to wait for, bytes to type)."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores
            given = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", "LAMELLA_PAGER": ""}
            os.execve(program.PROGRAM, ["lamella", *arguments], {**given, **(environment or {})})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        output, deadline = b"", time.monotonic() + program.TIME_LIMIT
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            output += data
            if keys is not None and keys[0] in output:
                os.write(terminal, keys[1])
                keys = None
        else:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), output.decode().replace("\r\n", "\n")

    def need_locale(self):
        """An emulated program cannot read the locales of a machine of the other byte order."""
        self.make("l", [{"a": 1, "b": 2}])
        if program.EMULATED and "\u2502" not in self.on_terminal("head", "l")[1]:
            self.skipTest("the locale C.UTF-8 cannot be read in QEMU")

    def records(self, count=30):
        return [
            {"id": n, "name": "name " * (n % 9), "\u4e2d\u6587": "\u4e2d" * (n % 40), "tags": ["t"] * (n % 20), "x": n / 8}
            for n in range(count)
        ]


class Terminal(OnTerminal):
    def test_bytes_has_colours_and_the_same_words(self):
        self.make("a", self.records(5), "--codec", "none")
        for arguments in (["bytes", "--page", "0", "a"], ["bytes", "--page", "0", "--hex", "a"]):
            status, output = self.on_terminal(*arguments)
            self.assertEqual(status, 0)
            self.assertRegex(output, ESCAPES)
            self.assertEqual(ESCAPES.sub("", output), self.good(*arguments))
            self.assertNotRegex(self.on_terminal(*arguments, environment={"NO_COLOR": "1"})[1], ESCAPES)

    def test_a_table_is_as_wide_as_the_terminal_at_most(self):
        self.need_locale()
        self.make("a", self.records())
        for width in range(20, 140, 7):
            with self.subTest(width):
                # The width is set after the program may have asked for it, so it comes by COLUMNS.
                status, output = self.on_terminal("head", "-n", "25", "a", environment={"COLUMNS": str(width), "NO_COLOR": "1"})
                self.assertEqual(status, 0)
                lines = output.splitlines()
                for line in lines[:27]:
                    cells = sum(2 if "\u2e80" <= c <= "\ufaff" else 1 for c in line)
                    self.assertLessEqual(cells, width, line)
                shown = lines[0].count("\u2502") + 1
                left_out = " ".join(line.strip() for line in lines[27:])
                names = ["id", "name", "\u4e2d\u6587", "tags", "x"][shown:]
                wanted = f"{5 - shown} more column{'s' * (shown < 4)}: {', '.join(names)} (--wide prints all, --columns chooses)"
                self.assertEqual(left_out, wanted if names else "")
                self.assertFalse([line for line in lines[27:] if len(line) > width and " " in line.strip()])

    def test_times_have_the_digits_that_their_column_needs_and_are_never_cut(self):
        self.need_locale()
        records = [
            {"id": n, "text": "x" * 60, "at": f"2019-03-23T20:21:{n:02}Z", "ms": f"2019-03-23T20:21:{n:02}.{n % 2}", "t": f"12:00:{n:02}"}
            for n in range(20)
        ]
        self.make("a", records)
        for width in range(20, 140, 9):
            lines = self.on_terminal("head", "-n", "20", "a", environment={"COLUMNS": str(width), "NO_COLOR": "1"})[1].splitlines()
            for n, line in enumerate(lines[2:22]):
                cells = [cell.strip() for cell in line.split("\u2502")]
                self.assertEqual(cells[2:], [f"2019-03-23T20:21:{n:02}Z", f"2019-03-23T20:21:{n:02}.{n % 2}00", f"12:00:{n:02}"][: len(cells) - 2])
        self.assertGreater(len(cells), 4)
        # A row behind those that the widths come from needs more.
        self.make("b", [{"at": f"2019-03-23T20:21:09{'.5' * (n == 600)}"} for n in range(601)])
        lines = self.on_terminal("cat", "-f", "table", "b", environment={"COLUMNS": "20", "NO_COLOR": "1"})[1].splitlines()
        self.assertEqual((lines[2], lines[-1]), (" 2019-03-23T20:21:09", " 2019-03-23T20:21:09.500"))
        # Nor are numbers.
        self.make("n", [{"i": 9007199254740993, "d": 0.30000000000000004, "t": "x" * 40}])
        for width in (20, 30, 40, 50):
            lines = self.on_terminal("head", "n", environment={"COLUMNS": str(width), "NO_COLOR": "1"})[1].splitlines()
            cells = [cell.strip() for cell in lines[2].split("\u2502")]
            self.assertEqual(cells[:2], ["9007199254740993", "0.30000000000000004"][: len(cells)])
        # A time in a VARIANT or a text is what it is.
        self.make("c", [{"s": "2019-03-23T20:21:09.000"}, {"s": "no time"}])
        self.assertIn("2019-03-23T20:21:09.000", self.on_terminal("head", "c")[1])

    def test_what_is_in_columns_fits_the_terminal(self):
        """Cells that have no room go on in further lines, whole, and each stands as it does without a terminal."""
        self.make("a", [{"a_column": n, "another": "text " * 9, "at": "2024-10-24T12:00:00Z", "u" * 60: None} for n in range(9)])
        for arguments in [["summary", "a"], ["meta", "a"], ["pages", "a"], ["pages", "--index", "a"], ["schema", "--levels", "a"]]:
            plain = self.good(*arguments)
            self.assertGreater(max(map(len, plain.splitlines())), 80)
            words = [word for word in plain.split() if word != "-"]
            for width in (70, 80, 100):
                with self.subTest(arguments, width=width):
                    status, output = self.on_terminal(*arguments, environment={"COLUMNS": str(width), "NO_COLOR": "1"})
                    self.assertEqual(status, 0)
                    long = [line for line in output.splitlines() if len(line) > width]
                    self.assertFalse([line for line in long if "u" * 60 not in line], output)
                    if arguments[0] != "pages":  # whose titles are repeated
                        lost = set(words) - set(output.split()) - {"distinct", "NaNs", "nulls"}
                        self.assertEqual(lost, set(), output)
            self.assertEqual(self.on_terminal(*arguments, environment={"COLUMNS": "400", "NO_COLOR": "1"})[1], plain)

    def test_findings_of_check_end_between_words(self):
        self.make("a", [{"a": n} for n in range(3)])
        with open(self.path("a"), "r+b") as file:
            file.seek(12)
            file.write(b"\xff\xff\xff\xff")
        plain = self.run_program("check", "a")[1].decode()
        status, output = self.on_terminal("check", "a", environment={"COLUMNS": "50", "NO_COLOR": "1"})
        self.assertEqual(status, 1)
        self.assertEqual(output.split(), plain.split())
        self.assertLessEqual(max(map(len, output.splitlines()[:-1])), 50)
        self.assertGreater(len(output.splitlines()), len(plain.splitlines()))

    def test_differences_nulls_and_findings_have_colours(self):
        self.make("a", [{"a": 1}, {"a": None}])
        self.make("b", [{"a": 2}, {"a": None}, {"a": 3}])
        self.put("c", b"PAR1\xff" + open(self.path("b"), "rb").read()[5:])
        for arguments, coloured in [
            (["diff", "a", "b"], '\x1b[32m+ record 2: {"a":3}\x1b[0m\n'),
            (["diff", "b", "a"], '\x1b[31m- record 2: {"a":3}\x1b[0m\n'),
            (["levels", "a"], "\x1b[2mNULL\x1b[0m\n"),
            (["check", "c"], "c: \x1b[31merror\x1b[0m "),
        ]:
            with self.subTest(arguments):
                self.assertIn(coloured, self.on_terminal(*arguments, width=400)[1])
                output = self.on_terminal(*arguments, environment={"NO_COLOR": "1", "COLUMNS": "400"})[1]
                self.assertEqual(output, self.run_program(*arguments)[1].decode())
                self.assertIn(ESCAPES.sub("", coloured), output)

    def test_wide_cuts_nothing(self):
        self.need_locale()
        self.make("a", self.records())
        status, output = self.on_terminal("head", "--wide", "-n", "30", "a", environment={"COLUMNS": "40"})
        self.assertEqual(status, 0)
        self.assertNotIn("\u2026", output)
        self.assertIn("\u4e2d" * 29, output)
        self.assertIn(str(["t"] * 19).replace("'", '"').replace(" ", ""), output)

    def test_colours_are_for_terminals_that_have_them(self):
        self.make("a", [{"a": None}])
        self.assertIn("\x1b[2mnull", self.on_terminal("head", "a")[1])
        for environment in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
            output = self.on_terminal("head", "a", environment=environment)[1]
            self.assertNotIn("\x1b", output)
            self.assertIn("null", output)
        self.assertNotIn("\x1b", self.good("head", "-f", "table", "a"))

    def test_lines_are_drawn_by_the_locale(self):
        self.need_locale()
        self.make("a", [{"a": "\u00e9", "b": 1}])
        output = ESCAPES.sub("", self.on_terminal("head", "a", environment={"LC_ALL": "C"})[1])
        self.assertEqual(output, " a      | b\n--------+---\n \\u00e9 | 1\n")
        output = ESCAPES.sub("", self.on_terminal("head", "a")[1])
        self.assertEqual(output, " a \u2502 b\n\u2500\u2500\u2500\u253c\u2500\u2500\u2500\n \u00e9 \u2502 1\n")

    def test_cat_prints_the_same_on_a_terminal(self):
        self.make("a", [{"a": 1}])
        self.assertEqual(self.on_terminal("cat", "a"), (0, '{"a":1}\n'))
        self.assertEqual(self.on_terminal("count", "a"), (0, "1\n"))


class Pager(OnTerminal):
    def test_output_and_errors_go_through_the_pager_of_the_environment(self):
        self.make("a", [{"a": 1}])
        environment = {"LAMELLA_PAGER": "sed s/^/P:/", "PAGER": "false"}
        self.assertEqual(self.on_terminal("cat", "a", environment=environment), (0, 'P:{"a":1}\n'))
        environment = {"PAGER": "sed s/^/Q:/", "LAMELLA_PAGER": "sed s/^/P:/"}
        status, output = self.on_terminal("cat", "none", environment=environment)
        self.assertEqual((status, output[:11]), (1, "P:lamella: "))

    def test_help_goes_through_it_too(self):
        for arguments in [["import", "--help"], ["cat", "-h"], ["help", "log"], ["--help"]]:
            with self.subTest(arguments):
                status, output = self.on_terminal(*arguments, environment={"LAMELLA_PAGER": "sed s/^/P:/"})
                page = self.good(*arguments)
                self.assertEqual((status, output), (0, "".join("P:" + line for line in page.splitlines(True))))
                self.assertEqual(self.on_terminal("--no-pager", *arguments, environment={"LAMELLA_PAGER": "false"}), (0, page))

    def test_there_is_none_where_nobody_wants_it(self):
        self.make("a", [{"a": 1}])
        for arguments, environment in [
            (["cat", "a"], {"LAMELLA_PAGER": ""}),
            (["cat", "a"], {"LAMELLA_PAGER": "cat"}),
            (["--no-pager", "cat", "a"], {"LAMELLA_PAGER": "sed s/^/P:/"}),
        ]:
            with self.subTest(arguments, **environment):
                self.assertEqual(self.on_terminal(*arguments, environment=environment), (0, '{"a":1}\n'))
        self.assertEqual(self.good("cat", "a"), '{"a":1}\n')

    def test_the_program_ends_after_its_pager(self):
        self.make("a", [{"a": 1}])
        environment = {"LAMELLA_PAGER": "cat; sleep 0.3; echo end"}
        self.assertEqual(self.on_terminal("cat", "a", environment=environment), (0, '{"a":1}\nend\n'))

    def test_a_pager_that_is_left_ends_the_program(self):
        self.make("a", [{"a": n} for n in range(200000)])
        status, output = self.on_terminal("cat", "a", environment={"LAMELLA_PAGER": "head -n 1"})
        self.assertEqual((status, output), (-signal.SIGPIPE, '{"a":0}\n'))

    def test_an_interrupt_ends_the_program_once_the_pager_is_left(self):
        self.make("a", [{"a": n} for n in range(200000)])
        pager = "trap '' INT; head -n 1; cat >rest; echo left"
        status, output = self.on_terminal(
            "cat", "a", environment={"LAMELLA_PAGER": pager}, keys=(b'{"a":0}', b"\x03")
        )
        self.assertIn(status, (-signal.SIGINT, -signal.SIGPIPE, 0))
        self.assertTrue(output.endswith("left\n"), output)


class Progress(OnTerminal):
    def run_stopped(self, *arguments, stop=lambda process: time.sleep(1.3), stdin=None):
        """Standard output and what a terminal got on standard error, where the program takes more than a second."""
        ours, theirs = pty.openpty()
        process = self.start(*arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        stop(process)
        output = process.communicate(timeout=program.TIME_LIMIT)[0]
        errors = b""
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:
                break
            if not data:
                break
            errors += data
        os.close(ours)
        return process.returncode, output, errors.decode()

    def test_a_command_that_takes_long_says_how_far_it_is(self):
        """The output is a pipe that is not read for longer than a second."""
        self.make("a", [{"a": n * n, "text": "x" * 50} for n in range(40000)], "--row-group-rows", "5000")
        for arguments in [["cat", "a"], ["cat", "-f", "csv", "a"]]:
            status, output, errors = self.run_stopped(*arguments)
            self.assertEqual(status, 0)
            self.assertGreater(len(output), 1 << 20)
            self.assertRegex(errors, r"^\r *\d+ %  \d+\.\d MB/s")
            self.assertRegex(errors, r"\r +\r$")

    def test_an_import_counts_its_records(self):
        lines = b"".join(b'{"a":%d}\n' % n for n in range(30000))

        def feed(process):
            process.stdin.write(lines)
            process.stdin.flush()
            time.sleep(1.3)
            process.stdin.write(lines)
            process.stdin.close()
            process.stdin = None  # communicate is not to flush it

        status, _, errors = self.run_stopped("import", "--schema", "optional int64 a;", "-o", "b", "-", stop=feed, stdin=subprocess.PIPE)
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"^\r\d+,\d+ records  \d+\.\d MB/s")
        self.assertRegex(errors, r"\r +\r$")

    def test_one_that_is_quick_says_nothing(self):
        self.make("a", [{"a": 1}])
        for arguments in [["cat", "a"], ["check", "a"], ["count", "--where", "a = 1", "a"], ["import", "-o", "b", "a"]]:
            self.assertEqual(self.run_stopped(*arguments, stop=lambda process: None)[2], "")

    def test_no_terminal_gets_it(self):
        self.make("a", [{"a": n, "text": "x" * 50} for n in range(40000)])
        process = self.start("cat", "a", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.3)
        self.assertEqual(process.communicate(timeout=program.TIME_LIMIT)[1], b"")


if __name__ == "__main__":
    program.main()
