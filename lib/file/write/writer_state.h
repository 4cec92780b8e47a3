/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a writer, for the two sources that are the writer: file_writer.c, which takes
 * records and columns, and writer_end.c, which ends row groups and the file. No other source looks
 * inside; file_writer.h is for the other layers.
 */
#ifndef LAM_FILE_WRITE_WRITER_STATE_H
#define LAM_FILE_WRITE_WRITER_STATE_H

#include <lamella/dremel.h>

#include "base/budget.h"
#include "file/write/file_writer.h"
#include "file/write/footer_build.h"
#include "file/write/recovery_record.h"
#include "record/record_failure.h"

/* Appends bytes of an input to the output of a writer: see lam_storage_file. */
typedef lam_status lam_copy_bytes(void *state, const lam_input *input, uint64_t offset,
                                  uint64_t size, lam_error *error);

struct lam_writer {
    lam_allocator beneath; /* of the struct itself */
    lam_allocator allocator;
    lam_budget budget; /* the memory limit; `allocator` draws on it if there is one */
    lam_schema *schema;
    lam_output output;
    lam_task_runner runner;
    uint64_t row_group_bytes; /* encoded bytes that end a row group */
    uint64_t row_group_rows;
    uint64_t bytes_per_check;   /* of triples, between checks of the row group's limits */
    uint64_t bytes_since_check; /* so far */
    size_t rows_per_check;      /* between checks, if no bytes are known in advance */
    size_t rows_since_check;    /* so far */
    uint64_t batch_bytes;       /* of shredded records that are moved at once */
    lam_shredder *shredder;
    lam_record_sink shredder_sink;
    lam_row_group_writer row_group;
    uint64_t offset;      /* bytes written */
    uint64_t index_bytes; /* of page indexes that are kept for the end */
    lam_footer_build footer;
    lam_recovery_header record; /* of the next record, if there are records */
    bool has_records;           /* one after each row group */
    bool has_first_record;      /* the record that has the schema is written */
    lam_copy_bytes *copy;       /* copies pages of other files; NULL: they are written */
    void *copy_state;
    bool in_record;                    /* begun by a verb, not ended yet */
    bool finished;                     /* the footer is written */
    bool failed;                       /* poisoned: only close is of use */
    lam_error failure;                 /* the first one */
    lam_record_failure record_failure; /* of the open record: what its verbs return */
};

/* INVALID for NULL, STATE for a writer that has failed or is finished. */
lam_status lam_writer_check_usable(const lam_writer *writer, lam_error *error);

/* Appends bytes to the output, and moves the offset past them. */
lam_status lam_writer_append(lam_writer *writer, lam_bytes bytes, lam_error *error);
/* Appends a record of one kind to the output. */
lam_status lam_writer_write_record(lam_writer *writer, lam_recovery_kind kind, lam_bytes body,
                                   lam_error *error);
/* Writes the page indexes that are in memory, and states their offsets in the footer. */
lam_status lam_writer_write_indexes(lam_writer *writer, lam_error *error);

/*
 * Writes the row group in memory, if it has rows, and its record, and adds its description to the
 * footer. Poisons nothing itself.
 */
lam_status lam_writer_write_row_group(lam_writer *writer, lam_error *error);

/*
 * Adds the description of a row group whose bytes are written to the footer, and writes its record.
 * The offsets of its page indexes count from those that the writer holds. What the struct points at
 * may be in the footer's `scratch`, which is empty afterwards. Poisons nothing itself.
 */
lam_status lam_writer_add_row_group(lam_writer *writer, const lam_meta_row_group *group,
                                    lam_error *error);

#endif
