/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a comparison with a path of a VARIANT into a test of the typed column that ends the path.
 * Takes the literals of the column's class and gives a lam_filter_test, which statistics, Bloom
 * filters and dictionaries can decide like that of any leaf. It is right wherever the residual
 * columns of the path have no values; rows where they do are evaluated value by value.
 *
 * Invariant: the test is true for a value of the column exactly if the comparison is, although the
 * literal may be no value of the column:
 *
 *     typed_value int32, literal 10.5      < becomes <= 10, >= becomes > 10, = matches nothing
 *     typed_value int32, literal Infinity  < is true for any value, > for none
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "filter/filter_literal.h"
#include "filter/filter_path.h"
#include "filter/filter_values.h"

/* Digits before the point: more than any column has, and few enough to write all zeros of 1e400. */
enum { FILTER_PATH_LEAF_MOST_DIGITS = 400 };

/* --- One literal --------------------------------------------------------------------------- */

/*
 * Takes the nearest number of the column's type, as the comparison itself does; beyond the largest,
 * the literal lies above that one and below infinity.
 */
static lam_literal_position literal_to_real(const lam_typed_literal *literal,
                                            lam_physical_type type, lam_value *ret_value) {
    bool is_above = literal->is_above_float64;
    if (type == LAM_PHYSICAL_FLOAT) {
        ret_value->float32 = literal->float32;
        is_above = literal->is_above_float32;
    } else {
        ret_value->float64 = literal->float64;
    }
    return is_above ? LAM_LITERAL_ABOVE : LAM_LITERAL_EXACT;
}

/*
 * Reads a number for an integer or decimal column by lexing its text again, with the code that
 * reads a condition on an ordinary column. NaN counts as greater than all numbers.
 */
static lam_status literal_to_exact(const lam_typed_literal *literal, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value,
                                   lam_literal_position *ret_position, lam_error *error) {
    lam_filter_lexer lexer;
    if (literal->is_special) {
        bool is_low = !isnan(literal->float64) && literal->float64 < 0;
        *ret_position = is_low ? LAM_LITERAL_BELOW_ALL : LAM_LITERAL_ABOVE_ALL;
        return LAM_STATUS_OK;
    }
    if (literal->exact.exponent > FILTER_PATH_LEAF_MOST_DIGITS) {
        *ret_position = literal->exact.is_negative ? LAM_LITERAL_BELOW_ALL : LAM_LITERAL_ABOVE_ALL;
        return LAM_STATUS_OK;
    }
    LAM_TRY(
        lam_filter_lexer_init(&lexer, (const char *)literal->text.data, literal->text.size, error));
    LAM_TRY(lam_filter_literal_read(&lexer, leaf, arena, ret_value, ret_position, error));
    return LAM_STATUS_OK;
}

/*
 * A literal is microseconds and 0 to 999 nanoseconds. A column of microseconds may lie below it by
 * the nanoseconds; a column of nanoseconds covers the years 1677 to 2262 only, and its limits are
 * checked before multiplying. The product at `first` itself would overflow, as it lies below
 * INT64_MIN.
 */
static lam_literal_position literal_to_timestamp(const lam_typed_literal *literal,
                                                 const lam_field *leaf, lam_value *ret_value) {
    int64_t first_nanos, first = lam_floor_divide(INT64_MIN, 1000, &first_nanos);
    int64_t last_nanos, last = lam_floor_divide(INT64_MAX, 1000, &last_nanos);
    ret_value->int64 = literal->integer;
    if (leaf->logical_type.unit != LAM_TIME_UNIT_NANOS)
        return literal->nanos > 0 ? LAM_LITERAL_ABOVE : LAM_LITERAL_EXACT;
    if (literal->integer > last || (literal->integer == last && literal->nanos > last_nanos))
        return LAM_LITERAL_ABOVE_ALL;
    if (literal->integer < first || (literal->integer == first && literal->nanos < first_nanos))
        return LAM_LITERAL_BELOW_ALL;
    ret_value->int64 = literal->integer == first ? INT64_MIN + (literal->nanos - first_nanos)
                                                 : literal->integer * 1000 + literal->nanos;
    return LAM_LITERAL_EXACT;
}

/* Days beyond 32 bits are possible in a literal from an application. */
static lam_literal_position literal_to_date(const lam_typed_literal *literal,
                                            lam_value *ret_value) {
    ret_value->int32 = (int32_t)literal->integer;
    if (literal->integer > INT32_MAX)
        return LAM_LITERAL_ABOVE_ALL;
    return literal->integer < INT32_MIN ? LAM_LITERAL_BELOW_ALL : LAM_LITERAL_EXACT;
}

/*
 * Converts a literal to a value of the leaf, whose class it has, and to its position among the
 * values.
 */
static lam_status literal_to_value(const lam_typed_literal *literal, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value,
                                   lam_literal_position *ret_position, lam_error *error) {
    lam_physical_type type = (lam_physical_type)leaf->physical_type;
    memset(ret_value, 0, sizeof *ret_value);
    *ret_position = LAM_LITERAL_EXACT;
    switch (literal->kind) {
    case LAM_LITERAL_NUMBER:
        if (type != LAM_PHYSICAL_FLOAT && type != LAM_PHYSICAL_DOUBLE)
            return literal_to_exact(literal, leaf, arena, ret_value, ret_position, error);
        *ret_position = literal_to_real(literal, type, ret_value);
        break;
    case LAM_LITERAL_BOOLEAN:
        ret_value->boolean = literal->integer != 0;
        break;
    case LAM_LITERAL_DATE:
        *ret_position = literal_to_date(literal, ret_value);
        break;
    case LAM_LITERAL_TIME:
        ret_value->int64 = literal->integer;
        break;
    case LAM_LITERAL_TIMESTAMP:
    case LAM_LITERAL_TIMESTAMP_NTZ:
        *ret_position = literal_to_timestamp(literal, leaf, ret_value);
        break;
    default:
        ret_value->bytes = literal->bytes;
    }
    return LAM_STATUS_OK;
}

/* --- The test ------------------------------------------------------------------------------ */

/* Makes IN of the literals that the column can have; the others equal nothing and are dropped. */
static lam_status test_equality(const lam_typed_literal_list *list, lam_arena *arena,
                                lam_filter_test *test, lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(arena, list->count, sizeof(lam_bytes), &memory, error));
    lam_bytes *values = memory;
    test->kind = LAM_TEST_IN;
    test->value_count = 0;
    for (size_t i = 0; i < list->count; i++) {
        lam_value value;
        lam_literal_position found;
        LAM_TRY(literal_to_value(&list->items[i], test->leaf, arena, &value, &found, error));
        if (found == LAM_LITERAL_EXACT)
            LAM_TRY(lam_filter_copy_value(test->leaf, &value, arena, &values[test->value_count++],
                                          error));
    }
    test->values = values;
    test->value_count = lam_filter_sort_values(&test->order, values, test->value_count);
    return LAM_STATUS_OK;
}

/*
 * Adapts an operator to the value that literal_to_value gave. Between two values, less than the
 * literal is less than or equal to the lower one. Beyond all values, the comparison is true for
 * every value (ANY) or for none (IN an empty list). NOT_EQUAL is true for every value unless the
 * literal is exact.
 */
static lam_test_kind kind_at(lam_test_kind kind, lam_literal_position found) {
    bool is_less = kind == LAM_TEST_LESS || kind == LAM_TEST_LESS_OR_EQUAL;
    if (found == LAM_LITERAL_EXACT)
        return kind;
    if (found == LAM_LITERAL_ABOVE && kind != LAM_TEST_NOT_EQUAL)
        return is_less ? LAM_TEST_LESS_OR_EQUAL : LAM_TEST_GREATER;
    bool is_any = kind == LAM_TEST_NOT_EQUAL || is_less == (found == LAM_LITERAL_ABOVE_ALL);
    return is_any ? LAM_TEST_ANY : LAM_TEST_IN; /* of no value */
}

/*
 * Makes a test of an operator other than equality. Literals beyond all values leave no value to
 * compare with.
 */
static lam_status test_order(const lam_filter_path *path, const lam_typed_literal *literal,
                             lam_arena *arena, lam_filter_test *test, lam_error *error) {
    lam_value value;
    lam_literal_position found;
    void *memory;
    LAM_TRY(literal_to_value(literal, test->leaf, arena, &value, &found, error));
    test->kind = kind_at(path->comparison, found);
    if (found != LAM_LITERAL_EXACT && found != LAM_LITERAL_ABOVE)
        return LAM_STATUS_OK;
    LAM_TRY(lam_arena_alloc(arena, sizeof(lam_bytes), &memory, error));
    LAM_TRY(lam_filter_copy_value(test->leaf, &value, arena, memory, error));
    test->values = memory;
    test->value_count = lam_filter_needs_values(test);
    return LAM_STATUS_OK;
}

/* Without literals of the column's class every value compares as unknown. */
lam_status lam_filter_path_leaf_test(lam_filter_path *path, lam_variant_kind kind, lam_arena *arena,
                                     lam_filter_test *test, lam_error *error) {
    lam_literal_class class = lam_literal_class_of(kind);
    test->kind = LAM_TEST_UNKNOWN;
    test->leaf = path->last_leaf;
    test->order = lam_filter_order_of(test->leaf);
    test->path = path;
    if (class == LAM_LITERAL_NO_CLASS || path->literals[class].count == 0)
        return LAM_STATUS_OK;
    if (path->comparison == LAM_TEST_IN)
        return test_equality(&path->literals[class], arena, test, error);
    return test_order(path, &path->literals[class].items[0], arena, test, error);
}
