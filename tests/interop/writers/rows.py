# SPDX-License-Identifier: Apache-2.0
"""The rows that every writer in Python writes, as plain values: the same in every version, from Python 3.6.

`id` rises, so that row groups and pages can be ruled out; texts share long beginnings and differ behind
them; bytes go up to 0xFF; what has a null somewhere is named in no special way.
"""

import datetime
import decimal

COUNT = 3000
EPOCH = datetime.datetime(1970, 1, 1)
WORDS = ["", "a", "b", "ab", "it's", "Zz", "\u00e4\u00f6\u00fc\u00df", "\U0001f600 smile", "\u65e5\u672c\u8a9e", "long " * 30]


def mixed(row, salt=0):
    """A number of 64 bits that looks drawn."""
    value = (row + 1) * 0x9E3779B97F4A7C15 + salt * 0xBF58476D1CE4E5B9
    value ^= value >> 31
    return value * 0x94D049BB133111EB >> 3 & (1 << 64) - 1


def signed(row, bits, salt):
    extremes = {5: -(1 << bits - 1), 6: (1 << bits - 1) - 1, 7: 0, 8: -1}
    value = mixed(row, salt) >> 64 - bits
    return extremes.get(row % 211, value - (1 << bits - 1))


def unsigned(row, bits, salt):
    extremes = {5: 0, 6: (1 << bits) - 1, 7: 1 << bits - 1}
    return extremes.get(row % 211, mixed(row, salt) >> 64 - bits)


def real(row):
    odd = {1: float("nan"), 2: float("inf"), 3: float("-inf"), 4: -0.0, 5: 0.0, 6: 1.5e300, 7: 5e-324}
    return odd.get(row % 199, (mixed(row, 3) % 2000001 - 1000000) / 64.0)


def single(row):
    odd = {1: float("nan"), 2: float("inf"), 3: float("-inf"), 4: -0.0, 5: 0.0}
    return odd.get(row % 199, (mixed(row, 4) % 20001 - 10000) / 8.0)


def high(row):
    """Bytes of which many are 0xFF, longer and shorter than 16."""
    beginning = [b"", b"\xff" * 16, b"\xff" * 3, b"\x7f\x80", b"\x00"][row % 5]
    return beginning + bytes([255 - row % 7, row % 251]) * (row % 11)


def decimal_of(row, digits, scale):
    number = (mixed(row, 5) << 64 | mixed(row, 6)) % 10**digits
    return decimal.Decimal((row % 2, tuple(int(digit) for digit in str(number)), -scale))


def numbers(row):
    return [None if n % 3 == 2 else row % 50 + n for n in range(row % 6)]


def unless(value, null):
    return None if null else value


def column(make, nulls=7):
    return [None if nulls and row % nulls == 3 else make(row) for row in range(COUNT)]


def flat():
    """Columns of values that every writer has a type for, by name."""
    return {
        "id": column(lambda row: row * 3 - 500, nulls=0),
        "flag": column(lambda row: row % 3 == 0),
        "i32": column(lambda row: signed(row, 32, 1)),
        "i64": column(lambda row: signed(row, 64, 2)),
        "few": column(lambda row: row // 40 % 5, nulls=0),
        "f32": column(single),
        "f64": column(real),
        "word": column(lambda row: WORDS[mixed(row) % len(WORDS)]),
        "url": column(lambda row: "https://example.org/a/rather/long/beginning/{:06}/\u00ff".format(row), nulls=0),
        "high": column(high),
        "rare": column(lambda row: unless("x{:04}".format(row), row % 500), nulls=0),
        "nothing": column(lambda row: None),
    }


def integers():
    names = [("i", bits, signed) for bits in (8, 16)] + [("u", bits, unsigned) for bits in (8, 16, 32, 64)]
    return {
        "{}{}".format(name, bits): column(lambda row, bits=bits, make=make: make(row, bits, bits))
        for name, bits, make in names
    }


def times():
    return {
        "day": column(lambda row: datetime.date(1960, 1, 1) + datetime.timedelta(days=row * 20)),
        "edge": column(
            lambda row: [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2024, 2, 29)][row % 3]
        ),
        "clock": column(
            lambda row: (datetime.datetime.min + datetime.timedelta(microseconds=mixed(row, 7) % 86400000000)).time()
        ),
        "moment": column(lambda row: EPOCH + datetime.timedelta(microseconds=signed(row, 54, 8) % (1 << 53))),
        "rising": column(lambda row: EPOCH + datetime.timedelta(seconds=row * 977, milliseconds=row % 1000), nulls=0),
    }


def decimals():
    return {
        "d9": column(lambda row: decimal_of(row, 9, 2)),
        "d18": column(lambda row: decimal_of(row, 18, 6)),
        "d38": column(lambda row: decimal_of(row, 38, 10)),
    }


def nested():
    """Lists, structs and lists of both: null, empty, with nulls; maps as lists of pairs are in `map`."""
    return {
        "list": column(numbers, 5),
        "texts": column(lambda row: [WORDS[(row + n) % len(WORDS)] for n in range(row % 4)], 6),
        "struct": column(lambda row: {"x": unless(row, row % 4 == 1), "y": WORDS[row % len(WORDS)]}, 5),
        "deep": column(lambda row: [unless(numbers(row + n), n == 1) for n in range(row % 4)], 9),
        "people": column(
            lambda row: [{"x": row + n, "y": unless("n{}".format(n), n == 2)} for n in range(row % 4)], 8
        ),
    }


def maps():
    return {"map": column(lambda row: [("k{}".format(n), unless(row + n, n == 1)) for n in range(row % 4)], 5)}
