/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios of public calls in which memory fails. A scenario is a function that makes calls by
 * CALL until one fails, and destroys all that it made. It gets its memory from the trial, and files
 * that were made before from the sample.
 */
#ifndef LAM_TESTS_CALL_TRIAL_H
#define LAM_TESTS_CALL_TRIAL_H

#include <lamella/lamella.h>
#include <lamella/log.h>

#include "support/failing_alloc.h"
#include "support/model_disk.h"

typedef struct call_trial {
    lam_failing_alloc counter;
    lam_allocator allocator;
    lam_error error; /* of the last call */
    lam_status status;
    const lam_schema *schema; /* of CALL_SCHEMA */
    lam_bytes file;           /* with CALL_ROWS rows of it */
    const char *path;         /* of a file with the same bytes */
    const char *target;       /* of one that a scenario may write */
    lam_model_disk *disk;
} call_trial;

#define CALL_SCHEMA                                                                                \
    "message m { required int64 id; optional binary name (STRING); optional double real; "         \
    "optional group tags (LIST) { repeated group list { optional int32 element; } } "              \
    "optional group v (VARIANT(1)) { required binary metadata; required binary value; } }"
enum { CALL_ROWS = 20 };

/* Notes that a public function was called, and keeps its failure. */
lam_status call_note(call_trial *trial, const char *function, lam_status status);

/* Calls a function with the arguments before its error; goes to `out` when it fails. */
#define CALL(function, ...)                                                                        \
    do {                                                                                           \
        if (call_note(trial, #function, function(__VA_ARGS__, &trial->error)) != LAM_STATUS_OK)    \
            goto out;                                                                              \
    } while (0)

typedef void call_scenario(call_trial *trial);

/* Writes CALL_ROWS rows into the sink. */
void call_put_rows(call_trial *trial, const lam_record_sink *sink);

/* Values and schemas, in call_values.c. */
call_scenario call_schemas, call_filters, call_variant_filters, call_variants,
    call_memory_of_records;
/* Files, in call_files.c. */
call_scenario call_writing, call_copying, call_reading, call_details, call_scans, call_outputs,
    call_maps, call_rewriting, call_salvage;
/* Records as text, and logs, in call_records.c. */
call_scenario call_json, call_log, call_log_columns;

#endif
