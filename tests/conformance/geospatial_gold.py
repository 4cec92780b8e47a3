# SPDX-License-Identifier: Apache-2.0
"""The geometries of geospatial.parquet, as the text beside the file has them (Geospatial.md)."""

import base64
import json
import math
import os
import re
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "interop")]
import engines  # noqa: E402

SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get(
    "LAMELLA_SHARED_DEFAULT", os.path.join(engines.ROOT, "..", "shared")
)
FOLDER = os.path.join(SHARED, "parquet-testing", "data", "geospatial")
KINDS = "POINT LINESTRING POLYGON MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMETRYCOLLECTION".split()
SUFFIXES = ["", " Z", " M", " ZM"]


class WellKnownBinary:
    """Read into well-known text; ISO codes, little-endian."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, code):
        values = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return values

    def point(self, size):
        return self.take(f"{size}d")

    def points(self, size):
        return self.list_of(lambda: self.numbers(self.point(size)))

    def list_of(self, read):
        (count,) = self.take("I")
        return "(" + ", ".join(read() for _ in range(count)) + ")" if count else "EMPTY"

    def numbers(self, point):
        return " ".join(f"{number:g}" for number in point)

    def body(self, kind, size):
        if kind == 1:
            point = self.point(size)
            return "EMPTY" if all(map(math.isnan, point)) else f"({self.numbers(point)})"
        if kind == 2:
            return self.points(size)
        if kind == 3:
            return self.list_of(lambda: self.points(size))
        if kind == 7:
            return self.list_of(self.text)
        return self.list_of(lambda: self.text().split(" ", 1 + (size > 2))[-1])

    def text(self):
        order, code = self.take("BI")
        assert order == 1
        dimensions, kind = divmod(code, 1000)
        size = [2, 3, 3, 4][dimensions]
        return f"{KINDS[kind - 1]}{SUFFIXES[dimensions]} {self.body(kind, size)}"


def read_yaml(path):
    """A list of (group, text or None); a text may go on in the lines below."""
    rows, group = [], None
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if match := re.fullmatch(r"([\w-]+):", line):
                group = match[1]
            elif line.startswith("- "):
                rows.append((group, line[2:]))
            elif line.startswith("  "):
                rows[-1] = (group, rows[-1][1] + " " + line.strip())
    return [(group, None if text in ("null", "~", "") else text) for group, text in rows]


class GeospatialGold(engines.EngineTest):
    def test_geometries_are_those_of_gold(self):
        if not os.path.isdir(FOLDER):
            self.skipTest(f"{FOLDER} is not here")
        gold = read_yaml(os.path.join(FOLDER, "geospatial.yaml"))
        records = engines.cat(os.path.join(FOLDER, "geospatial.parquet"))
        self.compare(gold, [(record[0][1], record[1][1]) for record in records], "texts")
        shapes = [record[2][1] for record in records]
        found = [s and WellKnownBinary(base64.b64decode(s)).text() for s in shapes]
        self.compare([text for _, text in gold], found, "geometries")
        self.assertGreater(len(gold), 100)

    def stated(self, path):
        """What each row group says of its geometries, and its number of rows."""
        groups = json.loads(engines.lamella("meta", "--json", path))["row_groups"]
        return [(group["columns"][-1].get("geospatial"), group["rows"]) for group in groups]

    def rewritten(self, path, schema, first, rows):
        records = engines.lamella("cat", "--skip", str(first), "--limit", str(rows), path)
        own = self.path("own.parquet")
        engines.lamella("import", "--schema", schema, "-o", own, "-", stdin=records)
        return self.stated(own)[0][0]

    def expect_box(self, wanted, found, is_geography, what):
        """Boxes on a sphere are computed, and at a pole a longitude means nothing."""
        if not is_geography:
            self.assertEqual(wanted, found, what)
        elif abs(wanted["y"][0]) < 90 > abs(wanted["y"][1]):
            for axis in "xy":
                for one, other in zip(wanted[axis], found[axis]):
                    self.assertAlmostEqual(one, other, 9, what)

    def test_statistics_are_those_that_others_wrote(self):
        if not os.path.isdir(FOLDER):
            self.skipTest(f"{FOLDER} is not here")
        compared = 0
        for name in sorted(os.listdir(FOLDER)):
            path, first = os.path.join(FOLDER, name), 0
            if not name.endswith(".parquet"):
                continue
            schema = engines.lamella("schema", path).decode()
            for wanted, rows in self.stated(path):
                found = self.rewritten(path, schema, first, rows)
                first += rows
                if wanted is None or not wanted["types"]:
                    continue
                self.assertEqual(wanted["types"], found["types"], (name, first))
                is_geography = "GEOGRAPHY" in schema
                if is_geography and set(wanted["types"]) != {1}:
                    self.assertIsNone(found["box"], "edges are not followed")
                    continue
                compared += 1
                if wanted["box"] is not None or found["box"] is not None:
                    self.expect_box(wanted["box"], found["box"], is_geography, (name, first))
        self.assertGreater(compared, 80)


if __name__ == "__main__":
    engines.main()
