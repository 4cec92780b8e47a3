/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of conditions on parts of VARIANTs share: filters from text, and records told as
 * words. */
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

/* --- Records as words ------------------------------------------------------------------------- */

static inline lam_value path_number(const lam_field *leaf, const char *digits) {
    lam_value value = {0};
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_DOUBLE)
        value.float64 = strtod(digits, NULL);
    else if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT32)
        value.int32 = (int32_t)strtol(digits, NULL, 10);
    else
        value.int64 = strtoll(digits, NULL, 10);
    return value;
}

/*
 * Tells a record: `(name` opens a group, `)` closes it, `name=00FF` puts bytes and `name:12` a
 * number. The first failure ends it.
 */
static inline lam_status path_tell(const lam_schema *schema, const char *words,
                                   const lam_record_sink *sink, lam_error *error) {
    const lam_field *open[32] = {lam_schema_root(schema)};
    size_t depth = 0;
    lam_status status = sink->begin(sink->state, error);
    while (status == LAM_STATUS_OK && *words != '\0') {
        size_t size = strcspn(words, " ");
        size_t start = words[0] == '(', name = strcspn(words + start, " =:)");
        const lam_field *field = lam_field_child_named(open[depth], words + start, name);
        if (words[0] == ')') {
            status = sink->close(sink->state, open[depth--], error);
        } else if (words[0] == '(') {
            cr_assert_not_null(field, "%s", words);
            open[++depth] = field;
            status = sink->open(sink->state, field, error);
        } else if (words[name] == ':') {
            cr_assert_not_null(field, "%s", words);
            status = sink->put(sink->state, field, path_number(field, words + name + 1), error);
        } else {
            char digits[1024];
            cr_assert_not_null(field, "%s", words);
            snprintf(digits, sizeof digits, "%.*s", (int)(size - name - 1), words + name + 1);
            lam_bytes bytes = hex_bytes(digits);
            status = sink->put(sink->state, field, (lam_value){.bytes = bytes}, error);
            free((void *)(uintptr_t)bytes.data);
        }
        words += size + strspn(words + size, " ");
    }
    return status == LAM_STATUS_OK ? sink->end(sink->state, error) : status;
}

#endif
