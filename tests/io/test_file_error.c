/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages about files have the path, what was tried and why it failed, however long the path is.
 */
#include "io/file_error.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(file_error, a_message_has_the_path_what_was_tried_and_why_it_failed) {
    lam_error error;
    lam_file_name name = lam_file_name_of("data/x.parquet");
    cr_assert_eq(lam_file_fail(&name, LAM_ERROR_CODE_FILE_WRITE, EIO, "cannot write", &error),
                 LAM_STATUS_IO);
    cr_assert_str_eq(error.message, "data/x.parquet: cannot write: Input/output error");
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_WRITE);
    cr_assert_eq(error.os_error, EIO);
}

Test(file_error, a_full_disk_and_a_missing_file_have_codes_of_their_own) {
    lam_error error;
    lam_file_name name = lam_file_name_of("a");
    lam_file_fail(&name, LAM_ERROR_CODE_FILE_WRITE, ENOSPC, "cannot write", &error);
    cr_assert_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
    lam_file_fail(&name, LAM_ERROR_CODE_FILE_OPEN, ENOENT, "cannot open", &error);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_MISSING);
}

Test(file_error, without_a_path_there_is_only_the_reason) {
    lam_error error;
    lam_file_name name = lam_file_name_of(NULL);
    lam_file_fail(&name, LAM_ERROR_CODE_FILE_WRITE, EIO, "cannot write", &error);
    cr_assert_str_eq(error.message, "cannot write: Input/output error");
}

Test(file_error, a_long_path_loses_its_front_and_the_reason_stays) {
    lam_error error;
    char path[4001];
    memset(path, 'd', 4000);
    memcpy(path + 3990, "/x.parquet", 11);
    lam_file_name name = lam_file_name_of(path);
    lam_file_fail(&name, LAM_ERROR_CODE_FILE_WRITE, ENOSPC, "cannot write", &error);
    const char *end = "ddd/x.parquet: cannot write: No space left on device";
    cr_assert_eq(strncmp(error.message, "...ddd", 6), 0, "%s", error.message);
    cr_assert_str_eq(error.message + strlen(error.message) - strlen(end), end);
}

Test(file_error, a_path_is_not_cut_inside_a_character) {
    char path[601];
    for (size_t shift = 0; shift < 3; shift++) {
        memset(path, 'a', sizeof path);
        for (size_t at = shift; at + 3 < sizeof path; at += 3)
            memcpy(path + at, "\xE4\xB8\x8A", 3);
        path[600] = '\0';
        lam_file_name name = lam_file_name_of(path);
        cr_assert_eq(strncmp(name.text, "...\xE4", 4), 0, "%s", name.text);
    }
}
