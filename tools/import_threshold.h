/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds of inference of shredding, as options of the command line. */
#ifndef LAMELLA_TOOLS_IMPORT_THRESHOLD_H
#define LAMELLA_TOOLS_IMPORT_THRESHOLD_H

#include <lamella/variant_inference.h>

typedef enum import_threshold {
    IMPORT_SHRED_PRESENCE,
    IMPORT_SHRED_UNIFORMITY,
    IMPORT_SHRED_DEPTH,
    IMPORT_SHRED_COLUMNS,
    IMPORT_SHRED_PATHS,
    IMPORT_SHRED_SAMPLE_ROWS,
    IMPORT_SHRED_SAMPLE_SIZE
} import_threshold;

enum { IMPORT_THRESHOLD_COUNT = IMPORT_SHRED_SAMPLE_SIZE + 1 };

/* Sets one threshold; false when the text is none of its values. */
bool import_threshold_set(lam_variant_inference_options *options, import_threshold threshold,
                          const char *text);

/* What its values are: "a share above 0, up to 1". Static. */
const char *import_threshold_values(import_threshold threshold);

/* Prints all of them to standard error, as the options that set them. */
void import_thresholds_explain(const lam_variant_inference_options *options);

#endif
