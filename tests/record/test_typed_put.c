/* SPDX-License-Identifier: Apache-2.0 */
/* Typed puts arrive as the value of their leaf, and other types are refused. */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <string.h>

#include "support/test_file.h"

#define SCHEMA                                                                                     \
    "message m { optional boolean b; optional int32 i; optional int64 l; optional float f;"        \
    " optional double d; optional binary s (STRING); optional fixed_len_byte_array(3) x;"          \
    " optional int96 t; optional int32 u (INTEGER(32,false)); optional int64 w "                   \
    "(INTEGER(64,false));"                                                                         \
    " optional int32 small (INTEGER(8,false)); optional int32 tiny (INTEGER(8,true)); optional "   \
    "group sensor {"                                                                               \
    " optional int64 id; } }"

static lam_schema *schema;
static lam_shredder *shredder;
static lam_record_checker *checker;
static lam_record_sink sink;

static void start(void) {
    schema = lam_test_parse(SCHEMA);
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink behind = lam_shredder_sink(shredder);
    cr_assert_eq(lam_record_checker_create(schema, &behind, NULL, &checker, NULL), LAM_STATUS_OK);
    sink = lam_record_checker_sink(checker);
}

static void stop(void) {
    lam_record_checker_destroy(checker);
    lam_shredder_destroy(shredder);
    lam_schema_destroy(schema);
}

static const lam_field *field(const char *path) {
    return lam_schema_find(schema, path);
}

static const void *values_of(const char *path) {
    return lam_shredder_triples(shredder, lam_field_first_leaf(field(path))).values;
}

/* The message of `call` within a record, which the end of the record has to repeat. */
#define EXPECT_REFUSAL(call, message_)                                                             \
    do {                                                                                           \
        lam_error error = lam_error_none(), at_end = lam_error_none();                             \
        lam_begin(&sink, NULL);                                                                    \
        cr_assert_eq((call), LAM_STATUS_INVALID);                                                  \
        cr_assert_str_eq(error.message, message_);                                                 \
        cr_assert_eq(lam_end(&sink, &at_end), LAM_STATUS_INVALID);                                 \
        cr_assert_str_eq(at_end.message, message_);                                                \
        cr_assert_eq(at_end.column, error.column);                                                 \
        cr_assert_eq(lam_shredder_record_count(shredder), 0);                                      \
    } while (0)

Test(typed_put, every_type_arrives, .init = start, .fini = stop) {
    static const uint8_t twelve[12] = {1, 2, 3};
    lam_error error = lam_error_none();
    lam_begin(&sink, &error);
    lam_put_boolean(&sink, field("b"), true, &error);
    lam_put_int32(&sink, field("i"), -5, &error);
    lam_put_int64(&sink, field("l"), INT64_MIN, &error);
    lam_put_float(&sink, field("f"), 0.5f, &error);
    lam_put_double(&sink, field("d"), -0.25, &error);
    lam_put_string(&sink, field("s"), "text", &error);
    lam_put_bytes(&sink, field("x"), "abc", 3, &error);
    lam_put_bytes(&sink, field("t"), twelve, sizeof twelve, &error);
    lam_open(&sink, field("sensor"), &error);
    lam_put_int64(&sink, field("sensor.id"), 8, &error);
    lam_close(&sink, field("sensor"), &error);
    cr_assert_eq(lam_end(&sink, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(*(const uint8_t *)values_of("b"), 1);
    cr_assert_eq(*(const int32_t *)values_of("i"), -5);
    cr_assert_eq(*(const int64_t *)values_of("l"), INT64_MIN);
    cr_assert_eq(*(const float *)values_of("f"), 0.5f);
    cr_assert_eq(*(const double *)values_of("d"), -0.25);
    const lam_bytes *text = values_of("s");
    cr_assert(text->size == 4 && memcmp(text->data, "text", 4) == 0);
    cr_assert_eq(memcmp(values_of("x"), "abc", 3), 0);
    cr_assert_eq(memcmp(values_of("t"), twelve, 12), 0);
    cr_assert_eq(*(const int64_t *)values_of("sensor.id"), 8);
}

Test(typed_put, lam_put_takes_the_type_from_the_value, .init = start, .fini = stop) {
    lam_error failure = lam_error_none();
    bool yes = true;
    char own[] = "own";
    lam_bytes bytes = {(const uint8_t *)"xyz", 3};
    EXPECT_REFUSAL(lam_put(&sink, field("l"), 7, &error), "l: is INT64, not INT32");
    EXPECT_REFUSAL(lam_put(&sink, field("i"), INT64_C(7), &error), "i: is INT32, not INT64");
    EXPECT_REFUSAL(lam_put(&sink, field("d"), "7", &error), "d: is DOUBLE, not bytes");
    lam_begin(&sink, NULL);
    lam_put(&sink, field("b"), yes, NULL);
    lam_put(&sink, field("i"), 7, NULL);
    lam_put(&sink, field("l"), INT64_C(7), NULL);
    lam_put(&sink, field("f"), 7.0f, NULL);
    lam_put(&sink, field("d"), 7.0, NULL);
    lam_put(&sink, field("s"), own, NULL);
    lam_put(&sink, field("x"), bytes, NULL);
    cr_assert_eq(lam_end(&sink, &failure), LAM_STATUS_OK, "%s", failure.message);
}

Test(typed_put, another_type_is_refused, .init = start, .fini = stop) {
    EXPECT_REFUSAL(lam_put_boolean(&sink, field("i"), true, &error), "i: is INT32, not BOOLEAN");
    EXPECT_REFUSAL(lam_put_int32(&sink, field("b"), 1, &error), "b: is BOOLEAN, not INT32");
    EXPECT_REFUSAL(lam_put_int64(&sink, field("f"), 1, &error), "f: is FLOAT, not INT64");
    EXPECT_REFUSAL(lam_put_float(&sink, field("d"), 1, &error), "d: is DOUBLE, not FLOAT");
    EXPECT_REFUSAL(lam_put_double(&sink, field("t"), 1, &error), "t: is INT96, not DOUBLE");
    EXPECT_REFUSAL(lam_put_bytes(&sink, field("l"), "", 0, &error), "l: is INT64, not bytes");
    EXPECT_REFUSAL(lam_put_double(&sink, field("s"), 1, &error), "s: is BYTE_ARRAY, not DOUBLE");
    EXPECT_REFUSAL(lam_put_int32(&sink, field("x"), 1, &error),
                   "x: is FIXED_LEN_BYTE_ARRAY, not INT32");
    EXPECT_REFUSAL(lam_put_int64(&sink, field("sensor"), 1, &error), "sensor: INT64 for a group");
    EXPECT_REFUSAL(lam_put_string(&sink, field("sensor"), "x", &error),
                   "sensor: bytes for a group");
#define RESOLVE ": lam_schema_resolve says why a path leads to none"
    EXPECT_REFUSAL(lam_put_int64(&sink, field("sensor.ID"), -1, &error),
                   "no such field (NULL) for INT64 -1" RESOLVE);
    EXPECT_REFUSAL(lam_put_double(&sink, field("D"), 21.5, &error),
                   "no such field (NULL) for DOUBLE 21.5" RESOLVE);
    EXPECT_REFUSAL(lam_put_float(&sink, field("F"), 0.1f, &error),
                   "no such field (NULL) for FLOAT 0.1" RESOLVE);
    EXPECT_REFUSAL(lam_put_uint64(&sink, field("U"), UINT64_MAX, &error),
                   "no such field (NULL) for UINT64 18446744073709551615" RESOLVE);
    EXPECT_REFUSAL(lam_put_boolean(&sink, field("B"), true, &error),
                   "no such field (NULL) for BOOLEAN 1" RESOLVE);
    EXPECT_REFUSAL(lam_put_string(&sink, field("S"), "Lake, a buoy of the second row\n", &error),
                   "no such field (NULL) for bytes Lake, a buoy of the seco" RESOLVE);
    EXPECT_REFUSAL(lam_put_string(&sink, field("S"), NULL, &error),
                   "no such field (NULL) for bytes " RESOLVE);
    EXPECT_REFUSAL(lam_put_string(&sink, field("sensor"), NULL, &error),
                   "sensor: bytes for a group");
}

Test(typed_put, numbers_without_a_sign_are_stored_in_the_bits_of_those_with_one, .init = start,
     .fini = stop) {
    const uint8_t byte = 200;
    const uint16_t word = 60000;
    lam_error failure = lam_error_none();
    lam_begin(&sink, &failure);
    lam_put(&sink, field("u"), UINT32_MAX, &failure);
    lam_put(&sink, field("w"), UINT64_MAX, &failure);
    lam_put(&sink, field("i"), (uint32_t)INT32_MAX, &failure);
    lam_put(&sink, field("l"), (uint64_t)7, &failure);
    lam_put(&sink, field("small"), byte, &failure);
    cr_assert_eq(lam_end(&sink, &failure), LAM_STATUS_OK, "%s", failure.message);
    cr_assert_eq(*(const int32_t *)values_of("u"), -1);
    cr_assert_eq(*(const int64_t *)values_of("w"), -1);
    cr_assert_eq(*(const int32_t *)values_of("i"), INT32_MAX);
    cr_assert_eq(*(const int64_t *)values_of("l"), 7);
    cr_assert_eq(*(const int32_t *)values_of("small"), 200);
    lam_shredder_clear(shredder);
    EXPECT_REFUSAL(lam_put(&sink, field("i"), UINT32_C(0x80000000), &error),
                   "i: 2147483648 is beyond a type with a sign");
    EXPECT_REFUSAL(lam_put(&sink, field("l"), UINT64_MAX, &error),
                   "l: 18446744073709551615 is beyond a type with a sign");
    EXPECT_REFUSAL(lam_put(&sink, field("u"), UINT64_MAX, &error), "u: is INT32, not UINT64");
    EXPECT_REFUSAL(lam_put(&sink, field("l"), byte, &error), "l: is INT64, not UINT32");
    EXPECT_REFUSAL(lam_put(&sink, field("small"), word, &error),
                   "small: 60000 is outside of 0 to 255");
}

Test(typed_put, what_a_sink_can_see_it_refuses, .init = start, .fini = stop) {
    lam_value nothing = {.bytes = {NULL, 3}};
    lam_schema *other = lam_test_parse(SCHEMA);
    EXPECT_REFUSAL(lam_put_int32(&sink, lam_schema_find(other, "i"), 1, &error),
                   "i: field of another schema");
    lam_schema_destroy(other);
    EXPECT_REFUSAL(lam_put_string(&sink, field("s"), NULL, &error), "s: no text (NULL)");
    EXPECT_REFUSAL(lam_put_int32(&sink, field("tiny"), 128, &error),
                   "tiny: 128 is outside of -128 to 127");
    EXPECT_REFUSAL(lam_put_bytes(&sink, field("x"), "ab", 2, &error),
                   "x: value of 2 bytes where each has 3");
    EXPECT_REFUSAL(sink.put(sink.state, field("s"), nothing, &error),
                   "s: value of 3 bytes at NULL");
    EXPECT_REFUSAL(sink.put(sink.state, field("x"), nothing, &error),
                   "x: value of 3 bytes at NULL");
    sink = lam_shredder_sink(shredder); /* without the checker, too */
    EXPECT_REFUSAL(sink.put(sink.state, field("s"), nothing, &error),
                   "s: value of 3 bytes at NULL");
    EXPECT_REFUSAL(sink.put(sink.state, field("x"), nothing, &error),
                   "x: value of 3 bytes at NULL");
    EXPECT_REFUSAL(sink.put(sink.state, field("sensor"), nothing, &error),
                   "sensor: a value for a group");
}

static lam_status never_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf;
    (void)value;
    (void)error;
    *(bool *)state = true;
    return LAM_STATUS_OK;
}

Test(typed_put, a_sink_without_fail_is_not_called, .init = start, .fini = stop) {
    bool called = false;
    lam_record_sink own = {.state = &called, .put = never_put};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_put_double(&own, field("sensor.id"), 1, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "sensor.id: is INT64, not DOUBLE");
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_VALUE_TYPE);
    cr_assert_eq(error.column, 12);
    cr_assert_eq(lam_put_double(&own, NULL, 1, NULL), LAM_STATUS_INVALID);
    cr_assert_not(called);
    cr_assert_eq(lam_put_int64(&own, field("sensor.id"), 1, &error), LAM_STATUS_OK);
    cr_assert(called);
}
