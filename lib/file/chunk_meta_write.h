/* What the footer says of a column chunk that is written. */
#ifndef LAM_FILE_CHUNK_META_WRITE_H
#define LAM_FILE_CHUNK_META_WRITE_H

#include "base/arena.h"
#include "chunk/chunk.h"

/* Fills everything but offsets, with memory of `arena`. NOMEM. */
lam_status lam_chunk_meta_fill(const lam_field *leaf, const lam_chunk_options *options,
                               const lam_finished_chunk *chunk, lam_arena *arena,
                               lam_meta_column *column, lam_error *error);

#endif
