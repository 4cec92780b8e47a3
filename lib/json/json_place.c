#include "json/json_place.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

static const size_t DEFAULT_LIMIT = (size_t)64 << 20;
static const size_t LARGEST_LIMIT = (size_t)1 << 30;

size_t lam_json_limit(size_t max_record_bytes) {
    return max_record_bytes == 0 ? DEFAULT_LIMIT : max_record_bytes;
}

lam_status lam_json_check_limit(size_t max_record_bytes, lam_error *error) {
    if (max_record_bytes > LARGEST_LIMIT)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a record limit of %zu bytes is above %zu",
                 max_record_bytes, LARGEST_LIMIT);
    return LAM_STATUS_OK;
}

/* The line of an offset, and the bytes before it on that line. */
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

lam_status lam_json_place_syntax(const lam_json_piece *piece, size_t offset, lam_status status,
                                 lam_error *error) {
    size_t column;
    if (error == NULL || status != LAM_STATUS_INVALID)
        return status;
    uint64_t line = line_of(piece, offset, &column);
    lam_error inner = *error;
    return lam_error_set(error, status, "line %" PRIu64 ", column %zu: %s", line, column,
                         inner.message);
}

lam_status lam_json_place_value(const lam_json_piece *piece, size_t offset, const char *path,
                                lam_status status, lam_error *error) {
    size_t column;
    if (error == NULL || status != LAM_STATUS_INVALID)
        return status;
    uint64_t line = line_of(piece, offset, &column);
    lam_error inner = *error;
    return lam_error_set(error, status, "line %" PRIu64 ": %s%s%s", line, path,
                         path[0] == '\0' ? "" : ": ", inner.message);
}
