/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks one column chunk: what the footer states about it, then its pages in the order of the
 * file, then the footer's sums, offsets and statistics against what the pages hold.
 *
 *   dictionary page? | data page | data page | ... | zeros or other leftovers?
 *
 * The walk survives damage: a bad page costs that page, a bad header the pages up to the next entry
 * of the offset index. After a loss, `whole`, `levels_read` and `lost` keep statements about the
 * lost pages from being compared. The size of each chunk is charged to checker->bytes_left.
 * (parquet.thrift, ColumnMetaData)
 */
#include "check/driver/check_chunk.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "check/chunk/check_bloom.h"
#include "check/chunk/check_crc.h"
#include "check/chunk/check_cursor.h"
#include "check/chunk/check_encodings.h"
#include "check/chunk/check_index.h"
#include "check/chunk/check_level_digests.h"
#include "check/chunk/check_statistics.h"
#include "check/driver/check_page.h"
#include "check/footer/check_key_values.h"
#include "check/footer/check_ranges.h"
#include "check/footer/check_schema.h"
#include "check/values/check_contents.h"
#include "check/values/check_dictionary.h"
#include "check/values/check_geospatial.h"
#include "codec/codec.h"
#include "encoding/encoding.h"
#include "kernel/kernel.h"
#include "meta/page_header.h"
#include "schema/text.h"

enum { PADDING_BLOCK = 4096 }; /* bytes that are compared with zero at once */

/* --- Claims of the footer ------------------------------------------------------------------ */

/* `*ret_present` is true when the chunk is in this file, in plain text, with metadata. */
static lam_status check_presence(lam_chunk_check *chunk, bool *ret_present) {
    const lam_meta_column_chunk *stated = chunk->chunk;
    lam_checker *checker = chunk->checker;
    *ret_present = false;
    if ((stated->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        return lam_check_report(
            checker, LAM_RULE_EXTERNAL_FILE, chunk->location, "the column chunk is in the file %s",
            lam_show((const char *)stated->file_path.data, stated->file_path.size).text);
    if (stated->crypto_metadata != NULL)
        return lam_check_report(checker, LAM_RULE_ENCRYPTED, chunk->location,
                                "the column chunk is encrypted");
    if (stated->meta_data == NULL)
        return lam_check_report(checker, LAM_RULE_CHUNK_METADATA, chunk->location,
                                "the footer has no metadata for the column chunk");
    *ret_present = true;
    return LAM_STATUS_OK;
}

/* Compares path_in_schema with the leaf's names from the leaf upwards, without the root. */
static lam_status check_path(lam_chunk_check *chunk) {
    const lam_meta_bytes_list *path = &chunk->column->path_in_schema;
    const lam_field *field = chunk->leaf;
    bool equal = path->count == field->depth;
    for (uint32_t i = path->count; equal && i > 0; i--) {
        const lam_bytes *name = &path->items[i - 1];
        equal = name->size == field->name_size &&
                (name->size == 0 || memcmp(name->data, field->name, name->size) == 0);
        field = lam_parent_of(field);
    }
    if (equal)
        return LAM_STATUS_OK;
    lam_bytes last = {NULL, 0};
    if (path->count > 0)
        last = path->items[path->count - 1];
    return lam_check_report(chunk->checker, LAM_RULE_CHUNK_PATH, chunk->location,
                            "path_in_schema has %" PRIu32 " names and ends in %s", path->count,
                            lam_show((const char *)last.data, last.size).text);
}

/*
 * Checks type and codec. `*ret_sound` is false when the pages would make no sense: with another
 * type, values have another size. An unknown codec leaves the page headers readable: the walk
 * continues without bodies.
 */
static lam_status check_chunk_column(lam_chunk_check *chunk, lam_codec *ret_codec,
                                     bool *ret_sound) {
    const lam_meta_column *column = chunk->column;
    lam_error failure = lam_error_none();
    *ret_sound = false;
    *ret_codec = LAM_CODEC_UNCOMPRESSED;
    LAM_TRY(check_path(chunk));
    if (column->type != chunk->leaf->physical_type)
        return lam_check_report(
            chunk->checker, LAM_RULE_CHUNK_TYPE, chunk->location,
            "the column chunk has the type %s, but the schema has %s",
            lam_encoding_type_name((lam_physical_type)column->type),
            lam_encoding_type_name((lam_physical_type)chunk->leaf->physical_type));
    *ret_sound = true;
    if (column->codec < 0 || column->codec >= LAM_CODEC_LZ4_RAW)
        return lam_check_report(chunk->checker, LAM_RULE_UNSUPPORTED, chunk->location,
                                "unknown codec %" PRId32, column->codec);
    /* LAM_CODEC_UNCOMPRESSED is 1 and is 0 in the file; LAM_CODEC_LZ4_RAW is the last one. */
    lam_codec codec = (lam_codec)(column->codec + 1);
    lam_status status = lam_codec_check_read(codec, &failure);
    chunk->decodes = status == LAM_STATUS_OK;
    if (chunk->decodes)
        *ret_codec = codec;
    return lam_check_report_failure(chunk->checker, LAM_RULE_UNSUPPORTED, chunk->location, status,
                                    &failure);
}

/*
 * Finds the bytes of a chunk without values. lam_chunk_find gives none, because the offset of such
 * a chunk may be anything; but if its numbers make sense there may be pages, which are checked too.
 */
static void find_empty(const lam_chunk_check *chunk, lam_chunk_range *range) {
    const lam_meta_column *column = chunk->column;
    int64_t offset = column->data_page_offset;
    bool stated = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0;
    if (column->num_values != 0 || column->total_compressed_size <= 0)
        return;
    if (stated && column->dictionary_page_offset > 0 &&
        (offset <= 0 || column->dictionary_page_offset < offset))
        offset = column->dictionary_page_offset;
    if (offset < LAM_FOOTER_MAGIC_SIZE ||
        !lam_range_fits((uint64_t)offset, (uint64_t)column->total_compressed_size,
                        chunk->checker->footer.offset))
        return;
    range->offset = (uint64_t)offset;
    range->size = (uint64_t)column->total_compressed_size;
}

/* Finds and claims the bytes of the chunk; `*ret_found` is false if none can be read. */
static lam_status find_range(lam_chunk_check *chunk, lam_chunk_range *ret_range, bool *ret_found) {
    lam_error failure = lam_error_none();
    lam_checker *checker = chunk->checker;
    lam_status status = lam_chunk_find(chunk->column, checker->footer.offset, ret_range, &failure);
    *ret_found = status == LAM_STATUS_OK;
    if (!*ret_found)
        return lam_check_report_failure(checker, LAM_RULE_CHUNK_RANGE, chunk->location, status,
                                        &failure);
    find_empty(chunk, ret_range);
    if (ret_range->size == 0)
        return LAM_STATUS_OK;
    if (ret_range->offset < LAM_FOOTER_MAGIC_SIZE) {
        *ret_found = false;
        return lam_check_report(checker, LAM_RULE_CHUNK_RANGE, chunk->location,
                                "the column chunk begins at offset %" PRIu64, ret_range->offset);
    }
    LAM_TRY(lam_check_add_range(checker, chunk->location, ret_range->offset, ret_range->size,
                                "the column chunk"));
    /* A hostile footer could name the same large range in each of a million chunks. */
    *ret_found = ret_range->size <= checker->bytes_left;
    if (!*ret_found)
        return lam_check_report(checker, LAM_RULE_LIMIT, chunk->location,
                                "the column chunks claim more bytes than the file has");
    checker->bytes_left -= ret_range->size;
    return LAM_STATUS_OK;
}

/* --- Pages --------------------------------------------------------------------------------- */

/* Checks the level encodings of a V1 header, which has to name them even if no level is stored. */
static lam_status check_level_encodings(lam_chunk_check *chunk, const lam_meta_data_page_header *v1,
                                        uint64_t offset) {
    const int32_t encodings[2] = {v1->repetition_level_encoding, v1->definition_level_encoding};
    for (int i = 0; i < 2; i++) {
        chunk->pages.other_encodings |= lam_check_encoding_bit(encodings[i]);
        if (encodings[i] != LAM_ENCODING_RLE && encodings[i] != LAM_ENCODING_BIT_PACKED &&
            lam_check_once(chunk, LAM_RULE_LEVEL_ENCODING))
            LAM_TRY(lam_check_report(
                chunk->checker, LAM_RULE_LEVEL_ENCODING, lam_check_at(chunk->location, offset),
                "the page has %s levels in %s (%" PRId32 ")", i == 0 ? "repetition" : "definition",
                lam_encoding_name((lam_encoding)encodings[i]), encodings[i]));
    }
    return LAM_STATUS_OK;
}

/* Counts a data page by its header; `*ret_values` is -1 when that is impossible. */
static lam_status count_data_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                  uint64_t offset, int64_t *ret_values) {
    int32_t values = lam_page_header_count(header), encoding = lam_page_header_encoding(header);
    *ret_values = -1;
    if (values < 0)
        return lam_check_report(chunk->checker, LAM_RULE_PAGE_HEADER,
                                lam_check_at(chunk->location, offset),
                                "a page claims %" PRId32 " values", values);
    chunk->pages.data_encodings |= lam_check_encoding_bit(encoding);
    if (header->type == LAM_PAGE_DATA)
        LAM_TRY(check_level_encodings(chunk, header->data_page_header, offset));
    else
        chunk->pages.other_encodings |= lam_check_encoding_bit(LAM_ENCODING_RLE);
    LAM_TRY(lam_check_count_encoding(chunk, header->type, encoding));
    if (chunk->pages.data_offset < 0)
        chunk->pages.data_offset = (int64_t)offset;
    chunk->pages.data_pages++;
    *ret_values = values;
    return LAM_STATUS_OK;
}

/* A page that cannot be counted is lost for all sums of the chunk. */
static lam_status check_data(lam_chunk_check *chunk, const lam_meta_page_header *header,
                             uint64_t offset) {
    int64_t values;
    LAM_TRY(count_data_page(chunk, header, offset, &values));
    if (values < 0) {
        chunk->whole = false;
        chunk->levels_read = false;
        chunk->lost = true;
        return LAM_STATUS_OK;
    }
    chunk->pages.triples += (uint64_t)values;
    chunk->checker->totals.values += (uint64_t)values;
    return lam_check_data_page(chunk, header, offset);
}

static lam_status check_chunk_dictionary(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                         uint64_t offset) {
    int32_t encoding = lam_page_header_encoding(header);
    chunk->pages.other_encodings |= lam_check_encoding_bit(encoding);
    LAM_TRY(lam_check_count_encoding(chunk, header->type, encoding));
    return lam_check_dictionary_page(chunk, header, offset);
}

/*
 * The uncompressed size of a chunk counts headers as they are: walk.body - offset is that of this
 * one.
 */
static lam_status check_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                             uint64_t offset) {
    bool good;
    chunk->pages.all_pages++;
    chunk->checker->totals.pages++;
    chunk->pages.uncompressed +=
        chunk->pages.walk.body - offset +
        (header->uncompressed_page_size > 0 ? (uint64_t)header->uncompressed_page_size : 0);
    switch (header->type) {
    case LAM_PAGE_DATA:
    case LAM_PAGE_DATA_V2:
        return check_data(chunk, header, offset);
    case LAM_PAGE_DICTIONARY:
        return check_chunk_dictionary(chunk, header, offset);
    /*
     * Readers skip pages of other types, for example index pages; only their checksums are checked.
     */
    default:
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_PAGE_TYPE,
                                 lam_check_at(chunk->location, offset),
                                 "a page of type %" PRId32 " is skipped", header->type));
        return lam_check_crc(chunk, header, offset, &good);
    }
}

/*
 * After a damaged header, goes to the next page that the offset index has beyond the current
 * position; its number becomes that of the next data page. Entries are used once and in order, so
 * that the walk always moves forward. (README.md of the format, "Error recovery")
 */
static bool find_next_page(lam_chunk_check *chunk) {
    const lam_meta_page_location_list *locations = &chunk->stated.offset_index.page_locations;
    if (!chunk->stated.has_offset_index)
        return false;
    while (chunk->stated.next_location < locations->count) {
        uint32_t page = chunk->stated.next_location++;
        int64_t offset = locations->items[page].offset;
        if (offset <= 0 || (uint64_t)offset <= chunk->pages.walk.next)
            continue;
        if ((uint64_t)offset >= chunk->pages.end)
            return false;
        chunk->pages.walk.next = (uint64_t)offset;
        chunk->pages.data_pages = page;
        return true;
    }
    return false;
}

/*
 * Whether a page may follow. A size that lacks the header of the dictionary page, as parquet-mr
 * before 1.2.9 stated it, hides the end of the last page (PARQUET-816): while values are missing,
 * the walk may extend its end once by that many bytes.
 */
static bool has_more(lam_chunk_check *chunk) {
    lam_page_walk *walk = &chunk->pages.walk;
    bool all =
        chunk->pages.triples >= (uint64_t)chunk->column->num_values && chunk->pages.data_pages > 0;
    if (walk->next < chunk->pages.end)
        return true;
    if (all || chunk->lost)
        return false;
    return !lam_page_walk_at_end(walk) || lam_page_walk_extend(walk);
}

/*
 * Whether these are leftover bytes instead of a page: all values have been met, and what follows is
 * no header, or one of a dictionary page (that of the next chunk, for instance).
 */
static bool is_rest(const lam_chunk_check *chunk, lam_status status,
                    const lam_meta_page_header *header) {
    if (chunk->pages.triples != (uint64_t)chunk->column->num_values || chunk->pages.data_pages == 0)
        return false;
    return status == LAM_STATUS_OK ? header->type == LAM_PAGE_DICTIONARY
                                   : status == LAM_STATUS_CORRUPT;
}

/* Whether only zeros follow in the chunk from an offset on. */
static lam_status is_padding(lam_chunk_check *chunk, uint64_t offset, bool *ret_padding) {
    bool padding = true;
    while (padding && offset < chunk->pages.end) {
        uint64_t left = chunk->pages.end - offset;
        const uint8_t *bytes;
        size_t size = left < PADDING_BLOCK ? (size_t)left : PADDING_BLOCK;
        LAM_TRY(lam_window_lend(&chunk->pages.walk.window, offset, size, &bytes,
                                chunk->checker->error));
        padding = chunk->checker->kernels->max_u8(bytes, size) == 0;
        offset += size;
    }
    *ret_padding = padding;
    return LAM_STATUS_OK;
}

/* Zeros are a warning, other bytes an error. */
static lam_status report_rest(lam_chunk_check *chunk, uint64_t offset) {
    lam_check_location location = lam_check_at(chunk->location, offset);
    bool padding;
    LAM_TRY(is_padding(chunk, offset, &padding));
    if (padding)
        return lam_check_warn(chunk->checker, LAM_RULE_CHUNK_BYTES, location,
                              "the pages end before the column chunk, which zeros fill up");
    return lam_check_report(chunk->checker, LAM_RULE_CHUNK_BYTES, location,
                            "the pages end %" PRIu64 " bytes before the column chunk",
                            chunk->pages.end - offset);
}

/* Checks page after page. A step either moves walk.next forward or ends the loop. */
static lam_status walk_pages(lam_chunk_check *chunk) {
    lam_checker *checker = chunk->checker;
    while (has_more(chunk)) {
        lam_meta_page_header header;
        uint64_t offset = chunk->pages.walk.next;
        lam_error failure = lam_error_none();
        LAM_TRY(lam_stop_check(checker->stop, checker->error));
        lam_status status = lam_page_walk_next(&chunk->pages.walk, &header, &offset, &failure);
        if (is_rest(chunk, status, &header)) {
            chunk->pages.walk.next = chunk->pages.end;
            return report_rest(chunk, offset);
        }
        if (status == LAM_STATUS_OK) {
            LAM_TRY(check_page(chunk, &header, offset));
            continue;
        }
        if (offset >= chunk->pages.end && status == LAM_STATUS_CORRUPT)
            return LAM_STATUS_OK; /* the extended end hid no page */
        chunk->whole = false;
        chunk->levels_read = false;
        chunk->lost = true;
        LAM_TRY(lam_check_report_failure(checker, LAM_RULE_PAGE_HEADER,
                                         lam_check_at(chunk->location, offset), status, &failure));
        if (!find_next_page(chunk))
            break;
    }
    if (chunk->pages.walk.next <= chunk->pages.end)
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_CHUNK_BYTES_HEADER, chunk->location,
                            "the pages end %" PRIu64
                            " bytes after total_compressed_size, which does not count the header "
                            "of the dictionary page",
                            chunk->pages.walk.next - chunk->pages.end);
}

/* --- After all pages ----------------------------------------------------------------------- */

/* An offset that is stated must be true; without a dictionary page none may be stated. */
static lam_status check_page_offsets(lam_chunk_check *chunk) {
    const lam_meta_column *column = chunk->column;
    bool stated = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0;
    bool names_dictionary = /* old writers state where the pages begin */
        chunk->dictionary.is_met && column->data_page_offset == chunk->dictionary.offset;
    if (chunk->pages.data_offset >= 0 && column->data_page_offset != chunk->pages.data_offset &&
        !names_dictionary)
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_DATA_PAGE_OFFSET, chunk->location,
                                 "data_page_offset is %" PRId64
                                 ", but the first data page is at %" PRId64,
                                 column->data_page_offset, chunk->pages.data_offset));
    if (chunk->dictionary.is_met && !stated)
        return lam_check_report(
            chunk->checker, LAM_RULE_DICTIONARY_OFFSET, chunk->location,
            "dictionary_page_offset is missing, but there is a dictionary page at %" PRId64,
            chunk->dictionary.offset);
    if (stated && column->dictionary_page_offset != chunk->dictionary.offset) {
        if (chunk->dictionary.is_met)
            return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_OFFSET, chunk->location,
                                    "dictionary_page_offset is %" PRId64
                                    ", but the dictionary page is at %" PRId64,
                                    column->dictionary_page_offset, chunk->dictionary.offset);
        return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_OFFSET, chunk->location,
                                "dictionary_page_offset is %" PRId64
                                ", but there is no dictionary page",
                                column->dictionary_page_offset);
    }
    return LAM_STATUS_OK;
}

/* Sums are compared unless pages were lost; rows and levels only if all levels could be read. */
static lam_status check_totals(lam_chunk_check *chunk) {
    const lam_meta_column *column = chunk->column;
    lam_checker *checker = chunk->checker;
    if (chunk->lost)
        return LAM_STATUS_OK;
    LAM_TRY(check_page_offsets(chunk));
    bool rows_agree = chunk->pages.rows == (uint64_t)chunk->group->num_rows;
    chunk->counts_agree = chunk->pages.triples == (uint64_t)column->num_values && rows_agree;
    if (chunk->pages.triples != (uint64_t)column->num_values)
        LAM_TRY(lam_check_report(checker, LAM_RULE_CHUNK_VALUES, chunk->location,
                                 "the column chunk claims %" PRId64
                                 " values, but its pages have %" PRIu64,
                                 column->num_values, chunk->pages.triples));
    if (chunk->pages.uncompressed != (uint64_t)column->total_uncompressed_size)
        LAM_TRY(lam_check_report(checker, LAM_RULE_CHUNK_UNCOMPRESSED, chunk->location,
                                 "the column chunk claims %" PRId64
                                 " uncompressed bytes, but its pages have %" PRIu64,
                                 column->total_uncompressed_size, chunk->pages.uncompressed));
    if (chunk->levels_read && !rows_agree)
        LAM_TRY(lam_check_report(checker, LAM_RULE_CHUNK_ROWS, chunk->location,
                                 "the column chunk has %" PRIu64
                                 " rows, but its row group has %" PRId64,
                                 chunk->pages.rows, chunk->group->num_rows));
    else if (chunk->levels_read)
        LAM_TRY(lam_check_level_digests(chunk));
    return lam_check_encodings(chunk);
}

/* Statistics summarise all values, so that a single unreadable page makes them uncheckable. */
static lam_status check_statements(lam_chunk_check *chunk) {
    const lam_meta_column *column = chunk->column;
    LAM_TRY(check_totals(chunk));
    LAM_TRY(lam_check_close_indexes(chunk));
    LAM_TRY(lam_check_geospatial(chunk));
    if (!chunk->whole)
        return LAM_STATUS_OK;
    if (column->statistics != NULL)
        LAM_TRY(lam_check_statistics(chunk, "the statistics of the column chunk", chunk->location,
                                     column->statistics, &chunk->values.total,
                                     chunk->pages.triples - chunk->values.total.value_count));
    return lam_check_size_statistics(chunk);
}

/* --- From beginning to end ----------------------------------------------------------------- */

/*
 * Prepares walk, page reader and summaries, and reads the indexes and the filter. close_chunk
 * releases all of it, also after a failure in the middle.
 */
static lam_status check_chunk_open_chunk(lam_chunk_check *chunk, lam_codec codec,
                                         lam_chunk_range range) {
    lam_checker *checker = chunk->checker;
    const lam_allocator *allocator = &checker->allocator;
    const lam_meta_statistics *statistics = chunk->column->statistics;
    lam_value_order old = lam_value_order_signed(chunk->leaf);
    lam_page_walk_init(&chunk->pages.walk, checker->input, range, allocator);
    chunk->pages.end = range.offset + range.size;
    lam_check_open_geospatial(chunk);
    lam_page_reader_init(&chunk->pages.reader, checker->kernels, codec, chunk->leaf, false,
                         checker->memory_limit, checker->codecs, allocator);
    chunk->pages.reader.hides_compression = lam_check_hides_compression(checker);
    /*
     * The deprecated min and max need a summary of their own if their order differs from the
     * column's.
     */
    chunk->values.has_signed =
        statistics != NULL &&
        (statistics->has & (LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX)) != 0 &&
        old.comparison != LAM_COMPARISON_UNDEFINED && old.comparison != chunk->order.comparison;
    LAM_TRY(lam_value_summary_init(&chunk->values.page, checker->kernels, chunk->leaf, chunk->order,
                                   allocator, checker->error));
    LAM_TRY(lam_value_summary_init(&chunk->values.total, checker->kernels, chunk->leaf,
                                   chunk->order, allocator, checker->error));
    if (chunk->values.has_signed)
        LAM_TRY(lam_value_summary_init(&chunk->values.signed_total, checker->kernels, chunk->leaf,
                                       old, allocator, checker->error));
    LAM_TRY(lam_check_open_indexes(chunk));
    return lam_check_open_bloom(chunk);
}

static void close_chunk(lam_chunk_check *chunk) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    lam_page_walk_finish(&chunk->pages.walk);
    lam_page_reader_finish(&chunk->pages.reader);
    lam_value_summary_finish(&chunk->values.page);
    lam_value_summary_finish(&chunk->values.total);
    if (chunk->values.has_signed)
        lam_value_summary_finish(&chunk->values.signed_total);
    lam_check_free_dictionary(chunk);
    lam_free(allocator, chunk->values.elements,
             chunk->values.batch * lam_layout_size(chunk->layout));
    lam_buffer_finish(&chunk->pages.encoding_counts);
    lam_buffer_finish(&chunk->content.nesting);
    lam_buffer_finish(&chunk->values.before);
    lam_arena_finish(&chunk->values.arena);
    lam_arena_finish(&chunk->pages.header_arena);
    lam_arena_finish(&chunk->stated.arena);
}

static lam_status check_pages(lam_chunk_check *chunk, lam_codec codec, lam_chunk_range range) {
    lam_status status = check_chunk_open_chunk(chunk, codec, range);
    if (status == LAM_STATUS_OK)
        status = walk_pages(chunk);
    if (status == LAM_STATUS_OK)
        status = check_statements(chunk);
    close_chunk(chunk);
    return status;
}

/* Allocates nothing: a chunk that is never opened needs no close_chunk. */
static void init_chunk(lam_chunk_check *chunk, lam_checker *checker, size_t row_group,
                       size_t leaf_index) {
    const lam_allocator *allocator = &checker->allocator;
    bool stated;
    memset(chunk, 0, sizeof *chunk);
    chunk->checker = checker;
    chunk->row_group = row_group;
    chunk->leaf_index = leaf_index;
    /* unreachable: in a test, as this many row groups take a footer of 2 GiB */
    chunk->location.row_group = row_group <= INT32_MAX ? (int32_t)row_group : -1;
    chunk->location.column = (int32_t)leaf_index;
    chunk->location.row = -1;
    chunk->location.offset = -1;
    chunk->leaf = lam_leaf_at(checker->schema, leaf_index);
    chunk->group = &checker->group;
    chunk->chunk = &chunk->group->columns.items[leaf_index];
    chunk->column = chunk->chunk->meta_data;
    chunk->layout.type = (lam_physical_type)chunk->leaf->physical_type;
    chunk->layout.type_length = chunk->leaf->type_length;
    chunk->order =
        lam_value_order_of(chunk->leaf, lam_check_column_order(checker, chunk->leaf, &stated));
    chunk->whole = true;
    chunk->levels_read = true;
    chunk->counts_agree = true;
    chunk->pages.data_offset = -1;
    chunk->dictionary.offset = -1;
    lam_level_check_init(&chunk->levels, chunk->leaf);
    lam_arena_init(&chunk->values.arena, allocator, (size_t)checker->memory_limit);
    lam_arena_init(&chunk->pages.header_arena, allocator, 0);
    lam_arena_init(&chunk->stated.arena, allocator, (size_t)checker->memory_limit);
    lam_buffer_init(&chunk->dictionary.bytes, allocator);
    lam_buffer_init(&chunk->pages.encoding_counts, allocator);
    lam_buffer_init(&chunk->content.nesting, allocator);
    lam_buffer_init(&chunk->values.before, allocator);
    chunk->values.has_sequels = lam_check_has_sequels(checker, chunk->leaf);
    chunk->content.format = lam_content_of(chunk->leaf);
}

static lam_status check_chunk_in(lam_chunk_check *chunk, bool *ret_whole) {
    lam_checker *checker = chunk->checker;
    lam_codec codec;
    lam_chunk_range range;
    bool goes_on;
    LAM_TRY(check_presence(chunk, &goes_on));
    if (goes_on)
        LAM_TRY(lam_check_key_values(checker, &chunk->column->key_value_metadata, chunk->location));
    if (goes_on)
        LAM_TRY(check_chunk_column(chunk, &codec, &goes_on));
    goes_on = goes_on && !lam_is_in_vector(chunk->leaf); /* reported with the schema */
    if (goes_on)
        LAM_TRY(find_range(chunk, &range, &goes_on));
    if (!goes_on)
        return LAM_STATUS_OK;
    LAM_TRY(check_pages(chunk, codec, range));
    *ret_whole = chunk->whole && chunk->counts_agree;
    return LAM_STATUS_OK;
}

/* What is known of a chunk takes 14 KiB, which is too much for the stack. */
lam_status lam_check_chunk(lam_checker *checker, size_t row_group, size_t leaf_index,
                           bool *ret_whole) {
    lam_chunk_check *chunk;
    *ret_whole = false;
    LAM_TRY(LAM_NEW(&checker->allocator, &chunk, checker->error));
    init_chunk(chunk, checker, row_group, leaf_index);
    checker->totals.chunks++;
    lam_status status = check_chunk_in(chunk, ret_whole);
    lam_free(&checker->allocator, chunk, sizeof(lam_chunk_check));
    return status;
}
