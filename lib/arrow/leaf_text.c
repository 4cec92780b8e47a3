/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies byte arrays into the data buffer of an array and makes the slots that lead to them. In:
 * elements that borrow from a page. Out: buffers of the array, which owns the copy.
 *
 *     OFFSETS   slots   0 | 2 2 5            data   h i y o u       hi, (null), you
 *     VIEWS     slots   16 bytes each: size, then the value when it has up to 12 bytes, or its
 *                       first four bytes, the number of its data buffer and its offset there
 *
 * Between append and spread the slots of OFFSETS hold lengths, not offsets: spread puts zeros
 * between them, and the running sum turns lengths into offsets, so that an empty slot repeats the
 * offset before it. (Arrow columnar format, "Variable-size Binary Layout", "Variable-size Binary
 * View Layout")
 */
#include "arrow/leaf_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/utf8.h"
#include "encoding/short_copy.h"

enum {
    LEAF_VIEW_SIZE = 16,
    VIEW_INLINE = 12,          /* longest value that is stored inside its view */
    PREFIX = 4,                /* bytes of a longer value that its view repeats */
    COPY_STEP = 16,            /* bytes that one load and store move */
    COPY_SLACK = 2 * COPY_STEP /* bytes that a copy may write from the start of a value */
};

/* --- Data ---------------------------------------------------------------------------------- */

/*
 * Makes room for `size` more bytes, and COPY_SLACK beyond them. The sum must stay within what the
 * offsets of the form can address; that is checked before anything is copied.
 */
static lam_status reserve_data(lam_leaf_values *values, size_t size, lam_error *error) {
    size_t wanted;
    if (!lam_add_size(values->data_size, size, &wanted) || wanted > values->data_most)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "strings of more than %" PRIu64
                 " bytes in one array: read smaller batches, or use a type with large offsets",
                 (uint64_t)values->data_most);
    if (values->data == NULL && wanted < values->expected_data)
        wanted = values->expected_data;
    return lam_array_block_reserve(values->store, &values->data, values->data_size,
                                   wanted + COPY_SLACK, error);
}

/*
 * Checks that each of several values is UTF-8, given their text back to back: all of it is, and no
 * value starts inside of a character. One pass over long text is faster than a call per short
 * value, and most text is ASCII, where the maximum of the bytes is enough.
 */
static lam_status leaf_check_text(const lam_kernels *kernels, const uint8_t *text, size_t size,
                                  const lam_bytes *elements, size_t count, lam_error *error) {
    if (kernels->max_u8(text, size) < 0x80)
        return LAM_STATUS_OK;
    bool whole = lam_utf8_prefix(text, size) == size;
    for (size_t i = 0; whole && i < count; i++)
        whole = elements[i].size == 0 || (elements[i].data[0] & 0xC0) != 0x80;
    if (!whole)
        LAM_FAIL(error, LAM_ERROR_CODE_UTF8, "a string is not UTF-8");
    return LAM_STATUS_OK;
}

/* --- Offsets ------------------------------------------------------------------------------- */

/*
 * Writes lengths into the slots where offsets will be, and returns their sum. A length that 32 bits
 * cut is never used: its sum fails in reserve_data.
 */
static size_t put_lengths(lam_leaf_values *values, const lam_bytes *elements, size_t count) {
    size_t at = 1 + values->count + values->pending, total = 0;
    if (values->form == LAM_LEAF_FORM_OFFSETS_32) {
        uint32_t *lengths = (uint32_t *)(void *)values->slots->data + at;
        for (size_t i = 0; i < count; i++) {
            lengths[i] = (uint32_t)elements[i].size;
            total += elements[i].size;
        }
    } else {
        uint64_t *lengths = (uint64_t *)(void *)values->slots->data + at;
        for (size_t i = 0; i < count; i++) {
            lengths[i] = elements[i].size;
            total += elements[i].size;
        }
    }
    return total;
}

/* Two loads and stores of constant size: no call, no branch on the length. */
static inline void leaf_copy_step(uint8_t *to, const uint8_t *from) {
    memcpy(to, from, COPY_STEP);
    memcpy(to + COPY_STEP, from + COPY_STEP, COPY_STEP);
}

/*
 * Copies values back to back into room with COPY_SLACK bytes beyond their end. Short values are
 * copied as 32 bytes whatever their size; the garbage is overwritten by the next value or lies
 * beyond the last. That is done only where 32 bytes can be read: not past `text_end`, and not for
 * values that lie elsewhere.
 */
static void leaf_copy_values(const lam_bytes *elements, size_t count, const uint8_t *text_end,
                             uint8_t *to) {
    uintptr_t end = (uintptr_t)text_end;
    for (size_t i = 0; i < count; i++) {
        size_t size = elements[i].size;
        const uint8_t *from = elements[i].data;
        if (size <= COPY_SLACK && end - (uintptr_t)from >= COPY_SLACK && (uintptr_t)from < end)
            leaf_copy_step(to, from);
        else
            lam_copy_short(to, from, size);
        to += size;
    }
}

/* Appends values of the form OFFSETS: lengths, then the bytes, which are checked in the copy. */
static lam_status append_offsets(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                                 lam_error *error) {
    size_t size = put_lengths(values, elements, count);
    LAM_TRY(reserve_data(values, size, error));
    uint8_t *start = values->data->data + values->data_size;
    leaf_copy_values(elements, count, values->text_end, start);
    values->data_size += size;
    return values->is_text ? leaf_check_text(values->kernels, start, size, elements, count, error)
                           : LAM_STATUS_OK;
}

/*
 * Turns lengths into offsets, those of empty slots included:
 *
 *     appended  0 | 2 3     spread by bits 1 0 1  0 | 2 0 3     summed  0 | 2 2 5
 */
void lam_leaf_text_spread(lam_leaf_values *values, const uint8_t *bits, size_t count) {
    const lam_kernels *kernels = values->kernels;
    bool gaps = bits != NULL && values->pending < count;
    if (values->form == LAM_LEAF_FORM_OFFSETS_32) {
        uint32_t *offsets = (uint32_t *)(void *)values->slots->data + values->count;
        if (gaps)
            kernels->spread(offsets + 1, sizeof *offsets, values->pending, bits, count);
        kernels->sum_u32(offsets + 1, count, 0, offsets[0]);
    } else {
        uint64_t *offsets = (uint64_t *)(void *)values->slots->data + values->count;
        if (gaps)
            kernels->spread(offsets + 1, sizeof *offsets, values->pending, bits, count);
        kernels->sum_u64(offsets + 1, count, 0, offsets[0]);
    }
}

/* --- Views --------------------------------------------------------------------------------- */

/* The bytes of values that are too long to be inside their views. */
static size_t outside_size(const lam_bytes *elements, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += elements[i].size > VIEW_INLINE ? elements[i].size : 0;
    return total;
}

/*
 * Writes one view, with the numbers in the byte order of the machine. Unused bytes are 0, as Arrow
 * demands for short values. There is one data buffer, so its number is 0.
 */
static void put_view(uint8_t *view, const lam_bytes *element, size_t offset) {
    int32_t size = (int32_t)element->size, buffer = 0, position = (int32_t)offset;
    memset(view, 0, LEAF_VIEW_SIZE);
    memcpy(view, &size, 4);
    if (element->size <= VIEW_INLINE) {
        lam_copy_short(view + 4, element->data, element->size);
    } else {
        memcpy(view + 4, element->data, PREFIX);
        memcpy(view + 8, &buffer, 4);
        memcpy(view + 12, &position, 4);
    }
}

/* Values of the form VIEWS are not back to back anywhere, so each is checked by itself. */
static lam_status check_each(const lam_bytes *elements, size_t count, lam_error *error) {
    for (size_t i = 0; i < count; i++)
        if (lam_utf8_prefix(elements[i].data, elements[i].size) != elements[i].size)
            LAM_FAIL(error, LAM_ERROR_CODE_UTF8, "a string is not UTF-8");
    return LAM_STATUS_OK;
}

/* Appends values of the form VIEWS. Bytes that are not text are taken as they are. */
static lam_status append_views(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                               lam_error *error) {
    LAM_TRY(reserve_data(values, outside_size(elements, count), error));
    uint8_t *view = values->slots->data + (values->count + values->pending) * LEAF_VIEW_SIZE;
    if (values->is_text)
        LAM_TRY(check_each(elements, count, error));
    for (size_t i = 0; i < count; i++, view += LEAF_VIEW_SIZE) {
        put_view(view, &elements[i], values->data_size);
        if (elements[i].size <= VIEW_INLINE)
            continue;
        memcpy(values->data->data + values->data_size, elements[i].data, elements[i].size);
        values->data_size += elements[i].size;
    }
    return LAM_STATUS_OK;
}

lam_status lam_leaf_text_append(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                                lam_error *error) {
    if (values->form == LAM_LEAF_FORM_VIEWS)
        return append_views(values, elements, count, error);
    return append_offsets(values, elements, count, error);
}
