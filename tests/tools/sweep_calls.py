# SPDX-License-Identifier: Apache-2.0
"""Every system call of every command fails, once and for ever, is interrupted, or does half.

EIO and ENOSPC, each once and from there on; EINTR and half of the bytes once. The exit status is
right, one line says why, targets are untouched, and nothing is left, but for temporary names that
cannot be removed any more. (sweep.py)

What went wrong before: an append in place that failed while row groups were copied left a file
without a footer, and no note for recovery; "count FOLDER" printed 0 and ended with 0 where a folder
in it could not be examined, and "tail FILE" printed nothing; "explain" made a page without what it
could not read; "append" took a Parquet file that it could not read for bad JSON; "rewrite --salvage"
said of a footer that it was lost, though it was read the second time.
"""

import errno
import os
import unittest

import program
import sweep

SAMPLE = 2  # calls of each command and way of failing, in the short form
COLUMNS_READ = 15  # most reasons: of 12 columns and outputs each by itself, and the sums of a salvage
WAYS = [
    (str(errno.EIO), False), (str(errno.EIO), True), (str(errno.ENOSPC), False), (str(errno.ENOSPC), True),
    (str(errno.EINTR), False), ("short", False), ("short", True),
]  # fmt: skip


# A failure of these must be named; of others the program may draw conclusions: that there is no
# such file, that it is no terminal, that it cannot seek.
NAMED = {"read", "pread64", "write", "pwrite64", "copy_file_range", "ftruncate", "fsync", "fdatasync", "rename",
         "renameat2", "mkdir", "getdents64", "flock"}  # fmt: skip


@unittest.skipUnless(sweep.CALLS, "LAMELLA_FAILING_CALLS does not name what failing_calls.c makes")
class Calls(sweep.Sweep):
    def is_shown_as_lost(self, case, got):
        """Of what cannot be read `explain` shows that it rules nothing out: it prints the same page
        for an index that is damaged."""
        return case.words[0] == "explain" and got.status == 0 and got.errors == ""

    def is_made(self, case, got, name):
        """Whether the new file is in its place already, and what comes behind it failed: the sync of
        its folder, so that its name may get lost in a power cut; what is printed of it; and, of two
        outputs, the second."""
        return (
            (name in ("fsync", "openat") and "cannot sync the folder" in got.errors)
            or (case.output is None and "standard output: cannot write" in got.errors)
            or ("--frames" in case.words and "frames: cannot rename the folder" in got.errors)
        )

    def may_leave(self, case, stays, name):
        """Whether temporary names remain: nothing works any more, or what removes them failed, or
        nobody can say whose they are. A failed sync proves nothing, so that a file that was appended
        to in place is left to recovery."""
        return (
            stays
            or name in ("unlink", "unlinkat", "rmdir", "newfstatat", "stat")
            or (case.in_place and name in ("fsync", "fdatasync", "openat"))
        )

    def fault(self, case, wanted, got, does, stays, name):
        number = int(does) if does.isdigit() else 0
        if name == "pread64" and not stays and self.is_shown_as_lost(case, got):
            return None
        wrong = self.failure_fault(
            case, wanted, got, self.may_leave(case, stays, name), self.is_made(case, got, name), COLUMNS_READ if stays else 1
        )
        if wrong is None and got.status != wanted.status:
            if does == "short":
                return "half of a read or write is no failure"
            if name in NAMED and os.strerror(number) not in got.errors and case.words[0] != "schema":
                return "its message has another reason"  # schema takes what is no text for Parquet
        return wrong

    def sweep(self, cases, find_fault):
        """Each call of each command fails in each way; `find_fault` says what is wrong with that, or None."""
        ended = 0
        for case in self.cases(cases):
            with self.subTest(case.name):
                wanted, faults = self.good_run(case), []
                for does, stays in WAYS:
                    names = self.names_of(case, LAMELLA_CALL_DOES=does, LAMELLA_CALL_AT="0")
                    more = {"LAMELLA_CALL_STAYS": "1"} if stays else {}
                    for point in self.points(case, (does, stays), len(names), SAMPLE):
                        got = self.run_case(case, LAMELLA_CALL_DOES=does, LAMELLA_CALL_AT=str(point), **more)
                        ended += got.status != wanted.status
                        wrong = find_fault(case, wanted, got, does, stays, names[point - 1])
                        if wrong is not None:
                            faults.append(f"{does}{'+' if stays else ''} at {point} of {len(names)}, "
                                          f"{names[point - 1]}: {wrong}: {got.said()}")  # fmt: skip
                self.expect_none(case, faults)
        print(f"{self.runs} runs, {ended} failed")
        return ended

    def sweep_and_fail(self, cases):
        ended = self.sweep(cases, self.fault)
        if not sweep.COMMANDS:
            self.assertGreater(ended, self.runs // 10)

    def test_records_of_a_damaged_file_are_true_where_calls_fail(self):
        self.sweep(sweep.KEEPING, lambda case, wanted, got, *_: self.rest_fault(case, wanted, got))

    def test_commands_that_write(self):
        self.sweep_and_fail(sweep.WRITING)

    def test_commands_that_read(self):
        self.sweep_and_fail(sweep.READING)


if __name__ == "__main__":
    program.main()
