/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes surveys: for a chunk that is not read, with the reason, one in which all rows are lost; or
 * an empty one, for page_survey.c to fill.
 *
 * The invariant: rows that are in no run are in a loss. (README.md of the format, "Error recovery")
 */
#include "base/alloc.h"
#include "base/error.h"
#include "damage/chunk/page_survey.h"
#include "schema/leaf_error.h"

lam_status lam_page_survey_begin(uint64_t row_count, const lam_allocator *allocator,
                                 lam_page_survey **ret_survey, lam_error *error) {
    lam_page_survey *survey;
    LAM_TRY(LAM_NEW(allocator, &survey, error));
    survey->allocator = *allocator;
    survey->row_count = row_count;
    LAM_LIST_INIT(&survey->runs, allocator);
    LAM_LIST_INIT(&survey->losses, allocator);
    *ret_survey = survey;
    return LAM_STATUS_OK;
}

lam_status lam_page_survey_create_lost(uint64_t row_count, const lam_error *failure,
                                       const lam_allocator *allocator, lam_page_survey **ret_survey,
                                       lam_error *error) {
    lam_page_survey *survey;
    lam_page_loss loss = {.end_row = row_count, .pages = 1, .error = *failure};
    loss.offset = failure->offset > 0 ? (uint64_t)failure->offset : 0;
    LAM_TRY(lam_page_survey_begin(row_count, allocator, &survey, error));
    lam_status status = LAM_LIST_ADD(&survey->losses, &loss, error);
    survey->lost_rows = row_count;
    if (status == LAM_STATUS_OK)
        *ret_survey = survey;
    else
        lam_page_survey_destroy(survey);
    return status;
}

lam_status lam_page_survey_create_contradicting(const lam_field *leaf, size_t row_group,
                                                uint64_t row_count, const lam_allocator *allocator,
                                                lam_page_survey **ret_survey, lam_error *error) {
    lam_error failure = lam_error_none();
    (void)lam_error_set(&failure, LAM_ERROR_CODE_CHUNK_TYPE,
                        "the pages are those of a column with another repetition or length than "
                        "the schema states");
    lam_error_at_leaf(&failure, row_group, leaf);
    LAM_TRY(lam_page_survey_create_lost(row_count, &failure, allocator, ret_survey, error));
    (*ret_survey)->contradicts_schema = true;
    return LAM_STATUS_OK;
}

void lam_page_survey_destroy(lam_page_survey *survey) {
    if (survey == NULL)
        return;
    lam_allocator allocator = survey->allocator;
    LAM_LIST_FINISH(&survey->runs);
    LAM_LIST_FINISH(&survey->losses);
    lam_free(&allocator, survey, sizeof *survey);
}
