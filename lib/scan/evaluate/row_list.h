/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wanted rows of one batch as a list that all flat leaves read: made once, read by any number
 * of threads.
 *
 *     ranges    [10, 11)  [13, 15)  [900, 5000)
 *     batches   10 ... 14, offsets 0 3 4 | 900 ... 4999, whole
 */
#ifndef LAM_SCAN_EVALUATE_ROW_LIST_H
#define LAM_SCAN_EVALUATE_ROW_LIST_H

#include "scan/evaluate/row_cursor.h"

/* One batch of rows, and the position of its offsets in the list if it is not whole. */
typedef struct lam_row_list_item {
    lam_row_batch batch;
    size_t first_offset;
} lam_row_list_item;

typedef struct lam_row_list {
    LAM_LIST(lam_row_list_item) batches;
    LAM_LIST(uint16_t) offsets; /* wanted rows, from the first row of their batch */
    lam_row_cursor end;         /* after the last row, without offsets */
} lam_row_list;

void lam_row_list_init(lam_row_list *list, const lam_allocator *allocator);
void lam_row_list_finish(lam_row_list *list);

/*
 * Lists the `rows` wanted rows that follow a cursor, which must have that many left, and forgets
 * those before. The list is valid until the next call. NOMEM, LIMIT; the list is empty then.
 */
lam_status lam_row_list_make(lam_row_list *list, const lam_row_cursor *start, uint64_t rows,
                             lam_error *error);

static inline size_t lam_row_list_count(const lam_row_list *list) {
    return list->batches.count;
}

static inline const lam_row_list_item *lam_row_list_at(const lam_row_list *list, size_t index) {
    return &list->batches.items[index];
}

/* The offsets of a batch, as many as its wanted rows; NULL if it is whole. */
static inline const uint16_t *lam_row_list_offsets(const lam_row_list *list,
                                                   const lam_row_list_item *item) {
    return item->batch.is_whole ? NULL : list->offsets.items + item->first_offset;
}

#endif
