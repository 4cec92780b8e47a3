# SPDX-License-Identifier: Apache-2.0
"""Types for annotations: what is taken, and what dicts hold. Nothing imports this before it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Buffer


# --- What is taken ---------------------------------------------------------------------------------


class ArrowStreamExportable(Protocol):
    """Tables, data frames, readers of batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArrayExportable(Protocol):
    """Batches, and arrays of structs."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class ArrowSchemaExportable(Protocol):
    """Schemas, and whatever has one."""

    def __arrow_c_schema__(self) -> object: ...


class Readable(Protocol):
    """A file object that can be read at any place."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, whence: int = ..., /) -> int | None: ...
    def tell(self) -> int: ...


class Writable(Protocol):
    """A file object that bytes are written to."""

    def write(self, data: bytes, /) -> object: ...


Row: TypeAlias = dict[str, Any]
Path: TypeAlias = "str | PathLike[str]"
Source: TypeAlias = "Path | Buffer | Readable"
Target: TypeAlias = "Path | Writable"
Term: TypeAlias = tuple[str, str, Any]
Condition: TypeAlias = "str | Sequence[Term | Sequence[Term]]"
Data: TypeAlias = "ArrowStreamExportable | ArrowArrayExportable | Iterable[Row]"
Measure: TypeAlias = "str | int | timedelta"
Measures: TypeAlias = "Measure | tuple[Measure, ...] | list[Measure]"


class EncodingOptions(TypedDict, total=False):
    """Options of all that writes."""

    compression: str | None
    compression_level: int | None
    row_group_rows: int | None
    row_group_bytes: int | None
    page_bytes: int | None
    page_rows: int | None
    dictionary: bool | None
    compat: str | None
    threads: int | None


class WriteOptions(EncodingOptions, total=False):
    """Options of write() and Writer."""

    statistics: bool | None
    page_index: bool | None
    page_version: int | None
    bloom: str | Sequence[str] | None
    sorted_by: str | Sequence[str | tuple[str, str]] | None
    check_sorting: bool | None
    encodings: dict[str, str] | None


class LogOptions(EncodingOptions, total=False):
    """Options of Logger that are seldom needed; docs/logging.md explains them."""

    prefix: str | None
    partition_format: str | None
    checkpoint_rows: int | None
    checkpoint_bytes: int | None
    memory_limit: int | None
    journal_bytes: int | None
    queue_bytes: int | None
    when_full: str | None
    leftovers: str | None
    background: bool | None


# --- What is given ---------------------------------------------------------------------------------


class FileFacts(TypedDict):
    """What a footer says of its file."""

    rows: int
    row_groups: int
    bytes: int
    footer_bytes: int | None
    version: int
    created_by: str | None
    metadata: dict[str, str | None]
    known_faults: list[str]


class RowGroup(TypedDict):
    """Rows and sizes of a row group."""

    rows: int
    uncompressed_bytes: int
    compressed_bytes: int | None


class ColumnFacts(TypedDict):
    """A leaf of the schema."""

    path: str
    physical_type: str
    logical_type: str | None
    max_repetition: int
    max_definition: int


class Statistics(TypedDict):
    """What is stated of values; None for what is not."""

    null_count: int | None
    nan_count: int | None
    distinct_count: int | None
    min: Any
    max: Any


class Chunk(Statistics):
    """A column in a row group."""

    path: str
    codec: str
    encodings: list[str]
    values: int
    compressed_bytes: int
    uncompressed_bytes: int
    has_page_index: bool
    has_bloom_filter: bool


class Page(Statistics, total=False):
    """A page of such a column; a dictionary page has no statistics."""

    type: str
    offset: int
    header_bytes: int
    compressed_bytes: int
    uncompressed_bytes: int
    values: int
    encoding: str | None


class Finding(TypedDict):
    """What breaks a rule of the format, and where."""

    rule: str
    severity: str
    message: str
    column: str | None
    row_group: int | None
    row: int | None
    offset: int | None
    section: str | None


class LogInfo(TypedDict):
    """Numbers of a log since it was opened."""

    accepted: int
    durable: int
    dropped: int
    recovered: int
    files: int
    removed_files: int
    bytes: int
    queued: int
    unrecovered: int
    put_aside: int
    has_failed: bool
