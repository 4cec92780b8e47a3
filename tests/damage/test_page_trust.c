/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the bytes at a place are a page of the chunk: checksum, header and body each have their
 * say.
 */
#include "damage/chunk/page_trust.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/page_bench.h"
#include "encoding/encoder.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

#define REQUIRED "message m { required int32 a; }"
#define REPEATED "message m { repeated int32 a; }"
#define FLAG "message m { required boolean a; }"

static const lam_survey_hints nothing_known;

static void open_bench(lam_page_bench *bench, lam_survey_hints hints) {
    lam_page_bench_open(bench, hints, NULL, &bench->made.sample.allocator);
    cr_assert_eq(lam_page_finder_begin(&bench->finder, NULL), LAM_STATUS_OK);
}

/* The bench may be opened again. */
static void close_bench(lam_page_bench *bench) {
    lam_page_finder_finish(&bench->finder);
    lam_column_cursor_destroy(bench->cursor);
    bench->cursor = NULL;
    lam_patched_input_finish(&bench->patched);
}

static lam_page_trust trust_of(lam_page_bench *bench, uint64_t offset, lam_found_page *page) {
    lam_page_trust trust;
    cr_assert_eq(lam_page_try(&bench->finder, offset, page, &trust, NULL), LAM_STATUS_OK);
    return trust;
}

/* --- Checksums ------------------------------------------------------------------------------- */

Test(page_trust, a_page_without_a_checksum_is_damaged_where_others_have_one) {
    lam_page_bench bench;
    lam_found_page page;
    lam_page_bench_start(&bench, REQUIRED, 1);
    bench.made.writer.crc = true;
    lam_page_bench_ints(&bench, 4, 1);
    uint64_t second = lam_page_bench_end(&bench);
    bench.made.writer.crc = false;
    lam_page_bench_ints(&bench, 4, 2);
    lam_page_bench_state(&bench, 8, 8);
    open_bench(&bench, nothing_known);
    cr_assert(bench.finder.needs_crc);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_SOUND);
    cr_assert(page.is_sound);
    cr_assert_eq(trust_of(&bench, second, &page), LAM_PAGE_TRUST_PARSES);
    cr_assert_not(page.is_sound);
    cr_assert_eq(page.error.code, LAM_ERROR_CODE_PAGE_CRC);
    lam_page_bench_finish(&bench);
}

Test(page_trust, a_dictionary_may_lack_its_checksum_unless_a_repair_dropped_it) {
    static const uint8_t entry[4] = {7};
    lam_page_bench bench;
    lam_found_page page;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_hand_made_dictionary(&bench.made, 1, (lam_bytes){entry, sizeof entry});
    bench.made.writer.crc = true;
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_state(&bench, 4, 4);
    open_bench(&bench, nothing_known);
    cr_assert(bench.finder.needs_crc);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_SOUND);
    cr_assert(bench.cursor->has_dictionary);
    bench.finder.is_trial = true;
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_PARSES);
    cr_assert_eq(page.error.code, LAM_ERROR_CODE_PAGE_CRC);
    lam_page_bench_finish(&bench);
}

Test(page_trust, a_page_without_bytes_has_the_checksum_of_none) {
    lam_page_bench bench;
    lam_found_page page;
    lam_meta_data_page_header v1 = {.encoding = LAM_ENCODING_PLAIN};
    lam_meta_page_header header = {.has = LAM_META_PAGE_HEADER_HAS_CRC, .type = LAM_PAGE_DATA};
    header.data_page_header = &v1;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_page(&bench, &header, "", 0);
    uint64_t second = lam_page_bench_end(&bench);
    header.crc = 1;
    lam_page_bench_page(&bench, &header, "", 0);
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_state(&bench, 4, 4);
    open_bench(&bench, nothing_known);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_SOUND);
        cr_assert(page.crc_is_right);
        cr_assert_eq(trust_of(&bench, second, &page), LAM_PAGE_TRUST_PARSES);
        cr_assert_eq(page.error.code, LAM_ERROR_CODE_PAGE_CRC);
    }
    lam_page_bench_finish(&bench);
}

/* --- Headers --------------------------------------------------------------------------------- */

Test(page_trust, a_header_of_the_same_body_inside_of_another_is_the_one) {
    static const uint8_t unknown[] = {0x08, 0, 0}; /* field 0, a string of 0 bytes */
    lam_page_bench bench;
    lam_found_page page;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_bytes(&bench, unknown, sizeof unknown);
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_state(&bench, 4, 4);
    open_bench(&bench, nothing_known);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_NONE);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET + sizeof unknown, &page), LAM_PAGE_TRUST_SOUND);
    lam_page_bench_finish(&bench);
}

Test(page_trust, statistics_may_hold_the_bytes_of_another_header) {
    static const uint8_t body[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    lam_page_bench bench;
    lam_found_page page;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1); /* whose header is copied */
    lam_meta_statistics statistics = {.has = LAM_META_STATISTICS_HAS_MAX_VALUE};
    statistics.max_value = (lam_bytes){bench.made.pages.data, bench.made.pages.size};
    lam_meta_data_page_header v1 = {.num_values = 2, .statistics = &statistics};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
    header.compressed_page_size = header.uncompressed_page_size = sizeof body;
    lam_buffer copy;
    lam_buffer_init(&copy, &bench.made.sample.allocator);
    cr_assert_eq(lam_buffer_append(&copy, bench.made.pages.data, bench.made.pages.size, NULL),
                 LAM_STATUS_OK);
    statistics.max_value.data = copy.data;
    lam_buffer_clear(&bench.made.pages);
    lam_page_bench_page(&bench, &header, body, sizeof body);
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_state(&bench, 6, 6);
    open_bench(&bench, nothing_known);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_SOUND);
    cr_assert_eq(page.rows, 2);
    lam_buffer_finish(&copy);
    lam_page_bench_finish(&bench);
}

Test(page_trust, a_header_that_never_ends_is_none) {
    enum { SIZE = 17 << 20 };
    static const uint8_t string[] = {0x15, 0, 0x98, 0x80, 0x80, 0x80, 0x10}; /* of 32 MiB */
    lam_page_bench bench;
    lam_found_page page;
    uint8_t *zeros = calloc(1, SIZE);
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_bytes(&bench, string, sizeof string);
    lam_page_bench_bytes(&bench, zeros, SIZE);
    lam_page_bench_state(&bench, 4, 4);
    open_bench(&bench, nothing_known);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_NONE);
    lam_page_bench_finish(&bench);
    free(zeros);
}

/* --- Bodies ---------------------------------------------------------------------------------- */

Test(page_trust, a_page_may_begin_inside_of_a_record) {
    lam_page_bench bench;
    lam_found_page page;
    lam_page_bench_start(&bench, REPEATED, 1);
    lam_page_bench_repeated(&bench, (const uint8_t[]){0, 1, 0}, 3);
    uint64_t second = lam_page_bench_end(&bench);
    lam_page_bench_repeated(&bench, (const uint8_t[]){1, 0, 1, 0}, 4);
    lam_page_bench_state(&bench, 7, 4);
    open_bench(&bench, nothing_known);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_SOUND);
    cr_assert_not(page.continues);
    cr_assert_eq(page.rows, 2);
    cr_assert_eq(trust_of(&bench, second, &page), LAM_PAGE_TRUST_SOUND);
    cr_assert(page.continues);
    cr_assert_eq(page.rows, 2);
    lam_page_bench_finish(&bench);
}

Test(page_trust, there_is_no_dictionary_of_booleans) {
    lam_page_bench bench;
    lam_found_page page;
    lam_page_bench_start(&bench, FLAG, 1);
    lam_hand_made_dictionary(&bench.made, 1, (lam_bytes){(const uint8_t *)"\1", 1});
    lam_page_bench_state(&bench, 1, 1);
    open_bench(&bench, nothing_known);
    cr_assert_eq(trust_of(&bench, LAM_SAMPLE_OFFSET, &page), LAM_PAGE_TRUST_PARSES);
    cr_assert_not(page.is_sound);
    cr_assert_eq(page.error.code, LAM_ERROR_CODE_DICTIONARY_PAGE);
    cr_assert_not(bench.cursor->has_dictionary);
    lam_page_bench_finish(&bench);
}

/* --- What fails ------------------------------------------------------------------------------ */

/* Pages of which the first is a dictionary, in a file that is read in steps. */
static uint64_t make_large(lam_page_bench *bench, bool crc) {
    enum { ENTRIES = 20000 };
    uint8_t *entries = calloc(ENTRIES, 4);
    lam_page_bench_start(bench, REQUIRED, 1);
    bench->made.writer.crc = crc;
    lam_hand_made_dictionary(&bench->made, ENTRIES, (lam_bytes){entries, (size_t)ENTRIES * 4});
    uint64_t first = lam_page_bench_end(bench);
    lam_page_bench_ints(bench, 20000, 1);
    lam_page_bench_ints(bench, 20000, 2);
    lam_page_bench_state(bench, 40000, 40000);
    free(entries);
    return first;
}

/* Tries all pages one after the other, twice. */
static lam_status try_all(lam_page_bench *bench, lam_error *error) {
    lam_status status = lam_page_finder_begin(&bench->finder, error);
    for (int i = 0; i < 2; i++)
        for (uint64_t at = bench->finder.begin;
             status == LAM_STATUS_OK && at < bench->finder.end;) {
            lam_found_page page;
            lam_page_trust trust;
            status = lam_page_try(&bench->finder, at, &page, &trust, error);
            if (status == LAM_STATUS_OK)
                cr_assert_eq(trust, LAM_PAGE_TRUST_SOUND);
            at = page.end;
        }
    return status;
}

/* Opens a large chunk that is read through `ending`, tries it, and closes it. */
static lam_status try_large(lam_page_bench *bench, lam_survey_hints hints, lam_ending_input *ending,
                            size_t fail_at, size_t stop_at) {
    lam_input input = lam_ending_input_of(ending);
    lam_error error = lam_error_none();
    lam_page_bench_open(bench, hints, &input, &bench->made.sample.allocator);
    bench->chunk.stop = &ending->stop;
    lam_ending_input_again(ending, fail_at, stop_at);
    lam_status status = try_all(bench, &error);
    cr_assert_eq(error.status, status);
    cr_assert(status != LAM_STATUS_IO || strcmp(error.message, LAM_ENDING_MESSAGE) == 0);
    close_bench(bench);
    return status;
}

Test(page_trust, a_read_that_fails_and_a_stop_are_no_damage) {
    for (int crc = 0; crc < 2; crc++) {
        lam_page_bench bench;
        lam_meta_page_location location = {.first_row_index = 0};
        lam_survey_hints hints = {.locations = &location, .count = 1, .has_crcs = crc};
        location.offset = (int64_t)make_large(&bench, crc);
        location.compressed_page_size =
            (int32_t)((lam_page_bench_end(&bench) - (uint64_t)location.offset) / 2);
        lam_ending_input ending = {.file = lam_buffer_bytes(&bench.made.sample.bytes)};
        cr_assert_eq(try_large(&bench, hints, &ending, 0, 0), LAM_STATUS_OK);
        size_t reads = ending.reads, stopped = 0;
        cr_assert_gt(reads, 5);
        for (size_t i = 1; i <= reads; i++) {
            cr_assert_eq(try_large(&bench, hints, &ending, i, 0), LAM_STATUS_IO);
            lam_status status = try_large(&bench, hints, &ending, 0, i);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CANCELLED);
            stopped += status == LAM_STATUS_CANCELLED;
        }
        cr_assert_gt(stopped, reads / 2);
        lam_page_bench_finish(&bench);
    }
}

Test(page_trust, lack_of_memory_is_no_damage_and_needs_no_error) {
    lam_page_bench bench;
    lam_status status = LAM_STATUS_NOMEM;
    (void)make_large(&bench, false);
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = 0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_page_bench_open(&bench, nothing_known, NULL, &allocator);
        counter.fail_at = counter.requests + i;
        lam_found_page page;
        lam_page_trust trust;
        status = lam_page_try(&bench.finder, LAM_SAMPLE_OFFSET, &page, &trust, NULL);
        cr_assert(status == LAM_STATUS_NOMEM || status == LAM_STATUS_OK);
        if (status == LAM_STATUS_OK && bench.finder.repair.lacks_memory)
            status = LAM_STATUS_NOMEM;
        else if (status == LAM_STATUS_OK)
            cr_assert(page.is_sound && bench.cursor->has_dictionary);
        close_bench(&bench);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_page_bench_finish(&bench);
}

Test(page_trust, strings_that_find_no_memory_are_not_damaged) {
    static const char text[] = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb";
    const lam_value_layout layout = {LAM_PHYSICAL_BYTE_ARRAY, 0};
    lam_bytes strings[16];
    lam_page_bench bench;
    lam_encoder encoder;
    lam_buffer values;
    lam_status status = LAM_STATUS_NOMEM;
    lam_page_bench_start(&bench, "message m { required binary a; }", 1);
    const lam_allocator *allocator = &bench.made.sample.allocator;
    for (size_t i = 0; i < 16; i++)
        strings[i] = (lam_bytes){(const uint8_t *)text, 16 + i};
    lam_buffer_init(&values, allocator);
    cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  layout, allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_write(&encoder, strings, 16, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_end_page(&encoder, &values, NULL), LAM_STATUS_OK);
    lam_page_sections sections = {.value_count = 16, .encoding = LAM_ENCODING_DELTA_BYTE_ARRAY};
    sections.values = lam_buffer_bytes(&values);
    lam_hand_made_data(&bench.made, &sections);
    lam_page_bench_state(&bench, 16, 16);
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = 0};
        lam_allocator failing = lam_failing_allocator(&counter);
        lam_found_page page;
        lam_page_trust trust;
        lam_page_bench_open(&bench, nothing_known, NULL, &failing);
        counter.fail_at = counter.requests + i;
        status = lam_page_try(&bench.finder, LAM_SAMPLE_OFFSET, &page, &trust, NULL);
        if (status == LAM_STATUS_OK && bench.finder.repair.lacks_memory)
            status = LAM_STATUS_NOMEM;
        else if (status == LAM_STATUS_OK)
            cr_assert(page.is_sound && page.rows == 16 && i > 2);
        close_bench(&bench);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_encoder_finish(&encoder);
    lam_buffer_finish(&values);
    lam_page_bench_finish(&bench);
}
