/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads single values of hybrid runs by their ascending positions, and leaves the decoder after the
 * last value that was passed. Each value of a packed run is found alone, so the cost is that of the
 * picked ones and of the runs.
 *
 *     bit width 3, position 5      88 C6 FA      bits 15 to 17, from byte 1 on: 101
 *
 * No byte after the stream is ever read, whatever a run states. (Encodings.md, "Run Length Encoding
 * / Bit-Packing Hybrid (RLE = 3)")
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "encoding/rle.h"

/*
 * Reads value `at` of the open packed run by one load of eight bytes, zeros past the stream's end:
 * a value ends within 39 bits of the byte that it begins in.
 */
static inline uint32_t rle_pick_packed(const lam_rle_decoder *decoder, uint64_t at) {
    unsigned width = decoder->bit_width;
    const uint8_t *first = decoder->packed + at * width / 8;
    size_t here = (size_t)(decoder->end - first);
    uint8_t last[sizeof(uint64_t)] = {0};
    if (here < sizeof last) {
        memcpy(last, first, here);
        first = last;
    }
    return (uint32_t)(lam_load_le64(first) >> at * width % 8 & (((uint64_t)1 << width) - 1));
}

lam_status lam_rle_pick_indexes(lam_rle_decoder *decoder, const uint16_t *positions,
                                size_t position_count, size_t first, size_t count,
                                uint32_t *indexes, lam_error *error) {
    size_t picked = 0;
    for (size_t end = first + count, some; first < end; first += some) {
        uint32_t value;
        bool packed;
        LAM_TRY(lam_rle_peek_run(decoder, end - first, &some, &value, &packed, error));
        for (; picked < position_count && positions[picked] < first + some; picked++) {
            uint64_t at = decoder->packed_at + (positions[picked] - first);
            indexes[picked] = packed ? rle_pick_packed(decoder, at) : value;
        }
        lam_rle_pass(decoder, some);
    }
    return LAM_STATUS_OK;
}
