/*
 * Types of indexes that can number the dictionaries of a file. ARROW:schema has the type of the
 * arrays that were written, each of which may have had a dictionary of its own; a column chunk has
 * one dictionary for all of them, which may need a wider one.
 */
#ifndef LAM_ARROW_INDEX_WIDTH_H
#define LAM_ARROW_INDEX_WIDTH_H

#include "arrow/arrow_plan.h"

/*
 * Makes int32 of the indexes of 8 and 16 bits that cannot number the dictionary page of a chunk of
 * any row group, whichever are to be read, so that the type is one of the file. Chunks whose values
 * are too few for that are not looked at, and what is damaged is left for those who read it. The
 * plan is whole. IO, NOMEM.
 */
lam_status lam_index_width_choose(lam_arrow_plan *plan, const lam_reader *reader, lam_error *error);

#endif
