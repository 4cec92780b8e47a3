/* SPDX-License-Identifier: Apache-2.0 */
/* Parts looked for in bytes, and in bytes that are no VARIANT. */
#include <lamella/filter.h>

#include "scan/path_help.h"
#include "scan/random_condition.h"
#include "support/stopwatch.h"
#include "variant/random_variant.h"

static const char WHOLE[] = "message m { required group v (VARIANT) {"
                            "required binary metadata; required binary value; } }";

typedef struct looked {
    lam_schema *schema;
    lam_filter *filter;
    lam_error error;
} looked;

static looked start(const char *condition) {
    looked it = {path_schema(WHOLE), NULL, lam_error_none()};
    it.filter = path_filter(it.schema, condition);
    return it;
}

static void finish(looked *it) {
    lam_filter_destroy(it->filter);
    lam_schema_destroy(it->schema);
}

static lam_status look(looked *it, lam_variant variant, uint8_t *outcome) {
    lam_variant_names_view names;
    it->error = lam_error_none();
    const char *problem = lam_variant_open_names(variant.metadata, &names);
    cr_assert_null(problem, "%s", problem);
    return lam_filter_path_evaluate(it->filter->tests[0].path, 0, &names, variant.value, outcome,
                                    &it->error);
}

static void expect_outcome(const char *condition, const char *metadata, const char *value,
                           uint8_t expected) {
    looked it = start(condition);
    lam_variant variant = hex_variant(metadata, value);
    uint8_t outcome = LAM_OUTCOME_FALSE;
    cr_expect_eq(look(&it, variant, &outcome), LAM_STATUS_OK, "%s, %s: %s", condition, value,
                 it.error.message);
    cr_expect_eq(outcome, expected, "%s, %s: %d", condition, value, outcome);
    free_variant(variant);
    finish(&it);
}

static const char AB[] = "11 02 00 01 02 61 62";

Test(filter_path_evaluate, fields_in_any_order_are_found) {
    expect_outcome("v.a = 5", AB, "02 02 00 01 00 02 04 0C05 0C06", LAM_OUTCOME_TRUE);
    expect_outcome("v.a = 5", AB, "02 02 01 00 02 00 04 0C05 0C06", LAM_OUTCOME_TRUE);
    expect_outcome("v.b = 6", AB, "02 02 01 00 02 00 04 0C05 0C06", LAM_OUTCOME_TRUE);
    expect_outcome("v.c = 6", AB, "02 02 01 00 02 00 04 0C05 0C06", LAM_OUTCOME_UNKNOWN);
    /* names that are not sorted */
    expect_outcome("v.b = 6", "01 02 00 01 02 62 61", "02 02 00 01 00 02 04 0C06 0C05",
                   LAM_OUTCOME_TRUE);
}

Test(filter_path_evaluate, bytes_that_do_not_count_are_not_looked_at) {
    /* behind the value, and parts that the path does not lead through */
    expect_outcome("v = 5", AB, "0C05 FFFF", LAM_OUTCOME_TRUE);
    expect_outcome("v.a = 5", AB, "02 02 00 01 00 02 04 0C05 FC06", LAM_OUTCOME_TRUE);
    expect_outcome("v.a is not null", AB, "02 02 00 01 00 02 04 FC05 0C06", LAM_OUTCOME_TRUE);
    expect_outcome("v.a[] = 5", AB, "0C05", LAM_OUTCOME_UNKNOWN);
    expect_outcome("v.a is missing", AB, "02 00 00", LAM_OUTCOME_TRUE);
    expect_outcome("v[] is null", AB, "03 00 00", LAM_OUTCOME_FALSE);
    expect_outcome("v = 5", AB, "03 02 00 02 04 0C05 FC06", LAM_OUTCOME_TRUE);
}

Test(filter_path_evaluate, a_name_in_the_bytes_of_another_or_beyond_them_is_told_apart) {
    /* "a" and "ab" share bytes */
    expect_outcome("v.ab = 5", "01 01 00 02 61 62", "02 01 00 00 02 0C05", LAM_OUTCOME_TRUE);
    expect_outcome("v.a = 5", "01 01 00 02 61 62", "02 01 00 00 02 0C05", LAM_OUTCOME_UNKNOWN);
    expect_outcome("v.\"\" = 5", "01 01 00 00", "02 01 00 00 02 0C05", LAM_OUTCOME_TRUE);
}

Test(filter_path_evaluate, what_is_no_variant_is_refused) {
    static const struct {
        const char *condition, *value, *message;
        lam_status status;
    } cases[] = {
        {"v = 5", "", "variant: no bytes", LAM_STATUS_CORRUPT},
        {"v = 5", "0C", NULL, LAM_STATUS_CORRUPT},
        {"v = 5", "18 00", NULL, LAM_STATUS_CORRUPT},
        {"v = 5", "F1 61", NULL, LAM_STATUS_CORRUPT},
        {"v = 5", "FC", NULL, LAM_STATUS_UNSUPPORTED},
        {"v = 5", "40 FFFFFFFF 61", NULL, LAM_STATUS_CORRUPT},
        {"v = 5", "03", "variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v = 5", "03 FF 00", "variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v = 5", "13 FFFFFFFF 00", "variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v = 5", "03 01 02 02 0C05", "variant: an offset outside of its object or array",
         LAM_STATUS_CORRUPT},
        {"v = 5", "03 01 00 09 0C05", "variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v.a = 5", "02 01", "variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v.a = 5", "02 01 02 00 02 0C05", "variant: a field id that the metadata does not have",
         LAM_STATUS_CORRUPT},
        {"v.a = 5", "02 01 00 01 01 0C05", "variant: an offset outside of its object or array",
         LAM_STATUS_CORRUPT},
        {"v.a = 5", "02 01 00 00 02 18 00", "variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v.a is null", "02 01 00 00 01 0C05", "variant: a value ends early", LAM_STATUS_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        looked it = start(cases[i].condition);
        lam_variant variant = hex_variant(AB, cases[i].value);
        uint8_t outcome = LAM_OUTCOME_FALSE;
        cr_expect_eq(look(&it, variant, &outcome), cases[i].status, "%s: %s", cases[i].value,
                     it.error.message);
        if (cases[i].message != NULL)
            cr_expect_str_eq(it.error.message, cases[i].message, "%s: %s", cases[i].value,
                             it.error.message);
        free_variant(variant);
        finish(&it);
    }
}

/* --- Large and deep --------------------------------------------------------------------------- */

static void put32(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* Arrays inside of each other around an int8. Each says that it has `count` elements, which are all
 * the same bytes. */
static lam_variant nested(uint32_t count, uint32_t depth) {
    size_t head = 5 + ((size_t)count + 1) * 4, size = head * depth + 2;
    uint8_t *bytes = calloc(1, size);
    lam_variant variant = {hex_bytes(AB), {bytes, size}};
    for (uint32_t i = 0; i < depth; i++) {
        uint8_t *at = bytes + head * i;
        at[0] = 0x1F; /* an array with offsets of 4 bytes, and a count of 4 */
        put32(at + 1, count);
        put32(at + 5 + 4 * (size_t)count, (uint32_t)(size - head * (i + 1)));
    }
    bytes[size - 2] = 0x0C;
    bytes[size - 1] = 5;
    return variant;
}

Test(filter_path_evaluate, nesting_ends_where_values_may_not_be_deeper) {
    static const uint32_t depths[] = {1, LAM_VARIANT_DEPTH_MAX, LAM_VARIANT_DEPTH_MAX + 1, 10000};
    looked it = start("v = 5");
    for (size_t i = 0; i < 4; i++) {
        lam_variant variant = nested(1, depths[i]);
        uint8_t outcome = LAM_OUTCOME_FALSE;
        bool fits = depths[i] <= LAM_VARIANT_DEPTH_MAX;
        cr_expect_eq(look(&it, variant, &outcome), fits ? LAM_STATUS_OK : LAM_STATUS_LIMIT,
                     "depth %u: %s", (unsigned)depths[i], it.error.message);
        if (fits)
            cr_expect_eq(outcome, LAM_OUTCOME_TRUE);
        free_variant(variant);
    }
    finish(&it);
}

/* Levels of shared elements would be their count to that power if they were followed. */
Test(filter_path_evaluate, elements_that_share_bytes_do_not_multiply_the_work) {
    looked it = start("v = 6");
    lam_variant variant = nested(1000, 1000);
    uint8_t outcome = LAM_OUTCOME_FALSE;
    lam_stopwatch_start("shared elements");
    cr_expect_eq(look(&it, variant, &outcome), LAM_STATUS_CORRUPT);
    cr_expect_str_eq(it.error.message, "variant: elements that share bytes");
    lam_stopwatch_stop();
    free_variant(variant);
    finish(&it);
}

/* --- Changed bytes ---------------------------------------------------------------------------- */

/* Whatever is done to a value, a look ends, and touches nothing outside of it. */
Test(filter_path_evaluate, changed_and_cut_values_have_an_outcome_or_an_error) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    lam_variant_builder *builder;
    size_t good = 0, bad = 0;
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    for (int round = 0; round < 3000; round++) {
        static random_condition asked;
        lam_variant variant;
        lam_filter_builder *filters;
        looked it = {path_schema(WHOLE), NULL, lam_error_none()};
        lam_random_variant(&random, builder, 60);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        random_condition_make(&random, "v", variant, false, &asked);
        cr_assert_eq(lam_filter_builder_create(it.schema, NULL, &filters, NULL), LAM_STATUS_OK);
        cr_assert_eq(random_condition_add(&asked, filters, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_filter_builder_finish(filters, &it.filter, NULL), LAM_STATUS_OK);
        lam_filter_builder_destroy(filters);
        uint8_t expected = random_condition_of_value(&asked, variant), outcome = LAM_OUTCOME_FALSE;
        cr_assert_eq(look(&it, variant, &outcome), LAM_STATUS_OK, "seed %llu, round %d: %s",
                     (unsigned long long)seed, round, it.error.message);
        cr_assert_eq(outcome, expected, "seed %llu, round %d: %s", (unsigned long long)seed, round,
                     asked.path);
        for (int k = 0; k < 20; k++) {
            size_t size = variant.value.size;
            if (lam_random_chance(&random, 30))
                size = (size_t)lam_random_below(&random, size + 1);
            uint8_t *bytes = exact_block(variant.value.data, size);
            for (uint64_t flips = lam_random_below(&random, 4); flips > 0 && size > 0; flips--)
                bytes[lam_random_below(&random, size < 40 ? size : 40)] ^=
                    (uint8_t)(1 << lam_random_below(&random, 8));
            lam_variant changed = {variant.metadata, {bytes, size}};
            outcome = LAM_OUTCOME_FALSE;
            lam_status status = look(&it, changed, &outcome);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
                          status == LAM_STATUS_UNSUPPORTED || status == LAM_STATUS_LIMIT,
                      "%d", (int)status);
            good += status == LAM_STATUS_OK;
            bad += status != LAM_STATUS_OK;
            free(bytes);
        }
        finish(&it);
    }
    cr_expect(good > 1000 && bad > 1000, "%zu, %zu", good, bad);
    lam_variant_builder_destroy(builder);
}
