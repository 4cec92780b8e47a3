/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the pages of a column chunk contradict the schema. */
#ifndef LAM_DAMAGE_CHUNK_SCHEMA_DOUBT_H
#define LAM_DAMAGE_CHUNK_SCHEMA_DOUBT_H

#include "damage/chunk/page_survey.h"

/*
 * `*ret_contradicts` when the pages of a chunk do not decode as its column, but as one that is
 * optional, repeated or of another length. NOMEM, IO unless the hints pass that, CANCELLED.
 */
lam_status lam_schema_doubt(const lam_column_chunk *chunk, lam_survey_hints hints,
                            lam_patched_input *patched, const lam_allocator *allocator,
                            bool *ret_contradicts, lam_error *error);

#endif
