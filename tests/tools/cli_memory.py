"""lamella check where a request of the C library's heap fails: it fails, or says what it says with memory.

Apache Thrift, which is asked for the footer in a process of its own, may fail by itself: then a note says
that it was not heard, and nothing else differs.
"""

import os
import random
import re
import sys

import program

MODULE = os.path.abspath(sys.argv[2])
SEED = int(os.environ.get("LAMELLA_SEED") or 12)
POINTS = 40


def without_judge(output):
    lines = [line for line in output.decode().splitlines() if " note footer-unjudged: " not in line]
    return re.sub(r"\d+ notes", "notes", "\n".join(lines))


class Memory(program.ProgramTest):
    def starve(self, point, *arguments):
        environment = dict(os.environ, LD_PRELOAD=MODULE, LAM_FAIL_AT=str(point))
        process = self.start(*arguments, env=environment, stdout=-1, stderr=-1)
        output, errors = process.communicate(timeout=program.TIME_LIMIT)
        return process.returncode, output, errors.decode()

    def check_points(self, file):
        status, plain, errors = self.run_program("check", file)
        self.assertEqual(errors, "")
        chance = random.Random(SEED)
        points = list(range(1, 20)) + [int(20 * 1.065**chance.uniform(0, 75)) for _ in range(POINTS)]
        failed = unheard = 0
        for point in points:
            with self.subTest(seed=SEED, point=point):
                found, output, errors = self.starve(point, "check", file)
                if b"footer-unjudged" in output:
                    unheard += 1
                if found == status and not errors:
                    self.assertEqual(without_judge(output), without_judge(plain))
                    continue
                failed += 1
                self.assertEqual(found, 1)
                self.assertRegex(errors, "memory")
                self.assertTrue(without_judge(plain).startswith(without_judge(output)), output)
        self.assertGreater(failed, 10)
        return unheard

    def test_a_good_file_is_never_bad(self):
        records = [{"id": n, "s": f"n{n % 7}", "l": [n, None], "o": {"x": [n / 2]}} for n in range(60)]
        for codec in ("snappy", "gzip"):
            self.make("a.parquet", records, "--codec", codec, "--bloom", "s", "--sorted", "id")
            self.check_points("a.parquet")

    def test_variants_too(self):
        records = [{"v": {"a": n, "b": [str(n)]}} for n in range(30)]
        self.make("a.parquet", records, "--variant-all")
        self.check_points("a.parquet")


if __name__ == "__main__":
    program.main()
