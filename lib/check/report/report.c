/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports findings, all through one function, checker_report: takes a finding of a walker, counts
 * it, and calls the caller back.
 *
 * Each finding is always counted once, by its severity, and its message is one line of printable
 * UTF-8, whatever the file holds.
 */
#include "check/report/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "schema/text.h"

/* Counts by the severity of the finding, which may be less than that of its rule. */
static void count_finding(lam_checker *checker, lam_severity severity) {
    if (severity == LAM_SEVERITY_ERROR)
        checker->totals.errors++;
    else if (severity == LAM_SEVERITY_WARNING)
        checker->totals.warnings++;
    else
        checker->totals.notes++;
}

/*
 * Whether a breach of the rule means that something was left unchecked. Users who want a complete
 * check (--strict) must know, although the file has no fault.
 */
static bool passes_over(lam_rule rule) {
    return rule == LAM_RULE_LIMIT || rule == LAM_RULE_UNSUPPORTED || rule == LAM_RULE_ENCRYPTED ||
           rule == LAM_RULE_EXTERNAL_FILE || rule == LAM_RULE_PAGE_TYPE ||
           rule == LAM_RULE_SORTING_UNVERIFIED || rule == LAM_RULE_UNCHECKED;
}

/*
 * The one way out for findings. The path is added when the location names a column of the schema;
 * before the schema is read it has no path.
 */
static lam_status checker_report(lam_checker *checker, lam_rule rule, lam_severity severity,
                                 lam_check_location location, const char *message) {
    char path[256];
    lam_finding finding = {lam_rule_of(rule), location.row_group,
                           location.column,   location.row,
                           location.offset,   NULL,
                           message,           severity};
    if (checker->schema != NULL && location.column >= 0) {
        /* Names come from the file: they may be long and need not be text. */
        lam_field_path(lam_leaf_at(checker->schema, (size_t)location.column), path, sizeof path);
        lam_error_make_line(path, sizeof path);
        finding.path = path;
    }
    count_finding(checker, severity);
    checker->totals.passed_over += passes_over(rule);
    if (checker->found == NULL)
        return LAM_STATUS_OK;
    return checker->found(checker->state, &finding, checker->error);
}

/* Reports with the severity of the rule itself. */
static lam_status report_whole(lam_checker *checker, lam_rule rule, lam_check_location location,
                               const char *message) {
    return checker_report(checker, rule, lam_rule_of(rule)->severity, location, message);
}

lam_status lam_check_report(lam_checker *checker, lam_rule rule, lam_check_location location,
                            const char *format, ...) {
    /*
     * A longer message is cut by vsnprintf, possibly in the middle of a character:
     * lam_error_make_line drops the remains of that.
     */
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    /* unreachable: the formats are those of this library */
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = '\0';
    va_end(arguments);
    lam_error_make_line(message, sizeof message);
    return report_whole(checker, rule, location, message);
}

lam_status lam_check_warn(lam_checker *checker, lam_rule rule, lam_check_location location,
                          const char *message) {
    return checker_report(checker, rule, LAM_SEVERITY_WARNING, location, message);
}

lam_status lam_check_report_failure(lam_checker *checker, lam_rule rule,
                                    lam_check_location location, lam_status status,
                                    const lam_error *failure) {
    /* The failure may know the byte where the caller does not. */
    if (location.offset < 0)
        location.offset = failure->offset;
    switch (status) {
    case LAM_STATUS_OK:
        return LAM_STATUS_OK;
    case LAM_STATUS_CORRUPT:
    case LAM_STATUS_INVALID:
        return report_whole(checker, rule, location, failure->message);
    case LAM_STATUS_UNSUPPORTED:
        return report_whole(checker, LAM_RULE_UNSUPPORTED, location, failure->message);
    case LAM_STATUS_LIMIT:
        return report_whole(checker, LAM_RULE_LIMIT, location, failure->message);
    /* Out of memory, a failed read, a stop: the check ends with the failure as its own. */
    default:
        if (checker->error != NULL)
            *checker->error = *failure;
        return status;
    }
}
