/* SPDX-License-Identifier: Apache-2.0 */
/* Random values of any kind, deep and wide, with names that clash and names that do not. */
#include "variant/random_variant.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/texts.h"
#include "variant/take.h"
#include "variant/value/variant_decimal.h"

static int64_t random_integer(lam_random *random) {
    uint64_t bits = lam_random_next(random) >> lam_random_below(random, 64);
    return (int64_t)(lam_random_chance(random, 50) ? bits : 0 - bits);
}

static lam_decimal random_decimal(lam_random *random, unsigned digits) {
    lam_wide number = {0, 0};
    digits = (unsigned)lam_random_below(random, digits + 1);
    for (unsigned i = 0; i < digits; i++)
        number = lam_wide_multiply_add(number, 10, (uint32_t)lam_random_below(random, 10));
    if (lam_random_chance(random, 50))
        number = lam_wide_negate(number);
    lam_decimal decimal = {number.low, (int64_t)number.high, 0};
    decimal.scale =
        (uint8_t)lam_random_below(random, lam_random_chance(random, 80) ? digits + 1 : 39);
    return decimal;
}

/* UTF-8 of 0 to `most` bytes. */
static lam_bytes random_text(lam_random *random, char *room, size_t most) {
    static const char *const pieces[] = LAM_TEXTS("a", "b", "Z", " ", "\"", "\\", "\n", "\x01",
                                                  "\xC3\xA9", "\xE4\xB8\x8A", "\xF0\x9F\x98\x80");
    size_t wanted = lam_random_below(random, most + 1), size = 0;
    while (size + 4 <= wanted) {
        const char *piece = pieces[lam_random_below(random, sizeof pieces / sizeof *pieces)];
        memcpy(room + size, piece, strlen(piece));
        size += strlen(piece);
    }
    lam_bytes text = {(const uint8_t *)room, size};
    return text;
}

lam_variant_scalar lam_random_scalar(lam_random *random) {
    return lam_random_scalar_of(random,
                                (lam_variant_kind)lam_random_below(random, LAM_VARIANT_OBJECT));
}

lam_variant_scalar lam_random_scalar_of(lam_random *random, lam_variant_kind kind) {
    static char room[300];
    lam_variant_scalar scalar = {kind, {0}};
    uint64_t bits = lam_random_next(random);
    uint32_t narrow;
    switch (scalar.kind) {
    case LAM_VARIANT_NULL:
        break;
    case LAM_VARIANT_BOOLEAN:
        scalar.as.boolean = bits & 1;
        break;
    case LAM_VARIANT_INT8:
        scalar.as.integer = (int8_t)bits;
        break;
    case LAM_VARIANT_INT16:
        scalar.as.integer = (int16_t)bits;
        break;
    case LAM_VARIANT_INT32:
        scalar.as.integer = (int32_t)bits;
        break;
    case LAM_VARIANT_DATE:
        scalar.as.integer = (int32_t)random_integer(random);
        break;
    case LAM_VARIANT_FLOAT:
        narrow = (uint32_t)bits;
        memcpy(&scalar.as.float32, &narrow, sizeof narrow);
        if (scalar.as.float32 != scalar.as.float32)
            scalar.as.float32 = 0.5f;
        break;
    case LAM_VARIANT_DOUBLE:
        memcpy(&scalar.as.float64, &bits, sizeof scalar.as.float64);
        if (scalar.as.float64 != scalar.as.float64)
            scalar.as.float64 = -0.0;
        break;
    case LAM_VARIANT_DECIMAL4:
        scalar.as.decimal = random_decimal(random, 9);
        break;
    case LAM_VARIANT_DECIMAL8:
        scalar.as.decimal = random_decimal(random, 18);
        break;
    case LAM_VARIANT_DECIMAL16:
        scalar.as.decimal = random_decimal(random, 38);
        break;
    case LAM_VARIANT_TIME:
        scalar.as.integer = (int64_t)lam_random_below(random, INT64_C(86400000000));
        break;
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_STRING:
        scalar.as.bytes = random_text(random, room, lam_random_chance(random, 80) ? 20 : 280);
        break;
    case LAM_VARIANT_UUID:
        lam_store_le64((uint8_t *)room, bits);
        lam_store_le64((uint8_t *)room + 8, random->state);
        scalar.as.bytes.data = (const uint8_t *)room;
        scalar.as.bytes.size = 16;
        break;
    default:
        scalar.as.integer = random_integer(random);
    }
    return scalar;
}

/* The name of field `index`: names of one object differ, those of objects are often the same. */
static void tell_name(lam_random *random, lam_variant_builder *builder, unsigned index,
                      unsigned step) {
    static const char *const names[] = {"",   "a",     "b",           "\xC3\xA9",
                                        "id", "a.b",   "value",       "Z",
                                        "aa", "a\x01", "typed_value", "\xF0\x9F\x98\x80"};
    enum { COUNT = sizeof names / sizeof *names };
    char other[32];
    (void)random;
    if (index < COUNT) {
        const char *name = names[(index * step) % COUNT];
        TAKE(lam_variant_builder_field(builder, name, strlen(name), &take_error));
        return;
    }
    snprintf(other, sizeof other, "n%u", index * 7919 % 10007);
    TAKE(lam_variant_builder_field(builder, other, strlen(other), &take_error));
}

static void tell(lam_random *random, lam_variant_builder *builder, unsigned size, unsigned depth) {
    static const unsigned steps[] = {1, 5, 7, 11}; /* no divisors of the number of names */
    unsigned choice = (unsigned)lam_random_below(random, 100);
    if (size <= 1 || depth > 60 || choice < 30) {
        lam_variant_scalar scalar = lam_random_scalar(random);
        TAKE(lam_variant_builder_put(builder, &scalar, &take_error));
        return;
    }
    bool is_object = choice < 65;
    unsigned count = (unsigned)lam_random_below(random, size > 400 && choice % 4 == 0 ? 400 : 9);
    unsigned step = steps[lam_random_below(random, 4)];
    if (is_object)
        TAKE(lam_variant_builder_begin_object(builder, &take_error));
    else
        TAKE(lam_variant_builder_begin_array(builder, &take_error));
    for (unsigned i = 0; i < count; i++) {
        if (is_object)
            tell_name(random, builder, i, step);
        tell(random, builder, count > 20 ? 1 : size / count + 1, depth + 1);
    }
    if (is_object)
        TAKE(lam_variant_builder_end_object(builder, &take_error));
    else
        TAKE(lam_variant_builder_end_array(builder, &take_error));
}

void lam_random_variant(lam_random *random, lam_variant_builder *builder, unsigned size) {
    tell(random, builder, size, 0);
}
