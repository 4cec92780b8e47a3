/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of statistics and page indexes, as a person reads them and as JSON. */
#ifndef LAMELLA_TOOLS_TOOL_BOUND_H
#define LAMELLA_TOOLS_TOOL_BOUND_H

#include <lamella/lamella.h>

enum { TOOL_BOUND_TEXT = 160 };

/*
 * A bound in at most `width` characters, with "..." where it is cut: a value as cat prints it,
 * bytes without a meaning as 0x and two digits each, "-" for none. Times are complete, without
 * zeros at the end; zero has no sign.
 */
const char *tool_bound_text(const lam_field *leaf, lam_bytes bound, size_t width,
                            char text[TOOL_BOUND_TEXT]);

/* Prints a bound as the JSON that cat prints for the value, null for none, and {"hex":"00ff"} for
 * bytes that are no value of the column. */
void tool_print_bound_json(const lam_field *leaf, lam_bytes bound);

#endif
