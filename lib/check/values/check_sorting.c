/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the rows of a row group are in the order that its sorting columns state: reads these
 * columns side by side and compares each row with the one before it.
 *
 *   sorting columns a ascending, b descending      a 1  1  2  2
 *                                                  b 9  4  7  8   <- row 3: a equal, b rises
 *
 * Memory is one page per column and two values: nothing is sorted. Rows are compared by the columns
 * before the first that cannot be compared (a repeated one, or one without an order), since later
 * columns only order rows that are equal in the earlier ones. (parquet.thrift,
 * RowGroup.sorting_columns and SortingColumn)
 */
#include "check/values/check_sorting.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "check/chunk/check_cursor.h"
#include "check/footer/check_schema.h"
#include "stats/sort_key.h"

/* One sorting column, positioned at a row. */
typedef struct sort_cursor {
    const lam_field *leaf;
    lam_sort_key key;
    lam_column_cursor *reader; /* NULL for a column that cannot be compared */
    lam_triples batch;
    size_t triple;     /* in the batch: after the current row */
    size_t value;      /* in the batch: the next value, as nulls have none */
    bool is_null;      /* in the current row */
    lam_buffer bytes;  /* its value, PLAIN; a copy, as the batch goes */
    bool was_null;     /* in the row before */
    lam_buffer before; /* the value of that row */
} sort_cursor;

/* All sorting columns of one row group. */
typedef struct sort_check {
    lam_checker *checker;
    size_t row_group;
    lam_check_location location;
    sort_cursor *cursors;
    size_t count; /* cursors that are compared, or that must be closed */
    bool met_nan; /* reported once: NaN has no position in the order */
} sort_check;

/* Only columns with one value or null per row, in a known order, can be compared. */
static bool can_compare(const sort_cursor *cursor) {
    return cursor->leaf->max_repetition == 0 &&
           cursor->key.order.comparison != LAM_COMPARISON_UNDEFINED;
}

/*
 * Opens a column at the beginning of the row group. If the footer has no column orders, the order
 * that the type defines is meant.
 */
static lam_status open_cursor(sort_check *check, size_t index, const lam_meta_row_group *group,
                              lam_error *failure) {
    lam_checker *checker = check->checker;
    sort_cursor *cursor = &check->cursors[index];
    const lam_meta_sorting_column *sorting = &group->sorting_columns.items[index];
    bool stated;
    cursor->leaf = lam_leaf_at(checker->schema, (size_t)sorting->column_idx);
    int32_t column_order = lam_check_column_order(checker, cursor->leaf, &stated);
    cursor->key.order =
        lam_value_order_of_rows(cursor->leaf, stated ? column_order : LAM_META_COLUMN_ORDER_TYPE);
    cursor->key.descending = sorting->descending;
    cursor->key.nulls_first = sorting->nulls_first;
    lam_buffer_init(&cursor->bytes, &checker->allocator);
    lam_buffer_init(&cursor->before, &checker->allocator);
    if (!can_compare(cursor))
        return LAM_STATUS_OK;
    return lam_check_open_cursor(checker, (size_t)sorting->column_idx, &cursor->reader, failure);
}

/*
 * Goes to the next row and keeps the last one; the two buffers swap, so that no value is copied
 * twice.
 */
static lam_status check_sorting_advance(sort_cursor *cursor, lam_error *failure) {
    uint8_t scratch[LAM_VALUE_SCRATCH];
    /* The copy of the last row becomes `before`; its old memory is used for this row. */
    lam_buffer swap = cursor->before;
    cursor->before = cursor->bytes;
    cursor->bytes = swap;
    cursor->was_null = cursor->is_null;
    if (cursor->triple == cursor->batch.count) {
        LAM_TRY(lam_column_cursor_read(cursor->reader, SIZE_MAX, &cursor->batch, failure));
        cursor->triple = 0;
        cursor->value = 0;
        /* The number of rows is the row group's; the columns have been found to have as many. */
        /* unreachable: so that the column does not end before its row group */
        if (cursor->batch.count == 0)
            LAM_FAIL(failure, LAM_ERROR_CODE_CHUNK_ROWS, "the column ends before its row group");
    }
    /* The leaf is not repeated: each triple is a row, and a null is any level below the maximum. */
    const uint8_t *definition = cursor->batch.definition;
    cursor->is_null =
        definition != NULL && definition[cursor->triple] < cursor->leaf->max_definition;
    cursor->triple++;
    lam_buffer_clear(&cursor->bytes);
    if (cursor->is_null)
        return LAM_STATUS_OK;
    lam_bytes value =
        lam_value_plain(&cursor->key.order, cursor->batch.values, cursor->value++, scratch);
    return lam_buffer_append(&cursor->bytes, value.data, value.size, failure);
}

/*
 * Compares the current row with the one before, column by column, up to the first in which they
 * differ. False when it must not come after that row. `*ret_known` is false when a NaN decides,
 * which the format gives no position: then the row counts as in order.
 */
static bool in_order(const sort_check *check, size_t *ret_column, bool *ret_known) {
    *ret_known = true;
    for (size_t i = 0; i < check->count; i++) {
        const sort_cursor *cursor = &check->cursors[i];
        lam_sort_cell before = {cursor->was_null, lam_buffer_bytes(&cursor->before)};
        lam_sort_cell here = {cursor->is_null, lam_buffer_bytes(&cursor->bytes)};
        lam_sort_verdict verdict = lam_sort_key_compare(&cursor->key, before, here);
        *ret_column = i;
        *ret_known = verdict != LAM_SORT_UNKNOWN;
        /* The first column that differs decides. */
        if (verdict != LAM_SORT_EQUAL)
            return verdict != LAM_SORT_BEHIND;
    }
    return true;
}

/* The row of the row group, and the column that decided. */
static lam_check_location check_sorting_location_of(const sort_check *check, int64_t row,
                                                    size_t column) {
    lam_check_location location = lam_check_at_row(check->location, (uint64_t)row);
    location.column = (int32_t)check->cursors[column].leaf->first_leaf;
    return location;
}

/* Reported once per row group. */
static lam_status report_nan(sort_check *check, int64_t row, size_t column) {
    if (check->met_nan)
        return LAM_STATUS_OK;
    check->met_nan = true;
    return lam_check_report(check->checker, LAM_RULE_SORTING_UNVERIFIED,
                            check_sorting_location_of(check, row, column),
                            "the order of rows with NaN is not verified, because the format does "
                            "not say where NaNs go");
}

/*
 * Stops at the first row out of order. `*ret_failed` is true when `failure` says why a column could
 * not be read, as opposed to a status of the check.
 */
static lam_status walk_rows(sort_check *check, int64_t rows, lam_error *failure, bool *ret_failed) {
    for (int64_t row = 0; row < rows; row++) {
        size_t column = 0;
        bool known = true;
        for (size_t i = 0; i < check->count; i++) {
            lam_status status = check_sorting_advance(&check->cursors[i], failure);
            *ret_failed = status != LAM_STATUS_OK;
            if (*ret_failed)
                return status;
        }
        bool good = row == 0 || in_order(check, &column, &known);
        if (!known)
            LAM_TRY(report_nan(check, row, column));
        if (good)
            continue;
        return lam_check_report(
            check->checker, LAM_RULE_SORTING_ORDER, check_sorting_location_of(check, row, column),
            "the row does not follow the row before it by %s",
            check->cursors[column].key.descending ? "descending values" : "ascending values");
    }
    return LAM_STATUS_OK;
}

/*
 * Says why rows are compared by fewer columns than the row group names: too many of them, or one
 * that cannot be compared.
 */
static lam_status report_unverified(const sort_check *check, size_t stated) {
    lam_check_location location = check->location;
    char path[128];
    if (check->count == stated)
        return LAM_STATUS_OK;
    if (check->count == LAM_CHECK_SORTING_MOST)
        return lam_check_report(check->checker, LAM_RULE_SORTING_UNVERIFIED, location,
                                "the row group is sorted by %zu columns, and the order of the rows "
                                "is verified by the first %d",
                                stated, LAM_CHECK_SORTING_MOST);
    const lam_field *leaf = check->cursors[check->count].leaf;
    location.column = (int32_t)leaf->first_leaf;
    lam_field_path(leaf, path, sizeof path);
    return lam_check_report(check->checker, LAM_RULE_SORTING_UNVERIFIED, location,
                            "the order of the rows is verified by %zu of %zu sorting columns: %s "
                            "%s",
                            check->count, stated, path,
                            leaf->max_repetition > 0 ? "is repeated" : "has no order");
}

/*
 * Compares the rows by the columns before the first that cannot be compared. `count` is lowered for
 * the comparison and restored, because it also says what must be closed.
 */
static lam_status verify(sort_check *check, const lam_meta_row_group *group, lam_error *failure,
                         bool *ret_failed) {
    size_t opened = check->count;
    /* The columns up to the first that cannot be compared decide. */
    check->count = 0;
    while (check->count < opened && can_compare(&check->cursors[check->count]))
        check->count++;
    lam_status status = report_unverified(check, group->sorting_columns.count);
    if (status == LAM_STATUS_OK && check->count > 0)
        status = walk_rows(check, group->num_rows, failure, ret_failed);
    check->count = opened;
    return status;
}

/*
 * Opens the columns and verifies the rows. The columns were read completely before, so failures
 * here are want of memory or a failed input.
 */
static lam_status run(sort_check *check, const lam_meta_row_group *group, size_t wanted) {
    lam_error failure = lam_error_none();
    bool failed = false;
    for (size_t i = 0; i < wanted; i++) {
        check->count = i + 1; /* what must be closed */
        lam_status status = open_cursor(check, i, group, &failure);
        if (status != LAM_STATUS_OK)
            return lam_check_report_failure(check->checker, LAM_RULE_SORTING_ORDER, check->location,
                                            status, &failure);
    }
    lam_status status = verify(check, group, &failure, &failed);
    if (!failed)
        return status;
    return lam_check_report_failure(check->checker, LAM_RULE_SORTING_ORDER, check->location, status,
                                    &failure);
}

/* Only the first LAM_CHECK_SORTING_MOST columns are opened: each takes a page of memory. */
lam_status lam_check_sorting(lam_checker *checker, size_t row_group) {
    const lam_meta_row_group *group = &checker->group;
    sort_check check = {.checker = checker, .row_group = row_group};
    size_t count = group->sorting_columns.count;
    count = count < LAM_CHECK_SORTING_MOST ? count : LAM_CHECK_SORTING_MOST;
    check.location = lam_check_nowhere();
    /* unreachable: in a test, as this many row groups take a footer of 2 GiB */
    check.location.row_group = row_group <= INT32_MAX ? (int32_t)row_group : -1;
    LAM_TRY(LAM_ARRAY(&checker->allocator, count, &check.cursors, checker->error));
    lam_status status = run(&check, group, count);
    for (size_t i = 0; i < check.count; i++) {
        lam_column_cursor_destroy(check.cursors[i].reader);
        lam_buffer_finish(&check.cursors[i].bytes);
        lam_buffer_finish(&check.cursors[i].before);
    }
    lam_free(&checker->allocator, check.cursors, count * sizeof(sort_cursor));
    return status;
}
