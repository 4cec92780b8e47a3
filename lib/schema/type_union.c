/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unites two types of leaves: finds the narrowest type that holds the values of both, if any. Equal
 * types are their own union; for others the families decide:
 *
 *                 integer     real      decimal    text    moment   bytes   else
 *     UNKNOWN     the other one, always
 *     integer     wider (1)   double (2) decimal (3) clash  clash    clash   clash
 *     real                    wider     double (4) clash   clash    clash   clash
 *     decimal                           wider (5)  clash   clash    clash   clash
 *     text                                         STRING  STRING   clash   clash
 *     moment                                               (6)      clash   clash
 *     bytes                                                         binary  clash
 *
 *     text      STRING, ENUM, JSON, UUID: strings in JSON
 *     moment    DATE, TIME, TIMESTAMP, INT96; these are strings in JSON, too
 *     bytes     without a logical type, of any length, and BSON
 *     else      boolean, INTERVAL, geometries, unknown types
 *
 *     (1) signed if one is; of 64 bits with and without a sign DECIMAL(20,0)
 *     (2) integers of 64 bits are checked: a double holds those up to 2^53, and some beyond
 *     (3) integers count as DECIMAL(20,0), whatever their width, so that grouping does not matter
 *     (4) if the decimal has no scale and at most 20 digits, as a union of integers has; checked
 *     (5) digits before and after the point that both need; clash beyond 38
 *     (6) times and timestamps with the same answer to "UTC?" have the finer unit; a DATE is a
 *         local timestamp at midnight, and INT96 a local one of nanoseconds; others are STRING.
 *         Timestamps are checked, as 64 bits hold few centuries of nanoseconds
 *
 * The invariant: the operation is commutative and associative, with UNKNOWN at the bottom and the
 * clash at the top, so that the union of files depends neither on their order nor on which are
 * united first. (LogicalTypes.md)
 */
#include "schema/type_union.h"

#include <string.h>

#include "schema/logical_type.h"

/* In the order of the table. */
typedef enum type_family {
    FAMILY_INTEGER,
    FAMILY_REAL,
    FAMILY_DECIMAL,
    FAMILY_TEXT,
    FAMILY_MOMENT,
    FAMILY_BYTES,
    FAMILY_ELSE
} type_family;

enum { INTEGER_DIGITS = 20, DOUBLE_DIGITS = 15, DECIMAL_DIGITS = 38, WIDE_TIMESTAMP = 12 };

lam_leaf_type lam_leaf_type_of(const lam_field *leaf) {
    bool is_fixed = leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    return (lam_leaf_type){(lam_physical_type)leaf->physical_type, is_fixed ? leaf->type_length : 0,
                           leaf->logical_type};
}

bool lam_leaf_type_equals(const lam_leaf_type *a, const lam_leaf_type *b) {
    return a->physical == b->physical && a->type_length == b->type_length &&
           lam_logical_type_equals(&a->logical, &b->logical);
}

static lam_leaf_type plain_type(lam_physical_type physical, lam_logical_kind kind) {
    lam_leaf_type type;
    memset(&type, 0, sizeof type);
    type.physical = physical;
    type.logical.kind = kind;
    return type;
}

static type_family family_without_logical(lam_physical_type physical) {
    switch (physical) {
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return FAMILY_INTEGER;
    case LAM_PHYSICAL_FLOAT:
    case LAM_PHYSICAL_DOUBLE:
        return FAMILY_REAL;
    case LAM_PHYSICAL_INT96:
        return FAMILY_MOMENT;
    case LAM_PHYSICAL_BYTE_ARRAY:
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return FAMILY_BYTES;
    default:
        return FAMILY_ELSE;
    }
}

static type_family type_family_of(const lam_leaf_type *type) {
    switch (type->logical.kind) {
    case LAM_LOGICAL_NONE:
        return family_without_logical(type->physical);
    case LAM_LOGICAL_INTEGER:
        return FAMILY_INTEGER;
    case LAM_LOGICAL_FLOAT16:
        return FAMILY_REAL;
    case LAM_LOGICAL_DECIMAL:
        return FAMILY_DECIMAL;
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
    case LAM_LOGICAL_UUID:
        return FAMILY_TEXT;
    case LAM_LOGICAL_DATE:
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        return FAMILY_MOMENT;
    case LAM_LOGICAL_BSON:
        return FAMILY_BYTES;
    default:
        return FAMILY_ELSE;
    }
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* An integer without a logical type is signed, and as wide as it is stored. */
static int width_of(const lam_leaf_type *type) {
    if (type->logical.kind == LAM_LOGICAL_INTEGER)
        return type->logical.bit_width;
    return type->physical == LAM_PHYSICAL_INT32 ? 32 : 64;
}

static bool is_signed(const lam_leaf_type *type) {
    return type->logical.kind == LAM_LOGICAL_NONE || type->logical.is_signed;
}

/* The decimal with that many digits before and after the point, in the least room that fits it. */
static lam_type_fit union_decimal(int32_t before, int32_t behind, lam_leaf_type *ret_type) {
    int32_t digits = before + behind, bytes = 1;
    if (digits > DECIMAL_DIGITS)
        return LAM_TYPES_CLASH;
    *ret_type = plain_type(digits <= 9    ? LAM_PHYSICAL_INT32
                           : digits <= 18 ? LAM_PHYSICAL_INT64
                                          : LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
                           LAM_LOGICAL_DECIMAL);
    ret_type->logical.precision = digits;
    ret_type->logical.scale = behind;
    while (digits > 18 && lam_logical_type_problem(&ret_type->logical, ret_type->physical, bytes))
        bytes++;
    ret_type->type_length = digits > 18 ? bytes : 0;
    return LAM_TYPES_UNITE;
}

static lam_type_fit unite_integers(const lam_leaf_type *a, const lam_leaf_type *b,
                                   lam_leaf_type *ret_type) {
    bool any_signed = is_signed(a) || is_signed(b);
    bool is_bare = a->logical.kind == LAM_LOGICAL_NONE || b->logical.kind == LAM_LOGICAL_NONE;
    int width = 8;
    const lam_leaf_type *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        int needs = width_of(both[i]) * (any_signed && !is_signed(both[i]) ? 2 : 1);
        width = needs > width ? needs : width;
    }
    if (width > 64)
        return union_decimal(INTEGER_DIGITS, 0, ret_type);
    *ret_type = plain_type(width > 32 ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_INT32,
                           is_bare ? LAM_LOGICAL_NONE : LAM_LOGICAL_INTEGER);
    if (!is_bare) {
        ret_type->logical.bit_width = (int8_t)width;
        ret_type->logical.is_signed = any_signed;
    }
    return LAM_TYPES_UNITE;
}

/* Digits before the point, and after it. */
static void union_digits(const lam_leaf_type *type, int32_t *ret_before, int32_t *ret_behind) {
    bool is_decimal = type->logical.kind == LAM_LOGICAL_DECIMAL;
    *ret_behind = is_decimal ? type->logical.scale : 0;
    *ret_before = is_decimal ? type->logical.precision - type->logical.scale : INTEGER_DIGITS;
}

static lam_type_fit unite_decimals(const lam_leaf_type *a, const lam_leaf_type *b,
                                   lam_leaf_type *ret_type) {
    int32_t before, behind, other_before, other_behind;
    union_digits(a, &before, &behind);
    union_digits(b, &other_before, &other_behind);
    return union_decimal(before > other_before ? before : other_before,
                         behind > other_behind ? behind : other_behind, ret_type);
}

/* Of float16, float and double the wider one. */
static lam_type_fit unite_reals(const lam_leaf_type *a, const lam_leaf_type *b,
                                lam_leaf_type *ret_type) {
    bool is_double = a->physical == LAM_PHYSICAL_DOUBLE || b->physical == LAM_PHYSICAL_DOUBLE;
    *ret_type = plain_type(is_double ? LAM_PHYSICAL_DOUBLE : LAM_PHYSICAL_FLOAT, LAM_LOGICAL_NONE);
    return LAM_TYPES_UNITE;
}

/* A real with an exact number. */
static lam_type_fit unite_with_real(const lam_leaf_type *exact, lam_leaf_type *ret_type) {
    int32_t before, behind;
    bool fits = exact->logical.kind != LAM_LOGICAL_DECIMAL && width_of(exact) <= 32;
    union_digits(exact, &before, &behind);
    if (behind > 0 || before > INTEGER_DIGITS)
        return LAM_TYPES_CLASH;
    *ret_type = plain_type(LAM_PHYSICAL_DOUBLE, LAM_LOGICAL_NONE);
    return fits || before <= DOUBLE_DIGITS ? LAM_TYPES_UNITE : LAM_TYPES_CHECKED;
}

/* --- Texts and bytes ----------------------------------------------------------------------- */

static lam_type_fit unite_texts(lam_leaf_type *ret_type) {
    *ret_type = plain_type(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
    return LAM_TYPES_UNITE;
}

/* A DATE or INT96 as the timestamp that it is; others as they are. */
static lam_leaf_type moment_of(const lam_leaf_type *type) {
    lam_leaf_type moment = *type;
    if (type->logical.kind == LAM_LOGICAL_TIME || type->logical.kind == LAM_LOGICAL_TIMESTAMP)
        return moment;
    moment = plain_type(LAM_PHYSICAL_INT64, LAM_LOGICAL_TIMESTAMP);
    moment.logical.unit =
        type->logical.kind == LAM_LOGICAL_DATE ? LAM_TIME_UNIT_MILLIS : LAM_TIME_UNIT_NANOS;
    return moment;
}

/* Units are numbered from the coarsest to the finest. */
static lam_type_fit unite_moments(const lam_leaf_type *a, const lam_leaf_type *b,
                                  lam_leaf_type *ret_type) {
    lam_leaf_type x = moment_of(a), y = moment_of(b);
    if (x.logical.kind != y.logical.kind || x.logical.adjusted_to_utc != y.logical.adjusted_to_utc)
        return unite_texts(ret_type);
    bool is_wide = x.type_length == WIDE_TIMESTAMP || y.type_length == WIDE_TIMESTAMP;
    bool is_time = x.logical.kind == LAM_LOGICAL_TIME;
    if (y.logical.unit > x.logical.unit)
        x.logical.unit = y.logical.unit;
    x.physical = is_wide ? LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY
                 : is_time && x.logical.unit == LAM_TIME_UNIT_MILLIS ? LAM_PHYSICAL_INT32
                                                                     : LAM_PHYSICAL_INT64;
    x.type_length = is_wide ? WIDE_TIMESTAMP : 0;
    *ret_type = x;
    return is_wide || is_time ? LAM_TYPES_UNITE : LAM_TYPES_CHECKED;
}

/* --- The table ----------------------------------------------------------------------------- */

static lam_type_fit unite_families(type_family first, type_family second, const lam_leaf_type *a,
                                   const lam_leaf_type *b, lam_leaf_type *ret_type) {
    switch (first) {
    case FAMILY_INTEGER:
        return second == FAMILY_INTEGER   ? unite_integers(a, b, ret_type)
               : second == FAMILY_REAL    ? unite_with_real(a, ret_type)
               : second == FAMILY_DECIMAL ? unite_decimals(a, b, ret_type)
                                          : LAM_TYPES_CLASH;
    case FAMILY_REAL:
        return second == FAMILY_REAL      ? unite_reals(a, b, ret_type)
               : second == FAMILY_DECIMAL ? unite_with_real(b, ret_type)
                                          : LAM_TYPES_CLASH;
    case FAMILY_DECIMAL:
        return second == FAMILY_DECIMAL ? unite_decimals(a, b, ret_type) : LAM_TYPES_CLASH;
    case FAMILY_TEXT:
        return second <= FAMILY_MOMENT ? unite_texts(ret_type) : LAM_TYPES_CLASH;
    case FAMILY_MOMENT:
        return second == FAMILY_MOMENT ? unite_moments(a, b, ret_type) : LAM_TYPES_CLASH;
    case FAMILY_BYTES:
        if (second != FAMILY_BYTES)
            return LAM_TYPES_CLASH;
        *ret_type = plain_type(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_NONE);
        return LAM_TYPES_UNITE;
    default:
        return LAM_TYPES_CLASH;
    }
}

lam_type_fit lam_type_unite(const lam_leaf_type *a, const lam_leaf_type *b,
                            lam_leaf_type *ret_type) {
    bool a_is_nothing = a->logical.kind == LAM_LOGICAL_UNKNOWN;
    bool b_is_nothing = b->logical.kind == LAM_LOGICAL_UNKNOWN;
    type_family first = type_family_of(a), second = type_family_of(b);
    if (lam_leaf_type_equals(a, b))
        *ret_type = *a;
    else if (a_is_nothing && b_is_nothing)
        *ret_type = plain_type(LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN);
    else if (a_is_nothing || b_is_nothing)
        *ret_type = a_is_nothing ? *b : *a;
    else
        return first <= second ? unite_families(first, second, a, b, ret_type)
                               : unite_families(second, first, b, a, ret_type);
    return LAM_TYPES_UNITE;
}
