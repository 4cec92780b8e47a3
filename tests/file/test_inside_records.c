/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of chunks whose pages begin inside of records: these lost the end of lists to readers that
 * believe the offset index, under the name of another writer.
 */
#include "file/copy/inside_records.h"

#include <criterion/criterion.h>
#include <string.h>

#include "file/copy/row_group_copy.h"
#include "file/copy/row_group_keep.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "file/recut.h"
#include "file/write/file_writer.h"
#include "kernel/kernel.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

TestSuite(inside_records, .timeout = 120);

static const char shape[] =
    "message m { optional group a (LIST) { repeated group list { optional int32 element; } }"
    " required int64 b; repeated group c { repeated binary d; } }";
static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                   LAM_CODEC_ZSTD};

static bool goes_on(lam_recut_kind kind) {
    return kind == LAM_RECUT_INSIDE || kind == LAM_RECUT_BACK;
}

static lam_file_sample recut_sample(const lam_recut *how, lam_random *random) {
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    options.created_by = "parquet-mr version 1.15.0 (build x)";
    options.row_group_rows = 60;
    lam_file_sample_init(&sample, lam_test_schema(shape), 100, 80, random);
    lam_file_sample_write(&sample, &options, NULL);
    lam_recut_file(&sample.bytes, how, random);
    return sample;
}

/* --- What is found --------------------------------------------------------------------------- */

static lam_status find(const lam_reader *reader, size_t leaf, bool has_index,
                       lam_inside_records *ret_found, lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_chunk_range range;
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_status status = lam_reader_find_column(reader, 0, leaf, &arena, &chunk, error);
    if (status == LAM_STATUS_OK) {
        cr_assert_eq(lam_chunk_find(chunk.meta_data, reader->footer.offset, &range, NULL),
                     LAM_STATUS_OK);
        if (!has_index)
            chunk.has &= ~(uint32_t)LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET;
        const lam_field *field = lam_leaf_at(reader->schema, leaf);
        status = lam_inside_records_find(reader, field, &chunk, range, ret_found, error);
    }
    lam_arena_finish(&arena);
    return status;
}

Test(inside_records, pages_are_found_that_the_format_forbids_and_no_others) {
    lam_random random = lam_random_start(lam_test_seed(51));
    for (int round = 0; round < 2 * LAM_RECUT_KINDS * 4; round++) {
        const lam_recut how = {(lam_recut_kind)(round / 8), 1 + round % 2, codecs[round / 2 % 4],
                               9};
        lam_file_sample sample = recut_sample(&how, &random);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        for (size_t leaf = 0; leaf < 3; leaf++)
            for (int has_index = 0; has_index < 2; has_index++) {
                lam_inside_records found;
                bool is = goes_on(how.kind) && leaf != 1;
                cr_assert_eq(find(reader, leaf, has_index, &found, NULL), LAM_STATUS_OK);
                cr_expect_eq(found.by_index, is && has_index, "round %d, leaf %zu", round, leaf);
                cr_expect_eq(found.in_v2, is && how.version == 2, "round %d, leaf %zu", round,
                             leaf);
            }
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* What nobody can read stays what it is, and so does its index. */
Test(inside_records, damage_is_not_known_to_be_inside_of_a_record) {
    lam_random random = lam_random_start(lam_test_seed(52));
    static const lam_recut how = {LAM_RECUT_INSIDE, 1, LAM_CODEC_SNAPPY, 9};
    for (int round = 0; round < 3; round++) {
        lam_file_sample sample = recut_sample(&how, &random);
        lam_footer_edit edit;
        lam_inside_records found;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
        if (round == 0)
            memset(sample.bytes.data + column->data_page_offset, 0xFF, 8);
        else
            column->codec = round == 1 ? LAM_CODEC_LZO - 1 : 77;
        lam_footer_edit_end(&edit);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        cr_assert_eq(find(reader, 0, true, &found, NULL), LAM_STATUS_OK);
        cr_expect(!found.by_index && !found.in_v2, "round %d", round);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

Test(inside_records, a_search_ends_cleanly_where_memory_or_a_read_fails) {
    lam_random random = lam_random_start(lam_test_seed(53));
    static const lam_recut how = {LAM_RECUT_INSIDE, 1, LAM_CODEC_ZSTD, 9};
    lam_file_sample sample = recut_sample(&how, &random);
    for (int reads = 0; reads < 2; reads++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t at = 1; status != LAM_STATUS_OK; at++) {
            lam_failing_alloc counter = {0};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_ending_input ending = {.file = lam_buffer_bytes(&sample.bytes)};
            lam_input input = lam_ending_input_of(&ending);
            lam_reader_options options = lam_reader_options_default();
            lam_error error = lam_error_none();
            lam_inside_records found = {0};
            options.allocator = &allocator;
            lam_reader *reader = lam_test_open_input(&input, &options);
            if (reads)
                lam_ending_input_again(&ending, at + 1, 0); /* the first finds the chunk */
            else
                counter.fail_at = counter.requests + at + 1;
            status = find(reader, 0, true, &found, &error);
            cr_assert(status == LAM_STATUS_OK ||
                      status == (reads ? LAM_STATUS_IO : LAM_STATUS_NOMEM));
            cr_expect_eq(found.by_index, status == LAM_STATUS_OK);
            lam_reader_close(reader);
            cr_assert_eq(counter.live_bytes, 0);
        }
    }
    lam_file_sample_finish(&sample);
}

/* --- Copies ---------------------------------------------------------------------------------- */

/* Copies all row groups into another file, or goes on in the same one, without another record. */
static lam_status move_rows(lam_file_sample *sample, bool keeps, const char *created_by,
                            lam_error *error) {
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_writer_options options = lam_writer_options_default();
    const lam_writer_inside inside = {lam_kernels_get(), NULL, keeps ? sample->bytes.size : 0,
                                      false};
    lam_writer *writer;
    options.created_by = created_by;
    cr_assert_eq(lam_writer_open_with(&inside, sample->schema, &output, &options, &writer, NULL),
                 LAM_STATUS_OK);
    size_t count = lam_reader_row_group_count(reader);
    lam_status status = keeps ? lam_writer_keep_row_groups(writer, reader, error)
                              : lam_writer_copy_row_groups(writer, reader, 0, count, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_reader_close(reader);
    if (status == LAM_STATUS_OK && !keeps)
        lam_buffer_clear(&sample->bytes);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(lam_buffer_append(&sample->bytes, trial.bytes.data, trial.bytes.size, NULL),
                     LAM_STATUS_OK);
    lam_trial_output_free(&trial);
    return status;
}

static void expect_index(lam_file_sample *sample, bool has_index) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_file_sample_expect_all(sample, reader, NULL);
    lam_reader_close(reader);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample->bytes);
    for (size_t group = 0; group < edit.meta.row_groups.count; group++)
        for (size_t leaf = 0; leaf < 3; leaf++) {
            const uint32_t both = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET;
            uint32_t has = lam_footer_edit_chunk(&edit, group, leaf)->has & both;
            cr_expect_eq(has, has_index || leaf == 1 ? both : 0, "leaf %zu", leaf);
        }
    lam_footer_edit_end(&edit);
}

Test(inside_records, a_copy_has_no_index_to_pages_inside_of_records_and_none_in_v2) {
    lam_random random = lam_random_start(lam_test_seed(54));
    for (int round = 0; round < 2 * 2 * LAM_RECUT_KINDS; round++) {
        const lam_recut how = {(lam_recut_kind)(round / 4), 1 + round % 2, codecs[round / 2 % 4],
                               9};
        bool keeps = round / 2 % 2;
        lam_file_sample sample = recut_sample(&how, &random);
        lam_error error = lam_error_none();
        lam_status status = move_rows(&sample, keeps, NULL, &error);
        if (goes_on(how.kind) && how.version == 2) {
            cr_assert_eq(status, LAM_STATUS_UNSUPPORTED, "round %d", round);
            cr_assert_not_null(strstr(error.message, "begin inside records"));
            cr_assert_eq(error.column, 0);
            cr_assert_eq(error.row_group, 0);
        } else {
            cr_assert_eq(status, LAM_STATUS_OK, "round %d: %s", round, error.message);
            expect_index(&sample, !goes_on(how.kind));
        }
        lam_file_sample_finish(&sample);
    }
}

/* The file says that the same writer wrote it: nobody is told more than before. */
Test(inside_records, a_file_that_goes_on_under_its_name_is_left_as_it_is) {
    lam_random random = lam_random_start(lam_test_seed(55));
    for (int version = 1; version <= 2; version++) {
        const lam_recut how = {LAM_RECUT_INSIDE, version, LAM_CODEC_SNAPPY, 9};
        lam_file_sample sample = recut_sample(&how, &random);
        cr_assert_eq(move_rows(&sample, true, "parquet-mr version 1.15.0 (build x)", NULL),
                     LAM_STATUS_OK);
        expect_index(&sample, true);
        lam_file_sample_finish(&sample);
    }
}
