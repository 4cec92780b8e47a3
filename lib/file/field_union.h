/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields of two files are one field, and which groups may gain fields of another file. */
#ifndef LAM_FILE_FIELD_UNION_H
#define LAM_FILE_FIELD_UNION_H

#include "schema/tree.h"

/*
 * False for a group whose fields have a meaning beside their names: VARIANTs, lists and maps above
 * their elements, and leaves.
 */
bool lam_group_may_gain(const lam_field *group);

/* True when the fields below two fields of one name belong together. */
bool lam_fields_are_alike(const lam_field *a, const lam_field *b);

#endif
