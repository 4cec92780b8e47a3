/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts by the type of the value. In: a value in its C type, and the leaf that it is for. Out: a
 * `put` of the sink with the member of lam_value that the leaf's physical type selects; the leaf
 * must have the type that the function names.
 *
 * A mismatch fails in the sink, too (its verb `fail`), so that the record is dropped and `end`
 * reports the failure (record.h): a driver may check `end` alone.
 */
#include <lamella/record.h>

#include <string.h>

#include "base/error.h"
#include "schema/leaf_error.h"
#include "schema/tree.h"

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

/* Reports to the sink and the caller why a value of type `wanted` is not for this leaf. */
static lam_status typed_put_refuse(const lam_record_sink *sink, const lam_field *leaf,
                                   const char *wanted, lam_error *error) {
    lam_error failure = lam_error_none();
    if (leaf == NULL)
        (void)lam_error_set(&failure, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, "no such field (NULL)");
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
    if (!has_type(leaf, LAM_PHYSICAL_BOOLEAN))
        return typed_put_refuse(sink, leaf, "BOOLEAN", error);
    return sink->put(sink->state, leaf, (lam_value){.boolean = value}, error);
}

lam_status lam_put_int32(const lam_record_sink *sink, const lam_field *leaf, int32_t value,
                         lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_INT32))
        return typed_put_refuse(sink, leaf, "INT32", error);
    return sink->put(sink->state, leaf, (lam_value){.int32 = value}, error);
}

lam_status lam_put_int64(const lam_record_sink *sink, const lam_field *leaf, int64_t value,
                         lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_INT64))
        return typed_put_refuse(sink, leaf, "INT64", error);
    return sink->put(sink->state, leaf, (lam_value){.int64 = value}, error);
}

lam_status lam_put_float(const lam_record_sink *sink, const lam_field *leaf, float value,
                         lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_FLOAT))
        return typed_put_refuse(sink, leaf, "FLOAT", error);
    return sink->put(sink->state, leaf, (lam_value){.float32 = value}, error);
}

lam_status lam_put_double(const lam_record_sink *sink, const lam_field *leaf, double value,
                          lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_DOUBLE))
        return typed_put_refuse(sink, leaf, "DOUBLE", error);
    return sink->put(sink->state, leaf, (lam_value){.float64 = value}, error);
}

/* One function for the three types whose values are bytes; the sink checks the length. */
lam_status lam_put_bytes(const lam_record_sink *sink, const lam_field *leaf, const void *data,
                         size_t size, lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_BYTE_ARRAY) &&
        !has_type(leaf, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) && !has_type(leaf, LAM_PHYSICAL_INT96))
        return typed_put_refuse(sink, leaf, "bytes", error);
    return sink->put(sink->state, leaf, (lam_value){.bytes = {data, size}}, error);
}

/* NULL has no length to take; where the leaf is wrong, too, that is reported first. */
lam_status lam_put_string(const lam_record_sink *sink, const lam_field *leaf, const char *text,
                          lam_error *error) {
    lam_error failure = lam_error_none();
    if (text != NULL || leaf == NULL || leaf->physical_type == LAM_PHYSICAL_GROUP)
        return lam_put_bytes(sink, leaf, text, text != NULL ? strlen(text) : 0, error);
    (void)lam_field_fail(&failure, LAM_ERROR_CODE_RECORD_VALUE_TYPE, leaf, "no text (NULL)");
    return refuse_with(sink, &failure, error);
}
