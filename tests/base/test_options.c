/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of other versions, shorter and longer than this one's: what comes in, what goes out. */
#include "base/options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct lam_trial_options {
    size_t struct_size;
    uint64_t first;
    uint64_t second;
} lam_trial_options;

enum { KNOWN = sizeof(lam_trial_options), WORD = sizeof(size_t) };

/* A caller's struct of any size. */
typedef struct room {
    lam_trial_options given;
    uint8_t beyond[LAM_STRUCT_SIZE_MAX + 64];
} room;

static room filled(size_t size) {
    room made;
    memset(&made, 0, sizeof made);
    made.given.struct_size = size;
    made.given.first = 11;
    made.given.second = 22;
    return made;
}

static lam_status take(const room *made, lam_trial_options *copy, lam_error *error) {
    return LAM_OPTIONS_READ(lam_trial_options, &made->given, copy, error);
}

Test(options, what_a_shorter_struct_lacks_is_zero) {
    static const size_t sizes[] = {WORD, offsetof(lam_trial_options, second), KNOWN};
    lam_trial_options copy;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        room made = filled(size);
        cr_assert_eq(take(&made, &copy, NULL), LAM_STATUS_OK, "%zu bytes", size);
        cr_expect_eq(copy.struct_size, KNOWN);
        cr_expect_eq(copy.first,
                     size >= offsetof(lam_trial_options, first) + sizeof copy.first ? 11u : 0u);
        cr_expect_eq(copy.second, size == KNOWN ? 22u : 0u);
    }
}

Test(options, none_at_all_are_zeros_of_the_whole_size) {
    lam_trial_options copy = {1, 2, 3};
    cr_assert_eq(LAM_OPTIONS_READ(lam_trial_options, NULL, &copy, NULL), LAM_STATUS_OK);
    cr_expect(copy.struct_size == KNOWN && copy.first == 0 && copy.second == 0);
}

Test(options, a_longer_struct_is_taken_when_the_rest_is_zero) {
    lam_trial_options copy;
    for (size_t size = KNOWN + WORD; size <= LAM_STRUCT_SIZE_MAX; size += 8 * WORD) {
        room made = filled(size);
        made.beyond[size - KNOWN] = 1; /* behind it */
        cr_assert_eq(take(&made, &copy, NULL), LAM_STATUS_OK, "%zu bytes", size);
        cr_expect(copy.struct_size == KNOWN && copy.second == 22);
    }
}

Test(options, a_longer_struct_is_invalid_when_any_byte_of_the_rest_is_not_zero) {
    for (size_t at = 0; at < 8; at++) {
        room made = filled(KNOWN + 8);
        lam_trial_options copy = {7, 7, 7};
        lam_error error = lam_error_none();
        char wanted[128];
        made.beyond[at] = 0x80;
        cr_assert_eq(take(&made, &copy, &error), LAM_STATUS_INVALID);
        (void)snprintf(wanted, sizeof wanted,
                       "lam_trial_options: 8 bytes beyond the %d that this version knows are not "
                       "all zero",
                       (int)KNOWN);
        cr_expect_str_eq(error.message, wanted);
        cr_expect(copy.struct_size == 7 && copy.first == 7, "the output stays as it is");
    }
}

Test(options, a_size_that_no_version_has_is_invalid) {
    const size_t sizes[] = {
        0, 1, WORD - 1, WORD + 1, KNOWN - 1, KNOWN + 1, LAM_STRUCT_SIZE_MAX + WORD, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        room made = filled(sizes[i]);
        lam_trial_options copy = {7, 7, 7};
        lam_error error = lam_error_none();
        cr_assert_eq(take(&made, &copy, &error), LAM_STATUS_INVALID, "%zu bytes", sizes[i]);
        cr_expect(strstr(error.message,
                         "start from lam_trial_options_default() or lam_struct_init()") != NULL,
                  "%s", error.message);
        cr_assert_eq(LAM_INFO_CHECK(lam_trial_options, &made.given, NULL), LAM_STATUS_INVALID);
        cr_assert_eq(LAM_INFO_WRITE(lam_trial_options, &copy, &made.given, NULL),
                     LAM_STATUS_INVALID);
        cr_expect_eq(made.given.first, 11, "nothing is written");
    }
}

Test(options, infos_are_written_as_far_as_the_caller_has_room) {
    const lam_trial_options info = {KNOWN, 33, 44};
    for (size_t size = WORD; size <= KNOWN + 64; size += WORD) {
        room made, guard;
        memset(&made, 0xA5, sizeof made);
        made.given.struct_size = size;
        guard = made;
        cr_assert_eq(LAM_INFO_WRITE(lam_trial_options, &info, &made.given, NULL), LAM_STATUS_OK);
        size_t shared = size < KNOWN ? size : KNOWN;
        cr_expect_eq(made.given.struct_size, size, "the size stays the caller's");
        cr_expect_arr_eq((uint8_t *)&made + WORD, (const uint8_t *)&info + WORD, shared - WORD);
        for (size_t i = shared; i < size; i++)
            cr_assert_eq(((uint8_t *)&made)[i], 0, "what this version does not know is zero");
        cr_expect_arr_eq((uint8_t *)&made + size, (uint8_t *)&guard + size, sizeof made - size);
    }
}

Test(options, a_switch_is_on_by_default_and_no_other_number) {
    lam_error error = lam_error_none();
    cr_expect_eq(lam_switch_check(LAM_SWITCH_DEFAULT, "page_crc", NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_switch_check(LAM_SWITCH_ON, "page_crc", NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_switch_check(LAM_SWITCH_OFF, "page_crc", NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_switch_check((lam_switch)3, "page_crc", &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "page_crc is 3, which is not a lam_switch");
    cr_expect_eq(lam_switch_check((lam_switch)-1, "page_crc", NULL), LAM_STATUS_INVALID);
    cr_expect(lam_switch_is_on(LAM_SWITCH_DEFAULT) && lam_switch_is_on(LAM_SWITCH_ON));
    cr_expect_not(lam_switch_is_on(LAM_SWITCH_OFF));
}
