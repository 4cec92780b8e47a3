# SPDX-License-Identifier: Apache-2.0
"""VARIANTs of bytes that no writer makes: cat, parts of them and check give what is there, or one line
that says where it is not, in little time and memory."""

import base64
import itertools
import json
import os
import resource
import time

import program

SANITIZED = bool(os.environ.get("LAMELLA_SANITIZED"))
SECONDS = 2
MEMORY = 256 << 20
MOST = 2**32 - 1

PLAIN = """message m { optional group v (VARIANT(1)) {
  required binary metadata; required binary value; } }"""
SHREDDED = """message m { optional group v (VARIANT(1)) {
  required binary metadata; optional binary value;
  optional group typed_value {
    required group f { optional binary value; }
    required group l { optional binary value; optional group typed_value (LIST) {
      repeated group list { required group element {
        optional binary value; optional binary typed_value (STRING); } } } } } } }"""

# --- VariantEncoding.md, with all the numbers given ----------------------------------------------


def numbers(values, width=4):
    return b"".join(value.to_bytes(width, "little") for value in values)


def metadata(names, offsets=None, count=None, is_sorted=False):
    ends = list(itertools.accumulate(map(len, names), initial=0))
    count = len(names) if count is None else count
    head = bytes([0xC1 | is_sorted << 4])
    return head + numbers([count, *(ends if offsets is None else offsets)]) + b"".join(names)


def array(parts, offsets=None, count=None):
    ends = list(itertools.accumulate(map(len, parts), initial=0))
    count = len(parts) if count is None else count
    return b"\x1f" + numbers([count, *(ends if offsets is None else offsets)]) + b"".join(parts)


def object_of(ids, parts, offsets=None, count=None):
    ends = list(itertools.accumulate(map(len, parts), initial=0))
    count = len(parts) if count is None else count
    numbered = [count, *ids, *(ends if offsets is None else offsets)]
    return b"\x7e" + numbers(numbered) + b"".join(parts)


def nested(depth, count=1, head=b"\x0f"):
    """Containers of `count` parts inside each other, which all begin at the same byte."""
    heads, size = [], 1
    for _ in range(depth):
        ids = b"\x00" if head == b"\x0e" else b""
        heads.append(head + bytes([count]) + ids + numbers([0] * count + [size]))
        size += len(heads[-1])
    return b"".join(reversed(heads)) + b"\x00"


NAMES = metadata([b"a", b"b", b"f", b"l"], is_sorted=True)
FIVE, SIX = b"\x0c\x05", b"\x0c\x06"
DEEP = "variant: nested deeper than 1024"
EARLY = "variant: a value ends early"
OVERLAP = "variant: values that overlap in their object or array"
NO_NAME = "variant: a field id that the metadata does not have"

# A value, and what it prints as, or the words of what is wrong with it.
VALUES = [
    (nested(10000), DEEP),
    (nested(10000, head=b"\x0e"), DEEP),
    (nested(60, 255), OVERLAP),
    (nested(1000, 2), OVERLAP),
    (array([], count=MOST), EARLY),
    (array([FIVE], offsets=[0, MOST]), EARLY),
    (array([FIVE], offsets=[MOST, 2]), "variant: an offset outside of its object or array"),
    (object_of([], [], count=MOST), EARLY),
    (object_of([0], [FIVE], offsets=[0, MOST]), EARLY),
    (b"\x40" + numbers([MOST]) + b"text", EARLY),
    (b"\x3c" + numbers([MOST]), EARLY),
    (array([FIVE, SIX], offsets=[0, 0, 4]), OVERLAP),
    (object_of([0, 1], [FIVE, SIX], offsets=[0, 1, 4]), OVERLAP),
    (array([FIVE, SIX], offsets=[2, 0, 4]), "[6,5]"),
    (object_of([0, 1], [FIVE, SIX], offsets=[2, 0, 4]), '{"a":6,"b":5}'),
    (object_of([1, 0], [FIVE, SIX]), '{"a":6,"b":5}'),
    (object_of([4], [FIVE]), NO_NAME),
    (object_of([MOST], [FIVE]), NO_NAME),
    (object_of([0, 0], [FIVE, SIX]), "variant: a name appears twice in its object"),
    (object_of([0] * 100000, [b"\x00"] * 100000), "variant: a name appears twice in its object"),
    (array([b"\x00"] * 100000), "[" + ",".join(["null"] * 100000) + "]"),
    (b"\x00\x00", "variant: bytes after the value"),
    (b"", EARLY),
    (b"\xfc\x00", "variant: a value of the unknown type 63"),
]

# Metadata, and what is wrong with it.
METADATA = [
    (metadata([b"a"], count=MOST), "variant: metadata that ends early"),
    (metadata([], offsets=[], count=MOST - 1), "variant: metadata that ends early"),
    (metadata([b"a"], offsets=[0, MOST]), "variant: names that do not end where the metadata does"),
    (metadata([b"a", b"b"], offsets=[0, MOST, 2]), "variant: offsets of names that fall, or lie outside"),
    (metadata([b"\xff"]), "variant: a name that is not UTF-8"),
    (b"\x02\x00\x00", "variant: metadata of a version other than 1"),
    (b"", "variant: metadata without bytes"),
]


def is_json(words):
    return words[0] in "{["


def text(data):
    return base64.b64encode(data).decode()


class HostileVariants(program.ProgramTest):
    def file(self, schema, group):
        options = ["--schema", schema, "--variant-form", "storage"]
        self.make("a.parquet", json.dumps({"v": group}), *options)

    def judge(self, words, where):
        """What cat and check say of a.parquet: that it holds the words, as JSON, or them alone."""
        status, output, errors = self.run_program("cat", "a.parquet")
        checked, findings, _ = self.run_program("check", "a.parquet")
        if is_json(words):
            self.assertEqual((status, errors), (0, ""))
            self.assertEqual(json.loads(output)["v"], where(json.loads(words)))
            self.assertEqual(checked, 0, findings)
            return
        self.assertEqual((status, output), (1, b""))
        self.assertIn(words, errors)
        self.assertTrue(errors.startswith("lamella: a.parquet: v"), errors)
        self.assertIn(words.encode(), findings)

    def test_values_that_no_writer_makes(self):
        begin = time.monotonic()
        runs = 0
        for value, words in VALUES:
            with self.subTest(value=value[:40], size=len(value)):
                self.file(PLAIN, {"metadata": text(NAMES), "value": text(value)})
                self.judge(words, lambda item: item)
                fields = {"f": {"value": text(value)}, "l": {"typed_value": [{"value": text(value)}]}}
                self.file(SHREDDED, {"metadata": text(NAMES), "typed_value": fields})
                self.judge(words, lambda item: {"f": item, "l": [item]})
                for columns in ("v.f", "v.l", "v.f.a"):
                    status, _, errors = self.run_program("cat", "--columns", columns, "a.parquet")
                    self.assertEqual(bool(errors), status == 1)
                    self.assertIn(status, (0, 1), errors)
                    if columns in ("v.f", "v.l"):
                        self.assertEqual(status == 0, is_json(words), errors)
                runs += 9
        self.bound(begin, runs)

    def bound(self, begin, runs):
        if not SANITIZED:
            self.assertLess((time.monotonic() - begin) / runs, SECONDS)
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, MEMORY)

    def test_metadata_that_no_writer_makes(self):
        for names, words in METADATA:
            with self.subTest(metadata=names):
                self.file(PLAIN, {"metadata": text(names), "value": text(b"\x00")})
                self.assertIn(f"a.parquet: v.metadata: {words}", self.bad("cat", "a.parquet"))
                status, findings, _ = self.run_program("check", "a.parquet")
                self.assertEqual(status, 1)
                self.assertIn(b"error variant-metadata", findings)
                # With no value to look for, nothing needs its names.
                self.file(SHREDDED, {"metadata": text(names), "typed_value": {"f": {}, "l": {}}})
                self.assertEqual(self.good("cat", "--columns", "v.f", "a.parquet"), '{"v":{}}\n')

    def test_names_out_of_the_order_that_they_claim_are_read(self):
        # DuckDB 1.5 writes such metadata: the order is a promise of faster search, and no more.
        names = metadata([b"b", b"a"], is_sorted=True)
        value = object_of([1, 0], [FIVE, SIX])
        self.file(PLAIN, {"metadata": text(names), "value": text(value)})
        self.assertEqual(json.loads(self.good("cat", "a.parquet")), {"v": {"a": 5, "b": 6}})
        self.assertIn("warning variant-metadata-order", self.good("check", "a.parquet"))

    def test_a_shredded_field_counts_where_value_has_it_too(self):
        value = object_of([0, 2], [FIVE, SIX])
        self.file(SHREDDED, {"metadata": text(NAMES), "value": text(value), "typed_value": {"f": {"value": text(b"\x04")}, "l": {}}})
        self.assertIn("value has the shredded field", self.bad("cat", "a.parquet"))
        expected = '{"v":{"a":5,"f":true}}\n'
        self.assertEqual(self.good("cat", "--variant-conflicts", "typed", "a.parquet"), expected)
        # Parts are looked for where they belong alone.
        self.assertEqual(self.good("cat", "--columns", "v.f,v.a", "a.parquet"), expected)

    def test_what_is_too_deep_only_in_its_place_is_told(self):
        # A value of 1024 levels is printed; inside of an object it is one level too deep: it was
        # assembled all the same, to fail when it was printed, and check said nothing.
        value = nested(1024)
        self.file(PLAIN, {"metadata": text(NAMES), "value": text(value)})
        self.assertEqual(self.good("cat", "a.parquet"), '{"v":' + "[" * 1024 + "null" + "]" * 1024 + "}\n")
        self.good("check", "--strict", "a.parquet")
        self.file(SHREDDED, {"metadata": text(NAMES), "typed_value": {"f": {"value": text(value)}, "l": {}}})
        self.assertEqual(self.bad("cat", "a.parquet"), f"a.parquet: v.typed_value.f.value: {DEEP} (row group 0, column 2, row 0)")
        status, findings, _ = self.run_program("check", "a.parquet")
        self.assertEqual(status, 0)
        self.assertIn(f"warning limit: v.typed_value.f.value: {DEEP}".encode(), findings)
        self.assertEqual(self.run_program("check", "--strict", "a.parquet")[0], 1)


if __name__ == "__main__":
    program.main()
