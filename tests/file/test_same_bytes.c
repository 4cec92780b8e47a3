/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same records with the same options are the same bytes, in every version of the library that
 * does not say otherwise in docs/changes.md: random schemas, records and options, written without
 * compression, against CRCs that are kept here. Compressors may change, so none is used.
 *
 * Bytes and values do not depend on the kernels that the CPU has, nor on the threads that write.
 *
 * LAMELLA_UPDATE=1 prints the table anew; docs/changes.md says why when it changes on purpose.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/crc32.h"
#include "file/file_sample.h"
#include "file/read/file_reader.h"

/* CRC-32 and size of the file of each seed, from 1. */
static const struct {
    uint32_t crc;
    uint32_t size;
} EXPECTED[] = {
#include "file/same_bytes.inc"
};

static uint64_t below_or_default(lam_random *random, uint64_t most) {
    return lam_random_chance(random, 10) ? 0 : 1 + lam_random_below(random, most);
}

static lam_writer_options any_options(lam_random *random) {
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.created_by = "same bytes";
    options.data_page_version = (int32_t)lam_random_below(random, 3);
    options.page_rows = below_or_default(random, 50);
    options.page_bytes = below_or_default(random, 500);
    options.dictionary_bytes = below_or_default(random, 300);
    options.row_group_rows = below_or_default(random, 40);
    options.row_group_bytes = below_or_default(random, 3000);
    options.float_total_order = lam_random_chance(random, 30);
    options.compat = (lam_compat)lam_random_below(random, 4);
    options.auto_bloom_filters = lam_random_chance(random, 30);
    options.int96_order = lam_random_chance(random, 30);
    return options;
}

/* Makes random records with the options that they are written with. */
static lam_writer_options any_sample(lam_random *random, lam_file_sample *sample) {
    static const unsigned presences[] = {0, 30, 80, 100};
    lam_schema *schema = lam_tree_random_schema(random, 40);
    size_t record_count = 1 + (size_t)lam_random_below(random, 150);
    lam_file_sample_init(sample, schema, record_count, presences[lam_random_below(random, 4)],
                         random);
    return any_options(random);
}

Test(same_bytes, random_files_are_the_bytes_that_they_were_when_the_table_was_made) {
    bool update = getenv("LAMELLA_UPDATE") != NULL;
    size_t count = update ? 200 : sizeof EXPECTED / sizeof EXPECTED[0];
    for (uint64_t seed = 1; seed <= count; seed++) {
        lam_random random = lam_random_start(seed);
        lam_file_sample sample;
        lam_writer_options options = any_sample(&random, &sample);
        lam_file_sample_write(&sample, &options, lam_random_chance(&random, 50) ? &random : NULL);
        uint32_t crc = lam_crc32(0, sample.bytes.data, sample.bytes.size);
        if (update) {
            printf("{0x%08" PRIx32 ", %zu},\n", crc, sample.bytes.size);
        } else {
            cr_assert_eq(sample.bytes.size, EXPECTED[seed - 1].size, "seed %" PRIu64, seed);
            cr_assert_eq(crc, EXPECTED[seed - 1].crc, "seed %" PRIu64, seed);
        }
        lam_file_sample_finish(&sample);
    }
    cr_assert_eq(count, 200);
}

/* --- Kernels ------------------------------------------------------------------------------- */

/* Calls of a kernel that writes and of one that reads, from a table that counts them. */
static size_t packed, unpacked;

static void count_pack(const uint32_t *values, unsigned width, size_t count, uint8_t *bytes) {
    packed++;
    lam_kernels_version(0)->pack_u32(values, width, count, bytes);
}

static void count_unpack(const uint8_t *bytes, unsigned width, size_t count, uint8_t *values) {
    unpacked++;
    lam_kernels_version(0)->unpack_u8(bytes, width, count, values);
}

/* Writes and reads a sample with one table; gives the CRC of the file. */
static uint32_t write_and_read(uint64_t seed, const lam_kernels *kernels) {
    lam_random random = lam_random_start(seed);
    lam_file_sample sample;
    lam_writer_options options = any_sample(&random, &sample);
    sample.kernels = kernels;
    lam_file_sample_write(&sample, &options, lam_random_chance(&random, 50) ? &random : NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    reader->kernels = kernels;
    lam_file_sample_expect_all(&sample, reader, NULL);
    lam_reader_close(reader);
    uint32_t crc = lam_crc32(0, sample.bytes.data, sample.bytes.size);
    lam_file_sample_finish(&sample);
    return crc;
}

Test(same_bytes, a_writer_and_a_reader_give_the_same_with_every_table_of_kernels) {
    lam_kernels counting = *lam_kernels_version(0);
    counting.pack_u32 = count_pack;
    counting.unpack_u8 = count_unpack;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint32_t crc = write_and_read(seed, &counting);
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++)
            cr_assert_eq(write_and_read(seed, lam_kernels_version(v)), crc, "seed %" PRIu64 ", %s",
                         seed, lam_kernels_version(v)->name);
    }
    /* The handles used the table that they were given. */
    cr_assert_gt(packed, 100);
    cr_assert_gt(unpacked, 100);
}

/* --- Threads ------------------------------------------------------------------------------- */

/* Writes a sample with a number of threads; gives the CRC of the file. */
static uint32_t write_with_threads(uint64_t seed, uint32_t threads) {
    lam_random random = lam_random_start(seed);
    lam_file_sample sample;
    lam_writer_options options = any_sample(&random, &sample);
    options.codec = seed % 2 == 0 ? LAM_CODEC_ZSTD : LAM_CODEC_SNAPPY;
    options.thread_count = threads;
    lam_file_sample_write(&sample, &options, lam_random_chance(&random, 50) ? &random : NULL);
    uint32_t crc = lam_crc32(0, sample.bytes.data, sample.bytes.size);
    lam_file_sample_finish(&sample);
    return crc;
}

Test(same_bytes, records_and_triples_are_the_same_file_whatever_threads_write_them) {
    uint64_t first = lam_test_seed(1);
    for (uint64_t seed = first; seed < first + 40; seed++) {
        uint32_t crc = write_with_threads(seed, 1);
        for (uint32_t threads = 2; threads <= 4; threads++)
            cr_assert_eq(write_with_threads(seed, threads), crc, "seed %" PRIu64 ", %u threads",
                         seed, threads);
    }
}
