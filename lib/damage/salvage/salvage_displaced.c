/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds column chunks that are not where they were written: takes the footer's position of each
 * chunk, and gives a survey of each displaced one in which all is lost.
 *
 *     written      | a        | b              | c      | d          |
 *     footer, damaged   b     | a        |     c           |   d     |
 *                             offset of a: into b,          offset of d: into d,
 *                             where values may be pages     in the midst of a page
 *
 * The invariant: pages belong to one chunk, and a chunk does not begin in the midst of one. A
 * footer has no checksum; a wrong offset in it leads into another chunk, or into the middle of its
 * own. Bytes that read as pages there may belong to a value. It is unknown which of two chunks is
 * where it must be. (README.md of the format, "Error recovery")
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/thread/stop.h"
#include "chunk/read/page_walk.h"
#include "damage/salvage/salvage_state.h"
#include "schema/leaf_error.h"

/* The bytes of one chunk. */
typedef struct chunk_extent {
    uint64_t begin;
    uint64_t end;
    size_t index; /* by row group, then leaf */
} chunk_extent;

static int compare_extents(const void *state, const void *a, const void *b) {
    (void)state;
    const chunk_extent *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adds the bytes of a chunk; one that has none, or that cannot be found, overlaps nothing. */
static lam_status add_salvaged_extent(const lam_salvage *salvage, size_t index, lam_buffer *extents,
                                      lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    size_t leaves = reader->schema->leaf_count;
    lam_meta_column_chunk stated;
    lam_chunk_range range = {0, 0, 0};
    lam_error failure = lam_error_none();
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_status status =
        lam_reader_find_column(reader, index / leaves, index % leaves, &arena, &stated, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_find(stated.meta_data, reader->footer.offset, &range, &failure);
    lam_arena_finish(&arena);
    if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    if (status != LAM_STATUS_OK || range.size == 0)
        return status == LAM_STATUS_NOMEM ? status : LAM_STATUS_OK;
    const chunk_extent extent = {range.offset, range.offset + range.size, index};
    return lam_buffer_append(extents, &extent, sizeof extent, error);
}

/* Loses all of a chunk, for a reason that it gets its place for. */
static lam_status lose_chunk(lam_salvage *salvage, size_t index, lam_error *failure,
                             uint64_t offset, lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    size_t leaves = reader->schema->leaf_count, leaf = index % leaves;
    if (salvage->surveys[index] != NULL ||
        (salvage->options.leaves != NULL && !salvage->options.leaves[leaf]))
        return LAM_STATUS_OK;
    lam_error_at_offset(failure, offset);
    lam_error_at_leaf(failure, index / leaves, lam_schema_leaf(reader->schema, leaf));
    return lam_page_survey_create_lost(lam_reader_rows_of_group(reader, index / leaves), failure,
                                       &reader->allocator, &salvage->surveys[index], error);
}

/* Loses all of a chunk that shares bytes from `offset` on with another one. */
static lam_status lose_overlap(lam_salvage *salvage, size_t index, size_t other, uint64_t offset,
                               lam_error *error) {
    size_t leaves = salvage->session.reader.schema->leaf_count;
    lam_error failure = lam_error_none();
    (void)lam_error_set(&failure, LAM_ERROR_CODE_CHUNK_RANGE,
                        "the footer gives bytes of the column chunk to column %zu of row group "
                        "%zu, too",
                        other % leaves, other / leaves);
    return lose_chunk(salvage, index, &failure, offset, error);
}

/* Whether pages from an offset on, which no chunk has, lead over `begin`, in the midst of one. */
static lam_status leads_over(const lam_reader *reader, uint64_t offset, uint64_t begin,
                             bool *ret_leads, lam_error *error) {
    lam_page_walk walk;
    lam_meta_page_header header;
    lam_error failure = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    uint64_t at = offset;
    lam_page_walk_init(&walk, &reader->input,
                       (lam_chunk_range){offset, reader->footer.offset - offset, 0},
                       &reader->allocator);
    while (status == LAM_STATUS_OK && walk.next < begin) {
        status = lam_stop_check(reader->stop, &failure);
        if (status == LAM_STATUS_OK)
            status = lam_page_walk_next(&walk, &header, &at, &failure);
    }
    *ret_leads = status == LAM_STATUS_OK && at < begin && walk.next > begin;
    lam_page_walk_finish(&walk);
    if ((status == LAM_STATUS_NOMEM || status == LAM_STATUS_CANCELLED) && error != NULL)
        *error = failure;
    return status == LAM_STATUS_NOMEM || status == LAM_STATUS_CANCELLED ? status : LAM_STATUS_OK;
}

/* Loses a chunk that begins in the midst of a page which is in no chunk. */
static lam_status lose_moved(lam_salvage *salvage, const chunk_extent *at, uint64_t from,
                             lam_error *error) {
    bool leads = false;
    lam_error failure = lam_error_none();
    if (at->begin <= from || salvage->session.reader.is_divided)
        return LAM_STATUS_OK; /* or the footer was made of the pages that are known */
    LAM_TRY(leads_over(&salvage->session.reader, from, at->begin, &leads, error));
    if (!leads)
        return LAM_STATUS_OK;
    (void)lam_error_set(&failure, LAM_ERROR_CODE_CHUNK_RANGE,
                        "the footer has the column chunk begin in the midst of a page");
    return lose_chunk(salvage, at->index, &failure, from, error);
}

/* Passes all chunks in the order of the file; the one that ends last may reach into the next. */
static lam_status lose_displaced(lam_salvage *salvage, const chunk_extent *extents, size_t count,
                                 lam_error *error) {
    enum { MAGIC = 4 /* bytes, which the first page follows */ };
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const chunk_extent *before = &extents[last], *at = &extents[i];
        LAM_TRY(lam_stop_check(salvage->session.reader.stop, error));
        LAM_TRY(lose_moved(salvage, at, i == 0 ? MAGIC : before->end, error));
        if (i > 0 && at->begin < before->end) {
            LAM_TRY(lose_overlap(salvage, before->index, at->index, at->begin, error));
            LAM_TRY(lose_overlap(salvage, at->index, before->index, at->begin, error));
        }
        if (at->end >= before->end)
            last = i;
    }
    return LAM_STATUS_OK;
}

lam_status lam_salvage_find_displaced(lam_salvage *salvage, lam_error *error) {
    const lam_reader *reader = &salvage->session.reader;
    size_t known = salvage->survey_count;
    lam_status status = LAM_STATUS_OK;
    lam_buffer extents;
    if (reader->cut_chunks > 0)
        known -= reader->schema->leaf_count - reader->cut_chunks;
    lam_buffer_init(&extents, &reader->allocator);
    for (size_t i = 0; i < known; i++)
        LAM_TRY_OUT(add_salvaged_extent(salvage, i, &extents, error));
    chunk_extent *items = (chunk_extent *)(void *)extents.data;
    size_t count = extents.size / sizeof *items;
    lam_sort(items, count, sizeof *items, compare_extents, NULL);
    LAM_TRY_OUT(lose_displaced(salvage, items, count, error));
out:
    lam_buffer_finish(&extents);
    return status;
}
