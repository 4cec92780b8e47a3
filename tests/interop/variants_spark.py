#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""VARIANTs, shredded and not, to Spark and back. No test of the build, as Spark is large and slow to
start; to be run by hand, with Java 17 and a Python that has pyspark 4:

    python variants_spark.py build/tools/lamella

Spark 4.3 refuses times and timestamps of nanoseconds wherever they are, and UUIDs that are shredded.
All else comes and goes as it was.
"""

import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import variant_samples as samples

try:
    from pyspark.sql import SparkSession
except ImportError:
    print("skipped: pyspark is not installed")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
CASES = 15
NOT_SHREDDED = {"uuid"}  # in a column of their own Spark refuses these
# schema_of_variant and to_json of each kind; None where Spark refuses the value.
IN_SPARK = {
    "null": ("VOID", "null"),
    "boolean": ("BOOLEAN", "true"),
    "int8": ("BIGINT", "-5"),
    "int16": ("BIGINT", "-300"),
    "int32": ("BIGINT", "70000"),
    "int64": ("BIGINT", "-5000000000"),
    "float": ("FLOAT", "1.5"),
    "double": ("DOUBLE", "2.5"),
    "decimal4": ("DECIMAL(3,2)", "1.25"),
    "decimal8": ("DECIMAL(13,2)", "12345678901.25"),
    "decimal16": ("DECIMAL(22,2)", "12345678901234567890.25"),
    "date": ("DATE", '"2024-10-24"'),
    "time": None,
    "timestamp": ("TIMESTAMP", '"2024-10-24 12:13:14.000001+00:00"'),
    "timestamp_ntz": ("TIMESTAMP_NTZ", '"2024-10-24 12:13:14.000001"'),
    "timestamp_nanos": None,
    "timestamp_ntz_nanos": None,
    "binary": ("BINARY", '"qrs="'),
    "string": ("STRING", '"x"'),
    "uuid": ("UUID", '"eeccb8c5-9943-b2bb-bb5e-222f4e14b687"'),
}

failures = 0


def expect(same, what, *shown):
    global failures
    if not same:
        failures += 1
        print("FAILED:", what, *shown)


def lamella(*arguments, stdin=None):
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def write(folder, schema, lines, *options):
    path = os.path.join(folder, "a.parquet")
    text = "".join(line + "\n" for line in lines).encode()
    status, _, told = lamella("import", "--schema", schema, *options, "-o", path, "-", stdin=text)
    assert status == 0, told
    return path


def read(spark, path):
    frame = spark.read.parquet(path).coalesce(1)
    return [tuple(row) for row in frame.selectExpr("schema_of_variant(v)", "to_json(v)").collect()]


def check_kinds(spark, folder):
    for kind, (text, column) in samples.KINDS.items():
        schemas = [samples.PLAIN]
        if column is not None:
            pair = "optional binary value; optional %s;" % (column % "typed_value")
            schemas.append(samples.PLAIN.replace("required binary value;", pair))
        for schema in schemas:
            path = write(folder, schema, ['{"v":{"%s":%s}}' % (kind, text)], "--variant-form", "typed")
            try:
                found = read(spark, path)
            except Exception as error:  # whatever Java threw
                found = [None, str(error).splitlines()[0][:100]]
            what = "plain" if schema == samples.PLAIN else "shredded"
            print(f"{kind}, {what}: {found}")
            refused = IN_SPARK[kind] is None or (what == "shredded" and kind in NOT_SHREDDED)
            expect(found[0] == (None if refused else IN_SPARK[kind]), kind, what, found)


def plain(text):
    return None if text is None else samples.plain(text)


def check_values(spark, folder):
    for seed in range(1, CASES + 1):
        chance = random.Random(seed)
        shape = samples.random_shape(chance)
        values = [samples.random_value(chance, shape) for _ in range(30)]
        wanted = [samples.plain(json.dumps(value)) for value in values]
        for schema in (samples.PLAIN, samples.message(shape)):
            path = write(folder, schema, [json.dumps({"v": value}) for value in values])
            found = [plain(text) for _, text in read(spark, path)]
            expect(found == wanted, f"seed {seed}, read by Spark", schema)
        for shredded in (False, True):
            found = from_spark(spark, folder, values, shape if shredded else None)
            expect(found == wanted, f"seed {seed}, written by Spark", shape if shredded else "")


def from_spark(spark, folder, values, shape):
    path = os.path.join(folder, "spark")
    shutil.rmtree(path, ignore_errors=True)
    spark.conf.set("spark.sql.variant.writeShredding.enabled", str(shape is not None).lower())
    if shape is not None:
        schema = samples.engine_type(shape, 2)
        spark.conf.set("spark.sql.variant.forceShreddingSchemaForTest", schema)
    rows = [(n, json.dumps(value)) for n, value in enumerate(values)]
    frame = spark.createDataFrame(rows, "n int, j string").coalesce(1).sortWithinPartitions("n")
    frame.selectExpr("parse_json(j) AS v").write.parquet(path)
    (file,) = glob.glob(os.path.join(path, "*.parquet"))
    _, told, _ = lamella("check", file)
    expect(" error " not in told and " variant-" not in told, "check", told)
    status, printed, told = lamella("cat", file)
    expect(status == 0, "cat", told)
    texts = [json.dumps(json.loads(line, parse_float=float)["v"]) for line in printed.splitlines()]
    return [samples.plain(text) for text in texts]


def main():
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    folder = tempfile.mkdtemp(prefix="lamella-")
    try:
        check_kinds(spark, folder)
        check_values(spark, folder)
    finally:
        shutil.rmtree(folder)
    print(f"Spark {spark.version}: {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
