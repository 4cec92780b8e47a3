/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports levels, and counts the values that they promise: takes a page's bytes from its levels on,
 * and gives ranges of their runs.
 *
 *     V1, RLE          runs_length  runs of that many bytes
 *     V1, BIT_PACKED   groups of 8 levels, the first in the highest bits
 *     V2               runs
 *
 * Levels are always counted as the decoder reads them, whether or not they are shown; if it fails,
 * the values that follow are not understood. (Encodings.md, "Run Length Encoding / Bit-Packing
 * Hybrid", "Bit-packed (Deprecated)"; parquet.thrift, DataPageHeaderV2)
 */
#include "byte_map/encodings/level_ranges.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "byte_map/encodings/hybrid_ranges.h"
#include "byte_map/walk/byte_text.h"
#include "encoding/bit_packed.h"
#include "encoding/rle.h"

enum { LEVELS_BATCH = 1024, RUNS_LENGTH = 4 };

/* --- Counting ------------------------------------------------------------------------------ */

/* Counts levels that are the maximum, run by run; stops when they cannot be read. */
static uint64_t count_highest(lam_byte_view view, const lam_byte_levels *levels) {
    lam_rle_decoder decoder;
    uint8_t batch[LEVELS_BATCH];
    uint64_t left = levels->count, found = 0;
    const lam_kernels *kernels = lam_kernels_get();
    /* unreachable: a level has 8 bits at most */
    if (lam_rle_decoder_init(&decoder, kernels, (lam_bytes){view.data, view.size},
                             lam_bit_width(levels->max_level), NULL) != LAM_STATUS_OK)
        return 0;
    while (left > 0) {
        size_t length;
        uint32_t value;
        bool is_packed;
        if (lam_rle_peek_run(&decoder, (size_t)left, &length, &value, &is_packed, NULL) !=
            LAM_STATUS_OK)
            break;
        if (is_packed && length > LEVELS_BATCH)
            length = LEVELS_BATCH;
        /* unreachable: the decoder has found all bytes of this run */
        if (is_packed && lam_rle_read_levels(&decoder, length, batch, NULL) != LAM_STATUS_OK)
            break;
        /* unreachable: this run is at least that long */
        if (!is_packed && lam_rle_skip(&decoder, length, NULL) != LAM_STATUS_OK)
            break;
        if (is_packed)
            found += kernels->count_u8(batch, length, levels->max_level);
        else if (value == levels->max_level)
            found += length;
        left -= length;
    }
    return found;
}

/* The same for BIT_PACKED levels, all of which are in the view. */
static uint64_t count_highest_packed(lam_byte_view view, const lam_byte_levels *levels,
                                     unsigned width) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < levels->count; i++) {
        unsigned level = 0;
        for (unsigned bit = 0; bit < width; bit++) {
            uint64_t at = i * width + bit;
            level = level << 1 | (view.data[at / 8] >> (7 - at % 8) & 1u);
        }
        found += level == levels->max_level;
    }
    return found;
}

/* --- Reporting ----------------------------------------------------------------------------- */

static lam_byte_range range_of_levels(lam_byte_view view, const lam_byte_levels *levels) {
    lam_byte_range range = lam_byte_range_in(levels->kind, view, 0, view.size);
    range.label = lam_encoding_name(levels->encoding);
    range.first = 0;
    range.count = (int64_t)levels->count;
    range.bit_width = (int32_t)lam_bit_width(levels->max_level);
    range.is_expandable = view.size > 0;
    return range;
}

/* V1: the length of the runs, then these. */
static lam_status inside_of_runs_v1(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                    lam_error *error) {
    const lam_byte_levels *levels = what;
    lam_byte_text text;
    uint64_t length = lam_load_le32(view.data);
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_RUNS_LENGTH, view, 0, RUNS_LENGTH);
    lam_byte_text_of_numbers(&length, 1, false, &text);
    range.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &range, error));
    return lam_byte_runs(walk, lam_byte_view_cut(view, RUNS_LENGTH, view.size - RUNS_LENGTH),
                         lam_bit_width(levels->max_level), levels->count, error);
}

static lam_status inside_of_runs_v2(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                    lam_error *error) {
    const lam_byte_levels *levels = what;
    return lam_byte_runs(walk, view, lam_bit_width(levels->max_level), levels->count, error);
}

static lam_status inside_of_bit_packed(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                       lam_error *error) {
    const lam_byte_levels *levels = what;
    lam_byte_packed packed = {
        .bit_width = lam_bit_width(levels->max_level), .count = levels->count, .is_reversed = true};
    return lam_byte_groups(walk, view, &packed, error);
}

static lam_status levels_damage(lam_byte_walk *walk, lam_byte_view rest, size_t *at,
                                lam_byte_levels *levels, const char *note, lam_error *error) {
    levels->value_count = 0;
    *at += rest.size;
    return lam_byte_unknown(walk, rest, 0, rest.size, error, "%s", note);
}

static lam_status bit_packed_levels(lam_byte_walk *walk, lam_byte_view rest, size_t *at,
                                    lam_byte_levels *levels, lam_error *error) {
    unsigned width = lam_bit_width(levels->max_level);
    uint64_t size = lam_bit_packed_size((uint32_t)levels->count, width);
    if (size > rest.size)
        return levels_damage(walk, rest, at, levels, "the bytes end inside the levels", error);
    lam_byte_view view = lam_byte_view_cut(rest, 0, (size_t)size);
    levels->value_count = count_highest_packed(view, levels, width);
    lam_byte_range range = range_of_levels(view, levels);
    *at += view.size;
    return lam_byte_enter_view(walk, &range, view, inside_of_bit_packed, levels, error);
}

lam_status lam_byte_levels_v1(lam_byte_walk *walk, lam_byte_view view, size_t *at,
                              lam_byte_levels *levels, lam_error *error) {
    lam_byte_view rest = lam_byte_view_cut(view, *at, view.size - *at);
    levels->value_count = levels->count;
    if (levels->max_level == 0 || rest.size == 0)
        return LAM_STATUS_OK;
    if (levels->encoding == LAM_ENCODING_BIT_PACKED)
        return bit_packed_levels(walk, rest, at, levels, error);
    if (levels->encoding != LAM_ENCODING_RLE)
        return levels_damage(walk, rest, at, levels, "levels of another encoding than RLE", error);
    if (rest.size < RUNS_LENGTH || lam_load_le32(rest.data) > rest.size - RUNS_LENGTH)
        return levels_damage(walk, rest, at, levels, "the bytes end inside the levels", error);
    lam_byte_view all = lam_byte_view_cut(rest, 0, RUNS_LENGTH + (size_t)lam_load_le32(rest.data));
    levels->value_count =
        count_highest(lam_byte_view_cut(all, RUNS_LENGTH, all.size - RUNS_LENGTH), levels);
    lam_byte_range range = range_of_levels(all, levels);
    *at += all.size;
    return lam_byte_enter_view(walk, &range, all, inside_of_runs_v1, levels, error);
}

lam_status lam_byte_levels_v2(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                              lam_byte_levels *levels, lam_error *error) {
    lam_byte_view view = {NULL, (size_t)size, begin};
    lam_error cause = lam_error_none();
    lam_buffer buffer;
    levels->value_count = levels->max_level == 0 ? levels->count : 0;
    if (size == 0)
        return LAM_STATUS_OK;
    lam_buffer_init(&buffer, &walk->allocator);
    lam_status status = lam_byte_load(walk, begin, size, &buffer, &view, &cause);
    if (status == LAM_STATUS_OK) {
        lam_byte_range range = range_of_levels(view, levels);
        if (levels->max_level > 0)
            levels->value_count = count_highest(view, levels);
        status = lam_byte_enter_view(walk, &range, view, inside_of_runs_v2, levels, error);
    } else if (lam_byte_is_damage(status)) {
        lam_byte_range range = lam_byte_range_of(LAM_BYTE_UNKNOWN, begin, size);
        range.note = cause.message;
        status = lam_byte_leaf(walk, &range, error);
    } else if (error != NULL) {
        *error = cause;
    }
    lam_buffer_finish(&buffer);
    return status;
}
