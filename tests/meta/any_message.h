/* SPDX-License-Identifier: Apache-2.0 */
/* The six messages of the metadata under one interface, for tests that treat them alike. */
#ifndef LAM_TESTS_ANY_MESSAGE_H
#define LAM_TESTS_ANY_MESSAGE_H

#include "meta/compact.h"
#include "meta/tables.h"
#include "support/random.h"

typedef union lam_test_any {
    lam_meta_file file;
    lam_meta_page_header page_header;
    lam_meta_offset_index offset_index;
    lam_meta_column_index column_index;
    lam_meta_bloom_filter_header bloom_filter_header;
    lam_meta_file_crypto file_crypto;
} lam_test_any;

typedef struct lam_test_message {
    const lam_meta_struct *table;
    /* `*ret_size` 0 says that the bytes end inside the message; a footer's is all bytes given. */
    lam_status (*read)(lam_bytes bytes, lam_arena *arena, lam_test_any *ret, size_t *ret_size,
                       lam_error *error);
    lam_status (*write)(const lam_test_any *message, lam_buffer *out, lam_error *error);
} lam_test_message;

enum { LAM_TEST_MESSAGES = 6 };

/* In the order of lam_judge_message; the footer is the first. */
extern const lam_test_message lam_test_messages[LAM_TEST_MESSAGES];

/*
 * A random message that can be read back: the structs of a page header go with its type. Lists have
 * as many elements as `abundance` allows.
 */
void lam_test_message_random(lam_random *random, const lam_test_message *message,
                             unsigned abundance, lam_arena *arena, lam_test_any *ret);

#endif
