/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <lamella/projection.h>
#include <lamella/record.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_files.h"
#include "tool_screen.h"

/* --- Errors and options -------------------------------------------------------------------- */

/*
 * A message of the library about a file begins with its path, as it is visible, cut at the front by
 * "..." when it is long. Gives the text after it, since the line already has the path.
 */
static const char *behind_path(const char *message, const char *path) {
    char *whole = tool_printable(path, strlen(path), SIZE_MAX, false);
    const char *begin = strncmp(message, "...", 3) == 0 ? message + 3 : message;
    const char *rest = message;
    for (const char *kept = whole; *kept != '\0'; kept++) {
        size_t size = strlen(kept);
        if (strncmp(begin, kept, size) == 0 && strncmp(begin + size, ": ", 2) == 0) {
            rest = begin + size + 2;
            break;
        }
        if (begin == message)
            break; /* it is the entire path, or none */
    }
    free(whole);
    return rest;
}

/* Whether the path of the column is already in the message, or there is none. */
static bool names_column(const lam_error *error) {
    size_t size = strlen(error->column_path);
    return size == 0 ||
           (strncmp(error->message, error->column_path, size) == 0 && error->message[size] == ':');
}

/* Where in the file it was: " (row group 0, offset 4)"; `text` has room for all numbers. */
static void put_location(const lam_error *error, char *text, size_t size) {
    const char *before = " (";
    int used = 0;
    text[0] = '\0';
    if (error->row_group >= 0) {
        used += snprintf(text, size, "%srow group %" PRId32, before, error->row_group);
        before = ", ";
    }
    if (error->column >= 0) {
        used += snprintf(text + used, size - (size_t)used, "%scolumn %" PRId32 "%s%s", before,
                         error->column, names_column(error) ? "" : " ",
                         names_column(error) ? "" : error->column_path);
        before = ", ";
    }
    if (error->row >= 0) {
        used += snprintf(text + used, size - (size_t)used, "%srow %" PRId64, before, error->row);
        before = ", ";
    }
    if (error->offset >= 0)
        used +=
            snprintf(text + used, size - (size_t)used, "%soffset %" PRId64, before, error->offset);
    if (used > 0)
        snprintf(text + used, size - (size_t)used, ")");
}

int tool_fail(const char *file, const lam_error *error) {
    char location[sizeof error->column_path + 128], message[sizeof error->message + 2];
    if (tool_stdout_failed())
        return TOOL_BAD_INPUT; /* tool_flush says it, once */
    if (error->status == LAM_STATUS_CANCELLED && tool_is_asked_to_end())
        return TOOL_BAD_INPUT; /* the caller knows */
    if (error->status == LAM_STATUS_NOMEM)
        tool_end_without_memory(file, error->message);
    if (error->status == LAM_STATUS_CANCELLED)
        tool_note_deadline();
    put_location(error, location, sizeof location);
    tool_name_options(behind_path(error->message, file), message, sizeof message);
    tool_say("lamella: %s: %s%s\n", tool_name(file), message, location);
    return TOOL_BAD_INPUT;
}

int tool_fail_option(const char *file, const char *option, const lam_error *error) {
    if (error->status == LAM_STATUS_NOMEM || error->status == LAM_STATUS_IO ||
        error->status == LAM_STATUS_CORRUPT)
        return tool_fail(file, error);
    tool_say("lamella: %s: --%s: %s\n", tool_name(file), option, error->message);
    return TOOL_BAD_USAGE;
}

/* Where in a condition a failure is: "character 7: ..."; its end if the message does not say. */
static const char *place_of(const char *where, const char *message) {
    unsigned long long number;
    if (sscanf(message, "character %llu: ", &number) != 1)
        return where + strlen(where);
    while (*where != '\0' && (number > 1 || ((unsigned char)*where & 0xC0) == 0x80)) {
        where++;
        number -= ((unsigned char)*where & 0xC0) != 0x80;
    }
    return where;
}

/* What other languages write there, and its form here; "" for anything else. */
static const char *hint_of_condition(const char *where, const char *message) {
    const char *at = place_of(where, message), *before = at;
    if (strstr(message, "begins with this character") != NULL && *at != '\0')
        return *at == '&'                    ? ": it is and"
               : *at == '|'                  ? ": it is or"
               : strchr("+*/%", *at) != NULL ? ": there is no arithmetic"
                                             : "";
    if (strstr(message, "no number") != NULL && (*at == '+' || *at == '-'))
        return ": there is no arithmetic";
    if (strstr(message, "no field '") == NULL || strstr(message, "did you mean") != NULL)
        return "";
    while (before > where && before[-1] == ' ')
        before--;
    if (*at == '"' || (before > where && strchr("=<>", before[-1]) != NULL))
        return ": texts stand in 'single quotes'";
    at += strcspn(at, " ()=<>!,");
    return at[strspn(at, " ")] == '(' ? ": there are no functions" : "";
}

int tool_fail_where(const char *file, const char *where, lam_error *error) {
    size_t size = strlen(error->message);
    snprintf(error->message + size, sizeof error->message - size, "%s",
             hint_of_condition(where, error->message));
    return tool_fail_option(file, "where", error);
}

int tool_misuse(const tool_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tool_say("lamella: ");
    tool_say_arguments(format, arguments);
    va_end(arguments);
    tool_say("; see \"lamella %s --help\"\n", command->name);
    return TOOL_BAD_USAGE;
}

bool tool_parse_count(const char *text, uint64_t *ret_count) {
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0')
        return false;
    *ret_count = number;
    return true;
}

bool tool_parse_size(const char *text, uint64_t *ret_size) {
    static const char units[] = "KMGT";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (*end != '\0' && strcmp(end, "B") != 0) {
        const char *unit = strchr(units, *end);
        if (unit == NULL)
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
        if (strcmp(end, "") != 0 && strcmp(end, "iB") != 0 && strcmp(end, "B") != 0)
            return false;
    }
    if (errno != 0 || number > (UINT64_C(1) << 62) >> shift)
        return false;
    *ret_size = (uint64_t)number << shift;
    return true;
}

bool tool_parse_limit(const char *text, uint64_t *ret_limit) {
    return tool_parse_size(text, ret_limit) && *ret_limit > 0;
}

/* --- Fields -------------------------------------------------------------------------------- */

size_t tool_mark_from(const char *text, size_t position, char mark) {
    return position + lam_path_size(text + position, strlen(text + position), mark);
}

void tool_print_path(const lam_field *field) {
    char *path = tool_path_of(field);
    tool_print("%s", path);
    free(path);
}

void tool_print_path_json(const lam_field *field) {
    char *path = tool_path_of(field);
    tool_print_text(path, lam_field_path(field, NULL, 0)); /* names may hold U+0000 */
    free(path);
}

int tool_select(const char *file, const lam_schema *schema, const char *columns,
                bool **ret_leaves) {
    *ret_leaves = NULL;
    if (columns == NULL)
        return TOOL_OK;
    lam_error error = lam_error_none();
    bool *leaves = tool_allocate(lam_schema_leaf_count(schema) + 1, sizeof *leaves);
    if (lam_schema_select_text(schema, columns, strlen(columns), NULL, leaves, &error) !=
        LAM_STATUS_OK) {
        free(leaves);
        return tool_fail_option(file, "columns", &error);
    }
    *ret_leaves = leaves;
    return TOOL_OK;
}

int tool_project(const char *file, const lam_schema *schema, const char *columns,
                 lam_projection **ret_projection) {
    *ret_projection = NULL;
    if (columns == NULL)
        return TOOL_OK;
    lam_error error = lam_error_none();
    if (lam_projection_parse(schema, columns, strlen(columns), tool_allocator(), ret_projection,
                             &error) != LAM_STATUS_OK)
        return tool_fail_option(file, "columns", &error);
    return TOOL_OK;
}

int tool_each_of(const tool_files *files, int (*each)(const char *file, void *state), void *state) {
    int worst = files->result;
    for (int i = 0; i < files->count && !tool_stdout_failed(); i++) {
        int result = each(files->items[i].path, state);
        worst = result > worst ? result : worst;
        if (result == TOOL_BAD_USAGE && files->items[i].is_found)
            break; /* the others of the folder would say the same */
    }
    int flushed = tool_flush();
    return flushed > worst ? flushed : worst;
}

bool tool_need_operands(const tool_command *command, int *count, char ***operands) {
    static char name[] = "-";
    static char *piped[] = {name, NULL};
    if (*count == 0 && isatty(STDIN_FILENO)) {
        (void)tool_misuse(command, "no file given");
        return false;
    }
    *operands = *count == 0 ? piped : *operands;
    *count += *count == 0;
    return true;
}

int tool_each_file(const tool_command *command, int count, char **operands,
                   int (*each)(const char *file, void *state), void *state) {
    tool_files files;
    if (!tool_need_operands(command, &count, &operands))
        return TOOL_BAD_USAGE;
    tool_files_find(count, operands, TOOL_FILES_PARQUET, &files);
    int result = tool_each_of(&files, each, state);
    tool_files_free(&files);
    return result;
}

/* All of a file in memory, NUL-terminated; NULL when it cannot be read. */
static char *read_text(const char *path, size_t *ret_size, lam_error *error) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, got = 0, room = 4096;
    bool failed = false;
    if (file == NULL) {
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "cannot read: %s", strerror(errno));
        return NULL;
    }
    do {
        room = size + 1 < room ? room : 2 * room;
        text = tool_reallocate(text, room, 1);
        failed =
            tool_read(fileno(file), text + size, room - 1 - size, &got, error) != LAM_STATUS_OK;
        size += failed ? 0 : got;
    } while (!failed && got > 0);
    if (file != stdin)
        fclose(file);
    if (failed) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    *ret_size = size;
    return text;
}

int tool_read_schema(const char *text, lam_schema **ret_schema) {
    lam_error error = lam_error_none();
    if (strpbrk(text, "{;") != NULL) {
        if (lam_schema_parse(text, strlen(text), NULL, ret_schema, &error) == LAM_STATUS_OK)
            return TOOL_OK;
        (void)tool_fail("schema", &error);
        return TOOL_BAD_USAGE;
    }
    size_t size;
    char *content = read_text(text, &size, &error);
    if (content == NULL)
        return tool_fail(text, &error);
    lam_status status = lam_schema_parse(content, size, NULL, ret_schema, &error);
    free(content);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(text, &error);
}
