/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that only options of delimited text have: in comes the text of a value, out goes a
 * mark. A value that an option cannot have is refused by the parser, which ends the command.
 */
#include "csv_option.h"

#include <string.h>

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
