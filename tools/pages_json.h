/* SPDX-License-Identifier: Apache-2.0 */
/* A page header as one line of JSON, for `pages --json` and the page of `explain`. */
#ifndef LAMELLA_TOOLS_PAGES_JSON_H
#define LAMELLA_TOOLS_PAGES_JSON_H

#include <lamella/reader.h>

void pages_print_json(size_t row_group, const lam_field *leaf, const lam_page_info *page);

#endif
