/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of several files that are united one after the other, and what is said of them. */
#include <criterion/criterion.h>
#include <lamella/dataset.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"

typedef struct union_trial {
    lam_union *all;
    lam_error error;
} union_trial;

static union_trial begin_union(lam_clash on_clash) {
    union_trial trial = {NULL, lam_error_none()};
    lam_union_options options = lam_union_options_default();
    options.on_clash = on_clash;
    cr_assert_eq(lam_union_create(&options, NULL, &trial.all, NULL), LAM_STATUS_OK);
    return trial;
}

static lam_status add_text(union_trial *trial, const char *name, const char *fields) {
    char text[600];
    snprintf(text, sizeof text, "message m { %s }", fields);
    lam_schema *schema = lam_test_schema(text);
    trial->error = lam_error_none();
    lam_status status = lam_union_add(trial->all, schema, name, &trial->error);
    lam_schema_destroy(schema);
    return status;
}

static void expect_all(const union_trial *trial, const char *fields) {
    char text[600];
    snprintf(text, sizeof text, "message m { %s }", fields);
    lam_schema *schema = lam_test_schema(text);
    cr_expect(lam_schema_equals(lam_union_schema(trial->all), schema), "%s", fields);
    lam_schema_destroy(schema);
}

static lam_union_notice notice_of(const union_trial *trial, size_t index) {
    lam_union_notice notice = lam_union_notice_default();
    cr_assert_eq(lam_union_notice_at(trial->all, index, &notice, NULL), LAM_STATUS_OK);
    return notice;
}

Test(union, files_are_united_in_their_order) {
    union_trial trial = begin_union(LAM_CLASH_VARIANT);
    cr_assert_null(lam_union_schema(trial.all));
    cr_assert_eq(add_text(&trial, "a", "required int32 a; required int32 b;"), LAM_STATUS_OK);
    cr_assert_eq(add_text(&trial, "b", "required int64 b; required int32 a;"), LAM_STATUS_OK);
    expect_all(&trial, "required int32 a; required int64 b;");
    cr_assert_eq(add_text(&trial, "c", "required double a; required int32 c;"), LAM_STATUS_OK);
    expect_all(&trial, "required double a; optional int64 b; optional int32 c;");
    cr_assert_eq(lam_union_notice_count(trial.all), 0);
    lam_union_destroy(trial.all);
}

Test(union, a_notice_names_the_file_that_brought_a_type) {
    union_trial trial = begin_union(LAM_CLASH_STRING);
    cr_assert_eq(add_text(&trial, "a", "optional int32 v (UNKNOWN); required int32 w;"), 0);
    cr_assert_eq(add_text(&trial, "b", "required int32 w;"), 0);
    cr_assert_eq(add_text(&trial, "c", "optional group v { required int32 x; } required int32 w;"),
                 0);
    cr_assert_eq(add_text(&trial, "d", "required fixed(16) v (UUID); required int32 w;"), 0);
    cr_assert_eq(add_text(&trial, "e", "required boolean v; required int32 w;"), 0);
    cr_assert_eq(lam_union_notice_count(trial.all), 2);
    lam_union_notice first = notice_of(&trial, 0), second = notice_of(&trial, 1);
    cr_expect_eq(first.kind, LAM_UNION_NOTICE_CLASH);
    cr_expect_eq(first.became, LAM_CLASH_STRING);
    cr_expect_str_eq(first.path, "v");
    cr_expect_str_eq(first.types[0], "group");
    cr_expect_str_eq(first.names[0], "c");
    cr_expect_str_eq(first.types[1], "fixed_len_byte_array(16) (UUID)");
    cr_expect_str_eq(first.names[1], "d");
    cr_expect_str_eq(second.names[1], "e");
    cr_expect_eq(lam_union_notice_at(trial.all, 2, &first, NULL), LAM_STATUS_INVALID);
    lam_union_destroy(trial.all);
}

Test(union, a_file_without_a_field_of_the_others_is_noted) {
    union_trial trial = begin_union(LAM_CLASH_VARIANT);
    cr_assert_eq(add_text(&trial, "a", "required int32 a; required int32 b;"), LAM_STATUS_OK);
    cr_assert_eq(add_text(&trial, "b", "required int32 c;"), LAM_STATUS_OK);
    cr_assert_eq(add_text(&trial, "c", "required int32 b;"), LAM_STATUS_OK);
    cr_assert_eq(lam_union_notice_count(trial.all), 1);
    lam_union_notice notice = notice_of(&trial, 0);
    cr_expect_eq(notice.kind, LAM_UNION_NOTICE_UNRELATED);
    cr_expect_null(notice.path);
    cr_expect_str_eq(notice.names[0], "a");
    cr_expect_str_eq(notice.names[1], "b");
    lam_union_destroy(trial.all);
}

Test(union, a_clash_that_is_an_error_names_both_files_and_changes_nothing) {
    union_trial trial = begin_union(LAM_CLASH_ERROR);
    cr_assert_eq(add_text(&trial, "a", "required int32 a;"), LAM_STATUS_OK);
    cr_assert_eq(add_text(&trial, "b", "required int64 a; required int32 b;"), LAM_STATUS_OK);
    cr_assert_eq(add_text(&trial, "c", "required int32 a; required boolean b; required int32 c;"),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(trial.error.message,
                     "field 'b' is required int32 in b and required boolean in c");
    expect_all(&trial, "required int64 a; optional int32 b;");
    lam_union_destroy(trial.all);
}

Test(union, wrong_arguments_are_invalid) {
    union_trial trial = begin_union(LAM_CLASH_VARIANT);
    lam_union_options options = lam_union_options_default();
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_union *all;
    options.on_clash = (lam_clash)7;
    cr_expect_eq(lam_union_create(&options, NULL, &all, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_union_add(trial.all, NULL, "a", NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_union_add(NULL, schema, "a", NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_union_add(trial.all, schema, NULL, NULL), LAM_STATUS_INVALID);
    cr_expect_null(lam_union_schema(NULL));
    cr_expect_eq(lam_union_notice_count(NULL), 0);
    lam_union_destroy(NULL);
    lam_schema_destroy(schema);
    lam_union_destroy(trial.all);
}

/* The types of each third file clash with those of the file before, or it has no common field. */
Test(union, every_allocation_may_fail) {
    static const char *const texts[] = {"message m { required int32 a; }",
                                        "message m { required boolean a; required int32 b; }",
                                        "message m { required int32 c; }"};
    lam_schema *schemas[3];
    for (size_t i = 0; i < 3; i++)
        schemas[i] = lam_test_schema(texts[i]);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_union *all = NULL;
        status = lam_union_create(NULL, &allocator, &all, NULL);
        for (size_t i = 0; i < 3 && status == LAM_STATUS_OK; i++)
            status = lam_union_add(all, schemas[i], "name", NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu", nth);
        lam_union_destroy(all);
        cr_assert_eq(failing.live_bytes, 0, "request %zu", nth);
    }
    for (size_t i = 0; i < 3; i++)
        lam_schema_destroy(schemas[i]);
}
