/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes PLAIN values, which are back to back without a header: data pages, and the only
 * encoding of dictionary pages. (Encodings.md, "Plain: (PLAIN = 0)")
 *
 *     BOOLEAN                1 bit, LSB first      true false true true  ->  00001101
 *     INT32, FLOAT           4 bytes, little endian
 *     INT64, DOUBLE          8 bytes, little endian
 *     INT96                  12 bytes as they are
 *     FIXED_LEN_BYTE_ARRAY   type_length bytes as they are
 *     BYTE_ARRAY             length, 4 bytes, little endian; then the bytes
 *
 *                            "ab", ""  ->  02 00 00 00 61 62  00 00 00 00
 *
 * decoder->next is always the first byte that has an unread value, and every read checks the bytes
 * left before it takes any; byte arrays become views into the page.
 */
#include "encoding/plain.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernel/kernel.h"

enum {
    PLAIN_LENGTH_SIZE = 4,
    PLAIN_BLOCK = 512 /* positions that are looked up together, on the stack */
};

/* --- Numbers and byte arrays of one length ------------------------------------------------- */

/* INT96 and byte arrays have no byte order; on little-endian machines there is nothing to do. */
void lam_plain_swap(lam_value_layout layout, void *elements, size_t count) {
    if (!LAM_BIG_ENDIAN)
        return;
    uint8_t *bytes = elements;
    bool is_4 = layout.type == LAM_PHYSICAL_INT32 || layout.type == LAM_PHYSICAL_FLOAT;
    bool is_8 = layout.type == LAM_PHYSICAL_INT64 || layout.type == LAM_PHYSICAL_DOUBLE;
    for (size_t i = 0; is_4 && i < count; i++) {
        uint32_t x = lam_load_le32(bytes + 4 * i);
        memcpy(bytes + 4 * i, &x, sizeof x);
    }
    for (size_t i = 0; is_8 && i < count; i++) {
        uint64_t x = lam_load_le64(bytes + 8 * i);
        memcpy(bytes + 8 * i, &x, sizeof x);
    }
}

/* Copies elements to little-endian bytes or back, which is the same work. */
static void copy_little_endian(lam_value_layout layout, const void *from, size_t count, void *to) {
    size_t size = lam_layout_size(layout);
    if (size == 0 || count == 0)
        return;
    memcpy(to, from, size * count);
    lam_plain_swap(layout, to, count);
}

static lam_status plain_fail_short(size_t count, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "PLAIN values end before the last of %zu more",
             count);
}

/* The product is checked: a count from a page header times a size could wrap. */
lam_status lam_plain_read_fixed(lam_decoder *decoder, size_t count, void *values,
                                lam_error *error) {
    size_t here = (size_t)(decoder->end - decoder->next);
    size_t size;
    if (!lam_mul_size(count, lam_layout_size(decoder->layout), &size) || size > here)
        return plain_fail_short(count, error);
    copy_little_endian(decoder->layout, decoder->next, count, values);
    decoder->next += size;
    return LAM_STATUS_OK;
}

/* Elements of a page are looked up by their positions as those of a dictionary are by indexes. */
lam_status lam_plain_pick_fixed(lam_decoder *decoder, size_t count, const lam_value_picks *picks,
                                void *values, lam_error *error) {
    const uint8_t *from = decoder->next;
    size_t size = lam_layout_size(decoder->layout);
    uint32_t indexes[PLAIN_BLOCK];
    LAM_TRY(lam_plain_skip_fixed(decoder, count, error));
    for (size_t at = 0, some; at < picks->count; at += some) {
        some = picks->count - at < PLAIN_BLOCK ? picks->count - at : PLAIN_BLOCK;
        for (size_t i = 0; i < some; i++)
            indexes[i] = (uint32_t)(picks->positions[at + i] - picks->first);
        decoder->kernels->gather(from, size, indexes, some, (uint8_t *)values + at * size);
    }
    lam_plain_swap(decoder->layout, values, picks->count);
    return LAM_STATUS_OK;
}

lam_status lam_plain_skip_fixed(lam_decoder *decoder, size_t count, lam_error *error) {
    size_t here = (size_t)(decoder->end - decoder->next);
    size_t size;
    if (!lam_mul_size(count, lam_layout_size(decoder->layout), &size) || size > here)
        return plain_fail_short(count, error);
    decoder->next += size;
    return LAM_STATUS_OK;
}

/* Appends numbers and byte arrays of one length. */
static lam_status append_fixed(lam_value_layout layout, const void *values, size_t count,
                               lam_buffer *out, lam_error *error) {
    size_t size;
    if (!lam_mul_size(count, lam_layout_size(layout), &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu values", count);
    if (size == 0) /* the buffer may have no memory yet */
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_reserve(out, size, error));
    copy_little_endian(layout, values, count, out->data + out->size);
    out->size += size;
    return LAM_STATUS_OK;
}

/* --- Byte arrays --------------------------------------------------------------------------- */

/* `here` counts from the length on, which has been read. */
static lam_status fail_long(uint32_t length, size_t here, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "a byte array of %u bytes where %zu are left",
             length, here - PLAIN_LENGTH_SIZE);
}

/*
 * Makes views. A value may have 0 bytes, but never fewer than its length's four: so the loop ends
 * after a quarter of the page's bytes at the latest, whatever `count` is.
 */
lam_status lam_plain_read_byte_arrays(lam_decoder *decoder, size_t count, void *values,
                                      lam_error *error) {
    lam_bytes *views = values;
    const uint8_t *next = decoder->next;
    for (size_t i = 0; i < count; i++) {
        size_t here = (size_t)(decoder->end - next);
        if (here < PLAIN_LENGTH_SIZE)
            return plain_fail_short(count - i, error);
        uint32_t length = lam_load_le32(next);
        if (length > here - PLAIN_LENGTH_SIZE)
            return fail_long(length, here, error);
        views[i].data = next + PLAIN_LENGTH_SIZE;
        views[i].size = length;
        next += PLAIN_LENGTH_SIZE + length;
    }
    decoder->next = next;
    return LAM_STATUS_OK;
}

/*
 * Walks over the lengths, with the checks of reading. Each value up to the last picked one becomes
 * a view, which the next one replaces unless it is picked: no branch depends on the positions.
 */
lam_status lam_plain_pick_byte_arrays(lam_decoder *decoder, size_t count,
                                      const lam_value_picks *picks, void *values,
                                      lam_error *error) {
    lam_bytes *views = values;
    const uint8_t *next = decoder->next;
    size_t passed = 0;
    for (size_t picked = 0; picked < picks->count; passed++) {
        size_t here = (size_t)(decoder->end - next);
        if (here < PLAIN_LENGTH_SIZE)
            return plain_fail_short(count - passed, error);
        uint32_t length = lam_load_le32(next);
        if (length > here - PLAIN_LENGTH_SIZE)
            return fail_long(length, here, error);
        views[picked].data = next + PLAIN_LENGTH_SIZE;
        views[picked].size = length;
        picked += picks->positions[picked] - picks->first == passed;
        next += PLAIN_LENGTH_SIZE + length;
    }
    decoder->next = next;
    return lam_plain_skip_byte_arrays(decoder, count - passed, error);
}

/* Walks over the lengths, with the checks of reading. */
lam_status lam_plain_skip_byte_arrays(lam_decoder *decoder, size_t count, lam_error *error) {
    const uint8_t *next = decoder->next;
    for (size_t i = 0; i < count; i++) {
        size_t here = (size_t)(decoder->end - next);
        if (here < PLAIN_LENGTH_SIZE)
            return plain_fail_short(count - i, error);
        uint32_t length = lam_load_le32(next);
        if (length > here - PLAIN_LENGTH_SIZE)
            return fail_long(length, here, error);
        next += PLAIN_LENGTH_SIZE + length;
    }
    decoder->next = next;
    return LAM_STATUS_OK;
}

/* Two passes: sizes are checked and summed first, so that the copies need no checks. */
static lam_status append_byte_arrays(const lam_bytes *values, size_t count, lam_buffer *out,
                                     lam_error *error) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].size > INT32_MAX)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "a byte array of %zu bytes; the maximum is %d",
                     values[i].size, INT32_MAX);
        /* unreachable: when a size has 64 bits, that takes 2^33 values of 2 GiB */
        if (!lam_add_size(total, PLAIN_LENGTH_SIZE + values[i].size, &total))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
    }
    LAM_TRY(lam_buffer_reserve(out, total, error));
    uint8_t *next = out->data + out->size;
    for (size_t i = 0; i < count; i++) {
        lam_store_le32(next, (uint32_t)values[i].size);
        if (values[i].size > 0)
            memcpy(next + PLAIN_LENGTH_SIZE, values[i].data, values[i].size);
        next += PLAIN_LENGTH_SIZE + values[i].size;
    }
    out->size += total;
    return LAM_STATUS_OK;
}

/* --- Booleans ------------------------------------------------------------------------------ */

/*
 * Unpacks booleans. decoder->bit is the number of bits of *next that are used: the bits up to the
 * next byte boundary are taken one by one, the others by the kernel.
 */
lam_status lam_plain_read_booleans(lam_decoder *decoder, size_t count, void *values,
                                   lam_error *error) {
    uint8_t *bools = values;
    size_t here = (size_t)(decoder->end - decoder->next);
    /* Bytes that hold the bits, the one in use included; written so that it cannot overflow. */
    size_t bytes = count / 8 + (count % 8 + decoder->bit + 7) / 8;
    if (bytes > here)
        return plain_fail_short(count, error);
    size_t done = 0;
    for (; decoder->bit != 0 && done < count; done++) {
        bools[done] = *decoder->next >> decoder->bit & 1;
        decoder->bit = (decoder->bit + 1) % 8;
        decoder->next += decoder->bit == 0;
    }
    if (done < count)
        decoder->kernels->unpack_u8(decoder->next, 1, count - done, bools + done);
    decoder->next += (count - done) / 8;
    decoder->bit += (unsigned)((count - done) % 8);
    return LAM_STATUS_OK;
}

/* Moves `next` and `bit` on by `count` bits. */
lam_status lam_plain_skip_booleans(lam_decoder *decoder, size_t count, lam_error *error) {
    size_t here = (size_t)(decoder->end - decoder->next);
    size_t bytes = count / 8 + (count % 8 + decoder->bit + 7) / 8;
    if (bytes > here)
        return plain_fail_short(count, error);
    decoder->next += count / 8 + (count % 8 + decoder->bit) / 8;
    decoder->bit = (unsigned)((count % 8 + decoder->bit) % 8);
    return LAM_STATUS_OK;
}

/*
 * Packs booleans. encoder->bit is the number of bits used of the last byte, 0 when it is full; that
 * byte is filled first, bit by bit, so that the kernel starts at a byte.
 */
static lam_status write_booleans(lam_encoder *encoder, const uint8_t *bools, size_t count,
                                 lam_error *error) {
    lam_buffer *out = &encoder->bytes;
    LAM_TRY(lam_buffer_reserve(out, count / 8 + 1, error));
    size_t done = 0;
    for (; encoder->bit != 0 && done < count; done++) {
        out->data[out->size - 1] |= (uint8_t)((bools[done] != 0) << encoder->bit);
        encoder->bit = (encoder->bit + 1) % 8;
    }
    if (done < count)
        encoder->kernels->pack_bools(bools + done, count - done, out->data + out->size);
    out->size += (count - done + 7) / 8;
    encoder->bit = (encoder->bit + (unsigned)((count - done) % 8)) % 8;
    return LAM_STATUS_OK;
}

/* ------------------------------------------------------------------------------------------- */

lam_status lam_plain_read_end(const lam_decoder *decoder, lam_error *error) {
    size_t here = (size_t)(decoder->end - decoder->next);
    if (decoder->layout.type == LAM_PHYSICAL_BOOLEAN)
        here -= decoder->bit != 0; /* the remainder of this byte is padding */
    if (here > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu bytes after the last PLAIN value", here);
    return LAM_STATUS_OK;
}

lam_status lam_plain_append(lam_value_layout layout, const void *values, size_t count,
                            lam_buffer *out, lam_error *error) {
    if (count == 0)
        return LAM_STATUS_OK;
    if (layout.type == LAM_PHYSICAL_BYTE_ARRAY)
        return append_byte_arrays(values, count, out, error);
    return append_fixed(layout, values, count, out, error);
}

lam_status lam_plain_write(lam_encoder *encoder, const void *values, size_t count,
                           lam_error *error) {
    if (encoder->layout.type == LAM_PHYSICAL_BOOLEAN)
        return write_booleans(encoder, values, count, error);
    return lam_plain_append(encoder->layout, values, count, &encoder->bytes, error);
}
