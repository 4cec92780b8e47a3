/* SPDX-License-Identifier: Apache-2.0 */
/* Types that hold the values of two others. */
#include "schema/type_union.h"

#include <criterion/criterion.h>

#include "schema_texts.h"

/* Types as message text, one of each kind of rule; those of a row of the table are beside it. */
static const char *const TYPES[] = {
    "int32 a (UNKNOWN)",
    "double a (UNKNOWN)",
    "boolean a",
    "int32 a (INTEGER(8,true))",
    "int32 a (INTEGER(8,false))",
    "int32 a (INTEGER(16,true))",
    "int32 a (INTEGER(16,false))",
    "int32 a",
    "int32 a (INTEGER(32,false))",
    "int64 a",
    "int64 a (INTEGER(64,true))",
    "int64 a (INTEGER(64,false))",
    "fixed_len_byte_array(2) a (FLOAT16)",
    "float a",
    "double a",
    "int32 a (DECIMAL(9,2))",
    "int64 a (DECIMAL(18,2))",
    "int32 a (DECIMAL(9,0))",
    "fixed_len_byte_array(9) a (DECIMAL(20,0))",
    "fixed_len_byte_array(9) a (DECIMAL(21,0))",
    "binary a (DECIMAL(9,2))",
    "binary a (DECIMAL(38,20))",
    "binary a (STRING)",
    "binary a (ENUM)",
    "binary a (JSON)",
    "fixed_len_byte_array(16) a (UUID)",
    "int32 a (DATE)",
    "int32 a (TIME(MILLIS,false))",
    "int64 a (TIME(MICROS,false))",
    "int64 a (TIME(NANOS,true))",
    "int64 a (TIMESTAMP(MILLIS,false))",
    "int64 a (TIMESTAMP(MICROS,false))",
    "int64 a (TIMESTAMP(NANOS,false))",
    "int64 a (TIMESTAMP(MICROS,true))",
    "fixed_len_byte_array(12) a (TIMESTAMP(MICROS,true))",
    "int96 a",
    "binary a",
    "binary a (BSON)",
    "fixed_len_byte_array(16) a",
    "fixed_len_byte_array(12) a (INTERVAL)",
    "binary a (GEOMETRY(\"OGC:CRS84\"))",
    "binary a (GEOMETRY(\"EPSG:3857\"))",
};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

/* The fields of all types, made once for each test. */
static lam_schema *schemas[TYPE_COUNT];

static lam_schema *schema_of(const char *type) {
    char text[160];
    snprintf(text, sizeof text, "message m { optional %s; }", type);
    return parsed(text);
}

static void make_types(void) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        schemas[i] = schema_of(TYPES[i]);
}

static void drop_types(void) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        lam_schema_destroy(schemas[i]);
}

static lam_leaf_type type_at(size_t index) {
    return lam_leaf_type_of(lam_schema_leaf(schemas[index], 0));
}

/* A union with the clash as its top. */
typedef struct united {
    bool clashes;
    lam_leaf_type type;
} united;

static united unite(united a, united b) {
    united both = {.clashes = a.clashes || b.clashes};
    if (!both.clashes)
        both.clashes = lam_type_unite(&a.type, &b.type, &both.type) == LAM_TYPES_CLASH;
    return both;
}

static bool same(united a, united b) {
    return a.clashes == b.clashes && (a.clashes || lam_leaf_type_equals(&a.type, &b.type));
}

TestSuite(type_union, .init = make_types, .fini = drop_types);

typedef struct union_case {
    const char *a, *b, *both; /* NULL: a clash */
    lam_type_fit fit;
} union_case;

static void expect_union(const union_case *expected) {
    lam_schema *a = schema_of(expected->a), *b = schema_of(expected->b);
    lam_leaf_type x = lam_leaf_type_of(lam_schema_leaf(a, 0));
    lam_leaf_type y = lam_leaf_type_of(lam_schema_leaf(b, 0)), both;
    lam_type_fit fit = lam_type_unite(&x, &y, &both);
    cr_expect_eq(fit, expected->fit, "%s with %s: fit %d", expected->a, expected->b, (int)fit);
    if (fit != LAM_TYPES_CLASH && expected->both != NULL) {
        lam_schema *wanted = schema_of(expected->both);
        lam_leaf_type type = lam_leaf_type_of(lam_schema_leaf(wanted, 0));
        cr_expect(lam_leaf_type_equals(&both, &type), "%s with %s", expected->a, expected->b);
        lam_schema_destroy(wanted);
    }
    lam_schema_destroy(a);
    lam_schema_destroy(b);
}

static void expect_unions(const union_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        expect_union(&cases[i]);
}

#define UNITE LAM_TYPES_UNITE
#define CHECKED LAM_TYPES_CHECKED
#define CLASH LAM_TYPES_CLASH

Test(type_union, numbers_keep_all_their_digits) {
    static const union_case cases[] = {
        {"int32 a", "int64 a", "int64 a", UNITE},
        {"int32 a (INTEGER(8,true))", "int32 a (INTEGER(16,true))", "int32 a (INTEGER(16,true))",
         UNITE},
        {"int32 a (INTEGER(8,true))", "int32 a", "int32 a", UNITE},
        {"int32 a (INTEGER(8,false))", "int32 a (INTEGER(8,true))", "int32 a (INTEGER(16,true))",
         UNITE},
        {"int32 a (INTEGER(32,false))", "int32 a", "int64 a", UNITE},
        {"int32 a (INTEGER(32,false))", "int64 a", "int64 a", UNITE},
        {"int64 a", "int64 a (INTEGER(64,false))", "fixed_len_byte_array(9) a (DECIMAL(20,0))",
         UNITE},
        {"int32 a", "double a", "double a", UNITE},
        {"int32 a", "float a", "double a", UNITE},
        {"int64 a", "double a", "double a", CHECKED},
        {"int64 a (INTEGER(64,false))", "float a", "double a", CHECKED},
        {"float a", "double a", "double a", UNITE},
        {"fixed_len_byte_array(2) a (FLOAT16)", "float a", "float a", UNITE},
        {"int32 a (DECIMAL(9,2))", "int64 a (DECIMAL(18,2))", "int64 a (DECIMAL(18,2))", UNITE},
        {"int32 a (DECIMAL(9,2))", "int32 a (DECIMAL(9,4))", "int64 a (DECIMAL(11,4))", UNITE},
        {"int32 a (DECIMAL(9,2))", "binary a (DECIMAL(9,2))", "int32 a (DECIMAL(9,2))", UNITE},
        {"int32 a (DECIMAL(9,2))", "int32 a", "fixed_len_byte_array(10) a (DECIMAL(22,2))", UNITE},
        {"binary a (DECIMAL(38,20))", "int32 a", NULL, CLASH},
        {"binary a (DECIMAL(38,20))", "binary a (DECIMAL(38,10))", NULL, CLASH},
        {"int32 a (DECIMAL(9,2))", "double a", NULL, CLASH},
        {"int32 a (DECIMAL(9,0))", "double a", "double a", UNITE},
        {"fixed_len_byte_array(9) a (DECIMAL(20,0))", "float a", "double a", CHECKED},
        {"fixed_len_byte_array(9) a (DECIMAL(21,0))", "double a", NULL, CLASH},
        {"boolean a", "int32 a", NULL, CLASH},
    };
    expect_unions(cases, sizeof cases / sizeof *cases);
}

Test(type_union, what_is_a_string_in_json_becomes_one_unless_it_has_a_common_moment) {
    static const union_case cases[] = {
        {"int32 a (DATE)", "int64 a (TIMESTAMP(MICROS,false))", "int64 a (TIMESTAMP(MICROS,false))",
         CHECKED},
        {"int64 a (TIMESTAMP(MICROS,false))", "int64 a (TIMESTAMP(NANOS,false))",
         "int64 a (TIMESTAMP(NANOS,false))", CHECKED},
        {"int64 a (TIMESTAMP(MILLIS,true))", "int64 a (TIMESTAMP(MICROS,true))",
         "int64 a (TIMESTAMP(MICROS,true))", CHECKED},
        {"int64 a (TIMESTAMP(MICROS,false))", "int64 a (TIMESTAMP(MICROS,true))",
         "binary a (STRING)", UNITE},
        {"int32 a (DATE)", "int64 a (TIMESTAMP(MICROS,true))", "binary a (STRING)", UNITE},
        {"int32 a (TIME(MILLIS,false))", "int64 a (TIME(NANOS,false))",
         "int64 a (TIME(NANOS,false))", UNITE},
        {"int64 a (TIME(MICROS,false))", "int64 a (TIME(MICROS,true))", "binary a (STRING)", UNITE},
        {"int64 a (TIME(MICROS,false))", "int32 a (DATE)", "binary a (STRING)", UNITE},
        {"int64 a (TIME(MICROS,false))", "binary a (STRING)", "binary a (STRING)", UNITE},
        {"fixed_len_byte_array(16) a (UUID)", "binary a (STRING)", "binary a (STRING)", UNITE},
        {"fixed_len_byte_array(16) a (UUID)", "int32 a (DATE)", "binary a (STRING)", UNITE},
        {"binary a (ENUM)", "binary a (JSON)", "binary a (STRING)", UNITE},
        {"int96 a", "int64 a (TIMESTAMP(MICROS,false))", "int64 a (TIMESTAMP(NANOS,false))",
         CHECKED},
        {"int96 a", "int32 a (DATE)", "int64 a (TIMESTAMP(NANOS,false))", CHECKED},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MICROS,true))", "int64 a (TIMESTAMP(NANOS,true))",
         "fixed_len_byte_array(12) a (TIMESTAMP(NANOS,true))", UNITE},
        {"int32 a", "binary a (STRING)", NULL, CLASH},
        {"boolean a", "binary a (STRING)", NULL, CLASH},
        {"int64 a", "int64 a (TIMESTAMP(MICROS,true))", NULL, CLASH},
    };
    expect_unions(cases, sizeof cases / sizeof *cases);
}

Test(type_union, bytes_are_bytes_of_any_length_and_no_text) {
    static const union_case cases[] = {
        {"binary a", "fixed_len_byte_array(16) a", "binary a", UNITE},
        {"fixed_len_byte_array(3) a", "fixed_len_byte_array(16) a", "binary a", UNITE},
        {"binary a", "binary a (BSON)", "binary a", UNITE},
        {"binary a", "binary a (STRING)", NULL, CLASH},
        {"fixed_len_byte_array(16) a", "fixed_len_byte_array(16) a (UUID)", NULL, CLASH},
        {"fixed_len_byte_array(12) a", "fixed_len_byte_array(12) a (INTERVAL)", NULL, CLASH},
        {"binary a (GEOMETRY(\"A\"))", "binary a (GEOMETRY(\"B\"))", NULL, CLASH},
    };
    expect_unions(cases, sizeof cases / sizeof *cases);
}

Test(type_union, a_type_is_its_own_union_and_nulls_go_with_any) {
    const lam_leaf_type nothing = type_at(0);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        lam_leaf_type type = type_at(i), both;
        cr_expect_eq(lam_type_unite(&type, &type, &both), LAM_TYPES_UNITE);
        cr_expect(lam_leaf_type_equals(&type, &both), "%s with itself", TYPES[i]);
        if (type.logical.kind == LAM_LOGICAL_UNKNOWN)
            type = nothing;
        cr_expect_eq(lam_type_unite(&type, &nothing, &both), LAM_TYPES_UNITE);
        cr_expect(lam_leaf_type_equals(&type, &both), "%s with nulls", TYPES[i]);
    }
}

Test(type_union, the_order_of_two_does_not_matter) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        for (size_t k = 0; k < TYPE_COUNT; k++) {
            united a = {false, type_at(i)}, b = {false, type_at(k)};
            cr_expect(same(unite(a, b), unite(b, a)), "%s, %s", TYPES[i], TYPES[k]);
        }
}

Test(type_union, of_three_it_does_not_matter_which_two_are_united_first) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        for (size_t k = 0; k < TYPE_COUNT; k++)
            for (size_t m = 0; m < TYPE_COUNT; m++) {
                united a = {false, type_at(i)}, b = {false, type_at(k)}, c = {false, type_at(m)};
                cr_expect(same(unite(unite(a, b), c), unite(a, unite(b, c))), "%s, %s, %s",
                          TYPES[i], TYPES[k], TYPES[m]);
            }
}

Test(type_union, each_union_is_a_type_that_a_schema_may_have) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        for (size_t k = 0; k < TYPE_COUNT; k++) {
            lam_leaf_type a = type_at(i), b = type_at(k), both;
            lam_schema_builder *builder;
            lam_error error = lam_error_none();
            if (lam_type_unite(&a, &b, &both) == LAM_TYPES_CLASH)
                continue;
            const lam_field_options options = {.logical_type = both.logical,
                                               .type_length = both.type_length};
            cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
            cr_expect_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_OPTIONAL,
                                                     both.physical, &options, &error),
                         LAM_STATUS_OK, "%s, %s: %s", TYPES[i], TYPES[k], error.message);
            lam_schema_builder_destroy(builder);
        }
}
