/* SPDX-License-Identifier: Apache-2.0 */
/* Appends a range of an input to a file of any storage. */
#ifndef LAM_IO_STORAGE_COPY_H
#define LAM_IO_STORAGE_COPY_H

#include <lamella/storage.h>

/*
 * Appends `size` bytes of `input` from `offset` on: by the file's own copy, or by reading and
 * appending when it has none. INVALID beyond the end of the input; NOMEM.
 */
lam_status lam_storage_copy(const lam_storage_file *file, const lam_input *input, uint64_t offset,
                            uint64_t size, lam_error *error);

/* The same as a callback: `file` is a lam_storage_file. */
lam_status lam_storage_copy_into(void *file, const lam_input *input, uint64_t offset, uint64_t size,
                                 lam_error *error);

/* The same always by reading and appending. */
lam_status lam_storage_copy_plain(const lam_storage_file *file, const lam_input *input,
                                  uint64_t offset, uint64_t size, lam_error *error);

#endif
