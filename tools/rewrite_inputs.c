/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives a rewrite its files, by name and in their order. A file only ever stays open if its name
 * alone does not open it again.
 */
#include "rewrite_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_files.h"

/* Takes a name off the front of a message; false when it is not there. */
static bool take_name_off(lam_error *error, const char *name) {
    size_t size = strlen(tool_name(name));
    if (strncmp(error->message, tool_name(name), size) != 0 ||
        strncmp(error->message + size, ": ", 2) != 0)
        return false;
    memmove(error->message, error->message + size + 2, strlen(error->message + size + 2) + 1);
    return true;
}

int rewrite_fail(const char *output, lam_error *error, int count, char **names) {
    int input = 0;
    while (input < count && !take_name_off(error, names[input]))
        input++;
    bool is_of_output = take_name_off(error, output) || input == count;
    return tool_fail(is_of_output ? output : names[input], error);
}

static int keep_open(rewrite_inputs *open, const char *name, lam_reader **ret_reader) {
    bool is_stdin = strcmp(name, "-") == 0;
    if (is_stdin && open->of_stdin != NULL) {
        *ret_reader = open->of_stdin;
        return TOOL_OK;
    }
    int result = tool_open(name, ret_reader);
    if (result != TOOL_OK)
        return result;
    open->items = tool_reallocate(open->items, (size_t)open->count + 1, sizeof(lam_reader *));
    open->items[open->count++] = *ret_reader;
    if (is_stdin)
        open->of_stdin = *ret_reader;
    return TOOL_OK;
}

void rewrite_inputs_close(rewrite_inputs *inputs) {
    for (int i = 0; i < inputs->count; i++)
        lam_reader_close(inputs->items[i]);
    free(inputs->items);
}

static bool has_keys(const char *name) {
    size_t count = 0;
    free(tool_file_keys(name, &count));
    return count > 0;
}

int rewrite_inputs_add(rewrite_inputs *inputs, lam_rewrite *rewrite, const char *output, int count,
                       char **names) {
    lam_error error = lam_error_none();
    for (int i = 0; i < count; i++) {
        lam_status status;
        lam_reader *reader;
        if (strcmp(names[i], "-") == 0 || has_keys(names[i])) {
            int result = keep_open(inputs, names[i], &reader);
            if (result != TOOL_OK)
                return result;
            status = lam_rewrite_add_reader(rewrite, reader, tool_name(names[i]), &error);
        } else {
            status = lam_rewrite_add_file(rewrite, names[i], &error);
        }
        if (status != LAM_STATUS_OK)
            return rewrite_fail(output, &error, count, names);
    }
    return TOOL_OK;
}
