/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what JSON says of a record before and after its fields have wider types. */
#ifndef LAM_FUZZ_JSON_HOLDS_H
#define LAM_FUZZ_JSON_HOLDS_H

#include <stdbool.h>

/*
 * True where the first value of `wide` holds that of `narrow`: numbers are equal, whatever their
 * digits; times have more zeros; what became a text is JSON in it; members that only `wide` has are
 * null or empty. Both are JSON as the writer makes it, and end with a NUL or line end.
 */
bool lam_fuzz_json_holds(const char *wide, const char *narrow);

#endif
