/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a column chunk: triples of complete records become its pages in memory, and all that the
 * footer states about them. Pages end where page_cut.h says.
 *
 *   in a dictionary       values -> dictionary entries, indexes of the open page
 *   else                  values -> encoder: PLAIN or a delta encoding, by page
 *   at the end of a page  levels, indexes or values -> bytes -> codec -> `pages`
 *
 * The invariant: `cut`, the level runs and `indexes` or `encoder` hold the same triples of the open
 * page, so that each page is a function of the records alone. Statistics see each value of a plain
 * page, and of a dictionary-encoded page each entry once. (README.md of the format, "Data Pages";
 * Encodings.md, "Dictionary Encoding")
 */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/list.h"
#include "base/thread/stop.h"
#include "chunk/write/chunk_write.h"
#include "chunk/write/numeric_encoding.h"
#include "chunk/write/page_cut.h"
#include "encoding/dictionary.h"
#include "encoding/encoder.h"
#include "encoding/plain.h"
#include "encoding/rle.h"
#include "page/page.h"
#include "stats/bloom_build.h"
#include "stats/geo_summary.h"

enum {
    BOUND_BYTES = 64,         /* of strings in statistics; longer ones are truncated */
    FALL_BACK_BYTES = 8 << 10 /* of values that leave the dictionary together, or one value */
};

struct lam_chunk_writer {
    lam_allocator allocator;
    const lam_field *leaf;
    lam_chunk_options options;
    lam_value_layout layout;

    /*
     * The open page. `indexes` holds its values if it is dictionary encoded, else `encoder` does.
     */
    lam_buffer repetition;
    lam_buffer definition;
    lam_rle_encoder repetition_runs;
    lam_rle_encoder definition_runs;
    LAM_LIST(uint32_t) indexes;
    lam_encoder encoder;
    lam_page_cut cut;
    uint64_t page_nulls;

    /* The open chunk. */
    lam_dictionary_builder *dictionary; /* NULL if the leaf never has one */
    bool in_dictionary;                 /* the open page is dictionary encoded */
    bool keep_dictionary;               /* the caller requires it, whether it pays or not */
    lam_buffer pages;                   /* finished data pages */
    lam_buffer dictionary_page;
    lam_finished_chunk so_far;
    lam_page_writer page_writer;
    lam_buffer values; /* scratch: the value bytes of a page, values that leave the dictionary */
    lam_numeric_encoding numbers;
    lam_chunk_summary summary;
    lam_bloom_builder *bloom; /* NULL if none is wanted */
    bool bloom_is_guess;
    lam_geo_summary *geo; /* NULL if none is collected */
};

/* Starts an empty page. */
static void chunk_write_start_page(lam_chunk_writer *writer) {
    lam_buffer_clear(&writer->repetition);
    lam_buffer_clear(&writer->definition);
    lam_rle_encoder_init(&writer->repetition_runs, writer->options.kernels,
                         lam_bit_width(writer->leaf->max_repetition), &writer->repetition);
    lam_rle_encoder_init(&writer->definition_runs, writer->options.kernels,
                         lam_bit_width(writer->leaf->max_definition), &writer->definition);
    writer->indexes.count = 0;
    lam_page_cut_start(&writer->cut, writer->in_dictionary);
    writer->page_nulls = 0;
}

static void finish_buffers(lam_chunk_writer *writer) {
    lam_buffer_finish(&writer->repetition);
    lam_buffer_finish(&writer->definition);
    LAM_LIST_FINISH(&writer->indexes);
    lam_buffer_finish(&writer->pages);
    lam_buffer_finish(&writer->dictionary_page);
    lam_buffer_finish(&writer->values);
}

/*
 * Starts an empty chunk. Every choice is made again, dictionary and encodings, so that no chunk
 * depends on the one before it.
 */
static void start_chunk(lam_chunk_writer *writer) {
    memset(&writer->so_far, 0, sizeof writer->so_far);
    if (writer->options.is_bounded) /* the next row group may have its bytes in other columns */
        finish_buffers(writer);
    lam_buffer_clear(&writer->pages);
    lam_buffer_clear(&writer->dictionary_page);
    if (writer->dictionary != NULL)
        lam_dictionary_builder_clear(writer->dictionary, !writer->options.is_bounded);
    writer->in_dictionary = writer->dictionary != NULL;
    if (writer->options.summarises)
        lam_chunk_summary_restart(&writer->summary);
    lam_numeric_encoding_restart(&writer->numbers);
    lam_page_compressor_restart(&writer->page_writer.compressor);
    if (writer->bloom != NULL)
        lam_bloom_builder_restart(writer->bloom);
    if (writer->geo != NULL)
        lam_geo_summary_restart(writer->geo);
    chunk_write_start_page(writer);
}

/*
 * IEEE 754 total order bounds NaNs and distinguishes -0 from +0; it is used for floats only, and
 * INT96 has an order only on request.
 */
int32_t lam_chunk_column_order(const lam_field *leaf, const lam_chunk_options *options) {
    lam_value_order order = lam_value_order_of(leaf, LAM_META_COLUMN_ORDER_TYPE);
    if (options->float_total_order && order.has_nans)
        return LAM_META_COLUMN_ORDER_IEEE_754_TOTAL;
    if (options->int96_order && leaf->physical_type == LAM_PHYSICAL_INT96)
        return LAM_META_COLUMN_ORDER_INT96_TIMESTAMP;
    return LAM_META_COLUMN_ORDER_TYPE;
}

static lam_status create_geo_summary(lam_chunk_writer *writer, lam_error *error) {
    LAM_TRY(LAM_NEW(&writer->allocator, &writer->geo, error));
    lam_geo_summary_init(writer->geo, writer->leaf, &writer->allocator);
    return LAM_STATUS_OK;
}

/*
 * All buffers are initialized before anything can fail, so that destroy works on a half-made
 * writer.
 */
lam_status lam_chunk_writer_create(const lam_field *leaf, const lam_chunk_options *options,
                                   lam_codec_context *codecs, const lam_allocator *allocator,
                                   lam_chunk_writer **ret_writer, lam_error *error) {
    lam_status status;
    lam_chunk_writer *writer;
    LAM_TRY(LAM_NEW(allocator, &writer, error));
    writer->allocator = *allocator;
    writer->leaf = leaf;
    writer->options = *options;
    writer->layout.type = (lam_physical_type)leaf->physical_type;
    writer->layout.type_length = leaf->type_length;
    lam_buffer_init(&writer->repetition, allocator);
    lam_buffer_init(&writer->definition, allocator);
    LAM_LIST_INIT(&writer->indexes, allocator);
    lam_buffer_init(&writer->pages, allocator);
    lam_buffer_init(&writer->dictionary_page, allocator);
    lam_buffer_init(&writer->values, allocator);
    lam_page_writer_init(&writer->page_writer, options->codec, options->codec_level,
                         options->page_version, options->crc, codecs, allocator);
    lam_page_cut_init(&writer->cut, leaf, options->page_bytes, options->page_rows);
    lam_numeric_encoding_options numbers = {options->codec, options->codec_level,
                                            options->use_streams, options->use_wide_streams,
                                            options->use_alp};
    lam_numeric_encoding_init(&writer->numbers, writer->options.kernels, writer->layout, numbers,
                              codecs, allocator);
    if (options->use_deltas)
        LAM_TRY_OUT(lam_encoder_init_choosing(&writer->encoder, writer->options.kernels,
                                              writer->layout, allocator, error));
    else
        /* unreachable: values of any type may be PLAIN, which needs no memory */
        LAM_TRY_OUT(lam_encoder_init(&writer->encoder, writer->options.kernels, LAM_ENCODING_PLAIN,
                                     writer->layout, allocator, error));
    if (options->use_dictionary && leaf->physical_type != LAM_PHYSICAL_BOOLEAN)
        LAM_TRY_OUT(lam_dictionary_builder_create(writer->layout, options->dictionary_bytes,
                                                  allocator, &writer->dictionary, error));
    if (options->summarises)
        LAM_TRY_OUT(lam_chunk_summary_init(&writer->summary, writer->options.kernels, leaf,
                                           lam_chunk_column_order(leaf, options), BOUND_BYTES,
                                           allocator, error));
    if (!options->no_statistics && lam_geo_summary_takes(leaf))
        LAM_TRY_OUT(create_geo_summary(writer, error));
    start_chunk(writer);
    *ret_writer = writer;
    return LAM_STATUS_OK;
out:
    lam_chunk_writer_destroy(writer);
    return status;
}

void lam_chunk_writer_destroy(lam_chunk_writer *writer) {
    if (writer == NULL)
        return;
    finish_buffers(writer);
    lam_page_writer_finish(&writer->page_writer);
    lam_encoder_finish(&writer->encoder);
    lam_numeric_encoding_finish(&writer->numbers);
    lam_chunk_summary_finish(&writer->summary);
    lam_dictionary_builder_destroy(writer->dictionary);
    lam_allocator allocator = writer->allocator;
    if (writer->geo != NULL)
        lam_geo_summary_finish(writer->geo);
    lam_free(&allocator, writer->geo, sizeof *writer->geo);
    if (writer->bloom != NULL)
        lam_bloom_builder_finish(writer->bloom);
    lam_free(&allocator, writer->bloom, sizeof *writer->bloom);
    lam_free(&allocator, writer, sizeof *writer);
}

/* Makes the dictionary that the caller requires. */
static lam_status need_dictionary(lam_chunk_writer *writer, lam_error *error) {
    if (writer->dictionary == NULL)
        LAM_TRY(lam_dictionary_builder_create(writer->layout, writer->options.dictionary_bytes,
                                              &writer->allocator, &writer->dictionary, error));
    writer->keep_dictionary = true;
    return LAM_STATUS_OK;
}

/* Makes the new encoder before the old one is destroyed, so that a failure has no effect. */
lam_status lam_chunk_writer_set_encoding(lam_chunk_writer *writer, lam_encoding encoding,
                                         lam_error *error) {
    bool wants_dictionary = encoding == LAM_ENCODING_RLE_DICTIONARY;
    lam_encoder encoder;
    LAM_TRY(lam_encoder_init(&encoder, writer->options.kernels,
                             wants_dictionary ? LAM_ENCODING_PLAIN : encoding, writer->layout,
                             &writer->allocator, error));
    lam_status status = wants_dictionary ? need_dictionary(writer, error) : LAM_STATUS_OK;
    if (status != LAM_STATUS_OK) {
        lam_encoder_finish(&encoder);
        return status;
    }
    if (!wants_dictionary) {
        lam_dictionary_builder_destroy(writer->dictionary);
        writer->dictionary = NULL;
        writer->keep_dictionary = false;
    }
    lam_encoder_finish(&writer->encoder);
    writer->encoder = encoder;
    writer->numbers.options.use_streams = false; /* the caller requires PLAIN */
    writer->numbers.options.use_wide_streams = false;
    writer->numbers.options.use_alp = false;
    start_chunk(writer);
    return LAM_STATUS_OK;
}

lam_status lam_chunk_writer_set_bloom(lam_chunk_writer *writer, double fpp, uint64_t distinct_count,
                                      bool is_guess, lam_error *error) {
    void *memory = writer->bloom;
    if (writer->bloom == NULL)
        LAM_TRY(lam_alloc_array(&writer->allocator, 1, sizeof *writer->bloom, &memory, error));
    else
        lam_bloom_builder_finish(writer->bloom);
    writer->bloom = memory;
    writer->bloom_is_guess = is_guess;
    lam_bloom_builder_init(writer->bloom, fpp, distinct_count, &writer->allocator);
    return LAM_STATUS_OK;
}

/*
 * The open page counts with its indexes as they are in memory and its levels as they are encoded;
 * the codec makes it smaller later.
 */
uint64_t lam_chunk_writer_byte_count(const lam_chunk_writer *writer) {
    uint64_t open = writer->repetition.size + writer->definition.size +
                    writer->indexes.count * sizeof(uint32_t) +
                    lam_encoder_byte_count(&writer->encoder);
    uint64_t dictionary = 0;
    if (writer->dictionary != NULL) /* its table is several times its bytes */
        dictionary = writer->options.is_bounded
                         ? lam_dictionary_builder_memory(writer->dictionary)
                         : lam_dictionary_builder_byte_count(writer->dictionary);
    return writer->pages.size + open + dictionary;
}

/* --- Pages --------------------------------------------------------------------------------- */

/*
 * Adds the indexes of the open page to the statistics, when the page ends or leaves the dictionary:
 * then each entry is compared once, however often it occurs.
 */
static lam_status summarise_indexes(lam_chunk_writer *writer, lam_error *error) {
    if (!writer->options.summarises)
        return LAM_STATUS_OK;
    lam_dictionary dictionary = lam_dictionary_builder_values(writer->dictionary);
    return lam_chunk_summary_add_indexes(&writer->summary, &dictionary, writer->indexes.items,
                                         writer->indexes.count, error);
}

/* Adds values to the Bloom filter and the bounding box, which need each value at least once. */
static lam_status note_values(lam_chunk_writer *writer, const void *values, size_t count,
                              lam_error *error) {
    if (writer->geo != NULL)
        LAM_TRY(lam_geo_summary_add(writer->geo, values, count, error));
    if (writer->bloom == NULL)
        return LAM_STATUS_OK;
    lam_value_order order = lam_value_order_of(writer->leaf, LAM_META_COLUMN_ORDER_TYPE);
    return lam_bloom_builder_add(writer->bloom, &order, values, count, error);
}

/* Adds each entry once, when the chunk ends or its dictionary is dropped. */
static lam_status note_entries(lam_chunk_writer *writer, lam_error *error) {
    lam_dictionary dictionary = lam_dictionary_builder_values(writer->dictionary);
    return note_values(writer, dictionary.values, dictionary.count, error);
}

/*
 * Turns the indexes of the open page back into values, and continues without a dictionary. One that
 * no finished page uses is not written: its entries reach Bloom filter and bounding box here.
 */
static lam_status fall_back(lam_chunk_writer *writer, lam_error *error) {
    lam_dictionary dictionary = lam_dictionary_builder_values(writer->dictionary);
    const uint32_t *indexes = writer->indexes.items;
    size_t count = writer->indexes.count, some;
    size_t element = lam_layout_size(writer->layout), most = FALL_BACK_BYTES / element + 1;
    if (most > count) /* none, if the page has only nulls: no room for a wide value */
        most = count;
    LAM_TRY(summarise_indexes(writer, error));
    lam_buffer_clear(&writer->values);
    LAM_TRY(lam_buffer_reserve(&writer->values, most * element, error));
    for (size_t done = 0; done < count; done += some) {
        some = count - done < most ? count - done : most;
        writer->options.kernels->gather(dictionary.values, element, indexes + done, some,
                                        writer->values.data);
        LAM_TRY(lam_encoder_write(&writer->encoder, writer->values.data, some, error));
    }
    writer->indexes.count = 0;
    if (!writer->so_far.has_dictionary_pages) {
        LAM_TRY(note_entries(writer, error));
        lam_dictionary_builder_clear(writer->dictionary, !writer->options.is_bounded);
    }
    writer->in_dictionary = false;
    lam_page_cut_leave_dictionary(&writer->cut);
    return LAM_STATUS_OK;
}

/*
 * True if the dictionary is required, or if it and the indexes of the first page are smaller than
 * the values in PLAIN, and for integers the indexes not larger than differences:
 *
 *   1,000 values of 8 bytes, 100 entries: 800 + 1,000 * 7 / 8 < 8,000, it pays
 *   1,000 values of 8 bytes, 950 entries: 7,600 + 1,000 * 10 / 8 > 8,000, it does not
 */
static lam_status dictionary_pays(lam_chunk_writer *writer, bool *ret_pays, lam_error *error) {
    const uint32_t *indexes = writer->indexes.items;
    size_t count = writer->indexes.count;
    lam_dictionary dictionary = lam_dictionary_builder_values(writer->dictionary);
    uint64_t bytes = lam_dictionary_builder_byte_count(writer->dictionary) +
                     (uint64_t)count * lam_bit_width(dictionary.count) / 8;
    bool are_deltas = false, pays = bytes < lam_page_cut_plain_bytes(&writer->cut);
    if (pays && writer->options.use_deltas && !writer->keep_dictionary)
        LAM_TRY(lam_numeric_encoding_try_deltas(&writer->numbers, &dictionary, indexes, count,
                                                &are_deltas, error));
    *ret_pays = writer->keep_dictionary || (pays && !are_deltas);
    return LAM_STATUS_OK;
}

/*
 * Encodes the values of the open page into `values`. Pages that the encoder leaves PLAIN may still
 * become BYTE_STREAM_SPLIT or ALP. Indexes are written with the width that the dictionary needs so
 * far: later pages may need a larger one.
 */
static lam_status encode_values(lam_chunk_writer *writer, lam_encoding *ret_encoding,
                                lam_error *error) {
    lam_buffer_clear(&writer->values);
    if (!writer->in_dictionary) {
        LAM_TRY(lam_encoder_end_page(&writer->encoder, &writer->values, error));
        *ret_encoding = writer->encoder.encoding;
        if (*ret_encoding == LAM_ENCODING_PLAIN)
            LAM_TRY(lam_numeric_encoding_encode(&writer->numbers, &writer->values, ret_encoding,
                                                error));
        writer->so_far.page_counts[*ret_encoding]++;
        return LAM_STATUS_OK;
    }
    LAM_TRY(summarise_indexes(writer, error));
    writer->so_far.has_dictionary_pages = true;
    *ret_encoding = LAM_ENCODING_RLE_DICTIONARY;
    writer->so_far.page_counts[*ret_encoding]++;
    return lam_dictionary_write_indexes(
        writer->options.kernels, writer->indexes.items, writer->indexes.count,
        lam_dictionary_builder_values(writer->dictionary).count, &writer->values, error);
}

/*
 * Ends the open page, if it has triples: encodes it, writes it to `pages`, and adds it to the
 * statistics and to the counts of the chunk. The first page decides whether the dictionary pays.
 *
 * The format counts the triples of a page in a signed 32-bit number. A page ends between records
 * only, so a single record may be too long for it.
 */
static lam_status end_page(lam_chunk_writer *writer, lam_error *error) {
    if (writer->cut.triples == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_stop_check(writer->options.stop, error));
    bool pays = true;
    if (writer->in_dictionary && writer->pages.size == 0)
        LAM_TRY(dictionary_pays(writer, &pays, error));
    if (!pays)
        LAM_TRY(fall_back(writer, error));
    LAM_TRY(lam_rle_encoder_flush(&writer->repetition_runs, error));
    LAM_TRY(lam_rle_encoder_flush(&writer->definition_runs, error));
    if (writer->cut.triples > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT, "one record has too many values for a page");
    lam_page_sections sections = {0};
    sections.value_count = (uint32_t)writer->cut.triples;
    sections.null_count = (uint32_t)writer->page_nulls;
    sections.row_count = (uint32_t)writer->cut.rows;
    if (writer->leaf->max_repetition > 0)
        sections.repetition = lam_buffer_bytes(&writer->repetition);
    if (writer->leaf->max_definition > 0)
        sections.definition = lam_buffer_bytes(&writer->definition);
    LAM_TRY(encode_values(writer, &sections.encoding, error));
    sections.values = lam_buffer_bytes(&writer->values);
    uint64_t uncompressed, offset = writer->pages.size;
    LAM_TRY(
        lam_page_write_data(&writer->page_writer, &sections, &writer->pages, &uncompressed, error));
    if (writer->options.summarises)
        LAM_TRY(lam_chunk_summary_end_page(&writer->summary, sections.row_count, offset,
                                           writer->pages.size - offset, error));
    writer->so_far.uncompressed_size += uncompressed;
    writer->so_far.value_count += sections.value_count;
    writer->so_far.null_count += sections.null_count;
    chunk_write_start_page(writer);
    return LAM_STATUS_OK;
}

/* --- Values -------------------------------------------------------------------------------- */

/*
 * Adds values to the dictionary, and their indexes to the open page; gives how many there was room
 * for. Room for all indexes is reserved first.
 */
static lam_status write_indexes(lam_chunk_writer *writer, const void *values, size_t count,
                                size_t *ret_done, lam_error *error) {
    *ret_done = 0;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_LIST_RESERVE(&writer->indexes, count, error));
    uint32_t *indexes = writer->indexes.items + writer->indexes.count;
    LAM_TRY(
        lam_dictionary_builder_add(writer->dictionary, values, count, indexes, ret_done, error));
    writer->indexes.count += *ret_done;
    return LAM_STATUS_OK;
}

/*
 * Writes levels as runs. NULL means levels that are all the same, and becomes one run; a maximum of
 * 0 has no levels at all.
 */
static lam_status write_levels(lam_chunk_writer *writer, const lam_triples *batch,
                               lam_error *error) {
    if (writer->leaf->max_repetition > 0 && batch->repetition != NULL)
        LAM_TRY(
            lam_rle_write_levels(&writer->repetition_runs, batch->repetition, batch->count, error));
    else if (writer->leaf->max_repetition > 0)
        LAM_TRY(lam_rle_write_run(&writer->repetition_runs, 0, batch->count, error));
    if (writer->leaf->max_definition > 0 && batch->definition != NULL)
        return lam_rle_write_levels(&writer->definition_runs, batch->definition, batch->count,
                                    error);
    if (writer->leaf->max_definition > 0)
        return lam_rle_write_run(&writer->definition_runs, writer->leaf->max_definition,
                                 batch->count, error);
    return LAM_STATUS_OK;
}

/* Adds the levels of triples whose values the open page already has. */
static lam_status add_triples(lam_chunk_writer *writer, const lam_triples *triples,
                              lam_error *error) {
    LAM_TRY(write_levels(writer, triples, error));
    if (writer->options.summarises)
        lam_chunk_summary_add_levels(&writer->summary, triples);
    lam_page_cut_add(&writer->cut, triples);
    writer->page_nulls += triples->count - triples->value_count;
    return LAM_STATUS_OK;
}

/*
 * Leaves the dictionary, which is full after `done` values of `rest`. The page ends before the
 * record that does not fit, still dictionary encoded; if it is the first page and does not pay, it
 * continues as a page of plain values instead. Any other page stays as it is: its indexes may mean
 * a thousand times their bytes, and as values it would be that much larger than the size that pages
 * are cut at.
 *
 * Entries that only the dropped values of that record used stay in the dictionary.
 */
static lam_status leave_dictionary(lam_chunk_writer *writer, const lam_triples *rest, size_t done,
                                   lam_triples *ret_batch, lam_error *error) {
    lam_triples batch = lam_page_cut_before_value(&writer->cut, rest, done);
    writer->indexes.count -= done - batch.value_count;
    LAM_TRY(add_triples(writer, &batch, error));
    *ret_batch = batch;
    bool pays = writer->cut.triples > 0;
    if (pays && writer->pages.size == 0)
        LAM_TRY(dictionary_pays(writer, &pays, error));
    if (!pays)
        return fall_back(writer, error);
    LAM_TRY(end_page(writer, error));
    writer->in_dictionary = false;
    chunk_write_start_page(writer);
    return LAM_STATUS_OK;
}

/* Adds the prefix of `rest` that goes into the open page, and gives that prefix. */
static lam_status chunk_write_batch(lam_chunk_writer *writer, const lam_triples *rest,
                                    lam_triples *ret_batch, lam_error *error) {
    lam_triples batch = lam_page_cut_batch(&writer->cut, rest);
    if (writer->in_dictionary) {
        size_t done;
        LAM_TRY(write_indexes(writer, batch.values, batch.value_count, &done, error));
        if (done < batch.value_count)
            return leave_dictionary(writer, rest, done, ret_batch, error);
    } else {
        LAM_TRY(lam_encoder_write(&writer->encoder, batch.values, batch.value_count, error));
        if (writer->options.summarises)
            LAM_TRY(lam_chunk_summary_add_values(&writer->summary, batch.values, batch.value_count,
                                                 error));
        LAM_TRY(note_values(writer, batch.values, batch.value_count, error));
    }
    *ret_batch = batch;
    return add_triples(writer, &batch, error);
}

/* A full page ends only when the next record comes: the last page of a chunk is never empty. */
lam_status lam_chunk_writer_write(lam_chunk_writer *writer, const lam_triples *triples,
                                  lam_error *error) {
    lam_triples rest = *triples;
    while (rest.count > 0) {
        if (lam_page_cut_is_full(&writer->cut))
            LAM_TRY(end_page(writer, error));
        lam_triples batch;
        LAM_TRY(chunk_write_batch(writer, &rest, &batch, error));
        rest = lam_triples_after(&rest, &batch, lam_layout_size(writer->layout));
    }
    return LAM_STATUS_OK;
}

/* True if all pages are dictionary encoded, so that its entries are all values of the chunk. */
static bool all_indexes(const lam_finished_chunk *chunk) {
    for (int encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++)
        if (encoding != LAM_ENCODING_RLE_DICTIONARY && chunk->page_counts[encoding] > 0)
            return false;
    return true;
}

/*
 * True if a Bloom filter that the writer chose is worth its bytes: hashes are at least half of the
 * values (a dictionary hashes each distinct value once, plain pages each occurrence), and the pages
 * are not in order, which their bounds serve better.
 */
static bool bloom_pays(const lam_chunk_writer *writer, const lam_finished_chunk *chunk) {
    enum { FEW_VALUES = 1000 };
    uint64_t values = chunk->value_count - chunk->null_count;
    size_t hashes = writer->bloom->hashes.count;
    bool sorted = chunk->summary != NULL && chunk->summary->last_bounded > 1 &&
                  (chunk->summary->ascending || chunk->summary->descending);
    return values >= FEW_VALUES && hashes >= values / 2 && !sorted;
}

/*
 * Ends the last page, then writes the dictionary page, which is complete only now but precedes the
 * data pages in the file. Its entries reach the Bloom filter and the bounding box here, each once.
 */
lam_status lam_chunk_writer_end(lam_chunk_writer *writer, lam_finished_chunk *ret_chunk,
                                lam_error *error) {
    LAM_TRY(end_page(writer, error));
    lam_finished_chunk chunk = writer->so_far;
    chunk.distinct_count = -1;
    chunk.summary = writer->options.summarises ? &writer->summary : NULL;
    chunk.geo = writer->geo;
    if (chunk.has_dictionary_pages) {
        lam_dictionary dictionary = lam_dictionary_builder_values(writer->dictionary);
        lam_buffer_clear(&writer->values);
        LAM_TRY(lam_plain_append(writer->layout, dictionary.values, dictionary.count,
                                 &writer->values, error));
        uint64_t uncompressed;
        LAM_TRY(lam_page_write_dictionary(&writer->page_writer, (uint32_t)dictionary.count,
                                          lam_buffer_bytes(&writer->values),
                                          &writer->dictionary_page, &uncompressed, error));
        chunk.uncompressed_size += uncompressed;
        lam_value_order order = lam_value_order_of(
            writer->leaf, lam_chunk_column_order(writer->leaf, &writer->options));
        if (all_indexes(&chunk) && lam_value_order_has_one_form(&order))
            chunk.distinct_count = (int64_t)dictionary.count;
        LAM_TRY(note_entries(writer, error));
    }
    if (writer->bloom != NULL && !(writer->bloom_is_guess && !bloom_pays(writer, &chunk)))
        LAM_TRY(lam_bloom_builder_end(writer->bloom, &chunk.bloom, error));
    chunk.dictionary_page = lam_buffer_bytes(&writer->dictionary_page);
    chunk.data_pages = lam_buffer_bytes(&writer->pages);
    *ret_chunk = chunk;
    return LAM_STATUS_OK;
}

void lam_chunk_writer_restart(lam_chunk_writer *writer) {
    start_chunk(writer);
}
