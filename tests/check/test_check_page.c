/* Pages that are damaged, or whose headers are not true. Checksums are left out, so that the
 * damage is met where it is. */
#include <lamella/reader.h>

#include "check/forge.h"

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
