/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the options of delimited text: their values come from texts, or from the findings of
 * inference if none was given. The parser always refuses one that an option cannot have, and ends
 * the command.
 */
#include "csv_option.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

bool csv_take_character(const tool_option *option, const char *value, void *chosen) {
    if (strcmp(value, "tab") == 0 || strcmp(value, "\\t") == 0)
        value = "\t";
    ((char *)chosen)[option->at] = value[0];
    return value[0] > 0 && value[1] == '\0';
}

bool csv_take_decimal_mark(const tool_option *option, const char *value, void *chosen) {
    return (strcmp(value, ".") == 0 || strcmp(value, ",") == 0) &&
           csv_take_character(option, value, chosen);
}

/* The library knows which forms there are. */
static bool is_form(const char *value) {
    lam_csv_options options = lam_csv_options_default();
    lam_csv_inference *inference;
    options.time_formats = &value;
    options.time_format_count = 1;
    if (lam_csv_inference_create(&options, tool_allocator(), &inference, NULL) != LAM_STATUS_OK)
        return false;
    lam_csv_inference_destroy(inference);
    return true;
}

bool csv_take_form(const tool_option *option, const char *value, void *chosen) {
    lam_csv_options *csv = (void *)((char *)chosen + option->at);
    if (!is_form(value))
        return false;
    const char **forms = tool_reallocate((void *)(uintptr_t)csv->time_formats,
                                         csv->time_format_count + 1, sizeof *forms);
    forms[csv->time_format_count++] = value;
    csv->time_formats = forms;
    return true;
}

void csv_free_forms(lam_csv_options *csv) {
    free((void *)(uintptr_t)csv->time_formats);
}

lam_csv_inference_info csv_inference_info(const lam_csv_inference *inference) {
    lam_csv_inference_info info = lam_csv_inference_info_default();
    if (lam_csv_inference_get_info(inference, &info, NULL) != LAM_STATUS_OK)
        abort();
    return info;
}

lam_csv_first_line csv_take_found(const lam_csv_inference *inference, lam_csv_options *csv) {
    const lam_csv_inference_info info = csv_inference_info(inference);
    csv->delimiter = info.delimiter;
    if (csv->header == LAM_SWITCH_DEFAULT)
        csv->header = info.first_line == LAM_CSV_FIRST_DATA ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return info.first_line;
}

void csv_say_first_line(const char *input, lam_csv_first_line line) {
    if (line == LAM_CSV_FIRST_DATA)
        tool_say("lamella: %s: the first line is taken as data (--header yes: it holds the "
                 "names)\n",
                 input);
    else if (line == LAM_CSV_FIRST_DOUBTFUL)
        tool_say("lamella: %s: the first line looks like data, and is taken as names (--header "
                 "no: it is data)\n",
                 input);
}

bool csv_has_any_column(const lam_schema *schema, const lam_schema *other) {
    const lam_field *root = lam_schema_root(other);
    for (size_t i = 0; i < lam_field_child_count(root); i++) {
        const char *name = lam_field_name(lam_field_child(root, i));
        if (lam_field_child_named(lam_schema_root(schema), name, strlen(name)) != NULL)
            return true;
    }
    return false;
}
