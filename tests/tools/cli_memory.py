# SPDX-License-Identifier: Apache-2.0
"""Memory that fails at any allocation of any command: an error in one line, or all is as it should.

Each command runs once for each of its allocations, which fails alone, and once more with all that
follow it failing too. The short form tries some of each, chosen by a seed that it prints;
LAMELLA_MEMORY=all tries every one, as "ninja -C build sweep-memory" does.

LAMELLA_MEMORY_OF=rewrite,diff chooses the commands, and LAMELLA_MEMORY=SEED the same again. What
went wrong before: 337 points ended with 0 and broken output ("meta --json" printed {"file":, and
"automaton --dot" left out the labels), others with SIGABRT; "levels" went on with the next column,
and "cat --where" blamed the command line.
"""

import gzip
import os
import random
import re
import shutil
import subprocess
import unittest

import program

os.environ["LC_ALL"] = "C"  # without memory for another locale tables are drawn as in this one

LIBRARY = os.environ.get("LAMELLA_FAILING_MALLOC", "")
CHOICE = os.environ.get("LAMELLA_MEMORY", "")
COMMANDS = os.environ.get("LAMELLA_MEMORY_OF", "")
SAMPLE = 5  # allocations of each command and way of failing, in the short form

SCHEMA = """message m {
  required int64 id;
  optional binary name (STRING);
  optional double real;
  optional fixed_len_byte_array(2) pair;
  optional int64 stamp (TIMESTAMP(MILLIS,true));
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
}
"""
TAGS = '{"tags":{"list":[{"element":"a"}]}}'
RECORDS = [
    {
        "id": n,
        "name": f"name {n}",
        "real": n / 4,
        "pair": "YWI=",
        "stamp": "2024-10-24T12:34:56.789Z",
        "tags": [f"tag {n % 7}", None] if n % 3 else None,
    }
    for n in range(200)
]
LOOSE = [{"a": n, "b": {"c": f"x{n}", "d": [n, n + 1]}, "e": n / 2} for n in range(50)]
KEYS = [{"m": {f"k{n}": {"t": "2024-10-24T12:34Z", "u": [n / 4]}}, "c": n} for n in range(40)]
MIXED = [{"a": n if n % 2 else f"s{n}", "b": {"c": n}} for n in range(50)]
WRITTEN = [
    *["--row-group-rows", "70", "--page-size", "200", "--bloom", "id", "--sorted", "id"],
    *["--meta", "source=west", "--encoding", "name=delta_byte_array"],
]
CONDITION = "id = 150 or name = 'name 3' and stamp > '2024-01-01T00:00:00.000Z'"
TEXTS = "name like 'na_e 1%' and tags[] = 'tag 3' or real < id and stamp < now() - 1d"

# Name, arguments; "out" is the file that is written, standard input holds the file behind "<".
CASES = [
    ["--version"],
    ["--help"],
    ["cat", "--help"],
    ["schema", "a.parquet"],
    ["schema", "v.parquet", "a.parquet"],
    ["meta", "a.parquet"],
    ["meta", "--verbose", "a.parquet"],
    ["meta", "--json", "a.parquet"],
    ["meta", "--json", "--verbose", "a.parquet", "v.parquet"],
    ["pages", "a.parquet"],
    ["pages", "--columns", "name,tags", "--row-group", "1", "--json", "a.parquet"],
    ["pages", "--index", "a.parquet"],
    ["pages", "--index", "--json", "a.parquet"],
    ["bytes", "a.parquet"],
    ["bytes", "--all", "--hex", "--columns", "name,tags", "a.parquet"],
    ["bytes", "--page", "1", "--row-group", "1", "a.parquet"],
    ["bytes", "--all", "--json", "a.parquet"],
    ["levels", "a.parquet"],
    ["levels", "--json", "--columns", "tags,id", "a.parquet"],
    ["levels", "--explain", "--record", "7", "--limit", "3", "v.parquet"],
    ["levels", "--explain", "--json", "--row-group", "1", "a.parquet"],
    ["levels", "--schema", "s", "a.json"],
    ["levels", "--limit", "9", "-", "<l.json"],
    ["trace", "--limit", "3", "a.parquet"],
    ["trace", "--json", "--record", "5", "--columns", "tags,id", "a.parquet"],
    ["trace", "--shred", "--limit", "2", "v.parquet"],
    ["trace", "--variants", "--limit", "2", "v.parquet"],
    ["trace", "--variants", "--json", "v.parquet"],
    ["trace", "--json", "--schema", "s", "--limit", "3", "a.json"],
    ["trace", "--assemble", "--limit", "3", "l.json"],
    ["automaton", "a.parquet"],
    ["automaton", "--dot", "v.parquet"],
    ["automaton", "--json", "--columns", "tags,id", "a.parquet"],
    ["automaton", "--schema", SCHEMA],
    ["automaton", "--schema", "s"],
    ["explain", "-o", "out", "--limit", "2", "--columns", "id,tags", "a.parquet"],
    ["explain", "-o", "out", "--limit", "2", "a.json"],
    ["explain", "-o", "out", "--limit", "1", "--where", CONDITION, "--json", "a.parquet"],
    ["explain", "-o", "out", "--json", "--limit", "1", "--columns", "id", "big.parquet"],
    ["explain", "-o", "out", "--frames", "frames", "--limit", "1", "--columns", "id,tags", "a.parquet"],
    ["cat", "a.parquet"],
    ["cat", "--where", "k = '1'", "keys"],
    ["count", "keys/**/*.parquet"],
    ["sample", "--seed", "1", "-n", "1", "keys"],
    ["schema", "keys"],
    ["cat", "v.parquet"],
    ["cat", "--format", "csv", "a.parquet"],
    ["summary", "a.parquet", "v.parquet"],
    ["summary", "--json", "a.parquet"],
    ["summary", "--findings", "big.parquet"],
    ["summary", "--findings", "--json", "--columns", "id", "big.parquet"],
    ["schema", "--json", "v.parquet"],
    ["schema", "--levels", "a.parquet"],
    ["schema", "--arrow", "v.parquet"],
    ["schema", "--sql", "a.parquet", "v.parquet"],
    ["tail", "--format", "table", "a.parquet"],
    ["tail", "--columns", 'record.b."c",record.a', "v.parquet"],
    ["cat", "--format", "tsv", "--limit", "100", "a.parquet", "a.parquet"],
    ["cat", "--format", "json", "--limit", "100", "v.parquet"],
    ["head", "--format", "table", "a.parquet", "v.parquet"],
    ["sample", "--seed", "3", "--where", CONDITION, "a.parquet"],
    ["count", "--where", CONDITION, "a.parquet", "a.parquet"],
    ["cat", "--variant", "typed", "v.parquet"],
    ["cat", "--variant", "storage", "v.parquet"],
    ["cat", "--columns", 'record.b."c",record.a', "v.parquet"],
    ["cat", "--columns", "tags,id,k", "a.parquet", "keys"],
    ["count", "--where", "record.a = 1 or k = '1'", "a.parquet", "keys", "v.parquet"],
    ["tail", "--columns", "id", "keys"],
    ["cat", "--columns", "tags,id", "--skip", "7", "--limit", "100", "a.parquet"],
    ["cat", "--where", CONDITION, "--explain", "--columns", "id", "a.parquet"],
    ["cat", "--where", CONDITION, "--no-pruning", "a.parquet"],
    ["cat", "--where", "record.b.c > 40", "v.parquet"],
    ["cat", "--where", TEXTS, "--columns", "!tags, -pair, na*, id", "a.parquet"],
    ["cat", "--where", "record.b.c between 4 and 9 or record.a like 's1%'", "v.parquet"],
    ["cat", "--keep-going", "a.parquet"],
    ["cat", "-", "<a.parquet"],
    ["check", "a.parquet"],
    ["check", "--json", "v.parquet"],
    ["check", "--rules"],
    ["diff", "a.parquet", "b.parquet"],
    ["diff", "--json", "--columns", "id,name,tags", "a.parquet", "c.parquet"],
    ["diff", "--key", "id", "a.parquet", "c.parquet"],
    ["diff", "--metadata", "all", "v.parquet", "a.parquet"],
    ["import", "--schema", SCHEMA, *WRITTEN, "-o", "out", "a.json"],
    ["import", "--schema", "s", "--codec", "gzip", "-o", "out", "a.json", "a.json"],
    ["import", "--codec", "snappy", "--auto-bloom", "-o", "out", "l.json"],
    ["import", "--codec", "none", "-o", "out", "-", "<l.json"],
    ["import", "-o", "-", "-", "<l.json"],
    ["import", "--type", "b=string", "-o", "out", "c.csv"],
    ["import", "--skip-bad-lines", "-o", "out", "-", "<c.csv"],
    ["import", "-o", "out", "c.csv.gz", "*.csv"],
    ["import", "-o", "out", "a.parquet", "a.parquet"],
    ["import", "-o", "out", "-", "<a.parquet"],
    ["schema", "c.csv.gz", "l.json"],
    ["import", "-o", "out", "k.json"],
    ["import", "--on-clash", "string", "--type", "b=json", "-o", "out", "m.json"],
    ["import", "--type", "m=map", "--infer-decimals", "-o", "out", "-", "<k.json"],
    ["import", "--variant", "b", "--explain", "-o", "out", "l.json"],
    ["import", "--variant-all", "--explain", "--codec", "brotli", "-o", "out", "m.json"],
    ["import", "--variant", "b", "--shred", "b=optional group typed_value { "
     "required group c { optional binary value; } }", "-o", "out", "l.json"],
    ["import", "--shred", "none", "--codec", "lz4_raw", "-o", "out", "m.json"],
    ["rewrite", "-o", "out", "a.parquet", "a.parquet"],
    ["rewrite", "--codec", "snappy", "--columns", "id,tags", "-o", "out", "a.parquet"],
    ["rewrite", "--page-size", "99", "--encoding", "id=plain", "-o", "out", "a.parquet"],
    ["rewrite", "--sort-by", "real:desc", "--where", CONDITION, "-o", "out", "a.parquet"],
    ["rewrite", "--where", "id < 9 or k = '1'", "-o", "out", "a.parquet", "keys"],
    ["rewrite", "--row-group-rows", "30", "-o", "-", "-", "<a.parquet"],
    ["rewrite", "--salvage", "--json", "--lost", "optional", "-o", "out", "a.parquet"],
]  # fmt: skip

TABLE = "a,b,c\n" + "".join(f'{n},"x ""{n}""",2024-10-{1 + n % 30:02}\n' for n in range(300))

# Files of other writers, in a folder that not every machine has, and what is asked of each.
SHARED = [
    "column_chunk_key_value_metadata.parquet",
    "concatenated_gzip_members.parquet",
    "data_index_bloom_encoding_with_length.parquet",
    "fixed_length_decimal.parquet",
    "geospatial/geospatial-with-nan.parquet",
    "int96_from_spark.parquet",
    "nested_maps.snappy.parquet",
    "non_hadoop_lz4_compressed.parquet",
]
QUESTIONS = [
    ["cat"],
    ["levels", "--json"],
    ["meta", "--json", "--verbose"],
    ["meta", "--verbose"],
    ["pages", "--index"],
    ["pages", "--json"],
    ["bytes", "--all"],
]


def without_judge(output):
    """What check prints but for the opinion of the judge, whose own process may lack memory."""
    lines = [line for line in output.splitlines() if b"footer-unjudged" not in line]
    return re.sub(rb"\d+ notes?|\"notes\":\d+", b"notes", b"\n".join(lines))


@unittest.skipUnless(LIBRARY, "nothing to preload: another C library, or a sanitizer has malloc")
class Memory(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.seed = int(CHOICE) if CHOICE.isdigit() else random.SystemRandom().randrange(1 << 32)
        print(f"LAMELLA_MEMORY={'all' if CHOICE == 'all' else cls.seed}")

    def setUp(self):
        super().setUp()
        self.put("s", SCHEMA)
        self.put("a.json", program.ndjson(RECORDS))
        self.put("l.json", program.ndjson(LOOSE))
        self.put("m.json", program.ndjson(MIXED))
        self.put("k.json", program.ndjson([*KEYS, {"c": "x"}]))
        self.put("c.csv", TABLE)
        self.put("c.csv.gz", gzip.compress(TABLE.encode(), mtime=0))
        self.good("import", "--schema", SCHEMA, *WRITTEN, "-o", "a.parquet", "a.json")
        self.good("import", "--variant-all", "-o", "v.parquet", "m.json")
        big = [{**record, "id": n * n, "name": record["name"] * 3} for n, record in enumerate(RECORDS * 3)]
        self.make("big.parquet", big, "--schema", SCHEMA, "--codec", "none", "--no-dictionary", "--compat", "max")
        for name in ("k=1", "k=x"):
            os.makedirs(self.path(f"keys/{name}"))
            shutil.copy(self.path("a.parquet"), self.path(f"keys/{name}/a.parquet"))
        self.good("import", "--schema", SCHEMA, "--codec", "gzip", "-o", "b.parquet", "--meta", "source=west", "a.json")
        self.make("c.parquet", [{**r, "name": "new"} if r["id"] == 9 else r for r in RECORDS[3:]], "--schema", SCHEMA)
        self.inputs = self.files()
        self.runs = 0

    def run_failing(self, arguments, number, goes_on):
        """Status, output, errors and the file "out", with a failing allocation."""
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, LAMELLA_FAIL_AT=str(number))
        environment.pop("LAMELLA_FAIL_FROM", None)
        if goes_on:
            environment["LAMELLA_FAIL_FROM"] = "1"
        if number == 0:
            environment["LAMELLA_FAIL_COUNT"] = self.path("count")
        words = [word for word in arguments if word[0] != "<"]
        data = b""
        for word in arguments:
            if word[0] == "<":
                with open(self.path(word[1:]), "rb") as file:
                    data = file.read()
        done = subprocess.run(
            [program.PROGRAM, *words], cwd=self.folder, input=data, capture_output=True,
            check=False, timeout=program.TIME_LIMIT, env=environment,
        )  # fmt: skip
        written = None
        if os.path.exists(self.path("out")):
            with open(self.path("out"), "rb") as file:
                written = file.read()
            os.remove(self.path("out"))
        if done.returncode == 0:
            shutil.rmtree(self.path("frames"), ignore_errors=True)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"), written

    def fault(self, arguments, wanted, got):
        """What is wrong with an outcome; None when nothing is."""
        status, output, errors, written = got
        if status == 0 and arguments[0] == "check":
            same = without_judge(output) == without_judge(wanted[1]) and errors == wanted[2]
            return None if same else "it ended with 0, and with something else"
        if status == wanted[0]:
            return None if got == wanted else f"it ended with {status}, and with something else"
        if status != (2 if arguments[0] == "diff" else 1):
            return "its exit status"
        told = wanted[2].splitlines() if "--explain" in arguments else []
        lines = [line for line in errors.splitlines() if line not in told]
        if told:  # a line of it may be cut
            lines = lines[-1:]
        if len(lines) != 1 or not lines[0].startswith("lamella: ") or errors[-1] != "\n":
            return "its message"
        if written is not None and not (told and written == wanted[3]):
            return "there is a file"
        return "files are left" if self.files() != self.inputs else None

    def try_case(self, arguments):
        wanted = self.run_failing(arguments, 0, False)
        self.assertIn(wanted[0], [0, 1] if arguments[0] == "diff" else [0], (arguments, wanted[2]))
        with open(self.path("count"), encoding="ascii") as file:
            count = int(file.read())
        os.remove(self.path("count"))
        self.assertEqual(self.files(), self.inputs)
        numbers = range(1, count + 1)
        self.runs += 2 * (count if CHOICE == "all" else min(SAMPLE, count))
        chance = random.Random(f"{self.seed} {arguments}")
        faults = []
        for goes_on in [False, True]:
            few = numbers if CHOICE == "all" else chance.sample(numbers, min(SAMPLE, count))
            for number in sorted(few):
                got = self.run_failing(arguments, number, goes_on)
                wrong = self.fault(arguments, wanted, got)
                if wrong is not None:
                    way = "and all behind it" if goes_on else "alone"
                    told = (got[0], got[1][-100:], got[2][-300:])
                    faults.append(f"allocation {number} of {count} {way}: {wrong}: {told}")
        return faults

    def expect_no_faults(self, name, arguments):
        with self.subTest(name):
            faults = self.try_case(arguments)
            if faults:
                self.fail(f"{len(faults)} faults:\n" + "\n".join(faults[:20]))

    def test_any_allocation_may_fail(self):
        for arguments in CASES:
            if COMMANDS and arguments[0] not in COMMANDS.split(","):
                continue
            self.expect_no_faults(" ".join(arguments), arguments)
        print(f"{self.runs} runs")

    def test_any_allocation_may_fail_over_files_of_others(self):
        folder = program.shared("parquet-testing/data")
        if not os.path.isdir(folder):
            self.skipTest("the shared files are not there")
        for name in SHARED:
            shutil.copy(os.path.join(folder, name), self.path("f.parquet"))
            self.inputs = self.files()
            for question in QUESTIONS:
                self.expect_no_faults(f"{' '.join(question)} {name}", [*question, "f.parquet"])
        print(f"{self.runs} runs")


if __name__ == "__main__":
    program.main()
