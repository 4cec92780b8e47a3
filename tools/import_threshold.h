/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds of inference of shredding, as options of the command line. */
#ifndef LAMELLA_TOOLS_IMPORT_THRESHOLD_H
#define LAMELLA_TOOLS_IMPORT_THRESHOLD_H

#include <lamella/variant_inference.h>

/* What a share must be, for messages. */
#define IMPORT_MUST_SHARE "a share above 0, up to 1"

/* Sets the threshold of one option; false when the text is not one of its values. */
bool import_threshold_set(lam_variant_inference_options *options, const char *option,
                          const char *text);

/* Prints all of them to standard error, as the options that set them. */
void import_thresholds_explain(const lam_variant_inference_options *options);

#endif
