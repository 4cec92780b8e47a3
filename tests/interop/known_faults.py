# SPDX-License-Identifier: Apache-2.0
"""Files that real writers got wrong, made by those writers: no row may be lost by pruning.

Each PYTHON is one of an environment with an old pyarrow or Polars. It runs this script again to write what
its version errs in, as far as it has that fault; then conditions are asked with and without pruning, and
lamella meta must name a fault wherever the bounds are wrong. Not part of the tests, which have no old
writers: forged.py stands in for them there. Environments that show the faults of lib/meta/known_faults.c:

  python3.8 -m venv E && E/bin/pip install pyarrow==3.0.0 'numpy<1.24'    (and 2.0, 5.0, 6.0.1, 8.0, 10.0.1)
  python3.11 -m venv E && E/bin/pip install polars==1.36.1

Usage: known_faults.py LAMELLA PYTHON...
"""

import collections
import decimal
import os
import re
import subprocess
import sys
import tempfile

CONDITIONS = {
    "decimals": ["d = 400.00", "d > 3.5", "d < 0", "d = 1.27"],
    "nulls": ["s is null", "s is not null"],
    "chunks": ["s = 'zzz'", "s > 'sean'", "s = 'aa'"],
    "pages": ["d < 0", "d >= 0", "d = -10.0000"],
}


def write_with_pyarrow(folder):
    import pyarrow
    import pyarrow.parquet

    def write(name, table):
        pyarrow.parquet.write_table(table, os.path.join(folder, name + ".parquet"))

    numbers = [decimal.Decimal(number) / 100 for number in (100, 200, 300, 40000, -5, 127, 128)]
    write("decimals", pyarrow.table({"d": pyarrow.array(numbers, pyarrow.decimal128(20, 2))}))
    write("nulls", pyarrow.table({"s": pyarrow.array(["b", None, "a", None, "c"]).dictionary_encode()}))
    parts = [["rusty", "sean", "aa"], ["zzz"]]
    words = pyarrow.chunked_array([pyarrow.array(part).dictionary_encode() for part in parts])
    table = pyarrow.Table.from_arrays([words], names=["s"])
    if hasattr(table, "unify_dictionaries"):
        write("chunks", table.unify_dictionaries())


def write_with_polars(folder):
    import polars

    numbers = [decimal.Decimal(-(10**12) + i * 10**7).scaleb(-4) for i in range(200000)]
    frame = polars.DataFrame({"d": polars.Series(numbers, dtype=polars.Decimal(24, 4))})
    frame.write_parquet(os.path.join(folder, "pages.parquet"), statistics=True, row_group_size=200001)


def write(folder):
    try:
        write_with_pyarrow(folder)
    except ImportError:
        write_with_polars(folder)


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, check=False)


def compare(program, path):
    """How many rows pruning loses and invents, the fault of the writer by its source, whether bounds or counts are wrong."""
    lost = invented = 0
    for condition in CONDITIONS[os.path.basename(path).split(".")[0]]:
        without = run(program, "cat", "--no-pruning", "--where", condition, path)
        pruned = run(program, "cat", "--where", condition, path)
        if without.returncode != 0 or pruned.returncode != 0:
            sys.exit(f"{path}: {condition}: {(without.stderr + pruned.stderr).decode()}")
        true, got = (collections.Counter(done.stdout.splitlines()) for done in (without, pruned))
        lost += sum((true - got).values())
        invented += sum((got - true).values())
    told = re.findall(rb"known fault: .*\((.*)\)", run(program, "meta", path).stdout)
    wrong = re.findall(rb": error ([a-z-]+): ", run(program, "check", path).stdout)
    return lost, invented, b"; ".join(told).decode(), sorted({rule.decode() for rule in wrong})


def main():
    program, problems = sys.argv[1], 0
    for python in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([python, "-B", os.path.abspath(__file__), "--write", folder], check=True)
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                lost, invented, told, wrong = compare(program, path)
                writer = re.search(rb"created by: +(.*)", run(program, "meta", path).stdout)[1].decode()
                print(f"{writer}: {name}: {lost} rows lost, {invented} invented; "
                      f"wrong: {' '.join(wrong) or '-'}; told: {told or '-'}")
                problems += lost + invented > 0 or (bool(wrong) and not told)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2])
    else:
        main()
