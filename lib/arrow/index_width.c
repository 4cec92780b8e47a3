#include "arrow/index_width.h"

#include <lamella/reader.h>

#include "base/error.h"
#include "file/file_reader.h"

/* Values that indexes of a type can number; 0 where there is no need to count. */
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

/* Whether a failure is one of the machine, and not of the file. */
static bool index_width_is_grave(lam_status status) {
    return status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM;
}

/* The values of a chunk's dictionary page, 0 when it has none that can be read. */
static lam_status count_dictionary(const lam_reader *reader, size_t row_group, size_t leaf,
                                   int64_t *ret_count, lam_error *error) {
    lam_page_list *list;
    lam_page_info info = lam_page_info_default();
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

/* Whether a dictionary has more values than there is room for. */
static lam_status is_too_narrow(const lam_reader *reader, size_t leaf, int64_t capacity,
                                bool *ret_narrow, lam_error *error) {
    size_t groups = lam_reader_row_group_count(reader);
    *ret_narrow = false;
    for (size_t i = 0; i < groups && !*ret_narrow; i++) {
        const lam_meta_column *column;
        int64_t count;
        if (lam_reader_find_column(reader, i, leaf, &column, NULL) != LAM_STATUS_OK ||
            column->num_values <= capacity)
            continue;
        LAM_TRY(count_dictionary(reader, i, leaf, &count, error));
        *ret_narrow = count > capacity;
    }
    return LAM_STATUS_OK;
}

static lam_status index_width_choose(const lam_arrow_node *node, lam_arrow_field *field,
                                     const lam_reader *reader, lam_error *error) {
    int64_t capacity = field->is_dictionary ? capacity_of(field->index_kind) : 0;
    if (node->shape == LAM_ARROW_NODE_VALUE && capacity > 0) {
        bool narrow;
        LAM_TRY(is_too_narrow(reader, node->leaf->first_leaf, capacity, &narrow, error));
        if (narrow)
            field->index_kind = LAM_ARROW_INT32;
    }
    for (size_t i = 0; i < node->child_count; i++)
        LAM_TRY(index_width_choose(&node->children[i], &field->children[i], reader, error));
    return LAM_STATUS_OK;
}

lam_status lam_index_width_choose(lam_arrow_plan *plan, const lam_reader *reader,
                                  lam_error *error) {
    return index_width_choose(&plan->root, &plan->schema, reader, error);
}
