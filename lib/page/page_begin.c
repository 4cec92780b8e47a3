/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the first repetition level of a data page, which says whether the page begins with a
 * record, from its header and the beginning of its body.
 *
 *   V1   codec( [size R] R D values )   the codec decompresses its first bytes
 *   V2   R D codec( values )            R is not compressed
 *
 * A level is only ever given if the bytes so far determine it. (README.md of the format, "Data
 * Pages")
 */
#include <string.h>

#include "base/error.h"
#include "page/page.h"

enum { SIZE_OF_RUNS = 4 }; /* bytes in front of the runs of a V1 page */

static bool is_compressed_v1(const lam_page_reader *reader, const lam_meta_page_header *header) {
    return header->type == LAM_PAGE_DATA && reader->codec != LAM_CODEC_UNCOMPRESSED;
}

size_t lam_page_begin_size(const lam_page_reader *reader, const lam_meta_page_header *header) {
    size_t size = header->compressed_page_size < 0 ? 0 : (size_t)header->compressed_page_size;
    size_t wanted = LAM_CODEC_PREFIX;
    if (is_compressed_v1(reader, header))
        wanted = lam_codec_prefix_input(reader->codec);
    return size < wanted ? size : wanted;
}

/* The first level of BIT_PACKED ones is in the highest bits. (Encodings.md, "Bit-packed") */
static bool read_bit_packed(lam_bytes plain, unsigned width, uint8_t *ret_level) {
    if (plain.size == 0)
        return false;
    *ret_level = (uint8_t)(plain.data[0] >> (8 - width));
    return true;
}

static bool read_runs(const lam_page_reader *reader, lam_bytes runs, unsigned width,
                      uint8_t *ret_level) {
    lam_rle_decoder decoder;
    return lam_rle_decoder_init(&decoder, reader->kernels, runs, width, NULL) == LAM_STATUS_OK &&
           lam_rle_read_levels(&decoder, 1, ret_level, NULL) == LAM_STATUS_OK;
}

bool lam_page_begin_level(const lam_page_reader *reader, const lam_meta_page_header *header,
                          lam_bytes plain, uint8_t *ret_level) {
    unsigned width = lam_bit_width(reader->max_repetition);
    size_t size;
    if (header->type == LAM_PAGE_DATA_V2) {
        if (!lam_page_find_repetition(header, &size))
            return false;
        plain.size = plain.size < size ? plain.size : size;
        return read_runs(reader, plain, width, ret_level);
    }
    if (header->type != LAM_PAGE_DATA)
        return false;
    if (header->data_page_header->repetition_level_encoding == LAM_ENCODING_BIT_PACKED)
        return read_bit_packed(plain, width, ret_level);
    if (header->data_page_header->repetition_level_encoding != LAM_ENCODING_RLE ||
        plain.size <= SIZE_OF_RUNS)
        return false;
    lam_bytes runs = {plain.data + SIZE_OF_RUNS, plain.size - SIZE_OF_RUNS};
    return read_runs(reader, runs, width, ret_level);
}

lam_status lam_page_begin_read(const lam_page_reader *reader, const lam_meta_page_header *header,
                               lam_bytes prefix, bool *ret_known, uint8_t *ret_level,
                               lam_error *error) {
    uint8_t room[LAM_CODEC_PREFIX];
    lam_bytes plain = prefix;
    if (is_compressed_v1(reader, header)) {
        plain.data = room;
        LAM_TRY(lam_codec_decompress_prefix(reader->codecs, reader->codec, prefix, room,
                                            sizeof room, &plain.size, error));
    }
    *ret_known = lam_page_begin_level(reader, header, plain, ret_level);
    return LAM_STATUS_OK;
}
