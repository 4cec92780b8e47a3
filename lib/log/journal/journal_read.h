/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the frames of a log's journal. */
#ifndef LAM_LOG_JOURNAL_JOURNAL_READ_H
#define LAM_LOG_JOURNAL_JOURNAL_READ_H

#include <lamella/io.h>

#include "log/journal/journal_frame.h"

/* A file that a journal mentions. */
typedef struct lam_journal_file_info {
    uint8_t id[LAM_JOURNAL_ID_SIZE];
    const char *path; /* relative to the folder of the journal, NUL-terminated */
    const lam_schema *schema;
    const lam_meta_file *metadata; /* the schema in a footer, with its key-values */
    bool has_ended;                /* it is final, with all its rows, and needs no replay */
    uint64_t batches;              /* batches of rows that were read so far; if there are any: */
    uint64_t first_row;            /*   the lowest row of them */
    uint64_t end_row;              /*   and the one after the highest */
    uint64_t first_record;         /* the same for the records of the log */
    uint64_t end_record;
} lam_journal_file_info;

/* A batch of rows, without its columns. */
typedef struct lam_journal_batch {
    const lam_journal_file_info *file; /* borrowed until the reader is closed */
    uint64_t first_row;                /* index in the file */
    uint64_t first_record;             /* index in the log */
    size_t record_count;
} lam_journal_batch;

/* Why the frames of a journal end. */
typedef enum lam_journal_end_kind {
    LAM_JOURNAL_END_NOT_REACHED, /* there may be more */
    LAM_JOURNAL_END_CLEAN,       /* the last frame ends with the file */
    LAM_JOURNAL_END_CUT,         /* the file ends inside a frame, or of the head */
    LAM_JOURNAL_END_DAMAGED,     /* a checksum is wrong, or a size impossible */
    LAM_JOURNAL_END_STALE        /* a frame is from before the journal was cut back */
} lam_journal_end_kind;

typedef struct lam_journal_end {
    lam_journal_end_kind kind;
    uint64_t offset; /* where it ends */
    uint64_t left;   /* bytes from there to the end of the file, which are not believed */
} lam_journal_end;

typedef struct lam_journal_reader lam_journal_reader;

/*
 * Opens a journal. The input is borrowed until close; `allocator` may be NULL. A file without a
 * complete head, or with zeros from some byte of it on, is a journal whose creation was
 * interrupted: it has no frames and ends at offset 0. CORRUPT for other files and for a damaged
 * head, UNSUPPORTED for another version.
 */
lam_status lam_journal_reader_open(const lam_input *input, const lam_allocator *allocator,
                                   lam_journal_reader **ret_reader, lam_error *error);
void lam_journal_reader_close(lam_journal_reader *reader);

/*
 * Reads up to the next batch of rows; `*ret_found` is false at the end of the frames. The first
 * frame that is incomplete, not the next one, or has a wrong checksum ends them, and is no error: a
 * power cut leaves such ends. CORRUPT for a frame whose checksum is right and whose body is not.
 * The memory is that of the largest frame.
 */
lam_status lam_journal_reader_next(lam_journal_reader *reader, lam_journal_batch *ret_batch,
                                   bool *ret_found, lam_error *error);
/*
 * The columns of the batch, one per leaf of its file's schema, checked as lam_triples_check does.
 * They belong to the caller as an array, and their memory is borrowed until the next call. CORRUPT.
 */
lam_status lam_journal_reader_columns(lam_journal_reader *reader, lam_triples **ret_columns,
                                      lam_error *error);

lam_journal_end lam_journal_reader_end(const lam_journal_reader *reader);
/* The files so far, in the order of their frames. NULL when `index` is out of range. */
const lam_journal_file_info *lam_journal_reader_file(const lam_journal_reader *reader,
                                                     size_t index);

#endif
