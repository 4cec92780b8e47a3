# SPDX-License-Identifier: Apache-2.0
"""What reading forgives, copying mends or refuses: a copy has the same records, and check finds nothing worse in it.

Every file that cat reads is copied in several ways: as it is, some columns of it, with another codec, merged with
itself and appended to itself. The files are those of others, valid and hostile, and made ones whose footers and
page headers say what is not quite so. A run takes a draw, whose seed it prints; LAMELLA_SEED repeats one, and
LAMELLA_ROUNDS takes as many files of each kind.
"""

import json
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import program
from cli_copies import EditedTest, footer_edit, metas
from footer_edit import BINARY, FALSE, I32, I64, LIST, STRUCT, TRUE

SEED = int(os.environ.get("LAMELLA_SEED", random.randrange(1 << 30)))
ROUNDS = int(os.environ.get("LAMELLA_ROUNDS", 0))
CODECS = ["none", "zstd", "snappy", "gzip"]
RANKS = {"warning": 1, "error": 2}  # notes are no faults
LARGEST, LONGEST = 1 << 20, 4 << 20  # bytes of a file, and of its records
# Names of fields, as in parquet.thrift.
(ENCODINGS, CODEC, VALUES, UNCOMPRESSED, COMPRESSED, DATA, INDEX, DICTIONARY, STATISTICS, ENCODING_STATS, BLOOM, BLOOM_LENGTH,
 SIZES) = 2, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16  # fmt: skip
OFFSET_AT, OFFSET_SIZE, COLUMN_AT, COLUMN_SIZE = 4, 5, 6, 7


# --- Footers that say what is not quite so -------------------------------------------------------------------------


def sizes(chance, meta, _):
    """A size that leaves out the header of the dictionary, as old parquet-mr has it, or is off by a few bytes."""
    field = chance.choice([COMPRESSED, COMPRESSED, UNCOMPRESSED])
    by = chance.choice([-14, -13, -15, -1, 1, 40, -40, chance.randint(-60, 60), chance.randint(1, 400)])
    meta[field] = (I64, max(0, meta[field][1] + by))


def offsets(chance, meta, _):
    """A dictionary without an offset, one that is at the first data page, data that begin at the dictionary."""
    choice = chance.randrange(6)
    if choice == 0:
        meta.pop(DICTIONARY, None)
    elif choice == 1 and DICTIONARY in meta:
        meta[DATA] = meta[DICTIONARY]
    elif choice == 2 and DICTIONARY in meta:
        meta[DATA] = meta.pop(DICTIONARY)
    elif choice == 3:
        meta[DICTIONARY] = (I64, chance.choice([0, meta[DATA][1], 4, meta[DATA][1] - 1]))
    elif choice == 4:
        meta[INDEX] = (I64, chance.choice([0, 4, meta[DATA][1]]))
    else:
        meta[DATA] = (I64, meta[DATA][1] + chance.choice([-4, 1, 4]))


def values(chance, meta, _):
    meta[VALUES] = (I64, max(0, meta[VALUES][1] + chance.choice([-1, 1, 100, -meta[VALUES][1]])))


def encodings(chance, meta, _):
    listed = meta[ENCODINGS][1][1]
    meta[ENCODINGS] = (LIST, (I32, chance.choice([[], listed[:1], [0, *listed], [99], listed[::-1]])))
    if ENCODING_STATS in meta and chance.random() < 0.5:
        meta.pop(ENCODING_STATS)
    elif ENCODING_STATS in meta:
        meta[ENCODING_STATS][1][1][0][3] = (I32, chance.randint(0, 9))


def statistics(chance, meta, _):
    stated = dict(meta.get(STATISTICS, (STRUCT, {}))[1])
    choice = chance.randrange(4)
    if choice == 0:
        stated[3] = (I64, chance.choice([-1, 0, 1 << 40]))
    elif choice == 1 and 5 in stated and 6 in stated:
        stated[5], stated[6] = stated[6], stated[5]
    elif choice == 2:
        stated[5] = stated[6] = (BINARY, chance.choice([b"", b"\0", b"\xff" * 20]))
    else:
        stated[4] = (I64, chance.choice([-1, 0, 1 << 40]))
    meta[STATISTICS] = (STRUCT, dict(sorted(stated.items())))


def size_statistics(chance, meta, _):
    meta[SIZES] = (STRUCT, {1: (I64, chance.choice([-1, 0, 7])), 3: (LIST, (I64, chance.choice([[], [1, 2], [-1]])))})


def bloom(chance, meta, _):
    if BLOOM in meta and chance.random() < 0.5:
        meta.pop(BLOOM_LENGTH, None)
    else:
        meta[BLOOM] = (I64, chance.choice([0, 4, meta[DATA][1], 1 << 40]))


def page_index(chance, _, chunk):
    kept = [field for field in (OFFSET_AT, OFFSET_SIZE, COLUMN_AT, COLUMN_SIZE) if field in chunk]
    if not kept:
        chunk[OFFSET_AT], chunk[OFFSET_SIZE] = (I64, 4), (I32, 30)
    elif chance.random() < 0.6:
        del chunk[chance.choice(kept)]
    else:
        field = chance.choice(kept)
        chunk[field] = (chunk[field][0], max(0, chunk[field][1] + chance.choice([-1, 1, -8, 64])))


def file_offset(chance, _, chunk):
    chunk[2] = (I64, chance.choice([0, 4, -1, 1 << 40]))


def row_group(chance, tree):
    group = chance.choice(footer_edit.row_groups(tree))
    field, values = chance.choice(
        [(2, [0, -1, 1 << 50]), (5, [0, 1, 1 << 40]), (6, [0, -1, 1 << 50]), (7, [0, 5, -1]), (3, [group[3][1] + 1, group[3][1] - 1])]
    )
    group[field] = ({2: I64, 5: I64, 6: I64, 7: 4, 3: I64}[field], chance.choice(values))


def sorting(chance, tree):
    group = chance.choice(footer_edit.row_groups(tree))
    column = chance.randint(-1, len(group[1][1][1]))
    group[4] = (LIST, (STRUCT, [{1: (I32, column), 2: (TRUE, True), 3: (FALSE, False)}]))


def whole_file(chance, tree):
    choice = chance.randrange(5)
    if choice == 0:
        tree[1] = (I32, chance.choice([0, 1, 2, 3, -7]))
    elif choice == 1:
        tree[3] = (I64, max(0, tree[3][1] + chance.choice([-1, 1])))
    elif choice == 2:
        tree.pop(7, None)
    elif choice == 3 and 7 in tree:
        orders = tree[7][1]
        tree[7] = (LIST, (orders[0], chance.choice([orders[1][:-1], orders[1] * 2, []])))
    else:
        footer_edit.elements(tree)[0][3] = (I32, chance.choice([0, 1, 2]))


WRITERS = [None, b"", b"Apache Impala 2.3", b"parquet-mr version 1.6.0rc3", b"HVR 5.3", b"parquet-mr version 1.2.8 (build 1)",
           b"parquet-mr version 1.10.0 (build abc)", b"parquet-cpp version 1.2.0", b"parquet-cpp-arrow version 2.0.0", b"fastparquet-python",
           b"github.com/parquet-go/parquet-go version 0.32.0(build )", b"parquet-rs version 4.0.0", b"DuckDB version v1.0.0", b"Polars"]  # fmt: skip


def writer(chance, tree):
    name = chance.choice(WRITERS)
    tree[footer_edit.FILE["created_by"]] = (BINARY, name or b"")
    if name is None:
        del tree[footer_edit.FILE["created_by"]]


OF_CHUNKS = [sizes, sizes, sizes, offsets, offsets, values, encodings, statistics, size_statistics, bloom, page_index, page_index, file_offset]
OF_FILES = [row_group, sorting, whole_file, writer, writer]


def edit_footer(chance, tree):
    """Edits one to three things; gives their names."""
    names = []
    for _ in range(chance.randint(1, 3)):
        edit = chance.choice(OF_CHUNKS + OF_FILES)
        names.append(edit.__name__)
        if edit in OF_FILES:
            edit(chance, tree)
            continue
        chunks = footer_edit.chunks(tree)
        for chunk in chunks if chance.random() < 0.3 else [chance.choice(chunks)]:
            meta = footer_edit.get(chunk, footer_edit.CHUNK["meta_data"])
            edit(chance, meta, chunk)
            chunk[footer_edit.CHUNK["meta_data"]] = (STRUCT, dict(sorted(meta.items())))
            for field in sorted(chunk):
                chunk[field] = chunk.pop(field)
    for group in footer_edit.row_groups(tree):
        for field in sorted(group):
            group[field] = group.pop(field)
    return names


# --- Pages that say what is not quite so ---------------------------------------------------------------------------

PAGE_TYPE, PAGE_UNCOMPRESSED, PAGE_COMPRESSED, CRC, V1, DICTIONARY_PAGE, V2 = 1, 2, 3, 4, 5, 7, 8


def pages_of(body, meta):
    """[header, bytes] of each page of a chunk."""
    at = min(meta[field][1] for field in (DATA, DICTIONARY) if field in meta and meta[field][1] > 0)
    end, pages = at + meta[COMPRESSED][1], []
    while at < end:
        header, size = footer_edit.read_struct(body[at:end])
        stored = header[PAGE_COMPRESSED][1]
        pages.append([header, body[at + size : at + size + stored]])
        at += size + stored
    return pages


def more_behind(chance, header, data, codec):
    """Bytes behind the last value."""
    if codec != 0 or PAGE_TYPE not in header:
        return data
    count = chance.choice([1, 8, 100])
    header[PAGE_COMPRESSED] = header[PAGE_UNCOMPRESSED] = (I32, len(data) + count)
    header.pop(CRC, None)
    return data + b"\xee" * count


def page_counts(chance, header, data, _):
    """What a V2 header says of rows and nulls, and a dictionary of its order."""
    if V2 in header:
        field = chance.choice([2, 3])
        header[V2][1][field] = (I32, max(0, header[V2][1][field][1] + chance.choice([-1, 1])))
    elif DICTIONARY_PAGE in header:
        header[DICTIONARY_PAGE][1][3] = (chance.choice([TRUE, FALSE]), True)
    return data


def page_encodings(chance, header, data, _):
    """How levels are encoded where there may be none, and an old name for the same encoding."""
    if V1 in header:
        field = chance.choice([3, 4])
        header[V1][1][field] = (I32, chance.choice([0, 3, 4]))
    elif DICTIONARY_PAGE in header:
        header[DICTIONARY_PAGE][1][2] = (I32, chance.choice([0, 2]))
    return data


def page_sum(chance, header, data, _):
    if chance.random() < 0.5:
        header.pop(CRC, None)
    else:
        header[CRC] = (I32, chance.randint(-9, 9))
    return data


def page_size(chance, header, data, codec):
    """An uncompressed size that is not the one of the bytes."""
    header[PAGE_UNCOMPRESSED] = (I32, max(0, header[PAGE_UNCOMPRESSED][1] + chance.choice([-1, 1, 5])))
    return data


def page_statistics(chance, header, data, _):
    for version, field in ((V1, 5), (V2, 8)):
        if version in header:
            bound = (BINARY, chance.choice([b"", b"\1", b"\1" * 8]))
            header[version][1][field] = (STRUCT, {3: (I64, chance.choice([-1, 0, 9])), 5: bound, 6: bound})
    return data


def edit_page(chance, page, codec):
    edit = chance.choice([more_behind, page_counts, page_encodings, page_sum, page_size, page_statistics])
    page[1] = edit(chance, page[0], page[1], codec)
    for kind in (V1, V2, DICTIONARY_PAGE):
        if kind in page[0]:
            page[0][kind] = (STRUCT, dict(sorted(page[0][kind][1].items())))
    page[0] = dict(sorted(page[0].items()))
    return edit.__name__


def other_page(chance):
    """A page that is none of data: of an index, of a kind that nobody knows, or data without values."""
    kind = chance.choice([1, 1, 9, 0])
    data = b"" if kind == 0 else b"\xcc" * chance.choice([0, 5])
    header = {PAGE_TYPE: (I32, kind), PAGE_UNCOMPRESSED: (I32, len(data)), PAGE_COMPRESSED: (I32, len(data))}
    if kind == 0:
        header[V1] = (STRUCT, {1: (I32, 0), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)})
    elif kind == 1 and chance.random() < 0.5:
        header[6] = (STRUCT, {})
    return [header, data]


def edit_pages(chance, body, tree):
    """Puts the chunks of a file anew, one behind the other, and forgets what points between them."""
    out, names = bytearray(body[:4]), []
    chosen = chance.randrange(len(footer_edit.chunks(tree)))
    for number, (chunk, meta) in enumerate(zip(footer_edit.chunks(tree), metas(tree))):
        pages = pages_of(body, meta)
        if number == chosen or chance.random() < 0.2:
            names.append(edit_page(chance, chance.choice(pages), meta[CODEC][1]))
            if chance.random() < 0.3:
                pages.insert(chance.randint(0, len(pages)), other_page(chance))
                names.append("other_page")
        gap = b"\0" * (chance.choice([1, 17]) if chance.random() < 0.1 else 0)
        out += gap
        start, first_data, size = len(out), None, 0
        for header, data in pages:
            head = footer_edit.write_struct(header)
            if first_data is None and PAGE_TYPE in header and header[PAGE_TYPE][1] in (0, 3):
                first_data = len(out)
            out += head + data
            size += len(head) + header[PAGE_UNCOMPRESSED][1]
        if DICTIONARY in meta:
            meta[DICTIONARY] = (I64, start)
        meta[DATA] = (I64, first_data)
        meta[COMPRESSED], meta[UNCOMPRESSED] = (I64, len(out) - start), (I64, size)
        for field in (BLOOM, BLOOM_LENGTH):
            meta.pop(field, None)
        for field in (OFFSET_AT, OFFSET_SIZE, COLUMN_AT, COLUMN_SIZE):
            chunk.pop(field, None)
    return bytes(out), names


# --- Copies ----------------------------------------------------------------------------------------------------------


class CopiesProperty(EditedTest):
    def cat(self, name, *options):
        """What cat prints, or None where it fails, prints too much or takes too long."""
        try:
            status, output, _ = self.run_program("cat", "--timeout", "10s", *options, name)
        except subprocess.TimeoutExpired:
            return None
        return output if status == 0 and len(output) <= LONGEST else None

    def findings(self, name):
        """{rule: rank} of what check finds."""
        found = {}
        for line in self.run_program("check", name)[1].decode(errors="replace").splitlines():
            words = line[len(name) + 2 :].split(" ", 2)
            if len(words) == 3 and words[0] in RANKS and words[1].endswith(":"):
                found[words[1]] = max(found.get(words[1], 0), RANKS[words[0]])
        return found

    def ways(self, chance, name):
        """Commands that write copy.parquet, options of cat that say which records it has, and how often."""
        meta = json.loads(self.good("meta", "--json", name))
        leaves = [column["path"] for group in meta["row_groups"] for column in group["columns"] if column and "path" in column]
        paths = sorted({re.match(r'(?:"(?:[^"]|"")*"|[^."])*', leaf)[0] for leaf in leaves})  # a part of a MAP is no MAP
        yield ["rewrite", "-o", "copy.parquet", name], [], 1
        if paths:
            columns = ",".join(chance.sample(paths, chance.randint(1, len(paths))))
            yield ["rewrite", "--columns", columns, "-o", "copy.parquet", name], ["--columns", columns], 1
        yield ["rewrite", "--codec", chance.choice(CODECS), "-o", "copy.parquet", name], [], 1
        yield ["rewrite", "-o", "copy.parquet", name, name], [], 2
        yield ["append", "-o", "copy.parquet", name], [], 2
        yield ["append", "--in-place", "-o", "copy.parquet", name], [], 2
        if chance.random() < 0.3:
            yield ["rewrite", "--row-group-rows", str(chance.choice([1, 7, 1000])), "-o", "copy.parquet", name], [], 1
            yield ["rewrite", "--page-size", "100", "-o", "copy.parquet", name], [], 1
            yield ["import", "-o", "copy.parquet", name], [], 1

    def check_copies(self, chance, name, about):
        """How many copies of a file were made; 0 where cat does not read it."""
        records, count, known = self.cat(name), 0, self.findings(name)
        if records is None:
            return 0
        for command, options, times in self.ways(chance, name):
            with self.subTest(seed=SEED, file=about, command=command):
                copy = self.path("copy.parquet")
                if os.path.exists(copy):
                    os.remove(copy)
                if command[0] == "append":
                    with open(self.path(name), "rb") as file:
                        self.put("copy.parquet", file.read())
                status, _, errors = self.run_program(*command)
                self.assertIn(status, (0, 1, 2), errors)
                if status != 0:
                    self.assertTrue(errors.startswith("lamella: "), errors)
                    if command[0] == "append":
                        self.assertEqual(self.cat("copy.parquet"), records, "what could not be appended to is as it was")
                    else:
                        self.assertFalse(os.path.exists(copy))
                    continue
                wanted = self.cat(name, *options) if options else records
                self.assertEqual(self.cat("copy.parquet"), wanted * times)
                worse = {rule: rank for rule, rank in self.findings("copy.parquet").items() if rank > known.get(rule, 0)}
                self.assertEqual(worse, {}, known)
                count += 1
        return count

    def check_all(self, files, least):
        """`files` gives chances, names and what they are."""
        copies = sum(self.check_copies(chance, name, about) for chance, name, about in files)
        print(f"LAMELLA_SEED={SEED}: {copies} copies", file=sys.stderr)
        self.assertGreaterEqual(copies, least)

    def test_files_of_others(self):
        files = []
        for folder in ("parquet-testing", "hostile", "attacks"):
            for place, _, names in sorted(os.walk(program.shared(folder))):
                files += [os.path.join(place, name) for name in sorted(names)]
        files = [file for file in files if os.path.getsize(file) <= LARGEST and not file.endswith((".md", ".json", ".ndjson", ".txt", ".py"))]
        if not files:
            self.skipTest("there is no folder of shared files")
        chance = random.Random(SEED)
        chosen = chance.sample(files, min(ROUNDS or 15, len(files)))

        def copied():
            for file in chosen:
                with open(file, "rb") as source:
                    self.put("other.parquet", source.read())
                yield random.Random(f"{SEED} {os.path.basename(file)}"), "other.parquet", file

        self.check_all(copied(), 1 if len(chosen) > 10 else 0)

    # A schema, and the columns of records that it has.
    SCHEMAS = [
        ("optional int32 i; optional binary s (STRING); repeated int64 l; optional group g { repeated double d; }", "islg"),
        ("required int64 i; required binary f; required boolean b;", "ifb"),
        ("optional group x (LIST) { repeated group list { optional binary element (STRING); } } required int96 t;", "xt"),
        ("optional int32 d (DECIMAL(9,2)); optional binary e (DECIMAL(20,2)); optional fixed_len_byte_array(3) f;", "def"),
    ]

    def record(self, chance, number):
        return {"i": number % 7, "s": f"word{chance.randint(0, 6)}", "l": [chance.randint(0, 9) for _ in range(number % 4)],
                "g": {"d": [number / 4]}, "b": number % 3 == 0, "x": [f"x{n}" for n in range(number % 3)], "t": f"2020-01-{number % 28 + 1:02}T00:00:00",
                "d": number % 5 + 0.25, "e": number % 5 + 0.5, "f": chance.choice(["AAAA", "AAAB", "//8A"])}  # fmt: skip

    def make_random(self, chance):
        fields, names = chance.choice(self.SCHEMAS)
        records = []
        for number in range(chance.choice([1, 20, 300])):
            record = self.record(chance, number)
            kept = {name: record[name] for name in names}
            if number % 5 == 1 and "optional" in fields.split(";")[0]:
                del kept[names[0]]
            records.append(kept)
        options = ["--codec", chance.choice(CODECS), "--data-page-version", chance.choice("12")]
        options += ["--no-dictionary"] if chance.random() < 0.3 else []
        options += ["--page-size", "200"] if chance.random() < 0.5 else []
        options += ["--row-group-rows", "90"] if chance.random() < 0.4 else []
        options += ["--bloom", "i"] if "i" in names and chance.random() < 0.4 else []
        self.make("made.parquet", records, "--schema", f"message m {{ {fields} }}", *options)
        return [names, *options, len(records)]

    def generated(self, is_of_pages):
        for number in range(ROUNDS or 25):
            chance = random.Random(f"{SEED} {is_of_pages} {number}")
            options = self.make_random(chance)
            body, tree = self.footer("made.parquet")
            names = []
            if is_of_pages:
                body, names = edit_pages(chance, body, tree)
            if not is_of_pages or chance.random() < 0.3:
                names += edit_footer(chance, tree)
            try:
                content = footer_edit.file_of(body, tree)
            except struct.error:
                continue
            yield chance, self.put("odd.parquet", content), (number, names, options)

    def test_footers_that_say_what_is_not_quite_so(self):
        self.check_all(self.generated(False), 10)

    def test_pages_that_say_what_is_not_quite_so(self):
        self.check_all(self.generated(True), 10)


if __name__ == "__main__":
    program.main()
