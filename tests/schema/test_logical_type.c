/* SPDX-License-Identifier: Apache-2.0 */
/* Which physical types each logical type annotates, from the table of LogicalTypes.md. */
#include "schema/logical_type.h"

#include <criterion/criterion.h>
#include <string.h>

/* The types that a logical type may annotate, as a set of bits. */
static unsigned fitting(const lam_logical_type *type, int32_t length) {
    unsigned set = 0;
    for (int physical = LAM_PHYSICAL_BOOLEAN; physical <= LAM_PHYSICAL_GROUP; physical++)
        if (lam_logical_type_problem(type, (lam_physical_type)physical,
                                     physical == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ? length : 0) ==
            NULL)
            set |= 1u << physical;
    return set;
}

enum { I32 = 2, I64 = 4, BYTES = 64, FIXED = 128, GROUP = 256, LEAVES = 255 };

Test(logical_type, each_annotates_what_the_format_says) {
    static const struct {
        lam_logical_type type;
        unsigned types;
        int32_t length;
    } rules[] = {
        {{.kind = LAM_LOGICAL_NONE}, GROUP | LEAVES, 7},
        {{.kind = LAM_LOGICAL_STRING}, BYTES, 7},
        {{.kind = LAM_LOGICAL_ENUM}, BYTES, 7},
        {{.kind = LAM_LOGICAL_JSON}, BYTES, 7},
        {{.kind = LAM_LOGICAL_BSON}, BYTES, 7},
        {{.kind = LAM_LOGICAL_UUID}, FIXED, 16},
        {{.kind = LAM_LOGICAL_UUID}, 0, 15},
        {{.kind = LAM_LOGICAL_FLOAT16}, FIXED, 2},
        {{.kind = LAM_LOGICAL_FLOAT16}, 0, 4},
        {{.kind = LAM_LOGICAL_INTERVAL}, FIXED, 12},
        {{.kind = LAM_LOGICAL_INTERVAL}, 0, 16},
        {{.kind = LAM_LOGICAL_DATE}, I32, 7},
        {{.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MILLIS}, I32, 7},
        {{.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MICROS}, I64, 7},
        {{.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_NANOS}, I64, 7},
        {{.kind = LAM_LOGICAL_TIME}, 0, 7},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MILLIS}, I64, 7},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MICROS}, I64, 7},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, I64, 7},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MILLIS}, I64 | FIXED, 12},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MICROS}, I64 | FIXED, 12},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, I64 | FIXED, 12},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, I64, 11},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, I64, 13},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = (lam_time_unit)4}, 0, 7},
        {{.kind = LAM_LOGICAL_INTEGER, .bit_width = 8}, I32, 7},
        {{.kind = LAM_LOGICAL_INTEGER, .bit_width = 16, .is_signed = true}, I32, 7},
        {{.kind = LAM_LOGICAL_INTEGER, .bit_width = 32}, I32, 7},
        {{.kind = LAM_LOGICAL_INTEGER, .bit_width = 64}, I64, 7},
        {{.kind = LAM_LOGICAL_INTEGER, .bit_width = 24}, 0, 7},
        {{.kind = LAM_LOGICAL_INTEGER}, 0, 7},
        {{.kind = LAM_LOGICAL_UNKNOWN}, LEAVES, 7},
        {{.kind = LAM_LOGICAL_LIST}, GROUP, 7},
        {{.kind = LAM_LOGICAL_MAP}, GROUP, 7},
        {{.kind = LAM_LOGICAL_MAP_KEY_VALUE}, GROUP, 7},
        {{.kind = LAM_LOGICAL_VARIANT}, GROUP, 7},
        {{.kind = LAM_LOGICAL_VARIANT, .version = 1}, GROUP, 7},
        {{.kind = LAM_LOGICAL_VARIANT, .version = -1}, 0, 7},
        {{.kind = LAM_LOGICAL_FILE}, GROUP, 7},
        {{.kind = LAM_LOGICAL_GEOMETRY}, BYTES, 7},
        {{.kind = LAM_LOGICAL_GEOMETRY, .crs = "\xFF"}, 0, 7},
        {{.kind = LAM_LOGICAL_GEOGRAPHY, .algorithm = LAM_EDGE_ALGORITHM_KARNEY}, BYTES, 7},
        {{.kind = LAM_LOGICAL_GEOGRAPHY, .algorithm = (lam_edge_algorithm)6}, 0, 7},
        {{.kind = LAM_LOGICAL_UNRECOGNIZED}, GROUP | LEAVES, 7},
        {{.kind = (lam_logical_kind)99}, 0, 7},
        {{.kind = (lam_logical_kind)-1}, 0, 7},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 1}, I32 | I64 | BYTES | FIXED, 1},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 9, .scale = 9}, I32 | I64 | BYTES | FIXED, 4},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 10}, I64 | BYTES, 4},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 18}, I64 | BYTES | FIXED, 8},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 19}, BYTES, 8},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 0}, 0, 8},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = -1}, 0, 8},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 3, .scale = 4}, 0, 8},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 3, .scale = -1}, 0, 8},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        cr_assert_eq(fitting(&rules[i].type, rules[i].length), rules[i].types, "rule %zu", i);
}

/* LogicalTypes.md, section DECIMAL: floor(log10(2^(8n - 1) - 1)) digits, by schoolbook doubling. */
Test(logical_type, a_fixed_decimal_has_as_many_digits_as_its_bytes_hold) {
    uint8_t digits[1300] = {1}; /* 2^0, lowest digit first */
    int32_t count = 1;
    for (int32_t bits = 1; bits < 4096; bits++) {
        unsigned carry = 0;
        for (int32_t i = 0; i < count; i++) {
            carry += 2u * digits[i];
            digits[i] = (uint8_t)(carry % 10);
            carry /= 10;
        }
        if (carry > 0)
            digits[count++] = (uint8_t)carry;
        if (bits % 8 != 7)
            continue;
        /* 2^bits has `count` digits and is no power of ten, so 2^bits - 1 holds count - 1. */
        lam_logical_type type = {.kind = LAM_LOGICAL_DECIMAL, .precision = count - 1};
        int32_t length = (bits + 1) / 8;
        cr_assert_null(lam_logical_type_problem(&type, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, length));
        type.precision++;
        cr_assert_not_null(
            lam_logical_type_problem(&type, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, length));
    }
    lam_logical_type huge = {.kind = LAM_LOGICAL_DECIMAL, .precision = INT32_MAX};
    cr_assert_null(lam_logical_type_problem(&huge, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, INT32_MAX));
}

Test(logical_type, normal_keeps_the_arguments_of_the_kind_alone) {
    lam_logical_type full = {.kind = LAM_LOGICAL_NONE,
                             .precision = 5,
                             .scale = 2,
                             .unit = LAM_TIME_UNIT_NANOS,
                             .adjusted_to_utc = true,
                             .bit_width = 16,
                             .is_signed = true,
                             .version = 1,
                             .algorithm = LAM_EDGE_ALGORITHM_THOMAS,
                             .crs = "x"};
    static const lam_logical_type wanted[] = {
        {.kind = LAM_LOGICAL_STRING},
        {.kind = LAM_LOGICAL_DECIMAL, .precision = 5, .scale = 2},
        {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_NANOS, .adjusted_to_utc = true},
        {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS, .adjusted_to_utc = true},
        {.kind = LAM_LOGICAL_INTEGER, .bit_width = 16, .is_signed = true},
        {.kind = LAM_LOGICAL_VARIANT, .version = 1},
        {.kind = LAM_LOGICAL_GEOMETRY, .crs = "x"},
        {.kind = LAM_LOGICAL_GEOGRAPHY, .algorithm = LAM_EDGE_ALGORITHM_THOMAS, .crs = "x"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        full.kind = wanted[i].kind;
        lam_logical_type normal = lam_logical_type_normal(&full);
        cr_assert(lam_logical_type_equals(&normal, &wanted[i]), "%zu", i);
        cr_assert_not(lam_logical_type_equals(&full, &wanted[i]), "%zu", i);
    }
}

Test(logical_type, names_are_there_for_what_exists) {
    cr_assert_str_eq(lam_logical_kind_name(LAM_LOGICAL_NONE), "");
    for (int a = LAM_LOGICAL_NONE; a <= LAM_LOGICAL_UNRECOGNIZED; a++)
        for (int b = a + 1; b <= LAM_LOGICAL_UNRECOGNIZED; b++)
            cr_assert_str_neq(lam_logical_kind_name((lam_logical_kind)a),
                              lam_logical_kind_name((lam_logical_kind)b));
    cr_assert_str_eq(lam_logical_kind_name((lam_logical_kind)99), "");
    cr_assert_str_eq(lam_physical_type_name(LAM_PHYSICAL_BOOLEAN), "boolean");
    cr_assert_str_eq(lam_physical_type_name(LAM_PHYSICAL_GROUP), "group");
    cr_assert_str_eq(lam_physical_type_name((lam_physical_type)9), "");
}
