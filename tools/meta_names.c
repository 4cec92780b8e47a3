/* SPDX-License-Identifier: Apache-2.0 */
/* Names the format's numbers by its own words, for all that prints metadata. */
#include "meta_print.h"

const char *meta_codec_name(const lam_column_chunk_info *info) {
    return info->codec == LAM_CODEC_DEFAULT ? "UNKNOWN" : lam_codec_name(info->codec);
}

const char *meta_type_name(const lam_field *leaf) {
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return names[lam_field_physical_type(leaf)];
}

const char *meta_page_type_name(lam_page_type type) {
    static const char *const names[] = {"data", "index", "dictionary", "data v2"};
    size_t index = (size_t)type;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}
