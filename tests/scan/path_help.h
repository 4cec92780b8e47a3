/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of conditions on parts of VARIANTs share: schemas and filters from text. */
#ifndef LAM_TESTS_PATH_HELP_H
#define LAM_TESTS_PATH_HELP_H

#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <lamella/record.h>

#include "scan/condition/filter_path.h"
#include "support/test_file.h"
#include "variant/variant_help.h"

static inline lam_schema *path_schema(const char *text) {
    return lam_test_parse(text);
}

static inline lam_filter *path_filter(const lam_schema *schema, const char *condition) {
    lam_filter *filter = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(
        lam_filter_parse(schema, condition, strlen(condition), NULL, NULL, &filter, &error),
        LAM_STATUS_OK, "%s: %s", condition, error.message);
    return filter;
}

#endif
