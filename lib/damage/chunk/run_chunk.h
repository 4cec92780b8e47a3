/* SPDX-License-Identifier: Apache-2.0 */
/* A damaged column chunk as a derived one: the rows of its runs, and failures for lost ones. */
#ifndef LAM_DAMAGE_CHUNK_RUN_CHUNK_H
#define LAM_DAMAGE_CHUNK_RUN_CHUNK_H

#include "chunk/read/derived_chunk.h"
#include "damage/chunk/page_runs.h"

/* What `chunk` leads to is borrowed until destroy, but for the column; so is the survey. */
lam_status lam_run_chunk_create(const lam_column_chunk *chunk, const lam_page_survey *survey,
                                const lam_allocator *allocator, lam_derived_chunk **ret_chunk,
                                lam_error *error);

#endif
