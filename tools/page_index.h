/* SPDX-License-Identifier: Apache-2.0 */
/* The page index of one column chunk, as "lamella pages --index" prints it. */
#ifndef LAMELLA_TOOLS_PAGE_INDEX_H
#define LAMELLA_TOOLS_PAGE_INDEX_H

#include <lamella/lamella.h>

/* Prints a heading and a line per page, or one JSON object per page. */
lam_status page_index_print(const lam_reader *reader, size_t row_group, const lam_field *leaf,
                            bool json, lam_error *error);

#endif
