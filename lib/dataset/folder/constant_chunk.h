/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks of one value, which lam_reader_open_with_constants puts after a file. */
#ifndef LAM_DATASET_FOLDER_CONSTANT_CHUNK_H
#define LAM_DATASET_FOLDER_CONSTANT_CHUNK_H

#include <lamella/constant.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "meta/metadata.h"

/* Describes the field of a constant; the name is borrowed. */
lam_meta_schema_element lam_constant_element(const lam_constant *constant);

/*
 * Appends the pages of `rows` equal values to `out`, whose first byte will be at offset `first` of
 * the file, and describes them in `*ret_chunk` and `arena`. The name is borrowed. NOMEM; LIMIT by
 * the arena's budget, or at more than LAM_CONSTANT_ROWS_MAX rows.
 */
lam_status lam_constant_chunk_write(const lam_constant *constant, uint64_t rows, uint64_t first,
                                    lam_arena *arena, lam_buffer *out,
                                    lam_meta_column_chunk *ret_chunk, lam_error *error);

/* Rows of a page, and of a chunk: a million rows take 30 bytes. */
enum { LAM_CONSTANT_PAGE_ROWS = 1 << 20 };
#define LAM_CONSTANT_ROWS_MAX (UINT64_C(1) << 36)

#endif
