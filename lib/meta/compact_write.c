/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the C structs that the tables describe as messages of the compact protocol. Takes a struct
 * with its `has`, and appends its fields to a buffer by ascending id:
 *
 *   key_value {"a", "b"}   18 01 61  18 01 62  00
 *
 * The invariant: a written struct reads back as an equal one, except for unknown union members,
 * which leave only an empty union. Required fields are always written, optional ones by their bit
 * in `has` or by their pointer. A failure gives the buffer its old size back. (parquet.thrift;
 * Thrift's thrift-compact-protocol.md)
 */
#include "meta/compact.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "meta/tables.h"
#include "meta/wire.h"

static lam_status write_struct(const lam_meta_struct *table, const void *in, lam_buffer *out,
                               lam_error *error);

/* Writes the elements of a list. Integers reserve room for the longest varint one by one. */
static lam_status write_elements(const lam_meta_field *field, lam_meta_list list, lam_buffer *out,
                                 lam_error *error) {
    const uint8_t *items = list.items;
    size_t size = lam_meta_element_size(field);
    for (uint32_t i = 0; i < list.count; i++, items += size) {
        switch (field->element) {
        case LAM_META_KIND_BYTES:
            LAM_TRY(lam_wire_write_bytes((const lam_bytes *)items, out, error));
            continue;
        case LAM_META_KIND_STRUCT:
            LAM_TRY(write_struct(field->child, items, out, error));
            continue;
        default:
            LAM_TRY(lam_buffer_reserve(out, LAM_WIRE_VARINT_MAX, error));
        }
        if (field->element == LAM_META_KIND_BOOL)
            lam_wire_put_byte(out, *(const bool *)items ? LAM_WIRE_TRUE : LAM_WIRE_FALSE);
        else if (field->element == LAM_META_KIND_I32)
            lam_wire_put_varint(out, lam_to_zigzag((uint64_t)(int64_t) * (const int32_t *)items));
        else
            lam_wire_put_varint(out, lam_to_zigzag((uint64_t) * (const int64_t *)items));
    }
    return LAM_STATUS_OK;
}

/*
 * Writes the head and the elements of a list; the element type of bools is that of true, 1. The
 * field's head has reserved the room for the list's.
 */
static lam_status write_list(const lam_meta_field *field, const void *in, lam_buffer *out,
                             lam_error *error) {
    lam_meta_list list;
    memcpy(&list, in, sizeof list);
    if (list.count > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s has %u elements", field->name, list.count);
    lam_wire_put_list_head(out, lam_meta_wire(field->element), list.count);
    return write_elements(field, list, out, error);
}

/* Writes the value at `in`, after its head, which reserved the room for a number. */
static inline lam_status compact_write_value(const lam_meta_field *field, const void *in,
                                             lam_buffer *out, lam_error *error) {
    switch (field->kind) {
    case LAM_META_KIND_BOOL:
        return LAM_STATUS_OK; /* the type in the head is the value */
    case LAM_META_KIND_I8:
        lam_wire_put_byte(out, *(const uint8_t *)in);
        return LAM_STATUS_OK;
    case LAM_META_KIND_I16:
        lam_wire_put_varint(out, lam_to_zigzag((uint64_t)(int64_t) * (const int16_t *)in));
        return LAM_STATUS_OK;
    case LAM_META_KIND_I32:
        lam_wire_put_varint(out, lam_to_zigzag((uint64_t)(int64_t) * (const int32_t *)in));
        return LAM_STATUS_OK;
    case LAM_META_KIND_I64:
        lam_wire_put_varint(out, lam_to_zigzag((uint64_t) * (const int64_t *)in));
        return LAM_STATUS_OK;
    case LAM_META_KIND_DOUBLE:
        lam_wire_put_double(out, in);
        return LAM_STATUS_OK;
    case LAM_META_KIND_BYTES:
        return lam_wire_write_bytes(in, out, error);
    case LAM_META_KIND_STRUCT:
        return write_struct(field->child, in, out, error);
    case LAM_META_KIND_POINTER: {
        const void *child;
        memcpy(&child, in, sizeof child);
        return write_struct(field->child, child, out, error);
    }
    case LAM_META_KIND_LIST:
        return write_list(field, in, out, error);
    default:
        assert(field->kind == LAM_META_KIND_EMPTY);
        lam_wire_put_byte(out, LAM_WIRE_STOP);
        return LAM_STATUS_OK;
    }
}

/* Writes one field, head and value. */
static inline lam_status compact_write_field(const lam_meta_field *field, int32_t last_id,
                                             int32_t id, const uint8_t *in, lam_buffer *out,
                                             lam_error *error) {
    in += field->offset;
    uint8_t type = lam_meta_wire(field->kind);
    if (field->kind == LAM_META_KIND_BOOL && !*(const bool *)in)
        type = LAM_WIRE_FALSE;
    LAM_TRY(lam_buffer_reserve(out, LAM_WIRE_FIELD_BYTES, error));
    lam_wire_put_field_head(out, last_id, id, type);
    return compact_write_value(field, in, out, error);
}

/*
 * True if a field is written: a pointer if it is not NULL, another field if it is required or has
 * its bit, which an id without a field never has.
 */
static inline bool is_present(const lam_meta_struct *table, const lam_meta_field *field, int32_t id,
                              uint32_t has, const uint8_t *in) {
    if (field->kind != LAM_META_KIND_POINTER)
        return ((table->required | has) & 1u << id) != 0;
    const void *child;
    memcpy(&child, in + field->offset, sizeof child);
    return child != NULL;
}

/*
 * Writes a union: its one member, or none if the kind is EMPTY or UNRECOGNIZED, for which no table
 * has an id; or all of it as it was read, its stop included.
 */
static lam_status compact_write_union(const lam_meta_struct *table, const uint8_t *in,
                                      lam_buffer *out, lam_error *error) {
    int32_t kind;
    memcpy(&kind, in, sizeof kind);
    if (kind == LAM_META_UNION_AS_READ && table->as_read != 0) {
        lam_bytes bytes;
        memcpy(&bytes, in + table->as_read, sizeof bytes);
        return lam_buffer_append(out, bytes.data, bytes.size, error);
    }
    const lam_meta_field *member = lam_meta_find(table, kind);
    if (member != NULL)
        LAM_TRY(compact_write_field(member, 0, kind, in, out, error));
    return lam_buffer_append_byte(out, LAM_WIRE_STOP, error);
}

static lam_status write_struct(const lam_meta_struct *table, const void *in, lam_buffer *out,
                               lam_error *error) {
    if (table->is_union)
        return compact_write_union(table, in, out, error);
    uint32_t has;
    memcpy(&has, in, sizeof has);
    /* Heads count from the field before, so fields must be written by ascending id. */
    int32_t last_id = 0;
    for (int32_t id = 1; id <= table->last_id; id++) {
        const lam_meta_field *field = &table->fields[id];
        if (!is_present(table, field, id, has, in))
            continue;
        LAM_TRY(compact_write_field(field, last_id, id, in, out, error));
        last_id = id;
    }
    return lam_buffer_append_byte(out, LAM_WIRE_STOP, error);
}

/* Writes a message, or leaves the buffer as it was. */
static lam_status compact_write_message(const lam_meta_struct *table, const void *in,
                                        lam_buffer *out, lam_error *error) {
    size_t size = out->size;
    lam_status status = write_struct(table, in, out, error);
    if (status != LAM_STATUS_OK)
        out->size = size;
    return status;
}

/* Defines the public function of each message. */
#define WRITE(noun)                                                                                \
    lam_status lam_meta_write_##noun(const lam_meta_##noun *message, lam_buffer *out,              \
                                     lam_error *error) {                                           \
        return compact_write_message(&lam_meta_##noun##_table, message, out, error);               \
    }

WRITE(file)
WRITE(row_group)
WRITE(page_header)
WRITE(offset_index)
WRITE(column_index)
WRITE(bloom_filter_header)
WRITE(file_crypto)
WRITE(logical_type)
