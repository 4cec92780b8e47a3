/* SPDX-License-Identifier: Apache-2.0 */
/* VARIANTs in the form that tells kinds come back with the kind they had. */
#include "variant_json.h"

static variant_trip typed_trip(void) {
    variant_trip trip = plain_trip();
    trip.reading.form = LAM_JSON_VARIANT_TYPED;
    trip.writing = LAM_JSON_VARIANT_TYPED;
    return trip;
}

Test(json_variant_typed_read, every_kind_comes_back_as_it_was) {
    static const char deep[] =
        "{\"object\":{\"\":{\"null\":null},\"object\":{\"object\":{\"array\":{\"array\":[{"
        "\"object\":{}},{\"int8\":1}]}}}}}";
    static const char *const texts[] = {
        "{\"null\":null}",
        "{\"boolean\":false}",
        "{\"int8\":-128}",
        "{\"int16\":5}",
        "{\"int32\":5}",
        "{\"int64\":-9223372036854775808}",
        "{\"float\":10.11}",
        "{\"float\":\"NaN\"}",
        "{\"double\":14.3}",
        "{\"double\":\"-Infinity\"}",
        "{\"double\":-0.0}",
        "{\"decimal4\":12345.6789}",
        "{\"decimal4\":7}",
        "{\"decimal8\":-7}",
        "{\"decimal16\":1.50}",
        "{\"decimal16\":-99999999999999999999999999999999999999}",
        "{\"date\":\"1957-11-07\"}",
        "{\"time\":\"12:33:54.123456\"}",
        "{\"time\":86400000000}",
        "{\"timestamp\":\"2024-11-07T12:33:54.123456Z\"}",
        "{\"timestamp_ntz\":\"1957-11-07T12:33:54.123456\"}",
        "{\"timestamp_nanos\":\"2024-11-07T12:33:54.123456789Z\"}",
        "{\"timestamp_ntz_nanos\":\"2024-11-07T12:33:54.123456789\"}",
        "{\"binary\":\"CgsMDQ==\"}",
        "{\"string\":\"iceberg\"}",
        "{\"string\":\"2024-11-07\"}",
        "{\"uuid\":\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\"}",
        "{\"object\":{}}",
        "{\"array\":[]}",
        deep,
    };
    variant_trip trip = typed_trip();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_trip(texts[i], &trip, texts[i]);
}

Test(json_variant_typed_read, what_does_not_fit_its_kind_is_refused) {
    static const char *const cases[][2] = {
        {"5", "byte 0: expected an object of one member, named as the kind of a VARIANT"},
        {"null", "byte 0: expected an object of one member, named as the kind of a VARIANT"},
        {"{}", "byte 0: expected an object of one member, named as the kind of a VARIANT"},
        {"{\"int8\":1,\"int16\":2}",
         "byte 0: expected an object of one member, named as the kind of a VARIANT"},
        {"{\"array\":[5]}",
         "byte 10: expected an object of one member, named as the kind of a VARIANT"},
        {"{\"int\":1}", "byte 0: unknown kind of VARIANT \"int\""},
        {"{\"a name that is longer than all names of kinds\":1}",
         "byte 0: unknown kind of VARIANT \"a name that is longer than all names of \""},
        {"{\"unknown\":1}", "byte 0: unknown kind of VARIANT \"unknown\""},
        {"{\"int8\":128}", "byte 8: 128 is out of the range -128 to 127"},
        {"{\"int8\":null}", "byte 8: expected a value of int8, found null"},
        {"{\"null\":0}", "byte 8: expected null, found a number"},
        {"{\"array\":{}}", "byte 9: expected an array, found an object"},
        {"{\"object\":[]}", "byte 10: expected an object, found an array"},
        {"{\"date\":\"2024-13-01\"}",
         "byte 9: expected a date as YYYY-MM-DD, found \"2024-13-01\""},
        {"{\"decimal4\":1234567890}", "byte 12: variant: a decimal of 10 digits as decimal4"},
        {"{\"decimal16\":\"1\"}",
         "byte 14: expected a decimal of at most 38 digits, found a string"},
        {"{\"decimal16\":1e39}",
         "byte 13: expected a decimal of at most 38 digits, found a number"},
    };
    variant_trip trip = typed_trip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error;
        char *text = trip_variant(cases[i][0], &trip, &error);
        cr_expect_null(text, "%s: %s", cases[i][0], text);
        cr_expect_str_eq(error.message, cases[i][1], "%s: %s", cases[i][0], error.message);
        free(text);
    }
}

Test(json_variant_typed_read, binary_is_in_the_form_that_is_asked_for) {
    variant_trip trip = typed_trip();
    trip.reading.binary = LAM_JSON_BINARY_HEX;
    trip.binary = LAM_JSON_BINARY_HEX;
    expect_trip("{\"binary\":\"0aff\"}", &trip, "{\"binary\":\"0aff\"}");
    trip.binary = LAM_JSON_BINARY_BASE64;
    expect_trip("{\"binary\":\"0aff\"}", &trip, "{\"binary\":\"Cv8=\"}");
}
