#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of README.md and docs/results.md: five figures of Lamella beside pyarrow, DuckDB and Polars.

    bench/results.py LIBRARY CACHE [--rows N] [--rounds N]

In: what compare_arrow.py measures, on its flat and its nested table (a fifth of the rows), with one thread each.
Out: the table between the marks of both pages, with machine, date and versions. Rates are rows by the seconds
that the processor worked, which other work on the machine changes least; each is the median of the rounds.
"""

import datetime
import os
import platform
import re
import sys

import compare_arrow
import side_by_side

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = {"lamella": "Lamella", "pyarrow": "pyarrow", "duckdb": "DuckDB", "polars": "Polars"}
ENGINES = list(NAMES)
GROUP = 131072
# What is measured, of which table and codec; the words of the row, the figure, and whether more is better.
ROWS = [
    ("read", "flat", "snappy", "read a flat table, million rows/s", "rate"),
    ("read", "nested", "snappy", "read a nested table, million rows/s", "rate"),
    ("write", "nested", "zstd", "write a nested table, million rows/s", "rate"),
    ("write", "nested", "zstd", "size of that file, MB", "size"),
    ("stream", "nested", "zstd", "memory to read it in batches, MiB", "peak"),
]
_MARKS = re.compile(r"(<!-- peers -->\n)(.*?)(<!-- /peers -->)", re.DOTALL)


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    return names[0] if names else platform.machine()


def figure(kind, rounds, rows):
    if side_by_side.error_of(rounds):
        return "-"
    if kind == "rate":
        return f"{rows / side_by_side.middle(rounds, 'cpu') / 1e6:.2f}"
    if kind == "size":
        return f"{rounds[0]['size'] / 1e6:.1f}"
    return f"{side_by_side.peak(rounds) / 2**20:.0f}"


def table(options):
    measured = {}
    for what, data, codec, _, _ in ROWS:
        if (what, data, codec) not in measured:
            measured[what, data, codec] = compare_arrow.measure(options, data, what, codec, GROUP)
    lines = ["| one thread | " + " | ".join(NAMES[engine] for engine in ENGINES) + " |",
             "|---|" + "---|" * len(ENGINES)]
    for what, data, codec, words, kind in ROWS:
        results = measured[what, data, codec]
        rows = compare_arrow.rows_of(data, options.rows)
        lines.append(f"| {words} | " + " | ".join(figure(kind, results[engine, 1], rows) for engine in ENGINES) + " |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1] == "--serve":
        side_by_side.serve(sys.argv[2], side_by_side.ENGINES)
    parser = compare_arrow.argument_parser(__doc__)
    options = parser.parse_args()
    options.engines, options.groups, options.no_crc = ENGINES, [GROUP], False
    options.codecs, options.data = ["snappy", "zstd"], ["flat", "nested"]
    absent = [engine for engine in ENGINES if engine not in side_by_side.engines_present(ENGINES)]
    if absent:
        sys.exit(f"not installed: {', '.join(absent)}")
    compare_arrow.THREADS = {what: {engine: [1] for engine in ENGINES} for what in compare_arrow.THREADS}
    compare_arrow.prepare(options)
    made = table(options)
    versions = ", ".join(f"{name} {side_by_side.importlib.metadata.version(package)}"
                         for name, package in side_by_side.PACKAGES.items() if name != "arro3-io")
    told = (f"{datetime.date.today()}, {processor()}; {versions}; {options.rows:,} rows of a flat table, {options.rows // 5:,} of "
            "a nested one, with what each engine does when not asked, ZSTD of level 3:\n\n")
    print(told + made)
    for page in ("README.md", os.path.join("docs", "results.md")):
        path = os.path.join(ROOT, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not _MARKS.search(text):
            sys.exit(f"{page} has no marks for the table")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_MARKS.sub(lambda match: match.group(1) + (told if page != "README.md" else "") + made + match.group(3), text))


if __name__ == "__main__":
    main()
