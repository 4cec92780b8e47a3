/* SPDX-License-Identifier: Apache-2.0 */
/* Restores the bytes of a damaged page header that are the same in all headers of a chunk. */
#ifndef LAM_DAMAGE_CHUNK_HEADER_RESTORE_H
#define LAM_DAMAGE_CHUNK_HEADER_RESTORE_H

#include "base/buffer.h"

/*
 * Reads `bytes` as a header with the fields of `pattern`, a complete header without statistics, and
 * gives them the field heads, enumerators and ends of that one. All other numbers stay as they are.
 * Gives the size of the header, all of it in `bytes`; 0 if the numbers do not fit in between, or no
 * byte changes.
 */
size_t lam_header_restore(lam_bytes pattern, uint8_t *bytes, size_t size);

#endif
