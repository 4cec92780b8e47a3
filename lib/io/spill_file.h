/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file for what exceeds memory for a while. It has no name once it is open, so that it never
 * outlives the process.
 */
#ifndef LAM_IO_SPILL_FILE_H
#define LAM_IO_SPILL_FILE_H

#include <lamella/common.h>

typedef struct lam_spill_file {
    int descriptor;
    uint64_t size; /* bytes written */
    bool is_open;
} lam_spill_file;

/* Creates a file in a folder; NULL: /tmp. IO. */
lam_status lam_spill_file_open(lam_spill_file *file, const char *folder, lam_error *error);
/* Appends bytes. IO; DISK_FULL as its code if that is the reason. */
lam_status lam_spill_file_append(lam_spill_file *file, const void *data, size_t size,
                                 lam_error *error);
/* Reads bytes that were written. */
lam_status lam_spill_file_read(const lam_spill_file *file, uint64_t offset, void *data, size_t size,
                               lam_error *error);
/* Forgets all bytes written, and gives their room back. */
lam_status lam_spill_file_empty(lam_spill_file *file, lam_error *error);
/* Closes a file that may be zeroed. */
void lam_spill_file_close(lam_spill_file *file);

#endif
