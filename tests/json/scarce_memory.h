/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is only just enough, or not: each request fails in turn, or a budget ends. Near the
 * end of a budget buffers grow by what is needed, so that each append may be the one that is
 * refused; an allocator that fails one request meets those at which the capacity doubles.
 */
#ifndef LAM_TESTS_SCARCE_MEMORY_H
#define LAM_TESTS_SCARCE_MEMORY_H

#include <criterion/criterion.h>

#include "base/budget.h"
#include "support/failing_alloc.h"

/* Runs with memory from the allocator, all of which it gives back. */
typedef lam_status scarce_run(void *state, const lam_allocator *allocator, lam_error *error);

/* Runs within a budget: OK, or LIMIT that names the option. Gives the most bytes in use. */
static inline lam_status run_within(scarce_run *run, void *state, size_t most, size_t *ret_peak) {
    lam_failing_alloc counter = {0};
    lam_allocator counted = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_budget budget;
    lam_budget_init(&budget, &counted, most);
    lam_allocator allocator = lam_budget_allocator(&budget);
    lam_status status = run(state, &allocator, &error);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT, "%zu bytes: %d: %s", most,
              (int)status, error.message);
    cr_assert(status == LAM_STATUS_OK || strstr(error.message, "(option memory_limit)") != NULL,
              "%zu bytes: %s", most, error.message);
    cr_assert_eq(lam_budget_used(&budget), 0, "%zu bytes", most);
    cr_assert_eq(counter.live_bytes, 0, "%zu bytes", most);
    cr_assert_eq(counter.wrong_sizes, 0, "%zu bytes", most);
    *ret_peak = lam_budget_peak(&budget);
    return status;
}

/* Runs within each budget of the last `span` bytes below what is enough, and with enough. */
static inline void run_within_budgets(scarce_run *run, void *state, size_t span) {
    size_t enough, peak, refused = 0;
    cr_assert_eq(run_within(run, state, 0, &enough), LAM_STATUS_OK);
    size_t least = enough > span ? enough - span : 1;
    for (size_t most = least; most < enough; most++)
        refused += run_within(run, state, most, &peak) != LAM_STATUS_OK;
    cr_assert_gt(refused, 0);
    cr_assert_eq(run_within(run, state, enough, &peak), LAM_STATUS_OK);
}

/* Runs with all requests but one: OK, where a smaller one does, or NOMEM. Gives their number. */
static inline lam_status run_without(scarce_run *run, void *state, size_t request,
                                     size_t *ret_requests) {
    lam_failing_alloc counter = {.fail_at = request};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_status status = run(state, &allocator, &error);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu: %d: %s", request,
              (int)status, error.message);
    cr_assert_eq(error.status, status, "request %zu", request);
    cr_assert_eq(counter.live_bytes, 0, "request %zu", request);
    cr_assert_eq(counter.wrong_sizes, 0, "request %zu", request);
    *ret_requests = counter.requests;
    return status;
}

/* Runs without each of the last `count` requests in turn. */
static inline void run_without_each(scarce_run *run, void *state, size_t count) {
    size_t requests, others, failed = 0;
    cr_assert_eq(run_without(run, state, 0, &requests), LAM_STATUS_OK);
    for (size_t i = requests > count ? requests - count + 1 : 1; i <= requests; i++)
        failed += run_without(run, state, i, &others) != LAM_STATUS_OK;
    cr_assert_gt(failed, 0);
}

#endif
