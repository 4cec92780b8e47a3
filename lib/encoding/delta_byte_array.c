/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes DELTA_BYTE_ARRAY: each value as the length of the prefix that it shares with the
 * value before, and the remainder of it. Values of FIXED_LEN_BYTE_ARRAY are encoded the same way,
 * redundant lengths included. (Encodings.md, "Delta Strings: (DELTA_BYTE_ARRAY = 7)")
 *
 *     page := for each value, how many bytes it shares with the value before,
 *             as DELTA_BINARY_PACKED of INT32
 *             the rest of each value, as DELTA_LENGTH_BYTE_ARRAY: lengths, then bytes
 *
 *     "axis" "axle" "babble" "babyhood"
 *
 *     80 01 04 04 00  03 03 00 00 00  ...   80 01 04 04 08  03 03 00 00 00  ...   axislebabbleyhood
 *     0 2 0 3                               4 2 6 5
 *
 * Every prefix is checked against the value before and every suffix against the bytes left. A few
 * bytes can state long values (a prefix costs almost nothing), so the bytes to build are counted
 * before any is built, and the arena's budget bounds them.
 */
#include "encoding/delta_byte_array.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/short_copy.h"

enum {
    DELTA_BYTE_ARRAY_LENGTHS = 1024, /* values whose lengths are read or written together */
    STRINGS_SHORT = 64,              /* bytes of values, in the mean, that are built side by side */
    STRINGS_STEP = 16,               /* bytes of one move */
    STRINGS_SLACK = 3 * STRINGS_STEP /* that building may write from the start of a value */
};

/* --- Reading ------------------------------------------------------------------------------- */

/*
 * Builds values. One without a prefix is a view into the page; one without a suffix is a view into
 * the value before. Others are built one after the other, in memory that the next read reuses:
 *
 *     axis    a view into the page
 *     axle    "ax" and "le" are copied to the top
 *     axleX   extends axle in place: only "X" is copied, and both views stay valid
 *
 * Short values are all built, side by side: then no branch depends on what they share, and callers
 * that copy them may read beyond each, up to the end of the room.
 */
typedef struct string_builder {
    lam_bytes last;     /* the value before */
    bool last_is_built; /* it is in built memory, not in the page */
    bool last_at_top;   /* and ends at the top: a value that extends it is built in place */
    uint8_t *top;       /* where the next value is built */
} string_builder;

/* The lengths of some values, as they are in the page; each is checked before it is used. */
typedef struct lengths {
    uint32_t prefix[DELTA_BYTE_ARRAY_LENGTHS];
    uint32_t suffix[DELTA_BYTE_ARRAY_LENGTHS];
} lengths;

/*
 * The state of reading a page, in the decoder's arena. decoder->next is the first unread byte of
 * suffixes.
 */
typedef struct strings_reader {
    lam_delta_decoder prefixes;
    lam_delta_decoder suffixes;
    string_builder
        builder; /* FIXED_LEN_BYTE_ARRAY: a copy of the last value, none yet when it is empty */
    /*
     * Memory of built values, and its size; of fixed values the copy of the last one, and no size.
     */
    uint8_t *built;
    size_t capacity;
    lengths lengths; /* of the values of a read, if they are few enough */
} strings_reader;

/* Reads the lengths of the next `count` values, at most DELTA_BYTE_ARRAY_LENGTHS. */
static lam_status read_lengths(lam_delta_decoder *prefixes, lam_delta_decoder *suffixes,
                               size_t count, lengths *ret_lengths, lam_error *error) {
    LAM_TRY(lam_delta_read(prefixes, count, ret_lengths->prefix, error));
    return lam_delta_read(suffixes, count, ret_lengths->suffix, error);
}

/*
 * Checks one value: `before` is the size of the value before, `here` the bytes of suffixes left.
 * Lengths are signed in the format; negative ones are read as large and fail here. A value is made
 * of suffixes of its page, so none is larger than a page may be.
 */
static lam_status check_lengths(uint32_t prefix, uint32_t suffix, size_t before, size_t here,
                                lam_error *error) {
    if (prefix > before)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "a prefix of length %" PRId32 " where the value before has %zu bytes",
                 (int32_t)prefix, before);
    if (suffix > here)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "a suffix of length %" PRId32 " where %zu bytes are left", (int32_t)suffix, here);
    return LAM_STATUS_OK;
}

/* The memory that a read needs. */
typedef struct strings_total {
    size_t built; /* bytes of the values that are built, without what they extend in place */
    size_t whole; /* of all values */
} strings_total;

/*
 * Adds up the needs of values, and checks their lengths: after that these need no more checks.
 * `*here` bytes of suffixes are left; `*before` is the size of the value before. It follows
 * build_value() exactly: `at_top` here is last_at_top there, after make_room has moved the value
 * before to the start of the room.
 */
static lam_status delta_byte_array_add_up(const lengths *some, size_t count, size_t *before,
                                          size_t *here, bool *at_top, strings_total *total,
                                          lam_error *error) {
    for (size_t i = 0; i < count; i++) {
        uint32_t prefix = some->prefix[i], suffix = some->suffix[i];
        LAM_TRY(check_lengths(prefix, suffix, *before, *here, error));
        *at_top = *at_top && prefix == *before;
        size_t size = (size_t)prefix + suffix, built = *at_top ? suffix : size;
        if (prefix == 0 || suffix == 0)
            built = 0;
        else
            *at_top = true;
        /* unreachable: when a size has 64 bits, that takes 2^33 values of 2 GiB */
        if (!lam_add_size(total->whole, size, &total->whole))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
        total->built += built; /* never more than all of it */
        *before = size;
        *here -= suffix;
    }
    return LAM_STATUS_OK;
}

/*
 * Reads the lengths of the next values. If they are few, they stay in reader->lengths; else they
 * are read with copies of the decoders, and the caller reads them again.
 */
static lam_status delta_byte_array_measure(const lam_decoder *decoder, size_t count,
                                           strings_total *ret_total, lam_error *error) {
    strings_reader *reader = decoder->state;
    strings_total total = {0, 0};
    size_t before = reader->builder.last.size, here = (size_t)(decoder->end - decoder->next);
    bool at_top = reader->builder.last_is_built, is_once = count <= DELTA_BYTE_ARRAY_LENGTHS;
    lam_delta_decoder prefixes = reader->prefixes, suffixes = reader->suffixes;
    for (size_t left = count, n; left > 0; left -= n) {
        n = left < DELTA_BYTE_ARRAY_LENGTHS ? left : DELTA_BYTE_ARRAY_LENGTHS;
        LAM_TRY(read_lengths(&prefixes, &suffixes, n, &reader->lengths, error));
        LAM_TRY(
            delta_byte_array_add_up(&reader->lengths, n, &before, &here, &at_top, &total, error));
    }
    if (is_once) {
        reader->prefixes = prefixes;
        reader->suffixes = suffixes;
    }
    *ret_total = total;
    return LAM_STATUS_OK;
}

/*
 * Makes room to build `size` bytes. Values of the last read are gone, but the value before is
 * needed: it is moved to the start of the room if it was built, or if `moves_last`. The room grows
 * by half as much again, as the arena frees nothing before the page ends.
 */
static lam_status delta_byte_array_make_room(lam_decoder *decoder, size_t size, bool moves_last,
                                             lam_error *error) {
    strings_reader *reader = decoder->state;
    string_builder *builder = &reader->builder;
    size_t keep = builder->last_is_built || moves_last ? builder->last.size : 0;
    uint8_t *room = reader->built;
    /* unreachable: when a size has 64 bits, that takes 2^32 values of 2 GiB */
    if (!lam_add_size(size, keep, &size) || size > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
    if (size > reader->capacity) {
        size_t roomy = size + size / 2;
        LAM_TRY(lam_arena_bytes(decoder->arena, roomy, &room, error));
        reader->capacity = roomy;
    }
    if (keep > 0) {
        memmove(room, builder->last.data, keep);
        builder->last.data = room;
    }
    reader->built = room;
    builder->top = room + keep;
    builder->last_at_top = builder->last_is_built;
    return LAM_STATUS_OK;
}

/* Makes the next value of a prefix of the value before and the `suffix` bytes at `next`. */
static inline void build_value(string_builder *builder, const uint8_t *next, size_t prefix,
                               size_t suffix) {
    builder->last_at_top = builder->last_at_top && prefix == builder->last.size;
    /* A view into the page; the next value cannot extend it in place. */
    if (prefix == 0) {
        builder->last.data = next;
        builder->last_is_built = false;
        builder->last_at_top = false;
    } else if (suffix > 0) {
        if (!builder->last_at_top) {
            lam_copy_short(builder->top, builder->last.data, prefix);
            builder->last.data = builder->top;
            builder->top += prefix;
        }
        lam_copy_short(builder->top, next, suffix);
        builder->top += suffix;
        builder->last_is_built = true;
        builder->last_at_top = true;
    }
    builder->last.size = prefix + suffix;
}

/* Moves STRINGS_STEP bytes, which may overlap. */
static inline void delta_byte_array_step(uint8_t *to, const uint8_t *from) {
    uint8_t bytes[STRINGS_STEP];
    memcpy(bytes, from, STRINGS_STEP);
    memcpy(to, bytes, STRINGS_STEP);
}

/*
 * Builds all values, side by side. The value before is in the room; so are the STRINGS_SLACK bytes
 * that may be read and written beyond the last value. Suffixes are read beyond only up to `end`.
 */
static const uint8_t *build_side_by_side(string_builder *builder, const lengths *some, size_t count,
                                         const uint8_t *next, const uint8_t *end,
                                         lam_bytes *views) {
    const uint8_t *last = builder->last.size > 0 ? builder->last.data : builder->top;
    uint8_t *top = builder->top;
    for (size_t i = 0; i < count; i++) {
        size_t prefix = some->prefix[i], suffix = some->suffix[i];
        if (prefix <= STRINGS_STEP && suffix <= 2 * STRINGS_STEP &&
            end - next >= 2 * STRINGS_STEP) {
            delta_byte_array_step(top, last);
            delta_byte_array_step(top + prefix, next);
            delta_byte_array_step(top + prefix + STRINGS_STEP, next + STRINGS_STEP);
        } else {
            lam_copy_short(top, last, prefix);
            lam_copy_short(top + prefix, next, suffix);
        }
        views[i] = (lam_bytes){top, prefix + suffix};
        last = top;
        top += prefix + suffix;
        next += suffix;
    }
    builder->last = views[count - 1];
    builder->last_is_built = true;
    builder->last_at_top = true;
    builder->top = top;
    return next;
}

/* Builds values of which few need to be built: those that are no views of others. */
static const uint8_t *build_some(string_builder *builder, const lengths *some, size_t count,
                                 const uint8_t *next, lam_bytes *views) {
    string_builder local = *builder; /* in registers */
    for (size_t i = 0; i < count; i++) {
        build_value(&local, next, some->prefix[i], some->suffix[i]);
        next += some->suffix[i];
        views[i] = local.last;
    }
    *builder = local;
    return next;
}

/* Reads byte arrays: checks and measures all of them, makes room once, then builds. */
static lam_status read_strings(lam_decoder *decoder, size_t count, void *values, lam_error *error) {
    strings_reader *reader = decoder->state;
    lam_bytes *views = values;
    strings_total total;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(delta_byte_array_measure(decoder, count, &total, error));
    bool is_once = count <= DELTA_BYTE_ARRAY_LENGTHS;
    if (is_once && total.whole <= count * STRINGS_SHORT) {
        LAM_TRY(delta_byte_array_make_room(decoder, total.whole + STRINGS_SLACK, true, error));
        decoder->next = build_side_by_side(&reader->builder, &reader->lengths, count, decoder->next,
                                           decoder->end, views);
        decoder->built_end = reader->built + reader->capacity;
        return LAM_STATUS_OK;
    }
    decoder->built_end = NULL;
    if (total.built > 0)
        LAM_TRY(delta_byte_array_make_room(decoder, total.built, false, error));
    for (size_t n; count > 0; count -= n, views += n) {
        n = count < DELTA_BYTE_ARRAY_LENGTHS ? count : DELTA_BYTE_ARRAY_LENGTHS;
        if (!is_once)
            /* unreachable: the same lengths were read before, to measure them */
            LAM_TRY(read_lengths(&reader->prefixes, &reader->suffixes, n, &reader->lengths, error));
        decoder->next = build_some(&reader->builder, &reader->lengths, n, decoder->next, views);
    }
    return LAM_STATUS_OK;
}

/*
 * Keeps a copy of the last value read: the next read needs it, and its memory may be the caller's.
 */
static lam_status keep_last(lam_decoder *decoder, const uint8_t *element, size_t size,
                            lam_error *error) {
    strings_reader *reader = decoder->state;
    if (reader->built == NULL)
        LAM_TRY(lam_arena_bytes(decoder->arena, size, &reader->built, error));
    memcpy(reader->built, element, size);
    reader->builder.last.data = reader->built;
    reader->builder.last.size = size;
    return LAM_STATUS_OK;
}

/*
 * Reads values of one length straight to `values`. Each prefix is copied from the element before,
 * the first one from the copy of the last read. The value before the first of the page is empty.
 */
static lam_status delta_byte_array_read_fixed(lam_decoder *decoder, size_t count, void *values,
                                              lam_error *error) {
    strings_reader *reader = decoder->state;
    size_t size = lam_layout_size(decoder->layout), last_size = reader->builder.last.size;
    const uint8_t *last = reader->builder.last.data;
    uint8_t *element = values;
    lengths some;
    for (size_t left = count, n; left > 0; left -= n) {
        n = left < DELTA_BYTE_ARRAY_LENGTHS ? left : DELTA_BYTE_ARRAY_LENGTHS;
        LAM_TRY(read_lengths(&reader->prefixes, &reader->suffixes, n, &some, error));
        for (size_t i = 0; i < n; i++) {
            size_t prefix = some.prefix[i], suffix = some.suffix[i];
            size_t here = (size_t)(decoder->end - decoder->next);
            LAM_TRY(check_lengths(some.prefix[i], some.suffix[i], last_size, here, error));
            if (prefix + suffix != size)
                LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                         "a value of %zu bytes where all have %zu", prefix + suffix, size);
            lam_copy_short(element, last, prefix);
            lam_copy_short(element + prefix, decoder->next, suffix);
            decoder->next += suffix;
            last = element;
            last_size = size;
            element += size;
        }
    }
    return count > 0 && size > 0 ? keep_last(decoder, last, size, error) : LAM_STATUS_OK;
}

/* Reports values that have not been read, and bytes that belong to none. */
static lam_status delta_byte_array_read_end(const lam_decoder *decoder, lam_error *error) {
    const strings_reader *reader = decoder->state;
    if (reader->prefixes.left > 0 || decoder->next < decoder->end)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "%" PRIu32 " byte arrays, %zu bytes, after the last value", reader->prefixes.left,
                 (size_t)(decoder->end - decoder->next));
    return LAM_STATUS_OK;
}

/*
 * Finds the three sections: prefix lengths, suffix lengths, bytes of suffixes. The end of one is
 * the beginning of the next, so both streams of lengths are walked over, and must have equally many
 * values.
 */
lam_status lam_delta_strings_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error) {
    strings_reader *reader;
    LAM_TRY(LAM_ARENA_NEW(decoder->arena, &reader, error));
    LAM_TRY(lam_delta_decoder_init(&reader->prefixes, decoder->kernels, 32, bytes, error));
    const uint8_t *end = reader->prefixes.end;
    LAM_TRY(lam_delta_find_end(&reader->prefixes, &bytes.data, error));
    bytes.size = (size_t)(end - bytes.data);
    LAM_TRY(lam_delta_decoder_init(&reader->suffixes, decoder->kernels, 32, bytes, error));
    LAM_TRY(lam_delta_find_end(&reader->suffixes, &decoder->next, error));
    if (reader->prefixes.left != reader->suffixes.left)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%" PRIu32 " prefixes and %" PRIu32 " suffixes",
                 reader->prefixes.left, reader->suffixes.left);
    decoder->end = reader->suffixes.end;
    decoder->state = reader;
    bool is_fixed = decoder->layout.type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    decoder->read = is_fixed ? delta_byte_array_read_fixed : read_strings;
    decoder->read_end = delta_byte_array_read_end;
    return LAM_STATUS_OK;
}

lam_status lam_delta_strings_go_on(lam_decoder *decoder, lam_bytes before,
                                   const lam_delta_decoder **ret_suffixes, bool *ret_has_prefix,
                                   lam_error *error) {
    strings_reader *reader = decoder->state;
    lam_delta_decoder prefixes = reader->prefixes;
    uint32_t prefix = 0;
    if (prefixes.left > 0)
        LAM_TRY(lam_delta_read(&prefixes, 1, &prefix, error));
    reader->builder.last = before;
    *ret_suffixes = &reader->suffixes;
    *ret_has_prefix = prefix > 0;
    return LAM_STATUS_OK;
}

lam_bytes lam_delta_strings_last(const lam_decoder *decoder) {
    const strings_reader *reader = decoder->state;
    return reader->builder.last;
}

/* --- Writing ------------------------------------------------------------------------------- */

/* The state of writing a page; encoder->bytes has the suffixes, back to back. */
typedef struct strings_writer {
    lam_delta_encoder prefixes;
    lam_delta_encoder suffixes;
    lam_buffer last; /* a copy of the last value of the last call */
} strings_writer;

/* Appends the three sections of a page; on failure `out` gets its old size back. */
static lam_status delta_byte_array_append_page(const lam_delta_encoder *prefixes,
                                               const lam_delta_encoder *suffixes, lam_bytes rest,
                                               lam_buffer *out, lam_error *error) {
    size_t before = out->size;
    lam_status status = lam_delta_append(prefixes, out, error);
    if (status == LAM_STATUS_OK)
        status = lam_delta_append(suffixes, out, error);
    if (status == LAM_STATUS_OK)
        status = lam_buffer_append(out, rest.data, rest.size, error);
    if (status != LAM_STATUS_OK)
        out->size = before;
    return status;
}

static void delta_byte_array_start(lam_encoder *encoder) {
    strings_writer *writer = encoder->state;
    lam_delta_encoder_init(&writer->prefixes, encoder->kernels, 32, &encoder->bytes.allocator);
    lam_delta_encoder_init(&writer->suffixes, encoder->kernels, 32, &encoder->bytes.allocator);
    lam_buffer_init(&writer->last, &encoder->bytes.allocator);
}

static void delta_byte_array_finish(lam_encoder *encoder) {
    strings_writer *writer = encoder->state;
    lam_delta_encoder_finish(&writer->prefixes);
    lam_delta_encoder_finish(&writer->suffixes);
    lam_buffer_finish(&writer->last);
}

/* Counts the zero bytes below the lowest one that is not zero; `bits` is not 0. */
static size_t zero_bytes(uint64_t bits) {
#if defined(__GNUC__)
    return (size_t)__builtin_ctzll(bits) / 8;
#else
    size_t count = 0;
    for (; (bits & 0xFF) == 0; bits >>= 8)
        count++;
    return count;
#endif
}

/*
 * Compares eight bytes at a time. Loaded little endian, the first byte that differs is the lowest
 * of the exclusive or that is not zero.
 */
size_t lam_common_prefix(lam_bytes a, lam_bytes b) {
    size_t most = a.size < b.size ? a.size : b.size, at = 0;
    while (most - at >= 8) {
        uint64_t differ = lam_load_le64(a.data + at) ^ lam_load_le64(b.data + at);
        if (differ != 0)
            return at + zero_bytes(differ);
        at += 8;
    }
    while (at < most && a.data[at] == b.data[at])
        at++;
    return at;
}

/* Element `at` as bytes, for both types. */
static lam_bytes delta_byte_array_value_at(const lam_encoder *encoder, const void *values,
                                           size_t at) {
    if (encoder->layout.type == LAM_PHYSICAL_BYTE_ARRAY)
        return ((const lam_bytes *)values)[at];
    size_t size = lam_layout_size(encoder->layout);
    lam_bytes value = {(const uint8_t *)values + at * size, size};
    return value;
}

/*
 * Adds up to DELTA_BYTE_ARRAY_LENGTHS values. `*last` is the value before, a view into the caller's
 * values or into writer->last, and then the last of these.
 */
static lam_status delta_byte_array_write_some(lam_encoder *encoder, const void *values,
                                              size_t count, lam_bytes *last, lam_error *error) {
    strings_writer *writer = encoder->state;
    lengths some;
    for (size_t i = 0; i < count; i++) {
        lam_bytes value = delta_byte_array_value_at(encoder, values, i);
        if (value.size > INT32_MAX)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "a byte array of %zu bytes; the maximum is %d",
                     value.size, INT32_MAX);
        size_t prefix = lam_common_prefix(*last, value), suffix = value.size - prefix;
        LAM_TRY(lam_buffer_reserve(&encoder->bytes, suffix, error));
        if (suffix > 0)
            lam_copy_short(encoder->bytes.data + encoder->bytes.size, value.data + prefix, suffix);
        encoder->bytes.size += suffix;
        some.prefix[i] = (uint32_t)prefix;
        some.suffix[i] = (uint32_t)suffix;
        *last = value;
    }
    LAM_TRY(lam_delta_write(&writer->prefixes, some.prefix, count, error));
    return lam_delta_write(&writer->suffixes, some.suffix, count, error);
}

/* Adds values, and copies the last one: the caller's memory is only borrowed for the call. */
static lam_status delta_byte_array_write(lam_encoder *encoder, const void *values, size_t count,
                                         lam_error *error) {
    strings_writer *writer = encoder->state;
    lam_bytes last = lam_buffer_bytes(&writer->last);
    const uint8_t *next = values;
    for (size_t n; count > 0; count -= n) {
        n = count < DELTA_BYTE_ARRAY_LENGTHS ? count : DELTA_BYTE_ARRAY_LENGTHS;
        LAM_TRY(delta_byte_array_write_some(encoder, next, n, &last, error));
        next += n * lam_layout_size(encoder->layout);
    }
    lam_buffer_clear(&writer->last);
    return lam_buffer_append(&writer->last, last.data, last.size, error);
}

static lam_status delta_byte_array_append(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    const strings_writer *writer = encoder->state;
    return delta_byte_array_append_page(&writer->prefixes, &writer->suffixes,
                                        lam_buffer_bytes(&encoder->bytes), out, error);
}

static void delta_byte_array_restart(lam_encoder *encoder) {
    strings_writer *writer = encoder->state;
    lam_delta_restart(&writer->prefixes);
    lam_delta_restart(&writer->suffixes);
    lam_buffer_clear(&writer->last);
}

static size_t delta_byte_array_count(const lam_encoder *encoder) {
    const strings_writer *writer = encoder->state;
    return lam_delta_byte_count(&writer->prefixes) + lam_delta_byte_count(&writer->suffixes);
}

const lam_value_writer lam_delta_strings_writer = {
    .state_size = sizeof(strings_writer),
    .start = delta_byte_array_start,
    .finish = delta_byte_array_finish,
    .write = delta_byte_array_write,
    .append = delta_byte_array_append,
    .restart = delta_byte_array_restart,
    .byte_count = delta_byte_array_count,
};

/* --- Writing adjacent values ------------------------------------------------------------------ */

/*
 * Adds values whose bytes follow each other: `*last` is the value before, and then the last of
 * these. `rest` has room for all suffixes, so the loop reserves none.
 */
static lam_status add_values(lam_prefix_encoder *prefix_encoder, const uint32_t *sizes,
                             size_t count, lam_bytes *last, lam_error *error) {
    lengths some;
    uint8_t *to = prefix_encoder->rest.data + prefix_encoder->rest.size;
    lam_bytes value = *last;
    for (size_t i = 0; i < count; i++) {
        lam_bytes next = {value.data + value.size, sizes[i]};
        size_t prefix = lam_common_prefix(value, next), suffix = next.size - prefix;
        lam_copy_short(to, next.data + prefix, suffix);
        to += suffix;
        some.prefix[i] = (uint32_t)prefix;
        some.suffix[i] = (uint32_t)suffix;
        value = next;
    }
    *last = value;
    prefix_encoder->rest.size = (size_t)(to - prefix_encoder->rest.data);
    LAM_TRY(lam_delta_write(&prefix_encoder->prefixes, some.prefix, count, error));
    return lam_delta_write(&prefix_encoder->suffixes, some.suffix, count, error);
}

void lam_prefix_encoder_init(lam_prefix_encoder *prefix_encoder, const lam_kernels *kernels,
                             const lam_allocator *allocator) {
    lam_delta_encoder_init(&prefix_encoder->prefixes, kernels, 32, allocator);
    lam_delta_encoder_init(&prefix_encoder->suffixes, kernels, 32, allocator);
    lam_buffer_init(&prefix_encoder->rest, allocator);
}

void lam_prefix_encoder_finish(lam_prefix_encoder *prefix_encoder) {
    lam_delta_encoder_finish(&prefix_encoder->prefixes);
    lam_delta_encoder_finish(&prefix_encoder->suffixes);
    lam_buffer_finish(&prefix_encoder->rest);
}

lam_status lam_prefix_encoder_append(lam_prefix_encoder *prefix_encoder, lam_bytes values,
                                     const uint32_t *sizes, size_t count, lam_buffer *out,
                                     lam_error *error) {
    lam_delta_restart(&prefix_encoder->prefixes);
    lam_delta_restart(&prefix_encoder->suffixes);
    lam_buffer_clear(&prefix_encoder->rest);
    LAM_TRY(lam_buffer_reserve(&prefix_encoder->rest, values.size, error));
    /* An empty value just before the first one, so that the loop has no first case. */
    lam_bytes last = {values.data, 0};
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < DELTA_BYTE_ARRAY_LENGTHS ? count - done : DELTA_BYTE_ARRAY_LENGTHS;
        LAM_TRY(add_values(prefix_encoder, sizes + done, n, &last, error));
    }
    return delta_byte_array_append_page(&prefix_encoder->prefixes, &prefix_encoder->suffixes,
                                        lam_buffer_bytes(&prefix_encoder->rest), out, error);
}
