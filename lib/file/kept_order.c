/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In: the footer of a file, and the options of the writer that takes its chunks. Out: what of the
 * bounds and sorting columns may be stated again. The invariant: nothing is stated in another order
 * than that in which it was found. (parquet.thrift, ColumnOrder)
 */
#include "file/kept_order.h"

#include "file/file_reader.h"

bool lam_kept_order_is_known(const lam_reader *reader, size_t leaf_index) {
    return lam_leaf_at(reader->schema, leaf_index)->logical_type.kind != LAM_LOGICAL_UNRECOGNIZED;
}

bool lam_kept_order_is_same(const lam_reader *reader, size_t leaf_index,
                            const lam_chunk_options *options) {
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    return lam_kept_order_is_known(reader, leaf_index) &&
           orders->count == reader->schema->leaf_count &&
           orders->items[leaf_index].kind ==
               lam_chunk_column_order(lam_leaf_at(reader->schema, leaf_index), options);
}

uint32_t lam_kept_order_sorting(const lam_reader *reader,
                                const lam_meta_sorting_column_list *columns) {
    uint32_t kept = 0;
    while (kept < columns->count && columns->items[kept].column_idx >= 0 &&
           (size_t)columns->items[kept].column_idx < reader->schema->leaf_count &&
           lam_kept_order_is_known(reader, (size_t)columns->items[kept].column_idx))
        kept++;
    return kept;
}
