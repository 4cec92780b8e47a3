# SPDX-License-Identifier: Apache-2.0
"""Dicts: what is written comes back, as pyarrow reads it too; what does not fit is refused and leaves nothing; schemas
are inferred.

Usage: dicts.py EXTENSION [CASE ...]; LAMELLA_SEED and LAMELLA_ROUNDS repeat and lengthen what chance decides.
"""

import collections
import datetime
import decimal
import enum
import io
import math
import os
import uuid

import cases
import lamella
import engines
import objects
import table
from objects import KINDS_OF_ROWS, UTC
from table import Field, Leaf, List, Map, Struct

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

LEAF = "message m { %s; }"
LIST = "message m { optional group a (LIST) { repeated group list { optional int64 element; } } }"
MAP = "message m { optional group a (MAP) { repeated group key_value { required binary key (STRING); optional int64 value; } } }"
VARIANT = "message m { optional group a (VARIANT(1)) { required binary metadata; required binary value; } }"


def written(rows, **options):
    file = io.BytesIO()
    lamella.write(file, rows, **options)
    return file.getvalue()


class Written(cases.Case):
    """Dicts into a file, and out of it again."""

    def expect(self, schema, rows, what, **options):
        path = self.path("rows.parquet")
        lamella.write(path, rows, schema=table.message(schema), **options)
        wanted = table.freeze(rows)
        self.assertEqual(wanted, table.freeze(lamella.read(path).to_pylist()), what)
        self.assertEqual(wanted, table.freeze(list(lamella.scan(path))), what)
        if "variant" not in schema.kinds():
            found = [objects.of_pyarrow(schema, row) for row in engines.read_pyarrow(path).to_pylist()]
            self.assertEqual(wanted, table.freeze(found), what)

    def test_every_kind_in_every_place(self):
        source, what = cases.source_of(0)
        for kind in KINDS_OF_ROWS:
            def leaf():
                return objects.with_variants(Leaf(kind))
            fields = [Field("optional", leaf()),
                      Field("list", List(Field("element", leaf()))),
                      Field("struct", Struct([Field("x", leaf()), Field("y", leaf())])),
                      Field("map", Map(Field("key", Leaf("string"), True), Field("value", leaf())))]
            if kind != "unknown":
                fields += [Field("required", leaf(), True), Field("repeated", List(Field("element", leaf(), True), "repeated"), True),
                           Field("two levels", List(Field("element", leaf(), True), "two levels"))]
            schema = Struct([Field(field.name.replace(" ", "_"), field.type, field.required) for field in fields])
            with self.subTest(kind):
                self.expect(schema, objects.random_rows(schema, source, 40), f"{what}: {kind}", row_group_rows=15)

    def test_random_tables(self):
        for number in range(1, cases.rounds(150) + 1):
            source, what = cases.source_of(number)
            schema = objects.random_schema(source)
            rows = objects.random_rows(schema, source, source.choice([0, 1, 2, 30, 300]))
            options = {"row_group_rows": source.choice([7, 100, 10000]), "dictionary": source.choice([True, False]),
                       "compression": source.choice(["zstd", "snappy", "none"]), "page_version": source.choice([1, 2])}
            self.expect(schema, rows, f"{what}: {options} {table.message(schema)}", **options)

    def test_rows_of_other_writers(self):
        import interop_read

        for number in range(1, cases.rounds(80) + 1):
            source, what = cases.source_of(number)
            schema = Struct([table.random_field(source, f"c{n}", interop_read.ARROW, source.randint(0, 4)) for n in range(4)])
            plain = [schema.random(source) for _ in range(50)]
            path = self.path("pyarrow.parquet")
            engines.pyarrow.parquet.write_table(interop_read.arrow_table(schema, plain), path, row_group_size=17)
            wanted = [objects.to_object(schema, row) for row in plain]
            self.assertEqual(table.freeze(wanted), table.freeze(lamella.read(path).to_pylist()), what)

    def test_a_part_is_the_part_of_the_whole(self):
        for number in range(1, cases.rounds(60) + 1):
            source, what = cases.source_of(number)
            schema = objects.random_schema(source)
            rows = objects.random_rows(schema, source, 50)
            file = written(rows, schema=table.message(schema), row_group_rows=20)
            names = source.sample([field.name for field in schema.fields], source.randint(1, len(schema.fields)))
            limit = source.randrange(60)
            wanted = [{name: row[name] for name in row if name in names} for row in rows[:limit]]
            found = lamella.read(file, columns=names, limit=limit).to_pylist()
            self.assertEqual(table.freeze(wanted), table.freeze(found), what)
            name = names[0]
            kept = [row for row in rows if row[name] is not None]
            # An empty repeated field is no value to a condition.
            if not schema.fields[[field.name for field in schema.fields].index(name)].required:
                found = lamella.read(file, where=f"{name} is not null").to_pylist()
                self.assertEqual(table.freeze(kept), table.freeze(found), what)

    def test_what_is_missing_is_none(self):
        file = written([{}, {"b": 1}], schema="message m { optional int64 a; optional int64 b; }")
        self.assertEqual(lamella.read(file).to_pylist(), [{"a": None, "b": None}, {"a": None, "b": 1}])

    def test_what_means_the_same(self):
        class Place(enum.IntEnum):
            HERE = 3

        class Index:
            def __index__(self):
                return 7

        for leaf, given, back in [
            ("int32 a", Place.HERE, 3), ("int64 a", Index(), 7), ("double a", 5, 5.0), ("float a", 2**24, 2.0**24),
            ("binary a", bytearray(b"x"), b"x"), ("binary a", memoryview(b"xyz")[::1], b"xyz"),
            ("int32 a (DATE)", 1, datetime.date(1970, 1, 2)),
            ("int64 a (TIMESTAMP(MILLIS,true))", datetime.datetime(1970, 1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
             datetime.datetime(1970, 1, 1, tzinfo=UTC)),
            ("int64 a (TIMESTAMP(MICROS,false))", 5, datetime.datetime(1970, 1, 1, 0, 0, 0, 5)),
            ("int32 a (DECIMAL(5,2))", 3, decimal.Decimal("3.00")), ("int32 a (DECIMAL(5,2))", decimal.Decimal("1E+2"), decimal.Decimal("100.00")),
            ("binary a (DECIMAL(5,2))", decimal.Decimal("1.50000"), decimal.Decimal("1.50")),
            ("fixed_len_byte_array(16) a (UUID)", b"0123456789abcdef", uuid.UUID(bytes=b"0123456789abcdef")),
            ("fixed_len_byte_array(2) a (FLOAT16)", 65519.99, 65504.0),
            ("fixed_len_byte_array(2) a (FLOAT16)", 1e-9, 0.0),
        ]:  # fmt: skip
            with self.subTest(leaf, given=given):
                found = lamella.read(written([{"a": given}], schema=LEAF % f"optional {leaf}")).to_pylist()[0]["a"]
                self.assertEqual((type(found), found), (type(back), back))
        for given in [(1, None, 2), (x for x in [1, None, 2]), {1: 0, 2: 0}.keys(), collections.deque([1, 2])]:
            file = written([{"a": given}], schema=LIST)
            self.assertIn(lamella.read(file).to_pylist(), [[{"a": [1, None, 2]}], [{"a": [1, 2]}]])
        for given in [{"k": 1}, [("k", 1)], [["k", 1]], collections.OrderedDict(k=1)]:
            self.assertEqual(lamella.read(written([{"a": given}], schema=MAP)).to_pylist(), [{"a": [("k", 1)]}])

    def test_halves_are_those_of_struct(self):
        import struct

        source, what = cases.source_of(0)
        numbers = [source.uniform(-70000, 70000) * 10 ** -source.randrange(10) for _ in range(3000)]
        numbers += [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in range(0, 65536, 7)]
        numbers = [number for number in numbers if math.isfinite(number) and abs(number) < 65520]
        file = written([{"a": number} for number in numbers], schema=LEAF % "required fixed_len_byte_array(2) a (FLOAT16)")
        wanted = [struct.unpack("<e", struct.pack("<e", number))[0] for number in numbers]
        self.assertEqual(table.freeze([row["a"] for row in lamella.read(file)]), table.freeze(wanted), what)


class Refused(cases.Case):
    """What does not fit is a TypeError or an Error, and nothing is left behind."""

    VALUES = {
        "boolean a": [0, 1, "true", 1.0, b"", []],
        "int32 a": [True, 1.0, "1", 2**31, -(2**31) - 1, 2**100, b"1", [1], decimal.Decimal(1)],
        "int64 a": [False, 1.5, 2**63, -(2**63) - 1, "", datetime.date(2020, 1, 1)],
        "int32 a (INTEGER(8,true))": [128, -129], "int32 a (INTEGER(16,false))": [-1, 65536],
        "int32 a (INTEGER(32,false))": [-1, 2**32], "int64 a (INTEGER(64,false))": [-1, 2**64],
        "float a": ["1", True, 1e39, 2**2000, b"", [1.0]], "double a": ["1", False, 2**53 + 1, 10**400, {}],
        "fixed_len_byte_array(2) a (FLOAT16)": [65520.0, -1e9, "1", True, b"ab"],
        "binary a": ["text", 5, 1.0, [1, 2], (1,), {}, {1: 2}, range(3), None.__class__],
        "fixed_len_byte_array(3) a": [b"ab", b"abcd", "abc", 3, bytearray(4)],
        "binary a (STRING)": [b"bytes", 5, ["a"], "\ud800"], "binary a (ENUM)": [b"A", 1], "binary a (JSON)": [b"{}", {}, [], 1],
        "fixed_len_byte_array(16) a (UUID)": ["eeccb8c5-9943-b2bb-bb5e-222f4e14b687", b"short", 5],
        "int32 a (DATE)": [datetime.datetime(2020, 1, 1), "2020-01-01", 2**31, 1.0, datetime.time(1)],
        "int32 a (TIME(MILLIS,false))": [datetime.time(0, 0, 0, 1), -1, 86400000, "00:00", datetime.datetime(2020, 1, 1)],
        "int64 a (TIME(MICROS,true))": [86400 * 10**6, datetime.time(1, tzinfo=UTC), datetime.timedelta(1), True],
        "int64 a (TIMESTAMP(MILLIS,false))": [datetime.datetime(2020, 1, 1, 0, 0, 0, 1), datetime.datetime(2020, 1, 1, tzinfo=UTC),
                                              datetime.date(2020, 1, 1), 1.5, 2**63, "2020"],
        "int64 a (TIMESTAMP(MICROS,true))": [datetime.datetime(2020, 1, 1), datetime.time(1)],
        "int64 a (TIMESTAMP(NANOS,false))": [datetime.datetime(2300, 1, 1), datetime.datetime(1600, 1, 1)],
        "int32 a (DECIMAL(5,2))": [decimal.Decimal("1.005"), decimal.Decimal(1000), decimal.Decimal("NaN"), decimal.Decimal("Infinity"),
                                   1.5, "1", True, 10**100, decimal.Decimal("1E+99999")],
        "binary a (DECIMAL(38,0))": [10**38, decimal.Decimal("0.1"), decimal.Decimal("1E-99999")],
        "fixed_len_byte_array(4) a (DECIMAL(9,9))": [1, decimal.Decimal("-1.000000000")],
        "fixed_len_byte_array(12) a (INTERVAL)": [{"months": 1}, {"months": -1, "days": 0, "millis": 0}, (1, 2, 3), b"0" * 12,
                                                  {"months": 2**32, "days": 0, "millis": 0}, {"months": 1.0, "days": 0, "millis": 0}],
        "int32 a (UNKNOWN)": [1],
        "int96 a": [b"0" * 12, datetime.datetime(2020, 1, 1)],
    }  # fmt: skip

    def refuse(self, message, row, good=None):
        """The row alone, and behind a good one."""
        for rows in [[row], [good or {}, row]]:
            path = self.path("refused.parquet")
            with self.assertRaises((TypeError, lamella.Error)) as caught:
                lamella.write(path, rows, schema=message)
            left = os.listdir(self.folder)
            for name in left:
                os.remove(self.path(name))
            self.assertEqual(left, [])
        # A writer goes on behind the row, which is not in the file.
        with lamella.Writer(path, message) as writer:
            for _ in range(3):
                with self.assertRaises((TypeError, lamella.Error)):
                    writer.write(row)
                writer.write(good or {})
        self.assertEqual(len(lamella.read(path).to_pylist()), 3)
        os.remove(path)
        return str(caught.exception)

    def test_values(self):
        for leaf, values in self.VALUES.items():
            for value in values:
                with self.subTest(leaf, value=value):
                    text = self.refuse(LEAF % f"optional {leaf}", {"a": value})
                    self.assertIn("a", text)
                    self.refuse("message m { optional group g (LIST) { repeated group list { optional %s; } } }" % leaf.replace(" a", " element"),
                                {"g": [None, value]})

    def test_none_where_a_value_must_be(self):
        for leaf in ["int64 a", "binary a (STRING)", "group a { optional int32 x; }"]:
            message = "message m { required %s }" % (leaf if leaf.endswith("}") else leaf + ";")
            good = {"a": {"x": 1} if "group" in leaf else "x" if "STRING" in leaf else 1}
            self.refuse(message, {"a": None}, good)
            self.refuse(message, {}, good)
        self.refuse("message m { optional group a (LIST) { repeated group list { required int64 element; } } }", {"a": [1, None]})
        self.refuse("message m { repeated int64 a; }", {"a": [None]})
        self.refuse("message m { repeated group a { optional int64 x; } }", {"a": [{"x": 1}, None]})
        self.refuse(MAP, {"a": [(None, 1)]})
        self.refuse(MAP, {"a": {None: 1}})

    def test_shapes(self):
        struct = "message m { optional group a { optional int64 x; } }"
        for message, values in [
            (struct, [1, [1], [("x", 1)], "x", {"x": "1"}, {"y": 1}, {"x": 1, "y": 2}, {1: 1}]),
            (LIST, [1, "12", b"12", {"element": 1}, [[1]], ["1"], [1, 2.0]]),
            (MAP, [1, "ab", [1], ["ab"], [("k", 1, 2)], [("k",)], {"k": "1"}, {1: 1}, [{"key": "k", "value": 1}]]),
            ("message m { repeated int64 a; }", [1, "1", {"a": 1}, [1, "2"]]),
            (VARIANT, [object(), {1}, {1: 2}, {None: 1}, 10**40, decimal.Decimal("NaN"), decimal.Decimal(10) ** 40, 1j, "\ud800",
                       [object()], {"a": [{"b": object()}]}]),
        ]:  # fmt: skip
            for value in values:
                with self.subTest(message, value=value):
                    self.refuse(message, {"a": value})

    def test_rows_that_are_no_dicts(self):
        for row in [1, None, [], [("a", 1)], "a", (1,), object()]:
            with self.subTest(row=row):
                path = self.path("refused.parquet")
                for options in [{}, {"schema": LEAF % "optional int64 a"}]:
                    with self.assertRaises(TypeError):
                        lamella.write(path, [row], **options)
                    self.assertEqual(os.listdir(self.folder), [])
        for data in [1, None, object()]:
            with self.assertRaises(TypeError):
                lamella.write(path, data)
        self.assertEqual(os.listdir(self.folder), [])

    def test_keys(self):
        message = LEAF % "optional int64 a"
        for row in [{"b": 1}, {"a": 1, "b": None}, {1: 2}, {None: 1}, {"A": 1}, {b"a": 1}]:
            self.assertIn(repr(list(row)[-1]), self.refuse(message, row))

    def test_what_raises(self):
        class Trouble(Exception):
            pass

        class Index:
            def __index__(self):
                raise Trouble

        def generator():
            yield 1
            raise Trouble

        def rows():
            yield {"a": 1}
            raise Trouble

        path = self.path("refused.parquet")
        for data, message in [([{"a": generator()}], LIST), (rows(), LEAF % "optional int64 a"), (rows(), None)]:
            with self.assertRaises(Trouble):
                lamella.write(path, data, schema=message)
            self.assertEqual(os.listdir(self.folder), [])
        with self.assertRaises((Trouble, TypeError)):
            lamella.write(path, [{"a": Index()}], schema=LEAF % "optional int64 a")

    def test_what_uses_the_writer_meanwhile(self):
        path = self.path("meanwhile.parquet")
        refused = []

        def again():
            for use in [lambda: writer.write({"a": [5]}), writer.close, writer.abandon, writer.end_row_group]:
                try:
                    use()
                except lamella.Error as error:
                    refused.append(str(error))
            yield 1

        with lamella.Writer(path, LIST) as writer:
            writer.write({"a": again()})
        self.assertEqual(len(refused), 4)
        self.assertEqual(lamella.read(path).to_pylist(), [{"a": [1]}])

    def test_closed_writers(self):
        for end in [lambda writer: writer.close(), lambda writer: writer.abandon()]:
            writer = lamella.Writer(self.path("closed.parquet"), LIST)
            end(writer)
            for use in [lambda: writer.write({"a": [1]}), writer.end_row_group, writer.close, lambda: writer.write([{"a": [1]}])]:
                with self.assertRaises(lamella.Error):
                    use()
            writer.abandon()

    def test_an_error_leaves_the_old_file(self):
        path = self.path("old.parquet")
        lamella.write(path, [{"a": 1}])
        with self.assertRaises(TypeError):
            lamella.write(path, [{"a": 2}, {"a": "x"}], schema=LEAF % "optional int64 a")
        with self.assertRaises(ZeroDivisionError), lamella.Writer(path, LEAF % "optional int64 a") as writer:
            writer.write({"a": 5})
            1 / 0
        writer = lamella.Writer(path, LEAF % "optional int64 a")
        writer.write({"a": 7})
        del writer
        self.assertEqual(lamella.read(path).to_pylist(), [{"a": 1}])
        self.assertEqual(os.listdir(self.folder), ["old.parquet"])


class Inferring(cases.Case):
    def infer(self, *values):
        """The type of a field that has these values, and what comes back."""
        file = written([{"a": value} for value in values])
        found = [row["a"] for row in lamella.read(file)]
        # A reader of another program takes it as well.
        engines.pyarrow.parquet.read_table(io.BytesIO(file))
        lines = [" ".join(line.split()) for line in str(lamella.read(file).schema).splitlines()]
        return lines[1].replace("optional ", "").replace(" a", "").rstrip(";{ "), found

    def expect(self, type, *values, back=None):
        found, rows = self.infer(*values)
        self.assertEqual(found, type, values)
        wanted = list(values) if back is None else back
        self.assertEqual(table.freeze(rows), table.freeze(wanted))
        self.assertEqual([value.__class__ for value in rows], [value.__class__ for value in wanted])


class Inferred(Inferring):
    """Schemas of dicts."""

    def test_one_class(self):
        moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
        east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
        self.expect("boolean", True, None, False)
        self.expect("int64", 1, None, -(2**63))
        self.expect("int64 (INTEGER(64,false))", 2**64 - 1, 0)
        self.expect("double", 1.5, math.nan, math.inf, -math.inf, None)
        self.expect("double", math.nan)
        self.expect("double", 1, 0.5, back=[1.0, 0.5])
        self.expect("binary (STRING)", "", "2020-01-01", "5", "\0")
        self.expect("binary", b"", b"\xff", None)
        self.expect("binary", bytearray(b"x"), memoryview(b"y"), back=[b"x", b"y"])
        self.expect("int32 (DATE)", moment.date(), None)
        self.expect("int64 (TIME(MICROS,false))", moment.time(), datetime.time())
        self.expect("int64 (TIMESTAMP(MICROS,false))", moment, None, datetime.datetime.min, datetime.datetime.max)
        self.expect("int64 (TIMESTAMP(MICROS,true))", moment.replace(tzinfo=UTC), moment.replace(tzinfo=east),
                    back=[moment.replace(tzinfo=UTC), moment.replace(tzinfo=east).astimezone(UTC)])
        self.expect("fixed_len_byte_array(16) (UUID)", uuid.UUID(int=0), uuid.UUID(int=2**128 - 1))
        self.expect("int32 (UNKNOWN)", None)

    def test_decimals(self):
        def numbers(*texts):
            return [decimal.Decimal(text) for text in texts]

        self.expect("binary (DECIMAL(3,2))", *numbers("1.50", "-0.01"))
        self.expect("binary (DECIMAL(6,2))", *numbers("1000", "0.25"))
        self.expect("binary (DECIMAL(4,0))", *numbers("1E+3"))
        self.expect("binary (DECIMAL(5,5))", *numbers("0.00001", "1E-5"))
        self.expect("binary (DECIMAL(1,0))", *numbers("0", "-0"))
        self.expect("binary (DECIMAL(38,0))", *numbers("9" * 38))
        self.expect("group (VARIANT(1))", *numbers("1E+30", "1E-30"))
        with decimal.localcontext(prec=3):
            self.expect("binary (DECIMAL(10,5))", *numbers("12345.12345", "0.1"))
        for text in ["NaN", "Infinity", "9" * 39]:
            with self.assertRaises((TypeError, lamella.Error)):
                self.infer(decimal.Decimal(text))

    def test_clashes(self):
        moment = datetime.datetime(2020, 1, 2, 3)
        values = [1, 1.5, "x", b"x", True, moment, moment.replace(tzinfo=UTC), moment.date(), moment.time(), uuid.UUID(int=1),
                  decimal.Decimal("0.5"), [1], {"b": 1}, {"b": b"x"}, [moment], bytearray(b"z")]
        for one in values:
            for other in values:
                if one.__class__ == other.__class__ or {one.__class__, other.__class__} == {int, float}:
                    continue
                if {one.__class__, other.__class__} == {bytes, bytearray}:
                    continue
                with self.subTest(one=one, other=other):
                    back = [bytes(value) if isinstance(value, bytearray) else value for value in (one, None, other)]
                    self.expect("group (VARIANT(1))", one, None, other, back=back)
                    self.infer([one, other])
                    self.infer({"x": one}, {"x": other})
                    self.infer([{"x": one}], [], [{"y": other}, {"x": other}])
        self.expect("group (VARIANT(1))", *values, back=[bytes(v) if isinstance(v, bytearray) else v for v in values])
        self.expect("group (VARIANT(1))", 2**60 + 1, 0.5)

    def test_nested(self):
        moment = datetime.datetime(2020, 1, 2, 3)
        rows = [{"a": {"b": [{"c": b"x", "d": moment}, None, {}], "e.f": decimal.Decimal("0.5")}}, {}, {"a": None},
                {"a": {"b": []}, 'q"[]': [[b"x", None], []]}]
        wanted = [{"a": {"b": [{"c": b"x", "d": moment}, None, {"c": None, "d": None}], "e.f": decimal.Decimal("0.5")}, 'q"[]': None},
                  {"a": None, 'q"[]': None}, {"a": None, 'q"[]': None},
                  {"a": {"b": [], "e.f": None}, 'q"[]': [[b"x", None], []]}]
        self.assertEqual(lamella.read(written(rows)).to_pylist(), wanted)
        for given in [tuple(rows), iter(rows), (row for row in rows)]:
            self.assertEqual(lamella.read(written(given)).to_pylist(), wanted)

    def test_random_rows_come_back(self):
        # A schema of random types is what is inferred, or a wider one: the values are equal.
        kinds = [kind for kind in KINDS_OF_ROWS if kind not in ("variant", "interval", "float", "float16")]
        for number in range(1, cases.rounds(100) + 1):
            source, what = cases.source_of(number)
            fields = [table.random_field(source, f"c{n}", kinds, source.randint(0, 4), maps=False) for n in range(3)]
            schema = Struct(fields)
            rows = objects.random_rows(schema, source, 20)
            self.assertEqual(table.freeze(rows), table.freeze(lamella.read(written(rows)).to_pylist()), what)

    def test_nothing_to_infer_from(self):
        with self.assertRaises(ValueError):
            written([])
        self.assertEqual(lamella.read(written([], schema=LIST)).to_pylist(), [])
        for value in [object(), {1}, lambda: 1, (x for x in [1]), 1j]:
            with self.subTest(value=value), self.assertRaises(TypeError):
                written([{"a": 1}, {"a": value}])
        cycle = []
        cycle.append(cycle)
        with self.assertRaises((RecursionError, ValueError)):
            written([{"a": cycle}])
        for key in [1, None, 1.5, True, b"a", (1,)]:
            with self.subTest(key=key), self.assertRaises((TypeError, lamella.Error)):
                written([{key: 1}])
            with self.subTest(key=key), self.assertRaises((TypeError, lamella.Error)):
                written([{"a": {key: b"x"}}])


@cases.unittest.skipUnless(numpy, "no NumPy")
class Numpy(Inferring):
    """Scalars and arrays of NumPy, by inference and by schema."""

    def expect_both(self, leaf, type, given, back):
        self.expect(type, given, back=[back])
        found = lamella.read(written([{"a": given}], schema=LEAF % f"optional {leaf}")).to_pylist()[0]["a"]
        self.assertEqual((found, found.__class__), (back, back.__class__))

    def test_scalars(self):
        for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"]:
            self.expect_both("int64 a", "int64", numpy.dtype(name).type(5), 5)
        self.expect("int64 (INTEGER(64,false))", numpy.uint64(2**64 - 1), back=[2**64 - 1])
        for name in ["float16", "float32", "float64"]:
            self.expect_both("double a", "double", numpy.dtype(name).type(1.5), 1.5)
        self.expect_both("boolean a", "boolean", numpy.bool_(True), True)
        self.expect_both("binary a (STRING)", "binary (STRING)", numpy.str_("ä"), "ä")
        self.expect_both("binary a", "binary", numpy.bytes_(b"x"), b"x")

    def test_times(self):
        moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
        self.expect_both("int64 a (TIMESTAMP(MICROS,false))", "int64 (TIMESTAMP(MICROS,false))", numpy.datetime64(moment), moment)
        self.expect_both("int32 a (DATE)", "int32 (DATE)", numpy.datetime64("2020-01-02"), moment.date())
        for given in [numpy.datetime64("2020-01-01T00:00:00.000000001"), numpy.timedelta64(5, "s"), numpy.datetime64("NaT", "us")]:
            for message in [None, VARIANT, *(LEAF % f"optional int64 a (TIMESTAMP({unit},false))" for unit in ("MILLIS", "MICROS", "NANOS")),
                            LEAF % "optional int64 a"]:
                with self.subTest(given=given, message=message), self.assertRaises((TypeError, lamella.Error)):
                    written([{"a": given}], **({"schema": message} if message else {}))

    def test_arrays(self):
        for given, type in [(numpy.arange(4), "int64"), (numpy.array([1.5, numpy.nan]), "double"), (numpy.array([True]), "boolean"),
                            (numpy.array(["x", "yz"]), "binary a (STRING)"), (numpy.array([], dtype="int32"), None),
                            (numpy.array([b"x", b"y"]), "binary"), (numpy.array(["2020-01-01"], "datetime64[D]"), "int32 a (DATE)")]:
            found, rows = self.infer(given)
            self.assertEqual(found, "group (LIST)")
            self.assertEqual(table.freeze(rows), table.freeze([given.tolist()]))
            if type is None:
                continue
            element = type.replace(" a", "") if " a " not in type else type
            element = element.replace(" a ", " element ") if " a " in element else element + " element"
            message = "message m { optional group a (LIST) { repeated group list { optional %s; } } }" % element
            found = lamella.read(written([{"a": given}], schema=message)).to_pylist()
            self.assertEqual(table.freeze(found), table.freeze([{"a": given.tolist()}]))
        self.assertEqual(self.infer(numpy.eye(2))[1], [[[1.0, 0.0], [0.0, 1.0]]])
        self.expect("int64", numpy.array(5), back=[5])

    def test_bytes_are_no_numbers(self):
        for given in [numpy.int64(5), numpy.float64(1), numpy.arange(3), numpy.bool_(True), numpy.array(5)]:
            with self.subTest(given=given), self.assertRaises((TypeError, lamella.Error)):
                written([{"a": given}], schema=LEAF % "optional binary a")
        self.assertEqual(lamella.read(written([{"a": numpy.array([1, 2], "uint8")}], schema=LEAF % "optional binary a")).to_pylist(), [{"a": b"\x01\x02"}])

    def test_variants(self):
        values = [numpy.int64(5), numpy.float32(0.5), numpy.bool_(True), numpy.str_("x"), numpy.bytes_(b"x"), numpy.arange(2),
                  [numpy.uint8(3)], {"b": numpy.array([[1.5]])}, numpy.datetime64("2020-01-02"), bytearray(b"x"), memoryview(b"y")]
        back = [5, 0.5, True, "x", b"x", [0, 1], [3], {"b": [[1.5]]}, datetime.date(2020, 1, 2), b"x", b"y"]
        self.expect("group (VARIANT(1))", *values, back=back)
        found = lamella.read(written([{"a": value} for value in values], schema=VARIANT)).to_pylist()
        self.assertEqual(found, [{"a": value} for value in back])


@cases.unittest.skipUnless(pandas, "no pandas")
class Pandas(cases.Case):
    def test_timestamps(self):
        stamp = pandas.Timestamp("2020-01-02T03:04:05.000006")
        self.assertEqual(lamella.read(written([{"a": stamp}])).to_pylist(), [{"a": stamp.to_pydatetime()}])
        zoned = stamp.tz_localize("Europe/Berlin")
        self.assertEqual(lamella.read(written([{"a": zoned}])).to_pylist(), [{"a": zoned.to_pydatetime()}])

    def test_digits_of_timestamps_are_not_lost(self):
        stamp = pandas.Timestamp("2020-01-02T03:04:05.000006007")
        for message in [None, VARIANT, LEAF % "optional int64 a (TIMESTAMP(MICROS,false))"]:
            with self.assertRaises((TypeError, lamella.Error)):
                written([{"a": stamp}], **({"schema": message} if message else {}))
        file = written([{"a": stamp}], schema=LEAF % "optional int64 a (TIMESTAMP(NANOS,false))")
        self.assertEqual(engines.pyarrow.parquet.read_table(io.BytesIO(file)).to_pylist(), [{"a": stamp}])

    def test_what_is_missing_there(self):
        for value in [pandas.NaT, pandas.NA]:
            for message in [None, LEAF % "optional int64 a (TIMESTAMP(MICROS,false))", LEAF % "optional double a"]:
                with self.subTest(value=value, message=message), self.assertRaises((TypeError, ValueError)):
                    written([{"a": value}], **({"schema": message} if message else {}))


if __name__ == "__main__":
    cases.main()
