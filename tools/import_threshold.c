/* SPDX-License-Identifier: Apache-2.0 */
#include "import_threshold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static bool parse_share(const char *text, double *ret_share) {
    char *end;
    if (text[strspn(text, "0123456789.eE-")] != '\0')
        return false;
    double share = strtod(text, &end);
    if (end == text || *end != '\0' || !(share > 0 && share <= 1))
        return false;
    *ret_share = share;
    return true;
}

static bool parse_within(const char *text, uint32_t most, uint32_t *ret_count) {
    uint64_t count;
    if (!tool_parse_count(text, &count) || count == 0 || count > most)
        return false;
    *ret_count = (uint32_t)count;
    return true;
}

bool import_threshold_set(lam_variant_inference_options *options, const char *option,
                          const char *text) {
    uint64_t number;
    uint32_t paths;
    if (strcmp(option, "shred-presence") == 0)
        return parse_share(text, &options->min_presence);
    if (strcmp(option, "shred-uniformity") == 0)
        return parse_share(text, &options->min_uniformity);
    if (strcmp(option, "shred-depth") == 0)
        return parse_within(text, LAM_VARIANT_INFERENCE_DEPTH_MAX, &options->max_depth);
    if (strcmp(option, "shred-columns") == 0)
        return parse_within(text, LAM_VARIANT_INFERENCE_COLUMNS_MAX, &options->max_columns);
    if (strcmp(option, "shred-paths") == 0) {
        if (!parse_within(text, LAM_VARIANT_INFERENCE_PATHS_MAX, &paths))
            return false;
        options->max_paths = paths;
        return true;
    }
    if (strcmp(option, "shred-sample-rows") == 0) {
        if (!tool_parse_count(text, &number) || number == 0)
            return false;
        options->sample_records = number;
        return true;
    }
    if (!tool_parse_limit(text, &number) || number > SIZE_MAX)
        return false;
    options->sample_bytes = (size_t)number;
    return true;
}

void import_thresholds_explain(const lam_variant_inference_options *options) {
    tool_say("shredding is inferred with --shred-presence %g --shred-uniformity %g\n"
             "  --shred-depth %" PRIu32 " --shred-columns %" PRIu32 " --shred-paths %zu\n"
             "  --shred-sample-rows %" PRIu64 " --shred-sample-size %zu\n",
             options->min_presence, options->min_uniformity, options->max_depth,
             options->max_columns, options->max_paths, options->sample_records,
             options->sample_bytes);
}
