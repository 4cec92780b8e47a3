# SPDX-License-Identifier: Apache-2.0
"""Time and memory of every command over files that stand for more than anyone can hold or wait for.

limits.py PROGRAM MEASURED [--timeout MS] [--memory MIB] [--more-time MS] [--more-memory MIB] [--sample N] [COMMAND|BOMB ...]

Prints a Markdown table of the worst that each command does within its limits, and of every run that passes them by
more than is allowed. Names of commands or bombs choose among them; a sample is drawn by a seed, which is printed.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile

import bombs

MEMORY, TIME = 16 << 20, 3000  # what each command is given: bytes, milliseconds
MORE_MEMORY, MORE_TIME = 16 << 20, 500  # what each may take beyond that
KILL = 20000  # milliseconds beyond the deadline, after which nobody waits
LIMITS = ["--memory-limit", "MEMORY", "--timeout", "TIME"]

# IN is the bomb, PACKED a copy of it that is cut or changed, OUT a name that is free, BASE a small file.
COMMANDS = {
    "cat": ["cat", *LIMITS, "IN"],
    "cat json": ["cat", "-f", "json", *LIMITS, "IN"],
    "cat csv": ["cat", "-f", "csv", *LIMITS, "IN"],
    "cat table": ["cat", "-f", "table", "--wide", *LIMITS, "IN"],
    "cat where": ["cat", "--where", "x is not null", *LIMITS, "IN"],
    "head": ["head", *LIMITS, "IN"],
    "tail": ["tail", "-n", "3", *LIMITS, "IN"],
    "sample": ["sample", "-n", "3", *LIMITS, "IN"],
    "count": ["count", *LIMITS, "IN"],
    "count where": ["count", "--where", "x is null", *LIMITS, "IN"],
    "schema": ["schema", *LIMITS, "IN"],
    "schema levels": ["schema", "--levels", *LIMITS, "IN"],
    "schema json": ["schema", "--json", *LIMITS, "IN"],
    "schema arrow": ["schema", "--arrow", *LIMITS, "IN"],
    "schema sql": ["schema", "--sql", *LIMITS, "IN"],
    "meta": ["meta", "--verbose", *LIMITS, "IN"],
    "pages": ["pages", "--index", *LIMITS, "IN"],
    "levels": ["levels", *LIMITS, "IN"],
    "automaton": ["automaton", *LIMITS, "IN"],
    "trace": ["trace", *LIMITS, "IN"],
    "bytes": ["bytes", "--all", *LIMITS, "IN"],
    "check": ["check", *LIMITS, "IN"],
    "summary": ["summary", *LIMITS, "IN"],
    "summary findings": ["summary", "--findings", *LIMITS, "IN"],
    "diff": ["diff", *LIMITS, "IN", "IN"],
    "explain": ["explain", *LIMITS, "-o", "OUT", "IN"],
    "explain frames": ["explain", "--frames", "OUT.d", *LIMITS, "-o", "OUT", "IN"],
    "import": ["import", *LIMITS, "-o", "OUT", "IN"],
    "rewrite": ["rewrite", *LIMITS, "-o", "OUT", "IN"],
    "rewrite page-size": ["rewrite", "--page-size", "4096", *LIMITS, "-o", "OUT", "IN"],
    "rewrite codec": ["rewrite", "--codec", "zstd", *LIMITS, "-o", "OUT", "IN"],
    "rewrite sort-by": ["rewrite", "--sort-by", "x", "--temporary", ".", *LIMITS, "-o", "OUT", "IN"],
    "rewrite salvage": ["rewrite", "--salvage", *LIMITS, "-o", "OUT", "IN"],
    "rewrite partition-by": ["rewrite", "--partition-by", "x", *LIMITS, "-o", "OUT.d", "IN"],
    "rewrite where": ["rewrite", "--where", "x is not null", *LIMITS, "-o", "OUT", "IN"],
    "append": ["append", "--ignore-unknown", *LIMITS, "-o", "COPY", "IN"],
    "recover": ["recover", "--like", "IN", *LIMITS, "-o", "OUT", "CUT"],
    "log": ["log", "--memory-limit", "MEMORY", "-o", "LOGS", "RECORDS"],
}


class Cell:
    """One command over one bomb, with what it took."""

    def __init__(self, command, bomb, status, milliseconds, peak, message):
        self.command, self.bomb, self.status = command, bomb, status
        self.milliseconds, self.peak, self.message = milliseconds, peak, message
        self.is_late = milliseconds > TIME + MORE_TIME
        self.is_large = peak > MEMORY + MORE_MEMORY
        self.is_crash = status > 128 and status not in (128 + 9, 128 + 15)
        self.is_forced = "ended, as the time limit has expired" in message

    def is_bad(self):
        return self.is_late or self.is_large or self.is_crash

    def row(self):
        return f"| {self.command} | {self.bomb} | {self.status} | {self.milliseconds / 1000:.2f} s | {self.peak / 1e6:.0f} MB |"


class Table:
    def __init__(self, program, measured, folder):
        self.program, self.measured, self.folder = os.path.abspath(program), os.path.abspath(measured), folder
        self.files = {}
        self.write("base.parquet", bombs.wide, "base", [b"x"])
        with open(os.path.join(folder, "one.json"), "w", encoding="ascii") as file:
            file.write('{"x":1}\n')

    def write(self, _, make, *arguments):
        """In a process of its own: what a large file takes to make is not held while others are measured."""
        child = os.fork()
        if child == 0:
            make(self.folder, *arguments)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(f"cannot make {make.__name__}")

    def file(self, bomb):
        name = bomb.__name__
        if name not in self.files:
            before = set(os.listdir(self.folder))
            self.write(name, bomb)
            self.files[name] = (set(os.listdir(self.folder)) - before).pop()
        return self.files[name]

    def path(self, name):
        return os.path.join(self.folder, name)

    def words(self, command, name):
        """The command line for a bomb, with the files beside it that it needs."""
        is_parquet = name.endswith(".parquet")
        words = [{"IN": name, "TIME": f"{TIME}ms", "MEMORY": str(MEMORY), "CUT": "cut.parquet"}.get(word, word) for word in COMMANDS[command]]
        words = [word.replace("OUT", "out") if word in ("OUT", "OUT.d") else word for word in words]
        if "COPY" in words:
            self.copy(name if is_parquet and name != "sparse.parquet" else "base.parquet", "copy.parquet")
        if "cut.parquet" in words and is_parquet and name != "sparse.parquet":
            self.copy(name, "cut.parquet")
            os.truncate(self.path("cut.parquet"), max(5, os.path.getsize(self.path("cut.parquet")) - 8))
        if "LOGS" in words and is_parquet and name != "sparse.parquet":
            os.mkdir(self.path("logs"))
            self.copy(name, "logs/_log-20261128T202026Z-25c4cfc4541f1a6f.parquet.part")
        named = {"COPY": "copy.parquet", "LOGS": "logs", "RECORDS": "one.json" if is_parquet else name}
        return [named.get(word, word) for word in words]

    def copy(self, name, to):
        shutil.copy(self.path(name), self.path(to))

    def clear(self):
        keep = {*self.files.values(), "base.parquet", "one.json"}
        for name in set(os.listdir(self.folder)) - keep:
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

    def run(self, command, bomb):
        words = self.words(command, self.file(bomb))
        term = 0 if "--timeout" in words else TIME
        done = subprocess.run(
            [self.measured, str(term), str(TIME + KILL), self.program, *words],
            cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        status, milliseconds, peak = (int(word) for word in done.stdout.split())
        self.clear()
        lines = done.stderr.decode("utf-8", "replace").splitlines()
        return Cell(command, bomb.__name__, status, milliseconds, peak, lines[-1][:300] if lines else "")


HEAD = "| {} | {} | status | time | peak |\n|---|---|---|---|---|"


def report(cells):
    print(f"\n{len(cells)} runs, each with {MEMORY >> 20} MiB and {TIME / 1000:g} s\n")
    print("| command | longest | over | most memory | over |\n|---|---|---|---|---|")
    for command in COMMANDS:
        of = [cell for cell in cells if cell.command == command]
        if of:
            late, large = max(of, key=lambda cell: cell.milliseconds), max(of, key=lambda cell: cell.peak)
            print(f"| {command} | {late.milliseconds / 1000:.2f} s | {late.bomb} | {large.peak / 1e6:.0f} MB | {large.bomb} |")
    bad = [cell for cell in cells if cell.is_bad()]
    forced = [f"{cell.command} of {cell.bomb}" for cell in cells if cell.is_forced]
    print(f"\n{len(forced)} runs did not ask for the deadline and were ended: {', '.join(forced) or 'none'}")
    print(f"\n{len(bad)} runs beyond {(MEMORY + MORE_MEMORY) / 1e6:.1f} MB or {(TIME + MORE_TIME) / 1000:g} s\n")
    if bad:
        print(HEAD.format("command", "bomb"))
    for cell in bad:
        print(cell.row())
    return bad


def option(words, name, default):
    if name not in words:
        return default
    at = words.index(name)
    value = int(words[at + 1])
    del words[at : at + 2]
    return value


def main(words):
    if os.environ.get("LAMELLA_SLOW"):
        return 77  # neither the time nor the memory is the program's own
    global TIME, MEMORY, MORE_TIME, MORE_MEMORY
    program, measured = words[:2]
    del words[:2]
    TIME = option(words, "--timeout", TIME)
    MEMORY = option(words, "--memory", MEMORY >> 20) << 20
    MORE_TIME = option(words, "--more-time", MORE_TIME)
    MORE_MEMORY = option(words, "--more-memory", MORE_MEMORY >> 20) << 20
    sample = option(words, "--sample", 0)
    unknown = set(words) - set(COMMANDS) - {bomb.__name__ for bomb in bombs.BOMBS}
    if unknown:
        sys.exit(f"no such command or bomb: {', '.join(sorted(unknown))}")
    commands = [command for command in COMMANDS if command in words] or list(COMMANDS)
    chosen = [bomb for bomb in bombs.BOMBS if bomb.__name__ in words] or bombs.BOMBS
    pairs = [(command, bomb) for bomb in chosen for command in commands]
    if sample:
        seed = int(os.environ.get("LAMELLA_LIMITS") or random.SystemRandom().randrange(1 << 32))
        print(f"LAMELLA_LIMITS={seed}")
        pairs = random.Random(seed).sample(pairs, min(sample, len(pairs)))
    with tempfile.TemporaryDirectory(prefix="lamella-") as folder:
        table = Table(program, measured, folder)
        cells = []
        for command, bomb in pairs:
            cells.append(table.run(command, bomb))
            if cells[-1].is_bad() or os.environ.get("LAMELLA_VERBOSE"):
                print(cells[-1].row(), cells[-1].message, file=sys.stderr, flush=True)
        return 1 if report(cells) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
