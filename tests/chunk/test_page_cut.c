/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages end at the same records however the calls are split. The definition, applied value by
 * value, is the oracle.
 */
#include "chunk/write/page_cut.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/record.h>
#include <string.h>

#include "chunk/triple_column.h"
#include "schema/tree.h"
#include "support/test_file.h"

enum { PAGES_MAX = 4000 };

/* Cuts a column into pages as the chunk writer does; gives the triples of each page. */
static size_t cut_all(const lam_triple_column *column, lam_page_cut *cut, bool in_dictionary,
                      lam_random *splits, size_t *pages) {
    size_t page_count = 0;
    lam_page_cut_start(cut, in_dictionary);
    for (size_t first = 0; first < column->record_count;) {
        size_t count = column->record_count - first;
        if (splits != NULL)
            count = 1 + (size_t)lam_random_below(splits, count < 40 ? count : 40);
        lam_triples rest = lam_triple_column_slice(column, first, count, splits);
        while (rest.count > 0) {
            if (lam_page_cut_is_full(cut)) {
                cr_assert_lt(page_count, PAGES_MAX);
                pages[page_count++] = (size_t)cut->triples;
                lam_page_cut_start(cut, in_dictionary);
            }
            lam_triples batch = lam_page_cut_batch(cut, &rest);
            cr_assert_gt(batch.count, 0);
            lam_page_cut_add(cut, &batch);
            rest = lam_triples_after(&rest, &batch, lam_element_size(column->leaf));
        }
        first += count;
    }
    pages[page_count++] = (size_t)cut->triples;
    return page_count;
}

static uint64_t bits_of_value(const lam_field *leaf, const void *values, size_t index,
                              bool in_dictionary) {
    if (in_dictionary)
        return 32;
    if (leaf->physical_type == LAM_PHYSICAL_BOOLEAN)
        return 1;
    if (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
        return 8 * (4 + (uint64_t)((const lam_bytes *)values)[index].size);
    return 8 * lam_element_size(leaf);
}

static unsigned bits_of_level(uint8_t max_level) {
    unsigned bits = 0;
    for (; max_level > 0; max_level /= 2)
        bits++;
    return bits;
}

/* The same by the definition: value by value, and a look at each record's start. */
static size_t cut_naively(const lam_triple_column *column, uint64_t page_bytes, uint64_t page_rows,
                          bool in_dictionary, size_t *pages) {
    size_t page_count = 0, triples = 0;
    uint64_t rows = 0, bits = 0;
    const lam_triples *all = &column->triples;
    const lam_field *leaf = column->leaf;
    unsigned level_bits = bits_of_level(leaf->max_repetition) + bits_of_level(leaf->max_definition);
    for (size_t i = 0, value = 0; i < all->count; i++) {
        if (all->repetition[i] == 0 && (rows >= page_rows || bits >= 8 * page_bytes)) {
            cr_assert_lt(page_count, PAGES_MAX);
            pages[page_count++] = triples;
            triples = 0;
            rows = bits = 0;
        }
        rows += all->repetition[i] == 0;
        bits += level_bits;
        triples++;
        if (all->definition[i] == leaf->max_definition)
            bits += bits_of_value(leaf, all->values, value++, in_dictionary);
    }
    pages[page_count++] = triples;
    return page_count;
}

Test(page_cut, pages_end_at_the_same_records_however_the_calls_are_split) {
    static const char deep[] = "message m { repeated group g { repeated group h { "
                               "optional fixed_len_byte_array(3) a; } } }";
    static const char *const schemas[] = {"message m { required int32 a; }",
                                          "message m { optional binary a; }",
                                          "message m { repeated int64 a; }",
                                          "message m { repeated group g { optional binary a; } }",
                                          "message m { repeated boolean a; }",
                                          deep};
    enum { SCHEMAS = sizeof schemas / sizeof *schemas };
    static size_t expected[PAGES_MAX], whole[PAGES_MAX], split[PAGES_MAX];
    lam_random random = lam_random_start(lam_test_seed(1));
    for (size_t round = 0; round < 2000; round++) {
        lam_schema *schema = lam_test_parse(schemas[round % SCHEMAS]);
        lam_triple_shape shape = {.record_count = 1 + (size_t)lam_random_below(&random, 300),
                                  .null_percent = (unsigned)lam_random_below(&random, 101),
                                  .more_percent = (unsigned)lam_random_below(&random, 80),
                                  .bytes_max = (size_t)lam_random_below(&random, 30)};
        lam_triple_column column;
        lam_triple_column_init(&column, lam_schema_leaf(schema, 0), &shape, &random);
        uint64_t page_bytes = 1 + lam_random_below(&random, 300);
        uint64_t page_rows = 1 + lam_random_below(&random, 60);
        bool in_dictionary = lam_random_chance(&random, 50);
        lam_page_cut cut;
        lam_page_cut_init(&cut, column.leaf, page_bytes, page_rows);
        size_t count = cut_naively(&column, page_bytes, page_rows, in_dictionary, expected);
        cr_assert_eq(cut_all(&column, &cut, in_dictionary, NULL, whole), count, "round %zu", round);
        cr_assert_arr_eq(whole, expected, count * sizeof *whole);
        cr_assert_eq(cut_all(&column, &cut, in_dictionary, &random, split), count);
        cr_assert_arr_eq(split, expected, count * sizeof *split);
        lam_triple_column_finish(&column);
        lam_schema_destroy(schema);
    }
}

Test(page_cut, a_record_larger_than_a_page_stays_whole) {
    lam_schema *schema = lam_test_parse("message m { repeated int32 a; }");
    uint8_t repetition[100], definition[100];
    int32_t values[100] = {0};
    memset(repetition, 1, sizeof repetition);
    memset(definition, 1, sizeof definition);
    repetition[0] = repetition[98] = 0;
    lam_triples triples = {100, 100, repetition, definition, values};
    lam_page_cut cut;
    lam_page_cut_init(&cut, lam_schema_leaf(schema, 0), 10, 1000);
    lam_page_cut_start(&cut, false);
    lam_triples batch = lam_page_cut_batch(&cut, &triples);
    cr_assert_eq(batch.count, 98);
    cr_assert_eq(batch.value_count, 98);
    lam_page_cut_add(&cut, &batch);
    cr_assert(lam_page_cut_is_full(&cut));
    cr_assert_eq(cut.rows, 1);
    lam_triples rest = lam_triples_after(&triples, &batch, sizeof values[0]);
    cr_assert_eq(rest.count, 2);
    cr_assert_eq(rest.value_count, 2);
    cr_assert_eq(rest.repetition, repetition + 98);
    cr_assert_eq(rest.values, (void *)(values + 98));
    lam_schema_destroy(schema);
}

Test(page_cut, the_front_before_a_value_ends_where_its_record_starts) {
    lam_schema *schema = lam_test_parse("message m { repeated int32 a; }");
    /*                             records:  -------  ----  -  ------- */
    static const uint8_t repetition[] = {0, 1, 1, 0, 1, 0, 0, 1, 1};
    static const uint8_t definition[] = {1, 1, 1, 1, 0, 0, 1, 1, 1};
    static const int32_t values[7];
    static const size_t counts[] = {0, 0, 0, 3, 6, 6, 6}, value_counts[] = {0, 0, 0, 3, 4, 4, 4};
    lam_triples triples = {9, 7, repetition, definition, values};
    lam_page_cut cut;
    lam_page_cut_init(&cut, lam_schema_leaf(schema, 0), 1000, 1000);
    lam_page_cut_start(&cut, true);
    for (size_t value = 0; value < 7; value++) {
        lam_triples batch = lam_page_cut_before_value(&cut, &triples, value);
        cr_assert_eq(batch.count, counts[value], "value %zu", value);
        cr_assert_eq(batch.value_count, value_counts[value], "value %zu", value);
    }
    lam_schema_destroy(schema);
}

Test(page_cut, leaving_the_dictionary_counts_the_values_as_plain) {
    lam_schema *schema = lam_test_parse("message m { required binary a; }");
    lam_bytes values[2] = {{(const uint8_t *)"abcdef", 6}, {(const uint8_t *)"", 0}};
    lam_triples triples = {2, 2, NULL, NULL, values};
    lam_page_cut cut;
    lam_page_cut_init(&cut, lam_schema_leaf(schema, 0), 14, 1000);
    lam_page_cut_start(&cut, true);
    lam_page_cut_add(&cut, &triples);
    cr_assert_eq(cut.bits, 8 * 8);
    cr_assert_not(lam_page_cut_is_full(&cut));
    lam_page_cut_leave_dictionary(&cut);
    cr_assert_eq(cut.bits, 8 * (4 + 6 + 4));
    cr_assert_eq(lam_page_cut_plain_bytes(&cut), 4 + 6 + 4);
    cr_assert(lam_page_cut_is_full(&cut));
    lam_page_cut_start(&cut, false);
    cr_assert_eq(cut.plain_bits + cut.bits + cut.rows + cut.triples, 0);
    lam_schema_destroy(schema);
}

/* A boolean counted as a byte, so that pages of them were an eighth of the size that was asked for;
 * levels counted nothing, so that a page of empty lists never ended. */
Test(page_cut, booleans_and_levels_count_their_bits) {
    enum { COUNT = 9000, PAGE_BYTES = 100 };
    static uint8_t repetition[COUNT], definition[COUNT];
    static bool values[COUNT];
    lam_page_cut cut;
    lam_schema *flat = lam_test_parse("message m { required boolean a; }");
    lam_triples booleans = {COUNT, COUNT, NULL, NULL, values};
    lam_page_cut_init(&cut, lam_schema_leaf(flat, 0), PAGE_BYTES, COUNT);
    lam_page_cut_start(&cut, false);
    cr_assert_eq(lam_page_cut_batch(&cut, &booleans).count, 8 * PAGE_BYTES);
    lam_schema_destroy(flat);

    lam_schema *lists =
        lam_test_parse("message m { optional group a { repeated group b { optional int32 c; "
                       "} } }"); /* levels of 1 and 2 bits */
    lam_triples empty = {COUNT, 0, repetition, definition, NULL};
    lam_page_cut_init(&cut, lam_schema_leaf(lists, 0), PAGE_BYTES, COUNT);
    for (int in_dictionary = 0; in_dictionary < 2; in_dictionary++) {
        lam_page_cut_start(&cut, in_dictionary == 1);
        lam_triples batch = lam_page_cut_batch(&cut, &empty);
        cr_assert_eq(batch.count, (8 * PAGE_BYTES + 2) / 3);
        lam_page_cut_add(&cut, &batch);
        cr_assert(lam_page_cut_is_full(&cut));
        cr_assert_eq(lam_page_cut_plain_bytes(&cut), 0);
        lam_page_cut_leave_dictionary(&cut);
        cr_assert(lam_page_cut_is_full(&cut));
    }
    lam_schema_destroy(lists);
}
