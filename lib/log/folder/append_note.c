/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads the note of a file that is appended to in place: takes the size of the file
 * while it was complete, and gives a small file beside it, from which recovery knows where the old
 * footer is, whoever wrote it. The bytes are drawn in append_note.h.
 *
 * The invariant: the note is durable before the first byte is appended, and is removed only after
 * the new footer is durable.
 */
#include "log/folder/append_note.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "log/folder/log_name.h"
#include "log/folder/storage_query.h"

#define APPEND_NOTE_MAGIC "PLAN"
#define APPEND_NOTE_SUFFIX ".append"

enum { NOTE_SIZE = 16, NOTE_CRC_AT = 12 };

lam_status lam_append_note_path(lam_buffer *out, const char *path, lam_error *error) {
    return lam_log_path_mark(out, "", path, APPEND_NOTE_SUFFIX, error);
}

lam_status lam_append_note_write(const lam_storage *storage, const char *note_path,
                                 const char *folder, uint64_t size, lam_error *error) {
    uint8_t bytes[NOTE_SIZE] = APPEND_NOTE_MAGIC;
    lam_storage_file file;
    lam_store_le64(bytes + 4, size);
    lam_store_le32(bytes + NOTE_CRC_AT, lam_crc32(0, bytes, NOTE_CRC_AT));
    LAM_TRY(storage->create(storage->state, note_path, &file, error));
    lam_status status = file.append(file.state, bytes, sizeof bytes, error);
    if (status == LAM_STATUS_OK)
        status = file.sync(file.state, error);
    lam_storage_file_close(&file);
    if (status == LAM_STATUS_OK)
        status = storage->sync_folder(storage->state, folder, error);
    if (status != LAM_STATUS_OK)
        (void)storage->remove(storage->state, note_path, NULL);
    return status;
}

/* The length of a file may be ahead of its bytes, which are zeros then. */
static bool begins_as_note(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < 4 && i < size; i++)
        if (bytes[i] != 0 && bytes[i] != (uint8_t)APPEND_NOTE_MAGIC[i])
            return false;
    return true;
}

/* Reads a file that is no longer than a note. */
static lam_status read_input(const lam_storage *storage, const char *note_path, uint8_t *bytes,
                             uint64_t *ret_size, lam_error *error) {
    lam_input input;
    lam_status status = LAM_STATUS_OK;
    LAM_TRY(storage->open_input(storage->state, note_path, &input, error));
    *ret_size = input.size;
    if (input.size <= NOTE_SIZE)
        status = input.read_at(input.state, 0, (size_t)input.size, bytes, error);
    lam_input_close(&input);
    return status;
}

/* It is locked while it is read; if somebody has it already, it is read all the same. */
static lam_status read_note(const lam_storage *storage, const char *note_path,
                            const lam_input *original, uint8_t *bytes, uint64_t *ret_size,
                            lam_error *error) {
    lam_storage_file lock = {0};
    uint64_t size;
    lam_error failure = lam_error_none();
    lam_status status = lam_storage_open_own(storage, note_path, original, &lock, &size, &failure);
    if (status == LAM_STATUS_OK || failure.code == LAM_ERROR_CODE_FILE_BUSY)
        status = read_input(storage, note_path, bytes, ret_size, error);
    else if (error != NULL)
        *error = failure;
    lam_storage_file_close(&lock);
    return status;
}

/* What a path holds. */
static lam_status examine_note(const lam_storage *storage, const char *note_path,
                               const lam_input *original, lam_append_note *ret_note,
                               uint64_t *ret_size, lam_error *error) {
    uint8_t bytes[NOTE_SIZE] = {0};
    uint64_t size = 0;
    lam_error failure = lam_error_none();
    lam_status status = read_note(storage, note_path, original, bytes, &size, &failure);
    *ret_note = LAM_APPEND_NOTE_NONE;
    *ret_size = 0;
    if (failure.code == LAM_ERROR_CODE_FILE_MISSING || failure.code == LAM_ERROR_CODE_FILE_KIND)
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    if (size > NOTE_SIZE || !begins_as_note(bytes, (size_t)size))
        return LAM_STATUS_OK;
    *ret_note = LAM_APPEND_NOTE_TORN;
    if (size == NOTE_SIZE &&
        lam_load_le32(bytes + NOTE_CRC_AT) == lam_crc32(0, bytes, NOTE_CRC_AT)) {
        *ret_note = LAM_APPEND_NOTE_WHOLE;
        *ret_size = lam_load_le64(bytes + 4);
    }
    return LAM_STATUS_OK;
}

lam_status lam_append_note_find(const lam_storage *storage, const char *path,
                                const lam_input *original, lam_buffer *ret_path,
                                lam_append_note *ret_note, uint64_t *ret_size, lam_error *error) {
    LAM_TRY(lam_append_note_path(ret_path, path, error));
    LAM_TRY(
        examine_note(storage, (const char *)ret_path->data, original, ret_note, ret_size, error));
    if (*ret_note != LAM_APPEND_NOTE_NONE)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_path_join(ret_path, "", path, APPEND_NOTE_SUFFIX, error));
    return examine_note(storage, (const char *)ret_path->data, original, ret_note, ret_size, error);
}
