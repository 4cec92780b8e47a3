/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: names of statuses and codes, messages of one line that are cut between characters, and
 * the first place of a failure.
 */
#include "base/error.h"

#include <criterion/criterion.h>
#include <string.h>
#include <wchar.h>

Test(error, every_status_has_its_own_name) {
    for (int a = LAM_STATUS_OK; a <= LAM_STATUS_CANCELLED; a++)
        for (int b = a + 1; b <= LAM_STATUS_CANCELLED + 1; b++)
            cr_assert_str_neq(lam_status_name((lam_status)a), lam_status_name((lam_status)b));
}

Test(error, a_missing_error_only_gives_the_status) {
    cr_assert_eq(lam_error_set(NULL, LAM_STATUS_IO, "x"), LAM_STATUS_IO);
    lam_error_at_offset(NULL, 1);
    lam_error_at_row(NULL, 1, 1);
}

Test(error, a_long_message_is_cut_between_characters) {
    lam_error error;
    char text[3 * sizeof error.message + 1] = "";
    for (size_t i = 0; i < sizeof error.message; i++)
        memcpy(text + 3 * i, "\xE4\xB8\x8A", 4);
    for (int shift = 0; shift < 4; shift++) {
        lam_error_set(&error, LAM_STATUS_INVALID, "%.*s%s", shift, "aaa", text);
        size_t length = strlen(error.message);
        cr_assert_geq(length, sizeof error.message - 4);
        cr_assert_eq((length - (size_t)shift) % 3, 0, "no torn character at the end");
    }
}

Test(error, a_code_implies_its_status) {
    lam_error error;
    cr_assert_eq(lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x"), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.status, LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(lam_error_kind(&error), LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(lam_error_set(&error, LAM_STATUS_NOMEM, "x"), LAM_STATUS_NOMEM);
    cr_assert_eq(error.code, LAM_ERROR_CODE_NONE);
    cr_assert_eq(lam_error_kind(&error), LAM_STATUS_NOMEM);
}

Test(error, what_is_reserved_is_zero) {
    lam_error error;
    memset(&error, 0xAB, sizeof error);
    lam_error_set(&error, LAM_ERROR_CODE_PAGE_CRC, "x");
    cr_assert_eq(error.os_error, 0);
    cr_assert_eq(error.reserved_number, 0);
    cr_assert_str_empty(error.column_path);
    for (size_t i = 0; i < sizeof error.reserved; i++)
        cr_assert_eq(error.reserved[i], 0);
}

/* A path of a file with a newline in it made a message of two lines; a name that was not UTF-8 one
 * that was not either. */
Test(error, a_message_is_one_line_of_text_whatever_names_it_holds) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_CORRUPT, "field '%s' is odd",
                  "a\n\x7F\xFF\xE4\xB8\x8A\xE4\xB8");
    cr_assert_str_eq(error.message, "field 'a\\n\\u007f\\xff\xE4\xB8\x8A\\xe4\\xb8' is odd");
}

Test(error, the_first_place_wins) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_CORRUPT, "x");
    lam_error_at_row(&error, 1, 2);
    lam_error_at_row(&error, 3, 4);
    lam_error_at_offset(&error, 5);
    lam_error_at_offset(&error, 6);
    cr_assert_eq(error.row_group, 1);
    cr_assert_eq(error.row, 2);
    cr_assert_eq(error.offset, 5);
}

Test(error, a_room_of_nothing_but_parts_of_characters_is_marked) {
    char text[4] = "\x80\x81\x82";
    lam_error_make_line(text, sizeof text);
    cr_assert_str_eq(text, "\?\?\?");
    char nothing[1] = "";
    lam_error_make_line(nothing, sizeof nothing);
    cr_assert_str_eq(nothing, "");
}

Test(error, a_message_that_cannot_be_formatted_is_empty) {
    lam_error error;
    cr_assert_eq(lam_error_set(&error, LAM_STATUS_IO, "%s %lc", "a", (wint_t)0x7FFFFFFF),
                 LAM_STATUS_IO);
    cr_assert_eq(error.status, LAM_STATUS_IO);
    cr_assert_str_empty(error.message);
}

Test(error, places_that_no_number_of_an_error_holds_are_left_out) {
    lam_error error;
    lam_error_set(&error, LAM_STATUS_CORRUPT, "x");
    lam_error_at_row(&error, (size_t)INT32_MAX + 1, (uint64_t)INT64_MAX + 1);
    lam_error_at_offset(&error, UINT64_MAX);
    cr_assert_eq(error.row_group, -1);
    cr_assert_eq(error.row, -1);
    cr_assert_eq(error.offset, -1);
    lam_error_at_row(&error, INT32_MAX, INT64_MAX);
    cr_assert_eq(error.row_group, INT32_MAX);
    cr_assert_eq(error.row, INT64_MAX);
}
