# SPDX-License-Identifier: Apache-2.0
"""What import writes is byte for byte what it was: the example records, and random ones in several
layouts, without compression, against hashes in expected/same_bytes.txt.

LAMELLA_UPDATE=1 writes the hashes anew; docs/changes.md says why they changed. The version in
created_by is taken out before hashing.
"""

import hashlib
import json
import os
import random
import re

import program

EXAMPLE = os.path.join(program.HERE, "..", "..", "docs", "records", "robots.ndjson")
HASHES = os.path.join(program.EXPECTED, "same_bytes.txt")
VERSION = re.compile(rb"lamella version (\d+)\.(\d+)\.(\d+) \(build (\d+)\.(\d+)\.(\d+)\)")
LAYOUTS = {
    "plain": [],
    "variants": ["--variant-all"],
    "unshredded": ["--variant-all", "--shred", "none"],
    "newest": ["--compat", "newest"],
    "pages": ["--page-size", "200", "--row-group-rows", "50", "--data-page-version", "2"],
}


def any_value(rng, depth):
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return rng.randrange(-1000, 1000)
    if kind == 1:
        return rng.randrange(-(2**62), 2**62)
    if kind == 2:
        return round(rng.random() * 1000, rng.randrange(1, 5))
    if kind == 3:
        return rng.choice(["", "a", "harbour", "möwe", "calm water", "x" * 40])
    if kind == 4:
        return rng.random() < 0.5
    if kind == 5:
        return None
    if kind == 6:
        return [any_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return any_object(rng, depth + 1)


def any_object(rng, depth):
    return {name: any_value(rng, depth) for name in "abcdefgh"[: rng.randrange(1, 8)] if rng.random() < 0.8}


def alike(rng, sample):
    """Another value of the sample's kinds, so that a schema fits both."""
    if isinstance(sample, dict):
        return {name: alike(rng, value) for name, value in sample.items() if rng.random() < 0.9}
    if isinstance(sample, list):
        return [alike(rng, sample[0])] * rng.randrange(4) if sample else []
    if isinstance(sample, bool) or sample is None:
        return sample
    if isinstance(sample, int):
        return sample + rng.randrange(100)
    return sample if isinstance(sample, float) else sample + rng.choice("abc")


def inputs():
    with open(EXAMPLE, encoding="utf-8") as file:
        yield "robots", file.read(), LAYOUTS
    for seed in range(30):
        rng = random.Random(seed)
        first = any_object(rng, 0) or {"a": 1}
        yield f"alike-{seed}", program.ndjson([alike(rng, first) for _ in range(200)]), LAYOUTS
        records = [any_object(rng, 0) for _ in range(100)]
        variants = {name: options for name, options in LAYOUTS.items() if "--variant-all" in options}
        yield f"mixed-{seed}", program.ndjson(records), variants


class SameBytes(program.ProgramTest):
    def hashes(self):
        for name, text, layouts in inputs():
            self.put("in.ndjson", text)
            for layout, options in layouts.items():
                status, _, errors = self.run_program(
                    "import", "--codec", "uncompressed", *options, "-o", "out.parquet", "in.ndjson"
                )
                self.assertEqual(status, 0, f"{name} {layout}: {errors}")
                with open(self.path("out.parquet"), "rb") as file:
                    data = VERSION.sub(b"lamella version", file.read())
                yield f"{name} {layout} {hashlib.sha256(data).hexdigest()[:16]}"

    def test_the_same_records_are_the_same_file(self):
        found = list(self.hashes())
        if os.environ.get("LAMELLA_UPDATE"):
            with open(HASHES, "w", encoding="utf-8") as file:
                file.write("\n".join(found) + "\n")
        with open(HASHES, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), found)


if __name__ == "__main__":
    program.main()
