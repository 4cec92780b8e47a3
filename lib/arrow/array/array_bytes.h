/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds what slots of an array take as triples, without converting them. */
#ifndef LAM_ARROW_ARRAY_ARRAY_BYTES_H
#define LAM_ARROW_ARRAY_ARRAY_BYTES_H

#include "arrow/array/array_view.h"

/* The bound if it would take too long to find one. */
#define LAM_ARRAY_BYTES_UNKNOWN (UINT64_MAX / 8)

/*
 * Gives an upper bound of the bytes that slots of a checked array take: values in PLAIN, of all
 * leaves below the view, and LAM_TRIPLE_BYTES for each triple. Takes time for each entry of
 * dictionaries, else for each field only.
 */
uint64_t lam_array_bytes_most(const lam_array_view *view, int64_t start, int64_t count);

/* Levels of a triple, and the index of its value in a dictionary. */
enum { LAM_TRIPLE_BYTES = 8 };

#endif
