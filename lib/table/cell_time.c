/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens times by their insignificant digits: takes a cell's text, which has all digits of its
 * unit, and gives the same text in two pieces, without the groups of three zeros that end its
 * fraction.
 *
 *     12:00:00.500000Z       12:00:00.500 and Z
 *     12:00:00.000000        12:00:00 and an empty one
 *
 * Both pieces together are always a time in ISO 8601 that equals the original one.
 */
#include <lamella/table.h>
#include <string.h>

#include "base/ascii.h"

enum { DIGIT_GROUP = 3 };

unsigned lam_cell_cut_time(const lam_cell *cell, unsigned least, lam_bytes *ret_head,
                           lam_bytes *ret_tail) {
    const lam_bytes text = cell->text;
    const uint8_t *point = text.size == 0 ? NULL : memchr(text.data, '.', text.size);
    *ret_head = text;
    *ret_tail = (lam_bytes){text.data + text.size, 0};
    if (cell->kind != LAM_CELL_TIME || point == NULL)
        return 0;
    size_t begin = (size_t)(point - text.data) + 1, end = begin;
    while (end < text.size && lam_ascii_is_digit(text.data[end]))
        end++;
    size_t digits = end - begin;
    while (digits >= DIGIT_GROUP && digits - DIGIT_GROUP >= least &&
           memcmp(text.data + begin + digits - DIGIT_GROUP, "000", DIGIT_GROUP) == 0)
        digits -= DIGIT_GROUP;
    *ret_head = (lam_bytes){text.data, digits == 0 ? begin - 1 : begin + digits};
    *ret_tail = (lam_bytes){text.data + end, text.size - end};
    return (unsigned)digits;
}
