/* SPDX-License-Identifier: Apache-2.0 */
/* A scan of the file that a page is about, whose reads are counted as cat --explain counts them. */
#ifndef LAMELLA_TOOLS_EXPLAIN_SCAN_H
#define LAMELLA_TOOLS_EXPLAIN_SCAN_H

#include "explain_document.h"

typedef struct explain_scan {
    const lam_input *input;
    lam_reader *reader; /* its own, so that the footer counts */
    lam_filter *filter;
    uint64_t bytes_read;
} explain_scan;

/* INVALID and NOT_FOUND name the character of the text. The scan must not move until close. */
lam_status explain_scan_open(const explain_subject *subject, const char *where,
                             explain_scan *ret_scan, lam_error *error);

/*
 * Scans all row groups with the watch: the rows that are wanted are read with all columns, or only
 * searched in those of the condition.
 */
lam_status explain_scan_run(explain_scan *scan, bool reads_all, const lam_pruning_watch *watch,
                            lam_scan_report *ret_report, lam_error *error);

/* What metadata alone rule out. */
lam_status explain_scan_prune(const explain_subject *subject, const char *where,
                              lam_scan_report *ret_report, lam_error *error);

void explain_scan_close(explain_scan *scan);

#endif
