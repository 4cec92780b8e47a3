/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes what an input holds, whatever its name. In: its first line, unpacked. Out: its format.
 *
 *     PAR1                                    Parquet
 *     blanks, then { or [                     JSON
 *     a first line with , ; tab or |          CSV
 *     else, a first line that is a value      JSON
 *     else, text of one column, or none       not known
 *
 * A byte order mark may stand before all but the first, also one of UTF-16, which is CSV otherwise.
 * The invariant: the input can be read from its start again.
 */
#include "import_recognize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_csv.h"

enum { FIRST_BYTES = 4096 };

const char *import_format_name(import_format format) {
    return format == IMPORT_FORMAT_PARQUET ? "Parquet"
           : format == IMPORT_FORMAT_JSON  ? "JSON"
                                           : "CSV";
}

static bool is_json_scalar(const char *text, size_t size) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++)
        if (size >= strlen(words[i]) && memcmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return size > 0 && strchr("\"-0123456789", text[0]) != NULL;
}

/* What matters is ASCII: other characters become letters. */
static import_format format_of_utf16(const char *text, size_t size) {
    char narrow[FIRST_BYTES];
    size_t low = text[0] == '\xff' ? 0 : 1, count = 0;
    for (size_t i = 2; i + 1 < size && count < sizeof narrow; i += 2)
        narrow[count++] = text[i + 1 - low] == '\0' ? text[i + low] : 'x';
    import_format format = import_format_of(narrow, count);
    return format == IMPORT_FORMAT_JSON ? format : IMPORT_FORMAT_CSV;
}

import_format import_format_of(const char *text, size_t size) {
    size_t i = 0;
    if (size >= 4 && memcmp(text, "PAR1", 4) == 0)
        return IMPORT_FORMAT_PARQUET;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return format_of_utf16(text, size);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        i = 3;
    while (i < size && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
        i++;
    if (i == size || memchr(text, '\0', size) != NULL)
        return IMPORT_FORMAT_AUTO;
    if (text[i] == '{' || text[i] == '[')
        return IMPORT_FORMAT_JSON;
    for (size_t k = i; k < size && text[k] != '\n'; k++)
        if (strchr(",;\t|", text[k]) != NULL)
            return IMPORT_FORMAT_CSV;
    return is_json_scalar(text + i, size - i) ? IMPORT_FORMAT_JSON : IMPORT_FORMAT_AUTO;
}

lam_status import_recognize(tool_text *input, import_format *ret_format, lam_error *error) {
    char first[FIRST_BYTES];
    size_t size;
    lam_status status = tool_text_peek(input, first, sizeof first, &size, error);
    if (status == LAM_STATUS_OK)
        *ret_format = import_format_of(first, size);
    return status;
}

/* What is said of the inputs as a whole; AUTO where nothing is. */
static import_format given_format(const import_options *options) {
    if (options->format != IMPORT_FORMAT_AUTO)
        return options->format == IMPORT_FORMAT_TSV ? IMPORT_FORMAT_CSV : options->format;
    return options->only_csv != NULL                                 ? IMPORT_FORMAT_CSV
           : options->layout.variant_all || options->records != NULL ? IMPORT_FORMAT_JSON
                                                                     : IMPORT_FORMAT_AUTO;
}

/* An input without anything goes with all formats. */
static bool is_blank(tool_text *input) {
    char first[FIRST_BYTES];
    size_t size = 0, i = 0;
    lam_error error = lam_error_none();
    if (tool_text_peek(input, first, sizeof first, &size, &error) != LAM_STATUS_OK)
        return true; /* reading it says why */
    while (i < size && strchr(" \t\r\n", first[i]) != NULL && first[i] != '\0')
        i++;
    return i == size;
}

/* Where nothing is recognized, JSON would be expected in vain. */
static int check_known(tool_text *inputs, int count) {
    for (int i = 0; i < count; i++) {
        if (is_blank(&inputs[i]))
            continue;
        tool_say(
            "lamella: %s: neither Parquet nor JSON nor CSV is recognized in it; --format names "
            "what it holds, such as csv for one column\n",
            inputs[i].name);
        return TOOL_BAD_INPUT;
    }
    return TOOL_OK;
}

int import_recognize_all(tool_text *inputs, int count, const import_options *options,
                         import_format *ret_format) {
    import_format given = given_format(options), found = IMPORT_FORMAT_AUTO;
    int first = 0;
    for (int i = 0; i < count; i++) {
        import_format format;
        lam_error error = lam_error_none();
        if (import_recognize(&inputs[i], &format, &error) != LAM_STATUS_OK)
            return tool_fail(inputs[i].name, &error);
        if (given != IMPORT_FORMAT_AUTO || format == IMPORT_FORMAT_AUTO)
            continue;
        if (found != IMPORT_FORMAT_AUTO && format != found) {
            tool_say("lamella: %s: it is %s, and %s is %s\n", inputs[i].name,
                     import_format_name(format), inputs[first].name, import_format_name(found));
            return TOOL_BAD_INPUT;
        }
        first = found == IMPORT_FORMAT_AUTO ? i : first;
        found = format;
    }
    *ret_format = given != IMPORT_FORMAT_AUTO   ? given
                  : found != IMPORT_FORMAT_AUTO ? found
                                                : IMPORT_FORMAT_JSON;
    return given == IMPORT_FORMAT_AUTO && found == IMPORT_FORMAT_AUTO ? check_known(inputs, count)
                                                                      : TOOL_OK;
}

/* --- Schemas ------------------------------------------------------------------------------- */

/* All of a text is read, as import does where a record does not fit the first ones. */
static int infer_schema(tool_text *input, import_format format, import_options *options,
                        lam_schema **ret_schema) {
    import_schema made;
    if (format == IMPORT_FORMAT_CSV)
        return import_csv_schema(options, input, 1, SIZE_MAX, ret_schema);
    int result =
        import_schema_make(&options->layout, &options->json, input, 1, SIZE_MAX, &made, NULL);
    if (result == TOOL_OK) {
        *ret_schema = made.schema;
        made.schema = NULL;
    }
    import_schema_free(&made);
    return result;
}

int import_text_schema(tool_text *input, import_format format, lam_schema **ret_schema) {
    import_options options = import_options_default();
    int result = import_options_check(&options);
    if (result < 0)
        result = tool_texts_keep(input, 1);
    if (result == TOOL_OK)
        result = infer_schema(input, format, &options, ret_schema);
    import_options_free(&options);
    return result;
}
