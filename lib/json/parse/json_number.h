/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON numbers as exact values. A number with digits after its point is a decimal of as many, so
 * that it prints as it was written; one without is an integer:
 *
 *     17   -0   1e3   15.0e1      17   0   1000   150
 *     1.50   15e-1   1e-3         decimals 150, 15, 1 of scale 2, 1, 3
 *     -0.0                        a double, as no decimal has a sign at zero
 *
 * A number that no decimal of 38 digits holds is a double if the double keeps it: the shortest text
 * that reads back as the double is the same number (1e300, 5e-324, 1.7976931348623157e308). A
 * number that no double keeps either (1e400, 0.1 followed by forty digits) has no exact value.
 */
#ifndef LAM_JSON_PARSE_JSON_NUMBER_H
#define LAM_JSON_PARSE_JSON_NUMBER_H

#include <lamella/variant.h>

/*
 * Gives the value of a parsed JSON number: INT64, DECIMAL16, or DOUBLE, for a builder to
 * narrow. False when it has no exact value; then it is the nearest DOUBLE, or of kind UNKNOWN
 * beyond the largest one.
 */
bool lam_json_number_read(const char *text, size_t size, lam_variant_scalar *ret_number);

/*
 * True when a number prints as the very same text from a double as from a decimal: it has a point
 * and no exponent, and is the shortest text of the double. Gives the double.
 */
bool lam_json_number_is_double(const char *text, size_t size, double *ret_value);
/* The same for a float. */
bool lam_json_number_is_float(const char *text, size_t size, float *ret_value);

#endif
