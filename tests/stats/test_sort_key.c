/* SPDX-License-Identifier: Apache-2.0 */
/* The order of rows by one column: descending, nulls first or last, NaNs and zeros. */
#include "stats/sort_key.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/metadata.h"
#include "support/test_file.h"

static lam_sort_verdict compare(const char *schema_text, int32_t column_order, bool descending,
                                bool nulls_first, const double *first, const double *second) {
    uint8_t room[2][8];
    lam_sort_cell cells[2] = {{first == NULL, {room[0], 8}}, {second == NULL, {room[1], 8}}};
    const double *numbers[2] = {first, second};
    lam_schema *schema = lam_test_parse(schema_text);
    for (int i = 0; i < 2; i++) {
        uint64_t bits = 0;
        if (numbers[i] != NULL)
            memcpy(&bits, numbers[i], sizeof bits);
        lam_store_le64(room[i], bits);
    }
    lam_sort_key key = {lam_value_order_of(lam_schema_leaf(schema, 0), column_order), descending,
                        nulls_first};
    lam_sort_verdict verdict = lam_sort_key_compare(&key, cells[0], cells[1]);
    lam_schema_destroy(schema);
    return verdict;
}

#define DOUBLES "message m { optional double a; }"
#define BY(ORDER, DESCENDING, NULLS_FIRST, A, B)                                                   \
    compare(DOUBLES, LAM_META_COLUMN_ORDER_##ORDER, DESCENDING, NULLS_FIRST, A, B)

static const double one = 1, two = 2, minus_zero = -0.0, zero = 0;

Test(sort_key, descending_turns_values_around_and_leaves_nulls_where_they_are) {
    cr_expect_eq(BY(TYPE, false, false, &one, &two), LAM_SORT_BEFORE);
    cr_expect_eq(BY(TYPE, true, false, &one, &two), LAM_SORT_BEHIND);
    cr_expect_eq(BY(TYPE, true, false, &one, &one), LAM_SORT_EQUAL);
    for (int descending = 0; descending < 2; descending++) {
        cr_expect_eq(BY(TYPE, descending, true, NULL, &one), LAM_SORT_BEFORE);
        cr_expect_eq(BY(TYPE, descending, true, &one, NULL), LAM_SORT_BEHIND);
        cr_expect_eq(BY(TYPE, descending, false, NULL, &one), LAM_SORT_BEHIND);
        cr_expect_eq(BY(TYPE, descending, false, &one, NULL), LAM_SORT_BEFORE);
        cr_expect_eq(BY(TYPE, descending, false, NULL, NULL), LAM_SORT_EQUAL);
    }
}

Test(sort_key, a_nan_has_a_place_in_total_order_only) {
    const double nan = (double)NAN;
    cr_expect_eq(BY(TYPE, false, false, &nan, &one), LAM_SORT_UNKNOWN);
    cr_expect_eq(BY(TYPE, false, false, &one, &nan), LAM_SORT_UNKNOWN);
    cr_expect_eq(BY(TYPE, false, true, NULL, &nan), LAM_SORT_BEFORE);
    cr_expect_eq(BY(IEEE_754_TOTAL, false, false, &one, &nan), LAM_SORT_BEFORE);
    cr_expect_eq(BY(IEEE_754_TOTAL, true, false, &one, &nan), LAM_SORT_BEHIND);
}

Test(sort_key, zeros_differ_in_total_order_only) {
    cr_expect_eq(BY(TYPE, false, false, &zero, &minus_zero), LAM_SORT_EQUAL);
    cr_expect_eq(BY(IEEE_754_TOTAL, false, false, &zero, &minus_zero), LAM_SORT_BEHIND);
}
