/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a leaf as values of another type, and those that it does not hold. */
#include "dataset/union/value_change.h"

#include <criterion/criterion.h>
#include <lamella/features.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

/* A value of one type, by its bytes in hex as an element holds them, and what it becomes. */
typedef struct change_case {
    const char *source, *target;
    const char *given; /* of a byte array its bytes */
    const char *made;  /* likewise; NULL: refused */
} change_case;

static size_t read_hex(const char *text, uint8_t *bytes) {
    size_t size = strlen(text) / 2;
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        cr_assert_eq(sscanf(text + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return size;
}

static lam_schema *leaf_schema(const char *type) {
    char text[200];
    snprintf(text, sizeof text, "message m { required %s; }", type);
    return lam_test_schema(text);
}

static bool holds_views(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY;
}

static void expect_made(const change_case *expected, const lam_field *leaf, const void *values) {
    uint8_t wanted[64];
    size_t size = read_hex(expected->made, wanted);
    lam_bytes got = {values, size};
    if (holds_views(leaf))
        got = *(const lam_bytes *)values;
    cr_expect(got.size == size && memcmp(got.data, wanted, size) == 0, "%s of %s to %s",
              expected->given, expected->source, expected->target);
}

/* `said` is how the message of one that is refused begins. */
static void expect_said(const change_case *expected, const char *said) {
    lam_schema *from = leaf_schema(expected->source), *to = leaf_schema(expected->target);
    const lam_allocator allocator = lam_allocator_default();
    const lam_field *source = lam_schema_leaf(from, 0), *target = lam_schema_leaf(to, 0);
    lam_value_change change = lam_value_change_of(source, target);
    _Alignas(8) uint8_t given[64];
    lam_bytes view = {given, read_hex(expected->given, given)};
    lam_error error = lam_error_none();
    lam_value_room room;
    const void *values;
    size_t position;
    lam_value_room_init(&room, &allocator);
    lam_status status =
        lam_values_change(&change, holds_views(source) ? (const void *)&view : given, 1, &room,
                          &values, &position, &error);
    cr_expect_eq(status, expected->made == NULL ? LAM_STATUS_INVALID : LAM_STATUS_OK,
                 "%s of %s to %s: %s", expected->given, expected->source, expected->target,
                 error.message);
    cr_expect(strncmp(error.message, said, strlen(said)) == 0, "%s", error.message);
    if (status == LAM_STATUS_OK && expected->made != NULL)
        expect_made(expected, target, values);
    lam_value_room_finish(&room);
    lam_schema_destroy(from);
    lam_schema_destroy(to);
}

static void expect_change(const change_case *expected) {
    expect_said(expected, "");
}

static void expect_changes(const change_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        expect_change(&cases[i]);
}

#define UINT8 "int32 a (INTEGER(8,false))"
#define UINT32 "int32 a (INTEGER(32,false))"
#define UINT64 "int64 a (INTEGER(64,false))"

Test(value_change, integers_keep_their_number) {
    static const change_case cases[] = {
        {"int32 a", "int64 a", "feffffff", "feffffffffffffff"},
        {UINT32, "int64 a", "feffffff", "feffffff00000000"},
        {UINT8, "int32 a (INTEGER(16,true))", "ff000000", "ff000000"},
        {UINT8, "int32 a (INTEGER(16,true))", "ffffffff", NULL},
        {UINT8, "int32 a (INTEGER(16,false))", "ffffffff", "ffffffff"},
    };
    expect_changes(cases, sizeof cases / sizeof *cases);
}

Test(value_change, a_double_holds_what_leads_back_to_the_number) {
    static const change_case cases[] = {
        {"int32 a", "double a", "ffffffff", "000000000000f0bf"},
        {UINT32, "double a", "ffffffff", "0000e0ffffffef41"},
        {"int64 a", "double a", "0000000000002000", "0000000000004043"},
        {"int64 a", "double a", "0100000000002000", NULL},
        {"int64 a", "double a", "0000000000000080", "000000000000e0c3"},
        {UINT64, "double a", "0000000000000080", "000000000000e043"},
        {UINT64, "double a", "ffffffffffffffff", NULL},
        {"int32 a (DECIMAL(9,0))", "double a", "07000000", "0000000000001c40"},
        {"int64 a (DECIMAL(18,0))", "double a", "0100000000002000", NULL},
        {"fixed_len_byte_array(9) a (DECIMAL(20,0))", "double a", "ffffffffffffffffff",
         "000000000000f0bf"},
        {"float a", "double a", "cdcccc3d", "000000a09999b93f"},
        {"fixed_len_byte_array(2) a (FLOAT16)", "float a", "003c", "0000803f"},
        {"fixed_len_byte_array(2) a (FLOAT16)", "double a", "00fc", "000000000000f0ff"},
        {"fixed_len_byte_array(2) a (FLOAT16)", "float a", "0080", "00000080"},
    };
    expect_changes(cases, sizeof cases / sizeof *cases);
}

/* It was "a value". */
Test(value_change, a_decimal_that_no_double_keeps_is_named) {
    static const change_case cases[] = {
        {"int64 a (DECIMAL(18,0))", "double a", "0100000000002000", NULL},
        {"fixed_len_byte_array(9) a (DECIMAL(20,0))", "double a", "00ffffffffffffffff", NULL}};
    expect_said(&cases[0], "9007199254740993 is not a double");
    expect_said(&cases[1], "18446744073709551615 is not a double");
}

Test(value_change, decimals_get_zeros_and_lose_no_digit) {
#define WIDE "fixed_len_byte_array(10) a (DECIMAL(22,2))"
    static const change_case cases[] = {
        {"int32 a (DECIMAL(9,2))", "int64 a (DECIMAL(18,2))", "9cffffff", "9cffffffffffffff"},
        {"int32 a (DECIMAL(9,2))", "int64 a (DECIMAL(11,4))", "01000000", "6400000000000000"},
        {"binary a (DECIMAL(9,2))", "int32 a (DECIMAL(9,2))", "ff9c", "9cffffff"},
        {"binary a (DECIMAL(9,2))", "int32 a (DECIMAL(9,2))",
         "ffffffffffffffffffffffffffffffffff9c", "9cffffff"},
        {"binary a (DECIMAL(9,2))", "int32 a (DECIMAL(9,2))", "", "00000000"},
        {"binary a (DECIMAL(9,2))", "int32 a (DECIMAL(9,2))", "3b9aca00", NULL},
        {"binary a (DECIMAL(9,2))", "int32 a (DECIMAL(9,2))",
         "0000010000000000000000000000000000000000", NULL},
        {"int64 a", WIDE, "ffffffffffffff7f", "0031ffffffffffffff9c"},
        {UINT64, WIDE, "ffffffffffffffff", "0063ffffffffffffff9c"},
        {"int32 a", WIDE, "ffffffff", "ffffffffffffffffff9c"},
        {UINT64, "fixed_len_byte_array(9) a (DECIMAL(20,0))", "ffffffffffffffff",
         "00ffffffffffffffff"},
    };
    expect_changes(cases, sizeof cases / sizeof *cases);
}

Test(value_change, times_have_the_finer_unit_or_are_refused) {
#define MILLIS "int64 a (TIMESTAMP(MILLIS,false))"
#define MICROS "int64 a (TIMESTAMP(MICROS,false))"
#define NANOS "int64 a (TIMESTAMP(NANOS,false))"
#define WIDE_NANOS "fixed_len_byte_array(12) a (TIMESTAMP(NANOS,false))"
    static const change_case cases[] = {
        {"int32 a (DATE)", MILLIS, "01000000", "005c260500000000"},
        {"int32 a (DATE)", NANOS, "ffffffff", "0000b16e6bb1ffff"},
        {"int32 a (DATE)", NANOS, "ffffff7f", NULL},
        {MICROS, NANOS, "ffffffffffffffff", "18fcffffffffffff"},
        {MICROS, NANOS, "ffffffffffffff7f", NULL},
        {MICROS, WIDE_NANOS, "ffffffffffffff7f", "18fcfffffffffffff3010000"},
        {WIDE_NANOS, "fixed_len_byte_array(12) a (TIMESTAMP(NANOS,false))",
         "000000000000000000000001", "000000000000000000000001"},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,false))", WIDE_NANOS,
         "ffffffffffffffffffffff7f", NULL},
        {"int96 a", NANOS, "01000000000000008c3d2500", "0100000000000000"},
        {"int96 a", NANOS, "0000000000000000ffffff7f", NULL},
        {"int32 a (TIME(MILLIS,true))", "int64 a (TIME(MICROS,true))", "01000000",
         "e803000000000000"},
        {"int64 a (TIME(MICROS,false))", "int64 a (TIME(NANOS,false))", "ffffffffffffff7f", NULL},
    };
    expect_changes(cases, sizeof cases / sizeof *cases);
}

Test(value_change, bytes_and_texts_stay_bytes) {
    static const change_case cases[] = {
        {"fixed_len_byte_array(3) a", "binary a", "010203", "010203"},
        {"binary a (BSON)", "binary a", "0102", "0102"},
        {"binary a (ENUM)", "binary a (STRING)", "6162", "6162"},
        {"binary a (JSON)", "binary a (STRING)", "7b7d", "7b7d"},
    };
    expect_changes(cases, sizeof cases / sizeof *cases);
}

Test(value_change, what_is_unknown_has_no_value) {
    static const change_case cases[] = {{"int32 a (UNKNOWN)", "int64 a", "01000000", NULL}};
    expect_changes(cases, 1);
}

#ifdef LAM_HAVE_JSON

Test(value_change, what_becomes_a_string_is_the_text_that_json_has) {
#define TEXT "binary a (STRING)"
    static const change_case cases[] = {
        {"int32 a (DATE)", TEXT, "01000000", "313937302d30312d3032"},
        {"int64 a (TIMESTAMP(MILLIS,true))", TEXT, "0000000000000000",
         "313937302d30312d30315430303a30303a30302e3030305a"},
        {"fixed_len_byte_array(16) a (UUID)", TEXT, "00112233445566778899aabbccddeeff",
         "30303131323233332d343435352d363637372d383839392d616162626363646465656666"},
        {"int64 a", TEXT, "ffffffffffffffff", "2d31"},
        {"boolean a", TEXT, "01", "74727565"},
        {"double a", TEXT, "000000000000f87f", "4e614e"},
        {"binary a", TEXT, "ff", "2f773d3d"},
    };
    expect_changes(cases, sizeof cases / sizeof *cases);
}

#endif

/* --- VARIANTs ------------------------------------------------------------------------------ */

/* The `value` of a VARIANT that a value becomes, in hex. */
static void expect_variant(const char *type, const char *given_hex, const char *made) {
    lam_schema *from = leaf_schema(type);
    lam_schema *to = lam_test_schema("message m { required group v (VARIANT(1)) {"
                                     " required binary metadata; required binary value; } }");
    const lam_allocator allocator = lam_allocator_default();
    const lam_field *source = lam_schema_leaf(from, 0);
    const change_case expected = {type, "a VARIANT", given_hex, made};
    _Alignas(8) uint8_t given[64];
    lam_bytes view = {given, read_hex(given_hex, given)};
    lam_value_room room;
    const void *values;
    size_t position;
    lam_value_room_init(&room, &allocator);
    for (size_t i = 0; i < 2; i++) {
        lam_value_change change = lam_value_change_to_variant(source, lam_schema_leaf(to, i));
        cr_assert_eq(lam_values_change(&change, holds_views(source) ? (const void *)&view : given,
                                       1, &room, &values, &position, NULL),
                     LAM_STATUS_OK, "%s", type);
        const change_case metadata = {type, "a VARIANT", given_hex, "110000"};
        expect_made(i == 0 ? &metadata : &expected, lam_schema_leaf(to, i), values);
    }
    lam_value_room_finish(&room);
    lam_schema_destroy(from);
    lam_schema_destroy(to);
}

Test(value_change, a_variant_keeps_the_kind_of_a_value) {
    expect_variant("int64 a", "0700000000000000", "180700000000000000");
    expect_variant("boolean a", "01", "04");
    expect_variant("binary a (STRING)", "61", "0561");
    expect_variant("binary a (ENUM)", "61", "0561");
    expect_variant("binary a", "61", "3c0100000061");
    expect_variant("binary a (BSON)", "61", "3c0100000061");
    expect_variant("int32 a (DATE)", "01000000", "2c01000000");
    expect_variant("int32 a (DECIMAL(9,2))", "9cffffff", "20029cffffff");
    expect_variant(UINT8, "ff000000", "10ff00");
    expect_variant(UINT64, "ffffffffffffffff", "2800ffffffffffffffff0000000000000000");
    expect_variant("fixed_len_byte_array(2) a (FLOAT16)", "003c", "380000803f");
    expect_variant("int32 a (TIME(MILLIS,false))", "01000000", "44e803000000000000");
    expect_variant("int64 a (TIMESTAMP(MILLIS,true))", "0100000000000000", "30e803000000000000");
    expect_variant("int64 a (TIMESTAMP(MILLIS,false))", "0100000000000000", "34e803000000000000");
    expect_variant("int96 a", "01000000000000008c3d2500", "4c0100000000000000");
}

#ifdef LAM_HAVE_JSON

/* What has no kind in a VARIANT, or does not fit one, is a string. */
Test(value_change, values_without_a_kind_are_the_text_of_their_json) {
    expect_variant("int64 a (TIME(NANOS,false))", "0100000000000000",
                   "4930303a30303a30302e303030303030303031");
    expect_variant("int64 a (TIMESTAMP(MILLIS,true))", "ffffffffffffff7f",
                   "792b3239323237383939342d30382d31375430373a31323a35352e3830375a");
}

#endif

/* --- Memory -------------------------------------------------------------------------------- */

Test(value_change, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    static const char *const targets[] = {"double a", "fixed_len_byte_array(10) a (DECIMAL(22,2))"};
    for (size_t k = 0; k < 2; k++) {
        lam_schema *from = leaf_schema("int64 a"), *to = leaf_schema(targets[k]);
        lam_value_change change =
            lam_value_change_of(lam_schema_leaf(from, 0), lam_schema_leaf(to, 0));
        const int64_t numbers[] = {1, INT64_MIN};
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_value_room room;
            const void *values;
            size_t position;
            lam_value_room_init(&room, &allocator);
            status = lam_values_change(&change, numbers, 2, &room, &values, &position, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            lam_value_room_finish(&room);
            cr_assert_eq(failing.live_bytes, 0, "request %zu", nth);
        }
        lam_schema_destroy(from);
        lam_schema_destroy(to);
    }
}
