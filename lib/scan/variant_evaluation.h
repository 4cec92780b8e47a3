/*
 * Conditions on paths of VARIANTs where metadata and one column cannot tell: the records of all
 * columns that can hold the paths are assembled, as far as these columns go, and followed.
 */
#ifndef LAM_SCAN_VARIANT_EVALUATION_H
#define LAM_SCAN_VARIANT_EVALUATION_H

#include "file/file_reader.h"
#include "filter/filter_path_match.h"

typedef struct lam_variant_evaluation lam_variant_evaluation;

/*
 * Tells of each test of a filter whether it needs more than its leaf in this row group: a path of
 * which some residual has values, as far as the file's word counts. Fails when a column is unreadable.
 */
lam_status lam_variant_evaluation_choose(const lam_reader *reader, const lam_filter *filter,
                                         size_t row_group, bool trusts_stats, bool *needs_variant,
                                         lam_error *error);

/*
 * Opens the columns of a row group for those tests that are marked, one bool for each of the
 * filter's; with `has_gaps` rows will be passed over. Their page_cache go to `page_cache`. All is borrowed
 * until destroy. Fails as opening a column does.
 */
lam_status lam_variant_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                         const bool *tests, size_t row_group, bool has_gaps,
                                         lam_page_cache *page_cache,
                                         lam_variant_evaluation **ret_evaluation, lam_error *error);
void lam_variant_evaluation_destroy(lam_variant_evaluation *evaluation);

/*
 * Finds the outcomes of `count` rows from `row` on, at or behind those of the last call, and puts
 * them at `outcomes[test]` for each test. Fails as reading the columns does.
 */
lam_status lam_variant_evaluation_rows(lam_variant_evaluation *evaluation, uint64_t row,
                                       size_t count, uint8_t *const *outcomes, lam_error *error);

/* The page_cache that are open go to `page_cache`, too; only destroy is allowed after that. NOMEM. */
lam_status lam_variant_evaluation_cache_last_pages(lam_variant_evaluation *evaluation,
                                                   lam_error *error);

/* Bytes of the data page_cache that were opened, uncompressed. */
uint64_t lam_variant_evaluation_page_bytes(const lam_variant_evaluation *evaluation);

#endif
