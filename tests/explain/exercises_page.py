# SPDX-License-Identifier: Apache-2.0
"""Exercises about a file: every question that the page can ask about any of its columns has an answer, the answer is
right by what the levels, the schema, the automaton and the bytes say, and it is not what the question says already.

usage: exercises_page.py PROGRAM. Status 77 where there is no browser.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page_case  # noqa: E402
import page_inputs  # noqa: E402
from page_case import PROGRAM, SHARED, run, sample  # noqa: E402
from page_shown import digits  # noqa: E402

KINDS = ["record", "meaning", "schema", "pair", "arrow", "bytes"]

# Questions of each column: texts of question and answer, empty words in them, and rows of tables in the answer.
ASK = """model.leaves.filter((leaf) => leaf.triples.length).slice(0, 40).map((leaf) => [leaf.path,
    [questionOfRecord(model, leaf), questionOfMeaning(model, leaf), questionOfSchema(leaf), questionOfPair(leaf),
     questionOfArrow(model, leaf), questionOfBytes(model, leaf)].map((found) => {
        if (!found) return null;
        const [question, answer] = found.slice(0, 2).map((part) => make("div", null, part));
        return [question.textContent, answer.textContent,
            [...question.querySelectorAll("code, a"), ...answer.querySelectorAll("code, a")].filter((n) => !n.textContent).length,
            [...answer.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))];
    })])"""


def name_in_path(name):
    """A name as paths have it: between marks unless it is a word. (No file here has a keyword for a name.)"""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else '"' + name.replace('"', '""') + '"'


def fields_of(schema):
    """{path: (field, whether a VARIANT is around it)}"""
    found = {}

    def add(field, path, within):
        found[path] = field, within
        within = within or field.get("logical_type", "").startswith("VARIANT")
        for child in field.get("fields", []):
            name = name_in_path(child["name"])
            add(child, f"{path}.{name}" if path else name, within)

    add(schema, "", False)
    return found


def decoded(data, width):
    """The levels of one run: those of all groups, or (count, level)."""
    header, at, shift = 0, 0, 0
    while True:
        header |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            break
    if header % 2 == 0:
        return header // 2, int.from_bytes(data[at:], "little")
    bits = int.from_bytes(data[at:], "little")
    return [bits >> i * width & (1 << width) - 1 for i in range(header // 2 * 8)]


class ExercisesTest(page_case.BrowserCase):
    def ask(self, file, *options):
        """The data of the page, and {path: {kind: question}}; None where the file cannot be explained."""
        page = os.path.join(self.folder, "exercises.html")
        done = subprocess.run([PROGRAM, "explain", "-o", page, *options, file], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            return None
        self.browser.open(page)
        asked = {path: dict(zip(KINDS, found)) for path, found in self.browser.run(ASK)}
        return page_case.data_of(page), asked

    def check(self, file, *options):
        """How many questions of each kind there were."""
        counts = dict.fromkeys(KINDS, 0)
        answered = self.ask(file, *options)
        if answered is None:
            return counts
        data, asked = answered
        levels = {leaf["path"]: leaf for leaf in data["levels"]}
        fields = fields_of(data["schema"])
        for path, questions in asked.items():
            for kind, found in questions.items():
                if found is None:
                    continue
                question, answer, empty, rows = found
                counts[kind] += 1
                with self.subTest(file=file, path=path, kind=kind):
                    self.assertEqual(empty, 0, answer)
                    self.assertGreater(len(answer), 20)
                    self.assertNotRegex(question + answer, r"undefined|NaN|\[object|, ,| \.")
                    getattr(self, "check_" + kind)(levels[path], fields, data, digits(question), digits(answer), rows)
        return counts

    def check_record(self, leaf, fields, data, question, answer, rows):
        number = int(re.search(r"This is record (\d+)\.", question)[1]) - data["source"]["first"]
        starts = [i for i, r in enumerate(leaf["r"]) if r == 0] + [len(leaf["r"])]
        wanted = list(zip(leaf["r"], leaf["d"]))[starts[number] : starts[number + 1]]
        self.assertEqual([(int(row[0]), int(row[1])) for row in rows], wanted)
        self.assertEqual([row[2] == "NULL" for row in rows], [d < leaf["max_definition"] for _, d in wanted])

    def check_meaning(self, leaf, fields, data, question, answer, rows):
        d = int(re.search(r"d = (\d+)\.", question)[1])
        self.assertLess(d, leaf["max_definition"])
        self.assertIn(f"the highest d is {leaf['max_definition']}. It says: {leaf['d_words'][d]}.", answer)
        said = re.search(r"Record (\d+) has such", answer)
        self.assertEqual(bool(said), any(each < leaf["max_definition"] for each in leaf["d"]))
        if said:
            records, at = [], -1
            for r, each in zip(leaf["r"], leaf["d"]):
                at += r == 0
                records += [at] * (each == d)
            self.assertIn(int(said[1]) - data["source"]["first"], records)

    def check_schema(self, leaf, fields, data, question, answer, rows):
        path, repetition = re.fullmatch(r"(.*) is (optional|repeated)\. Were it required, which .*\?", question, re.DOTALL).groups()
        field, is_in_variant = fields[path]
        self.assertTrue(leaf["path"] == path or leaf["path"].startswith(path + "."))
        self.assertEqual((field["repetition"], is_in_variant), (repetition, False))
        r, d = leaf["max_repetition"], leaf["max_definition"]
        first = f"max r {r - 1} instead of {r}" if repetition == "repeated" else f"max r {r} as before"
        self.assertTrue(answer.startswith(f"{first}, max d {d - 1} instead of {d}: "), answer)

    def check_pair(self, leaf, fields, data, question, answer, rows):
        d = int(re.search(r"r = 1 together with d = (\d+)\?", question)[1])
        path = re.search(r"another element of (.*?)\. So that is there, and d is (\d+) or more", answer, re.DOTALL)
        self.assertEqual(int(path[2]), d + 1)
        field = fields[path[1]][0]
        self.assertEqual((field["repetition"], field["max_repetition"], field["max_definition"]), ("repeated", 1, d + 1))
        self.assertNotIn((1, d), list(zip(leaf["r"], leaf["d"])))

    def check_arrow(self, leaf, fields, data, question, answer, rows):
        r = int(re.search(r"the column has r = (\d+)\.", question)[1])
        self.assertEqual(r, leaf["max_repetition"])
        leaves = data["automaton"]["leaves"]
        following = data["automaton"]["next"][leaves.index(leaf["path"])][r]
        wanted = leaves[following] if following < len(leaves) else "None: the record ends"
        self.assertTrue(answer.startswith(wanted + ": "), answer)

    def check_bytes(self, leaf, fields, data, question, answer, rows):
        which, width, hexed = re.search(r"among its (\w+) levels, of (\d+) bits? each: ([0-9a-f ]+)\. Which", question).groups()
        most = leaf["max_repetition" if which == "repetition" else "max_definition"]
        self.assertEqual(int(width), most.bit_length())
        run_of = decoded(bytes.fromhex(hexed), int(width))
        if isinstance(run_of, tuple):
            count, level = re.search(r"(?:half of it is|it counts) (\d+)\. The level follows: (\d+)\.", answer).groups()
            self.assertEqual((int(count), int(level)), run_of)
            return
        groups = re.findall(r"is in bits ([01 ]+), cut into levels ([01 ]+), which are ([\d ]+?)(?=[0-9a-f]{2}(?: [0-9a-f]{2})* is in bits|The last|Inside)", answer)
        said = [[int(level) for level in numbers.split()] for _, _, numbers in groups]
        cut = [[int(level, 2) for level in levels.split()] for _, levels, _ in groups]
        shown = [level for group in said for level in group]
        self.assertEqual(said, cut)
        self.assertTrue(all(len(group) == 8 for group in said[:-1]))
        self.assertEqual(shown, run_of[: len(shown)])
        self.assertLess(len(run_of) - len(shown), 8)
        self.assertFalse(any(run_of[len(shown) :]))
        self.assertEqual("padded" in answer, len(shown) % 8 != 0)

    # --- Files ---

    def test_every_answer_is_right_for_the_files_of_the_tests(self):
        counts = dict.fromkeys(KINDS, 0)
        for given in page_inputs.make(run, self.folder, []):
            if given.name in ("wide", "huge", "long", "hostile"):  # too large, or with names that show as escapes
                continue
            for kind, count in self.check(given.operand, *given.options).items():
                counts[kind] += count
        self.assertTrue(all(count > 5 for count in counts.values()), counts)

    def test_every_answer_is_right_for_files_of_others(self):
        files = sorted(glob.glob(os.path.join(SHARED or "", "parquet-testing", "*", "*.parquet")))
        if not files:
            self.skipTest("Apache's files are not there")
        for file in sample.take(files, 30, "exercises"):
            self.check(file)

    def test_levels_of_every_packed_run_are_those_of_its_bits(self):
        """A page of many runs: those behind the first one had no levels."""
        draw = random.Random(1)
        records = []
        for n in range(400):
            lists = [[draw.randrange(9) if draw.random() < 0.8 else None for _ in range(draw.randrange(4))] for _ in range(draw.randrange(4))]
            records.append({"l": lists if n // 40 % 2 else [], "n": None if n % 50 < 25 and draw.random() < 0.5 else n})
        page_inputs.write(os.path.join(self.folder, "runs.ndjson"), "".join(json.dumps(record) + "\n" for record in records))
        file = os.path.join(self.folder, "runs.parquet")
        run("import", "-o", file, "--codec", "uncompressed", os.path.join(self.folder, "runs.ndjson"))
        page = os.path.join(self.folder, "runs.html")
        run("explain", "-o", page, "--limit", "400", file)
        self.browser.open(page)
        groups = self.browser.run("""model.pages.flatMap(descendants).filter((r) => r.kind === "packed_group" && /levels$/.test(r.parent.parent.kind))
            .map((group) => [group.parent.inside.indexOf(group), group.first, levelBits(group), group.value])""")
        self.assertGreater(sum(first > 100 for _, first, _, _ in groups), 30)
        for _, _, bits, value in groups:
            self.assertEqual([int(level, 2) for level in bits.split()], [int(level) for level in value.split()])

    def test_the_column_of_the_exercises_is_one_that_people_can_read(self):
        """Not the bytes of VARIANTs; none where there is no other."""
        records = '{"a":1,"b":"x","l":[1,2]}\n{"a":"y","l":[]}\n{"a":2}\n'
        path = page_inputs.write(os.path.join(self.folder, "any.ndjson"), records)
        for options, wanted in [
            (["--variant-all"], "record.typed_value.l.typed_value.list.element.typed_value"),
            (["--variant-all", "--shred", "none"], None),
            (["--variant", "a", "--shred", "none"], "l.list.element"),
        ]:
            file = os.path.join(self.folder, "any.parquet")
            run("import", "-o", file, *options, path)
            page = os.path.join(self.folder, "any.html")
            run("explain", "-o", page, file)
            self.browser.open(page)
            self.assertEqual(self.browser.run("model.example && model.example.path"), wanted)
            for view in ("start", "exercises"):
                self.browser.run(f"location.hash = '#{view}'; showView()")
                self.assertEqual(wanted is not None, f"{wanted}" in self.browser.run("document.querySelector('main').textContent"))
            self.assert_quiet()


if __name__ == "__main__":
    page_case.main()
