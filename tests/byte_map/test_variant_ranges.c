/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of VARIANTs: ranges cover metadata and values whatever their bytes are, and say what
 * the accessors of lamella/variant.h read.
 */
#define _POSIX_C_SOURCE 200809L
#include "byte_map/encodings/variant_ranges.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/json.h>
#include <stdio.h>
#include <string.h>

#include "byte_map/byte_tiles.h"
#include "byte_map/encodings/value_ranges.h"
#include "byte_map/encodings/variant_text.h"
#include "byte_map/range_lines.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "variant/random_variant.h"
#include "variant/variant_help.h"

TestSuite(variant_ranges, .timeout = 100);

/* --- What ranges say ----------------------------------------------------------------------- */

/* All ranges as lines: depth, begin, length, kind, index, label, [count], : value, -- note. */
typedef struct told_ranges {
    char text[4096];
    size_t size;
} told_ranges;

static lam_status tell_range(void *state, const lam_byte_range *range) {
    told_ranges *told = state;
    char *at = told->text + told->size;
    size_t room = sizeof told->text - told->size;
    const char *kind = lam_byte_kind_name(range->kind);
    kind += strncmp(kind, "variant_", 8) == 0 ? 8 : 0;
    int size = snprintf(at, room, "%*s%" PRIu64 "+%" PRIu64 " %s", (int)range->depth, "",
                        range->begin, range->length, kind);
    char index[24] = "", count[24] = "";
    if (range->index >= 0)
        snprintf(index, sizeof index, " %" PRId64, range->index);
    if (range->count >= 0)
        snprintf(count, sizeof count, " [%" PRId64 "]", range->count);
    size +=
        snprintf(at + size, room - (size_t)size, "%s%s%s%s%s%s%s%s\n", index,
                 range->label == NULL ? "" : " ", range->label == NULL ? "" : range->label, count,
                 range->value == NULL ? "" : ": ", range->value == NULL ? "" : range->value,
                 range->note == NULL ? "" : " -- ", range->note == NULL ? "" : range->note);
    told->size += (size_t)size;
    cr_assert_lt(told->size, sizeof told->text);
    return LAM_STATUS_OK;
}

/* What is told of a pair of hex digits. */
static void expect_told(const char *metadata, const char *value, const char *expected) {
    static told_ranges told;
    lam_error error = lam_error_none();
    lam_byte_tiles tiles = {.each = tell_range, .state = &told};
    lam_variant variant = hex_variant(metadata, value);
    told.size = 0;
    told.text[0] = '\0';
    cr_assert_eq(
        lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, NULL, value, &error),
        LAM_STATUS_OK, "%s", error.message);
    cr_assert_str_eq(told.text, expected, "%s | %s:\n%s", metadata, value, told.text);
    free_variant(variant);
}

Test(variant_ranges, of_an_object_have_the_names_of_its_fields) {
    expect_told("11 02 00 01 03 61 62 63", "02 02 00 01 00 02 04 0C 07 05 78",
                "0+8 metadata [2]\n"
                " 0+1 header: version 1, sorted names, offsets of 1 byte\n"
                " 1+1 count: 2\n"
                " 2+3 offsets [3]: 0 1 3\n"
                "  2+1 offset 0: 0\n"
                "  3+1 offset 1: 1\n"
                "  4+1 offset 2 end: 3\n"
                " 5+1 name 0: \"a\"\n"
                " 6+2 name 1: \"bc\"\n"
                "0+11 value object [2]\n"
                " 0+1 header: object; count, ids and offsets of 1, 1 and 1 bytes\n"
                " 1+1 count: 2\n"
                " 2+2 ids [2]: 0 1\n"
                "  2+1 id 0: 0 \"a\"\n"
                "  3+1 id 1: 1 \"bc\"\n"
                " 4+3 offsets [3]: 0 2 4\n"
                "  4+1 offset 0: 0\n"
                "  5+1 offset 1: 2\n"
                "  6+1 offset 2 end: 4\n"
                " 7+2 value 0 int8: 7\n"
                "  7+1 header: int8\n"
                "  8+1 value_bytes: 7\n"
                " 9+2 value 1 string: \"x\"\n"
                "  9+1 header: string of 1 byte\n"
                "  10+1 value_bytes: \"x\"\n");
}

Test(variant_ranges, of_an_array_are_its_elements_which_may_be_arrays) {
    expect_told("01 00 00", "07 02 00 00 01 00 08 00 00 03 00 00 03 01 00 01 00 00",
                "0+3 metadata [0]\n"
                " 0+1 header: version 1, unsorted names, offsets of 1 byte\n"
                " 1+1 count: 0\n"
                " 2+1 offsets [1]: 0\n"
                "  2+1 offset 0 end: 0\n"
                "0+16 value array [2]\n"
                " 0+1 header: array; count and offsets of 1 and 2 bytes\n"
                " 1+1 count: 2\n"
                " 2+6 offsets [3]: 0 1 8\n"
                "  2+2 offset 0: 0\n"
                "  4+2 offset 1: 1\n"
                "  6+2 offset 2 end: 8\n"
                " 8+1 value 0 null: null\n"
                "  8+1 header: null\n"
                " 9+3 value 1 array [0]\n"
                "  9+1 header: array; count and offsets of 1 and 1 bytes\n"
                "  10+1 count: 0\n"
                "  11+1 offsets [1]: 0\n"
                "   11+1 offset 0 end: 0\n"
                " 12+4 gap -- of no field or element\n"
                "16+2 unknown -- bytes behind the value\n");
}

Test(variant_ranges, have_the_lengths_of_strings_and_the_scales_of_decimals) {
    expect_told("", "40 03 00 00 00 61 62 63",
                "0+8 value string: \"abc\"\n"
                " 0+1 header: string\n"
                " 1+4 value_length: 3\n"
                " 5+3 value_bytes: \"abc\"\n");
    expect_told("", "20 02 83 FF FF FF",
                "0+6 value decimal4: -1.25\n"
                " 0+1 header: decimal4\n"
                " 1+1 number scale: 2\n"
                " 2+4 number unscaled: -125\n");
}

/* As byte_text has them for columns of the same meaning. */
Test(variant_ranges, have_the_text_of_every_scalar) {
    static const char *const pairs[][2] = {
        {"00", "null"},
        {"04", "true"},
        {"08", "false"},
        {"0C FF", "-1"},
        {"10 2C 01", "300"},
        {"14 FF FF FF 7F", "2147483647"},
        {"18 00 00 00 00 00 00 00 80", "-9223372036854775808"},
        {"1C 00 00 00 00 00 00 F8 3F", "1.5"},
        {"1C 00 00 00 00 00 00 F8 7F", "NaN"},
        {"20 00 07 00 00 00", "7"},
        {"24 05 07 00 00 00 00 00 00 00", "0.00007"},
        {"28 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80",
         "-170141183460469231731687303715884105728"},
        {"28 26 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 7F",
         "1.70141183460469231731687303715884105727"},
        {"2C 01 00 00 00", "1970-01-02"},
        {"30 40 42 0F 00 00 00 00 00", "1970-01-01T00:00:01.000000Z"},
        {"34 40 42 0F 00 00 00 00 00", "1970-01-01T00:00:01.000000"},
        {"38 00 00 C0 3F", "1.5"},
        {"3C 02 00 00 00 00 FF", "0x00ff"},
        {"44 40 42 0F 00 00 00 00 00", "00:00:01.000000"},
        {"44 FF FF FF FF FF FF FF FF", "-1"}, /* no time of a day */
        {"48 01 00 00 00 00 00 00 00", "1970-01-01T00:00:00.000000001Z"},
        {"4C 01 00 00 00 00 00 00 00", "1970-01-01T00:00:00.000000001"},
        {"50 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF",
         "00112233-4455-6677-8899-aabbccddeeff"},
        {"01", "\"\""},
        {"09 C3 A4", "\"\xC3\xA4\""}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        static told_ranges told;
        char expected[100];
        lam_byte_tiles tiles = {.each = tell_range, .state = &told};
        lam_variant variant = hex_variant("", pairs[i][0]);
        told.size = 0;
        cr_assert_eq(lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, NULL,
                                                 pairs[i][0], NULL),
                     LAM_STATUS_OK);
        *strchr(told.text, '\n') = '\0';
        snprintf(expected, sizeof expected, ": %s", pairs[i][1]);
        const char *found = strstr(told.text, ": ");
        cr_assert_not_null(found, "%s", told.text);
        cr_assert_str_eq(found, expected);
        free_variant(variant);
    }
}

/* --- Damage -------------------------------------------------------------------------------- */

Test(variant_ranges, of_values_in_any_order_stand_in_the_order_of_their_bytes) {
    expect_told("", "03 02 02 00 04 0C 01 0C 02",
                "0+9 value array [2]\n"
                " 0+1 header: array; count and offsets of 1 and 1 bytes\n"
                " 1+1 count: 2\n"
                " 2+3 offsets [3]: 2 0 4\n"
                "  2+1 offset 0: 2\n"
                "  3+1 offset 1: 0\n"
                "  4+1 offset 2 end: 4\n"
                " 5+2 value 1 int8: 1\n"
                "  5+1 header: int8\n"
                "  6+1 value_bytes: 1\n"
                " 7+2 value 0 int8: 2\n"
                "  7+1 header: int8\n"
                "  8+1 value_bytes: 2\n");
}

Test(variant_ranges, give_each_byte_to_one_value_alone) {
    /* Elements 0 and 1 are the same bytes, 2 lies inside of them, 3 outside, 4 ends early. */
    expect_told("", "03 05 00 00 01 09 03 05 10 01 02 10 10",
                "0+13 value array [5]\n"
                " 0+1 header: array; count and offsets of 1 and 1 bytes\n"
                " 1+1 count: 5\n"
                " 2+6 offsets [6]: 0 0 1 9 3 5\n"
                "  2+1 offset 0: 0\n"
                "  3+1 offset 1: 0\n"
                "  4+1 offset 2: 1\n"
                "  5+1 offset 3: 9\n"
                "  6+1 offset 4: 3\n"
                "  7+1 offset 5 end: 5\n"
                " 8+3 value 0 int16: 513\n"
                "  8+1 header: int16\n"
                "  9+2 value_bytes: 513\n"
                " 11+0 unknown 1 -- its bytes belong to another value\n"
                " 11+0 unknown 2 -- its bytes belong to another value\n"
                " 11+2 unknown 4 -- a value ends early\n"
                " 13+0 unknown 3 -- an offset outside of its object or array\n");
}

Test(variant_ranges, of_damage_say_what_is_wrong) {
    expect_told("", "FC 01", "0+2 unknown -- a value of a type that is not known\n");
    expect_told("", "02 01", "0+2 unknown -- a value ends early\n");
    expect_told("03 00", "00",
                "0+2 metadata\n"
                " 0+1 header: version 3, unsorted names, offsets of 1 byte\n"
                " 1+1 unknown -- metadata of a version other than 1\n"
                "0+1 value null: null\n"
                " 0+1 header: null\n");
    expect_told("01 00", "00",
                "0+2 metadata [0]\n"
                " 0+1 header: version 1, unsorted names, offsets of 1 byte\n"
                " 1+1 count: 0\n"
                "0+1 value null: null\n"
                " 0+1 header: null\n");
    expect_told("01 02 01 02 01 61 62 63", "02 01 05 00 01 00",
                "0+8 metadata [2]\n"
                " 0+1 header: version 1, unsorted names, offsets of 1 byte\n"
                " 1+1 count: 2\n"
                " 2+3 offsets [3]: 1 2 1\n"
                "  2+1 offset 0: 1\n"
                "  3+1 offset 1: 2\n"
                "  4+1 offset 2 end: 1\n"
                " 5+1 unknown -- bytes before the first name\n"
                " 6+1 name 0: \"b\"\n"
                " 7+1 unknown -- offsets of names that fall, or lie outside\n"
                "0+6 value object [1]\n"
                " 0+1 header: object; count, ids and offsets of 1, 1 and 1 bytes\n"
                " 1+1 count: 1\n"
                " 2+1 ids [1]: 5\n"
                "  2+1 id 0: 5 -- the dictionary has no such name\n"
                " 3+2 offsets [2]: 0 1\n"
                "  3+1 offset 0: 0\n"
                "  4+1 offset 1 end: 1\n"
                " 5+1 value 0 null: null\n"
                "  5+1 header: null\n");
}

Test(variant_ranges, are_opened_to_a_depth_that_printers_can_take) {
    enum { DEEP = 300 };
    uint8_t bytes[7 * DEEP + 1];
    lam_byte_tiles tiles = {0};
    size_t size = 1;
    bytes[0] = 0;
    for (size_t i = 0; i < DEEP; i++) { /* an array of one element, with offsets of 2 bytes */
        uint8_t head[6] = {7, 1, 0, 0, (uint8_t)size, (uint8_t)(size >> 8)};
        memmove(bytes + sizeof head, bytes, size);
        memcpy(bytes, head, sizeof head);
        size += sizeof head;
    }
    cr_assert_eq(lam_byte_tiles_walk_variant(&tiles, (lam_bytes){NULL, 0}, (lam_bytes){bytes, size},
                                             NULL, "deep", NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(tiles.counts[LAM_BYTE_VARIANT_VALUE], 65);
    cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0);
}

/* --- Any bytes ----------------------------------------------------------------------------- */

/* Values that an object or array has inside, and itself. */
static uint64_t count_values(lam_variant variant) {
    lam_variant_iterator iterator;
    uint64_t count = 1;
    bool more = true;
    if (lam_variant_iterate(variant, &iterator, NULL) != LAM_STATUS_OK)
        return 1;
    for (;;) {
        lam_variant child;
        cr_assert_eq(lam_variant_next(&iterator, NULL, &child, &more, NULL), LAM_STATUS_OK);
        if (!more)
            return count;
        count += count_values(child);
    }
}

static void try_variant(lam_variant variant, lam_random *random, uint64_t seed) {
    char name[60];
    lam_byte_tiles tiles = {0};
    lam_byte_map_options tight = lam_byte_map_options_default();
    snprintf(name, sizeof name, "seed %" PRIu64, seed);
    cr_assert_eq(
        lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, NULL, name, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(tiles.counts[LAM_BYTE_VARIANT_VALUE], count_values(variant), "%s", name);
    cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN] + tiles.counts[LAM_BYTE_GAP], 0, "%s: %s", name,
                 tiles.unknown);
    uint8_t *metadata = exact_block(variant.metadata.data, variant.metadata.size);
    uint8_t *value = exact_block(variant.value.data, variant.value.size);
    for (int change = 0; change < 20; change++) {
        lam_byte_tiles damaged = {.depth = (uint32_t)lam_random_below(random, 4)};
        size_t names_size = variant.metadata.size - (size_t)lam_random_below(random, 2);
        metadata[lam_random_below(random, variant.metadata.size)] =
            (uint8_t)lam_random_next(random);
        value[lam_random_below(random, variant.value.size)] = (uint8_t)lam_random_next(random);
        tight.memory_limit = 1 + lam_random_below(random, 300);
        cr_assert_eq(lam_byte_tiles_walk_variant(&damaged, (lam_bytes){metadata, names_size},
                                                 (lam_bytes){value, variant.value.size},
                                                 change % 2 == 0 ? NULL : &tight, name, NULL),
                     LAM_STATUS_OK);
        cr_assert_leq(damaged.ranges, 8 * (names_size + variant.value.size) + 8, "%s", name);
        lam_byte_tiles ended = {.fail_at = 1 + lam_random_below(random, damaged.ranges)};
        ended.depth = damaged.depth;
        cr_assert_eq(lam_byte_tiles_walk_variant(&ended, (lam_bytes){metadata, names_size},
                                                 (lam_bytes){value, variant.value.size},
                                                 change % 2 == 0 ? NULL : &tight, name, NULL),
                     LAM_STATUS_STATE, "%s: range %" PRIu64, name, ended.fail_at);
    }
    free(metadata);
    free(value);
}

Test(variant_ranges, cover_random_values_whole_and_damaged) {
    uint64_t seed = lam_test_seed(4711);
    lam_random random = lam_random_start(seed);
    lam_variant_builder *builder;
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    for (unsigned i = 0; i < 400; i++) {
        lam_variant variant;
        lam_random_variant(&random, builder, i % 60);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        try_variant(variant, &random, seed);
    }
    lam_variant_builder_destroy(builder);
}

Test(variant_ranges, end_with_what_the_visitor_or_the_allocator_fails_with) {
    lam_variant variant =
        hex_variant("01 01 00 01 61", "02 01 00 00 08 03 01 00 04 03 01 00 01 00");
    lam_byte_tiles all = {0};
    cr_assert_eq(
        lam_byte_tiles_walk_variant(&all, variant.metadata, variant.value, NULL, "all", NULL),
        LAM_STATUS_OK);
    for (uint64_t at = 1; at <= all.ranges; at++) {
        lam_byte_tiles tiles = {.fail_at = at};
        lam_failing_alloc counter = {0};
        lam_byte_map_options options = lam_byte_map_options_default();
        lam_allocator allocator = lam_failing_allocator(&counter);
        options.allocator = &allocator;
        cr_assert_eq(lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, &options,
                                                 "fails", NULL),
                     LAM_STATUS_STATE);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_failing_alloc counter = {0}; /* request 2 is for the fields of the array inside */
    lam_byte_map_options options = lam_byte_map_options_default();
    lam_allocator allocator = lam_failing_allocator(&counter);
    options.allocator = &allocator;
    for (int i = 0; i < 2; i++) {
        lam_byte_tiles tiles = {0};
        lam_error error = lam_error_none();
        counter = (lam_failing_alloc){.fail_at = 2};
        cr_assert_eq(lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, &options,
                                                 "no memory", i == 0 ? &error : NULL),
                     LAM_STATUS_NOMEM);
        cr_assert_eq(error.status, i == 0 ? LAM_STATUS_NOMEM : LAM_STATUS_OK);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_byte_tiles tiles = {0};
    options.struct_size = 3;
    cr_assert_eq(lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, &options,
                                             "no options", NULL),
                 LAM_STATUS_INVALID);
    free_variant(variant);
}

Test(variant_ranges, are_for_the_metadata_and_value_columns_of_a_variant_alone) {
    lam_schema *schema = lam_test_schema(
        "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
        " optional group typed_value { required group value { optional binary value; "
        " optional binary typed_value (STRING); } required group n { optional binary value; "
        " optional int32 typed_value; } } } optional group g { required binary metadata; "
        " optional binary value; } }");
    static const lam_byte_variant roles[] = {
        LAM_BYTE_OF_VARIANT_METADATA, LAM_BYTE_OF_VARIANT_VALUE, LAM_BYTE_OF_VARIANT_VALUE,
        LAM_BYTE_VARIANT_NONE,        LAM_BYTE_OF_VARIANT_VALUE, LAM_BYTE_VARIANT_NONE,
        LAM_BYTE_VARIANT_NONE,        LAM_BYTE_VARIANT_NONE};
    cr_assert_eq(lam_schema_leaf_count(schema), sizeof roles / sizeof roles[0]);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++)
        cr_assert_eq(lam_byte_variant_of_leaf(lam_schema_leaf(schema, i)), roles[i], "%zu", i);
    lam_schema_destroy(schema);
}

/* Values of such a type are not opened, so that this is of a header alone. */
Test(variant_ranges, a_header_of_an_unknown_type_has_its_number) {
    lam_byte_text text;
    lam_byte_text_of_variant_header((uint8_t)(21u << 2), &text);
    cr_assert_str_eq(text.text, "primitive type 21, which is not known");
    lam_byte_text_of_variant_header((uint8_t)(20u << 2), &text);
    cr_assert_str_eq(text.text, "uuid");
}

static lam_status report_plain(lam_byte_walk *walk, const void *what, lam_error *error) {
    /* Of one byte array each: an empty dictionary of names, and the number 7 in a byte. */
    static const uint8_t metadata[] = {3, 0, 0, 0, 0x01, 0x00, 0x00};
    static const uint8_t value[] = {2, 0, 0, 0, 0x0C, 0x07};
    const lam_schema *schema = what;
    lam_byte_values values = {LAM_ENCODING_PLAIN, lam_schema_leaf(schema, 0), 1};
    LAM_TRY(
        lam_byte_values_of(walk, (lam_byte_view){metadata, sizeof metadata, 0}, &values, error));
    values.leaf = lam_schema_leaf(schema, 1);
    return lam_byte_values_of(walk, (lam_byte_view){value, sizeof value, 0}, &values, error);
}

Test(variant_ranges, of_a_plain_page_are_opened_by_their_column) {
    lam_schema *schema = lam_test_schema("message m { optional group v (VARIANT) { required binary "
                                         "metadata; required binary value; } }");
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    lam_range_lines_expect(&walk, report_plain, schema,
                           "0 0+7 values PLAIN\n"
                           "1 0+7 value: 0x010000\n"
                           "2 0+4 value_length: 3\n"
                           "2 4+3 variant_metadata\n"
                           "3 4+1 variant_header: version 1, unsorted names, offsets of 1 byte\n"
                           "3 5+1 variant_count: 0\n"
                           "3 6+1 variant_offsets: 0\n"
                           "4 6+1 variant_offset end: 0\n"
                           "0 0+6 values PLAIN\n"
                           "1 0+6 value: 0x0c07\n"
                           "2 0+4 value_length: 2\n"
                           "2 4+2 variant_value int8: 7\n"
                           "3 4+1 variant_header: int8\n"
                           "3 5+1 value_bytes: 7\n");
    lam_schema_destroy(schema);
}

Test(variant_ranges, a_value_without_bytes_has_no_range) {
    lam_variant variant = hex_variant("01 00 00", "00");
    lam_byte_tiles tiles = {0};
    variant.value.size = 0;
    cr_assert_eq(lam_byte_tiles_walk_variant(&tiles, variant.metadata, variant.value, NULL,
                                             "no value", NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(tiles.counts[LAM_BYTE_VARIANT_METADATA], 1);
    cr_assert_eq(tiles.counts[LAM_BYTE_VARIANT_VALUE] + tiles.counts[LAM_BYTE_UNKNOWN], 0);
    variant.value.size = 1;
    free_variant(variant);
}
