/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a range of bytes that the footer refers to: an index, or a Bloom filter. Takes an offset
 * and a size as the footer states them, both signed and neither trusted, and gives bytes in an
 * arena.
 *
 * No memory is ever allocated, nor a byte read, before the range is known to be between the first
 * magic and the footer, so that a stated size of terabytes costs nothing. scan/prune/index_bytes.c
 * does the same for readers that do not depend on the bytes; here an impossible range is CORRUPT.
 */
#include "file/read/footer_range.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"

bool lam_footer_range_fits(const lam_reader *reader, int64_t offset, int64_t size) {
    return offset >= LAM_FOOTER_MAGIC_SIZE && size > 0 &&
           lam_range_fits((uint64_t)offset, (uint64_t)size, reader->footer.offset);
}

lam_status lam_footer_range_read(const lam_reader *reader, const char *what, int64_t offset,
                                 int64_t size, lam_arena *arena, lam_bytes *ret_bytes,
                                 lam_error *error) {
    uint8_t *bytes;
    /* SIZE_MAX matters if size_t has 32 bits. */
    if (!lam_footer_range_fits(reader, offset, size) || (uint64_t)size > SIZE_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_INDEX_RANGE,
                 "%s has %" PRId64 " bytes at offset %" PRId64
                 ", but the footer starts at %" PRIu64,
                 what, size, offset, reader->footer.offset);
    LAM_TRY(lam_arena_bytes(arena, (size_t)size, &bytes, error));
    LAM_TRY(
        reader->input.read_at(reader->input.state, (uint64_t)offset, (size_t)size, bytes, error));
    ret_bytes->data = bytes;
    ret_bytes->size = (size_t)size;
    return LAM_STATUS_OK;
}
