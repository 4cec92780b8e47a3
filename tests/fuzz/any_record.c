/* SPDX-License-Identifier: Apache-2.0 */
/* In: a schema and random numbers. Out: the events of a record. The same numbers give the same. */
#include "fuzz/any_record.h"

#include <stdio.h>
#include <string.h>

enum { FIXED_MAX = 256 };

static int64_t small_number(const lam_logical_type *type, lam_random *random) {
    int64_t number = (int64_t)lam_random_below(random, 100);
    if (type->kind == LAM_LOGICAL_NONE && lam_random_chance(random, 10))
        return (int64_t)lam_random_next(random);
    return number;
}

static lam_value any_value(const lam_field *leaf, uint8_t *room, lam_random *random) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    lam_value value;
    memset(&value, 0, sizeof value);
    int64_t number = small_number(type, random);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = number & 1;
        return value;
    case LAM_PHYSICAL_INT32:
        value.int32 = (int32_t)number;
        return value;
    case LAM_PHYSICAL_INT64:
        value.int64 = number;
        return value;
    case LAM_PHYSICAL_FLOAT:
        value.float32 = (float)number / 4;
        return value;
    case LAM_PHYSICAL_DOUBLE:
        value.float64 = (double)number / 100;
        return value;
    default:
        break;
    }
    size_t size = (size_t)lam_field_type_length(leaf);
    bool text = type->kind != LAM_LOGICAL_DECIMAL && type->kind != LAM_LOGICAL_FLOAT16;
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY)
        size = type->kind == LAM_LOGICAL_DECIMAL ? 3 : (size_t)lam_random_below(random, 12);
    size = size > FIXED_MAX ? FIXED_MAX : size; /* which a writer refuses */
    if (type->kind == LAM_LOGICAL_JSON)
        size = (size_t)snprintf((char *)room, FIXED_MAX, "[%d]", (int)(number & 31));
    else
        for (size_t i = 0; i < size; i++)
            room[i] = text ? (uint8_t)('a' + (i < size / 2 ? 0 : number % 26)) : 0;
    if (!text && size > 0)
        room[type->kind == LAM_LOGICAL_DECIMAL ? size - 1 : 0] = (uint8_t)(number % 60);
    if (type->kind == LAM_LOGICAL_FLOAT16)
        room[1] = 0x3C; /* a little more than 1 */
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT96)
        memcpy(room, (const uint8_t[]){(uint8_t)number, 0, 0, 0, 0, 0, 0, 0, 0x8C, 0x3D, 0x25, 0},
               12);
    value.bytes = (lam_bytes){room, size};
    return value;
}

/* A VARIANT in its columns, when these are leaves: a number of 8 bits, or what is shredded. */
static lam_status drive_variant(const lam_field *variant, const lam_record_sink *sink,
                                lam_random *random, lam_error *error) {
    static const uint8_t metadata[] = {0x01, 0, 0};
    uint8_t room[FIXED_MAX] = {0x0C, (uint8_t)lam_random_below(random, 100)};
    bool is_typed = lam_random_chance(random, 50) && lam_field_child_count(variant) > 2;
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < lam_field_child_count(variant) && status == LAM_STATUS_OK; i++) {
        const lam_field *column = lam_field_child(variant, i);
        const char *name = lam_field_name(column);
        if (strcmp(name, "metadata") == 0)
            status = sink->put(sink->state, column, (lam_value){.bytes = {metadata, 3}}, error);
        else if (strcmp(name, "value") == 0 && !is_typed)
            status = sink->put(sink->state, column, (lam_value){.bytes = {room, 2}}, error);
        else if (strcmp(name, "typed_value") == 0 && is_typed)
            status = sink->put(sink->state, column, any_value(column, room, random), error);
    }
    return status;
}

/* A VARIANT of leaves alone; one may be deeper. */
static bool is_flat_variant(const lam_field *group) {
    bool is_flat = lam_field_logical_type(group)->kind == LAM_LOGICAL_VARIANT;
    for (size_t i = 0; i < lam_field_child_count(group); i++)
        is_flat = is_flat && lam_field_is_leaf(lam_field_child(group, i));
    return is_flat;
}

/* A file's schema is at most as deep as the library takes. */
static lam_status drive_group(const lam_field *group, const lam_record_sink *sink,
                              lam_random *random, unsigned presence, lam_error *error) {
    uint8_t room[FIXED_MAX];
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < lam_field_child_count(group); i++) {
        const lam_field *field = lam_field_child(group, i);
        uint64_t count = 1;
        if (lam_field_repetition(field) == LAM_REPETITION_OPTIONAL)
            count = lam_random_chance(random, presence);
        if (lam_field_repetition(field) == LAM_REPETITION_REPEATED)
            count = lam_random_chance(random, presence) ? lam_random_below(random, 4) : 0;
        if (lam_field_logical_type(field)->kind == LAM_LOGICAL_UNKNOWN)
            count = 0;
        for (; count > 0 && status == LAM_STATUS_OK; count--) {
            if (lam_field_is_leaf(field)) {
                status = sink->put(sink->state, field, any_value(field, room, random), error);
                continue;
            }
            status = sink->open(sink->state, field, error);
            if (status == LAM_STATUS_OK && is_flat_variant(field))
                status = drive_variant(field, sink, random, error);
            else if (status == LAM_STATUS_OK)
                status = drive_group(field, sink, random, presence, error);
            if (status == LAM_STATUS_OK)
                status = sink->close(sink->state, field, error);
        }
    }
    return status;
}

lam_status lam_fuzz_drive_record(const lam_schema *schema, const lam_record_sink *sink,
                                 lam_random *random, unsigned presence, lam_error *error) {
    lam_status status = sink->begin(sink->state, error);
    if (status == LAM_STATUS_OK)
        status = drive_group(lam_schema_root(schema), sink, random, presence, error);
    return status == LAM_STATUS_OK ? sink->end(sink->state, error) : status;
}
