/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the types of one leaf, which are known to suit each other, to an Arrow type, by the table in
 * the header. The result has no extension; those are added by name in arrow_extension.c.
 *
 * The type never loses a value: its width and unit are those of the column. ARROW:schema,
 * timestamps of 96 bits and lenient types may replace it later (arrow_original.c, instant_unit.c,
 * lenient_types.c). (LogicalTypes.md)
 */
#include "arrow/schema/parquet_to_arrow.h"

#include <string.h>

enum { PARQUET_TO_ARROW_DECIMAL128_DIGITS = 38, PARQUET_TO_ARROW_DECIMAL256_DIGITS = 76 };

/* INTEGER of 8, 16, 32 or 64 bits; the schema refuses other widths. */
static lam_arrow_kind integer_kind(const lam_logical_type *logical) {
    switch (logical->bit_width) {
    case 8:
        return logical->is_signed ? LAM_ARROW_INT8 : LAM_ARROW_UINT8;
    case 16:
        return logical->is_signed ? LAM_ARROW_INT16 : LAM_ARROW_UINT16;
    case 32:
        return logical->is_signed ? LAM_ARROW_INT32 : LAM_ARROW_UINT32;
    default:
        return logical->is_signed ? LAM_ARROW_INT64 : LAM_ARROW_UINT64;
    }
}

/* The unit of a time. Columns without one get nanoseconds, which are those of INT96. */
static lam_arrow_unit parquet_to_arrow_unit_of(lam_time_unit unit) {
    switch (unit) {
    case LAM_TIME_UNIT_MILLIS:
        return LAM_ARROW_MILLISECOND;
    case LAM_TIME_UNIT_MICROS:
        return LAM_ARROW_MICROSECOND;
    default:
        return LAM_ARROW_NANOSECOND;
    }
}

/* DECIMAL has 128 bits or 256 here; narrower decimals of Arrow come from ARROW:schema only. */
static const char *decimal_type(const lam_logical_type *logical, lam_arrow_type *type) {
    if (logical->precision > PARQUET_TO_ARROW_DECIMAL256_DIGITS)
        return "Arrow has no decimal of more than 76 digits";
    type->kind = LAM_ARROW_DECIMAL;
    type->bit_width = logical->precision > PARQUET_TO_ARROW_DECIMAL128_DIGITS ? 256 : 128;
    type->precision = logical->precision;
    type->scale = logical->scale;
    return NULL;
}

/* The kind of a column without a logical type. INT96 never has one: it is a timestamp. */
static lam_arrow_kind physical_kind(const lam_field *leaf) {
    switch ((lam_physical_type)leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return LAM_ARROW_BOOL;
    case LAM_PHYSICAL_INT32:
        return LAM_ARROW_INT32;
    case LAM_PHYSICAL_INT64:
        return LAM_ARROW_INT64;
    case LAM_PHYSICAL_INT96:
        return LAM_ARROW_TIMESTAMP;
    case LAM_PHYSICAL_FLOAT:
        return LAM_ARROW_FLOAT32;
    case LAM_PHYSICAL_DOUBLE:
        return LAM_ARROW_FLOAT64;
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return LAM_ARROW_FIXED_SIZE_BINARY;
    default:
        return LAM_ARROW_BINARY;
    }
}

/*
 * The kind of a column with a logical type, which the schema has checked against the physical type:
 * DATE, for example, is always INT32. Types that only annotate bytes, and unknown ones, leave the
 * kind of the physical type.
 */
static lam_arrow_kind logical_kind(const lam_field *leaf) {
    const lam_logical_type *logical = &leaf->logical_type;
    switch (logical->kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return LAM_ARROW_STRING;
    case LAM_LOGICAL_DATE:
        return LAM_ARROW_DATE32;
    case LAM_LOGICAL_TIME:
        return logical->unit == LAM_TIME_UNIT_MILLIS ? LAM_ARROW_TIME32 : LAM_ARROW_TIME64;
    case LAM_LOGICAL_TIMESTAMP:
        return LAM_ARROW_TIMESTAMP;
    case LAM_LOGICAL_INTEGER:
        return integer_kind(logical);
    case LAM_LOGICAL_UNKNOWN:
        return LAM_ARROW_NULL;
    case LAM_LOGICAL_FLOAT16:
        return LAM_ARROW_FLOAT16;
    case LAM_LOGICAL_INTERVAL:
        return LAM_ARROW_INTERVAL_MONTH_DAY_NANO;
    default:
        return physical_kind(leaf);
    }
}

/* DECIMAL goes first: it may annotate four physical types, and is the only one that can fail. */
const char *lam_arrow_type_of_leaf(const lam_field *leaf, lam_arrow_type *ret_type) {
    const lam_logical_type *logical = &leaf->logical_type;
    lam_arrow_type type;
    memset(&type, 0, sizeof type);
    if (logical->kind == LAM_LOGICAL_DECIMAL) {
        const char *reason = decimal_type(logical, &type);
        if (reason != NULL)
            return reason;
    } else {
        type.kind = logical_kind(leaf);
    }
    if (type.kind == LAM_ARROW_TIME32 || type.kind == LAM_ARROW_TIME64 ||
        type.kind == LAM_ARROW_TIMESTAMP)
        type.unit = parquet_to_arrow_unit_of(logical->unit);
    /* Arrow has no timezone for times of day: TIME loses that it is adjusted to UTC. */
    if (type.kind == LAM_ARROW_TIMESTAMP && logical->adjusted_to_utc)
        type.timezone = "UTC";
    /*
     * UUID and unannotated bytes keep their length; FLOAT16, INTERVAL and TIMESTAMP have kinds of
     * their own.
     */
    if (type.kind == LAM_ARROW_FIXED_SIZE_BINARY)
        type.fixed_size = leaf->type_length;
    *ret_type = type;
    return NULL;
}
