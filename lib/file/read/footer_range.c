/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a range of bytes that the footer refers to: an index, or a Bloom filter. Takes an offset
 * and a size as the footer states them, both signed and neither trusted, and gives bytes in an
 * arena.
 *
 * No memory is ever allocated, nor a byte read, before the range is known to be between the first
 * magic and the footer, so that a stated size of terabytes costs nothing. An impossible range is
 * CORRUPT; scan/prune/index_bytes.c forgives that, and check reports it.
 */
#include "file/read/footer_range.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"

bool lam_footer_range_fits(int64_t offset, int64_t size, uint64_t end) {
    return offset >= LAM_FOOTER_MAGIC_SIZE && size > 0 &&
           lam_range_fits((uint64_t)offset, (uint64_t)size, end);
}

lam_status lam_footer_range_make_room(const char *what, int64_t offset, int64_t size, uint64_t end,
                                      lam_arena *arena, uint8_t **ret_bytes, lam_error *error) {
    /* SIZE_MAX matters if size_t has 32 bits. */
    if (!lam_footer_range_fits(offset, size, end) || (uint64_t)size > SIZE_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_INDEX_RANGE,
                 "%s has %" PRId64 " bytes at offset %" PRId64
                 ", but the footer starts at %" PRIu64,
                 what, size, offset, end);
    return lam_arena_bytes(arena, (size_t)size, ret_bytes, error);
}

lam_status lam_footer_range_fill(const lam_input *input, int64_t offset, int64_t size,
                                 uint8_t *bytes, lam_bytes *ret_bytes, lam_error *error) {
    LAM_TRY(input->read_at(input->state, (uint64_t)offset, (size_t)size, bytes, error));
    *ret_bytes = (lam_bytes){bytes, (size_t)size};
    return LAM_STATUS_OK;
}

lam_status lam_footer_range_read(const lam_reader *reader, const char *what, int64_t offset,
                                 int64_t size, lam_arena *arena, lam_bytes *ret_bytes,
                                 lam_error *error) {
    uint8_t *bytes;
    LAM_TRY(lam_footer_range_make_room(what, offset, size, reader->footer.offset, arena, &bytes,
                                       error));
    return lam_footer_range_fill(&reader->input, offset, size, bytes, ret_bytes, error);
}
