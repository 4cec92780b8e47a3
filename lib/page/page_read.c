/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens pages: takes a page header and the bytes that follow it in the file, and gives decoders of
 * the levels and the bytes of the values.
 *
 *   V1   codec( [size R] [size D] values )      sizes: 4 bytes, little endian
 *   V2   R D codec( values )                    sizes: in the header
 *
 * Every size in a header is hostile until it has been compared with the bytes present: no byte
 * beyond the body is ever read, and no memory allocated beyond the limit. Levels and values are not
 * decoded here; the decoders check their own bytes. Counts of nulls and rows (V2) are handed on as
 * the header states them. (README.md of the format, "Data Pages"; parquet.thrift, DataPageHeader
 * and DataPageHeaderV2)
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "encoding/bit_packed.h"
#include "page/page.h"

/* The maximum levels of the leaf decide which levels a page has at all. */
void lam_page_reader_init(lam_page_reader *reader, const lam_kernels *kernels, lam_codec codec,
                          const lam_field *leaf, bool verify_crc, uint64_t memory_limit,
                          lam_codec_context *codecs, const lam_allocator *allocator) {
    reader->kernels = kernels;
    reader->codec = codec;
    reader->max_repetition = lam_field_max_repetition(leaf);
    reader->max_definition = lam_field_max_definition(leaf);
    reader->verify_crc = verify_crc;
    reader->hides_compression = false;
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

/*
 * The checksum covers the body as it is in the file: after compression, without the header. Pages
 * without one pass. (README.md of the format, "Checksumming")
 */
static lam_status verify_crc(const lam_page_reader *reader, const lam_meta_page_header *header,
                             lam_bytes body, lam_error *error) {
    if (!reader->verify_crc || (header->has & LAM_META_PAGE_HEADER_HAS_CRC) == 0)
        return LAM_STATUS_OK;
    uint32_t stated = (uint32_t)header->crc;
    uint32_t actual = lam_crc32(0, body.data, body.size);
    if (actual != stated)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_CRC,
                 "the page does not match its checksum: %08" PRIx32 " stated, %08" PRIx32 " found",
                 stated, actual);
    return LAM_STATUS_OK;
}

/*
 * Both sizes are bounded: the uncompressed one sizes a buffer, the compressed one the bytes that
 * the caller fetches. A header of 30 bytes can claim 2 GiB of either.
 */
lam_status lam_page_check_sizes(const lam_page_reader *reader, const lam_meta_page_header *header,
                                lam_error *error) {
    int32_t uncompressed = header->uncompressed_page_size;
    int32_t compressed = header->compressed_page_size;
    if (uncompressed < 0 || compressed < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page has a negative size");
    int32_t larger = uncompressed > compressed ? uncompressed : compressed;
    if ((uint64_t)larger > reader->memory_limit)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a page of %" PRId32 " bytes is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 larger, reader->memory_limit);
    return LAM_STATUS_OK;
}

/* Checks the sizes of a header against the limit and against the body that follows it. */
static lam_status page_sizes(const lam_page_reader *reader, const lam_meta_page_header *header,
                             lam_bytes body, size_t *ret_uncompressed, lam_error *error) {
    LAM_TRY(lam_page_check_sizes(reader, header, error));
    if ((size_t)header->compressed_page_size != body.size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page of %" PRId32 " bytes has %zu",
                 header->compressed_page_size, body.size);
    *ret_uncompressed = (size_t)header->uncompressed_page_size;
    return LAM_STATUS_OK;
}

/*
 * Appends `size` uncompressed bytes of `in` to `out`; the codec fails when there are more or fewer.
 * At least one byte is reserved, so that the codec never gets a NULL destination.
 */
static lam_status uncompress(const lam_page_reader *reader, lam_bytes in, size_t size,
                             lam_buffer *out, lam_error *error) {
    LAM_TRY(lam_buffer_reserve(out, size > 0 ? size : 1, error));
    LAM_TRY(lam_codec_decompress(reader->codecs, reader->codec, in, out->data + out->size, size,
                                 error));
    out->size += size;
    return LAM_STATUS_OK;
}

/*
 * Cuts `size` bytes off the beginning of `bytes`, which the caller has checked to be there. Nothing
 * is added to `data` when `size` is 0: it may be NULL.
 */
static lam_bytes page_take(lam_bytes *bytes, size_t size) {
    lam_bytes taken = {bytes->data, size};
    bytes->data = size > 0 ? bytes->data + size : bytes->data;
    bytes->size -= size;
    return taken;
}

/* --- Without compression ------------------------------------------------------------------- */

/* How the bytes of a data page are laid out, according to its header. */
typedef struct page_layout {
    uint32_t value_count;
    size_t level_bytes;  /* before the bytes that the codec was given; 0 in V1 */
    bool is_compressed;  /* whether the bytes after the levels are */
    bool may_lack_frame; /* no values may be no bytes, not an empty frame of the codec */
} page_layout;

/* V1 compresses levels and values together, and always when the column has a codec. */
static lam_status check_v1(const lam_page_reader *reader, const lam_meta_data_page_header *v1,
                           page_layout *ret_layout, lam_error *error) {
    if (v1->num_values < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page has a negative number of values");
    ret_layout->value_count = (uint32_t)v1->num_values;
    ret_layout->level_bytes = 0;
    ret_layout->is_compressed = reader->codec != LAM_CODEC_UNCOMPRESSED;
    ret_layout->may_lack_frame = false;
    return LAM_STATUS_OK;
}

/*
 * Whether the level sizes of a V2 header are possible in a page of `size` bytes. The sum cannot
 * overflow: each of the two is below 2^31.
 */
static bool has_room_for_levels(const lam_meta_data_page_header_v2 *v2, size_t size) {
    int32_t r_bytes = v2->repetition_levels_byte_length;
    int32_t d_bytes = v2->definition_levels_byte_length;
    return r_bytes >= 0 && d_bytes >= 0 && (uint64_t)r_bytes + (uint64_t)d_bytes <= size;
}

/*
 * Only V2 pages leave repetition levels uncompressed at a known offset, so that rows can be counted
 * without uncompressing the values.
 */
bool lam_page_find_repetition(const lam_meta_page_header *header, size_t *ret_size) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    if (header->type != LAM_PAGE_DATA_V2 || header->compressed_page_size < 0 ||
        !has_room_for_levels(v2, (size_t)header->compressed_page_size))
        return false;
    *ret_size = (size_t)v2->repetition_levels_byte_length;
    return true;
}

/*
 * In V2 the levels are never compressed, and the values only when is_compressed says so, except for
 * writers that are known to set it wrongly (hides_compression: ARROW-17100).
 */
static lam_status check_v2(const lam_page_reader *reader, const lam_meta_data_page_header_v2 *v2,
                           size_t size, page_layout *ret_layout, lam_error *error) {
    if (v2->num_values < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page has a negative number of values");
    int32_t r_bytes = v2->repetition_levels_byte_length;
    int32_t d_bytes = v2->definition_levels_byte_length;
    if (!has_room_for_levels(v2, size))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "levels of %" PRId32 " and %" PRId32 " bytes in a page of %zu", r_bytes, d_bytes,
                 size);
    ret_layout->value_count = (uint32_t)v2->num_values;
    ret_layout->level_bytes = (size_t)r_bytes + (size_t)d_bytes;
    ret_layout->is_compressed =
        (v2->is_compressed || reader->hides_compression) && reader->codec != LAM_CODEC_UNCOMPRESSED;
    ret_layout->may_lack_frame = true;
    return LAM_STATUS_OK;
}

/* Gives the layout of a data page, from `size` bytes of it. */
static lam_status page_check_header(const lam_page_reader *reader,
                                    const lam_meta_page_header *header, size_t size,
                                    page_layout *ret_layout, lam_error *error) {
    if (header->type == LAM_PAGE_DATA)
        return check_v1(reader, header->data_page_header, ret_layout, error);
    if (header->type == LAM_PAGE_DATA_V2)
        return check_v2(reader, header->data_page_header_v2, size, ret_layout, error);
    LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page of type %" PRId32 " holds no triples",
             header->type);
}

/*
 * Gives the page as it would be without compression, in reader->body: the levels copied, then the
 * values uncompressed. Some writers compress an absent values section (a V2 page of nulls only) to
 * no bytes at all, which no codec reads. The caller has checked that the levels fit into
 * `uncompressed`.
 */
static lam_status page_uncompress_page(lam_page_reader *reader, const page_layout *layout,
                                       lam_bytes body, size_t uncompressed, lam_error *error) {
    /* If the levels are all of it, the codec gets a byte after them. */
    size_t room = uncompressed + (layout->level_bytes == uncompressed);
    /* The page before is gone: its bytes need not move, nor does memory double for them. */
    if (room > reader->body.capacity)
        lam_buffer_finish(&reader->body);
    LAM_TRY(lam_buffer_reserve(&reader->body, room, error));
    lam_bytes levels = page_take(&body, layout->level_bytes);
    if (levels.size > 0)
        memcpy(reader->body.data, levels.data, levels.size);
    reader->body.size = levels.size;
    size_t left = uncompressed - levels.size;
    if (layout->may_lack_frame && left == 0 && body.size == 0)
        return LAM_STATUS_OK;
    return uncompress(reader, body, left, &reader->body, error);
}

lam_status lam_page_uncompress(lam_page_reader *reader, const lam_meta_page_header *header,
                               lam_bytes body, lam_bytes *ret_plain, lam_error *error) {
    size_t uncompressed;
    page_layout layout;
    LAM_TRY(page_sizes(reader, header, body, &uncompressed, error));
    LAM_TRY(verify_crc(reader, header, body, error));
    LAM_TRY(page_check_header(reader, header, body.size, &layout, error));
    /*
     * The levels count towards the uncompressed size too; without this check, the subtraction that
     * sizes the values would wrap around.
     */
    if (layout.level_bytes > uncompressed)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "levels of %zu bytes in a page of %zu",
                 layout.level_bytes, uncompressed);
    lam_buffer_clear(&reader->body);
    /*
     * A page of no triples is left alone: writers put anything there, even bytes that do not
     * uncompress.
     */
    if (layout.value_count > 0 && layout.is_compressed) {
        LAM_TRY(page_uncompress_page(reader, &layout, body, uncompressed, error));
        body = lam_buffer_bytes(&reader->body);
    } else if (layout.value_count > 0 && body.size != uncompressed) {
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "an uncompressed page of %zu bytes claims %zu uncompressed bytes", body.size,
                 uncompressed);
    }
    *ret_plain = body;
    return LAM_STATUS_OK;
}

/* --- Levels -------------------------------------------------------------------------------- */

/*
 * Starts a decoder of levels. It has bit width 0 if the maximum is 0: no levels are stored then.
 * Only a width above 32 is refused, and levels have at most 8 bits.
 */
static void open_levels(lam_rle_decoder *decoder, const lam_kernels *kernels, lam_bytes bytes,
                        uint8_t max_level) {
    lam_status status =
        lam_rle_decoder_init(decoder, kernels, bytes, lam_bit_width(max_level), NULL);
    assert(status == LAM_STATUS_OK);
    (void)status;
}

/* The levels of one kind in a V1 page. */
typedef struct level_kind {
    const lam_kernels *kernels;
    const char *name;
    int32_t encoding;
    uint8_t max_level;
    lam_buffer *runs; /* where BIT_PACKED ones become hybrid runs */
} level_kind;

/*
 * Takes hybrid runs, which start with their size: `03 00 00 00  07 01 ..` is three bytes of runs.
 */
static lam_status take_runs(lam_bytes *plain, const level_kind *kind, lam_bytes *ret_levels,
                            lam_error *error) {
    if (plain->size < 4)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "the page ends before its %s levels", kind->name);
    uint32_t size = lam_load_le32(page_take(plain, 4).data);
    if (size > plain->size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "%s levels of %" PRIu32 " bytes in a page that has %zu left", kind->name, size,
                 plain->size);
    *ret_levels = page_take(plain, size);
    return LAM_STATUS_OK;
}

/*
 * Takes BIT_PACKED levels (deprecated), which have no size: it follows from their number,
 * ceil(count * width / 8) bytes. Their bits run from the most significant one down; they become
 * hybrid runs here, so that all code after this function knows one form only. (Encodings.md,
 * "Bit-packed (Deprecated)")
 */
static lam_status take_bit_packed(lam_bytes *plain, const level_kind *kind, uint32_t count,
                                  lam_bytes *ret_levels, lam_error *error) {
    unsigned width = lam_bit_width(kind->max_level);
    uint64_t size = lam_bit_packed_size(count, width);
    if (size > plain->size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "%s levels of %" PRIu64 " bytes in a page that has %zu left", kind->name, size,
                 plain->size);
    LAM_TRY(lam_bit_packed_to_runs(kind->kernels, page_take(plain, (size_t)size), count, width,
                                   kind->runs, error));
    *ret_levels = lam_buffer_bytes(kind->runs);
    return LAM_STATUS_OK;
}

/*
 * Takes the levels of one kind from the beginning of a V1 page: none if the maximum is 0, whatever
 * encoding the header names for them.
 */
static lam_status page_take_levels(lam_bytes *plain, const level_kind *kind, uint32_t count,
                                   lam_rle_decoder *ret_levels, lam_error *error) {
    lam_bytes levels = {NULL, 0};
    if (kind->max_level == 0) {
        open_levels(ret_levels, kind->kernels, levels, 0);
        return LAM_STATUS_OK;
    }
    if (kind->encoding == LAM_ENCODING_RLE)
        LAM_TRY(take_runs(plain, kind, &levels, error));
    else if (kind->encoding == LAM_ENCODING_BIT_PACKED)
        LAM_TRY(take_bit_packed(plain, kind, count, &levels, error));
    else
        LAM_FAIL(error, LAM_ERROR_CODE_LEVEL_ENCODING, "%s levels in encoding %s", kind->name,
                 lam_encoding_name((lam_encoding)kind->encoding));
    open_levels(ret_levels, kind->kernels, levels, kind->max_level);
    return LAM_STATUS_OK;
}

/* --- Pages --------------------------------------------------------------------------------- */

/*
 * Repetition levels come first, then definition levels, then values: each step leaves the remaining
 * bytes in page->values.
 */
static lam_status open_v1(lam_page_reader *reader, const lam_meta_data_page_header *v1,
                          lam_page *page, lam_error *error) {
    page->encoding = (lam_encoding)v1->encoding;
    level_kind repetition = {reader->kernels, "repetition", v1->repetition_level_encoding,
                             reader->max_repetition, &reader->levels[0]};
    level_kind definition = {reader->kernels, "definition", v1->definition_level_encoding,
                             reader->max_definition, &reader->levels[1]};
    if (page->value_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(
        page_take_levels(&page->values, &repetition, page->value_count, &page->repetition, error));
    return page_take_levels(&page->values, &definition, page->value_count, &page->definition,
                            error);
}

/*
 * page_check_header has compared both sizes with the bytes of the page, so that they can be taken
 * unchecked. Counts of nulls and rows remain the header's claim.
 */
static void open_v2(lam_page_reader *reader, const lam_meta_data_page_header_v2 *v2,
                    lam_page *page) {
    page->has_counts = true;
    page->null_count = v2->num_nulls;
    page->row_count = v2->num_rows;
    page->encoding = (lam_encoding)v2->encoding;
    lam_bytes repetition = page_take(&page->values, (size_t)v2->repetition_levels_byte_length);
    lam_bytes definition = page_take(&page->values, (size_t)v2->definition_levels_byte_length);
    open_levels(&page->repetition, reader->kernels, repetition, reader->max_repetition);
    open_levels(&page->definition, reader->kernels, definition, reader->max_definition);
}

/*
 * The header is checked again, now against the uncompressed bytes: `plain` may come from a cache,
 * and the two calls need not follow each other.
 */
lam_status lam_page_open(lam_page_reader *reader, const lam_meta_page_header *header,
                         lam_bytes plain, lam_page *ret_page, lam_error *error) {
    page_layout layout;
    lam_page page = {0};
    LAM_TRY(page_check_header(reader, header, plain.size, &layout, error));
    page.value_count = layout.value_count;
    page.values = plain;
    if (header->type == LAM_PAGE_DATA)
        LAM_TRY(open_v1(reader, header->data_page_header, &page, error));
    else
        open_v2(reader, header->data_page_header_v2, &page);
    /*
     * Bytes in a page without triples have no meaning; the decoder of the values must not see them.
     */
    if (page.value_count == 0)
        page.values = (lam_bytes){NULL, 0};
    *ret_page = page;
    return LAM_STATUS_OK;
}

lam_status lam_page_read_data(lam_page_reader *reader, const lam_meta_page_header *header,
                              lam_bytes body, lam_page *ret_page, lam_error *error) {
    lam_bytes plain;
    LAM_TRY(lam_page_uncompress(reader, header, body, &plain, error));
    return lam_page_open(reader, header, plain, ret_page, error);
}

/*
 * A dictionary page names its encoding PLAIN, or PLAIN_DICTIONARY in old files, which means the
 * same there. (Encodings.md, "Dictionary Encoding")
 */
lam_status lam_page_count_dictionary(const lam_meta_page_header *header, uint32_t *ret_count,
                                     lam_error *error) {
    const lam_meta_dictionary_page_header *dictionary = header->dictionary_page_header;
    if (dictionary->num_values < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE,
                 "a dictionary has a negative number of values");
    if (dictionary->encoding != LAM_ENCODING_PLAIN &&
        dictionary->encoding != LAM_ENCODING_PLAIN_DICTIONARY)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ENCODING, "a dictionary page in encoding %s",
                 lam_encoding_name((lam_encoding)dictionary->encoding));
    *ret_count = (uint32_t)dictionary->num_values;
    return LAM_STATUS_OK;
}

/*
 * A dictionary page has no levels: its entire body is PLAIN values. `values` takes them because
 * they must outlive the data pages, which reuse reader->body. How many values the bytes really hold
 * is for the caller to check: fixed sizes and length prefixes differ.
 */
lam_status lam_page_read_dictionary(lam_page_reader *reader, const lam_meta_page_header *header,
                                    lam_bytes body, lam_buffer *values, uint32_t *ret_count,
                                    lam_error *error) {
    size_t uncompressed;
    uint32_t count;
    LAM_TRY(lam_page_count_dictionary(header, &count, error));
    LAM_TRY(page_sizes(reader, header, body, &uncompressed, error));
    LAM_TRY(verify_crc(reader, header, body, error));
    if (reader->codec == LAM_CODEC_UNCOMPRESSED && body.size != uncompressed)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "an uncompressed dictionary of %zu bytes claims %zu uncompressed bytes", body.size,
                 uncompressed);
    LAM_TRY(uncompress(reader, body, uncompressed, values, error));
    *ret_count = count;
    return LAM_STATUS_OK;
}
