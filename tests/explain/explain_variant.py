# SPDX-License-Identifier: Apache-2.0
"""The view of VARIANTs on pages of `lamella explain`, in a headless Chromium: opened, stepped and pointed at, on
values in one column and in many, on the files of parquet-testing, and on damaged and hostile ones; what it shows is
what cat, levels and bytes print of the same file. Of the files of parquet-testing, a sample is taken (support/sample.py).

usage: explain_variant.py PROGRAM; LAMELLA_SCREENSHOTS names a folder that gets pictures. Status 77 where there is no
browser.
"""
import glob
import json
import os
import sys
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page_access  # noqa: E402
import page_case  # noqa: E402
import page_inputs  # noqa: E402
from page_case import SHARED, lines, run, sample  # noqa: E402

NESTED_SCHEMA = """message nested {
  required int64 id;
  repeated group e (VARIANT) {
    required binary metadata;
    optional binary value;
    optional group typed_value {
      required group kind { optional binary value; optional binary typed_value (STRING); }
      required group at {
        optional binary value;
        optional group typed_value { required group x { optional binary value; optional double typed_value; } }
      }
      required group tags {
        optional binary value;
        optional group typed_value (LIST) {
          repeated group list { required group element { optional binary value; optional binary typed_value (STRING); } }
        }
      }
    }
  }
}
"""
NESTED = """{"id":1,"e":[{"kind":"move","at":{"x":1.5,"z":9},"tags":["a",null,3],"rest":[true,{"q":"w"}]},{"kind":7}]}
{"id":2,"e":[]}
{"id":3,"e":[[1,2,3],"text",null,{}]}
"""
WHOLE = """{"weight":120,"to":{"city":"Bergen","zip":"5003"},"tags":["cold",7,-2.50,true,null],"%s":[]}
"lost"
""" % ("long name " * 9)


def strip(node):
    """A range without its bytes, position and texts of ids, which have names on the page alone."""
    kept = {key: value for key, value in node.items() if key not in ("hex", "begin", "note", "row_group", "column", "page")}
    if kept["kind"] == "variant_id":
        kept["value"] = kept["value"].split(" ")[0]
    for key in ("children", "uncompressed"):
        if key in kept:
            kept[key] = [strip(child) for child in kept[key]]
    return kept


def without_bytes(node):
    """A VARIANT without the members that only a page has, or only a line of trace."""
    if isinstance(node, list):
        return [without_bytes(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {key: without_bytes(value) for key, value in node.items() if key not in ("ranges", "words", "machine")}


def find(node, kind):
    """Ranges of a kind that are not inside of another one of it, in order."""
    if node.get("kind") == kind:
        return [node]
    return [found for key in ("ranges", "children", "uncompressed") for child in node.get(key, []) for found in find(child, kind)]


def varint(number):
    """A signed number of 32 bits as Thrift's compact protocol has it."""
    number, out = (number << 1) ^ (-1 if number & 1 << 31 else 0) & 0xFFFFFFFF, bytearray()
    number &= 0xFFFFFFFF
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def damage(content, whole, at, byte):
    """Changes a byte of a page, and the checksum of that page with it; None if that takes another number of bytes."""
    page = next(p for p in find(whole, "page") if p["begin"] <= at < p["begin"] + p["length"])
    body = find(page, "page_body")[0]
    crc = next(f for f in find(page, "page_header")[0]["children"] if f.get("label") == "crc")
    content = bytearray(content)
    content[at] = byte
    number = varint(zlib.crc32(content[body["begin"]:body["begin"] + body["length"]]))
    begin, end = crc["begin"] + 1, crc["begin"] + crc["length"]
    content[begin:end] = number
    return bytes(content) if len(number) == end - begin else None


class VariantTest(page_case.BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {}
        cls.write("nested", NESTED, "--schema", NESTED_SCHEMA)
        cls.write("whole", WHOLE, "--variant-all", "--shred", "none", "--codec", "none", "--no-dictionary")
        cls.write("evil", "".join(json.dumps({name: [value, None], "n": {name: value}}) + "\n" for name in page_inputs.EVIL
                                  for value in page_inputs.EVIL), "--variant-all", "--shred", "none")
        cls.write("plain", '{"a":1}\n')

    @classmethod
    def write(cls, name, text, *options):
        cls.files[name] = os.path.join(cls.folder, name + ".parquet")
        run("import", *options, "-o", cls.files[name], page_inputs.write(os.path.join(cls.folder, name + ".ndjson"), text))

    def page(self, file):
        path = os.path.join(self.folder, os.path.basename(file) + ".html")
        run("explain", "-o", path, file)
        return path, page_case.data_of(path)

    def show(self, path, **options):
        self.browser.open(path, **options)
        self.browser.run("new Promise((done) => { addEventListener('hashchange', () => setTimeout(done, 50), {once: true}); location.hash = '#variant'; })")

    def text(self, selector):
        return self.browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((n) => n.textContent)")

    def go(self, step):
        self.browser.run(f"views.find((v) => v.id === 'variant').go({step})")

    def walk_all(self):
        """Every VARIANT of the page: each piece of bytes pointed at, each step taken."""
        return self.browser.run("""[...document.querySelector("main select").options].map((_, i) => {
            const first = document.querySelector("main select");
            first.selectedIndex = i; first.dispatchEvent(new Event("change"));
            const wrong = [], view = views.find((v) => v.id === "variant");
            const pieces = document.querySelectorAll("main select")[1];
            for (let j = 0; j < (pieces ? Math.min(pieces.options.length, 6) : 1); j++) {
                if (pieces) { pieces.selectedIndex = j; pieces.dispatchEvent(new Event("change")); }
                for (const button of [...document.querySelectorAll(".vtree button, .vbytes button")].slice(0, 80)) {
                    button.click();
                    if (!button.classList.contains("on")) wrong.push("not marked: " + button.textContent);
                    if (!/bytes? /i.test(document.querySelector(".words.stick").textContent)) wrong.push("no words: " + button.textContent);
                }
            }
            document.querySelectorAll("main details").forEach((d) => { d.open = true; });
            const last = Number(document.querySelector("main input[type=range]").max);
            for (let step = 0; step <= last; step++) {
                view.go(step);
                const marked = document.querySelectorAll("main .scroll table tr.on").length;
                if (marked !== (step === 0 || step === last ? 0 : 1)) wrong.push("step " + step + " marks " + marked + " pairs");
            }
            if (/not yet/.test(document.querySelector("main ol")?.textContent || "")) wrong.push("not whole at the end");
            return wrong; }).flat()""")

    # --- The same as the commands ---

    def check_same_as_commands(self, file, data):
        records = run("cat", file).split("\n")
        for found in data["variants"]:
            if "result" in found and "." not in found["group"]:
                value = json.loads(records[found["record"]])[found["group"]]
                self.assertTrue(found["result"] == value or found["result"] in value, found)
        told = run("trace", "--variants", "--json", file).split("\n")
        for found, line in zip(data["variants"], told):
            self.assertEqual(without_bytes(found), without_bytes(json.loads(line)))
        whole = json.loads(run("bytes", "--all", "--json", file))
        for kind, shown in (("variant_metadata", [v["metadata"]["ranges"][0] for v in data["variants"] if "metadata" in v]),
                            ("variant_value", [p["value"]["ranges"][0] for v in data["variants"] for p in v["pairs"] if "value" in p])):
            # Values of a dictionary page stand there once.
            known = [json.dumps(strip(node)) for node in find(whole, kind)]
            for node in shown:
                self.assertIn(json.dumps(strip(node)), known)

    def test_bytes_and_values_are_what_bytes_and_cat_print(self):
        for name in ("nested", "whole", "evil"):
            with self.subTest(name):
                _, data = self.page(self.files[name])
                self.assertTrue(data["variants"])
                self.check_same_as_commands(self.files[name], data)

    def test_the_triples_of_pairs_are_those_of_levels(self):
        path, _ = self.page(self.files["nested"])
        self.show(path)
        pairs = self.browser.run("""joinVariants(model).flatMap((v) => v.pairs.flatMap((p) => [["value", p.valueTriple, p.value !== undefined], ["typed_value", p.typedTriple, p.is_typed === true]]
            .filter(([, t]) => t).map(([name, t, is_there]) => [t.leaf.path, t.index, !t.isNull, is_there, name])))""")
        levels = {leaf["path"]: leaf for leaf in lines(run("levels", "--json", self.files["nested"]))}
        seen = set()
        for leaf, index, has_value, is_there, name in pairs:
            self.assertTrue(leaf.endswith(name))
            self.assertEqual(has_value, is_there, (leaf, index))
            self.assertEqual(has_value, levels[leaf]["d"][index] == str(levels[leaf]["max_definition"]))
            seen.add((leaf, index))
        self.assertEqual(len(seen), len(pairs))
        there = sum(len(leaf["values"]) for path, leaf in levels.items() if path.startswith("e.") and path != "e.metadata")
        self.assertEqual(sum(is_there for _, _, _, is_there, _ in pairs), there)

    # --- Pointing and stepping ---

    def test_every_part_can_be_pointed_at_and_every_step_taken(self):
        for name in ("nested", "whole", "evil"):
            with self.subTest(name):
                path, _ = self.page(self.files[name])
                self.show(path)
                self.assertEqual(self.walk_all(), [])
                self.assert_quiet()
                self.picture(f"variant-{name}.png")

    def test_pointing_at_a_byte_marks_its_place_in_the_value_and_the_other_way_round(self):
        path, _ = self.page(self.files["whole"])
        self.show(path)
        self.browser.run("[...document.querySelectorAll('.vtree button')].find((b) => /Bergen/.test(b.textContent)).click()")
        self.assertEqual(self.text(".vbytes .cell.on"), ["19header", "42 65 72 67 65 6evalue"])
        self.assertEqual(len(self.text(".vbytes .cell.near")), 3)  # id, offset and name
        self.assertIn('Entry 0 of the dictionary, "city" \u2192 id of field 0 \u2192 offset 0', self.text(".words.stick")[0])
        self.browser.run("[...document.querySelectorAll('.vbytes .cell')].find((b) => /5003|35 30 30 33/.test(b.textContent)).click()")
        self.assertEqual(self.text(".vtree button.on"), ['zip: "5003"'])
        self.browser.run("[...document.querySelectorAll('.vbytes .cell')].filter((b) => /id 1/.test(b.textContent)).pop().click()")
        self.assertEqual(self.text(".vtree button.on"), ['zip: "5003"'])
        self.assertIn("zip", self.text(".vbytes .cell.near")[0])
        self.assertRegex(self.text(".words.stick")[0], r"field id \d → entry \d of the dictionary, \"zip\"\. So field 1 is \$\.to\.zip")
        self.assert_quiet()

    def test_reassembly_says_which_part_came_from_which_column_by_which_rule(self):
        path, data = self.page(self.files["nested"])
        self.show(path)
        rules = {tuple(p["rule"] for p in v["pairs"]) for v in data["variants"]}
        self.assertEqual({rule for each in rules for rule in each}, {"missing", "value", "scalar", "array", "object", "partial"})
        self.go(0)
        self.assertTrue(all("not yet" in line for line in self.text("main ol li")))
        self.go(1)
        self.assertIn("an object that is shredded in part", self.text("main .words")[1])
        self.assertIn("[0] true \u2190 e.value", " ".join(self.text("main ol li")))
        self.go(10)
        parts = [line.replace("\u00a0", "") for line in self.text("main ol li")]
        self.assertIn("x: 1.5 \u2190 e.typed_value.at.typed_value.x.typed_value", parts)
        self.assertIn("z: 9 \u2190 e.typed_value.at.value", parts)
        self.assertIn("[2] 3 \u2190 e.typed_value.tags.typed_value.list.element.value", parts)
        self.assert_quiet()

    def test_the_keyboard_alone_points(self):
        path, _ = self.page(self.files["whole"])
        self.show(path)
        self.browser.run("document.querySelector('.vtree button').focus()")
        self.browser.press("ArrowDown")
        self.assertEqual(self.browser.run("document.activeElement.className"), "value on")
        self.browser.press("Tab")
        self.assertTrue(self.browser.run("document.activeElement.closest('.vbytes') !== null"))
        before = self.text(".words.stick")
        self.browser.press("ArrowRight")
        self.assertNotEqual(self.text(".words.stick"), before)
        self.assertEqual(self.browser.run("document.activeElement.classList.contains('on')"), True)

    def test_a_phone_and_the_dark_show_all_of_it(self):
        for name in ("nested", "whole", "evil"):
            path, _ = self.page(self.files[name])
            self.show(path, width=390, height=800, dark=True)
            self.go(3)
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
            self.picture(f"variant-{name}-phone-dark.png")
            self.assert_quiet()

    def test_no_serious_finding_of_axe(self):
        axe = page_access.AccessTests.axe()
        if axe is None:
            self.skipTest("axe-core cannot be had: no npm, or no registry")
        for name, dark in (("nested", False), ("whole", True), ("evil", False)):
            path, _ = self.page(self.files[name])
            self.show(path, dark=dark)
            self.browser.run(axe + "; 0")
            self.browser.run("document.querySelectorAll('.vtree button')[1].click(); document.querySelectorAll('main details').forEach((d) => { d.open = true; })")
            self.go(2)
            found = self.browser.run("""axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
                .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")))""")
            self.assertEqual(found, [], name)

    # --- Odd files ---

    def test_a_file_without_a_variant_says_so(self):
        path, data = self.page(self.files["plain"])
        self.assertNotIn("variants", data)
        self.show(path)
        self.assertIn("The schema of this file has no VARIANT", self.text("main")[0])
        self.assert_quiet()

    def test_damaged_values_show_their_bytes_and_why_they_are_none(self):
        with open(self.files["whole"], "rb") as source:
            content = source.read()
        whole = json.loads(run("bytes", "--all", "--json", self.files["whole"]))
        value, metadata = find(whole, "variant_value")[0], find(whole, "variant_metadata")[0]
        damages = [(value["begin"] + 1, 255), (value["begin"] + 2, 99), (value["children"][3]["begin"], 3), (value["begin"], 0xFC),
                   (metadata["begin"], 0xC1), (metadata["begin"] + 1, 200), (metadata["begin"] + 3, 250), (metadata["begin"] + 12, 0xFF)]
        for at, byte in damages:
            with self.subTest(at=at, byte=byte):
                file = os.path.join(self.folder, "damaged.parquet")
                damaged = damage(content, whole, at, byte)
                self.assertIsNotNone(damaged)
                with open(file, "wb") as out:
                    out.write(damaged)
                path, data = self.page(file)
                self.assertIn("variant", data["variants"][0]["failure"])
                self.assertEqual(data["variants"][1]["result"], "lost")
                self.show(path)
                self.assertEqual(self.browser.run("document.querySelectorAll('main .error').length"), 1)
                self.browser.run("for (const button of document.querySelectorAll('.vtree button, .vbytes button')) button.click()")
                for step in range(4):
                    self.go(step)
                self.assertIn("cannot be put together", self.text("main .words")[-1])
                self.assert_quiet()

    def test_names_and_values_with_markup_stay_text(self):
        path, _ = self.page(self.files["evil"])
        self.show(path)
        self.walk_all()
        self.assertEqual(self.browser.run("document.querySelectorAll('main img, main script, main iframe').length"), 0)
        self.assertIsNone(self.browser.run("window.broken"))
        self.assert_quiet()

    @unittest.skipUnless(SHARED, "no shared test data")
    def test_the_shredded_files_of_parquet_testing(self):
        files = sorted(glob.glob(os.path.join(SHARED, "parquet-testing", "shredded_variant", "*.parquet")))
        shown = 0
        for file in sample.take(files, 20, "files"):
            try:
                run("cat", file)
            except AssertionError:
                continue
            with self.subTest(os.path.basename(file)):
                path, data = self.page(file)
                self.assertTrue(data.get("variants") or not any("VARIANT" in line for line in run("schema", file).splitlines())
                                or data["records"])
                self.check_same_as_commands(file, data)
                if data.get("variants") and shown < 40:
                    shown += 1
                    self.show(path)
                    self.assertEqual(self.walk_all(), [])
                    self.assert_quiet()

    # --- Live ---

    def test_the_live_view_shows_a_variant_that_is_typed_in(self):
        path, _ = self.page(self.files["plain"])
        self.browser.open(path)
        if not self.browser.run("Live.isThere()"):
            self.skipTest("this build has no live view: no compiler for WebAssembly")
        schema, records = json.dumps(NESTED_SCHEMA), json.dumps(NESTED)
        self.browser.run(f"""Live.explain({{schema: {schema}, records: {records}, columns: "", encoding: "", version: 1, pageRows: 0}})
            .then((data) => {{ if (data.error) throw new Error(data.error); setModel(data, true); location.hash = "#variant"; }})""")
        self.browser.run("new Promise((done) => setTimeout(done, 100))")
        self.assertEqual(len(self.browser.run("joinVariants(model).map((v) => v.record)")), 6)
        self.assertEqual(self.walk_all(), [])
        _, data = self.page(self.files["nested"])
        live = json.loads(self.browser.run("JSON.stringify(model.data.variants.map((v) => [v.result, v.pairs.map((p) => p.rule)]))"))
        self.assertEqual([v[0] for v in live], [v["result"] for v in data["variants"]])
        self.assertEqual([v[1] for v in live], [[p["rule"] for p in v["pairs"]] for v in data["variants"]])
        self.assert_quiet()


if __name__ == "__main__":
    page_case.main()
