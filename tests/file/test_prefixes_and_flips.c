/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files in every encoding, codec, page version and nesting that are written, cut short at
 * every byte, and with every byte changed: the right rows or a clean failure.
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/read_everything.h"
#include "support/file_info.h"

/* Of the bytes to change a part must do, instrumented of the lengths to cut, too. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
enum { CUT_STEP = 7, FLIP_STEP = 11 };
#else
enum { CUT_STEP = 1, FLIP_STEP = 3 };
#endif

enum { FILES = 40, FILES_WITH_CHECKSUMS = 20, RECORDS = 10, SIZE_MAX_OF_FILE = 8192 };

/* --- Files ----------------------------------------------------------------------------------- */

static const char *const shapes[] = {
    "message m { required boolean a; required int32 b; required int64 c; required float d;"
    "            required double e; required binary f; required fixed_len_byte_array(5) g; }",
    "message m { optional boolean a; optional int32 b; optional int64 c; optional float d;"
    "            optional double e; optional binary f; optional fixed_len_byte_array(5) g;"
    "            optional int96 h; }",
    "message m { optional group l (LIST) { repeated group list { optional int64 element; } }"
    "            repeated double d; repeated binary b; repeated boolean o; repeated float f; }",
    "message m { optional group l (LIST) { repeated group list { optional group element {"
    "              optional fixed_len_byte_array(3) x; required int32 y; repeated binary z;"
    "              optional group g { required double d; required float f; } } } } }",
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD,
                                   LAM_CODEC_GZIP,         LAM_CODEC_BROTLI, LAM_CODEC_LZ4_RAW};
enum { CODECS = sizeof codecs / sizeof codecs[0] };

/* The encodings of each type, as often as needed; from `round` on, so that all come up. */
static lam_encoding encoding_of(lam_physical_type type, int round) {
    static const lam_encoding all[][4] = {
        [LAM_PHYSICAL_BOOLEAN] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE, LAM_ENCODING_PLAIN,
                                  LAM_ENCODING_RLE},
        [LAM_PHYSICAL_INT32] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE_DICTIONARY,
                                LAM_ENCODING_DELTA_BINARY_PACKED, LAM_ENCODING_BYTE_STREAM_SPLIT},
        [LAM_PHYSICAL_INT64] = {LAM_ENCODING_DELTA_BINARY_PACKED, LAM_ENCODING_PLAIN,
                                LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_ENCODING_RLE_DICTIONARY},
        [LAM_PHYSICAL_INT96] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE_DICTIONARY, LAM_ENCODING_PLAIN,
                                LAM_ENCODING_RLE_DICTIONARY},
        [LAM_PHYSICAL_FLOAT] = {LAM_ENCODING_ALP, LAM_ENCODING_PLAIN,
                                LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_ENCODING_RLE_DICTIONARY},
        [LAM_PHYSICAL_DOUBLE] = {LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_ENCODING_ALP,
                                 LAM_ENCODING_RLE_DICTIONARY, LAM_ENCODING_PLAIN},
        [LAM_PHYSICAL_BYTE_ARRAY] = {LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                     LAM_ENCODING_DELTA_BYTE_ARRAY, LAM_ENCODING_PLAIN,
                                     LAM_ENCODING_RLE_DICTIONARY},
        [LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY] = {LAM_ENCODING_PLAIN, LAM_ENCODING_DELTA_BYTE_ARRAY,
                                               LAM_ENCODING_RLE_DICTIONARY,
                                               LAM_ENCODING_BYTE_STREAM_SPLIT},
    };
    return all[type][round % 4];
}

static void set_encodings(lam_writer *writer, int round) {
    const lam_schema *schema = lam_writer_schema(writer);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        char path[100];
        lam_error error = lam_error_none();
        lam_field_path(leaf, path, sizeof path);
        lam_encoding encoding = encoding_of(lam_field_physical_type(leaf), round);
        cr_assert_eq(lam_writer_set_encoding(writer, path, encoding, &error), LAM_STATUS_OK, "%s",
                     error.message);
    }
}

static void write_records(lam_file_sample *sample, const lam_writer_options *options, int round) {
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer *writer;
    lam_error error = lam_error_none();
    lam_writer_options chosen = *options;
    lam_status status = lam_writer_open(sample->schema, &output, &chosen, &writer, &error);
    if (status == LAM_STATUS_UNSUPPORTED) { /* a codec that is not in this build */
        chosen.codec = LAM_CODEC_UNCOMPRESSED;
        status = lam_writer_open(sample->schema, &output, &chosen, &writer, &error);
    }
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    set_encodings(writer, round);
    lam_record_sink sink = lam_writer_sink(writer);
    for (size_t i = 0; i < sample->record_count; i++)
        cr_assert_eq(lam_tree_drive(lam_writer_schema(writer), &sample->records[i], &sink, NULL,
                                    false, &error),
                     LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
    lam_writer_close(writer);
    sample->bytes = trial.bytes;
}

/* Writes file `index` of all, and reads it back as it is. The first ones have checksums. */
static void make_file(lam_file_sample *sample, int index) {
    int round = index / SHAPES;
    lam_random random = lam_random_start(lam_test_seed(20) + (uint64_t)index);
    lam_file_sample_init(sample, lam_test_schema(shapes[index % SHAPES]), RECORDS, 70, &random);
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[(index + round) % CODECS];
    options.data_page_version = 1 + (index / 2 + round) % 2;
    options.page_rows = round % 3 == 0 && round < 9 ? 4 : 0;
    options.row_group_rows = round % 4 == 1 && round < 9 ? 6 : 0;
    options.page_crc = index >= FILES_WITH_CHECKSUMS ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    write_records(sample, &options, round);
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_file_sample_expect_all(sample, reader, NULL);
    lam_reader_close(reader);
}

/* A copy of its own size, so that a read behind it is seen. */
static lam_everything read_bytes(const uint8_t *bytes, size_t size, const char *name) {
    uint8_t *copy = malloc(size + (size == 0));
    cr_assert_not_null(copy);
    memcpy(copy, bytes, size);
    lam_input input = lam_input_memory(copy, size);
    lam_everything all = lam_read_everything(&input, name);
    if (all.error.status == LAM_STATUS_OK)
        cr_assert_eq(all.record_count, all.row_count, "%s", name);
    free(copy);
    return all;
}

/* --- Prefixes -------------------------------------------------------------------------------- */

Test(prefixes_and_flips, no_prefix_of_a_file_is_a_file) {
    for (int index = 0; index < FILES; index++) {
        lam_file_sample sample;
        make_file(&sample, index);
        for (size_t size = 0; size < sample.bytes.size; size += CUT_STEP) {
            lam_everything all = read_bytes(sample.bytes.data, size, "prefix");
            cr_assert_eq(all.opened, LAM_STATUS_CORRUPT, "%zu bytes of file %d", size, index);
        }
        lam_file_sample_finish(&sample);
    }
}

/* The offset behind the last page. */
static size_t end_of_pages(const lam_file_sample *sample, size_t *ret_footer) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_row_group_info last = lam_row_group_info_default();
    size_t groups = lam_reader_row_group_count(reader);
    cr_assert_eq(lam_reader_row_group(reader, groups - 1, &last, NULL), LAM_STATUS_OK);
    *ret_footer = sample->bytes.size - lam_test_file_info(reader).footer_size - 8;
    lam_reader_close(reader);
    return (size_t)(last.file_offset + last.total_compressed_size);
}

/* The footer is there and pages are not: what is cut away is missed, and what is left is read. */
Test(prefixes_and_flips, bytes_that_are_missing_before_the_footer_are_missed) {
    enum { STEP = 3 * CUT_STEP };
    for (int index = 0; index < FILES; index += 2) {
        lam_file_sample sample;
        make_file(&sample, index);
        size_t footer, pages = end_of_pages(&sample, &footer);
        size_t tail = sample.bytes.size - footer;
        uint8_t *cut = malloc(sample.bytes.size);
        for (size_t size = 4; size < pages; size += STEP) {
            memcpy(cut, sample.bytes.data, size);
            memcpy(cut + size, sample.bytes.data + footer, tail);
            lam_everything all = read_bytes(cut, size + tail, "hole");
            cr_assert_eq(all.columns, LAM_STATUS_CORRUPT, "%zu bytes of file %d", size, index);
        }
        free(cut);
        lam_file_sample_finish(&sample);
    }
}

/* --- Flips ----------------------------------------------------------------------------------- */

/* Where a byte of the file lies: in the body of a page of which chunk. */
typedef struct place {
    bool is_body;
    size_t row_group;
    size_t leaf;
} place;

static place *find_bodies(const lam_file_sample *sample) {
    place *places = calloc(sample->bytes.size, sizeof *places);
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    size_t leaves = lam_schema_leaf_count(lam_reader_schema(reader));
    for (size_t i = 0; i < lam_reader_row_group_count(reader) * leaves; i++) {
        lam_page_list *list;
        lam_page_info info = lam_page_info_default();
        bool more;
        cr_assert_eq(lam_page_list_open(reader, i / leaves, i % leaves, &list, NULL),
                     LAM_STATUS_OK);
        while (lam_page_list_next(list, &info, &more, NULL) == LAM_STATUS_OK && more)
            for (int64_t at = 0; at < info.compressed_size; at++)
                places[info.offset + info.header_size + at] = (place){true, i / leaves, i % leaves};
        lam_page_list_close(list);
    }
    lam_reader_close(reader);
    return places;
}

static lam_status read_column(const lam_reader *reader, size_t row_group, size_t leaf,
                              lam_error *error) {
    lam_column_reader *column;
    lam_status status = lam_column_reader_open(reader, row_group, leaf, &column, error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error->message);
    lam_triples run = {.count = 1};
    while (status == LAM_STATUS_OK && run.count > 0)
        status = lam_column_reader_read(column, SIZE_MAX, &run, error);
    lam_column_reader_close(column);
    return status;
}

/* The damaged chunk is named, and every other one can be read. */
static void expect_one_damaged(const lam_file_sample *sample, place damaged, size_t at) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
            lam_error error = lam_error_none();
            lam_status status = read_column(reader, group, leaf, &error);
            if (group != damaged.row_group || leaf != damaged.leaf) {
                cr_assert_eq(status, LAM_STATUS_OK, "byte %zu: %s", at, error.message);
                continue;
            }
            cr_assert_eq(status, LAM_STATUS_CORRUPT, "byte %zu", at);
            cr_assert_not_null(strstr(error.message, "checksum"), "%s", error.message);
            cr_assert_eq(error.row_group, (int32_t)group);
            cr_assert_eq(error.column, (int32_t)leaf);
            cr_assert(error.offset > 0 && (size_t)error.offset < at, "byte %zu", at);
        }
    }
    lam_reader_close(reader);
}

static void flip_bytes(int index) {
    static const uint8_t changes[] = {0xFF, 1, 4, 16, 128};
    lam_file_sample sample;
    make_file(&sample, index);
    cr_assert_lt(sample.bytes.size, SIZE_MAX_OF_FILE, "file %d has %zu bytes", index,
                 sample.bytes.size);
    place *places = find_bodies(&sample);
    size_t bodies = 0;
    for (size_t at = (size_t)index % FLIP_STEP; at < sample.bytes.size; at += FLIP_STEP) {
        for (size_t i = 0; i < sizeof changes; i++) {
            sample.bytes.data[at] ^= changes[i];
            if (places[at].is_body && index < FILES_WITH_CHECKSUMS)
                expect_one_damaged(&sample, places[at], at);
            else
                read_bytes(sample.bytes.data, sample.bytes.size, "flip");
            sample.bytes.data[at] ^= changes[i];
        }
        bodies += places[at].is_body;
    }
    cr_assert_gt(bodies, 40 / FLIP_STEP, "file %d has %zu bytes of pages", index, bodies);
    free(places);
    lam_file_sample_finish(&sample);
}

Test(prefixes_and_flips, a_flip_in_a_page_with_a_checksum_costs_that_column_chunk_only) {
    for (int index = 0; index < FILES_WITH_CHECKSUMS; index++)
        flip_bytes(index);
}

Test(prefixes_and_flips, a_flip_that_no_checksum_covers_is_harmless) {
    for (int index = FILES_WITH_CHECKSUMS; index < FILES; index++)
        flip_bytes(index);
}
