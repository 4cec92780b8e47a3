# SPDX-License-Identifier: Apache-2.0
"""What the division of pages into columns saves (damage/unfinished/page_division.c).

    tests/interop/divisions.py PROGRAM LIBRARY [COUNT]

In: files of five writers, logs of Lamella with recovery records, and the files of parquet-testing. Each loses its
end with the footer as files do that people bring: a copy that was cut anywhere, a writer that was killed (what it
wrote reached the disk in blocks of 4,096 bytes), and a disk whose last sectors are zeros. Each is salvaged with
nothing else, with --schema, and with --like, where the whole file stands for another one of its writer.
Out: by writer, in how many damaged files some cells come back. Without --schema and --like nothing divides pages: what
is found then are recovery records, footers inside of the file, and copies of what a footer states of a chunk. So
files from which only the other two give cells are those that only the division saves.

    ninja -C build divisions

damages 10,000 files. LAMELLA_SEED is another choice of damages.
"""

import collections
import concurrent.futures
import glob
import json
import os
import random
import subprocess
import sys

import engines
from salvages import flat_table, make_files

COUNT = int(os.environ.get("LAMELLA_DIVISIONS") or (sys.argv[3] if len(sys.argv) == 4 and sys.argv[3].isdigit() else 60))
SEED = int(os.environ.get("LAMELLA_SEED", "20261130"))
SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT", "")
LARGEST = 400000  # bytes of a file of parquet-testing
BLOCK = 4096
DAMAGES = ("cut", "killed", "zeros")
MODES = ("alone", "schema", "like")


def log_file(folder, flat):
    """A log with a recovery record after each row group."""
    text = os.path.join(folder, "flat.ndjson")
    with open(text, "wb") as file:
        file.write(engines.lamella("cat", os.path.join(folder, "flat.parquet")))
    schema = engines.lamella("schema", os.path.join(folder, "flat.parquet")).decode()
    path = os.path.join(folder, "log.parquet")
    with open(text, "rb") as file:
        engines.lamella("log", "--schema", schema, "--checkpoint", f"{flat.num_rows // 6}rows", "-o", path,
                        stdin=file.read())
    return path


def samples(folder):
    """(writer, path) of whole files."""
    for name, path in make_files(folder):
        yield name.split("-")[0], path
    yield "log", log_file(folder, flat_table())
    for path in sorted(glob.glob(os.path.join(SHARED, "parquet-testing", "data", "*.parquet"))):
        if os.path.getsize(path) <= LARGEST:
            yield "parquet-testing", path


class Sample:
    def __init__(self, writer, path):
        self.writer, self.path = writer, path
        with open(path, "rb") as file:
            self.data = file.read()
        self.footer = len(self.data) - 8 - int.from_bytes(self.data[-8:-4], "little")
        self.schema = engines.lamella("schema", path).decode()
        engines.lamella("cat", path)  # a file that is refused as a whole is none of them


def damage(data, footer, kind, random_numbers):
    """The bytes that are left: nothing of the footer, and not all before it."""
    at = random_numbers.randrange(4, footer + 1)
    if kind == "cut":
        return data[:at]
    if kind == "killed":
        return data[: max(4, at // BLOCK * BLOCK)] if at > BLOCK else data[:footer]
    at = max(4, (footer - 1) // BLOCK * BLOCK - BLOCK * random_numbers.randrange(4))
    return data[:at] + bytes(len(data) - at)


def cells(path, options):
    """The number of cells that come back."""
    done = subprocess.run([engines.PROGRAM, "rewrite", "--salvage", "--json", *options, "-o", path + ".out", path],
                          capture_output=True, check=False)
    if os.path.exists(path + ".out"):
        os.remove(path + ".out")
    if done.returncode not in (0, 1, 3):
        raise engines.Failure(f"{path}: status {done.returncode}: {done.stderr.decode()}")
    if done.returncode == 1:
        return 0
    report = json.loads(done.stderr)
    return report["cells"] - report["cells_lost"]


class Divisions(engines.EngineTest):
    def test_what_only_the_division_saves(self):
        numbers = random.Random(SEED)
        print(f"seed {SEED}")
        whole = []
        for writer, path in samples(self.folder):
            try:
                whole.append(Sample(writer, path))
            except engines.Failure:
                self.assertEqual(writer, "parquet-testing")
        writers = sorted({sample.writer for sample in whole})
        jobs = []
        for i in range(COUNT):
            writer = writers[i % len(writers)]
            sample = numbers.choice([sample for sample in whole if sample.writer == writer])
            kind = DAMAGES[i // len(writers) % len(DAMAGES)]
            jobs.append((i, sample, kind, damage(sample.data, sample.footer, kind, numbers)))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda job: self.salvage(*job), jobs))
        self.report(jobs, found, writers)

    def salvage(self, number, sample, _, data):
        path = os.path.join(self.folder, f"damaged-{number}.parquet")
        with open(path, "wb") as file:
            file.write(data)
        found = {mode: cells(path, options) for mode, options in
                 (("alone", []), ("schema", ["--schema", sample.schema]), ("like", ["--like", sample.path]))}
        os.remove(path)
        return found

    def report(self, jobs, found, writers):
        counts = collections.Counter()
        for (_, sample, kind, _), cells_of in zip(jobs, found):
            for group in (sample.writer, kind, "all"):
                counts[group, "files"] += 1
                for mode in MODES:
                    counts[group, mode] += cells_of[mode] > 0
                counts[group, "schema only"] += cells_of["alone"] == 0 and cells_of["schema"] > 0
                counts[group, "like only"] += cells_of["schema"] == 0 and cells_of["like"] > 0
        print("| files | damaged | alone | --schema | --like | only divided | only with --like |")
        for group in [*writers, *DAMAGES, "all"]:
            files = counts[group, "files"]
            shares = [f"{100 * counts[group, name] / max(files, 1):.1f} %"
                      for name in (*MODES, "schema only", "like only")]
            print(f"| {group} | {files:,} | " + " | ".join(shares) + " |")
        self.assertGreater(counts["all", "schema only"], 0)


if __name__ == "__main__":
    engines.main()
