# SPDX-License-Identifier: Apache-2.0
"""ARROW:schema as Lamella writes it is what pyarrow reads, and the other way round, for random schemas.

Takes the program tests/arrow/ipc_schema_lines.c and the seed of the first schemas, if any.
"""

import base64
import ctypes
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import engines  # noqa: E402  (starts itself again under the Python that has the engines)

import pyarrow as pa  # noqa: E402

import lamella_ctypes  # noqa: E402
import random_tables  # noqa: E402

COUNT = 1000
NULLABLE = 2


def lines(*arguments, values=()):
    """What the program says: pairs of a value and a description."""
    done = subprocess.run(
        [engines.PROGRAM, *arguments],
        input="".join(value + "\n" for value in values).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    pairs = [line.split("\t") for line in done.stdout.decode().splitlines()]
    return [(value, _canonical(json.loads(description))) for value, description in pairs]


def _pairs(blob):
    """Metadata as the C interface holds it."""
    if not blob:
        return []
    at = [0]

    def number():
        at[0] += 4
        return int.from_bytes(ctypes.string_at(blob + at[0] - 4, 4), sys.byteorder)

    def text():
        size = number()
        at[0] += size
        return ctypes.string_at(blob + at[0] - size, size).hex()

    return [[text(), text()] for _ in range(number())]


def _described(struct):
    return {
        "format": struct.format.decode(),
        "name": (struct.name or b"").hex(),
        "flags": struct.flags,
        "metadata": _pairs(struct.metadata),
        "children": [_described(struct.children[i].contents) for i in range(struct.n_children)],
        "dictionary": _described(struct.dictionary.contents) if struct.dictionary else None,
    }


def _canonical(description):
    """The order of metadata, and whether values of a dictionary are nullable, mean nothing."""
    return {
        **description,
        "metadata": sorted(description["metadata"]),
        "children": [_canonical(child) for child in description["children"]],
        "dictionary": description["dictionary"]
        and {**_canonical(description["dictionary"]), "flags": description["dictionary"]["flags"] & ~NULLABLE},
    }


def described(schema):
    """A schema of pyarrow by the struct ArrowSchema that it exports."""
    struct = lamella_ctypes.ArrowSchema()
    schema._export_to_c(ctypes.addressof(struct))
    found = _canonical(_described(struct))
    struct.release(ctypes.byref(struct))
    return found


def read(value):
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(value)))


class IpcSchemas(engines.EngineTest):
    def test_pyarrow_reads_what_is_written(self):
        seed = int(os.environ.get("LAMELLA_SEED", "1"))
        for at, (value, description) in enumerate(lines(str(seed), str(COUNT))):
            self.assertEqual(described(read(value)), description, f"schema {at} of seed {seed}")

    def test_what_pyarrow_writes_is_read_and_written_back(self):
        first = int(os.environ.get("LAMELLA_SEED", "1"))
        schemas = [
            random_tables.Types(random.Random(seed), random_tables.Kinds()).schema()
            for seed in range(first, first + COUNT)
        ]
        values = [base64.b64encode(schema.serialize().to_pybytes()).decode() for schema in schemas]
        found = lines(values=values)
        self.assertEqual(len(found), COUNT)
        for seed, (schema, (value, description)) in enumerate(zip(schemas, found), first):
            self.assertEqual(description, described(schema), f"seed {seed}")
            self.assertTrue(read(value).equals(schema, check_metadata=True), f"seed {seed}")


if __name__ == "__main__":
    engines.main()
