/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers digit by digit, as one writes them on paper: the oracle of exact numbers. */
#include "scan/plain_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts a digit where it stands: place 0 is that of ones. */
static void put_digit(plain_number *number, long long place, char digit) {
    if (digit == '0')
        return;
    if (place >= PLAIN_SIDE)
        memset(number->digits, '9', sizeof number->digits);
    else if (place < -PLAIN_SIDE)
        number->digits[2 * PLAIN_SIDE - 1] = '1';
    else if (number->digits[PLAIN_SIDE - 1 - place] == '0')
        number->digits[PLAIN_SIDE - 1 - place] = digit;
}

void plain_number_read(const char *text, plain_number *ret_number) {
    size_t end = strcspn(text, "eE");
    size_t point = strcspn(text, ".eE");
    long long place = text[end] == '\0' ? 0 : strtoll(text + end + 1, NULL, 10);
    bool any = false;
    if (place > 1000000)
        place = 1000000;
    if (place < -1000000)
        place = -1000000;
    memset(ret_number->digits, '0', sizeof ret_number->digits);
    for (size_t i = 0; i < point; i++)
        if (text[i] >= '0' && text[i] <= '9')
            put_digit(ret_number, place + (long long)(point - 1 - i), text[i]);
    for (size_t i = point + 1; i < end; i++)
        put_digit(ret_number, place - (long long)(i - point), text[i]);
    for (size_t i = 0; i < sizeof ret_number->digits; i++)
        any = any || ret_number->digits[i] != '0';
    ret_number->is_negative = any && text[0] == '-';
}

int plain_number_compare(const plain_number *a, const plain_number *b) {
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    int order = memcmp(a->digits, b->digits, sizeof a->digits);
    return a->is_negative ? -order : order;
}

void plain_decimal_print(lam_decimal decimal, char text[PLAIN_DECIMAL_ROOM]) {
    bool is_negative = decimal.high < 0;
    uint64_t low = decimal.low, high = (uint64_t)decimal.high;
    if (is_negative) {
        low = 0 - low;
        high = ~high + (low == 0);
    }
    uint32_t limbs[4] = {(uint32_t)(high >> 32), (uint32_t)high, (uint32_t)(low >> 32),
                         (uint32_t)low};
    char digits[40];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
        uint64_t rest = 0;
        for (int i = 0; i < 4; i++) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[--at] = (char)('0' + rest);
    } while ((limbs[0] | limbs[1] | limbs[2] | limbs[3]) != 0);
    snprintf(text, PLAIN_DECIMAL_ROOM, "%s%se-%u", is_negative ? "-" : "", digits + at,
             decimal.scale);
}
