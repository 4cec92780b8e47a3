/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the bytes of indexes and Bloom filters, to which the footer refers.
 */
#ifndef LAM_FILE_READ_FOOTER_RANGE_H
#define LAM_FILE_READ_FOOTER_RANGE_H

#include "file/read/file_reader.h"

/* Whether a range is not empty, and between the first magic and the footer at `end`. */
bool lam_footer_range_fits(int64_t offset, int64_t size, uint64_t end);

/*
 * Takes memory for a range from `arena`. CORRUPT, naming `what`, if the range cannot be before the
 * footer, which is at `end`; LIMIT by the arena's budget, NOMEM.
 */
lam_status lam_footer_range_make_room(const char *what, int64_t offset, int64_t size, uint64_t end,
                                      lam_arena *arena, uint8_t **ret_bytes, lam_error *error);

/* Reads a range that has room. Only the input fails. */
lam_status lam_footer_range_fill(const lam_input *input, int64_t offset, int64_t size,
                                 uint8_t *bytes, lam_bytes *ret_bytes, lam_error *error);

/* Both, with their errors. */
lam_status lam_footer_range_read(const lam_reader *reader, const char *what, int64_t offset,
                                 int64_t size, lam_arena *arena, lam_bytes *ret_bytes,
                                 lam_error *error);

#endif
