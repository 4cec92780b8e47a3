# SPDX-License-Identifier: Apache-2.0
"""The library through its C functions: Parquet files as pyarrow streams, and Arrow streams as files.

What goes in and out are the structs of the Arrow C interfaces, either by their addresses (pyarrow's
_import_from_c and _export_to_c) or in capsules (__arrow_c_stream__ and __arrow_c_schema__). Call
load() first.
"""

import contextlib
import ctypes
import os
import queue
import re
import sys
import threading

import pyarrow as pa

SKIP = 77
STATUSES = [
    "ok",
    "invalid",
    "state",
    "corrupt",
    "unsupported",
    "limit",
    "nomem",
    "io",
    "not found",
    "cancelled",
]
CODECS = {
    name: number
    for number, name in enumerate(
        ["default", "uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4_raw"]
    )
}

# --- The structs -----------------------------------------------------------------------------------


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowStream(ctypes.Structure):
    pass


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ReleaseStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))
GetLastError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowStream))

ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p),
]
ArrowStream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetLastError),
    ("release", ReleaseStream),
    ("private_data", ctypes.c_void_p),
]


class ErrorStruct(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int),
        ("code", ctypes.c_int),
        ("row_group", ctypes.c_int32),
        ("column", ctypes.c_int32),
        ("row", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("os_error", ctypes.c_int32),
        ("reserved_number", ctypes.c_uint32),
        ("column_path", ctypes.c_char * 128),
        ("message", ctypes.c_char * 312),
        ("reserved", ctypes.c_uint8 * 32),
    ]


OFF = 2  # LAM_SWITCH_OFF

Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)
# The task arrives as an address, so that calling it gives the interpreter lock away.
Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Executor(ctypes.Structure):
    _fields_ = [("state", ctypes.c_void_p), ("run", Run)]


_KINDS = {
    "size_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
    "uint32_t": ctypes.c_uint32,
    "int32_t": ctypes.c_int32,
    "bool": ctypes.c_bool,
    "lam_codec": ctypes.c_int,
    "lam_compat": ctypes.c_int,
    "lam_switch": ctypes.c_int,
    "lam_time_unit": ctypes.c_int,
    "const char *": ctypes.c_char_p,
    "const char *const *": ctypes.POINTER(ctypes.c_char_p),
    "const bool *": ctypes.POINTER(ctypes.c_bool),
    "const size_t *": ctypes.POINTER(ctypes.c_size_t),
    "const lam_allocator *": ctypes.c_void_p,
    "const lam_executor *": ctypes.POINTER(Executor),
    "const lam_filter *": ctypes.c_void_p,
    "lam_scan_report *": ctypes.c_void_p,
    "const lam_stop *": ctypes.c_void_p,
    "const struct ArrowSchema *": ctypes.POINTER(ArrowSchema),
}


def _options_struct(header, name):
    """A struct of options as its header declares it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/lamella", header)
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    body = re.search(rf"typedef struct {name} {{(.*?)}} {name};", text, re.DOTALL)[1]
    members = re.findall(r"((?:const )?(?:struct )?\w+ (?:\*const )?\*?)(\w+);", body)
    fields = [(member, _KINDS[kind.strip()]) for kind, member in members]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


ReaderOptions = _options_struct("reader.h", "lam_reader_options")
WriterOptions = _options_struct("writer.h", "lam_writer_options")
ArrowReadOptions = _options_struct("arrow.h", "lam_arrow_read_options")
ArrowWriteOptions = _options_struct("arrow.h", "lam_arrow_write_options")
_ScanReport = _options_struct("scan.h", "lam_scan_report")


def ScanReport():
    return _ScanReport(struct_size=ctypes.sizeof(_ScanReport))


# --- The functions ---------------------------------------------------------------------------------


class Error(Exception):
    """A call that failed: the name of its status, its message, and where in the file."""

    def __init__(self, struct):
        self.status = STATUSES[struct.status]
        self.message = struct.message.decode()
        self.row_group = None if struct.row_group < 0 else struct.row_group
        self.column = None if struct.column < 0 else struct.column
        self.offset = None if struct.offset < 0 else struct.offset
        super().__init__(f"{self.status}: {self.message}")


_handle, _bytes, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_out = ctypes.POINTER(ctypes.c_void_p)
_bools = ctypes.POINTER(ctypes.c_bool)

# Functions that give a status take a lam_error last, which is not listed.
_SIGNATURES = {
    "lam_reader_open_file": [_bytes, ctypes.POINTER(ReaderOptions), _out],
    "lam_schema_select": [_handle, _bytes, _bools],
    "lam_filter_parse": [_handle, _bytes, _size, ctypes.c_void_p, ctypes.c_void_p, _out],
    "lam_arrow_export_schema": [
        _handle,
        ctypes.POINTER(ArrowReadOptions),
        ctypes.POINTER(ArrowSchema),
    ],
    "lam_arrow_read_stream": [
        _handle,
        ctypes.POINTER(ArrowReadOptions),
        ctypes.POINTER(ArrowStream),
    ],
    "lam_arrow_read_file": [
        _bytes,
        ctypes.POINTER(ReaderOptions),
        ctypes.POINTER(ArrowReadOptions),
        ctypes.POINTER(ArrowStream),
    ],
    "lam_writer_open_file": [_handle, _bytes, ctypes.POINTER(WriterOptions), _out],
    "lam_writer_finish": [_handle],
    "lam_arrow_import_schema": [ctypes.POINTER(ArrowSchema), ctypes.c_void_p, _out],
    "lam_arrow_writer_create": [
        _handle,
        ctypes.POINTER(ArrowSchema),
        ctypes.POINTER(ArrowWriteOptions),
        _out,
    ],
    "lam_arrow_write_array": [_handle, ctypes.POINTER(ArrowArray)],
    "lam_arrow_write_stream": [
        _handle,
        ctypes.POINTER(ArrowStream),
        ctypes.POINTER(ArrowWriteOptions),
    ],
    "lam_arrow_write_file": [
        _bytes,
        ctypes.POINTER(ArrowStream),
        ctypes.POINTER(WriterOptions),
        ctypes.POINTER(ArrowWriteOptions),
    ],
}
_SIGNATURES |= {
    "lam_union_create": [ctypes.c_void_p, ctypes.c_void_p, _out],
    "lam_union_add": [_handle, _handle, _bytes],
    "lam_reader_show": [_handle, _handle, ctypes.c_void_p, _out],
}
# The others: what they give, what they take.
_PLAIN = {
    "lam_union_schema": (_handle, [_handle]),
    "lam_union_destroy": (None, [_handle]),
    "lam_filter_destroy": (None, [_handle]),
    "lam_reader_close": (None, [_handle]),
    "lam_reader_schema": (_handle, [_handle]),
    "lam_reader_row_count": (ctypes.c_uint64, [_handle]),
    "lam_reader_row_group_count": (_size, [_handle]),
    "lam_schema_leaf_count": (_size, [_handle]),
    "lam_schema_print": (_size, [_handle, ctypes.c_char_p, _size]),
    "lam_schema_destroy": (None, [_handle]),
    "lam_writer_close": (None, [_handle]),
    "lam_arrow_writer_destroy": (None, [_handle]),
}
_library = None


def load(path):
    """Ends the test as skipped where the library is for another machine than this Python."""
    global _library
    if os.environ.get("LAMELLA_FOREIGN"):
        print(f"skipped: {path} is for another machine")
        sys.exit(SKIP)
    _library = ctypes.CDLL(path)
    for name, arguments in _SIGNATURES.items():
        function = getattr(_library, name)
        function.restype, function.argtypes = ctypes.c_int, [
            *arguments,
            ctypes.POINTER(ErrorStruct),
        ]
    for name, (result, arguments) in _PLAIN.items():
        function = getattr(_library, name)
        function.restype, function.argtypes = result, arguments


def _call(name, *arguments):
    error = ErrorStruct(row_group=-1, column=-1, row=-1, offset=-1)
    status = getattr(_library, name)(*arguments, ctypes.byref(error))
    if status != 0:
        assert status == error.status, f"{name} gives {status}, its error says {error.status}"
        raise Error(error)


def _options(struct, values, **fixed):
    options = struct(struct_size=ctypes.sizeof(struct), **fixed)
    for name, value in values.items():
        assert name in dict(struct._fields_), name
        setattr(options, name, value)
    return options


def _schema_text(schema):
    size = _library.lam_schema_print(schema, None, 0)
    text = ctypes.create_string_buffer(size + 1)
    _library.lam_schema_print(schema, text, size + 1)
    return text.value.decode()


# --- Reading ---------------------------------------------------------------------------------------


class Workers:
    """Threads of Python's own that an executor gives tasks to."""

    def __init__(self, count):
        self.tasks = queue.SimpleQueue()
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True).start()
        self.calls = 0
        self._run = Run(self.run)
        self.executor = Executor(None, self._run)

    def _work(self):
        while True:
            task, context, index, done = self.tasks.get()
            task(context, index)
            done.release()

    def run(self, _state, address, context, count):
        self.calls += 1
        task = Task(address)
        done = threading.Semaphore(0)
        for index in reversed(range(count)):
            self.tasks.put((task, context, index, done))
        for _ in range(count):
            done.acquire()


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Batch:
    """An array that the library gave, and its schema, by the PyCapsule protocol. Consumers move them out
    of the structs here, which must outlive the capsules."""

    def __init__(self, schema, array):
        self.schema = schema
        self.array = array

    def __arrow_c_schema__(self):
        return _new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None)

    def __arrow_c_array__(self, requested_schema=None):
        array = _new_capsule(ctypes.addressof(self.array), b"arrow_array", None)
        return self.__arrow_c_schema__(), array


class Stream:
    """A stream that the library gave. It is released with this object unless it was moved out."""

    def __init__(self, kept=()):
        self.struct = ArrowStream()
        self._kept = kept

    def __arrow_c_stream__(self, requested_schema=None):
        """A capsule around this object's struct, which must outlive it; a consumer moves it out."""
        return _new_capsule(ctypes.addressof(self.struct), b"arrow_array_stream", None)

    def reader(self):
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(self.struct))

    def get_schema(self):
        schema = ArrowSchema()
        self._check(self.struct.get_schema(ctypes.byref(self.struct), ctypes.byref(schema)))
        return schema

    def get_next(self):
        """The next array, for the caller to release; one without `release` is the end."""
        array = ArrowArray()
        self._check(self.struct.get_next(ctypes.byref(self.struct), ctypes.byref(array)))
        return array

    def _check(self, number):
        if number != 0:
            text = self.struct.get_last_error(ctypes.byref(self.struct))
            raise OSError(number, (text or b"").decode())

    def release(self):
        if self.struct.release:
            self.struct.release(ctypes.byref(self.struct))

    def __del__(self):
        self.release()


def _marks(schema, columns):
    """Marks of the leaves below each dotted path."""
    leaves = (ctypes.c_bool * _library.lam_schema_leaf_count(schema))()
    for path in columns:
        _call("lam_schema_select", schema, path.encode(), leaves)
    return leaves


class _Requested:
    """The struct of a schema that is asked for: a pyarrow schema, or a capsule of the protocol."""

    def __init__(self, schema):
        self.own = ArrowSchema()
        self.struct = self.own
        if isinstance(schema, pa.Schema):
            schema._export_to_c(ctypes.addressof(self.own))
        else:
            self.struct = ArrowSchema.from_address(_capsule_pointer(schema, b"arrow_schema"))

    def __del__(self):
        if self.own.release:
            self.own.release(ctypes.byref(self.own))


def _read_options(schema, values):
    """Options by their names in C, but `columns` and `dictionary_columns` are dotted paths, and
    `requested` is a schema."""
    values = dict(values)
    for name, member in [("columns", "leaves"), ("dictionary_columns", "dictionary_leaves")]:
        columns = values.pop(name, None)
        if columns is not None:
            values[member] = _marks(schema, columns)
    groups = values.pop("row_groups", None)
    if groups is not None:
        values["row_groups"] = (ctypes.c_size_t * max(1, len(groups)))(*groups)
        values["row_group_count"] = len(groups)
    executor = values.pop("executor", None)
    if executor is not None:
        values["executor"] = ctypes.pointer(executor.executor)
    paths = values.pop("columns_of_file", None)
    if paths is not None:
        values["columns"] = paths
    requested = values.pop("requested", None)
    if requested is None:
        return _options(ArrowReadOptions, values)
    requested = _Requested(requested)
    options = _options(ArrowReadOptions, values | {"requested": ctypes.pointer(requested.struct)})
    options.kept = requested  # until the call is over
    return options


class Filter:
    """A condition on the rows of an open file, which must stay open as long."""

    def __init__(self, reader, text):
        self.handle = ctypes.c_void_p()
        data = text.encode()
        _call(
            "lam_filter_parse",
            reader.schema,
            data,
            len(data),
            None,
            None,
            ctypes.byref(self.handle),
        )

    def __del__(self):
        _library.lam_filter_destroy(self.handle)


class Reader:
    """An open file. It must stay open as long as its streams are read."""

    def __init__(self, path, **options):
        handle = ctypes.c_void_p()
        _call(
            "lam_reader_open_file",
            path.encode(),
            ctypes.byref(_options(ReaderOptions, options)),
            ctypes.byref(handle),
        )
        self.handle = handle
        self.schema = _library.lam_reader_schema(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        _library.lam_reader_close(self.handle)
        self.handle = None

    @property
    def row_count(self):
        return _library.lam_reader_row_count(self.handle)

    @property
    def row_group_count(self):
        return _library.lam_reader_row_group_count(self.handle)

    @property
    def leaf_count(self):
        return _library.lam_schema_leaf_count(self.schema)

    def schema_text(self):
        return _schema_text(self.schema)

    def arrow_schema(self, **options):
        schema = ArrowSchema()
        _call(
            "lam_arrow_export_schema",
            self.handle,
            ctypes.byref(_read_options(self.schema, options)),
            ctypes.byref(schema),
        )
        return pa.Schema._import_from_c(ctypes.addressof(schema))

    def stream(self, where=None, report=None, **options):
        """`where` is a condition as text, `report` a ScanReport that get_next fills."""
        wanted = None if where is None else Filter(self, where)
        stream = Stream(kept=(self, options.get("executor"), wanted, report))
        if wanted is not None:
            options["filter"] = wanted.handle
        if report is not None:
            options["report"] = ctypes.addressof(report)
        _call(
            "lam_arrow_read_stream",
            self.handle,
            ctypes.byref(_read_options(self.schema, options)),
            ctypes.byref(stream.struct),
        )
        return stream

    def table(self, **options):
        stream = self.stream(**options)  # which keeps what its options point at
        return stream.reader().read_all()


class Union:
    """Open files that are read as one, each in the schema of all."""

    def __init__(self):
        self.handle = ctypes.c_void_p()
        _call("lam_union_create", None, None, ctypes.byref(self.handle))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _library.lam_union_destroy(self.handle)

    def add(self, reader, name):
        _call("lam_union_add", self.handle, reader.schema, name.encode())

    def show(self, reader):
        """A reader to be closed before the given one, or that one."""
        handle = ctypes.c_void_p()
        _call("lam_reader_show", reader.handle, _library.lam_union_schema(self.handle), None, ctypes.byref(handle))
        if not handle:
            return reader
        shown = Reader.__new__(Reader)
        shown.handle, shown.schema = handle, _library.lam_reader_schema(handle)
        return shown


def open_stream(path, reader_options=None, columns=None, where=None, report=None, **options):
    """A stream that opens the file itself; the library finds `columns` and reads `where`."""
    stream = Stream(kept=(options.get("executor"), report))
    if columns is not None:
        paths = [column.encode() for column in columns]
        options["columns_of_file"] = (ctypes.c_char_p * max(1, len(paths)))(*paths)
        options["column_count"] = len(paths)
    if where is not None:
        options["where"] = where.encode()
    if report is not None:
        options["report"] = ctypes.addressof(report)
    _call(
        "lam_arrow_read_file",
        path.encode(),
        ctypes.byref(_options(ReaderOptions, reader_options or {})),
        ctypes.byref(_read_options(None, options)),
        ctypes.byref(stream.struct),
    )
    return stream


def read(path, **options):
    """The table of a file."""
    return open_stream(path, **options).reader().read_all()


# --- Writing ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def exported_schema(schema):
    """The struct of a pyarrow schema, or that of an object with __arrow_c_schema__."""
    if isinstance(schema, ArrowSchema):
        yield schema
        return
    if not isinstance(schema, pa.Schema):
        capsule = schema.__arrow_c_schema__()
        yield ArrowSchema.from_address(_capsule_pointer(capsule, b"arrow_schema"))
        return
    struct = ArrowSchema()
    schema._export_to_c(ctypes.addressof(struct))
    try:
        yield struct
    finally:
        if struct.release:
            struct.release(ctypes.byref(struct))


@contextlib.contextmanager
def exported_array(batch):
    """The struct of a pyarrow RecordBatch, or that of an object with __arrow_c_array__."""
    if isinstance(batch, ArrowArray):
        yield batch
        return
    if not isinstance(batch, pa.RecordBatch):
        _schema, capsule = batch.__arrow_c_array__()
        yield ArrowArray.from_address(_capsule_pointer(capsule, b"arrow_array"))
        return
    struct = ArrowArray()
    batch._export_to_c(ctypes.addressof(struct))
    try:
        yield struct
    finally:
        if struct.release:
            struct.release(ctypes.byref(struct))


@contextlib.contextmanager
def exported_stream(source):
    """The struct of a RecordBatchReader, or that in the capsule of any other object."""
    if isinstance(source, ArrowStream):
        yield source
    elif isinstance(source, pa.RecordBatchReader):
        struct = ArrowStream()
        source._export_to_c(ctypes.addressof(struct))
        try:
            yield struct
        finally:
            if struct.release:
                struct.release(ctypes.byref(struct))
    else:
        capsule = source.__arrow_c_stream__()
        yield ArrowStream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))


@contextlib.contextmanager
def imported_schema(schema):
    """The handle of the Parquet schema for an Arrow one."""
    handle = ctypes.c_void_p()
    with exported_schema(schema) as struct:
        _call("lam_arrow_import_schema", ctypes.byref(struct), None, ctypes.byref(handle))
    try:
        yield handle
    finally:
        _library.lam_schema_destroy(handle)


def parquet_schema(schema):
    """The message text of the Parquet schema for an Arrow one."""
    with imported_schema(schema) as handle:
        return _schema_text(handle)


def _split(options):
    """Options of the writer, with the codec by its name, and those of writing arrays."""
    options = dict(options)
    arrow = {"arrow_schema": options.pop("arrow_schema", 0)}
    if "codec" in options:
        options["codec"] = CODECS[options["codec"]]
    return _options(WriterOptions, options), _options(ArrowWriteOptions, arrow)


def write(path, source, **options):
    """Writes a file from a RecordBatchReader or an object with __arrow_c_stream__ in one call."""
    writer_options, arrow_options = _split(options)
    with exported_stream(source) as stream:
        _call(
            "lam_arrow_write_file",
            path.encode(),
            ctypes.byref(stream),
            ctypes.byref(writer_options),
            ctypes.byref(arrow_options),
        )


class Writer:
    """A file that arrays and streams of one schema are written to; finish() makes it whole."""

    def __init__(self, path, schema, **options):
        writer_options, self._arrow_options = _split(options)
        self.handle, self.arrow = ctypes.c_void_p(), ctypes.c_void_p()
        with exported_schema(schema) as struct:
            with imported_schema(struct) as parquet:
                _call(
                    "lam_writer_open_file",
                    parquet,
                    path.encode(),
                    ctypes.byref(writer_options),
                    ctypes.byref(self.handle),
                )
            self._struct_of_arrow_writer(struct)

    def _struct_of_arrow_writer(self, struct):
        try:
            _call(
                "lam_arrow_writer_create",
                self.handle,
                ctypes.byref(struct),
                ctypes.byref(self._arrow_options),
                ctypes.byref(self.arrow),
            )
        except Error:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def write(self, batch):
        """A pyarrow RecordBatch, or the struct of an array of structs."""
        with exported_array(batch) as struct:
            _call("lam_arrow_write_array", self.arrow, ctypes.byref(struct))

    def finish(self):
        _call("lam_writer_finish", self.handle)

    def close(self):
        if self.arrow:
            _library.lam_arrow_writer_destroy(self.arrow)
        if self.handle:
            _library.lam_writer_close(self.handle)
        self.handle = self.arrow = None


def write_arrays(path, schema, batches, **options):
    """The same as write(), array by array."""
    with Writer(path, schema, **options) as writer:
        for batch in batches:
            writer.write(batch)
        writer.finish()


def write_through_stream(path, source, schema, **options):
    """The same as write(), with a writer that the caller opens and finishes."""
    writer_options, arrow_options = _split(options)
    handle = ctypes.c_void_p()
    with imported_schema(schema) as parquet:
        _call(
            "lam_writer_open_file",
            parquet,
            path.encode(),
            ctypes.byref(writer_options),
            ctypes.byref(handle),
        )
    try:
        with exported_stream(source) as stream:
            _call(
                "lam_arrow_write_stream",
                handle,
                ctypes.byref(stream),
                ctypes.byref(arrow_options),
            )
        _call("lam_writer_finish", handle)
    finally:
        _library.lam_writer_close(handle)
