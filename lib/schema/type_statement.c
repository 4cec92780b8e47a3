/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps statements of logical types: takes a footer's statement about a field, and gives the same
 * for a field that is a copy of it. A statement never outlives a change of its type, so no field
 * states one type and has another.
 */
#include "schema/type_statement.h"

#include <string.h>

#include "base/error.h"
#include "schema/logical_type.h"

bool lam_type_statement_fits(const lam_type_statement *statement, const lam_logical_type *type,
                             lam_physical_type physical_type, int32_t type_length) {
    lam_logical_type bare = *type;
    bare.statement = NULL;
    return statement->physical_type == physical_type && statement->type_length == type_length &&
           lam_logical_type_equals(&statement->means, &bare);
}

static bool same_logical(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.data == NULL) == (b.data == NULL) &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Absent numbers are 0. */
bool lam_type_statement_equals(const lam_type_statement *a, const lam_type_statement *b) {
    if (a == NULL || b == NULL)
        return a == b;
    return same_logical(a->logical, b->logical) && a->has_converted == b->has_converted &&
           a->has_scale == b->has_scale && a->has_precision == b->has_precision &&
           a->converted == b->converted && a->scale == b->scale && a->precision == b->precision;
}

lam_status lam_type_statement_copy(const lam_type_statement *statement,
                                   const lam_logical_type *means, lam_arena *arena,
                                   const lam_type_statement **ret_statement, lam_error *error) {
    char *bytes;
    lam_type_statement *copy;
    LAM_TRY(LAM_ARENA_NEW(arena, &copy, error));
    *copy = *statement;
    copy->means = *means;
    copy->means.statement = NULL;
    if (statement->logical.data != NULL) {
        LAM_TRY(
            lam_arena_copy(arena, statement->logical.data, statement->logical.size, &bytes, error));
        copy->logical.data = (const uint8_t *)bytes;
    }
    *ret_statement = copy;
    return LAM_STATUS_OK;
}
