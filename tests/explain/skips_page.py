# SPDX-License-Identifier: Apache-2.0
"""The view of what a condition skips, in a headless Chromium: what it shows is what cat --where --explain
and pages --index print of the same file, for files of many shapes; it is stepped by keyboard, and follows
what one types.

usage: skips_page.py PROGRAM; status 77 where there is no browser.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page_access  # noqa: E402
import page_case  # noqa: E402
import skip_cases  # noqa: E402
from page_case import PROGRAM, SCREENSHOTS, SHARED, run  # noqa: E402

WAIT = "new Promise((done) => { const look = () => (%s) ? done(true) : setTimeout(look, 50); look(); setTimeout(() => done(false), 8000); })"


def explained(file, condition):
    done = subprocess.run([PROGRAM, "cat", "--where", condition, "--explain", file], capture_output=True, timeout=120, check=True)
    return skip_cases.report_of(done.stderr.decode())


def pages_of(condition):
    """For each row group and column, the pages that were judged and whether any row of them is left."""
    found = {}
    for group in condition.get("row_groups", []):
        for judged in group.get("ranges", []):
            for test, part in zip(judged["tests"], condition["tests"], strict=True):
                for column, path in ((test.get("column"), part.get("path")), (test.get("other"), part.get("other_path"))):
                    if column and "page" in column:
                        key = (group["index"], path, column["page"])
                        page, kept = found.get(key, (column, False))
                        found[key] = (page, kept or "true" in judged["may_be"])
    return found


class SkipsTest(page_case.BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cases = {}
        for name, file, conditions in skip_cases.make(run, cls.folder, SHARED):
            page = os.path.join(cls.folder, name + ".html")
            where = [option for condition in conditions[:8] for option in ("--where", condition)]
            run("explain", "-o", page, *where, file)
            cls.cases[name] = (page, file, conditions[:8])

    def open(self, page, **options):
        self.browser.open(page, **options)
        self.browser.run("""new Promise((done) => { addEventListener("hashchange", () => setTimeout(done), {once: true}); location.hash = "#skips"; })""")

    def text(self, selector="main"):
        return self.browser.run(f"document.querySelector({json.dumps(selector)}).textContent").replace("\u202f", "")

    def document(self, page):
        return page_case.data_of(page)["skips"]

    # --- The same as the commands ---

    def test_the_report_of_each_condition_is_what_cat_explains(self):
        causes = set()
        for name, (page, file, conditions) in self.cases.items():
            skips = self.document(page)
            self.assertFalse(skips["is_chosen"])
            for condition, shown in zip(conditions, skips["conditions"], strict=True):
                with self.subTest(name=name, condition=condition):
                    self.assertEqual(shown["text"], condition)
                    self.assertNotIn("error", shown)
                    wanted = {key: int(value) for key, value in explained(file, condition).items()}
                    self.assertEqual({key: shown["report"][key] for key in wanted}, wanted)
                    self.assertEqual(sum(group["wanted"] for group in shown["searched"]), wanted["rows_wanted"])
                    self.assertEqual(sum(group["left_rows"] for group in shown["row_groups"]), wanted["rows"] - wanted["rows_ruled_out"])
                    causes.update(group.get("ruled_out_by") for group in shown["searched"])
        self.assertLessEqual({None, "statistics", "Bloom filter", "page index", "dictionary"}, causes)

    def test_pages_are_those_of_the_page_index_and_as_many_are_ruled_out(self):
        ruled_out = 0
        for name, (page, file, conditions) in self.cases.items():
            index = [json.loads(line) for line in run("pages", "--index", "--json", file).splitlines()]
            index = {(entry["row_group"], entry["path"], entry["page"]): entry for entry in index if "page" in entry}
            for shown in self.document(page)["conditions"]:
                with self.subTest(name=name, condition=shown["text"]):
                    pages = pages_of(shown)
                    self.assertEqual(len(pages), shown["report"]["pages"])
                    self.assertEqual(sum(not kept for _, kept in pages.values()), shown["report"]["pages_ruled_out"])
                    ruled_out += shown["report"]["pages_ruled_out"]
                    for key, (column, _) in pages.items():
                        entry = index[key]
                        self.assertEqual((column["offset"], column["size"], column["first_row"]), (entry["offset"], entry["compressed_size"], entry["first_row"]))
                        if column["is_of_page"] and "min" in column and not column["min"].endswith(('..."', "...")) and not column["min"].startswith("0x"):
                            self.assertEqual((json.loads(column["min"]), json.loads(column["max"])), (entry["min"], entry["max"]))
        self.assertGreater(ruled_out, 20)

    def test_a_row_group_is_read_in_the_ranges_that_are_left_and_the_rows_that_fit_are_in_them(self):
        _, file, _ = self.cases["groups"]
        for shown in self.document(self.cases["groups"][0])["conditions"]:
            with self.subTest(shown["text"]):
                fitting = {json.loads(line)["id"] for line in run("cat", "--where", shown["text"], file).splitlines()}
                left = {1000 + 3 * row for group in shown["row_groups"] for first, count in group["left"] for row in range(group["first"] + first, group["first"] + first + count)}
                self.assertLessEqual(fitting, left)

    # --- Bloom filters ---

    def test_the_bits_of_a_probe_are_those_in_the_file(self):
        probes = 0
        for name, (page, file, _) in self.cases.items():
            with open(file, "rb") as source:
                data = source.read()
            for shown in self.document(page)["conditions"]:
                for group in shown.get("row_groups", []):
                    for probe in group.get("probes", []):
                        with self.subTest(name=name, condition=shown["text"]):
                            block = data[probe["offset"]:probe["offset"] + 32]
                            self.assertEqual(probe["bits"], block.hex())
                            self.assertEqual(int(probe["hash"][:8], 16) * probe["blocks"] >> 32, probe["block"])
                            salts = (0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31)
                            low = int(probe["hash"][8:], 16)
                            self.assertEqual(probe["word_bits"], [(low * salt & 0xFFFFFFFF) >> 27 for salt in salts])
                            words = [int.from_bytes(block[4 * i:4 * i + 4], "little") for i in range(8)]
                            self.assertEqual(probe["may_hold"], all(word >> bit & 1 for word, bit in zip(words, probe["word_bits"])))
                            probes += 1
        self.assertGreater(probes, 8)

    def test_the_picture_of_a_block_marks_the_eight_bits(self):
        page, _, _ = self.cases["groups"]
        self.open(page)
        shown = self.document(page)["conditions"][0]
        probe = shown["row_groups"][0]["probes"][0]
        self.assertIn("skipped by its Bloom filter", self.text("main .card h3"))
        words = [int.from_bytes(bytes.fromhex(probe["bits"])[4 * i:4 * i + 4], "little") for i in range(8)]
        missing = sum(not word >> bit & 1 for word, bit in zip(words, probe["word_bits"]))
        self.assertGreater(missing, 0)
        count = lambda selector: self.browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")
        self.assertEqual(count("svg.bloom .bit"), 256)
        self.assertEqual(count("svg.bloom .bit.needed"), 8)
        self.assertEqual(count("svg.bloom .bit-missing"), missing)
        self.assertEqual(count("svg.bloom .bit.set"), sum(bin(word).count("1") for word in words))
        self.assertIn(probe["hash"][8:], self.text("main .card"))

    # --- The view ---

    def choose(self, index):
        self.browser.run("{ const s = document.querySelector('main select'); if (s) { s.value = %d; s.dispatchEvent(new Event('change')); } }" % index)

    def test_bars_and_words_say_what_the_data_say_and_each_has_its_reason(self):
        for name, (page, _, conditions) in self.cases.items():
            self.open(page)
            for index, shown in enumerate(self.document(page)["conditions"]):
                with self.subTest(name=name, condition=shown["text"]):
                    self.choose(index)
                    report = shown["report"]
                    text = self.text()
                    self.assertIn(shown["text"], text)
                    self.assertIn(f"Bytes: {report['bytes_read']} of {report['file_size']} read", text)
                    self.assertIn(f"{report['rows_ruled_out']} of {report['rows']} ruled out unread; {report['rows_wanted']} fit", text)
                    if report["pages"]:
                        self.assertIn(f"{report['pages_ruled_out']} of {report['pages']} skipped", text)
                    count = lambda selector: self.browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")
                    self.assertEqual(count(".skip-group > button"), report["row_groups"])
                    self.assertEqual(count(".skip-group > button.skipped"), report["by_statistics"] + report["by_bloom"] + report["by_pages"] + report["by_dictionary"])
                    drawn = lambda selector: self.browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].reduce((sum, b) => sum + Number(b.dataset.pages), 0)")
                    self.assertEqual(drawn(".skip-pages button.skipped"), report["pages_ruled_out"])
                    self.assertEqual(drawn(".skip-pages button"), report["pages"])
                    listed = self.browser.run("""new Promise((done) => { const d = [...document.querySelectorAll("main details")].find((d) => d.textContent.startsWith("Pages as"));
                        if (!d) { done([]); return; } d.open = true; setTimeout(() => done([...d.querySelectorAll("tbody tr")].map((r) => r.lastChild.textContent)), 50); })""")
                    self.assertEqual((len(listed), listed.count("skipped")), (report["pages"], report["pages_ruled_out"]))
                    said = self.browser.run("""[...document.querySelectorAll(".skip-map button")].slice(0, 60).map((b) => { b.click();
                        const card = document.querySelector("main > div > .card"); return [b.className, card.querySelector("h3").textContent, card.querySelectorAll("p").length]; })""")
                    for kind, heading, sentences in said:
                        self.assertGreaterEqual(sentences, 2, heading)
                        self.assertEqual("skipped" in heading or "no value in its dictionary" in heading, kind == "skipped", heading)
            if SCREENSHOTS:
                self.choose(0)
                self.browser.screenshot(os.path.join(SCREENSHOTS, f"skips-{name}.png"))
            self.assertIsNone(self.browser.run("window.broken"))
            self.assertEqual(self.browser.run("document.querySelectorAll('main img, main script').length"), 0)
            self.assert_quiet()

    def test_nothing_is_wider_than_a_phone(self):
        for name in ("groups", "alltypes_tiny_pages"):
            if name not in self.cases:
                continue
            for dark in (False, True):
                self.open(self.cases[name][0], width=390, height=800, dark=dark)
                for index in range(len(self.cases[name][2])):
                    self.choose(index)
                    self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
                if SCREENSHOTS:
                    self.choose(1)
                    self.browser.screenshot(os.path.join(SCREENSHOTS, f"skips-{name}-phone{'-dark' if dark else ''}.png"))
        self.assert_quiet()

    def test_no_serious_finding_of_axe(self):
        axe = page_access.AccessTests.axe()
        if axe is None:
            self.skipTest("axe-core cannot be had: no npm, or no registry")
        for dark in (False, True):
            self.open(self.cases["groups"][0], dark=dark)
            self.browser.run(axe + "; 0")
            for index in range(3):
                self.choose(index)
                found = self.browser.run("""axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
                    .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200)).join(" | ")))""")
                self.assertEqual(found, [])

    def test_the_keyboard_alone_chooses_conditions_row_groups_and_pages(self):
        self.open(self.cases["groups"][0])
        self.choose(1)
        self.browser.run("document.querySelector('.skip-map button').focus()")
        seen = []
        for _ in range(3):
            self.browser.press("Enter")
            seen.append(self.text("main > div > .card h3"))
            self.browser.press("ArrowDown")
        self.assertEqual(len(set(seen)), 3)
        self.assertTrue(seen[0].startswith("Row group 0"), seen)
        self.assertTrue(seen[1].startswith("Page 0 of id"), seen)
        self.assertEqual(self.browser.run("document.querySelectorAll('.skip-map button[tabindex=\"0\"]').length"), 1)
        self.assertEqual(self.browser.run("document.querySelectorAll('.skip-map button[aria-pressed=true]').length"), 1)

    def test_links_lead_to_the_bytes(self):
        page, _, _ = self.cases["groups"]
        self.open(page)
        self.choose(1)
        self.browser.run("document.querySelector('.skip-pages button').click()")
        begin = self.document(page)["conditions"][1]["row_groups"][0]["ranges"][0]["tests"][0]["column"]["offset"]
        self.browser.run("document.querySelector('main > div > .card a[href^=\"#bytes/page/\"]').click()")
        self.assertTrue(self.browser.run(WAIT % "document.querySelector('main h2').textContent === 'All bytes'"))
        self.assertRegex(self.text(), rf"page[^:]*: byte {begin} of the file")
        self.open(page)
        self.browser.run("document.querySelector('main > div > .card a[href^=\"#bytes/bloom_filter/\"]').click()")
        self.assertTrue(self.browser.run(WAIT % "document.querySelector('main h2').textContent === 'All bytes'"))
        self.assertRegex(self.text(), r"bloom filter of id: byte \d+ of the file")
        self.assert_quiet()

    # --- What the program chooses ---

    def test_without_a_condition_the_program_chooses_some_that_skip_and_says_so(self):
        for name, (_, file, _) in self.cases.items():
            with self.subTest(name):
                page = os.path.join(self.folder, name + ".chosen.html")
                run("explain", "-o", page, file)
                skips = self.document(page)
                self.assertTrue(skips["is_chosen"])
                self.assertLessEqual(len(skips["conditions"]), 2)
                self.open(page)
                for shown in skips["conditions"]:
                    self.assertGreater(shown["report"]["rows_ruled_out"], 0, shown["text"])
                    self.assertEqual(shown["report"]["bytes_read"], int(explained(file, shown["text"])["bytes_read"]))
                    if shown["chosen_by"] == "bloom":
                        self.assertGreater(shown["report"]["by_bloom"], 0)
                self.assertIn("The program chose it" if skips["conditions"] else "No condition skips anything", self.text())
        chosen = [c["chosen_by"] for c in self.document(os.path.join(self.folder, "groups.chosen.html"))["conditions"]]
        self.assertEqual(chosen, ["page", "bloom"])

    def test_a_file_without_statistics_or_rows_says_that_nothing_is_skipped(self):
        for name, options, text in (("bare", ["--no-statistics", "--no-page-index"], '{"a":1}\n{"a":2}\n'), ("none", ["--schema", "message m { optional int32 a; }"], "")):
            with self.subTest(name):
                file, page = os.path.join(self.folder, name + ".parquet"), os.path.join(self.folder, name + ".page.html")
                with open(os.path.join(self.folder, name + ".ndjson"), "w", encoding="utf-8") as out:
                    out.write(text)
                run("import", *options, "-o", file, os.path.join(self.folder, name + ".ndjson"))
                run("explain", "-o", page, file)
                self.assertEqual(self.document(page)["conditions"], [])
                self.open(page)
                self.assertIn("No condition skips anything", self.text())
                run("explain", "-o", page, "--where", "a = 1", file)
                self.open(page)
                self.assertIn("a = 1", self.text())
                self.assert_quiet()

    # --- Live ---

    def test_the_view_follows_what_one_types(self):
        self.open(self.cases["groups"][0])
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        self.browser.run("location.hash = '#live'")
        self.assertTrue(self.browser.run(WAIT % "[...document.querySelectorAll('main button')].some((b) => b.textContent === 'Rows to skip')"))
        self.browser.run("[...document.querySelectorAll('main button')].find((b) => b.textContent === 'Rows to skip').click()")
        self.assertTrue(self.browser.run(WAIT % "liveModel && liveModel.source.rows === 24"))
        self.browser.run("location.hash = '#skips'")
        self.assertTrue(self.browser.run(WAIT % "document.getElementById('skip-where')"))
        field = "{ const f = document.getElementById('skip-where'); f.focus(); f.value = %s; f.dispatchEvent(new Event('input')); }"
        for typed, expected in (("id = 127", "by Bloom filters"), ("id = 126", "1 fits"), ("id = 1", "6 of 6 skipped (6 by statistics)"), ("id =", "character 5"), ("room = 'hall' and celsius > 20", "3 fit")):
            with self.subTest(typed):
                self.browser.run(field % json.dumps(typed))
                self.assertTrue(self.browser.run(WAIT % f"document.querySelector('main').textContent.includes({json.dumps(expected)})"), self.text())
                self.assertEqual(self.browser.run("document.activeElement.id"), "skip-where")
        # The same records, written by the program, skip the same.
        records = self.browser.run("liveState.records")
        with open(os.path.join(self.folder, "live.ndjson"), "w", encoding="utf-8") as out:
            out.write(records + "\n")
        live = self.browser.run("JSON.stringify(liveModel.data.skips.conditions[0].report)")
        file = os.path.join(self.folder, "live.parquet")
        run("import", "--row-group-rows", "4", "--bloom", "id", "--bloom", "room", "--bloom", "celsius", "-o", file, os.path.join(self.folder, "live.ndjson"))
        told = explained(file, "room = 'hall' and celsius > 20")
        self.assertEqual(json.loads(live)["by_statistics"], int(told["by_statistics"]))
        self.assertEqual(json.loads(live)["rows_wanted"], int(told["rows_wanted"]))
        self.assert_quiet()


if __name__ == "__main__":
    page_case.main()
