/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a column chunk is whole, before anything is surveyed. */
#ifndef LAM_CHUNK_CHUNK_SOUND_H
#define LAM_CHUNK_CHUNK_SOUND_H

#include "chunk/column_cursor.h"

/*
 * Reads a chunk from front to back as its readers do; `*ret_is_sound` when that goes well, all of
 * its bytes are pages, and these have as many nulls as their headers state. NOMEM, IO unless that
 * is passed, CANCELLED.
 */
lam_status lam_chunk_is_sound(const lam_column_chunk *chunk, bool passes_unreadable,
                              const lam_allocator *allocator, bool *ret_is_sound, lam_error *error);

#endif
