/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and finishes the files that a rewrite writes: takes the rewrite's choices, and an output of
 * the caller's, and gives a writer with all of them, and, at the end, a complete file.
 *
 * The invariant: what the footer states about all row groups is true of each. So sorting columns
 * are stated only if the rewrite has sorted, up to the first that is not in the file or whose order
 * the format does not define (NaNs).
 */
#include "rewrite/rows/rewrite_file.h"

#include <string.h>

#include "base/error.h"
#include "file/copy/row_group_copy.h"
#include "io/system_copy.h"
#include "rewrite/rows/rewrite_keys.h"

/* The leaf of the rows for a leaf of the file, and the one of all inputs. */
static size_t leaf_of_all(const lam_rewrite *rewrite, size_t file_leaf) {
    return rewrite->row_leaves.items[rewrite->file_leaves.items[file_leaf]];
}

/* Choices were checked when they were made. */
static lam_status choose_leaf(const lam_rewrite *rewrite, lam_row_group_writer *group,
                              size_t file_leaf, lam_error *error) {
    const lam_rewrite_leaf *choice = &rewrite->leaves[leaf_of_all(rewrite, file_leaf)];
    const double usual = 0.01;
    if (choice->has_encoding)
        LAM_TRY(lam_row_group_writer_set_encoding(group, file_leaf, choice->encoding, error));
    if (choice->has_bloom || choice->had_bloom)
        LAM_TRY(lam_row_group_writer_set_bloom(group, file_leaf,
                                               choice->fpp > 0 ? choice->fpp : usual,
                                               choice->distinct_count, false, error));
    return LAM_STATUS_OK;
}

/* The leaf of the file that holds a leaf of all inputs; NULL when it is left out. */
static const lam_field *find_in_file(const lam_rewrite *rewrite, size_t leaf) {
    for (size_t i = 0; i < rewrite->file_schema->leaf_count; i++)
        if (leaf_of_all(rewrite, i) == leaf)
            return lam_leaf_at(rewrite->file_schema, i);
    return NULL;
}

static lam_status state_sort_keys(const lam_rewrite *rewrite, lam_row_group_writer *group,
                                  lam_error *error) {
    for (size_t i = 0; i < rewrite->keys.count; i++) {
        const lam_rewrite_key *key = &rewrite->keys.items[i];
        const lam_field *leaf = find_in_file(rewrite, key->leaf);
        if (leaf == NULL || rewrite->leaves[key->leaf].has_nans)
            return LAM_STATUS_OK;
        lam_value_order order =
            lam_value_order_of_rows(leaf, lam_chunk_column_order(leaf, &group->options));
        if (order.comparison == LAM_COMPARISON_UNDEFINED)
            return LAM_STATUS_OK;
        LAM_TRY(lam_row_sorting_add(&group->sorting, leaf, order, key->descending, key->nulls_first,
                                    error));
    }
    return LAM_STATUS_OK;
}

static lam_status set_up(lam_rewrite *rewrite, lam_rewrite_file *file, lam_error *error) {
    lam_row_group_writer *group = lam_writer_row_group(file->writer);
    lam_writer_set_copy(file->writer, lam_output_copy, &file->output);
    for (size_t i = 0; i < rewrite->file_schema->leaf_count; i++)
        LAM_TRY(choose_leaf(rewrite, group, i, error));
    LAM_TRY(state_sort_keys(rewrite, group, error));
    return lam_rewrite_give_key_values(rewrite, file->writer, error);
}

lam_status lam_rewrite_file_open(lam_rewrite *rewrite, const char *folder, uint64_t number,
                                 lam_rewrite_file *file, lam_error *error) {
    lam_output output = {0};
    memset(file, 0, sizeof *file);
    LAM_TRY(rewrite->target->open(rewrite->target->state, folder, number, &output, error));
    file->output = output;
    lam_status status =
        lam_writer_open(rewrite->file_schema, &output, &rewrite->writer, &file->writer, error);
    if (status != LAM_STATUS_OK) {
        lam_output_close(&output);
        file->writer = NULL;
        return status;
    }
    status = set_up(rewrite, file, error);
    if (status != LAM_STATUS_OK)
        lam_rewrite_file_close(file);
    return status;
}

lam_status lam_rewrite_file_finish(lam_rewrite *rewrite, lam_rewrite_file *file, lam_error *error) {
    LAM_TRY(lam_writer_finish(file->writer, error));
    rewrite->report.rows += lam_writer_record_count(file->writer);
    rewrite->report.bytes += lam_writer_bytes_written(file->writer);
    rewrite->report.files++;
    lam_rewrite_file_close(file);
    return LAM_STATUS_OK;
}

void lam_rewrite_file_close(lam_rewrite_file *file) {
    lam_writer_close(file->writer);
    file->writer = NULL;
}
