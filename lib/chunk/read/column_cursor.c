/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a column chunk batch by batch: takes the footer's column and the pages of the chunk, one
 * open at a time, and gives batches of triples, decoded into the caller's arrays or lent from the
 * cursor's own.
 *
 * The invariant: triples and rows are counted when their levels are read, and checked against
 * footer and row group at once. `rows` records have begun, so that a target row says how many are
 * to be skipped. A failure ends the cursor; being stopped does not, because stops are checked only
 * between two pages or batches. (README.md of the format, "Column chunks")
 */
#include <assert.h>
#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "chunk/read/cursor_state.h"
#include "chunk/read/page_peek.h"
#include "schema/leaf_error.h"

enum {
    LENT_TRIPLES = 2048,   /* at once: levels and values stay in the L1 cache */
    LENT_BYTES = 64 << 10, /* of values lent at once, or one larger value */
    LENT_RUN = 64,         /* equal levels that end a batch, so that they are lent as NULL */
    LEVELS_LONG_RUN = 4096 /* the same for read_levels, whose batches are larger */
};

/*
 * Notes a failure, and adds the row group and the column to it: all verbs of a cursor end here.
 */
static lam_status end_verb(lam_column_cursor *cursor, lam_status status, lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    cursor->failed |= status != LAM_STATUS_CANCELLED;
    lam_error_at_leaf(error, cursor->chunk.row_group, cursor->chunk.leaf);
    return status;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* Gives the codec of the format's number; DEFAULT for an unknown one. */
static lam_codec codec_from_number(int32_t number) {
    return number >= 0 && number <= 7 ? (lam_codec)(number + 1) : LAM_CODEC_DEFAULT;
}

/* Checks that the footer and the schema agree on the type, and that this build has the codec. */
static lam_status check_column(const lam_column_chunk *chunk, lam_codec *ret_codec,
                               lam_error *error) {
    const lam_meta_column *column = chunk->column;
    if (column->type != chunk->leaf->physical_type)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_TYPE,
                 "the chunk has physical type %" PRId32 ", but the schema has %d", column->type,
                 (int)chunk->leaf->physical_type);
    *ret_codec = codec_from_number(column->codec);
    if (*ret_codec == LAM_CODEC_DEFAULT)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC, "unknown codec %" PRId32, column->codec);
    return lam_codec_check_read(*ret_codec, error);
}

/*
 * Chooses how many triples are lent at once. Values of a fixed length may be of any size: of 1 MiB
 * each, one is lent; of 100 bytes, 655. A chunk of fewer triples needs no more room than its own.
 */
static lam_status allocate_room(lam_column_cursor *cursor, lam_error *error) {
    const lam_column_chunk *chunk = &cursor->chunk;
    size_t element = lam_layout_size(cursor->page.layout);
    if (element > chunk->memory_limit)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a value of %zu bytes is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 element, chunk->memory_limit);
    size_t most = element > LENT_BYTES ? 1 : LENT_BYTES / element;
    most = most < LENT_TRIPLES ? most : LENT_TRIPLES;
    uint64_t count = (uint64_t)chunk->column->num_values;
    return lam_batch_room_init(&cursor->room, count < most ? (size_t)count : most, element,
                               &cursor->allocator, error);
}

/* Sets all members, so that destroy is allowed from here on. */
static void cursor_init(lam_column_cursor *cursor, const lam_column_chunk *chunk, lam_codec codec,
                        lam_chunk_range range, const lam_allocator *allocator) {
    cursor->allocator = *allocator;
    cursor->chunk = *chunk;
    cursor->column = *chunk->column;
    cursor->chunk.column = &cursor->column;
    lam_page_reader_init(&cursor->reader, chunk->kernels, codec, chunk->leaf, chunk->verify_crc,
                         chunk->memory_limit, chunk->codecs, allocator);
    cursor->reader.hides_compression = chunk->hides_compression;
    lam_file_source_init(&cursor->file, chunk->input, range, &cursor->reader, allocator);
    cursor->source = &cursor->file.source;
    cursor->first_page = UINT64_MAX;
    lam_buffer_init(&cursor->dictionary_bytes, allocator);
    cursor->room.allocator = *allocator;
    lam_page_decoder_init(&cursor->page, chunk->kernels, chunk->leaf, &cursor->room,
                          (size_t)chunk->memory_limit, allocator);
    cursor->page.has_sequels = chunk->has_sequels;
    lam_ghost_levels_init(&cursor->ghosts, chunk->leaf);
    cursor->is_between = true;
    cursor->lent_most = SIZE_MAX;
}

/* Makes the parts that need memory. A cursor without codecs of its thread makes its own. */
static lam_status cursor_allocate(lam_column_cursor *cursor, lam_error *error) {
    if (cursor->chunk.codecs == NULL) {
        LAM_TRY(lam_codec_context_create(&cursor->allocator, &cursor->own_codecs, error));
        cursor->reader.codecs = cursor->own_codecs;
    }
    return allocate_room(cursor, error);
}

static lam_status create_cursor(const lam_column_chunk *chunk, const lam_allocator *allocator,
                                lam_column_cursor **ret_cursor, lam_error *error) {
    lam_codec codec;
    lam_chunk_range range;
    lam_column_cursor *cursor;
    if (lam_is_in_vector(chunk->leaf))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VECTOR,
                 "the column is in a VECTOR (parquet-format#592), which is not read");
    LAM_TRY(check_column(chunk, &codec, error));
    LAM_TRY(lam_chunk_find(chunk->column, chunk->limit, &range, error));
    LAM_TRY(LAM_NEW(allocator, &cursor, error));
    cursor_init(cursor, chunk, codec, range, allocator);
    lam_status status = cursor_allocate(cursor, error);
    if (status == LAM_STATUS_OK)
        *ret_cursor = cursor;
    else
        lam_column_cursor_destroy(cursor);
    return status;
}

/*
 * Does not read yet, so that a reader of many columns costs little before the first of them is
 * read.
 */
lam_status lam_column_cursor_create(const lam_column_chunk *chunk, const lam_allocator *allocator,
                                    lam_column_cursor **ret_cursor, lam_error *error) {
    lam_status status = create_cursor(chunk, allocator, ret_cursor, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, chunk->row_group, chunk->leaf);
    return status;
}

lam_status lam_column_cursor_create_derived(const lam_column_chunk *chunk,
                                            lam_derived_chunk *derived,
                                            const lam_allocator *allocator,
                                            lam_column_cursor **ret_cursor, lam_error *error) {
    const lam_chunk_range nothing = {0};
    void *memory;
    lam_status status = lam_alloc_array(allocator, 1, sizeof(lam_column_cursor), &memory, error);
    if (status != LAM_STATUS_OK) {
        derived->destroy(derived);
        return status;
    }
    cursor_init(memory, chunk, LAM_CODEC_UNCOMPRESSED, nothing, allocator);
    *ret_cursor = memory;
    (*ret_cursor)->derived = derived;
    return LAM_STATUS_OK;
}

/* A source that takes pages returns their memory; that cannot fail. */
void lam_column_cursor_destroy(lam_column_cursor *cursor) {
    if (cursor == NULL)
        return;
    lam_allocator allocator = cursor->allocator;
    if (cursor->derived != NULL)
        cursor->derived->destroy(cursor->derived);
    if (cursor->source == &cursor->cached.source && !cursor->cached.keeps)
        (void)lam_cached_source_end(&cursor->cached, cursor->rows, &cursor->dictionary_bytes, NULL);
    lam_file_source_finish(&cursor->file);
    lam_page_decoder_finish(&cursor->page);
    lam_buffer_finish(&cursor->dictionary_bytes);
    lam_page_reader_finish(&cursor->reader);
    lam_codec_context_destroy(cursor->own_codecs);
    lam_free(&allocator, cursor->dictionary_values, cursor->dictionary_values_size);
    lam_batch_room_finish(&cursor->room);
    lam_free(&allocator, cursor, sizeof *cursor);
}

/* --- Before the first row ------------------------------------------------------------------ */

void lam_column_cursor_use_locations(lam_column_cursor *cursor,
                                     const lam_meta_page_location *locations, size_t page_count,
                                     bool have_decided_rows) {
    if (cursor->derived != NULL)
        return; /* there are none */
    cursor->locations = locations;
    cursor->page_count = page_count;
    cursor->next_location = 0;
    cursor->has_decided_rows = have_decided_rows;
}

/* Puts a cached source between the cursor and the file. */
static void use_cache(lam_column_cursor *cursor, lam_cached_chunk *cached, bool keeps) {
    if (cached == NULL || cursor->derived != NULL)
        return;
    lam_cached_source_init(&cursor->cached, &cursor->file, cached, keeps);
    cursor->source = &cursor->cached.source;
}

lam_status lam_column_cursor_keep_pages(lam_column_cursor *cursor, lam_page_cache *cache,
                                        lam_error *error) {
    lam_cached_chunk *cached = NULL;
    if (cursor->derived != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_cache_add_chunk(cache, cursor->chunk.leaf->first_leaf, &cached, error));
    use_cache(cursor, cached, true);
    return LAM_STATUS_OK;
}

lam_status lam_column_cursor_keep_last_pages(lam_column_cursor *cursor, lam_error *error) {
    if (cursor->source != &cursor->cached.source || !cursor->cached.keeps)
        return LAM_STATUS_OK;
    cursor->failed = true; /* its page and its dictionary move away */
    return lam_cached_source_end(&cursor->cached, cursor->rows, &cursor->dictionary_bytes, error);
}

void lam_column_cursor_take_pages(lam_column_cursor *cursor, const lam_page_cache *cache) {
    use_cache(cursor, lam_page_cache_find_chunk(cache, cursor->chunk.leaf->first_leaf), false);
}

void lam_column_cursor_use_page_memory(lam_column_cursor *cursor, const lam_allocator *allocator) {
    if (cursor->source == &cursor->file.source)
        cursor->reader.body.allocator = *allocator;
}

lam_bytes lam_column_cursor_page_memory(const lam_column_cursor *cursor, uint32_t *ret_triples) {
    *ret_triples = cursor->page.page.value_count;
    return lam_buffer_bytes(&cursor->reader.body);
}

/* The next page finds no memory, and takes new. */
void lam_column_cursor_give_page(lam_column_cursor *cursor) {
    lam_allocator allocator = cursor->reader.body.allocator;
    lam_buffer_init(&cursor->reader.body, &allocator);
}

lam_status lam_column_cursor_load_dictionary(lam_column_cursor *cursor, lam_error *error) {
    if (cursor->derived != NULL)
        return LAM_STATUS_OK;
    return end_verb(cursor, lam_cursor_load_dictionary(cursor, error), error);
}

const lam_dictionary *lam_column_cursor_dictionary(const lam_column_cursor *cursor) {
    return cursor->has_dictionary ? &cursor->dictionary : NULL;
}

const lam_meta_column *lam_column_cursor_metadata(const lam_column_cursor *cursor) {
    return &cursor->column;
}

uint64_t lam_column_cursor_page_bytes(const lam_column_cursor *cursor) {
    return cursor->page_bytes;
}

const uint8_t *lam_column_cursor_text_end(const lam_column_cursor *cursor) {
    return lam_page_decoder_text_end(&cursor->page, lam_buffer_bytes(&cursor->dictionary_bytes));
}

/* --- Levels -------------------------------------------------------------------------------- */

/*
 * Removes elements that do not exist from a batch that was counted with them. If all are defined,
 * or all begin records, there are none, and only the last definition level is kept for the next
 * batch.
 */
static void drop_ghosts(lam_column_cursor *cursor, uint8_t *repetition, uint8_t *definition,
                        lam_batch *batch) {
    if (!batch->has_definition)
        lam_ghost_levels_pass(&cursor->ghosts, cursor->chunk.leaf->max_definition);
    else if (!batch->has_repetition)
        lam_ghost_levels_pass(&cursor->ghosts, definition[batch->count - 1]);
    else
        batch->count = lam_ghost_levels_drop(&cursor->ghosts, repetition, definition, batch->count);
}

/* Leaves the open page after the last value of its last batch, while its bytes exist. */
static lam_status end_batch(lam_column_cursor *cursor, lam_error *error) {
    if (!lam_page_decoder_is_read(&cursor->page))
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_decoder_keep_last(&cursor->page, error));
    return lam_page_decoder_end(&cursor->page, error);
}

/*
 * Checks that the row group has one more row, if the caller's bound ends before a record that must
 * follow. So a chunk of too many rows fails even if the caller wants none of them.
 */
static lam_status check_last_row(const lam_column_cursor *cursor, lam_error *error) {
    if (cursor->rows == cursor->chunk.row_count)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk has %" PRId64 " values, more than the %" PRIu64
                 " rows of its row group take",
                 cursor->chunk.column->num_values, cursor->chunk.row_count);
    return LAM_STATUS_OK;
}

/*
 * Reads the levels of a batch of the open page, and counts them. A batch whose values are all null
 * has no values to read.
 */
static lam_status take_batch(lam_column_cursor *cursor, const lam_batch_bounds *bounds,
                             uint8_t *repetition, uint8_t *definition, lam_batch *ret_batch,
                             lam_error *error) {
    lam_batch batch;
    lam_batch_bounds of_page = *bounds; /* which knows the dictionary by now */
    if (bounds->is_lent && bounds->triples > cursor->lent_most)
        of_page.triples = cursor->lent_most;
    LAM_TRY(lam_page_decoder_read_levels(&cursor->page, &of_page, repetition, definition, &batch,
                                         error));
    if (batch.count > 0 && batch.has_repetition)
        LAM_TRY(lam_cursor_check_first(cursor, repetition[0], error));
    if (batch.count == 0)
        return check_last_row(cursor, error);
    cursor->triples += batch.count;
    cursor->rows += batch.row_count;
    LAM_TRY(lam_cursor_check_rows(cursor, error));
    if (batch.value_count == 0)
        LAM_TRY(end_batch(cursor, error));
    if (cursor->chunk.has_ghosts)
        drop_ghosts(cursor, repetition, definition, &batch);
    *ret_batch = batch;
    return LAM_STATUS_OK;
}

/*
 * Reads the next batch of the open page, or of the one after it; gives none if the bounds or the
 * chunk allow no more. There are triples left in the chunk.
 *
 * A bound of 0 rows requests the rest of the open record: a flat leaf has none, and between two
 * pages that the offset index has, the second need not be opened to know it.
 */
static lam_status next_batch(lam_column_cursor *cursor, const lam_batch_bounds *bounds,
                             uint8_t *repetition, uint8_t *definition, lam_batch *ret_batch,
                             lam_error *error) {
    bool is_read = lam_page_decoder_is_read(&cursor->page), ends = false;
    uint64_t pass_rows = 0;
    if (bounds->rows == 0 && cursor->chunk.leaf->max_repetition == 0)
        return check_last_row(cursor, error);
    if (bounds->triples == 0)
        return LAM_STATUS_OK;
    if (bounds->rows == 0 && is_read)
        LAM_TRY(lam_cursor_page_ends_record(cursor, &ends, error));
    if (ends)
        return check_last_row(cursor, error);
    if (is_read)
        LAM_TRY(lam_cursor_next_page(cursor, &pass_rows, error));
    lam_status status = take_batch(cursor, bounds, repetition, definition, ret_batch, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, cursor->page_offset);
    return status;
}

/*
 * Reads the next batch of a chunk that is not empty. A batch of which only elements that do not
 * exist were read is empty and not the end, so another one follows; it ends, since `triples` grows.
 */
static lam_status read_some_batch(lam_column_cursor *cursor, const lam_batch_bounds *bounds,
                                  uint8_t *repetition, uint8_t *definition, lam_batch *ret_batch,
                                  lam_error *error) {
    lam_batch batch = {0};
    uint64_t before;
    do { /* again if all of a batch was dropped */
        LAM_TRY(lam_stop_check(cursor->chunk.stop, error));
        before = cursor->triples;
        if (before == (uint64_t)cursor->chunk.column->num_values)
            LAM_TRY(lam_cursor_check_rest(cursor, error));
        else
            LAM_TRY(next_batch(cursor, bounds, repetition, definition, &batch, error));
    } while (batch.count == 0 && cursor->triples != before);
    cursor->is_between = batch.count == 0 && bounds->triples > 0;
    *ret_batch = batch;
    return LAM_STATUS_OK;
}

/* Reads the next batch, with the checks of the two ends of a chunk. */
static lam_status read_batch(lam_column_cursor *cursor, const lam_batch_bounds *bounds,
                             uint8_t *repetition, uint8_t *definition, lam_batch *ret_batch,
                             lam_error *error) {
    if (cursor->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "an earlier read failed");
    if (cursor->derived != NULL)
        return lam_cursor_derived_batch(cursor, bounds, repetition, definition, ret_batch, error);
    if (cursor->chunk.column->num_values == 0 && cursor->chunk.row_count != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk has no values and its row group %" PRIu64 " rows",
                 cursor->chunk.row_count);
    return read_some_batch(cursor, bounds, repetition, definition, ret_batch, error);
}

lam_status lam_column_cursor_read_levels(lam_column_cursor *cursor, size_t max_triples,
                                         uint64_t max_rows, uint8_t *repetition,
                                         uint8_t *definition, lam_batch *ret_batch,
                                         lam_error *error) {
    const lam_batch_bounds bounds = {max_triples, max_rows, LEVELS_LONG_RUN, false};
    return end_verb(cursor, read_batch(cursor, &bounds, repetition, definition, ret_batch, error),
                    error);
}

/* --- Values -------------------------------------------------------------------------------- */

static lam_status read_some(lam_column_cursor *cursor, size_t count, const lam_value_target *to,
                            lam_error *error) {
    if (cursor->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "an earlier read failed");
    if (count == 0)
        return LAM_STATUS_OK;
    if (cursor->derived != NULL) {
        lam_cursor_derived_values(cursor, count, to->values);
        return LAM_STATUS_OK;
    }
    lam_status status = lam_page_decoder_read(&cursor->page, count, to, error);
    if (status == LAM_STATUS_OK && cursor->page.batch_values == 0)
        status = end_batch(cursor, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, cursor->page_offset);
    return status;
}

lam_status lam_column_cursor_read_values(lam_column_cursor *cursor, size_t count, void *values,
                                         lam_error *error) {
    const lam_value_target to = {.values = values};
    return end_verb(cursor, read_some(cursor, count, &to, error), error);
}

lam_status lam_column_cursor_read_indexes(lam_column_cursor *cursor, size_t count,
                                          uint32_t *indexes, lam_error *error) {
    const lam_value_target to = {.indexes = indexes};
    return end_verb(cursor, read_some(cursor, count, &to, error), error);
}

lam_status lam_column_cursor_read_slots(lam_column_cursor *cursor, const void *entries, size_t size,
                                        size_t count, void *slots, lam_error *error) {
    const lam_value_target to = {.values = slots, .entries = entries, .entry_size = size};
    return end_verb(cursor, read_some(cursor, count, &to, error), error);
}

bool lam_column_cursor_can_pick(const lam_column_cursor *cursor, bool few) {
    return cursor->page.is_open &&
           lam_decoder_can_pick(cursor->page.page.encoding, cursor->page.layout.type, few);
}

lam_status lam_column_cursor_pick(lam_column_cursor *cursor, size_t count,
                                  const lam_value_target *to, lam_error *error) {
    assert(to->picks != NULL && to->picks->count > 0);
    return end_verb(cursor, read_some(cursor, count, to, error), error);
}

static lam_status skip_some(lam_column_cursor *cursor, size_t count, lam_error *error) {
    if (cursor->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "an earlier read failed");
    if (count == 0)
        return LAM_STATUS_OK;
    if (cursor->derived != NULL) {
        lam_cursor_derived_values(cursor, count, NULL);
        return LAM_STATUS_OK;
    }
    lam_page_decoder_skip(&cursor->page, count);
    lam_status status = cursor->page.batch_values == 0 ? end_batch(cursor, error) : LAM_STATUS_OK;
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, cursor->page_offset);
    return status;
}

lam_status lam_column_cursor_skip_values(lam_column_cursor *cursor, size_t count,
                                         lam_error *error) {
    return end_verb(cursor, skip_some(cursor, count, error), error);
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Reads the levels of a batch into the cursor's own arrays and skips its values. */
static lam_status skip_batch(lam_column_cursor *cursor, uint64_t rows, lam_batch *ret_batch,
                             lam_error *error) {
    const lam_batch_bounds bounds = {cursor->room.triples, rows, LENT_RUN, false};
    LAM_TRY(read_batch(cursor, &bounds, cursor->room.repetition, cursor->room.definition, ret_batch,
                       error));
    return skip_some(cursor, cursor->page.batch_values, error);
}

/*
 * Skips entire pages first if that is possible, then batches. The last round has 0 rows and skips
 * the rest of the last record, which may reach over several pages; an empty batch ends the loop.
 */
static lam_status skip_rows(lam_column_cursor *cursor, uint64_t rows, lam_error *error) {
    lam_batch batch = {.count = 1};
    while (batch.count > 0) {
        bool at_end = cursor->triples == (uint64_t)cursor->chunk.column->num_values;
        if (rows > 0 && !cursor->failed && !at_end && lam_page_decoder_is_read(&cursor->page))
            LAM_TRY(lam_cursor_next_page(cursor, &rows, error));
        LAM_TRY(skip_batch(cursor, rows, &batch, error));
        rows -= batch.row_count;
    }
    return LAM_STATUS_OK;
}

lam_status lam_column_cursor_skip_to(lam_column_cursor *cursor, uint64_t row, lam_error *error) {
    assert(row >= cursor->rows);
    if (row == cursor->rows && cursor->is_between && !cursor->failed)
        return LAM_STATUS_OK;
    if (cursor->derived != NULL && !cursor->failed)
        return end_verb(cursor, lam_cursor_skip_derived(cursor, row, error), error);
    return end_verb(cursor, skip_rows(cursor, row - cursor->rows, error), error);
}

lam_status lam_column_cursor_page_begins(lam_column_cursor *cursor, uint64_t offset,
                                         bool *ret_begins, lam_error *error) {
    lam_page_walk *walk = &cursor->file.walk;
    uint64_t next = walk->next;
    *ret_begins = false;
    if (offset < next || offset > walk->window.end)
        return LAM_STATUS_OK;
    walk->next = offset;
    lam_status status =
        lam_page_peek_begins(walk, &cursor->reader, cursor->chunk.stop, ret_begins, error);
    walk->next = next;
    return end_verb(cursor, status, error);
}

/*
 * Lends a batch: its arrays belong to the cursor and are used again by the next one. With
 * `as_indexes`, values of a dictionary are lent as indexes, if its elements have room for them.
 */
static lam_status lend(lam_column_cursor *cursor, const lam_batch_bounds *bounds, bool as_indexes,
                       lam_batch *ret_batch, lam_error *error) {
    lam_batch_room *room = &cursor->room;
    LAM_TRY(read_batch(cursor, bounds, room->repetition, room->definition, ret_batch, error));
    ret_batch->is_dictionary &= as_indexes && room->element >= sizeof(uint32_t);
    if (ret_batch->value_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_batch_room_need_values(room, error));
    lam_value_target to = {.values = room->values};
    if (ret_batch->is_dictionary)
        to = (lam_value_target){.indexes = room->values};
    return read_some(cursor, ret_batch->value_count, &to, error);
}

/* Lends the next batch as triples; `*ret_indexes` says which form its values have. */
static lam_status lend_rows(lam_column_cursor *cursor, size_t max_triples, bool as_indexes,
                            uint64_t *rows, lam_triples *ret_triples, bool *ret_indexes,
                            lam_error *error) {
    const lam_batch_room *room = &cursor->room;
    size_t most = max_triples < room->triples ? max_triples : room->triples;
    const lam_batch_bounds bounds = {most, *rows, LENT_RUN, true};
    lam_batch batch;
    if (cursor->derived != NULL && !cursor->failed) {
        *ret_indexes = false;
        return end_verb(
            cursor, lam_cursor_read_derived(cursor, max_triples, rows, ret_triples, error), error);
    }
    LAM_TRY(end_verb(cursor, lend(cursor, &bounds, as_indexes, &batch, error), error));
    lam_triples triples = {.count = batch.count, .value_count = batch.value_count};
    triples.repetition = batch.has_repetition ? room->repetition : NULL;
    triples.definition = batch.has_definition ? room->definition : NULL;
    triples.values = room->values;
    *rows -= batch.row_count;
    *ret_triples = triples;
    *ret_indexes = batch.is_dictionary;
    return LAM_STATUS_OK;
}

lam_status lam_column_cursor_read_rows(lam_column_cursor *cursor, size_t max_triples,
                                       uint64_t *rows, lam_triples *ret_triples, lam_error *error) {
    bool indexes;
    return lend_rows(cursor, max_triples, false, rows, ret_triples, &indexes, error);
}

lam_status lam_column_cursor_read_entries(lam_column_cursor *cursor, size_t max_triples,
                                          uint64_t *rows, lam_triples *ret_triples,
                                          bool *ret_indexes, lam_error *error) {
    return lend_rows(cursor, max_triples, true, rows, ret_triples, ret_indexes, error);
}

lam_status lam_column_cursor_read(lam_column_cursor *cursor, size_t max_triples,
                                  lam_triples *ret_triples, lam_error *error) {
    uint64_t rows = UINT64_MAX;
    return lam_column_cursor_read_rows(cursor, max_triples, &rows, ret_triples, error);
}
