/* Bytes that the footer points at: indexes and Bloom filters. */
#ifndef LAM_FILE_FOOTER_RANGE_H
#define LAM_FILE_FOOTER_RANGE_H

#include "file/file_reader.h"

/*
 * Reads a range that lies before the footer, with memory of `arena`. CORRUPT when it cannot be
 * there, which names `what`; LIMIT by the arena's budget, IO, NOMEM.
 */
lam_status lam_footer_range_read(const lam_reader *reader, const char *what, int64_t offset,
                                 int64_t size, lam_arena *arena, lam_bytes *ret_bytes,
                                 lam_error *error);

#endif
