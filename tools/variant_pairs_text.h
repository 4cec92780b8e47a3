/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VARIANT with its pairs as lines for a reader: the path of each in the value, the contents of
 * its columns, and the rule that applies; then the value that they make.
 *
 *     record 0, record
 *       $.tags[0]  typed_value "cold"  -- only typed_value is there: it is the value, ...
 *       = {"tags":["cold"]}
 */
#ifndef LAMELLA_TOOLS_VARIANT_PAIRS_TEXT_H
#define LAMELLA_TOOLS_VARIANT_PAIRS_TEXT_H

#include "variant_pairs.h"

void variant_pairs_print_text(const variant_found *found);

#endif
