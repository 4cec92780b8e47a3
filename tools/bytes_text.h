/* SPDX-License-Identifier: Apache-2.0 */
/* The map of a file's bytes as "lamella bytes" prints it for people. */
#ifndef LAMELLA_TOOLS_BYTES_TEXT_H
#define LAMELLA_TOOLS_BYTES_TEXT_H

#include "bytes_json.h"

/* Prints a line per range, or, with `hex`, the bytes with their meaning beside them. */
lam_status bytes_print_text(const lam_input *input, const lam_byte_map_options *options,
                            const bytes_choice *choice, bool hex, lam_error *error);

#endif
