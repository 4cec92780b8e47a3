/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the fields of a schema as message text, or with their levels. Fields always come in the
 * order of the schema, each after its group.
 */
#define _POSIX_C_SOURCE 200809L
#include "schema_forms.h"

#include <stdlib.h>
#include <string.h>

#include "schema_json.h"
#include "tool.h"
#include "tool_table.h"

/* --- Message text -------------------------------------------------------------------------- */

static void print_text(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0) + 1;
    char *text = tool_allocate(size, 1);
    lam_schema_print(schema, text, size);
    tool_print_lines(text);
    free(text);
}

/* --- Levels -------------------------------------------------------------------------------- */

/* How a field adds to the levels of its group. */
static const char *step_of(const lam_field *field) {
    static const char *const steps[] = {[LAM_REPETITION_REQUIRED] = "",
                                        [LAM_REPETITION_OPTIONAL] = "d + 1",
                                        [LAM_REPETITION_REPEATED] = "r + 1, d + 1",
                                        [LAM_REPETITION_VECTOR] = ""};
    return lam_field_parent(field) == NULL ? "" : steps[lam_field_repetition(field)];
}

/* "2 = Name + Language": the fields that add to a maximum. A name is shown as it is. */
static void add_sum(tool_table *table, const lam_field *field, unsigned maximum, bool of_d) {
    enum { NAMES_MOST = 400 };
    char names[NAMES_MOST] = "";
    size_t used = NAMES_MOST - 1;
    for (; lam_field_parent(field) != NULL; field = lam_field_parent(field)) {
        const char *name = lam_field_name(field);
        size_t size = strlen(name);
        if (lam_field_repetition(field) == LAM_REPETITION_REQUIRED ||
            (!of_d && lam_field_repetition(field) == LAM_REPETITION_OPTIONAL))
            continue;
        if (size + 8 > used) { /* the beginning of a long path is cut */
            used -= 6;
            memcpy(names + used, "... + ", 6);
            break;
        }
        if (used < NAMES_MOST - 1)
            memcpy(names + (used -= 3), " + ", 3);
        memcpy(names + (used -= size), name, size);
    }
    tool_table_add(table, maximum == 0 ? "%u" : "%u = %s", maximum, names + used);
}

static void print_levels(const lam_schema *schema) {
    static const char *const titles[] = {"field", "repetition", "type", "adds",
                                         "max r", "max d",      "why"};
    enum { COLUMNS = sizeof titles / sizeof titles[0] };
    tool_table table = tool_table_start(COLUMNS, 0);
    for (size_t i = 0; i < COLUMNS; i++)
        tool_table_add(&table, "%s", titles[i]);
    for (size_t i = 0; i < lam_schema_field_count(schema); i++) {
        const lam_field *field = lam_schema_field(schema, i);
        int depth = (int)lam_field_depth(field);
        tool_table_add(&table, "%*s%s", 2 * depth, "", lam_field_name(field));
        tool_table_add(&table, "%s", depth == 0 ? "" : schema_repetition_name(field));
        tool_table_add(&table, "%s",
                       lam_field_is_leaf(field) ? schema_physical_name(field) : "group");
        tool_table_add(&table, "%s", step_of(field));
        add_sum(&table, field, lam_field_max_repetition(field), false);
        add_sum(&table, field, lam_field_max_definition(field), true);
        tool_table_add(&table, "%s", schema_level_reason(field));
    }
    tool_table_end(&table);
}

/* ------------------------------------------------------------------------------------------- */

lam_status schema_print_form(const lam_reader *reader, const char *file, schema_form form,
                             lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    switch (form) {
    case SCHEMA_FORM_JSON:
        return schema_print_json(schema, error);
    case SCHEMA_FORM_LEVELS:
        print_levels(schema);
        break;
    case SCHEMA_FORM_ARROW:
        return schema_print_arrow(reader, error);
    case SCHEMA_FORM_SQL:
    case SCHEMA_FORM_POSTGRESQL:
        return schema_print_sql(reader, file, form == SCHEMA_FORM_SQL, error);
    default:
        print_text(schema);
        break;
    }
    return LAM_STATUS_OK;
}
