/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the schema as SQL: the Arrow schema that readers get, and the fields of the file, become a
 * CREATE TABLE, which DuckDB or PostgreSQL takes as it is.
 *
 *     format    DuckDB                     PostgreSQL
 *     l         BIGINT                     BIGINT
 *     L         UBIGINT                    NUMERIC(20)
 *     tsu:UTC   TIMESTAMP WITH TIME ZONE   the same
 *     +l        T[]                        T[], or JSONB where T is
 *     +s        STRUCT("a" T, "b" U)       JSONB
 *     +m        MAP(K, V)                  JSONB
 *
 * For DuckDB the types are those that it gives the file, so that INSERT INTO t FROM 'file' takes
 * every row; a STRUCT with names that it cannot have is JSON. If Arrow's types have lost a property
 * that matters (INT96, TIME in UTC, GEOMETRY, maps with optional keys), the field of the file
 * decides. Leaves are always met in the order of the file's columns. (DuckDB, "Data Types";
 * PostgreSQL, "Data Types")
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/arrow.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema_forms.h"
#include "tool.h"
#include "tool_screen.h"

typedef struct sql_format {
    const char *format;
    const char *duckdb;
    const char *postgresql;
} sql_format;

static const sql_format formats[] = {
    {"n", "\"NULL\"", "TEXT"},
    {"b", "BOOLEAN", "BOOLEAN"},
    {"c", "TINYINT", "SMALLINT"},
    {"C", "UTINYINT", "SMALLINT"},
    {"s", "SMALLINT", "SMALLINT"},
    {"S", "USMALLINT", "INTEGER"},
    {"i", "INTEGER", "INTEGER"},
    {"I", "UINTEGER", "BIGINT"},
    {"l", "BIGINT", "BIGINT"},
    {"L", "UBIGINT", "NUMERIC(20)"},
    {"e", "FLOAT", "REAL"},
    {"f", "FLOAT", "REAL"},
    {"g", "DOUBLE", "DOUBLE PRECISION"},
    {"z", "BLOB", "BYTEA"},
    {"Z", "BLOB", "BYTEA"},
    {"vz", "BLOB", "BYTEA"},
    {"u", "VARCHAR", "TEXT"},
    {"U", "VARCHAR", "TEXT"},
    {"vu", "VARCHAR", "TEXT"},
    {"tdD", "DATE", "DATE"},
    {"tdm", "DATE", "DATE"},
    {"tts", "TIME", "TIME"},
    {"ttm", "TIME", "TIME"},
    {"ttu", "TIME", "TIME"},
    {"ttn", "TIME_NS", "TIME"},
    {"tDs", "BIGINT", "BIGINT"}, /* as which the file has them */
    {"tDm", "BIGINT", "BIGINT"},
    {"tDu", "BIGINT", "BIGINT"},
    {"tDn", "BIGINT", "BIGINT"},
    {"tiM", "INTERVAL", "INTERVAL"},
    {"tiD", "INTERVAL", "INTERVAL"},
    {"tin", "INTERVAL", "INTERVAL"},
};

typedef struct sql_print {
    const lam_schema *schema;
    size_t leaf;         /* the next one */
    unsigned repetition; /* of the field around it */
    bool is_duckdb;
} sql_print;

/* --- Names --------------------------------------------------------------------------------- */

/* One character of a name that is between U&" and ": an invisible one has its number. */
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

static bool is_visible(const char *name) {
    size_t size = strlen(name);
    return lam_visible_prefix(name, size) == size;
}

/*
 * A name in quotation marks: so it is none of the words that a dialect keeps for itself. With an
 * invisible character in it, it is one with escapes: U&"a\000Ab". (SQL:2003, Unicode delimited
 * identifiers)
 */
static void print_exact_name(const char *name) {
    char escape[LAM_VISIBLE_ESCAPE_ROOM];
    bool has_escapes = !is_visible(name);
    tool_print(has_escapes ? "U&\"" : "\"");
    for (size_t left = strlen(name), size; left > 0; name += size, left -= size) {
        size = lam_visible_escape(name, left, escape);
        if (has_escapes) {
            print_unicode(name, size);
        } else {
            tool_print_shown(name, size);
            tool_print(*name == '"' ? "\"" : "");
        }
    }
    tool_print("\"");
}

/* The same for DuckDB, which knows no such escapes: there a name shows a substitute. */
static void print_name(const sql_print *print, const char *name) {
    char escape[LAM_VISIBLE_ESCAPE_ROOM];
    if (!print->is_duckdb || is_visible(name)) {
        print_exact_name(name);
        return;
    }
    tool_print("\"");
    for (size_t left = strlen(name), size; left > 0; name += size, left -= size) {
        size = lam_visible_escape(name, left, escape);
        if (lam_visible_prefix(name, size) == size)
            tool_print_shown(name, size);
        else
            tool_print("%s", escape);
        tool_print(*name == '"' ? "\"" : "");
    }
    tool_print("\"");
}

/* Bytes of a name that PostgreSQL does not cut, and of one that leaves room for a number. */
enum { POSTGRESQL_NAME = 63, POSTGRESQL_BASE = 52 };

/* Cuts a name after `most` bytes, but not within a character. */
static void cut_name(char *name, size_t most) {
    size_t size = strlen(name);
    if (size <= most)
        return;
    for (size = most; size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80;)
        size--;
    name[size] = '\0';
}

/* A name and its number; to be freed. */
static char *numbered(const char *name, uint64_t number, bool is_duckdb) {
    char *text = tool_allocate(strlen(name) + 24, 1);
    strcpy(text, name);
    if (!is_duckdb)
        cut_name(text, POSTGRESQL_BASE);
    sprintf(text + strlen(text), "_%" PRIu64, number);
    return text;
}

/* The names of the children of a group as the dialects have them, and their numbers. */
typedef struct sql_names {
    size_t count;
    char **names;
    uint64_t *numbers; /* of those whose names stand before them; 0: of the others */
} sql_names;

/* Equal names, whatever the case of their letters, come together, in order. */
static int compare_names(const void *a, const void *b) {
    char *const *x = *(char *const *const *)a, *const *y = *(char *const *const *)b;
    int order = strcasecmp(*x, *y);
    return order != 0 ? order : (x > y) - (x < y);
}

static int compare_with_name(const void *name, const void *entry) {
    return strcasecmp(name, **(char *const *const *)entry);
}

/* With "_" and its number a name differs from all others. */
static void number_names(sql_names *all, bool is_duckdb) {
    uint64_t last = 0;
    char ***sorted = tool_allocate(all->count + 1, sizeof *sorted);
    for (size_t i = 0; i < all->count; i++)
        sorted[i] = all->names + i;
    qsort(sorted, all->count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < all->count; i++) {
        const char *name = *sorted[i];
        uint64_t *number = all->numbers + (sorted[i] - all->names);
        char *text = NULL;
        *number = 0;
        if (i == 0 || strcasecmp(*sorted[i - 1], name) != 0) {
            last = 0;
            continue;
        }
        do {
            free(text);
            text = numbered(name, *number = ++last, is_duckdb);
        } while (bsearch(text, sorted, all->count, sizeof *sorted, compare_with_name) != NULL);
        free(text);
    }
    free(sorted);
}

/*
 * Neither has a name of no characters. Of names that PostgreSQL would cut all keep as many bytes,
 * so that it does not take them for one.
 */
static sql_names make_names(const struct ArrowSchema *group, bool is_duckdb) {
    sql_names all = {.count = (size_t)group->n_children};
    all.names = tool_allocate(all.count + 1, sizeof *all.names);
    all.numbers = tool_allocate(all.count + 1, sizeof *all.numbers);
    for (size_t i = 0; i < all.count; i++) {
        const char *name = group->children[i]->name;
        all.names[i] = tool_copy_text(name[0] == '\0' ? "_" : name);
        if (!is_duckdb && strlen(name) > POSTGRESQL_NAME)
            cut_name(all.names[i], POSTGRESQL_BASE);
    }
    number_names(&all, is_duckdb);
    return all;
}

static void free_names(sql_names *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->names[i]);
    free(all->names);
    free(all->numbers);
}

static void print_numbered(const sql_print *print, const char *name, uint64_t number) {
    if (number == 0) {
        print_name(print, name);
        return;
    }
    char *text = numbered(name, number, print->is_duckdb);
    print_name(print, text);
    free(text);
}

/* --- Types --------------------------------------------------------------------------------- */

static const sql_format *find_format(const char *format) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].format, format) == 0)
            return &formats[i];
    return NULL;
}

static bool is_group(const struct ArrowSchema *schema) {
    return schema->format[0] == '+' && schema->dictionary == NULL;
}

static void skip_leaves(sql_print *print, const struct ArrowSchema *schema) {
    print->leaf += is_group(schema) ? 0 : 1;
    for (int64_t i = 0; is_group(schema) && i < schema->n_children; i++)
        skip_leaves(print, schema->children[i]);
}

/* Whether lists of pairs are a map in the file, for which Arrow demands required keys. */
static bool is_map(const sql_print *print, const struct ArrowSchema *list) {
    const struct ArrowSchema *pair = list->children[0];
    const lam_field *field = lam_schema_leaf(print->schema, print->leaf);
    if (strcmp(list->format, "+l") != 0 || strcmp(pair->format, "+s") != 0 || pair->n_children != 2)
        return false;
    while (field != NULL && (lam_field_repetition(field) != LAM_REPETITION_REPEATED ||
                             lam_field_max_repetition(field) != print->repetition + 1))
        field = lam_field_parent(field);
    field = field == NULL ? NULL : lam_field_parent(field);
    return field != NULL && lam_field_logical_type(field)->kind == LAM_LOGICAL_MAP;
}

static void print_sql_type(sql_print *print, const struct ArrowSchema *schema);

static void print_map(sql_print *print, const struct ArrowSchema *pair) {
    tool_print("MAP(");
    print_sql_type(print, pair->children[0]);
    tool_print(", ");
    print_sql_type(print, pair->children[1]);
    tool_print(")");
}

/*
 * Whether DuckDB would fill a STRUCT with nulls, as it goes by names: those that differ from its
 * own for the file, or that no visible text writes.
 */
static bool has_other_names(const struct ArrowSchema *group, const uint64_t *numbers) {
    for (int64_t i = 0; i < group->n_children; i++) {
        const char *name = group->children[i]->name;
        if (name[0] == '\0' || numbers[i] > 1 || !is_visible(name))
            return true;
    }
    return false;
}

static void print_struct(sql_print *print, const struct ArrowSchema *schema) {
    sql_names all = make_names(schema, print->is_duckdb);
    if (has_other_names(schema, all.numbers)) {
        tool_print("JSON");
        skip_leaves(print, schema);
    } else {
        tool_print("STRUCT(");
        for (size_t i = 0; i < all.count; i++) {
            tool_print("%s", i == 0 ? "" : ", ");
            print_numbered(print, all.names[i], all.numbers[i]);
            tool_print(" ");
            print_sql_type(print, schema->children[i]);
        }
        tool_print(")");
    }
    free_names(&all);
}

static void print_sql_group(sql_print *print, const struct ArrowSchema *schema) {
    const char *format = schema->format;
    bool is_fixed = format[1] == 'w', is_list = strcmp(format, "+s") != 0;
    const struct ArrowSchema *element = is_list ? schema->children[0] : NULL;
    bool repeats = is_list && !is_fixed;
    print->repetition += repeats;
    if (!print->is_duckdb && (!is_list || is_group(element))) {
        tool_print("JSONB");
        skip_leaves(print, schema);
    } else if (!is_list) {
        print_struct(print, schema);
    } else if (strcmp(format, "+m") == 0) {
        print_map(print, element);
    } else {
        print->repetition -= repeats;
        bool is_pairs = is_map(print, schema);
        print->repetition += repeats;
        if (is_pairs) {
            print_map(print, element);
        } else {
            print_sql_type(print, element);
            tool_print("[%s]", is_fixed ? format + 3 : "");
        }
    }
    print->repetition -= repeats;
}

/* What the field of the file says, and Arrow's type does not; false if that is nothing. */
static bool print_sql_stated(const sql_print *print, const lam_field *leaf) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    bool has_nanos = type->unit == LAM_TIME_UNIT_NANOS;
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT96)
        tool_print("TIMESTAMP");
    else if (type->kind == LAM_LOGICAL_TIME && type->adjusted_to_utc)
        tool_print("TIME WITH TIME ZONE");
    else if (type->kind == LAM_LOGICAL_TIMESTAMP && type->adjusted_to_utc)
        tool_print(has_nanos && print->is_duckdb ? "TIMESTAMPTZ_NS" : "TIMESTAMP WITH TIME ZONE");
    else if (print->is_duckdb &&
             (type->kind == LAM_LOGICAL_GEOMETRY || type->kind == LAM_LOGICAL_GEOGRAPHY))
        tool_print("GEOMETRY");
    else if (print->is_duckdb && type->kind == LAM_LOGICAL_DECIMAL && type->precision > 38)
        tool_print("DOUBLE"); /* as it reads them */
    else if (type->kind == LAM_LOGICAL_DECIMAL)
        tool_print("DECIMAL(%" PRId32 ",%" PRId32 ")", type->precision, type->scale);
    else
        return false;
    return true;
}

static void print_sql_leaf(sql_print *print, const struct ArrowSchema *schema) {
    const struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary : schema;
    const sql_format *known = find_format(values->format);
    const lam_field *leaf = lam_schema_leaf(print->schema, print->leaf++);
    if (schema_is_extension(schema, "arrow.uuid"))
        tool_print("UUID");
    else if (schema_is_extension(schema, "arrow.json"))
        tool_print("JSON");
    else if (leaf != NULL && print_sql_stated(print, leaf))
        return;
    else if (known != NULL)
        tool_print("%s", print->is_duckdb ? known->duckdb : known->postgresql);
    else if (strncmp(values->format, "ts", 2) == 0)
        tool_print("%s",
                   values->format[2] == 'n' && print->is_duckdb ? "TIMESTAMP_NS" : "TIMESTAMP");
    else
        tool_print("%s", print->is_duckdb ? "BLOB" : "BYTEA");
}

static bool is_variant(const struct ArrowSchema *schema) {
    return schema_is_extension(schema, "arrow.parquet.variant");
}

static void print_sql_type(sql_print *print, const struct ArrowSchema *schema) {
    if (is_variant(schema)) {
        tool_print(print->is_duckdb ? "VARIANT" : "JSONB");
        skip_leaves(print, schema);
    } else if (is_group(schema)) {
        print_sql_group(print, schema);
    } else {
        print_sql_leaf(print, schema);
    }
}

/* --- The table ------------------------------------------------------------------------------ */

/* The name of the file without folders and all after its first dot. */
static char *table_name(const char *file) {
    const char *slash = strrchr(file, '/');
    char *name = tool_copy_text(strcmp(file, "-") == 0 ? "data" : slash == NULL ? file : slash + 1);
    name[strcspn(name, ".")] = '\0';
    return name;
}

/* A VARIANT without a value is null in both, so none is NOT NULL. */
static void print_columns(sql_print *print, const struct ArrowSchema *schema) {
    sql_names all = make_names(schema, print->is_duckdb);
    for (size_t i = 0; i < all.count; i++) {
        const struct ArrowSchema *column = schema->children[i];
        bool is_null = (column->flags & ARROW_FLAG_NULLABLE) != 0 || is_variant(column);
        tool_print("\n    ");
        print_numbered(print, all.names[i], all.numbers[i]);
        tool_print(" ");
        print_sql_type(print, column);
        tool_print("%s%s", is_null ? "" : " NOT NULL", i + 1 < all.count ? "," : "");
        if (all.numbers[i] > 0 || strcmp(all.names[i], column->name) != 0 ||
            (print->is_duckdb && !is_visible(column->name))) {
            tool_print(" -- in the file ");
            print_exact_name(column->name);
        }
    }
    free_names(&all);
}

lam_status schema_print_sql(const lam_reader *reader, const char *file, bool is_duckdb,
                            lam_error *error) {
    struct ArrowSchema schema;
    sql_print print = {lam_reader_schema(reader), 0, 0, is_duckdb};
    lam_status status = lam_arrow_export_schema(reader, NULL, &schema, error);
    if (status != LAM_STATUS_OK)
        return status;
    char *name = table_name(file);
    if (schema.n_children == 0 && is_duckdb)
        tool_print("-- DuckDB has no tables without columns\n");
    tool_print("CREATE TABLE ");
    print_name(&print, *name == '\0' ? "data" : name);
    tool_print(" (");
    print_columns(&print, &schema);
    tool_print("\n);\n");
    free(name);
    schema.release(&schema);
    return LAM_STATUS_OK;
}
