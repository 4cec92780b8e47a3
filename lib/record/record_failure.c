/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the first failure of a record, from the verb that failed to `end`: takes a status, and an
 * error that the verb wrote or did not, and gives the same failure from every later verb of that
 * record, and from `end` with its words.
 *
 * While a failure is kept, `status` is never OK and the error has that status. Keeping needs no
 * memory, so it cannot fail.
 */
#include "record/record_failure.h"

/* A caller's sink may return a status and write no error: then these words replace it. */
lam_status lam_record_failure_keep(lam_record_failure *failure, lam_status status,
                                   lam_error *error) {
    if (failure->error.status != status)
        (void)lam_error_set(&failure->error, status, "the receiver of the record failed");
    failure->status = status;
    if (error != NULL)
        *error = failure->error;
    return status;
}

/* A driver that hands over an error of status OK has failed all the same. */
lam_status lam_record_failure_take(lam_record_failure *failure, const lam_error *given,
                                   lam_error *error) {
    LAM_TRY(lam_record_failure_status(failure));
    failure->error = *given;
    return lam_record_failure_keep(
        failure, given->status == LAM_STATUS_OK ? LAM_STATUS_INVALID : given->status, error);
}

lam_status lam_record_failure_end(lam_record_failure *failure, lam_error *error) {
    lam_status status = failure->status;
    if (error != NULL && status != LAM_STATUS_OK)
        *error = failure->error;
    lam_record_failure_clear(failure);
    return status;
}

/* The next sink gets no room for an error: it would only write this failure again. */
void lam_record_sink_fail(const lam_record_sink *sink, const lam_error *failure) {
    if (sink->fail != NULL)
        (void)sink->fail(sink->state, failure, NULL);
}

void lam_record_sink_end_failed(const lam_record_sink *sink) {
    if (sink->fail != NULL && sink->end != NULL)
        (void)sink->end(sink->state, NULL);
}

/* The verbs of the refusing sink, in the four signatures that lam_record_sink has. */
static lam_status record_failure_refuse(void *state, lam_error *error) {
    (void)state;
    LAM_FAIL(error, LAM_STATUS_INVALID, "no receiver of records (NULL)");
}

static lam_status refuse_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return record_failure_refuse(state, error);
}

static lam_status refuse_value(void *state, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    (void)leaf;
    (void)value;
    return record_failure_refuse(state, error);
}

static lam_status refuse_failure(void *state, const lam_error *failure, lam_error *error) {
    (void)failure;
    return record_failure_refuse(state, error);
}

lam_record_sink lam_record_sink_of_nobody(void) {
    lam_record_sink sink = {NULL,         record_failure_refuse, refuse_group,  refuse_value,
                            refuse_group, record_failure_refuse, refuse_failure};
    return sink;
}
