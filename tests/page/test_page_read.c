/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages are read in both versions and all codecs; headers that cannot be true are refused,
 * checksums verified.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "page/page_sample.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#define NESTED "message m { repeated int32 a; }"
#define OPTIONAL "message m { optional int32 a; }"
#define REQUIRED "message m { required int32 a; }"

static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};

static bool same(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static void expect_levels(lam_rle_decoder *decoder, const uint8_t *levels, size_t count) {
    uint8_t got[8];
    cr_assert_eq(lam_rle_read_levels(decoder, count, got, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(got, levels, count);
}

/* Reads the page in `out` of the sample; `*ret_page` is as long as the sample. */
static lam_status read_back(lam_page_sample *sample, lam_page *ret_page, lam_error *error) {
    lam_meta_page_header header;
    lam_bytes body = lam_page_sample_split(sample, &header);
    return lam_page_read_data(&sample->reader, &header, body, ret_page, error);
}

Test(page_read, what_is_written_comes_back_in_both_versions_and_all_codecs) {
    static const uint8_t repetition[] = {0, 1, 0}, definition[] = {1, 1, 0};
    for (size_t i = 0; i < 6; i++) {
        int32_t version = 1 + (int32_t)i / 3;
        lam_page_sample sample;
        lam_page page;
        lam_page_sample_init(&sample, NESTED, codecs[i % 3], version, true);
        lam_page_sample_write(&sample, &lam_sample_sections);
        cr_assert_eq(read_back(&sample, &page, NULL), LAM_STATUS_OK);
        cr_assert_eq(page.value_count, 3);
        cr_assert_eq(page.has_counts, version == 2);
        cr_assert_eq(page.null_count, version == 1 ? 0 : 1);
        cr_assert_eq(page.row_count, version == 1 ? 0 : 2);
        cr_assert_eq(page.encoding, LAM_ENCODING_PLAIN);
        cr_assert(same(page.values, lam_sample_sections.values));
        expect_levels(&page.repetition, repetition, 3);
        expect_levels(&page.definition, definition, 3);
        lam_page_sample_finish(&sample);
    }
}

Test(page_read, random_pages_of_flat_leaves_come_back) {
    lam_random random = lam_random_start(lam_test_seed(1));
    static uint8_t bytes[5000];
    for (size_t i = 0; i < 300; i++) {
        bool is_optional = lam_random_chance(&random, 50);
        lam_page_sample sample;
        lam_page page;
        lam_page_sections sections = {.value_count = 4, .row_count = 4};
        sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
        unsigned noise = (unsigned)lam_random_below(&random, 101);
        sections.values.data = bytes;
        sections.values.size = (size_t)lam_random_below(&random, sizeof bytes);
        for (size_t b = 0; b < sections.values.size; b++)
            bytes[b] = lam_random_chance(&random, noise) ? (uint8_t)lam_random_next(&random) : 9;
        static const uint8_t all_defined[] = {8, 1}; /* a run of 4 */
        if (is_optional)
            sections.definition = (lam_bytes){all_defined, sizeof all_defined};
        lam_page_sample_init(&sample, is_optional ? OPTIONAL : REQUIRED, codecs[i % 3],
                             1 + (int32_t)lam_random_below(&random, 2),
                             lam_random_chance(&random, 50));
        lam_page_sample_write(&sample, &sections);
        cr_assert_eq(read_back(&sample, &page, NULL), LAM_STATUS_OK);
        cr_assert(same(page.values, sections.values), "round %zu", i);
        cr_assert_eq(page.encoding, LAM_ENCODING_RLE_DICTIONARY);
        if (is_optional)
            expect_levels(&page.definition, (const uint8_t[]){1, 1, 1, 1}, 4);
        lam_page_sample_finish(&sample);
    }
}

Test(page_read, a_dictionary_comes_back_behind_what_is_there) {
    for (size_t i = 0; i < 3; i++) {
        lam_page_sample sample;
        lam_meta_page_header header;
        uint64_t uncompressed;
        uint32_t count = 0;
        lam_page_sample_init(&sample, NESTED, codecs[i], 1, true);
        cr_assert_eq(lam_page_write_dictionary(&sample.writer, 2, lam_sample_sections.values,
                                               &sample.out, &uncompressed, NULL),
                     LAM_STATUS_OK);
        lam_bytes body = lam_page_sample_split(&sample, &header);
        lam_buffer values;
        lam_buffer_init(&values, &sample.allocator);
        cr_assert_eq(lam_buffer_append_byte(&values, 77, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_page_read_dictionary(&sample.reader, &header, body, &values, &count, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(count, 2);
        cr_assert_eq(values.size, 9);
        cr_assert_eq(values.data[0], 77);
        cr_assert_eq(memcmp(values.data + 1, lam_sample_sections.values.data, 8), 0);
        lam_buffer_finish(&values);
        lam_page_sample_finish(&sample);
    }
}

Test(page_read, any_flipped_bit_of_a_body_contradicts_the_checksum) {
    for (size_t i = 0; i < 6; i++) {
        lam_page_sample sample;
        lam_meta_page_header header;
        lam_page page;
        lam_page_sample_init(&sample, NESTED, codecs[i % 3], 1 + (int32_t)i / 3, true);
        lam_page_sample_write(&sample, &lam_sample_sections);
        lam_bytes body = lam_page_sample_split(&sample, &header);
        for (size_t bit = 0; bit < body.size * 8; bit++) {
            lam_error error = lam_error_none();
            sample.out.data[sample.out.size - body.size + bit / 8] ^= (uint8_t)(1 << bit % 8);
            cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, &error),
                         LAM_STATUS_CORRUPT);
            cr_assert_not_null(strstr(error.message, "checksum"));
            sample.out.data[sample.out.size - body.size + bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        lam_page_sample_finish(&sample);
    }
}

Test(page_read, a_wrong_checksum_is_passed_over_when_it_is_not_to_be_verified) {
    lam_page_sample sample;
    lam_meta_page_header header;
    lam_page page;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 1, true);
    lam_page_sample_write(&sample, &lam_sample_sections);
    lam_bytes body = lam_page_sample_split(&sample, &header);
    header.crc++;
    cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, NULL),
                 LAM_STATUS_CORRUPT);
    sample.reader.verify_crc = false;
    cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, NULL), LAM_STATUS_OK);
    cr_assert_eq(page.value_count, 3);
    lam_page_sample_finish(&sample);
}

Test(page_read, a_page_without_a_checksum_is_read) {
    lam_page_sample sample;
    lam_page page;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_UNCOMPRESSED, 1, false);
    lam_page_sample_write(&sample, &lam_sample_sections);
    cr_assert_eq(read_back(&sample, &page, NULL), LAM_STATUS_OK);
    lam_page_sample_finish(&sample);
}

/* --- Hostile headers ------------------------------------------------------------------------- */

/* A page in the sample, and its header open to change. */
typedef struct open_page {
    lam_page_sample sample;
    lam_meta_page_header header;
    lam_meta_data_page_header v1;
    lam_meta_data_page_header_v2 v2;
    lam_bytes body;
} open_page;

static void open_sample(open_page *page, lam_codec codec, int32_t version) {
    lam_page_sample_init(&page->sample, NESTED, codec, version, false);
    lam_page_sample_write(&page->sample, &lam_sample_sections);
    page->body = lam_page_sample_split(&page->sample, &page->header);
    if (version == 1) {
        page->v1 = *page->header.data_page_header;
        page->header.data_page_header = &page->v1;
    } else {
        page->v2 = *page->header.data_page_header_v2;
        page->header.data_page_header_v2 = &page->v2;
    }
}

static void expect(open_page *page, lam_status status) {
    lam_page untouched = {.value_count = 4711};
    lam_error error = lam_error_none();
    cr_assert_eq(
        lam_page_read_data(&page->sample.reader, &page->header, page->body, &untouched, &error),
        status, "%s", error.message);
    cr_assert_eq(untouched.value_count, 4711);
    cr_assert_eq(error.status, status);
    cr_assert_neq(error.message[0], '\0');
}

/* Sets one number of a header, demands a failure, and sets it back. */
#define EXPECT_WITH(page, member, number, status)                                                  \
    do {                                                                                           \
        int32_t before = (page).member;                                                            \
        (page).member = (number);                                                                  \
        expect(&(page), (status));                                                                 \
        (page).member = before;                                                                    \
    } while (0)

Test(page_read, sizes_of_a_header_that_cannot_be_are_refused) {
    for (int32_t version = 1; version <= 2; version++) {
        open_page page;
        open_sample(&page, LAM_CODEC_UNCOMPRESSED, version);
        EXPECT_WITH(page, header.compressed_page_size, -1, LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.uncompressed_page_size, -1, LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.uncompressed_page_size, INT32_MIN, LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.compressed_page_size, 0, LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.compressed_page_size, (int32_t)page.body.size + 1,
                    LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.uncompressed_page_size, (int32_t)page.body.size + 1,
                    LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.uncompressed_page_size, 0, LAM_STATUS_CORRUPT);
        EXPECT_WITH(page, header.uncompressed_page_size, INT32_MAX, LAM_STATUS_LIMIT);
        EXPECT_WITH(page, header.compressed_page_size, INT32_MAX, LAM_STATUS_LIMIT);
        EXPECT_WITH(page, sample.reader.memory_limit, 8, LAM_STATUS_LIMIT);
        lam_page_sample_finish(&page.sample);
    }
}

Test(page_read, a_codec_that_gives_another_size_than_the_header_is_corrupt) {
    for (size_t i = 1; i < 3; i++) {
        for (int32_t delta = -1; delta <= 1; delta += 2) {
            open_page page;
            open_sample(&page, codecs[i], 1);
            int32_t size = page.header.uncompressed_page_size;
            EXPECT_WITH(page, header.uncompressed_page_size, size + delta, LAM_STATUS_CORRUPT);
            lam_page_sample_finish(&page.sample);
        }
    }
}

Test(page_read, counts_of_a_header_that_cannot_be_are_corrupt) {
    open_page page;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 1);
    EXPECT_WITH(page, v1.num_values, -1, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 2);
    EXPECT_WITH(page, v2.num_values, -1, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
}

/* Pages with counts that could not be were refused, though nothing needs them. */
Test(page_read, nulls_and_rows_of_a_header_need_not_be_true) {
    open_page page;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 2);
    for (int32_t count = -1; count < 9; count++) {
        lam_page opened;
        page.v2.num_nulls = page.v2.num_rows = count;
        cr_assert_eq(
            lam_page_read_data(&page.sample.reader, &page.header, page.body, &opened, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(opened.value_count, 3);
        cr_assert_eq(opened.null_count, count);
        cr_assert_eq(opened.row_count, count);
    }
    lam_page_sample_finish(&page.sample);
}

/* Arrow before 3.0 compressed V2 pages and said that it had not (ARROW-17100). */
Test(page_read, a_page_that_hides_its_compression_is_uncompressed_where_that_is_known) {
    static const uint8_t zeros[400], all_defined[] = {200, 1, 1};
    for (size_t i = 1; i < 3; i++) {
        lam_page_sample sample;
        lam_page page;
        lam_meta_page_header header;
        lam_page_sections sections = {.value_count = 100, .row_count = 100};
        sections.definition = (lam_bytes){all_defined, sizeof all_defined};
        sections.values = (lam_bytes){zeros, sizeof zeros};
        lam_page_sample_init(&sample, OPTIONAL, codecs[i], 2, true);
        lam_page_sample_write(&sample, &sections);
        lam_bytes body = lam_page_sample_split(&sample, &header);
        lam_meta_data_page_header_v2 v2 = *header.data_page_header_v2;
        cr_assert(v2.is_compressed);
        v2.is_compressed = false;
        header.data_page_header_v2 = &v2;
        cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, NULL),
                     LAM_STATUS_CORRUPT);
        sample.reader.hides_compression = true;
        cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, NULL), LAM_STATUS_OK);
        cr_assert(same(page.values, sections.values));
        sample.reader.codec = LAM_CODEC_UNCOMPRESSED; /* then nothing is */
        cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, NULL),
                     LAM_STATUS_CORRUPT);
        lam_page_sample_finish(&sample);
    }
}

Test(page_read, repetition_levels_of_v2_pages_are_found_without_uncompressing) {
    open_page page;
    size_t size = 77;
    open_sample(&page, LAM_CODEC_ZSTD, 2);
    cr_assert(lam_page_find_repetition(&page.header, &size));
    cr_assert_eq(size, (size_t)page.v2.repetition_levels_byte_length);
    page.v2.repetition_levels_byte_length = -1;
    cr_assert_not(lam_page_find_repetition(&page.header, &size));
    page.v2.repetition_levels_byte_length = page.header.compressed_page_size;
    cr_assert_not(lam_page_find_repetition(&page.header, &size));
    page.v2.repetition_levels_byte_length = 0;
    page.header.compressed_page_size = -1;
    cr_assert_not(lam_page_find_repetition(&page.header, &size));
    lam_page_sample_finish(&page.sample);
    open_sample(&page, LAM_CODEC_ZSTD, 1);
    cr_assert_not(lam_page_find_repetition(&page.header, &size));
    lam_page_sample_finish(&page.sample);
}

Test(page_read, levels_that_reach_beyond_the_page_are_corrupt) {
    open_page page;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 2);
    EXPECT_WITH(page, v2.repetition_levels_byte_length, -1, LAM_STATUS_CORRUPT);
    EXPECT_WITH(page, v2.definition_levels_byte_length, -2, LAM_STATUS_CORRUPT);
    EXPECT_WITH(page, v2.repetition_levels_byte_length, 11, LAM_STATUS_CORRUPT);
    EXPECT_WITH(page, v2.definition_levels_byte_length, INT32_MAX, LAM_STATUS_CORRUPT);
    page.v2.repetition_levels_byte_length = INT32_MAX;
    EXPECT_WITH(page, v2.definition_levels_byte_length, INT32_MAX, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);

    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 1);
    uint8_t *body = page.sample.out.data + (page.sample.out.size - page.body.size);
    body[0] = 17; /* one more than what is behind the size */
    expect(&page, LAM_STATUS_CORRUPT);
    body[0] = 16; /* no room for the definition levels */
    expect(&page, LAM_STATUS_CORRUPT);
    body[3] = 0xFF;
    expect(&page, LAM_STATUS_CORRUPT);
    page.header.compressed_page_size = page.header.uncompressed_page_size = 3;
    page.body.size = 3;
    expect(&page, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
}

Test(page_read, a_cached_page_of_another_size_than_its_header_is_corrupt) {
    open_page page;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 2);
    for (size_t size = 0; size <= page.body.size; size++) {
        lam_page opened = {.value_count = 4711};
        lam_error error = lam_error_none();
        lam_bytes plain = {page.body.data, size};
        bool fits = size >= 4; /* the levels */
        cr_assert_eq(lam_page_open(&page.sample.reader, &page.header, plain, &opened, &error),
                     fits ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%zu bytes", size);
        cr_assert_eq(opened.value_count, fits ? 3 : 4711);
        cr_assert_eq(error.code, fits ? LAM_ERROR_CODE_NONE : LAM_ERROR_CODE_PAGE_BODY);
    }
    lam_page_sample_finish(&page.sample);
}

Test(page_read, levels_larger_than_the_stated_uncompressed_page_are_corrupt) {
    open_page page;
    uint8_t zeros[400] = {0};
    lam_page_sections sections = lam_sample_sections;
    sections.values = (lam_bytes){zeros, sizeof zeros};
    lam_page_sample_init(&page.sample, NESTED, LAM_CODEC_SNAPPY, 2, false);
    lam_page_sample_write(&page.sample, &sections);
    page.body = lam_page_sample_split(&page.sample, &page.header);
    EXPECT_WITH(page, header.uncompressed_page_size, 3, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
}

Test(page_read, pages_without_triples_are_no_data_pages) {
    open_page page;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 1);
    EXPECT_WITH(page, header.type, LAM_PAGE_INDEX, LAM_STATUS_CORRUPT);
    EXPECT_WITH(page, header.type, LAM_PAGE_DICTIONARY, LAM_STATUS_CORRUPT);
    EXPECT_WITH(page, header.type, -1, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
}

Test(page_read, levels_in_an_encoding_of_values_are_corrupt) {
    open_page page;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 1);
    EXPECT_WITH(page, v1.repetition_level_encoding, LAM_ENCODING_PLAIN, LAM_STATUS_CORRUPT);
    EXPECT_WITH(page, v1.definition_level_encoding, 99, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
}

Test(page_read, bit_packed_levels_have_no_size_and_the_first_in_the_highest_bit) {
    static const uint8_t bytes[] = {0x40, 0xC0, 7, 0, 0, 0, 8, 0, 0, 0};
    open_page page;
    lam_page opened;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 1);
    page.v1.repetition_level_encoding = LAM_ENCODING_BIT_PACKED;
    page.v1.definition_level_encoding = LAM_ENCODING_BIT_PACKED;
    page.body = (lam_bytes){bytes, sizeof bytes};
    page.header.compressed_page_size = sizeof bytes;
    page.header.uncompressed_page_size = sizeof bytes;
    cr_assert_eq(lam_page_read_data(&page.sample.reader, &page.header, page.body, &opened, NULL),
                 LAM_STATUS_OK);
    uint8_t levels[3];
    cr_assert_eq(lam_rle_read_levels(&opened.repetition, 3, levels, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(levels, ((uint8_t[]){0, 1, 0}), 3);
    cr_assert_eq(lam_rle_read_levels(&opened.definition, 3, levels, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(levels, ((uint8_t[]){1, 1, 0}), 3);
    cr_assert_eq(opened.values.data, bytes + 2);
    cr_assert_eq(opened.values.size, 8);
    page.body.size = 1;
    page.header.compressed_page_size = 1;
    page.header.uncompressed_page_size = 1;
    expect(&page, LAM_STATUS_CORRUPT);
    lam_page_sample_finish(&page.sample);
}

Test(page_read, a_page_of_no_triples_is_not_uncompressed) {
    for (int32_t version = 1; version <= 2; version++) {
        open_page page;
        lam_page opened;
        open_sample(&page, LAM_CODEC_ZSTD, version);
        page.v1.num_values = 0;
        page.v2.num_values = page.v2.num_nulls = page.v2.num_rows = 0;
        page.v2.is_compressed = true;
        page.header.uncompressed_page_size = 1 << 19; /* a lie that uncompressing would find */
        cr_assert_eq(
            lam_page_read_data(&page.sample.reader, &page.header, page.body, &opened, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(opened.value_count, 0);
        cr_assert_eq(page.sample.reader.body.capacity, 0);
        lam_page_sample_finish(&page.sample);
    }
}

Test(page_read, v2_values_that_are_absent_need_no_empty_frame) {
    static const uint8_t all_null[] = {6, 0};
    for (size_t i = 0; i < 3; i++) {
        lam_page_sample sample;
        lam_page page;
        lam_page_sections sections = {.value_count = 3, .null_count = 3, .row_count = 3};
        sections.definition = (lam_bytes){all_null, sizeof all_null};
        lam_page_sample_init(&sample, OPTIONAL, codecs[i], 2, true);
        lam_page_sample_write(&sample, &sections);
        cr_assert_eq(read_back(&sample, &page, NULL), LAM_STATUS_OK);
        cr_assert_eq(page.values.size, 0);

        lam_meta_page_header header;
        lam_bytes body = lam_page_sample_split(&sample, &header);
        lam_meta_data_page_header_v2 v2 = *header.data_page_header_v2;
        v2.is_compressed = true;
        header.data_page_header_v2 = &v2;
        cr_assert_eq(lam_page_read_data(&sample.reader, &header, body, &page, NULL), LAM_STATUS_OK);
        lam_page_sample_finish(&sample);
    }
}

Test(page_read, hostile_dictionary_headers_are_refused) {
    open_page page;
    lam_meta_dictionary_page_header dictionary = {.num_values = 2, .encoding = LAM_ENCODING_PLAIN};
    uint32_t count = 4711;
    open_sample(&page, LAM_CODEC_UNCOMPRESSED, 1);
    lam_buffer values;
    lam_buffer_init(&values, &page.sample.allocator);
    lam_meta_page_header header = {.type = LAM_PAGE_DICTIONARY,
                                   .uncompressed_page_size = (int32_t)page.body.size,
                                   .compressed_page_size = (int32_t)page.body.size,
                                   .dictionary_page_header = &dictionary};
    struct {
        int32_t count, encoding, compressed, uncompressed;
        lam_status status;
    } rows[] = {
        {-1, LAM_ENCODING_PLAIN, 20, 20, LAM_STATUS_CORRUPT},
        {2, LAM_ENCODING_RLE_DICTIONARY, 20, 20, LAM_STATUS_UNSUPPORTED},
        {2, 1, 20, 20, LAM_STATUS_UNSUPPORTED},
        {2, LAM_ENCODING_PLAIN, 20, 21, LAM_STATUS_CORRUPT},
        {2, LAM_ENCODING_PLAIN, 20, 19, LAM_STATUS_CORRUPT},
        {2, LAM_ENCODING_PLAIN, -20, 20, LAM_STATUS_CORRUPT},
        {2, LAM_ENCODING_PLAIN, 20, -20, LAM_STATUS_CORRUPT},
        {2, LAM_ENCODING_PLAIN, 20, INT32_MAX, LAM_STATUS_LIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dictionary.num_values = rows[i].count;
        dictionary.encoding = rows[i].encoding;
        header.compressed_page_size = rows[i].compressed;
        header.uncompressed_page_size = rows[i].uncompressed;
        cr_assert_eq(lam_page_read_dictionary(&page.sample.reader, &header, page.body, &values,
                                              &count, NULL),
                     rows[i].status, "row %zu", i);
    }
    cr_assert_eq(values.size, 0);
    cr_assert_eq(count, 4711);
    lam_buffer_finish(&values);
    lam_page_sample_finish(&page.sample);
}

/* Gives the reader of the page an allocator that fails. */
static void fail_reader(open_page *page, lam_codec codec, lam_failing_alloc *counter) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_page_reader_finish(&page->sample.reader);
    lam_page_reader_init(&page->sample.reader, lam_kernels_get(), codec, page->sample.leaf, true,
                         1 << 20, page->sample.codecs, &allocator);
}

Test(page_read, without_memory_it_says_so) {
    static const uint8_t packed[] = {0x40, 0xC0, 7, 0, 0, 0, 8, 0, 0, 0};
    for (int32_t round = 0; round < 3; round++) {
        open_page page;
        lam_page opened;
        lam_codec codec = round < 2 ? LAM_CODEC_SNAPPY : LAM_CODEC_UNCOMPRESSED;
        lam_failing_alloc counter = {.fail_at = 1};
        open_sample(&page, codec, round == 1 ? 2 : 1);
        page.sample.reader.hides_compression = true;
        if (round == 1) { /* of values that a codec makes smaller */
            lam_page_sections sections = lam_sample_sections;
            static const uint8_t zeros[400];
            sections.values = (lam_bytes){zeros, sizeof zeros};
            lam_page_sample_write(&page.sample, &sections);
            page.body = lam_page_sample_split(&page.sample, &page.header);
            cr_assert(page.header.data_page_header_v2->is_compressed);
        } else if (round == 2) {
            page.v1.repetition_level_encoding = LAM_ENCODING_BIT_PACKED;
            page.v1.definition_level_encoding = LAM_ENCODING_BIT_PACKED;
            page.body = (lam_bytes){packed, sizeof packed};
            page.header.compressed_page_size = sizeof packed;
            page.header.uncompressed_page_size = sizeof packed;
        }
        fail_reader(&page, codec, &counter);
        expect(&page, LAM_STATUS_NOMEM);
        if (round == 2) { /* both kinds of levels become runs */
            counter.fail_at = counter.requests + 2;
            expect(&page, LAM_STATUS_NOMEM);
        }
        cr_assert_eq(
            lam_page_read_data(&page.sample.reader, &page.header, page.body, &opened, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(opened.value_count, 3);
        lam_page_sample_finish(&page.sample);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
}

Test(page_read, a_dictionary_without_memory_or_of_another_checksum_leaves_what_is_there) {
    lam_page_sample sample;
    lam_meta_page_header header;
    uint64_t uncompressed;
    uint32_t count = 4711;
    lam_error error = lam_error_none();
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer values;
    lam_page_sample_init(&sample, NESTED, LAM_CODEC_SNAPPY, 1, true);
    lam_buffer_init(&values, &allocator);
    cr_assert_eq(lam_page_write_dictionary(&sample.writer, 2, lam_sample_sections.values,
                                           &sample.out, &uncompressed, NULL),
                 LAM_STATUS_OK);
    lam_bytes body = lam_page_sample_split(&sample, &header);
    lam_meta_dictionary_page_header old = *header.dictionary_page_header;
    old.encoding = LAM_ENCODING_PLAIN_DICTIONARY; /* means the same */
    header.dictionary_page_header = &old;
    cr_assert_eq(lam_page_read_dictionary(&sample.reader, &header, body, &values, &count, &error),
                 LAM_STATUS_NOMEM);
    header.crc++;
    cr_assert_eq(lam_page_read_dictionary(&sample.reader, &header, body, &values, &count, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(count, 4711);
    cr_assert_eq(values.size, 0);
    header.crc--;
    cr_assert_eq(lam_page_read_dictionary(&sample.reader, &header, body, &values, &count, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(count, 2);
    cr_assert(same(lam_buffer_bytes(&values), lam_sample_sections.values));
    lam_buffer_finish(&values);
    lam_page_sample_finish(&sample);
    cr_assert_eq(counter.live_bytes, 0);
}
