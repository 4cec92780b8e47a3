# SPDX-License-Identifier: Apache-2.0
"""Folders in which strangers have put something under the names that the program gives.

What went wrong before: the start of a log, recover and append wrote through links by the names
X.recovering and X.appending; files of 0600 became readable to all; a link was replaced instead of
the file behind it; a foreign file stood for what a recovery had made, and the leftover went.

Each kind of thing is put under each name that a command makes or matches, beside what the command
works on. Nothing outside of the folder changes, what is planted is neither written nor becomes a
part of the result, and the command does what is listed here.
"""

import os
import shutil
import stat
import subprocess
import sys
import time
import unittest
import zlib

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import sample  # noqa: E402

STRANGER = 12345
IS_ROOT = os.geteuid() == 0
SCHEMA = "message m { required int64 n; required int64 k; }"
LOG = "log-20261128T202026Z-25c4cfc4541f1a6f.parquet"
TIME = "0123456789abcdef"


def lines(first, count):
    return "".join(f'{{"n":{n},"k":1}}\n' for n in range(first, first + count))


# --- What is planted -------------------------------------------------------------------------------


def plant_link(path):
    os.symlink("../outside/precious", path)


def plant_dangling_link(path):
    os.symlink("../outside/new", path)


def plant_link_to_folder(path):
    os.symlink("../outside", path)


def plant_second_name(path):
    os.link(os.path.join(os.path.dirname(path), "../outside/precious"), path)


def plant_pipe(path):
    os.mkfifo(path, 0o666)


def plant_folder(path):
    os.mkdir(path)


def plant_foreign_file(path):
    with open(path, "wb") as file:
        file.write(b"PAR1 theirs")
    os.chmod(path, 0o666)
    os.chown(path, STRANGER, STRANGER)


def plant_foreign_file_in_sticky_folder(path):
    plant_foreign_file(path)
    os.chmod(os.path.dirname(path), 0o1777)


def plant_foreign_folder(path):
    os.mkdir(path)
    os.chown(path, STRANGER, STRANGER)


KINDS = [plant_link, plant_dangling_link, plant_link_to_folder, plant_second_name, plant_pipe, plant_folder]
FOREIGN = [plant_foreign_file, plant_foreign_file_in_sticky_folder, plant_foreign_folder]


# --- What is run -----------------------------------------------------------------------------------

# A command, the names that it makes, matches or must leave alone, each with the exit status that it
# has with a plant there; and what it makes.
APPEND = ["append", "-o", "d/a.parquet", "more"]
IN_PLACE = ["append", "--in-place", "-o", "d/a.parquet", "more"]
LEFT = f".lamella-1-{TIME}.tmp"
CASES = [
    (APPEND, "d/a.parquet", {"a.parquet.appending": 0, "_a.parquet.append": 0, "_a.parquet" + LEFT: 0}),
    (IN_PLACE, "d/a.parquet", {"a.parquet.appending": 0, "_a.parquet.append": 1, "_a.parquet" + LEFT: 0}),
    (["recover", "d/_x.parquet.part"], "d/x.parquet",
     {"x.parquet.recovering": 0, "_x.parquet.part.append": 0, "_x.parquet.journal": 0, "_x.parquet" + LEFT: 0,
      "x.parquet": 1}),
    (["recover", "--in-place", "d/i.parquet"], "d/i.parquet",
     {"i.parquet.recovering": 0, "_i.parquet.journal": 0, "_i.parquet" + LEFT: 0}),
    (["recover", "d"], f"d/{LOG}",
     {LOG + ".recovering": 0, "_" + LOG + LEFT: 0, "_" + LOG + ".journal": 0, "_" + LOG + ".part.bad": 0, "k=1": 0,
      "_log-20261128T202026Z-25c4cfc4541f1a6e.parquet.part": 0}),
    (["log", "--schema", SCHEMA, "-o", "d", "more"], f"d/{LOG}",
     {LOG + ".recovering": 0, "_" + LOG + LEFT: 0, "_" + LOG + ".journal": 0, "_" + LOG + ".part.bad": 0, "k=1": 0,
      "_log-20261128T202026Z-25c4cfc4541f1a6e.parquet.part": 0}),
    (["log", "--journal", "--schema", SCHEMA, "-o", "d/y.parquet", "more"], "d/y.parquet",
     {"_y.parquet.part": 0, "_y.parquet.journal": 0, "_y.parquet.part.old": 0, "_y.parquet.journal.old": 0,
      "_y.parquet.part.bad": 0, "y.parquet.recovering": 0, "y.parquet": 1}),
    (["import", "-o", "d/out", "more"], "d/out", {"_out" + LEFT: 0, "out.tmp": 0}),
    (["rewrite", "-o", "d/out", "d/a.parquet"], "d/out", {"_out" + LEFT: 0}),
    (["rewrite", "--salvage", "-o", "d/out", "d/a.parquet"], "d/out", {"_out" + LEFT: 0}),
    (["explain", "--limit", "1", "-o", "d/out", "d/a.parquet"], "d/out", {"_out" + LEFT: 0}),
    (["rewrite", "--split", "40", "-o", "d/parts", "d/a.parquet"], "d/parts",
     {".parts.lamella-1-012Xyz": 0}),
    (["rewrite", "--partition-by", "k", "-o", "d/parts", "d/a.parquet"], "d/parts",
     {".parts.lamella-1-012Xyz": 0}),
]  # fmt: skip


class Planted(program.ProgramTest):
    def setUp(self):
        super().setUp()
        os.umask(0o022)
        self.make("whole", lines(0, 100), "--schema", SCHEMA, "--row-group-rows", "50")
        self.put("more", lines(100, 10))
        with open(self.path("whole"), "rb") as file:
            self.whole = file.read()

    def put_file(self, name, content, mode=0o600):
        self.put(name, content)
        os.chmod(self.path(name), mode)

    def lay_out(self):
        """The folder with what commands work on, and what is outside of it."""
        for name in ("d", "outside"):
            shutil.rmtree(self.path(name), ignore_errors=True)
            os.mkdir(self.path(name))
        self.put_file("outside/precious", "precious")
        for name in ("d/a.parquet", "d/i.parquet", "d/_x.parquet.part", f"d/_{LOG}.part"):
            self.put_file(name, self.whole)
        note = b"PLAN" + len(self.whole).to_bytes(8, "little")
        self.put_file("d/_i.parquet.append", note + zlib.crc32(note).to_bytes(4, "little"))

    def state_of(self, path):
        about = os.lstat(path)
        content = None
        if stat.S_ISREG(about.st_mode):
            with open(path, "rb") as file:
                content = file.read()
        elif stat.S_ISLNK(about.st_mode):
            content = os.readlink(path)
        elif stat.S_ISDIR(about.st_mode):
            content = sorted(os.listdir(path))
        return about.st_ino, about.st_mode, about.st_uid, about.st_gid, content

    def everything_in(self, folder):
        found = {}
        for root, folders, files in os.walk(self.path(folder)):
            for name in folders + files:
                path = os.path.join(root, name)
                found[os.path.relpath(path, self.folder)] = self.state_of(path)
        return found

    def planted_fault(self, command, made, name, kind, status):
        self.lay_out()
        planted = self.path("d/" + name)
        kind(planted)
        outside, before = self.everything_in("outside"), self.state_of(planted)
        got, _, errors = self.run_program(*command)
        if self.everything_in("outside") != outside:
            return "something outside has changed"
        if before not in self.everything_in("d").values():
            return f"what was planted has changed or is gone: {errors}"
        if got != status:
            return f"it ended with {got}, not {status}: {errors}"
        path = self.path(made)
        if status == 0 and (os.path.islink(path) or os.lstat(path).st_uid != os.geteuid()):
            return "what it made is not its own"
        return None

    def check(self, kinds):
        every = [(command, made, name, kind, status) for command, made, names in CASES
                 for name, status in names.items() for kind in kinds
                 if kind is not plant_folder or not name.startswith(".parts")]  # fmt: skip
        faults = []
        for command, made, name, kind, status in sample.take(every, 40, kinds[0].__name__):
            wrong = self.planted_fault(command, made, name, kind, status)
            if wrong is not None:
                faults.append(f"{' '.join(command)}: {name}: {kind.__name__}: {wrong}")
        self.assertEqual(faults, [], sample.told)

    def test_nothing_is_written_through_what_is_planted(self):
        self.check(KINDS)

    @unittest.skipUnless(IS_ROOT, "files cannot be given away")
    def test_files_of_others_are_neither_written_nor_believed(self):
        self.check(FOREIGN)

    def test_a_final_name_of_others_does_not_cost_the_leftover(self):
        """It went, as if what had its final name were what a recovery had made of it."""
        for kind in KINDS + (FOREIGN if IS_ROOT else []):
            for command in (["recover", "d"], ["log", "--schema", SCHEMA, "-o", "d", "more"]):
                self.lay_out()
                kind(self.path(f"d/{LOG}"))
                self.assertEqual(self.run_program(*command)[0], 0, (kind, command))
                with open(self.path(f"d/_{LOG}.part"), "rb") as file:
                    self.assertEqual(file.read(), self.whole, (kind, command))

    def test_partition_folders_that_are_links_are_not_followed(self):
        self.lay_out()
        os.symlink("../outside", self.path("d/k=1"))
        errors = self.run_program("log", "--schema", SCHEMA, "--partition", "k=%v", "--by", "k", "-o", "d", "more")[2]
        self.assertIn("d/k=1: cannot make the folder", errors)
        self.assertEqual(os.listdir(self.path("outside")), ["precious"])

    def test_a_folder_that_is_given_may_be_a_link(self):
        for name in ("new", "d"):
            self.lay_out()
            os.symlink(name, self.path("link"))
            command = ["log", "--schema", SCHEMA, "--partition", "k=%v", "--by", "k", "-o", "link", "more"]
            self.assertEqual(self.run_program(*command)[0], 0)
            self.assertEqual(len(os.listdir(self.path(f"{name}/k=1"))), 1)
            os.remove(self.path("link"))

    def swap_unfinished_folder(self, records):
        """Puts a link in place of the hidden folder of a run that waits for its input."""
        self.lay_out()
        for name in ("shredding-001.svg", "assembly-001.svg"):
            self.put_file("outside/" + name, "precious")
        process = self.start(
            "explain", "-o", "page.html", "--frames", "d/frames", "-", stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        found = []
        while not found and process.poll() is None:
            time.sleep(0.002)
            found = [name for name in os.listdir(self.path("d")) if name.startswith(".frames.lamella-")]
        # More than a pipe holds: it is taken when the run has locked its folder, and reads.
        process.stdin.write(b'{"a":1}' + b"\n" * (1 << 20))
        process.stdin.flush()
        os.rename(self.path("d/" + found[0]), self.path("d/aside"))
        plant_link_to_folder(self.path("d/" + found[0]))
        os.chmod(self.path("outside"), 0o700)
        outside = self.everything_in("outside")
        errors = process.communicate(records)[1].decode()
        self.assertEqual(process.returncode, 1, errors)
        self.assertEqual(self.everything_in("outside"), outside)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("outside")).st_mode), 0o700)
        self.assertFalse(os.path.lexists(self.path("d/frames")))
        self.assertEqual(os.listdir(self.path("d/aside")), [])
        return errors

    def test_a_link_in_place_of_an_unfinished_folder_leads_nowhere(self):
        """Files were made and removed behind it, and what it led to became readable to all."""
        self.assertIn("the unfinished folder was replaced", self.swap_unfinished_folder(b'{"a":1}'))
        self.swap_unfinished_folder(b'{"a":1} {"a":')

    def test_output_folders_are_new_or_empty_and_no_links(self):
        for kind in (plant_link, plant_dangling_link, plant_link_to_folder, plant_second_name, plant_pipe):
            self.lay_out()
            kind(self.path("d/parts"))
            outside = self.everything_in("outside")
            message = self.bad("rewrite", "--split", "40", "-o", "d/parts", "d/a.parquet", status=2)
            self.assertIn("the folder must be new, or empty", message)
            self.assertEqual(self.everything_in("outside"), outside)


class Rights(program.ProgramTest):
    """What replaces, continues or recovers a file is its owner's, and open to nobody else."""

    def setUp(self):
        super().setUp()
        os.umask(0o022)
        self.make("whole", lines(0, 100), "--schema", SCHEMA)
        self.put("more", lines(100, 10))
        with open(self.path("whole"), "rb") as file:
            self.whole = file.read()

    def put_file(self, name, mode, owner):
        self.put(name, self.whole)
        if owner is not None:
            os.chown(self.path(name), *owner)
        os.chmod(self.path(name), mode)

    def rights(self, name):
        about = os.lstat(self.path(name))
        self.assertTrue(stat.S_ISREG(about.st_mode), name)
        return stat.S_IMODE(about.st_mode), about.st_uid, about.st_gid

    def check(self, mode, owner):
        wanted = (mode, *(owner or (os.geteuid(), os.stat(self.path("whole")).st_gid)))
        for arguments, name, made in (
            (["append", "-o", "a", "more"], "a", "a"),
            (["append", "--in-place", "-o", "a", "more"], "a", "a"),
            (["append", "-o", "link", "more"], "a", "a"),
            (["append", "--in-place", "-o", "link", "more"], "a", "a"),
            (["recover", "_x.parquet.part"], "_x.parquet.part", "x.parquet"),
            (["recover", "--in-place", "a"], "a", "a"),
            (["recover", "--in-place", "link"], "a", "a"),
            (["import", "-o", "a", "more"], "a", "a"),
            (["rewrite", "-o", "link", "whole"], "a", "a"),
            (["explain", "--limit", "1", "-o", "a", "whole"], "a", "a"),
        ):
            for left in ("a", "_a.append", "link", "x.parquet", "_x.parquet.part"):
                if os.path.lexists(self.path(left)):
                    os.remove(self.path(left))
            self.put_file(name, mode, owner)
            os.symlink("a", self.path("link"))
            if "recover" in arguments and "--in-place" in arguments:
                note = b"PLAN" + len(self.whole).to_bytes(8, "little")
                self.put("_a.append", note + zlib.crc32(note).to_bytes(4, "little"))
            self.good_enough(*arguments)
            self.assertEqual(self.rights(made), wanted, arguments)
            self.assertTrue(os.path.islink(self.path("link")), arguments)
            self.assertNotIn("_a.append", self.files())

    def good_enough(self, *arguments):
        status, _, errors = self.run_program(*arguments)
        self.assertEqual(status, 0, (arguments, errors))

    def test_permissions_are_kept_and_links_stay(self):
        for mode in (0o600, 0o640, 0o664):
            self.check(mode, None)

    @unittest.skipUnless(IS_ROOT, "files cannot be given away")
    def test_owner_and_group_are_kept(self):
        self.check(0o640, (STRANGER, STRANGER + 1))

    def test_logs_keep_permissions_at_their_start(self):
        for mode in (0o600, 0o640):
            shutil.rmtree(self.path("d"), ignore_errors=True)
            os.mkdir(self.path("d"))
            for name in (f"d/_{LOG}.part", "_y.parquet.part"):
                self.put_file(name, mode, None)
            self.run_program("log", "--schema", SCHEMA, "-o", "d", "more")
            self.assertEqual(self.rights(f"d/{LOG}")[0], mode)
            self.run_program("log", "--journal", "--schema", SCHEMA, "-o", "y.parquet", "more")
            self.assertEqual(self.rights("y.parquet")[0], mode)
            self.assertEqual(len(self.records("y.parquet")), 110)
            os.remove(self.path("y.parquet"))

    def test_an_empty_folder_keeps_its_permissions(self):
        """It was replaced by one that all could enter."""
        os.mkdir(self.path("parts"))
        os.chmod(self.path("parts"), 0o700)
        self.good("rewrite", "--split", "40", "-o", "parts", "whole")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("parts")).st_mode), 0o700)
        self.good("rewrite", "--split", "40", "-o", "new", "whole")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o755)

    @unittest.skipUnless(IS_ROOT, "files cannot be given away")
    def test_what_a_sticky_folder_keeps_for_its_owner_is_named(self):
        os.chmod(self.folder, 0o755)
        for name in ("_y.parquet.part", "_y.parquet.journal", "_y.parquet.journal.old"):
            os.mkdir(self.path("d"))
            plant_foreign_file_in_sticky_folder(self.path(f"d/{name}"))
            done = subprocess.run(
                [program.PROGRAM, "log", "--schema", SCHEMA, "-o", "d/y.parquet"], cwd=self.folder,
                input=lines(0, 1).encode(), capture_output=True, check=False,
                preexec_fn=lambda: (os.setgroups([]), os.setgid(STRANGER + 1), os.setuid(STRANGER + 1)),
            )  # fmt: skip
            self.assertEqual(
                (done.returncode, done.stderr.decode()),
                (1, f"lamella: d/y.parquet: d/{name}: cannot rename: Operation not permitted; it is not this "
                    "user's alone: have its owner remove it, or log to another path\n"),
            )  # fmt: skip
            self.assertEqual(os.listdir(self.path("d")), [name])
            shutil.rmtree(self.path("d"))


if __name__ == "__main__":
    program.main()
