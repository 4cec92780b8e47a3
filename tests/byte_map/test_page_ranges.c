/* SPDX-License-Identifier: Apache-2.0 */
/* Pages by hand: each byte is shown, whatever the header says of it. */
#include "byte_map/file/page_ranges.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "byte_map/range_lines.h"
#include "codec/codec.h"
#include "file/file_sample.h"
#include "meta/known_faults.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

TestSuite(page_ranges);

/* A page at the beginning of a file, whose header has one byte there: the stop of an empty one. */
typedef struct hand_page {
    lam_meta_page_header header;
    lam_meta_data_page_header v1;
    lam_meta_data_page_header_v2 v2;
    lam_meta_dictionary_page_header dictionary;
    lam_byte_page page;
    lam_schema *schema;
    lam_input input;
    lam_codec_context *codecs;
    lam_byte_walk walk;
} hand_page;

static void begin_page(hand_page *hand, const char *shape, lam_page_type type, const void *bytes,
                       size_t size) {
    lam_allocator allocator = lam_allocator_default();
    *hand = (hand_page){.header = {.type = (int32_t)type}};
    hand->header.compressed_page_size = (int32_t)(size - 1);
    hand->header.uncompressed_page_size = (int32_t)(size - 1);
    hand->header.data_page_header = type == LAM_PAGE_DATA ? &hand->v1 : NULL;
    hand->header.data_page_header_v2 = type == LAM_PAGE_DATA_V2 ? &hand->v2 : NULL;
    hand->header.dictionary_page_header = type == LAM_PAGE_DICTIONARY ? &hand->dictionary : NULL;
    hand->v1.repetition_level_encoding = hand->v1.definition_level_encoding = LAM_ENCODING_RLE;
    hand->schema = lam_test_schema(shape);
    hand->page.header = &hand->header;
    hand->page.header_size = 1;
    hand->page.codec = LAM_CODEC_UNCOMPRESSED;
    hand->page.leaf = lam_schema_leaf(hand->schema, 0);
    hand->input = lam_input_memory(bytes, size);
    hand->walk = lam_range_lines_walk(NULL);
    hand->walk.input = &hand->input;
    cr_assert_eq(lam_codec_context_create(&allocator, &hand->codecs, NULL), LAM_STATUS_OK);
    hand->walk.codecs = hand->codecs;
}

static lam_status report(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_page *hand = what;
    return lam_byte_page_sections(walk, &hand->page, error);
}

/* The lines behind those of the header. */
static void expect_body(const hand_page *hand, const char *lines) {
    char all[2000];
    snprintf(all, sizeof all, "0 0+1 page_header PageHeader\n1 0+1 stop\n%s", lines);
    lam_range_lines_expect(&hand->walk, report, hand, all);
}

static void end_page(hand_page *hand) {
    lam_codec_context_destroy(hand->codecs);
    lam_input_close(&hand->input);
    lam_schema_destroy(hand->schema);
}

static const char OPTIONAL[] = "message m { optional int32 a; }";
static const char REQUIRED[] = "message m { required int32 a; }";

/* --- Bodies that cannot be opened ---------------------------------------------------------- */

Test(page_ranges, a_body_of_unknown_contents_is_one_range) {
    static const lam_page_type types[] = {LAM_PAGE_DATA, LAM_PAGE_DATA_V2, LAM_PAGE_DICTIONARY,
                                          LAM_PAGE_INDEX};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        hand_page hand;
        begin_page(&hand, REQUIRED, types[i], "\0\x05\0\0\0", 5);
        hand.page.leaf = NULL;
        expect_body(&hand, "0 1+4 page_body UNCOMPRESSED\n");
        hand.page.codec = LAM_CODEC_DEFAULT; /* no codec that is known */
        expect_body(&hand, "0 1+4 page_body\n");
        hand.page.leaf = lam_schema_leaf(hand.schema, 0);
        expect_body(&hand, "0 1+4 page_body\n");
        end_page(&hand);
    }
}

Test(page_ranges, a_codec_is_known_by_its_number) {
    cr_assert_eq(lam_byte_codec(-1), LAM_CODEC_DEFAULT);
    cr_assert_eq(lam_byte_codec(0), LAM_CODEC_UNCOMPRESSED);
    cr_assert_eq(lam_byte_codec(7), LAM_CODEC_LZ4_RAW);
    cr_assert_eq(lam_byte_codec(8), LAM_CODEC_DEFAULT);
}

Test(page_ranges, a_page_without_a_body_is_its_header) {
    hand_page hand;
    begin_page(&hand, REQUIRED, LAM_PAGE_DATA, "\0", 1);
    expect_body(&hand, "");
    end_page(&hand);
}

static lam_status report_lone(lam_byte_walk *walk, const void *what, lam_error *error) {
    return lam_byte_lone_page(walk, 0, 1, *(const uint32_t *)what, error);
}

Test(page_ranges, a_page_of_no_chunk_is_shown_by_header_and_body) {
    static const uint32_t sizes[] = {0, 4};
    static const char *const lines[] = {"0 0+1 page -- a page of no column chunk\n"
                                        "1 0+1 page_header PageHeader\n2 0+1 stop\n",
                                        "0 0+5 page -- a page of no column chunk\n"
                                        "1 0+1 page_header PageHeader\n2 0+1 stop\n"
                                        "1 1+4 page_body\n"};
    for (size_t i = 0; i < 2; i++) {
        hand_page hand;
        begin_page(&hand, REQUIRED, LAM_PAGE_DATA, "\0\x05\0\0\0", 5);
        lam_range_lines_expect(&hand.walk, report_lone, &sizes[i], lines[i]);
        end_page(&hand);
    }
}

Test(page_ranges, an_outline_has_the_page_alone) {
    static lam_range_lines lines;
    uint32_t size = 4;
    hand_page hand;
    begin_page(&hand, REQUIRED, LAM_PAGE_DATA, "\0\x05\0\0\0", 5);
    lines.is_outline = true;
    hand.walk.state = &lines;
    cr_assert_eq(report_lone(&hand.walk, &size, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(lines.text, "0 0+5 page -- a page of no column chunk\n");
    end_page(&hand);
}

/* --- Chunks -------------------------------------------------------------------------------- */

/* The pages of a whole file. */
static lam_status report_pages(lam_byte_walk *walk, const void *what, lam_error *error) {
    return lam_byte_pages(walk, what, (lam_chunk_range){0, walk->input->size, 0}, error);
}

/* A page of no use, then a header that lacks the struct of its type. */
static const char HALF[] = "\x15\x02\x15\0\x15\0\0\x15\x06\x15\0\x15\0";

Test(page_ranges, a_header_that_lacks_the_struct_of_its_type_ends_the_pages) {
    static const int32_t codecs[] = {0, -1, 100};
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        lam_meta_column column = {.codec = codecs[i]};
        hand_page hand;
        begin_page(&hand, REQUIRED, LAM_PAGE_DATA, HALF, sizeof HALF);
        hand.walk.schema = hand.schema;
        hand.walk.column = 0;
        lam_range_lines_expect(
            &hand.walk, report_pages, &column,
            "0 0+7 page INDEX_PAGE\n1 0+7 page_header PageHeader\n"
            "2 0+2 field type: 1 (INDEX_PAGE)\n2 2+2 field uncompressed_page_size: 0\n"
            "2 4+2 field compressed_page_size: 0\n2 6+1 stop\n"
            "0 7+7 unknown -- a page of type 3 lacks its data_page_header_v2\n");
        end_page(&hand);
    }
}

/* A page of no use, a dictionary of no entries, a page of no use; no bytes behind their headers. */
static const char BARE[] = "\x15\x02\x15\0\x15\0\0"
                           "\x15\x04\x15\0\x15\0\x4C\x15\0\x15\0\0\0"
                           "\x15\x02\x15\0\x15\0";

/* Damage is reported with the pages; what ends the walk there ends the search as well. */
Test(page_ranges, the_end_of_a_chunk_is_sought_until_the_input_fails) {
    lam_ending_input file = {.file = {(const uint8_t *)BARE, sizeof BARE}};
    lam_input input = lam_ending_input_of(&file);
    lam_meta_column column = {.num_values = 5};
    lam_chunk_range range = {0, 20, 0};
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    lam_error error = lam_error_none();
    uint64_t end;
    walk.input = &input;
    cr_assert_eq(lam_byte_find_end(&walk, &column, range, sizeof BARE, &end, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(end, sizeof BARE); /* the header of the dictionary was not counted */
    for (int i = 0; i < 2; i++) {
        lam_ending_input_again(&file, 1, 0);
        cr_assert_eq(
            lam_byte_find_end(&walk, &column, range, sizeof BARE, &end, i == 0 ? &error : NULL),
            LAM_STATUS_IO);
    }
    cr_assert_eq(error.status, LAM_STATUS_IO);
}

/* --- Dictionaries -------------------------------------------------------------------------- */

Test(page_ranges, a_dictionary_is_plain_by_either_name) {
    hand_page hand;
    begin_page(&hand, REQUIRED, LAM_PAGE_DICTIONARY, "\0\x05\0\0\0", 5);
    hand.dictionary.num_values = 1;
    hand.dictionary.encoding = LAM_ENCODING_PLAIN;
    expect_body(&hand, "0 1+4 page_body UNCOMPRESSED\n1 1+4 values PLAIN\n2 1+4 value: 5\n");
    hand.dictionary.encoding = LAM_ENCODING_PLAIN_DICTIONARY;
    expect_body(&hand, "0 1+4 page_body UNCOMPRESSED\n1 1+4 values PLAIN\n2 1+4 value: 5\n");
    hand.dictionary.encoding = LAM_ENCODING_RLE;
    expect_body(&hand, "0 1+4 page_body UNCOMPRESSED\n"
                       "1 1+4 unknown -- a dictionary in the encoding RLE\n");
    hand.dictionary.encoding = LAM_ENCODING_PLAIN;
    hand.dictionary.num_values = -1;
    expect_body(&hand, "0 1+4 page_body UNCOMPRESSED\n1 1+4 values PLAIN\n"
                       "2 1+4 unknown -- bytes behind the last value\n");
    end_page(&hand);
}

/* --- Version 2 ----------------------------------------------------------------------------- */

Test(page_ranges, levels_of_impossible_sizes_are_left_to_the_body) {
    static const int32_t sizes[][2] = {{-1, 2}, {2, -1}, {INT32_MIN, INT32_MIN}, {7, 0}, {1, 6}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        hand_page hand;
        begin_page(&hand, OPTIONAL, LAM_PAGE_DATA_V2, "\0\x02\x01\x05\0\0\0", 7);
        hand.v2.num_values = 1;
        hand.v2.repetition_levels_byte_length = sizes[i][0];
        hand.v2.definition_levels_byte_length = sizes[i][1];
        expect_body(&hand, "0 1+6 page_body UNCOMPRESSED\n1 1+6 values PLAIN\n"
                           "2 1+6 unknown -- bytes behind the last value\n");
        end_page(&hand);
    }
}

#define LEVELS_OF_2                                                                                \
    "0 1+2 definition_levels RLE\n1 1+2 rle_run: 1\n2 1+1 run_header: 1 times\n"                   \
    "2 2+1 run_value: 1\n"

/* A writer is known to set the flag wrong. */
Test(page_ranges, a_page_that_says_it_is_not_compressed_is_not_unless_its_writer_is_wrong) {
    static const char bytes[] = "\0\x02\x01\x05\0\0\0";
    static const char packed[] = "\0\x02\x01\x04\x0C\x05\0\0\0"; /* Snappy: 4 bytes, as they are */
    hand_page hand;
    begin_page(&hand, OPTIONAL, LAM_PAGE_DATA_V2, bytes, 7);
    hand.v2.num_values = 1;
    hand.v2.definition_levels_byte_length = 2;
    hand.page.codec = LAM_CODEC_SNAPPY;
    expect_body(&hand, LEVELS_OF_2 "0 3+4 page_body UNCOMPRESSED\n1 3+4 values PLAIN\n"
                                   "2 3+4 value: 5\n");
    end_page(&hand);
    begin_page(&hand, OPTIONAL, LAM_PAGE_DATA_V2, packed, 9);
    hand.header.uncompressed_page_size = 6;
    hand.v2.num_values = 1;
    hand.v2.definition_levels_byte_length = 2;
    hand.page.codec = LAM_CODEC_SNAPPY;
    hand.walk.faults = LAM_FAULT_V2_COMPRESSION;
    expect_body(&hand, LEVELS_OF_2 "0 3+6 page_body SNAPPY\n1 0+4 values PLAIN\n"
                                   "2 0+4 value: 5\n");
    end_page(&hand);
}

/* --- Compressed bodies --------------------------------------------------------------------- */

Test(page_ranges, a_body_that_cannot_be_uncompressed_says_why) {
    static const char packed[] = "\0\x04\x0C\x05\0\0\0";
    hand_page hand;
    begin_page(&hand, REQUIRED, LAM_PAGE_DATA, packed, 7);
    hand.v1.num_values = 1;
    hand.page.codec = LAM_CODEC_SNAPPY;
    hand.header.uncompressed_page_size = 4;
    expect_body(&hand, "0 1+6 page_body SNAPPY\n1 0+4 values PLAIN\n2 0+4 value: 5\n");
    hand.header.uncompressed_page_size = 0; /* nothing to show */
    expect_body(&hand, "0 1+6 page_body SNAPPY\n");
    hand.header.uncompressed_page_size = -1;
    expect_body(&hand, "0 1+6 page_body SNAPPY -- the header states an impossible uncompressed "
                       "size\n");
    hand.header.uncompressed_page_size = 100;
    hand.walk.limit = 99;
    expect_body(&hand, "0 1+6 page_body SNAPPY\n1 0+100 unknown -- a page of 100 bytes is above "
                       "the memory limit (option memory_limit)\n");
    end_page(&hand);
}

Test(page_ranges, the_sizes_of_a_v2_page_count_its_levels) {
    hand_page hand;
    begin_page(&hand, OPTIONAL, LAM_PAGE_DATA_V2, "\0\x02\x01\x04\x0C\x05\0\0\0", 9);
    hand.v2.num_values = 1;
    hand.v2.is_compressed = true;
    hand.v2.definition_levels_byte_length = 2;
    hand.page.codec = LAM_CODEC_SNAPPY;
    hand.header.uncompressed_page_size = 1; /* less than the levels */
    expect_body(&hand, LEVELS_OF_2 "0 3+6 page_body SNAPPY -- the header states an impossible "
                                   "uncompressed size\n");
    end_page(&hand);
}

Test(page_ranges, a_lack_of_memory_ends_the_walk) {
    static lam_range_lines lines;
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    hand_page hand;
    begin_page(&hand, REQUIRED, LAM_PAGE_DATA, "\0\x04\x0C\x05\0\0\0", 7);
    hand.v1.num_values = 1;
    hand.page.codec = LAM_CODEC_SNAPPY;
    hand.header.uncompressed_page_size = 4;
    hand.walk.state = &lines;
    hand.walk.allocator = allocator;
    lam_byte_walk walk = hand.walk;
    cr_assert_eq(report(&walk, &hand, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    counter = (lam_failing_alloc){.fail_at = 1};
    walk = hand.walk;
    cr_assert_eq(report(&walk, &hand, NULL), LAM_STATUS_NOMEM);
    end_page(&hand);
}
