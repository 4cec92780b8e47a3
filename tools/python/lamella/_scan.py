# SPDX-License-Identifier: Apache-2.0
"""Reading: a Scan says what is to be read, and reads it each time that it is asked."""

from __future__ import annotations

import os

from . import _lamella
from ._sources import resolve
from ._where import to_select, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from ._types import Condition, Row, Source


def _all_threads() -> int:
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:
        return os.cpu_count() or 1


class Schema:
    """An Arrow schema, for what takes one through __arrow_c_schema__; prints as message text."""

    def __init__(self, make: Callable[[], object], message: str | None) -> None:
        self._make = make
        self._message = message

    def __arrow_c_schema__(self) -> object:
        return self._make()

    def __str__(self) -> str:
        if self._message is None:
            self._message = _lamella.message(self._make())
        return self._message.rstrip("\n")

    __repr__ = __str__


class Scan:
    """Rows of one or more files. Nothing is read before it is asked, and each reading begins anew."""

    def __init__(self, dataset: _lamella.Dataset, query: dict[str, Any] | None = None) -> None:
        self._dataset = dataset
        self._query = query or {}

    def _with(self, **changes: Any) -> Scan:
        return Scan(self._dataset, {**self._query, **changes})

    def select(self, *columns: str | Iterable[str]) -> Scan:
        """Only these columns: names, paths such as user.name, or one text with commas."""
        names: Any = columns[0] if len(columns) == 1 else columns
        return self._with(select=to_select(names))

    def where(self, condition: Condition) -> Scan:
        """Only rows for which this holds as well: a text, or the lists of tuples that pyarrow takes."""
        text, before = to_text(condition), self._query.get("where")
        return self._with(where=text if before is None else f"({before}) and ({text})")

    def limit(self, rows: int) -> Scan:
        """At most so many rows."""
        before = self._query.get("limit")
        return self._with(limit=rows if before is None else min(rows, before))

    @property
    def schema(self) -> Schema:
        """The schema of what is read."""
        message = self._dataset.message if self._query.get("select") is None else None
        return Schema(lambda: self._dataset.schema(self._query), message)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._dataset.stream(self._query, requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._dataset.schema(self._query)

    def __iter__(self) -> Iterator[Row]:
        return self._dataset.iterate(self._query)

    def to_pylist(self) -> list[Row]:
        """All rows, as dicts."""
        return self._dataset.collect(self._query)

    def count(self) -> int:
        """The number of rows. Only what the condition needs is read."""
        return self._dataset.count(self._query)

    def __repr__(self) -> str:
        parts = [f"{name}={value!r}" for name, value in self._query.items() if name in ("select", "where", "limit")]
        return f"<lamella.Scan of {self._dataset.rows} rows{': ' if parts else ''}{', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self.limit(10).to_pylist())


def scan(sources: Source | list[Source] | tuple[Source, ...], *, columns: str | Iterable[str] | None = None,
         where: Condition | None = None, limit: int | None = None, threads: int | None = None,
         dictionaries: bool = True) -> Scan:
    """The rows of a file, a folder, a pattern, bytes, a file object, or a list of these."""
    files, keys = resolve(sources)
    dataset = _lamella.dataset(files, keys)
    query = {"threads": _all_threads() if threads is None else threads, "dictionaries": dictionaries}
    made = Scan(dataset, query)
    if columns is not None:
        made = made.select(columns)
    if where is not None:
        made = made.where(where)
    return made if limit is None else made.limit(limit)


def read(source: Source | list[Source] | tuple[Source, ...], columns: str | Iterable[str] | None = None,
         where: Condition | None = None, limit: int | None = None, threads: int | None = None,
         dictionaries: bool = True) -> Scan:
    """The rows of a source, as an object that every library with __arrow_c_stream__ takes."""
    return scan(source, columns=columns, where=where, limit=limit, threads=threads, dictionaries=dictionaries)
