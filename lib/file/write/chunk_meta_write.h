/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a written column chunk for the footer. (parquet.thrift, ColumnMetaData)
 */
#ifndef LAM_FILE_WRITE_CHUNK_META_WRITE_H
#define LAM_FILE_WRITE_CHUNK_META_WRITE_H

#include "base/arena.h"
#include "chunk/write/chunk_write.h"

/*
 * Fills everything except offsets, key-value metadata and the Bloom filter; memory is from `arena`,
 * names are borrowed from the schema. Leaves statistics out if the options say so or the chunk has
 * no summary. NOMEM.
 */
lam_status lam_chunk_meta_fill(const lam_field *leaf, const lam_chunk_options *options,
                               const lam_finished_chunk *chunk, lam_arena *arena,
                               lam_meta_column *column, lam_error *error);

/* The path_in_schema of a leaf: names borrowed from the schema, from below the root. NOMEM. */
lam_status lam_chunk_meta_path(const lam_field *leaf, lam_arena *arena,
                               lam_meta_bytes_list *ret_path, lam_error *error);

#endif
