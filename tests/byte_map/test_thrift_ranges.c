/* SPDX-License-Identifier: Apache-2.0 */
/* Structs by field, from bytes made by hand. */
#include "byte_map/walk/thrift_ranges.h"

#include "byte_map/range_lines.h"
#include "meta/tables.h"
#include <criterion/criterion.h>

TestSuite(thrift_ranges);

/* A struct by hand. */
typedef struct hand_struct {
    const lam_meta_struct *table;
    const char *bytes;
    size_t size;
} hand_struct;

static lam_status report(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_struct *hand = what;
    lam_byte_view view = {(const uint8_t *)hand->bytes, hand->size, 100};
    return lam_byte_struct(walk, hand->table, view, error);
}

static void expect(const lam_meta_struct *table, const char *bytes, size_t size,
                   const char *expected) {
    hand_struct hand = {table, bytes, size};
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    lam_range_lines_expect(&walk, report, &hand, expected);
}

#define EXPECT(table, bytes, expected) expect(&(table), bytes, sizeof bytes - 1, expected)

Test(thrift_ranges, a_page_header_by_field) {
    EXPECT(lam_meta_page_header_table, "\x15\x04\x15\x40\x15\x40\x4C\x15\x10\x15\x00\x12\x00\x00",
           "0 100+2 field type: 2 (DICTIONARY_PAGE)\n"
           "0 102+2 field uncompressed_page_size: 32\n"
           "0 104+2 field compressed_page_size: 32\n"
           "0 106+7 field dictionary_page_header\n"
           "1 106+1 field_head: id 7, struct\n"
           "1 107+2 field num_values: 8\n"
           "1 109+2 field encoding: 0 (PLAIN)\n"
           "1 111+1 field is_sorted: false\n"
           "1 112+1 stop\n"
           "0 113+1 stop\n");
}

Test(thrift_ranges, lists_have_a_head_and_elements) {
    EXPECT(lam_meta_column_index_table, "\x19\x21\x01\x02\x19\x18\x01\x61\x19\x08\x15\x02\x00",
           "0 100+4 field null_pages\n"
           "1 100+1 field_head: id 1, list\n"
           "1 101+1 list_head: 2 of bool\n"
           "1 102+1 element null_pages: true\n"
           "1 103+1 element null_pages: false\n"
           "0 104+4 field min_values\n"
           "1 104+1 field_head: id 2, list\n"
           "1 105+1 list_head: 1 of binary\n"
           "1 106+2 element min_values: \"a\"\n"
           "0 108+2 field max_values\n"
           "1 108+1 field_head: id 3, list\n"
           "1 109+1 list_head: 0 of binary\n"
           "0 110+2 field boundary_order: 1 (ASCENDING)\n"
           "0 112+1 stop\n");
}

Test(thrift_ranges, names_are_those_of_the_idl) {
    EXPECT(lam_meta_file_table, "\x29\x1C\x48\x01\x61\x6C\xAC\x13\x08\x11\x00\x00\x00\x00",
           "0 100+13 field schema\n"
           "1 100+1 field_head: id 2, list\n"
           "1 101+1 list_head: 1 of struct\n"
           "1 102+11 element SchemaElement\n"
           "2 102+3 field name: \"a\"\n"
           "2 105+7 field logicalType\n"
           "3 105+1 field_head: id 10, struct\n"
           "3 106+5 field INTEGER\n"
           "4 106+1 field_head: id 10, struct\n"
           "4 107+2 field bitWidth: 8\n"
           "4 109+1 field isSigned: true\n"
           "4 110+1 stop\n"
           "3 111+1 stop\n"
           "2 112+1 stop\n"
           "0 113+1 stop\n");
}

Test(thrift_ranges, unknown_fields_and_other_types_are_named_by_id) {
    EXPECT(lam_meta_page_header_table, "\x18\x01\x61\xCC\x15\x02\x00\x00",
           "0 100+3 field field 1: \"a\" -- PageHeader has no field 1 of type binary\n"
           "0 103+4 field field 13 -- PageHeader has no field 13 of type struct\n"
           "0 107+1 stop\n");
}

Test(thrift_ranges, damage_is_unknown_from_the_field_on) {
    EXPECT(lam_meta_page_header_table, "\x15\x04\x0F\x01\x02",
           "0 100+2 field type: 2 (DICTIONARY_PAGE)\n"
           "0 102+3 unknown -- unknown type 15\n");
    EXPECT(lam_meta_page_header_table, "\x15\x04\x15",
           "0 100+2 field type: 2 (DICTIONARY_PAGE)\n"
           "0 102+1 unknown -- the bytes end inside a field\n");
    EXPECT(lam_meta_page_header_table, "\x00\x01",
           "0 100+1 stop\n"
           "0 101+1 unknown -- bytes behind the end of the struct\n");
}

Test(thrift_ranges, enums_have_names) {
    const lam_meta_struct *page = &lam_meta_page_header_table;
    const lam_meta_struct *chunk = lam_meta_column_chunk_table.fields[3].child;
    cr_assert_str_eq(lam_byte_enum_name(page, 1, 3), "DATA_PAGE_V2");
    cr_assert_null(lam_byte_enum_name(page, 1, 4));
    cr_assert_null(lam_byte_enum_name(page, 1, -1));
    cr_assert_null(lam_byte_enum_name(page, 2, 1));
    cr_assert_str_eq(lam_byte_enum_name(chunk, 4, 0), "UNCOMPRESSED");
    cr_assert_str_eq(lam_byte_enum_name(chunk, 4, 7), "LZ4_RAW");
    cr_assert_null(lam_byte_enum_name(chunk, 4, 8));
    cr_assert_null(lam_byte_enum_name(chunk, 4, -1));
    cr_assert_str_eq(lam_byte_enum_name(chunk, 1, 7), "FIXED_LEN_BYTE_ARRAY");
    cr_assert_null(lam_byte_enum_name(chunk, 1, 8));
    cr_assert_str_eq(lam_byte_enum_name(chunk, 2, 10), "ALP");
    cr_assert_null(lam_byte_enum_name(chunk, 2, 1));
}

/* A list without elements may name any type; an INTEGER's bitWidth is an i8 without an enum. */
Test(thrift_ranges, an_empty_list_of_an_unknown_type_says_so) {
    EXPECT(lam_meta_file_table, "\x29\x0F\x00",
           "0 100+2 field schema\n"
           "1 100+1 field_head: id 2, list\n"
           "1 101+1 list_head: 0 of unknown\n"
           "0 102+1 stop\n");
}

Test(thrift_ranges, elements_of_another_type_than_the_table_s_are_not_opened) {
    EXPECT(lam_meta_column_index_table, "\x19\x1C\x15\x02\x00\x00",
           "0 100+5 field null_pages\n"
           "1 100+1 field_head: id 1, list\n"
           "1 101+1 list_head: 1 of struct\n"
           "1 102+3 element null_pages\n"
           "0 105+1 stop\n");
}
