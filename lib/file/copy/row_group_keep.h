/* SPDX-License-Identifier: Apache-2.0 */
/* The row groups of a file that a writer continues in place: described again, where they are. */
#ifndef LAM_FILE_COPY_ROW_GROUP_KEEP_H
#define LAM_FILE_COPY_ROW_GROUP_KEEP_H

#include <lamella/reader.h>
#include <lamella/writer.h>

/*
 * Adds the row groups and the key-value metadata of a file to the footer of a writer that was
 * opened at its end, with the same schema. UNSUPPORTED for a chunk in another file or encrypted,
 * for pages with a fault that readers know by the name of their writer, which the new footer does
 * not have (copy_faults.h), and for V2 pages that begin inside records. CORRUPT for a chunk that
 * cannot be where the footer says.
 */
lam_status lam_writer_keep_row_groups(lam_writer *writer, const lam_reader *reader,
                                      lam_error *error);

/* Adds the key-value metadata alone. */
lam_status lam_writer_keep_key_values(lam_writer *writer, const lam_reader *reader,
                                      lam_error *error);

#endif
