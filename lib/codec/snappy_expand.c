/*
 * The SNAPPY block format. A block is the length of what it expands to, and elements: literals,
 * which are bytes that follow, and copies of bytes that came out before.
 *
 *     block    := varint(length) element*
 *     literal  := xxxxxx00, then size bytes          size 1 + x, for x below 60;
 *                 xxxxxx00 n, then size bytes        x of 60 to 63: n of x - 59 bytes, size 1 + n
 *     copy     := oooxxx01 oooooooo                  size 4 + x, from 11 bits of o bytes back
 *                 xxxxxx10 o                         size 1 + x, from o, of 2 bytes, back
 *                 xxxxxx11 o                         size 1 + x, from o, of 4 bytes, back
 *
 * All numbers are little endian. A copy may reach into itself: "ab", then 6 from 2 back, is
 * "abababab".
 *
 * Far from both ends whole registers are moved, whatever the size: what is too many is written over
 * by the next element.
 */
#include <string.h>

#include "base/bytes.h"
#include "codec/snappy_expand.h"

enum {
    LITERAL = 0,
    COPY_11 = 1, /* bits of the distance that are not in bytes of their own */
    STEP = 16,   /* bytes moved at once */
    SHORT = 2 * STEP,
    IN_TAG = 60,             /* longest literal whose size is in its tag */
    LONGEST = 64,            /* longest copy */
    IN_SLACK = 8 + LONGEST,  /* that an element may be read beyond its start, taken from afar */
    OUT_SLACK = 2 * LONGEST, /* and written */
    MAX_VARINT_32 = 5
};

bool lam_snappy_length(lam_bytes *in, uint32_t *ret_length) {
    uint64_t length = 0;
    for (size_t i = 0; i < MAX_VARINT_32 && i < in->size; i++) {
        length |= (uint64_t)(in->data[i] & 0x7F) << 7 * i;
        if (in->data[i] < 0x80) {
            if (length > UINT32_MAX)
                return false;
            in->data += i + 1;
            in->size -= i + 1;
            *ret_length = (uint32_t)length;
            return true;
        }
    }
    return false;
}

/* What is still to be read, and where the next byte goes. */
typedef struct expansion {
    const uint8_t *in;
    const uint8_t *in_end;
    uint8_t *begin;
    uint8_t *out;
    uint8_t *out_end;
} expansion;

/* Bytes between the tag of a copy, or of a literal with its size in the tag, and what follows. */
static inline size_t extra_of(size_t kind) {
    return UINT32_C(0x04020100) >> 8 * kind & 0xFF;
}

static inline size_t size_of(uint8_t tag) {
    size_t upper = tag >> 2;
    return (tag & 3) == COPY_11 ? 4 + (upper & 7) : 1 + upper;
}

/* `behind` is the four bytes behind the tag; those of a shorter number do not count. */
static inline size_t distance_of(uint8_t tag, uint32_t behind) {
    static const uint32_t mask_of[4] = {0, 0xFF, 0xFFFF, 0xFFFFFFFF};
    size_t distance = behind & mask_of[tag & 3];
    return (tag & 3) == COPY_11 ? (size_t)(tag >> 5) << 8 | distance : distance;
}

static inline void move_16(uint8_t *to, const uint8_t *from) {
    uint8_t bytes[STEP];
    memcpy(bytes, from, STEP);
    memcpy(to, bytes, STEP);
}

static inline void move_8(uint8_t *to, const uint8_t *from) {
    uint8_t bytes[8];
    memcpy(bytes, from, 8);
    memcpy(to, bytes, 8);
}

/*
 * A copy from less than 16 bytes back that reaches into itself. Up to 7 bytes too many are written.
 */
static void repeat(uint8_t *out, size_t distance, size_t size) {
    uint8_t *end = out + size;
    if (distance >= 8) {
        for (; out < end; out += 8)
            move_8(out, out - distance);
        return;
    }
    uint8_t pattern[8];
    for (size_t i = 0; i < 8; i++)
        pattern[i] = out[(ptrdiff_t)(i % distance) - (ptrdiff_t)distance];
    for (size_t step = 8 / distance * distance; out < end; out += step)
        memcpy(out, pattern, 8);
}

/* A literal with its size in bytes behind its tag; false when it cannot be. */
static bool expand_literal(expansion *e, uint8_t tag) {
    size_t bytes = (size_t)(tag >> 2) - 59, size = 0;
    if ((size_t)(e->in_end - e->in) < bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        size |= (size_t)e->in[i] << 8 * i;
    e->in += bytes;
    if (size >= (size_t)(e->in_end - e->in) || size >= (size_t)(e->out_end - e->out))
        return false;
    size++;
    memcpy(e->out, e->in, size);
    e->in += size;
    e->out += size;
    return true;
}

/*
 * Short literals and short copies from up to 8 bytes back, as there are between numbers that differ
 * little, until something else comes. The last eight bytes stay in a register: a copy that read
 * them back would have to wait until memory has put together what was written in parts.
 */
static void expand_near(expansion *state, const uint8_t *in_last, const uint8_t *out_last) {
    expansion e = *state;
    uint64_t last = lam_load_le64(e.out - 8);
    while (e.in <= in_last && e.out <= out_last) {
        uint8_t tag = *e.in;
        size_t kind = tag & 3, size = size_of(tag);
        uint64_t bytes;
        if (size > 8)
            break;
        if (kind == LITERAL) {
            bytes = lam_load_le64(e.in + 1);
            e.in += 1 + size;
        } else {
            size_t distance = distance_of(tag, lam_load_le32(e.in + 1));
            if (distance > 8 || distance < size)
                break;
            bytes = last >> (64 - 8 * distance);
            e.in += 1 + extra_of(kind);
        }
        lam_store_le64(e.out, bytes);
        e.out += size;
        last = size == 8 ? bytes : last >> 8 * size | bytes << (64 - 8 * size);
    }
    *state = e;
}

/* A copy from less than 16 bytes back, at `in`; false when it cannot be. */
static inline bool expand_close(expansion *e, size_t distance, size_t size, const uint8_t *in_last,
                                const uint8_t *out_last) {
    size_t there = (size_t)(e->out - e->begin);
    if (distance == 0 || distance > there)
        return false;
    if (size <= distance && distance <= 8 && there >= 8) {
        expand_near(e, in_last, out_last);
        return true;
    }
    e->in += 1 + extra_of(*e->in & 3);
    repeat(e->out, distance, size);
    e->out += size;
    return true;
}

static inline void move_element(uint8_t *out, const uint8_t *from, size_t size) {
    move_16(out, from);
    move_16(out + STEP, from + STEP);
    if (size > SHORT) {
        move_16(out + 2 * STEP, from + 2 * STEP);
        move_16(out + 3 * STEP, from + 3 * STEP);
    }
}

/* Elements that lie far from both ends; there is room for one at least. */
static bool expand_fast(expansion *state) {
    expansion e = *state;
    const uint8_t *in_last = e.in_end - IN_SLACK, *out_last = e.out_end - OUT_SLACK;
    while (e.in <= in_last && e.out <= out_last) {
        uint8_t tag = *e.in;
        size_t kind = tag & 3, size = size_of(tag);
        size_t distance = distance_of(tag, lam_load_le32(e.in + 1));
        const uint8_t *next = e.in + 1 + (kind == LITERAL ? size : extra_of(kind));
        if (kind == LITERAL && size > IN_TAG) {
            e.in++;
            if (!expand_literal(&e, tag))
                return false;
            continue;
        }
        if (kind != LITERAL && (distance < STEP || distance > (size_t)(e.out - e.begin))) {
            if (!expand_close(&e, distance, size, in_last, out_last))
                return false;
            continue;
        }
        move_element(e.out, kind == LITERAL ? e.in + 1 : e.out - distance, size);
        e.in = next;
        e.out += size;
    }
    *state = e;
    return true;
}

/* One element anywhere, byte by byte. */
static bool expand_one(expansion *e) {
    uint8_t tag = *e->in++;
    size_t kind = tag & 3, size = size_of(tag);
    if (kind == LITERAL && size > IN_TAG)
        return expand_literal(e, tag);
    if (size > (size_t)(e->out_end - e->out))
        return false;
    if (kind == LITERAL) {
        if (size > (size_t)(e->in_end - e->in))
            return false;
        memcpy(e->out, e->in, size);
        e->in += size;
        e->out += size;
        return true;
    }
    uint32_t behind = 0;
    if (extra_of(kind) > (size_t)(e->in_end - e->in))
        return false;
    for (size_t i = 0; i < extra_of(kind); i++)
        behind |= (uint32_t)*e->in++ << 8 * i;
    size_t distance = distance_of(tag, behind);
    if (distance == 0 || distance > (size_t)(e->out - e->begin))
        return false;
    for (size_t i = 0; i < size; i++, e->out++)
        *e->out = e->out[-(ptrdiff_t)distance];
    return true;
}

bool lam_snappy_expand(lam_bytes in, uint8_t *out, size_t size) {
    expansion e = {in.data, in.data + in.size, out, out, out + size};
    if (in.size > IN_SLACK && size > OUT_SLACK && !expand_fast(&e))
        return false;
    while (e.in < e.in_end)
        if (!expand_one(&e))
            return false;
    return e.out == e.out_end;
}
