/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions in text that calls of other parts are given. */
#ifndef LAM_SCAN_CONDITION_FILTER_TEXT_READ_H
#define LAM_SCAN_CONDITION_FILTER_TEXT_READ_H

#include <lamella/filter.h>

/* As lam_filter_parse with its default options. UNSUPPORTED in a build without filter_text. */
lam_status lam_filter_text_read(const lam_schema *schema, const char *text,
                                const lam_allocator *allocator, lam_filter **ret_filter,
                                lam_error *error);

#endif
