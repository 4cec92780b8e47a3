/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks of leaves that a file does not have: levels without a value. */
#ifndef LAM_FILE_ABSENT_CHUNK_H
#define LAM_FILE_ABSENT_CHUNK_H

#include "base/buffer.h"
#include "file/file_reader.h"

/* A leaf that is not in a file, at its position there. */
typedef struct lam_absent_leaf {
    const lam_field *group; /* of the file: what the leaf is missing in; the root, or below */
    int32_t physical_type;
    uint8_t max_repetition;
    uint8_t max_definition; /* more than the group's */
    lam_meta_bytes_list path;
} lam_absent_leaf;

/*
 * Appends the pages of a row group's chunk to `out`, whose first byte will be at offset `first` of
 * the file, and describes them in `*ret_chunk` and `arena`. Below the root every row has one null;
 * deeper the levels are those of a leaf of the group, which is read for them, cut to the group, so
 * that lists have as many elements as they have. NOMEM; LIMIT when `out` exceeds the reader's
 * memory limit; errors of reading that leaf.
 */
lam_status lam_absent_chunk_write(const lam_reader *reader, size_t row_group,
                                  const lam_absent_leaf *leaf, uint64_t first, lam_arena *arena,
                                  lam_buffer *out, lam_meta_column_chunk *ret_chunk,
                                  lam_error *error);

#endif
