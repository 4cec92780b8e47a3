/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out what is left of a reader's file: makes a survey of each damaged chunk, and a reader
 * that continues after the damage.
 *
 *     reader --copy--> reader over patched input, with surveys --> cursors that skip lost rows
 *
 * The invariant: every chunk was read to its end, with checksums compared, so that rows that no
 * survey lists as lost can be read. The caller's reader and its input are only read.
 */
#include "damage/salvage/salvage_losses.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "damage/chunk/run_chunk.h"
#include "scan/prune/trusted_metadata.h"
#include "schema/leaf_error.h"

/* --- Surveys ------------------------------------------------------------------------------- */

/* Whether a row group is the last one of a file that was cut off in it. */
static bool is_cut_group(const lam_reader *reader, size_t row_group) {
    return reader->cut_chunks > 0 && row_group + 1 == reader->footer.meta.row_groups.count;
}

/*
 * Failures that end a salvage; without an offset index or a page that cannot be read for other
 * reasons, it continues.
 */
static bool is_fatal(const lam_salvage *salvage, lam_status status) {
    return status == LAM_STATUS_NOMEM ||
           (status == LAM_STATUS_IO && !salvage->options.passes_unreadable);
}

/* Surveys a chunk that the footer describes. */
static lam_status survey_described(lam_salvage *salvage, size_t row_group, size_t leaf,
                                   const lam_meta_column_chunk *stated, lam_arena *arena,
                                   lam_page_survey **ret_survey, lam_error *error) {
    const lam_trusted_metadata_kinds kinds = {.offset_index = true};
    const lam_reader *reader = &salvage->session.reader;
    lam_trusted_metadata metadata = {0};
    lam_error failure = lam_error_none();
    lam_column_chunk chunk = lam_reader_chunk_of(reader, row_group, leaf, stated->meta_data);
    chunk.stop = salvage->options.stop != NULL ? salvage->options.stop : reader->stop;
    lam_status status =
        lam_trusted_metadata_of(reader, row_group, leaf, stated, kinds, arena, &metadata, &failure);
    if (is_fatal(salvage, status)) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    lam_survey_hints hints = {.locations = metadata.locations,
                              .count = status == LAM_STATUS_OK ? metadata.page_count : 0,
                              .has_crcs = salvage->has_crcs,
                              .is_divided = reader->is_divided,
                              .passes_unreadable = salvage->options.passes_unreadable,
                              .is_cut = is_cut_group(reader, row_group) &&
                                        leaf + 1 == reader->cut_chunks};
    return lam_page_survey_create(&chunk, hints, &salvage->patched, &reader->allocator, ret_survey,
                                  error);
}

enum { DERIVED_TRIPLES = 1024 }; /* read at once */

/* Reads all of a chunk. */
static lam_status read_through(const lam_salvage *salvage, size_t row_group, size_t leaf,
                               lam_error *error) {
    lam_column_cursor *cursor;
    lam_triples triples;
    LAM_TRY(lam_reader_open_cursor(&salvage->session.reader, row_group, leaf, &cursor, error));
    lam_status status;
    do
        status = lam_column_cursor_read(cursor, DERIVED_TRIPLES, &triples, error);
    while (status == LAM_STATUS_OK && triples.count > 0);
    lam_column_cursor_destroy(cursor);
    return status;
}

/* A derived chunk has no pages to survey: it is complete, or lost. */
static lam_status survey_derived(const lam_salvage *salvage, size_t row_group, size_t leaf,
                                 lam_page_survey **ret_survey, lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    lam_error failure = lam_error_none();
    lam_status status = read_through(salvage, row_group, leaf, &failure);
    if (status != LAM_STATUS_OK && !is_fatal(salvage, status) && status != LAM_STATUS_CANCELLED)
        return lam_page_survey_create_lost(lam_reader_rows_of_group(reader, row_group), &failure,
                                           &reader->allocator, ret_survey, error);
    if (error != NULL && status != LAM_STATUS_OK)
        *error = failure;
    return status;
}

/* Surveys a chunk; one that the footer does not describe, or has elsewhere, is lost. */
static lam_status survey_chunk(lam_salvage *salvage, size_t row_group, size_t leaf,
                               lam_page_survey **ret_survey, lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    lam_meta_column_chunk stated;
    lam_error failure = lam_error_none();
    if (lam_reader_derives(reader, leaf))
        return survey_derived(salvage, row_group, leaf, ret_survey, error);
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_status status = lam_reader_find_column(reader, row_group, leaf, &arena, &stated, &failure);
    if (is_cut_group(reader, row_group) && leaf >= reader->cut_chunks) {
        status = lam_error_set(&failure, LAM_ERROR_CODE_CHUNK_BYTES,
                               "the file ends before the pages of this column");
        lam_error_at_offset(&failure, reader->footer.offset);
    }
    if (status == LAM_STATUS_OK)
        status = survey_described(salvage, row_group, leaf, &stated, &arena, ret_survey, error);
    else if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    else if (status != LAM_STATUS_NOMEM)
        status = lam_page_survey_create_lost(lam_reader_rows_of_group(reader, row_group), &failure,
                                             &reader->allocator, ret_survey, error);
    lam_arena_finish(&arena);
    return status;
}

/* Whether the first data page of a list has a checksum. */
static lam_status find_crc(lam_page_list *list, bool *ret_has_crc, lam_error *error) {
    lam_page_info page = lam_page_info_default();
    bool more = true, is_data = false;
    while (!is_data) {
        LAM_TRY(lam_page_list_next(list, &page, &more, error));
        if (!more)
            return LAM_STATUS_OK;
        is_data = page.type != LAM_PAGE_DICTIONARY;
    }
    *ret_has_crc = page.has_crc;
    return LAM_STATUS_OK;
}

/* Whether the first data page of a chunk has a checksum; an unreadable one has none. */
static lam_status begins_with_crc(const lam_salvage *salvage, size_t row_group, size_t leaf,
                                  bool *ret_has_crc, lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    lam_page_list *list;
    lam_error failure = lam_error_none();
    lam_status status = lam_page_list_open(reader, row_group, leaf, &list, &failure);
    if (status == LAM_STATUS_OK) {
        status = find_crc(list, ret_has_crc, &failure);
        lam_page_list_close(list);
    }
    if (!is_fatal(salvage, status))
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

static lam_status survey_all(lam_salvage *salvage, lam_error *error) {
    size_t leaves = salvage->reader.schema->leaf_count;
    LAM_TRY(lam_salvage_find_displaced(salvage, error));
    for (size_t i = 0; i < salvage->survey_count && !salvage->has_crcs; i++)
        LAM_TRY(begins_with_crc(salvage, i / leaves, i % leaves, &salvage->has_crcs, error));
    for (size_t i = 0; i < salvage->survey_count; i++) {
        bool is_wanted = salvage->options.leaves == NULL || salvage->options.leaves[i % leaves];
        lam_status status = LAM_STATUS_OK;
        if (is_wanted && salvage->surveys[i] == NULL)
            status = survey_chunk(salvage, i / leaves, i % leaves, &salvage->surveys[i], error);
        if (status != LAM_STATUS_OK)
            lam_error_at_leaf(error, i / leaves, lam_leaf_at(salvage->reader.schema, i % leaves));
        LAM_TRY(status);
    }
    return LAM_STATUS_OK;
}

/* True when as many row groups contradict the schema of a leaf as have rows of it left. */
static bool is_contradicted(const lam_salvage *salvage, size_t leaf) {
    size_t contradict = 0, read = 0;
    for (size_t i = leaf; i < salvage->survey_count; i += salvage->reader.schema->leaf_count) {
        const lam_page_survey *survey = salvage->surveys[i];
        contradict += survey != NULL && survey->contradicts_schema;
        read += survey == NULL || survey->lost_rows < survey->row_count;
    }
    return contradict > 0 && contradict >= read;
}

/*
 * Loses the entire column if its pages contradict the schema in most row groups: they have the same
 * schema, and pages may happen to read as it states.
 */
static lam_status lose_contradicted(lam_salvage *salvage, lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    size_t leaves = reader->schema->leaf_count;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        if (!is_contradicted(salvage, leaf))
            continue;
        for (size_t i = leaf; i < salvage->survey_count; i += leaves) {
            lam_page_survey_destroy(salvage->surveys[i]);
            salvage->surveys[i] = NULL;
            LAM_TRY(lam_page_survey_create_contradicting(
                lam_leaf_at(reader->schema, leaf), i / leaves,
                lam_reader_rows_of_group(reader, i / leaves), &reader->allocator,
                &salvage->surveys[i], error));
        }
    }
    return LAM_STATUS_OK;
}

/* Lists what all columns have lost. */
static lam_status list_salvage_losses(lam_salvage *salvage, lam_error *error) {
    size_t leaves = salvage->reader.schema->leaf_count;
    for (size_t i = 0; i < salvage->survey_count; i++) {
        lam_column_loss one = {.row_group = i / leaves, .leaf = i % leaves};
        lam_salvage_losses losses;
        lam_salvage_losses_begin(&losses, salvage, one.row_group, one.leaf);
        while ((one.loss = lam_salvage_losses_peek(&losses)) != NULL) {
            LAM_TRY(LAM_LIST_ADD(&salvage->losses, &one, error));
            lam_salvage_losses_advance(&losses);
        }
    }
    return LAM_STATUS_OK;
}

/* --------------------------------------------------------------------------------------------- */

/* Sets up the copy of the reader; close is allowed from here on. */
static lam_status set_up_reader(lam_salvage *salvage, const lam_reader *reader, lam_error *error) {
    const lam_allocator *counted = &salvage->session.reader.allocator;
    lam_patched_input_init(&salvage->patched, &reader->input, &salvage->allocator);
    salvage->patched.stop = salvage->options.stop != NULL ? salvage->options.stop : reader->stop;
    salvage->reader = *reader;
    salvage->reader.input = salvage->patched.input;
    salvage->reader.verify_crc = true;
    lam_read_session_init(&salvage->session, &salvage->reader, salvage->options.stop);
    LAM_LIST_INIT(&salvage->clashes, counted);
    LAM_LIST_INIT(&salvage->losses, counted);
    LAM_LIST_INIT(&salvage->ranges, counted);
    LAM_LIST_INIT(&salvage->leaves, counted);
    size_t count = reader->footer.meta.row_groups.count * reader->schema->leaf_count;
    LAM_TRY(LAM_ARRAY(&salvage->allocator, count + 1, &salvage->surveys, error));
    salvage->survey_count = count;
    return LAM_STATUS_OK;
}

/* What the survey of a chunk has left of it. */
static lam_status derive_rest(const void *state, const lam_column_chunk *chunk,
                              const lam_allocator *allocator, lam_derived_chunk **ret_chunk,
                              lam_error *error) {
    const lam_page_survey *survey =
        lam_salvage_survey_of(state, chunk->row_group, chunk->leaf->first_leaf);
    return survey == NULL ? LAM_STATUS_OK
                          : lam_run_chunk_create(chunk, survey, allocator, ret_chunk, error);
}

lam_status lam_salvage_open(const lam_reader *reader, const lam_salvage_options *given,
                            lam_salvage **ret_salvage, lam_error *error) {
    lam_salvage_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_salvage_options, given, &options, error));
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    if ((unsigned)options.manner > LAM_SALVAGE_OPTIONAL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown manner %d", (int)options.manner);
    lam_allocator allocator = options.allocator != NULL ? *options.allocator : reader->allocator;
    lam_salvage *salvage;
    LAM_TRY(LAM_NEW(&allocator, &salvage, error));
    salvage->allocator = allocator;
    salvage->options = options;
    salvage->report = lam_salvage_report_default();
    lam_status status = set_up_reader(salvage, reader, error);
    if (status == LAM_STATUS_OK)
        status = survey_all(salvage, error);
    if (status == LAM_STATUS_OK)
        status = lose_contradicted(salvage, error);
    salvage->holes = (lam_reader_holes){salvage, derive_rest};
    salvage->reader.holes = &salvage->holes;
    if (status == LAM_STATUS_OK)
        status = lam_salvage_find_clashes(salvage, error);
    if (status == LAM_STATUS_OK)
        status = list_salvage_losses(salvage, error);
    if (status == LAM_STATUS_OK)
        status = lam_salvage_plan(salvage, error);
    if (status != LAM_STATUS_OK) {
        lam_salvage_close(salvage);
        return status;
    }
    salvage->options.leaves = NULL;
    *ret_salvage = salvage;
    return LAM_STATUS_OK;
}

void lam_salvage_close(lam_salvage *salvage) {
    if (salvage == NULL)
        return;
    lam_allocator allocator = salvage->allocator;
    for (size_t i = 0; i < salvage->survey_count; i++)
        lam_page_survey_destroy(salvage->surveys[i]);
    if (salvage->surveys != NULL)
        lam_free(&allocator, salvage->surveys,
                 (salvage->survey_count + 1) * sizeof(lam_page_survey *));
    LAM_LIST_FINISH(&salvage->clashes);
    LAM_LIST_FINISH(&salvage->losses);
    LAM_LIST_FINISH(&salvage->ranges);
    LAM_LIST_FINISH(&salvage->leaves);
    lam_patched_input_finish(&salvage->patched);
    lam_schema_destroy(salvage->schema);
    lam_free(&allocator, salvage, sizeof *salvage);
}

const lam_reader *lam_salvage_reader(const lam_salvage *salvage) {
    return &salvage->reader;
}

const lam_schema *lam_salvage_schema(const lam_salvage *salvage) {
    return salvage->schema;
}

/* --- Losses -------------------------------------------------------------------------------- */

static void describe_loss(const lam_page_loss *loss, lam_salvage_loss *ret_loss) {
    ret_loss->first_row = loss->first_row;
    ret_loss->row_count = loss->end_row - loss->first_row;
    ret_loss->page_count = loss->pages;
    /* No page begins at byte 0: there is none if levels contradict each other. */
    ret_loss->offset = loss->offset == 0 && loss->pages == 0 ? -1 : (int64_t)loss->offset;
    ret_loss->code = loss->error.code;
    ret_loss->message = loss->error.message;
    ret_loss->error = &loss->error;
}

lam_status lam_salvage_loss_at(const lam_salvage *salvage, size_t index, lam_salvage_loss *ret_loss,
                               lam_error *error) {
    lam_salvage_loss found = lam_salvage_loss_default();
    const lam_column_loss *all = salvage->losses.items;
    LAM_TRY(LAM_INFO_CHECK(lam_salvage_loss, ret_loss, error));
    if (index >= salvage->losses.count)
        LAM_FAIL(error, LAM_STATUS_NOT_FOUND, "there are no %zu losses", index + 1);
    found.row_group = all[index].row_group;
    found.leaf_index = all[index].leaf;
    describe_loss(all[index].loss, &found);
    return LAM_INFO_WRITE(lam_salvage_loss, &found, ret_loss, error);
}

lam_status lam_salvage_rows_at(const lam_salvage *salvage, size_t index, lam_salvage_rows *ret_rows,
                               lam_error *error) {
    lam_salvage_rows rows = lam_salvage_rows_default();
    const lam_salvage_range *ranges = salvage->ranges.items;
    LAM_TRY(LAM_INFO_CHECK(lam_salvage_rows, ret_rows, error));
    if (index >= salvage->ranges.count)
        LAM_FAIL(error, LAM_STATUS_NOT_FOUND, "there are no %zu ranges of rows", index + 1);
    rows.row_group = ranges[index].row_group;
    rows.first_row = ranges[index].begin;
    rows.row_count = ranges[index].end - ranges[index].begin;
    rows.columns_lost = ranges[index].lost;
    rows.is_left_out = ranges[index].is_left_out;
    return LAM_INFO_WRITE(lam_salvage_rows, &rows, ret_rows, error);
}

lam_status lam_salvage_report_of(const lam_salvage *salvage, lam_salvage_report *ret_report,
                                 lam_error *error) {
    LAM_TRY(LAM_INFO_CHECK(lam_salvage_report, ret_report, error));
    return LAM_INFO_WRITE(lam_salvage_report, &salvage->report, ret_report, error);
}
