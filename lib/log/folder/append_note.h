/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note beside a file that is appended to in place: how large it was.
 *
 *     _NAME.append    "PLAN"  u64 size  u32 crc
 *
 * Numbers are little-endian; the checksum is the CRC-32 of all bytes before it.
 */
#ifndef LAM_LOG_FOLDER_APPEND_NOTE_H
#define LAM_LOG_FOLDER_APPEND_NOTE_H

#include <lamella/storage.h>

#include "base/buffer.h"

/* Replaces the contents of `out` by the path of a file's note, and a NUL. */
lam_status lam_append_note_path(lam_buffer *out, const char *path, lam_error *error);

/* Writes a file's note, and makes it durable; one that fails half-way is removed. FILE_EXISTS when
 * it exists, and it stays. */
lam_status lam_append_note_write(const lam_storage *storage, const char *note_path,
                                 const char *folder, uint64_t size, lam_error *error);

/* What has the name of a note: a note, the beginning of one, as a crash leaves it (before the first
 * appended byte), or no file, or another file. */
typedef enum lam_append_note {
    LAM_APPEND_NOTE_NONE,
    LAM_APPEND_NOTE_TORN,
    LAM_APPEND_NOTE_WHOLE
} lam_append_note;

/*
 * Finds the note of the file `path`: what is there, its path, and the size that a complete note
 * states, 0 otherwise. If there is none, one without "_" before its name counts, as earlier builds
 * wrote it. A note counts if it is of this user, or of the owner of the file that `original` reads.
 * Fails when the storage does not give a file that is there: it may be a note.
 */
lam_status lam_append_note_find(const lam_storage *storage, const char *path,
                                const lam_input *original, lam_buffer *ret_path,
                                lam_append_note *ret_note, uint64_t *ret_size, lam_error *error);

#endif
