/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a column chunk and gives its pages another codec: takes pages of another file, checks
 * their sizes and checksums, and writes the same pages with another compression:
 *
 *     header | codec( levels values )        ->  header | codec'( levels values )
 *     header | levels codec( values )  (V2)  ->  header | levels codec'( values )
 *
 * Or the bodies stay, and only the headers change, if their statistics would become false.
 *
 * The invariant: levels and values keep every bit, so that statistics, Bloom filters and column
 * indexes stay true; sizes, offsets and checksums are those of the new bytes. Memory holds one page
 * at a time. (README.md of the format, "Data Pages"; parquet.thrift, PageHeader)
 */
#include <inttypes.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "file/copy/chunk_copy.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "meta/page_header.h"
#include "page/page.h"
#include "schema/leaf_error.h"

/* One chunk on its way. */
typedef struct recompression {
    lam_chunk_copy *copy;
    lam_page_walk walk;
    lam_page_reader reader;
    lam_page_compressor compressor;
    lam_buffer dictionary;
    lam_buffer header; /* of the new page */
    lam_buffer held;   /* the old header: its strings would go when the body is read */
    lam_arena arena;   /* the structs of `held` */
    bool keeps_bodies;
    uint32_t untrue;            /* what headers may not state */
    uint64_t uncompressed_size; /* of the pages so far, headers included */
    bool has_data;
    bool has_dictionary;
    uint64_t first_data; /* offset in the new file */
} recompression;

/* A page with its new body: what stays as it is, then what the codec gave. */
typedef struct new_body {
    lam_bytes levels;
    lam_bytes rest;
    size_t uncompressed; /* at most as many as the old header states */
} new_body;

/* Appends a header, whose sizes are those of the body that follows. */
static lam_status recompress_put_header(recompression *work, const lam_meta_page_header *header,
                                        lam_error *error) {
    lam_buffer_clear(&work->header);
    LAM_TRY(lam_meta_write_page_header(header, &work->header, error));
    work->uncompressed_size += work->header.size + (uint64_t)header->uncompressed_page_size;
    return lam_writer_append(work->copy->writer, lam_buffer_bytes(&work->header), error);
}

/* Appends header and body; the checksum is of the new bytes. */
static lam_status recompress_append(recompression *work, lam_meta_page_header *header,
                                    const new_body *body, uint64_t *ret_size, lam_error *error) {
    lam_writer *writer = work->copy->writer;
    uint64_t size = (uint64_t)body->levels.size + body->rest.size;
    if (size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a page of %" PRIu64 " bytes is too large for the format", size);
    header->compressed_page_size = (int32_t)size;
    header->uncompressed_page_size = (int32_t)body->uncompressed;
    header->has &= ~(uint32_t)LAM_META_PAGE_HEADER_HAS_CRC;
    if (writer->row_group.options.crc) {
        uint32_t crc = lam_crc32(0, body->levels.data, body->levels.size);
        header->has |= LAM_META_PAGE_HEADER_HAS_CRC;
        header->crc = (int32_t)lam_crc32(crc, body->rest.data, body->rest.size);
    }
    LAM_TRY(recompress_put_header(work, header, error));
    if (body->levels.size > 0)
        LAM_TRY(lam_writer_append(writer, body->levels, error));
    if (body->rest.size > 0)
        LAM_TRY(lam_writer_append(writer, body->rest, error));
    *ret_size = work->header.size + size;
    return LAM_STATUS_OK;
}

/* Notes a data page that the writer's offset has come to; its new size is known later. */
static lam_moved_page recompress_begin_data(recompression *work, uint64_t offset) {
    uint64_t to = work->copy->writer->offset;
    if (!work->has_data)
        work->first_data = to;
    work->has_data = true;
    return (lam_moved_page){.from = offset, .to = to, .old_size = work->walk.next - offset};
}

/* Values of V2 stay uncompressed if that is not larger; their levels always do. */
static lam_status recompress_v2(recompression *work, lam_meta_page_header *header, lam_bytes plain,
                                new_body *ret_body, lam_error *error) {
    lam_meta_data_page_header_v2 *v2 =
        (lam_meta_data_page_header_v2 *)(uintptr_t)header->data_page_header_v2;
    size_t levels =
        (size_t)v2->repetition_levels_byte_length + (size_t)v2->definition_levels_byte_length;
    new_body body = {{plain.data, levels}, {plain.data + levels, plain.size - levels}, plain.size};
    lam_bytes compressed;
    if (plain.size == 0)
        body.rest.data = plain.data;
    LAM_TRY(lam_page_compress(&work->compressor, body.rest, &compressed, error));
    v2->has |= LAM_META_DATA_PAGE_HEADER_V2_HAS_IS_COMPRESSED;
    v2->is_compressed = compressed.size < body.rest.size;
    if (v2->is_compressed)
        body.rest = compressed;
    *ret_body = body;
    return LAM_STATUS_OK;
}

/*
 * A page of no triples may have any bytes; it gets none beside its levels, or an empty frame in V1.
 */
static lam_status recompress_data(recompression *work, lam_meta_page_header *header,
                                  uint64_t offset, lam_bytes old_body, lam_error *error) {
    lam_bytes plain;
    new_body body = {{NULL, 0}, {NULL, 0}, 0};
    LAM_TRY(lam_page_uncompress(&work->reader, header, old_body, &plain, error));
    bool is_v2 = header->type == LAM_PAGE_DATA_V2;
    int32_t count = lam_page_header_count(header);
    if (count == 0 && is_v2)
        plain.size = (size_t)header->data_page_header_v2->repetition_levels_byte_length +
                     (size_t)header->data_page_header_v2->definition_levels_byte_length;
    else if (count == 0)
        plain.size = 0;
    if (is_v2) {
        LAM_TRY(recompress_v2(work, header, plain, &body, error));
    } else {
        body.uncompressed = plain.size;
        LAM_TRY(lam_page_compress(&work->compressor, plain, &body.rest, error));
    }
    lam_moved_page moved = recompress_begin_data(work, offset);
    LAM_TRY(recompress_append(work, header, &body, &moved.size, error));
    return LAM_LIST_ADD(&work->copy->moved, &moved, error);
}

static lam_status recompress_dictionary(recompression *work, lam_meta_page_header *header,
                                        lam_bytes old_body, lam_error *error) {
    uint32_t count;
    uint64_t size;
    new_body body = {{NULL, 0}, {NULL, 0}, 0};
    lam_buffer_clear(&work->dictionary);
    LAM_TRY(lam_page_read_dictionary(&work->reader, header, old_body, &work->dictionary, &count,
                                     error));
    body.uncompressed = work->dictionary.size;
    LAM_TRY(lam_page_compress_alone(&work->compressor, lam_buffer_bytes(&work->dictionary),
                                    &body.rest, error));
    return recompress_append(work, header, &body, &size, error);
}

/* Copies the body of a page as it is; measuring has found its header possible. */
static lam_status restate_page(recompression *work, const lam_meta_page_header *header,
                               uint64_t offset, lam_error *error) {
    const lam_page_walk *walk = &work->walk;
    lam_moved_page moved = {0};
    bool is_data = lam_page_header_is_data(header);
    if (is_data)
        moved = recompress_begin_data(work, offset);
    LAM_TRY(recompress_put_header(work, header, error));
    LAM_TRY(lam_chunk_copy_range(work->copy, walk->body, walk->next - walk->body, error));
    moved.size = work->header.size + walk->next - walk->body;
    return is_data ? LAM_LIST_ADD(&work->copy->moved, &moved, error) : LAM_STATUS_OK;
}

static lam_status recompress_body(recompression *work, lam_meta_page_header *header,
                                  uint64_t offset, lam_error *error) {
    lam_bytes body;
    bool is_dictionary = header->type == LAM_PAGE_DICTIONARY;
    if (is_dictionary && (work->has_data || work->has_dictionary))
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PLACE,
                 "a dictionary page that is not the first page of its chunk");
    work->has_dictionary |= is_dictionary;
    if (work->keeps_bodies)
        return restate_page(work, header, offset, error);
    LAM_TRY(lam_page_check_sizes(&work->reader, header, error));
    LAM_TRY(lam_page_walk_body(&work->walk, &body, error));
    return is_dictionary ? recompress_dictionary(work, header, body, error)
                         : recompress_data(work, header, offset, body, error);
}

/* Makes a header independent of the walk, with the statements that still hold. */
static lam_status hold_header(recompression *work, lam_meta_page_header *header, lam_error *error) {
    size_t size;
    lam_buffer_clear(&work->held);
    LAM_TRY(lam_meta_write_page_header(header, &work->held, error));
    lam_arena_reset(&work->arena);
    LAM_TRY(lam_meta_read_page_header(lam_buffer_bytes(&work->held), &work->arena, header, &size,
                                      error));
    lam_meta_statistics *statistics =
        (lam_meta_statistics *)(uintptr_t)lam_page_header_statistics(header);
    if (statistics != NULL)
        statistics->has &= ~work->untrue;
    return LAM_STATUS_OK;
}

/* Pages that are neither data nor a dictionary are of no use to readers, and are left out. */
static lam_status recompress_page(recompression *work, lam_error *error) {
    lam_meta_page_header header;
    uint64_t offset;
    LAM_TRY(lam_stop_check(work->copy->reader->stop, error));
    LAM_TRY(lam_page_walk_next(&work->walk, &header, &offset, error));
    if (!lam_page_header_is_data(&header) && header.type != LAM_PAGE_DICTIONARY)
        return LAM_STATUS_OK;
    LAM_TRY(hold_header(work, &header, error));
    lam_status status = recompress_body(work, &header, offset, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, offset);
    return status;
}

static lam_status recompress_pages(recompression *work, lam_codec codec, lam_error *error) {
    if (!work->keeps_bodies)
        LAM_TRY(lam_codec_check_read(codec, error));
    while (!lam_page_walk_at_end(&work->walk))
        LAM_TRY(recompress_page(work, error));
    return LAM_STATUS_OK;
}

/* Codecs of the format are numbered from 0, those of lam_codec from 1. */
static lam_status recompress_codec(int32_t number, lam_codec *ret_codec, lam_error *error) {
    if (number < 0 || number >= LAM_CODEC_LZ4_RAW)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC, "unknown codec %" PRId32, number);
    *ret_codec = (lam_codec)(number + 1);
    return LAM_STATUS_OK;
}

/* States the pages' new positions and sizes. */
static void recompress_describe(const recompression *work, uint64_t start,
                                lam_meta_column *column) {
    const lam_writer *writer = work->copy->writer;
    if (work->has_dictionary) {
        column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->dictionary_page_offset = (int64_t)start;
    }
    column->data_page_offset = (int64_t)(work->has_data ? work->first_data : start);
    if (!work->keeps_bodies)
        column->codec = (int32_t)writer->row_group.options.codec - 1;
    column->total_compressed_size = (int64_t)(writer->offset - start);
    column->total_uncompressed_size = (int64_t)work->uncompressed_size;
}

static lam_status copy_anew(lam_chunk_copy *copy, const lam_chunk_source *source, bool keeps_bodies,
                            lam_arena *arena, lam_meta_column *column, lam_meta_column_chunk *chunk,
                            lam_error *error) {
    const lam_reader *reader = copy->reader;
    const lam_chunk_options *options = &copy->writer->row_group.options;
    lam_codec_context *codecs = copy->writer->row_group.codecs;
    lam_codec codec = LAM_CODEC_UNCOMPRESSED;
    uint64_t start = copy->writer->offset;
    recompression work = {.copy = copy,
                          .keeps_bodies = keeps_bodies,
                          .untrue = lam_chunk_copy_untrue_statistics(copy, source)};
    copy->moved.count = 0;
    LAM_TRY(lam_chunk_copy_describe(copy, source, arena, column, error));
    *chunk = (lam_meta_column_chunk){.meta_data = column};
    if (!keeps_bodies)
        LAM_TRY(recompress_codec(column->codec, &codec, error));
    lam_page_walk_init(&work.walk, &reader->input, source->range, &copy->writer->allocator);
    work.walk.header_only = keeps_bodies;
    lam_page_reader_init(&work.reader, lam_reader_kernels(reader), codec, source->leaf,
                         reader->verify_crc, reader->memory_limit, codecs,
                         &copy->writer->allocator);
    lam_page_compressor_init(&work.compressor, options->codec, options->codec_level, codecs,
                             &copy->writer->allocator);
    lam_buffer_init(&work.dictionary, &copy->writer->allocator);
    lam_buffer_init(&work.header, &copy->writer->allocator);
    lam_buffer_init(&work.held, &copy->writer->allocator);
    lam_arena_init(&work.arena, &copy->writer->allocator, (size_t)reader->memory_limit);
    lam_status status = recompress_pages(&work, codec, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, copy->row_group, source->leaf);
    else
        recompress_describe(&work, start, column);
    lam_arena_finish(&work.arena);
    lam_buffer_finish(&work.held);
    lam_buffer_finish(&work.header);
    lam_buffer_finish(&work.dictionary);
    lam_page_compressor_finish(&work.compressor);
    lam_page_reader_finish(&work.reader);
    lam_page_walk_finish(&work.walk);
    LAM_TRY(status);
    return lam_chunk_copy_indexes(copy, source, NULL, chunk, error);
}

lam_status lam_chunk_copy_recompress(lam_chunk_copy *copy, const lam_chunk_source *source,
                                     lam_arena *arena, lam_meta_column *column,
                                     lam_meta_column_chunk *chunk, lam_error *error) {
    return copy_anew(copy, source, false, arena, column, chunk, error);
}

lam_status lam_chunk_copy_restate(lam_chunk_copy *copy, const lam_chunk_source *source,
                                  lam_arena *arena, lam_meta_column *column,
                                  lam_meta_column_chunk *chunk, lam_error *error) {
    return copy_anew(copy, source, true, arena, column, chunk, error);
}
