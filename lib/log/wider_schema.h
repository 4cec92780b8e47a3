/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that follow each other in a log. */
#ifndef LAM_LOG_WIDER_SCHEMA_H
#define LAM_LOG_WIDER_SCHEMA_H

#include <lamella/schema.h>

/* The field of another schema with the same names from the root down; NULL when there is none. */
const lam_field *lam_log_field_in(const lam_schema *schema, const lam_field *field);

/*
 * INVALID, with the leaf, when the wider schema lacks one of the present schema or has it with
 * another type, logical type or other levels.
 */
lam_status lam_log_schema_check_wider(const lam_schema *present, const lam_schema *wider,
                                      lam_error *error);

#endif
