/* SPDX-License-Identifier: Apache-2.0 */
/* The six messages of the metadata under one interface. */
#include "meta/any_message.h"

static lam_status read_file(lam_bytes bytes, lam_arena *arena, lam_test_any *ret, size_t *ret_size,
                            lam_error *error) {
    lam_status status = lam_meta_read_file(bytes, arena, &ret->file, error);
    if (status == LAM_STATUS_OK)
        *ret_size = bytes.size;
    return status;
}

static lam_status write_file(const lam_test_any *message, lam_buffer *out, lam_error *error) {
    return lam_meta_write_file(&message->file, out, error);
}

#define READ_AND_WRITE(noun)                                                                       \
    static lam_status read_##noun(lam_bytes bytes, lam_arena *arena, lam_test_any *ret,            \
                                  size_t *ret_size, lam_error *error) {                            \
        return lam_meta_read_##noun(bytes, arena, &ret->noun, ret_size, error);                    \
    }                                                                                              \
    static lam_status write_##noun(const lam_test_any *message, lam_buffer *out,                   \
                                   lam_error *error) {                                             \
        return lam_meta_write_##noun(&message->noun, out, error);                                  \
    }

READ_AND_WRITE(page_header)
READ_AND_WRITE(offset_index)
READ_AND_WRITE(column_index)
READ_AND_WRITE(bloom_filter_header)
READ_AND_WRITE(file_crypto)

#define MESSAGE(noun)                                                                              \
    { &lam_meta_##noun##_table, read_##noun, write_##noun }

const lam_test_message lam_test_messages[LAM_TEST_MESSAGES] = {
    MESSAGE(file),         MESSAGE(page_header),         MESSAGE(offset_index),
    MESSAGE(column_index), MESSAGE(bloom_filter_header), MESSAGE(file_crypto),
};
