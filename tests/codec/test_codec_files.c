/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other writers in the codecs of this folder, through the public reader. */
#include <lamella/reader.h>
#include <lamella/scan.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "support/shared.h"

static lam_status begin(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status group(void *state, const lam_field *field, lam_error *error) {
    (void)state, (void)field, (void)error;
    return LAM_STATUS_OK;
}

/* Keeps all values as text in a lam_buffer, each with a blank behind. */
static lam_status put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    char text[64];
    int size = 0;
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_INT32:
        size = snprintf(text, sizeof text, "%" PRId32, value.int32);
        break;
    case LAM_PHYSICAL_INT64:
        size = snprintf(text, sizeof text, "%" PRId64, value.int64);
        break;
    case LAM_PHYSICAL_DOUBLE:
        size = snprintf(text, sizeof text, "%g", value.float64);
        break;
    default:
        cr_assert_eq(lam_buffer_append(state, value.bytes.data, value.bytes.size, error), 0);
        break;
    }
    cr_assert_eq(lam_buffer_append(state, text, (size_t)size, error), LAM_STATUS_OK);
    return lam_buffer_append(state, " ", 1, error);
}

static lam_buffer no_text(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    return text;
}

static lam_reader *open_file(const char *name) {
    char path[200];
    lam_reader *reader;
    snprintf(path, sizeof path, "parquet-testing/data/%s", name);
    if (!lam_test_shared_exists(path))
        cr_skip_test("no shared %s", path);
    cr_assert_eq(lam_reader_open_file(lam_test_shared(path), NULL, &reader, NULL), LAM_STATUS_OK);
    return reader;
}

/* Reads all records of some leaves. */
static lam_status read_leaves(const lam_reader *reader, const bool *leaves, lam_buffer *text,
                              uint64_t *ret_rows, lam_error *error) {
    lam_record_sink sink = {text, begin, group, put, group, begin, NULL};
    lam_record_reader *records;
    cr_assert_eq(lam_record_reader_open(reader, leaves, &records, error), LAM_STATUS_OK);
    lam_status status = lam_record_reader_read(records, &sink, UINT64_MAX, ret_rows, error);
    lam_record_reader_close(records);
    return status;
}

/* What a whole file in a codec says. */
static lam_buffer transcribe(const char *name, lam_codec codec, uint64_t rows) {
    lam_reader *reader = open_file(name);
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_buffer text = no_text();
    uint64_t found = 0;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_reader_column_chunk(reader, 0, 0, &info, NULL), LAM_STATUS_OK);
    cr_assert_eq(info.codec, codec);
    cr_assert_eq(read_leaves(reader, NULL, &text, &found, &error), LAM_STATUS_OK, "%s: %s", name,
                 error.message);
    cr_assert_eq(found, rows);
    lam_reader_close(reader);
    cr_assert_eq(lam_buffer_append_byte(&text, 0, NULL), LAM_STATUS_OK);
    return text;
}

static void expect(const char *name, lam_codec codec, uint64_t rows, const char *expected) {
    lam_buffer text = transcribe(name, codec, rows);
    cr_assert_str_eq((const char *)text.data, expected);
    lam_buffer_finish(&text);
}

Test(codec_files, several_gzip_members_in_a_page) {
    char expected[513 * 4 + 1];
    size_t size = 0;
    for (int i = 1; i <= 513; i++)
        size += (size_t)snprintf(expected + size, sizeof expected - size, "%d ", i);
    expect("concatenated_gzip_members.parquet", LAM_CODEC_GZIP, 513, expected);
}

#ifdef LAM_HAVE_LZ4
static const char small_file[] = "1593604800 abc 42 1593604800 def 7.7 "
                                 "1593604801 abc 42.125 1593604801 def 7.7 ";

Test(codec_files, lz4_in_hadoops_blocks) {
    expect("hadoop_lz4_compressed.parquet", LAM_CODEC_LZ4, 4, small_file);
}

Test(codec_files, lz4_without_hadoop) {
    expect("non_hadoop_lz4_compressed.parquet", LAM_CODEC_LZ4, 4, small_file);
}

Test(codec_files, lz4_raw) {
    expect("lz4_raw_compressed.parquet", LAM_CODEC_LZ4_RAW, 4, small_file);
}

Test(codec_files, lz4_in_several_hadoop_blocks_is_what_lz4_raw_is) {
    static const char front[] = "c7ce6bef-d5b0-4863-b199-8ea8c7fb117b "
                                "e8fb9197-cb9f-4118-b67f-fbfa65f61843 ";
    static const char back[] = " ab52a0cc-c6bb-4d61-8a8f-166dc4b8b13c "
                               "85440778-460a-41ac-aa2e-ac3ee41696bf ";
    lam_buffer text = transcribe("lz4_raw_compressed_larger.parquet", LAM_CODEC_LZ4_RAW, 10000);
    const char *raw = (const char *)text.data;
    cr_assert_eq(strlen(raw), 10000 * 37);
    cr_assert_eq(strncmp(raw, front, strlen(front)), 0);
    cr_assert_str_eq(raw + strlen(raw) - strlen(back), back);
    expect("hadoop_lz4_compressed_larger.parquet", LAM_CODEC_LZ4, 10000, raw);
    lam_buffer_finish(&text);
}
#endif

#ifdef LAM_HAVE_BROTLI
Test(codec_files, a_brotli_page_of_a_gibibyte_is_above_the_limit_and_costs_its_column_only) {
    lam_reader *reader = open_file("large_string_map.brotli.parquet");
    lam_error error = lam_error_none();
    lam_buffer text = no_text();
    uint64_t rows = 0;
    static const bool keys[] = {true, false}, values[] = {false, true};
    cr_assert_eq(read_leaves(reader, keys, &text, &rows, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.column, 0);
    cr_assert_eq(read_leaves(reader, values, &text, &rows, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(rows, 2);
    cr_assert_eq(text.size, 4);
    cr_assert_arr_eq(text.data, "1 1 ", 4);
    lam_buffer_finish(&text);
    lam_reader_close(reader);
}
#endif
