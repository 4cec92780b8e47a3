/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of schemas share: texts, and random schemas of every kind of field. */
#ifndef LAM_TESTS_SCHEMA_TEXTS_H
#define LAM_TESTS_SCHEMA_TEXTS_H

#include <criterion/criterion.h>
#include <lamella/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

static inline lam_schema *parsed(const char *text) {
    lam_schema *schema = NULL;
    lam_error error = lam_error_none();
    lam_status status = lam_schema_parse(text, strlen(text), NULL, &schema, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s in: %s", error.message, text);
    return schema;
}

/* The whole text; free() it. */
static inline char *printed(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0);
    char *text = malloc(size + 1);
    cr_assert_eq(lam_schema_print(schema, text, size + 1), size);
    cr_assert_eq(strlen(text), size);
    return text;
}

/* The message of a text that must be refused; static. */
static inline const char *refused(const char *text) {
    static lam_error error;
    lam_schema *schema = NULL;
    error = lam_error_none();
    cr_assert_eq(lam_schema_parse(text, strlen(text), NULL, &schema, &error), LAM_STATUS_INVALID,
                 "accepted: %s", text);
    cr_assert_null(schema);
    return error.message;
}

/* A name of up to five pieces, which end in a number so that siblings differ. */
static inline void random_name(lam_random *random, size_t number, char *name, size_t capacity) {
    static const char *const pieces[] = {
        "a",     "b.c",     " ",     ";",  "{",  "}",    "(",  ")",  "=",  ",",
        "\"",    "\\",      "#",     "//", "/*", "*/",   "\n", "\r", "\t", "\x01",
        "\x7F",  "message", "group", "x",  "ö",  "上海", "😀",  "7",  "-",  "/",
        "\\x41", "'",       "[]",    "[",  "]",  "*",    "!",  ":",  "in", "."};
    name[0] = '\0';
    for (size_t n = lam_random_below(random, 6); n > 0; n--)
        strcat(name, pieces[lam_random_below(random, sizeof pieces / sizeof pieces[0])]);
    size_t length = strlen(name);
    if (number > 0)
        snprintf(name + length, capacity - length, "%zu", number);
}

static inline const char *random_crs(lam_random *random) {
    static const char *const texts[] = {"OGC:CRS84",
                                        "",
                                        "KARNEY",
                                        "spherical",
                                        "srid:4326",
                                        "a b",
                                        "{\"type\": \"GeographicCRS\"}",
                                        "x,y",
                                        "\"",
                                        "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
                                        "#",
                                        "größe",
                                        "line\nbreak"};
    size_t count = sizeof texts / sizeof texts[0];
    size_t index = (size_t)lam_random_below(random, count + 1);
    return index < count ? texts[index] : NULL;
}

/* A logical type that goes with the physical one, which it may narrow to a length. */
static inline lam_field_options random_options(lam_random *random, lam_physical_type type) {
    lam_field_options options;
    memset(&options, 0, sizeof options);
    lam_logical_type *logical = &options.logical_type;
    bool fixed = type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    static const int32_t lengths[] = {16, 2, 12, 5};
    size_t length = (size_t)lam_random_below(random, 4);
    options.type_length = fixed ? lengths[length] : 0;
    options.has_id = lam_random_chance(random, 30);
    options.id = options.has_id ? (int32_t)lam_random_next(random) : 0;
    if (lam_random_chance(random, 30))
        return options;
    unsigned choice = (unsigned)lam_random_below(random, 12);
    static const lam_logical_kind of_groups[] = {
        LAM_LOGICAL_LIST, LAM_LOGICAL_MAP,     LAM_LOGICAL_MAP_KEY_VALUE,
        LAM_LOGICAL_FILE, LAM_LOGICAL_VARIANT, LAM_LOGICAL_UNRECOGNIZED};
    static const lam_logical_kind of_binaries[] = {
        LAM_LOGICAL_STRING,  LAM_LOGICAL_ENUM,     LAM_LOGICAL_JSON,      LAM_LOGICAL_BSON,
        LAM_LOGICAL_DECIMAL, LAM_LOGICAL_GEOMETRY, LAM_LOGICAL_GEOGRAPHY, LAM_LOGICAL_GEOGRAPHY};
    static const lam_logical_kind of_lengths[] = {LAM_LOGICAL_UUID, LAM_LOGICAL_FLOAT16,
                                                  LAM_LOGICAL_INTERVAL, LAM_LOGICAL_DECIMAL};
    static const lam_logical_kind of_int32[] = {LAM_LOGICAL_DATE, LAM_LOGICAL_TIME,
                                                LAM_LOGICAL_INTEGER, LAM_LOGICAL_DECIMAL};
    static const lam_logical_kind of_int64[] = {LAM_LOGICAL_TIMESTAMP, LAM_LOGICAL_TIME,
                                                LAM_LOGICAL_INTEGER, LAM_LOGICAL_DECIMAL};
    if (type == LAM_PHYSICAL_GROUP)
        logical->kind = of_groups[choice % 6];
    else if (choice == 11)
        logical->kind = LAM_LOGICAL_UNKNOWN;
    else if (type == LAM_PHYSICAL_BYTE_ARRAY)
        logical->kind = of_binaries[choice % 8];
    else if (fixed)
        logical->kind = of_lengths[length];
    else if (type == LAM_PHYSICAL_INT32)
        logical->kind = of_int32[choice % 4];
    else if (type == LAM_PHYSICAL_INT64)
        logical->kind = of_int64[choice % 4];
    bool flag = lam_random_chance(random, 50);
    bool wide = type == LAM_PHYSICAL_INT64;
    switch (logical->kind) {
    case LAM_LOGICAL_DECIMAL:
        logical->precision = 1 + (int32_t)lam_random_below(random, 9);
        logical->scale = (int32_t)lam_random_below(random, (uint64_t)logical->precision + 1);
        break;
    case LAM_LOGICAL_TIME:
        logical->unit = !wide  ? LAM_TIME_UNIT_MILLIS
                        : flag ? LAM_TIME_UNIT_MICROS
                               : LAM_TIME_UNIT_NANOS;
        logical->adjusted_to_utc = lam_random_chance(random, 50);
        break;
    case LAM_LOGICAL_TIMESTAMP:
        logical->unit = (lam_time_unit)(1 + lam_random_below(random, 3));
        logical->adjusted_to_utc = flag;
        break;
    case LAM_LOGICAL_INTEGER:
        logical->bit_width = wide ? 64 : (int8_t)(8 << lam_random_below(random, 3));
        logical->is_signed = flag;
        break;
    case LAM_LOGICAL_VARIANT:
        logical->version = flag ? 1 : 0;
        break;
    case LAM_LOGICAL_GEOGRAPHY:
        logical->algorithm = (lam_edge_algorithm)lam_random_below(random, 6);
        logical->crs = random_crs(random);
        break;
    case LAM_LOGICAL_GEOMETRY:
        logical->crs = random_crs(random);
        break;
    default:
        break;
    }
    return options;
}

/* A schema of up to about `fields` fields, at most `deepest` levels deep. */
static inline lam_schema *random_schema(lam_random *random, size_t fields, size_t deepest) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_error error = lam_error_none();
    char name[80];
    random_name(random, lam_random_below(random, 2), name, sizeof name);
    cr_assert_eq(lam_schema_builder_create(name, NULL, &builder, &error), LAM_STATUS_OK);
    size_t depth = 0;
    bool empty = false; /* the open group has no field yet */
    for (size_t n = lam_random_below(random, fields + 1); n > 0 || empty; n -= n > 0) {
        bool group = n > 0 && depth + 1 < deepest && lam_random_chance(random, 40);
        lam_physical_type type =
            group ? LAM_PHYSICAL_GROUP : (lam_physical_type)lam_random_below(random, 8);
        lam_repetition repetition = (lam_repetition)lam_random_below(random, 3);
        lam_field_options options = random_options(random, type);
        random_name(random, n, name, sizeof name);
        lam_status status =
            group ? lam_schema_builder_begin_group(builder, name, repetition, &options, &error)
                  : lam_schema_builder_add_leaf(builder, name, repetition, type, &options, &error);
        if (status == LAM_STATUS_INVALID && strstr(error.message, "two fields") != NULL)
            continue; /* "1" and "" + "1" */
        cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
        depth += group;
        empty = group;
        while (!empty && depth > 0 && lam_random_chance(random, 25)) {
            cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_OK);
            depth--;
        }
    }
    for (; depth > 0; depth--)
        cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

#endif
