/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire of Thrift's compact protocol, both directions: numbers, strings and heads.
 *
 *   struct    field* 00
 *   field     | id - last id (4 bits, 1 to 15) | type (4 bits) | value
 *             | 0                              | type          | id as zigzag varint | value
 *   type      1 true, 2 false (without a value), 3 i8, 4 i16, 5 i32, 6 i64, 7 double, 8 binary,
 *             9 list, 10 set, 11 map, 12 struct
 *   i8        one byte            i16 i32 i64  zigzag varint: 0 -1 1 -2 are 00 01 02 03
 *   double    8 bytes, little-endian           binary  length as varint, bytes
 *   list set  | count (4 bits, 0 to 14) | element type (4 bits) | elements
 *             | 15                      | element type          | count as varint | elements
 *   map       00, or count as varint | key type (4 bits) | value type (4 bits) | keys and values
 *
 * A bool in a list has type 1 or 2 and is a byte: 1 true, 2 (with some writers 0) false. A varint
 * has the low 7 bits first; the high bit of a byte is set if more follow: 300 is AC 02.
 *
 * Reading never passes `end` and never trusts a count beyond the bytes that are left. Bytes that
 * end too soon are no error yet, as more may be fetched: see `ended`. (Thrift's specification,
 * thrift-compact-protocol.md)
 */
#ifndef LAM_META_WIRE_H
#define LAM_META_WIRE_H

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/wrap.h"

/* Types of fields and elements. The type 0 of a field head ends the struct. */
enum {
    LAM_WIRE_STOP = 0,
    LAM_WIRE_TRUE = 1,
    LAM_WIRE_FALSE = 2,
    LAM_WIRE_I8 = 3,
    LAM_WIRE_I16 = 4,
    LAM_WIRE_I32 = 5,
    LAM_WIRE_I64 = 6,
    LAM_WIRE_DOUBLE = 7,
    LAM_WIRE_BINARY = 8,
    LAM_WIRE_LIST = 9,
    LAM_WIRE_SET = 10,
    LAM_WIRE_MAP = 11,
    LAM_WIRE_STRUCT = 12
};

enum {
    LAM_WIRE_VARINT_MAX = 10, /* bytes of a varint of 64 bits: 9 times 7, and one more */
    LAM_WIRE_SHORT_LIST = 15, /* smaller counts are in the head */
    LAM_WIRE_SKIP_DEPTH = 64  /* containers inside each other, in an unknown field */
};

/* --- Reading -------------------------------------------------------------------------------- */

/* A position in the bytes of one message, and the shared state of its functions. */
typedef struct lam_wire_reader {
    const uint8_t *at;              /* next byte */
    const uint8_t *end;             /* after the last byte */
    const uint8_t *start;           /* offsets in errors count from here */
    lam_arena *arena;               /* of lists and structs */
    struct lam_meta_shapes *shapes; /* of structs that stay encoded; NULL if none does */
    lam_error *error;               /* or NULL */
    lam_error_code code;            /* of the message that cannot be read, if its bytes are wrong */
    bool ended; /* the bytes end inside the struct: the failure has no message yet */
} lam_wire_reader;

/* Fails because the bytes are wrong, and records the offset of `position`. */
#define LAM_WIRE_CORRUPT(reader, position, ...)                                                    \
    do {                                                                                           \
        lam_error_set((reader)->error, (reader)->code, __VA_ARGS__);                               \
        lam_error_at_offset((reader)->error, (uint64_t)((position) - (reader)->start));            \
        return LAM_STATUS_CORRUPT;                                                                 \
    } while (0)

/*
 * Fails because the bytes end inside the struct. CORRUPT unwinds the calls; the caller of the
 * message sees `ended` and may try again with more bytes.
 */
static inline lam_status lam_wire_ends_early(lam_wire_reader *reader) {
    reader->ended = true;
    return LAM_STATUS_CORRUPT;
}

static inline size_t lam_wire_left(const lam_wire_reader *reader) {
    return (size_t)(reader->end - reader->at);
}

/* Reads a varint of up to 10 bytes; CORRUPT if it has more than 64 bits. */
lam_status lam_wire_read_long_varint(lam_wire_reader *reader, uint64_t *ret);

/*
 * Reads a varint. Those of up to three bytes, which counts and sizes of pages take, are read here
 * without a loop, if three bytes are left.
 */
static inline lam_status lam_wire_read_varint(lam_wire_reader *reader, uint64_t *ret) {
    const uint8_t *at = reader->at;
    if (reader->end - at < 3)
        return lam_wire_read_long_varint(reader, ret);
    uint32_t value = at[0];
    size_t size = 1;
    if (value >= 0x80) {
        value = (value & 0x7F) | (uint32_t)at[1] << 7;
        size = 2;
    }
    if (value >= 0x80u << 7) {
        value = (value & 0x3FFF) | (uint32_t)at[2] << 14;
        size = 3;
    }
    if (value >= 0x80u << 14)
        return lam_wire_read_long_varint(reader, ret);
    *ret = value;
    reader->at = at + size;
    return LAM_STATUS_OK;
}

/* Reads a number of 64 bits; no varint is larger. */
static inline lam_status lam_wire_read_i64(lam_wire_reader *reader, int64_t *ret) {
    uint64_t x;
    LAM_TRY(lam_wire_read_varint(reader, &x));
    *ret = (int64_t)lam_from_zigzag(x);
    return LAM_STATUS_OK;
}

/* Reads a number of 32 bits. A larger one is an error: cutting it would give another number. */
static inline lam_status lam_wire_read_i32(lam_wire_reader *reader, int32_t *ret) {
    const uint8_t *position = reader->at;
    uint64_t x;
    LAM_TRY(lam_wire_read_varint(reader, &x));
    if (x > UINT32_MAX)
        LAM_WIRE_CORRUPT(reader, position, "a number has more than 32 bits");
    *ret = (int32_t)lam_from_zigzag(x);
    return LAM_STATUS_OK;
}

/* Reads a number of 16 bits: an id in a field head, and RowGroup.ordinal. */
static inline lam_status lam_wire_read_i16(lam_wire_reader *reader, int16_t *ret) {
    const uint8_t *position = reader->at;
    uint64_t x;
    LAM_TRY(lam_wire_read_varint(reader, &x));
    if (x > UINT16_MAX)
        LAM_WIRE_CORRUPT(reader, position, "a number has more than 16 bits");
    *ret = (int16_t)lam_from_zigzag(x);
    return LAM_STATUS_OK;
}

static inline lam_status lam_wire_read_byte(lam_wire_reader *reader, uint8_t *ret) {
    if (reader->at == reader->end)
        return lam_wire_ends_early(reader);
    *ret = *reader->at++;
    return LAM_STATUS_OK;
}

/* Reads 8 bytes, little-endian, of a coordinate in a BoundingBox. */
static inline lam_status lam_wire_read_double(lam_wire_reader *reader, double *ret) {
    if (lam_wire_left(reader) < sizeof(uint64_t))
        return lam_wire_ends_early(reader);
    uint64_t bits = lam_load_le64(reader->at);
    memcpy(ret, &bits, sizeof bits);
    reader->at += sizeof bits;
    return LAM_STATUS_OK;
}

/*
 * Lends a string of the bytes. Thrift's lengths are signed, so one above 2^31 - 1 is negative and
 * never becomes right with more bytes.
 */
static inline lam_status lam_wire_read_bytes(lam_wire_reader *reader, lam_bytes *ret) {
    const uint8_t *position = reader->at;
    uint64_t size;
    LAM_TRY(lam_wire_read_varint(reader, &size));
    if (size > INT32_MAX)
        LAM_WIRE_CORRUPT(reader, position, "a string has a negative length");
    if (size > lam_wire_left(reader))
        return lam_wire_ends_early(reader);
    ret->data = reader->at;
    ret->size = (size_t)size;
    reader->at += size;
    return LAM_STATUS_OK;
}

/* Reads a bool in a list: 1 is true, 0 and 2 are false. */
static inline lam_status lam_wire_read_list_bool(lam_wire_reader *reader, bool *ret) {
    const uint8_t *position = reader->at;
    uint8_t byte;
    /* unreachable: the head of the list has found a byte for each element */
    LAM_TRY(lam_wire_read_byte(reader, &byte));
    if (byte > LAM_WIRE_FALSE)
        LAM_WIRE_CORRUPT(reader, position, "%d is not a bool", byte);
    *ret = byte == LAM_WIRE_TRUE;
    return LAM_STATUS_OK;
}

/*
 * Reads the head of the field after field `*id`, and sets `*id`. Type LAM_WIRE_STOP ends the
 * struct.
 *
 *   25       after id 3: id 5, i32
 *   08 28    after id 3: id 20, binary, since 20 - 3 is more than 15; 28 is 20 in zigzag
 *
 * An id may be negative or smaller than the last one in the second form; Thrift allows it.
 */
static inline lam_status lam_wire_read_field_head(lam_wire_reader *reader, int32_t *id,
                                                  uint8_t *ret_type) {
    const uint8_t *position = reader->at;
    uint8_t head;
    LAM_TRY(lam_wire_read_byte(reader, &head));
    uint8_t type = head & 15;
    int32_t next = *id + (head >> 4);
    if (head != LAM_WIRE_STOP && head >> 4 == 0) {
        int16_t whole;
        LAM_TRY(lam_wire_read_i16(reader, &whole));
        next = whole;
    }
    if (type > LAM_WIRE_STRUCT || (type == LAM_WIRE_STOP && head != LAM_WIRE_STOP))
        LAM_WIRE_CORRUPT(reader, position, "unknown type %d", type);
    if (next > INT16_MAX)
        LAM_WIRE_CORRUPT(reader, position, "a field id has more than 16 bits");
    *id = next;
    *ret_type = type;
    return LAM_STATUS_OK;
}

/*
 * Reads the head of a list: 35 is 3 elements of i32, F8 14 is 20 strings. `element_bytes` is the
 * least that an element takes, so that a count is never larger than the bytes left allow, and a
 * list of 2^31 - 1 in a file of 100 bytes allocates nothing.
 */
static inline lam_status lam_wire_read_list_head(lam_wire_reader *reader, size_t element_bytes,
                                                 uint8_t *ret_type, uint32_t *ret_count) {
    const uint8_t *position = reader->at;
    uint8_t head;
    LAM_TRY(lam_wire_read_byte(reader, &head));
    uint64_t count = head >> 4;
    if (count == LAM_WIRE_SHORT_LIST)
        LAM_TRY(lam_wire_read_varint(reader, &count));
    if (count > INT32_MAX)
        LAM_WIRE_CORRUPT(reader, position, "a list has a negative length");
    if (count > lam_wire_left(reader) / element_bytes)
        return lam_wire_ends_early(reader);
    *ret_type = head & 15;
    *ret_count = (uint32_t)count;
    return LAM_STATUS_OK;
}

/* Skips the value of an unknown field. */
lam_status lam_wire_skip(lam_wire_reader *reader, uint8_t type);

/* --- Writing -------------------------------------------------------------------------------- */

/* Bytes of a field head (4) and any number or head of a list, reserved at once. */
enum { LAM_WIRE_FIELD_BYTES = 4 + LAM_WIRE_VARINT_MAX };

/* The lam_wire_put_... functions write into room that the caller has reserved. */
static inline void lam_wire_put_byte(lam_buffer *out, uint8_t byte) {
    out->data[out->size++] = byte;
}

/* Puts up to 10 bytes, 7 bits each, the low ones first. */
static inline void lam_wire_put_varint(lam_buffer *out, uint64_t x) {
    for (; x >= 0x80; x >>= 7)
        lam_wire_put_byte(out, (uint8_t)(x | 0x80));
    lam_wire_put_byte(out, (uint8_t)x);
}

/* Stores the bits of the double, so that a NaN keeps its payload. */
static inline void lam_wire_put_double(lam_buffer *out, const double *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    lam_store_le64(out->data + out->size, bits);
    out->size += sizeof bits;
}

/* Writes the short head if it can: ids ascend, so only a gap above 15 needs the long one. */
static inline void lam_wire_put_field_head(lam_buffer *out, int32_t last_id, int32_t id,
                                           uint8_t type) {
    if (id - last_id <= 15) {
        lam_wire_put_byte(out, (uint8_t)((id - last_id) << 4 | type));
    } else {
        lam_wire_put_byte(out, type);
        lam_wire_put_varint(out, lam_to_zigzag((uint64_t)(int64_t)id));
    }
}

/* Puts the head of a list: up to 6 bytes, fewer than LAM_WIRE_VARINT_MAX. */
static inline void lam_wire_put_list_head(lam_buffer *out, uint8_t type, uint32_t count) {
    if (count < LAM_WIRE_SHORT_LIST) {
        lam_wire_put_byte(out, (uint8_t)(count << 4 | type));
    } else {
        lam_wire_put_byte(out, (uint8_t)(LAM_WIRE_SHORT_LIST << 4 | type));
        lam_wire_put_varint(out, count);
    }
}

/* Reserves room, and writes a string: "ab" is 02 61 62. */
static inline lam_status lam_wire_write_bytes(const lam_bytes *bytes, lam_buffer *out,
                                              lam_error *error) {
    if (bytes->size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a string in the metadata has %zu bytes", bytes->size);
    LAM_TRY(lam_buffer_reserve(out, LAM_WIRE_VARINT_MAX + bytes->size, error));
    lam_wire_put_varint(out, bytes->size);
    if (bytes->size > 0)
        memcpy(out->data + out->size, bytes->data, bytes->size);
    out->size += bytes->size;
    return LAM_STATUS_OK;
}

#endif
