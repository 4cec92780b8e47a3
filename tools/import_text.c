/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that import reads: files, pipes, standard input. */
#define _POSIX_C_SOURCE 200809L
#include "import_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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

/* Takes from a piece what belongs to the sample: the last one goes to the end of a line. */
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

static lam_status read_input(void *state, void *buffer, size_t capacity, size_t *ret_size,
                             lam_error *error) {
    tool_text *input = state;
    int descriptor = fileno(input->file);
    ssize_t size;
    do {
        size = read(descriptor, buffer, capacity);
    } while (size < 0 && errno == EINTR);
    input->failed = size < 0;
    if (input->failed)
        return io_error(error, "cannot read: %s", strerror(errno));
    *ret_size = input->left == SIZE_MAX ? (size_t)size : cut_sample(input, buffer, (size_t)size);
    return LAM_STATUS_OK;
}

lam_json_source tool_text_source(tool_text *input) {
    lam_json_source source = {input, read_input};
    return source;
}

static int fail_open(const char *name) {
    fprintf(stderr, "lamella: %s: cannot open: %s\n", name, strerror(errno));
    return TOOL_BAD_INPUT;
}

int tool_texts_open(tool_text *inputs, int count, char **names, bool twice) {
    struct stat about;
    for (int i = 0; i < count; i++) {
        bool is_stdin = strcmp(names[i], "-") == 0;
        inputs[i].name = tool_name(names[i]);
        inputs[i].left = SIZE_MAX;
        inputs[i].file = is_stdin ? stdin : fopen(names[i], "rb");
        if (inputs[i].file == NULL)
            return fail_open(names[i]);
        if (!is_stdin && fstat(fileno(inputs[i].file), &about) == 0 && S_ISREG(about.st_mode)) {
            inputs[i].path = names[i];
            fclose(inputs[i].file);
            inputs[i].file = NULL;
            continue;
        }
        FILE *file = twice ? tool_rewindable(inputs[i].file, inputs[i].name) : inputs[i].file;
        if (file == NULL)
            return TOOL_BAD_INPUT;
        inputs[i].file = file;
        inputs[i].start = lseek(fileno(file), 0, SEEK_CUR);
    }
    return TOOL_OK;
}

lam_status tool_text_begin(tool_text *input, lam_error *error) {
    if (input->path != NULL)
        input->file = fopen(input->path, "rb");
    else if (input->start >= 0 && lseek(fileno(input->file), input->start, SEEK_SET) < 0)
        return io_error(error, "cannot read again: %s", strerror(errno));
    return input->file != NULL ? LAM_STATUS_OK
                               : io_error(error, "cannot open: %s", strerror(errno));
}

void tool_text_end(tool_text *input) {
    if (input->path == NULL || input->file == NULL)
        return;
    fclose(input->file);
    input->file = NULL;
}

void tool_texts_close(tool_text *inputs, int count) {
    for (int i = 0; i < count; i++)
        if (inputs[i].file != NULL && inputs[i].file != stdin)
            fclose(inputs[i].file);
}
