/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that mean no good, and files that are only damaged: for any bytes the right rows or a clean
 * failure, in little time and memory.
 */
#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/read_everything.h"
#include "support/shared.h"
#include "support/stopwatch.h"

/* The same from a file and from memory. */
static lam_everything read_file(const char *path) {
    lam_error error = lam_error_none();
    lam_input input;
    lam_stopwatch_start(path);
    lam_status status = lam_input_open_file(path, NULL, &input, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", path, error.message);
    lam_everything from_file = lam_read_everything(&input, path);
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    lam_stopwatch_start(path);
    input = lam_input_memory(bytes, size);
    lam_everything from_memory = lam_read_everything(&input, path);
    lam_stopwatch_stop();
    free(bytes);
    cr_assert_eq(from_file.opened, from_memory.opened, "%s", path);
    cr_assert_eq(from_file.columns, from_memory.columns, "%s", path);
    cr_assert_eq(from_file.records, from_memory.records, "%s", path);
    cr_assert_eq(from_file.triple_count, from_memory.triple_count, "%s", path);
    cr_assert_eq(from_file.record_count, from_memory.record_count, "%s", path);
    cr_assert_str_eq(from_file.error.message, from_memory.error.message, "%s", path);
    return from_file;
}

static bool is_named(const char *path, const char *name) {
    return strcmp(strrchr(path, '/') + 1, name) == 0;
}

/* Files that are refused, out of those that are looked at. */
static void read_hostile(void *state, const char *path) {
    size_t *refused = state;
    *refused += read_file(path).error.status != LAM_STATUS_OK;
}

static void read_folder(const char *folder, size_t least) {
    size_t refused = 0;
    if (!lam_test_shared_exists(folder))
        cr_skip_test("no shared folder %s", folder);
    cr_assert_geq(lam_test_each_file(lam_test_shared(folder), read_hostile, &refused), least);
    cr_assert_gt(refused, 0);
}

Test(hostile_files, those_that_fuzzing_found_are_read_or_refused) {
    read_folder("hostile", 60);
}

Test(hostile_files, bad_files_of_the_format_are_read_or_refused) {
    read_folder("parquet-testing/bad_data", 8);
}

/* What is valid is read whole, or something in it is not supported, or it takes too much memory. */
static void read_good(void *state, const char *path) {
    size_t *read = state;
    size_t length = strlen(path);
    lam_everything all = read_file(path);
    if (length < 8 || strcmp(path + length - 8, ".parquet") != 0)
        return;
    if (is_named(path, "datapage_v1-corrupt-checksum.parquet") ||
        is_named(path, "rle-dict-uncompressed-corrupt-checksum.parquet")) {
        cr_assert_eq(all.columns, LAM_STATUS_CORRUPT, "%s", path);
        return;
    }
    lam_status status = all.error.status;
    cr_assert(status != LAM_STATUS_CORRUPT && all.opened == LAM_STATUS_OK, "%s: %s", path,
              all.error.message);
    if (status != LAM_STATUS_OK)
        return;
    cr_assert_eq(all.records, LAM_STATUS_OK, "%s", path);
    cr_assert_eq(all.record_count, all.row_count, "%s", path);
    ++*read;
}

Test(hostile_files, good_files_of_the_format_are_read_whole_as_far_as_they_are_supported) {
    size_t read = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder parquet-testing/data");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), read_good, &read);
    cr_assert_geq(read, 40);
}

/* --- Damage ---------------------------------------------------------------------------------- */

/* A small file with both kinds of pages, two row groups, and nulls everywhere. */
static void write_small(lam_file_sample *sample, int round) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_random random = lam_random_start(lam_test_seed(1) + (uint64_t)round);
    lam_schema *schema =
        lam_test_schema("message m { required int32 a; optional group g { repeated binary b; }"
                        "            repeated group h { optional boolean c; } }");
    lam_file_sample_init(sample, schema, 20, 70, &random);
    for (size_t i = 0; i < sample->record_count; i++) /* something for a dictionary */
        sample->records[i].fields[0].items[0].value.int32 = (int32_t)i % 2;
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[round % 3];
    options.data_page_version = 1 + round / 3;
    options.row_group_rows = 12;
    options.page_rows = 8;
    lam_file_sample_write(sample, &options, NULL);
}

/* A copy of its own size, so that a read behind it is seen. */
static lam_everything read_bytes(const uint8_t *bytes, size_t size, const char *name) {
    uint8_t *copy = malloc(size);
    if (size > 0)
        memcpy(copy, bytes, size);
    lam_input input = lam_input_memory(copy, size);
    lam_stopwatch_start(name);
    lam_everything all = lam_read_everything(&input, name);
    lam_stopwatch_stop();
    free(copy);
    return all;
}

Test(hostile_files, a_file_cut_anywhere_is_not_opened) {
    for (int round = 0; round < 6; round++) {
        lam_file_sample sample;
        write_small(&sample, round);
        lam_everything all = read_bytes(sample.bytes.data, sample.bytes.size, "whole");
        cr_assert_eq(all.error.status, LAM_STATUS_OK, "%s", all.error.message);
        cr_assert_eq(all.record_count, 20);
        for (size_t size = 0; size < sample.bytes.size; size++) {
            all = read_bytes(sample.bytes.data, size, "cut");
            cr_assert_eq(all.opened, LAM_STATUS_CORRUPT, "%zu bytes of %zu", size,
                         sample.bytes.size);
        }
        for (size_t start = 1; start < sample.bytes.size; start += 3)
            read_bytes(sample.bytes.data + start, sample.bytes.size - start, "headless");
        lam_file_sample_finish(&sample);
    }
}

/* Marks the bytes of the file that belong to page bodies. */
static void mark_bodies(const lam_file_sample *sample, bool *is_body) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    for (size_t i = 0; i < lam_reader_row_group_count(reader) * 3; i++) {
        lam_page_list *list;
        lam_page_info info = lam_page_info_default();
        bool more;
        cr_assert_eq(lam_page_list_open(reader, i / 3, i % 3, &list, NULL), LAM_STATUS_OK);
        while (lam_page_list_next(list, &info, &more, NULL) == LAM_STATUS_OK && more)
            memset(is_body + info.offset + info.header_size, true, (size_t)info.compressed_size);
        lam_page_list_close(list);
    }
    lam_reader_close(reader);
}

Test(hostile_files, a_changed_byte_is_found_in_every_page_and_harmless_everywhere) {
    static const uint8_t changes[] = {0xFF, 0x01, 0x80, 0x10};
    for (int round = 0; round < 6; round++) {
        lam_file_sample sample;
        write_small(&sample, round);
        bool *is_body = calloc(sample.bytes.size, sizeof *is_body);
        mark_bodies(&sample, is_body);
        size_t bodies = 0;
        for (size_t at = 0; at < sample.bytes.size; at++) {
            for (size_t i = 0; i < sizeof changes; i++) {
                sample.bytes.data[at] ^= changes[i];
                lam_everything all = read_bytes(sample.bytes.data, sample.bytes.size, "changed");
                if (is_body[at])
                    cr_assert_eq(all.columns, LAM_STATUS_CORRUPT, "byte %zu", at);
                sample.bytes.data[at] ^= changes[i];
            }
            bodies += is_body[at];
        }
        cr_assert_gt(bodies, 200);
        free(is_body);
        lam_file_sample_finish(&sample);
    }
}

/* Without checksums damage reaches the codecs, the levels and the values. */
Test(hostile_files, damage_without_checksums_is_harmless) {
    lam_random random = lam_random_start(lam_test_seed(9));
    for (int round = 0; round < 6; round++) {
        lam_file_sample sample;
        write_small(&sample, round);
        lam_writer_options options = lam_writer_options_default();
        options.codec = round % 3 == 0 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_SNAPPY;
        options.data_page_version = 1 + round / 3;
        options.page_crc = LAM_SWITCH_OFF;
        lam_file_sample_write(&sample, &options, NULL);
        uint8_t *damaged = malloc(sample.bytes.size);
        for (int i = 0; i < 3000; i++) {
            memcpy(damaged, sample.bytes.data, sample.bytes.size);
            for (uint64_t n = 1 + lam_random_below(&random, 4); n > 0; n--)
                damaged[lam_random_below(&random, sample.bytes.size)] =
                    (uint8_t)lam_random_next(&random);
            read_bytes(damaged, sample.bytes.size, "damaged");
        }
        free(damaged);
        lam_file_sample_finish(&sample);
    }
}

/* A mutated real file, so that more of the format is met than this library writes. */
static void mutate(void *state, const char *path) {
    lam_random *random = state;
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    if (size > 50000 || size < 12) {
        free(bytes);
        return;
    }
    uint8_t *damaged = malloc(size);
    for (int i = 0; i < 40; i++) {
        memcpy(damaged, bytes, size);
        size_t from = lam_random_chance(random, 50) ? size - size / 4 - 1 : 0; /* the footer */
        for (uint64_t n = 1 + lam_random_below(random, 3); n > 0; n--)
            damaged[from + lam_random_below(random, size - from)] ^=
                (uint8_t)(1 << lam_random_below(random, 8));
        read_bytes(damaged, size, path);
    }
    free(damaged);
    free(bytes);
}

Test(hostile_files, damage_to_files_of_other_writers_is_harmless) {
    lam_random random = lam_random_start(lam_test_seed(10));
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder parquet-testing/data");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), mutate, &random);
}
