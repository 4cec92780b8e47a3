/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives a rewrite its files. In: their names. Out: a rewrite that has them in this order. The
 * invariant: a file stays open only if its name alone does not open it again.
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

/* --- Strangers ----------------------------------------------------------------------------- */

static size_t column_count(const lam_schema *schema) {
    return schema == NULL ? 0 : lam_field_child_count(lam_schema_root(schema));
}

/* The columns of a file whose reader is NULL unless it is open; 0 if it cannot be read again. */
static size_t columns_of(const char *name, const lam_reader *reader) {
    lam_reader_options options = tool_reader_options();
    lam_reader *own = NULL;
    if (reader == NULL && lam_reader_open_file(name, &options, &own, NULL) != LAM_STATUS_OK)
        return 0;
    size_t count = column_count(lam_reader_schema(reader != NULL ? reader : own));
    lam_reader_close(own);
    return count;
}

/*
 * Says that a file has no column of those before it: one that shares some adds fewer columns than
 * it has.
 */
static void say_stranger(const lam_rewrite *rewrite, size_t before, const char *name,
                         const lam_reader *reader) {
    const size_t more = column_count(lam_rewrite_schema(rewrite)) - before;
    if (before > 0 && more > 0 && columns_of(name, reader) == more)
        tool_say("lamella: %s: it has no column of the files before it, whose columns are null in "
                 "its rows\n",
                 tool_name(name));
}

int rewrite_inputs_add(rewrite_inputs *inputs, lam_rewrite *rewrite, const char *output, int count,
                       char **names) {
    lam_error error = lam_error_none();
    for (int i = 0; i < count; i++) {
        const size_t before = column_count(lam_rewrite_schema(rewrite));
        lam_status status;
        lam_reader *reader = NULL;
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
        say_stranger(rewrite, before, names[i], reader);
    }
    return TOOL_OK;
}
