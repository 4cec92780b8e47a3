/* SPDX-License-Identifier: Apache-2.0 */
/* What import does with delimited text: its options, its schema, its records. */
#ifndef LAMELLA_TOOLS_IMPORT_CSV_H
#define LAMELLA_TOOLS_IMPORT_CSV_H

#include <lamella/csv.h>
#include <lamella/writer.h>

#include "import_progress.h"
#include "import_text.h"

typedef enum import_format {
    IMPORT_FORMAT_AUTO, /* by the first bytes */
    IMPORT_FORMAT_JSON,
    IMPORT_FORMAT_CSV,
    IMPORT_FORMAT_TSV
} import_format;

typedef struct import_csv {
    import_format format;
    lam_csv_options options;
    char **types; /* --type: "COLUMN=TYPE" */
    int type_count;
    bool is_given; /* an option that only CSV has */
} import_csv;

enum {
    IMPORT_OPTION_FORMAT = 2000,
    IMPORT_OPTION_HEADER,
    IMPORT_OPTION_DELIMITER,
    IMPORT_OPTION_QUOTE,
    IMPORT_OPTION_DECIMAL_MARK,
    IMPORT_OPTION_NULL,
    IMPORT_OPTION_TYPE,
    IMPORT_OPTION_NO_TIMES,
    IMPORT_OPTION_DECIMALS,
    IMPORT_OPTION_SKIP
};

#define IMPORT_CSV_OPTIONS                                                                         \
    {"format", required_argument, NULL, IMPORT_OPTION_FORMAT},                                     \
        {"header", required_argument, NULL, IMPORT_OPTION_HEADER},                                 \
        {"delimiter", required_argument, NULL, IMPORT_OPTION_DELIMITER},                           \
        {"quote", required_argument, NULL, IMPORT_OPTION_QUOTE},                                   \
        {"decimal-mark", required_argument, NULL, IMPORT_OPTION_DECIMAL_MARK},                     \
        {"null", required_argument, NULL, IMPORT_OPTION_NULL},                                     \
        {"type", required_argument, NULL, IMPORT_OPTION_TYPE},                                     \
        {"no-infer-times", no_argument, NULL, IMPORT_OPTION_NO_TIMES},                             \
        {"infer-decimals", no_argument, NULL, IMPORT_OPTION_DECIMALS}, {                           \
        "skip-bad-lines", no_argument, NULL, IMPORT_OPTION_SKIP                                    \
    }

#define IMPORT_CSV_HELP                                                                            \
    "  --format auto|json|csv|tsv\n"                                                               \
    "                           what the inputs hold; auto: JSON if the first one\n"               \
    "                           begins with { or [, CSV if its first line has a comma,\n"          \
    "                           semicolon, tab or | ; default: auto\n"                             \
    "  --header yes|no          the first line of CSV holds the names; default: yes\n"             \
    "  --delimiter CHARACTER    between fields of CSV, tab for a tab; default: found in\n"         \
    "                           the first lines\n"                                                 \
    "  --quote CHARACTER        around fields of CSV; default: \"\n"                               \
    "  --decimal-mark MARK      of numbers in CSV, . or , ; default: .\n"                          \
    "  --null TEXT              a field of CSV that is null, besides the empty one\n"              \
    "  --type COLUMN=TYPE       the type of a column of CSV, instead of the inferred\n"            \
    "                           one: string, boolean, int8 to int64, uint8 to uint64,\n"           \
    "                           float, double, decimal(P,S), date, time, timestamp,\n"             \
    "                           timestamp_utc, uuid; may be repeated\n"                            \
    "  --no-infer-times         leave dates, times and timestamps in CSV as text\n"                \
    "  --infer-decimals         make numbers with a point in CSV decimals instead of\n"            \
    "                           doubles\n"                                                         \
    "  --skip-bad-lines         skip and count lines of CSV that are broken or do not\n"           \
    "                           fit; default: an error that names the line\n"

/* Applies an option of those above; false when the value is no good. */
bool import_csv_option(import_csv *csv, int option, char *value);

/* Whether the inputs are delimited text: what --format says, or the first bytes of the first. */
bool import_csv_applies(const import_csv *csv, tool_text *inputs, int count);

/*
 * Infers the schema from the first `limit` bytes of each input (SIZE_MAX: all of it), and applies
 * --type. The delimiter that was found is set in the options. On failure prints why and gives the
 * exit status.
 */
int import_csv_schema(import_csv *csv, tool_text *inputs, int count, size_t limit,
                      lam_schema **ret_schema);

/* Writes the records of one input, between begin and end. */
lam_status import_csv_input(tool_text *input, const import_csv *csv, bool infers,
                            lam_writer *writer, import_progress *progress, lam_error *error);

#endif
