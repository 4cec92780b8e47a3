/* SPDX-License-Identifier: Apache-2.0 */
/* The triples of leaves as "lamella levels --json" prints them. */
#ifndef LAMELLA_TOOLS_LEVELS_JSON_H
#define LAMELLA_TOOLS_LEVELS_JSON_H

#include "level_source.h"

/*
 * Prints one object and a newline for a leaf, of a range of records:
 *
 *     {"path":"Name.Url","max_repetition":1,"max_definition":2,"first_record":0,
 *      "r":[0,1,1,0],"d":[2,2,1,2],"values":["http://A","http://B","http://C"]}
 *
 * "values" leaves out the nulls. With words, "r_words" and "d_words" have a phrase for each level
 * from 0 to the maximum. A failure becomes the member "error", after the members so far.
 */
lam_status levels_print_json(const level_source *source, const lam_field *leaf, level_range range,
                             bool with_words, lam_error *error);

/* Prints the phrase that `write` writes as a JSON string: for all JSON on levels. */
lam_status levels_print_phrase(lam_status (*write)(const void *state, lam_output *out,
                                                   lam_error *error),
                               const void *state, lam_error *error);

#endif
