/*
 * Puts by the type of the value: the leaf must have that physical type. What fails here fails in
 * the sink, too, so that the record is dropped and `end` reports it (record.h).
 */
#include <lamella/record.h>

#include <string.h>

#include "base/error.h"
#include "dremel/grammar.h"
#include "schema/tree.h"

/* The format's own names (parquet.thrift, Type). */
static const char *type_name(uint8_t type) {
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return type < sizeof names / sizeof names[0] ? names[type] : "a group";
}

/* Fails in the sink, if it can, and for the caller. */
static lam_status refuse_with(const lam_record_sink *sink, const lam_error *failure,
                              lam_error *error) {
    if (sink->fail != NULL)
        return sink->fail(sink->state, failure, error);
    if (error != NULL)
        *error = *failure;
    return failure->status;
}

/* Says why a value of type `wanted` is not for this leaf, to the sink and to the caller. */
static lam_status typed_put_refuse(const lam_record_sink *sink, const lam_field *leaf,
                                   const char *wanted, lam_error *error) {
    lam_error failure = lam_error_none();
    if (leaf == NULL)
        (void)lam_error_set(&failure, LAM_STATUS_INVALID, "no such field (NULL)");
    else if (leaf->physical_type == LAM_PHYSICAL_GROUP)
        (void)lam_field_fail(&failure, LAM_STATUS_INVALID, leaf, "%s for a group", wanted);
    else
        (void)lam_field_fail(&failure, LAM_STATUS_INVALID, leaf, "is %s, not %s",
                             type_name(leaf->physical_type), wanted);
    return refuse_with(sink, &failure, error);
}

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

lam_status lam_put_bytes(const lam_record_sink *sink, const lam_field *leaf, const void *data,
                         size_t size, lam_error *error) {
    if (!has_type(leaf, LAM_PHYSICAL_BYTE_ARRAY) &&
        !has_type(leaf, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) && !has_type(leaf, LAM_PHYSICAL_INT96))
        return typed_put_refuse(sink, leaf, "bytes", error);
    return sink->put(sink->state, leaf, (lam_value){.bytes = {data, size}}, error);
}

lam_status lam_put_string(const lam_record_sink *sink, const lam_field *leaf, const char *text,
                          lam_error *error) {
    lam_error failure = lam_error_none();
    if (text != NULL || leaf == NULL || leaf->physical_type == LAM_PHYSICAL_GROUP)
        return lam_put_bytes(sink, leaf, text, text != NULL ? strlen(text) : 0, error);
    (void)lam_field_fail(&failure, LAM_STATUS_INVALID, leaf, "no text (NULL)");
    return refuse_with(sink, &failure, error);
}
