/* A comparison with a part of a VARIANT as a test of the typed column that holds the part. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "filter/filter_literal.h"
#include "filter/filter_part.h"
#include "filter/filter_values.h"

enum { MOST_DIGITS = 400 }; /* in front of the point: more than any column has */

/* A reading as a value of the column. */
typedef enum fit {
    FIT_EXACT,
    FIT_ABOVE, /* the reading is above the value given and below the next one, if there is one */
    FIT_BELOW_ALL,
    FIT_ABOVE_ALL
} fit;

/* --- One reading --------------------------------------------------------------------------- */

static fit fit_real(const lam_reading *reading, lam_physical_type type, lam_value *ret_value) {
    bool is_above = reading->is_above_float64;
    if (type == LAM_PHYSICAL_FLOAT) {
        ret_value->float32 = reading->float32;
        is_above = reading->is_above_float32;
    } else {
        ret_value->float64 = reading->float64;
    }
    return is_above ? FIT_ABOVE : FIT_EXACT;
}

/* A number as an integer or a decimal, which the text of a condition would be read as too. */
static lam_status fit_exact(const lam_reading *reading, const lam_field *leaf, lam_arena *arena,
                            lam_value *ret_value, fit *ret_fit, lam_error *error) {
    static const fit fits[] = {[LAM_LITERAL_EXACT] = FIT_EXACT,
                               [LAM_LITERAL_ABOVE] = FIT_ABOVE,
                               [LAM_LITERAL_BELOW_ALL] = FIT_BELOW_ALL};
    lam_filter_lexer lexer;
    lam_literal_fit literal;
    if (reading->is_special) {
        bool is_low = !isnan(reading->float64) && reading->float64 < 0;
        *ret_fit = is_low ? FIT_BELOW_ALL : FIT_ABOVE_ALL;
        return LAM_STATUS_OK;
    }
    if (reading->exact.exponent > MOST_DIGITS) {
        *ret_fit = reading->exact.is_negative ? FIT_BELOW_ALL : FIT_ABOVE_ALL;
        return LAM_STATUS_OK;
    }
    LAM_TRY(
        lam_filter_lexer_init(&lexer, (const char *)reading->text.data, reading->text.size, error));
    LAM_TRY(lam_filter_literal_read(&lexer, leaf, arena, ret_value, &literal, error));
    *ret_fit = fits[literal];
    return LAM_STATUS_OK;
}

static fit fit_timestamp(const lam_reading *reading, const lam_field *leaf, lam_value *ret_value) {
    int64_t first_nanos, first = lam_floor_divide(INT64_MIN, 1000, &first_nanos);
    int64_t last_nanos, last = lam_floor_divide(INT64_MAX, 1000, &last_nanos);
    ret_value->int64 = reading->integer;
    if (leaf->logical_type.unit != LAM_TIME_UNIT_NANOS)
        return reading->nanos > 0 ? FIT_ABOVE : FIT_EXACT;
    if (reading->integer > last || (reading->integer == last && reading->nanos > last_nanos))
        return FIT_ABOVE_ALL;
    if (reading->integer < first || (reading->integer == first && reading->nanos < first_nanos))
        return FIT_BELOW_ALL;
    ret_value->int64 = reading->integer == first ? INT64_MIN + (reading->nanos - first_nanos)
                                                 : reading->integer * 1000 + reading->nanos;
    return FIT_EXACT;
}

static fit fit_date(const lam_reading *reading, lam_value *ret_value) {
    ret_value->int32 = (int32_t)reading->integer;
    if (reading->integer > INT32_MAX)
        return FIT_ABOVE_ALL;
    return reading->integer < INT32_MIN ? FIT_BELOW_ALL : FIT_EXACT;
}

static lam_status fit_reading(const lam_reading *reading, const lam_field *leaf, lam_arena *arena,
                              lam_value *ret_value, fit *ret_fit, lam_error *error) {
    lam_physical_type type = (lam_physical_type)leaf->physical_type;
    memset(ret_value, 0, sizeof *ret_value);
    *ret_fit = FIT_EXACT;
    switch (reading->kind) {
    case LAM_READING_NUMBER:
        if (type != LAM_PHYSICAL_FLOAT && type != LAM_PHYSICAL_DOUBLE)
            return fit_exact(reading, leaf, arena, ret_value, ret_fit, error);
        *ret_fit = fit_real(reading, type, ret_value);
        break;
    case LAM_READING_BOOLEAN:
        ret_value->boolean = reading->integer != 0;
        break;
    case LAM_READING_DATE:
        *ret_fit = fit_date(reading, ret_value);
        break;
    case LAM_READING_TIME:
        ret_value->int64 = reading->integer;
        break;
    case LAM_READING_TIMESTAMP:
    case LAM_READING_TIMESTAMP_NTZ:
        *ret_fit = fit_timestamp(reading, leaf, ret_value);
        break;
    default:
        ret_value->bytes = reading->bytes;
    }
    return LAM_STATUS_OK;
}

/* --- The test ------------------------------------------------------------------------------ */

/* Values that the column cannot have are left out: nothing equals them. */
static lam_status test_equality(const lam_reading_list *list, lam_arena *arena,
                                lam_filter_test *test, lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(arena, list->count, sizeof(lam_bytes), &memory, error));
    lam_bytes *values = memory;
    test->kind = LAM_TEST_IN;
    test->value_count = 0;
    for (size_t i = 0; i < list->count; i++) {
        lam_value value;
        fit found;
        LAM_TRY(fit_reading(&list->items[i], test->leaf, arena, &value, &found, error));
        if (found == FIT_EXACT)
            LAM_TRY(lam_filter_copy_value(test->leaf, &value, arena, &values[test->value_count++],
                                          error));
    }
    test->values = values;
    test->value_count = lam_filter_sort_values(&test->order, values, test->value_count);
    return LAM_STATUS_OK;
}

/* With a value that is there, by how the reading lies to those of the column. */
static lam_test_kind fitted(lam_test_kind kind, fit found) {
    bool is_less = kind == LAM_TEST_LESS || kind == LAM_TEST_LESS_OR_EQUAL;
    if (found == FIT_EXACT)
        return kind;
    if (found == FIT_ABOVE && kind != LAM_TEST_NOT_EQUAL)
        return is_less ? LAM_TEST_LESS_OR_EQUAL : LAM_TEST_GREATER;
    bool is_any = kind == LAM_TEST_NOT_EQUAL || is_less == (found == FIT_ABOVE_ALL);
    return is_any ? LAM_TEST_ANY : LAM_TEST_IN; /* of no value */
}

static lam_status test_order(const lam_filter_part *part, const lam_reading *reading,
                             lam_arena *arena, lam_filter_test *test, lam_error *error) {
    lam_value value;
    fit found;
    void *memory;
    LAM_TRY(fit_reading(reading, test->leaf, arena, &value, &found, error));
    test->kind = fitted(part->comparison, found);
    if (found != FIT_EXACT && found != FIT_ABOVE)
        return LAM_STATUS_OK;
    LAM_TRY(lam_arena_alloc(arena, sizeof(lam_bytes), &memory, error));
    LAM_TRY(lam_filter_copy_value(test->leaf, &value, arena, memory, error));
    test->values = memory;
    test->value_count = lam_filter_asks_values(test);
    return LAM_STATUS_OK;
}

lam_status lam_filter_part_leaf_test(lam_filter_part *part, lam_variant_kind kind, lam_arena *arena,
                                     lam_filter_test *test, lam_error *error) {
    lam_reading_class class = lam_reading_class_of(kind);
    test->kind = LAM_TEST_UNKNOWN;
    test->leaf = part->last_leaf;
    test->order = lam_filter_order_of(test->leaf);
    test->part = part;
    if (class == LAM_READING_NO_CLASS || part->readings[class].count == 0)
        return LAM_STATUS_OK;
    if (part->comparison == LAM_TEST_IN)
        return test_equality(&part->readings[class], arena, test, error);
    return test_order(part, &part->readings[class].items[0], arena, test, error);
}
