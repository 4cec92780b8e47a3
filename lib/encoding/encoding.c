/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the facts about encodings that do not depend on reading or writing: their names, and the
 * physical types that each may hold. Numbers from a file are not checked before they come here: an
 * unknown encoding is UNKNOWN and takes no type, and so is a type that does not exist. Both tables
 * follow parquet.thrift, Encoding, and Encodings.md, "Supported Encodings".
 */
#include "encoding/encoding.h"

const char *lam_encoding_name(lam_encoding encoding) {
    switch (encoding) {
    case LAM_ENCODING_PLAIN:
        return "PLAIN";
    case LAM_ENCODING_PLAIN_DICTIONARY:
        return "PLAIN_DICTIONARY";
    case LAM_ENCODING_RLE:
        return "RLE";
    case LAM_ENCODING_BIT_PACKED:
        return "BIT_PACKED";
    case LAM_ENCODING_DELTA_BINARY_PACKED:
        return "DELTA_BINARY_PACKED";
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return "DELTA_LENGTH_BYTE_ARRAY";
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        return "DELTA_BYTE_ARRAY";
    case LAM_ENCODING_RLE_DICTIONARY:
        return "RLE_DICTIONARY";
    case LAM_ENCODING_BYTE_STREAM_SPLIT:
        return "BYTE_STREAM_SPLIT";
    case LAM_ENCODING_ALP:
        return "ALP";
    }
    return "UNKNOWN";
}

const char *lam_encoding_type_name(lam_physical_type type) {
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
                                        "a group"};
    size_t index = (size_t)type;
    return index < sizeof names / sizeof names[0] ? names[index] : "UNKNOWN";
}

#define ENCODING_TYPE(NAME) (1u << LAM_PHYSICAL_##NAME)

/*
 * The physical types of each encoding, a bit each. RLE and BIT_PACKED also encode levels, which are
 * not values and not meant here; PLAIN_DICTIONARY is the old name of RLE_DICTIONARY on data pages.
 */
static unsigned types_of(lam_encoding encoding) {
    const unsigned all = ENCODING_TYPE(BOOLEAN) | ENCODING_TYPE(INT32) | ENCODING_TYPE(INT64) |
                         ENCODING_TYPE(INT96) | ENCODING_TYPE(FLOAT) | ENCODING_TYPE(DOUBLE) |
                         ENCODING_TYPE(BYTE_ARRAY) | ENCODING_TYPE(FIXED_LEN_BYTE_ARRAY);
    switch (encoding) {
    case LAM_ENCODING_PLAIN:
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        return all;
    case LAM_ENCODING_RLE:
        return ENCODING_TYPE(BOOLEAN);
    case LAM_ENCODING_DELTA_BINARY_PACKED:
        return ENCODING_TYPE(INT32) | ENCODING_TYPE(INT64);
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return ENCODING_TYPE(BYTE_ARRAY);
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        return ENCODING_TYPE(BYTE_ARRAY) | ENCODING_TYPE(FIXED_LEN_BYTE_ARRAY);
    case LAM_ENCODING_BYTE_STREAM_SPLIT:
        return ENCODING_TYPE(INT32) | ENCODING_TYPE(INT64) | ENCODING_TYPE(FLOAT) |
               ENCODING_TYPE(DOUBLE) | ENCODING_TYPE(FIXED_LEN_BYTE_ARRAY);
    case LAM_ENCODING_ALP:
        return ENCODING_TYPE(FLOAT) | ENCODING_TYPE(DOUBLE);
    case LAM_ENCODING_BIT_PACKED:
        break; /* levels only */
    }
    return 0;
}

/* The comparison comes first: a type out of range would be a shift out of range. */
bool lam_encoding_takes(lam_encoding encoding, lam_physical_type type) {
    return (unsigned)type < LAM_PHYSICAL_GROUP && (types_of(encoding) & 1u << type) != 0;
}
