# SPDX-License-Identifier: Apache-2.0
"""The files that the pages of the tests are about: made by the program in the folder of a test, those of
docs/records, and some of Apache's where the shared data are there."""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "docs", "records")
ROBOTS = os.path.join(EXAMPLE, "robots.ndjson")
SHARED = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT") or ""

PAPER_SCHEMA = """message Document {
  required int64 DocId;
  optional group Links { repeated int64 Backward; repeated int64 Forward; }
  repeated group Name {
    repeated group Language { required binary Code (STRING); optional binary Country (STRING); }
    optional binary Url (STRING);
  }
}
"""
PAPER = """{"DocId":10,"Links":{"Forward":[20,40,60]},"Name":[{"Language":[{"Code":"en-us","Country":"us"},{"Code":"en"}],"Url":"http://A"},{"Url":"http://B"},{"Language":[{"Code":"en-gb","Country":"gb"}]}]}
{"DocId":20,"Links":{"Backward":[10,30],"Forward":[80]},"Name":[{"Url":"http://C"}]}
"""
LIST_SCHEMA = """message m { optional group p { optional group t (LIST) {
repeated group list { optional binary element (STRING); } } } }
"""

# Everything that could become markup, leave a script or turn text around, as names and as values.
EVIL = ["</script><script>window.broken=1</script>", "<img src=x onerror=window.broken=1>", "<!--<script>",
        "\u2028\u2029", "a\u202eb\u0007\u001b[31m", "&lt;b&gt;'\"`${1}", "javascript:alert(1)", "]]>", "\ue0005", "\\u003c",
        "__proto__", "constructor", "\u05d0\u200f\u202b\u061c", "a.b,c[\"d\"]", "\ufeff\ufffe\U0010ffff"]

# A leaf of each type for each encoding that writes it, all in one file.
TYPES = {"i": "optional int32 {}", "l": "required int64 {}", "f": "optional float {}", "d": "required double {}",
         "s": "optional binary {} (STRING)", "b": "required boolean {}",
         "x": "required fixed_len_byte_array(4) {} (DECIMAL(8,2))"}
ENCODINGS = {
    "plain": "ilfdsbx", "rle_dictionary": "ilfdsx", "delta_binary_packed": "il", "delta_length_byte_array": "s",
    "delta_byte_array": "sx", "byte_stream_split": "ilfdx", "alp": "fd", "rle": "b",
}
ENCODED = [(kind, encoding, f"{encoding}_{kind}") for encoding, kinds in ENCODINGS.items() for kind in kinds]
ENCODED_SCHEMA = "message encoded {\n" + "".join(f"  {TYPES[kind].format(name)};\n" for kind, _, name in ENCODED) + \
    "  repeated int32 r;\n}\n"

# And versions of their pages; ZSTD is everywhere else, in both.
CODECS = [("snappy", "2"), ("gzip", "1"), ("brotli", "2"), ("lz4_raw", "1")]

# Of Apache's files: PLAIN_DICTIONARY, LZ4 in Hadoop's frames, columns that are encrypted, a broken page.
APACHE = ["alltypes_dictionary.parquet", "hadoop_lz4_compressed.parquet", "encrypt_columns_plaintext_footer.parquet.encrypted",
          "nation.dict-malformed.parquet"]
REFUSED = [("encrypt_columns_and_footer.parquet.encrypted", "encrypted"), ("uniform_encryption.parquet.encrypted", "encrypted")]


def encoded_records(count=150):
    for n in range(count):
        values = {
            "i": None if n % 7 == 0 else n * n % 1000, "l": 10**12 + 1000 * n, "f": None if n % 11 == 3 else n / 4,
            "d": n / 100 if n % 50 else 1 / (n + 3), "s": None if n % 5 == 4 else f"row-{n // 10}-{n % 3}", "b": n % 3 == 0,
            "x": round(n * 1.25, 2)}
        yield json.dumps({**{name: values[kind] for kind, _, name in ENCODED}, "r": list(range(n % 4))}) + "\n"


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def apache(name):
    """The path of one of Apache's files, or None where they are not."""
    path = os.path.join(SHARED, "parquet-testing", "data", name)
    return path if os.path.isfile(path) else None


class Input:
    """What a page is about: a file, and options for records in JSON. A `slight` page is opened but not stepped
    through, as it differs from another in its bytes alone or would take too long."""

    def __init__(self, name, operand, options=(), slight=False):
        self.name, self.operand, self.options, self.slight = name, operand, list(options), slight
        self.is_parquet = not re.search(r"json$", operand)
        self.page = None


def make(run, folder, codecs=CODECS):
    """Yields the Inputs of all pages."""
    def at(name):
        return os.path.join(folder, name)

    def imported(name, records, *options, suffix=".parquet"):
        run("import", *options, "-o", at(name + suffix), records)
        return at(name + suffix)

    write(at("paper.schema"), PAPER_SCHEMA)
    write(at("paper.ndjson"), PAPER)
    paper = ["--schema", at("paper.schema")]
    yield Input("paper", imported("paper", at("paper.ndjson"), *paper, "--codec", "uncompressed"))
    yield Input("robots", imported("robots", ROBOTS))
    yield Input("variant", imported("variant", write(at("variant.ndjson"), '{"a":1,"b":"x"}\n{"a":"y","c":[1,2,{"d":null}]}\n{"a":2.5}\n'), "--variant-all"))

    # The files of docs/records as they are: records, with a schema and without.
    yield Input("document", os.path.join(EXAMPLE, "document.json"), ["--schema", os.path.join(EXAMPLE, "document.schema")])
    yield Input("document-inferred", os.path.join(EXAMPLE, "document.json"), slight=True)
    yield Input("list", os.path.join(EXAMPLE, "list.ndjson"), ["--schema", write(at("list.schema"), LIST_SCHEMA)])
    yield Input("list-inferred", os.path.join(EXAMPLE, "list.ndjson"), slight=True)
    yield Input("robots-json", ROBOTS, slight=True)

    write(at("encoded.schema"), ENCODED_SCHEMA)
    write(at("encoded.ndjson"), "".join(encoded_records()))
    for version in "12":
        yield Input("encoded-v" + version, imported(
            "encoded-v" + version, at("encoded.ndjson"), "--schema", at("encoded.schema"), "--compat", "newest", "--data-page-version", version,
            *[f"--encoding={name}={encoding}" for _, encoding, name in ENCODED]))
    for codec, version in codecs:
        yield Input(f"{codec}-v{version}", imported(f"{codec}-v{version}", at("paper.ndjson"), *paper, "--codec", codec,
                                                    "--data-page-version", version), slight=True)
    for name in filter(apache, APACHE):
        yield Input(name.split(".")[0], apache(name), slight=True)

    write(at("evil.ndjson"), "".join(json.dumps({name: [value, None], "n": {name: value}}) + "\n" for name in EVIL for value in EVIL))
    yield Input("hostile", imported("evil\u2028<script>", at("evil.ndjson")))
    yield Input("long", imported("long", write(at("long.ndjson"), json.dumps({"n" * 10000: "v" * 10000, "w": {"g" * 3000: [" " * 500]}}) + "\n")))
    yield Input("wide", imported("wide", write(at("wide.ndjson"), json.dumps({f"column{i}": i for i in range(1000)}) + "\n")), slight=True)
    deep = 1
    for level in range(100):
        deep = {f"level{99 - level}": [deep] if level % 20 == 0 else deep}
    yield Input("deep", imported("deep", write(at("deep.ndjson"), json.dumps(deep) + "\n")))
    # One record that is more than a page can hold: a value of a megabyte, and a list of many.
    yield Input("huge", imported("huge", write(at("huge.ndjson"), json.dumps(
        {"s": "\u00e9\"\\\u0001" * 100000, "l": [{"n": n, "t": "y" * 400} for n in range(20000)]}) + "\n")), slight=True)
    yield Input("empty", imported("empty", write(at("empty.ndjson"), ""), "--schema", "message none { optional int32 a; }"))
    yield Input("no-records", at("empty.ndjson"), ["--schema", "message none { optional int32 a; }"], slight=True)
    yield Input("null", imported("null", write(at("null.ndjson"), '{"a":null}\n'), "--schema", "message one { optional int32 a; }"))
