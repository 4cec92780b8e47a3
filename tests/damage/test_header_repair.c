/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the wrong bit of a header, with goals that are met by what a header states, so
 * that each test decides which bits are right.
 */
#include "damage/chunk/header_repair.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/crc32.h"
#include "meta/compact.h"
#include "support/failing_alloc.h"

enum { VALUES = 20, MORE = 21, MANY = 22, TAIL = 40, ROOM = 512 };

/* A header in a file, and bytes after it. */
typedef struct header_bytes {
    uint8_t bytes[ROOM];
    size_t size; /* of the header */
    lam_input input;
    lam_patched_input patched;
    lam_window window;
    lam_header_repair repair;
} header_bytes;

static void bytes_begin(header_bytes *file, const lam_allocator *allocator) {
    lam_allocator plain = lam_allocator_default();
    lam_meta_data_page_header v1 = {.num_values = VALUES};
    lam_meta_page_header header = {.compressed_page_size = TAIL, .data_page_header = &v1};
    lam_buffer buffer;
    memset(file, 0, sizeof *file);
    lam_buffer_init(&buffer, &plain);
    cr_assert_eq(lam_meta_write_page_header(&header, &buffer, NULL), LAM_STATUS_OK);
    file->size = buffer.size;
    memset(file->bytes, 0xEE, sizeof file->bytes);
    memcpy(file->bytes, buffer.data, buffer.size);
    lam_buffer_finish(&buffer);
    file->input = lam_input_memory(file->bytes, file->size + TAIL);
    lam_patched_input_init(&file->patched, &file->input, allocator);
    lam_window_init(&file->window, &file->patched.input, file->input.size, 64, allocator);
    lam_header_repair_init(&file->repair, &file->patched, file->input.size, allocator);
}

static void bytes_end(header_bytes *file) {
    lam_header_repair_finish(&file->repair);
    lam_window_finish(&file->window);
    lam_patched_input_finish(&file->patched);
}

/* Met by headers of one number of values or of another. */
typedef struct count_goal {
    int32_t counts[2];
    bool differ; /* in what they make of the file */
    size_t tried;
} count_goal;

static lam_status has_count(void *state, const lam_meta_page_header *header, size_t header_size,
                            lam_header_outcome *ret_outcome, bool *ret_is_met, lam_error *error) {
    count_goal *goal = state;
    int32_t count = header->data_page_header == NULL ? -1 : header->data_page_header->num_values;
    (void)error;
    goal->tried++;
    *ret_is_met = count == goal->counts[0] || count == goal->counts[1];
    *ret_outcome = (lam_header_outcome){.body = header_size};
    ret_outcome->triples = goal->differ ? count : 0;
    return LAM_STATUS_OK;
}

/* Searches the bits of the first `size` bytes. */
static size_t search(header_bytes *file, size_t size, count_goal *state, bool *ret_is_ambiguous) {
    lam_header_trial trial;
    size_t bit;
    const lam_header_goal goal = {state, has_count, NULL};
    cr_assert_eq(lam_header_trial_begin(&trial, &file->window, 0, size, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_header_find_bit(&file->repair, &trial, &goal, &bit, ret_is_ambiguous, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(memcmp(trial.bytes, file->bytes, trial.size), 0); /* all are turned back */
    return bit;
}

/* The byte with the number of values, 2 * VALUES. */
static size_t count_byte(const header_bytes *file) {
    size_t at = 0;
    while (file->bytes[at] != 2 * VALUES)
        at++;
    return at;
}

Test(header_repair, the_first_bit_that_meets_the_goal_is_found_and_another_outcome_is_told) {
    static const struct {
        int32_t counts[2];
        bool differ;
        int bit; /* of the byte with the number, or -1 */
        bool is_ambiguous;
    } cases[] = {
        {{MORE, MORE}, true, 1, false}, {{MANY, MANY}, true, 2, false},
        {{MANY, MORE}, true, 1, true},  {{MANY, MORE}, false, 1, false},
        {{23, 23}, true, -1, false}, /* two bits away */
    };
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        header_bytes file;
        bool is_ambiguous;
        bytes_begin(&file, &allocator);
        count_goal goal = {{cases[i].counts[0], cases[i].counts[1]}, cases[i].differ, 0};
        size_t bit = search(&file, file.size, &goal, &is_ambiguous);
        cr_expect_eq(is_ambiguous, cases[i].is_ambiguous, "case %zu", i);
        cr_expect_eq(bit,
                     cases[i].bit < 0 ? SIZE_MAX : 8 * count_byte(&file) + (size_t)cases[i].bit,
                     "case %zu: bit %zu", i, bit);
        bytes_end(&file);
    }
}

Test(header_repair, bytes_that_cannot_be_wrong_are_not_tried) {
    lam_allocator allocator = lam_allocator_default();
    header_bytes file;
    bool is_ambiguous;
    bytes_begin(&file, &allocator);
    count_goal in_header = {{VALUES, VALUES}, true, 0}, in_all = in_header, before = in_header;
    size_t bit = search(&file, file.size, &in_header, &is_ambiguous);
    cr_assert_eq(search(&file, file.size + TAIL, &in_all, &is_ambiguous), bit);
    cr_assert_eq(in_all.tried, in_header.tried); /* a header without a changed bit is no trial */
    before.counts[0] = before.counts[1] = MORE;
    cr_assert_eq(search(&file, count_byte(&file), &before, &is_ambiguous), SIZE_MAX);
    cr_assert_gt(before.tried, 0);
    bytes_end(&file);
}

/* A field that nobody knows is in front of its end. */
Test(header_repair, a_header_longer_than_it_would_be_written_is_none) {
    lam_allocator allocator = lam_allocator_default();
    header_bytes file;
    bool is_met;
    lam_header_trial trial;
    lam_header_outcome outcome;
    count_goal state = {{VALUES, VALUES}, true, 0};
    const lam_header_goal goal = {&state, has_count, NULL};
    bytes_begin(&file, &allocator);
    memmove(file.bytes + file.size, file.bytes + file.size - 1, 1);
    file.bytes[file.size - 1] = 0xF2; /* field 20: a flag */
    cr_assert_eq(lam_header_trial_begin(&trial, &file.window, 0, file.size + 1, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_header_trial_check(&file.repair, &trial, 1, &goal, &outcome, &is_met, NULL),
                 LAM_STATUS_OK);
    cr_assert(!is_met && state.tried == 0);
    bytes_end(&file);
}

Test(header_repair, the_work_of_trying_ends) {
    lam_allocator allocator = lam_allocator_default();
    header_bytes file;
    bool is_ambiguous;
    bytes_begin(&file, &allocator);
    count_goal all = {{MORE, MORE}, true, 0}, none = all;
    cr_assert_neq(search(&file, file.size, &all, &is_ambiguous), SIZE_MAX);
    cr_assert(lam_header_repair_spend(&file.repair, file.repair.work_left - 1));
    cr_assert_eq(search(&file, file.size, &none, &is_ambiguous), SIZE_MAX);
    cr_assert(none.tried == 0 && file.repair.work_left == 0);
    bytes_end(&file);
}

Test(header_repair, the_last_checksum_is_remembered_and_a_bit_is_turned_over_in_all_that_is_read) {
    lam_allocator allocator = lam_allocator_default();
    header_bytes file;
    uint32_t crc;
    const uint8_t *bytes;
    bytes_begin(&file, &allocator);
    uint64_t end = file.size + TAIL;
    cr_assert(lam_header_repair_has_crc(&file.repair, 0, 0));
    cr_assert(!lam_header_repair_has_crc(&file.repair, file.size, end));
    cr_assert_eq(lam_header_repair_crc(&file.repair, &file.window, file.size, end, &crc, NULL),
                 LAM_STATUS_OK);
    cr_assert(lam_header_repair_has_crc(&file.repair, file.size, end));
    cr_assert_eq(crc, lam_crc32(0, file.bytes + file.size, TAIL));
    cr_assert_eq(lam_header_repair_flip(&file.repair, &file.window, 1, 0x30, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_window_lend(&file.window, 0, 2, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(bytes[1], file.bytes[1] ^ 0x30);
    bytes_end(&file);
}

Test(header_repair, a_header_that_finds_no_memory_is_noted) {
    lam_failing_alloc failing = {0};
    lam_allocator allocator = lam_failing_allocator(&failing);
    header_bytes file;
    lam_meta_page_header header;
    size_t size;
    bytes_begin(&file, &allocator);
    failing.fail_at = failing.requests + 1;
    cr_assert(
        !lam_header_repair_parse(&file.repair, (lam_bytes){file.bytes, file.size}, &header, &size));
    cr_assert(file.repair.lacks_memory);
    bytes_end(&file);
    cr_assert_eq(failing.live_bytes, 0);
}
