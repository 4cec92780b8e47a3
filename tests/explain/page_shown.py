# SPDX-License-Identifier: Apache-2.0
"""What a reader sees on a page, as text of its elements, beside what the commands print of the same file:
`schema`, `levels`, `trace`, `bytes`, `pages` and `meta`."""
from page_case import Number, lines, run, triple_text, value_text

ROWS = """[...document.querySelectorAll("SELECTOR")].map((t) => ({caption: t.caption?.textContent ?? "",
    rows: [...t.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))}))"""

STEPS = """{
    const view = views.find((v) => v.id === "VIEW"), most = Number(document.querySelector("main input[type=range]").max);
    const seen = [];
    for (let i = 0; i <= most; i++) {
        view.go(i);
        seen.push({words: document.querySelector("main .words").textContent, on: document.querySelector("main li.on .line")?.textContent ?? "",
            built: document.querySelector("main pre.tall")?.textContent ?? ""});
    }
    seen;
}"""


def digits(text):
    return text.replace("\u202f", "")


class ShownTests:
    """To be mixed into a test case with pages and a browser."""

    def rows(self, selector):
        return self.browser.run(ROWS.replace("SELECTOR", selector))

    def steps(self, view):
        self.show(view)
        return self.browser.run(STEPS.replace("VIEW", view))

    def commands(self, name):
        """What every command about records takes for a page: those that it shows, of this file."""
        given = self.inputs[name]
        count = self.document(name)[0]["source"]["count"]
        schema = given.options if not given.is_parquet else []
        return ["--json", "--limit", count, *schema, given.operand]

    # --- schema ---

    def test_the_tree_of_the_schema_and_the_meaning_of_its_levels_are_those_of_schema_and_levels(self):
        for name in ("paper", "robots", "variant", "encoded-v1"):
            with self.subTest(name):
                self.open(name)
                self.show("schema")
                shown = self.browser.run("[...document.querySelectorAll('main .tree .line')].map((l) => l.textContent.replace(/\\u25b8\\u00a0/, ''))")
                expected = []

                def walk(field):
                    words = [field.get("repetition"), "group" if "fields" in field else field["type"]]
                    expected.append((field["name"], [w for w in words if w], field["max_repetition"], field["max_definition"]))
                    for child in field.get("fields", []):
                        walk(child)
                walk(lines(run("schema", "--json", self.inputs[name].operand))[0])
                self.assertEqual(len(shown), len(expected))
                for text, (field, words, r, d) in zip(shown, expected):
                    self.assertTrue(text.startswith(field), text)
                    self.assertTrue(text.endswith(f"max r {r} max d {d}"), text)
                    for word in words:
                        self.assertIn(word, text)
                for index, leaf in enumerate(lines(run("levels", "--explain", *self.commands(name)))):
                    self.browser.run(f"location.hash = '#schema/{index}'; new Promise((done) => setTimeout(done))")
                    meanings = self.rows("main .card table")[1]["rows"]
                    self.assertEqual(meanings, [[f"r = {i}", w] for i, w in enumerate(leaf["r_words"])] +
                                     [[f"d = {i}", w] for i, w in enumerate(leaf["d_words"])])

    # --- levels ---

    def test_the_example_the_missing_and_the_exercises_have_the_triples_of_levels(self):
        for name in ("paper", "robots", "document", "list", "variant"):
            with self.subTest(name):
                self.open(name)
                levels = {leaf["path"]: leaf for leaf in lines(run("levels", "--explain", *self.commands(name)))}
                self.show("start")
                path = self.browser.run("model.example.path")
                leaf, example = levels[path], self.rows("main .card table")[0]["rows"]
                self.assertIn(path, self.browser.run("document.querySelector('main').textContent"))
                self.assertEqual([row[1:3] + row[4:] for row in example],
                                 [[r, d, leaf["r_words"][int(r)] + "; " + leaf["d_words"][int(d)]] for r, d in zip(leaf["r"], leaf["d"])][:8])
                values = iter(leaf["values"])
                for row in example:
                    if int(row[2]) == int(leaf["max_definition"]):
                        self.assertIn(value_text(next(values)), row[3])
                    else:
                        self.assertEqual(row[3], "NULL")
                self.show("nulls")
                self.assertEqual({t["caption"]: [row[2] for row in t["rows"]] for t in self.rows("main .flow table")},
                                 {p: [str(l["d"].count(str(d))) for d in range(int(l["max_definition"]) + 1)]
                                  for p, l in levels.items() if l["max_definition"] != "0"})
                self.show("exercises")
                number = int(self.browser.run("/record (\\d+)/.exec(document.querySelector('.exercise').textContent)[1]"))
                starts = [i for i, r in enumerate(leaf["r"]) if r == "0"] + [len(leaf["r"])]
                answer = self.rows(".exercise table")[0]["rows"]
                self.assertEqual([row[:2] for row in answer], [list(p) for p in zip(leaf["r"], leaf["d"])][starts[number]:starts[number + 1]])

    # --- trace ---

    def test_the_steps_of_shredding_are_those_of_trace(self):
        for name in ("paper", "robots", "document", "list"):
            with self.subTest(name):
                self.open(name)
                shown = self.steps("shred")
                expected = [step for t in lines(run("trace", "--shred", *self.commands(name))) for step in t["steps"]]
                self.assertEqual(len(shown), len(expected))
                for seen, step in zip(shown, expected):
                    self.assertIn(step["event"], seen["on"])
                    self.assertIn(step.get("field", ""), seen["on"])
                    if step["event"] in ("open", "put"):
                        self.assertTrue(seen["on"].endswith(f"r {step['r']}, d {step['d']}"), seen["on"])
                        self.assertIn(f"r = {step['r']}, d = {step['d']}: {step['words']}", seen["words"])
                    for triple in step["triples"]:
                        self.assertIn(f"{triple['path']} gets {triple_text(triple)}", seen["words"])
                    if not step["triples"]:
                        self.assertNotIn("Written", seen["words"])
                tables = self.rows("main .flow table")
                for table, leaf in zip(tables, lines(run("levels", *self.commands(name))), strict=True):
                    self.assertEqual(table["caption"], leaf["path"])
                    self.assertEqual([row[:2] for row in table["rows"]], [list(p) for p in zip(leaf["r"], leaf["d"])][-12:])

    def test_the_steps_of_assembly_are_those_of_trace(self):
        for name in ("paper", "robots", "document", "list"):
            with self.subTest(name):
                self.open(name)
                shown = self.steps("assembly")
                traces = lines(run("trace", "--assemble", *self.commands(name)))
                leaves = self.document(name)[0]["automaton"]["leaves"]
                at = 0
                for trace in traces:
                    built = []
                    for step in trace["steps"]:
                        read, follow = shown[at], shown[at + 1]
                        at += 2
                        self.assertIn(f"{step['path']}: {triple_text(step)}", read["words"])
                        self.assertIn(step["means"], read["words"])
                        self.assertIn(f"r = {step['next_r']}", follow["words"])
                        self.assertIn(step["words"], follow["words"])
                        state = int(step["next"])
                        self.assertIn(leaves[state] if state < len(leaves) else "The record ends.", follow["words"])
                        built += [event for event in step["events"] if event["event"] in ("open", "put")]
                        for event in step["events"]:
                            self.assertIn(event["event"] + (" " + event["field"] if "field" in event else ""), read["words"])
                        self.assertEqual([line.strip().split(":")[0] for line in follow["built"].split("\n")[1:] if line.strip()],
                                         [event["field"].split(".")[-1] for event in built])
                    self.assertTrue(follow["built"].startswith("record " + trace["record"]), follow["built"])
                self.assertEqual(at, len(shown))

    # --- bytes, pages ---

    def test_all_bytes_of_the_file_are_shown_where_bytes_has_them(self):
        for name in ("paper", "robots", "encoded-v2", "variant"):
            with self.subTest(name):
                self.open(name)
                self.show("bytes")
                whole = lines(run("bytes", "--all", "--json", self.inputs[name].operand))[0]
                self.compare_level(whole["ranges"], [])
                self.assertEqual(sum(int(r["length"]) for r in whole["ranges"]), int(whole["size"]))
                self.assertIn(f"The whole file: {whole['size']} bytes", digits(self.browser.run("document.querySelector('main').textContent")))
                for i, chunk in [(i, r) for i, r in enumerate(whole["ranges"]) if r.get("children")][:12]:
                    self.browser.run(f"document.querySelectorAll('main table button')[{i}].click()")
                    self.compare_level(chunk["children"], [chunk])
                    self.browser.run("document.querySelector('main nav button').click()")

    def compare_level(self, ranges, around):
        shown = self.rows("main table")[0]["rows"]
        self.assertEqual([[digits(row[1]), digits(row[2])] for row in shown][:500], [[r["begin"], r["length"]] for r in ranges][:500], around)
        for row, r in zip(shown, ranges):
            self.assertIn(r["kind"].replace("_", " ").replace("bit packed", "bit-packed"), row[0].replace("run of one level or index", "rle run"))
            if len(r.get("value", "")) < 110:
                self.assertIn(r.get("value", "").encode("ascii", "ignore").decode(), row[4].encode("ascii", "ignore").decode())

    def test_the_inside_of_each_page_is_what_pages_and_bytes_print(self):
        for name in ("paper", "encoded-v1", "encoded-v2"):
            with self.subTest(name):
                self.open(name)
                self.show("page")
                shown = self.browser.run("""{ const select = document.querySelector("main select");
                    [...select.options].map((o, i) => { select.selectedIndex = i; select.dispatchEvent(new Event("change"));
                        return {name: o.textContent, text: document.querySelector("main").innerText}; }); }""")
                of_pages = lines(run("pages", "--json", self.inputs[name].operand))
                inside = {(r["begin"], r["length"]): r for c in lines(run("bytes", "--all", "--json", self.inputs[name].operand))[0]["ranges"]
                          for r in c.get("children", []) if r["kind"] == "page"}
                self.assertEqual(len(shown), len(of_pages))
                for seen, page in zip(shown, of_pages):
                    text = digits(seen["text"])
                    self.assertTrue(seen["name"].startswith(page["path"]), seen["name"])
                    whole = int(page["header_size"]) + int(page["compressed_size"])
                    self.assertIn(f"byte {page['offset']} of the file, {whole} bytes", text)
                    self.assertIn(f"uncompressed_page_size = {page['uncompressed_size']}", text)
                    self.assertIn(f"num_values = {page['values']}", text)
                    self.assertIn(f"({page['encoding']})", text)
                    self.compare_leaves(inside[page["offset"], str(whole)], text)

    def compare_leaves(self, node, text):
        """Short values of header fields and of runs stand on the page; what is deeper opens on demand."""
        for child in node.get("children", []) + node.get("uncompressed", []):
            if child["kind"] in ("page_header", "page_body", "repetition_levels", "definition_levels", "rle_run", "bit_packed_run"):
                self.compare_leaves(child, text)
            elif child["kind"] in ("field", "run_value", "packed_group") and 0 < len(child.get("value", "")) < 100:
                self.assertIn(child["value"], text, child)

    # --- meta ---

    def test_footer_and_size_show_what_meta_prints(self):
        for name in ("paper", "robots", "encoded-v2"):
            with self.subTest(name):
                meta = lines(run("meta", "--json", self.inputs[name].operand))[0]
                self.open(name)
                self.show("footer")
                text = digits(self.browser.run("document.querySelector('main').textContent"))
                self.assertIn(f"{meta['created_by']}; {meta['footer_size']} bytes, {meta['rows']} rows, {len(meta['row_groups'])} row group", text)
                self.assertIn(f"num_rows = {meta['rows']}", text)
                self.show("size")
                table = next(t for t in self.rows("main table") if t["caption"].startswith("Columns"))
                sizes = {row[0]: {digits(cell) for cell in row} for row in table["rows"]}
                for column in meta["row_groups"][0]["columns"]:
                    self.assertLessEqual({column["total_compressed_size"], column["total_uncompressed_size"], column["codec"]}, sizes[column["path"]])
                self.assertIsInstance(meta["rows"], Number)
