/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the parser of conditions in a build without it (-Dfilter_text=disabled): calls with a
 * text are refused.
 *
 * Filters are built by calls there, and scans are otherwise the same.
 */
#include "base/error.h"
#include "scan/condition/filter_text_read.h"

lam_status lam_filter_text_read(const lam_schema *schema, const char *text,
                                const lam_allocator *allocator, lam_filter **ret_filter,
                                lam_error *error) {
    (void)schema;
    (void)allocator;
    (void)ret_filter;
    LAM_FAIL(error, LAM_STATUS_UNSUPPORTED,
             "the condition \"%s\" needs a Lamella built with -Dfilter_text=enabled", text);
}
