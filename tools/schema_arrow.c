/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema as Arrow and as SQL: the Arrow schema that readers get in, text out.
 *
 *     format   Arrow                   SQL, as DuckDB has it
 *     l        int64                   BIGINT
 *     tsu:UTC  timestamp[us, tz=UTC]   TIMESTAMP WITH TIME ZONE
 *     +l       list<element: T>        T[]
 *     +s       struct<a: T, b: U>      STRUCT(a T, b U)
 *     +m       map<K, V>               MAP(K, V)
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
    const char *sql;
} format_name;

static const format_name formats[] = {
    {"n", "null", "\"NULL\""},
    {"b", "bool", "BOOLEAN"},
    {"c", "int8", "TINYINT"},
    {"C", "uint8", "UTINYINT"},
    {"s", "int16", "SMALLINT"},
    {"S", "uint16", "USMALLINT"},
    {"i", "int32", "INTEGER"},
    {"I", "uint32", "UINTEGER"},
    {"l", "int64", "BIGINT"},
    {"L", "uint64", "UBIGINT"},
    {"e", "halffloat", "FLOAT"},
    {"f", "float", "FLOAT"},
    {"g", "double", "DOUBLE"},
    {"z", "binary", "BLOB"},
    {"Z", "large_binary", "BLOB"},
    {"vz", "binary_view", "BLOB"},
    {"u", "string", "VARCHAR"},
    {"U", "large_string", "VARCHAR"},
    {"vu", "string_view", "VARCHAR"},
    {"tdD", "date32[day]", "DATE"},
    {"tdm", "date64[ms]", "DATE"},
    {"tts", "time32[s]", "TIME"},
    {"ttm", "time32[ms]", "TIME"},
    {"ttu", "time64[us]", "TIME"},
    {"ttn", "time64[ns]", "TIME_NS"},
    {"tDs", "duration[s]", "INTERVAL"},
    {"tDm", "duration[ms]", "INTERVAL"},
    {"tDu", "duration[us]", "INTERVAL"},
    {"tDn", "duration[ns]", "INTERVAL"},
    {"tiM", "month_interval", "INTERVAL"},
    {"tiD", "day_time_interval", "INTERVAL"},
    {"tin", "month_day_nano_interval", "INTERVAL"},
};

/* --- Extension types ----------------------------------------------------------------------- */

static int32_t load_size(const char *at) {
    int32_t size;
    memcpy(&size, at, sizeof size);
    return size;
}

/* The name of the extension type; its size is 0 where there is none. */
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

static bool is_extension(const struct ArrowSchema *schema, const char *name) {
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

/* --- SQL ----------------------------------------------------------------------------------- */

/* One character of a name that is between U&" and ": what does not show has its number. */
static void print_unicode(const char *text, size_t size) {
    bool is_character = size > 1 || (unsigned char)*text < 0x80;
    uint32_t code = is_character ? tool_code_point(text, size) : 0xFFFD;
    if (*text == '"' || *text == '\\')
        tool_print("%c%c", *text, *text);
    else if (lam_visible_prefix(text, size) == size)
        tool_print_shown(text, size);
    else
        tool_print(code < 0x10000 ? "\\%04" PRIX32 : "\\+%06" PRIX32, code);
}

/*
 * A name in quotation marks: so it is none of the words that a dialect keeps for itself. With what
 * does not show in it, it is one with escapes: U&"a\000Ab". (SQL:2003, Unicode delimited
 * identifiers)
 */
static void print_name(const char *name) {
    size_t left = strlen(name), size;
    char escape[LAM_VISIBLE_ESCAPE_ROOM];
    if (lam_visible_prefix(name, left) != left) {
        tool_print("U&\"");
        for (; left > 0; name += size, left -= size) {
            size = lam_visible_escape(name, left, escape);
            print_unicode(name, size);
        }
    } else {
        tool_print("\"");
        for (; left > 0; name += size, left -= size) {
            size = *name == '"' ? 1 : strcspn(name, "\"");
            tool_print_shown(name, size);
            tool_print(*name == '"' ? "\"" : "");
        }
    }
    tool_print("\"");
}

static void print_sql_type(const struct ArrowSchema *schema);

static void print_sql_nested(const struct ArrowSchema *schema) {
    const char *format = schema->format;
    if (strcmp(format, "+m") == 0) {
        tool_print("MAP(");
        print_sql_type(schema->children[0]->children[0]);
        tool_print(", ");
        print_sql_type(schema->children[0]->children[1]);
        tool_print(")");
    } else if (strcmp(format, "+s") == 0) {
        tool_print("STRUCT(");
        for (int64_t i = 0; i < schema->n_children; i++) {
            tool_print("%s", i == 0 ? "" : ", ");
            print_name(schema->children[i]->name);
            tool_print(" ");
            print_sql_type(schema->children[i]);
        }
        tool_print(")");
    } else {
        print_sql_type(schema->children[0]);
        tool_print("[%s]", format[1] == 'w' ? format + 3 : "");
    }
}

static void print_sql_type(const struct ArrowSchema *schema) {
    const char *format = schema->format;
    const format_name *known = find_format(format);
    if (is_extension(schema, "arrow.uuid"))
        tool_print("UUID");
    else if (is_extension(schema, "arrow.json"))
        tool_print("JSON");
    else if (is_extension(schema, "arrow.parquet.variant"))
        tool_print("VARIANT");
    else if (schema->dictionary != NULL)
        print_sql_type(schema->dictionary);
    else if (known != NULL)
        tool_print("%s", known->sql);
    else if (strncmp(format, "d:", 2) == 0)
        tool_print("DECIMAL(%.*s)",
                   (int)(strcspn(strchr(format, ',') + 1, ",") + 1 +
                         (size_t)(strchr(format, ',') - format - 2)),
                   format + 2);
    else if (strncmp(format, "ts", 2) == 0 && format[4] != '\0')
        tool_print("TIMESTAMP WITH TIME ZONE");
    else if (strncmp(format, "ts", 2) == 0)
        tool_print("%s", format[2] == 'n' ? "TIMESTAMP_NS" : "TIMESTAMP");
    else if (format[0] == '+')
        print_sql_nested(schema);
    else
        tool_print("BLOB");
}

/* The name of the file without folders and what follows its first dot. */
static char *table_name(const char *file) {
    const char *slash = strrchr(file, '/');
    char *name = tool_copy_text(strcmp(file, "-") == 0 ? "data" : slash == NULL ? file : slash + 1);
    name[strcspn(name, ".")] = '\0';
    return name;
}

lam_status schema_print_sql(const lam_reader *reader, const char *file, lam_error *error) {
    struct ArrowSchema schema;
    lam_status status = lam_arrow_export_schema(reader, NULL, &schema, error);
    if (status != LAM_STATUS_OK)
        return status;
    char *name = table_name(file);
    tool_print("CREATE TABLE ");
    print_name(*name == '\0' ? "data" : name);
    tool_print(" (");
    for (int64_t i = 0; i < schema.n_children; i++) {
        tool_print("%s\n    ", i == 0 ? "" : ",");
        print_name(schema.children[i]->name);
        tool_print(" ");
        print_sql_type(schema.children[i]);
        tool_print("%s", (schema.children[i]->flags & ARROW_FLAG_NULLABLE) == 0 ? " NOT NULL" : "");
    }
    tool_print("\n);\n");
    free(name);
    schema.release(&schema);
    return LAM_STATUS_OK;
}
