/* SPDX-License-Identifier: Apache-2.0 */
/* Levels that no record could have made. */
#include <lamella/record.h>
#include <lamella/writer.h>

#include "check/forge.h"
#include "check/forge_pages.h"

/*
 * Where the packed levels of the first page of tags are: of width 1 and 2, in groups of 8. The
 * first triples are (0,0) (0,1) (0,3) (0,3) (1,2) (1,3) (0,0) (0,1).
 */
static uint8_t *packed_levels(rich_file *file, bool definition) {
    uint8_t *body = forge_page(file, &file->chunks[0][RICH_TAGS], 0, NULL);
    if (definition)
        body += 4 + body[0];
    cr_assert_eq(body[4] & 1, 1, "a packed run");
    return body + 5;
}

FORGED(check_levels, the_packed_levels_are_where_they_are_thought_to_be, "",
       cr_assert_eq(packed_levels(file, false)[0], 0x30);
       cr_assert_eq(packed_levels(file, true)[0], 0xF4);
       cr_assert_eq(packed_levels(file, true)[1], 0x4E))
FORGED(check_levels, the_first_repetition_level_is_0, "levels-first", forge_say_nothing(file);
       packed_levels(file, false)[0] |= 1)
FORGED(check_levels, a_repeated_field_is_defined, "levels-structure", forge_say_nothing(file);
       packed_levels(file, true)[1] &= 0xFC)
FORGED(check_levels, a_row_more_is_found, "chunk-rows", forge_say_nothing(file);
       packed_levels(file, false)[0] &= 0xDF)
FORGED(check_levels, a_value_more_is_missed_in_the_page, "page-values", forge_say_nothing(file);
       packed_levels(file, true)[0] |= 3)

/* Another element was taken as it came, and the records' reader refused what was called clean. */
Test(check_levels, another_element_follows_one) {
    uint8_t repetition[4] = {0, 0, 1, 0}, definition[4] = {0, 1, 2, 1};
    int32_t values[4] = {7};
    lam_triples column = {4, 1, repetition, definition, values};
    lam_schema *schema = lam_test_schema(
        "message m { optional group l { repeated group list { required int32 a; } } }");
    for (size_t page_rows = 1; page_rows < 4; page_rows++) {
        lam_writer_options options = forge_options(1, false, false);
        options.page_rows = page_rows;
        lam_buffer file = forge_triples(schema, &options, &column, 3);
        lam_test_findings found = lam_test_check(file.data, file.size, NULL);
        cr_assert_str_eq(found.rules, "levels-structure", "%s", found.first);
        cr_assert_eq(found.first_row, 1);
        lam_buffer_finish(&file);
    }
    lam_schema_destroy(schema);
}

Test(check_levels, a_page_with_an_offset_index_begins_with_a_row) {
    rich_file file;
    lam_writer_options options = forge_options(1, false, false);
    rich_file_init(&file, &options);
    /* Row 25 has an empty list: its first triple goes on where row 24 ended. */
    uint8_t *body = forge_page(&file, &file.chunks[0][RICH_TAGS], 1, NULL);
    file.chunks[0][RICH_TAGS].column->statistics = NULL;
    file.chunks[0][RICH_TAGS].column->size_statistics = NULL;
    body[5] |= 1;
    forge_expect(&file, "levels-structure");
}

/* --- Columns of one group ------------------------------------------------------------------- */

/*
 * Eight rows of a group that is there, with a value in `a` and none in `b`. The page of a column
 * begins with one run of definition levels: its size in 4 bytes, 8 times, the level.
 */
static lam_buffer write_group(void) {
    lam_schema *schema =
        lam_test_schema("message m { optional group g { optional int32 a; optional int32 b; } }");
    lam_writer_options options = forge_options(1, false, false);
    uint8_t levels[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    int32_t values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    lam_triples columns[2] = {{.count = 8, .value_count = 8, .values = values},
                              {.count = 8, .definition = levels}};
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_buffer file = forge_triples(schema, &options, columns, 8);
    lam_schema_destroy(schema);
    return file;
}

static void expect_level(int column, uint8_t level, const char *rules) {
    static const uint8_t runs[2][6] = {{2, 0, 0, 0, 16, 2}, {2, 0, 0, 0, 16, 1}};
    lam_buffer file = write_group();
    uint8_t *at = file.data;
    while (memcmp(at, runs[column], sizeof runs[column]) != 0)
        at++;
    at[5] = level;
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s", found.first);
    lam_buffer_finish(&file);
}

Test(check_levels, columns_of_one_group_agree_on_it) {
    expect_level(0, 2, "");
    expect_level(1, 1, "");
    expect_level(1, 0, "levels-agree");
}

Test(check_levels, a_level_above_the_maximum_is_found) {
    expect_level(0, 3, "levels-range");
    expect_level(1, 3, "levels-range");
}

/* Bytes behind the levels, also of a leaf that has none, were passed over. */
Test(check_levels, bytes_that_follow_the_levels_are_told) {
    static const uint8_t values[24] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    static const struct {
        const char *rules;
        const char *schema;
        size_t repetition_size;
        size_t definition_size;
        uint8_t repetition[3];
        uint8_t definition[3];
        uint32_t rows;
    } cases[] = {{"", "message m { required int32 a; }", 0, 0, {0}, {0}, 6},
                 {"", "message m { required int32 a; }", 1, 1, {12}, {12}, 6}, /* runs of width 0 */
                 {"levels", "message m { required int32 a; }", 2, 0, {12, 2}, {0}, 6},
                 {"levels", "message m { required int32 a; }", 0, 1, {0}, {10}, 6},
                 {"levels", "message m { required int32 a; }", 3, 0, {0xFF, 0xFF, 0xFF}, {0}, 6},
                 {"", "message m { repeated int32 a; }", 2, 2, {3, 0x2A}, {12, 1}, 3},
                 {"levels", "message m { repeated int32 a; }", 3, 2, {3, 0x2A, 0}, {12, 1}, 3},
                 {"levels", "message m { repeated int32 a; }", 2, 3, {3, 0x2A}, {12, 1, 0}, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        forge_pages forge;
        forge_pages_start(&forge, cases[i].schema, 2);
        lam_page_sections sections = {.value_count = 6, .row_count = cases[i].rows};
        sections.repetition = (lam_bytes){cases[i].repetition, cases[i].repetition_size};
        sections.definition = (lam_bytes){cases[i].definition, cases[i].definition_size};
        sections.values = (lam_bytes){values, sizeof values};
        forge_pages_add(&forge, &sections, 0);
        forge_pages_expect(&forge, 6, cases[i].rows, cases[i].rules, 0);
    }
}

/* --- Levels by hand -------------------------------------------------------------------------- */

/* Pages of six triples each, whose levels are given as hybrid runs. */
static void expect_pages(const char *schema, const lam_bytes *repetition, size_t pages,
                         uint8_t definition, const char *rules) {
    static const uint8_t values[24] = {1};
    const uint8_t definitions[] = {12, definition};
    forge_pages forge;
    forge_pages_start(&forge, schema, 1);
    for (size_t i = 0; i < pages; i++) {
        lam_page_sections sections = {.value_count = 6};
        sections.repetition = repetition[i];
        sections.definition = (lam_bytes){definitions, sizeof definitions};
        sections.values = (lam_bytes){values, sizeof values};
        forge_pages_add(&forge, &sections, 0);
    }
    lam_buffer file = forge_pages_file(&forge, (int64_t)(6 * pages), 1);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_expect_str_eq(found.rules, rules, "%s", found.first);
    lam_buffer_finish(&file);
}

Test(check_levels, repetition_levels_of_runs_and_of_groups_have_a_maximum_and_a_first) {
    static const char nested[] = "message m { repeated group g { repeated int32 a; } }";
    /* In 2 bits: a run of 3; 0 and five times 3; a run of 1; one row. */
    static const uint8_t high_run[] = {12, 3}, high_group[] = {3, 0xFC, 0x0F};
    static const uint8_t ones[] = {12, 1}, row[] = {3, 0x54, 0x05}, nothing[] = {0};
    const lam_bytes runs[] = {{high_run, sizeof high_run}}, groups[] = {{high_group, 3}};
    const lam_bytes late[] = {{ones, sizeof ones}}, good[] = {{row, sizeof row}};
    const lam_bytes goes_on[] = {{row, sizeof row}, {ones, sizeof ones}};
    const lam_bytes lost[] = {{nothing, sizeof nothing}, {row, sizeof row}};
    expect_pages(nested, good, 1, 2, "");
    expect_pages(nested, goes_on, 2, 2, "");
    expect_pages(nested, runs, 1, 2, "levels-range");
    expect_pages(nested, groups, 1, 2, "levels-range");
    expect_pages(nested, late, 1, 2, "levels-first");
    expect_pages(nested, lost, 2, 0, "levels levels-structure");
}
