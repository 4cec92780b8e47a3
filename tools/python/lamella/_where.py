# SPDX-License-Identifier: Apache-2.0
"""Conditions: text as it is, and the lists of tuples that pyarrow takes as text.

    [("a", ">", 1), ("b", "in", ["x", "y"])]     all of them
    [[("a", "=", 1)], [("b", "=", 2)]]           any of these lists
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._types import Condition

_OPERATORS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
              "in": "in", "not in": "not in"}


def quote(name: str) -> str:
    """A name as a path that leads to this field alone, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def _path(column: Any) -> str:
    """A name as a path, quoted where it could be read as something else; a path as it is."""
    return column if any(mark in column for mark in '."[') else quote(column)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return {"nan": "'NaN'", "inf": "'Infinity'", "-inf": "'-Infinity'"}.get(repr(value), repr(value))
    if isinstance(value, (bytes, bytearray)):
        return "x'" + bytes(value).hex() + "'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return _literal_of_class(value)


def _literal_of_class(value: Any) -> str:
    import datetime
    import decimal
    import uuid

    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return "'" + value.isoformat() + "'"
    if isinstance(value, (datetime.date, datetime.time, uuid.UUID)):
        return "'" + str(value) + "'"
    if hasattr(value, "item"):  # a scalar of NumPy
        return _literal(value.item())
    raise TypeError(f"a condition has no literal for {type(value).__name__}")


def _comparison(term: Any) -> str:
    if not isinstance(term, tuple) or len(term) != 3:
        raise TypeError("expected tuples (column, operator, value)")
    column, operator, value = _path(term[0]), term[1], term[2]
    if operator not in _OPERATORS:
        raise ValueError(f"no operator {operator!r}: one of {', '.join(_OPERATORS)}")
    word = _OPERATORS[operator]
    if word in ("in", "not in"):
        values = list(value)
        if not values:
            return f"{column} is null and {column} is not null" if word == "in" else f"{column} is not null"
        return f"{column} {word} ({', '.join(_literal(element) for element in values)})"
    if value is None:
        return f"{column} is null" if word == "=" else f"{column} is not null"
    return f"{column} {word} {_literal(value)}"


def to_text(where: Condition | None) -> str | None:
    """The text of a condition; None for None."""
    if where is None or isinstance(where, str):
        return where
    if not isinstance(where, list) or not where:
        raise TypeError("where is a text, or a list of tuples, or of such lists")
    if isinstance(where[0], list):
        return " or ".join("(" + " and ".join(map(_comparison, part)) + ")" for part in where)
    return " and ".join(map(_comparison, where))


def to_select(columns: str | Iterable[str] | None) -> str | None:
    """A list of paths as text: a text is one already, and each of a sequence is a name or a path."""
    if columns is None or isinstance(columns, str):
        return columns
    return ", ".join(column if column[:1] in ("!", "-") or "*" in column else _path(column) for column in columns)
