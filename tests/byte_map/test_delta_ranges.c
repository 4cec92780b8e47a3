/* SPDX-License-Identifier: Apache-2.0 */
/* Differences and strings of them by hand: they are shown as far as their bytes go. */
#include "byte_map/encodings/delta_ranges.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "byte_map/encodings/delta_strings.h"
#include "byte_map/range_lines.h"
#include "file/file_sample.h"

TestSuite(delta_ranges);

/* A page by hand. */
typedef struct hand_page {
    uint8_t bytes[128];
    size_t size;
    const lam_field *leaf;
} hand_page;

static void put(hand_page *page, const void *bytes, size_t size) {
    cr_assert_leq(size, sizeof page->bytes - page->size);
    memcpy(page->bytes + page->size, bytes, size);
    page->size += size;
}

static void put_zeros(hand_page *page, size_t size) {
    static const uint8_t zeros[64];
    put(page, zeros, size);
}

static lam_byte_view view_of(const hand_page *page) {
    return (lam_byte_view){page->bytes, page->size, 0};
}

static lam_status report_numbers(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_page *page = what;
    return lam_byte_delta_binary_packed(walk, view_of(page), page->leaf, error);
}

static lam_status report_lengths(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_page *page = what;
    return lam_byte_delta_length(walk, view_of(page), page->leaf, error);
}

static lam_status report_prefixed(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_page *page = what;
    return lam_byte_delta_byte_array(walk, view_of(page), page->leaf, error);
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* A text has the widths of 8 miniblocks; the range all of them. */
Test(delta_ranges, a_block_may_have_more_miniblocks_than_a_text_shows) {
    lam_schema *schema = lam_test_schema("message m { required int64 a; }");
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    hand_page page = {.leaf = lam_schema_leaf(schema, 0)};
    put(&page, "\x80\x04\x10\x03\x0A", 5); /* blocks of 512, 16 miniblocks, 3 values from 5 on */
    put(&page, "\x04", 1);                 /* each is 2 more than the one before */
    put_zeros(&page, 16);
    lam_range_lines_expect(&walk, report_numbers, &page,
                           "0 0+22 deltas\n1 0+5 delta_header\n2 0+2 varint block_size: 512\n"
                           "2 2+1 varint miniblocks: 16\n2 3+1 varint values: 3\n"
                           "2 4+1 varint first_value: 5\n1 5+17 delta_block\n"
                           "2 5+1 varint min_delta: 2\n"
                           "2 6+16 bit_width of each miniblock: 0 0 0 0 0 0 0 0\n"
                           "2 22+0 miniblock: 7\n");
    lam_schema_destroy(schema);
}

#define HEAD_OF_128 "2 0+2 varint block_size: 128\n2 2+1 varint miniblocks: 4\n"

Test(delta_ranges, a_block_that_is_not_whole_is_unknown) {
    static const struct {
        const char *bytes; /* of the block */
        size_t size;
    } cases[] = {
        {"", 0},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\0\0\0\0", 15}, /* more than 64 bits */
        {"\x04\0\0\0", 4},                                            /* 3 widths of 4 */
        {"\x04\x41\0\0\0", 5},                                        /* 65 bits */
        {"\x04\x01\0\0\0\xAA", 6},                                    /* 1 byte of 4 */
    };
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[500], unknown[100] = "";
        hand_page page = {.leaf = lam_schema_leaf(schema, 0)};
        put(&page, "\x80\x01\x04\x03\x0A", 5);
        put(&page, cases[i].bytes, cases[i].size);
        if (cases[i].size > 0)
            snprintf(unknown, sizeof unknown,
                     "1 5+%zu unknown -- the bytes end inside a block of differences\n",
                     cases[i].size);
        snprintf(lines, sizeof lines,
                 "0 0+%zu deltas\n1 0+5 delta_header\n" HEAD_OF_128
                 "2 3+1 varint values: 3\n2 4+1 varint first_value: 5\n%s",
                 page.size, unknown);
        lam_range_lines_expect(&walk, report_numbers, &page, lines);
    }
    lam_schema_destroy(schema);
}

/* --- Strings ------------------------------------------------------------------------------- */

/* Puts the header of a stream that has one block of up to 32 values, all of the same difference. */
static void put_lengths(hand_page *page, uint8_t count, uint8_t first, uint8_t difference) {
    const uint8_t bytes[] = {0x80, 0x01, 4, count, first, difference};
    put(page, bytes, count > 1 ? 6 : 5);
    if (count > 1)
        put_zeros(page, 4);
}

static lam_range_lines said;

/* The lines of ranges at the top, behind the lengths. */
static void expect_outline(lam_range_call *call, const hand_page *page, const char *expected) {
    lam_byte_walk walk = lam_range_lines_walk(&said);
    lam_error error = lam_error_none();
    said = (lam_range_lines){.is_outline = true};
    cr_assert_eq(call(&walk, page, &error), LAM_STATUS_OK);
    cr_expect_str_eq(said.text, expected, "%s", said.text);
    uint64_t ranges = said.ranges;
    for (uint64_t i = 1; i <= ranges; i++) {
        said = (lam_range_lines){.is_outline = true, .fail_at = i};
        walk = lam_range_lines_walk(&said);
        cr_assert_eq(call(&walk, page, &error), LAM_STATUS_STATE, "range %u", (unsigned)i);
    }
}

Test(delta_ranges, strings_without_bytes_are_one_range_wherever_they_stand) {
    lam_schema *schema = lam_test_schema("message m { required binary a (STRING); }");
    hand_page behind = {.leaf = lam_schema_leaf(schema, 0)}, before = behind, odd = behind;
    put_lengths(&behind, 1, 0, 0); /* one, of 0 bytes */
    expect_outline(report_lengths, &behind, "0 0+5 deltas lengths\n0 5+0 value: \"\"\n");
    put_lengths(&before, 2, 0, 4); /* 0 and 2 bytes */
    put(&before, "xy", 2);
    expect_outline(report_lengths, &before,
                   "0 0+10 deltas lengths\n0 10+0 value: \"\"\n0 10+2 value: \"xy\"\n");
    put_lengths(&odd, 2, 0, 1); /* 0 and -1 bytes */
    put(&odd, "xy", 2);
    expect_outline(report_lengths, &odd,
                   "0 0+10 deltas lengths\n0 10+0 value: \"\"\n"
                   "0 10+2 unknown -- bytes behind the last value\n");
    lam_schema_destroy(schema);
}

Test(delta_ranges, values_that_are_prefixes_only_are_one_range_while_they_are_equal) {
    lam_schema *schema = lam_test_schema("message m { required binary a (STRING); }");
    hand_page page = {.leaf = lam_schema_leaf(schema, 0)};
    put(&page, "\x80\x01\x04\x04\x00\x01", 6); /* prefixes 0 2 1 0: differences from -1 on */
    put(&page, "\x02\0\0\0", 4);
    put(&page, "\x03\0\0\0\0\0\0\0", 8);       /* +2 -1 -1: 3 0 0 in 2 bits */
    put(&page, "\x80\x01\x04\x04\x04\x03", 6); /* suffixes 2 0 0 0: differences from -2 on */
    put(&page, "\x02\0\0\0", 4);
    put(&page, "\x28\0\0\0\0\0\0\0", 8); /* 0 2 2 in 2 bits */
    put(&page, "ab", 2);
    expect_outline(report_prefixed, &page,
                   "0 0+18 deltas prefix lengths\n0 18+18 deltas suffix lengths\n"
                   "0 36+2 value suffix: \"ab\"\n0 38+0 value suffix: \"ab\"\n"
                   "0 38+0 value suffix: \"a\"\n0 38+0 value suffix: \"\"\n");
    lam_schema_destroy(schema);
}

Test(delta_ranges, a_prefix_is_of_the_value_before) {
    lam_schema *schema = lam_test_schema("message m { required binary a (STRING); }");
    hand_page first = {.leaf = lam_schema_leaf(schema, 0)}, none = first;
    put_lengths(&first, 1, 2, 0); /* a prefix of 1 byte, of nothing */
    put_lengths(&first, 1, 4, 0);
    put(&first, "ab", 2);
    expect_outline(report_prefixed, &first,
                   "0 0+5 deltas prefix lengths\n0 5+5 deltas suffix lengths\n"
                   "0 10+2 unknown -- a prefix is longer than the value before\n");
    put_lengths(&none, 0, 0, 0); /* no prefix, and one suffix */
    put_lengths(&none, 1, 4, 0);
    put(&none, "ab", 2);
    expect_outline(report_prefixed, &none,
                   "0 0+5 deltas prefix lengths\n0 5+5 deltas suffix lengths\n"
                   "0 10+2 unknown -- a prefix is longer than the value before\n");
    lam_schema_destroy(schema);
}

/* The bytes of a VARIANT that begin with those of another do not stand here as a whole. */
Test(delta_ranges, a_variant_is_opened_where_all_of_its_bytes_stand) {
    lam_schema *schema = lam_test_schema("message m { optional group v (VARIANT) { required binary "
                                         "metadata; required binary value; } }");
    lam_byte_walk walk = lam_range_lines_walk(&said);
    hand_page page = {.leaf = lam_schema_leaf(schema, 1)};
    said = (lam_range_lines){.is_outline = false};
    put_lengths(&page, 2, 0, 2);   /* prefixes of 0 and 1 bytes */
    put_lengths(&page, 2, 4, 1);   /* suffixes of 2 and 1 bytes */
    put(&page, "\x0C\x07\x08", 3); /* the numbers 7 and 8 in a byte */
    cr_assert_eq(report_prefixed(&walk, &page, NULL), LAM_STATUS_OK);
    cr_expect(strstr(said.text, "0 20+2 value suffix: 0x0c07\n1 20+2 variant_value") != NULL, "%s",
              said.text);
    cr_expect(strstr(said.text, "0 22+1 value suffix: 0x0c08\n") != NULL, "%s", said.text);
    cr_expect(strstr(said.text, "1 22+1") == NULL, "%s", said.text);
    lam_schema_destroy(schema);
}
