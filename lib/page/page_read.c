#include <inttypes.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "encoding/bit_packed.h"
#include "page/page.h"

void lam_page_reader_init(lam_page_reader *reader, lam_codec codec, const lam_field *leaf,
                          bool verify_crc, uint64_t memory_limit, lam_codec_context *codecs,
                          const lam_allocator *allocator) {
    reader->codec = codec;
    reader->max_repetition = lam_field_max_repetition(leaf);
    reader->max_definition = lam_field_max_definition(leaf);
    reader->verify_crc = verify_crc;
    reader->memory_limit = memory_limit;
    reader->codecs = codecs;
    lam_buffer_init(&reader->body, allocator);
    lam_buffer_init(&reader->levels[0], allocator);
    lam_buffer_init(&reader->levels[1], allocator);
}

void lam_page_reader_finish(lam_page_reader *reader) {
    lam_buffer_finish(&reader->body);
    lam_buffer_finish(&reader->levels[0]);
    lam_buffer_finish(&reader->levels[1]);
}

/* The checksum covers the page as it stands in the file. (README.md, section "Checksumming") */
static lam_status verify_crc(const lam_page_reader *reader, const lam_meta_page_header *header,
                             lam_bytes body, lam_error *error) {
    if (!reader->verify_crc || (header->has & LAM_META_PAGE_HEADER_HAS_CRC) == 0)
        return LAM_STATUS_OK;
    uint32_t stated = (uint32_t)header->crc;
    uint32_t actual = lam_crc32(0, body.data, body.size);
    if (actual != stated)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "the page does not match its checksum: %08" PRIx32 " stated, %08" PRIx32 " found",
                 stated, actual);
    return LAM_STATUS_OK;
}

lam_status lam_page_check_sizes(const lam_page_reader *reader, const lam_meta_page_header *header,
                                lam_error *error) {
    int32_t uncompressed = header->uncompressed_page_size;
    int32_t compressed = header->compressed_page_size;
    if (uncompressed < 0 || compressed < 0)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a page has a negative size");
    int32_t larger = uncompressed > compressed ? uncompressed : compressed;
    if ((uint64_t)larger > reader->memory_limit)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "a page of %" PRId32 " bytes is above the memory limit of %" PRIu64, larger,
                 reader->memory_limit);
    return LAM_STATUS_OK;
}

/* The sizes of a header, checked against the body that was found. */
static lam_status page_sizes(const lam_page_reader *reader, const lam_meta_page_header *header,
                             lam_bytes body, size_t *ret_uncompressed, lam_error *error) {
    LAM_TRY(lam_page_check_sizes(reader, header, error));
    if ((size_t)header->compressed_page_size != body.size)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a page of %" PRId32 " bytes has %zu",
                 header->compressed_page_size, body.size);
    *ret_uncompressed = (size_t)header->uncompressed_page_size;
    return LAM_STATUS_OK;
}

/* Uncompresses `in` behind what `out` holds, to the size that the header states. */
static lam_status uncompress(const lam_page_reader *reader, lam_bytes in, size_t size,
                             lam_buffer *out, lam_error *error) {
    LAM_TRY(lam_buffer_reserve(out, size > 0 ? size : 1, error)); /* never NULL */
    LAM_TRY(lam_codec_decompress(reader->codecs, reader->codec, in, out->data + out->size, size,
                                 error));
    out->size += size;
    return LAM_STATUS_OK;
}

/* The whole body uncompressed: borrowed from the file when there is no codec. */
static lam_status plain_body(lam_page_reader *reader, lam_bytes body, size_t uncompressed,
                             lam_bytes *ret_plain, lam_error *error) {
    if (reader->codec == LAM_CODEC_UNCOMPRESSED) {
        if (body.size != uncompressed)
            LAM_FAIL(error, LAM_STATUS_CORRUPT,
                     "an uncompressed page of %zu bytes claims %zu uncompressed bytes", body.size,
                     uncompressed);
        *ret_plain = body;
        return LAM_STATUS_OK;
    }
    lam_buffer_clear(&reader->body);
    LAM_TRY(uncompress(reader, body, uncompressed, &reader->body, error));
    *ret_plain = lam_buffer_bytes(&reader->body);
    return LAM_STATUS_OK;
}

static lam_bytes take(lam_bytes *bytes, size_t size) {
    lam_bytes taken = {bytes->data, size};
    bytes->data = size > 0 ? bytes->data + size : bytes->data;
    bytes->size -= size;
    return taken;
}

static lam_status open_levels(lam_rle_decoder *decoder, lam_bytes bytes, uint8_t max_level,
                              lam_error *error) {
    return lam_rle_decoder_init(decoder, bytes, lam_bit_width(max_level), error);
}

/* The levels of one kind in a V1 page. */
typedef struct level_kind {
    const char *name;
    int32_t encoding;
    uint8_t max_level;
    lam_buffer *runs; /* where BIT_PACKED ones become hybrid runs */
} level_kind;

/* Hybrid runs have their size in front. */
static lam_status take_runs(lam_bytes *plain, const level_kind *kind, lam_bytes *ret_levels,
                            lam_error *error) {
    if (plain->size < 4)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "the page ends before its %s levels", kind->name);
    uint32_t size = lam_load_le32(take(plain, 4).data);
    if (size > plain->size)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "%s levels of %" PRIu32 " bytes in a page that has %zu left", kind->name, size,
                 plain->size);
    *ret_levels = take(plain, size);
    return LAM_STATUS_OK;
}

/* BIT_PACKED levels have the size that their number gives. */
static lam_status take_bit_packed(lam_bytes *plain, const level_kind *kind, uint32_t count,
                                  lam_bytes *ret_levels, lam_error *error) {
    unsigned width = lam_bit_width(kind->max_level);
    uint64_t size = lam_bit_packed_size(count, width);
    if (size > plain->size)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "%s levels of %" PRIu64 " bytes in a page that has %zu left", kind->name, size,
                 plain->size);
    LAM_TRY(lam_bit_packed_to_runs(take(plain, (size_t)size), count, width, kind->runs, error));
    *ret_levels = lam_buffer_bytes(kind->runs);
    return LAM_STATUS_OK;
}

/* Takes the levels of one kind from the front of a V1 page. */
static lam_status take_levels(lam_bytes *plain, const level_kind *kind, uint32_t count,
                              lam_rle_decoder *ret_levels, lam_error *error) {
    lam_bytes levels = {NULL, 0};
    if (kind->max_level == 0)
        return open_levels(ret_levels, levels, 0, error);
    if (kind->encoding == LAM_ENCODING_RLE)
        LAM_TRY(take_runs(plain, kind, &levels, error));
    else if (kind->encoding == LAM_ENCODING_BIT_PACKED)
        LAM_TRY(take_bit_packed(plain, kind, count, &levels, error));
    else
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "%s levels in encoding %s", kind->name,
                 lam_encoding_name((lam_encoding)kind->encoding));
    return open_levels(ret_levels, levels, kind->max_level, error);
}

static lam_status read_data_v1(lam_page_reader *reader, const lam_meta_page_header *header,
                               lam_bytes body, size_t uncompressed, lam_page *ret_page,
                               lam_error *error) {
    const lam_meta_data_page_header *v1 = header->data_page_header;
    if (v1->num_values < 0)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a page has a negative number of values");
    lam_page page = {0};
    page.value_count = (uint32_t)v1->num_values;
    page.null_count = -1;
    page.row_count = -1;
    page.encoding = (lam_encoding)v1->encoding;
    if (page.value_count > 0) {
        LAM_TRY(plain_body(reader, body, uncompressed, &page.values, error));
        level_kind repetition = {"repetition", v1->repetition_level_encoding,
                                 reader->max_repetition, &reader->levels[0]};
        level_kind definition = {"definition", v1->definition_level_encoding,
                                 reader->max_definition, &reader->levels[1]};
        LAM_TRY(take_levels(&page.values, &repetition, page.value_count, &page.repetition, error));
        LAM_TRY(take_levels(&page.values, &definition, page.value_count, &page.definition, error));
    }
    *ret_page = page;
    return LAM_STATUS_OK;
}

/* The values of a V2 page, uncompressed; the levels before them never are compressed. */
static lam_status read_values_v2(lam_page_reader *reader, const lam_meta_data_page_header_v2 *v2,
                                 lam_bytes compressed, size_t uncompressed, lam_bytes *ret_values,
                                 lam_error *error) {
    if (!v2->is_compressed || reader->codec == LAM_CODEC_UNCOMPRESSED) {
        if (compressed.size != uncompressed)
            LAM_FAIL(error, LAM_STATUS_CORRUPT,
                     "uncompressed values of %zu bytes claim %zu uncompressed bytes",
                     compressed.size, uncompressed);
        *ret_values = compressed;
        return LAM_STATUS_OK;
    }
    if (uncompressed == 0 && compressed.size == 0) {
        *ret_values = compressed; /* a page without values may leave out even the empty frame */
        return LAM_STATUS_OK;
    }
    return plain_body(reader, compressed, uncompressed, ret_values, error);
}

static lam_status read_data_v2(lam_page_reader *reader, const lam_meta_page_header *header,
                               lam_bytes body, size_t uncompressed, lam_page *ret_page,
                               lam_error *error) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    if (v2->num_values < 0 || v2->num_nulls < 0 || v2->num_rows < 0 ||
        v2->num_nulls > v2->num_values || v2->num_rows > v2->num_values)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "a page claims %" PRId32 " values, %" PRId32 " nulls and %" PRId32 " rows",
                 v2->num_values, v2->num_nulls, v2->num_rows);
    int32_t r_bytes = v2->repetition_levels_byte_length;
    int32_t d_bytes = v2->definition_levels_byte_length;
    if (r_bytes < 0 || d_bytes < 0 || (uint64_t)r_bytes + (uint64_t)d_bytes > body.size ||
        (uint64_t)r_bytes + (uint64_t)d_bytes > uncompressed)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "levels of %" PRId32 " and %" PRId32 " bytes in a page of %zu", r_bytes, d_bytes,
                 body.size);
    lam_page page = {0};
    page.value_count = (uint32_t)v2->num_values;
    page.null_count = v2->num_nulls;
    page.row_count = v2->num_rows;
    page.encoding = (lam_encoding)v2->encoding;
    lam_bytes repetition = take(&body, (size_t)r_bytes);
    lam_bytes definition = take(&body, (size_t)d_bytes);
    LAM_TRY(open_levels(&page.repetition, repetition, reader->max_repetition, error));
    LAM_TRY(open_levels(&page.definition, definition, reader->max_definition, error));
    if (page.value_count > 0)
        LAM_TRY(read_values_v2(reader, v2, body, uncompressed - (size_t)r_bytes - (size_t)d_bytes,
                               &page.values, error));
    *ret_page = page;
    return LAM_STATUS_OK;
}

lam_status lam_page_read_data(lam_page_reader *reader, const lam_meta_page_header *header,
                              lam_bytes body, lam_page *ret_page, lam_error *error) {
    size_t uncompressed;
    LAM_TRY(page_sizes(reader, header, body, &uncompressed, error));
    LAM_TRY(verify_crc(reader, header, body, error));
    if (header->type == LAM_PAGE_DATA && header->data_page_header != NULL)
        return read_data_v1(reader, header, body, uncompressed, ret_page, error);
    if (header->type == LAM_PAGE_DATA_V2 && header->data_page_header_v2 != NULL)
        return read_data_v2(reader, header, body, uncompressed, ret_page, error);
    LAM_FAIL(error, LAM_STATUS_CORRUPT, "a page of type %" PRId32 " lacks its header",
             header->type);
}

lam_status lam_page_read_dictionary(lam_page_reader *reader, const lam_meta_page_header *header,
                                    lam_bytes body, lam_buffer *values, uint32_t *ret_count,
                                    lam_error *error) {
    const lam_meta_dictionary_page_header *dictionary = header->dictionary_page_header;
    if (dictionary == NULL)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a dictionary page lacks its header");
    if (dictionary->num_values < 0)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a dictionary has a negative number of values");
    if (dictionary->encoding != LAM_ENCODING_PLAIN &&
        dictionary->encoding != LAM_ENCODING_PLAIN_DICTIONARY)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "a dictionary page in encoding %s",
                 lam_encoding_name((lam_encoding)dictionary->encoding));
    size_t uncompressed;
    LAM_TRY(page_sizes(reader, header, body, &uncompressed, error));
    LAM_TRY(verify_crc(reader, header, body, error));
    if (reader->codec == LAM_CODEC_UNCOMPRESSED && body.size != uncompressed)
        LAM_FAIL(error, LAM_STATUS_CORRUPT,
                 "an uncompressed dictionary of %zu bytes claims %zu uncompressed bytes", body.size,
                 uncompressed);
    LAM_TRY(uncompress(reader, body, uncompressed, values, error));
    *ret_count = (uint32_t)dictionary->num_values;
    return LAM_STATUS_OK;
}
