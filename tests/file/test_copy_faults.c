/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of writers that are known for a fault of pages: refused where they have it, and copied or
 * kept where they do not.
 */
#include "file/copy/copy_faults.h"

#include <criterion/criterion.h>
#include <string.h>

#include "chunk/read/page_walk.h"
#include "file/copy/row_group_copy.h"
#include "file/copy/row_group_keep.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "file/unfinished_sample.h"
#include "file/write/file_writer.h"
#include "kernel/kernel.h"
#include "meta/known_faults.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/file_info.h"
#include "support/test_file.h"
#include "support/whole_footer.h"

#define ARROW_1 "parquet-cpp version 1.5.1-SNAPSHOT"
#define PARQUET_MR "parquet-mr version 1.2.8 (build x)"
#define DUCKDB "DuckDB version v1.5.0 (build x)"

static const char list_shape[] =
    "message m { optional group a (LIST) { repeated group list { optional int32 element; } }"
    " required int64 b; }";
static const char variant_shape[] =
    "message m { required group v (VARIANT(1)) { required binary metadata;"
    " required binary value; } }";

/* Copies all row groups of the reader's file into another one, or keeps them. */
static lam_status move_one_way(const lam_reader *reader, const char *created_by, bool keeps,
                               lam_error *error) {
    lam_writer_options options = lam_writer_options_default();
    options.created_by = created_by;
    lam_test_writer file = lam_test_write_as(lam_reader_schema(reader), &options);
    size_t count = lam_reader_row_group_count(reader);
    lam_status status = keeps ? lam_writer_keep_row_groups(file.writer, reader, error)
                              : lam_writer_copy_row_groups(file.writer, reader, 0, count, error);
    lam_test_drop(&file);
    return status;
}

/* Both, which agree. */
static lam_status move_all(const lam_reader *reader, const char *created_by, lam_error *error) {
    lam_status copied = move_one_way(reader, created_by, false, error);
    lam_status kept = move_one_way(reader, created_by, true, error);
    cr_assert_eq(copied, kept, "%s", error->message);
    return copied;
}

static void expect_moved(const lam_reader *reader) {
    lam_error error = lam_error_none();
    cr_assert_eq(move_all(reader, NULL, &error), LAM_STATUS_OK, "%s", error.message);
}

static void expect_refused(const lam_reader *reader, const char *found, size_t leaf) {
    lam_error error = lam_error_none();
    cr_assert_eq(move_all(reader, NULL, &error), LAM_STATUS_UNSUPPORTED, "%s", error.message);
    cr_assert_eq(strncmp(error.message, found, strlen(found)), 0, "%s", error.message);
    cr_assert_eq(error.column, (int32_t)leaf, "%s", error.message);
    cr_assert_eq(error.row_group, 0);
    /* The new footer would name the same writer: then the pages mean what they did. */
    cr_assert_eq(move_all(reader, lam_test_file_info(reader).created_by, &error), LAM_STATUS_OK,
                 "%s", error.message);
}

static lam_file_sample sample_of(const char *created_by, lam_codec codec, int32_t page_version) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    options.created_by = created_by;
    options.codec = codec;
    options.data_page_version = page_version;
    options.row_group_rows = 30;
    lam_file_sample_init(&sample, lam_test_schema(list_shape), 100, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* pyarrow 1.0.1 was refused whatever its pages were. */
Test(copy_faults, pages_of_v1_have_no_fault_of_v2_pages) {
    static const lam_codec codecs[] = {LAM_CODEC_SNAPPY, LAM_CODEC_UNCOMPRESSED};
    for (int i = 0; i < 4; i++) {
        lam_file_sample sample = sample_of(ARROW_1, codecs[i % 2], 1 + i / 2);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        if (i == 2) /* the few bytes of these pages are not compressed, and their headers say so */
            expect_refused(reader, "V2 pages that deny that they are compressed", 0);
        else
            expect_moved(reader);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* A file of one row group, of columns as they are: the writer checks nothing. */
static lam_file_sample sample_of_columns(const char *created_by, const char *shape,
                                         const lam_triples *columns, size_t record_count) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.created_by = created_by;
    lam_file_sample_init(&sample, lam_test_schema(shape), 1, 70, &random);
    lam_test_writer file = lam_test_write_as(sample.schema, &options);
    cr_assert_eq(lam_writer_write_checked(file.writer, columns, record_count, NULL), LAM_STATUS_OK);
    lam_buffer trial = lam_test_written(&file);
    lam_buffer_finish(&sample.bytes);
    sample.bytes = trial;
    return sample;
}

/* The size that a file states of its first chunk. */
static int64_t size_stated(const lam_buffer *bytes) {
    lam_footer_edit edit;
    lam_buffer copy = *bytes;
    lam_buffer_init(&copy, &bytes->allocator);
    cr_assert_eq(lam_buffer_append(&copy, bytes->data, bytes->size, NULL), LAM_STATUS_OK);
    lam_footer_edit_begin(&edit, &copy);
    int64_t size = lam_footer_edit_column(&edit, 0, 0)->total_compressed_size;
    lam_footer_edit_end(&edit);
    lam_buffer_finish(&copy);
    return size;
}

/*
 * A chunk whose stated size lacks the header of its dictionary was copied as stated, unless the
 * name of the writer was known for it: the copy lost its last bytes.
 */
Test(copy_faults, chunks_that_continue_past_their_stated_end_are_copied_whole) {
    static const char *const writers[] = {PARQUET_MR, "Impala version 2.3", "parquet-mr"};
    static int64_t numbers[5000];
    for (size_t i = 0; i < 5000; i++)
        numbers[i] = (int64_t)(i * i % 7) << 40;
    const lam_triples column = {5000, 5000, NULL, NULL, numbers};
    for (size_t i = 0; i < 2 * sizeof writers / sizeof writers[0]; i++) {
        lam_file_sample sample =
            sample_of_columns(writers[i / 2], "required int64 a;", &column, column.count);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_footer_change change;
        lam_footer_change_begin(&change, reader);
        lam_meta_column *first = lam_footer_change_column(&change, 0, 0);
        int64_t size = first->total_compressed_size;
        lam_page_walk walk;
        lam_chunk_range range;
        lam_meta_page_header page;
        uint64_t offset;
        cr_assert((first->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0);
        cr_assert_eq(lam_chunk_find(first, reader->footer.offset, &range, NULL), LAM_STATUS_OK);
        lam_page_walk_init(&walk, &reader->input, range, &reader->allocator);
        cr_assert_eq(lam_page_walk_next(&walk, &page, &offset, NULL), LAM_STATUS_OK);
        if (i % 2 == 1)
            first->total_compressed_size -= (int64_t)walk.hidden; /* of the dictionary's header */
        lam_page_walk_finish(&walk);
        lam_footer_change_apply(&change);
        expect_moved(reader);
        lam_test_writer file = lam_test_write_as(reader->schema, NULL);
        cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 0, 1, NULL), LAM_STATUS_OK);
        lam_buffer trial = lam_test_written(&file);
        cr_expect_eq(size_stated(&trial), size, "%s", writers[i / 2]);
        lam_buffer_finish(&trial);
        lam_footer_change_end(&change);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* Every list of DuckDB was refused, as one of its ARRAYs that is null has elements. */
Test(copy_faults, lists_are_refused_only_where_they_have_elements_that_do_not_exist) {
    static const uint8_t repetition[2][4] = {{0, 1, 0, 0}, {0, 1, 0, 1}};
    static const uint8_t definition[2][4] = {{3, 2, 0, 3}, {3, 2, 0, 0}};
    static const int32_t elements[] = {1, 2};
    static const int64_t numbers[] = {1, 2, 3};
    for (int has_ghost = 0; has_ghost < 2; has_ghost++) {
        size_t records = has_ghost ? 2 : 3;
        const lam_triples columns[] = {
            {4, has_ghost ? 1 : 2, repetition[has_ghost], definition[has_ghost], elements},
            {records, records, NULL, NULL, numbers}};
        lam_file_sample sample = sample_of_columns(DUCKDB, list_shape, columns, records);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        if (has_ghost)
            expect_refused(reader, "lists with elements that do not exist", 0);
        else
            expect_moved(reader);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

Test(copy_faults, variants_are_refused_only_where_sorted_names_are_not) {
    static const uint8_t sorted[] = {0x11, 2, 0, 1, 2, 'a', 'b'};
    static const uint8_t unsorted[] = {0x11, 2, 0, 1, 2, 'b', 'a'};
    static const uint8_t without_claim[] = {0x01, 2, 0, 1, 2, 'b', 'a'};
    static const uint8_t null_value[] = {0};
    for (int i = 0; i < 2; i++) {
        const lam_bytes names[] = {{sorted, sizeof sorted},
                                   {without_claim, sizeof without_claim},
                                   {i == 0 ? sorted : unsorted, sizeof sorted}};
        const lam_bytes values[] = {{null_value, 1}, {null_value, 1}, {null_value, 1}};
        const lam_triples columns[] = {{3, 3, NULL, NULL, names}, {3, 3, NULL, NULL, values}};
        lam_file_sample sample = sample_of_columns(DUCKDB, variant_shape, columns, 3);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        if (i == 1)
            expect_refused(reader, "names of VARIANTs that are not sorted", 0);
        else
            expect_moved(reader);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* Keeps the row group of a file that goes on, and compares which metadata its first chunk has. */
static void expect_kept(const char *created_by, bool statistics, bool column_index,
                        bool offset_index, bool bloom) {
    lam_random random = lam_random_start(lam_test_seed(2));
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    lam_trial_output whole = {0}, trial = {0};
    lam_output whole_output = lam_trial_output_open(&whole);
    lam_output output = lam_trial_output_open(&trial);
    lam_writer *writer;
    options.created_by = created_by;
    lam_file_sample_init(&sample, lam_test_schema("required binary s; required int32 n;"), 300, 70,
                         &random);
    cr_assert_eq(lam_writer_open(sample.schema, &whole_output, &options, &writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_bloom_filter(writer, "s", 0, 0, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_writer_sink(writer);
    for (size_t i = 0; i < sample.record_count; i++)
        cr_assert_eq(lam_tree_drive(sample.schema, &sample.records[i], &sink, NULL, false, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    sample.bytes = whole.bytes;
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    const lam_writer_inside inside = {lam_kernels_get(), NULL, sample.bytes.size, false};
    cr_assert_eq(lam_writer_open_with(&inside, sample.schema, &output, NULL, &writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_keep_row_groups(writer, reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    lam_reader_close(reader);
    cr_assert_eq(lam_buffer_append(&sample.bytes, trial.bytes.data, trial.bytes.size, NULL),
                 LAM_STATUS_OK);
    reader = lam_file_sample_open(&sample, NULL);
    lam_file_sample_expect_all(&sample, reader, NULL);
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_meta_column_chunk chunk;
    cr_assert_eq(lam_reader_decode_chunk(reader, 0, 0, &arena, &chunk, NULL), LAM_STATUS_OK);
    const lam_meta_column *column = chunk.meta_data;
    cr_expect_eq(column->statistics != NULL, statistics, "%s", created_by);
    cr_expect_eq((chunk.has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0, column_index,
                 "%s", created_by);
    cr_expect_eq((chunk.has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0, offset_index,
                 "%s", created_by);
    cr_expect_eq((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0, bloom, "%s",
                 created_by);
    lam_arena_finish(&arena);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    lam_file_sample_finish(&sample);
}

/* Bloom filters that may lack values came under a name that nobody distrusts. */
Test(copy_faults, what_is_not_trusted_is_left_out_when_row_groups_are_kept) {
    expect_kept("lamella", true, true, true, true);
    expect_kept("parquet-go version 18.4.0", true, true, true, false);
    expect_kept("parquet-go version 18.8.0", true, true, true, true);
    expect_kept("parquet-go version 1.6.2", true, false, false, true);
    expect_kept("parquet-rs version 4.0.0", false, false, true, true);
    expect_kept(ARROW_1, true, true, true, true);
}

/* --- One chunk, whatever its writer is called ------------------------------------------------ */

/* Looks for faults in a chunk of the sample's file; gives what was found. */
static lam_status search(const lam_file_sample *sample, size_t leaf, uint32_t faults,
                         lam_error *error) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    *error = lam_error_none();
    lam_status status = lam_copy_check_faults(reader, 0, leaf, faults, error);
    lam_reader_close(reader);
    return status;
}

/* Lists whose chunks are V2 pages, of which some say that they are not compressed. */
static lam_file_sample lists_of_pages(void) {
    lam_random random = lam_random_start(lam_test_seed(41));
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    options.codec = LAM_CODEC_SNAPPY;
    options.data_page_version = 2;
    options.page_rows = 10;
    lam_file_sample_init(&sample, lam_test_schema(list_shape), 100, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

Test(copy_faults, the_first_fault_that_is_found_is_the_one_that_is_named) {
    const uint32_t all =
        LAM_FAULT_V2_COMPRESSION | LAM_FAULT_ARRAY_LEVELS | LAM_FAULT_SORTED_VARIANTS;
    lam_file_sample sample = lists_of_pages();
    lam_error error;
    lam_footer_edit edit;
    cr_assert_eq(search(&sample, 0, all, &error), LAM_STATUS_UNSUPPORTED);
    cr_assert_not_null(strstr(error.message, "deny that they are compressed"), "%s", error.message);
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_footer_edit_column(&edit, 0, 0)->num_values = 0;
    lam_footer_edit_end(&edit);
    cr_assert_eq(search(&sample, 0, all, &error), LAM_STATUS_OK, "a chunk without pages");
    lam_file_sample_finish(&sample);
}

/* A copy under another name would be read from each page alone. (PARQUET-246) */
Test(copy_faults, byte_arrays_that_may_go_on_from_page_to_page_are_not_copied) {
    static const int32_t encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_DELTA_BINARY_PACKED,
                                        LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                        LAM_ENCODING_DELTA_BYTE_ARRAY};
    const lam_bytes text = {(const uint8_t *)"a", 1};
    const lam_triples column = {1, 1, NULL, NULL, &text};
    for (size_t i = 0; i < 4; i++) {
        lam_file_sample sample =
            sample_of_columns(PARQUET_MR, "message m { required binary a; }", &column, 1);
        lam_error error;
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_footer_edit_column(&edit, 0, 0)->encodings = (lam_meta_i32_list){&encodings[i], 1};
        lam_footer_edit_end(&edit);
        cr_expect_eq(search(&sample, 0, LAM_FAULT_SEQUEL_PAGES, &error),
                     i < 2 ? LAM_STATUS_OK : LAM_STATUS_UNSUPPORTED, "%s", error.message);
        cr_expect(i < 2 || strstr(error.message, "may go on") != NULL, "%s", error.message);
        lam_file_sample_finish(&sample);
    }
}

Test(copy_faults, pages_that_admit_their_compression_are_copied) {
    static int64_t numbers[5000];
    const lam_triples column = {5000, 5000, NULL, NULL, numbers};
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    lam_error error;
    options.codec = LAM_CODEC_SNAPPY;
    options.data_page_version = 2;
    options.dictionary = LAM_SWITCH_OFF;
    lam_file_sample_init(&sample, lam_test_schema("required int64 a;"), 1, 70, &random);
    lam_test_writer file = lam_test_write_as(sample.schema, &options);
    lam_test_put_triples(&file, &column, 5000);
    sample.bytes = lam_test_written(&file);
    cr_assert_eq(search(&sample, 0, LAM_FAULT_V2_COMPRESSION, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_file_sample_finish(&sample);
}

Test(copy_faults, pages_that_cannot_be_read_are_reported_where_they_are) {
    static const uint32_t faults[] = {LAM_FAULT_V2_COMPRESSION, LAM_FAULT_ARRAY_LEVELS};
    for (int i = 0; i < 4; i++) {
        lam_file_sample sample = lists_of_pages();
        lam_error error;
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
        if (i < 2)
            column->total_compressed_size = INT64_MAX;
        else
            memset(sample.bytes.data + column->data_page_offset, 0xFF, 8);
        lam_footer_edit_end(&edit);
        cr_assert_eq(search(&sample, 0, faults[i % 2], &error), LAM_STATUS_CORRUPT);
        cr_expect_eq(error.row_group, 0, "case %d", i);
        cr_expect_eq(error.column, 0, "case %d", i);
        lam_file_sample_finish(&sample);
    }
}

/* --- VARIANTs -------------------------------------------------------------------------------- */

static const char other_shape[] =
    "message m { required group v (VARIANT(1)) { required binary metadata; required binary value;"
    " required binary datameta; required int64 n; required group t { required binary metadata; } }"
    " }";

/* What begins with `metadata` elsewhere, or is called otherwise, is not looked at. */
Test(copy_faults, only_the_metadata_of_a_variant_have_names) {
    static const uint8_t unsorted[] = {0x11, 2, 0, 1, 2, 'b', 'a'};
    static const uint8_t nothing[] = {0x01, 0, 0};
    const lam_bytes good = {nothing, sizeof nothing}, bad = {unsorted, sizeof unsorted};
    const int64_t number = 0x11;
    const lam_triples columns[] = {{1, 1, NULL, NULL, &good},
                                   {1, 1, NULL, NULL, &bad},
                                   {1, 1, NULL, NULL, &bad},
                                   {1, 1, NULL, NULL, &number},
                                   {1, 1, NULL, NULL, &bad}};
    lam_file_sample sample = sample_of_columns(DUCKDB, other_shape, columns, 1);
    lam_error error;
    for (size_t leaf = 0; leaf < 5; leaf++)
        cr_assert_eq(search(&sample, leaf, LAM_FAULT_SORTED_VARIANTS, &error), LAM_STATUS_OK,
                     "leaf %zu: %s", leaf, error.message);
    lam_file_sample_finish(&sample);
}

Test(copy_faults, names_that_cannot_be_read_are_not_sorted_and_no_names_are) {
    static const uint8_t torn[] = {0x11, 9, 0};
    static const uint8_t sorted[] = {0x11, 2, 0, 1, 2, 'a', 'b'};
    static const uint8_t null_value[] = {0};
    const lam_bytes values[] = {{null_value, 1}, {null_value, 1}, {null_value, 1}};
    for (int i = 0; i < 3; i++) {
        const lam_bytes again = {sorted, sizeof sorted}, none = {sorted, 0};
        const lam_bytes names[] = {again, i == 0 ? (lam_bytes){torn, sizeof torn} : again,
                                   i == 1 ? none : again};
        const lam_triples columns[] = {{3, 3, NULL, NULL, names}, {3, 3, NULL, NULL, values}};
        lam_file_sample sample = sample_of_columns(DUCKDB, variant_shape, columns, 3);
        lam_error error;
        cr_assert_eq(search(&sample, 0, LAM_FAULT_SORTED_VARIANTS, &error),
                     i == 0 ? LAM_STATUS_UNSUPPORTED : LAM_STATUS_OK, "case %d", i);
        lam_file_sample_finish(&sample);
    }
}

/* --- Ends ------------------------------------------------------------------------------------ */

/* Looks for one fault with memory that ends, or with an input that does. */
static lam_status search_ending(const lam_file_sample *sample, uint32_t faults, size_t no_memory_at,
                                size_t no_read_at) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_ending_input ending = {.file = lam_buffer_bytes(&sample->bytes)};
    lam_input input = lam_ending_input_of(&ending);
    lam_reader_options options = lam_reader_options_default();
    lam_error error = lam_error_none();
    options.allocator = &allocator;
    lam_reader *reader = lam_test_open_input(&input, &options);
    lam_ending_input_again(&ending, no_read_at, 0);
    if (no_memory_at > 0)
        counter.fail_at = counter.requests + no_memory_at;
    lam_status status = lam_copy_check_faults(reader, 0, 0, faults, &error);
    cr_assert_eq(status == LAM_STATUS_OK, error.message[0] == '\0');
    lam_reader_close(reader);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    return status;
}

Test(copy_faults, a_search_ends_cleanly_where_memory_or_a_read_fails) {
    static const uint8_t sorted[] = {0x11, 2, 0, 1, 2, 'a', 'b'};
    const lam_bytes name = {sorted, sizeof sorted};
    const lam_triples columns[] = {{1, 1, NULL, NULL, &name}, {1, 1, NULL, NULL, &name}};
    lam_file_sample samples[] = {lists_of_pages(), lists_of_pages(),
                                 sample_of_columns(DUCKDB, variant_shape, columns, 1)};
    static const uint32_t faults[] = {LAM_FAULT_V2_COMPRESSION, LAM_FAULT_ARRAY_LEVELS,
                                      LAM_FAULT_SORTED_VARIANTS};
    for (size_t i = 0; i < 3; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t at = 1;
        const lam_status end = i == 0 ? LAM_STATUS_UNSUPPORTED : LAM_STATUS_OK;
        for (; status != end; at++) {
            status = search_ending(&samples[i], faults[i], at, 0);
            cr_assert(status == end || status == LAM_STATUS_NOMEM);
        }
        cr_assert_gt(at, 2);
        for (at = 1, status = LAM_STATUS_IO; status != end; at++) {
            status = search_ending(&samples[i], faults[i], 0, at);
            cr_assert(status == end || status == LAM_STATUS_IO);
        }
        cr_assert_gt(at, 2);
        lam_file_sample_finish(&samples[i]);
    }
}
