/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes whole columns through the Arrow C data interface and the Arrow C stream
 * interface: no records in between, and no Arrow library is needed on either side.
 *
 * Arrays and schemas that Lamella exports own their memory: they stay valid after the stream, the
 * reader and each other are gone, children may be moved out of their parents, and release callbacks
 * may be called from any thread. They return memory to the reader's allocator, which must therefore
 * be callable from any thread and outlive them.
 */
#ifndef LAMELLA_ARROW_H
#define LAMELLA_ARROW_H

#include <lamella/common.h>
#include <lamella/executor.h>
#include <lamella/scan.h>
#include <lamella/schema.h>
#include <lamella/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The structs of the Arrow C data interface, as its specification gives them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

/* The struct of the Arrow C stream interface, as its specification gives it. */
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* --- Reading ------------------------------------------------------------------------------- */

/* What to read into Arrow arrays, and how. Zero means the default in every member. */
typedef struct lam_arrow_read_options {
    size_t struct_size;
    const bool *leaves; /* the projected leaves, as lam_schema_select marks them; NULL means all;
                           used during the call only */
    const char *const *columns; /* instead of `leaves`: paths of the fields whose leaves are
                                   projected, as lam_schema_select takes them; used during the
                                   call only; NULL: as `leaves` says */
    size_t column_count;        /* elements of `columns` */
    const size_t *row_groups;   /* which to read, in that order; NULL means all; used during the
                                   call only */
    size_t row_group_count;     /* elements of `row_groups` */
    const lam_filter *filter;   /* made for the reader's schema: only rows whose condition is
                                   true are returned, or counted below; NULL means all rows;
                                   borrowed until the stream is released */
    const char *where;          /* instead of `filter`: a condition as lam_filter_parse reads it,
                                   up to a NUL; used during the call only */
    lam_switch pruning;         /* as in lam_scan_options */
    lam_scan_report *report;    /* written by each get_next, unless NULL; borrowed as the filter
                                   is. Row groups evaluated ahead count */
    uint64_t skip_rows;         /* rows of those row groups to skip at the start */
    uint64_t max_rows;          /* most rows to return; 0 means all */
    uint64_t batch_rows;        /* most rows of one array; default: 65536. An array has fewer if so
                                   many would take more than the reader's memory limit */
    const bool *dictionary_leaves; /* leaves of strings or bytes, of fixed size or not, to return as
                                      dictionary arrays even if the file does not say that they were
                                      written so; as `leaves`. INVALID for leaves of other types.
                                      Extension types that know no dictionaries are left out */
    lam_switch arrow_schema;       /* map types by ARROW:schema where a file has it; off goes by the
                                      Parquet schema alone; default: on */
    uint32_t thread_count;         /* threads that decode columns, the caller's included, and row
                                      groups in which a filter is evaluated at once; default: 1 */
    const lam_executor *executor;  /* decodes columns on the caller's threads instead; copied */
    const lam_stop *stop;          /* instead of the reader's; borrowed until the stream is
                                      released; NULL: the reader's */
    lam_time_unit timestamp96_unit; /* unit of timestamps that have more than 64 bits in the file,
                                       which are those of INT96 and fixed_len_byte_array(12); finer
                                       digits are cut toward the past. 0: chosen for each column as
                                       below */
    bool lenient; /* give columns whose values may break their logical type a type that takes all
                     values of the physical one, as below */
    const char *select; /* instead of `leaves` and `columns`: a list of paths, up to a NUL, as
                           lam_schema_select_text reads it; used during the call only */
    const struct ArrowSchema *requested; /* the schema that a consumer asks for, as below; used
                                            during the call only; NULL: none */
    lam_switch dictionaries; /* off: no dictionary arrays but the values themselves, whatever
                                ARROW:schema or `requested` says; INVALID with leaves in
                                dictionary_leaves. Default: on */
} lam_arrow_read_options;

LAM_GROWING(lam_arrow_read_options);

/*
 * Dictionaries: a batch has the dictionary of its row group, as far as it is known by then. Indexes
 * have the type given by ARROW:schema, or int32 if the dictionary page of a row group has more
 * values than that type can number. If only values of pages without dictionary exceed it, a batch
 * ends early and the next one begins with a dictionary of its own; EOVERFLOW if a single row has
 * too many values. Without ARROW:schema indexes are int32.
 */

/*
 * Timestamps of more than 64 bits: an INT96 is nanoseconds of any day of 11 million years. In 64
 * bits, nanoseconds reach from 1677 to 2262, microseconds 290,000 years before and after 1970, and
 * milliseconds all of them; a TIMESTAMP on a fixed_len_byte_array(12) counts its unit in 96 bits
 * (parquet-format#601). If no unit is requested, a column has that of ARROW:schema, or else its
 * own, which is nanoseconds for INT96. If that cannot hold the column's known values, the finest
 * unit that can is chosen: known are the bounds of statistics in the order of timestamps (for INT96
 * parquet.thrift, INT96_TIMESTAMP_ORDER), or, without such statistics and ARROW:schema, the values
 * in the dictionary pages of the column's first 4 chunks. All row groups count, whichever are read,
 * so that reads of different row groups of a file have one schema. A unit that was chosen loses
 * nothing: the stream fails with EOVERFLOW at a value that does not fit it, or that has finer
 * digits, and names the option, column, row group and row.
 *
 * Values that break their logical type: integers of 8 or 16 bits lie in 32, and decimals may have
 * more digits than their precision. The stream fails with EINVAL at such a value, and names it in
 * the same way. With `lenient` types are wider, so that such values are returned as they are: int32
 * instead of int8, int16, uint8 and uint16; decimals on INT32 and INT64 have at least 10 and 19
 * digits, and those on bytes all of decimal128, or, above 38, decimal256. This does not depend on
 * the values, so that the schema is one of the file; inside of extension types, VARIANT among them,
 * nothing changes.
 */

/*
 * Requested schemas: `requested` is a struct ("+s") whose fields are found by name among the
 * columns that are read, and below them. It may have fewer, more and others, in any order. As in
 * __arrow_c_stream__ of the Arrow PyCapsule protocol, nothing is promised: a field gets the
 * requested type if every value that its column may hold is the same value there, and otherwise
 * stays as it is without. Columns, their order, names, nullability and metadata stay in any case.
 * The stream's schema tells what came of it; the rest is for the caller to cast. On request
 *
 *     strings, bytes      have any of the kinds string, large_string, string_view and binary,
 *                         large_binary, binary_view; strings are given as bytes, too
 *     any values          are dictionaries or not; indexes of 8 and 16 bits become int32 as above,
 *                         and in lists, unless ARROW:schema has the same
 *     lists               are list, large_list, list_view, large_list_view
 *     elements, entries   have other names
 *     timestamps          have another time zone if they have one, or if they are INT96
 *     int64, date32       are duration and date64, and the reverse; seconds are milliseconds
 *     decimals            have another width, or more digits before the point
 *     extension types     are left out; no column gets another one than its own
 *
 * inside of structs, lists and maps as well. Finer units are not computed: they may overflow. The
 * request goes before ARROW:schema and works without it; `lenient`, `timestamp96_unit` and
 * `dictionary_leaves` go before the request. INVALID if the struct breaks the rules of the C data
 * interface; one that is merely not like the columns is ignored, field by field.
 */

/*
 * Exports the Arrow schema that reading with these options gives: a struct ("+s") of the projected
 * columns, whose metadata is the file's key-value metadata without ARROW:schema. `options` may be
 * NULL. UNSUPPORTED names a field that has no Arrow form.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_export_schema(const lam_reader *reader,
                                                            const lam_arrow_read_options *options,
                                                            struct ArrowSchema *ret_schema,
                                                            lam_error *error);

/*
 * Reads a stream of struct arrays of 1 to `batch_rows` rows; a batch never crosses the end of a row
 * group. Rows are filtered and skipped as described at lam_record_reader_open_scan; faults of
 * `columns`, `select` and `where` are reported as by lam_schema_select, lam_schema_select_text and
 * lam_filter_parse. The reader must outlive the stream, not its arrays. One thread at a time may
 * use the stream; several streams of one reader may run at once. Its callbacks return 0, or
 * ECANCELED, EINVAL, EIO, ENOMEM, ENOSYS or EOVERFLOW with the message as last error; after a
 * failed get_next every later one fails. EOVERFLOW names the row if that alone takes more than the
 * memory limit.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_read_stream(const lam_reader *reader,
                                                          const lam_arrow_read_options *options,
                                                          struct ArrowArrayStream *ret_stream,
                                                          lam_error *error);

/*
 * Does the same on a file that the stream opens and closes. Both options may be NULL. As the file's
 * schema is not known in advance, `columns` or `select`, and `where`, choose what is read.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_read_file(const char *path,
                                                        const lam_reader_options *reader_options,
                                                        const lam_arrow_read_options *options,
                                                        struct ArrowArrayStream *ret_stream,
                                                        lam_error *error);

/* --- Writing ------------------------------------------------------------------------------- */

/* How Arrow arrays become Parquet. Zero means the default in every member. */
typedef struct lam_arrow_write_options {
    size_t struct_size;
    lam_switch arrow_schema; /* put ARROW:schema into the file's key-value metadata; default: on */
} lam_arrow_write_options;

LAM_GROWING(lam_arrow_write_options);

/*
 * Makes the Parquet schema that holds arrays of an Arrow schema, which is a struct ("+s") and is
 * borrowed for the call. INVALID when the struct breaks the rules of the interface or an extension
 * type has parameters that its definition does not allow, UNSUPPORTED when Parquet cannot hold a
 * type; both name the field. LIMIT, NOMEM. `allocator` may be NULL. Free the result with
 * lam_schema_destroy.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_import_schema(const struct ArrowSchema *schema,
                                                            const lam_allocator *allocator,
                                                            lam_schema **ret_schema,
                                                            lam_error *error);

/* Writes arrays of one Arrow schema through a writer. One thread at a time. */
typedef struct lam_arrow_writer lam_arrow_writer;

/*
 * Creates an Arrow writer on `writer`, whose schema must equal the one that lam_arrow_import_schema
 * makes of `schema`, but for the name of its root (INVALID otherwise), and which is borrowed until
 * destroy. Adds the metadata of `schema`, which is borrowed for the call, and ARROW:schema to the
 * file. `options` may be NULL. STATE for a writer that is finished or has failed; NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_writer_create(lam_writer *writer,
                                                            const struct ArrowSchema *schema,
                                                            const lam_arrow_write_options *options,
                                                            lam_arrow_writer **ret_arrow,
                                                            lam_error *error);
/*
 * Writes the rows of a struct array, borrowed for the call. The array is checked before any of it
 * is written: INVALID, with the field's path, when lengths, buffers, children or offsets contradict
 * the type or each other, a field without nulls has one, or a value does not fit its Parquet type.
 * The file never shows how rows were cut into arrays. Other errors as of lam_writer_write_triples.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_write_array(lam_arrow_writer *arrow,
                                                          const struct ArrowArray *array,
                                                          lam_error *error);
/* Frees the result of lam_arrow_writer_create; the writer is finished and closed by its owner. */
LAM_PUBLIC void lam_arrow_writer_destroy(lam_arrow_writer *arrow);

/*
 * Writes all remaining arrays of a stream through a writer, which is neither finished nor closed.
 * The caller still releases the stream. Errors of the stream are IO, with its own message.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_write_stream(lam_writer *writer,
                                                           struct ArrowArrayStream *stream,
                                                           const lam_arrow_write_options *options,
                                                           lam_error *error);

/* Does the same into a file, written completely or not at all. All options may be NULL. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_arrow_write_file(const char *path,
                                                         struct ArrowArrayStream *stream,
                                                         const lam_writer_options *writer_options,
                                                         const lam_arrow_write_options *options,
                                                         lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
