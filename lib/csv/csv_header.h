/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the columns of delimited text. */
#ifndef LAM_CSV_CSV_HEADER_H
#define LAM_CSV_CSV_HEADER_H

#include "base/arena.h"
#include "csv/csv_split.h"

typedef struct lam_csv_header {
    size_t count;
    char **names; /* in the arena, each once */
} lam_csv_header;

/* INVALID for an option that is out of range; LAM_SWITCH_DEFAULT is ON. */
lam_status lam_csv_options_check(const lam_csv_options *given, lam_csv_options *ret_options,
                                 lam_error *error);

/*
 * Takes the names from the first record, or, without a header, counts its fields and leaves it to
 * be read. A name that is empty becomes column1 and so on, from its position; a name that occurred
 * before gets _1 and so on after it. A text without any record has no columns. INVALID for names
 * that are not UTF-8 or hold U+0000.
 */
lam_status lam_csv_header_read(lam_csv_splitter *splitter, bool has_header, lam_arena *arena,
                               lam_csv_header *ret_header, lam_error *error);

#endif
