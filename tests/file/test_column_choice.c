/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a writer is asked for column by column: Bloom filters, sorting columns, orders and pairs
 * stand in the footer as they were asked for.
 */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>

#include "file/file_sample.h"
#include "file/read/footer.h"
#include "stats/bloom.h"
#include "support/whole_footer.h"

#define SCHEMA                                                                                     \
    "message m { required int64 id; optional binary name (STRING); repeated double d;"             \
    "            required boolean b; optional fixed_len_byte_array(16) u (UUID); }"

static lam_status no_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_fail("%s: %s", finding->rule->id, finding->message);
    return LAM_STATUS_OK;
}

/* Ends the file, demands that nothing is found in it, and gives its footer. */
static lam_footer end_file(lam_test_writer *file, lam_arena *arena) {
    lam_footer footer;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer bytes = lam_test_written(file);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    cr_assert_eq(lam_check(&input, NULL, no_finding, NULL, NULL, NULL), LAM_STATUS_OK);
    lam_arena_init(arena, &allocator, 0);
    cr_assert_eq(lam_footer_read(&input, arena, &footer, NULL), LAM_STATUS_OK);
    lam_buffer_finish(&bytes);
    return footer;
}

static bool has_bloom(const lam_footer *footer, size_t group, size_t leaf) {
    const lam_meta_column *column =
        footer->meta.row_groups.items[group].columns.items[leaf].meta_data;
    return (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0;
}

enum { ROWS = 3000 };

/* Ids without order, names of which there are `names`, doubles and UUIDs that all differ. */
static void write_rows(lam_writer *writer, uint64_t names, bool sorted) {
    static int64_t ids[ROWS];
    static lam_bytes texts[ROWS];
    static double doubles[ROWS];
    static uint8_t booleans[ROWS], uuids[ROWS][16], zeros[ROWS], ones[ROWS];
    static char room[ROWS][20];
    for (uint64_t i = 0; i < ROWS; i++) {
        uint64_t mixed = i * UINT64_C(0x9E3779B97F4A7C15);
        ids[i] = (int64_t)(sorted ? i : mixed);
        texts[i].size = (size_t)snprintf(room[i], sizeof room[i], "%d", (int)(i % names));
        texts[i].data = (const uint8_t *)room[i];
        doubles[i] = (double)i - 5;
        memcpy(uuids[i], &mixed, sizeof mixed);
        ones[i] = 1;
    }
    const lam_triples columns[] = {{ROWS, ROWS, NULL, NULL, ids},
                                   {ROWS, ROWS, NULL, NULL, texts},
                                   {ROWS, ROWS, zeros, ones, doubles},
                                   {ROWS, ROWS, NULL, NULL, booleans},
                                   {ROWS, ROWS, NULL, NULL, uuids}};
    cr_assert_eq(lam_writer_write_triples(writer, columns, ROWS, NULL), LAM_STATUS_OK);
}

Test(column_choice, bloom_filters_hold_all_values_however_they_are_encoded) {
    for (int way = 0; way < 8; way++) {
        lam_arena arena;
        lam_writer_options options = lam_writer_options_default();
        options.dictionary = way == 1 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        options.dictionary_bytes = way == 2 ? 2000 : 0; /* given up in the middle */
        options.page_rows = 500;
        options.row_group_rows = way == 3 ? 700 : 0;
        options.statistics = way == 4 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        lam_test_writer file = lam_test_write(SCHEMA, &options);
        if (way == 5)
            cr_assert_eq(
                lam_writer_set_encoding(file.writer, "id", LAM_ENCODING_RLE_DICTIONARY, NULL),
                LAM_STATUS_OK);
        if (way == 6)
            cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "u", 0.3, 9, NULL),
                         LAM_STATUS_OK);
        const char *const paths[] = {"id", "name", "d", "u"};
        for (size_t i = 0; i < 4; i++)
            cr_assert_eq(lam_writer_set_bloom_filter(file.writer, paths[i], 0, 0, NULL),
                         LAM_STATUS_OK);
        write_rows(file.writer, 700, false);
        lam_footer footer = end_file(&file, &arena);
        for (size_t group = 0; group < footer.meta.row_groups.count; group++)
            for (size_t leaf = 0; leaf < 5; leaf++)
                cr_assert_eq(has_bloom(&footer, group, leaf), leaf != 3);
        lam_arena_finish(&arena);
    }
}

Test(column_choice, filters_that_are_guessed_are_kept_where_they_help) {
    for (int way = 0; way < 3; way++) {
        lam_arena arena;
        lam_writer_options options = lam_writer_options_default();
        options.auto_bloom_filters = way != 2;
        options.page_rows = 500;
        lam_test_writer file = lam_test_write(SCHEMA, &options);
        write_rows(file.writer, way == 0 ? ROWS : 20, way == 1);
        lam_footer footer = end_file(&file, &arena);
        cr_expect_eq(has_bloom(&footer, 0, 0), way == 0, "sorted ids have bounds");
        cr_expect_eq(has_bloom(&footer, 0, 1), way == 0, "names that repeat have a dictionary");
        cr_expect_eq(has_bloom(&footer, 0, 2), false, "doubles are no ids");
        cr_expect_eq(has_bloom(&footer, 0, 4), way != 2);
        lam_arena_finish(&arena);
    }
}

Test(column_choice, a_filter_that_cannot_be_is_refused) {
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write(SCHEMA, NULL);
    cr_expect_eq(lam_writer_set_bloom_filter(file.writer, "nobody", 0, 0, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "no field 'nobody'");
    cr_expect_eq(lam_writer_set_bloom_filter(file.writer, "b", 0, 0, &error), LAM_STATUS_INVALID);
    cr_expect_eq(lam_writer_set_bloom_filter(file.writer, "", 0, 0, NULL), LAM_STATUS_INVALID);
    const double wrong[] = {1, -0.1, 2, 0.0 / 0.0};
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(lam_writer_set_bloom_filter(file.writer, "id", wrong[i], 0, &error),
                     LAM_STATUS_INVALID);
    write_rows(file.writer, 3, false);
    cr_expect_eq(lam_writer_set_bloom_filter(file.writer, "id", 0, 0, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "Bloom filters are chosen before the first record");
    lam_test_drop(&file);
}

static lam_status count_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)error;
    cr_expect_str_eq(finding->rule->id, "sorting-order");
    ++*(int *)state;
    return LAM_STATUS_OK;
}

Test(column_choice, the_order_of_rows_is_stated_in_each_row_group) {
    for (int sorted = 0; sorted < 2; sorted++) {
        lam_arena arena;
        lam_footer footer;
        lam_allocator allocator = lam_allocator_default();
        lam_writer_options options = lam_writer_options_default();
        int findings = 0;
        options.row_group_rows = 2000;
        lam_test_writer file = lam_test_write(SCHEMA, &options);
        cr_assert_eq(lam_writer_add_sorting_column(file.writer, "id", false, true, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_writer_add_sorting_column(file.writer, "u", true, false, NULL),
                     LAM_STATUS_OK);
        write_rows(file.writer, 7, sorted == 1);
        lam_buffer bytes = lam_test_written(&file);
        lam_input input = lam_input_memory(bytes.data, bytes.size);
        cr_assert_eq(lam_check(&input, NULL, count_finding, &findings, NULL, NULL), LAM_STATUS_OK);
        cr_expect_eq(findings > 0, sorted == 0);
        lam_arena_init(&arena, &allocator, 0);
        cr_assert_eq(lam_footer_read(&input, &arena, &footer, NULL), LAM_STATUS_OK);
        for (size_t group = 0; group < 2; group++) {
            const lam_meta_sorting_column_list *list =
                &footer.meta.row_groups.items[group].sorting_columns;
            cr_assert_eq(list->count, 2);
            cr_expect_eq(list->items[0].column_idx, 0);
            cr_expect(!list->items[0].descending && list->items[0].nulls_first);
            cr_expect_eq(list->items[1].column_idx, 4);
            cr_expect(list->items[1].descending && !list->items[1].nulls_first);
        }
        lam_arena_finish(&arena);
        lam_buffer_finish(&bytes);
    }
}

Test(column_choice, an_order_that_cannot_be_is_refused) {
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write("message m { required int32 a; repeated int32 b; "
                                          "required group g { required int32 c; } "
                                          "required int96 t; required binary w (GEOMETRY); }",
                                          NULL);
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "t", false, false, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "rows cannot be sorted by 't', whose type has no order");
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "w", false, false, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "b", false, false, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "rows cannot be sorted by 'b', which is repeated");
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "g", false, false, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "rows cannot be sorted by the group 'g'");
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "x", false, false, NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "g.c", false, false, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "g.c", true, false, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "rows are already sorted by 'c'");
    lam_test_drop(&file);
}

Test(column_choice, int96_has_an_order_by_option) {
    lam_writer_options options = lam_writer_options_default();
    options.int96_order = true;
    lam_test_writer file = lam_test_write("message m { required int96 t; }", &options);
    cr_expect_eq(lam_writer_add_sorting_column(file.writer, "t", false, false, NULL),
                 LAM_STATUS_OK);
    lam_test_drop(&file);
}

static bool has_pair(const lam_meta_column *column, const char *key, const char *value) {
    for (uint32_t i = 0; i < column->key_value_metadata.count; i++) {
        const lam_meta_key_value *pair = &column->key_value_metadata.items[i];
        bool has_value = (pair->has & LAM_META_KEY_VALUE_HAS_VALUE) != 0;
        if (pair->key.size == strlen(key) && memcmp(pair->key.data, key, pair->key.size) == 0 &&
            has_value == (value != NULL) &&
            (!has_value || (pair->value.size == strlen(value) &&
                            memcmp(pair->value.data, value, pair->value.size) == 0)))
            return true;
    }
    return false;
}

Test(column_choice, pairs_of_a_column_stand_in_its_chunks_from_then_on) {
    lam_arena arena;
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write(
        "message m { required int32 a; optional group g { optional int32 b; } }", NULL);
    static const int32_t numbers[] = {1, 2};
    static const uint8_t zeros[2];
    const lam_triples columns[] = {{2, 2, NULL, NULL, numbers}, {2, 0, NULL, zeros, NULL}};
    cr_assert_eq(lam_writer_add_key_value(file.writer, "a", "unit", "m", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_write_triples(file.writer, columns, 2, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_key_value(file.writer, "g", "late", NULL, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_writer_add_key_value(file.writer, "c", "k", "v", &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_writer_add_key_value(file.writer, "a", "k", "\xFF", &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "the value of 'k' in the key-value metadata is not UTF-8");
    cr_expect_eq(lam_writer_add_key_value(file.writer, NULL, "\xC0", NULL, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a key of the key-value metadata is not UTF-8");
    cr_assert_eq(lam_writer_write_triples(file.writer, columns, 2, NULL), LAM_STATUS_OK);
    lam_footer footer = end_file(&file, &arena);
    for (size_t group = 0; group < 2; group++) {
        const lam_meta_column_chunk *chunks = footer.meta.row_groups.items[group].columns.items;
        cr_expect(has_pair(chunks[0].meta_data, "unit", "m"));
        cr_expect_eq(chunks[0].meta_data->key_value_metadata.count, 1);
        cr_expect_eq(chunks[1].meta_data->key_value_metadata.count, group);
        cr_expect_eq(has_pair(chunks[1].meta_data, "late", NULL), group == 1);
        cr_expect_eq(chunks[0].file_offset, 0, "deprecated, to be 0");
    }
    lam_arena_finish(&arena);
}
