/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the wanted rows of all inputs: takes the inputs, a condition, and the columns of the rows,
 * and gives batches of rows, as columns of triples in `row_schema`, in the order of the inputs.
 *
 *     row group --scan--> ranges of rows --cut--> batches --leaf feeds--> triples --map--> sink
 *
 * The invariant: all leaves of a batch have the same rows. A batch has as many rows as the row
 * group's average suggests for a few MiB, so that rows of any size take bounded memory.
 */
#include "rewrite/flow/rewrite_flow.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "rewrite/flow/leaf_feed.h"
#include "scan/condition/filter_text_read.h"
#include "scan/rows/scan.h"
#include "schema/leaf_error.h"

enum {
    FLOW_ROWS = 4096,     /* of a batch, at most */
    FLOW_BYTES = 4 << 20, /* of a batch, about */
    FLOW_RANGES = 256     /* of a batch, at most: 4 KiB */
};

/* One input on its way. */
typedef struct flow_input {
    lam_rewrite *rewrite;
    const lam_row_sink *sink;
    const lam_reader *reader;
    lam_reader *shown; /* the same in the union of all inputs; NULL: it is that already */
    lam_read_session session;
    lam_filter *filter; /* NULL: all rows */
    lam_scan scan;
    lam_leaf_map *maps; /* by leaf of `row_schema`, as the next two are */
    lam_leaf_feed *feeds;
    lam_triples *columns;
    size_t row_group;
    uint64_t bound; /* of the memory of the feeds; 0: none */
    lam_feed_pace pace;
} flow_input;

/* --- Batches ------------------------------------------------------------------------------- */

/* Ranges of a batch, cut off those of the row group. */
typedef struct flow_batch {
    lam_row_range ranges[FLOW_RANGES];
    size_t count;
    uint64_t rows;
} flow_batch;

/* A position in the ranges of a row group. */
typedef struct flow_position {
    size_t range;
    uint64_t row; /* the first of it that is not done; 0 before the first range */
} flow_position;

static void cut_batch(const lam_row_ranges *ranges, uint64_t most, flow_position *at,
                      flow_batch *batch) {
    batch->count = 0;
    batch->rows = 0;
    while (at->range < lam_row_ranges_count(ranges) && batch->rows < most &&
           batch->count < FLOW_RANGES) {
        lam_row_range range = lam_row_ranges_at(ranges, at->range);
        range.begin = at->row > range.begin ? at->row : range.begin;
        if (range.end - range.begin > most - batch->rows)
            range.end = range.begin + (most - batch->rows);
        else
            at->range++;
        at->row = range.end;
        batch->ranges[batch->count++] = range;
        batch->rows += range.end - range.begin;
    }
}

/* Rows of a few MiB, by the footer; any statement in it gives a number that works. */
static uint64_t rows_of_batch(const flow_input *flow) {
    const lam_meta_row_group_view *group = lam_reader_row_group_view(flow->reader, flow->row_group);
    uint64_t bytes = group->total_byte_size > 0 ? (uint64_t)group->total_byte_size : 0;
    uint64_t rows = group->num_rows > 0 ? (uint64_t)group->num_rows : 1;
    uint64_t most = FLOW_BYTES / (bytes / rows + 1);
    return most > FLOW_ROWS ? FLOW_ROWS : most > 0 ? most : 1;
}

static lam_status flow_batch_rows(flow_input *flow, const flow_batch *batch, lam_error *error) {
    uint64_t bytes = 0;
    LAM_TRY(lam_stop_check(flow->rewrite->stop, error));
    for (size_t i = 0; i < flow->rewrite->row_schema->leaf_count; i++) {
        lam_leaf_feed *feed = &flow->feeds[i];
        lam_status status = lam_leaf_feed_read(feed, batch->ranges, batch->count, batch->rows,
                                               &flow->columns[i], error);
        if (status != LAM_STATUS_OK && feed->source != NULL)
            lam_error_at_leaf(error, flow->row_group, feed->source);
        LAM_TRY(status);
        if (flow->bound != 0)
            bytes +=
                lam_feed_byte_count(lam_leaf_at(flow->rewrite->row_schema, i), &flow->columns[i]);
    }
    lam_feed_pace_note(&flow->pace, bytes);
    LAM_TRY(lam_row_sink_take(flow->sink, flow->columns, (size_t)batch->rows, error));
    flow->rewrite->rows_taken += batch->rows;
    lam_rewrite_report_rows(flow->rewrite,
                            flow->rewrite->rows_before + batch->ranges[batch->count - 1].end);
    return LAM_STATUS_OK;
}

static lam_status open_feeds(flow_input *flow, lam_arena *arena, lam_error *error) {
    uint64_t index_bytes = 0;
    for (size_t i = 0; i < flow->rewrite->row_schema->leaf_count; i++) {
        const lam_leaf_map *map = &flow->maps[i];
        lam_column_cursor *cursor = NULL;
        const lam_field *source = NULL;
        if (map->source != LAM_LEAF_NONE) {
            source = lam_leaf_at(flow->reader->schema, (size_t)map->source);
            LAM_TRY(lam_scan_open_cursor(&flow->scan, flow->row_group, (size_t)map->source, arena,
                                         &index_bytes, &cursor, error));
        }
        lam_leaf_feed_start(&flow->feeds[i], cursor, source);
    }
    return LAM_STATUS_OK;
}

static void stop_feeds(flow_input *flow) {
    for (size_t i = 0; i < flow->rewrite->row_schema->leaf_count; i++)
        lam_leaf_feed_stop(&flow->feeds[i]);
}

static lam_status flow_group(flow_input *flow, lam_error *error) {
    flow_position at = {0, 0};
    flow_batch batch;
    LAM_TRY(lam_scan_group(&flow->scan, flow->row_group, error));
    if (flow->scan.ranges.rows == 0)
        return LAM_STATUS_OK;
    lam_arena arena = lam_reader_chunk_arena(&flow->session.reader);
    lam_status status = open_feeds(flow, &arena, error);
    flow->pace = lam_feed_pace_start(flow->bound, rows_of_batch(flow));
    while (status == LAM_STATUS_OK) {
        cut_batch(&flow->scan.ranges, flow->pace.rows, &at, &batch);
        if (batch.rows == 0)
            break;
        status = flow_batch_rows(flow, &batch, error);
    }
    stop_feeds(flow);
    lam_arena_finish(&arena);
    return status;
}

/* --- Inputs -------------------------------------------------------------------------------- */

static lam_status parse_input_condition(const lam_rewrite *rewrite, const lam_schema *schema,
                                        lam_filter **ret_filter, lam_error *error) {
    return lam_filter_text_read(schema, (const char *)rewrite->where.data, &rewrite->allocator,
                                ret_filter, error);
}

/* The condition is one of the union, as which the input is shown. */
static lam_status start_filter(flow_input *flow, lam_error *error) {
    if (flow->rewrite->where.size == 0)
        return LAM_STATUS_OK;
    return parse_input_condition(flow->rewrite, flow->reader->schema, &flow->filter, error);
}

/* The arrays of all leaves; finish_input frees those that were made, after a failure, too. */
static lam_status start_input(flow_input *flow, lam_error *error) {
    const lam_allocator *allocator = &flow->rewrite->allocator;
    size_t leaves = flow->rewrite->row_schema->leaf_count;
    LAM_TRY(LAM_ARRAY(allocator, leaves, &flow->maps, error));
    LAM_TRY(LAM_ARRAY(allocator, leaves, &flow->columns, error));
    LAM_TRY(LAM_ARRAY(allocator, leaves, &flow->feeds, error));
    lam_leaf_mapping mapping = lam_leaf_mapping_of(flow->rewrite->schema, flow->reader->schema);
    for (size_t i = 0; i < leaves; i++) {
        lam_leaf_map_fill(&flow->maps[i], &mapping, flow->rewrite->row_leaves.items[i],
                          lam_leaf_at(flow->rewrite->row_schema, i));
        lam_leaf_feed_init(&flow->feeds[i], &flow->maps[i], &flow->session.reader.allocator);
    }
    lam_scan_init(&flow->scan, &flow->session.reader, flow->filter, false);
    lam_scan_cache_pages(&flow->scan, NULL, lam_scan_cache_budget(&flow->session.reader, 1));
    return LAM_STATUS_OK;
}

static void finish_input(flow_input *flow) {
    const lam_allocator *allocator = &flow->rewrite->allocator;
    size_t leaves = flow->rewrite->row_schema->leaf_count;
    lam_scan_finish(&flow->scan);
    for (size_t i = 0; flow->feeds != NULL && i < leaves; i++)
        lam_leaf_feed_finish(&flow->feeds[i]);
    lam_free(allocator, flow->feeds, leaves * sizeof *flow->feeds);
    lam_free(allocator, flow->columns, leaves * sizeof *flow->columns);
    lam_free(allocator, flow->maps, leaves * sizeof *flow->maps);
}

static lam_status flow_one_input(lam_rewrite *rewrite, const lam_row_sink *sink, size_t index,
                                 lam_error *error) {
    flow_input flow = {.rewrite = rewrite, .sink = sink};
    LAM_TRY(lam_rewrite_open_input(rewrite, index, &flow.reader, error));
    const lam_reader *opened = flow.reader;
    lam_status status = lam_rewrite_show_input(rewrite, opened, &flow.shown, error);
    if (flow.shown != NULL)
        flow.reader = flow.shown;
    if (status == LAM_STATUS_OK)
        status = start_filter(&flow, error);
    lam_read_session_init(&flow.session, flow.reader, rewrite->stop);
    flow.bound = lam_budget_bound(&flow.reader->allocator);
    if (status == LAM_STATUS_OK)
        status = start_input(&flow, error);
    size_t count = flow.reader->footer.meta.row_groups.count;
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++) {
        flow.row_group = i;
        status = flow_group(&flow, error);
        rewrite->rows_before += lam_reader_rows_of_group(flow.reader, i);
        lam_rewrite_report_rows(rewrite, rewrite->rows_before);
    }
    finish_input(&flow);
    lam_filter_destroy(flow.filter);
    lam_reader_close(flow.shown);
    lam_rewrite_close_input(rewrite, index, opened);
    return lam_rewrite_blame(rewrite->inputs.items[index].name, status, error);
}

lam_status lam_rewrite_flow(lam_rewrite *rewrite, const lam_row_sink *sink, lam_error *error) {
    for (size_t i = 0; i < rewrite->inputs.count; i++)
        LAM_TRY(flow_one_input(rewrite, sink, i, error));
    return LAM_STATUS_OK;
}
