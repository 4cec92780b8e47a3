/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that say how delimited text is written, as rows of the table of a command whose
 * options have a lam_csv_options named `csv`.
 */
#ifndef LAMELLA_TOOLS_CSV_OPTION_H
#define LAMELLA_TOOLS_CSV_OPTION_H

#include <lamella/csv.h>

#include "tool_option.h"

/* One character of ASCII, or "tab", to a char. */
bool csv_take_character(const tool_option *option, const char *value, void *chosen);
bool csv_take_decimal_mark(const tool_option *option, const char *value, void *chosen);

/* Adds a form of dates and times to a lam_csv_options; csv_free_forms gives their list back. */
bool csv_take_form(const tool_option *option, const char *value, void *chosen);
void csv_free_forms(lam_csv_options *csv);

/* What an inference knows so far. */
lam_csv_inference_info csv_inference_info(const lam_csv_inference *inference);

/* Notes in the options what inference found about the text; gives the kind of its first line. */
lam_csv_first_line csv_take_found(const lam_csv_inference *inference, lam_csv_options *csv);
/* Says how the first line of an input was understood, if it looks like data. */
void csv_say_first_line(const char *input, lam_csv_first_line line);
/* Whether a schema has one of the columns of another. */
bool csv_has_any_column(const lam_schema *schema, const lam_schema *other);

/* The same for JSON. */
#define TIME_FORMAT_ROW(options)                                                                   \
    {                                                                                              \
        .name = "time-format", .kind = TOOL_OPTION_TEXT, .at = offsetof(options, csv),             \
        .argument = "FORM", .take = csv_take_form, .repeatable = true,                             \
        .must = "a date, a time of day or both in the letters of strptime, such as %m/%d/%Y",      \
        .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,                                                 \
        .help = "dates and times may also have this form, such as %m/%d/%Y or '%d.%m.%y %H:%M', "  \
                "in the letters of strptime: %Y %y %m %b %d %H %I %M %S %f %p %z; may be repeated" \
    }

#define CSV_OPTION_ROWS(options)                                                                   \
    {.name = "header",                                                                             \
     .kind = TOOL_OPTION_ENUM,                                                                     \
     .at = offsetof(options, csv.header),                                                          \
     .values = TOOL_VALUES("auto", "yes", "no"),                                                   \
     .least = LAM_SWITCH_DEFAULT,                                                                  \
     .holds = TOOL_HOLDS_CSV,                                                                      \
     .group = "CSV",                                                                               \
     .help = "whether the first line holds the names; auto: unless it looks like the data below "  \
             "it, such as a number above numbers; default: auto"},                                 \
        {.name = "skip-lines",                                                                     \
         .kind = TOOL_OPTION_COUNT,                                                                \
         .at = offsetof(options, csv.skip_lines),                                                  \
         .argument = "N",                                                                          \
         .holds = TOOL_HOLDS_CSV,                                                                  \
         .help = "skip the first N lines of each input, before the names"},                        \
        {.name = "comment",                                                                        \
         .kind = TOOL_OPTION_TEXT,                                                                 \
         .at = offsetof(options, csv.comment),                                                     \
         .argument = "CHARACTER",                                                                  \
         .take = csv_take_character,                                                               \
         .must = "one character of ASCII",                                                         \
         .holds = TOOL_HOLDS_CSV,                                                                  \
         .help = "skip lines that begin with this character"},                                     \
        {.name = "delimiter",                                                                      \
         .kind = TOOL_OPTION_TEXT,                                                                 \
         .at = offsetof(options, csv.delimiter),                                                   \
         .argument = "CHARACTER",                                                                  \
         .take = csv_take_character,                                                               \
         .must = "one ASCII character, or tab",                                                    \
         .holds = TOOL_HOLDS_CSV,                                                                  \
         .help = "the character between fields, or tab; default: found in the first lines"},       \
        {.name = "quote",                                                                          \
         .kind = TOOL_OPTION_TEXT,                                                                 \
         .at = offsetof(options, csv.quote),                                                       \
         .argument = "CHARACTER",                                                                  \
         .take = csv_take_character,                                                               \
         .must = "one character of ASCII",                                                         \
         .holds = TOOL_HOLDS_CSV,                                                                  \
         .help = "the character around fields; default: \""},                                      \
        {.name = "decimal-mark",                                                                   \
         .kind = TOOL_OPTION_TEXT,                                                                 \
         .at = offsetof(options, csv.decimal_mark),                                                \
         .argument = ".|,",                                                                        \
         .values = TOOL_VALUES(".", ","),                                                          \
         .take = csv_take_decimal_mark,                                                            \
         .must = ". or ,",                                                                         \
         .holds = TOOL_HOLDS_CSV,                                                                  \
         .help = "of numbers; default: ."},                                                        \
    {                                                                                              \
        .name = "null", .kind = TOOL_OPTION_TEXT, .at = offsetof(options, csv.null_text),          \
        .argument = "TEXT", .holds = TOOL_HOLDS_CSV,                                               \
        .help = "text that means null, as does an empty field"                                     \
    }

#endif
