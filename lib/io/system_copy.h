/* SPDX-License-Identifier: Apache-2.0 */
/* Copies bytes from file to file within the system, and from an input to an output. */
#ifndef LAM_IO_SYSTEM_COPY_H
#define LAM_IO_SYSTEM_COPY_H

#include <lamella/io.h>

/*
 * Has the system copy a range between two descriptors, which shares the blocks on file systems that
 * can (Btrfs, XFS), to `*to_offset`, which moves past it, or, if that is NULL, to the position of
 * `to`, which moves likewise. Gives the number of bytes copied, fewer than `size` if the system
 * cannot, or fails: a failure shows when the other bytes are read and written.
 */
uint64_t lam_system_copy(int from, uint64_t offset, int to, uint64_t *to_offset, uint64_t size);

/*
 * Appends a range of an input to the lam_output `output`, within the system if both are files.
 * INVALID beyond the end of the input; NOMEM.
 */
lam_status lam_output_copy(void *output, const lam_input *input, uint64_t offset, uint64_t size,
                           lam_error *error);

/* The descriptor that an output of a file writes at its position; -1 for every other output. */
int lam_output_file_descriptor(const lam_output *output);

#endif
