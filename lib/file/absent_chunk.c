/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the chunk of a leaf that a file lacks. In: the group that it is missing in, and the levels
 * of a leaf that the group has. Out: data pages of version 1, of levels alone.
 *
 *     group g, optional, of a repeated group h        r   0  1  1  0
 *     levels of g.a, at most 3                         d   3  2  1  0
 *     levels of g.b, which is not there                d   2  2  1  0     never 3: no value
 *
 * A leaf of the group that repeats more than the group has triples that begin no entry of it; they
 * are left out. The invariant: every triple of the group is one triple here, and none has a value.
 * (Dremel paper, section 4.1; README.md of the format, section "Data Pages")
 */
#include "file/absent_chunk.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "encoding/rle.h"
#include "meta/compact.h"

enum { ABSENT_LENGTH = 4, ABSENT_BATCH = 4096, ABSENT_PAGE = 1 << 20 };

/* A chunk on its way. */
typedef struct absent_chunk {
    const lam_absent_leaf *leaf;
    const lam_reader *reader;
    lam_buffer *out;
    lam_buffer repetition; /* of the open page, behind room for its length */
    lam_buffer definition;
    lam_rle_encoder repetitions;
    lam_rle_encoder definitions;
    uint32_t page_count; /* triples of the open page */
    uint64_t count;      /* of all pages */
    int32_t pages;
} absent_chunk;

/* A chunk being described, with all that its metadata point at. */
typedef struct absent_description {
    lam_meta_column column;
    lam_meta_statistics statistics;
    int32_t encodings[2];
    lam_meta_page_encoding_stats pages;
} absent_description;

/* --- Pages --------------------------------------------------------------------------------- */

static lam_status absent_begin_levels(const absent_chunk *chunk, unsigned max, lam_buffer *levels,
                                      lam_rle_encoder *encoder, lam_error *error) {
    const uint8_t no_length[ABSENT_LENGTH] = {0};
    lam_buffer_clear(levels);
    LAM_TRY(lam_buffer_append(levels, no_length, sizeof no_length, error));
    lam_rle_encoder_init(encoder, chunk->reader->kernels, lam_bit_width(max), levels);
    return LAM_STATUS_OK;
}

static lam_status absent_begin_page(absent_chunk *chunk, lam_error *error) {
    chunk->page_count = 0;
    LAM_TRY(absent_begin_levels(chunk, chunk->leaf->max_repetition, &chunk->repetition,
                                &chunk->repetitions, error));
    return absent_begin_levels(chunk, chunk->leaf->max_definition, &chunk->definition,
                               &chunk->definitions, error);
}

/* Ends a run of levels, whose length stands before it. */
static lam_status absent_end_levels(lam_buffer *levels, lam_rle_encoder *encoder,
                                    lam_error *error) {
    LAM_TRY(lam_rle_encoder_flush(encoder, error));
    lam_store_le32(levels->data, (uint32_t)(levels->size - ABSENT_LENGTH));
    return LAM_STATUS_OK;
}

/* Repetition levels, definition levels, and no values. */
static lam_status absent_end_page(absent_chunk *chunk, lam_error *error) {
    const lam_meta_data_page_header data = {.num_values = (int32_t)chunk->page_count,
                                            .encoding = LAM_ENCODING_PLAIN,
                                            .definition_level_encoding = LAM_ENCODING_RLE,
                                            .repetition_level_encoding = LAM_ENCODING_RLE};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &data};
    if (chunk->page_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(absent_end_levels(&chunk->repetition, &chunk->repetitions, error));
    LAM_TRY(absent_end_levels(&chunk->definition, &chunk->definitions, error));
    size_t repetition = chunk->leaf->max_repetition > 0 ? chunk->repetition.size : 0;
    header.uncompressed_page_size = (int32_t)(repetition + chunk->definition.size);
    header.compressed_page_size = header.uncompressed_page_size;
    LAM_TRY(lam_meta_write_page_header(&header, chunk->out, error));
    LAM_TRY(lam_buffer_append(chunk->out, chunk->repetition.data, repetition, error));
    LAM_TRY(lam_buffer_append(chunk->out, chunk->definition.data, chunk->definition.size, error));
    if (chunk->out->size > chunk->reader->memory_limit)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "columns that the file does not have need more than the memory limit of %" PRIu64
                 " (option memory_limit)",
                 chunk->reader->memory_limit);
    chunk->count += chunk->page_count;
    chunk->pages++;
    return absent_begin_page(chunk, error);
}

/* --- Levels -------------------------------------------------------------------------------- */

/* One null for each row. */
static lam_status absent_put_rows(absent_chunk *chunk, uint64_t rows, lam_error *error) {
    while (rows > 0) {
        uint64_t count = rows < ABSENT_PAGE ? rows : ABSENT_PAGE;
        /* unreachable: the first run of a page is only counted */
        LAM_TRY(lam_rle_write_run(&chunk->repetitions, 0, count, error));
        /* unreachable: the first run of a page is only counted */
        LAM_TRY(lam_rle_write_run(&chunk->definitions, 0, count, error));
        chunk->page_count = (uint32_t)count;
        LAM_TRY(absent_end_page(chunk, error));
        rows -= count;
    }
    return LAM_STATUS_OK;
}

/* The levels of a batch, cut to the group. A page ends where a row does. */
static lam_status absent_put_levels(absent_chunk *chunk, const lam_field *group,
                                    const lam_batch *batch, const uint8_t *repetition,
                                    const uint8_t *definition, lam_error *error) {
    for (size_t i = 0; i < batch->count; i++) {
        unsigned r = batch->has_repetition ? repetition[i] : 0;
        unsigned d = batch->has_definition && definition[i] < group->max_definition
                         ? definition[i]
                         : group->max_definition;
        if (r > group->max_repetition)
            continue;
        if (r == 0 && chunk->page_count >= ABSENT_PAGE)
            LAM_TRY(absent_end_page(chunk, error));
        if (chunk->page_count == INT32_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "a record is too large for a page");
        LAM_TRY(lam_rle_write_run(&chunk->repetitions, r, 1, error));
        LAM_TRY(lam_rle_write_run(&chunk->definitions, d, 1, error));
        chunk->page_count++;
    }
    return LAM_STATUS_OK;
}

/* The leaf below a group with the fewest triples for each entry of it. */
static const lam_field *absent_neighbour(const lam_field *group) {
    const lam_field *best = lam_leaf_at(group->schema, group->first_leaf);
    for (size_t i = 1; i < group->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(group->schema, group->first_leaf + i);
        if (leaf->max_repetition < best->max_repetition)
            best = leaf;
    }
    return best;
}

static lam_status absent_follow(absent_chunk *chunk, size_t row_group, const lam_field *group,
                                lam_error *error) {
    uint8_t repetition[ABSENT_BATCH], definition[ABSENT_BATCH];
    lam_column_cursor *cursor;
    lam_batch batch;
    lam_status status;
    LAM_TRY(lam_reader_open_cursor(chunk->reader, row_group, absent_neighbour(group)->first_leaf,
                                   &cursor, error));
    do {
        LAM_TRY_OUT(lam_column_cursor_read_levels(cursor, ABSENT_BATCH, UINT64_MAX, repetition,
                                                  definition, &batch, error));
        LAM_TRY_OUT(absent_put_levels(chunk, group, &batch, repetition, definition, error));
        if (batch.count > 0)
            /* unreachable: nothing is decoded, and no offset index counts the rows of pages */
            LAM_TRY_OUT(lam_column_cursor_skip_values(cursor, batch.value_count, error));
    } while (batch.count > 0);
    status = absent_end_page(chunk, error);
out:
    lam_column_cursor_destroy(cursor);
    return status;
}

/* A group of the file without leaves has no levels: those of the group around it count. */
static lam_status absent_put_pages(absent_chunk *chunk, size_t row_group, lam_error *error) {
    const lam_field *group = chunk->leaf->group;
    while (group->index != 0 && group->leaf_count == 0)
        group = lam_parent_of(group);
    LAM_TRY(absent_begin_page(chunk, error));
    if (group->max_definition > 0)
        return absent_follow(chunk, row_group, group, error);
    return absent_put_rows(chunk, lam_reader_rows_of_group(chunk->reader, row_group), error);
}

/* --- The chunk ----------------------------------------------------------------------------- */

static void absent_describe(const absent_chunk *chunk, uint64_t first, size_t size,
                            absent_description *about) {
    about->encodings[0] = LAM_ENCODING_PLAIN;
    about->encodings[1] = LAM_ENCODING_RLE;
    about->statistics.has = LAM_META_STATISTICS_HAS_NULL_COUNT;
    about->statistics.null_count = (int64_t)chunk->count;
    about->pages = (lam_meta_page_encoding_stats){
        .page_type = LAM_PAGE_DATA, .encoding = LAM_ENCODING_PLAIN, .count = chunk->pages};
    about->column = (lam_meta_column){
        .has = LAM_META_COLUMN_HAS_ENCODING_STATS,
        .type = chunk->leaf->physical_type,
        .encodings = {about->encodings, 2},
        .path_in_schema = chunk->leaf->path,
        .num_values = (int64_t)chunk->count,
        .total_uncompressed_size = (int64_t)size,
        .total_compressed_size = (int64_t)size,
        .data_page_offset = (int64_t)first,
        .statistics = &about->statistics,
        .encoding_stats = {&about->pages, chunk->pages > 0},
    };
}

lam_status lam_absent_chunk_write(const lam_reader *reader, size_t row_group,
                                  const lam_absent_leaf *leaf, uint64_t first, lam_arena *arena,
                                  lam_buffer *out, lam_meta_column_chunk *ret_chunk,
                                  lam_error *error) {
    absent_chunk chunk = {.leaf = leaf, .reader = reader, .out = out};
    size_t before = out->size;
    void *memory;
    LAM_TRY(lam_arena_array(arena, 1, sizeof(absent_description), &memory, error));
    absent_description *about = memory;
    lam_buffer_init(&chunk.repetition, &out->allocator);
    lam_buffer_init(&chunk.definition, &out->allocator);
    lam_status status = absent_put_pages(&chunk, row_group, error);
    if (status == LAM_STATUS_OK) {
        absent_describe(&chunk, first, out->size - before, about);
        *ret_chunk = (lam_meta_column_chunk){.meta_data = &about->column};
    } else {
        out->size = before;
    }
    lam_buffer_finish(&chunk.repetition);
    lam_buffer_finish(&chunk.definition);
    return status;
}
