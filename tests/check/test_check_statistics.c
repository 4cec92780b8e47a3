/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics that are not true, each found by its own rule. */
#include <lamella/writer.h>
#include <math.h>

#include "check/forge_pages.h"

Test(check_statistics, what_is_true_is_clean_in_every_way_of_writing) {
    for (int way = 0; way < 8; way++) {
        rich_file file;
        lam_writer_options options = forge_options(1 + way % 2, way & 2, way & 4);
        rich_file_init(&file, &options);
        forge_expect(&file, "");
    }
}

FORGED(check_statistics, a_null_count_is_held_against_the_levels, "null-count",
       name->statistics.null_count++)
FORGED(check_statistics, nulls_of_the_leaf_alone_are_a_slip, "null-count-leaf",
       tags->statistics.null_count = tags->histograms[4 + 2])
FORGED(check_statistics, a_null_count_that_is_not_stated_is_nothing, "",
       name->statistics.has &= ~(uint32_t)LAM_META_STATISTICS_HAS_NULL_COUNT)
FORGED(check_statistics, a_nan_count_is_held_against_the_values, "nan-count",
       x->statistics.nan_count = 2)
FORGED(check_statistics, integers_have_no_nan_count, "nan-count",
       id->statistics.has |= LAM_META_STATISTICS_HAS_NAN_COUNT)
FORGED(check_statistics, a_distinct_count_above_the_values_cannot_be, "distinct-count",
       id->statistics.has |= LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
       id->statistics.distinct_count = 61)
FORGED(check_statistics, one_distinct_value_cannot_have_two_bounds, "distinct-count",
       id->statistics.has |= LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
       id->statistics.distinct_count = 1)
FORGED(check_statistics, a_distinct_count_that_can_be_is_taken, "",
       id->statistics.has |= LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
       id->statistics.distinct_count = 60)

/* --- Bounds --------------------------------------------------------------------------------- */

FORGED(check_statistics, a_value_below_the_minimum_is_found, "min-value",
       id->statistics.min_value = forge_number(file, 1001))
FORGED(check_statistics, a_value_above_the_maximum_is_found, "max-value",
       id->statistics.max_value = forge_number(file, 1058))
FORGED(check_statistics, a_bound_that_claims_to_be_exact_must_be, "bound-exact",
       id->statistics.max_value = forge_number(file, 1060))
FORGED(check_statistics, a_bound_that_claims_nothing_may_be_loose, "bound-loose",
       id->statistics.max_value = forge_number(file, 1060);
       id->statistics.has &= ~(uint32_t)LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT)
FORGED(check_statistics, a_bound_that_claims_to_be_loose_may_be, "",
       id->statistics.max_value = forge_number(file, 1060);
       id->statistics.is_max_value_exact = false)
FORGED(check_statistics, shortened_text_bounds_are_bounds, "",
       name->statistics.is_max_value_exact = name->statistics.is_min_value_exact = false;
       name->statistics.min_value = forge_text("n"); name->statistics.max_value = forge_text("o"))
FORGED(check_statistics, text_cut_within_a_character_is_no_text, "bound-form",
       name->statistics.is_max_value_exact = false;
       name->statistics.max_value = forge_text("n\xC3"))
FORGED(check_statistics, text_is_compared_without_signs, "max-value",
       name->statistics.max_value = forge_text("n05\xC3\xBC"))
FORGED(check_statistics, a_bound_has_the_size_of_a_value, "bound-size",
       id->statistics.min_value.size = 4)
FORGED(check_statistics, a_nan_is_no_bound, "bound-nan",
       x->statistics.max_value = forge_double(file, NAN))
/* All levels of the page become one run of 0, and its values are no longer there. */
static void make_null(rich_file *file, const rich_chunk *chunk, size_t page, uint8_t rows) {
    uint8_t *body = forge_page(file, chunk, page, NULL);
    body[0] = 2;
    body[4] = (uint8_t)(rows << 1);
    body[5] = 0;
}

FORGED(check_statistics, a_chunk_of_nulls_has_no_bounds, "null-count bound-without-values",
       file->no_indexes = true;
       x->column->size_statistics = NULL;
       x->statistics.has &= ~(uint32_t)LAM_META_STATISTICS_HAS_NAN_COUNT; make_null(file, x, 0, 25);
       make_null(file, x, 1, 25); make_null(file, x, 2, 10))
FORGED(check_statistics, unsigned_numbers_are_compared_without_signs, "min-value",
       /* As unsigned numbers all ids are above -1. */
       lam_meta_schema_element *element = (lam_meta_schema_element *)&file->meta.schema.items[1];
       lam_meta_logical_type * type;
       cr_assert_eq(lam_arena_alloc(&file->arena, sizeof *type, (void **)&type, NULL),
                    LAM_STATUS_OK);
       memset(type, 0, sizeof *type); type->kind = LAM_META_LOGICAL_INTEGER;
       type->value.integer.bit_width = 64; type->value.integer.is_signed = false;
       element->logical_type = type; element->has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
       element->converted_type = LAM_META_CONVERTED_UINT_64;
       id->statistics.min_value = forge_number(file, UINT64_MAX);
       id->statistics.is_min_value_exact = false)

/* --- Orders --------------------------------------------------------------------------------- */

static void set_order(rich_file *file, int leaf, int32_t kind) {
    ((lam_meta_column_order *)file->meta.column_orders.items)[leaf].kind = kind;
}

FORGED(check_statistics, without_orders_bounds_mean_nothing, "column-orders-missing",
       file->meta.has &= ~(uint32_t)LAM_META_FILE_HAS_COLUMN_ORDERS;
       file->meta.column_orders.count = 0)
FORGED(check_statistics, total_order_knows_nans, "",
       set_order(file, RICH_X, LAM_META_COLUMN_ORDER_IEEE_754_TOTAL))
FORGED(check_statistics, total_order_wants_a_nan_count, "nan-count",
       set_order(file, RICH_X, LAM_META_COLUMN_ORDER_IEEE_754_TOTAL);
       x->statistics.has &= ~(uint32_t)LAM_META_STATISTICS_HAS_NAN_COUNT)
FORGED(check_statistics, an_order_must_go_with_the_type,
       "column-orders bound-undefined sorting-unverified",
       set_order(file, RICH_ID, LAM_META_COLUMN_ORDER_IEEE_754_TOTAL))

/* --- Deprecated bounds ---------------------------------------------------------------------- */

static void set_old_bounds(rich_chunk *chunk, lam_bytes min, lam_bytes max) {
    chunk->statistics.has |= LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    chunk->statistics.min = min;
    chunk->statistics.max = max;
}

FORGED(check_statistics, old_bounds_that_hold_are_clean, "",
       set_old_bounds(id, id->statistics.min_value, id->statistics.max_value);
       set_old_bounds(name, name->statistics.min_value, name->statistics.max_value))
FORGED(check_statistics, old_bounds_that_do_not_hold_are_a_slip, "bound-deprecated",
       set_old_bounds(id, id->statistics.min_value, forge_number(file, 1001)))
FORGED(check_statistics, old_bounds_of_bytes_are_signed, "bound-deprecated",
       set_old_bounds(name, name->statistics.min_value, forge_text("\xC3\xBC")))

/* --- Sizes ---------------------------------------------------------------------------------- */

FORGED(check_statistics, a_definition_histogram_is_held_against_the_levels, "level-histogram",
       tags->histograms[4 + 1]++)
FORGED(check_statistics, a_repetition_histogram_is_held_against_the_levels, "level-histogram",
       tags->histograms[1]--)
FORGED(check_statistics, a_histogram_has_one_element_per_level, "level-histogram",
       tags->sizes.definition_level_histogram.count = 3)
FORGED(check_statistics, unencoded_bytes_are_counted, "unencoded-bytes",
       name->sizes.unencoded_byte_array_data_bytes++)
FORGED(check_statistics, only_byte_arrays_have_unencoded_bytes, "unencoded-bytes",
       id->sizes.has |= LAM_META_SIZE_STATISTICS_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES)
FORGED(check_statistics, a_bound_of_numbers_may_not_be_shorter, "bound-size",
       x->statistics.min_value = forge_text("a"))
FORGED(check_statistics, distinct_values_are_not_less_than_none, "distinct-count",
       id->statistics.has |= LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
       id->statistics.distinct_count = -1)

/* The page of nulls has no values, and its bounds in the index are empty. */
static void null_page(rich_file *file, rich_chunk *x, const char *min, const char *max) {
    forge_say_nothing(file);
    file->no_indexes = false;
    make_null(file, x, 1, 25);
    x->null_pages[1] = true;
    x->min_values[1] = forge_text(min);
    x->max_values[1] = forge_text(max);
    x->null_counts[1] = 25;
    x->page_definition[2] = 25;
    x->page_definition[3] = 0;
}

FORGED(check_statistics, a_page_of_nulls_has_empty_bounds, "", null_page(file, x, "", ""))
FORGED(check_statistics, a_page_of_nulls_has_no_minimum, "bound-without-values",
       null_page(file, x, "12345678", ""))
FORGED(check_statistics, a_page_of_nulls_has_no_maximum, "bound-without-values",
       null_page(file, x, "", "12345678"))

/* --- Chunks by hand -------------------------------------------------------------------------- */

static const lam_meta_statistics *stated;

static void state(lam_meta_column *column) {
    column->statistics = stated;
}

/* One page of values, whose footer states a minimum. */
static void expect_minimum(const char *schema, lam_bytes values, uint32_t count, lam_bytes minimum,
                           const char *rules, const char *words) {
    lam_meta_statistics statistics = {.has = LAM_META_STATISTICS_HAS_MIN_VALUE};
    forge_pages forge;
    lam_page_sections sections = {.value_count = count, .row_count = count, .values = values};
    statistics.min_value = minimum;
    stated = &statistics;
    forge_pages_start(&forge, schema, 1);
    forge_pages_add(&forge, &sections, 0);
    forge.order = LAM_META_COLUMN_ORDER_TYPE;
    forge.change = state;
    lam_buffer file = forge_pages_file(&forge, count, count);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_expect_str_eq(found.rules, rules, "%s", found.first);
    cr_expect(strstr(found.first, words) != NULL, "%s", found.first);
    lam_buffer_finish(&file);
}

/* Bytes of a fixed length may be shortened, and not made longer. */
Test(check_statistics, bounds_of_fixed_bytes_are_not_longer_than_values) {
    static const char fixed[] = "message m { required fixed_len_byte_array(2) a; }";
    lam_bytes values = forge_text("abac");
    expect_minimum(fixed, values, 2, forge_text("ab"), "", "");
    expect_minimum(fixed, values, 2, forge_text("a"), "bound-form", "1 bytes");
    expect_minimum(fixed, values, 2, forge_text("aba"), "bound-size", "3 bytes");
    expect_minimum(fixed, values, 2, forge_text(""), "bound-form", "0 bytes");
}

Test(check_statistics, a_bound_where_all_is_nan_bounds_nothing) {
    static const uint8_t nans[8] = {0, 0, 0xC0, 0x7F, 0, 0, 0xC0, 0x7F};
    static const uint8_t one[4] = {0, 0, 0x80, 0x3F};
    expect_minimum("message m { required float a; }", (lam_bytes){nans, sizeof nans}, 2,
                   (lam_bytes){one, sizeof one}, "bound-without-values", "but NaN");
}
