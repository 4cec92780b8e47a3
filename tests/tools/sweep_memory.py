# SPDX-License-Identifier: Apache-2.0
"""Memory that fails at any allocation of the commands that cli_memory.py does not try.

They change a file that is there, or end with another status than 0: append, recover, and a salvage
that loses rows. Each allocation fails once, and with all behind it; the files are as they were, or
the new ones where memory fails behind the end of the work. (sweep.py, failing_preload.c)
"""

import os
import tempfile
import unittest

import program
import sweep

LIBRARY = os.environ.get("LAMELLA_FAILING_MALLOC", "")
SAMPLE = 12  # allocations of each command and way of failing, in the short form


@unittest.skipUnless(LIBRARY, "nothing to preload: another C library, or a sanitizer has malloc")
class Memory(sweep.Sweep):
    def run_failing(self, case, number, fails_on, **more):
        if fails_on:
            more["LAMELLA_FAIL_FROM"] = "1"
        return self.run_case(case, LD_PRELOAD=LIBRARY, LAMELLA_FAIL_AT=str(number), **more)

    def count_of(self, case):
        with tempfile.TemporaryDirectory(prefix="lamella-") as beside:
            path = os.path.join(beside, "count")
            self.run_failing(case, 0, False, LAMELLA_FAIL_COUNT=path)
            with open(path, encoding="ascii") as file:
                return int(file.read())

    def sweep(self, cases, find_fault):
        """Each allocation of each command fails; `find_fault` says what is wrong with that, or None."""
        failed = 0
        for case in self.cases(cases):
            with self.subTest(case.name):
                wanted, faults, count = self.good_run(case), [], self.count_of(case)
                for fails_on in (False, True):
                    for point in self.points(case, fails_on, count, SAMPLE):
                        got = self.run_failing(case, point, fails_on)
                        failed += got.status != wanted.status
                        wrong = find_fault(case, wanted, got)
                        if wrong is not None:
                            way = "and all behind it" if fails_on else "alone"
                            faults.append(f"allocation {point} of {count} {way}: {wrong}: {got.said()}")
                self.expect_none(case, faults)
        print(f"{self.runs} runs, {failed} failed")
        return failed

    def change_or_failure_fault(self, case, wanted, got):
        is_made = case.status != 0 and got.files == wanted.files
        return self.failure_fault(case, wanted, got, False, is_made)

    def test_any_allocation_may_fail(self):
        chosen = [case for case in sweep.WRITING if case.status != 0 or case.words[0] == "append"]
        failed = self.sweep(chosen, self.change_or_failure_fault)
        if not sweep.COMMANDS:
            self.assertGreater(failed, 0)

    def test_records_of_a_damaged_file_are_true_where_memory_fails(self):
        self.sweep(sweep.KEEPING, self.rest_fault)


if __name__ == "__main__":
    program.main()
