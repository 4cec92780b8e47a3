/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a page: the library and the sources of the program that make the page's data, in
 * WebAssembly. Takes a schema and records, as text, and gives the same object that the program puts
 * into a page, or what is wrong and where. Between two calls only the last answer is ever held;
 * memory is bounded by the module, and a call that needs more is an answer, too.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_document.h"
#include "explain_records.h"
#include "tool.h"

#define EXPORTED(name) __attribute__((export_name(#name))) name

/* --- Standard output ----------------------------------------------------------------------- */

static struct {
    char *text;
    size_t size, capacity;
} answer;

static void answer_add(const char *text, size_t size) {
    if (answer.capacity - answer.size <= size) {
        answer.capacity = 2 * (answer.size + size) + 4096;
        answer.text = tool_reallocate(answer.text, answer.capacity, 1);
    }
    memcpy(answer.text + answer.size, text, size);
    answer.size += size;
}

static lam_status answer_write(void *state, const void *data, size_t size, lam_error *error) {
    (void)state, (void)error;
    answer_add(data, size);
    return LAM_STATUS_OK;
}

lam_output *tool_stdout(void) {
    static lam_output output = {NULL, answer_write, NULL, NULL};
    return &output;
}

void tool_print(const char *format, ...) {
    char few[512], *text = few;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(few, sizeof few, format, arguments);
    va_end(arguments);
    if (size >= (int)sizeof few) {
        text = tool_allocate((size_t)size + 1, 1);
        va_start(arguments, format);
        vsnprintf(text, (size_t)size + 1, format, arguments);
        va_end(arguments);
    }
    if (size > 0)
        answer_add(text, (size_t)size);
    if (text != few)
        free(text);
}

void tool_print_text(const char *text, size_t size) {
    if (lam_json_print_text(text, size, tool_stdout(), NULL) != LAM_STATUS_OK)
        tool_end_without_memory(NULL, "no memory");
}

/* Typed texts are short. */
size_t tool_values_cut(void) {
    return 0;
}

lam_status tool_print_value(const lam_field *leaf, lam_value value, lam_json_binary binary,
                            lam_error *error) {
    return lam_json_print_value(leaf, value, binary, tool_stdout(), error);
}

void tool_print_path_json(const lam_field *field) {
    char *path = tool_path_of(field);
    tool_print_text(path, strlen(path));
    free(path);
}

/* --- Memory and failures ------------------------------------------------------------------- */

/* The page sees that the module ended, and makes a new one. */
void tool_end_without_memory(const char *file, const char *message) {
    (void)file, (void)message;
    __builtin_trap();
}

/* The module itself is the limit. */
const lam_allocator *tool_allocator(void) {
    return NULL;
}

lam_reader_options tool_reader_options(void) {
    return lam_reader_options_default();
}

lam_writer_options tool_writer_options(void) {
    return lam_writer_options_default();
}

void *tool_allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL)
        tool_end_without_memory(NULL, "no memory");
    return memory;
}

void *tool_reallocate(void *memory, size_t count, size_t size) {
    void *moved = realloc(memory, count * size);
    if (moved == NULL)
        tool_end_without_memory(NULL, "no memory");
    return moved;
}

char *tool_path_of(const lam_field *field) {
    size_t size = lam_field_path(field, NULL, 0) + 1;
    char *path = tool_allocate(size, 1);
    lam_field_path(field, path, size);
    return path;
}

int tool_fail(const char *file, const lam_error *error) {
    (void)file, (void)error;
    return TOOL_BAD_INPUT;
}

/* Records come from memory: none are marked. */
bool *tool_free_leaves(const lam_reader *reader) {
    return tool_allocate(lam_schema_leaf_count(lam_reader_schema(reader)) + 1, sizeof(bool));
}

/* --- Functions for the page ---------------------------------------------------------------- */

/* Room for an argument, which the page fills and the call below frees. */
char *EXPORTED(live_allocate)(size_t size);
char *live_allocate(size_t size) {
    return tool_allocate(size + 1, 1);
}

const char *EXPORTED(live_answer)(void);
const char *live_answer(void) {
    return answer.text;
}

static void answer_failure(const char *where, uint64_t line, const lam_error *error) {
    answer.size = 0;
    tool_print("{\"error\":");
    tool_print_text(error->message, strlen(error->message));
    tool_print(",\"where\":\"%s\",\"line\":%" PRIu64 ",\"offset\":%" PRId64 "}", where, line,
               error->offset);
}

static lam_status explain_bytes(lam_bytes bytes, const char *columns, const char *where,
                                lam_error *error) {
    lam_reader *reader;
    lam_input input = lam_input_memory(bytes.data, bytes.size), own = input;
    lam_status status = lam_reader_open(&own, NULL, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    const lam_schema *schema = lam_reader_schema(reader);
    bool *leaves = tool_allocate(lam_schema_leaf_count(schema) + 1, sizeof *leaves);
    if (columns[0] != '\0')
        status = lam_schema_select_text(schema, columns, strlen(columns), NULL, leaves, error);
    explain_subject subject = {.name = "records of this page",
                               .reader = reader,
                               .input = &input,
                               .leaves = columns[0] == '\0' ? NULL : leaves,
                               .row_group = UINT64_MAX,
                               .limit = 200,
                               .where = &where,
                               .where_count = where[strspn(where, " \t\r\n")] != '\0',
                               .is_written_here = true};
    if (status == LAM_STATUS_OK)
        status = explain_print_document(&subject, error);
    free(leaves);
    lam_reader_close(reader);
    return status;
}

/*
 * Explains records. All texts end with a NUL, are from live_allocate, and are freed. `schema`,
 * `columns` and `condition` may be empty: inferred, all, and conditions of the program's choice;
 * numbers of rows may be 0: the writer's own. Gives the size of the answer.
 */
size_t EXPORTED(live_explain)(char *schema_text, char *records, char *columns, char *encoding,
                              char *condition, int page_version, int page_rows, int row_group_rows,
                              int has_bloom_filters);
size_t live_explain(char *schema_text, char *records, char *columns, char *encoding,
                    char *condition, int page_version, int page_rows, int row_group_rows,
                    int has_bloom_filters) {
    lam_schema *schema = NULL;
    lam_error error = lam_error_none();
    lam_output file = {0};
    uint64_t line = 0;
    const char *where = "schema";
    explain_writing writing = {.encoding = encoding,
                               .without_dictionary = strcmp(encoding, "PLAIN") == 0,
                               .page_version = page_version,
                               .page_rows = (uint64_t)page_rows,
                               .row_group_rows = (uint64_t)row_group_rows,
                               .has_bloom_filters = has_bloom_filters != 0,
                               .codec = LAM_CODEC_UNCOMPRESSED};
    answer.size = 0;
    lam_status status = LAM_STATUS_OK;
    if (schema_text[strspn(schema_text, " \t\r\n")] != '\0')
        status = lam_schema_parse(schema_text, strlen(schema_text), NULL, &schema, &error);
    if (status == LAM_STATUS_OK) {
        where = "records";
        status = explain_write_records((lam_bytes){(const uint8_t *)records, strlen(records)},
                                       schema, &writing, &file, &line, &error);
    }
    if (status == LAM_STATUS_OK) {
        where = "columns";
        status = explain_bytes(lam_output_memory_bytes(&file), columns, condition, &error);
    }
    if (status != LAM_STATUS_OK)
        answer_failure(where, line, &error);
    lam_output_close(&file);
    lam_schema_destroy(schema);
    free(schema_text);
    free(records);
    free(columns);
    free(encoding);
    free(condition);
    return answer.size;
}
