/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a leaf become those of the Arrow type that was asked for, or are refused with their
 * row.
 */
#include "arrow/read/leaf_convert.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/host_order.h"
#include "support/random.h"
#include "support/test_file.h"

static lam_schema *schema_of(const char *leaf) {
    char text[200];
    snprintf(text, sizeof text, "message m { required %s; }", leaf);
    lam_schema *schema = lam_test_parse(text);
    return schema;
}

/* Converts elements of a leaf to a type. */
static lam_status convert(const char *leaf, lam_arrow_type type, const void *elements, size_t count,
                          void *slots) {
    lam_leaf_conversion conversion;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(leaf);
    lam_status status = lam_leaf_conversion_init(&conversion, lam_kernels_get(),
                                                 lam_schema_leaf(schema, 0), &type, &error);
    lam_schema_destroy(schema);
    if (status != LAM_STATUS_OK) {
        cr_assert_eq(status, LAM_STATUS_UNSUPPORTED);
        cr_assert_not_null(strchr(error.message, 'a'));
        return status;
    }
    if (conversion.convert == NULL) {
        cr_assert_eq(conversion.element_size, conversion.slot_size);
        memcpy(slots, elements, count * conversion.slot_size);
        return LAM_STATUS_OK;
    }
    return conversion.convert(&conversion, elements, count, slots, &error);
}

static lam_arrow_type kind_of(lam_arrow_kind kind) {
    lam_arrow_type type = {.kind = kind};
    return type;
}

static lam_arrow_type time_of(lam_arrow_kind kind, lam_arrow_unit unit) {
    lam_arrow_type type = {.kind = kind, .unit = unit};
    return type;
}

Test(leaf_convert, small_integers_keep_their_value_or_are_corrupt) {
    static const struct {
        lam_arrow_kind kind;
        const char *leaf;
        int32_t least, most;
        size_t size;
    } rows[] = {
        {LAM_ARROW_INT8, "int32 a (INTEGER(8,true))", INT8_MIN, INT8_MAX, 1},
        {LAM_ARROW_UINT8, "int32 a (INTEGER(8,false))", 0, UINT8_MAX, 1},
        {LAM_ARROW_INT16, "int32 a (INTEGER(16,true))", INT16_MIN, INT16_MAX, 2},
        {LAM_ARROW_UINT16, "int32 a (INTEGER(16,false))", 0, UINT16_MAX, 2},
    };
    for (size_t i = 0; i < 4; i++) {
        int32_t good[3] = {rows[i].least, 1, rows[i].most};
        uint8_t slots[16];
        cr_assert_eq(convert(rows[i].leaf, kind_of(rows[i].kind), good, 3, slots), LAM_STATUS_OK);
        for (size_t at = 0; at < 3; at++)
            cr_assert_eq(lam_test_load(slots + at * rows[i].size, rows[i].size),
                         lam_test_load(&good[at], 4) & ((UINT64_C(1) << 8 * rows[i].size) - 1));
        int32_t bad[][3] = {{0, rows[i].least - 1, 0},
                            {rows[i].most + 1, 0, 0},
                            {0, 0, INT32_MIN},
                            {0, INT32_MAX, 0}};
        for (size_t at = 0; at < 4; at++)
            cr_assert_eq(convert(rows[i].leaf, kind_of(rows[i].kind), bad[at], 3, slots),
                         LAM_STATUS_CORRUPT);
    }
}

Test(leaf_convert, days_become_milliseconds_and_milliseconds_seconds) {
    static const int32_t days[] = {0, 1, -1, INT32_MAX, INT32_MIN};
    int64_t slots[5];
    cr_assert_eq(convert("int32 a (DATE)", kind_of(LAM_ARROW_DATE64), days, 5, slots),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(slots[i], days[i] * INT64_C(86400000));
    static const int32_t millis[] = {0, 86399000, 1001};
    int32_t seconds[3];
    lam_arrow_type type = time_of(LAM_ARROW_TIME32, LAM_ARROW_SECOND);
    const char *leaf = "int32 a (TIME(MILLIS,false))";
    cr_assert_eq(convert(leaf, type, millis, 2, seconds), LAM_STATUS_OK);
    cr_assert_eq(seconds[1], 86399);
    cr_assert_eq(convert(leaf, type, millis, 3, seconds), LAM_STATUS_CORRUPT);
    static const int64_t long_millis[] = {-5000, INT64_C(1) << 50, -1};
    int64_t wide[3];
    type = time_of(LAM_ARROW_TIMESTAMP, LAM_ARROW_SECOND);
    leaf = "int64 a (TIMESTAMP(MILLIS,true))";
    cr_assert_eq(convert(leaf, type, long_millis, 1, wide), LAM_STATUS_OK);
    cr_assert_eq(wide[0], -5);
    cr_assert_eq(convert(leaf, type, long_millis, 2, wide), LAM_STATUS_CORRUPT);
    cr_assert_eq(convert(leaf, type, long_millis + 2, 1, wide), LAM_STATUS_CORRUPT);
}

static void put_int96(uint8_t *element, int64_t nanos, int32_t day) {
    lam_store_le64(element, (uint64_t)nanos);
    lam_store_le32(element + 8, (uint32_t)day);
}

Test(leaf_convert, int96_becomes_nanoseconds_as_far_as_they_go) {
    static const struct {
        int64_t nanos;
        int32_t day;
        bool good;
        int64_t slot;
    } rows[] = {
        {0, 2440588, true, 0},
        {1, 2440588, true, 1},
        {-1, 2440588, true, -1},
        {5, 2440589, true, INT64_C(86400000000005)},
        {0, 2440587, true, -INT64_C(86400000000000)},
        {INT64_C(85636854775807), 2440588 + 106751, true, INT64_MAX},
        {INT64_C(85636854775808), 2440588 + 106751, false, 0},
        {-INT64_C(85636854775808), 2440588 - 106751, true, INT64_MIN},
        {-INT64_C(85636854775809), 2440588 - 106751, false, 0},
        {0, 2440588 + 106752, false, 0},
        {0, 2440588 - 106752, false, 0},
        {INT64_MAX, 2440588, true, INT64_MAX},
        {INT64_MAX, 2440589, false, 0},
        {INT64_MIN, 2440587, false, 0},
        {0, INT32_MIN, false, 0},
        {0, INT32_MAX, false, 0},
    };
    lam_arrow_type type = time_of(LAM_ARROW_TIMESTAMP, LAM_ARROW_NANOSECOND);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t element[12];
        int64_t slot;
        put_int96(element, rows[i].nanos, rows[i].day);
        lam_status status = convert("int96 a", type, element, 1, &slot);
        cr_assert_eq(status, rows[i].good ? LAM_STATUS_OK : LAM_STATUS_LIMIT, "row %zu", i);
        if (rows[i].good)
            cr_assert_eq(slot, rows[i].slot, "row %zu", i);
    }
}

static void put_interval(uint8_t *element, uint32_t months, uint32_t days, uint32_t millis) {
    lam_store_le32(element, months);
    lam_store_le32(element + 4, days);
    lam_store_le32(element + 8, millis);
}

Test(leaf_convert, intervals_of_three_kinds) {
    const char *leaf = "fixed(12) a (INTERVAL)";
    lam_arrow_type months = kind_of(LAM_ARROW_INTERVAL_MONTHS);
    lam_arrow_type day_time = kind_of(LAM_ARROW_INTERVAL_DAY_TIME);
    lam_arrow_type all = kind_of(LAM_ARROW_INTERVAL_MONTH_DAY_NANO);
    uint8_t element[12];
    union {
        int32_t narrow[4];
        int64_t wide[2];
    } slot;
    put_interval(element, 7, 0, 0);
    cr_assert_eq(convert(leaf, months, element, 1, &slot), LAM_STATUS_OK);
    cr_assert_eq(slot.narrow[0], 7);
    cr_assert_eq(convert(leaf, day_time, element, 1, &slot), LAM_STATUS_CORRUPT);
    put_interval(element, 0, 8, 9);
    cr_assert_eq(convert(leaf, day_time, element, 1, &slot), LAM_STATUS_OK);
    cr_assert(slot.narrow[0] == 8 && slot.narrow[1] == 9);
    cr_assert_eq(convert(leaf, months, element, 1, &slot), LAM_STATUS_CORRUPT);
    put_interval(element, 1, 2, UINT32_MAX);
    cr_assert_eq(convert(leaf, all, element, 1, &slot), LAM_STATUS_OK);
    cr_assert(slot.narrow[0] == 1 && slot.narrow[1] == 2);
    cr_assert_eq(slot.wide[1], INT64_C(4294967295000000));
    put_interval(element, UINT32_C(1) << 31, 0, 0);
    cr_assert_eq(convert(leaf, months, element, 1, &slot), LAM_STATUS_LIMIT);
    cr_assert_eq(convert(leaf, all, element, 1, &slot), LAM_STATUS_LIMIT);
    put_interval(element, 0, 0, UINT32_C(1) << 31);
    cr_assert_eq(convert(leaf, day_time, element, 1, &slot), LAM_STATUS_LIMIT);
}

Test(leaf_convert, what_is_the_same_in_both_forms_is_not_converted) {
    static const struct {
        lam_arrow_kind kind;
        const char *leaf;
        lam_arrow_unit unit;
        size_t size;
    } rows[] = {
        {LAM_ARROW_BOOL, "boolean a", 0, 1},
        {LAM_ARROW_INT32, "int32 a", 0, 4},
        {LAM_ARROW_UINT32, "int32 a (INTEGER(32,false))", 0, 4},
        {LAM_ARROW_INT64, "int64 a", 0, 8},
        {LAM_ARROW_UINT64, "int64 a (INTEGER(64,false))", 0, 8},
        {LAM_ARROW_FLOAT32, "float a", 0, 4},
        {LAM_ARROW_FLOAT64, "double a", 0, 8},
        {LAM_ARROW_DATE32, "int32 a (DATE)", 0, 4},
        {LAM_ARROW_TIME32, "int32 a (TIME(MILLIS,true))", LAM_ARROW_MILLISECOND, 4},
        {LAM_ARROW_TIME64, "int64 a (TIME(MICROS,true))", LAM_ARROW_MICROSECOND, 8},
        {LAM_ARROW_TIME64, "int64 a (TIME(NANOS,true))", LAM_ARROW_NANOSECOND, 8},
        {LAM_ARROW_TIMESTAMP, "int64 a (TIMESTAMP(NANOS,true))", LAM_ARROW_NANOSECOND, 8},
        {LAM_ARROW_DURATION, "int64 a", LAM_ARROW_SECOND, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t elements[24] = {1, 0, 1, 7, 8, 9, 10, 11}, slots[24] = {0};
        cr_assert_eq(convert(rows[i].leaf, time_of(rows[i].kind, rows[i].unit), elements, 2, slots),
                     LAM_STATUS_OK, "%s", rows[i].leaf);
        cr_assert_eq(memcmp(elements, slots, 2 * rows[i].size), 0, "%s", rows[i].leaf);
    }
}

Test(leaf_convert, half_floats_are_numbers_of_the_machine) {
    uint16_t slots[2];
    cr_assert_eq(
        convert("fixed(2) a (FLOAT16)", kind_of(LAM_ARROW_FLOAT16), "\x01\x3C\x02\xC0", 2, slots),
        LAM_STATUS_OK);
    cr_assert_eq(slots[0], 0x3C01);
    cr_assert_eq(slots[1], 0xC002);
}

Test(leaf_convert, types_that_do_not_go_together_are_unsupported) {
    static const struct {
        lam_arrow_kind kind;
        const char *leaf;
        lam_arrow_unit unit;
    } rows[] = {
        {LAM_ARROW_INT64, "int32 a", 0},
        {LAM_ARROW_INT8, "int64 a", 0},
        {LAM_ARROW_BOOL, "int32 a", 0},
        {LAM_ARROW_FLOAT16, "fixed(3) a", 0},
        {LAM_ARROW_INTERVAL_MONTHS, "fixed(11) a", 0},
        {LAM_ARROW_TIMESTAMP, "int64 a (TIMESTAMP(MICROS,true))", LAM_ARROW_NANOSECOND},
        {LAM_ARROW_TIMESTAMP, "int64 a (TIMESTAMP(MICROS,true))", LAM_ARROW_SECOND},
        {LAM_ARROW_TIMESTAMP, "int64 a", LAM_ARROW_NANOSECOND},
        {LAM_ARROW_FIXED_SIZE_BINARY, "fixed(3) a", 0},
        {LAM_ARROW_DECIMAL, "int32 a", 0},
    };
    uint8_t element[16] = {0}, slot[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_eq(convert(rows[i].leaf, time_of(rows[i].kind, rows[i].unit), element, 1, slot),
                     LAM_STATUS_UNSUPPORTED, "%s", rows[i].leaf);
}

Test(leaf_convert, indexes_fit_their_type_or_are_too_many) {
    static const struct {
        lam_arrow_kind kind;
        size_t size;
        uint32_t most;
    } rows[] = {
        {LAM_ARROW_INT8, 1, INT8_MAX},   {LAM_ARROW_UINT8, 1, UINT8_MAX},
        {LAM_ARROW_INT16, 2, INT16_MAX}, {LAM_ARROW_UINT16, 2, UINT16_MAX},
        {LAM_ARROW_INT32, 4, INT32_MAX}, {LAM_ARROW_UINT32, 4, INT32_MAX},
        {LAM_ARROW_INT64, 8, INT32_MAX}, {LAM_ARROW_UINT64, 8, INT32_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_leaf_conversion conversion;
        uint32_t indexes[3] = {0, rows[i].most, 1};
        uint64_t slots[3];
        lam_leaf_conversion_init_index(&conversion, rows[i].kind);
        cr_assert_eq(conversion.slot_size, rows[i].size);
        if (conversion.convert == NULL) {
            cr_assert_eq(rows[i].size, 4);
            continue;
        }
        cr_assert_eq(conversion.convert(&conversion, indexes, 3, slots, NULL), LAM_STATUS_OK);
        for (size_t at = 0; at < 3; at++) {
            const uint8_t *slot = (const uint8_t *)slots + at * rows[i].size;
            cr_assert_eq(lam_test_load(slot, rows[i].size), indexes[at]);
        }
        indexes[2] = rows[i].most + 1;
        if (rows[i].size < 4)
            cr_assert_eq(conversion.convert(&conversion, indexes, 3, slots, NULL),
                         LAM_STATUS_LIMIT);
    }
}

Test(leaf_convert, bytes_of_fixed_size_are_copied_where_the_lengths_are_the_same) {
    static const char bytes[] = "twelve bytes";
    char slots[12];
    lam_arrow_type type = {.kind = LAM_ARROW_FIXED_SIZE_BINARY, .fixed_size = 12};
    cr_assert_eq(convert("fixed_len_byte_array(12) a", type, bytes, 1, slots), LAM_STATUS_OK);
    cr_assert_arr_eq(slots, bytes, 12);
    memset(slots, 0, sizeof slots);
    cr_assert_eq(convert("int96 a", type, bytes, 1, slots), LAM_STATUS_OK);
    cr_assert_arr_eq(slots, bytes, 12);
    cr_assert_eq(convert("fixed_len_byte_array(11) a", type, bytes, 1, slots),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert_eq(convert("int64 a", type, bytes, 1, slots), LAM_STATUS_UNSUPPORTED);
    type.fixed_size = 11;
    cr_assert_eq(convert("int96 a", type, bytes, 1, slots), LAM_STATUS_UNSUPPORTED);
}
