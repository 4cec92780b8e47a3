/* SPDX-License-Identifier: Apache-2.0 */
/* Puts pages one behind the other to a chunk, without codec and checksum, right or wrong. */
#include "chunk/hand_made.h"

#include <criterion/criterion.h>

#include "meta/compact.h"

void lam_hand_made_start(lam_hand_made *made, const char *schema, int32_t version) {
    lam_chunk_sample_init(&made->sample, schema);
    lam_buffer_init(&made->pages, &made->sample.allocator);
    lam_page_writer_init(&made->writer, LAM_CODEC_UNCOMPRESSED, 0, version, false,
                         made->sample.codecs, &made->sample.allocator);
}

void lam_hand_made_finish(lam_hand_made *made) {
    lam_page_writer_finish(&made->writer);
    lam_buffer_finish(&made->pages);
    lam_chunk_sample_finish(&made->sample);
}

void lam_hand_made_data(lam_hand_made *made, const lam_page_sections *sections) {
    uint64_t uncompressed;
    cr_assert_eq(lam_page_write_data(&made->writer, sections, &made->pages, &uncompressed, NULL),
                 LAM_STATUS_OK);
}

void lam_hand_made_dictionary(lam_hand_made *made, uint32_t count, lam_bytes values) {
    uint64_t uncompressed;
    cr_assert_eq(
        lam_page_write_dictionary(&made->writer, count, values, &made->pages, &uncompressed, NULL),
        LAM_STATUS_OK);
}

void lam_hand_made_other(lam_hand_made *made, int32_t type) {
    lam_meta_index_page_header index = {0};
    lam_meta_page_header header = {.type = type, .index_page_header = &index};
    header.compressed_page_size = header.uncompressed_page_size = 5;
    cr_assert_eq(lam_meta_write_page_header(&header, &made->pages, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&made->pages, "index", 5, NULL), LAM_STATUS_OK);
}
