/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the bytes of indexes and Bloom filters, to which the footer refers.
 */
#ifndef LAM_FILE_READ_FOOTER_RANGE_H
#define LAM_FILE_READ_FOOTER_RANGE_H

#include "file/read/file_reader.h"

/* Whether a range is not empty, and between the first magic and the footer. */
bool lam_footer_range_fits(const lam_reader *reader, int64_t offset, int64_t size);

/*
 * Reads a range between the first magic and the footer into `arena`. CORRUPT, naming `what`, if it
 * cannot be there; LIMIT by the arena's budget, IO, NOMEM.
 */
lam_status lam_footer_range_read(const lam_reader *reader, const char *what, int64_t offset,
                                 int64_t size, lam_arena *arena, lam_bytes *ret_bytes,
                                 lam_error *error);

#endif
