/* SPDX-License-Identifier: Apache-2.0 */
/* Which field a condition names. */
#include <lamella/filter_text.h>

#include "scan/condition/filter_path.h"
#include "scan/condition/filter_peer.h"
#include "scan/condition/filter_program.h"
#include "schema/schema_texts.h"

/*
 * The field of the first test, with the key of a map or the steps into a VARIANT; or the message.
 */
static const char *field_of(const lam_schema *schema, const char *condition) {
    static char text[600];
    lam_filter *filter;
    lam_error error = lam_error_none();
    if (lam_filter_parse(schema, condition, strlen(condition), NULL, NULL, &filter, &error) !=
        LAM_STATUS_OK) {
        snprintf(text, sizeof text, "%s", error.message);
        return text;
    }
    const lam_filter_test *test = &filter->tests[0];
    const lam_field *field = test->path != NULL ? test->path->variant : test->leaf;
    size_t used = lam_field_path(field, text, sizeof text);
    for (size_t i = 0; test->path != NULL && i < test->path->step_count; i++) {
        const lam_path_step *step = &test->path->steps[i];
        used += (size_t)sprintf(text + used, step->elements ? " []" : " <%.*s>",
                                (int)step->name.size, (const char *)step->name.data);
    }
    if (test->peer != NULL && test->peer->is_keyed)
        (void)sprintf(text + used, " [%.*s]", (int)test->peer->key.size,
                      (const char *)test->peer->key.data);
    lam_filter_destroy(filter);
    return text;
}

typedef struct field_case {
    const char *condition, *field;
} field_case;

static void expect_fields(const lam_schema *schema, const field_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *field = field_of(schema, cases[i].condition);
        cr_expect_str_eq(field, cases[i].field, "%s: %s", cases[i].condition, field);
    }
}

#define EXPECT_FIELDS(schema, cases) expect_fields(schema, cases, sizeof(cases) / sizeof *(cases))

Test(filter_text_field, a_name_between_marks_is_one_name) {
    static const field_case cases[] = {
        {"\"a.b\" = 1", "\"a.b\""},
        {"1 = \"a.b\"", "\"a.b\""},
        {"a.b = 1", "a.b"},
        {"a.\"b\" = 1", "a.b"},
        {"a . b = 1", "a.b"},
        {"\"\" = 1", "\"\""},
        {"\"\" is null", "\"\""},
        {"c.d.e = 1", "c.\"d.e\""},
        {"c.\"d.e\" = 1", "c.\"d.e\""},
        {"f.g = 1", "\"f.g\""},
        {"\"in\" = 1", "\"in\""},
        {"a.in = 1", "a.\"in\""},
        {"a.\"in\" = 1", "a.\"in\""},
        {"\"say \"\"hi\"\"\" = 1", "\"say \"\"hi\"\"\""},
        {"\"c.d\".e = 1", "character 1: no field '\"c.d\".e' (did you mean c.\"d.e\"?)"},
        {"\"c.d.e\" = 1", "character 1: no field '\"c.d.e\"' (did you mean c.\"d.e\"?)"},
        {"\"f\".g = 1", "character 1: no field '\"f\".g' (did you mean \"f.g\"?)"},
        {"c = 1", "c.\"d.e\""}, /* a group of one leaf */
        {"a = 1", "character 1: field 'a' is a group of 2 leaves"},
    };
    lam_schema *schema = parsed(
        "optional int32 \"a.b\"; optional group a { optional int32 b; optional int32 \"in\"; }"
        "optional int32 \"\"; optional group c { optional int32 \"d.e\"; }"
        "optional int32 \"f.g\"; optional int32 \"in\"; optional int32 \"say \\\"hi\\\"\";");
    EXPECT_FIELDS(schema, cases);
    lam_schema_destroy(schema);
}

Test(filter_text_field, keys_of_maps_and_names_in_variants_may_hold_dots) {
    static const field_case cases[] = {
        {"m['a.b'] = 1", "m.key_value.value [a.b]"},
        {"m.\"a.b\" = 1", "m.key_value.value [a.b]"},
        {"m.a = 1", "m.key_value.value [a]"},
        {"m[ 'it''s' ] = 1", "m.key_value.value [it's]"},
        {"m.key = 1", "m.key_value.value [key]"},
        {"m.key_value.key = 'x'", "m.key_value.key"},
        {"v.a.b = 1", "v <a> <b>"},
        {"v.\"a.b\" = 1", "v <a.b>"},
        {"v['a.b'] = 1", "v <a.b>"},
        {"v['a.b'].c[] = 1", "v <a.b> <c> []"},
        {"v[]['it''s'] = 1", "v [] <it's>"},
        {"v.value = 1", "v <value>"},
        {"\"v.w\" = 1", "\"v.w\""},
        {"v.w = 1", "v <w>"},
        {"l[].a = 1", "l.list.element <a>"},
        {"v[1] = 1", "character 3: expected ], found 1"},
        {"v.a. = 1", "character 6: expected a field, found ="},
    };
    lam_schema *schema =
        parsed("optional group m (MAP) { repeated group key_value { required binary key (STRING);"
               "  optional int32 value; } }"
               "optional group v (VARIANT(1)) { required binary metadata; required binary value; }"
               "optional int32 \"v.w\";"
               "optional group l (LIST) { repeated group list { optional group element (VARIANT(1))"
               "  { required binary metadata; required binary value; } } }");
    EXPECT_FIELDS(schema, cases);
    lam_schema_destroy(schema);
}

Test(filter_text_field, a_name_that_two_fields_have_is_ambiguous) {
    static const field_case cases[] = {
        {"ra = 5", "character 1: 'ra' is ambiguous: ra (column 0), ra (column 1)"},
        {"5 = ra", "character 5: 'ra' is ambiguous: ra (column 0), ra (column 1)"},
        {"ra is null", "character 1: 'ra' is ambiguous: ra (column 0), ra (column 1)"},
        {"b = 1 and b < ra", "character 15: 'ra' is ambiguous: ra (column 0), ra (column 1)"},
        {"starts_with(ra, 'x')", "character 13: 'ra' is ambiguous: ra (column 0), ra (column 1)"},
        {"b = 1", "b"},
    };
    static const char *const names[] = {"ra", "ra", "b"};
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(lam_schema_builder_add_leaf(builder, names[i], LAM_REPETITION_OPTIONAL,
                                                 LAM_PHYSICAL_INT32, NULL, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    EXPECT_FIELDS(schema, cases);
    lam_schema_destroy(schema);
}

Test(filter_text_field, every_field_is_found_at_the_path_that_it_prints) {
    lam_random random = lam_random_start(lam_test_seed(9));
    for (int round = 0; round < 200; round++) {
        lam_schema *schema = random_schema(&random, 40, 10);
        for (size_t i = 1; i < schema->field_count; i++) {
            const lam_field *field = lam_schema_field(schema, i);
            lam_filter_text_options options = lam_filter_text_options_default();
            lam_filter *filter;
            lam_error error = lam_error_none();
            char condition[2100];
            size_t size = lam_field_path(field, condition, sizeof condition);
            options.storage = true; /* columns of VARIANTs, too */
            cr_assert_lt(size, sizeof condition - 20);
            if (field->leaf_count == 0)
                continue;
            strcpy(condition + size, " is null");
            cr_assert_eq(
                lam_filter_parse(schema, condition, size + 8, &options, NULL, &filter, &error),
                LAM_STATUS_OK, "%s: %s", condition, error.message);
            /* Which field is null shows in the leaf and the level. */
            lam_slots slots = lam_slots_of(field);
            cr_assert_eq(filter->tests[0].leaf->first_leaf, field->first_leaf, "%s", condition);
            cr_assert_eq(memcmp(&filter->tests[0].slots, &slots, sizeof slots), 0);
            lam_filter_destroy(filter);
        }
        lam_schema_destroy(schema);
    }
}

Test(filter_text_field, a_path_of_very_many_words_is_refused) {
    enum { SIZE = 1 << 20 };
    lam_schema *schema = parsed("optional int32 a;");
    char *text = malloc(SIZE + 20);
    lam_filter *filter;
    lam_error error = lam_error_none();
    for (size_t i = 0; i < SIZE; i += 2)
        memcpy(text + i, "a.", 2);
    strcpy(text + SIZE, "a = 1");
    cr_expect_eq(lam_filter_parse(schema, text, strlen(text), NULL, NULL, &filter, &error),
                 LAM_STATUS_LIMIT);
    free(text);
    lam_schema_destroy(schema);
}
