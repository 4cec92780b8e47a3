# SPDX-License-Identifier: Apache-2.0
"""Writing: whatever has __arrow_c_stream__ or __arrow_c_array__, and dicts."""

from __future__ import annotations

from . import _lamella

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self, Unpack

    from ._types import ArrowSchemaExportable, Data, Row, Target, WriteOptions

_OPTIONS = ("compression", "compression_level", "row_group_rows", "row_group_bytes", "page_bytes", "page_rows",
            "dictionary", "statistics", "page_index", "page_version", "compat", "threads", "bloom", "sorted_by",
            "check_sorting", "encodings")


def _sorting(keys: str | Sequence[str | tuple[str, str]] | None) -> list[tuple[str, bool, bool]] | None:
    """Tuples of path, descending and nulls first, of "a", "-b" or ("a", "descending")."""
    if keys is None:
        return None
    if isinstance(keys, str):
        keys = [keys]
    made = []
    for key in keys:
        if isinstance(key, str):
            made.append((key.lstrip("-"), key.startswith("-"), False))
        else:
            path, order = key
            if order not in ("ascending", "descending"):
                raise ValueError(f"no order {order!r}: ascending or descending")
            made.append((path, order == "descending", False))
    return made


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"no option {name!r}: one of {', '.join(_OPTIONS)}")
    made = dict(options)
    made["sorted_by"] = _sorting(options.get("sorted_by"))
    if made["sorted_by"] and "check_sorting" not in options:
        made["check_sorting"] = True
    if isinstance(options.get("bloom"), str):
        made["bloom"] = [options["bloom"]]
    return made


class Writer:
    """A file that is being written. As a context manager it is finished, or, after an error, leaves nothing."""

    def __init__(self, target: Target, schema: str | ArrowSchemaExportable, *, metadata: dict[str, str] | None = None,
                 **options: Unpack[WriteOptions]) -> None:
        """`schema` is message text, or has __arrow_c_schema__."""
        given = schema if isinstance(schema, str) else schema.__arrow_c_schema__()
        self._writer = _lamella.writer(target, given, _options(options))
        for key, value in (metadata or {}).items():
            self._writer.add_key_value(key, value)

    def write(self, data: Data | Row) -> None:
        """Writes a table, a batch, a dict, or an iterable of dicts."""
        if isinstance(data, dict):
            self._writer.write_row(data)
        elif hasattr(data, "__arrow_c_stream__"):
            self._writer.write_stream(data.__arrow_c_stream__())
        elif hasattr(data, "__arrow_c_array__"):
            self._writer.write_array(*data.__arrow_c_array__())
        else:
            self._writer.write_rows(data)

    def end_row_group(self) -> None:
        """Ends the row group now."""
        self._writer.end_row_group()

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._writer.rows

    def close(self) -> None:
        """Finishes the file, which appears under its path now."""
        self._writer.finish()

    def abandon(self) -> None:
        """Leaves nothing behind."""
        self._writer.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


class _Captured:
    """A schema that a stream gave."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_schema__(self) -> object:
        return self._capsule


def write(target: Target, data: Data, *, schema: str | ArrowSchemaExportable | None = None,
          metadata: dict[str, str] | None = None, **options: Unpack[WriteOptions]) -> None:
    """Writes data to a path or to an object with write(bytes). The file appears when it is complete."""
    given: Any = data
    stream = array = None
    if schema is None and hasattr(given, "__arrow_c_stream__"):
        stream = given.__arrow_c_stream__()
        schema = _Captured(_lamella.stream_schema(stream))
    elif schema is None and hasattr(given, "__arrow_c_array__"):
        array = given.__arrow_c_array__()
        schema = _Captured(array[0])
    elif schema is None:
        from ._infer import infer

        given, schema = infer(given)
    with Writer(target, schema, metadata=metadata, **options) as writer:
        if stream is not None:
            writer._writer.write_stream(stream)
        elif array is not None:
            writer._writer.write_array(*array)
        else:
            writer.write(given)
