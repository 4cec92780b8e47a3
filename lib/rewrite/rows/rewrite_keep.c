/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites files whose row groups stay as they are: takes the inputs, one after the other, and
 * writes one file with all their row groups, making each chunk in the cheapest way that is correct:
 *
 *     copied         pages and codec stay
 *     recompressed   only the codec changes
 *     encoded        levels, types, encodings, pages or Bloom filters change; the column is new; or
 *                    the pages have a fault that readers correct by the name of the file's writer,
 *                    or begin inside records, where an index or V2 forbids it
 *
 * At most one chunk is ever in memory, and none while it is copied.
 */
#include "rewrite/rows/rewrite_keep.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "file/copy/copy_faults.h"
#include "file/copy/inside_records.h"
#include "file/copy/row_group_copy.h"
#include "meta/known_faults.h"
#include "rewrite/flow/leaf_feed.h"
#include "rewrite/rows/rewrite_file.h"
#include "schema/leaf_error.h"

enum { KEEP_ROWS = 4096 /* at once, of a chunk that is encoded */ };

/* One input on its way. */
typedef struct keep_input {
    lam_rewrite *rewrite;
    lam_rewrite_file *file;
    const lam_reader *reader;
    lam_reader *shown;        /* the same in the union of all inputs; NULL: it is that already */
    lam_read_session session; /* of the one from which values are read */
    lam_leaf_map *maps;       /* by leaf of the file: from the input as it is */
    lam_chunk_job *jobs;      /* likewise */
    size_t row_group;
} keep_input;

/* --- How a chunk is made ------------------------------------------------------------------- */

/* Encodings that readers of a preset lack, as bits; writer_options.c has the same rule. */
static bool suits_compat(lam_compat compat, const lam_meta_column *column) {
    const uint32_t deltas =
        1u << LAM_ENCODING_DELTA_BINARY_PACKED | 1u << LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY |
        1u << LAM_ENCODING_DELTA_BYTE_ARRAY | 1u << LAM_ENCODING_BYTE_STREAM_SPLIT;
    uint32_t refused = compat == LAM_COMPAT_NEWEST ? 0 : 1u << LAM_ENCODING_ALP;
    if (compat == LAM_COMPAT_MAX)
        refused |= deltas;
    bool is_wide = column->type != LAM_PHYSICAL_FLOAT && column->type != LAM_PHYSICAL_DOUBLE;
    if (compat != LAM_COMPAT_NEWEST && is_wide)
        refused |= 1u << LAM_ENCODING_BYTE_STREAM_SPLIT;
    for (uint32_t i = 0; i < column->encodings.count; i++) {
        int32_t encoding = column->encodings.items[i];
        if (encoding < 0 || encoding >= 32 || (refused & 1u << encoding) != 0)
            return false;
    }
    return true;
}

/* The writer is another one, by whose name no reader corrects pages. */
static lam_status has_faults(const keep_input *keep, size_t source, bool *ret_has,
                             lam_error *error) {
    lam_error failure = lam_error_none();
    lam_status status = lam_copy_check_faults(keep->reader, keep->row_group, source,
                                              keep->reader->faults, &failure);
    *ret_has = status == LAM_STATUS_UNSUPPORTED && failure.code == LAM_ERROR_CODE_NONE;
    if (status == LAM_STATUS_OK || *ret_has)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

/* As above, of pages that no reader corrects. A chunk that is nowhere fails when it is copied. */
static lam_status is_inside_records(const keep_input *keep, size_t source,
                                    const lam_meta_column_chunk *chunk, bool *ret_is,
                                    lam_error *error) {
    const lam_reader *reader = keep->reader;
    lam_chunk_range range;
    lam_inside_records inside = {0};
    if (lam_chunk_find(chunk->meta_data, reader->footer.offset, &range, NULL) == LAM_STATUS_OK)
        LAM_TRY(lam_inside_records_find(reader, lam_leaf_at(reader->schema, source), chunk, range,
                                        &inside, error));
    *ret_is = inside.by_index || inside.in_v2;
    return LAM_STATUS_OK;
}

/* The number of a leaf of the file in the union of all inputs. */
static size_t leaf_of_union(const lam_rewrite *rewrite, size_t leaf) {
    return rewrite->row_leaves.items[rewrite->file_leaves.items[leaf]];
}

/* Chooses by the footer's statements about the chunk; `arena` is for that alone. */
static lam_status choose_manner(const keep_input *keep, size_t leaf, lam_arena *arena,
                                lam_chunk_manner *ret_manner, lam_error *error) {
    const lam_rewrite *rewrite = keep->rewrite;
    const lam_leaf_map *map = &keep->maps[leaf];
    const lam_rewrite_leaf *choice = &rewrite->leaves[leaf_of_union(rewrite, leaf)];
    lam_meta_column_chunk chunk;
    bool is_faulty;
    *ret_manner = LAM_CHUNK_ENCODED;
    if (!map->is_same || choice->has_encoding || choice->has_bloom || rewrite->encodes_all)
        return LAM_STATUS_OK;
    LAM_TRY(lam_reader_find_column(keep->reader, keep->row_group, (size_t)map->source, arena,
                                   &chunk, error));
    if (rewrite->writer.compat != LAM_COMPAT_DEFAULT && rewrite->chooses_compat &&
        !suits_compat(rewrite->writer.compat, chunk.meta_data))
        return LAM_STATUS_OK;
    LAM_TRY(has_faults(keep, (size_t)map->source, &is_faulty, error));
    if (!is_faulty)
        LAM_TRY(is_inside_records(keep, (size_t)map->source, &chunk, &is_faulty, error));
    if (is_faulty)
        return LAM_STATUS_OK;
    bool has_codec = chunk.meta_data->codec == (int32_t)rewrite->writer.codec - 1 &&
                     rewrite->writer.codec_level == 0;
    *ret_manner = rewrite->keeps_codec || has_codec ? LAM_CHUNK_COPIED : LAM_CHUNK_RECOMPRESSED;
    return LAM_STATUS_OK;
}

/* True when rows in the order of the source are in the leaf's order, too. */
static bool keeps_source(const lam_leaf_map *map) {
    return !map->is_absent && map->whole == NULL && map->change.how <= LAM_VALUE_TO_BYTES;
}

static lam_status choose_jobs(keep_input *keep, lam_error *error) {
    lam_rewrite *rewrite = keep->rewrite;
    lam_chunk_room room;
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < rewrite->file_schema->leaf_count && status == LAM_STATUS_OK; i++) {
        const lam_leaf_map *map = &keep->maps[i];
        lam_chunk_job *job = &keep->jobs[i];
        lam_arena arena = lam_reader_chunk_arena_in(keep->reader, &room);
        job->source = keeps_source(map) ? (size_t)map->source : SIZE_MAX;
        status = choose_manner(keep, i, &arena, &job->manner, error);
        lam_arena_finish(&arena);
    }
    for (size_t i = 0; i < rewrite->file_schema->leaf_count && status == LAM_STATUS_OK; i++) {
        lam_chunk_manner manner = keep->jobs[i].manner;
        rewrite->report.chunks_copied += manner == LAM_CHUNK_COPIED;
        rewrite->report.chunks_recompressed += manner == LAM_CHUNK_RECOMPRESSED;
        rewrite->report.chunks_encoded += manner == LAM_CHUNK_ENCODED;
    }
    return status;
}

/* --- Encoding ------------------------------------------------------------------------------ */

static lam_status feed_writer(const keep_input *keep, lam_leaf_feed *feed, size_t leaf,
                              lam_error *error) {
    uint64_t rows = lam_reader_rows_of_group(keep->reader, keep->row_group);
    const lam_field *target = lam_leaf_at(keep->rewrite->file_schema, leaf);
    uint64_t bound = lam_budget_bound(&keep->reader->allocator);
    lam_feed_pace pace = lam_feed_pace_start(bound, KEEP_ROWS);
    for (uint64_t at = 0; at < rows;) {
        lam_row_range range = {at, rows - at < pace.rows ? rows : at + pace.rows};
        lam_triples triples;
        LAM_TRY(lam_stop_check(keep->rewrite->stop, error));
        LAM_TRY(lam_leaf_feed_read(feed, &range, 1, range.end - range.begin, &triples, error));
        LAM_TRY(lam_writer_add_leaf(keep->file->writer, leaf, &triples, error));
        if (bound != 0)
            lam_feed_pace_note(&pace, lam_feed_byte_count(target, &triples));
        at = range.end;
    }
    return LAM_STATUS_OK;
}

/* As lam_chunk_work.encode. The leaf has its number in the union, which is read. */
static lam_status encode_leaf(void *state, size_t leaf, lam_error *error) {
    keep_input *keep = state;
    const lam_reader *reader = &keep->session.reader;
    const lam_leaf_mapping mapping = lam_leaf_mapping_of(reader->schema, reader->schema);
    size_t number = leaf_of_union(keep->rewrite, leaf);
    const lam_field *source = lam_leaf_at(reader->schema, number);
    lam_column_cursor *cursor;
    lam_leaf_feed feed;
    lam_leaf_map map;
    LAM_TRY(lam_reader_open_cursor(reader, keep->row_group, number, &cursor, error));
    lam_leaf_map_fill(&map, &mapping, number, lam_leaf_at(keep->rewrite->file_schema, leaf));
    lam_leaf_feed_init(&feed, &map, &reader->allocator);
    lam_leaf_feed_start(&feed, cursor, source);
    lam_status status = feed_writer(keep, &feed, leaf, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, keep->row_group, source);
    lam_leaf_feed_finish(&feed);
    return status;
}

/*
 * A leaf of the row group is done, which counts as a share of its rows, as far as a bar can show
 * it.
 */
static void report_leaf(void *state, size_t leaf) {
    const keep_input *keep = state;
    uint64_t rows = lam_reader_rows_of_group(keep->reader, keep->row_group);
    double share = (double)(leaf + 1) / (double)keep->rewrite->file_schema->leaf_count;
    lam_rewrite_report_rows(keep->rewrite,
                            keep->rewrite->rows_before + (uint64_t)((double)rows * share));
}

/* --- Inputs -------------------------------------------------------------------------------- */

static lam_status keep_groups(keep_input *keep, lam_error *error) {
    const lam_chunk_work work = {keep, encode_leaf, report_leaf};
    size_t count = keep->reader->footer.meta.row_groups.count;
    for (keep->row_group = 0; keep->row_group < count; keep->row_group++) {
        LAM_TRY(lam_stop_check(keep->rewrite->stop, error));
        LAM_TRY(choose_jobs(keep, error));
        LAM_TRY(lam_writer_compose_row_group(keep->file->writer, keep->reader, keep->row_group,
                                             keep->jobs, &work, error));
        keep->rewrite->rows_before += lam_reader_rows_of_group(keep->reader, keep->row_group);
        lam_rewrite_report_rows(keep->rewrite, keep->rewrite->rows_before);
    }
    return LAM_STATUS_OK;
}

/* Leaves of the file have their numbers in the union of all inputs. */
static void fill_maps(keep_input *keep) {
    const lam_rewrite *rewrite = keep->rewrite;
    lam_leaf_mapping mapping = lam_leaf_mapping_of(rewrite->schema, keep->reader->schema);
    for (size_t i = 0; i < rewrite->file_schema->leaf_count; i++)
        lam_leaf_map_fill(&keep->maps[i], &mapping, leaf_of_union(rewrite, i),
                          lam_leaf_at(rewrite->file_schema, i));
}

static lam_status keep_one_input(keep_input *keep, size_t index, lam_error *error) {
    LAM_TRY(lam_rewrite_open_input(keep->rewrite, index, &keep->reader, error));
    lam_status status = lam_rewrite_show_input(keep->rewrite, keep->reader, &keep->shown, error);
    lam_read_session_init(&keep->session, keep->shown != NULL ? keep->shown : keep->reader,
                          keep->rewrite->stop);
    if (status == LAM_STATUS_OK) {
        fill_maps(keep);
        status = keep_groups(keep, error);
    }
    lam_reader_close(keep->shown);
    lam_rewrite_close_input(keep->rewrite, index, keep->reader);
    return lam_rewrite_blame(keep->rewrite->inputs.items[index].name, status, error);
}

lam_status lam_rewrite_keep_groups(lam_rewrite *rewrite, lam_error *error) {
    lam_status status;
    size_t leaves = rewrite->file_schema->leaf_count;
    lam_rewrite_file file;
    keep_input keep = {.rewrite = rewrite, .file = &file};
    LAM_TRY(lam_rewrite_file_open(rewrite, "", 0, &file, error));
    LAM_TRY_OUT(LAM_ARRAY(&rewrite->allocator, leaves, &keep.maps, error));
    LAM_TRY_OUT(LAM_ARRAY(&rewrite->allocator, leaves, &keep.jobs, error));
    for (size_t i = 0; i < rewrite->inputs.count; i++)
        LAM_TRY_OUT(keep_one_input(&keep, i, error));
    LAM_TRY_OUT(lam_rewrite_file_finish(rewrite, &file, error));
out:
    lam_rewrite_file_close(&file);
    lam_free(&rewrite->allocator, keep.maps, leaves * sizeof(lam_leaf_map));
    lam_free(&rewrite->allocator, keep.jobs, leaves * sizeof(lam_chunk_job));
    return status;
}
