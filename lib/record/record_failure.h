/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The failure that a sink keeps until the end of its record (record.h has the contract). Every sink
 * of the library that outlives a verb has one of these, and its verbs work in the same way:
 *
 *     begin   lam_record_failure_clear, then its own work
 *     others  LAM_TRY(lam_record_failure_status(..)), then its own work
 *     end     its own work, unless a failure is kept; then lam_record_failure_end
 *     fail    drops the record, then lam_record_failure_take
 *
 * The functions that a verb calls write their error into the kept one, so that it is not lost when
 * the caller's is NULL; lam_record_failure_keep copies it out. The cost is one test in each verb.
 *
 * Sinks that only an assembler drives need none: the assembler stops at the first failure.
 */
#ifndef LAM_RECORD_RECORD_FAILURE_H
#define LAM_RECORD_RECORD_FAILURE_H

#include <lamella/record.h>

#include "base/error.h"

typedef struct lam_record_failure {
    lam_status status; /* OK while none is kept */
    lam_error error;
} lam_record_failure;

/* OK, or the status of the failure that is kept: every verb but begin starts with this. */
static inline lam_status lam_record_failure_status(const lam_record_failure *failure) {
    return failure->status;
}

static inline void lam_record_failure_init(lam_record_failure *failure) {
    failure->status = LAM_STATUS_OK;
    failure->error = lam_error_none();
}

/*
 * Forgets the failure of the record before. Without one it costs a test, not 512 bytes of stores.
 */
static inline void lam_record_failure_clear(lam_record_failure *failure) {
    if (failure->status != LAM_STATUS_OK)
        lam_record_failure_init(failure);
}

/*
 * Keeps the failure of a verb and copies it to the caller. The verb wrote it into `failure->error`,
 * unless it comes from a sink after this one that wrote nothing. Returns `status`.
 */
lam_status lam_record_failure_keep(lam_record_failure *failure, lam_status status,
                                   lam_error *error);

/* Keeps a failure that a driver hands over, unless one is kept already; returns the kept one. */
lam_status lam_record_failure_take(lam_record_failure *failure, const lam_error *given,
                                   lam_error *error);

/* Ends a record that failed: copies the failure to the caller and forgets it. */
lam_status lam_record_failure_end(lam_record_failure *failure, lam_error *error);

/*
 * For sinks in the middle: hands a failure to the next sink, so that its record is dropped, too,
 * and later ends that record. A sink without `fail` drops it at its next begin.
 */
void lam_record_sink_fail(const lam_record_sink *sink, const lam_error *failure);
void lam_record_sink_end_failed(const lam_record_sink *sink);

/* The sink to return for a NULL that an earlier failure left: every verb is INVALID. */
lam_record_sink lam_record_sink_of_nobody(void);

#endif
