# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages share: the program, its JSON, and what is on the screen of a browser."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import sample  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT")
SCREENSHOTS = os.environ.get("LAMELLA_SCREENSHOTS")


def run(*arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"lamella {' '.join(arguments)}: {done.stderr}")
    return done.stdout


class Number(str):
    """A number of JSON with all of its digits."""


def lines(text):
    """JSON of one object per line; numbers keep all their digits."""
    return [json.loads(line, parse_float=Number, parse_int=Number) for line in text.split("\n") if line]


def value_text(value):
    """A value as a page writes it, if it is short and has nothing that would be made visible; "" otherwise."""
    text = str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
    return text if len(text) < 110 and text.isprintable() and text.isascii() else ""


def triple_text(triple):
    """(r, d, value) as the words of a step have it."""
    value = value_text(triple["value"]) if "value" in triple else "NULL"
    return f"(r {triple['r']}, d {triple['d']}, {value}" + (")" if value else "")


def data_of(page, **how):
    """The data of a page, read as `how` says."""
    with open(page, encoding="utf-8") as source:
        text = source.read()
    return json.loads(text.split('<script type="application/json" id="data">', 1)[1].split("</script>", 1)[0], **how)


class BrowserCase(unittest.TestCase):
    """Has a folder for its files and pages, and a browser, for all of its tests."""

    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lamella-page-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def assert_quiet(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])

    def picture(self, name):
        if SCREENSHOTS:
            self.browser.screenshot(os.path.join(SCREENSHOTS, name))


def main():
    if browser.find() is None:
        print("skipped: there is no Chromium")
        sys.exit(77)
    print(sample.told)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
