/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are damaged, or whose headers are not true. Checksums are left out, so that the
 * damage is met where it is. */
#include <lamella/reader.h>
#include <lamella/writer.h>

#include "check/forge_pages.h"

Test(check_page, a_page_that_does_not_match_its_checksum_is_told_and_the_rest_is_checked) {
    rich_file file;
    lam_writer_options options = forge_options(1, false, true);
    rich_file_init(&file, &options);
    forge_page(&file, &file.chunks[0][RICH_ID], 1, NULL)[3] ^= 1;
    forge_page(&file, &file.chunks[1][RICH_X], 0, NULL)[9] ^= 1;
    file.chunks[0][RICH_ID].null_counts[2] = 7;
    rich_file_end(&file);
    lam_test_findings found = lam_test_check(file.data.data, file.data.size, NULL);
    cr_assert_str_eq(found.rules, "page-crc null-count");
    cr_assert_eq(found.totals.errors, 3);
    rich_file_finish(&file);
}

FORGED(check_page, a_header_that_cannot_be_read_loses_the_rest_of_the_chunk, "page-header",
       file->no_indexes = true;
       file->data.data[id->page_offsets[1]] = 0xFF)
FORGED(check_page, the_offset_index_finds_the_way_behind_a_damaged_header, "page-header null-count",
       file->data.data[id->page_offsets[1]] = 0xFF;
       id->null_counts[2] = 1)

/* The number of values stands behind type, both sizes and the header's own header. */
static uint8_t *value_count_of(rich_file *file, const rich_chunk *chunk, size_t page) {
    uint8_t *header = file->data.data + chunk->page_offsets[page];
    uint8_t *body = forge_page(file, chunk, page, NULL);
    for (uint8_t *at = header; at + 2 < body; at++)
        if (at[0] == 0x15 && at[1] == 50 && at[2] == 0x15) /* field of zigzag 25 */
            return at + 1;
    cr_assert_fail("no page of 25 values");
    return NULL;
}

FORGED(check_page, values_beyond_the_page_do_not_decode, "page-values chunk-values chunk-rows",
       forge_say_nothing(file);
       *value_count_of(file, id, 0) = 52)
FORGED(check_page, values_left_over_are_found, "page-values chunk-values chunk-rows",
       forge_say_nothing(file);
       *value_count_of(file, id, 0) = 48)
FORGED(check_page, levels_that_end_early_are_found, "levels", forge_say_nothing(file);
       forge_page(file, name, 0, NULL)[0] -= 1)

FORGED(check_page, levels_beyond_the_page_are_found, "page-body", forge_say_nothing(file);
       forge_page(file, name, 0, NULL)[1] = 0xFF)

Test(check_page, an_encoding_that_the_type_does_not_allow_is_found) {
    rich_file file;
    lam_writer_options options = forge_options(1, false, false);
    rich_file_init(&file, &options);
    forge_say_nothing(&file);
    *(value_count_of(&file, &file.chunks[0][RICH_ID], 0) + 2) = 2 * LAM_ENCODING_DELTA_BYTE_ARRAY;
    forge_expect(&file, "page-encoding encodings-missing");
}

Test(check_page, an_encoding_that_nobody_knows_is_passed_over) {
    rich_file file;
    lam_writer_options options = forge_options(1, false, false);
    rich_file_init(&file, &options);
    forge_say_nothing(&file);
    *(value_count_of(&file, &file.chunks[0][RICH_ID], 0) + 2) = 2 * 11;
    forge_expect(&file, "unsupported encodings-missing");
}

Test(check_page, indexes_want_a_dictionary) {
    rich_file file;
    lam_writer_options options = forge_options(1, false, false);
    rich_file_init(&file, &options);
    forge_say_nothing(&file);
    *(value_count_of(&file, &file.chunks[0][RICH_ID], 0) + 2) = 2 * LAM_ENCODING_RLE_DICTIONARY;
    forge_expect(&file, "dictionary-missing encodings-missing");
}

/* --- Counts of V2 headers ------------------------------------------------------------------- */

/* Nulls and rows follow the 25 values of a V2 page of names. */
static void expect_v2(int field, const char *rules) {
    rich_file file;
    lam_writer_options options = forge_options(2, false, false);
    rich_file_init(&file, &options);
    uint8_t *count = value_count_of(&file, &file.chunks[0][RICH_NAME], 0);
    cr_assert_eq(count[2], 10, "5 nulls");
    cr_assert_eq(count[4], 50, "25 rows");
    count[field] -= 2;
    forge_expect(&file, rules);
}

Test(check_page, a_v2_page_has_the_nulls_that_it_states) {
    expect_v2(2, "page-nulls");
}

Test(check_page, a_v2_page_has_the_rows_that_it_states) {
    expect_v2(4, "page-rows");
}

FORGED(check_page, a_page_of_another_type_is_passed_over, "page-type chunk-values chunk-rows",
       forge_say_nothing(file);
       file->data.data[id->page_offsets[2] + 1] = 2 * LAM_PAGE_INDEX)
FORGED(check_page, levels_that_are_not_there_have_an_encoding_all_the_same, "level-encoding",
       *(value_count_of(file, id, 0) + 4) = 0)

Test(check_page, a_v2_page_begins_with_a_row) {
    rich_file file;
    lam_writer_options options = forge_options(2, false, false);
    rich_file_init(&file, &options);
    forge_say_nothing(&file);
    /* Levels are packed behind the header of one run. Row 49 gets one null for its empty list: its
     * definition level is the last of 37, of 2 bits each, behind 5 bytes of repetition levels. */
    uint8_t *levels = forge_page(&file, &file.chunks[0][RICH_TAGS], 1, NULL) + 6;
    cr_assert_eq(levels[0], 5 << 1 | 1);
    cr_assert_eq(levels[10] & 3, 1);
    levels[10] ^= 3;
    /* Row 50 has one tag, which goes on where row 49 ended. */
    levels = forge_page(&file, &file.chunks[0][RICH_TAGS], 2, NULL);
    cr_assert_eq(levels[0] & 1, 1);
    levels[1] |= 1;
    forge_expect(&file, "page-rows page-boundary chunk-rows");
}

/* --- What readers get all the same ---------------------------------------------------------- */

static const uint8_t six[24] = {1, 0, 0, 0, 2, 0, 0, 0, 3};

/* Six elements in records that begin where a bit of `records` is 0, first page or not. */
static lam_page_sections nested_page(const uint8_t *records, uint32_t nulls, uint32_t rows) {
    static const uint8_t ones[] = {12, 1};
    lam_page_sections sections = {.value_count = 6, .null_count = nulls, .row_count = rows};
    sections.repetition = (lam_bytes){records, 2};
    sections.definition = (lam_bytes){ones, sizeof ones};
    sections.values = (lam_bytes){six, sizeof six};
    return sections;
}

/* Wrong counts were errors; several writers have them, and all rows can be read. */
Test(check_page, wrong_counts_of_v2_pages_are_warnings) {
    static const uint8_t three_rows[] = {3, 0x2A}, goes_on[] = {3, 0x2B};
    static const struct {
        const char *rules;
        uint32_t nulls;
        uint32_t rows;
    } cases[] = {{"", 0, 3},
                 {"page-nulls", 1, 3},
                 {"page-rows", 0, 0},
                 {"page-rows", 0, 6},
                 {"page-nulls page-rows", UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        forge_pages forge;
        forge_pages_start(&forge, "message m { repeated int32 a; }", 2);
        lam_page_sections sections = nested_page(three_rows, cases[i].nulls, cases[i].rows);
        forge_pages_add(&forge, &sections, 0);
        forge_pages_expect(&forge, 6, 3, cases[i].rules, 0);
    }
    for (int has_index = 0; has_index < 2; has_index++) {
        forge_pages forge;
        forge_pages_start(&forge, "message m { repeated int32 a; }", 2);
        lam_page_sections sections = nested_page(three_rows, 0, 3);
        forge_pages_add(&forge, &sections, 0);
        sections = nested_page(goes_on, 0, 2);
        forge_pages_add(&forge, &sections, 3);
        forge.has_index = has_index == 1;
        forge_pages_expect(&forge, 12, 5, "page-boundary", has_index == 1);
    }
}

Test(check_page, a_page_that_hides_its_compression_is_told_of_the_writers_that_are_known) {
    static const struct {
        const char *created_by;
        const char *rules;
        uint64_t errors;
    } cases[] = {
        {"parquet-cpp version 1.5.1-SNAPSHOT", "known-fault page-compressed chunk-uncompressed", 0},
        {"parquet-cpp-arrow version 8.0.0", "page-body chunk-uncompressed", 2}};
    for (size_t i = 0; i < 2; i++) {
        static const uint8_t frame[] = {12, 11 << 2, 7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0};
        static const uint8_t header[] = {0x15, 6, 0x15, 24, 0x15, 28, 0x5C, 0x15, 6,    0x15, 0,
                                         0x15, 6, 0x15, 0,  0x15, 0,  0x15, 0,    0x12, 0,    0};
        forge_pages forge;
        forge_pages_start(&forge, "message m { required int32 a; }", 2);
        for (int page = 0; page < 2; page++) {
            cr_assert_eq(lam_buffer_append(&forge.made.pages, header, sizeof header, NULL),
                         LAM_STATUS_OK);
            cr_assert_eq(lam_buffer_append(&forge.made.pages, frame, sizeof frame, NULL),
                         LAM_STATUS_OK);
        }
        forge.codec = LAM_CODEC_SNAPPY;
        forge.created_by = cases[i].created_by;
        forge_pages_expect(&forge, 6, 6, cases[i].rules, cases[i].errors);
    }
}

/* "a", and "b" behind it once more. (apache/arrow-rs#3408) */
Test(check_page, pages_that_go_on_from_the_page_before_are_told_of_the_writers_that_are_known) {
    static const uint8_t first[] = {0x80, 1, 4, 1, 2, 'a'}, second[] = {0x80, 1, 4, 1, 2, 'a', 'b'};
    static const struct {
        const char *created_by;
        uint64_t errors; /* the others are warnings */
    } cases[] = {{"parquet-rs version 28.0.0", 1}, {"parquet-rs version 31.0.0", 0}};
    for (size_t i = 0; i < 2; i++) {
        forge_pages forge;
        forge_pages_start(&forge, "message m { required binary a; }", 1);
        lam_page_sections sections = {.value_count = 1,
                                      .encoding = LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY};
        sections.values = (lam_bytes){first, sizeof first};
        forge_pages_add(&forge, &sections, 0);
        sections.values = (lam_bytes){second, sizeof second};
        forge_pages_add(&forge, &sections, 1);
        forge.created_by = cases[i].created_by;
        forge_pages_expect(&forge, 2, 2, "page-values encodings-unused encodings-missing",
                           cases[i].errors);
    }
}

FORGED(check_page, levels_of_both_kinds_in_a_wrong_encoding_are_told_once, "level-encoding",
       *(value_count_of(file, id, 0) + 4) = 0;
       *(value_count_of(file, id, 0) + 6) = 0)
FORGED(check_page, an_offset_index_leads_nowhere_before_the_file,
       "offset-index-location page-header", file->data.data[id->page_offsets[1]] = 0xFF;
       id->locations[2].offset = 0)
/* The place of a page behind the chunk was taken for the end of its pages, and was a finding. */
FORGED(check_page, an_offset_index_leads_nowhere_behind_the_chunk, "page-header",
       file->data.data[id->page_offsets[1]] = 0xFF;
       id->locations[2].offset = INT64_MAX)

/* Without an index and without counts, nobody is led into the middle of a row. */
Test(check_page, a_v1_page_may_begin_inside_a_row) {
    static const uint8_t three_rows[] = {3, 0x2A}, goes_on[] = {3, 0x2B};
    forge_pages forge;
    forge_pages_start(&forge, "message m { repeated int32 a; }", 1);
    lam_page_sections sections = nested_page(three_rows, 0, 3);
    forge_pages_add(&forge, &sections, 0);
    sections = nested_page(goes_on, 0, 2);
    forge_pages_add(&forge, &sections, 3);
    forge_pages_expect(&forge, 12, 5, "", 0);
}

/* Nothing is hidden where there is no codec. */
Test(check_page, a_page_without_codec_hides_no_compression) {
    static const uint8_t header[] = {0x15, 6, 0x15, 24, 0x15, 24, 0x5C, 0x15, 6,    0x15, 0,
                                     0x15, 6, 0x15, 0,  0x15, 0,  0x15, 0,    0x12, 0,    0};
    forge_pages forge;
    forge_pages_start(&forge, "message m { required int32 a; }", 2);
    cr_assert_eq(lam_buffer_append(&forge.made.pages, header, sizeof header, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&forge.made.pages, six, 12, NULL), LAM_STATUS_OK);
    forge.created_by = "parquet-cpp version 1.5.1-SNAPSHOT";
    forge_pages_expect(&forge, 3, 3, "", 0);
}
