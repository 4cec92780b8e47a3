/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the walkers of a file report what they find, and where.
 *
 * Each walker reports through these functions and gives OK as long as the check can continue. A
 * status other than OK means out of memory, a failed read of the input, a stop, or a status that
 * the callback returned; it ends the whole check. A defect of the file is never a status, always a
 * finding.
 */
#ifndef LAM_CHECK_REPORT_REPORT_H
#define LAM_CHECK_REPORT_REPORT_H

#include "check/report/checker.h"
#include "check/report/rules.h"

/* Where in the file a finding is; -1 in each member that does not apply. */
typedef struct lam_check_location {
    int32_t row_group;
    int32_t column;
    int64_t row; /* in the row group */
    int64_t offset;
} lam_check_location;

static inline lam_check_location lam_check_nowhere(void) {
    const lam_check_location location = {-1, -1, -1, -1};
    return location;
}

/* The same with an offset; no offset when it is beyond int64_t, as hostile footers can state. */
static inline lam_check_location lam_check_at(lam_check_location location, uint64_t offset) {
    location.offset = offset <= INT64_MAX ? (int64_t)offset : -1;
    return location;
}

static inline lam_check_location lam_check_at_row(lam_check_location location, uint64_t row) {
    /* unreachable: rows are counted one by one */
    location.row = row <= INT64_MAX ? (int64_t)row : -1;
    return location;
}

/*
 * Reports a finding with the rule's own severity. The message is cut at 511 bytes and made one line
 * of printable UTF-8. Gives what the callback returns.
 */
lam_status lam_check_report(lam_checker *checker, lam_rule rule, lam_check_location location,
                            const char *format, ...) LAM_PRINTF(4, 5);

/*
 * Reports a breach that does not keep readers from the data, as a warning, whatever the rule's
 * severity.
 */
lam_status lam_check_warn(lam_checker *checker, lam_rule rule, lam_check_location location,
                          const char *message);

/*
 * Turns a failure of the library into a finding: CORRUPT and INVALID into a breach of `rule`,
 * UNSUPPORTED and LIMIT into those rules. OK reports nothing. Other failures (NOMEM, IO, CANCELLED)
 * are not the file's fault and are passed on.
 */
lam_status lam_check_report_failure(lam_checker *checker, lam_rule rule,
                                    lam_check_location location, lam_status status,
                                    const lam_error *failure);

#endif
