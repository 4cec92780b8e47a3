/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some rows of columns of every encoding: those that a condition wants, alone or many together, are
 * the same as when all rows are read, and whatever fails meanwhile is told.
 */
#include "arrow/read/leaf_block.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <lamella/filter.h>
#include <string.h>

#include "arrow/any_columns.h"
#include "arrow/array_flaw.h"
#include "arrow/same_slots.h"
#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "support/failing_alloc.h"

/* Instrumented, a part must do. */
#if defined(__SANITIZE_ADDRESS__)
enum { STEP = 3, CHANGES = 5 };
#else
enum { STEP = 1, CHANGES = 12 };
#endif

/* Longer than the blocks that values and entries are read in. */
enum { ROWS = 3000 };

typedef struct column {
    const char *name;
    const char *type; /* as in arrow_text.h */
    lam_encoding encoding;
} column;

static const column columns_of[] = {
    {"id", "id:l", LAM_ENCODING_PLAIN},
    {"a", "a?:c", LAM_ENCODING_DELTA_BINARY_PACKED},
    {"b", "b?:u", LAM_ENCODING_DELTA_BYTE_ARRAY},
    {"c", "c:u", LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY},
    {"d", "d?:vu", LAM_ENCODING_PLAIN},
    {"e", "e?:u", LAM_ENCODING_RLE_DICTIONARY},
    {"f", "f?:vu", LAM_ENCODING_RLE_DICTIONARY},
    {"g", "g?:d:20,2", LAM_ENCODING_RLE_DICTIONARY},
    {"h", "h?:d:20,2", LAM_ENCODING_BYTE_STREAM_SPLIT},
    {"i", "i:w:100", LAM_ENCODING_PLAIN},
    {"j", "j?:{i}u", LAM_ENCODING_PLAIN},
    {"k", "k?:{c}b", LAM_ENCODING_PLAIN},
    {"l", "l?:{i}u", LAM_ENCODING_RLE_DICTIONARY},
    {"m", "m?:b", LAM_ENCODING_RLE},
    {"n", "n:d:50,3,256", LAM_ENCODING_PLAIN},
    {"o", "o?:U", LAM_ENCODING_RLE_DICTIONARY},
    {"p", "p?:{l}z", LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY},
    {"q", "q?:tdm", LAM_ENCODING_RLE_DICTIONARY},
    {"r", "r?:g", LAM_ENCODING_BYTE_STREAM_SPLIT},
    {"s", "s:vu", LAM_ENCODING_RLE_DICTIONARY},
    {"t", "t:U", LAM_ENCODING_DELTA_BYTE_ARRAY},
    {"u", "u?:f", LAM_ENCODING_RLE_DICTIONARY},
};
enum { COLUMNS = sizeof columns_of / sizeof columns_of[0] };

typedef struct trial {
    lam_any_columns columns;
    lam_reader *reader;
    lam_arrow_plan plan;
    struct ArrowArray all; /* rows in one array */
} trial;

static void number_rows(const struct ArrowArray *root) {
    const struct ArrowArray *ids = root->children[0];
    int64_t *numbers = (int64_t *)(uintptr_t)ids->buffers[1] + ids->offset + root->offset;
    for (int64_t i = 0; i < ROWS; i++)
        numbers[i] = i;
}

static void write_columns(lam_any_columns *columns, uint64_t page_rows) {
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    lam_array_source source = lam_any_columns_source(columns, INT64_MAX);
    struct ArrowArrayStream stream = lam_array_source_open(&source);
    options.page_rows = page_rows;
    options.page_bytes = 1 << 24;
    options.page_crc = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_test_writer written = lam_test_write_as(columns->schema, &options);
    for (size_t i = 0; i < COLUMNS; i++)
        cr_assert_eq(lam_writer_set_encoding(written.writer, columns_of[i].name,
                                             columns_of[i].encoding, &error),
                     LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_arrow_write_stream(written.writer, &stream, NULL, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_buffer made = lam_test_written(&written);
    stream.release(&stream);
    lam_array_source_close(&source);
    columns->file = made;
}

static void start(trial *t, uint64_t page_rows) {
    char text[1000] = "";
    lam_random random = lam_random_start(lam_test_seed(3));
    lam_allocator heap = lam_allocator_default();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    for (size_t i = 0; i < COLUMNS; i++) {
        strcat(text, columns_of[i].type);
        strcat(text, " ");
    }
    t->columns = lam_any_columns_from(text, ROWS, &random);
    number_rows(t->columns.array);
    write_columns(&t->columns, page_rows);
    t->reader = lam_test_open(t->columns.file.data, t->columns.file.size, NULL);
    cr_assert_eq(lam_arrow_plan_read(&t->plan, t->reader, &options, &heap, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_read_stream(t->reader, &options, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &t->all), 0);
    cr_assert_eq(t->all.length, ROWS);
    stream.release(&stream);
}

static void stop(trial *t) {
    t->all.release(&t->all);
    lam_arrow_plan_finish(&t->plan);
    lam_reader_close(t->reader);
    lam_any_columns_finish(&t->columns);
}

/* --- Rows that are wanted -------------------------------------------------------------------- */

/* Rows from `first` to `end`, of which every `step`th is wanted. */
typedef struct wanted_rows {
    int64_t first, end, step;
} wanted_rows;

static const wanted_rows wanted[] = {
    {0, ROWS, 1},    {0, 1000, 1},    {1030, 2040, 1}, {2100, ROWS, 1}, {0, ROWS, 2},
    {0, ROWS, 50},   {5, 400, 7},     {900, 1200, 3},  {1500, 1501, 1}, {0, 1, 1},
    {2999, 3000, 1}, {1020, 1030, 1}, {0, 1024, 2},
};
enum { WANTED = sizeof wanted / sizeof wanted[0] };

static lam_filter *filter_of(const lam_reader *reader, wanted_rows rows) {
    static lam_value ids[ROWS];
    const lam_value first = {.int64 = rows.first}, end = {.int64 = rows.end};
    lam_filter_builder *builder;
    lam_filter *filter;
    size_t count = 0;
    cr_assert_eq(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL),
                 LAM_STATUS_OK);
    for (int64_t row = rows.first; row < rows.end; row += rows.step)
        ids[count++].int64 = row;
    if (rows.step == 1) {
        cr_assert_eq(
            lam_filter_builder_compare(builder, "id", LAM_FILTER_GREATER_OR_EQUAL, &first, 1, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(lam_filter_builder_compare(builder, "id", LAM_FILTER_LESS, &end, 1, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_OK);
    } else {
        cr_assert_eq(lam_filter_builder_compare(builder, "id", LAM_FILTER_EQUAL, ids, count, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

enum { ALL_COLUMNS = COLUMNS };

static void expect_no_flaw(const trial *t, const struct ArrowArray *array, size_t only) {
    const char *flaw = only == ALL_COLUMNS
                           ? lam_array_flaw(&t->plan.schema, array)
                           : lam_array_flaw(&t->plan.schema.children[only], array->children[0]);
    cr_assert_null(flaw, "%s", flaw);
}

static void expect_rows(const trial *t, const struct ArrowArray *array, size_t only,
                        wanted_rows rows, int64_t *next) {
    for (int64_t i = 0; i < array->length; i++, *next += rows.step)
        for (size_t c = 0; c < COLUMNS; c++)
            if (only == ALL_COLUMNS || only == c)
                cr_assert(lam_same_slot(&t->plan.schema.children[c],
                                        array->children[only == c ? 0 : c], i,
                                        &t->plan.schema.children[c], t->all.children[c], *next),
                          "column %s, row %" PRId64, columns_of[c].name, *next);
}

/* Reads the rows, of all columns or one; gives what the last call returned. */
static int read_rows(const trial *t, const lam_reader *reader, size_t only, wanted_rows rows,
                     lam_arrow_read_options *options, bool expects) {
    const char *columns[] = {only == ALL_COLUMNS ? NULL : columns_of[only].name};
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    int64_t next = rows.first;
    int code;
    options->columns = only == ALL_COLUMNS ? NULL : columns;
    options->column_count = only == ALL_COLUMNS ? 0 : 1;
    if (lam_arrow_read_stream(reader, options, &stream, NULL) != LAM_STATUS_OK)
        return ENOMEM;
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        expect_no_flaw(t, &array, only);
        if (expects)
            expect_rows(t, &array, only, rows, &next);
        array.release(&array);
    }
    cr_assert(code != 0 || !expects || next >= rows.end);
    stream.release(&stream);
    return code;
}

Test(leaf_block, wanted_rows_are_the_same_as_among_all) {
    static const uint64_t page_rows[] = {ROWS, 700};
    for (size_t i = 0; i < 2; i++) {
        trial t;
        start(&t, page_rows[i]);
        for (size_t w = 0; w < WANTED; w++) {
            lam_filter *filter = filter_of(t.reader, wanted[w]);
            lam_arrow_read_options options = lam_arrow_read_options_default();
            options.filter = filter;
            options.pruning = w % 2 == i ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
            options.batch_rows = w % 3 == i ? 333 : 0;
            cr_assert_eq(read_rows(&t, t.reader, ALL_COLUMNS, wanted[w], &options, true), 0);
            lam_filter_destroy(filter);
        }
        stop(&t);
    }
}

Test(leaf_block, a_leaf_without_a_way_to_the_type_of_its_field_is_unsupported) {
    trial t;
    start(&t, ROWS);
    for (int is_dictionary = 0; is_dictionary < 2; is_dictionary++) {
        lam_arrow_field field = {.name = "id", .type = {.kind = LAM_ARROW_STRING}};
        lam_arrow_node node = *t.plan.leaves[0];
        lam_leaf_column leaf;
        lam_error error = lam_error_none();
        field.is_dictionary = is_dictionary != 0;
        field.index_kind = LAM_ARROW_INT32;
        node.field = &field;
        cr_assert_eq(lam_leaf_column_init(&leaf, t.reader, &node, NULL, &error),
                     LAM_STATUS_UNSUPPORTED);
        cr_assert_not_null(strstr(error.message, "id: "), "%s", error.message);
    }
    stop(&t);
}

/* --- What fails ------------------------------------------------------------------------------ */

static const wanted_rows few[] = {{0, 1000, 1}, {0, ROWS, 50}, {1200, 2000, 1}};
enum { FEW = sizeof few / sizeof few[0] };

/* The filter is that of the rows, of a schema that the file has. */
static int read_failing(const trial *t, size_t n, size_t only, wanted_rows rows) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options reading = lam_reader_options_default();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    reading.allocator = &allocator;
    lam_reader *reader = lam_test_open(t->columns.file.data, t->columns.file.size, &reading);
    lam_filter *filter = filter_of(reader, rows);
    options.filter = filter;
    options.pruning = LAM_SWITCH_OFF;
    counter.fail_at = counter.requests + n;
    int code = read_rows(t, reader, only, rows, &options, true);
    cr_assert_eq(code, counter.requests < counter.fail_at ? 0 : ENOMEM, "request %zu", n);
    counter.fail_at = 0;
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
    cr_assert_eq(counter.wrong_sizes, 0);
    return code;
}

Test(leaf_block, any_allocation_may_fail_while_some_rows_are_read) {
    trial t;
    start(&t, ROWS);
    for (size_t only = 1; only < COLUMNS; only++)
        for (size_t w = 0; w < FEW; w++) {
            int code = ENOMEM;
            for (size_t n = 1; code != 0; n += STEP)
                code = read_failing(&t, n, only, few[w]);
        }
    stop(&t);
}

/* Bytes of the chunk of a column. */
static lam_bytes chunk_of(const trial *t, size_t only) {
    lam_meta_column_chunk chunk;
    lam_arena arena = lam_reader_chunk_arena(t->reader);
    cr_assert_eq(lam_reader_find_column(t->reader, 0, only, &arena, &chunk, NULL), LAM_STATUS_OK);
    const lam_meta_column *meta = chunk.meta_data;
    bool has_dictionary = meta->dictionary_page_offset > 0;
    size_t first = (size_t)(has_dictionary ? meta->dictionary_page_offset : meta->data_page_offset);
    lam_bytes bytes = {t->columns.file.data + first, (size_t)meta->total_compressed_size};
    lam_arena_finish(&arena);
    return bytes;
}

/* Where there is no checksum, a changed byte is another value, or damage that is told. */
Test(leaf_block, changed_bytes_give_right_arrays_or_a_failure) {
    trial t;
    lam_random random = lam_random_start(lam_test_seed(4));
    size_t failures = 0;
    start(&t, ROWS);
    for (size_t w = 0; w < FEW; w++) {
        lam_filter *filter = filter_of(t.reader, few[w]);
        for (size_t only = 1; only < COLUMNS; only++)
            for (int change = 0; change < CHANGES; change++) {
                lam_bytes chunk = chunk_of(&t, only);
                uint8_t *byte = (uint8_t *)(uintptr_t)chunk.data +
                                (size_t)lam_random_below(&random, chunk.size);
                uint8_t before = *byte;
                lam_arrow_read_options options = lam_arrow_read_options_default();
                options.filter = filter;
                options.pruning = LAM_SWITCH_OFF;
                *byte = lam_random_chance(&random, 50) ? 0xFF : (uint8_t)lam_random_next(&random);
                failures += read_rows(&t, t.reader, only, few[w], &options, false) != 0;
                *byte = before;
            }
        lam_filter_destroy(filter);
    }
    cr_assert_gt(failures, 20);
    stop(&t);
}
