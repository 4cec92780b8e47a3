/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file that has a note of an append in place is whole all the same. */
#ifndef LAM_LOG_APPEND_CHECK_H
#define LAM_LOG_APPEND_CHECK_H

#include <lamella/storage.h>

#include "base/buffer.h"

/*
 * Gives true when a footer ends the file and all pages of row groups behind the first `size` bytes
 * match their checksums: an append was finished, or a recovered file has taken the name. Fails
 * for IO and NOMEM only.
 */
lam_status lam_append_is_whole(const lam_storage *storage, const char *path, uint64_t size,
                               const lam_allocator *allocator, bool *ret_is_whole,
                               lam_error *error);

#endif
