# SPDX-License-Identifier: Apache-2.0
"""Pages of `lamella explain` in a headless Chromium: every view is opened, stepped and pointed at, and
what it shows is compared with what the other commands print of the same file. What takes long is tried on some of the
pages and views, unless a run is to take all (support/sample.py).

usage: explain_page.py PROGRAM; LAMELLA_SCREENSHOTS names a folder that gets pictures of all views.
Status 77 where there is no browser.
"""
import gzip
import json
import os
import struct
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page_access  # noqa: E402
import page_case  # noqa: E402
import page_inputs  # noqa: E402
import page_shown  # noqa: E402
from page_case import PROGRAM, SCREENSHOTS, lines, run, sample, value_text  # noqa: E402

VIEWS = ["start", "schema", "records", "nulls", "shred", "assembly", "page", "bytes", "footer", "skips", "size", "variant", "exercises", "live", "words"]
BUILT = os.environ.get("LAMELLA_BUILT", "brotli lz4").split()


def strip_hex(node):
    """A range without its bytes, which only pages have."""
    return {key: [strip_hex(child) for child in value] if isinstance(value, list) else value
            for key, value in node.items() if key != "hex"}


# Opens what folds, steps to the end and back, points at everything, presses buttons, makes choices.
USE = """{
    for (const details of document.querySelectorAll("main details")) details.open = true;
    const view = views.find((v) => v.id === location.hash.slice(1)), most = MOST;
    const last = Number(document.querySelector("main input[type=range]")?.max || 0);
    if (view.go) {
        for (let i = 0; i <= Math.min(last, most); i++) view.go(i);
        view.go(last);
        for (let i = Math.min(last, most); i >= 0; i -= 7) view.go(i);
    }
    for (const node of [...document.querySelectorAll("main button, main td, main .line, main summary, main svg g, main a")].slice(0, 150))
        for (const kind of ["pointerover", "mouseover", "mouseenter", "mousemove", "focusin", "mouseout", "mouseleave"])
            node.dispatchEvent(new MouseEvent(kind, {bubbles: true}));
    for (const button of [...document.querySelectorAll("main button")].slice(0, 60)) if (button.isConnected) button.click();
    for (const select of document.querySelectorAll("main select")) for (let i = 0; i < Math.min(select.options.length, 12); i++)
        if (select.isConnected) { select.selectedIndex = i; select.dispatchEvent(new Event("change")); }
}"""


class PageTest(page_shown.ShownTests, page_access.AccessTests, page_case.BrowserCase):
    views = VIEWS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages, cls.inputs = {}, {}
        codecs = [(codec, version) for codec, version in page_inputs.CODECS if codec not in ("brotli", "lz4_raw") or codec.split("_")[0] in BUILT]
        for given in page_inputs.make(run, cls.folder, codecs):
            page = os.path.join(cls.folder, given.name + ".page.html")
            run("explain", "-o", page, *given.options, given.operand)
            cls.pages[given.name], cls.inputs[given.name] = (page, given.operand), given

    def open(self, name, **options):
        self.browser.open(self.pages[name][0], **options)

    def show(self, view):
        self.browser.run(f"""new Promise((done) => {{
            if (location.hash === "#{view}") {{ showView(); done(); return; }}
            addEventListener("hashchange", () => setTimeout(done), {{once: true}});
            location.hash = "#{view}"; }})""")

    def document(self, name):
        page, file = self.pages[name]
        return page_case.data_of(page, parse_float=str, parse_int=str), file

    # --- Every view of every file ---

    def test_every_view_of_every_file_opens_steps_and_points_without_complaint_or_request(self):
        pictured = ["paper", "encoded-v2"]
        for name in [*pictured, *sample.take([name for name in self.inputs if name not in pictured], 5, "views")]:
            given = self.inputs[name]
            with self.subTest(name):
                self.open(name)
                for view in VIEWS:
                    if view == "live" and name != "paper":
                        continue
                    self.show(view)
                    self.assertTrue(self.browser.run("document.querySelector('main h2').textContent"), view)
                    if not given.slight:
                        self.browser.run(USE.replace("MOST", "400" if name == "paper" else "25"))
                    if view == "live":
                        self.browser.run("new Promise((done) => setTimeout(done, 1500))")
                        self.browser.run("backToFile()")
                    if name in pictured:
                        self.show(view)
                        self.picture(f"{name}-{view}.png")
                self.assertIsNone(self.browser.run("window.broken"))
                self.assert_quiet()

    def test_what_cannot_be_explained_is_refused_with_words_and_leaves_no_page(self):
        cases = [(page_inputs.apache(name), [], word) for name, word in page_inputs.REFUSED if page_inputs.apache(name)]
        text = {
            "surrogate.ndjson": ('{"a\\ud800b":"x"}\n', [], "line 1, column 4: a string has an escape that is not valid"),
            "nul.ndjson": ('{"a\\u0000b":1}\n', [], "U+0000"),
            "other.ndjson": ('{"a":"x"}\n', ["--schema", "message m { required int32 a; }"], "line 1"),
            "nothing.parquet": ("", [], "not a Parquet file"),
            "words.txt": ("This is no file of records.\n", [], "not a Parquet file"),
            "text.parquet": ("PAR1" + "x" * 400 + "PAR1", [], "footer"),
        }
        for name, (content, options, word) in text.items():
            cases.append((page_inputs.write(os.path.join(self.folder, name), content), options, word))
        page = os.path.join(self.folder, "refused.html")
        for path, options, word in cases:
            with self.subTest(path):
                done = subprocess.run([PROGRAM, "explain", "-o", page, *options, path], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(word, done.stderr)
                self.assertFalse(os.path.exists(page))

    def test_columns_that_are_encrypted_are_named_on_the_page_and_the_others_shown(self):
        name = "encrypt_columns_plaintext_footer"
        if name not in self.pages:
            self.skipTest("Apache's files are not there")
        self.open(name)
        notes = self.browser.run("document.getElementById('notes').textContent")
        for column in ("float_field", "double_field"):
            self.assertIn(column + ": the column chunk is encrypted", notes)
        page = os.path.join(self.folder, "readable.page.html")
        run("explain", "-o", page, "--columns", "boolean_field,int32_field", self.inputs[name].operand)
        self.browser.open(page)
        self.show("records")
        tables = {t["caption"]: [row[2] for row in t["rows"]] for t in self.rows("main .flow table")}
        leaves = lines(run("levels", "--json", "--limit", "12", "--columns", "boolean_field,int32_field", self.inputs[name].operand))
        self.assertEqual(tables, {leaf["path"]: [value_text(v) for v in leaf["values"]] for leaf in leaves})
        self.assertGreater(len(tables["int32_field"]), 5)

    def test_a_record_larger_than_a_page_is_shown_in_part_and_the_page_says_so(self):
        self.assertLess(os.path.getsize(self.pages["huge"][0]), 5 << 20)
        data, file = self.document("huge")
        for leaf, whole in zip(data["levels"], lines(run("levels", "--json", "--limit", "1", file)), strict=True):
            count = len(leaf["r"])
            self.assertEqual((leaf["r"], leaf["d"]), (whole["r"][:count], whole["d"][:count]))
            self.assertEqual(count, 1 if leaf["path"] == "s" else 1333)
            for value, wanted in zip(leaf["values"], whole["values"]):
                self.assertTrue(value == wanted or value[-1] == "\u2026" and wanted.startswith(value[:-1]) and len(value) > 50, value)
        self.open("huge")
        notes = self.browser.run("document.getElementById('notes').textContent")
        for words in ("Long values are cut", "too large to be shown as JSON", "only the first are shown", "its steps end early"):
            self.assertIn(words, notes)
        for machine in ("shred", "assembly"):
            self.show(machine)
            self.assertGreater(self.browser.run("Number(document.querySelector('input[type=range]').max)"), 1900)
            self.browser.run("views.find((v) => v.id === location.hash.slice(1)).go(1999)")
        self.assert_quiet()

    # --- The same as the commands ---

    def test_the_data_of_a_page_are_what_the_commands_print(self):
        for name, given in self.inputs.items():
            if not given.is_parquet or name.startswith(("encrypt", "nation")) or name in ("long", "huge"):
                continue
            with self.subTest(name):
                data, file = self.document(name)
                if data["source"]["columns_left_out"] != "0":
                    continue
                count = data["source"]["count"]
                self.assertEqual(data["schema"], lines(run("schema", "--json", file))[0])
                meta = lines(run("meta", "--json", file))[0]
                self.assertEqual({**data["meta"], "file": ""}, {**meta, "file": ""})
                self.assertEqual(data["records"], lines(run("cat", "--limit", count, file)) if count != "0" else [])
                self.assertEqual(data["automaton"], lines(run("automaton", "--json", file))[0])
                if count != "0":
                    self.assertEqual(data["pages"], lines(run("pages", "--json", file)))
                    self.assertEqual(data["levels"], lines(run("levels", "--json", "--explain", "--limit", count, file)))
                    self.assertEqual(data["shredding"], lines(run("trace", "--shred", "--json", "--limit", count, file)))
                    self.assertEqual(data["assembly"], lines(run("trace", "--assemble", "--json", "--limit", count, file)))
                whole = strip_hex(lines(run("bytes", "--all", "--json", file))[0])
                self.compare_ranges(data["bytes"]["ranges"], whole["ranges"], data["notes"])

    def compare_ranges(self, shown, whole, notes):
        """Ranges of a page are among those of the file, in order; all of them unless a note says so."""
        rest = iter(whole)
        for node in shown:
            lists = ("children", "uncompressed")
            mine = {k: v for k, v in node.items() if k not in (*lists, "hex")}
            other = next((o for o in rest if {k: v for k, v in o.items() if k not in lists} == mine), None)
            self.assertIsNotNone(other, mine)
            for key in lists:
                if key in node:
                    self.compare_ranges(node[key], other[key], notes)
        if not notes:
            self.assertEqual(len(shown), len(whole))

    def test_the_columns_on_the_page_are_those_of_levels(self):
        for name in ("paper", "robots", "encoded-v1", "encoded-v2", "variant", "hostile", "deep", "null", "snappy-v2", "gzip-v1"):
            with self.subTest(name):
                self.open(name)
                self.show("records")
                tables = self.browser.run("""[...document.querySelectorAll("main .flow table")].map((t) => ({path: t.caption.textContent,
                    rows: [...t.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))}))""")
                _, file = self.pages[name]
                count = self.document(name)[0]["source"]["count"]
                for shown, leaf in zip(tables, lines(run("levels", "--json", "--limit", count, file)), strict=True):
                    if leaf["path"].isprintable():
                        self.assertEqual(shown["path"], leaf["path"])
                    self.assertEqual([[r, d] for r, d, _ in shown["rows"]], [list(pair) for pair in zip(leaf["r"], leaf["d"])])
                    values = [row[2] for row in shown["rows"] if row[2] != "NULL"]
                    expected = [v if isinstance(v, str) and not self.is_text(leaf, v) else v for v in leaf["values"]]
                    self.assertEqual(len(values), len(expected))
                    for value, wanted in zip(values, expected):
                        if not isinstance(wanted, str) or len(value) > 110 or not value.isascii():
                            continue
                        self.assertIn(value, (wanted, json.dumps(wanted, ensure_ascii=False)))

    @staticmethod
    def is_text(_leaf, value):
        return not value.lstrip("-").replace(".", "").isdigit()

    def test_each_triple_leads_to_its_bytes_and_they_lead_back(self):
        for name in self.pages:
            if name in ("empty", "no-records", "wide", "huge") or name.startswith(("encrypt", "nation")):
                continue
            with self.subTest(name):
                self.open(name)
                missing = self.browser.run("""model.leaves.flatMap((leaf) => leaf.triples.flatMap((t) => {
                    const places = bytesOf(t), wanted = (t.leaf.maxR > 0) + (t.leaf.maxD > 0) + !t.isNull * (streamsOf(t.pageRange).length || 1) + (entryOf(t) !== undefined);
                    const back = places.every(({range}) => triplesOf(model, range).includes(t));
                    return places.length === wanted && back ? [] : [leaf.path + " " + t.index + ": " + places.map((p) => p.what).join(", ") + (back ? "" : " (not back)")]; }))""")
                self.assertEqual(missing, [])

    def test_triples_far_behind_in_wide_files_lead_to_their_bytes_entries_and_streams_too(self):
        file, page = (os.path.join(self.folder, "far" + suffix) for suffix in (".parquet", ".html"))
        names = [f"c{i}" for i in range(14)]
        records = "".join(json.dumps({name: f"{name}-{n * (i + 3) % 5003}" for i, name in enumerate(names)} | {"f": n / 8, "g": [n, n * n % 9973]}) + "\n"
                          for n in range(12000))
        run("import", "--encoding", "f=byte_stream_split", "--encoding", "g=byte_stream_split", "--compat", "newest", "-o", file,
            page_inputs.write(os.path.join(self.folder, "far.ndjson"), records))
        run("explain", "-o", page, "--record", "9000", "--limit", "5", file)
        self.browser.open(page)
        found = self.browser.run("""model.leaves.map((leaf) => [leaf.path, leaf.triples.map((t) => {
            const values = bytesOf(t).filter((p) => !/level/.test(p.what));
            const hex = values.every((p) => p.range.hex || p.range.inside.some((r) => r.hex));
            const back = values.every((p) => triplesOf(model, p.range).includes(t));
            const text = values.map((p) => p.range.hex || "").join("");
            return [hex && back, values.map((p) => p.what.replace(/ for .*| of value.*/, "")).join(";"), show(t.value), text, entryOf(t)]; })])""")
        for path, triples in found:
            with self.subTest(path):
                for good, what, value, text, entry in triples:
                    self.assertTrue(good, what)
                    if path == "f":
                        self.assertEqual(struct.unpack("<d", bytes.fromhex(text))[0], float(value))
                    elif path[0] == "g":
                        self.assertEqual(struct.unpack("<q", bytes.fromhex(text))[0], int(value))
                    else:
                        self.assertEqual(what, f"index into the dictionary,;entry {entry} of the dictionary")
                self.assertEqual(len(triples), 10 if path[0] == "g" else 5)
        # In the view of the page: the bytes of a value stand one below the other, and its triple is shown.
        index = self.browser.run("model.pages.findIndex((p) => p.leaf && p.leaf.path === 'f' && p.inside.length)")
        self.browser.run(f"new Promise((done) => {{ addEventListener('hashchange', () => setTimeout(done), {{once: true}}); location.hash = '#page/{index}'; }})")
        self.assertEqual(self.browser.run("[...document.querySelectorAll('.streams tbody tr')].map((tr) => tr.cells[3].textContent)"),
                         [f"{byte:02x}" for byte in struct.pack("<d", 9001 / 8)])
        self.browser.run("document.querySelectorAll('.streams tbody tr')[2].cells[3].querySelector('button').click()")
        self.assertEqual(self.browser.run("document.querySelectorAll('.streams td.on').length"), 8)
        self.assertIn("record 9001:", self.browser.run("document.querySelector('main [aria-live]').textContent"))
        # And the numbers of packed runs, bit by bit.
        index = self.browser.run("model.pages.findIndex((p) => p.leaf && p.leaf.path === 'c3' && p.inside.length && !p.isDictionary)")
        self.browser.run(f"new Promise((done) => {{ addEventListener('hashchange', () => setTimeout(done), {{once: true}}); location.hash = '#page/{index}'; }})")
        self.browser.run("{ const all = [...document.querySelectorAll('main .runs details')]; all[all.length - 1].open = true; } new Promise((done) => setTimeout(done, 100))")
        rows = self.browser.run("[...[...document.querySelectorAll('main .runs details')].pop().querySelectorAll('tbody tr')].map((tr) => [...tr.cells].map((c) => c.textContent))")
        self.assertTrue(rows)
        for _, _, bits, number in rows:
            self.assertEqual(int(bits[::-1], 2), int(number))
        if SCREENSHOTS:
            self.browser.screenshot(os.path.join(SCREENSHOTS, "far-page.png"))
        self.assert_quiet()

    def point_at(self, script):
        """Moves the pointer over the node that a script gives."""
        x, y = self.browser.run(f"{{ const node = {script}; node.scrollIntoView({{block: 'center'}}); const b = node.getBoundingClientRect(); [b.x + b.width / 2, b.y + b.height / 2] }}")
        self.browser.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 1, "y": 1})
        self.browser.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
        return self.browser.run("new Promise((done) => setTimeout(() => done([[...document.querySelectorAll('main .pointed')].map((n) => n.textContent), document.querySelector('.pointed-line').textContent]), 50))")

    def test_pointing_marks_what_belongs_together_and_leaves_the_choice_alone(self):
        self.open("paper")
        self.show("records")
        chosen = "[...document.querySelectorAll('main .on')].map((n) => n.textContent).join()"
        before = self.browser.run(chosen)
        marked, line = self.point_at("[...document.querySelectorAll('.tree button')].find((b) => b.textContent === 'Country: \"gb\"')")
        self.assertEqual(marked, ['Country: "gb"', '13"gb"'])
        self.assertRegex(line, r'^Name.Language.Country, record 0, triple 3: \(1, 3, "gb"\), page 0; repetition level 1: byte \+?\d+ bits \d+.\d+, definition level 3: byte .*value: byte')
        marked, _ = self.point_at("[...document.querySelectorAll('.flow tbody tr')].find((r) => r.textContent === '22NULL')")
        self.assertEqual(marked, ["Country: \u2014", "22NULL"])
        self.assertEqual(self.browser.run(chosen), before)
        # By keyboard the same marks, and the focus goes on as before.
        self.browser.run("document.querySelector('.tree button').focus()")
        self.browser.press("ArrowDown")
        self.assertEqual(self.browser.run("[...document.querySelectorAll('.pointed')].map((n) => n.textContent)"), ["Forward: 20", "0220"])
        self.assertEqual(self.browser.run(chosen), before)
        # Inside a page: a definition level, its bits, and the value of the same triple.
        index = self.browser.run("model.pages.findIndex((p) => p.leaf && p.leaf.path === 'Name.Url' && p.inside.length && !p.isDictionary)")
        self.browser.run(f"new Promise((done) => {{ addEventListener('hashchange', () => setTimeout(done), {{once: true}}); location.hash = '#page/{index}'; }})")
        marked, line = self.point_at("[...document.querySelectorAll('main .line')].find((l) => /^value .*http:..B/.test(l.textContent) || /http:..B/.test(l.textContent))")
        self.assertIn('"http://B"', line)
        self.assertTrue(any("http://B" in text for text in marked), marked)
        self.assertTrue(any("packed" in text or "run" in text for text in marked), marked)
        self.assert_quiet()

    def test_bytes_lead_to_triples_and_triples_to_bytes_in_the_view_of_all_bytes(self):
        for name in ("paper", "encoded-v1", "encoded-v2"):
            with self.subTest(name):
                self.open(name)
                places = self.browser.run("model.leaves.flatMap((leaf) => leaf.triples.slice(0, 9).flatMap((t) => bytesOf(t).map(({range}) => [leaf.index, t.index, bytesLink(model, range), range.begin])))")
                self.assertTrue(places)
                for leaf, triple, link, begin in places[:: max(1, len(places) // 25)]:
                    self.browser.run(f"new Promise((done) => {{ if (location.hash === '{link}') {{ done(); return; }} addEventListener('hashchange', () => setTimeout(done), {{once: true}}); location.hash = '{link}'; }})")
                    if name.startswith("encoded"):
                        self.browser.run(f"document.querySelectorAll('main .hex button').length && [...document.querySelectorAll('main .hex button')].find((b, i) => model.leaves[{leaf}].triples[{triple}].pageValue === i)?.click()")
                    hrefs = self.browser.run("[...document.querySelectorAll('main a')].map((a) => a.getAttribute('href'))")
                    self.assertIn(f"#records/{leaf}/{triple}", hrefs, link)
                self.assert_quiet()

    # --- Sizes ---

    def test_findings_on_the_page_are_those_of_summary_and_lead_to_all_that_was_tried(self):
        file = os.path.join(self.folder, "sizes.parquet")
        records = "".join(json.dumps({"<b>n</b>": 10**12 + 9 * n, "text": f"line {n} of a text, {n * n % 997}"}) + "\n" for n in range(9000))
        run("import", "--codec", "uncompressed", "--no-dictionary", "--compat", "max", "-o", file, page_inputs.write(os.path.join(self.folder, "sizes.ndjson"), records))
        page = os.path.join(self.folder, "sizes.html")
        run("explain", "-o", page, file)
        sizes = json.loads(run("summary", "--findings", "--json", file))["sizes"]
        self.assertEqual({finding["path"] for finding in sizes["findings"]}, {'"<b>n</b>"', "text"})
        self.browser.open(page)
        self.show("size")
        self.assertEqual(self.browser.run("[...document.querySelectorAll('.findings > li')].map((li) => li.firstChild.textContent)"), [f["text"] for f in sizes["findings"]])
        self.assertEqual(self.browser.run("[...document.querySelectorAll('.findings details')].map((d) => d.querySelectorAll('tbody tr').length)"),
                         [len(f["ways"]) for f in sizes["findings"]])
        # A name that a shell would read otherwise has no command.
        self.assertEqual(self.browser.run("document.querySelectorAll('.findings > li > div code').length"), 1)
        if SCREENSHOTS:
            self.browser.screenshot(os.path.join(SCREENSHOTS, "sizes-size.png"))
        self.assert_quiet()

    # --- Text stays text ---

    def test_a_hostile_file_stays_text_and_its_page_allows_only_its_own_script(self):
        page, _ = self.pages["hostile"]
        with open(page, encoding="utf-8") as source:
            text = source.read()
        data = text.split('id="data">', 1)[1].split("</script>", 1)[0]
        for character in "<>&\u2028\u2029":
            self.assertNotIn(character, data)
        policy = text.split('Content-Security-Policy" content="', 1)[1].split('"', 1)[0]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe-inline", policy)
        self.assertNotIn("unsafe-eval'", policy.replace("wasm-unsafe-eval'", ""))
        self.open("hostile")
        for view in VIEWS:
            self.show(view)
            self.assertEqual(self.browser.run("document.querySelectorAll('main img, main script, main iframe').length"), 0)
        self.assertIsNone(self.browser.run("window.broken"))
        refused = self.browser.run("""new Promise((done) => { document.addEventListener("securitypolicyviolation", (e) => done(e.violatedDirective));
            const script = document.createElement("script"); script.textContent = "window.broken = 2"; document.body.append(script); setTimeout(() => done("nothing"), 2000); })""")
        self.assertTrue(refused.startswith("script-src"), refused)
        self.assertIsNone(self.browser.run("window.broken"))

    def test_frames_are_one_picture_for_each_step_and_well_formed_whatever_the_names_are(self):
        for name in sample.take(["paper", "robots", "hostile", "empty"], 2, "frames"):
            with self.subTest(name):
                folder = os.path.join(self.folder, "frames-" + name)
                run("explain", "-o", os.path.join(self.folder, "frames.html"), "--frames", folder, self.pages[name][1])
                data, _ = self.document(name)
                files = sorted(os.listdir(folder))
                for machine in ("shredding", "assembly"):
                    steps = sum(len(trace["steps"]) for trace in data[machine])
                    self.assertEqual(len([file for file in files if file.startswith(machine)]), min(steps, 2000))
                for file in files:
                    tree = xml.etree.ElementTree.parse(os.path.join(folder, file))
                    self.assertEqual({node.tag.rsplit("}", 1)[1] for node in tree.iter()} - {"svg", "rect", "text"}, set())

    def test_frames_of_assembly_show_what_trace_prints(self):
        folder = os.path.join(self.folder, "frames-of-paper")
        run("explain", "-o", os.path.join(self.folder, "frames.html"), "--frames", folder, self.pages["paper"][1])
        data, file = self.document("paper")
        steps = [step for trace in data["assembly"] for step in trace["steps"]]
        shown = []
        for number, step in enumerate(steps, 1):
            tree = xml.etree.ElementTree.parse(os.path.join(folder, f"assembly-{number:03}.svg"))
            shown.append([node.text or "" for node in tree.iter() if node.tag.endswith("text")])
            title, words = shown[-1][:2]
            self.assertTrue(title.startswith(f"state {int(step['state']) + 1}, {step['path']}, reads r = {step['r']}, d = {step['d']}, "), title)
            self.assertTrue(words.endswith(": " + step["words"]), words)
            marked = [text for text in shown[-1] if text[:1] in "\u25b6\u25b7" and text]
            self.assertEqual(len(marked), 1 + (int(step["next"]) < 6 and step["next"] != step["state"]), marked)
        record = shown[-1][shown[-1].index("record 1 so far") + 1 :]
        self.assertEqual(record, ["DocId: 20", "Links", "  Backward: 10", "  Backward: 30", "  Forward: 80", "Name", '  Url: "http://C"'])

    # --- Records in JSON ---

    def test_records_are_read_as_import_reads_them_packed_and_from_pipes_too(self):
        records = '{"a":1,"t":"2024-10-24T12:34:56Z"}\n{"a":"x","m":{"k":[1]}}\n'
        path = page_inputs.write(os.path.join(self.folder, "clash.ndjson"), records)
        run("import", "-o", path + ".parquet", path)
        with gzip.open(path + ".gz", "wt") as packed:
            packed.write(records)
        schema = run("schema", path + ".parquet").strip()
        for name, text in ((path, None), (path + ".gz", None), ("-", records), (path + ".parquet", None)):
            with self.subTest(name):
                data = json.loads(run("explain", "--json", "-o", "-", name, text=text))
                self.assertEqual(data["schema_text"].strip(), schema)
                self.assertEqual([record["a"] for record in data["records"]], [1, "x"])
                self.assertEqual(data["notes"], [])
        page_inputs.write(path, '{"a":"%s"}\n' % ("x" * 1000) * 9000)
        data = json.loads(run("explain", "--json", "-o", "-", path))
        self.assertLess(data["source"]["rows"], 9000)
        self.assertIn("beginning of the text", " ".join(data["notes"]))

    # --- By keyboard ---

    def test_the_keyboard_reaches_views_steps_and_triples(self):
        self.open("paper")
        for _ in range(4):
            self.browser.press("Tab")
        self.assertEqual(self.browser.run("document.activeElement.textContent"), "Records and columns")
        self.browser.press("Enter")
        self.browser.run("new Promise((done) => setTimeout(done, 100))")
        self.assertEqual(self.browser.run("location.hash"), "#records")
        seen = []
        for _ in range(6):
            self.browser.press("Tab")
            seen.append(self.browser.run("document.activeElement.tagName + ' ' + (document.activeElement.textContent || '').slice(0, 20)"))
        self.assertIn("BUTTON DocId: 10", seen)
        self.browser.run("document.querySelector('.tree button').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run("document.querySelector('.tree button.on').textContent"), "Forward: 20")
        self.assertIn("Links.Forward", self.browser.run("document.querySelector('main > .card h3').textContent"))
        self.show("shred")
        self.browser.run("document.querySelector('input[type=range]').focus()")
        self.browser.press("ArrowRight")
        self.assertIn("DocId", self.browser.run("document.querySelector('.words').textContent"))

    # --- Live ---

    def live(self, **state):
        return self.browser.run("""Live.explain({...paper, ...%s}).then((d) => JSON.stringify({error: d.error, where: d.where, line: d.line, leaves: d.levels && d.levels.map((l) => [l.path, l.r, l.d]),
            records: d.records, states: d.automaton && d.automaton.leaves, text: d.schema_text}))""" % json.dumps(state))

    def test_the_live_view_runs_the_library_and_says_what_is_wrong_where(self):
        self.open("paper")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        answer = json.loads(self.live())
        data, _ = self.document("paper")
        self.assertEqual([[p, [str(x) for x in r], [str(x) for x in d]] for p, r, d in answer["leaves"]], [[l["path"], l["r"], l["d"]] for l in data["levels"]])
        self.assertEqual(json.loads(self.live(columns="DocId,Name.Language.Country"))["states"], ["DocId", "Name.Language.Country"])
        wrong = json.loads(self.live(records='{"DocId": 1}\n{"DocId": "x"}\n'))
        self.assertEqual((wrong["where"], wrong["line"]), ("records", 2))
        self.assertIn("DocId", wrong["error"])
        wrong = json.loads(self.live(schema="message m { required int65 a; }"))
        self.assertEqual(wrong["where"], "schema")
        self.assertIn("1", wrong["error"])
        self.assertEqual(json.loads(self.live(columns="Nam"))["where"], "columns")
        inferred = json.loads(self.live(schema="", records='{"a":[1,null],"b":0.1}\n'))
        self.assertIn("LIST", inferred["text"])
        for encoding in ("PLAIN", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "ALP"):
            for version in (1, 2):
                self.assertIsNone(json.loads(self.live(encoding=encoding, version=version, pageRows=1)).get("error"))
        self.assert_quiet()

    def test_the_live_view_changes_all_views_as_one_types_and_goes_back_to_the_file(self):
        self.open("robots")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        self.show("live")
        wait = "new Promise((done) => { const look = () => (%s) ? done(true) : setTimeout(look, 50); look(); setTimeout(() => done(false), 8000); })"
        self.assertTrue(self.browser.run(wait % "document.querySelectorAll('main .flow table').length === 6"))
        self.assertIsNone(self.browser.run("liveModel"), "looking at the view changes no other")
        self.browser.run("{ const t = document.getElementById('live-records'); t.value += '{\"DocId\": 30}\\n'; t.dispatchEvent(new Event('input')); }")
        self.assertTrue(self.browser.run(wait % "liveModel && liveModel.records.length === 3"))
        self.show("records")
        self.assertIn("DocId", self.browser.run("document.querySelector('main').textContent"))
        self.show("live")
        self.assertIn("robots.parquet", self.browser.run("document.getElementById('live').textContent"))
        self.browser.run("[...document.querySelectorAll('#live button')].find((b) => b.textContent === 'Back to the file').click()")
        self.show("records")
        self.assertIn("robot", self.browser.run("document.querySelector('main').textContent"))
        self.assert_quiet()

    def test_the_live_view_says_what_changed_and_leads_there(self):
        self.open("robots")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        self.show("live")
        wait = "new Promise((done) => { const look = () => (%s) ? done(true) : setTimeout(look, 50); look(); setTimeout(() => done(false), 8000); })"
        said = "document.querySelector('.changes').textContent"
        self.assertEqual(self.browser.run(said), "")  # the views still show the file
        add = "{ const t = document.getElementById('live-records'); t.value += '{\"DocId\": 30}\\n'; t.dispatchEvent(new Event('input')); }"
        self.browser.run(add)
        self.assertTrue(self.browser.run(wait % f"{said}.startsWith('To see: Schema (6 columns)')"))
        self.browser.run(add)
        self.assertTrue(self.browser.run(wait % f"{said}.startsWith('Changed: Records and columns (35 triples, 6 more), Shredding (')"))
        self.assertNotIn("Assembly", self.browser.run(said))  # its states are the same
        self.assertRegex(self.browser.run(said), r"All bytes \([\d\u202f]+ bytes, \d+ more\)")
        self.browser.run("{ const t = document.getElementById('live-records'); t.value += '{'; t.dispatchEvent(new Event('input')); }")
        self.assertTrue(self.browser.run(wait % f"{said} === 'The views show what was there before.'"))
        self.browser.run("{ const t = document.getElementById('live-records'); t.value = t.value.slice(0, -1); document.getElementById('live-columns').value = 'DocId'; t.dispatchEvent(new Event('input')); }")
        self.assertTrue(self.browser.run(wait % f"/Assembly .1 state, 5 fewer/.test({said})"))
        self.browser.run("[...document.querySelectorAll('.changes a')].find((a) => a.textContent === 'Shredding').click()")
        self.assertTrue(self.browser.run(wait % "document.querySelector('main h2').textContent === 'Shredding'"))
        self.assert_quiet()

    def test_the_live_view_names_a_line_once(self):
        self.open("robots")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        self.show("live")
        wait = "new Promise((done) => { const look = () => (%s) ? done(true) : setTimeout(look, 50); look(); setTimeout(() => done(false), 8000); })"
        said = "document.querySelector('main [role=status]').textContent"
        for box, text, wanted in (
            ("records", '{"DocId": 1}\n{"DocId": "x"}', "In the records: line 2: DocId"),
            ("schema", "message m {\n required int65 a; }", "In the schema: line 2"),
        ):
            self.browser.run(f"{{ const t = document.getElementById('live-{box}'); t.value = {json.dumps(text)}; t.dispatchEvent(new Event('input')); }}")
            self.assertTrue(self.browser.run(wait % f"{said}.startsWith({json.dumps(wanted)})"), self.browser.run(said))
            self.assertEqual(self.browser.run(said).count("line 2"), 1)

    def test_a_file_without_a_variant_offers_one_to_try(self):
        self.open("robots")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        self.show("variant")
        self.browser.run("document.querySelector('main button').click()")
        self.assertTrue(self.browser.run("new Promise((done) => { const look = () => document.querySelector('main').textContent.includes('Bergen') ? done(true) : setTimeout(look, 50); look(); setTimeout(() => done(false), 8000); })"))
        self.assertEqual(self.browser.run("document.querySelector('main h2').textContent"), "VARIANT")
        self.assert_quiet()

    def test_exercises_open_records_to_try_and_their_answers_are_what_the_library_says_of_these(self):
        self.open("robots")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        press = """new Promise((done) => { addEventListener("hashchange", () => setTimeout(done), {once: true});
            [...document.querySelectorAll("main button")].find((b) => b.textContent === "TEXT").click(); })"""
        answers = []
        for text, seen in (("Try these lists", ["0 1 1 0 0", "1 1 1 0 1", "03 06", "03 17"]), ("Try this schema", ["max r 2max d 2", "Name is there, Language is missing"])):
            self.show("exercises")
            answers.append(self.browser.run("document.querySelector('main').textContent"))
            self.browser.run(press.replace("TEXT", text))
            shown = self.browser.run("document.querySelector('main').textContent").replace("max r 2 max d 2", "max r 2max d 2")
            for words in seen:
                self.assertIn(words, shown)
        self.assertIn("r is 0 1 1 0 0, and d is 1 1 1 0 1", answers[0])
        self.assertIn("max r 2 and max d 2", answers[0])
        triples = json.loads(self.live(records='{"DocId": 1, "Name": [{}, {"Url": "u"}]}\n{"DocId": 2}\n', columns="Name.Url"))["leaves"]
        self.assertEqual(triples, [["Name.Url", [0, 1, 0], [1, 2, 0]]])
        self.assertIn('{"DocId": 1, "Name": [{}, {"Url": "u"}]}\n{"DocId": 2}', answers[0])
        self.browser.run("document.querySelector('#live button').click()")
        self.assertEqual(self.browser.run("document.getElementById('live').hidden"), True)
        self.open("paper")
        self.show("exercises")
        self.assertIn("01011000 00000000, cut into levels 00 10 01 01 00, which are 0 2 1 1 0", self.browser.run("document.querySelector('main').textContent"))
        self.assert_quiet()

    def test_records_and_columns_open_at_their_heading_and_details_can_be_hidden(self):
        for width, height, share in ((1280, 900, 0.34), (390, 844, 0.16)):
            for view in ("records", "records/3/2"):
                with self.subTest(view, width=width):
                    self.open("paper", width=width, height=height)
                    self.show(view)
                    self.assertEqual(self.browser.run("[scrollX, scrollY]"), [0, 0])
                    covered = "document.querySelector('.dock').getBoundingClientRect().height / innerHeight"
                    self.assertLess(self.browser.run(covered), share)
                    heading = "document.querySelector('main h2').getBoundingClientRect().bottom < document.querySelector('.dock').getBoundingClientRect().top"
                    self.assertTrue(self.browser.run(heading))
                    self.assertTrue(self.browser.run("document.querySelector('.dock .pointed-line').textContent.includes('triple')"))
                    for _ in range(2):
                        before = self.browser.run("document.querySelector('.dock h3').offsetParent !== null")
                        self.browser.run("document.querySelector('.dock-line button').click()")
                        self.assertEqual(self.browser.run("document.querySelector('.dock h3').offsetParent !== null"), not before)
                        self.assertEqual(self.browser.run("document.querySelector('.dock-line button').textContent"), "Show details" if before else "Hide details")
                    self.assert_quiet()

    def test_every_view_that_a_text_names_is_one(self):
        """And every link leads to one."""
        for name in ("paper", "document", "variant"):
            self.open(name)
            ids = self.browser.run("views.map((v) => v.id)")
            for view in VIEWS:
                self.show(view)
                links = self.browser.run("[...document.querySelectorAll('main a')].map((a) => [a.getAttribute('href'), a.textContent, a.parentNode.textContent])")
                for address, text, around in links:
                    if address.startswith("#"):
                        self.assertIn(address[1:].split("/")[0], ids)
                    self.assertTrue(text)
                    self.assertNotIn("the Live view", around)
                self.assertNotRegex(self.browser.run("document.querySelector('main').textContent"), r"\bview Live\b|\bLive view\b")

    def test_a_file_that_was_made_of_json_gets_no_advice_on_its_size(self):
        self.open("document")
        self.show("size")
        self.assertEqual(self.browser.run("document.querySelectorAll('.findings').length"), 0)
        self.assertIn("The records were written to a file in memory, uncompressed", self.browser.run("document.querySelector('main').textContent"))
        self.assertNotIn("sizes", page_case.data_of(self.pages["document"][0]))
        self.open("paper")
        self.show("size")
        self.assertNotIn("in memory", self.browser.run("document.querySelector('main').textContent"))

    def test_part_of_the_columns_is_assembled_on_the_page(self):
        self.open("paper")
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        self.show("assembly")
        self.browser.run("{ for (const box of document.querySelectorAll('fieldset input')) if (!['DocId', 'Name.Language.Country'].includes(box.value)) box.click(); }")
        self.browser.run("new Promise((done) => setTimeout(done, 1500))")
        self.assertEqual(self.browser.run("[...document.querySelectorAll('svg g text:first-of-type')].map((t) => t.textContent).filter((t) => /^[A-Z]/.test(t))"), ["DocId", "Name.Language.Country"])
        self.assert_quiet()

    def test_columns_of_any_name_and_pages_of_some_columns_can_be_chosen_to_assemble(self):
        names = ["a.b", 'say "hi"', " a  space ", "back`tick", "*", "!x", "bell\u0007", "tab\t", "<b>"]
        records = "".join(json.dumps({name: n for name in names} | {"g,.[]": {"x.y": [n, n], "\u00e4\u2028": 5, "must": "m"}, "r": n}) + "\n" for n in range(3))
        odd, page = (os.path.join(self.folder, "odd" + suffix) for suffix in (".parquet", ".html"))
        run("import", "-o", odd, page_inputs.write(os.path.join(self.folder, "odd.ndjson"), records))
        cases = [([], 13), (["--columns", '"a.b","g,.[]"."x.y","bell\u0007",r'], 4)]
        for options, count in cases:
            with self.subTest(options):
                run("explain", "-o", page, *options, odd)
                self.browser.open(page)
                if not self.browser.run("Live.isThere()"):
                    self.skipTest("this build has no live view: no compiler for WebAssembly")
                self.show("assembly")
                self.assertEqual(self.browser.run("document.querySelectorAll('fieldset input').length"), count)
                # Each column alone, and all but one.
                for i in range(count):
                    for alone in (True, False):
                        self.browser.run(f"{{ document.querySelectorAll('fieldset input').forEach((box, i) => {{ box.checked = (i === {i}) === {str(alone).lower()}; }}); document.querySelector('fieldset input').dispatchEvent(new Event('change')); }}")
                        want = f"Assembled from {1 if alone else count - 1} column"
                        said = self.browser.run("new Promise((done) => { let n = 0; const look = () => { const said = document.querySelector('fieldset [role=status]').textContent; said.startsWith('%s') || n++ > 60 ? done(said) : setTimeout(look, 20); }; setTimeout(look, 20); })" % want)
                        self.assertTrue(said.startswith(want), (i, alone, said))
                self.assert_quiet()


if __name__ == "__main__":
    page_case.main()
