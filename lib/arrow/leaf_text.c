/*
 *     OFFSETS   slots   0 | 2 2 5            data   h i y o u       hi, (null), you
 *     VIEWS     slots   16 bytes each: size, then the value when it has up to 12 bytes, or its
 *                       first four bytes, the number of its data buffer and its place there
 *
 * Lengths are put where offsets will be; gaps among them are zeros; then they are summed up.
 */
#include "arrow/leaf_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/utf8.h"
#include "encoding/short_copy.h"
#include "kernel/kernel.h"

enum {
    LEAF_VIEW_SIZE = 16,
    VIEW_INLINE = 12, /* longest value inside a view */
    PREFIX = 4,       /* bytes of a longer value that stand in its view */
    COPY_STEP = 16,   /* bytes moved at once */
    COPY_SLACK = 2 * COPY_STEP
};

/* --- Data ---------------------------------------------------------------------------------- */

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
 * `size` bytes of text of several values back to back: as a whole they are UTF-8, and no value
 * starts inside a character, so that each is UTF-8. Most text is ASCII, where that is plain.
 */
static lam_status leaf_check_text(const uint8_t *text, size_t size, const lam_bytes *elements,
                                  size_t count, lam_error *error) {
    if (lam_kernels_get()->max_u8(text, size) < 0x80)
        return LAM_STATUS_OK;
    bool whole = lam_utf8_prefix(text, size) == size;
    for (size_t i = 0; whole && i < count; i++)
        whole = elements[i].size == 0 || (elements[i].data[0] & 0xC0) != 0x80;
    if (!whole)
        LAM_FAIL(error, LAM_ERROR_CODE_UTF8, "a string is not UTF-8");
    return LAM_STATUS_OK;
}

/* --- Offsets ------------------------------------------------------------------------------- */

/* Puts the lengths where offsets will be; gives their sum. */
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

static inline void leaf_copy_step(uint8_t *to, const uint8_t *from) {
    memcpy(to, from, COPY_STEP);
    memcpy(to + COPY_STEP, from + COPY_STEP, COPY_STEP);
}

/* Values back to back, with COPY_SLACK bytes of room behind them. */
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

static lam_status append_offsets(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                                 lam_error *error) {
    size_t size = put_lengths(values, elements, count);
    LAM_TRY(reserve_data(values, size, error));
    uint8_t *start = values->data->data + values->data_size;
    leaf_copy_values(elements, count, values->text_end, start);
    values->data_size += size;
    return values->is_text ? leaf_check_text(start, size, elements, count, error) : LAM_STATUS_OK;
}

void lam_leaf_text_spread(lam_leaf_values *values, const uint8_t *bits, size_t count) {
    const lam_kernels *kernels = lam_kernels_get();
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

static size_t outside_size(const lam_bytes *elements, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += elements[i].size > VIEW_INLINE ? elements[i].size : 0;
    return total;
}

/* The numbers in a view have the byte order of the machine, as all of Arrow. */
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

static lam_status check_each(const lam_bytes *elements, size_t count, lam_error *error) {
    for (size_t i = 0; i < count; i++)
        if (lam_utf8_prefix(elements[i].data, elements[i].size) != elements[i].size)
            LAM_FAIL(error, LAM_ERROR_CODE_UTF8, "a string is not UTF-8");
    return LAM_STATUS_OK;
}

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
