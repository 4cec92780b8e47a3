/* SPDX-License-Identifier: Apache-2.0 */
/* One leaf with a handful of triples, and what a reader or a writer of its page needs. */
#include "page/page_sample.h"

#include <criterion/criterion.h>
#include <string.h>

#include "meta/compact.h"
#include "support/test_file.h"

static const uint8_t repetition[] = {0x03, 0x02}; /* one packed group: 0 1 0, and padding */
static const uint8_t definition[] = {0x03, 0x03}; /* 1 1 0 */
static const uint8_t values[] = {7, 0, 0, 0, 8, 0, 0, 0};

const lam_page_sections lam_sample_sections = {
    .value_count = 3,
    .null_count = 1,
    .row_count = 2,
    .encoding = LAM_ENCODING_PLAIN,
    .repetition = {repetition, sizeof repetition},
    .definition = {definition, sizeof definition},
    .values = {values, sizeof values},
};

void lam_page_sample_init(lam_page_sample *sample, const char *schema, lam_codec codec,
                          int32_t version, bool crc) {
    memset(sample, 0, sizeof *sample);
    sample->allocator = lam_allocator_default();
    sample->schema = lam_test_parse(schema);
    sample->leaf = lam_schema_leaf(sample->schema, 0);
    cr_assert_eq(lam_codec_context_create(&sample->allocator, &sample->codecs, NULL),
                 LAM_STATUS_OK);
    lam_page_writer_init(&sample->writer, codec, 0, version, crc, sample->codecs,
                         &sample->allocator);
    lam_page_reader_init(&sample->reader, lam_kernels_get(), codec, sample->leaf, true, 1 << 20,
                         sample->codecs, &sample->allocator);
    lam_buffer_init(&sample->out, &sample->allocator);
    lam_arena_init(&sample->arena, &sample->allocator, 0);
}

void lam_page_sample_finish(lam_page_sample *sample) {
    lam_page_writer_finish(&sample->writer);
    lam_page_reader_finish(&sample->reader);
    lam_buffer_finish(&sample->out);
    lam_arena_finish(&sample->arena);
    lam_codec_context_destroy(sample->codecs);
    lam_schema_destroy(sample->schema);
}

uint64_t lam_page_sample_write(lam_page_sample *sample, const lam_page_sections *sections) {
    uint64_t uncompressed = 0;
    lam_error error = lam_error_none();
    lam_buffer_clear(&sample->out);
    lam_status status =
        lam_page_write_data(&sample->writer, sections, &sample->out, &uncompressed, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return uncompressed;
}

lam_bytes lam_page_sample_split(lam_page_sample *sample, lam_meta_page_header *ret_header) {
    lam_bytes body = lam_buffer_bytes(&sample->out);
    size_t header_size = 0;
    cr_assert_eq(lam_meta_read_page_header(body, &sample->arena, ret_header, &header_size, NULL),
                 LAM_STATUS_OK);
    cr_assert_gt(header_size, 0);
    body.data += header_size;
    body.size -= header_size;
    return body;
}
