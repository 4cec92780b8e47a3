/* SPDX-License-Identifier: Apache-2.0 */
/* Which struct makes the header of a page whole, by its type. */
#include "meta/page_header.h"

#include <criterion/criterion.h>

static const lam_meta_data_page_header V1 = {.num_values = 1, .encoding = LAM_ENCODING_PLAIN};
static const lam_meta_dictionary_page_header DICTIONARY = {
    .num_values = 2, .encoding = LAM_ENCODING_PLAIN_DICTIONARY};
static const lam_meta_data_page_header_v2 V2 = {.num_values = -3,
                                                .encoding = LAM_ENCODING_RLE_DICTIONARY};
static const lam_meta_index_page_header INDEX = {0};

enum { HAS_V1 = 1, HAS_INDEX = 2, HAS_DICTIONARY = 4, HAS_V2 = 8, STRUCTS = 16 };

static lam_meta_page_header header_with(int32_t type, unsigned structs) {
    lam_meta_page_header header = {.type = type};
    header.data_page_header = structs & HAS_V1 ? &V1 : NULL;
    header.index_page_header = structs & HAS_INDEX ? &INDEX : NULL;
    header.dictionary_page_header = structs & HAS_DICTIONARY ? &DICTIONARY : NULL;
    header.data_page_header_v2 = structs & HAS_V2 ? &V2 : NULL;
    return header;
}

/* The struct that a type needs; 0 for pages that are skipped. */
static unsigned needed(int32_t type) {
    return type == LAM_PAGE_DATA         ? HAS_V1
           : type == LAM_PAGE_DICTIONARY ? HAS_DICTIONARY
           : type == LAM_PAGE_DATA_V2    ? HAS_V2
                                         : 0;
}

Test(page_header, only_the_struct_of_its_type_makes_a_header_whole) {
    static const int32_t types[] = {0, 1, 2, 3, 4, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (unsigned structs = 0; structs < STRUCTS; structs++) {
            lam_error error = lam_error_none();
            lam_meta_page_header header = header_with(types[i], structs);
            lam_status status = lam_page_header_check(&header, &error);
            bool is_whole = (structs & needed(types[i])) == needed(types[i]);
            cr_assert_eq(status, is_whole ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%d, %u",
                         (int)types[i], structs);
            cr_assert_eq(error.code, is_whole ? LAM_ERROR_CODE_NONE : LAM_ERROR_CODE_PAGE_HEADER);
        }
}

Test(page_header, a_header_that_is_not_whole_names_the_struct_that_it_lacks) {
    static const struct {
        int32_t type;
        const char *message;
    } rows[] = {{LAM_PAGE_DATA, "a page of type 0 lacks its data_page_header"},
                {LAM_PAGE_DICTIONARY, "a page of type 2 lacks its dictionary_page_header"},
                {LAM_PAGE_DATA_V2, "a page of type 3 lacks its data_page_header_v2"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_error error = lam_error_none();
        lam_meta_page_header header =
            header_with(rows[i].type, (STRUCTS - 1) & ~needed(rows[i].type));
        cr_assert_eq(lam_page_header_check(&header, &error), LAM_STATUS_CORRUPT);
        cr_assert_str_eq(error.message, rows[i].message);
    }
}

/* Numbers are those of the struct that goes with the type, whatever others are there. */
Test(page_header, counts_and_encodings_are_those_of_the_type) {
    static const struct {
        int32_t type, count, encoding;
        bool is_data;
    } rows[] = {
        {LAM_PAGE_DATA, 1, LAM_ENCODING_PLAIN, true},
        {LAM_PAGE_INDEX, -1, -1, false},
        {LAM_PAGE_DICTIONARY, 2, LAM_ENCODING_PLAIN_DICTIONARY, false},
        {LAM_PAGE_DATA_V2, -3, LAM_ENCODING_RLE_DICTIONARY, true},
        {4, -1, -1, false},
        {-1, -1, -1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned structs = 0; structs < STRUCTS; structs++) {
            lam_meta_page_header header = header_with(rows[i].type, structs | needed(rows[i].type));
            cr_assert_eq(lam_page_header_count(&header), rows[i].count);
            cr_assert_eq(lam_page_header_encoding(&header), rows[i].encoding);
            cr_assert_eq(lam_page_header_is_data(&header), rows[i].is_data);
        }
}
