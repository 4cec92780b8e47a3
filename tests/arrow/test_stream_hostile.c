/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files with every byte changed, through arrays and through records: where both come to an
 * end they tell the same, and arrays always are right ones.
 */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/array_records.h"
#include "file/file_sample.h"

/* Instrumented, a part of the bytes must do. */
#if defined(__SANITIZE_ADDRESS__)
enum { FLIP_STEP = 7 };
#else
enum { FLIP_STEP = 1 };
#endif

enum { RECORDS = 12, FILES = 16 };

static const char *const shapes[] = {
    "message m { optional boolean a; optional int32 b; required int64 c; optional binary f;"
    " required fixed_len_byte_array(5) g; }",
    "message m { optional group l (LIST) { repeated group list { optional int64 element; } }"
    " repeated double d; repeated binary b; repeated boolean o; }",
    "message m { optional group l (LIST) { repeated group list { optional group element {"
    " optional fixed_len_byte_array(3) x; required int32 y; repeated binary z;"
    " optional group g { required double d; required float f; } } } } }",
    "message m { optional group m (MAP) { repeated group key_value { required int32 key;"
    " optional group value (LIST) { repeated group list { required int32 element; } } } } }",
};

static void make_file(lam_file_sample *sample, int index) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_random random = lam_random_start(lam_test_seed(30) + (uint64_t)index);
    lam_file_sample_init(sample, lam_test_schema(shapes[index % 4]), RECORDS, 75, &random);
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[index / 4 % 3];
    options.data_page_version = 1 + index / 4 % 2;
    options.page_rows = index / 4 % 2 == 0 ? 5 : 0;
    options.row_group_rows = index % 3 == 0 ? 7 : 0;
    options.dictionary = index / 8 == 1 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_crc = LAM_SWITCH_OFF;
    options.statistics = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    lam_file_sample_write(sample, &options, NULL);
}

/* Reads arrays into the builder; false when there is a failure. */
static bool read_arrays(const lam_reader *reader, uint64_t batch_rows, lam_tree_builder *builder) {
    lam_arrow_plan plan;
    struct ArrowArrayStream stream;
    lam_error error = lam_error_none();
    lam_record_sink sink = lam_tree_builder_sink(builder);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.batch_rows = batch_rows;
    lam_status status = lam_arrow_plan_read(&plan, reader, &options, NULL, &error);
    if (status == LAM_STATUS_OK) {
        status = lam_arrow_read_stream(reader, &options, &stream, &error);
        if (status != LAM_STATUS_OK)
            lam_arrow_plan_finish(&plan);
    }
    if (status != LAM_STATUS_OK) {
        cr_assert_neq(error.message[0], '\0');
        return false;
    }
    int code = 0;
    for (;;) {
        struct ArrowArray array;
        code = stream.get_next(&stream, &array);
        if (code != 0 || array.release == NULL)
            break;
        const char *flaw = lam_array_flaw(&plan.schema, &array);
        cr_assert_null(flaw, "%s", flaw);
        lam_array_tell(&plan, &array, &sink);
        array.release(&array);
    }
    if (code != 0)
        cr_assert_not_null(stream.get_last_error(&stream));
    stream.release(&stream);
    lam_arrow_plan_finish(&plan);
    return code == 0;
}

static bool read_records(const lam_reader *reader, lam_tree_builder *builder) {
    lam_record_reader *records;
    lam_record_sink sink = lam_tree_builder_sink(builder);
    uint64_t count;
    if (lam_record_reader_open(reader, NULL, &records, NULL) != LAM_STATUS_OK)
        return false;
    lam_status status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL);
    lam_record_reader_close(records);
    return status == LAM_STATUS_OK;
}

/* True when the change was seen. INT96 may come up, whose days arrays may not reach. */
static bool read_both_ways(const uint8_t *bytes, size_t size, size_t at) {
    lam_reader *reader;
    lam_arena arena;
    lam_allocator allocator = lam_allocator_default();
    lam_input input = lam_input_memory(bytes, size);
    if (lam_reader_open(&input, NULL, &reader, NULL) != LAM_STATUS_OK)
        return true;
    lam_arena_init(&arena, &allocator, 0);
    lam_tree_builder arrays, records, few;
    lam_tree_builder_init(&arrays, lam_reader_schema(reader), &arena);
    lam_tree_builder_init(&records, lam_reader_schema(reader), &arena);
    lam_tree_builder_init(&few, lam_reader_schema(reader), &arena);
    bool seen = !read_arrays(reader, 0, &arrays);
    bool seen_in_few = !read_arrays(reader, 5, &few);
    bool seen_in_records = !read_records(reader, &records);
    cr_assert(seen || !seen_in_records, "byte %zu", at);
    cr_assert_eq(seen, seen_in_few, "byte %zu", at);
    if (!seen) {
        const lam_field *root = lam_schema_root(lam_reader_schema(reader));
        cr_assert_eq(arrays.ended, records.ended, "byte %zu", at);
        cr_assert_eq(few.ended, records.ended, "byte %zu", at);
        for (size_t i = 0; i < records.ended; i++) {
            cr_assert(lam_tree_equals(root, &records.records.items[i], &arrays.records.items[i]),
                      "byte %zu, record %zu", at, i);
            cr_assert(lam_tree_equals(root, &records.records.items[i], &few.records.items[i]),
                      "byte %zu, record %zu", at, i);
        }
    }
    lam_reader_close(reader);
    lam_arena_finish(&arena);
    return seen;
}

Test(stream_hostile, files_with_a_changed_byte_give_the_rows_of_records_or_a_failure,
     .timeout = 600) {
    size_t unseen = 0, all = 0;
    for (int index = 0; index < FILES; index++) {
        lam_file_sample sample;
        make_file(&sample, index);
        lam_random random = lam_random_start((uint64_t)index);
        for (size_t at = 4; at < sample.bytes.size; at += FLIP_STEP) {
            uint8_t before = sample.bytes.data[at];
            uint8_t *copy = malloc(sample.bytes.size);
            memcpy(copy, sample.bytes.data, sample.bytes.size);
            copy[at] = lam_random_chance(&random, 50)
                           ? (uint8_t)(before ^ 1u << lam_random_below(&random, 8))
                           : (uint8_t)lam_random_next(&random);
            unseen += !read_both_ways(copy, sample.bytes.size, at);
            all++;
            free(copy);
        }
        lam_file_sample_finish(&sample);
    }
    cr_assert(unseen > all / 20 && unseen < all, "%zu of %zu", unseen, all);
}
