/* SPDX-License-Identifier: Apache-2.0 */
/* A schema as one JSON object, without a newline, for `schema --json` and the page of `explain`. */
#ifndef LAMELLA_TOOLS_SCHEMA_JSON_H
#define LAMELLA_TOOLS_SCHEMA_JSON_H

#include <lamella/schema.h>

void schema_print_json(const lam_schema *schema);

#endif
