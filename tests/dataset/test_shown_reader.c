/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are shown in a union: columns whose levels agree, in lists and groups too, values of
 * other types, and failures that leave nothing behind.
 */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/column.h>
#include <lamella/dataset.h>
#include <lamella/dremel.h>
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { SHOWN_RECORDS = 300, LEAVES_MOST = 16 };

/* What each sample has is also in the schema of all files. */
static const char *const shown_shapes[] = {
    "message m { required int64 a; }",
    "message m { optional group g { optional int64 x; } required int64 a; }",
    "message m { optional group g { repeated int64 r; } }",
    "message m { repeated group h { optional group g { repeated int64 r; optional int64 x; } } }",
    "message m { required group q { required int64 z; } }",
    ("message m { optional group l (LIST) { repeated group list { optional group element {"
     " required int64 u; } } } }"),
};

static const char shown_all[] =
    "message m { optional double b; optional group g { optional binary s (STRING);"
    " repeated int64 r; optional int64 x; } optional int64 a; repeated group h {"
    " optional double c; optional group g { repeated group n { required int32 k; }"
    " repeated int64 r; optional int64 x; } } optional group q { optional int64 y;"
    " required int64 z; } optional group l (LIST) { repeated group list { optional group element {"
    " optional int64 u; optional boolean v; } } } optional group m (MAP) { repeated group"
    " key_value { required binary key (STRING); optional int64 value; } } }";

static lam_file_sample shown_sample(uint64_t seed, const char *shape) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 90;
    lam_file_sample_init(&sample, lam_test_schema(shape), SHOWN_RECORDS, 60, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* Levels of sibling columns must agree, which assembling records tests. */
static void expect_sound(const lam_reader *reader) {
    lam_error error = lam_error_none();
    const lam_record_sink nobody = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    lam_record_checker *checker;
    lam_record_reader *records;
    uint64_t count;
    cr_assert_eq(lam_record_checker_create(reader->schema, &nobody, NULL, &checker, NULL),
                 LAM_STATUS_OK);
    lam_record_sink sink = lam_record_checker_sink(checker);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, &error), LAM_STATUS_OK);
    lam_status status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(count, lam_reader_row_count(reader));
    lam_record_reader_close(records);
    lam_record_checker_destroy(checker);
}

/* Arrays have room for the levels that their column can have, and no more. */
static void expect_arrays(const lam_reader *reader) {
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    uint64_t rows = 0;
    lam_error error = lam_error_none();
    lam_status status = lam_arrow_read_stream(reader, NULL, &stream, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    for (;;) {
        cr_assert_eq(stream.get_next(&stream, &array), 0, "%s", stream.get_last_error(&stream));
        if (array.release == NULL)
            break;
        rows += (uint64_t)array.length;
        array.release(&array);
    }
    cr_assert_eq(rows, lam_reader_row_count(reader));
    stream.release(&stream);
}

static size_t values_of(const lam_reader *reader, size_t leaf) {
    size_t values = 0;
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_error error = lam_error_none();
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(reader, i, leaf, &column, &error), LAM_STATUS_OK, "%s",
                     error.message);
        do {
            cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &triples, &error), LAM_STATUS_OK,
                         "%s", error.message);
            values += triples.value_count;
        } while (triples.count > 0);
        lam_column_reader_close(column);
    }
    return values;
}

static lam_reader *show(const lam_reader *reader, const lam_schema *all, const bool *leaves) {
    lam_error error = lam_error_none();
    lam_reader *shown;
    lam_status status = lam_reader_show(reader, all, leaves, &shown, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return shown;
}

/* --- What is shown ------------------------------------------------------------------------- */

Test(shown_reader, any_choice_of_leaves_gives_a_file_that_breaks_no_rule) {
    lam_random random = lam_random_start(lam_test_seed(1700));
    lam_schema *all = lam_test_schema(shown_all);
    size_t count = lam_schema_leaf_count(all);
    cr_assert_leq(count, LEAVES_MOST);
    for (size_t k = 0; k < 60; k++) {
        lam_file_sample sample = shown_sample(1701 + k, shown_shapes[k % 6]);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        bool leaves[LEAVES_MOST];
        for (size_t i = 0; i < count; i++)
            leaves[i] = k < 6 || lam_random_below(&random, 2) == 0;
        lam_reader *shown = show(reader, all, leaves);
        if (shown != NULL) {
            cr_assert_eq(lam_reader_row_count(shown), SHOWN_RECORDS);
            expect_sound(shown);
            expect_arrays(shown);
        }
        for (size_t i = 0; shown != NULL && i < lam_schema_leaf_count(reader->schema); i++) {
            char path[200];
            (void)lam_field_path(lam_schema_leaf(reader->schema, i), path, sizeof path);
            const lam_field *leaf = lam_schema_find(shown->schema, path);
            cr_assert_not_null(leaf);
            cr_assert_eq(values_of(shown, leaf->first_leaf), values_of(reader, i), "%s", path);
        }
        lam_reader_close(shown);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(all);
}

Test(shown_reader, leaves_that_are_missing_have_no_values_and_those_not_wanted_are_not_there) {
    lam_schema *all = lam_test_schema("message m { optional int64 b; optional int64 a;"
                                      " optional int64 c; }");
    const bool leaves[] = {true, false, false};
    lam_file_sample sample = shown_sample(1770, "message m { required int64 a; }");
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_reader *shown = show(reader, all, leaves);
    cr_assert_eq(lam_schema_leaf_count(shown->schema), 2);
    cr_assert_str_eq(lam_field_name(lam_schema_leaf(shown->schema, 0)), "b");
    cr_assert_eq(values_of(shown, 0), 0);
    cr_assert_eq(values_of(shown, 1), SHOWN_RECORDS);
    lam_reader_close(shown);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    lam_schema_destroy(all);
}

Test(shown_reader, a_file_that_has_all_leaves_is_not_changed) {
    lam_file_sample sample = shown_sample(1771, shown_shapes[3]);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    cr_assert_null(show(reader, reader->schema, leaves));
    lam_schema *all = lam_test_schema(shown_all);
    memset(leaves, false, sizeof leaves);
    cr_assert_null(show(reader, all, leaves), "no leaf is wanted, and the order is the same");
    cr_assert_null(show(reader, reader->schema, NULL));
    lam_schema_destroy(all);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(shown_reader, a_filter_marks_what_it_reads) {
    lam_error error = lam_error_none();
    lam_schema *all = lam_test_schema(shown_all);
    static const char text[] = "b > 1 and (g.x = a or m['k'] = 2) and h.g.n.k is null";
    lam_filter *filter;
    bool leaves[LEAVES_MOST] = {false};
    cr_assert_eq(lam_filter_parse(all, text, strlen(text), NULL, NULL, &filter, &error),
                 LAM_STATUS_OK, "%s", error.message);
    lam_filter_mark_leaves(filter, leaves);
    static const char *const read[] = {
        "b", "g.x", "a", "h.g.n.k", "m.key_value.key", "m.key_value.value"};
    size_t marked = 0;
    for (size_t i = 0; i < LEAVES_MOST; i++)
        marked += leaves[i];
    cr_assert_eq(marked, 6);
    for (size_t i = 0; i < 6; i++)
        cr_assert(leaves[lam_schema_find(all, read[i])->first_leaf], "%s", read[i]);
    lam_filter_destroy(filter);
    lam_schema_destroy(all);
}

/* --- Odd footers --------------------------------------------------------------------------- */

/*
 * Shows a file with all leaves of a schema, of which one at least is missing; `*ret_reader` is
 * closed behind what is shown.
 */
static lam_reader *show_all(const lam_file_sample *sample, const lam_schema *all,
                            lam_reader **ret_reader) {
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    *ret_reader = lam_file_sample_open(sample, NULL);
    lam_reader *shown = show(*ret_reader, all, leaves);
    cr_assert_not_null(shown);
    return shown;
}

Test(shown_reader, a_file_of_too_few_column_orders_has_none_where_they_are_missing) {
    lam_schema *all = lam_test_schema("message m { optional int64 b; optional int64 a;"
                                      " optional int64 c; }");
    for (uint32_t count = 0; count < 3; count++) {
        lam_file_sample sample =
            shown_sample(1780, "message m { required int64 a; required int64 c; }");
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        edit.meta.column_orders.count = count;
        if (count == 2)
            edit.meta.has &= ~(uint32_t)LAM_META_FILE_HAS_COLUMN_ORDERS;
        lam_footer_edit_end(&edit);
        lam_reader *reader, *shown = show_all(&sample, all, &reader);
        const lam_meta_column_order_list *orders = &shown->footer.meta.column_orders;
        cr_assert_eq(orders->count, 3);
        cr_expect_eq(orders->items[0].kind, LAM_META_COLUMN_ORDER_TYPE, "it has no values");
        cr_expect_eq(orders->items[1].kind,
                     count == 1 ? LAM_META_COLUMN_ORDER_TYPE : LAM_META_UNION_EMPTY);
        cr_expect_eq(orders->items[2].kind, LAM_META_UNION_EMPTY);
        lam_reader_close(shown);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(all);
}

Test(shown_reader, sorting_columns_have_the_numbers_of_the_columns_that_are_shown) {
    static const int32_t stated[] = {1, 0, -1, 7}, shown_as[] = {3, 1, -1, -1};
    lam_meta_sorting_column columns[4] = {{0}};
    lam_schema *all = lam_test_schema("message m { optional int64 b; optional int64 a;"
                                      " optional int64 d; optional int64 c; }");
    lam_file_sample sample =
        shown_sample(1781, "message m { required int64 a; required int64 c; }");
    lam_footer_edit edit;
    for (size_t i = 0; i < 4; i++)
        columns[i].column_idx = stated[i];
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)&edit.meta.row_groups.items[1];
    group->has |= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group->sorting_columns = (lam_meta_sorting_column_list){columns, 4};
    lam_footer_edit_end(&edit);
    lam_reader *reader, *shown = show_all(&sample, all, &reader);
    const lam_meta_sorting_column_list *list =
        &lam_reader_row_group_view(shown, 1)->sorting_columns;
    cr_assert_eq(list->count, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(list->items[i].column_idx, shown_as[i], "column %zu", i);
    cr_expect_eq(lam_reader_row_group_view(shown, 0)->sorting_columns.count, 0);
    lam_reader_close(shown);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    lam_schema_destroy(all);
}

/* Adds a group without fields to the root of a file, or leaves only that. */
static void add_empty_group(lam_file_sample *sample, bool is_alone) {
    lam_footer_edit edit;
    lam_meta_schema_element elements[3];
    lam_footer_edit_begin(&edit, &sample->bytes);
    uint32_t count = is_alone ? 1 : edit.meta.schema.count;
    cr_assert_leq(count, 2);
    memcpy(elements, edit.meta.schema.items, count * sizeof *elements);
    elements[0].num_children = (int32_t)count;
    elements[count] = (lam_meta_schema_element){.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN |
                                                       LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
                                                .repetition_type = LAM_REPETITION_OPTIONAL,
                                                .name = {(const uint8_t *)"e", 1}};
    edit.meta.schema = (lam_meta_schema_element_list){elements, count + 1};
    for (size_t i = 0; is_alone && i < edit.meta.row_groups.count; i++)
        ((lam_meta_row_group *)(uintptr_t)&edit.meta.row_groups.items[i])->columns.count = 0;
    edit.meta.column_orders.count = is_alone ? 0 : edit.meta.column_orders.count;
    lam_footer_edit_end(&edit);
}

/* Nothing tells where the group is null: each row has one. */
Test(shown_reader, a_group_without_leaves_gains_a_null_for_each_row) {
    lam_schema *all = lam_test_schema("message m { optional int64 a; optional group e {"
                                      " optional int64 x; } }");
    for (int is_alone = 0; is_alone < 2; is_alone++) {
        lam_file_sample sample = shown_sample(1784, shown_shapes[0]);
        add_empty_group(&sample, is_alone == 1);
        lam_reader *reader, *shown = show_all(&sample, all, &reader);
        size_t leaf = lam_schema_find(shown->schema, "e.x")->first_leaf;
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(shown, 0, leaf, &column, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &triples, NULL), LAM_STATUS_OK);
        cr_assert_eq(triples.count, 90);
        cr_assert_eq(triples.value_count, 0);
        lam_column_reader_close(column);
        lam_reader_close(shown);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(all);
}

/* --- Failures ------------------------------------------------------------------------------ */

Test(shown_reader, a_schema_that_the_file_is_not_part_of_is_invalid) {
    static const char *const texts[] = {
        "message m { required int64 a; required int64 b; }", "message m { required boolean a; }",
        "message m { repeated int64 a; }", "message m { required int32 a; }",
        "message m { optional int64 b; }"};
    lam_file_sample sample = shown_sample(1777, "message m { required int64 a; }");
    lam_reader *reader = lam_file_sample_open(&sample, NULL), *shown;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lam_schema *schema = lam_test_schema(texts[i]);
        cr_expect_eq(lam_reader_show(reader, schema, NULL, &shown, NULL), LAM_STATUS_INVALID, "%s",
                     texts[i]);
        lam_schema_destroy(schema);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(shown_reader, wrong_arguments_are_invalid) {
    lam_file_sample sample = shown_sample(1772, shown_shapes[0]);
    lam_reader *reader = lam_file_sample_open(&sample, NULL), *shown;
    const bool leaves[LEAVES_MOST] = {true};
    cr_assert_eq(lam_reader_show(NULL, reader->schema, leaves, &shown, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_reader_show(reader, NULL, leaves, &shown, NULL), LAM_STATUS_INVALID);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(shown_reader, every_allocation_may_fail) {
    lam_file_sample sample = shown_sample(1773, shown_shapes[3]);
    lam_schema *all = lam_test_schema(shown_all);
    lam_footer_edit edit; /* a chunk that is not whole has a description of its own */
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_footer_edit_column(&edit, 0, 0)->total_compressed_size = INT64_MAX - 1;
    lam_footer_edit_end(&edit);
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        lam_reader *reader = NULL, *shown = NULL;
        options.allocator = &allocator;
        options.page_crc = n % 2 == 0 ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
        status = lam_reader_open(&input, &options, &reader, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_reader_show(reader, all, leaves, &shown, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        if (shown != NULL)
            cr_assert_eq(shown->verify_crc, reader->verify_crc);
        lam_reader_close(shown);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "allocation %zu", n);
    }
    lam_schema_destroy(all);
    lam_file_sample_finish(&sample);
}

Test(shown_reader, flipped_bytes_give_errors_or_files) {
    lam_random random = lam_random_start(lam_test_seed(1774));
    lam_schema *all = lam_test_schema(shown_all);
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    for (size_t i = 0; i < 400; i++) {
        lam_file_sample sample = shown_sample(1775, shown_shapes[i % 6]);
        lam_error error = lam_error_none();
        lam_reader *reader = NULL, *shown = NULL;
        size_t at = (size_t)lam_random_below(&random, sample.bytes.size);
        sample.bytes.data[at] ^= (uint8_t)(1 + lam_random_below(&random, 255));
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        if (lam_reader_open(&input, NULL, &reader, NULL) == LAM_STATUS_OK &&
            lam_reader_show(reader, all, leaves, &shown, &error) != LAM_STATUS_OK)
            cr_assert_neq(error.message[0], '\0');
        lam_reader_close(shown);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(all);
}

Test(shown_reader, a_small_memory_limit_is_a_limit) {
    lam_file_sample sample = shown_sample(1776, shown_shapes[3]);
    lam_schema *all = lam_test_schema(shown_all);
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    lam_status status = LAM_STATUS_LIMIT;
    for (uint64_t limit = 64; status != LAM_STATUS_OK; limit += limit / 8) {
        lam_reader_options options = lam_reader_options_default();
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        lam_reader *reader = NULL, *shown = NULL;
        options.memory_limit = limit;
        status = lam_reader_open(&input, &options, &reader, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_reader_show(reader, all, leaves, &shown, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT);
        lam_reader_close(shown);
        lam_reader_close(reader);
    }
    lam_schema_destroy(all);
    lam_file_sample_finish(&sample);
}
