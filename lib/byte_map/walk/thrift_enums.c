/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the numbers of the enums in metadata: which fields hold an enum, and the names of each. The
 * names are the IDL's. A number beyond the names is always taken as one of a later version of the
 * format. (parquet.thrift)
 */
#include <string.h>

#include "byte_map/walk/thrift_ranges.h"
#include "encoding/encoding.h"

static const char *name_at(const char *const *names, size_t count, int64_t number) {
    return number >= 0 && (uint64_t)number < count ? names[number] : NULL;
}

#define NAME_AT(names, number) name_at((names), sizeof(names) / sizeof(names)[0], (number))

static const char *name_of_type(int64_t number) {
    return number >= LAM_PHYSICAL_BOOLEAN && number <= LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY
               ? lam_encoding_type_name((lam_physical_type)number)
               : NULL;
}

static const char *name_of_repetition(int64_t number) {
    static const char *const names[] = {"REQUIRED", "OPTIONAL", "REPEATED", "VECTOR"};
    return NAME_AT(names, number);
}

static const char *name_of_converted_type(int64_t number) {
    static const char *const names[] = {"UTF8",
                                        "MAP",
                                        "MAP_KEY_VALUE",
                                        "LIST",
                                        "ENUM",
                                        "DECIMAL",
                                        "DATE",
                                        "TIME_MILLIS",
                                        "TIME_MICROS",
                                        "TIMESTAMP_MILLIS",
                                        "TIMESTAMP_MICROS",
                                        "UINT_8",
                                        "UINT_16",
                                        "UINT_32",
                                        "UINT_64",
                                        "INT_8",
                                        "INT_16",
                                        "INT_32",
                                        "INT_64",
                                        "JSON",
                                        "BSON",
                                        "INTERVAL"};
    return NAME_AT(names, number);
}

static const char *name_of_encoding(int64_t number) {
    const char *name = number >= 0 && number <= LAM_ENCODING_ALP
                           ? lam_encoding_name((lam_encoding)number)
                           : "UNKNOWN";
    return strcmp(name, "UNKNOWN") == 0 ? NULL : name;
}

/* The numbers of the format begin with UNCOMPRESSED as 0, those of lam_codec with DEFAULT. */
static const char *name_of_codec(int64_t number) {
    return number >= 0 && number < LAM_CODEC_LZ4_RAW ? lam_codec_name((lam_codec)(number + 1))
                                                     : NULL;
}

static const char *name_of_page_type(int64_t number) {
    static const char *const names[] = {"DATA_PAGE", "INDEX_PAGE", "DICTIONARY_PAGE",
                                        "DATA_PAGE_V2"};
    return NAME_AT(names, number);
}

static const char *name_of_boundary_order(int64_t number) {
    static const char *const names[] = {"UNORDERED", "ASCENDING", "DESCENDING"};
    return NAME_AT(names, number);
}

static const char *name_of_edge_algorithm(int64_t number) {
    static const char *const names[] = {"SPHERICAL", "VINCENTY", "THOMAS", "ANDOYER", "KARNEY"};
    return NAME_AT(names, number);
}

const char *lam_byte_enum_name(const lam_meta_struct *table, uint32_t field_id, int64_t number) {
    static const struct {
        const char *table;
        uint32_t id;
        const char *(*name)(int64_t number);
    } fields[] = {
        {"SchemaElement", 1, name_of_type},
        {"SchemaElement", 3, name_of_repetition},
        {"SchemaElement", 6, name_of_converted_type},
        {"DataPageHeader", 2, name_of_encoding},
        {"DataPageHeader", 3, name_of_encoding},
        {"DataPageHeader", 4, name_of_encoding},
        {"DictionaryPageHeader", 2, name_of_encoding},
        {"DataPageHeaderV2", 4, name_of_encoding},
        {"PageHeader", 1, name_of_page_type},
        {"PageEncodingStats", 1, name_of_page_type},
        {"PageEncodingStats", 2, name_of_encoding},
        {"ColumnMetaData", 1, name_of_type},
        {"ColumnMetaData", 2, name_of_encoding},
        {"ColumnMetaData", 4, name_of_codec},
        {"ColumnIndex", 4, name_of_boundary_order},
        {"GeographyType", 2, name_of_edge_algorithm},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].id == field_id && strcmp(fields[i].table, table->name) == 0)
            return fields[i].name(number);
    return NULL;
}
