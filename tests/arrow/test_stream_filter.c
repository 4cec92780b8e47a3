/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of arrays with a condition give the rows that the same condition selects among records,
 * whatever is projected, limited or fails.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/arrow.h>
#include <lamella/filter.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/array_records.h"
#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

/* --- Any records, any condition ------------------------------------------------------------ */

static const char *const shapes[] = {
    "message m { optional group l (LIST) { repeated group list { optional int64 element; } }"
    " repeated double d; repeated binary b; optional boolean o; required float f; }",
    "message m { optional group l (LIST) { repeated group list { optional group element {"
    " optional fixed_len_byte_array(3) x; required int32 y; repeated binary z;"
    " optional group g { required double d; required boolean f; } } } } }",
    "message m { required group m (MAP) { repeated group key_value { required binary key;"
    " optional group value (LIST) { repeated group list { optional group element (LIST) {"
    " repeated group list { required int32 element; } } } } } } }",
    "message m { required int32 a; required binary b; optional int64 c;"
    " optional binary d; optional boolean e; }",
};

static lam_writer_options any_writing(lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[lam_random_below(random, 3)];
    options.data_page_version = 1 + (int32_t)lam_random_below(random, 2);
    options.page_rows = lam_random_chance(random, 70) ? 1 + lam_random_below(random, 50) : 0;
    options.row_group_rows = lam_random_chance(random, 60) ? 1 + lam_random_below(random, 200) : 0;
    options.dictionary = lam_random_chance(random, 40) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_index = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return options;
}

static lam_value any_value(const lam_field *leaf, lam_random *random) {
    static const uint8_t bytes[64] = "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
    lam_value value;
    memset(&value, 0, sizeof value);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = lam_random_chance(random, 50);
        break;
    case LAM_PHYSICAL_INT32:
        value.int32 = (int32_t)lam_random_next(random);
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = (int64_t)lam_random_next(random);
        break;
    case LAM_PHYSICAL_FLOAT:
        value.float32 = (float)lam_random_below(random, 9) - 4;
        break;
    case LAM_PHYSICAL_DOUBLE:
        value.float64 = (double)lam_random_below(random, 9) - 4;
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        value.bytes = (lam_bytes){bytes, (size_t)lam_random_below(random, 3)};
        break;
    default:
        value.bytes = (lam_bytes){bytes, (size_t)lam_field_type_length(leaf)};
        break;
    }
    return value;
}

/* True when a test was added. */
static bool add_test(lam_filter_builder *builder, const lam_schema *schema, lam_random *random) {
    size_t at = (size_t)lam_random_below(random, lam_schema_leaf_count(schema));
    const lam_field *leaf = lam_schema_leaf(schema, at);
    char path[2000];
    if (lam_field_path(leaf, path, sizeof path) >= sizeof path)
        return false;
    if (lam_random_chance(random, 30))
        return lam_filter_builder_is_null(builder, path, lam_random_chance(random, 50), NULL) ==
               LAM_STATUS_OK;
    lam_filter_operator operation = (lam_filter_operator)lam_random_below(random, 6);
    lam_value value = any_value(leaf, random);
    return lam_filter_builder_compare(builder, path, operation, &value, 1, NULL) == LAM_STATUS_OK;
}

/* One test or several; NULL when none could be made. */
static lam_filter *any_filter(const lam_schema *schema, lam_random *random) {
    lam_filter_builder *builder;
    lam_filter *filter = NULL;
    size_t height = 0;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    for (uint64_t i = lam_random_below(random, 4) + 1; i > 0; i--) {
        height += add_test(builder, schema, random);
        if (height > 0 && lam_random_chance(random, 30))
            cr_assert_eq(lam_filter_builder_not(builder, NULL), LAM_STATUS_OK);
    }
    for (; height > 1; height--)
        cr_assert_eq(lam_random_chance(random, 50) ? lam_filter_builder_and(builder, NULL)
                                                   : lam_filter_builder_or(builder, NULL),
                     LAM_STATUS_OK);
    if (height == 1)
        cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

/* The records that the condition wants, read as records; the arena of the sample goes along. */
static lam_file_sample wanted_records(lam_file_sample *sample, const lam_reader *reader,
                                      const lam_filter *filter) {
    lam_scan_options options = lam_scan_options_default();
    lam_record_reader *records;
    lam_tree_builder builder;
    uint64_t count;
    options.filter = filter;
    options.pruning = LAM_SWITCH_OFF;
    lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample->arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    cr_assert_eq(lam_record_reader_open_scan(reader, &options, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL), LAM_STATUS_OK);
    lam_record_reader_close(records);
    lam_file_sample wanted = *sample;
    wanted.records = builder.records.items;
    wanted.record_count = (size_t)count;
    return wanted;
}

/* Gives the rows of all batches to the sink. */
static void tell_stream(const lam_reader *reader, const lam_arrow_read_options *options,
                        const lam_record_sink *sink, uint64_t seed) {
    lam_arrow_plan plan;
    struct ArrowArrayStream stream;
    cr_assert_eq(lam_arrow_plan_read(&plan, reader, options, NULL, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_read_stream(reader, options, &stream, NULL), LAM_STATUS_OK);
    for (;;) {
        struct ArrowArray array;
        int code = stream.get_next(&stream, &array);
        cr_assert_eq(code, 0, "seed %" PRIu64 ": %s", seed, stream.get_last_error(&stream));
        if (array.release == NULL)
            break;
        cr_assert_gt(array.length, 0);
        const char *flaw = lam_array_flaw(&plan.schema, &array);
        cr_assert_null(flaw, "seed %" PRIu64 ": %s", seed, flaw);
        lam_array_tell(&plan, &array, sink);
        array.release(&array);
    }
    stream.release(&stream);
    lam_arrow_plan_finish(&plan);
}

/* Any leaves but those of INT96, whose timestamps random bytes are not. */
static bool *any_leaves(const lam_schema *schema, lam_random *random, unsigned percent,
                        lam_physical_type but) {
    size_t count = lam_schema_leaf_count(schema);
    bool *leaves = calloc(count + 1, sizeof *leaves);
    for (size_t i = 0; i < count; i++)
        leaves[i] = lam_field_physical_type(lam_schema_leaf(schema, i)) != but &&
                    lam_random_chance(random, percent);
    return leaves;
}

static bool *any_dictionaries(const lam_schema *schema, lam_random *random) {
    bool *leaves = any_leaves(schema, random, 50, LAM_PHYSICAL_INT96);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++)
        leaves[i] &= lam_field_physical_type(lam_schema_leaf(schema, i)) == LAM_PHYSICAL_BYTE_ARRAY;
    return leaves;
}

static void expect_wanted(lam_file_sample *wanted, const lam_reader *reader,
                          const lam_filter *filter, lam_random *random, uint64_t seed) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    bool *leaves = any_leaves(wanted->schema, random, 70, LAM_PHYSICAL_INT96);
    bool *dictionaries = any_dictionaries(wanted->schema, random);
    lam_scan_report report = lam_scan_report_default();
    lam_tree_builder builder;
    options.leaves = leaves;
    options.dictionary_leaves = lam_random_chance(random, 40) ? dictionaries : NULL;
    options.filter = filter;
    options.pruning = lam_random_chance(random, 30) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.report = &report;
    options.batch_rows = lam_random_chance(random, 70) ? 1 + lam_random_below(random, 70) : 0;
    options.thread_count = (uint32_t)lam_random_below(random, 4);
    size_t records = wanted->record_count;
    options.skip_rows = lam_random_chance(random, 40) ? lam_random_below(random, records + 5) : 0;
    options.max_rows = lam_random_chance(random, 30) ? 1 + lam_random_below(random, 100) : 0;
    size_t first = options.skip_rows < records ? (size_t)options.skip_rows : records;
    size_t count = records - first;
    if (options.max_rows > 0 && options.max_rows < count)
        count = (size_t)options.max_rows;
    lam_tree_builder_init(&builder, lam_reader_schema(reader), &wanted->arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    tell_stream(reader, &options, &sink, seed);
    cr_assert_eq(builder.ended, count, "seed %" PRIu64 ": %zu rows instead of %zu", seed,
                 builder.ended, count);
    lam_file_sample_expect(wanted, &builder, leaves, first, count);
    cr_assert_geq(report.rows_wanted, first + count);
    free(leaves);
    free(dictionaries);
}

static size_t run_trial(uint64_t seed) {
    static const unsigned presences[] = {30, 70, 95, 100};
    lam_random random = lam_random_start(seed);
    lam_schema *schema = lam_random_chance(&random, 40)
                             ? lam_tree_random_schema(&random, 30)
                             : lam_test_schema(shapes[lam_random_below(&random, 4)]);
    lam_file_sample sample;
    size_t rows = 1 + (size_t)lam_random_below(&random, lam_random_chance(&random, 20) ? 700 : 90);
    size_t found = 0;
    lam_file_sample_init(&sample, schema, rows, presences[lam_random_below(&random, 4)], &random);
    lam_writer_options writing = any_writing(&random);
    lam_file_sample_write(&sample, &writing, NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_filter *filter = any_filter(lam_reader_schema(reader), &random);
    if (filter != NULL) {
        lam_file_sample wanted = wanted_records(&sample, reader, filter);
        for (int i = 0; i < 4; i++)
            expect_wanted(&wanted, reader, filter, &random, seed);
        sample.arena = wanted.arena;
        found = wanted.record_count < rows ? wanted.record_count : 0;
    }
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    return found;
}

Test(stream_filter, the_rows_of_arrays_are_the_records_that_the_condition_wants) {
    uint64_t seed = lam_test_seed(9000);
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 400;
    size_t found = 0;
    for (uint64_t i = 0; i < count; i++)
        found += run_trial(seed + i) > 0;
    cr_expect_gt(found, count / 4, "only %zu conditions want some records and not all", found);
}

/* --- Rows that lie together, and apart ----------------------------------------------------- */

enum { ROWS = 30000, LENGTH = 3 };

/* Instrumented for threads, a few must do. */
#if defined(__SANITIZE_THREAD__)
enum { RANGE_ROUNDS = 5 };
#else
enum { RANGE_ROUNDS = 60 };
#endif

/* Row i has i in `id`, a number in `s` but for each seventh, and i % LENGTH elements in `l`. */
static lam_file_sample counted_rows(const lam_writer_options *options) {
    lam_file_sample sample = {
        .schema = lam_test_schema("message m { required int64 id; optional binary s (STRING);"
                                  " optional group l (LIST) { repeated group list"
                                  " { required int32 element; } } }")};
    lam_test_writer file = lam_test_write_as(sample.schema, options);
    for (int i = 0; i < ROWS; i++) {
        char text[24] = "null", items[LENGTH * 8] = "";
        if (i % 7 != 0)
            snprintf(text, sizeof text, "'%d'", i % 1000);
        for (int item = 0, end = 0; item < i % LENGTH; item++)
            end += snprintf(items + end, sizeof items - (size_t)end, "%d,", i + item);
        lam_test_put(&file, "{id: %d, s: %s, l: [%s]}", i, text, items);
    }
    sample.bytes = lam_test_written(&file);
    return sample;
}

/* Ids in ranges of any lengths with any gaps between them. */
static size_t any_ids(lam_random *random, lam_value *ids) {
    static const uint64_t lengths[] = {1, 3, 100, 1000, 5000}, gaps[] = {1, 3, 70, 300, 9000};
    uint64_t longest = lengths[lam_random_below(random, 5)],
             widest = gaps[lam_random_below(random, 5)];
    uint64_t at = lam_random_below(random, widest + 1);
    size_t count = 0;
    while (at < ROWS) {
        uint64_t end = at + 1 + lam_random_below(random, longest);
        for (; at < end && at < ROWS; at++)
            ids[count++].int64 = (int64_t)at;
        at += 1 + lam_random_below(random, widest);
    }
    return count;
}

static void expect_row(const struct ArrowArray *root, int64_t slot, int64_t id) {
    const struct ArrowArray *strings = root->children[1], *lists = root->children[2];
    const int32_t *ends = strings->buffers[1], *offsets = lists->buffers[1];
    const uint8_t *validity = strings->buffers[0];
    char text[8];
    size_t size = (size_t)snprintf(text, sizeof text, "%d", (int)(id % 1000));
    cr_assert_eq(((const int64_t *)root->children[0]->buffers[1])[slot], id);
    bool is_there = validity == NULL || (validity[slot / 8] >> slot % 8 & 1) != 0;
    cr_assert_eq(is_there, id % 7 != 0);
    cr_assert_eq((size_t)(ends[slot + 1] - ends[slot]), is_there ? size : 0);
    if (is_there)
        cr_assert_arr_eq((const char *)strings->buffers[2] + ends[slot], text, size);
    cr_assert_eq(offsets[slot + 1] - offsets[slot], id % LENGTH);
    for (int32_t i = offsets[slot]; i < offsets[slot + 1]; i++)
        cr_assert_eq(((const int32_t *)lists->children[0]->buffers[1])[i], id + i - offsets[slot]);
}

Test(stream_filter, ranges_of_any_length_are_found_whatever_lies_between_them) {
    lam_random random = lam_random_start(lam_test_seed(11));
    static lam_value ids[ROWS];
    for (int version = 1; version <= 2; version++) {
        lam_writer_options writing = lam_writer_options_default();
        writing.data_page_version = version;
        writing.page_rows = version == 1 ? 777 : 0;
        writing.row_group_rows = version == 1 ? 0 : 9000;
        writing.dictionary = version == 2 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        lam_file_sample sample = counted_rows(&writing);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        for (int round = 0; round < RANGE_ROUNDS; round++) {
            lam_arrow_read_options options = lam_arrow_read_options_default();
            lam_filter_builder *builder;
            lam_filter *filter;
            struct ArrowArrayStream stream;
            struct ArrowArray array;
            size_t count = any_ids(&random, ids), next = 0;
            cr_assert_eq(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL),
                         0);
            cr_assert_eq(
                lam_filter_builder_compare(builder, "id", LAM_FILTER_EQUAL, ids, count, NULL),
                LAM_STATUS_OK);
            cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
            lam_filter_builder_destroy(builder);
            options.filter = filter;
            options.thread_count = 1 + round % 2;
            options.batch_rows = lam_random_chance(&random, 50) ? 1000 : 0;
            cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
            while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
                for (int64_t i = 0; i < array.length; i++)
                    expect_row(&array, i, ids[next++].int64);
                array.release(&array);
            }
            cr_assert_null(stream.get_last_error(&stream));
            cr_assert_eq(next, count);
            stream.release(&stream);
            lam_filter_destroy(filter);
        }
        lam_reader_close(reader);
        lam_schema_destroy(sample.schema);
        lam_buffer_finish(&sample.bytes);
    }
}

/* --- What must be refused, and what may fail ----------------------------------------------- */

static lam_filter *id_filter(const lam_schema *schema, lam_filter_operator operation, int64_t id) {
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_value value = {.int64 = id};
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_compare(builder, "id", operation, &value, 1, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

Test(stream_filter, a_filter_of_another_schema_is_refused) {
    lam_file_sample sample = counted_rows(NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_filter *filter = id_filter(sample.schema, LAM_FILTER_EQUAL, 5);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    lam_error error = lam_error_none();
    options.filter = filter;
    cr_expect_eq(lam_arrow_read_stream(reader, &options, &stream, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "the filter was made for another schema");
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
}

Test(stream_filter, the_report_counts_row_groups_and_rows) {
    lam_writer_options writing = lam_writer_options_default();
    writing.row_group_rows = 6000;
    lam_file_sample sample = counted_rows(&writing);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_filter *filter = id_filter(lam_reader_schema(reader), LAM_FILTER_LESS, 6010);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        lam_arrow_read_options options = lam_arrow_read_options_default();
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        lam_scan_report report = lam_scan_report_default();
        int64_t rows = 0;
        options.filter = filter;
        options.report = &report;
        options.thread_count = threads;
        cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
        while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
            rows += array.length;
            array.release(&array);
        }
        stream.release(&stream);
        cr_expect_eq(rows, 6010);
        cr_expect_eq(report.rows_wanted, 6010);
        cr_expect_eq(report.row_groups, 5);
        cr_expect_eq(report.row_groups_by_statistics, 3);
        cr_expect_eq(report.rows, ROWS);
        cr_expect_geq(report.rows_pruned, 18000);
        cr_expect_gt(report.index_bytes, 0);
    }
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
}

/* --- Conditions as text, columns as paths -------------------------------------------------- */

/* The rows of a stream, and how many columns they have. */
static int64_t count_rows(const lam_reader *reader, const lam_arrow_read_options *options,
                          int64_t *ret_columns) {
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    int64_t rows = 0;
    cr_assert_eq(lam_arrow_read_stream(reader, options, &stream, NULL), LAM_STATUS_OK);
    while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
        rows += array.length;
        *ret_columns = array.n_children;
        array.release(&array);
    }
    stream.release(&stream);
    return rows;
}

Test(stream_filter, text_and_paths_choose_rows_and_columns) {
    static const char *const paths[] = {"l.list", "id"};
    lam_file_sample sample = counted_rows(NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    char where[] = "id >= 100 and id < 150", path[] = "l.list";
    const char *mine[] = {path, paths[1]};
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    struct ArrowSchema schema;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    int64_t columns = 0;
    options.where = where;
    cr_expect_eq(count_rows(reader, &options, &columns), 50);
    cr_expect_eq(columns, 3);
    for (size_t count = 0; count <= 2; count++) {
        options.columns = paths;
        options.column_count = count;
        cr_expect_eq(count_rows(reader, &options, &columns), 50);
        cr_expect_eq(columns, (int64_t)count);
    }
    options.columns = mine;
    cr_assert_eq(lam_arrow_export_schema(reader, &options, &schema, NULL), LAM_STATUS_OK);
    cr_expect_eq(schema.n_children, 2);
    cr_expect_str_eq(schema.children[0]->name, "id");
    cr_expect_str_eq(schema.children[1]->name, "l");
    schema.release(&schema);
    /* What the options point at is used during the call only. */
    cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
    memset(where, 'x', sizeof where - 1);
    memset(path, 'x', sizeof path - 1);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    cr_expect_eq(array.length, 50);
    cr_expect_eq(((const int64_t *)array.children[0]->buffers[1])[0], 100);
    array.release(&array);
    stream.release(&stream);
    lam_reader_close(reader);
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
}

Test(stream_filter, text_and_paths_that_are_wrong_are_told_and_one_way_to_choose_is_enough) {
    static const char *const missing[] = {"id", "nobody"};
    static const bool leaves[3] = {true, true, true};
    lam_file_sample sample = counted_rows(NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_filter *filter = id_filter(lam_reader_schema(reader), LAM_FILTER_EQUAL, 5);
    const struct {
        const char *const *columns;
        size_t column_count;
        const bool *leaves;
        const char *where;
        const lam_filter *filter;
        const char *select;
        lam_status status;
    } cases[] = {
        {missing, 2, NULL, NULL, NULL, NULL, LAM_STATUS_NOT_FOUND},
        {NULL, 1, NULL, NULL, NULL, NULL, LAM_STATUS_INVALID},
        {missing, 1, leaves, NULL, NULL, NULL, LAM_STATUS_INVALID},
        {NULL, 0, NULL, "id >", NULL, NULL, LAM_STATUS_INVALID},
        {NULL, 0, NULL, "", NULL, NULL, LAM_STATUS_INVALID},
        {NULL, 0, NULL, "nobody = 1", NULL, NULL, LAM_STATUS_NOT_FOUND},
        {NULL, 0, NULL, "id = 5", filter, NULL, LAM_STATUS_INVALID},
        {NULL, 0, NULL, NULL, NULL, "id, nobody", LAM_STATUS_NOT_FOUND},
        {NULL, 0, NULL, NULL, NULL, "id,", LAM_STATUS_INVALID},
        {NULL, 0, NULL, NULL, NULL, "!*", LAM_STATUS_INVALID},
        {missing, 1, NULL, NULL, NULL, "id", LAM_STATUS_INVALID},
        {NULL, 0, leaves, NULL, NULL, "id", LAM_STATUS_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_arrow_read_options options = lam_arrow_read_options_default();
        struct ArrowArrayStream stream = {0};
        lam_error error = lam_error_none();
        options.columns = cases[i].columns;
        options.column_count = cases[i].column_count;
        options.leaves = cases[i].leaves;
        options.where = cases[i].where;
        options.filter = cases[i].filter;
        options.select = cases[i].select;
        cr_expect_eq(lam_arrow_read_stream(reader, &options, &stream, &error), cases[i].status,
                     "case %zu", i);
        cr_expect_neq(error.message[0], '\0', "case %zu", i);
        cr_expect_null(stream.release);
    }
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
}

/* Reads all rows; the filter is made here, or by the stream of text. */
static lam_status read_all(const lam_reader *reader, bool by_text) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_filter *filter = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray array = {0};
    if (by_text) {
        options.where = "id <> 9";
        options.select = "id, l";
    } else {
        filter = id_filter(lam_reader_schema(reader), LAM_FILTER_NOT_EQUAL, 9);
        options.filter = filter;
    }
    options.skip_rows = 10;
    lam_status status = lam_arrow_read_stream(reader, &options, &stream, NULL);
    while (status == LAM_STATUS_OK) {
        if (stream.get_next(&stream, &array) != 0)
            status = LAM_STATUS_NOMEM;
        else if (array.release != NULL)
            array.release(&array);
        else
            break;
    }
    if (stream.release != NULL)
        stream.release(&stream);
    lam_filter_destroy(filter);
    return status;
}

static void fail_allocations(bool by_text) {
    lam_writer_options writing = lam_writer_options_default();
    writing.row_group_rows = 20000;
    lam_file_sample sample = counted_rows(&writing);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options reading = lam_reader_options_default();
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        lam_reader *reader;
        reading.allocator = &allocator;
        status = lam_reader_open(&input, &reading, &reader, NULL);
        if (status == LAM_STATUS_OK) {
            status = read_all(reader, by_text);
            lam_reader_close(reader);
        }
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0);
        cr_assert_lt(n, 2000);
    }
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
}

Test(stream_filter, every_allocation_may_fail) {
    fail_allocations(false);
    fail_allocations(true);
}
