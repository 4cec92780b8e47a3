/* SPDX-License-Identifier: Apache-2.0 */
/* Long bounds are cut to whole characters, on the right side of the value. */
#include "stats/bound.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/utf8.h"
#include "meta/metadata.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/test_file.h"
#include "support/texts.h"

static const lam_value_order BYTES = {LAM_COMPARISON_BYTES, false, false, true, 0};

static lam_bytes text(const char *string) {
    return (lam_bytes){(const uint8_t *)string, strlen(string)};
}

static void expect_upper(lam_bound_kind kind, const char *value, size_t limit, const char *bound) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_bound_upper(kind, text(value), limit, &out, NULL), LAM_STATUS_OK);
    cr_expect_eq(out.size, strlen(bound), "%s cut to %zu has %zu bytes", value, limit, out.size);
    cr_expect(memcmp(out.data, bound, strlen(bound)) == 0, "%s cut to %zu", value, limit);
    lam_buffer_finish(&out);
}

Test(bound, an_upper_bound_raises_the_last_character_that_has_a_next_one) {
    expect_upper(LAM_BOUND_TEXT, "Blart Versenwald III", 5, "Blaru");
    expect_upper(LAM_BOUND_TEXT, "short", 5, "short");
    expect_upper(LAM_BOUND_TEXT, "ab\x7f.", 3, "ab\xC2\x80");
    expect_upper(LAM_BOUND_TEXT, "ab\xED\x9F\xBF.", 5, "ab\xEE\x80\x80"); /* over the surrogates */
    expect_upper(LAM_BOUND_TEXT, "ab\xF4\x8F\xBF\xBF.", 6, "ac"); /* nothing behind U+10FFFF */
    expect_upper(LAM_BOUND_TEXT, "ab\xE2\x82\xAC.", 4, "ac");     /* the euro sign does not fit */
    expect_upper(LAM_BOUND_BYTES, "ab\xFF\xFF.", 4, "ac");
    expect_upper(LAM_BOUND_BYTES, "\xFF\xFF\xFF", 2, "\xFF\xFF\xFF"); /* no shorter one is above */
    expect_upper(LAM_BOUND_WHOLE, "abcdef", 2, "abcdef");
}

Test(bound, a_lower_bound_is_a_prefix_of_whole_characters) {
    cr_expect_eq(lam_bound_lower(LAM_BOUND_TEXT, text("ab\xE2\x82\xAC."), 4), 2);
    cr_expect_eq(lam_bound_lower(LAM_BOUND_TEXT, text("ab\xE2\x82\xAC."), 5), 5);
    cr_expect_eq(lam_bound_lower(LAM_BOUND_BYTES, text("ab\xE2\x82\xAC."), 4), 4);
    cr_expect_eq(lam_bound_lower(LAM_BOUND_WHOLE, text("abcdef"), 4), 6);
}

/* Characters of one to four bytes, often at the ends of their ranges. */
static size_t random_character(lam_random *random, uint8_t *out) {
    static const char *const pool[] =
        LAM_TEXTS("a", "\x7F", "\xC2\x80", "\xDF\xBF", "z", "\xE0\xA0\x80", "\xED\x9F\xBF",
                  "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF");
    const char *one = pool[lam_random_below(random, sizeof pool / sizeof *pool)];
    memcpy(out, one, strlen(one));
    return strlen(one);
}

static size_t random_value(lam_random *random, lam_bound_kind kind, uint8_t *out) {
    size_t size = 0, units = (size_t)lam_random_below(random, 12);
    for (size_t i = 0; i < units; i++) {
        if (kind == LAM_BOUND_TEXT)
            size += random_character(random, out + size);
        else
            out[size++] =
                lam_random_below(random, 2) ? 0xFF : (uint8_t)lam_random_below(random, 256);
    }
    return size;
}

Test(bound, bounds_lie_on_both_sides_of_the_value_and_stay_what_the_column_holds) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (int round = 0; round < 20000; round++) {
        lam_bound_kind kind = lam_random_below(&random, 2) ? LAM_BOUND_TEXT : LAM_BOUND_BYTES;
        uint8_t bytes[64];
        lam_bytes value = {bytes, random_value(&random, kind, bytes)};
        size_t limit = 1 + (size_t)lam_random_below(&random, 12);
        lam_bytes lower = {bytes, lam_bound_lower(kind, value, limit)};
        cr_assert_leq(lower.size, limit);
        cr_assert_leq(lam_value_compare(&BYTES, lower, value), 0);
        lam_buffer_clear(&out);
        cr_assert_eq(lam_bound_upper(kind, value, limit, &out, NULL), LAM_STATUS_OK);
        lam_bytes upper = lam_buffer_bytes(&out);
        cr_assert_geq(lam_value_compare(&BYTES, upper, value), 0);
        cr_assert(upper.size <= limit + 1 || upper.size == value.size);
        if (kind == LAM_BOUND_TEXT) {
            cr_assert_eq(lam_utf8_prefix(lower.data, lower.size), lower.size);
            cr_assert_eq(lam_utf8_prefix(upper.data, upper.size), upper.size);
        }
    }
    lam_buffer_finish(&out);
}

Test(bound, only_strings_and_plain_byte_arrays_have_shorter_bounds) {
    static const struct {
        const char *field;
        lam_bound_kind kind;
    } cases[] = {
        {"required binary a;", LAM_BOUND_BYTES},
        {"required binary a (STRING);", LAM_BOUND_TEXT},
        {"required binary a (JSON);", LAM_BOUND_WHOLE},
        {"required binary a (ENUM);", LAM_BOUND_WHOLE},
        {"required binary a (DECIMAL(9,2));", LAM_BOUND_WHOLE},
        {"required fixed_len_byte_array(9) a;", LAM_BOUND_WHOLE},
        {"required int32 a;", LAM_BOUND_WHOLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_schema *schema;
        schema = lam_test_parse(cases[i].field);
        const lam_field *leaf = lam_schema_leaf(schema, 0);
        lam_value_order order = lam_value_order_of(leaf, LAM_META_COLUMN_ORDER_TYPE);
        cr_expect_eq(lam_bound_kind_of(leaf, &order), cases[i].kind, "%s", cases[i].field);
        lam_schema_destroy(schema);
    }
}

Test(bound, without_memory_there_is_no_upper_bound) {
    static const struct {
        lam_bound_kind kind;
        const char *value;
    } cases[] = {{LAM_BOUND_TEXT, "abcd"},
                 {LAM_BOUND_TEXT, "a"},
                 {LAM_BOUND_TEXT, "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF"},
                 {LAM_BOUND_BYTES, "abcd"},
                 {LAM_BOUND_WHOLE, "abcd"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_failing_alloc failing = {.fail_at = 1};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        cr_expect_eq(lam_bound_upper(cases[i].kind, text(cases[i].value), 3, &out, NULL),
                     LAM_STATUS_NOMEM, "%zu", i);
        cr_expect_eq(out.size, 0);
        lam_buffer_finish(&out);
    }
}
