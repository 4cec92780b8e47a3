/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of arrays hold the records of the file, for every schema and option. They can be released
 * at any point, and say which leaf failed.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <lamella/arrow.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/array_records.h"
#include "arrow/opened_stream.h"
#include "file/file_sample.h"
#include "file/footer_edit.h"
#include "support/failing_alloc.h"

/* --- Records and arrays agree -------------------------------------------------------------- */

static lam_writer_options any_writing(lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[lam_random_below(random, 3)];
    options.data_page_version = 1 + (int32_t)lam_random_below(random, 2);
    options.page_rows = lam_random_chance(random, 50) ? 1 + lam_random_below(random, 30) : 0;
    options.page_bytes = lam_random_chance(random, 50) ? 1 + lam_random_below(random, 400) : 0;
    options.dictionary_bytes =
        lam_random_chance(random, 50) ? 1 + lam_random_below(random, 300) : 0;
    options.row_group_rows = lam_random_chance(random, 60) ? 1 + lam_random_below(random, 60) : 0;
    options.dictionary = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return options;
}

static const char *const shapes[] = {
    "message m { optional group l (LIST) { repeated group list { optional int64 element; } }"
    " repeated double d; repeated binary b; optional boolean o; required float f; }",
    "message m { optional group l (LIST) { repeated group list { optional group element {"
    " optional fixed_len_byte_array(3) x; required int32 y; repeated binary z;"
    " optional group g { required double d; required boolean f; } } } } }",
    "message m { required group m (MAP) { repeated group key_value { required binary key;"
    " optional group value (LIST) { repeated group list { optional group element (LIST) {"
    " repeated group list { required int32 element; } } } } } } }",
    "message m { optional group old (LIST) { repeated int32 element; }"
    " optional group older (LIST) { repeated group array { required int32 a; optional binary b; } }"
    " optional group n { optional group n { optional group n { optional boolean b; } } } }",
};

/* INT96 comes out as timestamps, which random bytes are not. */
static bool *leaves_but_int96(const lam_schema *schema, lam_random *random, size_t *ret_count) {
    size_t count = lam_schema_leaf_count(schema);
    bool *leaves = calloc(count + 1, sizeof *leaves);
    bool all = lam_random_chance(random, 60);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool other = lam_field_physical_type(lam_schema_leaf(schema, i)) != LAM_PHYSICAL_INT96;
        leaves[i] = other && (all || lam_random_chance(random, 50));
        *ret_count += leaves[i];
    }
    return leaves;
}

static bool *any_dictionaries(const lam_schema *schema, lam_random *random) {
    size_t count = lam_schema_leaf_count(schema);
    bool *leaves = calloc(count + 1, sizeof *leaves);
    for (size_t i = 0; i < count; i++)
        leaves[i] =
            lam_field_physical_type(lam_schema_leaf(schema, i)) == LAM_PHYSICAL_BYTE_ARRAY &&
            lam_random_chance(random, 50);
    return leaves;
}

/* Tasks in an order of its own, one by one. */
static void run_backwards(void *state, void (*task)(void *context, size_t index), void *context,
                          size_t count) {
    *(size_t *)state += count;
    while (count > 0)
        task(context, --count);
}

static void expect_rows(lam_file_sample *sample, const lam_reader *reader,
                        const lam_arrow_read_options *options, size_t first, size_t count,
                        uint64_t seed) {
    lam_arrow_plan plan;
    lam_tree_builder builder;
    struct ArrowSchema schema;
    struct ArrowArrayStream stream = lam_opened_stream(reader, options);
    cr_assert_eq(lam_arrow_plan_read(&plan, reader, options, NULL, NULL), LAM_STATUS_OK);
    lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample->arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    uint64_t most = options->batch_rows > 0 ? options->batch_rows : 65536;
    for (;;) {
        struct ArrowArray array = lam_opened_stream_next(&stream);
        if (array.release == NULL)
            break;
        cr_assert_gt(array.length, 0);
        cr_assert_leq((uint64_t)array.length, most);
        const char *flaw = lam_array_flaw(&plan.schema, &array);
        cr_assert_null(flaw, "seed %" PRIu64 ": %s", seed, flaw);
        lam_array_tell(&plan, &array, &sink);
        array.release(&array);
    }
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    cr_assert_eq(schema.n_children, (int64_t)plan.root.child_count);
    schema.release(&schema);
    lam_file_sample_expect(sample, &builder, options->leaves, first, count);
    lam_arrow_plan_finish(&plan);
    stream.release(&stream);
}

static void run_trial(uint64_t seed) {
    static const unsigned presences[] = {30, 70, 95, 100};
    lam_random random = lam_random_start(seed);
    bool any = lam_random_chance(&random, 50);
    lam_schema *schema = any ? lam_tree_random_schema(&random, 30)
                             : lam_test_schema(shapes[lam_random_below(&random, 4)]);
    lam_file_sample sample;
    size_t records = 1 + (size_t)lam_random_below(&random, 150), leaf_count;
    lam_file_sample_init(&sample, schema, records, presences[lam_random_below(&random, 4)],
                         &random);
    lam_writer_options writing = any_writing(&random);
    lam_file_sample_write(&sample, &writing, NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    bool *leaves = leaves_but_int96(schema, &random, &leaf_count);
    bool *dictionaries = any_dictionaries(schema, &random);
    size_t tasks = 0;
    lam_executor executor = {&tasks, run_backwards};
    for (int i = 0; i < 4 && leaf_count > 0; i++) {
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.leaves = leaves;
        options.dictionary_leaves = lam_random_chance(&random, 40) ? dictionaries : NULL;
        options.batch_rows = lam_random_chance(&random, 80) ? 1 + lam_random_below(&random, 70) : 0;
        options.thread_count = (uint32_t)lam_random_below(&random, 5);
        options.executor = lam_random_chance(&random, 20) ? &executor : NULL;
        options.skip_rows =
            lam_random_chance(&random, 50) ? lam_random_below(&random, records + 5) : 0;
        options.max_rows = lam_random_chance(&random, 30) ? 1 + lam_random_below(&random, 100) : 0;
        size_t first = options.skip_rows < records ? (size_t)options.skip_rows : records;
        size_t count = records - first;
        if (options.max_rows > 0 && options.max_rows < count)
            count = (size_t)options.max_rows;
        tasks = 0;
        expect_rows(&sample, reader, &options, first, count, seed);
        cr_assert_eq(tasks > 0, options.executor != NULL && count > 0);
    }
    free(leaves);
    free(dictionaries);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(stream_read, the_rows_of_arrays_are_the_records_whatever_is_asked_for) {
    uint64_t seed = lam_test_seed(1000);
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 400;
    for (uint64_t i = 0; i < count; i++)
        run_trial(seed + i);
}

/* --- Options ------------------------------------------------------------------------------- */

static lam_file_sample twenty_records(uint64_t group_rows) {
    lam_random random = lam_random_start(7);
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = group_rows;
    lam_file_sample_init(&sample, lam_test_schema(shapes[1]), 20, 80, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

Test(stream_read, row_groups_come_in_the_order_asked_for_and_batches_end_with_them) {
    lam_file_sample sample = twenty_records(6);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    static const size_t groups[] = {3, 0, 0};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.row_groups = groups;
    options.row_group_count = 3;
    options.batch_rows = 4;
    static const int64_t lengths[] = {2, 4, 2, 4, 2};
    struct ArrowArrayStream stream = lam_opened_stream(reader, &options);
    for (size_t i = 0; i < 5; i++) {
        struct ArrowArray array = lam_opened_stream_next(&stream);
        cr_assert_eq(array.length, lengths[i]);
        array.release(&array);
    }
    for (int i = 0; i < 3; i++)
        cr_assert_null(lam_opened_stream_next(&stream).release);
    stream.release(&stream);
    options.row_group_count = 0; /* none of them */
    stream = lam_opened_stream(reader, &options);
    cr_assert_null(lam_opened_stream_next(&stream).release);
    stream.release(&stream);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(stream_read, options_out_of_range_are_invalid) {
    lam_file_sample sample = twenty_records(6);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    struct ArrowArrayStream stream;
    static const size_t groups[] = {0, 4};
    lam_executor executor = {NULL, NULL};
    lam_arrow_read_options options[5];
    for (size_t i = 0; i < 5; i++)
        options[i] = lam_arrow_read_options_default();
    options[0].struct_size--;
    options[1].row_groups = groups;
    options[1].row_group_count = 2;
    options[2].row_group_count = 1;
    options[3].executor = &executor;
    options[4].pruning = (lam_switch)77;
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(lam_arrow_read_stream(reader, &options[i], &stream, NULL), LAM_STATUS_INVALID);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* What a stream says when its footer was changed after it was written. */
static int changed_drain(void (*change)(lam_footer_edit *edit), char message[400]) {
    lam_file_sample sample = twenty_records(6);
    lam_footer_edit edit;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    lam_error error = lam_error_none();
    int code = 0;
    lam_footer_edit_begin(&edit, &sample.bytes);
    change(&edit);
    lam_footer_edit_end(&edit);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    message[0] = '\0';
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, &error), LAM_STATUS_OK, "%s",
                 error.message);
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL)
        array.release(&array);
    if (code != 0) {
        snprintf(message, 400, "%s", stream.get_last_error(&stream));
        cr_assert_eq(stream.get_next(&stream, &array), code, "it fails ever after");
    }
    stream.release(&stream);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    return code;
}

static void change_codec(lam_footer_edit *edit) {
    lam_footer_edit_column(edit, 0, 0)->codec = 3; /* LZO */
}

static void change_values(lam_footer_edit *edit) {
    lam_footer_edit_column(edit, 0, 0)->num_values = 0;
}

Test(stream_read, a_codec_that_is_not_supported_has_a_code_of_its_own) {
    char message[400];
    cr_assert_eq(changed_drain(change_codec, message), ENOSYS, "%s", message);
    cr_assert_not_null(strstr(message, "(row group 0, column 0"), "%s", message);
}

Test(stream_read, a_chunk_without_the_rows_of_its_row_group_is_damage) {
    char message[400];
    cr_assert_eq(changed_drain(change_values, message), EINVAL, "%s", message);
    cr_assert_not_null(strstr(message, "the chunk has no values and its row group 6 rows"), "%s",
                       message);
}

Test(stream_read, a_projection_of_nothing_gives_rows_without_columns) {
    lam_file_sample sample = twenty_records(6);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    bool leaves[8] = {false};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    options.thread_count = 4;
    struct ArrowArrayStream stream = lam_opened_stream(reader, &options);
    int64_t rows = 0;
    for (;;) {
        struct ArrowArray array = lam_opened_stream_next(&stream);
        if (array.release == NULL)
            break;
        cr_assert_eq(array.n_children, 0);
        rows += array.length;
        array.release(&array);
    }
    cr_assert_eq(rows, 20);
    stream.release(&stream);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(stream_read, a_file_that_is_not_there_is_no_stream) {
    struct ArrowArrayStream stream = {0};
    cr_assert_eq(lam_arrow_read_file("/no/such/file", NULL, NULL, &stream, NULL), LAM_STATUS_IO);
    cr_assert_null(stream.release);
}

/* --- Ownership ----------------------------------------------------------------------------- */

/* Arrays outlive the stream and the reader; children outlive their parents. */
Test(stream_read, what_is_moved_out_stays_when_all_else_is_gone) {
    lam_failing_alloc counter = {0};
    lam_reader_options reading = lam_reader_options_default();
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_file_sample sample = twenty_records(6);
    reading.allocator = &allocator;
    lam_reader *reader = lam_file_sample_open(&sample, &reading);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.batch_rows = 3;
    struct ArrowArrayStream stream = lam_opened_stream(reader, &options);
    struct ArrowArray first = lam_opened_stream_next(&stream),
                      second = lam_opened_stream_next(&stream);
    struct ArrowArray list = *first.children[0];
    first.children[0]->release = NULL;
    struct ArrowArray element = *list.children[0];
    list.children[0]->release = NULL;
    first.release(&first);
    cr_assert_null(first.release);
    stream.release(&stream);
    cr_assert_null(stream.release);
    lam_reader_close(reader);
    cr_assert_eq(((const int32_t *)list.buffers[1])[list.length], element.length);
    list.release(&list);
    cr_assert_gt(element.n_children, 0);
    element.release(&element);
    second.release(&second);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    lam_file_sample_finish(&sample);
}

Test(stream_read, a_stream_may_be_released_at_any_point) {
    lam_failing_alloc counter = {0};
    lam_reader_options reading = lam_reader_options_default();
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_file_sample sample = twenty_records(6);
    reading.allocator = &allocator;
    for (int batches = 0; batches < 8; batches++) {
        lam_reader *reader = lam_file_sample_open(&sample, &reading);
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.batch_rows = 4;
        struct ArrowArrayStream stream = lam_opened_stream(reader, &options);
        for (int i = 0; i < batches; i++) {
            struct ArrowArray array = lam_opened_stream_next(&stream);
            if (array.release != NULL)
                array.release(&array);
        }
        stream.release(&stream);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_file_sample_finish(&sample);
}

/* Reads all, and gives the status as the callbacks tell it. */
static int drain(const lam_file_sample *sample, const lam_allocator *allocator) {
    lam_reader_options reading = lam_reader_options_default();
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    lam_reader *reader;
    reading.allocator = allocator;
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    if (lam_reader_open(&input, &reading, &reader, NULL) != LAM_STATUS_OK)
        return ENOMEM;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    bool dictionaries[8] = {false, false, true, false, false};
    options.batch_rows = 7;
    options.dictionary_leaves = dictionaries;
    lam_status status = lam_arrow_read_stream(reader, &options, &stream, NULL);
    int code = status == LAM_STATUS_OK ? 0 : ENOMEM;
    if (code == 0) {
        code = stream.get_schema(&stream, &schema);
        if (code == 0)
            schema.release(&schema);
        while (code == 0) {
            code = stream.get_next(&stream, &array);
            if (code == 0 && array.release == NULL)
                break;
            if (code == 0)
                array.release(&array);
            else
                cr_assert_eq(stream.get_next(&stream, &array), code); /* and ever after */
        }
        cr_assert_eq(code != 0, stream.get_last_error(&stream) != NULL);
        stream.release(&stream);
    }
    lam_reader_close(reader);
    return code;
}

Test(stream_read, every_allocation_may_fail) {
    lam_file_sample sample = twenty_records(12);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        int code = drain(&sample, &allocator);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (code == 0)
            break;
        cr_assert_eq(code, ENOMEM);
    }
    lam_file_sample_finish(&sample);
}

/* --- Errors -------------------------------------------------------------------------------- */

/* Breaks the first page of a column of the last row group; the header of the page stays right. */
static void break_page(lam_file_sample *sample, size_t leaf) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_page_list *list;
    lam_page_info info = lam_page_info_default();
    bool more;
    size_t group = lam_reader_row_group_count(reader) - 1;
    cr_assert_eq(lam_page_list_open(reader, group, leaf, &list, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_next(list, &info, &more, NULL), LAM_STATUS_OK);
    sample->bytes.data[info.offset + info.header_size] ^= 0xFF;
    lam_page_list_close(list);
    lam_reader_close(reader);
}

Test(stream_read, the_lowest_leaf_is_blamed_whoever_comes_first) {
    lam_file_sample sample = twenty_records(15);
    break_page(&sample, 1);
    break_page(&sample, 4);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.thread_count = threads;
        struct ArrowArrayStream stream = lam_opened_stream(reader, &options);
        struct ArrowArray array = lam_opened_stream_next(&stream);
        array.release(&array);
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(stream.get_next(&stream, &array), EINVAL);
            const char *message = stream.get_last_error(&stream);
            cr_assert_not_null(strstr(message, "(row group 1, column 1 "), "%s", message);
        }
        stream.release(&stream);
        lam_reader_close(reader);
    }
    lam_file_sample_finish(&sample);
}

typedef struct faulty_input {
    lam_bytes bytes;
    bool fails;
} faulty_input;

static lam_status faulty_read(void *state, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    const faulty_input *input = state;
    if (input->fails) {
        lam_error failure = lam_error_none();
        failure.status = LAM_STATUS_IO;
        strcpy(failure.message, "the disk is gone");
        if (error != NULL)
            *error = failure;
        return LAM_STATUS_IO;
    }
    memcpy(buffer, input->bytes.data + offset, size);
    return LAM_STATUS_OK;
}

Test(stream_read, a_disk_that_fails_is_eio) {
    lam_file_sample sample = twenty_records(15);
    faulty_input faulty = {lam_buffer_bytes(&sample.bytes), false};
    lam_input input = {&faulty, sample.bytes.size, faulty_read, NULL, NULL};
    struct ArrowArray array;
    lam_reader *reader = lam_test_open_input(&input, NULL);
    struct ArrowArrayStream stream = lam_opened_stream(reader, NULL);
    cr_assert_null(stream.get_last_error(&stream));
    faulty.fails = true;
    cr_assert_eq(stream.get_next(&stream, &array), EIO);
    cr_assert_not_null(strstr(stream.get_last_error(&stream), "the disk is gone"));
    stream.release(&stream);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
