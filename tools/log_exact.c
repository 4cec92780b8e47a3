/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes which columns of a log have integers that no double holds: takes records on their way to a
 * sink, and gives the same records, and whether a wider schema would lose digits of theirs.
 *
 * The files of a log are one table in the newest schema: a column of integers becomes one of
 * doubles only while each written value is both. The invariant: a note holds for all files of this
 * log, whatever their schemas.
 */
#include "log_exact.h"

#include <stdlib.h>

#include "tool.h"

/* --- Values -------------------------------------------------------------------------------- */

static bool is_kept(uint64_t magnitude) {
    const uint64_t most = (uint64_t)1 << 53;
    while (magnitude > most && magnitude % 2 == 0)
        magnitude /= 2;
    return magnitude <= most;
}

/* Whether a value of the leaf is an integer that a double does not keep. */
static bool is_beyond(const lam_field *leaf, lam_value value) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    bool is_unsigned = type->kind == LAM_LOGICAL_INTEGER && !type->is_signed;
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_INT64:
        return value.int64 < 0 && !is_unsigned ? !is_kept((uint64_t) - (value.int64 + 1) + 1)
                                               : !is_kept((uint64_t)value.int64);
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY: /* a decimal of integers, for one that has 64 bits */
        return type->kind == LAM_LOGICAL_DECIMAL;
    default:
        return false;
    }
}

static void note_value(log_exact *exact, const lam_field *leaf, lam_value value) {
    const size_t index = lam_field_index(leaf);
    if (exact->is_noted[index] || !is_beyond(leaf, value))
        return;
    size_t size = lam_field_path(leaf, NULL, 0) + 1;
    char *path = tool_allocate(size, 1);
    (void)lam_field_path(leaf, path, size);
    exact->is_noted[index] = true;
    exact->paths = tool_reallocate(exact->paths, exact->path_count + 1, sizeof *exact->paths);
    exact->paths[exact->path_count++] = path;
}

/* --- Schemas ------------------------------------------------------------------------------- */

void log_exact_start(log_exact *exact, const lam_schema *schema, lam_record_sink to) {
    exact->to = to;
    free(exact->is_noted);
    exact->is_noted = tool_allocate(lam_schema_field_count(schema), sizeof *exact->is_noted);
    for (size_t i = 0; i < exact->path_count; i++) {
        const lam_field *leaf = lam_schema_find(schema, exact->paths[i]);
        if (leaf != NULL && lam_field_is_leaf(leaf))
            exact->is_noted[lam_field_index(leaf)] = true;
    }
}

void log_exact_free(log_exact *exact) {
    for (size_t i = 0; i < exact->path_count; i++)
        free(exact->paths[i]);
    free(exact->paths);
    free(exact->is_noted);
    *exact = (log_exact){.paths = NULL};
}

bool log_exact_allows(const log_exact *exact, const lam_schema *wider) {
    for (size_t i = 0; i < exact->path_count; i++) {
        const lam_field *leaf = lam_schema_find(wider, exact->paths[i]);
        if (leaf != NULL && lam_field_is_leaf(leaf) &&
            lam_field_physical_type(leaf) == LAM_PHYSICAL_DOUBLE)
            return false;
    }
    return true;
}

/* --- The sink ------------------------------------------------------------------------------ */

static lam_status exact_begin(void *state, lam_error *error) {
    const log_exact *exact = state;
    return lam_begin(&exact->to, error);
}

static lam_status exact_open(void *state, const lam_field *group, lam_error *error) {
    const log_exact *exact = state;
    return lam_open(&exact->to, group, error);
}

static lam_status exact_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    log_exact *exact = state;
    note_value(exact, leaf, value);
    return exact->to.put(exact->to.state, leaf, value, error);
}

static lam_status exact_close(void *state, const lam_field *group, lam_error *error) {
    const log_exact *exact = state;
    return lam_close(&exact->to, group, error);
}

static lam_status exact_end(void *state, lam_error *error) {
    const log_exact *exact = state;
    return lam_end(&exact->to, error);
}

static lam_status exact_fail(void *state, const lam_error *why, lam_error *error) {
    const log_exact *exact = state;
    return exact->to.fail(exact->to.state, why, error);
}

lam_record_sink log_exact_sink(log_exact *exact) {
    return (lam_record_sink){exact,       exact_begin, exact_open, exact_put,
                             exact_close, exact_end,   exact_fail};
}
