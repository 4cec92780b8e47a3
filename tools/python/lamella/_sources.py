# SPDX-License-Identifier: Apache-2.0
"""What may be read: each becomes a path, a memoryview, or a size with a function that reads a range.

    "a.parquet", Path                       a file
    "folder", Path                          its files, by name, with the keys of Hive's folders
    "logs/*.parquet"                        the files that match, where no file has that name
    bytes, bytearray, memoryview, mmap      memory
    an open file                            read and seek, under a lock
    an open file of fsspec                  ranges, by cat_ranges of its file system
    an open file of obstore                 ranges, by read_range or seek
    a list of these                         all of them, as one
"""

from __future__ import annotations

import errno
import os
from _thread import LockType, allocate_lock
from _weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._types import Source

    _Ranges = tuple[int, Callable[[int, int], Any]]


def _ranges_of_fsspec(file: Any) -> _Ranges:
    """cat_ranges reads what is asked; the read-ahead of an open file reads far more."""
    system, path = file.fs, file.path

    def read_at(offset: int, size: int) -> Any:
        part = system.cat_ranges([path], [offset], [offset + size])[0]
        if isinstance(part, BaseException):  # that is how it tells of them
            raise part
        return part

    return (file.size if getattr(file, "size", None) is not None else system.size(path)), read_at


_locks: dict[int, ref[LockType]] = {}
_locks_lock = allocate_lock()


def _lock_of(file: Any) -> LockType:
    """One for each file object, as long as something that is read from it keeps both. Nothing is called when a lock goes:
    a KeyboardInterrupt that met such a call would be lost."""
    with _locks_lock:
        known = _locks.get(id(file))
        lock = None if known is None else known()
        if lock is None:
            if len(_locks) & (len(_locks) - 1) == 0:  # each time that there are twice as many
                for key in [key for key, known in _locks.items() if known() is None]:
                    del _locks[key]
            lock = allocate_lock()
            _locks[id(file)] = ref(lock)
        return lock


def _ranges_of_file(file: Any) -> _Ranges:
    """Positions of a file object are its own, so one thread reads at a time."""
    lock = _lock_of(file)
    with lock:
        before = file.tell()
        size = file.seek(0, os.SEEK_END)
        if size is None:
            size = file.tell()
        file.seek(before)

    def read_at(offset: int, size: int) -> Any:
        with lock:
            file.seek(offset)
            parts = []
            left = size
            while left > 0:
                part = file.read(left)
                if not part:
                    break
                parts.append(part if isinstance(part, bytes) else bytes(memoryview(part)))
                left -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    return size, read_at


def _of_object(source: Any) -> _Ranges | memoryview:
    if hasattr(source, "fs") and hasattr(source, "path") and hasattr(source.fs, "cat_ranges"):
        return _ranges_of_fsspec(source)
    if hasattr(source, "read") and hasattr(source, "seek"):
        return _ranges_of_file(source)
    try:
        return memoryview(source).cast("B")
    except TypeError:
        raise TypeError(f"cannot read from {type(source).__name__}: expected a path, bytes, or a file object") from None


def _is_seen(name: str) -> bool:
    """Readers of folders skip what is hidden, unfinished, or no data; _id=1 is a key."""
    return not name.startswith((".", "_")) or (name.startswith("_") and "=" in name)


def _files_of_folder(folder: str) -> list[str]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_seen(name))
        found += [os.path.join(place, name) for name in sorted(names)
                  if _is_seen(name) and name.endswith((".parquet", ".parq", ".pq"))]
    return found


def _of_path(path: str) -> tuple[list[str], list[bytes] | None]:
    """Files, and their paths below the folder, whose names may hold keys; None for a file alone."""
    if os.path.isdir(path):
        files = _files_of_folder(path)
        if not files:
            raise FileNotFoundError(errno.ENOENT, "no Parquet file in this folder", os.fsdecode(path))
        return files, [os.fsencode(os.path.relpath(file, path)) for file in files]
    text = os.fsdecode(path)
    if any(mark in text for mark in "*?[") and not os.path.exists(path):
        import glob

        files = sorted(name for name in glob.glob(text, recursive=True) if os.path.isfile(name))
        if not files:
            raise FileNotFoundError(errno.ENOENT, "no file matches", text)
        fixed = os.path.dirname(text[:min(text.find(mark) for mark in "*?[" if mark in text)])
        return files, [os.fsencode(os.path.relpath(file, fixed or ".")) for file in files]
    if "://" in text and not os.path.exists(path):
        raise ValueError(f"{text}: no URLs are read; open it with fsspec or obstore, and pass the open file")
    return [path], None


def resolve(sources: Source | Sequence[Source]) -> tuple[list[Any], list[bytes] | None]:
    """The list of sources that the extension takes, and the paths with keys or None."""
    if isinstance(sources, (str, bytes, os.PathLike)) and not isinstance(sources, bytes):
        files, keys = _of_path(os.fspath(sources))
        return list(files), keys
    if isinstance(sources, (list, tuple)):
        if not sources:
            raise ValueError("no sources")
        found, keys, has_keys = [], [], False
        for source in sources:
            files, paths = resolve(source)
            found += files
            has_keys = has_keys or paths is not None
            keys += paths if paths is not None else [b"file"] * len(files)
        return found, keys if has_keys else None
    return [_of_object(sources)], None
