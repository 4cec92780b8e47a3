/* SPDX-License-Identifier: Apache-2.0 */
/* What a check finds, for tests. */
#ifndef LAM_TESTS_FINDINGS_H
#define LAM_TESTS_FINDINGS_H

#include <lamella/check.h>

typedef struct lam_test_findings {
    char rules[1024]; /* ids in the order told, each once, a space between */
    char first[600];  /* the first finding in words */
    char last[600];
    int64_t first_row;
    int32_t first_column;
    size_t count;
    lam_check_totals totals;
} lam_test_findings;

/* Checks a file in memory; ends the test when the check itself fails, leaks or peaks too high. */
lam_test_findings lam_test_check(const void *bytes, size_t size, const lam_check_options *options);

#endif
