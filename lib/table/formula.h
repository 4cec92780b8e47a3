/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of cells that no spreadsheet takes for formulas. */
#ifndef LAM_TABLE_FORMULA_H
#define LAM_TABLE_FORMULA_H

#include <lamella/table.h>

#include "base/buffer.h"

/*
 * Appends the text of a cell, with an apostrophe before every sign that a spreadsheet could take
 * for the beginning of a formula. The texts of numbers, booleans and nulls stay as they are.
 */
lam_status lam_formula_disarm(const lam_cell *cell, char delimiter, lam_buffer *out,
                              lam_error *error);

#endif
