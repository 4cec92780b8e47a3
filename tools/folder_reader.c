/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the files of a folder or a pattern, or one file, as one reader. The files of a folder are
 * united in a temporary file without a name, which is removed with the reader. The records are
 * always those of rewrite, in its order.
 */
#define _POSIX_C_SOURCE 200809L
#include "folder_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite_inputs.h"
#include "text_reader.h"
#include "tool.h"
#include "tool_files.h"

/* As the `open` of lam_rewrite_target, for the temporary file. */
static lam_status open_output(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    (void)folder;
    (void)number;
    return lam_output_descriptor(fileno(state), tool_allocator(), ret_output, error);
}

static int unite(const char *name, int count, char **paths, FILE *file) {
    lam_error error = lam_error_none();
    lam_rewrite *rewrite;
    rewrite_inputs inputs = {NULL, 0, NULL};
    lam_reader_options reader = tool_reader_options();
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite_target target = {file, open_output};
    options.allocator = tool_allocator();
    options.reader = &reader;
    options.stop = tool_limits_of_program()->stop;
    if (lam_rewrite_create(&options, &rewrite, &error) != LAM_STATUS_OK)
        return tool_fail(name, &error);
    int result = rewrite_inputs_add(&inputs, rewrite, name, count, paths);
    if (result == TOOL_OK && lam_rewrite_run(rewrite, &target, NULL, &error) != LAM_STATUS_OK)
        result = rewrite_fail(name, &error, count, paths);
    lam_rewrite_destroy(rewrite);
    rewrite_inputs_close(&inputs);
    return result;
}

static int open_united(const char *name, const tool_files *files, lam_reader **ret_reader) {
    FILE *file = tmpfile();
    if (file == NULL) {
        tool_say("lamella: %s: cannot make a temporary file: %s\n", name, strerror(errno));
        return TOOL_BAD_INPUT;
    }
    char **paths = tool_allocate((size_t)files->count, sizeof *paths);
    for (int i = 0; i < files->count; i++)
        paths[i] = files->items[i].path;
    int result = unite(name, files->count, paths, file);
    free(paths);
    if (result == TOOL_OK)
        return tool_open_made(name, file, ret_reader);
    fclose(file);
    return result;
}

int folder_reader_open(const char *name, lam_reader **ret_reader) {
    char *operand = tool_copy_text(name);
    tool_files files;
    tool_files_find(1, &operand, TOOL_FILES_KEYED, &files);
    int result = files.result;
    if (result == TOOL_OK && files.count == 1 && !files.items[0].is_found)
        result = text_reader_open(name, UINT64_MAX, NULL, ret_reader);
    else if (result == TOOL_OK)
        result = open_united(name, &files, ret_reader);
    tool_files_say_leftovers(&files);
    tool_files_free(&files);
    free(operand);
    return result;
}
