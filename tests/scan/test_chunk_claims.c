/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements about one chunk, in memory: each case changes one statement of a sound chunk of ten
 * rows, and says what of it is believed after that.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/known_faults.h"
#include "scan/prune/chunk_sanity.h"
#include "support/test_file.h"

TestSuite(chunk_claims);

static const char SHAPE[] =
    "required int64 id; optional double x; repeated int32 tags; required boolean flag;"
    "optional binary name (STRING); required fixed_len_byte_array(12) i (INTERVAL);"
    "required int32 u (INTEGER(32,false)); optional float f;";

enum { ID, X, TAGS, FLAG, NAME, INTERVAL, UNSIGNED, F };
enum { ROWS = 10, PAGES = 2, NUMBERS = 40 };

#define HAS(FIELD) ((uint32_t)LAM_META_STATISTICS_HAS_##FIELD)
#define INDEX_HAS(FIELD) ((uint32_t)LAM_META_COLUMN_INDEX_HAS_##FIELD)

/* A chunk of ten rows in two pages of five each, and all that is stated about it. */
typedef struct claimed {
    lam_schema *schema;
    lam_chunk_claims claims;
    lam_meta_column column;
    lam_meta_statistics statistics;
    lam_meta_size_statistics sizes;
    int64_t repetition[2], definition[2];
    int32_t encodings[1];
    lam_meta_page_encoding_stats encoding_stats[3];
    lam_chunk_range range;
    lam_meta_offset_index offsets;
    lam_meta_page_location locations[PAGES];
    int64_t unencoded[PAGES];
    lam_meta_column_index index;
    bool null_pages[PAGES];
    lam_bytes mins[PAGES], maxs[PAGES];
    int64_t nulls[PAGES], nans[PAGES], page_repetition[2 * PAGES], page_definition[2 * PAGES];
    uint8_t numbers[NUMBERS][8];
    size_t number_count;
} claimed;

static uint8_t *next_number(claimed *c) {
    cr_assert_lt(c->number_count, NUMBERS);
    return c->numbers[c->number_count++];
}

static lam_bytes whole(claimed *c, int64_t number, size_t size) {
    uint8_t *bytes = next_number(c);
    lam_store_le64(bytes, (uint64_t)number);
    return (lam_bytes){bytes, size};
}

static lam_bytes real(claimed *c, double number) {
    uint8_t *bytes = next_number(c);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    lam_store_le64(bytes, bits);
    return (lam_bytes){bytes, 8};
}

static lam_bytes text(const char *letters) {
    return (lam_bytes){(const uint8_t *)letters, strlen(letters)};
}

/* A bound of a leaf that is higher for a higher number: 1 to 9, or 0 and 1 of a BOOLEAN. */
static lam_bytes bound(claimed *c, int leaf, int number) {
    static const char *const texts[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    uint32_t bits;
    float single = (float)number;
    memcpy(&bits, &single, sizeof bits);
    switch (leaf) {
    case ID:
        return whole(c, number, 8);
    case X:
        return real(c, number);
    case F:
        return whole(c, bits, 4);
    case FLAG:
        return whole(c, number > 5, 1);
    case NAME:
        return text(texts[number]);
    case INTERVAL:
        return text("twelve bytes");
    default:
        return whole(c, number, 4);
    }
}

static void start_pages(claimed *c, int leaf) {
    bool repeats = leaf == TAGS, has_nulls = c->claims.leaf->max_definition > 0;
    c->range = (lam_chunk_range){100, 60, 0};
    c->offsets.page_locations = (lam_meta_page_location_list){c->locations, PAGES};
    c->column.data_page_offset = 100;
    for (int page = 0; page < PAGES; page++) {
        c->locations[page] = (lam_meta_page_location){0, 30, 100 + 30 * page, 5 * page};
        c->mins[page] = bound(c, leaf, 1 + 4 * page);
        c->maxs[page] = bound(c, leaf, 4 + 5 * page);
        c->nulls[page] = has_nulls ? 1 : 0;
        c->nans[page] = page == 0 ? 1 : 0;
        c->page_repetition[2 * page] = 5;
        c->page_repetition[2 * page + 1] = repeats ? 2 : 0;
        c->page_definition[2 * page] = 1;
        c->page_definition[2 * page + 1] = repeats ? 6 : 4;
    }
    c->index.has = INDEX_HAS(NULL_COUNTS);
    c->index.boundary_order = LAM_META_BOUNDARY_ASCENDING;
    c->index.null_pages.items = c->null_pages;
    c->index.null_pages.count = PAGES;
    c->index.min_values = (lam_meta_bytes_list){c->mins, PAGES};
    c->index.max_values = (lam_meta_bytes_list){c->maxs, PAGES};
    c->index.null_counts = (lam_meta_i64_list){c->nulls, PAGES};
    if (repeats)
        c->index.repetition_level_histograms = (lam_meta_i64_list){c->page_repetition, 2 * PAGES};
    if (has_nulls)
        c->index.definition_level_histograms = (lam_meta_i64_list){c->page_definition, 2 * PAGES};
    if (leaf == X || leaf == F) {
        c->index.has |= INDEX_HAS(NAN_COUNTS);
        c->index.nan_counts = (lam_meta_i64_list){c->nans, PAGES};
    }
}

static void start(claimed *c, int leaf) {
    memset(c, 0, sizeof *c);
    c->schema = lam_test_parse(SHAPE);
    c->claims.leaf = lam_schema_leaf(c->schema, (size_t)leaf);
    c->claims.column = &c->column;
    c->claims.order = lam_value_order_of(c->claims.leaf, LAM_META_COLUMN_ORDER_TYPE);
    c->claims.row_count = ROWS;
    c->column.num_values = leaf == TAGS ? 14 : ROWS;
    c->column.statistics = &c->statistics;
    c->column.size_statistics = &c->sizes;
    c->statistics.has = HAS(NULL_COUNT) | HAS(MIN_VALUE) | HAS(MAX_VALUE);
    c->statistics.null_count = c->claims.leaf->max_definition > 0 ? 2 : 0;
    c->statistics.min_value = bound(c, leaf, 1);
    c->statistics.max_value = bound(c, leaf, 9);
    if (leaf == X || leaf == F) {
        c->statistics.has |= HAS(NAN_COUNT);
        c->statistics.nan_count = 1;
    }
    c->repetition[0] = ROWS;
    c->repetition[1] = 4;
    c->definition[0] = c->statistics.null_count;
    c->definition[1] = c->column.num_values - c->definition[0];
    if (leaf == TAGS)
        c->sizes.repetition_level_histogram = (lam_meta_i64_list){c->repetition, 2};
    if (c->claims.leaf->max_definition > 0)
        c->sizes.definition_level_histogram = (lam_meta_i64_list){c->definition, 2};
    start_pages(c, leaf);
}

static void finish(claimed *c) {
    lam_schema_destroy(c->schema);
}

/* --- Statistics ---------------------------------------------------------------------------- */

/* "t", "n", "a" and "b": triples, nulls, NaNs and bounds are believed. */
static void expect_facts(claimed *c, const char *believed, const char *what) {
    lam_filter_facts facts = lam_chunk_statistics_facts(&c->claims);
    char found[8];
    snprintf(found, sizeof found, "%s%s%s%s", facts.triple_count >= 0 ? "t" : "",
             facts.null_count >= 0 ? "n" : "", facts.nan_count >= 0 ? "a" : "",
             facts.has_bounds ? "b" : "");
    cr_expect_str_eq(found, believed, "%s: '%s', not '%s'", what, found, believed);
    finish(c);
}

#define FACTS(LEAF, BELIEVED, ...)                                                                 \
    do {                                                                                           \
        claimed c;                                                                                 \
        start(&c, LEAF);                                                                           \
        __VA_ARGS__;                                                                               \
        expect_facts(&c, BELIEVED, #LEAF ": " #__VA_ARGS__);                                       \
    } while (0)

/* The deprecated bounds beside the newer ones, or instead of them. */
static void add_old(claimed *c, int leaf, int min, int max) {
    c->statistics.has |= HAS(MIN) | HAS(MAX);
    c->statistics.min = bound(c, leaf, min);
    c->statistics.max = bound(c, leaf, max);
}

static void only_old(claimed *c, int leaf) {
    add_old(c, leaf, 1, 9);
    c->statistics.has &= ~(HAS(MIN_VALUE) | HAS(MAX_VALUE));
}

Test(chunk_claims, counts_go_with_rows_and_levels) {
    FACTS(ID, "tnb", (void)0);
    FACTS(X, "tnab", (void)0);
    FACTS(TAGS, "tnb", (void)0);
    FACTS(ID, "", c.column.num_values = -1);
    FACTS(ID, "", c.column.num_values = 9);
    FACTS(TAGS, "", c.column.num_values = 9);
    FACTS(ID, "t", c.column.statistics = NULL);
    FACTS(X, "tnab", c.column.size_statistics = NULL);
    FACTS(ID, "t", c.statistics.null_count = -1);
    FACTS(ID, "t", c.statistics.null_count = 11);
    FACTS(ID, "t", c.statistics.null_count = 1);
    FACTS(X, "t", c.statistics.null_count = 3);
    FACTS(X, "t", c.statistics.null_count = ROWS);
    FACTS(X, "tab", c.statistics.has &= ~HAS(NULL_COUNT));
    FACTS(TAGS, "t", c.sizes.repetition_level_histogram.count = 1);
    FACTS(TAGS, "t", c.repetition[1] = 5);
    FACTS(TAGS, "t", c.repetition[0] = 9; c.repetition[1] = 5);
    FACTS(X, "t", c.sizes.definition_level_histogram.count = 1);
    FACTS(X, "t", c.definition[1] = 9);
    FACTS(X, "t", c.definition[0] = -2; c.definition[1] = 12);
    FACTS(NAME, "tnb", (void)0);
    FACTS(NAME, "tb", c.claims.faults = LAM_FAULT_NULL_COUNTS);
    FACTS(NAME, "tn", c.claims.faults = LAM_FAULT_BYTE_BOUNDS);
    FACTS(TAGS, "tn", c.claims.faults = LAM_FAULT_LIST_BOUNDS);
    FACTS(NAME, "tnb", c.claims.faults = LAM_FAULT_LIST_BOUNDS);
}

Test(chunk_claims, nans_go_with_values_and_bounds) {
    FACTS(X, "t", c.statistics.nan_count = -1);
    FACTS(X, "t", c.statistics.nan_count = 9);
    FACTS(X, "t", c.statistics.nan_count = 8);
    FACTS(X, "tnb", c.statistics.has &= ~HAS(NAN_COUNT));
    FACTS(X, "tna", c.statistics.min_value = real(&c, (double)NAN));
    FACTS(X, "tna", c.statistics.max_value = real(&c, (double)NAN));
    FACTS(X, "t", c.statistics.min_value = real(&c, (double)NAN); c.statistics.nan_count = 0);
    FACTS(X, "t", c.statistics.max_value = real(&c, (double)NAN); c.statistics.nan_count = 0);
    FACTS(X, "tna", c.statistics.nan_count = 8;
          c.statistics.min_value = c.statistics.max_value = real(&c, (double)NAN));
    FACTS(F, "tnab", (void)0);
}

Test(chunk_claims, bounds_are_values_of_the_column_in_order) {
    FACTS(ID, "t", c.statistics.min_value.size = 7);
    FACTS(ID, "t", c.statistics.max_value.size = 7);
    FACTS(ID, "t", c.statistics.max_value = bound(&c, ID, 0));
    FACTS(ID, "tn", c.statistics.has &= ~HAS(MAX_VALUE));
    FACTS(ID, "tn", c.statistics.has &= ~HAS(MIN_VALUE));
    FACTS(ID, "t", c.statistics.has &= ~HAS(MAX_VALUE); c.statistics.min_value.size = 9);
    FACTS(ID, "t", c.statistics.has &= ~HAS(MIN_VALUE); c.statistics.max_value.size = 9);
    FACTS(FLAG, "tnb", (void)0);
    FACTS(FLAG, "t", c.statistics.max_value = whole(&c, 2, 1));
    FACTS(INTERVAL, "tn", (void)0);
    FACTS(INTERVAL, "tn", c.statistics.min_value.size = 3);
}

Test(chunk_claims, deprecated_bounds_count_where_the_order_is_signed) {
    FACTS(ID, "tnb", add_old(&c, ID, 1, 9));
    FACTS(TAGS, "tnb", add_old(&c, TAGS, 1, 9));
    FACTS(FLAG, "tnb", add_old(&c, FLAG, 1, 9));
    FACTS(ID, "t", add_old(&c, ID, 2, 9));
    FACTS(TAGS, "t", add_old(&c, TAGS, 1, 8));
    FACTS(FLAG, "t", add_old(&c, FLAG, 9, 9));
    FACTS(ID, "t", add_old(&c, ID, 1, 9); c.statistics.min.size = 4);
    FACTS(ID, "t", add_old(&c, ID, 1, 9); c.statistics.max.size = 4);
    FACTS(X, "tnab", add_old(&c, X, 5, 2)); /* they mean something else */
    FACTS(NAME, "tnb", add_old(&c, NAME, 5, 2));
    FACTS(ID, "tnb", only_old(&c, ID));
    FACTS(TAGS, "tnb", only_old(&c, TAGS));
    FACTS(FLAG, "tnb", only_old(&c, FLAG));
    FACTS(X, "tna", only_old(&c, X));
    FACTS(NAME, "tn", only_old(&c, NAME));
    FACTS(UNSIGNED, "tn", only_old(&c, UNSIGNED));
    FACTS(ID, "tn", only_old(&c, ID); c.statistics.min = bound(&c, ID, 9);
          c.statistics.max = bound(&c, ID, 1));
    FACTS(ID, "tn", only_old(&c, ID); c.statistics.min.size = 3);
    FACTS(ID, "tn", only_old(&c, ID); c.statistics.max.size = 3);
}

/* --- The offset index ---------------------------------------------------------------------- */

#define PAGES_ARE(SANE, ...)                                                                       \
    do {                                                                                           \
        claimed c;                                                                                 \
        start(&c, ID);                                                                             \
        __VA_ARGS__;                                                                               \
        cr_expect_eq(lam_offset_index_is_sane(&c.claims, c.range, &c.offsets), SANE,               \
                     #__VA_ARGS__);                                                                \
        finish(&c);                                                                                \
    } while (0)

/* The chunk begins with a dictionary of ten bytes. */
static void add_dictionary(claimed *c, int32_t encoding) {
    c->range.offset = 90;
    c->range.size = 70;
    c->encodings[0] = encoding;
    c->column.encodings.items = c->encodings;
    c->column.encodings.count = 1;
}

static void add_encoding_stats(claimed *c, int32_t data_pages) {
    c->column.has |= LAM_META_COLUMN_HAS_ENCODING_STATS;
    c->encoding_stats[0].page_type = LAM_PAGE_DICTIONARY;
    c->encoding_stats[0].count = 1;
    c->encoding_stats[1].page_type = LAM_PAGE_DATA;
    c->encoding_stats[1].count = 1;
    c->encoding_stats[2].page_type = LAM_PAGE_DATA_V2;
    c->encoding_stats[2].count = data_pages - 1;
    c->column.encoding_stats = (lam_meta_page_encoding_stats_list){c->encoding_stats, 3};
}

Test(chunk_claims, pages_fill_the_chunk_side_by_side) {
    PAGES_ARE(true, (void)0);
    PAGES_ARE(false, c.claims.faults = LAM_FAULT_OFFSET_INDEX);
    PAGES_ARE(true, c.claims.faults = LAM_FAULT_LIST_PAGES);
    PAGES_ARE(false, c.offsets.page_locations.count = 0);
    PAGES_ARE(false, c.offsets.page_locations.count = 1);
    PAGES_ARE(false, c.locations[0].first_row_index = 1);
    PAGES_ARE(false, c.locations[0].offset = -1);
    PAGES_ARE(false, c.locations[0].offset = 99);
    PAGES_ARE(false, c.locations[0].offset = 101);
    PAGES_ARE(false, c.locations[1].offset = 131);
    PAGES_ARE(false, c.locations[1].compressed_page_size = 0);
    PAGES_ARE(false, c.locations[1].compressed_page_size = 29);
    PAGES_ARE(false, c.locations[1].compressed_page_size = 31);
    PAGES_ARE(false, c.locations[1].first_row_index = 0);
    PAGES_ARE(false, c.locations[1].first_row_index = ROWS);
    PAGES_ARE(true, c.offsets.unencoded_byte_array_data_bytes.items = c.unencoded;
              c.offsets.unencoded_byte_array_data_bytes.count = 2);
    PAGES_ARE(false, c.offsets.unencoded_byte_array_data_bytes.items = c.unencoded;
              c.offsets.unencoded_byte_array_data_bytes.count = 1);
    PAGES_ARE(true, add_encoding_stats(&c, 2));
    PAGES_ARE(false, add_encoding_stats(&c, 3));
}

Test(chunk_claims, a_dictionary_may_be_before_the_first_page) {
    PAGES_ARE(true, add_dictionary(&c, LAM_ENCODING_RLE_DICTIONARY));
    PAGES_ARE(true, add_dictionary(&c, LAM_ENCODING_PLAIN_DICTIONARY));
    PAGES_ARE(false, add_dictionary(&c, LAM_ENCODING_PLAIN));
    PAGES_ARE(true, add_dictionary(&c, LAM_ENCODING_PLAIN);
              c.column.has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET);
    PAGES_ARE(true, add_dictionary(&c, LAM_ENCODING_RLE_DICTIONARY); c.column.data_page_offset = 0);
    PAGES_ARE(true, add_dictionary(&c, LAM_ENCODING_RLE_DICTIONARY);
              c.column.data_page_offset = 90);
    PAGES_ARE(false, add_dictionary(&c, LAM_ENCODING_RLE_DICTIONARY);
              c.column.data_page_offset = 95);
}

/* --- The column index ---------------------------------------------------------------------- */

#define INDEX_IS(SANE, LEAF, ...)                                                                  \
    do {                                                                                           \
        claimed c;                                                                                 \
        start(&c, LEAF);                                                                           \
        __VA_ARGS__;                                                                               \
        lam_page_locations pages = {c.locations, PAGES};                                           \
        cr_expect_eq(lam_column_index_is_sane(&c.claims, pages, &c.index), SANE,                   \
                     #LEAF ": " #__VA_ARGS__);                                                     \
        finish(&c);                                                                                \
    } while (0)

/* A page of nothing but nulls. */
static void make_null_page(claimed *c, int page) {
    c->null_pages[page] = true;
    c->nulls[page] = 5;
    c->nans[page] = 0;
    c->page_definition[2 * page] = 5;
    c->page_definition[2 * page + 1] = 0;
    c->mins[page] = c->maxs[page] = (lam_bytes){NULL, 0};
}

static void swap_pages(claimed *c) {
    lam_bytes min = c->mins[0], max = c->maxs[0];
    c->mins[0] = c->mins[1];
    c->maxs[0] = c->maxs[1];
    c->mins[1] = min;
    c->maxs[1] = max;
}

Test(chunk_claims, every_list_has_an_element_per_page) {
    for (int leaf = ID; leaf <= F; leaf++)
        INDEX_IS(true, leaf, (void)0);
    INDEX_IS(false, ID, c.index.null_pages.count = 1);
    INDEX_IS(false, ID, c.index.min_values.count = 1);
    INDEX_IS(false, ID, c.index.max_values.count = 1);
    INDEX_IS(false, ID, c.index.null_counts.count = 1);
    INDEX_IS(false, X, c.index.nan_counts.count = 3);
    INDEX_IS(false, TAGS, c.index.repetition_level_histograms.count = 3);
    INDEX_IS(false, TAGS, c.index.definition_level_histograms.count = 3);
    INDEX_IS(true, X, c.index.has = 0);
}

Test(chunk_claims, counts_of_a_page_go_with_its_rows) {
    INDEX_IS(false, ID, c.nulls[0] = 1);
    INDEX_IS(false, ID, c.nulls[0] = -1);
    INDEX_IS(false, X, c.nans[0] = -1);
    INDEX_IS(false, X, c.nulls[0] = -2);
    INDEX_IS(false, ID, make_null_page(&c, 0); c.nulls[0] = 0);
    INDEX_IS(true, X, make_null_page(&c, 1));
    INDEX_IS(false, X, make_null_page(&c, 1); c.null_pages[1] = false);
    INDEX_IS(false, X, make_null_page(&c, 1); c.nulls[1] = 6);
    INDEX_IS(false, X, c.nulls[0] = 6);
    INDEX_IS(false, X, c.nulls[0] = 2);
    INDEX_IS(false, X, c.nans[0] = 5);
    INDEX_IS(false, TAGS, make_null_page(&c, 1); c.page_repetition[3] = 0; c.nulls[1] = 4);
    INDEX_IS(true, TAGS, make_null_page(&c, 1); c.page_repetition[3] = 0);
    INDEX_IS(false, TAGS, c.page_repetition[0] = 4);
    INDEX_IS(false, TAGS, c.page_repetition[1] = -1);
    INDEX_IS(false, TAGS, c.page_definition[0] = 2);
    INDEX_IS(false, TAGS, c.page_definition[0] = -1);
    INDEX_IS(true, TAGS, c.index.repetition_level_histograms.count = 0);
    INDEX_IS(false, TAGS, c.index.repetition_level_histograms.count = 0; c.page_definition[1] = -6);
    INDEX_IS(false, TAGS, c.index.repetition_level_histograms.count = 0; c.page_definition[0] = 2);
    INDEX_IS(true, TAGS, c.index.definition_level_histograms.count = 0);
    INDEX_IS(false, X, c.page_definition[0] = 5; c.page_definition[1] = 0; c.index.has = 0);
    INDEX_IS(false, X, c.null_pages[0] = true; c.index.has = 0);
}

Test(chunk_claims, bounds_of_a_page_are_values_in_order) {
    INDEX_IS(false, X, make_null_page(&c, 1); c.mins[1] = bound(&c, X, 1));
    INDEX_IS(false, X, make_null_page(&c, 1); c.maxs[1] = bound(&c, X, 1));
    INDEX_IS(false, ID, c.mins[0].size = 7);
    INDEX_IS(false, ID, c.maxs[0].size = 7);
    INDEX_IS(false, ID, c.maxs[0] = bound(&c, ID, 0));
    INDEX_IS(true, INTERVAL, c.mins[0].size = 3);
    INDEX_IS(true, X, c.index.has = INDEX_HAS(NULL_COUNTS));
    INDEX_IS(true, X, c.mins[0] = real(&c, (double)NAN));
    INDEX_IS(true, X, c.maxs[0] = real(&c, (double)NAN));
    INDEX_IS(false, X, c.maxs[1] = real(&c, (double)NAN));
    INDEX_IS(false, X, c.nans[0] = 4);
    INDEX_IS(true, X, c.nans[0] = 4; c.index.has = INDEX_HAS(NAN_COUNTS));
}

Test(chunk_claims, pages_are_in_the_stated_order) {
    INDEX_IS(false, ID, c.index.boundary_order = -1);
    INDEX_IS(false, ID, c.index.boundary_order = 3);
    INDEX_IS(false, ID, swap_pages(&c));
    INDEX_IS(true, ID, swap_pages(&c); c.index.boundary_order = LAM_META_BOUNDARY_UNORDERED);
    INDEX_IS(true, ID, swap_pages(&c); c.index.boundary_order = LAM_META_BOUNDARY_DESCENDING);
    INDEX_IS(false, ID, c.index.boundary_order = LAM_META_BOUNDARY_DESCENDING);
    INDEX_IS(false, ID, c.maxs[1] = bound(&c, ID, 5); c.maxs[0] = bound(&c, ID, 6));
    INDEX_IS(false, ID, swap_pages(&c); c.index.boundary_order = LAM_META_BOUNDARY_DESCENDING;
             c.maxs[0] = bound(&c, ID, 5); c.maxs[1] = bound(&c, ID, 6));
    INDEX_IS(true, INTERVAL, c.index.boundary_order = LAM_META_BOUNDARY_DESCENDING);
}

/* --- Both ---------------------------------------------------------------------------------- */

#define AGREES(GOOD, LEAF, ...)                                                                    \
    do {                                                                                           \
        claimed c;                                                                                 \
        start(&c, LEAF);                                                                           \
        lam_filter_facts facts = lam_chunk_statistics_facts(&c.claims);                            \
        __VA_ARGS__;                                                                               \
        cr_expect_eq(lam_column_index_agrees(&c.claims, &facts, &c.index), GOOD,                   \
                     #LEAF ": " #__VA_ARGS__);                                                     \
        finish(&c);                                                                                \
    } while (0)

/* Bounds of the pages together, and whether those of the chunk are exact. */
static void set_extremes(claimed *c, const char *min, const char *max, bool is_exact) {
    c->mins[0] = c->mins[1] = text(min);
    c->maxs[0] = c->maxs[1] = text(max);
    c->statistics.has |= HAS(IS_MIN_VALUE_EXACT) | HAS(IS_MAX_VALUE_EXACT);
    c->statistics.is_min_value_exact = c->statistics.is_max_value_exact = is_exact;
}

Test(chunk_claims, pages_and_chunk_count_the_same) {
    for (int leaf = ID; leaf <= F; leaf++)
        AGREES(true, leaf, (void)0);
    AGREES(false, X, c.nulls[0] = 2);
    AGREES(false, X, c.nulls[0] = -1);
    AGREES(false, X, c.nulls[0] = c.nulls[1] = INT64_MAX; facts.null_count = -2 + INT64_MAX);
    AGREES(false, X, c.nans[1] = 1);
    AGREES(true, X, facts.null_count = -1; c.nulls[0] = 2);
    AGREES(true, X, c.index.has = 0; c.nulls[0] = 2; c.nans[0] = 2);
}

Test(chunk_claims, bounds_of_the_pages_are_those_of_the_chunk) {
    AGREES(false, ID, c.mins[0] = bound(&c, ID, 2));
    AGREES(false, ID, c.maxs[1] = bound(&c, ID, 8));
    AGREES(false, ID, c.mins[1] = c.maxs[1] = whole(&c, 12, 8));
    AGREES(false, ID, c.mins[0] = c.maxs[0] = whole(&c, -12, 8));
    AGREES(true, ID, facts.has_bounds = false; c.mins[0] = bound(&c, ID, 2));
    AGREES(false, X, c.null_pages[0] = c.null_pages[1] = true); /* yet the chunk has bounds */
    AGREES(true, X, c.mins[0] = c.mins[1] = real(&c, (double)NAN));
    AGREES(true, X, c.maxs[0] = c.maxs[1] = real(&c, (double)NAN));
    AGREES(true, NAME, set_extremes(&c, "b", "j", true));
    AGREES(true, NAME, set_extremes(&c, "", "k", true));    /* shortened, and raised */
    AGREES(false, NAME, set_extremes(&c, "ba", "j", true)); /* "b" is a value */
    AGREES(true, NAME, set_extremes(&c, "ba", "j", false));
    AGREES(false, NAME, set_extremes(&c, "b", "h", true));
    AGREES(true, NAME, set_extremes(&c, "b", "h", false));
    AGREES(false, NAME, set_extremes(&c, "b", "h", false); facts.max = text("hello"));
    AGREES(true, NAME, set_extremes(&c, "b", "h", false); facts.max = text("ill"));
    AGREES(false, NAME, set_extremes(&c, "", "", false); facts.min = text("")); /* not raised */
    AGREES(true, ID, c.claims.order.comparison = LAM_COMPARISON_UNDEFINED;
           c.mins[0] = bound(&c, ID, 2));
}

Test(chunk_claims, counts_of_pages_beyond_all_numbers_are_no_sum) {
    int64_t counts[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
    AGREES(false, X, c.index.null_counts = (lam_meta_i64_list){counts, 3});
}
