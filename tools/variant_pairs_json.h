/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VARIANT with its pairs, the rule that applies to each, and the value that they are, as JSON:
 *
 *     {"record", "group", "metadata": {...},
 *      "pairs": [{"rule", "group", "parent", "name" or "element", "value_field", "typed_field",
 *                 "value": {"size", "json"}, "is_typed", "typed", "elements"}, ...],
 *      "result" or "failure", "assembled": {"has_new_names", "value_size", "size"}}
 *
 * Members that do not apply are left out; "parent" is the number of the pair around, which is an
 * object or array. For a page, bytes have their "ranges" as well, and all of them together are
 * bounded: values as JSON that are too long are left out, and have a member "..._size" instead.
 */
#ifndef LAMELLA_TOOLS_VARIANT_PAIRS_JSON_H
#define LAMELLA_TOOLS_VARIANT_PAIRS_JSON_H

#include "variant_pairs.h"

enum { VARIANT_PAIRS_DEPTH_MOST = 128 };

typedef struct variant_pairs_json {
    bool is_bounded;                         /* for a page: else lines of a command */
    void (*failure)(const lam_error *error); /* of values that could not be printed */
    size_t variants;                         /* that were printed */
    bool is_cut;                             /* something was left out */
    /* Its own: */
    size_t ranges;
    size_t data_size;
    size_t text_size;
    size_t beside[VARIANT_PAIRS_DEPTH_MOST + 1];
    bool without_metadata; /* of the VARIANT that is printed */
} variant_pairs_json;

void variant_pairs_print_json(variant_pairs_json *printer, const variant_found *found);

#endif
