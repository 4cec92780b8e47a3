# SPDX-License-Identifier: Apache-2.0
"""Conditions on lineitem for compare_scans.py, and each of them as every engine writes it.

A condition is (column, operator, value), or ("and", condition, condition, ...), or the same with "or". Values
are int, str, datetime.date and decimal.Decimal. A query is a condition and the columns that are wanted, None for
all of them; its name has the share of rows that it finds in percent.
"""

import datetime
import decimal
import functools
import operator

OPERATORS = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
}
JOINS = {"and": operator.and_, "or": operator.or_}


def date(text):
    return datetime.date.fromisoformat(text)


def cents(text):
    """A decimal of lineitem: DECIMAL(15, 2)."""
    return decimal.Decimal(text)


FORECAST = (
    "and",
    ("l_shipdate", ">=", date("1994-01-01")),
    ("l_shipdate", "<", date("1995-01-01")),
    ("l_discount", ">=", cents("0.05")),
    ("l_discount", "<=", cents("0.07")),
    ("l_quantity", "<", cents("24.00")),
)
QUERIES = {
    "int-0.01": (("l_partkey", "<=", 20), None),
    "int-1": (("l_partkey", "<=", 2000), None),
    "int-10": (("l_partkey", "<=", 20000), None),
    "int-50": (("l_partkey", "<=", 100000), None),
    "dec-0.01": (("l_extendedprice", "<", cents("907.00")), None),
    "dec-1": (("l_extendedprice", "<", cents("1500.00")), None),
    "dec-10": (("l_quantity", "<=", cents("5.00")), None),
    "dec-50": (("l_quantity", "<=", cents("25.00")), None),
    "date-0.01": (("l_shipdate", "<=", date("1992-01-10")), None),
    "date-1": (("l_shipdate", "<", date("1992-03-20")), None),
    "date-10": (("l_shipdate", "<", date("1992-11-10")), None),
    "date-50": (("l_shipdate", "<", date("1995-06-17")), None),
    "str-14": (("l_shipmode", "=", "AIR"), None),
    "str-50": (("l_returnflag", "=", "N"), None),
    "and-0.01": (
        ("and", ("l_partkey", "<=", 140), ("l_shipmode", "=", "AIR"), ("l_tax", "<", cents("0.01"))),
        None,
    ),
    "and-2": (FORECAST, None),
    "and-2-few": (FORECAST, ["l_extendedprice", "l_discount"]),
    "or-3": (
        ("or", ("l_partkey", "<=", 2000), ("l_quantity", "<=", cents("1.00"))),
        None,
    ),
    "or-27": (
        ("or", ("l_shipmode", "=", "AIR"), ("l_shipmode", "=", "RAIL")),
        ["l_orderkey", "l_shipmode", "l_extendedprice"],
    ),
    "int-1-few": (("l_partkey", "<=", 2000), ["l_orderkey", "l_partkey", "l_comment"]),
    "int-50-few": (("l_partkey", "<=", 100000), ["l_orderkey", "l_partkey", "l_comment"]),
}


def sql_value(value, of_date):
    if isinstance(value, datetime.date):
        return f"{of_date}'{value}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


def sql(condition, of_date=""):
    """For Lamella, and for DuckDB with DATE before dates."""
    if condition[0] in JOINS:
        return "(" + f" {condition[0]} ".join(sql(part, of_date) for part in condition[1:]) + ")"
    column, name, value = condition
    return f'"{column}" {name} {sql_value(value, of_date)}'


def expression(condition, column_of, value_of):
    """For engines with expressions in Python."""
    if condition[0] in JOINS:
        parts = (expression(part, column_of, value_of) for part in condition[1:])
        return functools.reduce(JOINS[condition[0]], parts)
    column, name, value = condition
    return OPERATORS[name](column_of(column), value_of(value))


def polars(condition, engine):
    def value_of(value):
        if isinstance(value, decimal.Decimal):
            return engine.lit(value, dtype=engine.Decimal(15, 2))
        return engine.lit(value)

    return expression(condition, engine.col, value_of)


def pyarrow(condition):
    import pyarrow as pa
    import pyarrow.dataset as ds

    def value_of(value):
        if isinstance(value, decimal.Decimal):
            return pa.scalar(value, pa.decimal128(15, 2))
        return value

    return expression(condition, ds.field, value_of)
