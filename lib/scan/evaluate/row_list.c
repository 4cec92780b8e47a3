/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts ranges of wanted rows into the batches of a row cursor, and keeps these with their offsets.
 * Takes a position in ranges, and gives a list of batches, which holds a number of the next wanted
 * rows.
 *
 * The ranges are walked over once for all columns, since a filter with scattered matches leaves
 * about as many ranges as rows. The invariant: batches that are not whole have offsets, side by
 * side in the order of their rows.
 */
#include "scan/evaluate/row_list.h"

#include "base/error.h"

void lam_row_list_init(lam_row_list *list, const lam_allocator *allocator) {
    *list = (lam_row_list){0};
    LAM_LIST_INIT(&list->batches, allocator);
    LAM_LIST_INIT(&list->offsets, allocator);
}

void lam_row_list_finish(lam_row_list *list) {
    LAM_LIST_FINISH(&list->batches);
    LAM_LIST_FINISH(&list->offsets);
}

/* Appends the next batch of the cursor. */
static lam_status row_list_append(lam_row_list *list, lam_row_cursor *cursor, uint64_t most,
                                  uint64_t *left, lam_error *error) {
    const size_t room = LAM_ROW_BATCH_ROWS + LAM_ROW_OFFSETS_SLACK;
    LAM_TRY(LAM_LIST_RESERVE(&list->offsets, room, error));
    lam_row_list_item item = {.first_offset = list->offsets.count};
    cursor->offsets = list->offsets.items + item.first_offset;
    item.batch = lam_row_cursor_next(cursor, most);
    LAM_TRY(LAM_LIST_ADD(&list->batches, &item, error));
    if (!item.batch.is_whole)
        list->offsets.count += (size_t)item.batch.wanted_rows;
    *left -= item.batch.wanted_rows;
    return LAM_STATUS_OK;
}

lam_status lam_row_list_make(lam_row_list *list, const lam_row_cursor *start, uint64_t rows,
                             lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_row_cursor cursor;
    lam_row_cursor_init_offsets(&cursor, start->ranges, NULL);
    lam_row_cursor_go(&cursor, start);
    list->batches.count = 0;
    list->offsets.count = 0;
    for (uint64_t left = rows; left > 0;)
        LAM_TRY_OUT(row_list_append(list, &cursor, left, &left, error));
    cursor.offsets = NULL;
    list->end = cursor;
    return LAM_STATUS_OK;
out:
    list->batches.count = 0;
    return status;
}
