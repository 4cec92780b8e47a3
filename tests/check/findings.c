/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects what a check finds as lines of text, and refuses a finding or stops at one where a test
 * asks for that.
 */
#include "check/findings.h"

#include <criterion/criterion.h>
#include <lamella/stop.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "support/failing_alloc.h"

enum { MANY_FINDINGS = 16 }; /* of more than these, some */

/* Names and bytes come from the file and may hold anything; a line of them is a line. */
static void expect_line(const char *text) {
    size_t length = strlen(text);
    cr_assert_eq(lam_utf8_prefix((const uint8_t *)text, length), length, "not UTF-8: '%s'", text);
    for (const char *at = text; *at != '\0'; at++)
        cr_assert((unsigned char)*at >= ' ' && *at != 0x7F, "a control: '%s'", text);
}

static lam_status collect(void *state, const lam_finding *finding, lam_error *error) {
    lam_test_findings *findings = state;
    char padded[sizeof findings->rules + 2], wanted[80];
    (void)error;
    cr_assert_not_null(finding->rule);
    cr_assert_gt(strlen(finding->message), 0, "%s", finding->rule->id);
    expect_line(finding->message);
    if (finding->path != NULL)
        expect_line(finding->path);
    snprintf(findings->last, sizeof findings->last, "%s: %s", finding->rule->id, finding->message);
    if (findings->count++ == 0) {
        snprintf(findings->first, sizeof findings->first, "%s: %s", finding->rule->id,
                 finding->message);
        findings->first_row = finding->row;
        findings->first_column = finding->column;
    }
    snprintf(padded, sizeof padded, " %s ", findings->rules);
    snprintf(wanted, sizeof wanted, " %s ", finding->rule->id);
    if (strstr(padded, wanted) != NULL)
        return LAM_STATUS_OK;
    size_t used = strlen(findings->rules);
    snprintf(findings->rules + used, sizeof findings->rules - used, "%s%s", used > 0 ? " " : "",
             finding->rule->id);
    return LAM_STATUS_OK;
}

/* Refuses one finding, counted from 1. */
static lam_status refuse(void *state, const lam_finding *finding, lam_error *error) {
    uint64_t *left = state;
    (void)finding;
    if (--*left > 0)
        return LAM_STATUS_OK;
    if (error != NULL)
        error->status = LAM_STATUS_STATE;
    return LAM_STATUS_STATE;
}

/* A check ends with the failure of whom it reports to, at whichever finding that is. */
static void expect_to_end(const lam_input *input, const lam_check_options *options,
                          const lam_failing_alloc *counter, uint64_t count) {
    for (uint64_t n = 1; n <= count; n += 1 + n / MANY_FINDINGS) {
        uint64_t left = n;
        cr_assert_eq(lam_check(input, options, refuse, &left, NULL, NULL), LAM_STATUS_STATE,
                     "finding %llu of %llu", (unsigned long long)n, (unsigned long long)count);
        cr_assert_eq(left, 0);
        cr_assert_eq(counter->live_bytes, 0);
    }
}

/* Asks to stop at one finding, counted from 1. */
typedef struct stop_at {
    lam_stop stop;
    uint64_t left;
} stop_at;

static lam_status ask_to_stop(void *state, const lam_finding *finding, lam_error *error) {
    stop_at *at = state;
    (void)finding, (void)error;
    if (--at->left == 0)
        lam_stop_request(&at->stop);
    return LAM_STATUS_OK;
}

/* A check that is asked to stop at a finding does so, unless nothing but the end is left. */
static void expect_to_stop(const lam_input *input, const lam_check_options *options,
                           const lam_failing_alloc *counter, uint64_t count) {
    for (uint64_t n = 1; n <= count; n += 1 + n / MANY_FINDINGS) {
        stop_at at = {.left = n};
        lam_check_options own = *options;
        own.stop = &at.stop;
        lam_status status = lam_check(input, &own, ask_to_stop, &at, NULL, NULL);
        cr_assert(status == LAM_STATUS_CANCELLED || status == LAM_STATUS_OK, "finding %llu: %d",
                  (unsigned long long)n, (int)status);
        cr_assert_eq(counter->live_bytes, 0);
    }
}

lam_test_findings lam_test_check(const void *bytes, size_t size, const lam_check_options *options) {
    lam_test_findings findings = {.totals = lam_check_totals_default()};
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_check_options own = options != NULL ? *options : lam_check_options_default();
    own.allocator = &allocator;
    lam_input input = lam_input_memory(bytes, size);
    lam_error error = lam_error_none();
    lam_status status = lam_check(&input, &own, collect, &findings, &findings.totals, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    cr_assert_lt(counter.peak_bytes, (size_t)512 << 20);
    cr_assert_eq(findings.count,
                 findings.totals.errors + findings.totals.warnings + findings.totals.notes);
    expect_to_end(&input, &own, &counter, findings.count);
    if (own.stop == NULL)
        expect_to_stop(&input, &own, &counter, findings.count);
    lam_input_close(&input);
    return findings;
}
