/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as delimited text (CSV, TSV): a schema inferred from it, and columns of triples read from
 * it (RFC 4180, and what is usual beyond it).
 *
 * A record is a line of fields with delimiters between them. A field may stand in quotes, and then
 * holds delimiters, line ends, and quotes that are doubled. A quote inside a field that does not
 * begin with one is text. Lines end with LF, CRLF, or, where the first line does, with CR. Blank
 * lines are skipped where there are several columns. The text is UTF-8, or UTF-16 with a byte order
 * mark.
 *
 * An empty field is a null, and so is `null_text` without quotes. In quotes, an empty field is an
 * empty string in a column of strings and a null in all others.
 */
#ifndef LAMELLA_CSV_H
#define LAMELLA_CSV_H

#include <lamella/common.h>
#include <lamella/record.h>
#include <lamella/schema.h>
#include <lamella/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A source of text. `read` copies up to `capacity` (never 0) bytes into `buffer`; a count of 0 is
 * the end of the text.
 */
typedef struct lam_csv_source {
    void *state;
    lam_status (*read)(void *state, void *buffer, size_t capacity, size_t *ret_size,
                       lam_error *error);
} lam_csv_source;

/* What numbers in TIMESTAMP columns count. */
typedef enum lam_csv_epoch {
    LAM_CSV_EPOCH_NONE = 0,    /* nothing: they are refused */
    LAM_CSV_EPOCH_SECONDS = 1, /* since 1970-01-01T00:00:00 in UTC; with or without a fraction */
    LAM_CSV_EPOCH_MILLIS = 2,
    LAM_CSV_EPOCH_MICROS = 3,
    LAM_CSV_EPOCH_NANOS = 4
} lam_csv_epoch;

/* Zero means the default in every member. */
typedef struct lam_csv_options {
    size_t struct_size;
    char delimiter;         /* between fields, a byte of ASCII; default: found in the first lines by
                               inference, a comma for a reader */
    char quote;             /* around fields, a byte of ASCII; default: " */
    char decimal_mark;      /* of numbers, a point or a comma; default: a point */
    lam_switch header;      /* the first record holds the names; default: found in the first lines
                               by inference, on for a reader */
    lam_switch infer_times; /* infer dates, times and timestamps; default: on */
    bool infer_decimals;    /* infer DECIMAL for numbers with a point */
    bool skip_bad_lines;    /* skip and count records that do not have the right number of fields,
                               broken quotes, values that do not fit, and what is too long */
    bool ignore_unknown;    /* a reader skips columns that the schema does not have */
    const char *null_text;  /* borrowed until destroy; NULL: only empty fields are null */
    size_t max_record_bytes; /* text of one record, at most 1 GiB; default: 64 MiB */
    const lam_stop *stop;    /* checked before each batch; borrowed until destroy; NULL: never */
    lam_csv_epoch epoch;
    bool is_live; /* a reader gives each record as soon as its line is whole: it asks the source
                     for more only when it has given all that it has, and takes what one call of
                     `read` gives; default: it fills its window first */
    char comment; /* lines that begin with this byte of ASCII are left out; default: none */
    uint64_t skip_lines;             /* lines before the header that are left out */
    const char *const *time_formats; /* forms of dates and times that are recognized, too, as in
                                        lam_json_reader_options; borrowed until destroy */
    size_t time_format_count;
    bool exact_integers; /* a reader refuses an integer for a DOUBLE leaf that does not keep it */
} lam_csv_options;

LAM_GROWING(lam_csv_options);

/* --- Inference ----------------------------------------------------------------------------- */

/*
 * Infers a schema from delimited text. Every field is optional. A column gets the first of these
 * types that all of its values have.
 *
 *     boolean                       true, false, in any case
 *     int64                         -12, 0; no sign +, no zeros in front, within 64 bits
 *     int64 or FIXED (DECIMAL)      if requested: numbers with a point, up to 38 digits
 *     double                        1.5, .5, 2e10, nan, inf; integers that a double keeps
 *     int32 (DATE)                  2024-10-24
 *     int64 (TIME)                  12:34, 12:34:56, 12:34:56.789
 *     int64 (TIMESTAMP)             2024-10-24T12:34:56.789Z: T or a space; seconds and fraction
 *                                   may be absent; with a zone (Z, +01:00, +0100, +01) all are in
 *                                   UTC, without it all are local, and dates are midnight.
 *                                   Microseconds, or nanoseconds if a fraction needs them
 *     fixed_len_byte_array (UUID)   00112233-4455-6677-8899-aabbccddeeff
 *     binary (STRING)               all else
 *     int32 (UNKNOWN)               nulls alone
 */
typedef struct lam_csv_inference lam_csv_inference;

/* `options` and `allocator` may be NULL. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_inference_create(const lam_csv_options *options,
                                                             const lam_allocator *allocator,
                                                             lam_csv_inference **ret_inference,
                                                             lam_error *error);
/*
 * Reads all of a source. May be called for several sources in turn, whose columns are united by
 * name. The delimiter is that of the first. `is_sample` says that the source was cut at the end of
 * a line: a last record whose quotes are open is ignored then. INVALID for text that is not CSV,
 * with the line; LIMIT for a record that is too long. After a failure only destroy is allowed.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_inference_add(lam_csv_inference *inference,
                                                          const lam_csv_source *source,
                                                          bool is_sample, lam_error *error);
/* What the first line of a text was taken for, where `header` is left to inference. */
typedef enum lam_csv_first_line {
    LAM_CSV_FIRST_NAMES = 0,    /* the names of the columns */
    LAM_CSV_FIRST_DOUBTFUL = 1, /* the same, though it looks like data */
    LAM_CSV_FIRST_DATA = 2      /* a record, as numbers over numbers show, or a null \N */
} lam_csv_first_line;

/* Gives the schema of all records so far, to be freed with lam_schema_destroy. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_inference_schema(lam_csv_inference *inference,
                                                             const char *message_name,
                                                             lam_schema **ret_schema,
                                                             lam_error *error);

/* A column that is STRING because of some values, at most half of them. */
typedef struct lam_csv_notice {
    size_t struct_size;
    const char *column; /* its name; all is borrowed until the inference is used again */
    const char *kind;   /* what the others are, a noun: "integer"; static */
    uint64_t fitting;   /* how many these are */
    uint64_t others;    /* values that are none */
    lam_bytes other;    /* the first of them, cut to 64 bytes */
    uint64_t line;      /* on which its record begins, from 1 */
    size_t source;      /* calls of lam_csv_inference_add before that of the line */
} lam_csv_notice;

LAM_GROWING(lam_csv_notice);

/* What is known of all records so far. */
typedef struct lam_csv_inference_info {
    size_t struct_size;
    lam_csv_first_line first_line; /* of the first source that has a line; it holds for all. A
                                      reader needs it as `header` */
    char delimiter;                /* given or found; 0 before any source */
    uint64_t records;              /* those that were skipped are not counted */
    size_t notice_count;           /* columns with a notice */
} lam_csv_inference_info;

LAM_GROWING(lam_csv_inference_info);

LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_inference_get_info(const lam_csv_inference *inference,
                                                               lam_csv_inference_info *ret_info,
                                                               lam_error *error);
/* Gives a notice by its index, in the order of the columns; INVALID when out of range. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_inference_notice(const lam_csv_inference *inference,
                                                             size_t index,
                                                             lam_csv_notice *ret_notice,
                                                             lam_error *error);
LAM_PUBLIC void lam_csv_inference_destroy(lam_csv_inference *inference);

/* --- Reading ------------------------------------------------------------------------------- */

/* Reads columns of triples from delimited text of any size, in bounded memory. */
typedef struct lam_csv_reader lam_csv_reader;

/*
 * `source` is copied. `options` and `allocator` may be NULL. INVALID for a schema with groups or
 * repeated fields. Columns find their leaves by name, or, without a header, by position; leaves
 * that the text does not have are null.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_reader_create(
    const lam_schema *schema, const lam_csv_source *source, const lam_csv_options *options,
    const lam_allocator *allocator, lam_csv_reader **ret_reader, lam_error *error);
/*
 * Reads the next records: one element of `*ret_columns` per leaf, as lam_writer_write_triples takes
 * them, borrowed until the next call. 0 records are the end of the text. INVALID with line and
 * column for a record that is broken, or a value that its leaf does not take; LIMIT for a record
 * that is too long. That record alone is refused: those before it were given, and the next call
 * continues after it. If quotes or the length are at fault, nothing shows where the record ends,
 * and the next call continues after its first line. After another failure only destroy is allowed.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_reader_read(lam_csv_reader *reader,
                                                        const lam_triples **ret_columns,
                                                        size_t *ret_records, lam_error *error);
/*
 * The line, from 1, in which a record of the last batch begins, `record` from 0. After a read that
 * failed with INVALID or LIMIT, that of the record which is refused, whatever `record` is.
 */
LAM_PUBLIC uint64_t lam_csv_reader_line(const lam_csv_reader *reader, size_t record);
/* The same for all records of the last batch, in one pass; `ret_lines` has room for as many. */
LAM_PUBLIC void lam_csv_reader_lines(const lam_csv_reader *reader, uint64_t *ret_lines);
/*
 * After a read that failed with INVALID or LIMIT: the text of the record that is refused, as it was
 * read, without its line end. Where its end is not known that is its first line, or as much of it
 * as was read. Borrowed until the next call; nothing otherwise.
 */
LAM_PUBLIC lam_bytes lam_csv_reader_text(const lam_csv_reader *reader);
/*
 * After a read that failed for a value that its leaf does not take: reads that record again, and
 * all after it, with the leaves of another schema, which has the same names in the same order, and
 * types that hold more. STATE after anything else; INVALID for other names. A failed call changes
 * nothing.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_csv_reader_widen(lam_csv_reader *reader,
                                                         const lam_schema *schema,
                                                         lam_error *error);
/* Records that skip_bad_lines has skipped so far. */
LAM_PUBLIC uint64_t lam_csv_reader_skipped(const lam_csv_reader *reader);
LAM_PUBLIC void lam_csv_reader_destroy(lam_csv_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
