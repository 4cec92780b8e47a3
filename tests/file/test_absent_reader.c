/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are shown with fields of other files: metadata and levels that break no rule, in lists
 * and groups too, and failures that leave nothing behind.
 */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/constant.h>
#include <lamella/filter_text.h>
#include <string.h>

#include "file/file_reader.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { ABSENT_RECORDS = 300, LEAVES_MOST = 16 };

/* What each sample has is also in the schema of all files. */
static const char *const absent_shapes[] = {
    "message m { required int64 a; }",
    "message m { optional group g { optional int64 x; } required int64 a; }",
    "message m { optional group g { repeated int64 r; } }",
    "message m { repeated group h { optional group g { repeated int64 r; optional int64 x; } } }",
    "message m { required group q { required int64 z; } }",
    ("message m { optional group l (LIST) { repeated group list { optional group element {"
     " required int64 u; } } } }"),
};

static const char absent_all[] =
    "message m { optional double b; optional group g { optional binary s (STRING);"
    " repeated int64 r; optional int64 x; } optional int64 a; repeated group h {"
    " optional double c; optional group g { repeated group n { required int32 k; }"
    " repeated int64 r; optional int64 x; } } optional group q { required int64 y;"
    " required int64 z; } optional group l (LIST) { repeated group list { optional group element {"
    " optional int64 u; optional boolean v; } } } optional group m (MAP) { repeated group"
    " key_value { required binary key (STRING); optional int64 value; } } }";

static lam_file_sample absent_sample(uint64_t seed, const char *shape) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 90;
    lam_file_sample_init(&sample, lam_test_schema(shape), ABSENT_RECORDS, 60, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

static lam_status refuse_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_lt((int)finding->severity, (int)LAM_SEVERITY_WARNING, "%s", finding->message);
    return LAM_STATUS_OK;
}

/* Levels of sibling columns must agree, which check tests beside all else. */
static void expect_sound(const lam_reader *reader) {
    lam_error error = lam_error_none();
    lam_check_totals totals = lam_check_totals_default();
    lam_status status = lam_check(&reader->input, NULL, refuse_finding, NULL, &totals, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
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
    lam_status status = lam_reader_show_fields(reader, all, leaves, &shown, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return shown;
}

/* --- What is shown ------------------------------------------------------------------------- */

Test(absent_reader, any_choice_of_leaves_gives_a_file_that_breaks_no_rule) {
    lam_random random = lam_random_start(lam_test_seed(1700));
    lam_schema *all = lam_test_schema(absent_all);
    size_t count = lam_schema_leaf_count(all);
    cr_assert_leq(count, LEAVES_MOST);
    for (size_t k = 0; k < 60; k++) {
        lam_file_sample sample = absent_sample(1701 + k, absent_shapes[k % 6]);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        bool leaves[LEAVES_MOST];
        for (size_t i = 0; i < count; i++)
            leaves[i] = k < 6 || lam_random_below(&random, 2) == 0;
        lam_reader *shown = show(reader, all, leaves);
        if (shown != NULL) {
            cr_assert_eq(lam_reader_row_count(shown), ABSENT_RECORDS);
            expect_sound(shown);
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

Test(absent_reader, leaves_that_are_missing_have_no_values_and_those_not_wanted_are_not_there) {
    lam_schema *all = lam_test_schema("message m { optional int64 b; optional int64 a;"
                                      " optional int64 c; }");
    const bool leaves[] = {true, false, false};
    lam_file_sample sample = absent_sample(1770, "message m { required int64 a; }");
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_reader *shown = show(reader, all, leaves);
    cr_assert_eq(lam_schema_leaf_count(shown->schema), 2);
    cr_assert_str_eq(lam_field_name(lam_schema_leaf(shown->schema, 0)), "b");
    cr_assert_eq(values_of(shown, 0), 0);
    cr_assert_eq(values_of(shown, 1), ABSENT_RECORDS);
    lam_reader_close(shown);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    lam_schema_destroy(all);
}

Test(absent_reader, a_file_that_has_all_leaves_is_not_changed) {
    lam_file_sample sample = absent_sample(1771, absent_shapes[3]);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    cr_assert_null(show(reader, reader->schema, leaves));
    lam_schema *all = lam_test_schema(absent_all);
    memset(leaves, false, sizeof leaves);
    cr_assert_null(show(reader, all, leaves), "no leaf is wanted, and the order is the same");
    lam_schema_destroy(all);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(absent_reader, a_filter_marks_what_it_reads) {
    lam_error error = lam_error_none();
    lam_schema *all = lam_test_schema(absent_all);
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

/* --- Failures ------------------------------------------------------------------------------ */

Test(absent_reader, wrong_arguments_are_invalid) {
    lam_file_sample sample = absent_sample(1772, absent_shapes[0]);
    lam_reader *reader = lam_file_sample_open(&sample, NULL), *shown;
    const bool leaves[LEAVES_MOST] = {true};
    cr_assert_eq(lam_reader_show_fields(NULL, reader->schema, leaves, &shown, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_reader_show_fields(reader, NULL, leaves, &shown, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_reader_show_fields(reader, reader->schema, NULL, &shown, NULL),
                 LAM_STATUS_INVALID);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(absent_reader, every_allocation_may_fail) {
    lam_file_sample sample = absent_sample(1773, absent_shapes[3]);
    lam_schema *all = lam_test_schema(absent_all);
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
        status = lam_reader_open(&input, &options, &reader, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_reader_show_fields(reader, all, leaves, &shown, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_reader_close(shown);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "allocation %zu", n);
    }
    lam_schema_destroy(all);
    lam_file_sample_finish(&sample);
}

Test(absent_reader, flipped_bytes_give_errors_or_files) {
    lam_random random = lam_random_start(lam_test_seed(1774));
    lam_schema *all = lam_test_schema(absent_all);
    bool leaves[LEAVES_MOST];
    memset(leaves, true, sizeof leaves);
    for (size_t i = 0; i < 400; i++) {
        lam_file_sample sample = absent_sample(1775, absent_shapes[i % 6]);
        lam_error error = lam_error_none();
        lam_reader *reader = NULL, *shown = NULL;
        size_t at = (size_t)lam_random_below(&random, sample.bytes.size);
        sample.bytes.data[at] ^= (uint8_t)(1 + lam_random_below(&random, 255));
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        if (lam_reader_open(&input, NULL, &reader, NULL) == LAM_STATUS_OK &&
            lam_reader_show_fields(reader, all, leaves, &shown, &error) != LAM_STATUS_OK)
            cr_assert_neq(error.message[0], '\0');
        lam_reader_close(shown);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(all);
}

Test(absent_reader, a_small_memory_limit_is_a_limit) {
    lam_file_sample sample = absent_sample(1776, absent_shapes[3]);
    lam_schema *all = lam_test_schema(absent_all);
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
            status = lam_reader_show_fields(reader, all, leaves, &shown, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT);
        lam_reader_close(shown);
        lam_reader_close(reader);
    }
    lam_schema_destroy(all);
    lam_file_sample_finish(&sample);
}
