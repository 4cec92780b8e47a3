/* SPDX-License-Identifier: Apache-2.0 */
/* The options of import about what it infers from JSON. */
#ifndef LAMELLA_TOOLS_IMPORT_INFER_H
#define LAMELLA_TOOLS_IMPORT_INFER_H

#include "import_csv.h"
#include "import_schema.h"

enum { IMPORT_OPTION_CLASH = 3000, IMPORT_OPTION_EPOCH, IMPORT_OPTION_NO_MAPS };

#define IMPORT_INFER_OPTIONS                                                                       \
    {"on-clash", required_argument, NULL, IMPORT_OPTION_CLASH},                                    \
        {"epoch", required_argument, NULL, IMPORT_OPTION_EPOCH}, {                                 \
        "no-infer-maps", no_argument, NULL, IMPORT_OPTION_NO_MAPS                                  \
    }

#define IMPORT_INFER_HELP                                                                          \
    "  --on-clash variant|string|error\n"                                                          \
    "                           what becomes of a field of JSON whose values are of\n"             \
    "                           kinds that clash, such as numbers and strings: a\n"                \
    "                           VARIANT, a STRING with other values as JSON text, or\n"            \
    "                           an error; default: variant\n"                                      \
    "  --epoch seconds|millis|micros|nanos\n"                                                      \
    "                           what numbers in timestamp columns count since 1970;\n"             \
    "                           default: they are an error\n"                                      \
    "  --no-infer-maps          keep objects of JSON whose keys are data as groups\n"

/* Applies an option of those above; false when the value is no good. */
bool import_infer_option(import_layout *layout, lam_json_reader_options *json, int option,
                         const char *value);

/* Takes --type, --no-infer-times and --infer-decimals for JSON; on failure prints why. */
int import_infer_take(import_layout *layout, const import_csv *csv);

#endif
