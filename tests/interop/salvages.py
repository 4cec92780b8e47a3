# SPDX-License-Identifier: Apache-2.0
"""lamella rewrite --salvage: what comes back of files that are damaged at random.

Files of four writers, flat and nested, with and without checksums and offset indexes, are damaged
by zeroed sectors, single bits and cuts, or lie on a disk that fails to read a sector of them, and
the footer. Each cell of what is salvaged is compared with the original: it is the same, or null where
the report says so, or it is wrong. The share counts the cells of pages that no damage touched. The
short form makes a few damages of each file;

    ninja -C build salvages

makes 10,000 of them, and 6,000 of files whose values hold pages (forged_pages.py), reads beside 1,000
bad sectors, with the footer and without, and prints the figures by file and by kind of damage. LAMELLA_SALVAGES is another number, LAMELLA_SECONDS ends it
early, and LAMELLA_PEERS is how many of the damaged files other engines read, too.
"""

import bisect
import collections
import json
import os
import random
import subprocess
import sys
import time

import engines
from forged_pages import Forgeries

COUNT = int(os.environ.get("LAMELLA_SALVAGES") or (sys.argv[2] if len(sys.argv) == 3 and sys.argv[2].isdigit() else 63))
PEERS = int(os.environ.get("LAMELLA_PEERS", "0"))
SECONDS = float(os.environ.get("LAMELLA_SECONDS", "inf"))
SEED = int(os.environ.get("LAMELLA_SEED", "20241024"))
ROWS = 12000
BAD_DISK = os.environ.get("LAMELLA_BAD_DISK") or os.path.join(
    os.path.dirname(engines.PROGRAM), "../tests/tools/bad_sectors.so"
)
UNREADABLE = "unreadable 4096"
UNREADABLE_FOOTER = "unreadable, and footer"
Forgeries.count, Forgeries.seed = COUNT // 5, SEED
pa, pq = engines.pyarrow, engines.pyarrow.parquet


# --- Files ---------------------------------------------------------------------------------------


def flat_table():
    rows = range(ROWS)
    values = random.Random(1)
    return pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "price": pa.array([None if n % 11 == 3 else values.random() * 100 for n in rows]),
            "name": pa.array([None if n % 17 == 5 else f"name of {n} {n * 7919 % 1000}" for n in rows]),
            "kind": pa.array([f"kind {values.randrange(40)}" for _ in rows]),
            "flag": pa.array([n % 3 == 0 if n % 5 else None for n in rows]),
        }
    )


def nested_table():
    rows = range(ROWS)
    values = random.Random(2)
    element = pa.struct([("x", pa.int32()), ("y", pa.string())])
    return pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "tags": pa.array(
                [None if n % 13 == 1 else [f"t{values.randrange(500)}" for _ in range(n % 4)] for n in rows]
            ),
            "point": pa.array([None if n % 19 == 2 else {"x": n, "y": f"y{n}"} for n in rows], element),
            "list": pa.array(
                [[{"x": n + i, "y": f"e{n % 97}"} for i in range(values.randrange(3))] for n in rows],
                pa.list_(element),
            ),
        }
    )


def required(table):
    """The same table, of which the columns without nulls are required."""
    fields = [field.with_nullable(table[field.name].null_count > 0) for field in table.schema]
    return table.cast(pa.schema(fields))


def arrow_files(flat, nested):
    small = {"row_group_size": ROWS // 2, "data_page_size": 6000, "write_batch_size": 100}
    yield "arrow-crc", flat, {**small, "write_page_checksum": True}
    yield "arrow-crc-index", flat, {**small, "write_page_checksum": True, "write_page_index": True}
    yield "arrow-plain", flat, {**small, "use_dictionary": False, "compression": "none"}
    yield "arrow-plain-index", flat, {**small, "use_dictionary": False, "compression": "none", "write_page_index": True}
    yield "arrow-v2-zstd", flat, {**small, "data_page_version": "2.0", "compression": "zstd"}
    yield "arrow-v2-crc", flat, {**small, "data_page_version": "2.0", "write_page_checksum": True}
    yield "arrow-required", required(flat), {**small, "write_page_checksum": True, "compression": "none"}
    yield "arrow-nested-crc", nested, {**small, "write_page_checksum": True}
    yield "arrow-nested-index", nested, {**small, "write_page_checksum": True, "write_page_index": True}
    yield "arrow-nested-v2", nested, {**small, "data_page_version": "2.0", "write_page_checksum": True}


def lamella_files(folder):
    small = ["--page-size", "6000", "--row-group-rows", str(ROWS // 2)]
    for name, source, options in [
        ("lamella", "flat", []),
        ("lamella-none", "flat", ["--codec", "none"]),
        ("lamella-v2", "flat", ["--data-page-version", "2", "--no-dictionary"]),
        ("lamella-noindex", "flat", ["--no-page-index"]),
        ("lamella-nested", "nested", []),
        ("lamella-nested-noindex", "nested", ["--no-page-index"]),
        ("lamella-nested-v2", "nested", ["--no-page-index", "--data-page-version", "2"]),
    ]:
        path = os.path.join(folder, name + ".parquet")
        engines.lamella("import", *small, *options, "-o", path, os.path.join(folder, source + ".parquet"))
        yield name, path


def duck_polars_files(folder, flat, nested):
    connection = engines.duckdb.connect()
    for name, table in [("duckdb", flat), ("duckdb-nested", nested)]:
        path = os.path.join(folder, name + ".parquet")
        connection.register("t", table)
        connection.execute(f"copy t to '{path}' (format parquet, row_group_size 2048)")
        connection.unregister("t")
        yield name, path
    for name, table in [("polars", flat), ("polars-nested", nested)]:
        path = os.path.join(folder, name + ".parquet")
        engines.polars.from_arrow(table).write_parquet(path, row_group_size=3000, data_page_size=6000)
        yield name, path


def make_files(folder):
    flat, nested = flat_table(), nested_table()
    for name, table in [("flat", flat), ("nested", nested)]:
        pq.write_table(table, os.path.join(folder, name + ".parquet"))
    for name, table, options in arrow_files(flat, nested):
        path = os.path.join(folder, name + ".parquet")
        pq.write_table(table, path, **options)
        yield name, path
    yield from lamella_files(folder)
    yield from duck_polars_files(folder, flat, nested)


# --- Where the cells of a file are ---------------------------------------------------------------


class Sample:
    """A sound file: its bytes, its rows, and the rows of each of its pages."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        with open(path, "rb") as file:
            self.data = file.read()
        self.table = pq.read_table(path).combine_chunks()
        self.footer = len(self.data) - 8 - int.from_bytes(self.data[-8:-4], "little")
        info = pq.ParquetFile(path).metadata
        self.group_starts = [0]
        for i in range(info.num_row_groups):
            self.group_starts.append(self.group_starts[-1] + info.row_group(i).num_rows)
        self.pages = [json.loads(line) for line in engines.lamella("pages", "--json", path).splitlines()]
        self.pages_end = max(
            page["offset"] + page["header_size"] + page["compressed_size"] for page in self.pages
        )
        self.has_crc = all("crc" in page for page in self.pages)
        self.chunks = self.place_pages()

    def levels(self):
        """Repetition levels by leaf and row group; NULL for flat leaves."""
        found = collections.defaultdict(list)
        for i in range(len(self.group_starts) - 1):
            for line in engines.lamella("levels", "--json", "--row-group", str(i), self.path).splitlines():
                leaf = json.loads(line)
                found[leaf["path"], i] = leaf["r"] if leaf["max_repetition"] > 0 else None
        return found

    def place_pages(self):
        """By (row group, path): [(begin, end, first row, end row, needs the dictionary)], dictionary."""
        levels = self.levels()
        chunks = collections.OrderedDict()
        for page in self.pages:
            key = (page["row_group"], page["path"])
            chunk = chunks.setdefault(key, {"pages": [], "dictionary": None, "at": 0})
            begin = page["offset"]
            end = begin + page["header_size"] + page["compressed_size"]
            if page["type"] == "dictionary":
                chunk["dictionary"] = (begin, end)
                continue
            count, repetition = page["values"], levels[page["path"], page["row_group"]]
            first, last = chunk["at"], chunk["at"] + count
            if repetition is not None:
                first, last = repetition[:first].count(0), repetition[:last].count(0)
                goes_on = repetition[chunk["at"]] != 0
                first -= goes_on
            chunk["at"] += count
            chunk["pages"].append((begin, end, first, last, "DICTIONARY" in page["encoding"]))
        return chunks

    def damaged_cells(self, begin, end):
        """By path, the rows of the file whose pages a damage of these bytes touches."""
        lost = collections.defaultdict(set)
        for (group, path), chunk in self.chunks.items():
            dictionary = chunk["dictionary"]
            without = dictionary is not None and dictionary[0] < end and begin < dictionary[1]
            for page in chunk["pages"]:
                if (page[0] < end and begin < page[1]) or (without and page[4]):
                    start = self.group_starts[group]
                    lost[path].update(range(start + page[2], start + page[3]))
        return lost


# --- Damage --------------------------------------------------------------------------------------


def damage(sample, choice):
    """A kind of damage, the damaged bytes, and the range of the file in which they are."""
    data = bytearray(sample.data)
    kind = choice.choice(["sector 512", "sector 4096", "flip", "flip in a header", "cut"])
    if kind.startswith("sector"):
        size = int(kind.split()[1])
        begin = choice.randrange(4, len(data)) // size * size
        end = min(begin + size, len(data))
        data[begin:end] = bytes(end - begin)
    elif kind == "cut":
        begin, end = choice.randrange(8, len(data)), len(data)
        del data[begin:]
    else:
        begin = choice.randrange(4, len(data))
        if kind == "flip in a header":
            page = choice.choice(sample.pages)
            begin = page["offset"] + choice.randrange(page["header_size"])
        end = begin + 1
        data[begin] ^= 1 << choice.randrange(8)
    return kind, bytes(data), begin, end


def bad_sector(sample, choice):
    """The same for a sector that cannot be read, and is not one of the footer."""
    begin = choice.randrange(sample.footer // 4096) * 4096
    return UNREADABLE, sample.data, begin, begin + 4096


def bad_sector_and_footer(sample, choice):
    """The same, and the last sector of the file cannot be read, either."""
    return (UNREADABLE_FOOTER, *bad_sector(sample, choice)[1:])


# --- Comparing -----------------------------------------------------------------------------------


def is_nulled(got, original):
    """Whether a value is the original one, but for nulls in it."""
    if got is None or got == original:
        return True
    if isinstance(got, dict) and isinstance(original, dict):
        return all(is_nulled(got[key], original[key]) for key in got)
    if isinstance(got, list) and isinstance(original, list):
        return len(got) == len(original) and all(map(is_nulled, got, original))
    return False


def leaves_of(table):
    """Paths as lamella has them, by top-level column."""
    return {field.name: field.name for field in table.schema}


def compare_rows(got, original, rows, result):
    """Compares a table with rows of the original, column by column; counts cells of columns."""
    same = collections.defaultdict(set)
    for name in original.column_names:
        a, b = got.column(name).combine_chunks(), original.column(name).take(rows).combine_chunks()
        if a.equals(b):
            same[name] = None
            continue
        lists = a.to_pylist(), b.to_pylist()
        numbers = rows.to_pylist()
        for i, (x, y) in enumerate(zip(*lists)):
            if x == y:
                same[name].add(numbers[i])
            elif not is_nulled(x, y):
                result["wrong"] += 1
                result["examples"].append((name, numbers[i], x, y))
    return same


def compare_salvaged(sample, output, report, damaged, result):
    """Compares what was salvaged; counts cells of pages without damage, and those that came back."""
    starts, left_out = sample.group_starts, set()
    for rows in report["left_out"]:
        first = starts[rows["row_group"]] + rows["first_row"]
        left_out.update(range(first, first + rows["row_count"]))
    try:
        got = pq.read_table(output) if output is not None else None
    except (pa.ArrowException, OSError) as failure:
        result["unsound"] += 1
        result["examples"].append(str(failure))
        return
    count = got.num_rows if got is not None else 0
    kept = [n for n in range(ROWS) if n not in left_out]
    if not report["has_footer"]:
        kept = kept[:count]
    rows = pa.array(kept, pa.int64())
    if count != len(kept):
        result["wrong"] += 1
        result["examples"].append(("rows", count, len(kept)))
        return
    try:
        same = compare_rows(got, sample.table, rows, result) if count else {}
    except UnicodeDecodeError as failure:
        result["wrong"] += 1
        result["examples"].append(str(failure))
        return
    for name in sample.table.column_names:
        lost = set()
        for path, cells in damaged.items():
            if path == name or path.startswith(name + "."):
                lost |= cells
        sound = ROWS - len(lost)
        result["sound"] += sound
        cells = same.get(name, set())
        cells = set(kept) if cells is None else cells
        result["back"] += len(cells) - len(cells & lost)


PEER = """
import sys, time
kind, path, wanted = sys.argv[1:]
import pyarrow.parquet as pq
original = pq.read_table(wanted)
if kind == "pyarrow":
    got = pq.read_table(path, page_checksum_verification=True)
elif kind == "duckdb":
    import duckdb
    got = duckdb.sql(f"select * from read_parquet('{path}')").to_arrow_table()
else:
    import polars
    got = polars.read_parquet(path).to_arrow()
import pyarrow as pa
back = wrong = 0
for name in original.column_names:
    a, b = got.column(name).to_pylist(), original.column(name).to_pylist()
    same = sum(x == y for x, y in zip(a, b))
    back += same
    wrong += max(len(a), len(b)) - same
print(back, wrong)
"""


def ask_peer(kind, path, sample):
    """Cells that another engine reads, and wrong ones among them; nothing when it fails."""
    try:
        found = subprocess.run([sys.executable, "-c", PEER, kind, path, sample.path],
                               capture_output=True, text=True, timeout=60)
        back, wrong = map(int, found.stdout.split())
        return back, wrong
    except (ValueError, subprocess.TimeoutExpired):
        return 0, 0


# --- Running -------------------------------------------------------------------------------------


def salvage(sample, path, output, unreadable=None):
    """Runs the program: its exit status and its report."""
    if os.path.exists(output):
        os.remove(output)
    options = ["--like", sample.path]
    if sample.name.endswith("required"):
        options += ["--lost", "optional"]
    environment = dict(os.environ)
    if unreadable:
        environment.update(LD_PRELOAD=BAD_DISK, LAMELLA_BAD_SECTORS=unreadable)
        environment["LAMELLA_BAD_INODE"] = str(os.stat(path).st_ino)
    run = subprocess.run([engines.PROGRAM, "rewrite", "--salvage", "--json", *options, "-o", output, path],
                         capture_output=True, text=True, timeout=120, env=environment)
    report = None
    if run.stderr.startswith("{"):
        report = json.loads(run.stderr.splitlines()[0])
    return run.returncode, report, run.stderr


class Salvages(engines.EngineTest):
    def one(self, sample, choice, results, number, harm=damage):
        kind, data, begin, end = harm(sample, choice)
        path, output = self.path("damaged.parquet"), self.path("out.parquet")
        with open(path, "wb") as file:
            file.write(data)
        unreadable = f"{begin}-{end}" if kind in (UNREADABLE, UNREADABLE_FOOTER) else None
        if kind == UNREADABLE_FOOTER:
            begins = (len(data) - 9) // 4096 * 4096
            unreadable += f" {begins}-{len(data) + 4096}"
        status, report, errors = salvage(sample, path, output, unreadable)
        where = f"{sample.name}, {kind}, bytes {begin} to {end}, damage {number} of seed {SEED}"
        self.assertIn(status, (0, 1, 3), f"{where}: {errors}")
        result = results[sample.name, kind]
        result["runs"] += 1
        result["failed"] += report is None
        damaged = sample.damaged_cells(begin, end)
        if kind == UNREADABLE_FOOTER:
            for name, cells in sample.damaged_cells(begins, len(data)).items():
                damaged[name] |= cells
        if kind == UNREADABLE:
            self.assertEqual(status, 3 if any(damaged.values()) else 0, where)
        if report is None:
            report = {"has_footer": True, "left_out": [
                {"row_group": i, "first_row": 0, "row_count": b - a}
                for i, (a, b) in enumerate(zip(sample.group_starts, sample.group_starts[1:]))]}
            output = None
        elif status == 1:
            output = None
        before = result["wrong"] + result["unsound"]
        if end > sample.pages_end and kind != "cut":
            self.compare_without_checksum(sample, output, report, damaged, result)
        else:
            compare_salvaged(sample, output, report, damaged, result)
        if result["wrong"] + result["unsound"] > before:
            result["places"].append((where, result["examples"][-1:]))
        if number < PEERS:
            for peer in ("pyarrow", "duckdb", "polars"):
                back, wrong = ask_peer(peer, path, sample)
                result[peer] += back
                result[peer + " wrong"] += wrong
            result["peer cells"] += sample.table.num_rows * sample.table.num_columns
            result["peer back"] += result["back"] - result.get("back before", 0)
        result["back before"] = result["back"]

    def compare_without_checksum(self, sample, output, report, damaged, result):
        """Behind the pages nothing has a checksum: a changed footer may give a column another name."""
        found = collections.defaultdict(int, examples=[])
        try:
            compare_salvaged(sample, output, report, damaged, found)
        except Exception:  # whatever an engine makes of it
            found["wrong"] += 1
        result["unchecked"] += found["wrong"] + found["unsound"]
        result["sound"] += found["sound"]
        result["back"] += found["back"]

    def test_damaged_files_give_what_is_left_and_nothing_else(self):
        samples = [Sample(name, path) for name, path in make_files(self.folder)]
        results = collections.defaultdict(lambda: collections.defaultdict(int, examples=[], places=[]))
        choice = random.Random(SEED)
        end = time.monotonic() + SECONDS
        for number in range(COUNT):
            if time.monotonic() > end:
                break
            self.one(samples[number % len(samples)], choice, results, number)
        for number in range(COUNT // 10 if os.path.exists(BAD_DISK) else 0):
            self.one(samples[number % len(samples)], choice, results, number, bad_sector)
            self.one(samples[number % len(samples)], choice, results, number, bad_sector_and_footer)
        print_figures(samples, results)
        for result in results.values():
            self.assertEqual(result["unsound"], 0, result["places"])
        with_crc = {sample.name for sample in samples if sample.has_crc}
        for (name, kind), result in results.items():
            if name in with_crc or kind in (UNREADABLE, UNREADABLE_FOOTER):
                self.assertEqual(result["wrong"], 0, result["places"])
        for kinds in (("sector 512", "sector 4096", "flip", "flip in a header"),):
            sums = add_up(result for (name, kind), result in results.items() if kind in kinds and name in with_crc)
            self.assertGreater(sums["back"] / max(sums["sound"], 1), 0.9)


def add_up(results):
    sums = collections.Counter()
    for result in results:
        sums.update({key: value for key, value in result.items() if isinstance(value, int)})
    return sums


def share(a, b):
    return f"{100 * a / b:7.2f} %" if b else "      - "


def print_line(title, sums):
    print(f"{title:26s} {sums['runs']:6d} runs {sums['failed']:5d} unusable {share(sums['back'], sums['sound'])} back"
          f" {sums['wrong']:8d} wrong {sums['unsound']:4d} unsound"
          f" {sums['unchecked']:6d} by the footer", end="")
    if sums["peer cells"]:
        print("".join(f"  {peer} {share(sums[peer], sums['peer cells'])} ({sums[peer + ' wrong']} wrong)"
                      for peer in ("pyarrow", "duckdb", "polars"))
              + f"  of all cells, salvage {share(sums['peer back'], sums['peer cells'])}", end="")
    print()


def print_figures(samples, results):
    print(f"\nseed {SEED}: cells of pages without damage that come back, and wrong cells")
    for sample in samples:
        title = sample.name + ("" if sample.has_crc else " (no CRC)")
        print_line(title, add_up(r for (name, _), r in results.items() if name == sample.name))
    for kind in sorted({kind for _, kind in results}):
        print_line(kind, add_up(r for (_, k), r in results.items() if k == kind))
    crc = {sample.name for sample in samples if sample.has_crc}
    print_line("with checksums", add_up(r for (name, _), r in results.items() if name in crc))
    print_line("without checksums", add_up(r for (name, _), r in results.items() if name not in crc))
    for result in results.values():
        for place in result["places"][:3]:
            print("wrong:", place)


if __name__ == "__main__":
    engines.main()
