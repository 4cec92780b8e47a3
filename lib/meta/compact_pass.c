/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over structs of the compact protocol without storing them: takes a table and bytes, and
 * gives the position after the struct, or NULL.
 *
 *   26 48 15 1C 19 25 ...  00     ColumnChunk: file_offset, meta_data {type, encodings, ...}, ...
 *   ^                         ^
 *   at                        the result
 *
 * The invariant: if the result is a position, compact_read.c accepts the same bytes and ends at the
 * same position. NULL does not mean damage, only that the bytes are not what writers usually write:
 * unknown fields, unions, ids that do not ascend by 1 to 15, numbers above 8 bytes, damage, the
 * last bytes of a message. The caller then has compact_read.c decide, so that only one source finds
 * and names the faults. Functions call each other to the depth of the tables.
 *
 * Shapes make the pass faster still. The chunks of one column are alike in all row groups: the same
 * fields, and numbers and strings of the same lengths. A struct that was passed leaves a mask, one
 * byte per byte, of the bits that led the way; bytes that equal it in these bits lead the same way:
 *
 *   16 A0 1F 28 02 61 62 00      i64 2000, string "ab", stop
 *   FF 80 80 FF FF 00 00 FF      heads, lengths and stops; of numbers, their end
 *
 * (parquet.thrift; Thrift's thrift-compact-protocol.md)
 */
#include "meta/compact_pass.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "meta/wire.h"

/*
 * Bytes that must remain where a struct begins and after each value with a length of its own. A
 * struct has at most 19 fields, and one of a fixed length at most 9 bytes, its head included: so
 * those between two such positions are read without comparing with the end.
 */
enum { PASS_SLACK = 256 };

/* --- Masks --------------------------------------------------------------------------------- */

enum {
    MASK_NUMBER = 0x80,     /* the end of a varint leads the way */
    MASK_NUMBER_END = 0xF0, /* and in the fifth byte of an i32, that it has no more bits */
    MASK_NOTHING = 0,       /* any bytes will do */
    MASK_MOST = 1024        /* bytes of a struct that has a mask */
};

/* The mask of a struct that is being passed: all bits lead the way unless something else is set. */
typedef struct pass_record {
    const uint8_t *start;
    uint8_t *mask; /* MASK_MOST bytes */
} pass_record;

/* Sets the mask of some bytes, as far as it goes. */
static void pass_note(pass_record *record, const uint8_t *at, size_t size, uint8_t mask) {
    size_t before = (size_t)(at - record->start);
    if (before < MASK_MOST)
        memset(record->mask + before, mask, size < MASK_MOST - before ? size : MASK_MOST - before);
}

/* --- Values -------------------------------------------------------------------------------- */

/* NULL stays NULL; a position too near to the end becomes it. */
static inline const uint8_t *pass_slack(const uint8_t *at, const uint8_t *end) {
    return at != NULL && end - at >= PASS_SLACK ? at : NULL;
}

/*
 * Gives the position after a varint of up to 8 bytes; longer ones, which no count or offset needs,
 * are NULL. Numbers of one field have much the same length, which a CPU learns.
 */
static inline const uint8_t *pass_varint(const uint8_t *at) {
    if (at[0] < 0x80)
        return at + 1;
    if (at[1] < 0x80)
        return at + 2;
    if (at[2] < 0x80)
        return at + 3;
    if (at[3] < 0x80)
        return at + 4;
    for (size_t i = 4; i < sizeof(uint64_t); i++)
        if (at[i] < 0x80)
            return at + i + 1;
    return NULL;
}

static inline const uint8_t *pass_i64(const uint8_t *at, pass_record *record) {
    const uint8_t *next = pass_varint(at);
    if (record != NULL && next != NULL)
        pass_note(record, at, (size_t)(next - at), MASK_NUMBER);
    return next;
}

/* Passes a varint of up to 32 bits: of 5 bytes, the last with 4 bits. */
static inline const uint8_t *pass_i32(const uint8_t *at, pass_record *record) {
    const uint8_t *next = pass_i64(at, record);
    if (next == NULL || next - at < 5)
        return next;
    if (record != NULL)
        pass_note(record, at + 4, 1, MASK_NUMBER_END);
    return next - at == 5 && at[4] <= 0x0F ? next : NULL;
}

/* Passes a length or a count of up to 28 bits. */
static const uint8_t *pass_size(const uint8_t *at, uint32_t *ret_size) {
    uint32_t size = at[0] & 0x7Fu;
    for (unsigned shift = 7; *at++ >= 0x80; shift += 7) {
        if (shift == 28)
            return NULL;
        size |= (at[0] & 0x7Fu) << shift;
    }
    *ret_size = size;
    return at;
}

static inline const uint8_t *pass_bytes(const uint8_t *at, const uint8_t *end,
                                        pass_record *record) {
    uint32_t size = *at;
    if (size < 0x80)
        at++;
    else if ((at = pass_size(at, &size)) == NULL)
        return NULL;
    if ((size_t)(end - at) < (size_t)size + PASS_SLACK)
        return NULL;
    if (record != NULL)
        pass_note(record, at, size, MASK_NOTHING);
    return at + size;
}

/* Passes 64 bits that may be any. */
static inline const uint8_t *pass_double(const uint8_t *at, pass_record *record) {
    if (record != NULL)
        pass_note(record, at, sizeof(uint64_t), MASK_NOTHING);
    return at + sizeof(uint64_t);
}

static const uint8_t *pass_struct(const lam_meta_struct *table, const uint8_t *at,
                                  const uint8_t *end, pass_record *record);

/* Passes the elements of a list, which all have the type of the table. */
static const uint8_t *pass_elements(const lam_meta_field *field, uint32_t count, const uint8_t *at,
                                    const uint8_t *end, pass_record *record) {
    for (uint32_t i = 0; i < count && at != NULL; i++) {
        switch (field->element) {
        case LAM_META_KIND_I32:
            at = pass_slack(pass_i32(at, record), end);
            break;
        case LAM_META_KIND_I64:
            at = pass_slack(pass_i64(at, record), end);
            break;
        case LAM_META_KIND_BYTES:
            at = pass_bytes(at, end, record);
            break;
        case LAM_META_KIND_STRUCT:
            at = pass_struct(field->child, at, end, record);
            break;
        default: /* bools, which no chunk has */
            return NULL;
        }
    }
    return at;
}

/* Passes a list whose elements have the very type of the table. */
static const uint8_t *pass_list(const lam_meta_field *field, const uint8_t *at, const uint8_t *end,
                                pass_record *record) {
    uint32_t count = *at >> 4;
    if ((*at++ & 15) != lam_meta_wire(field->element))
        return NULL;
    if (count == LAM_WIRE_SHORT_LIST && (at = pass_size(at, &count)) == NULL)
        return NULL;
    return pass_elements(field, count, at, end, record);
}

/* Passes the value of a field, the most frequent kinds first; that of a bool is in the head. */
static inline const uint8_t *pass_field_value(const lam_meta_field *field, const uint8_t *at,
                                              const uint8_t *end, pass_record *record) {
    const unsigned kind = field->kind;
    if (kind == LAM_META_KIND_I64)
        return pass_i64(at, record);
    if (kind == LAM_META_KIND_I32)
        return pass_i32(at, record);
    if (kind == LAM_META_KIND_BYTES)
        return pass_bytes(at, end, record);
    if (kind == LAM_META_KIND_BOOL)
        return at;
    if (kind == LAM_META_KIND_LIST)
        return pass_list(field, at, end, record);
    if (kind == LAM_META_KIND_POINTER)
        return pass_struct(field->child, at, end, record);
    if (kind == LAM_META_KIND_DOUBLE)
        return pass_double(at, record);
    return NULL; /* numbers of 8 and 16 bits and structs by value, which no chunk has */
}

/* Ids ascend, so that no field is there twice. The head of an ordinary field is above 15. */
static const uint8_t *pass_struct(const lam_meta_struct *table, const uint8_t *at,
                                  const uint8_t *end, pass_record *record) {
    const lam_meta_field *fields = table->fields;
    const uint32_t last_id = table->last_id;
    uint32_t seen = 0, id = 0;
    if (table->is_union || end - at < PASS_SLACK)
        return NULL;
    while (*at > 15) {
        const unsigned head = *at;
        id += head >> 4;
        if (id > last_id)
            return NULL;
        const lam_meta_field *field = &fields[id];
        if (((field->kind ^ head) & 15) != 0 &&
            !(field->kind == LAM_META_KIND_BOOL && (head & 15) == LAM_WIRE_FALSE))
            return NULL;
        seen |= 1u << id;
        at = pass_field_value(field, at + 1, end, record);
        if (at == NULL)
            return NULL;
    }
    return *at == LAM_WIRE_STOP && (table->required & ~seen) == 0 ? pass_slack(at + 1, end) : NULL;
}

const uint8_t *lam_meta_pass(const lam_meta_struct *table, const uint8_t *at, const uint8_t *end) {
    return pass_struct(table, at, end, NULL);
}

/* --- Shapes -------------------------------------------------------------------------------- */

void lam_meta_shapes_init(lam_meta_shapes *shapes, const lam_allocator *allocator) {
    lam_buffer_init(&shapes->masks, allocator);
    lam_buffer_init(&shapes->shapes, allocator);
    shapes->misses = 0;
    shapes->is_complete = false;
    shapes->is_recording = false;
    shapes->room = 0;
}

void lam_meta_shapes_finish(lam_meta_shapes *shapes) {
    lam_buffer_finish(&shapes->masks);
    lam_buffer_finish(&shapes->shapes);
}

/* Where the bytes of a struct and its mask are. */
typedef struct pass_shape {
    const uint8_t *bytes;
    size_t mask; /* in `masks` */
    size_t size; /* of both; 0: no mask */
} pass_shape;

/*
 * Masks take as many bytes as their structs. They are made only if lists of that size may follow
 * several times, which bounds their memory as well, and made again if too many did not fit.
 */
void lam_meta_shapes_begin(lam_meta_shapes *shapes, size_t count, size_t bytes_left) {
    enum { SHAPE_USES = 8, STRUCT_BYTES = 64, MISSES_SHARE = 16 };
    size_t known = shapes->shapes.size / sizeof(pass_shape);
    bool fits = known == count && shapes->misses <= count / MISSES_SHARE;
    shapes->misses = 0;
    shapes->is_complete = fits;
    shapes->room = bytes_left / SHAPE_USES;
    shapes->is_recording = !fits && count <= shapes->room / STRUCT_BYTES;
    if (fits)
        return;
    lam_buffer_clear(&shapes->masks);
    lam_buffer_clear(&shapes->shapes);
}

/* True if bytes equal those of a shape in all bits of its mask. */
static bool pass_matches(const uint8_t *at, const uint8_t *known, const uint8_t *mask,
                         size_t size) {
    uint64_t differ = 0;
    size_t i = 0;
    for (; i + sizeof differ <= size; i += sizeof differ)
        differ |= (lam_load_le64(at + i) ^ lam_load_le64(known + i)) & lam_load_le64(mask + i);
    for (; i < size; i++)
        differ |= (uint64_t)((at[i] ^ known[i]) & mask[i]);
    return differ == 0;
}

/* Passes a struct and adds its shape. */
static lam_status pass_recording(lam_meta_shapes *shapes, const lam_meta_struct *table,
                                 const uint8_t *at, const uint8_t *end, const uint8_t **ret_next,
                                 lam_error *error) {
    LAM_TRY(lam_buffer_reserve(&shapes->masks, MASK_MOST, error));
    pass_record record = {at, shapes->masks.data + shapes->masks.size};
    memset(record.mask, 0xFF, MASK_MOST);
    const uint8_t *next = pass_struct(table, at, end, &record);
    pass_shape shape = {at, shapes->masks.size, 0};
    if (next != NULL && next - at <= MASK_MOST)
        shape.size = (size_t)(next - at);
    shapes->masks.size += shape.size;
    shapes->is_recording = shapes->masks.size <= shapes->room;
    *ret_next = next;
    return lam_buffer_append(&shapes->shapes, &shape, sizeof shape, error);
}

lam_status lam_meta_shapes_pass(lam_meta_shapes *shapes, size_t index, const lam_meta_struct *table,
                                const uint8_t *at, const uint8_t *end, const uint8_t **ret_next,
                                lam_error *error) {
    if (shapes->is_recording)
        return pass_recording(shapes, table, at, end, ret_next, error);
    if (shapes->is_complete) {
        const pass_shape *shape = (const pass_shape *)(const void *)shapes->shapes.data + index;
        if (shape->size > 0 && shape->size <= (size_t)(end - at) &&
            pass_matches(at, shape->bytes, shapes->masks.data + shape->mask, shape->size)) {
            *ret_next = at + shape->size;
            return LAM_STATUS_OK;
        }
        shapes->misses++;
    }
    *ret_next = pass_struct(table, at, end, NULL);
    return LAM_STATUS_OK;
}
