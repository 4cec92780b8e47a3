/* SPDX-License-Identifier: Apache-2.0 */
/* Failures in JSON have a line, a column and a path, whatever the text. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "json/parse/json_locate.h"

static const lam_json_piece piece = {"{\n \"a\":\n  x}", 12, 7};

Test(json_locate, syntax_has_line_and_column) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_INVALID, "expected a value");
    cr_expect_eq(lam_json_locate_syntax(&piece, 10, LAM_STATUS_INVALID, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 9, column 3: expected a value");
    lam_error_set(&error, LAM_STATUS_INVALID, "x");
    cr_expect_eq(lam_json_locate_syntax(&piece, 0, LAM_STATUS_INVALID, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 7, column 1: x");
}

Test(json_locate, values_have_line_and_path) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_INVALID, "no");
    cr_expect_eq(lam_json_locate_value(&piece, 10, "a.b", LAM_STATUS_INVALID, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 9: a.b: no");
    lam_error_set(&error, LAM_STATUS_INVALID, "no");
    cr_expect_eq(lam_json_locate_value(&piece, 0, "", LAM_STATUS_INVALID, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_json_locate_value(&piece, 0, "", LAM_STATUS_INVALID, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 7: no");
}

Test(json_locate, other_failures_stay_as_they_are) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_NOMEM, "no memory");
    cr_expect_eq(lam_json_locate_syntax(&piece, 3, LAM_STATUS_NOMEM, &error), LAM_STATUS_NOMEM);
    cr_expect_eq(lam_json_locate_value(&piece, 3, "a", LAM_STATUS_NOMEM, &error), LAM_STATUS_NOMEM);
    cr_expect_str_eq(error.message, "no memory");
}

static void make_path(char *text, size_t capacity) {
    lam_json_path path;
    lam_json_path_start(&path, text, capacity);
    cr_assert_str_empty(text);
    lam_json_path_add_name(&path,
                           "stra\xC3\x9F"
                           "en",
                           8);
    lam_json_path_add_index(&path, 12);
    lam_json_path_add_index(&path, 0);
    lam_json_path_add_name(&path, "x", 1);
    lam_json_path_end(&path);
    cr_assert_eq(path.size, strlen(text));
}

Test(json_locate, a_path_keeps_its_end_in_whole_characters) {
    static const struct {
        size_t capacity;
        const char *text;
    } cases[] = {{100, "stra\xC3\x9F"
                       "en[12][0].x"},
                 {18, "stra\xC3\x9F"
                      "en[12][0].x"},
                 {17, "tra\xC3\x9F"
                      "en[12][0].x"},
                 {14, "\xC3\x9F"
                      "en[12][0].x"},
                 {13, "en[12][0].x"},
                 {12, "en[12][0].x"},
                 {11, "n[12][0].x"},
                 {2, "x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = malloc(cases[i].capacity); /* of that size, for the sanitizers */
        make_path(text, cases[i].capacity);
        cr_expect_str_eq(text, cases[i].text, "capacity %zu gave %s", cases[i].capacity, text);
        free(text);
    }
}

Test(json_locate, limits) {
    cr_expect_eq(lam_json_limit(0), (size_t)64 << 20);
    cr_expect_eq(lam_json_limit(5), 5);
    cr_expect_eq(lam_json_check_limit((size_t)1 << 30, 0, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_check_limit(((size_t)1 << 30) + 1, 0, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_json_check_limit(5, SIZE_MAX, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_json_memory_limit(0, 0), (size_t)1 << 30);
    cr_expect_eq(lam_json_memory_limit(0, 5), (size_t)1 << 30);
    cr_expect_eq(lam_json_memory_limit(0, (size_t)100 << 20), (size_t)1600 << 20);
    cr_expect_eq(lam_json_memory_limit(7, (size_t)100 << 20), 7);
    cr_expect_eq(lam_json_memory_limit(0, SIZE_MAX / 2 / 16 + 1), SIZE_MAX / 2);
}

Test(json_locate, a_path_of_half_a_character_is_empty) {
    char text[2];
    lam_json_path path;
    lam_json_path_start(&path, text, sizeof text);
    lam_json_path_add_name(&path, "\xC3\x9F", 2);
    lam_json_path_end(&path);
    cr_expect_str_empty(text);
    cr_expect_eq(path.size, 0);
}

Test(json_locate, an_offset_behind_the_text_is_on_its_last_line) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_INVALID, "x");
    cr_expect_eq(lam_json_locate_syntax(&piece, piece.size + 1, LAM_STATUS_INVALID, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 9, column 6: x");
}
