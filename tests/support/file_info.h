/* SPDX-License-Identifier: Apache-2.0 */
/* What an open file states of itself, for tests that need one number of it. */
#ifndef LAM_TESTS_SUPPORT_FILE_INFO_H
#define LAM_TESTS_SUPPORT_FILE_INFO_H

#include <lamella/reader.h>
#include <stdlib.h>

static inline lam_file_info lam_test_file_info(const lam_reader *reader) {
    lam_file_info info = lam_file_info_default();
    if (lam_reader_file_info(reader, &info, NULL) != LAM_STATUS_OK)
        abort();
    return info;
}

static inline const char *lam_test_key(const lam_reader *reader, size_t index) {
    const char *key, *value;
    return lam_reader_key_value(reader, index, &key, &value) ? key : NULL;
}

static inline const char *lam_test_value(const lam_reader *reader, size_t index) {
    const char *key, *value;
    return lam_reader_key_value(reader, index, &key, &value) ? value : NULL;
}

#endif
