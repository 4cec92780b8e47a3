/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns a VARIANT gets from what a sample has seen of it. */
#include "inference_help.h"

static lam_variant_inference_options options_of(double presence, double uniformity) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    options.min_presence = presence;
    options.min_uniformity = uniformity;
    return options;
}

Test(variant_choose, each_kind_has_its_type) {
    static const char *const kinds[] = {"float",
                                        "date",
                                        "time",
                                        "timestamp",
                                        "timestamp_ntz",
                                        "timestamp_nanos",
                                        "timestamp_ntz_nanos",
                                        "binary",
                                        "uuid"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char values[64], expected[64];
        snprintf(values, sizeof values, "\"~%s\"|null", kinds[i]);
        snprintf(expected, sizeof expected, ":%s", kinds[i]);
        expect_choice(NULL, values, expected);
    }
    expect_choice(NULL, "true|false", ":boolean");
    expect_choice(NULL, "\"x\"", ":string");
    expect_choice(NULL, "0.5|1e300", ":double");
}

Test(variant_choose, integers_have_the_narrowest_type_that_holds_all) {
    lam_variant_inference_options narrow = lam_variant_inference_options_default();
    narrow.narrow_integers = true;
    expect_choice(NULL, "1|-128", ":int32");
    expect_choice(NULL, "1|2147483647|300", ":int32");
    expect_choice(NULL, "1|2147483648", ":int64");
    expect_choice(&narrow, "1|-128", ":int8");
    expect_choice(&narrow, "1|-129", ":int16");
    expect_choice(&narrow, "40000|1", ":int32");
    expect_choice(&narrow, "-2147483649|1", ":int64");
}

Test(variant_choose, decimals_are_chosen_by_scale) {
    expect_choice(NULL, "\"~1.50\"|\"~12345.67\"", ":decimal(9,2)");
    expect_choice(NULL, "\"~1.50\"|\"~1234567890.12\"", ":decimal(18,2)");
    expect_choice(NULL, "\"~0.0000000001\"", ":decimal(18,10)");
    expect_choice(NULL, "\"~0.0000000000000000001\"", ":decimal(38,19)");
    expect_choice(NULL, "\"~1.5\"|\"~1.25\"|\"~2.25\"", ":decimal(9,2)");
    /* Without digits behind the point integers are decimals, too: as many as the decimals. */
    expect_choice(NULL, "\"~5\"|7", ":decimal(38,0)");
    expect_choice(NULL, "\"~5\"|7|8", ":int32");
}

Test(variant_choose, decimals_that_print_as_doubles_may_be_doubles) {
    lam_variant_inference_options doubles = lam_variant_inference_options_default();
    static const char values[] = "\"~1.5\"|\"~1.25\"|\"~-0.125\"|\"~7.0\"";
    lam_variant_inference_options most = options_of(0, 0.6);
    doubles.decimals_as_doubles = true;
    expect_choice(&doubles, values, ":double");
    expect_choice(&most, values, "");
    /* 1.50 is no double's text: of as many, decimals are the better. */
    expect_choice(&doubles, "\"~1.50\"|\"~1.25\"|\"~2.10\"", ":decimal(9,2)");
    expect_choice(&doubles, "\"~1.25\"|\"~2.11\"", ":decimal(9,2)");
    /* The nearest double prints with as many digits, of which the last is a 4. */
    expect_choice(&doubles, "\"~0.30000000000000005\"|\"~1.25\"", ":decimal(9,2)");
    expect_choice(&doubles, "\"~0.30000000000000004\"|\"~1.25\"", ":double");
    expect_choice(&doubles, "\"~123456789012345678.9\"|\"~1.25\"|\"~0.125\"", ":double");
}

Test(variant_choose, one_type_has_to_be_common_enough) {
    lam_variant_inference_options strict = options_of(0, 0.75);
    expect_choice(NULL, "1|\"x\"", ":int32");
    expect_choice(NULL, "1|\"x\"|true", "");
    expect_choice(&strict, "1|2|\"x\"", "");
    expect_choice(&strict, "1|2|3|\"x\"|null|null", ":int32");
    expect_choice(NULL, "null|null", "");
    expect_choice(NULL, "", "");
}

Test(variant_choose, fields_have_to_be_frequent_enough) {
    lam_variant_inference_options half = options_of(0.5, 0);
    expect_choice(NULL, "{\"a\":1,\"b\":\"x\"}|{\"b\":null}", ":object a:int32 b:string");
    expect_choice(&half, "{\"a\":1,\"b\":2}|{\"a\":1}|{\"a\":2}", ":object a:int32");
    expect_choice(&half, "{\"a\":1,\"b\":2}|{\"a\":1}|{\"a\":2}|\"x\"", ":object a:int32");
    /* Of what is inside of arrays each element counts. */
    expect_choice(&half, "[{\"a\":1},{\"a\":1},{\"b\":1}]|[{\"a\":1}]",
                  ":array []:object [].a:int32");
    /* A field that is there and null is there. */
    expect_choice(&half, "{\"a\":null,\"b\":1}", ":object a:value b:int32");
}

Test(variant_choose, what_has_no_type_has_a_column_of_its_own) {
    lam_variant_inference_options strict = options_of(0, 1);
    expect_choice(&strict, "{\"a\":1}|{\"a\":\"x\"}", ":object a:value");
    expect_choice(NULL, "{\"a\":{}}|{\"a\":{}}", ":object a:value");
    expect_choice(NULL, "{\"a\":[]}|{\"a\":[null]}", ":object a:value");
    expect_choice(&strict, "{\"a\":[1,\"x\"]}", ":object a:value");
    expect_choice(NULL, "{}|{}", "");
    expect_choice(&strict, "[1,\"x\"]", "");
}

Test(variant_choose, objects_and_arrays_nest) {
    expect_choice(NULL, "{\"o\":{\"p\":{\"q\":1}},\"l\":[[{\"x\":\"y\"}],[]]}",
                  ":object l:array l[]:array l[][]:object l[][].x:string o:object o.p:object "
                  "o.p.q:int32");
    expect_choice(NULL, "{\"\":1,\"a.b\":{\"\":true}}",
                  ":object \"\":int32 \"a.b\":object \"a.b\".\"\":boolean");
}

Test(variant_choose, an_object_whose_fields_are_all_rare_stays_whole) {
    lam_variant_inference_options half = options_of(0.5, 0);
    expect_choice(
        &half, "{\"m\":{\"k1\":1},\"n\":1}|{\"m\":{\"k2\":1},\"n\":1}|{\"m\":{\"k3\":1},\"n\":1}",
        ":object m:value n:int32");
    expect_choice(&half, "[{\"k1\":1},{\"k2\":1},{\"k3\":1}]", "");
}

Test(variant_choose, depth_is_capped) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    options.max_depth = 1;
    expect_choice(&options, "{\"a\":{\"b\":1},\"c\":1}", ":object a:value c:int32");
    options.max_depth = 2;
    expect_choice(&options, "{\"a\":{\"b\":1},\"c\":[[1]]}", ":object a:object a.b:int32 c:value");
}

Test(variant_choose, columns_go_to_what_is_frequent) {
    static const char values[] = "{\"a\":1,\"b\":{\"c\":1,\"d\":2}}|{\"a\":1,\"b\":{\"d\":2}}|"
                                 "{\"a\":1,\"b\":{\"d\":\"x\"},\"e\":[1]}|{\"a\":1}";
    lam_variant_inference_options options = lam_variant_inference_options_default();
    options.max_columns = 2;
    expect_choice(&options, values, ":object a:int32");
    /* An object that has room, but none of its fields, is whole in a column. */
    options.max_columns = 3;
    expect_choice(&options, values, ":object a:int32 b:value");
    options.max_columns = 5;
    expect_choice(&options, values, ":object a:int32 b:object b.d:int32");
    options.max_columns = 7;
    expect_choice(&options, values, ":object a:int32 b:object b.c:int32 b.d:int32");
    /* The list takes one, and its elements two. */
    options.max_columns = 9;
    expect_choice(&options, values, ":object a:int32 b:object b.c:int32 b.d:int32 e:value");
    options.max_columns = 10;
    expect_choice(&options, values,
                  ":object a:int32 b:object b.c:int32 b.d:int32 e:array e[]:int32");
    options.max_columns = 1; /* too few for a type of a */
    expect_choice(&options, values, ":object b:value");
}

Test(variant_choose, a_variant_deep_in_a_schema_has_fewer_levels) {
    enum { LEVELS = 245 };
    char text[LEVELS * 24 + 256] = "message m { ";
    lam_variant_inference *inference;
    lam_schema *made;
    lam_error error = lam_error_none();
    char choice[256];
    for (int i = 0; i < LEVELS; i++)
        strcat(text, "required group g { ");
    strcat(text, "required group v (VARIANT) { required binary metadata; required binary value; }");
    for (int i = 0; i <= LEVELS; i++)
        strcat(text, " }");
    lam_schema *schema = schema_of(text);
    const lam_field *group = lam_schema_field(schema, LEVELS + 1);
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    lam_variant variant = hex_variant("11 01 00 01 61", "02 01 00 00 07 02 01 00 00 02 0C01");
    cr_assert_eq(lam_variant_inference_add(inference, group, variant, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(lam_variant_inference_schema(inference, &made, &error), LAM_STATUS_OK, "%s",
                 error.message);
    print_choice(inference, choice, sizeof choice);
    cr_expect_str_eq(choice, ":object a:value", "%s", choice);
    const lam_variant_finding *inner = lam_variant_inference_finding(inference, 1);
    cr_expect_eq(inner->reason, LAM_VARIANT_REASON_DEPTH);
    free_variant(variant);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}
