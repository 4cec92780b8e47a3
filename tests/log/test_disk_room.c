/* SPDX-License-Identifier: Apache-2.0 */
/* The free room of a disk, and paths that lead to none. */
#include "log/folder/disk_room.h"

#include <criterion/criterion.h>

Test(disk_room, a_disk_has_no_more_free_than_it_has) {
    uint64_t free_bytes = 0, size = 0;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_disk_room(".", &free_bytes, &size, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_gt(size, 1 << 20);
    cr_assert_leq(free_bytes, size);
}

Test(disk_room, a_path_to_nothing_is_named) {
    uint64_t free_bytes = 7, size = 8;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_disk_room("nowhere/at/all", &free_bytes, &size, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_MISSING);
    cr_assert_not_null(strstr(error.message, "nowhere/at/all: cannot find out"));
    cr_assert(free_bytes == 7 && size == 8);
}
