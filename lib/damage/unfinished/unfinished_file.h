/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that may lack their footer, for callers that do not divide pages by a schema. */
#ifndef LAM_DAMAGE_UNFINISHED_UNFINISHED_FILE_H
#define LAM_DAMAGE_UNFINISHED_UNFINISHED_FILE_H

#include <lamella/recover.h>

/*
 * As lam_reader_open_unfinished, for files of a log, whose records and footers state what their
 * pages hold: `schema` and `like` are ignored. A log links no search for a division.
 */
lam_status lam_reader_open_recorded(lam_input *input, const lam_recover_options *options,
                                    lam_reader **ret_reader, lam_recovery *ret_recovery,
                                    lam_error *error);

#endif
