# SPDX-License-Identifier: Apache-2.0
"""Writes rows with the DuckDB that is installed, 0.6 or newer. Usage: make_duckdb.py FOLDER"""

import os
import sys

import duckdb
import rows


def text(value):
    """A value in SQL that every version reads."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "'{}'::BLOB".format("".join("\\x{:02X}".format(byte) for byte in value))
    if isinstance(value, bool) or isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "'{}'".format(repr(value))
    if isinstance(value, list):
        return "[" + ", ".join(text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join("'{}': {}".format(key, text(item)) for key, item in value.items()) + "}"
    return "'{}'".format(str(value).replace("'", "''"))


TYPES = dict(
    id="BIGINT", flag="BOOLEAN", i8="TINYINT", i16="SMALLINT", i32="INTEGER", i64="BIGINT", u8="UTINYINT", few="INTEGER",
    u16="USMALLINT", u32="UINTEGER", u64="UBIGINT", f32="FLOAT", f64="DOUBLE", word="VARCHAR", url="VARCHAR",
    high="BLOB", rare="VARCHAR", nothing="INTEGER", day="DATE", edge="DATE", clock="TIME", moment="TIMESTAMP",
    rising="TIMESTAMP", d9="DECIMAL(9,2)", d18="DECIMAL(18,6)", d38="DECIMAL(38,10)", list="INTEGER[]",
    texts="VARCHAR[]", deep="BIGINT[][]", struct="STRUCT(x INTEGER, y VARCHAR)", people="STRUCT(x INTEGER, y VARCHAR)[]",
)
# Columns that are made in SQL from the row, each in a table with the rows.
MADE = {
    "uuid": "CASE WHEN r % 7 = 3 THEN NULL ELSE md5(r::VARCHAR)::UUID END",
    "interval": "INTERVAL (r % 40) MONTH + INTERVAL (r % 9) DAY + INTERVAL (r * 1000) MILLISECOND",
    "huge": "(r::HUGEINT * 17014118346046923173168730371588 - 5)",
    "uhuge": "(r::UHUGEINT * 3)",
    "map": "CASE WHEN r % 5 = 3 THEN NULL ELSE MAP([r, r + 1], ['a', NULL]) END",
    "map_text": "MAP(['k' || r], [[r, NULL]])",
    "array": "[r, NULL, r + 2]::INTEGER[3]",
    "arrays": "[[r, 1]::INTEGER[2], NULL, [2, r]::INTEGER[2]]",
    "nested_array": "[[r, r + 1], [5, 6]]::BIGINT[2][2]",
    "null_array": "(CASE WHEN r % 5 = 3 THEN NULL ELSE [r, 1] END)::BIGINT[2]",
    "enum": "(CASE WHEN r % 3 = 0 THEN 'oak' ELSE 'ash' END)::tree",
    "seconds": "TIMESTAMP_S '2020-01-01 00:00:00' + INTERVAL (r) SECOND",
    "millis": "('2020-01-01 00:00:00'::TIMESTAMP + INTERVAL (r) SECOND)::TIMESTAMP_MS",
    "nanos": "('2020-01-01 00:00:00'::TIMESTAMP + INTERVAL (r) SECOND)::TIMESTAMP_NS",
    "zoned": "('2020-01-01 00:00:00'::TIMESTAMP + INTERVAL (r) SECOND)::TIMESTAMPTZ",
    "clock_zone": "'12:34:56+02'::TIMETZ",
    "bits": "'0101'::BIT",
    "json": "('{\"a\": ' || r || '}')::JSON",
    "list_of_struct": "[{'a': r, 'b': [NULL, 'x' || r]}, NULL]",
    "variant": "CASE WHEN r % 7 = 3 THEN NULL ELSE {'event_type': 'login', 'count': r}::VARIANT END",
    "variant_mixed": "CASE r % 4 WHEN 0 THEN r::VARIANT WHEN 1 THEN ('t' || r)::VARIANT WHEN 2 THEN [r, 2]::VARIANT"
    " ELSE {'zebra': r, 'apple': {'y': 1, 'b': [true, NULL]}, 'm': 1.5}::VARIANT END",
    "variant_dates": "CASE r % 3 WHEN 0 THEN DATE '2020-01-01'::VARIANT WHEN 1 THEN 1.25::VARIANT"
    " ELSE TIMESTAMP '2020-01-01 01:02:03'::VARIANT END",
}
OPTIONS = {
    "": "",
    "-zstd": ", CODEC 'ZSTD'",
    "-gzip": ", CODEC 'GZIP'",
    "-lz4": ", CODEC 'LZ4_RAW'",
    "-brotli": ", CODEC 'BROTLI'",
    "-uncompressed": ", CODEC 'UNCOMPRESSED'",
    "-groups": ", ROW_GROUP_SIZE 2048",
    "-v2": ", PARQUET_VERSION V2",
    "-v2-groups": ", PARQUET_VERSION V2, ROW_GROUP_SIZE 2048",
    "-plain": ", STRING_DICTIONARY_PAGE_SIZE_LIMIT 1, DICTIONARY_SIZE_LIMIT 1",
}


def copy(connection, folder, query, name, options):
    path = os.path.join(folder, name + ".parquet")
    try:
        connection.execute("COPY ({}) TO '{}' (FORMAT PARQUET{})".format(query, path, options))
    except Exception as error:  # what a version cannot is no fault
        print("{}: {}".format(name, str(error).splitlines()[0]))
        if os.path.exists(path):
            os.remove(path)


def main(folder):
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    columns = dict(rows.flat(), **rows.integers())
    for more in (rows.times(), rows.decimals(), rows.nested()):
        columns.update(more)
    connection.execute("CREATE TABLE t ({})".format(", ".join('"{}" {}'.format(n, TYPES[n]) for n in columns)))
    lines = list(zip(*columns.values()))
    for begin in range(0, len(lines), 100):
        values = ", ".join("(" + ", ".join(text(value) for value in line) + ")" for line in lines[begin : begin + 100])
        connection.execute("INSERT INTO t VALUES " + values)
    for suffix, options in OPTIONS.items():
        copy(connection, folder, "SELECT * FROM t", "table" + suffix, options)
    connection.execute("CREATE TYPE tree AS ENUM ('oak', 'ash')")
    for name, expression in MADE.items():
        query = 'SELECT r AS id, {} AS "{}" FROM range(3000) AS s(r)'.format(expression, name)
        for suffix in ("", "-v2-groups" if "PARQUET_VERSION" in OPTIONS["-v2"] else "-groups"):
            copy(connection, folder, query, name + suffix, OPTIONS[suffix])
    copy(connection, folder, "SELECT {'event_type': 'login', 'count': 42}::VARIANT AS v", "variant_one", "")


main(sys.argv[1])
