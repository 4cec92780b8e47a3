/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what is left of a file: takes a salvage, and a writer of its schema, and writes the rows
 * that are not left out, row group by row group, with nulls where columns are lost.
 *
 *     rows     [0, 500)   [500, 900)        [900, 1000)
 *     leaf a   read       read              left out
 *     leaf b   read       null, as a shows  left out
 *
 * The invariant: all leaves of a batch have the same rows, each read through a cursor that fails at
 * a lost row.
 */
#include <string.h>

#include "arrow/schema/ipc_schema.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "damage/salvage/salvage_state.h"
#include "file/copy/row_group_copy.h"
#include "file/write/file_writer.h"
#include "rewrite/flow/leaf_feed.h"
#include "schema/leaf_error.h"
#include "schema/tree.h"

enum { SALVAGE_ROWS = 4096 /* at once */ };

/* A leaf of the output: the column itself, or nulls beside another one. */
typedef struct salvage_feed {
    lam_leaf_map map; /* of the column */
    lam_leaf_map null_map;
    lam_leaf_feed whole;
    lam_leaf_feed nulls;
    bool is_null; /* in the current rows */
} salvage_feed;

typedef struct salvage_writer {
    const lam_salvage *salvage;
    lam_writer *writer;
    salvage_feed *feeds; /* by leaf */
    size_t leaf_count;
    lam_feed_pace pace;
} salvage_writer;

/* --- Feeds --------------------------------------------------------------------------------- */

static lam_status start_feed(const salvage_writer *work, lam_leaf_feed *feed, size_t row_group,
                             int32_t leaf, lam_error *error) {
    const lam_reader *reader = &work->salvage->reader;
    lam_column_cursor *cursor = NULL;
    lam_leaf_feed_stop(feed);
    if (leaf < 0) {
        lam_leaf_feed_start(feed, NULL, NULL);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_reader_open_cursor(reader, row_group, (size_t)leaf, &cursor, error));
    lam_leaf_feed_start(feed, cursor, lam_leaf_at(reader->schema, (size_t)leaf));
    return LAM_STATUS_OK;
}

/* The map from the levels of the guide to those of a leaf below a field that is null. */
static void map_nulls(const salvage_writer *work, salvage_feed *feed,
                      const lam_salvage_leaf *leaf) {
    const lam_salvage *salvage = work->salvage;
    const lam_field *field = &salvage->reader.schema->fields[leaf->null_field];
    const lam_field *parent = lam_parent_of(field);
    lam_leaf_map *map = &feed->null_map;
    *map = feed->map;
    map->is_absent = true;
    map->is_same = false;
    map->source = leaf->guide;
    map->max_repetition = parent->max_repetition;
    unsigned null_level = salvage->schema->fields[field->index].max_definition - 1u;
    for (unsigned d = parent->max_definition; d <= UINT8_MAX; d++)
        map->definition[d] = (uint8_t)null_level;
}

/*
 * Chooses the feeds for a range of rows. A feed of nulls is started again if its guide may have
 * changed; the column's feed continues, and its cursor skips to the rows. A feed whose gathered
 * rows are of another leaf than before must not be used for it.
 */
static lam_status choose_feeds(salvage_writer *work, const lam_salvage_range *rows,
                               lam_error *error) {
    const lam_salvage_leaf *leaves = NULL;
    if (rows->leaves != SIZE_MAX)
        leaves = work->salvage->leaves.items + rows->leaves;
    for (size_t i = 0; i < work->leaf_count; i++) {
        salvage_feed *feed = &work->feeds[i];
        feed->is_null = leaves != NULL && leaves[i].null_field != 0;
        if (!feed->is_null)
            continue;
        lam_leaf_feed_finish(&feed->nulls);
        map_nulls(work, feed, &leaves[i]);
        lam_leaf_feed_init(&feed->nulls, &feed->null_map, &work->salvage->allocator);
        LAM_TRY(start_feed(work, &feed->nulls, rows->row_group, leaves[i].guide, error));
    }
    return LAM_STATUS_OK;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static lam_status write_salvaged_batch(salvage_writer *work, size_t row_group, lam_row_range range,
                                       lam_error *error) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < work->leaf_count; i++) {
        salvage_feed *feed = &work->feeds[i];
        lam_triples triples;
        lam_status status = lam_leaf_feed_read(feed->is_null ? &feed->nulls : &feed->whole, &range,
                                               1, range.end - range.begin, &triples, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_row(error, row_group, range.begin);
            lam_error_at_leaf(error, row_group, lam_leaf_at(work->salvage->schema, i));
        }
        LAM_TRY(status);
        LAM_TRY(lam_writer_add_leaf(work->writer, i, &triples, error));
        if (work->pace.bytes != 0)
            bytes += lam_feed_byte_count(lam_leaf_at(work->salvage->schema, i), &triples);
    }
    lam_feed_pace_note(&work->pace, bytes);
    return LAM_STATUS_OK;
}

static lam_status write_salvaged_range(salvage_writer *work, const lam_salvage_range *rows,
                                       lam_error *error) {
    const lam_stop *stop = work->salvage->options.stop;
    LAM_TRY(choose_feeds(work, rows, error));
    for (uint64_t at = rows->begin; at < rows->end;) {
        size_t most;
        LAM_TRY(lam_stop_check(stop, error));
        LAM_TRY(lam_writer_start_rows(work->writer, rows->end - at, &most, error));
        most = most < work->pace.rows ? most : (size_t)work->pace.rows;
        lam_row_range range = {at, at + most};
        LAM_TRY(write_salvaged_batch(work, rows->row_group, range, error));
        LAM_TRY(lam_writer_end_rows(work->writer, most, error));
        at = range.end;
    }
    return LAM_STATUS_OK;
}

/* Starts the feeds of all columns that have any row left. */
static lam_status begin_salvaged_group(salvage_writer *work, size_t row_group, lam_error *error) {
    for (size_t i = 0; i < work->leaf_count; i++) {
        const lam_page_survey *survey = lam_salvage_survey_of(work->salvage, row_group, i);
        lam_leaf_feed_stop(&work->feeds[i].whole);
        if (survey == NULL || survey->lost_rows < survey->row_count)
            LAM_TRY(start_feed(work, &work->feeds[i].whole, row_group, (int32_t)i, error));
    }
    return LAM_STATUS_OK;
}

static lam_status write_salvaged_groups(salvage_writer *work, lam_error *error) {
    const lam_salvage *salvage = work->salvage;
    const lam_salvage_range *rows = salvage->ranges.items;
    size_t count = salvage->ranges.count;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || rows[i].row_group != rows[i - 1].row_group)
            LAM_TRY(begin_salvaged_group(work, rows[i].row_group, error));
        if (!rows[i].is_left_out)
            LAM_TRY(write_salvaged_range(work, &rows[i], error));
        if (i + 1 == count || rows[i + 1].row_group != rows[i].row_group)
            LAM_TRY(lam_writer_end_row_group(work->writer, error));
    }
    return LAM_STATUS_OK;
}

/* --------------------------------------------------------------------------------------------- */

/*
 * Makes a new value of ARROW:schema, which no checksum covers; empty if it cannot be read, or does
 * not match the columns that are written. (Arrow columnar format, "Schema message")
 */
static lam_status renew_arrow_schema(const lam_salvage *salvage, lam_arena *arena, lam_bytes value,
                                     lam_bytes *ret_value, lam_error *error) {
    lam_arrow_field schema;
    lam_error failure = lam_error_none();
    const lam_field *root = lam_schema_root(salvage->reader.schema);
    bool is_same = salvage->schema == salvage->reader.schema;
    *ret_value = (lam_bytes){NULL, 0};
    lam_status status = lam_ipc_schema_read(value, arena, &schema, &failure);
    is_same = is_same && status == LAM_STATUS_OK && schema.child_count == root->child_count;
    for (size_t i = 0; is_same && i < root->child_count; i++)
        is_same = strcmp(schema.children[i].name, lam_child_at(root, i)->name) == 0;
    if (is_same)
        status = lam_ipc_schema_write(&schema, arena, ret_value, &failure);
    if (status != LAM_STATUS_NOMEM)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

static lam_status give_salvaged_keys(const salvage_writer *work, lam_error *error) {
    static const char arrow[] = "ARROW:schema";
    const lam_reader *reader = &work->salvage->reader;
    const lam_meta_key_value_list *all = &reader->footer.meta.key_value_metadata;
    lam_status status = LAM_STATUS_OK;
    lam_arena arena = lam_reader_chunk_arena(reader);
    for (uint32_t i = 0; i < all->count && status == LAM_STATUS_OK; i++) {
        lam_meta_key_value pair = all->items[i];
        const lam_meta_key_value_list one = {&pair, 1};
        bool is_arrow =
            pair.key.size == sizeof arrow - 1 && memcmp(pair.key.data, arrow, pair.key.size) == 0;
        if (is_arrow)
            status = renew_arrow_schema(work->salvage, &arena, pair.value, &pair.value, error);
        if (status == LAM_STATUS_OK && (!is_arrow || pair.value.size > 0))
            status = lam_writer_copy_key_values(work->writer, &one, error);
    }
    lam_arena_finish(&arena);
    return status;
}

static lam_status init_feeds(salvage_writer *work, lam_error *error) {
    const lam_salvage *salvage = work->salvage;
    lam_leaf_mapping mapping = lam_leaf_mapping_of(salvage->schema, salvage->reader.schema);
    LAM_TRY(LAM_ARRAY(&salvage->allocator, work->leaf_count + 1, &work->feeds, error));
    for (size_t i = 0; i < work->leaf_count; i++) {
        salvage_feed *feed = &work->feeds[i];
        lam_leaf_map_fill(&feed->map, &mapping, i, lam_leaf_at(salvage->schema, i));
        lam_leaf_feed_init(&feed->whole, &feed->map, &salvage->allocator);
        lam_leaf_feed_init(&feed->nulls, &feed->null_map, &salvage->allocator);
    }
    return LAM_STATUS_OK;
}

static void finish_feeds(salvage_writer *work) {
    if (work->feeds == NULL)
        return;
    for (size_t i = 0; i < work->leaf_count; i++) {
        lam_leaf_feed_finish(&work->feeds[i].whole);
        lam_leaf_feed_finish(&work->feeds[i].nulls);
    }
    lam_free(&work->salvage->allocator, work->feeds, (work->leaf_count + 1) * sizeof(salvage_feed));
}

lam_status lam_salvage_write(const lam_salvage *salvage, lam_writer *writer, lam_error *error) {
    lam_status status;
    if (salvage == NULL || writer == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no salvage, or no writer (NULL)");
    salvage_writer work = {
        .salvage = salvage, .writer = writer, .leaf_count = salvage->schema->leaf_count};
    work.pace = lam_feed_pace_start(lam_budget_bound(lam_writer_allocator(writer)), SALVAGE_ROWS);
    LAM_TRY(lam_writer_check_schemas(lam_writer_schema(writer), salvage->schema,
                                     "file that is salvaged", error));
    LAM_TRY(give_salvaged_keys(&work, error));
    LAM_TRY_OUT(init_feeds(&work, error));
    LAM_TRY_OUT(write_salvaged_groups(&work, error));
out:
    finish_feeds(&work);
    return status;
}
