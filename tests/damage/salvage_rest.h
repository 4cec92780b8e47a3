/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are salvaged: a page of one is damaged, and what is left is written and checked. */
#ifndef LAM_TESTS_SALVAGE_REST_H
#define LAM_TESTS_SALVAGE_REST_H

#include <lamella/salvage.h>

#include "base/buffer.h"

/* Changes the last byte of a data page of a leaf, by its number in the first row group. */
void lam_test_damage_page(lam_buffer *file, size_t leaf, size_t number);

/* Writes what is left, expects a file without an error, and gives how many rows it has. */
uint64_t lam_test_write_rest(const lam_salvage *salvage);

/*
 * Compares what a chunk of a damaged file has left, row by row, with the chunk of the whole one,
 * up to the first row that cannot be read; gives how many rows that are.
 */
uint64_t lam_test_compare_chunk(const lam_reader *rest, const lam_reader *whole, size_t group,
                                size_t leaf);

#endif
