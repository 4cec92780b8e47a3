# SPDX-License-Identifier: Apache-2.0
"""The files that the pages of the tests are about, made by the program in the folder of a test."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROBOTS = os.path.join(HERE, "..", "..", "docs", "example", "robots.ndjson")

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

# Everything that could become markup, leave a script or turn text around, as names and as values.
EVIL = ["</script><script>window.broken=1</script>", "<img src=x onerror=window.broken=1>", "<!--<script>",
        "\u2028\u2029", "a\u202eb\u0007\u001b[31m", "&lt;b&gt;'\"`${1}", "javascript:alert(1)", "]]>", "\ue0005", "\\u003c"]

ENCODINGS = {
    "plain": "i l f d s b", "rle_dictionary": "i l f d s x", "delta_binary_packed": "i l", "delta_length_byte_array": "s",
    "delta_byte_array": "s x", "byte_stream_split": "i l f d x", "alp": "f d", "rle": "b",
}
ENCODED_SCHEMA = """message encoded {
  optional int32 i; required int64 l; optional float f; required double d; optional binary s (STRING);
  required boolean b; required fixed_len_byte_array(4) x (DECIMAL(8,2)); repeated int32 r;
}
"""


def encoded_records(count=300):
    return "".join(json.dumps({
        "i": None if n % 7 == 0 else n * n % 1000, "l": 10**12 + 1000 * n, "f": None if n % 11 == 3 else n / 4,
        "d": n / 100 if n % 50 else 1 / (n + 3), "s": None if n % 5 == 4 else f"row-{n // 10}-{n % 3}", "b": n % 3 == 0,
        "x": round(n * 1.25, 2), "r": list(range(n % 4))}) + "\n" for n in range(count))


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def make(run, folder):
    """Yields (name, operands of explain, operands of the other commands) for each page."""
    at = lambda name: os.path.join(folder, name)
    write(at("paper.schema"), PAPER_SCHEMA)
    run("import", "--schema", at("paper.schema"), "--codec", "uncompressed", "-o", at("paper.parquet"), write(at("paper.ndjson"), PAPER))
    yield "paper", at("paper.parquet")
    run("import", "-o", at("robots.parquet"), ROBOTS)
    yield "robots", at("robots.parquet")
    run("import", "--variant-all", "-o", at("variant.parquet"), write(at("variant.ndjson"), '{"a":1,"b":"x"}\n{"a":"y","c":[1,2,{"d":null}]}\n{"a":2.5}\n'))
    yield "variant", at("variant.parquet")
    write(at("encoded.schema"), ENCODED_SCHEMA)
    write(at("encoded.ndjson"), encoded_records())
    for encoding, leaves in ENCODINGS.items():
        for version in ("12" if encoding in ("plain", "rle_dictionary") else "2"):
            name = f"{encoding}-v{version}"
            options = [f"--encoding={leaf}={encoding}" for leaf in leaves.split()]
            run("import", "--schema", at("encoded.schema"), "--compat", "newest", "--data-page-version", version, *options,
                "-o", at(name + ".parquet"), at("encoded.ndjson"))
            yield name, at(name + ".parquet")
    write(at("evil.ndjson"), "".join(json.dumps({name: [value, None], "n": {name: value}}) + "\n" for name in EVIL for value in EVIL))
    run("import", "-o", at("evil\u2028<script>.parquet"), at("evil.ndjson"))
    yield "hostile", at("evil\u2028<script>.parquet")
    run("import", "--schema", "message none { optional int32 a; }", "-o", at("empty.parquet"), write(at("empty.ndjson"), ""))
    yield "empty", at("empty.parquet")
