/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns one field of all records of a splitter's batch into the triples of a leaf: values side by
 * side, and a definition level for each record, as in lam_triples. Strings are not copied: they
 * point into the window.
 *
 * One loop is compiled for each type, around the function that parses one value. A field that does
 * not fit is always marked in `bad` and becomes a null, so that all columns of a batch keep one
 * triple for each record, whatever happens to the batch.
 */
#include "csv/csv_column.h"

#include "base/error.h"
#include "base/wide_int.h"
#include "csv/csv_value.h"
#include "text/binary_text.h"
#include "text/decimal_text.h"
#include "text/text_kind.h"
#include "text/time_text.h"

enum {
    CSV_DECIMAL_DIGITS = 38, /* that 128 bits hold in any case */
    CSV_SMALL_DIGITS = 18    /* bytes of a number that 64 bits hold in any case */
};

typedef bool (*csv_parse)(const lam_csv_column *column, lam_csv_batch *batch, const uint8_t *bytes,
                          size_t size, void *value);

__attribute__((always_inline)) static inline void
csv_convert_each(lam_csv_column *column, lam_csv_batch *batch, csv_parse parse,
                 const size_t value_size, const bool is_text) {
    const uint8_t *bytes = batch->splitter->text.bytes.data;
    const size_t records = batch->count, step = batch->splitter->field_count;
    const lam_csv_field *field =
        lam_csv_fields(batch->splitter) + batch->first * step + column->position;
    uint8_t *value = column->values;
    for (size_t i = 0; i < records; i++, field += step) {
        bool is_null = lam_csv_is_null(*field, bytes, batch->null, is_text);
        bool is_good = is_null ? column->max_definition > 0
                               : parse(column, batch, bytes + field->start, field->size, value);
        column->definition[i] = !is_null && is_good;
        value += !is_null && is_good ? value_size : 0;
        if (!is_good) {
            batch->bad_count += !batch->bad[i];
            batch->bad[i] = 1;
        }
    }
    column->value_count = (size_t)(value - column->values) / value_size;
}

/* --- One value ----------------------------------------------------------------------------- */

static inline bool csv_parse_text(const lam_csv_column *column, lam_csv_batch *batch,
                                  const uint8_t *bytes, size_t size, void *value) {
    lam_bytes text = {bytes, size};
    (void)column;
    memcpy(value, &text, sizeof text);
    return batch->is_utf8 || batch->splitter->kernels->is_utf8(bytes, size);
}

/* UNKNOWN has nulls alone. */
static inline bool csv_parse_nothing(const lam_csv_column *column, lam_csv_batch *batch,
                                     const uint8_t *bytes, size_t size, void *value) {
    (void)column;
    (void)batch;
    (void)bytes;
    (void)size;
    (void)value;
    return false;
}

static inline bool csv_parse_bool(const lam_csv_column *column, lam_csv_batch *batch,
                                  const uint8_t *bytes, size_t size, void *value) {
    (void)column;
    (void)batch;
    return lam_csv_parse_boolean(bytes, size, value);
}

/* Up to 8 digits without a sign are most integers. */
static inline bool csv_parse_int64(const lam_csv_column *column, lam_csv_batch *batch,
                                   const uint8_t *bytes, size_t size, void *value) {
    int64_t number = 0;
    (void)batch;
    if (size <= 8 && (bytes[0] != '0' || size == 1)) {
        unsigned over = 0;
        uint32_t small = 0;
        for (size_t i = 0; i < size; i++) {
            uint8_t digit = (uint8_t)(bytes[i] - '0');
            over |= digit > 9;
            small = small * 10 + digit;
        }
        number = small;
        if (over && !lam_csv_parse_integer(bytes, size, &number))
            return false;
    } else if (!lam_csv_parse_integer(bytes, size, &number)) {
        return false;
    }
    memcpy(value, &number, sizeof number);
    return number >= column->min && number <= column->max;
}

static inline bool csv_parse_int32(const lam_csv_column *column, lam_csv_batch *batch,
                                   const uint8_t *bytes, size_t size, void *value) {
    int64_t number;
    bool is_good = csv_parse_int64(column, batch, bytes, size, &number);
    if (is_good)
        memcpy(value, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    return is_good;
}

static inline bool csv_parse_uint64(const lam_csv_column *column, lam_csv_batch *batch,
                                    const uint8_t *bytes, size_t size, void *value) {
    uint64_t number;
    (void)column;
    (void)batch;
    bool is_good = lam_csv_parse_unsigned(bytes, size, &number);
    if (is_good)
        memcpy(value, &number, sizeof number);
    return is_good;
}

static inline bool csv_parse_float(const lam_csv_column *column, lam_csv_batch *batch,
                                   const uint8_t *bytes, size_t size, void *value) {
    (void)column;
    return lam_csv_parse_float(bytes, size, batch->mark, value);
}

static inline bool csv_parse_double(const lam_csv_column *column, lam_csv_batch *batch,
                                    const uint8_t *bytes, size_t size, void *value) {
    (void)column;
    return batch->keeps_integers ? lam_csv_parse_kept_double(bytes, size, batch->mark, value)
                                 : lam_csv_parse_double(bytes, size, batch->mark, value);
}

/* Digits that are not in the number yet: a long product for up to nine of them, not for each. */
typedef struct csv_digits {
    lam_wide_int number;
    uint32_t digits, power;
    bool is_negative;
} csv_digits;

static void csv_flush_digits(csv_digits *of) {
    int64_t summand = of->is_negative ? -(int64_t)of->digits : (int64_t)of->digits;
    of->number = lam_wide_int_multiply_add(&of->number, of->power, summand);
    of->digits = 0;
    of->power = 1;
}

static inline void csv_append_digit(csv_digits *of, uint32_t digit) {
    of->digits = of->digits * 10 + digit;
    of->power *= 10;
    if (of->power == 1000000000)
        csv_flush_digits(of);
}

/* As an unscaled number; digits beyond the scale must be 0. A precision of 38 fits 128 bits. */
static bool csv_parse_unscaled(int32_t precision, int32_t scale, char mark, const uint8_t *bytes,
                               size_t size, lam_wide_int *ret_number) {
    size_t before, after;
    csv_digits number = {.power = 1};
    if (!lam_csv_count_digits(bytes, size, mark, &before, &after) ||
        before > (size_t)(precision - scale))
        return false;
    bool is_after = false;
    number.is_negative = bytes[0] == '-';
    for (size_t i = number.is_negative; i < size; i++) {
        if (bytes[i] == (uint8_t)mark) {
            is_after = true;
        } else if (!is_after || scale > 0) {
            csv_append_digit(&number, (uint32_t)(bytes[i] - '0'));
            scale -= is_after;
        } else if (bytes[i] != '0') {
            return false;
        }
    }
    for (; scale > 0; scale--)
        csv_append_digit(&number, 0);
    csv_flush_digits(&number);
    *ret_number = number.number;
    return true;
}

/* A number since 1970: in nanoseconds it is an integer, and so it must be in the leaf's unit. */
static bool csv_parse_epoch(const lam_csv_column *column, const lam_csv_batch *batch,
                            const uint8_t *bytes, size_t size, void *value) {
    const int32_t scale = 3 * (LAM_CSV_EPOCH_NANOS - (int32_t)batch->epoch);
    const uint32_t nanos = (uint32_t)(1000000000 / lam_time_units(column->unit));
    lam_wide_int number;
    uint32_t rest;
    int64_t count;
    if (batch->epoch == LAM_CSV_EPOCH_NONE ||
        !csv_parse_unscaled(CSV_DECIMAL_DIGITS, scale, batch->mark, bytes, size, &number))
        return false;
    number = lam_wide_int_divide(&number, nanos, &rest);
    if (rest != 0 || !lam_wide_int_to_int64(&number, &count))
        return false;
    memcpy(value, &count, sizeof count);
    return true;
}

/* A text by the forms of the caller, if it is of the kind. */
static bool csv_take_form(const lam_csv_batch *batch, const uint8_t *bytes, size_t size,
                          lam_text_kind kind, lam_text_moment *ret_moment) {
    return lam_time_formats_take(batch->formats, (const char *)bytes, size, ret_moment) == kind;
}

static inline bool csv_parse_date(const lam_csv_column *column, lam_csv_batch *batch,
                                  const uint8_t *bytes, size_t size, void *value) {
    const char *text = (const char *)bytes;
    lam_text_moment moment;
    (void)column;
    if (lam_text_take_date(text, size, value) || lam_date_parse(text, size, value))
        return true;
    if (!csv_take_form(batch, bytes, size, LAM_TEXT_DATE, &moment))
        return false;
    memcpy(value, &(int32_t){(int32_t)(moment.seconds / 86400)}, sizeof(int32_t));
    return true;
}

/* A value that the unit does not hold is refused. */
static inline bool csv_parse_time(const lam_csv_column *column, lam_csv_batch *batch,
                                  const uint8_t *bytes, size_t size, void *value) {
    lam_text_moment moment;
    int64_t count;
    if ((!lam_text_take_time((const char *)bytes, size, &moment) &&
         !csv_take_form(batch, bytes, size, LAM_TEXT_TIME, &moment)) ||
        !lam_text_moment_count(moment, column->unit, &count))
        return false;
    if (column->unit == LAM_TIME_UNIT_MILLIS)
        memcpy(value, &(int32_t){(int32_t)count}, sizeof(int32_t));
    else
        memcpy(value, &count, sizeof count);
    return true;
}

/* A point in time; a date is its midnight, if times are local. */
static bool csv_take_moment(const lam_csv_column *column, const lam_csv_batch *batch,
                            const char *text, size_t size, lam_text_moment *ret_moment,
                            bool *ret_has_zone) {
    int32_t days;
    if (!column->is_utc && lam_text_take_date(text, size, &days)) {
        *ret_moment = (lam_text_moment){(int64_t)days * 86400, 0};
        *ret_has_zone = false;
        return true;
    }
    if (lam_text_take_timestamp(text, size, ret_moment, ret_has_zone))
        return true;
    const lam_text_kind kind = lam_time_formats_take(batch->formats, text, size, ret_moment);
    *ret_has_zone = kind == LAM_TEXT_TIMESTAMP_UTC;
    return *ret_has_zone || kind == LAM_TEXT_TIMESTAMP ||
           (kind == LAM_TEXT_DATE && !column->is_utc);
}

/* Other forms take the long way: years with a sign, numbers. */
static inline bool csv_parse_timestamp(const lam_csv_column *column, lam_csv_batch *batch,
                                       const uint8_t *bytes, size_t size, void *value) {
    const char *text = (const char *)bytes;
    lam_text_moment moment;
    bool has_zone;
    int64_t count;
    if (!csv_take_moment(column, batch, text, size, &moment, &has_zone))
        return lam_timestamp_parse(text, size, column->unit, column->is_utc, value) ||
               csv_parse_epoch(column, batch, bytes, size, value);
    if (has_zone != column->is_utc || !lam_text_moment_count(moment, column->unit, &count))
        return false;
    memcpy(value, &count, sizeof count);
    return true;
}

static inline bool csv_parse_uuid(const lam_csv_column *column, lam_csv_batch *batch,
                                  const uint8_t *bytes, size_t size, void *value) {
    (void)column;
    (void)batch;
    return lam_uuid_parse((const char *)bytes, size, value);
}

/* An unscaled number of up to 18 digits. */
static bool csv_parse_small_decimal(const lam_csv_column *column, char mark, const uint8_t *bytes,
                                    size_t size, int64_t *ret_number) {
    size_t i = bytes[0] == '-', after = 0;
    int64_t number = 0;
    bool is_after = false;
    for (; i < size && i < CSV_SMALL_DIGITS; i++) {
        uint8_t digit = (uint8_t)(bytes[i] - '0');
        if (digit < 10) {
            number = number * 10 + digit;
            after += is_after;
        } else if (bytes[i] == (uint8_t)mark && !is_after) {
            is_after = true;
        } else {
            return false;
        }
    }
    /* Most have all digits of the scale, and a digit in front. */
    const uint8_t *first = bytes + (bytes[0] == '-');
    if (i == size && after == (size_t)column->scale && size <= (size_t)column->precision &&
        size > 1 && first[0] != (uint8_t)mark && (first[0] != '0' || first[1] == (uint8_t)mark)) {
        *ret_number = bytes[0] == '-' ? -number : number;
        return true;
    }
    lam_wide_int wide;
    return csv_parse_unscaled(column->precision, column->scale, mark, bytes, size, &wide) &&
           lam_wide_int_to_int64(&wide, ret_number);
}

static inline bool csv_parse_decimal64(const lam_csv_column *column, lam_csv_batch *batch,
                                       const uint8_t *bytes, size_t size, void *value) {
    int64_t number;
    bool is_good = csv_parse_small_decimal(column, batch->mark, bytes, size, &number);
    if (is_good)
        memcpy(value, &number, sizeof number);
    return is_good;
}

static inline bool csv_parse_decimal32(const lam_csv_column *column, lam_csv_batch *batch,
                                       const uint8_t *bytes, size_t size, void *value) {
    int64_t number;
    bool is_good = csv_parse_small_decimal(column, batch->mark, bytes, size, &number);
    if (is_good)
        memcpy(value, &(int32_t){(int32_t)number}, sizeof(int32_t));
    return is_good;
}

/* Big-endian two's complement of the leaf's length, which has room for its precision. */
static inline bool csv_parse_decimal_fixed(const lam_csv_column *column, lam_csv_batch *batch,
                                           const uint8_t *bytes, size_t size, void *value) {
    lam_wide_int number;
    if (!csv_parse_unscaled(column->precision, column->scale, batch->mark, bytes, size, &number))
        return false;
    lam_wide_int_store_big(&number, value, column->value_size);
    return true;
}

/* --- Types --------------------------------------------------------------------------------- */

#define CSV_CONVERT(name, size, is_text)                                                           \
    static void csv_convert_##name(lam_csv_column *column, lam_csv_batch *batch) {                 \
        csv_convert_each(column, batch, csv_parse_##name, size, is_text);                          \
    }

CSV_CONVERT(text, sizeof(lam_bytes), true)
CSV_CONVERT(nothing, 1, false)
CSV_CONVERT(bool, 1, false)
CSV_CONVERT(int64, 8, false)
CSV_CONVERT(int32, 4, false)
CSV_CONVERT(uint64, 8, false)
CSV_CONVERT(float, 4, false)
CSV_CONVERT(double, 8, false)
CSV_CONVERT(date, 4, false)
CSV_CONVERT(timestamp, 8, false)
CSV_CONVERT(uuid, 16, false)
CSV_CONVERT(decimal64, 8, false)
CSV_CONVERT(decimal32, 4, false)

static void csv_convert_time(lam_csv_column *column, lam_csv_batch *batch) {
    if (column->unit == LAM_TIME_UNIT_MILLIS)
        csv_convert_each(column, batch, csv_parse_time, 4, false);
    else
        csv_convert_each(column, batch, csv_parse_time, 8, false);
}

static void csv_convert_decimal_fixed(lam_csv_column *column, lam_csv_batch *batch) {
    csv_convert_each(column, batch, csv_parse_decimal_fixed, column->value_size, false);
}

size_t lam_csv_element_size(const lam_field *leaf) {
    bool is_bytes = lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY;
    return is_bytes ? sizeof(lam_bytes) : (size_t)lam_field_type_length(leaf);
}

/* Integers with their range; UINT_64 has its own function. */
static void csv_set_integer(lam_csv_column *column, const lam_logical_type *type, bool is_64) {
    int bits = is_64 ? 64 : 32;
    bool is_signed = true;
    if (type->kind == LAM_LOGICAL_INTEGER) {
        bits = type->bit_width;
        is_signed = type->is_signed;
    }
    column->min = !is_signed ? 0 : bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
    column->max = bits == 64 ? INT64_MAX : ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    column->convert = !is_64      ? csv_convert_int32
                      : is_signed ? csv_convert_int64
                                  : csv_convert_uint64;
}

static void csv_set_number(lam_csv_column *column, const lam_logical_type *type, bool is_64) {
    switch (type->kind) {
    case LAM_LOGICAL_NONE:
    case LAM_LOGICAL_INTEGER:
        csv_set_integer(column, type, is_64);
        break;
    case LAM_LOGICAL_DATE:
        column->convert = csv_convert_date;
        break;
    case LAM_LOGICAL_TIME:
        column->convert = csv_convert_time;
        break;
    case LAM_LOGICAL_TIMESTAMP:
        column->convert = csv_convert_timestamp;
        break;
    case LAM_LOGICAL_DECIMAL:
        column->convert = is_64 ? csv_convert_decimal64 : csv_convert_decimal32;
        break;
    default:
        break;
    }
}

/* Leaves `convert` as it is for a type that has no form in CSV. */
static void csv_set_type(lam_csv_column *column, const lam_logical_type *type) {
    switch (lam_field_physical_type(column->leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        column->convert = csv_convert_bool;
        break;
    case LAM_PHYSICAL_INT32:
        csv_set_number(column, type, false);
        break;
    case LAM_PHYSICAL_INT64:
        csv_set_number(column, type, true);
        break;
    case LAM_PHYSICAL_FLOAT:
        column->convert = csv_convert_float;
        break;
    case LAM_PHYSICAL_DOUBLE:
        column->convert = csv_convert_double;
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        if (type->kind == LAM_LOGICAL_STRING || type->kind == LAM_LOGICAL_ENUM)
            column->convert = csv_convert_text;
        break;
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        if (type->kind == LAM_LOGICAL_UUID)
            column->convert = csv_convert_uuid;
        else if (type->kind == LAM_LOGICAL_DECIMAL && type->precision <= CSV_DECIMAL_DIGITS)
            column->convert = csv_convert_decimal_fixed;
        break;
    default:
        break;
    }
}

lam_status lam_csv_column_init(lam_csv_column *column, const lam_field *leaf, lam_error *error) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    memset(column, 0, sizeof *column);
    column->leaf = leaf;
    column->position = SIZE_MAX;
    column->max_definition = lam_field_max_definition(leaf);
    column->precision = type->precision;
    column->scale = type->scale;
    column->is_utc = type->adjusted_to_utc;
    column->unit = type->unit;
    column->value_size = lam_csv_element_size(leaf);
    if (type->kind == LAM_LOGICAL_UNKNOWN)
        column->convert = csv_convert_nothing;
    else
        csv_set_type(column, type);
    if (column->convert == NULL)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "the type of column %s has no form in CSV",
                 lam_field_name(leaf));
    return LAM_STATUS_OK;
}
