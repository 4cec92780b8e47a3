# SPDX-License-Identifier: Apache-2.0
"""A handler of the standard library's logging that writes to a Logger."""

from __future__ import annotations

import datetime
import logging

from . import _lamella
from ._logger import Logger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._types import Path

SCHEMA = """message log {
  required int64 time (TIMESTAMP(MICROS,true));
  required int32 level;
  required binary level_name (STRING);
  required binary logger (STRING);
  required binary message (STRING);
  optional binary file (STRING);
  optional int32 line;
  optional binary function (STRING);
  optional binary thread (STRING);
  optional int64 process;
  optional binary exception (STRING);
}"""


def _sound(value: Any) -> Any:
    """Text as UTF-8 has it: names of files may hold more."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


class Handler(logging.Handler):
    """Each record of logging becomes a row: time, level, logger, message, place, and exception."""

    def __init__(self, path: Path, *, level: int | str = logging.NOTSET, **options: Any) -> None:
        """`options` are those of Logger; a journal is kept unless they say otherwise."""
        super().__init__(level)
        self._log = Logger(path, SCHEMA, **{"journal": True, **options})

    def emit(self, record: logging.LogRecord) -> None:
        """Logs one record; what fails goes the way of all handlers."""
        try:
            text = record.exc_text
            if text is None and record.exc_info:
                text = (self.formatter or logging.Formatter()).formatException(record.exc_info)
            row = {"time": datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc),
                   "level": record.levelno, "level_name": record.levelname, "logger": record.name,
                   "message": record.getMessage(), "file": record.pathname, "line": record.lineno,
                   "function": record.funcName, "thread": record.threadName, "process": record.process,
                   "exception": text}
            try:
                self._log.log(row)
            except _lamella.Error:
                self._log.log({name: _sound(value) for name, value in row.items()})
        except Exception:
            self.handleError(record)

    def flush(self) -> None:
        """Makes all rows so far durable."""
        if not self._log.closed:
            self._log.checkpoint()

    def close(self) -> None:
        """Finishes the files."""
        self._log.close()
        super().close()
