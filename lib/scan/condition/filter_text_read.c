/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads NUL-ended text as a filter of a schema, for other code of the library that has a
 * condition's text.
 *
 * A build without conditions in text has filter_without_text.c in its place.
 */
#include "scan/condition/filter_text_read.h"

#include <lamella/filter_text.h>
#include <string.h>

lam_status lam_filter_text_read(const lam_schema *schema, const char *text,
                                const lam_allocator *allocator, lam_filter **ret_filter,
                                lam_error *error) {
    return lam_filter_parse(schema, text, strlen(text), NULL, allocator, ret_filter, error);
}
