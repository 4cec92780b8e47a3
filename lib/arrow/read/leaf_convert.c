/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts values of fixed size, except decimals and 96-bit timestamps, which have files of their
 * own; a table finds the conversion by Arrow kind and physical type. Takes values as the column
 * cursor gives them, and fills the slots of an Arrow buffer.
 *
 * Each loop converts all its values first and collects, by OR, the bits that a good value does not
 * have; one test at the end says whether any was bad. So the loops never branch, and become vector
 * code. Which value was bad is found by a second pass, which only failures pay for (leaf_values.c).
 * (LogicalTypes.md)
 */
#include "arrow/read/leaf_convert.h"

#include "arrow/read/leaf_decimal.h"
#include "arrow/read/leaf_instant.h"
#include "base/bytes.h"
#include "base/error.h"
#include "encoding/value_layout.h"

enum { LEAF_INTERVAL_SIZE = 12, FLOAT16_SIZE = 2 };

static const int64_t LEAF_DAY_MILLIS = INT64_C(86400000);

/* --- Integers ------------------------------------------------------------------------------ */

/*
 * INTEGER(8) and INTEGER(16) are INT32 in the file, which may hold anything: a value that the cast
 * changed is corrupt.
 */
static lam_status check_width(bool good, const char *type, lam_error *error) {
    if (!good)
        LAM_FAIL(error, LAM_ERROR_CODE_VALUE_RANGE, "a value does not fit %s", type);
    return LAM_STATUS_OK;
}

/*
 * The XOR of a value and its narrowed copy has a bit set exactly where the cast lost something:
 *
 *     300 ^ (uint8_t)300   =   256
 */
#define NARROW(NAME, TYPE, TEXT)                                                                   \
    static lam_status NAME(const lam_leaf_conversion *conversion, const void *elements,            \
                           size_t count, void *slots, lam_error *error) {                          \
        const int32_t *from = elements;                                                            \
        TYPE *to = slots;                                                                          \
        int32_t lost = 0;                                                                          \
        (void)conversion;                                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = (TYPE)from[i];                                                                 \
            lost |= from[i] ^ to[i];                                                               \
        }                                                                                          \
        return check_width(lost == 0, TEXT, error);                                                \
    }

NARROW(to_int8, int8_t, "8 bits")
NARROW(to_uint8, uint8_t, "8 bits without sign")
NARROW(to_int16, int16_t, "16 bits")
NARROW(to_uint16, uint16_t, "16 bits without sign")

/* For uint32 inside a shredded VARIANT, whose columns have signed types only: INT64 holds it. */
static lam_status to_uint32(const lam_leaf_conversion *conversion, const void *elements,
                            size_t count, void *slots, lam_error *error) {
    const int64_t *from = elements;
    uint32_t *to = slots;
    int64_t lost = 0;
    (void)conversion;
    for (size_t i = 0; i < count; i++) {
        to[i] = (uint32_t)from[i];
        lost |= from[i] ^ to[i];
    }
    return check_width(lost == 0, "32 bits without sign", error);
}

/*
 * Indexes beyond their type are the reader's limit, not a fault of the file: nothing in it bounds
 * them. The OR of all indexes exceeds MOST, which is one less than a power of two, exactly if one
 * of them does.
 */
#define NARROW_INDEX(NAME, TYPE, MOST)                                                             \
    static lam_status NAME(const lam_leaf_conversion *conversion, const void *elements,            \
                           size_t count, void *slots, lam_error *error) {                          \
        const uint32_t *from = elements;                                                           \
        TYPE *to = slots;                                                                          \
        uint32_t all = 0;                                                                          \
        (void)conversion;                                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = (TYPE)from[i];                                                                 \
            all |= from[i];                                                                        \
        }                                                                                          \
        if (all > (MOST))                                                                          \
            LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT,                                            \
                     "a dictionary has more values than the index type in ARROW:schema can "       \
                     "number: ignore ARROW:schema to read them");                                  \
        return LAM_STATUS_OK;                                                                      \
    }

NARROW_INDEX(index_int8, int8_t, INT8_MAX)
NARROW_INDEX(index_uint8, uint8_t, UINT8_MAX)
NARROW_INDEX(index_int16, int16_t, INT16_MAX)
NARROW_INDEX(index_uint16, uint16_t, UINT16_MAX)
NARROW_INDEX(index_int64, int64_t, UINT32_MAX)

/* --- Time ---------------------------------------------------------------------------------- */

/* DATE to date64. No overflow: 2^31 days are less than 2^58 milliseconds. */
static lam_status days_to_millis(const lam_leaf_conversion *conversion, const void *elements,
                                 size_t count, void *slots, lam_error *error) {
    const int32_t *from = elements;
    int64_t *to = slots;
    (void)conversion;
    (void)error;
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] * LEAF_DAY_MILLIS;
    return LAM_STATUS_OK;
}

/*
 * Parquet has no unit of seconds: writers store milliseconds, and ARROW:schema says that they were
 * seconds. Then all must be whole seconds.
 */
static lam_status check_seconds(bool good, lam_error *error) {
    if (!good)
        LAM_FAIL(error, LAM_ERROR_CODE_VALUE_RANGE, "a time in a column of seconds has a fraction");
    return LAM_STATUS_OK;
}

static lam_status millis_to_seconds_32(const lam_leaf_conversion *conversion, const void *elements,
                                       size_t count, void *slots, lam_error *error) {
    const int32_t *from = elements;
    int32_t *to = slots, rest = 0;
    (void)conversion;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] / 1000;
        rest |= from[i] % 1000;
    }
    return check_seconds(rest == 0, error);
}

static lam_status millis_to_seconds_64(const lam_leaf_conversion *conversion, const void *elements,
                                       size_t count, void *slots, lam_error *error) {
    const int64_t *from = elements;
    int64_t *to = slots, rest = 0;
    (void)conversion;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] / 1000;
        rest |= from[i] % 1000;
    }
    return check_seconds(rest == 0, error);
}

/* --- INTERVAL: months, days and milliseconds, 4 bytes little endian each, without sign ------- */

/*
 * `any`: the OR of all numbers, which Arrow has as int32; `zero`: the OR of those that the Arrow
 * type has no member for, like the days of an interval in months.
 */
static lam_status check_interval(uint32_t any, uint32_t zero, lam_error *error) {
    if (any > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT, "an interval has a part of more than 31 bits");
    if (zero != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_VALUE_RANGE,
                 "an interval has a part that its Arrow type lacks");
    return LAM_STATUS_OK;
}

/* The months of the interval; days and milliseconds must be 0. */
static lam_status to_months(const lam_leaf_conversion *conversion, const void *elements,
                            size_t count, void *slots, lam_error *error) {
    const uint8_t *from = elements;
    int32_t *to = slots;
    uint32_t any = 0, zero = 0;
    (void)conversion;
    for (size_t i = 0; i < count; i++, from += LEAF_INTERVAL_SIZE) {
        uint32_t months = lam_load_le32(from);
        any |= months;
        zero |= lam_load_le32(from + 4) | lam_load_le32(from + 8);
        to[i] = (int32_t)months;
    }
    return check_interval(any, zero, error);
}

/* A slot is two int32: days, then milliseconds. The months must be 0. */
static lam_status to_day_time(const lam_leaf_conversion *conversion, const void *elements,
                              size_t count, void *slots, lam_error *error) {
    const uint8_t *from = elements;
    int32_t *to = slots;
    uint32_t any = 0, zero = 0;
    (void)conversion;
    for (size_t i = 0; i < count; i++, from += LEAF_INTERVAL_SIZE) {
        uint32_t days = lam_load_le32(from + 4), millis = lam_load_le32(from + 8);
        any |= days | millis;
        zero |= lam_load_le32(from);
        to[2 * i] = (int32_t)days;
        to[2 * i + 1] = (int32_t)millis;
    }
    return check_interval(any, zero, error);
}

/* A slot of month_day_nano_interval, in the layout that Arrow gives it. */
typedef struct month_day_nano {
    int32_t months;
    int32_t days;
    int64_t nanos;
} month_day_nano;

/*
 * Loses nothing. 2^32 milliseconds are less than 2^52 nanoseconds, so only months and days can
 * exceed their members.
 */
static lam_status to_month_day_nano(const lam_leaf_conversion *conversion, const void *elements,
                                    size_t count, void *slots, lam_error *error) {
    const uint8_t *from = elements;
    month_day_nano *to = slots;
    uint32_t any = 0;
    (void)conversion;
    for (size_t i = 0; i < count; i++, from += LEAF_INTERVAL_SIZE) {
        uint32_t months = lam_load_le32(from), days = lam_load_le32(from + 4);
        any |= months | days;
        to[i].months = (int32_t)months;
        to[i].days = (int32_t)days;
        to[i].nanos = (int64_t)lam_load_le32(from + 8) * 1000000;
    }
    return check_interval(any, 0, error);
}

/* --- Choice -------------------------------------------------------------------------------- */

/*
 * FLOAT16 is two bytes little-endian in Parquet and a number of the machine in Arrow: used on
 * big-endian machines only.
 */
static lam_status swap_float16(const lam_leaf_conversion *conversion, const void *elements,
                               size_t count, void *slots, lam_error *error) {
    const uint8_t *from = elements;
    uint16_t *to = slots;
    (void)conversion;
    (void)error;
    /* unreachable: when the lowest byte of a number comes first */
    for (size_t i = 0; i < count; i++)
        to[i] = lam_load_le16(from + 2 * i);
    return LAM_STATUS_OK;
}

/* One way from a physical type to an Arrow kind; NULL copies the bytes. */
typedef struct conversion_row {
    lam_arrow_kind kind;
    lam_physical_type physical;
    size_t slot_size;
    lam_leaf_convert convert;
} conversion_row;

/*
 * All conversions but those of decimals, 96-bit timestamps and fixed_size_binary, which depend on
 * more than the two types. An Arrow kind occurs with more than one physical type if a shredded
 * VARIANT uses another one than a column would.
 */
static const conversion_row rows[] = {
    {LAM_ARROW_BOOL, LAM_PHYSICAL_BOOLEAN, 1, NULL},
    {LAM_ARROW_INT8, LAM_PHYSICAL_INT32, 1, to_int8},
    {LAM_ARROW_UINT8, LAM_PHYSICAL_INT32, 1, to_uint8},
    {LAM_ARROW_INT16, LAM_PHYSICAL_INT32, 2, to_int16},
    {LAM_ARROW_UINT16, LAM_PHYSICAL_INT32, 2, to_uint16},
    {LAM_ARROW_INT32, LAM_PHYSICAL_INT32, 4, NULL},
    {LAM_ARROW_UINT32, LAM_PHYSICAL_INT32, 4, NULL},
    {LAM_ARROW_UINT32, LAM_PHYSICAL_INT64, 4, to_uint32},
    {LAM_ARROW_INT64, LAM_PHYSICAL_INT64, 8, NULL},
    {LAM_ARROW_UINT64, LAM_PHYSICAL_INT64, 8, NULL},
    {LAM_ARROW_FLOAT16, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 2, LAM_BIG_ENDIAN ? swap_float16 : NULL},
    {LAM_ARROW_FLOAT32, LAM_PHYSICAL_FLOAT, 4, NULL},
    {LAM_ARROW_FLOAT64, LAM_PHYSICAL_DOUBLE, 8, NULL},
    {LAM_ARROW_DATE32, LAM_PHYSICAL_INT32, 4, NULL},
    {LAM_ARROW_DATE64, LAM_PHYSICAL_INT32, 8, days_to_millis},
    {LAM_ARROW_TIME32, LAM_PHYSICAL_INT32, 4, NULL},
    {LAM_ARROW_TIME64, LAM_PHYSICAL_INT64, 8, NULL},
    {LAM_ARROW_TIMESTAMP, LAM_PHYSICAL_INT64, 8, NULL},
    {LAM_ARROW_DURATION, LAM_PHYSICAL_INT64, 8, NULL},
    {LAM_ARROW_INTERVAL_MONTHS, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 4, to_months},
    {LAM_ARROW_INTERVAL_DAY_TIME, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 8, to_day_time},
    {LAM_ARROW_INTERVAL_MONTH_DAY_NANO, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, sizeof(month_day_nano),
     to_month_day_nano},
};

static lam_status fail_types(const lam_field *leaf, lam_error *error) {
    char path[100];
    lam_field_path(leaf, path, sizeof path);
    LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW,
             "%s: cannot convert its physical type to its Arrow type", path);
}

/*
 * Checks the unit of a time or timestamp: it must be that of the column, except that Arrow's
 * seconds are Parquet's milliseconds. No other conversion changes a unit.
 */
static bool leaf_unit_fits(const lam_field *leaf, const lam_arrow_type *type) {
    /* By lam_time_unit; the first means no unit at all. */
    static const lam_arrow_unit units[] = {LAM_ARROW_NANOSECOND, LAM_ARROW_MILLISECOND,
                                           LAM_ARROW_MICROSECOND, LAM_ARROW_NANOSECOND};
    const lam_logical_type *logical = &leaf->logical_type;
    bool is_time = type->kind == LAM_ARROW_TIME32 || type->kind == LAM_ARROW_TIME64 ||
                   type->kind == LAM_ARROW_TIMESTAMP;
    if (!is_time)
        return true;
    lam_arrow_unit unit = type->unit == LAM_ARROW_SECOND ? LAM_ARROW_MILLISECOND : type->unit;
    return (logical->kind == LAM_LOGICAL_TIME || logical->kind == LAM_LOGICAL_TIMESTAMP) &&
           units[logical->unit] == unit;
}

/* FLOAT16 and INTERVAL are the only fixed-length types in the table; each has one length. */
static bool length_fits(const lam_field *leaf, const lam_arrow_type *type) {
    if (leaf->physical_type != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return true;
    return leaf->type_length ==
           (type->kind == LAM_ARROW_FLOAT16 ? FLOAT16_SIZE : LEAF_INTERVAL_SIZE);
}

/*
 * The conversion of a row of the table, but for seconds, which the table does not distinguish from
 * milliseconds.
 */
static lam_leaf_convert convert_of(const conversion_row *row, const lam_arrow_type *type) {
    if (type->unit == LAM_ARROW_SECOND && type->kind == LAM_ARROW_TIME32)
        return millis_to_seconds_32;
    if (type->unit == LAM_ARROW_SECOND && type->kind == LAM_ARROW_TIMESTAMP)
        return millis_to_seconds_64;
    return row->convert;
}

lam_status lam_leaf_conversion_init(lam_leaf_conversion *conversion, const lam_kernels *kernels,
                                    const lam_field *leaf, const lam_arrow_type *type,
                                    lam_error *error) {
    /* Filled in aside: the caller's conversion stays as it is after a failure. */
    lam_leaf_conversion fresh = {0};
    fresh.kernels = kernels;
    fresh.element_size = lam_element_size(leaf);
    /* Decimals and 96-bit timestamps first: they have more than one physical type. */
    if (type->kind == LAM_ARROW_DECIMAL) {
        LAM_TRY(lam_leaf_decimal_init(&fresh, leaf, type, error));
        *conversion = fresh;
        return LAM_STATUS_OK;
    }
    if (type->kind == LAM_ARROW_TIMESTAMP && lam_leaf_instant_init(&fresh, leaf, type->unit)) {
        *conversion = fresh;
        return LAM_STATUS_OK;
    }
    if (type->kind == LAM_ARROW_FIXED_SIZE_BINARY) {
        /* The bytes are copied, so both lengths must be the same; INT96 has 12. */
        bool is_bytes = leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
                        leaf->physical_type == LAM_PHYSICAL_INT96;
        if (!is_bytes || leaf->type_length != type->fixed_size)
            return fail_types(leaf, error);
        fresh.slot_size = fresh.element_size;
        *conversion = fresh;
        return LAM_STATUS_OK;
    }
    /*
     * A kind and a physical type have at most one row; if its unit or length differs, there is no
     * conversion.
     */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind != type->kind || (uint8_t)rows[i].physical != leaf->physical_type)
            continue;
        if (!leaf_unit_fits(leaf, type) || !length_fits(leaf, type))
            break;
        fresh.slot_size = rows[i].slot_size;
        fresh.convert = convert_of(&rows[i], type);
        *conversion = fresh;
        return LAM_STATUS_OK;
    }
    return fail_types(leaf, error);
}

/*
 * A dictionary has fewer than 2^31 values, so indexes of 32 bits are the same bytes with and
 * without sign, and those of 64 bits hold every index.
 */
void lam_leaf_conversion_init_index(lam_leaf_conversion *conversion, lam_arrow_kind index_kind) {
    static const struct {
        size_t size;
        lam_leaf_convert convert;
    } by_kind[] = {
        [LAM_ARROW_INT8] = {1, index_int8},   [LAM_ARROW_UINT8] = {1, index_uint8},
        [LAM_ARROW_INT16] = {2, index_int16}, [LAM_ARROW_UINT16] = {2, index_uint16},
        [LAM_ARROW_INT32] = {4, NULL},        [LAM_ARROW_UINT32] = {4, NULL},
        [LAM_ARROW_INT64] = {8, index_int64}, [LAM_ARROW_UINT64] = {8, index_int64},
    };
    lam_leaf_conversion fresh = {0};
    fresh.element_size = sizeof(uint32_t);
    fresh.slot_size = by_kind[index_kind].size;
    fresh.convert = by_kind[index_kind].convert;
    *conversion = fresh;
}
