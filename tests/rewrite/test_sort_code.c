/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of values have the order of the values. */
#include "rewrite/sort/sort_code.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

enum { CODE_BYTES = 24, CODE_ROUNDS = 20000 };

static const char *const code_fields[] = {
    "required boolean a",
    "required int32 a",
    "required int64 a",
    "required uint32 a",
    "required uint64 a",
    "required float a",
    "required double a",
    "required binary a",
    "required fixed(5) a",
    "required fixed(2) a (FLOAT16)",
    "required int96 a",
    "required fixed(12) a (TIMESTAMP(MILLIS,true))",
    "required binary a (DECIMAL(20,2))",
    "required fixed(7) a (DECIMAL(9,2))",
    "required int64 a (DECIMAL(9,2))",
};

/* A value of a few bytes that are often equal, so that all kinds of neighbours come up. */
static lam_bytes random_value(lam_random *random, const lam_value_order *order,
                              uint8_t bytes[CODE_BYTES]) {
    static const uint8_t usual[] = {0, 0, 0, 1, 0x7F, 0x80, 0xFF, 0xFF};
    size_t size = order->is_varied ? (size_t)lam_random_below(random, 6) : order->size;
    for (size_t i = 0; i < size; i++)
        bytes[i] = lam_random_chance(random, 70) ? usual[lam_random_below(random, sizeof usual)]
                                                 : (uint8_t)lam_random_next(random);
    if (order->comparison == LAM_COMPARISON_BOOLEAN)
        bytes[0] &= 1;
    return (lam_bytes){bytes, size};
}

/* The order of two values; NaNs are equal, and the largest. */
static int wanted_order(const lam_value_order *order, lam_bytes a, lam_bytes b) {
    bool is_nan_a = lam_value_is_nan(order, a), is_nan_b = lam_value_is_nan(order, b);
    int wanted = is_nan_a || is_nan_b ? is_nan_a - is_nan_b : lam_value_compare(order, a, b);
    return (wanted > 0) - (wanted < 0);
}

static int code_order(const lam_buffer *a, const lam_buffer *b) {
    size_t size = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->data, b->data, size);
    if (order == 0) /* no code begins another one */
        cr_assert_eq(a->size, b->size);
    return (order > 0) - (order < 0);
}

Test(sort_code, codes_compare_as_their_values_do_in_both_directions) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_buffer a, b;
    lam_buffer_init(&a, &allocator);
    lam_buffer_init(&b, &allocator);
    for (size_t i = 0; i < sizeof code_fields / sizeof *code_fields; i++) {
        char text[80];
        snprintf(text, sizeof text, "message m { %s; }", code_fields[i]);
        lam_schema *schema = lam_test_schema(text);
        lam_sort_code codes[2] = {lam_sort_code_of(lam_schema_leaf(schema, 0), false, false),
                                  lam_sort_code_of(lam_schema_leaf(schema, 0), true, false)};
        cr_assert(lam_sort_code_exists(lam_schema_leaf(schema, 0)));
        for (int round = 0; round < CODE_ROUNDS; round++) {
            uint8_t bytes_a[CODE_BYTES], bytes_b[CODE_BYTES];
            lam_sort_code *code = &codes[round & 1];
            lam_bytes x = random_value(&random, &code->order, bytes_a);
            lam_bytes y = random_value(&random, &code->order, bytes_b);
            lam_buffer_clear(&a);
            lam_buffer_clear(&b);
            cr_assert_eq(lam_sort_code_append(code, &x, &a, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_sort_code_append(code, &y, &b, NULL), LAM_STATUS_OK);
            int wanted = wanted_order(&code->order, x, y);
            cr_assert_eq(code_order(&a, &b), code->descending ? -wanted : wanted, "%s, round %d",
                         code_fields[i], round);
            if (lam_sort_code_size(code) != 0)
                cr_assert_leq(a.size, lam_sort_code_size(code));
        }
        lam_schema_destroy(schema);
    }
    lam_buffer_finish(&a);
    lam_buffer_finish(&b);
}

Test(sort_code, nulls_are_first_or_last_whatever_the_direction) {
    lam_schema *schema = lam_test_schema("message m { optional int32 a; }");
    lam_allocator allocator = lam_allocator_default();
    const uint8_t least[] = {0, 0, 0, 0x80}, most[] = {0xFF, 0xFF, 0xFF, 0x7F};
    const lam_bytes ends[] = {{least, 4}, {most, 4}};
    for (unsigned i = 0; i < 8; i++) {
        bool nulls_first = (i & 1) != 0;
        lam_sort_code code =
            lam_sort_code_of(lam_schema_leaf(schema, 0), (i & 2) != 0, nulls_first);
        lam_buffer null, value;
        lam_buffer_init(&null, &allocator);
        lam_buffer_init(&value, &allocator);
        cr_assert_eq(lam_sort_code_append(&code, NULL, &null, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_sort_code_append(&code, &ends[i / 4], &value, NULL), LAM_STATUS_OK);
        cr_assert_eq(memcmp(null.data, value.data, 1) < 0, nulls_first);
        lam_buffer_finish(&null);
        lam_buffer_finish(&value);
    }
    lam_schema_destroy(schema);
}

Test(sort_code, types_without_an_order_have_no_codes) {
    lam_schema *schema = lam_test_schema("message m { required fixed(12) a (INTERVAL); }");
    cr_assert_not(lam_sort_code_exists(lam_schema_leaf(schema, 0)));
    lam_schema_destroy(schema);
}

/* Values of each type find no room for their code, or for a part of it. */
Test(sort_code, memory_that_runs_out_is_an_error) {
    static const uint8_t bytes[CODE_BYTES] = {1, 2, 3};
    for (size_t i = 0; i < sizeof code_fields / sizeof *code_fields; i++) {
        char text[80];
        snprintf(text, sizeof text, "message m { %s; }", code_fields[i]);
        lam_schema *schema = lam_test_schema(text);
        for (size_t before = 0; before < 80; before++) {
            lam_failing_alloc counter = {0};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_sort_code code = lam_sort_code_of(lam_schema_leaf(schema, 0), false, false);
            lam_bytes value = {bytes, code.order.is_varied ? 3 : code.order.size};
            lam_buffer out;
            lam_buffer_init(&out, &allocator);
            for (size_t k = 0; k < before; k++)
                cr_assert_eq(lam_buffer_append_byte(&out, 0, NULL), LAM_STATUS_OK);
            size_t requests = counter.requests;
            counter.fail_at = requests + 1;
            lam_status status = lam_sort_code_append(&code, &value, &out, NULL);
            cr_assert_eq(status, counter.requests == requests ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
        }
        lam_schema_destroy(schema);
    }
}
