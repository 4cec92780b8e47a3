/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lamella levels: the triples of each leaf, as the Dremel paper draws them. Takes the columns of a
 * file, or of records that are shredded here, and prints a table for each leaf, always with the
 * number of each record where it begins, and with what the levels mean; or JSON (levels_json.c).
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/column.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "level_input.h"
#include "level_words.h"
#include "levels_json.h"
#include "tool.h"
#include "tool_screen.h"

typedef struct levels_options {
    level_choice choice;
    bool json;
    bool explains;
    bool names_files;
} levels_options;

/* --- A leaf -------------------------------------------------------------------------------- */

/* The phrases of a leaf, each made once: by r and d. */
typedef struct leaf_phrases {
    char **texts;
    unsigned stride; /* maximum definition level, and 1 */
    size_t count;
} leaf_phrases;

typedef struct leaf_printer {
    const lam_field *leaf;
    int width;      /* of the highest record number */
    bool has_begun; /* a record was printed */
    leaf_phrases phrases;
} leaf_printer;

enum { VALUE_WIDTH = 14 }; /* before a phrase */

static leaf_phrases start_phrases(const lam_field *leaf, bool explains) {
    leaf_phrases phrases = {NULL, lam_field_max_definition(leaf) + 1u, 0};
    if (explains) {
        phrases.count = (lam_field_max_repetition(leaf) + 1u) * (size_t)phrases.stride;
        phrases.texts = tool_allocate(phrases.count, sizeof *phrases.texts);
    }
    return phrases;
}

static void end_phrases(leaf_phrases *phrases) {
    for (size_t i = 0; i < phrases->count; i++)
        free(phrases->texts[i]);
    free(phrases->texts);
}

/* A pair of levels in words; `*ret_text` is NULL if it is not explained. */
static lam_status phrase_of(leaf_printer *printer, unsigned r, unsigned d, const char **ret_text,
                            lam_error *error) {
    size_t at = r * (size_t)printer->phrases.stride + d;
    *ret_text = at < printer->phrases.count ? printer->phrases.texts[at] : NULL;
    if (at >= printer->phrases.count || *ret_text != NULL)
        return LAM_STATUS_OK;
    lam_output text;
    lam_status status = lam_output_memory(tool_allocator(), &text, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = level_words_pair(printer->leaf, r, d, &text, error);
    if (status == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&text);
        printer->phrases.texts[at] =
            tool_printable((const char *)bytes.data, bytes.size, SIZE_MAX, false);
        *ret_text = printer->phrases.texts[at];
    }
    lam_output_close(&text);
    return status;
}

/* A value, and blanks up to the column of phrases. */
static lam_status print_padded(const lam_field *leaf, lam_value value, lam_error *error) {
    lam_output text;
    lam_status status = lam_output_memory(tool_allocator(), &text, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_json_print_value(leaf, value, tool_binary_for_people(leaf), &text, error);
    if (status == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&text);
        char *shown = tool_printable((const char *)bytes.data, bytes.size, SIZE_MAX, false);
        size_t width = tool_character_count(shown);
        tool_print("%s%*s", shown, width < VALUE_WIDTH ? (int)(VALUE_WIDTH - width) : 0, "");
        free(shown);
    }
    lam_output_close(&text);
    return status;
}

/*
 * The beginning of a record: its number, and a rule above it if records may have several triples.
 */
static void print_place(leaf_printer *printer, unsigned r, uint64_t record) {
    if (!printer->has_begun)
        tool_print("  %*s  r d  value\n", printer->width, "record");
    if (r == 0 && printer->has_begun && lam_field_max_repetition(printer->leaf) > 0)
        tool_print("  %*s  -----\n", printer->width, "");
    printer->has_begun = true;
    if (r == 0)
        tool_print("  %*" PRIu64 "  ", printer->width, record);
    else
        tool_print("  %*s  ", printer->width, "");
}

static lam_status print_triple(leaf_printer *printer, const lam_triples *run, size_t index,
                               size_t value_index, uint64_t record, lam_error *error) {
    const lam_field *leaf = printer->leaf;
    unsigned r = level_repetition(run, index), d = level_definition(run, leaf, index);
    bool has_value = d == lam_field_max_definition(leaf);
    const char *phrase = NULL;
    lam_status status = phrase_of(printer, r, d, &phrase, error);
    if (status != LAM_STATUS_OK)
        return status;
    print_place(printer, r, record);
    tool_print("%u %u  ", r, d);
    if (!has_value) {
        tool_set_colour(TOOL_COLOUR_DIM);
        tool_print("NULL");
        tool_set_colour(TOOL_COLOUR_NONE);
        tool_print("%*s", phrase == NULL ? 0 : VALUE_WIDTH - (int)strlen("NULL"), "");
    } else if (phrase == NULL)
        status = tool_print_value(leaf, lam_triples_value(run, leaf, value_index),
                                  tool_binary_for_people(leaf), error);
    else
        status = print_padded(leaf, lam_triples_value(run, leaf, value_index), error);
    tool_print(phrase == NULL ? "\n" : "  %s\n", phrase);
    return status;
}

static lam_status print_runs(leaf_printer *printer, const level_source *source, level_range range,
                             lam_error *error) {
    level_cursor cursor = level_cursor_start(source, printer->leaf, range);
    lam_status status = LAM_STATUS_OK;
    lam_triples run = {0};
    do {
        uint64_t record = 0;
        size_t value = 0;
        status = level_cursor_read(&cursor, &run, &record, error);
        for (size_t i = 0; status == LAM_STATUS_OK && i < run.count; i++) {
            record += i > 0 && level_repetition(&run, i) == 0;
            status = print_triple(printer, &run, i, value, record, error);
            value +=
                level_definition(&run, printer->leaf, i) == lam_field_max_definition(printer->leaf);
        }
    } while (status == LAM_STATUS_OK && run.count > 0);
    level_cursor_end(&cursor);
    return status;
}

static lam_status print_leaf(const level_source *source, const lam_field *leaf, level_range range,
                             bool explains, lam_error *error) {
    uint64_t end = level_source_end(source);
    if (range.count < end - range.first)
        end = range.first + range.count;
    leaf_printer printer = {leaf, snprintf(NULL, 0, "%" PRIu64, end == 0 ? 0 : end - 1), false,
                            start_phrases(leaf, explains)};
    printer.width = printer.width < 6 ? 6 : printer.width;
    tool_print_path(leaf);
    tool_print("  (max r %u, max d %u)\n", lam_field_max_repetition(leaf),
               lam_field_max_definition(leaf));
    lam_status status = print_runs(&printer, source, range, error);
    end_phrases(&printer.phrases);
    return status;
}

/* --- Files --------------------------------------------------------------------------------- */

static int print_leaves(const level_input *input, const level_source *source,
                        const levels_options *options) {
    int result = TOOL_OK;
    bool is_first = true;
    for (size_t i = 0; i < lam_schema_leaf_count(source->schema); i++) {
        if (input->leaves != NULL && !input->leaves[i])
            continue;
        lam_error error = lam_error_none();
        const lam_field *leaf = lam_schema_leaf(source->schema, i);
        if (!options->json && !is_first)
            tool_print("\n");
        is_first = false;
        lam_status status =
            options->json ? levels_print_json(source, leaf, input->range, options->explains, &error)
                          : print_leaf(source, leaf, input->range, options->explains, &error);
        if (status != LAM_STATUS_OK) {
            if (!options->json)
                tool_print("\n");
            result = tool_fail(input->file, &error);
        }
    }
    return result;
}

static int print_levels(const char *file, void *state) {
    const levels_options *options = state;
    level_input input;
    level_source source;
    int result = level_input_open(&tool_levels, file, &options->choice, &input);
    if (result == TOOL_OK)
        result = level_input_columns(&input, false, &source);
    if (result == TOOL_OK) {
        if (options->names_files)
            tool_print("# %s\n", tool_name(file));
        result = print_leaves(&input, &source, options);
    }
    level_input_close(&input);
    return result;
}

/* --- The command --------------------------------------------------------------------------- */

static const tool_option option_rows[] = {
    LEVEL_CHOICE_ROWS,
    {.name = "explain",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(levels_options, explains),
     .group = "how they are printed",
     .help = "also say what each pair of levels means for this schema; with --json, print the "
             "members \"r_words\" and \"d_words\", a phrase for each level from 0 to the maximum"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(levels_options, json),
     .help = "print one object per leaf: {\"path\":..., \"max_repetition\":..., "
             "\"max_definition\":..., \"first_record\":..., \"r\":[...], \"d\":[...], "
             "\"values\":[...]}; \"values\" has no nulls; if a column is damaged, \"error\" says "
             "how, in place of the rest"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    levels_options chosen = {LEVEL_CHOICE_DEFAULT, false, false, false};
    int operands, result = tool_take_options(&tool_levels, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.json);
    chosen.names_files = operands > 1 && !chosen.json;
    return tool_each_file(&tool_levels, operands, argv + 1, print_levels, &chosen);
}

const tool_command tool_levels = {
    .name = "levels",
    .summary = "print repetition levels, definition levels and values",
    .usage = "[options] FILE...",
    .description =
        "Prints what Parquet stores for each leaf: one line per triple with its repetition level "
        "r, its definition level d, and its value, or NULL if the definition level is below the "
        "leaf's maximum. A number at the start of a line is that of the record that begins there, "
        "counted from 0.\n\nr says at which repeated field of the path something new begins (0 is "
        "a new record); d says how many of the optional and repeated fields on the path are "
        "present. docs/levels.md explains both from the start.\n\nFILE is a Parquet file, or "
        "records in JSON, which are shredded as \"lamella import\" would; \"-\" is standard input.",
    .examples =
        (const char *const[]){"lamella levels events.parquet",
                              "lamella levels --explain --columns Name.Language.Code d.parquet",
                              "lamella levels --schema document.schema --record 0 records.ndjson",
                              NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
