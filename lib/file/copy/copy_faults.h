/* SPDX-License-Identifier: Apache-2.0 */
/* Which column chunks may not be copied as they are, since readers know a fault by their writer. */
#ifndef LAM_FILE_COPY_COPY_FAULTS_H
#define LAM_FILE_COPY_COPY_FAULTS_H

#include <lamella/reader.h>

/*
 * UNSUPPORTED when the pages of a chunk have one of the faults that readers correct by created_by,
 * which the new footer replaces. `faults`, a set of lam_fault, are those of the file's writer that
 * the new footer does not confess to; others than those of pages are ignored. Reads the pages only
 * if the leaf's type and the codec leave a doubt, and then fails as reading them does.
 */
lam_status lam_copy_check_faults(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                 uint32_t faults, lam_error *error);

#endif
