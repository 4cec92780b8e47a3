# SPDX-License-Identifier: Apache-2.0
"""One file: its rows, and what it states about itself."""

from __future__ import annotations

import os

from . import _lamella
from ._html import table
from ._scan import Scan, _all_threads
from ._sources import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self

    from ._types import Chunk, ColumnFacts, Finding, Page, Path, RowGroup, Source


class Column:
    """A leaf of the schema, and its chunks."""

    def __init__(self, dataset: _lamella.Dataset, index: int, facts: ColumnFacts) -> None:
        self._dataset = dataset
        self.index = index
        self.path = facts["path"]
        self.physical_type = facts["physical_type"]
        self.logical_type = facts["logical_type"]
        self.max_repetition = facts["max_repetition"]
        self.max_definition = facts["max_definition"]

    def chunk(self, row_group: int) -> Chunk:
        """Codec, encodings, sizes and statistics of the chunk in a row group, as a dict."""
        return self._dataset.chunk(row_group, self.index)

    def pages(self, row_group: int) -> list[Page]:
        """The headers of the pages of that chunk, as dicts."""
        return self._dataset.pages(row_group, self.index)

    @property
    def chunks(self) -> list[Chunk]:
        """One dict for each row group."""
        return [self.chunk(i) for i in range(self._dataset.file()["row_groups"])]

    def levels(self) -> tuple[list[int], list[int], list[Any]]:
        """Repetition levels, definition levels and values: three lists of one length."""
        return self._dataset.levels(self.path)

    def __repr__(self) -> str:
        kind = self.logical_type or self.physical_type
        return f"<lamella.Column {self.path} {kind}>"


class _Closed:
    """In place of the file of a File that is closed."""

    def __getattr__(self, name: str) -> Any:
        raise _lamella.Error("the file is closed")


class File(Scan):
    """An open file: a Scan of all its rows, with its metadata."""

    def __init__(self, dataset: _lamella.Dataset, query: dict[str, Any], source: object) -> None:
        super().__init__(dataset, query)
        self._source = source
        self._facts = dataset.file()

    @property
    def rows(self) -> int:
        """Rows of all row groups."""
        return self._facts["rows"]

    @property
    def bytes(self) -> int:
        """Bytes of the file."""
        return self._facts["bytes"]

    @property
    def created_by(self) -> str | None:
        """The writer, as the file states it."""
        return self._facts["created_by"]

    @property
    def metadata(self) -> dict[str, str | None]:
        """The key-value metadata of the footer."""
        return dict(self._facts["metadata"])

    @property
    def known_faults(self) -> list[str]:
        """Faults of the writer that this file may suffer from; most files have none."""
        return list(self._facts["known_faults"])

    @property
    def row_groups(self) -> list[RowGroup]:
        """Rows and bytes of each row group, as dicts."""
        return [self._dataset.row_group(i) for i in range(self._facts["row_groups"])]

    @property
    def columns(self) -> list[Column]:
        """The leaves of the schema."""
        return [Column(self._dataset, i, facts) for i, facts in enumerate(self._dataset.columns())]

    def column(self, path: str) -> Column:
        """The leaf at a path."""
        for column in self.columns:
            if column.path == path:
                return column
        raise _lamella.Error(f"no column {path!r}")

    def levels(self, path: str) -> tuple[list[int], list[int], list[Any]]:
        """Repetition levels, definition levels and values of the leaf at a path."""
        return self._dataset.levels(path)

    def check(self) -> list[Finding]:
        """All that is wrong with the file, as dicts with rule, severity, message and place."""
        return self._dataset.check()

    def explain(self, page: Path, *options: str) -> None:
        """Writes a page of HTML that shows how the file came to be. The file must have a path."""
        from ._program import run

        if not isinstance(self._source, (str, os.PathLike)):
            raise TypeError("explain() needs a file with a path")
        run(["explain", *options, "-o", os.fspath(page), os.fspath(self._source)])

    def close(self) -> None:
        """Gives up the file. Columns and streams that are there stay usable."""
        vars(self)["_dataset"] = _Closed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if isinstance(self._dataset, _Closed):
            return "<lamella.File, closed>"
        return f"<lamella.File of {self.rows} rows, {len(self._dataset.columns())} columns, {self.bytes} bytes>"

    def _repr_html_(self) -> str:
        head = f"<p>{self.rows} rows, {self._facts['row_groups']} row groups, {self.bytes} bytes</p>"
        rows = [{"column": column.path, "type": column.logical_type or column.physical_type} for column in self.columns]
        return head + table(rows)


def open(source: Source, *, threads: int | None = None) -> File:
    """Opens one file: a path, bytes, or a file object."""
    files, keys = resolve(source)
    if len(files) != 1 or keys is not None:
        raise ValueError("open() takes one file; scan() takes folders and patterns")
    dataset = _lamella.dataset(files, None)
    return File(dataset, {"threads": _all_threads() if threads is None else threads}, source)
