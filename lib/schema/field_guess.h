/* SPDX-License-Identifier: Apache-2.0 */
/* The field that a path may be meant to lead to, for errors. */
#ifndef LAM_SCHEMA_FIELD_GUESS_H
#define LAM_SCHEMA_FIELD_GUESS_H

#include "schema/path_text.h"

enum { LAM_FIELD_GUESS_ROOM = 160 };

/*
 * Writes " (did you mean path?)" with the path of the schema that is nearest to `path`, or no text
 * if none is near. Marks are no difference.
 */
void lam_field_guess(const lam_schema *schema, const lam_path *path,
                     char text[LAM_FIELD_GUESS_ROOM]);

#endif
