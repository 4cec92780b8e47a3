/* SPDX-License-Identifier: Apache-2.0 */
/* Which schema may follow another one in a log: one that every record of the first fits. */
#include "log/queue/wider_schema.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/test_file.h"

static const struct {
    const char *present;
    const char *wider;
    const char *message; /* a part of it; NULL: it may follow */
} wider_cases[] = {
    {"required int32 a;", "required int32 a;", NULL},
    {"required int32 a;", "optional int32 a;", NULL},
    {"required int32 a;", "required int32 a; optional int32 b;", NULL},
    {"required int32 a; optional int32 b;", "optional int32 b; required int32 a;", NULL},
    {"required int32 a;", "required int64 a;", NULL},
    {"required int32 a;", "optional int32 b;", "lacks a field"},
    {"optional int32 a;", "required int32 a;", "changes a field"},
    {"required int64 a;", "required int32 a;", "changes a field"},
    {"required int32 a;", "required int32 a; required int32 b;", "changes a field"},
    {"required binary a (STRING);", "required int32 a;", "changes a field"},
    {"optional group g { required int32 a; }", "optional group g { required int32 a; }", NULL},
    {"optional group g { required int32 a; }",
     "optional group g { required int32 a; optional int32 b; }", NULL},
    {"optional group g { required int32 a; optional int32 b; }",
     "optional group g { required int32 a; }", "lacks a field"},
};

Test(wider_schema, each_record_of_the_present_one_is_one_of_the_wider_one) {
    for (size_t i = 0; i < sizeof wider_cases / sizeof *wider_cases; i++) {
        const char *expected = wider_cases[i].message;
        lam_schema *present = lam_test_schema(wider_cases[i].present);
        lam_schema *wider = lam_test_schema(wider_cases[i].wider);
        lam_error error = lam_error_none();
        const lam_status status = lam_log_schema_check_wider(present, wider, NULL, &error);
        cr_expect_eq(status, expected == NULL ? LAM_STATUS_OK : LAM_STATUS_INVALID, "%s -> %s: %s",
                     wider_cases[i].present, wider_cases[i].wider, error.message);
        if (expected != NULL)
            cr_expect_not_null(strstr(error.message, expected), "%s -> %s: %s",
                               wider_cases[i].present, wider_cases[i].wider, error.message);
        lam_schema_destroy(present);
        lam_schema_destroy(wider);
    }
}
