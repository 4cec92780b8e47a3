/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads the note of a file that is appended to in place. In: the size of the file while
 * it was whole. Out: a small file beside it, from which recovery knows where the old footer is,
 * whoever wrote it. The bytes are drawn in append_note.h.
 *
 * The invariant: the note is durable before the first byte is appended, and is removed only after
 * the new footer is durable.
 */
#include "log/append_note.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"

#define APPEND_NOTE_MAGIC "PLAN"

enum { NOTE_SIZE = 16, NOTE_CRC_AT = 12 };

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

/* Reads the first bytes of a file; false when it is missing, or has more than a note. */
static bool read_note(const lam_storage *storage, const char *note_path, uint8_t *bytes,
                      size_t *ret_size) {
    lam_input input;
    if (storage->open_input(storage->state, note_path, &input, NULL) != LAM_STATUS_OK)
        return false;
    bool is_read = input.size <= NOTE_SIZE &&
                   input.read_at(input.state, 0, (size_t)input.size, bytes, NULL) == LAM_STATUS_OK;
    *ret_size = (size_t)input.size;
    lam_input_close(&input);
    return is_read;
}

bool lam_append_note_read(const lam_storage *storage, const char *note_path, uint64_t *ret_size) {
    uint8_t bytes[NOTE_SIZE];
    size_t size;
    if (!read_note(storage, note_path, bytes, &size) || size != sizeof bytes ||
        memcmp(bytes, APPEND_NOTE_MAGIC, 4) != 0 ||
        lam_load_le32(bytes + NOTE_CRC_AT) != lam_crc32(0, bytes, NOTE_CRC_AT))
        return false;
    *ret_size = lam_load_le64(bytes + 4);
    return true;
}

/* The length of a file may be ahead of its bytes, which are zeros then. */
bool lam_append_note_is_torn(const lam_storage *storage, const char *note_path) {
    uint8_t bytes[NOTE_SIZE] = {0};
    uint64_t whole;
    size_t size;
    if (lam_append_note_read(storage, note_path, &whole) ||
        !read_note(storage, note_path, bytes, &size))
        return false;
    for (size_t i = 0; i < 4 && i < size; i++)
        if (bytes[i] != 0 && bytes[i] != (uint8_t)APPEND_NOTE_MAGIC[i])
            return false;
    return true;
}
