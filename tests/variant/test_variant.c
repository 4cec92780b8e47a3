/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views of VARIANT values: the samples of the format, bytes made by hand, and what does not hold
 * together.
 */
#include <lamella/variant.h>

#include "support/texts.h"
#include "variant/value/variant_layout.h"
#include "variant_help.h"

/* --- The samples of the format -------------------------------------------------------------- */

static lam_variant_scalar scalar_of(const char *name) {
    lam_variant variant = sample(name);
    lam_variant_scalar scalar;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_get(variant, &scalar, &error), LAM_STATUS_OK, "%s: %s", name,
                 error.message);
    if (scalar.kind == LAM_VARIANT_BINARY || scalar.kind == LAM_VARIANT_STRING ||
        scalar.kind == LAM_VARIANT_UUID) {
        static uint8_t kept[512];
        cr_assert_leq(scalar.as.bytes.size, sizeof kept);
        memcpy(kept, scalar.as.bytes.data, scalar.as.bytes.size);
        scalar.as.bytes.data = kept;
    }
    free_variant(variant);
    return scalar;
}

static void expect_integer(const char *name, lam_variant_kind kind, int64_t expected) {
    lam_variant_scalar scalar = scalar_of(name);
    cr_expect_eq(scalar.kind, kind, "%s is %s", name, lam_variant_kind_name(scalar.kind));
    cr_expect_eq(scalar.as.integer, expected, "%s: %lld", name, (long long)scalar.as.integer);
}

static void expect_bytes(const char *name, lam_variant_kind kind, const void *bytes, size_t size) {
    lam_variant_scalar scalar = scalar_of(name);
    cr_expect_eq(scalar.kind, kind, "%s", name);
    cr_assert_eq(scalar.as.bytes.size, size, "%s", name);
    cr_expect_arr_eq(scalar.as.bytes.data, bytes, size, "%s", name);
}

static void expect_decimal(const char *name, lam_variant_kind kind, int64_t unscaled, int scale) {
    lam_variant_scalar scalar = scalar_of(name);
    cr_expect_eq(scalar.kind, kind, "%s", name);
    cr_expect_eq(scalar.as.decimal.low, (uint64_t)unscaled, "%s", name);
    cr_expect_eq(scalar.as.decimal.high, unscaled < 0 ? -1 : 0, "%s", name);
    cr_expect_eq(scalar.as.decimal.scale, scale, "%s", name);
}

Test(variant, every_primitive_of_the_samples_has_its_kind_and_value) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    static const char text[] =
        "This string is longer than 64 bytes and therefore does not fit in a short_string and it "
        "also includes several non ascii characters such as \xF0\x9F\x90\xA2, \xF0\x9F\x92\x96, "
        "\xE2\x99\xA5\xEF\xB8\x8F, \xF0\x9F\x8E\xA3 and \xF0\x9F\xA4\xA6!!";
    static const char short_text[] = "Less than 64 bytes (\xE2\x9D\xA4\xEF\xB8\x8F with utf8)";
    static const uint8_t binary[] = {3, 0x13, 0x37, 0xDE, 0xAD, 0xBE, 0xEF, 0xCA, 0xFE};
    static const uint8_t uuid[] = {0xF2, 0x4F, 0x9B, 0x64, 0x81, 0xFA, 0x49, 0xD1,
                                   0xB7, 0x4E, 0x8C, 0x09, 0xA6, 0xE3, 0x1C, 0x56};
    cr_expect_eq(scalar_of("primitive_null").kind, LAM_VARIANT_NULL);
    cr_expect(scalar_of("primitive_boolean_true").as.boolean);
    cr_expect_not(scalar_of("primitive_boolean_false").as.boolean);
    cr_expect_eq(scalar_of("primitive_boolean_false").kind, LAM_VARIANT_BOOLEAN);
    expect_integer("primitive_int8", LAM_VARIANT_INT8, 42);
    expect_integer("primitive_int16", LAM_VARIANT_INT16, 1234);
    expect_integer("primitive_int32", LAM_VARIANT_INT32, 123456);
    expect_integer("primitive_int64", LAM_VARIANT_INT64, 1234567890123456789);
    expect_integer("primitive_date", LAM_VARIANT_DATE, 20194);
    expect_integer("primitive_time", LAM_VARIANT_TIME, 45234123456);
    expect_integer("primitive_timestamp", LAM_VARIANT_TIMESTAMP, 1744821296780000);
    expect_integer("primitive_timestampntz", LAM_VARIANT_TIMESTAMP_NTZ, 1744806896780000);
    expect_integer("primitive_timestamp_nanos", LAM_VARIANT_TIMESTAMP_NANOS, 1730982834123456789);
    expect_integer("primitive_timestampntz_nanos", LAM_VARIANT_TIMESTAMP_NTZ_NANOS,
                   1730982834123456789);
    expect_decimal("primitive_decimal4", LAM_VARIANT_DECIMAL4, 1234, 2);
    expect_decimal("primitive_decimal8", LAM_VARIANT_DECIMAL8, 1234567890, 2);
    expect_decimal("primitive_decimal16", LAM_VARIANT_DECIMAL16, 1234567891234567890, 2);
    cr_expect_eq(scalar_of("primitive_double").as.float64, 1234567890.1234);
    cr_expect_eq(scalar_of("primitive_double").kind, LAM_VARIANT_DOUBLE);
    cr_expect_eq(scalar_of("primitive_float").as.float32, 1234567940.0f);
    cr_expect_eq(scalar_of("primitive_float").kind, LAM_VARIANT_FLOAT);
    expect_bytes("primitive_binary", LAM_VARIANT_BINARY, binary, sizeof binary);
    expect_bytes("primitive_uuid", LAM_VARIANT_UUID, uuid, sizeof uuid);
    expect_bytes("short_string", LAM_VARIANT_STRING, short_text, sizeof short_text - 1);
    expect_bytes("primitive_string", LAM_VARIANT_STRING, text, sizeof text - 1);
}

static lam_variant field(lam_variant object, const char *name) {
    lam_variant value;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_field(object, name, strlen(name), &value, &error), LAM_STATUS_OK,
                 "%s: %s", name, error.message);
    return value;
}

/* A scalar, which the variant must be. */
static lam_variant_scalar get_scalar(lam_variant variant) {
    lam_variant_scalar scalar;
    cr_assert_eq(lam_variant_get(variant, &scalar, NULL), LAM_STATUS_OK);
    return scalar;
}

static void expect_text(lam_variant variant, const char *expected) {
    lam_variant_scalar scalar = get_scalar(variant);
    cr_assert_eq(scalar.kind, LAM_VARIANT_STRING);
    cr_assert_eq(scalar.as.bytes.size, strlen(expected));
    cr_expect_arr_eq(scalar.as.bytes.data, expected, scalar.as.bytes.size);
}

static void expect_number(lam_variant variant, int64_t expected) {
    lam_variant_scalar scalar = get_scalar(variant);
    cr_assert(scalar.kind >= LAM_VARIANT_INT8 && scalar.kind <= LAM_VARIANT_INT64);
    cr_expect_eq(scalar.as.integer, expected);
}

Test(variant, fields_are_found_by_name_at_any_depth) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    lam_variant object = sample("object_nested");
    lam_variant inside = field(object, "observation");
    size_t count;
    lam_variant none;
    expect_number(field(object, "id"), 1);
    expect_text(field(field(object, "species"), "name"), "lava monster");
    expect_text(field(inside, "location"), "In the Volcano");
    expect_number(field(field(inside, "value"), "humidity"), 456);
    cr_expect_eq(lam_variant_count(inside, &count, NULL), LAM_STATUS_OK);
    cr_expect_eq(count, 3);
    static const char *const absent[] = {"", "a", "idd", "observatio", "zzz", "value"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        cr_expect_eq(lam_variant_field(object, absent[i], strlen(absent[i]), &none, NULL),
                     LAM_STATUS_NOT_FOUND, "%s", absent[i]);
    free_variant(object);
}

Test(variant, elements_and_fields_are_walked_in_order) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    lam_variant array = sample("array_nested"), part;
    lam_variant_iterator walk;
    lam_bytes name;
    bool more;
    static const lam_variant_kind kinds[] = {LAM_VARIANT_OBJECT, LAM_VARIANT_NULL,
                                             LAM_VARIANT_OBJECT};
    cr_assert_eq(lam_variant_iterate(array, &walk, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(lam_variant_next(&walk, &name, &part, &more, NULL), LAM_STATUS_OK);
        cr_assert(more);
        cr_expect_eq(lam_variant_kind_of(part), kinds[i]);
        cr_expect_eq(name.size, 0);
    }
    cr_assert_eq(lam_variant_next(&walk, &name, &part, &more, NULL), LAM_STATUS_OK);
    cr_expect_not(more);
    cr_assert_eq(lam_variant_element(array, 2, &part, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_iterate(part, &walk, NULL), LAM_STATUS_OK);
    static const char *const names[] = {"id", "names", "type"};
    for (size_t i = 0; i < 3; i++) {
        lam_variant value;
        cr_assert_eq(lam_variant_next(&walk, &name, &value, &more, NULL), LAM_STATUS_OK);
        cr_assert(more);
        cr_assert_eq(name.size, strlen(names[i]));
        cr_expect_arr_eq(name.data, names[i], name.size);
    }
    expect_text(field(part, "type"), "if");
    cr_expect_eq(lam_variant_element(array, 3, &part, NULL), LAM_STATUS_NOT_FOUND);
    free_variant(array);
}

/* --- Hand-made bytes ------------------------------------------------------------------------ */

Test(variant, booleans_and_nulls_take_one_byte) {
    lam_variant yes = hex_variant("010000", "04"), no = hex_variant("010000", "08 FF");
    lam_variant_scalar is = get_scalar(yes), is_not = get_scalar(no);
    cr_expect(is.kind == LAM_VARIANT_BOOLEAN && is.as.boolean);
    cr_expect(is_not.kind == LAM_VARIANT_BOOLEAN && !is_not.as.boolean);
    free_variant(yes);
    free_variant(no);
}

/* An object {"a": 1, "b": 2} with ids and offsets of each width, values in the other order. */
static void expect_object_of_widths(unsigned id_width, unsigned offset_width, bool large) {
    uint8_t bytes[64] = {0};
    size_t at = 0;
    bytes[at++] =
        (uint8_t)(2 | ((offset_width - 1) | (id_width - 1) << 2 | (unsigned)large << 4) << 2);
    bytes[at] = 2;
    at += large ? 4 : 1;
    bytes[at + id_width] = 1;
    at += 2 * id_width;
    bytes[at] = 2; /* a stands behind b */
    bytes[at + 2 * offset_width] = 4;
    at += 3 * offset_width;
    const uint8_t values[] = {0x0C, 2, 0x0C, 1};
    memcpy(bytes + at, values, sizeof values);
    at += sizeof values;
    lam_variant object = {hex_bytes("11 02 00 01 02 61 62"), {exact_block(bytes, at), at}};
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_validate(object, 0, &error), LAM_STATUS_OK, "%u %u %d: %s", id_width,
                 offset_width, large, error.message);
    expect_number(field(object, "a"), 1);
    expect_number(field(object, "b"), 2);
    free_variant(object);
}

Test(variant, objects_have_ids_and_offsets_of_all_widths_and_large_counts) {
    for (unsigned id_width = 1; id_width <= 4; id_width++)
        for (unsigned offset_width = 1; offset_width <= 4; offset_width++) {
            expect_object_of_widths(id_width, offset_width, false);
            expect_object_of_widths(id_width, offset_width, true);
        }
}

Test(variant, arrays_have_offsets_of_all_widths_and_large_counts) {
    for (unsigned width = 1; width <= 4; width++) {
        for (unsigned large = 0; large < 2; large++) {
            uint8_t bytes[40] = {(uint8_t)(3 | ((width - 1) | large << 2) << 2), 2};
            size_t at = large ? 5 : 2;
            bytes[at + width] = 1;
            bytes[at + 2 * width] = 3;
            at += 3 * width;
            bytes[at + 1] = 0x05;
            bytes[at + 2] = 'x';
            at += 3;
            lam_variant array = {hex_bytes("0100"), {exact_block(bytes, at), at}}, part;
            cr_expect_eq(lam_variant_validate(array, 0, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_variant_element(array, 0, &part, NULL), LAM_STATUS_OK);
            cr_expect_eq(lam_variant_kind_of(part), LAM_VARIANT_NULL);
            cr_assert_eq(lam_variant_element(array, 1, &part, NULL), LAM_STATUS_OK);
            expect_text(part, "x");
            free_variant(array);
        }
    }
}

Test(variant, metadata_has_offsets_of_all_widths) {
    for (unsigned width = 1; width <= 4; width++) {
        uint8_t bytes[40] = {(uint8_t)(1 | (width - 1) << 6), 2};
        size_t at = 1 + width, size;
        bytes[at + width] = 2;
        bytes[at + 2 * width] = 3;
        at += 3 * width;
        memcpy(bytes + at, "xyz", 3);
        at += 3;
        lam_bytes metadata = {exact_block(bytes, at), at}, name = {NULL, 0};
        lam_variant_names_view names;
        cr_assert_eq(metadata_size(metadata, &size), LAM_ERROR_CODE_NONE);
        cr_expect_eq(size, at);
        cr_assert_null(lam_variant_open_names(metadata, &names));
        cr_expect_eq(names.count, 2);
        cr_assert(lam_variant_name_at(&names, 1, &name));
        cr_expect_eq(name.size, 1);
        cr_expect_eq(name.data[0], 'z');
        cr_expect_not(lam_variant_name_at(&names, 2, &name));
        free((void *)(uintptr_t)metadata.data);
    }
}

Test(variant, two_bytes_of_metadata_are_an_empty_dictionary) {
    lam_bytes metadata = hex_bytes("0100"), name;
    lam_variant_names_view names;
    size_t size;
    cr_assert_eq(metadata_size(metadata, &size), LAM_ERROR_CODE_NONE);
    cr_expect_eq(size, 2);
    cr_assert_null(lam_variant_open_names(metadata, &names));
    cr_expect_eq(names.count, 0);
    cr_expect_not(lam_variant_name_at(&names, 0, &name));
    free((void *)(uintptr_t)metadata.data);
}

Test(variant, metadata_is_parted_from_the_value_behind_it) {
    lam_bytes both = hex_bytes("01 01 00 01 61 0C 05");
    size_t size;
    cr_assert_eq(metadata_size(both, &size), LAM_ERROR_CODE_NONE);
    cr_expect_eq(size, 5);
    free((void *)(uintptr_t)both.data);
}

/* --- What is refused ------------------------------------------------------------------------ */

Test(variant, accessors_refuse_other_kinds_and_say_what_they_found) {
    lam_variant number = hex_variant("010000", "0C05"), part;
    size_t count;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_count(number, &count, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_field(number, "a", 1, &part, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_element(number, 0, &part, NULL), LAM_STATUS_INVALID);
    free_variant(number);
    lam_variant array = hex_variant("010000", "030000");
    lam_variant_scalar scalar;
    cr_expect_eq(lam_variant_get(array, &scalar, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "variant: expected a scalar, found array");
    cr_expect_eq(lam_variant_field_at(array, 0, NULL, &part, NULL), LAM_STATUS_INVALID);
    free_variant(array);
}

/* No test asked most of the getters for what they give: a wrong number would have passed. */
Test(variant, getters_give_the_values_of_their_kinds) {
    static const struct {
        const char *bytes;
        lam_variant_kind kind;
        int64_t expected;
    } integers[] = {{"0C 80", LAM_VARIANT_INT8, -128},
                    {"10 0080", LAM_VARIANT_INT16, -32768},
                    {"14 00000080", LAM_VARIANT_INT32, INT32_MIN},
                    {"18 0000000000000080", LAM_VARIANT_INT64, INT64_MIN},
                    {"2C 00000080", LAM_VARIANT_DATE, INT32_MIN},
                    {"30 FEFFFFFFFFFFFFFF", LAM_VARIANT_TIMESTAMP, -2},
                    {"34 0000000000000080", LAM_VARIANT_TIMESTAMP_NTZ, INT64_MIN},
                    {"44 0100000001000000", LAM_VARIANT_TIME, 4294967297},
                    {"48 FFFFFFFFFFFFFF7F", LAM_VARIANT_TIMESTAMP_NANOS, INT64_MAX},
                    {"4C FFFFFFFFFFFFFFFF", LAM_VARIANT_TIMESTAMP_NTZ_NANOS, -1}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        lam_variant variant = hex_variant("010000", integers[i].bytes);
        lam_variant_scalar scalar = get_scalar(variant);
        cr_expect_eq(scalar.kind, integers[i].kind);
        cr_expect_eq(scalar.as.integer, integers[i].expected, "%s", integers[i].bytes);
        free_variant(variant);
    }
    static const struct {
        const char *bytes;
        double expected;
    } reals[] = {{"38 0000C0BF", -1.5}, {"1C 9A9999999999B9BF", -0.1}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        lam_variant variant = hex_variant("010000", reals[i].bytes);
        lam_variant_scalar scalar = get_scalar(variant);
        double value =
            scalar.kind == LAM_VARIANT_FLOAT ? (double)scalar.as.float32 : scalar.as.float64;
        cr_expect_eq(value, reals[i].expected, "%s: %g", reals[i].bytes, value);
        free_variant(variant);
    }
}

Test(variant, long_strings_have_all_four_bytes_of_their_size) {
    enum { SIZE = 0x010203 };
    uint8_t *bytes = calloc(1, 5 + SIZE);
    cr_assert_not_null(bytes);
    memcpy(bytes, "\x40\x03\x02\x01\x00", 5);
    lam_variant variant = {{NULL, 0}, {bytes, 5 + SIZE}};
    lam_variant_scalar scalar = get_scalar(variant);
    cr_expect_eq(scalar.as.bytes.size, SIZE);
    variant.value.size--;
    cr_expect_eq(lam_variant_get(variant, &scalar, NULL), LAM_STATUS_CORRUPT);
    free(bytes);
}

Test(variant, behind_the_last_part_there_is_none) {
    lam_variant object = hex_variant("01 01 00 01 61", "02 01 00 00 02 0C05"), part;
    lam_variant array = hex_variant("010000", "03 01 00 02 0C05");
    lam_error error = lam_error_none();
    lam_variant_iterator walk;
    bool more = true;
    cr_expect_eq(lam_variant_field_at(object, 0, NULL, &part, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_field_at(object, 1, NULL, &part, &error), LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "variant: the object has 1 fields, no field 1");
    cr_expect_eq(lam_variant_element(array, 1, &part, &error), LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "variant: the array has 1 elements, no element 1");
    cr_assert_eq(lam_variant_iterate(array, &walk, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_next(&walk, NULL, &part, &more, NULL), LAM_STATUS_OK);
    cr_expect(more);
    cr_expect_eq(lam_variant_next(&walk, NULL, &part, &more, NULL), LAM_STATUS_OK);
    cr_expect_not(more);
    free_variant(object);
    free_variant(array);
}

Test(variant, a_type_of_a_later_specification_is_unsupported_and_does_not_hide_its_neighbours) {
    /* [type 21, 7] */
    lam_variant array = hex_variant("010000", "03 02 00 03 05 54 AA BB 0C 07"), part;
    lam_variant_scalar scalar;
    cr_assert_eq(lam_variant_element(array, 0, &part, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_kind_of(part), LAM_VARIANT_UNKNOWN);
    cr_expect_eq(lam_variant_get(part, &scalar, NULL), LAM_STATUS_UNSUPPORTED);
    cr_assert_eq(lam_variant_element(array, 1, &part, NULL), LAM_STATUS_OK);
    expect_number(part, 7);
    free_variant(array);
}

Test(variant, values_that_end_early_are_corrupt) {
    static const char *const values[] =
        LAM_TEXTS("", "0C", "10 01", "14 010203", "18 01020304050607", "1C 00", "20 00 010203",
                  "24", "28 00 00", "2C 010203", "30", "34", "38 010203", "3C 010000",
                  "3C 02000000 AA", "40 FFFFFFFF", "44", "48", "4C", "50 00", "05", "FD 61");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        lam_variant variant = hex_variant("010000", values[i]);
        lam_variant_scalar scalar;
        cr_expect_eq(lam_variant_get(variant, &scalar, NULL), LAM_STATUS_CORRUPT, "%s", values[i]);
        free_variant(variant);
    }
}

Test(variant, containers_that_do_not_hold_together_are_corrupt) {
    static const char *const values[] = {
        "02",                      /* no count */
        "03",                      /* */
        "13 010000",               /* a large count of 3 bytes */
        "13 FFFFFFFF 00",          /* near 2^32 elements */
        "1F FFFFFFFF FFFFFFFF",    /* the same with offsets of 4 bytes */
        "02 01 00 00",             /* one offset is missing */
        "03 01 00 02 00",          /* the values end beyond the run */
        "7E FFFFFFFF 00000000 00", /* ids and offsets of 4 bytes */
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        lam_variant variant = hex_variant("01 01 00 01 61", values[i]), part;
        size_t count;
        cr_expect_eq(lam_variant_count(variant, &count, NULL), LAM_STATUS_CORRUPT, "%s", values[i]);
        if (lam_variant_kind_of(variant) == LAM_VARIANT_OBJECT)
            cr_expect_eq(lam_variant_field(variant, "a", 1, &part, NULL), LAM_STATUS_CORRUPT);
        else
            cr_expect_eq(lam_variant_element(variant, 0, &part, NULL), LAM_STATUS_CORRUPT);
        free_variant(variant);
    }
}

Test(variant, an_offset_or_id_that_lies_outside_concerns_its_part_only) {
    /* [null, ?] with the second offset at the end of the values; {"a": null} of id 1 */
    lam_variant array = hex_variant("010000", "03 02 00 01 01 00"), part;
    lam_bytes name;
    cr_expect_eq(lam_variant_element(array, 0, &part, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_element(array, 1, &part, NULL), LAM_STATUS_CORRUPT);
    free_variant(array);
    lam_variant object = hex_variant("01 01 00 01 61", "02 01 01 00 01 00");
    cr_expect_eq(lam_variant_field_at(object, 0, &name, &part, NULL), LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_variant_field_at(object, 0, NULL, &part, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_field(object, "a", 1, &part, NULL), LAM_STATUS_CORRUPT);
    free_variant(object);
}

Test(variant, metadata_of_another_version_is_unsupported) {
    lam_bytes metadata = hex_bytes("02 00 00");
    size_t size;
    cr_expect_eq(metadata_size(metadata, &size), LAM_ERROR_CODE_UNSUPPORTED_VARIANT);
    free((void *)(uintptr_t)metadata.data);
    static const char *const early[] = {"C1 FFFFFFFF 00000000", "01 01 00 03 61 62",
                                        "C1 01000000 00000000 FFFFFFFF 61"};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        metadata = hex_bytes(early[i]);
        cr_expect_eq(metadata_size(metadata, &size), LAM_ERROR_CODE_VARIANT_BYTES, "%s", early[i]);
        free((void *)(uintptr_t)metadata.data);
    }
}

Test(variant, every_kind_has_a_name_of_its_own) {
    for (int a = LAM_VARIANT_NULL; a <= LAM_VARIANT_UNKNOWN; a++)
        for (int b = LAM_VARIANT_NULL; b < a; b++)
            cr_expect_str_neq(lam_variant_kind_name((lam_variant_kind)a),
                              lam_variant_kind_name((lam_variant_kind)b));
    cr_expect_str_eq(lam_variant_kind_name((lam_variant_kind)99), "unknown");
    cr_expect_str_eq(lam_variant_kind_name(LAM_VARIANT_TIMESTAMP_NTZ_NANOS), "timestamp_ntz_nanos");
    cr_expect_str_eq(lam_variant_kind_name(LAM_VARIANT_ARRAY), "array");
}

Test(variant, a_name_that_an_object_lacks_is_told_as_far_as_there_is_room) {
    lam_variant object = hex_variant("01 01 00 01 61", "02 01 00 00 02 0C05"), part;
    lam_error error = lam_error_none();
    char name[101] = "", wanted[200];
    memset(name, 'n', sizeof name - 1);
    cr_expect_eq(lam_variant_field(object, name, 100, &part, &error), LAM_STATUS_NOT_FOUND);
    snprintf(wanted, sizeof wanted, "variant: the object has no field \"%.80s\"", name);
    cr_expect_str_eq(error.message, wanted);
    cr_expect_eq(lam_variant_field(object, NULL, 0, &part, &error), LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "variant: the object has no field \"\"");
    free_variant(object);
}

Test(variant, a_walk_stays_before_a_part_that_is_corrupt) {
    /* [null, ?] with the second offset at the end of the values; {?: null} of id 5 */
    lam_variant corrupt[] = {hex_variant("010000", "03 02 00 01 01 00"),
                             hex_variant("01 01 00 01 61", "02 01 05 00 01 00")};
    for (size_t i = 0; i < 2; i++) {
        lam_variant_iterator walk;
        lam_variant part;
        lam_bytes name;
        bool more = true;
        cr_assert_eq(lam_variant_iterate(corrupt[i], &walk, NULL), LAM_STATUS_OK);
        if (i == 0)
            cr_assert_eq(lam_variant_next(&walk, &name, &part, &more, NULL), LAM_STATUS_OK);
        for (int again = 0; again < 2; again++)
            cr_expect_eq(lam_variant_next(&walk, &name, &part, &more, NULL), LAM_STATUS_CORRUPT);
        free_variant(corrupt[i]);
    }
}

Test(variant, metadata_that_ends_early_has_no_size) {
    lam_bytes metadata = hex_bytes("01");
    size_t size = 7;
    cr_expect_eq(metadata_size(metadata, &size), LAM_ERROR_CODE_VARIANT_BYTES);
    cr_expect_eq(size, 7);
    free((void *)(uintptr_t)metadata.data);
}
