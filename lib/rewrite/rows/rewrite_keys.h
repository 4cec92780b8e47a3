/* SPDX-License-Identifier: Apache-2.0 */
/* The key-value metadata of all inputs, and those that stay true in the outputs. */
#ifndef LAM_REWRITE_ROWS_REWRITE_KEYS_H
#define LAM_REWRITE_ROWS_REWRITE_KEYS_H

#include "rewrite/flow/rewrite_state.h"

/* Takes those of the next input. NOMEM. */
lam_status lam_rewrite_take_key_values(lam_rewrite *rewrite, const lam_reader *reader,
                                       lam_error *error);
/* Adds those that are true of the output to its writer. */
lam_status lam_rewrite_give_key_values(lam_rewrite *rewrite, lam_writer *writer, lam_error *error);

#endif
