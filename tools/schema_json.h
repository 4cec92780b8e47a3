/* SPDX-License-Identifier: Apache-2.0 */
/* A schema as "lamella schema --json" prints it, and the words that its forms share. */
#ifndef LAMELLA_TOOLS_SCHEMA_JSON_H
#define LAMELLA_TOOLS_SCHEMA_JSON_H

#include <lamella/schema.h>

/*
 * Prints one object and a newline: a tree of fields with name, repetition (but of the root), type
 * (of leaves), length, logical_type, field_id, max_repetition, max_definition, why (what the field
 * adds to the levels of its group, and for which reason) and fields. NOMEM.
 */
lam_status schema_print_json(const lam_schema *schema, lam_error *error);

/* "required", "optional", "repeated", "vector"; not of the root. */
const char *schema_repetition_name(const lam_field *field);
/* The name of a physical type in message text; NULL for a group. */
const char *schema_physical_name(const lam_field *field);
/* What the levels must distinguish in the group around a field: "may be null: d". */
const char *schema_level_reason(const lam_field *field);

#endif
