/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader tells of a file beyond what reading it needs. */
#include <lamella/details.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>

#include <criterion/criterion.h>

#include "file/file_sample.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "stats/wkb_text.h"
#include "support/ending_input.h"
#include "support/whole_footer.h"

#define SCHEMA                                                                                     \
    "message m { required int64 id; optional binary s (STRING); repeated double x;"                \
    "            optional binary g (GEOMETRY); required int96 t; required boolean b; }"

/* A file in memory with some rows, and a reader on it. */
typedef struct details_file {
    lam_trial_output trial;
    lam_reader *reader;
} details_file;

static void write_row(lam_writer *writer, int64_t id) {
    static const uint8_t day[12] = {1};
    lam_buffer wkb;
    lam_allocator allocator = lam_allocator_default();
    const lam_schema *schema = lam_writer_schema(writer);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_buffer_init(&wkb, &allocator);
    wkb_text_append(&wkb, "< 1001 1.0 2.0 3.0");
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    lam_value values[6] = {{.int64 = id},
                           {.bytes = {(const uint8_t *)"abcdef", (size_t)id}},
                           {.float64 = (double)id},
                           {.bytes = lam_buffer_bytes(&wkb)},
                           {.bytes = {day, sizeof day}},
                           {.boolean = id > 1}};
    for (size_t leaf = 0; leaf < 6; leaf++)
        if (leaf != 1 || id != 2)
            cr_assert_eq(sink.put(sink.state, lam_schema_leaf(schema, leaf), values[leaf], NULL),
                         LAM_STATUS_OK);
    cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
    lam_buffer_finish(&wkb);
}

static void open_file(details_file *file) {
    lam_writer_options options = lam_writer_options_default();
    memset(file, 0, sizeof *file);
    options.int96_order = true;
    options.float_total_order = true;
    lam_test_writer written = lam_test_write(SCHEMA, &options);
    cr_assert_eq(lam_writer_add_sorting_column(written.writer, "id", true, false, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_bloom_filter(written.writer, "id", 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_key_value(written.writer, "s", "k", "v", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_key_value(written.writer, "s", "none", NULL, NULL), LAM_STATUS_OK);
    for (int64_t id = 3; id > 0; id--)
        write_row(written.writer, id);
    file->trial.bytes = lam_test_written(&written);
    file->reader = lam_test_open(file->trial.bytes.data, file->trial.bytes.size, NULL);
}

static void close_file(details_file *file) {
    lam_reader_close(file->reader);
    lam_trial_output_free(&file->trial);
}

static lam_chunk_details details_of(const details_file *file, size_t leaf) {
    lam_chunk_details details = lam_chunk_details_default();
    cr_assert_eq(lam_reader_chunk_details(file->reader, 0, leaf, &details, NULL), LAM_STATUS_OK);
    return details;
}

Test(chunk_details, orders_are_those_of_the_columns) {
    static const lam_column_order orders[] = {LAM_COLUMN_ORDER_TYPE,
                                              LAM_COLUMN_ORDER_TYPE,
                                              LAM_COLUMN_ORDER_IEEE_754_TOTAL,
                                              LAM_COLUMN_ORDER_TYPE,
                                              LAM_COLUMN_ORDER_INT96_TIMESTAMP,
                                              LAM_COLUMN_ORDER_TYPE};
    details_file file;
    open_file(&file);
    for (size_t leaf = 0; leaf < 6; leaf++)
        cr_expect_eq(lam_reader_column_order(file.reader, leaf), orders[leaf]);
    cr_expect_eq(lam_reader_column_order(file.reader, 6), LAM_COLUMN_ORDER_UNDEFINED);
    cr_expect_str_eq(lam_column_order_name(LAM_COLUMN_ORDER_INT96_TIMESTAMP),
                     "INT96_TIMESTAMP_ORDER");
    cr_expect_str_eq(lam_column_order_name((lam_column_order)77), "UNDEFINED");
    close_file(&file);
}

Test(chunk_details, an_order_that_is_unknown_is_undefined) {
    static const int32_t kinds[] = {LAM_META_UNION_UNRECOGNIZED, LAM_META_UNION_EMPTY, 4};
    details_file file;
    open_file(&file);
    lam_meta_column_order *orders =
        (lam_meta_column_order *)(uintptr_t)file.reader->footer.meta.column_orders.items;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        orders[0].kind = kinds[i];
        cr_expect_eq(lam_reader_column_order(file.reader, 0), LAM_COLUMN_ORDER_UNDEFINED);
    }
    cr_expect_eq(lam_reader_column_order(file.reader, 1), LAM_COLUMN_ORDER_TYPE);
    close_file(&file);
}

Test(chunk_details, sorting_columns_are_told_one_by_one) {
    details_file file;
    lam_row_group_info group = lam_row_group_info_default();
    lam_sorting_column column = lam_sorting_column_default();
    open_file(&file);
    cr_assert_eq(lam_reader_row_group(file.reader, 0, &group, NULL), LAM_STATUS_OK);
    cr_expect_eq(group.ordinal, 0);
    cr_assert_eq(group.sorting_column_count, 1);
    cr_assert_eq(lam_reader_sorting_column(file.reader, 0, 0, &column, NULL), LAM_STATUS_OK);
    cr_expect(column.leaf_index == 0 && column.descending && !column.nulls_first);
    cr_expect_eq(lam_reader_sorting_column(file.reader, 0, 1, &column, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_reader_sorting_column(file.reader, 1, 0, &column, NULL), LAM_STATUS_INVALID);
    close_file(&file);
}

Test(chunk_details, statistics_and_sizes_are_as_the_file_states_them) {
    details_file file;
    open_file(&file);
    lam_chunk_details s = details_of(&file, 1), x = details_of(&file, 2), b = details_of(&file, 5);
    cr_expect_eq(s.statistics.null_count, 1);
    cr_expect_eq(s.statistics.nan_count, -1);
    cr_expect_eq(s.statistics.min_value.size, 1);
    cr_expect_eq(s.statistics.max_value.size, 3);
    cr_expect_eq(s.statistics.is_max_exact, 1);
    cr_expect_null(s.statistics.old_max.data);
    cr_expect_eq(s.unencoded_bytes, 4);
    cr_expect_eq(s.definition.level_count, 0, "null_count tells the same");
    cr_expect_eq(x.statistics.nan_count, 0);
    cr_expect_eq(x.unencoded_bytes, -1);
    cr_assert_eq(x.repetition.level_count, 2);
    cr_expect(x.repetition.counts[0] == 3 && x.repetition.counts[1] == 0);
    cr_assert_eq(x.definition.level_count, 2);
    cr_expect(x.definition.counts[0] == 0 && x.definition.counts[1] == 3);
    cr_expect(b.offset_index_length > 0 && b.column_index_length > 0);
    cr_expect_eq(b.bloom_filter_length, -1);
    cr_expect_eq(b.file_offset, 0);
    close_file(&file);
}

Test(chunk_details, pages_and_pairs_are_told_one_by_one) {
    details_file file;
    lam_page_count count = lam_page_count_default();
    lam_bytes key, value;
    open_file(&file);
    lam_chunk_details s = details_of(&file, 1);
    cr_assert_eq(s.page_count_count, 1);
    cr_assert_eq(lam_reader_page_count(file.reader, 0, 1, 0, &count, NULL), LAM_STATUS_OK);
    cr_expect(count.page_type == LAM_PAGE_DATA && count.encoding == LAM_ENCODING_PLAIN &&
              count.pages == 1);
    cr_expect_eq(lam_reader_page_count(file.reader, 0, 1, 1, &count, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(s.key_value_count, 2);
    cr_assert_eq(lam_reader_chunk_key_value(file.reader, 0, 1, 0, &key, &value, NULL),
                 LAM_STATUS_OK);
    cr_expect(key.size == 1 && key.data[0] == 'k' && value.size == 1 && value.data[0] == 'v');
    cr_assert_eq(lam_reader_chunk_key_value(file.reader, 0, 1, 1, &key, &value, NULL),
                 LAM_STATUS_OK);
    cr_expect(key.size == 4 && value.data == NULL);
    cr_expect_eq(lam_reader_chunk_key_value(file.reader, 0, 1, 2, &key, &value, NULL),
                 LAM_STATUS_INVALID);
    close_file(&file);
}

Test(chunk_details, geospatial_statistics_have_the_axes_that_are_there) {
    details_file file;
    open_file(&file);
    lam_geospatial_info g = details_of(&file, 3).geospatial;
    cr_assert(g.is_stated && g.has_box);
    for (int axis = 0; axis < 3; axis++)
        cr_expect(g.axes[axis].is_stated && g.axes[axis].least == axis + 1 &&
                  g.axes[axis].most == axis + 1);
    cr_expect_not(g.axes[3].is_stated);
    cr_assert_eq(g.type_count, 1);
    cr_expect_eq(g.types[0], 1001);
    cr_expect_not(details_of(&file, 0).geospatial.is_stated);
    close_file(&file);
}

Test(chunk_details, a_bound_is_a_value_of_its_column_or_invalid) {
    details_file file;
    lam_value value;
    open_file(&file);
    const lam_schema *schema = lam_reader_schema(file.reader);
    lam_bytes three = details_of(&file, 0).statistics.max_value;
    cr_assert_eq(lam_bound_value(lam_schema_leaf(schema, 0), three, &value, NULL), LAM_STATUS_OK);
    cr_expect_eq(value.int64, 3);
    cr_assert_eq(lam_bound_value(lam_schema_leaf(schema, 1), three, &value, NULL), LAM_STATUS_OK);
    cr_expect_eq(value.bytes.size, 8);
    lam_bytes one = details_of(&file, 2).statistics.min_value;
    cr_assert_eq(lam_bound_value(lam_schema_leaf(schema, 2), one, &value, NULL), LAM_STATUS_OK);
    cr_expect_eq(value.float64, 1);
    lam_bytes yes = details_of(&file, 5).statistics.max_value;
    cr_assert_eq(lam_bound_value(lam_schema_leaf(schema, 5), yes, &value, NULL), LAM_STATUS_OK);
    cr_expect(value.boolean);
    cr_expect_eq(lam_bound_value(lam_schema_leaf(schema, 5), one, &value, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_bound_value(lam_schema_leaf(schema, 4), one, &value, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_bound_value(lam_schema_leaf(schema, 1), (lam_bytes){NULL, 0}, &value, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_bound_value(lam_schema_root(schema), one, &value, NULL), LAM_STATUS_INVALID);
    close_file(&file);
}

Test(chunk_details, a_bloom_filter_tells_how_full_it_is) {
    details_file file;
    lam_bloom_info bloom = lam_bloom_info_default();
    open_file(&file);
    cr_assert_eq(lam_reader_bloom_filter(file.reader, 0, 0, &bloom, NULL), LAM_STATUS_OK);
    cr_expect(bloom.is_there && bloom.bitset_bytes == 32 && bloom.header_bytes > 0);
    cr_expect_eq(bloom.header_bytes + bloom.bitset_bytes, details_of(&file, 0).bloom_filter_length);
    /* At most three bits in each word. */
    cr_expect(bloom.false_positives > 0 && bloom.false_positives <= 6561.0 / 1099511627776.0);
    cr_assert_eq(lam_reader_bloom_filter(file.reader, 0, 1, &bloom, NULL), LAM_STATUS_OK);
    cr_expect_not(bloom.is_there);
    close_file(&file);
}

Test(chunk_details, a_bloom_filter_that_is_none_is_corrupt) {
    details_file file;
    lam_bloom_info bloom = lam_bloom_info_default();
    lam_error error = lam_error_none();
    open_file(&file);
    lam_footer_change change;
    lam_footer_change_begin(&change, file.reader);
    lam_meta_column *column = lam_footer_change_column(&change, 0, 0);
    int64_t good = column->bloom_filter_offset;
    /* The distance to the footer was computed before the offset was checked, and overflowed. */
    static const int64_t offsets[] = {-1, 0, INT64_MAX, 4, INT64_MIN};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        column->bloom_filter_offset = offsets[i];
        lam_footer_change_apply(&change);
        cr_expect_eq(lam_reader_bloom_filter(file.reader, 0, 0, &bloom, &error), LAM_STATUS_CORRUPT,
                     "%d", (int)i);
        cr_expect_eq(error.column, 0);
    }
    column->bloom_filter_offset = good;
    lam_footer_change_apply(&change);
    file.reader->memory_limit = 40;
    cr_expect_eq(lam_reader_bloom_filter(file.reader, 0, 0, &bloom, &error), LAM_STATUS_LIMIT);
    lam_footer_change_end(&change);
    close_file(&file);
}

/* Reads the filter of a file whose first chunk has one of so many bytes behind some header. */
static lam_status read_made_bloom(const lam_meta_bloom_filter_header *header, size_t header_size,
                                  size_t size, lam_error *error) {
    static const uint8_t zeros[64];
    details_file file;
    lam_bloom_info bloom = lam_bloom_info_default();
    lam_footer_edit edit;
    open_file(&file);
    lam_footer_edit_begin(&edit, &file.trial.bytes);
    lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
    column->bloom_filter_offset = (int64_t)edit.file->size;
    column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    cr_assert_eq(lam_meta_write_bloom_filter_header(header, edit.file, NULL), LAM_STATUS_OK);
    if (header_size > 0)
        edit.file->size = (size_t)column->bloom_filter_offset + header_size;
    (void)lam_footer_edit_append(&edit, zeros, size);
    lam_footer_edit_end(&edit);
    lam_reader *reader = lam_test_open(file.trial.bytes.data, file.trial.bytes.size, NULL);
    *error = lam_error_none();
    lam_status status = lam_reader_bloom_filter(reader, 0, 0, &bloom, error);
    lam_reader_close(reader);
    close_file(&file);
    return status;
}

Test(chunk_details, a_bloom_filter_of_another_kind_or_size_is_refused) {
    static const struct {
        lam_meta_bloom_filter_header header;
        size_t header_size, size;
        int code;
    } cases[] = {
        {{0, 32, {1}, {1}, {1}}, 0, 32, LAM_ERROR_CODE_NONE},
        {{0, 32, {0}, {1}, {1}}, 0, 32, LAM_ERROR_CODE_UNSUPPORTED_BLOOM},
        {{0, 32, {1}, {0}, {1}}, 0, 32, LAM_ERROR_CODE_UNSUPPORTED_BLOOM},
        {{0, 32, {1}, {1}, {0}}, 0, 32, LAM_ERROR_CODE_UNSUPPORTED_BLOOM},
        {{0, 0, {1}, {1}, {1}}, 0, 32, LAM_ERROR_CODE_BLOOM_HEADER},
        {{0, -32, {1}, {1}, {1}}, 0, 32, LAM_ERROR_CODE_BLOOM_HEADER},
        {{0, 33, {1}, {1}, {1}}, 0, 64, LAM_ERROR_CODE_BLOOM_HEADER},
        {{0, 32, {1}, {1}, {1}}, 3, 0, LAM_ERROR_CODE_BLOOM_HEADER},
        {{0, 64, {1}, {1}, {1}}, 0, 63, LAM_ERROR_CODE_INDEX_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error;
        lam_status status =
            read_made_bloom(&cases[i].header, cases[i].header_size, cases[i].size, &error);
        cr_expect_eq((int)error.code, cases[i].code, "case %zu: %s", i, error.message);
        cr_expect_eq(status == LAM_STATUS_OK, i == 0);
        cr_expect(i == 0 || error.column == 0);
    }
}

Test(chunk_details, a_bloom_filter_of_another_length_than_the_footer_states_is_corrupt) {
    details_file file;
    lam_bloom_info bloom = lam_bloom_info_default();
    lam_error error = lam_error_none();
    lam_footer_change change;
    open_file(&file);
    lam_footer_change_begin(&change, file.reader);
    lam_footer_change_column(&change, 0, 0)->bloom_filter_length++;
    lam_footer_change_apply(&change);
    cr_assert_eq(lam_reader_bloom_filter(file.reader, 0, 0, &bloom, &error), LAM_STATUS_CORRUPT);
    cr_expect_eq(error.code, LAM_ERROR_CODE_BLOOM_LENGTH);
    lam_footer_change_end(&change);
    close_file(&file);
}

Test(chunk_details, a_bloom_filter_that_cannot_be_read_is_an_io_failure) {
    details_file file;
    lam_bloom_info bloom = lam_bloom_info_default();
    open_file(&file);
    lam_ending_input ending = {.file = lam_buffer_bytes(&file.trial.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    lam_reader *reader = lam_test_open_input(&input, NULL);
    for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
        lam_ending_input_again(&ending, fail_at, 0);
        cr_assert_eq(lam_reader_bloom_filter(reader, 0, 0, &bloom, NULL),
                     fail_at < 3 ? LAM_STATUS_IO : LAM_STATUS_OK);
    }
    lam_reader_close(reader);
    close_file(&file);
}

/* --- The page index ------------------------------------------------------------------------ */

Test(chunk_details, the_page_index_is_told_page_by_page) {
    details_file file;
    lam_page_index_reader *index;
    lam_page_index_entry entry = lam_page_index_entry_default();
    open_file(&file);
    cr_assert_eq(lam_page_index_reader_open(file.reader, 0, 2, &index, NULL), LAM_STATUS_OK);
    lam_page_index_info info = lam_page_index_info_default();
    cr_assert_eq(lam_page_index_reader_info(index, &info, NULL), LAM_STATUS_OK);
    cr_expect(info.has_offsets && info.has_bounds && info.page_count == 1);
    cr_expect_eq(info.boundary_order, 1);
    cr_assert_eq(lam_page_index_reader_page(index, 0, &entry, NULL), LAM_STATUS_OK);
    cr_expect(entry.has_bounds && !entry.is_null && entry.first_row == 0 && entry.offset > 0);
    cr_expect(entry.min_value.size == 8 && entry.null_count == 0 && entry.nan_count == 0);
    cr_expect(entry.repetition.level_count == 2 && entry.repetition.counts[0] == 3);
    cr_expect(entry.definition.level_count == 2 && entry.definition.counts[1] == 3);
    cr_expect_eq(lam_page_index_reader_page(index, 1, &entry, NULL), LAM_STATUS_INVALID);
    lam_page_index_reader_close(index);
    cr_assert_eq(lam_page_index_reader_open(file.reader, 0, 3, &index, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_index_reader_info(index, &info, NULL), LAM_STATUS_OK);
    cr_expect(info.has_offsets && !info.has_bounds && info.boundary_order == -1);
    cr_assert_eq(lam_page_index_reader_page(index, 0, &entry, NULL), LAM_STATUS_OK);
    cr_expect(!entry.has_bounds && entry.null_count == -1 && entry.unencoded_bytes == 3 * 29);
    lam_page_index_reader_close(index);
    close_file(&file);
}

Test(chunk_details, a_page_index_that_is_none_is_corrupt) {
    details_file file;
    lam_page_index_reader *index;
    lam_error error = lam_error_none();
    open_file(&file);
    lam_footer_change change;
    lam_footer_change_begin(&change, file.reader);
    lam_meta_column_chunk *chunks = lam_footer_change_chunk(&change, 0, 0);
    lam_meta_column_chunk good = chunks[2];
    for (int way = 0; way < 6; way++) {
        chunks[2] = good;
        if (way == 0)
            chunks[2].offset_index_offset = INT64_MAX;
        if (way == 1)
            chunks[2].offset_index_length = 0;
        if (way == 2)
            chunks[2].column_index_length--;
        if (way == 3)
            chunks[2].offset_index_offset = 4;
        if (way == 4) /* that of a column with other levels */
            chunks[2].column_index_offset = chunks[0].column_index_offset;
        if (way == 5)
            chunks[2].column_index_length = -5;
        lam_footer_change_apply(&change);
        lam_status status = lam_page_index_reader_open(file.reader, 0, 2, &index, &error);
        if (way == 4) { /* it has no histograms, which may be left out */
            cr_assert_eq(status, LAM_STATUS_OK);
            lam_page_index_reader_close(index);
            continue;
        }
        cr_expect_eq(status, LAM_STATUS_CORRUPT, "way %d", way);
        cr_expect_eq(error.column, 2);
    }
    chunks[1].column_index_offset = good.column_index_offset;
    chunks[1].column_index_length = good.column_index_length;
    lam_footer_change_apply(&change);
    cr_expect_eq(lam_page_index_reader_open(file.reader, 0, 1, &index, &error), LAM_STATUS_CORRUPT);
    cr_expect_str_eq(
        error.message,
        "repetition_level_histograms does not have one element for each of the 1 pages "
        "of the column index");
    lam_footer_change_end(&change);
    close_file(&file);
}

Test(chunk_details, bounds_compare_in_the_order_of_their_type) {
    lam_schema *schema =
        lam_test_schema("message m { required int32 a; required int32 b "
                        "(INTEGER(32,false)); required binary c (STRING); required "
                        "fixed_len_byte_array(12) d (INTERVAL); required double e; }");
    static const uint8_t minus_one[] = {255, 255, 255, 255}, one[] = {1, 0, 0, 0};
    static const uint8_t nan[] = {0, 0, 0, 0, 0, 0, 0xF8, 0x7F}, zero[8] = {0};
    lam_bytes low = {minus_one, 4}, high = {one, 4}, none = {NULL, 0};
    const lam_field *leaves[5];
    for (size_t i = 0; i < 5; i++)
        leaves[i] = lam_schema_leaf(schema, i);
    cr_expect_lt(lam_bound_compare(leaves[0], low, high), 0);
    cr_expect_gt(lam_bound_compare(leaves[1], low, high), 0);
    cr_expect_gt(lam_bound_compare(leaves[2], (lam_bytes){(const uint8_t *)"\xC3\xA9", 2},
                                   (lam_bytes){(const uint8_t *)"z", 1}),
                 0);
    cr_expect_lt(lam_bound_compare(leaves[2], (lam_bytes){(const uint8_t *)"a", 1},
                                   (lam_bytes){(const uint8_t *)"ab", 2}),
                 0);
    cr_expect_eq(lam_bound_compare(leaves[0], low, low), 0);
    cr_expect_eq(lam_bound_compare(leaves[0], low, none), 0);
    cr_expect_eq(lam_bound_compare(leaves[0], none, low), 0);
    cr_expect_eq(lam_bound_compare(leaves[0], (lam_bytes){one, 3}, low), 0);
    cr_expect_eq(lam_bound_compare(leaves[4], (lam_bytes){zero, 8}, (lam_bytes){nan, 8}), 0);
    cr_expect_eq(lam_bound_compare(leaves[0], low, (lam_bytes){one, 3}), 0);
    cr_expect_eq(lam_bound_compare(leaves[3], (lam_bytes){nan, 8}, (lam_bytes){zero, 8}), 0);
    cr_expect_eq(lam_bound_compare(leaves[4], (lam_bytes){nan, 8}, (lam_bytes){zero, 8}), 0);
    cr_expect_eq(lam_bound_compare(lam_schema_root(schema), low, high), 0);
    lam_schema_destroy(schema);
}
