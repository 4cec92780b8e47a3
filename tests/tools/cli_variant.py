# SPDX-License-Identifier: Apache-2.0
"""VARIANT at the shell: values in and out, shredded and not, with their kinds, against the files of
parquet-testing and the tables of the specification.

What the bytes of gold mean is told by the few functions below, written from VariantEncoding.md alone.
"""

import base64
import datetime
import glob
import json
import os
import re
import struct

import program

# --- VariantEncoding.md: a value as {"kind": ...}, as cat --variant typed prints it ----------------

EPOCH = datetime.datetime(1970, 1, 1)
PLAIN = {
    3: ("int8", "<b"),
    4: ("int16", "<h"),
    5: ("int32", "<i"),
    6: ("int64", "<q"),
    7: ("double", "<d"),
    11: ("date", "<i"),
    12: ("timestamp", "<q"),
    13: ("timestamp_ntz", "<q"),
    14: ("float", "<f"),
    17: ("time", "<q"),
    18: ("timestamp_nanos", "<q"),
    19: ("timestamp_ntz_nanos", "<q"),
}


class Number(str):
    """The text of a JSON number with a point or an exponent."""


def _number(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def _numbers(data, at, size, count):
    return [_number(data, at + n * size, size) for n in range(count)]


def read_metadata(data):
    """The names of a dictionary, and how many bytes it takes."""
    assert data[0] & 15 == 1
    size = (data[0] >> 6) + 1
    count = _number(data, 1, size)
    offsets = _numbers(data, 1 + size, size, count + 1)
    start = 1 + size * (count + 2)
    names = [data[start + a : start + b].decode() for a, b in zip(offsets, offsets[1:])]
    return names, start + offsets[-1]


def _timestamp(name, value):
    nanos = value if name.endswith("nanos") else value * 1000
    time = EPOCH + datetime.timedelta(seconds=nanos // 10**9)
    digits = f"{nanos % 10**9:09}"[: 9 if name.endswith("nanos") else 6]
    zone = "" if "ntz" in name else "Z"
    return f"{time:%Y-%m-%dT%H:%M:%S}.{digits}{zone}"


def _plain(name, value):
    if name == "date":
        return f"{EPOCH + datetime.timedelta(days=value):%Y-%m-%d}"
    if name == "time":
        return f"{EPOCH + datetime.timedelta(microseconds=value):%H:%M:%S.%f}"
    return _timestamp(name, value) if name.startswith("timestamp") else value


def _decimal(unscaled, scale):
    digits = f"{abs(unscaled):0{scale + 1}}"
    text = digits[:-scale] + "." + digits[-scale:] if scale else digits
    text = ("-" if unscaled < 0 else "") + text
    return Number(text) if scale else int(text)


def read_value(data, names):
    basic, head = data[0] & 3, data[0] >> 2
    if basic == 1:
        return {"string": data[1 : 1 + head].decode()}
    if basic == 2:
        return {"object": _read_object(data, head, names)}
    if basic == 3:
        return {"array": _read_array(data, head, names)}
    if head < 3:
        return [{"null": None}, {"boolean": True}, {"boolean": False}][head]
    if head in PLAIN:
        name, code = PLAIN[head]
        return {name: _plain(name, struct.unpack_from(code, data, 1)[0])}
    if head in (8, 9, 10):
        size = 4 << (head - 8)
        unscaled = int.from_bytes(data[2 : 2 + size], "little", signed=True)
        return {f"decimal{size}": _decimal(unscaled, data[1])}
    if head in (15, 16):
        content = data[5 : 5 + _number(data, 1, 4)]
        if head == 15:
            return {"binary": base64.b64encode(content).decode()}
        return {"string": content.decode()}
    assert head == 20, head
    digits = data[1:17].hex()
    return {"uuid": "-".join(re.fullmatch("(.{8})(.{4})(.{4})(.{4})(.{12})", digits).groups())}


def _read_object(data, head, names):
    offset_size, id_size = (head & 3) + 1, (head >> 2 & 3) + 1
    size = 4 if head & 16 else 1
    count = _number(data, 1, size)
    ids = _numbers(data, 1 + size, id_size, count)
    at = 1 + size + count * id_size
    offsets = _numbers(data, at, offset_size, count + 1)
    at += (count + 1) * offset_size
    return {names[id]: read_value(data[at + o :], names) for id, o in zip(ids, offsets)}


def _read_array(data, head, names):
    offset_size, size = (head & 3) + 1, 4 if head & 4 else 1
    count = _number(data, 1, size)
    offsets = _numbers(data, 1 + size, offset_size, count + 1)
    at = 1 + size + (count + 1) * offset_size
    return [read_value(data[at + o :], names) for o in offsets[:-1]]


def typed(item):
    """Typed JSON as the program prints it, with floats as numbers of their size."""
    if isinstance(item, dict):
        return {
            name: struct.unpack("<f", struct.pack("<f", float(value)))[0]
            if name == "float"
            else float(value)
            if name == "double"
            else typed(value)
            for name, value in item.items()
        }
    return [typed(value) for value in item] if isinstance(item, list) else item


def parse(line):
    return json.loads(line, parse_float=Number)


# --- Schemas ---------------------------------------------------------------------------------------

PLAIN_SCHEMA = "message m { optional group v (VARIANT(1)) { %s } }" % (
    "required binary metadata; required binary value;"
)
EVENT_SCHEMA = """message m { optional group v (VARIANT(1)) {
  required binary metadata; optional binary value;
  optional group typed_value {
    required group event_type { optional binary value; optional binary typed_value (STRING); }
    required group event_ts {
      optional binary value; optional int64 typed_value (TIMESTAMP(true, MICROS)); }
  } } }"""
DEEP_SCHEMA = """message m { optional group v (VARIANT(1)) {
  required binary metadata; optional binary value;
  optional group typed_value {
    required group id { optional int64 typed_value; optional binary value; }
    required group location { optional binary value; optional group typed_value {
      required group latitude { optional binary value; optional double typed_value; }
      required group longitude { optional binary value; optional double typed_value; } } }
    required group tags { optional binary value; optional group typed_value (LIST) {
      repeated group list { required group element {
        optional binary value; optional binary typed_value (STRING); } } } }
  } } }"""

VALUES = [
    "null",
    "true",
    "-17",
    "12345678901234567890123456789012345678",
    "1.50",
    "-0.0",
    "1e+300",
    '"text \\u00e9 \\ud83d\\ude00 \\n"',
    "[]",
    "{}",
    '[1,[2,[3,{"a":[null]}]]]',
    '{"":{"":{"":0}}}',
    '{"id":1,"location":{"latitude":5.5,"longitude":1.25},"tags":["foo","bar","baz"]}',
    '{"id":"x","location":{"latitude":null,"more":1},"tags":["foo",1,null,["y"]]}',
    '{"id":9223372036854775808,"location":[],"tags":{}}',
    '{"ID":1,"event_ts":"2024-10-24","event_type":"noop","id":2,"z":[{"tags":1}]}',
]


class Variant(program.ProgramTest):
    # --- The files of parquet-testing ---------------------------------------------------------------

    def folder_of(self, name):
        folder = program.shared(os.path.join("parquet-testing", name))
        if not os.path.isdir(folder):
            self.skipTest(f"{folder} is not here")
        return folder

    def test_shredded_files_hold_the_values_beside_them(self):
        folder = self.folder_of("shredded_variant")
        with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
            cases = json.load(file)
        counts = {"same": 0, "refused": 0}
        for case in cases:
            if "parquet_file" in case:
                with self.subTest(case=case["case_number"]):
                    self.check_case(folder, case, counts)
        self.assertEqual(counts["refused"], 6)
        self.assertGreater(counts["same"], 130)

    def check_case(self, folder, case, counts):
        path = os.path.join(folder, case["parquet_file"])
        if "error_message" in case:
            message = self.bad("cat", path)
            self.assertRegex(message, "conflict|no value is shredded as")
            counts["refused"] += 1
            return
        # What is invalid and has gold all the same is what typed_value says.
        conflicts = ["--variant-conflicts", "typed"] if "INVALID" in path else []
        lines = self.good("cat", "--variant", "typed", *conflicts, path).splitlines()
        gold = case.get("variant_files", [case.get("variant_file")])
        found = [typed(parse(line)["var"]) for line in lines]
        self.assertEqual(found, [self.gold(folder, name) for name in gold])
        counts["same"] += len(gold)

    def gold(self, folder, name):
        if name is None:
            return None
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        names, size = read_metadata(data)
        return typed(read_value(data[size:], names))

    def test_the_samples_are_what_their_dictionary_says(self):
        folder = self.folder_of("variant")
        with open(os.path.join(folder, "data_dictionary.json"), encoding="utf-8") as file:
            text = re.sub(r",(\s*)}", r"\1}", file.read())  # its last member has a comma
        said = json.loads(text)
        names = sorted(
            os.path.basename(path)[: -len(".metadata")]
            for path in glob.glob(os.path.join(folder, "*.metadata"))
        )
        self.assertEqual(len(names), 29)
        records = []
        for name in names:
            group = {}
            for field in ("metadata", "value"):
                with open(os.path.join(folder, f"{name}.{field}"), "rb") as file:
                    group[field] = base64.b64encode(file.read()).decode()
            records.append({"v": group})
        self.make("a.parquet", records, "--schema", PLAIN_SCHEMA, "--variant-form", "storage")
        found = [record["v"] for record in self.records("a.parquet")]
        for name, value in zip(names, found):
            if name in said:
                with self.subTest(sample=name):
                    self.assertEqual(self.as_said(value), self.as_said(said[name]))
        # Read again with their kinds, they are the same values.
        printed = self.good("cat", "--variant", "typed", "a.parquet")
        for schema in (PLAIN_SCHEMA, EVENT_SCHEMA):
            options = ["--schema", schema, "--variant-form", "typed"]
            self.make("b.parquet", printed, *options)
            self.assertEqual(self.good("cat", "--variant", "typed", "b.parquet"), printed)

    def as_said(self, value):
        """Times of a sample as instants, and numbers as the dictionary has them, as floats."""
        if isinstance(value, dict):
            return {name: self.as_said(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.as_said(item) for item in value]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return struct.unpack("<f", struct.pack("<f", value))[0]
        if not isinstance(value, str):
            return value
        found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\.(\d+)(Z|[+-]\d\d:\d\d)?", value)
        if found:
            date, time, fraction, zone = found.groups()
            zone = "+00:00" if zone == "Z" else zone or ""
            instant = datetime.datetime.fromisoformat(f"{date} {time}{zone}")
            if zone:
                instant = instant.astimezone(datetime.timezone.utc)
            return (str(instant), fraction.ljust(9, "0"))
        # The dictionary has a time with a colon before its fraction.
        return re.sub(r"^(\d\d:\d\d:\d\d):(\d{6})$", r"\1.\2", value)

    # --- Any JSON, in and out -----------------------------------------------------------------------

    def test_any_value_comes_back_shredded_or_not(self):
        lines = "".join('{"v":%s}\n' % value for value in VALUES)
        printed = {}
        for name, schema in (("a", PLAIN_SCHEMA), ("b", EVENT_SCHEMA), ("c", DEEP_SCHEMA)):
            self.make(f"{name}.parquet", lines, "--schema", schema)
            printed[name] = self.good("cat", f"{name}.parquet")
        self.assertEqual(printed["a"], printed["b"])
        self.assertEqual(printed["a"], printed["c"])
        self.assertEqual(
            [json.loads(line)["v"] for line in printed["a"].splitlines()],
            [json.loads(value) for value in VALUES],
        )
        # What is printed is read back to the same file.
        self.make("d.parquet", printed["c"], "--schema", DEEP_SCHEMA)
        self.assertEqual(self.good("cat", "d.parquet"), printed["a"])

    def test_kinds_are_told_and_read_back(self):
        lines = '{"v":{"a":[1,2.50,"x",null,true]}}\n{"v":null}\n{"v":1e400}\n'
        message = self.bad("import", "--schema", PLAIN_SCHEMA, "-o", "a", "-", stdin=lines)
        self.assertEqual(
            message,
            "standard input: line 3: v: 1e400 is a number that neither 38 digits nor a double hold",
        )
        self.make("a.parquet", lines[: lines.index('{"v":1e')], "--schema", PLAIN_SCHEMA)
        expected = (
            '{"v":{"object":{"a":{"array":[{"int8":1},{"decimal4":2.50},{"string":"x"},'
            '{"null":null},{"boolean":true}]}}}}\n{"v":null}\n'
        )
        self.assertEqual(self.good("cat", "--variant", "typed", "a.parquet"), expected)
        self.make("b.parquet", expected, "--schema", PLAIN_SCHEMA, "--variant-form", "typed")
        self.assertEqual(self.good("cat", "--variant", "typed", "b.parquet"), expected)
        storage = self.good("cat", "--variant", "storage", "a.parquet")
        self.make("c.parquet", storage, "--schema", PLAIN_SCHEMA, "--variant-form", "storage")
        self.assertEqual(self.good("cat", "--variant", "typed", "c.parquet"), expected)

    # --- The table of VariantShredding.md, section "Objects" ----------------------------------------

    def test_the_rows_of_the_specification_are_shredded_as_it_says(self):
        def timestamp(micros):
            return {"timestamp": _timestamp("timestamp", micros)}

        def text(value):
            return {"string": value}

        rows = [
            {"event_type": text("noop"), "event_ts": timestamp(1729794114937)},
            {
                "event_type": text("login"),
                "event_ts": timestamp(1729794146402),
                "email": text("user@example.com"),
            },
            {"error_msg": text("malformed: ...")},
            text("malformed: not an object"),
            {"event_ts": timestamp(1729794240241), "click": text("_button")},
            {"event_type": {"null": None}, "event_ts": timestamp(1729794954163)},
            {"event_type": text("noop"), "event_ts": text("2024-10-24")},
            {},
            {"null": None},
            None,
        ]
        for n in (0, 1, 2, 4, 5, 6, 7):
            rows[n] = {"object": rows[n]}
        records = [{"v": row} for row in rows]
        self.make("a.parquet", records, "--schema", EVENT_SCHEMA, "--variant-form", "typed")
        printed = self.good("cat", "--variant", "typed", "a.parquet").splitlines()
        self.assertEqual([parse(line)["v"] for line in printed], rows)
        records = self.records("a.parquet", "--variant", "storage", "--binary", "hex")
        stored = [record["v"] for record in records]

        def column(*path):
            values = []
            for group in stored:
                for name in path:
                    group = group and group[name]
                values.append(group)
            return values

        def string(value):
            data = value.encode()
            return (bytes([len(data) << 2 | 1]) + data).hex()

        def object_of(value):
            return f"02010000{len(value) // 2:02x}{value}"  # of id 0 in its metadata

        rest = ["user@example.com", "malformed: ...", "_button"]
        rest = [object_of(string(value)) for value in rest]
        other = string("malformed: not an object")
        self.assertEqual(
            column("value"),
            [None, rest[0], rest[1], other, rest[2], None, None, None, "00", None],
        )
        self.assertEqual(
            [typed_value is not None for typed_value in column("typed_value")],
            [True, True, True, False, True, True, True, True, False, False],
        )
        self.assertEqual(
            column("typed_value", "event_type", "value"), [None] * 5 + ["00"] + [None] * 4
        )
        self.assertEqual(
            column("typed_value", "event_type", "typed_value"),
            ["noop", "login", None, None, None, None, "noop", None, None, None],
        )
        self.assertEqual(
            column("typed_value", "event_ts", "value"),
            [None] * 6 + [string("2024-10-24")] + [None] * 3,
        )
        self.assertEqual(
            [value is not None for value in column("typed_value", "event_ts", "typed_value")],
            [True, True, False, False, True, True, False, False, False, False],
        )

    # --- What goes wrong ----------------------------------------------------------------------------

    def test_a_part_of_the_storage_prints_as_a_group(self):
        self.make("a.parquet", '{"v":{"id":1,"tags":["x"]}}\n', "--schema", DEEP_SCHEMA)
        columns = ["--columns", "v.typed_value.id.typed_value"]
        expected = '{"v":{"typed_value":{"id":{"typed_value":1}}}}\n'
        for option in (["--variant", "storage"], ["--keep-going"]):
            self.assertEqual(self.good("cat", *option, *columns, "a.parquet"), expected)
        # Where VARIANTs are values, so are the parts of paths: no value has such a field.
        self.assertEqual(self.good("cat", *columns, "a.parquet"), '{"v":{}}\n')

    # --- Parts of values ----------------------------------------------------------------------------

    def parts(self, columns):
        """What is printed of VALUES, which is the same however they are shredded."""
        lines = "".join('{"v":%s}\n' % value for value in VALUES) + "{}\n"
        printed = []
        for name, schema in (("a", PLAIN_SCHEMA), ("b", EVENT_SCHEMA), ("c", DEEP_SCHEMA)):
            if f"{name}.parquet" not in self.files():
                self.make(f"{name}.parquet", lines, "--schema", schema)
            for options in ([], ["--no-pruning"]):
                printed.append(self.good("cat", "--columns", columns, *options, f"{name}.parquet"))
        self.assertEqual(len(set(printed)), 1, printed)
        return [json.loads(line).get("v", "none") for line in printed[0].splitlines()]

    def test_parts_of_values_are_what_their_paths_lead_to(self):
        def found(columns):
            # The first 12 values have no such members; the first one and the last are missing.
            parts = self.parts(columns)
            self.assertEqual(parts[:12], [None] + [{}] * 11)
            self.assertEqual(parts.pop(), None)
            return parts[12:]

        places = [{"latitude": 5.5, "longitude": 1.25}, {"latitude": None, "more": 1}, []]
        located = [{"location": place} for place in places]
        self.assertEqual(found("v.location"), [*located, {}])
        self.assertEqual(
            found("v.location.latitude"),
            [{"location": {"latitude": 5.5}}, {"location": {"latitude": None}}, {}, {}],
        )
        self.assertEqual(found("v.location.more"), [{}, {"location": {"more": 1}}, {}, {}])
        self.assertEqual(
            found("v.location.more,v.id,v.location.longitude"),
            [
                {"id": 1, "location": {"longitude": 1.25}},
                {"id": "x", "location": {"more": 1}},
                {"id": 9223372036854775808},
                {"id": 2},
            ],
        )
        self.assertEqual(found("v.tags.x,v.z.tags,v.no"), [{}, {}, {}, {}])
        self.assertEqual(
            self.good("cat", "--columns", "v.tags", "--variant", "typed", "c.parquet").splitlines()[12],
            '{"v":{"object":{"tags":{"array":[{"string":"foo"},{"string":"bar"},{"string":"baz"}]}}}}',
        )

    def test_names_of_any_kind_are_parts(self):
        names = ["a.b", 'say "hi"', "x,y", "", "with space", "\u00e9", "value", '"']
        self.make("a.parquet", [{"v": {name: n for n, name in enumerate(names)}}], "--schema", EVENT_SCHEMA)
        for n, name in enumerate(names):
            path = 'v."%s"' % name.replace('"', '""')
            with self.subTest(path=path):
                printed = self.good("cat", "--columns", path + ",v.none", "a.parquet")
                self.assertEqual(json.loads(printed), {"v": {name: n}})
        for path in ("v.with space", "v.value"):
            printed = self.good("cat", "--columns", path, "a.parquet")
            self.assertEqual(list(json.loads(printed)["v"]), [path[2:]])

    def test_paths_that_lead_nowhere_are_refused(self):
        self.make("a.parquet", '{"v":{"id":1}}\n', "--schema", DEEP_SCHEMA)
        for path, message in (
            ("w.id", "character 1: no field 'w.id'"),
            ("v.", 'character 3: expected a field (a name that is empty is written "")'),
            ("v.a..b", 'character 5: expected a field (a name that is empty is written "")'),
            ('v."a', "character 3: the name that begins here does not end"),
        ):
            told = self.misuse("cat", "--columns", path, "a.parquet")
            self.assertEqual(told, f"a.parquet: --columns: {message}")

    def test_few_columns_are_read_for_a_part(self):
        lines = "".join(
            '{"v":{"id":%d,"location":{"latitude":%s},"note":"%s"}}\n'
            % (n, '"?"' if n == 999 else n / 4, f"{n:x}" * 50)
            for n in range(1000)
        )
        options = ["--schema", DEEP_SCHEMA, "--row-group-rows", "400"]
        self.make("a.parquet", lines, *options)

        def explained(columns, *options):
            options = ["--explain", "--columns", columns, *options]
            status, printed, told = self.run_program("cat", *options, "a.parquet")
            self.assertEqual(status, 0, told)
            found = re.findall(r"column (\S+): read in (\d) of 3 row groups", told)
            bytes_read, size = re.search(r"(\d+) of (\d+) bytes read", told).groups()
            return dict(found), int(bytes_read) / int(size), printed.decode()

        latitude = "v.typed_value.location.typed_value.latitude"
        read, share, few = explained("v.location.latitude")
        self.assertEqual(
            read, {"v.metadata": "1", f"{latitude}.value": "1", f"{latitude}.typed_value": "3"}
        )
        self.assertLess(share, 0.5)
        read, most, all_of_it = explained("v.location.latitude", "--no-pruning")
        self.assertEqual(set(read.values()), {"3"})
        self.assertEqual(few, all_of_it)
        self.assertEqual(json.loads(few.splitlines()[999]), {"v": {"location": {"latitude": "?"}}})
        read, _, _ = explained("v.note")
        self.assertEqual(read, {"v.metadata": "3", "v.value": "3"})
        # A condition and --limit do not change what the parts are.
        rows = ["--where", "v.id >= 998"]
        read, _, printed = explained("v.id", *rows)
        self.assertEqual(printed, '{"v":{"id":998}}\n{"v":{"id":999}}\n')
        self.assertEqual(read, {"v.typed_value.id.typed_value": "1"})

    def test_bytes_that_are_no_variant_are_told(self):
        record = [{"v": {"metadata": "AQAA", "value": "DA=="}}]
        self.make("a.parquet", record, "--schema", PLAIN_SCHEMA, "--variant-form", "storage")
        self.assertEqual(
            self.bad("cat", "a.parquet"), "a.parquet: v.value: variant: a value ends early (column 1)"
        )
        self.assertEqual(self.records("a.parquet", "--variant", "storage"), record)

    def test_values_that_fit_no_column_and_schemas_that_fit_no_value(self):
        schema = PLAIN_SCHEMA.replace("required binary value", "optional int32 typed_value")
        message = self.bad("import", "--schema", schema, "-o", "a", "-", stdin='{"v":"x"}')
        self.assertEqual(
            message,
            "standard input: line 1: v: v: string fits no column, and there is no column named value",
        )
        schema = PLAIN_SCHEMA.replace("required binary value", "optional int96 typed_value")
        message = self.bad("import", "--schema", schema, "-o", "a", "-", stdin="{}")
        self.assertIn("v.typed_value: no value is shredded as int96", message)
        self.assertEqual(self.files(), [])

    def test_options_have_few_values(self):
        self.assertEqual(
            self.misuse("cat", "--variant", "x", "a"),
            '--variant cannot be \'x\': it must be value, typed or storage; see "lamella cat --help"',
        )
        self.assertEqual(
            self.misuse("cat", "--variant-conflicts", "x", "a"),
            '--variant-conflicts cannot be \'x\': it must be error or typed; see "lamella cat --help"',
        )
        self.assertEqual(
            self.misuse("import", "--variant-form", "x", "-o", "a", "b"),
            "--variant-form cannot be 'x': it must be value, typed or storage; see "
            '"lamella import --help"',
        )


if __name__ == "__main__":
    program.main()
