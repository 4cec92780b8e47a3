#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "chunk/chunk.h"
#include "encoding/decoder.h"
#include "kernel/kernel.h"
#include "page/page.h"

enum {
    BATCH = 2048, /* triples lent at once: levels and values of a batch stay in the nearest cache */
    BATCH_BYTES = 64 << 10, /* of values, unless one value is larger */
    LONG_RUN = 64 /* levels that are worth ending a batch for, to lend them as "all the same" */
};

struct lam_chunk_reader {
    lam_allocator allocator;
    lam_chunk_source source;
    lam_value_layout layout;
    lam_codec_context *codecs;
    lam_page_walk walk;
    lam_page_reader page_reader;

    lam_buffer dictionary_bytes;
    void *dictionary_values;
    size_t dictionary_values_size;
    lam_dictionary dictionary;
    bool has_dictionary;

    bool has_page;
    uint64_t page_offset; /* of the open page's header */
    lam_page page;
    lam_decoder decoder;
    bool decoding;         /* `decoder` has started on the page */
    uint32_t page_triples; /* already read of the open page */
    uint32_t page_rows;
    uint32_t page_nulls;
    lam_arena arena; /* values that the decoder builds for the open page */

    bool failed;
    uint64_t triples; /* read of the chunk */
    uint64_t rows;
    size_t batch;
    uint8_t *repetition; /* room for a batch each */
    uint8_t *definition;
    void *values; /* NULL until the first page with values */
};

/* --- Opening ------------------------------------------------------------------------------- */

static lam_codec codec_from_number(int32_t number) {
    return number >= 0 && number <= 7 ? (lam_codec)(number + 1) : LAM_CODEC_DEFAULT;
}

/* What the footer says of the column must be what the schema says. */
static lam_status check_column(const lam_chunk_source *source, lam_codec *ret_codec,
                               lam_error *error) {
    const lam_meta_column *column = source->column;
    if (column->type != source->leaf->physical_type)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "the chunk has physical type %" PRId32 " and the schema %d", column->type,
                 (int)source->leaf->physical_type);
    *ret_codec = codec_from_number(column->codec);
    if (*ret_codec == LAM_CODEC_DEFAULT)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "unknown codec %" PRId32, column->codec);
    return lam_codec_check_read(*ret_codec, error);
}

/* How many triples are lent at once: values of a fixed length may be of any size. */
static lam_status size_batch(lam_chunk_reader *reader, lam_error *error) {
    size_t element = lam_layout_size(reader->layout);
    if (element > reader->source.memory_limit)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "a value of %zu bytes is above the memory limit of %" PRIu64, element,
                 reader->source.memory_limit);
    size_t most = element > BATCH_BYTES ? 1 : BATCH_BYTES / element;
    most = most < BATCH ? most : BATCH;
    uint64_t count = (uint64_t)reader->source.column->num_values;
    reader->batch = count < most ? (size_t)count : most;
    return LAM_STATUS_OK;
}

static lam_status allocate_batch(lam_chunk_reader *reader, lam_error *error) {
    void *memory;
    LAM_TRY(size_batch(reader, error));
    LAM_TRY(lam_alloc(&reader->allocator, reader->batch, &memory, error));
    reader->repetition = memory;
    LAM_TRY(lam_alloc(&reader->allocator, reader->batch, &memory, error));
    reader->definition = memory;
    return LAM_STATUS_OK;
}

lam_status lam_chunk_reader_create(const lam_chunk_source *source, const lam_allocator *allocator,
                                   lam_chunk_reader **ret_reader, lam_error *error) {
    lam_status status;
    lam_codec codec;
    lam_chunk_range range;
    LAM_TRY(check_column(source, &codec, error));
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
    lam_page_reader_init(&reader->page_reader, codec, source->leaf, source->verify_crc,
                         source->memory_limit, NULL, allocator);
    LAM_TRY_OUT(lam_codec_context_create(allocator, &reader->codecs, error));
    reader->page_reader.codecs = reader->codecs;
    LAM_TRY_OUT(allocate_batch(reader, error));
    *ret_reader = reader;
    return LAM_STATUS_OK;
out:
    lam_chunk_reader_destroy(reader);
    return status;
}

void lam_chunk_reader_destroy(lam_chunk_reader *reader) {
    if (reader == NULL)
        return;
    lam_allocator allocator = reader->allocator;
    lam_page_walk_finish(&reader->walk);
    lam_arena_finish(&reader->arena);
    lam_buffer_finish(&reader->dictionary_bytes);
    lam_page_reader_finish(&reader->page_reader);
    lam_codec_context_destroy(reader->codecs);
    lam_free(&allocator, reader->dictionary_values, reader->dictionary_values_size);
    lam_free(&allocator, reader->repetition, reader->batch);
    lam_free(&allocator, reader->definition, reader->batch);
    lam_free(&allocator, reader->values, reader->batch * lam_layout_size(reader->layout));
    lam_free(&allocator, reader, sizeof *reader);
}

/* --- Dictionary ---------------------------------------------------------------------------- */

/* Decodes the entries; their number is bounded by the bytes that they must take. */
static lam_status decode_dictionary(lam_chunk_reader *reader, uint32_t count, lam_error *error) {
    lam_bytes bytes = lam_buffer_bytes(&reader->dictionary_bytes);
    size_t element = lam_layout_size(reader->layout);
    size_t least = reader->layout.type == LAM_PHYSICAL_BYTE_ARRAY ? 4 : element;
    if (count > bytes.size / least)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "a dictionary of %" PRIu32 " values cannot have %zu bytes", count, bytes.size);
    if (count > reader->source.memory_limit / element)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "a dictionary of %" PRIu32 " values is above the memory limit of %" PRIu64, count,
                 reader->source.memory_limit);
    LAM_TRY(lam_alloc(&reader->allocator, count * element, &reader->dictionary_values, error));
    reader->dictionary_values_size = count * element;
    lam_decoder decoder;
    LAM_TRY(lam_decoder_init(&decoder, LAM_ENCODING_PLAIN, reader->layout, bytes, NULL,
                             &reader->arena, error));
    LAM_TRY(lam_decoder_read(&decoder, count, reader->dictionary_values, error));
    reader->dictionary.values = reader->dictionary_values;
    reader->dictionary.count = count;
    return LAM_STATUS_OK;
}

static lam_status read_dictionary(lam_chunk_reader *reader, const lam_meta_page_header *header,
                                  lam_error *error) {
    if (reader->has_dictionary || reader->has_page)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a dictionary page that is not the chunk's first page");
    if (reader->layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a dictionary of booleans");
    lam_bytes body;
    uint32_t count;
    LAM_TRY(lam_page_check_sizes(&reader->page_reader, header, error));
    LAM_TRY(lam_page_walk_body(&reader->walk, &body, error));
    LAM_TRY(lam_page_read_dictionary(&reader->page_reader, header, body, &reader->dictionary_bytes,
                                     &count, error));
    LAM_TRY(decode_dictionary(reader, count, error));
    reader->has_dictionary = true;
    return LAM_STATUS_OK;
}

/* --- Pages --------------------------------------------------------------------------------- */

static lam_status open_page(lam_chunk_reader *reader, const lam_meta_page_header *header,
                            uint64_t offset, lam_error *error) {
    lam_bytes body;
    LAM_TRY(lam_page_check_sizes(&reader->page_reader, header, error));
    LAM_TRY(lam_page_walk_body(&reader->walk, &body, error));
    lam_page page;
    LAM_TRY(lam_page_read_data(&reader->page_reader, header, body, &page, error));
    uint64_t left = (uint64_t)reader->source.column->num_values - reader->triples;
    if (page.value_count > left)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "a page of %" PRIu32 " values, and the chunk has %" PRIu64 " left",
                 page.value_count, left);
    reader->page = page;
    reader->page_offset = offset;
    reader->has_page = true;
    reader->decoding = false;
    reader->page_triples = 0;
    reader->page_rows = 0;
    reader->page_nulls = 0;
    lam_arena_reset(&reader->arena);
    return LAM_STATUS_OK;
}

/* The open page must have held what its header states. */
static lam_status leave_page(lam_chunk_reader *reader, lam_error *error) {
    const lam_page *page = &reader->page;
    if (page->null_count >= 0 && page->null_count != reader->page_nulls)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a page claims %" PRId64 " nulls and has %" PRIu32,
                 page->null_count, reader->page_nulls);
    if (page->row_count >= 0 && page->row_count != reader->page_rows)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a page claims %" PRId64 " rows and has %" PRIu32,
                 page->row_count, reader->page_rows);
    return reader->decoding ? lam_decoder_end(&reader->decoder, error) : LAM_STATUS_OK;
}

/* Goes to the next page with triples; there must be one. */
static lam_status next_page(lam_chunk_reader *reader, lam_error *error) {
    do {
        if (lam_page_walk_at_end(&reader->walk) && !lam_page_walk_extend(&reader->walk))
            LAM_FAIL(error, LAM_STATUS_CORRUPT,
                     "the chunk ends after %" PRIu64 " of %" PRId64 " values", reader->triples,
                     reader->source.column->num_values);
        lam_meta_page_header header;
        uint64_t offset;
        LAM_TRY(lam_page_walk_next(&reader->walk, &header, &offset, error));
        lam_status status = LAM_STATUS_OK;
        if (header.type == LAM_PAGE_DICTIONARY)
            status = read_dictionary(reader, &header, error);
        else if (header.type == LAM_PAGE_DATA || header.type == LAM_PAGE_DATA_V2)
            status = open_page(reader, &header, offset, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_offset(error, offset);
            return status;
        }
    } while (!reader->has_page || reader->page_triples == reader->page.value_count);
    return LAM_STATUS_OK;
}

/* --- Triples ------------------------------------------------------------------------------- */

static lam_status check_levels(const uint8_t *levels, size_t count, uint8_t max_level,
                               const char *kind, lam_error *error) {
    uint8_t highest = lam_kernels_get()->max_u8(levels, count);
    if (highest > max_level)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "%s level %u where the maximum is %u", kind,
                 (unsigned)highest, (unsigned)max_level);
    return LAM_STATUS_OK;
}

/*
 * True when the next `*count` levels are all `whole`, or so many of them that `*count` is lessened
 * to that run: it is then passed over as a run and never becomes single levels.
 */
static lam_status find_run(lam_rle_decoder *runs, uint8_t max_level, uint8_t whole, size_t *count,
                           bool *ret_is_run, lam_error *error) {
    if (max_level == 0) {
        *ret_is_run = true;
        return LAM_STATUS_OK;
    }
    size_t length;
    uint32_t value;
    bool packed;
    LAM_TRY(lam_rle_peek_run(runs, *count, &length, &value, &packed, error));
    *ret_is_run = !packed && value == whole && (length == *count || length >= LONG_RUN);
    if (*ret_is_run)
        *count = length;
    return LAM_STATUS_OK;
}

/* Reads `count` levels, or passes over them and gives NULL when they are a run. */
static lam_status take_levels(lam_rle_decoder *runs, uint8_t max_level, bool is_run, size_t count,
                              const char *kind, uint8_t *levels, const uint8_t **ret_levels,
                              lam_error *error) {
    *ret_levels = is_run ? NULL : levels;
    if (max_level == 0)
        return LAM_STATUS_OK;
    if (is_run)
        return lam_rle_skip(runs, count, error);
    LAM_TRY(lam_rle_read_levels(runs, count, levels, error));
    return check_levels(levels, count, max_level, kind, error);
}

static lam_status read_values(lam_chunk_reader *reader, size_t count, lam_error *error) {
    if (count == 0)
        return LAM_STATUS_OK;
    if (reader->values == NULL)
        LAM_TRY(lam_alloc(&reader->allocator, reader->batch * lam_layout_size(reader->layout),
                          &reader->values, error));
    if (!reader->decoding) {
        LAM_TRY(lam_decoder_init(
            &reader->decoder, reader->page.encoding, reader->layout, reader->page.values,
            reader->has_dictionary ? &reader->dictionary : NULL, &reader->arena, error));
        reader->decoding = true;
    }
    return lam_decoder_read(&reader->decoder, count, reader->values, error);
}

/* Reads one batch of at most `count` triples of the open page. */
static lam_status read_batch(lam_chunk_reader *reader, size_t count, lam_triples *ret_triples,
                             lam_error *error) {
    uint8_t max_r = reader->source.leaf->max_repetition;
    uint8_t max_d = reader->source.leaf->max_definition;
    lam_page *page = &reader->page;
    lam_triples batch = {0};
    bool all_defined, all_records;
    LAM_TRY(find_run(&page->definition, max_d, max_d, &count, &all_defined, error));
    LAM_TRY(find_run(&page->repetition, max_r, 0, &count, &all_records, error));
    LAM_TRY(take_levels(&page->definition, max_d, all_defined, count, "definition",
                        reader->definition, &batch.definition, error));
    LAM_TRY(take_levels(&page->repetition, max_r, all_records, count, "repetition",
                        reader->repetition, &batch.repetition, error));
    const lam_kernels *kernels = lam_kernels_get();
    batch.count = count;
    batch.value_count = all_defined ? count : kernels->count_u8(batch.definition, count, max_d);
    LAM_TRY(read_values(reader, batch.value_count, error));
    batch.values = reader->values;
    *ret_triples = batch;
    return LAM_STATUS_OK;
}

/* Counts a batch, and checks what only the whole chunk can tell. */
static lam_status count_batch(lam_chunk_reader *reader, const lam_triples *batch,
                              lam_error *error) {
    size_t rows = batch->count;
    if (batch->repetition != NULL)
        rows = lam_kernels_get()->count_u8(batch->repetition, batch->count, 0);
    if (reader->triples == 0 && batch->repetition != NULL && batch->repetition[0] != 0)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "the first repetition level of the chunk is %u, not 0",
                 (unsigned)batch->repetition[0]);
    reader->triples += batch->count;
    reader->rows += rows;
    reader->page_triples += (uint32_t)batch->count;
    reader->page_rows += (uint32_t)rows;
    reader->page_nulls += (uint32_t)(batch->count - batch->value_count);
    bool at_end = reader->triples == (uint64_t)reader->source.column->num_values;
    if (reader->rows > reader->source.row_count ||
        (at_end && reader->rows != reader->source.row_count))
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "the chunk has %s%" PRIu64 " rows and its row group %" PRIu64,
                 at_end ? "" : "at least ", reader->rows, reader->source.row_count);
    return reader->page_triples == reader->page.value_count ? leave_page(reader, error)
                                                            : LAM_STATUS_OK;
}

static lam_status read_next(lam_chunk_reader *reader, size_t max_triples, lam_triples *ret_triples,
                            lam_error *error) {
    if (!reader->has_page || reader->page_triples == reader->page.value_count)
        LAM_TRY(next_page(reader, error));
    size_t count = reader->page.value_count - reader->page_triples;
    count = count < reader->batch ? count : reader->batch;
    count = count < max_triples ? count : max_triples;
    lam_triples batch;
    lam_status status = read_batch(reader, count, &batch, error);
    if (status == LAM_STATUS_OK)
        status = count_batch(reader, &batch, error);
    if (status != LAM_STATUS_OK) {
        lam_error_at_offset(error, reader->page_offset);
        return status;
    }
    *ret_triples = batch;
    return LAM_STATUS_OK;
}

/* Behind the last triple no page may have more; what is no page at all is nobody's business. */
static lam_status check_rest(lam_chunk_reader *reader, lam_error *error) {
    while (!lam_page_walk_at_end(&reader->walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        lam_error failure = lam_error_none();
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
            lam_error_set(error, LAM_STATUS_CORRUPT,
                          "a page of %" PRId32 " values behind the last of the chunk's %" PRIu64,
                          count, reader->triples);
            lam_error_at_offset(error, offset);
            return LAM_STATUS_CORRUPT;
        }
    }
    return LAM_STATUS_OK;
}

lam_status lam_chunk_reader_read(lam_chunk_reader *reader, size_t max_triples,
                                 lam_triples *ret_triples, lam_error *error) {
    const lam_triples none = {0};
    if (reader->failed)
        LAM_FAIL(error, LAM_STATUS_STATE, "an earlier read failed");
    if (reader->source.column->num_values == 0 && reader->source.row_count != 0)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "the chunk has no values and its row group %" PRIu64 " rows",
                 reader->source.row_count);
    lam_triples triples = none;
    lam_status status = LAM_STATUS_OK;
    if (reader->triples == (uint64_t)reader->source.column->num_values)
        status = check_rest(reader, error);
    else if (max_triples > 0)
        status = read_next(reader, max_triples, &triples, error);
    reader->failed = status != LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        *ret_triples = triples;
    return status;
}
