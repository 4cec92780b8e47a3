/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the pages of a file that does not describe them itself, by a schema, and by a finished
 * file of the same writer, if there is one.
 */
#ifndef LAM_DAMAGE_UNFINISHED_SCHEMA_RECOVERY_H
#define LAM_DAMAGE_UNFINISHED_SCHEMA_RECOVERY_H

#include <lamella/recover.h>

#include "damage/unfinished/recovery_walk.h"

/*
 * Gives metadata with the row groups that are complete and sound, in memory of the walk, and the
 * counts. CORRUPT when the pages can be divided in no way or more than one, or the codec is
 * unclear; LIMIT, IO, NOMEM.
 */
lam_status lam_schema_recovery(lam_recovery_walk *walk, const lam_recover_options *options,
                               lam_meta_file *ret_meta, lam_recovery *ret_recovery,
                               lam_error *error);

#endif
