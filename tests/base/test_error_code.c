/* SPDX-License-Identifier: Apache-2.0 */
/* The names of codes are those of their enumerators, and numbers of later versions have none. */
#include <criterion/criterion.h>
#include <lamella/common.h>

Test(error_code, names_are_those_of_the_enumerators) {
    cr_assert_str_eq(lam_error_code_name(LAM_ERROR_CODE_NONE), "unspecified");
    cr_assert_str_eq(lam_error_code_name(LAM_ERROR_CODE_PAGE_CRC), "page-crc");
    cr_assert_str_eq(lam_error_code_name(LAM_ERROR_CODE_UTF8), "utf8");
    cr_assert_str_eq(lam_error_code_name(LAM_ERROR_CODE_DEADLINE), "deadline");
}

Test(error_code, a_number_of_a_later_version_is_unknown) {
    cr_assert_str_eq(lam_error_code_name((lam_error_code)3999), "unknown");
}
