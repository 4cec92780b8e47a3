/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the open page of a chunk batch by batch: the levels of a batch first, then its values,
 * decoded into the caller's array. lam_chunk_reader_read lends batches of the same kind from the
 * reader's own arrays.
 *
 * In come the runs of the page's levels and its encoded values; out go batches that never cross a
 * page and never end a record too late: with a bound of n rows, a batch ends before record n + 1.
 *
 * The invariant: triples and rows are counted when their levels are read, and checked against
 * footer and row group at once; all values of a batch are read or skipped before the next batch.
 * Skipped values are only counted until a later value of the page is wanted. (README.md of the
 * format, "Nested Encoding")
 */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "base/stop.h"
#include "chunk/chunk_reader.h"
#include "kernel/kernel.h"

enum {
    LENT_RUN = 64,               /* equal levels that end a batch, so that they are lent as NULL */
    CHUNK_BATCH_LONG_RUN = 4096, /* the same for read_levels, whose batches are larger */
    LEVEL_BLOCK = 256            /* levels searched at once for the start of a record */
};

/* The bounds of a batch, and the run that is worth a batch of its own. */
typedef struct batch_bounds {
    size_t triples;
    uint64_t rows; /* records that may begin in it */
    size_t long_run;
} batch_bounds;

/* --- Levels -------------------------------------------------------------------------------- */

/*
 * Checks levels against the leaf's maximum. A bit width of 2 allows a level 3 where the maximum is
 * 2, and levels index tables further on, so a damaged page must fail here.
 */
static lam_status chunk_batch_check_levels(const lam_kernels *kernels, const uint8_t *levels,
                                           size_t count, uint8_t max_level, const char *kind,
                                           lam_error *error) {
    uint8_t highest = kernels->max_u8(levels, count);
    if (highest > max_level)
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_RANGE, "%s level %u where the maximum is %u", kind,
                 (unsigned)highest, (unsigned)max_level);
    return LAM_STATUS_OK;
}

/*
 * Finds a run of the level that says nothing (repetition 0, or the maximal definition) at the
 * position of `runs`: true if all of the next `*count` levels are of it, or at least `long_run` of
 * them, to which `*count` is then reduced. Such a run is skipped as a whole and never becomes
 * single levels:
 *
 *   definition runs 3 x 5000, maximum 3, *count 2048: true, *count stays
 *   definition runs 3 x 100, then others, long_run 64: true, *count becomes 100
 */
static lam_status find_run(lam_rle_decoder *runs, uint8_t max_level, uint8_t whole, size_t long_run,
                           size_t *count, bool *ret_is_run, lam_error *error) {
    if (max_level == 0) {
        *ret_is_run = true;
        return LAM_STATUS_OK;
    }
    size_t length;
    uint32_t value;
    bool packed;
    LAM_TRY(lam_rle_peek_run(runs, *count, &length, &value, &packed, error));
    *ret_is_run = !packed && value == whole && (length == *count || length >= long_run);
    if (*ret_is_run)
        *count = length;
    return LAM_STATUS_OK;
}

/* Reads `count` levels, or skips them if they are a run. */
static lam_status chunk_batch_take_levels(lam_rle_decoder *runs, uint8_t max_level, bool is_run,
                                          size_t count, const char *kind, uint8_t *levels,
                                          lam_error *error) {
    if (max_level == 0)
        return LAM_STATUS_OK;
    if (is_run)
        return lam_rle_skip(runs, count, error);
    LAM_TRY(lam_rle_read_levels(runs, count, levels, error));
    return chunk_batch_check_levels(runs->kernels, levels, count, max_level, kind, error);
}

/*
 * Gives the index at which record `*rows` + 1 of the levels begins, or `count` if there are not as
 * many; counts `*rows` down by the records before it.
 *
 *   levels 0 1 1 0 1 0, *rows 2: gives 5, *rows becomes 0
 *   levels 1 1 0,       *rows 0: gives 2, the rest of the open record
 *
 * Blocks are counted by a kernel; only the block in which the record begins is searched.
 */
static size_t find_record(const lam_kernels *kernels, const uint8_t *repetition, size_t count,
                          uint64_t *rows) {
    uint64_t left = *rows;
    size_t at = 0;
    while (at < count) {
        size_t some = count - at < LEVEL_BLOCK ? count - at : LEVEL_BLOCK;
        size_t begin = kernels->count_u8(repetition + at, some, 0);
        if (begin > left)
            break;
        left -= begin;
        at += some;
    }
    for (; at < count; at++) {
        if (repetition[at] != 0)
            continue;
        if (left == 0)
            break;
        left--;
    }
    *rows = left;
    return at;
}

/*
 * Reads the repetition levels of a batch and ends it before one record too many. The end is known
 * only after decoding, so the runs are set back to where the batch began and skipped to its end.
 */
static lam_status take_repetition(lam_chunk_reader *reader, const batch_bounds *bounds,
                                  size_t *count, uint8_t *levels, lam_chunk_batch *batch,
                                  lam_error *error) {
    lam_rle_decoder *runs = &reader->page.repetition;
    uint8_t max_level = reader->source.leaf->max_repetition;
    bool all_records;
    LAM_TRY(find_run(runs, max_level, 0, bounds->long_run, count, &all_records, error));
    if (all_records && *count > bounds->rows)
        *count = (size_t)bounds->rows;
    lam_rle_decoder start = *runs;
    LAM_TRY(
        chunk_batch_take_levels(runs, max_level, all_records, *count, "repetition", levels, error));
    batch->row_count = *count;
    if (!all_records) {
        uint64_t left = bounds->rows;
        size_t end = find_record(runs->kernels, levels, *count, &left);
        if (end < *count) {
            *runs = start;
            LAM_TRY(lam_rle_skip(runs, end, error));
            *count = end;
        }
        batch->row_count = bounds->rows - left;
    }
    batch->has_repetition = !all_records;
    return LAM_STATUS_OK;
}

/*
 * Reads the levels of one batch of at most `count` triples of the open page. Definition runs may
 * shorten it first, then repetition levels: what was "all defined" stays so for fewer triples.
 *
 * The first level of a chunk must begin a record, and so must that of a page that was found by the
 * offset index: else the rows counted before it are wrong.
 */
static lam_status take_batch(lam_chunk_reader *reader, const batch_bounds *bounds, size_t count,
                             uint8_t *repetition, uint8_t *definition, lam_chunk_batch *ret_batch,
                             lam_error *error) {
    uint8_t max_d = reader->source.leaf->max_definition;
    lam_page *page = &reader->page;
    lam_chunk_batch batch = {0};
    bool all_defined;
    LAM_TRY(
        find_run(&page->definition, max_d, max_d, bounds->long_run, &count, &all_defined, error));
    LAM_TRY(take_repetition(reader, bounds, &count, repetition, &batch, error));
    LAM_TRY(chunk_batch_take_levels(&page->definition, max_d, all_defined, count, "definition",
                                    definition, error));
    batch.count = count;
    batch.has_definition = !all_defined;
    batch.value_count =
        all_defined ? count : reader->source.kernels->count_u8(definition, count, max_d);
    batch.is_dictionary = page->encoding == LAM_ENCODING_PLAIN_DICTIONARY ||
                          page->encoding == LAM_ENCODING_RLE_DICTIONARY;
    bool must_begin = reader->triples == 0 || (reader->must_begin && reader->page_triples == 0);
    if (must_begin && count > 0 && batch.has_repetition && repetition[0] != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_FIRST,
                 "the first repetition level of the %s is %u, not 0",
                 reader->triples == 0 ? "chunk" : "page", (unsigned)repetition[0]);
    reader->must_begin = reader->must_begin && count == 0;
    *ret_batch = batch;
    return LAM_STATUS_OK;
}

/* Counts a batch for the page and the chunk, and checks the rows so far. */
static lam_status count_batch(lam_chunk_reader *reader, const lam_chunk_batch *batch,
                              lam_error *error) {
    reader->triples += batch->count;
    reader->rows += batch->row_count;
    reader->page_triples += (uint32_t)batch->count;
    reader->page_rows += (uint32_t)batch->row_count;
    reader->batch_values = batch->value_count;
    return lam_chunk_check_rows(reader, error);
}

/*
 * Removes elements that do not exist from a batch that was counted with them. If all are defined,
 * or all begin records, there are none, and only the last definition level is kept for the next
 * batch.
 */
static void drop_ghosts(lam_chunk_reader *reader, uint8_t *repetition, uint8_t *definition,
                        lam_chunk_batch *batch) {
    if (!batch->has_definition)
        lam_ghost_levels_pass(&reader->ghosts, reader->source.leaf->max_definition);
    else if (!batch->has_repetition)
        lam_ghost_levels_pass(&reader->ghosts, definition[batch->count - 1]);
    else
        batch->count = lam_ghost_levels_drop(&reader->ghosts, repetition, definition, batch->count);
}

/* Leaves the page after the last value of its last batch. */
static lam_status end_batch(lam_chunk_reader *reader, lam_error *error) {
    bool is_read = reader->has_page && lam_chunk_page_is_read(reader);
    return is_read ? lam_chunk_leave_page(reader, error) : LAM_STATUS_OK;
}

/*
 * Checks that the row group has one more row, where the caller's bound ends before a record that
 * must follow. So a chunk of too many rows fails even if the caller wants none of them.
 */
static lam_status check_last_row(const lam_chunk_reader *reader, lam_error *error) {
    if (reader->rows == reader->source.row_count)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk has %" PRId64 " values, more than the %" PRIu64
                 " rows of its row group take",
                 reader->source.column->num_values, reader->source.row_count);
    return LAM_STATUS_OK;
}

/*
 * Reads the next batch of the open page, or of the one after it; gives none if the bounds or the
 * chunk allow no more. There are triples left in the chunk.
 *
 * A bound of 0 rows asks for the rest of the open record: a flat leaf has none, and after a page
 * the offset index may say so without opening the next.
 */
static lam_status next_batch(lam_chunk_reader *reader, const batch_bounds *bounds,
                             uint8_t *repetition, uint8_t *definition, lam_chunk_batch *ret_batch,
                             lam_error *error) {
    assert(reader->batch_values == 0);
    if (bounds->rows == 0 && reader->source.leaf->max_repetition == 0)
        return check_last_row(reader, error);
    if (bounds->triples == 0)
        return LAM_STATUS_OK;
    if (bounds->rows == 0 && lam_chunk_page_is_read(reader) && lam_chunk_page_ends_record(reader))
        return check_last_row(reader, error);
    uint64_t pass_rows = 0;
    if (lam_chunk_page_is_read(reader))
        LAM_TRY(lam_chunk_next_page(reader, &pass_rows, error));
    size_t count = reader->page.value_count - reader->page_triples;
    count = count < bounds->triples ? count : bounds->triples;
    lam_status status = take_batch(reader, bounds, count, repetition, definition, ret_batch, error);
    if (status == LAM_STATUS_OK)
        status = ret_batch->count > 0 ? count_batch(reader, ret_batch, error)
                                      : check_last_row(reader, error);
    if (status == LAM_STATUS_OK && ret_batch->count > 0 && ret_batch->value_count == 0)
        status = end_batch(reader, error);
    if (status == LAM_STATUS_OK && ret_batch->count > 0 && reader->source.has_ghosts)
        drop_ghosts(reader, repetition, definition, ret_batch);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, reader->page_offset);
    return status;
}

/*
 * Reads the next batch, with the checks of the two ends of a chunk. A batch of which only elements
 * that do not exist were read is empty and not the end, so another one follows; it ends, since
 * `triples` grows.
 */
static lam_status chunk_batch_read_batch(lam_chunk_reader *reader, const batch_bounds *bounds,
                                         uint8_t *repetition, uint8_t *definition,
                                         lam_chunk_batch *ret_batch, lam_error *error) {
    if (reader->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "an earlier read failed");
    if (reader->source.column->num_values == 0 && reader->source.row_count != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk has no values and its row group %" PRIu64 " rows",
                 reader->source.row_count);
    lam_chunk_batch batch = {0};
    lam_status status;
    uint64_t before;
    do { /* again if all of a batch was dropped */
        LAM_TRY(lam_stop_check(reader->source.stop, error));
        before = reader->triples;
        if (before == (uint64_t)reader->source.column->num_values)
            status = lam_chunk_check_rest(reader, error);
        else
            status = next_batch(reader, bounds, repetition, definition, &batch, error);
    } while (status == LAM_STATUS_OK && batch.count == 0 && reader->triples != before);
    reader->failed = status != LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        *ret_batch = batch;
    return status;
}

lam_status lam_chunk_reader_read_levels(lam_chunk_reader *reader, size_t max_triples,
                                        uint64_t max_rows, uint8_t *repetition, uint8_t *definition,
                                        lam_chunk_batch *ret_batch, lam_error *error) {
    batch_bounds bounds = {max_triples, max_rows, CHUNK_BATCH_LONG_RUN};
    return chunk_batch_read_batch(reader, &bounds, repetition, definition, ret_batch, error);
}

/* --- Values -------------------------------------------------------------------------------- */

/* Starts the decoder at the first value of the page, and moves past those that were skipped. */
static lam_status start_values(lam_chunk_reader *reader, lam_error *error) {
    if (!reader->decoding) {
        LAM_TRY(lam_decoder_init(&reader->decoder, reader->source.kernels, reader->page.encoding,
                                 reader->layout, reader->page.values,
                                 reader->has_dictionary ? &reader->dictionary : NULL,
                                 &reader->arena, error));
        reader->decoding = true;
    }
    if (reader->deferred_values == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_chunk_need_values(reader, error));
    LAM_TRY(lam_decoder_skip(&reader->decoder, reader->deferred_values, reader->values,
                             reader->batch_triples, error));
    reader->deferred_values = 0;
    return LAM_STATUS_OK;
}

/* Where values go: elements, or indexes, or the entries that the caller made of a dictionary. */
typedef struct value_target {
    void *values;
    uint32_t *indexes;   /* instead of values */
    const void *entries; /* their elements instead of the dictionary's */
    size_t entry_size;
} value_target;

static lam_status chunk_batch_read_values(lam_chunk_reader *reader, size_t count,
                                          const value_target *to, lam_error *error) {
    LAM_TRY(start_values(reader, error));
    if (to->indexes != NULL)
        LAM_TRY(lam_decoder_read_indexes(&reader->decoder, count, to->indexes, error));
    else if (to->entries != NULL)
        LAM_TRY(lam_decoder_read_slots(&reader->decoder, to->entries, to->entry_size, count,
                                       to->values, error));
    else
        LAM_TRY(lam_decoder_read(&reader->decoder, count, to->values, error));
    reader->batch_values -= count;
    return reader->batch_values == 0 ? end_batch(reader, error) : LAM_STATUS_OK;
}

/*
 * Does the same with the state checked and, on failure, kept: a decoder that failed has no
 * position.
 */
static lam_status chunk_batch_read_some(lam_chunk_reader *reader, size_t count,
                                        const value_target *to, lam_error *error) {
    assert(count <= reader->batch_values);
    if (reader->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "an earlier read failed");
    if (count == 0)
        return LAM_STATUS_OK;
    lam_status status = chunk_batch_read_values(reader, count, to, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, reader->page_offset);
    reader->failed = status != LAM_STATUS_OK;
    return status;
}

lam_status lam_chunk_reader_read_values(lam_chunk_reader *reader, size_t count, void *values,
                                        lam_error *error) {
    const value_target to = {.values = values};
    return chunk_batch_read_some(reader, count, &to, error);
}

lam_status lam_chunk_reader_read_indexes(lam_chunk_reader *reader, size_t count, uint32_t *indexes,
                                         lam_error *error) {
    const value_target to = {.indexes = indexes};
    return chunk_batch_read_some(reader, count, &to, error);
}

lam_status lam_chunk_reader_read_slots(lam_chunk_reader *reader, const void *entries, size_t size,
                                       size_t count, void *slots, lam_error *error) {
    const value_target to = {.values = slots, .entries = entries, .entry_size = size};
    return chunk_batch_read_some(reader, count, &to, error);
}

/*
 * Byte arrays of these encodings are slices of the page or of the dictionary page. In other
 * encodings the decoder builds them in its arena, in blocks that end anywhere.
 */
const uint8_t *lam_chunk_reader_text_end(const lam_chunk_reader *reader) {
    switch (reader->page.encoding) {
    case LAM_ENCODING_PLAIN:
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return reader->decoder.end;
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        return reader->dictionary_bytes.data + reader->dictionary_bytes.size;
    default:
        return NULL;
    }
}

const lam_dictionary *lam_chunk_reader_dictionary(const lam_chunk_reader *reader) {
    return reader->has_dictionary ? &reader->dictionary : NULL;
}

uint64_t lam_chunk_reader_page_bytes(const lam_chunk_reader *reader) {
    return reader->page_bytes;
}

/* --- Skipping ------------------------------------------------------------------------------ */

/*
 * Counts the values as skipped. They are decoded only if the page has later ones that are wanted;
 * the last values of a page never are.
 */
lam_status lam_chunk_reader_skip_values(lam_chunk_reader *reader, size_t count, lam_error *error) {
    assert(count <= reader->batch_values);
    if (reader->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "an earlier read failed");
    reader->deferred_values += count;
    reader->batch_values -= count;
    if (count == 0 || reader->batch_values > 0)
        return LAM_STATUS_OK;
    lam_status status = end_batch(reader, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, reader->page_offset);
    reader->failed = status != LAM_STATUS_OK;
    return status;
}

/* Reads the levels of a batch into the reader's own arrays and skips its values. */
static lam_status skip_batch(lam_chunk_reader *reader, uint64_t rows, lam_chunk_batch *ret_batch,
                             lam_error *error) {
    batch_bounds bounds = {reader->batch_triples, rows, LENT_RUN};
    LAM_TRY(chunk_batch_read_batch(reader, &bounds, reader->repetition, reader->definition,
                                   ret_batch, error));
    return lam_chunk_reader_skip_values(reader, reader->batch_values, error);
}

/*
 * Skips whole pages first where that is possible, then batches. The last round has 0 rows and skips
 * the rest of the last record, which may reach over several pages; an empty batch ends the loop.
 */
lam_status lam_chunk_reader_skip_rows(lam_chunk_reader *reader, uint64_t rows, lam_error *error) {
    lam_chunk_batch batch = {.count = 1};
    while (batch.count > 0) {
        bool at_end = reader->triples == (uint64_t)reader->source.column->num_values;
        if (rows > 0 && !reader->failed && !at_end && lam_chunk_page_is_read(reader)) {
            lam_status status = lam_chunk_next_page(reader, &rows, error);
            reader->failed = status != LAM_STATUS_OK;
            LAM_TRY(status);
        }
        LAM_TRY(skip_batch(reader, rows, &batch, error));
        rows -= batch.row_count;
    }
    return LAM_STATUS_OK;
}

/* --- Lending ------------------------------------------------------------------------------- */

/* Lends a batch: both arrays belong to the reader and are used again by the next one. */
lam_status lam_chunk_reader_read_rows(lam_chunk_reader *reader, size_t max_triples, uint64_t *rows,
                                      lam_triples *ret_triples, lam_error *error) {
    size_t most = max_triples < reader->batch_triples ? max_triples : reader->batch_triples;
    batch_bounds bounds = {most, *rows, LENT_RUN};
    lam_chunk_batch batch;
    LAM_TRY(chunk_batch_read_batch(reader, &bounds, reader->repetition, reader->definition, &batch,
                                   error));
    if (batch.value_count > 0) {
        lam_status status = lam_chunk_need_values(reader, error);
        reader->failed = status != LAM_STATUS_OK;
        LAM_TRY(status);
        LAM_TRY(lam_chunk_reader_read_values(reader, batch.value_count, reader->values, error));
    }
    lam_triples triples = {.count = batch.count, .value_count = batch.value_count};
    triples.repetition = batch.has_repetition ? reader->repetition : NULL;
    triples.definition = batch.has_definition ? reader->definition : NULL;
    triples.values = reader->values;
    *rows -= batch.row_count;
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

lam_status lam_chunk_reader_read(lam_chunk_reader *reader, size_t max_triples,
                                 lam_triples *ret_triples, lam_error *error) {
    uint64_t rows = UINT64_MAX;
    return lam_chunk_reader_read_rows(reader, max_triples, &rows, ret_triples, error);
}
