/* SPDX-License-Identifier: Apache-2.0 */
/* Values of typed columns as VARIANT scalars, and which scalars fit which column. */
#include <lamella/record.h>

#include "variant/shred/variant_column.h"

#include "shred_trip.h"
#include "variant/random_variant.h"

/* The plan of a VARIANT with one typed leaf. */
typedef struct column {
    lam_schema *schema;
    lam_variant_plan plan;
} column;

static column open_column(const char *type) {
    column c;
    char text[256];
    lam_allocator allocator = lam_allocator_default();
    snprintf(text, sizeof text,
             "message m { optional group v (VARIANT) { required binary metadata; optional %s; } }",
             type);
    c.schema = schema_of(text);
    cr_assert_eq(
        lam_variant_plan_init(&c.plan, field_of(c.schema, "v"), LAM_VARIANT_READ, &allocator, NULL),
        LAM_STATUS_OK);
    return c;
}

static void close_column(column *c) {
    lam_variant_plan_finish(&c->plan);
    lam_schema_destroy(c->schema);
}

static void expect_bytes(const char *type, lam_value value, const char *hex) {
    column c = open_column(type);
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_buffer out;
    lam_bytes expected = hex_bytes(hex);
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_variant_from_column(&c.plan.nodes[0], value, &out, &error), LAM_STATUS_OK,
                 "%s: %s", type, error.message);
    cr_assert_eq(out.size, expected.size, "%s", type);
    cr_expect_arr_eq(out.data, expected.data, out.size, "%s", type);
    free((void *)(uintptr_t)expected.data);
    lam_buffer_finish(&out);
    close_column(&c);
}

static void expect_corrupt(const char *type, lam_value value, const char *message) {
    column c = open_column(type);
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_expect_eq(lam_variant_from_column(&c.plan.nodes[0], value, &out, &error), LAM_STATUS_CORRUPT,
                 "%s", type);
    cr_expect_str_eq(error.message, message, "%s", error.message);
    lam_buffer_finish(&out);
    close_column(&c);
}

static lam_value bytes_of(const char *hex) {
    static uint8_t room[64];
    lam_bytes bytes = hex_bytes(hex);
    lam_value value;
    memcpy(room, bytes.data, bytes.size);
    free((void *)(uintptr_t)bytes.data);
    value.bytes.data = room;
    value.bytes.size = bytes.size;
    return value;
}

Test(variant_column, values_have_the_kind_of_their_column) {
    expect_bytes("int64 typed_value", (lam_value){.int64 = 5}, "180500000000000000");
    expect_bytes("int32 typed_value", (lam_value){.int32 = 5}, "1405000000");
    expect_bytes("int32 typed_value (INTEGER(8,true))", (lam_value){.int32 = -5}, "0CFB");
    expect_bytes("boolean typed_value", (lam_value){.boolean = true}, "04");
    expect_bytes("binary typed_value (STRING)", bytes_of("6162"), "096162");
    expect_bytes("binary typed_value", bytes_of("FF"), "3C01000000FF");
    expect_bytes("fixed_len_byte_array(16) typed_value (UUID)",
                 bytes_of("000102030405060708090A0B0C0D0E0F"),
                 "50000102030405060708090A0B0C0D0E0F");
    expect_bytes("int32 typed_value (DECIMAL(9,2))", (lam_value){.int32 = -1}, "2002FFFFFFFF");
    expect_bytes("int64 typed_value (DECIMAL(18,3))", (lam_value){.int64 = 1},
                 "24030100000000000000");
    expect_bytes("binary typed_value (DECIMAL(38,3))", bytes_of("FF"),
                 "2803FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
    expect_bytes("binary typed_value (DECIMAL(38,3))",
                 bytes_of("000000000000000000000000000000000001"),
                 "280301000000000000000000000000000000");
    expect_bytes("binary typed_value (DECIMAL(38,3))", bytes_of("0080"),
                 "280380000000000000000000000000000000");
}

static void expect_fixed(const char *type, int64_t number, const char *hex) {
    column c = open_column(type);
    lam_variant_scalar scalar = {LAM_VARIANT_DECIMAL4, {0}};
    lam_bytes expected = hex_bytes(hex);
    uint8_t room[32];
    lam_value value;
    scalar.as.decimal = (lam_decimal){(uint64_t)number, number < 0 ? -1 : 0, 2};
    cr_assert(lam_variant_to_column(&c.plan.nodes[0], &scalar, room, &value), "%s", type);
    cr_assert_eq(value.bytes.size, expected.size, "%s", type);
    cr_expect_arr_eq(value.bytes.data, expected.data, expected.size, "%s", type);
    free((void *)(uintptr_t)expected.data);
    close_column(&c);
}

Test(variant_column, decimals_are_as_long_as_their_type_or_as_short_as_can_be) {
    expect_fixed("fixed_len_byte_array(20) typed_value (DECIMAL(38,2))", -2,
                 "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFE");
    expect_fixed("fixed_len_byte_array(20) typed_value (DECIMAL(38,2))", 258,
                 "0000000000000000000000000000000000000102");
    expect_fixed("fixed_len_byte_array(2) typed_value (DECIMAL(4,2))", -9999, "D8F1");
    expect_fixed("binary typed_value (DECIMAL(9,2))", -128, "80");
    expect_fixed("binary typed_value (DECIMAL(9,2))", 128, "0080");
    expect_fixed("binary typed_value (DECIMAL(9,2))", 0, "00");
}

/* A column of 9 digits that holds more: the number is kept, in the kind that has room for it. */
Test(variant_column, a_decimal_beyond_its_precision_takes_a_wider_kind) {
    expect_bytes("int32 typed_value (DECIMAL(9,2))", (lam_value){.int32 = 1000000000},
                 "240200CA9A3B00000000");
    expect_bytes("int64 typed_value (DECIMAL(18,0))", (lam_value){.int64 = INT64_MIN},
                 "28000000000000000080FFFFFFFFFFFFFFFF");
}

Test(variant_column, values_that_do_not_fit_their_column_are_corrupt) {
    static const char decimal[] =
        "v.typed_value: a decimal without bytes, or of more than 38 digits";
    expect_corrupt("int32 typed_value (INTEGER(8,true))", (lam_value){.int32 = 128},
                   "v.typed_value: 128 does not fit int8");
    expect_corrupt("binary typed_value (STRING)", bytes_of("61FF"),
                   "v.typed_value: byte 1 of 2 is not UTF-8");
    expect_corrupt("binary typed_value (DECIMAL(38,3))", bytes_of(""), decimal);
    expect_corrupt("binary typed_value (DECIMAL(38,3))",
                   bytes_of("0100000000000000000000000000000000"), decimal);
    expect_corrupt("binary typed_value (DECIMAL(38,3))",
                   bytes_of("00FF000000000000000000000000000000"), decimal);
    expect_corrupt("binary typed_value (DECIMAL(38,3))",
                   bytes_of("7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"), decimal);
    expect_corrupt("fixed_len_byte_array(16) typed_value (UUID)", bytes_of("00"),
                   "v.typed_value: a UUID of 1 bytes, not 16");
}

/* What goes into a column comes back as the same number, text or bytes. */
Test(variant_column, scalars_that_fit_come_back_equal) {
    static const char *const types[] = {"boolean typed_value",
                                        "int32 typed_value (INTEGER(16,true))",
                                        "int64 typed_value",
                                        "double typed_value",
                                        "float typed_value",
                                        "int32 typed_value (DECIMAL(9,1))",
                                        "int64 typed_value (DECIMAL(18,0))",
                                        "fixed_len_byte_array(13) typed_value (DECIMAL(30,2))",
                                        "binary typed_value (DECIMAL(38,0))",
                                        "int32 typed_value (DATE)",
                                        "int64 typed_value (TIME(MICROS,false))",
                                        "int64 typed_value (TIMESTAMP(NANOS,false))",
                                        "binary typed_value",
                                        "binary typed_value (STRING)",
                                        "fixed_len_byte_array(16) typed_value (UUID)"};
    lam_random random = lam_random_start(lam_test_seed(5));
    lam_allocator allocator = lam_allocator_default();
    lam_buffer before, after;
    lam_buffer_init(&before, &allocator);
    lam_buffer_init(&after, &allocator);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        column c = open_column(types[i]);
        size_t fitting = 0;
        for (unsigned round = 0; round < 4000; round++) {
            lam_variant_scalar scalar = lam_random_scalar(&random);
            uint8_t room[16];
            lam_value value;
            lam_error error = lam_error_none();
            if (!lam_variant_to_column(&c.plan.nodes[0], &scalar, room, &value))
                continue;
            fitting++;
            lam_variant_builder *builder;
            lam_variant original;
            cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_variant_builder_put(builder, &scalar, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_variant_builder_finish(builder, &original, NULL), LAM_STATUS_OK);
            lam_buffer_clear(&after);
            cr_assert_eq(lam_variant_from_column(&c.plan.nodes[0], value, &after, &error),
                         LAM_STATUS_OK, "%s", error.message);
            lam_variant back = {original.metadata, lam_buffer_bytes(&after)};
            cr_assert(lam_variant_equals(original, back), "%s", types[i]);
            lam_variant_builder_destroy(builder);
        }
        cr_expect_gt(fitting, 10, "%s: %zu", types[i], fitting);
        close_column(&c);
    }
    lam_buffer_finish(&before);
    lam_buffer_finish(&after);
}

/* As in a file that declares more digits than its type holds. */
Test(variant_column, a_decimal_that_fits_the_precision_alone_stays_a_value) {
    static const struct {
        const char *type;
        lam_decimal number;
        bool fits;
    } cases[] = {
        {"int32 typed_value (DECIMAL(9,0))", {INT32_MAX, 0, 0}, true},
        {"int32 typed_value (DECIMAL(9,0))", {(uint64_t)INT32_MAX + 1, 0, 0}, false},
        {"int32 typed_value (DECIMAL(9,0))", {5, 1, 0}, false},
        {"int64 typed_value (DECIMAL(18,0))", {INT64_MAX, 0, 0}, true},
        {"int64 typed_value (DECIMAL(18,0))", {UINT64_MAX, 0, 0}, false},
        {"fixed_len_byte_array(2) typed_value (DECIMAL(4,0))", {INT16_MAX, 0, 0}, true},
        {"fixed_len_byte_array(2) typed_value (DECIMAL(4,0))", {INT16_MAX + 1, 0, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        column c = open_column(cases[i].type);
        lam_field wide = *c.plan.nodes[0].typed;
        lam_variant_node_plan node = c.plan.nodes[0];
        lam_variant_scalar scalar = {LAM_VARIANT_DECIMAL16, {.decimal = cases[i].number}};
        uint8_t room[32];
        lam_value value;
        wide.logical_type.precision = 38;
        node.typed = &wide;
        cr_expect_eq(lam_variant_to_column(&node, &scalar, room, &value), cases[i].fits, "%zu", i);
        close_column(&c);
    }
}
