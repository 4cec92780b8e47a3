/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of batches of records, in one thread: journal, files, checkpoints, syncs. log.c calls it
 * when records come in, or log_thread.c in a thread of its own.
 */
#ifndef LAM_LOG_FILES_LOG_ENGINE_H
#define LAM_LOG_FILES_LOG_ENGINE_H

#include "log/files/log_writers.h"

typedef struct lam_log_engine {
    lam_log_settings *settings; /* borrowed */
    lam_log_counts *counts;     /* borrowed */
    lam_log_files files;
    lam_journal_writer *journal; /* or NULL */
    lam_buffer journal_path;
    lam_log_generation *generations; /* newest first */
    uint64_t next_record;            /* the number of the record that comes next */
    uint64_t journaled;              /* records before this one were added to the journal, */
    uint64_t journal_kept;           /*   and these are as durable as the policy demands */
    uint64_t last_sync;              /* monotonic */
    uint64_t next_retention;         /* monotonic */
    bool needs_sync;                 /* something was written since */
} lam_log_engine;

/*
 * Makes the journal, if the options ask for one, and takes the first schema. `root` is borrowed.
 * finish is allowed after a failure.
 */
lam_status lam_log_engine_init(lam_log_engine *engine, lam_log_settings *settings,
                               lam_log_counts *counts, const lam_schema *schema, const char *root,
                               bool is_folder, lam_error *error);
/* Leaves the files as a kill would, unless they have ended. */
void lam_log_engine_finish(lam_log_engine *engine);

/* Adds a schema for later batches; those of the older ones keep theirs. */
lam_status lam_log_engine_add_schema(lam_log_engine *engine, const lam_schema *schema,
                                     lam_error *error);

/*
 * Writes a batch of records of a schema, whose triples were checked, with all that follows from it:
 * checkpoints by rows and bytes, rotation. `bytes` are those of levels and values. After a failure
 * only finish is of use.
 */
lam_status lam_log_engine_write(lam_log_engine *engine, const lam_log_generation *generation,
                                const lam_triples *columns, size_t record_count, uint64_t bytes,
                                lam_error *error);

/* Makes the batches since the last commit as durable as the policy demands at once. */
lam_status lam_log_engine_commit(lam_log_engine *engine, lam_error *error);

/* Does what is due; gives the monotonic moment of the next action, UINT64_MAX: none. */
lam_status lam_log_engine_poll(lam_log_engine *engine, uint64_t *ret_due, lam_error *error);

/* Makes all records durable, with a footer at the end of each file. */
lam_status lam_log_engine_checkpoint(lam_log_engine *engine, lam_error *error);

/* Ends all files. */
lam_status lam_log_engine_rotate(lam_log_engine *engine, lam_error *error);

/* The same, and removes the journal. */
lam_status lam_log_engine_end(lam_log_engine *engine, lam_error *error);

#endif
