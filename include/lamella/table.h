/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as rows of cells: for tables on a screen, and for delimited text (CSV, TSV).
 *
 *     optional int64 id;                                   id,user.name,tags
 *     optional group user { optional binary name (STRING); }
 *     optional group tags (LIST) { ... }                   7,Ann,"[""a"",""b""]"
 *
 * A leaf outside of lists is a column, called by its names with dots between; so is a list, a map
 * or a VARIANT, whose cell is JSON. The text of a cell is what the JSON writer (lamella/json.h)
 * prints for it, strings without their quotation marks. A group that is null has a null in each of
 * its columns.
 */
#ifndef LAMELLA_TABLE_H
#define LAMELLA_TABLE_H

#include <lamella/common.h>
#include <lamella/io.h>
#include <lamella/json.h>
#include <lamella/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Rows of cells ------------------------------------------------------------------------- */

typedef enum lam_cell_kind {
    LAM_CELL_NULL = 0,    /* absent; the text is empty */
    LAM_CELL_TEXT = 1,    /* strings, bytes, dates, UUIDs; NaN and infinities; all of a VARIANT */
    LAM_CELL_NUMBER = 2,  /* integers, finite floats, decimals */
    LAM_CELL_BOOLEAN = 3, /* true, false */
    LAM_CELL_NESTED = 4,  /* JSON of a list, a map, or of an object in a VARIANT */
    LAM_CELL_TIME = 5     /* times and timestamps, with all digits of their unit */
} lam_cell_kind;

/* The text is UTF-8, not NUL-terminated, borrowed until the call that it came with returns. */
typedef struct lam_cell {
    lam_cell_kind kind;
    lam_bytes text;
} lam_cell;

/*
 * The text of a time without the digits that say nothing: groups of three zeros at the end of its
 * fraction are not in the two pieces, which are one text, and the point is not where no digit is
 * left. Of 12:00:00.500000Z they are 12:00:00.500 and Z. At least `least` digits stay, if the text
 * has them: 0, 3, 6 or 9. Gives how many stay. The text of another kind is whole in `*ret_head`.
 * Both borrow from the cell.
 */
LAM_PUBLIC unsigned lam_cell_cut_time(const lam_cell *cell, unsigned least, lam_bytes *ret_head,
                                      lam_bytes *ret_tail);

/* Takes rows, one call for each. A failure ends the reading, which passes it on. */
typedef struct lam_cell_sink {
    void *state;
    lam_status (*row)(void *state, const lam_cell *cells, size_t count, lam_error *error);
} lam_cell_sink;

/* Makes rows of the records of one schema and projection. One thread at a time. */
typedef struct lam_table lam_table;

/*
 * `json` says which fields show and how, and holds the memory limit; NULL is the default; its
 * omit_nulls is ignored. Borrowed: its projection, until destroy. `sink` is copied. `allocator` may
 * be NULL. The errors of lam_json_writer_create.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_table_create(const lam_schema *schema,
                                                     const lam_json_writer_options *json,
                                                     const lam_cell_sink *sink,
                                                     const lam_allocator *allocator,
                                                     lam_table **ret_table, lam_error *error);

/*
 * The names down to a column with dots between, as they are; of columns that would be called alike,
 * their paths (lam_field_path): a.b in a group, and "a.b" that is named so. NUL-terminated, until
 * destroy; NULL after the last.
 */
LAM_PUBLIC const char *lam_table_column_name(const lam_table *table, size_t index);

/*
 * Gives up to `max_records` of the next records of a reader to the sink, in order, and their number
 * in `*ret_records`, those before a failure included. `records` projects what the table does, and
 * borrows the table until it is closed. The errors of lam_json_writer_print, and of the sink.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_table_read(lam_table *table, lam_record_reader *records,
                                                   uint64_t max_records, uint64_t *ret_records,
                                                   lam_error *error);
LAM_PUBLIC void lam_table_destroy(lam_table *table);

/* --- Delimited text ------------------------------------------------------------------------ */

/* What reads delimited text. */
typedef enum lam_delimited_audience {
    LAM_DELIMITED_FOR_PROGRAMS = 0, /* the text of each cell is exact */
    LAM_DELIMITED_FOR_SPREADSHEETS =
        1, /* formulas are disarmed: an apostrophe stands before =, +, - and
                                      @, also as full-width forms, and before a control character,
                                      where one begins a text or a name of a column; and before such
                                      a sign after another separator (comma, semicolon, tabulator,
                                      line break) in it. Numbers, booleans and nulls stay. What has
                                      apostrophes does not read back as it was. Timestamps have a
                                      blank for the T and no Z, as spreadsheets know them */
} lam_delimited_audience;

/* Zero means the default in every member. */
typedef struct lam_delimited_options {
    size_t struct_size;
    char delimiter;        /* one ASCII character, neither a quotation mark nor a line break;
                              default: a comma */
    lam_switch header;     /* names of columns in the first line; default: on */
    const char *null_text; /* of a null; borrowed until destroy; default: none. A text that is
                              equal to it is quoted, an empty one as well */
    bool crlf;             /* lines end with CR and LF, as RFC 4180 has them; default: with LF */
    uint8_t unused[7];     /* zeros */
    lam_delimited_audience audience; /* default: programs */
} lam_delimited_options;

LAM_GROWING(lam_delimited_options);

/*
 * Prints rows as lines (RFC 4180): a cell is quoted if it has the delimiter, a quotation mark or a
 * line break in it, or looks like a null. Times end without the zeros that say nothing
 * (lam_cell_cut_time). One thread at a time.
 */
typedef struct lam_delimited_writer lam_delimited_writer;

/*
 * `output` is borrowed until destroy; it is written in large pieces of whole lines, and neither
 * finished nor closed. The header goes first. `json` and `allocator` are as in lam_table_create;
 * `options` may be NULL. INVALID for a delimiter that cannot be one, and for an unknown audience.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_delimited_writer_create(
    const lam_schema *schema, lam_output *output, const lam_json_writer_options *json,
    const lam_delimited_options *options, const lam_allocator *allocator,
    lam_delimited_writer **ret_writer, lam_error *error);
/* Prints up to `max_records` of the next records of a reader; as lam_table_read. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_delimited_writer_print(lam_delimited_writer *writer,
                                                               lam_record_reader *records,
                                                               uint64_t max_records,
                                                               uint64_t *ret_records,
                                                               lam_error *error);
/* Writes all lines to the output. Needed after the last record. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_delimited_writer_flush(lam_delimited_writer *writer,
                                                               lam_error *error);
LAM_PUBLIC void lam_delimited_writer_destroy(lam_delimited_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
