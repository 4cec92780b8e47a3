/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads bytes that a scan does not depend on: takes the offsets and sizes of page indexes and Bloom
 * filters that the footer states, and gives bytes, or none if the statement cannot be true. Only IO
 * and NOMEM are ever failures, because a filter must give the same rows with a damaged index as
 * without any.
 */
#include "scan/prune/index_bytes.h"

#include "base/error.h"
#include "file/read/footer_range.h"

lam_status lam_index_bytes_read(const lam_reader *reader, int64_t offset, int64_t size,
                                lam_arena *arena, uint64_t *bytes_read, lam_bytes *ret_bytes,
                                lam_error *error) {
    uint8_t *bytes;
    lam_error failure = lam_error_none();
    *ret_bytes = (lam_bytes){NULL, 0};
    bool good;
    lam_status status = lam_footer_range_make_room("an index", offset, size, reader->footer.offset,
                                                   arena, &bytes, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (!good)
        return LAM_STATUS_OK;
    LAM_TRY(lam_footer_range_fill(&reader->input, offset, size, bytes, ret_bytes, error));
    *bytes_read += (uint64_t)size;
    return LAM_STATUS_OK;
}

/*
 * Turns every status but NOMEM into "not good". A limit that is exceeded counts as damage: the
 * budget of indexes must not stop a scan.
 */
lam_status lam_index_forgive(lam_status status, const lam_error *failure, bool *ret_good,
                             lam_error *error) {
    *ret_good = status == LAM_STATUS_OK;
    if (status != LAM_STATUS_NOMEM)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}
