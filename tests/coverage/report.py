# SPDX-License-Identifier: Apache-2.0
"""Sums up which branches of lib/ the tests take, by folder, and lists those that they do not take.

    report.py SOURCE BRANCHES.json [PLACE...]

BRANCHES.json is what gcovr writes. A branch that no test can take has a comment that says why, at the
end of its line or in the lines before it:

    /* unreachable: the schema was checked when the file was opened */

It is counted as marked, neither as taken nor as missed, and a mark on a line of which every branch is
taken is an error: the comment is not true. Kernels for processors that this machine does not have
are left out, and named.

Prints a table, then the missed branches of each PLACE. Exit 1 when an aim is missed.
"""
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

AIM = 98.0  # percent
WHOLE = re.compile(r"lib/(encoding|meta|page)/|lib/log/recover|lib/file/(schema_)?recover")  # of these, every branch
MARK = re.compile(r"/\* unreachable: (.*)")
KERNELS = {  # what /proc/cpuinfo calls what a kernel needs
    "avx512": "avx512bw",
    "avx2": "avx2",
    "neon": "asimd",
    "sse": "sse4_1",
}


def lacks(path, flags):
    """The instructions that a file of kernels is made for, when this processor lacks them."""
    for name, flag in KERNELS.items():
        if name in path.name and flag not in flags:
            return flag
    return None


def marked_lines(lines):
    """The numbers of the lines that a mark speaks of: its own, or the next with code."""
    marked = set()
    number = 0
    while number < len(lines):
        found = MARK.search(lines[number])
        if found:
            first = number
            while "*/" not in lines[number]:
                number += 1
            alone = lines[first].strip().startswith("/*")
            marked.add(number + 2 if alone else first + 1)
        number += 1
    return marked


def main():
    source = Path(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        files = json.load(file)["files"]
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = set(file.read().split())
    folders = defaultdict(Counter)
    missed = []
    false_marks = []
    left_out = []
    for entry in files:
        path = Path(entry["file"])
        flag = lacks(path, flags)
        if flag:
            left_out.append(f"{path} ({flag})")
            continue
        lines = (source / path).read_text(encoding="utf-8").splitlines()
        marks = marked_lines(lines)
        used = set()
        for line in entry["lines"]:
            number = line["line_number"]
            branches = [branch for branch in line["branches"] if not branch["throw"]]
            absent = sum(1 for branch in branches if branch["count"] == 0)
            sums = folders[path.parts[1]]
            sums["all"] += len(branches)
            sums["whole"] += len(branches) if WHOLE.match(str(path)) else 0
            if number in marks and (absent > 0 or line["count"] == 0):
                sums["marked"] += absent
                used.add(number)
            elif absent > 0:
                sums["missed"] += absent
                sums["missed whole"] += absent if WHOLE.match(str(path)) else 0
                missed.append((str(path), number, absent, len(branches), lines[number - 1].strip()))
        false_marks += [f"{path}:{number}" for number in sorted(marks - used)]

    total = sum(folders.values(), Counter())
    print(f'{"folder":12} {"branches":>8} {"marked":>7} {"missed":>7} {"taken":>8}')
    for name, sums in [*sorted(folders.items()), ("all", total)]:
        reachable = sums["all"] - sums["marked"]
        share = 100 * (reachable - sums["missed"]) / reachable if reachable else 100
        print(f'{name:12} {sums["all"]:8} {sums["marked"]:7} {sums["missed"]:7} {share:7.2f}%')
    for place in sys.argv[3:]:
        for path, number, absent, branches, text in missed:
            if path.startswith(f"lib/{place}"):
                print(f"{path}:{number}: {absent} of {branches}: {text}")
    for name in left_out:
        print(f"left out: {name}, which this processor lacks")
    for name in false_marks:
        print(f"not true: {name} is marked unreachable, and all of it is taken")
    print(f'encodings, meta, page, recovery: {total["missed whole"]} of {total["whole"]} missed')
    reachable = total["all"] - total["marked"]
    reached = 100 * (reachable - total["missed"]) >= AIM * reachable
    sys.exit(0 if reached and total["missed whole"] == 0 and not false_marks else 1)


main()
