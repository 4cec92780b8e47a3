# SPDX-License-Identifier: Apache-2.0
"""Keeps a small corpus of what the fuzz targets have found, for replay.c.

    keep_inputs.py BUILD [TARGET...]    after tests/fuzz/run, whose BUILD has the targets and their corpora
    keep_inputs.py --check              whether the kept files can be read and are within their budget

libFuzzer's merge chooses inputs by the edges that they reach, from the seeds, the corpus and what was kept before. Of
those of at most INPUT_MOST bytes the smallest stay, up to FILE_MOST bytes: one file per target, TARGET.inputs in the
folder corpus, whose bytes replay.c draws.
"""

import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, "corpus")
MAGIC = b"lamfuzz1"
INPUT_MOST = 4096
FILE_MOST = 64 << 10
ALL_MOST = 1536 << 10


def pack(inputs):
    """The bytes of a file, smallest inputs first, as far as the budget goes."""
    packed = MAGIC
    for data in sorted(set(inputs), key=lambda data: (len(data), data)):
        entry = struct.pack("<I", len(data)) + data
        if len(data) <= INPUT_MOST and len(packed) + len(entry) <= FILE_MOST:
            packed += entry
    return packed


def unpack(packed):
    """The inputs of a file; ValueError when it is none."""
    if packed[: len(MAGIC)] != MAGIC:
        raise ValueError("does not begin with " + MAGIC.decode())
    inputs, at = [], len(MAGIC)
    while at < len(packed):
        if len(packed) - at < 4:
            raise ValueError(f"ends inside of a length at byte {at}")
        (size,) = struct.unpack_from("<I", packed, at)
        at += 4
        if size > INPUT_MOST or size > len(packed) - at:
            raise ValueError(f"has an input of {size} bytes at byte {at}")
        inputs.append(packed[at : at + size])
        at += size
    return inputs


def read(path):
    with open(path, "rb") as file:
        return file.read()


def kept_files():
    return sorted(name for name in os.listdir(KEPT)) if os.path.isdir(KEPT) else []


def check():
    """Problems of the kept files."""
    problems, total = [], 0
    for name in kept_files():
        packed = read(os.path.join(KEPT, name))
        total += len(packed)
        target = name[: -len(".inputs")]
        if not name.endswith(".inputs") or not os.path.isfile(os.path.join(HERE, f"fuzz_{target}.c")):
            problems.append(f"{name}: no such target")
        if len(packed) > FILE_MOST:
            problems.append(f"{name}: {len(packed)} bytes, and {FILE_MOST} are allowed")
        try:
            inputs = unpack(packed)
        except ValueError as fault:
            problems.append(f"{name}: {fault}")
            continue
        if pack(inputs) != packed:
            problems.append(f"{name}: inputs are not in order, or there twice")
    if total > ALL_MOST:
        problems.append(f"{total} bytes in all, and {ALL_MOST} are allowed")
    if total == 0:
        problems.append("no inputs are kept")
    return problems


def small_inputs(folders):
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(root, name)
                if os.path.getsize(path) <= INPUT_MOST:
                    yield read(path)


def keep(build, target):
    program = os.path.join(build, "tests", "fuzz", "fuzz_" + target)
    seeds = os.path.join(build, "tests", "fuzz", "corpus")
    kept = os.path.join(KEPT, target + ".inputs")
    seeds = os.path.join(seeds, target if os.path.isdir(os.path.join(seeds, target)) else "files")
    with tempfile.TemporaryDirectory(prefix="lamella-") as folder:
        found, merged = os.path.join(folder, "found"), os.path.join(folder, "merged")
        os.mkdir(found)
        os.mkdir(merged)
        inputs = list(small_inputs([os.path.join(build, "corpus-" + target), seeds]))
        inputs += unpack(read(kept)) if os.path.exists(kept) else []
        for number, data in enumerate(dict.fromkeys(inputs)):
            with open(os.path.join(found, str(number)), "wb") as file:
                file.write(data)
        subprocess.run(
            [program, "-merge=1", "-use_counters=0", f"-max_len={INPUT_MOST}", "-rss_limit_mb=2048", merged, found],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        packed = pack(small_inputs([merged]))
    os.makedirs(KEPT, exist_ok=True)
    with open(kept, "wb") as file:
        file.write(packed)
    print(f"{target}: {len(unpack(packed))} inputs of {len(inputs)}, {len(packed)} bytes")


def main():
    if sys.argv[1:] == ["--check"]:
        assert unpack(pack([b"bb", b"", b"a", b"a"])) == [b"", b"a", b"bb"]
        for broken in [b"", MAGIC + b"\1\0", MAGIC + b"\2\0\0\0a", MAGIC + b"\xff\xff\xff\xff"]:
            try:
                unpack(broken)
            except ValueError:
                continue
            sys.exit(f"{broken!r} is taken for inputs")
        problems = check()
        print("\n".join(problems) or f"{len(kept_files())} files of kept inputs")
        sys.exit(1 if problems else 0)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = sys.argv[1]
    names = sys.argv[2:] or sorted(
        name[len("fuzz_") :] for name in os.listdir(os.path.join(build, "tests", "fuzz"))
        if name.startswith("fuzz_") and os.access(os.path.join(build, "tests", "fuzz", name), os.X_OK)
        and os.path.isfile(os.path.join(build, "tests", "fuzz", name)) and name != "fuzz_seeds")
    for target in names:
        keep(build, target)


if __name__ == "__main__":
    main()
