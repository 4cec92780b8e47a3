/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"
#include "tool_progress.h"
#include "tool_screen.h"

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

/* The errno of the first write to standard output that failed. */
static int stdout_failure;

static void note_stdout_failure(void) {
    if (stdout_failure == 0)
        stdout_failure = errno != 0 ? errno : EIO;
}

/* --- Errors and options -------------------------------------------------------------------- */

/* Whether a message has this byte of a path: what is no plain text came through as a "?". */
static bool is_same_byte(char shown, char byte) {
    unsigned char raw = (unsigned char)byte;
    return shown == byte || (shown == '?' && (raw < ' ' || raw >= 0x7F));
}

/*
 * A message of the library about a file begins with its path, cut at the front by "..." when it is
 * long. Gives what follows, since the line has the path already.
 */
static const char *behind_path(const char *message, const char *path) {
    const char *shown = message;
    size_t size = strlen(path), least = size;
    if (strncmp(message, "...", 3) == 0) {
        shown = message + 3;
        least = 1;
    }
    for (size_t kept = size; kept >= least && kept > 0; kept--) {
        size_t same = 0;
        while (same < kept && is_same_byte(shown[same], path[size - kept + same]))
            same++;
        if (same == kept && shown[kept] == ':' && shown[kept + 1] == ' ')
            return shown + kept + 2;
    }
    return message;
}

/* Whether the path of the column is in the message already, or there is none. */
static bool names_column(const lam_error *error) {
    size_t size = strlen(error->column_path);
    return size == 0 ||
           (strncmp(error->message, error->column_path, size) == 0 && error->message[size] == ':');
}

int tool_fail(const char *file, const lam_error *error) {
    const char *separator = " (";
    tool_progress_hide();
    fflush(stdout);
    if (stdout_failure != 0)
        return TOOL_BAD_INPUT; /* tool_flush says it, once */
    if (error->status == LAM_STATUS_NOMEM)
        tool_end_without_memory(file, error->message);
    if (error->status == LAM_STATUS_CANCELLED)
        tool_note_deadline();
    fprintf(stderr, "lamella: %s: %s", tool_name(file), behind_path(error->message, file));
    if (error->row_group >= 0) {
        fprintf(stderr, "%srow group %" PRId32, separator, error->row_group);
        separator = ", ";
    }
    if (error->column >= 0) {
        fprintf(stderr, "%scolumn %" PRId32 "%s%s", separator, error->column,
                names_column(error) ? "" : " ", names_column(error) ? "" : error->column_path);
        separator = ", ";
    }
    if (error->row >= 0) {
        fprintf(stderr, "%srow %" PRId64, separator, error->row);
        separator = ", ";
    }
    if (error->offset >= 0) {
        fprintf(stderr, "%soffset %" PRId64, separator, error->offset);
        separator = ", ";
    }
    fputs(separator[0] == ',' ? ")\n" : "\n", stderr);
    return TOOL_BAD_INPUT;
}

int tool_fail_option(const char *file, const char *option, const lam_error *error) {
    if (error->status == LAM_STATUS_NOMEM || error->status == LAM_STATUS_IO ||
        error->status == LAM_STATUS_CORRUPT)
        return tool_fail(file, error);
    fflush(stdout);
    fprintf(stderr, "lamella: %s: --%s: %s\n", tool_name(file), option, error->message);
    return TOOL_BAD_USAGE;
}

int tool_misuse(const tool_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("lamella: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "; see \"lamella %s --help\"\n", command->name);
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

/* --- Standard output ----------------------------------------------------------------------- */

/* Before something is printed beside it. */
static void hide_progress(void) {
    if (tool_screen_of_program()->is_terminal)
        tool_progress_hide();
}

/* Where tool_print and its kin print; NULL: standard output. */
static FILE *print_file;
static bool print_failed;

void tool_print_into(FILE *file) {
    print_file = file;
    print_failed = false;
}

bool tool_print_is_whole(void) {
    return !print_failed;
}

/* A stream in memory that cannot grow says so only here. */
static void note_print_failure(void) {
    if (print_file != NULL)
        print_failed = true;
    else
        note_stdout_failure();
}

static FILE *printed(void) {
    if (print_file != NULL)
        return print_file;
    hide_progress();
    return stdout;
}

static lam_status stdout_write(void *state, const void *data, size_t size, lam_error *error) {
    (void)state;
    if (fwrite(data, 1, size, printed()) == size)
        return LAM_STATUS_OK;
    note_print_failure();
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "cannot write: %s", strerror(errno));
    }
    return LAM_STATUS_IO;
}

lam_output *tool_stdout(void) {
    static lam_output output = {NULL, stdout_write, NULL, NULL};
    return &output;
}

void tool_push(void) {
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        note_stdout_failure();
}

int tool_flush(void) {
    static bool is_reported;
    tool_push();
    if (stdout_failure == 0 || is_reported)
        return stdout_failure == 0 ? TOOL_OK : TOOL_BAD_INPUT;
    is_reported = true;
    fprintf(stderr, "lamella: standard output: cannot write: %s\n", strerror(stdout_failure));
    return TOOL_BAD_INPUT;
}

void tool_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (vfprintf(printed(), format, arguments) < 0)
        note_print_failure();
    va_end(arguments);
}

void tool_print_text(const char *text, size_t size) {
    lam_error error;
    if (lam_json_print_text(text, size, tool_stdout(), &error) == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    /* What else goes wrong is seen by tool_flush. */
}

static size_t value_most; /* bytes of a text; 0: any */
static size_t values_cut;

void tool_cut_values(size_t most) {
    value_most = most;
    values_cut = 0;
}

size_t tool_values_cut(void) {
    return values_cut;
}

/* The bytes of the escape or of the character of UTF-8 that begins here, in a JSON string. */
static size_t character_size(const uint8_t *at) {
    if (*at == '\\')
        return at[1] == 'u' ? 6 : 2;
    return *at < 0xC0 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
}

static void print_cut(lam_bytes text) {
    size_t end = 0;
    if (text.size > value_most && text.data[0] == '"')
        for (end = 1; end < value_most && end < text.size - 1;)
            end += character_size(text.data + end);
    const bool is_cut = end > 0 && end < text.size - 1;
    tool_print("%.*s", (int)(is_cut ? end : text.size), (const char *)text.data);
    if (is_cut)
        tool_print("\xE2\x80\xA6\"");
    values_cut += is_cut;
}

lam_status tool_print_value(const lam_field *leaf, lam_value value, lam_error *error) {
    if (value_most == 0)
        return lam_json_print_value(leaf, value, LAM_JSON_BINARY_BASE64, tool_stdout(), error);
    lam_output text;
    lam_status status = lam_output_memory(NULL, &text, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_json_print_value(leaf, value, LAM_JSON_BINARY_BASE64, &text, error);
    if (status == LAM_STATUS_OK)
        print_cut(lam_output_memory_bytes(&text));
    lam_output_close(&text);
    return status;
}

/* --- Fields -------------------------------------------------------------------------------- */

void tool_print_path(const lam_field *field) {
    char *path = tool_path_of(field);
    char *printable = tool_printable(path, strlen(path), SIZE_MAX, false);
    if (fputs(printable, printed()) < 0)
        note_print_failure();
    free(printable);
    free(path);
}

void tool_print_path_json(const lam_field *field) {
    char *path = tool_path_of(field);
    tool_print_text(path, strlen(path));
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
    if (lam_projection_parse(schema, columns, strlen(columns), NULL, ret_projection, &error) !=
        LAM_STATUS_OK)
        return tool_fail_option(file, "columns", &error);
    return TOOL_OK;
}

int tool_each_of(const tool_files *files, int (*each)(const char *file, void *state), void *state) {
    int worst = files->result;
    for (int i = 0; i < files->count && stdout_failure == 0; i++) {
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
