/* SPDX-License-Identifier: Apache-2.0 */
/* Page indexes that are not true. */
#include <lamella/writer.h>
#include <math.h>

#include "check/forge_pages.h"

FORGED(check_index, a_location_that_points_elsewhere_is_found, "offset-index-location",
       id->locations[1].offset++)
FORGED(check_index, a_location_of_another_size_is_found, "offset-index-location",
       id->locations[2].compressed_page_size--)
FORGED(check_index, a_first_row_that_is_not_is_found, "offset-index-rows",
       tags->locations[1].first_row_index = 24)
FORGED(check_index, first_rows_must_rise, "offset-index-rows",
       tags->locations[2].first_row_index = 25)
FORGED(check_index, a_location_too_few_is_found, "offset-index-pages",
       id->offset_index.page_locations.count = 2;
       id->column_index.null_pages.count = 2; id->column_index.min_values.count = 2;
       id->column_index.max_values.count = 2; id->column_index.null_counts.count = 2;
       id->column_index.repetition_level_histograms.count = 2;
       id->column_index.definition_level_histograms.count = 2)
FORGED(check_index, sizes_of_byte_arrays_are_counted, "unencoded-bytes", name->page_bytes[1]++)
FORGED(check_index, sizes_of_byte_arrays_are_one_per_page, "offset-index-pages",
       name->offset_index.unencoded_byte_array_data_bytes.count = 2)

FORGED(check_index, both_indexes_have_the_same_pages, "column-index-pages",
       id->column_index.null_pages.count = 2;
       id->column_index.min_values.count = 2; id->column_index.max_values.count = 2;
       id->column_index.null_counts.count = 2;
       id->column_index.repetition_level_histograms.count = 2;
       id->column_index.definition_level_histograms.count = 2)
FORGED(check_index, each_list_has_one_element_per_page, "column-index-pages",
       id->column_index.max_values.count = 2)
FORGED(check_index, null_counts_have_one_element_per_page, "column-index-pages",
       id->column_index.null_counts.count = 2)
FORGED(check_index, histograms_have_one_element_per_page_and_level, "column-index-pages",
       tags->column_index.definition_level_histograms.count = 3)
FORGED(check_index, a_page_with_values_is_no_null_page, "null-pages", x->null_pages[1] = true)
FORGED(check_index, null_counts_are_counted, "null-count", name->null_counts[2]++)
FORGED(check_index, nan_counts_are_counted, "nan-count", x->nan_counts[1] = 1)
FORGED(check_index, a_value_below_a_page_minimum_is_found, "min-value",
       name->min_values[1] = forge_text("n01"))
FORGED(check_index, a_value_above_a_page_maximum_is_found, "max-value",
       name->max_values[1] = forge_text("n05"))
FORGED(check_index, shortened_bounds_are_bounds, "", name->min_values[1] = forge_text("n");
       name->max_values[1] = forge_text("o"))
FORGED(check_index, bounds_of_pages_are_in_the_stated_order, "boundary-order",
       name->column_index.boundary_order = LAM_META_BOUNDARY_ASCENDING;
       name->min_values[1] = forge_text("m"))
FORGED(check_index, ascending_bounds_are_not_descending, "boundary-order",
       id->column_index.boundary_order = LAM_META_BOUNDARY_DESCENDING)
FORGED(check_index, an_order_that_does_not_exist_is_found, "boundary-order",
       id->column_index.boundary_order = 3)
FORGED(check_index, page_histograms_are_counted, "level-histogram", tags->page_definition[5]++)
FORGED(check_index, page_repetition_histograms_are_counted, "level-histogram",
       tags->page_repetition[1]++)

/* --- Where they are ------------------------------------------------------------------------- */

static void expect_moved(rich_file *file, const char *rules) {
    lam_error error = lam_error_none();
    cr_assert_eq(lam_footer_write(&file->meta, &file->data, &error), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(file->data.data, file->data.size, NULL);
    cr_assert_str_eq(found.rules, rules, "expected '%s', found '%s': %s", rules, found.rules,
                     found.first);
    rich_file_finish(file);
}

/* A file with indexes whose footer is still open. */
static rich_chunk *open_end(rich_file *file) {
    lam_writer_options options = forge_options(2, true, true);
    rich_file_init(file, &options);
    rich_file_end(file);
    uint8_t *tail = file->data.data + file->data.size - 8;
    file->data.size -= 8 + (tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16);
    return file->chunks[0];
}

Test(check_index, an_index_behind_the_footer_is_out_of_range) {
    rich_file file;
    rich_chunk *chunks = open_end(&file);
    chunks[RICH_ID].chunk->offset_index_offset = (int64_t)file.data.size;
    expect_moved(&file, "index-range");
}

Test(check_index, an_index_of_no_bytes_is_out_of_range) {
    rich_file file;
    rich_chunk *chunks = open_end(&file);
    chunks[RICH_ID].chunk->column_index_length = 0;
    expect_moved(&file, "index-range");
}

Test(check_index, an_index_cut_short_does_not_end) {
    rich_file file;
    rich_chunk *chunks = open_end(&file);
    chunks[RICH_ID].chunk->column_index_length -= 3;
    chunks[RICH_X].chunk->offset_index_length -= 3;
    expect_moved(&file, "column-index offset-index");
}

Test(check_index, a_length_beyond_the_index_is_a_slip_and_an_overlap) {
    rich_file file;
    rich_chunk *chunks = open_end(&file);
    chunks[RICH_ID].chunk->column_index_length += 1;
    expect_moved(&file, "index-length range-overlap");
}

Test(check_index, a_column_index_wants_an_offset_index) {
    rich_file file;
    rich_chunk *chunks = open_end(&file);
    chunks[RICH_ID].chunk->has &= ~(uint32_t)(LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                                              LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH);
    expect_moved(&file, "offset-index-missing");
}

/* --- Pages without values ------------------------------------------------------------------- */

/* pyarrow writes pages without values, whose first row is that of the next page: it was an
 * error. */
Test(check_index, a_page_without_values_has_the_first_row_of_the_next_page) {
    static const uint8_t numbers[12];
    lam_page_sections sections = {
        .value_count = 3, .row_count = 3, .values = {numbers, sizeof numbers}};
    lam_page_sections empty = {0};
    for (int64_t last = 5; last <= 7; last++) {
        forge_pages forge;
        forge_pages_start(&forge, "message m { required int32 a; }", 1);
        forge_pages_add(&forge, &empty, 0);
        forge_pages_add(&forge, &sections, 0);
        forge_pages_add(&forge, &empty, 3);
        forge_pages_add(&forge, &sections, 3);
        forge_pages_add(&forge, &empty, last);
        forge.has_index = true;
        forge_pages_expect(&forge, 6, 6, last == 6 ? "" : "offset-index-rows", last != 6);
    }
}
FORGED(check_index, minima_have_one_element_per_page, "column-index-pages",
       x->column_index.min_values.count--)
FORGED(check_index, nan_counts_have_one_element_per_page, "column-index-pages",
       x->column_index.nan_counts.count--)
FORGED(check_index, locations_that_fall_twice_are_told_once, "offset-index-location",
       id->locations[1].offset = id->locations[0].offset;
       id->locations[2].offset = 4)
FORGED(check_index, rows_that_fall_twice_are_told_once, "offset-index-rows",
       id->locations[1].first_row_index = 50;
       id->locations[2].first_row_index = 20)
FORGED(check_index, a_nan_is_in_any_order, "bound-nan",
       x->min_values[1] = forge_double(file, (double)NAN))
FORGED(check_index, a_nan_before_is_in_any_order, "bound-nan",
       x->min_values[0] = x->max_values[0] = forge_double(file, (double)NAN))
FORGED(check_index, bounds_of_another_size_have_no_order, "bound-size",
       x->min_values[1] = forge_text("abc"))
FORGED(check_index, bounds_without_bytes_are_told, "bound-size",
       x->min_values[1] = x->max_values[1] = forge_text(""))
FORGED(check_index, maxima_without_bytes_are_told, "bound-size", x->max_values[1] = forge_text(""))
FORGED(check_index, empty_bounds_of_text_are_told, "max-value",
       name->min_values[1] = name->max_values[1] = forge_text(""))
FORGED(check_index, null_pages_are_as_many_as_pages, "column-index-pages offset-index-pages",
       id->column_index.null_pages.count--;
       id->column_index.min_values.count--; id->column_index.max_values.count--;
       id->column_index.null_counts.count--; id->offset_index.page_locations.count--)

FORGED(check_index, first_rows_that_fall_twice_are_told_once, "offset-index-rows",
       id->locations[1].first_row_index = -1;
       id->locations[2].first_row_index = -2)

/* Readers look for a page with both indexes, so that one alone is told, and looked at. */
Test(check_index, a_lone_column_index_has_all_pages) {
    rich_file file;
    lam_writer_options options = forge_options(2, true, true);
    rich_file_init(&file, &options);
    rich_chunk *id = &file.chunks[0][RICH_ID];
    id->column_index.null_pages.count--;
    id->column_index.min_values.count--;
    id->column_index.max_values.count--;
    id->column_index.null_counts.count--;
    id->column_index.repetition_level_histograms.count--;
    id->column_index.definition_level_histograms.count--;
    rich_file_end(&file);
    uint8_t *tail = file.data.data + file.data.size - 8;
    file.data.size -= 8 + (tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16);
    id->chunk->has &= ~(uint32_t)(LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH);
    expect_moved(&file, "offset-index-missing column-index-pages");
}
