/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the types of --type. A short name means message text; that is parsed as the schema of one
 * field, so that every type of a schema can be named, and is checked like one.
 *
 *     price=decimal(10,2)                   int64 price (DECIMAL(10,2))
 *     ts=int64 (TIMESTAMP(MILLIS,true))     int64 ts (TIMESTAMP(MILLIS,true))
 */
#include "import_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool.h"

static const char *const words[][2] = {
    {"string", "binary x (STRING)"},
    {"json", "binary x (JSON)"},
    {"bool", "boolean x"},
    {"int8", "int32 x (INTEGER(8,true))"},
    {"int16", "int32 x (INTEGER(16,true))"},
    {"uint8", "int32 x (INTEGER(8,false))"},
    {"uint16", "int32 x (INTEGER(16,false))"},
    {"uint32", "int32 x (INTEGER(32,false))"},
    {"uint64", "int64 x (INTEGER(64,false))"},
    {"date", "int32 x (DATE)"},
    {"time", "int64 x (TIME(MICROS,false))"},
    {"time_ms", "int32 x (TIME(MILLIS,false))"},
    {"time_us", "int64 x (TIME(MICROS,false))"},
    {"time_ns", "int64 x (TIME(NANOS,false))"},
    {"timestamp", "int64 x (TIMESTAMP(MICROS,false))"},
    {"timestamp_ms", "int64 x (TIMESTAMP(MILLIS,false))"},
    {"timestamp_us", "int64 x (TIMESTAMP(MICROS,false))"},
    {"timestamp_ns", "int64 x (TIMESTAMP(NANOS,false))"},
    {"timestamp_utc", "int64 x (TIMESTAMP(MICROS,true))"},
    {"timestamp_utc_ms", "int64 x (TIMESTAMP(MILLIS,true))"},
    {"timestamp_utc_us", "int64 x (TIMESTAMP(MICROS,true))"},
    {"timestamp_utc_ns", "int64 x (TIMESTAMP(NANOS,true))"},
    {"uuid", "fixed_len_byte_array(16) x (UUID)"},
};

const char *const import_type_names[] = {"string",
                                         "json",
                                         "variant",
                                         "map",
                                         "boolean",
                                         "int8",
                                         "int16",
                                         "int32",
                                         "int64",
                                         "uint8",
                                         "uint16",
                                         "uint32",
                                         "uint64",
                                         "float",
                                         "double",
                                         "decimal(",
                                         "date",
                                         "time",
                                         "time_ms",
                                         "time_us",
                                         "time_ns",
                                         "timestamp",
                                         "timestamp_ms",
                                         "timestamp_us",
                                         "timestamp_ns",
                                         "timestamp_utc",
                                         "timestamp_utc_ms",
                                         "timestamp_utc_us",
                                         "timestamp_utc_ns",
                                         "uuid",
                                         "binary",
                                         NULL};

/* Message text for a type, without repetition and semicolon; false when it does not fit. */
static bool write_field(const char *type, char *text, size_t size) {
    int length;
    const char *annotation = strstr(type, " (");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(type, words[i][0]) == 0)
            return snprintf(text, size, "%s", words[i][1]) < (int)size;
    if (strncasecmp(type, "decimal(", strlen("decimal(")) == 0) {
        int precision = atoi(type + strlen("decimal("));
        length = snprintf(text, size, "%s x (%s)",
                          precision <= 9    ? "int32"
                          : precision <= 18 ? "int64"
                                            : "fixed_len_byte_array(16)",
                          type);
    } else if (annotation != NULL) {
        length = snprintf(text, size, "%.*s x %s", (int)(annotation - type), type, annotation + 1);
    } else {
        length = snprintf(text, size, "%s x", type);
    }
    return length < (int)size;
}

static bool parse_leaf(const char *type, lam_json_column *column) {
    char field[200], text[240];
    lam_schema *schema;
    if (strpbrk(type, ";{}") != NULL || !write_field(type, field, sizeof field))
        return false;
    snprintf(text, sizeof text, "message m { optional %s; }", field);
    lam_status status = lam_schema_parse_text(text, NULL, &schema, NULL);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, "no memory");
    if (status != LAM_STATUS_OK)
        return false;
    const lam_field *leaf = lam_schema_leaf(schema, 0);
    column->type = lam_field_physical_type(leaf);
    column->options.logical_type = *lam_field_logical_type(leaf);
    if (column->type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        column->options.type_length = lam_field_type_length(leaf);
    lam_schema_destroy(schema);
    return true;
}

static bool parse_type(const char *type, lam_json_column *column) {
    bool is_variant = strcasecmp(type, "variant") == 0, is_map = strcasecmp(type, "map") == 0;
    if (!is_variant && !is_map)
        return parse_leaf(type, column);
    column->type = LAM_PHYSICAL_GROUP;
    column->options.logical_type.kind = is_variant ? LAM_LOGICAL_VARIANT : LAM_LOGICAL_MAP;
    return true;
}

bool import_type_parse(char *text, lam_json_column *ret_column) {
    lam_json_column column;
    memset(&column, 0, sizeof column);
    size_t mark = tool_mark_from(text, 0, '=');
    while (text[mark] != '\0' && (mark == 0 || !parse_type(text + mark + 1, &column)))
        mark = tool_mark_from(text, mark + 1, '=');
    if (text[mark] == '\0')
        return false;
    text[mark] = '\0';
    column.path = text;
    *ret_column = column;
    return true;
}
