# SPDX-License-Identifier: Apache-2.0
"""INT96 columns in each unit, beside pyarrow, which cuts digits the same way but wraps around where a unit
does not hold a value; and values that break their logical type, which others wrap around or give as they
are."""

import decimal
import os
import struct

import arrow_peers as peers

import arrow_values
import lamella_ctypes as lamella

pa = peers.pa
pq = pa.parquet
REFUSED = (OSError, pa.ArrowInvalid)  # the codes EOVERFLOW and EINVAL
UNITS = {"ms": 1, "us": 2, "ns": 3}  # lam_time_unit
NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
YEAR_1, YEAR_9999 = -62135596800, 253402300799  # seconds
FILES = 60


def fits(count):
    return -(2**63) <= count < 2**63


def finest(instants):
    return next(unit for unit in ["ns", "us", "ms"] if all(fits(n // NANOS[unit]) for n in instants))


def counts(table):
    return [table["t"].combine_chunks().cast(pa.int64()).to_pylist(), table.schema.field("t").type.unit]


class Int96(peers.PeerTest):
    def write(self, values, unit, **options):
        path = self.path("x.parquet")
        table = pa.table({"t": pa.array(values, pa.timestamp(unit)), "i": range(len(values))})
        pq.write_table(table, path, use_deprecated_int96_timestamps=True, **options)
        return path

    def drawn(self, source, unit):
        """Counts of a unit of today, most of the time with the sentinels of other engines."""
        per_second = 10**9 // NANOS[unit]
        sentinels = [YEAR_1 * per_second, YEAR_9999 * per_second + per_second - 1]
        sentinels = [count for count in sentinels if fits(count)]
        values = []
        for _ in range(source.randrange(1, 300)):
            value = source.randrange(-(10**10), 10**10) * per_second // 7
            if not fits(value * NANOS[unit]):
                value %= 10**9 * per_second
            if sentinels and source.random() < 0.1:
                value = source.choice(sentinels)
            values.append(None if source.random() < 0.1 else value)
        return values

    def options(self, source):
        return {
            "row_group_size": source.choice([1, 7, 50, 1000]),
            "use_dictionary": source.random() < 0.7,
            "data_page_version": source.choice(["1.0", "2.0"]),
            "data_page_size": source.choice([16, 100, 1 << 20]),
            "compression": source.choice(["none", "snappy", "zstd"]),
        }

    def test_the_unit_of_arrow_schema_comes_back(self):
        def check(seed):
            source = peers.source_of(seed)
            unit = source.choice(list(NANOS))
            values = self.drawn(source, unit)
            path = self.write(values, unit, **self.options(source))
            found = lamella.read(path, **peers.random_reader_options(source))
            found.validate(full=True)
            self.assertEqual(counts(found), [values, unit])

        self.each_seed(1, FILES, check)

    def test_without_arrow_schema_dictionaries_say_it(self):
        def check(seed):
            source = peers.source_of(seed)
            unit = source.choice(list(NANOS))
            values = self.drawn(source, unit)
            options = self.options(source) | {"use_dictionary": True, "row_group_size": 100}
            path = self.write(values, unit, store_schema=False, **options)
            instants = [value * NANOS[unit] for value in values if value is not None]
            found = lamella.read(path, **peers.random_reader_options(source))
            wanted = finest(instants)
            expected = [v if v is None else v * NANOS[unit] // NANOS[wanted] for v in values]
            self.assertEqual(counts(found), [expected, wanted])

        self.each_seed(1, FILES, check)

    def test_what_is_asked_for_is_what_pyarrow_gives(self):
        """pyarrow wraps around what a unit does not hold; here it is refused, with its row."""

        def check(seed):
            source = peers.source_of(seed)
            unit = source.choice(list(NANOS))
            values = self.drawn(source, unit)
            options = self.options(source)
            path = self.write(values, unit, **options)
            instants = [None if value is None else value * NANOS[unit] for value in values]
            for asked, number in UNITS.items():
                reading = peers.random_reader_options(source) | {"timestamp96_unit": number}
                bad = [
                    row
                    for row, value in enumerate(instants)
                    if value is not None and not fits(value // NANOS[asked])
                ]
                if bad:
                    group, row = divmod(bad[0], options["row_group_size"])
                    text = f"t: .*timestamp96_unit \\(row group {group}, column 0, row {row}\\)"
                    with self.assertRaisesRegex(REFUSED, text):
                        lamella.read(path, **reading)
                    continue
                found = lamella.read(path, **reading)
                wanted = pq.read_table(path, coerce_int96_timestamp_unit=asked)
                self.assertEqual(counts(found), counts(wanted))

        self.each_seed(1, FILES, check)

    def test_filters_find_the_same_rows_in_every_unit(self):
        values = [YEAR_1 * 10**6, 0, 1577836800 * 10**6, YEAR_9999 * 10**6 + 999999, None, -1]
        values = values * 20
        conditions = {
            "t >= '1970-01-01T00:00:00'": lambda v: v >= 0,
            "t < '0001-01-02T00:00:00'": lambda v: v == YEAR_1 * 10**6,
            "t = '9999-12-31T23:59:59.999999'": lambda v: v == values[3],
            "t in ('1969-12-31T23:59:59.999999', '2020-01-01T00:00:00')": lambda v: v
            in (-1, values[2]),
        }
        for group in [1, 11, 1000]:
            path = self.write(values, "us", row_group_size=group)
            for text, wanted in conditions.items():
                rows = [i for i, v in enumerate(values) if v is not None and wanted(v)]
                for unit in [0, 1, 2]:
                    for pruning in [False, True]:
                        found = lamella.read(
                            path, where=text, timestamp96_unit=unit, pruning=0 if pruning else lamella.OFF
                        )
                        with self.subTest(text, unit=unit, group=group):
                            self.assertEqual(found["i"].to_pylist(), rows)
                            divisor = 1000 if unit == 1 else 1
                            times = [values[i] // divisor for i in rows]
                            self.assertEqual(counts(found), [times, "ms" if unit == 1 else "us"])
                rows = [i for i, v in enumerate(values) if v == 0]
                found = lamella.read(path, where="t = '1970-01-01T00:00:00'", timestamp96_unit=3)
                self.assertEqual(counts(found), [[0] * len(rows), "ns"])

    def test_nested_columns(self):
        values = [[YEAR_9999 * 10**6, None], None, [], [1, 2]]
        table = pa.table({"t": pa.array(values, pa.list_(pa.timestamp("us")))})
        path = self.path("x.parquet")
        for stored in [False, True]:
            pq.write_table(table, path, use_deprecated_int96_timestamps=True, store_schema=stored)
            found = lamella.read(path)
            self.assertIsNone(arrow_values.tables_difference(table, found))
            self.assertEqual(found.schema.field(0).type.value_type, pa.timestamp("us"))
            text = "t.list.element: .*timestamp96_unit .*row 0\\)"
            with self.assertRaisesRegex(REFUSED, text):
                lamella.read(path, timestamp96_unit=3)


    def test_a_file_of_spark(self):
        """A sentinel, microseconds, and at last what overflowed in Spark: a day and nanoseconds below 0,
        which pyarrow takes without sign."""
        path = os.path.join(peers.SHARED, "parquet-testing/data/int96_from_spark.parquet")
        wanted = pq.read_table(path, coerce_int96_timestamp_unit="ms")
        found = lamella.read(path, timestamp96_unit=UNITS["ms"])
        self.assertIsNone(arrow_values.tables_difference(wanted.slice(0, 5), found.slice(0, 5)))
        days, nanos = struct.unpack("<iq", bytes.fromhex("a8abb0f90060b9c76ee2ffff"))
        count = (days - 2440588) * 86400000 + nanos // 10**6
        self.assertEqual(found["a"][5].value, count)
        with self.assertRaisesRegex(REFUSED, "a: .*milliseconds"):
            lamella.read(path)


class Lenient(peers.PeerTest):
    def forge(self, array, old, new, **options):
        """A file of three values without dictionary, of which bytes are changed."""
        path = self.path("x.parquet")
        table = pa.table({"a": array})
        options |= {"use_dictionary": False, "compression": "none", "write_statistics": False}
        pq.write_table(table, path, **options)
        with open(path, "rb") as file:
            data = file.read()
        self.assertEqual(data.count(old), 1)
        with open(path, "wb") as file:
            file.write(data.replace(old, new))
        return path

    def check(self, path, reason, lenient, values):
        text = f"a: {reason} \\(row group 0, column 0, row 1\\)"
        for options in [{}, {"batch_rows": 1}, {"thread_count": 2}, {"skip_rows": 1}]:
            with self.assertRaisesRegex(REFUSED, text):
                lamella.read(path, **options)
        found = lamella.read(path, lenient=True)
        found.validate(full=True)
        self.assertEqual(found.schema.field("a").type, lenient)
        self.assertEqual(found["a"].to_pylist(), values)
        self.assertEqual(lamella.read(path, lenient=True, arrow_schema=lamella.OFF), found)

    def test_small_integers(self):
        for found, bits in [
            (pa.int8(), "8 bits"),
            (pa.uint8(), "8 bits without sign"),
            (pa.int16(), "16 bits"),
            (pa.uint16(), "16 bits without sign"),
        ]:
            for value in [70000, -32769, -(2**31), 2**31 - 1]:
                path = self.forge(
                    pa.array([1, 77, 3], found),
                    struct.pack("<3i", 1, 77, 3),
                    struct.pack("<3i", 1, value, 3),
                )
                self.check(path, f"a value does not fit {bits}", pa.int32(), [1, value, 3])

    def test_decimals(self):
        few = [decimal.Decimal(text) for text in ["1.00", "7.77", "3.00"]]
        rows = [
            (5, 10, True, struct.pack("<3i", 100, 777, 300), ("<3i", 2 * 10**9)),
            (12, 19, True, struct.pack("<3q", 100, 777, 300), ("<3q", 2**62)),
            (20, 38, False, (777).to_bytes(9, "big"), (9, 2**70)),
            (50, 76, False, (777).to_bytes(21, "big"), (21, -(2**167))),
        ]
        for precision, lenient, is_integer, old, (form, number) in rows:
            kind = pa.decimal128 if precision <= 38 else pa.decimal256
            new = (
                struct.pack(form, 100, number, 300)
                if is_integer
                else number.to_bytes(form, "big", signed=True)
            )
            with self.subTest(precision), decimal.localcontext() as context:
                context.prec = 80
                path = self.forge(
                    pa.array(few, kind(precision, 2)), old, new, store_decimal_as_integer=is_integer
                )
                values = [few[0], decimal.Decimal(number) / 100, few[2]]
                reason = "a decimal has more digits than its precision"
                self.check(path, reason, kind(lenient, 2), values)


if __name__ == "__main__":
    peers.main()
