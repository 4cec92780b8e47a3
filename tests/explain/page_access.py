# SPDX-License-Identifier: Apache-2.0
"""Pages for everybody: by keyboard alone, on a phone, in the dark, and as axe-core judges them."""
import os
import shutil
import subprocess

from page_case import sample

# Colours are those of the style, whatever the file; their contrast is what takes most of the time.
COLOURS_OF = "paper"

# What can be operated and is shown. Links, buttons and summaries take clicks, the rest takes keys.
CONTROLS = """[...document.querySelectorAll("a[href], button, select, input, textarea, summary")]
    .filter((node) => node.checkVisibility() && !node.disabled && !node.closest("[hidden]"))"""
# Notes which controls the keyboard operates, and keeps the page as it is meanwhile.
WATCH = """{
    window.operated = new Set();
    window.watching = true;
    for (const kind of ["click", "change", "input"])
        addEventListener(kind, (event) => {
            if (!window.watching) return;
            const node = event.target.closest("a[href], button, select, input, textarea, summary");
            if (node) operated.add(node);
            if (kind === "click") { event.preventDefault(); }
            event.stopImmediatePropagation();
        }, true);
    0;
}"""


class AccessTests:
    """To be mixed into a test case with pages and a browser."""

    @staticmethod
    def axe():
        """The source of axe-core, from npm, kept in the user's cache; None where it cannot be had."""
        cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "lamella-tests")
        path = os.path.join(cache, "node_modules", "axe-core", "axe.min.js")
        if not os.path.isfile(path) and shutil.which("npm"):
            os.makedirs(cache, exist_ok=True)
            try:
                subprocess.run(["npm", "install", "--prefix", cache, "--no-save", "--ignore-scripts", "axe-core@4.10.2"],
                               capture_output=True, timeout=60, check=False)
            except subprocess.TimeoutExpired:
                pass
        if not os.path.isfile(path):
            return None
        with open(path, encoding="utf-8") as source:
            return source.read()

    def test_no_view_has_a_serious_finding_of_axe(self):
        axe = self.axe()
        if axe is None:
            self.skipTest("axe-core cannot be had: no npm, or no registry")
        for name, dark in (("paper", False), ("paper", True), ("variant", False), ("hostile", False)):
            self.open(name, dark=dark)
            self.browser.run(axe + "; 0")
            rules = "true" if name == COLOURS_OF else "false"
            for view in sample.take(self.views, 3, f"axe {name} {dark}"):
                with self.subTest(name=name, view=view, dark=dark):
                    self.show(view)
                    self.browser.run("for (const details of document.querySelectorAll('main details')) details.open = true; 0")
                    found = self.browser.run("""axe.run(document, {resultTypes: ["violations"], rules: {"color-contrast": {enabled: RULES}}}).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
                        .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200)).join(" | ")))""".replace("RULES", rules))
                    self.assertEqual(found, [])

    def test_nothing_is_wider_than_a_phone_in_the_light_and_in_the_dark(self):
        for name in ("paper", "robots", "hostile", "encoded-v2", "long", "wide", "deep"):
            for dark in (False, True) if name == "paper" else (False,):
                self.open(name, width=390, height=800, dark=dark)
                for view in self.views:
                    with self.subTest(name=name, view=view, dark=dark):
                        self.show(view)
                        self.browser.run("for (const details of document.querySelectorAll('main details')) details.open = true; 0")
                        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
                        if dark:
                            self.picture(f"{name}-{view}-phone-dark.png")
        self.assert_quiet()

    def operate(self):
        """A key for what has the focus; arrow keys go on inside of a group that has one stop of Tab."""
        kind = self.browser.run("""{ const node = document.activeElement; const type = node.type || "";
            window.came.add(node);
            node.tagName === "SELECT" || type === "range" ? "arrow" : node.tagName === "TEXTAREA" || type === "text" ? "text"
                : type === "checkbox" ? "space" : "enter"; }""")
        if kind == "text":
            self.browser.type_text("x")
        elif kind == "arrow":
            for key in ("ArrowRight", "ArrowLeft"):
                self.browser.press(key)
        else:
            self.browser.press(" " if kind == "space" else "Enter")

    def test_the_keyboard_alone_reaches_and_operates_every_control_of_every_view(self):
        for view in self.views:
            with self.subTest(view):
                self.open("paper")
                self.show(view)
                if view == "live":
                    self.browser.run("new Promise((done) => setTimeout(done, 800))")
                self.browser.run("for (const details of document.querySelectorAll('main details')) details.open = true; 0")
                if self.browser.run("Boolean(document.querySelector('main input[type=range]'))"):
                    self.browser.run(f"views.find((v) => v.id === '{view}').go(3)")
                self.browser.run("window.came = new Set(); document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0); 0")
                self.browser.run(WATCH)
                self.browser.run("document.querySelector('.skip').focus(); window.stops = new Set(); 0")
                for _ in range(400):
                    self.operate()
                    # The rest of a group, whose other members Tab does not stop at.
                    while self.browser.run("Boolean(document.activeElement.parentNode?.closest('.tree, table, .strip')"
                                           "?.querySelector(\"button[tabindex='-1']\"))"):
                        before = self.browser.run("window.came.size")
                        self.browser.press("ArrowDown")
                        self.operate()
                        if self.browser.run("window.came.size") == before:
                            break
                    self.browser.press("Tab")
                    if self.browser.run("stops.has(document.activeElement) || document.activeElement === document.body || (stops.add(document.activeElement), false)"):
                        break
                left = self.browser.run(CONTROLS + ".filter((node) => !operated.has(node)).map((node) => node.outerHTML.slice(0, 160))")
                self.assertEqual(left, [])
                self.browser.run("window.watching = false; 0")
