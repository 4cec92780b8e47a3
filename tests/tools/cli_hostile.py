# SPDX-License-Identifier: Apache-2.0
"""Every shared file that is broken on purpose: rows or one line, quickly, in little memory."""

import os
import resource
import subprocess
import time
import unittest

import program

COMMANDS = ["cat", "schema", "meta", "meta --verbose", "meta --json", "pages", "pages --index", "bytes", "bytes --all --json", "levels",
            "automaton"]  # fmt: skip
SECONDS = 2
MEMORY = 256 << 20
# Under sanitizers and emulators neither the time nor the memory is the program's own.
SLOW = bool(os.environ.get("LAMELLA_SLOW"))


def files():
    for folder in ["hostile", "parquet-testing/bad_data"]:
        for root, _, names in os.walk(program.shared(folder)):
            yield from (os.path.join(root, name) for name in sorted(names))


FILES = list(files())


@unittest.skipUnless(FILES, "the shared hostile files are not here")
class Hostile(program.ProgramTest):
    def run_on(self, command, path):
        begin = time.monotonic()
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb+") as err:
            process = subprocess.Popen([program.PROGRAM, *command.split(), path], stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            lines = err.read().decode("utf-8", "replace").splitlines()
        return process.returncode, lines, time.monotonic() - begin, usage.ru_maxrss * 1024

    def test_every_command_on_every_file(self):
        for path in FILES:
            for command in COMMANDS:
                with self.subTest(command=command, path=path):
                    status, lines, seconds, memory = self.run_on(command, path)
                    self.assertIn(status, (0, 1), lines)
                    self.assertEqual(bool(lines), status == 1)
                    for line in lines:
                        self.assertTrue(line.startswith(f"lamella: {path}: "), line)
                    # meta, pages and levels have one for each column chunk that they cannot read.
                    if command in ("cat", "schema", "automaton"):
                        self.assertLessEqual(len(lines), 1)
                    if not SLOW:
                        self.assertLess(seconds, SECONDS)
                        self.assertLess(memory, MEMORY)

    def test_memory_is_measured(self):
        self.assertGreater(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0)


class Vector(program.ProgramTest):
    """Names of repetitions were taken from tables of three, and a file may have the fourth."""

    def setUp(self):
        super().setUp()
        self.make("list", [], "--schema", "message m { repeated int32 zzname; }")
        with open(self.path("list"), "rb") as file:
            content = file.read()
        # SchemaElement: repetition_type (field 3, an i32 in zigzag), then the name. (parquet.thrift)
        self.assertEqual(content.count(b"\x25\x04\x18\x06zzname"), 1)
        self.put("vector", content.replace(b"\x25\x04\x18\x06zzname", b"\x25\x06\x18\x06zzname"))

    def test_schemas_with_a_vector_print(self):
        self.assertIn('"repetition":"vector"', self.good("schema", "--json", "vector"))
        self.assertIn("vector, whose columns are not read: adds nothing", self.good("schema", "--levels", "vector"))

    def test_a_vector_is_another_repetition(self):
        status, printed, errors = self.run_program("diff", "list", "vector")
        self.assertEqual((status, errors), (1, ""))
        self.assertIn(b"zzname: repetition: repeated -> vector", printed)


if __name__ == "__main__":
    program.main()
