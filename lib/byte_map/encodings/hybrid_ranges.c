/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the runs of the RLE / bit-packing hybrid, and groups of packed numbers wherever they are.
 *
 *     rle run          varint(length << 1)       value, in whole bytes
 *     bit-packed run   varint(groups << 1 | 1)   groups of 8 numbers, bit_width bytes each
 *
 * The decoder is encoding/rle.c, and tests compare the two. The bytes may be anything. The
 * invariant: each run takes at least one byte, so that the work is bounded by the bytes, however
 * many numbers a run claims. (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)"
 * and "Bit-packed (Deprecated) (BIT_PACKED = 4)")
 */
#include "byte_map/encodings/hybrid_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/wrap.h"
#include "byte_map/walk/byte_text.h"

enum { GROUP = 8, HYBRID_VARINT_MOST = 10 };

/* --- Packed groups ------------------------------------------------------------------------- */

uint64_t lam_byte_unpack(const uint8_t *bytes, size_t size, unsigned width, unsigned index,
                         bool is_reversed) {
    uint64_t number = 0;
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = index * width + i;
        if (bit / 8 >= size)
            continue;
        if (is_reversed)
            number |= (uint64_t)(bytes[bit / 8] >> (7 - bit % 8) & 1) << (width - 1 - i);
        else
            number |= (uint64_t)(bytes[bit / 8] >> bit % 8 & 1) << i;
    }
    return number;
}

/* A number as people read it: with its base or as a sum, and its sign. */
LAM_WRAPS static uint64_t number_of(const lam_byte_packed *packed, uint64_t number) {
    number += packed->base;
    if (packed->last != NULL) {
        *packed->last += number;
        number = *packed->last;
    }
    return packed->bits == 32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)number : number;
}

static lam_status report_group(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                               const lam_byte_packed *packed, uint64_t index, size_t count,
                               lam_error *error) {
    uint64_t numbers[GROUP];
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_PACKED_GROUP, view, at, size);
    for (unsigned i = 0; i < count; i++)
        numbers[i] = number_of(packed, lam_byte_unpack(view.data + at, size, packed->bit_width, i,
                                                       packed->is_reversed));
    lam_byte_text_of_numbers(numbers, count, packed->bits != 0, &text);
    range.first = (int64_t)(packed->first + index);
    range.count = (int64_t)count;
    range.bit_width = (int32_t)packed->bit_width;
    range.value = text.text;
    return lam_byte_leaf(walk, &range, error);
}

lam_status lam_byte_groups(lam_byte_walk *walk, lam_byte_view view, const lam_byte_packed *packed,
                           lam_error *error) {
    uint64_t done = 0;
    size_t at = 0;
    while (at < view.size && done < packed->count) {
        size_t size = packed->bit_width < view.size - at ? packed->bit_width : view.size - at;
        size_t count = packed->count - done < GROUP ? (size_t)(packed->count - done) : GROUP;
        LAM_TRY(report_group(walk, view, at, size, packed, done, count, error));
        done += count;
        at += size;
    }
    if (at == view.size)
        return LAM_STATUS_OK;
    lam_byte_range rest = lam_byte_range_in(LAM_BYTE_PADDING, view, at, view.size - at);
    return lam_byte_leaf(walk, &rest, error);
}

/* --- Runs ---------------------------------------------------------------------------------- */

/* A run whose header was read. */
typedef struct hybrid_run {
    bool is_packed;
    size_t head;     /* bytes of its header */
    size_t body;     /* and after it */
    uint64_t length; /* numbers that it has */
    uint64_t used;   /* and those of them that count */
    uint64_t first;
    unsigned bit_width;
} hybrid_run;

/* Reads the header of the run at the start of a view; a text if it is impossible, else NULL. */
static const char *read_run(lam_byte_view view, unsigned bit_width, hybrid_run *run) {
    uint64_t header = 0;
    run->head = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (run->head == view.size || run->head == HYBRID_VARINT_MOST)
            return "the bytes end inside the header of a run";
        uint8_t byte = view.data[run->head++];
        header |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            break;
    }
    size_t left = view.size - run->head;
    run->is_packed = (header & 1) != 0;
    run->length = header >> 1;
    run->bit_width = bit_width;
    if (run->length == 0)
        return "a run of length 0";
    if (run->length > UINT32_MAX)
        return "a run of more numbers than a page can have";
    if (!run->is_packed) {
        run->body = (bit_width + 7) / 8;
        return run->body > left ? "the bytes end inside a run" : NULL;
    }
    uint64_t size = run->length * bit_width;
    run->body = size < left ? (size_t)size : left;
    run->length *= GROUP;
    return NULL;
}

/* Reports the header of a run, and its contents. */
static lam_status inside_of_run(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                lam_error *error) {
    const hybrid_run *run = what;
    lam_byte_text text;
    lam_byte_range head = lam_byte_range_in(LAM_BYTE_RUN_HEADER, view, 0, run->head);
    lam_byte_view body = lam_byte_view_cut(view, run->head, run->body);
    snprintf(text.text, sizeof text.text,
             run->is_packed ? "%" PRIu64 " packed" : "%" PRIu64 " times", run->length);
    head.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &head, error));
    if (run->is_packed) {
        lam_byte_packed packed = {
            .bit_width = run->bit_width, .first = run->first, .count = run->used};
        return lam_byte_groups(walk, body, &packed, error);
    }
    if (run->body == 0)
        return LAM_STATUS_OK;
    uint64_t number = lam_byte_unpack(body.data, body.size, 8 * (unsigned)body.size, 0, false);
    lam_byte_range value = lam_byte_range_in(LAM_BYTE_RUN_VALUE, body, 0, body.size);
    lam_byte_text_of_numbers(&number, 1, false, &text);
    value.value = text.text;
    return lam_byte_leaf(walk, &value, error);
}

static lam_status report_run(lam_byte_walk *walk, lam_byte_view view, const hybrid_run *run,
                             lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(
        run->is_packed ? LAM_BYTE_BIT_PACKED_RUN : LAM_BYTE_RLE_RUN, view, 0, view.size);
    range.first = (int64_t)run->first;
    range.count = (int64_t)run->used;
    range.bit_width = (int32_t)run->bit_width;
    range.is_expandable = true;
    if (!run->is_packed) {
        uint64_t number =
            lam_byte_unpack(view.data + run->head, run->body, 8 * (unsigned)run->body, 0, false);
        lam_byte_text_of_numbers(&number, 1, false, &text);
        range.value = text.text;
    }
    return lam_byte_enter_view(walk, &range, view, inside_of_run, run, error);
}

lam_status lam_byte_runs(lam_byte_walk *walk, lam_byte_view view, unsigned bit_width,
                         uint64_t count, lam_error *error) {
    uint64_t done = 0;
    size_t at = 0;
    if (bit_width > 32)
        return lam_byte_unknown(walk, view, 0, view.size, error, "bit width %u", bit_width);
    while (at < view.size && done < count) {
        hybrid_run run;
        const char *fault = read_run(lam_byte_view_cut(view, at, view.size - at), bit_width, &run);
        if (fault != NULL)
            return lam_byte_unknown(walk, view, at, view.size - at, error, "%s", fault);
        run.first = done;
        run.used = run.length < count - done ? run.length : count - done;
        LAM_TRY(report_run(walk, lam_byte_view_cut(view, at, run.head + run.body), &run, error));
        done += run.used;
        at += run.head + run.body;
    }
    return lam_byte_unknown(walk, view, at, view.size - at, error, "bytes behind the last run");
}
