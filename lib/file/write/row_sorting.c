/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the rows of each row group with the sorting columns that the caller states, as the rows
 * are written. Takes triples column by column, and gives INVALID for the first row that should
 * precede the row before it.
 *
 * Because a column arrives without its neighbours, each column leaves one verdict per row (see the
 * picture in row_sorting.h), and rows are decided once all columns have theirs. The invariant:
 * between two decisions every sorting column has as many verdicts as rows were added to it, and
 * `last` holds its value of the latest row. Memory is one byte per row of a batch and column, plus
 * one value per column. (parquet.thrift, SortingColumn)
 */
#include "file/write/row_sorting.h"

#include <inttypes.h>

#include "base/error.h"
#include "schema/leaf_error.h"
#include "schema/tree.h"

/* Without `checks` there are no columns, so the functions below do nothing. */
void lam_row_sorting_init(lam_row_sorting *sorting, bool checks, const lam_allocator *allocator) {
    sorting->allocator = *allocator;
    LAM_LIST_INIT(&sorting->stated, allocator);
    LAM_LIST_INIT(&sorting->columns, allocator);
    sorting->checks = checks;
    sorting->row = 0;
    sorting->row_group = 0;
}

void lam_row_sorting_finish(lam_row_sorting *sorting) {
    for (size_t i = 0; i < sorting->columns.count; i++) {
        lam_buffer_finish(&sorting->columns.items[i].last);
        lam_buffer_finish(&sorting->columns.items[i].verdicts);
    }
    LAM_LIST_FINISH(&sorting->stated);
    LAM_LIST_FINISH(&sorting->columns);
}

/* Room for the statement is reserved first: after a NOMEM neither list has the column. */
lam_status lam_row_sorting_add(lam_row_sorting *sorting, const lam_field *leaf,
                               lam_value_order order, bool descending, bool nulls_first,
                               lam_error *error) {
    lam_meta_sorting_column stated = {0};
    stated.column_idx = (int32_t)leaf->first_leaf;
    stated.descending = descending;
    stated.nulls_first = nulls_first;
    LAM_TRY(LAM_LIST_RESERVE(&sorting->stated, 1, error));
    if (sorting->checks) {
        lam_sorting_state column = {.leaf = leaf, .key = {order, descending, nulls_first}};
        lam_buffer_init(&column.last, &sorting->allocator);
        lam_buffer_init(&column.verdicts, &sorting->allocator);
        LAM_TRY(LAM_LIST_ADD(&sorting->columns, &column, error));
    }
    return LAM_LIST_ADD(&sorting->stated, &stated, error);
}

/* --- One column ---------------------------------------------------------------------------- */

/*
 * Compares a cell with the one in the row before it, appends the verdict and remembers the cell.
 * The first row of a row group comes before nothing, so LAM_SORT_BEFORE serves as its verdict: it
 * is in order whatever the other columns have.
 */
static lam_status check_cell(lam_sorting_state *column, lam_sort_cell cell, lam_error *error) {
    lam_sort_cell last = {column->last_is_null, lam_buffer_bytes(&column->last)};
    lam_sort_verdict verdict =
        column->has_last ? lam_sort_key_compare(&column->key, last, cell) : LAM_SORT_BEFORE;
    LAM_TRY(lam_buffer_append_byte(&column->verdicts, (uint8_t)verdict, error));
    column->has_last = true;
    column->last_is_null = cell.is_null;
    lam_buffer_clear(&column->last);
    if (cell.is_null)
        return LAM_STATUS_OK;
    return lam_buffer_append(&column->last, cell.value.data, cell.value.size, error);
}

/*
 * Gives a verdict for each triple. Sorting columns do not repeat, so a triple is a row; a
 * definition level below the maximum is a null, whichever level it is.
 */
static lam_status row_sorting_check_rows(lam_sorting_state *column, const lam_triples *triples,
                                         lam_error *error) {
    size_t value = 0;
    LAM_TRY(lam_buffer_reserve(&column->verdicts, triples->count, error));
    for (size_t i = 0; i < triples->count; i++) {
        uint8_t scratch[LAM_VALUE_SCRATCH];
        lam_sort_cell cell = {triples->definition != NULL &&
                                  triples->definition[i] < column->leaf->max_definition,
                              {NULL, 0}};
        if (!cell.is_null)
            cell.value = lam_value_plain(&column->key.order, triples->values, value++, scratch);
        LAM_TRY(check_cell(column, cell, error));
    }
    return LAM_STATUS_OK;
}

/* Leaves that rows are not sorted by cost a scan of this short list per batch. */
lam_status lam_row_sorting_check(lam_row_sorting *sorting, size_t leaf_index,
                                 const lam_triples *triples, lam_error *error) {
    for (size_t i = 0; i < sorting->columns.count; i++)
        if (sorting->columns.items[i].leaf->first_leaf == leaf_index)
            return row_sorting_check_rows(&sorting->columns.items[i], triples, error);
    return LAM_STATUS_OK;
}

/* --- All columns --------------------------------------------------------------------------- */

/* Says which row is out of order and by which column. The row counts from the start of the file. */
static lam_status row_sorting_refuse(const lam_row_sorting *sorting,
                                     const lam_sorting_state *column, size_t row, bool is_nan,
                                     lam_error *error) {
    if (is_nan)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_ORDER,
                 "row %" PRIu64
                 ", counted from 0, or the row before it has a NaN in '%.100s', by which rows are "
                 "sorted, and only IEEE 754 total order gives a NaN a position",
                 sorting->row + row, column->leaf->name);
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_ORDER,
             "row %" PRIu64 ", counted from 0, is out of order after the row before it: '%.100s' "
             "must be in %s order, nulls %s",
             sorting->row + row, column->leaf->name,
             column->key.descending ? "descending" : "ascending",
             column->key.nulls_first ? "first" : "last");
}

/*
 * Decides one row: the first column whose verdict is not EQUAL decides it, as in any comparison by
 * several keys. Equal in all columns is in order. NaNs give UNKNOWN, which cannot be sorted.
 */
static lam_status row_sorting_decide(const lam_row_sorting *sorting, size_t row, lam_error *error) {
    for (size_t i = 0; i < sorting->columns.count; i++) {
        const lam_sorting_state *column = &sorting->columns.items[i];
        lam_sort_verdict verdict = (lam_sort_verdict)column->verdicts.data[row];
        if (verdict == LAM_SORT_EQUAL)
            continue;
        if (verdict == LAM_SORT_BEFORE)
            return LAM_STATUS_OK;
        lam_status status =
            row_sorting_refuse(sorting, column, row, verdict == LAM_SORT_UNKNOWN, error);
        lam_error_at_leaf(error, (size_t)sorting->row_group, column->leaf);
        lam_error_at_row(error, (size_t)sorting->row_group, sorting->row + row);
        return status;
    }
    return LAM_STATUS_OK;
}

/* Decides the rows since the last call and forgets their verdicts. */
lam_status lam_row_sorting_decide(lam_row_sorting *sorting, uint64_t rows, lam_error *error) {
    if (sorting->columns.count > 0)
        for (uint64_t row = 0; row < rows; row++)
            LAM_TRY(row_sorting_decide(sorting, (size_t)row, error));
    for (size_t i = 0; i < sorting->columns.count; i++)
        lam_buffer_clear(&sorting->columns.items[i].verdicts);
    sorting->row += rows;
    return LAM_STATUS_OK;
}

/* `last` keeps its memory; has_last says that it no longer counts. */
void lam_row_sorting_restart(lam_row_sorting *sorting) {
    for (size_t i = 0; i < sorting->columns.count; i++)
        sorting->columns.items[i].has_last = false;
    sorting->row_group++;
}
