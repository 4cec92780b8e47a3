/* SPDX-License-Identifier: Apache-2.0 */
/* Column and offset indexes stand in front of the footer, as the format wants them. */
#include "file/write/page_index_write.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <lamella/writer.h>

#include "file/file_sample.h"
#include "file/read/footer.h"
#include "support/whole_footer.h"

/* Writes numbers in several row groups and pages; gives the footer, memory of `arena`. */
static lam_footer write_numbers(const lam_writer_options *options, lam_arena *arena,
                                lam_trial_output *trial) {
    static const int32_t numbers[] = {3, 1, 2, 3, 3, 9, 8, 8, 7, 3};
    static const double doubles[] = {3, 1, 2, 3, 3, 9, 8, 8, 7, 3};
    const lam_triples columns[] = {{10, 10, NULL, NULL, numbers}, {10, 10, NULL, NULL, doubles}};
    lam_allocator allocator = lam_allocator_default();
    lam_writer_options own = *options;
    lam_footer footer;
    own.row_group_rows = 6;
    own.page_rows = 2;
    memset(trial, 0, sizeof *trial);
    lam_arena_init(arena, &allocator, 0);
    lam_test_writer file =
        lam_test_write("message m { required int32 a; required double b; }", &own);
    cr_assert_eq(lam_writer_set_encoding(file.writer, "a", LAM_ENCODING_RLE_DICTIONARY, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_encoding(file.writer, "b", LAM_ENCODING_PLAIN, NULL),
                 LAM_STATUS_OK);
    lam_test_put_triples(&file, columns, 10);
    trial->bytes = lam_test_written(&file);
    lam_input input = lam_input_memory(trial->bytes.data, trial->bytes.size);
    cr_assert_eq(lam_footer_read(&input, arena, &footer, NULL), LAM_STATUS_OK);
    return footer;
}

static const lam_meta_column_chunk *chunk_at(const lam_footer *footer, size_t index) {
    return &footer->meta.row_groups.items[index / 2].columns.items[index % 2];
}

Test(page_index_write, column_indexes_and_then_offset_indexes_stand_in_front_of_the_footer) {
    lam_writer_options options = lam_writer_options_default();
    lam_trial_output trial;
    lam_arena arena;
    lam_footer footer = write_numbers(&options, &arena, &trial);
    const lam_meta_row_group *last = &footer.meta.row_groups.items[1];
    int64_t at = last->file_offset + last->total_compressed_size;
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(chunk_at(&footer, i)->column_index_offset, at, "chunk %zu", i);
        at += chunk_at(&footer, i)->column_index_length;
    }
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(chunk_at(&footer, i)->offset_index_offset, at, "chunk %zu", i);
        at += chunk_at(&footer, i)->offset_index_length;
    }
    cr_assert_eq((uint64_t)at, footer.offset);
    lam_arena_finish(&arena);
    lam_trial_output_free(&trial);
}

Test(page_index_write, what_is_not_wanted_is_left_out) {
    enum {
        COLUMN = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET,
        OFFSET = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET
    };
    for (int way = 0; way < 4; way++) {
        lam_writer_options options = lam_writer_options_default();
        lam_trial_output trial;
        lam_arena arena;
        options.statistics = (way & 1) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        options.page_index = (way & 2) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        lam_footer footer = write_numbers(&options, &arena, &trial);
        const lam_meta_column_chunk *chunk = chunk_at(&footer, 1);
        cr_expect_eq((chunk->has & COLUMN) != 0, way == 0);
        cr_expect_eq((chunk->has & OFFSET) != 0, way == 0 || way == 1);
        cr_expect_eq(chunk->meta_data->statistics != NULL, way == 0 || way == 2);
        lam_arena_finish(&arena);
        lam_trial_output_free(&trial);
    }
}

Test(page_index_write, a_whole_dictionary_counts_the_distinct_values_and_pages_are_counted) {
    lam_writer_options options = lam_writer_options_default();
    lam_trial_output trial;
    lam_arena arena;
    lam_footer footer = write_numbers(&options, &arena, &trial);
    const lam_meta_column *a = chunk_at(&footer, 0)->meta_data;
    const lam_meta_column *b = chunk_at(&footer, 1)->meta_data;
    cr_assert((a->statistics->has & LAM_META_STATISTICS_HAS_DISTINCT_COUNT) != 0);
    cr_assert_eq(a->statistics->distinct_count, 4); /* 3 1 2 3 3 9 */
    cr_assert((b->statistics->has & LAM_META_STATISTICS_HAS_DISTINCT_COUNT) == 0);
    cr_assert_eq(a->encoding_stats.count, 2);
    cr_assert_eq(a->encoding_stats.items[0].page_type, LAM_PAGE_DICTIONARY);
    cr_assert_eq(a->encoding_stats.items[0].count, 1);
    cr_assert_eq(a->encoding_stats.items[1].encoding, LAM_ENCODING_RLE_DICTIONARY);
    cr_assert_eq(a->encoding_stats.items[1].count, 3);
    cr_assert_eq(b->encoding_stats.count, 1);
    cr_assert_eq(b->encoding_stats.items[0].encoding, LAM_ENCODING_PLAIN);
    cr_assert_eq(b->encoding_stats.items[0].count, 3);
    lam_arena_finish(&arena);
    lam_trial_output_free(&trial);
}
