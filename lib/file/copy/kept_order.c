/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which bounds and sorting columns may be stated again: takes a file's footer, and the
 * options of the writer that takes its chunks, and gives those that hold in both. Nothing is ever
 * stated in another order than the one in which it was found. (parquet.thrift, ColumnOrder)
 */
#include "file/copy/kept_order.h"

#include "file/read/file_reader.h"
#include "meta/known_faults.h"
#include "schema/logical_type.h"

bool lam_kept_order_is_known(const lam_field *leaf, const lam_field *own) {
    return leaf->logical_type.kind != LAM_LOGICAL_UNRECOGNIZED ||
           (lam_logical_type_equals(&leaf->logical_type, &own->logical_type) &&
            leaf->physical_type == own->physical_type && leaf->type_length == own->type_length);
}

/* 0 if none is stated. */
static int32_t stated_order(const lam_reader *reader, size_t leaf_index) {
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    return orders->count == reader->schema->leaf_count ? orders->items[leaf_index].kind : 0;
}

bool lam_kept_order_is_stated(const lam_reader *reader, size_t leaf_index) {
    int32_t order = stated_order(reader, leaf_index);
    return order == LAM_META_COLUMN_ORDER_TYPE || order == LAM_META_COLUMN_ORDER_IEEE_754_TOTAL;
}

bool lam_kept_order_is_same(const lam_reader *reader, size_t leaf_index, const lam_field *own,
                            const lam_chunk_options *options) {
    const lam_field *leaf = lam_leaf_at(reader->schema, leaf_index);
    return lam_kept_order_is_known(leaf, own) &&
           stated_order(reader, leaf_index) == lam_chunk_column_order(leaf, options);
}

bool lam_kept_order_sorts(const lam_field *leaf, const lam_field *own, uint32_t faults) {
    return lam_kept_order_is_known(leaf, own) && !lam_known_faults_spoil_statistics(faults, leaf);
}
