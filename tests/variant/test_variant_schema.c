/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which groups hold a VARIANT: every type that may be shredded, what writers must not make, and
 * what readers take all the same.
 */
#include "variant/shred/variant_schema.h"

#include "shred_trip.h"
#include "support/failing_alloc.h"

static lam_status check(const char *fields, lam_variant_use use, lam_error *error) {
    char text[1024];
    snprintf(text, sizeof text, "message m { optional group v (VARIANT(1)) { %s } }", fields);
    lam_schema *schema = schema_of(text);
    *error = lam_error_none();
    lam_status status = lam_variant_check_group(field_of(schema, "v"), use, error);
    lam_schema_destroy(schema);
    return status;
}

static void expect_taken(const char *fields) {
    lam_error error;
    cr_expect_eq(check(fields, LAM_VARIANT_WRITE, &error), LAM_STATUS_OK, "%s: %s", fields,
                 error.message);
    cr_expect_eq(check(fields, LAM_VARIANT_READ, &error), LAM_STATUS_OK, "%s: %s", fields,
                 error.message);
}

static void expect_refused(const char *fields, lam_status status, const char *message) {
    lam_error error;
    cr_expect_eq(check(fields, LAM_VARIANT_READ, &error), status, "%s", fields);
    cr_expect_str_eq(error.message, message, "%s: %s", fields, error.message);
    cr_expect_eq(check(fields, LAM_VARIANT_WRITE, &error), status, "%s", fields);
}

/* What writers must not make, and readers can make sense of. */
static void expect_read_only(const char *fields, const char *message) {
    lam_error error;
    cr_expect_eq(check(fields, LAM_VARIANT_READ, &error), LAM_STATUS_OK, "%s: %s", fields,
                 error.message);
    cr_expect_eq(check(fields, LAM_VARIANT_WRITE, &error), LAM_STATUS_INVALID, "%s", fields);
    cr_expect_str_eq(error.message, message, "%s: %s", fields, error.message);
}

#define META "required binary metadata; "

Test(variant_schema, unshredded_groups_have_metadata_and_value_in_any_order) {
    expect_taken(META "required binary value;");
    expect_taken("required binary value; required binary metadata;");
}

Test(variant_schema, every_type_of_the_table_may_be_shredded) {
    static const struct {
        const char *type;
        lam_variant_kind kind;
    } rows[] = {
        {"boolean typed_value", LAM_VARIANT_BOOLEAN},
        {"int32 typed_value (INTEGER(8,true))", LAM_VARIANT_INT8},
        {"int32 typed_value (INTEGER(16,true))", LAM_VARIANT_INT16},
        {"int32 typed_value", LAM_VARIANT_INT32},
        {"int32 typed_value (INTEGER(32,true))", LAM_VARIANT_INT32},
        {"int64 typed_value", LAM_VARIANT_INT64},
        {"int64 typed_value (INTEGER(64,true))", LAM_VARIANT_INT64},
        {"float typed_value", LAM_VARIANT_FLOAT},
        {"double typed_value", LAM_VARIANT_DOUBLE},
        {"int32 typed_value (DECIMAL(9,2))", LAM_VARIANT_DECIMAL4},
        {"int64 typed_value (DECIMAL(18,2))", LAM_VARIANT_DECIMAL8},
        {"binary typed_value (DECIMAL(38,2))", LAM_VARIANT_DECIMAL16},
        {"fixed_len_byte_array(16) typed_value (DECIMAL(38,2))", LAM_VARIANT_DECIMAL16},
        {"int32 typed_value (DATE)", LAM_VARIANT_DATE},
        {"int64 typed_value (TIME(MICROS,false))", LAM_VARIANT_TIME},
        {"int64 typed_value (TIMESTAMP(MICROS,true))", LAM_VARIANT_TIMESTAMP},
        {"int64 typed_value (TIMESTAMP(NANOS,true))", LAM_VARIANT_TIMESTAMP_NANOS},
        {"int64 typed_value (TIMESTAMP(MICROS,false))", LAM_VARIANT_TIMESTAMP_NTZ},
        {"int64 typed_value (TIMESTAMP(NANOS,false))", LAM_VARIANT_TIMESTAMP_NTZ_NANOS},
        {"binary typed_value", LAM_VARIANT_BINARY},
        {"binary typed_value (STRING)", LAM_VARIANT_STRING},
        {"fixed_len_byte_array(16) typed_value (UUID)", LAM_VARIANT_UUID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "message m { optional %s; }", rows[i].type);
        lam_schema *schema = schema_of(text);
        cr_expect_eq(lam_variant_kind_of_leaf(lam_schema_leaf(schema, 0)), rows[i].kind, "%s",
                     rows[i].type);
        lam_schema_destroy(schema);
        snprintf(text, sizeof text, META "optional binary value; optional %s;", rows[i].type);
        expect_taken(text);
        snprintf(text, sizeof text, META "optional %s;", rows[i].type);
        expect_taken(text);
    }
}

Test(variant_schema, no_other_type_may_be_shredded) {
    static const struct {
        const char *field;
        const char *shown;
    } rows[] = {
        {"int96 typed_value", "int96"},
        {"int32 typed_value (INTEGER(32,false))", "int32 (INTEGER(32,false))"},
        {"int64 typed_value (INTEGER(64,false))", "int64 (INTEGER(64,false))"},
        {"int32 typed_value (TIME(MILLIS,false))", "int32 (TIME(MILLIS,false))"},
        {"int64 typed_value (TIME(MICROS,true))", "int64 (TIME(MICROS,true))"},
        {"int64 typed_value (TIME(NANOS,false))", "int64 (TIME(NANOS,false))"},
        {"int64 typed_value (TIMESTAMP(MILLIS,true))", "int64 (TIMESTAMP(MILLIS,true))"},
        {"fixed_len_byte_array(4) typed_value", "fixed_len_byte_array"},
        {"fixed_len_byte_array(2) typed_value (FLOAT16)", "fixed_len_byte_array (FLOAT16)"},
        {"binary typed_value (JSON)", "binary (JSON)"},
        {"binary typed_value (ENUM)", "binary (ENUM)"},
        {"binary typed_value (DECIMAL(39,2))", "binary (DECIMAL(39,2))"},
        {"int32 typed_value (UNKNOWN)", "int32 (UNKNOWN)"},
        {"int64 typed_value (UNKNOWN)", "int64 (UNKNOWN)"},
        {"boolean typed_value (UNKNOWN)", "boolean (UNKNOWN)"},
        {"float typed_value (UNKNOWN)", "float (UNKNOWN)"},
        {"double typed_value (UNKNOWN)", "double (UNKNOWN)"},
        {"group typed_value (MAP) { repeated group key_value { required int32 key; } }",
         "group (MAP)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256], message[128];
        snprintf(text, sizeof text, META "optional binary value; optional %s;", rows[i].field);
        snprintf(message, sizeof message, "v.typed_value: no value is shredded as %s",
                 rows[i].shown);
        expect_refused(text, LAM_STATUS_UNSUPPORTED, message);
    }
}

Test(variant_schema, objects_have_groups_and_arrays_three_levels) {
    expect_taken(META "optional group typed_value { required group a { optional binary value; } "
                      "required group typed_value { optional int32 typed_value; } }");
    expect_taken(META "optional binary value; optional group typed_value (LIST) { repeated group "
                      "list { required group element { optional int32 typed_value; } } }");
    expect_taken(META "optional binary value; optional group typed_value (LIST) { repeated group b "
                      "{ required group c { optional group typed_value { required group d { "
                      "optional binary value; } } } } }");
    expect_refused(
        META "optional group typed_value { required int32 a; }", LAM_STATUS_INVALID,
        "v.typed_value.a: a field of a shredded object must be a group of value and typed_value");
    expect_refused(META "optional group typed_value { repeated group a { optional binary value; } "
                        "}",
                   LAM_STATUS_INVALID,
                   "v.typed_value.a: a field of a shredded object must be a required group");
    expect_refused(META "optional group typed_value { required group a { required group b { "
                        "optional binary value; } } }",
                   LAM_STATUS_INVALID, "v.typed_value.a.b: a VARIANT has no such field here");
    expect_refused(META "optional group typed_value (LIST) { repeated int32 list; }",
                   LAM_STATUS_INVALID,
                   "v.typed_value: a shredded array must be a list of three levels");
    static const char *const lists[] = {
        "repeated group list { required group element { optional binary value; } } optional int32 "
        "more;",
        "optional group list { required group element { optional binary value; } }",
        "repeated group list (LIST) { repeated group element { optional binary value; } }",
        "repeated group list { required group element { optional binary value; } optional int32 "
        "more; }"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char text[512];
        snprintf(text, sizeof text, META "optional group typed_value (LIST) { %s }", lists[i]);
        expect_refused(text, LAM_STATUS_INVALID,
                       "v.typed_value: a shredded array must be a list of three levels");
    }
    expect_refused(META "optional group typed_value (LIST) { repeated group list { required int32 "
                        "element; } }",
                   LAM_STATUS_INVALID,
                   "v.typed_value.list.element: the element of a shredded array must be a group of "
                   "value and typed_value");
}

/* Files with optional metadata were not read at all. */
Test(variant_schema, optional_metadata_are_read_and_not_written) {
    expect_read_only("optional binary metadata; required binary value;",
                     "v.metadata: the metadata of a VARIANT must be required binary");
    expect_read_only("optional binary metadata; optional binary value; optional int64 typed_value;",
                     "v.metadata: the metadata of a VARIANT must be required binary");
    lam_schema *schema = schema_of("message m { optional group v (VARIANT(1)) { optional binary "
                                   "metadata; required binary value; } }");
    lam_variant_shredder *shredder;
    cr_expect_eq(lam_variant_shredder_create(field_of(schema, "v"), NULL, NULL, &shredder, NULL),
                 LAM_STATUS_INVALID, "the shredder takes what can be written");
    lam_schema_destroy(schema);
}

Test(variant_schema, fields_of_other_names_and_kinds_are_refused) {
    expect_refused("required binary value;", LAM_STATUS_INVALID, "v: a VARIANT without metadata");
    expect_refused(META, LAM_STATUS_INVALID, "v: neither value nor typed_value");
    expect_refused(META "required binary value; optional int32 extra;", LAM_STATUS_INVALID,
                   "v.extra: a VARIANT has no such field here");
    expect_refused("required int32 metadata; required binary value;", LAM_STATUS_INVALID,
                   "v.metadata: the metadata of a VARIANT must be required binary");
    expect_refused("repeated binary metadata; required binary value;", LAM_STATUS_INVALID,
                   "v.metadata: the metadata of a VARIANT must be required binary");
    expect_refused(META "required binary value (STRING);", LAM_STATUS_INVALID,
                   "v.value: the value of a VARIANT must be binary");
    expect_refused(META "repeated binary value;", LAM_STATUS_INVALID,
                   "v.value: the value of a VARIANT must be binary");
    expect_refused(META "optional group typed_value { required group a { optional binary metadata; "
                        "optional binary value; } }",
                   LAM_STATUS_INVALID,
                   "v.typed_value.a.metadata: a VARIANT has no such field here");
    expect_refused("required binary metadata (STRING); required binary value;", LAM_STATUS_INVALID,
                   "v.metadata: the metadata of a VARIANT must be required binary");
    expect_refused(META "required int32 value;", LAM_STATUS_INVALID,
                   "v.value: the value of a VARIANT must be binary");
    expect_refused(
        META "optional group typed_value { required group a (VARIANT) { required binary "
             "metadata; required binary value; } }",
        LAM_STATUS_INVALID,
        "v.typed_value.a: a field of a shredded object must be a group of value and typed_value");
    expect_refused(META "repeated int32 typed_value;", LAM_STATUS_INVALID,
                   "v.typed_value: typed_value is optional");
}

Test(variant_schema, repetitions_that_are_wrong_are_read_where_they_make_sense) {
    static const char value[] =
        "v.value: value must be required where nothing is shredded, and optional elsewhere";
    expect_read_only(META "optional binary value;", value);
    expect_read_only(META "required binary value; optional int32 typed_value;", value);
    expect_read_only(META "required int32 typed_value;", "v.typed_value: typed_value is optional");
    expect_read_only(META "optional group typed_value { optional group a { optional binary value; "
                          "} }",
                     "v.typed_value.a: a field of a shredded object must be a required group");
    expect_read_only(META "optional group typed_value { required group a { required binary value; "
                          "} }",
                     "v.typed_value.a.value: value must be required where nothing is shredded, and "
                     "optional elsewhere");
}

Test(variant_schema, a_later_version_is_unsupported_and_no_annotation_is_needed) {
    lam_schema *schema = schema_of("message m { optional group v (VARIANT(2)) { " META
                                   "required binary value; } optional group w { " META
                                   "required binary value; } optional int32 x; }");
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_check_group(field_of(schema, "v"), LAM_VARIANT_READ, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message, "v: version 2 of VARIANT");
    cr_expect_eq(lam_variant_check_group(field_of(schema, "w"), LAM_VARIANT_WRITE, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_variant_check_group(field_of(schema, "x"), LAM_VARIANT_READ, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_check_group(lam_schema_root(schema), LAM_VARIANT_READ, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_check_group(NULL, LAM_VARIANT_READ, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_check_group(field_of(schema, "w"), (lam_variant_use)2, NULL),
                 LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
}

Test(variant_schema, the_parts_of_an_object_stand_in_the_order_of_their_names) {
    char text[8192] =
        "message m { optional group v (VARIANT) { " META "optional group typed_value { ";
    for (unsigned i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "required group n%02u { optional binary value; } ", i * 37 % 100);
    strcat(text, "} } }");
    lam_schema *schema = schema_of(text);
    lam_allocator allocator = lam_allocator_default();
    lam_variant_plan plan;
    cr_assert_eq(
        lam_variant_plan_init(&plan, field_of(schema, "v"), LAM_VARIANT_WRITE, &allocator, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(plan.nodes[0].child_count, 100);
    for (unsigned i = 0; i < 100; i++) {
        const lam_variant_node_plan *part = &plan.nodes[plan.nodes[0].children + i];
        char expected[8];
        snprintf(expected, sizeof expected, "n%02u", i);
        cr_expect_str_eq(part->field->name, expected);
        const lam_variant_field_role *place = &plan.roles[part->field->index - plan.group->index];
        cr_expect_eq(place->node, plan.nodes[0].children + i);
        cr_expect_eq(place->role, LAM_VARIANT_ROLE_PAIR);
        place = &plan.roles[part->value->index - plan.group->index];
        cr_expect_eq(place->node, plan.nodes[0].children + i);
        cr_expect_eq(place->role, LAM_VARIANT_ROLE_VALUE);
    }
    lam_variant_plan_finish(&plan);
    lam_schema_destroy(schema);
}

Test(variant_schema, a_failing_allocation_leaves_nothing_behind) {
    lam_schema *schema = schema_of("message m { optional group v (VARIANT) { " META
                                   "optional group typed_value { required group a { optional "
                                   "binary value; } } } }");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_variant_plan plan;
        status =
            lam_variant_plan_init(&plan, field_of(schema, "v"), LAM_VARIANT_READ, &allocator, NULL);
        if (status == LAM_STATUS_OK)
            lam_variant_plan_finish(&plan);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        cr_assert_lt(n, 10);
    }
    lam_schema_destroy(schema);
}

/* --- Schemas of files ------------------------------------------------------------------------- */

/*
 * A VARIANT as only a file can have one, where names may come twice and groups be empty: a word is
 * a required column of bytes, "name(" an optional group, which ")" closes.
 */
static lam_schema *file_schema(const char *words) {
    lam_schema_builder *builder;
    lam_schema *schema;
    char word[32];
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (int used = 0; sscanf(words, " %31s%n", word, &used) == 1; words += used) {
        char *open = strchr(word, '(');
        lam_status status;
        if (open != NULL)
            *open = '\0';
        if (strcmp(word, ")") == 0)
            status = lam_schema_builder_end_group(builder, NULL);
        else if (open != NULL)
            status =
                lam_schema_builder_begin_group(builder, word, LAM_REPETITION_OPTIONAL, NULL, NULL);
        else
            status = lam_schema_builder_add_leaf(builder, word, LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_BYTE_ARRAY, NULL, NULL);
        cr_assert_eq(status, LAM_STATUS_OK, "%s", word);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

Test(variant_schema, what_a_file_has_twice_or_leaves_empty_is_refused) {
    static const char *const cases[][2] = {
        {"v( metadata value value )", "v.value: a VARIANT has no such field here"},
        {"v( metadata metadata value )", "v.metadata: a VARIANT has no such field here"},
        {"v( metadata typed_value typed_value )",
         "v.typed_value: a VARIANT has no such field here"},
        {"v( metadata value typed_value( ) )",
         "v.typed_value: a shredded object must have a field"},
        {"v( metadata typed_value( a( value ) b( value ) a( value ) ) )",
         "v.typed_value.a: two fields of a shredded object have the same name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_schema *schema = file_schema(cases[i][0]);
        lam_error error = lam_error_none();
        cr_expect_eq(lam_variant_check_group(lam_schema_field(schema, 1), LAM_VARIANT_READ, &error),
                     LAM_STATUS_INVALID, "%s", cases[i][0]);
        cr_expect_str_eq(error.message, cases[i][1], "%s: %s", cases[i][0], error.message);
        lam_schema_destroy(schema);
    }
}
