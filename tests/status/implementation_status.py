# SPDX-License-Identifier: Apache-2.0
"""Each row of the format's table of implementations, tried: what is claimed is done here, with pyarrow or
DuckDB on the other side, and what is not claimed is refused with a reason. docs/format.md has the table that
tools/status makes of the outcome.

The rows are those of parquet.apache.org, "Implementation status". Usage: implementation_status.py LAMELLA
"""

import datetime
import decimal
import json
import os
import re
import struct
import subprocess
import sys
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), name) for name in ("interop", "conformance")]
import engines  # noqa: E402
import footer_edit  # noqa: E402

pa, pq, duckdb = engines.pyarrow, engines.pyarrow.parquet, engines.duckdb
PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(engines.PROGRAM)), "tests")
FOLDER = engines.tempfile.mkdtemp(prefix="lamella-")
PATH = os.path.join(FOLDER, "a.parquet")
ROWS = []
MANY = list(range(3000))
BY_BLOOM = r"(\d+) by Bloom filters"


def need(condition, *what):
    if not condition:
        raise AssertionError(what)


def write(message, values, *options):
    """A file with the column c of these JSON values."""
    text = "".join(json.dumps({"c": value}) + "\n" for value in values).encode()
    engines.lamella("import", "--schema", f"message m {{ {message} }}", *options, "-o", PATH, "-", stdin=text)
    engines.lamella("check", PATH)


def printed(*options):
    return [json.loads(line)["c"] for line in engines.lamella("cat", *options, PATH).splitlines()]


def seen():
    return engines.read_pyarrow(PATH).column("c").to_pylist()


def meta(*options):
    return json.loads(engines.lamella("meta", "--json", *options, PATH))["row_groups"]


def column():
    return meta()[0]["columns"][0]


def refused(pattern, *arguments, stdin=None):
    try:
        engines.lamella(*arguments, stdin=stdin)
    except engines.Failure as failure:
        need(re.search(pattern, str(failure)), str(failure))
        return
    raise AssertionError(f"{arguments} should be refused")


def row(category, name, read=None, write=None, not_read=None, not_write=None):
    """`read` and `write` show what is done; `not_read` and `not_write` that it is refused."""
    ROWS.append((category, name, [("read", read, not_read), ("write", write, not_write)]))


def program(name, pattern):
    """Another test of the build, which is to pass."""

    def run():
        done = subprocess.run([os.path.join(PROGRAMS, name), "--filter", pattern], capture_output=True, check=False)
        report = (done.stdout + done.stderr).decode()
        need(done.returncode == 0 and re.search(r"Tested: \D*[1-9]|\b[1-9]\d* tests, 0 failed", report), report)

    return run


# --- Types ----------------------------------------------------------------------------------------


def type_row(category, name, message, values, wanted=None, array=None, physical=None, logical=None, options=(), **parquet):
    """Written by the program and seen by pyarrow; written by pyarrow, where it can, and printed."""
    wanted = values if wanted is None else wanted

    def writes():
        write(message, values, *options)
        schema = pq.ParquetFile(PATH).schema.column(0)
        need(physical is None or schema.physical_type == physical, schema)
        need(logical is None or logical in (schema.logical_type.type, schema.converted_type), schema)
        need(seen() == wanted, seen(), wanted)

    def reads():
        if array is None:
            write(message, values, *options)
        else:
            pq.write_table(pa.table({"c": array}), PATH, **parquet)
        need(printed() == values, printed(), values)

    row(category, name, reads, writes)


def types():
    kind = "Physical types"
    type_row(kind, "BOOLEAN", "optional boolean c;", [True, None, False], array=pa.array([True, None, False]), physical="BOOLEAN")
    for bits in (32, 64):
        numbers = [-(2 ** (bits - 1)), None, 2 ** (bits - 1) - 1]
        type_row(kind, f"INT{bits}", f"optional int{bits} c;", numbers, array=pa.array(numbers, f"int{bits}"), physical=f"INT{bits}")
    stamp = datetime.datetime(2024, 10, 24, 12, 34, 56, 789000)
    type_row(kind, "INT96", "optional int96 c;", ["2024-10-24T12:34:56.789000000", None], [stamp, None], pa.array([stamp, None], pa.timestamp("ns")), "INT96", use_deprecated_int96_timestamps=True)
    type_row(kind, "FLOAT", "optional float c;", [0.5, None, -1e30], [0.5, None, struct.unpack("f", struct.pack("f", -1e30))[0]], pa.array([0.5, None, -1e30], "float32"), "FLOAT")
    type_row(kind, "DOUBLE", "optional double c;", [0.1, None, 1e300], array=pa.array([0.1, None, 1e300]), physical="DOUBLE")
    type_row(kind, "BYTE_ARRAY", "optional binary c;", ["AP8=", None, ""], [b"\0\xff", None, b""], pa.array([b"\0\xff", None, b""]), "BYTE_ARRAY")
    type_row(kind, "FIXED_LEN_BYTE_ARRAY", "optional fixed_len_byte_array(2) c;", ["AP8=", None], [b"\0\xff", None], pa.array([b"\0\xff", None], pa.binary(2)), "FIXED_LEN_BYTE_ARRAY")

    kind = "Logical types"
    type_row(kind, "STRING", "optional binary c (STRING);", ["\u00e4", None, ""], array=pa.array(["\u00e4", None, ""]), logical="STRING")
    type_row(kind, "ENUM", "optional binary c (ENUM);", ["A", None], [b"A", None], logical="ENUM")
    one = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
    type_row(kind, "UUID", "optional fixed_len_byte_array(16) c (UUID);", [str(one), None], [one, None], pa.array([one.bytes, None], pa.uuid()), logical="UUID")
    ints = [(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
    row(kind, "8, 16, 32, 64 bit signed and unsigned INT", lambda: [integers(*one, True) for one in ints], lambda: [integers(*one, False) for one in ints])
    for name, message in [("INT32", "int32 c (DECIMAL(9,2))"), ("INT64", "int64 c (DECIMAL(18,2))"), ("BYTE_ARRAY", "binary c (DECIMAL(30,2))"), ("FIXED_LEN_BYTE_ARRAY", "fixed_len_byte_array(16) c (DECIMAL(38,2))")]:
        values = [decimal.Decimal("-12.34"), None, decimal.Decimal("1.00")]
        size = {"INT32": 9, "INT64": 18, "FIXED_LEN_BYTE_ARRAY": 38}.get(name)
        type_row(kind, f"DECIMAL ({name})", f"optional {message};", [-12.34, None, 1.0], values, size and pa.array(values, pa.decimal128(size, 2)), name, "DECIMAL", store_decimal_as_integer=name.startswith("INT"))
    type_row(kind, "FLOAT16", "optional fixed_len_byte_array(2) c (FLOAT16);", [1.5, None], array=pa.array([1.5, None], pa.float16()), logical="FLOAT16")
    day = datetime.date(2024, 10, 24)
    type_row(kind, "DATE", "optional int32 c (DATE);", ["2024-10-24", None], [day, None], pa.array([day, None]), "INT32", "DATE")
    clock = datetime.time(12, 34, 56, 789000)
    type_row(kind, "TIME (INT32)", "optional int32 c (TIME(MILLIS,true));", ["12:34:56.789", None], [clock, None], pa.array([clock, None], pa.time32("ms")), "INT32", "TIME")
    type_row(kind, "TIME (INT64)", "optional int64 c (TIME(MICROS,true));", ["12:34:56.789000", None], [clock, None], pa.array([clock, None], pa.time64("us")), "INT64", "TIME")
    type_row(kind, "TIMESTAMP (INT64)", "optional int64 c (TIMESTAMP(MICROS,false));", ["2024-10-24T12:34:56.789000", None], [stamp, None], pa.array([stamp, None], pa.timestamp("us")), "INT64", "TIMESTAMP")
    type_row(kind, "INTERVAL", "optional fixed_len_byte_array(12) c (INTERVAL);", [{"months": 1, "days": 2, "millis": 3}, None], [struct.pack("<III", 1, 2, 3), None], logical="INTERVAL")
    type_row(kind, "JSON", "optional binary c (JSON);", ['{"a": 1}', None], logical="JSON")
    document = struct.pack("<i", 5) + b"\0"
    type_row(kind, "BSON", "optional binary c (BSON);", ["BQAAAAA=", None], [document, None], logical="BSON")
    row(kind, "VARIANT", variants(False), variants(True))
    point = struct.pack("<BIdd", 1, 1, 1.0, 2.0)
    text = "AQEAAAAAAAAAAADwPwAAAAAAAABA"
    type_row(kind, "GEOMETRY", "optional binary c (GEOMETRY);", [text, None], [point, None], logical="GEOMETRY")
    type_row(kind, "GEOGRAPHY", "optional binary c (GEOGRAPHY);", [text, None], [point, None], logical="GEOGRAPHY")
    lists = [[1, None, 2], None, []]
    type_row(kind, "LIST", "optional group c (LIST) { repeated group list { optional int32 element; } }", lists, array=pa.array(lists, pa.list_(pa.int32())))
    maps = [[("a", 1), ("b", None)], None, []]
    type_row(kind, "MAP", "optional group c (MAP) { repeated group key_value { required binary key (STRING); optional int32 value; } }", [dict(one) if one is not None else None for one in maps], maps, pa.array(maps, pa.map_(pa.string(), pa.int32())))
    type_row(kind, "UNKNOWN (always null)", "optional int32 c (UNKNOWN);", [None, None], array=pa.nulls(2))


def integers(bits, signed, is_read):
    name = f"{'' if signed else 'u'}int{bits}"
    values = [-(2 ** (bits - 1)), None, 2 ** (bits - 1) - 1] if signed else [0, None, 2**bits - 1]
    if is_read:
        pq.write_table(pa.table({"c": pa.array(values, name)}), PATH)
        need(printed() == values, printed())
    else:
        write(f"optional int{max(bits, 32)} c (INTEGER({bits},{str(signed).lower()}));", values)
        need(seen() == values and str(engines.read_pyarrow(PATH).schema.field("c").type) == name, seen())


def variants(is_write):
    values = [{"a": 1, "b": [True, None, "x"]}, None, 5]

    def run():
        write("optional group c (VARIANT) { required binary metadata; required binary value; }", values)
        if not is_write:
            need(printed() == values, printed())
            return
        storage = engines.read_pyarrow(PATH).column("c").combine_chunks()
        storage = getattr(storage, "storage", storage).to_pylist()
        need(storage[2]["metadata"][0] & 15 == 1 and storage[2]["value"] == bytes([3 << 2, 5]), storage)

    return run


# --- Encodings and codecs -------------------------------------------------------------------------


def encoding_row(name, message, values, array, shown=None):
    """`shown` is the name of the encoding where the row is about some types of it."""
    encoding = shown or name
    read_values = array.to_pylist() if not pa.types.is_binary(array.type) else values

    def writes():
        write(f"required {message};", values, "--encoding", f"c={encoding}", "--page-size", "1000")
        need(encoding in column()["encodings"], column())
        need(seen() == array.to_pylist(), seen()[:5])

    def reads():
        pq.write_table(pa.table({"c": array}), PATH, use_dictionary=False, column_encoding={"c": encoding})
        need(encoding in column()["encodings"], column())
        need(printed() == read_values, printed()[:5])

    row("Encodings", name, reads, writes)


def encodings():
    numbers, texts = pa.array(MANY, "int64"), [f"name {number % 70}" for number in MANY]
    reals = [number / 8 for number in MANY]
    encoding_row("PLAIN", "int64 c", MANY, numbers)

    def dictionary(version, encoding):
        def run():
            pq.write_table(pa.table({"c": texts}), PATH, version=version)
            need(encoding in column()["encodings"] and printed() == texts, column())

        return run

    row("Encodings", "PLAIN_DICTIONARY", dictionary("1.0", "PLAIN_DICTIONARY"), not_write=lambda: refused("deprecated", "import", "--schema", "message m { required binary c; }", "--encoding", "c=plain_dictionary", "-o", PATH, "-", stdin=b""))

    def write_dictionary():
        write("required binary c (STRING);", texts, "--encoding", "c=rle_dictionary")
        need("RLE_DICTIONARY" in column()["encodings"] and seen() == texts, column())

    row("Encodings", "RLE_DICTIONARY", dictionary("2.6", "RLE_DICTIONARY"), write_dictionary)
    flags = [number % 7 < 3 for number in MANY]
    encoding_row("RLE", "boolean c", flags, pa.array(flags))
    row("Encodings", "BIT_PACKED (deprecated)", program("test_bit_packed", "*"), not_write=lambda: refused("deprecated", "import", "--schema", "message m { required int32 c; }", "--encoding", "c=bit_packed", "-o", PATH, "-", stdin=b""))
    encoding_row("DELTA_BINARY_PACKED", "int64 c", MANY, numbers)
    encoding_row("DELTA_LENGTH_BYTE_ARRAY", "binary c (STRING)", texts, pa.array(texts))
    encoding_row("DELTA_BYTE_ARRAY", "binary c (STRING)", texts, pa.array(texts))
    encoding_row("BYTE_STREAM_SPLIT", "double c", reals, pa.array(reals))
    encoding_row("BYTE_STREAM_SPLIT (Additional Types)", "int64 c", MANY, numbers, "BYTE_STREAM_SPLIT")

    for name in ("UNCOMPRESSED", "BROTLI", "GZIP", "LZ4 (deprecated)", "LZ4_RAW", "LZO", "SNAPPY", "ZSTD"):
        codec(name, texts)


def codec(name, texts):
    def writes():
        write("required binary c (STRING);", texts, "--codec", name.lower())
        need(column()["codec"] == name and seen() == texts, column())

    def reads():
        pq.write_table(pa.table({"c": texts}), PATH, compression={"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(name, name))
        need(column()["codec"] == name and printed() == texts, column())

    def not_written():
        refused("--codec cannot be", "import", "--codec", name.split()[0].lower(), "-o", PATH, "-", stdin=b"")

    def lzo_is_refused():
        edit_chunks(lambda chunk: footer_edit.get(chunk, 3).__setitem__(4, (footer_edit.I32, 3)))
        refused("LZO", "cat", PATH)

    if name == "LZO":
        row("Compressions", name, not_read=lzo_is_refused, not_write=not_written)
    elif name == "LZ4 (deprecated)":
        row("Compressions", name, program("test_codec_lz4", "*"), not_write=not_written)
    else:
        row("Compressions", name, reads, writes)


def edit_chunks(edit):
    """A small file with its column chunks edited."""
    pq.write_table(pa.table({"c": [1, 2]}), PATH, compression="none")
    with open(PATH, "rb") as file:
        body, tree = footer_edit.footer_of(file.read())
    for chunk in footer_edit.chunks(tree):
        edit(chunk)
    with open(PATH, "wb") as file:
        file.write(footer_edit.file_of(body, tree))


# --- Features -------------------------------------------------------------------------------------


def explained(condition, wanted, pattern):
    done = subprocess.run([engines.PROGRAM, "cat", "--where", condition, "--explain", PATH], capture_output=True, check=True)
    need(len(done.stdout.splitlines()) == wanted, done.stdout[:200])
    found = re.search(pattern, done.stderr.decode())
    need(found and int(found[1]) > 0, done.stderr.decode())


def shuffled():
    return [number * 7919 % 100003 for number in MANY]


def features():
    kind = "Other format level features"

    def write_bloom():
        write("required int64 c;", shuffled(), "--bloom", "c", "--row-group-rows", "1000")
        asked = duckdb.connect().execute("select bloom_filter_excludes from parquet_bloom_probe(?, 'c', 7919)", [PATH]).fetchall()
        need([excludes for (excludes,) in asked] == [False, True, True], asked)

    def read_bloom():
        values = [number % 300 * 7919 % 100003 for number in MANY]  # DuckDB has filters where it has dictionaries
        duckdb.connect().from_arrow(pa.table({"c": values})).write_parquet(PATH, row_group_size=2048)
        need("bloom_filter_offset" in column() and 5 not in values, column())
        explained("c = 5", 0, BY_BLOOM)

    def bloom_length(write_it):
        def run():
            write_it()
            need(column()["bloom_filter_length"] > 32, column())
            need(pq.read_metadata(PATH).row_group(0).column(0).bloom_filter_length == column()["bloom_filter_length"])

        return run

    row(kind, "xxHash-based bloom filters", read_bloom, write_bloom)
    row(kind, "Bloom filter length", bloom_length(read_bloom), bloom_length(write_bloom))

    def statistics(write_it):
        def run():
            write_it()
            stated, other = column(), pq.read_metadata(PATH).row_group(0).column(0).statistics
            need((stated["min"], stated["max"], stated["nulls"]) == (other.min, other.max, other.null_count) == (0, 2999, 0), stated)

        return run

    by_pyarrow = lambda **options: lambda: pq.write_table(pa.table({"c": MANY}), PATH, **options)
    by_lamella = lambda *options: lambda: write("required int64 c;", MANY, *options)
    row(kind, "Statistics min_value, max_value", statistics(by_pyarrow()), statistics(by_lamella()))

    def page_index(write_it):
        def run():
            write_it()
            need(pq.read_metadata(PATH).row_group(0).column(0).has_offset_index)
            pages = [json.loads(line) for line in engines.lamella("pages", "--index", "--json", PATH).splitlines()]
            need(len(pages) > 1 and pages[0]["min"] == 0 and pages[-1]["max"] == 2999, pages)

        return run

    pages = {"write_page_index": True, "max_rows_per_page": 500, "use_dictionary": False}
    row(kind, "Page index", page_index(by_pyarrow(**pages)), page_index(by_lamella("--page-size", "2000")))

    def crc(write_it):
        def run():
            write_it()
            need(seen() == MANY and printed() == MANY)
            page = json.loads(engines.lamella("pages", "--json", PATH).splitlines()[-1])
            need("crc" in page, page)
            with open(PATH, "r+b") as file:
                file.seek(page["offset"] + page["header_size"])
                byte = file.read(1)[0]
                file.seek(-1, 1)
                file.write(bytes([byte ^ 1]))
            refused("checksum", "cat", PATH)

        return run

    row(kind, "Page CRC32 checksum", crc(by_pyarrow(write_page_checksum=True)), crc(by_lamella()))

    def encrypted_is_refused():
        with open(PATH, "wb") as file:
            file.write(b"PARE" + bytes(40) + struct.pack("<I", 40) + b"PARE")
        refused("encrypted", "cat", PATH)

    row(kind, "Modular encryption", not_read=encrypted_is_refused, not_write=lambda: refused("unknown option --encrypt", "import", "--encrypt", "-o", PATH, "-"))

    def sizes(write_it):
        def run():
            write_it()
            stated = column()
            need((stated["unencoded_bytes"], stated["definition_histogram"], stated["repetition_histogram"]) == (3, [1, 1, 1, 2], [3, 2]), stated)

        return run

    lists = [["a", None, "bc"], None, []]
    message = "optional group c (LIST) { repeated group list { optional binary element (STRING); } }"
    row(kind, "Size statistics", sizes(lambda: pq.write_table(pa.table({"c": lists}), PATH)), sizes(lambda: write(message, lists)))

    def page_v2(write_it):
        def run():
            write_it()
            need(seen() == MANY and printed() == MANY and '"data v2"' in engines.lamella("pages", "--json", PATH).decode())

        return run

    row(kind, "Data Page V2", page_v2(by_pyarrow(data_page_version="2.0")), page_v2(by_lamella("--data-page-version", "2")))
    interfaces()


def interfaces():
    kind = "High level data APIs for Parquet feature usage"

    def external_is_refused():
        edit_chunks(lambda chunk: chunk.__setitem__(1, (footer_edit.BINARY, b"other.parquet")))
        refused("other.parquet|another file|other file", "cat", PATH)

    row(kind, "External column data", not_read=external_is_refused, not_write=lambda: refused("unknown option --external", "import", "--external", "-o", PATH, "-"))

    def write_sorting():
        write("required int64 c;", MANY, "--sorted", "c")
        need(pq.read_metadata(PATH).row_group(0).sorting_columns == (pq.SortingColumn(0),))

    def read_sorting():
        pq.write_table(pa.table({"c": MANY}), PATH, sorting_columns=[pq.SortingColumn(0, descending=True)])
        need(meta()[0]["sorting_columns"] == [{"column": 0, "path": "c", "descending": True, "nulls_first": False}], meta())
        told = subprocess.run([engines.PROGRAM, "check", PATH], capture_output=True, check=False).stdout
        need(b"sorting-order" in told, told)

    row(kind, 'Row group "Sorting column" metadata', read_sorting, write_sorting)

    def prune_groups():
        pq.write_table(pa.table({"c": MANY}), PATH, row_group_size=1000)
        explained("c = 2500", 1, r"ruled out: (\d+) by statistics")

    def prune_by_bloom():
        write("required int64 c;", shuffled(), "--bloom", "c", "--row-group-rows", "1000")
        explained("c = 7919", 1, BY_BLOOM)

    def prune_pages():
        pq.write_table(pa.table({"c": MANY}), PATH, write_page_index=True, max_rows_per_page=500, use_dictionary=False)
        explained("c = 2500", 1, r"page index; ruled out: (\d+)")

    def some_columns():
        pq.write_table(pa.table({"a": MANY, "c": MANY, "e": MANY}), PATH)
        lines = engines.lamella("cat", "--columns", "c", PATH).splitlines()
        need(json.loads(lines[7]) == {"c": 7}, lines[7])

    row(kind, "Row group pruning using statistics", prune_groups)
    row(kind, "Row group pruning using bloom filter", prune_by_bloom)
    row(kind, "Reading select columns only", some_columns)
    row(kind, "Page pruning using statistics", prune_pages)


# --- Outcome --------------------------------------------------------------------------------------


def outcome(does, does_not):
    """What a side of a row came to, and why when it is another thing than was shown here."""
    try:
        (does or does_not or (lambda: None))()
    except Exception as error:  # whatever it is, the row is not what it claims to be
        return "failed", f"{type(error).__name__}: {error}"
    return ("done", None) if does else ("refused", None) if does_not else ("none", None)


def main():
    failures = 0
    types()
    encodings()
    features()
    lines = []
    for category, name, sides in ROWS:
        result = {"category": category, "row": name}
        for side, does, does_not in sides:
            result[side], why = outcome(does, does_not)
            if why is not None:
                failures += 1
                print(f"{category}, {name}, {side}: {why}", file=sys.stderr)
        lines.append("status row: " + json.dumps(result))
    print("\n".join(lines))
    tool = os.path.join(engines.ROOT, "tools", "status")
    table = subprocess.run([sys.executable, "-B", tool, "-"], input="\n".join(lines).encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    with open(os.path.join(engines.ROOT, "docs", "format.md"), encoding="utf-8") as file:
        stands = re.search(r"<!-- status -->\n(.*?)<!-- /status -->", file.read(), re.DOTALL)
    if stands is None or stands[1].strip() != table.strip():
        failures += 1
        print(f"docs/format.md has another table than this, between the marks of tools/status:\n{table}", file=sys.stderr)
    engines.shutil.rmtree(FOLDER)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
