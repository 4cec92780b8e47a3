/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes pages: takes encoded levels and values with their counts, compresses them and appends a
 * complete header and body to a buffer.
 *
 *   V1   header | codec( [size R] [size D] values )
 *   V2   header | R D values or codec( values )
 *
 * Sizes and checksum are computed last, from the bytes that are really written, so that a header
 * always matches its body. Each function also gives the size that the page would have without
 * compression, header included: the column chunk sums it for total_uncompressed_size.
 * (parquet.thrift, PageHeader; README.md of the format, "Checksumming")
 */
#include <stdint.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "meta/compact.h"
#include "page/page.h"

/* `codecs` is borrowed; the compressor decides about levels of ZSTD for all pages of a chunk. */
void lam_page_writer_init(lam_page_writer *writer, lam_codec codec, int32_t codec_level,
                          int32_t version, bool crc, lam_codec_context *codecs,
                          const lam_allocator *allocator) {
    writer->version = version;
    writer->crc = crc;
    lam_page_compressor_init(&writer->compressor, codec, codec_level, codecs, allocator);
    lam_buffer_init(&writer->body, allocator);
}

void lam_page_writer_finish(lam_page_writer *writer) {
    lam_buffer_finish(&writer->body);
    lam_page_compressor_finish(&writer->compressor);
}

static lam_status page_append_bytes(lam_buffer *out, lam_bytes bytes, lam_error *error) {
    return lam_buffer_append(out, bytes.data, bytes.size, error);
}

/*
 * Appends levels as V1 pages hold them: 4 bytes of size, then the hybrid runs; nothing at all when
 * the maximum is 0, because no level is stored then.
 */
static lam_status append_sized_levels(lam_buffer *out, lam_bytes levels, lam_error *error) {
    uint8_t size[4];
    if (levels.size == 0)
        return LAM_STATUS_OK;
    if (levels.size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "the levels of one page take %zu bytes",
                 levels.size);
    lam_store_le32(size, (uint32_t)levels.size);
    LAM_TRY(lam_buffer_append(out, size, sizeof size, error));
    return page_append_bytes(out, levels, error);
}

/*
 * The three sections that follow a header, in the order of the file. V1 uses only the last one: its
 * levels are compressed together with the values.
 */
typedef struct page_body {
    lam_bytes repetition;
    lam_bytes definition;
    lam_bytes values;
} page_body;

/*
 * Completes the header with sizes and checksum, and appends header and body. `uncompressed` is the
 * size of the body before compression. Both sizes must fit the 32-bit fields of the format.
 */
static lam_status page_append_page(lam_page_writer *writer, lam_meta_page_header *header,
                                   const page_body *body, uint64_t uncompressed, lam_buffer *out,
                                   uint64_t *ret_uncompressed, lam_error *error) {
    /* V1 has no levels here, and V2 has bounded the sum: it cannot overflow. */
    uint64_t compressed = body->repetition.size + body->definition.size + body->values.size;
    uint64_t larger = compressed > uncompressed ? compressed : uncompressed;
    if (larger > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a page of %llu bytes is too large for the format", (unsigned long long)larger);
    header->uncompressed_page_size = (int32_t)uncompressed;
    header->compressed_page_size = (int32_t)compressed;
    /*
     * The checksum covers the body as written, levels first; the three calls continue one checksum.
     */
    if (writer->crc) {
        uint32_t crc = lam_crc32(0, body->repetition.data, body->repetition.size);
        crc = lam_crc32(crc, body->definition.data, body->definition.size);
        crc = lam_crc32(crc, body->values.data, body->values.size);
        header->has |= LAM_META_PAGE_HEADER_HAS_CRC;
        header->crc = (int32_t)crc;
    }
    size_t before = out->size;
    LAM_TRY(lam_meta_write_page_header(header, out, error));
    *ret_uncompressed = out->size - before + uncompressed;
    LAM_TRY(page_append_bytes(out, body->repetition, error));
    LAM_TRY(page_append_bytes(out, body->definition, error));
    return page_append_bytes(out, body->values, error);
}

/*
 * The codec needs all sections in one piece: levels and values go into one buffer, but values alone
 * stay where they are.
 */
static lam_status write_data_v1(lam_page_writer *writer, const lam_page_sections *sections,
                                lam_buffer *out, uint64_t *ret_uncompressed, lam_error *error) {
    lam_meta_data_page_header v1 = {0};
    v1.num_values = (int32_t)sections->value_count;
    v1.encoding = (int32_t)sections->encoding;
    v1.definition_level_encoding = LAM_ENCODING_RLE;
    v1.repetition_level_encoding = LAM_ENCODING_RLE;
    lam_meta_page_header header = {0};
    header.type = LAM_PAGE_DATA;
    header.data_page_header = &v1;
    lam_bytes whole = sections->values;
    if (sections->repetition.size > 0 || sections->definition.size > 0) {
        lam_buffer_clear(&writer->body);
        LAM_TRY(append_sized_levels(&writer->body, sections->repetition, error));
        LAM_TRY(append_sized_levels(&writer->body, sections->definition, error));
        LAM_TRY(page_append_bytes(&writer->body, sections->values, error));
        whole = lam_buffer_bytes(&writer->body);
    }
    page_body body = {0};
    LAM_TRY(lam_page_compress(&writer->compressor, whole, &body.values, error));
    return page_append_page(writer, &header, &body, whole.size, out, ret_uncompressed, error);
}

/*
 * Only the values are compressed, and only if that makes them smaller: is_compressed then is true.
 */
static lam_status write_data_v2(lam_page_writer *writer, const lam_page_sections *sections,
                                lam_buffer *out, uint64_t *ret_uncompressed, lam_error *error) {
    page_body body = {sections->repetition, sections->definition, sections->values};
    uint64_t levels = (uint64_t)body.repetition.size + body.definition.size;
    /* Checked here because the level sizes below are 32 bits wide; each is at most the sum. */
    uint64_t uncompressed = levels + body.values.size;
    if (uncompressed > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a page of %llu bytes is too large for the format",
                 (unsigned long long)uncompressed);
    lam_meta_data_page_header_v2 v2 = {0};
    lam_meta_page_header header = {0};
    header.type = LAM_PAGE_DATA_V2;
    header.data_page_header_v2 = &v2;
    v2.num_values = (int32_t)sections->value_count;
    v2.num_nulls = (int32_t)sections->null_count;
    v2.num_rows = (int32_t)sections->row_count;
    v2.encoding = (int32_t)sections->encoding;
    v2.definition_levels_byte_length = (int32_t)sections->definition.size;
    v2.repetition_levels_byte_length = (int32_t)sections->repetition.size;
    v2.has |= LAM_META_DATA_PAGE_HEADER_V2_HAS_IS_COMPRESSED;
    lam_bytes compressed;
    LAM_TRY(lam_page_compress(&writer->compressor, sections->values, &compressed, error));
    v2.is_compressed = compressed.size < sections->values.size;
    if (v2.is_compressed)
        body.values = compressed;
    return page_append_page(writer, &header, &body, uncompressed, out, ret_uncompressed, error);
}

/*
 * The counts of a header are signed 32-bit integers; nulls and rows are never more than the
 * triples.
 */
lam_status lam_page_write_data(lam_page_writer *writer, const lam_page_sections *sections,
                               lam_buffer *out, uint64_t *ret_uncompressed, lam_error *error) {
    if (sections->value_count > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a page of %u values is too large for the format",
                 (unsigned)sections->value_count);
    return writer->version == 1 ? write_data_v1(writer, sections, out, ret_uncompressed, error)
                                : write_data_v2(writer, sections, out, ret_uncompressed, error);
}

/*
 * Dictionary pages are always PLAIN by name: PLAIN_DICTIONARY is deprecated. They are compressed
 * separately, since they tell nothing about the pages that follow.
 */
lam_status lam_page_write_dictionary(lam_page_writer *writer, uint32_t value_count,
                                     lam_bytes values, lam_buffer *out, uint64_t *ret_uncompressed,
                                     lam_error *error) {
    if (value_count > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a dictionary of %u values is too large for the format", (unsigned)value_count);
    lam_meta_dictionary_page_header dictionary = {0};
    dictionary.num_values = (int32_t)value_count;
    dictionary.encoding = LAM_ENCODING_PLAIN;
    lam_meta_page_header header = {0};
    header.type = LAM_PAGE_DICTIONARY;
    header.dictionary_page_header = &dictionary;
    page_body body = {0};
    LAM_TRY(lam_page_compress_alone(&writer->compressor, values, &body.values, error));
    return page_append_page(writer, &header, &body, values.size, out, ret_uncompressed, error);
}
