/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about a column have its path and row group, cut to the room there is. */
#include "schema/leaf_error.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "support/test_file.h"

static lam_schema *parse(const char *text) {
    lam_schema *schema = lam_test_parse(text);
    return schema;
}

Test(leaf_error, a_column_comes_with_its_path) {
    lam_schema *schema =
        parse("message m { required int32 a; optional group b { repeated int32 c; } }");
    lam_error error;
    lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x");
    lam_error_at_leaf(&error, 3, lam_schema_leaf(schema, 1));
    cr_assert_eq(error.row_group, 3);
    cr_assert_eq(error.column, 1);
    cr_assert_str_eq(error.column_path, "b.c");
    lam_schema_destroy(schema);
}

Test(leaf_error, the_first_column_wins) {
    lam_schema *schema = parse("message m { required int32 a; required int32 b; }");
    lam_error error;
    lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x");
    lam_error_of_leaf(&error, lam_schema_leaf(schema, 1));
    lam_error_at_leaf(&error, 0, lam_schema_leaf(schema, 0));
    lam_error_of_leaf(NULL, lam_schema_leaf(schema, 0));
    cr_assert_eq(error.row_group, 0);
    cr_assert_eq(error.column, 1);
    cr_assert_str_eq(error.column_path, "b");
    lam_schema_destroy(schema);
}

/* An error has 31 bits for it. */
Test(leaf_error, a_row_group_of_a_very_large_number_is_not_named) {
    lam_schema *schema = parse("message m { required int32 a; }");
    lam_error error;
    lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x");
    lam_error_at_leaf(&error, (size_t)INT32_MAX + 1, lam_schema_leaf(schema, 0));
    cr_assert_eq(error.row_group, -1);
    cr_assert_eq(error.column, 0);
    lam_error_at_leaf(&error, INT32_MAX, lam_schema_leaf(schema, 0));
    cr_assert_eq(error.row_group, INT32_MAX);
    lam_schema_destroy(schema);
}

/* Around the room of the path: what fits is whole, what does not ends with dots, and no character
 * is torn. */
Test(leaf_error, a_long_path_ends_with_dots) {
    lam_error error;
    for (size_t letters = 100; letters < 160; letters++) {
        for (size_t wide = 0; wide <= 8; wide += 8) {
            char name[200] = "", text[300];
            memset(name, 'n', letters);
            for (size_t i = 0; i < wide; i++)
                strcat(name, "\xE4\xB8\x8A");
            snprintf(text, sizeof text, "message m { required int32 %s; }", name);
            lam_schema *schema = parse(text);
            lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x");
            lam_error_of_leaf(&error, lam_schema_leaf(schema, 0));
            size_t length = strlen(error.column_path);
            if (strlen(name) < sizeof error.column_path) {
                cr_assert_str_eq(error.column_path, name);
            } else {
                cr_assert_geq(length, sizeof error.column_path - 4);
                cr_assert_str_eq(error.column_path + length - 3, "...");
                cr_assert_eq(strncmp(error.column_path, name, length - 3), 0);
                cr_assert_eq(lam_utf8_prefix((uint8_t *)error.column_path, length), length);
            }
            lam_schema_destroy(schema);
        }
    }
}

/* A path that just fits has no room for escapes: question marks then, nothing beyond the room. */
Test(leaf_error, a_path_that_fits_without_escapes_alone_has_question_marks) {
    lam_error error;
    for (size_t letters = 100; letters < sizeof error.column_path - 3; letters++) {
        char name[200] = "", text[400], marked[200];
        memset(name, 'n', letters);
        snprintf(marked, sizeof marked,
                 letters + 8 < sizeof error.column_path ? "\"%s\\u001b\"" : "\"%s?\"", name);
        snprintf(text, sizeof text, "message m { required int32 \"%s\\x1B\"; }", name);
        lam_schema *schema = parse(text);
        lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x");
        lam_error_of_leaf(&error, lam_schema_leaf(schema, 0));
        cr_assert_str_eq(error.column_path, marked);
        cr_assert_str_eq(error.message, "x");
        lam_schema_destroy(schema);
    }
}
