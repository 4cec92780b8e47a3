"""Files of writers that err, written by them, and read whole and in parts as what went in.

fastparquet leaves 8 zeros behind the values of each page. pyarrow before 12 counts wrong nulls and rows in
the headers of V2 pages and lets them begin inside a row; before 3.0 it calls compressed pages uncompressed.
Other versions are to be read as well. Each version has a virtual environment of its own, made by hand:

  python3.8 -m venv OLD/fastparquet-0.8.0 && OLD/fastparquet-0.8.0/bin/pip install fastparquet==0.8.0 'pandas<2'
  python3.8 -m venv OLD/pyarrow-2.0.0 && OLD/pyarrow-2.0.0/bin/pip install pyarrow==2.0.0 'numpy<1.24'
  python3.10 -m venv OLD/pyarrow-10.0.1 && OLD/pyarrow-10.0.1/bin/pip install pyarrow==10.0.1 'numpy<2'
  python3.13 -m venv OLD/fastparquet-newest && OLD/fastparquet-newest/bin/pip install fastparquet

Usage: old_writers.py LAMELLA LIBRARY OLD/fastparquet-0.8.0 OLD/pyarrow-2.0.0 ...
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CONDITIONS = ["i = 17", "i between 1490 and 1510", "i < 3 or i > 2990", "s = 'v2500'", "o is null and i < 40"]

# The rows of every file; `l` is for writers that know lists.
DATA = """
rows = [
    {
        "i": i, "f": i / 8, "b": i % 3 == 0, "s": "v%d" % i, "o": None if i % 7 == 2 else "o%d" % (i % 50),
        "l": None if i % 11 == 5 else [None if k == 3 else i * 10 + k for k in range(i % 6)],
    }
    for i in range(3000)
]
"""

FASTPARQUET = """
import os, sys, fastparquet, pandas
folder = sys.argv[1]
columns = {name: [row[name] for row in rows] for name in ("i", "f", "b", "s", "o")}
table = pandas.DataFrame(columns)
category = table.assign(o=pandas.Categorical(table["o"]))
for codec in (None, "GZIP"):
    name = os.path.join(folder, "%s.parquet" % codec)
    fastparquet.write(name, table, compression=codec, row_group_offsets=[0, 1000, 2900])
fastparquet.write(os.path.join(folder, "nulls.parquet"), table, has_nulls=True)
fastparquet.write(os.path.join(folder, "category.parquet"), category)
"""

PYARROW = """
import os, sys, pyarrow, pyarrow.parquet
folder = sys.argv[1]
table = pyarrow.table({name: [row[name] for row in rows] for name in rows[0]})
for version in ("1.0", "2.0"):
    for codec in ("NONE", "SNAPPY", "ZSTD"):
        for dictionary in (True, False):
            for statistics in (True, False):
                name = "%s-%s-%d-%d.parquet" % (version, codec, dictionary, statistics)
                pyarrow.parquet.write_table(
                    table, os.path.join(folder, name), data_page_version=version, compression=codec,
                    use_dictionary=dictionary, write_statistics=statistics, data_page_size=1000, row_group_size=1700,
                )
"""


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, check=False)


def records(*arguments):
    done = run("cat", *arguments)
    if done.returncode != 0:
        return done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def stream(path, **options):
    import lamella_ctypes  # needs pyarrow

    reader = lamella_ctypes.Reader(path)
    try:
        return reader.table(batch_rows=700, **options).to_pylist()
    except OSError as error:
        return str(error)
    finally:
        reader.close()


def wanted(row, condition):
    i = row["i"]
    return {
        "i = 17": i == 17,
        "i between 1490 and 1510": 1490 <= i <= 1510,
        "i < 3 or i > 2990": i < 3 or i > 2990,
        "s = 'v2500'": i == 2500,
        "o is null and i < 40": row["o"] is None and i < 40,
    }[condition]


def judge(path, rows):
    """What is wrong with a file that holds these rows."""
    problems = []

    def expect(what, got, truth):
        if got != truth:
            first = [] if isinstance(got, str) else [pair for pair in zip(got, truth) if pair[0] != pair[1]][:1]
            problems.append(f"{what}: {first or got}")

    expect("cat", records(path), rows)
    expect("stream", stream(path), rows)
    for skip in (1, 999, 1000, 1699, 1700, 2222, 2999):
        expect(f"skip {skip}", records("--skip", str(skip), "--limit", "25", path), rows[skip : skip + 25])
    for condition in CONDITIONS:
        truth = [row for row in rows if wanted(row, condition)]
        assert truth
        expect(condition, records("--where", condition, path), truth)
        expect(condition + " --no-pruning", records("--where", condition, "--no-pruning", path), truth)
        expect(condition + " stream", stream(path, where=condition), truth)
    check = run("check", "--quiet", path)
    if check.returncode != 0:
        problems.append(check.stdout.decode())
    return problems


def main():
    sys.path.insert(0, os.path.join(HERE, "..", "arrow"))
    import lamella_ctypes

    lamella_ctypes.load(sys.argv[2])
    given = {}
    exec(DATA, given)  # what the writers are given, too
    failed = False
    for environment in sys.argv[3:]:
        is_arrow = "pyarrow" in os.path.basename(environment)
        script, names = (PYARROW, "ifbsol") if is_arrow else (FASTPARQUET, "ifbso")
        rows = [{name: row[name] for name in names} for row in given["rows"]]
        with tempfile.TemporaryDirectory() as folder:
            python = os.path.join(environment, "bin", "python")
            subprocess.run([python, "-c", DATA + script, folder], check=True)
            files = sorted(os.listdir(folder))
            for name in files:
                problems = judge(os.path.join(folder, name), rows)
                failed |= bool(problems)
                for problem in problems:
                    print(f"{environment}: {name}: {problem}")
        print(f"{environment}: {len(files)} files")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
