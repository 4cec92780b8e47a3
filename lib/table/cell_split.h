/* SPDX-License-Identifier: Apache-2.0 */
/* One line of the JSON writer as a row of cells. */
#ifndef LAM_TABLE_CELL_SPLIT_H
#define LAM_TABLE_CELL_SPLIT_H

#include <lamella/table.h>

#include "table/cell_columns.h"

/*
 * Fills all cells from the line, an object that the JSON writer has printed. Texts without escapes
 * stay in the line; others are made in `scratch`, which has room for as many bytes as the line.
 */
void lam_cell_split(const lam_cell_columns *columns, const uint8_t *line, uint8_t *scratch,
                    lam_cell *cells);

#endif
