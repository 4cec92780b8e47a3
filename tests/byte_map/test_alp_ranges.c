/* SPDX-License-Identifier: Apache-2.0 */
/* ALP pages by hand: whole vectors are shown, and what cannot be one is named. */
#include "byte_map/encodings/alp_ranges.h"

#include <criterion/criterion.h>
#include <string.h>

#include "byte_map/range_lines.h"

TestSuite(alp_ranges);

enum {
    VECTOR = 7 + 4,
    EXPONENT = VECTOR,
    FACTOR,
    EXCEPTIONS,
    FRAME = VECTOR + 4,
    WIDTH = FRAME + 4
};

/* A page of floats by hand. */
typedef struct hand_page {
    uint8_t bytes[64];
    size_t size;
} hand_page;

/* Nine floats in one vector: the integers 0 to 8 above a frame of 100, in 4 bits; one exception. */
static hand_page page_of_nine(void) {
    static const uint8_t bytes[] = {
        0,    0,    4,    9,    0,    0,    0, /* header: vectors of 16 values, 9 values */
        4,    0,    0,    0,                   /* offset */
        1,    0,    1,    0,                   /* exponent, factor, exceptions */
        100,  0,    0,    0,    4,             /* frame, bit width */
        0x10, 0x32, 0x54, 0x76, 0x08,          /* integers */
        2,    0,    0,    0,    0,    0x3F,    /* position 2, 0.5 */
    };
    hand_page page = {.size = sizeof bytes};
    memcpy(page.bytes, bytes, sizeof bytes);
    return page;
}

static lam_status report(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_page *page = what;
    return lam_byte_alp(walk, (lam_byte_view){page->bytes, page->size, 0}, 4, error);
}

#define HEAD_OF(count)                                                                             \
    "0 0+7 alp_header\n1 0+1 number mode: 0\n1 1+1 number integer_encoding: 0\n"                   \
    "1 2+1 number log2_vector_size: 4\n1 3+4 number values: " count "\n"
#define OFFSET "0 7+4 alp_offsets\n1 7+4 number offset: 4\n"

Test(alp_ranges, a_vector_is_shown_by_its_sections) {
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    hand_page page = page_of_nine();
    lam_range_lines_expect(&walk, report, &page,
                           HEAD_OF("9") OFFSET
                           "0 11+20 alp_vector\n1 11+1 number exponent: 1\n"
                           "1 12+1 number factor: 0\n1 13+2 number exceptions: 1\n"
                           "1 15+4 number frame: 100\n1 19+1 number bit_width: 4\n"
                           "1 20+5 alp_packed\n"
                           "2 20+4 packed_group: 10.0 10.1 10.2 10.3 10.400001 10.5 10.6 10.7\n"
                           "2 24+1 packed_group: 10.8\n"
                           "1 25+6 alp_exceptions\n2 25+2 number position: 2\n"
                           "2 27+4 value exception: 0.5\n");
}

/* Whatever is wrong with a vector, its bytes are one range. */
Test(alp_ranges, a_vector_that_cannot_be_is_unknown) {
    static const struct {
        size_t at;
        uint8_t byte;
    } wrong[] = {
        {WIDTH, 33}, {EXCEPTIONS, 10}, {EXPONENT, 11}, {FACTOR, 2}, {WIDTH, 32}, {EXCEPTIONS, 2},
    };
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        hand_page page = page_of_nine();
        page.bytes[wrong[i].at] = wrong[i].byte;
        lam_range_lines_expect(&walk, report, &page,
                               HEAD_OF("9") OFFSET "0 11+20 unknown -- no vector of 9 values\n");
    }
    hand_page page = page_of_nine();
    page.size = WIDTH;
    lam_range_lines_expect(&walk, report, &page,
                           HEAD_OF("9") OFFSET "0 11+8 unknown -- no vector of 9 values\n");
}

Test(alp_ranges, a_full_vector_comes_before_the_last) {
    /* 17 values: a vector of 16 and one of 1, of width 0, which are their frames. */
    static const uint8_t bytes[] = {0, 0, 4, 17, 0, 0, 0, 8, 0, 0, 0, 17, 0, 0, 0, 0, 0,
                                    0, 0, 7, 0,  0, 0, 0, 0, 0, 0, 0, 9,  0, 0, 0, 0, 0xAA};
    hand_page page = {.size = sizeof bytes};
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    memcpy(page.bytes, bytes, sizeof bytes);
    lam_range_lines_expect(
        &walk, report, &page,
        HEAD_OF("17") "0 7+8 alp_offsets\n1 7+4 number offset: 8\n1 11+4 number offset: 17\n"
                      "0 15+9 alp_vector\n1 15+1 number exponent: 0\n1 16+1 number factor: 0\n"
                      "1 17+2 number exceptions: 0\n1 19+4 number frame: 7\n"
                      "1 23+1 number bit_width: 0\n1 24+0 alp_packed: 7.0\n"
                      "0 24+9 alp_vector\n1 24+1 number exponent: 0\n1 25+1 number factor: 0\n"
                      "1 26+2 number exceptions: 0\n1 28+4 number frame: 9\n"
                      "1 32+1 number bit_width: 0\n1 33+0 alp_packed: 9.0\n"
                      "0 33+1 unknown -- bytes behind the last vector\n");
}

Test(alp_ranges, a_page_of_another_form_is_one_range) {
    static const struct {
        hand_page page;
        const char *lines;
    } cases[] = {
        {{{0, 0, 4}, 3}, "0 0+3 unknown -- the bytes end inside the header\n"},
        {{{1, 0, 4, 9}, 12},
         "0 0+12 unknown -- mode 1, integer encoding 0 and vectors of 2^4 values are not "
         "supported\n"},
        {{{0, 1, 4, 9}, 12},
         "0 0+12 unknown -- mode 0, integer encoding 1 and vectors of 2^4 values are not "
         "supported\n"},
        {{{0, 0, 16, 9}, 12},
         "0 0+12 unknown -- mode 0, integer encoding 0 and vectors of 2^16 values are not "
         "supported\n"},
        {{{0, 0, 0, 9}, 12}, "0 0+12 unknown -- 9 vectors in 12 bytes\n"},
        {{{0, 0, 4, 0}, 7}, HEAD_OF("0") "0 7+0 alp_offsets\n"},
    };
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        lam_range_lines_expect(&walk, report, &cases[i].page, cases[i].lines);
}
