/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In: the footer of a file, and the options of the writer that takes its chunks. Out: what of the
 * bounds and sorting columns may be stated again. The invariant: nothing is stated in another order
 * than that in which it was found. (parquet.thrift, ColumnOrder)
 */
#include "file/kept_order.h"

#include "file/file_reader.h"
#include "meta/known_faults.h"

bool lam_kept_order_is_known(const lam_reader *reader, size_t leaf_index) {
    return lam_leaf_at(reader->schema, leaf_index)->logical_type.kind != LAM_LOGICAL_UNRECOGNIZED;
}

/* 0 where none is stated. */
static int32_t stated_order(const lam_reader *reader, size_t leaf_index) {
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    return orders->count == reader->schema->leaf_count ? orders->items[leaf_index].kind : 0;
}

bool lam_kept_order_is_stated(const lam_reader *reader, size_t leaf_index) {
    int32_t order = stated_order(reader, leaf_index);
    return order == LAM_META_COLUMN_ORDER_TYPE || order == LAM_META_COLUMN_ORDER_IEEE_754_TOTAL;
}

bool lam_kept_order_is_same(const lam_reader *reader, size_t leaf_index,
                            const lam_chunk_options *options) {
    return lam_kept_order_is_known(reader, leaf_index) &&
           stated_order(reader, leaf_index) ==
               lam_chunk_column_order(lam_leaf_at(reader->schema, leaf_index), options);
}

static bool sorting_stays_true(const lam_reader *reader, uint32_t faults, int32_t leaf_index) {
    return leaf_index >= 0 && (size_t)leaf_index < reader->schema->leaf_count &&
           lam_kept_order_is_known(reader, (size_t)leaf_index) &&
           !lam_known_faults_spoil_statistics(faults,
                                              lam_leaf_at(reader->schema, (size_t)leaf_index));
}

uint32_t lam_kept_order_sorting(const lam_reader *reader, uint32_t faults,
                                const lam_meta_sorting_column_list *columns) {
    uint32_t kept = 0;
    while (kept < columns->count &&
           sorting_stays_true(reader, faults, columns->items[kept].column_idx))
        kept++;
    return kept;
}
