/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as short texts for people: numbers, dates, strings in quotation marks, other bytes as hex.
 * Long ones end with "..." and their size: "abc"... (1000 bytes).
 */
#ifndef LAM_BYTE_MAP_WALK_BYTE_TEXT_H
#define LAM_BYTE_MAP_WALK_BYTE_TEXT_H

#include <lamella/schema.h>

enum {
    LAM_BYTE_TEXT_BYTES = 64, /* of a string or of hex that are shown */
    LAM_BYTE_TEXT_ROOM = 384  /* for any of the texts below */
};

typedef struct lam_byte_text {
    char text[LAM_BYTE_TEXT_ROOM];
} lam_byte_text;

/* A string in quotation marks if it is printable UTF-8, else hex: 0x00FF. */
void lam_byte_text_of_bytes(lam_bytes bytes, lam_byte_text *text);
/* The same for a string of `size` bytes; `begin` has the first of them. */
void lam_byte_text_of_cut(lam_bytes begin, size_t size, lam_byte_text *text);
/*
 * A value of a leaf from its PLAIN bytes, without length: by its logical type if it is a date,
 * time, timestamp, decimal, UUID, unsigned or half-precision number, else by its physical type.
 * `leaf` may be NULL.
 */
void lam_byte_text_of_value(const lam_field *leaf, lam_bytes plain, lam_byte_text *text);
/*
 * An integer by a logical type that has a text of its own for it: date, time, timestamp, decimal,
 * unsigned. False for others, and then there is no text.
 */
bool lam_byte_text_of_logical(const lam_logical_type *logical, int64_t value, bool is_32,
                              lam_byte_text *text);
/* A decimal of up to 39 digits without sign, `after` of them after the point. */
void lam_byte_text_of_digits(bool is_negative, const char *digits, size_t size, size_t after,
                             lam_byte_text *text);
/* Up to 8 numbers with spaces between: "0 1 1 7". */
void lam_byte_text_of_numbers(const uint64_t *numbers, size_t count, bool is_signed,
                              lam_byte_text *text);
void lam_byte_text_of_double(double value, lam_byte_text *text);
/* A FLOAT of 4 bytes or a DOUBLE of 8, little endian. */
void lam_byte_text_of_number(const uint8_t *bytes, size_t size, lam_byte_text *text);

#endif
