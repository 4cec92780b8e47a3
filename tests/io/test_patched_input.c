/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input whose bits are turned over or whose unreadable places are passed: where the patches are,
 * and nowhere else.
 */
#include "io/patched_input.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "support/ending_input.h"
#include "support/random.h"

static const char text[] = "0123456789";

Test(patched_input, bits_are_turned_over_where_they_are_and_nowhere_else) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = lam_input_memory(text, sizeof text);
    lam_patched_input patched;
    char bytes[sizeof text];
    lam_patched_input_init(&patched, &inner, &allocator);
    cr_assert_eq(patched.input.size, sizeof text);
    cr_assert_eq(lam_patched_input_flip(&patched, 3, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_patched_input_flip(&patched, 9, 1 << 6, NULL), LAM_STATUS_OK);
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, sizeof text, bytes, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(bytes, "012245678y");
    cr_assert(lam_patched_input_has_bit(&patched, 3, 4));
    cr_assert(lam_patched_input_has_bit(&patched, 0, 10));
    cr_assert_not(lam_patched_input_has_bit(&patched, 4, 9));
    cr_assert_not(lam_patched_input_has_bit(&patched, 3, 3));
    cr_assert_eq(input->read_at(input->state, 4, 5, bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, "45678", 5);
    lam_patched_input_finish(&patched);
}

Test(patched_input, ranges_with_a_bit_in_them_are_not_lent) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = lam_input_memory(text, sizeof text);
    lam_patched_input patched;
    lam_patched_input_init(&patched, &inner, &allocator);
    cr_assert_eq(lam_patched_input_flip(&patched, 3, 1, NULL), LAM_STATUS_OK);
    lam_input *input = &patched.input;
    cr_assert_null(input->borrow(input->state, 3, 1));
    cr_assert_null(input->borrow(input->state, 0, 4));
    cr_assert_eq(input->borrow(input->state, 4, 3), (const uint8_t *)text + 4);
    cr_assert_eq(input->borrow(input->state, 0, 3), (const uint8_t *)text);
    lam_patched_input_finish(&patched);
}

static lam_status read_nothing(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    (void)state, (void)offset, (void)size, (void)buffer, (void)error;
    return LAM_STATUS_IO;
}

Test(patched_input, a_failure_of_the_input_is_passed_on) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = {.size = 10, .read_at = read_nothing};
    lam_patched_input patched;
    char bytes[10] = "";
    lam_patched_input_init(&patched, &inner, &allocator);
    cr_assert_eq(lam_patched_input_flip(&patched, 3, 1, NULL), LAM_STATUS_OK);
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, 10, bytes, NULL), LAM_STATUS_IO);
    cr_assert_eq(bytes[3], 0);
    lam_patched_input_finish(&patched);
}

Test(patched_input, what_cannot_be_read_is_a_gap_of_zeros_where_gaps_are_passed) {
    enum { SIZE = 20000, GAP = 9000, PIECE = 4096 };
    static uint8_t file[SIZE], bytes[SIZE];
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_ending_input ending = {.file = {file, SIZE}, .gap_begin = GAP, .gap_end = GAP + 1};
    lam_input inner = lam_ending_input_of(&ending);
    lam_patched_input patched;
    lam_error failure = lam_error_none();
    memset(file, 7, SIZE);
    lam_patched_input_init(&patched, &inner, &allocator);
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, SIZE, bytes, &failure), LAM_STATUS_IO);
    cr_assert_str_eq(failure.message, LAM_ENDING_MESSAGE);
    cr_assert_not(lam_patched_input_has_gap(&patched, 0, SIZE, NULL));
    patched.passes_gaps = true;
    cr_assert_eq(input->read_at(input->state, 0, SIZE, bytes, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < SIZE; i++)
        cr_assert_eq(bytes[i], i / PIECE == GAP / PIECE ? 0 : 7, "byte %zu", i);
    failure = lam_error_none();
    cr_assert(lam_patched_input_has_gap(&patched, 0, 2 * PIECE + 1, &failure));
    cr_assert_str_eq(failure.message, LAM_ENDING_MESSAGE);
    cr_assert_eq(failure.offset, 2 * PIECE);
    cr_assert(lam_patched_input_has_gap(&patched, 3 * PIECE - 1, SIZE, &failure));
    cr_assert_eq(failure.offset, 3 * PIECE - 1, "each gap had the offset of the first one");
    cr_assert_not(lam_patched_input_has_gap(&patched, 0, 2 * PIECE, NULL));
    cr_assert_not(lam_patched_input_has_gap(&patched, 3 * PIECE, SIZE, NULL));
    lam_patched_input_finish(&patched);
}

/* Once for all bytes, then for each piece. */
Test(patched_input, gaps_side_by_side_are_one_and_are_not_read_again) {
    static uint8_t file[20000], bytes[20000];
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_ending_input ending = {.file = {file, sizeof file}, .gap_begin = 5000, .gap_end = 15000};
    lam_input inner = lam_ending_input_of(&ending);
    lam_patched_input patched;
    lam_patched_input_init(&patched, &inner, &allocator);
    patched.passes_gaps = true;
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, sizeof file, bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(ending.gap_reads, 4);
    cr_assert_eq(patched.gaps.count, 1);
    cr_assert_eq(input->read_at(input->state, 0, sizeof file, bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(ending.gap_reads, 4);
    lam_patched_input_finish(&patched);
}

static lam_status lose_memory(void *state, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    (void)state, (void)offset, (void)size, (void)buffer, (void)error;
    return LAM_STATUS_NOMEM;
}

Test(patched_input, only_failures_to_read_are_gaps) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = {.size = 10, .read_at = lose_memory};
    lam_patched_input patched;
    char bytes[10];
    lam_patched_input_init(&patched, &inner, &allocator);
    patched.passes_gaps = true;
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, 10, bytes, NULL), LAM_STATUS_NOMEM);
    cr_assert_not(lam_patched_input_has_gap(&patched, 0, 10, NULL));
    lam_patched_input_finish(&patched);
}

/* Bytes behind the first 5,000 run out of memory, and those fail to be read. */
static lam_status fail_in_turn(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    (void)state, (void)size, (void)buffer;
    if (offset < 5000)
        LAM_FAIL(error, LAM_STATUS_IO, "not read");
    LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory");
}

Test(patched_input, another_failure_behind_a_gap_is_passed_on) {
    static char bytes[20000];
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = {.size = sizeof bytes, .read_at = fail_in_turn};
    lam_patched_input patched;
    lam_error error = lam_error_none();
    lam_patched_input_init(&patched, &inner, &allocator);
    patched.passes_gaps = true;
    lam_input *input = &patched.input;
    for (int told = 0; told < 2; told++)
        cr_assert_eq(input->read_at(input->state, 0, sizeof bytes, bytes, told ? &error : NULL),
                     LAM_STATUS_NOMEM);
    cr_assert_str_eq(error.message, "no memory");
    cr_assert_not(lam_patched_input_has_gap(&patched, 8192, sizeof bytes, NULL));
    lam_patched_input_finish(&patched);
}

/* Each of 4,096 bytes of what fails may take a disk seconds. */
Test(patched_input, a_stop_ends_reads_around_gaps) {
    static uint8_t file[40000], bytes[40000];
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_ending_input ending = {.file = {file, sizeof file}, .gap_end = sizeof file, .stop_at = 5};
    lam_input inner = lam_ending_input_of(&ending);
    lam_patched_input patched;
    lam_patched_input_init(&patched, &inner, &allocator);
    patched.passes_gaps = true;
    patched.stop = &ending.stop;
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, sizeof file, bytes, NULL), LAM_STATUS_CANCELLED);
    cr_assert_eq(ending.reads, 5);
    lam_patched_input_finish(&patched);
}

/* Fails to read the bytes of a map that are not 0. */
static lam_status read_by_map(void *state, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    const uint8_t *map = state;
    for (size_t i = 0; i < size; i++)
        if (map[offset + i] != 0)
            LAM_FAIL(error, LAM_STATUS_IO, "byte %d", (int)(offset + i));
    memset(buffer, 7, size);
    return LAM_STATUS_OK;
}

Test(patched_input, gaps_of_any_order_are_found) {
    enum { SIZE = 100 << 10, PIECE = 4096 };
    static uint8_t map[SIZE], bytes[SIZE], is_gap[SIZE];
    uint64_t seed = lam_test_seed(3);
    lam_allocator allocator = lam_allocator_or_default(NULL);
    for (unsigned round = 0; round < 40; round++) {
        lam_random random = lam_random_start(seed + round);
        lam_input inner = {.state = map, .size = SIZE, .read_at = read_by_map};
        lam_patched_input patched;
        memset(map, 0, SIZE);
        memset(is_gap, 0, SIZE);
        for (unsigned i = 0; i < 1 + round % 12; i++)
            map[lam_random_below(&random, SIZE)] = 1;
        lam_patched_input_init(&patched, &inner, &allocator);
        patched.passes_gaps = true;
        for (unsigned i = 0; i < 40; i++) {
            size_t begin = (size_t)lam_random_below(&random, SIZE);
            size_t size = 1 + (size_t)lam_random_below(&random, SIZE - begin);
            size = i % 2 == 0 && size > 3 * PIECE ? 3 * PIECE : size;
            cr_assert_eq(patched.input.read_at(&patched, begin, size, bytes, NULL), LAM_STATUS_OK);
            for (size_t at = 0; at < size; at++) {
                cr_assert(bytes[at] == 0 ? true : bytes[at] == 7 && map[begin + at] == 0);
                is_gap[begin + at] |= bytes[at] == 0;
            }
        }
        for (size_t at = 0; at < SIZE; at++)
            cr_assert_eq(lam_patched_input_has_gap(&patched, at, at + 1, NULL), is_gap[at] != 0,
                         "round %u, byte %zu", round, at);
        cr_assert_leq(patched.gaps.count, 12);
        lam_patched_input_finish(&patched);
    }
}
