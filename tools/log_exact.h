/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns of a log have integers that no double keeps. */
#ifndef LAMELLA_TOOLS_LOG_EXACT_H
#define LAMELLA_TOOLS_LOG_EXACT_H

#include <lamella/record.h>

typedef struct log_exact {
    lam_record_sink to;
    bool *is_noted; /* by field of the schema that is written now */
    char **paths;   /* of columns that have such an integer */
    size_t path_count;
} log_exact;

/*
 * Starts to note the values that go to a sink of a schema, which has the columns of the one before,
 * and keeps the notes about these.
 */
void log_exact_start(log_exact *exact, const lam_schema *schema, lam_record_sink to);
void log_exact_free(log_exact *exact);

/* Notes all values, and hands them on. */
lam_record_sink log_exact_sink(log_exact *exact);
/* False if a column with such integers would be one of doubles. */
bool log_exact_allows(const log_exact *exact, const lam_schema *wider);

#endif
