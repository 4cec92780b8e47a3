/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges that a footer states for indexes and filters: only what lies between the first magic and
 * the footer is read, and nothing is allocated for what cannot.
 */
#include "file/read/footer_range.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/test_file.h"

Test(footer_range, only_what_lies_between_the_magic_and_the_footer_is_read) {
    lam_buffer bytes = lam_test_file("message m { required int32 a; }", "{a: 1} {a: 2}", NULL);
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    const int64_t end = (int64_t)reader->footer.offset;
    const struct {
        int64_t offset, size;
        bool fits;
    } cases[] = {
        {4, 1, true},          {4, end - 4, true},    {end - 1, 1, true},
        {3, 1, false},         {0, 4, false},         {4, 0, false},
        {4, end - 3, false},   {end, 1, false},       {end - 1, 2, false},
        {-1, 5, false},        {4, -1, false},        {INT64_MIN, INT64_MAX, false},
        {4, INT64_MAX, false}, {INT64_MAX, 1, false}, {INT64_MAX, INT64_MAX, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        lam_arena arena;
        lam_bytes range = {NULL, 77};
        lam_arena_init(&arena, &allocator, 0);
        cr_expect_eq(lam_footer_range_fits(cases[i].offset, cases[i].size, reader->footer.offset),
                     cases[i].fits, "row %zu", i);
        const lam_status status = lam_footer_range_read(reader, "the index", cases[i].offset,
                                                        cases[i].size, &arena, &range, &error);
        cr_expect_eq(status, cases[i].fits ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "row %zu: %s", i,
                     error.message);
        if (cases[i].fits) {
            cr_assert_eq(range.size, (size_t)cases[i].size);
            cr_assert_eq(memcmp(range.data, bytes.data + cases[i].offset, range.size), 0);
        } else {
            cr_expect_eq(error.code, LAM_ERROR_CODE_INDEX_RANGE);
            cr_expect_eq(range.size, 77, "row %zu: an output was touched", i);
            cr_expect_eq(counter.peak_bytes, 0, "row %zu: memory was taken", i);
        }
        lam_arena_finish(&arena);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}
