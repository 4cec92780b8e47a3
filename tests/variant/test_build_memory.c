/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of values that have no memory, and go on when there is some again. */
#include "variant/value/variant_builder.h"

#include "build_help.h"
#include "support/failing_alloc.h"

static lam_status build_something(const lam_allocator *allocator) {
    lam_variant_builder *builder = NULL;
    lam_variant variant;
    char name[16];
    lam_status status = lam_variant_builder_create(NULL, allocator, &builder, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_begin_object(builder, NULL);
    for (unsigned i = 0; i < 100 && status == LAM_STATUS_OK; i++) {
        snprintf(name, sizeof name, "%u", i);
        status = lam_variant_builder_field(builder, name, strlen(name), NULL);
        if (status == LAM_STATUS_OK)
            status = lam_variant_builder_put_integer(builder, i, NULL);
    }
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_end_object(builder, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_finish(builder, &variant, NULL);
    lam_variant_builder_destroy(builder);
    return status;
}

Test(build_memory, a_failing_allocation_leaves_nothing_behind) {
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = build_something(&allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 1000);
    }
}

Test(build_memory, a_text_without_memory_changes_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    const lam_bytes text = {(const uint8_t *)"text", 4};
    lam_variant_builder *builder;
    lam_variant variant;
    OK(lam_variant_builder_create(NULL, &allocator, &builder, NULL));
    counter.fail_at = counter.requests + 1;
    cr_expect_eq(lam_variant_builder_put_text(builder, text, NULL), LAM_STATUS_NOMEM);
    OK(lam_variant_builder_put_text(builder, text, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, "010000", "11 74657874");
    lam_variant_builder_destroy(builder);
}

/* Of a scalar, and of an array of objects; alone, and in an array. */
Test(build_memory, a_copy_without_memory_changes_nothing) {
    const lam_variant originals[] = {
        hex_variant("010000", "1D 61626364656667"),
        hex_variant("11 01 00 01 61", "03 03 00 06 0C 0E 020100000100 020100000100 0C05")};
    for (size_t i = 0; i < 4; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t n = 1; status != LAM_STATUS_OK; n++) {
            lam_failing_alloc counter = {0};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_variant_builder *builder;
            lam_variant variant;
            OK(lam_variant_builder_create(NULL, &allocator, &builder, NULL));
            if (i >= 2)
                OK(lam_variant_builder_begin_array(builder, NULL));
            counter.fail_at = counter.requests + n;
            status = lam_variant_builder_copy(builder, originals[i % 2], NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            counter.fail_at = 0;
            if (status != LAM_STATUS_OK)
                OK(lam_variant_builder_put_null(builder, NULL));
            if (i >= 2)
                OK(lam_variant_builder_end_array(builder, NULL));
            OK(lam_variant_builder_finish(builder, &variant, NULL));
            if (status != LAM_STATUS_OK)
                expect_hex(variant, "010000", i >= 2 ? "03 01 00 01 00" : "00");
            else if (i < 2)
                cr_expect(lam_variant_equals(variant, originals[i]));
            lam_variant_builder_destroy(builder);
            cr_assert_lt(n, 100);
        }
    }
    for (size_t i = 0; i < 2; i++)
        free_variant(originals[i]);
}

Test(build_memory, a_finish_without_memory_gives_no_value) {
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_variant_builder *builder;
        lam_variant variant;
        OK(lam_variant_builder_create(NULL, &allocator, &builder, NULL));
        put_value(builder, "{a: 1}");
        counter.fail_at = counter.requests + n;
        status = lam_variant_builder_finish(builder, &variant, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            expect_hex(variant, "11 01 00 01 61", "02 01 00 00 02 0C01");
        lam_variant_builder_destroy(builder);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_lt(n, 100);
    }
}

/* A builder goes on after a failed call as if it had not been made. */
Test(build_memory, a_builder_goes_on_when_there_is_memory_again) {
    for (size_t n = 1; n < 60; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_variant_builder *builder;
        lam_variant variant;
        char name[16];
        OK(lam_variant_builder_create(NULL, &allocator, &builder, NULL));
        counter.fail_at = counter.requests + n;
        while (lam_variant_builder_begin_object(builder, NULL) != LAM_STATUS_OK)
            cr_assert_leq(counter.fail_at, counter.requests);
        for (unsigned i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "%u", i % 50);
            while (lam_variant_builder_field(builder, name, strlen(name), NULL) != LAM_STATUS_OK)
                cr_assert_leq(counter.fail_at, counter.requests);
            while (lam_variant_builder_begin_array(builder, NULL) != LAM_STATUS_OK)
                cr_assert_leq(counter.fail_at, counter.requests);
            while (lam_variant_builder_put_integer(builder, i, NULL) != LAM_STATUS_OK)
                cr_assert_leq(counter.fail_at, counter.requests);
            OK(lam_variant_builder_end_array(builder, NULL));
            if (i == 49)
                break;
        }
        OK(lam_variant_builder_end_object(builder, NULL));
        if (lam_variant_builder_finish(builder, &variant, NULL) == LAM_STATUS_OK) {
            size_t count;
            OK(lam_variant_validate(variant, 0, NULL));
            OK(lam_variant_count(variant, &count, NULL));
            cr_expect_eq(count, 50);
        }
        lam_variant_builder_destroy(builder);
        cr_assert_eq(counter.live_bytes, 0);
    }
}
