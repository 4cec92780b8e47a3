/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in which everything is said twice: one statement is forged at a time, so that another one
 * stands against it, and no row may be lost. As long as all is true most of it is passed over.
 */
#include "scan/prune/chunk_sanity.h"

#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <math.h>
#include <stdio.h>

#include "check/forge.h"
#include "scan/rows/scan.h"
#include "support/random.h"
#include "support/texts.h"
#include "support/whole_footer.h"

static const char *const conditions[] = LAM_TEXTS(
    "id = 1003", "id >= 1095", "id is null", "name = 'n03'", "name is null", "name is not null",
    "x = -7.5", "x > 30.0", "x is null", "x is not null", "x = 'NaN'", "tags.list.element = 7",
    "tags.list.element > 95", "tags.list.element is null", "id = 1047 and name is not null");
enum { CONDITIONS = sizeof conditions / sizeof conditions[0] };

typedef struct wanted_rows {
    bool rows[RICH_ROWS];
    uint64_t pruned;
} wanted_rows;

/* False when reading fails, which is no row lost. */
static bool find_rows(const lam_reader *reader, const char *condition, bool no_pruning,
                      wanted_rows *found) {
    lam_filter *filter;
    lam_error error = lam_error_none();
    lam_scan scan;
    bool good = true;
    cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL,
                                  NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", condition, error.message);
    memset(found, 0, sizeof *found);
    lam_scan_init(&scan, reader, filter, no_pruning);
    for (size_t group = 0, first = 0; group < RICH_GROUPS && good; group++) {
        good = lam_scan_group(&scan, group, &error) == LAM_STATUS_OK;
        for (size_t i = 0; good && i < lam_row_ranges_count(&scan.ranges); i++) {
            lam_row_range range = lam_row_ranges_at(&scan.ranges, i);
            for (uint64_t row = range.begin; row < range.end; row++)
                found->rows[first + row] = true;
        }
        first += (size_t)reader->footer.meta.row_groups.items[group].num_rows;
    }
    found->pruned = scan.report.rows_pruned;
    lam_scan_finish(&scan);
    lam_filter_destroy(filter);
    return good;
}

/* Puts the file together, demands the same rows with and without pruning; gives how many it
 * saved. */
static uint64_t expect_no_loss(rich_file *file, const char *what) {
    uint64_t pruned = 0;
    rich_file_end(file);
    lam_reader *reader = lam_test_open(file->data.data, file->data.size, NULL);
    for (size_t i = 0; i < CONDITIONS; i++) {
        wanted_rows with, without;
        cr_assert(find_rows(reader, conditions[i], true, &without), "%s: %s", what, conditions[i]);
        if (find_rows(reader, conditions[i], false, &with))
            cr_assert_arr_eq(with.rows, without.rows, sizeof with.rows, "%s: %s", what,
                             conditions[i]);
        pruned += with.pruned;
    }
    lam_reader_close(reader);
    rich_file_finish(file);
    return pruned;
}

static void start(rich_file *file) {
    lam_writer_options options = forge_options(1, false, false);
    rich_file_init(file, &options);
}

Test(chunk_sanity, what_is_true_is_believed) {
    rich_file file;
    start(&file);
    cr_expect_gt(expect_no_loss(&file, "the truth"), 600);
}

/* --- One statement at a time ---------------------------------------------------------------- */

#define LIE(TITLE, ...)                                                                            \
    static void lie_##TITLE(rich_file *file, rich_chunk *id, rich_chunk *name, rich_chunk *tags,   \
                            rich_chunk *x) {                                                       \
        (void)file, (void)id, (void)name, (void)tags, (void)x;                                     \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    Test(chunk_sanity, TITLE) {                                                                    \
        rich_file forged;                                                                          \
        start(&forged);                                                                            \
        rich_chunk *chunks = forged.chunks[0];                                                     \
        lie_##TITLE(&forged, &chunks[RICH_ID], &chunks[RICH_NAME], &chunks[RICH_TAGS],             \
                    &chunks[RICH_X]);                                                              \
        expect_no_loss(&forged, #TITLE);                                                           \
    }

/* A column that has no place for nulls was passed over when its statistics counted nothing else. */
LIE(nulls_of_a_required_column_are_not_believed, id->statistics.null_count = 60;
    id->statistics.has = LAM_META_STATISTICS_HAS_NULL_COUNT; id->column->size_statistics = NULL)
/* Bounds that stand beside nothing but nulls were believed, and the nulls were not. */
LIE(bounds_beside_nothing_but_nulls_are_not_believed, name->statistics.null_count = 60;
    name->statistics.min_value = name->statistics.max_value = forge_text("z");
    name->column->size_statistics = NULL)
/* A page of values was passed over when it counted nothing but nulls. */
LIE(a_page_of_values_is_not_all_null, name->null_counts[0] = 25; name->column->statistics = NULL;
    name->column_index.has = LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS;
    name->column_index.definition_level_histograms.count = 0;
    name->column_index.repetition_level_histograms.count = 0)
/* A page of lists was passed over when it was said to be null and to have no nulls. */
LIE(a_null_page_of_lists_has_nulls, tags->null_counts[0] = 0; tags->null_pages[0] = true;
    tags->min_values[0] = tags->max_values[0] = (lam_bytes){NULL, 0};
    tags->column->statistics = NULL; tags->column->size_statistics = NULL;
    tags->column_index.has = LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS;
    tags->column_index.definition_level_histograms.count = 0;
    tags->column_index.repetition_level_histograms.count = 0)
/* Nulls that only the level histogram knew of were lost. */
LIE(nulls_are_counted_by_levels_too, name->statistics.null_count = 0)
LIE(levels_add_up_to_the_values, name->histograms[4]++)
LIE(rows_are_counted_by_levels_too, tags->histograms[0]--)
LIE(flat_chunks_have_a_value_per_row, id->column->statistics = NULL;
    id->column->size_statistics = NULL; id->statistics.null_count = id->column->num_values;
    file->groups[0].num_rows = 60)
LIE(both_pairs_of_bounds_are_the_same, id->statistics.min = forge_number(file, 5000);
    id->statistics.max = forge_number(file, 6000);
    id->statistics.min_value = id->statistics.max_value = forge_number(file, 5500);
    id->statistics.has |= LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    id->bloom_length = 1)
LIE(a_maximum_of_nan_is_counted, x->statistics.max_value = forge_double(file, (double)NAN);
    x->statistics.nan_count = 0)
LIE(where_all_is_nan_bounds_are, x->statistics.nan_count = 54;
    x->statistics.min_value = x->statistics.max_value = forge_double(file, 1e9))
LIE(bounds_have_the_size_of_their_type, id->statistics.min_value = forge_text("abc");
    id->statistics.null_count = 60)
LIE(a_page_of_which_the_bounds_are_those_of_none_takes_the_index_along,
    name->min_values[1] = forge_text("z");
    name->max_values[2] = forge_text("n00"))
LIE(the_order_of_the_pages_is_the_stated_one,
    name->column_index.boundary_order = LAM_META_BOUNDARY_ASCENDING;
    name->min_values[1] = name->max_values[1] = forge_text("n06");
    name->min_values[2] = forge_text("n00"))
/* Cut to some bytes and not raised, as old parquet-go does: the chunk's maximum goes on. */
LIE(a_cut_upper_bound_is_seen_by_that_of_the_chunk,
    for (size_t i = 0; i < name->pages; i++) name->max_values[i] = forge_text("n0");
    for (size_t i = 0; i < name->pages; i++) name->min_values[i] = forge_text("n");
    name->statistics.has &= ~(uint32_t)LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT)
LIE(pages_lie_side_by_side, id->locations[1].offset++; id->locations[1].compressed_page_size--;
    id->min_values[1] = id->max_values[1] = forge_number(file, 9000))
LIE(the_last_page_is_there, id->offset_index.page_locations.count--;
    id->column_index.null_pages.count--; id->column_index.min_values.count--;
    id->column_index.max_values.count--; id->column_index.null_counts.count--)

/* --- Bloom filters --------------------------------------------------------------------------- */

/* The filter was believed whatever the footer said of its size: 0 rows of 100 were found. */
LIE(a_bloom_filter_has_the_size_that_the_footer_states, id->bloom_length = 256;
    memset(id->bloom, 0, sizeof id->bloom); id->bloom[0] = 1; id->statistics.has = 0;
    for (size_t i = 0; i < id->pages; i++) id->min_values[i] = forge_number(file, 0);
    for (size_t i = 0; i < id->pages; i++) id->max_values[i] = forge_number(file, 9999))
LIE(a_bloom_filter_has_the_bounds_of_its_chunk, memset(id->bloom, 0, sizeof id->bloom);
    id->bloom[0] = 1)
LIE(a_bloom_filter_of_texts_has_exact_bounds, memset(name->bloom, 0, sizeof name->bloom);
    name->bloom[0] = 1)

/* Changes the footer of a finished file. */
static uint64_t with_footer(void (*edit)(rich_file *file), const char *what) {
    rich_file file;
    lam_error error = lam_error_none();
    uint64_t pruned = 0;
    start(&file);
    for (int leaf = 0; leaf < RICH_LEAVES; leaf++)
        file.chunks[0][leaf].column->statistics = NULL;
    rich_file_end(&file);
    lam_input input = lam_input_memory(file.data.data, file.data.size);
    lam_footer footer;
    cr_assert_eq(lam_footer_read(&input, &file.arena, &footer, &error), LAM_STATUS_OK);
    file.data.size = (size_t)footer.offset;
    edit(&file);
    cr_assert_eq(lam_meta_write_file(&file.meta, &file.data, &error), LAM_STATUS_OK);
    size_t size = file.data.size - (size_t)footer.offset;
    uint8_t end[8] = {(uint8_t)size,
                      (uint8_t)(size >> 8),
                      (uint8_t)(size >> 16),
                      (uint8_t)(size >> 24),
                      'P',
                      'A',
                      'R',
                      '1'};
    cr_assert_eq(lam_buffer_append(&file.data, end, 8, &error), LAM_STATUS_OK);
    input = lam_input_memory(file.data.data, file.data.size);
    lam_reader *reader = lam_test_open_input(&input, NULL);
    for (size_t i = 0; i < CONDITIONS; i++) {
        wanted_rows found, all;
        cr_assert(find_rows(reader, conditions[i], true, &all));
        cr_assert(find_rows(reader, conditions[i], false, &found), "%s", conditions[i]);
        cr_assert_arr_eq(found.rows, all.rows, sizeof found.rows, "%s: %s", what, conditions[i]);
        pruned += found.pruned;
    }
    lam_reader_close(reader);
    rich_file_finish(&file);
    return pruned;
}

static void change_nothing(rich_file *file) {
    (void)file;
}

static void move_filter(rich_file *file) {
    lam_meta_column *id = file->chunks[0][RICH_ID].column;
    id->bloom_filter_offset = file->chunks[0][RICH_X].column->bloom_filter_offset;
}

static void move_index(rich_file *file) {
    lam_meta_column_chunk *id = file->chunks[0][RICH_ID].chunk;
    lam_meta_column_chunk *x = file->chunks[0][RICH_X].chunk;
    id->column_index_offset = x->column_index_offset;
    id->column_index_length = x->column_index_length;
}

/* Two columns with one filter, or one column index, were pruned by it both. */
Test(chunk_sanity, an_index_belongs_to_one_chunk) {
    uint64_t truth = with_footer(change_nothing, "the truth");
    with_footer(move_filter, "the filter of another column");
    cr_expect_lt(with_footer(move_index, "the column index of another column"), truth);
}

/* --- Any of them ----------------------------------------------------------------------------- */

static int64_t other_than(lam_random *random, int64_t truth) {
    int64_t number = (int64_t)lam_random_below(random, 70) - 5;
    return number == truth ? number + 1 : number;
}

/* Changes one statement, against which another one stands; false when it came out the same. */
static bool contradict(rich_file *file, lam_random *random) {
    int leaf = (int)lam_random_below(random, RICH_LEAVES);
    rich_chunk *chunk = &file->chunks[lam_random_below(random, RICH_GROUPS)][leaf];
    size_t page = lam_random_below(random, chunk->pages);
    lam_meta_statistics *statistics = &chunk->statistics;
    lam_bytes swapped = statistics->min_value;
    size_t levels = leaf == RICH_TAGS ? 4 : leaf == RICH_ID ? 1 : 2;
    switch (lam_random_below(random, 9)) {
    case 0:
        statistics->null_count = other_than(random, statistics->null_count);
        return true;
    case 1:
        chunk->null_counts[page] = other_than(random, chunk->null_counts[page]);
        return true;
    case 2:
        chunk->null_pages[page] = !chunk->null_pages[page];
        return true;
    case 3: {
        size_t at = 4 + lam_random_below(random, levels);
        chunk->histograms[at] = other_than(random, chunk->histograms[at]);
        return true;
    }
    case 4: {
        size_t at = page * levels + lam_random_below(random, levels);
        chunk->page_definition[at] = other_than(random, chunk->page_definition[at]);
        return true;
    }
    case 5:
        statistics->min_value = statistics->max_value;
        statistics->max_value = swapped;
        return true;
    case 6:
        swapped = chunk->min_values[page];
        chunk->min_values[page] = chunk->max_values[page];
        chunk->max_values[page] = swapped;
        return true;
    case 7:
        chunk->bloom_length = (int32_t)other_than(random, 0);
        memset(chunk->bloom, 0, sizeof chunk->bloom / 2);
        return true;
    default:
        chunk->locations[page].compressed_page_size =
            (int32_t)other_than(random, chunk->locations[page].compressed_page_size);
        return true;
    }
}

Test(chunk_sanity, a_contradiction_anywhere_loses_no_row) {
    uint64_t seed = lam_test_seed(20260601);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 400; round++) {
        rich_file file;
        char what[64];
        start(&file);
        for (uint64_t count = 1 + lam_random_below(&random, 2); count > 0; count--)
            contradict(&file, &random);
        snprintf(what, sizeof what, "seed %llu, round %d", (unsigned long long)seed, round);
        expect_no_loss(&file, what);
    }
}
