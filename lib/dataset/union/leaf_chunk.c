/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the chunk of a leaf from another leaf's: takes the cursor of a leaf of the file, or none
 * if each row has one null, and gives its triples, with the levels and values of the target.
 *
 *     int64 a    1  null  3   --map-->   optional double a    1.0  null  3.0
 *     (no b)                  --map-->   optional int32 b     null null  null
 *
 * As many rows always come out as went in, and a value that the target cannot hold fails with its
 * row.
 */
#include "dataset/union/leaf_chunk.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"

enum { LEAF_CHUNK_NULLS = 2048 /* at once */ };

typedef struct leaf_chunk {
    lam_derived_chunk chunk;
    lam_allocator allocator;
    lam_reader reader; /* a copy, which owns nothing */
    lam_leaf_map map;
    lam_column_cursor *cursor; /* NULL: the map reads no leaf */
    lam_leaf_scratch scratch;
    size_t row_group;
    uint64_t rows; /* of the row group */
    uint64_t row;  /* those that began */
} leaf_chunk;

static void leaf_chunk_destroy(lam_derived_chunk *chunk) {
    leaf_chunk *leaf = (leaf_chunk *)(void *)chunk;
    lam_allocator allocator = leaf->allocator;
    lam_column_cursor_destroy(leaf->cursor);
    lam_leaf_scratch_finish(&leaf->scratch);
    lam_free(&allocator, leaf, sizeof *leaf);
}

static lam_status leaf_chunk_skip_to(lam_derived_chunk *chunk, uint64_t row, lam_error *error) {
    leaf_chunk *leaf = (leaf_chunk *)(void *)chunk;
    if (leaf->cursor != NULL)
        LAM_TRY(lam_column_cursor_skip_to(leaf->cursor, row, error));
    leaf->row = row;
    return LAM_STATUS_OK;
}

static lam_status read_nulls(leaf_chunk *leaf, size_t max_triples, uint64_t *rows,
                             lam_triples *ret_triples, lam_error *error) {
    uint64_t count = leaf->rows - leaf->row;
    count = count < *rows ? count : *rows;
    count = count < max_triples ? count : max_triples;
    count = count < LEAF_CHUNK_NULLS ? count : LEAF_CHUNK_NULLS;
    *ret_triples = (lam_triples){0};
    if (count > 0)
        LAM_TRY(lam_leaf_map_nulls(&leaf->map, (size_t)count, &leaf->scratch, ret_triples, error));
    leaf->row += count;
    *rows -= count;
    return LAM_STATUS_OK;
}

/* The row of a triple among those that were read, of which the last began row `leaf->row` - 1. */
static uint64_t row_of_triple(const leaf_chunk *leaf, const lam_triples *triples, size_t position) {
    uint64_t later = 0;
    for (size_t i = position + 1; i < triples->count; i++)
        later += triples->repetition == NULL || triples->repetition[i] == 0;
    return leaf->row > later ? leaf->row - 1 - later : 0;
}

/* Reads again if all triples of a batch are those of a list that the target does not have. */
static lam_status leaf_chunk_read(lam_derived_chunk *chunk, size_t max_triples, uint64_t *rows,
                                  lam_triples *ret_triples, lam_error *error) {
    leaf_chunk *leaf = (leaf_chunk *)(void *)chunk;
    lam_triples given, made = {0};
    uint64_t before = *rows;
    size_t position;
    if (leaf->cursor == NULL)
        return read_nulls(leaf, max_triples, rows, ret_triples, error);
    do {
        LAM_TRY(lam_stop_check(leaf->reader.stop, error));
        LAM_TRY(lam_column_cursor_read_rows(leaf->cursor, max_triples, rows, &given, error));
        leaf->row += before - *rows;
        before = *rows;
        lam_status status =
            lam_leaf_map_apply(&leaf->map, &given, &leaf->scratch, &made, &position, error);
        if (status != LAM_STATUS_OK)
            lam_error_at_row(error, leaf->row_group, row_of_triple(leaf, &given, position));
        LAM_TRY(status);
    } while (made.count == 0 && given.count > 0);
    *ret_triples = made;
    return LAM_STATUS_OK;
}

lam_status lam_leaf_chunk_create(const lam_derived_leaf *leaf, const lam_leaf_map *map,
                                 lam_derived_chunk **ret_chunk, lam_error *error) {
    leaf_chunk *made;
    LAM_TRY(LAM_NEW(&leaf->reader->allocator, &made, error));
    lam_status status = LAM_STATUS_OK;
    made->chunk = (lam_derived_chunk){leaf_chunk_skip_to, leaf_chunk_read, leaf_chunk_destroy};
    made->allocator = leaf->reader->allocator;
    made->reader = *leaf->reader;
    made->map = *map;
    lam_leaf_scratch_init(&made->scratch, &made->allocator);
    made->row_group = leaf->row_group;
    made->rows = lam_reader_rows_of_group(leaf->reader, leaf->row_group);
    if (map->source != LAM_LEAF_NONE)
        status = lam_reader_open_cursor(&made->reader, leaf->row_group, (size_t)map->source,
                                        &made->cursor, error);
    if (status == LAM_STATUS_OK)
        *ret_chunk = &made->chunk;
    else
        leaf_chunk_destroy(&made->chunk);
    return status;
}
