/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the Arrow type of a field with a requested one, by the table in the header. Both kinds
 * must be of one family, that is, made from the same Parquet column; then the arguments decide.
 *
 * The invariant: a type that is taken is one that reading has a conversion to, and no value that
 * was read before fails under it.
 */
#include "arrow/schema/requested_type.h"

#include "arrow/array/instant.h"

lam_arrow_kind lam_arrow_kind_family(lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_DURATION:
        return LAM_ARROW_INT64;
    case LAM_ARROW_DATE64:
        return LAM_ARROW_DATE32;
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
        return LAM_ARROW_INTERVAL_MONTH_DAY_NANO;
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
        return LAM_ARROW_BINARY;
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return LAM_ARROW_STRING;
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return LAM_ARROW_LIST;
    default:
        return kind;
    }
}

/* Bytes of a string are still the same bytes as binary; the way back may meet what is no text. */
static bool is_of_family(lam_arrow_kind found, lam_arrow_kind requested) {
    lam_arrow_kind family = lam_arrow_kind_family(found), other = lam_arrow_kind_family(requested);
    return family == other || (family == LAM_ARROW_STRING && other == LAM_ARROW_BINARY);
}

/* Seconds lie in columns of milliseconds, except those that 96 bits were counted in. */
static bool requested_unit_fits(const lam_field *leaf, lam_arrow_unit found,
                                lam_arrow_unit requested) {
    return found == requested || (found == LAM_ARROW_SECOND && requested == LAM_ARROW_MILLISECOND &&
                                  lam_instant_load_of(leaf) == NULL);
}

/* INT96 does not say whether it is adjusted to UTC: who asks for a zone gets it. */
static bool zone_fits(const lam_field *leaf, const lam_arrow_type *found,
                      const lam_arrow_type *requested) {
    return (found->timezone != NULL) == (requested->timezone != NULL) ||
           (found->timezone == NULL && leaf->physical_type == LAM_PHYSICAL_INT96);
}

/* Whether the arguments of two types of one family allow it. */
static bool arguments_fit(const lam_field *leaf, const lam_arrow_type *found,
                          const lam_arrow_type *requested) {
    switch (requested->kind) {
    case LAM_ARROW_TIMESTAMP:
        return zone_fits(leaf, found, requested) &&
               requested_unit_fits(leaf, found->unit, requested->unit);
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
        return requested_unit_fits(leaf, found->unit, requested->unit);
    case LAM_ARROW_DURATION:
        return found->kind == LAM_ARROW_INT64 || found->unit == requested->unit;
    case LAM_ARROW_DECIMAL:
        return requested->precision >= found->precision && requested->scale == found->scale;
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
        return found->kind == requested->kind;
    case LAM_ARROW_FIXED_SIZE_BINARY:
        return found->fixed_size == requested->fixed_size;
    case LAM_ARROW_FIXED_SIZE_LIST:
        return found->kind == requested->kind && found->fixed_size == requested->fixed_size;
    default:
        return true;
    }
}

bool lam_requested_type_take(const lam_field *leaf, const lam_arrow_type *requested,
                             lam_arrow_type *type) {
    if (!is_of_family(type->kind, requested->kind) || !arguments_fit(leaf, type, requested))
        return false;
    /* Whether keys are sorted is known of the column alone. */
    bool keys_sorted = type->keys_sorted && requested->keys_sorted;
    *type = *requested;
    type->keys_sorted = keys_sorted;
    return true;
}
