# SPDX-License-Identifier: Apache-2.0
"""Commands of the program that people script, as functions. Options are those of the command, as words:
`where="a > 1"` is --where "a > 1", `variant_all=True` is --variant-all, `bloom=["a", "b"]` is --bloom a --bloom b."""

from __future__ import annotations

import os

from ._program import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._types import Path


def _words(options: dict[str, Any]) -> list[str]:
    """Options as arguments; a list gives its option several times."""
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        for part in value if isinstance(value, (list, tuple)) else (value,):
            if part is True:
                words.append(flag)
            elif part is not None and part is not False:
                words += [flag, str(part)]
    return words


def _paths(sources: Path | list[Path] | tuple[Path, ...]) -> list[str]:
    """Paths that are there: a missing one is the OSError that it is. Patterns are for the command."""
    paths = [os.fspath(source) for source in (sources if isinstance(sources, (list, tuple)) else [sources])]
    for path in paths:
        if not any(mark in path for mark in "*?["):
            os.stat(path)
    return paths


def convert(source: Path, target: Path, **options: Any) -> None:
    """CSV, TSV and JSON to Parquet, or Parquet to CSV, TSV and JSON, by the ends of the names."""
    source, = _paths(source)
    target = os.fspath(target)
    ends = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".ndjson": "json", ".jsonl": "json"}
    form = next((name for end, name in ends.items() if target.endswith(end)), None)
    if form is None:
        run(["import", *_words(options), "-o", target, source])
        return
    folder, name = os.path.split(target)
    part = os.path.join(folder, f"_{name}.{os.getpid()}.part")
    try:
        with open(part, "xb") as file:
            run(["cat", *_words({"format": form, **options}), source], output=file)
        os.replace(part, target)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise


def rewrite(sources: Path | list[Path] | tuple[Path, ...], target: Path, **options: Any) -> None:
    """Merges, sorts, selects and encodes anew: `lamella rewrite`."""
    run(["rewrite", *_words(options), "-o", os.fspath(target), *_paths(sources)])


def diff(one: Path, other: Path, **options: Any) -> str:
    """The differences of two files, as `lamella diff` prints them; an empty text when there are none."""
    return run(["diff", *_words(options), *_paths([one, other])], allowed=(0, 1)).decode("utf-8", "replace")
