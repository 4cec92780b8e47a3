/* SPDX-License-Identifier: Apache-2.0 */
/* What conditions skip of a file, as one member of the page's object. */
#ifndef LAMELLA_TOOLS_EXPLAIN_SKIPS_H
#define LAMELLA_TOOLS_EXPLAIN_SKIPS_H

#include "explain_sample.h"

/*
 * Prints ,"skips":{...}: for each condition what the scan concludes from statistics, Bloom filters
 * and page index, row group by row group, and its report. A condition that cannot be read is
 * printed with its error.
 */
void explain_print_skips(const explain_subject *subject, const explain_sample *sample);

/* A condition that the program chooses, and the rule it was chosen by. */
typedef struct explain_condition {
    char *text;       /* to be freed */
    const char *rule; /* "page", "row_group", "outside", "bloom"; static */
} explain_condition;

enum { EXPLAIN_CHOSEN_MOST = 2 };

/*
 * Chooses conditions that rule rows out, on leaves of the sample. Gives their number; 0 if the
 * file's metadata cannot rule any out.
 */
size_t explain_choose_conditions(const explain_subject *subject, const explain_sample *sample,
                                 explain_condition chosen[EXPLAIN_CHOSEN_MOST]);

#endif
