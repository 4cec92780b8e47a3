# SPDX-License-Identifier: Apache-2.0
"""What the sweeps over system calls share: the commands, their files, and running one with a fault.

Each command runs in a folder with the same files, once as it is meant to and then with a fault at
each point (failing_calls.c). What it leaves is compared with what was there before and with what
the good run made. A command that changes files names these; all other files must stay.

LAMELLA_SWEEP=all takes every point, which the targets sweep-calls, sweep-disk and sweep-kills set;
otherwise a sample (support/sample.py). LAMELLA_SWEEP_OF=rewrite,diff chooses the commands.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import sample  # noqa: E402

os.environ["LC_ALL"] = "C"
CALLS = os.environ.get("LAMELLA_FAILING_CALLS", "")
COMMANDS = os.environ.get("LAMELLA_SWEEP_OF", "")
# Temporary names of files (include/lamella/io.h, recover.h), and of folders with all that is in them.
FOLDER = re.compile(r"\.\w+\.lamella-\d+-\w{6}(/.*)?")
LEFTOVER = re.compile(r".*\.lamella-\d+-[0-9a-f]{16}\.tmp|" + FOLDER.pattern)

SCHEMA = """message m {
  required int64 id; optional binary name (STRING); optional double real; required int32 p;
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
}
"""


def records(first, count):
    return [
        {"id": n, "name": f"name {n * 7 % 31}", "real": n / 4, "p": n % 2,
         "tags": [f"tag {n % 7}", None] if n % 3 else None}
        for n in range(first, first + count)
    ]  # fmt: skip


class Case:
    """A command; "<NAME" among its words is the file that is standard input, ">NAME" the one that
    is standard output."""

    def __init__(self, *words, writes=(), in_place=None, status=0):
        self.words = [word for word in words if word[0] not in "<>"]
        self.input = next((word[1:] for word in words if word[0] == "<"), None)
        self.output = next((word[1:] for word in words if word[0] == ">"), None)
        self.writes = writes  # files, or folders that end in "/", which it may make or replace
        self.in_place = in_place  # a file that it changes where it is
        self.status = status  # of the good run
        self.name = " ".join(words)

    def may_write(self, path):
        return any(path == name or (name[-1] == "/" and (path + "/").startswith(name)) for name in self.writes)


WRITING = [
    Case("import", "-o", "out", "a.json", writes=["out"]),
    Case("import", "--schema", "s", "--row-group-rows", "30", "--bloom", "id", "-o", "old", "a.json", writes=["old"]),
    Case("import", "--codec", "gzip", "-o", "old", "c.csv", writes=["old"]),
    Case("import", "-o", "out", "-", "<c.csv.gz", writes=["out"]),
    Case("import", "-o", "out", "-", "<a.json", writes=["out"]),
    Case("import", "-o", "old", "a.parquet", "b.parquet", writes=["old"]),
    Case("import", "-o", "out", "-", "<a.parquet", writes=["out"]),
    Case("import", "-o", "-", "a.json", ">printed"),
    Case("rewrite", "-o", "old", "a.parquet", "b.parquet", writes=["old"]),
    Case("rewrite", "--codec", "snappy", "--columns", "id,tags", "-o", "out", "-", "<a.parquet", writes=["out"]),
    Case("rewrite", "--sort-by", "real:desc", "--where", "id > 3", "-o", "out", "a.parquet", writes=["out"]),
    Case("rewrite", "--sort-by", "s", "--memory-limit", "3MiB", "-o", "out", "long.parquet", writes=["out"]),
    Case("rewrite", "--split", "20", "-o", "parts", "a.parquet", writes=["parts/"]),
    Case("rewrite", "--partition-by", "p", "-o", "parts", "a.parquet", writes=["parts/"]),
    Case("rewrite", "--salvage", "-o", "out", "a.parquet", writes=["out"]),
    Case("rewrite", "--salvage", "-o", "out", "damaged.parquet", writes=["out"], status=3),
    Case("rewrite", "-o", "-", "a.parquet", ">printed"),
    Case("append", "-o", "a.parquet", "b.parquet", "b.json", writes=["a.parquet"]),
    Case("append", "-o", "a.parquet", "-", "<b.json", writes=["a.parquet"]),
    Case("append", "-o", "a.parquet", "more.json", "b.parquet", writes=["a.parquet"]),
    Case("append", "--in-place", "-o", "a.parquet", "b.parquet", "b.json", in_place="a.parquet"),
    Case("recover", "--schema", "s", "-o", "out", "cut.parquet", writes=["out"], status=3),
    Case("explain", "-o", "old", "--limit", "1", "--columns", "id", "a.parquet", writes=["old"]),
    Case("explain", "-o", "out", "--frames", "frames", "--limit", "1", "--columns", "id", "a.parquet",
         writes=["out", "frames/"]),
]  # fmt: skip

# What is left of a damaged file, as records; the status of the good run is that of a failure.
KEEPING = [
    Case("cat", "--keep-going", "damaged.parquet", status=1),
    Case("cat", "--keep-going", "damaged.parquet", "a.parquet", ">printed", status=1),
]

READING = [
    Case("cat", "a.parquet"),
    Case("cat", "a.parquet", ">printed"),
    Case("cat", "-", "<a.parquet"),
    Case("cat", "--format", "csv", "folder", ">printed"),
    Case("cat", "--where", "id > 50 and name = 'name 3'", "a.parquet", "b.parquet"),
    Case("head", "--format", "table", "a.parquet"),
    Case("tail", "a.parquet"),
    Case("sample", "--seed", "3", "a.parquet"),
    Case("count", "a.parquet", "b.parquet"),
    Case("count", "--where", "k = 1", "folder"),
    Case("schema", "a.parquet"),
    Case("schema", "c.csv.gz"),
    Case("meta", "a.parquet", ">printed"),
    Case("pages", "--index", "a.parquet"),
    Case("bytes", "--all", "a.parquet", ">printed"),
    Case("levels", "--columns", "tags", "a.parquet"),
    Case("trace", "--limit", "2", "a.parquet"),
    Case("automaton", "a.parquet"),
    Case("summary", "--json", "a.parquet"),
    Case("check", "a.parquet"),
    Case("diff", "a.parquet", "b.parquet", ">printed", status=1),
    Case("diff", "--key", "id", "a.parquet", "a.parquet"),
    Case("explain", "-o", "-", "--json", "--limit", "1", "--columns", "id", "a.parquet", ">printed"),
]


def without_judge(output):
    """What check prints but for the opinion of the judge, whose own process may fail."""
    lines = [line for line in output.splitlines() if b"footer-unjudged" not in line]
    return re.sub(rb"\d+ notes?|\"notes\":\d+", b"notes", b"\n".join(lines))


class Outcome:
    def __init__(self, status, output, errors, files):
        self.status, self.output, self.errors, self.files = status, output, errors, files

    def said(self):
        return (self.status, self.output[-100:], self.errors[-300:])


class Sweep(program.ProgramTest):
    def setUp(self):
        super().setUp()
        print(sample.told)
        self.put("s", SCHEMA)
        self.put("a.json", program.ndjson(records(0, 60)))
        self.put("b.json", program.ndjson(records(60, 20)))
        table = "a,b,c\n" + "".join(f'{n},"x ""{n}""",2024-10-{1 + n % 30:02}\n' for n in range(60))
        self.put("c.csv", table)
        self.put("c.csv.gz", gzip.compress(table.encode(), mtime=0))
        written = ["--schema", SCHEMA, "--row-group-rows", "40", "--page-size", "300"]
        self.good("import", *written, "--bloom", "id", "--meta", "source=west", "-o", "a.parquet", "a.json")
        self.good("import", *written, "-o", "b.parquet", "b.json")
        self.make("old", records(0, 3), "--schema", SCHEMA)
        text = program.ndjson({"s": f"{n * 2654435761 % 4294967296:08x}" * 8} for n in range(9000))
        self.good("import", "-o", "long.parquet", "-", stdin=text)
        self.put("more.json", '{"id":1}\n{"id":2.5,"more":{"x":1}}\n')
        whole = self.read("a.parquet")
        self.put("cut.parquet", whole[: len(whole) * 3 // 4])
        self.put("damaged.parquet", whole[:300] + bytes([whole[300] ^ 1]) + whole[301:])
        os.makedirs(self.path("folder/k=1"))
        os.makedirs(self.path("folder/k=2"))
        shutil.copy(self.path("a.parquet"), self.path("folder/k=1"))
        shutil.copy(self.path("b.parquet"), self.path("folder/k=2"))
        os.mkdir(self.path("temporary"))
        self.pristine = self.contents()
        self.runs = 0

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def make_folder(self, path):
        os.makedirs(self.path(path), exist_ok=True)

    def contents(self):
        """Path to bytes; None for a folder."""
        found = {}
        for folder, folders, names in os.walk(self.folder):
            where = os.path.relpath(folder, self.folder)
            for name in folders:
                found[os.path.normpath(os.path.join(where, name))] = None
            for name in names:
                path = os.path.normpath(os.path.join(where, name))
                found[path] = self.read(path)
        return found

    def restore(self, now):
        for path in sorted(set(now) - set(self.pristine), reverse=True):
            if now[path] is None:
                os.rmdir(self.path(path))
            else:
                os.remove(self.path(path))
        for path, content in self.pristine.items():
            if content is not None and now.get(path) != content:
                self.put(path, content)

    def run_case(self, case, restores=True, **variables):
        """The outcome, after which the files are as they were."""
        environment = dict(os.environ, TMPDIR=self.path("temporary"))
        if variables:
            environment.update({"LD_PRELOAD": CALLS, "LAMELLA_CALL_OF": "all"} | variables)
        data = open(self.path(case.input), "rb") if case.input else subprocess.DEVNULL
        output = open(self.path("printed"), "wb") if case.output else subprocess.PIPE
        done = subprocess.run(
            [program.PROGRAM, *case.words], cwd=self.folder, stdin=data, stdout=output, stderr=subprocess.PIPE,
            check=False, timeout=program.TIME_LIMIT, env=environment,
        )  # fmt: skip
        printed = done.stdout
        for stream in (data, output):
            if not isinstance(stream, int):
                stream.close()
        if case.output:
            printed = self.read("printed")
            os.remove(self.path("printed"))
        files = self.contents()
        if restores:
            self.restore(files)
        self.runs += 1
        return Outcome(done.returncode, printed, done.stderr.decode("utf-8", "replace"), files)

    def good_run(self, case):
        """The outcome without a fault, and the calls that it makes."""
        wanted = self.run_case(case)
        self.assertEqual(wanted.status, case.status, (case.name, wanted.errors))
        for path in set(wanted.files) | set(self.pristine):
            if wanted.files.get(path) != self.pristine.get(path):
                self.assertTrue(case.may_write(path) or path == case.in_place, (case.name, path))
        return wanted

    def names_of(self, case, **variables):
        """The calls of a good run."""
        with tempfile.TemporaryDirectory(prefix="lamella-") as beside:
            path = os.path.join(beside, "names")
            self.run_case(case, LAMELLA_CALL_NAMES=path, **variables)
            with open(path, encoding="ascii") as file:
                return file.read().split()

    def points(self, case, way, count, few):
        """All numbers from 1 to `count`, or some."""
        return sample.take(range(1, count + 1), few, f"{case.name} {way}")

    def rows(self, content):
        """What `cat` prints of a file; None when it is none."""
        self.put("sample", content)
        status, output, _ = self.run_program("cat", "sample")
        os.remove(self.path("sample"))
        return output if status == 0 else None

    def is_same(self, case, wanted, got):
        output, files = (got.output, wanted.output), dict(got.files)
        if case.words[0] == "check":
            output = (without_judge(got.output), without_judge(wanted.output))
        if case.in_place:  # recovery records have a random number
            if self.rows(files[case.in_place]) == self.rows(wanted.files[case.in_place]):
                files[case.in_place] = wanted.files[case.in_place]
        return output[0] == output[1] and got.errors == wanted.errors and files == wanted.files

    def recovers(self, case, wanted, files):
        """Whether a file that was to change where it is has all of its old rows, and of the new ones
        the first, if need be after `recover`."""
        old, new = self.rows(self.pristine[case.in_place]), self.rows(wanted.files[case.in_place])
        note = f"_{case.in_place}.append"
        for path in (case.in_place, note):
            if path in files:
                self.put(path, files[path])
        if note in files:
            self.run_program("recover", "--in-place", case.in_place)
        status, rows, _ = self.run_program("cat", case.in_place)
        self.restore(self.contents())
        return status == 0 and rows.startswith(old) and new.startswith(rows)

    def change_fault(self, case, wanted, got, may_leave, is_made=False):
        """What is wrong with the files behind a run that did not end well. What is left may be a
        temporary file, or a file that is to be recovered: `may_leave`; or the new file, as a whole:
        `is_made`."""
        for path in set(got.files) | set(self.pristine):
            now = got.files.get(path, 0)
            if now == self.pristine.get(path, 0):
                continue
            if path == case.in_place or path == f"_{case.in_place}.append":
                if may_leave and self.recovers(case, wanted, got.files):
                    continue
                return f"{path} cannot be recovered"
            if may_leave and LEFTOVER.fullmatch(path):
                continue
            if (may_leave or is_made) and case.may_write(path) and now == wanted.files.get(path):
                continue
            return f"{path} is {'left' if path in got.files else 'gone'}"
        return None

    def failure_fault(self, case, wanted, got, may_leave, is_made=False, reasons=1):
        """What is wrong with a run that met a failure; None when nothing is."""
        if got.status == wanted.status:
            if self.is_same(case, wanted, got):
                return None
            if case.status == 0:
                return "it ended as if all were good, and with something else"
        if got.status != (2 if case.words[0] == "diff" else 1):
            return "its exit status"
        lines = got.errors.splitlines()
        if not 0 < len(lines) <= reasons or got.errors[-1] != "\n":
            return "its message"
        if any(not line.startswith("lamella: ") for line in lines):
            return "its message"
        return self.change_fault(case, wanted, got, may_leave, is_made)

    def rest_fault(self, case, wanted, got):
        """What is wrong with the records of a damaged file where another failure came on top of it."""
        if got.output == wanted.output and got.errors == wanted.errors:
            return "its exit status" if got.status != wanted.status else self.change_fault(case, wanted, got, False)
        if got.status != 1:
            return "its exit status"
        said = got.errors.splitlines()
        if any(not line.startswith("lamella: ") for line in said) or set(said) <= set(wanted.errors.splitlines()):
            return "its message"
        whole, _, last = got.output.rpartition(b"\n")  # a write that fails may have begun a line
        lines = iter(wanted.output.splitlines())
        if not all(line in lines for line in whole.splitlines()):  # in their order
            return "its records"
        if last and not any(line.startswith(last) for line in lines):
            return "its last record"
        return self.change_fault(case, wanted, got, False)

    def cases(self, cases):
        for case in cases:
            if not COMMANDS or case.words[0] in COMMANDS.split(","):
                yield case

    def expect_none(self, case, faults):
        if faults:
            self.fail(f"{case.name}: {len(faults)} faults:\n" + "\n".join(faults[:12]))
