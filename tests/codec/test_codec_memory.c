/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that codecs of other libraries ask for goes through the allocator, by its exact size.
 */
#include "codec/codec_memory.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"

Test(codec_memory, releasing_names_the_size_that_was_allocated) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    static const size_t sizes[] = {0, 1, 15, 16, 17, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *memory = lam_codec_memory_allocate(&allocator, sizes[i]);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % sizeof(void *), 0);
        memset(memory, 0xA5, sizes[i]);
        cr_assert_geq(counter.live_bytes, sizes[i]);
        lam_codec_memory_release(&allocator, memory);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_eq(counter.wrong_sizes, 0);
    lam_codec_memory_release(&allocator, NULL);
}

Test(codec_memory, what_cannot_be_had_is_null) {
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    cr_assert_null(lam_codec_memory_allocate(&allocator, 10));
    cr_assert_null(lam_codec_memory_allocate(&allocator, SIZE_MAX));
}
