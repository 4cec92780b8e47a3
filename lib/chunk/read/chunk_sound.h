/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a column chunk is complete, before any survey. */
#ifndef LAM_CHUNK_READ_CHUNK_SOUND_H
#define LAM_CHUNK_READ_CHUNK_SOUND_H

#include "chunk/read/column_cursor.h"

typedef enum lam_chunk_state {
    LAM_CHUNK_DAMAGED,
    LAM_CHUNK_DOUBTFUL, /* it reads, but not as the schema or the statistics have it */
    LAM_CHUNK_SOUND
} lam_chunk_state;

/*
 * Reads a chunk from front to back as its readers do. It is damaged unless that goes well, all of
 * its bytes are pages, and these have as many nulls as their headers state; and doubtful if its
 * pages have bytes after their levels, or after their values if checksums cover them, or the
 * statistics of the chunk count other nulls. NOMEM, IO unless that is passed, CANCELLED.
 */
lam_status lam_chunk_find_state(const lam_column_chunk *chunk, bool passes_unreadable,
                                const lam_allocator *allocator, lam_chunk_state *ret_state,
                                lam_error *error);

#endif
