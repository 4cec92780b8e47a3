/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path that a column chunk states of itself, against that of its leaf: only the path of another
 * column is refused.
 */
#include "file/read/chunk_path.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "meta/meta_schema.h"
#include "schema/tree.h"

enum { NAMES_MAX = 260 };

/* Names with bars between them; "" is one empty name, NULL none. */
static lam_meta_bytes_list path_of(const char *text, lam_bytes *names) {
    lam_meta_bytes_list path = {names, 0};
    while (text != NULL) {
        size_t size = strcspn(text, "|");
        names[path.count++] = (lam_bytes){(const uint8_t *)text, size};
        text = text[size] == '|' ? text + size + 1 : NULL;
    }
    return path;
}

static lam_status check(const lam_schema *schema, size_t leaf, const char *text, lam_error *error) {
    lam_bytes names[NAMES_MAX];
    lam_meta_bytes_list path = path_of(text, names);
    *error = lam_error_none();
    return lam_chunk_path_check(&path, lam_schema_leaf(schema, leaf), error);
}

static const char SCHEMA[] =
    "message m { optional group a { optional group b { optional int32 c; } "
    "optional int32 d; } required int32 a.b; repeated int32 e; }";

Test(chunk_path, only_the_path_of_another_column_is_refused) {
    static const char *const paths[] = {"a|b|c", "a|d", "a.b", "e"};
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_error error;
    for (size_t leaf = 0; leaf < 4; leaf++)
        for (size_t i = 0; i < 4; i++)
            cr_expect_eq(check(schema, leaf, paths[i], &error),
                         i == leaf ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%s", paths[i]);
    lam_schema_destroy(schema);
}

Test(chunk_path, a_path_that_no_column_has_says_nothing) {
    static const char *const paths[] = {
        NULL,    "",      "c",      "b|c", "a|b", "a",      "a|b|d", "a|b|cc", "x|b|c", "m|a|b|c",
        "a.b.c", "a|b.c", "a|b|c|", "|e",  "e|",  "a||b|c", "E",     "e\n",    "||",    "e|e"};
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_error error;
    for (size_t leaf = 0; leaf < 4; leaf++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            cr_expect_eq(check(schema, leaf, paths[i], &error), LAM_STATUS_OK, "%s", paths[i]);
    lam_schema_destroy(schema);
}

Test(chunk_path, columns_of_one_name_are_each_others_equals) {
    static const lam_meta_schema_element elements[] = {
        {.name = {(const uint8_t *)"m", 1}, .num_children = 2},
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
         .name = {(const uint8_t *)"x", 1}},
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
         .name = {(const uint8_t *)"x", 1}}};
    lam_meta_schema_element_list list = {elements, 3};
    lam_allocator heap = lam_allocator_default();
    lam_schema *schema;
    lam_error error;
    cr_assert_eq(lam_meta_schema_import(&list, &heap, &schema, &error), LAM_STATUS_OK);
    cr_expect_eq(check(schema, 0, "x", &error), LAM_STATUS_OK);
    cr_expect_eq(check(schema, 1, "x", &error), LAM_STATUS_OK);
    lam_schema_destroy(schema);
}

Test(chunk_path, the_failure_names_the_ends_of_both_paths_on_one_line) {
    char text[600] = "message m { required int32 \"line\\n\"; required group ", name[101];
    memset(name, 'y', 100);
    name[100] = '\0';
    strcat(strcat(text, name), " { required int32 end; } required int32 \"\"; }");
    lam_schema *schema = lam_test_schema(text);
    lam_error error;
    cr_expect_eq(check(schema, 2, "line\n", &error), LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.message, "the column chunk is of column '\"line\\n\"', not of '\"\"'");
    cr_expect_eq(check(schema, 1, "", &error), LAM_STATUS_CORRUPT);
    char wanted[200];
    snprintf(wanted, sizeof wanted, "the column chunk is of column '\"\"', not of '%.56s.end'",
             name);
    cr_expect_str_eq(error.message, wanted);
    lam_schema_destroy(schema);
}

Test(chunk_path, the_deepest_path_is_compared_whole) {
    char text[8192] = "message m { ", path[1024] = "";
    for (size_t i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++) {
        strcat(text, "required group g { ");
        strcat(path, "g|");
    }
    strcat(text, "required int32 x; required int32 y; ");
    strcat(path, "x");
    for (size_t i = 0; i < LAM_SCHEMA_DEPTH_MAX; i++)
        strcat(text, "} ");
    lam_schema *schema = lam_test_schema(text);
    lam_error error;
    cr_expect_eq(check(schema, 0, path, &error), LAM_STATUS_OK);
    cr_expect_eq(check(schema, 1, path, &error), LAM_STATUS_CORRUPT);
    cr_expect_eq(check(schema, 1, path + 2, &error), LAM_STATUS_OK);
    lam_schema_destroy(schema);
}
