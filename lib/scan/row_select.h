/*
 * The rows of a row group that a filter wants, exactly: the columns that the filter asks are read
 * where metadata could not tell, and nowhere else.
 */
#ifndef LAM_SCAN_ROW_SELECT_H
#define LAM_SCAN_ROW_SELECT_H

#include "scan/row_prune.h"
#include "scan/row_ranges.h"

/*
 * Adds the wanted rows of all segments of `prune`, which lam_row_prune_group filled for this row
 * group, to `ranges`. `ret_page_bytes` counts the bytes of data pages that were opened. Fails as
 * reading the columns does.
 */
lam_status lam_row_select(const lam_reader *reader, const lam_filter *filter, size_t row_group,
                          const lam_row_prune *prune, lam_row_ranges *ranges,
                          uint64_t *ret_page_bytes, lam_error *error);

#endif
