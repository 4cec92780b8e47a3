/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the values of a test: takes values in the form of lam_record_sink.put, checks that the
 * leaf can have them, and gives PLAIN bytes without a length, as statistics and dictionaries hold
 * them. Sorted by the filter's own order, they can be searched by halves.
 *
 *     INT32 7               07 00 00 00
 *     DOUBLE 1              00 00 00 00 00 00 F0 3F
 *     BYTE_ARRAY "ab"       61 62
 *
 * Afterwards lengths are always right for the leaf, so no comparison checks them again.
 */
#include "scan/condition/filter_values.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/sort.h"
#include "meta/metadata.h"

/*
 * Filters always compare by type order. A column of floats in IEEE 754 total order is compared so
 * too: for conditions -0 equals +0. INT96 is ordered only under a column order of its own.
 */
lam_value_order lam_filter_order_of(const lam_field *leaf) {
    return lam_value_order_of_rows(leaf, leaf->physical_type == LAM_PHYSICAL_INT96
                                             ? LAM_META_COLUMN_ORDER_INT96_TIMESTAMP
                                             : LAM_META_COLUMN_ORDER_TYPE);
}

/* Writes the PLAIN bytes of a number, little endian; gives how many. */
static size_t plain_number(const lam_field *leaf, const lam_value *value, uint8_t bytes[8]) {
    uint32_t bits32;
    uint64_t bits64;
    switch (leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        bytes[0] = value->boolean;
        return 1;
    case LAM_PHYSICAL_INT32:
        lam_store_le32(bytes, (uint32_t)value->int32);
        return 4;
    case LAM_PHYSICAL_FLOAT:
        memcpy(&bits32, &value->float32, sizeof bits32);
        lam_store_le32(bytes, bits32);
        return 4;
    case LAM_PHYSICAL_INT64:
        lam_store_le64(bytes, (uint64_t)value->int64);
        return 8;
    default:
        memcpy(&bits64, &value->float64, sizeof bits64);
        lam_store_le64(bytes, bits64);
        return 8;
    }
}

/* True of the types whose value is in the `bytes` member. */
static bool filter_values_is_bytes(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ||
           leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
           leaf->physical_type == LAM_PHYSICAL_INT96;
}

/* A decimal needs at least one byte, as no bytes have no sign; other byte arrays may be empty. */
lam_status lam_filter_copy_value(const lam_field *leaf, const lam_value *value, lam_arena *arena,
                                 lam_bytes *ret_plain, lam_error *error) {
    uint8_t number[8];
    lam_bytes plain = {number, 0};
    char *copy;
    if (filter_values_is_bytes(leaf))
        plain = value->bytes;
    else
        plain.size = plain_number(leaf, value, number);
    if (filter_values_is_bytes(leaf) && leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY &&
        plain.size != (size_t)leaf->type_length)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%.100s' has values of %d bytes, not %zu",
                 leaf->name, (int)leaf->type_length, plain.size);
    if (leaf->logical_type.kind == LAM_LOGICAL_DECIMAL && plain.size == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a decimal without bytes for field '%.100s'",
                 leaf->name);
    LAM_TRY(lam_arena_copy(arena, plain.data, plain.size, &copy, error));
    ret_plain->data = (const uint8_t *)copy;
    ret_plain->size = plain.size;
    return LAM_STATUS_OK;
}

static int order_values(const void *state, const void *a, const void *b) {
    return lam_filter_compare(state, *(const lam_bytes *)a, *(const lam_bytes *)b);
}

/* Keeps the first of equal values: of -0 and +0 either one. */
size_t lam_filter_sort_values(const lam_value_order *order, lam_bytes *values, size_t count) {
    lam_sort(values, count, sizeof *values, order_values, order);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || lam_filter_compare(order, values[kept - 1], values[i]) != 0)
            values[kept++] = values[i];
    return kept;
}

/*
 * Adapts a comparison to the position of its literal. Between two values, less than the literal is
 * less than or equal to the lower one. Beyond all values, the comparison is true for every value
 * (ANY) or for none (IN an empty list). NOT_EQUAL is true for every value unless the literal is
 * exact.
 */
static lam_test_kind kind_at(lam_test_kind kind, lam_literal_position position) {
    bool is_less = kind == LAM_TEST_LESS || kind == LAM_TEST_LESS_OR_EQUAL;
    if (position == LAM_LITERAL_EXACT)
        return kind;
    if (position == LAM_LITERAL_BETWEEN && kind != LAM_TEST_NOT_EQUAL)
        return is_less ? LAM_TEST_LESS_OR_EQUAL : LAM_TEST_GREATER;
    bool is_any = kind == LAM_TEST_NOT_EQUAL || is_less == (position == LAM_LITERAL_ABOVE_ALL);
    return is_any ? LAM_TEST_ANY : LAM_TEST_IN; /* of no value */
}

/* The values of a test, if it has any: an array of `count` at `values`. */
static void filter_values_set(lam_filter_test *test, lam_test_kind kind, lam_bytes *values,
                              size_t count) {
    test->kind = kind;
    test->values = values;
    test->value_count = lam_filter_needs_values(test) ? count : 0;
}

/*
 * Joins the two comparisons of BETWEEN, each adapted to the position of its literal. One that is
 * true for every value leaves the other; one that is true for none leaves none. From a value to
 * itself is equality, which Bloom filters know.
 */
static void filter_values_range(const lam_leaf_literal *literals, lam_bytes *values,
                                lam_filter_test *test) {
    lam_test_kind low = kind_at(LAM_TEST_GREATER_OR_EQUAL, literals[0].position);
    lam_test_kind high = kind_at(LAM_TEST_LESS_OR_EQUAL, literals[1].position);
    values[0] = literals[0].plain;
    values[1] = literals[1].plain;
    if (low == LAM_TEST_IN || high == LAM_TEST_IN) {
        filter_values_set(test, LAM_TEST_IN, values, 0);
    } else if (low == LAM_TEST_ANY) {
        filter_values_set(test, high, values + 1, 1);
    } else if (high == LAM_TEST_ANY) {
        filter_values_set(test, low, values, 1);
    } else {
        int order = lam_filter_compare(&test->order, values[0], values[1]);
        test->excludes_low = low == LAM_TEST_GREATER;
        if (order > 0 || (order == 0 && test->excludes_low))
            filter_values_set(test, LAM_TEST_IN, values, 0);
        else
            filter_values_set(test, order == 0 ? LAM_TEST_IN : LAM_TEST_BETWEEN, values,
                              order == 0 ? 1 : 2);
    }
}

/* Nothing equals a literal that is not exact: IN drops it. */
lam_status lam_filter_leaf_test(lam_test_kind kind, const lam_field *leaf,
                                const lam_leaf_literal *literals, size_t count, lam_arena *arena,
                                lam_filter_test *test, lam_error *error) {
    lam_bytes *values;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &values, error));
    size_t kept = 0;
    test->leaf = leaf;
    test->order = lam_filter_order_of(leaf);
    if (kind == LAM_TEST_BETWEEN) {
        filter_values_range(literals, values, test);
        return LAM_STATUS_OK;
    }
    for (size_t i = 0; i < count; i++)
        if (literals[i].position == LAM_LITERAL_EXACT ||
            (kind != LAM_TEST_IN && literals[i].position == LAM_LITERAL_BETWEEN))
            values[kept++] = literals[i].plain;
    test->kind = kind == LAM_TEST_IN ? kind : kind_at(kind, literals[0].position);
    test->values = values;
    test->value_count =
        lam_filter_needs_values(test) ? lam_filter_sort_values(&test->order, values, kept) : 0;
    return LAM_STATUS_OK;
}

/* Texts, and bytes that may be texts without an annotation. */
static bool filter_values_are_texts(const lam_field *leaf) {
    lam_logical_kind kind = leaf->logical_type.kind;
    bool is_text = kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM ||
                   kind == LAM_LOGICAL_JSON || kind == LAM_LOGICAL_NONE;
    return is_text && leaf->physical_type != LAM_PHYSICAL_INT96 && filter_values_is_bytes(leaf);
}

/* A prefix is the only value of LIKE, for metadata: matching uses the pattern alone. */
lam_status lam_filter_like_test(const lam_filter_pattern *pattern, const lam_field *leaf,
                                lam_arena *arena, lam_filter_test *test, lam_error *error) {
    bool is_any = pattern->is_prefix && pattern->prefix.size == 0;
    if (!filter_values_are_texts(leaf))
        LAM_FAIL(error, LAM_STATUS_INVALID, "values of field '%.150s' are no texts", leaf->name);
    lam_bytes *values;
    LAM_TRY(LAM_ARENA_NEW(arena, &values, error));
    values[0] = pattern->prefix;
    test->leaf = leaf;
    test->order = lam_filter_order_of(leaf);
    test->pattern = pattern;
    filter_values_set(test,
                      is_any              ? LAM_TEST_ANY
                      : pattern->is_whole ? LAM_TEST_IN
                                          : LAM_TEST_LIKE,
                      values, pattern->is_whole || pattern->prefix.size > 0);
    return LAM_STATUS_OK;
}
