/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and counts of encodings. */
#include <lamella/reader.h>

#include "check/forge_pages.h"

static void list_encodings(rich_file *file, rich_chunk *chunk, int32_t a, int32_t b) {
    void *memory;
    cr_assert_eq(lam_arena_array(&file->arena, 2, sizeof(int32_t), &memory, NULL), LAM_STATUS_OK);
    int32_t *items = memory;
    items[0] = a;
    items[1] = b;
    chunk->column->encodings = (lam_meta_i32_list){items, 2};
}

static void count_pages(rich_file *file, rich_chunk *chunk, int32_t type, int32_t encoding,
                        int32_t count) {
    void *memory;
    cr_assert_eq(
        lam_arena_array(&file->arena, 1, sizeof(lam_meta_page_encoding_stats), &memory, NULL),
        LAM_STATUS_OK);
    lam_meta_page_encoding_stats *stats = memory;
    stats->page_type = type;
    stats->encoding = encoding;
    stats->count = count;
    chunk->column->has |= LAM_META_COLUMN_HAS_ENCODING_STATS;
    chunk->column->encoding_stats = (lam_meta_page_encoding_stats_list){stats, 1};
}

FORGED(check_encodings, an_encoding_in_use_is_listed, "encodings-missing",
       list_encodings(file, name, LAM_ENCODING_RLE, LAM_ENCODING_RLE))
FORGED(check_encodings, an_encoding_nobody_uses_is_noted, "encodings-unused",
       list_encodings(file, id, LAM_ENCODING_PLAIN, LAM_ENCODING_ALP))
FORGED(check_encodings, an_encoding_nobody_knows_is_no_trouble, "",
       list_encodings(file, id, LAM_ENCODING_PLAIN, INT32_MIN))
FORGED(check_encodings, pages_are_counted_by_encoding, "",
       count_pages(file, id, LAM_PAGE_DATA, LAM_ENCODING_PLAIN, 3))
FORGED(check_encodings, a_wrong_count_is_found, "encoding-stats",
       count_pages(file, id, LAM_PAGE_DATA, LAM_ENCODING_PLAIN, 2))
FORGED(check_encodings, a_wrong_encoding_is_found, "encoding-stats",
       count_pages(file, id, LAM_PAGE_DATA, LAM_ENCODING_RLE, 3))
FORGED(check_encodings, a_wrong_kind_of_data_page_is_a_slip, "encoding-stats-type",
       count_pages(file, id, LAM_PAGE_DATA_V2, LAM_ENCODING_PLAIN, 3))

/* It was an error, and every reader looks at the pages. */
Test(check_encodings, an_encoding_that_the_list_lacks_is_a_warning) {
    static const uint8_t numbers[12];
    lam_page_sections sections = {
        .value_count = 3, .row_count = 3, .values = {numbers, sizeof numbers}};
    forge_pages forge;
    forge_pages_start(&forge, "message m { required int32 a; }", 2);
    forge.encodings[0] = LAM_ENCODING_RLE;
    forge_pages_add(&forge, &sections, 0);
    forge_pages_expect(&forge, 3, 3, "encodings-missing", 0);
}
FORGED(check_encodings, dictionary_pages_are_counted, "encoding-stats",
       count_pages(file, id, LAM_PAGE_DICTIONARY, LAM_ENCODING_PLAIN, 1))
FORGED(check_encodings, a_page_type_nobody_knows_is_counted, "encoding-stats",
       count_pages(file, id, 77, LAM_ENCODING_PLAIN, 3))

/* Three INT32 in a page of each encoding, of version 1. */
static void call_them_version_2(lam_meta_column *column) {
    static const lam_meta_page_encoding_stats stats[] = {
        {.page_type = LAM_PAGE_DATA_V2, .encoding = LAM_ENCODING_PLAIN, .count = 1},
        {.page_type = LAM_PAGE_DATA_V2, .encoding = LAM_ENCODING_BYTE_STREAM_SPLIT, .count = 1}};
    column->has |= LAM_META_COLUMN_HAS_ENCODING_STATS;
    column->encoding_stats = (lam_meta_page_encoding_stats_list){stats, 2};
}

Test(check_encodings, a_wrong_kind_of_data_page_is_told_once) {
    static const uint8_t numbers[12];
    static const lam_encoding encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_BYTE_STREAM_SPLIT};
    forge_pages forge;
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    for (size_t i = 0; i < 2; i++) {
        lam_page_sections sections = {.value_count = 3, .row_count = 3, .encoding = encodings[i]};
        sections.values = (lam_bytes){numbers, sizeof numbers};
        forge.encodings[i] = (int32_t)encodings[i];
        forge_pages_add(&forge, &sections, 0);
    }
    forge.change = call_them_version_2;
    lam_buffer file = forge_pages_file(&forge, 6, 6);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_str_eq(found.rules, "encoding-stats-type", "%s", found.first);
    cr_assert_eq(found.count, 1);
    lam_buffer_finish(&file);
}

Test(check_encodings, a_dictionary_in_use_is_listed_by_some_name) {
    static const uint8_t entries[4] = {7}, index[] = {1, 2, 0};
    static const int32_t names[] = {LAM_ENCODING_RLE_DICTIONARY, LAM_ENCODING_PLAIN_DICTIONARY,
                                    LAM_ENCODING_PLAIN};
    static const char *const rules[] = {"dictionary-offset", "dictionary-offset encodings-unused",
                                        "dictionary-offset encodings-missing"};
    for (size_t i = 0; i < 3; i++) {
        forge_pages forge;
        lam_page_sections sections = {.value_count = 1, .row_count = 1};
        sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
        sections.values = (lam_bytes){index, sizeof index};
        forge_pages_start(&forge, "message m { required int32 a; }", 1);
        forge.encodings[0] = names[i];
        lam_hand_made_dictionary(&forge.made, 1, (lam_bytes){entries, sizeof entries});
        forge_pages_add(&forge, &sections, 0);
        forge_pages_expect(&forge, 1, 1, rules[i], 0);
    }
}

/* A chunk of as many encodings as pages is not counted on and on. */
Test(check_encodings, encodings_that_nobody_knows_are_counted_up_to_a_number) {
    enum { PAGES = 70 };
    static const uint8_t number[4];
    forge_pages forge;
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    for (int i = 0; i < PAGES; i++) {
        lam_page_sections sections = {.value_count = 1, .row_count = 1};
        sections.encoding = (lam_encoding)(1000 + i);
        sections.values = (lam_bytes){number, sizeof number};
        lam_hand_made_data(&forge.made, &sections);
    }
    forge_pages_expect(&forge, PAGES, PAGES, "unsupported encodings-unused unchecked", 1);
}
