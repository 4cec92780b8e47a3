/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What levels, and the steps of the two machines, mean on a schema, in words. Every function writes
 * one phrase without a full stop to `out`, and can fail only as `out` does.
 */
#ifndef LAMELLA_TOOLS_LEVEL_WORDS_H
#define LAMELLA_TOOLS_LEVEL_WORDS_H

#include <lamella/io.h>
#include <lamella/schema.h>

/* "new record", "next Name": where a triple with this repetition level begins. */
lam_status level_words_r(const lam_field *leaf, unsigned r, lam_output *out, lam_error *error);

/* "Name is there, Language is missing": how much of the path is present. */
lam_status level_words_d(const lam_field *leaf, unsigned d, lam_output *out, lam_error *error);

/* "r=1: next Name; d=1: Name is there, Language is missing", or that no record has this pair. */
lam_status level_words_pair(const lam_field *leaf, unsigned r, unsigned d, lam_output *out,
                            lam_error *error);

/* Why a field gets the repetition level r in a group, for the first time or again. */
lam_status level_words_event(const lam_field *field, unsigned r, lam_output *out, lam_error *error);

/* Why a triple is null: the field of its path that did not appear in a group that was closed. */
lam_status level_words_absent(const lam_field *absent, lam_output *out, lam_error *error);

/*
 * Why the automaton goes from a leaf to another, NULL for the end, when r comes next in its column:
 * "no further Code in this Language: on to Country".
 */
lam_status level_words_edge(const lam_field *leaf, const lam_field *next, unsigned r,
                            lam_output *out, lam_error *error);

/* The field of the path of a leaf that repeats at level r; NULL for r 0. */
const lam_field *level_repeated_field(const lam_field *leaf, unsigned r);

#endif
