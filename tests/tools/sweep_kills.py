# SPDX-License-Identifier: Apache-2.0
"""A kill before and behind every system call of every command that writes.

Each file is the old one or the new one as a whole, and no other changes. Only temporary files are
left besides, under the names that the headers document, and when the command runs again it ends
well, and what it made of them is gone. A file that is appended to in place has the old rows and, of the
new ones, the first, if need be after `recover --in-place`. Loggers are killed by cli_log_kill.py.

What went wrong before: "append --in-place" was killed among the row groups that it copied, and
"recover --in-place" refused the file; "rewrite --salvage" and "explain" never removed what killed
ones had left.
"""

import signal
import unittest

import program
import sweep

SAMPLE = 4  # calls of each command, in the short form


@unittest.skipUnless(sweep.CALLS, "LAMELLA_FAILING_CALLS does not name what failing_calls.c makes")
class Kills(sweep.Sweep):
    def fault_of_next_run(self, case, wanted, left):
        """What is wrong with the next run, which finds what the killed one left."""
        if case.in_place or any(path.rstrip("/") in left for path in case.writes if path not in self.pristine):
            return None  # it is whole, and some commands replace no file
        for path, content in left.items():
            if content is not None:
                self.put(path, content)
            elif path not in self.pristine:
                self.make_folder(path)
        got = self.run_case(case)
        if got.status != case.status:
            return f"the next run ends with {got.status}: {got.errors}"
        for path in set(got.files) | set(wanted.files):
            if sweep.FOLDER.fullmatch(path):
                continue  # nobody knows whether what is in it is somebody's
            if path == "a.parquet" and case.words[0] == "append":
                continue  # it may have got the rows twice
            if got.files.get(path, 0) != wanted.files.get(path, 0):
                return f"{path} differs after the next run"
        return None

    def fault(self, case, wanted, got):
        if got.status != -signal.SIGKILL:
            return "it was not killed"
        wrong = self.change_fault(case, wanted, got, True)
        return wrong or self.fault_of_next_run(case, wanted, got.files)

    def test_each_call_may_be_the_last(self):
        old = new = left = 0
        for case in self.cases(sweep.WRITING):
            with self.subTest(case.name):
                wanted, faults = self.good_run(case), []
                count = len(self.names_of(case))
                for does in ("kill", "kill-after"):
                    for point in self.points(case, does, count, SAMPLE):
                        got = self.run_case(case, LAMELLA_CALL_DOES=does, LAMELLA_CALL_AT=str(point))
                        wrong = self.fault(case, wanted, got)
                        old += got.files == self.pristine
                        new += got.files == wanted.files
                        left += any(sweep.LEFTOVER.fullmatch(path) for path in got.files)
                        if wrong is not None:
                            faults.append(f"{does} at {point} of {count}: {wrong}")
                self.expect_none(case, faults)
        print(f"{self.runs} runs: {old} left the old files, {new} the new ones, {left} a temporary one")
        if not sweep.COMMANDS:
            self.assertGreater(min(old, left), 0)


if __name__ == "__main__":
    program.main()
