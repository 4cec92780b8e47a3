/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second opinion on metadata: Apache Thrift's c_glib reads the same bytes and writes them again.
 *
 * It is made for bytes that the library's own codec has accepted: GLib ends the process when memory
 * runs out, which judge_apart.h keeps away from the caller. Strings that hold a NUL come back cut
 * there. Any number of threads may call.
 */
#ifndef LAM_JUDGE_H
#define LAM_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lam_judge_message {
    LAM_JUDGE_FILE, /* the footer */
    LAM_JUDGE_PAGE_HEADER,
    LAM_JUDGE_OFFSET_INDEX,
    LAM_JUDGE_COLUMN_INDEX,
    LAM_JUDGE_BLOOM_FILTER_HEADER,
    LAM_JUDGE_FILE_CRYPTO
} lam_judge_message;

/*
 * Reads a message from the front of `bytes` and writes it. True gives the bytes written, false a
 * message; either is freed with lam_judge_free.
 */
bool lam_judge_reencode(lam_judge_message message, const uint8_t *bytes, size_t size,
                        uint8_t **ret_bytes, size_t *ret_size, char **ret_message);

void lam_judge_free(void *memory);

#endif
