/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader tells of its footer: numbers that are left out, bounds, sizes and codecs. */
#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "support/failing_alloc.h"
#include "support/file_info.h"

/* A reader whose footer says what the test wants, without a file behind it. */
typedef struct info_sample {
    lam_schema *schema;
    lam_reader reader;
    lam_meta_file meta;
    lam_meta_row_group group;
    lam_meta_column_chunk chunk;
    lam_meta_column column;
    lam_meta_statistics statistics;
} info_sample;

/* Makes the reader see the structs as they are now. */
static void show(info_sample *sample) {
    lam_buffer bytes;
    lam_buffer_init(&bytes, &sample->reader.allocator);
    lam_footer_view_finish(&sample->reader.footer, &sample->reader.allocator);
    cr_assert_eq(lam_meta_write_file(&sample->meta, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_view_copy(lam_buffer_bytes(&bytes), 0, &sample->reader.arena,
                                      &sample->reader.footer, NULL),
                 LAM_STATUS_OK);
    lam_buffer_finish(&bytes);
}

static void start(info_sample *sample) {
    memset(sample, 0, sizeof *sample);
    sample->schema = lam_test_schema("message m { required int32 a; }");
    sample->chunk.meta_data = &sample->column;
    sample->group.columns.items = &sample->chunk;
    sample->group.columns.count = 1;
    sample->reader.schema = sample->schema;
    sample->reader.allocator = lam_allocator_default();
    lam_arena_init(&sample->reader.arena, &sample->reader.allocator, 0);
    sample->meta.row_groups.items = &sample->group;
    sample->meta.row_groups.count = 1;
    show(sample);
}

static void finish(info_sample *sample) {
    lam_footer_view_finish(&sample->reader.footer, &sample->reader.allocator);
    lam_arena_finish(&sample->reader.arena);
    lam_schema_destroy(sample->schema);
}

static lam_column_chunk_info info_of(info_sample *sample) {
    show(sample);
    lam_column_chunk_info info = lam_column_chunk_info_default();
    cr_assert_eq(lam_reader_column_chunk(&sample->reader, 0, 0, &info, NULL), LAM_STATUS_OK);
    return info;
}

static bool is_text(lam_bytes bytes, const char *text) {
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

static lam_bytes text_of(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

Test(file_info, numbers_that_a_footer_leaves_out_are_minus_one) {
    info_sample sample;
    start(&sample);
    lam_column_chunk_info info = info_of(&sample);
    cr_assert_eq(info.dictionary_page_offset, -1);
    cr_assert_eq(info.offset_index_offset, -1);
    cr_assert_eq(info.column_index_offset, -1);
    cr_assert_eq(info.bloom_filter_offset, -1);
    cr_assert_eq(info.null_count, -1);
    cr_assert_eq(info.distinct_count, -1);
    cr_assert_null(info.min_value.data);
    cr_assert_null(info.max_value.data);
    lam_row_group_info group = lam_row_group_info_default();
    cr_assert_eq(lam_reader_row_group(&sample.reader, 0, &group, NULL), LAM_STATUS_OK);
    cr_assert_eq(group.total_compressed_size, -1);
    cr_assert_eq(group.file_offset, -1);
    cr_assert_null(lam_test_file_info(&sample.reader).created_by);
    finish(&sample);
}

Test(file_info, what_the_footer_says_is_given) {
    info_sample sample;
    start(&sample);
    static const int32_t encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE_DICTIONARY, 31, 32, -1,
                                        INT32_MAX};
    sample.column.encodings = (lam_meta_i32_list){encodings, 6};
    sample.column.codec = 6;
    sample.column.num_values = 77;
    sample.column.data_page_offset = 1000;
    sample.column.has =
        LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET;
    sample.column.dictionary_page_offset = 900;
    sample.column.bloom_filter_offset = 800;
    sample.chunk.has = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                       LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET;
    sample.chunk.offset_index_offset = 700;
    sample.chunk.column_index_offset = 600;
    lam_column_chunk_info info = info_of(&sample);
    cr_assert_eq(info.leaf, lam_schema_leaf(sample.schema, 0));
    cr_assert_eq(info.codec, LAM_CODEC_ZSTD);
    cr_assert_eq(info.codec_number, 6);
    cr_assert_eq(info.encodings, UINT32_C(1) << 0 | UINT32_C(1) << 8 | UINT32_C(1) << 31);
    cr_assert_eq(info.value_count, 77);
    cr_assert_eq(info.data_page_offset, 1000);
    cr_assert_eq(info.dictionary_page_offset, 900);
    cr_assert_eq(info.bloom_filter_offset, 800);
    cr_assert_eq(info.offset_index_offset, 700);
    cr_assert_eq(info.column_index_offset, 600);
    finish(&sample);
}

Test(file_info, codecs_are_named_by_their_numbers_in_the_format) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                       LAM_CODEC_LZO,          LAM_CODEC_BROTLI, LAM_CODEC_LZ4,
                                       LAM_CODEC_ZSTD,         LAM_CODEC_LZ4_RAW};
    info_sample sample;
    start(&sample);
    for (int32_t number = -2; number < 12; number++) {
        sample.column.codec = number;
        lam_column_chunk_info info = info_of(&sample);
        bool is_known = number >= 0 && number < 8;
        cr_assert_eq(info.codec, is_known ? codecs[number] : LAM_CODEC_DEFAULT);
        cr_assert_eq(info.codec_number, number);
    }
    finish(&sample);
}

Test(file_info, the_bounds_in_the_columns_order_win_over_the_old_ones) {
    info_sample sample;
    start(&sample);
    sample.column.statistics = &sample.statistics;
    sample.statistics.min = text_of("old min");
    sample.statistics.max = text_of("old max");
    sample.statistics.min_value = text_of("min");
    sample.statistics.max_value = text_of("max");
    sample.statistics.null_count = 3;
    sample.statistics.distinct_count = 4;
    sample.statistics.has = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    lam_column_chunk_info info = info_of(&sample);
    cr_assert(is_text(info.min_value, "old min") && is_text(info.max_value, "old max"));
    cr_assert_eq(info.null_count, -1);
    sample.statistics.has |= LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE |
                             LAM_META_STATISTICS_HAS_NULL_COUNT |
                             LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
    info = info_of(&sample);
    cr_assert(is_text(info.min_value, "min") && is_text(info.max_value, "max"));
    cr_assert_eq(info.null_count, 3);
    cr_assert_eq(info.distinct_count, 4);
    finish(&sample);
}

Test(file_info, sizes_and_counts_are_those_of_the_file) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 30;
    options.page_index = LAM_SWITCH_OFF; /* nothing stands between the row groups and the footer */
    lam_file_sample_init(&sample, lam_test_schema("message m { optional int32 a; }"), 100, 50,
                         &random);
    lam_file_sample_write(&sample, &options, NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    cr_assert_eq(lam_test_file_info(reader).file_size, sample.bytes.size);
    cr_assert_eq(lam_reader_row_count(reader), 100);
    cr_assert_eq(lam_reader_row_group_count(reader), 4);
    cr_assert_eq(lam_test_file_info(reader).version, 2);
    uint64_t rows = 0;
    int64_t bytes = 4;
    for (size_t i = 0; i < 4; i++) {
        lam_row_group_info group = lam_row_group_info_default();
        cr_assert_eq(lam_reader_row_group(reader, i, &group, NULL), LAM_STATUS_OK);
        cr_assert_eq(group.file_offset, bytes);
        rows += group.row_count;
        bytes += group.total_compressed_size;
    }
    cr_assert_eq(rows, 100);
    cr_assert_eq((uint64_t)bytes + lam_test_file_info(reader).footer_size + 8, sample.bytes.size);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* Whether the file has what the writer gets wrong cannot be told then. */
Test(file_info, a_fault_that_cannot_be_searched_for_is_reported) {
    info_sample sample;
    lam_failing_alloc counter = {.fail_at = 1, .fails_on = true};
    start(&sample);
    sample.meta.has |= LAM_META_FILE_HAS_CREATED_BY;
    sample.meta.created_by = text_of("parquet-go version 18.4.0");
    show(&sample);
    sample.reader.faults = lam_known_faults(sample.meta.created_by);
    cr_assert_null(lam_reader_known_fault(&sample.reader, 0), "there is no Bloom filter");
    lam_allocator before = sample.reader.allocator;
    sample.reader.allocator = lam_failing_allocator(&counter);
    const char *text = lam_reader_known_fault(&sample.reader, 0);
    sample.reader.allocator = before;
    cr_assert_not_null(text);
    cr_assert_not_null(strstr(text, "Bloom filters"));
    cr_assert_eq(counter.live_bytes, 0);
    finish(&sample);
}
