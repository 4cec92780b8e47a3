/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes the format of an input by its first line, unpacked.
 *
 *     PAR1                                    Parquet
 *     blanks, then { or [                     JSON
 *     a delimiter outside of quotes           CSV: the given one, or , ; tab |
 *     quotes that the first line does not end CSV: a name of several lines
 *     else, a name that ends in .csv or .tsv  CSV
 *     else, a first line that is a value      JSON
 *     else, text of one column, or none       unknown
 *
 * A byte order mark may precede all but the first, also one of UTF-16, which is CSV otherwise. No
 * option chooses the format but --format: those that do not suit the recognized format are refused.
 * The input can always be read from its start again.
 */
#include "import_recognize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "csv_option.h"
#include "import_csv.h"

enum { FIRST_BYTES = 64 << 10 };

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

/* Only ASCII matters: other characters become letters. */
static import_format format_of_utf16(const char *text, size_t size, const lam_csv_options *csv) {
    char *narrow = tool_allocate(size / 2 + 1, 1);
    size_t low = text[0] == '\xff' ? 0 : 1, count = 0;
    for (size_t i = 2; i + 1 < size; i += 2)
        narrow[count++] = text[i + 1 - low] == '\0' ? text[i + low] : 'x';
    import_format format = import_format_of(narrow, count, csv);
    free(narrow);
    return format == IMPORT_FORMAT_JSON ? format : IMPORT_FORMAT_CSV;
}

/* Whether a line is divided into fields: by the delimiter, or by any usual one if it is 0. */
static bool is_divided(const char *text, size_t size, const lam_csv_options *csv) {
    const char quote = csv == NULL || csv->quote == 0 ? '"' : csv->quote;
    const char delimiter = csv == NULL ? '\0' : csv->delimiter;
    bool is_inside = false;
    for (size_t i = 0; i < size && text[i] != '\n'; i++) {
        is_inside = is_inside != (text[i] == quote);
        if (!is_inside &&
            (delimiter != '\0' ? text[i] == delimiter : strchr(",;\t|", text[i]) != NULL))
            return true;
    }
    return false;
}

/* Whether a quoted name continues in the next line, as no string of JSON does. */
static bool goes_on(const char *text, size_t size, const lam_csv_options *csv) {
    const char quote = csv == NULL || csv->quote == 0 ? '"' : csv->quote;
    bool is_inside = false;
    if (text[0] != quote)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            return is_inside;
        is_inside = is_inside != (text[i] == quote);
        i += text[i] == '\\' && i + 1 < size && text[i + 1] == quote;
    }
    return false;
}

/* The beginning of the text, after a byte order mark and blanks. */
static size_t find_begin(const char *text, size_t size) {
    size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
        i++;
    return i;
}

/* Whether the first line is no text. */
static bool has_nul(const char *text, size_t size) {
    const char *end = memchr(text, '\n', size);
    return memchr(text, '\0', end != NULL ? (size_t)(end - text) : size) != NULL;
}

size_t import_front_size(const char *text, size_t size, const lam_csv_options *csv) {
    size_t at = 0;
    uint64_t lines = csv == NULL ? 0 : csv->skip_lines;
    while (at < size) {
        bool is_comment =
            csv != NULL && csv->comment != 0 && lines == 0 && text[at] == csv->comment;
        bool is_blank = csv != NULL && (text[at] == '\n' || text[at] == '\r');
        if (lines == 0 && !is_comment && !is_blank)
            return at;
        const char *end = memchr(text + at, '\n', size - at);
        if (end == NULL)
            return lines == 0 && !is_comment ? at : size;
        at = (size_t)(end - text) + 1;
        lines -= lines > 0;
    }
    return at;
}

import_format import_format_of(const char *text, size_t size, const lam_csv_options *csv) {
    if (size >= 4 && memcmp(text, "PAR1", 4) == 0)
        return IMPORT_FORMAT_PARQUET;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return format_of_utf16(text, size, csv);
    size_t front = import_front_size(text, size, csv);
    if (front == size)
        return IMPORT_FORMAT_AUTO; /* of no bytes there may be no text to point into */
    text += front;
    size -= front;
    size_t i = find_begin(text, size);
    if (i == size || has_nul(text + i, size - i))
        return IMPORT_FORMAT_AUTO;
    if (text[i] == '{' || text[i] == '[')
        return IMPORT_FORMAT_JSON;
    if (is_divided(text + i, size - i, csv) || goes_on(text + i, size - i, csv))
        return IMPORT_FORMAT_CSV;
    return is_json_scalar(text + i, size - i) ? IMPORT_FORMAT_JSON : IMPORT_FORMAT_AUTO;
}

/* Whether the name of a file says CSV, packed or not. */
static bool is_named_csv(const char *name) {
    static const char *const packed[] = {".gz", ".zst"}, *const ends[] = {".csv", ".tsv"};
    size_t size = strlen(name);
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(packed[i]);
        if (size > length && strcasecmp(name + size - length, packed[i]) == 0) {
            size -= length;
            break;
        }
    }
    for (size_t i = 0; i < 2; i++)
        if (size > 4 && strncasecmp(name + size - 4, ends[i], 4) == 0)
            return true;
    return false;
}

/* One column shows no delimiter: there a name decides, even if the first line is a value. */
static import_format format_of_input(const tool_text *input, const char *text, size_t size,
                                     const lam_csv_options *csv) {
    import_format format = import_format_of(text, size, csv);
    size_t front = import_front_size(text, size, csv);
    text += front;
    size -= front;
    size_t begin = find_begin(text, size);
    bool may_be_column = format == IMPORT_FORMAT_AUTO ||
                         (format == IMPORT_FORMAT_JSON && strchr("{[", text[begin]) == NULL);
    return may_be_column && (begin < size || front > 0) && !has_nul(text + begin, size - begin) &&
                   input->path != NULL && is_named_csv(input->path)
               ? IMPORT_FORMAT_CSV
               : format;
}

lam_status import_recognize(tool_text *input, const lam_csv_options *csv, import_format *ret_format,
                            bool *ret_is_blank, lam_error *error) {
    char *first = tool_allocate(FIRST_BYTES, 1);
    size_t size = 0, lines = 1;
    if (csv != NULL && csv->comment != 0)
        lines = FIRST_BYTES;
    else if (csv != NULL && csv->skip_lines > 0)
        lines += csv->skip_lines < FIRST_BYTES ? (size_t)csv->skip_lines : FIRST_BYTES;
    lam_status status = tool_text_peek(input, lines, first, FIRST_BYTES, &size, error);
    if (status == LAM_STATUS_OK) {
        *ret_format = format_of_input(input, first, size, csv);
        *ret_is_blank = find_begin(first, size) == size;
    }
    free(first);
    return status;
}

/* Whether a line is an object from its first bracket to its last one. */
static bool is_object(const char *line, size_t size) {
    size_t depth = 0;
    bool is_inside = false;
    for (size_t i = 0; i < size; i++) {
        if (is_inside && line[i] == '\\') {
            i++;
        } else if (line[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside && strchr("{[", line[i]) != NULL) {
            depth++;
        } else if (!is_inside && strchr("}]", line[i]) != NULL && (depth == 0 || --depth == 0)) {
            return i + 1 == size && line[0] == '{';
        }
    }
    return false;
}

/* Up to `most` lines, some of them objects. */
static void count_objects(const char *text, size_t size, size_t most, size_t *ret_objects,
                          size_t *ret_others) {
    *ret_objects = *ret_others = 0;
    for (; size > 0 && most > 0; most--) {
        const char *end = memchr(text, '\n', size);
        size_t length = end != NULL ? (size_t)(end - text) : size, last = length;
        size_t blank = find_begin(text, length);
        while (last > blank && strchr(" \t\r", text[last - 1]) != NULL)
            last--;
        bool is = last > blank && is_object(text + blank, last - blank);
        *ret_objects += is;
        *ret_others += last > blank && !is;
        text += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

/*
 * The first line may be broken; a document has more lines that are no objects: if its records have
 * a line each, commas follow them.
 */
lam_status import_has_lines(tool_text *input, bool *ret_are_lines, lam_error *error) {
    enum { LINES = 20 };
    char *first = tool_allocate(FIRST_BYTES, 1);
    size_t size = 0, objects, others;
    lam_status status = tool_text_peek(input, LINES, first, FIRST_BYTES, &size, error);
    size_t begin = find_begin(first, size);
    count_objects(first + begin, size - begin, LINES, &objects, &others);
    *ret_are_lines =
        begin == size || (first[begin] != '[' && (first[begin] != '{' || objects + 1 > others));
    free(first);
    return status;
}

unsigned import_format_holds(import_format format) {
    return format == IMPORT_FORMAT_PARQUET ? TOOL_HOLDS_PARQUET
           : format == IMPORT_FORMAT_JSON  ? TOOL_HOLDS_JSON
                                           : TOOL_HOLDS_CSV;
}

/* What one input after another shows. */
typedef struct found_format {
    import_format format; /* AUTO: none has shown one */
    int first;            /* the input that shows it */
    int unknown;          /* one that is not blank and shows none; -1: none */
} found_format;

/* If no format is recognized, JSON would be expected in vain. */
static int find_format(tool_text *inputs, int count, const lam_csv_options *csv,
                       found_format *found) {
    *found = (found_format){IMPORT_FORMAT_AUTO, 0, -1};
    for (int i = 0; i < count; i++) {
        import_format format;
        bool is_blank;
        lam_error error = lam_error_none();
        if (import_recognize(&inputs[i], csv, &format, &is_blank, &error) != LAM_STATUS_OK)
            return tool_fail(inputs[i].name, &error);
        if (format == IMPORT_FORMAT_AUTO) {
            found->unknown = found->unknown < 0 && !is_blank ? i : found->unknown;
        } else if (found->format == IMPORT_FORMAT_AUTO) {
            found->format = format;
            found->first = i;
        } else if (found->format != format) {
            tool_say("lamella: %s: it is %s, and %s is %s\n", inputs[i].name,
                     import_format_name(format), inputs[found->first].name,
                     import_format_name(found->format));
            return TOOL_BAD_INPUT;
        }
    }
    return TOOL_OK;
}

/* The format that --format says. */
static int take_format(tool_text *inputs, int count, const import_options *options,
                       import_format *ret_format) {
    import_format format;
    bool is_blank;
    for (int i = 0; i < count; i++) {
        lam_error error = lam_error_none();
        if (import_recognize(&inputs[i], &options->csv, &format, &is_blank, &error) !=
            LAM_STATUS_OK)
            return tool_fail(inputs[i].name, &error);
    }
    *ret_format = options->format == IMPORT_FORMAT_TSV ? IMPORT_FORMAT_CSV : options->format;
    int result = tool_check_holds(&tool_import, NULL, import_format_holds(*ret_format));
    return result < 0 ? TOOL_OK : result;
}

int import_recognize_all(tool_text *inputs, int count, const import_options *options,
                         import_format *ret_format) {
    found_format found;
    if (options->format != IMPORT_FORMAT_AUTO)
        return take_format(inputs, count, options, ret_format);
    int result = find_format(inputs, count, &options->csv, &found);
    if (result != TOOL_OK)
        return result;
    *ret_format = found.format != IMPORT_FORMAT_AUTO ? found.format : IMPORT_FORMAT_JSON;
    if (found.format != IMPORT_FORMAT_AUTO) {
        result = tool_check_holds(&tool_import, inputs[found.first].name,
                                  import_format_holds(found.format));
        return result < 0 ? TOOL_OK : result;
    }
    if (found.unknown < 0)
        return TOOL_OK;
    tool_say(
        "lamella: %s: neither Parquet nor JSON nor CSV is recognized in it; --format names "
        "what it holds, such as csv for one column, and --skip-lines or --comment leave out what "
        "stands before CSV\n",
        inputs[found.unknown].name);
    return TOOL_BAD_INPUT;
}

/* --- Schemas ------------------------------------------------------------------------------- */

/* All of a text is read, as import does if a record does not fit the first ones. */
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
        options->notices = made.notices;
        made.notices = NULL;
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
    if (result == TOOL_OK)
        csv_say_first_line(options.first_name, options.first_line);
    if (result == TOOL_OK && options.notices != NULL)
        tool_say_lines(options.notices);
    import_options_free(&options);
    return result;
}
