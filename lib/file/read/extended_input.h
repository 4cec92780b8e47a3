/* SPDX-License-Identifier: Apache-2.0 */
/* An input whose last bytes are replaced by others, in memory. */
#ifndef LAM_FILE_READ_EXTENDED_INPUT_H
#define LAM_FILE_READ_EXTENDED_INPUT_H

#include <lamella/io.h>

#include "base/buffer.h"

/*
 * Makes an input of the first `kept` bytes of `*inner` and the bytes of `*tail`. On success both
 * move into it and are cleared; on failure they stay with the caller. NOMEM.
 */
lam_status lam_extended_input_create(lam_input *inner, uint64_t kept, lam_buffer *tail,
                                     lam_input *ret_input, lam_error *error);

/* Closes an extended input and gives its inner one back. */
lam_input lam_extended_input_release(lam_input *input);

#endif
