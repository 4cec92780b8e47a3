/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a page begins a record is known from its first bytes, in both versions and all codecs. */
#include <criterion/criterion.h>
#include <string.h>

#include "page/page_sample.h"

static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};

/* The sample, whose levels are 0 1 0 or 1 1 0, as runs of that many bytes. */
static lam_page_sections sections_of(bool begins) {
    static const uint8_t zero[] = {3, 2}, one[] = {3, 3}, repeated[] = {6, 1};
    lam_page_sections sections = lam_sample_sections;
    sections.repetition = (lam_bytes){begins ? zero : one, 2};
    if (!begins)
        sections.definition = (lam_bytes){repeated, 2};
    return sections;
}

/* -1 where the beginning of the body does not show the level. */
static int first_level(lam_page_sample *sample, const lam_meta_page_header *header,
                       lam_bytes body) {
    uint8_t level = 77;
    bool is_known;
    lam_bytes prefix = {body.data, lam_page_begin_size(&sample->reader, header)};
    cr_assert_eq(lam_page_begin_read(&sample->reader, header, prefix, &is_known, &level, NULL),
                 LAM_STATUS_OK);
    return is_known ? level : -1;
}

Test(page_begin, the_first_repetition_level_is_read_in_both_versions_and_all_codecs) {
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        for (int32_t version = 1; version <= 2; version++)
            for (int begins = 0; begins < 2; begins++) {
                lam_page_sample sample;
                lam_meta_page_header header;
                lam_page_sections sections = sections_of(begins);
                lam_page_sample_init(&sample, "message m { repeated int32 a; }", codecs[i], version,
                                     false);
                (void)lam_page_sample_write(&sample, &sections);
                lam_bytes body = lam_page_sample_split(&sample, &header);
                cr_assert_eq(first_level(&sample, &header, body), begins ? 0 : 1);
                lam_page_sample_finish(&sample);
            }
}

Test(page_begin, a_codec_that_needs_the_whole_page_gets_it) {
    lam_page_sample sample;
    lam_meta_page_header header;
    lam_bytes plain;
    uint8_t level = 77;
    lam_page_sections sections = sections_of(false);
    lam_page_sample_init(&sample, "message m { repeated int32 a; }", LAM_CODEC_GZIP, 1, false);
    (void)lam_page_sample_write(&sample, &sections);
    lam_bytes body = lam_page_sample_split(&sample, &header);
    cr_assert_eq(lam_page_begin_size(&sample.reader, &header), 0);
    cr_assert_eq(first_level(&sample, &header, body), -1);
    cr_assert_eq(lam_page_uncompress(&sample.reader, &header, body, &plain, NULL), LAM_STATUS_OK);
    cr_assert(lam_page_begin_level(&sample.reader, &header, plain, &level));
    cr_assert_eq(level, 1);
    lam_page_sample_finish(&sample);
}

Test(page_begin, bit_packed_levels_begin_in_the_highest_bit) {
    static const struct {
        uint8_t byte;
        int level;
    } cases[] = {{0x40, 0}, {0x80, 1}, {0xFF, 1}};
    lam_meta_data_page_header v1 = {.num_values = 3,
                                    .repetition_level_encoding = LAM_ENCODING_BIT_PACKED};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
    lam_page_sample sample;
    lam_page_sample_init(&sample, "message m { repeated int32 a; }", LAM_CODEC_UNCOMPRESSED, 1,
                         false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        header.compressed_page_size = 1;
        cr_assert_eq(first_level(&sample, &header, (lam_bytes){&cases[i].byte, 1}), cases[i].level);
        header.compressed_page_size = 0;
        cr_assert_eq(first_level(&sample, &header, (lam_bytes){&cases[i].byte, 0}), -1);
    }
    v1.repetition_level_encoding = LAM_ENCODING_PLAIN;
    header.compressed_page_size = 1;
    cr_assert_eq(first_level(&sample, &header, (lam_bytes){&cases[0].byte, 1}), -1);
    lam_page_sample_finish(&sample);
}

/* Bytes of a V1 page, and what they show. */
Test(page_begin, a_page_that_ends_before_its_first_level_shows_none) {
    static const struct {
        uint8_t bytes[6];
        int32_t size;
        int level;
    } cases[] = {
        {{2, 0, 0, 0, 6, 1}, 6, 1},  {{2, 0, 0, 0, 6}, 5, -1},    {{2, 0, 0, 0}, 4, -1},
        {{2, 0, 0, 0, 6, 2}, 6, -1}, {{2, 0, 0, 0, 0, 0}, 6, -1}, {{0}, -1, -1},
    };
    lam_meta_data_page_header v1 = {.num_values = 3, .repetition_level_encoding = LAM_ENCODING_RLE};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
    lam_page_sample sample;
    lam_page_sample_init(&sample, "message m { repeated int32 a; }", LAM_CODEC_UNCOMPRESSED, 1,
                         false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        header.compressed_page_size = cases[i].size;
        cr_expect_eq(first_level(&sample, &header, (lam_bytes){cases[i].bytes, 0}), cases[i].level,
                     "case %zu", i);
    }
    lam_meta_data_page_header_v2 v2 = {.num_values = 3, .repetition_levels_byte_length = 7};
    header = (lam_meta_page_header){.type = LAM_PAGE_DATA_V2, .data_page_header_v2 = &v2};
    header.compressed_page_size = 6;
    cr_expect_eq(first_level(&sample, &header, (lam_bytes){cases[0].bytes, 6}), -1);
    header.type = LAM_PAGE_INDEX;
    cr_expect_eq(first_level(&sample, &header, (lam_bytes){cases[0].bytes, 6}), -1);
    lam_page_sample_finish(&sample);
}
