/* SPDX-License-Identifier: Apache-2.0 */
/* The options of import about what it infers from JSON. */
#include "import_infer.h"

#include <stdlib.h>
#include <string.h>

#include "import_type.h"
#include "tool.h"

/* The position of a word in a list that ends with NULL; false when it is not there. */
static bool find_word(const char *word, const char *const *words, int *ret_index) {
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0) {
            *ret_index = i;
            return true;
        }
    return false;
}

bool import_infer_option(import_layout *layout, lam_json_reader_options *json, int option,
                         const char *value) {
    static const char *const clashes[] = {"variant", "string", "error", NULL};
    static const char *const epochs[] = {"seconds", "millis", "micros", "nanos", NULL};
    int index;
    if (option == IMPORT_OPTION_NO_MAPS) {
        layout->fields.infer_maps = LAM_SWITCH_OFF;
        return true;
    }
    if (!find_word(value, option == IMPORT_OPTION_CLASH ? clashes : epochs, &index))
        return false;
    if (option == IMPORT_OPTION_CLASH)
        layout->on_clash = (import_clash)index;
    else
        json->epoch = (lam_json_epoch)(LAM_JSON_EPOCH_SECONDS + index);
    return true;
}

/* The texts of --type stay as they are, for CSV has them, too. */
int import_infer_take(import_layout *layout, const import_csv *csv) {
    layout->fields.infer_times = csv->options.infer_times;
    layout->fields.infer_decimals = csv->options.infer_decimals;
    layout->columns = tool_allocate((size_t)csv->type_count, sizeof *layout->columns);
    for (int i = 0; i < csv->type_count; i++) {
        char *text = tool_copy_text(csv->types[i]);
        layout->columns[i].path = NULL;
        if (!import_type_parse(text, &layout->columns[i])) {
            free(text);
            return tool_misuse(&tool_import, "--type cannot be '%s': it must be PATH=TYPE, TYPE %s",
                               csv->types[i], import_type_names);
        }
        layout->fields.column_count++;
    }
    return TOOL_OK;
}
