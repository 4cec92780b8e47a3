/*
 * The compact protocol read into the structs of the tables. Functions call each other to the depth
 * of the tables, never to the depth of the input.
 */
#include "meta/compact.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "meta/tables.h"
#include "meta/wire.h"

static lam_status read_struct(lam_wire_reader *in, const lam_meta_struct *table, void *out);

static lam_status read_pointer(lam_wire_reader *in, const lam_meta_struct *table, void *out) {
    void *memory;
    LAM_TRY(lam_arena_alloc(in->arena, table->size, &memory, in->error));
    LAM_TRY(read_struct(in, table, memory));
    memcpy(out, &memory, sizeof memory);
    return LAM_STATUS_OK;
}

/* The least bytes of a struct: a head for each required field, and the stop. */
static size_t least_bytes(const lam_meta_struct *table) {
    size_t bytes = 1;
    for (uint32_t required = table->required; required != 0; required &= required - 1)
        bytes++;
    return bytes;
}

static lam_status read_elements(lam_wire_reader *in, const lam_meta_field *field, uint8_t *items,
                                uint32_t count) {
    uint32_t i = 0;
    switch (field->element) {
    case LAM_META_KIND_BOOL:
        for (bool *values = (bool *)items; i < count; i++)
            LAM_TRY(lam_wire_read_list_bool(in, &values[i]));
        break;
    case LAM_META_KIND_I32:
        for (int32_t *values = (int32_t *)items; i < count; i++)
            LAM_TRY(lam_wire_read_i32(in, &values[i]));
        break;
    case LAM_META_KIND_I64:
        for (int64_t *values = (int64_t *)items; i < count; i++)
            LAM_TRY(lam_wire_read_i64(in, &values[i]));
        break;
    case LAM_META_KIND_BYTES:
        for (lam_bytes *values = (lam_bytes *)items; i < count; i++)
            LAM_TRY(lam_wire_read_bytes(in, &values[i]));
        break;
    default:
        for (; i < count; i++)
            LAM_TRY(read_struct(in, field->child, items + (size_t)i * field->child->size));
    }
    return LAM_STATUS_OK;
}

/* Integers of these types are the same bytes in a list, where no reader of Thrift's minds which. */
static bool is_varint(uint8_t type) {
    return type >= LAM_WIRE_I16 && type <= LAM_WIRE_I64;
}

static lam_status read_list(lam_wire_reader *in, const lam_meta_field *field, void *out) {
    const uint8_t *place = in->at;
    uint8_t type;
    lam_meta_list list = {NULL, 0};
    size_t element_bytes = field->child == NULL ? 1 : least_bytes(field->child);
    LAM_TRY(lam_wire_read_list_head(in, element_bytes, &type, &list.count));
    uint8_t wanted = lam_meta_wire(field->element);
    bool fits = type == wanted || (wanted == LAM_WIRE_TRUE && type == LAM_WIRE_FALSE) ||
                (is_varint(wanted) && is_varint(type));
    if (!fits && (list.count > 0 || type != LAM_WIRE_STOP))
        LAM_WIRE_CORRUPT(in, place, "the elements of %s have type %d, not %d", field->name, type,
                         wanted);
    if (list.count > 0) {
        size_t size;
        void *items;
        if (!lam_mul_size(list.count, lam_meta_element_size(field), &size))
            LAM_FAIL(in->error, LAM_STATUS_NOMEM, "no memory for %u elements", list.count);
        LAM_TRY(lam_arena_alloc(in->arena, size, &items, in->error));
        LAM_TRY(read_elements(in, field, items, list.count));
        list.items = items;
    }
    memcpy(out, &list, sizeof list);
    return LAM_STATUS_OK;
}

/* The value of a field whose type is the right one; `out` is its place in the struct. */
static inline lam_status read_value(lam_wire_reader *in, const lam_meta_field *field, uint8_t type,
                                    void *out) {
    switch (field->kind) {
    case LAM_META_KIND_BOOL:
        *(bool *)out = type == LAM_WIRE_TRUE;
        return LAM_STATUS_OK;
    case LAM_META_KIND_I8: {
        uint8_t byte;
        LAM_TRY(lam_wire_read_byte(in, &byte));
        memcpy(out, &byte, 1);
        return LAM_STATUS_OK;
    }
    case LAM_META_KIND_I16:
        return lam_wire_read_i16(in, out);
    case LAM_META_KIND_I32:
        return lam_wire_read_i32(in, out);
    case LAM_META_KIND_I64:
        return lam_wire_read_i64(in, out);
    case LAM_META_KIND_DOUBLE:
        return lam_wire_read_double(in, out);
    case LAM_META_KIND_BYTES:
        return lam_wire_read_bytes(in, out);
    case LAM_META_KIND_STRUCT:
        return read_struct(in, field->child, out);
    case LAM_META_KIND_POINTER:
        return read_pointer(in, field->child, out);
    case LAM_META_KIND_LIST:
        return read_list(in, field, out);
    default:
        assert(field->kind == LAM_META_KIND_EMPTY);
        return lam_wire_skip(in, LAM_WIRE_STRUCT);
    }
}

/* The field of that id and type. One of another type is a stranger that took the number. */
static inline const lam_meta_field *find(const lam_meta_struct *table, int32_t id, uint8_t type) {
    const lam_meta_field *field = lam_meta_find(table, id);
    if (field == NULL || type == lam_meta_wire(field->kind))
        return field;
    return field->kind == LAM_META_KIND_BOOL && type == LAM_WIRE_FALSE ? field : NULL;
}

/* The required field of the lowest id that has not been seen. */
static const char *missing(const lam_meta_struct *table, uint32_t seen) {
    uint32_t id = 1;
    while ((table->required & ~seen & 1u << id) == 0)
        id++;
    return table->fields[id].name;
}

/* Reads a struct, or a union: a struct that has one field at most, which gives it its kind. */
static lam_status read_struct(lam_wire_reader *in, const lam_meta_struct *table, void *out) {
    if (table->initial == NULL)
        memset(out, 0, table->size);
    else
        memcpy(out, table->initial, table->size);
    uint32_t seen = 0;
    int32_t kind = LAM_META_UNION_EMPTY;
    int32_t id = 0;
    for (;;) {
        const uint8_t *place = in->at;
        uint8_t type;
        LAM_TRY(lam_wire_read_field_head(in, &id, &type));
        if (type == LAM_WIRE_STOP)
            break;
        const lam_meta_field *field = find(table, id, type);
        if (table->is_union && kind != LAM_META_UNION_EMPTY)
            LAM_WIRE_CORRUPT(in, place, "%s has more than one member", table->name);
        kind = field == NULL ? LAM_META_UNION_UNRECOGNIZED : id;
        if (field == NULL) {
            LAM_TRY(lam_wire_skip(in, type));
            continue;
        }
        if ((seen & 1u << id) != 0)
            LAM_WIRE_CORRUPT(in, place, "%s.%s is there twice", table->name, field->name);
        seen |= 1u << id;
        LAM_TRY(read_value(in, field, type, (uint8_t *)out + field->offset));
    }
    if ((table->required & ~seen) != 0)
        LAM_WIRE_CORRUPT(in, in->at - 1, "%s.%s is missing or of another type", table->name,
                         missing(table, seen));
    if (table->is_union)
        memcpy(out, &kind, sizeof kind);
    else
        memcpy(out, &seen, sizeof seen);
    return LAM_STATUS_OK;
}

/* Reads a whole message; `*ret_size` 0 when the bytes end inside it. `scratch` holds the struct. */
static lam_status read_message(const lam_meta_struct *table, lam_bytes bytes, lam_arena *arena,
                               void *scratch, size_t *ret_size, lam_error *error) {
    static const uint8_t NOTHING[1] = {0};
    const uint8_t *start = bytes.size == 0 ? NOTHING : bytes.data;
    lam_wire_reader in = {start, start + bytes.size, start, arena, error, false};
    lam_status status = read_struct(&in, table, scratch);
    if (in.ended) {
        *ret_size = 0;
        return LAM_STATUS_OK;
    }
    if (status == LAM_STATUS_OK)
        *ret_size = (size_t)(in.at - in.start);
    return status;
}

lam_status lam_meta_read_file(lam_bytes bytes, lam_arena *arena, lam_meta_file *ret,
                              lam_error *error) {
    lam_meta_file file;
    size_t size = 0;
    LAM_TRY(read_message(&lam_meta_file_table, bytes, arena, &file, &size, error));
    if (size == 0) {
        lam_error_set(error, LAM_STATUS_CORRUPT, "the footer goes on behind its %zu bytes",
                      bytes.size);
        lam_error_at_offset(error, bytes.size);
        return LAM_STATUS_CORRUPT;
    }
    *ret = file;
    return LAM_STATUS_OK;
}

/* The messages whose length nobody tells. */
#define READ(noun)                                                                                 \
    lam_status lam_meta_read_##noun(lam_bytes bytes, lam_arena *arena, lam_meta_##noun *ret,       \
                                    size_t *ret_size, lam_error *error) {                          \
        lam_meta_##noun message;                                                                   \
        size_t size = 0;                                                                           \
        LAM_TRY(read_message(&lam_meta_##noun##_table, bytes, arena, &message, &size, error));     \
        if (size > 0)                                                                              \
            *ret = message;                                                                        \
        *ret_size = size;                                                                          \
        return LAM_STATUS_OK;                                                                      \
    }

READ(page_header)
READ(offset_index)
READ(column_index)
READ(bloom_filter_header)
READ(file_crypto)
