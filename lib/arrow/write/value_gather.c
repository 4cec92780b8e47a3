/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers values by the kind of their buffers: fixed size, bits, offsets, views. From ranges of
 * slots, with a byte of validity for each slot, come the valid values, back to back.
 *
 *     ranges {0,2} {5,2}, valid 1 0 1 1   ->   slots 0 5 6
 *
 * Most loops write every slot and advance only past valid ones, so that no branch depends on where
 * the nulls are; that takes room for one element more. Offsets of null slots are read, as they must
 * ascend anyway; views of null slots never are, as they may be anything. (Arrow columnar format,
 * "Physical Memory Layout")
 */
#include "arrow/write/value_gather.h"

#include "arrow/array/array_bits.h"
#include "arrow/array/array_text.h"

/* The kinds whose slots are not the value itself, but bits, offsets or views of it. */
bool lam_values_are_slots(const lam_array_view *view) {
    switch (view->kind) {
    case LAM_ARROW_NULL:
    case LAM_ARROW_BOOL:
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return false;
    default:
        return true;
    }
}

/* Must agree with lam_values_gather: callers make room by it. A NULL array has no values. */
size_t lam_values_gathered_size(const lam_array_view *view) {
    if (lam_values_are_slots(view))
        return lam_array_slot_size(view);
    return view->kind == LAM_ARROW_BOOL ? 1 : sizeof(lam_bytes);
}

/* --- Elements of one size ------------------------------------------------------------------ */

/*
 * Removes null slots. Sizes are constants here, so that an element is moved by one load and one
 * store.
 */
#define DEFINE_COMPACT(name, size)                                                                 \
    static size_t name(const uint8_t *from, const uint8_t *valid, size_t count, uint8_t *to) {     \
        size_t done = 0;                                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            memcpy(to + done * (size), from + i * (size), (size));                                 \
            done += valid[i];                                                                      \
        }                                                                                          \
        return done;                                                                               \
    }

DEFINE_COMPACT(compact_1, 1)
DEFINE_COMPACT(compact_2, 2)
DEFINE_COMPACT(compact_4, 4)
DEFINE_COMPACT(compact_8, 8)
DEFINE_COMPACT(compact_16, 16)

/* Long elements: writing those that are null would cost more than the branch. */
static size_t compact_any(const uint8_t *from, const uint8_t *valid, size_t count, size_t size,
                          uint8_t *to) {
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        if (valid[i])
            memcpy(to + done++ * size, from + i * size, size);
    }
    return done;
}

/*
 * Removes null slots of any size; 16 bytes are those of 128-bit decimals and month_day_nano
 * intervals.
 */
static size_t compact(const uint8_t *from, const uint8_t *valid, size_t count, size_t size,
                      uint8_t *to) {
    switch (size) {
    case 1:
        return compact_1(from, valid, count, to);
    case 2:
        return compact_2(from, valid, count, to);
    case 4:
        return compact_4(from, valid, count, to);
    case 8:
        return compact_8(from, valid, count, to);
    case 16:
        return compact_16(from, valid, count, to);
    default:
        return compact_any(from, valid, count, size, to);
    }
}

/* Ranges without nulls are copied in one go. */
static void gather_fixed(const lam_array_view *view, const lam_slot_range *ranges,
                         size_t range_count, const uint8_t *valid, uint8_t *to) {
    size_t size = lam_array_slot_size(view);
    for (size_t i = 0; i < range_count; i++) {
        size_t count = (size_t)ranges[i].count, done = count;
        const uint8_t *from = view->slots + (view->offset + ranges[i].start) * (int64_t)size;
        if (valid == NULL) {
            memcpy(to, from, count * size);
        } else {
            done = compact(from, valid, count, size, to);
            valid += count;
        }
        to += done * size;
    }
}

/* A bit becomes a byte, as lam_triples.values has booleans. */
static void gather_booleans(const lam_kernels *kernels, const lam_array_view *view,
                            const lam_slot_range *ranges, size_t range_count, const uint8_t *valid,
                            uint8_t *to) {
    for (size_t i = 0; i < range_count; i++) {
        int64_t at = view->offset + ranges[i].start;
        size_t count = (size_t)ranges[i].count;
        if (valid == NULL) {
            lam_bits_to_bytes(kernels, view->slots, at, ranges[i].count, to);
            to += count;
            continue;
        }
        for (size_t j = 0; j < count; j++) {
            /* Written for null slots as well: the next one overwrites it. */
            *to = lam_bit_at(view->slots, at + (int64_t)j);
            to += valid[j];
        }
        valid += count;
    }
}

/* --- Bytes --------------------------------------------------------------------------------- */

/*
 * Makes a lam_bytes for each valid slot of a range. The end of a slot is the start of the next, so
 * each offset is read once. `is_large` is a constant in each of the two inlined copies. Offsets
 * were checked with the array.
 */
static inline size_t gather_bytes_range(const lam_array_view *view, bool is_large,
                                        lam_slot_range range, const uint8_t *valid, uint8_t *to) {
    /* An array of empty values may have no data buffer; a value is never NULL. */
    static const uint8_t nothing[1];
    const uint8_t *data = view->extent != NULL ? view->extent : nothing;
    int64_t at = view->offset + range.start;
    int64_t start = lam_load_offset(is_large, view->slots, at);
    size_t done = 0;
    for (int64_t i = 0; i < range.count; i++) {
        int64_t end = lam_load_offset(is_large, view->slots, at + i + 1);
        lam_bytes bytes = {data + start, (size_t)(end - start)};
        memcpy(to + done * sizeof bytes, &bytes, sizeof bytes);
        done += valid == NULL ? 1 : valid[i];
        start = end;
    }
    return done;
}

/* Gathers byte arrays with offsets of either width. */
static void gather_bytes(const lam_array_view *view, const lam_slot_range *ranges,
                         size_t range_count, const uint8_t *valid, uint8_t *to) {
    bool is_large = lam_array_is_large(view->kind);
    for (size_t i = 0; i < range_count; i++) {
        size_t done = is_large ? gather_bytes_range(view, true, ranges[i], valid, to)
                               : gather_bytes_range(view, false, ranges[i], valid, to);
        to += done * sizeof(lam_bytes);
        valid = valid == NULL ? NULL : valid + ranges[i].count;
    }
}

/* Views of null slots are passed over unread: they may refer to buffers that do not exist. */
static void gather_views(const lam_array_view *view, const lam_slot_range *ranges,
                         size_t range_count, const uint8_t *valid, uint8_t *to) {
    for (size_t i = 0; i < range_count; i++) {
        for (int64_t j = 0; j < ranges[i].count; j++) {
            if (valid != NULL && !*valid++)
                continue;
            lam_bytes bytes = lam_array_view_bytes(view, ranges[i].start + j);
            memcpy(to, &bytes, sizeof bytes);
            to += sizeof bytes;
        }
    }
}

/* Each loop gets all ranges of the batch, so the kind is tested once. */
void lam_values_gather(const lam_kernels *kernels, const lam_array_view *view,
                       const lam_slot_range *ranges, size_t range_count, const uint8_t *valid,
                       uint8_t *to) {
    switch (view->kind) {
    case LAM_ARROW_BOOL:
        gather_booleans(kernels, view, ranges, range_count, valid, to);
        break;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
        gather_bytes(view, ranges, range_count, valid, to);
        break;
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        gather_views(view, ranges, range_count, valid, to);
        break;
    default:
        gather_fixed(view, ranges, range_count, valid, to);
        break;
    }
}
