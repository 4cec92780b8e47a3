/* SPDX-License-Identifier: Apache-2.0 */
/* The path in a message about a field, and what is cut where it is long. */
#include "arrow/field/arrow_path.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arrow_path, a_message_names_the_path_below_the_root) {
    lam_arrow_path root = {NULL, "root"}, a = {&root, "a"}, b = {&a, NULL}, c = {&b, "x.y"};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_fail_at(&root, LAM_STATUS_INVALID, "is bad", &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "schema: is bad");
    cr_assert_eq(error.status, LAM_STATUS_INVALID);
    lam_arrow_path unnamed = {&root, ""};
    (void)lam_arrow_fail_at(&unnamed, LAM_STATUS_INVALID, "is bad", &error);
    cr_assert_str_eq(error.message, "schema: is bad");
    cr_assert_eq(lam_arrow_fail_at(&a, LAM_STATUS_LIMIT, "is bad", &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "a: is bad");
    cr_assert_eq(lam_arrow_fail_at(&c, LAM_STATUS_CORRUPT, "is bad", &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a..\"x.y\": is bad");
    cr_assert_eq(lam_arrow_fail_at(&c, LAM_STATUS_CORRUPT, "is bad", NULL), LAM_STATUS_CORRUPT);
}

Test(arrow_path, a_long_path_leaves_room_for_the_reason) {
    char name[1001];
    memset(name, 'n', 1000);
    name[1000] = '\0';
    memcpy(name + 101, "\xC3\xA4", 2); /* a character at the cut, then across it */
    lam_arrow_path root = {NULL, ""}, long_one = {&root, name};
    lam_error error = lam_error_none();
    (void)lam_arrow_fail_at(&long_one, LAM_STATUS_INVALID, "is bad", &error);
    const char *end = strstr(error.message, "...: is bad");
    cr_assert_not_null(end);
    cr_assert_eq(strlen(end), strlen("...: is bad"));
    cr_assert_eq(end - error.message, 101);
    memmove(name + 102, name + 101, 2);
    (void)lam_arrow_fail_at(&long_one, LAM_STATUS_INVALID, "is bad", &error);
    cr_assert_eq(strstr(error.message, "...: is bad") - error.message, 102, "%s", error.message);
}
