/* SPDX-License-Identifier: Apache-2.0 */
/* Standard input as a file to read from any place, as often as wanted. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"
#include "tool_files.h"
#include "tool_progress.h"

const char *tool_name(const char *file) {
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

FILE *tool_open_stream(const char *path) {
    int descriptor = tool_open_descriptor(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

static FILE *fail_copy(const char *name, FILE *copy) {
    tool_say("lamella: %s: cannot copy to a temporary file: %s\n", name, strerror(errno));
    if (copy != NULL)
        fclose(copy);
    return NULL;
}

FILE *tool_rewindable(FILE *file, const char *name) {
    char block[65536];
    size_t size = 0;
    lam_error error = lam_error_none();
    if (lseek(fileno(file), 0, SEEK_CUR) >= 0)
        return file;
    FILE *copy = tmpfile();
    if (copy == NULL)
        return fail_copy(name, NULL);
    do {
        if (tool_read(fileno(file), block, sizeof block, &size, &error) != LAM_STATUS_OK) {
            fclose(copy);
            (void)tool_fail(name, &error);
            return NULL;
        }
        if (fwrite(block, 1, size, copy) != size)
            return fail_copy(name, copy);
    } while (size > 0);
    if (fflush(copy) != 0)
        return fail_copy(name, copy);
    if (file != stdin)
        fclose(file);
    if (lseek(fileno(copy), 0, SEEK_SET) < 0)
        return fail_copy(name, copy);
    return copy;
}

/* --- A FILE as a lam_input ----------------------------------------------------------------- */

lam_status tool_stream_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    uint8_t *bytes = buffer;
    while (size > 0) {
        ssize_t got = pread(fileno(state), bytes, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            *error = lam_error_none();
            error->status = LAM_STATUS_IO;
            error->offset = (int64_t)offset;
            snprintf(error->message, sizeof error->message, "cannot read: %s",
                     got < 0 ? strerror(errno) : "the file became shorter while it was read");
            return LAM_STATUS_IO;
        }
        bytes += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return LAM_STATUS_OK;
}

static void stream_close(void *state) {
    if (state != stdin)
        fclose(state);
}

/* Standard input, or a pipe: a copy of it, since a file is read from its end on. */
static int open_stream(FILE *stream, const char *name, lam_input *ret_input) {
    struct stat about;
    FILE *file = tool_rewindable(stream, name);
    if (file == NULL) {
        stream_close(stream);
        return TOOL_BAD_INPUT;
    }
    if (fstat(fileno(file), &about) != 0) {
        tool_say("lamella: %s: cannot read: %s\n", name, strerror(errno));
        stream_close(file);
        return TOOL_BAD_INPUT;
    }
    lam_input input = {file, (uint64_t)about.st_size, tool_stream_read_at, NULL, stream_close};
    *ret_input = input;
    return TOOL_OK;
}

/* --- Counting ------------------------------------------------------------------------------ */

typedef struct counted_input {
    lam_input inner;
    uint64_t *bytes_read;
} counted_input;

static lam_status counted_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    counted_input *counted = state;
    if (counted->bytes_read != NULL)
        *counted->bytes_read += size;
    else
        tool_progress_read(size);
    return counted->inner.read_at(counted->inner.state, offset, size, buffer, error);
}

static void counted_close(void *state) {
    counted_input *counted = state;
    lam_input_close(&counted->inner);
    free(counted);
}

/* Adds up the bytes that are read; for progress, if `bytes_read` is NULL. */
static void count_reads(lam_input *input, uint64_t *bytes_read) {
    counted_input *counted = tool_allocate(1, sizeof *counted);
    counted->inner = *input;
    counted->bytes_read = bytes_read;
    lam_input outer = {counted, input->size, counted_read_at, NULL, counted_close};
    *input = outer;
}

int tool_open_input(const char *file, lam_input *ret_input) {
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    struct stat about;
    FILE *pipe = NULL;
    if (strcmp(file, "-") != 0 && stat(file, &about) == 0 && S_ISFIFO(about.st_mode))
        pipe = tool_open_stream(file);
    if (strcmp(file, "-") == 0)
        result = open_stream(stdin, tool_name("-"), ret_input);
    else if (pipe != NULL)
        result = open_stream(pipe, file, ret_input);
    else if (lam_input_open_file(file, NULL, ret_input, &error) != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    if (result == TOOL_OK && tool_progress_is_on())
        count_reads(ret_input, NULL);
    return result;
}

/* --- Readers ------------------------------------------------------------------------------- */

/* With the keys of the file; the input is closed on failure. */
static int open_reader(const char *file, lam_input *input, lam_reader **ret_reader) {
    lam_error error = lam_error_none();
    lam_reader_options options = tool_reader_options();
    size_t key_count;
    lam_constant *keys = tool_file_keys(file, &key_count);
    lam_status status =
        lam_reader_open_with_constants(input, keys, key_count, &options, ret_reader, &error);
    free(keys);
    if (status == LAM_STATUS_OK)
        return TOOL_OK;
    lam_input_close(input);
    return tool_fail(file, &error);
}

int tool_open_counted(const char *file, uint64_t *bytes_read, lam_reader **ret_reader) {
    lam_input input;
    int result = tool_open_input(file, &input);
    if (result != TOOL_OK)
        return result;
    if (bytes_read != NULL)
        count_reads(&input, bytes_read);
    return open_reader(file, &input, ret_reader);
}

int tool_open_made(const char *file, FILE *made, lam_reader **ret_reader) {
    lam_input input;
    int result = open_stream(made, tool_name(file), &input);
    return result == TOOL_OK ? open_reader(file, &input, ret_reader) : result;
}

int tool_open(const char *file, lam_reader **ret_reader) {
    return tool_open_counted(file, NULL, ret_reader);
}

bool *tool_free_leaves(const lam_reader *reader) {
    const lam_schema *schema = lam_reader_schema(reader);
    bool *leaves = tool_allocate(lam_schema_leaf_count(schema) + 1, sizeof *leaves);
    const char *key, *value;
    for (size_t i = 0; lam_reader_key_value(reader, i, &key, &value); i++)
        if (strcmp(key, LAM_JSON_FREE_KEY) == 0 && value != NULL)
            lam_json_free_parse(schema, value, strlen(value), leaves);
    return leaves;
}
