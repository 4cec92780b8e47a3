# SPDX-License-Identifier: Apache-2.0
"""A disk that is full at every byte of what every command writes to files.

The files are as they were, nothing is left, and one line says that there is no space. Temporary
files in TMPDIR and what standard output goes to count, too. Of more than 16 KiB it is the bytes
at both ends, and one of 61 between. (failing_calls.c, "full")
"""

import errno
import os
import unittest

import program
import sweep

SAMPLE = 8  # bytes of each command, in the short form
END = 4096  # bytes of which each is tried
BETWEEN = 61


@unittest.skipUnless(sweep.CALLS, "LAMELLA_FAILING_CALLS does not name what failing_calls.c makes")
class Disk(sweep.Sweep):
    def run_with(self, case, size):
        return self.run_case(case, LAMELLA_CALL_DOES="full", LAMELLA_CALL_AT=str(size))

    def room_for(self, case, wanted):
        """The bytes that the command needs, found by halving."""
        least, most = 0, 2048
        while self.run_with(case, most).status != wanted.status:
            least, most = most + 1, most * 4
        while least < most:
            middle = (least + most) // 2
            if self.run_with(case, middle).status == wanted.status:
                most = middle
            else:
                least = middle + 1
        return least

    def fault(self, case, wanted, got):
        if got.status == wanted.status:
            return "it ended as if all were good"
        if os.strerror(errno.ENOSPC) not in got.errors:
            return "its message has another reason"
        return self.failure_fault(case, wanted, got, False)

    def sizes(self, case, room):
        points = self.points(case, "full", room, SAMPLE)
        if len(points) <= 4 * END:
            return points
        return [*points[:END], *points[END:-END:BETWEEN], *points[-END:]]

    def test_the_disk_is_full_at_each_byte(self):
        written = 0
        for case in self.cases([*sweep.WRITING, *(case for case in sweep.READING if case.output)]):
            with self.subTest(case.name):
                wanted, faults = self.good_run(case), []
                room = self.room_for(case, wanted)
                self.assertGreater(room, 10)
                written += room
                for point in self.sizes(case, room):
                    got = self.run_with(case, point - 1)
                    wrong = self.fault(case, wanted, got)
                    if wrong is not None:
                        faults.append(f"room for {point - 1} of {room}: {wrong}: {got.said()}")
                self.expect_none(case, faults)
        print(f"{self.runs} runs, {written} bytes")


if __name__ == "__main__":
    program.main()
