/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Infers the type of one column of delimited text from its values, one after the other: the type
 * that holds all of them by the table of types (schema/type_union.h), or STRING if there is none;
 * UNKNOWN without values, so that a file whose column is empty suits any other.
 *
 * Each value adds the narrowest of its types that the values before could have, too. Values without
 * such a type are counted, until they outnumber the others: so a column of strings costs little
 * after its first values. The invariant: a value that was added parses as the type that is given,
 * with the unit of the column, so that text that inference has read can be read with its schema.
 */
#include "csv/csv_kind.h"

#include <string.h>

#include "base/error.h"
#include "base/wrap.h"
#include "csv/csv_value.h"
#include "schema/type_union.h"
#include "text/number_text.h"
#include "text/text_kind.h"

enum {
    CSV_TIMES = LAM_CSV_DATE | LAM_CSV_TIME | LAM_CSV_TIMESTAMP | LAM_CSV_TIMESTAMP_UTC,
    CSV_NARROW_DIGITS = 18, /* of a decimal that is an int64 */
    CSV_WIDE_BYTES = 16,
    CSV_WIDE_DIGITS = 38, /* the most that readers of Parquet take */
    CSV_OTHERS_MORE = 64  /* than those that fit, and the column has strings */
};

/* Either side of 1970, as far as nanoseconds of 64 bits go. */
static const int64_t CSV_NANOS_SECONDS = INT64_C(9223372035);

void lam_csv_kinds_init(lam_csv_kinds *kinds, const lam_csv_options *options) {
    memset(kinds, 0, sizeof *kinds);
    kinds->kinds = LAM_CSV_BOOLEAN | LAM_CSV_INT64 | LAM_CSV_DOUBLE | LAM_CSV_UUID;
    if (options->infer_times != LAM_SWITCH_OFF)
        kinds->kinds |= CSV_TIMES;
    kinds->formats = (lam_time_formats){options->time_formats, options->time_format_count};
    if (options->infer_decimals)
        kinds->kinds |= LAM_CSV_DECIMAL;
}

/* --- One value ----------------------------------------------------------------------------- */

static bool csv_fits_decimal(lam_csv_kinds *kinds, const uint8_t *bytes, size_t size, char mark) {
    size_t before, after;
    if (!lam_csv_count_digits(bytes, size, mark, &before, &after) || before > CSV_WIDE_DIGITS ||
        after > CSV_WIDE_DIGITS)
        return false;
    kinds->max_before = before > kinds->max_before ? (uint32_t)before : kinds->max_before;
    kinds->max_after = after > kinds->max_after ? (uint32_t)after : kinds->max_after;
    return kinds->max_before + kinds->max_after <= CSV_WIDE_DIGITS;
}

static uint32_t csv_fitting_texts(lam_csv_kinds *kinds, const uint8_t *bytes, size_t size) {
    lam_text_moment moment = {0, 0};
    lam_text_kind kind = lam_text_kind_of((const char *)bytes, size, &moment);
    if (kind == LAM_TEXT_OTHER)
        kind = lam_time_formats_take(kinds->formats, (const char *)bytes, size, &moment);
    if (kind == LAM_TEXT_OTHER)
        return 0;
    if (kind == LAM_TEXT_UUID)
        return LAM_CSV_UUID;
    kinds->needs_nanos = kinds->needs_nanos || moment.nanos % 1000 != 0;
    kinds->exceeds_nanos = kinds->exceeds_nanos || moment.seconds > CSV_NANOS_SECONDS ||
                           moment.seconds < -CSV_NANOS_SECONDS;
    return kind == LAM_TEXT_TIME        ? LAM_CSV_TIME
           : kind == LAM_TEXT_DATE      ? LAM_CSV_DATE | LAM_CSV_TIMESTAMP
           : kind == LAM_TEXT_TIMESTAMP ? LAM_CSV_TIMESTAMP
                                        : LAM_CSV_TIMESTAMP_UTC;
}

/* The types of a value, among those that remain. */
static uint32_t csv_fitting(lam_csv_kinds *kinds, const uint8_t *bytes, size_t size, char mark) {
    const uint32_t left = kinds->kinds;
    uint32_t fits = 0;
    int64_t integer;
    double number;
    uint8_t boolean;
    if (left & LAM_CSV_BOOLEAN && lam_csv_parse_boolean(bytes, size, &boolean))
        fits |= LAM_CSV_BOOLEAN;
    if (left & LAM_CSV_INT64 && lam_csv_parse_integer(bytes, size, &integer))
        fits |= LAM_CSV_INT64;
    if (left & LAM_CSV_DECIMAL && csv_fits_decimal(kinds, bytes, size, mark))
        fits |= LAM_CSV_DECIMAL;
    if (left & LAM_CSV_DOUBLE && lam_csv_parse_kept_double(bytes, size, mark, &number))
        fits |= LAM_CSV_DOUBLE;
    if (left & (CSV_TIMES | LAM_CSV_UUID))
        fits |= csv_fitting_texts(kinds, bytes, size);
    return left & fits;
}

bool lam_csv_kinds_add(lam_csv_kinds *kinds, const uint8_t *bytes, size_t size, char mark) {
    kinds->has_values = true;
    if (kinds->kinds == 0)
        return false;
    const uint32_t fits = csv_fitting(kinds, bytes, size, mark);
    if (fits != 0) {
        kinds->kinds = fits;
        kinds->seen |= lam_lowest_bit(fits);
        kinds->fitting++;
        return false;
    }
    kinds->seen |= LAM_CSV_OTHER;
    kinds->others++;
    if (kinds->others > kinds->fitting + CSV_OTHERS_MORE)
        kinds->kinds = 0;
    return kinds->others == 1;
}

/* --- The leaf ------------------------------------------------------------------------------ */

static lam_leaf_type csv_time_type(const lam_csv_kinds *kinds, lam_logical_kind kind, bool is_utc) {
    lam_leaf_type type = {LAM_PHYSICAL_INT64, 0, {.kind = kind, .adjusted_to_utc = is_utc}};
    type.logical.unit = kinds->needs_nanos ? LAM_TIME_UNIT_NANOS : LAM_TIME_UNIT_MICROS;
    return type;
}

/* The decimal has room for more digits before the mark than were seen. */
static lam_leaf_type csv_decimal_type(const lam_csv_kinds *kinds) {
    bool is_narrow = kinds->max_before + kinds->max_after <= CSV_NARROW_DIGITS;
    lam_leaf_type type = {is_narrow ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
                          is_narrow ? 0 : CSV_WIDE_BYTES,
                          {.kind = LAM_LOGICAL_DECIMAL, .scale = (int32_t)kinds->max_after}};
    type.logical.precision = is_narrow ? CSV_NARROW_DIGITS : CSV_WIDE_DIGITS;
    return type;
}

/* A type of values that were seen. A decimal may be another number's double. */
static lam_leaf_type csv_type_of(const lam_csv_kinds *kinds, uint32_t kind) {
    bool is_decimal = (kinds->kinds & LAM_CSV_DECIMAL) != 0;
    bool exceeds = kinds->needs_nanos && kinds->exceeds_nanos;
    lam_leaf_type text = {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_STRING}};
    switch (kind) {
    case LAM_CSV_BOOLEAN:
        return (lam_leaf_type){LAM_PHYSICAL_BOOLEAN, 0, {.kind = LAM_LOGICAL_NONE}};
    case LAM_CSV_INT64:
        return (lam_leaf_type){LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_NONE}};
    case LAM_CSV_DECIMAL:
    case LAM_CSV_DOUBLE:
        return is_decimal ? csv_decimal_type(kinds)
                          : (lam_leaf_type){LAM_PHYSICAL_DOUBLE, 0, {.kind = LAM_LOGICAL_NONE}};
    case LAM_CSV_DATE:
        return (lam_leaf_type){LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_DATE}};
    case LAM_CSV_TIME:
        return csv_time_type(kinds, LAM_LOGICAL_TIME, false);
    case LAM_CSV_TIMESTAMP:
    case LAM_CSV_TIMESTAMP_UTC:
        return exceeds ? text
                       : csv_time_type(kinds, LAM_LOGICAL_TIMESTAMP, kind == LAM_CSV_TIMESTAMP_UTC);
    case LAM_CSV_UUID:
        return (lam_leaf_type){LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, {.kind = LAM_LOGICAL_UUID}};
    default:
        return text;
    }
}

/* If values are decimals, the integers among them are, too, with no more digits than they have. */
static lam_leaf_type csv_choose(const lam_csv_kinds *kinds) {
    const lam_leaf_type text = csv_type_of(kinds, LAM_CSV_OTHER);
    lam_leaf_type type = {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_UNKNOWN}};
    uint32_t seen = kinds->seen;
    if ((seen & LAM_CSV_DECIMAL) != 0 && (kinds->kinds & LAM_CSV_DECIMAL) != 0)
        seen &= ~(uint32_t)LAM_CSV_INT64;
    for (; seen != 0; seen &= seen - 1) {
        const lam_leaf_type more = csv_type_of(kinds, lam_lowest_bit(seen));
        if (lam_type_unite(&type, &more, &type) == LAM_TYPES_CLASH)
            return text;
    }
    return kinds->has_empty_texts && !kinds->has_values ? text : type;
}

const char *lam_csv_kinds_clash(const lam_csv_kinds *kinds) {
    static const struct {
        uint32_t kind;
        const char *name;
    } names[] = {
        {LAM_CSV_BOOLEAN, "boolean"},
        {LAM_CSV_INT64, "integer"},
        {LAM_CSV_DECIMAL | LAM_CSV_DOUBLE, "number"},
        {LAM_CSV_DATE, "date"},
        {LAM_CSV_TIME, "time"},
        {LAM_CSV_TIMESTAMP, "local timestamp"},
        {LAM_CSV_TIMESTAMP_UTC, "zoned timestamp"},
        {LAM_CSV_UUID, "UUID"},
    };
    const uint32_t kind = kinds->kinds == 0 ? 0 : lam_lowest_bit(kinds->kinds);
    if (kinds->others == 0 || kinds->others > kinds->fitting)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((names[i].kind & kind) != 0)
            return names[i].name;
    return NULL;
}

lam_status lam_csv_kinds_add_leaf(const lam_csv_kinds *kinds, lam_schema_builder *builder,
                                  const char *name, lam_error *error) {
    const lam_leaf_type type = csv_choose(kinds);
    const lam_field_options options = {.logical_type = type.logical,
                                       .type_length = type.type_length};
    return lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_OPTIONAL, type.physical,
                                       &options, error);
}
