/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a damaged chunk are lost. Any damage may cost rows, but no row that is given may be
 * wrong.
 */
#include "damage/chunk/page_survey.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/damaged_chunk.h"
#include "support/failing_alloc.h"

#define REQUIRED "message m { required int64 a; }"
#define OPTIONAL "message m { optional binary a; }"
#define NESTED "message m { repeated group g { optional int32 a; } }"

/* --- One page -------------------------------------------------------------------------------- */

static const char *const schemas[] = {REQUIRED, OPTIONAL};

Test(page_survey, a_whole_chunk_has_no_survey) {
    lam_damaged_chunk chunk;
    lam_damaged_chunk_make(&chunk, OPTIONAL, 1, true, 1);
    lam_damaged_chunk_survey(&chunk);
    cr_assert_null(chunk.survey);
    lam_damaged_chunk_finish(&chunk);
}

Test(page_survey, a_page_that_does_not_match_its_checksum_loses_its_own_rows) {
    for (int i = 0; i < 8; i++) {
        lam_damaged_chunk chunk;
        lam_damaged_chunk_make(&chunk, schemas[i % 2], 1 + i / 4, i % 4 < 2, 2);
        chunk.uses_locations = i % 2 == 0;
        *lam_damaged_chunk_body(&chunk, 3) ^= 0x40;
        lam_damaged_chunk_survey(&chunk);
        cr_assert_not_null(chunk.survey);
        lam_damaged_chunk_expect_loss(&chunk, 3, 4);
        cr_assert_eq(
            lam_damaged_chunk_expect_no_wrong_row(&chunk),
            (uint64_t)(chunk.locations[4].first_row_index - chunk.locations[3].first_row_index));
        lam_damaged_chunk_finish(&chunk);
    }
}

Test(page_survey, a_page_without_a_header_loses_its_own_rows_beside_an_offset_index) {
    for (int i = 0; i < 2; i++) {
        lam_damaged_chunk chunk;
        lam_damaged_chunk_make(&chunk, schemas[i], 1, false, 3);
        chunk.uses_locations = true;
        memset(lam_damaged_chunk_header(&chunk, 5), 0, chunk.headers[5]);
        lam_damaged_chunk_survey(&chunk);
        cr_assert_not_null(chunk.survey);
        lam_damaged_chunk_expect_loss(&chunk, 5, 6);
        (void)lam_damaged_chunk_expect_no_wrong_row(&chunk);
        lam_damaged_chunk_finish(&chunk);
    }
}

/* The next header that led to a page with a checksum was believed, and may be bytes of a value. */
Test(page_survey, what_is_behind_a_lost_header_is_lost_where_nothing_states_its_pages) {
    for (int i = 0; i < 2; i++) {
        lam_damaged_chunk chunk;
        size_t count;
        lam_damaged_chunk_make(&chunk, schemas[i], 1, false, 3);
        memset(lam_damaged_chunk_header(&chunk, 5), 0, chunk.headers[5]);
        lam_damaged_chunk_survey(&chunk);
        cr_assert_not_null(chunk.survey);
        cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&chunk), LAM_DAMAGED_RECORDS - 500);
        const lam_page_loss *losses = lam_page_survey_losses(chunk.survey, &count);
        cr_assert_eq(count, 1);
        cr_assert_eq(losses[0].error.code, LAM_ERROR_CODE_PAGE_HEADER);
        cr_assert_eq(losses[0].offset, (uint64_t)chunk.locations[5].offset);
        cr_assert_eq(chunk.survey->unknown_bytes,
                     chunk.sample.bytes.size - (uint64_t)chunk.locations[5].offset);
        lam_damaged_chunk_finish(&chunk);
    }
}

Test(page_survey, pages_behind_a_lost_header_are_found_by_the_offset_index_alone) {
    for (int i = 0; i < 2; i++) {
        lam_damaged_chunk chunk;
        lam_damaged_chunk_make(&chunk, REQUIRED, 1, false, 4);
        chunk.uses_locations = i == 0;
        memset(lam_damaged_chunk_header(&chunk, 2), 0, chunk.headers[2]);
        memset(lam_damaged_chunk_header(&chunk, 9), 0, chunk.headers[9]);
        lam_damaged_chunk_survey(&chunk);
        cr_assert_not_null(chunk.survey);
        uint64_t lost = lam_damaged_chunk_expect_no_wrong_row(&chunk), page = 100;
        cr_assert_eq(lost, i == 0 ? 2 * page : LAM_DAMAGED_RECORDS - 2 * page);
        lam_damaged_chunk_finish(&chunk);
    }
}

Test(page_survey, two_lost_bodies_leave_the_pages_between_them) {
    lam_damaged_chunk chunk;
    lam_damaged_chunk_make(&chunk, OPTIONAL, 2, false, 5);
    *lam_damaged_chunk_body(&chunk, 2) ^= 1;
    *lam_damaged_chunk_body(&chunk, 9) ^= 1;
    lam_damaged_chunk_survey(&chunk);
    cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&chunk), 200);
    cr_assert_eq(chunk.survey->losses.count, 2);
    lam_damaged_chunk_finish(&chunk);
}

Test(page_survey, a_record_that_may_go_on_in_a_lost_page_is_lost_too) {
    lam_damaged_chunk chunk;
    size_t count;
    lam_damaged_chunk_make(&chunk, NESTED, 1, false, 6);
    *lam_damaged_chunk_body(&chunk, 4) ^= 1;
    lam_damaged_chunk_survey(&chunk);
    const lam_page_loss *losses = lam_page_survey_losses(chunk.survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].first_row, (uint64_t)chunk.locations[4].first_row_index - 1);
    cr_assert_eq(losses[0].end_row, (uint64_t)chunk.locations[5].first_row_index);
    (void)lam_damaged_chunk_expect_no_wrong_row(&chunk);
    lam_damaged_chunk_drop_survey(&chunk);
    chunk.uses_locations = true;
    lam_damaged_chunk_survey(&chunk);
    lam_damaged_chunk_expect_loss(&chunk, 4, 5);
    (void)lam_damaged_chunk_expect_no_wrong_row(&chunk);
    lam_damaged_chunk_finish(&chunk);
}

Test(page_survey, a_damaged_dictionary_loses_the_pages_that_refer_to_it) {
    lam_damaged_chunk chunk;
    size_t count;
    lam_damaged_chunk_make(&chunk, OPTIONAL, 1, true, 7);
    cr_assert_gt(chunk.sample.dictionary_size, 0);
    *lam_damaged_chunk_byte(&chunk, (uint64_t)chunk.locations[0].offset - 1) ^= 1;
    lam_damaged_chunk_survey(&chunk);
    cr_assert_not_null(chunk.survey);
    cr_assert_not(chunk.survey->has_dictionary);
    const lam_page_loss *losses = lam_page_survey_losses(chunk.survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].error.code, LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&chunk), LAM_DAMAGED_RECORDS);
    lam_damaged_chunk_finish(&chunk);
}

Test(page_survey, an_index_that_contradicts_a_sound_page_is_not_believed) {
    lam_damaged_chunk chunk;
    lam_damaged_chunk_make(&chunk, REQUIRED, 1, false, 8);
    chunk.uses_locations = true;
    chunk.locations[7].first_row_index += 3;
    *lam_damaged_chunk_body(&chunk, 12) ^= 1;
    lam_damaged_chunk_survey(&chunk);
    cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&chunk), 300);
    lam_damaged_chunk_finish(&chunk);
}

/* --- Headers --------------------------------------------------------------------------------- */

/* A repair that dropped the checksum of a damaged page made a sound page of it. */
Test(page_survey, any_bit_of_a_header_costs_no_other_page_and_no_wrong_row) {
    for (int i = 0; i < 4; i++) {
        size_t repaired = 0;
        lam_damaged_chunk chunk;
        lam_damaged_chunk_make(&chunk, i < 2 ? REQUIRED : NESTED, 1 + i % 2, i == 3, 9);
        chunk.uses_locations = i % 2 == 0;
        for (size_t bit = 0; bit < 8 * chunk.headers[6]; bit++) {
            uint8_t *byte = lam_damaged_chunk_header(&chunk, 6) + bit / 8;
            *byte ^= (uint8_t)(1u << bit % 8);
            lam_damaged_chunk_survey(&chunk);
            cr_assert_leq(lam_damaged_chunk_expect_no_wrong_row(&chunk), 101, "bit %zu, kind %d",
                          bit, i);
            repaired += chunk.survey == NULL || chunk.survey->lost_rows == 0;
            lam_damaged_chunk_drop_survey(&chunk);
            *byte ^= (uint8_t)(1u << bit % 8);
        }
        cr_assert_geq(repaired, 8 * chunk.headers[6] * 9 / 10, "%zu of %zu", repaired,
                      8 * chunk.headers[6]);
        lam_damaged_chunk_survey(&chunk);
        lam_damaged_chunk_finish(&chunk);
    }
}

Test(page_survey, two_wrong_bits_of_a_number_in_a_header_are_not_guessed) {
    lam_damaged_chunk chunk;
    lam_damaged_chunk_make(&chunk, REQUIRED, 1, false, 10);
    lam_damaged_chunk_header(&chunk, 6)[3] ^= 0x03; /* of a size */
    lam_damaged_chunk_survey(&chunk);
    cr_assert_not_null(chunk.survey);
    cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&chunk), LAM_DAMAGED_RECORDS - 600);
    cr_assert_eq(chunk.survey->repaired, 0);
    lam_damaged_chunk_finish(&chunk);
}

Test(page_survey, bytes_that_are_the_same_in_all_headers_are_restored) {
    for (int i = 0; i < 8; i++) {
        lam_damaged_chunk chunk;
        lam_damaged_chunk_start(&chunk, i % 2 == 0 ? REQUIRED : OPTIONAL, 1 + i / 2 % 2, i >= 4);
        chunk.sample.options.crc = i % 2 == 0;
        lam_damaged_chunk_write(&chunk, LAM_DAMAGED_RECORDS, 10);
        memset(lam_damaged_chunk_header(&chunk, 6), 0xFF, 3);
        lam_damaged_chunk_header(&chunk, 6)[chunk.headers[6] - 1] ^= 0xFF;
        lam_damaged_chunk_survey(&chunk);
        cr_assert_not_null(chunk.survey);
        bool has_crc = i % 2 == 0; /* without one, the body may be damaged, too */
        cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&chunk) == 0, has_crc, "kind %d", i);
        cr_assert_eq(chunk.survey->repaired, has_crc);
        cr_assert_eq(chunk.survey->unknown_bytes == 0, has_crc);
        lam_damaged_chunk_finish(&chunk);
    }
}

/* --- Anything -------------------------------------------------------------------------------- */

Test(page_survey, whatever_is_damaged_no_row_is_wrong) {
    uint64_t seed = lam_test_seed(11);
    for (uint64_t round = 0; round < 300; round++) {
        static const char *const kinds[] = {REQUIRED, OPTIONAL, NESTED};
        lam_random random = lam_random_start(seed + round);
        lam_damaged_chunk chunk;
        lam_damaged_chunk_make(&chunk, kinds[round % 3], 1 + (int32_t)lam_random_below(&random, 2),
                               lam_random_chance(&random, 50), seed + round);
        chunk.uses_locations = lam_random_chance(&random, 50);
        for (uint64_t i = 1 + lam_random_below(&random, 3); i > 0; i--) {
            size_t room = chunk.sample.bytes.size - LAM_SAMPLE_OFFSET;
            size_t at = LAM_SAMPLE_OFFSET + (size_t)lam_random_below(&random, room);
            size_t size =
                lam_random_chance(&random, 50) ? 1 : (size_t)lam_random_below(&random, 900);
            size = size < chunk.sample.bytes.size - at ? size : chunk.sample.bytes.size - at;
            for (size_t k = 0; k < size; k++)
                *lam_damaged_chunk_byte(&chunk, at + k) = (uint8_t)lam_random_below(&random, 256);
        }
        lam_damaged_chunk_survey(&chunk);
        (void)lam_damaged_chunk_expect_no_wrong_row(&chunk);
        lam_damaged_chunk_finish(&chunk);
    }
}

Test(page_survey, memory_may_run_out_anywhere) {
    lam_damaged_chunk chunk;
    lam_damaged_chunk_make(&chunk, OPTIONAL, 1, true, 12);
    *lam_damaged_chunk_body(&chunk, 3) ^= 1;
    memset(lam_damaged_chunk_header(&chunk, 8), 0, chunk.headers[8]);
    chunk.uses_locations = true;
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = i};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = lam_damaged_chunk_try_survey(&chunk, &allocator, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert(status != LAM_STATUS_OK || chunk.survey->lost_rows == 200);
        lam_damaged_chunk_drop_survey(&chunk);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_damaged_chunk_survey(&chunk);
    lam_damaged_chunk_finish(&chunk);
}
