/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of Arrow arrays as records, slot by slot, through runs and dictionaries. Slow and
 * simple, it is what writing columns is compared with.
 */
#include "arrow/array_rows.h"

#include <lamella/record.h>
#include <string.h>

#include "arrow/slot_width.h"
#include "base/bytes.h"
#include "support/host_order.h"

size_t lam_slot_width(const lam_arrow_field *field) {
    return lam_test_slot_width(&field->type,
                               field->is_dictionary ? field->index_kind : field->type.kind);
}

typedef struct driver {
    const lam_record_sink *sink;
    lam_error *error;
} driver;

static int64_t number_at(const void *numbers, size_t width, int64_t index) {
    return (int64_t)lam_test_load((const uint8_t *)numbers + index * (int64_t)width, width);
}

/* Follows runs and dictionaries to the array and the slot where the value is. */
static void find_value(const lam_arrow_field **field, const struct ArrowArray **array,
                       int64_t *slot, bool *is_null) {
    static lam_arrow_field plain;
    const uint8_t *validity = (*array)->n_buffers > 0 ? (*array)->buffers[0] : NULL;
    int64_t at = (*array)->offset + *slot;
    *is_null = (!(*field)->is_dictionary && (*field)->type.kind == LAM_ARROW_NULL) ||
               (validity != NULL && (validity[at / 8] >> at % 8 & 1) == 0);
    if (*is_null)
        return;
    if ((*field)->is_dictionary) {
        *slot = number_at((*array)->buffers[1], lam_slot_width(*field), at);
        *array = (*array)->dictionary;
        plain = **field;
        plain.is_dictionary = false;
        *field = &plain;
        find_value(field, array, slot, is_null);
    } else if ((*field)->type.kind == LAM_ARROW_RUN_END_ENCODED) {
        lam_arrow_kind kind = (*field)->children[0].type.kind;
        size_t width = kind == LAM_ARROW_INT16 ? 2 : kind == LAM_ARROW_INT32 ? 4 : 8;
        const struct ArrowArray *ends = (*array)->children[0];
        *slot = 0;
        while (number_at(ends->buffers[1], width, ends->offset + *slot) <= at)
            (*slot)++;
        *array = (*array)->children[1];
        *field = &(*field)->children[1];
        find_value(field, array, slot, is_null);
    }
}

static lam_bytes bytes_at(lam_arrow_kind kind, const struct ArrowArray *array, int64_t at) {
    lam_bytes bytes = {NULL, 0};
    const uint8_t *const *buffers = (const uint8_t *const *)array->buffers;
    if (kind == LAM_ARROW_BINARY_VIEW || kind == LAM_ARROW_STRING_VIEW) {
        const uint8_t *view = buffers[1] + 16 * at;
        bytes.size = (size_t)number_at(view, 4, 0);
        bytes.data = bytes.size <= 12 ? view + 4
                                      : buffers[2 + number_at(view, 4, 2)] + number_at(view, 4, 3);
        return bytes;
    }
    bool is_large = kind == LAM_ARROW_LARGE_BINARY || kind == LAM_ARROW_LARGE_STRING;
    int64_t start = number_at(buffers[1], is_large ? 8 : 4, at);
    bytes.size = (size_t)(number_at(buffers[1], is_large ? 8 : 4, at + 1) - start);
    /* Where all values are empty, there need be no bytes. */
    bytes.data = buffers[2] == NULL ? NULL : buffers[2] + start;
    return bytes;
}

static int64_t with_sign(int64_t number, size_t width) {
    unsigned shift = 64 - 8 * (unsigned)width;
    return (int64_t)((uint64_t)number << shift) >> shift;
}

/* A number in the way of Parquet. */
static int64_t number_of(const lam_arrow_type *type, const struct ArrowArray *array, int64_t at,
                         size_t width) {
    int64_t number = number_at(array->buffers[1], width, at);
    bool is_signed = type->kind != LAM_ARROW_UINT8 && type->kind != LAM_ARROW_UINT16;
    if (is_signed && width < 8)
        number = with_sign(number, width);
    if (type->kind == LAM_ARROW_DATE64)
        number /= 86400000;
    if ((type->kind == LAM_ARROW_TIMESTAMP || type->kind == LAM_ARROW_TIME32) &&
        type->unit == LAM_ARROW_SECOND)
        number *= 1000;
    return number;
}

/* Bytes of fixed length in the way of Parquet: decimals big-endian, intervals in three parts. */
static lam_bytes fixed_of(const lam_arrow_type *type, const struct ArrowArray *array, int64_t at,
                          size_t width, size_t length, uint8_t *room) {
    const uint8_t *value = (const uint8_t *)array->buffers[1] + at * (int64_t)width;
    const uint8_t sign = value[lam_test_byte_place(width, width - 1)] >> 7 ? 255 : 0;
    lam_bytes bytes = {room, length};
    memset(room, 0, 12);
    switch (type->kind) {
    case LAM_ARROW_DECIMAL:
        for (size_t i = 0; i < length; i++)
            room[length - 1 - i] = i < width ? value[lam_test_byte_place(width, i)] : sign;
        return bytes;
    case LAM_ARROW_FLOAT16:
        lam_store_le16(room, (uint16_t)number_at(value, 2, 0));
        return bytes;
    case LAM_ARROW_INTERVAL_MONTHS:
        lam_store_le32(room, (uint32_t)number_at(value, 4, 0));
        return bytes;
    case LAM_ARROW_INTERVAL_DAY_TIME:
        lam_store_le32(room + 4, (uint32_t)number_at(value, 4, 0));
        lam_store_le32(room + 8, (uint32_t)number_at(value, 4, 1));
        return bytes;
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        lam_store_le32(room, (uint32_t)number_at(value, 4, 0));
        lam_store_le32(room + 4, (uint32_t)number_at(value, 4, 1));
        lam_store_le32(room + 8, (uint32_t)(number_at(value, 8, 1) / 1000000));
        return bytes;
    default:
        bytes.data = value;
        return bytes;
    }
}

static lam_status put_value(driver *drive, const lam_field *leaf, const lam_arrow_field *field,
                            const struct ArrowArray *array, int64_t slot) {
    lam_value value;
    uint8_t room[32];
    int64_t at = array->offset + slot;
    size_t width = lam_slot_width(field);
    memset(&value, 0, sizeof value);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = ((const uint8_t *)array->buffers[1])[at / 8] >> at % 8 & 1;
        break;
    case LAM_PHYSICAL_INT32:
        value.int32 = (int32_t)number_of(&field->type, array, at, width);
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = number_of(&field->type, array, at, width);
        break;
    case LAM_PHYSICAL_FLOAT:
        memcpy(&value.float32, (const float *)array->buffers[1] + at, 4);
        break;
    case LAM_PHYSICAL_DOUBLE:
        memcpy(&value.float64, (const double *)array->buffers[1] + at, 8);
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        value.bytes = bytes_at(field->type.kind, array, at);
        break;
    default:
        value.bytes =
            fixed_of(&field->type, array, at, width, (size_t)lam_field_type_length(leaf), room);
        break;
    }
    return drive->sink->put(drive->sink->state, leaf, value, drive->error);
}

static lam_status drive_slot(driver *drive, const lam_field *parquet, const lam_arrow_field *field,
                             const struct ArrowArray *array, int64_t slot);

static lam_status drive_children(driver *drive, const lam_field *parquet,
                                 const lam_arrow_field *field, const struct ArrowArray *array,
                                 int64_t slot) {
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < field->child_count && status == LAM_STATUS_OK; i++)
        status = drive_slot(drive, lam_field_child(parquet, i), &field->children[i],
                            array->children[i], array->offset + slot);
    return status;
}

/* The elements of a list: where they begin in the child, and how many. */
static void elements_of(const lam_arrow_field *field, const struct ArrowArray *array, int64_t slot,
                        int64_t *start, int64_t *count) {
    int64_t at = array->offset + slot;
    size_t width =
        field->type.kind == LAM_ARROW_LARGE_LIST || field->type.kind == LAM_ARROW_LARGE_LIST_VIEW
            ? 8
            : 4;
    if (field->type.kind == LAM_ARROW_FIXED_SIZE_LIST) {
        *count = field->type.fixed_size;
        *start = at * *count;
        return;
    }
    *start = number_at(array->buffers[1], width, at);
    if (array->n_buffers == 3)
        *count = number_at(array->buffers[2], width, at);
    else
        *count = number_at(array->buffers[1], width, at + 1) - *start;
}

static lam_status drive_list(driver *drive, const lam_field *parquet, const lam_arrow_field *field,
                             const struct ArrowArray *array, int64_t slot) {
    const lam_record_sink *sink = drive->sink;
    const lam_field *repeated = lam_field_child(parquet, 0);
    bool is_map = field->type.kind == LAM_ARROW_MAP;
    int64_t start, count;
    elements_of(field, array, slot, &start, &count);
    lam_status status = sink->open(sink->state, parquet, drive->error);
    for (int64_t i = start; i < start + count && status == LAM_STATUS_OK; i++) {
        status = sink->open(sink->state, repeated, drive->error);
        if (status == LAM_STATUS_OK && is_map)
            status = drive_children(drive, repeated, field->children, array->children[0], i);
        else if (status == LAM_STATUS_OK)
            status = drive_slot(drive, lam_field_child(repeated, 0), field->children,
                                array->children[0], i);
        if (status == LAM_STATUS_OK)
            status = sink->close(sink->state, repeated, drive->error);
    }
    return status == LAM_STATUS_OK ? sink->close(sink->state, parquet, drive->error) : status;
}

static lam_status drive_slot(driver *drive, const lam_field *parquet, const lam_arrow_field *field,
                             const struct ArrowArray *array, int64_t slot) {
    const lam_record_sink *sink = drive->sink;
    bool is_null;
    find_value(&field, &array, &slot, &is_null);
    if (is_null)
        return LAM_STATUS_OK;
    if (lam_field_physical_type(parquet) != LAM_PHYSICAL_GROUP)
        return put_value(drive, parquet, field, array, slot);
    if (field->type.kind != LAM_ARROW_STRUCT)
        return drive_list(drive, parquet, field, array, slot);
    lam_status status = sink->open(sink->state, parquet, drive->error);
    if (status == LAM_STATUS_OK)
        status = drive_children(drive, parquet, field, array, slot);
    return status == LAM_STATUS_OK ? sink->close(sink->state, parquet, drive->error) : status;
}

lam_status lam_drive_rows(const lam_schema *schema, const lam_arrow_field *field,
                          const struct ArrowArray *array, const lam_record_sink *sink,
                          lam_error *error) {
    driver drive = {sink, error};
    lam_status status = LAM_STATUS_OK;
    for (int64_t row = 0; row < array->length && status == LAM_STATUS_OK; row++) {
        status = sink->begin(sink->state, error);
        if (status == LAM_STATUS_OK)
            status = drive_children(&drive, lam_schema_root(schema), field, array, row);
        if (status == LAM_STATUS_OK)
            status = sink->end(sink->state, error);
    }
    return status;
}
