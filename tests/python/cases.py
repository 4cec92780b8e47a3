# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: the package itself, children with a time limit, and seeds.

A test is a script that takes the extension, and names of its cases if only these shall run. Tables and their types
are those of tests/interop.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import package

package.run_by_environment()
FOLDER = package.folder(sys.argv[1])
SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT") or os.path.join(package.ROOT, "..", "shared")
sys.path[1:1] = [FOLDER, os.path.join(package.ROOT, "tests", "interop")]
os.environ["PYTHONPATH"] = FOLDER

SEED = int(os.environ.get("LAMELLA_SEED") or random.SystemRandom().randrange(1 << 32))


def rounds(number):
    """How often chance is asked."""
    return int(os.environ.get("LAMELLA_ROUNDS") or number)


def source_of(number):
    """Random numbers of a round, and the words that repeat it."""
    return random.Random(f"{SEED} {number}"), f"LAMELLA_SEED={SEED}, round {number}"


class Child:
    """A Python program in a process of its own, which is killed after a time."""

    def __init__(self, text, *arguments, environment=None):
        self.process = subprocess.Popen([sys.executable, "-B", "-X", "faulthandler", "-c", text, *map(str, arguments)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})

    def end(self, timeout=60):
        """Status, output and errors; status None after a kill, since it hung."""
        try:
            output, errors = self.process.communicate(timeout=timeout)
            return self.process.returncode, output, errors
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, errors = self.process.communicate()
            return None, output, errors


class Case(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lamella-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def good(self, text, *arguments, timeout=60, **options):
        """The output of a program that must succeed."""
        status, output, errors = Child(text, *arguments, **options).end(timeout)
        self.assertEqual(status, 0, f"{'hung' if status is None else status}: {output[-2000:]}{errors[-4000:]}\n{text}")
        return output


def main():
    print(f"LAMELLA_SEED={SEED}")
    result = unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=2).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(package.SKIP if result.skipped and len(result.skipped) == result.testsRun else 0)
