# SPDX-License-Identifier: Apache-2.0
"""Arrow structs made by hand, whatever they hold, and a count of what was released."""

import ctypes
import struct

from lamella_ctypes import (
    ArrowArray,
    ArrowSchema,
    ArrowStream,
    GetLastError,
    GetNext,
    GetSchema,
    ReleaseArray,
    ReleaseSchema,
    ReleaseStream,
)

NULLABLE = 2
# What a struct points to lives as long as this says.
_alive = {}
released = {"schemas": 0, "arrays": 0, "streams": 0}


def _forget(key):
    _alive.pop(key, None)


@ReleaseSchema
def _release_schema(pointer):
    released["schemas"] += 1
    _release_children(pointer.contents)


@ReleaseArray
def _release_array(pointer):
    released["arrays"] += 1
    _release_children(pointer.contents)


def _release_children(holder):
    for n in range(holder.n_children if holder.children else 0):
        child = holder.children[n]
        if child and child.contents.release:
            child.contents.release(child)
    if holder.dictionary and holder.dictionary.contents.release:
        holder.dictionary.contents.release(holder.dictionary)
    holder.release = type(holder.release)(0)


def _pointers(kind, items):
    """An array of pointers to structs; None is NULL."""
    made = (ctypes.POINTER(kind) * max(1, len(items)))()
    for n, item in enumerate(items):
        if item is not None:
            made[n] = ctypes.pointer(item)
    return made


def metadata_bytes(pairs):
    text = struct.pack("<i", len(pairs))
    for key, value in pairs:
        text += struct.pack("<i", len(key)) + key + struct.pack("<i", len(value)) + value
    return text


def schema(format, name=b"", flags=NULLABLE, metadata=None, children=(), dictionary=None, **others):
    """A struct ArrowSchema; `others` sets its members afterwards, to whatever is asked."""
    made = ArrowSchema(format=format, name=name, flags=flags, release=_release_schema)
    kept = [made, children, dictionary]
    if metadata is not None:
        text = metadata if isinstance(metadata, bytes) else metadata_bytes(metadata)
        text = ctypes.create_string_buffer(text, len(text))
        made.metadata = ctypes.addressof(text)
        kept.append(text)
    if children:
        made.children = _pointers(ArrowSchema, children)
        made.n_children = len(children)
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    for member, value in others.items():
        setattr(made, member, value)
    _alive[ctypes.addressof(made)] = kept
    return made


def root(*children, **others):
    return schema(b"+s", children=children, **others)


def array(length, buffers=(), null_count=0, offset=0, children=(), dictionary=None, **others):
    """A struct ArrowArray; a buffer is bytes or None for NULL."""
    made = ArrowArray(length=length, null_count=null_count, offset=offset, release=_release_array)
    kept = [made, children, dictionary]
    if buffers:
        made.n_buffers = len(buffers)
        pointers = (ctypes.c_void_p * len(buffers))()
        for n, data in enumerate(buffers):
            if data is not None:
                data = ctypes.create_string_buffer(data, max(1, len(data)))
                pointers[n] = ctypes.addressof(data)
                kept.append(data)
        made.buffers = pointers
        kept.append(pointers)
    if children:
        made.children = _pointers(ArrowArray, children)
        made.n_children = len(children)
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    for member, value in others.items():
        setattr(made, member, value)
    _alive[ctypes.addressof(made)] = kept
    return made


def rows(length, *columns, **others):
    """An array of structs without nulls."""
    return array(length, [None], children=columns, **others)


def ints(code, *numbers):
    """Numbers of one code of struct, or of one code each."""
    return struct.pack("<" + (code if len(code) > 1 else code * len(numbers)), *numbers)


def stream(schema_of, arrays, number=0, message=None):
    """A stream that gives a schema and arrays made by these functions, then the error `number`."""
    arrays = list(arrays)

    @GetSchema
    def get_schema(_stream, out):
        ctypes.memmove(out, ctypes.byref(schema_of), ctypes.sizeof(ArrowSchema))
        schema_of.release = ReleaseSchema(0)
        return 0

    @GetNext
    def get_next(_stream, out):
        if not arrays:
            ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
            return number
        ctypes.memmove(out, ctypes.byref(arrays[0]), ctypes.sizeof(ArrowArray))
        arrays.pop(0).release = ReleaseArray(0)
        return 0

    @GetLastError
    def get_last_error(_stream):
        return message

    @ReleaseStream
    def release(pointer):
        released["streams"] += 1
        pointer.contents.release = ReleaseStream(0)

    made = ArrowStream(get_schema, get_next, get_last_error, release)
    _alive[ctypes.addressof(made)] = [made, get_schema, get_next, get_last_error, release]
    return made
