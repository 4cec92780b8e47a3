# SPDX-License-Identifier: Apache-2.0
"""The schema of dicts: what JSON has is inferred as by `lamella import`, the rest by its class.

    date, time, datetime     DATE, TIME, TIMESTAMP in UTC if it has a zone
    Decimal                  DECIMAL of as many digits as all need
    bytes, UUID              binary, UUID
    classes that clash       VARIANT
"""

from __future__ import annotations

import datetime
import decimal
import json
import uuid

from . import _lamella
from ._where import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._types import Row

_DIGITS_MAX = 38


class _Given:
    """The classes that were met at a path."""

    __slots__ = ("kinds", "whole", "scale")

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.whole = 0
        self.scale = 0

    def add(self, kind: str, value: Any) -> None:
        self.kinds.add(kind)
        if kind == "decimal":
            sign, digits, exponent = value.as_tuple()
            del sign
            if not isinstance(exponent, int):
                self.kinds.add("other")
                return
            self.scale = max(self.scale, -exponent)
            self.whole = max(self.whole, len(digits) + exponent)

    def type(self) -> str | None:
        """A leaf as message text; None for a VARIANT."""
        if len(self.kinds) > 1:
            return None
        kind, = self.kinds
        if kind == "decimal":
            precision = max(self.whole + self.scale, 1)
            return None if precision > _DIGITS_MAX else f"optional binary x (DECIMAL({precision},{self.scale}))"
        return _TYPES[kind]


_TYPES = {"date": "optional int32 x (DATE)", "time": "optional int64 x (TIME(MICROS,false))",
          "utc": "optional int64 x (TIMESTAMP(MICROS,true))", "local": "optional int64 x (TIMESTAMP(MICROS,false))",
          "bytes": "optional binary x", "uuid": "optional fixed_len_byte_array(16) x (UUID)", "other": None}


def _kind(value: object) -> str | None:
    """The class of a value that JSON lacks; None for the others."""
    if isinstance(value, datetime.datetime):
        return "local" if value.utcoffset() is None else "utc"
    if isinstance(value, datetime.date):
        return "date"
    if isinstance(value, datetime.time):
        return "time"
    if isinstance(value, decimal.Decimal):
        return "decimal"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "bytes"
    if isinstance(value, uuid.UUID):
        return "uuid"
    return None


class _Found:
    """What was met that JSON lacks, by path, and paths at which there are values of JSON besides."""

    def __init__(self) -> None:
        self.given: dict[str, _Given] = {}
        self.clashes: set[str] = set()

    def types(self) -> tuple[list[tuple[str, str]], list[str]]:
        """Types by path, and VARIANTs: values at a path inside of one are part of it."""
        types = {path: None if path in self.clashes else given.type() for path, given in self.given.items()}
        variants = [path for path, text in types.items() if text is None]
        inside = tuple(path + mark for path in variants for mark in (".", "[]"))
        return ([(path, text) for path, text in types.items() if text is not None and not path.startswith(inside)],
                [path for path in variants if not path.startswith(inside)])


def _members(value: dict[Any, Any], path: str, found: _Found) -> dict[str, Any]:
    for name in value:
        if not isinstance(name, str):
            raise TypeError(f"{path or 'a row'}: keys are str, not {type(name).__name__}")
    return {name: _plain(member, f"{path}.{quote(name)}" if path else quote(name), found) for name, member in value.items()}


def _plain(value: Any, path: str, found: _Found) -> Any:
    """The value as JSON has it: None where its class is noted at the path instead."""
    if value is None:
        return None
    if isinstance(value, (bool, int, str, float, dict, list, tuple)):
        if path in found.given:
            found.clashes.add(path)
        if isinstance(value, dict):
            return _members(value, path, found)
        if isinstance(value, (list, tuple)):
            return [_plain(element, path + "[]", found) for element in value]
        return 0.5 if isinstance(value, float) and value - value != 0 else value
    kind = _kind(value)
    if kind is not None:
        found.given.setdefault(path, _Given()).add(kind, value)
        return None
    if hasattr(value, "tolist"):  # scalars and arrays of NumPy, whose times may become numbers without a unit
        plain = value.tolist()
        if not isinstance(plain, int) or isinstance(plain, bool) or hasattr(value, "__index__"):
            return _plain(plain, path, found)
    raise TypeError(f"{path}: no type for {type(value).__name__}")


def _lines(rows: list[Row]) -> tuple[str, list[tuple[str, str]], list[str]]:
    """JSON lines, and the types and VARIANTs that are given."""
    try:  # most rows hold nothing else
        return "\n".join(json.dumps(row, allow_nan=False) for row in rows), [], []
    except (TypeError, ValueError):
        pass
    found = _Found()
    lines = [json.dumps(_plain(row, "", found)) for row in rows]
    for row in rows if found.given else ():  # a class may come after values of JSON at its path
        _plain(row, "", found)
    return "\n".join(lines), *found.types()


def infer(rows: Iterable[Row]) -> tuple[list[Row], str]:
    """The rows as a list, and their schema as message text."""
    rows = rows if isinstance(rows, list) else list(rows)
    for row in rows:
        if not isinstance(row, dict):
            raise TypeError(f"expected dicts, or what has __arrow_c_stream__; got {type(row).__name__}")
    if not rows:
        raise ValueError("no rows to infer a schema from: give one, as schema=")
    text, columns, variants = _lines(rows)
    return rows, _lamella.infer(text.encode("utf-8", "surrogatepass"), columns, variants)
