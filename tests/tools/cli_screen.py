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


class Terminal(program.ProgramTest):
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
                self.assertEqual(shown < 5, len(lines) == 28, output)
                if shown < 5:
                    self.assertRegex(lines[27], f"^{5 - shown} more column")

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


class Pager(Terminal):
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


class Progress(Terminal):
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
