/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers as schoolbooks have them: a row of digits with the point in its middle. The
 * oracle of comparisons of exact numbers.
 */
#ifndef LAM_TESTS_PLAIN_NUMBER_H
#define LAM_TESTS_PLAIN_NUMBER_H

#include <lamella/variant.h>

enum { PLAIN_SIDE = 800 }; /* digits in front of the point, and behind it */

/* Digits beyond the row show as 9s in front or as a 1 at the end: right while one of two numbers
 * that are compared fits. */
typedef struct plain_number {
    bool is_negative;
    char digits[2 * PLAIN_SIDE];
} plain_number;

/* Of a JSON number, or one with zeros in front. */
void plain_number_read(const char *text, plain_number *ret_number);

int plain_number_compare(const plain_number *a, const plain_number *b);

/* A decimal as text, ended by NUL: digits, and the scale as an exponent. */
enum { PLAIN_DECIMAL_ROOM = 64 };
void plain_decimal_print(lam_decimal decimal, char text[PLAIN_DECIMAL_ROOM]);

#endif
