/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts lines that are skipped, and writes each, with the message of its failure, as a JSON
 * object. A growing file is always complete after each, since a log may run for months.
 */
#include "bad_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tool.h"

enum { SHOWN_MOST = 64 << 10 };

bool bad_lines_take_file(const tool_option *option, const char *value, void *chosen) {
    bad_lines *bad = (bad_lines *)(void *)((char *)chosen + option->at);
    bad->skips = true;
    bad->path = value;
    return *value != '\0' && strcmp(value, "-") != 0;
}

int bad_lines_open(bad_lines *bad, bool appends) {
    if (bad->path == NULL)
        return TOOL_OK;
    bad->appends = appends;
    bad->file = fopen(bad->path, appends ? "ab" : "wb");
    if (bad->file != NULL)
        return TOOL_OK;
    tool_say("lamella: %s: cannot create: %s\n", bad->path, strerror(errno));
    return TOOL_BAD_INPUT;
}

bool bad_lines_skip(const bad_lines *bad, const lam_error *error, lam_bytes text) {
    return bad->skips && text.data != NULL && error->code != LAM_ERROR_CODE_RECORD_ORDER &&
           (error->status == LAM_STATUS_INVALID || error->status == LAM_STATUS_LIMIT);
}

/* The text after "line 3: " or "line 3, ". */
static const char *behind_line(const char *message) {
    if (strncmp(message, "line ", 5) != 0)
        return message;
    const char *rest = message + 5 + strspn(message + 5, "0123456789");
    return strncmp(rest, ": ", 2) == 0 || strncmp(rest, ", ", 2) == 0 ? rest + 2 : message;
}

static lam_status write_text(void *state, const void *data, size_t size, lam_error *error) {
    (void)error;
    return fwrite(data, 1, size, state) == size ? LAM_STATUS_OK : LAM_STATUS_IO;
}

/* A text, after the text `before` it. The stream keeps a failure to write. */
static lam_status put_text(FILE *file, const char *before, const char *text, size_t size,
                           lam_error *error) {
    lam_output output = {.state = file, .write = write_text};
    fputs(before, file);
    lam_status status = lam_json_print_text(text, size, &output, error);
    return status == LAM_STATUS_IO ? LAM_STATUS_OK : status;
}

/* Complete characters of UTF-8. */
static size_t shown_size(lam_bytes text) {
    size_t size = text.size;
    if (size <= SHOWN_MOST)
        return size;
    for (size = SHOWN_MOST; size > SHOWN_MOST - 4 && (text.data[size] & 0xC0) == 0x80; size--)
        continue;
    return size;
}

lam_status bad_lines_add(bad_lines *bad, const char *input, uint64_t line, const char *message,
                         lam_bytes text, lam_error *error) {
    FILE *file = bad->file;
    const char *reason = behind_line(message);
    bad->count++;
    if (file == NULL)
        return LAM_STATUS_OK;
    lam_status status = put_text(file, "{\"input\":", input, strlen(input), error);
    fprintf(file, ",\"line\":%" PRIu64, line);
    if (status == LAM_STATUS_OK)
        status = put_text(file, ",\"reason\":", reason, strlen(reason), error);
    if (status == LAM_STATUS_OK)
        status = put_text(file, ",\"text\":", (const char *)text.data, shown_size(text), error);
    fputs("}\n", file);
    if (bad->appends)
        (void)fflush(file);
    if (status != LAM_STATUS_OK || !ferror(file))
        return status;
    bad->has_failed = true;
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    snprintf(error->message, sizeof error->message, "%s: cannot write: %s", bad->path,
             strerror(errno));
    return LAM_STATUS_IO;
}

void bad_lines_say(bad_lines *bad, const char *input) {
    if (bad->count > 0)
        tool_say("lamella: %s: skipped %" PRIu64 " line%s%s%s\n", input, bad->count,
                 tool_s(bad->count), bad->path == NULL ? "" : ": see ",
                 bad->path == NULL ? "" : bad->path);
    bad->count = 0;
}

int bad_lines_close(bad_lines *bad) {
    FILE *file = bad->file;
    bad->file = NULL;
    if (file == NULL || (fclose(file) == 0 && !bad->has_failed))
        return TOOL_OK;
    if (bad->has_failed)
        return TOOL_BAD_INPUT;
    tool_say("lamella: %s: cannot write: %s\n", bad->path, strerror(errno));
    return TOOL_BAD_INPUT;
}
