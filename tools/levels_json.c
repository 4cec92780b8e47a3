/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the triples of a source's leaves as JSON, one object for each. A column is always read
 * once for each of its three arrays, so it is not held in memory.
 */
#include "levels_json.h"

#include <inttypes.h>
#include <string.h>

#include "level_words.h"
#include "tool.h"

typedef enum levels_array { ARRAY_R, ARRAY_D, ARRAY_VALUES } levels_array;

lam_status levels_print_phrase(lam_status (*write)(const void *state, lam_output *out,
                                                   lam_error *error),
                               const void *state, lam_error *error) {
    lam_output text;
    lam_status status = lam_output_memory(tool_allocator(), &text, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = write(state, &text, error);
    if (status == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&text);
        tool_print_text((const char *)bytes.data, bytes.size);
    }
    lam_output_close(&text);
    return status;
}

/* --- Words --------------------------------------------------------------------------------- */

typedef struct level_meaning {
    const lam_field *leaf;
    unsigned level;
    lam_status (*words)(const lam_field *leaf, unsigned level, lam_output *out, lam_error *error);
} level_meaning;

static lam_status write_meaning(const void *state, lam_output *out, lam_error *error) {
    const level_meaning *meaning = state;
    return meaning->words(meaning->leaf, meaning->level, out, error);
}

static lam_status print_meanings(level_meaning meaning, const char *name, unsigned most,
                                 lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    tool_print(",\"%s\":[", name);
    for (meaning.level = 0; meaning.level <= most && status == LAM_STATUS_OK; meaning.level++) {
        tool_print(meaning.level == 0 ? "" : ",");
        status = levels_print_phrase(write_meaning, &meaning, error);
    }
    tool_print("]");
    return status;
}

/* --- Arrays -------------------------------------------------------------------------------- */

static lam_status print_element(const lam_triples *run, const lam_field *leaf, size_t index,
                                levels_array array, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    if (array == ARRAY_R)
        tool_print("%u", level_repetition(run, index));
    else if (array == ARRAY_D)
        tool_print("%u", level_definition(run, leaf, index));
    else
        status = tool_print_value(leaf, lam_triples_value(run, leaf, index), LAM_JSON_BINARY_BASE64,
                                  error);
    if (status != LAM_STATUS_OK)
        tool_print("null"); /* in place of the value that cannot be printed */
    return status;
}

static lam_status print_array(const level_source *source, const lam_field *leaf, level_range range,
                              levels_array array, lam_error *error) {
    level_cursor cursor = level_cursor_start(source, leaf, range);
    lam_status status = LAM_STATUS_OK;
    lam_triples run = {0};
    bool is_first = true;
    do {
        uint64_t record = 0;
        status = level_cursor_read(&cursor, &run, &record, error);
        if (status != LAM_STATUS_OK)
            break;
        size_t count = array == ARRAY_VALUES ? run.value_count : run.count;
        for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++) {
            tool_print(is_first ? "" : ",");
            is_first = false;
            status = print_element(&run, leaf, i, array, error);
        }
    } while (status == LAM_STATUS_OK && run.count > 0);
    level_cursor_end(&cursor);
    return status;
}

/* ------------------------------------------------------------------------------------------- */

static lam_status print_members(const level_source *source, const lam_field *leaf,
                                level_range range, bool with_words, lam_error *error) {
    static const char *const names[] = {"r", "d", "values"};
    lam_status status = LAM_STATUS_OK;
    unsigned max_r = lam_field_max_repetition(leaf), max_d = lam_field_max_definition(leaf);
    tool_print("\"path\":");
    tool_print_path_json(leaf);
    tool_print(",\"max_repetition\":%u,\"max_definition\":%u", max_r, max_d);
    if (with_words) {
        status = print_meanings((level_meaning){leaf, 0, level_words_r}, "r_words", max_r, error);
        if (status == LAM_STATUS_OK)
            status =
                print_meanings((level_meaning){leaf, 0, level_words_d}, "d_words", max_d, error);
    }
    tool_print(",\"first_record\":%" PRIu64, range.first);
    for (int array = ARRAY_R; array <= ARRAY_VALUES && status == LAM_STATUS_OK; array++) {
        tool_print(",\"%s\":[", names[array]);
        status = print_array(source, leaf, range, (levels_array)array, error);
        tool_print("]");
    }
    return status;
}

lam_status levels_print_json(const level_source *source, const lam_field *leaf, level_range range,
                             bool with_words, lam_error *error) {
    lam_error own = lam_error_none();
    tool_print("{");
    lam_status status = print_members(source, leaf, range, with_words, &own);
    if (status != LAM_STATUS_OK) {
        tool_print(",\"error\":");
        tool_print_text(own.message, strlen(own.message));
        if (error != NULL)
            *error = own;
    }
    tool_print("}\n");
    return status;
}
