/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANT values are built field by field: as narrow as they can be, names sorted and shared,
 * mistakes refused without a trace.
 */
#include <math.h>

#include "variant/value/variant_builder.h"

#include "build_help.h"

/* VariantEncoding.md: {"c": 3, "b": 2, "a": 1} has the ids of "a", "b", "c" in this order. */
Test(variant_build, fields_stand_in_the_order_of_their_names) {
    lam_variant_builder *builder = new_builder(false);
    expect_built(builder, "{c: 3, b: 2, a: 1}", "11 03 00 01 02 03 61 62 63",
                 "02 03 00 01 02 00 02 04 06 0C01 0C02 0C03");
    lam_variant_builder_destroy(builder);
}

Test(variant_build, objects_and_arrays_nest_in_one_pass) {
    lam_variant_builder *builder = new_builder(false);
    expect_built(builder, "[{b: [true], a: {}}, null]", "11 02 00 01 02 61 62",
                 "03 02 00 0F 10  02 02 00 01 00 03 08  020000  03 01 00 01 04  00");
    lam_variant_builder_destroy(builder);
}

static void expect_scalar(const lam_variant_scalar *scalar, const char *value) {
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_builder_put(builder, scalar, &error), LAM_STATUS_OK, "%s: %s", value,
                 error.message);
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, "01 00 00", value);
    lam_variant_builder_destroy(builder);
}

#define SCALAR(kind_, member, ...)                                                                 \
    (&(lam_variant_scalar){LAM_VARIANT_##kind_, {.member = __VA_ARGS__}})

Test(variant_build, scalars_have_the_bytes_of_their_kind) {
    static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    lam_bytes three = {bytes, 3}, sixteen = {bytes, 16};
    expect_scalar(SCALAR(NULL, boolean, false), "00");
    expect_scalar(SCALAR(BOOLEAN, boolean, true), "04");
    expect_scalar(SCALAR(BOOLEAN, boolean, false), "08");
    expect_scalar(SCALAR(INT8, integer, -2), "0CFE");
    expect_scalar(SCALAR(INT16, integer, 1234), "10D204");
    expect_scalar(SCALAR(INT32, integer, 5), "1405000000");
    expect_scalar(SCALAR(INT64, integer, -1), "18FFFFFFFFFFFFFFFF");
    expect_scalar(SCALAR(FLOAT, float32, 1.0f), "380000803F");
    expect_scalar(SCALAR(DOUBLE, float64, -0.0), "1C0000000000000080");
    expect_scalar(SCALAR(DECIMAL4, decimal, {1234, 0, 2}), "2002D2040000");
    expect_scalar(SCALAR(DECIMAL8, decimal, {UINT64_MAX, -1, 38}), "2426FFFFFFFFFFFFFFFF");
    expect_scalar(SCALAR(DECIMAL16, decimal, {1, 2, 0}), "280001000000000000000200000000000000");
    expect_scalar(SCALAR(DATE, integer, 20194), "2CE24E0000");
    expect_scalar(SCALAR(TIME, integer, 45234123456), "44C0F229880A000000");
    expect_scalar(SCALAR(TIMESTAMP, integer, 1), "300100000000000000");
    expect_scalar(SCALAR(TIMESTAMP_NTZ, integer, 1), "340100000000000000");
    expect_scalar(SCALAR(TIMESTAMP_NANOS, integer, 1), "480100000000000000");
    expect_scalar(SCALAR(TIMESTAMP_NTZ_NANOS, integer, 1), "4C0100000000000000");
    expect_scalar(SCALAR(BINARY, bytes, three), "3C03000000010203");
    expect_scalar(SCALAR(STRING, bytes, three), "0D010203");
    expect_scalar(SCALAR(UUID, bytes, sixteen), "500102030405060708090A0B0C0D0E0F10");
}

static void expect_refused(const lam_variant_scalar *scalar, const char *message) {
    lam_variant_builder *builder = new_builder(false);
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_builder_put(builder, scalar, &error), LAM_STATUS_INVALID, "%s",
                 message);
    cr_expect_str_eq(error.message, message, "%s", error.message);
    lam_variant_builder_destroy(builder);
}

Test(variant_build, scalars_that_do_not_fit_their_kind_are_refused) {
    lam_bytes text = {(const uint8_t *)"a\xFF", 2};
    expect_refused(SCALAR(INT8, integer, 128), "variant: 128 does not fit int8");
    expect_refused(SCALAR(INT16, integer, -32769), "variant: -32769 does not fit int16");
    expect_refused(SCALAR(INT32, integer, INT64_C(1) << 31),
                   "variant: 2147483648 does not fit int32");
    expect_refused(SCALAR(DATE, integer, INT64_C(1) << 40),
                   "variant: 1099511627776 does not fit date");
    expect_refused(SCALAR(DECIMAL4, decimal, {1000000000, 0, 0}),
                   "variant: a decimal of 10 digits as decimal4");
    expect_refused(SCALAR(DECIMAL16, decimal, {0, INT64_MAX, 0}),
                   "variant: a decimal of 39 digits as decimal16");
    expect_refused(SCALAR(DECIMAL16, decimal, {0, 0, 39}),
                   "variant: a decimal of scale 39, above 38");
    expect_refused(SCALAR(STRING, bytes, text), "variant: byte 1 of a string of 2 is not UTF-8");
    expect_refused(SCALAR(UUID, bytes, text), "variant: a UUID of 2 bytes, not 16");
    expect_refused(SCALAR(OBJECT, boolean, false), "variant: object is not a kind of scalar");
    expect_refused(SCALAR(UNKNOWN, boolean, false), "variant: unknown is not a kind of scalar");
}

Test(variant_build, integers_and_decimals_take_the_smallest_kind) {
    static const struct {
        int64_t number;
        lam_variant_kind kind;
    } integers[] = {{0, LAM_VARIANT_INT8},          {127, LAM_VARIANT_INT8},
                    {-128, LAM_VARIANT_INT8},       {128, LAM_VARIANT_INT16},
                    {-129, LAM_VARIANT_INT16},      {32768, LAM_VARIANT_INT32},
                    {INT32_MIN, LAM_VARIANT_INT32}, {INT64_C(2147483648), LAM_VARIANT_INT64},
                    {INT64_MIN, LAM_VARIANT_INT64}};
    static const struct {
        lam_decimal decimal;
        lam_variant_kind kind;
    } decimals[] = {{{999999999, 0, 3}, LAM_VARIANT_DECIMAL4},
                    {{1000000000, 0, 3}, LAM_VARIANT_DECIMAL8},
                    {{0 - UINT64_C(999999999), -1, 3}, LAM_VARIANT_DECIMAL4},
                    {{UINT64_C(999999999999999999), 0, 0}, LAM_VARIANT_DECIMAL8},
                    {{UINT64_C(1000000000000000000), 0, 0}, LAM_VARIANT_DECIMAL16}};
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        OK(lam_variant_builder_put_integer(builder, integers[i].number, NULL));
        OK(lam_variant_builder_finish(builder, &variant, NULL));
        cr_expect_eq(lam_variant_kind_of(variant), integers[i].kind, "%zu", i);
    }
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        OK(lam_variant_builder_put_decimal(builder, decimals[i].decimal, NULL));
        OK(lam_variant_builder_finish(builder, &variant, NULL));
        cr_expect_eq(lam_variant_kind_of(variant), decimals[i].kind, "%zu", i);
    }
    lam_decimal wide = {0, INT64_MIN, 0};
    cr_expect_eq(lam_variant_builder_put_decimal(builder, wide, NULL), LAM_STATUS_INVALID);
    lam_variant_builder_destroy(builder);
}

Test(variant_build, strings_are_short_up_to_63_bytes) {
    lam_variant_builder *builder = new_builder(false);
    static const struct {
        size_t size;
        uint8_t first;
        size_t built;
    } cases[] = {{63, 0xFD, 64}, {64, 0x40, 69}, {0, 0x01, 1}};
    char text[64];
    lam_variant variant;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < 3; i++) {
        const size_t size = cases[i].size;
        OK(lam_variant_builder_put_string(builder, size == 0 ? NULL : text, size, NULL));
        OK(lam_variant_builder_finish(builder, &variant, NULL));
        cr_expect_eq(variant.value.size, cases[i].built, "of %zu bytes", size);
        cr_expect_eq(variant.value.data[0], cases[i].first, "of %zu bytes", size);
    }
    lam_variant_builder_destroy(builder);
}

/* --- Names that come twice ------------------------------------------------------------------ */

/* The value is told, but cannot end. */
static void expect_twice(lam_variant_builder *builder, const char *text, const char *message) {
    lam_variant variant;
    lam_error error = lam_error_none();
    put_value(builder, text);
    cr_expect_eq(lam_variant_builder_finish(builder, &variant, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, message);
}

Test(variant_build, a_field_that_comes_twice_is_refused) {
    lam_variant_builder *builder = new_builder(false);
    /* The second "a" is one of another object. */
    expect_twice(builder, "{a: 1, b: {a: 1}, a: 2}", "the name \"a\" appears twice in its object");
    expect_built(builder, "null", "01 00 00", "00");
    lam_variant_builder_destroy(builder);
}

Test(variant_build, a_long_name_that_comes_twice_is_cut_in_the_message) {
    lam_variant_builder *builder = new_builder(false);
    char name[101] = "", text[300], wanted[200];
    memset(name, 'n', sizeof name - 1);
    snprintf(text, sizeof text, "{%s: 1, %s: 2}", name, name);
    snprintf(wanted, sizeof wanted, "the name \"%.80s\" appears twice in its object", name);
    expect_twice(builder, text, wanted);
    lam_variant_builder_destroy(builder);
}

Test(variant_build, the_last_of_two_fields_wins_on_request) {
    lam_variant_builder *builder = new_builder(true);
    /* A whole object is replaced. */
    expect_built(builder, "{a: 1, b: {c: [[]]}, a: 2, b: 3, a: 4}", "11 03 00 01 02 03 61 62 63",
                 "02 02 00 01 00 02 04 0C04 0C03");
    lam_variant_builder_destroy(builder);
}

/* --- Calls out of order --------------------------------------------------------------------- */

Test(variant_build, calls_out_of_order_are_refused_and_change_nothing) {
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant;
    cr_expect_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_variant_builder_field(builder, "a", 1, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_variant_builder_end_array(builder, NULL), LAM_STATUS_STATE);
    OK(lam_variant_builder_begin_object(builder, NULL));
    cr_expect_eq(lam_variant_builder_put_null(builder, NULL), LAM_STATUS_STATE);
    lam_bytes text = {(const uint8_t *)"x", 1};
    cr_expect_eq(lam_variant_builder_put_text(builder, text, NULL), LAM_STATUS_STATE);
    lam_variant null = hex_variant("010000", "00");
    cr_expect_eq(lam_variant_builder_copy(builder, null, NULL), LAM_STATUS_STATE);
    free_variant(null);
    cr_expect_eq(lam_variant_builder_begin_array(builder, NULL), LAM_STATUS_STATE);
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_builder_end_array(builder, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "variant: no array is open that could end");
    OK(lam_variant_builder_field(builder, "a", 1, NULL));
    cr_expect_eq(lam_variant_builder_field(builder, "b", 1, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_variant_builder_end_object(builder, NULL), LAM_STATUS_STATE);
    OK(lam_variant_builder_put_null(builder, NULL));
    OK(lam_variant_builder_end_object(builder, NULL));
    cr_expect_eq(lam_variant_builder_put_null(builder, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_variant_builder_begin_object(builder, NULL), LAM_STATUS_STATE);
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, "11 01 00 01 61", "02 01 00 00 01 00");
    OK(lam_variant_builder_begin_array(builder, NULL));
    cr_expect_eq(lam_variant_builder_end_object(builder, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "variant: no object is open that could end");
    cr_expect_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_STATE);
    OK(lam_variant_builder_put_null(builder, NULL)); /* the array was dropped */
    lam_variant_builder_clear(builder);
    expect_built(builder, "true", "01 00 00", "04");
    lam_variant_builder_destroy(builder);
}

Test(variant_build, options_of_another_size_are_refused) {
    lam_variant_builder_options options = {0};
    lam_variant_builder *builder;
    cr_expect_eq(lam_variant_builder_create(&options, NULL, &builder, NULL), LAM_STATUS_INVALID);
}

Test(variant_build, names_are_utf8_and_may_be_empty) {
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant;
    OK(lam_variant_builder_begin_object(builder, NULL));
    cr_expect_eq(lam_variant_builder_field(builder, "\xFF", 1, NULL), LAM_STATUS_INVALID);
    OK(lam_variant_builder_field(builder, NULL, 0, NULL));
    OK(lam_variant_builder_put_null(builder, NULL));
    OK(lam_variant_builder_end_object(builder, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, "11 01 00 00", "02 01 00 00 01 00");
    lam_variant_builder_destroy(builder);
}

/* --- Widths --------------------------------------------------------------------------------- */

static lam_variant wide_object(lam_variant_builder *builder, unsigned count) {
    lam_variant variant;
    char name[16];
    OK(lam_variant_builder_begin_object(builder, NULL));
    for (unsigned i = count; i > 0; i--) {
        snprintf(name, sizeof name, "%u", i);
        tell_field(builder, name, i);
    }
    OK(lam_variant_builder_end_object(builder, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    return variant;
}

Test(variant_build, ids_offsets_and_counts_are_as_narrow_as_they_can_be) {
    static const struct {
        unsigned count;
        uint8_t header;
        uint8_t metadata; /* its header */
    } cases[] = {{1, 0x02, 0x11},   {100, 0x02, 0x11}, {128, 0x06, 0x51},  {255, 0x06, 0x51},
                 {256, 0x46, 0x51}, {257, 0x56, 0x51}, {30000, 0x5A, 0x91}};
    lam_variant_builder *builder = new_builder(false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_variant variant = wide_object(builder, cases[i].count), value;
        lam_error error = lam_error_none();
        lam_variant_scalar number;
        char name[16];
        cr_expect_eq(variant.value.data[0], cases[i].header, "%u: %02X", cases[i].count,
                     variant.value.data[0]);
        cr_expect_eq(variant.metadata.data[0], cases[i].metadata, "%u: %02X", cases[i].count,
                     variant.metadata.data[0]);
        cr_expect_eq(lam_variant_validate(variant, 0, &error), LAM_STATUS_OK, "%s", error.message);
        for (unsigned k = 1; k <= cases[i].count; k += 13) {
            snprintf(name, sizeof name, "%u", k);
            OK(lam_variant_field(variant, name, strlen(name), &value, NULL));
            OK(lam_variant_get(value, &number, NULL));
            cr_expect_eq(number.as.integer, k);
        }
    }
    lam_variant_builder_destroy(builder);
}

/* More names than are kept from value to value: they are forgotten, and all that was by number. */
Test(variant_build, values_are_right_after_one_with_very_many_names) {
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant, part;
    for (unsigned round = 0; round < 2; round++) {
        expect_built(builder, "{b: 3, a: 4}", "11 02 00 01 02 61 62",
                     "02 02 00 01 00 02 04 0C04 0C03");
        OK(lam_variant_validate(wide_object(builder, 70000), 0, NULL));
    }
    char *name = calloc(1, (5 << 20) + 1); /* one of many bytes is forgotten, too */
    cr_assert_not_null(name);
    OK(lam_variant_builder_begin_object(builder, NULL));
    tell_field(builder, memset(name, 'x', 5 << 20), 1);
    OK(lam_variant_builder_end_object(builder, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    cr_expect_eq(lam_variant_field(variant, name, 5 << 20, &part, NULL), LAM_STATUS_OK);
    free(name);
    expect_hex(wide_object(builder, 1), "11 01 00 01 31", "02 01 00 00 02 0C01");
    lam_variant_builder_destroy(builder);
}

Test(variant_build, nesting_ends_at_the_limit) {
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant;
    for (unsigned i = 0; i < LAM_VARIANT_DEPTH_MAX; i++)
        OK(lam_variant_builder_begin_array(builder, NULL));
    cr_expect_eq(lam_variant_builder_begin_array(builder, NULL), LAM_STATUS_LIMIT);
    OK(lam_variant_builder_put_null(builder, NULL));
    for (unsigned i = 0; i < LAM_VARIANT_DEPTH_MAX; i++)
        OK(lam_variant_builder_end_array(builder, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    OK(lam_variant_validate(variant, 0, NULL));
    lam_variant_builder *other = new_builder(false);
    OK(lam_variant_builder_copy(other, variant, NULL));
    OK(lam_variant_builder_finish(other, &variant, NULL));
    OK(lam_variant_builder_begin_array(builder, NULL));
    OK(lam_variant_builder_put_boolean(builder, true, NULL));
    cr_expect_eq(lam_variant_builder_copy(builder, variant, NULL), LAM_STATUS_LIMIT);
    OK(lam_variant_builder_put_boolean(builder, false, NULL)); /* as if nothing had been tried */
    OK(lam_variant_builder_end_array(builder, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, "01 00 00", "03 02 00 01 02 04 08");
    lam_variant_builder_destroy(builder);
    lam_variant_builder_destroy(other);
}

/* --- Copies --------------------------------------------------------------------------------- */

Test(variant_build, the_samples_copy_to_equal_values) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    lam_variant_builder *builder = new_builder(false);
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        lam_variant variant = sample(sample_names[i]), copy;
        OK(lam_variant_builder_copy(builder, variant, NULL));
        OK(lam_variant_builder_finish(builder, &copy, NULL));
        OK(lam_variant_validate(copy, 0, NULL));
        cr_expect(lam_variant_equals(variant, copy), "%s", sample_names[i]);
        cr_expect_leq(copy.value.size, variant.value.size, "%s", sample_names[i]);
        free_variant(variant);
    }
    lam_variant_builder_destroy(builder);
}

Test(variant_build, parts_of_several_values_become_one_value) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    lam_variant nested = sample("object_nested"), array = sample("array_nested"), part, whole;
    lam_variant_builder *builder = new_builder(false);
    OK(lam_variant_builder_begin_object(builder, NULL));
    OK(lam_variant_builder_field(builder, "names", 5, NULL));
    OK(lam_variant_builder_copy(builder, array, NULL));
    OK(lam_variant_field(nested, "observation", 11, &part, NULL));
    OK(lam_variant_builder_field(builder, "zone", 4, NULL));
    OK(lam_variant_builder_copy(builder, part, NULL));
    OK(lam_variant_builder_end_object(builder, NULL));
    OK(lam_variant_builder_finish(builder, &whole, NULL));
    OK(lam_variant_validate(whole, 0, NULL));
    lam_variant found;
    OK(lam_variant_field(whole, "zone", 4, &found, NULL));
    cr_expect(lam_variant_equals(found, part));
    OK(lam_variant_field(whole, "names", 5, &found, NULL));
    cr_expect(lam_variant_equals(found, array));
    free_variant(nested);
    free_variant(array);
    lam_variant_builder_destroy(builder);
}

Test(variant_build, a_copy_of_what_is_not_well_formed_changes_nothing) {
    static const char *const pairs[][2] = {
        {"", "00"},
        {"010000", "0C"},
        {"01 01 00 01 FF", "02 01 00 00 01 00"},                /* a name that is not UTF-8 */
        {"01 02 00 01 02 61 FF", "02 02 00 01 00 01 02 00 00"}, /* the second one */
        {"01 02 00 05 02 61 62", "02 02 00 01 00 01 02 00 00"},
        {"01 02 00 01 09 61 62", "02 02 00 01 00 01 02 00 00"},
        {"01 02 02 01 02 61 62",
         "02 02 00 01 00 01 02 00 00"}, /* the first one ends before it begins */
        {"010000", "03 02 00 00 01 00"},
        {"01 01 05 01 61", "02 01 00 00 01 00"}, /* one field, whose name begins behind its end */
        {"01 01 00 09 61", "02 01 00 00 01 00"},
        {"11 02 00 01 02 61 61", "02 02 00 01 00 01 02 00 00"}, /* said to be sorted */
    };
    lam_variant_builder *builder = new_builder(false);
    lam_variant variant;
    OK(lam_variant_builder_begin_array(builder, NULL));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        lam_error error = lam_error_none();
        lam_variant bad = hex_variant(pairs[i][0], pairs[i][1]);
        cr_expect_eq(lam_variant_builder_copy(builder, bad, &error), LAM_STATUS_CORRUPT, "%zu", i);
        cr_expect_eq(error.status, LAM_STATUS_CORRUPT, "%zu", i);
        free_variant(bad);
    }
    /* Names that were used before the failure are as good as new, and a field waits for a value. */
    lam_variant bad = hex_variant(pairs[3][0], pairs[3][1]);
    OK(lam_variant_builder_begin_object(builder, NULL));
    tell_field(builder, "b", 1);
    OK(lam_variant_builder_field(builder, "a", 1, NULL));
    cr_expect_eq(lam_variant_builder_copy(builder, bad, NULL), LAM_STATUS_CORRUPT);
    /* Metadata of a later version was CORRUPT, where lam_variant_validate says UNSUPPORTED. */
    const lam_variant later = {{(const uint8_t *)"\x02\0\0", 3}, bad.value};
    cr_expect_eq(lam_variant_builder_copy(builder, later, NULL), LAM_STATUS_UNSUPPORTED);
    OK(lam_variant_builder_put_integer(builder, 2, NULL));
    free_variant(bad);
    OK(lam_variant_builder_end_object(builder, NULL));
    OK(lam_variant_builder_end_array(builder, NULL));
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, "11 02 00 01 02 61 62", "03 01 00 0B 02 02 00 01 00 02 04 0C02 0C01");
    lam_variant_builder_destroy(builder);
}
