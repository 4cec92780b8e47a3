/* SPDX-License-Identifier: Apache-2.0 */
/* Logical types as text: each is read and printed, and wrong arguments say what was expected. */
#include "schema/annotation.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "schema_texts.h"

/* The annotation of a leaf or group of a type that it goes with prints as `print`. */
static void prints_as(const char *type, const char *annotation, const char *print) {
    char text[512], buffer[256];
    bool group = strcmp(type, "group") == 0;
    snprintf(text, sizeof text, "message m { optional %s x (%s) %s }", type, annotation,
             group ? "{ required int32 a; }" : ";");
    lam_schema *schema = parsed(text);
    const lam_logical_type *logical = lam_field_logical_type(lam_schema_find(schema, "x"));
    cr_assert_eq(lam_logical_type_print(logical, buffer, sizeof buffer), strlen(print));
    cr_assert_str_eq(buffer, print);
    cr_assert_eq(lam_logical_type_print(logical, NULL, 0), strlen(print));
    if (strcmp(annotation, print) != 0)
        prints_as(type, print, print);
    lam_schema_destroy(schema);
}

Test(annotation, every_logical_type_is_read_and_printed) {
    static const char *const triples[][3] = {
        {"binary", "STRING", "STRING"},
        {"binary", "string", "STRING"},
        {"binary", "UTF8", "STRING"},
        {"binary", "ENUM", "ENUM"},
        {"binary", "JSON", "JSON"},
        {"binary", "BSON", "BSON"},
        {"binary", "DECIMAL(40,38)", "DECIMAL(40,38)"},
        {"int32", "DECIMAL(9)", "DECIMAL(9,0)"},
        {"fixed(5)", "decimal( 9 , 2 )", "DECIMAL(9,2)"},
        {"fixed(16)", "UUID", "UUID"},
        {"fixed(2)", "FLOAT16", "FLOAT16"},
        {"fixed(12)", "INTERVAL", "INTERVAL"},
        {"int32", "DATE", "DATE"},
        {"int32", "TIME(MILLIS,true)", "TIME(MILLIS,true)"},
        {"int64", "TIME(false,NANOS)", "TIME(NANOS,false)"},
        {"int32", "TIME_MILLIS", "TIME(MILLIS,true)"},
        {"int64", "TIME_MICROS", "TIME(MICROS,true)"},
        {"int64", "TIMESTAMP(true, MICROS)", "TIMESTAMP(MICROS,true)"},
        {"int64", "TIMESTAMP(MICROS, true)", "TIMESTAMP(MICROS,true)"},
        {"int64", "timestamp(nanos,FALSE)", "TIMESTAMP(NANOS,false)"},
        {"int64", "TIMESTAMP_MILLIS", "TIMESTAMP(MILLIS,true)"},
        {"int64", "TIMESTAMP_MICROS", "TIMESTAMP(MICROS,true)"},
        {"int32", "INTEGER(8,true)", "INTEGER(8,true)"},
        {"int32", "INTEGER(false,16)", "INTEGER(16,false)"},
        {"int32", "INT(32, true)", "INTEGER(32,true)"},
        {"int32", "INT_8", "INTEGER(8,true)"},
        {"int32", "INT_16", "INTEGER(16,true)"},
        {"int32", "INT_32", "INTEGER(32,true)"},
        {"int64", "INT_64", "INTEGER(64,true)"},
        {"int32", "UINT_8", "INTEGER(8,false)"},
        {"int32", "UINT_16", "INTEGER(16,false)"},
        {"int32", "UINT_32", "INTEGER(32,false)"},
        {"int64", "UINT_64", "INTEGER(64,false)"},
        {"boolean", "UNKNOWN", "UNKNOWN"},
        {"int96", "NULL", "UNKNOWN"},
        {"double", "UNRECOGNIZED", "UNRECOGNIZED"},
        {"group", "LIST", "LIST"},
        {"group", "MAP", "MAP"},
        {"group", "MAP_KEY_VALUE", "MAP_KEY_VALUE"},
        {"group", "FILE", "FILE"},
        {"group", "VARIANT", "VARIANT"},
        {"group", "VARIANT(1)", "VARIANT(1)"},
        {"binary", "GEOMETRY", "GEOMETRY"},
        {"binary", "GEOMETRY(OGC:CRS84)", "GEOMETRY(OGC:CRS84)"},
        {"binary", "GEOMETRY(\"OGC:CRS84\")", "GEOMETRY(OGC:CRS84)"},
        {"binary", "GEOMETRY(\"\")", "GEOMETRY(\"\")"},
        {"binary", "GEOMETRY(\"{\\\"id\\\": [1, \\\"(x)\\\"]}\")",
         "GEOMETRY(\"{\\\"id\\\": [1, \\\"(x)\\\"]}\")"},
        {"binary", "GEOMETRY(KARNEY)", "GEOMETRY(\"KARNEY\")"},
        {"binary", "GEOGRAPHY", "GEOGRAPHY"},
        {"binary", "GEOGRAPHY(OGC:CRS84)", "GEOGRAPHY(OGC:CRS84)"},
        {"binary", "GEOGRAPHY(OGC:CRS84, karney)", "GEOGRAPHY(OGC:CRS84,KARNEY)"},
        {"binary", "GEOGRAPHY(SPHERICAL)", "GEOGRAPHY(SPHERICAL)"},
        {"binary", "GEOGRAPHY(\"SPHERICAL\")", "GEOGRAPHY(\"SPHERICAL\")"},
        {"binary", "GEOGRAPHY(\"thomas\",ANDOYER)", "GEOGRAPHY(\"thomas\",ANDOYER)"},
        {"binary", "GEOGRAPHY(a,VINCENTY)", "GEOGRAPHY(a,VINCENTY)"},
        {"binary", "GEOGRAPHY(a,THOMAS)", "GEOGRAPHY(a,THOMAS)"},
    };
    for (size_t i = 0; i < sizeof triples / sizeof triples[0]; i++)
        prints_as(triples[i][0], triples[i][1], triples[i][2]);
}

Test(annotation, no_logical_type_prints_as_nothing) {
    lam_logical_type none;
    memset(&none, 0, sizeof none);
    char buffer[4] = "???";
    cr_assert_eq(lam_logical_type_print(&none, buffer, sizeof buffer), 0);
    cr_assert_str_eq(buffer, "");
}

Test(annotation, an_argument_that_the_format_does_not_have_prints_as_nothing) {
    const lam_logical_type type = {.kind = LAM_LOGICAL_TIME, .unit = (lam_time_unit)9};
    char buffer[16];
    cr_assert_eq(lam_logical_type_print(&type, buffer, sizeof buffer), 12);
    cr_assert_str_eq(buffer, "TIME(,false)");
}

Test(annotation, wrong_arguments_say_what_was_expected) {
    static const char *const pairs[][2] = {
        {"", "the name of a logical type, found ')'"},
        {"BANANA", "the name of a logical type, found 'BANANA'"},
        {"\"STRING\"", "the name of a logical type, found a quoted word"},
        {"STRING()", "')' after the logical type, found '('"},
        {"DECIMAL", "'(' and the arguments of DECIMAL, found ')'"},
        {"DECIMAL()", "the precision of DECIMAL, 1 or more, found ')'"},
        {"DECIMAL(0)", "the precision of DECIMAL, 1 or more, found '0'"},
        {"DECIMAL(9.5)", "the precision of DECIMAL, 1 or more, found '9.5'"},
        {"DECIMAL(2147483648)", "the precision of DECIMAL, 1 or more, found '2147483648'"},
        {"DECIMAL(9,10)", "the scale of DECIMAL, 0 to its precision, found '10'"},
        {"DECIMAL(9,-1)", "the scale of DECIMAL, 0 to its precision, found '-1'"},
        {"DECIMAL(9,1,2)", "')' after the arguments of DECIMAL, found ','"},
        {"TIME", "'(' and the arguments of TIME, found ')'"},
        {"TIMESTAMP(MICROS)", "',' and another argument of TIMESTAMP, found ')'"},
        {"TIMESTAMP(SECONDS,true)", "MILLIS, MICROS, NANOS, true or false, found 'SECONDS'"},
        {"TIMESTAMP(MICROS,MILLIS)", "true or false, found 'MILLIS'"},
        {"TIMESTAMP(true,false)", "MILLIS, MICROS or NANOS, found 'false'"},
        {"TIMESTAMP(true,MILLIS,true)", "')' after the arguments of TIMESTAMP, found ','"},
        {"TIMESTAMP(\"MILLIS\",true)", "MILLIS, MICROS, NANOS, true or false, found a quoted word"},
        {"INTEGER(8)", "',' and another argument of INTEGER, found ')'"},
        {"INTEGER(24,true)", "a width of 8, 16, 32 or 64 bits, found '24'"},
        {"INTEGER(8,8)", "true or false, found '8'"},
        {"INTEGER(true,true)", "a width of 8, 16, 32 or 64 bits, found 'true'"},
        {"INT_8(8)", "')' after the logical type, found '('"},
        {"VARIANT(0)", "a version of VARIANT, 1 or more, found '0'"},
        {"VARIANT(128)", "a version of VARIANT, 1 or more, found '128'"},
        {"GEOMETRY()", "a CRS, found ')'"},
        {"GEOMETRY(a,b)", "')' after the arguments of GEOMETRY, found ','"},
        {"GEOMETRY(a b)", "')' after the arguments of GEOMETRY, found 'b'"},
        {"GEOGRAPHY(a,b)", "SPHERICAL, VINCENTY, THOMAS, ANDOYER or KARNEY, found 'b'"},
        {"GEOGRAPHY(a,\"KARNEY\")",
         "SPHERICAL, VINCENTY, THOMAS, ANDOYER or KARNEY, found a quoted word"},
        {"GEOGRAPHY(KARNEY,KARNEY)", "')' after the algorithm, found 'KARNEY'"},
        {"GEOGRAPHY(KARNEY,a)", "')' after the algorithm, found 'a'"},
        {"GEOGRAPHY(,KARNEY)", "a CRS, found ','"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "message m { optional int64 x (%s); }", pairs[i][0]);
        const char *message = strstr(refused(text), "expected ");
        cr_assert_not_null(message);
        cr_assert_str_eq(message + strlen("expected "), pairs[i][1]);
    }
}
