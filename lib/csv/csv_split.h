/* SPDX-License-Identifier: Apache-2.0 */
/* Records of delimited text as fields. */
#ifndef LAM_CSV_CSV_SPLIT_H
#define LAM_CSV_CSV_SPLIT_H

#include "base/list.h"
#include "csv/csv_text.h"
#include "kernel/kernel.h"

/* Bytes of the window, without quotes around it and within it. */
typedef struct lam_csv_field {
    uint32_t start;
    uint32_t size : 31;
    uint32_t is_quoted : 1;
} lam_csv_field;

enum {
    LAM_CSV_BATCH_RECORDS = 2048,
    LAM_CSV_ENDS_AT_ONCE = 64 << 10 /* more only if one record has more */
};

/*
 * Splits text. The fields of a batch are `record_count` times `field_count`, record by record;
 * `starts` has the first byte of each record, for messages.
 */
typedef struct lam_csv_splitter {
    const lam_kernels *kernels;
    lam_csv_text text;
    uint8_t delimiter, quote, line_end;
    uint8_t comment;     /* begins lines that are left out; 0: none does */
    uint64_t skip_lines; /* before the first record */
    bool skips_bad;
    bool skips_line; /* the first line of what comes next was refused */
    const lam_stop *stop;
    size_t field_count;      /* of each record; 0 before the first */
    LAM_LIST(uint32_t) ends; /* where fields end, relative to `next` of the text */
    size_t end_count;
    bool has_odd_quotes; /* other than one before a field and one after it */
    LAM_LIST(lam_csv_field) fields;
    uint32_t starts[LAM_CSV_BATCH_RECORDS];
    size_t record_count;
    size_t batch_start;   /* of the batch in the window */
    uint64_t batch_lines; /* line ends in it */
    uint64_t line;        /* where it begins, from 1 */
    uint64_t skipped;     /* bad records */
    size_t failed_fields; /* of a bad record after the batch; 0: none; SIZE_MAX: broken quotes */
    uint64_t failed_line; /* of the last record that failed */
    size_t failed_start;  /* its text in the window, as far as it was read */
    size_t failed_size;
    size_t ahead; /* records that a batch has at most, fewer after a failure */
} lam_csv_splitter;

/* `options` are complete; the delimiter may be set later, before the first split. */
void lam_csv_splitter_init(lam_csv_splitter *splitter, const lam_csv_source *source,
                           const lam_csv_options *options, const lam_allocator *allocator);
void lam_csv_splitter_finish(lam_csv_splitter *splitter);

/*
 * Fills the window for the first time, finds which byte ends lines, leaves out what is before the
 * first record, and finds, if the delimiter is 0, which of , ; | and tab divides the first lines.
 */
lam_status lam_csv_splitter_begin(lam_csv_splitter *splitter, lam_error *error);

/*
 * Finds about `wanted` ends of fields from the text's `next` on, at least a complete record if the
 * window has one.
 */
lam_status lam_csv_find_ends(lam_csv_splitter *splitter, size_t wanted, bool is_sample,
                             lam_error *error);
/* Leaves out what remains of a line, reading on if its end is not in the window. */
lam_status lam_csv_skip_line(lam_csv_splitter *splitter, lam_error *error);

/* Whether a line is left out. */
static inline bool lam_csv_begins_comment(const lam_csv_splitter *splitter, const uint8_t *line) {
    return splitter->comment != 0 && *line == splitter->comment;
}

/*
 * Splits up to `most` next records of `field_count` fields; the first record sets that number if it
 * is 0. A count of 0 is the end. Fields are valid until the next call. With `is_sample` a last
 * record whose quotes are not closed, or that is cut in UTF-16, is left out.
 *
 * INVALID with the line for a record with another number of fields or broken quotes; LIMIT for one
 * that is too long; unless they are skipped. The records before it were given, and the next ones
 * follow the record, or, if quotes or the length are at fault, its first line.
 */
lam_status lam_csv_split(lam_csv_splitter *splitter, size_t most, bool is_sample, lam_error *error);

/* Counts the fields of the first record, which is not taken; 0 when there is none. */
lam_status lam_csv_count_first(lam_csv_splitter *splitter, lam_error *error);

/* Makes the text of a record of the batch as it was read, in place; its fields are gone then. */
lam_bytes lam_csv_restore_record(lam_csv_splitter *splitter, size_t record);

/* The reverse: its fields are as they were split. */
void lam_csv_take_again(lam_csv_splitter *splitter, size_t record);

/* The line of a record of the batch. */
uint64_t lam_csv_line(const lam_csv_splitter *splitter, size_t record);

/* The lines of some records of the batch. */
void lam_csv_lines(const lam_csv_splitter *splitter, size_t first, size_t count,
                   uint64_t *ret_lines);

static inline const lam_csv_field *lam_csv_fields(const lam_csv_splitter *splitter) {
    return splitter->fields.items;
}

#endif
