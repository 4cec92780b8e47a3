/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of append whose records need a wider schema than the file has. */
#ifndef LAMELLA_TOOLS_APPEND_WIDER_H
#define LAMELLA_TOOLS_APPEND_WIDER_H

#include <lamella/json.h>
#include <lamella/recover.h>

#include "import_text.h"

typedef struct append_options {
    const char *output;
    lam_append_manner manner;
    lam_clash on_clash;
    lam_json_reader_options json;
} append_options;

typedef struct append_input {
    char *path; /* borrowed */
    bool is_parquet;
    bool is_open; /* the text is, until append ends */
    tool_text text;
} append_input;

/* Opens the text of an input, once. On failure prints why and gives the exit status. */
int append_open_text(append_input *input);

/* Gives a writer or sink the records of a text. A failure of the input sets `*ret_is_input`. */
lam_status append_read_text(tool_text *text, const lam_json_reader_options *json,
                            lam_writer *writer, bool *ret_is_input, lam_error *error);

/*
 * Finds the first Parquet file among the inputs that the file has no place for: `*ret_name` is NULL
 * if it has one for all, and else `*ret_misfit` says for which not. A field that clashes is a
 * failure if that is an error: prints why and gives the exit status.
 */
int append_find_misfit(const append_options *options, const append_input *inputs, int count,
                       const char **ret_name, lam_error *ret_misfit);

/*
 * Replaces the file by one with the records of all and the schema that holds them. On failure the
 * file stays as it is. `misfit` is how a record did not fit the file, and `name` its text, or NULL:
 * it is reported if no schema holds the records either.
 */
int append_wider(const append_options *options, append_input *inputs, int count, const char *name,
                 const lam_error *misfit);

#endif
