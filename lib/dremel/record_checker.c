/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets only valid records through, as a sink in the middle: passes the events of any driver on to
 * `next`, while they follow the grammar (grammar.h), the elements of a repeated field come without
 * another field between them, and each value obeys its logical type (value_rules.c).
 *
 * An event is checked before it is passed on, so `next` never receives an invalid one. After a
 * failure no event passes until the next begin, but `next` learns of it by its verb `fail`.
 */
#include <lamella/dremel.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"
#include "record/record_failure.h"
#include "record/value_rules.h"
#include "schema/tree.h"

struct lam_record_checker {
    lam_allocator allocator;
    lam_grammar grammar;
    lam_record_sink next; /* copied; verbs may be NULL */
    lam_record_failure failure;
};

/* Keeps a failure, of the checker or of `next`, and drops the record in both. Passes OK through. */
static lam_status record_checker_keep_failure(lam_record_checker *checker, lam_status status,
                                              lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    lam_grammar_drop(&checker->grammar);
    (void)lam_record_failure_keep(&checker->failure, status, error);
    lam_record_sink_fail(&checker->next, &checker->failure.error);
    return status;
}

/*
 * Refuses Name, DocId, Name: columns would hold both elements of Name as if they were together, so
 * the record would not come back as it was given.
 */
static lam_status check_together(const lam_grammar *grammar, const lam_field *field,
                                 lam_error *error) {
    if (lam_grammar_is_apart(grammar, field))
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_REPEATED, field,
                              "its elements are separated by %s", grammar->top->last->name);
    return LAM_STATUS_OK;
}

/* Closes the open group if it is the one named and no required field is missing. */
static lam_status check_complete(lam_grammar *grammar, const lam_field *group, lam_error *error) {
    LAM_TRY(lam_grammar_check_close(grammar, group, error));
    const lam_field *unseen;
    for (size_t ordinal = 0; (unseen = lam_grammar_next_unseen(grammar, &ordinal)) != NULL;)
        if (lam_grammar_demands(unseen))
            return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, unseen,
                                  "required, but missing");
    lam_grammar_pop(grammar);
    return LAM_STATUS_OK;
}

static lam_status check_begin(void *state, lam_error *error) {
    lam_record_checker *checker = state;
    lam_record_failure_clear(&checker->failure);
    lam_grammar_begin(&checker->grammar);
    if (checker->next.begin == NULL)
        return LAM_STATUS_OK;
    return record_checker_keep_failure(
        checker, checker->next.begin(checker->next.state, &checker->failure.error), error);
}

static lam_status check_open(void *state, const lam_field *group, lam_error *error) {
    lam_record_checker *checker = state;
    lam_error *kept = &checker->failure.error;
    LAM_TRY(lam_record_failure_status(&checker->failure));
    lam_status status = check_together(&checker->grammar, group, kept);
    if (status == LAM_STATUS_OK)
        status = lam_grammar_open(&checker->grammar, group, kept);
    if (status == LAM_STATUS_OK && checker->next.open != NULL)
        status = checker->next.open(checker->next.state, group, kept);
    return record_checker_keep_failure(checker, status, error);
}

static lam_status check_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_record_checker *checker = state;
    lam_error *kept = &checker->failure.error;
    uint8_t repetition;
    LAM_TRY(lam_record_failure_status(&checker->failure));
    lam_status status = check_together(&checker->grammar, leaf, kept);
    if (status == LAM_STATUS_OK)
        status = lam_grammar_admit(&checker->grammar, leaf, true, &repetition, kept);
    if (status == LAM_STATUS_OK)
        status = lam_value_check(leaf, &value, kept);
    if (status == LAM_STATUS_OK && checker->next.put != NULL)
        status = checker->next.put(checker->next.state, leaf, value, kept);
    return record_checker_keep_failure(checker, status, error);
}

static lam_status check_close(void *state, const lam_field *group, lam_error *error) {
    lam_record_checker *checker = state;
    lam_error *kept = &checker->failure.error;
    LAM_TRY(lam_record_failure_status(&checker->failure));
    lam_status status = group == checker->grammar.schema->fields
                            ? lam_grammar_refuse_close(&checker->grammar, group, kept)
                            : check_complete(&checker->grammar, group, kept);
    if (status == LAM_STATUS_OK && checker->next.close != NULL)
        status = checker->next.close(checker->next.state, group, kept);
    return record_checker_keep_failure(checker, status, error);
}

/* As the record is incomplete until here, a missing field of the root is found only now. */
static lam_status check_end(void *state, lam_error *error) {
    lam_record_checker *checker = state;
    lam_error *kept = &checker->failure.error;
    lam_status status = lam_record_failure_status(&checker->failure);
    if (status == LAM_STATUS_OK)
        status = record_checker_keep_failure(
            checker, check_complete(&checker->grammar, checker->grammar.schema->fields, kept),
            NULL);
    if (status != LAM_STATUS_OK)
        lam_record_sink_end_failed(&checker->next);
    else if (checker->next.end != NULL)
        status = checker->next.end(checker->next.state, kept);
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    (void)lam_record_failure_keep(&checker->failure, status, NULL);
    return lam_record_failure_end(&checker->failure, error);
}

static lam_status check_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_record_checker *checker = state;
    lam_grammar_drop(&checker->grammar);
    lam_status status = lam_record_failure_take(&checker->failure, failure, error);
    lam_record_sink_fail(&checker->next, &checker->failure.error);
    return status;
}

lam_status lam_record_checker_create(const lam_schema *schema, const lam_record_sink *next,
                                     const lam_allocator *allocator,
                                     lam_record_checker **ret_checker, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    LAM_TRY(lam_schema_require(schema, error));
    lam_record_checker *checker;
    LAM_TRY(LAM_NEW(&own, &checker, error));
    checker->allocator = own;
    checker->next = *next;
    lam_record_failure_init(&checker->failure);
    lam_status status = lam_grammar_init(&checker->grammar, schema, &own, error);
    if (status != LAM_STATUS_OK) {
        lam_record_checker_destroy(checker);
        return status;
    }
    *ret_checker = checker;
    return LAM_STATUS_OK;
}

lam_record_sink lam_record_checker_sink(lam_record_checker *checker) {
    lam_record_sink sink = {checker,     check_begin, check_open, check_put,
                            check_close, check_end,   check_fail};
    return sink;
}

void lam_record_checker_destroy(lam_record_checker *checker) {
    if (checker == NULL)
        return;
    lam_allocator allocator = checker->allocator;
    lam_grammar_finish(&checker->grammar);
    lam_free(&allocator, checker, sizeof *checker);
}
