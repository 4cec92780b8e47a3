/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that compare two leaves, from text and by calls, and which pairs may be compared. */
#include "scan/condition/filter_peer.h"

#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <string.h>

#include "support/test_file.h"

static const char SCHEMA[] =
    "optional int32 a; optional int64 b; optional double x; optional binary s (STRING);"
    "optional int32 day (DATE); optional int64 local (TIMESTAMP(MILLIS,false));"
    "optional int64 utc (TIMESTAMP(MICROS,true)); optional int64 \"time\" (TIME(MICROS,true));"
    "optional fixed_len_byte_array(12) i (INTERVAL); optional fixed_len_byte_array(16) u (UUID);"
    "optional binary wide (DECIMAL(60,2)); optional int32 d (DECIMAL(9,2));"
    "optional fixed_len_byte_array(26) f26 (DECIMAL(60,2));"
    "optional fixed_len_byte_array(30) f30 (DECIMAL(60,2));"
    "optional binary js (JSON); optional binary bs (BSON);"
    "optional binary geo (GEOMETRY); optional binary globe (GEOGRAPHY);"
    "repeated group kv { required int32 key; optional int32 value; }"
    "optional group p (MAP) { repeated group key_value { required group key {"
    "  required int32 x; } optional int32 value; } }"
    "optional group va (VARIANT(1)) { required binary metadata; optional binary value; }"
    "optional group l (LIST) { repeated group list { optional group element {"
    "  optional int32 a; optional int32 b; repeated int32 r; } } }"
    "optional group k (LIST) { repeated group list { optional int32 element; } }"
    "optional group m (MAP) { repeated group key_value { required binary key (STRING);"
    "  optional int32 value; } }"
    "optional group n (MAP) { repeated group key_value { required int32 key;"
    "  optional group value (VARIANT(1)) { required binary metadata; required binary value; } } }";

static lam_schema *schema_of(void) {
    lam_schema *schema = lam_test_parse(SCHEMA);
    return schema;
}

Test(filter_peer, leaves_compare_where_their_values_and_lists_agree) {
    static const struct {
        const char *text, *message; /* NULL: good */
    } cases[] = {
        {"a < b", NULL},
        {"b >= x", NULL},
        {"a = d", NULL},
        {"wide = wide", NULL},
        {"day <= local", NULL},
        {"utc > day", NULL},
        {"i = i", NULL},
        {"u < u", NULL},
        {"l[].a < l[].b", NULL},
        {"a between b and x", NULL},
        {"k = k", NULL},
        {"js < bs", NULL},
        {"bs = s", NULL},
        {"geo = geo", NULL},
        {"f26 < f26", NULL},
        {"f26 = f30",
         "character 1: values of field 'f26' do not compare with those of field 'f30'"},
        {"geo = globe",
         "character 1: values of field 'geo' do not compare with those of field 'globe'"},
        {"a = s", "character 1: values of field 'a' do not compare with those of field 's'"},
        {"a = wide", "character 1: values of field 'a' do not compare with those of field 'wide'"},
        {"u = s", "character 1: values of field 'u' do not compare with those of field 's'"},
        {"i = u", "character 1: values of field 'i' do not compare with those of field 'u'"},
        {"utc = local",
         "character 1: values of field 'utc' do not compare with those of field 'local'"},
        {"\"time\" = day",
         "character 1: values of field 'time' do not compare with those of field 'day'"},
        {"i < i", "character 1: values of field 'i' have no order"},
        {"a = l[].a", "character 1: fields 'a' and 'a' are not in the same list, so that none of "
                      "their values belong together"},
        {"l[].a = k[]", "character 1: fields 'a' and 'element' are not in the same list, so that "
                        "none of their values belong together"},
        {"l[].a = l[].r", "character 1: fields 'a' and 'r' are not in the same list, so that none "
                          "of their values belong together"},
        {"m['x'] = a", "character 10: values inside VARIANTs, and those of a map's key, compare "
                       "with literals only"},
        {"a = m.x", "character 5: values inside VARIANTs, and those of a map's key, compare "
                    "with literals only"},
        {"n[5].a = 1", "character 1: values of a map that are VARIANTs have no conditions by key"},
        {"m[5] = 1", "character 3: expected a text such as 'abc', found 5"},
        {"n['x'] is null", "character 3: expected a number, found 'x'"},
        {"n[1.5] is null", "character 3: expected a key that the map can have, found 1.5"},
        {"m['x'", "character 6: expected ], found the end"},
        {"m[] = 1", "character 3: expected a key, found ]"},
        {"a[0] = 1", "character 2: expected an operator, found ["},
        {"m.x.y = 1", "character 1: no field 'm.x.y'"},
    };
    lam_schema *schema = schema_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        lam_filter *filter = NULL;
        lam_status status = lam_filter_parse(schema, cases[i].text, strlen(cases[i].text), NULL,
                                             NULL, &filter, &error);
        cr_expect_eq(status == LAM_STATUS_OK, cases[i].message == NULL, "%s: %s", cases[i].text,
                     error.message);
        if (cases[i].message != NULL)
            cr_expect_str_eq(error.message, cases[i].message, "%s: %s", cases[i].text,
                             error.message);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_peer, a_key_restricts_the_condition_before_it) {
    lam_schema *schema = schema_of();
    lam_filter_builder *builder;
    lam_error error = lam_error_none();
    const lam_value key = {.bytes = {(const uint8_t *)"x", 1}}, five = {.int32 = 5};
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_STATE);
    cr_assert_eq(lam_filter_builder_compare(builder, "a", LAM_FILTER_EQUAL, &five, 1, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "the condition before a key is not on values of a map");
    cr_assert_eq(
        lam_filter_builder_compare(builder, "m.key_value.key", LAM_FILTER_EQUAL, &key, 1, NULL),
        LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_INVALID);
    /* entries without a map, keys that are groups, and values inside of a VARIANT */
    static const char *const others[] = {"kv.value", "p.key_value.value", "va.a"};
    for (size_t i = 0; i < 3; i++) {
        error = lam_error_none();
        lam_status status =
            i < 2 ? lam_filter_builder_compare(builder, others[i], LAM_FILTER_EQUAL, &five, 1, NULL)
                  : lam_filter_builder_is_null(builder, others[i], true, NULL);
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message, "the condition before a key is not on values of a map");
        cr_expect_eq(lam_filter_builder_for_plain_key(builder, (lam_bytes){NULL, 0}, &error),
                     LAM_STATUS_INVALID);
        cr_assert_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_STATE);
    cr_assert_eq(lam_filter_builder_is_null(builder, "m.key_value.value", false, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_for_key(builder, key, &error), LAM_STATUS_INVALID);
    cr_expect_eq(
        lam_filter_builder_compare_fields(builder, "a", (lam_filter_operator)77, "b", &error),
        LAM_STATUS_INVALID);
    cr_expect_eq(lam_filter_builder_compare_fields(builder, "a", LAM_FILTER_LESS, "nope", &error),
                 LAM_STATUS_NOT_FOUND);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_peer, calls_build_what_texts_build) {
    static const lam_filter_like ignoring = {.ignores_case = true}, prefix = {.is_prefix = true};
    static const lam_filter_like both = {.ignores_case = true, .is_prefix = true};
    const lam_bytes text = {(const uint8_t *)"a%", 2};
    lam_schema *schema = schema_of();
    lam_filter_builder *builder;
    lam_filter *filter;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_like(builder, "s", text, &ignoring, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_like(builder, "s", text, &prefix, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_like(builder, "s", text, &both, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_filter_builder_like(builder, "a", text, NULL, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_filter_builder_compare(
                     builder, "a", LAM_FILTER_BETWEEN,
                     (const lam_value[]){(lam_value){.int32 = 3}, (lam_value){.int32 = 1}}, 2,
                     NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    cr_expect_eq(filter->tests[0].kind, LAM_TEST_LIKE);
    cr_expect(!filter->tests[0].pattern->is_prefix);
    cr_expect(filter->tests[1].pattern->is_prefix);
    cr_expect_eq(filter->tests[2].kind, LAM_TEST_IN); /* of nothing: 3 is more than 1 */
    cr_expect_eq(filter->tests[2].value_count, 0);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}
