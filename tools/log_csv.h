/* SPDX-License-Identifier: Apache-2.0 */
/* Records of delimited text into a log. */
#ifndef LAMELLA_TOOLS_LOG_CSV_H
#define LAMELLA_TOOLS_LOG_CSV_H

#include "log_feed.h"

/*
 * Finds the format of a text, from its first line, or two if the first is not clear; the bytes read
 * are still to be given. `csv` says what divides a line. INVALID for a Parquet file.
 */
lam_status log_csv_recognize(log_text *text, const lam_csv_options *csv, bool *ret_csv,
                             lam_error *error);

/*
 * Infers the schema from the first records of the text, and sets the delimiter if it is 0. NULL
 * when there are none, until the text ends.
 */
lam_status log_csv_schema(log_text *text, lam_csv_options *csv, lam_schema **ret_schema,
                          lam_error *error);

/* As log_feed_run, for delimited text; the options are those of the feed. */
lam_status log_csv_run(log_feed *feed, bool *ret_text, lam_error *error);

#endif
