/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note beside a file that is appended to in place: how large it was.
 *
 *     PATH.append    "PLAN"  u64 size  u32 crc
 *
 * Numbers are little-endian; the checksum is the CRC-32 of all bytes before it.
 */
#ifndef LAM_LOG_APPEND_NOTE_H
#define LAM_LOG_APPEND_NOTE_H

#include <lamella/storage.h>

#include "base/buffer.h"

#define LAM_APPEND_NOTE_SUFFIX ".append"

/* Writes the note of a file, and makes it durable; one that fails half-way is removed. FILE_EXISTS
 * when there is one, which stays. */
lam_status lam_append_note_write(const lam_storage *storage, const char *note_path,
                                 const char *folder, uint64_t size, lam_error *error);

/* What has the name of a note: a note, the beginning of one, as a crash leaves it (nothing was
 * appended yet then), or nothing, or something else. */
typedef enum lam_append_note {
    LAM_APPEND_NOTE_NONE,
    LAM_APPEND_NOTE_TORN,
    LAM_APPEND_NOTE_WHOLE
} lam_append_note;

/*
 * Gives what is there, and the size that a whole note states, 0 otherwise. A note counts if it is
 * of this user, or of the owner of the file that `original` reads. Fails when the storage does not
 * give a file that is there: it may be a note.
 */
lam_status lam_append_note_read(const lam_storage *storage, const char *note_path,
                                const lam_input *original, lam_append_note *ret_note,
                                uint64_t *ret_size, lam_error *error);

#endif
