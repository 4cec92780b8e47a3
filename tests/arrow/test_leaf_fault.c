/* SPDX-License-Identifier: Apache-2.0 */
/* A value that cannot be converted is told with its leaf and row, which levels locate. */
#include "arrow/read/leaf_fault.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "support/test_file.h"

/* The example of the header: values in rows 0, 1, 2 and 2, counted from 0. */
Test(leaf_fault, rows_begin_up_to_the_entry_of_a_value) {
    static const uint8_t repetition[] = {0, 0, 1, 0, 0, 1}, definition[] = {1, 0, 1, 1, 0, 1};
    static const size_t with_both[] = {1, 2, 3, 4}, flat[] = {1, 3, 4, 6}, full[] = {1, 2, 2, 3};
    lam_schema *schema = lam_test_parse("message m { repeated int96 a; }");
    const lam_field *leaf = lam_schema_leaf(schema, 0);
    const lam_leaf_entries entries = {repetition, definition, 6}, of_rows = {NULL, definition, 6},
                           of_values = {repetition, NULL, 6}, plain = {NULL, NULL, 6};
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(lam_leaf_fault_row(leaf, &entries, i), with_both[i], "value %zu", i);
        cr_assert_eq(lam_leaf_fault_row(leaf, &of_rows, i), flat[i], "value %zu", i);
        cr_assert_eq(lam_leaf_fault_row(leaf, &of_values, i), full[i], "value %zu", i);
        cr_assert_eq(lam_leaf_fault_row(leaf, &plain, i), i + 1, "value %zu", i);
    }
    cr_assert_eq(lam_leaf_fault_row(leaf, &entries, 4), 4, "of fewer values the last row");
    lam_schema_destroy(schema);
}

Test(leaf_fault, messages_say_leaf_and_row_first) {
    lam_error error = lam_error_none();
    lam_schema *schema = lam_test_parse("message m { optional group g { optional int96 a; } }");
    const lam_field *leaf = lam_schema_leaf(schema, 0);
    lam_error_set(&error, LAM_STATUS_LIMIT, "too far");
    lam_leaf_fault_name(leaf, UINT64_C(1) << 33, &error);
    cr_assert_str_eq(error.message, "g.a: too far");
    cr_assert_eq(error.row, INT64_C(8589934592));
    cr_assert_eq(error.status, LAM_STATUS_LIMIT);
    lam_leaf_fault_name(leaf, UINT64_C(1) << 63, &error);
    cr_assert_eq(error.row, -1, "a row that no number says");
    lam_leaf_fault_name(leaf, 1, NULL);
    lam_schema_destroy(schema);
}
