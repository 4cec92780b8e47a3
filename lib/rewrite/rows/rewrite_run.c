/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries out a rewrite: writes the outputs from its inputs and choices.
 *
 *     row groups stay     inputs --chunk by chunk--> one file               (rewrite_keep.c)
 *     rows move           inputs --rows--> [sort] --> [divide] --> files    (rewrite_flow.c, ...)
 *
 * The consequences of the choices for the entire run are found here first: the columns on their way
 * and in the files, the codec, and orders of bounds that let statistics stay true. No byte is ever
 * written before all choices are known to be possible.
 */
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/options.h"
#include "file/write/writer_options.h"
#include "rewrite/flow/rewrite_state.h"
#include "rewrite/rows/rewrite_divide.h"
#include "rewrite/rows/rewrite_keep.h"
#include "rewrite/sort/sorter.h"
#include "schema/schema_choose.h"

enum { RUN_ROW_GROUP_BYTES = 128 << 20 };

/* --- Columns ------------------------------------------------------------------------------- */

static bool is_partition_leaf(const lam_rewrite *rewrite, size_t leaf) {
    for (size_t i = 0; i < rewrite->partitions.count; i++)
        if (rewrite->partitions.items[i] == leaf)
            return true;
    return false;
}

static bool is_key(const lam_rewrite *rewrite, size_t leaf) {
    for (size_t i = 0; i < rewrite->keys.count; i++)
        if (rewrite->keys.items[i].leaf == leaf)
            return true;
    return false;
}

/* Marks leaves of all columns: those of the files, and those of the rows on their way. */
static lam_status mark_chosen_leaves(const lam_rewrite *rewrite, bool *in_rows, bool *in_files,
                                     lam_error *error) {
    bool any = false;
    for (size_t i = 0; i < rewrite->schema->leaf_count; i++) {
        bool is_chosen = !rewrite->leaves[i].is_left_out;
        in_files[i] = is_chosen && !is_partition_leaf(rewrite, i);
        in_rows[i] = is_chosen || is_partition_leaf(rewrite, i) || is_key(rewrite, i);
        any = any || in_files[i];
    }
    if (!any && rewrite->schema->leaf_count > 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no column is left beside the partitions");
    return LAM_STATUS_OK;
}

/* Lists leaves that are marked: the number of each, counted among those that `among` marks. */
static lam_status list_marked_leaves(lam_leaf_list *list, const bool *marked, const bool *among,
                                     size_t count, lam_error *error) {
    size_t number = 0;
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (marked[i])
            LAM_TRY(LAM_LIST_ADD(list, &number, error));
        number += among == NULL || among[i];
    }
    return LAM_STATUS_OK;
}

static lam_status choose_schemas(lam_rewrite *rewrite, lam_error *error) {
    lam_status status;
    size_t leaves = rewrite->schema->leaf_count;
    LAM_LIST(bool) marks;
    LAM_LIST_INIT(&marks, &rewrite->allocator);
    LAM_TRY_OUT(LAM_LIST_RESERVE(&marks, 2 * leaves + 1, error));
    bool *in_rows = marks.items, *in_files = in_rows + leaves;
    LAM_TRY_OUT(mark_chosen_leaves(rewrite, in_rows, in_files, error));
    LAM_TRY_OUT(lam_schema_choose(rewrite->schema, in_rows, &rewrite->allocator,
                                  &rewrite->row_schema, error));
    LAM_TRY_OUT(lam_schema_choose(rewrite->schema, in_files, &rewrite->allocator,
                                  &rewrite->file_schema, error));
    LAM_TRY_OUT(list_marked_leaves(&rewrite->row_leaves, in_rows, NULL, leaves, error));
    LAM_TRY_OUT(list_marked_leaves(&rewrite->file_leaves, in_files, in_rows, leaves, error));
out:
    LAM_LIST_FINISH(&marks);
    return status;
}

/* --- Options ------------------------------------------------------------------------------- */

/*
 * Follows the first input that has rows: its codec, unless one was chosen; its orders of bounds;
 * its Bloom filters. (parquet.thrift, ColumnOrder)
 */
static lam_status follow_chunk(lam_rewrite *rewrite, const lam_reader *reader, size_t leaf,
                               lam_error *error) {
    lam_chunk_room room;
    lam_meta_column_chunk chunk;
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    lam_writer_options *writer = &rewrite->writer;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_status status = lam_reader_find_column(reader, 0, leaf, &arena, &chunk, error);
    if (status == LAM_STATUS_OK) {
        lam_codec codec = (lam_codec)(chunk.meta_data->codec + 1);
        if (rewrite->keeps_codec && writer->codec == LAM_CODEC_DEFAULT && codec > 0 &&
            codec <= LAM_CODEC_LZ4_RAW && lam_codec_check_write(codec, 0, NULL) == LAM_STATUS_OK)
            writer->codec = codec;
        rewrite->leaves[leaf].had_bloom =
            (chunk.meta_data->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0;
    }
    lam_arena_finish(&arena);
    if (orders->count == reader->schema->leaf_count) {
        writer->float_total_order =
            writer->float_total_order ||
            orders->items[leaf].kind == LAM_META_COLUMN_ORDER_IEEE_754_TOTAL;
        writer->int96_order = writer->int96_order ||
                              orders->items[leaf].kind == LAM_META_COLUMN_ORDER_INT96_TIMESTAMP;
    }
    return status;
}

/* Leaves of the first input have the numbers of the union only if that has no others. */
static lam_status follow_inputs(lam_rewrite *rewrite, lam_error *error) {
    const lam_reader *reader;
    if (!lam_schema_same_shape(rewrite->schema, rewrite->inputs.items[0].schema))
        return LAM_STATUS_OK;
    LAM_TRY(lam_rewrite_open_input(rewrite, 0, &reader, error));
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < reader->schema->leaf_count && status == LAM_STATUS_OK &&
                       reader->footer.meta.row_groups.count > 0;
         i++)
        if (!rewrite->leaves[i].is_left_out)
            status = follow_chunk(rewrite, reader, i, error);
    status = lam_rewrite_blame(rewrite->inputs.items[0].name, status, error);
    lam_rewrite_close_input(rewrite, 0, reader);
    return status;
}

static lam_status choose_options(lam_rewrite *rewrite, lam_error *error) {
    lam_writer_options *writer = &rewrite->writer;
    rewrite->keeps_codec = writer->codec == LAM_CODEC_DEFAULT && writer->codec_level == 0;
    rewrite->chooses_compat = writer->compat != LAM_COMPAT_DEFAULT;
    rewrite->encodes_all = writer->page_bytes != 0 || writer->page_rows != 0 ||
                           writer->dictionary_bytes != 0 || writer->data_page_version != 0 ||
                           writer->dictionary != LAM_SWITCH_DEFAULT ||
                           writer->delta != LAM_SWITCH_DEFAULT || writer->auto_bloom_filters;
    if (!rewrite->keeps_codec && writer->codec == LAM_CODEC_DEFAULT)
        writer->codec = LAM_CODEC_ZSTD;
    LAM_TRY(follow_inputs(rewrite, error));
    if (writer->codec == LAM_CODEC_DEFAULT)
        writer->codec = LAM_CODEC_ZSTD;
    if (!rewrite->chooses_compat)
        writer->compat = lam_writer_compat_of(rewrite->file_schema);
    return LAM_STATUS_OK;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static bool moves_rows(const lam_rewrite *rewrite) {
    return rewrite->where.size > 0 || rewrite->keys.count > 0 || rewrite->partitions.count > 0 ||
           rewrite->split_rows != 0 || rewrite->split_bytes != 0 ||
           rewrite->writer.row_group_bytes != 0 || rewrite->writer.row_group_rows != 0;
}

/* Passes rows that are sorted on, and reports them. */
typedef struct sorted_rows {
    lam_rewrite *rewrite;
    const lam_row_sink *sink;
} sorted_rows;

static lam_status sorted_rows_take(void *state, const lam_triples *columns, size_t rows,
                                   lam_error *error) {
    const sorted_rows *sorted = state;
    LAM_TRY(lam_row_sink_take(sorted->sink, columns, rows, error));
    sorted->rewrite->rows_before += rows;
    lam_rewrite_report_rows(sorted->rewrite, sorted->rewrite->rows_before);
    return LAM_STATUS_OK;
}

/* Sorts, and opens no output before all rows are there: then the order to state is known. */
static lam_status sort_rows(lam_rewrite *rewrite, const lam_row_sink *sink, lam_error *error) {
    lam_sorter *sorter;
    LAM_TRY(lam_sorter_create(rewrite, rewrite->keys.items, rewrite->keys.count,
                              rewrite->memory_limit / 2, &sorter, error));
    lam_row_sink collect = lam_sorter_sink(sorter);
    lam_status status = lam_rewrite_flow(rewrite, &collect, error);
    if (status == LAM_STATUS_OK) {
        sorted_rows sorted = {rewrite, sink};
        const lam_row_sink reporting = {&sorted, sorted_rows_take};
        rewrite->done.rows_total = rewrite->rows_before + rewrite->rows_taken;
        lam_sorter_note_nans(sorter);
        status = lam_sorter_give(sorter, &reporting, error);
    }
    lam_sorter_destroy(sorter);
    return status;
}

/* A row group is at most a share of the limit while it is in memory. */
static lam_status move_rows(lam_rewrite *rewrite, lam_error *error) {
    lam_row_divider *divider;
    uint64_t share = rewrite->memory_limit / 2;
    if (rewrite->writer.row_group_bytes == 0)
        rewrite->writer.row_group_bytes = share < RUN_ROW_GROUP_BYTES ? share : RUN_ROW_GROUP_BYTES;
    LAM_TRY(lam_row_divider_create(rewrite, &divider, error));
    lam_row_sink sink = lam_row_divider_sink(divider);
    lam_status status = rewrite->keys.count > 0 ? sort_rows(rewrite, &sink, error)
                                                : lam_rewrite_flow(rewrite, &sink, error);
    if (status == LAM_STATUS_OK)
        status = lam_row_divider_finish(divider, error);
    lam_row_divider_destroy(divider);
    return status;
}

lam_status lam_rewrite_run(lam_rewrite *rewrite, const lam_rewrite_target *target,
                           lam_rewrite_report *ret_report, lam_error *error) {
    if (rewrite == NULL || rewrite->schema == NULL)
        LAM_FAIL(error, LAM_STATUS_STATE, "there are no inputs");
    if (rewrite->has_run)
        LAM_FAIL(error, LAM_STATUS_STATE, "the rewrite has run");
    if (target == NULL || target->open == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no target (NULL)");
    if (ret_report != NULL)
        LAM_TRY(LAM_INFO_CHECK(lam_rewrite_report, ret_report, error));
    LAM_TRY(lam_rewrite_set_split(rewrite, rewrite->split_rows, rewrite->split_bytes, error));
    rewrite->has_run = true;
    rewrite->target = target;
    rewrite->done.struct_size = sizeof rewrite->done;
    for (size_t i = 0; i < rewrite->inputs.count; i++)
        rewrite->done.rows_total += rewrite->inputs.items[i].rows;
    if (rewrite->keys.count > 0)
        rewrite->done.rows_total *= 2;
    LAM_TRY(choose_schemas(rewrite, error));
    LAM_TRY(choose_options(rewrite, error));
    LAM_TRY(moves_rows(rewrite) ? move_rows(rewrite, error)
                                : lam_rewrite_keep_groups(rewrite, error));
    rewrite->report.struct_size = sizeof rewrite->report;
    if (ret_report != NULL)
        return LAM_INFO_WRITE(lam_rewrite_report, &rewrite->report, ret_report, error);
    return LAM_STATUS_OK;
}
