/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies byte arrays into the data buffer of an array and makes the slots that lead to them. The
 * elements borrow from a page; the array owns the copy.
 *
 *     OFFSETS   slots   0 | 2 2 5            data   h i y o u       hi, (null), you
 *     VIEWS     slots   16 bytes each: size, then the value when it has up to 12 bytes, or its
 *                       first four bytes, the number of its data buffer and its offset there
 *
 * Between append and spread the slots of OFFSETS always hold lengths, not offsets: spread puts
 * zeros between them, and the running sum turns lengths into offsets, so that an empty slot repeats
 * the offset before it. (Arrow columnar format, "Variable-size Binary Layout", "Variable-size
 * Binary View Layout")
 */
#include "arrow/read/leaf_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
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
static lam_status reserve_data(lam_leaf_values *values, uint64_t size, lam_error *error) {
    if (size > values->data_most - values->data_size)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "strings of more than %" PRIu64
                 " bytes in one array: read smaller batches, or use a type with large offsets",
                 (uint64_t)values->data_most);
    size_t wanted = values->data_size + (size_t)size;
    /* The values to come are in pages, if some are lent. */
    if (values->data == NULL && wanted < values->expected_data &&
        values->lent_count < LAM_LEAF_PAGE_DATA)
        wanted = values->expected_data;
    return lam_array_block_reserve(values->store, &values->data, values->data_size,
                                   wanted + COPY_SLACK, error);
}

static lam_status check_utf8(bool good, lam_error *error) {
    if (!good)
        LAM_FAIL(error, LAM_ERROR_CODE_UTF8, "a string is not UTF-8");
    return LAM_STATUS_OK;
}

/* True if no value begins inside a character, at a byte 10xxxxxx. */
static bool leaf_starts_characters(const lam_bytes *elements, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= elements[i].size == 0 || (elements[i].data[0] & 0xC0) != 0x80;
    return good;
}

/*
 * Checks that each of several values is UTF-8, given their text back to back: all of it is, and no
 * value starts inside a character. One pass over long text is faster than a call per short value,
 * and most text is ASCII, where the maximum of the bytes is enough.
 */
static lam_status leaf_check_text(const lam_kernels *kernels, const uint8_t *text, size_t size,
                                  const lam_bytes *elements, size_t count, lam_error *error) {
    return check_utf8(kernels->max_u8(text, size) < 0x80 ||
                          (kernels->is_utf8(text, size) && leaf_starts_characters(elements, count)),
                      error);
}

/*
 * The same for values within one text, in its order and with anything between them: if all of it is
 * UTF-8, values that begin and end at characters are. Lengths between values are ASCII if they are
 * short; false may also be caused by others, or by values that are not wanted.
 */
static bool leaf_page_is_utf8(const lam_kernels *kernels, const lam_bytes *elements, size_t count) {
    const uint8_t *start = elements[0].data;
    const uint8_t *end = elements[count - 1].data + elements[count - 1].size;
    bool good = kernels->is_utf8(start, (size_t)(end - start));
    for (size_t i = 0; i < count && good; i++) {
        const uint8_t *behind = elements[i].data + elements[i].size;
        good = (elements[i].size == 0 || (elements[i].data[0] & 0xC0) != 0x80) &&
               (behind >= end || (*behind & 0xC0) != 0x80);
    }
    return good;
}

/*
 * The same for values that are not back to back anywhere: short ones are first copied into one
 * text, which stays in the nearest cache, because a check has a fixed cost for each text.
 */
static bool leaf_values_are_utf8(const lam_kernels *kernels, const lam_bytes *elements,
                                 size_t count) {
    enum { TEXT = 2048, SHORT = 256 };
    uint8_t text[TEXT];
    size_t used = 0;
    bool good = leaf_starts_characters(elements, count);
    for (size_t i = 0; i < count && good; i++) {
        size_t size = elements[i].size;
        if (used + size > TEXT || size > SHORT) {
            good = kernels->is_utf8(text, used);
            used = 0;
        }
        if (size > SHORT) {
            good = good && kernels->is_utf8(elements[i].data, size);
        } else {
            lam_copy_short(text + used, elements[i].data, size);
            used += size;
        }
    }
    return good && kernels->is_utf8(text, used);
}

/* --- Offsets ------------------------------------------------------------------------------- */

/*
 * Writes lengths into the slots where offsets will be, and returns their sum. A length cut to 32
 * bits is never used: its sum fails in reserve_data. The sum has 64 bits on any machine, as a
 * dictionary's value may occur many times.
 */
static uint64_t put_lengths(lam_leaf_values *values, const lam_bytes *elements, size_t count) {
    size_t at = 1 + values->count + values->pending;
    uint64_t total = 0;
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
 * Copies a value of any size in steps of 32 bytes, as many as it takes; `room` is what can be read
 * from its start, and as much can be written.
 */
static inline void copy_long(uint8_t *to, const uint8_t *from, size_t size, size_t room) {
    if (room < size + COPY_SLACK || size > 8 * COPY_SLACK) {
        memcpy(to, from, size);
        return;
    }
    for (size_t done = 0; done < size; done += COPY_SLACK)
        leaf_copy_step(to + done, from + done);
}

/*
 * Copies values back to back into room with COPY_SLACK bytes beyond their end. Short values are
 * copied as 32 bytes whatever their size, longer ones in steps of 32; the garbage is overwritten by
 * the next value or is beyond the last. That is done only where 32 bytes can be read: not past
 * `text_end`, and not for values elsewhere.
 */
static void leaf_copy_values(const lam_bytes *elements, size_t count, const uint8_t *text_end,
                             uint8_t *to) {
    uintptr_t end = (uintptr_t)text_end;
    for (size_t i = 0; i < count; i++) {
        size_t size = elements[i].size;
        const uint8_t *from = elements[i].data;
        size_t room = (uintptr_t)from < end ? end - (uintptr_t)from : 0;
        if (room < COPY_SLACK)
            lam_copy_short(to, from, size);
        else if (size <= COPY_SLACK)
            leaf_copy_step(to, from);
        else
            copy_long(to, from, size, room);
        to += size;
    }
}

/* Appends values of the form OFFSETS: lengths, then the bytes, which are checked in the copy. */
static lam_status append_offsets(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                                 lam_error *error) {
    uint64_t total = put_lengths(values, elements, count);
    LAM_TRY(reserve_data(values, total, error));
    size_t size = (size_t)total;
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
static uint64_t outside_size(const lam_bytes *elements, size_t count) {
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += elements[i].size > VIEW_INLINE ? elements[i].size : 0;
    return total;
}

/*
 * Writes one view, with the numbers in the byte order of the machine. Unused bytes are 0, as Arrow
 * demands for short values.
 */
static void put_view(uint8_t *view, const lam_bytes *element, int32_t buffer, size_t offset) {
    int32_t size = (int32_t)element->size, position = (int32_t)offset;
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

/* A view as two words of a little-endian machine, and whether it is short and not ASCII. */
typedef struct view_words {
    uint64_t first;  /* size, then bytes 0 to 3 */
    uint64_t second; /* bytes 4 to 11, or buffer and offset */
} view_words;

/*
 * Makes a view of a value by loads of constant size, where 16 bytes can be read. The bytes after a
 * short value are masked; telling the two kinds apart takes no branch.
 */
static inline view_words make_view(const uint8_t *from, size_t size, uint64_t home) {
    /* By size, which counts the bytes that are kept: of bytes 0 to 3, and of bytes 4 to 11. */
    static const uint64_t kept[][2] = {
#define LEAF_KEPT(N, M)                                                                            \
    {((UINT64_C(1) << 8 * (N)) - 1) << 32,                                                         \
     (M) == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * ((M) % 8)) - 1}
        LEAF_KEPT(0, 0), LEAF_KEPT(1, 0), LEAF_KEPT(2, 0), LEAF_KEPT(3, 0), LEAF_KEPT(4, 0),
        LEAF_KEPT(4, 1), LEAF_KEPT(4, 2), LEAF_KEPT(4, 3), LEAF_KEPT(4, 4), LEAF_KEPT(4, 5),
        LEAF_KEPT(4, 6), LEAF_KEPT(4, 7), LEAF_KEPT(4, 8), LEAF_KEPT(4, 0)};
    uint64_t low = lam_load_le64(from), high = lam_load_le64(from + 4);
    bool is_long = size > VIEW_INLINE;
    const uint64_t *mask = kept[is_long ? VIEW_INLINE + 1 : size];
    view_words words = {(uint32_t)size | (low << 32 & mask[0]),
                        (high & mask[1]) | (is_long ? home : 0)};
    return words;
}

/* Where long values of an append are, or go to. */
typedef struct view_target {
    const uint8_t *data; /* of the data buffer that views name */
    int32_t number;
    uint8_t *to;    /* where the next one is copied to; NULL: they stay in their page */
    uint64_t bytes; /* OR of bytes of short values, whose top bits show what is not ASCII */
} view_target;

/* Writes a view byte by byte: where less than 16 bytes can be read, and on big-endian machines. */
static void write_view_slowly(uint8_t *view, const lam_bytes *element, view_target *target) {
    const uint8_t *at = target->to != NULL ? target->to : element->data;
    if (element->size > VIEW_INLINE) {
        put_view(view, element, target->number, (size_t)(at - target->data));
        if (target->to != NULL) {
            memcpy(target->to, element->data, element->size);
            target->to += element->size;
        }
        return;
    }
    put_view(view, element, 0, 0);
    for (size_t i = 0; i < element->size; i++)
        target->bytes |= (uint64_t)element->data[i] << 32;
}

/* Writes the views of values, and copies the long ones if they are to be. */
static void write_views(const lam_bytes *elements, size_t count, const uint8_t *text_end,
                        uint8_t *view, view_target *ret_target) {
    view_target target = *ret_target;
    uintptr_t end = (uintptr_t)text_end;
    for (size_t i = 0; i < count; i++, view += LEAF_VIEW_SIZE) {
        size_t size = elements[i].size;
        const uint8_t *from = elements[i].data;
        size_t room = (uintptr_t)from < end ? end - (uintptr_t)from : 0;
        if (LAM_BIG_ENDIAN || room < LEAF_VIEW_SIZE) {
            write_view_slowly(view, &elements[i], &target);
            continue;
        }
        const uint8_t *at = target.to != NULL ? target.to : from;
        uint64_t home = (uint32_t)target.number | (uint64_t)(at - target.data) << 32;
        view_words words = make_view(from, size, home);
        memcpy(view, &words, sizeof words);
        if (size <= VIEW_INLINE) {
            target.bytes |= (words.first & ~(uint64_t)UINT32_MAX) | words.second;
        } else if (target.to != NULL) {
            copy_long(target.to, from, size, room);
            target.to += size;
        }
    }
    *ret_target = target;
}

/*
 * Whether all bytes are ASCII, given those of short values. Long ones are in one piece, after the
 * copy or in their page, where lengths of less than 128 bytes between them are as harmless.
 */
static bool views_are_ascii(const lam_leaf_values *values, const view_target *target,
                            const lam_bytes *elements, size_t count) {
    if ((target->bytes & UINT64_C(0x8080808080808080)) != 0)
        return false;
    const lam_bytes *last = &elements[count - 1];
    const uint8_t *start =
        target->to != NULL ? values->data->data + values->data_size : elements[0].data;
    const uint8_t *end = target->to != NULL ? target->to : last->data + last->size;
    return values->kernels->max_u8(start, (size_t)(end - start)) < 0x80;
}

/*
 * Appends values of the form VIEWS. Bytes that are not text are taken as they are; text is ASCII,
 * or all values are checked.
 */
static lam_status append_views(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                               lam_error *error) {
    view_target target = {values->lent_text, (int32_t)values->lent_count, NULL, 0};
    if (values->lent_text == NULL) {
        LAM_TRY(reserve_data(values, outside_size(elements, count), error));
        target.data = values->data->data;
        target.number = values->data_number;
        target.to = values->data->data + values->data_size;
    }
    uint8_t *view = values->slots->data + (values->count + values->pending) * LEAF_VIEW_SIZE;
    write_views(elements, count, values->text_end, view, &target);
    if (values->is_text && !views_are_ascii(values, &target, elements, count) &&
        !(values->is_in_order && leaf_page_is_utf8(values->kernels, elements, count)))
        LAM_TRY(check_utf8(leaf_values_are_utf8(values->kernels, elements, count), error));
    if (target.to != NULL)
        values->data_size = (size_t)(target.to - target.data);
    return LAM_STATUS_OK;
}

/* --- Entries of a dictionary ---------------------------------------------------------------- */

/*
 * Makes a loop for each width of offsets. Two passes over a block of indexes, which are cached: the
 * lengths first, whose sum sizes the data, then the copies. COPY_SLACK bytes follow the last entry,
 * so that each may be copied as 32 bytes.
 */
#define APPEND_ENTRIES(NAME, TYPE)                                                                 \
    static lam_status NAME(lam_leaf_values *values, const lam_leaf_values *entries,                \
                           const uint32_t *indexes, size_t count, lam_error *error) {              \
        const TYPE *offsets = (const TYPE *)(const void *)entries->slots->data;                    \
        TYPE *lengths = (TYPE *)(void *)values->slots->data + 1 + values->count + values->pending; \
        uint64_t total = 0;                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            lengths[i] = offsets[indexes[i] + (size_t)1] - offsets[indexes[i]];                    \
            total += lengths[i];                                                                   \
        }                                                                                          \
        LAM_TRY(reserve_data(values, total, error));                                               \
        uint8_t *to = values->data->data + values->data_size;                                      \
        for (size_t i = 0; i < count; i++) {                                                       \
            const uint8_t *from = entries->data->data + offsets[indexes[i]];                       \
            if (lengths[i] <= COPY_SLACK)                                                          \
                leaf_copy_step(to, from);                                                          \
            else                                                                                   \
                memcpy(to, from, lengths[i]);                                                      \
            to += lengths[i];                                                                      \
        }                                                                                          \
        values->data_size += (size_t)total;                                                        \
        values->pending += count;                                                                  \
        return LAM_STATUS_OK;                                                                      \
    }

APPEND_ENTRIES(append_entries_32, uint32_t)
APPEND_ENTRIES(append_entries_64, uint64_t)

lam_status lam_leaf_text_append_entries(lam_leaf_values *values, const lam_leaf_values *entries,
                                        const uint32_t *indexes, size_t count, lam_error *error) {
    if (values->form == LAM_LEAF_FORM_OFFSETS_32)
        return append_entries_32(values, entries, indexes, count, error);
    return append_entries_64(values, entries, indexes, count, error);
}

/* -------------------------------------------------------------------------------------------- */

lam_status lam_leaf_text_append(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                                lam_error *error) {
    if (values->form == LAM_LEAF_FORM_VIEWS)
        return append_views(values, elements, count, error);
    return append_offsets(values, elements, count, error);
}
