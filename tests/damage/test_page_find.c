/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a hole for pages: headers that one or two flipped bits make sound are repaired, and
 * nothing is guessed where two are possible.
 */
#include "damage/chunk/page_find.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <string.h>

#include "base/crc32.h"
#include "chunk/page_bench.h"
#include "support/failing_alloc.h"

#define REQUIRED "message m { required int32 a; }"

enum { STOP = 0, NOISE = 0x0F }; /* the end of a struct; what is no field */

static const lam_survey_hints nothing_known;

static void open_bench(lam_page_bench *bench, int64_t values) {
    lam_page_bench_state(bench, values, (uint64_t)values);
    lam_page_bench_open(bench, nothing_known, NULL, &bench->made.sample.allocator);
    cr_assert_eq(lam_page_finder_begin(&bench->finder, NULL), LAM_STATUS_OK);
}

static lam_found_page find(lam_page_bench *bench, uint64_t offset) {
    lam_found_page page;
    cr_assert_eq(lam_page_find(&bench->finder, offset, &page, NULL), LAM_STATUS_OK);
    return page;
}

static uint8_t *byte_at(lam_page_bench *bench, uint64_t offset) {
    return bench->made.pages.data + (offset - LAM_SAMPLE_OFFSET);
}

/* A page of no values and `size` bytes, which are never looked at. */
static void add_empty_page(lam_page_bench *bench, size_t size) {
    uint8_t body[200];
    memset(body, NOISE, sizeof body);
    lam_meta_data_page_header v1 = {.encoding = LAM_ENCODING_PLAIN};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
    header.compressed_page_size = header.uncompressed_page_size = (int32_t)size;
    lam_page_bench_page(bench, &header, body, size);
}

/* --- Headers that two bits make sound -------------------------------------------------------- */

Test(page_find, a_header_that_one_bit_makes_sound_is_repaired) {
    lam_page_bench bench;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    *byte_at(&bench, LAM_SAMPLE_OFFSET + 1) = 2 * 1; /* the type: an index page */
    open_bench(&bench, 4);
    lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert(page.is_sound);
    cr_assert_eq(page.type, LAM_PAGE_DATA);
    cr_assert_eq(page.rows, 4);
    cr_assert_eq(bench.finder.repaired, 1);
    lam_page_bench_finish(&bench);
}

Test(page_find, a_repair_needs_memory_to_be_noted) {
    lam_page_bench bench;
    lam_found_page page;
    lam_failing_alloc counter = {.fail_at = 1};
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    *byte_at(&bench, LAM_SAMPLE_OFFSET + 1) = 2 * 1; /* the type: an index page */
    open_bench(&bench, 4);
    bench.patched.bits.allocator = lam_failing_allocator(&counter);
    cr_assert_eq(lam_page_find(&bench.finder, LAM_SAMPLE_OFFSET, &page, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(bench.finder.repaired, 0);
    page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert(page.is_sound);
    cr_assert_eq(bench.finder.repaired, 1);
    lam_page_bench_finish(&bench);
    cr_assert_eq(counter.live_bytes, 0);
}

/* Its count, one bit, was turned over: as a page of no values it was sound, and its rows moved. */
Test(page_find, a_damaged_page_without_a_checksum_does_not_become_one_of_no_values) {
    static const uint8_t body[8] = {NOISE, NOISE, NOISE, NOISE, NOISE, NOISE, NOISE, NOISE};
    lam_page_bench bench;
    lam_meta_data_page_header v1 = {.num_values = 4, .encoding = LAM_ENCODING_DELTA_BINARY_PACKED};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
    header.compressed_page_size = header.uncompressed_page_size = sizeof body;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_page(&bench, &header, body, sizeof body);
    open_bench(&bench, 4);
    lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert(!page.is_sound);
    cr_assert_eq(page.triples, 4);
    cr_assert_eq(bench.finder.repaired, 0);
    lam_page_bench_finish(&bench);
}

Test(page_find, a_page_of_two_versions_whose_type_is_lost_is_not_guessed) {
    static const uint8_t body[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    lam_page_bench bench;
    lam_meta_data_page_header v1 = {.num_values = 2};
    lam_meta_data_page_header_v2 v2 = {.num_values = 2, .num_rows = 2};
    lam_meta_page_header header = {.type = 1, .data_page_header = &v1, .data_page_header_v2 = &v2};
    header.compressed_page_size = header.uncompressed_page_size = sizeof body;
    for (int32_t type = 0; type <= 3; type++) {
        header.type = type;
        lam_page_bench_start(&bench, REQUIRED, 1);
        lam_page_bench_page(&bench, &header, body, sizeof body);
        open_bench(&bench, 2);
        lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
        bool is_data = type == LAM_PAGE_DATA || type == LAM_PAGE_DATA_V2;
        cr_assert_eq(page.is_sound, is_data, "type %d", (int)type);
        cr_assert_eq(page.is_hole, !is_data);
        cr_assert_eq(bench.finder.repaired, 0);
        lam_page_bench_finish(&bench);
    }
}

Test(page_find, a_page_that_may_end_before_two_others_is_not_guessed) {
    enum { NEAR = 64, FAR = 128, NEITHER = 192 };
    lam_page_bench bench;
    lam_page_bench_start(&bench, REQUIRED, 1);
    add_empty_page(&bench, NEITHER);
    size_t header = bench.made.pages.size - NEITHER;
    bench.made.pages.size = header + NEAR;
    uint64_t second = lam_page_bench_end(&bench);
    add_empty_page(&bench, 1);
    size_t least = (size_t)(lam_page_bench_end(&bench) - second);
    bench.made.pages.size = header + NEAR;
    add_empty_page(&bench, FAR - NEAR - least + 1);
    cr_assert_eq(lam_page_bench_end(&bench), second + FAR - NEAR);
    lam_page_bench_ints(&bench, 4, 1);
    open_bench(&bench, 4);
    lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert(page.is_hole);
    cr_assert_eq(page.end, bench.finder.end);
    cr_assert_eq(bench.finder.repaired, 0);
    lam_page_bench_finish(&bench);
}

/*
 * The length of a statistic, 5, may have been 1 or 4: then the header ends three bytes later, and
 * so does the page. A field that nobody knows is in front of the next header, so that one begins
 * behind either.
 */
Test(page_find, a_page_that_may_begin_at_two_bytes_is_not_guessed) {
    static const uint8_t zeros[4] = {STOP, STOP, STOP, STOP};
    static const uint8_t body[] = {NOISE, NOISE, 0x08, 0, 0}; /* field 0, a string of 0 bytes */
    static const uint8_t lengths[] = {1, 4, 5};
    for (size_t i = 0; i < sizeof lengths; i++) {
        lam_page_bench bench;
        lam_meta_statistics statistics = {.has = LAM_META_STATISTICS_HAS_MIN_VALUE};
        lam_meta_data_page_header v1 = {.statistics = &statistics};
        lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
        statistics.min_value = (lam_bytes){zeros, sizeof zeros};
        header.compressed_page_size = header.uncompressed_page_size = sizeof body;
        lam_page_bench_start(&bench, REQUIRED, 1);
        lam_page_bench_page(&bench, &header, body, sizeof body);
        uint64_t end = lam_page_bench_end(&bench) - sizeof body; /* of the header with 4 bytes */
        uint8_t *length = byte_at(&bench, end - 3 - sizeof zeros - 1);
        cr_assert_eq(*length, 4);
        *length = lengths[i];
        lam_page_bench_ints(&bench, 4, 1);
        open_bench(&bench, 4);
        lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
        cr_assert_eq(bench.finder.repaired, 0);
        cr_assert_eq(page.is_hole, lengths[i] == 5);
        cr_assert(page.is_hole || page.body == end - (lengths[i] == 1 ? 3 : 0));
        lam_page_bench_finish(&bench);
    }
}

/* One bit of the statistic's length makes another header, which ends earlier. */
Test(page_find, a_repair_of_a_page_with_the_right_checksum_keeps_its_body) {
    static const uint8_t zero[1] = {STOP};
    static const uint8_t body[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
    lam_page_bench bench;
    lam_meta_statistics statistics = {.has = LAM_META_STATISTICS_HAS_MIN_VALUE};
    lam_meta_data_page_header v1 = {.num_values = 5, .statistics = &statistics};
    lam_meta_page_header header = {.has = LAM_META_PAGE_HEADER_HAS_CRC, .type = LAM_PAGE_DATA};
    statistics.min_value = (lam_bytes){zero, sizeof zero};
    header.data_page_header = &v1;
    header.crc = (int32_t)lam_crc32(0, body, sizeof body);
    header.compressed_page_size = header.uncompressed_page_size = sizeof body;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_page(&bench, &header, body, sizeof body);
    uint64_t begin = lam_page_bench_end(&bench) - sizeof body;
    open_bench(&bench, 8);
    lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert(page.is_sound);
    cr_assert_eq(page.rows, 4);
    cr_assert_eq(page.body, begin);
    cr_assert_eq(bench.finder.repaired, 1);
    lam_page_bench_finish(&bench);
}

Test(page_find, a_page_as_long_as_the_index_says_is_one_whatever_follows) {
    for (int has_index = 0; has_index < 2; has_index++) {
        lam_page_bench bench;
        lam_meta_page_location location = {.offset = LAM_SAMPLE_OFFSET};
        lam_survey_hints hints = {
            .locations = &location, .count = (size_t)has_index, .has_crcs = true};
        lam_page_bench_start(&bench, REQUIRED, 1);
        bench.made.writer.crc = true;
        lam_page_bench_ints(&bench, 4, 1);
        bench.made.pages.data[bench.made.pages.size - 1] ^= 1;
        location.compressed_page_size = (int32_t)bench.made.pages.size;
        lam_page_bench_bytes(&bench, "????????????????", 16);
        lam_page_bench_state(&bench, 8, 8);
        lam_page_bench_open(&bench, hints, NULL, &bench.made.sample.allocator);
        cr_assert_eq(lam_page_finder_begin(&bench.finder, NULL), LAM_STATUS_OK);
        lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
        cr_assert_not(page.is_sound);
        cr_assert_eq(page.is_hole, !has_index);
        cr_assert_eq(page.error.code,
                     has_index ? LAM_ERROR_CODE_PAGE_CRC : LAM_ERROR_CODE_PAGE_HEADER);
        lam_page_bench_finish(&bench);
    }
}

/* --- Work ------------------------------------------------------------------------------------ */

/* Looks for a page of which one bit is wrong, with that much work; whether it was repaired. */
static bool find_damaged(uint64_t *work) {
    lam_page_bench bench;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_ints(&bench, 4, 2);
    *byte_at(&bench, LAM_SAMPLE_OFFSET + 1) = 2 * 1; /* the type: an index page */
    open_bench(&bench, 8);
    bench.finder.repair.work_left = *work;
    lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert_eq(page.is_hole, bench.finder.repaired == 0);
    cr_assert(!page.is_hole || page.end == bench.finder.end);
    *work -= bench.finder.repair.work_left;
    lam_page_bench_finish(&bench);
    return !page.is_hole;
}

Test(page_find, the_work_of_trying_ends_and_leaves_a_hole) {
    uint64_t all = UINT64_C(1) << 40, work = 100;
    cr_assert(find_damaged(&all));
    cr_assert_not(find_damaged(&work));
    work = 64;
    cr_assert_not(find_damaged(&work));
    work = all + 1;
    cr_assert(find_damaged(&work));
}

/* --- The end of the dictionary --------------------------------------------------------------- */

/* A chunk with a dictionary of which a byte of the header is changed, and one data page. */
static lam_found_page find_dictionary(size_t changed, bool is_stated, uint64_t *ret_data) {
    static const uint8_t entries[8] = {1}, indexes[] = {1, 4 << 1, 0};
    lam_page_bench bench;
    lam_page_sections sections = {
        .value_count = 4, .row_count = 4, .encoding = LAM_ENCODING_RLE_DICTIONARY};
    sections.values = (lam_bytes){indexes, sizeof indexes};
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_hand_made_dictionary(&bench.made, 2, (lam_bytes){entries, sizeof entries});
    *ret_data = lam_page_bench_end(&bench);
    lam_hand_made_data(&bench.made, &sections);
    *byte_at(&bench, LAM_SAMPLE_OFFSET + changed) ^= 0xFF;
    lam_page_bench_state(&bench, 4, 4);
    if (is_stated) {
        bench.made.sample.column.has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        bench.made.sample.column.dictionary_page_offset = LAM_SAMPLE_OFFSET;
        bench.made.sample.column.data_page_offset = (int64_t)*ret_data;
    }
    lam_page_bench_open(&bench, nothing_known, NULL, &bench.made.sample.allocator);
    cr_assert_eq(lam_page_finder_begin(&bench.finder, NULL), LAM_STATUS_OK);
    lam_found_page page = find(&bench, LAM_SAMPLE_OFFSET);
    cr_assert(page.is_hole);
    *ret_data = is_stated ? *ret_data : bench.finder.end;
    lam_page_bench_finish(&bench);
    return page;
}

Test(page_find, a_damaged_dictionary_ends_where_the_footer_has_the_first_data_page) {
    for (size_t i = 0; i < 4; i++) {
        uint64_t end;
        bool is_stated = i % 2 == 0;
        lam_found_page page = find_dictionary(i / 2, is_stated, &end);
        cr_assert_eq(page.end, end);
        cr_assert_eq(page.type, is_stated ? LAM_PAGE_DICTIONARY : -1);
    }
}
