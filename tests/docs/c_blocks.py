# SPDX-License-Identifier: Apache-2.0
"""The blocks of C in the pages of the documentation.

Usage: c_blocks.py PAGE NUMBER OUT      writes block NUMBER, from 1, of a page
       c_blocks.py --check NAME...      fails unless the blocks are those named, PAGE_NUMBER
"""

import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.S | re.M)


def blocks(page):
    with open(page, encoding="utf-8") as file:
        return BLOCK.findall(file.read())


def check(names):
    pages = glob.glob(os.path.join(ROOT, "*.md")) + glob.glob(os.path.join(ROOT, "docs", "*.md"))
    found = set()
    for page in pages:
        stem = os.path.splitext(os.path.basename(page))[0]
        found |= {f"{stem}_{i + 1}" for i in range(len(blocks(page)))}
    for name in sorted(found ^ set(names)):
        print(f"{name}: {'no program runs this block' if name in found else 'there is no such block'}")
    return 1 if found != set(names) or not found else 0


def main():
    if sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2:]))
    page, number, out = sys.argv[1:]
    with open(out, "w", encoding="utf-8") as file:
        file.write(blocks(page)[int(number) - 1])


if __name__ == "__main__":
    main()
