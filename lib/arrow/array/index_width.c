/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses index types before any row is read: walks the fields of a plan and, for each dictionary
 * column with indexes of 8 or 16 bits, reads the header of the first page of its chunks, which is
 * the dictionary page if there is one (parquet.thrift, DictionaryPageHeader, num_values). The plan
 * has the index types of ARROW:schema, and gets int32 if the file needs it. No page body is read or
 * uncompressed.
 *
 * The choice is only ever a hint: values of PLAIN pages join the dictionary, too, and are not
 * counted here, so the conversion of indexes still checks each one (leaf_convert.c).
 */
#include "arrow/array/index_width.h"

#include <lamella/reader.h>

#include "base/error.h"
#include "base/recursion.h"
#include "file/read/file_reader.h"

/*
 * How many values indexes of this kind can number, from 0 to the kind's maximum; 0 for kinds of 32
 * bits and more, which number any dictionary that a chunk can have.
 */
static int64_t capacity_of(lam_arrow_kind index_kind) {
    switch (index_kind) {
    case LAM_ARROW_INT8:
        return (int64_t)INT8_MAX + 1;
    case LAM_ARROW_UINT8:
        return (int64_t)UINT8_MAX + 1;
    case LAM_ARROW_INT16:
        return (int64_t)INT16_MAX + 1;
    case LAM_ARROW_UINT16:
        return (int64_t)UINT16_MAX + 1;
    default:
        return 0;
    }
}

/*
 * Failures of the machine are passed on; failures of the file are left for those who read the
 * chunk.
 */
static bool index_width_is_grave(lam_status status) {
    return status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM;
}

/*
 * Reads how many values the dictionary page of a chunk announces; 0 when the chunk has none, or
 * none that can be read. A dictionary page precedes all data pages, so the first header is enough.
 */
static lam_status count_dictionary(const lam_reader *reader, size_t row_group, size_t leaf,
                                   int64_t *ret_count, lam_error *error) {
    lam_page_list *list;
    lam_page_info info = lam_page_info_default();
    /* Collected apart: a damaged chunk must leave no trace in the caller's error. */
    lam_error cause = lam_error_none();
    bool more = false;
    *ret_count = 0;
    lam_status status = lam_page_list_open(reader, row_group, leaf, &list, &cause);
    if (status == LAM_STATUS_OK) {
        status = lam_page_list_next(list, &info, &more, &cause);
        if (status == LAM_STATUS_OK && more && info.type == LAM_PAGE_DICTIONARY)
            *ret_count = info.value_count;
        lam_page_list_close(list);
    }
    if (!index_width_is_grave(status))
        return LAM_STATUS_OK;
    LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
}

/*
 * Checks whether some chunk of the leaf has a dictionary with more than `capacity` values. Stops at
 * the first one: one is enough to widen the type.
 */
static lam_status is_too_narrow(const lam_reader *reader, size_t leaf, int64_t capacity,
                                bool *ret_narrow, lam_error *error) {
    size_t groups = lam_reader_row_group_count(reader);
    *ret_narrow = false;
    for (size_t i = 0; i < groups && !*ret_narrow; i++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        lam_error cause = lam_error_none();
        int64_t count;
        lam_status status = lam_reader_column_chunk(reader, i, leaf, &info, &cause);
        if (index_width_is_grave(status))
            LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
        /* A dictionary has no use for more values than the chunk has: no header is read then. */
        if (status != LAM_STATUS_OK || info.value_count <= capacity)
            continue;
        LAM_TRY(count_dictionary(reader, i, leaf, &count, error));
        *ret_narrow = count > capacity;
    }
    return LAM_STATUS_OK;
}

/* Only fields that are dictionaries of one column have indexes to widen. */
LAM_APART static lam_status choose_width_of_leaf(const lam_arrow_node *node, lam_arrow_field *field,
                                                 const lam_reader *reader, lam_error *error) {
    int64_t capacity = field->is_dictionary ? capacity_of(field->index_kind) : 0;
    bool narrow = false;
    if (capacity > 0)
        LAM_TRY(is_too_narrow(reader, node->leaf->first_leaf, capacity, &narrow, error));
    if (narrow)
        field->index_kind = LAM_ARROW_INT32;
    return LAM_STATUS_OK;
}

/*
 * Nodes and fields are the same tree, so both are walked together; the depth is bounded by that of
 * the schema.
 */
static lam_status index_width_choose(const lam_arrow_node *node, lam_arrow_field *field,
                                     const lam_reader *reader, lam_error *error) {
    if (node->shape == LAM_ARROW_NODE_VALUE)
        return choose_width_of_leaf(node, field, reader, error);
    for (size_t i = 0; i < node->child_count; i++)
        LAM_TRY(index_width_choose(&node->children[i], &field->children[i], reader, error));
    return LAM_STATUS_OK;
}

lam_status lam_index_width_choose(lam_arrow_plan *plan, const lam_reader *reader,
                                  lam_error *error) {
    return index_width_choose(&plan->root, &plan->schema, reader, error);
}
