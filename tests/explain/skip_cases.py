# SPDX-License-Identifier: Apache-2.0
"""Files and conditions of which the page shows what is skipped, and what cat --explain says of them."""
import json
import os
import re

import page_inputs

EVIL = "<img src=x onerror=window.broken=1>\" 'or"

# What cat prints on standard error, as patterns with the members of the page's report.
LINES = [
    (r"(\d+) row groups? examined; ruled out: (\d+) by statistics, (\d+) by Bloom filters, (\d+) by the page index, (\d+) by dictionaries",
     ["row_groups", "by_statistics", "by_bloom", "by_pages", "by_dictionary"]),
    (r"(\d+) pages? of the condition's columns in the page index; ruled out: (\d+)", ["pages", "pages_ruled_out"]),
    (r"(\d+) records?; ruled out unread: (\d+); matching: (\d+)", ["rows", "rows_ruled_out", "rows_wanted"]),
    (r"(\d+) of (\d+) bytes read, (\d+) of them page indexes and Bloom filters", ["bytes_read", "file_size", "index_bytes"]),
]


def report_of(errors):
    found = {}
    for pattern, names in LINES:
        match = re.search(pattern, errors)
        found.update(zip(names, match.groups()))
    return found


def rows(count=60):
    rooms = ["attic", "cellar", "garage", "kitchen"]
    for i in range(count):
        yield {"id": 1000 + 3 * i, "room": rooms[i * 4 // count], "temp": None if i % 7 == 3 else 15 + i * 37 % 50 / 10,
               "gone": None if i < count // 2 else i, "step": 100 * (i // 10) + i % 10, EVIL: f"</script>{i:03}", "tags": ["a", "b"][:i % 3]}


def make(run, folder, shared):
    """Yields (name, file, conditions)."""
    at = lambda name: os.path.join(folder, name)
    page_inputs.write(at("skips.ndjson"), "".join(json.dumps(row) + "\n" for row in rows()))
    run("import", "--row-group-rows", "20", "--page-size", "40", "--bloom", "id", "--bloom", "room", "-o", at("skips.parquet"), at("skips.ndjson"))
    name = '"' + EVIL.replace('"', '""') + '"'
    yield "groups", at("skips.parquet"), [
        "id = 1028", "id between 1030 and 1090 and room = 'cellar'", f"{name} >= '</script>05' or temp > 19.5", "gone is not null and gone > 45",
        "room not in ('attic', 'cellar') and not temp < 16", "id in (1000, 1001, 1003, 1178)", "tags[] = 'c' or gone is null", "step = 50"]
    run("import", "--no-page-index", "--row-group-rows", "20", "-o", at("no_index.parquet"), at("skips.ndjson"))
    yield "no_index", at("no_index.parquet"), ["id > 1150", "id = 1001"]
    run("import", "--page-size", "40", "-o", at("one.parquet"), at("skips.ndjson"))
    yield "one_group", at("one.parquet"), ["id < 1030 and temp > 17", "room = 'kitchen' or gone = 31"]
    data = os.path.join(shared or "", "parquet-testing", "data")
    for file, conditions in (
            ("data_index_bloom_encoding_stats.parquet", ["String = 'Hello'", "String = 'Hellp'", "String < 'B'"]),
            ("data_index_bloom_encoding_with_length.parquet", ["String = 'nobody'"]),
            ("alltypes_tiny_pages.parquet", ["id < 30"]), ("alltypes_tiny_pages.parquet", ["id = 7000 and tinyint_col = 3"]),
            ("alltypes_tiny_pages_plain.parquet", ["month = 13", "timestamp_col > '2011-01-01'"]),
            ("binary.parquet", ["foo = x'05'"]),
            ("nulls.snappy.parquet", ["b_struct.b_c_int is not null"])):
        if os.path.isfile(os.path.join(data, file)):
            yield file.split(".")[0] + (" and" if " and " in conditions[0] else ""), os.path.join(data, file), conditions
