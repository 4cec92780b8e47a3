/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the first line of delimited text holds names. */
#ifndef LAM_CSV_CSV_FIRST_H
#define LAM_CSV_CSV_FIRST_H

#include "csv/csv_split.h"

/*
 * Decides about the first record of an open splitter, by the records in its window, and takes
 * none of them. NAMES for a text without any.
 */
lam_status lam_csv_first_decide(const lam_csv_splitter *splitter, const lam_csv_options *options,
                                lam_csv_first_line *ret_line, lam_error *error);

#endif
