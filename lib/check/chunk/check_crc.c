/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a page's bytes, as they are in the file, with the checksum in its header.
 *
 * The walk is at the page and stays there. Pages without a checksum pass, and so do pages that are
 * too large to be fetched: the code that opens them reports that. (README.md of the format,
 * "Checksumming")
 */
#include "check/chunk/check_crc.h"

#include <inttypes.h>

#include "base/crc32.h"
#include "base/error.h"

/*
 * A page above the memory limit is not fetched; opening it reports the limit. The walk has checked
 * that the size is not negative.
 */
lam_status lam_check_crc(lam_chunk_check *chunk, const lam_meta_page_header *header,
                         uint64_t offset, bool *ret_good) {
    lam_checker *checker = chunk->checker;
    lam_bytes body;
    *ret_good = true;
    if ((header->has & LAM_META_PAGE_HEADER_HAS_CRC) == 0 ||
        (uint64_t)header->compressed_page_size > checker->memory_limit)
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_walk_body(&chunk->pages.walk, &body, checker->error));
    uint32_t actual = lam_crc32(0, body.data, body.size), stated = (uint32_t)header->crc;
    *ret_good = actual == stated;
    if (*ret_good)
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_PAGE_CRC, lam_check_at(chunk->location, offset),
                            "the page does not match its checksum: %08" PRIx32 " stated, %08" PRIx32
                            " found",
                            stated, actual);
}
