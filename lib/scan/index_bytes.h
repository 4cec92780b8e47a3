/* Bytes of indexes and filters, which lie anywhere in a file and may be damaged. */
#ifndef LAM_SCAN_INDEX_BYTES_H
#define LAM_SCAN_INDEX_BYTES_H

#include "file/file_reader.h"

/*
 * Reads bytes of the file into `arena` and adds them to `*bytes_read`; gives none where they cannot
 * be before the footer, or have no room under the arena's budget. IO, NOMEM.
 */
lam_status lam_index_bytes_read(const lam_reader *reader, int64_t offset, int64_t size,
                                lam_arena *arena, uint64_t *bytes_read, lam_bytes *ret_bytes,
                                lam_error *error);

/*
 * False when the bytes of an index or a filter of a row group are of something else, too: of pages,
 * of another index or filter. `*offset` is that which the footer states, at its place there. Looked
 * at is what lies beside them as writers arrange files: the row group, those around it, the first.
 */
bool lam_index_bytes_are_own(const lam_reader *reader, size_t row_group, const int64_t *offset,
                             int64_t size);

/* A part that is damaged or has no room is absent; only memory that ran out is a failure. */
lam_status lam_index_forgive(lam_status status, const lam_error *failure, bool *ret_good,
                             lam_error *error);

#endif
