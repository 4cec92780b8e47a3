# SPDX-License-Identifier: Apache-2.0
"""Logs: each record survives a kill of the program, and readers of folders take the files.

    with lamella.Logger("run", journal=True) as log:
        log.log(step=1, loss=0.25)
"""

from __future__ import annotations

import os
import weakref
from _thread import RLock

from . import _lamella
from ._infer import infer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self, Unpack

    from ._types import ArrowSchemaExportable, ArrowStreamExportable, LogInfo, LogOptions, Measure, Measures, Path, Row

_SIZES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
          "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_TIMES = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_OPTIONS = ("prefix", "partition_format", "checkpoint_rows", "checkpoint_bytes", "memory_limit", "journal_bytes",
            "queue_bytes", "when_full", "leftovers", "background", "compression", "compression_level",
            "row_group_rows", "row_group_bytes", "page_bytes", "page_rows", "dictionary", "compat", "threads")

_NOTHING: LogInfo = {"accepted": 0, "durable": 0, "dropped": 0, "recovered": 0, "files": 0, "removed_files": 0, "bytes": 0,
                      "queued": 0, "unrecovered": 0, "put_aside": 0, "has_failed": False}
_open: weakref.WeakSet[Logger] = weakref.WeakSet()


def _measure(value: Measure, what: str) -> tuple[str, int]:
    """A size or duration as ("bytes" or "ms", number): 100, "256 MiB", "1h", or a timedelta (as ms)."""
    if hasattr(value, "total_seconds"):
        return "ms", round(value.total_seconds() * 1000)
    if isinstance(value, int):
        return "bytes", value
    text = value.strip().lower()
    digits = len(text) - len(text.lstrip("0123456789."))
    number, unit = text[:digits], text[digits:].strip()
    try:
        if unit in _SIZES:
            return "bytes", round(float(number) * _SIZES[unit])
        if unit in _TIMES:
            return "ms", round(float(number) * _TIMES[unit])
    except ValueError:
        pass
    raise ValueError(f'{what} is a size such as "256 MiB" or a duration such as "1h", not {value!r}')


def _measures(value: Measures | None, what: str) -> dict[str, int]:
    """One of them, or a tuple of both, as options WHAT_bytes and WHAT_ms."""
    if value is None:
        return {}
    made: dict[str, int] = {}
    for part in value if isinstance(value, (tuple, list)) else (value,):
        kind, number = _measure(part, what)
        made[f"{what}_{kind}"] = number
    return made


def _keep(value: Measures | None) -> dict[str, int]:
    """As _measures, and "10% free"."""
    made: dict[str, int] = {}
    for part in value if isinstance(value, (tuple, list)) else () if value is None else (value,):
        words = part.split() if isinstance(part, str) else []
        if len(words) >= 2 and words[-1] == "free":
            amount = "".join(words[:-1])
            if amount.endswith("%"):
                made["keep_free_percent"] = int(amount[:-1])
            else:
                made["keep_free_bytes"] = _measure(amount, "keep")[1]
        else:
            made.update(_measures(part, "keep"))
    return made


def _sync(value: Measure | None) -> dict[str, Any]:
    """A word, or the time between syncs."""
    if value is None or value in ("never", "checkpoint", "interval", "record"):
        return {"sync": value}
    try:
        kind, number = _measure(value, "sync")
    except ValueError:
        kind, number = "", 0
    if kind != "ms":
        raise ValueError(f'sync is "never", "checkpoint", "record" or a duration such as "100ms", not {value!r}')
    return {"sync": "interval", "sync_ms": number}


class Logger:
    """Records on their way into a folder of Parquet files, or one file whose name ends in .parquet.

    Any thread may log. After a fork the child must open a log of its own. A log that is not closed when the
    interpreter ends is finished then; one that is killed is recovered when the next one opens the folder.
    """

    def __init__(self, path: Path, schema: str | ArrowSchemaExportable | None = None, *, journal: bool = False,
                 sync: Measure | None = None, rotate: Measures | None = None, partition: str | None = None,
                 keep: Measures | None = None, checkpoint: Measures | None = None,
                 on_file: Callable[[str], object] | None = None, metadata: dict[str, str] | None = None,
                 **options: Unpack[LogOptions]) -> None:
        """`schema` is message text, has __arrow_c_schema__, or is None: that of the records, which may get new
        fields."""
        for name in options:
            if name not in _OPTIONS:
                raise TypeError(f"no option {name!r}: one of {', '.join(_OPTIONS)}")
        self._path = os.fspath(path)
        self._grows = schema is None
        self._core: _lamella.Logger | None = None
        self._ended = False
        self._lock = RLock()  # one thread opens the log, or widens it; a handler of a signal may come in between
        self._options = {**options, **_sync(sync), **_measures(rotate, "rotate"), **_keep(keep),
                         **_measures(checkpoint, "checkpoint"), "journal": journal, "partition_by": partition,
                         "on_file": on_file, "metadata": metadata,
                         "is_file": os.fsdecode(self._path).endswith(".parquet")}
        if schema is not None:
            core = self._begin(lambda: schema if isinstance(schema, str) else schema.__arrow_c_schema__())
            vars(self)["log"] = core.log  # the quickest way there is

    def _begin(self, schema: Callable[[], object]) -> _lamella.Logger:
        """The log, which one thread opens."""
        with self._lock:
            if self._ended:
                raise _lamella.Error("the log is closed")
            if self._core is None:
                self._core = _lamella.logger(self._path, schema(), self._options)
                _open.add(self)
            return self._core

    def log(self, record: Row | None = None, /, **fields: Any) -> None:
        """Logs a dict, or fields by their names."""
        if (record is None) == (not fields):
            raise TypeError("log() takes a dict, or fields by their names")
        row = fields if record is None else record
        core = self._core or self._begin(lambda: infer([row])[1])
        try:
            core.log(row)
        except (_lamella.Error, TypeError):
            if not self._grows or core.closed:
                raise
            self._log_wider(core, row)

    def _log_wider(self, core: _lamella.Logger, row: Row) -> None:
        """Gives the log fields that this record has and those before it lacked, and wider types."""
        with self._lock:
            try:
                core.log(row)  # another thread may have widened the log meanwhile
            except (_lamella.Error, TypeError):
                core.widen(infer([row])[1])
                core.log(row)

    def write(self, data: ArrowStreamExportable | Iterable[Row]) -> None:
        """Logs a table or batch of Arrow, or an iterable of dicts."""
        if hasattr(data, "__arrow_c_stream__"):
            stream = data.__arrow_c_stream__()
            core = self._core or self._begin(lambda: _lamella.stream_schema(stream))
            core.write_stream(stream)
        else:
            for record in data:
                self.log(record)

    @property
    def durable(self) -> int:
        """Records that survive a power cut now; with sync="never", a kill."""
        return self.info()["durable"]

    def info(self) -> LogInfo:
        """Numbers since the log was opened, as a dict; after its end, the last ones."""
        return self._core.info() if self._core is not None else {**_NOTHING}

    def checkpoint(self) -> None:
        """Makes all records so far durable. Returns when they are."""
        if self._core is not None:
            self._core.checkpoint()

    def rotate(self) -> None:
        """Ends all open files; the next records begin new ones."""
        if self._core is not None:
            self._core.rotate()

    def close(self) -> None:
        """Finishes all files. A second call does nothing."""
        with self._lock:
            self._ended = True
        if self._core is not None and not self._core.closed:
            self._core.finish()
        _open.discard(self)

    @property
    def closed(self) -> bool:
        """Whether the log has ended."""
        return self._ended if self._core is None else self._core.closed

    def __del__(self) -> None:
        if getattr(self, "_core", None) is not None:  # as open files, one that nobody holds is closed
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()


def _close_all() -> None:
    """All are closed, whatever becomes of one."""
    failure = None
    for log in list(_open):
        try:
            log.close()
        except Exception as error:
            failure = error
    if failure is not None:
        raise failure


def _disown_all() -> None:
    for log in list(_open):
        if log._core is not None:
            log._core.disown()
    _open.clear()


def _watch() -> None:
    import atexit

    atexit.register(_close_all)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_disown_all)


_watch()


def recover(path: Path) -> list[str]:
    """Makes whole files of what killed logs left in a folder, or of one such file; says what became of each."""
    from ._program import run

    os.stat(path)
    return run(["recover", os.fspath(path)]).decode("utf-8", "replace").splitlines()
