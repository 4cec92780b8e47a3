/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens readers of column chunks that have been checked, for walkers that need several columns side
 * by side.
 *
 * The readers have the same regard for the known faults of the writer as all others, so that a
 * column that was read without loss can be read again.
 */
#include "check/chunk/check_cursor.h"

#include "base/error.h"
#include "meta/known_faults.h"

/* The readers of this library work around the same fault (ARROW-17100). */
bool lam_check_hides_compression(const lam_checker *checker) {
    return (lam_known_faults(checker->footer.meta.created_by) & LAM_FAULT_V2_COMPRESSION) != 0;
}

bool lam_check_has_sequels(const lam_checker *checker, const lam_field *leaf) {
    uint32_t faults = lam_known_faults(checker->footer.meta.created_by);
    return (lam_known_faults_of_leaf(faults, leaf) & LAM_FAULT_SEQUEL_PAGES) != 0;
}

/* Without verify_crc: checksums have been compared when the chunk was checked. */
lam_status lam_check_open_cursor(const lam_checker *checker, size_t leaf_index,
                                 lam_column_cursor **ret_cursor, lam_error *failure) {
    lam_column_chunk chunk = {0};
    chunk.kernels = checker->kernels;
    chunk.input = checker->input;
    chunk.leaf = lam_leaf_at(checker->schema, leaf_index);
    chunk.column = checker->group.columns.items[leaf_index].meta_data;
    chunk.limit = checker->footer.offset;
    chunk.row_group = checker->row_group;
    chunk.row_count = (uint64_t)checker->group.num_rows;
    chunk.memory_limit = checker->memory_limit;
    chunk.stop = checker->stop;
    chunk.hides_compression = lam_check_hides_compression(checker);
    chunk.has_sequels = lam_check_has_sequels(checker, chunk.leaf);
    return lam_column_cursor_create(&chunk, &checker->allocator, ret_cursor, failure);
}
