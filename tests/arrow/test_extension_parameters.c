/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small JSON in the metadata of extension types: whole objects are read, and everything else is
 * refused without harm.
 */
#include "arrow/extension/extension_parameters.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_text.h"
#include "support/failing_alloc.h"
#include "support/random.h"

static bool is_object(const char *text) {
    lam_parameter object;
    return lam_parameters_read(lam_arrow_text(text), &object);
}

/* The one member of an object. */
static lam_parameter member(const char *text) {
    lam_parameter object, value;
    cr_assert(lam_parameters_read(lam_arrow_text(text), &object), "%s", text);
    cr_assert(lam_parameters_find(&object, "a", &value), "%s", text);
    return value;
}

Test(extension_parameters, whole_objects_are_read) {
    static const char *const good[] = {
        "{}",
        " \t\r\n{ \n } ",
        "{\"a\":1}",
        "{\"a\":-0,\"b\":0.5,\"c\":1e5,\"d\":-12.25E-3,\"e\":1E+2}",
        "{ \"a\" : [ ] , \"b\" : [ 1 , [ 2 ] , { } ] }",
        "{\"a\":null,\"b\":true,\"c\":false}",
        "{\"\":\"\",\"\\u0041\\n\\\"\\\\\\/\\b\\f\\r\\t\":\"\\uD83D\\uDE00\"}",
        "{\"größe\":\"上海\"}",
        "{\"a\":1,\"a\":2}",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        cr_expect(is_object(good[i]), "%s", good[i]);
}

Test(extension_parameters, everything_else_is_refused) {
    static const char *const bad[] = {
        "",
        " ",
        "[]",
        "1",
        "null",
        "\"{}\"",
        "{",
        "}",
        "{]",
        "{}x",
        "{}{}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":-}",
        "{\"a\":0x1}",
        "{\"a\":NaN}",
        "{\"a\":nul}",
        "{\"a\":True}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":[}",
        "{\"a\":\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u12G4\"}",
        "{\"a\":\"\\uD800\"}",
        "{\"a\":\"\\uDC00\"}",
        "{\"a\":\"\\uD800\\u0041\"}",
        "{\"a\":\"\\uD800\\n\"}",
        "{\"a\":\"\xFF\"}",
        "{\"a\":\"\xC3\"}",
        "{\"a\":1}//",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(is_object(bad[i]), "%s", bad[i]);
    lam_parameter object;
    cr_expect_not(lam_parameters_read((lam_bytes){(const uint8_t *)"{}\0", 3}, &object));
    cr_expect_not(lam_parameters_read((lam_bytes){NULL, 0}, &object));
}

/* Every cut of a good object is refused, and nothing behind the cut is looked at. */
Test(extension_parameters, no_cut_object_is_read) {
    static const char text[] = "{\"shape\":[2,5],\"x\":{\"y\":\"\\uD83D\\uDE00\"},\"z\":-1.5e3}";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        lam_parameter object;
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, text, size);
        cr_expect_not(lam_parameters_read((lam_bytes){copy, size}, &object), "%zu", size);
        free(copy);
    }
    cr_expect(is_object(text));
}

Test(extension_parameters, nesting_ends_at_its_limit) {
    for (int depth = LAM_PARAMETER_DEPTH_MAX - 1; depth <= LAM_PARAMETER_DEPTH_MAX; depth++) {
        char text[512] = "{\"a\":";
        for (int i = 0; i < depth; i++)
            strcat(text, "[");
        strcat(text, "1");
        for (int i = 0; i < depth; i++)
            strcat(text, "]");
        strcat(text, "}");
        cr_expect_eq(is_object(text), depth < LAM_PARAMETER_DEPTH_MAX, "%d", depth);
    }
}

Test(extension_parameters, members_are_found_by_key_whatever_its_escapes) {
    lam_parameter object, value;
    cr_assert(lam_parameters_read(
        lam_arrow_text(
            "{\"x\":{\"a\":0},\"\\u0061\":[1], \"ab\":2,\"\":3,\"twice\":1,\"twi\\u0063e\":1}"),
        &object));
    cr_assert(lam_parameters_find(&object, "a", &value));
    cr_assert_eq(value.kind, LAM_PARAMETER_ARRAY);
    cr_assert(lam_arrow_bytes_equal(value.text, "[1]"));
    cr_assert(lam_parameters_find(&object, "", &value));
    cr_assert(lam_arrow_bytes_equal(value.text, "3"));
    cr_assert(lam_parameters_find(&object, "abc", &value));
    cr_assert_eq(value.kind, LAM_PARAMETER_ABSENT);
    cr_assert_not(lam_parameters_find(&object, "twice", &value));
}

Test(extension_parameters, values_have_their_kinds) {
    cr_assert_eq(member("{\"a\": null }").kind, LAM_PARAMETER_NULL);
    cr_assert_eq(member("{\"a\":true}").kind, LAM_PARAMETER_BOOLEAN);
    cr_assert_eq(member("{\"a\":false}").kind, LAM_PARAMETER_BOOLEAN);
    cr_assert_eq(member("{\"a\":-1}").kind, LAM_PARAMETER_NUMBER);
    cr_assert_eq(member("{\"a\":\"\"}").kind, LAM_PARAMETER_STRING);
    cr_assert_eq(member("{\"a\":[]}").kind, LAM_PARAMETER_ARRAY);
    lam_parameter object = member("{\"a\": {\"b\": 1} }");
    cr_assert_eq(object.kind, LAM_PARAMETER_OBJECT);
    cr_assert(lam_arrow_bytes_equal(object.text, "{\"b\": 1}"));
}

Test(extension_parameters, elements_come_in_their_order) {
    lam_parameter array = member("{\"a\":[ 1 ,[2,3], \"x,]\" ,null]}");
    static const char *const expected[] = {"1", "[2,3]", "\"x,]\"", "null"};
    lam_parameter element;
    size_t position = 0;
    for (size_t i = 0; i < 4; i++) {
        cr_assert(lam_parameter_next(&array, &position, &element));
        cr_assert(lam_arrow_bytes_equal(element.text, expected[i]), "%zu", i);
    }
    cr_assert_not(lam_parameter_next(&array, &position, &element));
    array = member("{\"a\":[ ]}");
    position = 0;
    cr_assert_not(lam_parameter_next(&array, &position, &element));
}

Test(extension_parameters, numbers_are_whole_and_within_their_bounds) {
    int64_t number = 0;
    lam_parameter value = member("{\"a\":-120}");
    cr_assert(lam_parameter_number(&value, -120, -120, &number));
    cr_assert_eq(number, -120);
    cr_assert_not(lam_parameter_number(&value, -119, 0, &number));
    cr_assert_not(lam_parameter_number(&value, -200, -121, &number));
    static const char *const others[] = {"1.0",  "1e0", "\"1\"",
                                         "null", "[1]", "1000000000000000000"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"a\":%s}", others[i]);
        value = member(text);
        cr_assert_not(lam_parameter_number(&value, INT64_MIN, INT64_MAX, &number), "%s", text);
    }
    value = member("{\"a\":999999999999999999}");
    cr_assert(lam_parameter_number(&value, 0, INT64_MAX, &number));
    cr_assert_eq(number, INT64_C(999999999999999999));
}

static void has_text(const char *string, const char *expected, size_t size) {
    char text[256];
    lam_bytes found;
    lam_arena arena = arrow_arena();
    snprintf(text, sizeof text, "{\"a\":%s}", string);
    lam_parameter value = member(text);
    cr_assert_eq(lam_parameter_text(&value, &arena, &found, NULL), LAM_STATUS_OK);
    cr_assert_eq(found.size, size, "%s", string);
    cr_assert_eq(memcmp(found.data, expected, size + 1), 0, "%s", string);
    lam_arena_finish(&arena);
}

Test(extension_parameters, strings_lose_their_escapes) {
    has_text("\"\"", "", 0);
    has_text("\"plain\"", "plain", 5);
    has_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
    has_text("\"\\u0041\\u00e9\\u4E0A\\ud83d\\ude00\"", "A\xC3\xA9\xE4\xB8\x8A\xF0\x9F\x98\x80",
             10);
    has_text("\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"",
             "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF", 11);
    has_text("\"上海\"", "上海", 6);
    has_text("\"a\\u0000b\"", "a\0b", 3);
}

Test(extension_parameters, strings_are_compared_without_their_escapes) {
    lam_parameter value = member("{\"a\":\"pl\\u0061nar\"}");
    cr_assert(lam_parameter_is(&value, "planar"));
    cr_assert_not(lam_parameter_is(&value, "plana"));
    cr_assert_not(lam_parameter_is(&value, "planarr"));
    value = member("{\"a\":1}");
    cr_assert_not(lam_parameter_is(&value, "1"));
}
