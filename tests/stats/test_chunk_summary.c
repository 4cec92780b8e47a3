/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds, counts and histograms of pages and chunk while they are written, in each order of values.
 */
#include "stats/chunk_summary.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/test_file.h"

enum { MOST = 64 };

typedef struct fixture {
    lam_schema *schema;
    lam_chunk_summary summary;
    lam_arena arena;
} fixture;

static fixture open(const char *field, int32_t column_order) {
    fixture it;
    lam_allocator allocator = lam_allocator_default();
    it.schema = lam_test_parse(field);
    cr_assert_eq(lam_chunk_summary_init(&it.summary, lam_kernels_get(),
                                        lam_schema_leaf(it.schema, 0), column_order, 8, &allocator,
                                        NULL),
                 LAM_STATUS_OK);
    lam_arena_init(&it.arena, &allocator, 0);
    return it;
}

static void close(fixture *it) {
    lam_chunk_summary_finish(&it->summary);
    lam_arena_finish(&it->arena);
    lam_schema_destroy(it->schema);
}

static void add_page(fixture *it, const void *values, size_t count, size_t nulls, uint64_t size) {
    uint8_t definition[MOST];
    memset(definition, 1, count);
    memset(definition + count, 0, nulls);
    lam_triples triples = {count + nulls, count, NULL, definition, values};
    if (it->summary.leaf->max_definition == 0)
        triples.definition = NULL;
    lam_chunk_summary_add_levels(&it->summary, &triples);
    cr_assert_eq(lam_chunk_summary_add_values(&it->summary, values, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_chunk_summary_end_page(&it->summary, count + nulls, it->summary.rows * 10, size, NULL),
        LAM_STATUS_OK);
}

static lam_meta_column_index column_index(fixture *it) {
    lam_meta_column_index index;
    bool has;
    cr_assert_eq(lam_chunk_summary_column_index(&it->summary, &it->arena, &index, &has, NULL),
                 LAM_STATUS_OK);
    cr_assert(has);
    return index;
}

static bool has_column_index(fixture *it) {
    lam_meta_column_index index;
    bool has;
    cr_assert_eq(lam_chunk_summary_column_index(&it->summary, &it->arena, &index, &has, NULL),
                 LAM_STATUS_OK);
    return has;
}

static lam_meta_statistics statistics(fixture *it) {
    lam_meta_statistics found;
    cr_assert_eq(lam_chunk_summary_statistics(&it->summary, &it->arena, &found, NULL),
                 LAM_STATUS_OK);
    return found;
}

static int32_t int32_of(lam_bytes bytes) {
    cr_assert_eq(bytes.size, 4);
    return (int32_t)lam_load_le32(bytes.data);
}

static double double_of(lam_bytes bytes) {
    double number;
    uint64_t bits = lam_load_le64(bytes.data);
    cr_assert_eq(bytes.size, 8);
    memcpy(&number, &bits, sizeof number);
    return number;
}

Test(chunk_summary, pages_and_chunk_have_their_bounds_counts_and_places) {
    fixture it = open("optional int32 a;", LAM_META_COLUMN_ORDER_TYPE);
    add_page(&it, (const int32_t[]){3, 1, 2}, 3, 1, 100);
    add_page(&it, NULL, 0, 5, 50);
    add_page(&it, (const int32_t[]){-7, 9}, 2, 0, 70);
    lam_meta_column_index index = column_index(&it);
    cr_assert_eq(index.min_values.count, 3);
    cr_expect_eq(int32_of(index.min_values.items[0]), 1);
    cr_expect_eq(int32_of(index.max_values.items[0]), 3);
    cr_expect(index.null_pages.items[1]);
    cr_expect_eq(index.min_values.items[1].size, 0);
    cr_expect_eq(int32_of(index.min_values.items[2]), -7);
    cr_expect_eq(index.null_counts.items[0], 1);
    cr_expect_eq(index.null_counts.items[1], 5);
    cr_expect_eq(index.boundary_order, LAM_META_BOUNDARY_UNORDERED);
    lam_meta_offset_index offsets;
    cr_assert_eq(lam_chunk_summary_offset_index(&it.summary, 1000, &it.arena, &offsets, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(offsets.page_locations.items[2].first_row_index, 9);
    cr_expect_eq(offsets.page_locations.items[2].offset, 1090);
    cr_expect_eq(offsets.page_locations.items[2].compressed_page_size, 70);
    lam_meta_statistics chunk = statistics(&it);
    cr_expect_eq(int32_of(chunk.min_value), -7);
    cr_expect_eq(int32_of(chunk.max_value), 9);
    cr_expect(chunk.is_min_value_exact && chunk.is_max_value_exact);
    cr_expect_eq(chunk.null_count, 6);
    close(&it);
}

/* Readers that go by the day first and those that go by the time would take them apart. */
Test(chunk_summary, int96_outside_of_their_day_leave_the_chunk_without_bounds) {
    static const uint8_t within[24] = {1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0,
                                       0, 2, 0, 0, 0, 0, 0, 0, 0, 5};
    static const uint8_t outside[24] = {1, 0,    0,    0,    0,    0,    0,    0,    6,    0, 0,
                                        0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 6};
    static const uint32_t indexes[] = {1, 0, 1};
    fixture it = open("required int96 a;", LAM_META_COLUMN_ORDER_INT96_TIMESTAMP);
    const uint32_t bounds = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE;
    for (int dictionary = 0; dictionary < 2; dictionary++) {
        add_page(&it, within, 2, 0, 10);
        cr_expect_eq(statistics(&it).has & bounds, bounds);
        cr_expect(has_column_index(&it));
        if (dictionary) {
            const lam_dictionary entries = {.count = 2, .values = outside};
            cr_assert_eq(lam_chunk_summary_add_indexes(&it.summary, &entries, indexes, 3, NULL),
                         LAM_STATUS_OK);
        } else {
            add_page(&it, outside, 2, 0, 10);
        }
        add_page(&it, within, 2, 0, 10);
        cr_expect_eq(statistics(&it).has & bounds, 0u);
        cr_expect_not(has_column_index(&it));
        lam_chunk_summary_restart(&it.summary);
    }
    add_page(&it, within, 2, 0, 10);
    cr_expect_eq(statistics(&it).has & bounds, bounds);
    close(&it);
}

Test(chunk_summary, bounds_that_rise_or_fall_from_page_to_page_are_said_to) {
    const int32_t low[] = {1, 4}, high[] = {4, 9};
    fixture up = open("optional int32 a;", LAM_META_COLUMN_ORDER_TYPE);
    add_page(&up, low, 2, 0, 1);
    add_page(&up, NULL, 0, 2, 1); /* a page of nulls has no say */
    add_page(&up, high, 2, 0, 1);
    cr_expect_eq(column_index(&up).boundary_order, LAM_META_BOUNDARY_ASCENDING);
    close(&up);
    fixture down = open("optional int32 a;", LAM_META_COLUMN_ORDER_TYPE);
    add_page(&down, high, 2, 0, 1);
    add_page(&down, low, 2, 0, 1);
    cr_expect_eq(column_index(&down).boundary_order, LAM_META_BOUNDARY_DESCENDING);
    lam_chunk_summary_restart(&down.summary);
    add_page(&down, low, 2, 0, 1);
    cr_expect_eq(column_index(&down).min_values.count, 1);
    cr_expect_eq(column_index(&down).boundary_order, LAM_META_BOUNDARY_ASCENDING);
    close(&down);
}

Test(chunk_summary, zeros_are_spread_and_nans_left_out_in_type_order) {
    fixture it = open("required double a;", LAM_META_COLUMN_ORDER_TYPE);
    add_page(&it, (const double[]){0.0, NAN, 0.0}, 3, 0, 1);
    lam_meta_statistics chunk = statistics(&it);
    cr_expect(signbit(double_of(chunk.min_value)) && double_of(chunk.min_value) == 0);
    cr_expect(!signbit(double_of(chunk.max_value)));
    cr_expect_eq(chunk.nan_count, 1);
    cr_expect_eq(column_index(&it).nan_counts.items[0], 1);
    add_page(&it, (const double[]){NAN, NAN}, 2, 0, 1);
    cr_expect_not(has_column_index(&it), "a page of NaNs has no bounds in type order");
    close(&it);
}

Test(chunk_summary, nans_bound_a_page_of_nans_in_total_order) {
    fixture it = open("required double a;", LAM_META_COLUMN_ORDER_IEEE_754_TOTAL);
    add_page(&it, (const double[]){1.0, NAN, -0.0}, 3, 0, 1);
    add_page(&it, (const double[]){NAN, -NAN}, 2, 0, 1);
    lam_meta_column_index index = column_index(&it);
    cr_expect(signbit(double_of(index.min_values.items[0])));
    cr_expect_eq(double_of(index.max_values.items[0]), 1.0);
    cr_expect(isnan(double_of(index.min_values.items[1])));
    cr_expect(signbit(double_of(index.min_values.items[1])));
    cr_expect(isnan(double_of(index.max_values.items[1])));
    close(&it);
}

Test(chunk_summary, columns_without_an_order_have_counts_only) {
    fixture it =
        open("required fixed_len_byte_array(12) a (INTERVAL);", LAM_META_COLUMN_ORDER_TYPE);
    add_page(&it, "twelve bytes", 1, 0, 1);
    cr_expect_not(has_column_index(&it));
    cr_expect_eq(statistics(&it).has, (uint32_t)LAM_META_STATISTICS_HAS_NULL_COUNT);
    close(&it);
}

Test(chunk_summary, long_strings_are_cut_and_said_to_be_inexact) {
    fixture it = open("required binary a (STRING);", LAM_META_COLUMN_ORDER_TYPE);
    const char *strings[] = {"aaaaaaaaaaaa", "short"};
    lam_bytes values[2];
    for (size_t i = 0; i < 2; i++)
        values[i] = (lam_bytes){(const uint8_t *)strings[i], strlen(strings[i])};
    add_page(&it, values, 2, 0, 1);
    lam_meta_statistics chunk = statistics(&it);
    cr_expect_eq(chunk.min_value.size, 8);
    cr_expect_not(chunk.is_min_value_exact);
    cr_expect(chunk.is_max_value_exact);
    lam_meta_size_statistics sizes;
    cr_assert_eq(lam_chunk_summary_sizes(&it.summary, &it.arena, &sizes, NULL), LAM_STATUS_OK);
    cr_expect_eq(sizes.unencoded_byte_array_data_bytes, 17);
    close(&it);
}

Test(chunk_summary, bounds_that_cannot_be_cut_and_are_long_are_left_out) {
    static uint8_t long_text[5000];
    fixture it = open("required binary a (JSON);", LAM_META_COLUMN_ORDER_TYPE);
    lam_bytes value = {long_text, sizeof long_text};
    add_page(&it, &value, 1, 0, 1);
    cr_expect_not(has_column_index(&it));
    cr_expect_eq(statistics(&it).has & LAM_META_STATISTICS_HAS_MIN_VALUE, 0u);
    close(&it);
    it = open("required binary a (JSON);", LAM_META_COLUMN_ORDER_TYPE);
    const lam_bytes one_is_short[] = {{NULL, 0}, value};
    add_page(&it, one_is_short, 2, 0, 1);
    cr_expect_not(has_column_index(&it));
    cr_expect_eq(statistics(&it).has & LAM_META_STATISTICS_HAS_MAX_VALUE, 0u);
    close(&it);
}

Test(chunk_summary, more_entries_than_memory_has_room_for_are_refused) {
    fixture it = open("required fixed(4) a;", LAM_META_COLUMN_ORDER_TYPE);
    lam_dictionary dictionary = {NULL, SIZE_MAX};
    lam_error error = lam_error_none();
    cr_expect_eq(
        lam_chunk_summary_add_indexes(&it.summary, &dictionary, NULL, SIZE_MAX / 2, &error),
        LAM_STATUS_NOMEM);
    cr_expect_eq(error.status, LAM_STATUS_NOMEM);
    close(&it);
}

Test(chunk_summary, nested_columns_have_histograms_of_levels) {
    fixture it = open("optional group a { repeated int32 b; }", LAM_META_COLUMN_ORDER_TYPE);
    const uint8_t repetition[] = {0, 1, 1, 0, 0}, definition[] = {2, 2, 2, 1, 0};
    const int32_t values[] = {1, 2, 3};
    lam_triples triples = {5, 3, repetition, definition, values};
    lam_chunk_summary_add_levels(&it.summary, &triples);
    cr_assert_eq(lam_chunk_summary_add_values(&it.summary, values, 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_chunk_summary_end_page(&it.summary, 3, 0, 1, NULL), LAM_STATUS_OK);
    lam_meta_column_index index = column_index(&it);
    const int64_t *r = index.repetition_level_histograms.items;
    const int64_t *d = index.definition_level_histograms.items;
    cr_expect(index.repetition_level_histograms.count == 2 && r[0] == 3 && r[1] == 2);
    cr_expect(index.definition_level_histograms.count == 3 && d[0] == 1 && d[1] == 1 && d[2] == 3);
    lam_meta_size_statistics sizes;
    cr_assert_eq(lam_chunk_summary_sizes(&it.summary, &it.arena, &sizes, NULL), LAM_STATUS_OK);
    cr_expect_eq(sizes.definition_level_histogram.items[2], 3);
    close(&it);
}

static bool equal_bytes(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Strings and doubles, NaNs and zeros among them. */
static void fill_values(lam_random *random, bool strings, size_t count, lam_bytes *texts,
                        double *numbers) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const double pool[] = {0.0, -0.0, 1.5, -2.0, INFINITY};
    for (size_t i = 0; i < count; i++) {
        size_t from = (size_t)lam_random_below(random, 16);
        if (strings)
            texts[i] =
                (lam_bytes){(const uint8_t *)letters + from, (size_t)lam_random_below(random, 10)};
        else
            numbers[i] = lam_random_below(random, 4) == 0 ? NAN : pool[lam_random_below(random, 5)];
    }
}

Test(chunk_summary, indexes_into_a_dictionary_say_what_the_values_say) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 300; round++) {
        bool strings = lam_random_below(&random, 2) == 0;
        int32_t order = !strings && lam_random_below(&random, 2) == 0
                            ? LAM_META_COLUMN_ORDER_IEEE_754_TOTAL
                            : LAM_META_COLUMN_ORDER_TYPE;
        const char *field = strings ? "required binary a (STRING);" : "required double a;";
        fixture plain = open(field, order), coded = open(field, order);
        lam_bytes entries[20], texts[MOST];
        double number_entries[20], numbers[MOST];
        fill_values(&random, strings, 20, entries, number_entries);
        lam_dictionary dictionary = {strings ? (const void *)entries : number_entries, 20};
        for (int page = 0; page < 3; page++) {
            uint32_t indexes[MOST];
            size_t count = (size_t)lam_random_below(&random, MOST);
            for (size_t i = 0; i < count; i++) {
                indexes[i] = (uint32_t)lam_random_below(&random, 20);
                texts[i] = entries[indexes[i]];
                numbers[i] = number_entries[indexes[i]];
            }
            add_page(&plain, strings ? (const void *)texts : numbers, count, 0, 1);
            lam_triples triples = {count, count, NULL, NULL, NULL};
            lam_chunk_summary_add_levels(&coded.summary, &triples);
            cr_assert_eq(
                lam_chunk_summary_add_indexes(&coded.summary, &dictionary, indexes, count, NULL),
                LAM_STATUS_OK);
            cr_assert_eq(lam_chunk_summary_end_page(&coded.summary, count, 0, 1, NULL),
                         LAM_STATUS_OK);
        }
        lam_meta_statistics a = statistics(&plain), b = statistics(&coded);
        cr_assert_eq(a.has, b.has);
        cr_assert_eq(a.nan_count, b.nan_count);
        cr_assert(equal_bytes(a.min_value, b.min_value) && equal_bytes(a.max_value, b.max_value));
        cr_assert_eq(plain.summary.chunk.byte_count, coded.summary.chunk.byte_count);
        cr_assert_eq(has_column_index(&plain), has_column_index(&coded));
        close(&plain);
        close(&coded);
    }
}

Test(chunk_summary, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    const char *field = "required binary a (STRING);";
    const lam_bytes value = {(const uint8_t *)"a string", 8};
    lam_schema *schema = lam_test_parse(field);
    bool done = false;
    for (size_t nth = 1; !done; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_chunk_summary summary;
        lam_arena arena;
        lam_meta_statistics found;
        lam_arena_init(&arena, &allocator, 0);
        lam_triples triples = {1, 1, NULL, NULL, &value};
        lam_status status =
            lam_chunk_summary_init(&summary, lam_kernels_get(), lam_schema_leaf(schema, 0),
                                   LAM_META_COLUMN_ORDER_TYPE, 8, &allocator, NULL);
        if (status == LAM_STATUS_OK) {
            lam_chunk_summary_add_levels(&summary, &triples);
            status = lam_chunk_summary_add_values(&summary, &value, 1, NULL);
        }
        if (status == LAM_STATUS_OK)
            status = lam_chunk_summary_end_page(&summary, 1, 0, 1, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_chunk_summary_statistics(&summary, &arena, &found, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        done = status == LAM_STATUS_OK;
        lam_chunk_summary_finish(&summary);
        lam_arena_finish(&arena);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert_eq(failing.wrong_sizes, 0);
        cr_assert(nth < 100);
    }
    lam_schema_destroy(schema);
}
