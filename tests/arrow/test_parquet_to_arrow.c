/* SPDX-License-Identifier: Apache-2.0 */
/* Which Arrow type each physical and logical type becomes, and which have none. */
#include "arrow/schema/parquet_to_arrow.h"

#include <criterion/criterion.h>

#include "arrow_text.h"

#define CRS84 "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\""

/* Every pair of physical and logical type that a schema may have, each on a column `c`. */
static const struct {
    const char *column;
    const char *type;
} types[] = {
    {"boolean c", "b"},
    {"boolean c (UNKNOWN)", "n"},
    {"int32 c", "i"},
    {"int32 c (INTEGER(8,true))", "c"},
    {"int32 c (INTEGER(8,false))", "C"},
    {"int32 c (INTEGER(16,true))", "s"},
    {"int32 c (INTEGER(16,false))", "S"},
    {"int32 c (INTEGER(32,true))", "i"},
    {"int32 c (INTEGER(32,false))", "I"},
    {"int32 c (DATE)", "tdD"},
    {"int32 c (TIME(MILLIS,false))", "ttm"},
    {"int32 c (TIME(MILLIS,true))", "ttm"},
    {"int32 c (DECIMAL(1,0))", "d:1,0"},
    {"int32 c (DECIMAL(9,9))", "d:9,9"},
    {"int32 c (UNKNOWN)", "n"},
    {"int64 c", "l"},
    {"int64 c (INTEGER(64,true))", "l"},
    {"int64 c (INTEGER(64,false))", "L"},
    {"int64 c (TIME(MICROS,false))", "ttu"},
    {"int64 c (TIME(MICROS,true))", "ttu"},
    {"int64 c (TIME(NANOS,false))", "ttn"},
    {"int64 c (TIME(NANOS,true))", "ttn"},
    {"int64 c (TIMESTAMP(MILLIS,false))", "tsm:"},
    {"int64 c (TIMESTAMP(MILLIS,true))", "tsm:UTC"},
    {"int64 c (TIMESTAMP(MICROS,false))", "tsu:"},
    {"int64 c (TIMESTAMP(MICROS,true))", "tsu:UTC"},
    {"int64 c (TIMESTAMP(NANOS,false))", "tsn:"},
    {"int64 c (TIMESTAMP(NANOS,true))", "tsn:UTC"},
    {"int64 c (DECIMAL(18,3))", "d:18,3"},
    {"int64 c (UNKNOWN)", "n"},
    {"int96 c", "tsn:"},
    {"int96 c (UNKNOWN)", "n"},
    {"float c", "f"},
    {"float c (UNKNOWN)", "n"},
    {"double c", "g"},
    {"double c (UNKNOWN)", "n"},
    {"binary c", "z"},
    {"binary c (STRING)", "u"},
    {"binary c (ENUM)", "u"},
    {"binary c (JSON)", "u<arrow.json>"},
    {"binary c (BSON)", "z"},
    {"binary c (DECIMAL(38,38))", "d:38,38"},
    {"binary c (DECIMAL(39,0))", "d:39,0,256"},
    {"binary c (DECIMAL(76,1))", "d:76,1,256"},
    {"binary c (GEOMETRY)", "z<geoarrow.wkb|" CRS84 "}>"},
    {"binary c (GEOMETRY(srid:0))", "z<geoarrow.wkb>"},
    {"binary c (GEOGRAPHY)", "z<geoarrow.wkb|" CRS84 ",\"edges\":\"spherical\"}>"},
    {"binary c (GEOGRAPHY(srid:0,THOMAS))", "z<geoarrow.wkb|{\"edges\":\"thomas\"}>"},
    {"binary c (UNKNOWN)", "n"},
    {"fixed_len_byte_array(1) c", "w:1"},
    {"fixed_len_byte_array(16) c", "w:16"},
    {"fixed_len_byte_array(16) c (UUID)", "w:16<arrow.uuid>"},
    {"fixed_len_byte_array(2) c (FLOAT16)", "e"},
    {"fixed_len_byte_array(12) c (INTERVAL)", "tin"},
    {"fixed_len_byte_array(4) c (DECIMAL(9,2))", "d:9,2"},
    {"fixed_len_byte_array(40) c (DECIMAL(9,2))", "d:9,2"},
    {"fixed_len_byte_array(17) c (DECIMAL(39,2))", "d:39,2,256"},
    {"fixed_len_byte_array(3) c (UNKNOWN)", "n"},
    {"int32 c = 9", "i@9"},
    {"binary c (JSON) = -2", "u@-2<arrow.json>"},
};

/* The schema that a message is read as; free() it. */
static char *read_as(const char *message, const bool *leaves) {
    arrow_file file = file_of(message, NULL);
    lam_arrow_plan plan;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error), LAM_STATUS_OK,
                 "%s: %s", message, error.message);
    char *text = text_of(&plan.schema);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
    return text;
}

static void becomes(const char *message, const char *expected) {
    char *text = read_as(message, NULL);
    cr_expect_str_eq(text, expected, "%s\nbecomes  %s\nexpected %s", message, text, expected);
    free(text);
}

Test(parquet_to_arrow, every_column_has_its_type) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char message[160];
        char expected[160];
        snprintf(message, sizeof message, "message m { required %s; }", types[i].column);
        snprintf(expected, sizeof expected, "c:%s", types[i].type);
        becomes(message, expected);
        snprintf(message, sizeof message, "message m { optional %s; }", types[i].column);
        snprintf(expected, sizeof expected, "c?:%s", types[i].type);
        becomes(message, expected);
    }
}

/* The id of a repeated field is that of the list. */
Test(parquet_to_arrow, a_repeated_field_is_a_list_of_what_it_is_each_time) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strchr(types[i].type, '@') != NULL)
            continue;
        char message[160];
        char expected[160];
        snprintf(message, sizeof message, "message m { repeated %s; }", types[i].column);
        snprintf(expected, sizeof expected, "c:+l[c:%s]", types[i].type);
        becomes(message, expected);
    }
    becomes("message m { repeated int32 c = 9; }", "c:+l@9[c:i]");
}

Test(parquet_to_arrow, a_decimal_of_more_than_76_digits_has_no_arrow_form) {
    arrow_file file = file_of("message m { required group a { repeated group b { required binary c "
                              "(DECIMAL(77,0)); required int32 d; } } }",
                              NULL);
    lam_arrow_plan plan;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert_str_eq(error.message, "a.b.b.c: Arrow has no decimal of more than 76 digits");
    bool leaves[] = {false, true};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error), LAM_STATUS_OK);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

/* A logical type of a later format leaves the physical one. */
Test(parquet_to_arrow, an_unknown_logical_type_is_passed_over) {
    static const struct {
        lam_physical_type physical;
        int32_t length;
        const char *type;
    } columns[] = {
        {LAM_PHYSICAL_BOOLEAN, 0, "c:b"},    {LAM_PHYSICAL_INT32, 0, "c:i"},
        {LAM_PHYSICAL_INT64, 0, "c:l"},      {LAM_PHYSICAL_INT96, 0, "c:tsn:"},
        {LAM_PHYSICAL_FLOAT, 0, "c:f"},      {LAM_PHYSICAL_DOUBLE, 0, "c:g"},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, "c:z"}, {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 5, "c:w:5"}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        lam_schema_builder *builder;
        lam_schema *schema;
        lam_field_options options = {.logical_type = {.kind = LAM_LOGICAL_UNRECOGNIZED},
                                     .type_length = columns[i].length};
        cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, "c", LAM_REPETITION_REQUIRED,
                                                 columns[i].physical, &options, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
        lam_schema_builder_destroy(builder);
        lam_arrow_field field = {.name = "c"};
        cr_assert_null(lam_arrow_type_of_leaf(lam_schema_leaf(schema, 0), &field.type));
        lam_arrow_field root = {.name = "", .child_count = 1, .children = &field};
        char *text = text_of(&root);
        cr_expect_str_eq(text, columns[i].type);
        free(text);
        lam_schema_destroy(schema);
    }
}
