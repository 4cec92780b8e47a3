/* SPDX-License-Identifier: Apache-2.0 */
/* A list of paths selects leaves, or is refused with the character where it goes wrong. */
#include "schema/path_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/test_file.h"

/* The leaves a to l, in this order. */
static const char SCHEMA[] =
    "optional int32 id; optional int32 \"Price, EUR\"; optional int32 \"x.y\";"
    "optional group user { optional int32 name; optional int32 secret; }"
    "optional group l (LIST) { repeated group list { optional group element {"
    "  optional int32 cost; optional int32 sold; } } }"
    "repeated group r { optional int32 \"a\\\"b\"; }"
    "optional group addr_1 { optional int32 \"*\"; } optional int32 addr_2;"
    "optional group two (LIST) { repeated int32 array; } optional int32 \"b[0\";";

enum { LEAVES = 12 };

static lam_schema *schema_of(void) {
    lam_schema *schema = lam_test_parse(SCHEMA);
    cr_assert_eq(lam_schema_leaf_count(schema), LEAVES);
    return schema;
}

static lam_status select_text(const lam_schema *schema, const char *text, char *letters,
                              lam_error *error) {
    bool leaves[LEAVES];
    for (size_t i = 0; i < LEAVES; i++)
        leaves[i] = i % 2 == 0; /* all are set anew */
    lam_status status = lam_schema_select_text(schema, text, strlen(text), NULL, leaves, error);
    for (size_t i = 0; i < LEAVES; i++)
        if (leaves[i])
            *letters++ = (char)('a' + i);
    *letters = '\0';
    return status;
}

Test(path_list, a_list_selects_the_leaves_of_all_its_paths) {
    static const struct {
        const char *text, *leaves;
    } cases[] = {
        {"id", "a"},
        {" id , user ", "ade"},
        {"id,id", "a"},
        {"user.name,id", "ad"},
        {"user . secret", "e"},
        {"\"Price, EUR\"", "b"},
        {"\"Price, EUR\" , id", "ab"},
        {"x.y", "c"},
        {"\"x.y\"", "c"},
        {"*", "abcdefghijkl"},
        {"user.*", "de"},
        {"*.name", "d"},
        {"addr_*", "ij"},
        {"*_*", "ij"},
        {"*d*", "aij"},
        {"addr_1.\"*\"", "i"},
        {"l", "fg"},
        {"l[].cost", "f"},
        {"l [] . cost", "f"},
        {"l.list.element.sold", "g"},
        {"l[]", "fg"},
        {"r[]", "h"},
        {"r[].\"a\"\"b\"", "h"},
        {"r.a\"b", "h"},
        {"*,!user", "abcfghijkl"},
        {"!user", "abcfghijkl"},
        {"-user.secret", "abcdfghijkl"},
        {"two[]", "k"},
        {"b[0", "l"},
        {"\tid\t,\r\nb[0 \r\n", "al"},
        {"! user.*, - l[].*, user", ""},
        {"!user.secret, user", "d"},
        {"user, !user.s*", "d"},
    };
    lam_schema *schema = schema_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        char letters[LEAVES + 1];
        lam_status status = select_text(schema, cases[i].text, letters, &error);
        if (cases[i].leaves[0] == '\0') {
            cr_expect_eq(status, LAM_STATUS_INVALID, "%s", cases[i].text);
            cr_expect_str_eq(error.message, "character 1: no column is left");
            continue;
        }
        cr_expect_eq(status, LAM_STATUS_OK, "%s: %s", cases[i].text, error.message);
        cr_expect_str_eq(letters, cases[i].leaves, "%s: %s", cases[i].text, letters);
    }
    lam_schema_destroy(schema);
}

/* An empty path was the root, so that "id," selected everything. */
Test(path_list, what_is_no_list_is_refused_with_its_character) {
    static const struct {
        const char *text, *message;
        lam_status status;
    } cases[] = {
        {"", "character 1: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"id,", "character 4: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"id,,id", "character 4: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"user..name", "character 6: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"user.", "character 6: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"!", "character 2: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"\"id", "character 1: the name that begins here does not end", LAM_STATUS_INVALID},
        {"\"id\" x", "character 6: expected a comma, a dot, or the end", LAM_STATUS_INVALID},
        {"l[]x", "character 4: expected a comma, a dot, or the end", LAM_STATUS_INVALID},
        {"id, nope", "character 5: no field 'nope'", LAM_STATUS_NOT_FOUND},
        {"\"\"", "character 1: no field '\"\"'", LAM_STATUS_NOT_FOUND},
        {"\xC3\xA4, ID", "character 1: no field '\xC3\xA4'", LAM_STATUS_NOT_FOUND},
        {"\"Price, EUR\", ID3", "character 15: no field 'ID3' (did you mean id?)",
         LAM_STATUS_NOT_FOUND},
        {"id.*", "character 1: no field 'id.*'", LAM_STATUS_NOT_FOUND},
        {"x", "character 1: no field 'x'", LAM_STATUS_NOT_FOUND},
        {"x[].y", "character 1: no field 'x[].y'", LAM_STATUS_NOT_FOUND},
        {"x.*", "character 1: no field 'x.*' (did you mean \"x.y\"?)", LAM_STATUS_NOT_FOUND},
        {"\"id\"[x", "character 5: expected a comma, a dot, or the end", LAM_STATUS_INVALID},
        {"id[]", "character 1: id has no elements: it is not a list", LAM_STATUS_NOT_FOUND},
        {"user.name.first", "character 1: no field 'user.name.first'", LAM_STATUS_NOT_FOUND},
        {"id,\xFF", "character 4: the text is not UTF-8", LAM_STATUS_INVALID},
    };
    lam_schema *schema = schema_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        char letters[LEAVES + 1];
        cr_expect_eq(select_text(schema, cases[i].text, letters, &error), cases[i].status, "%s",
                     cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message, "%s: %s", cases[i].text, error.message);
        cr_expect_str_eq(letters, "acegik", "%s", cases[i].text);
        /* Nobody need ask for the words. */
        cr_expect_eq(select_text(schema, cases[i].text, letters, NULL), cases[i].status);
    }
    lam_schema_destroy(schema);
}

Test(path_list, a_path_of_very_many_names_is_refused) {
    enum { NAMES = 100000 };
    lam_schema *schema = schema_of();
    lam_error error = lam_error_none();
    char *text = malloc(2 * NAMES);
    bool leaves[LEAVES];
    for (size_t i = 0; i < NAMES; i++)
        memcpy(text + 2 * i, "*.", 2);
    cr_expect_eq(lam_schema_select_text(schema, text, 2 * NAMES - 1, NULL, leaves, &error),
                 LAM_STATUS_LIMIT);
    text[0] = 'r';
    for (size_t i = 0; i + 1 < NAMES; i++)
        memcpy(text + 1 + 2 * i, "[]", 2);
    cr_expect_eq(lam_schema_select_text(schema, text, 2 * NAMES - 1, NULL, leaves, &error),
                 LAM_STATUS_LIMIT);
    free(text);
    lam_schema_destroy(schema);
}

Test(path_list, without_memory_nothing_is_selected) {
    lam_schema *schema = schema_of();
    static const char text[] = "user.*, !\"x.y\", l[].cost";
    for (size_t request = 1;; request++) {
        lam_failing_alloc failing = {.fail_at = request};
        lam_allocator allocator = lam_failing_allocator(&failing);
        bool leaves[LEAVES] = {true};
        lam_error error = lam_error_none();
        lam_status status =
            lam_schema_select_text(schema, text, strlen(text), &allocator, leaves, &error);
        cr_assert_eq(failing.live_bytes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert(leaves[0] && !leaves[1]);
        cr_assert_lt(request, 100);
    }
    lam_schema_destroy(schema);
}

Test(path_list, a_long_path_is_cut_in_the_message) {
    lam_schema *schema = schema_of();
    char text[300] = "", letters[LEAVES + 1];
    lam_error error = lam_error_none();
    memset(text, 'n', sizeof text - 1);
    cr_expect_eq(select_text(schema, text, letters, &error), LAM_STATUS_NOT_FOUND);
    text[120] = '\0';
    cr_expect_eq(strncmp(error.message, "character 1: no field 'nnn", 26), 0);
    cr_expect_not_null(strstr(error.message, text));
    cr_expect_eq(strlen(error.message), strlen("character 1: no field ''") + 120);
    lam_schema_destroy(schema);
}

/* Paths that name many fields at once, so that the list of them grows behind each kind of word. */
Test(path_list, without_memory_for_what_it_names_a_path_is_not_found) {
    enum { GROUPS = 40 };
    char text[GROUPS * 100] = "";
    for (int i = 0; i < GROUPS; i++)
        sprintf(text + strlen(text), "optional group g%d { repeated int32 a; optional int32 b; }",
                i);
    lam_schema *schema = lam_test_parse(text);
    static const char *const paths[] = {"*", "*.a", "*.a[]", "*.*"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (size_t request = 1;; request++) {
            lam_failing_alloc failing = {.fail_at = request};
            lam_allocator allocator = lam_failing_allocator(&failing);
            bool leaves[2 * GROUPS] = {false, true};
            lam_status status = lam_schema_select_text(schema, paths[i], strlen(paths[i]),
                                                       &allocator, leaves, NULL);
            cr_assert_eq(failing.live_bytes, 0);
            if (status == LAM_STATUS_OK) {
                cr_assert(leaves[0] && leaves[2 * GROUPS - 2]);
                cr_assert_eq(leaves[1], paths[i][1] == '\0' || paths[i][2] == '*');
                break;
            }
            cr_assert_eq(status, LAM_STATUS_NOMEM);
            cr_assert(!leaves[0] && leaves[1]);
            cr_assert_lt(request, 100);
        }
    }
    lam_schema_destroy(schema);
}

Test(path_list, nothing_is_selected_of_no_schema) {
    lam_error error = lam_error_none();
    bool leaves[1];
    cr_expect_eq(lam_schema_select_text(NULL, "*", 1, NULL, leaves, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema (NULL)");
}
