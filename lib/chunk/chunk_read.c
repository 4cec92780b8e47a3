/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a column chunk and moves through its pages: checks its metadata, decodes the dictionary,
 * and uncompresses data pages or skips them. In come the footer's column and the bytes of the
 * chunk; out goes the open page, from which chunk_batch.c decodes.
 *
 *   next_page   header -> dictionary: decode it, once, before all data pages
 *                      -> data page: count its rows, then skip it or open it
 *                      -> any other page: ignore it
 *
 * The invariant: the pages hold exactly the triples that the footer states, and their rows are
 * those of the row group. No count of the file is trusted alone: each page is checked against the
 * triples left, and the offset index against the rows that the pages have. (README.md of the
 * format, "Column chunks")
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/stop.h"
#include "chunk/chunk_reader.h"

enum {
    CHUNK_BATCH = 2048,          /* triples lent at once: levels and values stay in the L1 cache */
    CHUNK_BATCH_BYTES = 64 << 10 /* of values lent at once, or one larger value */
};

/* --- Opening ------------------------------------------------------------------------------- */

/* Gives the codec of the format's number; DEFAULT for an unknown one. */
static lam_codec codec_from_number(int32_t number) {
    return number >= 0 && number <= 7 ? (lam_codec)(number + 1) : LAM_CODEC_DEFAULT;
}

/* Checks that the footer and the schema agree on the type, and that this build has the codec. */
static lam_status chunk_check_column(const lam_chunk_source *source, lam_codec *ret_codec,
                                     lam_error *error) {
    const lam_meta_column *column = source->column;
    if (column->type != source->leaf->physical_type)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_TYPE,
                 "the chunk has physical type %" PRId32 ", but the schema has %d", column->type,
                 (int)source->leaf->physical_type);
    *ret_codec = codec_from_number(column->codec);
    if (*ret_codec == LAM_CODEC_DEFAULT)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC, "unknown codec %" PRId32, column->codec);
    return lam_codec_check_read(*ret_codec, error);
}

/*
 * Chooses how many triples are lent at once. Values of a fixed length may be of any size: of 1 MiB
 * each, one is lent; of 100 bytes, 655. A chunk of fewer triples needs no more room than its own.
 */
static lam_status size_batch(lam_chunk_reader *reader, lam_error *error) {
    size_t element = lam_layout_size(reader->layout);
    if (element > reader->source.memory_limit)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a value of %zu bytes is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 element, reader->source.memory_limit);
    size_t most = element > CHUNK_BATCH_BYTES ? 1 : CHUNK_BATCH_BYTES / element;
    most = most < CHUNK_BATCH ? most : CHUNK_BATCH;
    uint64_t count = (uint64_t)reader->source.column->num_values;
    reader->batch_triples = count < most ? (size_t)count : most;
    return LAM_STATUS_OK;
}

static lam_status allocate_batch_room(lam_chunk_reader *reader, lam_error *error) {
    void *memory;
    LAM_TRY(size_batch(reader, error));
    LAM_TRY(lam_alloc(&reader->allocator, reader->batch_triples, &memory, error));
    reader->repetition = memory;
    LAM_TRY(lam_alloc(&reader->allocator, reader->batch_triples, &memory, error));
    reader->definition = memory;
    return LAM_STATUS_OK;
}

/*
 * Reads nothing yet, so that a reader of many columns costs little before the first of them is
 * read.
 */
lam_status lam_chunk_reader_create(const lam_chunk_source *source, const lam_allocator *allocator,
                                   lam_chunk_reader **ret_reader, lam_error *error) {
    lam_status status;
    lam_codec codec;
    lam_chunk_range range;
    if (lam_is_in_vector(source->leaf))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VECTOR,
                 "the column is in a VECTOR (parquet-format#592), which is not read");
    LAM_TRY(chunk_check_column(source, &codec, error));
    LAM_TRY(lam_chunk_find(source->column, source->limit, &range, error));
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_chunk_reader), &memory, error));
    lam_chunk_reader *reader = memory;
    reader->allocator = *allocator;
    reader->source = *source;
    reader->layout.type = (lam_physical_type)source->leaf->physical_type;
    reader->layout.type_length = source->leaf->type_length;
    lam_page_walk_init(&reader->walk, source->input, range, allocator);
    lam_arena_init(&reader->arena, allocator, (size_t)source->memory_limit);
    lam_buffer_init(&reader->dictionary_bytes, allocator);
    lam_page_reader_init(&reader->page_reader, source->kernels, codec, source->leaf,
                         source->verify_crc, source->memory_limit, NULL, allocator);
    if (source->codecs == NULL)
        LAM_TRY_OUT(lam_codec_context_create(allocator, &reader->own_codecs, error));
    reader->page_reader.codecs = source->codecs != NULL ? source->codecs : reader->own_codecs;
    reader->page_reader.hides_compression = source->hides_compression;
    lam_ghost_levels_init(&reader->ghosts, source->leaf);
    LAM_TRY_OUT(allocate_batch_room(reader, error));
    *ret_reader = reader;
    return LAM_STATUS_OK;
out:
    lam_chunk_reader_destroy(reader);
    return status;
}

lam_status lam_chunk_need_values(lam_chunk_reader *reader, lam_error *error) {
    if (reader->values != NULL)
        return LAM_STATUS_OK;
    return lam_alloc(&reader->allocator, reader->batch_triples * lam_layout_size(reader->layout),
                     &reader->values, error);
}

/* --- Pages that are read again ------------------------------------------------------------- */

lam_status lam_chunk_reader_cache_pages(lam_chunk_reader *reader, lam_page_cache *cache,
                                        lam_error *error) {
    return lam_page_cache_add_chunk(cache, reader->source.leaf->first_leaf, &reader->cache_out,
                                    error);
}

void lam_chunk_reader_use_cached_pages(lam_chunk_reader *reader, const lam_page_cache *cache) {
    reader->cache_in = lam_page_cache_find_chunk(cache, reader->source.leaf->first_leaf);
}

/*
 * Records where the page at `offset` lies, and which row its first triple belongs to: a repeated
 * leaf may continue the record before it.
 */
static void start_location(lam_chunk_reader *reader, uint64_t offset) {
    bool goes_on = reader->source.leaf->max_repetition > 0 && reader->rows > 0;
    reader->location.offset = offset;
    reader->location.first_row = reader->rows - goes_on;
}

/*
 * Moves the page that was left to the cache. Its rows end where the next row begins, which is known
 * only now. The page reader then borrows memory for the next page from the cache.
 */
static lam_status put_page(lam_chunk_reader *reader, lam_error *error) {
    reader->location.end_row = reader->rows;
    if (reader->cache_out == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_cached_chunk_put(reader->cache_out, reader->location, &reader->page_reader.body,
                                 error));
    lam_cached_chunk_lend(reader->cache_out, &reader->page_reader.body);
    return LAM_STATUS_OK;
}

/* The dictionary serves all rows of the chunk, so it is kept as long as any row is wanted. */
lam_status lam_chunk_reader_cache_last_pages(lam_chunk_reader *reader, lam_error *error) {
    const lam_page_rows_location dictionary = {reader->dictionary_offset, 0, reader->rows};
    if (reader->cache_out == NULL)
        return LAM_STATUS_OK;
    reader->failed = true; /* its page and its dictionary have moved away */
    LAM_TRY(put_page(reader, error));
    return lam_cached_chunk_put(reader->cache_out, dictionary, &reader->dictionary_bytes, error);
}

/* Returns the memory of pages that were taken from the cache. */
static void chunk_give_back(lam_chunk_reader *reader) {
    if (reader->cache_in == NULL)
        return;
    lam_cached_chunk_give_back(reader->cache_in, &reader->page_reader.body);
    lam_cached_chunk_give_back(reader->cache_in, &reader->dictionary_bytes);
}

/* --- Memory of pages ----------------------------------------------------------------------- */

void lam_chunk_reader_use_page_memory(lam_chunk_reader *reader, const lam_allocator *allocator) {
    if (reader->cache_in == NULL && reader->cache_out == NULL)
        reader->page_reader.body.allocator = *allocator;
}

lam_bytes lam_chunk_reader_page_memory(const lam_chunk_reader *reader, uint32_t *ret_triples) {
    *ret_triples = reader->page.value_count;
    return lam_buffer_bytes(&reader->page_reader.body);
}

/* The next page finds no memory, and takes new. */
void lam_chunk_reader_keep_page(lam_chunk_reader *reader) {
    lam_allocator allocator = reader->page_reader.body.allocator;
    lam_buffer_init(&reader->page_reader.body, &allocator);
}

/* --- Closing ------------------------------------------------------------------------------- */

void lam_chunk_reader_destroy(lam_chunk_reader *reader) {
    if (reader == NULL)
        return;
    lam_allocator allocator = reader->allocator;
    chunk_give_back(reader);
    lam_page_walk_finish(&reader->walk);
    lam_arena_finish(&reader->arena);
    lam_buffer_finish(&reader->dictionary_bytes);
    lam_page_reader_finish(&reader->page_reader);
    lam_codec_context_destroy(reader->own_codecs);
    lam_free(&allocator, reader->dictionary_values, reader->dictionary_values_size);
    lam_free(&allocator, reader->repetition, reader->batch_triples);
    lam_free(&allocator, reader->definition, reader->batch_triples);
    lam_free(&allocator, reader->values, reader->batch_triples * lam_layout_size(reader->layout));
    lam_free(&allocator, reader, sizeof *reader);
}

/* --- Dictionary ---------------------------------------------------------------------------- */

/*
 * Decodes the entries of the dictionary. Their number comes from the page header: an entry takes at
 * least 4 bytes (BYTE_ARRAY, its length) or its fixed length, which bounds the number before it
 * sizes anything. An empty string takes 4 bytes in the file and 16 here, hence the second bound.
 */
static lam_status chunk_decode_dictionary(lam_chunk_reader *reader, uint32_t count,
                                          lam_error *error) {
    lam_bytes bytes = lam_buffer_bytes(&reader->dictionary_bytes);
    size_t element = lam_layout_size(reader->layout);
    size_t least = reader->layout.type == LAM_PHYSICAL_BYTE_ARRAY ? 4 : element;
    if (count > bytes.size / least)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE,
                 "a dictionary of %" PRIu32 " values cannot have %zu bytes", count, bytes.size);
    if (count > reader->source.memory_limit / element)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a dictionary of %" PRIu32 " values is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 count, reader->source.memory_limit);
    LAM_TRY(lam_alloc(&reader->allocator, count * element, &reader->dictionary_values, error));
    reader->dictionary_values_size = count * element;
    lam_decoder decoder;
    LAM_TRY(lam_decoder_init(&decoder, reader->source.kernels, LAM_ENCODING_PLAIN, reader->layout,
                             bytes, NULL, &reader->arena, error));
    LAM_TRY(lam_decoder_read(&decoder, count, reader->dictionary_values, error));
    reader->dictionary.values = reader->dictionary_values;
    reader->dictionary.count = count;
    return LAM_STATUS_OK;
}

/*
 * Gives the uncompressed bytes of the dictionary, from the cache if it has them, and the number of
 * entries.
 */
static lam_status uncompress_dictionary(lam_chunk_reader *reader,
                                        const lam_meta_page_header *header, uint64_t offset,
                                        uint32_t *ret_count, lam_error *error) {
    lam_bytes body;
    LAM_TRY(lam_page_check_sizes(&reader->page_reader, header, error));
    if (reader->cache_in != NULL &&
        lam_cached_chunk_take(reader->cache_in, offset, (size_t)header->uncompressed_page_size,
                              &reader->dictionary_bytes))
        return lam_page_count_dictionary(header, ret_count, error);
    if (reader->cache_out != NULL)
        lam_cached_chunk_lend(reader->cache_out, &reader->dictionary_bytes);
    LAM_TRY(lam_page_walk_body(&reader->walk, &body, error));
    return lam_page_read_dictionary(&reader->page_reader, header, body, &reader->dictionary_bytes,
                                    ret_count, error);
}

/*
 * Reads the dictionary page, which must be the first one: indexes before it would have no meaning,
 * and a second one would change the meaning of indexes that were read. Booleans never have one.
 */
static lam_status chunk_read_dictionary(lam_chunk_reader *reader,
                                        const lam_meta_page_header *header, uint64_t offset,
                                        lam_error *error) {
    if (reader->has_dictionary || reader->has_page)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PLACE,
                 "a dictionary page that is not the chunk's first page");
    if (reader->layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE, "a dictionary of booleans");
    uint32_t count;
    LAM_TRY(uncompress_dictionary(reader, header, offset, &count, error));
    LAM_TRY(chunk_decode_dictionary(reader, count, error));
    reader->dictionary_offset = offset;
    reader->has_dictionary = true;
    return LAM_STATUS_OK;
}

/* --- Pages --------------------------------------------------------------------------------- */

/* Checks that the chunk has as many triples left as a page states. */
static lam_status check_page_count(const lam_chunk_reader *reader, uint32_t count,
                                   lam_error *error) {
    uint64_t left = (uint64_t)reader->source.column->num_values - reader->triples;
    if (count > left)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES,
                 "a page of %" PRIu32 " values, but the chunk has %" PRIu64 " left", count, left);
    return LAM_STATUS_OK;
}

/* Makes `page` the open page, of which nothing is read yet. */
static void chunk_read_start_page(lam_chunk_reader *reader, const lam_page *page, uint64_t offset) {
    reader->page = *page;
    reader->page_offset = offset;
    reader->has_page = true;
    reader->decoding = false;
    reader->page_triples = 0;
    reader->page_rows = 0;
    reader->batch_values = 0;
    reader->deferred_values = 0;
    lam_arena_reset(&reader->arena);
}

/*
 * Gives the uncompressed bytes of a page, from the cache or from the file. The page before it moves
 * to the cache first, because both use `body` of the page reader.
 */
static lam_status chunk_uncompress_page(lam_chunk_reader *reader,
                                        const lam_meta_page_header *header, uint64_t offset,
                                        lam_bytes *ret_plain, lam_error *error) {
    lam_page_reader *decompressor = &reader->page_reader;
    lam_bytes body;
    LAM_TRY(lam_page_check_sizes(decompressor, header, error));
    LAM_TRY(put_page(reader, error));
    if (reader->cache_in != NULL &&
        lam_cached_chunk_take(reader->cache_in, offset, (size_t)header->uncompressed_page_size,
                              &decompressor->body)) {
        *ret_plain = lam_buffer_bytes(&decompressor->body);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_page_walk_body(&reader->walk, &body, error));
    LAM_TRY(lam_page_uncompress(decompressor, header, body, ret_plain, error));
    start_location(reader, offset);
    return LAM_STATUS_OK;
}

/* Uncompresses and opens a data page. */
static lam_status chunk_open_page(lam_chunk_reader *reader, const lam_meta_page_header *header,
                                  uint64_t offset, lam_error *error) {
    lam_bytes plain;
    lam_page page;
    LAM_TRY(chunk_uncompress_page(reader, header, offset, &plain, error));
    LAM_TRY(lam_page_open(&reader->page_reader, header, plain, &page, error));
    LAM_TRY(check_page_count(reader, page.value_count, error));
    reader->page_bytes += (uint64_t)header->uncompressed_page_size;
    chunk_read_start_page(reader, &page, offset);
    return LAM_STATUS_OK;
}

/*
 * Gives the number of rows that the offset index states for the page at `offset`; -1 if it states
 * nothing. Pages come in the order of their offsets, so the search goes on where the last one
 * ended. Rows of the last page end with the row group.
 */
static int64_t rows_by_index(lam_chunk_reader *reader, uint64_t offset) {
    while (reader->next_location < reader->page_count &&
           (uint64_t)reader->locations[reader->next_location].offset < offset)
        reader->next_location++;
    size_t here = reader->next_location;
    if (here >= reader->page_count || (uint64_t)reader->locations[here].offset != offset)
        return -1;
    int64_t end = here + 1 < reader->page_count ? reader->locations[here + 1].first_row_index
                                                : (int64_t)reader->source.row_count;
    return end - reader->locations[here].first_row_index;
}

/* Fails because the offset index contradicts the page. */
static lam_status chunk_fail_index(int64_t stated, int64_t rows, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_OFFSET_INDEX_ROWS,
             "the offset index gives %" PRId64 " rows to a page that has %" PRId64, stated, rows);
}

/*
 * With an offset index, pages begin with a record (parquet.thrift, OffsetIndex): so does what
 * follows a page that the index knows.
 */
bool lam_chunk_page_ends_record(lam_chunk_reader *reader) {
    reader->must_begin =
        reader->must_begin || (reader->has_page && rows_by_index(reader, reader->page_offset) >= 0);
    return reader->must_begin;
}

/*
 * The decoder reports bytes that follow the last value, but only if all values before them were
 * decoded.
 */
lam_status lam_chunk_leave_page(lam_chunk_reader *reader, lam_error *error) {
    int64_t stated = rows_by_index(reader, reader->page_offset);
    if (stated >= 0 && stated != reader->page_rows)
        return chunk_fail_index(stated, reader->page_rows, error);
    return reader->decoding && reader->deferred_values == 0
               ? lam_decoder_end(&reader->decoder, error)
               : LAM_STATUS_OK;
}

lam_status lam_chunk_check_rows(const lam_chunk_reader *reader, lam_error *error) {
    bool at_end = reader->triples == (uint64_t)reader->source.column->num_values;
    if (reader->rows > reader->source.row_count ||
        (at_end && reader->rows != reader->source.row_count))
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk has %s%" PRIu64 " rows, but its row group has %" PRIu64,
                 at_end ? "" : "at least ", reader->rows, reader->source.row_count);
    return LAM_STATUS_OK;
}

void lam_chunk_reader_use_locations(lam_chunk_reader *reader,
                                    const lam_meta_page_location *locations, size_t page_count) {
    reader->locations = locations;
    reader->page_count = page_count;
    reader->next_location = 0;
}

/*
 * Skips a data page if the caller passes rows and the page has no more than these, or opens it.
 *
 * A skipped page counts as read: its triples and rows are added, and no page is open. If the offset
 * index stated its rows, the next page must begin with a record, which is checked when that page is
 * read. A count of rows above that of triples is false and opens the page, whose levels then show
 * it.
 */
static lam_status take_page(lam_chunk_reader *reader, const lam_meta_page_header *header,
                            uint64_t offset, uint64_t *pass_rows, lam_error *error) {
    lam_page_row_count count;
    int64_t stated = rows_by_index(reader, offset);
    bool passes = *pass_rows > 0;
    LAM_TRY(lam_chunk_count_rows(reader, header, stated, passes, &count, error));
    if (count.rows >= 0 && stated >= 0 && stated != count.rows)
        return chunk_fail_index(stated, count.rows, error);
    if (!passes || count.rows < 0 || count.rows > count.triples ||
        (uint64_t)count.rows > *pass_rows)
        return chunk_open_page(reader, header, offset, error);
    LAM_TRY(check_page_count(reader, (uint32_t)count.triples, error));
    static const lam_page nothing;
    chunk_read_start_page(reader, &nothing, offset);
    lam_ghost_levels_pass(&reader->ghosts, 0);
    reader->triples += (uint64_t)count.triples;
    reader->rows += (uint64_t)count.rows;
    reader->must_begin = stated >= 0 && reader->source.leaf->max_repetition > 0;
    *pass_rows -= (uint64_t)count.rows;
    return lam_chunk_check_rows(reader, error);
}

/* True if the cache has the next page, so that only its header is read from the file. */
static bool has_next_page(const lam_chunk_reader *reader) {
    return reader->cache_in != NULL && lam_cached_chunk_has(reader->cache_in, reader->walk.next);
}

/*
 * Pages without triples are opened and left at once, so the loop ends with triples to read, or with
 * the chunk. The walk ends at the chunk's stated size, extended once by what old writers did not
 * count.
 */
lam_status lam_chunk_next_page(lam_chunk_reader *reader, uint64_t *pass_rows, lam_error *error) {
    do {
        if (lam_page_walk_at_end(&reader->walk) && !lam_page_walk_extend(&reader->walk))
            LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES,
                     "the chunk ends after %" PRIu64 " of %" PRId64 " values", reader->triples,
                     reader->source.column->num_values);
        lam_meta_page_header header;
        uint64_t offset;
        LAM_TRY(lam_stop_check(reader->source.stop, error));
        reader->walk.header_only = *pass_rows > 0 || has_next_page(reader);
        LAM_TRY(lam_page_walk_next(&reader->walk, &header, &offset, error));
        lam_status status = LAM_STATUS_OK;
        if (header.type == LAM_PAGE_DICTIONARY)
            status = chunk_read_dictionary(reader, &header, offset, error);
        else if (header.type == LAM_PAGE_DATA || header.type == LAM_PAGE_DATA_V2)
            status = take_page(reader, &header, offset, pass_rows, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_offset(error, offset);
            return status;
        }
    } while (lam_chunk_page_is_read(reader) &&
             reader->triples < (uint64_t)reader->source.column->num_values);
    return LAM_STATUS_OK;
}

/* Reads the first page if it is a dictionary; else sets the walk back to its header. */
static lam_status load_dictionary(lam_chunk_reader *reader, lam_error *error) {
    lam_meta_page_header header;
    uint64_t offset;
    LAM_TRY(lam_page_walk_next(&reader->walk, &header, &offset, error));
    if (header.type != LAM_PAGE_DICTIONARY) {
        reader->walk.next = offset;
        return LAM_STATUS_OK;
    }
    lam_status status = chunk_read_dictionary(reader, &header, offset, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, offset);
    return status;
}

lam_status lam_chunk_reader_load_dictionary(lam_chunk_reader *reader, lam_error *error) {
    if (reader->has_dictionary || reader->has_page || lam_page_walk_at_end(&reader->walk))
        return LAM_STATUS_OK;
    lam_status status = load_dictionary(reader, error);
    reader->failed = status != LAM_STATUS_OK;
    return status;
}

/*
 * Bytes that do not parse as a page header (CORRUPT, or LIMIT if it is too long) end the search
 * without a failure; input errors and cancellation are passed on.
 */
lam_status lam_chunk_check_rest(lam_chunk_reader *reader, lam_error *error) {
    while (!lam_page_walk_at_end(&reader->walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        lam_error failure = lam_error_none();
        LAM_TRY(lam_stop_check(reader->source.stop, error));
        lam_status status = lam_page_walk_next(&reader->walk, &header, &offset, &failure);
        if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_LIMIT)
            return LAM_STATUS_OK;
        if (status != LAM_STATUS_OK && error != NULL)
            *error = failure;
        LAM_TRY(status);
        int32_t count = 0;
        if (header.type == LAM_PAGE_DATA && header.data_page_header != NULL)
            count = header.data_page_header->num_values;
        else if (header.type == LAM_PAGE_DATA_V2 && header.data_page_header_v2 != NULL)
            count = header.data_page_header_v2->num_values;
        if (count > 0) {
            lam_error_set(error, LAM_ERROR_CODE_CHUNK_VALUES,
                          "a page of %" PRId32 " values after the last of the chunk's %" PRIu64,
                          count, reader->triples);
            lam_error_at_offset(error, offset);
            return LAM_STATUS_CORRUPT;
        }
    }
    return LAM_STATUS_OK;
}
