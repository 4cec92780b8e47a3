/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts values by their C type: takes a value, and the leaf that it is for, and gives a `put` of the
 * sink with the member of lam_value that the leaf's physical type selects; the leaf must have the
 * type that the function names.
 *
 * A mismatch always fails in the sink, too (its verb `fail`), so that the record is dropped and
 * `end` reports the failure (record.h): a driver may check `end` alone.
 */
#include <lamella/record.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "schema/leaf_error.h"
#include "schema/tree.h"
#include "text/number_text.h"

enum { BEGIN_BYTES = 24 };

/* The format's own names of a leaf's type (parquet.thrift, Type), as lam_physical_type has them. */
static const char *type_name(uint8_t type) {
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return names[type];
}

/* Hands the failure to the sink, if it has `fail`, and to the caller. */
static lam_status refuse_with(const lam_record_sink *sink, const lam_error *failure,
                              lam_error *error) {
    if (sink->fail != NULL)
        return sink->fail(sink->state, failure, error);
    if (error != NULL)
        *error = *failure;
    return failure->status;
}

/* A value on its way to a leaf: its type, and its text, by which its call can be found. */
typedef struct misplaced_value {
    const char *type;
    char text[40]; /* of a double at most; no NUL after `size` bytes */
    size_t size;
} misplaced_value;

/*
 * Reports to the sink and the caller why a value is not for this leaf. NULL has no name: the value
 * replaces it.
 */
static lam_status typed_put_refuse(const lam_record_sink *sink, const lam_field *leaf,
                                   const misplaced_value *value, lam_error *error) {
    lam_error failure = lam_error_none();
    const char *wanted = value->type;
    char use[80];
    snprintf(use, sizeof use, " for %s %.*s", wanted, (int)value->size, value->text);
    if (leaf == NULL)
        (void)lam_field_fail_missing(&failure, use);
    else if (leaf->physical_type == LAM_PHYSICAL_GROUP)
        (void)lam_field_fail(&failure, LAM_ERROR_CODE_RECORD_FIELD_KIND, leaf, "%s for a group",
                             wanted);
    else
        (void)lam_field_fail(&failure, LAM_ERROR_CODE_RECORD_VALUE_TYPE, leaf, "is %s, not %s",
                             type_name(leaf->physical_type), wanted);
    return refuse_with(sink, &failure, error);
}

/* False also for NULL, as lam_schema_find returns for an unknown path. */
static inline bool has_type(const lam_field *leaf, lam_physical_type type) {
    return leaf != NULL && leaf->physical_type == (uint8_t)type;
}

lam_status lam_put_boolean(const lam_record_sink *sink, const lam_field *leaf, bool value,
                           lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_BOOLEAN)) {
        const misplaced_value given = {"BOOLEAN", {value ? '1' : '0'}, 1};
        return typed_put_refuse(sink, leaf, &given, error);
    }
    return sink->put(sink->state, leaf, (lam_value){.boolean = value}, error);
}

lam_status lam_put_int32(const lam_record_sink *sink, const lam_field *leaf, int32_t value,
                         lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_INT32)) {
        misplaced_value given = {.type = "INT32"};
        given.size = lam_int64_print(value, given.text);
        return typed_put_refuse(sink, leaf, &given, error);
    }
    return sink->put(sink->state, leaf, (lam_value){.int32 = value}, error);
}

lam_status lam_put_int64(const lam_record_sink *sink, const lam_field *leaf, int64_t value,
                         lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_INT64)) {
        misplaced_value given = {.type = "INT64"};
        given.size = lam_int64_print(value, given.text);
        return typed_put_refuse(sink, leaf, &given, error);
    }
    return sink->put(sink->state, leaf, (lam_value){.int64 = value}, error);
}

lam_status lam_put_float(const lam_record_sink *sink, const lam_field *leaf, float value,
                         lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_FLOAT)) {
        misplaced_value given = {.type = "FLOAT"};
        given.size = lam_float_print(value, given.text);
        return typed_put_refuse(sink, leaf, &given, error);
    }
    return sink->put(sink->state, leaf, (lam_value){.float32 = value}, error);
}

lam_status lam_put_double(const lam_record_sink *sink, const lam_field *leaf, double value,
                          lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_DOUBLE)) {
        misplaced_value given = {.type = "DOUBLE"};
        given.size = lam_double_print(value, given.text);
        return typed_put_refuse(sink, leaf, &given, error);
    }
    return sink->put(sink->state, leaf, (lam_value){.float64 = value}, error);
}

/*
 * Numbers without a sign are stored in the bits of those with one. A signed leaf takes them if they
 * are the same number in it.
 */
static bool takes_unsigned(const lam_field *leaf, bool is_beyond) {
    return !is_beyond ||
           (leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed);
}

static lam_status refuse_beyond(const lam_record_sink *sink, const lam_field *leaf, uint64_t value,
                                lam_error *error) {
    lam_error failure = lam_error_none();
    (void)lam_field_fail(&failure, LAM_ERROR_CODE_RECORD_VALUE_RANGE, leaf,
                         "%" PRIu64 " is beyond a type with a sign", value);
    return refuse_with(sink, &failure, error);
}

lam_status lam_put_uint32(const lam_record_sink *sink, const lam_field *leaf, uint32_t value,
                          lam_error *error) {
    if (has_type(leaf, LAM_PHYSICAL_INT32) && !takes_unsigned(leaf, value > INT32_MAX))
        return refuse_beyond(sink, leaf, value, error);
    if (has_type(leaf, LAM_PHYSICAL_INT32))
        return lam_put_int32(sink, leaf, (int32_t)value, error);
    misplaced_value given = {.type = "UINT32"};
    given.size = lam_uint64_print(value, given.text);
    return typed_put_refuse(sink, leaf, &given, error);
}

lam_status lam_put_uint64(const lam_record_sink *sink, const lam_field *leaf, uint64_t value,
                          lam_error *error) {
    if (has_type(leaf, LAM_PHYSICAL_INT64) && !takes_unsigned(leaf, value > INT64_MAX))
        return refuse_beyond(sink, leaf, value, error);
    if (has_type(leaf, LAM_PHYSICAL_INT64))
        return lam_put_int64(sink, leaf, (int64_t)value, error);
    misplaced_value given = {.type = "UINT64"};
    given.size = lam_uint64_print(value, given.text);
    return typed_put_refuse(sink, leaf, &given, error);
}

/* The beginning of a text in ASCII; empty for other bytes. */
static size_t text_begin(const uint8_t *data, size_t size, char *buffer) {
    size_t count = 0;
    while (count < size && count < BEGIN_BYTES && data != NULL && data[count] >= ' ' &&
           data[count] < 0x7F) {
        buffer[count] = (char)data[count];
        count++;
    }
    return count;
}

/* One function for the three types whose values are bytes; the sink checks the length. */
lam_status lam_put_bytes(const lam_record_sink *sink, const lam_field *leaf, const void *data,
                         size_t size, lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_BYTE_ARRAY) &&
        !has_type(leaf, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) && !has_type(leaf, LAM_PHYSICAL_INT96)) {
        misplaced_value given = {.type = "bytes"};
        given.size = text_begin(data, size, given.text);
        return typed_put_refuse(sink, leaf, &given, error);
    }
    return sink->put(sink->state, leaf, (lam_value){.bytes = {data, size}}, error);
}

/* NULL has no length; if the leaf is wrong, too, that is reported first. */
lam_status lam_put_string(const lam_record_sink *sink, const lam_field *leaf, const char *text,
                          lam_error *error) {
    lam_error failure = lam_error_none();
    if (text != NULL || leaf == NULL || leaf->physical_type == LAM_PHYSICAL_GROUP)
        return lam_put_bytes(sink, leaf, text, text != NULL ? strlen(text) : 0, error);
    (void)lam_field_fail(&failure, LAM_ERROR_CODE_RECORD_VALUE_TYPE, leaf, "no text (NULL)");
    return refuse_with(sink, &failure, error);
}
