/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choices on the command line of `lamella log`: its words become, by the table of options,
 * those of the log and of its feed. Options that exclude each other are always reported.
 */
#ifndef LAMELLA_TOOLS_LOG_CHOICE_H
#define LAMELLA_TOOLS_LOG_CHOICE_H

#include "bad_lines.h"
#include "log_feed.h"
#include "tool.h"

typedef enum log_format {
    LOG_FORMAT_AUTO,
    LOG_FORMAT_NDJSON,
    LOG_FORMAT_CSV,
    LOG_FORMAT_TSV
} log_format;

typedef struct log_choice {
    const char *output;
    const char *schema;
    const char *input;
    const char *rest;
    bool is_file;
    bool has_policy; /* --on-new-field was given */
    log_new_field new_field;
    log_format format;
    lam_csv_options csv;
    lam_json_epoch epoch;
    bool acknowledges;
    bool stops;
    bad_lines bad;
    lam_log_options log;
    lam_log_key_value *pairs; /* of --meta, allocated with their texts */
} log_choice;

extern const tool_option log_option_rows[];

/*
 * Takes the operands, and completes the choice; gives -1 to continue, else the status to end with.
 */
int log_choice_check(log_choice *choice, int count, char **operands);
/*
 * Whether the choice does not fit an input of CSV, or else of JSON: `text` is then why. `input` is
 * NULL if --format gives the format.
 */
bool log_choice_is_unfit(const log_choice *choice, const char *input, bool is_csv, char *text,
                         size_t size);
void log_choice_free(log_choice *choice);

#endif
