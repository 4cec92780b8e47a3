# SPDX-License-Identifier: Apache-2.0
"""Lamella: reads, writes and logs Apache Parquet.

    lamella.read("a.parquet", columns=["id"], where="id > 5")      for pyarrow, Polars, pandas, DuckDB ...
    for row in lamella.scan("folder").where("price is not null"):  dicts
    lamella.write("b.parquet", table_or_dicts)
    lamella.open("a.parquet").columns
"""

from ._file import Column, File, open
from ._lamella import CorruptError, Error, LimitError, UnsupportedError
from ._lamella import version as __version__
from ._scan import Scan, Schema, read, scan
from ._write import Writer, write

__all__ = ["Column", "CorruptError", "Error", "File", "LimitError", "Scan", "Schema", "UnsupportedError", "Writer",
           "open", "read", "scan", "write"]
