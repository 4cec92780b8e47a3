# SPDX-License-Identifier: Apache-2.0
"""Lamella: reads, writes and logs Apache Parquet.

    lamella.read("a.parquet", columns=["id"], where="id > 5")      for pyarrow, Polars, pandas, DuckDB ...
    for row in lamella.scan("folder").where("price is not null"):  dicts
    lamella.write("b.parquet", table_or_dicts)
    lamella.open("a.parquet").columns
    lamella.Logger("run", journal=True).log(step=1, loss=0.5)      survives a kill
"""

from ._file import Column, File, open
from ._lamella import CorruptError, Error, LimitError, UnsupportedError
from ._lamella import version as __version__
from ._scan import Scan, Schema, read, scan
from ._write import Writer, write

_LATER = {"ArrowArrayExportable": "_types", "ArrowSchemaExportable": "_types", "ArrowStreamExportable": "_types",
          "Handler": "_logging", "Logger": "_logger", "convert": "_commands", "diff": "_commands",
          "recover": "_logger", "rewrite": "_commands"}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._commands import convert, diff, rewrite
    from ._logger import Logger, recover
    from ._logging import Handler
    from ._types import ArrowArrayExportable, ArrowSchemaExportable, ArrowStreamExportable
else:
    def __getattr__(name):
        """What is not needed for reading and writing is imported when it is asked for."""
        if name not in _LATER:
            raise AttributeError(f"module 'lamella' has no attribute {name!r}")
        import importlib

        value = getattr(importlib.import_module("." + _LATER[name], __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = ["ArrowArrayExportable", "ArrowSchemaExportable", "ArrowStreamExportable", "Column", "CorruptError", "Error", "File",
           "Handler", "LimitError", "Logger", "Scan", "Schema", "UnsupportedError", "Writer",
           "convert", "diff", "open", "read", "recover", "rewrite", "scan", "write"]
