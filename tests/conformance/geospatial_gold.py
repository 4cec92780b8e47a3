"""The geometries of geospatial.parquet, as the text beside the file has them (Geospatial.md)."""

import base64
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


if __name__ == "__main__":
    engines.main()
