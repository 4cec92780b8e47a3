/* SPDX-License-Identifier: Apache-2.0 */
/* What the footer is told of a row group: offsets, sizes, encodings and ordinals. */
#include "file/write/row_group_write.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "file/file_sample.h"

#define SCHEMA                                                                                     \
    "message m { required int32 a; optional group g { repeated binary b; } required boolean c; }"

typedef struct group_sample {
    lam_schema *schema;
    lam_allocator allocator;
    lam_row_group_writer writer;
    lam_task_runner runner; /* the calling thread */
    lam_trial_output trial;
    lam_output output;
    lam_arena arena;
} group_sample;

static void start(group_sample *sample) {
    lam_chunk_options options = {.kernels = lam_kernels_get(),
                                 .codec = LAM_CODEC_UNCOMPRESSED,
                                 .page_version = 1,
                                 .page_bytes = 1000,
                                 .page_rows = 1000,
                                 .dictionary_bytes = 1000,
                                 .use_dictionary = true,
                                 .crc = true,
                                 .summarises = true};
    memset(sample, 0, sizeof *sample);
    sample->schema = lam_test_schema(SCHEMA);
    sample->allocator = lam_allocator_default();
    sample->output = lam_trial_output_open(&sample->trial);
    lam_arena_init(&sample->arena, &sample->allocator, 0);
    memset(&sample->runner, 0, sizeof sample->runner);
    cr_assert_eq(lam_row_group_writer_init(&sample->writer, sample->schema, &options, false,
                                           &sample->runner, NULL, &sample->allocator, NULL),
                 LAM_STATUS_OK);
}

static void finish(group_sample *sample) {
    lam_row_group_writer_finish(&sample->writer);
    lam_trial_output_free(&sample->trial);
    lam_arena_finish(&sample->arena);
    lam_schema_destroy(sample->schema);
}

/* Four records: numbers that repeat, empty lists, booleans. */
static void add_rows(group_sample *sample) {
    static const int32_t numbers[] = {5, 5, 5, 5};
    static const uint8_t zeros[4], booleans[] = {1, 0, 1, 1};
    const lam_triples columns[] = {
        {4, 4, NULL, NULL, numbers}, {4, 0, zeros, zeros, NULL}, {4, 4, NULL, NULL, booleans}};
    for (size_t leaf = 0; leaf < 3; leaf++)
        cr_assert_eq(lam_row_group_writer_add(&sample->writer, leaf, &columns[leaf], NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_row_group_writer_count(&sample->writer, 4, NULL), LAM_STATUS_OK);
}

static bool path_is(const lam_meta_bytes_list *path, const char *const *names, size_t count) {
    bool same = path->count == count;
    for (size_t i = 0; same && i < count; i++)
        same = path->items[i].size == strlen(names[i]) &&
               memcmp(path->items[i].data, names[i], path->items[i].size) == 0;
    return same;
}

Test(row_group_write, the_footer_is_told_where_each_chunk_lies_and_what_it_holds) {
    group_sample sample;
    uint64_t offset = 100;
    start(&sample);
    for (size_t ordinal = 0; ordinal < 2; ordinal++) {
        lam_meta_row_group group;
        uint64_t begin = offset;
        size_t written = sample.trial.bytes.size;
        add_rows(&sample);
        cr_assert_gt(sample.writer.bytes, 0);
        cr_assert_eq(lam_row_group_writer_end(&sample.writer, &sample.output, &offset, ordinal,
                                              &sample.arena, &group, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(sample.writer.bytes + sample.writer.rows, 0);
        cr_assert_eq(offset - begin, sample.trial.bytes.size - written);
        cr_assert_eq(group.num_rows, 4);
        cr_assert_eq(group.ordinal, (int16_t)ordinal);
        cr_assert_eq(group.file_offset, (int64_t)begin);
        cr_assert_eq(group.columns.count, 3);
        cr_assert_eq(group.total_compressed_size, (int64_t)(offset - begin));
        cr_assert_eq(group.total_byte_size, (int64_t)(offset - begin)); /* no codec */
        int64_t next = (int64_t)begin;
        for (uint32_t i = 0; i < 3; i++) {
            const lam_meta_column *column = group.columns.items[i].meta_data;
            bool has_dictionary = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0;
            cr_assert_eq(has_dictionary ? column->dictionary_page_offset : column->data_page_offset,
                         next);
            cr_assert_geq(column->data_page_offset, next);
            cr_assert_eq(column->num_values, 4);
            cr_assert_eq(column->codec, 0);
            next += column->total_compressed_size;
        }
        cr_assert_eq(next, (int64_t)offset);
        cr_assert(path_is(&group.columns.items[0].meta_data->path_in_schema,
                          (const char *const[]){"a"}, 1));
        cr_assert(path_is(&group.columns.items[1].meta_data->path_in_schema,
                          (const char *const[]){"g", "b"}, 2));
    }
    finish(&sample);
}

Test(row_group_write, the_encodings_listed_are_those_that_are_there) {
    group_sample sample;
    uint64_t offset = 4;
    lam_meta_row_group group;
    start(&sample);
    add_rows(&sample);
    cr_assert_eq(lam_row_group_writer_end(&sample.writer, &sample.output, &offset, 0, &sample.arena,
                                          &group, NULL),
                 LAM_STATUS_OK);
    static const int32_t lists[3][3] = {{LAM_ENCODING_PLAIN, LAM_ENCODING_RLE_DICTIONARY},
                                        {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE},
                                        {LAM_ENCODING_PLAIN}};
    static const uint32_t counts[] = {2, 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        const lam_meta_i32_list *encodings = &group.columns.items[i].meta_data->encodings;
        cr_assert_eq(encodings->count, counts[i]);
        for (uint32_t e = 0; e < encodings->count; e++)
            cr_assert_eq(encodings->items[e], lists[i][e]);
    }
    finish(&sample);
}

Test(row_group_write, an_ordinal_that_16_bits_cannot_say_is_left_out) {
    static const size_t ordinals[] = {0, INT16_MAX, INT16_MAX + 1, 100000};
    for (size_t i = 0; i < 4; i++) {
        group_sample sample;
        uint64_t offset = 4;
        lam_meta_row_group group;
        start(&sample);
        add_rows(&sample);
        cr_assert_eq(lam_row_group_writer_end(&sample.writer, &sample.output, &offset, ordinals[i],
                                              &sample.arena, &group, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq((group.has & LAM_META_ROW_GROUP_HAS_ORDINAL) != 0, i < 2);
        finish(&sample);
    }
}

Test(row_group_write, a_failing_output_is_passed_on) {
    for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
        group_sample sample;
        uint64_t offset = 4;
        lam_meta_row_group group;
        start(&sample);
        sample.trial.fail_at_write = fail_at;
        add_rows(&sample);
        cr_assert_eq(lam_row_group_writer_end(&sample.writer, &sample.output, &offset, 0,
                                              &sample.arena, &group, NULL),
                     LAM_STATUS_IO);
        cr_assert_eq(sample.trial.calls_after_end, 0);
        finish(&sample);
    }
}
