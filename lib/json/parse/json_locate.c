/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits and positions for the messages of the reader of records and of inference.
 *
 * Positions are found only after a failure: a piece carries the line on which it begins, and the
 * newlines before the offset are counted then. Nothing on the way to a failure pays for it. A
 * message is rewritten in its lam_error with the position before it; the status never changes.
 * Columns count bytes from 1, as editors count in ASCII text.
 */
#include "json/parse/json_locate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "schema/path_text.h"

/* Offsets of tokens have 32 bits, so a record cannot be of any size. */
static const size_t DEFAULT_LIMIT = (size_t)64 << 20;
static const size_t LARGEST_LIMIT = (size_t)1 << 30;
/* Enough for a short record and the sink of inference. */
static const uint64_t LEAST_MEMORY = UINT64_C(1) << 30;
/*
 * A record of numbers of one digit takes 12 bytes of memory for each byte of its text (json.h); all
 * else is for buffers that grow.
 */
enum { MEMORY_OF_A_BYTE = 16 };

size_t lam_json_limit(size_t max_record_bytes) {
    return max_record_bytes == 0 ? DEFAULT_LIMIT : max_record_bytes;
}

/* Never above half of the address space, so that sums of two sizes do not overflow. */
size_t lam_json_memory_limit(uint64_t memory_limit, size_t max_record_bytes) {
    uint64_t bytes = (uint64_t)lam_json_limit(max_record_bytes) * MEMORY_OF_A_BYTE;
    if (memory_limit > 0)
        return (size_t)memory_limit;
    bytes = bytes > LEAST_MEMORY ? bytes : LEAST_MEMORY;
    return bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)bytes;
}

lam_status lam_json_check_limit(size_t max_record_bytes, uint64_t memory_limit, lam_error *error) {
    if (memory_limit > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a memory limit of %" PRIu64 " bytes", memory_limit);
    if (max_record_bytes > LARGEST_LIMIT)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a record limit of %zu bytes is above %zu",
                 max_record_bytes, LARGEST_LIMIT);
    return LAM_STATUS_OK;
}

/* Gives the line of an offset, and its column there, from 1. */
static uint64_t line_of(const lam_json_piece *piece, size_t offset, size_t *ret_column) {
    uint64_t line = piece->line;
    size_t start = 0;
    for (size_t i = 0; i < offset && i < piece->size; i++) {
        if (piece->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    *ret_column = offset - start + 1;
    return line;
}

/* A LIMIT concerns the entire record, so it has no column. */
lam_status lam_json_locate_syntax(const lam_json_piece *piece, size_t offset, lam_status status,
                                  lam_error *error) {
    size_t column;
    if (status == LAM_STATUS_LIMIT)
        return lam_json_locate_value(piece, 0, "", status, error);
    if (error == NULL || status != LAM_STATUS_INVALID)
        return status;
    uint64_t line = line_of(piece, offset, &column);
    lam_error inner = *error;
    return lam_error_set(error, lam_error_kind(&inner), "line %" PRIu64 ", column %zu: %s", line,
                         column, inner.message);
}

lam_status lam_json_locate_value(const lam_json_piece *piece, size_t offset, const char *path,
                                 lam_status status, lam_error *error) {
    size_t column;
    if (error == NULL || (status != LAM_STATUS_INVALID && status != LAM_STATUS_LIMIT))
        return status;
    if (error->row_group >= 0) /* the location in the file that the writer makes */
        return status;
    uint64_t line = line_of(piece, offset, &column);
    lam_error inner = *error;
    return lam_error_set(error, lam_error_kind(&inner), "line %" PRIu64 ": %s%s%s", line, path,
                         path[0] == '\0' ? "" : ": ", inner.message);
}

/* --- Paths ----------------------------------------------------------------------------------- */

void lam_json_path_start(lam_json_path *path, char *text, size_t capacity) {
    *path = (lam_json_path){text, 0, capacity, 0};
    text[0] = '\0';
}

/* Appends text, and drops bytes at the beginning to make room for it. */
static void json_locate_put(lam_json_path *path, const char *text, size_t size) {
    size_t room = path->capacity - 1;
    path->whole += size;
    if (size > room) {
        text += size - room;
        size = room;
    }
    size_t keep = path->size < room - size ? path->size : room - size;
    memmove(path->text, path->text + path->size - keep, keep);
    memcpy(path->text + keep, text, size);
    path->size = keep + size;
    path->text[path->size] = '\0';
}

void lam_json_path_add_name(lam_json_path *path, const char *name, size_t size) {
    if (path->size > 0)
        json_locate_put(path, ".", 1);
    if (lam_path_name_is_plain(name, size)) {
        json_locate_put(path, name, size);
        return;
    }
    json_locate_put(path, "\"", 1);
    for (const char *end = name + size, *mark; name < end; name = mark) {
        mark = memchr(name, '"', (size_t)(end - name));
        mark = mark == NULL ? end : mark + 1;
        json_locate_put(path, name, (size_t)(mark - name));
        if (mark[-1] == '"')
            json_locate_put(path, "\"", 1);
    }
    json_locate_put(path, "\"", 1);
}

void lam_json_path_add_index(lam_json_path *path, size_t index) {
    char text[32];
    json_locate_put(path, text, (size_t)snprintf(text, sizeof text, "[%zu]", index));
}

/* Bytes 10xxxxxx continue a UTF-8 character whose first byte was cut off. */
void lam_json_path_end(lam_json_path *path) {
    size_t cut = 0;
    while (path->whole > path->size && cut < path->size &&
           ((unsigned char)path->text[cut] & 0xC0) == 0x80)
        cut++;
    memmove(path->text, path->text + cut, path->size - cut + 1);
    path->size -= cut;
}
