/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choices on the command line of `lamella import`: its words become, by the table of options,
 * those of readers, inference and writer. Options that exclude each other are always reported.
 */
#ifndef LAMELLA_TOOLS_IMPORT_OPTION_H
#define LAMELLA_TOOLS_IMPORT_OPTION_H

#include <lamella/csv.h>
#include <lamella/writer.h>

#include "bad_lines.h"
#include "import_choice.h"
#include "import_order.h"
#include "import_schema.h"
#include "tool.h"

/* The format of the inputs. */
typedef enum import_format {
    IMPORT_FORMAT_AUTO, /* by their first bytes */
    IMPORT_FORMAT_JSON,
    IMPORT_FORMAT_CSV,
    IMPORT_FORMAT_TSV,
    IMPORT_FORMAT_PARQUET
} import_format;

typedef struct import_options {
    const char *output;
    FILE *temporary;       /* in place of `output`: empty, and only for this run; or NULL */
    bool is_quiet;         /* the notice about the types was given */
    uint64_t most_records; /* that are written; no more are read, if inference needs none */
    import_format format;
    import_layout layout;
    lam_json_reader_options json;
    lam_csv_options csv;
    lam_csv_first_line first_line; /* of CSV, if the options left it to inference */
    const char *first_name;        /* the input it is of, if it is not NAMES */
    char *notices;                 /* of inference, lines for standard error; or NULL */
    lam_writer_options writer;
    import_choices choices;
    bad_lines bad;
    const char *records; /* the path of records in JSON; NULL: documents are */
    import_order *order; /* of the rows, when they are to be sorted; NULL otherwise */
} import_options;

extern const tool_option import_option_rows[];

import_options import_options_default(void);
void import_options_free(import_options *options);

/* Completes the choices; gives -1 to continue, else the status to end with. */
int import_options_check(import_options *options);

#endif
