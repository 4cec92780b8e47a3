/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the Arrow schema that readers get, as text.
 *
 *     format   printed
 *     l        int64
 *     tsu:UTC  timestamp[us, tz=UTC]
 *     +l       list<element: T>
 *     +s       struct<a: T, b: U>
 *     +m       map<K, V>
 *
 * The schema comes from the library, so its formats are those that the library exports. (The Arrow
 * C data interface, "Data type description")
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/arrow.h>
#include <stdlib.h>
#include <string.h>

#include "schema_forms.h"
#include "tool.h"
#include "tool_screen.h"

typedef struct format_name {
    const char *format; /* a prefix of it, if it ends in ":" */
    const char *arrow;
} format_name;

static const format_name formats[] = {
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"e", "halffloat"},
    {"f", "float"},
    {"g", "double"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"u", "string"},
    {"U", "large_string"},
    {"vu", "string_view"},
    {"tdD", "date32[day]"},
    {"tdm", "date64[ms]"},
    {"tts", "time32[s]"},
    {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},
    {"tDs", "duration[s]"},
    {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"},
    {"tDn", "duration[ns]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
};

/* --- Extension types ----------------------------------------------------------------------- */

static int32_t load_size(const char *at) {
    int32_t size;
    memcpy(&size, at, sizeof size);
    return size;
}

/* The name of the extension type; its size is 0 if it has none. */
static lam_bytes extension_of(const struct ArrowSchema *schema) {
    static const char key[] = "ARROW:extension:name";
    const char *at = schema->metadata;
    if (at == NULL)
        return (lam_bytes){NULL, 0};
    int32_t count = load_size(at);
    for (at += 4; count > 0; count--) {
        int32_t size = load_size(at);
        const char *name = at + 4, *value = name + size + 4;
        int32_t length = load_size(name + size);
        if (size == (int32_t)sizeof key - 1 && memcmp(name, key, sizeof key - 1) == 0)
            return (lam_bytes){(const uint8_t *)value, (size_t)length};
        at = value + length;
    }
    return (lam_bytes){NULL, 0};
}

bool schema_is_extension(const struct ArrowSchema *schema, const char *name) {
    lam_bytes found = extension_of(schema);
    return found.size == strlen(name) && found.size > 0 &&
           memcmp(found.data, name, found.size) == 0;
}

/* --- Arrow --------------------------------------------------------------------------------- */

static void print_arrow_type(const struct ArrowSchema *schema);

static void print_arrow_field(const struct ArrowSchema *field) {
    tool_print("%s: ", field->name);
    print_arrow_type(field);
    tool_print("%s", (field->flags & ARROW_FLAG_NULLABLE) == 0 ? " not null" : "");
}

static void print_arrow_children(const char *name, const struct ArrowSchema *schema) {
    tool_print("%s<", name);
    for (int64_t i = 0; i < schema->n_children; i++) {
        tool_print("%s", i == 0 ? "" : ", ");
        print_arrow_field(schema->children[i]);
    }
    tool_print(">");
}

/* Types with parameters in their format. */
static void print_arrow_parameters(const struct ArrowSchema *schema) {
    const char *format = schema->format;
    if (strncmp(format, "d:", 2) == 0) {
        const char *bits = strchr(format, ',');
        bits = bits == NULL ? NULL : strchr(bits + 1, ',');
        int size = bits == NULL ? (int)strlen(format + 2) : (int)(bits - format - 2);
        const char *comma = strchr(format, ',');
        tool_print("decimal%s(%.*s, %.*s)", bits == NULL ? "128" : bits + 1,
                   (int)(comma - format - 2), format + 2, size - (int)(comma - format - 2) - 1,
                   comma + 1);
    } else if (strncmp(format, "w:", 2) == 0) {
        tool_print("fixed_size_binary[%s]", format + 2);
    } else if (strncmp(format, "ts", 2) == 0) {
        tool_print("timestamp[%c%s%s%s]", format[2], format[2] == 's' ? "" : "s",
                   format[4] == '\0' ? "" : ", tz=", format + 4);
    } else if (strcmp(format, "+s") == 0) {
        print_arrow_children("struct", schema);
    } else if (strcmp(format, "+m") == 0) {
        tool_print("map<");
        print_arrow_type(schema->children[0]->children[0]);
        tool_print(", ");
        print_arrow_type(schema->children[0]->children[1]);
        tool_print(">");
    } else if (format[0] == '+') {
        const char *name = format[1] == 'L'                 ? "large_list"
                           : strncmp(format, "+vl", 3) == 0 ? "list_view"
                           : strncmp(format, "+w", 2) == 0  ? "fixed_size_list"
                                                            : "list";
        print_arrow_children(name, schema);
        if (format[1] == 'w')
            tool_print("[%s]", format + 3);
    } else {
        tool_print("%s", format);
    }
}

static const format_name *find_format(const char *format) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].format, format) == 0)
            return &formats[i];
    return NULL;
}

static void print_arrow_type(const struct ArrowSchema *schema) {
    const format_name *known = find_format(schema->format);
    lam_bytes extension = extension_of(schema);
    if (extension.size > 0)
        tool_print("extension<%.*s: ", (int)extension.size, (const char *)extension.data);
    if (schema->dictionary != NULL) {
        tool_print("dictionary<values=");
        print_arrow_type(schema->dictionary);
        tool_print(", indices=%s>", known == NULL ? schema->format : known->arrow);
    } else if (known != NULL) {
        tool_print("%s", known->arrow);
    } else {
        print_arrow_parameters(schema);
    }
    tool_print("%s", extension.size > 0 ? ">" : "");
}

lam_status schema_print_arrow(const lam_reader *reader, lam_error *error) {
    struct ArrowSchema schema;
    lam_status status = lam_arrow_export_schema(reader, NULL, &schema, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (int64_t i = 0; i < schema.n_children; i++) {
        print_arrow_field(schema.children[i]);
        tool_print("\n");
    }
    schema.release(&schema);
    return LAM_STATUS_OK;
}
