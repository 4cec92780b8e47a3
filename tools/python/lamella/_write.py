# SPDX-License-Identifier: Apache-2.0
"""Writing: whatever has __arrow_c_stream__ or __arrow_c_array__, and dicts."""

from . import _lamella

_OPTIONS = ("compression", "compression_level", "row_group_rows", "row_group_bytes", "page_bytes", "page_rows",
            "dictionary", "statistics", "page_index", "page_version", "compat", "threads", "bloom", "sorted_by",
            "check_sorting", "encodings")


def _sorting(keys):
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


def _options(options):
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

    def __init__(self, target, schema, *, metadata=None, **options):
        """`schema` is message text, or has __arrow_c_schema__."""
        given = schema if isinstance(schema, str) else schema.__arrow_c_schema__()
        self._writer = _lamella.writer(target, given, _options(options))
        for key, value in (metadata or {}).items():
            self._writer.add_key_value(key, value)

    def write(self, data):
        """Writes a table, a batch, a dict, or an iterable of dicts."""
        if isinstance(data, dict):
            self._writer.write_row(data)
        elif hasattr(data, "__arrow_c_stream__"):
            self._writer.write_stream(data.__arrow_c_stream__())
        elif hasattr(data, "__arrow_c_array__"):
            self._writer.write_array(*data.__arrow_c_array__())
        else:
            self._writer.write_rows(data)

    def end_row_group(self):
        """Ends the row group now."""
        self._writer.end_row_group()

    @property
    def rows(self):
        """Rows so far."""
        return self._writer.rows

    def close(self):
        """Finishes the file, which appears under its path now."""
        self._writer.finish()

    def abandon(self):
        """Leaves nothing behind."""
        self._writer.abandon()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
        else:
            self.abandon()


class _Captured:
    """A schema that a stream gave."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __arrow_c_schema__(self):
        return self._capsule


def write(target, data, *, schema=None, metadata=None, **options):
    """Writes data to a path or to an object with write(bytes). The file appears when it is complete."""
    stream = None
    if schema is None and hasattr(data, "__arrow_c_stream__"):
        stream = data.__arrow_c_stream__()
        schema = _Captured(_lamella.stream_schema(stream))
    elif schema is None and hasattr(data, "__arrow_c_array__"):
        schema = data
    elif schema is None:
        from ._infer import infer

        data, schema = infer(data)
    with Writer(target, schema, metadata=metadata, **options) as writer:
        if stream is not None:
            writer._writer.write_stream(stream)
        else:
            writer.write(data)
