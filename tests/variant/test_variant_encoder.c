/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of containers, from nodes in any order, to the limits of their numbers. */
#include "variant/value/variant_encoder.h"

#include "support/random.h"
#include "variant_help.h"

/* An object whose fields, all null, have these numbers; gives the ids in the order written. */
static size_t order_of(const uint32_t *names, size_t count, const lam_variant_naming *naming,
                       uint32_t *ids) {
    static const uint8_t null_value = 0;
    lam_allocator allocator = lam_allocator_default();
    lam_variant_encoder encoder;
    lam_buffer out;
    uint32_t twice;
    lam_variant_encoder_init(&encoder, &allocator);
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_variant_encoder_begin(&encoder, LAM_VARIANT_NODE_OBJECT, 0, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(lam_variant_encoder_add(&encoder, names[i], 0, 1, NULL), LAM_STATUS_OK);
    lam_variant_encoder_end(&encoder);
    cr_assert_eq(lam_variant_encoder_write(&encoder, naming, &null_value, &out, &twice, NULL),
                 LAM_STATUS_OK);
    size_t width = (out.data[0] >> 4 & 3) + 1u, at = out.data[0] & 64 ? 5 : 2,
           written = out.data[1];
    if (at == 5)
        written |= (size_t)out.data[2] << 8;
    for (size_t i = 0; i < written; i++) {
        ids[i] = 0;
        for (size_t k = 0; k < width; k++)
            ids[i] |= (uint32_t)out.data[at++] << 8 * k;
    }
    lam_variant_encoder_finish(&encoder);
    lam_buffer_finish(&out);
    return written;
}

Test(variant_encoder, fields_of_any_number_and_order_are_sorted) {
    enum { MOST = 3000 };
    static uint32_t names[MOST], ids[MOST];
    lam_random random = lam_random_start(lam_test_seed(11));
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 255, 256, 1000, MOST};
    lam_variant_naming naming = {NULL, NULL, false, false};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t count = counts[c];
        for (size_t i = 0; i < count; i++)
            names[i] = (uint32_t)i;
        for (size_t i = count; i > 1; i--) {
            size_t other = (size_t)lam_random_below(&random, i);
            uint32_t name = names[i - 1];
            names[i - 1] = names[other];
            names[other] = name;
        }
        cr_assert_eq(order_of(names, count, &naming, ids), count);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(ids[i], i, "%zu of %zu", i, count);
    }
}

Test(variant_encoder, fields_are_sorted_by_rank_and_written_by_id) {
    static const uint32_t names[] = {0, 1, 2}, rank[] = {1, 2, 0}, id[] = {300, 7, 70000};
    uint32_t ids[3];
    lam_variant_naming naming = {rank, id, false, false};
    cr_assert_eq(order_of(names, 3, &naming, ids), 3);
    cr_expect_eq(ids[0], 70000);
    cr_expect_eq(ids[1], 300);
    cr_expect_eq(ids[2], 7);
}

Test(variant_encoder, of_many_fields_of_one_name_the_last_is_left) {
    static const uint32_t names[] = {4, 4, 1, 4, 1, 0, 4};
    uint32_t ids[7];
    lam_variant_naming naming = {NULL, NULL, false, true};
    cr_assert_eq(order_of(names, 7, &naming, ids), 3);
    cr_expect_eq(ids[0], 0);
    cr_expect_eq(ids[1], 1);
    cr_expect_eq(ids[2], 4);
}

Test(variant_encoder, parts_of_more_than_4_gib_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_variant_encoder encoder;
    lam_buffer out;
    uint32_t twice;
    lam_variant_naming naming = {NULL, NULL, false, false};
    lam_variant_encoder_init(&encoder, &allocator);
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_variant_encoder_begin(&encoder, LAM_VARIANT_NODE_ARRAY, 0, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_variant_encoder_add(&encoder, 0, 0, UINT32_MAX, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_encoder_add(&encoder, 0, 0, 1, NULL), LAM_STATUS_OK);
    lam_variant_encoder_end(&encoder);
    cr_expect_eq(lam_variant_encoder_write(&encoder, &naming, NULL, &out, &twice, NULL),
                 LAM_STATUS_LIMIT);
    cr_expect_eq(out.size, 0);
    lam_variant_encoder_finish(&encoder);
    lam_buffer_finish(&out);
}

Test(variant_encoder, more_nodes_than_numbers_or_memory_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_variant_encoder encoder;
    lam_error error = lam_error_none();
    lam_variant_encoder_init(&encoder, &allocator);
    encoder.count = (size_t)UINT32_MAX / 2 + 1;
    cr_expect_eq(lam_variant_encoder_grow(&encoder, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "variant: more than 2147483648 values in one");
    encoder.count = 0;
    cr_expect_eq(lam_variant_encoder_reserve(&encoder, SIZE_MAX, &error), LAM_STATUS_NOMEM);
    /* As if there were so many: the doubled number, or its bytes, are more than a size can be. */
    static const size_t capacities[] = {SIZE_MAX - 1, SIZE_MAX / 4};
    for (size_t i = 0; i < 2; i++) {
        encoder.capacity = capacities[i];
        cr_expect_eq(lam_variant_encoder_grow(&encoder, &error), LAM_STATUS_NOMEM);
        cr_expect_eq(encoder.capacity, capacities[i]);
    }
    encoder.capacity = 0;
    lam_variant_encoder_finish(&encoder);
}

Test(variant_encoder, room_that_is_reserved_keeps_the_nodes) {
    lam_allocator allocator = lam_allocator_default();
    lam_variant_encoder encoder;
    lam_variant_encoder_init(&encoder, &allocator);
    cr_assert_eq(lam_variant_encoder_reserve(&encoder, 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_encoder_begin(&encoder, LAM_VARIANT_NODE_ARRAY, 0, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_variant_encoder_add(&encoder, 0, 7, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_encoder_reserve(&encoder, 2, NULL), LAM_STATUS_OK);
    cr_expect_eq(encoder.capacity, 3); /* there was room */
    cr_assert_eq(lam_variant_encoder_reserve(&encoder, 1000, NULL), LAM_STATUS_OK);
    cr_expect_eq(encoder.capacity, 1000);
    cr_expect_eq(encoder.count, 2);
    cr_expect_eq(encoder.nodes[0].count, 1);
    lam_variant_encoder_drop(&encoder);
    cr_expect_eq(encoder.count, 0);
    cr_expect_eq(encoder.open.count, 0);
    lam_variant_encoder_finish(&encoder);
}
