/* SPDX-License-Identifier: Apache-2.0 */
/* A schema in other forms than message text, to standard output. */
#ifndef LAMELLA_TOOLS_SCHEMA_FORMS_H
#define LAMELLA_TOOLS_SCHEMA_FORMS_H

#include <lamella/lamella.h>

typedef enum schema_form {
    SCHEMA_FORM_TEXT,
    SCHEMA_FORM_JSON,   /* a tree of objects */
    SCHEMA_FORM_LEVELS, /* a line for each field, with its maximum levels */
    SCHEMA_FORM_ARROW,  /* as Arrow libraries print it */
    SCHEMA_FORM_SQL,    /* CREATE TABLE, for DuckDB */
    SCHEMA_FORM_POSTGRESQL
} schema_form;

/* The name of the table is made from that of the file. */
lam_status schema_print_form(const lam_reader *reader, const char *file, schema_form form,
                             lam_error *error);

/* ARROW, and SQL in two dialects, from the schema that Arrow readers get. */
lam_status schema_print_arrow(const lam_reader *reader, lam_error *error);
lam_status schema_print_sql(const lam_reader *reader, const char *file, bool is_duckdb,
                            lam_error *error);

struct ArrowSchema;
/* Whether a field has an extension type of this name. */
bool schema_is_extension(const struct ArrowSchema *schema, const char *name);

#endif
