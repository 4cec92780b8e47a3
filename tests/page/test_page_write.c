/* SPDX-License-Identifier: Apache-2.0 */
/* Pages by their bytes, written by hand from parquet.thrift, with checksums and limits of sizes. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/crc32.h"
#include "page/page_sample.h"
#include "support/failing_alloc.h"

#define NESTED "message m { repeated int32 a; }"
#define REQUIRED "message m { required int32 a; }"

/* Written by hand from parquet.thrift and the compact protocol. */
static const uint8_t page_v1[] = {
    0x15, 0x00,                               /* 1: type DATA_PAGE */
    0x15, 0x28,                               /* 2: uncompressed_page_size 20 */
    0x15, 0x28,                               /* 3: compressed_page_size 20 */
    0x2C,                                     /* 5: data_page_header */
    0x15, 0x06, 0x15, 0x00,                   /*    num_values 3, encoding PLAIN */
    0x15, 0x06, 0x15, 0x06, 0x00,             /*    levels RLE, RLE */
    0x00,                                     /* end */
    2,    0,    0,    0,    0x03, 0x02,       /* repetition: size, runs */
    2,    0,    0,    0,    0x03, 0x03,       /* definition */
    7,    0,    0,    0,    8,    0,    0, 0, /* values */
};
static const uint8_t page_v2[] = {
    0x15, 0x06,                               /* 1: type DATA_PAGE_V2 */
    0x15, 0x18,                               /* 2: uncompressed_page_size 12 */
    0x15, 0x18,                               /* 3: compressed_page_size 12 */
    0x5C,                                     /* 8: data_page_header_v2 */
    0x15, 0x06, 0x15, 0x02, 0x15, 0x04,       /*    3 values, 1 null, 2 rows */
    0x15, 0x00,                               /*    encoding PLAIN */
    0x15, 0x04, 0x15, 0x04,                   /*    2 bytes of levels each */
    0x12, 0x00,                               /*    is_compressed false */
    0x00,                                     /* end */
    0x03, 0x02, 0x03, 0x03,                   /* levels */
    7,    0,    0,    0,    8,    0,    0, 0, /* values */
};
static const uint8_t page_v1_with_crc[] = {
    0x15, 0x00, 0x15, 0x28, 0x15, 0x28, 0x15, 0x81, 0xD4, 0xFB, 0xF0, 0x08, /* 4: crc B8F08AFF */
    0x1C, 0x15, 0x06, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x00, 0x00,       /* 5, as above */
};
static const uint8_t page_v2_with_crc[] = {
    0x15, 0x06, 0x15, 0x18, 0x15, 0x18, 0x15, 0xDC, 0xAD, 0xE0, 0x9E, 0x09, /* 4: crc 49EC0B6E */
    0x4C, 0x15, 0x06, 0x15, 0x02, 0x15, 0x04, 0x15, 0x00, 0x15, 0x04, 0x15, 0x04, 0x12, 0x00, 0x00,
};
static const uint8_t dictionary_page[] = {
    0x15, 0x04,                               /* 1: type DICTIONARY_PAGE */
    0x15, 0x10,                               /* 2: uncompressed_page_size 8 */
    0x15, 0x10,                               /* 3: compressed_page_size 8 */
    0x15, 0xC1, 0x85, 0xE0, 0xDA, 0x0A,       /* 4: crc AA53FE9F */
    0x3C, 0x15, 0x04, 0x15, 0x00, 0x00,       /* 7: num_values 2, encoding PLAIN */
    0x00,                                     /* end */
    7,    0,    0,    0,    8,    0,    0, 0, /* values */
};

static void expect_front(const lam_buffer *out, const uint8_t *front, size_t size) {
    cr_assert_geq(out->size, size);
    for (size_t i = 0; i < size; i++)
        cr_assert_eq(out->data[i], front[i], "byte %zu is %02X, not %02X", i, out->data[i],
                     front[i]);
}

Test(page_write, a_v1_page_without_codec_is_these_bytes) {
    lam_page_sample sample;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 1, false);
    uint64_t uncompressed = lam_page_sample_write(&sample, &lam_sample_sections);
    cr_assert_eq(sample.out.size, sizeof page_v1);
    cr_assert_eq(uncompressed, sizeof page_v1);
    expect_front(&sample.out, page_v1, sizeof page_v1);
    lam_page_sample_finish(&sample);
}

Test(page_write, a_v2_page_without_codec_is_these_bytes) {
    lam_page_sample sample;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 2, false);
    uint64_t uncompressed = lam_page_sample_write(&sample, &lam_sample_sections);
    cr_assert_eq(sample.out.size, sizeof page_v2);
    cr_assert_eq(uncompressed, sizeof page_v2);
    expect_front(&sample.out, page_v2, sizeof page_v2);
    lam_page_sample_finish(&sample);
}

Test(page_write, the_checksum_of_a_page_is_the_crc_of_gzip_over_its_body) {
    lam_page_sample sample;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 1, true);
    lam_page_sample_write(&sample, &lam_sample_sections);
    expect_front(&sample.out, page_v1_with_crc, sizeof page_v1_with_crc);
    sample.writer.version = 2;
    lam_page_sample_write(&sample, &lam_sample_sections);
    expect_front(&sample.out, page_v2_with_crc, sizeof page_v2_with_crc);
    lam_page_sample_finish(&sample);
}

Test(page_write, a_dictionary_page_without_codec_is_these_bytes) {
    lam_page_sample sample;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 1, true);
    uint64_t uncompressed;
    cr_assert_eq(lam_page_write_dictionary(&sample.writer, 2, lam_sample_sections.values,
                                           &sample.out, &uncompressed, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(sample.out.size, sizeof dictionary_page);
    cr_assert_eq(uncompressed, sizeof dictionary_page);
    expect_front(&sample.out, dictionary_page, sizeof dictionary_page);
    lam_page_sample_finish(&sample);
}

Test(page_write, levels_whose_maximum_is_0_take_no_bytes_in_either_version) {
    lam_page_sample sample;
    lam_page_sections sections = {
        .value_count = 2, .row_count = 2, .values = lam_sample_sections.values};
    lam_page_sample_init(&sample, REQUIRED, LAM_CODEC_UNCOMPRESSED, 1, false);
    for (int32_t version = 1; version <= 2; version++) {
        lam_meta_page_header header;
        sample.writer.version = version;
        lam_page_sample_write(&sample, &sections);
        lam_bytes body = lam_page_sample_split(&sample, &header);
        cr_assert_eq(body.size, sections.values.size);
        cr_assert_eq(header.uncompressed_page_size, (int32_t)sections.values.size);
    }
    lam_page_sample_finish(&sample);
}

Test(page_write, v2_values_stay_uncompressed_when_compressing_does_not_make_them_smaller) {
    static const lam_codec codecs[] = {LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    uint8_t zeros[400] = {0};
    for (size_t i = 0; i < 2; i++) {
        lam_page_sample sample;
        lam_meta_page_header header;
        lam_page_sample_init(&sample, NESTED, codecs[i], 2, true);
        lam_page_sample_write(&sample, &lam_sample_sections);
        lam_bytes body = lam_page_sample_split(&sample, &header);
        cr_assert_not(header.data_page_header_v2->is_compressed);
        cr_assert_eq(body.size, 12);
        cr_assert_eq(memcmp(body.data + 4, lam_sample_sections.values.data, 8), 0);

        lam_page_sections sections = lam_sample_sections;
        sections.values = (lam_bytes){zeros, sizeof zeros};
        uint64_t uncompressed = lam_page_sample_write(&sample, &sections);
        body = lam_page_sample_split(&sample, &header);
        cr_assert(header.data_page_header_v2->is_compressed);
        cr_assert_lt(body.size, sizeof zeros);
        cr_assert_eq(header.compressed_page_size, (int32_t)body.size);
        cr_assert_eq(header.uncompressed_page_size, 4 + (int32_t)sizeof zeros);
        cr_assert_eq(uncompressed, sample.out.size - body.size + 4 + sizeof zeros);
        lam_page_sample_finish(&sample);
    }
}

Test(page_write, the_checksum_covers_the_compressed_bytes) {
    uint8_t zeros[400] = {0};
    for (int32_t version = 1; version <= 2; version++) {
        lam_page_sample sample;
        lam_meta_page_header header;
        lam_page_sections sections = lam_sample_sections;
        sections.values = (lam_bytes){zeros, sizeof zeros};
        lam_page_sample_init(&sample, NESTED, LAM_CODEC_SNAPPY, version, true);
        lam_page_sample_write(&sample, &sections);
        lam_bytes body = lam_page_sample_split(&sample, &header);
        cr_assert_lt(body.size, sizeof zeros);
        cr_assert_eq((uint32_t)header.crc, lam_crc32(0, body.data, body.size));
        lam_page_sample_finish(&sample);
    }
}

Test(page_write, pages_are_appended_to_what_is_there) {
    lam_page_sample sample;
    uint64_t uncompressed;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_ZSTD, 1, true);
    lam_page_sample_write(&sample, &lam_sample_sections);
    size_t first = sample.out.size;
    for (int i = 0; i < 3; i++)
        cr_assert_eq(lam_page_write_data(&sample.writer, &lam_sample_sections, &sample.out,
                                         &uncompressed, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(sample.out.size, 4 * first);
    cr_assert_eq(memcmp(sample.out.data, sample.out.data + 3 * first, first), 0);
    lam_page_sample_finish(&sample);
}

Test(page_write, what_does_not_fit_the_32_bits_of_a_header_is_above_the_limit) {
    lam_page_sample sample;
    uint64_t uncompressed;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 2, false);
    lam_page_sections sections = lam_sample_sections;
    sections.value_count = UINT32_C(0x80000000);
    for (sample.writer.version = 1; sample.writer.version <= 2; sample.writer.version++)
        cr_assert_eq(
            lam_page_write_data(&sample.writer, &sections, &sample.out, &uncompressed, NULL),
            LAM_STATUS_LIMIT);
    sections = lam_sample_sections;
    sections.values.size = (size_t)INT32_MAX - 3; /* with the levels one too many */
    sample.writer.version = 2;
    cr_assert_eq(lam_page_write_data(&sample.writer, &sections, &sample.out, &uncompressed, NULL),
                 LAM_STATUS_LIMIT);
    sample.writer.version = 1;
    sections = lam_sample_sections;
    sections.repetition.size = (size_t)INT32_MAX + 1;
    cr_assert_eq(lam_page_write_data(&sample.writer, &sections, &sample.out, &uncompressed, NULL),
                 LAM_STATUS_LIMIT);
    cr_assert_eq(lam_page_write_dictionary(&sample.writer, UINT32_C(0x80000000),
                                           lam_sample_sections.values, &sample.out, &uncompressed,
                                           NULL),
                 LAM_STATUS_LIMIT);
    lam_error error = lam_error_none();
    sections.values.size = (size_t)INT32_MAX + 1;
    cr_assert_eq(lam_page_write_dictionary(&sample.writer, 2, sections.values, &sample.out,
                                           &uncompressed, &error),
                 LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "a page of 2147483648 bytes is too large for the format");
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(sample.out.size, 0);
    lam_page_sample_finish(&sample);
}

/* Writes a page of each kind with the Nth allocation failing. */
static lam_status write_with(lam_failing_alloc *counter, lam_codec codec, int32_t version) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_codec_context *codecs;
    uint8_t zeros[4000] = {0};
    lam_page_sections sections = lam_sample_sections;
    sections.values = (lam_bytes){zeros, sizeof zeros};
    lam_status status = lam_codec_context_create(&allocator, &codecs, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    lam_page_writer writer;
    lam_buffer out;
    uint64_t uncompressed;
    lam_page_writer_init(&writer, codec, 0, version, true, codecs, &allocator);
    lam_buffer_init(&out, &allocator);
    status = lam_page_write_dictionary(&writer, 1000, sections.values, &out, &uncompressed, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_page_write_data(&writer, &sections, &out, &uncompressed, NULL);
    lam_page_writer_finish(&writer);
    lam_buffer_finish(&out);
    lam_codec_context_destroy(codecs);
    return status;
}

Test(page_write, without_memory_it_says_so_and_leaks_nothing) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    for (size_t i = 0; i < 6; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t fail_at = 1;
        for (; status == LAM_STATUS_NOMEM; fail_at++) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            status = write_with(&counter, codecs[i % 3], 1 + (int32_t)i / 3);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert_gt(fail_at, 3);
    }
}
