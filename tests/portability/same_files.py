# SPDX-License-Identifier: Apache-2.0
"""What the program of another machine prints and writes against what this machine's does.

    same_files.py FOREIGN-BUILD NATIVE-BUILD

Every byte must be the same: what each command says of every shared file, sound or broken; the files
that records make; and the corpora that tests/fuzz/fuzz_seeds makes of files, pages, values and
arrays. Where LZ4 compresses, whose library finds other matches on other machines, each program reads
what the other has written. Without the shared data only the corpora are compared.
"""

import concurrent.futures
import filecmp
import os
import subprocess
import sys
import tempfile

FOREIGN, NATIVE = (os.path.abspath(folder) for folder in sys.argv[1:3])
SHARED = os.environ.get("LAMELLA_SHARED") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../../shared"
)
COMMANDS = ["cat", "schema", "meta --json --verbose", "pages --index", "levels", "check"]
IMPORTS = [
    "",
    "--codec snappy --data-page-version 2 --auto-bloom",
    "--codec gzip --compat max --page-size 1KiB",
    "--codec brotli --compat newest --row-group-rows 100",
    "--codec lz4_raw --no-dictionary --float-total-order --int96-order",
    "--codec uncompressed --compat newest --no-dictionary --data-page-version 2",
]
# Input of other kinds than files and pages: arrays as they lie in memory.
OF_THE_MACHINE = {"encoder", "arrow_schema"}


def run(build, arguments, stdin=None):
    """Status, standard output and standard error."""
    done = subprocess.run(
        [os.path.join(build, "tools", "lamella"), *arguments],
        input=stdin,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def shared_files():
    for folder in ["parquet-testing", "hostile"]:
        for root, _, names in os.walk(os.path.join(SHARED, folder)):
            for name in sorted(names):
                path = os.path.join(root, name)
                if folder == "hostile" or name.endswith(".parquet"):
                    yield path


def differences_of_commands(path):
    for command in COMMANDS:
        arguments = [*command.split(), path]
        if run(FOREIGN, arguments) != run(NATIVE, arguments):
            yield f"lamella {command} {path}"


def makes_the_same(options, source, folder, stdin=None):
    made = []
    for build, other in ((FOREIGN, NATIVE), (NATIVE, FOREIGN)):
        out = os.path.join(folder, "out.parquet")
        result = run(build, ["import", *options, "-o", out, source], stdin)
        if result[0] != 0:
            made.append(result)
        elif "lz4_raw" in options:
            made.append((result, run(other, ["cat", out])))
        else:
            with open(out, "rb") as file:
                made.append((result, file.read()))
    return made[0] == made[1]


def differences_of_imports(path, folder):
    """Records of a file, written anew by both programs; broken files have none."""
    status, schema, _ = run(NATIVE, ["schema", path])
    printed, records, _ = run(NATIVE, ["cat", "--variant", "storage", path])
    if status != 0 or printed != 0 or len(records) > 4 << 20:
        return
    text = os.path.join(folder, "schema")
    with open(text, "wb") as file:
        file.write(schema)
    for options in IMPORTS:
        arguments = ["--variant-form", "storage", "--schema", text, *options.split()]
        if not makes_the_same(arguments, "-", folder, records):
            yield f"lamella import {options} of the records of {path}"


def differences_of_inference(path, folder):
    for options in ["", "--variant-all", "--variant-all --shred none"]:
        if not makes_the_same(options.split(), path, folder):
            yield f"lamella import {options} {path}"


def compare(path):
    with tempfile.TemporaryDirectory(prefix="lamella-") as folder:
        if path.endswith("json"):
            return list(differences_of_inference(path, folder))
        return [*differences_of_commands(path), *differences_of_imports(path, folder)]


def differences_of_corpora():
    """Names of the files that differ, and how many were compared."""
    differ, count = [], 0
    one, other = (os.path.join(build, "tests", "fuzz", "corpus") for build in (FOREIGN, NATIVE))
    for name in sorted(set(os.listdir(one)) | set(os.listdir(other))):
        if name in OF_THE_MACHINE:
            continue
        names = sorted(set(os.listdir(f"{one}/{name}")) | set(os.listdir(f"{other}/{name}")))
        same, *others = filecmp.cmpfiles(f"{one}/{name}", f"{other}/{name}", names, shallow=False)
        differ += [f"corpus/{name}/{file}" for file in sum(others, [])]
        count += len(same)
    return differ, count


def main():
    differ, count = differences_of_corpora()
    print(f"corpora: {count} files are the same, {len(differ)} are not")
    paths = list(shared_files())
    for folder in [os.path.join(SHARED, "cases"), "/usr/share/iso-codes/json"]:
        if os.path.isdir(folder):
            paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    paths.append(os.path.join(os.path.dirname(__file__), "../../docs/records/robots.ndjson"))
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        of_files = list(pool.map(compare, paths))
    bad = sum(1 for found in of_files if found)
    print(f"shared files: all is the same for {len(paths) - bad}, but not for {bad}")
    differ += sum(of_files, [])
    for line in differ:
        print(f"differs: {line}")
    return 1 if differ or count == 0 else 0


sys.exit(main())
