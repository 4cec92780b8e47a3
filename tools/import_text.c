/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that import reads: files, pipes, standard input. */
#define _POSIX_C_SOURCE 200809L
#include "import_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

/* --- Inputs -------------------------------------------------------------------------------- */

static LAM_PRINTF(2, 3) lam_status io_error(lam_error *error, const char *format, ...) {
    va_list arguments;
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return LAM_STATUS_IO;
}

static lam_status wrong_text(lam_error *error, const char *message) {
    *error = lam_error_none();
    error->status = LAM_STATUS_INVALID;
    snprintf(error->message, sizeof error->message, "%s", message);
    return LAM_STATUS_INVALID;
}

/*
 * Takes from a piece the bytes that belong to the sample: the last one goes to the end of a line.
 */
static size_t cut_sample(tool_text *input, const char *piece, size_t size) {
    if (size < input->left) {
        input->left -= size;
        return size;
    }
    size_t end = input->left;
    while (end > 0 && piece[end - 1] != '\n')
        end--;
    input->left = 0;
    return end;
}

static void keep_ahead(tool_text *input, const char *bytes, size_t size) {
    if (input->ahead_room - input->ahead_size < size) {
        input->ahead_room = 2 * (input->ahead_size + size);
        input->ahead = tool_reallocate(input->ahead, input->ahead_room, 1);
    }
    memcpy(input->ahead + input->ahead_size, bytes, size);
    input->ahead_size += size;
    input->ahead_next = input->ahead_size;
}

/* Bytes as they come, unpacked: kept ones first. */
static lam_status read_unpacked(tool_text *input, void *buffer, size_t capacity, size_t *ret_size,
                                lam_error *error) {
    size_t kept = input->ahead_size - input->ahead_next;
    if (kept > 0) {
        *ret_size = kept < capacity ? kept : capacity;
        memcpy(buffer, input->ahead + input->ahead_next, *ret_size);
        input->ahead_next += *ret_size;
        return LAM_STATUS_OK;
    }
    lam_status status =
        tool_unpack_read(input->unpack, fileno(input->file), buffer, capacity, ret_size, error);
    input->failed = status != LAM_STATUS_OK;
    if (status == LAM_STATUS_OK && input->keeps && *ret_size > 0)
        keep_ahead(input, buffer, *ret_size);
    return status;
}

static lam_status read_input(void *state, void *buffer, size_t capacity, size_t *ret_size,
                             lam_error *error) {
    tool_text *input = state;
    size_t size;
    lam_status status = read_unpacked(input, buffer, capacity, &size, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (input->records != NULL && !import_records_can_read(input->records, buffer, size))
        return wrong_text(error, "--records reads UTF-8, and the text is UTF-16");
    if (input->records != NULL && size > 0)
        import_records_take(input->records, buffer, size);
    else if (input->records != NULL && !import_records_may_end(input->records))
        return wrong_text(error, "the text ends inside an object or array");
    *ret_size = input->left == SIZE_MAX ? size : cut_sample(input, buffer, size);
    return LAM_STATUS_OK;
}

lam_json_source tool_text_source(tool_text *input) {
    lam_json_source source = {input, read_input};
    return source;
}

static int fail_open(const char *name) {
    if (errno == ENOMEM)
        tool_end_without_memory(NULL, "no memory");
    tool_say("lamella: %s: cannot open: %s\n", name, strerror(errno));
    return TOOL_BAD_INPUT;
}

int tool_texts_open(tool_text *inputs, int count, char **names) {
    struct stat about;
    for (int i = 0; i < count; i++) {
        tool_text *input = &inputs[i];
        bool is_stdin = strcmp(names[i], "-") == 0;
        input->name = tool_name(names[i]);
        input->left = SIZE_MAX;
        input->file = is_stdin ? stdin : tool_open_stream(names[i]);
        if (input->file == NULL)
            return fail_open(names[i]);
        bool is_known = fstat(fileno(input->file), &about) == 0;
        if (is_known) {
            input->device = about.st_dev;
            input->number = about.st_ino;
        }
        if (!is_stdin && is_known && S_ISREG(about.st_mode)) {
            input->path = names[i];
            fclose(input->file);
            input->file = NULL;
            continue;
        }
        input->start = lseek(fileno(input->file), 0, SEEK_CUR);
    }
    return TOOL_OK;
}

const tool_text *tool_texts_find(const tool_text *inputs, int count, const char *output) {
    struct stat about;
    int result = strcmp(output, "-") == 0 ? fstat(STDOUT_FILENO, &about) : stat(output, &about);
    if (result != 0 || !S_ISREG(about.st_mode))
        return NULL;
    for (int i = 0; i < count; i++)
        if (inputs[i].device == about.st_dev && inputs[i].number == about.st_ino)
            return &inputs[i];
    return NULL;
}

lam_status tool_text_begin(tool_text *input, lam_error *error) {
    if (input->path != NULL)
        input->file = fopen(input->path, "rb");
    else if (input->start >= 0 && lseek(fileno(input->file), input->start, SEEK_SET) < 0)
        return io_error(error, "cannot read again: %s", strerror(errno));
    if (input->unpack == NULL)
        input->unpack = tool_unpack_create();
    else if (input->start >= 0)
        tool_unpack_restart(input->unpack);
    if (input->records != NULL)
        import_records_restart(input->records);
    input->ahead_next = 0;
    return input->file != NULL ? LAM_STATUS_OK
                               : io_error(error, "cannot open: %s", strerror(errno));
}

void tool_text_end(tool_text *input) {
    if (input->path == NULL || input->file == NULL)
        return;
    fclose(input->file);
    input->file = NULL;
    tool_unpack_destroy(input->unpack);
    input->unpack = NULL;
}

void tool_texts_close(tool_text *inputs, int count) {
    for (int i = 0; i < count; i++)
        if (inputs[i].file != NULL && inputs[i].file != stdin)
            fclose(inputs[i].file);
    for (int i = 0; i < count; i++) {
        tool_unpack_destroy(inputs[i].unpack);
        import_records_destroy(inputs[i].records);
        import_records_destroy(inputs[i].searched);
        free(inputs[i].ahead);
    }
}

/* Whether there are that many line ends. */
static bool has_lines(const char *bytes, size_t size, size_t lines) {
    const char *end = bytes + size;
    while (lines > 0 && (bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL) {
        bytes++;
        lines--;
    }
    return lines == 0;
}

lam_status tool_text_peek(tool_text *input, size_t lines, char *bytes, size_t capacity,
                          size_t *ret_size, lam_error *error) {
    size_t size = 0, got = 1;
    lam_status status = tool_text_begin(input, error);
    input->keeps = input->path == NULL && input->start < 0;
    while (status == LAM_STATUS_OK && size < capacity && got > 0 &&
           !has_lines(bytes, size, lines)) {
        status = read_input(input, bytes + size, capacity - size, &got, error);
        size += status == LAM_STATUS_OK ? got : 0;
    }
    input->keeps = false;
    input->is_packed = input->unpack != NULL && tool_unpack_is_packed(input->unpack);
    tool_text_end(input);
    *ret_size = size;
    return status;
}

int tool_texts_keep(tool_text *inputs, int count) {
    char block[65536];
    for (int i = 0; i < count; i++) {
        tool_text *input = &inputs[i];
        lam_error error = lam_error_none();
        size_t size = 0;
        if (input->path != NULL || input->start >= 0)
            continue; /* it can be read again */
        FILE *copy = tmpfile();
        lam_status status =
            copy == NULL ? io_error(&error, "cannot copy to a temporary file: %s", strerror(errno))
                         : tool_text_begin(input, &error);
        while (status == LAM_STATUS_OK &&
               (status = read_input(input, block, sizeof block, &size, &error)) == LAM_STATUS_OK &&
               size > 0)
            if (fwrite(block, 1, size, copy) != size)
                status = io_error(&error, "cannot copy to a temporary file: %s", strerror(errno));
        if (status == LAM_STATUS_OK && fflush(copy) != 0)
            status = io_error(&error, "cannot copy to a temporary file: %s", strerror(errno));
        if (status != LAM_STATUS_OK) {
            if (copy != NULL)
                fclose(copy);
            return tool_fail(input->name, &error);
        }
        if (input->file != stdin)
            fclose(input->file);
        input->file = copy;
        input->start = 0;
        input->is_packed = false;
        input->searched = input->records; /* the copy has only those */
        input->records = NULL;
        tool_unpack_destroy(input->unpack);
        input->unpack = NULL;
        input->ahead_size = input->ahead_next = 0;
    }
    return TOOL_OK;
}

bool tool_texts_are_rewindable(const tool_text *inputs, int count) {
    for (int i = 0; i < count; i++)
        if (inputs[i].path == NULL && inputs[i].start < 0)
            return false;
    return true;
}
